/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FILE_RIG_H
#define TESTS_UNIT_FILE_RIG_H

/* Files of a world for tests of perform/file.h: places as the engine gives them. */

#include <stdatomic.h>

#include "perform/file-private.h"
#include "perform/permit.h"
#include "hand-law.h"
#include "unit-world.h"

/* A place as the engine would give it: name in dir (relative to the folder). */
static inline struct ambit_place
place_in(const char *dir, const char *name)
{
	struct ambit_place place = { .parent = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	char *real = realpath(dir, NULL);
	struct stat st;

	assert_true(place.parent >= 0);
	assert_non_null(real);
	snprintf(place.name, sizeof(place.name), "%s", name);
	assert_true(asprintf(&place.real, "%s/%s", real, name) > 0);
	place.shown = strdup(name);
	free(real);
	if (fstatat(place.parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		place.exists = true;
		place.mode = st.st_mode;
		place.dev = st.st_dev;
		place.ino = st.st_ino;
	}
	return place;
}

static inline int
put_at(const struct ambit_place *place, const char *text, struct ambit_error *err)
{
	struct pass pass = a_pass();

	return file_put(&pass, place, NULL, text, strlen(text), 0666, err);
}

static inline int
put(const char *name, const char *text)
{
	struct ambit_place place = place_in(".", name);
	struct ambit_error err = { 0 };
	int r = put_at(&place, text, &err);

	assert_true(r == 0 || err.text[0]);
	ambit_place_finish(&place);
	return r;
}

static inline struct stat
stat_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static inline bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

struct swapper {
	const char *outside;
	atomic_bool stop;
};

#define T(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

#endif
