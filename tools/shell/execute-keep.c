/* SPDX-License-Identifier: Apache-2.0 */
/* The process between the server and a command. It is forked from a process with
 * many threads, so it does nothing but system calls; and it is what orphans of the
 * command's fall to, so that nothing the command started outlives the call, also if
 * it left its group and session. It hears of the server's end by the leash, a pipe
 * that nobody writes to. Of the command nothing is believed but how it ended.
 *
 * The command itself is started by vfork, behind which there is only exec. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/limit.h"
#include "base/program.h"
#include "tools/shell/execute-private.h"

#define NEWS 7
#define HOLD 8
#define DEFAULT_PATH "/bin:/usr/bin" /* as that of execvp */
#define ABOVE 16 /* descriptors of ours, out of the way of those that have a number */

#define GRACE_MS 1000	    /* from TERM to KILL */
#define LEFTOVER_MS 200	    /* the same for what the command left behind */
#define AGAIN_MS 20	    /* orphans come up as those above them die */
#define HOLDER_TERM_MS 2500 /* `ambit run` has heard by the leash; if it has not: */
#define HOLDER_KILL_MS 8000
#define HOLDER_AGAIN_MS 6000 /* its keeper ends the tree and clears away */
#define GIVE_UP_MS 20000     /* a killed process still there then hangs in the kernel */

enum news_kind {
	NEWS_FAILED = 1, /* value is the errno */
	NEWS_STARTED,
	NEWS_ENDED, /* the status as in a shell */
};

struct news {
	enum news_kind kind;
	int value;
};

struct life {
	const struct keep_options *o;
	pid_t command;
	volatile int error; /* of its exec; written behind vfork, in a path that never returns */
	int signals;
	int status;
	bool exited, empty, ending;
	int64_t term_at, kill_at, give_up; /* 0: not now */
};

/* -- the command -------------------------------------------------------------------- */

/* The value of a variable, or NULL. */
static const char *
find_value(char *const *envp, const char *name, size_t len)
{
	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

/* Returns if it cannot, with errno. By the PATH that the command gets, not by ours; and unlike
 * execvpe it never gives a file to a shell. */
static void
exec_by_path(char *const *argv, char *const *envp)
{
	const char *name = argv[0], *at = find_value(envp, "PATH", 4), *end;
	int error = ENOENT;
	char path[PATH_MAX];

	if (strchr(name, '/')) {
		execve(name, argv, envp);
		return;
	}
	for (at = at ? at : DEFAULT_PATH; at; at = *end ? end + 1 : NULL) {
		size_t len, n = strlen(name);

		end = strchrnul(at, ':');
		len = (size_t)(end - at);
		if (n == 0 || len + n + 2 > sizeof(path))
			continue;
		memcpy(path, at, len);
		if (len > 0)
			path[len++] = '/';
		memcpy(path + len, name, n + 1);
		execve(path, argv, envp);
		if (errno == EACCES)
			error = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return;
	}
	errno = error;
}

/* In the life's own memory: nothing may be changed but error. */
__attribute__((noreturn)) static void
become_command(struct life *life)
{
	const struct ambit_limits *limits = &life->o->limits;
	sigset_t none;

	setpgid(0, 0);
	/* Whoever kills the one in between, by mistake or from the command itself, does not
	 * set the command free; `ambit run` has its leash. */
	if (!life->o->holds)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	if (limit_lower(RLIMIT_CPU, limits->cpu_seconds) == 0 &&
		limit_lower(RLIMIT_AS, limits->memory) == 0 &&
		limit_lower(RLIMIT_NPROC, limits->processes) == 0 &&
		limit_lower(RLIMIT_FSIZE, limits->file_size) == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		exec_by_path(life->o->argv, life->o->envp);
	}
	life->error = errno;
	_exit(127);
}

__attribute__((noinline)) static pid_t
start_command(struct life *life)
{
	pid_t pid = vfork();

	if (pid == 0)
		become_command(life);
	return pid;
}

/* -- ending it ----------------------------------------------------------------------- */

/* The number of a group can mean somebody else's once its leader is reaped. What is
 * beneath `ambit run` is its own to end. */
static void
signal_tree(const struct life *life, int sig)
{
	bool holds = life->o->holds && !life->exited;

	tree_signal_beneath(getpid(), sig, !holds);
	if (!life->exited && !holds)
		kill(-life->command, sig);
}

static void
begin_end(struct life *life, int grace_ms)
{
	int64_t now = clock_steady();

	life->ending = true;
	life->term_at = now;
	life->kill_at = now + grace_ms;
	if (life->o->holds && !life->exited) {
		life->term_at = now + HOLDER_TERM_MS;
		life->kill_at = now + HOLDER_KILL_MS;
	}
	life->give_up = life->kill_at + GIVE_UP_MS;
}

static void
go_on_ending(struct life *life)
{
	int64_t now = clock_steady();

	if (life->term_at != 0 && now >= life->term_at) {
		signal_tree(life, SIGTERM);
		signal_tree(life, SIGCONT); /* a stopped one would not hear of it */
		life->term_at = 0;
	}
	if (now >= life->kill_at) {
		signal_tree(life, SIGKILL);
		life->kill_at = now + (life->o->holds ? HOLDER_AGAIN_MS : AGAIN_MS);
	}
}

/* -- living ---------------------------------------------------------------------------- */

static void
send_keeper_news(enum news_kind kind, int value)
{
	const struct news news = { .kind = kind, .value = value };

	while (write(NEWS, &news, sizeof(news)) < 0 && errno == EINTR)
		;
}

static void
reap_processes(struct life *life)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(life->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != life->command)
			continue;
		life->exited = true;
		life->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	life->empty = pid < 0 && errno == ECHILD;
}

