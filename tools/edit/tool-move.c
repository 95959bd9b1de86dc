/* SPDX-License-Identifier: Apache-2.0 */
/* move: another name, another directory. */

#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-ends.h"
#include "tools/edit/edit-file.h"

static int
perform_move(struct tool_run *run, struct ambit_error *err)
{
	struct edit_ends ends;
	int r = edit_ends_take(
		run, AMBIT_ACCESS_DELETE, false, AMBIT_ACCESS_REPLACE, false, &ends, err);

	/* Where it goes it may be read, whatever was guarded where it was. */
	if (r == 0)
		r = edit_decide_read(run, &ends.from, err);
	if (r == 0) {
		const struct file_watch watch = edit_watch(run);
		const struct hand_law law = run_law(run);
		struct pass pass = run_pass(run);

		r = file_move(&pass, &law, &ends.from, &ends.to, run_bool(run, "overwrite", false),
			&watch, err);
	}
	if (r == 0) {
		seen_forget(run->seen, ends.from.real);
		seen_forget(run->seen, ends.to.real);
		edit_ends_tell(run, &ends, "Moved");
	}
	r = edit_ends_failed(run, &ends, r);
	edit_ends_finish(&ends);
	return r;
}

const struct own_tool tool_move = {
	.name = "move",
	.title = "Move or rename",
	.text = "Moves or renames a file, a symlink (itself) or a directory. If dst is a directory "
		"that exists, it goes into it. Directories that dst needs are made. A file that is "
		"there is replaced only with overwrite, a directory never.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"src\":{\"type\":\"string\",\"description\":\"What to move, absolute or "
		 "relative to the workspace.\"},"
		 "\"dst\":{\"type\":\"string\",\"description\":\"Its new path, or a directory to "
		 "put it into.\"},"
		 "\"overwrite\":{\"type\":\"boolean\",\"description\":\"Replace a file that is "
		 "there. Default false.\"}},"
		 "\"required\":[\"src\",\"dst\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"src\":{\"type\":\"string\"},"
		  "\"dst\":{\"type\":\"string\",\"description\":\"Where it is now.\"},"
		  "\"replaced\":{\"type\":\"boolean\"}},"
		  "\"required\":[\"src\",\"dst\",\"replaced\"]}",
	.run = perform_move,
};
