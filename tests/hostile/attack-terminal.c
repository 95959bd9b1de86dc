/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to a terminal that the session did not make, now that it may make its own: by
 * every kind of name, by a master that came from outside, by a name or a number that changes
 * between the look and the act, and by a number that another program has a moment later. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "attack.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define HOW (O_RDWR | O_NOCTTY | O_NONBLOCK)
#define LOOK (O_RDONLY | O_NOCTTY | O_NONBLOCK)
#define NUMBER 60 /* the descriptor that changes */

static bool got;

/* Closes it. */
static void
loot_if_theirs(const struct world *w, int fd)
{
	struct stat is, theirs;

	if (fd < 0)
		return;
	if (fstat(fd, &is) == 0 && stat(w->terminal, &theirs) == 0 &&
		is.st_rdev == theirs.st_rdev) {
		if (!got)
			loot(w, "their terminal");
		got = true;
	}
	close(fd);
}

static bool
has_got(const struct world *w)
{
	(void)w;
	return got;
}

/* One of its own, and its name. */
static int
make_own(char *name, size_t size)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	if (fd < 0 || unlockpt(fd) < 0 || ptsname_r(fd, name, size) != 0)
		cannot("no terminal can be made");
	return fd;
}

/* ---- names ---- */

static void
by_link(const struct world *w)
{
	(void)!symlink(w->terminal, "link");
	loot_if_theirs(w, open("link", HOW));
}

static void
by_directory_link(const struct world *w)
{
	(void)!symlink("/dev", "devices");
	loot_if_theirs(w, open(in("devices", w->terminal + strlen("/dev/")), HOW));
}

static void
by_descriptor(const struct world *w)
{
	int fd = open(w->terminal, O_PATH);

	loot_if_theirs(w, open(proc_fd(fd), HOW));
}

/* For ioctl alone: Landlock asks no right for this access mode. */
static void
for_ioctl(const struct world *w)
{
	int fd = open(w->terminal, O_PATH);

	loot_if_theirs(w, open(w->terminal, O_ACCMODE | O_NOCTTY | O_NONBLOCK));
	loot_if_theirs(w, open(proc_fd(fd), O_ACCMODE | O_NOCTTY | O_NONBLOCK));
}

static void
by_directory(const struct world *w)
{
	int dir = open("/dev/pts", O_PATH | O_DIRECTORY);

	loot_if_theirs(w, openat(dir, strrchr(w->terminal, '/') + 1, HOW));
}

static void
by_root(const struct world *w)
{
	loot_if_theirs(w, open(in("/proc/self/root", w->terminal), HOW));
}

static void
by_openat2(const struct world *w)
{
	struct open_how how = { .flags = HOW };

	loot_if_theirs(w, (int)syscall(SYS_openat2, AT_FDCWD, w->terminal, &how, sizeof(how)));
}

static void
by_creating(const struct world *w)
{
	loot_if_theirs(w, open(w->terminal, HOW | O_CREAT | O_TRUNC, 0600));
}

/* Between two of its own. */
static void
beside_own(const struct world *w)
{
	char name[64];

	make_own(name, sizeof(name));
	loot_if_theirs(w, open(name, HOW));
	loot_if_theirs(w, open(w->terminal, HOW));
}

/* The keys that are typed there. */
static void
read_keys_by_link(const struct world *w)
{
	char keys[64];
	ssize_t n;
	int fd;

	(void)!symlink(w->terminal, "link");
	fd = open("link", LOOK);
	n = read(fd, keys, sizeof(keys));
	if (n > 0)
		loot_if_secret(w, keys, (size_t)n);
	loot_if_theirs(w, fd);
}

/* ---- what is known about it ---- */

static void
change_mode(const struct world *w)
{
	chmod(w->terminal, 0604);
	fchmodat(open(w->terminal, O_PATH), "", 0604, 0x1000 /* AT_EMPTY_PATH */);
}

static void
change_times(const struct world *w)
{
	const struct timeval old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	utimes(w->terminal, old);
}

/* ---- a master from outside ---- */

static void
peer_of_input(const struct world *w)
{
	loot_if_theirs(w, ioctl(0, TIOCGPTPEER, HOW));
}

static void
name_of_input(const struct world *w)
{
	char name[64];

	if (ptsname_r(0, name, sizeof(name)) == 0)
		loot_if_theirs(w, open(name, HOW));
}

/* A copy of it beside a master of its own, in a child, too. */
static void
peer_of_copy(const struct world *w)
{
	char name[64];
	pid_t pid;

	make_own(name, sizeof(name));
	dup2(0, NUMBER);
	pid = fork();
	loot_if_theirs(w, ioctl(NUMBER, TIOCGPTPEER, HOW));
	if (pid == 0)
		_exit(0);
	reap(pid);
}

/* ---- races ---- */

static int good, bad;
static char names[2][64], name_now[64];

static void
flip_descriptor(const struct world *w, unsigned n)
{
	(void)w;
	dup2(n & 1 ? bad : good, NUMBER);
}

static void
flip_name(const struct world *w, unsigned n)
{
	(void)w;
	memcpy(name_now, names[n & 1], sizeof(name_now));
}

static void
race_peer(const struct world *w)
{
	good = make_own(names[0], sizeof(names[0]));
	bad = dup(0);
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, has_got))
		loot_if_theirs(w, ioctl(NUMBER, TIOCGPTPEER, HOW));
	race_end();
}

static void
race_descriptor(const struct world *w)
{
	make_own(names[0], sizeof(names[0]));
	good = open(names[0], O_PATH);
	bad = open(w->terminal, O_PATH);
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, has_got))
		loot_if_theirs(w, open(proc_fd(NUMBER), HOW));
	race_end();
}

