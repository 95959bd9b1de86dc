/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ARGS_H
#define REQUEST_ARGS_H

#include "request/request-private.h"

/* From a tool call's arguments to paths, command and host, by the tool's row.
 * What cannot be understood is noted in the request. -ENOMEM. */
int args_read(struct ambit_request *request);

/* Notes that an argument must be something else. -ENOMEM. */
int args_wrong_type(struct ambit_request *request, const char *arg, const char *want);

/* Appends a path unless it is there already. -ENOMEM; too many are noted. */
int request_add_path(struct ambit_request *request, const char *text, size_t len,
	enum ambit_access access, enum tool_follow follow);

/* Notes what is wrong. The first reason stays, but hard replaces soft.
 * -ENOMEM. */
int request_refuse(struct ambit_request *request, enum ambit_code code, bool hard, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

#endif
