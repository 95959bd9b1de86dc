/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_RULEKEY_H
#define REQUEST_RULEKEY_H

#include <stddef.h>

/* How a shell command is remembered: "cmd:head sub" for a simple command, by
 * the arity table; "exact:<the command>" for everything that could run
 * something it does not show ("nul:<sha256>" if it holds a NUL). Caller
 * frees; NULL without memory. */
char *rulekey_create(const char *command, size_t len);

#endif
