/* SPDX-License-Identifier: Apache-2.0 */
/* A glance and a decision are the same rules over the same facts: compared over requests, rules,
 * modes and scopes that chance puts together. AMBIT_LONG tries millions. */

#include "decide/once.h"
#include "engine-line-rig.h"
#include "engine/doors.h"
#include "request/host.h"
#include "rounds.h"

static const char *const many_settings[] = {
	NULL,
	"{\"agent_mode\":\"build\",\"ask_mode\":\"ask-any-write\"}",
	"{\"permissions\":{\"write\":\"ask\",\"read\":\"ask\"}}",
	"{\"permissions\":{\"delete\":\"deny\",\"connect\":\"ask\",\"mo*\":\"ask\"}}",
	"{\"by_side_effect\":{\"write\":\"ask\",\"read\":\"deny\"}}",
	"{\"by_side_effect\":{\"network\":\"ask\",\"read\":\"ask\"}}",
	"{\"policy\":\"allow_all\"}",
	"{\"net\":\"none\"}",
	"{\"net\":\"open\",\"deny_hosts\":[\"far.test\"]}",
	"{\"allow_hosts\":[\"*.test\",\"unix:/run/ok/*\"],\"profiles\":[\"npm\"]}",
	"{\"unguard_writes\":[\".envrc\"],\"guard_writes\":[\"f\"],\"guard_reads\":[\"g\"]}",
};
#define SETTINGS_N (sizeof(many_settings) / sizeof(many_settings[0]))

static const char *const names[] = { "", "f", "g", "d", "d/f", "d/g", "d/new", ".envrc", ".git",
	".git/hooks", ".git/hooks/x", ".git/config", "link", "tree", "tree/.git/hooks/x", "moved",
	".bash_history", ".ambit.json", "f.lock", "d/.f.swp", "d/f.tmp" };
static const char *const hosts[] = { "far.test", "a.test:443", "127.0.0.1:80", "localhost",
	"10.0.0.1", "unix:/run/docker.sock", "unix:/run/ok/s", "unix:@one", "[::1]:8080",
	"unix:/tmp/tmux-0/default", "www.npmjs.org" };
#define NAMES_N (sizeof(names) / sizeof(names[0]))
#define HOSTS_N (sizeof(hosts) / sizeof(hosts[0]))
#define DIRS_N 5
#define PLACES_N (DIRS_N * NAMES_N)
#define RULES_N 5

struct chance {
	uint64_t state;
	struct engine_rig *rig;
	struct path_facts places[PLACES_N]; /* what lies there, and strings of its own */
	struct ambit_scope *child;
	struct ambit_session session;
	struct ambit_tool_permission permission;
	struct ambit_rule rules[RULES_N];
	struct grant grant;
	size_t allowed, firm; /* glances that allow; decisions that allow */
};

static uint64_t
draw(struct chance *c, uint64_t below)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return (c->state >> 11) % below;
}

static bool
is_one_in(struct chance *c, uint64_t n)
{
	return draw(c, n) == 0;
}

static const struct path_facts *
draw_place(struct chance *c)
{
	return &c->places[draw(c, PLACES_N)];
}

static void
find_places(struct chance *c)
{
	const struct world *w = &c->rig->w;
	const char *dirs[DIRS_N] = { w->root, w->out, w->home, w->state, "/tmp" };

	for (size_t i = 0; i < PLACES_N; i++) {
		const char *name = names[i / DIRS_N], *dir = dirs[i % DIRS_N];

		c->places[i] = object(0, strdup(*name ? at(dir, name) : dir));
	}
}

static void
draw_rule(struct chance *c, struct ambit_rule *rule, int64_t id)
{
	enum ambit_op op = (enum ambit_op)draw(c, 4);

	*rule = (struct ambit_rule){
		.id = id,
		.yes = !is_one_in(c, 3),
		.op = op,
		.beneath = is_one_in(c, 2),
		.names = is_one_in(c, 8),
		.revoked = is_one_in(c, 10),
		.expires = is_one_in(c, 6) ? (int64_t)draw(c, 2) + 1 : 0,
		.subject = (char *)(op == AMBIT_OP_CONNECT ? hosts[draw(c, HOSTS_N)]
							   : draw_place(c)->real),
	};
	/* For one process there are only yeses, to hosts and to reads. */
	if (rule->yes && (op == AMBIT_OP_READ || op == AMBIT_OP_CONNECT) && is_one_in(c, 3))
		rule->pid = 7;
}

