/* SPDX-License-Identifier: Apache-2.0 */
/* A run inside another, from the inside: what is wanted goes to the supervisor
 * around us, signals go after it, and a status comes back. The command is not
 * our child, but belongs to our job where it can: keys reach it from the
 * terminal, and when it stops, so do we, for whoever waits for us. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "line/process/nest-wire.h"
#include "line/process/run-doors.h"

#include <ambit/run.h>

#define REPORT_MAX (16u << 20)

static const int relayed[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
	SIGWINCH, SIGCONT };

struct relay {
	int socket;
	int signals;
	bool joined; /* the kernel tells the command what the terminal says */
	uint32_t serial;
	int status;
	char *report;
};

int
run_outside(int *ret_socket, struct ambit_error *err)
{
	int fd = open(NEST_PATH, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == EPERM)
		return err_set(err, EPERM,
			"this process has restricted itself further than the ambit around it: a "
			"run inside would not be held by that");
	if (fd < 0 && errno == EAGAIN)
		return err_set(err, EAGAIN, "too many runs inside one: wait for some to end");
	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		close(fd);
		return -ENOENT;
	}
	*ret_socket = fd;
	return 0;
}

/* -- asking ------------------------------------------------------------------------ */

static void
put_list(struct buf *texts, char *const *list, uint32_t *ret_n)
{
	for (*ret_n = 0; list[*ret_n]; ++*ret_n)
		buf_append(texts, list[*ret_n], strlen(list[*ret_n]) + 1);
}

static uint64_t
pack_signal_set(const sigset_t *set)
{
	uint64_t bits = 0;

	for (int sig = 1; sig < NSIG && sig <= 64; sig++)
		if (sigismember(set, sig) == 1)
			bits |= UINT64_C(1) << (sig - 1);
	return bits;
}

static void
fill_process_manner(struct nest_head *head, const sigset_t *mask)
{
	struct sigaction action;
	sigset_t ignored;

	sigemptyset(&ignored);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigaddset(&ignored, sig);
	head->ignored = pack_signal_set(&ignored);
	head->blocked = pack_signal_set(mask);
	head->umask = umask(0);
	umask((mode_t)head->umask);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit(i, &head->limits[i]) < 0)
			head->limits[i] = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
}

static int
send_run_request(int socket, const struct run_request *request, const sigset_t *mask)
{
	static const int stdio[] = { 0, 1, 2 };
	struct nest_message message = {
		.kind = NEST_HELLO,
		.value = NEST_VERSION,
		.serial = request->door,
	};
	struct nest_head head;
	auto_buf struct buf texts = { 0 };
	int r = nest_send(socket, &message, sizeof(message), NULL, 0);

	memset(&head, 0, sizeof(head));
	put_list(&texts, request->args, &head.n_args);
	put_list(&texts, request->envp, &head.n_envp);
	buf_append(&texts, request->cwd, strlen(request->cwd) + 1);
	if (texts.failed)
		return -ENOMEM;
	if (texts.len > NEST_SIZE_MAX)
		return -E2BIG;
	head.size = (uint32_t)texts.len;
	fill_process_manner(&head, mask);
	message = (struct nest_message){ .kind = NEST_STDIO };
	if (r == 0)
		r = nest_send(socket, &message, sizeof(message), stdio, 3);
	if (r == -EPERM)
		r = -EXDEV; /* the supervisor cannot get at them */
	if (r == 0)
		r = nest_send(socket, &head, sizeof(head), NULL, 0);
	for (size_t at = 0; r == 0 && at < texts.len; at += NEST_PIECE)
		r = nest_send(socket, texts.data + at,
			texts.len - at < NEST_PIECE ? texts.len - at : NEST_PIECE, NULL, 0);
	return r;
}

/* -- relaying ---------------------------------------------------------------------- */

static void
send_relay_message(const struct relay *relay, enum nest_kind kind, int value)
{
	const struct nest_message message = {
		.kind = kind,
		.value = value,
		.serial = relay->serial,
	};

	nest_send(relay->socket, &message, sizeof(message), NULL, 0);
}

static void
send_continue(struct relay *relay)
{
	relay->serial++;
	send_relay_message(relay, NEST_CONTINUE, 0);
}

