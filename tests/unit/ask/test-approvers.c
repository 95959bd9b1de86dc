/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the approvers that are no terminal. The programs asked here are
 * real ones, written by the tests into a directory of their own. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <ambit/approve.h>

#include "ask/approver.h"
#include "ask/question-copy.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "scratch.h"

struct place {
	char dir[SCRATCH_PATH];
	char program[96];
	char heard[96]; /* where the program writes what it was asked */
};

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	scratch_make(place->dir, sizeof(place->dir));
	snprintf(place->program, sizeof(place->program), "%s/answer", place->dir);
	snprintf(place->heard, sizeof(place->heard), "%s/heard", place->dir);
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	unlink(place->program);
	unlink(place->heard);
	chmod(place->dir, 0700);
	assert_int_equal(rmdir(place->dir), 0);
	free(place);
	return 0;
}

static void
write_program(const char *path, const char *body)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal(fd_write_all(fd, "#!/bin/sh\n", 10), 0);
	assert_int_equal(fd_write_all(fd, body, strlen(body)), 0);
	close(fd);
}

/* A program that reads the question, keeps it, and prints output. */
static void
write_answer(const struct place *place, const char *output)
{
	char body[4096];

	snprintf(body, sizeof(body), "cat >'%s'\ncat <<'END'\n%s\nEND\n", place->heard, output);
	write_program(place->program, body);
}

