/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UNIT_WORLD_H
#define TESTS_UNIT_UNIT_WORLD_H

/* A temporary world for a test: T/home (the person's), T/home/project (the
 * folder), T/out (outside). Include after cmocka's own headers. */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ambit/ambit.h>

struct world {
	char top[512];
	char home[600];
	char root[600];
	char out[600];
	char config[700];
	char state[700];
	char before[4096];
};

static inline int
world_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void
world_open(struct world *w)
{
	char template[] = "/tmp/ambit-test-XXXXXX";

	char *top;

	assert_non_null(mkdtemp(template));
	top = realpath(template, NULL);
	assert_non_null(top);
	snprintf(w->top, sizeof(w->top), "%s", top);
	free(top);
	snprintf(w->home, sizeof(w->home), "%s/home", w->top);
	snprintf(w->root, sizeof(w->root), "%s/home/project", w->top);
	snprintf(w->out, sizeof(w->out), "%s/out", w->top);
	snprintf(w->config, sizeof(w->config), "%s/.config/ambit", w->home);
	snprintf(w->state, sizeof(w->state), "%s/.local/state/ambit", w->home);
	assert_int_equal(mkdir(w->home, 0755), 0);
	assert_int_equal(mkdir(w->root, 0755), 0);
	assert_int_equal(mkdir(w->out, 0755), 0);
	assert_non_null(getcwd(w->before, sizeof(w->before)));
	assert_int_equal(chdir(w->root), 0);
}

static inline void
world_close(struct world *w)
{
	assert_int_equal(chdir(w->before), 0);
	nftw(w->top, world_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Paths are relative to the folder, which is the cwd, or absolute. */
static inline void
world_dir(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

static inline void
world_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static inline void
world_link(const char *target, const char *path)
{
	assert_int_equal(symlink(target, path), 0);
}

/* The whole file into a static buffer; "" if it is not there. */
static inline const char *
world_read(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static inline struct ambit_scope *
world_scope(const struct world *w)
{
	struct ambit_scope_options options = {
		.root = w->root,
		.allow_bash = true,
		.places = { .home = w->home, .config = w->config, .state = w->state },
	};
	struct ambit_scope *scope = NULL;
	struct ambit_error err = { 0 };

	if (ambit_scope_create(&options, &scope, &err) < 0)
		fail_msg("scope: %s", err.text);
	return scope;
}

static inline struct ambit_settings *
world_settings(const struct world *w, const char *person)
{
	struct ambit_settings_options options = { .folder = w->root, .home = w->home };
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };
	char file[800];

	snprintf(file, sizeof(file), "%s/person.json", w->top);
	if (person) {
		world_file(file, person);
		options.person = file;
		options.required = true;
	}
	if (ambit_settings_load(&options, &settings, &err) < 0)
		fail_msg("settings: %s", err.text);
	return settings;
}

#endif
