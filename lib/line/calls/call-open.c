/* SPDX-License-Identifier: Apache-2.0 */
/* open, openat and creat, as far as they can change anything. What
 * exists is opened through the O_PATH descriptor that was decided about, so
 * that it can be no other file; what does not is made beneath the parent that
 * is held, and must still not be there. Opens that only read are the floor's
 * business, and so are terminals, but for those that the session made. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/gate/call-file.h"
#include "line/nest/nest.h"
#include "line/calls/own-terminal.h"
#include "line/calls/special.h"
#include "line/gate/gate-private.h"
#include "line/gate/staged.h"
#include "perform/act.h"
#include "perform/permit.h"

#define TMPFILE (O_TMPFILE & ~O_DIRECTORY) /* the bit of its own */
#define FLAGS_KNOWN                                                                                \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |      \
		O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME |          \
		O_CLOEXEC | O_PATH | TMPFILE | KERNEL_LARGEFILE)
/* O_LARGEFILE is 0 in the C library of a 64-bit system, not in its kernel. */
#if defined(__aarch64__)
#define KERNEL_LARGEFILE 0400000
#else
#define KERNEL_LARGEFILE 0100000
#endif

#define TEMP_NAME "#tmpfile"

/* -- the arguments ------------------------------------------------------------------ */

static int
read_arguments(struct call *call)
{
	const struct sys_row *row = call->row;

	if (call->round == ROUND_AGAIN)
		return 0;
	switch (row->form) {
	case FORM_OPEN_CREAT:
		call->open.flags = O_CREAT | O_WRONLY | O_TRUNC;
		call->open.mode = (mode_t)call->args[row->path + 1] & 07777;
		return 0;
	case FORM_OPEN_FLAGS:
		call->open.flags = call_int(call, row->flags) & FLAGS_KNOWN;
		call->open.mode = (mode_t)call->args[row->flags + 1] & 07777;
		return 0;
	default:
		return -EPERM;
	}
}

static bool
has_write_flags(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC | TMPFILE));
}

static int
check_flags(int flags)
{
	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return -EINVAL;
	if ((flags & TMPFILE) && (!(flags & O_DIRECTORY) || (flags & O_ACCMODE) == O_RDONLY))
		return -EINVAL;
	return 0;
}

static bool
is_device(const struct object *object)
{
	return S_ISCHR(object->st.st_mode) || S_ISBLK(object->st.st_mode);
}

/* What would be left to the floor, where that gives too much: the very object is opened,
 * as it was resolved. Not a device that the floor does not give: other terminals are open
 * to the supervisor. Nor what is the opener's own terminal, whoever he is: here that would
 * be the supervisor's. Nor a file of /proc: the supervisor may look into more processes than the
 * command. Nobody is asked about a file that has lost its name. */
static int
open_itself(struct call *call, bool read_only)
{
	const struct object *object = &call->object[0];
	bool device = is_device(object);

	if (device && object->st.st_rdev == makedev(5, 0))
		return -ENXIO;
	if (device && !gate_covers(call->gate, object->real))
		return -EACCES;
	if (!device && !read_only && !(object->nameless && S_ISFIFO(object->st.st_mode)))
		return -EACCES;
	if (read_only && (object->gone || object->proc))
		return -EACCES;
	if (device)
		call->open.flags |= O_NOCTTY;
	else if (read_only && !object->nameless) {
		/* The floor cannot settle it here: it is decided like every other read. */
		call->special = SPECIAL_NONE;
		call_need(call, AMBIT_ACCESS_READ, 0);
	}
	call->pace = PACE_SLOW;
	return CALL_DECIDE;
}

/* Continues what the floor bounds. Before ABI 3 it knows nothing of O_TRUNC,
 * so that only a call that must also write is bounded; the flags are in a
 * register and stay as they are. The access mode 3 (O_WRONLY | O_RDWR) gives a
 * descriptor for ioctl alone, and Landlock asks no right for it. */
