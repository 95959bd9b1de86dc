/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_CLI_LIVE_H
#define CLI_CLI_LIVE_H

#include "world.h"

#include "base/json.h"

/* The sessions that run now, for commands that show or change stored ones. That none can
 * be reached is no failure of what was stored. */

struct live_one {
	char *name; /* of its socket */
	char *session, *door, *folder, *what;
	pid_t pid;
	int64_t started;
	unsigned watchers;
	bool asks;
};

struct live_list {
	char *directory;
	struct live_one *list; /* oldest first */
	size_t n;
};

/* Whatever fails, there are none; -ENOMEM. Always to be finished. */
int live_find(struct live_list *list, const struct place *place, struct ambit_error *err);
void live_finish(struct live_list *list);

/* As of link_call, on a connection of its own. */
int live_call(const struct live_list *list, const struct live_one *one, const char *method,
	char **ret_result, struct ambit_error *err);

/* {"pid", "door", "what", ...}. NULL without memory. */
json_t *live_json(const struct live_one *one);
/* Those of a session, as a list of the same. NULL without memory. */
json_t *live_json_of(const struct live_list *list, const char *session);

/* -- live-status.c ------------------------------------------------------------------- */

/* What those of a session say of themselves ("status"), as a list. NULL without memory. */
json_t *live_status(const struct live_list *list, const char *session);
/* The same for people. */
void live_show(const json_t *statuses);

/* -- cli-live.c ---------------------------------------------------------------------------- */

/* Whom a change is for: a session, or a folder, or (both NULL) everybody; and what it is about. */
struct live_for {
	const char *session;
	const char *folder;
	bool reads; /* it is about reads, which a command that runs keeps */
};

/* What was stored is in force in those that run when it returns; they are told on
 * standard output, or put into object (if not NULL) as "live". */
int live_reload(const struct place *place, const struct live_for *whom, json_t *object,
	struct ambit_error *err);

#endif
