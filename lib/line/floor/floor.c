/* SPDX-License-Identifier: Apache-2.0 */
/* Real paths become a Landlock ruleset. The paths were resolved by the engine;
 * they are opened again without following any symlink, and what is no longer
 * there is left out: it is done on behalf then, never granted by guess. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/floor/floor-private.h"

#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#endif
#ifndef LANDLOCK_SCOPE_SIGNAL
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

#define ABI_SIGNALS 6

/* struct landlock_ruleset_attr of ABI 6; headers may have less. Older kernels
 * take it as long as what they do not know is zero. */
struct ruleset {
	uint64_t fs;
	uint64_t net; /* never handled: the gate performs connections */
	uint64_t scoped;
};

/* What each ABI brought. READ_FILE is there to keep the tree from devices and
 * from other people's terminals, which lie in /dev. */
static const struct {
	int abi;
	uint64_t fs;
	uint64_t scoped;
} brought[] = {
	{ 1,
		LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
			LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			LANDLOCK_ACCESS_FS_MAKE_SYM,
		0 },
	{ 2, LANDLOCK_ACCESS_FS_REFER, 0 },
	{ 3, LANDLOCK_ACCESS_FS_TRUNCATE, 0 },
	{ 5, LANDLOCK_ACCESS_FS_IOCTL_DEV, 0 },
	{ ABI_SIGNALS, 0, LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL },
};

#define ON_FILES                                                                                   \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |                              \
		LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |                       \
		LANDLOCK_ACCESS_FS_IOCTL_DEV)
#define ON_DEVICES                                                                                 \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |                            \
		LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* Character devices that every program may use; all others, and every terminal in
 * /dev/pts, are other people's or the machine's. An open of ptmx makes a new terminal. */
static const char *const devices[] = { "null", "zero", "full", "random", "urandom", "tty", "ptmx",
	"pts/ptmx" };

int
floor_abi(struct ambit_error *err)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (abi >= FLOOR_ABI_LEAST)
		return (int)abi;
	if (abi >= 0)
		return err_set(err, EOPNOTSUPP,
			"this kernel's Landlock is too old (ABI %ld): Linux 5.19 or newer is "
			"needed",
			abi);
	if (errno == ENOSYS)
		return err_set(err, ENOSYS,
			"this kernel has no Landlock: Linux 5.19 or newer, built with "
			"CONFIG_SECURITY_LANDLOCK, is needed");
	if (errno == EOPNOTSUPP)
		return err_set(err, EOPNOTSUPP,
			"Landlock is switched off: add landlock to the lsm= list that this "
			"machine boots with");
	if (errno == EPERM || errno == EACCES)
		return err_set(err, EOPNOTSUPP,
			"Landlock is forbidden here, probably by a container's seccomp profile");
	return err_sys(err, errno, "landlock_create_ruleset");
}

int
floor_open(const char *real)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, real, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int
floor_add(struct floor *floor, int fd, bool dir, uint64_t rights, struct ambit_error *err)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights & floor->handled & (dir ? UINT64_MAX : ON_FILES),
		.parent_fd = fd,
	};

	if (rule.allowed_access == 0 || floor->fd < 0)
		return 0;
	if (floor->n_rules >= FLOOR_RULES_MAX)
		return err_set(err, E2BIG,
			"the floor needs more than %d rules: too much lies beside what is hidden",
			FLOOR_RULES_MAX);
	if (syscall(SYS_landlock_add_rule, floor->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		return err_sys(err, errno, "landlock_add_rule");
	floor->n_rules++;
	return 0;
}

/* Remembers where writing is granted. */
static int
add_place(struct floor *floor, const char *path, enum ground kind, bool dir, const struct stat *st,
	struct ambit_error *err)
{
	return grounds_add(floor->grounds, path, kind, !dir, st) < 0 ? err_nomem(err) : 0;
}

/* git follows a symlink in a git directory when the person next uses it: none is made
 * there, and none comes in with a directory that is moved. Renames and links within one
 * directory, which git lives by, need neither right. */
#define NOT_IN_GIT (LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)

/* Gives no right to read if a hidden path lies beneath or reads are limited: other rules give that.
 */
static int
add_writable(struct floor *floor, const struct floor_options *options, const char *path,
	enum ground kind, struct ambit_error *err)
{
	uint64_t rights = floor->handled & ~(kind == GROUND_GIT ? (uint64_t)NOT_IN_GIT : 0);
	auto_close int fd = floor_open(path);
	struct stat st;
	int r;

	if (fd == -ENOSYS && options->outline)
		fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EACCES)
		return 0;
	if (fd < 0)
		return err_sys(err, -fd, "%s", path);
	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "%s", path);
	if (S_ISLNK(st.st_mode))
		return 0;
	if (floor_hides(options, path) || !floor_may_read(options, path))
		rights &= ~FLOOR_READ;
	r = floor_add(floor, fd, S_ISDIR(st.st_mode), rights, err);
	if (r < 0)
		return r;
	return add_place(floor, path, kind, S_ISDIR(st.st_mode), &st, err);
}

