/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPROVE_PLEA_H
#define APPROVE_PLEA_H

#include "base/json.h"

/* Whether what a judge would be shown speaks to him, or has something in it that must
 * not leave this machine. Then he is not asked. */

#define PLEA_BYTES_MAX 2000 /* of all texts together */

/* Why he is not asked, or NULL; static. object: of judged_text. */
const char *plea_find(const json_t *object);

#endif
