/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_GREP_H
#define TOOLS_SEARCH_GREP_H

#define PCRE2_CODE_UNIT_WIDTH 8

#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "tools/search/walk.h"

/* A pattern, looked for in files: grep-pattern.c compiles it, grep-match.c looks for
 * the next line in memory, grep-file.c through one file, grep-tree.c through all. */

enum grep_mode {
	GREP_FILES = 0,
	GREP_CONTENT,
	GREP_COUNT,
};

#define GREP_BUFFER 262144
#define GREP_LINE_MAX 4194304	/* longer lines are searched in pieces */
#define GREP_MULTI_MAX 33554432 /* bytes of a file that is searched across lines */
#define GREP_BINARY_LOOK 8192	/* bytes in which a NUL makes a file binary */
#define GREP_SHOWN_MAX 400	/* bytes of one line that are shown */
#define GREP_KEPT_MAX 4194304	/* bytes of all lines; far more than limit without context */
#define GREP_SECONDS 60		/* then it is told what was found so far */
#define GREP_COSTLY_MAX 8	/* files given up; with the next one, all is */

/* -- the pattern ------------------------------------------------------------------------ */

enum grep_flag {
	GREP_FIXED = 1,
	GREP_IGNORE_CASE = 2,
	GREP_MULTILINE = 4,
};

struct grep_pattern;

/* -EINVAL, with the place and words. */
int grep_pattern_create(const char *text, unsigned flags, struct grep_pattern **ret_pattern,
	struct ambit_error *err);
void grep_pattern_destroy(struct grep_pattern *pattern);

/* Which of its forms: with CR LF at the end of lines; with a look at the clock at
 * every step. */
#define GREP_CRLF 1
#define GREP_CAREFUL 2
/* Compiled when it is needed first; NULL without memory. Thread-safe. */
const pcre2_code *grep_pattern_code(struct grep_pattern *pattern, unsigned form);
/* Whether many lines at once may be put before it, and each line it finds is one. */
bool grep_pattern_spans(const struct grep_pattern *pattern);
bool grep_pattern_multiline(const struct grep_pattern *pattern);

/* -- the end of it ---------------------------------------------------------------------- */

/* Shared by all who search. */
struct grep_end {
	bool (*cancelled)(void *data);
	void *data;
	int64_t deadline;     /* ns, CLOCK_MONOTONIC */
	_Atomic int64_t look; /* not before that */
	atomic_bool now;      /* nobody needs more */
	atomic_bool late;
	atomic_size_t looked; /* files that were opened, or could not be */
	atomic_size_t costly; /* of these, given up */
};

int64_t grep_clock(void);
/* Looks at the clock, and whether it was cancelled. */
bool grep_end_look(struct grep_end *end);

/* -- matching --------------------------------------------------------------------------- */

/* What one thread matches with. */
struct grep_eye {
	struct grep_pattern *pattern;
	struct grep_end *end;
	pcre2_match_data *data;
	pcre2_match_context *fast, *careful;
	pcre2_jit_stack *stack;
	unsigned form;	  /* GREP_CRLF: of this file */
	int64_t spent;	  /* ns of careful matching in this file ... */
	int64_t until;	  /* ... and when it is given up */
	unsigned steps;	  /* of careful matching */
	unsigned too_far; /* windows in which the pattern ran too far */
	char *buffer;
	size_t size;
};

int grep_eye_init(struct grep_eye *eye, struct grep_pattern *pattern, struct grep_end *end);
void grep_eye_finish(struct grep_eye *eye);

struct grep_line {
	size_t from, to; /* the line, without what ends it */
	size_t at;	 /* of the match */
};

/* The next line in text that matches, from a start of a line on. 1, 0; -ETIME: it is
 * given up; -ECANCELED: nobody waits. */
int grep_next(struct grep_eye *eye, const char *text, size_t from, size_t end,
	struct grep_line *ret_line);
/* The next match anywhere in text, at its end *ret_end; line as the lines it is in. */
int grep_next_multi(struct grep_eye *eye, const char *text, size_t from, size_t end,
	struct grep_line *ret_line);

/* -- files ------------------------------------------------------------------------------ */

struct grep_wants {
	enum grep_mode mode;
	size_t before, after;
	size_t limit; /* lines (GREP_CONTENT) or files; one more is looked for */
};

struct grep_told {
	size_t number;
	uint32_t at, len;     /* in the text */
	uint32_t left, right; /* so many bytes of the line are not in it */
	bool context;
};

struct grep_found {
	const struct walk_dir *dir; /* NULL: the root, which is a file */
	const char *name;
	struct stat st;	 /* of what was read */
	size_t count;	 /* of lines that match */
	struct buf text; /* about RESULT_MAX at most; what is past it is only counted */
	struct grep_told *lines;
	size_t n_lines, size;
};
void grep_found_finish(struct grep_found *found);

enum grep_result {
	GREP_NONE = 0,
	GREP_FOUND,
	GREP_BINARY,
	GREP_UNREADABLE,
	GREP_TOO_LARGE,
	GREP_COSTLY,
	GREP_RESULTS,
};

/* Searches what fd is open on. found is filled in if it is GREP_FOUND. -ENOMEM,
 * -ECANCELED. */
int grep_file(
	struct grep_eye *eye, const struct grep_wants *wants, int fd, struct grep_found *found);

/* -- trees ------------------------------------------------------------------------------ */

struct grep_tree {
	const struct grep_wants *wants;
	struct grep_pattern *pattern;
	struct grep_end *end;
	int root;
	const struct walk *walk; /* NULL: the root is a file */

	/* What came of it: in the order of the walk. */
	struct grep_found *found;
	size_t n_found;
	size_t results[GREP_RESULTS]; /* files */
	bool stopped; /* there is more than is told, and the rest was not searched */
	char *costly; /* one that was given up: its path */
};

/* -ENOMEM, -ETIME: the pattern is too costly, -ECANCELED. */
int grep_tree_search(struct grep_tree *tree);
void grep_tree_finish(struct grep_tree *tree);

#endif
