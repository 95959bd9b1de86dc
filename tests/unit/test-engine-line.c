/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/engine/engine-line.c, lib/engine/engine-floor.c and of requests about
 * objects, on a real record and a real file system. */

#include "engine-rig.h"

#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "perform/permit.h"
#include "request/request-object.h"
#include "request/request-private.h"
#include "rounds.h"

/* The session's first write is behind it. */
static void
start_late(struct engine_rig *rig, const char *settings)
{
	engine_rig_start(rig, settings, NULL);
	assert_int_equal(
		record_session_wrote(rig->record, ambit_engine_session(rig->engine), NULL), 0);
	rig->engine->rules_version = -1;
}

/* -- objects ----------------------------------------------------------------- */

static const char *
at(const char *dir, const char *name)
{
	static char paths[16][1024];
	static int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* As a supervisor would see it: what lies there now. */
static struct ambit_object
object(enum ambit_access access, const char *real)
{
	struct ambit_object o = { .access = access, .real = real, .written = real };
	struct stat st;

	if (lstat(real, &st) == 0) {
		o.exists = true;
		o.mode = st.st_mode;
		o.dev = st.st_dev;
		o.ino = st.st_ino;
		o.nlink = st.st_nlink;
	}
	return o;
}

static struct ambit_request *
request_of(const struct ambit_object *objects, size_t n)
{
	struct ambit_request *request = NULL;
	struct ambit_error err = { 0 };

	if (request_objects(objects, n, &request, &err) < 0)
		fail_msg("objects: %s", err.text);
	return request;
}

static enum ambit_verdict
decided(struct engine_rig *rig, const struct ambit_object *objects, size_t n,
	enum ambit_code *ret_code)
{
	struct ambit_request *request = request_of(objects, n);
	struct ambit_outcome outcome;
	enum ambit_verdict verdict;

	engine_decide(rig->engine, request, NULL, false, &outcome, NULL);
	verdict = outcome.verdict;
	if (ret_code)
		*ret_code = outcome.code;
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return verdict;
}

static enum ambit_verdict
glance(struct engine_rig *rig, const struct ambit_object *objects, size_t n)
{
	struct pass pass;
	enum ambit_verdict verdict = engine_allows_fast(rig->engine, objects, n, &pass);

	assert_int_equal(pass_use(&pass), verdict == AMBIT_ALLOW ? 0 : -EPERM);
	assert_int_equal(pass_use(&pass), -EPERM);
	return verdict;
}

/* Both at once, which must not contradict each other. */
static enum ambit_verdict
both(struct engine_rig *rig, const struct ambit_object *objects, size_t n,
	enum ambit_code *ret_code)
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
	struct ambit_object o[4];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ambit_request *request;

		for (size_t j = 0; j < cases[i].n; j++)
			o[j] = (struct ambit_object){ cases[i].access[j], .real = "/a",
				.written = "/b" };
		request = request_of(o, cases[i].n);
		assert_string_equal(request_tool(request), cases[i].tool);
		ambit_request_destroy(request);
	}
	static const char *const bad[] = { "", "a", "/a/", "/a//b", "/a/../b", "/a/.", "//" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ambit_request *request = NULL;

		o[0] = (struct ambit_object){ AMBIT_ACCESS_WRITE, .real = bad[i], .written = "/" };
		assert_int_equal(request_objects(o, 1, &request, NULL), -EINVAL);
		o[0] = (struct ambit_object){ AMBIT_ACCESS_WRITE, .real = "/", .written = bad[i] };
		assert_int_equal(request_objects(o, 1, &request, NULL), -EINVAL);
	}
	assert_int_equal(request_objects(o, 0, &(struct ambit_request *){ 0 }, NULL), -EINVAL);
}

