/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a refusal: it is counted, and the reason goes where a model reads it. The refused
 * program itself gets only an error, so one line goes to its own stderr, once per subject and
 * process, and once per subject to a pipe, socket or file that several processes share. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"
#include "line/process/tree.h"
#include "line/socket/endpoint.h"

#define LINE_MAX_BYTES 900 /* a pipe takes this much at once or not at all */

static bool
is_same_file(int fd, const struct stat *st)
{
	struct stat other;

	return fd >= 0 && fstat(fd, &other) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

static bool
is_unix_stream(int fd)
{
	int domain = 0, type = 0;
	socklen_t domain_len = sizeof(domain), type_len = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 && domain == AF_UNIX &&
	       type == SOCK_STREAM;
}

/* One of a socketpair: a connection that was accepted has a name at one end. */
static bool
is_pair(int fd)
{
	struct sockaddr_un address;
	socklen_t own = sizeof(address), other = sizeof(address);

	return getsockname(fd, (struct sockaddr *)&address, &own) == 0 &&
	       getpeername(fd, (struct sockaddr *)&address, &other) == 0 &&
	       own == sizeof(address.sun_family) && other == sizeof(address.sun_family);
}

/* Whether the reader of this socket expects plain messages, not a protocol. A line of ours
 * would break a protocol: X11, D-Bus, an agent for keys, a request of inetd's. So only a
 * connected unix stream socket hears us, and only
 *  - if it is not standard input as well, of the program or of ambit: then it is a
 *    conversation; and
 *  - if it is ambit's own standard error, which the person gave us for our words; or
 *  - if it is one of a pair, and the program or a process above it in the tree has the other
 *    end, as node has that of its child's.
 * The other end is found by its inode. The process that made it tells nothing: it may have
 * passed it on. */
static bool
is_message_socket(const struct gate *gate, const struct target *target, int fd)
{
	auto_close int input = target_fd_path(target, STDIN_FILENO);
	struct stat st;
	uint32_t peer;

	if (!is_unix_stream(fd) || fstat(fd, &st) < 0 || is_same_file(input, &st) ||
		is_same_file(STDIN_FILENO, &st))
		return false;
	if (is_same_file(STDERR_FILENO, &st))
		return true;
	return is_pair(fd) && endpoint_peer(fd, &peer) > 0 &&
	       tree_holds_socket(&gate->o.tree, target->tid, peer);
}

static void
write_to_pipe(int fd, const char *line, size_t len)
{
	struct iovec iov = { .iov_base = (char *)line, .iov_len = len };
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	if (pwritev2(fd, &iov, 1, -1, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP)
		return;
	/* An old kernel: room for PIPE_BUF is what POLLOUT means. */
	if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLOUT))
		(void)!write(fd, line, len);
}

/* By its numbers, so that no other device is opened. A pty master does not count: what is
 * written there would be typed. */
static bool
is_terminal(const struct stat *st)
{
	return object_is_pty_slave(st) || (S_ISCHR(st->st_mode) && major(st->st_rdev) == 4);
}

/* A terminal that the session made is read by a program of it: an agent's, which gives its shell
 * tool one. Not while a program draws on all of it (editors, pagers): such programs switch
 * lines and echo off. */
static bool
is_read_by_session(const struct gate *gate, int fd, const struct stat *st)
{
	struct termios modes;

	return object_is_pty_slave(st) && session_objects_has_terminal(gate->made, st) &&
	       tcgetattr(fd, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO);
}

/* Anew: the program's own description may block, and the flag against that would be set for
 * the program, too. */