static int
wait_ms(const struct life *life)
{
	int64_t left;

	if (!life->ending)
		return -1;
	left = (life->term_at != 0 ? life->term_at : life->kill_at) - clock_steady();
	return left < 0 ? 0 : (int)left;
}

__attribute__((noreturn)) static void
keep_on(struct life *life)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = life->signals, .events = POLLIN },
			{ .fd = life->ending ? -1 : KEEP_LEASH, .events = POLLIN } };

		poll(p, 2, wait_ms(life));
		reap_processes(life);
		if (life->empty || (life->ending && clock_steady() > life->give_up))
			break;
		if (!life->ending && p[1].revents)
			begin_end(life, GRACE_MS);
		if (!life->ending && life->exited)
			begin_end(life, LEFTOVER_MS);
		if (life->ending)
			go_on_ending(life);
	}
	send_keeper_news(NEWS_ENDED, life->exited ? life->status : 128 + SIGKILL);
	_exit(0);
}

/* To its number; one that is not given is closed. */
static bool
place_descriptor(int fd, int number)
{
	if (fd < 0) {
		close(number);
		return true;
	}
	return dup2(fd, number) == number;
}

/* All first out of the way: one of them may have another's number. */
static bool
settle_descriptors(const struct keep_options *o, int leash, int news)
{
	int fds[] = { o->in, o->out, o->err, o->ask, o->report, leash, o->within, news, o->hold };
	const int n = sizeof(fds) / sizeof(fds[0]);

	for (int i = 0; i < n; i++)
		if (fds[i] >= 0 && (fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE)) < 0)
			return false;
	for (int i = 0; i < n; i++)
		if (!place_descriptor(fds[i], i))
			return false;
	fcntl(NEWS, F_SETFD, FD_CLOEXEC);
	/* `ambit run` holds it on if we are killed; it gives none to its command. */
	if (!o->holds)
		fcntl(HOLD, F_SETFD, FD_CLOEXEC);
	if (!o->holds)
		fcntl(KEEP_LEASH, F_SETFD, FD_CLOEXEC);
	return close_range(HOLD + 1, ~0U, 0) == 0;
}

