/* SPDX-License-Identifier: Apache-2.0 */
/* away [-t] FROM TO NEW: moves FROM to TO; its number is in the file "pid". The handler of SIGALRM
 * (-t: another thread) makes the file "handled", waits for the file "answered", and then tries to
 * get more out of the answer to that call: it removes FROM, and renames a new file NEW over TO.
 * Each try is printed with "ok" or its error. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *from, *to, *new_file;

/* A handler must not use stdio. */
static void
say_result(const char *what, int r)
{
	const char *name = r == 0 ? "ok" : strerrorname_np(errno);
	char line[100], *end = line;

	end = stpcpy(end, what);
	end = stpcpy(end, " ");
	end = stpcpy(end, name ? name : "?");
	end = stpcpy(end, "\n");
	(void)!write(STDOUT_FILENO, line, (size_t)(end - line));
}

static int
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	return fd < 0 ? -1 : close(fd);
}

static void
take_more(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	make_file("handled");
	while (access("answered", F_OK) < 0)
		nanosleep(&pause, NULL);
	say_result("unlink", unlink(from));
	say_result("create", make_file(new_file));
	say_result("replace", rename(new_file, to));
}

static void
handle_signal(int sig)
{
	(void)sig;
	take_more();
}

static void *
run_thread(void *data)
{
	(void)data;
	take_more();
	return NULL;
}

static void
write_pid(void)
{
	FILE *file = fopen("pid", "we");

	if (file) {
		fprintf(file, "%d\n", (int)getpid());
		fclose(file);
	}
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handle_signal };
	bool thread = argc == 5 && strcmp(argv[1], "-t") == 0;
	pthread_t id;

	if (argc != 4 && !thread)
		return 2;
	from = argv[argc - 3];
	to = argv[argc - 2];
	new_file = argv[argc - 1];
	sigaction(SIGALRM, &action, NULL);
	write_pid();
	if (thread)
		pthread_create(&id, NULL, run_thread, NULL);
	say_result("move", rename(from, to));
	if (thread)
		pthread_join(id, NULL);
	return 0;
}
