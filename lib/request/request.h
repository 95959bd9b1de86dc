/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include <ambit/request.h>

#include "base/json.h"
#include "request/tool.h"

/* The struct behind <ambit/request.h>. Later stages only read it. */

#define REQUEST_TEXT_MAX (8u << 20) /* one request as JSON */
#define REQUEST_PATHS_MAX 4096	    /* paths in one request */
#define REQUEST_COMMAND_MAX (256u << 10)

struct request_path {
	char *text; /* as asked for, NUL-terminated; may contain NULs before len */
	size_t len;
	enum ambit_access access;
	enum tool_follow follow;
};

struct ambit_request {
	char *id;   /* JSON text of the door's id, or NULL */
	char *name; /* the tool's name as given, never NULL */
	const struct tool *tool; /* NULL: unknown */
	json_t *args;		 /* an object, or NULL for a request without arguments */
	char *cwd;		 /* or NULL */
	unsigned effects;	 /* of the tool, or as declared; 0: unknown */
	enum ambit_danger danger;
	struct request_path *paths;
	size_t n_paths;
	char *command; /* of a shell tool, or NULL */
	char *host;    /* lower case, without brackets, or NULL */
	int port;      /* 0: any, or not given */

	/* Narrowing, from the door. */
	bool plan;
	char *scope_root; /* or NULL */
	bool scope_enforce;
	bool scope_no_bash;

	/* Who. */
	pid_t pid;
	uint64_t start;
	char *program;
	char *agent;
	bool held;

	/* AMBIT_CODE_NONE, or why it cannot be understood (BadArguments,
	 * UnknownTool): bad_hard says whether a person may still say yes. */
	enum ambit_code bad;
	bool bad_hard;
	char *bad_reason;
};

/* The request as an object in the shape of `ambit decide`, for the policy
 * program, approvers and the record. NULL without memory. */
json_t *request_json(const struct ambit_request *request);

/* How memory knows this call: "cmd:git status", "exact:<sha256>",
 * "call:write:<sha256>". Caller frees. */
char *request_call_key(const struct ambit_request *request);

/* "bash: git status", "write a.txt": for people, one line, escaped, at most
 * about 200 bytes. Caller frees. */
char *request_label(const struct ambit_request *request);

#endif
