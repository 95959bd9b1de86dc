/* SPDX-License-Identifier: Apache-2.0 */
/* ClientHellos in many versions: every value of a byte, every lie in a length, records cut at
 * every place. Single ones are in tests/texts/hello.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "egress/http/hello.h"
#include "hellos.h"

#define UNTOUCHED "untouched"
#define RECORD_MAX 16384

struct bytes {
	unsigned char at[2 * HELLO_MAX];
	size_t len;
};

/* -- making them ----------------------------------------------------------------------- */

static void
put(struct bytes *to, const void *data, size_t len)
{
	assert_true(len <= sizeof(to->at) - to->len);
	memcpy(to->at + to->len, data, len);
	to->len += len;
}

static void
put_number(struct bytes *to, size_t bytes, size_t number)
{
	while (bytes-- > 0)
		put(to, &(unsigned char){ (unsigned char)(number >> 8 * bytes) }, 1);
}

static void
fill(struct bytes *to, int c, size_t len)
{
	assert_true(len <= sizeof(to->at) - to->len);
	memset(to->at + to->len, c, len);
	to->len += len;
}

static void
put_extension(struct bytes *to, size_t type, const void *data, size_t len)
{
	put_number(to, 2, type);
	put_number(to, 2, len);
	put(to, data, len);
}

static void
put_name(struct bytes *to, size_t kind, const char *name, size_t len)
{
	put_number(to, 2, 0);
	put_number(to, 2, len + 5);
	put_number(to, 2, len + 3);
	put_number(to, 1, kind);
	put_number(to, 2, len);
	put(to, name, len);
}

static void
unhex(struct bytes *to, const char *hex)
{
	static const char digits[] = "0123456789abcdef";

	to->len = 0;
	for (; hex[0] && hex[1]; hex += 2)
		put_number(to, 1,
			(size_t)((strchr(digits, hex[0]) - digits) << 4 |
				 (strchr(digits, hex[1]) - digits)));
}

/* A handshake message as records of this size each. */
static void
split(struct bytes *to, const struct bytes *message, size_t size)
{
	to->len = 0;
	for (size_t at = 0; at < message->len; at += size) {
		size_t n = message->len - at < size ? message->len - at : size;

		put_number(to, 3, 0x160301);
		put_number(to, 2, n);
		put(to, message->at + at, n);
	}
}

/* And back. */
static void
join(struct bytes *to, const struct bytes *records)
{
	to->len = 0;
	for (size_t at = 0; at < records->len;) {
		size_t n = (size_t)records->at[at + 3] << 8 | records->at[at + 4];

		put(to, records->at + at + 5, n);
		at += 5 + n;
	}
}

/* The message without its records. Where its lengths stand, see lengths[] below. */
static void
make_message(struct bytes *to, const struct bytes *extensions)
{
	struct bytes *body = calloc(1, sizeof(*body));

	assert_non_null(body);
	put_number(body, 2, 0x0303);
	fill(body, 0xaa, 32);
	put_number(body, 1, 32);
	fill(body, 0xbb, 32);
	put_number(body, 2, 4);
	put_number(body, 4, 0x13011302);
	put_number(body, 2, 0x0100); /* one method: none */
	if (extensions) {
		put_number(body, 2, extensions->len);
		put(body, extensions->at, extensions->len);
	}
	to->len = 0;
	put_number(to, 1, 1);
	put_number(to, 3, body->len);
	put(to, body->at, body->len);
	free(body);
}

/* A whole hello with these extensions, in records of the usual size. */
static void
make(struct bytes *to, const struct bytes *extensions)
{
	struct bytes *message = calloc(1, sizeof(*message));

	assert_non_null(message);
	make_message(message, extensions);
	split(to, message, RECORD_MAX);
	free(message);
}

/* -- looking at them ------------------------------------------------------------------- */

