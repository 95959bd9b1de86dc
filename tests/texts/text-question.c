/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "question": what somebody wants to do becomes the question about it, as screens show it.
 * In:
 *
 *   {"op": "write", "path": "~/data/out.csv", "line": ["claude", "bash", "deploy"]}
 *
 * with op one of write, replace, delete, mkdir and read; or "connect" with "host"; or "call" with
 * "tool" and "args"; or "profile" with "name". The folder is ~/project, and "@". "exists" says that
 * the file is there. Out: the text of 80 columns, that of 40, the form of an MCP client, and what
 * '?' and 'a' show. The screen of `ambit watch` and one of 160 columns must show what 80 columns
 * do. Spaces at the ends of lines do not count. */

#include <string.h>

#include "engine-rig.h"
#include "first-question.h"
#include "text-question-form.h"
#include "texts.h"
#include "watch/board.h"
#include "watch/frame.h"

#include "ask/question-copy.h"
#include "ask/tty/dialog.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/questions.h"
#include "request/request-object.h"

/* -- the question --------------------------------------------------------------- */

/* "~/x" and "@/x" in the world of the test. */
static char *
place_path(const struct engine_rig *rig, const char *path)
{
	if (path[0] == '/')
		return strdup(path);
	return str_printf("%s%s", path[0] == '~' ? rig->w.home : rig->w.root, path + 1);
}

/* The file, and the directories on the way to it. */
static void
make_file(const char *path, struct stat *ret_st)
{
	auto_free char *part = strdup(path);

	for (char *at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(part, 0755);
		*at = '/';
	}
	world_file(path, "x");
	stat(path, ret_st);
}

static int
request_about_path(const struct engine_rig *rig, const json_t *in, const struct ambit_word *access,
	struct ambit_request **ret_request)
{
	auto_free char *real = place_path(rig, json_text(in, "path"));
	struct ambit_object object = {
		.access = (enum ambit_access)access->value,
		.real = real,
		.written = real,
		.exists = json_is_true(json_object_get(in, "exists")),
		.plain = true,
	};
	struct stat st = { 0 };

	if (object.exists)
		make_file(real, &st);
	object.mode = st.st_mode;
	object.dev = st.st_dev;
	object.ino = st.st_ino;
	object.nlink = st.st_nlink;
	return real ? request_objects(&object, 1, ret_request, NULL) : -ENOMEM;
}

static int
make_request(const struct engine_rig *rig, const json_t *in, struct ambit_request **ret_request)
{
	const char *op = json_text(in, "op");
	const struct ambit_word *access = ambit_word_find(ambit_accesses, op);
	auto_free char *args = NULL;

	if (access)
		return request_about_path(rig, in, access, ret_request);
	if (streq(op, "connect"))
		return ambit_request_connect(json_text(in, "host"), ret_request, NULL);
	args = json_line(json_object_get(in, "args"));
	return ambit_request_create(json_text(in, "tool"), args ? args : "{}",
		strlen(args ? args : "{}"), ret_request, NULL);
}

static int
set_who(struct ambit_request *request, const json_t *line)
{
	char **names = NULL;
	json_t *name;
	size_t i;

	if (json_array_size(line) == 0)
		return 0;
	json_array_foreach (line, i, name)
		if (strv_append(&names, json_string_value(name)) < 0)
			return -ENOMEM;
	request_set_line(request, names);
	return ambit_request_set_who(request, 4120, 77, names[strv_len(names) - 1], NULL);
}

static const char *
ask_engine(struct engine_rig *rig, const json_t *in, struct ambit_question *ret_question)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;
	int r;

	if (streq(json_text(in, "op"), "profile"))
		return engine_profile_question(
			       rig->engine, json_text(in, "name"), ret_question, NULL) == 1
			       ? NULL
			       : "no question about the profile";
	if (make_request(rig, in, &request) < 0 ||
		set_who(request, json_object_get(in, "line")) < 0)
		return "no request";
	r = engine_submit(rig->engine, request, &outcome, &permit, &ticket, NULL);
	ambit_outcome_finish(&outcome);
	if (r != 1)
		return "nobody is asked";
	return copy_question(rig->engine, ticket, ret_question) ? NULL : "no question";
}

/* -- as screens show it ------------------------------------------------------------ */

/* Without spaces at the ends of lines. */
static char *
trim_lines(char *text)
{
	char *to = text, *end = text;

	for (const char *at = text; *at; at++) {
		if (*at == '\n')
			to = end;
		*to++ = *at;
		if (*at != ' ')
			end = to;
	}
	*to = '\0';
	return text;
}

static char *
show_dialog(const struct ambit_question *question, const char *keys, size_t width)
{
	struct dialog *dialog = NULL;
	char *text = NULL;

	if (dialog_create(question, &dialog, NULL) == 0) {
		while (*keys)
			dialog_key(dialog, *keys++);
		text = dialog_text(dialog, width, false);
	}
	dialog_destroy(dialog);
	return text ? trim_lines(text) : NULL;
}

/* The question's rows of the screen of `ambit watch`, behind the title and whose it is. */
static char *
show_watch(const struct ambit_question *question)
{
	const struct live_entry entry = {
		.session = "s", .door = "run", .folder = "/f", .what = "w"
	};
	struct board board = { 0 };
	struct frame frame = { 0 };
	struct buf text = { 0 };

	if (board_party_add(&board, 1, &entry) == 0 &&
		board_question_add(&board, 1, question) == 0 &&
		frame_compose(&board, 40, 80, false, false, 0, &frame) == 0)
		for (size_t i = 2; i < frame.n && frame.rows[i][0] != '-'; i++)
			buf_printf(&text, "%s\n", frame.rows[i]);
	frame_finish(&frame);
	board_finish(&board);
	return trim_lines(buf_take(&text));
}

static bool
begins_with(const char *text, const char *beginning)
{
	return text && beginning && str_prefix(text, beginning);
}

static const char *
put_screens(const struct ambit_question *question, struct text_outputs *out)
{
	auto_free char *usual = show_dialog(question, "", 80),
		       *narrow = show_dialog(question, "", 40);
	auto_free char *wide = show_dialog(question, "", 160), *watch = show_watch(question);
	auto_free char *form = show_form(question), *more = show_dialog(question, "?", 80);
	auto_free char *always = show_dialog(question, "a", 80);

	if (!usual || !narrow || !wide || !watch || !form || !more || !always)
		return "no memory";
	if (!streq(usual, wide))
		return "160 columns show another text than 80";
	if (!begins_with(watch, usual))
		return "ambit watch shows another text";
	text_puts(out, "", usual);
	text_puts(out, "40", narrow);
	text_puts(out, "form", form);
	text_offer(out, "more", more);
	text_offer(out, "always", always);
	return NULL;
}

static const char *
run_question(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *section = text_find(test, "in");
	struct engine_rig *rig = engine_rig_create(sizeof(*rig));
	auto_json json_t *in = NULL;
	struct ambit_question question = { 0 };
	const char *fault = "the input is not JSON";

	if (json_parse(section->data, section->len, &in, NULL) == 0) {
		engine_rig_start(rig, NULL, NULL);
		fault = ask_engine(rig, in, &question);
		if (!fault)
			fault = put_screens(&question, out);
	}
	question_finish(&question);
	engine_rig_destroy(rig);
	return fault;
}

const struct text_kind text_question = {
	.name = "question",
	.inputs = "in",
	.run = run_question,
};
