/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rpc.h"
#include "door/door-calls.h"
#include "door/toolbox.h"

/* An MCP server on standard input and output, in both eras of the protocol: legacy
 * (initialize, then requests) and modern (2026-07-28: every request says what it
 * needs to). One client; its requests are read in one thread, calls run in others. */

#define MCP_LINE_MAX ((8u << 20) + (64u << 10)) /* arguments may have 8 MiB */
#define MCP_WITHDRAWN 16
#define MCP_MODERN "2026-07-28"
#define MCP_META "io.modelcontextprotocol/"

enum {
	MCP_UNSUPPORTED_VERSION = -32022,
};

/* What the one who asks can do, as this request says or the handshake said. */
struct era {
	bool modern;
	bool elicits; /* shows forms to a person */
	bool titles;  /* knows choices with titles ({const, title}) */
	bool fills;   /* cannot send a form in which a text is left empty */
	bool roots;   /* says what it works on */
};

struct seals;
struct open_question;
struct job;

struct mcp {
	struct toolbox box;
	struct calls *calls;
	struct rpc_out out;
	json_t *tools; /* what tools/list says */
	char *instructions;
	struct era legacy; /* the reader's own */
	bool initialized;
	size_t in_flight; /* bytes of calls that run or wait; with lock */
	pthread_mutex_t lock;
	struct open_question *open; /* put to the client; with lock */
	uint64_t last_question;
	struct job *resumable; /* asked while they ran: see mcp-resume.c; with lock */
	uint64_t last_resumable;
	/* Taken back, perhaps before they were put: the last few; with lock. */
	struct withdrawn {
		const void *asker;
		uint64_t question;
		char how[128];
	} withdrawn[MCP_WITHDRAWN];
	size_t n_withdrawn;
	struct {
		unsigned asked;	     /* requests of ours; the reader's own */
		bool open;	     /* the last one was not answered yet; likewise */
		int known;	     /* an eventfd: readable when the last one was answered */
		int64_t since, told; /* steady; with lock */
	} roots;
	bool gone; /* there is no client any more; with lock */
	struct seals *seals;
};

/* -- mcp-server.c: one line in ------------------------------------------------------- */

void mcp_line(struct mcp *mcp, const char *text, size_t len);
void mcp_line_too_long(struct mcp *mcp);

/* -- mcp-list.c: what there is -------------------------------------------------------- */

/* NULL without memory. */
json_t *list_tools(const struct ambit_registry *registry);
/* Whether a structured result (or the properties of its schema) says what the text
 * says; where not, the text is put beside it, as "text". */
bool list_carries_text(const json_t *members);
json_t *list_server_info(void);
char *list_instructions(const struct toolbox *box);
/* With what every modern result has; takes and returns it. */
json_t *list_modern(json_t *result, const char *type);

/* -- call.c: tools/call ------------------------------------------------------------ */

void call_start(struct mcp *mcp, struct rpc_message *message, const struct era *era);
/* Whether a call that runs has that id; NULL has none. */
bool call_uses(struct mcp *mcp, const json_t *id);
void call_cancel(struct mcp *mcp, const json_t *id);

/* -- mcp-ask.c: questions to the client that somebody waits for ------------------------- */

struct asker {
	struct mcp *mcp;
	const struct era *era;
	int cancel; /* of the call */
	/* Modern: sends the form, which it takes, as the question with this id. */
	int (*put)(void *data, const struct ambit_question *question, const char *id, json_t *form);
	/* It waits for a person; called now and then. */
	void (*waiting)(void *data);
	void *data;
};
/* As ambit_approver.ask. */
int ask_client(const struct asker *asker, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err);
/* The client's answer to a request of ours; taken, if somebody waits for it: what is
 * in JSON is never two threads' at once. */
void ask_response(struct mcp *mcp, struct rpc_message *message);
/* Modern: what was filled in, which it takes. With mcp's lock. */
void ask_take_answer(struct mcp *mcp, const char *id, json_t *filled);
/* Nobody waits for the answer any more: the asker's own, by the question's id. */
void ask_withdraw(struct mcp *mcp, const void *data, uint64_t question, const char *how);
/* Nobody will answer any more. */
void ask_end(struct mcp *mcp);

/* -- mcp-roots.c: what the client works on ---------------------------------------------- */

/* The path of a file: URI. Caller frees; NULL: it is none. */
char *roots_path(const char *uri);
/* Legacy, if it has them: asks for them anew; what would change something waits. */
void roots_ask(struct mcp *mcp);
/* True if the response was to that. */
bool roots_response(struct mcp *mcp, const struct rpc_message *message);
/* In a call's thread, after roots_ask: until they are known, or it took too long, and
 * then nothing of the folder is open. False: the call was cancelled. */
bool roots_wait(struct mcp *mcp, int cancel);
/* A result of roots/list, in either era; NULL: it did not tell. */
void roots_take(struct mcp *mcp, const json_t *result);
/* Modern: whether they are to be asked for with the next call that changes something. */
bool roots_are_old(struct mcp *mcp);

/* -- mcp-form.c: questions as forms, and what is filled in ------------------------------- */

/* The params of elicitation/create. NULL without memory. */
json_t *form_create(const struct ambit_question *question, const struct era *era);
/* {action, content}: what is not a plain yes to one of the choices is a no. -ENOENT: the form was
 * closed, and nobody has chosen. */
int form_read(const struct ambit_question *question, const json_t *result,
	struct ambit_answer *ret_answer, struct ambit_error *err);

/* -- mcp-seal.c: requestState ------------------------------------------------------------ */

#define SEAL_DIGEST 65

/* Of one call, and of one question: as hex. -ENOMEM. */
int seal_call_digest(const char *tool, const json_t *args, char ret_hex[SEAL_DIGEST]);
int seal_question_digest(const struct ambit_question *question, char ret_hex[SEAL_DIGEST]);

struct seals *seals_create(void);
void seals_destroy(struct seals *seals);
/* What was answered so far and which question is open, for exactly this call, until
 * expires (milliseconds since the epoch). Caller frees; NULL without memory. */
char *seal_make(struct seals *seals, const char *call, const char *question, const json_t *answers,
	int64_t expires);
/* 0, once for each seal: *ret_answers (an object: digest of a question to what was
 * filled in) is the caller's, and ret_question the open one. -EBADMSG, -ENOMEM: it is
 * none, or another call's. -ESTALE, -EALREADY: too old, or used; ret_question is set. */
int seal_open(struct seals *seals, const char *text, const char *call, json_t **ret_answers,
	char ret_question[SEAL_DIGEST]);

#endif
