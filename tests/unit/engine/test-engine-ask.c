/* SPDX-License-Identifier: Apache-2.0 */
/* Several questions of one engine at once: each is answered as it was shown, in any
 * order, and an answer is taken for nothing that was not. */

#include "engine-rig.h"

#include "ask/question-copy.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/questions.h"
#include "request/request-private.h"
#include "first-question.h"

static int
open_started(void **state)
{
	engine_rig_open(state);
	engine_rig_start(*state, NULL, NULL);
	return 0;
}

/* A write of T/out/name that waits. */
static uint64_t
submit_call(struct engine_rig *rig, const char *tool, const char *args, uint64_t origin)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;

	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, NULL), 0);
	request->origin = origin;
	assert_int_equal(engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL), 1);
	return ticket;
}

static uint64_t
submit(struct engine_rig *rig, const char *name)
{
	char args[1024];

	snprintf(args, sizeof(args), "{\"file_path\":\"%s/%s\"}", rig->w.out, name);
	return submit_call(rig, "write", args, 0);
}

/* The id of the ticket's question, which is about name; 0: none. */
static uint64_t
question_of(struct engine_rig *rig, uint64_t ticket, const char *name)
{
	struct ambit_question question = { 0 };
	uint64_t id = 0;

	if (copy_question(rig->engine, ticket, &question) == 1) {
		id = question.id;
		assert_true(id != 0);
		if (!strstr(question.what, name))
			fail_msg("'%s' is not about %s", question.what, name);
	}
	question_finish(&question);
	return id;
}

static int
answer(struct engine_rig *rig, uint64_t question, enum ambit_answer_kind kind)
{
	return engine_answer(
		rig->engine, question, &(struct ambit_answer){ .kind = kind }, "test", NULL);
}

/* The ticket's end: its verdict, or -EAGAIN. */
static int
collect(struct engine_rig *rig, uint64_t ticket)
{
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	int r = engine_collect(rig->engine, ticket, &outcome, &permit, NULL);

	if (r == 0) {
		r = (int)outcome.verdict;
		assert_int_equal(permit != NULL, r == AMBIT_ALLOW);
	}
	ambit_permit_finish(permit, 0, NULL);
	ambit_outcome_finish(&outcome);
	return r;
}

static void
answers_come_in_any_order(void **state)
{
	struct engine_rig *rig = *state;
	uint64_t a = submit(rig, "a"), b = submit(rig, "b"), c = submit(rig, "c");
	uint64_t qa = question_of(rig, a, "/a"), qb = question_of(rig, b, "/b");
	uint64_t qc = question_of(rig, c, "/c");

	assert_true(qa != qb && qb != qc && qa != qc);
	/* The same one until it is answered; and the first is whose turn it is. */
	assert_int_equal(question_of(rig, a, "/a"), qa);
	assert_int_equal(first_question(rig->engine)->id, qa);
	assert_int_equal(answer(rig, qc, AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, c), AMBIT_ALLOW);
	assert_int_equal(collect(rig, a), -EAGAIN);
	assert_int_equal(answer(rig, qc, AMBIT_ONCE), -ENOENT);
	assert_int_equal(answer(rig, qb, AMBIT_NO), 0);
	assert_int_equal(collect(rig, b), AMBIT_DENY);
	assert_int_equal(answer(rig, qa, AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, a), AMBIT_ALLOW);
	assert_null(first_question(rig->engine));
	assert_int_equal(question_of(rig, a, ""), 0);
}

