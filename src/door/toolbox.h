/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_TOOLBOX_H
#define DOOR_TOOLBOX_H

#include <pthread.h>

#include <ambit/registry.h>

#include "cli/nested-scope.h"
#include "cli/world.h"

/* What a door to the tools stands in: world, executor, registry, by the options of
 * its command line. */

struct toolbox {
	/* Inside a line: what that is, and what was asked for there; else zeroed. */
	struct around around;
	struct args asked;
	struct world world;
	struct ambit_approver *approver; /* by --ask; NULL: nobody */
	struct ambit_judge *judge;	 /* by the settings; NULL: none */
	struct ambit_executor *executor; /* NULL: no bash, and *why says why */
	struct ambit_registry *registry;
	char *why;
	char *turns;
	bool guard_reads;
	struct ambit_limits limits;
	int tty; /* of --ask tty; or -1 */
};

/* An implicit folder of / or the person's home is refused. door: how the record
 * calls it. 0, -errno, or EXIT_USAGE. Always to be finished. */
int toolbox_open(
	struct toolbox *box, const struct args *args, const char *door, struct ambit_error *err);
/* r and err: how the door ends, for the one who stands for it inside a line, and is told
 * here. */
void toolbox_finish(struct toolbox *box, int r, struct ambit_error *err);
/* Whether those who watch are asked: nobody said that it is always no, or always yes. */
bool toolbox_asks(const struct toolbox *box);
/* Whether a line is around it: then its client is behind that, and answers nothing. */
static inline bool
toolbox_is_inside(const struct toolbox *box)
{
	return box->around.asked != NULL;
}

/* -- door-signals.c ------------------------------------------------------------------------ */

/* TERM, INT and HUP make *ret_fd readable, and other (or -1) as well, until signals_forget. */
int signals_catch(int other, int *ret_fd, struct ambit_error *err);
/* As if one of them had come. */
void signals_raise(void);
void signals_forget(void);

/* -- hangup.c: the one inside a line who stands for a door --------------------------- */

struct heed {
	struct ambit_run_inner *asked;
	pthread_t thread;
	bool started;
	int stop;
	int end; /* borrowed: written to when it says that it is to end, or is gone */
};

/* Nothing, where there is none. */
int heed_start(struct heed *heed, struct toolbox *box, int end, struct ambit_error *err);
void heed_finish(struct heed *heed);

#endif