static struct ambit_approver *
create_exec(const struct place *place)
{
	struct ambit_approver *approver = NULL;
	struct ambit_error err = { 0 };
	auto_free char *spec = str_printf("exec:%s", place->program);

	if (ambit_approver_create(spec, NULL, 0, &approver, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(approver->name, "exec");
	return approver;
}

static struct ambit_choice choices[] = {
	{ .kind = AMBIT_NO, .stores = (char *)"nothing" },
	{ .kind = AMBIT_NO_SESSION,
		.path = (char *)"/u/a/b",
		.stores = (char *)"no writes to /u/a/b/c, this session" },
	{ .kind = AMBIT_ONCE,
		.path = (char *)"/u/a/b",
		.stores = (char *)"write in /u/a/b, this process" },
	{ .kind = AMBIT_FILE, .stores = (char *)"write /u/a/b/c, this session" },
	{ .kind = AMBIT_FOLDER, .path = (char *)"/u/a/b", .stores = (char *)"beneath b" },
	{ .kind = AMBIT_FOLDER, .path = (char *)"/u/a", .stores = (char *)"beneath a" },
	{ .kind = AMBIT_FOLDER, .path = (char *)"/u/\xff", .stores = (char *)"beneath \\xff" },
	{ .kind = AMBIT_ALWAYS, .stores = (char *)"always c", .label = (char *)"this file" },
	{ .kind = AMBIT_ALWAYS, .path = (char *)"/u/a/b", .stores = (char *)"always b" },
	{ .kind = AMBIT_ALWAYS, .path = (char *)"/u/a", .stores = (char *)"always a" },
};

static struct ambit_question
make_question(void)
{
	return (struct ambit_question){
		.id = 7,
		.who = (char *)"sed (pid 4120)",
		.what = (char *)"write /u/a/b/c",
		.act = (char *)"write",
		.object = (char *)"~/a/b/c",
		.danger = (char *)"RUNS AS YOU",
		.by = (char *)"sed (bash > sed)",
		.why = (char *)"outside the folder",
		.request = (char *)"{\"tool\":\"write\"}",
		.outcome = (char *)"{\"verdict\":\"ask\"}",
		.choices = choices,
		.n_choices = sizeof(choices) / sizeof(choices[0]),
		.folder = 5,
	};
}

/* -- fixed ------------------------------------------------------------------ */

static void
deny_says_no_and_that_nobody_was_asked(void **state)
{
	struct ambit_question question = make_question();
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_approver *approver = NULL;
	struct ambit_error err = { 0 };

	(void)state;
	assert_int_equal(ambit_approver_create("deny", NULL, 0, &approver, NULL), 0);
	assert_string_equal(approver->name, "deny");
	assert_int_equal(approver->ask(approver, &question, &answer, &err), -ENOENT);
	assert_int_equal(answer.kind, AMBIT_NO);
	assert_string_equal(err.text, "nobody can approve it now");
	ambit_approver_destroy(approver);
}

static void
allow_says_once_and_only_where_it_is_offered(void **state)
{
	struct ambit_question question = make_question();
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_approver *approver = NULL;
	struct ambit_error err;

	(void)state;
	assert_int_equal(ambit_approver_create("allow", NULL, 0, &approver, NULL), 0);
	assert_string_equal(approver->name, "allow");
	assert_int_equal(approver->ask(approver, &question, &answer, &err), 0);
	assert_int_equal(answer.kind, AMBIT_ONCE);
	assert_string_equal(answer.path, "");
	question.n_choices = 2;
	answer.kind = AMBIT_NO;
	assert_int_equal(approver->ask(approver, &question, &answer, &err), -EINVAL);
	assert_int_equal(answer.kind, AMBIT_NO);
	ambit_approver_destroy(approver);
}

static void
what_is_no_approver_is_refused(void **state)
{
	static const char *const specs[] = { "", "TTY", "allow ", "deny:", "exec",
		"exec:", "exec:true", "exec:./x", "yes" };
	struct ambit_approver *approver = NULL;
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		assert_int_equal(
			ambit_approver_create(specs[i], NULL, 0, &approver, &err), -EINVAL);
		assert_null(approver);
		assert_true(err.text[0] != '\0');
	}
	ambit_approver_destroy(NULL);
}

static void
what_is_no_terminal_is_refused(void **state)
{
	struct ambit_approver *approver = NULL;
	struct ambit_error err;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(approver_on_tty(fd, fd, 0, &approver, &err), -ENOTTY);
	assert_null(approver);
	close(fd);
}

static void
finishing_a_question_frees_and_zeroes_it(void **state)
{
	struct ambit_question question = { .id = 1, .n_choices = 1, .expires = 5 };

	(void)state;
	question.who = strdup("who");
	question.request = strdup("{}");
	question.choices = calloc(1, sizeof(*question.choices));
	assert_non_null(question.choices);
	question.choices[0].path = strdup("/x");
	question.choices[0].stores = strdup("x");
	question.choices[0].label = strdup("x");
	assert_int_equal(question_add_fact(&question, "hosts", "a.example"), 0);
	question_finish(&question);
	assert_null(question.choices);
	assert_int_equal(question.n_choices, 0);
	question_finish(&question);
	question_finish(NULL);
}

/* -- exec ------------------------------------------------------------------- */

static void
a_program_gets_the_whole_question(void **state)
{
	const struct place *place = *state;
	struct ambit_question question = make_question();
	struct ambit_answer answer;
	struct ambit_approver *approver;
	auto_json json_t *heard = NULL;
	auto_free char *text = NULL;
	json_t *list;
	size_t len;

	question.expires = clock_now() + 60000;
	write_answer(place, "{\"answer\":\"once\"}");
	approver = create_exec(place);
	assert_int_equal(approver->ask(approver, &question, &answer, NULL), 0);
	assert_int_equal(fd_read_file(AT_FDCWD, place->heard, 65536, &text, &len), 0);
	assert_int_equal(json_parse(text, len, &heard, NULL), 0);
	assert_string_equal(json_string_value(json_object_get(heard, "who")), question.who);
	assert_string_equal(json_string_value(json_object_get(heard, "what")), question.what);
	assert_string_equal(json_string_value(json_object_get(heard, "why")), question.why);
	assert_string_equal(json_string_value(json_object_get(heard, "act")), question.act);
	assert_string_equal(json_string_value(json_object_get(heard, "object")), question.object);
	assert_string_equal(json_string_value(json_object_get(heard, "danger")), question.danger);
	assert_string_equal(json_string_value(json_object_get(heard, "by")), question.by);
	assert_int_equal(json_integer_value(json_object_get(heard, "expires")), question.expires);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(heard, "request"), "tool")),
		"write");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(heard, "outcome"), "verdict")),
		"ask");
	list = json_object_get(heard, "choices");
	assert_int_equal(json_array_size(list), question.n_choices);
	for (size_t i = 0; i < question.n_choices; i++) {
		const json_t *choice = json_array_get(list, i);

		assert_string_equal(json_string_value(json_object_get(choice, "answer")),
			ambit_word_name(ambit_answers, (int)choices[i].kind));
		assert_string_equal(
			json_string_value(json_object_get(choice, "stores")), choices[i].stores);
		/* Where there is no folder to pick, none is named. */
		assert_int_equal(!json_object_get(choice, "path"),
			choices[i].kind < AMBIT_FOLDER || !choices[i].path);
		assert_int_equal(!json_object_get(choice, "label"), !choices[i].label);
	}
	ambit_approver_destroy(approver);
}