static void
an_object_is_decided_as_it_was_resolved(void **state)
{
	struct engine_rig *rig = *state;
	enum ambit_code code;
	struct ambit_object o;

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
	struct ambit_object o;

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
	struct ambit_object o;
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

static void
scratch_of_the_sessions_own_is_free(void **state)
{
	struct engine_rig *rig = *state;
	enum ambit_code code;
	struct ambit_object o[2];

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
	struct ambit_object o[4];
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

/* -- glances --------------------------------------------------------------------- */

static void
add_rule(struct engine_rig *rig, bool yes, enum ambit_op op, const char *subject, bool beneath)
{
	struct ambit_rule rule = {
		.yes = yes,
		.op = op,
		.subject = (char *)subject,
		.beneath = beneath,
		.session = (char *)ambit_engine_session(rig->engine),
		.project = rig->w.root,
		.created = 1,
		.source = (char *)"test",
	};
	int64_t id;

	assert_int_equal(ambit_record_rule_add(rig->record, &rule, &id, NULL), 0);
	rig->engine->rules_version = -1;
}

static const char *const many_settings[] = {
	NULL,
	"{\"agent_mode\":\"plan\"}",
	"{\"sandbox_mode\":\"read-only\"}",
	"{\"ask_mode\":\"ask-any-write\"}",
	"{\"ask_mode\":\"bypass\"}",
	"{\"reads\":\"folder\"}",
	"{\"reads\":\"until-first-write\"}",
	"{\"permissions\":{\"write\":\"ask\"}}",
	"{\"permissions\":{\"delete\":\"deny\",\"connect\":\"ask\"}}",
	"{\"permissions\":{\"Move*\":\"deny\",\"read\":\"ask\"}}",
	"{\"permissions\":{\"*\":\"ask\",\"write\":\"allow\"}}",
	"{\"by_side_effect\":{\"write\":\"ask\"}}",
	"{\"by_side_effect\":{\"network\":\"deny\",\"read\":\"allow\"}}",
	"{\"policy\":\"deny_all\"}",
	"{\"policy_program\":{\"command\":[\"/bin/false\"]}}",
	"{\"loop_limit\":1}",
	"{\"net\":\"none\"}",
	"{\"net\":\"open\",\"deny_hosts\":[\"bad.test\"]}",
	"{\"allow_hosts\":[\"*.good.test\",\"unix:/run/ok/*\",\"unix:@one\"]}",
	"{\"deny_hosts\":[\"*\",\"unix:/run/ok/s\"]}",
	"{\"profiles\":[\"npm\"]}",
	"{\"unguard_writes\":[\".envrc\"],\"guard_writes\":[\"f\"]}",
};
#define SETTINGS_N (sizeof(many_settings) / sizeof(many_settings[0]))
#define RULES_N 6

static void
add_rules(struct engine_rig *rig, size_t which)
{
	switch (which) {
	case 1:
		add_rule(rig, true, AMBIT_OP_WRITE, rig->w.out, true);
		add_rule(rig, true, AMBIT_OP_CONNECT, "far.test", false);
		break;
	case 2:
		add_rule(rig, true, AMBIT_OP_WRITE, rig->w.out, true);
		add_rule(rig, false, AMBIT_OP_WRITE, at(rig->w.out, "d/f"), false);
		add_rule(rig, true, AMBIT_OP_CONNECT, "unix:/run/docker.sock", false);
		add_rule(rig, false, AMBIT_OP_CONNECT, "a.good.test", false);
		break;
	case 3:
		add_rule(rig, false, AMBIT_OP_WRITE, at(rig->w.root, "d"), true);
		add_rule(rig, true, AMBIT_OP_READ, rig->w.out, true);
		add_rule(rig, true, AMBIT_OP_CONNECT, "unix:/run/*", false);
		break;
	case 4:
		add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.root, ".envrc"), false);
		add_rule(rig, false, AMBIT_OP_READ, at(rig->w.root, "d"), true);
		add_rule(rig, true, AMBIT_OP_CONNECT, "*", false);
		break;
	case 5:
		add_rule(rig, true, AMBIT_OP_WRITE, rig->w.home, true);
		add_rule(rig, true, AMBIT_OP_WRITE, rig->w.state, true);
		add_rule(rig, true, AMBIT_OP_CONNECT, "127.0.0.0/8", false);
		break;
	}
}

