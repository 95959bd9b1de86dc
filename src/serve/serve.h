/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "base/lines.h"
#include "base/rpc.h"
#include "door/door-calls.h"
#include "door/toolbox.h"

/* JSON-RPC for harnesses, as doc/serve.md has it: on standard input and output, or on
 * a unix socket for several clients that share one session. A client is read in one
 * thread; what it asks for is done in others. */

#define SERVE_CLIENTS_MAX 16
#define SERVE_LINE_MAX ((8u << 20) + (64u << 10)) /* arguments may have 8 MiB */

enum {
	SERVE_NO_PENDING = -32001,
	SERVE_BUSY = -32002,
	SERVE_CANCELLED = -32003,
	SERVE_NOT_YOU = -32004,
};

struct serve {
	struct toolbox box;
	int stop; /* readable when all is to end */
};

struct job;

struct client {
	struct serve *serve;
	struct calls *calls;
	struct lines lines;
	struct rpc_out out;
	pthread_mutex_t lock; /* of what follows, and of what jobs have for it */
	struct job *jobs;
	size_t in_flight; /* bytes of requests that run or wait */
	size_t kept;	  /* results that wait to be fetched */
	bool gone;	  /* nobody answers any more */
};

/* -- serve-client.c: one who asks, from the first line to the last ------------------------- */

/* Always to be finished. */
int client_init(
	struct client *client, struct serve *serve, int in, int out, struct ambit_error *err);
/* Until its input ends and what was asked for is done; until it is gone, or stop. */
int client_serve(struct client *client, struct ambit_error *err);
void client_finish(struct client *client);

/* -- serve-socket.c: the socket by its name -------------------------------------------------- */

struct doorway {
	int fd;
	int dir; /* that it lies in, held; -1 */
	char *path;
	dev_t dev; /* of the name that was made; ino 0: none was */
	ino_t ino;
};

/* Listens. Always to be closed, which removes the name. */
int doorway_open(struct doorway *doorway, const struct toolbox *box, const char *given,
	struct ambit_error *err);
void doorway_close(struct doorway *doorway);

/* -- serve-listen.c ------------------------------------------------------------------------- */

/* Serves whoever connects, until stop. */
int listen_serve(struct serve *serve, const char *path, struct ambit_error *err);

/* -- serve-params.c -------------------------------------------------------------------------- */

enum param_kind {
	PARAM_TEXT = 0, /* a string without NUL */
	PARAM_BYTES,	/* a string */
	PARAM_NUMBER,	/* an integer, not negative */
	PARAM_BOOL,
	PARAM_OBJECT,
	PARAM_LIST,
	PARAM_COMMAND, /* a string without NUL, or a list of them that is not empty */
	PARAM_ID,      /* a string or an integer */
};

struct param {
	const char *name;
	enum param_kind kind;
	bool needed;
};

/* Whether params (may be NULL) are what the table says, which ends in a row without
 * name. -EINVAL with words, and the name of the field, escaped, in ret_field. */
int params_check(const char *method, const struct param *table, const json_t *params,
	char ret_field[64], struct ambit_error *err);
/* NULL if it was not given. */
const char *params_text(const json_t *params, const char *name);

/* -- serve-job.c: one request in a thread ------------------------------------------------------ */

struct ambit_question;

struct job {
	struct job *next;
	struct client *client;
	char name[25]; /* unguessable: what its handles begin with */
	json_t *whole; /* the message */
	const json_t *params;
	void (*work)(struct job *job);
	size_t size;
	int cancel; /* while it works */

	/* What came of it: a result, or code and why. */
	json_t *result;
	int code;
	char why[256];
	bool cancelled;

	/* With the client's lock: */
	bool unwanted;	/* cancelled: nobody answers it or fetches what comes of it */
	json_t *id;	/* of the request that waits for it; NULL: none */
	bool done;	/* and kept, until somebody fetches what came of it */
	uint64_t asked; /* questions so far */
	uint64_t told;	/* the last one that the client has heard of */
	const struct ambit_question *question; /* open; or NULL */
	struct ambit_answer answer;
	bool answered;
	char same[HASH_HEX]; /* equal for calls that ask for the same; "": for none */
	uint64_t withdrawn;  /* the last question that nobody waits for any more */
	char how[128];	     /* it ended: "allowed in ambit watch" */
	int wake;	     /* of the one who waits for the answer */

	pthread_mutex_t turn; /* one question at a time */
	atomic_int waits;     /* how many times over it waits for somebody */
};

/* Answers the request, now or later. Takes what is in the message. */
void job_start(struct client *client, struct rpc_message *message, bool slow,
	void (*work)(struct job *job));
/* An error in place of a result. */
void job_fail(struct job *job, int code, const char *why);
/* In the reader's thread. */
bool job_uses(struct client *client, const json_t *id);
bool job_cancel(struct client *client, const json_t *params);
/* None runs any more. */
void job_forget_all(struct client *client);

/* With the client's lock. A handle is a job's name, '-', and which of its questions. */
struct job *job_find(const struct client *client, const char *handle, uint64_t *ret_number);
void job_unlink(struct client *client, const struct job *job);
/* Without it: what came of the job, to the request with this id, which it takes. */
void job_reply(struct client *client, const struct job *job, json_t *id);
void job_destroy(struct job *job);

/* -- serve-answer.c ---------------------------------------------------------------------------- */

/* As ambit_call_options.ask, data being the job. */
int job_ask(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err);
/* As .waits and .withdraw of the same. */
void job_waits(void *data, bool begins);
void job_withdraw(void *data, uint64_t question, const char *how);
/* In the reader's thread. The handle of a call like this one that has an open question, as the
 * reply to the request. False: there is none. */
bool job_tell_same(struct client *client, const char *same, const json_t *id);
void job_answer(struct client *client, const struct rpc_message *message);
/* No answer will come any more. */
void job_no_answers(struct client *client);

/* -- question.c ---------------------------------------------------------------------------- */

/* NULL without memory. */
json_t *question_json(const struct ambit_question *question);
/* -EINVAL with words: that was not offered. */
int question_answer(const struct ambit_question *question, const json_t *params,
	struct ambit_answer *ret_answer, struct ambit_error *err);

/* -- the methods: serve-tool.c, serve-tell.c, serve-log.c -------------------------------- */

void tool_call(struct job *job);
void tool_execute(struct job *job);
bool tool_is_slow(const struct client *client, const json_t *params);
void tell_session(struct job *job);
void tell_decision(struct job *job);
void tell_label(struct job *job);
void log_tell(struct job *job);

#endif
