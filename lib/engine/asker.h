/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_ASKER_H
#define ENGINE_ASKER_H

#include <ambit/approve.h>
#include <ambit/engine.h>

/* A thread that puts the engine's questions to the judge, if there is one, then to the person,
 * one at a time, and hands the answers back. The first question starts it. */

struct asker;

struct asker_options {
	struct ambit_engine *engine;
	struct ambit_approver *approver; /* NULL: nobody but the judge */
	void *data;			 /* for all of these */
	/* Around every use of the engine. */
	void (*lock)(void *data);
	void (*unlock)(void *data);
	/* An answer is about to be stored: refusals that were remembered no longer hold. */
	void (*forget)(void *data);
	/* A question has ended: whoever waits for it may go on. */
	void (*settle)(void *data);
	/* Something changed for those who look at questions. */
	void (*wake)(void *data);
	/* Whether somebody sees the questions elsewhere; then they are not put over the program
	 * that runs on a terminal. Or NULL. */
	bool (*watched)(void *data);
	/* The terminal is taken from the program while a person is asked; or NULL. */
	void (*hold_screen)(void *data, int64_t expires);
	void (*release_screen)(void *data);
};

/* NULL without memory. */
struct asker *asker_create(const struct asker_options *options);
/* A question may be open, or the one that is asked withdrawn, or a watcher came or went. */
void asker_wake(struct asker *asker);
/* Withdraws the open question and waits for the thread. Accepts NULL. */
void asker_destroy(struct asker *asker);

#endif