static void
draw_input(struct chance *c, struct decide_input *in)
{
	struct ambit_session *s = &c->session;

	in->n_rules = draw(c, RULES_N + 1);
	in->rules = c->rules;
	for (size_t i = 0; i < in->n_rules; i++)
		draw_rule(c, &c->rules[i], (int64_t)i + 1);
	in->now = 2;
	*s = *in->session;
	s->agent_mode = is_one_in(c, 16) ? AMBIT_PLAN : -1;
	s->sandbox_mode = is_one_in(c, 16) ? AMBIT_SANDBOX_READ_ONLY : -1;
	s->ask_mode = is_one_in(c, 3) ? (int)draw(c, 3) : -1;
	s->reads = is_one_in(c, 3) ? (int)draw(c, 3) : -1;
	s->wrote = is_one_in(c, 2);
	c->permission = (struct ambit_tool_permission){
		.tool = (char *)(is_one_in(c, 2) ? "*" : "write"),
		.permission = (enum ambit_permission)draw(c, 3),
	};
	s->permissions = &c->permission;
	s->n_permissions = is_one_in(c, 6);
	in->session = s;
	c->grant = (struct grant){
		.real = (char *)draw_place(c)->real,
		.write = is_one_in(c, 2),
		.names = is_one_in(c, 3),
	};
	in->grants = &c->grant;
	in->n_grants = is_one_in(c, 4);
	in->scope = is_one_in(c, 5) ? c->child : in->scope;
	in->apart = is_one_in(c, 6);
	in->run = (enum run_reads)draw(c, RUN_READS_GUARDED + 1);
}

/* What a glance is told. */
static size_t
draw_objects(struct chance *c, struct path_facts *o)
{
	size_t n = 1 + draw(c, 4);
	enum object_special special = is_one_in(c, 8) ? (enum object_special)draw(c, SPECIAL_N) : 0;

	for (size_t i = 0; i < n; i++) {
		o[i] = *draw_place(c);
		o[i].access = (enum ambit_access)draw(c, AMBIT_ACCESS_READ_TREE + 1);
		o[i].written = is_one_in(c, 4) ? draw_place(c)->real : o[i].real;
		o[i].leads = is_one_in(c, 8) ? draw_place(c)->real : NULL;
		o[i].own = is_one_in(c, 3);
		o[i].marks = is_one_in(c, 6);
		o[i].sets_id = is_one_in(c, 8);
		o[i].special = is_one_in(c, 10) ? 0 : special;
	}
	if (n > 1 && is_one_in(c, 2)) { /* a move */
		o[0].access = AMBIT_ACCESS_DELETE;
		o[1].access = AMBIT_ACCESS_REPLACE;
	}
	return n;
}

/* What a whole request is told beyond that. */
static void
draw_more(struct chance *c, struct path_facts *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		o[i].plain = is_one_in(c, 2);
		o[i].truncates = is_one_in(c, 2);
		o[i].recent = is_one_in(c, 4);
		o[i].made = is_one_in(c, 4);
		o[i].in_made = is_one_in(c, 4);
		o[i].fresh = is_one_in(c, 2);
	}
}

static struct ambit_request *
make_host_request(struct chance *c)
{
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_connect(hosts[draw(c, HOSTS_N)], &request, NULL), 0);
	request_set_lookup(request, is_one_in(c, 4));
	return request;
}

/* A glance leaves it to a permit, or to the words. */
static bool
is_left(const struct decide_input *in, const struct ambit_outcome *out)
{
	bool dir = false, writes = in->request->host != NULL;

	for (size_t i = 0; i < out->n_paths; i++) {
		if (out->paths[i].once)
			return true;
		dir |= S_ISDIR(in->request->paths[i].object->mode);
		writes |= access_writes(out->paths[i].access);
	}
	if (in->run != RUN_NONE && !writes)
		return true;
	for (size_t i = 0; i < out->n_says; i++)
		if (strstr(out->says[i].reason, "ask_mode is bypass"))
			return true;
	return settings_policy(in->settings) || (dir && out->n_paths > 1);
}

