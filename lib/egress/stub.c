/* SPDX-License-Identifier: Apache-2.0 */
/* Questions for names, from programs behind the line. Each is parsed to the last
 * byte, decided by its name, and only then made anew for the system's name servers:
 * nothing else of what the program wrote leaves. What they say is passed on, and
 * the addresses in it are remembered as that name's.
 *
 * A name that a person is asked about has time: whoever asked by UDP is told to come
 * by TCP, where the C library waits for as long as it takes. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/program.h"
#include "base/str.h"
#include "egress/egress-private.h"
#include "egress/dns/resolv.h"
#include "egress/stub-private.h"
#include "request/host.h"

#define ASKS_MAX 1024
#define UDP_WAITS_MS 6000 /* for the answer of a person; a program asks again before that */
#define PARCEL_WAITS_MS 15000

#define EDE_PROHIBITED 18

static void apply_ask_verdict(struct ask *ask, struct egress_verdict *verdict);

/* -- life ------------------------------------------------------------------------------ */

struct stub *
stub_create(struct egress *egress)
{
	struct stub *stub = calloc(1, sizeof(*stub));

	if (stub)
		stub->egress = egress;
	return stub;
}

static void
ask_destroy(struct ask *ask)
{
	struct stub *stub = ask->stub;
	const struct egress_line *line = &stub->egress->line;

	for (struct ask **at = &stub->asks; *at; at = &(*at)->next)
		if (*at == ask) {
			*at = ask->next;
			stub->n_asks--;
			break;
		}
	if (ask->ticket)
		line->withdraw(line->data, ask->ticket);
	line->finish(line->data, ask->permit, -ECANCELED);
	upstream_cancel(ask->upstream);
	if (ask->client)
		ask->client->n_asks--;
	if (ask->parcel) {
		close(ask->parcel->socket);
		free(ask->parcel);
	}
	free(ask);
}

void
stub_destroy(struct stub *stub)
{
	if (!stub)
		return;
	while (stub->asks)
		ask_destroy(stub->asks);
	while (stub->clients)
		client_destroy(stub->clients);
	while (stub->detours)
		detour_end(stub->detours);
	free(stub);
}

static struct ask *
ask_create(struct stub *stub, const struct dns_query *query, const struct egress_who *who)
{
	struct ask *ask = stub->n_asks < ASKS_MAX ? calloc(1, sizeof(*ask)) : NULL;

	if (!ask)
		return NULL;
	ask->stub = stub;
	ask->query = *query;
	ask->who = *who;
	ask->next = stub->asks;
	stub->asks = ask;
	stub->n_asks++;
	return ask;
}

/* -- replies ----------------------------------------------------------------------------- */

static size_t
room_of(const struct ask *ask)
{
	return ask->client ? DNS_MESSAGE_MAX : ask->query.room;
}

/* Whoever gave a copy of his socket takes no answer of ours. */
static void
send_dns_reply(struct ask *ask, const void *message, size_t len)
{
	if (ask->client)
		client_reply(ask->client, message, len);
	else if (ask->door)
		sendto(ask->door->watch.fd, message, len, MSG_DONTWAIT | MSG_NOSIGNAL,
			(const struct sockaddr *)&ask->from, ask->from_len);
}

static void
reply_code(struct ask *ask, enum dns_code code, const char *why)
{
	unsigned char message[DNS_UDP_PLAIN];

	send_dns_reply(ask, message, dns_reply(&ask->query, code, EDE_PROHIBITED, why, message));
}

static void
end_with(struct ask *ask, enum dns_code code, const char *why)
{
	if (ask->parcel && code == DNS_NO_NAME)
		parcel_refuse(ask);
	reply_code(ask, code, why);
	ask_destroy(ask);
}

/* -- what needs nobody ------------------------------------------------------------------- */

/* Many programs look up what this machine calls itself, and nobody is to be asked about
 * that: it is this machine, also with a search domain behind it. */
