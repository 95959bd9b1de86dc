/* SPDX-License-Identifier: Apache-2.0 */
/* Start-to-exit of `ambit why` beside `true` and, where it is installed,
 * bubblewrap running `true`: interleaved, medians, as ratios to `true`.
 * AMBIT in the environment is the program. */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double
launch(char *const argv[])
{
	struct timespec a, b;
	posix_spawn_file_actions_t quiet;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ) != 0 ||
		waitpid(pid, &status, 0) < 0)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	posix_spawn_file_actions_destroy(&quiet);
	if (WEXITSTATUS(status) != 0)
		return -1;
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int
main(void)
{
	const int runs = 200;
	char *ambit = getenv("AMBIT") ? getenv("AMBIT") : (char *)"build/ambit";
	char *const commands[][8] = {
		{ (char *)"true", NULL },
		{ ambit, (char *)"why", (char *)"write", (char *)"a.c", NULL },
		{ ambit, (char *)"version", NULL },
		{ (char *)"bwrap", (char *)"--ro-bind", (char *)"/", (char *)"/", (char *)"true",
			NULL },
	};
	static const char *const names[] = { "true", "ambit why write a.c", "ambit version",
		"bwrap --ro-bind / / true" };
	double *took[4], base = 0;

	for (size_t c = 0; c < 4; c++)
		took[c] = calloc((size_t)runs, sizeof(double));
	for (int i = 0; i < runs; i++)
		for (size_t c = 0; c < 4; c++)
			took[c][i] = launch(commands[c]);
	printf("start to exit, median of %d interleaved runs:\n", runs);
	for (size_t c = 0; c < 4; c++) {
		qsort(took[c], (size_t)runs, sizeof(double), by_size);
		double median = took[c][runs / 2];

		if (c == 0)
			base = median;
		if (took[c][0] < 0)
			printf("  %-26s not run here\n", names[c]);
		else
			printf("  %-26s %8.0f us %6.2fx\n", names[c], median, median / base);
		free(took[c]);
	}
	return 0;
}
