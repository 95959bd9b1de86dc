/* SPDX-License-Identifier: Apache-2.0 */
/* Files, directories and links beneath the directory that an archive is unpacked in.
 * Every one is opened from that directory's descriptor, with the kernel told to stay
 * beneath it and to follow nothing: a name that would lead out is an error, whoever
 * put a link on its way. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/act.h"
#include "perform/hand.h"
#include "perform/permit.h"
#include "scope/resolve.h"
#include "tools/archive/archive-unpack.h"

#define RESOLVE_HERE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

int
unpack_open_dir(int dir, const char *name)
{
	return resolve_open(
		dir, *name ? name : ".", O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, RESOLVE_HERE);
}

int
unpack_open_parent(struct unpack *unpack, const char *name, const char **ret_base)
{
	const char *slash = strrchr(name, '/');
	auto_free char *parent = strndup(name, slash ? (size_t)(slash - name) : 0);

	if (!parent)
		return -ENOMEM;
	*ret_base = slash ? slash + 1 : name;
	if (unpack->parent >= 0 && streq(unpack->parent_name, parent))
		return unpack->parent;
	if (unpack->parent >= 0)
		close(unpack->parent);
	unpack->parent = unpack_open_dir(unpack->dir, parent);
	free(unpack->parent_name);
	unpack->parent_name = steal_ptr(&parent);
	return unpack->parent;
}

/* Whether it may be made. False: it is left out. */
static bool
may_make_entry(struct unpack *unpack, const char *name, enum unpack_kind kind, const char *target)
{
	auto_free char *why = NULL;

	if (unpack->may(unpack->data, name, kind, target, &why))
		return true;
	unpack_leave(unpack, name, why ? why : "it could not be decided");
	return false;
}

static int
omit_entry(struct unpack *unpack, const char *name, const char *why)
{
	unpack_leave(unpack, name, why);
	return 1;
}

/* One directory whose parent is there. */
static int
make_one_dir(struct unpack *unpack, const char *name, size_t parent, size_t *ret_row,
	struct ambit_error *err)
{
	struct unpack_row *row = unpack_find(unpack, name);
	struct pass pass;
	const char *base;
	int fd, r;

	if (!row) {
		if (!may_make_entry(unpack, name, UNPACK_DIR, NULL))
			return 1;
		fd = unpack_open_parent(unpack, name, &base);
		pass = unpack->pass(unpack->data);
		r = fd < 0 ? fd : act_mkdir(&pass, fd, base, 0755);
		if (r < 0)
			return err_sys(err, -r, "%s", name);
		r = unpack_add(unpack, strdup(name), UNPACK_DIR, parent, &row, err);
		if (r < 0)
			return r;
	}
	if (row->kind != UNPACK_DIR)
		return 2;
	*ret_row = (size_t)(row - unpack->rows);
	return 0;
}

/* The directories on the way to name, each once. 1: name is left out. */
static int
make_parents(struct unpack *unpack, const char *name, size_t *ret_row, struct ambit_error *err)
{
	auto_free char *path = strdup(name);
	int r = path ? 0 : err_nomem(err);

	*ret_row = SIZE_MAX;
	for (char *slash = path; r == 0 && slash && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		r = make_one_dir(unpack, path, *ret_row, ret_row, err);
		*slash = '/';
	}
	if (r == 1)
		return omit_entry(unpack, name, "its directory was left out");
	if (r == 2)
		return omit_entry(unpack, name, "it goes through a link or a file of the archive");
	return r;
}

int
unpack_make_dir(struct unpack *unpack, const char *name, struct ambit_error *err)
{
	size_t parent, row;
	int r = make_parents(unpack, name, &parent, err);

	if (r == 0)
		r = make_one_dir(unpack, name, parent, &row, err);
	return r == 2 ? omit_entry(unpack, name, "it is in the archive twice, as different things")
		      : r;
}

