/* SPDX-License-Identifier: Apache-2.0 */
/* Packets with descriptors, and the texts of a request. What is received was
 * sent by somebody behind the line: every size is compared before it is used,
 * and descriptors that nobody asked for are closed. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ambit/run.h>

#include "line/process/nest-wire.h"
#include "line/process/run-doors.h"

#define FDS_MAX 16

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * FDS_MAX) + CMSG_SPACE(sizeof(struct ucred))];
};

const char *
nest_door_name(uint32_t door)
{
	static const char *const names[] = {
		[RUN_DOOR_RUN] = "run",
		[RUN_DOOR_MCP] = "mcp",
		[RUN_DOOR_SPAWN] = "spawn",
	};

	return door < sizeof(names) / sizeof(names[0]) ? names[door] : NULL;
}

/* -- packets ------------------------------------------------------------------- */

int
nest_send(int socket, const void *data, size_t len, const int *fds, size_t n)
{
	union control control;
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n > FDS_MAX)
		return -E2BIG;
	/* Without descriptors by send(): it is the caller's own act then, also
	 * where a supervisor performs every sendmsg(). */
	if (n > 0) {
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * n);
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * n);
	}
	while ((n > 0 ? sendmsg(socket, &message, MSG_NOSIGNAL)
		      : send(socket, data, len, MSG_NOSIGNAL)) < 0)
		if (errno != EINTR)
			return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

/* All of them, or none is kept. */
static int
take_fds(const struct cmsghdr *header, struct nest_given *given)
{
	size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	bool fits = n <= given->n - given->got;

	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
		if (fits)
			given->fds[given->got++] = fd;
		else
			close(fd);
	}
	return fits ? 0 : -EPROTO;
}

static int
take_control(struct msghdr *message, struct nest_given *given)
{
	struct ucred cred;
	int r = 0;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		if (at->cmsg_level != SOL_SOCKET)
			continue;
		if (at->cmsg_type == SCM_RIGHTS && take_fds(at, given) < 0)
			r = -EPROTO;
		if (at->cmsg_type == SCM_CREDENTIALS && at->cmsg_len == CMSG_LEN(sizeof(cred))) {
			memcpy(&cred, CMSG_DATA(at), sizeof(cred));
			given->pid = cred.pid;
		}
	}
	return r;
}

static void
drop_fds(struct nest_given *given)
{
	for (size_t i = 0; i < given->n; i++) {
		if (i < given->got)
			close(given->fds[i]);
		given->fds[i] = -1;
	}
	given->got = 0;
}

ssize_t
nest_receive(int socket, void *data, size_t size, struct nest_given *given)
{
	union control control;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;
	int r;

	given->got = 0;
	given->pid = 0;
	for (size_t i = 0; i < given->n; i++)
		given->fds[i] = -1;
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | given->flags);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	r = take_control(&message, given);
	if (r == 0 && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return n;
	drop_fds(given);
	return -EPROTO;
}

/* -- texts --------------------------------------------------------------------- */

int
nest_head_check(const struct nest_head *head)
{
	/* Each text has at least its NUL, and the cwd is one more. */
	if (head->size == 0 || head->size > NEST_SIZE_MAX || head->n_args > NEST_TEXTS_MAX ||
		head->n_envp > NEST_TEXTS_MAX || head->n_args + head->n_envp >= head->size)
		return -EPROTO;
	return 0;
}

/* n texts from *at on; NULL if they do not end before end. */
static char **
take_list(size_t n, char **at, const char *end)
{
	char **list = calloc(n + 1, sizeof(*list));

	for (size_t i = 0; list && i < n; i++) {
		size_t len = strnlen(*at, (size_t)(end - *at));

		if (*at + len == end) {
			free(list);
			return NULL;
		}
		list[i] = *at;
		*at += len + 1;
	}
	return list;
}

int
nest_texts_parse(const struct nest_head *head, char *data, struct nest_texts *ret_texts)
{
	struct nest_texts texts = { .data = data };
	char *at = data;
	const char *end = data + head->size;
	int r = nest_head_check(head);

	if (r == 0)
		texts.args = take_list(head->n_args, &at, end);
	if (texts.args)
		texts.envp = take_list(head->n_envp, &at, end);
	texts.cwd = at;
	/* The last one ends where everything does. */
	if (!texts.envp || at == end || strnlen(at, (size_t)(end - at)) + 1 != (size_t)(end - at)) {
		nest_texts_finish(&texts);
		return -EPROTO;
	}
	*ret_texts = texts;
	return 0;
}

void
nest_texts_finish(struct nest_texts *texts)
{
	free(texts->data);
	free(texts->args);
	free(texts->envp);
	*texts = (struct nest_texts){ 0 };
}
