/* SPDX-License-Identifier: Apache-2.0 */
/* delete: a file, a link (itself), an empty directory; a whole one if that is said. */

#include <errno.h>

#include "base/err.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-file.h"

static const char *
kind_of(mode_t mode)
{
	return S_ISDIR(mode)   ? "directory"
	       : S_ISLNK(mode) ? "symlink"
	       : S_ISREG(mode) ? "file"
			       : "other";
}

static int
delete_place(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	const struct file_watch watch = edit_watch(run);
	struct pass pass = run_pass(run);
	bool recursive = run_bool(run, "recursive", false);
	auto_buf struct buf text = { 0 };
	int r = file_remove(&pass, place, recursive, &watch, err);

	if (r < 0)
		return r;
	seen_forget(run->seen, place->real);
	buf_printf(&text, "Deleted the %s %s%s.\n", kind_of(place->mode), place->shown,
		S_ISDIR(place->mode) && recursive ? " and all that was in it" : "");
	run_say(run, text.data ? text.data : "", text.len);
	run->structured = json_object();
	json_set_text(run->structured, "path", place->shown);
	json_object_set_new(run->structured, "kind", json_string(kind_of(place->mode)));
	return 0;
}

static int
perform_delete(struct tool_run *run, struct ambit_error *err)
{
	struct ambit_place place = { .parent = -1 };
	int r = run_place(run, "path", AMBIT_ACCESS_DELETE, false, false, &place, err);

	if (r == 0 && !place.exists)
		r = edit_missing(run, &place, err);
	else if (r == 0)
		r = delete_place(run, &place, err);
	ambit_place_finish(&place);
	return edit_failed(run, r);
}

const struct own_tool tool_delete = {
	.name = "delete",
	.title = "Delete a file or directory",
	.text = "Deletes a file, a symlink (the link, not what it leads to) or an empty directory; "
		"with recursive, a directory and everything in it. There is no undo.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"path\":{\"type\":\"string\",\"description\":\"What to delete, absolute or "
		 "relative to the workspace.\"},"
		 "\"recursive\":{\"type\":\"boolean\",\"description\":\"Delete a directory that is "
		 "not empty, with all that is in it. Default false.\"}},"
		 "\"required\":[\"path\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"kind\":{\"type\":\"string\",\"enum\":[\"file\",\"directory\",\"symlink\","
		  "\"other\"]}},"
		  "\"required\":[\"path\",\"kind\"]}",
	.run = perform_delete,
};