/* An exact-sized copy: a read past the end is seen. name is filled as by hello_parse. */
static enum hello
parse(const void *data, size_t len, char name[HELLO_NAME_MAX])
{
	unsigned char *copy = malloc(len > 0 ? len : 1);
	enum hello result;

	assert_non_null(copy);
	memcpy(copy, data, len);
	memcpy(name, UNTOUCHED, sizeof(UNTOUCHED));
	result = hello_parse(copy, len, name);
	if (result != HELLO_NAMED)
		assert_string_equal(name, UNTOUCHED);
	free(copy);
	return result;
}

static void
check(const struct bytes *hello, enum hello want, const char *want_name)
{
	char name[HELLO_NAME_MAX];

	assert_int_equal(parse(hello->at, hello->len, name), want);
	if (want == HELLO_NAMED)
		assert_string_equal(name, want_name);
}

/* The same, and that all that is shorter waits for more. */
static void
check_each(const struct bytes *hello, enum hello want, const char *want_name)
{
	char name[HELLO_NAME_MAX];

	for (size_t n = 0; n < hello->len; n++)
		assert_int_equal(parse(hello->at, n, name), HELLO_MORE);
	check(hello, want, want_name);
}

/* Whatever comes of it, a shorter look says "more" or the same. */
static void
check_bad(const struct bytes *hello)
{
	char name[HELLO_NAME_MAX];

	for (size_t n = 0; n < hello->len; n++) {
		enum hello result = parse(hello->at, n, name);

		assert_true(result == HELLO_MORE || result == HELLO_BAD);
	}
	check(hello, HELLO_BAD, NULL);
}

/* Large enough for a stack to mind. */
static struct bytes hello, message, extensions, other;

static void
what_comes_behind_does_not_matter(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		unhex(&hello, hello_curl);
		fill(&hello, c, 300);
		check(&hello, HELLO_NAMED, "api.github.com");
	}
	unhex(&hello, hello_tls13);
	unhex(&other, hello_curl);
	put(&hello, other.at, other.len);
	check(&hello, HELLO_NAMED, "www.example.com");
	unhex(&hello, hello_tls13);
	fill(&hello, 0, 70000);
	check(&hello, HELLO_NAMED, "www.example.com");
}

static void
a_record_ends_with_the_hello(void **state)
{
	(void)state;
	unhex(&other, hello_tls13);
	join(&message, &other);
	put(&message, message.at, message.len);
	split(&hello, &message, RECORD_MAX);
	check_bad(&hello);
	message.len = message.len / 2 + 1;
	split(&hello, &message, RECORD_MAX);
	check_bad(&hello);
	split(&hello, &message, message.len - 1); /* what is more has a record of its own */
	check(&hello, HELLO_NAMED, "www.example.com");
}

/* Extensions with a key share of X25519MLKEM768's size in front, and the name behind. */
static void
put_large(size_t padding)
{
	extensions.len = 0;
	put_number(&extensions, 8, 0x003304c604c411ecULL);
	put_number(&extensions, 2, 1216);
	fill(&extensions, 0x5a, 1216);
	put_number(&extensions, 2, 21);
	put_number(&extensions, 2, padding);
	fill(&extensions, 0, padding);
	put_name(&extensions, 0, "big.example.com", 15);
}

static void
a_large_one_is_read_over_its_records(void **state)
{
	static const size_t paddings[] = { 0, 200, 17000, 40000, 60000 };

	(void)state;
	for (size_t i = 0; i < sizeof(paddings) / sizeof(paddings[0]); i++) {
		char name[HELLO_NAME_MAX];

		put_large(paddings[i]);
		make(&hello, &extensions);
		for (size_t n = 0; n < hello.len; n += 1 + n / 64)
			assert_int_equal(parse(hello.at, n, name), HELLO_MORE);
		assert_int_equal(parse(hello.at, hello.len - 1, name), HELLO_MORE);
		check(&hello, HELLO_NAMED, "big.example.com");
	}
}

