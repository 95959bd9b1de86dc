/* SPDX-License-Identifier: Apache-2.0 */
/* Modes, owners and lengths by path or descriptor. Landlock bounds none
 * of them (but truncate), so none is ever continued: what the target's memory
 * says is copied, the object is held by O_PATH or by the target's very own
 * descriptor, and the change is made to that. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/calls/call-meta.h"
#include "line/calls/own-terminal.h"
#include "line/gate/gate-private.h"
#include "perform/act.h"
#include "perform/permit.h"

/* -- what it is about -------------------------------------------------------------- */

/* A descriptor that it can write to through is its own business: a file that
 * was decided when it was opened, a pipe. Not a device, nor a directory. */
static bool
is_held(int fd, struct stat *st)
{
	int flags = fcntl(fd, F_GETFL), how = flags & O_ACCMODE;

	if (flags < 0 || (flags & O_PATH) || (how != O_WRONLY && how != O_RDWR))
		return false;
	return fstat(fd, st) == 0 &&
	       (S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode));
}

/* A file that runs with somebody's rights is more than one that was written: whoever could write
 * it is asked, as by path. */
static bool
sets_id(const struct call *call)
{
	return call->row->op == OP_CHMOD && (call->chmod.mode & (S_ISUID | S_ISGID));
}

static int
resolve_call_fd(struct call *call, int fd, bool path_ok)
{
	auto_close int copy = target_fd(&call->target, fd);
	int r;

	call->base[0] = fd;
	if (copy == -EBADF)
		return -EBADF;
	if (copy >= 0 && !sets_id(call) && is_held(copy, &call->object[0].st)) {
		call->subject_fd = steal_fd(&copy);
		return 0;
	}
	if (copy >= 0 && !path_ok && (fcntl(copy, F_GETFL) & O_PATH))
		return -EBADF;
	r = object_from_fd(&call->object[0], &call->target, fd);
	if (r == 0)
		call->n_objects = 1;
	return r;
}

int
meta_resolve_fd(struct call *call, int fd)
{
	return resolve_call_fd(call, fd, false);
}

static int
resolve_empty(struct call *call, int dirfd)
{
	int r;

	if (dirfd != AT_FDCWD)
		return resolve_call_fd(call, dirfd, true);
	r = object_resolve(&call->object[0], &call->target, dirfd, ".", OBJECT_FOLLOW);
	if (r == 0)
		call->n_objects = 1;
	return r;
}

