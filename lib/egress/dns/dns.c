/* SPDX-License-Identifier: Apache-2.0 */
/* A program's bytes become a question that can be decided about; that question, and
 * what ambit says to it, become bytes again. The program is not trusted: what is not
 * understood to the last byte is no query. Nothing of it is copied to a server but the
 * question and four bits (RD, AD, CD, DO), so that cookies, client subnets and padding
 * do not carry out what the name alone was allowed for. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "egress/dns/dns.h"
#include "request/host.h"

#define HEADER_LEN 12
#define NAME_WIRE_MAX 255 /* RFC 1035, lengths and the root included */
#define LABEL_MAX 63
#define CLASS_IN 1

#define RECORD_LEN 12 /* with a pointer for its owner, without its data */
#define OPT_LEN 11    /* without options */
#define OPTION_LEN 4  /* without its data */
#define OPTION_EDE 15
#define DO_BIT 0x8000

/* Cut so that every reply fits whatever the question: resolvers log it, people
 * read one line of it. */
#define WHY_MAX 200

#define QR 0x8000
#define OPCODE 0x7800
#define TC 0x0200
#define RD 0x0100
#define RA 0x0080
#define AD 0x0020
#define CD 0x0010

#define QUESTION_MAX sizeof(((struct dns_query *)0)->question)

_Static_assert(NAME_WIRE_MAX + 4 <= QUESTION_MAX, "every question fits");
_Static_assert(HEADER_LEN + QUESTION_MAX + OPT_LEN + OPTION_LEN + 2 + WHY_MAX <= DNS_UDP_PLAIN,
	"every reply without records fits");

