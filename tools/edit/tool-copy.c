/* SPDX-License-Identifier: Apache-2.0 */
/* copy: the same once more. */

#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-ends.h"
#include "tools/edit/edit-file.h"

static int
perform_copy(struct tool_run *run, struct ambit_error *err)
{
	struct edit_ends ends;
	int r = edit_ends_take(
		run, AMBIT_ACCESS_READ_TREE, true, AMBIT_ACCESS_WRITE, true, &ends, err);

	if (r == 0) {
		const struct file_watch watch = edit_watch(run);
		const struct hand_law law = run_law(run);
		struct pass pass = run_pass(run);

		r = file_copy(&pass, &law, &ends.from, &ends.to, run_bool(run, "overwrite", false),
			&watch, err);
	}
	if (r == 0) {
		seen_forget(run->seen, ends.to.real);
		edit_ends_tell(run, &ends, "Copied");
	}
	r = edit_ends_failed(run, &ends, r);
	edit_ends_finish(&ends);
	return r;
}

const struct own_tool tool_copy = {
	.name = "copy",
	.title = "Copy",
	.text = "Copies a file, or a directory with all that is in it (links in it stay links). "
		"Modes and times are kept. If dst is a directory that exists, the copy goes into "
		"it. Directories that dst needs are made. A file that is there is replaced only "
		"with overwrite, a directory never.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"src\":{\"type\":\"string\",\"description\":\"What to copy, absolute or "
		 "relative to the workspace.\"},"
		 "\"dst\":{\"type\":\"string\",\"description\":\"The path of the copy, or a "
		 "directory to put it into.\"},"
		 "\"overwrite\":{\"type\":\"boolean\",\"description\":\"Replace a file that is "
		 "there. Default false.\"}},"
		 "\"required\":[\"src\",\"dst\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"src\":{\"type\":\"string\"},"
		  "\"dst\":{\"type\":\"string\",\"description\":\"Where the copy is.\"},"
		  "\"replaced\":{\"type\":\"boolean\"}},"
		  "\"required\":[\"src\",\"dst\",\"replaced\"]}",
	.run = perform_copy,
};
