/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_RECORD_PRIVATE_H
#define RECORD_RECORD_PRIVATE_H

#include <ambit/record.h>

#include "base/json.h"

/* Inside the library: events are appended by the engine, and by the record
 * itself for what changes sessions and rules. */

#define RECORD_SCHEMA 2
#define SCHEMA_NAMES 2		    /* from here on rules have names */
#define RECORD_BODY_MAX (64u << 10) /* larger bodies: big strings by digest */
#define RECORD_ELSEWHERE "-"	    /* the chain of what happens outside any session */

/* Appends to the session's chain in one transaction. body is an object;
 * redacted (a copy), long strings replaced by {"sha256":..., "bytes":N}.
 * seq and hash of event are ignored. The session need not be stored. */
int record_append(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err);

/* -- many that are alike (tally.c) ------------------------------------------ */

/* How much is kept. 0: without end. */
struct record_limits {
	int64_t session_events; /* of one session, one by one; the rest is counted */
	int64_t store_bytes;	/* of all; the oldest sessions that have ended go first */
	int64_t keep_ms;	/* since a session's last event */
};
void record_set_limits(struct ambit_record *record, const struct record_limits *limits);

/* This connection works in the session: while it lives, nobody removes that. */
void record_session_hold(struct ambit_record *record, const char *session);

/* By what events are alike, beside their session, kind, tool, verdict and code. */
struct record_like {
	const char *place;   /* the directory or host; or NULL */
	const char *program; /* or NULL */
	bool refused;	     /* nothing is done: only the first few are written one by one */
};
/* Whether the event is counted: 1; 0: the caller appends it. -errno: it could
 * not be. What is not refused is counted once the session's share is used, and
 * an event says so before this comes back for the first time. */
int record_count(struct ambit_record *record, const struct ambit_event *event,
	const struct record_like *like, struct ambit_error *err);
/* Writes the counts as "more" events; session NULL: all. Appending, closing and
 * leaving do it, too, when it is due. */
int record_counts_write(struct ambit_record *record, const char *session, struct ambit_error *err);
/* In how many ms that is due; -1: there are none. */
int64_t record_counts_due(const struct ambit_record *record);

/* All of them, each with its "rule" event, or none; fills in their ids. */
int record_rules_add(
	struct ambit_record *record, struct ambit_rule *rules, size_t n, struct ambit_error *err);
/* The same, behind the event that tells of the answer they come from. */
int record_answer(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_rule *rules, size_t n, struct ambit_error *err);

/* A session that is new, has no permissions and whose name nobody else can
 * have: stored with its "session" event by the first transaction of this
 * record, together with what that one writes. A session in which nothing
 * happens is not stored. Copied. */
int record_session_later(
	struct ambit_record *record, const struct ambit_session *session, struct ambit_error *err);
/* Now, if it is still to be stored. */
int record_session_now(struct ambit_record *record, struct ambit_error *err);

/* Notes that the session's first write has happened, and nothing else: modes
 * that another process changed meanwhile stay as they are. -ENOENT if there is no such session. */
int record_session_wrote(struct ambit_record *record, const char *name, struct ambit_error *err);

#endif
