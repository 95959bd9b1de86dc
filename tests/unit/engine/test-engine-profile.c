/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about profiles and repository configs at the engine's door: one
 * question opens all of a profile or nothing, for as long as the answer says. */

#include "engine-rig.h"

#include "ask/question-copy.h"
#include "ask/tty/dialog.h"
#include "base/fd.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "scope/profile.h"

static void
start(struct engine_rig *rig, const char *settings, const char *session)
{
	engine_rig_start(rig, settings, &(struct ambit_engine_options){ .session = session });
}

static enum ambit_verdict
decide(struct engine_rig *rig, struct ambit_request *request)
{
	struct ambit_outcome outcome;
	enum ambit_verdict verdict;

	assert_int_equal(ambit_engine_decide(rig->engine, request, &outcome, NULL), 0);
	verdict = outcome.verdict;
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return verdict;
}

static enum ambit_verdict
may_write(struct engine_rig *rig, const char *beneath_home)
{
	auto_free char *path = str_printf("%s/%s", rig->w.home, beneath_home);
	auto_free char *args = str_printf("{\"file_path\":\"%s\"}", path);
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_create("write", args, strlen(args), &request, NULL), 0);
	return decide(rig, request);
}

static enum ambit_verdict
may_connect(struct engine_rig *rig, const char *host)
{
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_connect(host, &request, NULL), 0);
	return decide(rig, request);
}

static void
answer(struct engine_rig *rig, const char *name, enum ambit_answer_kind kind)
{
	struct ambit_answer a = { .kind = kind, .message = "so it is" };
	struct ambit_error err = { 0 };

	if (engine_profile_answer(rig->engine, name, &a, "test", &err) < 0)
		fail_msg("%s", err.text);
}

static int
put(struct engine_rig *rig, const char *name)
{
	struct ambit_question question = { 0 };
	struct ambit_error err = { 0 };
	int r = engine_profile_question(rig->engine, name, NULL, &question, &err);

	if (r < 0 && r != -EACCES)
		fail_msg("%s", err.text);
	question_finish(&question);
	return r;
}

/* All of npm's, and nothing beside it. */
static void
assert_npm(struct engine_rig *rig, enum ambit_verdict verdict)
{
	assert_int_equal(may_write(rig, ".npm/_cacache/x"), verdict);
	assert_int_equal(may_write(rig, ".cache/node-gyp/x"), verdict);
	assert_int_equal(may_connect(rig, "www.npmjs.org:443"), verdict);
	assert_int_equal(may_connect(rig, "nodejs.org:443"), verdict);
	assert_int_equal(may_write(rig, ".npmrc"), AMBIT_ASK);
	assert_int_equal(may_write(rig, ".cache/other/x"), AMBIT_ASK);
	assert_int_equal(may_connect(rig, "example.org:443"), AMBIT_ASK);
}

struct count {
	const char *kind, *subject;
	int n;
};

static int
count_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct count *count = data;

	(void)id;
	count->n += streq(event->kind, count->kind) && event->subject &&
		    streq(event->subject, count->subject);
	return 0;
}

static int
events(struct engine_rig *rig, const char *kind, const char *subject)
{
	struct count count = { kind, subject, 0 };
	struct ambit_event_filter filter = { 0 };

	assert_int_equal(ambit_record_events(rig->record, &filter, count_event, &count, NULL), 0);
	return count.n;
}

static int
count_rule(void *data, const struct ambit_rule *rule)
{
	assert_string_equal(rule->source, "profile npm");
	++*(int *)data;
	return 0;
}

static int
rules(struct engine_rig *rig)
{
	struct ambit_rule_filter filter = { .all_sessions = true };
	int n = 0;

	assert_int_equal(ambit_record_rules(rig->record, &filter, count_rule, &n, NULL), 0);
	return n;
}

/* -- profiles ---------------------------------------------------------------------- */

