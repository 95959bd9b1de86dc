/* SPDX-License-Identifier: Apache-2.0 */
/* A query is understood to its last byte or refused, and a reply says no more than it
 * should, in no more room than there is. */

#include "dns-packet.h"

/* -- queries ----------------------------------------------------------------- */

static void
a_query_is_read_as_it_stands(void **state)
{
	struct dns_query query;
	struct packet p;

	(void)state;
	header(&p, 0xbeef, RD | AD | CD, 1, 0, 0, 0);
	question(&p, "WWW.a_b-C.Example9", DNS_AAAA);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	assert_int_equal(query.id, 0xbeef);
	assert_int_equal(query.flags, RD | AD | CD);
	assert_int_equal(query.type, DNS_AAAA);
	assert_string_equal(query.name, "www.a_b-c.example9");
	assert_int_equal(query.question_len, p.len - HEADER);
	assert_memory_equal(query.question, p.data + HEADER, query.question_len);
	assert_false(query.edns || query.dnssec);
	assert_int_equal(query.room, DNS_UDP_PLAIN);
}

static void
any_type_can_be_asked_for(void **state)
{
	static const unsigned types[] = { 0, DNS_TXT, DNS_HTTPS, DNS_AXFR, DNS_ANY, 0xffff };
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		header(&p, 1, 0, 1, 0, 0, 0);
		question(&p, "x", types[i]);
		assert_int_equal(query_of(p.data, p.len, &query), 0);
		assert_int_equal(query.type, types[i]);
	}
}

static void
what_is_no_plain_query_is_refused_but_its_id_is_known(void **state)
{
	static const unsigned heads[][5] = {
		{ QR | RD, 1, 0, 0, 0 },     /* an answer */
		{ 0x0800 | RD, 1, 0, 0, 0 }, /* inverse query */
		{ 0x2800, 1, 0, 0, 0 },	     /* update */
		{ 0x7800, 1, 0, 0, 0 },
		{ AA, 1, 0, 0, 0 },
		{ TC, 1, 0, 0, 0 },
		{ RA, 1, 0, 0, 0 },
		{ Z, 1, 0, 0, 0 },
		{ 0x000f, 1, 0, 0, 0 },
		{ RD, 0, 0, 0, 0 },
		{ RD, 2, 0, 0, 0 },
		{ RD, 0x0101, 0, 0, 0 },
		{ RD, 1, 1, 0, 0 },
		{ RD, 1, 0, 1, 0 },
		{ RD, 1, 0, 0, 1 }, /* there is none */
		{ RD, 1, 0, 0, 2 },
		{ RD, 1, 0, 0, 0x0100 },
	};
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++) {
		header(&p, 0xbeef, heads[i][0], heads[i][1], heads[i][2], heads[i][3], heads[i][4]);
		question(&p, "a.example", DNS_A);
		memset(&query, 0xaa, sizeof(query));
		if (query_of(p.data, p.len, &query) != -EINVAL)
			fail_msg("head %zu was taken", i);
		assert_int_equal(query.id, 0xbeef);
		assert_int_equal(query.flags, heads[i][0]);
		assert_string_equal(query.name, "");
		assert_int_equal(query.question_len, 0);
	}
}

static void
a_second_question_is_refused(void **state)
{
	struct dns_query query;
	struct packet p;

	(void)state;
	header(&p, 1, RD, 2, 0, 0, 0);
	question(&p, "a.example", DNS_A);
	question(&p, "b.example", DNS_A);
	assert_int_equal(query_of(p.data, p.len, &query), -EINVAL);
	p.data[5] = 1; /* not told of, but there */
	assert_int_equal(query_of(p.data, p.len, &query), -EINVAL);
}

static void
another_class_or_bytes_behind_the_end_are_refused(void **state)
{
	static const unsigned classes[] = { 0, 3, 254, 255, 0x0100, 0x8001 };
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(classes); i++) {
		header(&p, 1, RD, 1, 0, 0, 0);
		name(&p, "a.example");
		u16(&p, DNS_A);
		u16(&p, classes[i]);
		assert_int_equal(query_of(p.data, p.len, &query), -EINVAL);
	}
	header(&p, 1, RD, 1, 0, 0, 0);
	question(&p, "a.example", DNS_A);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	u8(&p, 0);
	assert_int_equal(query_of(p.data, p.len, &query), -EINVAL);
}

