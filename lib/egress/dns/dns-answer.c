/* SPDX-License-Identifier: Apache-2.0 */
/* What a name server says becomes the addresses of one name, and goes on to the
 * program. The server is who it says it is only so far as it knows id and question:
 * anybody on the way may have written the rest. Names are compared as they are on the
 * wire, not as text, in which a label may hold a dot. Two walks over the records, one
 * for CNAMEs and one for addresses, each linear: no record costs more than a name can
 * be long and has pointers. */

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "egress/dns/dns.h"

#define HEADER_LEN 12
#define NAME_WIRE_MAX 255
#define LABEL_MAX 63
#define CLASS_IN 1
#define RECORD_LEN 10 /* without its owner and its data */

/* A name has at most 127 labels: whoever needs more pointers than that has put
 * one behind the other to make us work. */
#define JUMPS_MAX 127
/* Resolvers give up at about as many; what is behind them is not reached. */
#define ALIASES_MAX 16

#define QR 0x8000
#define OPCODE 0x7800
#define TC 0x0200

enum section {
	SECTION_ANSWER,
	SECTION_AUTHORITY,
	SECTION_MORE,
	SECTIONS,
};

struct name {
	unsigned char wire[NAME_WIRE_MAX]; /* in full, lower case */
	size_t len;
};

struct record {
	struct name owner;
	uint16_t type;
	uint16_t class;
	uint32_t ttl;
	size_t at; /* of its data */
	size_t len;
};

struct reader {
	const unsigned char *data;
	size_t len;
	size_t at;
	bool truncated;
	int section;   /* that of the record which was read last */
	unsigned left; /* in this section */
};

struct alias {
	struct name owner;
	struct name target; /* empty: two were named, and neither is believed */
	uint32_t ttl;
};

/* From the name to where its CNAMEs end. */
struct chain {
	struct {
		struct name name;
		uint32_t ttl;
	} step[1 + ALIASES_MAX];
	size_t n;
};

