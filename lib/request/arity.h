/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ARITY_H
#define REQUEST_ARITY_H

#include <stdbool.h>

/* Which simple commands get a key, how many words of them it shows, and which
 * of their arguments would make it say less than the truth. A command that is
 * not here has no key but itself. */

struct arity {
	const char *words;	  /* "git status": the leading words of the command */
	unsigned n;		  /* words in the key; none of them may be an option */
	bool inside;		  /* a path that leaves the cwd has no key */
	bool no_options;	  /* no option at all, before "--" */
	const char *const *longs; /* options without dashes that have no key; abbreviations too */
	const char *shorts;	  /* the same, one letter each; alone or in a cluster */
};

/* Ends in a row without words. */
extern const struct arity arity_table[];

/* Programs that run what their arguments say: shells, interpreters, wrappers.
 * No key may have one of them as a word. */
bool arity_runs_others(const char *word);

#endif