static int
try_name(const void *wire, size_t len)
{
	struct dns_query query;
	struct packet p;

	header(&p, 1, RD, 1, 0, 0, 0);
	bytes(&p, wire, len);
	u16(&p, DNS_A);
	u16(&p, IN);
	return query_of(p.data, p.len, &query);
}

static void
only_letters_digits_hyphens_and_underscores_are_a_name(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		const unsigned char wire[] = { 3, 'a', (unsigned char)c, 'b', 0 };
		bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			    (c >= 'A' && c <= 'Z') || c == '-' || c == '_';

		if (try_name(wire, sizeof(wire)) != (good ? 0 : -EINVAL))
			fail_msg("byte %u", c);
	}
}

static void
the_root_and_names_that_end_in_a_number_are_refused(void **state)
{
	static const char *const bad[] = { "1", "127.0.0.1", "a.1", "2130706433", "a.007", "0x7f",
		"a.0X7F", "0x", "a.0xyz" };
	static const char *const good[] = { "1.a", "a.1b", "a.b1", "0.x0", "a.1-", "a.-1", "_" };
	struct packet p;

	(void)state;
	assert_int_equal(try_name("", 1), -EINVAL);
	for (size_t i = 0; i < COUNT(bad); i++) {
		p.len = 0;
		name(&p, bad[i]);
		if (try_name(p.data, p.len) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	}
	for (size_t i = 0; i < COUNT(good); i++) {
		p.len = 0;
		name(&p, good[i]);
		if (try_name(p.data, p.len) != 0)
			fail_msg("'%s' was refused", good[i]);
	}
}

static void
compression_and_unknown_labels_in_a_question_are_refused(void **state)
{
	static const unsigned char wires[][6] = {
		{ 1, 'a', 0xc0, 0x0c },	      /* to itself */
		{ 0xc0, 0x0c },		      /* at once */
		{ 1, 'a', 0xc0, 0x00 },	      /* into the header */
		{ 1, 'a', 0xff, 0xff },	      /* past the end */
		{ 1, 'a', 0xc0, 0x10, 0x00 }, /* forward, to a root */
		{ 1, 'a', 0x40, 'b', 0 }, { 1, 'a', 0x80, 'b', 0 },
		{ 0x41, 'a', 0 }, /* a bit string */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wires); i++)
		for (size_t n = 1; n <= sizeof(wires[i]); n++)
			if (try_name(wires[i], n) != -EINVAL)
				fail_msg("wire %zu, %zu bytes", i, n);
}

static void
a_name_may_be_as_long_as_names_can_be_and_no_longer(void **state)
{
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t last = 60; last <= 63; last++) {
		header(&p, 1, RD, 1, 0, 0, 0);
		fill(&p, 3, 63);
		fill(&p, 1, last);
		u8(&p, 0);
		u16(&p, DNS_A);
		u16(&p, IN);
		assert_int_equal(query_of(p.data, p.len, &query), last <= 61 ? 0 : -EINVAL);
		if (last == 61)
			assert_int_equal(strlen(query.name), DNS_NAME_MAX - 1);
	}
	p.len = 0;
	fill(&p, 127, 1);
	u8(&p, 0);
	assert_int_equal(try_name(p.data, p.len), 0);
	p.len = 0;
	fill(&p, 128, 1);
	u8(&p, 0);
	assert_int_equal(try_name(p.data, p.len), -EINVAL);
	p.len = 0;
	fill(&p, 1, 64);
	u8(&p, 0);
	assert_int_equal(try_name(p.data, p.len), -EINVAL);
}

static void
a_query_that_is_cut_short_anywhere_is_refused(void **state)
{
	struct dns_query query;
	struct packet p;

	(void)state;
	header(&p, 0xbeef, RD, 1, 0, 0, 1);
	question(&p, "www.a.example", DNS_A);
	opt(&p, 4096, 0x8000, 9);
	u16(&p, 10); /* a cookie, not a whole one */
	u16(&p, 5);
	bytes(&p, "cooki", 5);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	for (size_t n = 0; n < p.len; n++) {
		memset(&query, 0xaa, sizeof(query));
		if (query_of(p.data, n, &query) != -EINVAL)
			fail_msg("%zu bytes were taken", n);
		assert_int_equal(query.id, n < HEADER ? 0 : 0xbeef);
		assert_int_equal(query.flags, n < HEADER ? 0 : RD);
	}
}

