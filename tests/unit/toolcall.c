/* SPDX-License-Identifier: Apache-2.0 */
/* Calls tools of a registry over a world with a person who answers as the test says. Any
 * failure of the rig fails the test. */

#include "toolcall.h"

static int
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

void
hand_begin(struct hand *h)
{
	struct ambit_error err = { 0 };

	engine_rig_begin(&h->base, &(struct ambit_engine_options){ .approver = &h->approver });
	if (ambit_registry_create(&(struct ambit_registry_options){ .engine = h->engine },
		    &h->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

void
hand_end(struct hand *h)
{
	ambit_registry_destroy(h->registry);
	engine_rig_end(&h->base);
}

int
hand_open(void **state)
{
	struct hand *h = engine_rig_create(sizeof(*h));

	h->settings = world_settings(&h->w, NULL);
	h->approver = (struct ambit_approver){ .ask = hand_ask, .name = "test", .instant = true };
	h->answer.kind = AMBIT_ONCE;
	hand_begin(h);
	*state = h;
	return 0;
}

int
hand_close(void **state)
{
	struct hand *h = *state;

	ambit_result_finish(&h->result);
	hand_end(h);
	engine_rig_destroy(&h->base);
	return 0;
}

const struct ambit_result *
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

void
hand_works(const struct hand *h)
{
	if (h->result.failed)
		fail_msg("it failed: %s", h->result.text);
}

void
hand_fails(const struct hand *h, enum ambit_code code, const char *words)
{
	if (!h->result.failed)
		fail_msg("it did not fail: %s", h->result.text);
	if (!strstr(h->result.text, words))
		fail_msg("'%s' does not say '%s'", h->result.text, words);
	assert_string_equal(ambit_word_name(ambit_codes, (int)h->result.code),
		ambit_word_name(ambit_codes, (int)code));
}

void
hand_says(const struct hand *h, const char *words)
{
	hand_works(h);
	if (!strstr(h->result.text, words))
		fail_msg("'%s' does not say '%s'", h->result.text, words);
}

size_t
hand_descriptors(void)
{
	return (size_t)scratch_descriptors();
}

size_t
hand_names(const char *path)
{
	return (size_t)scratch_count(path);
}

bool
hand_has(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

unsigned
hand_mode(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}
