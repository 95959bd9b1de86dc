/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <ambit/record.h>

#include "base/json.h"

/* Inside the library: events are appended by the engine, and by the record
 * itself for what changes sessions and rules. */

#define RECORD_SCHEMA 1
#define RECORD_BODY_MAX (64u << 10) /* larger bodies: big strings by digest */
#define RECORD_ELSEWHERE "-"	    /* the chain of what happens outside any session */

/* Appends to the session's chain in one transaction. body is an object;
 * redacted (a copy), long strings replaced by {"sha256":..., "bytes":N}.
 * seq and hash of event are ignored. The session need not be stored. */
int record_append(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err);

/* All of them, each with its "rule" event, or none; fills in their ids. */
int record_rules_add(struct ambit_record *record, struct ambit_rule *rules, size_t n,
	struct ambit_error *err);
/* The same, behind the event that tells of the answer they come from. */
int record_answer(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_rule *rules, size_t n, struct ambit_error *err);

/* A session that is new, has no permissions and whose name nobody else can
 * have: stored with its "session" event by the first transaction of this
 * record, together with what that one writes. A session in which nothing
 * happens is not stored. Copied. */
int record_session_later(struct ambit_record *record, const struct ambit_session *session,
	struct ambit_error *err);
/* Now, if it is still to be stored. */
int record_session_now(struct ambit_record *record, struct ambit_error *err);

/* Notes that the session's first write has happened, and nothing else: modes
 * that another process changed meanwhile stay as they are. -ENOENT if there is no such session. */
int record_session_wrote(struct ambit_record *record, const char *name, struct ambit_error *err);

#endif
