/* SPDX-License-Identifier: Apache-2.0 */
/* read: a file with line numbers, whole or in part. What is not shown is said, with
 * how to see it; what is no text is named and not shown. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-file.h"
#include "tools/edit/read-window.h"

#define LIMIT 2000
#define TEXT_MAX 50000
#define HEAD 8192

static bool
is_cancelled(const void *data)
{
	return run_cancelled(data);
}

static void
describe_window(struct tool_run *run, const struct ambit_place *place, const struct stat *st,
	const struct window *w)
{
	json_t *o = run->structured = json_object();

	json_set_text(o, "path", place->shown);
	json_object_set_new(o, "bytes", json_integer((json_int_t)st->st_size));
	json_object_set_new(o, "lines", json_integer(w->lines));
	json_object_set_new(o, "first_line", json_integer(w->first));
	if (w->total >= 0)
		json_object_set_new(o, "total_lines", json_integer(w->total));
	json_object_set_new(o, "truncated", json_boolean(w->more || w->cut > 0));
	if (w->more)
		json_object_set_new(o, "next_offset", json_integer(w->first + w->lines));
	json_object_set_new(o, "binary", json_false());
	if (w->crlf > 0)
		json_object_set_new(o, "line_endings", json_string("crlf"));
	if (w->total > 0)
		json_object_set_new(o, "final_newline", json_boolean(!w->open_end));
}

static int
say_binary(struct tool_run *run, const struct ambit_place *place, const struct stat *st,
	const char *kind)
{
	auto_buf struct buf text = { 0 };
	struct window none = { .first = 1, .total = -1 };

	buf_printf(&text, "%s is binary, %lld bytes, looks like %s: its content is not shown.\n",
		place->shown, (long long)st->st_size, kind);
	run_say(run, text.data, text.len);
	describe_window(run, place, st, &none);
	json_object_set_new(run->structured, "binary", json_true());
	json_object_set_new(run->structured, "kind", json_string(kind));
	return 0;
}

static void
say_window(struct tool_run *run, const struct ambit_place *place, const struct stat *st,
	const struct window *w)
{
	auto_buf struct buf note = { 0 };
	long long last = w->first + w->lines - 1;

	run_say(run, w->text.data ? w->text.data : "", w->text.len);
	if (w->more && w->total >= 0)
		buf_printf(&note, "[lines %lld-%lld of %lld are shown; go on with offset %lld]\n",
			w->first, last, w->total, last + 1);
	else if (w->more)
		buf_printf(&note,
			"[lines %lld-%lld are shown, of a file of %lld bytes whose lines are not "
			"counted; go on with offset %lld]\n",
			w->first, last, (long long)st->st_size, last + 1);
	else if (w->first > 1)
		buf_printf(&note, "[lines %lld-%lld of %lld: the end of the file]\n", w->first,
			last, w->total);
	if (w->cut > 0)
		buf_printf(&note, "[%lld lines are longer than %d characters and cut]\n", w->cut,
			WINDOW_LINE_MAX);
	if (w->crlf > 0)
		buf_puts(&note, "[lines end in CRLF; edit keeps that, write LF in old_string]\n");
	if (w->bom)
		buf_puts(&note, "[it begins with a UTF-8 byte order mark]\n");
	if (w->open_end && !w->more)
		buf_puts(&note, "[the last line has no newline at its end]\n");
	run_say(run, note.data ? note.data : "", note.len);
	describe_window(run, place, st, w);
}

static int
read_text(struct tool_run *run, const struct ambit_place *place, int fd, const struct stat *st,
	struct window *w, struct ambit_error *err)
{
	char hint[96];
	int r = window_read(w, fd);

	if (r < 0)
		return err_sys(err, -r, "%s", place->shown);
	if (w->lines == 0 && w->total == 0) {
		auto_buf struct buf text = { 0 };

		buf_printf(&text, "%s is empty.\n", place->shown);
		run_say(run, text.data, text.len);
		describe_window(run, place, st, w);
		return 0;
	}
	if (w->lines == 0) {
		run->code = AMBIT_CODE_BAD_ARGUMENTS;
		snprintf(hint, sizeof(hint), "Ask for an offset from 1 to %lld.", w->total);
		return run_fail(run, err, EINVAL, hint,
			"%s has only %lld lines, and line %lld was asked for", place->shown,
			w->total, w->first);
	}
	say_window(run, place, st, w);
	return 0;
}

static int
read_place(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	struct pass pass = run_pass(run);
	struct window w = {
		.first = run_int(run, "offset", 1),
		.limit = run_int(run, "limit", LIMIT),
		.max = TEXT_MAX,
		.cancelled = is_cancelled,
		.data = run,
	};
	auto_close int fd = -1;
	char head[HEAD];
	const char *kind;
	struct stat st;
	ssize_t n;
	int r = file_open(&pass, place, &fd, err);

	if (r < 0)
		return r;
	/* Before it is read: a change while it is read is a change. */
	if (fstat(fd, &st) < 0 || (n = pread(fd, head, sizeof(head), 0)) < 0)
		return err_sys(err, errno, "%s", place->shown);
	kind = window_binary(head, (size_t)n);
	w.first = w.first < 1 ? 1 : w.first;
	w.limit = w.limit < 1 ? 1 : w.limit;
	r = kind ? say_binary(run, place, &st, kind) : read_text(run, place, fd, &st, &w, err);
	window_finish(&w);
	if (r == 0)
		seen_note(run->seen, place->real, &st);
	return r;
}

