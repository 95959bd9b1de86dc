/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the arrow: lib/engine*.c and lib/perform/permit.c, on a real record and a real
 * file system. */

#include <signal.h>
#include <sys/resource.h>

#include "asking-rig.h"
#include "record/upkeep.h"

static int
events(struct rig *rig, const char *kind, const char *verdict)
{
	struct ambit_event_filter filter = { .kind = kind, .verdict = verdict };

	return engine_rig_events(&rig->base, &filter);
}

static void
a_write_inside_happens_and_is_recorded(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, NULL);
	assert_int_equal(try_write(rig, "a.txt", "hello"), AMBIT_CODE_NONE);
	assert_string_equal(world_read("a.txt"), "hello");
	assert_int_equal(rig->asked, 0);
	assert_int_equal(events(rig, "decide", "allow"), 1);
	assert_int_equal(events(rig, "result", NULL), 1);
}

static void
a_no_leaves_the_file_alone_and_reaches_the_model(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *request;
	struct ambit_outcome outcome;

	start(rig, NULL, NULL);
	world_file(outside(rig, "f"), "old");
	snprintf(rig->answer.message, sizeof(rig->answer.message), "use \x1b[31mlocal.txt");
	request = tool_call("write", "{\"file_path\":\"%s\"}", outside(rig, "f"));
	assert_int_equal(ambit_engine_request(rig->engine, request, &outcome, NULL, NULL), 0);
	assert_int_equal(outcome.verdict, AMBIT_DENY);
	assert_int_equal(outcome.code, AMBIT_CODE_DENIED);
	assert_non_null(strstr(outcome.reason, "local.txt"));
	assert_null(strchr(outcome.reason, 0x1b));
	assert_string_equal(world_read(outside(rig, "f")), "old");
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

static void
a_permit_opens_only_what_was_decided(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *request;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct ambit_error err = { 0 };
	int fd = -1;

	start(rig, NULL, NULL);
	world_file("a", "old");
	world_file(outside(rig, "victim"), "keep");
	request = tool_call("write", "{\"file_path\":\"a\"}");

	/* Without ambit the swapped link is followed: the attack works. */
	world_file("b", "");
	assert_int_equal(unlink("b"), 0);
	world_link(outside(rig, "victim"), "b");
	fd = open("b", O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_string_equal(world_read(outside(rig, "victim")), "");
	world_file(outside(rig, "victim"), "keep");

	assert_int_equal(ambit_engine_request(rig->engine, request, &outcome, &permit, NULL), 0);
	assert_int_equal(unlink("a"), 0);
	world_link(outside(rig, "victim"), "a");
	assert_int_equal(
		ambit_permit_open(permit, 0, O_WRONLY | O_TRUNC | O_CREAT, 0644, &fd, &err),
		-ESTALE);
	assert_string_equal(world_read(outside(rig, "victim")), "keep");
	assert_int_equal(ambit_permit_open(permit, 0, O_WRONLY, 0, &fd, &err), -EPERM);
	ambit_permit_finish(permit, -ESTALE, NULL);
	ambit_outcome_finish(&outcome);

	/* Another file under the same name is not the one either. */
	assert_int_equal(unlink("a"), 0);
	world_file("a", "one");
	assert_int_equal(ambit_engine_request(rig->engine, request, &outcome, &permit, NULL), 0);
	world_file("other", "two");
	assert_int_equal(rename("other", "a"), 0);
	assert_int_equal(ambit_permit_open(permit, 0, O_WRONLY | O_TRUNC, 0, &fd, &err), -ESTALE);
	assert_string_equal(world_read("a"), "two");
	ambit_permit_finish(permit, -ESTALE, NULL);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

static void
a_permit_for_what_was_missing_opens_nothing_that_appeared(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *request;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	int fd = -1;

	start(rig, NULL, NULL);
	world_file(outside(rig, "victim"), "keep");
	request = tool_call("write", "{\"file_path\":\"new\"}");
	for (int i = 0; i < 2; i++) {
		int flags = i ? O_WRONLY | O_TRUNC | O_CREAT : O_WRONLY | O_TRUNC;

		assert_int_equal(
			ambit_engine_request(rig->engine, request, &outcome, &permit, NULL), 0);
		assert_int_equal(link(outside(rig, "victim"), "new"), 0);
		assert_true(ambit_permit_open(permit, 0, flags, 0644, &fd, NULL) < 0);
		assert_string_equal(world_read(outside(rig, "victim")), "keep");
		ambit_permit_finish(permit, -ESTALE, NULL);
		ambit_outcome_finish(&outcome);
		assert_int_equal(unlink("new"), 0);
	}
	ambit_request_destroy(request);
}

static void
a_mode_set_from_outside_holds_and_stays(void **state)
{
	struct rig *rig = *state;
	struct ambit_record *other = NULL;
	struct ambit_session session = { 0 };

	start(rig, NULL, "live");
	assert_int_equal(ambit_record_open(rig->w.state, AMBIT_RECORD_WRITE, &other, NULL), 0);
	assert_int_equal(ambit_record_session_load(other, "live", &session, NULL), 0);
	session.ask_mode = AMBIT_ASK_ANY_WRITE;
	assert_int_equal(record_session_store(other, &session, NULL), 0);
	ambit_session_finish(&session);
	rig->answer.kind = AMBIT_ONCE;
	assert_int_equal(try_write(rig, "a", "1"), AMBIT_CODE_NONE);
	assert_int_equal(rig->asked, 1);
	assert_int_equal(ambit_record_session_load(other, "live", &session, NULL), 0);
	assert_int_equal(session.ask_mode, AMBIT_ASK_ANY_WRITE);
	assert_true(session.wrote);
	ambit_session_finish(&session);
	ambit_record_close(other);
}

static void
a_policy_program_the_agent_can_write_is_refused(void **state)
{
	struct rig *rig = *state;
	struct ambit_error err = { 0 };
	char text[1024];

	world_file("pol.sh", "echo '{\"verdict\":\"allow\"}'");
	snprintf(text, sizeof(text),
		"{\"policy_program\":{\"command\":[\"/bin/sh\",\"%s/pol.sh\"]}}", rig->w.root);
	rig->settings = world_settings(&rig->w, text);
	rig->scope = world_scope(&rig->w);
	struct ambit_engine_options options = { .settings = rig->settings, .scope = rig->scope };

	assert_int_equal(ambit_engine_create(&options, &rig->engine, &err), -EPERM);
	assert_non_null(strstr(err.text, "pol.sh lies where the agent can write"));

	/* By a way that leads through the folder, though not to something in it. */
	char link[1024];

	snprintf(link, sizeof(link), "%s/link", rig->w.root);
	assert_int_equal(symlink("/bin/true", link), 0);
	snprintf(text, sizeof(text), "%s/pol", rig->w.out);
	assert_int_equal(symlink(link, text), 0);
	snprintf(text, sizeof(text), "{\"policy_program\":{\"command\":[\"%s/pol\"]}}", rig->w.out);
	ambit_settings_destroy(rig->settings);
	options.settings = rig->settings = world_settings(&rig->w, text);
	assert_int_equal(ambit_engine_create(&options, &rig->engine, &err), -EPERM);
	assert_non_null(strstr(err.text, "lies where the agent can write"));
}

static void
a_permit_to_read_does_not_write(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *request;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	int fd = -1;

	start(rig, NULL, NULL);
	world_file("a", "old");
	request = tool_call("read", "{\"file_path\":\"a\"}");
	assert_int_equal(ambit_engine_request(rig->engine, request, &outcome, &permit, NULL), 0);
	assert_int_equal(ambit_permit_open(permit, 0, O_WRONLY, 0, &fd, NULL), -EACCES);
	assert_int_equal(ambit_permit_open(permit, 0, O_RDWR, 0, &fd, NULL), -EACCES);
	assert_int_equal(ambit_permit_open(permit, 0, O_RDONLY | O_TRUNC, 0, &fd, NULL), -EACCES);
	assert_int_equal(ambit_permit_open(permit, 1, O_RDONLY, 0, &fd, NULL), -ENOENT);
	assert_int_equal(ambit_permit_open(permit, 0, O_RDONLY, 0, &fd, NULL), 0);
	close(fd);
	ambit_permit_finish(permit, 0, NULL);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

static void
what_cannot_be_recorded_is_not_done(void **state)
{
	struct rig *rig = *state;
	struct rlimit before, tiny;
	struct ambit_request *request;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;

	start(rig, NULL, NULL);
	assert_int_equal(try_write(rig, "a", "1"), AMBIT_CODE_NONE);
	request = tool_call("write", "{\"file_path\":\"a\"}");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	tiny = before;
	tiny.rlim_cur = 1024; /* the write-ahead log cannot grow: a full disk */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
	ambit_engine_request(rig->engine, request, &outcome, &permit, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_null(permit);
	assert_int_equal(outcome.verdict, AMBIT_DENY);
	assert_int_equal(outcome.code, AMBIT_CODE_INTERNAL);
	assert_non_null(strstr(outcome.reason, "recorded"));
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	assert_int_equal(try_write(rig, "a", "2"), AMBIT_CODE_NONE);
}

static void
reads_close_after_the_first_write_and_stay_so(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *read;
	struct ambit_outcome outcome;
	static const char settings[] = "{\"reads\":\"until-first-write\"}";

	world_file(outside(rig, "f"), "x");
	start(rig, settings, "s");
	read = tool_call("read", "{\"file_path\":\"%s\"}", outside(rig, "f"));
	ambit_engine_decide(rig->engine, read, &outcome, NULL);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	assert_int_equal(try_write(rig, "a", "1"), AMBIT_CODE_NONE);
	ambit_engine_decide(rig->engine, read, &outcome, NULL);
	assert_int_equal(outcome.code, AMBIT_CODE_OUT_OF_SCOPE);
	ambit_outcome_finish(&outcome);
	stop(rig);
	start(rig, settings, "s");
	ambit_engine_decide(rig->engine, read, &outcome, NULL);
	assert_int_equal(outcome.code, AMBIT_CODE_OUT_OF_SCOPE);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(read);
}

static void
a_session_belongs_to_its_folder(void **state)
{
	struct rig *rig = *state;
	struct ambit_engine *other = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_error err = { 0 };

	start(rig, NULL, "mine");
	struct ambit_scope_options where = { .root = rig->w.out };

	assert_int_equal(ambit_scope_create(&where, &scope, NULL), 0);
	struct ambit_engine_options options = {
		.settings = rig->settings, .scope = scope, .record = rig->record, .session = "mine"
	};

	assert_true(ambit_engine_create(&options, &other, &err) < 0);
	assert_non_null(strstr(err.text, "belongs to the folder"));
	options.session = "../../x";
	assert_true(ambit_engine_create(&options, &other, &err) < 0);
	ambit_scope_destroy(scope);
}

static void
the_same_call_in_a_loop_is_stopped(void **state)
{
	struct rig *rig = *state;
	struct ambit_request *request = tool_call("read", "{\"file_path\":\"a\"}");
	struct ambit_request *other = tool_call("read", "{\"file_path\":\"b\"}");
	struct ambit_outcome outcome;

	start(rig, "{\"loop_limit\":3}", NULL);
	for (int i = 0; i < 5; i++) {
		ambit_engine_decide(rig->engine, request, &outcome, NULL);
		assert_int_equal(outcome.code, i < 3 ? AMBIT_CODE_NONE : AMBIT_CODE_LOOP_DETECTED);
		ambit_outcome_finish(&outcome);
	}
	ambit_engine_decide(rig->engine, other, &outcome, NULL);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	ambit_engine_decide(rig->engine, request, &outcome, NULL);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	ambit_request_destroy(other);
}

int
main(void)
{
#define IN_RIG(f) cmocka_unit_test_setup_teardown(f, open_rig, engine_rig_close)
	const struct CMUnitTest tests[] = {
		IN_RIG(a_write_inside_happens_and_is_recorded),
		IN_RIG(a_no_leaves_the_file_alone_and_reaches_the_model),
		IN_RIG(a_permit_opens_only_what_was_decided),
		IN_RIG(a_permit_for_what_was_missing_opens_nothing_that_appeared),
		IN_RIG(a_mode_set_from_outside_holds_and_stays),
		IN_RIG(a_policy_program_the_agent_can_write_is_refused),
		IN_RIG(a_permit_to_read_does_not_write),
		IN_RIG(what_cannot_be_recorded_is_not_done),
		IN_RIG(reads_close_after_the_first_write_and_stay_so),
		IN_RIG(a_session_belongs_to_its_folder),
		IN_RIG(the_same_call_in_a_loop_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
