/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TOOLCALL_H
#define TESTS_TOOLCALL_H

/* A world with a registry in it, and a person who answers what the test says. For
 * tests of tools: by what they leave behind, and by what they say. */

#include "unit-world.h"

#include <dirent.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

struct hand {
	struct world w;
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_engine *engine;
	struct ambit_registry *registry;
	struct ambit_approver approver;
	struct ambit_answer answer;
	int asked;
	struct ambit_result result; /* of the last call */
};

static inline int
hand_ask(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct hand *h = (struct hand *)((char *)approver - offsetof(struct hand, approver));

	(void)question;
	(void)err;
	h->asked++;
	*ret_answer = h->answer;
	return 0;
}

static inline void
hand_begin(struct hand *h)
{
	struct ambit_error err = { 0 };

	if (ambit_engine_create(&(struct ambit_engine_options){ .settings = h->settings,
					.scope = h->scope,
					.record = h->record,
					.approver = &h->approver,
					.door = "test" },
		    &h->engine, &err) < 0)
		fail_msg("engine: %s", err.text);
	if (ambit_registry_create(&(struct ambit_registry_options){ .engine = h->engine },
		    &h->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

static inline void
hand_end(struct hand *h)
{
	ambit_registry_destroy(h->registry);
	ambit_engine_destroy(h->engine);
}

static inline int
hand_open(void **state)
{
	struct hand *h = calloc(1, sizeof(*h));
	struct ambit_error err = { 0 };

	assert_non_null(h);
	world_open(&h->w);
	h->settings = world_settings(&h->w, NULL);
	h->scope = world_scope(&h->w);
	if (ambit_record_open(h->w.state, AMBIT_RECORD_WRITE, &h->record, &err) < 0)
		fail_msg("record: %s", err.text);
	h->approver = (struct ambit_approver){ .ask = hand_ask, .name = "test", .instant = true };
	h->answer.kind = AMBIT_ONCE;
	hand_begin(h);
	*state = h;
	return 0;
}

static inline int
hand_close(void **state)
{
	struct hand *h = *state;

	ambit_result_finish(&h->result);
	hand_end(h);
	ambit_record_close(h->record);
	ambit_scope_destroy(h->scope);
	ambit_settings_destroy(h->settings);
	world_close(&h->w);
	free(h);
	return 0;
}

/* Takes args. */
static inline const struct ambit_result *
hand_call(struct hand *h, const char *tool, json_t *args)
{
	char *text = json_dumps(args, 0);

	assert_non_null(text);
	ambit_result_finish(&h->result);
	memset(&h->result, 0, sizeof(h->result));
	assert_int_equal(
		ambit_registry_call(h->registry, tool, text, strlen(text), NULL, &h->result), 0);
	free(text);
	json_decref(args);
	return &h->result;
}

static inline void
hand_works(const struct hand *h)
{
	if (h->result.failed)
		fail_msg("it failed: %s", h->result.text);
}

/* The last call failed so, and said these words. */
static inline void
hand_fails(const struct hand *h, enum ambit_code code, const char *words)
{
	if (!h->result.failed)
		fail_msg("it did not fail: %s", h->result.text);
	if (!strstr(h->result.text, words))
		fail_msg("'%s' does not say '%s'", h->result.text, words);
	assert_string_equal(ambit_word_name(ambit_codes, (int)h->result.code),
		ambit_word_name(ambit_codes, (int)code));
}

static inline void
hand_says(const struct hand *h, const char *words)
{
	hand_works(h);
	if (!strstr(h->result.text, words))
		fail_msg("'%s' does not say '%s'", h->result.text, words);
}

static inline size_t
hand_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* How many names are in a directory, hidden ones too. */
static inline size_t
hand_names(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += !streq(entry->d_name, ".") && !streq(entry->d_name, "..");
	closedir(dir);
	return n;
}

static inline bool
hand_has(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static inline unsigned
hand_mode(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

#endif
