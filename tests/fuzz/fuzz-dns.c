/* SPDX-License-Identifier: Apache-2.0 */
/* A query that is taken means the same when it is sent on; every reply is one to its
 * query and fits; the addresses of an answer are there in its bytes, and what was passed
 * on says the same. Input: a length (2 bytes), a query so long, an answer. The
 * answer is tried as it is and with the query's id and question put into it, which
 * chance would not find. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egress/dns/dns.h"

#define HEADER 12
#define QR 0x80 /* of the third byte */
#define TC 0x02
#define SENT_ID 0x4242

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned
at16(const uint8_t *data)
{
	return (unsigned)data[0] << 8 | data[1];
}

/* Of its own size, so that a read past the end is seen. */
static uint8_t *
copy(const void *data, size_t len)
{
	uint8_t *to = malloc(len > 0 ? len : 1);

	assert(to);
	if (len > 0)
		memcpy(to, data, len);
	return to;
}

static void
check_name(const struct dns_query *query)
{
	size_t len = strlen(query->name), label = 0;

	assert(len > 0 && len < DNS_NAME_MAX && query->question_len == len + 2 + 4);
	for (size_t i = 0; i <= len; i++) {
		char c = query->name[i];

		if (c == '.' || c == '\0') {
			assert(label > 0 && label <= 63);
			assert(query->question[i - label] == label);
			label = 0;
			continue;
		}
		assert(strchr("abcdefghijklmnopqrstuvwxyz0123456789-_", c));
		assert((query->question[i + 1] | (c >= 'a' && c <= 'z' ? 0x20 : 0)) == c);
		label++;
	}
	assert(query->question[len + 1] == 0);
}

static void
check_query(const struct dns_query *query)
{
	uint8_t out[DNS_UDP_PLAIN], *sent;
	struct dns_query again, own;
	size_t len = dns_make_query(query, SENT_ID, out);

	check_name(query);
	assert(query->room >= DNS_UDP_PLAIN && query->room <= DNS_UDP_MAX);
	assert(query->edns || (!query->dnssec && query->room == DNS_UDP_PLAIN));
	assert(len == HEADER + query->question_len + (query->edns ? 11 : 0));
	sent = copy(out, len);
	assert(dns_parse_query(sent, len, &again) == 0);
	free(sent);
	assert(again.id == SENT_ID && again.flags == query->flags && again.type == query->type);
	assert(again.edns == query->edns && again.dnssec == query->dnssec);
	assert(strcmp(again.name, query->name) == 0);
	assert(again.question_len == query->question_len);
	assert(dns_query_init(&own, query->name, (enum dns_type)query->type) == 0);
	assert(own.question_len == query->question_len && strcmp(own.name, query->name) == 0);
	/* In lower case, whatever it came in. */
	assert(memcmp(again.question, own.question, own.question_len) == 0);
}

static void
check_reply(const struct dns_query *query, const uint8_t *out, size_t len, size_t room)
{
	assert(len >= HEADER + query->question_len && len <= room);
	assert(at16(out) == query->id && (out[2] & (QR | 0x78)) == QR && at16(out + 4) == 1);
	assert(memcmp(out + HEADER, query->question, query->question_len) == 0);
}

/* A reply that is ambit's own can be read like a server's. */
static size_t
check_own(const struct dns_query *query, const uint8_t *out, size_t len, enum dns_code code)
{
	uint8_t *reply = copy(out, len);
	struct dns_answer answer;

	check_reply(query, out, len, DNS_UDP_PLAIN);
	assert(dns_parse_answer(reply, len, query->id, query, &answer) == 0);
	assert(answer.code == code);
	free(reply);
	return answer.n;
}

static void
check_replies(const struct dns_query *query, const char *why)
{
	uint8_t out[DNS_UDP_PLAIN];
	size_t len;

	len = dns_reply(query, DNS_REFUSED, 18, why, out);
	assert(check_own(query, out, len, DNS_REFUSED) == 0);
	len = dns_reply(query, DNS_NO_NAME, 0, NULL, out);
	assert(len == HEADER + query->question_len);
	assert(check_own(query, out, len, DNS_NO_NAME) == 0);
	len = dns_reply_truncated(query, out);
	assert(check_own(query, out, len, DNS_OK) == 0 && (out[2] & TC));
	len = dns_reply_name(query, query->name, 60, out);
	assert(check_own(query, out, len, DNS_OK) == 0);
	len = dns_reply_name(query, why, 60, out);
	assert(check_own(query, out, len, DNS_OK) == 0);
}

static void
check_reverse(const char *name)
{
	struct dns_address address;
	char text[DNS_NAME_MAX];

	if (dns_parse_reverse(name, &address) < 0 || address.v6)
		return;
	snprintf(text, sizeof(text), "%u.%u.%u.%u.in-addr.arpa", address.ip[3], address.ip[2],
		address.ip[1], address.ip[0]);
	assert(strcmp(text, name) == 0 && address.ttl == 0);
}

