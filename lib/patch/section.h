/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PATCH_SECTION_H
#define PATCH_SECTION_H

#include "patch/patch-reader.h"

/* One file of a unified diff, as far as it was read. Private to unified.c, which
 * reads the lines, section-names.c, which gives out the names that readers could
 * take, and section.c, which takes the one name of the strict reading. */

enum section_stage {
	STAGE_HEADERS = 0,
	STAGE_HUNKS,
	STAGE_CLOSED, /* "Index:" stood below git's headers: only "diff --git" may follow */
};

enum git_headers {
	GIT_HEADERS_NONE = 0,
	GIT_HEADERS_NAMES,    /* "diff --git" alone, which changes nothing by itself */
	GIT_HEADERS_EXTENDED, /* a mode, a rename or copy, or binary content too */
};

/* The kind of reader that takes names from the headers so far. Above the hunks, one file has names
 * of one kind only. */
enum name_readers {
	READERS_NONE = 0,
	READERS_ALL,
	READERS_PATCH, /* patch(1) alone: indented, or "***" */
};

struct section {
	size_t at;			      /* the line that it begins in */
	struct patch_name git_old, git_new;   /* of the "diff --git" line, as git reads it */
	struct patch_name word_old, word_new; /* and as patch(1) does */
	struct patch_name old, new;	      /* "---", "+++" */
	struct patch_name index, star;	      /* "Index:", "***": patch(1) takes these too */
	struct patch_name from, to;	      /* rename or copy */
	enum section_stage stage;
	enum git_headers git;
	enum name_readers readers;
	bool copy;		 /* from and to are of a copy, not a rename */
	bool deleted, created;	 /* by git's headers; a patch may say both */
	bool empties;		 /* some hunk leaves nothing */
	int run;		 /* STRICT: as in struct patch_file */
	struct patch_file hunks; /* STRICT: only its hunks */
};

/* What one name means depends on all others, so the text is read twice for names. */
struct section_prefixes {
	bool mixed; /* some name has no prefix */
	bool all;   /* give out every name with its first component too */
};

/* Empties it; also what a new one begins as. */
void section_finish(struct section *section);

/* Every name to reader->each. -EINVAL with words; what each returned. */
int section_emit(struct patch_reader *reader, const struct section *section,
	struct section_prefixes *prefixes);
/* The sides alone, with this access. */
int section_emit_sides(struct patch_reader *reader, const struct section *section,
	struct section_prefixes *prefixes, enum ambit_access access);

/* STRICT: adds the file, with the section's hunks. Refuses headers that contradict
 * each other and hunks that do not suit: -EINVAL with words; -ENOMEM. */
int section_take(struct patch_reader *reader, struct section *section);

#endif
