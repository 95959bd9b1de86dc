/* SPDX-License-Identifier: Apache-2.0 */
/* Most notified calls make, change or remove a file with a plain name inside
 * the folder, and end in CONTINUE. For these nothing needs to be held open: the
 * floor bounds them even if every word of this is raced, and whether a guard is
 * meant is asked for honest programs only. So the path is taken as text, from a
 * directory that the kernel names, and is believed to be what it says because
 * its parent was walked without meeting a symlink, just now or a few
 * milliseconds ago. Whatever is not that plain goes the whole way. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/gate-private.h"
#include "line/gate/gate-quick.h"
#include "line/object/path-text.h"
#include "perform/permit.h"
#include "request/request-object.h"

#define PARENTS 64
#define PARENT_MS 10 /* how long a directory is believed to be free of symlinks */

/* Only `until` has to be set: a page that no call needs is never touched, and
 * most commands need few. */
struct gate_quick {
	int64_t until[PARENTS]; /* 0: parents[i] holds nothing yet */
	struct parent {
		size_t len;
		char path[512];
	} parents[PARENTS];
	char text[2][PATH_MAX]; /* as copied; "": not */
	char path[2][PATH_MAX];
};

struct gate_quick *
gate_quick_create(void)
{
	struct gate_quick *quick = malloc(sizeof(*quick));

	if (quick)
		memset(quick->until, 0, sizeof(quick->until));
	return quick;
}

void
gate_quick_destroy(struct gate_quick *quick)
{
	free(quick);
}

/* -- paths --------------------------------------------------------------------- */

/* The n-th path of the call, absolute, in quick->path[n]. */
static bool
read_path(struct gate_quick *quick, struct call *call, unsigned n, int dirfd_arg, int path_arg)
{
	char *text = quick->text[n];

	if (target_string(&call->target, call->args[path_arg], text, PATH_MAX) <= 0) {
		text[0] = '\0';
		return false;
	}
	return path_text_absolute(&call->target,
		dirfd_arg >= 0 ? (int)call->args[dirfd_arg] : AT_FDCWD, text, quick->path[n]);
}

static bool
parent_is_plain(struct gate_quick *quick, const char *path)
{
	size_t len = (size_t)(strrchr(path, '/') - path);
	uint64_t hash = hash_fnv(HASH_FNV_START, path, len);
	int64_t now = clock_coarse(), *until;
	struct parent *known;
	int fd;

	known = &quick->parents[hash % PARENTS];
	until = &quick->until[hash % PARENTS];
	if (*until != 0 && *until >= now && known->len == len &&
		memcmp(known->path, path, len) == 0)
		return true;
	fd = path_text_open_parent(path);
	if (fd < 0)
		return false;
	close(fd);
	if (len < sizeof(known->path)) {
		memcpy(known->path, path, len);
		known->len = len;
		*until = now + PARENT_MS;
	}
	return true;
}

/* -- calls ---------------------------------------------------------------------- */

struct look {
	struct path_facts object[3];
	size_t n;
};

/* One path, looked at; of a new name nothing can be seen, and if it is not new
 * the call fails. False: it is not that plain. */
static bool
add_path_object(struct gate_quick *quick, const struct call *call, unsigned n,
	enum ambit_access access, bool new, struct look *look)
{
	const char *path = quick->path[n];
	struct stat st;
	bool exists;

	if (!floor_covers(call->gate->o.floor, path) || !parent_is_plain(quick, path))
		return false;
	exists = !new &&fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (!new && !exists && errno != ENOENT)
		return false;
	if (!(exists && call->row->op == OP_OPEN) && !floor_covers_name(call->gate->o.floor, path))
		return false;
	look->object[look->n++] = (struct path_facts){
		.access = access,
		.real = path,
		.written = path,
		.exists = exists,
		.mode = exists ? st.st_mode : 0,
		.dev = exists ? st.st_dev : 0,
		.ino = exists ? st.st_ino : 0,
		.nlink = exists ? st.st_nlink : 0,
	};
	return true;
}

/* The access mode and the flags; -1: not known. */
static int
read_open_flags(const struct call *call)
{
	switch (call->row->form) {
	case FORM_OPEN_FLAGS:
		return (int)call->args[(int)call->row->flags];
	case FORM_OPEN_CREAT:
		return O_WRONLY;
	default:
		return -1;
	}
}