struct count {
	size_t tried, glanced, decided;
};

/* A glance allows nothing that a decision does not. */
static void
compare(struct engine_rig *rig, const struct ambit_object *o, size_t n, struct count *count)
{
	enum ambit_verdict verdict = decided(rig, o, n, NULL);
	bool seen = glance(rig, o, n) == AMBIT_ALLOW;

	count->tried++;
	count->decided += verdict == AMBIT_ALLOW;
	count->glanced += seen;
	if (seen && verdict != AMBIT_ALLOW)
		fail_msg("glanced at %s %s (%s), which is no allow", object_tool(o, n), o->real,
			o->written);
}

/* One part of the objects, of so many. */
static void
compare_objects(struct engine_rig *rig, size_t part, size_t parts, struct count *count)
{
	const char *names[] = { "f", "d", "d/f", "d/g", ".envrc", ".git", ".git/hooks/x",
		".ambit.json", "link", "new/deep" };
	const char *dirs[] = { rig->w.root, rig->w.out, rig->w.home, rig->w.state };
	struct ambit_object o[2];
	size_t n = 0;

	for (size_t i = 0; i < 4 * sizeof(names) / sizeof(names[0]); i++) {
		const char *real = at(dirs[i % 4], names[i / 4]);
		const char *other = at(rig->w.root, "d/other");

		for (int access = 0; access <= AMBIT_ACCESS_READ_TREE; access++)
			for (int bits = 0; bits < 4; bits++) {
				if (n++ % parts != part)
					continue;
				o[0] = object((enum ambit_access)access, real);
				o[0].own = bits & 1;
				if (bits & 2)
					o[0].written = other;
				compare(rig, o, 1, count);
				o[1] = object(AMBIT_ACCESS_REPLACE, other);
				compare(rig, o, 2, count);
			}
	}
	o[0] = object(AMBIT_ACCESS_DELETE, rig->w.root);
	compare(rig, o, 1, count);
	o[0] = object(AMBIT_ACCESS_REPLACE, rig->w.home);
	compare(rig, o, 1, count);
}

static void
compare_hosts(struct engine_rig *rig, struct count *count)
{
	const char *hosts[] = { "far.test", "far.test:443", "a.good.test", "bad.test",
		"127.0.0.1:80", "[::1]:8080", "localhost", "10.0.0.1", "unix:/run/docker.sock",
		"unix:/run/ok/s", "unix:/run/ok", "unix:@one", "unix:@two", at("unix:", "relative"),
		"www.npmjs.org", "" };
	char own[800];

	snprintf(own, sizeof(own), "unix:%s/s", rig->w.state);
	hosts[15] = own;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct ambit_request *request = NULL;
		struct ambit_outcome outcome;
		struct pass pass;
		bool seen;

		assert_int_equal(ambit_request_connect(hosts[i], &request, NULL), 0);
		engine_decide(rig->engine, request, NULL, false, &outcome, NULL);
		seen = engine_allows_host_fast(rig->engine, hosts[i], &pass) == AMBIT_ALLOW;
		assert_int_equal(pass_use(&pass), seen ? 0 : -EPERM);
		count->tried++;
		count->decided += outcome.verdict == AMBIT_ALLOW;
		count->glanced += seen;
		if (seen && outcome.verdict != AMBIT_ALLOW)
			fail_msg("glanced at %s, which is no allow", hosts[i]);
		ambit_outcome_finish(&outcome);
		ambit_request_destroy(request);
	}
}

