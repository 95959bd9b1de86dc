/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/decide/once.c, temporary.c and lib/engine/engine-once.c: what the answer "once"
 * to a call of a process covers of its next calls, and what it stores. The test tells what a
 * process made, in place of the supervisor. */
#include <unistd.h>

#include "ask/question-copy.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "decide/temporary.h"
#include "engine/questions.h"
#include "request/request-private.h"
#include "engine-line-rig.h"
#include "first-question.h"

struct process {
	pid_t pid;
	uint64_t start;
	uint64_t image;
	ino_t exe; /* 0: what it runs is not known */
};

static const struct process sed = { 100, 7, 4096, 12 };

/* As a supervisor sees an ordinary call: nothing but a file, or what the process made. */
static struct path_facts
plain(enum ambit_access access, const char *real)
{
	struct path_facts o = object(access, real);

	o.fresh = true;
	return o;
}

static struct path_facts
made(enum ambit_access access, const char *real)
{
	struct path_facts o = plain(access, real);

	assert_true(o.exists);
	o.made = true;
	return o;
}

static uint64_t
submit(struct engine_rig *rig, const struct process *who, const struct path_facts *objects,
	size_t n, bool *ret_once)
{
	struct ambit_request *request = request_of(objects, n);
	struct ambit_permit *permit = NULL;
	struct ambit_outcome outcome;
	uint64_t ticket = 0;
	int r;

	assert_int_equal(ambit_request_set_who(request, who->pid, who->start, "sed", NULL), 0);
	request_set_image(request, who->image);
	if (who->exe)
		assert_int_equal(request_set_exe(request, "/bin/sed", 5, who->exe), 0);
	r = engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL);
	assert_true(r == 1 || (outcome.verdict == AMBIT_ALLOW && permit));
	if (ret_once)
		*ret_once = permit_is_once(permit);
	ambit_outcome_finish(&outcome);
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	return r == 1 ? ticket : 0;
}

/* The decision alone; nothing follows from it. */
static enum ambit_verdict
look(struct engine_rig *rig, const struct process *who, const struct path_facts *objects, size_t n)
{
	struct ambit_request *request = request_of(objects, n);
	struct ambit_outcome outcome;
	enum ambit_verdict verdict;

	assert_int_equal(ambit_request_set_who(request, who->pid, who->start, "sed", NULL), 0);
	request_set_image(request, who->image);
	assert_int_equal(request_set_exe(request, "/bin/sed", 5, who->exe), 0);
	engine_decide(rig->engine, request, NULL, false, &outcome, NULL);
	verdict = outcome.verdict;
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return verdict;
}

/* Whether it goes on without a question. */
static bool
goes_on(struct engine_rig *rig, const struct process *who, const struct path_facts *objects,
	size_t n)
{
	uint64_t ticket = submit(rig, who, objects, n, NULL);

	if (ticket)
		engine_withdraw(rig->engine, ticket);
	return ticket == 0;
}

static bool
one_goes_on(struct engine_rig *rig, struct path_facts o)
{
	return goes_on(rig, &sed, &o, 1);
}

/* A made file is renamed over what lies there, or to a new name. */
static bool
may_rename(struct engine_rig *rig, const char *from, const char *to)
{
	struct path_facts o[] = { made(AMBIT_ACCESS_DELETE, from),
		plain(AMBIT_ACCESS_REPLACE, to) };

	return goes_on(rig, &sed, o, 2);
}

/* Slow machines are not what is tested here. */
static void
last_longer(struct engine_rig *rig)
{
	for (size_t i = 0; i < rig->engine->n_once; i++)
		rig->engine->once[i].until = clock_steady() + 600000;
}

static void
answer(struct engine_rig *rig, uint64_t ticket, enum ambit_answer_kind kind)
{
	struct ambit_answer said = { .kind = kind };
	struct ambit_question question;
	struct ambit_error err = { 0 };

	assert_int_equal(copy_question(rig->engine, ticket, &question), 1);
	if (engine_answer(rig->engine, question.id, &said, "test", &err) < 0)
		fail_msg("answer: %s", err.text);
	question_finish(&question);
	last_longer(rig);
}

