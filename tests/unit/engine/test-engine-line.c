/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/engine/engine-line.c and of requests about objects, on a real record and a
 * real file system: what is decided about an object, and what is asked. */
#include <unistd.h>

#include "base/own.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "perform/permit.h"
#include "request/request-object.h"
#include "request/request-private.h"
#include "engine-line-rig.h"
#include "first-question.h"

/* -- objects ----------------------------------------------------------------- */

/* Both at once, which must not contradict each other. */
static enum ambit_verdict
both(struct engine_rig *rig, const struct path_facts *objects, size_t n, enum ambit_code *ret_code)
{
	enum ambit_verdict verdict = decided(rig, objects, n, ret_code);

	assert_int_equal(glance(rig, objects, n), verdict == AMBIT_ALLOW ? AMBIT_ALLOW : AMBIT_ASK);
	return verdict;
}

static void
a_request_knows_what_it_is_about(void **state)
{
	const struct {
		enum ambit_access access[4];
		size_t n;
		const char *tool;
	} cases[] = {
		{ { AMBIT_ACCESS_WRITE }, 1, "write" },
		{ { AMBIT_ACCESS_MKDIR }, 1, "write" },
		{ { AMBIT_ACCESS_DELETE }, 1, "delete" },
		{ { AMBIT_ACCESS_READ }, 1, "read" },
		{ { AMBIT_ACCESS_READ, AMBIT_ACCESS_WRITE }, 2, "write" },
		{ { AMBIT_ACCESS_WRITE, AMBIT_ACCESS_READ }, 2, "write" },
		{ { AMBIT_ACCESS_WRITE, AMBIT_ACCESS_REPLACE }, 2, "write" },
		{ { AMBIT_ACCESS_DELETE, AMBIT_ACCESS_REPLACE }, 2, "move" },
		{ { AMBIT_ACCESS_DELETE, AMBIT_ACCESS_REPLACE, AMBIT_ACCESS_REPLACE,
			  AMBIT_ACCESS_DELETE },
			4, "move" },
	};
	struct path_facts o[4];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ambit_request *request;

		for (size_t j = 0; j < cases[i].n; j++)
			o[j] = (struct path_facts){ cases[i].access[j], .real = "/a",
				.written = "/b" };
		request = request_of(o, cases[i].n);
		assert_string_equal(request_tool(request), cases[i].tool);
		ambit_request_destroy(request);
	}
	static const char *const bad[] = { "", "a", "/a/", "/a//b", "/a/../b", "/a/.", "//" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ambit_request *request = NULL;

		o[0] = (struct path_facts){ AMBIT_ACCESS_WRITE, .real = bad[i], .written = "/" };
		assert_int_equal(request_objects(o, 1, &request, NULL), -EINVAL);
		o[0] = (struct path_facts){ AMBIT_ACCESS_WRITE, .real = "/", .written = bad[i] };
		assert_int_equal(request_objects(o, 1, &request, NULL), -EINVAL);
	}
	assert_int_equal(request_objects(o, 0, &(struct ambit_request *){ 0 }, NULL), -EINVAL);
}

static void
an_object_is_decided_as_it_was_resolved(void **state)
{
	struct engine_rig *rig = *state;
	enum ambit_code code;
	struct path_facts o;

	start_late(rig, NULL);
	/* The text leads out by now; the one who asks holds what was inside. */
	world_link(rig->w.out, "way");
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "new"));
	o.written = at(rig->w.root, "way/new");
	assert_int_equal(both(rig, &o, 1, NULL), AMBIT_ALLOW);
	/* And the other way round. */
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "new"));
	o.written = at(rig->w.root, "new");
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_SYMLINK_ESCAPE);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "\xff\x1b[1mname"));
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_OUTSIDE);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, ".envrc"));
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.state, "ambit.db"));
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_PROTECTED);
}

/* git init tries on its own configuration what a mode can be. */
static void
marks_are_no_change_but_where_they_make_it_run(void **state)
{
	struct engine_rig *rig = *state;
	enum ambit_code code;
	struct path_facts o;

	start_late(rig, NULL);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, ".git/config"));
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
	o.marks = true;
	assert_int_equal(both(rig, &o, 1, NULL), AMBIT_ALLOW);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, ".git/hooks/pre-commit"));
	o.marks = true;
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "config"));
	o.marks = true;
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_OUTSIDE);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, ".ambit.json"));
	o.marks = true;
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_DENY);
}

