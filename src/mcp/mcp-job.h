/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MCP_MCP_JOB_H
#define MCP_MCP_JOB_H

#include "mcp.h"

#include "tools/registry/registry-call.h"

/* One tools/call, as mcp-call.c runs it and mcp-modern.c asks for what it needs. */

struct job {
	struct mcp *mcp;
	/* Of the request that waits for it; owned; not the message, which is many times its text.
	 * With mcp's lock once it runs. id NULL: none waits. */
	json_t *id, *token;
	char *tool;
	json_t *args; /* taken out of the message; its thread's alone once it runs */
	size_t size;
	struct era era;
	int cancel;
	bool cancelled, failed;
	bool changes;	  /* more than looks */
	bool wants_roots; /* modern: to be asked for before it can run */
	struct registry_result result;
	pthread_mutex_t telling; /* a command and its question may both have something to say */
	double progress;
	int64_t told;

	/* Modern: what was answered, by digest of the question. */
	char call[SEAL_DIGEST];
	json_t *answers;

	/* Modern: it asks while it runs (mcp-resume.c). */
	pthread_mutex_t turn; /* one question at a time */
	/* With mcp's lock: */
	struct job *next;
	uint64_t number;   /* 0: it has not asked */
	json_t *form;	   /* open, and not answered by the client; or NULL */
	char question[32]; /* its id */
	int64_t expires;   /* likewise */
	bool done;	   /* and kept until then, for the request that comes for it */
	int64_t until;
	/* Or it is that request: */
	uint64_t resumes; /* the number of the one that runs; 0: it is a call of its own */
	json_t *filled;	  /* what was answered to its question, or NULL */
};

void call_destroy_job(struct job *job);
/* Its result, which can be taken once. NULL without memory. */
json_t *call_result_json(struct job *job);

/* -- mcp-modern.c: questions as results ------------------------------------------------ */

/* What came along with the call: answers, and what the client works on. -ENOMEM. */
int modern_take(struct job *job, const json_t *params, const json_t *args);
/* As ambit_approver.ask; -EINPROGRESS: it is to be put as this call's result. */
int modern_ask(struct job *job, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err);
/* The result that asks: the question, or for what the client works on. The same call
 * is to come again, with the answer. NULL without memory. */
json_t *modern_question(const struct job *job);
json_t *modern_roots(const struct job *job);
/* The same of a form, which it takes, and the state that is to come back. */
json_t *modern_input(json_t *form, const char *state);
#define MODERN_STATE_MS (10 * 60 * 1000) /* how long a question without an end can be answered */
int64_t modern_expires(const struct ambit_question *question);

/* -- mcp-resume.c: a call that asks while it runs ----------------------------------------- */

/* As ambit_call_options.ask_running, data being the job. */
int resume_ask(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err);
/* It has ended. True: no request waits for it, and it is kept for the one that may come. With
 * mcp's lock. */
bool resume_keep(struct job *job);
/* Whether the question that came back is one of a call that runs; and takes what it says. */
bool resume_is_named(const char *question);
int resume_take(struct job *job, const char *question, json_t *filled);
/* In the reader's thread: takes the job, which is that request. */
void resume_call(struct mcp *mcp, struct job *again);
/* When none runs any more. */
void resume_forget(struct mcp *mcp);

#endif
