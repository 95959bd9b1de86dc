/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "dns-query" and "dns-answer": a message of DNS, in the notation of textbytes.h,
 * becomes what ambit takes from it. An answer is one to the query with the id 1234 for
 * addresses of a.example. The kind "dns-name": a name becomes a query or, with args:
 * reverse, the address that it stands for.
 *
 * A message that is taken is also given in every shorter length: each of them must be
 * refused. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/dns/dns.h"
#include "textbytes.h"
#include "textframe.h"

#define HEADER 12
#define ID 0x1234
#define TRUNCATED 0x02 /* in the third byte */

static unsigned
read_u16(const char *data)
{
	return (unsigned)(unsigned char)data[0] << 8 | (unsigned char)data[1];
}

/* -- queries --------------------------------------------------------------------------- */

/* In a copy of its size, so that the sanitizer sees a look past its end. NULL, or what is
 * wrong with query. */
static const char *
parse_query(const char *data, size_t len, int *ret_r, struct dns_query *query)
{
	auto_free char *copy = textframe_exact(data, len);
	bool header = len >= HEADER;

	memset(query, 0xaa, sizeof(*query));
	*ret_r = dns_parse_query(copy, len, query);
	if (*ret_r != 0 && *ret_r != -EINVAL)
		return "another error";
	if (query->id != (header ? read_u16(data) : 0) ||
		query->flags != (header ? read_u16(data + 2) : 0))
		return "id and flags are not those of the header";
	if (*ret_r < 0)
		return query->name[0] || query->question_len != 0 ? "half a query was written"
								  : NULL;
	if (query->question_len > len - HEADER ||
		memcmp(query->question, data + HEADER, query->question_len) != 0)
		return "the question is another";
	return NULL;
}

static const char *
check_shorter_queries(const char *data, size_t len)
{
	const char *why = NULL;

	for (size_t n = 0; !why && n < len; n++) {
		struct dns_query query;
		int r;

		why = parse_query(data, n, &r, &query);
		if (!why && r == 0)
			why = "it was taken without its last byte";
	}
	return why;
}

static const char *
read_query(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	auto_buf struct buf bytes = { 0 };
	struct dns_query query;
	const char *why;
	int r;

	(void)test;
	if (!textbytes_encode(text, len, &bytes))
		return "not in the notation of textbytes.h";
	why = parse_query(bytes.data, bytes.len, &r, &query);
	if (r < 0) {
		buf_puts(result, "refused");
		return why;
	}
	buf_printf(result, "type=%d name=%s", query.type, query.name);
	if (query.edns)
		buf_puts(result, " edns");
	if (query.dnssec)
		buf_puts(result, " dnssec");
	if (query.room != DNS_UDP_PLAIN)
		buf_printf(result, " room=%d", query.room);
	return why ? why : check_shorter_queries(bytes.data, bytes.len);
}

static const char *
run_query(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_query);
}

const struct text_kind text_dns_query = {
	.name = "dns-query",
	.inputs = "in frame?",
	.run = run_query,
};

/* -- answers --------------------------------------------------------------------------- */

static const char *
parse_answer(const char *data, size_t len, int *ret_r, struct dns_answer *answer)
{
	auto_free char *copy = textframe_exact(data, len);
	struct dns_query query;
	struct dns_answer mark;

	if (dns_query_init(&query, "a.example", DNS_A) < 0)
		return "no query";
	memset(&mark, 0xaa, sizeof(mark));
	memset(answer, 0xaa, sizeof(*answer));
	*ret_r = dns_parse_answer(copy, len, ID, &query, answer);
	if (*ret_r == 0)
		return answer->n > DNS_ADDRESSES_MAX ? "too many addresses" : NULL;
	return *ret_r != -EINVAL			  ? "another error"
	       : memcmp(answer, &mark, sizeof(mark)) != 0 ? "half an answer was written"
							  : NULL;
}

static const char *
print_address(const struct dns_address *address, struct buf *result)
{
	static const unsigned char zeros[12];
	char text[INET6_ADDRSTRLEN];

	inet_ntop(address->v6 ? AF_INET6 : AF_INET, address->ip, text, sizeof(text));
	buf_puts(result, text);
	return !address->v6 && memcmp(address->ip + 4, zeros, sizeof(zeros)) != 0
		       ? "more than four bytes of an address"
		       : NULL;
}

static const char *
print_answer(const struct dns_answer *answer, struct buf *result)
{
	const char *why = NULL;

	if (answer->code != DNS_OK)
		buf_printf(result, "code %d, ", (int)answer->code);
	if (answer->truncated)
		buf_puts(result, "truncated, ");
	if (answer->n == 0)
		buf_puts(result, "no address");
	for (size_t i = 0; !why && i < answer->n; i++) {
		buf_puts(result, i > 0 ? ", " : "");
		why = print_address(&answer->address[i], result);
		buf_printf(result, " for %u s", (unsigned)answer->address[i].ttl);
	}
	return why;
}

static const char *
check_shorter_answers(const char *data, size_t len)
{
	const char *why = NULL;

	for (size_t n = 0; !why && n < len; n++) {
		struct dns_answer answer;
		int r = 0;

		why = parse_answer(data, n, &r, &answer);
		if (!why && r == 0)
			why = "it was taken without its last byte";
	}
	return why;
}

static const char *
read_answer(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	auto_buf struct buf bytes = { 0 };
	struct dns_answer answer;
	const char *why;
	int r = 0;

	(void)test;
	if (!textbytes_encode(text, len, &bytes))
		return "not in the notation of textbytes.h";
	why = parse_answer(bytes.data, bytes.len, &r, &answer);
	if (!why && r == 0)
		why = print_answer(&answer, result);
	else
		buf_puts(result, "refused");
	if (!why && r == 0 && !(bytes.data[2] & TRUNCATED))
		why = check_shorter_answers(bytes.data, bytes.len);
	return why;
}

static const char *
run_answer(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_answer);
}

const struct text_kind text_dns_answer = {
	.name = "dns-answer",
	.inputs = "in frame?",
	.run = run_answer,
};

/* -- names ----------------------------------------------------------------------------- */

static const char *
read_reverse(const char *name, struct buf *result)
{
	struct dns_address address, before;

	memset(&address, 0xaa, sizeof(address));
	before = address;
	if (dns_parse_reverse(name, &address) == 0)
		return address.ttl != 0 ? "a time to live" : print_address(&address, result);
	buf_puts(result, "refused");
	return memcmp(&address, &before, sizeof(address)) != 0 ? "an address was written" : NULL;
}

static const char *
read_asked(const char *name, struct buf *result)
{
	struct dns_query query, before;

	memset(&query, 0x55, sizeof(query));
	before = query;
	if (dns_query_init(&query, name, DNS_A) == 0) {
		buf_printf(result, "%zu bytes", query.question_len);
		return streq(query.name, name) ? NULL : "another name";
	}
	buf_puts(result, "refused");
	return memcmp(&query, &before, sizeof(query)) != 0 ? "half a query was written" : NULL;
}

static const char *
run_name(const struct text_test *test, struct text_outputs *out)
{
	const char *name = text_find(test, "in")->data, *why;
	auto_buf struct buf result = { 0 };

	if (streq(test->args, "reverse"))
		why = read_reverse(name, &result);
	else if (streq(test->args, "asked"))
		why = read_asked(name, &result);
	else
		return "args: is not reverse or asked";
	text_puts(out, "", result.data ? result.data : "");
	return why;
}

const struct text_kind text_dns_name = {
	.name = "dns-name",
	.inputs = "in",
	.run = run_name,
};
