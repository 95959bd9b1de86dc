/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor of a run inside another, as it begins: what the outer one says
 * is believed, what the client says is read with care. It may say anything, be
 * slow or stop in the middle; it cannot be another than the one who knocked, and
 * what it is given is decided by the outer line, not by its words. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/nest/nest.h"
#include "line/process/run-doors.h"

#define REQUEST_MS 10000	/* for all that the client has to say before the start */
#define OUTSIDE_MAX (64u << 20) /* guards that were found are in it */

bool
inner_has_client(const struct ambit_run_inner *inner)
{
	return inner && inner->start.client > 0;
}

/* -- from the outer supervisor ----------------------------------------------------- */

/* The texts of the file: see nest.h. */
static int
split_outside(struct ambit_run_inner *inner, size_t len)
{
	const char *end = inner->outside + len;

	inner->scope = inner->outside;
	inner->temp = inner->scope + strlen(inner->scope) + 1;
	if (inner->temp >= end || end[-1] != '\0')
		return -EPROTO;
	for (const char *at = inner->temp + strlen(inner->temp) + 1; at < end; at += strlen(at) + 1)
		if ((*at == '+' && strv_append(&inner->open, at + 1) < 0) ||
			(*at != '\0' && strv_append(&inner->writable, at + 1) < 0))
			return -ENOMEM;
	return 0;
}

/* The command's own, where no client sends it. */
static int
take_environment(struct ambit_run_inner *inner, int file)
{
	size_t len = 0;
	char *data = NULL;
	int r = fd_read_open(file, NEST_SIZE_MAX, &data, &len);

	if (r < 0)
		return r;
	/* The NUL behind it is a directory without a name, which nobody asks for. */
	inner->head = (struct nest_head){
		.n_envp = inner->start.n_envp,
		.size = (uint32_t)len + 1,
	};
	r = nest_head_check(&inner->head);
	if (r < 0) {
		free(data);
		return r;
	}
	return nest_texts_parse(&inner->head, data, &inner->texts);
}

static int
take_start(struct ambit_run_inner *inner, int socket)
{
	int fds[NEST_START_FDS];
	struct nest_given given = { .fds = fds, .n = NEST_START_FDS };
	ssize_t n = nest_receive(socket, &inner->start, sizeof(inner->start), &given);
	size_t outer = inner->start.n_outer;
	bool client = inner_has_client(inner);
	int r;

	if (n != (ssize_t)sizeof(inner->start) || outer > KEEPER_OUTER_MAX ||
		given.got != 1 + outer + (client ? 2 : 1)) {
		for (size_t i = 0; i < given.got; i++)
			close(fds[i]);
		return n < 0 ? (int)n : -EPROTO;
	}
	memcpy(inner->outer, fds + 1, outer * sizeof(int));
	if (client) {
		inner->client = fds[1 + outer];
		inner->pidfd = fds[2 + outer];
	}
	r = fd_read_open(fds[0], OUTSIDE_MAX, &inner->outside, &inner->outside_len);
	close(fds[0]);
	if (!client && r == 0)
		r = take_environment(inner, fds[1 + outer]);
	if (!client)
		close(fds[1 + outer]);
	return r < 0 ? r : split_outside(inner, inner->outside_len);
}

/* -- from the client --------------------------------------------------------------- */

static int
wait_for_client(const struct ambit_run_inner *inner, int64_t until)
{
	struct pollfd fds[2] = { { .fd = inner->client, .events = POLLIN },
		{ .fd = inner->pidfd, .events = POLLIN } };
	int64_t left = until - clock_steady();

	if (left <= 0 || poll(fds, 2, (int)left) == 0)
		return -ETIMEDOUT;
	return fds[0].revents & POLLIN ? 0 : -EPIPE;
}

/* One packet. Where a supervisor performs sendmsg(), what comes with descriptors
 * is sent by it: that one packet may be. */
static ssize_t
receive_client_packet(
	struct ambit_run_inner *inner, void *data, size_t size, int *fds, size_t n, int64_t until)
{
	struct nest_given given = { .fds = fds, .n = n, .flags = MSG_DONTWAIT };
	ssize_t len = wait_for_client(inner, until);

