/* SPDX-License-Identifier: Apache-2.0 */
/* What the keeper is to start, from the supervisor's memory into the keeper's:
 * it was forked before that was known. Both ends are ours, and the socket is
 * nobody else's; sizes are checked all the same. */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/process/keeper-private.h"

/* -- sending ------------------------------------------------------------------- */

static size_t
count_texts(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int
write_order_data(int fd, const void *data, size_t len, size_t *size)
{
	const char *at = data;

	*size += len;
	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static size_t
append_text(char *all, size_t at, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	if (n > 0)
		memcpy(all + at, text, n);
	return at + n;
}

/* All texts one after another, in one piece: a write for each would cost more
 * than the rest. */
static int
write_texts(int fd, const struct keeper_options *options, const struct go *go, size_t *size)
{
	const char *last[] = { go->has_program ? options->program : NULL, options->cwd };
	const size_t n_last = sizeof(last) / sizeof(last[0]);
	auto_free char *all = NULL;
	size_t len = 0, at = 0;

	for (size_t i = 0; i < go->n_argv; i++)
		len += strlen(options->argv[i]) + 1;
	for (size_t i = 0; i < go->n_envp; i++)
		len += strlen(options->envp[i]) + 1;
	for (size_t i = 0; i < go->n_nest; i++)
		len += strlen(options->nest[i]) + 1;
	for (size_t i = 0; i < n_last; i++)
		len += last[i] ? strlen(last[i]) + 1 : 0;
	all = malloc(len);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < go->n_argv; i++)
		at = append_text(all, at, options->argv[i]);
	for (size_t i = 0; i < go->n_envp; i++)
		at = append_text(all, at, options->envp[i]);
	for (size_t i = 0; i < go->n_nest; i++)
		at = append_text(all, at, options->nest[i]);
	for (size_t i = 0; i < n_last; i++)
		at = append_text(all, at, last[i]);
	return write_order_data(fd, all, len, size);
}

static int
send_go(int socket, struct go *go, const int *fds, size_t n)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int) * GO_FDS)];
	} control;
	struct iovec iov = { .iov_base = go, .iov_len = sizeof(*go) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control };

	memset(&control, 0, sizeof(control));
	message.msg_controllen = CMSG_SPACE(sizeof(int) * n);
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int) * n);
	memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * n);
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void
put_made(const struct keeper_options *options, struct go *go, int *fds, size_t *n)
{
	const struct leftover *const made[GO_MADE] = { options->temp, options->pool,
		options->list };

	for (size_t i = 0; i < GO_MADE; i++) {
		if (!made[i] || made[i]->fd < 0)
			continue;
		memcpy(go->made[i], made[i]->name, LEFTOVER_NAME);
		fds[(*n)++] = made[i]->parent;
		fds[(*n)++] = made[i]->fd;
	}
}

int
go_send(int socket, const struct keeper_options *options)
{
	struct go go;
	auto_close int file = memfd_create("ambit", MFD_CLOEXEC);
	int fds[GO_FDS] = { file }, r;
	size_t n = 1;

	if (file < 0)
		return -errno;
	if (options->n_outer > KEEPER_OUTER_MAX)
		return -E2BIG;
	memset(&go, 0, sizeof(go));
	go.n_filter = options->n_filter;
	go.n_argv = count_texts(options->argv);
	go.n_envp = count_texts(options->envp);
	go.n_nest = count_texts(options->nest);
	go.n_outer = options->n_outer;
	go.manner = options->manner;
	go.limits = options->limits;
	go.has_program = options->program;
	go.has_ruleset = options->ruleset >= 0;
	go.has_pty = options->pty >= 0;
	go.has_tty = options->tty >= 0;
	go.program_error = options->program_error;
	go.restore = options->restore;
	memcpy(go.replace, options->replace, sizeof(go.replace));
	if (go.has_ruleset)
		fds[n++] = options->ruleset;
	if (go.has_pty)
		fds[n++] = options->pty;
	if (go.has_tty)
		fds[n++] = options->tty;
	put_made(options, &go, fds, &n);
	for (size_t i = 0; i < options->n_outer; i++)
		fds[n++] = options->outer[i];
	r = write_order_data(
		file, options->filter, options->n_filter * sizeof(*options->filter), &go.size);
	if (r == 0)
		r = write_texts(file, options, &go, &go.size);
	return r < 0 ? r : send_go(socket, &go, fds, n);
}

/* -- receiving ----------------------------------------------------------------- */

static size_t
count_made(const struct go *go)
{
	size_t n = 0;

	for (size_t i = 0; i < GO_MADE; i++)
		n += go->made[i][0] != '\0';
	return n;
}

