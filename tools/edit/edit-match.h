/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_EDIT_MATCH_H
#define TOOLS_EDIT_EDIT_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Exact replacement of a piece of text by another. Pure: bytes in, bytes out.
 * Line ends are the one thing that is not taken at its word: models write LF, and
 * a file with CRLF is still that afterwards; or they write CRLF, and a file with LF
 * gets none. */

struct edit_change {
	const char *old;
	size_t old_len; /* not 0 */
	const char *new;
	size_t new_len;
	bool all;
};

struct edit_match {
	size_t at, len;
};

struct edit_matches {
	struct edit_match *list;
	size_t n;
	bool loose; /* line ends were not as given */
};

#define EDIT_MATCHES_MAX 1000000

/* All of them, in order, without overlap; none is no error. -ENOMEM, -E2BIG. */
int edit_find(const char *text, size_t len, const char *old, size_t old_len,
	struct edit_matches *ret_matches);
void edit_matches_finish(struct edit_matches *matches);

/* Appends text with every match replaced. New lines end as those they replace, or
 * as most of the text's. CRLF that is given stays, unless what was given with it was
 * found with LF. */
void edit_apply(const char *text, size_t len, const struct edit_matches *matches, const char *new,
	size_t new_len, struct buf *out);

/* How many lines end in CRLF, and in LF alone. */
void edit_count_ends(const char *text, size_t len, size_t *ret_crlf, size_t *ret_lf);
/* The line that at lies in; the first is 1. */
size_t edit_line_of(const char *text, size_t len, size_t at);

#endif