	if (len == 0)
		len = nest_receive(inner->client, data, size, &given);
	if (len > 0 && given.got == n &&
		(given.pid == inner->start.client ||
			(n > 0 && given.pid == inner->start.supervisor)))
		return len;
	for (size_t i = 0; i < given.got; i++)
		close(fds[i]);
	return len < 0 ? len : len == 0 ? -EPIPE : -EPROTO;
}

static int
take_texts(struct ambit_run_inner *inner, int64_t until)
{
	size_t have = 0, size = inner->head.size;
	auto_free char *data = malloc(size);

	if (!data)
		return -ENOMEM;
	while (have < size) {
		ssize_t n = receive_client_packet(inner, data + have, size - have, NULL, 0, until);

		if (n <= 0)
			return n < 0 ? (int)n : -EPIPE;
		have += (size_t)n;
	}
	return nest_texts_parse(&inner->head, steal_ptr(&data), &inner->texts);
}

/* They become our own 0, 1 and 2: for the command, and for our words. */
static int
take_stdio(const int fds[3])
{
	int r = 0;

	for (int i = 0; i < 3; i++) {
		if (r == 0 && dup2(fds[i], i) < 0)
			r = -errno;
		close(fds[i]);
	}
	return r;
}

static int
take_request(struct ambit_run_inner *inner)
{
	int64_t until = clock_steady() + REQUEST_MS;
	struct nest_message message;
	int fds[3];
	ssize_t n = receive_client_packet(inner, &message, sizeof(message), fds, 3, until);
	int r;

	if (n < 0)
		return (int)n;
	/* Above 2 all of them: our own 0-2 are open. */
	r = take_stdio(fds);
	if (r < 0)
		return r;
	if (n != (ssize_t)sizeof(message) || message.kind != NEST_STDIO)
		return -EPROTO;
	n = receive_client_packet(inner, &inner->head, sizeof(inner->head), NULL, 0, until);
	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(inner->head) || nest_head_check(&inner->head) < 0)
		return -EPROTO;
	return take_texts(inner, until);
}

/* -- for those who start it ----------------------------------------------------------- */

static void
destroy_inner(struct ambit_run_inner *inner)
{
	fd_close_at(&inner->client);
	fd_close_at(&inner->pidfd);
	for (size_t i = 0; i < inner->start.n_outer && i < KEEPER_OUTER_MAX; i++)
		if (inner->outer[i] > 0)
			close(inner->outer[i]);
	nest_texts_finish(&inner->texts);
	strv_free(inner->open);
	strv_free(inner->writable);
	free(inner->outside);
	free(inner);
}

int
run_inner_open(int socket, struct ambit_run_inner **ret_inner, struct ambit_error *err)
{
	struct ambit_run_inner *inner = calloc(1, sizeof(*inner));
	int r;

	if (!inner)
		return err_nomem(err);
	inner->client = inner->pidfd = -1;
	/* The client has our user id, and must not look into this. */
	prctl(PR_SET_DUMPABLE, 0);
	r = take_start(inner, socket);
	close(socket);
	if (r == 0 && inner_has_client(inner))
		r = take_request(inner);
	if (r < 0) {
		destroy_inner(inner);
		return err_sys(err, -r, "what the run inside asks for");
	}
	*ret_inner = inner;
	return 0;
}

char *const *
run_inner_args(const struct ambit_run_inner *inner)
{
	return inner->texts.args;
}

char *const *
run_inner_envp(const struct ambit_run_inner *inner)
{
	return inner->texts.envp;
}

const char *
run_inner_cwd(const struct ambit_run_inner *inner)
{
	return inner->texts.cwd;
}

mode_t
run_inner_umask(const struct ambit_run_inner *inner)
{
	return (mode_t)inner->head.umask & 0777;
}

const char *
run_inner_scope(const struct ambit_run_inner *inner)
{
	return inner->scope;
}

const char *
run_inner_temp(const struct ambit_run_inner *inner)
{
	return inner->temp;
}

char *const *
run_inner_whole(const struct ambit_run_inner *inner)
{
	return inner->open;
}