static bool
look_open(struct gate_quick *quick, struct call *call, struct look *look)
{
	const struct sys_row *row = call->row;
	int flags = read_open_flags(call);

	if ((flags & (O_PATH | O_DIRECTORY)) || (flags & O_ACCMODE) == O_ACCMODE)
		return false;
	if (!read_path(quick, call, 0, row->dirfd, row->path) ||
		!add_path_object(quick, call, 0, AMBIT_ACCESS_WRITE,
			(flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL), look))
		return false;
	if (look->object[0].exists && !S_ISREG(look->object[0].mode))
		return false;
	if (look->object[0].exists && (flags & O_ACCMODE) != O_WRONLY) {
		look->object[1] = look->object[0];
		look->object[1].access = AMBIT_ACCESS_READ;
		look->n++;
	}
	return true;
}

static bool
add_call_path_object(struct gate_quick *quick, struct call *call, enum ambit_access access,
	bool new, struct look *look)
{
	return read_path(quick, call, 0, call->row->dirfd, call->row->path) &&
	       add_path_object(quick, call, 0, access, new, look);
}

static bool
share_parent(const char *a, const char *b)
{
	size_t len = (size_t)(strrchr(a, '/') - a);

	return (size_t)(strrchr(b, '/') - b) == len && memcmp(a, b, len) == 0;
}

/* In a git directory the floor has moves within one directory only. */
static bool
are_in_floor(const struct gate_quick *quick, const struct call *call)
{
	const struct floor *floor = call->gate->o.floor;

	return share_parent(quick->path[0], quick->path[1]) ||
	       (floor_covers_links(floor, quick->path[0]) &&
		       floor_covers_links(floor, quick->path[1]));
}

/* Directories bring along what they hold. */
static bool
look_two(struct gate_quick *quick, struct call *call, enum ambit_access from, enum ambit_access to,
	struct look *look)
{
	const struct sys_row *row = call->row;

	if (row->flags >= 0 && call->args[(int)row->flags] != 0)
		return false;
	/* Such a no stands on names. */
	if (gate_closes_reads(call->gate))
		return false;
	return read_path(quick, call, 0, row->dirfd, row->path) &&
	       read_path(quick, call, 1, row->dirfd2, row->path2) &&
	       add_path_object(quick, call, 0, from, false, look) && look->object[0].exists &&
	       S_ISREG(look->object[0].mode) && add_path_object(quick, call, 1, to, false, look) &&
	       are_in_floor(quick, call);
}

static bool
look_at_call(struct gate_quick *quick, struct call *call, struct look *ret_look)
{
	switch (call->row->op) {
	case OP_OPEN:
		return look_open(quick, call, ret_look);
	case OP_MKDIR:
		return add_call_path_object(quick, call, AMBIT_ACCESS_MKDIR, true, ret_look);
	case OP_UNLINK:
		return add_call_path_object(quick, call, AMBIT_ACCESS_DELETE, false, ret_look);
	case OP_SYMLINK: /* in a git directory it depends on its text */
		return add_call_path_object(quick, call, AMBIT_ACCESS_WRITE, true, ret_look) &&
		       floor_covers_links(call->gate->o.floor, quick->path[0]) &&
		       !gate_in_git(call->gate, quick->path[0]);
	case OP_RENAME:
		return look_two(quick, call, AMBIT_ACCESS_DELETE, AMBIT_ACCESS_REPLACE, ret_look);
	case OP_LINK:
		return look_two(quick, call, AMBIT_ACCESS_WRITE, AMBIT_ACCESS_WRITE, ret_look);
	default:
		return false;
	}
}

/* Read once: the whole way takes the same text. What ends in a slash is taken apart
 * there when it is read. */
static void
hand_over_paths(struct gate_quick *quick, struct call *call)
{
	for (unsigned n = 0; n < 2; n++) {
		size_t len = strlen(quick->text[n]);

		if (len > 0 && quick->text[n][len - 1] != '/' && !call->path[n])
			call->path[n] = strdup(quick->text[n]);
	}
}

bool
gate_quick_allows(struct gate_quick *quick, struct call *call)
{
	struct pass pass = { 0 };
	struct look found = { 0 };
	enum ambit_verdict verdict;

	quick->text[0][0] = quick->text[1][0] = '\0';
	if (!look_at_call(quick, call, &found)) {
		hand_over_paths(quick, call);
		return false;
	}
	gate_lock(call->gate);
	verdict = engine_allows_fast(call->gate->o.engine, found.object, found.n, &pass);
	/* The floor gives too much: what this very call means must be done, not continued. */
	if (verdict == AMBIT_ALLOW && engine_is_narrowed(call->gate->o.engine))
		verdict = AMBIT_ASK;
	gate_unlock(call->gate);
	if (verdict != AMBIT_ALLOW)
		hand_over_paths(quick, call);
	return verdict == AMBIT_ALLOW;
}
