/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper's life: it turns SIGCHLD into messages and orders into signals,
 * and what is left behind by a dead supervisor into nothing. It believes the
 * supervisor, whose socket nobody else holds, and nothing that the command
 * says: the command cannot trace it (not dumpable) and cannot signal it. All
 * its signals stay blocked, so that ^C and ^Z in its group pass it by and the
 * command still gets the dispositions that ambit was started with. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "line/process/child.h"
#include "line/process/keeper-private.h"
#include "line/process/nest-wire.h"
#include "line/process/tree.h"

#define GRACE_MAX 60000

/* -- telling the supervisor -------------------------------------------------- */

/* Nothing is left to be kept. Whether the supervisor is there or not does not
 * matter any more: what was made for the command goes with it. */
__attribute__((noreturn)) static void
leave(const struct life *life)
{
	keeper_clear(life->options.temp, life->options.pool, life->options.list);
	_exit(0);
}

/* If the supervisor is gone, so is the news; the socket will say so. */
static void
send_to_supervisor(const struct life *life, struct keeper_message *message, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = message, .iov_len = sizeof(*message) };
	struct msghdr header = { .msg_iov = &iov, .msg_iovlen = 1 };

	message->listener = -1;
	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		header.msg_control = &control;
		header.msg_controllen = sizeof(control.bytes);
	}
	while (sendmsg(life->socket, &header, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	if (message->last)
		leave(life);
}

__attribute__((noreturn)) static void
tell_failed(const struct life *life, const char *step, int error)
{
	struct keeper_message message = { .event = KEEPER_FAILED, .error = error, .last = true };

	strncpy(message.step, step, sizeof(message.step) - 1);
	send_to_supervisor(life, &message, -1);
	leave(life);
}

static void
tell_exited(struct life *life, int status)
{
	struct keeper_message message = {
		.event = KEEPER_EXITED,
		.child = life->child.pid,
		.status = status,
		.last = life->empty && !life->ending,
	};

	life->running = false;
	send_to_supervisor(life, &message, -1);
}

/* Once until it is continued: a command that stops and wakes itself without
 * end cannot fill the socket. */
static void
tell_stopped(struct life *life, int status)
{
	struct keeper_message message = {
		.event = KEEPER_STOPPED,
		.child = life->child.pid,
		.signal = WSTOPSIG(status),
		.status = life->continued,
	};

	if (life->stopped)
		return;
	life->stopped = true;
	send_to_supervisor(life, &message, -1);
}

/* -- the tree ---------------------------------------------------------------- */

static bool
hears_stops(const struct life *life)
{
	return life->options.pty >= 0 || life->options.manner.client > 0;
}

static void
reap_children(struct life *life)
{
	int flags = WNOHANG | (hears_stops(life) ? WUNTRACED : 0), status, exited = 0;
	bool over = false;
	pid_t pid;

	while ((pid = waitpid(-1, &status, flags)) > 0) {
		if (!life->running || pid != life->child.pid)
			continue;
		if (WIFSTOPPED(status)) {
			tell_stopped(life, status);
		} else {
			exited = status;
			over = true;
		}
	}
	/* Told behind the loop: then it is known whether anybody else is left. */
	life->empty = pid < 0 && errno == ECHILD;
	if (over)
		tell_exited(life, exited);
}

static void
tell_empty(struct life *life, int error)
{
	struct keeper_message message = {
		.event = KEEPER_EMPTY,
		.left = life->left,
		.error = error,
		.last = true,
	};

	send_to_supervisor(life, &message, -1);
}

/* tree_end may reap the command itself: then it was our SIGKILL that ended it,
 * for a moment ago it was still there. */
static void
kill_process_tree(struct life *life)
{
	int r = tree_end(KEEPER_END_MS);

	reap_children(life);
	if (life->running && kill(life->child.pid, 0) < 0)
		tell_exited(life, SIGKILL);
	tell_empty(life, r < 0 ? -r : 0);
}

/* A stopped process would not hear of the TERM before it is continued. */
static void
begin_end(struct life *life, int grace_ms)
{
	if (life->ending)
		return;
	reap_children(life);
	life->ending = true;
	life->left = 0;
	if (life->empty)
		return;
	life->left = tree_signal(SIGTERM);
	tree_signal(SIGCONT);
	if (grace_ms < 0)
		grace_ms = 0;
	life->deadline = clock_steady() + (grace_ms > GRACE_MAX ? GRACE_MAX : grace_ms);
}

/* -- orders ------------------------------------------------------------------ */

static void
resume_command(struct life *life)
{
	life->stopped = false;
	life->continued++;
	if (!life->running || !hears_stops(life))
		return;
	if (life->options.pty >= 0) {
		tcsetpgrp(life->options.pty, life->child.pid);
		kill(-life->child.pid, SIGCONT);
	} else {
		/* Its group is its client's, and others may be in that. */
		tree_signal(SIGCONT);
	}
}

/* The number of a terminal's foreground group can outlive the group and then
 * mean somebody else's. */
static void
pass_signal(const struct life *life, int sig, bool group)
{
	const struct tree tree = { .keeper = getpid() };
	pid_t pgrp = group && life->options.pty >= 0 ? tcgetpgrp(life->options.pty) : -1;

	if (pgrp > 1 && pgrp != getpgrp() && tree_holds_group(&tree, pgrp))
		kill(-pgrp, sig);
	else if (life->running)
		kill(life->child.pid, sig);
}

/* From here it is a supervisor like the one that started us: outside the line, in
 * the command's session, with the environment that ambit itself came with. In a
 * group of its own, so that keys do not reach it, and not to be stopped for its
 * words on a terminal that is not its own. */
__attribute__((noreturn)) static void
supervise(const struct life *life, const char *door, int socket)
{
	char **argv = (char **)life->options.nest;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	setpgid(0, 0);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	if (socket != 3 && dup2(socket, 3) != 3)
		_exit(127);
	close_range(4, ~0U, 0);
	fcntl(3, F_SETFD, 0);
	sigprocmask(SIG_SETMASK, &life->child.mask, NULL);
	argv[1] = (char *)door;
	execve(argv[0], argv, environ);
	_exit(127);
}

static void
start_nested_supervisor(struct life *life, int id, uint32_t which, int socket)
{
	const char *door = nest_door_name(which);
	struct keeper_message message = { .event = KEEPER_NESTED, .status = id, .error = EINVAL };
	pid_t pid = -1;

	if (life->options.nest && door && socket >= 0 && !life->ending) {
		pid = fork();
		if (pid == 0)
			supervise(life, door, socket);
		message.error = pid < 0 ? errno : 0;
	}
	message.child = pid;
	if (pid > 0)
		life->empty = false;
	send_to_supervisor(life, &message, -1);
}

/* False: the supervisor is gone. */
static bool
handle_order(struct life *life)
{
	struct order order;
	auto_close int fd = -1;
	ssize_t n = nest_receive(life->socket, &order, sizeof(order),
		&(struct nest_given){ .fds = &fd, .n = 1, .flags = MSG_DONTWAIT });

	if (n < 0)
		return n == -EAGAIN || n == -EINTR;
	if (n != (ssize_t)sizeof(order))
		return false;
	switch (order.kind) {
	case ORDER_CONTINUE:
		resume_command(life);
		return true;
	case ORDER_SIGNAL:
	case ORDER_SIGNAL_GROUP:
		pass_signal(life, order.value, order.kind == ORDER_SIGNAL_GROUP);
		return true;
	case ORDER_END:
		begin_end(life, order.value);
		return true;
	case ORDER_NEST:
		start_nested_supervisor(life, order.value, order.door, fd);
		return true;
	case ORDER_RUN:
	case ORDER_NONE:
		break;
	}
	return false;
}

/* Raw without ISIG is how the supervisor had it. Otherwise somebody else has
 * taken the terminal, a shell that is already editing its next line; or the
 * supervisor had given it back and was stopped. */
static void
restore_terminal(const struct life *life)
{
	struct termios now;

	if (life->options.tty < 0 || life->stopped || tcgetattr(life->options.tty, &now) < 0)
		return;
	if (!(now.c_lflag & (ISIG | ICANON)))
		tcsetattr(life->options.tty, TCSANOW, &life->options.restore);
}

__attribute__((noreturn)) static void
abandoned(struct life *life)
{
	restore_terminal(life);
	tree_end(KEEPER_END_MS);
	leave(life);
}

/* A terminal that hangs up tells only the leader of its session, whose death
 * then tells the rest; this leader does not die of it. Without one of its own,
 * the kernel tells everybody itself. */
static void
handle_signals(struct life *life)
{
	struct signalfd_siginfo info;

	while (read(life->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo == SIGHUP && info.ssi_code == SI_KERNEL &&
			life->options.pty >= 0) {
			tree_signal(SIGHUP);
			tree_signal(SIGCONT);
		}
	reap_children(life);
}

__attribute__((noreturn)) static void
keep(struct life *life)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = life->socket, .events = POLLIN },
			{ .fd = life->signals, .events = POLLIN } };
		int64_t left = -1;

		if (life->ending) {
			left = life->deadline - clock_steady();
			if (life->empty)
				tell_empty(life, 0);
			else if (left <= 0)
				kill_process_tree(life);
		}
		if (poll(p, 2, (int)left) < 0 && errno != EINTR)
			abandoned(life);
		if (p[1].revents)
			handle_signals(life);
		if (p[0].revents && !handle_order(life))
			abandoned(life);
	}
}

