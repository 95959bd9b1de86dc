/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of tools/web/tool-webfetch.c, as a call to the registry on a real record:
 * what a model reads, and who was reached. */

#include "engine-rig.h"

#include "web.h"

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/line.h"

struct rig {
	union {
		struct engine_rig base;
		struct {
			ENGINE_RIG;
		};
	};
	struct web web, other;
	struct ambit_registry *registry;
	struct ambit_approver approver;
	enum ambit_answer_kind answer;
	int asked;
	char what[8][600];
};

static char server[PATH_MAX]; /* hostile-page.py */

static int
answer_as_told(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct rig *rig = (struct rig *)((char *)approver - offsetof(struct rig, approver));

	(void)err;
	if (rig->asked < 8)
		snprintf(rig->what[rig->asked], sizeof(rig->what[0]), "%s", question->what);
	rig->asked++;
	ret_answer->kind = rig->answer;
	return 0;
}

/* settings: "%d" is the first server's port. */
static void
start(struct rig *rig, const char *settings)
{
	struct ambit_error err = { 0 };
	char text[600];

	snprintf(text, sizeof(text), "{%s\"allow_hosts\":[\"127.0.0.1:%d\"]}", settings,
		rig->web.port);
	rig->approver = (struct ambit_approver){ .ask = answer_as_told, .name = "test" };
	engine_rig_start(
		&rig->base, text, &(struct ambit_engine_options){ .approver = &rig->approver });
	if (ambit_registry_create(&(struct ambit_registry_options){ .engine = rig->engine },
		    &rig->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

static void
stop(struct rig *rig)
{
	ambit_registry_destroy(rig->registry);
	engine_rig_stop(&rig->base);
}

static int
setup(void **state)
{
	struct rig *rig = engine_rig_create(sizeof(*rig));

	web_open(&rig->web, "127.0.0.1", 0);
	web_open(&rig->other, "127.0.0.1", 0);
	start(rig, "");
	*state = rig;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *rig = *state;

	stop(rig);
	web_close(&rig->web);
	web_close(&rig->other);
	engine_rig_destroy(&rig->base);
	return 0;
}

static void
call_url(
	struct rig *rig, const char *url, const char *more, int cancel, struct ambit_result *result)
{
	struct ambit_call_options options = { .cancel = cancel };
	char args[1000];

	snprintf(args, sizeof(args), "{\"url\":\"%s\"%s}", url, more);
	assert_int_equal(ambit_registry_call(
				 rig->registry, "webfetch", args, strlen(args), &options, result),
		0);
}

static void
call(struct rig *rig, const char *path, const char *more, struct ambit_result *result)
{
	char url[400];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", rig->web.port, path);
	call_url(rig, url, more, -1, result);
}

static json_t *
object_of(const struct ambit_result *result)
{
	json_t *object = NULL;

	assert_int_equal(
		json_parse(result->structured, strlen(result->structured), &object, NULL), 0);
	return object;
}

static void
has(const struct ambit_result *result, const char *text)
{
	if (!strstr(result->text, text))
		fail_msg("no '%s' in: %s", text, result->text);
}

/* The whole text stands between marks with one name, which nothing between has. */
static void
is_labelled(const char *text)
{
	static const char begins[] = "[untrusted content ";
	char end[100], name[60];
	size_t n = strlen(text);

	assert_true(str_prefix(text, begins));
	assert_int_equal(sscanf(text + strlen(begins), "%50s", name), 1);
	snprintf(end, sizeof(end), "[untrusted content %s ends]", name);
	assert_true(n > strlen(end) && streq(text + n - strlen(end), end));
	assert_ptr_equal(strstr(text + strlen(begins) + strlen(name), name),
		text + n - strlen(end) + strlen(begins));
}

static void
page_is_readable_and_labelled(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	auto_json json_t *object = NULL;
	char line[200];

	call(rig, "/", "", &result);
	assert_false(result.failed);
	is_labelled(result.text);
	snprintf(line, sizeof(line),
		"http://127.0.0.1:%d/\nHTTP 200, text/html; charset=utf-8, %zu bytes\n",
		rig->web.port,
		strlen("<title>T</title><h1>Hello</h1><p>a <a href='/x'>link</a></p>"));
	has(&result, line);
	has(&result, "title: T\n\n# Hello\n\na [link](/x)\n");
	object = object_of(&result);
	assert_int_equal(json_integer_value(json_object_get(object, "status")), 200);
	assert_true(json_is_false(json_object_get(object, "truncated")));
	assert_non_null(strstr(json_string_value(json_object_get(object, "text")), "# Hello"));
	is_labelled(json_string_value(json_object_get(object, "text")));
	ambit_result_finish(&result);
	assert_int_equal(rig->asked, 0);
}

static void
content_is_told_by_its_kind(void **state)
{
	static const struct {
		const char *path, *more, *says;
	} rows[] = {
		{ "/plain", "", "\n\njust words\n" },
		{ "/json", "", "{\"a\": [1, 2]}" },
		{ "/latin", "", "caf\xc3\xa9 \xe2\x82\xac" },
		{ "/meta", "", "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82" },
		{ "/bad-utf8", "",
			"a\xef\xbf\xbd"
			"b" },
		{ "/png", "", "image/png, 7 bytes\n\n[untrusted" },
		{ "/png", "", " ends]\n[not shown" },
		{ "/untyped", "", "no type given, 11 bytes\n\nplain words" },
		{ "/empty", "", "[empty]" },
		{ "/", ",\"raw\":true", "<h1>Hello</h1>" },
		{ "/there", "", "/plain\nHTTP 200" },
		{ "/endless", ",\"max_bytes\":2000",
			" ends]\n[cut: the first 2000 bytes of the page were" },
		{ "/endless", "", "bytes of its text are shown" },
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ambit_result result = { 0 };

		call(rig, rows[i].path, rows[i].more, &result);
		assert_false(result.failed);
		has(&result, rows[i].says);
		/* What the words say behind the marks, the object says too. */
		if (strstr(rows[i].says, " ends]\n"))
			assert_non_null(strstr(result.structured, "\"note\":\"["));
		assert_true(strlen(result.text) < 61000);
		ambit_result_finish(&result);
	}
}

static void
errors_are_failures_with_words(void **state)
{
	static const struct {
		const char *path, *more;
		enum ambit_code code;
		const char *says;
	} rows[] = {
		{ "/missing", "", AMBIT_CODE_BAD_ARGUMENTS,
			"status 404: not found. Check the URL" },
		{ "/broken", "", AMBIT_CODE_BAD_ARGUMENTS, "status 500" },
		{ "/slow", ",\"timeout\":200", AMBIT_CODE_TIMEOUT, "longer timeout" },
		{ "/loop-a", "", AMBIT_CODE_BAD_ARGUMENTS, "loop" },
		{ "/file", "", AMBIT_CODE_BAD_ARGUMENTS, "not an http" },
		{ "/", ",\"timeout\":0", AMBIT_CODE_BAD_ARGUMENTS, "timeout" },
		{ "/", ",\"other\":0", AMBIT_CODE_BAD_ARGUMENTS, "other" },
	};
	struct rig *rig = *state;
	struct ambit_result result = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		call(rig, rows[i].path, rows[i].more, &result);
		assert_true(result.failed);
		assert_int_equal(result.code, rows[i].code);
		has(&result, rows[i].says);
		ambit_result_finish(&result);
	}
	/* What came with it is the server's, and marked as that; so is where it led. */
	snprintf(rig->web.location, sizeof(rig->web.location), "/SECRET_ORDER");
	call(rig, "/to", "", &result);
	assert_true(result.failed);
	has(&result, "/to answered with status 404");
	assert_null(strstr(result.text, "SECRET"));
	ambit_result_finish(&result);
	call(rig, "/typed", "", &result);
	assert_false(result.failed);
	auto_json json_t *object = object_of(&result);

	assert_string_equal(
		json_string_value(json_object_get(object, "content_type")), "text/plain");
	ambit_result_finish(&result);
	call(rig, "/missing", "", &result);
	is_labelled(strstr(result.text, "[untrusted content "));
	has(&result, "# Nothing here");
	ambit_result_finish(&result);
	call_url(rig, "http://user:word@127.0.0.1/", "", -1, &result);
	assert_true(result.failed);
	ambit_result_finish(&result);
}

/* A server chooses where it leads and what it calls it, and can say much with that. */
static void
no_word_of_a_server_stands_outside(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	json_t *object;
	char url[100];

	snprintf(
		rig->web.location, sizeof(rig->web.location), "/odd-type?SECRET-ORDER:do-as-i-say");
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/to", rig->web.port);
	call_url(rig, url, "", -1, &result);
	assert_false(result.failed);
	is_labelled(result.text);
	has(&result, "SECRET-ORDER");
	object = object_of(&result);
	assert_string_equal(json_string_value(json_object_get(object, "url")), url);
	is_labelled(json_string_value(json_object_get(object, "final_url")));
	is_labelled(json_string_value(json_object_get(object, "content_type")));
	is_labelled(json_string_value(json_object_get(object, "text")));
	json_decref(object);
	ambit_result_finish(&result);
	call(rig, "/", "", &result);
	object = object_of(&result);
	assert_string_equal(
		json_string_value(json_object_get(object, "content_type")), "text/html");
	is_labelled(json_string_value(json_object_get(object, "title")));
	json_decref(object);
	ambit_result_finish(&result);
}

static void
redirect_elsewhere_is_asked_about(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	char host[40];

	snprintf(rig->web.location, sizeof(rig->web.location), "http://127.0.0.1:%d/plain",
		rig->other.port);
	snprintf(host, sizeof(host), "127.0.0.1:%d", rig->other.port);
	call(rig, "/to", "", &result);
	assert_true(result.failed);
	assert_int_equal(result.code, AMBIT_CODE_DENIED);
	has(&result, host);
	assert_int_equal(rig->asked, 1);
	assert_non_null(strstr(rig->what[0], host));
	assert_int_equal(rig->other.connections, 0);
	ambit_result_finish(&result);
	rig->answer = AMBIT_ONCE;
	call(rig, "/to", "", &result);
	assert_false(result.failed);
	has(&result, "just words");
	assert_int_equal(rig->asked, 2);
	assert_int_equal(rig->other.connections, 1);
	ambit_result_finish(&result);
}

/* By the system's own means, as every program here does. */
static void
name_is_looked_up(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	char url[100];

	rig->answer = AMBIT_ONCE;
	snprintf(url, sizeof(url), "http://localhost:%d/plain", rig->web.port);
	call_url(rig, url, "", -1, &result);
	has(&result, "just words");
	assert_false(result.failed);
	ambit_result_finish(&result);
}

static void
host_that_is_not_allowed_is_not_reached(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	char url[100];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", rig->other.port);
	call_url(rig, url, "", -1, &result);
	assert_true(result.failed);
	assert_int_equal(rig->asked, 1);
	assert_int_equal(rig->other.connections, 0);
	ambit_result_finish(&result);
}

static void
without_a_network_nothing_is_reached(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };

	stop(rig);
	start(rig, "\"net\":\"none\",");
	call(rig, "/", "", &result);
	assert_true(result.failed);
	assert_int_equal(result.code, AMBIT_CODE_HOST_NOT_ALLOWED);
	has(&result, "the network is off");
	assert_int_equal(rig->web.connections, 0);
	assert_int_equal(rig->asked, 0);
	ambit_result_finish(&result);
}

static void
address_is_refused_for_itself(void **state)
{
	struct rig *rig = *state;

	assert_false(engine_refuses_host(rig->engine, "192.0.2.1:80"));
	stop(rig);
	start(rig, "\"net\":\"open\",\"deny_hosts\":[\"192.0.2.0/24\"],");
	assert_true(engine_refuses_host(rig->engine, "192.0.2.1:80"));
	assert_false(engine_refuses_host(rig->engine, "198.51.100.1:80"));
	assert_false(engine_refuses_host(rig->engine, "[2001:db8::1]:80"));
	assert_true(engine_refuses_host(rig->engine, "no host"));
	assert_int_equal(rig->asked, 0);
}

static void
cancelled_call_ends(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	auto_close int cancel = eventfd(0, EFD_CLOEXEC);
	char url[100];

	rig->web.cancel = cancel;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/cancel", rig->web.port);
	call_url(rig, url, "", cancel, &result);
	assert_true(result.failed && result.cancelled);
	ambit_result_finish(&result);
}

static void *
call_often(void *data)
{
	struct rig *rig = data;

	for (int i = 0; i < 5; i++) {
		struct ambit_result result = { 0 };
		char more[40];

		/* No two are the same call: that would be a loop. */
		snprintf(more, sizeof(more), ",\"timeout\":%d",
			20000 + i + (int)(pthread_self() % 9000));
		call(rig, "/plain", more, &result);
		if (result.failed || !strstr(result.text, "just words"))
			return result.text;
		ambit_result_finish(&result);
	}
	return NULL;
}

static void
many_at_once_do_not_mix(void **state)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, *state), 0);
	for (int i = 0; i < 8; i++) {
		void *text;

		pthread_join(threads[i], &text);
		if (text)
			fail_msg("%s", (char *)text);
	}
}

