/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: limits, memory's keys, and requests that are not made from JSON. Single calls and
 * requests are in tests/texts: call.text, request.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "request/request-object.h"
#include "request/request-private.h"

static struct ambit_request *
make(const char *tool, const char *args)
{
	struct ambit_request *request = NULL;
	struct ambit_error err;

	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, &err), 0);
	assert_non_null(request);
	return request;
}

static struct ambit_request *
parse(const char *text)
{
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_parse(text, strlen(text), &request, NULL), 0);
	assert_non_null(request);
	return request;
}

static void
expect_bad(struct ambit_request *request, enum ambit_code code, bool hard, const char *reason)
{
	assert_int_equal(request->bad, code);
	assert_int_equal(request->bad_hard, hard);
	assert_non_null(request->bad_reason);
	if (!strstr(request->bad_reason, reason))
		fail_msg("'%s' does not say '%s'", request->bad_reason, reason);
	ambit_request_destroy(request);
}

#define HARD(tool, args, reason)                                                                   \
	expect_bad(make(tool, args), AMBIT_CODE_BAD_ARGUMENTS, true, reason)
#define REFUSED(text, reason) expect_bad(parse(text), AMBIT_CODE_BAD_ARGUMENTS, true, reason)

static void
too_much_is_refused(void **state)
{
	struct buf args = { 0 };

	(void)state;
	buf_puts(&args, "{\"paths\":[\"a\"");
	for (int i = 0; i < REQUEST_PATHS_MAX; i++)
		buf_printf(&args, ",\"%d\"", i);
	buf_puts(&args, "]}");
	HARD("write", args.data, "more than 1024 paths");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"paths\":[\"a\"");
	for (int i = 0; i < REQUEST_NAMED_MAX; i++)
		buf_puts(&args, ",\"a\"");
	buf_puts(&args, "]}");
	HARD("write", args.data, "more than 1024 paths");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"command\":\"");
	for (unsigned i = 0; i <= REQUEST_COMMAND_MAX; i++)
		buf_putc(&args, 'x');
	buf_puts(&args, "\"}");
	HARD("bash", args.data, "longer than");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"id\":1,\"tool\":\"read\",\"args\":{\"path\":\"");
	for (unsigned i = 0; i <= REQUEST_TEXT_MAX; i++)
		buf_putc(&args, 'x');
	buf_puts(&args, "\"}}");
	REFUSED(args.data, "bytes in one request");
	HARD("read", args.data, "args: more than");
	buf_finish(&args);
}

static void
a_name_that_no_tool_has_is_shown_escaped_and_refused(void **state)
{
	static const char *const names[] = { "X\x1b[2Jis fine", "read ", "re\nad", "r\320\265ad",
		"\xff", "a\tb", "'", "%s", "" };
	struct ambit_request *request;
	char name[300];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *shown = str_escape(names[i], strlen(names[i]));

		request = make(names[i], "{\"path\":\"a\"}");
		assert_string_equal(request->name, shown);
		assert_string_equal(request_tool(request), shown);
		expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "name");
	}
	memset(name, 'x', sizeof(name));
	name[129] = '\0';
	request = make(name, "{}");
	assert_int_equal(strlen(request->name), 128);
	expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "too long");
	name[128] = '\0';
	expect_bad(make(name, "{}"), AMBIT_CODE_UNKNOWN_TOOL, false, "xxx");
}

static void
an_id_is_not_too_long(void **state)
{
	struct buf text = { 0 };

	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		text = (struct buf){ 0 };
		buf_puts(&text, "{\"tool\":\"ls\",\"id\":\"");
		for (int i = 0; i < REQUEST_ID_MAX - 2 + extra; i++)
			buf_putc(&text, 'x');
		buf_puts(&text, "\"}");
		struct ambit_request *request = parse(text.data);

		assert_int_equal(request->id != NULL, !extra);
		if (extra)
			expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "id: too long");
		else
			ambit_request_destroy(request);
		/* The same in a broken request. */
		text.data[text.len - 1] = ']';
		request = parse(text.data);
		assert_null(request->id);
		expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "");
		buf_finish(&text);
	}
}

