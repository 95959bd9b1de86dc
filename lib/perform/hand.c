/* SPDX-License-Identifier: Apache-2.0 */
/* Held objects and a free or known name, into a changed name. Between the look at a name and
 * the call that changes it, somebody else can put another object there. So a file gets its
 * new name by a link of the inode that is held, which nobody can exchange; only a directory,
 * which cannot be linked, goes by its name, and is compared afterwards. Putting a wrong one
 * back fails when its old name was filled meanwhile: it goes to the attic. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/act-private.h"
#include "perform/clear.h"
#include "perform/file-private.h"
#include "perform/permit.h"
#include "perform/tree-look.h"
#include "scope/resolve.h"

static bool
is_dir(const struct hand_end *end)
{
	return end->fd >= 0 && S_ISDIR(end->st.st_mode);
}

/* Whether name is this object now. */
static bool
name_is_object(int parent, const char *name, const struct stat *what)
{
	struct stat st;

	return fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == what->st_dev &&
	       st.st_ino == what->st_ino;
}

/* Whether name is the object of an end now, as it was. */
static bool
is_end(int parent, const char *name, const struct hand_end *end)
{
	return end->unwritten ? file_is_as(parent, name, &end->st)
			      : name_is_object(parent, name, &end->st);
}

static bool
end_stands(const struct hand_end *end)
{
	struct stat st;

	if (end->fd >= 0)
		return is_end(end->parent, end->name, end);
	return fstatat(end->parent, end->name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/* A file system without these flags: NFS, some of FUSE. */
static bool
is_no_flag(int error)
{
	return error == EINVAL || error == ENOSYS;
}

/* -- the attic -------------------------------------------------------------------------- */

/* Takes away whatever has the name now. Without an attic on this mount it stays beside, by a
 * name that every session is refused. */
static int
evict_object(const struct hand_law *law, int parent, const char *name, const char *real)
{
	int attic = law->attic ? law->attic(law->data) : -1;
	enum hand_evicted where = HAND_EVICTED_TO_ATTIC;
	struct stat st;
	char temp[RESOLVE_TEMP];
	int r = -EXDEV;

	resolve_temp_name(temp);
	if (attic >= 0)
		r = renameat2(parent, name, attic, temp, RENAME_NOREPLACE) < 0 ? -errno : 0;
	if (r < 0 && r != -ENOENT) {
		r = renameat2(parent, name, parent, temp, RENAME_NOREPLACE) < 0 ? -errno : 0;
		where = r < 0 ? HAND_NOT_EVICTED : HAND_EVICTED_BESIDE;
		/* A symlink must not stay in .git under any name, and holds nothing. */
		if (r == 0 && fstatat(parent, temp, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISLNK(st.st_mode) && unlinkat(parent, temp, 0) == 0)
			where = HAND_REMOVED;
	}
	if (r != -ENOENT && law->tell)
		law->tell(law->data, real, where, temp);
	return -ESTALE;
}

/* -- files ------------------------------------------------------------------------------- */

static int
link_held(int fd, int to, const char *name)
{
	char link[ACT_LINK_SIZE];

	/* AT_EMPTY_PATH needs a capability. A magic link that leads to a symlink stops there:
	 * that one gets the name. */
	act_link_of(fd, link);
	return linkat(AT_FDCWD, link, to, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* Somebody else's file in a sticky place, too many links, a file system without any. */
static bool
cannot_link(int r)
{
	return r == -EPERM || r == -EMLINK || r == -EOPNOTSUPP || r == -ENOSYS || r == -EXDEV ||
	       r == -EACCES;
}

/* Removes a name that is no directory, if it is this object. It is taken aside first: between a
 * look and an unlink another program could put a file of its own there, and lose it. */
static int
remove_object(const struct hand_law *law, const struct hand_end *end)
{
	char temp[RESOLVE_TEMP];
	int r;

	if (!name_is_object(end->parent, end->name, &end->st))
		return -ESTALE;
	resolve_temp_name(temp);
	if (renameat2(end->parent, end->name, end->parent, temp, RENAME_NOREPLACE) < 0) {
		if (is_no_flag(errno))
			return unlinkat(end->parent, end->name, 0) < 0 ? -errno : 0;
		return errno == ENOENT ? -ESTALE : -errno;
	}
	r = name_is_object(end->parent, temp, &end->st) ? 0 : -ESTALE;
	if (r == 0 && unlinkat(end->parent, temp, 0) < 0)
		r = -errno;
	if (r < 0 && renameat2(end->parent, temp, end->parent, end->name, RENAME_NOREPLACE) < 0 &&
		law && law->tell)
		law->tell(law->data, end->real, HAND_EVICTED_BESIDE, temp);
	return r;
}

/* The object has its new name: the old one goes, if it still is that object. */
static int
drop_source(const struct hand_law *law, const struct hand_end *from)
{
	int r = remove_object(law, from);

	return r == -ESTALE ? 0 : r;
}

/* Exchanges both names, and back again if either was not what it had to be. */
static int
exchange_names(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	if (!end_stands(from) || !end_stands(to))
		return -ESTALE;
	if (renameat2(from->parent, from->name, to->parent, to->name, RENAME_EXCHANGE) < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	if (name_is_object(to->parent, to->name, &from->st) && is_end(from->parent, from->name, to))
		return 0;
	(void)!renameat2(from->parent, from->name, to->parent, to->name, RENAME_EXCHANGE);
	if (name_is_object(to->parent, to->name, &to->st))
		return -ESTALE;
	return evict_object(law, to->parent, to->name, to->real);
}

/* For file systems without these flags: both are looked at before, the target afterwards. */
static int
rename_over_target(
	const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	if (!end_stands(from) || !end_stands(to))
		return -ESTALE;
	if (renameat(from->parent, from->name, to->parent, to->name) < 0)
		return -errno;
	return name_is_object(to->parent, to->name, &from->st)
		       ? 0
		       : evict_object(law, to->parent, to->name, to->real);
}

/* Takes the place of what is there, by its name; that is gone afterwards. */
static int
exchange_and_drop(const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to, int unlink_flags)
{
	int r = exchange_names(law, from, to);

	if (r < 0 && is_no_flag(-r))
		return rename_over_target(law, from, to);
	if (r < 0 || !is_end(from->parent, from->name, to) ||
		unlinkat(from->parent, from->name, unlink_flags) == 0)
		return r;
	r = -errno;
	(void)!renameat2(from->parent, from->name, to->parent, to->name, RENAME_EXCHANGE);
	/* The old one cannot come back: a directory does not stay unlooked at. */
	if (is_dir(from) && name_is_object(to->parent, to->name, &from->st))
		return evict_object(law, to->parent, to->name, to->real);
	return r;
}

/* By its name, onto a free one, and a look at the object that came. */
static int
rename_new(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	int r;

	if (!end_stands(from) || !end_stands(to))
		return -ESTALE;
	r = renameat2(from->parent, from->name, to->parent, to->name, RENAME_NOREPLACE);
	if (r < 0 && is_no_flag(errno))
		return rename_over_target(law, from, to);
	if (r < 0)
		return errno == EEXIST || errno == ENOENT ? -ESTALE : -errno;
	if (name_is_object(to->parent, to->name, &from->st))
		return 0;
	/* Somebody's, who was quicker: it goes back, unless its name is filled by now. */
	if (renameat2(to->parent, to->name, from->parent, from->name, RENAME_NOREPLACE) == 0)
		return -ESTALE;
	return evict_object(law, to->parent, to->name, to->real);
}

static int
move_file_new(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	int r = link_held(from->fd, to->parent, to->name);

	if (cannot_link(r))
		return rename_new(law, from, to);
	if (r < 0)
		return r == -EEXIST ? -ESTALE : r;
	r = drop_source(law, from);
	if (r < 0 && name_is_object(to->parent, to->name, &from->st))
		unlinkat(to->parent, to->name, 0);
	return r;
}

/* A second name of the held inode: in the attic where that is on this mount, so that nothing
 * is left beside the target if this process is killed. *ret_at is where. */
static int
link_aside(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	char name[RESOLVE_TEMP], int *ret_at)
{
	int attic = law->attic ? law->attic(law->data) : -1;

	resolve_temp_name(name);
	*ret_at = attic;
	if (attic >= 0 && link_held(from->fd, attic, name) == 0)
		return 0;
	*ret_at = to->parent;
	return link_held(from->fd, to->parent, name);
}

/* The link takes the place of the old file by an exchange, which shows what was there. */
static int
exchange_aside(const struct hand_law *law, int at, const char *name, const struct hand_end *from,
	const struct hand_end *to)
{
	if (renameat2(at, name, to->parent, to->name, RENAME_EXCHANGE) < 0) {
		if (!is_no_flag(errno))
			return errno == ENOENT ? -ESTALE : -errno;
		if (!end_stands(to))
			return -ESTALE;
		return renameat(at, name, to->parent, to->name) < 0 ? -errno : 0;
	}
	if (is_end(at, name, to))
		return 0;
	/* Somebody else's new file: it gets its name again. */
	(void)!renameat2(at, name, to->parent, to->name, RENAME_EXCHANGE);
	if (!name_is_object(at, name, &from->st))
		evict_object(law, at, name, to->real);
	return -ESTALE;
}

static int
replace_file(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	char name[RESOLVE_TEMP];
	int at, r;

	if (!end_stands(to))
		return -ESTALE;
	r = link_aside(law, from, to, name, &at);
	if (cannot_link(r))
		return exchange_and_drop(law, from, to, 0);
	if (r < 0)
		return r;
	r = exchange_aside(law, at, name, from, to);
	if (r == 0) {
		r = drop_source(law, from);
		/* The old file is still there: it gets its name again. */
		if (r < 0 && name_is_object(at, name, &to->st))
			(void)!renameat2(at, name, to->parent, to->name, RENAME_EXCHANGE);
	}
	unlinkat(at, name, 0);
	return r;
}

/* -- directories --------------------------------------------------------------------------- */

/* The things that a directory must not bring where a guard may lie. fresh: no rights hang on it. */
static int
check_brings(const struct hand_law *law, const struct hand_end *end, const char *real, bool fresh,
	bool landed)
{
	if (!is_dir(end) || law->is_clear(law->data, real))
		return 0;
	if (!fresh && tree_has_rights(end->fd, law->has_rights, law->data))
		return -EXDEV;
	return law->guarded ? 0 : law->may_stand(law->data, end->fd, real, landed);
}

/* Sessions cannot write there, so this second look decides. */
static int
check_landed(const struct hand_law *law, const struct hand_end *end, const struct hand_end *at,
	bool fresh)
{
	int r = check_brings(law, end, at->real, fresh, true);

	return r < 0 ? evict_object(law, at->parent, at->name, at->real) : 0;
}

static int
move_dir(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	bool fresh)
{
	int r = check_brings(law, from, to->real, fresh, false);

	if (r == 0 && to->fd >= 0 && !clear_is_empty(to->fd))
		r = -ENOTEMPTY;
	if (r == 0)
		r = to->fd < 0 ? rename_new(law, from, to)
			       : exchange_and_drop(law, from, to, AT_REMOVEDIR);
	return r < 0 ? r : check_landed(law, from, to, fresh);
}

int
hand_look(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	unsigned flags)
{
	int r = check_brings(law, from, to->real, false, false);

	if (r == 0 && (flags & RENAME_EXCHANGE))
		r = check_brings(law, to, from->real, false, false);
	return r;
}

static int
exchange_checked(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	int r = hand_look(law, from, to, RENAME_EXCHANGE), r2;

	if (r == 0)
		r = exchange_names(law, from, to);
	if (r < 0)
		return r;
	r = check_landed(law, from, to, false);
	r2 = check_landed(law, to, from, false);
	return r < 0 ? r : r2;
}

/* -- all of it ------------------------------------------------------------------------------ */

static int
check_ends(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	if (!law || !law->is_clear || !law->may_stand)
		return -EPERM;
	if (!act_is_component(from->name) || !act_is_component(to->name) || from->fd < 0)
		return -EINVAL;
	return 0;
}

static int
move_checked(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	bool fresh)
{
	if (to->fd >= 0 && is_dir(from) != is_dir(to))
		return is_dir(from) ? -ENOTDIR : -EISDIR;
	if (is_dir(from))
		return move_dir(law, from, to, fresh);
	return to->fd < 0 ? move_file_new(law, from, to) : replace_file(law, from, to);
}

int
hand_move_passed(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	unsigned flags)
{
	int r = check_ends(law, from, to);

	if (r < 0)
		return r;
	if (flags & RENAME_EXCHANGE)
		return to->fd < 0 ? -ENOENT : exchange_checked(law, from, to);
	if ((flags & RENAME_NOREPLACE) && to->fd >= 0)
		return -EEXIST;
	return move_checked(law, from, to, false);
}

int
hand_settle_passed(
	const struct hand_law *law, const struct hand_end *from, const struct hand_end *to)
{
	int r = check_ends(law, from, to);

	return r < 0 ? r : move_checked(law, from, to, true);
}

int
hand_move(struct pass *pass, const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to, unsigned flags)
{
	int r = pass_use(pass);

	return r < 0 ? r : hand_move_passed(law, from, to, flags);
}

int
hand_settle(struct pass *pass, const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to)
{
	int r = pass_use(pass);

	return r < 0 ? r : hand_settle_passed(law, from, to);
}

int
hand_remove_passed(const struct hand_law *law, const struct hand_end *end)
{
	if (!act_is_component(end->name) || end->fd < 0)
		return -EINVAL;
	return is_dir(end) ? -EISDIR : remove_object(law, end);
}

int
hand_remove(struct pass *pass, const struct hand_law *law, const struct hand_end *end)
{
	int r = pass_use(pass);

	return r < 0 ? r : hand_remove_passed(law, end);
}

int
hand_link(struct pass *pass, int fd, const struct hand_end *to)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	return act_is_component(to->name) ? link_held(fd, to->parent, to->name) : -EINVAL;
}

/* -- new things ------------------------------------------------------------------------------ */

static int
create_entry(int parent, const char *name, mode_t mode, const char *text)
{
	int r;

	if (S_ISLNK(mode))
		r = symlinkat(text, parent, name);
	else if (S_ISDIR(mode))
		r = mkdirat(parent, name, mode & 07777);
	else
		r = mknodat(parent, name, mode, 0);
	return r < 0 ? -errno : 0;
}

static int
open_made(int parent, const char *name, mode_t kind, struct stat *ret_st)
{
	auto_close int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -ESTALE;
	if ((ret_st->st_mode & S_IFMT) != (kind & S_IFMT) || ret_st->st_uid != geteuid())
		return -ESTALE;
	return steal_fd(&fd);
}

/* Under a name that nobody can guess first: under its own, somebody else's could be taken for
 * it when it is opened. */
static int
make_known(int parent, const char *name, mode_t mode, const char *text, int *ret_fd)
{
	char temp[RESOLVE_TEMP];
	auto_close int fd = -1;
	struct stat st;
	int r;

	resolve_temp_name(temp);
	r = create_entry(parent, temp, mode, text);
	if (r < 0)
		return r;
	fd = open_made(parent, temp, mode, &st);
	r = fd < 0 ? fd : renameat2(parent, temp, parent, name, RENAME_NOREPLACE) < 0 ? -errno : 0;
	if (r < 0) {
		unlinkat(parent, temp, S_ISDIR(mode) ? AT_REMOVEDIR : 0);
		return r;
	}
	if (!name_is_object(parent, name, &st))
		return -ESTALE;
	*ret_fd = steal_fd(&fd);
	return 0;
}

int
hand_make(
	struct pass *pass, int parent, const char *name, mode_t mode, const char *text, int *ret_fd)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (!act_is_component(name) || (S_ISLNK(mode) && !text))
		return -EINVAL;
	r = ret_fd ? make_known(parent, name, mode, text, ret_fd) : -ENOSYS;
	if (r >= 0 || !is_no_flag(-r))
		return r;
	if (ret_fd)
		*ret_fd = -1;
	return create_entry(parent, name, mode, text);
}