static void
the_question_names_every_folder_and_host_and_what_is_stored(void **state)
{
	static const enum ambit_answer_kind kinds[] = { AMBIT_NO, AMBIT_NO_SESSION, AMBIT_ONCE,
		AMBIT_FILE, AMBIT_ALWAYS };
	struct engine_rig *rig = *state;
	struct ambit_question q = { 0 };
	static const char opens[] =
		"write beneath ~/.npm, ~/.cache/node-gyp; connect *.npmjs.org, nodejs.org";

	start(rig, NULL, "s");
	assert_int_equal(engine_profile_question(rig->engine, "npm", NULL, &q, NULL), 1);
	assert_string_equal(q.who, "profile npm");
	assert_string_equal(q.what, "open the state folders and hosts of npm");
	assert_non_null(strstr(q.why, "~/.npm, ~/.cache/node-gyp"));
	assert_non_null(strstr(q.why, "*.npmjs.org, nodejs.org"));
	assert_true(q.id != 0 && q.expires == 0);
	assert_int_equal(q.n_choices, 5);
	assert_int_equal(q.folder, q.n_choices);
	for (size_t i = 0; i < q.n_choices; i++) {
		assert_int_equal(q.choices[i].kind, kinds[i]);
		assert_null(q.choices[i].path);
		if (i >= 2)
			assert_true(str_prefix(q.choices[i].stores, opens));
	}
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(q.choices[i].stores,
			"no write beneath ~/.npm, ~/.cache/node-gyp, this session");
	assert_non_null(strstr(q.choices[2].stores, ", this run only"));
	assert_non_null(strstr(q.choices[3].stores, ", this session"));
	assert_non_null(strstr(q.choices[4].stores, ", always, in every project"));
	question_finish(&q);
	assert_int_equal(events(rig, "ask", "profile npm"), 1);
	assert_int_equal(engine_profile_question(rig->engine, "nosuch", NULL, &q, NULL), -EINVAL);
}

/* Lines of a question in 80 columns, none of them wider. */
static size_t
count_lines(const struct ambit_question *question)
{
	struct dialog *dialog = NULL;
	auto_free char *text = NULL;
	size_t n = 0, column = 0;

	assert_int_equal(dialog_create(question, &dialog, NULL), 0);
	text = dialog_text(dialog, 80, false);
	assert_non_null(text);
	for (const char *at = text; *at; at++) {
		column = *at == '\n' ? 0 : column + 1;
		n += *at == '\n';
		assert_true(column < 80);
	}
	dialog_destroy(dialog);
	return n;
}

static void
every_profile_is_asked_about_in_six_lines(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_question q = { 0 };
	const struct profile *profile;

	start(rig, NULL, "s");
	for (size_t i = 0; (profile = profile_at(i)) != NULL; i++) {
		assert_int_equal(
			engine_profile_question(rig->engine, profile->name, NULL, &q, NULL), 1);
		if (count_lines(&q) > 6)
			fail_msg("%s takes %zu lines", profile->name, count_lines(&q));
		question_finish(&q);
	}
}

static void
once_opens_all_of_it_for_this_engine_alone(void **state)
{
	struct engine_rig *rig = *state;

	start(rig, NULL, "s");
	assert_npm(rig, AMBIT_ASK);
	assert_int_equal(put(rig, "npm"), 1);
	answer(rig, "npm", AMBIT_ONCE);
	assert_npm(rig, AMBIT_ALLOW);
	assert_int_equal(put(rig, "npm"), 0);
	assert_int_equal(events(rig, "answer", "profile npm"), 1);
	assert_int_equal(rules(rig), 0);
	engine_rig_stop(rig);
	start(rig, NULL, "s");
	assert_npm(rig, AMBIT_ASK);
	assert_int_equal(put(rig, "npm"), 1);
}

static void
this_session_is_kept_for_the_session(void **state)
{
	struct engine_rig *rig = *state;

	start(rig, NULL, "s");
	answer(rig, "npm", AMBIT_FILE);
	assert_int_equal(rules(rig), 4);
	assert_npm(rig, AMBIT_ALLOW);
	engine_rig_stop(rig);
	start(rig, NULL, "s");
	assert_npm(rig, AMBIT_ALLOW);
	assert_int_equal(put(rig, "npm"), 0);
	engine_rig_stop(rig);
	start(rig, NULL, "other");
	assert_npm(rig, AMBIT_ASK);
	assert_int_equal(put(rig, "npm"), 1);
}

static void
always_is_kept_for_every_project(void **state)
{
	struct engine_rig *rig = *state;
	char elsewhere[600];

	start(rig, NULL, "s");
	answer(rig, "npm", AMBIT_ALWAYS);
	assert_int_equal(rules(rig), 4);
	engine_rig_stop(rig);
	start(rig, NULL, "other");
	assert_npm(rig, AMBIT_ALLOW);
	assert_int_equal(put(rig, "npm"), 0);
	assert_int_equal(put(rig, "pnpm"), 1); /* shares one folder with it, not all */
	engine_rig_stop(rig);
	snprintf(elsewhere, sizeof(elsewhere), "%.500s/elsewhere", rig->w.home);
	assert_int_equal(mkdir(elsewhere, 0755), 0);
	snprintf(rig->w.root, sizeof(rig->w.root), "%s", elsewhere);
	start(rig, NULL, "third");
	assert_npm(rig, AMBIT_ALLOW);
	assert_int_equal(put(rig, "npm"), 0);
}