static void
a_glance_never_says_more_than_a_decision(void **state)
{
	struct engine_rig *rig = *state;
	struct count all = { 0 };

	world_dir("d");
	world_file("d/f", "x");
	world_file("f", "x");
	world_dir(at(rig->w.out, "d"));
	world_file(at(rig->w.out, "d/f"), "x");
	world_link(rig->w.out, "link");
	for (size_t s = 0; s < SETTINGS_N; s++)
		for (size_t r = 0; r < RULES_N; r++) {
			/* Where nothing else decides, it says just as much. */
			bool plain = s == 0 || s == 15;
			/* Every setting and every rule meet every object, if not all three. */
			size_t parts = plain ? 1 : (size_t)rounds(RULES_N, 1);
			struct count objects = { 0 }, hosts = { 0 };

			start_late(rig, many_settings[s]);
			add_rules(rig, r);
			/* A program for each decision: a few will do. */
			if (!many_settings[s] || !strstr(many_settings[s], "policy_program"))
				compare_objects(rig, (s + r) % parts, parts, &objects);
			compare_hosts(rig, &hosts);
			if (plain) {
				assert_int_equal(objects.glanced, objects.decided);
				assert_int_equal(hosts.glanced, hosts.decided);
				assert_true(objects.glanced > 100);
			}
			all.tried += objects.tried;
			all.glanced += objects.glanced;
			engine_rig_stop(rig);
		}
	assert_true(all.tried > 10000);
	assert_true(all.glanced > 1000 && all.glanced < all.tried);
}

static void
a_glance_needs_a_record_and_a_first_write(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_object o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "f"));
	struct ambit_request *request;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	uint64_t ticket;

	engine_rig_start(rig, NULL, NULL);
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	request = request_of(&o, 1);
	assert_int_equal(engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL), 0);
	assert_int_equal(outcome.verdict, AMBIT_ALLOW);
	ambit_outcome_finish(&outcome);
	assert_int_equal(ambit_permit_finish(permit, 0, NULL), 0);
	assert_int_equal(glance(rig, &o, 1), AMBIT_ALLOW);
	engine_rig_stop(rig);
	engine_rig_start(rig, NULL, &(struct ambit_engine_options){ .observe = true });
	o.access = AMBIT_ACCESS_READ;
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_int_equal(glance(rig, &o, 0), AMBIT_ASK);
}

static void
a_glance_notices_what_others_store(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_object o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "f"));
	struct ambit_record *other = NULL;
	time_t until;

	start_late(rig, NULL);
	assert_int_equal(glance(rig, &o, 1), AMBIT_ALLOW);
	assert_int_equal(ambit_record_open(rig->w.state, AMBIT_RECORD_WRITE, &other, NULL), 0);
	struct ambit_rule no = {
		.op = AMBIT_OP_WRITE,
		.subject = (char *)o.real,
		.session = (char *)ambit_engine_session(rig->engine),
		.project = rig->w.root,
		.created = 1,
		.source = (char *)"test",
	};

	assert_int_equal(ambit_record_rule_add(other, &no, &no.id, NULL), 0);
	ambit_record_close(other);
	until = time(NULL) + 5;
	while (glance(rig, &o, 1) == AMBIT_ALLOW && time(NULL) < until)
		;
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_int_equal(decided(rig, &o, 1, NULL), AMBIT_DENY);
}

/* -- questions --------------------------------------------------------------------- */

static uint64_t
submit(struct engine_rig *rig, const struct ambit_object *objects, size_t n, pid_t pid,
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
	const struct ambit_question *question = engine_question(rig->engine);
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

static void
once_is_this_directory_for_this_process(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_object o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "one"));
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
	/* The same process goes on there, as often as it likes, under other names. */
	for (int i = 0; i < 3; i++) {
		o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "two"));
		assert_int_equal(submit(rig, &o, 1, 100, &outcome), 0);
		assert_int_equal(outcome.verdict, AMBIT_ALLOW);
		ambit_outcome_finish(&outcome);
	}
	/* No glance says so, and no other process may. */
	assert_int_equal(glance(rig, &o, 1), AMBIT_ASK);
	assert_int_not_equal(submit(rig, &o, 1, 101, &outcome), 0);
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.top, "beside"));
	assert_int_not_equal(submit(rig, &o, 1, 100, &outcome), 0);
}

