/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about the worth of a judge's yes: it is for one call, never above a person's no, and
 * calls beside each other do not share it. */

#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "base/fd.h"
#include "engine/questions.h"
#include "request/request-object.h"
#include "judge-rig.h"
#include "first-question.h"

/* -- what a yes is worth ----------------------------------------------------------------- */

/* Puts a judge's answer to the question of this request, as if it had come by a wire. */
static int
force(struct rig *rig, struct ambit_request *request, enum ambit_answer_kind kind,
	struct ambit_outcome *ret_outcome)
{
	struct ambit_permit *permit = NULL;
	struct ambit_question question = { 0 };
	struct ambit_answer answer = { .kind = kind, .judge = true };
	uint64_t ticket = 0;
	int r;

	assert_int_equal(
		engine_submit(rig->engine, request, ret_outcome, &permit, &ticket, NULL), 1);
	assert_int_equal(copy_question(rig->engine, ticket, &question), 1);
	r = engine_answer(rig->engine, question.id, &answer, "person", NULL);
	if (r < 0)
		engine_decline(rig->engine, question.id, r, "not his");
	assert_int_equal(engine_collect(rig->engine, ticket, ret_outcome, &permit, NULL), 0);
	if (permit)
		ambit_permit_finish(permit, 0, NULL);
	question_finish(&question);
	return r;
}

static void
the_engine_takes_no_more_from_him(void **state)
{
	struct rig *rig = *state;
	struct ambit_outcome outcome;
	char path[800], guard[800];

	start(rig, NULL, false);
	snprintf(path, sizeof(path), "%s/x", rig->w.out);
	snprintf(guard, sizeof(guard), "%s/.envrc", rig->w.root);
	assert_int_equal(force(rig, crossing(guard, "/bin/sed"), AMBIT_ONCE, &outcome), -EPERM);
	assert_int_equal(outcome.verdict, AMBIT_DENY);
	ambit_outcome_finish(&outcome);
	assert_int_equal(force(rig, crossing(path, "/bin/sed"), AMBIT_FOLDER, &outcome), -EPERM);
	ambit_outcome_finish(&outcome);
	assert_int_equal(force(rig, crossing(path, "/bin/sed"), AMBIT_ALWAYS, &outcome), -EPERM);
	ambit_outcome_finish(&outcome);
	assert_int_equal(force(rig, crossing(path, "/bin/sed"), AMBIT_ONCE, &outcome), 0);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	assert_int_equal(recorded(rig).judge, 1);
	assert_int_equal(recorded(rig).others, 0);
}

/* A person's "once" is the directory, until the process ends; a judge has seen one call. */
static void
his_yes_is_for_that_call(void **state)
{
	const struct path_facts dir = { .access = AMBIT_ACCESS_MKDIR, .plain = true };
	struct rig *rig = *state;
	struct ambit_request *request;
	struct ambit_outcome outcome;
	char path[800];

	start(rig, NULL, false);
	snprintf(path, sizeof(path), "%s/x", rig->w.out);
	assert_int_equal(force(rig, call_of(dir, path, "x", "/bin/x", 1), AMBIT_ONCE, &outcome), 0);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++) {
		request = call_of(doings[i].object, path, "x", "/bin/x", 1);
		assert_int_equal(ambit_engine_decide(rig->engine, request, &outcome, NULL), 0);
		assert_int_equal(outcome.verdict, AMBIT_ASK);
		ambit_outcome_finish(&outcome);
		ambit_request_destroy(request);
	}
}

/* Two threads of one process wait at the same path: to write it, and to make it run. */
static void
nor_for_one_that_waits_beside_it(void **state)
{
	const struct path_facts mode = { .access = AMBIT_ACCESS_WRITE };
	struct rig *rig = *state;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	uint64_t beside = 0;
	char path[800];

	start(rig, NULL, false);
	snprintf(path, sizeof(path), "%s/x", rig->w.out);
	assert_int_equal(engine_submit(rig->engine, call_of(mode, path, "x", "/bin/x", 1), &outcome,
				 &permit, &beside, NULL),
		1);
	assert_int_equal(force(rig, crossing(path, "/bin/x"), AMBIT_ONCE, &outcome), 0);
	ambit_outcome_finish(&outcome);
	assert_int_equal(engine_collect(rig->engine, beside, &outcome, &permit, NULL), -EAGAIN);
	engine_withdraw(rig->engine, beside);
}