static void
a_move_tells_its_source_from_its_target(void **state)
{
	static const char *const tools[] = { "move", "copy" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct ambit_request *request = make(tools[i], "{\"src\":\"a\",\"dst\":\"b\"}");

		assert_true(request_path_is_source(request, &request->paths[0]));
		assert_false(request_path_is_target(request, &request->paths[0]));
		assert_false(request_path_is_source(request, &request->paths[1]));
		assert_true(request_path_is_target(request, &request->paths[1]));
		ambit_request_destroy(request);
	}
	struct ambit_request *request = make("delete", "{\"path\":\"a\"}");

	assert_false(request_path_is_source(request, &request->paths[0]));
	ambit_request_destroy(request);
}

static void
doors_without_json_make_the_same_request(void **state)
{
	struct ambit_request *request = NULL;

	(void)state;
	assert_int_equal(ambit_request_path(AMBIT_ACCESS_DELETE, "a\xff", 2, &request, NULL), 0);
	assert_string_equal(request_tool(request), "delete");
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_int_equal(request->danger, AMBIT_DANGER_WRITE);
	assert_int_equal(request->paths[0].follow, TOOL_NOFOLLOW);
	json_t *json = request_json(request);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(json, "paths"), 0), "path")),
		"a\\xff");
	json_decref(json);
	ambit_request_destroy(request);

	assert_int_equal(ambit_request_path(AMBIT_ACCESS_READ, "a", 1, &request, NULL), 0);
	assert_string_equal(request_tool(request), "read");
	ambit_request_destroy(request);
	assert_int_equal(
		ambit_request_path((enum ambit_access)99, "a", 1, &request, NULL), -EINVAL);

	assert_int_equal(ambit_request_connect("Example.com:443", &request, NULL), 0);
	assert_string_equal(request->host, "example.com");
	assert_int_equal(request->port, 443);
	assert_int_equal(request->effects, AMBIT_NETWORK);
	ambit_request_destroy(request);
	assert_int_equal(ambit_request_connect("a b", &request, NULL), 0);
	expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "a b");
}

static char *
key_of(const char *tool, const char *args)
{
	struct ambit_request *request = make(tool, args);
	char *key = request_call_key(request);

	assert_non_null(key);
	ambit_request_destroy(request);
	return key;
}

static void
expect_same_key(bool same, const char *tool_a, const char *a, const char *tool_b, const char *b)
{
	auto_free char *key_a = key_of(tool_a, a), *key_b = key_of(tool_b, b);

	if ((strcmp(key_a, key_b) == 0) != same)
		fail_msg("%s %s: %s\n%s %s: %s", tool_a, a, key_a, tool_b, b, key_b);
}

static void
memory_knows_a_call_by_tool_and_arguments(void **state)
{
	auto_free char *plain = key_of("bash", "{\"command\":\"git status -s\"}");
	auto_free char *exact = key_of("bash", "{\"command\":\"git status; x\"}");

	(void)state;
	assert_string_equal(plain, "cmd:git status");
	assert_int_equal(strlen(exact), strlen("exact:") + 64);
	expect_same_key(true, "write", "{\"path\":\"a\",\"content\":\"x\"}", "Write",
		"{\"content\":\"x\",\"path\":\"a\"}");
	expect_same_key(false, "write", "{\"path\":\"a\"}", "write", "{\"path\":\"b\"}");
	expect_same_key(false, "write", "{\"path\":\"a\"}", "delete", "{\"path\":\"a\"}");
	expect_same_key(true, "bash", "{\"command\":\"ls\",\"timeout\":1}", "Bash",
		"{\"command\":\"ls\",\"timeout\":2}");
	/* The same words elsewhere, with other rights, or typed into something. */
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "bash",
		"{\"command\":\"ls\",\"workdir\":\"/etc\"}");
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "bash",
		"{\"command\":\"ls\",\"dangerouslyDisableSandbox\":true}");
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "write_stdin", "{\"chars\":\"ls\"}");
	expect_same_key(
		false, "bash", "{\"command\":\"ls\"}", "PowerShell", "{\"command\":\"ls\"}");
}

