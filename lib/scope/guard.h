/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GUARD_H
#define SCOPE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "scope/scope-private.h"

/* Names that are asked about even inside the folder: what runs later with
 * the person's rights (writes), and what is secret (reads).
 *
 * A pattern is path components with globs; "~/" or "/" in front anchors it,
 * else it floats; "**" as a component is any depth; a last "**" is everything
 * beneath, and the directory itself when it is removed or replaced. Compared
 * without case. */

struct guard {
	const char *pattern;
	bool reads;	    /* guards reads, not writes */
	const char *except; /* last components that are not meant, or NULL */
	bool kept;	    /* only to remove it is guarded */
	bool loose;	    /* to remove it is fine: nothing is run for want of it */
	bool passing;	    /* comes and goes, or is large: known by name, never looked for */
	bool project;	  /* read where people work: free where a cache profile unpacks packages */
	const char *text; /* why: "runs at every commit" */
	const char *source; /* the page or file that says so */
};

/* The built-in table; ends in a NULL pattern. */
extern const struct guard guard_table[];
/* A link that gets the name of a grant, or of a folder that an answer opened. */
extern const struct guard guard_opened_name;

struct guards;

struct guards_options {
	const struct ambit_scope *scope;
	char *const *writes; /* patterns added; lists end in NULL, may be NULL */
	char *const *reads;
	char *const *no_writes; /* patterns of the table taken away */
	char *const *no_reads;
	bool later; /* whoever creates them calls guards_ready */
};

/* Checks the patterns; unless later, they are ready then. */
int guards_create(
	const struct guards_options *options, struct guards **ret_guards, struct ambit_error *err);
void guards_destroy(struct guards *guards);

/* Before anything else is asked of them: compiles the patterns and looks
 * (bounded) which guards exist in the folder and in the home: a hard link or
 * symlink to one is guarded like itself. Does so once, and that must be before
 * the first write is decided. */
int guards_ready(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err);

/* The guard that this access touches, or NULL. Borrowed. */
const struct guard *guards_match(
	const struct guards *guards, const struct path_facts *resolved, enum ambit_access access);

/* The guard that a symlink with this text touches when it gets the name real, or NULL: git
 * follows every symlink in a git directory, and writes where it leads. */
const struct guard *guards_match_link(
	const struct guards *guards, const char *real, const char *text);

/* Whether a real path is a guard itself or lies in a guarded directory, so
 * that granting it can only mean granting the guard. whole: and everything
 * beneath it as well. */
bool guards_is(const struct guards *guards, const char *real, bool reads, bool whole);

/* What a directory brings along: looks (bounded) through the tree at from, as
 * if it stood at to, for guards and ambit's own names, for symlinks that it brings into a
 * git directory, and for symlinks that stand there already. from and to are real paths; the
 * same for a removal. */
const struct guard *guards_look(const struct guards *guards, const struct ambit_scope *scope,
	const char *from, const char *to, enum ambit_access access);

/* The same for a tree behind a descriptor (O_PATH): 1: it brings something guarded to the
 * path to; 0: nothing; -E2BIG: it is too large to be looked through. landed: it stands there
 * already. */
int guards_look_held(const struct guards *guards, const struct ambit_scope *scope, int dir,
	const char *to, bool landed);

/* Whether a write guard lies, or by its anchor could lie, beneath dir. */
bool guards_beneath(const struct guards *guards, const char *dir);

/* Looks through the folder (bounded: cut tells) for repositories beneath its
 * top, so that the places of their guards are known. known: directories where there was
 * one before, in any case; or NULL. -ENOMEM. */
int guards_search(
	struct guards *guards, const struct ambit_scope *scope, char *const *known, bool *ret_cut);
/* The same beneath another directory, its top as well, and less far: what was granted. */
int guards_search_granted(struct guards *guards, const char *dir);
/* The results of both. Borrowed; may be NULL. */
char *const *guards_repositories(const struct guards *guards);

/* Whether dir is a git directory or lies in one: by its name, or because it was found that
 * git uses it as one. No symlink comes there without a yes. */
bool guards_in_git(const struct guards *guards, const char *dir);
/* Those that were found and are not called .git. Borrowed; may be NULL. */
char *const *guards_gitdirs(const struct guards *guards);

/* Whether this very path was found to be a guard when all began. */
bool guards_found(const struct guards *guards, const char *real);

/* What was found until now, for a session inside this one, and taking it over
 * there, beside what that finds itself. Caller frees; NULL without memory. */
char *guards_carry(const struct guards *guards);
int guards_take(struct guards *guards, const char *text, struct ambit_error *err);

/* How a directory stands to the guards against writing whose place is known: by
 * the names on the way to it, and by what was found at start. What says more is
 * larger. */
enum guard_stand {
	GUARD_CLEAR = 0,
	GUARD_NAMED, /* a directory where a guard is a file */
	GUARD_ABOVE, /* a guard lies, or may come to lie, beneath it */
	GUARD_IS,    /* all of it is one */
};

enum guard_stand guards_stand(const struct guards *guards, const char *dir);

/* The real paths of what was found at start and is guarded against reading,
 * each once for every row that names it. Stops when each returns not 0. */
int guards_each_secret(
	const struct guards *guards, int (*each)(void *data, const char *real), void *data);

/* The danger of a change of real, in few words and capitals: "RUNS AS YOU in your next shell".
 * It holds for every name of the guard. Static. */
const char *guard_danger(const struct guard *guard, const char *real, enum ambit_access access);

/* What is wrong with a pattern, or NULL. Static. */
const char *guard_pattern_fault(const char *pattern);

#endif
