/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_ASKER_H
#define ENGINE_ASKER_H

#include <ambit/approve.h>

#include "base/err.h"
#include "line/gate/gate.h"
#include "line/terminal/terminal.h"

/* The thread that puts the engine's questions to the judge, if there is one, then to the
 * person, one at a time, and hands the answers back. Started by the first question. */

struct asker;

/* approver: NULL: nobody but the judge. terminal: held while a question is open, or NULL.
 * watched: whether somebody sees the questions elsewhere; then they are not put over what
 * runs on a terminal. Or NULL. */
struct asker *asker_create(struct gate *gate, struct ambit_engine *engine,
	struct ambit_approver *approver, struct terminal *terminal,
	bool (*watched)(void *data), void *data);
/* A question may be open, or the one that is asked withdrawn, or a watcher came or went. */
void asker_wake(struct asker *asker);
/* Withdraws what is asked and waits for the thread. */
void asker_destroy(struct asker *asker);

#endif
