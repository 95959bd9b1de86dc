/* SPDX-License-Identifier: Apache-2.0 */
/* rename and link: one inode, two names. Rights hang on inodes and on what lies
 * above them, so nothing moves from one place to another (folder, scratch, the
 * rest), as Landlock has it: EXDEV, and the tool copies, which is asked about
 * as a write. What gets another name counts as written. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/gate/call-once.h"
#include "line/floor/ground.h"
#include "line/gate/gate-law.h"
#include "line/gate/gate-private.h"
#include "perform/act.h"
#include "perform/permit.h"

/* The kernel reads the names again, and they may be others by then. A no to reads stands on names,
 * so where there is one, no call goes on in the kernel. */
static void
set_bounds(struct call *call)
{
	int since = call->row->floor;

	call->may_continue =
		since > 0 && since <= call->gate->abi && !gate_closes_reads(call->gate);
}

/* Whether a file that a no to reads closes could be read by its new name. */
static bool
opens_reads(const struct call *call, bool exchange)
{
	const char *from = call->object[0].real, *to = call->object[1].real;

	return gate_opens_reads(call->gate, from, to) ||
	       (exchange && gate_opens_reads(call->gate, to, from));
}

static bool
is_dir(const struct object *object)
{
	return object->exists && S_ISDIR(object->st.st_mode);
}

static bool
same_inode(const struct object *a, const struct object *b)
{
	return a->exists && b->exists && a->st.st_dev == b->st.st_dev &&
	       a->st.st_ino == b->st.st_ino;
}

/* By the parents: a mount that is the same device again is left to the kernel. */
static bool
cross_devices(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) < 0 || fstat(b, &y) < 0 || x.st_dev != y.st_dev;
}

static int
keep_apart(struct call *call)
{
	call->special = SPECIAL_APART;
	return -EXDEV;
}

/* -- rename ------------------------------------------------------------------------ */

#define FROM 0
#define TO 1
#define FLAGS_KNOWN (RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT)

static int
rename_flags(const struct call *call, unsigned *ret_flags)
{
	unsigned flags = (unsigned)call_int(call, call->row->flags);

	if ((flags & ~(unsigned)FLAGS_KNOWN) ||
		((flags & RENAME_EXCHANGE) && (flags & (RENAME_NOREPLACE | RENAME_WHITEOUT))))
		return -EINVAL;
	if (flags & RENAME_WHITEOUT)
		return -EPERM;
	*ret_flags = flags;
	return 0;
}

/* Both directories come before both names, as in the kernel. found: of each, 0 or -errno. */
static int
check_found(const struct call *call, unsigned flags, const int found[2])
{
	for (int n = 0; n < 2; n++)
		if (found[n] < 0 && !(found[n] == -ENAMETOOLONG && call_last_is_long(call, n)))
			return found[n];
	if (call->object[FROM].parent >= 0 && call->object[TO].parent >= 0 &&
		cross_devices(call->object[FROM].parent, call->object[TO].parent))
		return -EXDEV;
	if (call_last(call, FROM) != LAST_NAME)
		return -EBUSY;
	if (call_last(call, TO) != LAST_NAME)
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	if (found[FROM] < 0)
		return found[FROM];
	return call->object[FROM].exists ? found[TO] : -ENOENT;
}

static int
check_names(const struct call *call, unsigned flags)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];

	if ((flags & RENAME_NOREPLACE) && to->exists)
		return -EEXIST;
	if ((flags & RENAME_EXCHANGE) && !to->exists)
		return -ENOENT;
	/* Magic links and what has no name are not moved. */
	if (from->parent < 0 || to->parent < 0 || from->proc || to->proc)
		return -EPERM;
	return 0;
}