static void
an_answer_is_not_about_what_was_put_there_since(void **state)
{
	struct engine_rig *rig = *state;
	const char *path = at(rig->w.out, "f");
	struct ambit_object o;
	struct ambit_outcome outcome;
	enum ambit_code code;
	uint64_t ticket;

	world_file(path, "old");
	world_file(at(rig->w.out, "kept"), "so that its inode is not given out again");
	engine_rig_start(rig, NULL, NULL);
	o = object(AMBIT_ACCESS_WRITE, path);
	ticket = submit(rig, &o, 1, 100, &outcome);
	assert_non_null(engine_question(rig->engine));
	assert_int_equal(rename(at(rig->w.out, "kept"), path), 0);
	answer(rig, AMBIT_FILE);
	assert_int_equal(collect(rig, ticket, &code, NULL), AMBIT_DENY);
	assert_int_equal(code, AMBIT_CODE_UNRESOLVABLE);
	/* What was not there and is now; a link in its place. */
	o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "g"));
	ticket = submit(rig, &o, 1, 100, &outcome);
	assert_non_null(engine_question(rig->engine));
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
count_event(void *data, int64_t id, const struct ambit_event *event)
{
	(void)id;
	(void)event;
	++*(int *)data;
	return 0;
}

static int
events(struct engine_rig *rig, const char *kind, const char *code)
{
	struct ambit_event_filter filter = { .kind = kind, .code = code };
	int n = 0;

	assert_int_equal(ambit_record_events(rig->record, &filter, count_event, &n, NULL), 0);
	return n;
}

static void
a_question_that_fails_refuses_all_who_wait(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_object o = object(AMBIT_ACCESS_WRITE, at(rig->w.out, "f"));
	struct ambit_outcome outcome;
	enum ambit_code code;
	uint64_t ticket[3], id;

	engine_rig_start(rig, NULL, NULL);
	for (int i = 0; i < 3; i++)
		ticket[i] = submit(rig, &o, 1, 100, &outcome);
	id = engine_question(rig->engine)->id;
	assert_int_equal(engine_decline(rig->engine, id, -ETIMEDOUT, "too late"), 0);
	assert_null(engine_question(rig->engine));
	assert_int_equal(events(rig, "decide", "Timeout"), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(collect(rig, ticket[i], &code, NULL), AMBIT_DENY);
		assert_int_equal(code, AMBIT_CODE_TIMEOUT);
	}
	assert_int_equal(engine_decline(rig->engine, id, ETIMEDOUT, "too late"), -ENOENT);
	ticket[0] = submit(rig, &o, 1, 100, &outcome);
	id = engine_question(rig->engine)->id;
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
		struct ambit_object o;

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
	question = engine_question(rig->engine);
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

struct list {
	char text[8192];
	int n;
};

static int
take(void *data, const char *path)
{
	struct list *list = data;
	size_t len = strlen(list->text);

	snprintf(list->text + len, sizeof(list->text) - len, "%s\n", path);
	list->n++;
	return 0;
}

/* The spine with a mark. */
static int
take_ground(void *data, const char *path, bool spine)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s%s", spine ? "spine:" : "", path);
	return take(data, line);
}

static bool
has(const struct list *list, const char *path)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s\n", path);
	for (const char *p = strstr(list->text, line); p; p = strstr(p + 1, line))
		if (p == list->text || p[-1] == '\n')
			return true;
	return false;
}

static const char *
spine(const char *path)
{
	static char line[1024];

	snprintf(line, sizeof(line), "spine:%s", path);
	return line;
}

static struct list
writable(struct engine_rig *rig)
{
	struct list list = { 0 };

	assert_int_equal(engine_writable(rig->engine, take_ground, &list), 0);
	return list;
}