static void
check_addresses(const struct dns_query *query, const struct dns_answer *answer, const uint8_t *data,
	size_t len)
{
	uint8_t out[DNS_UDP_PLAIN];
	size_t told, fit = 0;

	assert(answer->n <= DNS_ADDRESSES_MAX);
	for (size_t i = 0; i < answer->n; i++) {
		const struct dns_address *a = &answer->address[i];

		assert(memmem(data, len, a->ip, a->v6 ? 16 : 4));
		assert(a->ttl <= INT32_MAX);
		fit += query->type == (a->v6 ? DNS_AAAA : DNS_A);
	}
	told = check_own(
		query, out, dns_reply_addresses(query, answer->address, answer->n, out), DNS_OK);
	assert(told <= fit && (told > 0 || fit == 0));
}

static bool
same_address(const struct dns_address *a, const struct dns_address *b)
{
	return a->v6 == b->v6 && a->ttl == b->ttl && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

/* What the program gets is what was decided about. */
static void
check_passed(const struct dns_query *query, const uint8_t *data, size_t len, size_t room,
	const struct dns_answer *answer)
{
	uint8_t *out = malloc(room), *passed;
	struct dns_answer again;
	size_t n;

	assert(out);
	n = dns_pass_on(query, data, len, room, out);
	check_reply(query, out, n, room);
	passed = copy(out, n);
	assert(dns_parse_answer(passed, n, query->id, query, &again) == 0);
	if (answer && n == len && (out[2] & TC) == (data[2] & TC)) {
		assert(again.code == answer->code && again.n == answer->n);
		for (size_t i = 0; i < again.n; i++)
			assert(same_address(&again.address[i], &answer->address[i]));
	} else {
		assert(n == HEADER + query->question_len && again.n == 0);
		assert(again.truncated || (!answer && again.code == DNS_SERVER));
	}
	free(passed);
	free(out);
}

static void
check_answer(const struct dns_query *query, const uint8_t *data, size_t len)
{
	unsigned id = len >= 2 ? at16(data) : 0;
	struct dns_answer answer;
	int r = dns_parse_answer(data, len, (uint16_t)id, query, &answer);

	assert(r == 0 || r == -EINVAL);
	assert(dns_parse_answer(data, len, (uint16_t)(id + 1), query, &(struct dns_answer){ 0 }) ==
		-EINVAL);
	if (r == 0)
		check_addresses(query, &answer, data, len);
	check_passed(query, data, len, query->room, r == 0 ? &answer : NULL);
	check_passed(query, data, len, DNS_MESSAGE_MAX, r == 0 ? &answer : NULL);
}

/* The same answer to this very question: its header and records, with what chance
 * would not find between them. */
static void
check_dressed(const struct dns_query *query, const uint8_t *data, size_t len)
{
	size_t records = HEADER + query->question_len;
	uint8_t *dressed;

	if (len < HEADER || len + query->question_len > DNS_MESSAGE_MAX)
		return;
	dressed = malloc(len + query->question_len);
	assert(dressed);
	memcpy(dressed, data, HEADER);
	dressed[2] = (uint8_t)(QR | (data[2] & 0x07));
	dressed[4] = 0;
	dressed[5] = 1;
	memcpy(dressed + HEADER, query->question, query->question_len);
	memcpy(dressed + records, data + HEADER, len - HEADER);
	check_answer(query, dressed, len + query->question_len);
	free(dressed);
}

static void
check_bare(const struct dns_query *query, const uint8_t *data, size_t len)
{
	uint8_t out[HEADER];

	assert(query->question_len == 0 && query->name[0] == '\0');
	if (len < HEADER)
		return;
	assert(query->id == at16(data) && query->flags == at16(data + 2));
	assert(dns_reply_bare(query->id, query->flags, DNS_FORMAT, out) == HEADER);
	assert(at16(out) == query->id && (out[2] & QR) && (out[3] & 0xf) == DNS_FORMAT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t query_len, len;
	struct dns_query query;
	uint8_t *first, *rest;
	char *text;

	if (size < 2)
		return 0;
	query_len = at16(data) < size - 2 ? at16(data) : size - 2;
	len = size - 2 - query_len;
	first = copy(data + 2, query_len);
	rest = copy(data + 2 + query_len, len);
	text = strndup((const char *)data + 2, query_len);
	assert(text);
	check_reverse(text);
	if (dns_parse_query(first, query_len, &query) == 0) {
		check_query(&query);
		check_replies(&query, text);
		check_reverse(query.name);
	} else {
		check_bare(&query, first, query_len);
		assert(dns_query_init(&query, "a.example", DNS_A) == 0);
	}
	check_answer(&query, rest, len);
	check_dressed(&query, rest, len);
	free(text);
	free(first);
	free(rest);
	return 0;
}
