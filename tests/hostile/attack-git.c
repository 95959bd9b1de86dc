/* SPDX-License-Identifier: Apache-2.0 */
/* A git directory: a symlink in it leads the person's next git elsewhere, and a config in
 * it names programs that git runs. The attacks bring one of them in: by a process that
 * cannot be looked into, by a path or a mode that changes during the call, and by a
 * directory that has rights of its own. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

#define LOG ".git/logs/HEAD"
#define MODULE ".git/modules/a/x"

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* ---- a process that cannot be looked into ---- */

static void
as_undumpable(const struct world *w, void (*act)(const struct world *w))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		act(w);
		_exit(0);
	}
	reap(pid);
}

static void
act_symlink(const struct world *w)
{
	(void)!symlink(w->file, LOG);
	(void)!symlink(w->file, ".git/refs/leads");
}

static void
undumpable_symlink(const struct world *w)
{
	as_undumpable(w, act_symlink);
}

static void
act_move_link(const struct world *w)
{
	(void)w;
	rename("sub/link", LOG);
	(void)!link("sub/link", ".git/refs/leads");
}

static void
undumpable_move(const struct world *w)
{
	(void)!symlink(w->file, "sub/link");
	as_undumpable(w, act_move_link);
}

static void
act_move_dir(const struct world *w)
{
	(void)w;
	rename("sub/d", ".git/refs/d");
}

static void
undumpable_move_directory(const struct world *w)
{
	mkdir("sub/d", 0755);
	(void)!symlink(w->file, "sub/d/leads");
	as_undumpable(w, act_move_dir);
}

/* What is destroyed is told by whether it is still there. */
static void
act_destroy(const struct world *w)
{
	(void)w;
	unlink("sub/gone");
	rmdir("sub/dir");
	close(open("sub/emptied", O_WRONLY | O_TRUNC));
	close(creat("sub/created", 0600));
	(void)!truncate("sub/cut", 0);
}

static void
undumpable_destroys(const struct world *w)
{
	static const char *const files[] = { "sub/gone", "sub/emptied", "sub/created", "sub/cut" };
	struct stat st;

	mkdir("sub/dir", 0755);
	for (size_t i = 0; i < COUNT(files); i++)
		make_file(files[i]);
	as_undumpable(w, act_destroy);
	for (size_t i = 0; i < COUNT(files); i++)
		if (stat(files[i], &st) < 0 || st.st_size == 0)
			loot(w, files[i]);
	if (access("sub/dir", F_OK) < 0)
		loot(w, "sub/dir");
}

/* ---- the path changes during the call ---- */

static char path[LENGTH];
static const char *free_name, *git_name;

static void
flip_path(const struct world *w, unsigned n)
{
	(void)w;
	snprintf(path, LENGTH, "%s", n & 1 ? git_name : free_name);
	__asm__ volatile("" ::: "memory");
}

static bool
link_is_in(const struct world *w)
{
	(void)w;
	return is_link(LOG) || is_link(".git/refs/d/leads");
}

static void
flip(const struct world *w, const char *to, void (*call)(const struct world *w))
{
	free_name = "sub/free";
	git_name = to;
	snprintf(path, LENGTH, "%s", free_name);
	race_start(w, flip_path);
	while (race_going(w, link_is_in))
		call(w);
	race_end();
}

static void
call_symlink(const struct world *w)
{
	(void)!symlink(w->file, path);
	unlink("sub/free");
}

static void
race_symlink(const struct world *w)
{
	flip(w, LOG, call_symlink);
}

static void
call_rename(const struct world *w)
{
	(void)!symlink(w->file, "sub/link");
	rename("sub/link", path);
	unlink("sub/free");
}

static void
race_rename(const struct world *w)
{
	flip(w, LOG, call_rename);
}

static void
call_link(const struct world *w)
{
	(void)w;
	(void)!link("sub/link", path);
	unlink("sub/free");
}

static void
race_link(const struct world *w)
{
	(void)!symlink(w->file, "sub/link");
	flip(w, LOG, call_link);
}

static void
fill_directory(const struct world *w)
{
	mkdir("sub/d", 0755);
	(void)!symlink(w->file, "sub/d/leads");
}

static void
call_rename_directory(const struct world *w)
{
	(void)w;
	rename("sub/d", path);
	rename("sub/free", "sub/d");
}

static void
race_rename_directory(const struct world *w)
{
	fill_directory(w);
	flip(w, ".git/refs/d", call_rename_directory);
}