static void
those_who_ask_the_same_share_a_question(void **state)
{
	struct engine_rig *rig = *state;
	uint64_t first = submit(rig, "a"), second = submit(rig, "a"), third = submit(rig, "a");
	uint64_t id = question_of(rig, third, "/a");

	assert_int_equal(question_of(rig, first, "/a"), id);
	assert_int_equal(question_of(rig, second, "/a"), id);
	/* The one whose it was leaves: the others have another. */
	engine_withdraw(rig->engine, first);
	assert_int_equal(answer(rig, id, AMBIT_ONCE), -ENOENT);
	id = question_of(rig, third, "/a");
	assert_true(id != 0);
	assert_int_equal(answer(rig, id, AMBIT_ONCE), 0);
	/* Once is the one that was shown: who wants the same again is asked again. */
	assert_int_equal(collect(rig, second), AMBIT_ALLOW);
	assert_int_equal(collect(rig, third), -EAGAIN);
	id = question_of(rig, third, "/a");
	assert_int_equal(answer(rig, id, AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, third), AMBIT_ALLOW);
}

/* Each about the same path: what the person reads is one of them. */
static void
other_words_are_another_question(void **state)
{
	struct engine_rig *rig = *state;
	char plain[1024], evil[1024], copy[1024];
	uint64_t tickets[3];

	snprintf(plain, sizeof(plain), "{\"file_path\":\"%s/a\",\"content\":\"1\"}", rig->w.out);
	snprintf(evil, sizeof(evil), "{\"file_path\":\"%s/a\",\"content\":\"2\"}", rig->w.out);
	snprintf(copy, sizeof(copy), "{\"src\":\"b\",\"dst\":\"%s/a\"}", rig->w.out);
	world_file("b", "");
	tickets[0] = submit_call(rig, "write", plain, 0);
	tickets[1] = submit_call(rig, "write", evil, 0);
	tickets[2] = submit_call(rig, "copy", copy, 0);
	assert_int_equal(answer(rig, question_of(rig, tickets[0], "/a"), AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, tickets[0]), AMBIT_ALLOW);
	assert_int_equal(collect(rig, tickets[1]), -EAGAIN);
	assert_int_equal(collect(rig, tickets[2]), -EAGAIN);
	/* Nor is a no to one of them a no to another. */
	assert_int_equal(answer(rig, question_of(rig, tickets[1], "/a"), AMBIT_NO), 0);
	assert_int_equal(collect(rig, tickets[1]), AMBIT_DENY);
	assert_int_equal(collect(rig, tickets[2]), -EAGAIN);
	engine_withdraw(rig->engine, tickets[2]);
}

/* Commands with one rule key between them are two commands. */
static void
a_rule_key_is_no_question(void **state)
{
	struct engine_rig *rig = *state;
	uint64_t one = submit_call(rig, "bash", "{\"command\":\"git push here\"}", 0);
	uint64_t other = submit_call(rig, "bash", "{\"command\":\"git push there\"}", 0);

	assert_int_equal(answer(rig, question_of(rig, one, "here"), AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, one), AMBIT_ALLOW);
	assert_int_equal(collect(rig, other), -EAGAIN);
	assert_int_equal(answer(rig, question_of(rig, other, "there"), AMBIT_NO), 0);
	assert_int_equal(collect(rig, other), AMBIT_DENY);
}

/* What one hears does not end another's call. */
static void
another_who_asks_the_same_has_his_own_question(void **state)
{
	struct engine_rig *rig = *state;
	char args[1024];
	uint64_t mine, yours;

	snprintf(args, sizeof(args), "{\"file_path\":\"%s/a\"}", rig->w.out);
	mine = submit_call(rig, "write", args, 1);
	yours = submit_call(rig, "write", args, 2);
	assert_int_equal(
		engine_decline(rig->engine, question_of(rig, mine, "/a"), EPIPE, "gone"), 0);
	assert_int_equal(collect(rig, mine), AMBIT_DENY);
	assert_int_equal(collect(rig, yours), -EAGAIN);
	assert_int_equal(answer(rig, question_of(rig, yours, "/a"), AMBIT_ONCE), 0);
	assert_int_equal(collect(rig, yours), AMBIT_ALLOW);
}