static int
receive_go(int socket, struct go *go, int fds[GO_FDS], size_t *ret_n)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int) * GO_FDS)];
	} control;
	struct iovec iov = { .iov_base = go, .iov_len = sizeof(*go) };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	ssize_t n;

	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return -EPIPE;
	header = n == (ssize_t)sizeof(*go) ? CMSG_FIRSTHDR(&message) : NULL;
	if (!header || header->cmsg_type != SCM_RIGHTS || (message.msg_flags & MSG_CTRUNC))
		return -EPROTO;
	*ret_n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(header), *ret_n * sizeof(int));
	return go->n_outer <= KEEPER_OUTER_MAX && *ret_n == 1u + go->has_ruleset + go->has_pty +
								    go->has_tty +
								    2 * count_made(go) + go->n_outer
		       ? 0
		       : -EPROTO;
}

/* The next text; NULL past the end. */
static char *
read_next_text(char **at, const char *end)
{
	char *text = *at;
	size_t n = strnlen(text, (size_t)(end - text));

	if (n == (size_t)(end - text))
		return NULL;
	*at += n + 1;
	return text;
}

static char **
take_list(size_t n, char **at, const char *end)
{
	char **list = calloc(n + 1, sizeof(*list));

	for (size_t i = 0; list && i < n; i++) {
		list[i] = read_next_text(at, end);
		if (!list[i]) {
			free(list);
			return NULL;
		}
	}
	return list;
}

static int
take_texts(const struct go *go, char *data, struct keeper_options *options)
{
	size_t filter = go->n_filter * sizeof(struct sock_filter);
	char *at = data + filter;
	const char *end = data + go->size;

	if (go->n_filter > 0xffff || filter > go->size)
		return -EPROTO;
	options->filter = (const struct sock_filter *)(const void *)data;
	options->n_filter = go->n_filter;
	options->argv = take_list(go->n_argv, &at, end);
	options->envp = options->argv ? take_list(go->n_envp, &at, end) : NULL;
	options->nest = options->envp && go->n_nest > 0 ? take_list(go->n_nest, &at, end) : NULL;
	if (!options->envp || (go->n_nest > 0 && !options->nest))
		return -ENOMEM;
	options->program = go->has_program ? read_next_text(&at, end) : NULL;
	options->cwd = read_next_text(&at, end);
	return (go->has_program && !options->program) || !options->cwd ? -EPROTO : 0;
}

/* The command's own 0-2 may be closed here, and are replaced later. */
static int
lift_made(int fd)
{
	int high = fd > 2 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (high != fd)
		close(fd);
	return high;
}

/* It stays for the life of the process. *ret_all is false if it cannot be held: then the list
 * must stay, for the next start. */
static const struct leftover *
take_made(const struct go *go, size_t i, const int *fds, size_t *at, bool *ret_all)
{
	struct leftover *made = go->made[i][0] ? malloc(sizeof(*made)) : NULL;

	if (!go->made[i][0])
		return NULL;
	*at += 2;
	if (!made) {
		*ret_all = false;
		return NULL;
	}
	memcpy(made->name, go->made[i], LEFTOVER_NAME);
	made->name[LEFTOVER_NAME - 1] = '\0';
	made->parent = lift_made(fds[*at - 2]);
	made->fd = lift_made(fds[*at - 1]);
	if (made->parent < 0 || made->fd < 0)
		*ret_all = false;
	return made;
}

int
go_receive(int socket, struct keeper_options *ret_options)
{
	bool all = true;
	int fds[GO_FDS];
	struct go go;
	size_t n = 0, i = 1;
	char *data;
	int r = receive_go(socket, &go, fds, &n);

	if (r < 0)
		return r;
	*ret_options = (struct keeper_options){
		.ruleset = -1,
		.pty = -1,
		.tty = -1,
		.program_error = go.program_error,
		.restore = go.restore,
		.n_outer = go.n_outer,
		.manner = go.manner,
		.limits = go.limits,
	};
	/* In the order that go_send has. */
	if (go.has_ruleset)
		ret_options->ruleset = fds[i++];
	if (go.has_pty)
		ret_options->pty = fds[i++];
	if (go.has_tty)
		ret_options->tty = fds[i++];
	ret_options->temp = take_made(&go, 0, fds, &i, &all);
	ret_options->pool = take_made(&go, 1, fds, &i, &all);
	ret_options->list = take_made(&go, 2, fds, &i, &all);
	if (!all)
		ret_options->list = NULL;
	for (size_t j = 0; j < go.n_outer; j++)
		ret_options->outer[j] = fds[i++];
	memcpy(ret_options->replace, go.replace, sizeof(go.replace));
	data = mmap(NULL, go.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
	close(fds[0]);
	return data == MAP_FAILED ? -errno : take_texts(&go, data, ret_options);
}
