/* SPDX-License-Identifier: Apache-2.0 */
/* Two places, into something that has another name, or is there twice. A copy is
 * made whole beside its target and gets its name in one step; what lies there goes
 * only if that was said, and then a file for a file. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "perform/file-private.h"

int
file_remove(struct ambit_pass *pass, const struct ambit_place *place, bool tree,
	const struct file_watch *watch, struct ambit_error *err)
{
	auto_close int held = -1;
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	struct stat st;
	int r = ambit_pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", place->shown);
	file_turn_take(&turn, place->parent, -1, NULL);
	r = file_check(place, &held, &st, err);
	if (r < 0)
		return r;
	if (held < 0)
		return err_sys(err, ENOENT, "%s", place->shown);
	if (tree && S_ISDIR(st.st_mode)) {
		file_turn_end(&turn); /* that may take long */
		return tree_remove(place, held, watch, err);
	}
	if (unlinkat(place->parent, place->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0)
		return err_sys(err, errno, "%s", place->shown);
	return 0;
}

/* -- both ends --------------------------------------------------------------------------- */

struct ends {
	const struct ambit_place *from, *to;
	struct stat st, to_st;
	bool onto; /* something lies there, and goes */
};

static int
check_onto(const struct ends *e, bool replace, struct ambit_error *err)
{
	if (!replace)
		return err_set(err, EEXIST, "%s exists", e->to->shown);
	if (!S_ISREG(e->to_st.st_mode) || S_ISDIR(e->st.st_mode))
		return err_set(err, S_ISDIR(e->to_st.st_mode) ? EISDIR : EEXIST,
			"%s is %s, %s is %s: only a file is replaced, by a file", e->from->shown,
			file_kind(e->st.st_mode), e->to->shown, file_kind(e->to_st.st_mode));
	return 0;
}

static int
check_ends(const struct ambit_place *from, const struct ambit_place *to, bool replace,
	struct ends *ret, struct ambit_error *err)
{
	struct ends e = { .from = from, .to = to };
	auto_close int held = -1, to_held = -1;
	int r = file_check(from, &held, &e.st, err);

	if (r == 0)
		r = file_check(to, &to_held, &e.to_st, err);
	if (r < 0)
		return r;
	if (held < 0)
		return err_sys(err, ENOENT, "%s", from->shown);
	if (streq(from->real, to->real))
		return err_set(err, EINVAL, "%s and %s are the same", from->shown, to->shown);
	if (S_ISDIR(e.st.st_mode) && str_beneath(to->real, from->real))
		return err_set(err, EINVAL, "%s lies in %s: it cannot go into itself", to->shown,
			from->shown);
	e.onto = to_held >= 0;
	if (e.onto)
		r = check_onto(&e, replace, err);
	if (r == 0)
		*ret = e;
	return r;
}

static int
stale(const struct ambit_place *place, struct ambit_error *err)
{
	return err_set(err, ESTALE, "%s is not what it was when this was decided", place->shown);
}

/* What was made beside the target gets its name. */
static int
settle(const struct ends *e, const char *temp, struct ambit_error *err)
{
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	int r;

	file_turn_take(&turn, e->to->parent, -1, NULL);
	r = e->onto ? file_replace(e->to->parent, temp, NULL, e->to, &e->to_st)
		    : file_rename_new(e->to->parent, temp, e->to->parent, e->to->name);
	if (r == -ESTALE || r == -EEXIST)
		return stale(e->to, err);
	return r < 0 ? err_sys(err, -r, "%s", e->to->shown) : 0;
}

static int
copy(const struct ends *e, const struct file_watch *watch, struct ambit_error *err)
{
	char temp[RESOLVE_TEMP];
	int r;

	resolve_temp_name(temp);
	r = tree_copy(e->from->parent, e->from->name, &e->st, e->to->parent, temp, watch, err);
	if (r < 0)
		err_context(err, "%s to %s: nothing was changed", e->from->shown, e->to->shown);
	else
		r = settle(e, temp, err);
	if (r < 0)
		tree_discard(e->to->parent, temp);
	return r;
}

int
file_copy(struct ambit_pass *pass, const struct ambit_place *from, const struct ambit_place *to,
	bool replace, const struct file_watch *watch, struct ambit_error *err)
{
	struct ends e;
	int r = ambit_pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", to->shown);
	r = check_ends(from, to, replace, &e, err);
	if (r == 0 && e.onto && e.st.st_dev == e.to_st.st_dev && e.st.st_ino == e.to_st.st_ino)
		return err_set(err, EINVAL, "%s and %s are the same file", from->shown, to->shown);
	return r < 0 ? r : copy(&e, watch, err);
}

/* -- moves ------------------------------------------------------------------------------- */

/* The copy has its name: from here on it is no use to stop, for a tree of which a part
 * is in two places is worse than one that took longer. It is on the disk before what it
 * was made of goes. */
static int
remove_moved(const struct ends *e, struct ambit_error *err)
{
	auto_close int held = -1, disk = -1;
	struct stat st;
	int r = file_check(e->from, &held, &st, err);

	disk = openat(e->to->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r == 0 && S_ISDIR(st.st_mode) && disk >= 0 && syncfs(disk) < 0)
		r = err_sys(err, errno, "%s", e->to->shown);
	if (r == 0 && held >= 0 && S_ISDIR(st.st_mode))
		r = tree_remove(e->from, held, NULL, err);
	else if (r == 0 && unlinkat(e->from->parent, e->from->name, 0) < 0)
		r = err_sys(err, errno, "%s", e->from->shown);
	if (r < 0)
		err_context(err, "it is at %s now, but is still at %s too", e->to->shown,
			e->from->shown);
	return r;
}

/* By a rename. Whoever was quicker and has put something else under the name gets that
 * back. */
static int
rename_to(const struct ends *e)
{
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	int r;

	file_turn_take(&turn, e->from->parent, e->to->parent, NULL);
	if (e->onto)
		return file_replace(
			e->from->parent, e->from->name, &e->st, e->to, &e->to_st);
	if (!file_same(e->from) || !file_same(e->to))
		return -ESTALE;
	r = file_rename_new(e->from->parent, e->from->name, e->to->parent, e->to->name);
	if (r < 0 || !file_is_other(e->to->parent, e->to->name, e->st.st_dev, e->st.st_ino))
		return r;
	file_rename_new(e->to->parent, e->to->name, e->from->parent, e->from->name);
	return -ESTALE;
}

int
file_move(struct ambit_pass *pass, const struct ambit_place *from, const struct ambit_place *to,
	bool replace, const struct file_watch *watch, struct ambit_error *err)
{
	struct ends e;
	int r = ambit_pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", to->shown);
	r = check_ends(from, to, replace, &e, err);
	if (r < 0)
		return r;
	/* Two names of one file: rename(2) would leave both. */
	if (e.onto && e.st.st_dev == e.to_st.st_dev && e.st.st_ino == e.to_st.st_ino)
		return unlinkat(from->parent, from->name, 0) < 0
			       ? err_sys(err, errno, "%s", from->shown)
			       : 0;
	r = rename_to(&e);
	if (r == -EXDEV) {
		r = copy(&e, watch, err);
		return r < 0 ? r : remove_moved(&e, err);
	}
	if (r == -ESTALE)
		return err_set(err, ESTALE, "%s or %s is not what it was when this was decided",
			from->shown, to->shown);
	return r < 0 ? err_sys(err, -r, "%s to %s", from->shown, to->shown) : 0;
}
