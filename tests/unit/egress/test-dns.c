/* SPDX-License-Identifier: Apache-2.0 */
/* Replies say no more than they should, in no more room than there is, and a query that is
 * passed on is ambit's own. Single queries and names are in tests/texts: dns-query.text,
 * dns-name.text. */

#include "dns-packet.h"

/* -- queries ----------------------------------------------------------------- */

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_letters_digits_hyphens_and_underscores_are_a_name),
		cmocka_unit_test(a_query_longer_than_messages_are_is_refused),
		cmocka_unit_test(only_the_question_and_four_bits_go_to_a_server),
		cmocka_unit_test(a_query_of_its_own_is_one_that_would_be_taken),
		cmocka_unit_test(a_reply_is_header_and_question),
		cmocka_unit_test(a_reason_is_an_extended_error),
		cmocka_unit_test(a_long_reason_is_cut_between_characters),
		cmocka_unit_test(addresses_are_told_if_they_were_asked_for),
		cmocka_unit_test(as_many_addresses_are_told_as_fit),
		cmocka_unit_test(a_name_is_told_if_it_was_asked_for),
		cmocka_unit_test(what_was_not_understood_gets_a_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
