/* SPDX-License-Identifier: Apache-2.0 */
/* Races for names: one thread changes the string, a symlink, a directory or the
 * working directory while another makes the call. Whoever decides on one and
 * acts on the other loses. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static char path[LENGTH], inside[LENGTH], outside[LENGTH];

/* Whole at once often enough; half a name is a name that is not there. */
static void
flip_path(const struct world *w, unsigned n)
{
	(void)w;
	memcpy(path, n & 1 ? outside : inside, LENGTH);
	__asm__ volatile("" ::: "memory");
}

static void
flip(const struct world *w, const char *in_folder, const char *out, void (*call)(void),
	bool (*done)(const struct world *w))
{
	snprintf(inside, LENGTH, "%s", in(w->folder, in_folder));
	snprintf(outside, LENGTH, "%s", out);
	memcpy(path, inside, LENGTH);
	race_start(w, flip_path);
	while (race_going(w, done))
		call();
	race_end();
}

static bool
new_there(const struct world *w)
{
	return access(in(w->outside, "new"), F_OK) == 0;
}

static bool
two_gone(const struct world *w)
{
	return access(in(w->outside, "full/two"), F_OK) < 0;
}

static bool
two_linked(const struct world *w)
{
	struct stat st;

	return stat(in(w->outside, "full/two"), &st) == 0 && st.st_nlink > 1;
}

static bool
time_set(const struct world *w)
{
	struct stat st;

	return stat(w->file, &st) == 0 && st.st_mtim.tv_sec != 900000000;
}

static bool
attribute_set(const struct world *w)
{
	char value[4];

	return getxattr(w->file, "user.new", value, sizeof(value)) > 0;
}

static void
call_open(void)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd >= 0)
		close(fd);
}

static void
race_open(const struct world *w)
{
	flip(w, "sub/mine", w->file, call_open, file_changed);
}

static void
call_create(void)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	if (fd >= 0)
		close(fd);
}

static void
race_create(const struct world *w)
{
	flip(w, "sub/new", in(w->outside, "new"), call_create, new_there);
}

static void
call_chmod(void)
{
	chmod(path, 0604);
}

static void
race_chmod(const struct world *w)
{
	flip(w, "sub/mine", w->file, call_chmod, file_changed);
}

static void
call_chown(void)
{
	(void)!chown(path, getuid(), getgid());
}

static bool
owner_touched(const struct world *w)
{
	static struct timespec first;
	struct stat st;

	if (stat(w->file, &st) < 0)
		return true;
	if (first.tv_sec == 0)
		first = st.st_ctim;
	return memcmp(&first, &st.st_ctim, sizeof(first)) != 0;
}

static void
race_chown(const struct world *w)
{
	flip(w, "sub/mine", w->file, call_chown, owner_touched);
}

static void
call_unlink(void)
{
	close(open(inside, O_WRONLY | O_CREAT, 0644));
	unlink(path);
}

static void
race_unlink(const struct world *w)
{
	flip(w, "sub/two", in(w->outside, "full/two"), call_unlink, two_gone);
}

static void
call_rename(void)
{
	make_file("sub/source");
	rename("sub/source", path);
}

static void
race_rename_to(const struct world *w)
{
	flip(w, "sub/target", w->file, call_rename, file_changed);
}

static void
call_rename_from(void)
{
	make_file("sub/source");
	rename(path, "sub/target");
}

static void
race_rename_from(const struct world *w)
{
	flip(w, "sub/source", in(w->outside, "full/two"), call_rename_from, two_gone);
}

static void
call_mkdir(void)
{
	mkdir(path, 0755);
	rmdir(inside);
}

static void
race_mkdir(const struct world *w)
{
	flip(w, "sub/dir", in(w->outside, "new"), call_mkdir, new_there);
}

static void
call_truncate(void)
{
	(void)!truncate(path, 2);
}

static void
race_truncate(const struct world *w)
{
	flip(w, "sub/mine", w->file, call_truncate, file_changed);
}

