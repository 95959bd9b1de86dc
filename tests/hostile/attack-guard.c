/* SPDX-License-Identifier: Apache-2.0 */
/* What is guarded inside the folder, by those who do not keep still: a thread
 * changes the string, a link, a directory or the working directory while
 * another makes the call. Some of it there from the start, some not yet. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static char path[LENGTH];
static const char *plain, *guarded;

static void
flip_path(const struct world *w, unsigned n)
{
	(void)w;
	snprintf(path, LENGTH, "%s", n & 1 ? guarded : plain);
	__asm__ volatile("" ::: "memory");
}

static bool
is_there(const struct world *w)
{
	return access(in(w->folder, guarded), F_OK) == 0;
}

static bool
is_gone(const struct world *w)
{
	return access(in(w->folder, guarded), F_OK) < 0;
}

static bool
is_changed(const struct world *w)
{
	struct stat st;

	return stat(in(w->folder, guarded), &st) < 0 || st.st_size != 7; /* "[core]\n" */
}

static void
flip(const struct world *w, const char *a, const char *b, void (*call)(void),
	bool (*done)(const struct world *w))
{
	plain = a;
	guarded = b;
	snprintf(path, LENGTH, "%s", plain);
	race_start(w, flip_path);
	while (race_going(w, done))
		call();
	race_end();
}

/* ---- the string ---- */

static void
call_create(void)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0755);

	if (fd >= 0)
		close(fd);
	unlink(plain);
}

static void
create_top(const struct world *w)
{
	flip(w, "free", ".envrc", call_create, is_there);
}

static void
create_hook(const struct world *w)
{
	flip(w, ".git/free", ".git/hooks/pre-commit", call_create, is_there);
}

static void
create_hook_from_sub(const struct world *w)
{
	flip(w, "sub/free", ".git/hooks/pre-commit", call_create, is_there);
}

static void
create_nested_hook(const struct world *w)
{
	flip(w, "nested/free", "nested/.git/hooks/pre-commit", call_create, is_there);
}

static void
call_create_excl(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);

	if (fd >= 0)
		close(fd);
	unlink(plain);
}

static void
create_excl(const struct world *w)
{
	flip(w, "free", ".mcp.json", call_create_excl, is_there);
}

static void
call_truncate(void)
{
	(void)!truncate(path, 0);
}

static void
truncate_config(const struct world *w)
{
	make_file(".git/free");
	flip(w, ".git/free", ".git/config", call_truncate, is_changed);
}

static void
call_open_truncate(void)
{
	int fd = open(path, O_RDONLY | O_TRUNC);

	if (fd >= 0)
		close(fd);
}

static void
open_config(const struct world *w)
{
	make_file("sub/free");
	flip(w, "sub/free", ".git/config", call_open_truncate, is_changed);
}

static void
call_unlink(void)
{
	make_file(plain);
	unlink(path);
}

static void
unlink_config(const struct world *w)
{
	flip(w, "sub/free", ".git/config", call_unlink, is_gone);
}

static void
call_rename_to(void)
{
	make_file("source");
	rename("source", path);
}

static void
rename_to(const struct world *w)
{
	flip(w, "free", ".envrc", call_rename_to, is_there);
}

static void
call_rename_from_sub(void)
{
	make_file("sub/source");
	rename("sub/source", path);
}

static void
rename_from_sub(const struct world *w)
{
	flip(w, "free", ".git/hooks/pre-commit", call_rename_from_sub, is_there);
}

static void
call_link(void)
{
	unlink(plain);
	(void)!link("sub/mine", path);
}

static void
link_to(const struct world *w)
{
	flip(w, "sub/linked", ".git/hooks/pre-commit", call_link, is_there);
}

static void
call_symlink(void)
{
	unlink(plain);
	(void)!symlink("sub/mine", path);
}

static void
symlink_to(const struct world *w)
{
	flip(w, "s", ".envrc", call_symlink, is_there);
}

/* ---- directories with rights of their own ---- */

/* A new directory in the folder may be one that the tree has all rights in: not
 * where its name lies above a guard. */