/* Errors that the kernel finds before it checks rights. */
static int
check_slashes(const struct call *call, unsigned flags, const bool slash[2])
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	bool swap = flags & RENAME_EXCHANGE;

	if (!is_dir(from) && (slash[FROM] || (!swap && slash[TO])))
		return -ENOTDIR;
	if (swap && !is_dir(to) && slash[TO])
		return -ENOTDIR;
	if (is_dir(from) && !streq(from->real, to->real) && str_beneath(to->real, from->real))
		return -EINVAL;
	if (is_dir(to) && !streq(from->real, to->real) && str_beneath(from->real, to->real))
		return swap ? -EINVAL : -ENOTEMPTY;
	return 0;
}

/* Errors that it finds afterwards. */
static int
check_kinds(const struct call *call, unsigned flags)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];

	if ((flags & RENAME_EXCHANGE) || !to->exists)
		return 0;
	if (is_dir(from) != is_dir(to))
		return is_dir(from) ? -ENOTDIR : -EISDIR;
	return 0;
}

/* The kernel says this of the kinds, once it has seen that both directories can be written. */
static int
say_after_rights(const struct call *call, int error)
{
	for (unsigned n = FROM; error < 0 && n <= TO; n++)
		if (faccessat(call->object[n].parent, ".", W_OK | X_OK, AT_EACCESS) < 0)
			return -errno;
	return error;
}

/* A directory that changes its parent has its ".." written. */
static int
check_rights(const struct call *call, unsigned flags)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	struct stat a, b;
	bool apart;
	int r = call_may_delete(call, FROM);

	if (r == 0)
		r = to->exists ? call_may_delete(call, TO) : call_may_create(call, TO);
	if (r == 0)
		r = say_after_rights(call, check_kinds(call, flags));
	if (r < 0)
		return r;
	apart = fstat(from->parent, &a) < 0 || fstat(to->parent, &b) < 0 || a.st_ino != b.st_ino;
	if (apart && is_dir(from))
		r = call_may(call, FROM, W_OK);
	if (r == 0 && apart && (flags & RENAME_EXCHANGE) && is_dir(to))
		r = call_may(call, TO, W_OK);
	if (r == 0 && to->exists && !(flags & RENAME_EXCHANGE) && is_dir(to))
		r = say_after_rights(call, call_is_empty(call, TO));
	return r;
}

/* git writes its configuration as config.lock and renames it, and so a
 * .gitmodules. Whether it names a program that will be run, the engine can tell. */
static bool
is_plain_config(const struct call *call, unsigned flags)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	auto_free char *text = NULL;
	size_t len;
	int r;

	if (flags || !S_ISREG(from->st.st_mode) || (to->exists && !S_ISREG(to->st.st_mode)))
		return false;
	/* The same directory, for one name is the other and ".lock". */
	if (strlen(from->real) != strlen(to->real) + strlen(".lock") ||
		!str_prefix(from->real, to->real) || !streq(from->real + strlen(to->real), ".lock"))
		return false;
	if (!streq(to->name, ".gitmodules") &&
		!((streq(to->name, "config") || streq(to->name, "config.worktree")) &&
			call_in_git_dir(call, TO)))
		return false;
	/* Only in place of the question about git's own guard: any other target is decided
	 * about like every other. */
	if (!gate_git_guards(call->gate, to->real))
		return false;
	gate_lock(call->gate);
	r = engine_git_read(call->gate->o.engine, to->real, from->fd, to->fd, &text, &len, NULL);
	gate_unlock(call->gate);
	return r == 0;
}

static void
need_rename(struct call *call, unsigned flags)
{
	call_need(call, AMBIT_ACCESS_DELETE, FROM);
	call->rename.is_config = is_plain_config(call, flags);
	if (call->rename.is_config) {
		call_need(call, AMBIT_ACCESS_WRITE, FROM);
		call->may_continue = false;
	} else {
		call_need(call, AMBIT_ACCESS_REPLACE, TO);
	}
	if (flags & RENAME_EXCHANGE) {
		call_need(call, AMBIT_ACCESS_DELETE, TO);
		call_need(call, AMBIT_ACCESS_REPLACE, FROM);
	}
}

