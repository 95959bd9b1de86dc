/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_RELAY_RELAY_PRIVATE_H
#define EGRESS_RELAY_RELAY_PRIVATE_H

#include "egress/egress-private.h"
#include "egress/http/head.h"
#include "egress/http/hello.h"
#include "perform/permit.h"

/* Shared by relay.c (a stream's life and what is decided about it), relay-say.c (what
 * its client says), relay-dial.c (the way to the other end), relay-flow.c (bytes) and
 * relay-proxy.c (who asks for a way). */

#define STREAM_ADDRESSES 16
#define STREAM_IN_MAX HELLO_MAX /* of what is looked at before it is passed on */

enum stage {
	STAGE_PROXY = 0, /* what it wants of a proxy is being read */
	STAGE_WANTED,	 /* and is being decided */
	STAGE_LISTEN,	 /* nothing is decided: what it says will */
	STAGE_FIND,	 /* a name is being looked up */
	STAGE_DIAL,
	STAGE_FLOW,
	STAGE_ENDED, /* only to be taken away */
};

/* What is known of what the client says. */
enum said {
	SAID_NOTHING = 0, /* it is being read */
	SAID_HTTP,	  /* and is looked at request by request */
	SAID_UPGRADE,	  /* a request to go on in another protocol; the server says whether */
	SAID_TLS,	  /* a hello; the server may want another */
	SAID_TLS_AGAIN,	  /* it does */
	SAID_ALL,	  /* nobody needs to look any more */
};

/* One direction, by way of a pipe: the kernel moves the bytes. */
struct flow {
	int pipe[2]; /* -1: none; only while there is something to move */
	size_t held; /* in the pipe */
	bool full;   /* without a pipe: the other end takes no more for now */
	bool moved;  /* since the last tick */
	bool came;   /* anything at all */
	bool ended;  /* no more will come */
	bool told;   /* and the other end knows */
};

struct stream {
	struct stream *next;
	struct relay *relay;
	enum stage stage;
	int64_t since; /* when that began */
	enum passage_kind kind;
	bool proxied; /* came by way of the proxy, and was not answered yet */
	bool tunnel;  /* the other end is a proxy that was told whom to reach */
	struct egress_who who;
	struct loop_watch client;
	struct loop_watch upstream; /* fd -1: not there */
	bool half;		    /* the client has closed its half, and waits */

	/* What was decided. */
	char name[DNS_NAME_MAX]; /* "": none */
	uint16_t port;
	struct sockaddr_storage to; /* where it goes; family 0: nowhere yet */
	char *approved;		    /* the host that was allowed last */
	char *asked;		    /* the host that a person is asked about, and */
	uint64_t ticket;	    /* of its question; 0: nobody is asked */
	struct pass pass;
	struct ambit_permit *permit;

	/* The way there. */
	struct dns_address address[STREAM_ADDRESSES];
	size_t n_addresses, next_address;
	struct upstream_query *query[2];

	/* What the client said and was not sent on yet. */
	enum said said;
	unsigned char *in;
	size_t n_in;
	size_t passed; /* so much of it may go */
	size_t ahead;  /* so much of it is gone already: see say_is_unfinished */
	size_t looked; /* so much had come when it was looked at last */
	bool in_ended;
	int64_t ended; /* when that was seen */
	uint64_t body_left;
	bool chunked;
	struct head_chunks chunks;

	struct flow down, up;
};

struct relay {
	struct egress *egress;
	struct stream *streams;
	size_t n;
};

/* -- relay.c ------------------------------------------------------------------------ */

/* Goes on as far as it can. */
void stream_go(struct stream *stream);
void stream_stage(struct stream *stream, enum stage stage);
/* As the line has it; name NULL: the address that it wants to go to. Caller frees. */
char *stream_host(const struct stream *stream, const char *name, int port);
/* What came of what was allowed last, if that is not told yet. */
void stream_end_permit(struct stream *stream, int result);
/* It ends here, and is taken away soon: the client finds its connection reset, or is told
 * by the proxy. why: told and recorded as the reason for host, if both are given. */
void stream_cut(struct stream *stream, const char *host, const char *why);

enum decided {
	DECIDED_NO = 0, /* it was cut */
	DECIDED_YES,
	DECIDED_WAIT, /* a person is asked: come again with the same question */
};
/* name NULL: about the address that it wants to go to. why: for a no that was not
 * asked for; then nobody is asked. NULL: a person may be. */
enum decided stream_decide(struct stream *stream, const char *name, int port, const char *why);

/* -- relay-say.c ----------------------------------------------------------------------- */

enum look {
	LOOK_CUT = 0,
	LOOK_MORE,	/* what has come says nothing yet */
	LOOK_PASS,	/* stream->passed says how much may go */
	LOOK_WAIT,	/* a person is asked */
	LOOK_ELSEWHERE, /* it wants stream->name, which is not where it goes now */
};
/* What the client has sent; false: there is nothing new. */
bool say_read(struct stream *stream);
enum look say_look(struct stream *stream);
/* A line that has no end yet could become a request, but its client may be waiting for
 * an answer to it. Unless it begins like one it goes ahead, for without its end it is no
 * request; the rest of it does not, until it is known. True: it is such a line. */
bool say_is_unfinished(const struct stream *stream);
/* Nothing goes either way before the server has answered to what was sent. */
bool say_awaits_reply(const struct stream *stream);
/* It says nothing that is a name: the address is what is decided about. */
enum look say_nothing(struct stream *stream);

/* -- relay-dial.c ---------------------------------------------------------------------- */

/* Looks stream->name up and dials; or dials stream->to. */
void dial_name(struct stream *stream);
void dial_to(struct stream *stream);
/* The other end is there. */
void dial_connected(struct stream *stream);
void dial_ready(struct stream *stream, uint32_t events);
void dial_tick(struct stream *stream, int64_t now);
void dial_stop(struct stream *stream);

/* -- relay-flow.c ----------------------------------------------------------------------- */

void flow_init(struct flow *flow);
void flow_finish(struct flow *flow);
/* Moves what can be moved, both ways. */
void flow_move(struct stream *stream);
/* What the stream waits for now. */
void flow_watch(struct stream *stream);
void flow_tick(struct stream *stream);

/* -- relay-proxy.c ------------------------------------------------------------------------ */

void proxy_read(struct stream *stream);
void proxy_go(struct stream *stream);
/* What came of it: 200, or why not. */
void proxy_reply(struct stream *stream, int status);

#endif
