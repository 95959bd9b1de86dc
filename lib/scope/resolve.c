/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the text of a path into the one object it names. The kernel does the
 * looking (openat2, O_PATH); where the last names do not exist yet, the same
 * steps are taken one component at a time, so that what is missing hangs on
 * an ancestor that was really looked at. Nothing here decides anything, and
 * nothing of the text is trusted: it comes from a model. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "scope/resolve-private.h"
#include "scope/resolve.h"

#define LINKS_MAX 40 /* as the kernel */
#define TRIES_MAX 128

#define TEMP ".ambit-"
#define TEMP_LETTERS (RESOLVE_TEMP - sizeof(TEMP))

void
resolved_finish(struct path_facts *resolved)
{
	if (!resolved)
		return;
	free((char *)resolved->real);
	free((char *)resolved->written);
	*resolved = (struct path_facts){ 0 };
}

int
resolve_open(int dirfd, const char *path, int flags, mode_t mode, unsigned long long resolve)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC),
		.mode = mode,
		.resolve = resolve,
	};

	/* EAGAIN: a rename raced with "..", and the kernel asks us to try again;
	 * or somebody holds a lease, which does not go away by trying. */
	for (int tries = 0;; tries++) {
		long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

		if (fd < 0 && (errno == EINTR || errno == EAGAIN) && tries < TRIES_MAX)
			continue;
		if (fd < 0 && errno == ENOSYS)
			return resolve_walk(dirfd, path, flags, mode, resolve);
		return fd < 0 ? -errno : (int)fd;
	}
}

char *
resolve_fold(const char *base, const char *path)
{
	struct buf out = { 0 };

	if (path[0] != '/')
		buf_puts(&out, streq(base, "/") ? "" : base);
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (out.len > 0 && out.data[--out.len] != '/')
				;
			if (out.data)
				out.data[out.len] = '\0';
		} else if (n > 0 && !(n == 1 && p[0] == '.')) {
			buf_putc(&out, '/');
			buf_append(&out, p, n);
		}
		p += n + (p[n] == '/');
	}
	if (out.len == 0)
		buf_putc(&out, '/');
	return buf_take(&out);
}

int
resolve_fd(int fd, char **ret_path, struct ambit_error *err)
{
	static const char mark[] = " (deleted)";
	char link[64], path[PATH_MAX + 1];
	struct stat a, b;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n < 0)
		return err_sys(err, errno,
			errno == ENOENT ? "cannot see paths: is /proc mounted?"
					: "cannot see its path");
	if (n == 0 || (size_t)n >= sizeof(path) || path[0] != '/')
		return err_set(err, n > 0 && path[0] == '/' ? ENAMETOOLONG : ENOENT,
			"it has no path that can be named here");
	path[n] = '\0';
	/* A file may really be called "x (deleted)". */
	if ((size_t)n >= sizeof(mark) && streq(path + n - (sizeof(mark) - 1), mark))
		if (fstat(fd, &a) < 0 || fstatat(AT_FDCWD, path, &b, AT_SYMLINK_NOFOLLOW) < 0 ||
			a.st_dev != b.st_dev || a.st_ino != b.st_ino)
			return err_set(err, ENOENT, "it was deleted");
	*ret_path = strdup(path);
	return *ret_path ? 0 : err_nomem(err);
}

static bool
on_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* /proc/self was followed by us and so became our own process; for the one
 * who asked it is another. A name is not decided on by looking at a different
 * object, so such paths have no meaning here. */
static bool
is_own_proc(int fd, const char *real)
{
	char own[32];
	const char *at;
	size_t n = (size_t)snprintf(own, sizeof(own), "/%d", (int)getpid());

	for (at = strstr(real, own); at; at = strstr(at + 1, own))
		if (at[n] == '/' || at[n] == '\0')
			return on_proc(fd);
	return false;
}

static int
fill_resolved(int fd, struct path_facts *ret, struct ambit_error *err)
{
	struct stat st;
	char *real = NULL;
	int r = resolve_fd(fd, &real, err);

	ret->real = real;
	if (r < 0)
		return r;
	if (is_own_proc(fd, ret->real))
		return err_set(err, ELOOP, "/proc/self means another process here");
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot look at it");
	ret->exists = true;
	ret->mode = st.st_mode;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->nlink = st.st_nlink;
	return 0;
}

struct walk {
	int at;		    /* the directory (or last object) reached */
	char *todo;	    /* text still to go */
	struct buf missing; /* "/a/b": names that do not exist, beneath `at` */
	int links;
	bool follow;
};

