/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_RUN_COUNTS_H
#define RECORD_RUN_COUNTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/run.h>

/* How often one run let calls through and refused them. Thread-safe. */

struct run_counts;

/* NULL without memory. Destroy accepts NULL. */
struct run_counts *run_counts_create(void);
void run_counts_destroy(struct run_counts *counts);

/* One call by this thread's program was let through unasked. */
void run_counts_pass(struct run_counts *counts, pid_t tid);

struct run_refusal {
	const char *what;    /* "write", "connect" ... */
	const char *subject; /* path or host as shown */
	const char *code;
	const char *message;
	const char *advice;  /* ambit_outcome.advice, or NULL */
	const char *program; /* as the process says: stored escaped */
	bool asked;	     /* of the outcome */
	pid_t pid;
};

/* Counts one refusal; key is remembered for run_counts_is_repeated. True: the first for this
 * process, subject and code. */
bool run_counts_refuse(struct run_counts *counts, const struct run_refusal *refusal, uint64_t key);

/* Whether run_counts_refuse has counted this subject with this code for this process before. */
bool run_counts_knows(struct run_counts *counts, pid_t pid, const char *subject, const char *code);

/* Whether a listener, by its number, hears of this subject for the first time. */
bool run_counts_is_news(struct run_counts *counts, uint64_t listener, const char *subject);

/* Whether this key was refused within the last second, and nothing was answered since. If so,
 * it is counted, and the caller need not decide again. The caller makes the key of everything
 * that the decision depends on. */
bool run_counts_is_repeated(struct run_counts *counts, uint64_t key);
/* What was refused with this key, if this process has not heard of it yet: its what, subject, code
 * and message, as run_counts_refuse got them last. The caller frees all four. False: it has, or
 * nothing is known. */
bool run_counts_recall(struct run_counts *counts, uint64_t key, pid_t pid, char **ret_what,
	char **ret_subject, char **ret_code, char **ret_message);
/* Drops the keys: an answer, a rule or time may have changed the decisions. */
void run_counts_forget(struct run_counts *counts);

/* Adds "refused" and "refusals" (the first ones, with counts) to the object. -ENOMEM. */
int run_counts_status(struct run_counts *counts, json_t *object);
/* Moves the lists into the result. */
int run_counts_report(struct run_counts *counts, struct ambit_run_result *result);

#endif