static void
one_of_the_greatest_length_is_read_and_no_longer(void **state)
{
	char name[HELLO_NAME_MAX];
	size_t without;

	(void)state;
	put_large(0);
	make_message(&message, &extensions);
	without = message.len + 5 * 4; /* four records are enough for 65516 bytes */
	put_large(HELLO_MAX - without);
	make(&hello, &extensions);
	assert_int_equal(hello.len, HELLO_MAX);
	assert_int_equal(parse(hello.at, HELLO_MAX - 1, name), HELLO_MORE);
	check(&hello, HELLO_NAMED, "big.example.com");

	/* One byte more: at the limit it is known that it will not end in time. */
	make_message(&message, &extensions);
	split(&hello, &message, message.len / 5);
	assert_true(hello.len > HELLO_MAX);
	check(&hello, HELLO_BAD, NULL);
	assert_int_equal(parse(hello.at, HELLO_MAX, name), HELLO_BAD);
	assert_int_equal(parse(hello.at, HELLO_MAX - 1, name), HELLO_MORE);

	/* And one that says so is not waited for. */
	hello.len = 0;
	put_number(&hello, 5, 0x1603014000ULL);
	put_number(&hello, 4, 0x01010001);
	check_bad(&hello);
}

/* -- lengths --------------------------------------------------------------------------- */

/* In what make() makes, with the name and an extension of 300 bytes behind it. */
static const struct {
	size_t at, bytes;
} lengths[] = {
	{ 3, 2 },   /* record */
	{ 6, 3 },   /* message */
	{ 43, 1 },  /* session */
	{ 76, 2 },  /* suites */
	{ 82, 1 },  /* methods */
	{ 84, 2 },  /* extensions */
	{ 88, 2 },  /* server_name */
	{ 90, 2 },  /* its list */
	{ 93, 2 },  /* the name */
	{ 106, 2 }, /* the next one */
};

static void
a_lie_in_any_length_is_not_believed(void **state)
{
	static const char zeros[300];
	char name[HELLO_NAME_MAX];

	(void)state;
	extensions.len = 0;
	put_name(&extensions, 0, "a.example", 9);
	/* More than methods can swallow, and nothing that could be some: a hello that
	 * has all of this for methods is a good one. */
	put_extension(&extensions, 0x4321, zeros, sizeof(zeros));
	make(&other, &extensions);
	check_each(&other, HELLO_NAMED, "a.example");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t bits = lengths[i].bytes == 1 ? 8 : 16;
		unsigned char *low = hello.at + lengths[i].at + lengths[i].bytes - 1;

		memcpy(&hello, &other, sizeof(hello));
		fill(&hello, 0, 300); /* so that it has something to read */
		for (size_t lie = 0; lie < 1u << bits; lie++) {
			enum hello result;

			*low = (unsigned char)lie;
			if (bits > 8)
				low[-1] = (unsigned char)(lie >> 8);
			result = parse(hello.at, hello.len, name);
			if (memcmp(hello.at, other.at, other.len) == 0)
				assert_int_equal(result, HELLO_NAMED);
			else if (result != HELLO_BAD && result != HELLO_MORE)
				fail_msg("%zu at %zu", lie, lengths[i].at);
		}
	}
}

static void
a_message_of_16_mb_is_not_waited_for(void **state)
{
	(void)state;
	for (int high = 1; high < 256; high++) {
		make(&hello, NULL);
		hello.at[6] = (unsigned char)high;
		check(&hello, HELLO_BAD, NULL);
	}
}

/* -- names ----------------------------------------------------------------------------- */

static void
check_name(const char *name, size_t len, const char *want)
{
	extensions.len = 0;
	put_name(&extensions, 0, name, len);
	make(&hello, &extensions);
	if (want)
		check_each(&hello, HELLO_NAMED, want);
	else
		check_bad(&hello);
}

static void
a_name_has_letters_digits_and_three_other_characters(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		char text[] = { 'a', (char)c, 'b' };
		bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || strchr("-_.", c + !c);
		char want[] = { 'a', (char)(c >= 'A' && c <= 'Z' ? c + 32 : c), 'b', '\0' };

		check_name(text, sizeof(text), good ? want : NULL);
	}
}

