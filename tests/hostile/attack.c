/* SPDX-License-Identifier: Apache-2.0 */
/* What every attack uses: names, proofs, the runner's help, and a thread that
 * changes something while another thread makes the call. */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define PLAIN_SECONDS 0.2 /* where nobody sees the effect at once */

const char *
in(const char *dir, const char *name)
{
	static char ring[16][2 * LENGTH];
	static unsigned next;
	char *to = ring[next++ % 16];

	snprintf(to, sizeof(ring[0]), "%s/%s", dir, name);
	return to;
}

void
cannot(const char *why)
{
	printf("%s\n", why);
	fflush(stdout);
	_exit(77);
}

void
loot(const struct world *w, const char *text)
{
	int fd = open(in(w->folder, "loot"), O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	(void)!write(fd, "\n", 1);
	close(fd);
}

void
loot_if_secret(const struct world *w, const void *bytes, size_t n)
{
	if (memmem(bytes, n, SECRET, strlen(SECRET)) != NULL)
		loot(w, "the secret");
}

void
spoil(int fd)
{
	if (fd < 0)
		return;
	(void)!write(fd, "SPOILT\n", 7);
	close(fd);
}

void
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return;
	(void)!write(fd, "own\n", 4);
	close(fd);
}

const char *
proc_fd(int fd)
{
	static char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return name;
}

void
reap(pid_t pid)
{
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

bool
ask_runner(const struct world *w, const char *request)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	char answer[16] = "";
	int fd = open(in(w->folder, "ask.new"), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return false;
	(void)!write(fd, request, strlen(request));
	close(fd);
	unlink(in(w->folder, "answer"));
	if (rename(in(w->folder, "ask.new"), in(w->folder, "ask")) < 0)
		return false;
	for (int n = 0; n < 2500; n++) {
		fd = open(in(w->folder, "answer"), O_RDONLY);
		if (fd >= 0) {
			(void)!read(fd, answer, sizeof(answer) - 1);
			close(fd);
			return strncmp(answer, "done", 4) == 0;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

static struct {
	const struct world *w;
	void (*turn)(const struct world *w, unsigned n);
	pthread_t thread;
	atomic_bool over;
	struct timespec began;
	unsigned tries;
} race;

static void *
race_thread(void *arg)
{
	(void)arg;
	for (unsigned n = 0; !atomic_load(&race.over); n++)
		race.turn(race.w, n);
	return NULL;
}

void
race_start(const struct world *w, void (*turn)(const struct world *w, unsigned n))
{
	race.w = w;
	race.turn = turn;
	race.tries = 0;
	atomic_store(&race.over, false);
	clock_gettime(CLOCK_MONOTONIC, &race.began);
	if (pthread_create(&race.thread, NULL, race_thread, NULL) != 0)
		cannot("no thread");
}

bool
race_going(const struct world *w, bool (*done)(const struct world *w))
{
	double seconds = w->plain && done == NULL ? PLAIN_SECONDS : w->plain ? 10 : w->seconds;
	bool counts = !w->plain && w->tries > 0;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (w->plain && done != NULL && done(w))
		return false;
	return (race.tries++ < w->tries || !counts) &&
	       (double)(now.tv_sec - race.began.tv_sec) +
			       (double)(now.tv_nsec - race.began.tv_nsec) / 1e9 <
		       seconds;
}

void
race_end(void)
{
	atomic_store(&race.over, true);
	pthread_join(race.thread, NULL);
	printf("tries %u\n", race.tries);
	fflush(stdout);
}

bool
file_changed(const struct world *w)
{
	struct stat st;

	return stat(w->file, &st) < 0 || st.st_size != 5 || (st.st_mode & 07777) != 0640 ||
	       (int64_t)st.st_ino != w->inode;
}
