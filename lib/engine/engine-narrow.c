/* SPDX-License-Identifier: Apache-2.0 */
/* Whether less is allowed now than what the floor was made of. The kernel's floor cannot be
 * taken back, and a call that is continued is bounded by it alone; so once a mode, a
 * permission or a rule is narrower than it was then, nothing is continued. Compared is
 * what the floor depends on, and nothing else: a no about something far off must not
 * make every call slow. */

#include <stdlib.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"

struct engine_stance {
	bool plain;   /* the folder was open to writes */
	char **open;  /* what was told as clear: real paths */
	int64_t *yes; /* rules about writes that held then, in order; and noes */
	size_t n_yes;
	int64_t *no;
	size_t n_no;
};

void
engine_stance_destroy(struct engine_stance *stance)
{
	if (!stance)
		return;
	strv_free(stance->open);
	free(stance->yes);
	free(stance->no);
	free(stance);
}

/* By modes, permissions and policies: what a write without a path is decided as. */
bool
engine_writes_plainly(const struct decide_input *in)
{
	static const char *const tools[] = { "write", "delete", "move" };
	struct decide_input bare = *in;
	struct ambit_request request;

	bare.request = &request;
	bare.n_rules = bare.n_once = 0;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		request_begin_at(&request, tools[i]);
		if (decide_verdict(&bare) != AMBIT_ALLOW)
			return false;
	}
	return true;
}

static int
compare_rule_ids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool
has_rule_id(const int64_t *ids, size_t n, int64_t id)
{
	return n > 0 && bsearch(&id, ids, n, sizeof(*ids), compare_rule_ids) != NULL;
}

/* Of writes, and by anybody: what one process was allowed once is not in the floor. */
static bool
is_floor_rule(const struct decide_input *in, const struct ambit_rule *rule)
{
	return rule->op == AMBIT_OP_WRITE && (rule->pid == 0 || !rule->yes) &&
	       memory_in_force(in, rule);
}

static int
take_rules(struct engine_stance *stance, const struct decide_input *in)
{
	stance->yes = calloc(in->n_rules + 1, sizeof(*stance->yes));
	stance->no = calloc(in->n_rules + 1, sizeof(*stance->no));
	if (!stance->yes || !stance->no)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_rules; i++) {
		if (!is_floor_rule(in, &in->rules[i]))
			continue;
		if (in->rules[i].yes)
			stance->yes[stance->n_yes++] = in->rules[i].id;
		else
			stance->no[stance->n_no++] = in->rules[i].id;
	}
	qsort(stance->yes, stance->n_yes, sizeof(*stance->yes), compare_rule_ids);
	qsort(stance->no, stance->n_no, sizeof(*stance->no), compare_rule_ids);
	return 0;
}

int
engine_stance_take(struct ambit_engine *engine, char ***open)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct engine_stance *stance = calloc(1, sizeof(*stance));
	struct decide_input in;
	int r;

	if (!stance)
		return -ENOMEM;
	engine_look(engine, &request, &in);
	stance->plain = engine_writes_plainly(&in);
	stance->open = steal_ptr(open);
	r = take_rules(stance, &in);
	if (r < 0) {
		engine_stance_destroy(stance);
		return r;
	}
	engine_stance_destroy(engine->stance);
	engine->stance = stance;
	return 0;
}

/* -- now ------------------------------------------------------------------------- */

static bool
has_open_overlap(const struct engine_stance *stance, const struct ambit_rule *rule)
{
	for (char **open = stance->open; open && *open; open++)
		if (str_beneath(rule->subject, *open) ||
			(rule->beneath && str_beneath(*open, rule->subject)))
			return true;
	return false;
}

static bool
rules_narrowed(const struct engine_stance *stance, const struct decide_input *in)
{
	size_t still = 0;

	for (size_t i = 0; i < in->n_rules; i++) {
		const struct ambit_rule *rule = &in->rules[i];

		if (!is_floor_rule(in, rule))
			continue;
		if (rule->yes)
			still += has_rule_id(stance->yes, stance->n_yes, rule->id);
		else if (!has_rule_id(stance->no, stance->n_no, rule->id) &&
			 has_open_overlap(stance, rule))
			return true;
	}
	return still < stance->n_yes;
}

bool
engine_is_narrowed(struct ambit_engine *engine)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	const struct engine_stance *stance = engine->stance;
	struct decide_input in;

	if (!stance || !stance->plain)
		return false;
	/* What cannot be told is less. */
	if (!engine_refresh(engine))
		return true;
	if (engine->narrow_at == engine->looked)
		return engine->narrowed;
	engine_look(engine, &request, &in);
	engine->narrowed = !engine_writes_plainly(&in) || rules_narrowed(stance, &in);
	engine->narrow_at = engine->looked;
	return engine->narrowed;
}
