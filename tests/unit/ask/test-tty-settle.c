/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal says what became of an answer, not what was typed: it is brought to whoever asks
 * while the question still stands on the screen. */

#include "person.h"

struct desk_end {
	const char *why; /* NULL: the answer counts */
	int code;
	int times;
	uint64_t question;
	enum ambit_answer_kind kind;
};

static int
settle(void *data, uint64_t question, const struct ambit_answer *answer, struct ambit_error *err)
{
	struct desk_end *end = data;

	end->times++;
	end->question = question;
	end->kind = answer->kind;
	if (!end->why)
		return 0;
	*err = (struct ambit_error){ .code = end->code };
	snprintf(err->text, sizeof(err->text), "%s", end->why);
	return -end->code;
}

/* A person presses a key when the prompt stands; what ask returned. */
static int
ask_and_press(struct pty *pty, const char *key, struct desk_end *end, const char *last,
	struct ambit_error *err)
{
	struct ambit_question question = path_question();
	struct ambit_answer answer = { 0 };
	int status = -1, r;
	pid_t person;

	pty->seen->len = 0;
	pty->seen->text[0] = '\0';
	pty->approver->settle = settle;
	pty->approver->settle_data = end;
	person = fork();
	assert_true(person >= 0);
	if (person == 0) {
		size_t at = look_for(pty->master, pty->seen, 0, PROMPT);

		_exit(at == 0 || fd_write_all(pty->master, key, 1) < 0 ||
			look_for(pty->master, pty->seen, at, last) == 0);
	}
	r = pty->approver->ask(pty->approver, &question, &answer, err);
	assert_int_equal(waitpid(person, &status, 0), person);
	if (status != 0)
		fail_msg("'%s' is not in: %s", last, pty->seen->text);
	assert_int_equal(end->times, 1);
	assert_int_equal(end->question, question.id);
	return r;
}

static void
an_answer_that_counts_is_shown(void **state)
{
	struct desk_end end = { 0 };

	assert_int_equal(ask_and_press(*state, "y", &end, "allowed: ", NULL), 0);
	assert_int_equal(end.kind, AMBIT_ONCE);
}

static void
one_that_came_too_late_is_not_said_to_count(void **state)
{
	struct pty *pty = *state;
	struct desk_end end = { .why = "refused in ambit watch", .code = ENOENT };
	struct ambit_error err = { 0 };

	assert_int_equal(ask_and_press(pty, "y", &end,
				 "your answer came too late: refused in ambit watch", &err),
		-ENOENT);
	assert_string_equal(err.text, "refused in ambit watch");
	assert_null(strstr(pty->seen->text, "allowed: "));
}

static void
one_that_cannot_be_stored_is_a_no_and_says_why(void **state)
{
	struct pty *pty = *state;
	struct desk_end end = { .why = "cannot store the answer: disk full", .code = ENOSPC };
	struct ambit_error err = { 0 };

	assert_int_equal(
		ask_and_press(pty, "s", &end, "refused: cannot store the answer: disk full", &err),
		-ENOSPC);
	assert_int_equal(end.kind, AMBIT_FILE);
	assert_null(strstr(pty->seen->text, "allowed: "));
}

#define tty_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		tty_test(an_answer_that_counts_is_shown),
		tty_test(one_that_came_too_late_is_not_said_to_count),
		tty_test(one_that_cannot_be_stored_is_a_no_and_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