char *const *
run_inner_writable(const struct ambit_run_inner *inner)
{
	return inner->writable;
}

int
run_inner_fd(const struct ambit_run_inner *inner)
{
	return inner ? inner->client : -1;
}

/* A door has no command that signals could go to: each of them ends it. */
int
run_inner_heard(struct ambit_run_inner *inner)
{
	struct nest_message message;
	int r;

	do
		r = inner_read(inner, &message);
	while (r == 0 && (message.kind != NEST_SIGNAL || message.value == SIGWINCH));
	return r == -EAGAIN ? r : 0;
}

void
run_inner_started(struct ambit_run_inner *inner)
{
	inner_tell(inner, NEST_STARTED, 0);
}

/* The report may be larger than a packet. */
void
run_inner_finish(struct ambit_run_inner *inner, int status, const char *report)
{
	struct nest_message message = { .kind = NEST_END, .value = status };
	auto_close int file = report ? memfd_create("ambit", MFD_CLOEXEC) : -1;

	if (!inner)
		return;
	if (file >= 0 &&
		(fd_write_all(file, report, strlen(report)) < 0 || lseek(file, 0, SEEK_SET) < 0)) {
		close(file);
		file = -1;
	}
	if (inner->client >= 0)
		nest_send(inner->client, &message, sizeof(message), &file, file >= 0);
	destroy_inner(inner);
}

/* -- for the run ----------------------------------------------------------------------- */

void
inner_manner(const struct ambit_run_inner *inner, struct keeper_options *options)
{
	options->n_outer = inner->start.n_outer;
	memcpy(options->outer, inner->outer, sizeof(options->outer));
	if (!inner_has_client(inner))
		return;
	options->manner = (struct keeper_manner){
		.client = inner->start.client,
		.umask = inner->head.umask & 0777,
		.ignored = inner->head.ignored,
		.blocked = inner->head.blocked,
	};
	memcpy(options->manner.limits, inner->head.limits, sizeof(options->manner.limits));
}

static bool
is_open(const struct ambit_run_inner *inner, const char *path)
{
	for (char **at = inner->open; at && *at; at++)
		if (str_beneath(path, *at))
			return true;
	return false;
}

/* What of path is open outside as well: all of it, or what lies beneath. */
static int
narrow_open_path(const struct ambit_run_inner *inner, const char *path, char ***open, char ***spine)
{
	int r;

	if (is_open(inner, path))
		return strv_append(open, path);
	r = strv_append(spine, path);
	for (char **at = inner->open; r == 0 && at && *at; at++)
		if (str_beneath(*at, path))
			r = strv_append(open, *at);
	return r;
}

int
inner_narrow(const struct ambit_run_inner *inner, char ***open, char ***spine)
{
	char **less = NULL;
	int r = 0;

	for (char **at = *open; r == 0 && at && *at; at++)
		r = narrow_open_path(inner, *at, &less, spine);
	strv_free(*open);
	*open = less;
	return r;
}

void
inner_tell(struct ambit_run_inner *inner, enum nest_kind kind, int value)
{
	const struct nest_message message = {
		.kind = kind,
		.value = value,
		.serial = inner->serial,
	};

	if (inner->client >= 0)
		(void)send(inner->client, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int
inner_read(struct ambit_run_inner *inner, struct nest_message *ret_message)
{
	struct nest_given given = { .flags = MSG_DONTWAIT };
	struct pollfd ended = { .fd = inner->pidfd, .events = POLLIN };
	ssize_t n = -EPIPE;

	if (inner->client >= 0)
		n = nest_receive(inner->client, ret_message, sizeof(*ret_message), &given);
	if (n == -EAGAIN && poll(&ended, 1, 0) == 0)
		return -EAGAIN;
	if (n == (ssize_t)sizeof(*ret_message) && given.pid == inner->start.client)
		return 0;
	/* Whoever it is, he is not the one. */
	if (inner->client >= 0)
		close(steal_fd(&inner->client));
	if (inner->pidfd >= 0)
		close(steal_fd(&inner->pidfd));
	return -EPIPE;
}