static int
step_to_parent(struct walk *w)
{
	if (w->missing.len > 0) {
		/* A name that does not exist is no symlink: ".." after it is
		 * what it would be, once somebody makes it a directory. */
		while (w->missing.data[--w->missing.len] != '/')
			;
		w->missing.data[w->missing.len] = '\0';
		return 0;
	}
	int up = resolve_open(w->at, "..", O_PATH | O_DIRECTORY, 0, 0);

	if (up < 0)
		return up;
	close(w->at);
	w->at = up;
	return 0;
}

static int
step_link(struct walk *w, int link, const char *rest)
{
	char target[PATH_MAX + 1];
	ssize_t n;

	if (on_proc(link) || ++w->links > LINKS_MAX)
		return -ELOOP;
	n = readlinkat(link, "", target, sizeof(target));
	if (n < 0)
		return -errno;
	if (n == 0 || (size_t)n >= sizeof(target))
		return n == 0 ? -ENOENT : -ENAMETOOLONG;
	target[n] = '\0';
	if (target[0] == '/') {
		int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (root < 0)
			return -errno;
		close(w->at);
		w->at = root;
	}
	if ((size_t)n + strlen(rest) + 2 > 2 * PATH_MAX)
		return -ENAMETOOLONG;
	char *todo = str_printf("%s%s", target, rest);

	if (!todo)
		return -ENOMEM;
	free(w->todo);
	w->todo = todo;
	return 0;
}

/* One component: name[0..n), with rest behind it (empty, or begins with '/'). */
static int
walk_component(struct walk *w, const char *name, size_t n, const char *rest)
{
	char one[NAME_MAX + 1];
	struct stat st;
	bool last = rest[0] == '\0';

	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(one, name, n);
	one[n] = '\0';
	if (w->missing.len == 0) {
		int fd = resolve_open(w->at, one, O_PATH | O_NOFOLLOW, 0, RESOLVE_NO_MAGICLINKS);

		if (fd < 0 && fd != -ENOENT)
			return fd;
		if (fd >= 0) {
			auto_close int found = fd;

			if (fstat(found, &st) < 0)
				return -errno;
			if (S_ISLNK(st.st_mode) && (!last || w->follow))
				return step_link(w, found, rest);
			close(w->at);
			w->at = steal_fd(&found);
			memmove(w->todo, rest, strlen(rest) + 1);
			return 0;
		}
	}
	buf_putc(&w->missing, '/');
	buf_append(&w->missing, one, n);
	memmove(w->todo, rest, strlen(rest) + 1);
	return w->missing.failed ? -ENOMEM : 0;
}