static int
perform_read(struct tool_run *run, struct ambit_error *err)
{
	struct ambit_place place = { .parent = -1 };
	int r = run_place(run, "file_path", AMBIT_ACCESS_READ, true, false, &place, err);

	if (r == 0 && !place.exists)
		r = edit_missing(run, &place, err);
	else if (r == 0 && S_ISDIR(place.mode))
		r = run_fail(run, err, EISDIR, "See what is in it with ls.", "%s is a directory",
			place.shown);
	else if (r == 0)
		r = read_place(run, &place, err);
	ambit_place_finish(&place);
	return edit_failed(run, r);
}

const struct own_tool tool_read = {
	.name = "read",
	.title = "Read a file",
	.text = "Reads a text file and shows it with line numbers (number, tab, line). Up to 2000 "
		"lines or about 50 KB at a time; what is left out is said, with the offset to go "
		"on from. Lines longer than 2000 characters are cut. Binary files are named, not "
		"shown. Read a file before you edit it; the line numbers are not part of it.",
	.input =
		"{\"type\":\"object\",\"properties\":{"
		"\"file_path\":{\"type\":\"string\",\"description\":\"The file, absolute or "
		"relative to the workspace.\"},"
		"\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"The line to "
		"begin with; the first is 1. Default 1.\"},"
		"\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many lines at "
		"most. Default 2000.\"}},"
		"\"required\":[\"file_path\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"bytes\":{\"type\":\"integer\",\"description\":\"Size of the whole file.\"},"
		  "\"lines\":{\"type\":\"integer\",\"description\":\"Lines that are shown.\"},"
		  "\"first_line\":{\"type\":\"integer\"},"
		  "\"total_lines\":{\"type\":\"integer\",\"description\":\"Missing where a huge "
		  "file was not read to its end.\"},"
		  "\"truncated\":{\"type\":\"boolean\",\"description\":\"There is more after these "
		  "lines, or a line is cut.\"},"
		  "\"next_offset\":{\"type\":\"integer\"},"
		  "\"binary\":{\"type\":\"boolean\"},"
		  "\"kind\":{\"type\":\"string\",\"description\":\"What a binary file seems to "
		  "be.\"},"
		  "\"line_endings\":{\"type\":\"string\",\"enum\":[\"crlf\"]},"
		  "\"final_newline\":{\"type\":\"boolean\"}},"
		  "\"required\":[\"path\",\"bytes\",\"lines\",\"truncated\",\"binary\"]}",
	.run = perform_read,
};
