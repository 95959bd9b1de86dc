/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about glances: a glance says the same as a decision or nothing, and it notices what
 * others store. */

#include <time.h>

#include "engine-line-rig.h"
#include "rounds.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "perform/permit.h"
#include "request/request-object.h"

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
compare(struct engine_rig *rig, const struct path_facts *o, size_t n, struct count *count)
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
	struct path_facts o[2];
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
	struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "f"));
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
	struct path_facts o = object(AMBIT_ACCESS_WRITE, at(rig->w.root, "f"));
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(a_glance_never_says_more_than_a_decision),
		t(a_glance_needs_a_record_and_a_first_write),
		t(a_glance_notices_what_others_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