static void
questions_show_what_it_is_not_how_it_was_called(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	struct path_facts o;
	auto_free char *label = NULL;

	start_late(rig, NULL);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "precious"));
	o.written = at(rig->w.out, "harmless");
	assert_int_equal(request_objects(&o, 1, &request, NULL), 0);
	label = request_label(request);
	assert_non_null(strstr(label, "precious"));
	assert_null(strstr(label, "harmless"));
	assert_int_equal(ambit_engine_decide(rig->engine, request, &outcome, NULL), 0);
	assert_non_null(strstr(outcome.paths[0].shown, "precious"));
	/* The reason has both. */
	assert_non_null(strstr(outcome.reason, "harmless"));
	assert_non_null(strstr(outcome.reason, "precious"));
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

/* But the guards and SymlinkEscape read what was written. */
static void
a_name_by_descriptor_is_shown_as_it_is(void **state)
{
	static const char *const by[] = { "/proc/self/fd/14/x", "/proc/77/fd/14/x",
		"/proc/self/cwd/x", "/dev/fd/14/x" };
	struct engine_rig *rig = *state;
	enum ambit_code code;

	start_late(rig, NULL);
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "x"));
		struct ambit_request *request = NULL;
		struct ambit_outcome outcome = { 0 };

		o.written = by[i];
		assert_int_equal(request_objects(&o, 1, &request, NULL), 0);
		assert_int_equal(ambit_engine_decide(rig->engine, request, &outcome, NULL), 0);
		assert_int_equal(outcome.code, AMBIT_CODE_OUTSIDE);
		assert_non_null(strstr(outcome.reason, o.real));
		assert_null(strstr(outcome.reason, by[i]));
		assert_null(strstr(outcome.reason, "really"));
		ambit_outcome_finish(&outcome);
		ambit_request_destroy(request);
	}
	struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "elsewhere/pre-commit"));

	o.written = "/proc/self/fd/14/.git/hooks/pre-commit";
	assert_int_equal(both(rig, &o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
}

static void
scratch_of_the_sessions_own_is_free(void **state)
{
	struct engine_rig *rig = *state;
	enum ambit_code code;
	struct path_facts o[2];

	start_late(rig, NULL);
	o[0] = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "mine"));
	assert_int_equal(both(rig, o, 1, NULL), AMBIT_ASK);
	o[0].own = true;
	assert_int_equal(both(rig, o, 1, NULL), AMBIT_ALLOW);
	/* Also by a link in the folder; and both sides of a move must be its own. */
	o[0].written = at(rig->w.root, "link");
	assert_int_equal(both(rig, o, 1, NULL), AMBIT_ALLOW);
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.out, "mine"));
	o[0].own = true;
	o[1] = object(AMBIT_ACCESS_REPLACE, at(rig->w.out, "theirs"));
	assert_int_equal(both(rig, o, 2, NULL), AMBIT_ASK);
	o[1].own = true;
	assert_int_equal(both(rig, o, 2, NULL), AMBIT_ALLOW);
	/* A name that runs later is asked about there too. */
	o[0] = object(AMBIT_ACCESS_WRITE, at(rig->w.out, ".git/hooks/post-commit"));
	o[0].own = true;
	assert_int_equal(both(rig, o, 1, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
	o[0].written = at(rig->w.root, "link");
	assert_int_equal(both(rig, o, 1, &code), AMBIT_ASK);
	/* ambit's own, the directories themselves, and other places are not scratch. */
	o[0] = object(AMBIT_ACCESS_WRITE, at(rig->w.state, "x"));
	o[0].own = true;
	assert_int_equal(both(rig, o, 1, &code), AMBIT_DENY);
	for (size_t i = 0; i < 3; i++) {
		if (!rig->scope->scratch[i])
			continue;
		o[0] = object(AMBIT_ACCESS_DELETE, rig->scope->scratch[i]);
		o[0].own = true;
		assert_int_not_equal(both(rig, o, 1, &code), AMBIT_ALLOW);
	}
	o[0] = object(AMBIT_ACCESS_WRITE, "/opt/mine");
	o[0].own = true;
	assert_int_equal(both(rig, o, 1, &code), AMBIT_ASK);
	/* A child scope is law. */
	rig->scope->enforce_write = true;
	o[0] = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "mine"));
	o[0].own = true;
	assert_int_equal(both(rig, o, 1, &code), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_OUT_OF_SCOPE);
}

