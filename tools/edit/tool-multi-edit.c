/* SPDX-License-Identifier: Apache-2.0 */
/* multi_edit: several replacements in one file, all or none. */

#include "tools/edit/edit-file.h"

static int
perform_multi_edit(struct tool_run *run, struct ambit_error *err)
{
	return edit_run(run, json_object_get(run->args, "edits"), true, err);
}

const struct own_tool tool_multi_edit = {
	.name = "multi_edit",
	.title = "Edit a file in several places",
	.text = "Makes several exact replacements in one file, in the given order, each on what "
		"the ones before have made of it. All of them are made, or none: if one does not "
		"fit, the answer names it and the file is unchanged. The rules of edit hold for "
		"each. The first may have an empty old_string to create the file.",
	.input =
		"{\"type\":\"object\",\"properties\":{"
		"\"file_path\":{\"type\":\"string\",\"description\":\"The file, absolute or "
		"relative to the workspace.\"},"
		"\"edits\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":1000,\"description\":"
		"\"What to replace, in order.\",\"items\":{\"type\":\"object\",\"properties\":{"
		"\"old_string\":{\"type\":\"string\",\"description\":\"The text to replace, "
		"exactly as it is by then.\"},"
		"\"new_string\":{\"type\":\"string\",\"description\":\"What takes its place.\"},"
		"\"replace_all\":{\"type\":\"boolean\",\"description\":\"Replace every occurrence. "
		"Default false.\"}},"
		"\"required\":[\"old_string\",\"new_string\"],\"additionalProperties\":false}}},"
		"\"required\":[\"file_path\",\"edits\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"created\":{\"type\":\"boolean\"},"
		  "\"replacements\":{\"type\":\"integer\"},"
		  "\"bytes\":{\"type\":\"integer\",\"description\":\"Size of the file now.\"},"
		  "\"lines\":{\"type\":\"integer\"}},"
		  "\"required\":[\"path\",\"created\",\"replacements\",\"bytes\",\"lines\"]}",
	.whole = true,
	.run = perform_multi_edit,
};