static void
a_name_of_another_kind_is_bad(void **state)
{
	(void)state;
	for (size_t kind = 0; kind < 256; kind++) {
		extensions.len = 0;
		put_name(&extensions, kind, "a.example", 9);
		make(&hello, &extensions);
		check(&hello, kind == 0 ? HELLO_NAMED : HELLO_BAD, "a.example");
	}
}

/* -- a second one ------------------------------------------------------------------------ */

static void
its_length_is_known_whatever_comes_behind(void **state)
{
	(void)state;
	extensions.len = 0;
	put_name(&extensions, 0, "a.example", 9);
	make(&hello, &extensions);
	assert_int_equal(hello_length(hello.at, hello.len), hello.len);
	assert_int_equal(hello_length(hello.at, hello.len - 1), 0);
	hello.at[hello.len] = 0x17;
	assert_int_equal(hello_length(hello.at, hello.len + 1), hello.len);
}

/* -- what is around it ------------------------------------------------------------------ */

static void
no_other_record_comes_amid_it(void **state)
{
	static const struct {
		const char *record;
		size_t len;
	} others[] = {
		{ "\x15\3\1\0\2\1\0", 7 }, /* alert */
		{ "\x14\3\1\0\1\1", 6 },
		{ "\x17\3\1\0\1x", 6 },
		{ "\x18\3\1\0\1x", 6 },
		{ "\x16\2\1\0\1x", 6 },
		{ "\x16\3\1\0\0", 5 },	 /* empty */
		{ "\x16\3\1\x40\1", 5 }, /* more than there may be */
		{ "\x80\x2e\1\3\1", 5 },
		{ "GET / HTTP/1.1\r\n", 16 },
	};

	(void)state;
	unhex(&other, hello_tls12);
	join(&message, &other);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		for (size_t at = 1; at < message.len; at += 7) {
			hello.len = 0;
			put_number(&hello, 5, 0x1603010000ULL | at);
			put(&hello, message.at, at);
			put(&hello, others[i].record, others[i].len);
			put_number(&hello, 5, 0x1603010000ULL | (message.len - at));
			put(&hello, message.at + at, message.len - at);
			check_bad(&hello);
		}
	}
	/* What is right but for the label on its record. */
	for (size_t label = 0; label < 256; label++) {
		split(&hello, &message, message.len / 2 + 1);
		hello.at[message.len / 2 + 6] = (unsigned char)label;
		check(&hello, label == 0x16 ? HELLO_NAMED : HELLO_BAD, "example.com");
		split(&hello, &message, message.len / 2 + 1);
		hello.at[message.len / 2 + 7] = (unsigned char)label;
		check(&hello, label == 3 ? HELLO_NAMED : HELLO_BAD, "example.com");
	}
	/* Nor an empty one in front. */
	hello.len = 0;
	put_number(&hello, 5, 0x1603010000ULL);
	put(&hello, other.at, other.len);
	check_bad(&hello);
}

static void
a_record_has_16384_bytes_and_no_more(void **state)
{
	(void)state;
	put_large(20000);
	make_message(&message, &extensions);
	split(&hello, &message, RECORD_MAX);
	check(&hello, HELLO_NAMED, "big.example.com");
	split(&hello, &message, RECORD_MAX + 1);
	check(&hello, HELLO_BAD, NULL);
}

static void
the_first_message_is_a_client_hello(void **state)
{
	(void)state;
	for (int type = 0; type < 256; type++) {
		make(&hello, NULL);
		hello.at[5] = (unsigned char)type;
		check(&hello, type == 1 ? HELLO_NAMELESS : HELLO_BAD, NULL);
		hello.len = 6;
		check(&hello, type == 1 ? HELLO_MORE : HELLO_BAD, NULL);
	}
}