/* A later file of the same name takes the earlier one's place, as in tar. */
static int
take_row(struct unpack *unpack, const char *name, size_t parent, struct ambit_error *err)
{
	struct unpack_row *row = unpack_find(unpack, name);
	struct pass pass;
	const char *base;
	int fd, r;

	if (!row)
		return may_make_entry(unpack, name, UNPACK_FILE, NULL)
			       ? unpack_add(unpack, strdup(name), UNPACK_FILE, parent, &row, err)
			       : 1;
	if (row->kind != UNPACK_FILE)
		return omit_entry(unpack, name, "it is in the archive twice, as different things");
	fd = unpack_open_parent(unpack, name, &base);
	pass = unpack->pass(unpack->data);
	r = fd < 0 ? fd : act_unlink(&pass, fd, base, false);
	return r < 0 && r != -ENOENT ? err_sys(err, -r, "%s", name) : 0;
}

int
unpack_make_file(struct unpack *unpack, const char *name, int *ret_fd, struct ambit_error *err)
{
	struct pass pass;
	const char *base;
	size_t parent;
	int r = make_parents(unpack, name, &parent, err), fd;

	if (r == 0)
		r = take_row(unpack, name, parent, err);
	if (r != 0)
		return r;
	fd = unpack_open_parent(unpack, name, &base);
	pass = unpack->pass(unpack->data);
	r = fd < 0 ? fd : act_open(&pass, fd, base, O_RDWR | O_CREAT | O_EXCL, 0600, ret_fd);
	if (r == -EEXIST) { /* a file system that does not tell case apart */
		unpack_find(unpack, name)->gone = true;
		return omit_entry(unpack, name, "there is one whose name differs by case only");
	}
	return r < 0 ? err_sys(err, -r, "%s", name) : 0;
}

int
unpack_make_link(
	struct unpack *unpack, const char *name, const char *target, struct ambit_error *err)
{
	const char *fault = unpack_target_fault(name, target);
	struct unpack_row *row;
	size_t parent;
	int r;

	if (fault)
		return omit_entry(unpack, name, fault);
	r = make_parents(unpack, name, &parent, err);
	if (r != 0)
		return r;
	if (unpack_find(unpack, name))
		return omit_entry(unpack, name, "it is in the archive twice, as different things");
	if (!may_make_entry(unpack, name, UNPACK_LINK, target))
		return 1;
	r = unpack_add(unpack, strdup(name), UNPACK_LINK, parent, &row, err);
	if (r < 0)
		return r;
	row->target = strdup(target);
	return row->target ? 0 : err_nomem(err);
}

/* The names have been checked by their text; this asks the kernel where they lead. */
static int
check_link(struct unpack *unpack, struct unpack_row *row)
{
	auto_close int fd = resolve_open(
		unpack->dir, row->name, O_PATH, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct pass pass;
	const char *base;
	int parent;

	if (fd != -EXDEV && fd != -ELOOP)
		return 0;
	parent = unpack_open_parent(unpack, row->name, &base);
	pass = unpack->pass(unpack->data);
	unpack_leave(unpack, row->name,
		fd == -ELOOP ? "it is a symlink to itself" : "it is a symlink that leads out");
	row->gone = true;
	return parent < 0 ? parent : act_unlink(&pass, parent, base, false);
}

int
unpack_set_links(struct unpack *unpack, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < unpack->n_rows; i++) {
		struct unpack_row *row = &unpack->rows[i];
		struct pass pass;
		const char *base;
		int fd;

		if (row->kind != UNPACK_LINK)
			continue;
		fd = unpack_open_parent(unpack, row->name, &base);
		pass = unpack->pass(unpack->data);
		r = fd < 0 ? fd : hand_make(&pass, fd, base, S_IFLNK, row->target, NULL);
		if (r < 0)
			return err_sys(err, -r, "%s", row->name);
	}
	for (size_t i = 0; r == 0 && i < unpack->n_rows; i++)
		if (unpack->rows[i].kind == UNPACK_LINK)
			r = check_link(unpack, &unpack->rows[i]);
	return r < 0 ? err_sys(err, -r, "symlinks of the archive") : 0;
}
