/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_EXECUTOR_RIG_H
#define TESTS_UNIT_EXECUTOR_RIG_H

/* An executor in a temporary world. Include after world.h. */

#include <dirent.h>
#include <libgen.h>
#include <limits.h>

#include <ambit/execute.h>

#include "base/program.h"
#include "base/str.h"
#include "probe/probe.h"

/* The program that was built with this test. */
static inline const char *
executor_program(void)
{
	static char path[PATH_MAX + 16];
	const char *given = getenv("AMBIT");
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (given)
		return given;
	assert_true(n > 0);
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/ambit", dirname(dirname(self)));
	return path;
}

/* Whether the line can be held here; if not, it is said. */
static inline bool
executor_line(void)
{
	struct ambit_error err = { 0 };

	if (probe_line(&err) == 0 && access(executor_program(), X_OK) == 0)
		return true;
	if (getenv("AMBIT_MUST_WORK"))
		fail_msg("the line: %s", err.text);
	print_message("skipped: no line here, or no program: %s\n", err.text);
	return false;
}

static inline char **
executor_env(const struct world *w)
{
	static const char *const more[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
		"GITHUB_TOKEN=not-for-commands", "PLAIN=yes", "LSAN_OPTIONS=detect_leaks=0", NULL };
	char **envp = NULL, *text = str_printf("HOME=%s", w->home);

	assert_int_equal(strv_append(&envp, text), 0);
	free(text);
	text = str_printf("XDG_STATE_HOME=%s/.local/state", w->home);
	assert_int_equal(strv_append(&envp, text), 0);
	free(text);
	for (const char *const *at = more; *at; at++)
		assert_int_equal(strv_append(&envp, *at), 0);
	return envp;
}

/* args may be NULL; the folder is always among them. */
static inline struct ambit_executor *
executor_open(const struct world *w, enum ambit_backend backend, char *const *prefix,
	const struct ambit_limits *limits)
{
	char *args[] = { "--folder", (char *)w->root, "--session", "test", "--net", "ask", NULL };
	char **envp = executor_env(w);
	struct ambit_executor_options options = {
		.backend = backend,
		.program = executor_program(),
		.args = args,
		.prefix = prefix,
		.envp = envp,
		.limits = limits ? *limits : (struct ambit_limits){ 0 },
	};
	struct ambit_executor *executor = NULL;
	struct ambit_error err = { 0 };

	if (ambit_executor_create(&options, &executor, &err) < 0)
		fail_msg("executor: %s", err.text);
	strv_free(envp);
	return executor;
}

/* Seconds for `sleep` by which a process is known to be of this test, and not of another
 * one that runs at the same time. Good until the next call in this thread. */
static inline const char *
executor_nap(int seconds)
{
	static __thread char text[32];

	snprintf(text, sizeof(text), "%d.%07ld", seconds, (long)getpid());
	return text;
}

/* How many processes have these words in their command line, or at its beginning. */
static inline int
executor_count(const char *words, bool begins)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char path[300], text[4096];
		ssize_t len;
		int fd;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
			atoi(entry->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		len = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
		if (fd >= 0)
			close(fd);
		for (ssize_t i = 0; i < len; i++)
			if (text[i] == '\0')
				text[i] = ' ';
		if (len > 0 && begins)
			n += (size_t)len >= strlen(words) &&
			     memcmp(text, words, strlen(words)) == 0;
		else if (len > 0)
			n += memmem(text, (size_t)len, words, strlen(words)) != NULL;
	}
	closedir(dir);
	return n;
}

static inline int
executor_left(const char *words)
{
	return executor_count(words, false);
}

/* Waits until a process runs so. */
static inline void
executor_await(const char *words)
{
	for (int i = 0; i < 1000 && executor_count(words, true) == 0; i++)
		usleep(20000);
}

static inline int
executor_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
