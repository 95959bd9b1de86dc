/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_ENGINE_PROFILE_H
#define ENGINE_ENGINE_PROFILE_H

#include <ambit/approve.h>

#include "engine/engine-private.h"
#include "scope/profile.h"

/* A profile that may be opened: engine-profile.c has what is open and what an answer stores,
 * engine-profile-question.c the words. */

struct opening {
	const struct profile *profile;
	bool settings; /* not its folders and hosts: what configures it */
	struct profile_places places;
	bool reads;		 /* reads are limited, so that they must be opened as well */
	const char *const *adds; /* words for its command line and environment; or NULL */
	const char *by;		 /* the program that needs it now; NULL: it is about to start */
	const struct profile_add *missing; /* see profile_find_missing; or NULL */
};

/* An agent's own folders are the same in every project; a worktree is this one's. What configures
 * an agent can be changed by every command that it runs, so that is not opened everywhere. */
static inline bool
opening_holds_everywhere(const struct opening *opening)
{
	return !opening->settings && opening->profile == profile_find(opening->profile->name);
}

/* Fills *ret_question but for its id and when it expires. -ENOMEM. */
int opening_question(const struct ambit_engine *engine, const struct opening *opening,
	struct ambit_question *ret_question);
/* What the record calls it: "profile npm". Caller frees; NULL without memory. */
char *opening_subject(const struct opening *opening);
/* Whether this is one of the answers to it. */
bool opening_offers(enum ambit_answer_kind kind);

#endif