/* The permit of a ticket that was answered; NULL: not yet, or a no. */
static struct ambit_permit *
take_permit(struct engine_rig *rig, uint64_t ticket, enum ambit_verdict *ret_verdict)
{
	struct ambit_permit *permit = NULL;
	struct ambit_outcome outcome;
	int r = engine_collect(rig->engine, ticket, &outcome, &permit, NULL);

	*ret_verdict = r == -EAGAIN ? AMBIT_ASK : outcome.verdict;
	ambit_outcome_finish(&outcome);
	return permit;
}

/* The call is done, or fails so. */
static void
perform(struct engine_rig *rig, struct ambit_permit *permit, int result)
{
	engine_once_begin(permit);
	assert_int_equal(ambit_permit_finish(permit, result, NULL), 0);
	if (result == 0)
		last_longer(rig);
}

static enum ambit_verdict
collect(struct engine_rig *rig, uint64_t ticket)
{
	enum ambit_verdict verdict;
	struct ambit_permit *permit = take_permit(rig, ticket, &verdict);

	if (permit)
		perform(rig, permit, 0);
	return verdict;
}

/* One question, which is answered "once". */
static void
ask_once(struct engine_rig *rig, const struct process *who, const struct path_facts *o, size_t n)
{
	uint64_t ticket = submit(rig, who, o, n, NULL);

	assert_int_not_equal(ticket, 0);
	answer(rig, ticket, AMBIT_ONCE);
	assert_int_equal(collect(rig, ticket), AMBIT_ALLOW);
}

static void
begin(struct engine_rig *rig)
{
	world_file(at(rig->w.out, "f"), "f");
	world_file(at(rig->w.out, "g"), "g");
	world_file(at(rig->w.out, "t"), "made by the process");
	world_dir(at(rig->w.out, "d"));
	engine_rig_start(rig, NULL, NULL);
}

/* -- what it covers ------------------------------------------------------------ */

static void
the_same_is_done_to_the_same_file(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	assert_true(one_goes_on(rig, o));
	/* A glance knows nobody, and allows nothing of it. */
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_DELETE, at(rig->w.out, "f"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "g"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d"))));
	/* Somebody else's file, that has its name now. */
	assert_int_equal(rename(at(rig->w.out, "g"), at(rig->w.out, "f")), 0);
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"))));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
}

static void
what_was_shown_as_new_is_not_what_somebody_put_there(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	ask_once(rig, &sed, &o, 1);
	assert_true(one_goes_on(rig, o));
	world_file(at(rig->w.out, "new"), "another's");
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"))));
	assert_true(one_goes_on(rig, made(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"))));
	assert_true(one_goes_on(rig, made(AMBIT_ACCESS_DELETE, at(rig->w.out, "new"))));
}

static void
new_files_are_made_beside_it(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;
	bool once = false;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	/* Files that are made so are remembered. */
	assert_int_equal(submit(rig, &sed, &o, 1, &once), 0);
	assert_true(once);
	assert_true(one_goes_on(rig, made(AMBIT_ACCESS_DELETE, at(rig->w.out, "t"))));
	assert_true(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "new")));
	/* Neither above nor beneath, no directory, no guard. */
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.top, "new"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d/new"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_MKDIR, at(rig->w.out, "new"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, ".bashrc"))));
	/* No symlink, set-id bit or other name of an old file. */
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	o.fresh = false;
	assert_false(one_goes_on(rig, o));
	o.fresh = true;
	o.leads = "/etc/passwd";
	assert_false(one_goes_on(rig, o));
}

static void
a_new_directory_is_its_own_with_what_is_new_in_it(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_MKDIR, at(rig->w.out, "new"));
	ask_once(rig, &sed, &o, 1);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new/file"));
	assert_false(one_goes_on(rig, o));
	o.in_made = true;
	assert_true(one_goes_on(rig, o));
	o.access = AMBIT_ACCESS_MKDIR;
	assert_true(one_goes_on(rig, o));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "beside"))));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
}

static void
beside_a_directory_nothing_is_opened(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d"));
	ask_once(rig, &sed, &o, 1);
	assert_true(one_goes_on(rig, o));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d/new"))));
}

