/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PATCH_PATCH_SET_H
#define TOOLS_PATCH_PATCH_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "patch/patchname.h"

/* A patch as something to do: files with hunks. The names in it are among those
 * that lib/patch/patch.h lists for the same text: what is decided about is at least
 * what is done. */

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

/* -EINVAL with words; -ENOMEM. text must outlive the set. */
int patch_parse(const char *text, size_t len, struct patch_set *ret_set, struct ambit_error *err);
void patch_finish(struct patch_set *set);

/* -- for the two dialects ------------------------------------------------------------ */

struct patch_reader {
	struct patch_set *set;
	const char *text;
	size_t len;
	size_t at;   /* behind the line */
	size_t line; /* its number */
	struct ambit_error *err;
};

/* The next line, without its "\n" (and "\r", if that says nothing). */
bool patch_next(struct patch_reader *reader, struct span *ret_line);
/* -EINVAL, with the line's number in front of the words. */
int patch_wrong(struct patch_reader *reader, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A new last one; NULL without memory. */
struct patch_file *patch_add_file(struct patch_reader *reader, enum patch_change change);
struct patch_hunk *patch_add_hunk(struct patch_reader *reader, struct patch_file *file);
int patch_add_line(
	struct patch_reader *reader, struct patch_hunk *hunk, char sign, struct span text);
int patch_add_anchor(struct patch_reader *reader, struct patch_hunk *hunk, struct span text);
/* Copies; -EINVAL for a name with a NUL in it. */
int patch_copy_name(struct patch_reader *reader, struct span name, char **ret_name);
/* "-12,3 +12,4 @@": false if it is none. */
struct patch_range {
	size_t old_start, old_count, new_start, new_count;
};
bool patch_read_range(struct span text, struct patch_range *ret_range);

int patch_read_begin(struct patch_reader *reader);
int patch_read_unified(struct patch_reader *reader);

/* -- applying -------------------------------------------------------------------------- */

struct patch_count {
	size_t added, removed;
	size_t offset; /* hunks that applied elsewhere than they said */
	size_t loose;  /* hunks that applied but for white space at the ends of lines */
};

struct file_watch;

/* The old text with the file's hunks applied. watch, or NULL, is looked at between
 * hunks: -ECANCELED. -ENOENT: a hunk does not apply; the words say which, and
 * *ret_detail (caller frees) has what it expected and what is there. -EAGAIN: it fits
 * in several places; -E2BIG: too much to compare. */
int patch_apply(const struct patch_set *set, const struct patch_file *file, const char *old,
	size_t len, const struct file_watch *watch, struct buf *ret_text,
	struct patch_count *ret_count, char **ret_detail, struct ambit_error *err);

#endif
