/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_RETENTION_H
#define RECORD_RETENTION_H

#include "record/record-private.h"

/* Old sessions go when a process that wrote ends, now and then, for a moment: see
 * record_limits. Whether it could be done decides nothing. */
void retention_care(struct ambit_record *record);

#endif
