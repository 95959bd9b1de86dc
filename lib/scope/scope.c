/* SPDX-License-Identifier: Apache-2.0 */
/* The folder as data: two directories held open, two switches, and where the
 * person's and ambit's own things are. Identity is the inode, not the name:
 * somebody who moves the folder away and puts another in its place has not
 * moved the line onto it. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/scope-narrow.h"
#include "scope/scope-private.h"

#define FOLDER_FILE ".ambit.json"

bool
access_writes(enum ambit_access access)
{
	return access != AMBIT_ACCESS_READ && access != AMBIT_ACCESS_READ_TREE;
}

static void
dir_finish(struct scope_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->real);
	free(dir->written);
	*dir = (struct scope_dir){ .fd = -1 };
}

static int
dir_open(int base_fd, const char *base, const char *path, struct scope_dir *ret,
	struct ambit_error *err)
{
	struct scope_dir dir = { .fd = -1 };
	int r;

	dir.fd = resolve_open(base_fd, path, O_PATH | O_DIRECTORY, 0, RESOLVE_NO_MAGICLINKS);
	if (dir.fd < 0)
		return err_sys(err, -dir.fd, "%s", path[0] ? path : "(empty)");
	r = resolve_fd(dir.fd, &dir.real, err);
	/* A folder one cannot enter has no inside that could be looked at. */
	if (r == 0 && faccessat(dir.fd, ".", X_OK, AT_EACCESS) < 0)
		r = err_sys(err, errno, "%s", path);
	if (r == 0) {
		dir.written = resolve_fold(base, path);
		if (!dir.written)
			r = err_nomem(err);
	}
	if (r < 0) {
		dir_finish(&dir);
		return r;
	}
	*ret = dir;
	return 0;
}

static int
dir_copy(const struct scope_dir *dir, struct scope_dir *ret, struct ambit_error *err)
{
	struct scope_dir copy = {
		.fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 3),
		.real = strdup(dir->real),
		.written = strdup(dir->written),
	};

	if (copy.fd < 0 || !copy.real || !copy.written) {
		int code = copy.fd < 0 ? errno : ENOMEM;

		dir_finish(&copy);
		return err_sys(err, code, "%s", dir->real);
	}
	*ret = copy;
	return 0;
}

static int
resolve_place(const char *path, bool follow, struct path_facts *ret, struct ambit_error *err)
{
	int r;

	if (path[0] != '/')
		return err_set(err, EINVAL, "%s is not an absolute path", path);
	r = resolve_path(AT_FDCWD, "/", path, strlen(path), follow, ret, err);
	return r < 0 ? err_context(err, "%s", path) : 0;
}

/* Places may not exist yet: the name hangs on what does. */
static int
find_real_place(const char *path, char **ret, struct ambit_error *err)
{
	struct path_facts resolved;
	int r = path ? resolve_place(path, true, &resolved, err) : 0;

	if (!path || r < 0)
		return r;
	*ret = resolved_take(&resolved);
	resolved_finish(&resolved);
	return 0;
}

static int
copy_place(const char *from, char **ret, struct ambit_error *err)
{
	*ret = str_dup(from);
	return from && !*ret ? err_nomem(err) : 0;
}

/* The file in use may be a symlink to anywhere: what it leads to, and the link. */
static int
settings_place(
	const struct ambit_places *places, struct ambit_scope *scope, struct ambit_error *err)
{
	auto_free char *file = NULL;
	struct path_facts name;
	int r;

	if (places->settings)
		file = strdup(places->settings);
	else if (places->config)
		file = str_printf("%s/config.json", places->config);
	if (!file)
		return places->settings || places->config ? err_nomem(err) : 0;
	r = resolve_place(file, false, &name, err);
	if (r < 0)
		return r;
	if (name.exists && S_ISLNK(name.mode))
		r = find_real_place(file, &scope->settings, err);
	else
		r = copy_place(name.real, &scope->settings, err);
	scope->settings_name = resolved_take(&name);
	resolved_finish(&name);
	return r;
}

/* Where a session may create what is its own, under their real names. One that
 * is not there, or is a link to the root, is none. */
static const char *const scratch[] = { "/tmp", "/var/tmp", "/dev/shm" };
#define SCRATCH_N (sizeof(scratch) / sizeof(scratch[0]))

_Static_assert(SCRATCH_N == sizeof(((struct ambit_scope *)0)->scratch) / sizeof(char *),
	"a slot for each scratch directory");

