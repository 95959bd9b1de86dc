/* SPDX-License-Identifier: Apache-2.0 */
/* Names that come and go in one directory: mkdir, mknod, symlink, unlink and
 * rmdir. Each is one parent that is held and one component that is never
 * followed, from the copy of the path to the act. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/floor/ground.h"
#include "line/floor/pool.h"
#include "line/gate/gate-law.h"
#include "line/gate/gate-private.h"
#include "perform/act.h"
#include "perform/permit.h"

static void
decide_by(struct call *call, enum ambit_access access)
{
	int since = call->row->floor;

	call_need(call, access, 0);
	call->may_continue = since > 0 && since <= call->gate->abi;
}

/* -- names that come ------------------------------------------------------------- */

/* slash_ok: a directory may be written with a '/' behind it. */
static int
resolve_new(struct call *call, int dirfd_arg, int path_arg, bool slash_ok)
{
	bool slash;
	int r = call_name(call, 0, dirfd_arg, path_arg, &slash);

	if (r < 0)
		return r;
	if (call->object[0].exists || call_last(call, 0) != LAST_NAME)
		return -EEXIST;
	if (slash && !slash_ok)
		return -ENOENT;
	/* Nothing can be made there, and the kernel finds no such name. */
	if (call->object[0].proc)
		return -ENOENT;
	return call_may_create(call, 0);
}

static int
prepare_mkdir(struct call *call)
{
	int r;

	call_begin(call);
	r = resolve_new(call, call->row->dirfd, call->row->path, true);
	if (r < 0)
		return r;
	call->make.mode = (mode_t)call->args[call->row->path + 1] & 01777;
	decide_by(call, AMBIT_ACCESS_MKDIR);
	return CALL_DECIDE;
}

/* In the spine, one that has rights if there is one; but not where a guard is or
 * may come to lie, and where an ACL is handed down it must be made there. */
static int
make_dir(struct call *call, struct pass *pass, mode_t mode)
{
	const struct object *object = &call->object[0];
	struct grounds *grounds = gate_grounds(call->gate);
	struct stat st;
	int r;

	if (grounds_of(grounds, object->real) != GROUND_SPINE || !call_opens(call, 0) ||
		call_hands_down(call, 0))
		return call_make(call, pass, S_IFDIR | mode, NULL);
	r = pool_mkdir(call->gate->o.pool, pass, object->parent, object->name, mode, &st);
	/* Without memory it is only slower. */
	if (r == 1)
		grounds_add(grounds, object->real, GROUND_OPEN, false, &st);
	return r < 0 ? r : 0;
}

static int
perform_mkdir(struct call *call, struct pass *pass)
{
	mode_t mode;
	int r = call_mode(call, 0, call->make.mode, &mode);

	if (r < 0)
		return r;
	r = make_dir(call, pass, mode);
	if (r < 0)
		return r;
	call_value(call, 0);
	return 0;
}

const struct call_op call_mkdir = {
	.prepare = prepare_mkdir,
	.perform = perform_mkdir,
};

static int
check_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case 0:
	case S_IFREG:
	case S_IFIFO:
	case S_IFSOCK:
		return 0;
	case S_IFCHR:
	case S_IFBLK:
	case S_IFDIR:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

static int
prepare_mknod(struct call *call)
{
	int r;

	call_begin(call);
	call->make.mode = (mode_t)call->args[call->row->path + 1] & (S_IFMT | 07777);
	r = check_kind(call->make.mode);
	if (r < 0)
		return r;
	r = resolve_new(call, call->row->dirfd, call->row->path, false);
	if (r < 0)
		return r;
	decide_by(call, AMBIT_ACCESS_WRITE);
	return CALL_DECIDE;
}

static int
perform_mknod(struct call *call, struct pass *pass)
{
	mode_t kind = call->make.mode & S_IFMT ? call->make.mode & S_IFMT : S_IFREG, mode;
	int r = call_mode(call, 0, call->make.mode & 07777, &mode);

	if (r == 0)
		r = call_make(call, pass, kind | mode, NULL);
	if (r < 0)
		return r;
	call_value(call, 0);
	return 0;
}

const struct call_op call_mknod = {
	.prepare = prepare_mknod,
	.perform = perform_mknod,
};