/* After a no, nobody is asked about each of its places. */
static void
assert_no_is_kept_for_the_session(struct engine_rig *rig, enum ambit_answer_kind kind)
{
	struct ambit_question q;
	struct ambit_error err = { 0 };

	start(rig, NULL, "s");
	answer(rig, "npm", kind);
	assert_int_equal(engine_profile_question(rig->engine, "npm", NULL, &q, &err), -EACCES);
	assert_non_null(strstr(err.text, "said no"));
	assert_int_equal(may_write(rig, ".npm/x"), AMBIT_DENY);
	assert_int_equal(may_connect(rig, "nodejs.org:443"), AMBIT_ASK); /* not npm's alone */
	engine_rig_stop(rig);
	start(rig, NULL, "other");
	assert_int_equal(put(rig, "npm"), 1);
}

static void
a_no_is_kept_for_the_session(void **state)
{
	assert_no_is_kept_for_the_session(*state, AMBIT_NO);
}

static void
a_no_for_the_session_is_the_same(void **state)
{
	assert_no_is_kept_for_the_session(*state, AMBIT_NO_SESSION);
}

static void
what_the_settings_open_is_not_asked(void **state)
{
	struct engine_rig *rig = *state;

	start(rig, "{\"profiles\":[\"npm\"],\"write\":[\"~/.cache\"]}", "s");
	assert_int_equal(put(rig, "npm"), 0);
	assert_int_equal(put(rig, "pip"), 0); /* ~/.cache holds all of it */
	assert_int_equal(put(rig, "cargo"), 1);
}

static void
what_was_not_offered_is_no_answer(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_answer a = { .kind = AMBIT_FOLDER };

	start(rig, NULL, "s");
	assert_int_equal(engine_profile_answer(rig->engine, "npm", &a, "t", NULL), -EINVAL);
	a.kind = AMBIT_ONCE;
	assert_int_equal(engine_profile_answer(rig->engine, "no", &a, "t", NULL), -EINVAL);
	assert_npm(rig, AMBIT_ASK);
	assert_int_equal(events(rig, "answer", "profile npm"), 0);
}

/* Guards beneath a state folder stay. */
static void
guards_within_stay_guards(void **state)
{
	struct engine_rig *rig = *state;

	start(rig, NULL, "s");
	answer(rig, "claude", AMBIT_ONCE);
	answer(rig, "claude", AMBIT_FILE);
	assert_int_equal(may_write(rig, ".claude/projects/x.jsonl"), AMBIT_ALLOW);
	assert_int_equal(may_write(rig, ".claude/settings.json"), AMBIT_ASK);
}

static void
a_folder_that_is_a_link_is_shown_and_opened_where_it_leads(void **state)
{
	struct engine_rig *rig = *state;
	auto_free char *link = str_printf("%s/.npm", rig->w.home);
	auto_free char *really = str_printf("~/.npm (really %s)", rig->w.out);
	struct ambit_question q = { 0 };
	struct ambit_error err = { 0 };

	world_link(rig->w.out, link);
	start(rig, NULL, "s");
	assert_int_equal(engine_profile_question(rig->engine, "npm", NULL, &q, &err), 1);
	assert_non_null(strstr(q.why, really));
	assert_non_null(strstr(q.choices[4].stores, really));
	question_finish(&q);
	answer(rig, "npm", AMBIT_FILE);
	assert_int_equal(may_write(rig, "../out/x"), AMBIT_ALLOW);
	/* but never the home itself, or what is above it */
	assert_int_equal(unlink(link), 0);
	world_link(rig->w.top, link);
	engine_rig_stop(rig);
	start(rig, NULL, "t");
	assert_int_equal(engine_profile_question(rig->engine, "npm", NULL, &q, &err), -EPERM);
	struct ambit_answer a = { .kind = AMBIT_ALWAYS };

	assert_int_equal(engine_profile_answer(rig->engine, "npm", &a, "t", &err), -EPERM);
	assert_int_equal(may_write(rig, "../x"), AMBIT_ASK);
}

static void
where_reads_are_limited_they_are_opened_as_well(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_question q = { 0 };

	start(rig, "{\"reads\":\"folder\"}", "s");
	assert_int_equal(engine_profile_question(rig->engine, "npm", NULL, &q, NULL), 1);
	assert_true(str_prefix(q.choices[3].stores, "write and read beneath ~/.npm"));
	question_finish(&q);
	answer(rig, "npm", AMBIT_FILE);
	assert_int_equal(rules(rig), 6);
}

