/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_PROFILE_H
#define SCOPE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/scope.h>

/* The table of profiles: what an agent or a package manager keeps outside the folder, and whom it
 * talks to. */

struct profile {
	const char *name;
	const char *kind;	     /* "agent" or "cache" */
	const char *const *commands; /* names of the programs it is for; end in NULL */
	/* "~/...", "$XDG_RUNTIME_DIR/..." or absolute; end in NULL. A last '*' stands for every
	 * name that begins so. */
	const char *const *folders;
	/* Folders into which it unpacks packages. Guarded names do not count there. NULL: none, or
	 * all folders of a profile of kind "cache". */
	const char *const *stores;
	/* Guarded files there that it writes itself: what configures it. As folders; or NULL. */
	const char *const *settings;
	const char *const *hosts;
	const struct profile_add *adds; /* end in one without words */
	const char *text;
};

/* What switches off an agent's own sandbox or daemon. */
struct profile_add {
	const char *const *args; /* before the agent's own; or NULL */
	const char *env;	 /* "NAME=value"; or NULL */
	/* Where the person's own words begin like one of these, theirs hold and nothing is
	 * added. */
	const char *const *unless;
	const char *instead; /* what that means; NULL: nothing to say */
	bool needed;	     /* its sandbox is on without these: then no command of it works */
};

/* The i-th profile, or NULL. */
const struct profile *profile_at(size_t i);
const struct profile *profile_find(const char *name);

/* The one for a program by its name, or by the last component of its path; or NULL. */
const struct profile *profile_for(const char *program);

/* -- profile-places.c -------------------------------------------------------------- */

/* One of a profile's folders, on this machine. */
struct profile_place {
	char *shown; /* "~/..." or absolute */
	char *real;  /* where it leads, without the '*' */
	bool names;  /* see ambit_rule.names */
	bool leads;  /* through a link: real is another place than shown */
};

struct profile_places {
	struct profile_place *list;
	size_t n;
};

/* Of a profile's folders or settings those that there are on this machine. One that is or holds the
 * home is refused, whatever link made it so. */
int profile_places_find(const struct profile *profile, const char *const *folders,
	const struct ambit_scope *scope, struct profile_places *ret_places,
	struct ambit_error *err);
/* Whether a write to this real path is to one of them, or makes a directory above one. */
bool profile_places_hold(const struct profile_places *places, const char *real, bool makes_dir);
void profile_places_finish(struct profile_places *places);

#define auto_profile_places __attribute__((cleanup(profile_places_finish)))

/* -- profile-adds.c ------------------------------------------------------------------ */

/* The word of a command line that is the program: behind `env A=1` and the like. */
size_t profile_program_word(char *const *words, size_t n);

/* What is added to a command for its profile. */
struct profile_added {
	char **list;   /* arguments, then variables; or NULL */
	size_t n_args; /* of the list */
	char **said;   /* where words of the person's own hold instead: what that means; or NULL */
};

/* words are the program's own arguments, envp its environment; either may be empty. -ENOMEM. */
int profile_added_find(const struct profile *profile, char *const *words, size_t n,
	char *const *envp, struct profile_added *ret_added);
void profile_added_finish(struct profile_added *added);

/* The options without which no command of a program works that runs already, where its own
 * arguments (NULL: not known) do not have them; or NULL. */
const struct profile_add *profile_find_missing(const struct profile *profile, char *const *words);

#endif
