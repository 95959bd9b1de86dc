/* SPDX-License-Identifier: Apache-2.0 */
/* The name in a ClientHello is read as a server reads it, or not at all. */

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

static const struct {
	const char *hex;
	const char *name; /* NULL: it has none */
} reals[] = {
	{ hello_tls10, "old.example.com" },
	{ hello_tls12, "example.com" },
	{ hello_tls13, "www.example.com" },
	{ hello_nameless, NULL },
	{ hello_records, "split.example.com" },
	{ hello_curl, "api.github.com" },
	{ hello_python, "pypi.org" },
	{ hello_node, "registry.npmjs.org" },
	{ hello_java, "repo.maven.apache.org" },
	{ hello_gnutls, "github.com" },
};

#define REALS (sizeof(reals) / sizeof(reals[0]))

/* Large enough for a stack to mind. */
static struct bytes hello, message, extensions, other;

static void
real_clients_are_read_byte_by_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < REALS; i++) {
		unhex(&hello, reals[i].hex);
		check_each(&hello, reals[i].name ? HELLO_NAMED : HELLO_NAMELESS, reals[i].name);
	}
}

static void
it_may_be_split_over_records_anywhere(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 5, 7, 41, 255, RECORD_MAX };

	(void)state;
	for (size_t i = 0; i < REALS; i++) {
		unhex(&other, reals[i].hex);
		join(&message, &other);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			split(&hello, &message, sizes[k]);
			check_each(&hello, reals[i].name ? HELLO_NAMED : HELLO_NAMELESS,
				reals[i].name);
		}
	}
}

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

