/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ENGINE_LINE_RIG_H
#define TESTS_UNIT_ENGINE_LINE_RIG_H

/* Requests about objects, as a supervisor sees them, decided by an engine. */

#include "engine/engine-private.h"
#include "engine/line.h"
#include "perform/permit.h"
#include "request/request-object.h"
#include "engine-rig.h"

/* The session's first write is behind it. */
static inline void
start_late(struct engine_rig *rig, const char *settings)
{
	engine_rig_start(rig, settings, NULL);
	assert_int_equal(
		record_session_wrote(rig->record, ambit_engine_session(rig->engine), NULL), 0);
	rig->engine->rules_version = -1;
}

static inline const char *
at(const char *dir, const char *name)
{
	static char paths[16][1024];
	static int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* As a supervisor would see it: what lies there now. */
static inline struct path_facts
object(enum ambit_access access, const char *real)
{
	struct path_facts o = { .access = access, .real = real, .written = real };
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

static inline struct ambit_request *
request_of(const struct path_facts *objects, size_t n)
{
	struct ambit_request *request = NULL;
	struct ambit_error err = { 0 };

	if (request_objects(objects, n, &request, &err) < 0)
		fail_msg("objects: %s", err.text);
	return request;
}

static inline enum ambit_verdict
decided(struct engine_rig *rig, const struct path_facts *objects, size_t n,
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

static inline enum ambit_verdict
glance(struct engine_rig *rig, const struct path_facts *objects, size_t n)
{
	struct pass pass;
	enum ambit_verdict verdict = engine_allows_fast(rig->engine, objects, n, &pass);

	assert_int_equal(pass_use(&pass), verdict == AMBIT_ALLOW ? 0 : -EPERM);
	assert_int_equal(pass_use(&pass), -EPERM);
	return verdict;
}

static inline void
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

#define t(name) cmocka_unit_test_setup_teardown(name, engine_rig_open, engine_rig_close)

#endif
