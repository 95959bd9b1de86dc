/* SPDX-License-Identifier: Apache-2.0 */
/* write: a whole file, as given. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "perform/file.h"
#include "tools/edit/edit-file.h"
#include "tools/edit/edit-match.h"

#define HEAD 65536

/* Whether what is there ends its lines with CRLF. A look, no more: it is told. */
static bool
has_crlf(struct tool_run *run, const struct ambit_place *place)
{
	auto_close int fd = -1;
	auto_free char *head = malloc(HEAD);
	size_t crlf = 0, lf = 0;
	struct stat st;
	ssize_t n;

	if (!head || !place->exists || !edit_may_read(run, place) ||
		file_look(place, &fd, &st, NULL) < 0)
		return false;
	n = pread(fd, head, HEAD, 0);
	if (n > 0)
		edit_count_ends(head, (size_t)n, &crlf, &lf);
	return crlf > lf;
}

static int
write_place(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	const json_t *value = json_object_get(run->args, "content");
	const char *content = json_string_value(value) ? json_string_value(value) : "";
	size_t len = json_string_length(value), lines = edit_count_lines(content, len), crlf, lf;
	auto_buf struct buf text = { 0 };
	bool had_crlf = has_crlf(run, place);
	int r = seen_check(run, place, err);

	if (r == 0)
		r = edit_put(run, place, NULL, content, len, err);
	if (r < 0)
		return r;
	edit_count_ends(content, len, &crlf, &lf);
	buf_printf(&text, "%s %s: %zu bytes, %zu lines.\n", place->exists ? "Overwrote" : "Created",
		place->shown, len, lines);
	if (had_crlf && lf > 0)
		buf_puts(&text, "[its lines ended in CRLF before, and end in LF now]\n");
	run_say(run, text.data ? text.data : "", text.len);
	run->structured = json_object();
	json_set_text(run->structured, "path", place->shown);
	json_object_set_new(run->structured, "created", json_boolean(!place->exists));
	json_object_set_new(run->structured, "bytes", json_integer((json_int_t)len));
	json_object_set_new(run->structured, "lines", json_integer((json_int_t)lines));
	return 0;
}

static int
perform_write(struct tool_run *run, struct ambit_error *err)
{
	struct ambit_place place = { .parent = -1 };
	const char *path = run_string(run, "file_path");
	int r;

	if (path && path[0] && path[strlen(path) - 1] == '/')
		return edit_failed(run, run_fail(run, err, EISDIR, "Name the file.",
						"'%s' is the name of a directory", path));
	r = run_place(run, "file_path", AMBIT_ACCESS_WRITE, true, true, &place, err);
	if (r == 0)
		r = write_place(run, &place, err);
	ambit_place_finish(&place);
	return edit_failed(run, r);
}

const struct own_tool tool_write = {
	.name = "write",
	.title = "Write a file",
	.text = "Writes a whole file: creates it, with the directories it needs, or replaces all "
		"of its content at once (a reader sees the old or the new, never a part). Mode and "
		"hard links are kept. For a change to a part of a file use edit. A file that was "
		"read and has changed since is refused: read it again. Writing past the line of "
		"this session is asked about or refused; the answer says which.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"file_path\":{\"type\":\"string\",\"description\":\"The file, absolute or "
		 "relative to the workspace.\"},"
		 "\"content\":{\"type\":\"string\",\"description\":\"All that is to be in it, as "
		 "it is to be: also the newline at its end.\"}},"
		 "\"required\":[\"file_path\",\"content\"],\"additionalProperties\":false}",
	.output =
		"{\"type\":\"object\",\"properties\":{"
		"\"path\":{\"type\":\"string\"},"
		"\"created\":{\"type\":\"boolean\",\"description\":\"False: it replaced a file.\"},"
		"\"bytes\":{\"type\":\"integer\"},"
		"\"lines\":{\"type\":\"integer\"}},"
		"\"required\":[\"path\",\"created\",\"bytes\",\"lines\"]}",
	.whole = true,
	.run = perform_write,
};