static void
every_offered_answer_is_taken_as_it_is(void **state)
{
	static const struct {
		const char *output;
		enum ambit_answer_kind kind;
		const char *path, *message;
	} rows[] = {
		{ "{\"answer\":\"no\"}", AMBIT_NO, "", "" },
		{ "{\"answer\":\"no\",\"message\":\"use x\"}", AMBIT_NO, "", "use x" },
		{ "{\"answer\":\"no-session\"}", AMBIT_NO_SESSION, "", "" },
		{ "{\"answer\":\"once\"}", AMBIT_ONCE, "", "" },
		{ "{\"answer\":\"file\"}", AMBIT_FILE, "", "" },
		{ "{\"answer\":\"folder\"}", AMBIT_FOLDER, "/u/a", "" },
		{ "{\"answer\":\"folder\",\"path\":\"/u/a/b\"}", AMBIT_FOLDER, "/u/a/b", "" },
		{ "{\"answer\":\"folder\",\"path\":\"/u/\\\\xff\"}", AMBIT_FOLDER, "/u/\xff", "" },
		{ "{\"answer\":\"always\"}", AMBIT_ALWAYS, "", "" },
		{ "{\"answer\":\"always\",\"path\":\"/u/a/b\"}", AMBIT_ALWAYS, "/u/a/b", "" },
	};
	const struct place *place = *state;
	struct ambit_question question = make_question();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ambit_answer answer = { .kind = AMBIT_NO, .path = "unset" };
		struct ambit_approver *approver;
		struct ambit_error err;

		write_answer(place, rows[i].output);
		approver = create_exec(place);
		if (approver->ask(approver, &question, &answer, &err) < 0)
			fail_msg("%s: %s", rows[i].output, err.text);
		assert_int_equal(answer.kind, rows[i].kind);
		assert_string_equal(answer.path, rows[i].path);
		assert_string_equal(answer.message, rows[i].message);
		ambit_approver_destroy(approver);
	}
}

static void
assert_refused(const struct place *place, const struct ambit_question *question, int code,
	const char *words)
{
	struct ambit_approver *approver = create_exec(place);
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error err = { 0 };
	int r = approver->ask(approver, question, &answer, &err);

	ambit_approver_destroy(approver);
	if (r != -code || !strstr(err.text, words))
		fail_msg("%d, not %d with '%s': %s", r, -code, words, err.text);
	assert_int_equal(answer.kind, AMBIT_NO); /* not touched */
	assert_int_equal(err.code, code);
}

