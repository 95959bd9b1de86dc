/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the keeper: what the command is started as, what is told of it,
 * and that nothing of it is left, whoever dies first. No floor here, and a
 * filter that lets everything through; each start installs it once. */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/process/keeper.h"
#include "scratch.h"

#define PATIENCE_MS 20000
#define TEXT_MAX 16384

static const struct sock_filter allow_all[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static char *environment[] = { "PATH=/usr/bin:/bin", NULL };

struct place {
	bool last; /* the exit that was told last left nobody */
	char dir[SCRATCH_PATH];
	struct keeper keeper;
	char *argv[8];
	struct keeper_options options;
};

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	scratch_make(place->dir, sizeof(place->dir));
	place->options = (struct keeper_options){
		.argv = place->argv,
		.envp = environment,
		.program = "/bin/sh",
		.cwd = place->dir,
		.ruleset = -1,
		.filter = allow_all,
		.n_filter = 2,
		.pty = -1,
		.tty = -1,
	};
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	scratch_remove(place->dir);
	free(place);
	return 0;
}

/* Leaves no keeper behind that was not started. */
static int
start_keeper(const struct keeper_options *options, struct keeper *keeper, struct ambit_error *err)
{
	int r = keeper_fork(keeper, err);

	if (r == 0)
		r = keeper_start(keeper, options, err);
	/* One that has failed has left already: its message is there. */
	if (r == 0)
		(void)keeper_run(keeper);
	if (r < 0)
		keeper_finish(keeper);
	return r;
}

/* -- hands and eyes ---------------------------------------------------------- */

static void
start(struct place *place, const char *script)
{
	place->argv[0] = "sh";
	place->argv[1] = "-c";
	place->argv[2] = (char *)script;
	assert_int_equal(start_keeper(&place->options, &place->keeper, NULL), 0);
}

static struct keeper_message
next(struct place *place)
{
	struct keeper_message message;
	struct pollfd p = { .fd = place->keeper.socket, .events = POLLIN };

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(keeper_read(&place->keeper, &message), 0);
	return message;
}

static pid_t
expect_started(struct place *place)
{
	struct keeper_message message = next(place);

	assert_int_equal(message.event, KEEPER_STARTED);
	assert_true(message.child > 1);
	assert_true(message.listener > 2);
	assert_true(fcntl(message.listener, F_GETFD) & FD_CLOEXEC);
	close(message.listener);
	return message.child;
}

static int
expect_exited(struct place *place)
{
	struct keeper_message message = next(place);

	assert_int_equal(message.event, KEEPER_EXITED);
	assert_int_equal(message.listener, -1);
	place->last = message.last;
	return message.status;
}

/* How many there were. */
static int
end(struct place *place, int grace_ms)
{
	struct keeper_message message;

	assert_int_equal(keeper_end(&place->keeper, grace_ms), 0);
	message = next(place);
	assert_int_equal(message.event, KEEPER_EMPTY);
	assert_int_equal(message.error, 0);
	return message.left;
}

static void
finish(struct place *place)
{
	pid_t pid = place->keeper.pid;

	keeper_finish(&place->keeper);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(place->keeper.socket, -1);
}

static char *
path_in(const struct place *place, const char *name)
{
	char *path = str_printf("%s/%s", place->dir, name);

	assert_non_null(path);
	return path;
}

static char *
text_of(const struct place *place, const char *name)
{
	auto_free char *path = path_in(place, name);
	char *text = NULL;
	size_t len;

	assert_int_equal(fd_read_file(AT_FDCWD, path, TEXT_MAX, &text, &len), 0);
	return text;
}

/* A FIFO that the command writes a line into when it has come so far. */
static char *
make_fifo(const struct place *place)
{
	char *path = path_in(place, "fifo");

	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

static void
read_line(int fd, char *line, size_t size)
{
	size_t at = 0;

	while (at + 1 < size) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		assert_int_equal(read(fd, line + at, 1), 1);
		if (line[at] == '\n')
			break;
		at++;
	}
	line[at] = '\0';
}

