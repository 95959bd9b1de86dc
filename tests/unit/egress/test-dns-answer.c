/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of DNS in many versions: every bit, every order, every length; and how they are
 * passed on to the program. Single answers are in tests/texts/dns-answer.text. */

#include "dns-packet.h"

/* The header of an answer about a.example with so many records, and its question. */
static void
answer_head(struct packet *p, unsigned flags, unsigned an, unsigned ns, unsigned ar)
{
	header(p, ID, QR | RD | RA | flags, 1, an, ns, ar);
	question(p, "a.example", DNS_A);
}

/* How many addresses this gives for a.example; -1: it is no answer. */
static int
count_of(const struct packet *p)
{
	struct dns_query query = ask("a.example", DNS_A);
	struct dns_answer answer;

	return answer_of(p->data, p->len, &query, &answer) < 0 ? -1 : (int)answer.n;
}

/* -- addresses --------------------------------------------------------------- */

static void
what_answers_something_else_is_no_answer(void **state)
{
	struct dns_query query = ask("a.example", DNS_A);
	struct dns_answer answer, before;
	struct packet good, p;

	(void)state;
	answer_head(&good, 0, 1, 0, 0);
	a(&good, "a.example", 1, 1);
	assert_int_equal(count_of(&good), 1);
	/* Any other byte up to the records: ids, the opcode, counts, name, type, class. */
	for (size_t i = 0; i < HEADER + query.question_len; i++) {
		unsigned char was = good.data[i], mask;

		if (i == 3 || (i >= 6 && i < HEADER))
			continue; /* codes and counts: other tests */
		for (mask = 1; mask; mask = (unsigned char)(mask << 1)) {
			bool fold = i > HEADER && was >= 'a' && was <= 'z' && mask == 0x20;
			bool flag = i == 2 && mask < 0x08; /* AA, TC, RD */

			p = good;
			p.data[i] = was ^ mask;
			if (count_of(&p) != (fold || flag ? 1 : -1))
				fail_msg("byte %zu, bit %#x", i, mask);
		}
	}
	memset(&answer, 0x55, sizeof(answer));
	before = answer;
	assert_int_equal(dns_parse_answer(good.data, good.len, ID + 1, &query, &answer), -EINVAL);
	assert_memory_equal(&answer, &before, sizeof(answer));
}

static void
to_a_query_that_is_none_nothing_is_an_answer(void **state)
{
	struct dns_query none = { 0 };
	struct dns_answer answer;
	struct packet p;

	(void)state;
	header(&p, ID, QR, 1, 0, 0, 0);
	assert_int_equal(answer_of(p.data, p.len, &none, &answer), -EINVAL);
	answer_head(&p, 0, 0, 0, 0);
	assert_int_equal(answer_of(p.data, p.len, &none, &answer), -EINVAL);
}

static void
a_question_is_known_again_in_any_case(void **state)
{
	struct dns_query query;
	struct dns_answer answer;
	struct packet p;

	(void)state;
	header(&p, 7, RD, 1, 0, 0, 0);
	question(&p, "A.ExAmPlE", DNS_A);
	assert_int_equal(query_of(p.data, p.len, &query), 0);
	answer_head(&p, 0, 1, 0, 0);
	a(&p, "a.EXAMPLE", 5, 1);
	assert_int_equal(answer_of(p.data, p.len, &query, &answer), 0);
	assert_int_equal(answer.n, 1);
}

static void
cnames_are_followed_in_whatever_order_they_stand(void **state)
{
	struct dns_query query = ask("a.example", DNS_A);
	struct dns_answer answer;
	struct packet p;

	(void)state;
	for (int order = 0; order < 256; order++) {
		int at[4] = { order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 };

		if (((1 << at[0]) | (1 << at[1]) | (1 << at[2]) | (1 << at[3])) != 15)
			continue;
		answer_head(&p, 0, 4, 0, 0);
		for (int i = 0; i < 4; i++) {
			if (at[i] == 0)
				cname(&p, "a.example", 50, "B.example");
			else if (at[i] == 1)
				cname(&p, "b.Example", 20, "c.net");
			else
				a(&p, "c.net", at[i] == 2 ? 100 : 10, (uint32_t)at[i]);
		}
		assert_int_equal(answer_of(p.data, p.len, &query, &answer), 0);
		assert_int_equal(answer.n, 2);
		/* The least time on the way there. */
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(
				answer.address[i].ttl, answer.address[i].ip[3] == 2 ? 20 : 10);
	}
}

