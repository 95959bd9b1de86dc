/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a path into an object one component at a time, in the target's place:
 * each is opened without following, as a descriptor that no rename can change;
 * symlinks are read and put in front of the rest; those of /proc are taken as
 * the target sees them. This is the walk that decides where the kernel's own
 * would know no difference between the target and us. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/object/path-walk.h"

#define TEXT_MAX (16 * PATH_MAX) /* still to walk, with links put in */

#ifndef ST_NOSYMFOLLOW
#define ST_NOSYMFOLLOW 0x2000
#endif

struct walk {
	const struct target *target;
	enum object_follow follow;
	int dir;
	char *text;
	const char *at; /* in text: what is still to walk */
	int links;
};

/* One step: go on, or the walk is at its end. */
enum {
	ON = 0,
	END = 1,
};

static void
enter_directory(struct walk *walk, int *dir)
{
	close(walk->dir);
	walk->dir = steal_fd(dir);
}

/* Puts a link's text in front of the rest. */
static int
splice_link_text(struct walk *walk, const char *link, const char *rest)
{
	auto_close int root = -1;
	char *text;

	if (strlen(link) + strlen(rest) > TEXT_MAX)
		return -ENAMETOOLONG;
	text = str_printf("%s%s", link, rest);
	if (!text)
		return -ENOMEM;
	free(walk->text);
	walk->at = walk->text = text;
	if (link[0] != '/')
		return 0;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	enter_directory(walk, &root);
	return 0;
}

/* A magic link of the target's own process: opened this once, and what came is
 * the object. Not by its text, which names what lay there once. */
static int
follow_magic_link(struct walk *walk, struct object *object, const char *name, const char *rest)
{
	auto_close int fd = -1;
	const char *after = rest + strspn(rest, "/");
	int r;

	fd = openat(walk->dir, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (*after) {
		enter_directory(walk, &fd);
		walk->at = after;
		return ON;
	}
	if (fstat(fd, &object->st) < 0)
		return -errno;
	if (S_ISDIR(object->st.st_mode)) {
		r = walk_end_at_dir(object, &fd, *rest != '\0');
		return r < 0 ? r : END;
	}
	if (*rest)
		return -ENOTDIR;
	object->exists = true;
	object->fd = steal_fd(&fd);
	return END;
}

/* link: what lies at name in the walk's directory; rest: what follows it. */
static int
follow_link(struct walk *walk, struct object *object, int link, const struct stat *st,
	const char *name, const char *rest)
{
	bool last = rest[strspn(rest, "/")] == '\0';
	char text[PATH_MAX];
	struct statfs fs;
	int r = WALK_LINK_TEXT;

	if (++walk->links > WALK_LINKS_MAX)
		return -ELOOP;
	if (fstatfs(link, &fs) < 0)
		return -errno;
	if (fs.f_flags & ST_NOSYMFOLLOW)
		return -ELOOP;
	if (last && walk_is_planted(walk->dir, st))
		return -EACCES;
	if (walk_is_proc(&fs))
		r = walk_proc_link(walk->target, walk->dir, name, text);
	if (r == WALK_LINK_MAGIC)
		return follow_magic_link(walk, object, name, rest);
	if (r == WALK_LINK_TEXT)
		r = walk_read_link(link, text);
	return r < 0 ? r : splice_link_text(walk, text, rest);
}

/* The kernel first sees whether it may look for a name there at all. */
static int
refuse_long_name(const struct walk *walk)
{
	auto_close int fd = openat(walk->dir, ".", WALK_LOOK);

	return fd < 0 ? -errno : -ENAMETOOLONG;
}

static int
resolve_next_part(struct walk *walk, struct object *object)
{
	const char *at = walk->at + strspn(walk->at, "/"), *rest, *after;
	char name[NAME_MAX + 1];
	size_t n = strcspn(at, "/");
	bool dots, last;
	auto_close int fd = -1;
	struct stat st;
	int r;

	if (n == 0)
		return (r = walk_end_at_dir(object, &walk->dir, true)) < 0 ? r : END;
	if (n > NAME_MAX)
		return refuse_long_name(walk);
	memcpy(name, at, n);
	name[n] = '\0';
	rest = at + n;
	after = rest + strspn(rest, "/");
	last = *after == '\0';
	dots = streq(name, ".") || streq(name, "..");
	fd = openat(walk->dir, name, WALK_LOOK);
	if (fd < 0 && (errno != ENOENT || !last || dots))
		return -errno;
	if (fd >= 0 && fstat(fd, &st) < 0)
		return -errno;
	if (fd >= 0 && S_ISLNK(st.st_mode) && (!last || walk->follow))
		return follow_link(walk, object, fd, &st, name, rest);
	if (!last || dots) {
		enter_directory(walk, &fd);
		walk->at = after;
		return last ? ((r = walk_end_at_dir(object, &walk->dir, *rest)) < 0 ? r : END) : ON;
	}
	if (fd >= 0)
		object->st = st;
	r = walk_end_at_name(object, &walk->dir, name, &fd, *rest != '\0', walk->follow);
	return r < 0 ? r : END;
}

int
walk_carefully(struct object *object, const struct target *target, int start, const char *path,
	enum object_follow follow)
{
	struct walk walk = {
		.target = target,
		.follow = follow,
		.text = strdup(path),
		.dir = start >= 0 ? walk_copy_fd(start)
				  : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	int r = ON;

	walk.at = walk.text;
	if (!walk.text)
		r = -ENOMEM;
	else if (walk.dir < 0)
		r = start >= 0 ? walk.dir : -errno;
	/* It ends: each step eats a component, and links are counted. */
	while (r == ON)
		r = resolve_next_part(&walk, object);
	if (walk.dir >= 0)
		close(walk.dir);
	free(walk.text);
	return r < 0 ? r : 0;
}
