/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MCP_MCP_JOB_H
#define MCP_MCP_JOB_H

#include "mcp.h"

/* One tools/call, as call.c runs it and mcp-modern.c asks for what it needs. */

struct job {
	struct mcp *mcp;
	json_t *id, *token; /* owned; not the message, which is many times its text */
	char *tool, *args;
	size_t size;
	struct era era;
	int cancel;
	bool cancelled, failed;
	bool changes;	  /* more than looks */
	bool wants_roots; /* modern: to be asked for before it can run */
	struct ambit_result result;
	pthread_mutex_t telling; /* a command and its question may both have something to say */
	double progress;
	int64_t told;

	/* Modern: what was answered, by digest of the question. */
	char call[SEAL_DIGEST];
	json_t *answers;
};

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

#endif
