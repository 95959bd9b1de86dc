/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PATCH_PATCH_H
#define PATCH_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/words.h>

#include "base/err.h"
#include "patch/patchname.h"

/* Patches: unified diffs (git's extended headers included) and the "*** Begin
 * Patch" dialect. One reader per dialect serves both who decides and who
 * applies, so that a patch is taken apart in one way only. A patch in which a
 * file could be hidden or that cannot be understood is an error, never an
 * empty list. */

/* Every (path, access) that some program which applies patches would take from
 * this one; each gets them, non-zero stops. 0, -EINVAL with words that begin
 * with "line N: ", -ENOMEM, or what each returned (then err stays as it was). */
int patch_paths(const char *text, size_t len,
	int (*each)(void *data, const char *path, size_t len, enum ambit_access access), void *data,
	struct ambit_error *err);

enum patch_change {
	PATCH_UPDATE = 0,
	PATCH_ADD,
	PATCH_DELETE,
	PATCH_MOVE,
	PATCH_COPY,
};

struct patch_line {
	char sign;	  /* ' ', '+' or '-' */
	bool bare;	  /* "\ No newline at end of file" stands below it */
	struct span text; /* borrowed from the patch */
};

struct patch_hunk {
	size_t number;	      /* in its file, from 1 */
	size_t at;	      /* the line of the patch that it begins in */
	bool placed;	      /* it says where: */
	size_t start;	      /* line of the old file, from 1; of nothing, the one before */
	bool counted;	      /* by counts (unified): at its place first, then near it */
	bool at_end;	      /* only at the end of the file */
	struct span *anchors; /* lines that stand above it, in this order */
	size_t n_anchors;
	struct patch_line *lines;
	size_t n_lines;
	size_t n_old; /* of them in the old file */
	size_t slack; /* empty lines at its end that may be no part of it */
};

struct patch_file {
	enum patch_change change;
	size_t at; /* the line of the patch that it begins in */
	char *path;
	char *to;     /* MOVE, COPY */
	char *other;  /* another reading of path, if there is no such file; or NULL */
	int run;      /* whether it may be executed: 1, 0; -1: as it is */
	bool matches; /* DELETE: what is deleted stands in the hunks */
	struct patch_hunk *hunks;
	size_t n_hunks;
};

struct patch_set {
	struct patch_file *files;
	size_t n_files;
	bool crlf; /* every line of the patch ends in "\r\n": it says nothing */
};

/* The patch as something to do. Refuses what patch_paths() refuses, and more:
 * what has several meanings. 0, -EINVAL with words that begin with "line N: ",
 * -ENOMEM. text must outlive the set. */
int patch_parse(const char *text, size_t len, struct patch_set *ret_set, struct ambit_error *err);
void patch_finish(struct patch_set *set);

#endif
