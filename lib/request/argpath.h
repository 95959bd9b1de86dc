/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ARGPATH_H
#define REQUEST_ARGPATH_H

#include "request/request-private.h"

/* Paths from arguments. What cannot be understood is noted in the request.
 * -ENOMEM. */

int argpath_one(struct ambit_request *request, const struct tool_arg *arg, const json_t *value);

/* A string, or a list of strings and of objects that hold some. */
int argpath_list(struct ambit_request *request, const struct tool_arg *arg, json_t *value);

/* A pattern or a list of them: where each begins to look, in every directory
 * the call names. */
int argpath_glob(struct ambit_request *request, const struct tool_arg *arg, json_t *value);

/* For a tool that is in no row: whatever looks like a path is read. */
int argpath_guess(struct ambit_request *request, const json_t *value, int depth);

/* Notes an argument that is in no row and sounds as if it led somewhere. */
int argpath_check(struct ambit_request *request, json_t *object);

#endif
