/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENTS_TURN_PRIVATE_H
#define AGENTS_TURN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "agents/turn.h"
#include "base/err.h"

/* One file for each that runs or waits, in the directory of turns. Everything here is
 * done by whoever holds the directory's lock. */

#define NUMBER_MAX UINT64_C(1000000000000000) /* none is so high by itself */

struct ticket {
	uint64_t number;  /* the order in which they asked */
	char id[TURN_ID]; /* the file's name */
	bool running;
	bool odd;     /* somebody holds it, but it cannot be read */
	char *folder; /* escaped */
	char *parent;
	char *who;
};

/* Those that are held by somebody who lives, in their order. */
struct tickets {
	struct ticket *all;
	size_t n;
	uint64_t last; /* the highest number of any, also of a dead one */
};

/* What the dead left is removed. -EBUSY: too many. */
int tickets_read(int dir, struct tickets *tickets, struct ambit_error *err);
void tickets_finish(struct tickets *tickets);

/* A new file, locked; its descriptor. */
int ticket_create(int dir, const struct turn_request *request, uint64_t number,
	char ret_id[TURN_ID], struct ambit_error *err);
int ticket_mark_running(int fd, struct ambit_error *err);

/* For whom a ticket has to wait; first is NULL: for nobody. */
struct ahead {
	const struct ticket *first; /* who came first: probably the one that runs */
	const struct ticket *last;  /* who came last: nothing changes before that one goes */
	bool full; /* not for its folder, but because enough are running; last is NULL */
};
/* -ESTALE: there is no ticket of this id any more. */
int tickets_ahead(
	const struct tickets *tickets, const char *id, size_t at_once, struct ahead *ret_ahead);

/* Whether somebody holds it; without the directory's lock. */
bool ticket_is_held(int dir, const char *id);

#endif
