/* SPDX-License-Identifier: Apache-2.0 */
/* Says which pseudo-terminals are the session's own. Two things must hold: the gate itself
 * opened the master, and a process of the tree has that master open now. The kernel tells
 * both; no word of a program counts.
 *
 * An index is given out again as soon as a terminal is gone, so neither a name in /dev/pts nor the
 * index of a master says anything. But an O_PATH descriptor of a slave means one terminal: when
 * the master is closed it loses its name, and opening it anew is EIO. Such a descriptor is taken
 * when the gate opens a master, and kept while that terminal lives (session-objects.h).
 *
 * The order for an open therefore is: hold the slave by O_PATH, then see that the kept terminal of
 * that number lives, then see a master of that index in the tree, then open what is held. If that
 * opens, the terminal lived all the time, and the master that was seen is its own. No copy of a
 * master is needed, and nobody else's slave is ever opened. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/calls/own-terminal.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"
#include "line/process/descriptors.h"
#include "line/process/tree.h"

#define PTMX makedev(5, 2)
#define PTS "/dev/pts"
#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define LOOKS 16384 /* at processes and descriptors, in one search: there can be any number */

/* How the kernel shows an open ptmx, in the fdinfo of a descriptor. */
struct ptmx {
	uint64_t mount, inode;
};

struct search {
	const struct tree *tree;
	struct ptmx ptmx[2];
	unsigned n_ptmx;
	unsigned index;
	int process; /* the one in whose descriptors it looks */
	char fd[21]; /* its descriptor that was found */
	int left;
};

/* -- masters ----------------------------------------------------------------------- */

static bool
is_on_device(const struct statx *stx, const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && st.st_dev == makedev(stx->stx_dev_major, stx->stx_dev_minor);
}

/* A ptmx that makes terminals in /dev/pts: it lies there, or in /dev beside it. One that is
 * mounted over from elsewhere makes them elsewhere. */
static void
add_ptmx(struct search *search, const char *path)
{
	struct statx stx;

	if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_INO | STATX_MNT_ID, &stx) < 0 ||
		!(stx.stx_mask & STATX_MNT_ID) ||
		makedev(stx.stx_rdev_major, stx.stx_rdev_minor) != PTMX ||
		(!is_on_device(&stx, PTS) && !is_on_device(&stx, "/dev")))
		return;
	search->ptmx[search->n_ptmx++] =
		(struct ptmx){ .mount = stx.stx_mnt_id, .inode = stx.stx_ino };
}

static void
init_search(struct search *search, const struct call *call, unsigned index)
{
	*search = (struct search){
		.tree = &call->gate->o.tree,
		.index = index,
		.left = LOOKS,
	};
	add_ptmx(search, "/dev/ptmx");
	add_ptmx(search, PTS "/ptmx");
}

static bool
read_number(const char *text, const char *name, uint64_t *ret_number)
{
	const char *at = strstr(text, name);

	if (!at)
		return false;
	*ret_number = strtoull(at + strlen(name), NULL, 10);
	return true;
}

/* The index of the terminal whose master the descriptor is; -ENOTTY: it is none. process:
 * its directory in /proc. All of it comes from one look, so that it is about one file. */
static int
read_master(const struct search *search, int process, const char *fd)
{
	char path[48], text[1024];
	uint64_t mount, inode, index;
	ssize_t n;

	snprintf(path, sizeof(path), "fdinfo/%.20s", fd);
	auto_close int info = openat(process, path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return errno == ENOENT ? -EBADF : -EACCES;
	n = read(info, text, sizeof(text) - 1);
	if (n < 0)
		return errno == ENOENT ? -EBADF : -EACCES;
	text[n] = '\0';
	if (!read_number(text, "\nmnt_id:", &mount) || !read_number(text, "\nino:", &inode) ||
		!read_number(text, "\ntty-index:", &index) || index > INT_MAX)
		return -ENOTTY;
	for (unsigned i = 0; i < search->n_ptmx; i++)
		if (search->ptmx[i].mount == mount && search->ptmx[i].inode == inode)
			return (int)index;
	return -ENOTTY;
}

/* -- holders ----------------------------------------------------------------------- */

/* By its name at first: most descriptors are something else. */
static bool
is_wanted_master(void *data, const char *fd, const char *file)
{
	struct search *search = data;

	if ((!streq(file, "/dev/ptmx") && !streq(file, PTS "/ptmx")) ||
		read_master(search, search->process, fd) != (int)search->index)
		return false;
	snprintf(search->fd, sizeof(search->fd), "%.20s", fd);
	return true;
}

/* The directory in /proc stays that of one process. Its number is another's once it is gone, but
 * then the second look at its descriptor fails. */
static bool
holds_master(void *data, pid_t pid)
{
	struct search *search = data;
	auto_close int process = search->left-- > 0 ? descriptors_open_process(pid) : -1;

	search->process = process;
	return process >= 0 &&
	       descriptors_search(process, is_wanted_master, search, &search->left) &&
	       tree_holds(search->tree, pid) &&
	       read_master(search, process, search->fd) == (int)search->index;
}

/* -- what the calls ask -------------------------------------------------------------- */

bool
own_terminal_is_any(const struct object *object)
{
	return object->exists && object_is_pty_slave(&object->st);
}

static bool
is_in_pts(const struct object *object)
{
	struct stat st;

	return own_terminal_is_any(object) && !object->gone && stat(PTS, &st) == 0 &&
	       st.st_dev == object->st.st_dev;
}

bool
own_terminal_is(struct call *call, const struct object *object)
{
	unsigned index = minor(object->st.st_rdev);
	struct search search;

	if (!is_in_pts(object) || !session_objects_has_terminal(call->gate->made, &object->st))
		return false;
	init_search(&search, call, index);
	return tree_search(search.tree, call->target.tid, holds_master, &search);
}

bool
own_terminal_is_new(const struct call *call, const struct object *object)
{
	return object->exists && S_ISCHR(object->st.st_mode) && object->st.st_rdev == PTMX &&
	       gate_covers(call->gate, object->real);
}

/* Without room for it, it is not the session's own. The slave is that of this master, and not
 * looked up by its name; O_PATH does not open it, so a locked one will do. */
void
own_terminal_made(struct call *call, int master)
{
	auto_close int slave = ioctl(master, TIOCGPTPEER, O_PATH | O_CLOEXEC);

	if (slave >= 0)
		session_objects_add_terminal(call->gate->made, slave);
}

int
own_terminal_find_peer(struct call *call)
{
	auto_close int process = descriptors_open_process(call->target.tid);
	struct search search;
	char fd[16], path[32];
	int index, r;

	init_search(&search, call, 0);
	snprintf(fd, sizeof(fd), "%d", (int)call->args[0]);
	index = process < 0 ? -ESRCH : read_master(&search, process, fd);
	if (index < 0)
		return index;
	snprintf(path, sizeof(path), PTS "/%d", index);
	r = object_resolve_itself(&call->object[0], &call->target, AT_FDCWD, path, OBJECT_NOFOLLOW);
	if (r < 0)
		return r;
	call->n_objects = 1;
	/* Again, now that the slave is held: the descriptor may be another's. Last of all, that
	 * the session's own terminal lived until now: so it was the one that was looked at. */
	if (!is_in_pts(&call->object[0]) || minor(call->object[0].st.st_rdev) != (unsigned)index ||
		read_master(&search, process, fd) != index ||
		!session_objects_has_terminal(call->gate->made, &call->object[0].st))
		return -EACCES;
	return 0;
}
