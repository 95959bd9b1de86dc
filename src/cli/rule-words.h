/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULE_WORDS_H
#define CLI_RULE_WORDS_H

#include "world.h"

/* The rule that `rules add OP SUBJECT [options]` means. 0, EXIT_USAGE or
 * -errno; the caller finishes it in any case. */
int rule_from_args(struct world *world, const struct args *args, struct ambit_rule *ret_rule,
	struct ambit_error *err);

#endif