static void
a_query_longer_than_messages_are_is_refused(void **state)
{
	struct dns_query query;
	static struct packet p;

	(void)state;
	header(&p, 1, RD, 1, 0, 0, 1);
	question(&p, "a.example", DNS_A);
	opt(&p, 4096, 0, (unsigned)(DNS_MESSAGE_MAX - p.len - 11));
	u16(&p, 12);
	u16(&p, (unsigned)(DNS_MESSAGE_MAX - p.len - 2));
	memset(p.data + p.len, 0, sizeof(p.data) - p.len);
	assert_int_equal(query_of(p.data, DNS_MESSAGE_MAX, &query), 0);
	assert_int_equal(query_of(p.data, DNS_MESSAGE_MAX + 1, &query), -EINVAL);
}

static void
an_opt_record_says_how_much_room_there_is(void **state)
{
	static const unsigned sizes[][2] = { { 0, 512 }, { 511, 512 }, { 512, 512 }, { 513, 513 },
		{ 1232, 1232 }, { 1233, 1232 }, { 4096, 1232 }, { 65535, 1232 } };
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		header(&p, 1, RD, 1, 0, 0, 1);
		question(&p, "a.example", DNS_A);
		opt(&p, sizes[i][0], i % 2 ? 0x8000 : 0, 0);
		assert_int_equal(query_of(p.data, p.len, &query), 0);
		assert_true(query.edns);
		assert_int_equal(query.dnssec, i % 2);
		assert_int_equal(query.room, sizes[i][1]);
	}
}

static void
an_odd_opt_record_is_refused(void **state)
{
	static const struct {
		unsigned char data[20];
		size_t len;
		int r;
	} cases[] = {
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0 }, 11, 0 },
		{ { 0, 0, 41, 4, 0, 0, 0, 0x7f, 0xff, 0, 0 }, 11, 0 },	       /* flags to come */
		{ { 0, 0, 41, 4, 0, 0, 1, 0, 0, 0, 0 }, 11, -EINVAL },	       /* version 1 */
		{ { 0, 0, 41, 4, 0, 0, 255, 0, 0, 0, 0 }, 11, -EINVAL },       /* version 255 */
		{ { 0, 0, 41, 4, 0, 1, 0, 0, 0, 0, 0 }, 11, -EINVAL },	       /* a code */
		{ { 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0 }, 11, -EINVAL },	       /* no OPT */
		{ { 0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 0 }, 11, -EINVAL },      /* TSIG */
		{ { 1, 'a', 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0 }, 13, -EINVAL }, /* of a name */
		{ { 0xc0, 0x16, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0 }, 12,
			-EINVAL },					  /* compressed root */
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 1 }, 11, -EINVAL },	  /* says too much */
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0, 0 }, 12, -EINVAL }, /* says too little */
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 4, 0, 3, 0, 0 }, 15, 0 },
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 4, 0, 3, 0, 1 }, 15, -EINVAL },
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0 }, 14, -EINVAL },
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0 }, 16, -EINVAL },
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 1, 'x' }, 16, 0 },
		{ { 0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 4, 0, 3, 0xff, 0xff }, 15, -EINVAL },
	};
	struct dns_query query;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		header(&p, 1, RD, 1, 0, 0, 1);
		question(&p, "a.example", DNS_A);
		bytes(&p, cases[i].data, cases[i].len);
		if (query_of(p.data, p.len, &query) != cases[i].r)
			fail_msg("case %zu", i);
	}
	/* Two of them. */
	header(&p, 1, RD, 1, 0, 0, 2);
	question(&p, "a.example", DNS_A);
	opt(&p, 4096, 0, 0);
	opt(&p, 4096, 0, 0);
	assert_int_equal(query_of(p.data, p.len, &query), -EINVAL);
}