/* A device for reading and writing; what is none is left out. */
static int
add_device(struct floor *floor, int fd, const struct stat *st, const char *path,
	struct ambit_error *err)
{
	int r;

	if (!S_ISCHR(st->st_mode))
		return 0;
	r = floor_add(floor, fd, false, ON_DEVICES, err);
	if (r < 0)
		return r;
	return add_place(floor, path, GROUND_OPEN, false, NULL, err);
}

/* In containers /dev/ptmx is a symlink to pts/ptmx: what it names counts. */
static int
add_linked_device(struct floor *floor, int dev, const char *name, struct ambit_error *err)
{
	auto_close int fd = openat(dev, name, O_PATH | O_CLOEXEC);
	char link[64], real[256];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n < 0)
		return 0;
	real[n] = '\0';
	if (!str_beneath(real, "/dev"))
		return 0;
	return add_device(floor, fd, &st, real, err);
}

static int
add_devices(struct floor *floor, struct ambit_error *err)
{
	auto_close int dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (dev < 0)
		return 0;
	for (size_t i = 0; r == 0 && i < sizeof(devices) / sizeof(devices[0]); i++) {
		auto_close int fd = openat(dev, devices[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
		char path[32];
		struct stat st;

		snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		if (fd < 0 || fstat(fd, &st) != 0)
			continue;
		if (S_ISLNK(st.st_mode))
			r = add_linked_device(floor, dev, devices[i], err);
		else
			r = add_device(floor, fd, &st, path, err);
	}
	return r;
}

static int
add_terminal(struct floor *floor, const char *tty, struct ambit_error *err)
{
	auto_close int fd = floor_open(tty);
	struct stat st;

	if (fd < 0)
		return err_sys(err, -fd, "%s", tty);
	if (fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode))
		return err_set(err, ENOTTY, "%s is no terminal", tty);
	return add_device(floor, fd, &st, tty, err);
}

static int
add_floor_rules(struct floor *floor, const struct floor_options *options, bool based,
	struct ambit_error *err)
{
	int r = based || options->outline ? 0 : floor_add_reads(floor, options, err);

	if (r == 0 && !based)
		r = add_devices(floor, err);
	if (r == 0 && options->tty != NULL)
		r = add_terminal(floor, options->tty, err);
	for (size_t i = 0; r == 0 && i < options->n_writable; i++)
		r = add_writable(floor, options, options->writable[i], GROUND_OPEN, err);
	for (size_t i = 0; r == 0 && i < options->n_git; i++)
		r = add_writable(floor, options, options->git[i], GROUND_GIT, err);
	for (size_t i = 0; r == 0 && i < options->n_spine; i++)
		if (grounds_add(floor->grounds, options->spine[i], GROUND_SPINE, false, NULL) < 0)
			r = err_nomem(err);
	return r;
}

/* The ruleset alone, for the lower of what the kernel has and what is wanted. */
static int
create_ruleset(struct floor *floor, const struct floor_options *options, struct ambit_error *err)
{
	struct ruleset ruleset = { 0 };
	int abi = floor_abi(err);

	if (abi < 0 && !options->outline)
		return abi;
	if (abi < 0 || abi > FLOOR_ABI_MOST)
		abi = FLOOR_ABI_MOST;
	if (options->abi != 0 && options->abi < abi)
		abi = options->abi;
	if (abi < FLOOR_ABI_LEAST)
		return err_set(err, EINVAL, "no floor can be made for Landlock ABI %d", abi);
	for (size_t i = 0; i < sizeof(brought) / sizeof(brought[0]); i++) {
		if (brought[i].abi > abi)
			break;
		ruleset.fs |= brought[i].fs;
		ruleset.scoped |= brought[i].scoped;
	}
	if (options->limit_reads)
		ruleset.fs |= FLOOR_READ;
	floor->abi = abi;
	floor->handled = ruleset.fs;
	if (options->outline)
		return 0;
	floor->fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof(ruleset), 0);
	if (floor->fd < 0)
		return err_sys(err, errno, "landlock_create_ruleset");
	return 0;
}