/* Above those with a number: it must not be closed with them. */
static int
open_signals(void)
{
	sigset_t heard;
	int fd, high;

	sigemptyset(&heard);
	sigaddset(&heard, SIGCHLD);
	fd = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
	high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, HOLD + 1) : -1;
	if (fd >= 0)
		close(fd);
	return high;
}

__attribute__((noreturn)) static void
live(const struct keep_options *o, int leash, int news)
{
	struct life life = { .o = o, .command = -1, .signals = -1 };

	signal(SIGCHLD, SIG_DFL);
	/* Without it the news have no place to go to either: an end says it all. */
	if (!settle_descriptors(o, leash, news))
		_exit(1);
	setsid();
	prctl(PR_SET_NAME, "ambit-execute", 0, 0, 0);
	life.signals = open_signals();
	if (life.signals >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 &&
		chdir(o->cwd) == 0)
		life.command = start_command(&life);
	if (life.command < 0 || life.error != 0) {
		send_keeper_news(NEWS_FAILED, life.error != 0 ? life.error : errno);
		_exit(1);
	}
	send_keeper_news(NEWS_STARTED, 0);
	/* Whoever reads what the command wrote need not wait for us. */
	close_range(0, KEEP_REPORT, 0);
	close(KEEP_WITHIN);
	if (chdir("/") < 0)
		errno = 0; /* then it holds the directory: no harm but to umount */
	keep_on(&life);
}

/* -- the server's side ------------------------------------------------------------------ */

static pid_t
fork_quietly(const struct keep_options *options, int leash, int news)
{
	sigset_t all, before;
	pid_t pid;

	/* A handler of the server's must not run over there. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		live(options, leash, news);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int
next_news(int fd, struct news *ret_news)
{
	ssize_t n;

	do
		n = read(fd, ret_news, sizeof(*ret_news));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*ret_news) ? 0 : -EPIPE;
}

int
keep_start(const struct keep_options *options, struct keep *ret_keep, struct ambit_error *err)
{
	int leash[2], news[2];
	struct news first;

	if (pipe2(leash, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	auto_close int leash_end = leash[0], leash_hand = leash[1];

	if (pipe2(news, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	auto_close int news_end = news[0];
	struct keep keep = { .pid = fork_quietly(options, leash_end, news[1]) };

	close(news[1]);
	if (keep.pid < 0)
		return err_sys(err, errno, "no process for the command");
	keep.news = steal_fd(&news_end);
	keep.leash = steal_fd(&leash_hand);
	if (next_news(keep.news, &first) < 0)
		first = (struct news){ .kind = NEWS_FAILED, .value = ECHILD };
	if (first.kind == NEWS_STARTED) {
		*ret_keep = keep;
		return 0;
	}
	keep_finish(&keep);
	return err_sys(err, first.value, "%s in %s", options->argv[0], options->cwd);
}

void
keep_end(struct keep *keep)
{
	if (keep->leash >= 0)
		close(steal_fd(&keep->leash));
}

int
keep_read(struct keep *keep, int *ret_status, bool *ret_lost)
{
	struct news news;

	/* Killed from outside: what the command's end was nobody knows. */
	*ret_lost = next_news(keep->news, &news) < 0;
	if (*ret_lost)
		news = (struct news){ .kind = NEWS_ENDED, .value = 128 + SIGKILL };
	if (news.kind == NEWS_ENDED)
		*ret_status = news.value;
	return news.kind == NEWS_ENDED;
}

void
keep_finish(struct keep *keep)
{
	keep_end(keep);
	if (keep->pid > 0)
		while (waitpid(keep->pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (keep->news >= 0)
		close(keep->news);
	*keep = (struct keep){ .news = -1, .leash = -1 };
}