static enum ambit_verdict
compare_glance(struct chance *c, const struct decide_input *in, size_t round)
{
	enum ambit_verdict seen = decide_verdict(in);
	struct ambit_outcome out;

	decide(in, &out, NULL);
	if (seen != out.verdict && !(seen == AMBIT_ASK && is_left(in, &out)))
		fail_msg("round %zu: a glance at %s says %d, a decision %d: %s", round,
			in->request->host ? in->request->host : in->request->paths[0].object->real,
			(int)seen, (int)out.verdict, out.reason);
	c->allowed += seen == AMBIT_ALLOW;
	c->firm += out.verdict == AMBIT_ALLOW;
	ambit_outcome_finish(&out);
	return seen;
}

/* The same as the gate makes it: of a process that it holds. */
static void
check_whole(struct decide_input *in, struct ambit_request *whole, size_t round)
{
	struct ambit_outcome out;

	in->request = whole;
	request_set_held(whole, true);
	assert_int_equal(ambit_request_set_who(whole, 7, 0, "cp", NULL), 0);
	decide(in, &out, NULL);
	if (out.verdict != AMBIT_ALLOW)
		fail_msg("round %zu: a glance at %s allows more: %s", round,
			whole->host ? whole->host : whole->paths[0].object->real, out.reason);
	ambit_outcome_finish(&out);
}

static void
try_round(struct chance *c, size_t round)
{
	bool host = is_one_in(c, 6);
	struct path_facts objects[4], own[4];
	size_t n = host ? 0 : draw_objects(c, objects);
	struct ambit_request *whole = host ? make_host_request(c) : NULL, glance;
	struct request_path paths[4];
	struct decide_input in;

	memcpy(own, objects, n * sizeof(*own));
	if (!host)
		assert_int_equal(request_borrow_objects(own, n, paths, &glance), 0);
	engine_look(c->rig->engine, host ? whole : &glance, &in);
	draw_input(c, &in);
	if (compare_glance(c, &in, round) == AMBIT_ALLOW) {
		draw_more(c, objects, n);
		check_whole(&in, host ? whole : request_of(objects, n), round);
		whole = (struct ambit_request *)in.request;
	}
	ambit_request_destroy(whole);
}

static void
glances_agree_with_decisions(void **state)
{
	struct chance c = { .state = 20, .rig = *state };
	struct request_scope narrow = { .enforce = REQUEST_ENFORCE_ON };
	size_t n = (size_t)rounds(1000, 300000);

	world_dir("d");
	world_dir("tree");
	world_dir("tree/.git");
	world_dir("tree/.git/hooks");
	world_file("tree/.git/hooks/x", "x");
	world_file("d/f", "x");
	world_file("f", "x");
	world_dir(".git");
	world_dir(".git/hooks");
	world_dir(at(c.rig->w.out, "d"));
	world_file(at(c.rig->w.out, "d/f"), "x");
	world_link(c.rig->w.out, "link");
	find_places(&c);
	narrow.root = (char *)at(c.rig->w.root, "d");
	for (size_t s = 0; s < SETTINGS_N; s++) {
		start_late(c.rig, many_settings[s]);
		assert_true(engine_refresh(c.rig->engine));
		assert_int_equal(engine_child_scope(c.rig->engine, &narrow, &c.child, NULL), 0);
		for (size_t i = 0; i < n; i++)
			try_round(&c, s * n + i);
		ambit_scope_destroy(c.child);
		engine_rig_stop(c.rig);
	}
	/* Chance met both ends, and a glance leaves little. */
	assert_true(c.allowed > n / 2 && c.allowed < SETTINGS_N * n / 2);
	assert_true(c.allowed > c.firm / 2);
	for (size_t i = 0; i < PLACES_N; i++)
		free((char *)c.places[i].real);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(glances_agree_with_decisions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