static void
call_mkdir(void)
{
	mkdir(path, 0755);
	close(open(".claude/settings.json", O_WRONLY | O_CREAT, 0644));
	rmdir(plain);
	rmdir(".claude");
}

static void
mkdir_above(const struct world *w)
{
	guarded = ".claude/settings.json";
	plain = "free";
	flip(w, "free", ".claude", call_mkdir, NULL);
}

static void
call_move_dir(void)
{
	mkdir("d", 0755);
	close(open("d/settings.json", O_WRONLY | O_CREAT, 0644));
	rename("d", path);
	rename("free", "d");
}

static void
move_dir(const struct world *w)
{
	flip(w, "free", ".claude", call_move_dir, NULL);
}

static void
call_exchange(void)
{
	mkdir("a", 0755);
	mkdir("free", 0755);
	close(open("a/settings.json", O_WRONLY | O_CREAT, 0644));
	syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, path, RENAME_EXCHANGE);
	syscall(SYS_renameat2, AT_FDCWD, "free", AT_FDCWD, "a", RENAME_EXCHANGE);
}

static void
exchange_dir(const struct world *w)
{
	mkdir(".claude", 0755);
	flip(w, "free", ".claude", call_exchange, NULL);
}

/* ---- the tree itself changes ---- */

static void
swap(const struct world *w, unsigned n)
{
	(void)w, (void)n;
	syscall(SYS_renameat2, AT_FDCWD, "sub/d", AT_FDCWD, "sub/e", RENAME_EXCHANGE);
}

static void
swap_race(const struct world *w, void (*call)(void), const char *guard)
{
	guarded = guard;
	mkdir("sub/d", 0755);
	(void)!symlink("../.git/hooks", "sub/e");
	race_start(w, swap);
	while (race_going(w, is_there))
		call();
	race_end();
}

static void
call_swapped_create(void)
{
	int fd = open("sub/d/pre-commit", O_WRONLY | O_CREAT, 0755);

	if (fd >= 0)
		close(fd);
}

static void
swapped_create(const struct world *w)
{
	swap_race(w, call_swapped_create, ".git/hooks/pre-commit");
}

static void
call_swapped_rename(void)
{
	make_file("source");
	rename("source", "sub/d/pre-commit");
}

static void
swapped_rename(const struct world *w)
{
	swap_race(w, call_swapped_rename, ".git/hooks/pre-commit");
}

static void
call_swapped_openat2(void)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 0755 };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, "sub/d/pre-commit", &how, sizeof(how));

	if (fd >= 0)
		close(fd);
}

static void
swapped_openat2(const struct world *w)
{
	swap_race(w, call_swapped_openat2, ".git/hooks/pre-commit");
}

/* The working directory of all threads is one. */
static void
wander(const struct world *w, unsigned n)
{
	(void)!chdir(n & 1 ? in(w->folder, ".git/hooks") : in(w->folder, "sub"));
}

static void
cwd_race(const struct world *w)
{
	guarded = ".git/hooks/pre-commit";
	race_start(w, wander);
	while (race_going(w, is_there)) {
		int fd = open("pre-commit", O_WRONLY | O_CREAT, 0755);

		if (fd >= 0)
			close(fd);
	}
	race_end();
	(void)!chdir(w->folder);
}

static int spare = -1;

static void
flip_dirfd(const struct world *w, unsigned n)
{
	int fd = open(n & 1 ? in(w->folder, ".git/hooks") : in(w->folder, "sub"), O_PATH);

	dup2(fd, spare);
	close(fd);
}

static void
dirfd_race(const struct world *w)
{
	guarded = ".git/hooks/pre-commit";
	spare = open("sub", O_PATH);
	race_start(w, flip_dirfd);
	while (race_going(w, is_there)) {
		int fd = openat(spare, "pre-commit", O_WRONLY | O_CREAT, 0755);

		if (fd >= 0)
			close(fd);
	}
	race_end();
}

/* ---- standing still ---- */

static void
put(const char *name)
{
	spoil(open(name, O_WRONLY | O_CREAT, 0755));
}

static void
top(const struct world *w)
{
	(void)w;
	put(".envrc");
}

static void
top_case(const struct world *w)
{
	(void)w;
	make_file("x");
	rename("x", ".EnvRC");
	rename(".EnvRC", ".envrc");
}