static void
the_floor_is_what_is_open_without_a_question(void **state)
{
	struct engine_rig *rig = *state;
	struct list list;
	char settings[2048];

	world_dir(at(rig->w.out, "granted"));
	world_dir(at(rig->w.out, "ruled"));
	world_dir(at(rig->w.out, "refused"));
	world_dir(at(rig->w.out, "moved"));
	snprintf(settings, sizeof(settings), "{\"write\":[\"%s/granted\",\"%s/no\",\"%s/x\"]}",
		rig->w.out, rig->w.out, rig->w.state);
	engine_rig_start(rig, settings, NULL);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "ruled"), true);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "moved"), true);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "file"), false);
	add_rule(rig, true, AMBIT_OP_WRITE, rig->w.home, true);
	add_rule(rig, true, AMBIT_OP_WRITE, "/", true);
	add_rule(rig, false, AMBIT_OP_WRITE, at(rig->w.out, "refused/f"), false);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "refused"), true);
	assert_int_equal(rmdir(at(rig->w.out, "moved")), 0);
	world_link("/", at(rig->w.out, "moved"));
	world_dir(at(rig->w.root, "src"));
	world_dir(at(rig->w.out, "refused/beside"));
	list = writable(rig);
	assert_true(has(&list, spine(rig->w.root)));
	assert_true(has(&list, at(rig->w.root, "src")));
	assert_true(has(&list, at(rig->w.out, "granted")));
	assert_true(has(&list, at(rig->w.out, "ruled")));
	assert_true(has(&list, spine(at(rig->w.out, "refused"))));
	assert_true(has(&list, at(rig->w.out, "refused/beside")));
	assert_int_equal(list.n, 6);
	rig->scope->enforce_write = true;
	assert_int_equal(writable(rig).n, 2);
}

/* Nothing is granted on what lies above a guard, there or not; all of what lies
 * beside it is. */
static void
the_floor_goes_around_guards(void **state)
{
	static const char *const dirs[] = { "src", "src/.vscode", ".vscode", ".claude",
		".claude/hooks", ".claude/logs", ".git", ".git/hooks", ".git/objects", ".git/refs",
		".git/modules", ".git/modules/x", ".git/modules/x/objects", "sub", "sub/free",
		"sub/repo", "sub/repo/.git", "sub/repo/.git/hooks", "sub/repo/.git/objects",
		"sub/repo/lib", ".ENVRC" };
	static const char *const spine_of[] = { ".claude", ".git", ".git/modules", ".git/modules/x",
		".git/modules/x/objects", "sub", "sub/repo", "sub/repo/.git" };
	static const char *const open_of[] = { "src", ".claude/logs", ".git/objects", ".git/refs",
		"sub/free", "sub/repo/.git/objects", "sub/repo/lib" };
	struct engine_rig *rig = *state;
	struct list list;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		world_dir(at(rig->w.root, dirs[i]));
	engine_rig_start(rig, NULL, NULL);
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, "new")));
	list = writable(rig);
	assert_true(has(&list, spine(rig->w.root)));
	for (size_t i = 0; i < sizeof(spine_of) / sizeof(spine_of[0]); i++)
		assert_true(has(&list, spine(at(rig->w.root, spine_of[i]))));
	for (size_t i = 0; i < sizeof(open_of) / sizeof(open_of[0]); i++)
		assert_true(has(&list, at(rig->w.root, open_of[i])));
	assert_int_equal(list.n, 16);
	assert_true(engine_may_open_dir(rig->engine, at(rig->w.root, "new")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".git/logs")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".Cursor")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".idea")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".git/worktrees/a")));
	assert_false(engine_search_cut(rig->engine));
}

static void
put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* By name, by what a .git file says, and by what makes a bare repository; in the folder
 * and in what was granted. */
