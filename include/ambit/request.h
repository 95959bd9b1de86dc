/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_REQUEST_H
#define AMBIT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/error.h>
#include <ambit/words.h>

/* One thing somebody wants to do. Every door makes the same struct. What a
 * door could not understand is still a request: it carries what is wrong,
 * and can never be decided as allow. */

struct ambit_request;

/* args: a JSON object as text, copied. Fails only without memory. */
int ambit_request_create(const char *tool, const char *args, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err);

/* One request in the shape of `ambit decide`:
 * {"id":..., "tool":"write", "args":{...}, "cwd":..., "effects":[...],
 *  "scope":{...}, "mode":"plan"}. */
int ambit_request_parse(
	const char *text, size_t len, struct ambit_request **ret_request, struct ambit_error *err);

/* One path, or one host ("name", "name:port", "unix:/run/docker.sock", "unix:@name"), without
 * JSON: for doors that have no tool call, and for names that are not UTF-8. */
int ambit_request_path(enum ambit_access access, const char *path, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err);
int ambit_request_connect(
	const char *host, struct ambit_request **ret_request, struct ambit_error *err);

void ambit_request_destroy(struct ambit_request *request);

/* Relative paths are resolved against cwd instead of display_root. */
int ambit_request_set_cwd(struct ambit_request *request, const char *cwd);

/* The process that asks. Questions show it, and an answer "once" for a host is tied to it. start
 * is the process' start time in ticks, as in /proc/PID/stat. program and
 * agent (a sub-agent's name) may be NULL; copied. */
int ambit_request_set_who(struct ambit_request *request, pid_t pid, uint64_t start,
	const char *program, const char *agent);

#endif
