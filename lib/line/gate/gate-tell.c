/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a refusal: it is counted, and the reason goes where a model reads it. The refused
 * program itself gets only EACCES, so one line goes to its own stderr, once per subject. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/gate/gate-private.h"

#define LINE_MAX_BYTES 900 /* a pipe takes this much at once or not at all */

/* Never waits: a program that does not read its pipe must not stop the gate. */
static void
write_soon(int fd, const char *line, size_t len)
{
	struct iovec iov = { .iov_base = (char *)line, .iov_len = len };
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &st) < 0 || flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return;
	if (S_ISREG(st.st_mode)) {
		(void)!write(fd, line, len);
	} else if (S_ISFIFO(st.st_mode)) {
		if (pwritev2(fd, &iov, 1, -1, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP)
			return;
		/* An old kernel: room for PIPE_BUF is what POLLOUT means. */
		if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLOUT))
			(void)!write(fd, line, len);
	}
}

/* Where its descriptor cannot be had, a pipe without a name can be opened anew:
 * what it writes there, it can write itself. Not a FIFO, whose other end may be
 * anybody's, and not a file, which would be written from its beginning. */
static int
open_pipe(const struct target *target)
{
	auto_close int fd = target_fd_path(target, STDERR_FILENO);
	char path[64];
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != PIPEFS_MAGIC)
		return -EPERM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void
write_refusal(struct target *target, const char *what, const char *subject, const char *message)
{
	auto_free char *line = str_printf("ambit: %s %s was refused: %s", what, subject, message);
	auto_close int fd = target_fd(target, STDERR_FILENO);
	size_t len;

	if (fd == -EPERM || fd == -ENOSYS)
		fd = open_pipe(target);
	if (!line || fd < 0)
		return;
	len = str_cut(line, strlen(line), LINE_MAX_BYTES);
	line[len] = '\n'; /* over the NUL, or over what was cut */
	write_soon(fd, line, len + 1);
}

void
gate_tell_refused(struct gate *gate, struct target *target, const char *what, const char *subject,
	const struct ambit_outcome *outcome, bool loud, uint64_t key)
{
	auto_free char *message = ambit_outcome_message(outcome);
	struct target_who who = { 0 };
	bool first;

	if (target_who(target, &who) < 0)
		who.pid = target->tid;
	first = run_counts_refuse(gate->counts,
		&(struct run_refusal){
			.what = what,
			.subject = subject,
			.code = ambit_word_name(ambit_codes, (int)outcome->code),
			.message = message ? message : "",
			.program = who.program,
			.pid = who.pid,
		},
		key);
	if (loud && !gate->o.quiet && first)
		write_refusal(target, what, subject, message ? message : "it is past the line");
}