/* -- when it begins -------------------------------------------------------------- */

static struct ambit_permit *
answer_once(struct engine_rig *rig, const struct path_facts *o, size_t n)
{
	uint64_t ticket = submit(rig, &sed, o, n, NULL);
	struct ambit_permit *permit;
	enum ambit_verdict verdict;

	assert_int_not_equal(ticket, 0);
	answer(rig, ticket, AMBIT_ONCE);
	permit = take_permit(rig, ticket, &verdict);
	assert_int_equal(verdict, AMBIT_ALLOW);
	return permit;
}

/* The program may run between the answer and its call, in a signal handler. */
static void
nothing_is_covered_before_the_call_is_done(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_permit *permit;
	struct path_facts o, new;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	new = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	permit = answer_once(rig, &o, 1);
	assert_false(one_goes_on(rig, o));
	assert_false(one_goes_on(rig, new));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
	assert_int_equal(engine_once_chain(rig->engine, sed.pid, sed.start), 0);
	perform(rig, permit, 0);
	assert_true(one_goes_on(rig, o));
	assert_true(one_goes_on(rig, new));
	assert_int_not_equal(engine_once_chain(rig->engine, sed.pid, sed.start), 0);
}

static void
a_call_that_fails_opens_nothing(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	perform(rig, answer_once(rig, &o, 1), -EIO);
	assert_int_equal(rig->engine->n_once, 0);
	assert_false(one_goes_on(rig, o));
}

static void
a_call_that_comes_late_opens_nothing(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_permit *permit;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	permit = answer_once(rig, &o, 1);
	assert_true(permit_is_once(permit));
	rig->engine->once[0].until = clock_steady();
	engine_once_begin(permit);
	/* A file that it makes is not the process's own. */
	assert_false(permit_is_once(permit));
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	assert_false(one_goes_on(rig, o));
}

/* If two threads make the same call, the second neither begins it anew nor ends it. */
static void
it_begins_with_the_first_of_two(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_permit *permits[2];
	enum ambit_verdict verdict;
	struct path_facts o;
	uint64_t tickets[2];

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	for (int i = 0; i < 2; i++)
		tickets[i] = submit(rig, &sed, &o, 1, NULL);
	answer(rig, tickets[0], AMBIT_ONCE);
	for (int i = 0; i < 2; i++)
		permits[i] = take_permit(rig, tickets[i], &verdict);
	perform(rig, permits[0], 0);
	rig->engine->once[0].until = INT64_MAX;
	engine_once_begin(permits[1]);
	assert_int_equal(rig->engine->once[0].until, INT64_MAX);
	assert_int_equal(ambit_permit_finish(permits[1], -EIO, NULL), 0);
	assert_int_equal(rig->engine->once[0].until, INT64_MAX);
	assert_true(one_goes_on(rig, o));
}

/* The move is done, and its parts are no leave: to remove the one, to replace the other. */
static void
a_move_is_for_itself(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o[2];

	begin(rig);
	o[0] = plain(AMBIT_ACCESS_DELETE, at(rig->w.out, "f"));
	o[1] = plain(AMBIT_ACCESS_REPLACE, at(rig->w.out, "g"));
	o[1].fresh = false;
	ask_once(rig, &sed, o, 2);
	assert_false(one_goes_on(rig, o[0]));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "g")));
	assert_false(goes_on(rig, &sed, o, 2));
	assert_true(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"))));
}

/* The source of a link counts as written, but nobody was asked about writing it. */
static void
a_link_is_for_itself(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o[2];

	begin(rig);
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	o[1] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "other"));
	o[1].fresh = false;
	ask_once(rig, &sed, o, 2);
	assert_false(one_goes_on(rig, o[0]));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
}

/* -- the one replacement -------------------------------------------------------- */

static void
the_file_that_was_shown_is_replaced(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "g")));
	assert_true(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
}

/* The question has named this file alone. */
static void
a_new_file_replaces_no_other(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	ask_once(rig, &sed, &o, 1);
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
	assert_true(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "other")));
}

