/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JUDGE_JUDGE_DOOR_H
#define JUDGE_JUDGE_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* One question to a model. Standard input has where to and what:
 * {"url","model","key_env"?,"timeout_ms","request":{...}}. */

#define JUDGE_INPUT_MAX (64 * 1024)
#define JUDGE_ANSWER_MAX (64 * 1024)

struct errand {
	const char *url; /* checked by the settings: https, or http to this machine */
	const char *key; /* or NULL */
	char *body;	 /* of the request */
	long timeout_ms;
	bool plain; /* http */
};

/* Puts body to url. What came back, at most JUDGE_ANSWER_MAX bytes, the caller frees. */
int errand_run(
	const struct errand *errand, char **ret_answer, size_t *ret_len, struct ambit_error *err);

/* The body of a request about this, in the shape of chat completions. Caller frees;
 * NULL without memory. */
char *chat_body(const char *model, const json_t *request);
/* What the model said, out of what came back: borrowed from object. -EINVAL. */
int chat_read(const json_t *object, const char **ret_content, struct ambit_error *err);

/* Whether none of those who ask can be the one that listens at this port of this
 * machine. -EPERM with words if one may be; -ENOENT: nobody listens. */
int listener_check(int port, struct ambit_error *err);

#endif