static int
find_scratch(struct ambit_scope *scope, struct ambit_error *err)
{
	for (size_t i = 0; i < SCRATCH_N; i++) {
		struct path_facts at = { 0 };
		int r = resolve_path(
			AT_FDCWD, "/", scratch[i], strlen(scratch[i]), true, &at, NULL);

		if (r == -ENOMEM)
			return err_nomem(err);
		if (r == 0 && at.exists && S_ISDIR(at.mode) && !streq(at.real, "/"))
			scope->scratch[i] = resolved_take(&at);
		resolved_finish(&at);
	}
	return 0;
}

static void
note_own(struct ambit_scope *scope, int dirfd, const char *path)
{
	struct stat st;

	if (fstatat(dirfd, path, &st, 0) == 0 && S_ISREG(st.st_mode))
		scope->own[scope->n_own++] = (struct scope_own){ st.st_dev, st.st_ino };
}

/* A hard link to the settings or the record is known by its inode. A symlink
 * has been resolved: places are real paths. */
static int
find_own(struct ambit_scope *scope, struct ambit_error *err)
{
	auto_free char *record = scope->state ? str_printf("%s/ambit.db", scope->state) : NULL;

	if (scope->state && !record)
		return err_nomem(err);
	if (scope->settings)
		note_own(scope, AT_FDCWD, scope->settings);
	if (record)
		note_own(scope, AT_FDCWD, record);
	note_own(scope, scope->root.fd, FOLDER_FILE);
	note_own(scope, scope->display.fd, FOLDER_FILE);
	return 0;
}

static int
finish_create(
	struct ambit_scope *scope, int r, struct ambit_scope **ret_scope, struct ambit_error *err)
{
	if (r == 0 && !str_beneath(scope->root.real, scope->display.real))
		r = err_set(err, EINVAL, "the folder %s is not inside the workspace %s",
			scope->root.real, scope->display.real);
	if (r < 0) {
		ambit_scope_destroy(scope);
		return r;
	}
	*ret_scope = scope;
	return 0;
}

int
ambit_scope_create(const struct ambit_scope_options *options, struct ambit_scope **ret_scope,
	struct ambit_error *err)
{
	struct ambit_scope *scope = calloc(1, sizeof(*scope));
	auto_free char *cwd = getcwd(NULL, 0);
	const char *base = cwd ? cwd : "/";
	int r;

	if (!scope)
		return err_nomem(err);
	scope->root.fd = scope->display.fd = -1;
	scope->enforce_write = options->enforce_write;
	scope->allow_bash = options->allow_bash;
	scope->one = !options->display_root;
	r = dir_open(AT_FDCWD, base, options->root, &scope->root, err);
	if (r == 0 && scope->one)
		r = dir_copy(&scope->root, &scope->display, err);
	else if (r == 0)
		r = dir_open(AT_FDCWD, base, options->display_root, &scope->display, err);
	if (r == 0)
		r = find_real_place(options->places.home, &scope->home, err);
	if (r == 0)
		r = find_real_place(options->places.config, &scope->config, err);
	if (r == 0)
		r = settings_place(&options->places, scope, err);
	if (r == 0)
		r = find_real_place(options->places.state, &scope->state, err);
	if (r == 0)
		r = find_real_place(options->places.runtime, &scope->runtime, err);
	if (r == 0)
		r = find_scratch(scope, err);
	if (r == 0)
		r = find_own(scope, err);
	return finish_create(scope, r, ret_scope, err);
}

int
scope_protect_folder(struct ambit_scope *scope, const char *real, struct ambit_error *err)
{
	return strv_append(&scope->above, real) < 0 ? err_nomem(err) : 0;
}

/* What is ambit's own for the parent is so for the child, wherever its folders are. */
static int
protect_above(struct ambit_scope *scope, const struct ambit_scope *parent, struct ambit_error *err)
{
	int r = scope_protect_folder(scope, parent->root.real, err);

	if (r == 0)
		r = scope_protect_folder(scope, parent->display.real, err);
	for (char **above = parent->above; r == 0 && above && *above; above++)
		r = scope_protect_folder(scope, *above, err);
	return r;
}

static int
open_child_dirs(struct ambit_scope *scope, const struct ambit_scope *parent,
	const struct ambit_scope_options *options, struct ambit_error *err)
{
	const struct scope_dir *base = &parent->display;
	int r = options->root ? dir_open(base->fd, base->real, options->root, &scope->root, err)
			      : dir_copy(&parent->root, &scope->root, err);

	if (r == 0 && !str_beneath(scope->root.real, parent->root.real)) {
		auto_free char *shown = ambit_scope_display(parent, scope->root.real);

		return err_set(err, EPERM, "the scope's root %s is not inside the folder %s",
			shown ? shown : "?", parent->root.real);
	}
	if (r == 0)
		r = dir_open(base->fd, base->real,
			options->display_root ? options->display_root : ".", &scope->display, err);
	return r;
}

