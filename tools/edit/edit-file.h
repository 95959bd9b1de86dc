/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_EDIT_FILE_H
#define TOOLS_EDIT_EDIT_FILE_H

#include <sys/stat.h>

#include "perform/file.h"
#include "tools/registry/own-tool.h"

/* What the tools that work on one file have in common. */

#define EDIT_FILE_MAX ((size_t)64 << 20)

/* A failure of a place or of perform/file.h: sets run's code and a hint, unless they
 * are there. Returns r. */
int edit_failed(struct tool_run *run, int r);

/* There is nothing: -ENOENT, with names in that directory that may be meant. */
int edit_missing(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err);

/* Whoever may change a file may not for that reason see what is in it. A tool that
 * looks into one to change it, or takes its content elsewhere, has this decided as a
 * read of its own, and asked about if need be: 0, also of what is not there; -EACCES
 * with words, and run's code and hint. -ECANCELED. */
int edit_decide_read(
	struct tool_run *run, const struct ambit_place *place, struct ambit_error *err);
/* Whether it may be read (the directory that it lies in be listed) without a question:
 * for what is only told along the way. */
bool edit_may_read(struct tool_run *run, const struct ambit_place *place);
bool edit_may_list(struct tool_run *run, const struct ambit_place *place);

/* For acts that take long: looks at the call. */
struct file_watch edit_watch(const struct tool_run *run);

/* Writes, and notes how the model knows it now. was: it must still be as in this
 * (-ESTALE), or NULL. */
int edit_put(struct tool_run *run, const struct ambit_place *place, const struct stat *was,
	const char *data, size_t len, struct ambit_error *err);

/* All of edits (an array of {old_string, new_string, replace_all}), or none. */
int edit_run(struct tool_run *run, const json_t *edits, bool multi, struct ambit_error *err);

/* Becomes run's hint: as UTF-8. */
void edit_set_hint(struct tool_run *run, struct buf *hint);
size_t edit_count_lines(const char *text, size_t len);

#endif