static void
agent_settings(const struct world *w)
{
	(void)w;
	mkdir(".claude", 0755);
	put(".claude/settings.json");
}

static void
agent_settings_moved_in(const struct world *w)
{
	(void)w;
	mkdir("dir", 0755);
	put("dir/settings.json");
	rename("dir", ".claude");
}

static void
agent_hooks_in_a_moved_parent(const struct world *w)
{
	(void)w;
	mkdir("dir", 0755);
	mkdir("dir/hooks", 0755);
	rename("dir", ".claude");
	put(".claude/hooks/evil");
}

static void
nested_hook(const struct world *w)
{
	(void)w;
	put("nested/.git/hooks/pre-commit");
}

static void
nested_moved_away(const struct world *w)
{
	(void)w;
	rename("nested/.git", "nested/old");
	mkdir("nested/.git", 0755);
	mkdir("nested/.git/hooks", 0755);
	put("nested/.git/hooks/pre-commit");
}

static void
nested_config(const struct world *w)
{
	(void)w;
	spoil(open("nested/.git/config", O_WRONLY | O_TRUNC));
}

static void
commondir(const struct world *w)
{
	(void)w;
	put(".git/commondir");
}

static void
shell(const char *line)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	reap(pid);
}

/* Filled before it gets its name. */
static void
pool_filled(const struct world *w)
{
	char command[2 * LENGTH];

	snprintf(command, sizeof(command),
		"for d in %.250s/own/pool-*/*; do echo x >\"$d/settings.json\"; done", w->state);
	shell(command);
	mkdir(".claude", 0755);
	put(".claude/settings.json");
}

static void
pool_moved(const struct world *w)
{
	char command[2 * LENGTH];

	snprintf(command, sizeof(command),
		"for d in %.250s/own/pool-*/*; do mv \"$d\" .claude && break; done 2>/dev/null",
		w->state);
	shell(command);
	mkdir(".claude", 0755);
	put(".claude/settings.json");
}

static const struct attack list[] = {
	{ "guarded-top", top, 0 },
	{ "guarded-top-by-case", top_case, 0 },
	{ "guarded-agent-settings", agent_settings, 0 },
	{ "guarded-agent-settings-moved-in", agent_settings_moved_in, 0 },
	{ "guarded-agent-hooks-moved-in", agent_hooks_in_a_moved_parent, 0 },
	{ "guarded-nested-hook", nested_hook, 0 },
	{ "guarded-nested-moved-away", nested_moved_away, 0 },
	{ "guarded-nested-config", nested_config, 0 },
	{ "guarded-commondir", commondir, 0 },
	{ "guarded-pool-filled", pool_filled, 0 },
	{ "guarded-pool-moved", pool_moved, 0 },
	{ "guard-race-create", create_top, RACE },
	{ "guard-race-create-exclusive", create_excl, RACE },
	{ "guard-race-hook", create_hook, RACE },
	{ "guard-race-hook-from-sub", create_hook_from_sub, RACE },
	{ "guard-race-nested-hook", create_nested_hook, RACE },
	{ "guard-race-truncate", truncate_config, RACE },
	{ "guard-race-open-truncate", open_config, RACE },
	{ "guard-race-unlink", unlink_config, RACE },
	{ "guard-race-rename", rename_to, RACE },
	{ "guard-race-rename-from-sub", rename_from_sub, RACE },
	{ "guard-race-link", link_to, RACE },
	{ "guard-race-symlink", symlink_to, RACE },
	{ "guard-race-mkdir", mkdir_above, RACE },
	{ "guard-race-move-directory", move_dir, RACE },
	{ "guard-race-exchange-directory", exchange_dir, RACE },
	{ "guard-race-swapped-create", swapped_create, RACE },
	{ "guard-race-swapped-rename", swapped_rename, RACE },
	{ "guard-race-swapped-openat2", swapped_openat2, RACE },
	{ "guard-race-cwd", cwd_race, RACE },
	{ "guard-race-dirfd", dirfd_race, RACE },
};

const struct attacks attacks_guard = { list, COUNT(list) };