static void
any_version_3_but_ssl_3_is_read(void **state)
{
	(void)state;
	for (int minor = 0; minor < 256; minor++) {
		make(&hello, NULL);
		hello.at[2] = (unsigned char)minor;
		check(&hello, HELLO_NAMELESS, NULL);
		make(&hello, NULL);
		hello.at[10] = (unsigned char)minor;
		check(&hello, minor == 0 ? HELLO_BAD : HELLO_NAMELESS, NULL);
		make(&hello, NULL);
		hello.at[9] = (unsigned char)minor; /* the major one */
		check(&hello, minor == 3 ? HELLO_NAMELESS : HELLO_BAD, NULL);
	}
}

static void
an_sslv2_hello_is_bad(void **state)
{
	static const char v2[] = "\x80\x2e\1\3\1\0\x15\0\0\0\x10\1\0\x80";
	char name[HELLO_NAME_MAX];

	(void)state;
	for (int first = 0x80; first < 256; first++) {
		hello.len = 0;
		put(&hello, v2, sizeof(v2) - 1);
		hello.at[0] = (unsigned char)first;
		assert_int_equal(parse(hello.at, 0, name), HELLO_MORE);
		assert_int_equal(parse(hello.at, 1, name), HELLO_MORE);
		assert_int_equal(parse(hello.at, 2, name), HELLO_MORE);
		for (size_t n = 3; n <= hello.len; n++)
			assert_int_equal(parse(hello.at, n, name), HELLO_BAD);
		hello.at[2] = 0; /* remote procedure calls begin like this */
		for (size_t n = 3; n <= hello.len; n++)
			assert_int_equal(parse(hello.at, n, name), HELLO_NOT);
	}
}

static void
what_is_not_tls_is_told_at_once(void **state)
{
	char name[HELLO_NAME_MAX];

	(void)state;
	for (int first = 0; first < 0x80; first++) {
		char data[] = { (char)first, 3, 1 };

		bool tls = first >= 0x14 && first <= 0x18;

		assert_int_equal(parse(data, 1, name), tls ? HELLO_MORE : HELLO_NOT);
		/* Any record in front of the hello is none that a client sends. */
		assert_int_equal(parse(data, 3, name), first == 0x16 ? HELLO_MORE
						       : tls	     ? HELLO_BAD
								     : HELLO_NOT);
	}
	/* Not every server looks at the version. */
	for (int second = 0; second < 256; second++) {
		char data[] = { 0x16, (char)second, 1, 0, 2, 1 },
		     alert[] = { 0x15, (char)second, 1, 0, 2, 1 };
		char data_record[] = { 0x17, (char)second, 1, 0, 2, 1 };

		if (second == 3)
			continue;
		assert_int_equal(parse(data, 5, name), HELLO_MORE);
		assert_int_equal(parse(data, 6, name), HELLO_BAD);
		assert_int_equal(parse(alert, 6, name), HELLO_BAD);
		assert_int_equal(parse(data_record, 2, name), HELLO_NOT);
		data[5] = 2;
		alert[4] = 3;
		assert_int_equal(parse(data, 6, name), HELLO_NOT);
		assert_int_equal(parse(alert, 6, name), HELLO_NOT);
	}
	assert_int_equal(hello_parse(NULL, 0, name), HELLO_MORE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_behind_does_not_matter),
		cmocka_unit_test(a_record_ends_with_the_hello),
		cmocka_unit_test(a_large_one_is_read_over_its_records),
		cmocka_unit_test(one_of_the_greatest_length_is_read_and_no_longer),
		cmocka_unit_test(a_lie_in_any_length_is_not_believed),
		cmocka_unit_test(a_message_of_16_mb_is_not_waited_for),
		cmocka_unit_test(a_name_has_letters_digits_and_three_other_characters),
		cmocka_unit_test(a_name_of_another_kind_is_bad),
		cmocka_unit_test(its_length_is_known_whatever_comes_behind),
		cmocka_unit_test(no_other_record_comes_amid_it),
		cmocka_unit_test(a_record_has_16384_bytes_and_no_more),
		cmocka_unit_test(the_first_message_is_a_client_hello),
		cmocka_unit_test(any_version_3_but_ssl_3_is_read),
		cmocka_unit_test(an_sslv2_hello_is_bad),
		cmocka_unit_test(what_is_not_tls_is_told_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
