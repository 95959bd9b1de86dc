/* SPDX-License-Identifier: Apache-2.0 */
/* A harness' own tools: which can be added, how they are held to what they say of
 * themselves, and what becomes of a call when one does not keep it. */

#include "registry-rig.h"

#include "base/buf.h"

/* -- adding one -------------------------------------------------------------------------- */

static void
runs_a_harness_own_tool(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;

	start(rig, NULL, false);
	result = call(rig, "stamp", "{\"path\":\"a/b/c.txt\"}");
	assert_false(result.failed);
	assert_string_equal(result.text, "stamped a/b/c.txt");
	assert_string_equal(result.structured, "{\"done\":true}");
	assert_string_equal(world_read("a/b/c.txt"), "made");
	ambit_result_finish(&result);
}

static void
adds_no_tool_that_is_taken_or_false(void **state)
{
	struct rig *rig = *state;
	struct ambit_tool tool = stamp;
	struct ambit_error err = { 0 };

	start(rig, NULL, false);
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EEXIST);
	tool.name = "read";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EEXIST);
	tool.name = "Bash";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EEXIST);
	tool.name = "a b";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	tool.name = "stamp2";
	tool.danger = AMBIT_DANGER_READ_ONLY;
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	tool.danger = AMBIT_DANGER_WRITE;
	tool.effects = AMBIT_READ;
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	tool.effects = AMBIT_WRITE;
	tool.input = "{\"type\":\"object\",\"oneOf\":[]}";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	assert_non_null(strstr(err.text, "oneOf"));
}

/* What it says of its paths and its result must be possible. */
static void
adds_no_tool_that_contradicts_itself(void **state)
{
	static const struct ambit_tool_path misspelt[] = { { "path", AMBIT_ACCESS_WRITE, true },
		{ "pfad", AMBIT_ACCESS_WRITE, true }, { 0 } };
	static const struct ambit_tool_path strange[] = { { "path", (enum ambit_access)77, true },
		{ 0 } };
	struct rig *rig = *state;
	struct ambit_tool tool = stamp;
	struct ambit_error err = { 0 };

	start(rig, NULL, false);
	tool.name = "stamp2";
	tool.paths = misspelt;
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	assert_non_null(strstr(err.text, "pfad"));
	tool.paths = strange;
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	tool.paths = stamp_paths;
	tool.output = "{\"type\":";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	assert_non_null(strstr(err.text, "output schema of stamp2"));
	tool.output = "[]";
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), -EINVAL);
	tool.output = NULL;
	assert_int_equal(ambit_registry_add(rig->registry, &tool, &err), 0);
}

/* -- what a tool promises ------------------------------------------------------------------ */

static int
run_nothing(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	(void)invocation;
	(void)err;
	return data ? *(int *)data : 0;
}

static int
run_garbled(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	(void)invocation;
	(void)data;
	memset(err->text, 0xff, sizeof(err->text));
	return -EIO;
}

static int
run_word(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	(void)data;
	(void)err;
	return ambit_invocation_say(invocation, ambit_invocation_args(invocation),
		strlen(ambit_invocation_args(invocation)));
}

static int
run_heap(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	auto_buf struct buf json = { 0 };

	(void)data;
	(void)err;
	buf_puts(&json, "{\"heap\":\"");
	for (int i = 0; i < 5 << 20; i++)
		buf_putc(&json, 'x');
	buf_puts(&json, "\"}");
	return ambit_invocation_set(invocation, json.data);
}

/* Sets what it is given, and says a word. */
static int
run_set(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	(void)err;
	assert_int_equal(ambit_invocation_set(invocation, data), 0);
	return ambit_invocation_say(invocation, "said", 4);
}

/* Speaks, then fails with somebody's words. */
static int
run_fails(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	ambit_invocation_say(invocation, "SECRET_ORDER before", 19);
	snprintf(err->text, sizeof(err->text), "%s", (const char *)data);
	return -EIO;
}

