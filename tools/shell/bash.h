/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHELL_BASH_H
#define TOOLS_SHELL_BASH_H

#include <pthread.h>

#include "tools/registry/own-tool.h"

#define BASH_STREAM_MAX 24000 /* bytes of each stream: with all the rest it fits a result */

/* -- bash-say.c ----------------------------------------------------------------------- */

/* Into run's text, all of it its own: what the command printed is labelled here, if run
 * is untrusted. refused: rows of the report; left: how many more there are; ended:
 * processes that were. */
void bash_say(struct tool_run *run, const struct ambit_executed *executed, const json_t *refused,
	size_t left, long long ended, int timeout_ms);

/* What a person would say in a shell so that this row of the report is not refused
 * again, paths from root; NULL: nothing, or without memory. Caller frees. */
char *bash_how_to_grant(const json_t *row, const char *root);

/* -- bash-look.c ---------------------------------------------------------------------- */

/* Into run's text, its own, and structured: guarded files that came unasked, and whether
 * all of the folder was looked through for them. report may be NULL. -ENOMEM. */
int bash_look(struct tool_run *run, const json_t *report);
/* Likewise: why the record does not have it, if so. */
int bash_unrecorded(struct tool_run *run, const json_t *report);

/* Its members, for the schema of a result. */
#define BASH_LOOK_OUTPUT                                                                           \
	"\"planted\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                        \
	"\"planted_left_out\":{\"type\":\"integer\"},\"unseen\":{\"type\":\"boolean\"},"           \
	"\"unseen_in\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                      \
	"\"cut\":{\"type\":\"boolean\"},"

/* -- bash-ask.c ----------------------------------------------------------------------- */

/* Whoever answers a call's own questions, as an approver for the crossings of the
 * command that it runs. */

struct bash_asker {
	struct ambit_approver approver;
	struct registry_crossing crossing;
	struct tool_run *run; /* borrowed */
};

void bash_asker_init(struct bash_asker *asker, struct tool_run *run);

#endif