/* A directory may hold symlinks, and where it comes from they can be made at any time, so
 * none is moved into a git directory; nor out of one, where links could then be put into
 * it before it is moved back. */
static bool
crosses_git(const struct call *call, unsigned flags)
{
	bool moves_dir = is_dir(&call->object[FROM]) ||
			 ((flags & RENAME_EXCHANGE) && is_dir(&call->object[TO]));

	return moves_dir && call_lies_in_git(call, FROM) != call_lies_in_git(call, TO);
}

static int
prepare_rename(struct call *call)
{
	const struct sys_row *row = call->row;
	unsigned flags = 0;
	int found[2], r;
	bool slash[2];

	call_begin(call);
	r = rename_flags(call, &flags);
	if (r < 0)
		return r;
	found[FROM] = call_name(call, FROM, row->dirfd, row->path, &slash[FROM]);
	found[TO] = call_name(call, TO, row->dirfd2, row->path2, &slash[TO]);
	r = check_found(call, flags, found);
	if (r == 0)
		r = check_names(call, flags);
	if (r == 0)
		r = check_slashes(call, flags, slash);
	if (r < 0)
		return r;
	/* Two names of one inode: the kernel does nothing, and calls it done. */
	if (same_inode(&call->object[FROM], &call->object[TO])) {
		call->special = SPECIAL_SAME;
		return call_value(call, 0);
	}
	r = check_rights(call, flags);
	if (r < 0)
		return r;
	if (call_place(call, FROM) != call_place(call, TO) || crosses_git(call, flags))
		return keep_apart(call);
	call->rename.flags = flags;
	set_bounds(call);
	if (opens_reads(call, flags & RENAME_EXCHANGE))
		return keep_apart(call);
	if (S_ISLNK(call->object[FROM].st.st_mode))
		r = call_leads(call, TO, NULL, call->object[FROM].fd);
	if (r == 0 && (flags & RENAME_EXCHANGE) && S_ISLNK(call->object[TO].st.st_mode))
		r = call_leads(call, FROM, NULL, call->object[TO].fd);
	if (r < 0)
		return r;
	need_rename(call, flags);
	return CALL_DECIDE;
}

/* Who wrote the lock may still have it open: a fresh copy of the text that was
 * judged takes its place. */
static int
put_config(struct call *call, struct pass *pass)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	auto_free char *text = NULL;
	size_t len = 0;
	int r;

	gate_lock(call->gate);
	r = engine_git_read(call->gate->o.engine, to->real, from->fd, to->fd, &text, &len, NULL);
	gate_unlock(call->gate);
	/* Not plain any more: then it is asked about. */
	if (r < 0)
		return -ESTALE;
	return act_put_text(
		pass, from->parent, from->name, to->name, from->st.st_mode & 0777, text, len);
}

static int
move_objects(struct call *call, struct pass *pass, unsigned flags)
{
	struct hand_end from = gate_end(call, FROM), to = gate_end(call, TO);
	struct hand_law law = gate_law(call);

	if (call->rename.is_config)
		return put_config(call, pass);
	return hand_move(pass, &law, &from, &to, flags);
}

static int
perform_rename(struct call *call, struct pass *pass)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	unsigned flags = call->rename.flags;
	int r = call_unchanged(call, FROM);

	if (r == 0)
		r = call_unchanged(call, TO);
	if (r == 0)
		r = move_objects(call, pass, flags);
	if (r < 0)
		return r;
	if (is_dir(from) || is_dir(to))
		grounds_moved(
			gate_grounds(call->gate), from->real, to->real, flags & RENAME_EXCHANGE);
	if (!(flags & RENAME_EXCHANGE) && to->exists)
		call_dropped(call, TO);
	if (!to->exists && S_ISREG(from->st.st_mode) && from->st.st_nlink == 1 &&
		permit_once_chain(call->permit) == 0)
		call_made_once(call, from->fd); /* see decide/temporary.h */
	call_value(call, 0);
	return 0;
}

const struct call_op call_rename = {
	.prepare = prepare_rename,
	.perform = perform_rename,
};

