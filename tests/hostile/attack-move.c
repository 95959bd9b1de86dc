/* SPDX-License-Identifier: Apache-2.0 */
/* Moves on behalf, whose two names are exchanged for something else while the supervisor works:
 * a symlink that leads outside is to get into .git, a directory with a hook in it too. The
 * source names lie where the floor lets the attacker rename as fast as it can. */

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* ---- a file, exchanged for a symlink ---- */

static void
swap_link(const struct world *w, unsigned n)
{
	(void)w;
	(void)n;
	renameat2(AT_FDCWD, "sub/a", AT_FDCWD, "sub/b", RENAME_EXCHANGE);
}

static bool
has_link(const struct world *w)
{
	return is_link(in(w->folder, ".git/COMMIT_EDITMSG"));
}

/* Not through the symlink, which has this name half of the time. */
static void
make_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);

	if (fd >= 0)
		close(fd);
}

static void
call_rename(void)
{
	make_new("sub/a");
	if (rename("sub/a", ".git/COMMIT_EDITMSG") == 0 && !is_link(".git/COMMIT_EDITMSG"))
		unlink(".git/COMMIT_EDITMSG");
}

static void
swapped_link(const struct world *w)
{
	symlink(w->file, "sub/b");
	race_start(w, swap_link);
	while (race_going(w, has_link) && !has_link(w)) {
		call_rename();
		/* Both names may be files by now. */
		if (!is_link("sub/a") && !is_link("sub/b") && !has_link(w)) {
			unlink("sub/b");
			symlink(w->file, "sub/b");
		}
	}
	race_end();
}

/* The name that was taken away is filled again at once, so that nothing can be put back. */
static void
refill_link(const struct world *w, unsigned n)
{
	(void)n;
	unlink("sub/b");
	symlink(w->file, "sub/b");
	renameat2(AT_FDCWD, "sub/a", AT_FDCWD, "sub/b", RENAME_EXCHANGE);
	link("sub/c", "sub/a");
}

static void
refilled_source(const struct world *w)
{
	make_file("sub/c");
	race_start(w, refill_link);
	while (race_going(w, has_link) && !has_link(w))
		call_rename();
	race_end();
}

/* A rename that the supervisor let go on, by a thread that runs only when its processor has
 * nothing else to do, lands late: between the look and the act of another call. */
static volatile bool spinning;

/* On the last processor that this process has. */
static void
stay_on_last(void)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = CPU_SETSIZE - 1; i >= 0; i--) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *
spin(void *data)
{
	(void)data;
	stay_on_last();
	while (spinning)
		;
	return NULL;
}

static void
swap_idly(const struct world *w, unsigned n)
{
	static __thread bool begun;
	struct sched_param none = { 0 };

	if (!begun) {
		stay_on_last();
		sched_setscheduler(0, SCHED_IDLE, &none);
	}
	begun = true;
	swap_link(w, n);
}

static void
swapped_link_idle(const struct world *w)
{
	pthread_t spinner;

	spinning = true;
	pthread_create(&spinner, NULL, spin, NULL);
	symlink(w->file, "sub/b");
	race_start(w, swap_idly);
	while (race_going(w, has_link) && !has_link(w)) {
		call_rename();
		if (!is_link("sub/a") && !is_link("sub/b") && !has_link(w)) {
			unlink("sub/b");
			symlink(w->file, "sub/b");
		}
	}
	spinning = false;
	race_end();
	pthread_join(spinner, NULL);
}

/* ---- a directory, exchanged for one that holds something ---- */

static void
swap_dir(const struct world *w, unsigned n)
{
	(void)w;
	(void)n;
	renameat2(AT_FDCWD, "sub/empty", AT_FDCWD, "sub/full", RENAME_EXCHANGE);
}

static bool
has_hook(const struct world *w)
{
	return access(in(w->folder, ".git/modules/m/hooks/evil"), F_OK) == 0;
}

static void
swapped_dir(const struct world *w)
{
	mkdir(".git/modules", 0755);
	mkdir("sub/full", 0755);
	mkdir("sub/full/hooks", 0755);
	make_file("sub/full/hooks/evil");
	race_start(w, swap_dir);
	while (race_going(w, has_hook) && !has_hook(w)) {
		mkdir("sub/empty", 0755);
		if (rename("sub/empty", ".git/modules/m") == 0 && !has_hook(w))
			rmdir(".git/modules/m");
	}
	race_end();
}

static bool
has_link_in_dir(const struct world *w)
{
	return is_link(in(w->folder, ".git/info/d/link"));
}

/* A symlink comes into the directory while that is moved. */
static void
fill_dir(const struct world *w, unsigned n)
{
	(void)n;
	symlink(w->file, "sub/d/link");
	unlink("sub/d/link");
}

static void
filled_dir(const struct world *w)
{
	mkdir(".git/info", 0755);
	race_start(w, fill_dir);
	while (race_going(w, has_link_in_dir) && !has_link_in_dir(w)) {
		mkdir("sub/d", 0755);
		if (rename("sub/d", ".git/info/d") == 0 && rmdir(".git/info/d") < 0)
			rename(".git/info/d", "sub/e");
		rmdir("sub/e");
	}
	race_end();
}

static const struct attack list[] = {
	{ "move-race-swapped-link", swapped_link, RACE },
	{ "move-race-refilled-source", refilled_source, RACE },
	{ "move-race-swapped-link-idle", swapped_link_idle, RACE },
	{ "move-race-swapped-directory", swapped_dir, RACE },
	{ "move-race-filled-directory", filled_dir, RACE },
};

const struct attacks attacks_move = { list, COUNT(list) };
