/* SPDX-License-Identifier: Apache-2.0 */
/* From a key at the prompt to the held call resumed: a person's pty, on it
 * `ambit run` of this program, which makes files outside its folder and notes
 * when each open came back; every question is answered with "once". As a
 * normal user (root becomes nobody), on tmpfs where there is one. AMBIT in the
 * environment is the program. Prints, asserts nothing about time. */

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 30 /* a session may ask 32 questions in a row */
#define TMPFS 0x01021994
#define PROMPT "ambit> "
#define THINK_NS (400 * 1000 * 1000) /* a person: keys that come with the question do not count */
#define GIVE_UP_MS 20000

static char top[4096], self[4096], ambit[4096];

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* -- inside -------------------------------------------------------------------- */

static int
make_files(void)
{
	double back[ROUNDS];
	char path[64];
	int fd;

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(path, sizeof(path), "../outside-%d/new", i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		back[i] = now_ns();
		if (fd < 0)
			fail(path);
		close(fd);
	}
	fd = open("times", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, back, sizeof(back)) != (ssize_t)sizeof(back);
}

/* -- the person ------------------------------------------------------------------ */

/* Until the prompt is shown, or (text NULL) until nobody shows more. */
static void
watch(int master, const char *text)
{
	char shown[65536];
	size_t len = 0;

	for (;;) {
		struct pollfd p = { .fd = master, .events = POLLIN };
		ssize_t n = poll(&p, 1, GIVE_UP_MS) == 1
				    ? read(master, shown + len, sizeof(shown) - 1 - len)
				    : -1;

		if (n <= 0 && !text)
			return; /* EIO: it has ended */
		if (n <= 0 || len + (size_t)n >= sizeof(shown) - 1) {
			fprintf(stderr, "no prompt; shown was: %.*s\n", (int)len, shown);
			exit(1);
		}
		len = text ? len + (size_t)n : 0;
		shown[len] = '\0';
		if (text && strstr(shown, text))
			return;
	}
}

static void
answer_all(int master, double *pressed)
{
	const struct timespec think = { .tv_nsec = THINK_NS };

	for (int i = 0; i < ROUNDS; i++) {
		watch(master, PROMPT);
		nanosleep(&think, NULL);
		pressed[i] = now_ns();
		if (write(master, "y", 1) != 1)
			fail("the terminal");
	}
	watch(master, NULL);
}

static void
session(double *took)
{
	const struct winsize size = { .ws_row = 40, .ws_col = 120 };
	char *const argv[] = { ambit, "run", "--ask", "tty", "--", self, "work", NULL };
	double pressed[ROUNDS], back[ROUNDS];
	int master, status, fd;
	pid_t pid = forkpty(&master, NULL, NULL, &size);

	if (pid < 0)
		fail("forkpty");
	if (pid == 0) {
		execv(ambit, argv);
		fail(ambit);
	}
	answer_all(master, pressed);
	close(master);
	fd = open("times", O_RDONLY | O_CLOEXEC);
	if (waitpid(pid, &status, 0) < 0 || status != 0 || fd < 0 ||
		read(fd, back, sizeof(back)) != (ssize_t)sizeof(back))
		fail("ambit run");
	close(fd);
	for (int i = 0; i < ROUNDS; i++)
		took[i] = back[i] - pressed[i];
}

/* -- around it --------------------------------------------------------------------- */

static void
make_place(void)
{
	struct statfs fs;
	const char *base = "/tmp";
	char home[4200];

	if (statfs("/tmp", &fs) == 0 && fs.f_type != TMPFS && statfs("/dev/shm", &fs) == 0 &&
		fs.f_type == TMPFS)
		base = "/dev/shm";
	snprintf(top, sizeof(top), "%s/ambit-bench-XXXXXX", base);
	if (!mkdtemp(top))
		fail(top);
	if (geteuid() == 0 && (chown(top, 65534, 65534) < 0 || setgroups(0, NULL) < 0 ||
				      setgid(65534) < 0 || setuid(65534) < 0))
		fail("becoming nobody");
	if (chdir(top) < 0 || mkdir("home", 0700) < 0 || mkdir("work", 0755) < 0)
		fail(top);
	/* "Once" is for the process and the directory: another one each time. */
	for (int i = 0; i < ROUNDS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "outside-%d", i);
		if (mkdir(name, 0755) < 0)
			fail(name);
	}
	snprintf(home, sizeof(home), "%s/home", top);
	setenv("HOME", home, 1);
	setenv("XDG_STATE_HOME", home, 1);
	setenv("XDG_CONFIG_HOME", home, 1);
	setenv("TERM", "xterm", 1);
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("TMPDIR");
	if (chdir("work") < 0)
		fail("work");
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

int
main(int argc, char **argv)
{
	double took[ROUNDS];

	if (argc == 2 && strcmp(argv[1], "work") == 0)
		return make_files();
	if (!realpath(argv[0], self) ||
		!realpath(getenv("AMBIT") ? getenv("AMBIT") : "build/ambit", ambit))
		fail("the programs");
	make_place();
	session(took);
	qsort(took, ROUNDS, sizeof(took[0]), by_size);
	printf("from a key at the prompt to the held call resumed, %d questions:\n", ROUNDS);
	printf("  %-34s %9.3f ms   least %.3f ms, most %.3f ms   must: < 1 ms\n", "median",
		took[ROUNDS / 2] / 1e6, took[0] / 1e6, took[ROUNDS - 1] / 1e6);
	if (chdir("/") == 0)
		nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
