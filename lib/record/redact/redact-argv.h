/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_REDACT_REDACT_ARGV_H
#define RECORD_REDACT_REDACT_ARGV_H

#include "base/buf.h"
#include "base/json.h"
#include "record/redact/redact.h"

/* Arrays of strings: the arguments of a program, or the lines of a text. */

/* If the member at i is a secret by the option before it, or has one right
 * behind its own option: appends what is shown instead. The caller finishes
 * buf after true. */
bool argv_redact(const json_t *array, size_t i, struct buf *buf);

/* A private key whose lines are members: *ret_copy is a copy without it, or
 * NULL if there is none. -ENOMEM. */
int argv_join_keys(const json_t *array, json_t **ret_copy, size_t *count);

#endif
