/* SPDX-License-Identifier: Apache-2.0 */
/* A permit and the text of a path, into a directory that is held open and a name
 * in it. Between the decision and this the tree may have changed, by the hand of
 * whoever wants something else to be written: so the text is resolved anew, what it
 * leads to must be what was decided, and its parent is opened from the root down
 * without any symlink. What is done afterwards is done on the descriptor. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "perform/act.h"
#include "perform/permit.h"

#define RESOLVE_PLAIN (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
#define MADE_MODE (0777 & ~022)

void
ambit_place_finish(struct ambit_place *place)
{
	if (!place)
		return;
	/* A zeroed place holds nothing, and 0 is somebody's descriptor. */
	if (place->real && place->parent >= 0)
		close(place->parent);
	free(place->real);
	free(place->shown);
	*place = (struct ambit_place){ .parent = -1 };
}

int
engine_permit_base(struct ambit_permit *permit, const struct ambit_request *request)
{
	const struct scope_dir *from = &permit->engine->scope->display;
	struct ambit_scope *child = NULL;
	int r;

	/* A system call's objects are held by the one who asked. */
	if (request_is_syscall(request))
		return 0;
	r = engine_child_scope(permit->engine, &request->scope, &child, NULL);
	if (r < 0)
		return r;
	if (child)
		from = &child->display;
	permit->base_fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
	r = permit->base_fd < 0 ? -errno : 0;
	permit->base = strdup(from->real);
	permit->cwd = str_dup(request->cwd);
	ambit_scope_destroy(child);
	if (r < 0)
		return r;
	return permit->base && (permit->cwd || !request->cwd) ? 0 : -ENOMEM;
}

/* -- what was decided ------------------------------------------------------------- */

static bool
is_dir(const struct path_facts *resolved)
{
	return resolved->exists && S_ISDIR(resolved->mode);
}

/* Whether a decision for one access is one for the other as well. Whoever may put
 * something else in its place may read what is to be replaced; a directory that may
 * be written into may not be taken away. */
static bool
is_access_covered(const struct permit_path *decided, enum ambit_access wanted)
{
	enum ambit_access had = decided->access;

	if (had == wanted)
		return true;
	switch (wanted) {
	case AMBIT_ACCESS_READ:
		return true;
	case AMBIT_ACCESS_WRITE:
		return had == AMBIT_ACCESS_REPLACE;
	case AMBIT_ACCESS_REPLACE:
		return had == AMBIT_ACCESS_WRITE && !is_dir(&decided->resolved);
	case AMBIT_ACCESS_MKDIR:
		return had == AMBIT_ACCESS_WRITE || had == AMBIT_ACCESS_REPLACE;
	case AMBIT_ACCESS_DELETE:
	case AMBIT_ACCESS_READ_TREE:
		return false;
	}
	return false;
}

static int
find_decided(const struct ambit_permit *permit, const struct path_facts *now,
	enum ambit_access access, const char *shown, const struct path_facts **ret,
	struct ambit_error *err)
{
	bool same = false, asked = false;

	for (size_t i = 0; i < permit->n_paths; i++) {
		const struct permit_path *path = &permit->paths[i];

		asked |= path->resolved.written && streq(path->resolved.written, now->written);
		if (!path->resolved.real || !streq(path->resolved.real, now->real))
			continue;
		same = true;
		if (is_access_covered(path, access)) {
			*ret = &path->resolved;
			return 0;
		}
	}
	if (asked && !same)
		return err_set(err, ESTALE, "%s leads elsewhere than when it was decided", shown);
	/* Not EACCES: that is what the file system says, and no fault of the call. */
	return err_set(err, EKEYREJECTED, "it was not decided whether this call may %s %s",
		ambit_word_name(ambit_accesses, (int)access), shown);
}

/* -- getting there ------------------------------------------------------------------ */

static int
open_dir(int at, const char *path)
{
	return resolve_open(at, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, RESOLVE_PLAIN);
}

struct permit_made {
	char *path; /* real */
	dev_t dev;
	ino_t ino;
};

/* That it is ours is known only now; if it cannot be kept in mind, it stays. */
static void
note_made(struct ambit_permit *permit, const char *dir, size_t len, int fd)
{
	struct permit_made *more = reallocarray(permit->made, permit->n_made + 1, sizeof(*more));
	char *path = strndup(dir, len);
	struct stat st;

	if (more)
		permit->made = more;
	if (!more || !path || fstat(fd, &st) < 0) {
		free(path);
		return;
	}
	more[permit->n_made++] = (struct permit_made){ path, st.st_dev, st.st_ino };
}

/* Not what has come into it since, nor what has its name by now. */
static void
remove_made_dir(struct ambit_permit *permit, const struct permit_made *made)
{
	const char *name = strrchr(made->path, '/') + 1;
	auto_free char *dir = strndup(made->path, (size_t)(name - made->path));
	auto_close int parent = dir ? open_dir(AT_FDCWD, dir) : -ENOMEM;
	struct pass pass;
	struct stat st;

	if (parent < 0 || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		st.st_dev != made->dev || st.st_ino != made->ino)
		return;
	permit_pass(permit, &pass);
	act_unlink(&pass, parent, name, true);
}

