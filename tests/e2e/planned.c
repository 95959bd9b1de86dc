/* SPDX-License-Identifier: Apache-2.0 */
/* planned ACT FILE SECONDS: tries to write to FILE where only looking is allowed, by what
 * a supervisor could leave to the kernel's floor. Begins at the first line on standard
 * input; prints "tried N, won N": won is a descriptor that can write, or a new file.
 *
 *     openat2    flags in memory flip between reading and writing
 *     device     the path in memory flips between /dev/null and FILE
 *     lock       a file opened for reading with O_CREAT flips to FILE, which is new
 *     hidden     one whose memory cannot be read opens FILE for writing
 *     plain      opens FILE for writing */

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROOM 512

static const char *file;
static char good[ROOM], evil[ROOM], path[ROOM];
static struct open_how how;
static atomic_bool stop;

static void
dawdle(unsigned *seed)
{
	for (volatile int n = rand_r(seed) & 63; n > 0; n--)
		;
}

static void *
flip(void *data)
{
	unsigned seed = (unsigned)(size_t)data;

	for (unsigned n = 0; !atomic_load(&stop); n++) {
		*(volatile unsigned long long *)&how.flags = n & 1 ? O_WRONLY | O_APPEND : O_RDONLY;
		memcpy(path, n & 1 ? evil : good, ROOM);
		__asm__ volatile("" ::: "memory");
		dawdle(&seed);
	}
	return NULL;
}

/* Whether it is FILE that can be written to. */
static bool
writes(int fd)
{
	struct stat st, wanted;

	return fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && fstat(fd, &st) == 0 &&
	       stat(file, &wanted) == 0 && st.st_ino == wanted.st_ino && st.st_dev == wanted.st_dev;
}

static bool
try_openat2(void)
{
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof(how));
	bool won = writes(fd);

	if (won)
		won = write(fd, "x", 1) == 1;
	if (fd >= 0)
		close(fd);
	return won;
}

static bool
try_open(int flags)
{
	int fd = open(path, flags, 0600);
	bool won = writes(fd);

	if (fd >= 0)
		close(fd);
	return won;
}

static bool
try_device(void)
{
	return try_open(O_WRONLY);
}

static bool
try_lock(void)
{
	bool won;

	try_open(O_RDONLY | O_CREAT);
	won = access(file, F_OK) == 0;
	if (won)
		unlink(file);
	return won;
}

static bool
try_plain(void)
{
	memcpy(path, evil, ROOM);
	return try_open(O_WRONLY);
}

static const struct act {
	const char *name, *good;
	bool (*call)(void);
	bool races, hides;
} acts[] = {
	{ "openat2", "", try_openat2, true, false },
	{ "device", "/dev/null", try_device, true, false },
	{ "lock", "/etc/passwd", try_lock, true, false },
	{ "hidden", "", try_plain, false, true },
	{ "plain", "", try_plain, false, false },
};

static bool
is_time(const struct timespec *since, double seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - since->tv_sec) + (double)(now.tv_nsec - since->tv_nsec) / 1e9 <
	       seconds;
}

static int
run(const struct act *act, double seconds)
{
	unsigned long tried = 0, won = 0;
	struct timespec since;
	pthread_t thread[2];

	snprintf(good, ROOM, "%s", act->good);
	snprintf(evil, ROOM, "%s", file);
	memcpy(path, good, ROOM);
	if (act->hides)
		prctl(PR_SET_DUMPABLE, 0);
	for (size_t i = 0; act->races && i < 2; i++)
		pthread_create(&thread[i], NULL, flip, (void *)(i + 1));
	clock_gettime(CLOCK_MONOTONIC, &since);
	do {
		won += act->call();
		tried++;
	} while (act->races && is_time(&since, seconds));
	atomic_store(&stop, true);
	for (size_t i = 0; act->races && i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("tried %lu, won %lu\n", tried, won);
	return 0;
}

int
main(int argc, char **argv)
{
	char line[16];

	if (argc != 4)
		return 2;
	file = argv[2];
	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 3;
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(acts[i].name, argv[1]) == 0)
			return run(&acts[i], strtod(argv[3], NULL));
	return 2;
}
