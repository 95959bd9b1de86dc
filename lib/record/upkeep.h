/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_UPKEEP_H
#define RECORD_UPKEEP_H

#include <ambit/record.h>

/* The record as ambit itself keeps it: closing at the end of a process, sessions, removal. */

/* The same for a process that exits next: others find it closed, but nothing is
 * freed, and the record cannot be used any more. */
void record_leave(struct ambit_record *record);

/* For a program that opens one record and soon ends, called before anything
 * uses SQLite: it takes memory when it is needed, not ahead of it. That holds
 * for the whole process, so it is not for a program with databases of its own. */
void record_frugal(void);

/* Changes whenever another process has written. */
int64_t record_version(struct ambit_record *record);

/* Creates it if it is new, in one transaction with its "session" event. */
int record_session_store(
	struct ambit_record *record, const struct ambit_session *session, struct ambit_error *err);

/* Which sessions are removed, with their events, approvals, modes and permissions. Never
 * one that is live: its process holds it. Standing rules stay. */
struct record_forget_what {
	const char *session; /* only this one; NULL: all */
	int64_t before;	     /* only if its last event is older than this time; 0: all */
	bool look;	     /* nothing is removed: how many it would be */
	bool person;	     /* those, too, that have modes, permissions or noes of their own */
};
struct record_forgotten {
	int64_t sessions;
	int64_t events;
	int64_t live; /* that stay */
};

/* person is taken as true. The file shrinks by what was removed. A "forget" event in
 * the chain "-" tells of it. */
int record_forget(struct ambit_record *record, const struct record_forget_what *what,
	struct record_forgotten *ret_forgotten, struct ambit_error *err);

#endif
