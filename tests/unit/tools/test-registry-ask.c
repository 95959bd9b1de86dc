/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for an answer, and calls beside each other: who is asked, what is
 * withdrawn, and that nobody waits for somebody else's question. */

#include "registry-rig.h"
#include "engine/questions.h"
#include "first-question.h"

/* -- who is asked ------------------------------------------------------------------------ */

static void
asks_the_caller_where_it_can(void **state)
{
	struct rig *rig = *state;
	struct ambit_call_options options = {
		.cancel = -1, .ask = ask_caller, .approver = "caller", .data = rig
	};
	char args[1024], path[800];

	start(rig, NULL, false);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(args, sizeof(args), "{\"path\":\"%s\"}", path);
	rig->answer.kind = AMBIT_NO;
	refuses_with(rig, "stamp", args, &options, AMBIT_CODE_DENIED, "the answer was no");
	assert_false(exists(path));
	rig->answer.kind = AMBIT_ONCE;
	struct ambit_result result = call_with(rig, "stamp", args, &options);

	assert_false(result.failed);
	assert_string_equal(world_read(path), "made");
	assert_int_equal(rig->asked, 2);
	ambit_result_finish(&result);
}

static void
gives_the_question_back_when_the_answer_comes_later(void **state)
{
	struct rig *rig = *state;
	struct ambit_call_options options = { .cancel = -1, .ask = ask_caller, .data = rig };
	char args[1024], path[800];

	start(rig, NULL, false);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(args, sizeof(args), "{\"path\":\"%s\"}", path);
	rig->ask_fails = -EINPROGRESS;
	struct ambit_result result = call_with(rig, "stamp", args, &options);

	assert_true(result.failed);
	assert_non_null(result.question);
	assert_non_null(strstr(result.question->what, path));
	assert_true(result.question->n_choices > 2);
	assert_false(exists(path));
	ambit_result_finish(&result);
	/* Nothing waits: the next call has a question of its own. */
	assert_null(first_question(rig->engine));
	rig->ask_fails = 0;
	result = call_with(rig, "stamp", args, &options);
	assert_false(result.failed);
	ambit_result_finish(&result);
}

static void
refuses_when_the_question_cannot_be_put(void **state)
{
	struct rig *rig = *state;
	char args[1024], path[800];

	start(rig, NULL, true);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(args, sizeof(args), "{\"path\":\"%s\"}", path);
	rig->ask_fails = -ETIMEDOUT;
	refuses(rig, "stamp", args, AMBIT_CODE_TIMEOUT, "outside");
	rig->ask_fails = -EIO;
	refuses(rig, "stamp", args, AMBIT_CODE_OUTSIDE, "outside");
	rig->ask_fails = 0;
	rig->answer.kind = (enum ambit_answer_kind)77;
	refuses(rig, "stamp", args, AMBIT_CODE_OUTSIDE, "outside");
	assert_false(exists(path));
}

/* -- side by side ---------------------------------------------------------------------------- */

static void *
many_calls(void *data)
{
	struct job *job = data;

	for (int i = 0; i < 50; i++) {
		struct ambit_result result;
		char args[128];

		snprintf(args, sizeof(args), "{\"path\":\"%.20s/%d\"}", job->args, i);
		if (ambit_registry_call(
			    job->rig->registry, "stamp", args, strlen(args), NULL, &result) < 0 ||
			result.failed)
			abort();
		ambit_result_finish(&result);
	}
	return NULL;
}

static void
runs_calls_side_by_side(void **state)
{
	struct rig *rig = *state;
	struct job jobs[8] = { 0 };
	char path[64];

	start(rig, NULL, false);
	for (int i = 0; i < 8; i++) {
		jobs[i].rig = rig;
		snprintf(jobs[i].args, sizeof(jobs[i].args), "d%d", i);
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, many_calls, &jobs[i]), 0);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(jobs[i].thread, NULL);
	for (int i = 0; i < 8; i++)
		for (int n = 0; n < 50; n++) {
			snprintf(path, sizeof(path), "d%d/%d", i, n);
			assert_string_equal(world_read(path), "made");
		}
}

static void
goes_on_while_a_question_is_open(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	char path[800];

	start(rig, "{\"loop_limit\":0}", true);
	rig->go = eventfd(0, EFD_CLOEXEC);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(job.args, sizeof(job.args), "{\"path\":\"%s\"}", path);
	begin_job(&job, rig, "stamp", -1);
	wait_readable(rig->entered, -1);
	for (int i = 0; i < 10; i++)
		succeeds(rig, "look", "{}", "looked");
	succeeds(rig, "stamp", "{\"path\":\"inside\"}", NULL);
	assert_false(exists(path));
	eventfd_write(rig->go, 1);
	pthread_join(job.thread, NULL);
	assert_false(job.result.failed);
	assert_string_equal(world_read(path), "made");
	assert_int_equal(rig->asked, 1);
	ambit_result_finish(&job.result);
	close(rig->go);
}