int
ambit_scope_child(const struct ambit_scope *parent, const struct ambit_scope_options *options,
	struct ambit_scope **ret_scope, struct ambit_error *err)
{
	struct ambit_scope *scope = calloc(1, sizeof(*scope));
	int r;

	if (!scope)
		return err_nomem(err);
	scope->root.fd = scope->display.fd = -1;
	scope->enforce_write = parent->enforce_write || options->enforce_write;
	scope->allow_bash = parent->allow_bash && options->allow_bash;
	r = open_child_dirs(scope, parent, options, err);
	if (r == 0)
		r = protect_above(scope, parent, err);
	if (r == 0)
		r = copy_place(parent->home, &scope->home, err);
	if (r == 0)
		r = copy_place(parent->config, &scope->config, err);
	if (r == 0)
		r = copy_place(parent->settings, &scope->settings, err);
	if (r == 0)
		r = copy_place(parent->settings_name, &scope->settings_name, err);
	if (r == 0)
		r = copy_place(parent->state, &scope->state, err);
	if (r == 0)
		r = copy_place(parent->runtime, &scope->runtime, err);
	for (char **pool = parent->pools; r == 0 && pool && *pool; pool++)
		r = strv_append(&scope->pools, *pool) < 0 ? err_nomem(err) : 0;
	for (size_t i = 0; r == 0 && i < SCRATCH_N; i++)
		r = copy_place(parent->scratch[i], &scope->scratch[i], err);
	if (r == 0)
		r = scope_copy_narrowing(parent, scope, err);
	memcpy(scope->own, parent->own, sizeof(scope->own));
	scope->n_own = parent->n_own;
	return finish_create(scope, r, ret_scope, err);
}

void
ambit_scope_destroy(struct ambit_scope *scope)
{
	if (!scope)
		return;
	dir_finish(&scope->root);
	dir_finish(&scope->display);
	free(scope->home);
	free(scope->config);
	free(scope->settings);
	free(scope->settings_name);
	free(scope->state);
	free(scope->runtime);
	strv_free(scope->pools);
	strv_free(scope->only);
	strv_free(scope->above);
	free(scope->only_by);
	for (size_t i = 0; i < SCRATCH_N; i++)
		free(scope->scratch[i]);
	free(scope);
}

const char *
ambit_scope_root(const struct ambit_scope *scope)
{
	return scope->root.real;
}

const char *
ambit_scope_display_root(const struct ambit_scope *scope)
{
	return scope->display.real;
}

bool
ambit_scope_enforces_write(const struct ambit_scope *scope)
{
	return scope->enforce_write;
}

bool
ambit_scope_allows_bash(const struct ambit_scope *scope)
{
	return scope->allow_bash;
}

char *
ambit_scope_display(const struct ambit_scope *scope, const char *path)
{
	const char *base = scope->display.real;
	size_t n = strlen(base);

	if (str_beneath(path, base)) {
		path += n == 1 ? 1 : n + (path[n] == '/');
		if (!*path)
			path = ".";
	}
	return str_escape(path, strlen(path));
}

/* Where it was moved to. Its old name may lead elsewhere now. */
static int
dir_moved(struct scope_dir *dir, const char *to, struct ambit_error *err)
{
	char *real = strdup(to), *written = strdup(to);

	if (!real || !written) {
		free(real);
		free(written);
		return err_nomem(err);
	}
	free(dir->real);
	free(dir->written);
	dir->real = real;
	dir->written = written;
	return 0;
}

static int
dir_refresh(struct scope_dir *dir, struct ambit_error *err)
{
	auto_free char *real = NULL;
	int r = resolve_fd(dir->fd, &real, err);

	if (r < 0)
		return err_context(err, "the folder %s", dir->real);
	return streq(real, dir->real) ? 0 : dir_moved(dir, real, err);
}

int
scope_refresh(struct ambit_scope *scope, struct ambit_error *err)
{
	int r = dir_refresh(&scope->root, err);

	if (r == 0 && !scope->one)
		r = dir_refresh(&scope->display, err);
	else if (r == 0 && !streq(scope->display.real, scope->root.real))
		r = dir_moved(&scope->display, scope->root.real, err);
	return r;
}