static void
a_directory_is_renamed_with_all_it_holds(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o[4];
	enum ambit_code code;

	world_dir("plain");
	world_file("plain/f", "x");
	world_dir("repo");
	world_dir("repo/sub");
	world_dir("repo/sub/.git");
	world_dir("agent");
	start_late(rig, NULL);
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "plain"));
	o[1] = object(AMBIT_ACCESS_REPLACE, at(rig->w.root, "other"));
	assert_int_equal(both(rig, o, 2, NULL), AMBIT_ALLOW);
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "repo"));
	assert_int_equal(both(rig, o, 2, &code), AMBIT_ASK);
	assert_int_equal(code, AMBIT_CODE_GUARDED);
	/* Both ways of an exchange. */
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "plain"));
	o[1] = object(AMBIT_ACCESS_REPLACE, at(rig->w.root, "repo"));
	o[2] = object(AMBIT_ACCESS_REPLACE, at(rig->w.root, "plain"));
	o[3] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "repo"));
	assert_int_equal(both(rig, o, 4, &code), AMBIT_ASK);
	/* Its files get names that are guarded. */
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "agent"));
	o[1] = object(AMBIT_ACCESS_REPLACE, at(rig->w.root, ".claude"));
	assert_int_equal(both(rig, o, 2, &code), AMBIT_ASK);
	/* rmdir takes only what is empty. */
	o[0] = object(AMBIT_ACCESS_DELETE, at(rig->w.root, "plain"));
	assert_int_equal(both(rig, o, 1, NULL), AMBIT_ALLOW);
}

/* -- questions --------------------------------------------------------------------- */

static uint64_t
submit(struct engine_rig *rig, const struct path_facts *objects, size_t n, pid_t pid,
	struct ambit_outcome *ret_outcome)
{
	struct ambit_request *request = request_of(objects, n);
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;

	assert_int_equal(ambit_request_set_who(request, pid, 7, "prog", NULL), 0);
	if (engine_submit(rig->engine, request, ret_outcome, &permit, &ticket, NULL) == 0)
		ticket = 0;
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	return ticket;
}

static void
answer(struct engine_rig *rig, enum ambit_answer_kind kind)
{
	const struct ambit_question *question = first_question(rig->engine);
	struct ambit_answer said = { .kind = kind };
	struct ambit_error err = { 0 };

	assert_non_null(question);
	if (engine_answer(rig->engine, question->id, &said, "test", &err) < 0)
		fail_msg("answer: %s", err.text);
}

static enum ambit_verdict
collect(struct engine_rig *rig, uint64_t ticket, enum ambit_code *ret_code, size_t *ret_passes)
{
	struct ambit_permit *permit = NULL;
	struct ambit_outcome outcome;
	struct pass pass;
	enum ambit_verdict verdict;
	size_t n = 0;

	assert_int_equal(engine_collect(rig->engine, ticket, &outcome, &permit, NULL), 0);
	verdict = outcome.verdict;
	*ret_code = outcome.code;
	assert_int_equal(permit != NULL, verdict == AMBIT_ALLOW);
	for (; n < 10; n++) {
		permit_pass(permit, &pass);
		if (pass_use(&pass) < 0)
			break;
	}
	if (ret_passes)
		*ret_passes = n;
	ambit_outcome_finish(&outcome);
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	return verdict;
}

/* The rest of what once means is in test-engine-once.c. */
static void
once_of_an_unknown_program_is_the_call_alone(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "one"));
	struct ambit_outcome outcome;
	enum ambit_code code;
	uint64_t ticket;
	size_t passes;

	engine_rig_start(rig, "{\"loop_limit\":1}", NULL);
	ticket = submit(rig, &o, 1, 100, &outcome);
	assert_int_not_equal(ticket, 0);
	answer(rig, AMBIT_ONCE);
	assert_int_equal(collect(rig, ticket, &code, &passes), AMBIT_ALLOW);
	assert_int_equal(passes, 1);
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_int_not_equal(submit(rig, &o, 1, 100, &outcome), 0);
}