/* -- starting --------------------------------------------------------------- */

static void
start_command(struct life *life)
{
	struct child *child = &life->child;
	struct keeper_message message = { .event = KEEPER_STARTED };
	int r;

	child->options = &life->options;
	child->socket = life->socket;
	if (!life->options.program)
		tell_failed(life, "exec", life->options.program_error);
	r = child_start(child);
	if (r < 0)
		tell_failed(life, "clone", -r);
	if (child->step)
		tell_failed(life, child->step, child->error);
	life->running = true;
	message.child = child->pid;
	message.joined = child->join;
	send_to_supervisor(life, &message, child->listener);
	close(steal_fd(&child->listener));
}

/* Whoever reads what the command wrote need not wait for the keeper. */
static void
let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= 2; fd++)
		if (fd != null && (null < 0 || dup2(null, fd) < 0))
			close(fd);
	if (null > 2)
		close(null);
	if (chdir("/") < 0) /* then it holds the directory: no harm but to umount */
		errno = 0;
}

void
keeper_live(const sigset_t *mask, int socket)
{
	struct life life = {
		.options = { .ruleset = -1, .pty = -1, .tty = -1 },
		.child = { .mask = *mask, .pid = -1, .listener = -1 },
		.socket = socket,
		.signals = -1,
	};
	const char *failed = keeper_settle(&life);
	int r;

	if (failed)
		tell_failed(&life, failed, errno);
	r = go_receive(socket, &life.options);
	if (r == -EPIPE)
		_exit(0);
	if (r < 0)
		tell_failed(&life, "options", -r);
	failed = keeper_lead(&life);
	if (failed)
		tell_failed(&life, failed, errno);
	start_command(&life);
	let_go();
	reap_children(&life);
	keep(&life);
}
