/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_REGISTRY_CALL_H
#define TOOLS_REGISTRY_REGISTRY_CALL_H

#include <jansson.h>

#include <ambit/registry.h>

/* ambit_registry_call for ambit's own doors, which have JSON on both sides: what a
 * door has parsed is not made text and parsed again. */

struct registry_result {
	bool failed;
	enum ambit_code code;
	char *text;
	json_t *structured; /* an object; the caller may take it, and leave NULL */
	bool cancelled;
	struct ambit_question *question;
};
void registry_result_finish(struct registry_result *result);

/* args: NULL, or borrowed: json_parse made it, of a text that the caller has limited; no other
 * thread uses it until this returns. Otherwise as ambit_registry_call. */
int registry_call(struct ambit_registry *registry, const char *tool, json_t *args,
	const struct ambit_call_options *options, struct registry_result *ret_result);

#endif