static void
an_answer_is_not_about_what_was_put_there_since(void **state)
{
	struct engine_rig *rig = *state;
	const char *path = at(rig->w.out, "f");
	struct path_facts o;
	struct ambit_outcome outcome;
	enum ambit_code code;
	uint64_t ticket;

	world_file(path, "old");
	world_file(at(rig->w.out, "kept"), "so that its inode is not given out again");
	engine_rig_start(rig, NULL, NULL);
	o = object(AMBIT_ACCESS_WRITE, path);
	ticket = submit(rig, &o, 1, 100, &outcome);
	assert_non_null(first_question(rig->engine));
	assert_int_equal(rename(at(rig->w.out, "kept"), path), 0);
	answer(rig, AMBIT_FILE);
	assert_int_equal(collect(rig, ticket, &code, NULL), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_UNRESOLVABLE);
	/* What was not there and is now; a link in its place. */
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "g"));
	ticket = submit(rig, &o, 1, 100, &outcome);
	assert_non_null(first_question(rig->engine));
	world_link("/etc/passwd", at(rig->w.out, "g"));
	answer(rig, AMBIT_ONCE);
	assert_int_equal(collect(rig, ticket, &code, NULL), AMBIT_DENY);
	/* What stays is what was asked about. */
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.top, "h"));
	ticket = submit(rig, &o, 1, 100, &outcome);
	answer(rig, AMBIT_FILE);
	assert_int_equal(collect(rig, ticket, &code, NULL), AMBIT_ALLOW);
}

static int
events(struct engine_rig *rig, const char *kind, const char *code)
{
	struct ambit_event_filter filter = { .kind = kind, .code = code };

	return engine_rig_events(rig, &filter);
}

static void
a_question_that_fails_refuses_all_who_wait(void **state)
{
	struct engine_rig *rig = *state;
	struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	struct ambit_outcome outcome;
	enum ambit_code code;
	uint64_t ticket[3], id;

	engine_rig_start(rig, NULL, NULL);
	for (int i = 0; i < 3; i++)
		ticket[i] = submit(rig, &o, 1, 100, &outcome);
	id = first_question(rig->engine)->id;
	assert_int_equal(engine_decline(rig->engine, id, -ETIMEDOUT, "too late"), 0);
	assert_null(first_question(rig->engine));
	assert_int_equal(events(rig, "decide", "Timeout"), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(collect(rig, ticket[i], &code, NULL), AMBIT_DENY);
		assert_int_equal(code, AMBIT_CODE_TIMEOUT);
	}
	assert_int_equal(engine_decline(rig->engine, id, ETIMEDOUT, "too late"), -ENOENT);
	ticket[0] = submit(rig, &o, 1, 100, &outcome);
	id = first_question(rig->engine)->id;
	assert_int_equal(engine_decline(rig->engine, id, EIO, NULL), 0);
	assert_int_equal(collect(rig, ticket[0], &code, NULL), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_OUTSIDE);
}

/* How many of 100 different questions were put into the queue. */
static int
ask_many(struct engine_rig *rig)
{
	struct ambit_outcome outcome;
	int n = 0;

	for (int i = 0; i < 100; i++) {
		char name[16];
		struct path_facts o;

		snprintf(name, sizeof(name), "f%d", i);
		o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, name));
		if (submit(rig, &o, 1, 100, &outcome) != 0)
			n++;
		else
			ambit_outcome_finish(&outcome);
	}
	return n;
}

static void
only_a_person_is_asked_at_a_rate(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_approver program = { .instant = true, .name = "test" };
	struct ambit_approver person = { .name = "test" };

	engine_rig_start(rig, NULL, &(struct ambit_engine_options){ .approver = &person });
	assert_true(ask_many(rig) < 100);
	engine_rig_stop(rig);
	engine_rig_start(rig, NULL, &(struct ambit_engine_options){ .approver = &program });
	assert_int_equal(ask_many(rig), 100);
	engine_rig_stop(rig);
	engine_rig_start(rig, NULL, &(struct ambit_engine_options){ .unlimited = true });
	assert_int_equal(ask_many(rig), 100);
}

