/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_GATE_H
#define LINE_GATE_GATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <ambit/run.h>

#include "ask/desk/desk.h"
#include "line/floor/floor.h"
#include "line/object/session-objects.h"
#include "line/process/tree.h"

/* The supervisor's thread on the listener: receives notified calls, has them
 * prepared, decided by the engine, performed or continued, and answered. Calls
 * that a person is asked about are held meanwhile; the rest goes on. */

struct nest;

struct gate_options {
	struct ambit_engine *engine; /* used with the desk's lock alone */
	struct desk *desk;	     /* where questions are put; borrowed; NULL: gate_predict */
	const struct floor *floor;
	struct tree tree;
	struct nest *nest; /* borrowed; NULL: no run inside this one */
	int listener;	   /* taken */
	bool quiet;
	const char *temp;  /* the private temp directory, real path; borrowed */
	struct pool *pool; /* of directories for the spine, or NULL; borrowed */
	int proxy;	   /* a socket that listens, for egress; taken; -1: none */
	const char *token; /* and the word that opens it */
	/* Called when gate_check has something to look at, from any thread. */
	void (*wake)(void *data);
	void *data;
};

struct gate;

int gate_create(
	const struct gate_options *options, struct gate **ret_gate, struct ambit_error *err);
/* Starts the thread. */
int gate_start(struct gate *gate, struct ambit_error *err);
/* Nothing is let through any more; all threads are joined. */
void gate_stop(struct gate *gate);
void gate_destroy(struct gate *gate);

/* The desk's lock: the engine is used by one thread at a time. */
void gate_lock(struct gate *gate);
void gate_unlock(struct gate *gate);

/* What was refused a moment ago may be allowed now, and is decided anew. With the lock,
 * before an answer is stored: what that answer refuses is not forgotten. */
void gate_forget(struct gate *gate);
/* Wakes whoever calls gate_check. */
void gate_wake(struct gate *gate);

/* Looks whether held calls must be given up: a signal, a dead target, time.
 * How many are still held: while there are any, it wants to be called every
 * few milliseconds, by one thread. */
int gate_check(struct gate *gate);

/* Refusals that are counted are written when that is due: in how many ms it wants to be
 * called again; -1: when it wakes. */
int gate_care(struct gate *gate);

/* The same while it runs, with descriptors that were given past the floor: members are
 * put into the object. -ENOMEM. */
int gate_status(struct gate *gate, json_t *object);
/* What was refused and counted, into the result. */
int gate_report(struct gate *gate, struct ambit_run_result *result);

/* -- gate-predict.c ------------------------------------------------------------ */

/* An operation of a command, as a person names it. */
enum gate_operation {
	OPERATION_WRITE = 0,	 /* open for writing, and make it if it is not there */
	OPERATION_WRITE_BENEATH, /* make a file in this directory */
	OPERATION_READ,
	OPERATION_DELETE,
	OPERATION_MKDIR,
	OPERATION_MOVE,
	OPERATION_LINK,
	OPERATION_SYMLINK, /* path is the text */
	OPERATION_CHMOD,
};

struct gate_prediction {
	struct ambit_outcome outcome;
	/* It fails with this errno by itself, before anything is decided; 0: it does not. */
	int error;
};

/* Predicts the outcome if a command does it now, in this process' working directory: prepared and
 * decided by the code that handles held calls, with this process as the one that calls. Nothing is
 * done, asked or recorded; the engine only observes. options: engine, floor, tree, temp. */
int gate_predict(const struct gate_options *options, enum gate_operation operation,
	const char *path, const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err);

#endif
