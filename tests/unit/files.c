/* SPDX-License-Identifier: Apache-2.0 */
/* Calls tools of a registry over a world in which nobody can be asked, and looks at what the
 * tools say. Any failure of the rig fails the test. */

#include "files.h"

void
files_begin(struct files *f)
{
	struct ambit_registry_options registry = { 0 };
	struct ambit_error err = { 0 };

	engine_rig_begin(&f->base, NULL);
	registry.engine = f->engine;
	if (ambit_registry_create(&registry, &f->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

void
files_end(struct files *f)
{
	ambit_registry_destroy(f->registry);
	engine_rig_end(&f->base);
}

int
files_open_with(void **state, const char *person)
{
	struct files *f = engine_rig_create(sizeof(*f));

	f->settings = world_settings(&f->w, person);
	files_begin(f);
	*state = f;
	return 0;
}

int
files_open(void **state)
{
	return files_open_with(state, "{\"loop_limit\":0}");
}

int
files_close(void **state)
{
	struct files *f = *state;

	ambit_result_finish(&f->result);
	json_decref(f->structured);
	files_end(f);
	engine_rig_destroy(&f->base);
	return 0;
}

const struct ambit_result *
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

const struct ambit_result *
files_call(struct files *f, const char *tool, json_t *args)
{
	return files_call_until(f, tool, args, -1);
}

void
files_good(const struct ambit_result *result)
{
	if (result->failed)
		fail_msg("%s", result->text);
}

void
files_bad(const struct ambit_result *result, enum ambit_code code, const char *words)
{
	if (!result->failed)
		fail_msg("not refused: %s", result->text);
	if (result->code != code)
		fail_msg("%s: %s", ambit_word_name(ambit_codes, (int)result->code), result->text);
	if (!strstr(result->text, words))
		fail_msg("no '%s' in: %s", words, result->text);
}

void
files_says(const struct ambit_result *result, const char *words)
{
	files_good(result);
	if (!strstr(result->text, words))
		fail_msg("no '%s' in: %s", words, result->text);
}

long long
files_int(const struct files *f, const char *key)
{
	const json_t *value = json_object_get(f->structured, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

bool
files_is(const struct files *f, const char *key)
{
	const json_t *value = json_object_get(f->structured, key);

	assert_true(json_is_boolean(value));
	return json_is_true(value);
}

bool
files_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

int
files_count(const char *path)
{
	return scratch_count(path);
}