/* Two ask the same: one question. Two ask different things: one after the other. */
static void
asks_once_for_the_same_and_in_turn_for_the_rest(void **state)
{
	struct rig *rig = *state;
	struct job same[3] = { 0 }, other = { 0 };
	char path[800];

	start(rig, NULL, true);
	rig->answer.kind = AMBIT_FILE;
	rig->go = eventfd(0, EFD_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		snprintf(same[i].args, sizeof(same[i].args), "{\"path\":\"%s/f\"}", rig->w.out);
		begin_job(&same[i], rig, "stamp", -1);
	}
	wait_readable(rig->entered, -1);
	snprintf(other.args, sizeof(other.args), "{\"path\":\"%s/g\"}", rig->w.out);
	begin_job(&other, rig, "stamp", -1);
	eventfd_write(rig->go, 1);
	for (int i = 0; i < 3; i++) {
		pthread_join(same[i].thread, NULL);
		/* Of those that make one file at the same time, one does. */
		ambit_result_finish(&same[i].result);
	}
	pthread_join(other.thread, NULL);
	assert_false(other.result.failed);
	ambit_result_finish(&other.result);
	assert_int_equal(rig->asked, 2);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	assert_string_equal(world_read(path), "made");
	close(rig->go);
}

static void
withdraws_a_question_with_its_call(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	int cancel = eventfd(0, EFD_CLOEXEC);
	char path[800];

	start(rig, NULL, true);
	rig->go = eventfd(0, EFD_CLOEXEC);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(job.args, sizeof(job.args), "{\"path\":\"%s\"}", path);
	begin_job(&job, rig, "stamp", cancel);
	wait_readable(rig->entered, -1);
	eventfd_write(cancel, 1);
	pthread_join(job.thread, NULL);
	assert_true(job.result.failed);
	assert_true(job.result.cancelled);
	assert_false(exists(path));
	assert_null(first_question(rig->engine));
	ambit_result_finish(&job.result);
	close(cancel);
	close(rig->go);
}

/* Answered beside the registry, by a door that holds its lock. */
static void
hears_of_an_answer_from_elsewhere(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	const struct ambit_question *question;
	char path[800];

	start(rig, NULL, true);
	rig->go = eventfd(0, EFD_CLOEXEC);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(job.args, sizeof(job.args), "{\"path\":\"%s\"}", path);
	begin_job(&job, rig, "stamp", -1);
	wait_readable(rig->entered, -1);
	ambit_registry_lock(rig->registry);
	question = first_question(rig->engine);
	assert_non_null(question);
	assert_int_equal(engine_answer(rig->engine, question->id,
				 &(struct ambit_answer){ .kind = AMBIT_ONCE }, "door", NULL),
		0);
	ambit_registry_unlock(rig->registry);
	pthread_join(job.thread, NULL);
	assert_false(job.result.failed);
	assert_string_equal(world_read(path), "made");
	ambit_result_finish(&job.result);
	close(rig->go);
}

static void
withdraw_caller(void *data, uint64_t question, const char *how)
{
	struct rig *rig = data;

	(void)question, (void)how;
	eventfd_write(rig->cancelled, 1);
}

/* The call's own asker hears of that, too. */
static void
withdraws_from_the_caller_what_was_answered_elsewhere(void **state)
{
	struct rig *rig = *state;
	struct job job = { .rig = rig,
		.tool = "stamp",
		.options = { .cancel = -1,
			.ask = ask_caller,
			.withdraw = withdraw_caller,
			.data = rig } };
	const struct ambit_question *question;
	char path[800];

	start(rig, NULL, false);
	rig->go = eventfd(0, EFD_CLOEXEC);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(job.args, sizeof(job.args), "{\"path\":\"%s\"}", path);
	assert_int_equal(pthread_create(&job.thread, NULL, do_job, &job), 0);
	wait_readable(rig->entered, -1);
	ambit_registry_lock(rig->registry);
	question = first_question(rig->engine);
	assert_non_null(question);
	assert_int_equal(engine_answer(rig->engine, question->id,
				 &(struct ambit_answer){ .kind = AMBIT_ONCE }, "door", NULL),
		0);
	ambit_registry_unlock(rig->registry);
	pthread_join(job.thread, NULL);
	assert_false(job.result.failed);
	assert_string_equal(world_read(path), "made");
	ambit_result_finish(&job.result);
	close(rig->go);
}

/* What lies there became another thing while the person was shown the first; what is
 * said to that is no answer to the second. */
