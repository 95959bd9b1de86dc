/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_RUN_REFUSALS_H
#define RECORD_RUN_REFUSALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/outcome.h>
#include <ambit/run.h>

#include "line/object/target.h"

/* Who is told what was refused, and what was let through: the refused process
 * on its own stderr, the summary at the end. Thread-safe. */

struct tell;

struct tell *tell_create(void);
void tell_destroy(struct tell *tell);

/* One call by this thread's program was let through unasked. */
void tell_passed(struct tell *tell, const struct target *target);

/* One refusal. what: "write", "connect" ...; subject: path or host as shown.
 * With loud, and once per process and subject, a line goes to the process' own
 * stderr if that is a pipe or a file. key is remembered for tell_again. */
void tell_refused(struct tell *tell, struct target *target, const char *what, const char *subject,
	const struct ambit_outcome *outcome, bool loud, uint64_t key);

/* Whether this very thing was refused before, and nothing has been answered
 * since: then it is counted and need not be decided again. A key is made of
 * what was decided about. */
bool tell_again(struct tell *tell, uint64_t key);
/* An answer, a rule, time: refusals must be decided anew. */
void tell_forget(struct tell *tell);

/* "refused" and "refusals" (their first ones, with counts) into the object. -ENOMEM. */
int tell_status(struct tell *tell, json_t *object);
int tell_report(struct tell *tell, struct ambit_run_result *result);

#endif
