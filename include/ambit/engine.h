/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_ENGINE_H
#define AMBIT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/approve.h>
#include <ambit/error.h>
#include <ambit/judge.h>
#include <ambit/outcome.h>
#include <ambit/policy.h>
#include <ambit/record.h>
#include <ambit/request.h>
#include <ambit/scope.h>
#include <ambit/settings.h>

/* The arrow: request -> decide -> approve -> record(intent) -> act with a
 * permit -> record(result). One engine is one session. Not for use from two
 * threads. */

struct ambit_engine;
struct ambit_permit;

/* The session around one: filled in by ambit's own doors alone. */
struct ambit_engine_outer;

struct ambit_engine_options {
	/* All borrowed, for as long as the engine lives. */
	const struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;	 /* NULL: no memory, nothing is recorded or permitted */
	bool observe;			 /* memory is read, but nothing is recorded or permitted */
	struct ambit_approver *approver; /* NULL: nobody to ask */
	struct ambit_judge *judge;	 /* asked before the approver; NULL: none */
	const struct ambit_policy *policy; /* NULL: none but the settings' */
	const char *session;		   /* NULL: a new name is made */
	const char *door;		   /* "decide", "why", "tiny" ...: recorded */
	const char *agent;		   /* whose session it is, of a sub-agent; NULL: none */
	/* Questions are never counted against the rate. Those that no person sees are not
	 * counted either way. */
	bool unlimited;
	/* A session inside another one, which it can only narrow; or NULL. */
	const struct ambit_engine_outer *outer;
};

int ambit_engine_create(const struct ambit_engine_options *options,
	struct ambit_engine **ret_engine, struct ambit_error *err);
void ambit_engine_destroy(struct ambit_engine *engine);

/* Borrowed. */
const char *ambit_engine_session(const struct ambit_engine *engine);

/* Decides, never asks. Recorded if there is a record; if it cannot be, the
 * outcome is a deny with code Internal, and err says why. ret_outcome is always filled: its
 * own finish must be called. */
int ambit_engine_decide(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_error *err);

/* Decides, asks if need be, records. ret_permit is set only if the outcome
 * is allow; the act must be followed by ambit_permit_finish. */
int ambit_engine_request(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err);

/* -- permits --------------------------------------------------------------- */

/* Opens the object that was decided on: the n-th path of the outcome, beneath
 * its resolved parent, last component never followed. -ESTALE if something
 * else lies there now. Writing needs a write access in the request. */
int ambit_permit_open(struct ambit_permit *permit, size_t n, int flags, mode_t mode, int *ret_fd,
	struct ambit_error *err);

/* A path, as the request's arguments have it, held open to act on. */
struct ambit_place {
	int parent;	/* O_PATH of the directory it lies in */
	char name[256]; /* its name in there; never followed */
	char *real;	/* absolute */
	char *shown;	/* as messages show it */
	bool exists;	/* the rest only if it does */
	mode_t mode;
	dev_t dev;
	ino_t ino;
};
void ambit_place_finish(struct ambit_place *place);

/* Where path leads now, if that is among what was decided for this access.
 * follow: a symlink at its end is what it leads to. make: directories on the way
 * that are not there are made, where the access is one that writes. -ESTALE: it
 * leads elsewhere by now, or to another thing; -EKEYREJECTED: the permit is not for
 * that; -ENOENT: a directory on the way is not there. Needs no lock: what it looks with
 * is the permit's own. */
int ambit_permit_place(struct ambit_permit *permit, const char *path, enum ambit_access access,
	bool follow, bool make, struct ambit_place *ret_place, struct ambit_error *err);

/* Records the result (0 or -errno) and ends the permit. Accepts NULL. After a failure
 * the directories that its places made go again, those that are still empty. */
int ambit_permit_finish(struct ambit_permit *permit, int result, struct ambit_error *err);

/* Effective net mode: enum ambit_net. */
int ambit_engine_net(const struct ambit_engine *engine);

/* Borrowed. */
const struct ambit_scope *ambit_engine_scope(const struct ambit_engine *engine);

/* -- for people ------------------------------------------------------------ */

/* What holds for this session, and who says so: *ret_from (may be NULL) is
 * "session", "person", "folder" or "default"; static. key is agent_mode,
 * sandbox_mode, ask_mode or reads; the value is of its enum, -1 for no such key. */
int ambit_engine_mode(const struct ambit_engine *engine, const char *key, const char **ret_from);
enum ambit_permission ambit_engine_permission(
	const struct ambit_engine *engine, const char *tool, const char **ret_from);

/* The text that tells a model its scope, for a harness whose shell commands nothing holds.
 * Caller frees; NULL without memory. */
char *ambit_engine_brief(const struct ambit_engine *engine);

#endif
