/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_COPY_H
#define ASK_QUESTION_COPY_H

#include <ambit/approve.h>

/* Questions that outlive the one who put them. */

void question_finish(struct ambit_question *question);

/* -ENOMEM. */
int question_copy(const struct ambit_question *from, struct ambit_question *ret_question);

/* Whether an answer to the one is an answer to the other. An id alone does not say so:
 * what changed meanwhile is asked about anew under the same. */
bool question_same(const struct ambit_question *a, const struct ambit_question *b);

#endif
