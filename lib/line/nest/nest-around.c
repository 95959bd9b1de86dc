/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds a run that a door starts, in the words that nest.c has for a run inside
 * a line: so that a child is narrowed in one way, whoever asked for it. All of it is the
 * door's own, and believed. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "line/nest/nest.h"
#include "line/process/run-doors.h"

struct handed {
	const struct ambit_run_inner *inner; /* whose lines go along; or NULL */
	const char *text;
	size_t len;
	char *const *envp;
};

static int
make_file(const char *text, size_t len, int *ret_fd)
{
	auto_close int fd = memfd_create("ambit", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : fd_write_all(fd, text, len);

	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		*ret_fd = steal_fd(&fd);
	return r;
}

/* Without a client: the run is the door's own child. */
static int
send_door_start(const struct handed *handed, int socket)
{
	auto_close int file = -1, envp = -1;
	struct nest_start start = {
		.supervisor = getpid(),
		.n_outer = handed->inner ? handed->inner->start.n_outer : 0,
	};
	auto_buf struct buf texts = { 0 };
	int fds[NEST_START_FDS], r;

	for (; handed->envp[start.n_envp]; start.n_envp++)
		buf_append(
			&texts, handed->envp[start.n_envp], strlen(handed->envp[start.n_envp]) + 1);
	if (texts.failed)
		return -ENOMEM;
	r = make_file(handed->text, handed->len, &file);
	if (r == 0)
		r = make_file(texts.data ? texts.data : "", texts.len, &envp);
	if (r < 0)
		return r;
	fds[0] = file;
	for (size_t i = 0; i < start.n_outer; i++)
		fds[1 + i] = handed->inner->outer[i];
	fds[1 + start.n_outer] = envp;
	return nest_send(socket, &start, sizeof(start), fds, 2 + start.n_outer);
}

static int
make_socket(const struct handed *handed, int *ret_socket, struct ambit_error *err)
{
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, errno, "a run of its own");
	r = send_door_start(handed, pair[0]);
	close(pair[0]);
	if (r < 0) {
		close(pair[1]);
		return err_sys(err, -r, "a run of its own");
	}
	*ret_socket = pair[1];
	return 0;
}

static void
put_paths(struct buf *text, char mark, char *const *paths)
{
	for (; paths && *paths; paths++) {
		buf_append(text, &mark, 1);
		buf_append(text, *paths, strlen(*paths) + 1);
	}
}

int
run_around(const struct run_around *around, int *ret_socket, struct ambit_error *err)
{
	const char *temp = around->inner ? around->inner->temp : "";
	auto_buf struct buf text = { 0 };

	buf_append(&text, around->scope, strlen(around->scope) + 1);
	buf_append(&text, temp, strlen(temp) + 1);
	put_paths(&text, '+', around->open);
	put_paths(&text, '-', around->spine);
	if (text.failed)
		return err_nomem(err);
	const struct handed handed = {
		.inner = around->inner,
		.text = text.data,
		.len = text.len,
		.envp = around->envp,
	};

	return make_socket(&handed, ret_socket, err);
}

int
run_beside(const struct ambit_run_inner *inner, char *const *envp, int *ret_socket,
	struct ambit_error *err)
{
	const struct handed handed = {
		.inner = inner,
		.text = inner->outside,
		.len = inner->outside_len,
		.envp = envp,
	};

	return make_socket(&handed, ret_socket, err);
}
