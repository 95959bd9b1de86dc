/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGE_VERDICT_H
#define ASK_JUDGE_VERDICT_H

#include <stddef.h>

#include "base/err.h"

/* What a judge said. Anything but a plain yes is a pass, with words for why. */

#define VERDICT_REASON_MAX 300

struct verdict {
	int allow;			     /* 0: pass */
	char reason[VERDICT_REASON_MAX + 1]; /* the judge's own; printable ASCII */
};

/* {"verdict":"allow"|"pass","reason":"1 to 300 bytes"} and nothing else. 0 if it could
 * be read: allow or pass; -EINVAL with words if not, which is a pass as well. */
int verdict_parse(
	const char *text, size_t len, struct verdict *ret_verdict, struct ambit_error *err);

/* The word or phrase by which a reason is no plain yes, or NULL. Static. */
const char *verdict_hedge(const char *reason);

#endif
