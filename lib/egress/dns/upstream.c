/* SPDX-License-Identifier: Apache-2.0 */
/* One question goes out, one answer comes back. Each has a socket of its own,
 * connected to the server, and a random id: who wants to answer in its place must
 * guess port and id, and what does not repeat the question is not an answer. The
 * servers are those of the system; what they say is theirs. */

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "egress/dns/resolv.h"
#include "egress/dns/upstream.h"
#include "perform/permit.h"

#define TRY_MS 3000	  /* for one server to answer */
#define TRY_OTHERS_MS 900 /* while there are others that were not asked */
#define SLOW_MS 30000	  /* one that did not is asked last for a while */
#define ROUNDS 2

struct upstream_query {
	struct upstream_query *next;
	struct upstream *upstream;
	struct dns_query query;
	upstream_done *done;
	void *data;
	struct loop_watch watch;
	struct resolv servers;
	unsigned tries; /* begun until now */
	int64_t until;
	uint16_t id;
	/* By TCP: what is still to be sent, and what has come. */
	bool tcp;
	unsigned char *room;
	size_t at, want;
};

struct upstream {
	struct loop *loop;
	struct sockaddr_storage slow; /* the server that let us wait last, */
	int64_t slow_until;	      /* and how long that is held against it */
	struct upstream_query *first;
	size_t n;
};

struct upstream *
upstream_create(struct loop *loop)
{
	struct upstream *upstream = calloc(1, sizeof(*upstream));

	if (upstream)
		upstream->loop = loop;
	return upstream;
}

static void
close_query_socket(struct upstream_query *query)
{
	loop_forget(query->upstream->loop, &query->watch);
	if (query->watch.fd >= 0)
		close(query->watch.fd);
	query->watch.fd = -1;
	query->tcp = false;
}

void
upstream_cancel(struct upstream_query *query)
{
	if (!query)
		return;
	for (struct upstream_query **at = &query->upstream->first; *at; at = &(*at)->next)
		if (*at == query) {
			*at = query->next;
			query->upstream->n--;
			break;
		}
	close_query_socket(query);
	free(query->room);
	free(query);
}

void
upstream_destroy(struct upstream *upstream)
{
	if (!upstream)
		return;
	while (upstream->first)
		upstream_cancel(upstream->first);
	free(upstream);
}

/* The last thing that is done with it. */
static void
complete_query(struct upstream_query *query, const struct dns_answer *answer, const void *message,
	size_t len)
{
	upstream_done *done = query->done;
	void *data = query->data;
	unsigned char *room = steal_ptr(&query->room); /* the message may lie in it */

	upstream_cancel(query);
	done(data, answer, message, len);
	free(room);
}

/* -- one server ------------------------------------------------------------------------ */

static void handle_query_event(void *data, uint32_t events);

static const struct sockaddr *
server_of(const struct upstream_query *query, socklen_t *ret_len)
{
	size_t i = (query->tries - 1) % query->servers.n;

	*ret_len = query->servers.len[i];
	return (const struct sockaddr *)&query->servers.server[i];
}

