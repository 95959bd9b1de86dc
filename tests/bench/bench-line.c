/* SPDX-License-Identifier: Apache-2.0 */
/* The line beside no line and beside bubblewrap, in the same run: interleaved
 * rounds, medians, ratios to native. As a normal user (root becomes nobody),
 * on tmpfs where there is one. AMBIT in the environment is the program;
 * AMBIT_BENCH_ROWS a word that picks rows, AMBIT_BENCH_ROUNDS how many rounds.
 * What is measured runs inside; only the rows "launch" include the start. */

#include <ftw.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "line-work.h"

#define ROUNDS 7
#define TMPFS 0x01021994

struct row {
	const char *name;
	const char *must; /* of DESIGN: shown beside */
	const char *work; /* of line-work.h, or "shell" or "launch" */
	const char *arg;
	const char *before;  /* shell, once, in the folder */
	const char *between; /* shell, before each round */
	int rounds;	     /* 0: ROUNDS */
};

#define FILES5K                                                                                    \
	"mkdir -p src && cd src && git init -q . && i=0; while [ $i -lt 50 ]; do mkdir d$i; j=0; " \
	"while [ $j -lt 100 ]; do echo $i $j >d$i/f$j; j=$((j+1)); done; i=$((i+1)); done; "       \
	"git -c user.name=n -c user.email=e add . && git -c user.name=n -c user.email=e commit "   \
	"-qm m"
#define TAR20K                                                                                     \
	"rm -rf t; mkdir -p t && i=0; while [ $i -lt 200 ]; do mkdir t/d$i; j=0; while [ $j -lt "  \
	"100 ]; do "                                                                               \
	"echo $i $j >t/d$i/f$j; j=$((j+1)); done; i=$((i+1)); done; tar cf t.tar t; rm -rf t"
#define MAKE100                                                                                    \
	"mkdir -p m && i=0; while [ $i -lt 60 ]; do echo \"#include <stdio.h>\nint f$i(void);int " \
	"f$i(void){return printf(\\\"$i\\\");}\" >m/f$i.c; i=$((i+1)); done; "                     \
	"printf 'O=$(patsubst %%.c,%%.o,$(wildcard *.c))\\nall: $(O)\\n' >m/Makefile"

static const struct row rows[] = {
	{ "launch of true", "3x, < bwrap", "launch", NULL, NULL, NULL, 150 },
	{ "read open", "1.05x", "read-open", "100000", NULL, NULL, 0 },
	{ "stat", "1.05x", "stat", "200000", NULL, NULL, 0 },
	{ "grep -r /usr/include", "1.05x", "shell",
		"grep -r zzzz_no /usr/include >/dev/null || :", NULL, NULL, 5 },
	{ "exec", "1.05x", "exec", "400", NULL, NULL, 0 },
	{ "make -j2, 60 files", "1.05x", "shell", "make -s -j2 -C m", MAKE100, "rm -f m/*.o", 5 },
	{ "create+close+unlink, subdirectory", "6x", "create-sub", "20000", NULL, NULL, 0 },
	{ "create+close+unlink, top level", "15x", "create-top", "20000", NULL, NULL, 0 },
	{ "git clone 5k files, subdirectory", "2x", "shell",
		"git clone -q --no-hardlinks src sub/clone", FILES5K, "rm -rf sub/clone", 5 },
	{ "untar 20k files, subdirectory", "4.5x", "shell", "tar xf t.tar -C sub", TAR20K,
		"rm -rf sub/t", 5 },
	{ "untar 20k files, top level", "12x", "shell", "tar xf t.tar", TAR20K, "rm -rf t", 5 },
	{ "rm -rf 20k files", "shown", "shell", "rm -rf sub/t", TAR20K,
		"rm -rf sub/t; tar xf t.tar -C sub", 5 },
	{ "20k creates in /tmp", "shown", "create-tmp", "20000", NULL, NULL, 5 },
	{ "sendmsg", "shown", "sendmsg", "50000", NULL, NULL, 0 },
	{ "launch, 1k entries at the top", "shown", "launch", NULL,
		"i=0; while [ $i -lt 1000 ]; do : >e$i; i=$((i+1)); done", NULL, 40 },
	{ "launch, 100k entries at the top", "shown", "launch", NULL,
		"i=0; while [ $i -lt 100000 ]; do : >e$i; i=$((i+1)); done", NULL, 20 },
};
#define ROWS_N (sizeof(rows) / sizeof(rows[0]))

enum way {
	NATIVE,
	AMBIT_RUN,
	BWRAP,
	WAYS_N
};
static const char *const way_names[] = { "native", "ambit run", "bwrap" };

static char self[4096], folder[4096], ambit[4096];

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void
in_folder(const char *line)
{
	if (!line)
		return;
	if (chdir(folder) < 0)
		fail(folder);
	run_shell(line);
}