/* Held open for both, so that no writer is ever the last. */
static void
read_pids(int fifo, pid_t *pids, size_t n)
{
	char line[32];

	for (size_t i = 0; i < n; i++) {
		read_line(fifo, line, sizeof(line));
		pids[i] = (pid_t)strtol(line, NULL, 10);
		assert_true(pids[i] > 1);
		assert_int_equal(kill(pids[i], 0), 0);
	}
}

static void
assert_gone(const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(kill(pids[i], 0), -1);
		assert_int_equal(errno, ESRCH);
	}
}

/* -- starting and ending ----------------------------------------------------- */

static void
the_exit_status_is_told(void **state)
{
	struct place *place = *state;

	start(place, "exit 7");
	expect_started(place);
	assert_int_equal(expect_exited(place), 7 << 8);
	assert_true(place->last);
	finish(place);
}

static void
the_listener_is_the_filters(void **state)
{
	struct place *place = *state;
	struct keeper_message message;
	struct pollfd p = { .events = POLLIN };

	start(place, "exec sleep 1000");
	message = next(place);
	assert_int_equal(message.event, KEEPER_STARTED);
	p.fd = message.listener;
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(keeper_signal(&place->keeper, SIGKILL, false), 0);
	assert_int_equal(WTERMSIG(expect_exited(place)), SIGKILL);
	finish(place);
	/* Nobody is behind the filter any more. */
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_true(p.revents & POLLHUP);
	close(message.listener);
}

static void
a_signal_reaches_the_command(void **state)
{
	struct place *place = *state;
	pid_t child;

	start(place, "exec sleep 1000");
	child = expect_started(place);
	assert_int_equal(kill(child, 0), 0);
	assert_int_equal(keeper_signal(&place->keeper, 0, false), -EINVAL);
	assert_int_equal(keeper_signal(&place->keeper, SIGUSR1, true), 0);
	assert_int_equal(WTERMSIG(expect_exited(place)), SIGUSR1);
	assert_true(place->last);
	finish(place);
}

static void
what_cannot_be_started_is_told_with_its_step(void **state)
{
	static const struct {
		const char *program;
		const char *cwd;
		const char *step;
		int error;
	} rows[] = {
		{ "/nonexistent/program", NULL, "exec", ENOENT },
		{ "/usr", NULL, "exec", EACCES },
		{ NULL, NULL, "exec", ENOENT },
		{ "/bin/sh", "/nonexistent", "chdir", ENOENT },
	};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct keeper_message message;

		place->options.program = rows[i].program;
		place->options.program_error = ENOENT;
		place->options.cwd = rows[i].cwd ? rows[i].cwd : place->dir;
		start(place, "exit 0");
		message = next(place);
		assert_int_equal(message.event, KEEPER_FAILED);
		assert_string_equal(message.step, rows[i].step);
		assert_int_equal(message.error, rows[i].error);
		assert_int_equal(message.listener, -1);
		finish(place);
	}
}

static void
nothing_starts_without_a_filter_or_a_command(void **state)
{
	struct place *place = *state;
	struct keeper_options options = place->options;
	struct ambit_error err = { 0 };

	assert_int_equal(start_keeper(&options, &place->keeper, &err), -EINVAL);
	place->argv[0] = "sh";
	options.filter = NULL;
	assert_int_equal(start_keeper(&options, &place->keeper, &err), -EINVAL);
	options.filter = allow_all;
	options.n_filter = 0;
	assert_int_equal(start_keeper(&options, &place->keeper, &err), -EINVAL);
}