static void
takes_no_answer_for_another_question(void **state)
{
	struct rig *rig = *state;
	struct job job = { 0 };
	const struct ambit_question *question;
	char path[800], other[800];

	start(rig, NULL, true);
	rig->approver.cancel = NULL;
	rig->go = eventfd(0, EFD_CLOEXEC);
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	snprintf(other, sizeof(other), "%s/g", rig->w.out);
	snprintf(job.args, sizeof(job.args), "{\"path\":\"%s\"}", path);
	begin_job(&job, rig, "stamp", -1);
	wait_readable(rig->entered, -1);
	ambit_registry_lock(rig->registry);
	question = first_question(rig->engine);
	assert_non_null(question);
	world_link("g", path);
	assert_int_equal(engine_answer(rig->engine, question->id,
				 &(struct ambit_answer){ .kind = AMBIT_ONCE }, "door", NULL),
		0);
	ambit_registry_unlock(rig->registry);
	assert_false(exists(other));
	eventfd_write(rig->go, 1);
	pthread_join(job.thread, NULL);
	assert_int_equal(rig->asked, 2);
	assert_false(job.result.failed);
	assert_string_equal(world_read(other), "made");
	ambit_result_finish(&job.result);
	close(rig->go);
}

static void
tells_a_tool_that_it_is_cancelled(void **state)
{
	struct rig *rig = *state;
	struct job job = { .args = "{}" };
	int cancel = eventfd(0, EFD_CLOEXEC);

	start(rig, NULL, false);
	begin_job(&job, rig, "linger", cancel);
	wait_readable(running, -1);
	succeeds(rig, "look", "{}", "looked");
	eventfd_write(cancel, 1);
	pthread_join(job.thread, NULL);
	assert_true(job.result.failed);
	assert_true(job.result.cancelled);
	ambit_result_finish(&job.result);
	close(cancel);
}

/* -- on the way ------------------------------------------------------------------------------- */

static void
decides_about_hosts_on_the_way(void **state)
{
	struct rig *rig = *state;

	start(rig, "{\"net\":\"ask\"}", true);
	succeeds(rig, "hop", "{}", "arrived");
	assert_int_equal(rig->asked, 1);
	assert_non_null(strstr(rig->what, "far.example:443"));
	rig->answer.kind = AMBIT_NO;
	refuses(rig, "hop", "{}", AMBIT_CODE_DENIED, "far.example");
	refuses(rig, "hop_nowhere", "{}", AMBIT_CODE_BAD_ARGUMENTS, "no host");
}

static void
refuses_hosts_where_there_is_no_network(void **state)
{
	struct rig *rig = *state;

	start(rig, "{\"net\":\"none\"}", true);
	refuses(rig, "hop", "{}", AMBIT_CODE_HOST_NOT_ALLOWED, "far.example");
	assert_int_equal(rig->asked, 0);
}

static void
puts_questions_that_are_not_its_own(void **state)
{
	struct rig *rig = *state;
	struct ambit_call_options options = { .cancel = -1, .ask = ask_caller, .data = rig };
	struct ambit_result result;

	start(rig, NULL, true);
	succeeds(rig, "cross", "{}", "yes");
	assert_string_equal(rig->what, "write /elsewhere");
	rig->ask_fails = -EINPROGRESS;
	refuses_with(rig, "cross", "{}", &options, AMBIT_CODE_DENIED, "cannot wait");
	rig->ask_fails = 0;
	result = call_with(rig, "cross", "{}", &options);
	assert_string_equal(result.text, "yes");
	ambit_result_finish(&result);
	/* Both are asked at once, the caller and the approver. */
	assert_true(rig->asked >= 3);
}

/* A call that waits for its turn at the approver can be cancelled there. */
static void
ends_while_it_waits_for_its_turn(void **state)
{
	struct rig *rig = *state;
	struct job first = { .args = "{}" }, second = { .args = "{}" };
	int cancel = eventfd(0, EFD_CLOEXEC);

	start(rig, NULL, true);
	rig->go = eventfd(0, EFD_CLOEXEC);
	begin_job(&first, rig, "cross", -1);
	wait_readable(rig->entered, -1);
	begin_job(&second, rig, "cross", cancel);
	eventfd_write(cancel, 1);
	pthread_join(second.thread, NULL);
	assert_true(second.result.cancelled);
	eventfd_write(rig->go, 1);
	pthread_join(first.thread, NULL);
	assert_false(first.result.failed);
	assert_int_equal(rig->asked, 1);
	ambit_result_finish(&first.result);
	ambit_result_finish(&second.result);
	close(cancel);
	close(rig->go);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(asks_the_caller_where_it_can),
		TEST(gives_the_question_back_when_the_answer_comes_later),
		TEST(refuses_when_the_question_cannot_be_put),
		TEST(runs_calls_side_by_side),
		TEST(goes_on_while_a_question_is_open),
		TEST(asks_once_for_the_same_and_in_turn_for_the_rest),
		TEST(withdraws_a_question_with_its_call),
		TEST(hears_of_an_answer_from_elsewhere),
		TEST(withdraws_from_the_caller_what_was_answered_elsewhere),
		TEST(takes_no_answer_for_another_question),
		TEST(tells_a_tool_that_it_is_cancelled),
		TEST(decides_about_hosts_on_the_way),
		TEST(refuses_hosts_where_there_is_no_network),
		TEST(puts_questions_that_are_not_its_own),
		TEST(ends_while_it_waits_for_its_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
