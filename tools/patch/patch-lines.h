/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PATCH_PATCH_LINES_H
#define TOOLS_PATCH_PATCH_LINES_H

#include "tools/patch/patch-apply.h"

/* A file's lines, and where a hunk's stand in it. Private to patch-apply.c,
 * patch-find.c and patch-tell.c. */

struct file_line {
	struct span text; /* without "\n", with a "\r" in front of it */
	bool bare;	  /* the last one, and no "\n" behind it */
};

struct file_lines {
	struct file_line *list;
	size_t n;
	bool crlf; /* most of them end in "\r\n" */
};

/* How much may differ. */
enum match {
	MATCH_EXACT = 0,
	MATCH_RETURN, /* "\r" at the end of a line, and whether the last one has an end */
	MATCH_BLANK,  /* white space at the end of a line */
	MATCH_LEVELS,
};

#define COMPARISONS_MAX 50000000 /* lines, in one patch of one file */

struct finder {
	const struct file_lines *file;
	const struct patch_hunk *hunk;
	const struct patch_line **old; /* the hunk's lines that the file has */
	size_t n_old;
	size_t from;   /* where it may begin at first */
	size_t wanted; /* counted, placed: where it should */
	size_t spent;  /* comparisons */

	/* What was found. */
	size_t at;
	enum match level;
	size_t second; /* -EAGAIN: it stands here as well */
};

/* A line without white space at its end (level BLANK) or a "\r" (RETURN). */
struct span line_end_cut(struct span text, enum match level);

/* Where all of old stands: 0; -ENOENT; -EAGAIN: in several places, none of which is
 * the one; -E2BIG: too much to compare. */
int find_hunk(struct finder *finder);
/* The line behind *at that an anchor names: 0 and its index. -ENOENT, -E2BIG. */
int find_anchor(struct finder *finder, struct span anchor, size_t *at);

/* What the hunk expects and what is most like it in the file, for a model to read.
 * NULL without memory. */
char *tell_mismatch(const struct finder *finder);

#endif