static void
a_script_without_a_first_line_is_run_by_the_shell(void **state)
{
	struct place *place = *state;
	auto_free char *path = path_in(place, "-script");
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	const char *text = "echo \"$0 $1\" > out\nexit 3\n";
	auto_free char *out = NULL;

	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	close(steal_fd(&fd));
	place->options.program = "-script"; /* seen from the command's directory */
	place->argv[0] = "anything";
	place->argv[1] = "word";
	assert_int_equal(start_keeper(&place->options, &place->keeper, NULL), 0);
	expect_started(place);
	assert_int_equal(expect_exited(place), 3 << 8);
	finish(place);
	out = text_of(place, "out");
	assert_string_equal(out, "-script word\n");
}

/* -- what the command is ----------------------------------------------------- */

static uint64_t
field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, at[0] == 'N' || at[1] == 'e' ? 10 : 16);
}

static void
on_signal(int sig)
{
	(void)sig;
}

#define BIT(sig) (UINT64_C(1) << ((sig)-1))

static void
the_command_has_no_rights_but_the_callers_signals(void **state)
{
	struct place *place = *state;
	auto_free char *status = NULL;
	sigset_t set, mask;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, on_signal);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_SETMASK, &set, &mask);
	place->options.program = "/bin/cp";
	place->argv[0] = "cp";
	place->argv[1] = "/proc/self/status";
	place->argv[2] = "out";
	assert_int_equal(start_keeper(&place->options, &place->keeper, NULL), 0);
	sigprocmask(SIG_SETMASK, NULL, &set);
	assert_true(sigismember(&set, SIGALRM) && !sigismember(&set, SIGTERM));
	sigprocmask(SIG_SETMASK, &mask, NULL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	expect_started(place);
	assert_int_equal(expect_exited(place), 0);
	finish(place);
	status = text_of(place, "out");
	assert_int_equal(field(status, "CapInh:"), 0);
	assert_int_equal(field(status, "CapPrm:"), 0);
	assert_int_equal(field(status, "CapEff:"), 0);
	assert_int_equal(field(status, "CapAmb:"), 0);
	assert_int_equal(field(status, "NoNewPrivs:"), 1);
	assert_int_equal(field(status, "Seccomp:"), 2);
	assert_int_equal(field(status, "SigBlk:"), BIT(SIGALRM));
	assert_int_equal(field(status, "SigIgn:") & (BIT(SIGUSR1) | BIT(SIGUSR2)), BIT(SIGUSR1));
	assert_int_equal(field(status, "SigIgn:") & (BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGCHLD)), 0);
}

static void
only_the_three_descriptors_are_inherited(void **state)
{
	struct place *place = *state;
	auto_close int leak = dup(2); /* not close-on-exec */
	auto_free char *out = NULL;

	assert_true(leak > 2);
	start(place, "exec ls -1 /proc/self/fd > out");
	expect_started(place);
	assert_int_equal(expect_exited(place), 0);
	finish(place);
	out = text_of(place, "out");
	assert_string_equal(out, "0\n1\n2\n3\n"); /* 3 is the directory it reads */
}

/* Runs act as a supervisor of its own. */
static pid_t
as_supervisor(struct place *place, void (*act)(struct place *place))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		act(place);
		_exit(0);
	}
	return pid;
}

static void
run_without_streams(struct place *place)
{
	struct keeper_message message;

	close(0);
	close(1);
	place->argv[0] = "sh";
	place->argv[1] = "-c";
	place->argv[2] = "[ -e /proc/$$/fd/2 ] || a=2; [ -e /proc/$$/fd/0 ] && a=0; "
			 "[ -e /proc/$$/fd/1 ] && a=1; echo ${a-none} > out";
	if (start_keeper(&place->options, &place->keeper, NULL) < 0)
		_exit(1);
	if (keeper_read(&place->keeper, &message) < 0 || message.event != KEEPER_STARTED)
		_exit(2);
	if (keeper_read(&place->keeper, &message) < 0 || message.event != KEEPER_EXITED)
		_exit(3);
	keeper_finish(&place->keeper);
}

/* Closed streams must not become the keeper's socket. */
static void
closed_streams_stay_closed(void **state)
{
	struct place *place = *state;
	auto_free char *out = NULL;
	int status = -1;
	pid_t pid = as_supervisor(place, run_without_streams);

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	out = text_of(place, "out");
	assert_string_equal(out, "none\n");
}

