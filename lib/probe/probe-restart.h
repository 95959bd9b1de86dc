/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_PROBE_RESTART_H
#define PROBE_PROBE_RESTART_H

#include <stdbool.h>

/* Whether a held call is restarted after a signal. *ret_traced: whether a child can be traced,
 * which a process with several threads needs. Starts a child process and waits for it. */
bool probe_try_restart(bool *ret_traced);

#endif