/* -- servers of their own ------------------------------------------------------------------ */

static void
fetch_from(struct rig *rig, int port, const char *path, struct ambit_result *result)
{
	char url[600];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
	rig->answer = AMBIT_ONCE;
	call_url(rig, url, "", -1, result);
}

static void
hostile_page_cannot_close_its_label(void **state)
{
	static const char *const hidden[] = { "SECRET_SCRIPT", "SECRET_STYLE", "SECRET_COMMENT",
		"SECRET_HIDDEN" };
	struct rig *rig = *state;
	struct ambit_result result = { 0 };
	struct web_process process;

	web_process_start(&process, (char *[]){ "python3", server, NULL });
	fetch_from(rig, process.port, "/", &result);
	assert_false(result.failed);
	is_labelled(result.text);
	has(&result, "# Install");
	has(&result, "SECRET_ORDER");
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		assert_null(strstr(result.text, hidden[i]));
	ambit_result_finish(&result);
	fetch_from(rig, process.port, "/plain", &result);
	is_labelled(result.text);
	has(&result, "SECRET_ORDER");
	ambit_result_finish(&result);
	/* Nor does an error page speak in ambit's words. */
	fetch_from(rig, process.port, "/missing", &result);
	assert_true(result.failed);
	assert_true(
		strstr(result.text, "SECRET_ORDER") > strstr(result.text, "[untrusted content "));
	is_labelled(strstr(result.text, "[untrusted content "));
	ambit_result_finish(&result);
	web_process_stop(&process);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(page_is_readable_and_labelled, setup, teardown),
		cmocka_unit_test_setup_teardown(content_is_told_by_its_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_are_failures_with_words, setup, teardown),
		cmocka_unit_test_setup_teardown(
			no_word_of_a_server_stands_outside, setup, teardown),
		cmocka_unit_test_setup_teardown(redirect_elsewhere_is_asked_about, setup, teardown),
		cmocka_unit_test_setup_teardown(name_is_looked_up, setup, teardown),
		cmocka_unit_test_setup_teardown(
			host_that_is_not_allowed_is_not_reached, setup, teardown),
		cmocka_unit_test_setup_teardown(
			without_a_network_nothing_is_reached, setup, teardown),
		cmocka_unit_test_setup_teardown(address_is_refused_for_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(cancelled_call_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(many_at_once_do_not_mix, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_page_cannot_close_its_label, setup, teardown),
	};

	if (!realpath("tests/e2e/hostile-page.py", server)) {
		fprintf(stderr, "run this from the top of the tree\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
