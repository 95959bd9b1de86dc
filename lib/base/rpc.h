/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RPC_H
#define BASE_RPC_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* JSON-RPC 2.0, one message a line. Reading is lines.h's; this tells what a line
 * is and writes whole lines from any thread. */

enum rpc_kind {
	RPC_BAD = 0, /* code and why are what to answer, with id or null */
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_RESPONSE, /* to a request of ours: result or error; id may be NULL */
};

enum {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL = -32603,
};

struct rpc_message {
	enum rpc_kind kind;
	json_t *whole; /* owned */
	json_t *id;    /* a string or an integer; borrowed from whole; NULL if none */
	const char *method;
	json_t *params; /* an object, or NULL */
	json_t *result, *error;
	int code; /* RPC_BAD */
	char why[256];
};

/* Depth is limited, UTF-8 must be well-formed, no key twice. Never fails: what
 * cannot be understood is RPC_BAD. An array (a batch) is. */
void rpc_parse(const char *text, size_t len, struct rpc_message *ret_message);
void rpc_message_finish(struct rpc_message *message);

/* The id as one string that tells ids apart ("s:1" is not "i:1"). Caller frees;
 * NULL without memory. */
char *rpc_id_key(const json_t *id);

struct rpc_out {
	int fd;
	int wake; /* readable once it is broken */
	/* What the other side writes to, or -1 (at first): once that is closed, it is
	 * waited for two seconds, in case it still reads. */
	int in;
	pthread_mutex_t lock;
	bool broken; /* the other side is gone: nothing is written any more; with the lock */
};
int rpc_out_init(struct rpc_out *out, int fd);
/* Does not close the descriptor. */
void rpc_out_finish(struct rpc_out *out);
/* From any thread: whoever is writing, and to a reader that does not read, gives
 * up; nothing is written any more. */
void rpc_out_break(struct rpc_out *out);
bool rpc_out_is_broken(struct rpc_out *out);

/* Each takes its json_t, also where it fails; id NULL is null. -EPIPE: the other
 * side is gone; -ENOMEM. SIGPIPE is the program's to ignore. */
int rpc_result(struct rpc_out *out, const json_t *id, json_t *result);
int rpc_error(struct rpc_out *out, const json_t *id, int code, const char *message, json_t *data);
int rpc_notify(struct rpc_out *out, const char *method, json_t *params);
int rpc_request(struct rpc_out *out, const char *id, const char *method, json_t *params);

#endif
