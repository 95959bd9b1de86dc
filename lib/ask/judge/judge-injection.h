/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGE_JUDGE_INJECTION_H
#define ASK_JUDGE_JUDGE_INJECTION_H

#include "base/json.h"

/* Whether what a judge would be shown speaks to him, or has something in it that must
 * not leave this machine. Then he is not asked. */

#define PLEA_BYTES_MAX 2000 /* of all texts together */

/* Why he is not asked, or NULL; static. object: of judged_text. */
const char *plea_find(const json_t *object);

#endif