/* -- what is left ------------------------------------------------------------ */

#define LEAVE_TWO                                                                                  \
	"trap '' TERM; setsid sleep 1000 & echo $! > fifo; "                                       \
	"(setsid sh -c 'echo $$ > fifo; exec sleep 1000' &) ; "

static void
leftovers_are_ended_also_those_that_will_not(void **state)
{
	struct place *place = *state;
	auto_free char *path = make_fifo(place);
	auto_close int fifo = open(path, O_RDWR | O_CLOEXEC);
	pid_t pids[2];

	start(place, LEAVE_TWO "exit 5");
	expect_started(place);
	read_pids(fifo, pids, 2);
	assert_int_equal(expect_exited(place), 5 << 8);
	assert_int_equal(kill(pids[0], 0), 0);
	assert_int_equal(end(place, 20), 2);
	assert_gone(pids, 2);
	finish(place);
}

static void
the_end_of_a_running_command_is_told_before_the_tree_is_empty(void **state)
{
	struct place *place = *state;
	auto_free char *path = make_fifo(place);
	auto_close int fifo = open(path, O_RDWR | O_CLOEXEC);
	struct keeper_message message;
	pid_t pid;

	start(place, "trap '' TERM; echo $$ > fifo; exec sleep 1000");
	expect_started(place);
	read_pids(fifo, &pid, 1);
	assert_int_equal(keeper_end(&place->keeper, 20), 0);
	assert_int_equal(WTERMSIG(expect_exited(place)), SIGKILL);
	message = next(place);
	assert_int_equal(message.event, KEEPER_EMPTY);
	assert_int_equal(message.left, 1);
	assert_gone(&pid, 1);
	finish(place);
}

static void
finish_leaves_nobody(void **state)
{
	struct place *place = *state;
	auto_free char *path = make_fifo(place);
	auto_close int fifo = open(path, O_RDWR | O_CLOEXEC);
	pid_t pids[3];

	start(place, LEAVE_TWO "echo $$ > fifo; exec sleep 1000");
	expect_started(place);
	read_pids(fifo, pids, 3);
	finish(place);
	assert_gone(pids, 3);
}

static void
a_killed_keeper_takes_the_tree_along(void **state)
{
	struct place *place = *state;
	auto_free char *path = make_fifo(place);
	auto_close int fifo = open(path, O_RDWR | O_CLOEXEC);
	struct keeper_message message;
	pid_t pids[3];

	start(place, LEAVE_TWO "echo $$ > fifo; exec sleep 1000");
	expect_started(place);
	read_pids(fifo, pids, 3);
	assert_int_equal(kill(place->keeper.pid, SIGKILL), 0);
	assert_int_equal(keeper_read(&place->keeper, &message), -EPIPE);
	assert_int_equal(keeper_end(&place->keeper, 0), -EPIPE);
	finish(place);
	assert_gone(pids, 3);
}

static void
start_and_wait(struct place *place)
{
	struct termios raw = place->options.restore;

	cfmakeraw(&raw);
	if (tcsetattr(place->options.tty, TCSANOW, &raw) < 0)
		_exit(1);
	place->argv[0] = "sh";
	place->argv[1] = "-c";
	place->argv[2] =
		LEAVE_TWO "cd temp; mkdir -p a/b/c; touch a/b/c/d a/x; ln -s ../../keep a/l; "
			  "chmod 0 a/b; cd ..; echo $$ > fifo; exec sleep 1000";
	if (start_keeper(&place->options, &place->keeper, NULL) < 0)
		_exit(1);
	{ /* who the keeper is */
		char line[32];
		auto_free char *path = path_in(place, "fifo");
		auto_close int fifo = open(path, O_WRONLY | O_CLOEXEC);
		int n = snprintf(line, sizeof(line), "%d\n", (int)place->keeper.pid);

		if (fd_write_all(fifo, line, (size_t)n) < 0)
			_exit(1);
	}
	for (;;)
		pause();
}