static uint16_t
get_uint16(const unsigned char *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

/* RFC 2181: with the top bit set it is zero. */
static uint32_t
get_ttl(const unsigned char *from)
{
	uint32_t ttl = (uint32_t)get_uint16(from) << 16 | get_uint16(from + 2);

	return ttl > INT32_MAX ? 0 : ttl;
}

static uint32_t
pick_shorter_ttl(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Lengths are below 'A': what folds letters leaves them. */
static unsigned char
fold_wire_byte(unsigned char c)
{
	return (unsigned char)str_lower((char)c);
}

static bool
same_name(const struct name *a, const struct name *b)
{
	return a->len == b->len && memcmp(a->wire, b->wire, a->len) == 0;
}

/* -- records ------------------------------------------------------------------- */

/* The name at this place: where it ends in the message, or 0. A pointer leads to
 * before where the labels that it ends began, never to itself or forward; so there
 * is an end to it. */
static size_t
read_name(const struct reader *reader, size_t at, struct name *name)
{
	size_t begin = at, end = 0, n;
	int jumps = 0;

	name->len = 0;
	for (;;) {
		if (at >= reader->len)
			return 0;
		n = reader->data[at];
		if (n >= 0xc0) {
			if (reader->len - at < 2 || jumps++ == JUMPS_MAX)
				return 0;
			end = end ? end : at + 2;
			at = get_uint16(reader->data + at) & 0x3fff;
			if (at < HEADER_LEN || at >= begin)
				return 0;
			begin = at;
			continue;
		}
		if (n > LABEL_MAX || n >= reader->len - at || n >= NAME_WIRE_MAX - name->len)
			return 0;
		for (size_t i = 0; i <= n; i++)
			name->wire[name->len++] = fold_wire_byte(reader->data[at++]);
		if (n == 0)
			return end ? end : at;
	}
}

static bool
read_record(struct reader *reader, struct record *record)
{
	size_t at = read_name(reader, reader->at, &record->owner);
	const unsigned char *head = reader->data + at;

	if (at == 0 || reader->len - at < RECORD_LEN)
		return false;
	record->type = get_uint16(head);
	record->class = get_uint16(head + 2);
	record->ttl = get_ttl(head + 4);
	record->len = get_uint16(head + 8);
	record->at = at + RECORD_LEN;
	if (record->len > reader->len - record->at)
		return false;
	reader->at = record->at + record->len;
	return true;
}

/* What was said to this question, whatever the id. */
static bool
reader_init(struct reader *reader, const void *data, size_t len, const struct dns_query *query)
{
	const unsigned char *header = data, *question;
	size_t name;

	if (query->question_len < 4 || len > DNS_MESSAGE_MAX ||
		len < HEADER_LEN + query->question_len)
		return false;
	if ((get_uint16(header + 2) & (QR | OPCODE)) != QR || get_uint16(header + 4) != 1)
		return false;
	question = header + HEADER_LEN;
	name = query->question_len - 4;
	for (size_t i = 0; i < name; i++)
		if (fold_wire_byte(question[i]) != fold_wire_byte(query->question[i]))
			return false;
	if (memcmp(question + name, query->question + name, 4) != 0) /* type and class */
		return false;
	*reader = (struct reader){
		.data = data,
		.len = len,
		.at = HEADER_LEN + query->question_len,
		.truncated = get_uint16(header + 2) & TC,
		.left = get_uint16(header + 6),
	};
	return true;
}

/* 1 with a record, 0 at the end, -EINVAL. Counts are no more than claims: each
 * record takes bytes. */
static int
reader_next(struct reader *reader, struct record *record)
{
	while (reader->left == 0) {
		if (++reader->section >= SECTIONS)
			return reader->at == reader->len ? 0 : -EINVAL;
		reader->left = get_uint16(reader->data + 6 + 2 * reader->section);
	}
	reader->left--;
	if (read_record(reader, record))
		return 1;
	return reader->truncated ? 0 : -EINVAL;
}

/* -- addresses ----------------------------------------------------------------- */

/* Two CNAMEs of one owner are against the standard, and a program may follow either:
 * then none is followed, unless they say the same. */
static size_t
add_alias(struct alias *list, size_t n, const struct record *record, const struct name *target)
{
	for (size_t i = 0; i < n; i++) {
		if (!same_name(&list[i].owner, &record->owner))
			continue;
		if (!same_name(&list[i].target, target))
			list[i].target.len = 0;
		list[i].ttl = pick_shorter_ttl(list[i].ttl, record->ttl);
		return n;
	}
	if (n == ALIASES_MAX)
		return n;
	list[n] = (struct alias){ record->owner, *target, record->ttl };
	return n + 1;
}

/* First walk: all of the message. How many aliases, or -EINVAL. */
static int
read_aliases(struct reader reader, struct alias *list, unsigned *code)
{
	struct record record;
	struct name target;
	size_t n = 0;
	int r;

	while ((r = reader_next(&reader, &record)) > 0) {
		/* The upper bits of the code: without them "bad version" is "no error". */
		if (reader.section == SECTION_MORE && record.type == DNS_OPT)
			*code = (*code & 0xf) | (unsigned)reader.data[record.at - 6] << 4;
		if (reader.section == SECTION_ANSWER && record.type == DNS_CNAME &&
			record.class == CLASS_IN &&
			read_name(&reader, record.at, &target) == record.at + record.len)
			n = add_alias(list, n, &record, &target);
	}
	return r < 0 ? r : (int)n;
}

static const struct alias *
find_alias(const struct alias *list, size_t n, const struct name *owner)
{
	for (size_t i = 0; i < n; i++)
		if (same_name(&list[i].owner, owner))
			return &list[i];
	return NULL;
}

static void
follow_aliases(struct chain *chain, const struct alias *list, size_t n)
{
	size_t last = 0;
	const struct alias *alias;

	while ((alias = find_alias(list, n, &chain->step[last].name))) {
		/* More steps than there are aliases: one was taken twice. Then nothing
		 * that was found on the way counts either. */
		if (last == n) {
			chain->n = 0;
			return;
		}
		chain->step[last + 1].name = alias->target;
		chain->step[last + 1].ttl = pick_shorter_ttl(alias->ttl, chain->step[last].ttl);
		chain->n = ++last + 1;
	}
}

static void
take_address(struct dns_answer *answer, const struct reader *reader, const struct record *record,
	const struct chain *chain)
{
	bool v6 = record->type == DNS_AAAA;
	struct dns_address *to = &answer->address[answer->n];

	if (record->class != CLASS_IN || (!v6 && record->type != DNS_A))
		return;
	if (record->len != (v6 ? 16 : 4) || answer->n == DNS_ADDRESSES_MAX)
		return;
	for (size_t i = 0; i < chain->n; i++) {
		if (!same_name(&chain->step[i].name, &record->owner))
			continue;
		to->v6 = v6;
		memcpy(to->ip, reader->data + record->at, record->len);
		to->ttl = pick_shorter_ttl(record->ttl, chain->step[i].ttl);
		answer->n++;
		return;
	}
}

int
dns_parse_answer(const void *data, size_t len, uint16_t id, const struct dns_query *query,
	struct dns_answer *ret_answer)
{
	struct alias aliases[ALIASES_MAX];
	struct dns_answer answer = { 0 };
	struct chain chain = { .n = 1, .step[0].ttl = INT32_MAX };
	struct record record;
	struct reader reader;
	unsigned code;
	int n;

	if (!reader_init(&reader, data, len, query) || get_uint16(reader.data) != id)
		return -EINVAL;
	code = reader.data[3] & 0xf;
	n = read_aliases(reader, aliases, &code);
	if (n < 0)
		return n;
	if (read_name(&reader, HEADER_LEN, &chain.step[0].name) == 0)
		return -EINVAL;
	follow_aliases(&chain, aliases, (size_t)n);
	while (reader_next(&reader, &record) > 0 && reader.section == SECTION_ANSWER)
		take_address(&answer, &reader, &record, &chain);
	answer.code = (enum dns_code)code;
	answer.truncated = reader.truncated;
	*ret_answer = answer;
	return 0;
}

/* -- to the program ------------------------------------------------------------ */

/* Walks to the end, so that what is passed on has one. */
static int
find_opt(struct reader reader, bool *ret_found)
{
	struct record record;
	int r;

	*ret_found = false;
	while ((r = reader_next(&reader, &record)) > 0)
		if (record.type == DNS_OPT)
			*ret_found = true;
	return r;
}

size_t
dns_pass_on(const struct dns_query *query, const void *message, size_t len, size_t room, void *out)
{
	unsigned char *to = out;
	struct reader reader;
	bool opt, whole;

	if (!reader_init(&reader, message, len, query) || find_opt(reader, &opt) < 0)
		return dns_reply(query, DNS_SERVER, 0, NULL, out);
	whole = len <= room && (query->edns || !opt);
	if (!whole)
		len = HEADER_LEN + query->question_len;
	memmove(to, message, len);
	to[0] = (unsigned char)(query->id >> 8);
	to[1] = (unsigned char)query->id;
	/* In the program's own case, which it may compare with. */
	memcpy(to + HEADER_LEN, query->question, query->question_len);
	if (!whole) {
		to[2] |= TC >> 8;
		memset(to + 6, 0, 6);
	}
	return len;
}