static void
call_times(void)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

static void
race_times(const struct world *w)
{
	flip(w, "sub/mine", w->file, call_times, time_set);
}

static void
call_xattr(void)
{
	setxattr(path, "user.new", "1", 1, 0);
}

static void
race_xattr(const struct world *w)
{
	char value[4];

	if (w->plain && getxattr(w->file, "user.old", value, sizeof(value)) < 0)
		cannot("no extended attributes here");
	flip(w, "sub/mine", w->file, call_xattr, attribute_set);
}

static void
call_link(void)
{
	unlink("sub/linked");
	(void)!link(path, "sub/linked");
}

static void
race_link(const struct world *w)
{
	flip(w, "sub/mine", in(w->outside, "full/two"), call_link, two_linked);
}

static void
call_symlink(void)
{
	unlink(inside);
	(void)!symlink("anywhere", path);
}

static bool
symlink_there(const struct world *w)
{
	struct stat st;

	return lstat(in(w->outside, "new"), &st) == 0;
}

static void
race_symlink(const struct world *w)
{
	flip(w, "sub/s", in(w->outside, "new"), call_symlink, symlink_there);
}

/* ---- flags in memory ---- */

static struct open_how how;

static void
flip_how(const struct world *w, unsigned n)
{
	(void)w;
	__atomic_store_n(&how.flags, n & 1 ? O_WRONLY | O_TRUNC : O_RDONLY, __ATOMIC_RELAXED);
}

static void
race_openat2_flags(const struct world *w)
{
	race_start(w, flip_how);
	while (race_going(w, file_changed)) {
		int fd = (int)syscall(SYS_openat2, AT_FDCWD, w->file, &how, sizeof(how));

		if (fd >= 0) {
			(void)!write(fd, "S", 1);
			close(fd);
		}
	}
	race_end();
}

/* ---- the tree itself changes ---- */

/* sub/d and sub/e change places: one leads to a directory of the folder, the
 * other out of it. Both hold `file`. */
static void
exchange(const struct world *w, unsigned n)
{
	(void)w;
	(void)n;
	syscall(SYS_renameat2, AT_FDCWD, "sub/d", AT_FDCWD, "sub/e", RENAME_EXCHANGE);
}

static void
prepare_exchange(const struct world *w, bool directory)
{
	mkdir("sub/real", 0755);
	make_file("sub/real/file");
	if (directory) {
		mkdir("sub/d", 0755);
		make_file("sub/d/file");
	} else {
		(void)!symlink("real", "sub/d");
	}
	(void)!symlink(w->outside, "sub/e");
}

static void
race_exchange(const struct world *w, bool directory, void (*call)(void))
{
	prepare_exchange(w, directory);
	race_start(w, exchange);
	while (race_going(w, file_changed))
		call();
	race_end();
}

static void
through_chmod(void)
{
	chmod("sub/d/file", 0604);
}

static void
through_open(void)
{
	int fd = open("sub/d/file", O_WRONLY | O_TRUNC | O_CREAT, 0644);

	if (fd >= 0)
		close(fd);
}

static void
through_rename(void)
{
	make_file("sub/source");
	rename("sub/source", "sub/d/file");
}

static void
race_symlink_swap_open(const struct world *w)
{
	race_exchange(w, false, through_open);
}

static void
race_symlink_swap_chmod(const struct world *w)
{
	race_exchange(w, false, through_chmod);
}

static void
race_directory_swap_open(const struct world *w)
{
	race_exchange(w, true, through_open);
}

static void
race_directory_swap_chmod(const struct world *w)
{
	race_exchange(w, true, through_chmod);
}

static void
race_directory_swap_rename(const struct world *w)
{
	race_exchange(w, true, through_rename);
}

/* The last component is the one that changes. */
static void
race_last_swap_chmod(const struct world *w)
{
	make_file("sub/d");
	(void)!symlink(w->file, "sub/e");
	race_start(w, exchange);
	while (race_going(w, file_changed)) {
		chmod("sub/d", 0604);
		(void)!truncate("sub/d", 1);
	}
	race_end();
}

