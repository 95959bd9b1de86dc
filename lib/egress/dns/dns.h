/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_DNS_DNS_H
#define EGRESS_DNS_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DNS messages: a program's query, what a name server says to it, and the
 * replies that ambit makes itself. Only what is understood to the last byte is
 * a query; of an answer only the addresses that belong to the name are taken. */

#define DNS_NAME_MAX 254 /* as text, with its NUL */
#define DNS_MESSAGE_MAX 65535
#define DNS_UDP_MAX 1232     /* what ambit says that it takes by UDP */
#define DNS_UDP_PLAIN 512    /* what anybody takes without EDNS */
#define DNS_ADDRESSES_MAX 64 /* of one answer; more are not remembered */

enum dns_type {
	DNS_A = 1,
	DNS_NS = 2,
	DNS_CNAME = 5,
	DNS_SOA = 6,
	DNS_PTR = 12,
	DNS_MX = 15,
	DNS_TXT = 16,
	DNS_AAAA = 28,
	DNS_SRV = 33,
	DNS_NAPTR = 35,
	DNS_OPT = 41,
	DNS_DS = 43,
	DNS_SSHFP = 44,
	DNS_DNSKEY = 48,
	DNS_TLSA = 52,
	DNS_SVCB = 64,
	DNS_HTTPS = 65,
	DNS_AXFR = 252,
	DNS_ANY = 255,
	DNS_CAA = 257,
};

enum dns_code {
	DNS_OK = 0,
	DNS_FORMAT = 1,
	DNS_SERVER = 2,
	DNS_NO_NAME = 3,
	DNS_REFUSED = 5,
};

struct dns_query {
	uint16_t id;
	uint16_t flags; /* as they came; RD, AD and CD are passed on */
	uint16_t type;
	char name[DNS_NAME_MAX]; /* lower case, without the last dot; never "" */
	/* The question as it came (name in its own case, type, class): it comes back like
	 * this. Never with a compressed name. */
	unsigned char question[DNS_NAME_MAX + 2 + 4];
	size_t question_len;
	bool edns;
	bool dnssec;   /* the DO bit */
	uint16_t room; /* for a reply by UDP: DNS_UDP_PLAIN at least, DNS_UDP_MAX at most */
};

/* One standard query with one question of class IN, and at most an OPT record
 * behind it. Labels are letters, digits, '-' and '_', 1 to 63 of them; anything else
 * in a name, the root, a name that ends in a number, compression in the question, a
 * second question, answers, bytes behind the end, another version of EDNS, flags other
 * than RD, AD and CD: -EINVAL. If no less than a whole header was there, id and flags
 * are filled all the same, for a reply (dns_reply_bare). */
int dns_parse_query(const void *data, size_t len, struct dns_query *ret_query);

/* The same question as a new message with this id: header, question in lower case, and
 * an OPT record (DNS_UDP_MAX, the DO bit) if the program had one; none of its other
 * options. Its length. out has room for DNS_UDP_PLAIN. */
size_t dns_make_query(const struct dns_query *query, uint16_t id, void *out);
/* A query of ambit's own: a name in the spelling of dns_query.name. -EINVAL. */
int dns_query_init(struct dns_query *query, const char *name, enum dns_type type);

struct dns_address {
	bool v6;
	unsigned char ip[16]; /* IPv4: the first 4 */
	uint32_t ttl;	      /* the least on its way from the name, CNAMEs included */
};

struct dns_answer {
	enum dns_code code; /* other codes of servers are told as they are */
	bool truncated;
	struct dns_address address[DNS_ADDRESSES_MAX];
	size_t n;
};

/* What a name server says to this question with this id: header, question (compared
 * byte by byte, names without case), records. A and AAAA records count if their
 * owner is the name, or what its CNAMEs lead to, in whatever order they stand;
 * those of other owners, in other sections, with a wrong length, or a loop of CNAMEs
 * give none. Records of other kinds are walked over, but everything must fit:
 * -EINVAL if it is not an answer to this, or is cut short (unless truncated). */
int dns_parse_answer(const void *data, size_t len, uint16_t id, const struct dns_query *query,
	struct dns_answer *ret_answer);

/* -- replies; each returns its length ------------------------------------------- */

/* A server's message for the program: a copy with the program's id. If it is
 * longer than room, or has an OPT record that was not asked for, only header and question,
 * truncated (TC). What dns_parse_answer() would not take becomes DNS_SERVER instead.
 * room: query->room by UDP, DNS_MESSAGE_MAX by TCP. out has room. */
size_t dns_pass_on(
	const struct dns_query *query, const void *message, size_t len, size_t room, void *out);
/* Header and question alone. why: an extended error (RFC 8914: an OPT record, if the
 * program had one), with this info code and a short text; NULL: none. out has room for
 * DNS_UDP_PLAIN. */
size_t dns_reply(const struct dns_query *query, enum dns_code code, uint16_t why_code,
	const char *why, void *out);
/* The same with TC: to be asked again by TCP. */
size_t dns_reply_truncated(const struct dns_query *query, void *out);
/* Addresses (A or AAAA, as was asked for; others are left out), or for PTR the name.
 * As many as fit into DNS_UDP_PLAIN. */
size_t dns_reply_addresses(
	const struct dns_query *query, const struct dns_address *list, size_t n, void *out);
size_t dns_reply_name(const struct dns_query *query, const char *name, uint32_t ttl, void *out);
/* Of a query that was not understood: a header with its id. out has room for 12. */
size_t dns_reply_bare(uint16_t id, uint16_t flags, enum dns_code code, void *out);

/* The address in a reverse name ("4.3.2.1.in-addr.arpa", 32 nibbles "...ip6.arpa");
 * ttl is 0. -EINVAL. */
int dns_parse_reverse(const char *name, struct dns_address *ret_address);

#endif