/* -- link --------------------------------------------------------------------------- */

static int
resolve_source(struct call *call, int flags)
{
	const struct sys_row *row = call->row;
	int r = call_copy(call, FROM, row->path);

	if (r < 0)
		return r;
	if (call->path[FROM][0] || !(flags & AT_EMPTY_PATH))
		return call_resolve(call, FROM, row->dirfd, row->path,
			flags & AT_SYMLINK_FOLLOW ? OBJECT_FOLLOW : OBJECT_NOFOLLOW);
	call->base[FROM] = row->dirfd >= 0 ? call_int(call, row->dirfd) : AT_FDCWD;
	if (call->base[FROM] == AT_FDCWD)
		return -EPERM; /* a directory */
	r = object_from_fd(&call->object[FROM], &call->target, call->base[FROM]);
	if (r == 0)
		call->n_objects = FROM + 1;
	return r;
}

/* Made by O_TMPFILE and about to get its first name: it is nowhere yet, and the
 * kernel refuses any other file without a name. */
static bool
is_unborn(const struct object *object)
{
	return object->exists && object->st.st_nlink == 0 && S_ISREG(object->st.st_mode);
}

static int
check_link(const struct call *call, bool slash)
{
	const struct object *from = &call->object[FROM], *to = &call->object[TO];
	int r;

	if (to->exists || call_last(call, TO) != LAST_NAME)
		return -EEXIST;
	if (slash)
		return -ENOENT;
	if (from->proc || to->proc || from->nameless || cross_devices(from->fd, to->parent))
		return -EXDEV;
	r = call_may_create(call, TO);
	if (r < 0 || !S_ISDIR(from->st.st_mode))
		return r;
	return faccessat(to->parent, ".", W_OK | X_OK, AT_EACCESS) < 0 ? -errno : -EPERM;
}

/* One end in the private temp directory, which is gone when the other is still there. */
static bool
leaves_temp(const struct call *call)
{
	const char *temp = call->gate->o.temp;

	return str_beneath(call->object[FROM].real, temp) !=
	       str_beneath(call->object[TO].real, temp);
}

/* Granted alone: Landlock would link it nowhere else. */
static bool
is_lone_grant(const struct call *call)
{
	const char *real = call->object[FROM].real;

	return gate_covers(call->gate, real) && !floor_covers_name(call->gate->o.floor, real);
}

static int
prepare_link(struct call *call)
{
	const struct sys_row *row = call->row;
	int flags = call_int(call, row->flags), r;
	bool slash = false;

	call_begin(call);
	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	r = resolve_source(call, flags);
	if (r == 0 && !call->object[FROM].exists)
		r = -ENOENT;
	if (r == 0)
		r = call_name(call, TO, row->dirfd2, row->path2, &slash);
	if (r == 0)
		r = check_link(call, slash);
	if (r < 0)
		return r;
	set_bounds(call);
	if (opens_reads(call, false))
		return keep_apart(call);
	if (!is_unborn(&call->object[FROM])) {
		/* No name to ask about. */
		if (call->object[FROM].gone)
			return -ENOENT;
		if (call_place(call, FROM) != call_place(call, TO) || leaves_temp(call) ||
			is_lone_grant(call))
			return keep_apart(call);
		call_need(call, AMBIT_ACCESS_WRITE, FROM);
	}
	if (S_ISLNK(call->object[FROM].st.st_mode)) {
		r = call_leads(call, TO, NULL, call->object[FROM].fd);
		if (r < 0)
			return r;
	}
	call_need(call, AMBIT_ACCESS_WRITE, TO);
	return CALL_DECIDE;
}

static int
perform_link(struct call *call, struct pass *pass)
{
	struct hand_end to = gate_end(call, TO);
	int r = hand_link(pass, call->object[FROM].fd, &to);

	if (r < 0)
		return r;
	call_value(call, 0);
	return 0;
}

const struct call_op call_link = {
	.prepare = prepare_link,
	.perform = perform_link,
};