static void
a_made_up_name_replaces_one_file(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	world_file(at(rig->w.out, ".bashrc"), "a guard");
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new.tmp"));
	ask_once(rig, &sed, &o, 1);
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, ".bashrc")));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "d")));
	assert_true(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "f")));
	assert_false(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "g")));
	/* A new name is no replacement. */
	assert_true(may_rename(rig, at(rig->w.out, "t"), at(rig->w.out, "other")));
}

/* Both wait when the answer comes, and one answer must not allow both. */
static void
of_two_that_wait_one_replaces(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts first[2], second[2], o;
	uint64_t tickets[3];
	int allowed = 0;

	begin(rig);
	first[0] = second[0] = made(AMBIT_ACCESS_DELETE, at(rig->w.out, "t"));
	first[1] = plain(AMBIT_ACCESS_REPLACE, at(rig->w.out, "f"));
	second[1] = plain(AMBIT_ACCESS_REPLACE, at(rig->w.out, "g"));
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new.tmp"));
	tickets[0] = submit(rig, &sed, first, 2, NULL);
	tickets[1] = submit(rig, &sed, second, 2, NULL);
	tickets[2] = submit(rig, &sed, &o, 1, NULL);
	answer(rig, tickets[2], AMBIT_ONCE);
	assert_int_equal(collect(rig, tickets[2]), AMBIT_ALLOW);
	for (int i = 0; i < 2; i++)
		allowed += collect(rig, tickets[i]) == AMBIT_ALLOW;
	assert_int_equal(allowed, 1);
}

/* A decision without an act uses nothing up. */
static void
a_look_uses_nothing_up(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o[2];

	begin(rig);
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new.tmp"));
	ask_once(rig, &sed, o, 1);
	o[0] = made(AMBIT_ACCESS_DELETE, at(rig->w.out, "t"));
	o[1] = plain(AMBIT_ACCESS_REPLACE, at(rig->w.out, "f"));
	for (int i = 0; i < 3; i++)
		assert_int_equal(look(rig, &sed, o, 2), AMBIT_ALLOW);
	assert_true(goes_on(rig, &sed, o, 2));
	assert_false(goes_on(rig, &sed, o, 2));
}

/* -- whose, and how long --------------------------------------------------------- */

static void
only_the_same_program_of_the_same_process(void **state)
{
	struct engine_rig *rig = *state;
	static const struct process others[] = {
		{ 101, 7, 4096, 12 },
		{ 100, 8, 4096, 12 },
		{ 100, 7, 8192, 12 },
		{ 100, 7, 4096, 13 },
		{ 100, 7, 4096, 0 },
		{ 100, 7, 0, 12 },
		{ 0, 0, 0, 0 },
	};
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(goes_on(rig, &others[i], &o, 1));
	assert_true(goes_on(rig, &sed, &o, 1));
	/* One whose program is not known is allowed the call alone. */
	for (size_t i = 4; i < 6; i++) {
		ask_once(rig, &others[i], &o, 1);
		assert_false(goes_on(rig, &others[i], &o, 1));
	}
}

static void
it_ends_after_two_seconds(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_permit *permit;
	struct path_facts o;
	int64_t from, until;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	permit = answer_once(rig, &o, 1);
	from = clock_steady();
	engine_once_begin(permit);
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	assert_int_equal(rig->engine->n_once, 1);
	until = rig->engine->once[0].until;
	assert_true(until >= from + ONCE_MS && until <= clock_steady() + ONCE_MS);
	last_longer(rig);
	assert_true(goes_on(rig, &sed, &o, 1));
	rig->engine->once[0].until = clock_steady();
	assert_false(goes_on(rig, &sed, &o, 1));
	/* Answers that have ended are forgotten with the next one. */
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "g"));
	ask_once(rig, &sed, &o, 1);
	assert_int_equal(rig->engine->n_once, 1);
}

static void
a_no_for_the_session_stands_above_it(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	assert_int_equal(look(rig, &sed, &o, 1), AMBIT_ALLOW);
	add_rule(rig, false, AMBIT_OP_WRITE, rig->w.out, true);
	assert_int_equal(look(rig, &sed, &o, 1), AMBIT_DENY);
}