static int
leave_to_floor(struct call *call, enum object_special special)
{
	int how = call->open.flags & O_ACCMODE;

	call->special = special;

	if (how == O_ACCMODE)
		return -EACCES;
	if (gate_is_narrower(call->gate))
		return open_itself(call, how == O_RDONLY && !(call->open.flags & O_TRUNC));
	if ((call->open.flags & O_TRUNC) && how != O_WRONLY && how != O_RDWR && call->gate->abi < 3)
		return -EACCES;
	return call_continue(call);
}

/* -- prepare --------------------------------------------------------------------------- */

/* The object's kind settles it, whatever its path is. */
static int
decide_special(struct call *call, enum object_special special)
{
	call->special = special;
	call_need(call, AMBIT_ACCESS_WRITE, 0);
	return CALL_DECIDE;
}

static int
check_existing(const struct call *call)
{
	const struct object *object = &call->object[0];
	mode_t mode = object->st.st_mode;
	int flags = call->open.flags, how = flags & O_ACCMODE, access = 0;

	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if ((object->slash || (flags & O_DIRECTORY)) && !S_ISDIR(mode))
		return -ENOTDIR;
	if (S_ISLNK(mode))
		return -ELOOP;
	if (S_ISDIR(mode) && !(flags & TMPFILE))
		return -EISDIR;
	if (S_ISSOCK(mode) && !object->nameless)
		return -ENXIO;
	if (how != O_WRONLY)
		access |= R_OK;
	if (how != O_RDONLY || (flags & O_TRUNC))
		access |= W_OK;
	return flags & TMPFILE ? 0 : call_may(call, 0, access);
}

static int
check_open_object(const struct call *call)
{
	const struct object *object = &call->object[0];

	if (object->slash && (call->open.flags & O_CREAT))
		return -EISDIR;
	if (object->exists)
		return check_existing(call);
	if (!(call->open.flags & O_CREAT))
		return -ENOENT;
	return object->proc ? -ENOENT : call_may_create(call, 0);
}

/* A file without a name, in a directory: decided as a name there that does not
 * exist, which is what it becomes for a while. */
static int
name_tmpfile(struct call *call)
{
	struct object *object = &call->object[0];
	size_t real = strlen(object->real), written = strlen(object->written);

	if (real + sizeof("/" TEMP_NAME) > sizeof(object->real) ||
		written + sizeof("/" TEMP_NAME) > sizeof(object->written))
		return -ENAMETOOLONG;
	snprintf(object->real + real, sizeof(object->real) - real, "%s" TEMP_NAME,
		object->real[1] ? "/" : "");
	snprintf(object->written + written, sizeof(object->written) - written, "%s" TEMP_NAME,
		object->written[1] ? "/" : "");
	snprintf(object->name, sizeof(object->name), TEMP_NAME);
	fd_close_at(&object->parent);
	object->parent = steal_fd(&object->fd);
	object->exists = false;
	return call_may_create(call, 0);
}

static void
set_needs(struct call *call)
{
	int how = call->open.flags & O_ACCMODE;
	int since = call->row->floor;

	if ((call->open.flags & O_TRUNC) && since > 0 && since < 3)
		since = 3;
	call_need(call, AMBIT_ACCESS_WRITE, 0);
	if (call->object[0].exists && (how == O_RDWR || how == O_ACCMODE))
		call_need(call, AMBIT_ACCESS_READ, 0);
	call->may_continue = since > 0 && since <= call->gate->abi;
}

/* O_NOCTTY: it must not become the supervisor's own. */
static int
open_own_terminal(struct call *call)
{
	call->open.flags |= O_NOCTTY;
	call->special = SPECIAL_TERMINAL;
	call->pace = PACE_SLOW;
	return CALL_DECIDE;
}

/* One that it has open already: held, it keeps its number, and nothing new is given. */
static bool
may_open_terminal(struct call *call)
{
	const struct object *object = &call->object[0];

	return own_terminal_is_new(call, object) || own_terminal_is(call, object) ||
	       (own_terminal_is_any(object) && special_is_held(call));
}