static void
what_is_not_an_offered_answer_is_an_error(void **state)
{
	static const struct {
		const char *output, *words;
	} rows[] = {
		{ "", "1:" },
		{ "yes", "invalid token" },
		{ "[]", "not an object" },
		{ "\"once\"", "not an object" },
		{ "{}", "no 'answer'" },
		{ "{\"answer\":\"yes\"}", "unknown answer 'yes'" },
		{ "{\"answer\":\"Once\"}", "unknown answer 'Once'" },
		{ "{\"answer\":true}", "'answer' is not a plain string" },
		{ "{\"answer\":\"once\\u0000\"}", "'answer' is not a plain string" },
		{ "{\"answer\":\"once\",\"message\":1}", "'message' is not a plain string" },
		{ "{\"answer\":\"once\",\"for\":\"all\"}", "unknown key 'for'" },
		{ "{\"answer\":\"no\",\"answer\":\"once\"}", "1:" },
		{ "{\"answer\":\"once\"} {}", "1:" },
		{ "{\"answer\":\"folder\",\"path\":\"/\"}", "'folder' for / was not offered" },
		{ "{\"answer\":\"folder\",\"path\":\"/u/a/\"}", "was not offered" },
		{ "{\"answer\":\"folder\",\"path\":\"\"}", "was not offered" },
		{ "{\"answer\":\"always\",\"path\":\"/u/\\\\xff\"}", "was not offered" },
		{ "{\"answer\":\"once\",\"path\":\"/u/a\"}", "was not offered" },
		{ "{\"answer\":\"once\",\"path\":\"/u/a/b\"}", "was not offered" },
	};
	const struct place *place = *state;
	struct ambit_question question = make_question();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_answer(place, rows[i].output);
		assert_refused(place, &question, EINVAL, rows[i].words);
	}
	question.n_choices = 3; /* no, no-session, once */
	question.folder = 3;
	write_answer(place, "{\"answer\":\"always\"}");
	assert_refused(place, &question, EINVAL, "'always' was not offered");
}

static void
an_odd_ending_is_an_error_whatever_was_printed(void **state)
{
	const struct place *place = *state;
	struct ambit_question question = make_question();

	write_program(place->program, "echo '{\"answer\":\"once\"}'; exit 3\n");
	assert_refused(place, &question, ECHILD, "exited with 3");
	write_program(place->program, "echo '{\"answer\":\"once\"}'; kill -9 $$\n");
	assert_refused(place, &question, ECHILD, "signal 9");
	write_program(place->program,
		"echo '{\"answer\":\"once\"}'; head -c 70000 /dev/zero | tr '\\0' ' '\n");
	assert_refused(place, &question, EFBIG, place->program);
}

static void
no_answer_in_time_is_an_error(void **state)
{
	const struct place *place = *state;
	struct ambit_question question = make_question();
	int64_t began = clock_steady();

	write_program(place->program, "exec sleep 60\n");
	question.expires = clock_now() + 150;
	assert_refused(place, &question, ETIMEDOUT, "no answer");
	assert_true(clock_steady() - began < 30000);
	question.expires = clock_now() - 1;
	assert_refused(place, &question, ETIMEDOUT, "expired");
}

static void
a_long_message_is_cut_between_characters(void **state)
{
	const struct place *place = *state;
	struct ambit_question question = make_question();
	struct ambit_approver *approver;
	struct ambit_answer answer;
	char output[2048] = "{\"answer\":\"no\",\"message\":\"x";
	size_t len = strlen(output);

	for (; len < 1500; len += 2)
		memcpy(output + len, "\xc3\xa4", 2);
	memcpy(output + len, "\"}", 3);
	write_answer(place, output);
	approver = create_exec(place);
	assert_int_equal(approver->ask(approver, &question, &answer, NULL), 0);
	assert_int_equal(strlen(answer.message), 511);
	assert_true(str_is_utf8(answer.message, 511));
	question.expires = 0;
	ambit_approver_destroy(approver);
}

static int
try_create(const char *program, const char *const *writable, size_t n, struct ambit_error *err)
{
	struct ambit_approver *approver = NULL;
	auto_free char *spec = str_printf("exec:%s", program);
	int r = ambit_approver_create(spec, writable, n, &approver, err);

	assert_int_equal(r < 0, approver == NULL);
	ambit_approver_destroy(approver);
	return r;
}