static size_t
command(enum way way, const struct row *row, const char **argv)
{
	size_t n = 0;

	if (way == AMBIT_RUN) {
		argv[n++] = ambit;
		argv[n++] = "run";
		argv[n++] = "--ask";
		argv[n++] = "deny";
		argv[n++] = "--folder";
		argv[n++] = folder;
		argv[n++] = "--";
	} else if (way == BWRAP) {
		argv[n++] = "bwrap";
		argv[n++] = "--ro-bind";
		argv[n++] = "/";
		argv[n++] = "/";
		argv[n++] = "--dev-bind";
		argv[n++] = "/dev";
		argv[n++] = "/dev";
		argv[n++] = "--bind";
		argv[n++] = "/tmp";
		argv[n++] = "/tmp";
		argv[n++] = "--bind";
		argv[n++] = folder;
		argv[n++] = folder;
	}
	if (strcmp(row->work, "launch") == 0) {
		argv[n++] = "/bin/true";
	} else {
		argv[n++] = self;
		argv[n++] = "work";
		argv[n++] = row->work;
		argv[n++] = row->arg;
	}
	argv[n] = NULL;
	return n;
}

/* Nanoseconds, or -1. */
static double
measure(enum way way, const struct row *row)
{
	const char *argv[32];
	posix_spawn_file_actions_t actions;
	char text[64] = { 0 };
	double begun, took;
	int out[2], status;
	ssize_t n;
	pid_t pid;

	command(way, row, argv);
	if (pipe2(out, O_CLOEXEC) < 0)
		fail("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	begun = now_ns();
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	n = pid > 0 ? read(out[0], text, sizeof(text) - 1) : -1;
	if (pid > 0 && waitpid(pid, &status, 0) < 0)
		pid = -1;
	took = now_ns() - begun;
	close(out[0]);
	if (pid < 0 || status != 0)
		return -1;
	return strcmp(row->work, "launch") == 0 ? took : n > 0 ? strtod(text, NULL) : -1;
}

static int
rounds_of(const struct row *row)
{
	const char *said = getenv("AMBIT_BENCH_ROUNDS");

	return said ? (int)strtol(said, NULL, 10) : row->rounds > 0 ? row->rounds : ROUNDS;
}

static void
bench(const struct row *row)
{
	int rounds = rounds_of(row);
	double *took[WAYS_N], median[WAYS_N];

	in_folder(row->before);
	for (int w = 0; w < WAYS_N; w++)
		took[w] = calloc((size_t)rounds, sizeof(double));
	for (int i = 0; i < rounds; i++)
		for (int w = 0; w < WAYS_N; w++) {
			in_folder(row->between);
			took[w][i] = measure(w, row);
		}
	for (int w = 0; w < WAYS_N; w++) {
		qsort(took[w], (size_t)rounds, sizeof(double), by_size);
		median[w] = took[w][0] < 0 ? -1 : took[w][rounds / 2];
		free(took[w]);
	}
	printf("  %-34s %9.3f ms", row->name, median[NATIVE] / 1e6);
	for (int w = 1; w < WAYS_N; w++)
		if (median[w] < 0)
			printf("  %10s", "not run");
		else
			printf("  %9.2fx", median[w] / median[NATIVE]);
	printf("   %s\n", row->must);
	fflush(stdout);
}

static void
become_user(void)
{
	if (geteuid() != 0)
		return;
	if (chown(folder, 65534, 65534) < 0 || setgroups(0, NULL) < 0 || setgid(65534) < 0 ||
		setuid(65534) < 0)
		fail("becoming nobody");
}

static void
make_folder(void)
{
	struct statfs fs;
	const char *base = "/tmp";
	char home[4200];

	if (statfs("/tmp", &fs) == 0 && fs.f_type != TMPFS && statfs("/dev/shm", &fs) == 0 &&
		fs.f_type == TMPFS)
		base = "/dev/shm";
	snprintf(folder, sizeof(folder), "%s/ambit-bench-XXXXXX", base);
	if (!mkdtemp(folder))
		fail(folder);
	become_user();
	snprintf(home, sizeof(home), "%s/.home", folder);
	if (mkdir(home, 0700) < 0 || chdir(folder) < 0)
		fail(home);
	setenv("HOME", home, 1);
	setenv("XDG_STATE_HOME", home, 1);
	setenv("TMPDIR", folder, 1); /* all on the same file system */
	setenv("XDG_CONFIG_HOME", home, 1);
	unsetenv("XDG_RUNTIME_DIR");
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	run_shell("mkdir work && mkdir work/sub && echo text >work/sub/file");
	strncat(folder, "/work", sizeof(folder) - strlen(folder) - 1);
	if (chdir(folder) < 0)
		fail(folder);
}

int
main(int argc, char **argv)
{
	const char *pick = getenv("AMBIT_BENCH_ROWS");
	char top[4096];

	if (argc == 4 && strcmp(argv[1], "work") == 0)
		return work_main(argv + 2);
	if (!realpath(argv[0], self) ||
		!realpath(getenv("AMBIT") ? getenv("AMBIT") : "build/ambit", ambit))
		fail("the programs");
	make_folder();
	printf("the line, medians of interleaved rounds, ratios to native:\n");
	printf("  %-34s %12s  %10s  %10s   must\n", "", way_names[NATIVE], way_names[AMBIT_RUN],
		way_names[BWRAP]);
	for (size_t i = 0; i < ROWS_N; i++)
		if (!pick || strstr(rows[i].name, pick))
			bench(&rows[i]);
	snprintf(top, sizeof(top), "%s", folder);
	*strrchr(top, '/') = '\0';
	if (chdir("/") == 0)
		nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