/* -- what is stored, and said ------------------------------------------------------ */

static int
count_rule(void *data, const struct ambit_rule *rule)
{
	(void)rule;
	++*(int *)data;
	return 0;
}

static int
stored_rules(struct engine_rig *rig)
{
	struct ambit_rule_filter filter = { .all_sessions = true, .ended = true };
	int n = 0;

	assert_int_equal(ambit_record_rules(rig->record, &filter, count_rule, &n, NULL), 0);
	return n;
}

static void
nothing_of_a_write_is_stored(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_event_filter answers = { .kind = "answer" };
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	ask_once(rig, &sed, &o, 1);
	assert_int_equal(stored_rules(rig), 0);
	assert_int_equal(engine_rig_events(rig, &answers), 1);
}

static void
assert_stores(struct engine_rig *rig, const struct path_facts *o, size_t n, const char *words)
{
	auto_free char *want = str_printf("this process, for two seconds: %s", words);
	uint64_t ticket = submit(rig, &sed, o, n, NULL);
	struct ambit_question question;
	const struct ambit_choice *once = NULL;

	assert_int_equal(copy_question(rig->engine, ticket, &question), 1);
	for (size_t i = 0; i < question.n_choices; i++)
		if (question.choices[i].kind == AMBIT_ONCE)
			once = &question.choices[i];
	assert_non_null(once);
	assert_null(once->path);
	assert_string_equal(once->stores, want);
	question_finish(&question);
	engine_withdraw(rig->engine, ticket);
}

static void
what_it_allows_is_said(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o[2];
	char words[4096];

	begin(rig);
#define WORDS(...) (snprintf(words, sizeof(words), __VA_ARGS__), words)
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	assert_stores(rig, o, 1,
		WORDS("write %s/f, new files beside it, one of them may replace it", rig->w.out));
	o[0] = plain(AMBIT_ACCESS_DELETE, at(rig->w.out, "f"));
	assert_stores(rig, o, 1, WORDS("delete %s/f, new files beside it", rig->w.out));
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	assert_stores(rig, o, 1,
		WORDS("make %s/new, new files beside it, one of them may replace it", rig->w.out));
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f.tmp"));
	assert_stores(rig, o, 1,
		WORDS("make %s/f.tmp, new files beside it, one of them may replace one file there",
			rig->w.out));
	o[0] = plain(AMBIT_ACCESS_MKDIR, at(rig->w.out, "new"));
	assert_stores(
		rig, o, 1, WORDS("make the directory %s/new, and what is new in it", rig->w.out));
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d"));
	assert_stores(rig, o, 1, WORDS("write %s/d", rig->w.out));
	o[0] = plain(AMBIT_ACCESS_DELETE, at(rig->w.out, "f"));
	o[1] = plain(AMBIT_ACCESS_REPLACE, at(rig->w.out, "new"));
	assert_stores(rig, o, 2,
		WORDS("move %s/f to %s/new, new files beside it", rig->w.out, rig->w.out));
	o[0] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	o[1] = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	assert_stores(rig, o, 2,
		WORDS("write %s/f, make %s/new, new files beside it", rig->w.out, rig->w.out));
}

/* A host, and a guarded read, are this process' until it ends; exactly those. */
static void
hosts_and_secrets_are_rules_of_the_process(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;
	const char *key;

	world_dir(at(rig->w.home, ".ssh"));
	world_file(at(rig->w.home, ".ssh/id_rsa"), "secret");
	world_file(at(rig->w.home, ".ssh/id_other"), "secret");
	begin(rig);
	key = at(rig->w.home, ".ssh/id_rsa");
	o = object(AMBIT_ACCESS_READ, key);
	ask_once(rig, &sed, &o, 1);
	assert_int_equal(stored_rules(rig), 1);
	assert_true(goes_on(rig, &sed, &o, 1));
	o = object(AMBIT_ACCESS_READ, at(rig->w.home, ".ssh/id_other"));
	assert_false(goes_on(rig, &sed, &o, 1));
	o = object(AMBIT_ACCESS_READ, at(rig->w.home, ".ssh/id_rsa"));
	assert_false(goes_on(rig, &(struct process){ 101, 7, 4096, 12 }, &o, 1));
}

