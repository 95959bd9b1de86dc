/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an executor of the program that was built with the test, and counts the processes
 * that its commands leave. */

#include "executor-rig.h"
#include "probe/probe.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>

const char *
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

bool
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

static char **
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

struct ambit_executor *
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

const char *
executor_nap(int seconds)
{
	static __thread char text[32];

	snprintf(text, sizeof(text), "%d.%07ld", seconds, (long)getpid());
	return text;
}

/* How many processes have these words in their command line, or at its beginning. */
static int
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
			strtol(entry->d_name, NULL, 10) == getpid())
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

int
executor_left(const char *words)
{
	return executor_count(words, false);
}

void
executor_await(const char *words)
{
	for (int i = 0; i < 1000 && executor_count(words, true) == 0; i++)
		usleep(20000);
}

int
executor_descriptors(void)
{
	return scratch_descriptors();
}
