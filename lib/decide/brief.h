/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_BRIEF_H
#define DECIDE_BRIEF_H

#include <ambit/engine.h>

#include "decide/brief-shell.h"
#include "decide/decide.h"

/* The text that tells a model its scope, what holds its shell, the protocol
 * for refusals, and the rule on untrusted content. Caller frees. */
char *brief_text(const struct decide_input *in, enum brief_shell shell);

#endif
