/* SPDX-License-Identifier: Apache-2.0 */
/* Two programs that use one name. `appear make PATH SECONDS` makes a file of its own there, looks
 * whether it stays, and removes it, again and again; prints how often somebody replaced it.
 * `appear move FROM TO SECONDS` moves a file of its own onto that name whenever it is free. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
make_files(const char *path, double until)
{
	unsigned long made = 0, lost = 0;

	while (now() < until) {
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		struct stat st = { .st_nlink = 1 };

		if (fd < 0)
			continue;
		made++;
		for (int i = 0; i < 200 && st.st_nlink == 1; i++)
			fstat(fd, &st);
		if (st.st_nlink == 0)
			lost++;
		else
			unlink(path);
		close(fd);
		usleep(made % 100);
	}
	printf("made %lu lost %lu\n", made, lost);
	return made == 0;
}

static int
move_files(const char *from, const char *to, double until)
{
	unsigned long moved = 0;

	while (now() < until) {
		int fd = open(from, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		if (fd >= 0)
			close(fd);
		if (access(to, F_OK) == 0 || rename(from, to) < 0)
			continue;
		moved++;
		unlink(to);
	}
	printf("moved %lu\n", moved);
	return moved == 0;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "make") == 0)
		return make_files(argv[2], now() + atof(argv[3]));
	if (argc == 5 && strcmp(argv[1], "move") == 0)
		return move_files(argv[2], argv[3], now() + atof(argv[4]));
	return 2;
}