static int
open_anew(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void
write_to_terminal(int fd, const char *line, size_t len)
{
	auto_close int own = open_anew(fd);

	if (own >= 0)
		(void)!write(own, line, len);
}

/* How a line goes to a descriptor. */
enum way {
	WAY_NONE = 0,
	WAY_FILE,
	WAY_PIPE,
	WAY_SOCKET,
	WAY_TERMINAL,
};

/* on_terminal: a person who was not asked must hear it there. */
static enum way
find_way(const struct gate *gate, const struct target *target, int fd, const struct stat *st,
	bool on_terminal)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return WAY_NONE;
	if (S_ISREG(st->st_mode))
		return WAY_FILE;
	if (S_ISFIFO(st->st_mode))
		return WAY_PIPE;
	if (S_ISSOCK(st->st_mode))
		return is_message_socket(gate, target, fd) ? WAY_SOCKET : WAY_NONE;
	return (on_terminal && is_terminal(st)) || is_read_by_session(gate, fd, st) ? WAY_TERMINAL
										    : WAY_NONE;
}

/* Does not wait for a reader: a program that does not read its pipe must not stop the gate. (One
 * that holds the pipe's lock in the kernel, by splice, still stops its own session's gate.) */
static void
write_soon(int fd, enum way way, const char *line, size_t len)
{
	switch (way) {
	case WAY_FILE:
		(void)!write(fd, line, len);
		break;
	case WAY_PIPE:
		write_to_pipe(fd, line, len);
		break;
	case WAY_SOCKET:
		(void)!send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case WAY_TERMINAL:
		write_to_terminal(fd, line, len);
		break;
	case WAY_NONE:
		break;
	}
}

/* Which pipe, socket or file it is. The number of a file may be another one's later: it is known
 * with its birth, or not at all. */
static bool
find_listener(int fd, enum way way, uint64_t *ret_listener)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_BTIME, &st) < 0 ||
		(way == WAY_FILE && !(st.stx_mask & STATX_BTIME)))
		return false;
	*ret_listener = hash_fnv(HASH_FNV_START, &st.stx_ino, sizeof(st.stx_ino));
	*ret_listener = hash_fnv(*ret_listener, &st.stx_dev_minor, sizeof(st.stx_dev_minor));
	*ret_listener = hash_fnv(*ret_listener, &st.stx_dev_major, sizeof(st.stx_dev_major));
	if (way == WAY_FILE)
		*ret_listener = hash_fnv(*ret_listener, &st.stx_btime, sizeof(st.stx_btime));
	return true;
}

/* Many processes may write to one pipe, socket or file, whose reader needs the line once. A file
 * may have been emptied since; the number of a terminal belongs to another one later. */
static bool
has_heard(const struct gate *gate, int fd, enum way way, const struct stat *st, const char *subject)
{
	uint64_t listener;

	if (way == WAY_TERMINAL || !find_listener(fd, way, &listener))
		return false;
	return !run_counts_is_news(gate->counts, listener, subject) &&
	       !(way == WAY_FILE && st->st_size == 0);
}

/* If its descriptor cannot be copied, a pipe without a name can be opened anew: the program can
 * write there itself. Not a FIFO, whose other end may be anybody's. Not a terminal: with O_PATH
 * a program has any of them as its stderr. Not a file, which would be written from its
 * beginning. */
static int
open_pipe(const struct target *target)
{
	auto_close int fd = target_fd_path(target, STDERR_FILENO);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != PIPEFS_MAGIC)
		return -EPERM;
	return open_anew(fd);
}

/* Cuts the line, and ends it. subject: what it is about. */
static void
write_line(const struct gate *gate, struct target *target, const char *subject, char *line,
	bool on_terminal)
{
	auto_close int fd = target_fd(target, STDERR_FILENO);
	enum way way;
	struct stat st;
	size_t len;

	if (fd == -EPERM || fd == -ENOSYS)
		fd = open_pipe(target);
	if (!line || fd < 0 || fstat(fd, &st) < 0)
		return;
	way = find_way(gate, target, fd, &st, on_terminal);
	if (way == WAY_NONE || has_heard(gate, fd, way, &st, subject))
		return;
	len = str_cut(line, strlen(line), LINE_MAX_BYTES);
	line[len] = '\n'; /* over the NUL, or over what was cut */
	write_soon(fd, way, line, len + 1);
}

