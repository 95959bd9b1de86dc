/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHELL_BASH_H
#define TOOLS_SHELL_BASH_H

#include <pthread.h>

#include "tools/registry/own-tool.h"

#define BASH_STREAM_MAX 24000 /* bytes of each stream: with all the rest it fits a result */

/* -- bash-say.c ----------------------------------------------------------------------- */

/* Into run's text, all of it its own: what the command printed is labelled here, if run
 * is untrusted. command: as it is shown; refused: rows of the report; left: how many more there
 * are; ended: processes that were. */
void bash_say(struct tool_run *run, const char *command, const struct ambit_executed *executed,
	const json_t *refused, size_t left, long long ended, int timeout_ms);
/* The same of one that runs. held: the question that it waits for, or NULL. */
void bash_say_running(
	struct tool_run *run, const struct ambit_executed *executed, const char *held);

/* What a person would say in a shell so that this row of the report is not refused
 * again; NULL: nothing, or without memory. Caller frees. */
char *bash_how_to_grant(const json_t *row);

/* -- bash-report.c -------------------------------------------------------------------- */

/* What came of the command, into run's text and structured. */
int bash_report(struct tool_run *run, const char *command, const struct ambit_executed *executed,
	int timeout_ms, struct ambit_error *err);
/* What is new of one that runs: its streams and for how long. */
int bash_report_running(struct tool_run *run, const char *command,
	const struct ambit_executed *executed, const char *held, struct ambit_error *err);
/* As own_tool.is_own. */
bool bash_is_own(const char *key, const char *value);

/* The schema of a result. */
#define BASH_OUTPUT                                                                                \
	"{\"type\":\"object\",\"properties\":{"                                                    \
	"\"id\":{\"type\":\"string\"},\"running\":{\"type\":\"boolean\"},"                         \
	"\"held\":{\"type\":\"string\"},\"stopped\":{\"type\":\"boolean\"},"                       \
	"\"exit_code\":{\"type\":\"integer\"},"                                                    \
	"\"stdout\":{\"type\":\"string\"},\"stderr\":{\"type\":\"string\"},"                       \
	"\"stdout_size\":{\"type\":\"integer\"},\"stderr_size\":{\"type\":\"integer\"},"           \
	"\"truncated\":{\"type\":\"boolean\"},\"duration_ms\":{\"type\":\"integer\"},"             \
	"\"timed_out\":{\"type\":\"boolean\"},"                                                    \
	"\"refused\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"          \
	"\"what\":{\"type\":\"string\"},\"subject\":{\"type\":\"string\"},"                        \
	"\"code\":{\"type\":\"string\"},\"program\":{\"type\":\"string\"},"                        \
	"\"message\":{\"type\":\"string\"},\"asked\":{\"type\":\"boolean\"},"                      \
	"\"count\":{\"type\":\"integer\"},"                                                        \
	"\"allow\":{\"type\":\"string\"}}}},"                                                      \
	"\"refused_left_out\":{\"type\":\"integer\"},"                                             \
	"\"scrubbed\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                       \
	"\"connected\":{\"type\":\"boolean\"},"                                                    \
	"\"ended_processes\":{\"type\":\"integer\"}," BASH_LOOK_OUTPUT                             \
	"\"unrecorded\":{\"type\":\"string\"},"                                                    \
	"\"error\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"}}}"

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
