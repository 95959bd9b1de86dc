/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's hand on the keeper: forks it, sends it orders, reads what
 * it tells. Messages come from code of ours, but from a process that the
 * command would like to be: sizes and events are checked. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "line/process/keeper-private.h"
#include "line/process/nest-wire.h"
#include "line/process/tree.h"

#define FINISH_MS (3 * KEEPER_END_MS)

static int
check_options(const struct keeper_options *options, struct ambit_error *err)
{
	if (!options->argv || !options->argv[0] || !options->envp || !options->cwd)
		return err_set(err, EINVAL, "no command to start");
	if (!options->filter || options->n_filter == 0 || options->n_filter > 0xffff)
		return err_set(err, EINVAL, "no filter to start the command behind");
	return 0;
}

/* All signals are blocked over the fork: none of ours may run in the keeper. */
static pid_t
fork_keeper(int theirs)
{
	sigset_t all, mask;
	pid_t pid;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (pid == 0)
		keeper_live(&mask, theirs);
	error = errno;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return pid < 0 ? -error : pid;
}

/* Above 2, where the command's own descriptors are, even if the caller was
 * started with those closed. */
static int
make_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		int high = pair[i] > 2 ? pair[i] : fcntl(pair[i], F_DUPFD_CLOEXEC, 3);
		int error = errno;

		if (high != pair[i])
			close(pair[i]);
		pair[i] = high;
		if (high < 0) {
			close(pair[1 - i]);
			return -error;
		}
	}
	return 0;
}

int
keeper_fork(struct keeper *ret_keeper, struct ambit_error *err)
{
	struct keeper keeper = { .pid = -1, .pidfd = -1, .socket = -1 };
	int pair[2], r;

	/* Should the keeper be killed, its orphans come to us. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "becoming the reaper of the command's processes");
	r = make_pair(pair);
	if (r < 0)
		return err_sys(err, -r, "socketpair");
	keeper.socket = pair[0];
	keeper.pid = fork_keeper(pair[1]);
	close(pair[1]);
	if (keeper.pid < 0) {
		close(keeper.socket);
		return err_sys(err, -keeper.pid, "fork");
	}
	keeper.pidfd = (int)syscall(SYS_pidfd_open, keeper.pid, 0);
	if (keeper.pidfd < 0) {
		r = err_sys(err, errno, "pidfd_open");
		keeper_finish(&keeper);
		return r;
	}
	*ret_keeper = keeper;
	return 0;
}

int
keeper_start(struct keeper *keeper, const struct keeper_options *options, struct ambit_error *err)
{
	int r = check_options(options, err);

	if (r < 0)
		return r;
	keeper->temp = options->temp;
	keeper->pool = options->pool;
	keeper->list = options->list;
	r = go_send(keeper->socket, options);
	return r < 0 ? err_sys(err, -r, "the keeper") : 0;
}

/* -- messages ---------------------------------------------------------------- */

static int
received_descriptor(struct msghdr *header)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(header);
	int fd = -1;

	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
		control->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

static int
receive_keeper_message(int socket, struct keeper_message *message, int *ret_fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = message, .iov_len = sizeof(*message) };
	struct msghdr header = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	bool reset = false;
	ssize_t n;

	/* One that left with an order unread resets the socket, once, and its
	 * last words come behind that. */
	do {
		n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == ECONNRESET && !reset)
			reset = true;
		else if (n >= 0 || errno != EINTR)
			break;
	} while (true);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return -EPIPE;
	if (n < 0)
		return -errno;
	*ret_fd = received_descriptor(&header);
	if (n != (ssize_t)sizeof(*message) || (header.msg_flags & MSG_TRUNC))
		return -EPROTO;
	return 0;
}

int
keeper_read(struct keeper *keeper, struct keeper_message *ret_message)
{
	struct keeper_message message;
	auto_close int fd = -1;
	int r = keeper->socket < 0 ? -EPIPE : receive_keeper_message(keeper->socket, &message, &fd);

	if (r < 0)
		return r;
	if (message.event < KEEPER_STARTED || message.event > KEEPER_NESTED)
		return -EPROTO;
	if ((message.event == KEEPER_STARTED) != (fd >= 0))
		return -EPROTO;
	message.step[sizeof(message.step) - 1] = '\0';
	message.listener = steal_fd(&fd);
	*ret_message = message;
	return 0;
}

/* -- orders ------------------------------------------------------------------ */

static int
give_order(const struct keeper *keeper, enum order_kind kind, int value)
{
	const struct order order = { .kind = kind, .value = value };
	ssize_t n;

	if (keeper->socket < 0)
		return -EPIPE;
	do
		n = send(keeper->socket, &order, sizeof(order), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

int
keeper_nest(struct keeper *keeper, int id, uint32_t door, int socket)
{
	const struct order order = { .kind = ORDER_NEST, .value = id, .door = door };

	return keeper->socket < 0 ? -EPIPE
				  : nest_send(keeper->socket, &order, sizeof(order), &socket, 1);
}

int
keeper_run(struct keeper *keeper)
{
	return give_order(keeper, ORDER_RUN, 0);
}

int
keeper_continue(struct keeper *keeper)
{
	return give_order(keeper, ORDER_CONTINUE, 0);
}

int
keeper_signal(struct keeper *keeper, int sig, bool group)
{
	if (sig < 1 || sig > SIGRTMAX)
		return -EINVAL;
	return give_order(keeper, group ? ORDER_SIGNAL_GROUP : ORDER_SIGNAL, sig);
}

int
keeper_end(struct keeper *keeper, int grace_ms)
{
	return give_order(keeper, ORDER_END, grace_ms);
}

/* -- the end ----------------------------------------------------------------- */

void
keeper_clear(const struct leftover *temp, const struct leftover *pool, const struct leftover *list)
{
	int r = temp ? leftover_remove(temp) : 0;
	int r2 = pool ? leftover_remove(pool) : 0;

	if (list && r == 0 && r2 == 0)
		leftovers_end(list);
}

/* True: it left by itself, which it does after its tree. */
static bool
await_leave(const struct keeper *keeper)
{
	struct pollfd p = { .fd = keeper->pidfd, .events = POLLIN };
	int64_t deadline = clock_steady() + FINISH_MS, left = FINISH_MS;
	int status = -1;

	while (keeper->pidfd >= 0 && left > 0 && poll(&p, 1, (int)left) <= 0)
		left = deadline - clock_steady();
	if (left <= 0)
		kill(keeper->pid, SIGKILL); /* not reaped: the pid is still its own */
	while (waitpid(keeper->pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void
keeper_finish(struct keeper *keeper)
{
	if (!keeper || keeper->pid <= 0)
		return;
	if (keeper->socket >= 0)
		close(keeper->socket);
	if (!await_leave(keeper)) {
		tree_end(KEEPER_END_MS);
		keeper_clear(keeper->temp, keeper->pool, keeper->list);
	}
	if (keeper->pidfd >= 0)
		close(keeper->pidfd);
	*keeper = (struct keeper){ .pid = -1, .pidfd = -1, .socket = -1 };
}