static char *
key_in(const char *cwd, const char *tool, const char *args)
{
	struct ambit_request *request = make(tool, args);
	char *key;

	assert_int_equal(ambit_request_set_cwd(request, cwd), 0);
	key = request_call_key(request);
	assert_non_null(key);
	ambit_request_destroy(request);
	return key;
}

static void
the_same_call_elsewhere_is_another(void **state)
{
	auto_free char *ev = key_in("ev", "bash", "{\"command\":\"git status\"}");
	auto_free char *other = key_in("other", "bash", "{\"command\":\"git status\"}");
	auto_free char *again = key_in("ev", "bash", "{\"command\":\"git status\"}");
	auto_free char *write = key_in("ev", "write", "{\"path\":\"a\"}");
	auto_free char *plain = key_of("write", "{\"path\":\"a\"}");

	(void)state;
	assert_int_equal(strncmp(ev, "call:bash:", 10), 0);
	assert_string_equal(ev, again);
	assert_string_not_equal(ev, other);
	assert_string_not_equal(write, plain);
}

static void
the_text_for_the_person_is_not_cut(void **state)
{
	struct buf args = { 0 };

	(void)state;
	buf_puts(&args, "{\"command\":\"echo ");
	for (int i = 0; i < 5000; i++)
		buf_puts(&args, "x ");
	buf_puts(&args, "; rm -rf y\"}");
	struct ambit_request *request = make("bash", args.data);
	auto_free char *text = request_text(request);

	assert_true(strlen(text) > 10000);
	assert_non_null(strstr(text, "x ; rm -rf y"));
	ambit_request_destroy(request);
	buf_finish(&args);
}

static void
a_label_is_cut_between_characters(void **state)
{
	struct buf args = { 0 };

	(void)state;
	buf_puts(&args, "{\"path\":\"");
	for (int i = 0; i < 4000; i++)
		buf_puts(&args, "\xc3\xa4");
	buf_puts(&args, "\"}");
	struct ambit_request *request = make("write", args.data);
	auto_free char *label = request_label(request);

	assert_true(strlen(label) <= 210);
	assert_true(str_is_utf8(label, strlen(label)));
	ambit_request_destroy(request);
	buf_finish(&args);
}

static void
who_asks_is_kept(void **state)
{
	struct ambit_request *request = make("ls", "{}");

	(void)state;
	assert_int_equal(ambit_request_set_who(request, 7, 99, "prog", "agent"), 0);
	assert_int_equal(ambit_request_set_who(request, 8, 100, "other", NULL), 0);
	assert_int_equal(ambit_request_set_cwd(request, "/a"), 0);
	assert_int_equal(ambit_request_set_cwd(request, "/b"), 0);
	request_set_held(request, true);
	assert_int_equal(request->pid, 8);
	assert_int_equal(request->start, 100);
	assert_string_equal(request->program, "other");
	assert_null(request->agent);
	assert_string_equal(request->cwd, "/b");
	assert_true(request->held);
	ambit_request_destroy(request);
	ambit_request_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_much_is_refused),
		cmocka_unit_test(a_name_that_no_tool_has_is_shown_escaped_and_refused),
		cmocka_unit_test(an_id_is_not_too_long),
		cmocka_unit_test(a_move_tells_its_source_from_its_target),
		cmocka_unit_test(doors_without_json_make_the_same_request),
		cmocka_unit_test(memory_knows_a_call_by_tool_and_arguments),
		cmocka_unit_test(the_same_call_elsewhere_is_another),
		cmocka_unit_test(the_text_for_the_person_is_not_cut),
		cmocka_unit_test(a_label_is_cut_between_characters),
		cmocka_unit_test(who_asks_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