static void
git_directories_are_known(void **state)
{
	static const char *const dirs[] = { ".git", ".git/logs", "tree", "store", "store/refs",
		"bare", "bare/refs", "bare/objects", "src" };
	struct engine_rig *rig = *state;
	char settings[2048];
	struct list list;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		world_dir(at(rig->w.root, dirs[i]));
	put_text(at(rig->w.root, "tree/.git"), "gitdir: ../store\n");
	put_text(at(rig->w.root, "bare/HEAD"), "ref: refs/heads/main\n");
	world_dir(at(rig->w.out, "granted"));
	world_dir(at(rig->w.out, "granted/.git"));
	world_dir(at(rig->w.out, "granted/.git/hooks"));
	world_dir(at(rig->w.out, "granted/.git/objects"));
	world_dir(at(rig->w.out, "granted/src"));
	snprintf(settings, sizeof(settings), "{\"write\":[\"%s/granted\"]}", rig->w.out);
	engine_rig_start(rig, settings, NULL);
	list = writable(rig);
	assert_true(engine_in_git(rig->engine, at(rig->w.root, ".git")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "deep/.GIT/logs")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "store/refs")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "bare/refs")));
	assert_false(engine_in_git(rig->engine, at(rig->w.root, "tree")));
	assert_false(engine_in_git(rig->engine, at(rig->w.root, ".github")));
	assert_true(has(&list, spine(at(rig->w.root, "store"))));
	assert_true(has(&list, at(rig->w.root, "store/refs")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, "store/new")));
	assert_true(has(&list, spine(at(rig->w.out, "granted"))));
	assert_true(has(&list, spine(at(rig->w.out, "granted/.git"))));
	assert_true(has(&list, at(rig->w.out, "granted/.git/objects")));
	assert_false(has(&list, at(rig->w.out, "granted/.git/hooks")));
	assert_true(has(&list, at(rig->w.out, "granted/src")));
}

/* What was not looked through is told. */
static void
a_search_that_ends_early_is_told(void **state)
{
	struct engine_rig *rig = *state;
	char name[64];

	for (int i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		world_dir(at(rig->w.root, name));
	}
	engine_rig_start(rig, NULL, NULL);
	writable(rig);
	assert_true(engine_search_cut(rig->engine));
}

static void
the_floor_is_empty_where_every_write_is_refused_or_asked(void **state)
{
	static const char *const settings[] = {
		"{\"agent_mode\":\"plan\"}",
		"{\"sandbox_mode\":\"read-only\"}",
		"{\"ask_mode\":\"ask-any-write\"}",
		"{\"permissions\":{\"delete\":\"ask\"}}",
		"{\"by_side_effect\":{\"write\":\"deny\"}}",
		"{\"policy\":\"deny_all\"}",
	};
	struct engine_rig *rig = *state;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		engine_rig_start(rig, settings[i], NULL);
		assert_int_equal(writable(rig).n, 0);
		engine_rig_stop(rig);
	}
}

static void
the_floor_goes_around_what_is_ambits_own(void **state)
{
	struct engine_rig *rig = *state;
	struct list list;

	world_dir(at(rig->w.home, "src"));
	world_dir(at(rig->w.home, ".local"));
	world_dir(at(rig->w.home, ".local/lib"));
	world_link("/", at(rig->w.home, "link"));
	world_file(at(rig->w.home, "file"), "x");
	snprintf(rig->w.root, sizeof(rig->w.root), "%s", rig->w.home);
	engine_rig_start(rig, NULL, NULL);
	world_dir(at(rig->w.home, ".local/state/other"));
	list = writable(rig);
	assert_true(has(&list, at(rig->w.home, "src")));
	assert_true(has(&list, at(rig->w.home, "project")));
	assert_true(has(&list, at(rig->w.home, ".local/lib")));
	assert_true(has(&list, at(rig->w.home, ".local/state/other")));
	assert_true(has(&list, spine(rig->w.home)));
	assert_true(has(&list, spine(at(rig->w.home, ".local"))));
	assert_true(has(&list, spine(at(rig->w.home, ".local/state"))));
}