/* symlink(text, path), symlinkat(text, dirfd, path). */
static int
prepare_symlink(struct call *call)
{
	const struct sys_row *row = call->row;
	int path = row->path2 >= 0 ? row->path2 : row->path;
	int dirfd = row->dirfd2 >= 0 ? row->dirfd2 : row->dirfd;
	int r;

	call_begin(call);
	if (!call->text) {
		r = call_copy(call, 1, 0);
		if (r < 0)
			return r;
		/* Text, and no path to be resolved by anybody here. */
		call->text = call->path[1];
		call->path[1] = NULL;
	}
	if (!call->text[0])
		return -ENOENT;
	r = resolve_new(call, dirfd, path, false);
	if (r < 0)
		return r;
	r = call_leads(call, 0, call->text, -1);
	if (r < 0)
		return r;
	decide_by(call, AMBIT_ACCESS_WRITE);
	return CALL_DECIDE;
}

static int
perform_symlink(struct call *call, struct pass *pass)
{
	int r = call_make(call, pass, S_IFLNK, call->text);

	if (r < 0)
		return r;
	call_value(call, 0);
	return 0;
}

const struct call_op call_symlink = {
	.prepare = prepare_symlink,
	.perform = perform_symlink,
};

/* -- names that go ---------------------------------------------------------------- */

static bool
removes_dir(const struct call *call)
{
	if (call->row->form == FORM_UNLINK_FLAGS)
		return call_int(call, call->row->flags) & AT_REMOVEDIR;
	return call->row->form == FORM_UNLINK_DIR;
}

static int
check_last(const struct call *call, bool dir)
{
	switch (call_last(call, 0)) {
	case LAST_NAME:
		return 0;
	case LAST_DOT:
		return dir ? -EINVAL : -EISDIR;
	case LAST_DOTDOT:
		return dir ? -ENOTEMPTY : -EISDIR;
	case LAST_ROOT:
		return dir ? -EBUSY : -EISDIR;
	}
	return -EINVAL;
}

static int
check_gone(const struct call *call, bool dir, bool slash)
{
	const struct object *object = &call->object[0];
	bool is_dir = S_ISDIR(object->st.st_mode);
	int r = check_last(call, dir);

	if (r < 0)
		return r;
	if (!object->exists)
		return -ENOENT;
	if (!dir && is_dir)
		return -EISDIR;
	if ((dir || slash) && !is_dir)
		return -ENOTDIR;
	if (object->parent < 0)
		return -EPERM;
	r = call_may_delete(call, 0);
	if (r == 0 && object->proc)
		return -EPERM;
	return r == 0 && dir ? call_is_empty(call, 0) : r;
}

/* A .git that is a file and leads to a git directory which stays. */
static bool
is_leading_gitfile(struct call *call)
{
	const struct object *object = &call->object[0];
	bool is;

	if (!streq(object->name, ".git") || !S_ISREG(object->st.st_mode))
		return false;
	gate_lock(call->gate);
	is = engine_git_leads(call->gate->o.engine, object->real, object->fd);
	gate_unlock(call->gate);
	return is;
}

static int
prepare_unlink(struct call *call)
{
	bool dir = removes_dir(call), slash;
	int r;

	call_begin(call);
	if (call->row->form == FORM_ANY)
		return -EPERM;
	if (call_int(call, call->row->flags) & ~AT_REMOVEDIR)
		return -EINVAL;
	r = call_name(call, 0, call->row->dirfd, call->row->path, &slash);
	if (r < 0)
		return r;
	r = check_gone(call, dir, slash);
	if (r < 0)
		return r;
	/* Of a worktree or submodule: like a name that may be made there again. */
	decide_by(call, is_leading_gitfile(call) ? AMBIT_ACCESS_MKDIR : AMBIT_ACCESS_DELETE);
	return CALL_DECIDE;
}

static int
perform_unlink(struct call *call, struct pass *pass)
{
	const struct object *object = &call->object[0];
	struct hand_end end = gate_end(call, 0);
	struct hand_law law = gate_law(call);
	int r = call_unchanged(call, 0);

	if (r == 0)
		r = removes_dir(call) ? act_unlink(pass, object->parent, object->name, true)
				      : hand_remove(pass, &law, &end);
	if (r < 0)
		return r;
	if (removes_dir(call))
		grounds_gone(gate_grounds(call->gate), object->real);
	call_dropped(call, 0);
	call_value(call, 0);
	return 0;
}

const struct call_op call_unlink = {
	.prepare = prepare_unlink,
	.perform = perform_unlink,
};
