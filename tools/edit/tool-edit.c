/* SPDX-License-Identifier: Apache-2.0 */
/* edit: one exact replacement in one file. */

#include <errno.h>

#include "base/err.h"
#include "tools/edit/edit-file.h"

static int
perform_edit(struct tool_run *run, struct ambit_error *err)
{
	auto_json json_t *edits = json_array();

	if (json_array_append(edits, (json_t *)run->args) < 0)
		return err_nomem(err);
	return edit_run(run, edits, false, err);
}

const struct own_tool tool_edit = {
	.name = "edit",
	.title = "Edit a file",
	.text = "Replaces an exact piece of text in a file. old_string must be in the file exactly "
		"once, with its whitespace and without the line numbers that read shows; if it is "
		"there more often, include more lines around it or pass replace_all. Line endings "
		"(LF or CRLF), mode and encoding are kept. An empty old_string creates a new file. "
		"If old_string is not found, the answer shows what is nearest to it and what "
		"differs. A file that has changed since it was read is refused: read it again.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"file_path\":{\"type\":\"string\",\"description\":\"The file, absolute or "
		 "relative to the workspace.\"},"
		 "\"old_string\":{\"type\":\"string\",\"description\":\"The text to replace, "
		 "exactly as it is in the file. Empty: create the file, which must not exist.\"},"
		 "\"new_string\":{\"type\":\"string\",\"description\":\"What takes its place. "
		 "Empty: the text is removed.\"},"
		 "\"replace_all\":{\"type\":\"boolean\",\"description\":\"Replace every occurrence "
		 "instead of exactly one. Default false.\"}},"
		 "\"required\":[\"file_path\",\"old_string\",\"new_string\"],"
		 "\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"created\":{\"type\":\"boolean\"},"
		  "\"replacements\":{\"type\":\"integer\"},"
		  "\"bytes\":{\"type\":\"integer\",\"description\":\"Size of the file now.\"},"
		  "\"lines\":{\"type\":\"integer\"}},"
		  "\"required\":[\"path\",\"created\",\"replacements\",\"bytes\",\"lines\"]}",
	.whole = true,
	.run = perform_edit,
};