static void
start_name_race(const struct world *w)
{
	make_own(names[0], sizeof(names[0]));
	memcpy(names[1], w->terminal, sizeof(names[1]));
	memcpy(name_now, names[0], sizeof(name_now));
	race_start(w, flip_name);
}

static void
race_name(const struct world *w)
{
	start_name_race(w);
	while (race_going(w, has_got))
		loot_if_theirs(w, open(name_now, HOW));
	race_end();
}

/* Its flags lie in memory: looked at, they read alone. */
static struct open_how how_now;

static void
flip_flags(const struct world *w, unsigned n)
{
	const uint64_t plain[] = { LOOK, LOOK | O_PATH, LOOK | O_CREAT, HOW };

	(void)w;
	__atomic_store_n(&how_now.flags,
		n & 1 ? O_ACCMODE | O_NOCTTY | O_NONBLOCK : plain[n / 2 % COUNT(plain)],
		__ATOMIC_RELAXED);
}

static void
loot_if_opened(const struct world *w, int fd)
{
	int flags = fd < 0 ? O_PATH : fcntl(fd, F_GETFL);

	if (!(flags & O_PATH))
		loot_if_theirs(w, fd);
	else if (fd >= 0)
		close(fd);
}

static void
race_openat2(const struct world *w)
{
	race_start(w, flip_flags);
	while (race_going(w, has_got))
		loot_if_opened(w, (int)syscall(SYS_openat2, AT_FDCWD, w->terminal, &how_now,
					  sizeof(how_now)));
	race_end();
}

/* For reading alone, and made if it is not there: that one ambit sees. */
static void
race_read(const struct world *w)
{
	start_name_race(w);
	for (unsigned n = 0; race_going(w, has_got); n++)
		loot_if_theirs(w, open(name_now, n & 1 ? LOOK | O_CREAT : LOOK, 0600));
	race_end();
}

static bool
mode_changed(const struct world *w)
{
	struct stat st;

	return stat(w->terminal, &st) == 0 && (st.st_mode & 0777) == 0604;
}

static void
race_mode(const struct world *w)
{
	start_name_race(w);
	while (race_going(w, mode_changed))
		chmod(name_now, 0604);
	race_end();
}

/* Its own terminal ends while it opens it, and a program outside makes the next one, over and
 * over: that has the same number. That program reads all that is written there. */
static atomic_int master = -1;
#define ENOUGH 50 /* without a line: that program may end one before it looks */

static void
close_master(void)
{
	int fd = atomic_exchange(&master, -1);

	if (fd >= 0)
		close(fd);
}

/* A little later each time. */
static void
close_later(const struct world *w, unsigned n)
{
	static volatile unsigned spun;

	(void)w;
	if (atomic_load(&master) < 0)
		return;
	for (unsigned i = n % 400 * 100; i > 0; i--)
		spun++;
	close_master();
}

/* Anybody on the machine may have the number by now: only the terminals of that program have
 * this size. An open descriptor stays with its terminal. */
static bool
is_made_for(int fd, int mark)
{
	struct winsize size;

	return fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row == TERMINAL_ROWS(mark) &&
	       size.ws_col == TERMINAL_COLS(mark);
}

static void
race_number(const struct world *w)
{
	unsigned theirs = 0;
	int mark = (int)getpid();
	char request[32];

	snprintf(request, sizeof(request), "terminals %d", mark);
	if (!ask_runner(w, request))
		cannot("the runner makes no terminals");
	race_start(w, close_later);
	while (race_going(w, has_got)) {
		int own = make_own(names[0], sizeof(names[0]));

		atomic_store(&master, own);
		for (int n = 0; n < 4; n++) {
			int fd = open(names[0], HOW);

			if (is_made_for(fd, mark) && write(fd, "SPOILT\n", 7) == 7)
				got = ++theirs >= ENOUGH;
			if (fd >= 0)
				close(fd);
		}
		close_master();
	}
	race_end();
}

static const struct attack list[] = {
	{ "terminal-by-link", by_link, 0 },
	{ "terminal-by-directory-link", by_directory_link, 0 },
	{ "terminal-by-descriptor", by_descriptor, 0 },
	{ "terminal-for-ioctl", for_ioctl, 0 },
	{ "terminal-by-directory", by_directory, 0 },
	{ "terminal-by-root", by_root, 0 },
	{ "terminal-by-openat2", by_openat2, 0 },
	{ "terminal-by-creating", by_creating, 0 },
	{ "terminal-beside-own", beside_own, 0 },
	{ "terminal-read-keys-by-link", read_keys_by_link, 0 },
	{ "terminal-change-mode", change_mode, 0 },
	{ "terminal-change-times", change_times, 0 },
	{ "terminal-peer-of-input", peer_of_input, STDIN_MASTER },
	{ "terminal-name-of-input", name_of_input, STDIN_MASTER },
	{ "terminal-peer-of-copy", peer_of_copy, STDIN_MASTER },
	{ "terminal-race-peer", race_peer, STDIN_MASTER | RACE },
	{ "terminal-race-descriptor", race_descriptor, RACE },
	{ "terminal-race-name", race_name, RACE },
	{ "terminal-race-read", race_read, RACE },
	{ "terminal-race-mode", race_mode, RACE },
	{ "terminal-race-openat2", race_openat2, RACE },
	{ "terminal-race-number", race_number, RACE },
};

const struct attacks attacks_terminal = { list, COUNT(list) };
