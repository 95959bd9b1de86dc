/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PATCH_PATCH_READER_H
#define PATCH_PATCH_READER_H

#include "patch/patch.h"

/* A patch while it is read: what the two dialects' readers have in common.
 * Private to lib/patch. */

enum patch_policy {
	PATCH_STRICT = 0,   /* one meaning or none: files and hunks are collected */
	PATCH_EVERY_READER, /* all names that any reader could take are given out */
};

struct patch_reader {
	enum patch_policy policy;
	const char *text;
	size_t len;
	size_t at;	 /* behind the line */
	size_t line;	 /* its number */
	bool miscounted; /* what is wrong is a hunk's counts */
	int (*each)(void *data, const char *path, size_t len, enum ambit_access access);
	void *data;
	struct patch_set set; /* STRICT */
	struct ambit_error *err;
};

struct patch_text {
	struct span plain; /* without its "\n" or "\r\n" */
	struct span raw;   /* with the "\r", unless all lines end in one */
};

bool patch_next(struct patch_reader *reader, struct patch_text *ret_line);
/* -EINVAL, with the line's number in front of the words. */
int patch_wrong(struct patch_reader *reader, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of the line that was read last. */
int patch_bad(struct patch_reader *reader, const char *why);
/* To each, if there is one. */
int patch_emit(struct patch_reader *reader, const char *path, size_t len, enum ambit_access access);

/* -- STRICT only: a new last one; NULL without memory ---------------------------------- */

struct patch_file *patch_add_file(struct patch_reader *reader, enum patch_change change);
struct patch_hunk *patch_add_hunk(struct patch_reader *reader, struct patch_file *file);
int patch_add_line(
	struct patch_reader *reader, struct patch_hunk *hunk, char sign, struct span text);
int patch_add_anchor(struct patch_reader *reader, struct patch_hunk *hunk, struct span text);
/* Copies; -EINVAL for a name with a NUL in it. */
int patch_copy_name(struct patch_reader *reader, struct span name, char **ret_name);
void patch_file_finish(struct patch_file *file);

/* "-12,3 +12,4 @@": false if it is none. */
struct patch_range {
	size_t old_start, old_count, new_start, new_count;
};
bool patch_read_range(struct span text, struct patch_range *ret_range);

/* From the line behind "*** Begin Patch" on. word: what ends the here-document
 * around it. */
int begin_read(struct patch_reader *reader, struct span word);
/* The whole text. */
int unified_read(struct patch_reader *reader);

#endif
