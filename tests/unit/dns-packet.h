/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DNS_PACKET_H
#define TESTS_DNS_PACKET_H

/* DNS messages put together by hand, good and bad. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "egress/dns/dns.h"

#define HEADER 12
#define QR 0x8000
#define AA 0x0400
#define TC 0x0200
#define RD 0x0100
#define RA 0x0080
#define Z 0x0040
#define AD 0x0020
#define CD 0x0010
#define IN 1
#define ID 0x1234
#define OWNER 0xc00c /* a pointer to the question's name */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct packet {
	unsigned char data[DNS_MESSAGE_MAX + 1];
	size_t len;
};

static inline void
bytes(struct packet *p, const void *data, size_t n)
{
	assert_true(n <= sizeof(p->data) - p->len);
	memcpy(p->data + p->len, data, n);
	p->len += n;
}

static inline void
u8(struct packet *p, unsigned value)
{
	bytes(p, &(unsigned char){ (unsigned char)value }, 1);
}

static inline void
u16(struct packet *p, unsigned value)
{
	u8(p, value >> 8);
	u8(p, value & 0xff);
}

static inline void
u32(struct packet *p, uint32_t value)
{
	u16(p, value >> 16);
	u16(p, value & 0xffff);
}

static inline unsigned
at16(const unsigned char *data)
{
	return (unsigned)data[0] << 8 | data[1];
}

static inline void
labels(struct packet *p, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, ".");

		u8(p, (unsigned)n);
		bytes(p, text, n);
		if (!text[n])
			return;
		text += n + 1;
	}
}

static inline void
name(struct packet *p, const char *text)
{
	labels(p, text);
	u8(p, 0);
}

static inline void
header(struct packet *p, unsigned id, unsigned flags, unsigned qd, unsigned an, unsigned ns,
	unsigned ar)
{
	const unsigned fields[] = { id, flags, qd, an, ns, ar };

	p->len = 0;
	for (size_t i = 0; i < COUNT(fields); i++)
		u16(p, fields[i]);
}

static inline void
question(struct packet *p, const char *text, unsigned type)
{
	name(p, text);
	u16(p, type);
	u16(p, IN);
}

static inline void
opt(struct packet *p, unsigned size, uint32_t ttl, unsigned len)
{
	u8(p, 0);
	u16(p, DNS_OPT);
	u16(p, size);
	u32(p, ttl);
	u16(p, len);
}

/* What follows an owner; the data follows this. */
static inline void
record(struct packet *p, unsigned type, uint32_t ttl, unsigned len)
{
	u16(p, type);
	u16(p, IN);
	u32(p, ttl);
	u16(p, len);
}

static inline void
a(struct packet *p, const char *owner, uint32_t ttl, uint32_t ip)
{
	name(p, owner);
	record(p, DNS_A, ttl, 4);
	u32(p, ip);
}

static inline void
cname(struct packet *p, const char *owner, uint32_t ttl, const char *target)
{
	name(p, owner);
	record(p, DNS_CNAME, ttl, (unsigned)strlen(target) + 2);
	name(p, target);
}

/* In a copy of their size, so that the address sanitizer sees a read past the end. */
static inline int
query_of(const void *data, size_t len, struct dns_query *query)
{
	unsigned char *copy = malloc(len > 0 ? len : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, data, len);
	r = dns_parse_query(copy, len, query);
	free(copy);
	assert_true(r == 0 || r == -EINVAL);
	return r;
}

static inline int
answer_of(const void *data, size_t len, const struct dns_query *query, struct dns_answer *answer)
{
	unsigned char *copy = malloc(len > 0 ? len : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, data, len);
	memset(answer, 0xaa, sizeof(*answer));
	r = dns_parse_answer(copy, len, ID, query, answer);
	free(copy);
	assert_true(r == 0 || r == -EINVAL);
	assert_true(r < 0 || answer->n <= DNS_ADDRESSES_MAX);
	return r;
}

static inline struct dns_query
ask(const char *text, enum dns_type type)
{
	struct dns_query query;

	assert_int_equal(dns_query_init(&query, text, type), 0);
	return query;
}

/* n labels of 'a', each so long. */
static inline void
fill(struct packet *p, size_t n, size_t each_len)
{
	unsigned char label[256];

	memset(label, 'a', sizeof(label));
	label[0] = (unsigned char)each_len;
	while (n-- > 0)
		bytes(p, label, each_len + 1);
}

/* A program's query, with EDNS and this size, or without (0). */
static inline struct dns_query
asked(const char *text, unsigned type, unsigned size)
{
	struct dns_query query;
	struct packet p;

	header(&p, 0xbeef, RD, 1, 0, 0, size > 0);
	question(&p, text, type);
	if (size > 0)
		opt(&p, size, 0x8000, 0);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	return query;
}

#endif
