/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the modes that a session holds. */

#include <stddef.h>

#include "world.h"

const struct stored_mode stored_modes[] = {
	{ "agent_mode", "agent mode", ambit_agent_modes,
		offsetof(struct ambit_session, agent_mode) },
	{ "sandbox_mode", "sandbox mode", ambit_sandbox_modes,
		offsetof(struct ambit_session, sandbox_mode) },
	{ "ask_mode", "ask mode", ambit_ask_modes, offsetof(struct ambit_session, ask_mode) },
	{ "reads", "reads", ambit_reads_words, offsetof(struct ambit_session, reads) },
	{ 0 },
};
