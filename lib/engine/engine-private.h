/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_ENGINE_PRIVATE_H
#define ENGINE_ENGINE_PRIVATE_H

#include <ambit/engine.h>

#include "ask/notify.h"
#include "ask/pending.h"
#include "ask/question.h"
#include "decide/decide.h"
#include "decide/once.h"
#include "engine/doors.h"
#include "perform/permit.h"
#include "record/record-private.h"

/* Shared by the files of the engine: engine.c (the arrow), engine-open.c
 * (what a session starts from), engine-ask.c and engine-answer.c (tickets, questions,
 * answers), engine-place.c (permits into places), engine-line.c and engine-floor.c
 * (what the kernel line needs), engine-narrow.c (what it may no longer give), engine-once.c
 * (what processes were allowed once). */

struct ambit_engine {
	const struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_approver *approver;
	struct ambit_judge *judge;
	struct notify *notify; /* or NULL */
	const struct ambit_policy *policy;
	struct policy_memory *answers; /* of the policy program; NULL: there is none */
	bool observe;
	enum run_reads run;
	bool unlimited;		     /* questions are not counted against the rate */
	struct leftovers *leftovers; /* what is staged is noted there; or NULL */
	int64_t began;		     /* when the engine was made, in milliseconds since the epoch */
	char *door;
	char *agent; /* or NULL */

	struct ambit_session session;
	struct guards *guards;
	struct ambit_scope *guarded; /* whose guards these are: the scope, or the outer one */
	const struct ambit_engine_outer *outer;
	struct grant *grants;
	size_t n_grants;
	char **wanted;		/* grants that outside are open by answers alone; or NULL */
	char **opened;		/* profiles opened for this engine alone */
	uint64_t profile_shown; /* a digest of the places that were asked about last */
	struct engine_worktree *worktree; /* see engine-worktree.c; NULL: not looked, or none */
	struct once *once;		  /* what processes were allowed once: see engine-once.c */
	size_t n_once;
	uint64_t last_once; /* the id that was given last */
	struct rules rules;
	int64_t rules_version; /* of the record they were read from; -1: read again */
	char **known;	       /* repositories in the folder that were found before; or NULL */
	bool searched;	       /* for repositories in the folder */
	bool search_cut;       /* and not all of it was looked at */
	char **opens;	       /* granted folders, which were searched as well; or NULL */
	size_t opens_of;       /* they are of so many grants and rules; 0: look again */
	int64_t looked;	       /* when a glance last looked at folder and record; 0: never */
	struct engine_stance *stance; /* what the floor was made of; or NULL */
	int attic;		      /* see engine_attic; 0: not opened yet, -1: there is none */
	bool narrowed;		      /* whether less is allowed, when it was last looked at */
	int64_t narrow_at;	      /* that is looked, then */

	struct pending *pending;
	char last_call[65]; /* digest of the last call, and how often in a row */
	int repeated;
};

/* Accepts NULL. */
void engine_worktree_destroy(struct engine_worktree *worktree);

struct ambit_permit {
	struct ambit_engine *engine;
	struct permit_path *paths;
	size_t n_paths;
	size_t n_passes; /* still to be given */
	bool placed;	 /* see permit_pass */
	bool guarded;	 /* one of its paths is guarded, and was allowed as such */
	bool once;	 /* see permit_is_once */
	uint64_t opens;	 /* the answer "once" that begins with this act; 0: none */
	bool opened;	 /* it began with this one */
	uint64_t chain;	 /* see permit_once_chain */
	char *tool;
	char *label;
	/* Where its paths begin, for places: the engine may be in use elsewhere. */
	int base_fd; /* O_PATH of display_root; -1: not a tool call */
	char *base;
	char *cwd;		  /* of the request, or NULL */
	struct permit_made *made; /* directories that places needed, in this order */
	size_t n_made;
};

/* engine-place.c: keeps where the request's paths begin. -ENOMEM, -errno. */
int engine_permit_base(struct ambit_permit *permit, const struct ambit_request *request);
/* The act has ended: what it did not need after all goes again if it failed. */
void engine_permit_unmake(struct ambit_permit *permit, bool failed);

/* Fills in for this request and time; *ret_child (or NULL) must outlive it. */
int engine_input(struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *ret_input, struct ambit_scope **ret_child, struct ambit_error *err);

/* Decides with extra rules (or NULL) beside the remembered ones. again: it was
 * asked about, so what lies there must still be the same. */
void engine_decide(struct ambit_engine *engine, const struct ambit_request *request,
	const struct rules *extra, bool again, struct ambit_outcome *ret_outcome,
	struct path_facts **ret_resolved);