static void
call_exchange_directory(const struct world *w)
{
	(void)w;
	syscall(SYS_renameat2, AT_FDCWD, "sub/d", AT_FDCWD, path, RENAME_EXCHANGE);
	if (!is_link("sub/d/leads"))
		syscall(SYS_renameat2, AT_FDCWD, "sub/d", AT_FDCWD, "sub/free", RENAME_EXCHANGE);
}

static void
race_exchange_directory(const struct world *w)
{
	fill_directory(w);
	mkdir("sub/free", 0755);
	mkdir(".git/refs/d", 0755);
	flip(w, ".git/refs/d", call_exchange_directory);
}

/* ---- a directory of the path is closed for a moment ---- */

static void
toggle(const struct world *w, unsigned n)
{
	(void)w;
	chmod(".git/logs", n & 1 ? 0700 : 0);
}

static void
close_and_call(const struct world *w, void (*call)(const struct world *w))
{
	race_start(w, toggle);
	while (race_going(w, link_is_in))
		call(w);
	race_end();
	chmod(".git/logs", 0700);
}

static void
call_symlink_there(const struct world *w)
{
	(void)!symlink(w->file, LOG);
}

static void
race_closed_symlink(const struct world *w)
{
	close_and_call(w, call_symlink_there);
}

static void
call_rename_there(const struct world *w)
{
	(void)!symlink(w->file, "sub/link");
	rename("sub/link", LOG);
}

static void
race_closed_rename(const struct world *w)
{
	close_and_call(w, call_rename_there);
}

static void
call_link_there(const struct world *w)
{
	(void)w;
	(void)!link("sub/link", LOG);
}

static void
race_closed_link(const struct world *w)
{
	(void)!symlink(w->file, "sub/link");
	close_and_call(w, call_link_there);
}

/* ---- directories ---- */

/* It goes out, a link is put into it, and it comes back. */
static void
out_and_back(const struct world *w)
{
	mkdir(".git/refs/heads", 0755);
	rename(".git/refs/heads", "sub/heads");
	(void)!symlink(w->file, "sub/heads/leads");
	rename("sub/heads", ".git/refs/heads");
}

/* Past the gate: it is continued for who cannot be looked into. */
static const char *config;

static void
act_write_config(const struct world *w)
{
	(void)w;
	spoil(open(config, O_WRONLY | O_CREAT, 0644));
}

static void
write_config(const struct world *w, const char *name)
{
	config = name;
	as_undumpable(w, act_write_config);
}

/* The table of names is told of the first move, which is done on behalf, and not of the
 * second, which the kernel does. */
static void
rights_by_steps(const struct world *w)
{
	mkdir("p", 0755);
	rename("p", "sub/p");
	rename("sub/p", "sub/q");
	rename("sub/q", MODULE);
	write_config(w, MODULE "/config");
}

static void
rights_in_a_directory(const struct world *w)
{
	mkdir("p", 0755);
	rename("p", "sub/p");
	mkdir("sub/w", 0755);
	rename("sub/p", "sub/w/q");
	rename("sub/w", MODULE);
	write_config(w, MODULE "/q/config");
}

/* The move is refused, and what it carries is already named like a guard. */
static void
rights_exchanged(const struct world *w)
{
	mkdir("p", 0755);
	rename("p", "sub/p");
	rename("sub/p", "sub/q");
	mkdir(MODULE, 0755);
	syscall(SYS_renameat2, AT_FDCWD, "sub/q", AT_FDCWD, MODULE, RENAME_EXCHANGE);
	write_config(w, MODULE "/config");
}

static const struct attack list[] = {
	{ "git-undumpable-symlink", undumpable_symlink, 0 },
	{ "git-undumpable-move", undumpable_move, 0 },
	{ "git-undumpable-move-directory", undumpable_move_directory, 0 },
	{ "git-undumpable-destroys", undumpable_destroys, 0 },
	{ "git-directory-out-and-back", out_and_back, 0 },
	{ "git-rights-by-steps", rights_by_steps, 0 },
	{ "git-rights-in-a-directory", rights_in_a_directory, 0 },
	{ "git-rights-exchanged", rights_exchanged, 0 },
	{ "git-race-symlink", race_symlink, RACE },
	{ "git-race-rename", race_rename, RACE },
	{ "git-race-link", race_link, RACE },
	{ "git-race-rename-directory", race_rename_directory, RACE },
	{ "git-race-exchange-directory", race_exchange_directory, RACE },
	{ "git-race-closed-symlink", race_closed_symlink, RACE },
	{ "git-race-closed-rename", race_closed_rename, RACE },
	{ "git-race-closed-link", race_closed_link, RACE },
};

const struct attacks attacks_git = { list, COUNT(list) };
