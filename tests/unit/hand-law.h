/* SPDX-License-Identifier: Apache-2.0 */
/* A pass, and rules of the hand, for tests that are about something else: no guard lies
 * anywhere. */
#ifndef UNIT_HAND_LAW_H
#define UNIT_HAND_LAW_H

#include "perform/hand.h"
#include "perform/permit.h"

static inline struct pass
a_pass(void)
{
	static const char some;

	return (struct pass){ .engine = (const struct ambit_engine *)(const void *)&some };
}

static inline bool
open_law_is_clear(void *data, const char *real)
{
	(void)data;
	(void)real;
	return true;
}

static inline int
open_law_may_stand(void *data, int dir, const char *real, bool landed)
{
	(void)data;
	(void)dir;
	(void)real;
	(void)landed;
	return 0;
}

static const struct hand_law open_law = {
	.is_clear = open_law_is_clear,
	.may_stand = open_law_may_stand,
};

#endif