static uint16_t
get_uint16(const unsigned char *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

static void
put_uint16(unsigned char *to, unsigned value)
{
	to[0] = (unsigned char)(value >> 8);
	to[1] = (unsigned char)value;
}

/* -- names --------------------------------------------------------------------- */

static bool
in_name(char c)
{
	return ascii_is_digit(c) || ascii_is_lower(c) || c == '-' || c == '_';
}

/* A name in full to text, which has room for DNS_NAME_MAX: its length on the
 * wire, or 0. The text is the wire moved by one, a dot in place of each length; no
 * label has a dot of its own, so that two names never have the same text. */
static size_t
parse_name(const unsigned char *data, size_t len, char *text)
{
	size_t at = 0, n;

	for (;; at += n + 1) {
		if (at == len)
			return 0;
		n = data[at];
		if (n == 0)
			break;
		/* 64 and above are pointers, or kinds that were never defined. */
		if (n > LABEL_MAX || n >= len - at || at + n + 2 > NAME_WIRE_MAX)
			return 0;
		for (size_t i = 0; i < n; i++) {
			text[at + i] = str_lower((char)data[at + 1 + i]);
			if (!in_name(text[at + i]))
				return 0;
		}
		text[at + n] = '.';
	}
	if (at == 0)
		return 0;
	text[at - 1] = '\0';
	return host_ends_in_number(text) ? 0 : at + 1;
}

/* The other way, to NAME_WIRE_MAX bytes: its length there, or 0. Reading it
 * back finds whatever else it cannot be: one reader says what a name is. */
static size_t
make_name(const char *text, unsigned char *to)
{
	size_t len = strnlen(text, DNS_NAME_MAX), at = 0;
	char back[DNS_NAME_MAX];

	if (len >= DNS_NAME_MAX)
		return 0;
	while (at <= len) {
		size_t n = strcspn(text + at, ".");

		if (n > LABEL_MAX)
			return 0;
		to[at] = (unsigned char)n;
		memcpy(to + at + 1, text + at, n);
		at += n + 1;
	}
	to[at++] = 0;
	return parse_name(to, at, back) == at && streq(back, text) ? at : 0;
}

/* -- queries ------------------------------------------------------------------- */

/* How long the question is, or 0. */
static size_t
parse_question(struct dns_query *query, const unsigned char *data, size_t len)
{
	size_t name = parse_name(data, len, query->name);

	if (name == 0 || len - name < 4 || get_uint16(data + name + 2) != CLASS_IN)
		return 0;
	query->type = get_uint16(data + name);
	query->question_len = name + 4;
	memcpy(query->question, data, query->question_len);
	return query->question_len;
}

/* The options add up, but are not looked at: none of them goes further. */
static bool
valid_options(const unsigned char *data, size_t len)
{
	size_t n;

	for (size_t at = 0; at < len; at += OPTION_LEN + n) {
		if (len - at < OPTION_LEN)
			return false;
		n = get_uint16(data + at + 2);
		if (n > len - at - OPTION_LEN)
			return false;
	}
	return true;
}

/* RFC 6891: the root, OPT, a size for the class, and for the time to live an
 * extended code, the version and flags. Flags that are not known are passed over, as
 * it says; nothing but DO is sent on. */
static int
parse_opt(struct dns_query *query, const unsigned char *data, size_t len)
{
	uint16_t size;

	if (len < OPT_LEN || data[0] != 0 || get_uint16(data + 1) != DNS_OPT)
		return -EINVAL;
	if (get_uint16(data + 5) != 0 || get_uint16(data + 9) != len - OPT_LEN)
		return -EINVAL;
	if (!valid_options(data + OPT_LEN, len - OPT_LEN))
		return -EINVAL;
	size = get_uint16(data + 3);
	query->edns = true;
	query->dnssec = get_uint16(data + 7) & DO_BIT;
	if (size > query->room)
		query->room = size < DNS_UDP_MAX ? size : DNS_UDP_MAX;
	return 0;
}

static int
parse_body(struct dns_query *query, const unsigned char *data, size_t len)
{
	uint16_t more = get_uint16(data + 10);
	size_t n;

	if (len > DNS_MESSAGE_MAX || (query->flags & ~(RD | AD | CD)))
		return -EINVAL;
	if (get_uint16(data + 4) != 1 || get_uint16(data + 6) != 0 || get_uint16(data + 8) != 0 ||
		more > 1)
		return -EINVAL;
	data += HEADER_LEN;
	len -= HEADER_LEN;
	n = parse_question(query, data, len);
	if (n == 0)
		return -EINVAL;
	if (more)
		return parse_opt(query, data + n, len - n);
	return n == len ? 0 : -EINVAL;
}

int
dns_parse_query(const void *data, size_t len, struct dns_query *ret_query)
{
	struct dns_query query = { .room = DNS_UDP_PLAIN };
	const unsigned char *bytes = data;
	int r;

	memset(ret_query, 0, sizeof(*ret_query));
	if (len < HEADER_LEN)
		return -EINVAL;
	query.id = ret_query->id = get_uint16(bytes);
	query.flags = ret_query->flags = get_uint16(bytes + 2);
	r = parse_body(&query, bytes, len);
	if (r == 0)
		*ret_query = query;
	return r;
}

int
dns_query_init(struct dns_query *query, const char *name, enum dns_type type)
{
	struct dns_query made = { .flags = RD, .type = (uint16_t)type, .room = DNS_UDP_PLAIN };
	size_t len = make_name(name, made.question);

	if (len == 0)
		return -EINVAL;
	memcpy(made.name, name, len - 1); /* with its NUL */
	put_uint16(made.question + len, made.type);
	put_uint16(made.question + len + 2, CLASS_IN);
	made.question_len = len + 4;
	*query = made;
	return 0;
}

/* -- messages ------------------------------------------------------------------ */

static size_t
make_header(uint16_t id, uint16_t flags, unsigned char *out)
{
	memset(out, 0, HEADER_LEN);
	put_uint16(out, id);
	put_uint16(out + 2, flags);
	return HEADER_LEN;
}

static size_t
make_question(const struct dns_query *query, uint16_t id, uint16_t flags, unsigned char *out)
{
	size_t len = make_header(id, flags, out);

	put_uint16(out + 4, 1);
	memcpy(out + len, query->question, query->question_len);
	return len + query->question_len;
}

/* An OPT record behind what is there, for this many bytes of options. */
static size_t
append_opt(const struct dns_query *query, size_t options, size_t len, unsigned char *out)
{
	unsigned char *to = out + len;

	memset(to, 0, OPT_LEN);
	put_uint16(to + 1, DNS_OPT);
	put_uint16(to + 3, DNS_UDP_MAX);
	put_uint16(to + 7, query->dnssec ? DO_BIT : 0);
	put_uint16(to + 9, (unsigned)options);
	put_uint16(out + 10, 1);
	return len + OPT_LEN;
}

/* A record of the question's own name and type, if it fits; the length then. */
static size_t
append_record(const struct dns_query *query, uint32_t ttl, const void *data, size_t n, size_t len,
	unsigned char *out)
{
	unsigned char *to = out + len;

	if (n > DNS_UDP_PLAIN - RECORD_LEN || len > DNS_UDP_PLAIN - RECORD_LEN - n)
		return len;
	put_uint16(to, 0xc000 | HEADER_LEN);
	put_uint16(to + 2, query->type);
	put_uint16(to + 4, CLASS_IN);
	put_uint16(to + 6, ttl >> 16);
	put_uint16(to + 8, ttl & 0xffff);
	put_uint16(to + 10, (unsigned)n);
	memcpy(to + RECORD_LEN, data, n);
	put_uint16(out + 6, get_uint16(out + 6) + 1u);
	return len + RECORD_LEN + n;
}

size_t
dns_make_query(const struct dns_query *query, uint16_t id, void *out)
{
	size_t len = make_question(query, id, query->flags & (RD | AD | CD), out);
	char *name = (char *)out + HEADER_LEN;

	/* In one case of letters alone: each could carry a bit. Lengths are no letters. */
	for (size_t i = 0; i + 4 < query->question_len; i++)
		name[i] = str_lower(name[i]);
	return query->edns ? append_opt(query, 0, len, out) : len;
}

/* RA whatever was asked: a program that reads "no recursion" here goes looking for
 * another server. A code of more than four bits has no place in a header. */
static uint16_t
reply_flags(uint16_t flags, enum dns_code code)
{
	unsigned low = (unsigned)code > 15 ? DNS_SERVER : (unsigned)code;

	return (uint16_t)(QR | RA | (flags & (OPCODE | RD | CD)) | low);
}

size_t
dns_reply(const struct dns_query *query, enum dns_code code, uint16_t why_code, const char *why,
	void *out)
{
	size_t len = make_question(query, query->id, reply_flags(query->flags, code), out), n;
	unsigned char *to;

	if (!why || !query->edns)
		return len;
	n = str_cut(why, strlen(why), WHY_MAX);
	len = append_opt(query, OPTION_LEN + 2 + n, len, out);
	to = (unsigned char *)out + len;
	put_uint16(to, OPTION_EDE);
	put_uint16(to + 2, (unsigned)n + 2);
	put_uint16(to + 4, why_code);
	memcpy(to + 6, why, n);
	return len + OPTION_LEN + 2 + n;
}

size_t
dns_reply_truncated(const struct dns_query *query, void *out)
{
	return make_question(query, query->id, reply_flags(query->flags, DNS_OK) | TC, out);
}

size_t
dns_reply_addresses(
	const struct dns_query *query, const struct dns_address *list, size_t n, void *out)
{
	size_t len = dns_reply(query, DNS_OK, 0, NULL, out);

	for (size_t i = 0; i < n; i++)
		if (query->type == (list[i].v6 ? DNS_AAAA : DNS_A))
			len = append_record(
				query, list[i].ttl, list[i].ip, list[i].v6 ? 16 : 4, len, out);
	return len;
}

size_t
dns_reply_name(const struct dns_query *query, const char *name, uint32_t ttl, void *out)
{
	size_t len = dns_reply(query, DNS_OK, 0, NULL, out), n;
	unsigned char wire[NAME_WIRE_MAX];

	n = query->type == DNS_PTR ? make_name(name, wire) : 0;
	return n > 0 ? append_record(query, ttl, wire, n, len, out) : len;
}

size_t
dns_reply_bare(uint16_t id, uint16_t flags, enum dns_code code, void *out)
{
	return make_header(id, reply_flags(flags, code), out);
}

/* -- reverse names ------------------------------------------------------------- */

static bool
parse_reverse4(const char *name, unsigned char *ip)
{
	for (int i = 3; i >= 0; i--) {
		size_t n = strspn(name, "0123456789");
		unsigned value = 0;

		if (n == 0 || n > 3 || (n > 1 && name[0] == '0') || name[n] != '.')
			return false;
		for (size_t j = 0; j < n; j++)
			value = value * 10 + (unsigned)(name[j] - '0');
		if (value > 255)
			return false;
		ip[i] = (unsigned char)value;
		name += n + 1;
	}
	return streq(name, "in-addr.arpa");
}

static int
parse_hex_digit(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
parse_reverse6(const char *name, unsigned char *ip)
{
	memset(ip, 0, 16);
	for (int i = 31; i >= 0; i--) {
		int value = parse_hex_digit(name[0]);

		if (value < 0 || name[1] != '.')
			return false;
		ip[i / 2] |= (unsigned char)(i % 2 ? value : value << 4);
		name += 2;
	}
	return streq(name, "ip6.arpa");
}

int
dns_parse_reverse(const char *name, struct dns_address *ret_address)
{
	struct dns_address v4 = { 0 }, v6 = { .v6 = true };

	if (parse_reverse4(name, v4.ip))
		*ret_address = v4;
	else if (parse_reverse6(name, v6.ip))
		*ret_address = v6;
	else
		return -EINVAL;
	return 0;
}