static void
only_the_question_and_four_bits_go_to_a_server(void **state)
{
	unsigned char out[DNS_UDP_PLAIN];
	struct dns_query query;
	struct packet p, want;
	size_t len;

	(void)state;
	header(&p, 0xbeef, RD | CD, 1, 0, 0, 1);
	question(&p, "WwW.Example", DNS_TXT);
	opt(&p, 4000, 0xffff, 8);
	u16(&p, 8);
	u16(&p, 4);
	u32(&p, 0xdeadbeef);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	header(&want, ID, RD | CD, 1, 0, 0, 1);
	question(&want, "www.example", DNS_TXT);
	opt(&want, DNS_UDP_MAX, 0x8000, 0);
	len = dns_make_query(&query, ID, out);
	assert_int_equal(len, want.len);
	assert_memory_equal(out, want.data, len);

	header(&p, 0xbeef, AD, 1, 0, 0, 0);
	question(&p, "www.example", DNS_A);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	header(&want, 0xffff, AD, 1, 0, 0, 0);
	question(&want, "www.example", DNS_A);
	len = dns_make_query(&query, 0xffff, out);
	assert_int_equal(len, want.len);
	assert_memory_equal(out, want.data, len);
}

static void
a_query_of_its_own_is_one_that_would_be_taken(void **state)
{
	unsigned char out[DNS_UDP_PLAIN];
	struct dns_query query = ask("4.3.2.1.in-addr.arpa", DNS_PTR), again;
	size_t len = dns_make_query(&query, ID, out);

	(void)state;
	assert_int_equal(query_of(out, len, &again), 0);
	assert_int_equal(again.id, ID);
	assert_int_equal(again.flags, RD);
	assert_int_equal(again.type, DNS_PTR);
	assert_string_equal(again.name, "4.3.2.1.in-addr.arpa");
	assert_string_equal(query.name, again.name);
	assert_int_equal(query.question_len, again.question_len);
	assert_memory_equal(query.question, again.question, again.question_len);
	assert_int_equal(query.room, DNS_UDP_PLAIN);
}

