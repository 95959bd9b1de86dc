/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_ASKER_H
#define KERNEL_ASKER_H

#include <ambit/approve.h>

#include "base/err.h"
#include "kernel/gate.h"
#include "kernel/terminal.h"

/* The thread that puts the engine's questions to the person, one at a time,
 * and hands the answers back. Started by the first question. */

struct asker;

/* terminal: held while a question is open, or NULL. */
struct asker *asker_create(struct gate *gate, struct ambit_engine *engine,
	struct ambit_approver *approver, struct terminal *terminal);
/* A question may be open, or the one that is asked withdrawn. */
void asker_wake(struct asker *asker);
/* Withdraws what is asked and waits for the thread. */
void asker_destroy(struct asker *asker);

#endif