static void
take_signals(struct relay *relay)
{
	struct signalfd_siginfo info;

	while (read(relay->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCONT)
			send_continue(relay);
		else if (!relay->joined || info.ssi_code != SI_KERNEL)
			send_relay_message(relay, NEST_SIGNAL, (int)info.ssi_signo);
	}
}

/* One that we were continued after in the meantime is old news. The terminal's own
 * stop can be on its way to us: held back until ours is there, they are one. The
 * kernel knows whether anybody would continue us; if it does not stop us, the
 * command goes on. */
static void
stop_with_command(struct relay *relay, const struct nest_message *message)
{
	int sig = message->value;
	sigset_t stops, mask;
	bool news;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTSTP);
	sigaddset(&stops, SIGTTIN);
	sigaddset(&stops, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stops, &mask);
	take_signals(relay);
	news = message->serial == relay->serial;
	if (news && (sigismember(&stops, sig) == 1 || sig == SIGSTOP))
		raise(sig);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (news)
		send_continue(relay);
}

/* 1: it is over. */
static int
take_message(struct relay *relay)
{
	struct nest_message message;
	auto_close int fd = -1;
	struct nest_given given = { .fds = &fd, .n = 1 };
	ssize_t n = nest_receive(relay->socket, &message, sizeof(message), &given);
	size_t len;

	/* One who ends it without having read all that we say: that is told first, and his
	 * last word is there behind it. */
	if (n == -EPIPE || n == -ECONNRESET)
		n = nest_receive(relay->socket, &message, sizeof(message), &given);

	if (n != (ssize_t)sizeof(message))
		return n < 0 ? (int)n : -EPIPE;
	switch (message.kind) {
	case NEST_STARTED:
		relay->joined = message.value;
		return 0;
	case NEST_STOPPED:
		stop_with_command(relay, &message);
		return 0;
	case NEST_END:
		if (message.value < 0)
			return message.value;
		relay->status = message.value;
		if (fd >= 0)
			return fd_read_open(fd, REPORT_MAX, &relay->report, &len) < 0 ? -EIO : 1;
		return 1;
	default:
		return -EPROTO;
	}
}

/* What is ignored stays so: a nohup must not hear of the hangup. */
static int
open_signals(sigset_t *ret_before)
{
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(relayed) / sizeof(relayed[0]); i++)
		if (sigaction(relayed[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, relayed[i]);
	sigaddset(&set, SIGCONT);
	pthread_sigmask(SIG_BLOCK, &set, ret_before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
wait_for_end(struct relay *relay)
{
	int r = 0;

	while (r == 0) {
		struct pollfd fds[2] = { { .fd = relay->socket, .events = POLLIN },
			{ .fd = relay->signals, .events = POLLIN } };

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents)
			take_signals(relay);
		if (fds[0].revents)
			r = take_message(relay);
	}
	return r;
}

int
run_relay(int socket, const struct run_request *request, int *ret_status, char **ret_report,
	struct ambit_error *err)
{
	struct relay relay = { .socket = socket };
	sigset_t before;
	int r;

	relay.signals = open_signals(&before);
	r = relay.signals < 0 ? -errno : send_run_request(socket, request, &before);
	/* If it was refused while it was said, the reason may be there. */
	if (r == 0 || r == -EPIPE)
		r = wait_for_end(&relay);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	fd_close_at(&relay.signals);
	close(socket);
	if (r == -E2BIG)
		return err_set(
			err, E2BIG, "too many runs inside each other, or too much to pass on");
	if (r == -EPERM)
		return err_set(err, EPERM,
			"ambit-tools lies where a command behind this line can write, so it is not "
			"started outside of it: install ambit elsewhere");
	if (r == -EXDEV)
		return err_set(err, EPERM,
			"descriptors cannot be passed on from here, where pidfd_getfd is refused: "
			"a run inside needs --net open outside");
	if (r == -EPIPE)
		return err_set(err, EPIPE,
			"the supervisor around this one did not start the run inside, or is gone");
	if (r < 0)
		return err_sys(err, -r, "the supervisor around this one");
	*ret_status = relay.status;
	*ret_report = relay.report;
	return 0;
}
