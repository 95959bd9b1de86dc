/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_ENGINE_H
#define AMBIT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/approve.h>
#include <ambit/error.h>
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

struct ambit_engine_options {
	/* All borrowed, for as long as the engine lives. */
	const struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;	    /* NULL: no memory, nothing is recorded or permitted */
	bool observe;			    /* memory is read, but nothing is recorded or permitted */
	struct ambit_approver *approver;    /* NULL: nobody to ask */
	const struct ambit_policy *policy;  /* NULL: none but the settings' */
	const char *session;		    /* NULL: a new name is made */
	const char *door;		    /* "decide", "why", "tiny" ...: recorded */
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

/* -- the same, without waiting for the person ----------------------------- */

/* Like ambit_engine_request, but an ask becomes a pending question: returns 0
 * with the outcome settled, or 1 with *ret_ticket. Takes the request. */
int ambit_engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);
/* The question to show now, or NULL. Checked against memory first; the same
 * one until it is answered, withdrawn or expired. Borrowed. */
const struct ambit_question *ambit_engine_question(struct ambit_engine *engine);
/* -ENOENT: no such question any more; -EINVAL: not one of its choices. */
int ambit_engine_answer(struct ambit_engine *engine, uint64_t question,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);
/* The one who asked is gone. */
void ambit_engine_withdraw(struct ambit_engine *engine, uint64_t ticket);
/* 0: settled, outcome and permit filled, the ticket is gone; -EAGAIN: still open. */
int ambit_engine_collect(struct ambit_engine *engine, uint64_t ticket,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err);

/* -- permits --------------------------------------------------------------- */

/* Opens the object that was decided on: the n-th path of the outcome, beneath
 * its resolved parent, last component never followed. -ESTALE if something
 * else lies there now. Writing needs a write access in the request. */
int ambit_permit_open(struct ambit_permit *permit, size_t n, int flags, mode_t mode, int *ret_fd,
	struct ambit_error *err);

/* Records the result (0 or -errno) and ends the permit. Accepts NULL. */
int ambit_permit_finish(struct ambit_permit *permit, int result, struct ambit_error *err);

/* -- for people ------------------------------------------------------------ */

/* What holds for this session, and who says so: *ret_from (may be NULL) is
 * "session", "person", "folder" or "default"; static. key is agent_mode,
 * sandbox_mode, ask_mode or reads; the value is of its enum, -1 for no such key. */
int ambit_engine_mode(const struct ambit_engine *engine, const char *key, const char **ret_from);
enum ambit_permission ambit_engine_permission(const struct ambit_engine *engine, const char *tool,
	const char **ret_from);

/* The text that tells a model its scope. Caller frees. */
char *ambit_engine_brief(const struct ambit_engine *engine);

#endif