static void
a_chain_of_cnames_is_followed_so_far_and_no_further(void **state)
{
	struct packet p;

	(void)state;
	for (unsigned n = 15; n <= 18; n++) {
		char from[] = "a.example", to[] = "-.example";

		answer_head(&p, 0, n + 1, 0, 0);
		for (unsigned i = 0; i < n; i++) {
			from[0] = (char)('a' + i);
			to[0] = (char)('a' + i + 1);
			cname(&p, from, 60, to);
		}
		a(&p, to, 60, 1);
		assert_int_equal(count_of(&p), n <= 16 ? 1 : 0);
	}
}

static void
a_record_of_another_length_is_walked_over(void **state)
{
	struct packet p;

	(void)state;
	for (unsigned n = 0; n <= 32; n++) {
		answer_head(&p, 0, 3, 0, 0);
		u16(&p, OWNER);
		record(&p, DNS_A, 60, n);
		bytes(&p, "0123456789abcdef0123456789abcdef", n);
		u16(&p, OWNER);
		record(&p, DNS_AAAA, 60, n);
		bytes(&p, "0123456789abcdef0123456789abcdef", n);
		a(&p, "a.example", 60, 1);
		assert_int_equal(count_of(&p), n == 4 || n == 16 ? 2 : 1);
	}
}

static void
an_answer_that_is_cut_short_anywhere_is_refused_unless_it_says_so(void **state)
{
	struct dns_query query = ask("a.example", DNS_A);
	size_t whole[3], question_end;
	struct dns_answer answer;
	struct packet p;

	(void)state;
	answer_head(&p, 0, 3, 0, 1);
	question_end = p.len;
	a(&p, "a.example", 60, 1);
	whole[0] = p.len;
	cname(&p, "a.example", 60, "b");
	whole[1] = p.len;
	a(&p, "b", 60, 2);
	whole[2] = p.len;
	opt(&p, 1232, 0, 4);
	bytes(&p, "\0\3\0\0", 4);
	assert_int_equal(count_of(&p), 2);
	for (size_t n = 0; n < p.len; n++)
		if (answer_of(p.data, n, &query, &answer) != -EINVAL)
			fail_msg("%zu bytes were taken", n);
	p.data[2] |= TC >> 8;
	for (size_t n = 0; n <= p.len; n++) {
		int r = answer_of(p.data, n, &query, &answer);

		if (r != (n < question_end ? -EINVAL : 0))
			fail_msg("%zu bytes, truncated: %d", n, r);
		if (r < 0)
			continue;
		assert_true(answer.truncated);
		assert_int_equal(answer.n, (n >= whole[0]) + (n >= whole[2]));
	}
}

static void
counts_that_lie_are_refused(void **state)
{
	struct packet p;

	(void)state;
	for (unsigned at = 6; at < HEADER; at += 2) {
		answer_head(&p, 0, 1, 1, 1);
		a(&p, "a.example", 60, 1);
		a(&p, "a.example", 60, 2);
		a(&p, "a.example", 60, 3);
		assert_int_equal(count_of(&p), 1);
		p.data[at + 1] = 2;
		assert_int_equal(count_of(&p), -1);
		p.data[at] = p.data[at + 1] = 0xff;
		assert_int_equal(count_of(&p), -1);
		p.data[at] = p.data[at + 1] = 0; /* then something is behind the end */
		assert_int_equal(count_of(&p), -1);
	}
}

static void
a_pointer_that_does_not_lead_back_is_refused(void **state)
{
	struct packet p;
	unsigned here;

	(void)state;
	answer_head(&p, 0, 1, 0, 0);
	here = (unsigned)p.len;
	/* To itself, forward, past the end, into the header; each with and without a
	 * label in front. */
	for (unsigned label = 0; label < 2; label++) {
		const unsigned bad[] = { here, here + 1, here + 2 * label, here + 2, here + 4,
			here + 14, 0x3fff, 0, 2, HEADER - 1 };

		for (size_t i = 0; i < COUNT(bad); i++) {
			answer_head(&p, 0, 1, 0, 0);
			if (label)
				labels(&p, "x");
			u16(&p, 0xc000 | bad[i]);
			record(&p, DNS_A, 60, 4);
			u32(&p, 0);
			if (count_of(&p) != -1)
				fail_msg("%u: a pointer to %u was taken", here, bad[i]);
		}
	}
	/* Labels of kinds that were never defined. */
	for (unsigned kind = 0x40; kind < 0xc0; kind++) {
		answer_head(&p, 0, 1, 0, 0);
		u8(&p, kind);
		memset(p.data + p.len, 0, kind + 1);
		p.len += kind + 1;
		record(&p, DNS_A, 60, 4);
		u32(&p, 0);
		assert_int_equal(count_of(&p), -1);
	}
}