/* -- the temporary file of a file ---------------------------------------------------- */

static void
temporary_names_are_told_from_others(void **state)
{
	static const char *const yes[] = { "f.txt.lock", "f.txt.tmp", "f.txt~", "f.txt.a8Xq2z",
		".f.txt.a8Xq2z", ".f.txt.swp", "#f.txt#", "seda8Xq2z", "XXa8Xq2z", "tmpab_12xyz",
		"#tmpfile", "4913" };
	static const char *const no[] = { "f.txt", "g.txt", "f", "f.tx", "f.txt2", "af.txt.lock",
		".g.txt.swp", "#f.txt", "f.txt.conf", "f.txt.desktop", "f.txt.a", ".f.txt.conf",
		"sed", "seda8Xq2", "seda8Xq2z1", "sed-8Xq2z", "XXa8Xq2", "tmp", "tmpab_12xy",
		"tmp.123456", "49130", "Makefile", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!temporary_is_of(yes[i], "f.txt"))
			fail_msg("%s is one", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (temporary_is_of(no[i], "f.txt"))
			fail_msg("%s is none", no[i]);
}

static void
a_yes_to_a_file_covers_its_temporary(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;
	bool once = false;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f.tmp"));
	assert_false(one_goes_on(rig, o));
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "f"), false);
	/* Files that are made so are remembered, whichever process made them. */
	assert_int_equal(submit(rig, &sed, &o, 1, &once), 0);
	assert_true(once);
	assert_true(goes_on(rig, &(struct process){ 101, 7, 4096, 12 }, &o, 1));
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_MKDIR, at(rig->w.out, "f.tmp"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "g.tmp"))));
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "d/f.tmp"))));
	o.fresh = false;
	assert_false(one_goes_on(rig, o));
	world_file(at(rig->w.out, "f.tmp"), "x");
	assert_false(one_goes_on(rig, plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f.tmp"))));
	assert_true(one_goes_on(rig, made(AMBIT_ACCESS_WRITE, at(rig->w.out, "f.tmp"))));
	assert_true(may_rename(rig, at(rig->w.out, "f.tmp"), at(rig->w.out, "f")));
	assert_false(may_rename(rig, at(rig->w.out, "f.tmp"), at(rig->w.out, "g")));
	assert_false(may_rename(rig, at(rig->w.out, "f.tmp"), at(rig->w.out, "other")));
}

static void
a_yes_to_a_file_that_was_taken_back_covers_nothing(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o;

	begin(rig);
	o = plain(AMBIT_ACCESS_WRITE, at(rig->w.out, "f.tmp"));
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "f"), false);
	assert_true(one_goes_on(rig, o));
	add_rule(rig, false, AMBIT_OP_WRITE, at(rig->w.out, "f"), false);
	assert_false(one_goes_on(rig, o));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(the_same_is_done_to_the_same_file),
		t(what_was_shown_as_new_is_not_what_somebody_put_there),
		t(new_files_are_made_beside_it),
		t(a_new_directory_is_its_own_with_what_is_new_in_it),
		t(beside_a_directory_nothing_is_opened),
		t(nothing_is_covered_before_the_call_is_done),
		t(a_call_that_fails_opens_nothing),
		t(a_call_that_comes_late_opens_nothing),
		t(it_begins_with_the_first_of_two),
		t(a_move_is_for_itself),
		t(a_link_is_for_itself),
		t(the_file_that_was_shown_is_replaced),
		t(a_new_file_replaces_no_other),
		t(a_made_up_name_replaces_one_file),
		t(of_two_that_wait_one_replaces),
		t(a_look_uses_nothing_up),
		t(only_the_same_program_of_the_same_process),
		t(it_ends_after_two_seconds),
		t(a_no_for_the_session_stands_above_it),
		t(nothing_of_a_write_is_stored),
		t(what_it_allows_is_said),
		t(hosts_and_secrets_are_rules_of_the_process),
		t(temporary_names_are_told_from_others),
		t(a_yes_to_a_file_covers_its_temporary),
		t(a_yes_to_a_file_that_was_taken_back_covers_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