static void
write_refusal(const struct gate *gate, struct target *target, const char *what, const char *subject,
	const char *code, const char *message)
{
	auto_free char *line =
		str_printf("ambit: %s %s was refused (%s): %s", what, subject, code, message);
	auto_free char *about = str_printf("%s %s", code, subject);

	if (about)
		write_line(gate, target, about, line, false);
}

void
gate_tell_refused(struct gate *gate, struct target *target, const char *what, const char *subject,
	const struct ambit_outcome *outcome, bool loud, uint64_t key)
{
	auto_free char *message = ambit_outcome_message(outcome);
	const char *code = ambit_word_name(ambit_codes, (int)outcome->code);
	struct target_who who = { 0 };
	bool first;

	if (outcome->quiet)
		return;
	if (target_who(target, &who) < 0)
		who.pid = target->tid;
	first = run_counts_refuse(gate->counts,
		&(struct run_refusal){
			.what = what,
			.subject = subject,
			.code = code,
			.message = message ? message : "",
			.advice = outcome->advice,
			.program = who.program,
			.asked = outcome->asked,
			.pid = who.pid,
		},
		key);
	if (!loud || gate->o.quiet || !first)
		return;
	write_refusal(gate, target, what, subject, code, message ? message : "it is past the line");
}

void
gate_tell_again(struct gate *gate, struct target *target, uint64_t key)
{
	auto_free char *what = NULL, *subject = NULL, *code = NULL, *message = NULL;
	struct target_who who;

	if (!gate->o.quiet && target_who(target, &who) == 0 &&
		run_counts_recall(gate->counts, key, who.pid, &what, &subject, &code, &message))
		write_refusal(gate, target, what, subject, code, message);
}

/* -- what is closed ------------------------------------------------------------------- */

static const struct {
	const char *what, *subject; /* in the summary and the report */
	const char *cannot;
	const char *why;
} closed_rows[CLOSED_N] = {
	[CLOSED_PRIVILEGES] = {
		.what = "gain",
		.subject = "privileges",
		.cannot = "cannot get more rights here",
		.why = "programs behind ambit never gain privileges. Run it yourself, outside.",
	},
	[CLOSED_NAMESPACES] = {
		.what = "make",
		.subject = "namespaces",
		.cannot = "cannot make a sandbox of its own here",
		.why = "it already runs in ambit's sandbox, where new namespaces are not "
		       "allowed. Switch its own sandbox off, or run it yourself, outside.",
	},
	[CLOSED_PACKETS] = {
		.what = "send",
		.subject = "raw packets",
		.cannot = "cannot send raw packets here",
		.why = "only TCP and UDP are open behind ambit. Run it yourself, outside.",
	},
};

/* A program tries in several ways before it gives up (ping: four): that is one refusal. */
void
gate_tell_closed(struct gate *gate, struct target *target, enum gate_closed closed)
{
	const char *subject = closed_rows[closed].subject, *why = closed_rows[closed].why;
	const char *code = ambit_word_name(ambit_codes, AMBIT_CODE_DENIED);
	auto_free char *line = NULL, *program = NULL;
	struct target_who who;

	if (target_who(target, &who) < 0 || run_counts_knows(gate->counts, who.pid, subject, code))
		return;
	run_counts_refuse(gate->counts,
		&(struct run_refusal){
			.what = closed_rows[closed].what,
			.subject = subject,
			.code = code,
			.message = why,
			.program = who.program,
			.pid = who.pid,
		},
		hash_fnv_text(HASH_FNV_START, subject));
	if (gate->o.quiet)
		return;
	program = str_escape(who.program, strlen(who.program));
	if (program)
		line = str_printf("ambit: %s %s: %s", program, closed_rows[closed].cannot, why);
	write_line(gate, target, subject, line, true);
}