static void
pointers_behind_pointers_come_to_an_end(void **state)
{
	struct packet p;

	(void)state;
	for (unsigned jumps = 126; jumps <= 129; jumps++) {
		unsigned to = OWNER;

		answer_head(&p, 0, 2, 0, 0);
		u16(&p, OWNER);
		record(&p, DNS_TXT, 60, 2 * (jumps - 1));
		for (unsigned i = 1; i < jumps; i++) {
			u16(&p, to);
			to = 0xc000 | (unsigned)(p.len - 2);
		}
		u16(&p, to);
		record(&p, DNS_A, 60, 4);
		u32(&p, 1);
		assert_int_equal(count_of(&p), jumps <= 127 ? 1 : -1);
	}
}

static void
a_name_that_grows_too_long_by_pointers_is_refused(void **state)
{
	struct packet p;

	(void)state;
	/* 63 + 63 + 63 and a.example: 1 + 1 + 1 + 7 + 1 are left for it of 255. */
	for (size_t last = 49; last <= 53; last++) {
		answer_head(&p, 0, 1, 0, 0);
		fill(&p, 3, 63);
		fill(&p, 1, last - 1);
		u16(&p, OWNER);
		record(&p, DNS_A, 60, 4);
		u32(&p, 1);
		assert_int_equal(count_of(&p), 192 + last + 11 <= 255 ? 0 : -1);
	}
}

static void
more_addresses_than_are_remembered_are_no_error(void **state)
{
	struct dns_query query = ask("a.example", DNS_A);
	static const unsigned counts[] = { 63, 64, 65, 4000 };
	struct dns_answer answer;
	static struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		unsigned n = counts[i];

		answer_head(&p, 0, n, 0, 0);
		for (uint32_t j = 0; j < n; j++) {
			u16(&p, OWNER);
			record(&p, DNS_A, 60, 4);
			u32(&p, j);
		}
		assert_int_equal(answer_of(p.data, p.len, &query, &answer), 0);
		assert_int_equal(answer.n, n < 64 ? n : 64);
		for (size_t j = 0; j < answer.n; j++)
			assert_int_equal(answer.address[j].ip[3], j);
	}
	answer_head(&p, 0, 0, 0, 1);
	u16(&p, OWNER);
	record(&p, DNS_TXT, 60, (unsigned)(DNS_MESSAGE_MAX - p.len - 10));
	memset(p.data + p.len, 0, sizeof(p.data) - p.len);
	assert_int_equal(answer_of(p.data, DNS_MESSAGE_MAX, &query, &answer), 0);
	assert_int_equal(answer_of(p.data, DNS_MESSAGE_MAX + 1, &query, &answer), -EINVAL);
}

/* -- to the program ---------------------------------------------------------- */

/* An answer in whose question the server has changed the case, this long. */
static void
make_answer(struct packet *p, bool edns, size_t len)
{
	answer_head(p, AA, 1, 0, edns);
	p->data[HEADER + 1] = 'A';
	u16(p, OWNER);
	record(p, DNS_TXT, 60, (unsigned)(len - p->len - 10 - (edns ? 11 : 0)));
	memset(p->data + p->len, 'x', len - p->len);
	p->len = len - (edns ? 11 : 0);
	if (edns)
		opt(p, 1232, 0, 0);
	assert_int_equal(p->len, len);
}

static void
an_answer_is_passed_on_with_the_programs_id_and_question(void **state)
{
	struct dns_query query = asked("a.eXample", DNS_A, 0);
	unsigned char out[DNS_UDP_PLAIN];
	struct packet p;

	(void)state;
	make_answer(&p, false, 100);
	assert_int_equal(dns_pass_on(&query, p.data, p.len, query.room, out), 100);
	assert_int_equal(at16(out), 0xbeef);
	assert_memory_equal(out + 2, p.data + 2, HEADER - 2);
	assert_memory_equal(out + HEADER, query.question, query.question_len);
	assert_memory_equal(out + HEADER + query.question_len, p.data + HEADER + query.question_len,
		100 - HEADER - query.question_len);
}

