/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_JUDGE_RIG_H
#define TESTS_UNIT_JUDGE_RIG_H

/* Questions of a real engine to judges that are real programs, which the tests write outside
 * of the folder. */

#include "registry-rig.h"
#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "engine/questions.h"
#include "request/request-object.h"
#include "first-question.h"

#define ALLOW "echo '{\"verdict\":\"allow\",\"reason\":\"an ordinary file\"}'"

static char program[800], heard[800];

/* A judge that notes what it is shown, a line each, and goes on like this. */
static inline void
write_judge(const struct world *w, const char *rest)
{
	char text[4096];

	snprintf(program, sizeof(program), "%s/home/bin-of-mine", w->top);
	snprintf(heard, sizeof(heard), "%s/heard", w->top);
	snprintf(text, sizeof(text), "#!/bin/sh\ncat >>%s\necho >>%s\n%s\n", heard, heard, rest);
	unlink(program);
	world_file(program, text);
	assert_int_equal(chmod(program, 0755), 0);
	assert_int_equal(chmod(w->top, 0755), 0);
}

static inline size_t
times_asked(void)
{
	FILE *file = fopen(heard, "re");
	size_t n = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

static inline const char *
settings_of(const char *more)
{
	static char text[2048];

	snprintf(text, sizeof(text), "{\"judge\":{\"command\":[\"%s\"],\"timeout_ms\":%d}%s}",
		program, 20000, more);
	return text;
}

static inline void
start_with(struct rig *rig, const char *rest, const char *more, bool person)
{
	write_judge(&rig->w, rest);
	start(rig, settings_of(more), person);
}

/* The question of a request, which waits for one; its text for a judge, or NULL. */
static inline char *
judged(struct rig *rig, struct ambit_request *request)
{
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct ambit_question question = { 0 };
	uint64_t ticket = 0;
	char *text;

	if (engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL) != 1)
		fail_msg("not asked: %s", outcome.reason);
	assert_int_equal(copy_question(rig->engine, ticket, &question), 1);
	text = str_dup(question.judge);
	question_finish(&question);
	engine_withdraw(rig->engine, ticket);
	return text;
}

static inline struct ambit_request *
make(const char *tool, const char *args)
{
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, NULL), 0);
	return request;
}

/* A process that calls itself that, and whose number is that of its file, too. */
static inline struct ambit_request *
call_of(struct path_facts object, const char *path, const char *who, const char *exe, ino_t ino)
{
	struct ambit_request *request = NULL;

	object.real = object.written = path;
	assert_int_equal(request_objects(&object, 1, &request, NULL), 0);
	request_set_held(request, true);
	assert_int_equal(ambit_request_set_who(request, 4711, 1, who, NULL), 0);
	if (exe)
		assert_int_equal(request_set_exe(request, exe, 5, ino), 0);
	return request;
}

static const struct path_facts creates = { .access = AMBIT_ACCESS_WRITE, .plain = true };

static inline struct ambit_request *
crossing(const char *path, const char *exe)
{
	return call_of(creates, path, "who-it-says", exe, (ino_t)*exe);
}

static inline char *
write_args(const struct rig *rig, const char *name)
{
	static char text[1024];

	snprintf(text, sizeof(text), "{\"path\":\"%s/%s\"}", rig->w.out, name);
	return text;
}

struct answers {
	size_t judge, others, passes;
	char message[512];
};

static inline int
count_answer(void *data, int64_t id, const struct ambit_event *event)
{
	struct answers *answers = data;
	auto_json json_t *body = json_loads(event->body, 0, NULL);

	(void)id;
	if (streq(json_string_value(json_object_get(body, "approver")), "judge")) {
		answers->judge++;
		snprintf(answers->message, sizeof(answers->message), "%s",
			json_string_value(json_object_get(body, "message")));
	} else {
		answers->others++;
	}
	return 0;
}

static inline int
count_pass(void *data, int64_t id, const struct ambit_event *event)
{
	auto_json json_t *body = json_loads(event->body, 0, NULL);

	(void)id;
	assert_true(json_string_length(json_object_get(body, "reason")) > 0);
	assert_true(strlen(event->subject) > 0);
	((struct answers *)data)->passes++;
	return 0;
}

static inline struct answers
recorded(struct rig *rig)
{
	struct answers answers = { 0 };
	struct ambit_event_filter filter = { .kind = "answer" }, passes = { .kind = "judge" };

	assert_int_equal(
		ambit_record_events(rig->record, &filter, count_answer, &answers, NULL), 0);
	assert_int_equal(ambit_record_events(rig->record, &passes, count_pass, &answers, NULL), 0);
	return answers;
}

static struct ambit_error last_why;

static inline int
ask(struct rig *rig, struct ambit_request *request)
{
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct ambit_question question = { 0 };
	struct ambit_answer answer = { 0 };
	uint64_t ticket = 0;
	int r;

	assert_int_equal(engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL), 1);
	assert_int_equal(copy_question(rig->engine, ticket, &question), 1);
	r = judge_ask(rig->judge, &question, -1, &answer, &last_why);
	assert_true((r == 0) == (last_why.code == 0) || !question.judge);
	if (r == 0) {
		assert_int_equal(answer.kind, AMBIT_ONCE);
		assert_true(answer.judge);
	}
	question_finish(&question);
	engine_withdraw(rig->engine, ticket);
	return r;
}

static inline int
ask_crossing(struct rig *rig, const char *name, const char *who)
{
	char path[800];

	snprintf(path, sizeof(path), "%s/%s", rig->w.out, name);
	return ask(rig, crossing(path, who));
}

static const struct doing {
	struct path_facts object;
	const char *told; /* NULL: it is not for him */
} doings[] = {
	{ { .access = AMBIT_ACCESS_WRITE, .plain = true }, "create" },
	{ { .access = AMBIT_ACCESS_WRITE, .plain = true, .truncates = true }, "create" },
	{ { .access = AMBIT_ACCESS_WRITE, .plain = true, .exists = true }, "write" },
	{ { .access = AMBIT_ACCESS_WRITE, .plain = true, .exists = true, .truncates = true },
		"truncate" },
	{ { .access = AMBIT_ACCESS_WRITE, .plain = true, .exists = true, .marks = true }, "times" },
	{ { .access = AMBIT_ACCESS_DELETE, .plain = true, .exists = true }, "delete" },
	{ { .access = AMBIT_ACCESS_REPLACE, .plain = true, .exists = true }, "replace" },
	{ { .access = AMBIT_ACCESS_REPLACE, .plain = true }, "create" },
	{ { .access = AMBIT_ACCESS_MKDIR, .plain = true }, "mkdir" },
	/* Modes, owners, links, nodes: whatever did not say that it is none. */
	{ { .access = AMBIT_ACCESS_WRITE }, NULL },
	{ { .access = AMBIT_ACCESS_WRITE, .exists = true }, NULL },
	{ { .access = AMBIT_ACCESS_WRITE, .exists = true, .marks = true }, NULL },
	{ { .access = AMBIT_ACCESS_MKDIR }, NULL },
};

#define IN_RIG(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)

#endif
