/* SPDX-License-Identifier: Apache-2.0 */
/* From the directory where an archive was unpacked to the one it is meant for. All
 * names are looked at first: what is in the way is told before anything is moved.
 * What is new as a whole is moved as a whole. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "perform/act.h"
#include "perform/hand.h"
#include "perform/permit.h"
#include "scope/resolve.h"
#include "tools/archive/archive-unpack.h"

#define TOLD_MAX 10

struct merge {
	struct unpack *unpack;
	int dst;
	const char *dst_real;
	const struct hand_law *law;
	bool overwrite;
	void (*each)(void *data, const char *name);
	struct buf there;
	size_t n_there;
	size_t n_moved;
	struct ambit_error *err;
};

/* The directory that a row lies in, beneath dir. */
static int
open_parent(int dir, const char *name, const char **ret_base)
{
	const char *slash = strrchr(name, '/');
	auto_free char *parent = strndup(name, slash ? (size_t)(slash - name) : 0);

	*ret_base = slash ? slash + 1 : name;
	return parent ? unpack_open_dir(dir, parent) : -ENOMEM;
}

/* What is there by that name: 0; -ENOENT: nothing; -ELOOP: a symlink on the way. */
static int
stat_beneath_dir(int dir, const char *name, struct stat *ret_st)
{
	const char *base;
	auto_close int parent = open_parent(dir, name, &base);

	if (parent < 0)
		return parent;
	return fstatat(parent, base, ret_st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static void
in_the_way(struct merge *m, const char *name, const char *what)
{
	auto_free char *shown = str_escape(name, strlen(name));

	if (m->n_there++ < TOLD_MAX)
		buf_printf(
			&m->there, "%s%s%s", m->n_there > 1 ? ", " : "", shown ? shown : "?", what);
}

static int
check_row(struct merge *m, struct unpack_row *row)
{
	struct stat st;
	int r;

	if (row->gone || (row->parent != SIZE_MAX && m->unpack->rows[row->parent].moved)) {
		row->moved = true;
		return 0;
	}
	r = stat_beneath_dir(m->dst, row->name, &st);
	/* A directory that is not there is moved with all that it holds. */
	if (r == -ENOENT) {
		row->moved = row->kind == UNPACK_DIR;
		return 0;
	}
	if (r == -ELOOP || r == -ENOTDIR || r == -EXDEV)
		in_the_way(m, row->name, " (it goes through a symlink or a file)");
	else if (r < 0)
		return err_sys(m->err, -r, "%s", row->name);
	else if (row->kind == UNPACK_DIR && !S_ISDIR(st.st_mode))
		in_the_way(m, row->name, " (it is a directory in the archive)");
	else if (row->kind != UNPACK_DIR && !(m->overwrite && S_ISREG(st.st_mode)))
		in_the_way(m, row->name,
			S_ISREG(st.st_mode)   ? ""
			: S_ISDIR(st.st_mode) ? " (a directory)"
					      : " (no plain file)");
	return 0;
}

/* The staged entry must still be of the kind that was decided about, a link with its text. */
static int
hold_staged(const struct unpack_row *row, struct hand_end *end, int *ret_fd)
{
	static const mode_t kinds[] = {
		[UNPACK_DIR] = S_IFDIR, [UNPACK_FILE] = S_IFREG, [UNPACK_LINK] = S_IFLNK
	};
	char text[PATH_MAX];
	ssize_t n;

	*ret_fd = end->fd = openat(end->parent, end->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (end->fd < 0 || fstat(end->fd, &end->st) < 0)
		return -errno;
	if ((end->st.st_mode & S_IFMT) != kinds[row->kind])
		return -ESTALE;
	if (row->kind != UNPACK_LINK)
		return 0;
	n = readlinkat(end->fd, "", text, sizeof(text));
	return n == (ssize_t)strlen(row->target) && memcmp(text, row->target, (size_t)n) == 0
		       ? 0
		       : -ESTALE;
}

/* A file that is there goes only with overwrite; anything else is in the way. */
static int
hold_old(const struct merge *m, const struct unpack_row *row, struct hand_end *end, int *ret_fd)
{
	*ret_fd = end->fd = openat(end->parent, end->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (end->fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(end->fd, &end->st) < 0)
		return -errno;
	return m->overwrite && row->kind != UNPACK_DIR && S_ISREG(end->st.st_mode) ? 0 : -EEXIST;
}

static int
move_row(struct merge *m, struct unpack_row *row)
{
	const char *base;
	auto_close int to = open_parent(m->dst, row->name, &base);
	struct pass pass = m->unpack->pass(m->unpack->data);
	auto_free char *real = str_printf("%s/%s", m->dst_real, row->name);
	auto_close int staged = -1, there = -1;
	struct hand_end old = { .parent = to, .real = real, .fd = -1 }, new = { .real = real };
	int r;

	new.parent = unpack_open_parent(m->unpack, row->name, &base);
	new.name = old.name = base;
	if (to < 0 || new.parent < 0 || !real)
		return err_sys(m->err,
			to < 0		 ? -to
			: new.parent < 0 ? -new.parent
					 : ENOMEM,
			"%s", row->name);
	r = hold_staged(row, &new, &staged);
	if (r == 0)
		r = hold_old(m, row, &old, &there);
	if (r == 0)
		r = hand_settle(&pass, m->law, &new, &old);
	if (r < 0)
		return err_sys(m->err, -r, "%s", row->name);
	m->n_moved++;
	if (there >= 0)
		m->each(m->unpack->data, row->name);
	return 0;
}

/* moved says, after the checks: it comes along with a directory, or is one that is
 * moved. Only the topmost of those is renamed. */
static bool
is_carried(const struct merge *m, const struct unpack_row *row)
{
	return row->gone || (row->parent != SIZE_MAX && m->unpack->rows[row->parent].moved);
}

/* What is there already may have links of its own that one of ours now goes through. */
static int
check_link(struct merge *m, struct unpack_row *row)
{
	auto_close int fd =
		resolve_open(m->dst, row->name, O_PATH, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct pass pass = m->unpack->pass(m->unpack->data);
	const char *base;
	int r;

	if (fd != -EXDEV)
		return 0;
	auto_close int dir = open_parent(m->dst, row->name, &base);

	row->gone = true;
	unpack_leave(
		m->unpack, row->name, "it is a symlink that leads out, through one that was there");
	r = dir < 0 ? dir : act_unlink(&pass, dir, base, false);
	return r < 0 ? err_sys(m->err, -r, "%s", row->name) : 0;
}

static int
move_unpacked_rows(struct merge *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->unpack->n_rows; i++) {
		struct unpack_row *row = &m->unpack->rows[i];

		if (is_carried(m, row) || (row->kind == UNPACK_DIR && !row->moved))
			continue;
		r = move_row(m, row);
	}
	for (size_t i = 0; r == 0 && i < m->unpack->n_rows; i++)
		if (m->unpack->rows[i].kind == UNPACK_LINK && !m->unpack->rows[i].gone)
			r = check_link(m, &m->unpack->rows[i]);
	if (r < 0 && m->n_moved > 0)
		err_context(m->err, "%zu files or directories of it are in place, the rest is not",
			m->n_moved);
	return r;
}

int
unpack_merge(struct unpack *unpack, const struct hand_law *law, int dst, const char *dst_real,
	bool overwrite, void (*each)(void *data, const char *name), char **ret_there,
	struct ambit_error *err)
{
	struct merge m = {
		.unpack = unpack,
		.dst = dst,
		.dst_real = streq(dst_real, "/") ? "" : dst_real,
		.law = law,
		.overwrite = overwrite,
		.each = each,
		.err = err,
	};
	int r = 0;

	*ret_there = NULL;
	for (size_t i = 0; r == 0 && i < unpack->n_rows; i++)
		r = check_row(&m, &unpack->rows[i]);
	if (r == 0 && m.n_there > 0) {
		if (m.n_there > TOLD_MAX)
			buf_printf(&m.there, " and %zu more", m.n_there - TOLD_MAX);
		*ret_there = buf_take(&m.there);
		r = *ret_there
			    ? err_set(err, EEXIST, "%zu of its files are there already", m.n_there)
			    : err_nomem(err);
	}
	buf_finish(&m.there);
	return r < 0 ? r : move_unpacked_rows(&m);
}
