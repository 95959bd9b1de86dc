/* SPDX-License-Identifier: Apache-2.0 */
/* grep, called as a tool, beside ripgrep, git grep and grep -r in the same run, on a
 * tree of 50 000 files that is warm in the cache. The others are started for each
 * search, ambit's own goes through decision, record and result. Prints, asserts
 * nothing about time; what is found must be the same. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ambit/ambit.h>
#include <ambit/tools.h>

#include "base/json.h"

#define FILES 50000
#define RUNS 7

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
die(const char *what, const struct ambit_error *err)
{
	fprintf(stderr, "bench-grep: %s: %s\n", what, err ? err->text : strerror(errno));
	exit(1);
}

/* -- other programs --------------------------------------------------------------------- */

/* Lines that a command prints; -1 if it cannot be run. */
static long
run_lines(const char *command, double *took)
{
	char buffer[65536];
	double from = seconds();
	long lines = 0;
	int fds[2], status = -1;
	ssize_t n;
	pid_t pid = -1;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		die("fork", NULL);
	if (pid == 0) {
		if (dup2(fds[1], 1) < 0)
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	while ((n = read(fds[0], buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += buffer[i] == '\n';
	close(fds[0]);
	waitpid(pid, &status, 0);
	*took = seconds() - from;
	/* 1: nothing was found. */
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? lines : -1;
}

static bool
has(const char *command)
{
	double took;

	return run_lines(command, &took) > 0;
}

/* -- the tree --------------------------------------------------------------------------- */

static unsigned long long state = 42;

static unsigned
chance(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* Text that looks like a program: names, calls, indentation, comments. */
static size_t
some_text(char *text, size_t most, unsigned file)
{
	static const char *const words[] = { "buffer", "length", "static", "return", "struct",
		"open", "close", "int", "const", "request", "finish", "index", "char", "while",
		"parse", "result", "error", "if", "for", "walk", "append", "size_t", "decide",
		"NULL" };
	size_t n = 0, want = 300 + chance(4000);

	while (n < want && n + 128 < most) {
		unsigned k = 2 + chance(6);

		for (unsigned t = chance(3); t > 0; t--)
			text[n++] = '\t';
		while (k-- > 0)
			n += (size_t)snprintf(text + n, most - n, "%s%s", words[chance(24)],
				k == 0	    ? ";"
				: chance(4) ? " "
					    : "_");
		text[n++] = '\n';
	}
	if (file % 500 == 7)
		n += (size_t)snprintf(
			text + n, most - n, "\treturn needle_in_the_hay(%u);\n", file);
	return n;
}

static void
make_tree(void)
{
	static char text[16384];
	char path[128];

	for (unsigned i = 0; i < FILES; i++) {
		int n = snprintf(path, sizeof(path), "part%02u", i / 2500), fd;

		if (i % 2500 == 0)
			mkdir(path, 0755);
		snprintf(path + n, sizeof(path) - (size_t)n, "/mod%03u", i / 25);
		if (i % 25 == 0)
			mkdir(path, 0755);
		n = (int)strlen(path);
		snprintf(path + n, sizeof(path) - (size_t)n, "/file%05u.%s", i, i % 5 ? "c" : "o");
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		size_t len = some_text(text, sizeof(text), i);

		if (fd < 0 || write(fd, text, len) != (ssize_t)len)
			die(path, NULL);
		close(fd);
	}
	int fd = open(".gitignore", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, "*.o\n/build/\nnode_modules/\n*.log\n", 32) != 32)
		die(".gitignore", NULL);
	close(fd);
	if (!has("git init . 2>/dev/null"))
		mkdir(".git", 0755);
}

/* -- the searches ----------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *pattern;
	const char *args;  /* of the tool */
	const char *flags; /* of the others */
} searches[] = {
	{ "a rare word", "needle_in_the_hay", "\"fixed\":true", "-F" },
	{ "a regular expression", "needle_\\w+\\([0-9]{4,5}\\)", "\"fixed\":false", "-P" },
	{ "one without a fixed word", "[a-z]+_hay\\([0-9]+07\\);$", "\"fixed\":false", "-P" },
	{ "a word, whatever its case", "NEEDLE_in", "\"ignore_case\":true", "-i" },
};

static long
run_tool(struct ambit_registry *registry, size_t i, double *took)
{
	char args[512];
	auto_json json_t *pattern = json_string(searches[i].pattern);
	auto_json json_t *result = NULL;
	char *quoted = json_dumps(pattern, JSON_ENCODE_ANY);
	struct ambit_result said = { 0 };
	double from = seconds();
	long n;

	snprintf(
		args, sizeof(args), "{\"pattern\":%s,%s,\"limit\":5000}", quoted, searches[i].args);
	if (ambit_registry_call(registry, "grep", args, strlen(args), NULL, &said) < 0 ||
		said.failed) {
		fprintf(stderr, "bench-grep: %s\n", said.text ? said.text : "out of memory");
		exit(1);
	}
	*took = seconds() - from;
	result = json_loads(said.structured, 0, NULL);
	n = (long)json_integer_value(json_object_get(result, "matches"));
	free(quoted);
	ambit_result_finish(&said);
	return n;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *times, size_t n)
{
	qsort(times, n, sizeof(*times), by_size);
	return times[n / 2];
}

static void
other_row(const char *name, const char *command, size_t i, double own, long found)
{
	char line[512];
	double times[RUNS];
	int runs = 3;
	long n = 0;

	snprintf(line, sizeof(line), "%s %s -e '%s' %s 2>/dev/null", command, searches[i].flags,
		searches[i].pattern, strncmp(command, "git", 3) == 0 ? "" : ".");
	for (int k = 0; k < runs && n >= 0; k++)
		n = run_lines(line, &times[k]);
	if (n < 0) {
		printf("    %-28s     (cannot be run here)\n", name);
		return;
	}
	double took = median(times, (size_t)runs);

	printf("    %-28s %8.1f ms   ambit is %.2fx%s\n", name, took * 1e3, own / took,
		n == found ? "" : "   (FOUND SOMETHING ELSE)");
}

static void
bench_one(struct ambit_registry *registry, size_t i, bool rg, bool git)
{
	double own[RUNS], theirs[RUNS];
	char line[512];
	long found = 0, other = 0;

	/* In turns, so that both have the machine as it is. */
	snprintf(line, sizeof(line), "rg -n --hidden %s -e '%s' . 2>/dev/null",
		strcmp(searches[i].flags, "-P") == 0 ? "" : searches[i].flags, searches[i].pattern);
	for (int k = 0; k < RUNS; k++) {
		found = run_tool(registry, i, &own[k]);
		if (rg)
			other = run_lines(line, &theirs[k]);
	}
	printf("  %s: %s\n", searches[i].text, searches[i].pattern);
	printf("    %-28s %8.1f ms   %ld lines\n", "ambit grep", median(own, RUNS) * 1e3, found);
	if (rg)
		printf("    %-28s %8.1f ms   ambit is %.2fx%s\n", "ripgrep",
			median(theirs, RUNS) * 1e3, median(own, RUNS) / median(theirs, RUNS),
			other == found ? "" : "   (FOUND SOMETHING ELSE)");
	else
		printf("    ripgrep: not installed, skipped\n");
	if (git)
		other_row("git grep", "git grep --untracked -n", i, median(own, RUNS), found);
	other_row("grep -r", "grep -rn --exclude-dir=.git --exclude='*.o'", i, median(own, RUNS),
		found);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	char top[512], state_dir[600];
	struct ambit_error err = { 0 };
	struct ambit_settings *settings = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_record *record = NULL;
	struct ambit_engine *engine = NULL;
	struct ambit_registry *registry = NULL;
	bool rg = has("rg --version 2>/dev/null");
	bool git = has("git --version 2>/dev/null");

	snprintf(top, sizeof(top), "%s/ambit-bench-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(top) || chdir(top) < 0)
		die(top, NULL);
	snprintf(state_dir, sizeof(state_dir), "%s.state", top);
	make_tree();
	if (ambit_settings_load(
		    &(struct ambit_settings_options){ .folder = top }, &settings, &err) < 0 ||
		ambit_settings_set(settings, "loop_limit", "0", "bench", &err) < 0 ||
		ambit_scope_create(&(struct ambit_scope_options){ .root = top,
					   .places = { .home = "/root", .state = state_dir } },
			&scope, &err) < 0 ||
		ambit_record_open(state_dir, AMBIT_RECORD_WRITE, &record, &err) < 0)
		die("world", &err);
	if (ambit_engine_create(&(struct ambit_engine_options){ .settings = settings,
					.scope = scope,
					.record = record,
					.door = "bench",
					.unlimited = true },
		    &engine, &err) < 0 ||
		ambit_registry_create(
			&(struct ambit_registry_options){ .engine = engine }, &registry, &err) < 0)
		die("registry", &err);
	printf("grep over %d files, .gitignore hides a fifth (medians, warm):\n", FILES);
	for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++)
		bench_one(registry, i, rg, git);
	ambit_registry_destroy(registry);
	ambit_engine_destroy(engine);
	ambit_record_close(record);
	ambit_scope_destroy(scope);
	ambit_settings_destroy(settings);
	fflush(stdout);
	if (chdir("/") == 0)
		return execlp("rm", "rm", "-rf", top, state_dir, (char *)NULL);
	return 0;
}