static int
open_socket(struct upstream_query *query, int type)
{
	socklen_t len;
	const struct sockaddr *to = server_of(query, &len);
	int fd = socket(to->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	query->watch = (struct loop_watch){ .fd = fd, .ready = handle_query_event, .data = query };
	if (connect(fd, to, len) < 0 && errno != EINPROGRESS)
		return -errno;
	return loop_watch(
		query->upstream->loop, &query->watch, type == SOCK_STREAM ? EPOLLOUT : EPOLLIN);
}

static int
begin_udp(struct upstream_query *query)
{
	unsigned char message[DNS_UDP_PLAIN];
	size_t len;
	int r;

	close_query_socket(query);
	query->id = (uint16_t)randombytes_uniform(65536);
	len = dns_make_query(&query->query, query->id, message);
	r = open_socket(query, SOCK_DGRAM);
	if (r == 0 && send(query->watch.fd, message, len, MSG_NOSIGNAL) < 0)
		r = -errno;
	return r;
}

static int
begin_tcp(struct upstream_query *query)
{
	size_t len;
	int r;

	close_query_socket(query);
	if (!query->room)
		query->room = malloc(2 + DNS_MESSAGE_MAX);
	if (!query->room)
		return -ENOMEM;
	len = dns_make_query(&query->query, query->id, query->room + 2);
	query->room[0] = (unsigned char)(len >> 8);
	query->room[1] = (unsigned char)len;
	r = open_socket(query, SOCK_STREAM);
	query->tcp = true;
	query->at = 0;
	query->want = len + 2;
	query->until = loop_now(query->upstream->loop) + TRY_MS;
	return r;
}

static void
set_time(struct upstream_query *query)
{
	query->until = loop_now(query->upstream->loop) +
		       (query->tries < query->servers.n ? TRY_OTHERS_MS : TRY_MS);
}

/* The next server, or the end: then it is gone, and false. */
static bool
next_server(struct upstream_query *query)
{
	while (query->tries < ROUNDS * query->servers.n) {
		query->tries++;
		set_time(query);
		if (begin_udp(query) == 0)
			return true;
	}
	complete_query(query, NULL, NULL, 0);
	return false;
}

/* -- what it says ------------------------------------------------------------------------ */

/* Answers that say nothing about the name are no answers where there is another
 * server to ask. */
static bool
is_final(const struct upstream_query *query, const struct dns_answer *answer)
{
	return answer->code == DNS_OK || answer->code == DNS_NO_NAME ||
	       query->tries >= ROUNDS * query->servers.n;
}

static void
take_udp(struct upstream_query *query)
{
	unsigned char message[4096];
	struct dns_answer answer;
	ssize_t n = recv(query->watch.fd, message, sizeof(message), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		next_server(query); /* nobody is at that port */
	} else if (dns_parse_answer(message, (size_t)n, query->id, &query->query, &answer) < 0) {
		return; /* somebody else's: the true one may still come */
	} else if (answer.truncated) {
		if (begin_tcp(query) < 0)
			next_server(query);
	} else if (is_final(query, &answer)) {
		complete_query(query, &answer, message, (size_t)n);
	} else {
		next_server(query);
	}
}

static void
send_tcp(struct upstream_query *query)
{
	ssize_t n = send(
		query->watch.fd, query->room + query->at, query->want - query->at, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		next_server(query);
		return;
	}
	query->at += (size_t)n;
	if (query->at < query->want)
		return;
	query->at = 0;
	query->want = 0; /* from here on it is what comes */
	if (loop_watch(query->upstream->loop, &query->watch, EPOLLIN) < 0)
		next_server(query);
}

static void
take_tcp(struct upstream_query *query)
{
	size_t want = query->at < 2 ? 2 : 2 + ((size_t)query->room[0] << 8 | query->room[1]);
	ssize_t n = recv(query->watch.fd, query->room + query->at, want - query->at, 0);
	struct dns_answer answer;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		next_server(query);
		return;
	}
	query->at += (size_t)n;
	if (query->at < 2 || query->at < 2 + ((size_t)query->room[0] << 8 | query->room[1]))
		return;
	if (dns_parse_answer(query->room + 2, query->at - 2, query->id, &query->query, &answer) <
			0 ||
		!is_final(query, &answer))
		next_server(query);
	else
		complete_query(query, &answer, query->room + 2, query->at - 2);
}

static void
handle_query_event(void *data, uint32_t events)
{
	struct upstream_query *query = data;

	(void)events;
	if (!query->tcp)
		take_udp(query);
	else if (query->want > 0)
		send_tcp(query);
	else
		take_tcp(query);
}

static void
put_slow_last(const struct upstream *upstream, struct resolv *servers)
{
	size_t last = servers->n - 1;
	struct sockaddr_storage slow = servers->server[0];
	socklen_t len = servers->len[0];

	if (loop_now(upstream->loop) >= upstream->slow_until ||
		memcmp(&slow, &upstream->slow, sizeof(slow)) != 0)
		return;
	memmove(&servers->server[0], &servers->server[1], last * sizeof(slow));
	memmove(&servers->len[0], &servers->len[1], last * sizeof(len));
	servers->server[last] = slow;
	servers->len[last] = len;
}

/* -- asking ------------------------------------------------------------------------------ */

int
upstream_ask(struct upstream *upstream, struct pass *pass, const struct dns_query *query,
	upstream_done *done, void *data, struct upstream_query **ret_query)
{
	struct upstream_query *new;
	int r;

	if (upstream->n >= UPSTREAM_QUERIES)
		return -EBUSY;
	r = pass_use(pass);
	if (r < 0)
		return r;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = (struct upstream_query){
		.next = upstream->first,
		.upstream = upstream,
		.query = *query,
		.done = done,
		.data = data,
		.watch.fd = -1,
	};
	resolv_read(&new->servers);
	upstream->first = new;
	upstream->n++;
	/* What fails at once is told by the next tick: never from in here. */
	if (new->servers.n > 0) {
		put_slow_last(upstream, &new->servers);
		new->tries = 1;
		set_time(new);
		if (begin_udp(new) < 0)
			new->until = 0;
	}
	*ret_query = new;
	return 0;
}

size_t
upstream_tick(struct upstream *upstream)
{
	int64_t now = loop_now(upstream->loop);
	struct upstream_query *query = upstream->first;

	/* done may end others, or ask anew: from the beginning after each. */
	while (query) {
		struct upstream_query *next = query->next;

		if (query->until <= now) {
			if (query->tries > 0 && query->servers.n > 1) {
				socklen_t len;

				memcpy(&upstream->slow, server_of(query, &len),
					sizeof(upstream->slow));
				upstream->slow_until = now + SLOW_MS;
			}
			next_server(query);
			next = upstream->first;
		}
		query = next;
	}
	return upstream->n;
}
