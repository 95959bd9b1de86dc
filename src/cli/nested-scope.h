/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_NESTED_SCOPE_H
#define CLI_NESTED_SCOPE_H

#include "world.h"

#include "base/json.h"
#include "engine/doors.h"

/* What is around a session that is inside another: the line that it was asked for
 * behind, or the door that started it. What it may is what those may, narrowed; both
 * tell it in the same words (around_tell). */

struct around {
	struct ambit_run_inner *asked;
	/* A door of ours started it, and its words are not somebody's behind a line. */
	bool trusted;
	json_t *scope;	    /* what it was told */
	const char *folder; /* the outermost one's; of scope */
	char **open;	    /* to writes, outside: real paths */
	char **kept;	    /* those that no answer can close */
	char **grants;	    /* what can be granted in here, and what reads can be opened to */
	char **readable;
	char **sessions; /* around this one, outermost first */
	struct ambit_engine_outer outer;
};

/* Takes the descriptor that an option names; trusted: of --within. */
int around_open(struct around *around, const char *fd, bool trusted, struct ambit_error *err);
void around_finish(struct around *around);

/* Who else's words the options are: refuses what would be wider. EXIT_USAGE, -EPERM. */
int around_options(const struct around *around, const struct args *args, struct ambit_error *err);
/* The settings are found as the one around found them. */
void around_settings(const struct around *around, struct args *args);
/* For a door: without a folder, or with one that holds the one around, it is that one:
 * who asks for more has what there is. */
void around_folder(const struct around *around, struct args *args);
/* Where it stands: as the one around says, or NULL, and its own. */
const char *around_display(const struct around *around);
bool around_enforces(const struct around *around);
bool around_allows_bash(const struct around *around);
/* The one around may be narrower than what was asked for. Refuses a folder that is not
 * open there, cuts modes. Needs the scope, settings and record. */
int around_check(struct around *around, struct world *world, const struct args *args,
	struct ambit_error *err);
/* The settings files of the folders around it are ambit's own in here, too. */
int around_protect(const struct around *around, struct ambit_scope *scope, struct ambit_error *err);
/* Fills outer, for the engine. */
int around_scope(struct around *around, const struct world *world, struct ambit_error *err);

/* Whether those who watch may be asked: the one around did not say who answers alone. */
bool around_watched(const struct around *around);
/* The sub-agent that it is, or NULL. */
const char *around_agent(const struct around *around);
/* The real path of what is there, or would be. Caller frees; NULL: it cannot be. */
char *around_real(const char *path);
/* No more than the one around has for its commands. */
void around_limits(const struct around *around, struct ambit_limits *of);
/* A word that was told, or "". */
const char *around_word(const struct around *around, const char *key);
int around_number(const struct around *around, const char *key);
/* The name of the session next around this one, or NULL: a command in a scope of its own is of
 * its door's session. */
const char *around_session(const struct around *around, const char *own);

/* What is told to those inside. */
struct account {
	const struct world *world;
	const struct around *around; /* of the one who tells; or NULL */
	const char *who;	     /* answers there */
	bool guard_reads;
	bool watchers; /* are asked there: never in a line */
	struct ambit_limits limits;
	/* A scope inside the world's, which it is told in place of that; or NULL. */
	const struct ambit_scope *scope;
	/* To a sub-agent: in which turn it is, how deep, and whether outside is a question. */
	const char *turn; /* NULL: to no sub-agent */
	const char *agent;
	char *const *state; /* its own state folders that are open there, real paths; or NULL */
	int depth;
	bool asks;
};
/* Caller frees; NULL without memory. */
char *around_tell(const struct account *account);

#endif