/* Answers an open of something that exists and that nobody can be asked about. CALL_GO_ON: it is
 * something else. */
static int
prepare_special(struct call *call)
{
	struct object *object = &call->object[0];
	bool read_only =
		(call->open.flags & O_ACCMODE) == O_RDONLY && !(call->open.flags & O_TRUNC);

	if (may_open_terminal(call))
		return open_own_terminal(call);
	/* O_CREAT on what is there (lock files): nothing is written. A pipe is
	 * its holder's. */
	if (read_only || object->nameless)
		return leave_to_floor(call, SPECIAL_NAMELESS);
	if (S_ISCHR(object->st.st_mode) && gate_covers(call->gate, object->real))
		return leave_to_floor(call, SPECIAL_DEVICE);
	if (special_is_terminal(&object->st))
		return decide_special(call, SPECIAL_OTHER_TERMINAL);
	if (object->proc)
		return decide_special(
			call, special_is_own_proc(call) ? SPECIAL_OWN_PROC : SPECIAL_PROC);
	if (special_is_held(call))
		return decide_special(call, SPECIAL_DESCRIPTOR);
	if (object->gone)
		return leave_to_floor(call, SPECIAL_NAMELESS);
	return CALL_GO_ON;
}

/* Whether anything may be written there; the name is another matter. */
static int
prepare_staged(struct call *call)
{
	struct object *beside = &call->object[1];
	size_t len = (size_t)(strrchr(call->object[0].real, '/') - call->object[0].real);

	object_init(beside);
	snprintf(beside->real, sizeof(beside->real), "%.*s/" TEMP_NAME, (int)len,
		call->object[0].real);
	snprintf(beside->written, sizeof(beside->written), "%s", beside->real);
	call->n_objects = 2;
	call->open.staged = true;
	call_need(call, AMBIT_ACCESS_WRITE, 1);
	return CALL_DECIDE;
}

static bool
ends_in_slash(const char *path)
{
	size_t len = strlen(path);

	return len > 0 && path[len - 1] == '/';
}

/* A new file cannot be called "name/": the kernel says so before it looks what has that name. */
static int
refuse_slash(struct call *call)
{
	bool slash;
	int r = call_name(call, 0, call->row->dirfd, call->row->path, &slash);

	return r < 0 && !(r == -ENAMETOOLONG && call_last_is_long(call, 0)) ? r : -EISDIR;
}