static void
without_a_record_nothing_is_kept_but_once_works(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_answer a = { .kind = AMBIT_FILE };

	rig->settings = world_settings(&rig->w, NULL);
	rig->scope = world_scope(&rig->w);
	struct ambit_engine_options options = {
		.settings = rig->settings,
		.scope = rig->scope,
		.door = "test",
	};

	assert_int_equal(ambit_engine_create(&options, &rig->engine, NULL), 0);
	assert_int_equal(engine_profile_answer(rig->engine, "npm", &a, "t", NULL), -EROFS);
	assert_npm(rig, AMBIT_ASK);
	answer(rig, "npm", AMBIT_ONCE);
	assert_npm(rig, AMBIT_ALLOW);
}

/* -- configs ------------------------------------------------------------------------- */

static int
config(struct engine_rig *rig, const char *old, const char *new, char **ret_text)
{
	auto_close int old_fd = -1, new_fd = -1;
	struct ambit_error err;
	size_t len = 0;
	int r;

	world_file("config.lock", new);
	new_fd = open("config.lock", O_PATH | O_CLOEXEC);
	if (old) {
		world_file("config", old);
		old_fd = open("config", O_PATH | O_CLOEXEC);
	}
	r = engine_git_read(rig->engine, "config", new_fd, old_fd, ret_text, &len, &err);
	if (r == 0)
		assert_int_equal(len, strlen(new));
	else
		assert_true(err.text[0] != '\0');
	return r;
}

static void
a_new_config_is_judged_by_what_it_says(void **state)
{
	struct engine_rig *rig = *state;
	auto_free char *text = NULL, *none = NULL;

	start(rig, NULL, "s");
	assert_int_equal(config(rig, NULL, "[core]\n\tbare = false\n", &text), 0);
	assert_string_equal(text, "[core]\n\tbare = false\n");
	assert_int_equal(config(rig, NULL, "[core]\n\thooksPath = x\n", &none), -EPERM);
	assert_int_equal(config(rig, "[user]\nname = x\n", "[alias]\na = !b\n", &none), -EPERM);
	free(steal_ptr(&text));
	assert_int_equal(
		config(rig, "[alias]\na = !b\n", "[alias]\na = !b\n[user]\nname = x\n", &text), 0);
	assert_null(none);
}

static int
judge_fd(struct engine_rig *rig, int fd, int old)
{
	auto_free char *text = NULL;
	size_t len;

	return engine_git_read(rig->engine, "config", fd, old, &text, &len, NULL);
}

static void
what_is_no_regular_file_is_not_plain(void **state)
{
	struct engine_rig *rig = *state;
	auto_close int dir = -1, fifo = -1, file = -1;

	start(rig, NULL, "s");
	world_file("plain", "");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	dir = open(".", O_PATH | O_CLOEXEC);
	fifo = open("fifo", O_PATH | O_CLOEXEC);
	file = open("plain", O_RDONLY | O_CLOEXEC);
	assert_int_equal(judge_fd(rig, file, -1), 0);
	assert_true(judge_fd(rig, dir, -1) < 0);
	assert_true(judge_fd(rig, fifo, -1) < 0);
	assert_true(judge_fd(rig, file, fifo) < 0);
	assert_true(judge_fd(rig, 987, -1) < 0);
	assert_int_equal(truncate("plain", 2 * 1024 * 1024), 0);
	assert_int_equal(judge_fd(rig, file, -1), -EFBIG);
}

#define rig_test(f) cmocka_unit_test_setup_teardown(f, engine_rig_open, engine_rig_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		rig_test(the_question_names_every_folder_and_host_and_what_is_stored),
		rig_test(every_profile_is_asked_about_in_six_lines),
		rig_test(once_opens_all_of_it_for_this_engine_alone),
		rig_test(this_session_is_kept_for_the_session),
		rig_test(always_is_kept_for_every_project),
		rig_test(a_no_is_kept_for_the_session),
		rig_test(a_no_for_the_session_is_the_same),
		rig_test(what_the_settings_open_is_not_asked),
		rig_test(what_was_not_offered_is_no_answer),
		rig_test(guards_within_stay_guards),
		rig_test(a_folder_that_is_a_link_is_shown_and_opened_where_it_leads),
		rig_test(where_reads_are_limited_they_are_opened_as_well),
		rig_test(without_a_record_nothing_is_kept_but_once_works),
		rig_test(a_new_config_is_judged_by_what_it_says),
		rig_test(what_is_no_regular_file_is_not_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
