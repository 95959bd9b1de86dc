/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_TOOLBOX_H
#define DOOR_TOOLBOX_H

#include <ambit/registry.h>

#include "cli/world.h"

/* What a door to the tools stands in: world, executor, registry, by the options of
 * its command line. */

struct toolbox {
	struct world world;
	struct ambit_approver *approver; /* by --ask; NULL: nobody */
	struct ambit_executor *executor; /* NULL: no bash, and *why says why */
	struct ambit_registry *registry;
	char *why;
	int tty; /* of --ask tty; or -1 */
};

/* An implicit folder of / or the person's home is refused. door: how the record
 * calls it. 0, -errno, or EXIT_USAGE. Always to be finished. */
int toolbox_open(struct toolbox *box, const struct args *args, const char *door,
	struct ambit_error *err);
void toolbox_finish(struct toolbox *box);

#endif