int
meta_resolve(struct call *call, int at_flags, enum object_follow follow)
{
	const struct sys_row *row = call->row;
	int dirfd = row->dirfd >= 0 ? call_int(call, row->dirfd) : AT_FDCWD;
	int r;

	if (at_flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (at_flags & AT_SYMLINK_NOFOLLOW)
		follow = OBJECT_NOFOLLOW;
	if ((at_flags & AT_EMPTY_PATH) && call->args[row->path] == 0)
		return resolve_empty(call, dirfd);
	r = call_copy(call, 0, row->path);
	if (r < 0)
		return r;
	if ((at_flags & AT_EMPTY_PATH) && !call->path[0][0])
		return resolve_empty(call, dirfd);
	r = call_resolve_itself(call, 0, row->dirfd, row->path, follow);
	if (r < 0)
		return r;
	return call->object[0].exists ? 0 : -ENOENT;
}

int
meta_fd(const struct call *call)
{
	return call->subject_fd >= 0 ? call->subject_fd : call->object[0].fd;
}

const struct stat *
meta_stat(const struct call *call)
{
	return &call->object[0].st;
}

int
meta_decide(struct call *call)
{
	const struct object *object = &call->object[0];

	if (call->subject_fd >= 0 || object->nameless)
		return CALL_DECIDE;
	if (object->proc)
		return -EPERM;
	/* Its name was removed, so nobody could be asked about it; and it is
	 * not open for writing. */
	if (object->gone)
		return -EACCES;
	if (own_terminal_is(call, object))
		return CALL_DECIDE;
	/* Nobody else's, whatever is said; the one that it was given is asked about. */
	if (own_terminal_is_any(object) && !gate_covers(call->gate, object->real))
		return -EPERM;
	/* A directory of the folder could have been made like this: guards are
	 * about what it holds, and tar sets the times of all of them. */
	call_need(call,
		S_ISDIR(object->st.st_mode) && gate_covers(call->gate, object->real)
			? AMBIT_ACCESS_MKDIR
			: AMBIT_ACCESS_WRITE,
		0);
	return CALL_DECIDE;
}

int
meta_may_own(const struct call *call)
{
	return call->subject_fd >= 0 || call->object[0].nameless ? 0 : call_may_own(call, 0);
}

int
meta_copy(struct call *call, uint64_t address, size_t len)
{
	auto_free void *data = NULL;
	int r;

	if (call->data)
		return 0;
	data = malloc(len > 0 ? len : 1);
	if (!data)
		return -ENOMEM;
	r = target_read(&call->target, address, data, len);
	if (r < 0)
		return r;
	call->data = steal_ptr(&data);
	call->len = len;
	return 0;
}

int
meta_copy_struct(struct call *call, uint64_t address, uint64_t size, size_t least, size_t known)
{
	const char *at;
	int r;

	if (size < least)
		return -EINVAL;
	if (size > 4096)
		return -E2BIG;
	r = meta_copy(call, address, size);
	if (r < 0)
		return r;
	at = call->data;
	for (size_t i = known; i < call->len; i++)
		if (at[i])
			return -E2BIG;
	if (call->len > known)
		call->len = known;
	return 0;
}

int
meta_done(struct call *call, int r)
{
	if (r < 0)
		return r;
	call_value(call, 0);
	return 0;
}

/* -- truncate ----------------------------------------------------------------------- */

static int
prepare_truncate(struct call *call)
{
	int64_t length = (int64_t)call->args[call->row->path + 1];
	const struct object *object = &call->object[0];
	int r;

	call_begin(call);
	if (length < 0)
		return -EINVAL;
	r = meta_resolve(call, 0, OBJECT_FOLLOW);
	if (r < 0)
		return r;
	if (S_ISDIR(object->st.st_mode))
		return -EISDIR;
	if (!S_ISREG(object->st.st_mode))
		return -EINVAL;
	r = call_may(call, 0, W_OK);
	if (r < 0)
		return r;
	if (object->proc)
		return -EPERM;
	r = meta_decide(call);
	call->may_continue = call->row->floor > 0 && call->row->floor <= call->gate->abi;
	/* What has no name to be asked about is the floor's to decide. */
	if (call->may_continue && (object->gone || object->nameless))
		return call_continue(call);
	return r;
}

static int
perform_truncate(struct call *call, struct pass *pass)
{
	int64_t length = (int64_t)call->args[call->row->path + 1];

	return meta_done(call, act_truncate(pass, call->object[0].fd, length));
}

const struct call_op call_truncate = {
	.prepare = prepare_truncate,
	.perform = perform_truncate,
};

/* -- modes and owners ---------------------------------------------------------------- */

/* chmod(path, ...), fchmod(fd, ...), fchmodat(dirfd, path, ...): what follows
 * the path, or the descriptor. */
static int
find_value_arg(const struct call *call)
{
	return (call->row->path >= 0 ? call->row->path : 0) + 1;
}

static int
resolve_any(struct call *call, enum object_follow follow)
{
	call_begin(call);
	return call->row->path < 0 ? meta_resolve_fd(call, (int)call->args[0])
				   : meta_resolve(call, call_int(call, call->row->flags), follow);
}

static int
prepare_chmod(struct call *call)
{
	int r;

	call->chmod.mode = (mode_t)call->args[find_value_arg(call)] & 07777;
	r = resolve_any(call, OBJECT_FOLLOW);
	if (r < 0)
		return r;
	if (S_ISLNK(meta_stat(call)->st_mode))
		return -EOPNOTSUPP;
	r = meta_may_own(call);
	return r < 0 ? r : meta_decide(call);
}

static int
perform_chmod(struct call *call, struct pass *pass)
{
	return meta_done(call, act_chmod(pass, meta_fd(call), call->chmod.mode));
}

const struct call_op call_chmod = {
	.prepare = prepare_chmod,
	.perform = perform_chmod,
};

static int
prepare_chown(struct call *call)
{
	bool follows = call->row->form == FORM_CHOWN_FOLLOW;
	uid_t uid = (uid_t)call->args[find_value_arg(call)];
	int r = resolve_any(call, follows ? OBJECT_FOLLOW : OBJECT_NOFOLLOW);

	if (r < 0)
		return r;
	r = meta_may_own(call);
	if (r < 0)
		return r;
	/* Nobody in the tree may give a file away. */
	if (uid != (uid_t)-1 && uid != meta_stat(call)->st_uid)
		return -EPERM;
	return meta_decide(call);
}

static int
perform_chown(struct call *call, struct pass *pass)
{
	uid_t uid = (uid_t)call->args[find_value_arg(call)];
	gid_t gid = (gid_t)call->args[find_value_arg(call) + 1];

	return meta_done(call, act_chown(pass, meta_fd(call), uid, gid));
}

const struct call_op call_chown = {
	.prepare = prepare_chown,
	.perform = perform_chown,
};
