/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the program that is told of questions. It is a real one, written by each test into
 * a directory of its own, and the tests look at what it has written there. */

#include <errno.h>
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

#include "ask/notify.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "scratch.h"

struct place {
	char dir[SCRATCH_PATH];
	char *program;
	int failures;
	char why[256];
};

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	scratch_make(place->dir, sizeof(place->dir));
	place->program = str_printf("%s/program", place->dir);
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	scratch_remove(place->dir);
	free(place->program);
	free(place);
	return 0;
}

static void
note_failure(void *data, const char *why)
{
	struct place *place = data;

	place->failures++;
	snprintf(place->why, sizeof(place->why), "%s", why);
}

/* $D is the test's directory, $1 the word "told". */
static struct notify *
start_notify(struct place *place, const char *script)
{
	auto_free char *text = str_printf("#!/bin/sh\nD='%s'\n%s\n", place->dir, script);
	char *argv[] = { place->program, (char *)"told", NULL };
	struct notify_options options = {
		.argv = argv,
		.envp = environ,
		.failed = note_failure,
		.data = place,
	};
	struct notify *notify = NULL;
	struct ambit_error err = { 0 };

	scratch_file(place->program, text);
	assert_int_equal(chmod(place->program, 0700), 0);
	if (notify_create(&options, &notify, &err) < 0)
		fail_msg("%s", err.text);
	return notify;
}

static void
tell(struct notify *notify, const char *what)
{
	struct ambit_choice choice = { .kind = AMBIT_NO, .stores = (char *)"nothing" };
	const struct ambit_question question = {
		.id = 7,
		.who = (char *)"sed (pid 1)",
		.what = (char *)what,
		.why = (char *)"outside",
		.request = (char *)"{\"tool\":\"write\"}",
		.outcome = (char *)"{\"verdict\":\"ask\"}",
		.choices = &choice,
		.n_choices = 1,
		.folder = 1,
	};

	notify_question(notify, &question);
}

/* "" if there is no such file. */
static char *
read_text(const struct place *place, const char *name)
{
	auto_free char *path = str_printf("%s/%s", place->dir, name);
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(text);
	if (file) {
		(void)!fread(text, 1, 65535, file);
		fclose(file);
	}
	return text;
}

static void
it_gets_the_question_as_json(void **state)
{
	struct place *place = *state;
	struct notify *notify =
		start_notify(place, "cat >\"$D/$1.new\"; mv \"$D/$1.new\" \"$D/$1\"");
	auto_free char *text = NULL;
	auto_json json_t *object = NULL;

	tell(notify, "write \"$(touch /x)\"; /y");
	notify_destroy(notify); /* waits for it */
	text = read_text(place, "told");
	assert_int_equal(json_parse(text, strlen(text), &object, NULL), 0);
	assert_string_equal(
		json_string_value(json_object_get(object, "what")), "write \"$(touch /x)\"; /y");
	assert_string_equal(json_string_value(json_object_get(object, "who")), "sed (pid 1)");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(object, "request"), "tool")),
		"write");
	assert_int_equal(json_array_size(json_object_get(object, "choices")), 1);
	assert_int_equal(place->failures, 0);
}

static void
nobody_waits_for_it_and_one_runs_at_a_time(void **state)
{
	struct place *place = *state;
	struct notify *notify = start_notify(place,
		"cat >/dev/null; mkdir \"$D/runs\" || echo two >>\"$D/two\"; sleep 0.1; "
		"echo one >>\"$D/one\"; rmdir \"$D/runs\"");
	auto_free char *one = NULL, *two = NULL;

	for (int i = 0; i < 3; i++)
		tell(notify, "write /x");
	do {
		free(one);
		usleep(20000);
		one = read_text(place, "one");
	} while (!strstr(one, "one\none\none\n"));
	notify_destroy(notify);
	two = read_text(place, "two");
	assert_string_equal(one, "one\none\none\n");
	assert_string_equal(two, "");
	assert_int_equal(place->failures, 0);
}

/* Output of any size is dropped; one that leaves another process behind has ended. */
static void
its_output_and_its_children_hold_nobody_up(void **state)
{
	struct place *place = *state;
	struct notify *notify = start_notify(place,
		"cat >/dev/null; head -c 1000000 /dev/zero; sleep 5 & echo one >>\"$D/one\"");
	int64_t before = clock_steady();
	auto_free char *one = NULL;

	tell(notify, "write /x");
	tell(notify, "write /y");
	notify_destroy(notify);
	assert_true(clock_steady() - before < 2000);
	one = read_text(place, "one");
	assert_string_equal(one, "one\none\n");
	assert_int_equal(place->failures, 0);
}

static void
a_failure_is_told_once(void **state)
{
	struct place *place = *state;
	struct notify *notify = start_notify(place, "echo x >>\"$D/one\"; exit 3");
	auto_free char *one = NULL;

	for (int i = 0; i < 3; i++)
		tell(notify, "write /x");
	notify_destroy(notify);
	one = read_text(place, "one");
	assert_string_equal(one, "x\nx\nx\n");
	assert_int_equal(place->failures, 1);
	assert_non_null(strstr(place->why, "exited with 3"));
}

/* At the end it has two seconds; what it would have done later does not happen. */
static void
one_that_hangs_is_ended(void **state)
{
	struct place *place = *state;
	struct notify *notify =
		start_notify(place, "echo x >\"$D/begun\"; sleep 4; echo x >\"$D/late\"");
	int64_t before = clock_steady();
	auto_free char *begun = NULL, *late = NULL;

	tell(notify, "write /x");
	tell(notify, "write /y");
	notify_destroy(notify);
	assert_in_range(clock_steady() - before, 1900, 3500);
	begun = read_text(place, "begun");
	late = read_text(place, "late");
	assert_string_equal(begun, "x\n");
	assert_string_equal(late, "");
}

static void
a_program_that_was_changed_is_not_run(void **state)
{
	struct place *place = *state;
	struct notify *notify = start_notify(place, "echo x >\"$D/one\"");
	auto_free char *one = NULL;

	scratch_file(place->program, "#!/bin/sh\necho evil >/dev/null\n");
	tell(notify, "write /x");
	notify_destroy(notify);
	one = read_text(place, "one");
	assert_string_equal(one, "");
	assert_int_equal(place->failures, 1);
	assert_non_null(strstr(place->why, "was changed since"));
}

static void
a_program_that_others_can_change_is_refused(void **state)
{
	struct place *place = *state;
	char *argv[] = { place->program, NULL };
	const struct notify_options options = { .argv = argv, .envp = environ };
	struct notify *notify = NULL;
	struct ambit_error err = { 0 };

	scratch_file(place->program, "#!/bin/sh\n");
	assert_int_equal(chmod(place->program, 0702), 0);
	assert_int_equal(notify_create(&options, &notify, &err), -EPERM);
	assert_non_null(strstr(err.text, "notify_command"));
	assert_int_equal(chmod(place->program, 0700), 0);
	assert_int_equal(notify_create(&options, &notify, &err), 0);
	notify_destroy(notify);
	notify_question(NULL, NULL);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(it_gets_the_question_as_json),
		IN_PLACE(nobody_waits_for_it_and_one_runs_at_a_time),
		IN_PLACE(its_output_and_its_children_hold_nobody_up),
		IN_PLACE(a_failure_is_told_once),
		IN_PLACE(one_that_hangs_is_ended),
		IN_PLACE(a_program_that_was_changed_is_not_run),
		IN_PLACE(a_program_that_others_can_change_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
