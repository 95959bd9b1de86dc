/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_REQUEST_PRIVATE_H
#define REQUEST_REQUEST_PRIVATE_H

#include <ambit/request.h>

#include "base/json.h"
#include "request/request-object.h"
#include "request/tool-table.h"

struct destination;

/* The struct behind <ambit/request.h>. Later stages only read it. */

#define REQUEST_TEXT_MAX (8u << 20) /* one request as JSON */
#define REQUEST_PATHS_MAX 1024	    /* paths in one request: each is compared with all */
#define REQUEST_NAMED_MAX 16384	    /* and how often one may be named, twice or more too */
#define REQUEST_COMMAND_MAX (256u << 10)
#define REQUEST_ID_MAX 4096  /* a door's id, as JSON text */
#define REQUEST_NAME_MAX 128 /* a tool's name */

struct request_path {
	char *text; /* as asked for, NUL-terminated; may contain NULs before len */
	size_t len;
	uint64_t hash; /* of text, to tell most others apart at once */
	enum ambit_access access;
	enum tool_follow follow;
	struct path_facts *object; /* resolved already, or NULL; owned */
};

enum request_enforce {
	REQUEST_ENFORCE_BY_ROOT = 0, /* not said: on if there is a root, else the parent's */
	REQUEST_ENFORCE_ON,
	REQUEST_ENFORCE_OFF,
};

/* The scope that a request binds itself to: it narrows its door's, whatever it says. */
struct request_scope {
	char *root, *display_root; /* or NULL: the door's */
	enum request_enforce enforce;
	bool no_bash;
	bool settled; /* root is a real path, and is to be that directory still */
};

struct ambit_request {
	char *id;   /* JSON text of the door's id, or NULL */
	char *name; /* the tool's name as given, never NULL; escaped if it is no name */
	const struct tool *tool; /* NULL: unknown */
	json_t *args;		 /* an object, or NULL for a request without arguments */
	char *cwd;		 /* or NULL */
	unsigned effects;	 /* of the tool, or as declared; 0: unknown */
	enum ambit_danger danger;
	struct request_path *paths;
	size_t n_paths;
	size_t n_named; /* paths that were added, those that were there already too */
	char *command;	/* of a shell tool, or NULL */
	char *host;	/* lower case, without brackets; "unix:..." as it is; or NULL */
	int port;	/* 0: any, or not given */
	bool lookup;	/* its address is asked for: see HOST_PORT_ANY */
	const struct destination *to; /* what the kernel line found of it; borrowed; or NULL */

	/* Narrowing, from the door. */
	bool plan;
	struct request_scope scope;

	/* Who. */
	pid_t pid;
	uint64_t start;
	char *program;	 /* as it calls itself */
	char **line;	 /* those it descends from and itself, as they call themselves; or NULL */
	char **programs; /* what runs there by their files and scripts, nearest first; or NULL */
	char **words;	 /* its own first arguments; or NULL */
	char *exe;	 /* what it runs, or NULL: not known */
	dev_t exe_dev;
	ino_t exe_ino;
	uint64_t image;	 /* see request_set_image */
	uint64_t detail; /* see request_set_detail */
	char *server;	 /* behind the unix socket, or NULL: see request_set_server */
	pid_t server_pid;
	bool server_same;
	char *agent;
	enum request_runner runner;
	bool held;
	bool again;	 /* the same call as before, decided anew: not one more */
	uint64_t origin; /* who makes the call, where several do; 0 */

	/* AMBIT_CODE_NONE, or why it cannot be understood (BadArguments,
	 * UnknownTool): bad_hard says whether a person may still say yes. */
	enum ambit_code bad;
	bool bad_hard;
	char *bad_reason;
};

/* A request that has a name and no arguments yet; NULL without memory. */
struct ambit_request *request_begin(const char *name);

/* The same in a struct of the caller's, which must not be destroyed; name is borrowed. */
void request_begin_at(struct ambit_request *ret_request, const char *name);

/* A call whose arguments are parsed already: args is an object, borrowed. row: of a
 * harness' own tool, which must outlive the request; NULL: the table's, by name.
 * Fails only without memory. */
int request_create(const char *name, const struct tool *row, json_t *args,
	struct ambit_request **ret_request, struct ambit_error *err);

/* A call that is refused whatever anybody says to it, for the record: args as they
 * could be read, borrowed, or NULL. Fails only without memory. */
int request_create_refused(const char *name, json_t *args, enum ambit_code code, const char *why,
	struct ambit_request **ret_request, struct ambit_error *err);

/* The tool that a request for one path goes by, or NULL: no such access. */
const char *request_access_tool(enum ambit_access access);

/* A system call that the kernel line holds, not a tool call: it has no
 * arguments, and is made again and again by programs that do their work. */
bool request_is_syscall(const struct ambit_request *request);

/* -- request-scope.c --------------------------------------------------------------- */

/* Reads {"root", "display_root", "enforce_write", "allow_bash"}. -EINVAL: *ret_key (NULL: the
 * object itself; borrowed from value) is not right, and *ret_why says how. -ENOMEM. ret_scope is
 * to be finished in any case. */
int request_scope_read(const json_t *value, struct request_scope *ret_scope, const char **ret_key,
	const char **ret_why);
int request_scope_copy(const struct request_scope *from, struct request_scope *ret_scope);
void request_scope_finish(struct request_scope *scope);
/* Whether it says anything. */
bool request_scope_is_set(const struct request_scope *scope);
/* As it was read; NULL without memory. */
json_t *request_scope_json(const struct request_scope *scope);

/* The request as an object in the shape of `ambit decide`, for the policy
 * program, approvers and the record. NULL without memory. */
json_t *request_json(const struct ambit_request *request);

/* How memory knows this call: "cmd:git status", "exact:<sha256>",
 * "call:write:<sha256>". With a cwd or a scope of its own it is always the last, and
 * those are part of it. Caller frees. */
char *request_call_key(const struct ambit_request *request);
/* Whether request_call_key could be this: a cheap look that spares making it. */
bool request_may_have_key(const struct ambit_request *request, const char *key);
/* The same, and of a command all of its words: a call that is like it in nothing but
 * who makes it. */
char *request_exact_key(const struct ambit_request *request);

/* "bash: git status", "write a.txt": for people, one line, escaped, at most
 * about 200 bytes. Caller frees. */
char *request_label(const struct ambit_request *request);

/* The whole of what is asked for, for the one who has to say yes or no: one
 * line, escaped, neither cut nor redacted; the label, then all arguments that
 * it does not show, as JSON. Caller frees; NULL without memory. */
char *request_text(const struct ambit_request *request);

/* Of a tool that carries what lies at one path to another (move, copy): whether
 * this path is where it comes from, or where it goes. Of other tools neither. */
static inline bool
request_path_is_source(const struct ambit_request *request, const struct request_path *path)
{
	return request->tool && request->tool->carries &&
	       (path->access == AMBIT_ACCESS_DELETE || path->access == AMBIT_ACCESS_READ_TREE);
}

static inline bool
request_path_is_target(const struct ambit_request *request, const struct request_path *path)
{
	return request->tool && request->tool->carries &&
	       (path->access == AMBIT_ACCESS_REPLACE || path->access == AMBIT_ACCESS_WRITE);
}

/* The canonical name of its tool, or the name as given. Borrowed. */
const char *request_tool(const struct ambit_request *request);

#endif