/* Who was refused by the person finds no other judge by trying again. */
static void
a_persons_no_is_not_overruled(void **state)
{
	struct rig *rig = *state;
	char rest[1024];

	/* He fails at first, so that the person is asked; then he would say yes. */
	snprintf(rest, sizeof(rest), "[ $(wc -l <%s/heard) -gt 1 ] || exit 1; " ALLOW, rig->w.top);
	start_with(rig, rest, "", true);
	rig->answer.kind = AMBIT_NO;
	refuses(rig, "stamp", write_args(rig, "f"), AMBIT_CODE_DENIED, "the answer was no");
	assert_int_equal(ask_crossing(rig, "f", "sed"), 1);
	assert_int_equal(ask_crossing(rig, "other", "another"), 1);
	assert_int_equal(ask_crossing(rig, "sub/g", "sed"), 1);
	assert_int_equal(times_asked(), 1);
	/* Elsewhere he has his say. */
	snprintf(rest, sizeof(rest), "%s/g", rig->w.top);
	assert_int_equal(ask(rig, crossing(rest, "sed")), 0);
	assert_int_equal(times_asked(), 2);
}

/* So many that he does not know them apart any more. */
static void
after_many_he_has_no_say(void **state)
{
	struct rig *rig = *state;
	struct ambit_question question = { 0 };

	start_with(rig, ALLOW, "", true);
	assert_int_equal(ask_crossing(rig, "f", "sed"), 0);
	for (int i = 0; i < 70; i++) {
		char text[100];

		snprintf(text, sizeof(text),
			"{\"paths\":[{\"path\":\"/some/%d/x\",\"outside\":true}]}", i);
		question.judge = text;
		judge_overrule(rig->judge, &question);
	}
	assert_int_equal(ask_crossing(rig, "f", "sed"), 1);
	judge_overrule(NULL, &question);
}

/* -- side by side ------------------------------------------------------------------------- */

static void
begin(struct job *job, struct rig *rig, const char *name, int cancel)
{
	snprintf(job->args, sizeof(job->args), "%s", write_args(rig, name));
	begin_job(job, rig, "stamp", cancel);
}

static void
a_cancelled_call_ends_him(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	auto_close int cancel = eventfd(0, EFD_CLOEXEC);
	char go[900], rest[1024];

	snprintf(go, sizeof(go), "%s/go", rig->w.top);
	assert_int_equal(mkfifo(go, 0600), 0);
	snprintf(rest, sizeof(rest), "echo >%s; exec sleep 600", go);
	start_with(rig, rest, "", true);
	begin(&job, rig, "f", cancel);
	/* Opens when he is at it. */
	auto_close int at_it = open(go, O_RDONLY | O_CLOEXEC);
	assert_true(at_it >= 0);
	eventfd_write(cancel, 1);
	pthread_join(job.thread, NULL);
	assert_true(job.result.cancelled);
	assert_int_equal(rig->asked, 0);
	ambit_result_finish(&job.result);
}

static void
while_he_thinks_other_calls_go_on(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	char go[900], at[900], rest[2048];

	snprintf(at, sizeof(at), "%s/at", rig->w.top);
	snprintf(go, sizeof(go), "%s/go", rig->w.top);
	assert_int_equal(mkfifo(at, 0600), 0);
	assert_int_equal(mkfifo(go, 0600), 0);
	snprintf(rest, sizeof(rest), "echo >%s; read x <%s; " ALLOW, at, go);
	start_with(rig, rest, "", true);
	begin(&job, rig, "f", -1);
	auto_close int at_it = open(at, O_RDONLY | O_CLOEXEC);
	assert_true(at_it >= 0);
	succeeds(rig, "stamp", "{\"path\":\"inside\"}", NULL);
	succeeds(rig, "look", "{}", "looked");
	auto_close int let_go = open(go, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(let_go, "\n", 1), 1);
	pthread_join(job.thread, NULL);
	assert_false(job.result.failed);
	assert_int_equal(rig->asked, 0);
	ambit_result_finish(&job.result);
}

/* By him, or past so many at once by the person. */
static void
many_at_once_are_each_settled(void **state)
{
	struct rig *rig = *state;
	struct job jobs[16] = { 0 };
	char name[16], path[800];

	start_with(rig, ALLOW, "", true);
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "f%d", i % 8);
		snprintf(path, sizeof(path), "%s/%s", rig->w.out, name);
		world_file(path, "");
		begin(&jobs[i], rig, name, -1);
	}
	for (int i = 0; i < 16; i++) {
		pthread_join(jobs[i].thread, NULL);
		if (jobs[i].result.failed)
			fail_msg("%d: %s", i, jobs[i].result.text);
		ambit_result_finish(&jobs[i].result);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_RIG(the_engine_takes_no_more_from_him),
		IN_RIG(his_yes_is_for_that_call),
		IN_RIG(nor_for_one_that_waits_beside_it),
		IN_RIG(a_persons_no_is_not_overruled),
		IN_RIG(after_many_he_has_no_say),
		IN_RIG(a_cancelled_call_ends_him),
		IN_RIG(while_he_thinks_other_calls_go_on),
		IN_RIG(many_at_once_are_each_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
