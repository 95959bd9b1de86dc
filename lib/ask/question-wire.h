/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_WIRE_H
#define ASK_QUESTION_WIRE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/approve.h>

/* The question as one line of JSON: who, what, why, expires, request, outcome and
 * choices; with an id (not 0) also that, which folder to offer first, and what a judge may
 * see. Caller frees. */
int question_write(const struct ambit_question *question, uint64_t id, char **ret_text,
	struct ambit_error *err);

/* The other way round, of one with an id: for those who show it. Paths are as they are
 * shown. The question's finish is the caller's, on success. -EINVAL, with words. */
int question_read(
	const json_t *object, struct ambit_question *ret_question, struct ambit_error *err);

/* {answer, message?, path?}: one of those that were offered. -EINVAL, with words. */
int answer_read(const struct ambit_question *question, json_t *object,
	struct ambit_answer *ret_answer, struct ambit_error *err);
int answer_parse(const struct ambit_question *question, const char *text, size_t len,
	struct ambit_answer *ret_answer, struct ambit_error *err);

#endif