void
engine_permit_unmake(struct ambit_permit *permit, bool failed)
{
	while (permit->n_made > 0) {
		struct permit_made *last = &permit->made[--permit->n_made];

		if (failed)
			remove_made_dir(permit, last);
		free(last->path);
	}
	free(permit->made);
	permit->made = NULL;
}

/* The directories that are missing, each made and then opened as what it is. */
static int
make_dirs(struct ambit_permit *permit, const char *dir, int *ret_fd)
{
	auto_close int at = open_dir(AT_FDCWD, "/");
	auto_free char *path = strdup(dir);
	char *rest = NULL;
	int r = at < 0 ? at : path ? 0 : -ENOMEM;

	for (char *name = r < 0 ? NULL : strtok_r(path, "/", &rest); name && r == 0;
		name = strtok_r(NULL, "/", &rest)) {
		int fd = open_dir(at, name);

		if (fd == -ENOENT) {
			struct pass pass;

			permit_pass(permit, &pass);
			r = act_mkdir(&pass, at, name, MADE_MODE);
			/* Somebody else's is as good, if it is a directory. */
			fd = r < 0 && r != -EEXIST ? r : open_dir(at, name);
			if (r == 0 && fd >= 0)
				note_made(permit, dir, (size_t)(name - path) + strlen(name), fd);
			r = 0;
		}
		if (fd < 0)
			return fd;
		close(at);
		at = fd;
	}
	if (r == 0)
		*ret_fd = steal_fd(&at);
	return r;
}

static int
open_parent(struct ambit_permit *permit, const char *real, bool make, int *ret_fd,
	const char **ret_name)
{
	const char *slash = strrchr(real, '/');
	auto_free char *dir = strndup(real, slash == real ? 1 : (size_t)(slash - real));
	int fd;

	if (!dir)
		return -ENOMEM;
	*ret_name = slash[1] ? slash + 1 : ".";
	fd = open_dir(AT_FDCWD, dir);
	if (fd == -ENOENT && make)
		return make_dirs(permit, dir, ret_fd);
	if (fd >= 0)
		*ret_fd = fd;
	return fd < 0 ? fd : 0;
}

/* What lies there is what was decided, or still nothing. */
static int
check_unchanged(struct ambit_place *place, const struct path_facts *decided)
{
	struct stat st;

	if (fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT ? -errno : decided->exists ? -ESTALE : 0;
	if (!decided->exists || st.st_dev != decided->dev || st.st_ino != decided->ino ||
		(st.st_mode & S_IFMT) != (decided->mode & S_IFMT))
		return -ESTALE;
	place->exists = true;
	place->mode = st.st_mode;
	place->dev = st.st_dev;
	place->ino = st.st_ino;
	return 0;
}

static int
open_decided_place(struct ambit_permit *permit, const struct path_facts *decided, bool make,
	struct ambit_place *place, struct ambit_error *err)
{
	const char *name = "";
	int r = open_parent(permit, decided->real, make, &place->parent, &name);

	/* A link where a directory was when the path was resolved. */
	if (r == -ELOOP || (r == -ENOTDIR && !decided->exists))
		r = -ESTALE;
	if (r == -ENOENT)
		return err_set(err, ENOENT, "%s: the directory it would lie in is not there",
			place->shown);
	if (r == 0 && strlen(name) >= sizeof(place->name))
		r = -ENAMETOOLONG;
	if (r == 0) {
		memcpy(place->name, name, strlen(name) + 1);
		r = check_unchanged(place, decided);
	}
	if (r == -ESTALE)
		return err_set(
			err, ESTALE, "%s is not what it was when it was decided", place->shown);
	return r < 0 ? err_sys(err, -r, "%s", place->shown) : 0;
}

int
ambit_permit_place(struct ambit_permit *permit, const char *path, enum ambit_access access,
	bool follow, bool make, struct ambit_place *ret_place, struct ambit_error *err)
{
	struct ambit_place place = { .parent = -1 };
	struct ambit_scope view = { 0 };
	const struct path_facts *decided = NULL;
	struct path_facts now = { 0 };
	int r;

	*ret_place = (struct ambit_place){ .parent = -1 };
	if (!permit || permit->base_fd < 0)
		return err_set(err, EKEYREJECTED, "this permit is not for paths");
	view.display = (struct scope_dir){ .fd = permit->base_fd, .real = permit->base };
	r = scope_resolve(&view, permit->cwd, path, strlen(path), follow, &now, err);
	if (r < 0) {
		auto_free char *shown = str_escape(path, strlen(path));

		return err_context(err, "%s", shown ? shown : "?");
	}
	place.shown = ambit_scope_display(&view, now.written);
	place.real = strdup(now.real);
	r = place.shown && place.real ? 0 : err_nomem(err);
	if (r == 0)
		r = find_decided(permit, &now, access, place.shown, &decided, err);
	if (r == 0) {
		permit->placed = true;
		r = open_decided_place(permit, decided, make && access_writes(access), &place, err);
	}
	resolved_finish(&now);
	if (r < 0) {
		ambit_place_finish(&place);
		return r;
	}
	*ret_place = place;
	return 0;
}
