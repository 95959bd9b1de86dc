/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EVENT_JSON_H
#define CLI_EVENT_JSON_H

#include <jansson.h>

#include <ambit/record.h>

/* The record as JSON, the same by `ambit log` and by `ambit serve`. NULL without
 * memory. */
json_t *event_json(int64_t id, const struct ambit_event *event);
json_t *chain_json(const struct ambit_chain *chain);

#endif
