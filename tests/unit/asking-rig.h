/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ASKING_RIG_H
#define TESTS_UNIT_ASKING_RIG_H

/* An engine with an approver who answers as the test says. */

#include "engine-rig.h"

struct rig {
	union {
		struct engine_rig base;
		struct {
			ENGINE_RIG;
		};
	};
	struct ambit_approver approver;
	struct ambit_answer answer; /* what the approver below says */
	int asked;
	char stores[2048]; /* the choice that was taken, as it was shown */
	char why[1024];
	void (*meanwhile)(struct rig *rig);
};

/* An approver that says what the test wants, after looking at the question. */
static inline int
answer_as_told(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct rig *rig = (struct rig *)((char *)approver - offsetof(struct rig, approver));

	(void)err;
	rig->asked++;
	rig->stores[0] = '\0';
	snprintf(rig->why, sizeof(rig->why), "%s", question->why);
	for (size_t i = question->n_choices; i > 0; i--)
		if (question->choices[i - 1].kind == rig->answer.kind)
			snprintf(rig->stores, sizeof(rig->stores), "%s",
				question->choices[i - 1].stores);
	if (rig->answer.kind == AMBIT_FOLDER && question->folder < question->n_choices)
		snprintf(rig->stores, sizeof(rig->stores), "%s",
			question->choices[question->folder].stores);
	if (rig->meanwhile)
		rig->meanwhile(rig);
	*ret_answer = rig->answer;
	return 0;
}

static inline void
start(struct rig *rig, const char *settings, const char *session)
{
	rig->approver = (struct ambit_approver){ .ask = answer_as_told, .name = "test" };
	engine_rig_start(&rig->base, settings,
		&(struct ambit_engine_options){ .approver = &rig->approver, .session = session });
}

static inline void
stop(struct rig *rig)
{
	engine_rig_stop(&rig->base);
}

static inline int
open_rig(void **state)
{
	*state = engine_rig_create(sizeof(struct rig));
	return 0;
}

__attribute__((format(printf, 2, 3))) static inline struct ambit_request *
tool_call(const char *tool, const char *fmt, ...)
{
	struct ambit_request *request = NULL;
	char args[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(args, sizeof(args), fmt, ap);
	va_end(ap);
	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, NULL), 0);
	return request;
}

/* Asks for a write of path; performs it if permitted. The code, or NONE. */
static inline enum ambit_code
try_write(struct rig *rig, const char *path, const char *text)
{
	struct ambit_request *request = tool_call("write", "{\"file_path\":\"%s\"}", path);
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct ambit_error err = { 0 };
	enum ambit_code code;
	int fd = -1, r = 0;

	assert_int_equal(ambit_engine_request(rig->engine, request, &outcome, &permit, &err), 0);
	assert_int_equal(permit != NULL, outcome.verdict == AMBIT_ALLOW);
	code = outcome.code;
	if (permit) {
		r = ambit_permit_open(permit, 0, O_WRONLY | O_CREAT | O_TRUNC, 0644, &fd, &err);
		if (r == 0) {
			assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
			close(fd);
		}
		assert_int_equal(ambit_permit_finish(permit, r, NULL), 0);
	}
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return r < 0 ? AMBIT_CODE_INTERNAL : code;
}

static inline const char *
outside(struct rig *rig, const char *name)
{
	static char path[800];

	snprintf(path, sizeof(path), "%s/%s", rig->w.out, name);
	return path;
}

#endif