static void
a_name_in_another_spelling_is_not_asked_for(void **state)
{
	static const char *const bad[] = { "", ".", "a.", ".a", "a..b", "A", "a.Example", "a b",
		"a/b", "b\303\274cher", "1.2.3.4", "a.0x1", "::1", "a\\.b", "*.a" };
	char text[DNS_NAME_MAX + 64];
	struct dns_query query, before;

	(void)state;
	memset(&query, 0x55, sizeof(query));
	before = query;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (dns_query_init(&query, bad[i], DNS_A) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	memset(text, 'a', sizeof(text));
	text[64] = '\0';
	assert_int_equal(dns_query_init(&query, text, DNS_A), -EINVAL);
	for (size_t i = 63; i < sizeof(text); i += 64)
		text[i] = '.';
	text[64] = 'a';
	text[DNS_NAME_MAX] = '\0';
	assert_int_equal(dns_query_init(&query, text, DNS_A), -EINVAL);
	assert_memory_equal(&query, &before, sizeof(query));
	text[DNS_NAME_MAX - 1] = '\0';
	assert_int_equal(dns_query_init(&query, text, DNS_A), 0);
	assert_int_equal(query.question_len, 255 + 4);
	text[63] = '\0';
	assert_int_equal(dns_query_init(&query, text, DNS_A), 0);
}

/* -- replies ----------------------------------------------------------------- */

static void
a_reply_is_header_and_question(void **state)
{
	struct dns_query query = asked("a.Example", DNS_TXT, 0);
	unsigned char out[DNS_UDP_PLAIN];
	struct packet want;

	(void)state;
	header(&want, 0xbeef, QR | RD | RA | DNS_REFUSED, 1, 0, 0, 0);
	question(&want, "a.Example", DNS_TXT);
	assert_int_equal(dns_reply(&query, DNS_REFUSED, 0, NULL, out), want.len);
	assert_memory_equal(out, want.data, want.len);
	/* The reason needs a record that this program did not have. */
	assert_int_equal(dns_reply(&query, DNS_REFUSED, 15, "why", out), want.len);
	assert_memory_equal(out, want.data, want.len);
	assert_int_equal(dns_reply_truncated(&query, out), want.len);
	assert_int_equal(at16(out + 2), QR | TC | RD | RA);
	assert_memory_equal(out + HEADER, want.data + HEADER, want.len - HEADER);
	/* AD is not ours to say; a code of more than four bits would spill. */
	query.flags = AD | CD;
	dns_reply(&query, (enum dns_code)16, 0, NULL, out);
	assert_int_equal(at16(out + 2), QR | RA | CD | DNS_SERVER);
	dns_reply(&query, (enum dns_code)15, 0, NULL, out);
	assert_int_equal(at16(out + 2), QR | RA | CD | 15);
}

static void
a_reason_is_an_extended_error(void **state)
{
	struct dns_query query = asked("a.example", DNS_A, 4096);
	unsigned char out[DNS_UDP_PLAIN];
	struct packet want;

	(void)state;
	header(&want, 0xbeef, QR | RD | RA | DNS_REFUSED, 1, 0, 0, 1);
	question(&want, "a.example", DNS_A);
	bytes(&want, "\0\0\x29\x04\xd0\0\0\x80\0\0\x0d\0\x0f\0\x09\0\x12no rule", 24);
	assert_int_equal(dns_reply(&query, DNS_REFUSED, 18, "no rule", out), want.len);
	assert_memory_equal(out, want.data, want.len);
	/* A code without a text; and no reason at all. */
	assert_int_equal(dns_reply(&query, DNS_REFUSED, 18, "", out), want.len - 7);
	assert_int_equal(out[want.len - 7 - 3], 2);
	assert_int_equal(dns_reply(&query, DNS_REFUSED, 18, NULL, out), want.len - 24);
	assert_int_equal(at16(out + 10), 0);
}

static void
a_long_reason_is_cut_between_characters(void **state)
{
	char text[1200] = "", longest[DNS_NAME_MAX];
	unsigned char out[DNS_UDP_PLAIN];
	struct dns_query query;
	struct dns_answer answer;
	size_t len, n;

	(void)state;
	for (size_t i = 0; i < 399; i++)
		memcpy(text + 3 * i, "\342\202\254", 4);
	memset(longest, 'a', sizeof(longest));
	longest[63] = longest[127] = longest[191] = '.';
	longest[DNS_NAME_MAX - 1] = '\0';
	query = asked(longest, DNS_A, 4096);
	len = dns_reply(&query, DNS_REFUSED, 18, text, out);
	assert_in_range(len, 12 + 259 + 11 + 6 + 100, DNS_UDP_PLAIN);
	n = len - (12 + 259 + 11 + 6);
	assert_int_equal(n % 3, 0);
	assert_int_equal(at16(out + len - n - 4), n + 2);
	assert_int_equal(at16(out + len - n - 8), n + 6);
	query.id = ID;
	len = dns_reply(&query, DNS_REFUSED, 18, text, out);
	assert_int_equal(answer_of(out, len, &query, &answer), 0);
	assert_int_equal(answer.code, DNS_REFUSED);
}

static void
addresses_are_told_if_they_were_asked_for(void **state)
{
	static const struct dns_address list[] = {
		{ .ip = { 1, 2, 3, 4 }, .ttl = 7 },
		{ .v6 = true, .ip = { 0x20, 1, [15] = 9 }, .ttl = 0x01020304 },
		{ .ip = { 5, 6, 7, 8 }, .ttl = 0 },
	};
	unsigned char out[DNS_UDP_PLAIN];
	struct dns_query query = asked("a.example", DNS_A, 0);
	struct dns_answer answer;
	struct packet want;
	size_t len;

	(void)state;
	header(&want, 0xbeef, QR | RD | RA, 1, 2, 0, 0);
	question(&want, "a.example", DNS_A);
	bytes(&want, "\xc0\x0c\0\1\0\1\0\0\0\7\0\4\1\2\3\4", 16);
	bytes(&want, "\xc0\x0c\0\1\0\1\0\0\0\0\0\4\5\6\7\x08", 16);
	assert_int_equal(dns_reply_addresses(&query, list, 3, out), want.len);
	assert_memory_equal(out, want.data, want.len);

	query = asked("a.example", DNS_AAAA, 0);
	query.id = ID;
	len = dns_reply_addresses(&query, list, 3, out);
	assert_int_equal(answer_of(out, len, &query, &answer), 0);
	assert_int_equal(answer.n, 1);
	assert_memory_equal(answer.address[0].ip, list[1].ip, 16);
	assert_int_equal(answer.address[0].ttl, 0x01020304);

	query = asked("a.example", DNS_TXT, 0);
	assert_int_equal(dns_reply_addresses(&query, list, 3, out), HEADER + query.question_len);
	assert_int_equal(at16(out + 2), QR | RD | RA);
	assert_int_equal(at16(out + 6), 0);
}

static void
as_many_addresses_are_told_as_fit(void **state)
{
	struct dns_address list[DNS_ADDRESSES_MAX] = { { .v6 = false } };
	unsigned char out[DNS_UDP_PLAIN];
	struct dns_query query = ask("a.example", DNS_A);
	struct dns_answer answer;
	char text[DNS_NAME_MAX];
	size_t len;

	(void)state;
	query.id = ID;
	len = dns_reply_addresses(&query, list, DNS_ADDRESSES_MAX, out);
	assert_in_range(len, DNS_UDP_PLAIN - 15, DNS_UDP_PLAIN);
	assert_int_equal(answer_of(out, len, &query, &answer), 0);
	assert_int_equal(answer.n, (DNS_UDP_PLAIN - HEADER - query.question_len) / 16);
	/* To the last byte: 12 + 244 + 16 * 16. */
	memset(text, 'a', sizeof(text));
	text[63] = text[127] = text[191] = '.';
	text[238] = '\0';
	query = ask(text, DNS_A);
	assert_int_equal(query.question_len, 244);
	len = dns_reply_addresses(&query, list, DNS_ADDRESSES_MAX, out);
	assert_int_equal(len, DNS_UDP_PLAIN);
	assert_int_equal(at16(out + 6), 16);
}

static void
a_name_is_told_if_it_was_asked_for(void **state)
{
	struct dns_query query = asked("4.3.2.1.in-addr.arpa", DNS_PTR, 0);
	size_t bare = HEADER + query.question_len;
	unsigned char out[DNS_UDP_PLAIN];
	char longest[DNS_NAME_MAX + 1];
	struct packet want;

	(void)state;
	header(&want, 0xbeef, QR | RD | RA, 1, 1, 0, 0);
	question(&want, "4.3.2.1.in-addr.arpa", DNS_PTR);
	bytes(&want, "\xc0\x0c\0\x0c\0\1\0\0\0\x3c\0\x0b\1a\7example\0", 23);
	assert_int_equal(dns_reply_name(&query, "a.example", 60, out), want.len);
	assert_memory_equal(out, want.data, want.len);
	/* What is no name is not told. */
	assert_int_equal(dns_reply_name(&query, "a..example", 60, out), bare);
	assert_int_equal(at16(out + 6), 0);
	assert_int_equal(dns_reply_name(&query, "", 60, out), bare);
	memset(longest, 'a', sizeof(longest));
	longest[63] = longest[127] = longest[191] = '.';
	longest[DNS_NAME_MAX] = '\0';
	assert_int_equal(dns_reply_name(&query, longest, 60, out), bare);
	longest[DNS_NAME_MAX - 1] = '\0';
	assert_int_equal(dns_reply_name(&query, longest, 60, out), bare + 12 + 255);
	/* Nor where it does not fit, or was not asked for. */
	query = asked(longest, DNS_PTR, 0);
	assert_int_equal(dns_reply_name(&query, longest, 60, out), HEADER + 259);
	assert_int_equal(at16(out + 6), 0);
	query = asked("a.example", DNS_A, 0);
	assert_int_equal(dns_reply_name(&query, "a.example", 60, out), HEADER + 15);
}

static void
what_was_not_understood_gets_a_header(void **state)
{
	unsigned char out[HEADER];

	(void)state;
	assert_int_equal(dns_reply_bare(0xbeef, 0x2800 | RD | AD | Z | 7, DNS_FORMAT, out), HEADER);
	assert_memory_equal(out, "\xbe\xef\xa9\x81\0\0\0\0\0\0\0\0", HEADER);
}

/* -- reverse names ----------------------------------------------------------- */

static void
a_reverse_name_is_an_address(void **state)
{
	struct dns_address address;

	(void)state;
	memset(&address, 0xaa, sizeof(address));
	assert_int_equal(dns_parse_reverse("4.3.2.1.in-addr.arpa", &address), 0);
	assert_false(address.v6);
	assert_int_equal(address.ttl, 0);
	assert_memory_equal(address.ip, "\1\2\3\4\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(dns_parse_reverse("255.0.10.255.in-addr.arpa", &address), 0);
	assert_memory_equal(address.ip, "\xff\x0a\x00\xff", 4);
	memset(&address, 0xaa, sizeof(address));
	assert_int_equal(dns_parse_reverse("b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0."
					   "0.1.2.3.4.ip6.arpa",
				 &address),
		0);
	assert_true(address.v6);
	assert_int_equal(address.ttl, 0);
	assert_memory_equal(
		address.ip, "\x43\x21\x00\x00\x00\x01\x00\x02\x00\x03\x00\x04\x05\x67\x89\xab", 16);
}

static void
any_other_name_is_no_reverse_name(void **state)
{
	static const char *const bad[] = { "", "in-addr.arpa", ".in-addr.arpa", "ip6.arpa",
		"1.in-addr.arpa", "3.2.1.in-addr.arpa", "5.4.3.2.1.in-addr.arpa", "4.3.2.1",
		"4.3.2.1.", "4.3.2.1.in-addr.arpa.", "4.3.2.1.in-addr.arpa.example",
		"4.3.2.1.ip6.arpa", "4.3.2.256.in-addr.arpa", "4.3.2.01.in-addr.arpa",
		"04.3.2.1.in-addr.arpa", "4.3.2.1000.in-addr.arpa", "4.3.2.-1.in-addr.arpa",
		"4.3..1.in-addr.arpa", "4.3.2.a.in-addr.arpa", "0x4.3.2.1.in-addr.arpa",
		"4.3.2.1.in-addrxarpa", "99999999999999999999.3.2.1.in-addr.arpa" };
	static const char odd[] = "gF/:-";
	struct dns_address address = { .ttl = 9 };
	char text[80] = "";

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (dns_parse_reverse(bad[i], &address) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	for (int n = 0; n <= 33; n++) {
		memcpy(text + 2 * n, "ip6.arpa", 9);
		assert_int_equal(dns_parse_reverse(text, &address), n == 32 ? 0 : -EINVAL);
		memcpy(text + 2 * n, "f.", 3);
	}
	memcpy(text + 64, "ip6.arpa", 9);
	assert_int_equal(dns_parse_reverse(text, &address), 0);
	address.ttl = 9;
	for (size_t i = 0; i < sizeof(odd); i++) {
		text[20] = odd[i];
		assert_int_equal(dns_parse_reverse(text, &address), -EINVAL);
	}
	assert_int_equal(address.ttl, 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_is_read_as_it_stands),
		cmocka_unit_test(any_type_can_be_asked_for),
		cmocka_unit_test(what_is_no_plain_query_is_refused_but_its_id_is_known),
		cmocka_unit_test(a_second_question_is_refused),
		cmocka_unit_test(another_class_or_bytes_behind_the_end_are_refused),
		cmocka_unit_test(only_letters_digits_hyphens_and_underscores_are_a_name),
		cmocka_unit_test(the_root_and_names_that_end_in_a_number_are_refused),
		cmocka_unit_test(compression_and_unknown_labels_in_a_question_are_refused),
		cmocka_unit_test(a_name_may_be_as_long_as_names_can_be_and_no_longer),
		cmocka_unit_test(a_query_that_is_cut_short_anywhere_is_refused),
		cmocka_unit_test(a_query_longer_than_messages_are_is_refused),
		cmocka_unit_test(an_opt_record_says_how_much_room_there_is),
		cmocka_unit_test(an_odd_opt_record_is_refused),
		cmocka_unit_test(only_the_question_and_four_bits_go_to_a_server),
		cmocka_unit_test(a_query_of_its_own_is_one_that_would_be_taken),
		cmocka_unit_test(a_name_in_another_spelling_is_not_asked_for),
		cmocka_unit_test(a_reply_is_header_and_question),
		cmocka_unit_test(a_reason_is_an_extended_error),
		cmocka_unit_test(a_long_reason_is_cut_between_characters),
		cmocka_unit_test(addresses_are_told_if_they_were_asked_for),
		cmocka_unit_test(as_many_addresses_are_told_as_fit),
		cmocka_unit_test(a_name_is_told_if_it_was_asked_for),
		cmocka_unit_test(what_was_not_understood_gets_a_header),
		cmocka_unit_test(a_reverse_name_is_an_address),
		cmocka_unit_test(any_other_name_is_no_reverse_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