static bool
is_own_name(const char *name)
{
	char own[256] = "";
	size_t n;

	if (gethostname(own, sizeof(own) - 1) < 0 || own[0] == '\0')
		return false;
	n = strlen(own);
	return (strlen(name) == n && str_fold_equal(name, own, n)) ||
	       resolv_completes(own, n, name);
}

static void
reply_localhost(struct ask *ask)
{
	const struct dns_address own[2] = {
		{ .ip = { 127, 0, 0, 1 }, .ttl = 60 },
		{ .v6 = true, .ip = { [15] = 1 }, .ttl = 60 },
	};
	unsigned char message[DNS_UDP_PLAIN];

	send_dns_reply(ask, message, dns_reply_addresses(&ask->query, own, 2, message));
}

/* Whose name an address is, its owner says, and the question would tell him: so only
 * what is known already. */
static void
reply_reverse(struct ask *ask, const struct dns_address *address)
{
	unsigned char message[DNS_UDP_PLAIN];
	char name[DNS_NAME_MAX];

	if (names_find(ask->stub->egress->names, address, clock_steady(), name))
		send_dns_reply(ask, message, dns_reply_name(&ask->query, name, 60, message));
	else
		reply_code(ask, DNS_NO_NAME, NULL);
}

/* What is asked for of names that are allowed. The number of any other type could carry
 * something, and nobody is there who could answer it. */
static const uint16_t types[] = { DNS_A, DNS_NS, DNS_CNAME, DNS_SOA, DNS_MX, DNS_TXT, DNS_AAAA,
	DNS_SRV, DNS_NAPTR, DNS_DS, DNS_SSHFP, DNS_DNSKEY, DNS_TLSA, DNS_CAA };

static bool
is_asked_for(uint16_t type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i] == type)
			return true;
	return false;
}

/* True if it was answered. HTTPS records would have programs hide the name that they
 * want from whoever carries it, us too; without, they go the plain way. */
static bool
answer_locally(struct ask *ask)
{
	struct dns_address address;

	if (host_is_localhost(ask->query.name) || is_own_name(ask->query.name)) {
		reply_localhost(ask);
	} else if (dns_parse_reverse(ask->query.name, &address) == 0) {
		reply_reverse(ask, &address);
	} else if (ask->query.type == DNS_HTTPS || ask->query.type == DNS_SVCB) {
		reply_code(ask, DNS_OK, NULL);
	} else if (!is_asked_for(ask->query.type)) {
		reply_code(ask, DNS_REFUSED, NULL);
	} else {
		return false;
	}
	return true;
}

/* -- looking up ------------------------------------------------------------------------------- */

static void
finish_upstream_lookup(void *data, const struct dns_answer *answer, const void *message, size_t len)
{
	struct ask *ask = data;
	struct stub *stub = ask->stub;
	struct egress *egress = stub->egress;
	unsigned char out[DNS_MESSAGE_MAX];

	ask->upstream = NULL;
	egress->line.finish(egress->line.data, ask->permit, answer ? 0 : -ETIMEDOUT);
	ask->permit = NULL;
	if (!answer) {
		end_with(ask, DNS_SERVER, NULL);
		return;
	}
	names_add(egress->names, ask->query.name, answer->address, answer->n, clock_steady());
	told_add(&stub->told, egress->names, ask->who.pid, ask->query.name, answer);
	if (ask->parcel)
		parcel_send(ask);
	else if (!ask->detour || !detour_begin(ask))
		send_dns_reply(ask, out, dns_pass_on(&ask->query, message, len, room_of(ask), out));
	ask_destroy(ask);
}

static void
start_upstream_lookup(struct ask *ask, struct egress_verdict *verdict)
{
	struct egress *egress = ask->stub->egress;

	ask->permit = verdict->permit;
	egress->line.connected(egress->line.data);
	if (upstream_ask(egress->upstream, &verdict->pass, &ask->query, finish_upstream_lookup, ask,
		    &ask->upstream) < 0)
		end_with(ask, DNS_SERVER, NULL);
}

