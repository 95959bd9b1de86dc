/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_BACKEND_H
#define DOOR_BACKEND_H

#include "toolbox.h"
#include "tools/registry/registry-agents.h"

/* Sets the box' executor, or why there is none. Needs its engine. 0, -errno, or
 * EXIT_USAGE. */
int backend_open(struct toolbox *box, const struct args *args, struct ambit_error *err);

/* What run_agent needs, for the registry; borrowed from the box. Needs the engine. */
int agents_open(struct toolbox *box, struct ambit_agents *ret_agents, struct ambit_error *err);

/* Words that go in front of a command, NULL at the end: the program by its real path.
 * -EPERM, with words, if it, or a file that they name, lies where the agent can write. */
int prefix_resolve(const struct toolbox *box, char **prefix, struct ambit_error *err);

#endif