#define REACHING(tool_name, run_it, run_data)                                                      \
	{                                                                                          \
		.name = tool_name, .text = "asks somebody far away",                               \
		.input = "{\"type\":\"object\"}",                                                  \
		.output = "{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"string\"}," \
			  "\"n\":{},\"list\":{\"items\":{\"properties\":{\"id\":{}}}}}}",          \
		.effects = AMBIT_READ | AMBIT_NETWORK, .danger = AMBIT_DANGER_READ_ONLY,           \
		.permission = AMBIT_PERMISSION_ALLOW, .run = run_it, .data = run_data              \
	}

static int a_number = EIO;
static const struct ambit_tool broken[] = {
	PLAIN("silent", run_nothing, NULL),
	PLAIN("positive", run_nothing, &a_number),
	PLAIN("garbled", run_garbled, NULL),
	PLAIN("heap", run_heap, NULL),
	PLAIN("echo", run_word, NULL),
	{
		.name = "empty_handed",
		.text = "has an output, and gives none",
		.input = "{\"type\":\"object\"}",
		.output = "{\"type\":\"object\"}",
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.run = run_word,
	},
	{
		.name = "caller",
		.text = "asks somebody far away",
		.input = "{\"type\":\"object\"}",
		.effects = AMBIT_READ | AMBIT_NETWORK,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.run = run_word,
	},
	REACHING("told", run_set,
		"{\"result\":\"SECRET_ORDER\",\"n\":1,\"list\":[{\"id\":\"SECRET\"}]}"),
	REACHING("told_nul", run_set, "{\"result\":\"a\\u0000SECRET_ORDER\"}"),
	REACHING("told_keys", run_set, "{\"result\":\"x\",\"list\":[{\"SECRET_ORDER\":1}]}"),
	REACHING("told_failure", run_fails, "SECRET_ORDER: it \xff failed"),
	PLAIN("own_failure", run_fails, "it failed so"),
};

static void
start_broken(struct rig *rig, bool person)
{
	start(rig, NULL, person);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_int_equal(ambit_registry_add(rig->registry, &broken[i], NULL), 0);
}

static void
fails_for_a_tool_that_breaks_its_word(void **state)
{
	struct rig *rig = *state;

	start_broken(rig, false);
	refuses(rig, "silent", "{}", AMBIT_CODE_INTERNAL, "silent ended without a word");
	refuses(rig, "positive", "{}", AMBIT_CODE_INTERNAL, "positive came back with 5");
	refuses(rig, "empty_handed", "{}", AMBIT_CODE_INTERNAL, "set no result");
	refuses(rig, "garbled", "{}", AMBIT_CODE_INTERNAL, "\\xff\\xff");
	refuses(rig, "heap", "{}", AMBIT_CODE_INTERNAL, "more than");
	/* No arguments are none, in every spelling. */
	succeeds(rig, "echo", "", "{}");
}

/* Removes what it was to write to. */
static int
run_stray(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	struct ambit_place place = { 0 };
	auto_json json_t *args = NULL;
	const char *path = argument(invocation, &args, "path");
	int r = ambit_permit_place(ambit_invocation_permit(invocation), path, AMBIT_ACCESS_DELETE,
		false, false, &place, err);

	(void)data;
	ambit_place_finish(&place);
	return r;
}

/* That is no fault of the file system, and asking differently can help. */
static void
tells_what_was_not_decided_from_what_the_system_refuses(void **state)
{
	struct rig *rig = *state;
	struct ambit_tool tool = stamp;
	struct ambit_result result;

	tool.name = "stray";
	tool.run = run_stray;
	start(rig, NULL, false);
	assert_int_equal(ambit_registry_add(rig->registry, &tool, NULL), 0);
	world_file("f", "x");
	result = call(rig, "stray", "{\"path\":\"f\"}");
	assert_true(result.failed);
	assert_int_equal(result.code, AMBIT_CODE_BAD_ARGUMENTS);
	assert_non_null(strstr(result.text, "not decided whether this call may delete f"));
	assert_non_null(strstr(result.text, "plain form"));
	assert_null(strstr(result.text, "system"));
	assert_null(strstr(result.text, "user"));
	ambit_result_finish(&result);
}