/* Four pids come in any order: the keeper's among them. */
static void
a_killed_supervisor_leaves_nothing(void **state)
{
	struct place *place = *state;
	auto_free char *path = make_fifo(place), *temp = path_in(place, "temp");
	auto_free char *keep = path_in(place, "keep"), *kept = path_in(place, "keep/file");
	auto_close int fifo = open(path, O_RDWR | O_CLOEXEC), master = -1, slave = -1;
	struct termios after;
	pid_t pids[4], pid;
	int status;

	assert_int_equal(mkdir(temp, 0700), 0);
	struct leftover made = {
		.parent = open(place->dir, O_PATH | O_CLOEXEC),
		.fd = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.name = "temp",
	};

	assert_int_equal(mkdir(keep, 0700), 0);
	close(open(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	memset(&place->options.restore, 0, sizeof(place->options.restore));
	assert_int_equal(tcgetattr(slave, &place->options.restore), 0);
	place->options.tty = slave;
	place->options.temp = &made;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	pid = as_supervisor(place, start_and_wait);
	read_pids(fifo, pids, 4);
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_int_equal(after.c_lflag & ICANON, 0);

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The keeper is ours now; when it is gone all is. */
	while (waitpid(-1, &status, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
	assert_gone(pids, 4);
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(access(kept, F_OK), 0);
	memset(&after, 0, sizeof(after));
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_memory_equal(&after, &place->options.restore, sizeof(after));
	leftover_finish(&made);
}

/* -- with a terminal --------------------------------------------------------- */

static void
open_terminal(struct place *place, int *master, int *slave)
{
	assert_int_equal(openpty(master, slave, NULL, NULL, NULL), 0);
	fcntl(*master, F_SETFD, FD_CLOEXEC);
	fcntl(*slave, F_SETFD, FD_CLOEXEC);
	place->options.pty = *slave;
	for (int i = 0; i < 3; i++)
		place->options.replace[i] = true;
}

static void
the_terminal_is_the_commands_own(void **state)
{
	struct place *place = *state;
	auto_close int master = -1, slave = -1;
	auto_free char *out = NULL, *expected = NULL;

	open_terminal(place, &master, &slave);
	start(place, "{ tty; readlink /proc/$$/fd/1 /proc/$$/fd/2; : < /dev/tty && echo own; } "
		     "> out; set -- $(cat /proc/$$/stat); echo $5 $6 $8 $$ $PPID >> out");
	expect_started(place);
	assert_int_equal(expect_exited(place), 0);
	out = text_of(place, "out");
	{
		const char *name = ttyname(slave);
		char *last = strrchr(out, '\n');
		long pgrp, sid, tpgid, pid, ppid;

		while (last > out && last[-1] != '\n')
			last--;
		assert_int_equal(
			sscanf(last, "%ld %ld %ld %ld %ld", &pgrp, &sid, &tpgid, &pid, &ppid), 5);
		assert_int_equal(ppid, place->keeper.pid);
		assert_int_equal(sid, place->keeper.pid);
		assert_int_equal(pgrp, pid);
		assert_int_equal(tpgid, pid);
		*last = '\0';
		expected = str_printf("%s\n%s/out\n%s\nown\n", name, place->dir, name);
		assert_string_equal(out, expected);
	}
	finish(place);
}

static void
a_command_that_stops_is_told_and_continued(void **state)
{
	struct place *place = *state;
	auto_close int master = -1, slave = -1;
	struct keeper_message message;
	auto_free char *out = NULL;

	open_terminal(place, &master, &slave);
	start(place, "kill -STOP $$; echo resumed > out; kill -TSTP $$; exit 4");
	expect_started(place);
	message = next(place);
	assert_int_equal(message.event, KEEPER_STOPPED);
	assert_int_equal(message.signal, SIGSTOP);
	assert_int_equal(keeper_continue(&place->keeper), 0);
	message = next(place);
	assert_int_equal(message.event, KEEPER_STOPPED);
	assert_int_equal(message.signal, SIGTSTP);
	out = text_of(place, "out");
	assert_string_equal(out, "resumed\n");
	assert_int_equal(keeper_continue(&place->keeper), 0);
	assert_int_equal(expect_exited(place), 4 << 8);
	finish(place);
}

static void
keys_of_the_terminal_stop_and_interrupt(void **state)
{
	struct place *place = *state;
	auto_close int master = -1, slave = -1;
	struct keeper_message message;
	char line[64];

	open_terminal(place, &master, &slave);
	start(place, "echo ready; exec cat");
	expect_started(place);
	read_line(master, line, sizeof(line));
	assert_string_equal(line, "ready\r");
	assert_int_equal(fd_write_all(master, "\x1a", 1), 0);
	message = next(place);
	assert_int_equal(message.event, KEEPER_STOPPED);
	assert_int_equal(message.signal, SIGTSTP);
	assert_int_equal(keeper_continue(&place->keeper), 0);
	assert_int_equal(keeper_signal(&place->keeper, SIGWINCH, true), 0);
	assert_int_equal(fd_write_all(master, "\x03", 1), 0);
	assert_int_equal(WTERMSIG(expect_exited(place)), SIGINT);
	assert_true(place->last);
	finish(place);
}

static void
a_signal_reaches_the_foreground_group(void **state)
{
	struct place *place = *state;
	auto_close int master = -1, slave = -1;
	char line[64];

	open_terminal(place, &master, &slave);
	/* Job control: the inner command has a group of its own in front. */
	start(place,
		"set -m; sh -c 'trap \"exit 9\" USR1; echo ready; sleep 1000 & wait'; exit $?");
	expect_started(place);
	read_line(master, line, sizeof(line));
	assert_string_equal(line, "ready\r");
	assert_int_equal(keeper_signal(&place->keeper, SIGUSR1, true), 0);
	assert_int_equal(expect_exited(place), 9 << 8);
	finish(place);
}

static void
a_hung_up_terminal_ends_the_command(void **state)
{
	struct place *place = *state;
	auto_close int master = -1, slave = -1;
	char line[64];

	open_terminal(place, &master, &slave);
	signal(SIGHUP, SIG_DFL); /* whoever ignores it has his command ignore it: nohup */
	start(place, "echo ready; exec sleep 1000");
	expect_started(place);
	read_line(master, line, sizeof(line));
	close(steal_fd(&master));
	assert_int_equal(WTERMSIG(expect_exited(place)), SIGHUP);
	finish(place);
}

int
main(void)
{
#define PROMISE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		PROMISE(the_exit_status_is_told),
		PROMISE(a_signal_reaches_the_command),
		PROMISE(what_cannot_be_started_is_told_with_its_step),
		PROMISE(nothing_starts_without_a_filter_or_a_command),
		PROMISE(a_script_without_a_first_line_is_run_by_the_shell),
		PROMISE(the_command_has_no_rights_but_the_callers_signals),
		PROMISE(only_the_three_descriptors_are_inherited),
		PROMISE(closed_streams_stay_closed),
		PROMISE(leftovers_are_ended_also_those_that_will_not),
		PROMISE(the_end_of_a_running_command_is_told_before_the_tree_is_empty),
		PROMISE(finish_leaves_nobody),
		PROMISE(a_killed_keeper_takes_the_tree_along),
		PROMISE(a_killed_supervisor_leaves_nothing),
		PROMISE(the_terminal_is_the_commands_own),
		PROMISE(a_command_that_stops_is_told_and_continued),
		PROMISE(keys_of_the_terminal_stop_and_interrupt),
		PROMISE(a_signal_reaches_the_foreground_group),
		PROMISE(a_hung_up_terminal_ends_the_command),
		PROMISE(the_listener_is_the_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