static int
prepare_open(struct call *call)
{
	enum object_follow follow = OBJECT_FOLLOW;
	int r, special;

	call_begin(call);
	call->open.staged = false;
	r = read_arguments(call);
	if (r < 0)
		return r;
	if ((call->open.flags & O_PATH) || !has_write_flags(call->open.flags))
		return call_continue(call);
	r = check_flags(call->open.flags);
	if (r < 0)
		return r;
	if (call_copy(call, 0, call->row->path) == 0 && streq(call->path[0], NEST_PATH))
		return nest_open(call);
	if (call->path[0] && (call->open.flags & O_CREAT) && ends_in_slash(call->path[0]))
		return refuse_slash(call);
	if ((call->open.flags & O_NOFOLLOW) ||
		(call->open.flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		follow = OBJECT_NOFOLLOW;
	r = call_resolve(call, 0, call->row->dirfd, call->row->path, follow);
	if (r < 0)
		return r;
	r = check_open_object(call);
	if (r < 0)
		return r;
	if (call->open.flags & TMPFILE) {
		r = call->object[0].proc ? -EOPNOTSUPP : name_tmpfile(call);
		if (r < 0)
			return r;
	} else if (call->object[0].exists) {
		special = prepare_special(call);
		if (special != CALL_GO_ON)
			return special;
		if (S_ISFIFO(call->object[0].st.st_mode) || is_device(&call->object[0]))
			call->pace = PACE_SLOW;
	}
	if (staged_takes(call))
		return prepare_staged(call);
	set_needs(call);
	return CALL_DECIDE;
}

/* -- perform --------------------------------------------------------------------------- */

static bool
is_open_given_up(void *data)
{
	return call_given_up(data);
}

/* What the kernel does by default about O_CREAT on somebody else's file in a
 * directory like /tmp: it may be a trap. Opened without O_CREAT it would not
 * be noticed. */
static int
check_sticky(const struct call *call)
{
	const struct object *object = &call->object[0];
	struct stat st;

	if (!(call->open.flags & O_CREAT) || object->parent < 0 || object->st.st_uid == geteuid())
		return 0;
	if (fstat(object->parent, &st) < 0)
		return -errno;
	return (st.st_mode & S_ISVTX) && (st.st_mode & 022) && st.st_uid != object->st.st_uid
		       ? -EACCES
		       : 0;
}

static int
open_existing(struct call *call, struct pass *pass, int *ret_fd)
{
	const struct object *object = &call->object[0];
	int flags = call->open.flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW | O_ASYNC), had;
	bool waits = S_ISFIFO(object->st.st_mode) && (flags & O_ACCMODE) == O_WRONLY &&
		     !(flags & O_NONBLOCK);
	auto_close int fd = -1;
	int r = check_sticky(call);

	if (r < 0)
		return r;
	/* A lease or a device must not hold the supervisor up. */
	r = waits ? act_reopen_wait(pass, object->fd, flags, is_open_given_up, call, &fd)
		  : act_reopen(pass, object->fd, flags | O_NONBLOCK, &fd);
	if (r < 0)
		return r;
	if (!(flags & O_NONBLOCK)) {
		had = fcntl(fd, F_GETFL);
		if (had < 0 || fcntl(fd, F_SETFL, had & ~O_NONBLOCK) < 0)
			return -errno;
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int
open_new(struct call *call, struct pass *pass, int *ret_fd)
{
	const struct object *object = &call->object[0];
	int flags = call->open.flags & ~(O_TRUNC | O_ASYNC);
	bool temp = flags & TMPFILE;
	mode_t mode;
	int r = call_mode(call, 0, call->open.mode, &mode);

	if (r < 0)
		return r;
	r = act_open(pass, object->parent, temp ? "" : object->name,
		temp ? flags : flags | O_CREAT | O_EXCL, mode, ret_fd);
	/* Somebody was faster; for one who does not mind, it is another object
	 * now. */
	if (r == -EEXIST && !(call->open.flags & O_EXCL))
		return -ESTALE;
	if (r == 0)
		call_made_fd(call, 0, *ret_fd);
	return r;
}

static int
perform_open(struct call *call, struct pass *pass)
{
	int fd = -1;
	int r = call->open.staged	 ? staged_open(call, &fd)
		: call->object[0].exists ? open_existing(call, pass, &fd)
					 : open_new(call, pass, &fd);

	if (r < 0)
		return r;
	if (own_terminal_is_new(call, &call->object[0]))
		own_terminal_made(call, fd);
	call->answer = (struct answer){
		.kind = ANSWER_FD,
		.fd = fd,
		.cloexec = call->open.flags & O_CLOEXEC,
	};
	return 0;
}

const struct call_op call_open = {
	.prepare = prepare_open,
	.perform = perform_open,
};

/* -- TIOCGPTPEER ------------------------------------------------------------------------ */

#define PEER_FLAGS (O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_CLOEXEC)

static int
prepare_peer(struct call *call)
{
	int r;

	call_begin(call);
	call->open = (struct open_call){ .flags = call_int(call, call->row->flags) & PEER_FLAGS };
	r = own_terminal_find_peer(call);
	return r < 0 ? r : open_own_terminal(call);
}

const struct call_op call_peer = {
	.prepare = prepare_peer,
	.perform = perform_open,
};