/* One answer lets through what it covers, though that was shown as a question too. */
static void
an_answer_settles_what_it_covers(void **state)
{
	struct engine_rig *rig = *state;
	uint64_t a = submit(rig, "a"), b = submit(rig, "b");
	uint64_t qa = question_of(rig, a, "/a"), qb = question_of(rig, b, "/b");

	assert_int_equal(answer(rig, qa, AMBIT_FOLDER), 0);
	assert_int_equal(collect(rig, a), AMBIT_ALLOW);
	assert_int_equal(collect(rig, b), AMBIT_ALLOW);
	assert_int_equal(answer(rig, qb, AMBIT_NO), -ENOENT);
}

/* While the person reads "a", the link is made to lead to "b". A yes is for "a": it
 * stores nothing about "b", and lets nothing through to it. */
static void
a_yes_is_for_what_was_shown(void **state)
{
	struct engine_rig *rig = *state;
	char link[800], target[800];
	uint64_t first, second, other, id;

	snprintf(link, sizeof(link), "%s/link", rig->w.out);
	snprintf(target, sizeof(target), "%s/a", rig->w.out);
	world_file(target, "");
	world_link(target, link);
	first = submit(rig, "link");
	second = submit(rig, "link");
	other = submit(rig, "other");
	id = question_of(rig, first, "/link");
	assert_true(question_of(rig, other, "/other") != id);
	assert_int_equal(unlink(link), 0);
	snprintf(target, sizeof(target), "%s/b", rig->w.out);
	world_file(target, "");
	world_link(target, link);
	/* Another answer has every ticket looked at again. */
	assert_int_equal(answer(rig, question_of(rig, other, "/other"), AMBIT_NO), 0);
	assert_int_equal(answer(rig, id, AMBIT_FILE), 0);
	assert_int_equal(collect(rig, first), -EAGAIN);
	assert_int_equal(collect(rig, second), -EAGAIN);
	/* It is asked about anew, as what it is now. */
	id = question_of(rig, first, "/link");
	assert_true(id != 0);
	assert_int_equal(answer(rig, id, AMBIT_NO), 0);
	assert_int_equal(collect(rig, first), AMBIT_DENY);
	assert_int_equal(collect(rig, second), AMBIT_DENY);
}

static void
declined_is_refused_for_all(void **state)
{
	struct engine_rig *rig = *state;
	uint64_t a = submit(rig, "a"), b = submit(rig, "a"), c = submit(rig, "c");
	uint64_t id = question_of(rig, b, "/a");

	assert_int_equal(engine_decline(rig->engine, id, ETIMEDOUT, "no answer"), 0);
	assert_int_equal(collect(rig, a), AMBIT_DENY);
	assert_int_equal(collect(rig, b), AMBIT_DENY);
	assert_int_equal(collect(rig, c), -EAGAIN);
	engine_withdraw(rig->engine, c);
	assert_null(first_question(rig->engine));
}

/* However long it takes until it is shown: what is shown is when it ends, 300 s after
 * it was asked. */
static void
a_question_says_when_it_ends(void **state)
{
	struct engine_rig *rig = *state;
	int64_t after, limit = 300 * 1000;
	const struct ambit_question *question;
	uint64_t ticket;

	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"question_timeout\":300}", NULL);
	ticket = submit(rig, "a");
	after = clock_now();
	while (clock_now() < after + 20)
		usleep(1000);
	question = first_question(rig->engine);
	assert_non_null(question);
	assert_true(question->expires > 0 && question->expires <= after + limit);
	engine_withdraw(rig->engine, ticket);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_started, engine_rig_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(answers_come_in_any_order),
		TEST(those_who_ask_the_same_share_a_question),
		TEST(other_words_are_another_question),
		TEST(a_rule_key_is_no_question),
		TEST(another_who_asks_the_same_has_his_own_question),
		TEST(an_answer_settles_what_it_covers),
		TEST(a_yes_is_for_what_was_shown),
		TEST(declined_is_refused_for_all),
		TEST(a_question_says_when_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
