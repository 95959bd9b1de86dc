/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments held against a schema: what fits, and what is said of what does not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/json.h"
#include "tools/registry/schema.h"
#include "tools/registry/own-tool.h"

static const char edits[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"file_path\",\"edits\"]"
	","
	"\"properties\":{"
	"\"file_path\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":10,\"description\":\"x\"}"
	","
	"\"mode\":{\"enum\":[\"a\",\"b\"]},"
	"\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},"
	"\"ratio\":{\"type\":[\"number\",\"null\"]},"
	"\"edits\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{\"type\":"
	"\"object\","
	"\"properties\":{\"old\":{\"type\":\"string\"}},\"required\":[\"old\"]}},"
	"\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}}";

static int
check(const char *args, struct ambit_error *err)
{
	auto_json json_t *schema = json_loads(edits, 0, NULL);
	auto_json json_t *value = json_loads(args, JSON_ALLOW_NUL, NULL);

	assert_non_null(schema);
	assert_non_null(value);
	*err = (struct ambit_error){ 0 };
	return schema_check(schema, value, err);
}

#define OK "\"file_path\":\"f\",\"edits\":[{\"old\":\"x\"}]"

static void
takes_what_fits(void **state)
{
	static const char *const good[] = {
		"{" OK "}",
		"{" OK ",\"mode\":\"b\",\"limit\":9,\"ratio\":1.5}",
		"{" OK ",\"ratio\":null}",
		"{" OK ",\"ratio\":7}",
		"{" OK ",\"limit\":3.0}",
		"{" OK ",\"env\":{\"A\":\"b\"}}",
		"{\"file_path\":\"f\",\"edits\":[{\"old\":\"\",\"more\":1},{\"old\":\"y\"}]}",
	};
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i], &err) != 0)
			fail_msg("%s: %s", good[i], err.text);
}

static void
names_what_does_not(void **state)
{
	static const struct {
		const char *args, *says;
	} bad[] = {
		{ "{\"edits\":[{\"old\":\"x\"}]}", "'file_path' is missing" },
		{ "{" OK ",\"mode\":\"c\"}", "mode must be one of: \"a\", \"b\"" },
		{ "{" OK ",\"limit\":0}", "limit must be at least 1, and is 0" },
		{ "{" OK ",\"limit\":10}", "limit must be at most 9" },
		{ "{" OK ",\"limit\":1.5}",
			"limit must be of type integer, and is of type number" },
		{ "{" OK ",\"limit\":1e300}", "limit must be of type integer" },
		{ "{" OK ",\"limit\":\"1\"}",
			"limit must be of type integer, and is of type string" },
		{ "{" OK ",\"ratio\":true}", "ratio must be of type number or null" },
		{ "{" OK ",\"limits\":3}", "did you mean 'limit'?" },
		{ "{\"path\":\"f\"}",
			"'path' is no argument here (the arguments); did you mean 'file_path'?" },
		{ "{" OK ",\"colour\":3}", "there are: file_path (needed), mode, limit" },
		{ "{" OK ",\"env\":{\"A\":1}}", "env.A must be of type string" },
		{ "{\"file_path\":\"\",\"edits\":[{\"old\":\"x\"}]}",
			"file_path must not be empty" },
		{ "{\"file_path\":\"01234567890\",\"edits\":[{\"old\":\"x\"}]}", "at most 10" },
		{ "{\"file_path\":\"f\",\"edits\":[]}", "edits must have at least 1, and has 0" },
		{ "{\"file_path\":\"f\",\"edits\":[{\"old\":\"x\"},{\"old\":3}]}",
			"edits[1].old must be of type string" },
		{ "{\"file_path\":\"f\",\"edits\":[{}]}", "'old' is missing in edits[0]" },
		{ "{\"file_path\":\"f\\u0000\",\"edits\":[{\"old\":\"x\"}]}",
			"file_path holds a NUL" },
		{ "[]", "the arguments must be of type object" },
	};
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check(bad[i].args, &err), -EINVAL);
		if (!strstr(err.text, bad[i].says))
			fail_msg("%s: '%s' does not say '%s'", bad[i].args, err.text, bad[i].says);
	}
}

static void
refuses_a_schema_it_cannot_check(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{}",
		"{\"type\":\"string\"}",
		"{\"type\":\"object\",\"anyOf\":[]}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"x\"}}}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"items\":[]}}}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"minLength\":-1}}}",
		"{\"type\":\"object\",\"required\":\"a\"}",
		"{\"type\":\"object\",\"additionalProperties\":{\"not\":{}}}",
	};
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_json json_t *schema = json_loads(bad[i], 0, NULL);

		assert_non_null(schema);
		if (schema_valid(schema, &err) == 0)
			fail_msg("%s was taken", bad[i]);
	}
	auto_json json_t *schema = json_loads(edits, 0, NULL);

	assert_int_equal(schema_valid(schema, &err), 0);
}

/* Deep arguments end in an error, not at the end of the stack. */
static void
bears_any_depth(void **state)
{
	auto_json json_t *schema =
		json_loads("{\"type\":\"object\",\"additionalProperties\":{}}", 0, NULL);
	char text[1100] = "{\"a\":";
	size_t n = strlen(text);
	struct ambit_error err;

	(void)state;
	memset(text + n, '[', 500);
	memset(text + n + 500, ']', 500);
	text[n + 1000] = '}';
	auto_json json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	assert_int_equal(schema_check(schema, value, &err), 0);
}

static void
own_schemas_are_good(void **state)
{
	static const struct own_tool *const own[] = { &tool_read, &tool_write, &tool_edit,
		&tool_multi_edit, &tool_apply_patch, &tool_delete, &tool_move, &tool_copy, &tool_ls,
		&tool_glob, &tool_grep, &tool_extract, &tool_bash, &tool_bash_output,
		&tool_bash_stop, &tool_webfetch };
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		auto_json json_t *input = json_loads(own[i]->input, JSON_REJECT_DUPLICATES, NULL);
		auto_json json_t *output =
			own[i]->output ? json_loads(own[i]->output, JSON_REJECT_DUPLICATES, NULL)
				       : NULL;

		if (!input || schema_valid(input, &err) < 0)
			fail_msg("%s: %s", own[i]->name, input ? err.text : "no JSON");
		if (own[i]->output && !output)
			fail_msg("%s: its output schema is no JSON", own[i]->name);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_fits),
		cmocka_unit_test(names_what_does_not),
		cmocka_unit_test(refuses_a_schema_it_cannot_check),
		cmocka_unit_test(bears_any_depth),
		cmocka_unit_test(own_schemas_are_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
