/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a directory, changed by one of ambit's threads and processes at a time.
 * To look and then to rename are two steps, and taking back what was put over somebody
 * else's file is a third: three writers in between would each undo another's. The lock
 * is on the directory itself, so that it holds between processes as well. It is a
 * courtesy: whoever can read the directory can hold it for ever. So nobody waits for
 * long, and what was found is looked at in any case. */

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "perform/file-private.h"

#define PAUSE_NS 200000
#define PAUSES 500 /* a tenth of a second; what is done meanwhile are a few renames */

static int
try_lock_dir(int dir, int *pauses)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK && *pauses > 0) {
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		--*pauses;
	}
	return fd;
}

static bool
comes_first(const struct stat *a, const struct stat *b)
{
	return a->st_dev != b->st_dev ? a->st_dev < b->st_dev : a->st_ino < b->st_ino;
}

int
file_turn_patience(void)
{
	return PAUSES;
}

void
file_turn_take(struct file_turn *turn, int dir, int other, int *patience)
{
	struct stat a = { 0 }, b = { 0 };
	int own = PAUSES;

	patience = patience ? patience : &own;
	*turn = (struct file_turn){ { -1, -1 } };
	if (other >= 0 && fstat(dir, &a) == 0 && fstat(other, &b) == 0 &&
		(a.st_dev != b.st_dev || a.st_ino != b.st_ino)) {
		/* Two who want both take the same one first. */
		turn->fds[0] = try_lock_dir(comes_first(&a, &b) ? dir : other, patience);
		turn->fds[1] = try_lock_dir(comes_first(&a, &b) ? other : dir, patience);
	} else {
		turn->fds[0] = try_lock_dir(dir, patience);
	}
}

void
file_turn_end(struct file_turn *turn)
{
	for (int i = 0; i < 2; i++)
		if (turn->fds[i] >= 0)
			close(turn->fds[i]);
	*turn = (struct file_turn){ { -1, -1 } };
}
