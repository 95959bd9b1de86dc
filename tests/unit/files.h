/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

/* A registry with ambit's own tools over a world, and nobody to ask. */

#include "unit-world.h"

#include <dirent.h>

#include "base/json.h"
#include "base/str.h"

struct files {
	struct world w;
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_engine *engine;
	struct ambit_registry *registry;
	struct ambit_result result; /* of the last call */
	json_t *structured;
};

/* A session begins, with what is there by now. */
static inline void
files_begin(struct files *f)
{
	struct ambit_engine_options options = { .door = "test" };
	struct ambit_registry_options registry = { 0 };
	struct ambit_error err = { 0 };

	f->scope = world_scope(&f->w);
	if (ambit_record_open(f->w.state, AMBIT_RECORD_WRITE, &f->record, &err) < 0)
		fail_msg("record: %s", err.text);
	options.settings = f->settings;
	options.scope = f->scope;
	options.record = f->record;
	if (ambit_engine_create(&options, &f->engine, &err) < 0)
		fail_msg("engine: %s", err.text);
	registry.engine = f->engine;
	if (ambit_registry_create(&registry, &f->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

static inline void
files_end(struct files *f)
{
	ambit_registry_destroy(f->registry);
	ambit_engine_destroy(f->engine);
	ambit_record_close(f->record);
	ambit_scope_destroy(f->scope);
}

static inline int
files_open_with(void **state, const char *person)
{
	struct files *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	world_open(&f->w);
	f->settings = world_settings(&f->w, person);
	files_begin(f);
	*state = f;
	return 0;
}

static inline int
files_open(void **state)
{
	return files_open_with(state, "{\"loop_limit\":0}");
}

static inline int
files_close(void **state)
{
	struct files *f = *state;

	ambit_result_finish(&f->result);
	json_decref(f->structured);
	files_end(f);
	ambit_settings_destroy(f->settings);
	world_close(&f->w);
	free(f);
	return 0;
}

/* Takes args. cancel: as in ambit_call_options. */
static inline const struct ambit_result *
files_call_until(struct files *f, const char *tool, json_t *args, int cancel)
{
	struct ambit_call_options options = { .cancel = cancel };
	char *text = json_dumps(args, JSON_COMPACT);

	assert_non_null(text);
	json_decref(args);
	ambit_result_finish(&f->result);
	json_decref(f->structured);
	assert_int_equal(
		ambit_registry_call(f->registry, tool, text, strlen(text), &options, &f->result),
		0);
	free(text);
	assert_non_null(f->result.text);
	assert_true(str_is_utf8(f->result.text, strlen(f->result.text)));
	f->structured = json_loads(f->result.structured, 0, NULL);
	assert_true(json_is_object(f->structured));
	return &f->result;
}

static inline const struct ambit_result *
files_call(struct files *f, const char *tool, json_t *args)
{
	return files_call_until(f, tool, args, -1);
}

#define CALL(f, tool, ...) files_call(f, tool, json_pack(__VA_ARGS__))

static inline void
files_good(const struct ambit_result *result)
{
	if (result->failed)
		fail_msg("%s", result->text);
}

/* It failed with this code, and its words have this in them. */
static inline void
files_bad(const struct ambit_result *result, enum ambit_code code, const char *words)
{
	if (!result->failed)
		fail_msg("not refused: %s", result->text);
	if (result->code != code)
		fail_msg("%s: %s", ambit_word_name(ambit_codes, (int)result->code), result->text);
	if (!strstr(result->text, words))
		fail_msg("no '%s' in: %s", words, result->text);
}

static inline void
files_says(const struct ambit_result *result, const char *words)
{
	files_good(result);
	if (!strstr(result->text, words))
		fail_msg("no '%s' in: %s", words, result->text);
}

static inline long long
files_int(const struct files *f, const char *key)
{
	const json_t *value = json_object_get(f->structured, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static inline bool
files_is(const struct files *f, const char *key)
{
	const json_t *value = json_object_get(f->structured, key);

	assert_true(json_is_boolean(value));
	return json_is_true(value);
}

static inline bool
files_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* How many names are in it. */
static inline int
files_count(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