static void
a_program_where_the_tree_can_write_is_refused(void **state)
{
	const struct place *place = *state;
	struct ambit_error err;
	const char *writable[] = { "/nonexistent", place->dir };
	const char *beside[] = { "/tmp/ambit-approvers" };
	auto_free char *link = str_printf("%s-link", place->dir);
	auto_free char *linked = str_printf("%s/answer", link);
	const char *by_link[] = { link };

	write_answer(place, "");
	assert_int_equal(try_create(place->program, NULL, 0, &err), 0);
	assert_int_equal(try_create(place->program, beside, 1, &err), 0);
	assert_int_equal(try_create(place->program, writable, 2, &err), -EPERM);
	assert_non_null(strstr(err.text, "those who ask can write"));
	assert_int_equal(symlink(place->dir, link), 0);
	assert_int_equal(try_create(linked, writable, 2, &err), -EPERM);
	assert_int_equal(try_create(place->program, by_link, 1, &err), -EPERM);
	unlink(link);
}

static void
a_program_that_others_can_change_is_refused(void **state)
{
	const struct place *place = *state;
	struct ambit_error err;

	write_answer(place, "");
	assert_int_equal(chmod(place->program, 0720), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EPERM);
	assert_int_equal(chmod(place->program, 0702), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EPERM);
	assert_int_equal(chmod(place->program, 0700), 0);
	assert_int_equal(chmod(place->dir, 0770), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EPERM);
	assert_int_equal(chmod(place->dir, 01777), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EPERM);
	assert_non_null(strstr(err.text, "(mode 1777)"));
	assert_int_equal(chmod(place->dir, 0700), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), 0);
	assert_int_equal(chmod(place->program, 0600), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EACCES);
	assert_int_equal(try_create(place->dir, NULL, 0, &err), -EACCES);
	assert_int_equal(try_create("/nonexistent/x", NULL, 0, &err), -ENOENT);
}

static void
a_program_of_another_user_is_refused(void **state)
{
	const struct place *place = *state;
	struct ambit_error err;

	if (geteuid() != 0)
		skip(); /* only root can give a file away */
	write_answer(place, "");
	assert_int_equal(chown(place->program, 12345, (gid_t)-1), 0);
	assert_int_equal(try_create(place->program, NULL, 0, &err), -EPERM);
	assert_non_null(strstr(err.text, "another user"));
}

static void
a_program_that_was_changed_meanwhile_is_not_asked(void **state)
{
	const struct place *place = *state;
	struct ambit_question question = make_question();
	struct ambit_approver *approver;
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error err;

	write_answer(place, "{\"answer\":\"no\"}");
	approver = create_exec(place);
	assert_int_equal(approver->ask(approver, &question, &answer, &err), 0);
	assert_int_equal(unlink(place->heard), 0);
	assert_int_equal(unlink(place->program), 0);
	write_answer(place, "{\"answer\":\"once\"}");
	assert_int_equal(approver->ask(approver, &question, &answer, &err), -ESTALE);
	assert_int_equal(answer.kind, AMBIT_NO);
	assert_int_equal(access(place->heard, F_OK), -1); /* it did not even run */
	ambit_approver_destroy(approver);
}

#define exec_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deny_says_no_and_that_nobody_was_asked),
		cmocka_unit_test(allow_says_once_and_only_where_it_is_offered),
		cmocka_unit_test(what_is_no_approver_is_refused),
		cmocka_unit_test(what_is_no_terminal_is_refused),
		cmocka_unit_test(finishing_a_question_frees_and_zeroes_it),
		exec_test(a_program_gets_the_whole_question),
		exec_test(every_offered_answer_is_taken_as_it_is),
		exec_test(what_is_not_an_offered_answer_is_an_error),
		exec_test(an_odd_ending_is_an_error_whatever_was_printed),
		exec_test(no_answer_in_time_is_an_error),
		exec_test(a_long_message_is_cut_between_characters),
		exec_test(a_program_where_the_tree_can_write_is_refused),
		exec_test(a_program_that_others_can_change_is_refused),
		exec_test(a_program_of_another_user_is_refused),
		exec_test(a_program_that_was_changed_meanwhile_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
