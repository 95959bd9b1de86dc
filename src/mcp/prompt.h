/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MCP_PROMPT_H
#define MCP_PROMPT_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "door/toolbox.h"

/* Prompts: a person's slash commands that show what holds. They change nothing, for what
 * comes through the client may be the model's; changing is for the person's terminal. */

/* NULL without memory. */
json_t *prompts_list(void);
/* The result of prompts/get; params may be NULL. -EINVAL, with words: no such prompt, or
 * not its arguments. Takes the registry's lock. */
int prompts_get(const struct toolbox *box, const json_t *params, json_t **ret_result,
	struct ambit_error *err);

/* -- prompt-text.c: what each says; with the lock ------------------------------------- */

/* The box, and an engine beside its own that has read what is stored by now. */
struct prompt_view {
	const struct toolbox *box;
	struct ambit_engine *engine;
};

int prompt_agent(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err);
int prompt_perm(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err);
int prompt_perms(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err);
int prompt_sandbox(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err);

#endif
