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
#include "perform/leftover.h"
#include "perform/permit.h"

int
file_remove(struct pass *pass, const struct ambit_place *place, bool tree,
	const struct file_watch *watch, struct ambit_error *err)
{
	auto_close int held = -1;
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	struct stat st;
	int r = pass_use(pass);

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
	if (S_ISDIR(st.st_mode)) {
		if (unlinkat(place->parent, place->name, AT_REMOVEDIR) < 0)
			return err_sys(err, errno, "%s", place->shown);
		return 0;
	}
	r = hand_remove_passed(NULL, &(struct hand_end){ .parent = place->parent,
					     .name = place->name,
					     .real = place->real,
					     .fd = held,
					     .st = st });
	if (r == -ESTALE)
		return err_set(
			err, ESTALE, "%s is not what it was when this was decided", place->shown);
	return r < 0 ? err_sys(err, -r, "%s", place->shown) : 0;
}

/* -- both ends --------------------------------------------------------------------------- */

struct ends {
	const struct ambit_place *from, *to;
	struct hand_end source, target;
	const struct hand_law *law;
	struct leftovers *list; /* where a copy is noted; or NULL */
};

static void
ends_finish(struct ends *e)
{
	fd_close_at(&e->source.fd);
	fd_close_at(&e->target.fd);
}
#define auto_ends __attribute__((cleanup(ends_finish)))

static int
check_onto(const struct ends *e, bool replace, struct ambit_error *err)
{
	mode_t from = e->source.st.st_mode, to = e->target.st.st_mode;

	if (!replace)
		return err_set(err, EEXIST, "%s exists", e->to->shown);
	if (!S_ISREG(to) || S_ISDIR(from))
		return err_set(err, S_ISDIR(to) ? EISDIR : EEXIST,
			"%s is %s, %s is %s: only a file is replaced, by a file", e->from->shown,
			file_kind(from), e->to->shown, file_kind(to));
	return 0;
}

static int
take_end(const struct ambit_place *place, struct hand_end *end, struct ambit_error *err)
{
	int r = file_check(place, &end->fd, &end->st, err);

	end->parent = place->parent;
	end->name = place->name;
	end->real = place->real;
	end->unwritten = end->fd >= 0 && S_ISREG(end->st.st_mode);
	return r;
}

/* e: from, to and law are filled. */
static int
check_ends(struct ends *e, bool replace, struct ambit_error *err)
{
	const struct ambit_place *from = e->from, *to = e->to;
	int r = take_end(from, &e->source, err);

	if (r == 0)
		r = take_end(to, &e->target, err);
	if (r < 0)
		return r;
	if (e->source.fd < 0)
		return err_sys(err, ENOENT, "%s", from->shown);
	if (streq(from->real, to->real))
		return err_set(err, EINVAL, "%s and %s are the same", from->shown, to->shown);
	if (S_ISDIR(e->source.st.st_mode) && str_beneath(to->real, from->real))
		return err_set(err, EINVAL, "%s lies in %s: it cannot go into itself", to->shown,
			from->shown);
	return e->target.fd >= 0 ? check_onto(e, replace, err) : 0;
}

static bool
is_one_inode(const struct ends *e)
{
	return e->target.fd >= 0 && e->source.st.st_dev == e->target.st.st_dev &&
	       e->source.st.st_ino == e->target.st.st_ino;
}

static int
fail_stale(const struct ends *e, struct ambit_error *err)
{
	return err_set(err, ESTALE, "%s or %s is not what it was when this was decided",
		e->from->shown, e->to->shown);
}

/* The copy, made beside the target, gets its name. */
static int
settle_copy(const struct ends *e, const char *temp, struct ambit_error *err)
{
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	auto_close int made = openat(e->to->parent, temp, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct hand_end copy = {
		.parent = e->to->parent, .name = temp, .real = e->to->real, .fd = made
	};
	int r;

	if (made < 0 || fstat(made, &copy.st) < 0)
		return fail_stale(e, err);
	file_turn_take(&turn, e->to->parent, -1, NULL);
	r = hand_settle_passed(e->law, &copy, &e->target);
	if (r == -ESTALE)
		return fail_stale(e, err);
	return r < 0 ? err_sys(err, -r, "%s", e->to->shown) : 0;
}

static int
copy_to_target(const struct ends *e, const struct file_watch *watch, struct ambit_error *err)
{
	char temp[RESOLVE_TEMP];
	int r;

	resolve_temp_name(temp);
	r = leftovers_note(e->list, e->to->parent, temp);
	if (r < 0)
		return err_sys(err, -r, "%s: cannot write the clean-up list", e->to->shown);
	r = tree_copy(e->from->parent, e->from->name, &e->source.st, e->to->parent, temp, e->list,
		watch, err);
	if (r < 0)
		err_context(err, "%s to %s: nothing was changed", e->from->shown, e->to->shown);
	else
		r = settle_copy(e, temp, err);
	if (r < 0)
		tree_discard(e->to->parent, temp);
	leftovers_forget(e->list);
	return r;
}

int
file_copy(struct pass *pass, const struct hand_law *law, const struct ambit_place *from,
	const struct ambit_place *to, bool replace, const struct file_watch *watch,
	struct ambit_error *err)
{
	auto_ends struct ends e = {
		.from = from,
		.to = to,
		.source.fd = -1,
		.target.fd = -1,
		.law = law,
		.list = pass ? pass->leftovers : NULL,
	};
	int r = pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", to->shown);
	r = check_ends(&e, replace, err);
	if (r == 0 && is_one_inode(&e))
		return err_set(err, EINVAL, "%s and %s are the same file", from->shown, to->shown);
	return r < 0 ? r : copy_to_target(&e, watch, err);
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

static int
rename_to(const struct ends *e)
{
	auto_file_turn struct file_turn turn = { { -1, -1 } };

	file_turn_take(&turn, e->from->parent, e->to->parent, NULL);
	return hand_move_passed(e->law, &e->source, &e->target, 0);
}

int
file_move(struct pass *pass, const struct hand_law *law, const struct ambit_place *from,
	const struct ambit_place *to, bool replace, const struct file_watch *watch,
	struct ambit_error *err)
{
	auto_ends struct ends e = {
		.from = from,
		.to = to,
		.source.fd = -1,
		.target.fd = -1,
		.law = law,
		.list = pass ? pass->leftovers : NULL,
	};
	int r = pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", to->shown);
	r = check_ends(&e, replace, err);
	if (r < 0)
		return r;
	/* Two names of one file: rename(2) would leave both. */
	if (is_one_inode(&e))
		return unlinkat(from->parent, from->name, 0) < 0
			       ? err_sys(err, errno, "%s", from->shown)
			       : 0;
	r = rename_to(&e);
	if (r == -EXDEV) {
		r = copy_to_target(&e, watch, err);
		return r < 0 ? r : remove_moved(&e, err);
	}
	if (r == -ESTALE)
		return fail_stale(&e, err);
	return r < 0 ? err_sys(err, -r, "%s to %s", from->shown, to->shown) : 0;
}