static void
a_socket_is_asked_as_what_it_is(void **state)
{
	struct engine_rig *rig = *state;
	const char *host = "unix:/run/user/1/ssh-agent.sock";
	struct ambit_request *request = NULL;
	const struct ambit_question *question;
	struct ambit_permit *permit = NULL;
	struct ambit_outcome outcome;
	struct pass pass;
	enum ambit_code code;
	uint64_t ticket = 0;
	size_t passes;

	engine_rig_start(rig, "{\"net\":\"open\"}", NULL);
	assert_int_equal(engine_allows_host_fast(rig->engine, host, &pass), AMBIT_ASK);
	assert_int_equal(ambit_request_connect(host, &request, NULL), 0);
	assert_int_equal(ambit_request_set_who(request, 100, 7, "ssh", NULL), 0);
	assert_int_equal(engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL), 1);
	question = first_question(rig->engine);
	assert_non_null(question);
	assert_non_null(strstr(question->why, "it signs in as you"));
	assert_string_equal(question->what, "connect unix:/run/user/1/ssh-agent.sock");
	assert_int_equal(question->folder, question->n_choices);
	for (size_t i = 0; i < question->n_choices; i++) {
		assert_int_not_equal(question->choices[i].kind, AMBIT_FOLDER);
		if (question->choices[i].kind != AMBIT_NO)
			assert_non_null(strstr(question->choices[i].stores, host));
	}
	answer(rig, AMBIT_FILE);
	assert_int_equal(collect(rig, ticket, &code, &passes), AMBIT_ALLOW);
	assert_int_equal(passes, 1);
	assert_int_equal(engine_allows_host_fast(rig->engine, host, &pass), AMBIT_ALLOW);
	assert_int_equal(
		engine_allows_host_fast(rig->engine, "unix:/run/user/1/other", &pass), AMBIT_ASK);
}

/* -- the floor ------------------------------------------------------------------------ */

static void
a_run_is_noted(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_error err = { 0 };

	engine_rig_start(rig, "{\"net\":\"none\"}", NULL);
	assert_int_equal(engine_record_note(rig->engine, "run", "make", "{\"a\":1}", &err), 0);
	assert_int_equal(engine_record_note(rig->engine, "end", "make", "{}", &err), 0);
	assert_int_equal(events(rig, "run", NULL), 1);
	assert_int_equal(events(rig, "end", NULL), 1);
	assert_int_equal(engine_record_note(rig->engine, "decide", "x", "{}", &err), -EINVAL);
	assert_true(engine_record_note(rig->engine, "run", "x", "[]", &err) < 0);
	assert_true(engine_record_note(rig->engine, "run", "x", "{", &err) < 0);
	assert_int_equal(events(rig, "run", NULL), 1);
	assert_int_equal(ambit_engine_net(rig->engine), AMBIT_NET_NONE);
	assert_ptr_equal(ambit_engine_scope(rig->engine), rig->scope);
}

static void
no_pass_no_act(void **state)
{
	struct pass pass = { 0 };

	(void)state;
	assert_int_equal(pass_use(&pass), -EPERM);
	assert_int_equal(pass_use(NULL), -EPERM);
	permit_pass(NULL, &pass);
	assert_int_equal(pass_use(&pass), -EPERM);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(a_request_knows_what_it_is_about),
		t(an_object_is_decided_as_it_was_resolved),
		t(marks_are_no_change_but_where_they_make_it_run),
		t(questions_show_what_it_is_not_how_it_was_called),
		t(a_name_by_descriptor_is_shown_as_it_is),
		t(scratch_of_the_sessions_own_is_free),
		t(a_directory_is_renamed_with_all_it_holds),
		t(once_of_an_unknown_program_is_the_call_alone),
		t(an_answer_is_not_about_what_was_put_there_since),
		t(a_question_that_fails_refuses_all_who_wait),
		t(only_a_person_is_asked_at_a_rate),
		t(a_socket_is_asked_as_what_it_is),
		t(a_run_is_noted),
		t(no_pass_no_act),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
