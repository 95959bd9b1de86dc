/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGED_H
#define ASK_JUDGED_H

#include "decide/decide.h"

/* A member that is not for him: two programs are the same if it is. */
#define JUDGED_PROGRAM_ID "program_id"

/* Whether a question may be put to a judge, and all that he is shown of it: one
 * line of JSON in *ret_text, which the caller frees; NULL if a person must be
 * asked. -ENOMEM. */
int judged_text(
	const struct decide_input *in, const struct ambit_outcome *outcome, char **ret_text);

#endif
