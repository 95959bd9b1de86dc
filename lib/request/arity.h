/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ARITY_H
#define REQUEST_ARITY_H

#include <stdbool.h>

/* Which simple commands get a key, how many words of them it shows, and what
 * else may stand beside those without making the key say less than the truth.
 * All that a row does not name has no key but itself: other commands, other
 * options, a path that leaves the cwd, "@file", "+ref", ":ref". */

struct arity {
	const char *words;  /* "git status": the leading words of the command */
	unsigned n;	    /* words in the key, at most. If there are more than in
			     * words, no option of the row takes a value of its own */
	bool anywhere;	    /* it opens no file: its arguments may look like any path */
	bool any_option;    /* it has no option that writes or runs */
	bool bare;	    /* nothing but options behind the words of the key */
	bool names;	    /* no ':' and no '/' in an argument: a place to connect to */
	bool alone;	    /* "--" hands what follows to another program: no key */
	bool one_dash;	    /* long options have one dash, or two */
	const char *longs;  /* "all quiet": options it may have, without dashes, in full */
	const char *shorts; /* the same, one letter each; alone or in a cluster */
};

/* Ends in a row without words. A row stands before those that begin it. */
extern const struct arity arity_table[];

/* Programs that run what their arguments say: shells, interpreters, wrappers.
 * No key may have one of them as a word. */
bool arity_runs_others(const char *word);

#endif