int
scope_resolve(const struct ambit_scope *scope, const char *cwd, const char *path, size_t len,
	bool follow, struct path_facts *ret, struct ambit_error *err)
{
	struct scope_dir dir = { .fd = -1 };
	int r;

	if (!cwd || (len > 0 && path[0] == '/'))
		return resolve_path(
			scope->display.fd, scope->display.real, path, len, follow, ret, err);
	r = dir_open(scope->display.fd, scope->display.real, cwd, &dir, err);
	if (r < 0)
		return err_context(err, "its cwd");
	r = resolve_path(dir.fd, dir.written, path, len, follow, ret, err);
	dir_finish(&dir);
	return r;
}

bool
scope_holds(const struct ambit_scope *scope, const char *real)
{
	return str_beneath(real, scope->root.real);
}

bool
scope_says_inside(const struct ambit_scope *scope, const char *written)
{
	return str_beneath(written, scope->root.real) || str_beneath(written, scope->root.written);
}

bool
scope_scratch(const struct ambit_scope *scope, const char *real)
{
	bool beneath = false;

	for (size_t i = 0; i < SCRATCH_N; i++) {
		if (scope->scratch[i] && streq(real, scope->scratch[i]))
			return false;
		beneath |= scope->scratch[i] && str_beneath(real, scope->scratch[i]);
	}
	return beneath;
}

/* Beneath it, or above it with an access that would take it along. */
static bool
may_touch_dir(const char *real, const char *dir, enum ambit_access access)
{
	if (!dir)
		return false;
	if (str_beneath(real, dir))
		return true;
	return (access == AMBIT_ACCESS_DELETE || access == AMBIT_ACCESS_REPLACE) &&
	       str_beneath(dir, real);
}

static bool
is_folder_file(const char *dir, const char *real)
{
	size_t n = strlen(dir);

	if (!str_beneath(real, dir))
		return false;
	real += n == 1 ? 0 : n;
	return real[0] == '/' &&
	       glob_match(FOLDER_FILE, sizeof(FOLDER_FILE) - 1, real + 1, strlen(real + 1), true);
}

static bool
is_any_folder_file(const struct ambit_scope *scope, const char *real)
{
	if (is_folder_file(scope->root.real, real) || is_folder_file(scope->display.real, real))
		return true;
	for (char **above = scope->above; above && *above; above++)
		if (is_folder_file(*above, real))
			return true;
	return false;
}

static bool
is_own(const struct ambit_scope *scope, const struct path_facts *resolved)
{
	for (size_t i = 0; resolved->exists && i < scope->n_own; i++)
		if (resolved->ino == scope->own[i].ino && resolved->dev == scope->own[i].dev)
			return true;
	return false;
}

static bool
settings_lie_in(const struct ambit_scope *scope, const char *real)
{
	const char *const places[] = { scope->config, scope->settings, scope->settings_name };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i] && str_beneath(real, places[i]))
			return false;
	return true;
}

/* A session that starts later is not to move or fill the directories that another made ahead:
 * those have rights. By their name they are known also when they came later. */
static bool
holds_pool(const struct ambit_scope *scope, const char *real, enum ambit_access access)
{
	for (char **pool = scope->pools; pool && *pool; pool++)
		if (may_touch_dir(real, *pool, access))
			return true;
	return false;
}

const char *
scope_protects(const struct ambit_scope *scope, const struct path_facts *resolved,
	enum ambit_access access)
{
	const char *real = resolved->real;

	if (may_touch_dir(real, scope->state, access))
		return str_beneath(real, scope->state) ? "is ambit's record"
						       : "holds ambit's record";
	if (may_touch_dir(real, scope->runtime, access))
		return str_beneath(real, scope->runtime) ? "is ambit's sockets"
							 : "holds ambit's sockets";
	if (!access_writes(access))
		return NULL;
	if (may_touch_dir(real, scope->config, access) ||
		may_touch_dir(real, scope->settings, access) ||
		may_touch_dir(real, scope->settings_name, access))
		return settings_lie_in(scope, real) ? "holds ambit's settings"
						    : "is ambit's settings";
	if (resolve_is_pool(real) || holds_pool(scope, real, access))
		return resolve_is_pool(real) ? "is a directory that ambit made for a session"
					     : "holds a directory that ambit made for a session";
	if (is_own(scope, resolved))
		return "is another name of a file that is ambit's own";
	if (is_any_folder_file(scope, real))
		return "is ambit's settings for this folder";
	/* Whoever has it open when it gets its name writes to what that name guards; one that
	 * is gone gets none. */
	if (access != AMBIT_ACCESS_DELETE && resolve_is_temp(real))
		return "is what ambit is writing just now";
	return NULL;
}