/* Whoever reaches out, or may, brings back what others wrote. */
static void
labels_what_network_tools_say(void **state)
{
	static const char *const tools[] = { "caller", "riddle" };
	struct rig *rig = *state;

	start_broken(rig, true);
	for (size_t i = 0; i < 2; i++) {
		struct ambit_result result = call(rig, tools[i], "{}");

		assert_false(result.failed);
		assert_non_null(strstr(result.text, "[untrusted content "));
		ambit_result_finish(&result);
	}
}

/* From the first mark on, all of it stands between marks of one name, to the last byte. */
static void
is_held(const char *text)
{
	const char *begins = strstr(text, "[untrusted content ");
	char name[64] = "", end[128];

	assert_non_null(begins);
	assert_int_equal(sscanf(begins, "[untrusted content %60s begins", name), 1);
	snprintf(end, sizeof(end), "[untrusted content %s ends]", name);
	assert_string_equal(text + strlen(text) - strlen(end), end);
	if (strstr(text, "SECRET"))
		assert_true(strstr(text, "SECRET") > begins);
}

static const char *
text_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

/* However short a string is, and whatever its member is called. */
static void
labels_each_string_of_a_network_tool(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;
	json_t *object;

	start_broken(rig, true);
	result = call(rig, "told", "{}");
	object = json_loads(result.structured, 0, NULL);
	is_held(text_at(object, "result"));
	is_held(text_at(json_array_get(json_object_get(object, "list"), 0), "id"));
	assert_int_equal(json_integer_value(json_object_get(object, "n")), 1);
	json_decref(object);
	ambit_result_finish(&result);
	/* What is behind a NUL is between the marks as well. */
	result = call(rig, "told_nul", "{}");
	object = json_loads(result.structured, 0, NULL);
	is_held(text_at(object, "result"));
	assert_non_null(strstr(text_at(object, "result"), "SECRET_ORDER"));
	json_decref(object);
	ambit_result_finish(&result);
}

static void
labels_keys_that_nobody_announced(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;
	json_t *object;

	start_broken(rig, true);
	result = call(rig, "told_keys", "{}");
	assert_false(result.failed);
	object = json_loads(result.structured, 0, NULL);
	assert_int_equal(json_object_size(object), 1);
	is_held(text_at(object, "text"));
	assert_non_null(strstr(text_at(object, "text"), "{\"SECRET_ORDER\":1}"));
	json_decref(object);
	ambit_result_finish(&result);
}

static void
labels_the_failure_of_a_network_tool(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;
	json_t *object;

	start_broken(rig, true);
	result = call(rig, "told_failure", "{}");
	assert_true(result.failed);
	assert_int_equal(result.code, AMBIT_CODE_INTERNAL);
	assert_ptr_equal(strstr(result.text, "told_failure failed. "), result.text);
	is_held(result.text);
	assert_non_null(strstr(result.text, "SECRET_ORDER: it \xef\xbf\xbd failed\n"));
	assert_non_null(strstr(result.text, "SECRET_ORDER before\n"));
	object = json_loads(result.structured, 0, NULL);
	assert_string_equal(text_at(object, "message"), result.text);
	json_decref(object);
	ambit_result_finish(&result);
	/* One that reaches nobody speaks for itself. */
	refuses(rig, "own_failure", "{}", AMBIT_CODE_INTERNAL, "it failed so. ");
	refuses(rig, "own_failure", "{\"a\":1}", AMBIT_CODE_INTERNAL,
		"It said:\nSECRET_ORDER before");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_a_harness_own_tool),
		TEST(adds_no_tool_that_is_taken_or_false),
		TEST(adds_no_tool_that_contradicts_itself),
		TEST(fails_for_a_tool_that_breaks_its_word),
		TEST(tells_what_was_not_decided_from_what_the_system_refuses),
		TEST(labels_what_network_tools_say),
		TEST(labels_each_string_of_a_network_tool),
		TEST(labels_keys_that_nobody_announced),
		TEST(labels_the_failure_of_a_network_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
