/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_ONCE_H
#define ASK_QUESTION_ONCE_H

#include "base/buf.h"
#include "decide/decide.h"

/* Appends what "once" allows a process beyond the call itself, in one line, escaped: "this
 * process, for two seconds: write ~/data/f, new files beside it, one of them may replace it".
 * Appends nothing if it allows no more than the call. */
void question_once_text(
	const struct decide_input *in, const struct ambit_outcome *outcome, struct buf *out);

#endif