static int
build_floor(const struct floor_options *options, bool whole, struct floor **ret_floor,
	struct ambit_error *err)
{
	bool based = options->base != NULL;
	struct floor *floor = based ? options->base : calloc(1, sizeof(*floor));
	int r = 0;

	if (floor == NULL)
		return err_nomem(err);
	if (!based) {
		floor->fd = -1;
		floor->grounds = grounds_create();
		r = floor->grounds ? create_ruleset(floor, options, err) : err_nomem(err);
	}
	if (r == 0 && whole)
		r = add_floor_rules(floor, options, based, err);
	if (r == 0 && !whole)
		r = floor_add_reads(floor, options, err);
	if (r == 0 && !whole)
		r = add_devices(floor, err);
	if (r < 0) {
		floor_destroy(floor);
		return r;
	}
	*ret_floor = floor;
	return 0;
}

int
floor_prepare(struct floor **ret_base, struct ambit_error *err)
{
	return build_floor(&(struct floor_options){ 0 }, false, ret_base, err);
}

int
floor_create(const struct floor_options *options, struct floor **ret_floor, struct ambit_error *err)
{
	struct floor_options own = *options;

	/* Made for reads without limits: rights cannot be taken back. */
	if (options->base != NULL &&
		(options->limit_reads || options->n_hidden > 0 || options->abi != 0)) {
		floor_destroy(options->base);
		own.base = NULL;
	}
	return build_floor(&own, true, ret_floor, err);
}

void
floor_destroy(struct floor *floor)
{
	if (floor == NULL)
		return;
	if (floor->fd >= 0)
		close(floor->fd);
	grounds_destroy(floor->grounds);
	free(floor);
}

int
floor_fd(const struct floor *floor)
{
	return floor->fd;
}

int
floor_in_force(const struct floor *floor)
{
	return floor->abi;
}

int
floor_grant(struct floor *floor, int fd, struct ambit_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "a directory for the floor");
	if (grounds_add_inode(floor->grounds, st.st_dev, st.st_ino) < 0)
		return err_nomem(err);
	return floor_add(floor, fd, true, floor->handled, err);
}

bool
floor_covers(const struct floor *floor, const char *real)
{
	enum ground ground = grounds_of(floor->grounds, real);

	return ground == GROUND_OPEN || ground == GROUND_GIT;
}

bool
floor_covers_name(const struct floor *floor, const char *real)
{
	enum ground ground = grounds_of_name(floor->grounds, real);

	return ground == GROUND_OPEN || ground == GROUND_GIT;
}

bool
floor_covers_links(const struct floor *floor, const char *real)
{
	return grounds_of(floor->grounds, real) == GROUND_OPEN;
}

struct grounds *
floor_grounds(const struct floor *floor)
{
	return floor->grounds;
}
