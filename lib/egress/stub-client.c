/* SPDX-License-Identifier: Apache-2.0 */
/* Who asks for names by TCP: messages with their length in front, as many as he
 * likes, answered in the order in which they are settled. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "egress/stub-private.h"

#define CLIENTS_MAX 256
#define ASKS_EACH 16   /* unanswered questions of one */
#define OUT_MAX 262144 /* unread answers of one */
#define IDLE_MS 60000  /* without a question */

static void
set_events(struct client *client)
{
	uint32_t events = client->n_out > client->at_out ? EPOLLOUT : 0;

	/* While he waits for an answer, the end of his connection says that he does
	 * not any more. */
	events |= client->ended || client->n_asks >= ASKS_EACH || client->n_in == sizeof(client->in)
			  ? 0
			  : EPOLLIN;
	if (loop_watch(client->stub->egress->loop, &client->watch, events | EPOLLRDHUP) < 0)
		client->ended = true;
}

void
client_destroy(struct client *client)
{
	struct stub *stub = client->stub;

	for (struct client **at = &stub->clients; *at; at = &(*at)->next)
		if (*at == client) {
			*at = client->next;
			stub->n_clients--;
			break;
		}
	stub_drop(client);
	loop_forget(stub->egress->loop, &client->watch);
	close(client->watch.fd);
	free(client->out);
	free(client);
}

static bool
flush_client(struct client *client)
{
	while (client->at_out < client->n_out) {
		ssize_t n = send(client->watch.fd, client->out + client->at_out,
			client->n_out - client->at_out, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		client->at_out += (size_t)n;
	}
	client->at_out = client->n_out = 0;
	return true;
}

/* What cannot be sent to him is lost: he will notice that the connection ends. */
void
client_reply(struct client *client, const void *message, size_t len)
{
	unsigned char *more;

	if (client->n_out + len + 2 > OUT_MAX) {
		client->ended = true;
		return;
	}
	more = realloc(client->out, client->n_out + len + 2);
	if (!more) {
		client->ended = true;
		return;
	}
	client->out = more;
	more[client->n_out] = (unsigned char)(len >> 8);
	more[client->n_out + 1] = (unsigned char)len;
	memcpy(more + client->n_out + 2, message, len);
	client->n_out += len + 2;
	if (!flush_client(client))
		client->ended = true;
	set_events(client);
}

/* Takes whole messages off the front. False: what he sends is not to be understood. */
static bool
take_messages(struct client *client)
{
	while (client->n_in >= 2 && client->n_asks < ASKS_EACH) {
		size_t len = (size_t)client->in[0] << 8 | client->in[1];
		unsigned char message[DNS_UDP_PLAIN];

		if (len > sizeof(message))
			return false;
		if (client->n_in < len + 2)
			break;
		memcpy(message, client->in + 2, len);
		client->n_in -= len + 2;
		memmove(client->in, client->in + 2 + len, client->n_in);
		stub_take(client, message, len);
	}
	return true;
}

/* He sends no more; if nothing waits for him either, he is done. */
static bool
is_done(const struct client *client)
{
	return client->ended && client->n_asks == 0 && client->at_out == client->n_out;
}

static void
handle_client_events(void *data, uint32_t events)
{
	struct client *client = data;
	ssize_t n = 1;

	if ((events & EPOLLOUT) && !flush_client(client)) {
		client_destroy(client);
		return;
	}
	if (events & EPOLLIN) {
		n = recv(client->watch.fd, client->in + client->n_in,
			sizeof(client->in) - client->n_in, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			n = 1;
		else if (n > 0)
			client->n_in += (size_t)n;
	}
	client->since = loop_now(client->stub->egress->loop);
	/* The C library never closes one half: who has ended is gone. */
	if (n <= 0 || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) || !take_messages(client) ||
		is_done(client))
		client_destroy(client);
	else
		set_events(client);
}

void
stub_accept(struct stub *stub, int fd, struct arrival *arrival)
{
	struct client *client = stub->n_clients < CLIENTS_MAX ? calloc(1, sizeof(*client)) : NULL;

	if (!client) {
		close(fd);
		return;
	}
	client->stub = stub;
	client->who = arrival->who;
	client->since = loop_now(stub->egress->loop);
	client->watch =
		(struct loop_watch){ .fd = fd, .ready = handle_client_events, .data = client };
	client->next = stub->clients;
	stub->clients = client;
	stub->n_clients++;
	set_events(client);
}

void
client_tick(struct stub *stub, int64_t now)
{
	struct client *client = stub->clients, *next;

	for (; client; client = next) {
		next = client->next;
		/* An answer made room for what was left unread. */
		if (!take_messages(client) || is_done(client) ||
			(client->n_asks == 0 && now - client->since > IDLE_MS))
			client_destroy(client);
		else
			set_events(client);
	}
}