/* -- deciding -----------------------------------------------------------------------------------
 */

static void
wait_for_person(struct ask *ask, uint64_t ticket)
{
	unsigned char message[DNS_UDP_PLAIN];
	int64_t now = loop_now(ask->stub->egress->loop);

	ask->ticket = ticket;
	ask->until = ask->client ? 0 : now + (ask->parcel ? PARCEL_WAITS_MS : UDP_WAITS_MS);
	if (ask->door)
		send_dns_reply(ask, message, dns_reply_truncated(&ask->query, message));
}

static void
apply_ask_verdict(struct ask *ask, struct egress_verdict *verdict)
{
	switch (verdict->verdict) {
	case AMBIT_ALLOW:
		start_upstream_lookup(ask, verdict);
		break;
	case AMBIT_ASK:
		wait_for_person(ask, verdict->ticket);
		break;
	default:
		refused_add(&ask->stub->refused, &ask->who, ask->query.name,
			loop_now(ask->stub->egress->loop));
		end_with(ask, DNS_NO_NAME, "refused by ambit");
	}
}

/* The same question of the same program that waits already, by UDP or otherwise. */
static struct ask *
find_waiting(const struct ask *like, bool by_udp)
{
	for (struct ask *ask = like->stub->asks; ask; ask = ask->next)
		if (ask != like && ask->who.pid == like->who.pid &&
			ask->who.start == like->who.start && ask->query.type == like->query.type &&
			streq(ask->query.name, like->query.name) &&
			(by_udp ? ask->door && ask->ticket
				: !ask->client && ask->query.id == like->query.id &&
						ask->from_len == like->from_len &&
						memcmp(&ask->from, &like->from, ask->from_len) ==
							0))
			return ask;
	return NULL;
}

static void
start_dns_ask(struct ask *ask)
{
	struct stub *stub = ask->stub;
	const struct egress_line *line = &stub->egress->line;
	struct egress_verdict verdict = { 0 };
	struct ask *before;
	bool first;

	if (answer_locally(ask)) {
		if (ask->parcel)
			parcel_refuse(ask); /* he takes no answer of ours */
		ask_destroy(ask);
		return;
	}
	if (refused_has(&stub->refused, &ask->who, ask->query.name, loop_now(stub->egress->loop))) {
		/* Nobody is asked about it again; but it may be allowed by itself. */
		line->decide(line->data, &ask->who, ask->query.name, false, &verdict);
		if (verdict.verdict == AMBIT_ALLOW)
			start_upstream_lookup(ask, &verdict);
		else
			end_with(ask, DNS_NO_NAME, "refused by ambit");
		return;
	}
	/* He was told to come by TCP, and here he is. */
	before = ask->client ? find_waiting(ask, true) : NULL;
	if (before) {
		wait_for_person(ask, before->ticket);
		before->ticket = 0;
		ask_destroy(before);
		return;
	}
	if (!flood_allows(&stub->flood, ask->query.name, loop_now(stub->egress->loop), &first)) {
		if (first)
			line->refuse(line->data, &ask->who, ask->query.name,
				"too many different names were looked up in a short time; names "
				"can "
				"carry data");
		end_with(ask, DNS_SERVER, "too many names");
		return;
	}
	line->decide(line->data, &ask->who, ask->query.name, true, &verdict);
	apply_ask_verdict(ask, &verdict);
}

/* -- coming in ------------------------------------------------------------------------------------
 */

/* A datagram that is the same as one that is being worked on. */
static bool
join_waiting_ask(struct ask *ask)
{
	struct ask *before = find_waiting(ask, false);

	if (!before)
		return false;
	if (before->ticket)
		wait_for_person(before, before->ticket);
	return true;
}

