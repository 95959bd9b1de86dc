/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_ENGINE_TICKET_H
#define ENGINE_ENGINE_TICKET_H

#include "engine/engine-private.h"

/* One request that waits for a person: engine-ask.c makes, shows and settles it,
 * engine-answer.c has what a person said. */

struct ticket {
	struct ambit_request *request; /* owned if owns */
	bool owns;
	struct ambit_outcome outcome;
	struct path_facts *resolved;
	struct rules once; /* what this request alone was allowed */
	bool makes;	   /* by a person or a program: see permit_is_once */
	uint64_t opens;	   /* the answer "once" that begins when this is done; 0: none */
	int asked;
	bool queued;		  /* waits, or waited, for an answer */
	bool seen;		  /* a person has answered its question, or let it expire */
	struct asks_profile asks; /* what is asked about in its place, if anything */
	/* As it was put, to the outcome as it is; id 0: not yet, or no more. Several
	 * may be put at once, each to its own asker. */
	struct ambit_question question;
};

/* Decides it anew; what it was decided to before is forgotten. keep: unless it is to
 * be asked about still. */
void ticket_redecide(struct ambit_engine *engine, struct ticket *ticket, bool keep);

/* What it asks about, so that others about the same can join; the one who asks is part
 * of it. Caller frees; NULL without memory. */
char *ticket_key(const struct ticket *ticket);

/* It is decided for good: recorded, and no longer waiting. */
void ticket_conclude(struct ambit_engine *engine, uint64_t id, struct ticket *ticket);

void ticket_drop_question(struct ticket *ticket);

/* The code of a refusal: its own, or this one. */
enum ambit_code ticket_refused(const struct ambit_outcome *outcome, enum ambit_code code);

#endif
