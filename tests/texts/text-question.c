/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "question": what somebody wants to do becomes the question about it, as screens show it.
 * In:
 *
 *   {"op": "write", "path": "~/data/out.csv", "line": ["claude", "bash", "deploy"]}
 *
 * with op one of write, replace, delete, mkdir, read and read-tree; or "move" with "path" and "to";
 * or "connect" with "host", and of a socket with "server", the program behind it ("same": true if
 * that is the program that connects); or "call" with "tool" and "args"; or "profile" with "name".
 * The folder is ~/project, or "folder", and "@". "exists" says that the file is there, "link" a
 * symlink and where it leads, "lines" how many lines it takes if not four (or six with facts).
 *
 * Out: the text of 80 columns, that of 40, the form of an MCP client, and what '?' and 'a' show.
 * On the terminal and in `ambit watch`, at 40, 80 and 160 columns: no line is wider, the words are
 * the same, and colour adds nothing but colour. Spaces at the ends of lines do not count. */

#include <stdio.h>
#include <string.h>

#include "engine-rig.h"
#include "first-question.h"
#include "text-question-form.h"
#include "texts.h"
#include "watch/board.h"
#include "watch/frame.h"

#include "ask/question-copy.h"
#include "ask/text-columns.h"
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

static void
fill_object(struct path_facts *object, const char *real)
{
	struct stat st = { 0 };

	object->real = real;
	object->written = real;
	object->plain = true;
	if (object->exists)
		make_file(real, &st);
	object->mode = st.st_mode;
	object->dev = st.st_dev;
	object->ino = st.st_ino;
	object->nlink = st.st_nlink;
}

static int
request_about_path(const struct engine_rig *rig, const json_t *in, enum ambit_access access,
	struct ambit_request **ret_request)
{
	auto_free char *real = place_path(rig, json_text(in, "path"));
	struct path_facts object = {
		.access = access,
		.exists = json_is_true(json_object_get(in, "exists")),
	};

	fill_object(&object, real);
	return request_objects(&object, 1, ret_request, NULL);
}

static int
request_about_move(
	const struct engine_rig *rig, const json_t *in, struct ambit_request **ret_request)
{
	auto_free char *from = place_path(rig, json_text(in, "path"));
	auto_free char *to = place_path(rig, json_text(in, "to"));
	struct path_facts objects[] = {
		{ .access = AMBIT_ACCESS_DELETE, .exists = true },
		{ .access = AMBIT_ACCESS_REPLACE },
	};

	fill_object(&objects[0], from);
	fill_object(&objects[1], to);
	return request_objects(objects, 2, ret_request, NULL);
}

static int
request_about_host(const json_t *in, struct ambit_request **ret_request)
{
	const char *server = json_text(in, "server");
	int r = ambit_request_connect(json_text(in, "host"), ret_request, NULL);

	if (r < 0 || !*server)
		return r;
	return request_set_server(
		*ret_request, server, 812, json_is_true(json_object_get(in, "same")));
}

/* The arguments of a call, with its "file_path" in the world of the test. */
static char *
place_args(const struct engine_rig *rig, json_t *args)
{
	const char *path = json_string_value(json_object_get(args, "file_path"));
	auto_free char *placed = path ? place_path(rig, path) : NULL;

	if (placed)
		json_object_set_new(args, "file_path", json_string(placed));
	return json_line(args);
}

static int
make_request(const struct engine_rig *rig, const json_t *in, struct ambit_request **ret_request)
{
	const char *op = json_text(in, "op");
	const struct ambit_word *access = ambit_word_find(ambit_accesses, op);
	auto_free char *args = NULL;

	if (access)
		return request_about_path(rig, in, (enum ambit_access)access->value, ret_request);
	if (streq(op, "move"))
		return request_about_move(rig, in, ret_request);
	if (streq(op, "connect"))
		return request_about_host(in, ret_request);
	args = place_args(rig, json_object_get(in, "args"));
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
	request_set_image(request, 1);
	if (request_set_exe(request, "/usr/bin/program", 1, 2) < 0)
		return -ENOMEM;
	return ambit_request_set_who(request, 4120, 77, names[strv_len(names) - 1], NULL);
}

