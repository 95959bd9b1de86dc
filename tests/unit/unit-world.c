/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the world of a test in a temporary directory: its folders, its files, and the scope
 * and settings that ambit makes of them. Any failure fails the test. */

#include "unit-world.h"

void
world_open(struct world *w)
{
	scratch_make(w->top, sizeof(w->top));
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

void
world_close(struct world *w)
{
	assert_int_equal(chdir(w->before), 0);
	scratch_remove(w->top);
}

void *
world_create(size_t size)
{
	struct world *w = calloc(1, size);

	assert_non_null(w);
	world_open(w);
	return w;
}

void
world_destroy(struct world *w)
{
	world_close(w);
	free(w);
}

int
world_setup(void **state)
{
	*state = world_create(sizeof(struct world));
	return 0;
}

int
world_teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

void
world_dir(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

void
world_file(const char *path, const char *text)
{
	scratch_file(path, text);
}

void
world_link(const char *target, const char *path)
{
	assert_int_equal(symlink(target, path), 0);
}

const char *
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

struct ambit_scope *
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

struct ambit_settings *
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
