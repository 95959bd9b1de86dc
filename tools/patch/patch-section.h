/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PATCH_PATCH_SECTION_H
#define TOOLS_PATCH_PATCH_SECTION_H

#include "tools/patch/patch-set.h"

/* One file of a unified diff, as far as it was read. Private to patch-unified.c, which
 * reads the lines, and patch-section.c, which makes sense of the names. */

struct section {
	size_t at;
	struct patch_name git_old, git_new, old, new, from, to;
	bool git, copy, deleted, created;
	int run;
	struct patch_file hunks; /* only its hunks */
};

/* Empties it; also what a new one begins as. */
void section_finish(struct section *section);
/* Whether the headers agree with each other: 0; -EINVAL with words. */
int section_check(struct patch_reader *reader, const struct section *section);
/* After that: sets path, to and other. -EINVAL, -ENOMEM with words. */
int section_name(
	struct patch_reader *reader, const struct section *section, struct patch_file *file);

#endif
