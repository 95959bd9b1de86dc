/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_WIRE_H
#define ASK_QUESTION_WIRE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/approve.h>

/* A choice, and the words of a question, as they stand in every JSON of it. NULL, -ENOMEM:
 * without memory. */
json_t *choice_json(const struct ambit_choice *choice);
int question_set_words(json_t *object, const struct ambit_question *question);

/* The choice that an answer of this kind means, path as it was shown; NULL for that which is to
 * be offered first, and of ALWAYS for exactly what was asked for. NULL: none, or more than one. */
const struct ambit_choice *question_find_choice(
	const struct ambit_question *question, enum ambit_answer_kind kind, const char *path);

/* The question as one line of JSON: the words of it, expires, request, outcome and
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

/* How a question ended, as a word for programs: "answered", "gone" or "expired"; from the words
 * for people ("allowed in ambit watch"). Static. */
const char *question_end_word(const char *how);

#endif
