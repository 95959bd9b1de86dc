/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include "record/record-private.h"

/* The numbers of a session that have a word: one row each. */
struct session_mode {
	const char *name;
	const struct ambit_word *words;
	size_t offset; /* in struct ambit_session: an int, -1 as the settings say */
};
#define SESSION_MODES 4
extern const struct session_mode session_modes[SESSION_MODES];

int session_mode(const struct ambit_session *session, size_t i);

/* Writes the session that waits for a first transaction, inside that one. */
int session_write_waiting(struct ambit_record *record, struct ambit_error *err);

/* Appends what changed, inside an open transaction. old is NULL for a new session. */
int session_events(struct ambit_record *record, const struct ambit_session *old,
	const struct ambit_session *new, struct ambit_error *err);

#endif