static int
walk_path_components(struct walk *w)
{
	int r;

	while (w->todo[0]) {
		char *name = w->todo + strspn(w->todo, "/");
		size_t n = strcspn(name, "/");

		if (n == 0)
			return 0;
		if (n == 1 && name[0] == '.') {
			memmove(w->todo, name + 1, strlen(name + 1) + 1);
		} else if (n == 2 && name[0] == '.' && name[1] == '.') {
			r = step_to_parent(w);
			if (r < 0)
				return r;
			memmove(w->todo, name + 2, strlen(name + 2) + 1);
		} else {
			r = walk_component(w, name, n, name + n);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* The missing names, "/a/b", hang on the directory at. */
static int
append_missing_names(int at, const char *missing, struct path_facts *ret, struct ambit_error *err)
{
	int r = fill_resolved(at, ret, err);
	auto_free char *dir = resolved_take(ret);

	if (r < 0)
		return r;
	ret->exists = false;
	ret->real = str_printf("%s%s", streq(dir, "/") ? "" : dir, missing);
	if (!ret->real)
		return err_nomem(err);
	if (!S_ISDIR(ret->mode))
		return err_sys(err, ENOTDIR, "cannot be resolved");
	if (strlen(ret->real) >= PATH_MAX)
		return err_sys(err, ENAMETOOLONG, "cannot be resolved");
	return 0;
}

/* The usual case, without the walk: only the last name is missing, and no
 * symlink lies on the way. 1: it is not that. */
static int
resolve_last(int base_fd, const char *path, struct path_facts *ret, struct ambit_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	auto_free char *parent = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	char missing[NAME_MAX + 2];

	if (!parent)
		return err_nomem(err);
	if (name[0] == '\0' || streq(name, ".") || streq(name, "..") || strlen(name) > NAME_MAX)
		return 1;
	auto_close int at =
		resolve_open(base_fd, parent, O_PATH | O_DIRECTORY, 0, RESOLVE_NO_SYMLINKS);
	auto_close int found = at < 0 ? -1 : resolve_open(at, name, O_PATH | O_NOFOLLOW, 0, 0);

	if (found != -ENOENT)
		return 1;
	missing[0] = '/';
	memcpy(missing + 1, name, strlen(name) + 1);
	return append_missing_names(at, missing, ret, err);
}

/* For paths the kernel could not open because something in them is missing. */
static int
resolve_missing(
	int base_fd, const char *path, bool follow, struct path_facts *ret, struct ambit_error *err)
{
	struct walk w = { .follow = follow };
	int r = resolve_last(base_fd, path, ret, err);

	if (r <= 0)
		return r;
	w.todo = strdup(path);
	if (!w.todo)
		return err_nomem(err);
	w.at = path[0] == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
			      : fcntl(base_fd, F_DUPFD_CLOEXEC, 3);
	r = w.at < 0 ? -errno : walk_path_components(&w);
	if (r < 0)
		err_sys(err, -r, "cannot be resolved");
	else if (w.missing.len > 0)
		r = append_missing_names(w.at, w.missing.data, ret, err);
	else
		r = fill_resolved(w.at, ret, err);
	if (w.at >= 0)
		close(w.at);
	free(w.todo);
	buf_finish(&w.missing);
	return r;
}

void
resolve_temp_name(char name[RESOLVE_TEMP])
{
	memcpy(name, TEMP, sizeof(TEMP));
	hash_random_name(name + strlen(TEMP), TEMP_LETTERS);
}

/* Whether a component of path is prefix and n letters by chance. Asked of every decision, and
 * hardly ever so: one look over the path first. */
static bool
holds_random_name(const char *path, const char *prefix, size_t n)
{
	if (!strstr(path, "/.ambit-"))
		return false;
	for (const char *at = path; (at = strchr(at, '/'));) {
		at++;
		if (str_prefix(at, prefix) && strcspn(at + strlen(prefix), "/") == n &&
			strspn(at + strlen(prefix), HASH_LETTERS) >= n)
			return true;
	}
	return false;
}

bool
resolve_is_temp(const char *path)
{
	return holds_random_name(path, TEMP, TEMP_LETTERS);
}

bool
resolve_is_pool(const char *path)
{
	return holds_random_name(path, RESOLVE_POOL, RESOLVE_POOL_LETTERS);
}

/* How often a name is looked at again that was replaced between two looks. */
#define REPLACED_MAX 20

static int
resolve_once(
	int base_fd, const char *text, bool follow, struct path_facts *ret, struct ambit_error *err)
{
	auto_close int fd = resolve_open(
		base_fd, text, O_PATH | (follow ? 0 : O_NOFOLLOW), 0, RESOLVE_NO_MAGICLINKS);

	if (fd == -ENOENT)
		return resolve_missing(base_fd, text, follow, ret, err);
	if (fd == -ELOOP)
		return err_set(err, ELOOP, "its symlinks loop, or lead through /proc");
	if (fd < 0)
		return err_sys(err, -fd, "cannot be resolved");
	return fill_resolved(fd, ret, err);
}

int
resolve_path(int base_fd, const char *base, const char *path, size_t len, bool follow,
	struct path_facts *ret, struct ambit_error *err)
{
	struct path_facts out = { 0 };
	auto_free char *written = NULL;
	char text[PATH_MAX];
	int r = -ENOENT;

	if (len == 0)
		return err_set(err, EINVAL, "the path is empty");
	if (memchr(path, '\0', len))
		return err_set(err, EINVAL, "there is a NUL in the path");
	if (len >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "the path is longer than %d bytes", PATH_MAX - 1);
	memcpy(text, path, len);
	text[len] = '\0';
	written = resolve_fold(base, text);
	if (!written)
		return err_nomem(err);
	/* A name that is not there is no error, so what is gone was there a moment ago:
	 * editors save a file by putting another in its place. We do, too, and by then the
	 * old one has a name that nobody asked for. */
	for (int i = 0; i < REPLACED_MAX; i++) {
		resolved_finish(&out);
		r = resolve_once(base_fd, text, follow, &out, err);
		if (r != -ENOENT &&
			(r < 0 || !resolve_is_temp(out.real) || resolve_is_temp(written)))
			break;
	}
	out.written = steal_ptr(&written);
	if (r < 0) {
		resolved_finish(&out);
		return r;
	}
	*ret = out;
	return 0;
}