/* What its processes run, nearest first, is "programs"; its own arguments are "words". */
static int
set_list(struct ambit_request *request, const json_t *list,
	void (*set)(struct ambit_request *request, char **list))
{
	char **words = NULL;
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one)
		if (strv_append(&words, json_string_value(one)) < 0)
			return -ENOMEM;
	set(request, words);
	return 0;
}

static const char *
ask_profile(struct engine_rig *rig, const json_t *in, struct ambit_question *ret_question)
{
	const char *name = json_text(in, "name");
	struct profile_added added = { 0 };
	int r = profile_find(name) ? profile_added_find(profile_find(name), NULL, 0, NULL, &added)
				   : 0;

	if (r == 0)
		r = engine_profile_question(
			rig->engine, name, (const char *const *)added.list, ret_question, NULL);
	profile_added_finish(&added);
	return r == 1 ? NULL : "no question about the profile";
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
		return ask_profile(rig, in, ret_question);
	if (make_request(rig, in, &request) < 0 ||
		set_who(request, json_object_get(in, "line")) < 0 ||
		set_list(request, json_object_get(in, "programs"), request_set_programs) < 0 ||
		set_list(request, json_object_get(in, "words"), request_set_words) < 0)
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
show_dialog(const struct ambit_question *question, const char *keys, size_t width, bool colour)
{
	struct dialog *dialog = NULL;
	char *text = NULL;

	if (dialog_create(question, &dialog, NULL) == 0) {
		while (*keys)
			dialog_key(dialog, *keys++);
		text = dialog_text(dialog, width, colour);
	}
	dialog_destroy(dialog);
	return text ? trim_lines(text) : NULL;
}

/* The question's rows of the screen of `ambit watch`, behind the title and whose it is. */
static char *
show_watch(const struct ambit_question *question, size_t width, bool colour)
{
	const struct live_entry entry = {
		.session = "s", .door = "run", .folder = "/f", .what = "w"
	};
	struct board board = { 0 };
	struct frame frame = { 0 };
	struct buf text = { 0 };

	if (board_party_add(&board, 1, &entry) == 0 &&
		board_question_add(&board, 1, question) == 0 &&
		frame_compose(&board, 60, width, colour, false, 0, &frame) == 0)
		for (size_t i = 2; i < frame.n && !strstr(frame.rows[i], "-- record"); i++)
			buf_printf(&text, "%s\n", frame.rows[i]);
	frame_finish(&frame);
	board_finish(&board);
	return trim_lines(buf_take(&text));
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The last column stays free. */
static bool
fits_columns(const char *text, size_t width)
{
	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		auto_free char *line = strndup(text, (size_t)(end - text));

		if (!line || text_columns(line) >= width)
			return false;
	}
	return true;
}

/* The same characters in the same order; where lines and gaps are does not count. */
static bool
has_same_words(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " \n");
		b += strspn(b, " \n");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* Takes the styles away; false: there is another sequence. */
static bool
strip_styles(char *text)
{
	static const char *const styles[] = { "\x1b[1m", "\x1b[1;31m", "\x1b[0m" };
	char *to = text;

	for (const char *at = text; *at;) {
		size_t n = 0;

		for (size_t i = 0; *at == '\x1b' && i < sizeof(styles) / sizeof(styles[0]); i++)
			n = str_prefix(at, styles[i]) ? strlen(styles[i]) : n;
		if (*at == '\x1b' && n == 0)
			return false;
		if (n == 0)
			*to++ = *at;
		at += n > 0 ? n : 1;
	}
	*to = '\0';
	return true;
}

/* -- what holds for every question ------------------------------------------------ */

/* Compares a screen after these keys with the terminal of 80 columns. */
static const char *
check_screen(const struct ambit_question *question, const char *keys, size_t width)
{
	auto_free char *usual = show_dialog(question, keys, 80, false);
	auto_free char *shown = show_dialog(question, keys, width, false);
	auto_free char *styled = show_dialog(question, keys, width, true);
	auto_free char *watch = *keys ? strdup(shown) : show_watch(question, width, false);
	auto_free char *bright = *keys ? strdup(shown) : show_watch(question, width, true);

	if (!usual || !shown || !styled || !watch || !bright)
		return "no memory";
	if (!fits_columns(shown, width) || !fits_columns(watch, width))
		return "a line is too wide";
	if (!has_same_words(shown, usual) || (width > 80 && !streq(shown, usual)))
		return "the words are not those of 80 columns";
	if (!str_prefix(watch, shown))
		return "ambit watch shows another text";
	if (!strip_styles(styled) || !streq(trim_lines(styled), shown) || !strip_styles(bright) ||
		!streq(trim_lines(bright), watch))
		return "colour changes the text";
	return NULL;
}

static const char *
check_screens(const struct ambit_question *question)
{
	static const size_t widths[] = { 40, 80, 160 };
	static const char *const keys[] = { "", "a", "?", "?a", "?+", "?m" };
	static char fault[120];
	const char *why = NULL;

	for (size_t i = 0; !why && i < sizeof(widths) / sizeof(widths[0]); i++)
		for (size_t k = 0; !why && k < sizeof(keys) / sizeof(keys[0]); k++) {
			why = check_screen(question, keys[k], widths[i]);
			if (why)
				snprintf(fault, sizeof(fault), "%s: %zu columns, keys '%s'", why,
					widths[i], keys[k]);
		}
	return why ? fault : NULL;
}

static const char *
put_screens(const struct ambit_question *question, size_t lines, struct text_outputs *out)
{
	auto_free char *usual = show_dialog(question, "", 80, false);
	auto_free char *narrow = show_dialog(question, "", 40, false);
	auto_free char *form = show_form(question);
	auto_free char *more = show_dialog(question, "?", 80, false);
	auto_free char *always = show_dialog(question, "a", 80, false);
	auto_free char *wider = show_dialog(question, "?a", 80, false);

	if (!usual || !narrow || !form || !more || !always || !wider)
		return "no memory";
	text_puts(out, "", usual);
	text_puts(out, "40", narrow);
	text_puts(out, "form", form);
	text_offer(out, "more", more);
	text_offer(out, "always", always);
	text_offer(out, "more-always", wider);
	if (count_lines(usual) > lines)
		return "too many lines";
	return check_screens(question);
}

static size_t
most_lines(const json_t *in, const struct ambit_question *question)
{
	const json_t *lines = json_object_get(in, "lines");

	if (lines)
		return (size_t)json_integer_value(lines);
	return question->n_facts > 0 ? 6 : 4;
}

/* Another folder than ~/project, which is made. */
static void
set_folder(struct engine_rig *rig, const json_t *in)
{
	const char *folder = json_string_value(json_object_get(in, "folder"));
	auto_free char *path = folder ? place_path(rig, folder) : NULL;
	auto_free char *file = path ? str_printf("%s/.keep", path) : NULL;
	struct stat st;

	if (!file)
		return;
	make_file(file, &st);
	snprintf(rig->w.root, sizeof(rig->w.root), "%s", path);
}

static void
make_link(const struct engine_rig *rig, const json_t *in)
{
	const json_t *link = json_object_get(in, "link");
	const char *from = json_string_value(json_array_get(link, 0));
	const char *to = json_string_value(json_array_get(link, 1));
	auto_free char *at = from && to ? place_path(rig, from) : NULL;
	auto_free char *target = at ? place_path(rig, to) : NULL;

	if (target)
		world_link(target, at);
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
		set_folder(rig, in);
		make_link(rig, in);
		engine_rig_start(rig, NULL, NULL);
		fault = ask_engine(rig, in, &question);
		if (!fault)
			fault = put_screens(&question, most_lines(in, &question), out);
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