/* ".." means something else when the directory has been moved up. */
static void
move_up_and_down(const struct world *w, unsigned n)
{
	(void)w;
	if (n & 1)
		rename("sub/a/b/c", "c");
	else
		rename("c", "sub/a/b/c");
}

static void
race_dot_dot(const struct world *w)
{
	char target[2 * LENGTH];

	mkdir("sub/a", 0755);
	mkdir("sub/a/b", 0755);
	mkdir("sub/a/b/c", 0755);
	/* From ./c this is outside/file, from sub/a/b/c it is home/... */
	snprintf(target, sizeof(target), "c/../../../outside/file");
	race_start(w, move_up_and_down);
	while (race_going(w, file_changed)) {
		chmod(target, 0604);
		chmod("sub/a/b/c/../../../../../outside/file", 0604);
	}
	race_end();
}

static void
change_directory(const struct world *w, unsigned n)
{
	(void)!chdir(n & 1 ? w->outside : inside);
}

/* Threads share the working directory. */
static void
race_working_directory(const struct world *w)
{
	snprintf(inside, LENGTH, "%s", in(w->folder, "sub"));
	make_file("sub/file");
	race_start(w, change_directory);
	while (race_going(w, file_changed)) {
		int fd = open("file", O_WRONLY | O_TRUNC);

		if (fd >= 0)
			close(fd);
		chmod("file", 0604);
	}
	race_end();
}

/* ---- in /tmp ---- */

static void
exchange_scratch(const struct world *w, unsigned n)
{
	(void)n;
	syscall(SYS_renameat2, AT_FDCWD, in(w->own, "d"), AT_FDCWD, in(w->own, "e"),
		RENAME_EXCHANGE);
}

static bool
scratch_changed(const struct world *w)
{
	struct stat st;

	return stat(w->scratch, &st) < 0 || (st.st_mode & 07777) != 0600;
}

static void
race_scratch(const struct world *w)
{
	char own[2 * LENGTH];

	mkdir(w->own, 0755);
	snprintf(own, sizeof(own), "%s", in(w->own, "d"));
	make_file(own);
	(void)!symlink(w->scratch, in(w->own, "e"));
	race_start(w, exchange_scratch);
	while (race_going(w, scratch_changed)) {
		chmod(own, 0604);
		(void)!truncate(own, 1);
	}
	race_end();
}

static const struct attack list[] = {
	{ "race-open", race_open, RACE },
	{ "race-create", race_create, RACE },
	{ "race-chmod", race_chmod, RACE },
	{ "race-chown", race_chown, RACE },
	{ "race-unlink", race_unlink, RACE },
	{ "race-rename-to", race_rename_to, RACE },
	{ "race-rename-from", race_rename_from, RACE },
	{ "race-mkdir", race_mkdir, RACE },
	{ "race-truncate", race_truncate, RACE },
	{ "race-utimensat", race_times, RACE },
	{ "race-setxattr", race_xattr, RACE },
	{ "race-link", race_link, RACE },
	{ "race-symlink", race_symlink, RACE },
	{ "race-openat2-flags", race_openat2_flags, RACE },
	{ "race-symlink-swap-open", race_symlink_swap_open, RACE },
	{ "race-symlink-swap-chmod", race_symlink_swap_chmod, RACE },
	{ "race-directory-swap-open", race_directory_swap_open, RACE },
	{ "race-directory-swap-chmod", race_directory_swap_chmod, RACE },
	{ "race-directory-swap-rename", race_directory_swap_rename, RACE },
	{ "race-last-name-swap", race_last_swap_chmod, RACE },
	{ "race-dot-dot", race_dot_dot, RACE },
	{ "race-working-directory", race_working_directory, RACE },
	{ "race-scratch", race_scratch, RACE },
};

const struct attacks attacks_race = { list, COUNT(list) };