static void
an_answer_that_is_too_long_is_passed_on_truncated(void **state)
{
	static const struct {
		unsigned size; /* of the program's EDNS */
		size_t room, len;
		bool whole;
	} cases[] = {
		{ 0, 512, 512, true },
		{ 0, 512, 513, false },
		{ 1000, 1000, 1000, true },
		{ 1000, 1000, 1001, false },
		{ 4096, 1232, 1232, true },
		{ 4096, 1232, 1233, false },
		{ 4096, DNS_MESSAGE_MAX, DNS_MESSAGE_MAX, true },
	};
	static struct packet p;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dns_query query = asked("a.example", DNS_A, cases[i].size);
		size_t bare = HEADER + query.question_len, n;
		unsigned char *out = malloc(cases[i].room);

		assert_non_null(out);
		make_answer(&p, cases[i].size > 0, cases[i].len);
		p.data[3] |= DNS_NO_NAME;
		n = dns_pass_on(&query, p.data, p.len, cases[i].room, out);
		assert_int_equal(n, cases[i].whole ? cases[i].len : bare);
		assert_int_equal(at16(out), 0xbeef);
		assert_int_equal(
			at16(out + 2), QR | AA | RD | RA | DNS_NO_NAME | (cases[i].whole ? 0 : TC));
		assert_int_equal(at16(out + 4), 1);
		assert_int_equal(at16(out + 6), cases[i].whole);
		assert_int_equal(at16(out + 10), cases[i].whole && cases[i].size > 0);
		assert_memory_equal(out + HEADER, query.question, query.question_len);
		free(out);
	}
}

static void
an_opt_record_that_was_not_asked_for_is_not_passed_on(void **state)
{
	struct dns_query query = asked("a.example", DNS_A, 0);
	size_t bare = HEADER + query.question_len;
	unsigned char out[DNS_UDP_PLAIN];
	struct packet p;

	(void)state;
	make_answer(&p, true, 100);
	assert_int_equal(dns_pass_on(&query, p.data, p.len, DNS_UDP_PLAIN, out), bare);
	assert_true(at16(out + 2) & TC);
	assert_int_equal(at16(out + 10), 0);
	/* In whatever section. */
	p.data[7] = 0;
	p.data[9] = 2;
	p.data[11] = 0;
	assert_int_equal(dns_pass_on(&query, p.data, p.len, DNS_UDP_PLAIN, out), bare);
	query = asked("a.example", DNS_A, 512);
	assert_int_equal(dns_pass_on(&query, p.data, p.len, DNS_UDP_PLAIN, out), 100);
}

static void
what_is_no_answer_is_not_passed_on(void **state)
{
	struct dns_query query = asked("a.example", DNS_A, 4096);
	unsigned char out[DNS_UDP_PLAIN];
	struct packet good, p;

	(void)state;
	make_answer(&good, false, 100);
	for (int i = 0; i < 4; i++) {
		size_t len = good.len;

		p = good;
		if (i == 0)
			p.data[2] &= 0x7f; /* a query */
		else if (i == 1)
			p.data[HEADER + 1] = 'b';
		else if (i == 2)
			len--;
		else
			len = 5;
		assert_int_equal(dns_pass_on(&query, p.data, len, query.room, out),
			HEADER + query.question_len);
		assert_int_equal(at16(out), 0xbeef);
		assert_int_equal(at16(out + 2), QR | RD | RA | DNS_SERVER);
		assert_memory_equal(out + HEADER, query.question, query.question_len);
	}
	/* Cut short, and says so. */
	good.data[2] |= TC >> 8;
	assert_int_equal(dns_pass_on(&query, good.data, good.len - 1, query.room, out), 99);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_answers_something_else_is_no_answer),
		cmocka_unit_test(to_a_query_that_is_none_nothing_is_an_answer),
		cmocka_unit_test(a_question_is_known_again_in_any_case),
		cmocka_unit_test(cnames_are_followed_in_whatever_order_they_stand),
		cmocka_unit_test(a_chain_of_cnames_is_followed_so_far_and_no_further),
		cmocka_unit_test(a_record_of_another_length_is_walked_over),
		cmocka_unit_test(an_answer_that_is_cut_short_anywhere_is_refused_unless_it_says_so),
		cmocka_unit_test(counts_that_lie_are_refused),
		cmocka_unit_test(a_pointer_that_does_not_lead_back_is_refused),
		cmocka_unit_test(pointers_behind_pointers_come_to_an_end),
		cmocka_unit_test(a_name_that_grows_too_long_by_pointers_is_refused),
		cmocka_unit_test(more_addresses_than_are_remembered_are_no_error),
		cmocka_unit_test(an_answer_is_passed_on_with_the_programs_id_and_question),
		cmocka_unit_test(an_answer_that_is_too_long_is_passed_on_truncated),
		cmocka_unit_test(an_opt_record_that_was_not_asked_for_is_not_passed_on),
		cmocka_unit_test(what_is_no_answer_is_not_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
