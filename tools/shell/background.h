/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHELL_BACKGROUND_H
#define TOOLS_SHELL_BACKGROUND_H

#include "tools/registry/own-tool.h"

/* Commands that go on when the call that started them has ended (bash with background), each in a
 * thread of its own, held by the same line. They belong to the client that started them: another
 * one does not see them. At most 16 of a client run at once; of what one prints as much is kept as
 * a result shows. */

struct background;

#define BACKGROUND_ID 16

/* Starts the command of a call of bash. -EBUSY with words: there are too many. */
int background_start(struct tool_run *run, const char *cwd, int timeout_ms,
	char ret_id[BACKGROUND_ID], struct ambit_error *err);

/* The one that the call names ('id'), until it is released. -ENOENT with words. */
int background_hold(
	struct tool_run *run, struct background **ret_background, struct ambit_error *err);
void background_release(struct background *background);
/* The command is to end, with all it started. */
void background_stop(struct background *background);
/* Until there is something new or it has ended; with ended, only the latter. Puts its question to
 * the one who answers this call's own. Ends after wait_ms, which begin anew when such a question is
 * answered, or when the call is cancelled. */
void background_wait(
	struct tool_run *run, struct background *background, int64_t wait_ms, bool ended);
/* What is new, into run's text and structured. One that has ended is then forgotten. */
int background_report(struct tool_run *run, struct background *background, struct ambit_error *err);

#endif