static void
reads_are_limited_only_where_that_can_be_held(void **state)
{
	struct engine_rig *rig = *state;
	struct list list = { 0 };
	char settings[2048];

	engine_rig_start(rig, NULL, NULL);
	assert_int_equal(engine_readable(rig->engine, take, &list), 1);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"reads\":\"until-first-write\"}", NULL);
	assert_int_equal(engine_readable(rig->engine, take, &list), 1);
	assert_int_equal(list.n, 0);
	engine_rig_stop(rig);
	world_dir(at(rig->w.out, "w"));
	world_file(at(rig->w.out, "r"), "x");
	world_dir(at(rig->w.out, "ruled"));
	snprintf(settings, sizeof(settings),
		"{\"reads\":\"folder\",\"write\":[\"%s/w\"],\"read\":[\"%s/r\",\"%s\"]}",
		rig->w.out, rig->w.out, rig->w.state);
	engine_rig_start(rig, settings, NULL);
	add_rule(rig, true, AMBIT_OP_READ, at(rig->w.out, "ruled"), true);
	assert_int_equal(engine_readable(rig->engine, take, &list), 0);
	assert_true(has(&list, rig->w.root));
	assert_true(has(&list, at(rig->w.out, "w")));
	assert_true(has(&list, at(rig->w.out, "r")));
	assert_true(has(&list, at(rig->w.out, "ruled")));
	assert_int_equal(list.n, 4);
}

static void
secrets_and_the_record_are_hidden(void **state)
{
	struct engine_rig *rig = *state;
	struct list list = { 0 };
	char settings[2048];

	world_dir(at(rig->w.home, ".ssh"));
	world_file(at(rig->w.home, ".ssh/id_a"), "x");
	world_file(at(rig->w.home, ".ssh/id_a.pub"), "x");
	world_file(at(rig->w.home, ".ssh/config"), "x");
	world_dir(at(rig->w.home, ".gnupg"));
	world_file(at(rig->w.home, ".netrc"), "x");
	snprintf(settings, sizeof(settings), "{\"read\":[\"%s/.netrc\"]}", rig->w.home);
	engine_rig_start(rig, settings, NULL);
	assert_int_equal(engine_hidden(rig->engine, take, &list), 0);
	assert_true(has(&list, at(rig->w.home, ".ssh/id_a")));
	assert_true(has(&list, at(rig->w.home, ".gnupg")));
	assert_true(has(&list, rig->w.state));
	assert_int_equal(list.n, 3);
}

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

#define t(name) cmocka_unit_test_setup_teardown(name, engine_rig_open, engine_rig_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(a_request_knows_what_it_is_about),
		t(an_object_is_decided_as_it_was_resolved),
		t(marks_are_no_change_but_where_they_make_it_run),
		t(questions_show_what_it_is_not_how_it_was_called),
		t(scratch_of_the_sessions_own_is_free),
		t(a_directory_is_renamed_with_all_it_holds),
		t(a_glance_never_says_more_than_a_decision),
		t(a_glance_needs_a_record_and_a_first_write),
		t(a_glance_notices_what_others_store),
		t(once_is_this_directory_for_this_process),
		t(an_answer_is_not_about_what_was_put_there_since),
		t(a_question_that_fails_refuses_all_who_wait),
		t(only_a_person_is_asked_at_a_rate),
		t(a_socket_is_asked_as_what_it_is),
		t(the_floor_is_what_is_open_without_a_question),
		t(the_floor_is_empty_where_every_write_is_refused_or_asked),
		t(the_floor_goes_around_guards),
		t(git_directories_are_known),
		t(a_search_that_ends_early_is_told),
		t(the_floor_goes_around_what_is_ambits_own),
		t(reads_are_limited_only_where_that_can_be_held),
		t(secrets_and_the_record_are_hidden),
		t(a_run_is_noted),
		t(no_pass_no_act),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