static void
extensions_are_needless(void **state)
{
	(void)state;
	make(&hello, NULL);
	check_each(&hello, HELLO_NAMELESS, NULL);
	extensions.len = 0;
	make(&hello, &extensions);
	check_each(&hello, HELLO_NAMELESS, NULL);
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
every_spelling_of_a_name_becomes_one(void **state)
{
	static const char *const names[][2] = {
		{ "example.com", "example.com" },
		{ "EXAMPLE.Com", "example.com" },
		{ "example.com.", "example.com" },
		{ "localhost", "localhost" },
		{ "_a-b.example", "_a-b.example" },
		{ "xn--bcher-kva.example", "xn--bcher-kva.example" },
		{ "1.2.3.4.example", "1.2.3.4.example" },
		{ "4a", "4a" },
	};
	char longest[255];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_name(names[i][0], strlen(names[i][0]), names[i][1]);
	memset(longest, 'a', sizeof(longest));
	for (size_t i = 63; i < 253; i += 64)
		longest[i] = '.';
	longest[253] = '\0';
	check_name(longest, 253, longest);
	longest[253] = '.';
	check_name(longest, 255, NULL);
	longest[254] = '\0';
	longest[253] = 'a';
	check_name(longest, 254, NULL);
	longest[253] = '.';
	other.len = 0;
	put(&other, longest, 253);
	put_number(&other, 1, 0);
	check_name(longest, 254, (const char *)other.at);
}

static void
what_is_no_name_is_bad(void **state)
{
	static const char *const names[] = { ".", "..", ".a", "a..b", "a..", "a b", " a", "a ",
		"a/b", "a:443", "a@b", "a%2eb", "a\\b", "a,b", "a\tb", "a\nb", "a\rb", "*.a",
		"[::1]", "::1", "1.2.3.4", "1.2.3.4.", "127.1", "2130706433", "0x7f.1",
		"0x7f000001", "a.0X1", "a.1", "b\303\274cher.example", "a\343\200\202b", "\177" };
	char label[70];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_name(names[i], strlen(names[i]), NULL);
	check_name("", 0, NULL);
	check_name("a\0", 2, NULL);
	check_name("good.example\0.evil.example", 26, NULL);
	memset(label, 'a', sizeof(label));
	check_name(label, 64, NULL);
	for (int c = 0; c < 256; c++) {
		char text[] = { 'a', (char)c, 'b' };
		bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || strchr("-_.", c + !c);
		char want[] = { 'a', (char)(c >= 'A' && c <= 'Z' ? c + 32 : c), 'b', '\0' };

		check_name(text, sizeof(text), good ? want : NULL);
	}
}

static void
of_two_names_none_counts(void **state)
{
	static const char two[] = "\0\20\0\0\5a.com\0\0\5b.com";
	static const char kinds[] = "\0\20\1\0\5a.com\0\0\5b.com";

	(void)state;
	extensions.len = 0;
	put_name(&extensions, 0, "a.example", 9);
	put_name(&extensions, 0, "b.example", 9);
	make(&hello, &extensions);
	check_bad(&hello);
	extensions.len = 0;
	put_name(&extensions, 0, "a.example", 9);
	put_extension(&extensions, 16, "\0\3\2h2", 5);
	put_name(&extensions, 0, "a.example", 9);
	make(&hello, &extensions);
	check_bad(&hello);
	extensions.len = 0;
	put_extension(&extensions, 0, two, sizeof(two) - 1);
	make(&hello, &extensions);
	check_bad(&hello);
	extensions.len = 0;
	put_extension(&extensions, 0, kinds, sizeof(kinds) - 1);
	make(&hello, &extensions);
	check_bad(&hello);
}

static void
a_name_of_another_kind_or_none_is_bad(void **state)
{
	static const struct {
		const char *data;
		size_t len;
	} bad[] = {
		{ "", 0 }, { "\0", 1 }, { "\0\0", 2 }, { "\0\1\0", 3 }, { "\0\2\0\0", 4 },
		{ "\0\3\0\0\0", 5 }, { "\0\4\0\0\1a\0", 7 }, /* one byte behind the list */
		{ "\0\5\0\0\1a\0", 7 },			     /* and in it */
		{ "\0\5\0\0\1a", 6 },			     /* a list that goes on */
		{ "\0\4\0\0\2a", 6 },			     /* a name that does */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		extensions.len = 0;
		put_extension(&extensions, 0, bad[i].data, bad[i].len);
		make(&hello, &extensions);
		check_bad(&hello);
		put_extension(&extensions, 21, "\0\0\0\0\0\0\0\0", 8);
		make(&hello, &extensions);
		check_bad(&hello);
	}
	for (size_t kind = 0; kind < 256; kind++) {
		extensions.len = 0;
		put_name(&extensions, kind, "a.example", 9);
		make(&hello, &extensions);
		check(&hello, kind == 0 ? HELLO_NAMED : HELLO_BAD, "a.example");
	}
}

static void
a_name_that_is_hidden_is_none(void **state)
{
	static const size_t types[] = { 0xfe0d, 0xffce };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (int before = 0; before < 3; before++) {
			extensions.len = 0;
			if (before == 0)
				put_name(&extensions, 0, "outer.example", 13);
			put_extension(&extensions, types[i], "\0\0\1\0\1\7\0\0\0\0", 10);
			if (before == 1)
				put_name(&extensions, 0, "outer.example", 13);
			make(&hello, &extensions);
			check_each(&hello, HELLO_NAMELESS, NULL);
		}
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

static void
a_server_that_wants_another_hello_is_told(void **state)
{
	unsigned char reply[HELLO_REPLY_LEN] = { 0x16, 3, 3, 0, 88, 2, 0, 0, 84, 3, 3, 0xcf, 0x21,
		0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
		0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8,
		0x33, 0x9c };

	(void)state;
	for (size_t n = 0; n < sizeof(reply); n++)
		assert_int_equal(hello_reply(reply, n), HELLO_REPLY_MORE);
	assert_int_equal(hello_reply(reply, sizeof(reply)), HELLO_REPLY_RETRY);
	reply[42] ^= 1;
	assert_int_equal(hello_reply(reply, sizeof(reply)), HELLO_REPLY_TLS);
	assert_int_equal(hello_reply("\x15\3\3\0\2\2\50", 7), HELLO_REPLY_TLS);
	assert_int_equal(hello_reply("H", 1), HELLO_REPLY_OTHER);
	assert_int_equal(hello_reply("\x16\3\3\0\4\0\0\0\0", 9), HELLO_REPLY_TLS);
}

static void
what_may_stand_before_a_second_hello_is_passed_over(void **state)
{
	(void)state;
	assert_int_equal(hello_skip("\x14\3\3\0\1\1", 6), 6);
	assert_int_equal(hello_skip("\x14\3\3\0\1\1\x16", 7), 6);
	assert_int_equal(hello_skip("\x14\3\3\0\1", 5), 0);
	assert_int_equal(hello_skip("\x17\3\3\0\2ab", 7), 7);
	assert_int_equal(hello_skip("\x17\3\3\0\2a", 6), 0);
	assert_int_equal(hello_skip("\x16\3\3\0\1\1", 6), 0);
	assert_int_equal(hello_skip("\x15\3\3\0\2\1\0", 7), 0);
	assert_int_equal(hello_skip("", 0), 0);
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
the_parts_before_extensions_have_their_limits(void **state)
{
	static const struct {
		const char *part; /* session, suites, methods */
		size_t len;
		enum hello want;
	} cases[] = {
		{ "\0\0\2\x13\1\1\0", 7, HELLO_NAMELESS },
		{ "\0\0\2\x13\1\2\1\0", 8, HELLO_NAMELESS },
		{ "\0\0\0\1\0", 5, HELLO_BAD },	    /* no suite */
		{ "\0\0\1\x13\1\0", 6, HELLO_BAD }, /* half of one */
		{ "\0\0\3\x13\1\x13\1\0", 8, HELLO_BAD },
		{ "\0\0\2\x13\1\0", 6, HELLO_BAD }, /* no method */
		{ "\0\0\2\x13\1", 5, HELLO_BAD },
		{ "\x21"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\2\x13\1\1\0",
			40, HELLO_BAD },
		{ "\x20"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\2\x13\1\1\0",
			39, HELLO_NAMELESS },
		{ "\0\0\2\x13\1\1\0\0", 8, HELLO_BAD }, /* half a length of extensions */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		message.len = 0;
		put_number(&message, 4, 0x01000000 | (34 + cases[i].len));
		put_number(&message, 2, 0x0303);
		fill(&message, 7, 32);
		put(&message, cases[i].part, cases[i].len);
		split(&hello, &message, RECORD_MAX);
		check(&hello, cases[i].want, NULL);
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
	assert_int_equal(parse("GET / HTTP/1.1\r\n\r\n", 18, name), HELLO_NOT);
	assert_int_equal(parse("SSH-2.0-x\r\n", 11, name), HELLO_NOT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_clients_are_read_byte_by_byte),
		cmocka_unit_test(it_may_be_split_over_records_anywhere),
		cmocka_unit_test(what_comes_behind_does_not_matter),
		cmocka_unit_test(a_record_ends_with_the_hello),
		cmocka_unit_test(a_large_one_is_read_over_its_records),
		cmocka_unit_test(one_of_the_greatest_length_is_read_and_no_longer),
		cmocka_unit_test(extensions_are_needless),
		cmocka_unit_test(a_lie_in_any_length_is_not_believed),
		cmocka_unit_test(a_message_of_16_mb_is_not_waited_for),
		cmocka_unit_test(every_spelling_of_a_name_becomes_one),
		cmocka_unit_test(what_is_no_name_is_bad),
		cmocka_unit_test(of_two_names_none_counts),
		cmocka_unit_test(a_name_of_another_kind_or_none_is_bad),
		cmocka_unit_test(a_name_that_is_hidden_is_none),
		cmocka_unit_test(its_length_is_known_whatever_comes_behind),
		cmocka_unit_test(a_server_that_wants_another_hello_is_told),
		cmocka_unit_test(what_may_stand_before_a_second_hello_is_passed_over),
		cmocka_unit_test(no_other_record_comes_amid_it),
		cmocka_unit_test(a_record_has_16384_bytes_and_no_more),
		cmocka_unit_test(the_first_message_is_a_client_hello),
		cmocka_unit_test(any_version_3_but_ssl_3_is_read),
		cmocka_unit_test(the_parts_before_extensions_have_their_limits),
		cmocka_unit_test(an_sslv2_hello_is_bad),
		cmocka_unit_test(what_is_not_tls_is_told_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