/* Refuses the same call over and over (loop_limit). */
void engine_check_loop(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *outcome);

/* Records the decision; if that fails, the outcome becomes a deny. */
void engine_record(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *outcome);
int engine_append(struct ambit_engine *engine, const char *kind,
	const struct ambit_request *request, const struct ambit_outcome *outcome,
	const json_t *body, struct ambit_error *err);

/* Whether the event is counted among those like it, in the place that outcome (or NULL)
 * is about: 1. 0: it is to be appended. refused: nothing comes of it. See record_count. */
int engine_count(struct ambit_engine *engine, const char *kind, const struct ambit_request *request,
	const struct ambit_outcome *outcome, bool refused, struct ambit_error *err);

/* A permit for an allow; takes resolved. */
int engine_permit(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, struct path_facts *resolved,
	struct ambit_permit **ret_permit, struct ambit_error *err);

/* Turns the outcome into a deny. */
void engine_refuse(struct ambit_outcome *outcome, enum ambit_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* engine-line.c */

/* Fills in what the engine has, for a request that is on the caller's stack. */
void engine_look(const struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *ret_input);

/* Looks at folder and record, now and then. False: it cannot be told now. */
bool engine_refresh(struct ambit_engine *engine);

/* engine-around.c: the session as it was loaded is cut to what those around it say. */
int engine_cap_session(struct ambit_engine *engine, struct ambit_error *err);

/* engine-floor.c: folders that were granted since are searched for repositories, as the folder
 * was, if that was. Does nothing if no grant is new. -ENOMEM. */
int engine_search_opened(struct ambit_engine *engine);

/* engine-narrow.c */

/* Whether nothing but where it goes decides about any write. */
bool engine_writes_plainly(const struct decide_input *in);
/* What is told as the floor is what holds now; takes the list. -ENOMEM. */
int engine_stance_take(struct ambit_engine *engine, char ***open);
/* Accepts NULL. */
void engine_stance_destroy(struct engine_stance *stance);

/* engine-profile.c */

/* Whether the profiles of the settings lead to no guard, and through a link only to what is open
 * by itself. -EPERM. */
int engine_check_profiles(struct ambit_engine *engine, struct ambit_error *err);

/* A profile that is asked about in the place of a request. */
struct asks_profile {
	const struct profile *profile;	   /* or NULL */
	bool settings;			   /* about what configures it */
	const struct profile_add *missing; /* see profile_find_missing */
	uint64_t shown;			   /* a digest of where its places led when it was asked */
};

/* The profile of a program that asks, or of one that it descends from, if all that is in question
 * is that profile's and nobody has answered about it. What configures it: only if the program
 * itself asks. */
struct asks_profile engine_profile_of(struct ambit_engine *engine,
	const struct ambit_request *request, const struct ambit_outcome *outcome);
/* Makes the question the one about this profile. */
int engine_profile_asks(struct ambit_engine *engine, struct asks_profile *asks,
	struct ambit_question *question, struct ambit_error *err);
/* As engine_profile_answer. -ESTALE: its places lead somewhere else than was shown. */
int engine_profile_answered(struct ambit_engine *engine, struct asks_profile asks,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);

/* engine-once.c */

/* The outcome was answered by "once": what this allows, at first only to those who wait already.
 * The id of it, 0 if it allows nothing but the call. -ENOMEM. */
int engine_once_add(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, uint64_t *ret_id);
/* Those who waited have been looked at: from now on it covers nothing until it begins. */
void engine_once_suspend(struct ambit_engine *engine, uint64_t id);
/* Its chain; 0: it has ended. */
uint64_t engine_once_find_chain(struct ambit_engine *engine, uint64_t id);
/* The act of this permit has ended. */
void engine_once_done(struct ambit_permit *permit, bool failed);
/* The outcome is an allow that will be acted on: replacements are used up. */
void engine_once_use(struct ambit_engine *engine, const struct ambit_outcome *outcome);
/* Whether something at this path may be made now by what was allowed once. */
bool engine_once_may_make(const struct ambit_engine *engine, const char *real);
void engine_once_destroy(struct ambit_engine *engine);

/* engine-ask.c: when a question that is put now expires; 0: never. */
int64_t engine_expires(const struct ambit_engine *engine, int64_t now);

/* engine-open.c */
int engine_open(struct ambit_engine *engine, const struct ambit_engine_options *options,
	struct ambit_error *err);
int engine_reload(struct ambit_engine *engine, struct ambit_error *err);

/* engine-program.c */
/* Programs that run for the person: -EPERM where one, or what it is given, is the agent's. */
int engine_check_programs(const struct ambit_engine *engine, struct ambit_error *err);

#endif
