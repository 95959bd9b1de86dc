/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that like a proxy: CONNECT, with the word that was given to the
 * session. What it wants to reach is decided as if it had gone there itself, and
 * what it then says is looked at in the same way. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/str.h"
#include "egress/relay/relay-private.h"
#include "request/host.h"

#define USER "ambit"

static const struct {
	int status;
	const char *text;
	const char *rest;
} replies[] = {
	{ 200, "Connection established", "\r\n" },
	{ 400, "Bad Request", "Connection: close\r\nContent-Length: 0\r\n\r\n" },
	{ 403, "Forbidden", "Connection: close\r\nContent-Length: 17\r\n\r\nrefused by ambit\n" },
	{ 405, "Method Not Allowed",
		"Allow: CONNECT\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" },
	{ 407, "Proxy Authentication Required",
		"Proxy-Authenticate: Basic realm=\"ambit\"\r\nConnection: close\r\n"
		"Content-Length: 0\r\n\r\n" },
	{ 502, "Bad Gateway", "Connection: close\r\nContent-Length: 0\r\n\r\n" },
};

void
proxy_reply(struct stream *stream, int status)
{
	char text[256];
	size_t i = 0;
	int n;

	while (replies[i].status != status)
		i++;
	n = snprintf(text, sizeof(text), "HTTP/1.1 %d %s\r\n%s", status, replies[i].text,
		replies[i].rest);
	/* It fits: nothing was sent before. */
	(void)!send(stream->client.fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	stream->proxied = false;
	if (status == 200)
		return;
	shutdown(stream->client.fd, SHUT_WR);
	stream_stage(stream, STAGE_ENDED);
}

static void
go_to(struct stream *stream, const struct head *head)
{
	auto_free char *host = NULL;
	int port;

	if (head->port <= 0 || host_parse(head->host, &host, &port) < 0 ||
		strlen(host) >= sizeof(stream->name)) {
		proxy_reply(stream, 400);
		return;
	}
	stream->port = (uint16_t)head->port;
	stream->n_in -= head->len;
	memmove(stream->in, stream->in + head->len, stream->n_in);
	if (strspn(host, "0123456789.") == strlen(host) || strchr(host, ':')) {
		struct dns_address address = { 0 };

		address.v6 = strchr(host, ':') != NULL;
		if (inet_pton(address.v6 ? AF_INET6 : AF_INET, host, address.ip) != 1) {
			proxy_reply(stream, 400);
			return;
		}
		egress_sockaddr(&address, stream->port, &stream->to);
		stream->kind = PASSAGE_ADDRESS;
		stream->said = SAID_ALL;
	} else {
		stream->kind = PASSAGE_NAMED;
		memcpy(stream->name, host, strlen(host) + 1);
	}
	stream_stage(stream, STAGE_WANTED);
}

void
proxy_go(struct stream *stream)
{
	bool named = stream->kind == PASSAGE_NAMED;

	if (stream_decide(stream, named ? stream->name : NULL, stream->port, NULL) != DECIDED_YES)
		return;
	if (named)
		dial_name(stream);
	else
		dial_to(stream);
}

void
proxy_read(struct stream *stream)
{
	const char *token = stream->relay->egress->token;
	struct head head = { 0 };

	say_read(stream);
	if (stream->stage == STAGE_ENDED)
		return;
	switch (head_parse(stream->in, stream->n_in, true, &head)) {
	case HEAD_WHOLE:
		break;
	case HEAD_MORE:
		if (stream->in_ended || stream->n_in == STREAM_IN_MAX ||
			(stream->n_in > 0 && !head_begins(stream->in, stream->n_in)))
			proxy_reply(stream, 400);
		return;
	default:
		proxy_reply(stream, 400);
		return;
	}
	if (!head.proxy_auth || !head_basic_is(head.proxy_auth, head.proxy_auth_len, USER, token))
		proxy_reply(stream, 407);
	else if (!head.connect)
		proxy_reply(stream, 405);
	else
		go_to(stream, &head);
}
