/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_PROBE_PRIVATE_H
#define PROBE_PROBE_PRIVATE_H

#include "base/err.h"

/* 0 if the line can be held on this machine as far as can be known before it
 * is tried; else -errno, and err says in one sentence why not. Changes
 * nothing, costs a few microseconds. */
int probe_line(struct ambit_error *err);

#endif
