/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_POLICY_H
#define AMBIT_POLICY_H

#include <stddef.h>

#include <ambit/error.h>
#include <ambit/words.h>

/* Composable policies. A policy can only narrow: its allow changes nothing,
 * its ask and deny hold whatever else was decided. */

struct ambit_policy;
struct ambit_request;

struct ambit_opinion {
	enum ambit_verdict verdict;
	enum ambit_code code; /* of a deny; AMBIT_CODE_DENIED if unsure */
	char reason[512];
};

struct ambit_policy *ambit_policy_allow_all(void);
struct ambit_policy *ambit_policy_deny_all(void);

/* One permission per effect, in the order of the bits of enum ambit_effect.
 * The most restrictive of the request's effects; without a known effect: ask. */
struct ambit_policy *ambit_policy_by_side_effect(const enum ambit_permission by[AMBIT_EFFECTS_N]);

/* Every path of the request must lie in one of dirs (resolved when asked).
 * A tool without paths is not its business; a path tool without a path asks. */
struct ambit_policy *ambit_policy_path_allowlist(const char *const *dirs, size_t n);

/* The most restrictive wins, whatever the order. Takes the parts, also on failure. */
struct ambit_policy *ambit_policy_compose(struct ambit_policy **parts, size_t n);

/* The harness' own. decide returns 0 and fills opinion; anything else is an ask. */
struct ambit_policy *ambit_policy_create(
	int (*decide)(void *data, const struct ambit_request *request, struct ambit_opinion *ret),
	void *data);

void ambit_policy_destroy(struct ambit_policy *policy);

#endif