static void
take_datagram(struct stub *stub, struct door *door, const void *data, size_t len,
	const struct sockaddr_storage *from, socklen_t from_len)
{
	struct arrival sender;
	struct dns_query query = { 0 };
	unsigned char message[DNS_UDP_PLAIN];
	struct ask *ask;

	if (!egress_sender(stub->egress, from, &sender))
		return;
	if (dns_parse_query(data, len, &query) < 0) {
		if (len >= 12)
			sendto(door->watch.fd, message,
				dns_reply_bare(query.id, query.flags, DNS_FORMAT, message),
				MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)from,
				from_len);
		return;
	}
	ask = ask_create(stub, &query, &sender.who);
	if (!ask)
		return;
	ask->door = door;
	ask->from = *from;
	ask->from_len = from_len;
	if (join_waiting_ask(ask)) {
		ask_destroy(ask);
		return;
	}
	ask->detour = answered_before(&stub->answered, sender.who.pid, egress_port_of(from), &query,
		loop_now(stub->egress->loop));
	start_dns_ask(ask);
}

void
stub_receive(struct stub *stub, struct door *door)
{
	unsigned char data[2048];

	for (int i = 0; i < 64; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(door->watch.fd, data, sizeof(data), MSG_DONTWAIT,
			(struct sockaddr *)&from, &len);

		if (n < 0)
			return;
		take_datagram(stub, door, data, (size_t)n, &from, len);
	}
}

/* A query of a client, whole. */
void
stub_take(struct client *client, const void *data, size_t len)
{
	struct dns_query query = { 0 };
	unsigned char message[12];
	struct ask *ask;

	if (dns_parse_query(data, len, &query) < 0) {
		if (len >= 12)
			client_reply(client, message,
				dns_reply_bare(query.id, query.flags, DNS_FORMAT, message));
		return;
	}
	ask = ask_create(client->stub, &query, &client->who);
	if (!ask)
		return;
	ask->client = client;
	client->n_asks++;
	start_dns_ask(ask);
}

void
stub_drop(struct client *client)
{
	struct ask *ask = client->stub->asks, *next;

	for (; ask; ask = next) {
		next = ask->next;
		if (ask->client == client)
			ask_destroy(ask);
	}
}

void
stub_parcel(struct stub *stub, struct parcel *parcel)
{
	struct dns_query query = { 0 };
	struct ask *ask = NULL;

	if (dns_parse_query(parcel->data, parcel->size, &query) == 0 && query.type != DNS_HTTPS &&
		query.type != DNS_SVCB)
		ask = ask_create(stub, &query, &parcel->who);
	if (!ask) {
		close(parcel->socket);
		free(parcel);
		return;
	}
	ask->parcel = parcel;
	if (join_waiting_ask(ask))
		ask_destroy(ask);
	else
		start_dns_ask(ask);
}

/* -- time
 * -------------------------------------------------------------------------------------------- */

static void
collect_ask_verdict(struct ask *ask, int64_t now)
{
	const struct egress_line *line = &ask->stub->egress->line;
	struct egress_verdict verdict = { 0 };

	line->collect(line->data, &ask->who, ask->query.name, ask->ticket, &verdict);
	if (verdict.verdict != AMBIT_ASK) {
		ask->ticket = 0;
		apply_ask_verdict(ask, &verdict);
	} else if (ask->until != 0 && ask->until <= now) {
		ask_destroy(ask);
	}
}

size_t
stub_tick(struct stub *stub)
{
	int64_t now = loop_now(stub->egress->loop);
	struct ask *ask = stub->asks, *next;

	for (; ask; ask = next) {
		next = ask->next;
		if (ask->ticket)
			collect_ask_verdict(ask, now);
	}
	detour_tick(stub, now);
	client_tick(stub, now);
	return stub->n_asks + stub->n_clients + (stub->detours != NULL);
}
