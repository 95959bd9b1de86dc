/* SPDX-License-Identifier: Apache-2.0 */
/* A request has one reading, or none; and what is no request is told from one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "egress/http/head.h"

#define H "Host: a.example\r\n"
#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\n" H
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* An exact-sized copy: a read past the end is seen. Only what is whole fills head. */
static enum head_kind
parse_once(const char *data, size_t len, bool first, struct head *head)
{
	char *copy = malloc(len > 0 ? len : 1);
	struct head mark;
	enum head_kind kind;

	assert_non_null(copy);
	memcpy(copy, data, len);
	memset(&mark, 0x5a, sizeof(mark));
	memset(head, 0x5a, sizeof(*head));
	kind = head_parse(copy, len, first, head);
	if (kind != HEAD_WHOLE)
		assert_memory_equal(head, &mark, sizeof(mark));
	else if (head->proxy_auth) /* from the copy to the caller's own */
		head->proxy_auth = data + (head->proxy_auth - copy);
	free(copy);
	return kind;
}

/* Of all of it; and each shorter look said the same or "more", first or not. */
static enum head_kind
parse(const char *data, size_t len, struct head *head)
{
	enum head_kind kind = parse_once(data, len, true, head);
	struct head other;

	for (size_t n = 0; n <= len; n++) {
		enum head_kind shorter = parse_once(data, n, true, &other);
		enum head_kind next = parse_once(data, n, false, &other);

		if (shorter != HEAD_MORE && shorter != kind)
			fail_msg("'%.*s' is %d, with %zu bytes %d", (int)len, data, kind, n,
				shorter);
		if (shorter == HEAD_WHOLE && n < other.len)
			fail_msg("'%.*s' is whole with %zu bytes", (int)len, data, n);
		assert_int_equal(next, shorter == HEAD_NOT ? HEAD_BAD : shorter);
	}
	return kind;
}

static void
check(const char *data, size_t len, enum head_kind want)
{
	struct head head;
	enum head_kind kind = parse(data, len, &head);

	if (kind != want)
		fail_msg("'%.*s' is %d, not %d", (int)len, data, kind, want);
}

static void
check_text(const char *data, enum head_kind want)
{
	check(data, strlen(data), want);
}

static void
check_all(const char *const *list, size_t n, enum head_kind want)
{
	for (size_t i = 0; i < n; i++)
		check_text(list[i], want);
}

/* A good one that goes no further than these bytes, and is whole with the last of them. */
static struct head
whole(const char *data)
{
	size_t len = strlen(data);
	struct head head, shorter;

	if (parse(data, len, &head) != HEAD_WHOLE)
		fail_msg("'%s' is not whole", data);
	assert_int_equal(head.len, len);
	assert_int_equal(parse_once(data, len - 1, true, &shorter), HEAD_MORE);
	return head;
}

/* -- what is read ---------------------------------------------------------------------- */

static void
the_host_is_that_of_the_host_field(void **state)
{
	static const struct {
		const char *value, *host;
		int port;
	} cases[] = {
		{ "a.example", "a.example", 0 },
		{ "A.Example", "a.example", 0 },
		{ "a.example.", "a.example", 0 },
		{ "a.example:8080", "a.example", 8080 },
		{ "a.example.:8080", "a.example", 8080 },
		{ "a.example:65535", "a.example", 65535 },
		{ "   a.example", "a.example", 0 },
		{ "a_b-c.example", "a_b-c.example", 0 },
		{ "localhost:1", "localhost", 1 },
		{ "127.0.0.1:80", "127.0.0.1", 80 },
		{ "0x7f.1", "0x7f.1", 0 },
		{ "[::1]", "::1", 0 },
		{ "[::1]:3000", "::1", 3000 },
		{ "[2001:DB8::1]", "2001:db8::1", 0 },
		{ "[::ffff:127.0.0.1]", "::ffff:127.0.0.1", 0 },
		{ "[0000:0000:0000:0000:0000:FFFF:255.255.255.255]",
			"0000:0000:0000:0000:0000:ffff:255.255.255.255", 0 },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		struct head head;

		snprintf(text, sizeof(text), GET "X: y\r\nhOST:%s\r\nX: z\r\n\r\n", cases[i].value);
		head = whole(text);
		assert_true(head.named && !head.absolute && !head.connect);
		assert_string_equal(head.host, cases[i].host);
		assert_int_equal(head.port, cases[i].port);
		assert_int_equal(head.body, HEAD_BODY_NONE);
		assert_null(head.proxy_auth);
		assert_false(head.upgrade);
	}
}

static void
what_programs_send_is_read(void **state)
{
	struct head head;

	(void)state;
	head = whole("GET /a?b HTTP/1.1\r\nHost: example.com\r\nUser-Agent: curl/7.88.1\r\n"
		     "Accept: */*\r\n\r\n");
	assert_string_equal(head.host, "example.com");

	head = whole("POST /x HTTP/1.1\r\nhost: 127.0.0.1:45725\r\nconnection: keep-alive\r\n"
		     "accept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\n"
		     "user-agent: node\r\naccept-encoding: gzip, deflate\r\n"
		     "transfer-encoding: chunked\r\n\r\n");
	assert_string_equal(head.host, "127.0.0.1");
	assert_int_equal(head.port, 45725);
	assert_int_equal(head.body, HEAD_BODY_CHUNKED);

	head = whole("GET http://Example.com/a?b HTTP/1.1\r\nHost: Example.com\r\n"
		     "Proxy-Authorization: Basic YW1iaXQ6c2VjcmV0\r\nUser-Agent: curl/7.88.1\r\n"
		     "Accept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n");
	assert_true(head.absolute && head.named);
	assert_string_equal(head.host, "example.com");
	assert_int_equal(head.port, 80);
	assert_true(head_basic_is(head.proxy_auth, head.proxy_auth_len, "ambit", "secret"));

	head = whole("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n"
		     "Proxy-Authorization: Basic YW1iaXQ6c2VjcmV0\r\nUser-Agent: curl/7.88.1\r\n"
		     "Proxy-Connection: Keep-Alive\r\n\r\n");
	assert_true(head.connect && head.named);
	assert_string_equal(head.host, "2001:db8::1");
	assert_int_equal(head.port, 443);

	/* Python */
	head = whole("CONNECT example.com:443 HTTP/1.0\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
	assert_true(head.connect && head.named);
	assert_string_equal(head.host, "example.com");
	assert_true(head_basic_is(head.proxy_auth, head.proxy_auth_len, "u", "p"));

	/* Java */
	head = whole("GET /x HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		     "Content-Length: 0\r\nHost: 127.0.0.1:34177\r\n"
		     "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n"
		     "Upgrade: h2c\r\nUser-Agent: Java-http-client/17.0.15\r\n\r\n");
	assert_true(head.upgrade && !head.websocket);
	assert_int_equal(head.body, HEAD_BODY_LENGTH);
	assert_int_equal(head.length, 0);
}

static void
what_comes_behind_the_head_does_not_matter(void **state)
{
	static const char good[] = GET H "\r\n";
	char text[sizeof(good) + 300];
	struct head head;

	(void)state;
	memcpy(text, good, sizeof(good) - 1);
	for (int c = 0; c < 256; c++) {
		memset(text + sizeof(good) - 1, c, 301);
		assert_int_equal(parse(text, sizeof(text), &head), HEAD_WHOLE);
		assert_int_equal(head.len, sizeof(good) - 1);
		assert_string_equal(head.host, "a.example");
	}
}

static void
any_method_is_a_method(void **state)
{
	static const char *const good[] = {
		"PROPFIND /x HTTP/1.1\r\n" H "\r\n",
		"M-SEARCH / HTTP/1.1\r\n" H "\r\n",
		"get / HTTP/1.1\r\n" H "\r\n",
		"!#$%&'*+-.^_`|~09azAZ / HTTP/1.1\r\n" H "\r\n",
		"OPTIONS * HTTP/1.1\r\n" H "\r\n",
		"GET //x HTTP/1.1\r\n" H "\r\n",
		"GET /http://b.example/ HTTP/1.1\r\n" H "\r\n",
		"GET /?a=\"<>\\^`{|}#x HTTP/1.1\r\n" H "\r\n",
	};

	(void)state;
	for (size_t i = 0; i < LEN(good); i++)
		assert_string_equal(whole(good[i]).host, "a.example");
}

static void
blank_lines_in_front_are_skipped_up_to_16(void **state)
{
	char text[200];

	(void)state;
	assert_string_equal(whole("\r\n" GET H "\r\n").host, "a.example");
	assert_string_equal(whole("\n" GET H "\r\n").host, "a.example");
	assert_string_equal(whole("\n\r\n\n" GET H "\r\n").host, "a.example");
	for (size_t n = 15; n <= 18; n++) {
		memset(text, '\n', n);
		memcpy(text + n, GET H "\r\n", sizeof(GET H "\r\n"));
		check_text(text, n <= 16 ? HEAD_WHOLE : HEAD_BAD);
		for (size_t i = 0; i < n; i++)
			memcpy(text + 2 * i, "\r\n", 2);
		memcpy(text + 2 * n, GET H "\r\n", sizeof(GET H "\r\n"));
		check_text(text, n <= 16 ? HEAD_WHOLE : HEAD_BAD);
	}
	/* A server may skip a CR or a space, too. */
	check_text("\r" GET H "\r\n", HEAD_BAD);
	check_text("\r\r\n" GET H "\r\n", HEAD_BAD);
	check_text("\r\rGET / HTTP/1.1\r\n" H "\r\n", HEAD_BAD);
	check_text(" " GET H "\r\n", HEAD_BAD);
	check_text("\t" GET H "\r\n", HEAD_BAD);
	check_text(" \r\n" GET H "\r\n", HEAD_BAD);
	check_text("\r\n\t\n" GET H "\r\n", HEAD_BAD);
}

/* -- the first line -------------------------------------------------------------------- */

static void
a_target_that_is_a_url_has_the_host(void **state)
{
	static const struct {
		const char *target, *field, *host;
		int port;
	} cases[] = {
		{ "http://a.example/", "a.example", "a.example", 80 },
		{ "http://a.example", "a.example", "a.example", 80 },
		{ "HTTP://A.Example./x?y", "a.example", "a.example", 80 },
		{ "http://a.example:80/", "a.example", "a.example", 80 },
		{ "http://a.example/", "a.example:80", "a.example", 80 },
		{ "http://a.example:8080/", "a.example:8080", "a.example", 8080 },
		{ "https://a.example/", "a.example", "a.example", 443 },
		{ "ws://a.example/", "a.example:80", "a.example", 80 },
		{ "wss://a.example/", "a.example:443", "a.example", 443 },
		{ "http://[::1]:3000/", "[::1]:3000", "::1", 3000 },
		{ "http://a.example/http://b.example/@c", "a.example", "a.example", 80 },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		struct head head;

		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", cases[i].target,
			cases[i].field);
		head = whole(text);
		assert_true(head.absolute && head.named && !head.connect);
		assert_string_equal(head.host, cases[i].host);
		assert_int_equal(head.port, cases[i].port);
	}
	assert_string_equal(whole("GET http://a.example/ HTTP/1.0\r\n\r\n").host, "a.example");
	assert_int_equal(whole("GET https://a.example/ HTTP/1.0\r\n\r\n").port, 443);
}

static void
a_target_that_says_another_host_is_bad(void **state)
{
	static const char *const bad[][2] = {
		{ "http://b.example/", "a.example" },
		{ "http://a.example:81/", "a.example" },
		{ "http://a.example/", "a.example:81" },
		{ "http://a.example:443/", "a.example" },
		{ "https://a.example:80/", "a.example" },
		{ "https://a.example/", "a.example:80" },
		{ "http://www.a.example/", "a.example" },
		{ "http://[::1]/", "[::2]" },
		{ "http://user@a.example/", "a.example" },
		{ "http://a.example@b.example/", "a.example" },
		{ "http://b.example@a.example/", "a.example" },
		{ "http://user:pass@a.example/", "a.example" },
		{ "http://a.example?@b.example/", "a.example" },
		{ "http://a.example#@b.example/", "a.example" },
		{ "http://a.example?x", "a.example" },
		{ "http://a.example\\@b.example/", "a.example" },
		{ "http://a.example%00.b.example/", "a.example" },
		{ "http://a.example:/", "a.example" },
		{ "http://a.example:080/", "a.example" },
		{ "http://a.example:99999/", "a.example" },
		{ "http://a,b/", "a" },
		{ "http:///a.example", "a.example" },
		{ "http://", "a.example" },
		{ "http:/a.example/", "a.example" },
		{ "http:a.example/", "a.example" },
		{ "ftp://a.example/", "a.example" },
		{ "file:///a.example", "a.example" },
		{ "gopher://a.example/", "a.example" },
		{ "httpx://a.example/", "a.example" },
		{ "://a.example/", "a.example" },
		{ "a.example", "a.example" },
		{ "a.example:80", "a.example" },
		{ "a.example/x", "a.example" },
		{ "*", "a.example" },
		{ "?x", "a.example" },
		{ "\\", "a.example" },
		{ "/k\303\244se", "a.example" },
		{ "/\1", "a.example" },
		{ "/\t", "a.example" },
		{ "/\v", "a.example" },
		{ "/\177", "a.example" },
		{ "/\r", "a.example" },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < LEN(bad); i++) {
		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", bad[i][0],
			bad[i][1]);
		check_text(text, HEAD_BAD);
		/* Whatever the method: it would reach somebody. */
		snprintf(text, sizeof(text), "FOO %s HTTP/1.1\r\nHost: %s\r\n\r\n", bad[i][0],
			bad[i][1]);
		check_text(text, HEAD_BAD);
	}
}

static void
connect_says_host_and_port(void **state)
{
	static const char *const good[][2] = {
		{ "CONNECT a.example:443 HTTP/1.1\r\n" H "\r\n", "a.example" },
		{ "CONNECT A.EXAMPLE.:443 HTTP/1.1\r\n" H "\r\n", "a.example" },
		{ "CONNECT b.example:443 HTTP/1.1\r\nHost: B.example.:443\r\n\r\n", "b.example" },
		{ "CONNECT b.example:443 HTTP/1.0\r\n\r\n", "b.example" },
		{ "CONNECT 1.2.3.4:443 HTTP/1.1\r\nHost: 1.2.3.4\r\n\r\n", "1.2.3.4" },
		{ "CONNECT [::1]:443 HTTP/1.0\r\n\r\n", "::1" },
		{ "CONNECT [2001:DB8::A]:443 HTTP/1.0\r\n\r\n", "2001:db8::a" },
	};
	static const char *const bad[] = {
		"CONNECT a.example HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example: HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:0 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:0443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:+443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:65536 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:443443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:https HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:443/ HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:443:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT u@a.example:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT :443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT / HTTP/1.1\r\n" H "\r\n",
		"CONNECT * HTTP/1.1\r\n" H "\r\n",
		"CONNECT http://a.example/ HTTP/1.1\r\n" H "\r\n",
		"CONNECT ::1:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [::1] HTTP/1.1\r\n" H "\r\n",
		"CONNECT [::1]443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [::1:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [] :443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT []:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [1.2.3.4]:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [a.example]:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [fe80::1%eth0]:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT [v1.a]:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:443 HTTP/1.1\r\n\r\n",
		"CONNECT b.example:443 HTTP/1.1\r\n" H "\r\n",
		"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:80\r\n\r\n",
		"CONNECT a.example:443 HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n",
		"CONNECT a.example:443 HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n",
		"connect a.example:443 HTTP/1.1\r\n" H "\r\n",
		"Connect / HTTP/1.1\r\n" H "\r\n",
	};

	(void)state;
	for (size_t i = 0; i < LEN(good); i++) {
		struct head head = whole(good[i][0]);

		assert_true(head.connect && head.named && !head.absolute);
		assert_string_equal(head.host, good[i][1]);
		assert_int_equal(head.port, 443);
	}
	check_all(bad, LEN(bad), HEAD_BAD);
	assert_int_equal(whole("CONNECT a.example:1 HTTP/1.0\r\n\r\n").port, 1);
	assert_int_equal(whole("CONNECT a.example:65535 HTTP/1.0\r\n\r\n").port, 65535);
}

static void
a_first_line_that_is_not_exact_is_bad(void **state)
{
	static const char *const bad[] = {
		"GET  / HTTP/1.1\r\n" H "\r\n",
		"GET /  HTTP/1.1\r\n" H "\r\n",
		"GET / HTTP/1.1 \r\n" H "\r\n",
		"GET / x HTTP/1.1\r\n" H "\r\n",
		"GET / HTTP/1.1 x\r\n" H "\r\n",
		"GET\t/ HTTP/1.1\r\n" H "\r\n",
		"GET /\tHTTP/1.1\r\n" H "\r\n",
		"GET\v/ HTTP/1.1\r\n" H "\r\n",
		"GET\f/\fHTTP/1.1\r\n" H "\r\n",
		"GET\r/\rHTTP/1.1\r\n" H "\r\n",
		"GET\240/\240HTTP/1.1\r\n" H "\r\n",
		"\240GET / HTTP/1.1\r\n" H "\r\n",
		"DESCRIBE / RTSP/1.0\r\n" H "\r\n",
		"SOURCE / ICE/1.0\r\n" H "\r\n",
		"\205GET / HTTP/1.1\r\n" H "\r\n",
		"\34GET / HTTP/1.1\r\n" H "\r\n",
		" \37GET / HTTP/1.1\r\n" H "\r\n",
		"GET HTTP/1.1\r\n" H "\r\n",
		"GET / HTTP/1.1\n" H "\r\n",
		"GET / HTTP/1.1\r\r\n" H "\r\n",
		"GET / HTTP/1.2\r\n" H "\r\n",
		"GET / HTTP/2.0\r\n" H "\r\n",
		"GET / HTTP/0.9\r\n" H "\r\n",
		"GET / HTTP/1.\r\n" H "\r\n",
		"GET / HTTP/1\r\n" H "\r\n",
		"GET / HTTP/\r\n" H "\r\n",
		"GET / HTTP/1.10\r\n" H "\r\n",
		"GET / HTTP/01.1\r\n" H "\r\n",
		"GET / HTTP/+1.1\r\n" H "\r\n",
		"GET / http/1.1\r\n" H "\r\n",
		"GET / Http/1.1\r\n" H "\r\n",
		"GET / HTTPS/1.1\r\n" H "\r\n",
		"GET /\r\n" H "\r\n",
		"GET /\n",
		"GET\r\n",
		"get /\r\n",
		"HEAD\n",
		"Post / \r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"PRI * HTTP/2.0\r\n",
		"pri *\r\n",
		"OPTIONS rtsp://a.example/ RTSP/1.0\r\n",
		"FOO\tHTTP/1.1\r\n" H "\r\n",
		"FOO\t/\tHTTP/1.1\r\n" H "\r\n",
		"FOO\v/\vHTTP/1.1\r\n" H "\r\n",
		"FOO / HTTP/1.1 x\r\n" H "\r\n",
		"FOO / http/1.1\r\n" H "\r\n",
		"FOO / HTTP/3\r\n" H "\r\n",
		"FOO / HTTP/\n",
		"FOO / x\200http/\n",
		"FOO /\1 HTTP/1.1\r\n" H "\r\n",
		"FOO /\303\244 HTTP/1.1\r\n" H "\r\n",
		"FOO /\240HTTP/1.1\r\n" H "\r\n",
		"GET\1/ HTTP/1.1\r\n",
		"GET \1/ HTTP/1.1\r\n",
		"GET: / HTTP/1.1\r\n",
		"delete\377",
	};

	(void)state;
	check_all(bad, LEN(bad), HEAD_BAD);
	check("GET /\0 HTTP/1.1\r\n", 17, HEAD_BAD);
	check("get \0", 5, HEAD_BAD);
	check("FOO / HTTP/1.1\0\r\n", 17, HEAD_BAD);
	/* Whatever the method is made of. */
	check_text("\"GET / HTTP/1.1\r\n", HEAD_BAD);
	check_text("P=ST / HTTP/1.1", HEAD_BAD);
	check("\0POST / HTTP/1.1\r\n", 18, HEAD_BAD);
	check_text("\377POST / HTTP/1.1\r\n", HEAD_BAD);
}

static const char postgres[] = "\0\0\0\x4a\0\3\0\0user\0x\0database\0y\0\0";
static const char mqtt[] = "\x10\x0f\0\4MQTT\4\2\0\x3c\0\3abc";
static const char git[] = "0032git-upload-pack /project.git\0host=a.example\0";
static const char amqp[] = "AMQP\0\0\t\1";
static const char ldap[] = "0 \2\1\1`\x1b\2\1\3\4\5admin\x80\x0fpassword";

static void
what_is_not_http_is_told(void **state)
{
	static const char *const not [] = {
		"SSH-2.0-OpenSSH_9.6 Debian-3\r\n",
		"PING\r\n",
		"*1\r\n$4\r\nPING\r\n",
		"EHLO x\r\n",
		"a1 LOGIN x y\r\n",
		"USER anonymous\r\n",
		"NICK x\r\nUSER x\r\n",
		"<?xml version='1.0'?>\n",
		"{\"jsonrpc\":\n",
		"stats\n",
		"FOO /\r\n",
		"FOO / HTTPS\r\n",
		"GETTY / x\r\n",
		"x HTTP\r\n",
		"HTTP/1.1 200 OK\r\n",
		"\377\375\3\n",
		"\1\n",
		"a\1\n",
		"a \1\n",
		"a \303\n",
		"a \177\n",
		"x:\n",
		"\r\n\1\n",
		"\r\nPING\r\n",
		" x\r\n",
	};
	char *zeros = calloc(1, HEAD_MAX);
	struct head head;

	(void)state;
	check_all(not, LEN(not ), HEAD_NOT);
	/* Or without an end, when it is longer than any. */
	assert_non_null(zeros);
	assert_int_equal(parse_once(zeros, 64999, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(zeros, 65000, true, &head), HEAD_NOT);
	free(zeros);
}

static void
what_may_become_a_request_is_not_passed_on(void **state)
{
	static const char *const more[] = { "", "G", "GET", "GET ", "GET /", "SSH-2.0-x",
		"SSH-2.0-x\r", "*1\r", "FOO /\1\2\377", "FOO /\t", "\r", "\r\n", "\r\n\r", " ",
		"FOO\t", "EHLO x", "<?xml version='1.0'?>", "{\"jsonrpc\":", "\377\375\3", "a \303",
		"\r\n\1" };

	(void)state;
	check_all(more, LEN(more), HEAD_MORE);
	check(postgres, sizeof(postgres) - 1, HEAD_MORE);
	check(mqtt, sizeof(mqtt) - 1, HEAD_MORE);
	check(git, sizeof(git) - 1, HEAD_MORE);
	check(amqp, sizeof(amqp) - 1, HEAD_MORE);
	check(ldap, sizeof(ldap) - 1, HEAD_MORE);
}

/* They go ahead of their end, then. */
static void
what_has_no_lines_does_not_begin_a_request(void **state)
{
	(void)state;
	assert_false(head_begins(postgres, sizeof(postgres) - 1));
	assert_false(head_begins(mqtt, sizeof(mqtt) - 1));
	assert_false(head_begins(git, sizeof(git) - 1));
	assert_false(head_begins(amqp, sizeof(amqp) - 1));
	assert_false(head_begins(ldap, sizeof(ldap) - 1));
}

/* -- fields ---------------------------------------------------------------------------- */

static void
a_host_that_can_be_read_otherwise_is_bad(void **state)
{
	static const char *const bad[] = { "", " ", "u@a.example", "a.example@b.example",
		"a.example,b", "a.example, b.example", "a.example b.example", "a.example ",
		"a.example\t", "\ta.example", "a.example/", "a.example/x", "/a.example",
		"a%2eexample", "a.example%00", "a.example:", "a.example:0", "a.example:+80",
		"a.example:080", "a.example:65536", "a.example:80:80", "a.example:80 ",
		"a.example: 80", "a.example:8o", "http://a.example", "a..example", ".a", "a..", ".",
		"a\\b", "a;b", "a?b", "a#b", "*", "*.example", "\"a\"", "(a)", "a.example\1",
		"a.example\v", "a\177b", "a.example\rX: y", "b\303\274cher.example", "a\240b",
		"::1", "[::1", "::1]", "[::1]80", "[::1]:", "[a]", "[1.2.3.4]", "[fe80::1%1]", "[]",
		"[::1]]", "[[::1]]", "[::1]/", " [::1] ",
		"[0000:0000:0000:0000:0000:ffff:0255.255.255.255]",
		"[0000:0000:0000:0000:0000:0000:0000:0000:000000]" };
	char text[500], label[300];

	(void)state;
	for (size_t i = 0; i < LEN(bad); i++) {
		snprintf(text, sizeof(text), GET "Host:%s\r\n\r\n", bad[i]);
		check_text(text, HEAD_BAD);
		snprintf(text, sizeof(text), "GET / HTTP/1.0\r\nHost: %s\r\n\r\n", bad[i]);
		check_text(text, HEAD_BAD);
	}
	check(GET "Host: a\0.b\r\n\r\n", sizeof(GET "Host: a\0.b\r\n\r\n") - 1, HEAD_BAD);
	memset(label, 'a', sizeof(label));
	snprintf(text, sizeof(text), GET "Host: %.63s\r\n\r\n", label);
	check_text(text, HEAD_WHOLE);
	snprintf(text, sizeof(text), GET "Host: %.64s\r\n\r\n", label);
	check_text(text, HEAD_BAD);
	for (size_t i = 63; i < 253; i += 64)
		label[i] = '.';
	snprintf(text, sizeof(text), GET "Host: %.253s\r\n\r\n", label);
	check_text(text, HEAD_WHOLE);
	snprintf(text, sizeof(text), GET "Host: %.254s\r\n\r\n", label);
	check_text(text, HEAD_BAD);
}

static void
there_is_one_host_or_it_is_bad(void **state)
{
	static const char *const bad[] = {
		GET H H "\r\n",
		GET H "Host: b.example\r\n\r\n",
		GET H "X: y\r\nHOST: a.example\r\n\r\n",
		GET H "Host:\r\n\r\n",
		GET "\r\n",
		GET "X: y\r\n\r\n",
		GET "Hos: a.example\r\n\r\n",
		GET "Gost: a.example\r\n\r\n",
		GET "Hosts: a.example\r\n\r\n",
		"GET / HTTP/1.0\r\n" H H "\r\n",
		"GET http://a.example/ HTTP/1.1\r\n\r\n",
		"GET http://a.example/ HTTP/1.1\r\n" H H "\r\n",
		GET H "Connection: close, host\r\n\r\n",
		GET H "Connection: HOST\r\n\r\n",
		GET H "Connection: x,host\r\n\r\n",
	};

	(void)state;
	check_all(bad, LEN(bad), HEAD_BAD);
	assert_false(whole("GET / HTTP/1.0\r\n\r\n").named);
	assert_false(whole("GET / HTTP/1.0\r\nX: y\r\n\r\n").named);
	assert_int_equal(whole("GET / HTTP/1.0\r\nX: y\r\n\r\n").port, 0);
	assert_true(whole("GET / HTTP/1.0\r\n" H "\r\n").named);
}

static void
a_line_that_can_be_read_otherwise_is_bad(void **state)
{
	static const char *const bad[] = {
		GET H "X: y\r\n z\r\n\r\n", /* folded */
		GET H "X: y\r\n\tz\r\n\r\n",
		GET H " X: y\r\n\r\n",
		GET " " H "\r\n",
		GET "\t" H "\r\n",
		GET "X:\r\n Host: a.example\r\n\r\n",
		GET H "X : y\r\n\r\n", /* a space before the colon */
		GET H "X\t: y\r\n\r\n",
		GET "Host : a.example\r\n\r\n",
		GET H "Content-Length : 5\r\n\r\n",
		GET H ": y\r\n\r\n",
		GET H "X\r\n\r\n",
		GET H "X y: z\r\n\r\n",
		GET H "X\1: y\r\n\r\n",
		GET H "X(: y\r\n\r\n",
		GET H "\"X\": y\r\n\r\n",
		GET H "X\303\244: y\r\n\r\n",
		GET H "X\240: y\r\n\r\n",
		GET H "[X]: y\r\n\r\n",
		GET H "X: y\n\r\n", /* a bare LF */
		GET "Host: a.example\n\r\n",
		GET H "\n",
		GET H "X: y\nHost: b.example\r\n\r\n",
		GET H "X: y\r\r\n\r\n", /* a bare CR */
		GET H "X: y\rHost: b.example\r\n\r\n",
		GET H "\rX: y\r\n\r\n",
		GET H "\r\r\n",
		GET H "X: y\v\r\n\r\n",
		GET H "X: y\f\r\n\r\n",
		GET H "X: \33[2J\r\n\r\n",
		GET H "X: \177\r\n\r\n",
		GET H "GET / HTTP/1.1\r\n\r\n",
	};

	(void)state;
	check_all(bad, LEN(bad), HEAD_BAD);
	check(GET H "X: \0\r\n\r\n", sizeof(GET H "X: \0\r\n\r\n") - 1, HEAD_BAD);
	check(GET H "X\0: y\r\n\r\n", sizeof(GET H "X\0: y\r\n\r\n") - 1, HEAD_BAD);
	check(GET H "\0\r\n\r\n", sizeof(GET H "\0\r\n\r\n") - 1, HEAD_BAD);
	whole(GET H "X:\r\n\r\n");
	whole(GET H "X: a\tb\t\r\n\r\n");
	whole(GET H "X: k\303\244se\r\n\r\n");
	whole(GET H "!#$%&'*+-.^_`|~09azAZ: :\r\n\r\n");
}

static void
a_length_is_a_plain_number(void **state)
{
	static const char *const bad[] = { "", " ", "+5", "-5", "-0", "5,5", "5, 5", "5 5", "5 ",
		"5\t", "\t5", "\v5", "5\v", "0x5", "5h", "5.0", "5e1", "05", "00", "010", "\"5\"",
		"5;x", "five", "1000000000000000000", "18446744073709551616",
		"18446744073709551621", "99999999999999999999999999999999", "\357\274\225",
		"5\240" };
	static const struct {
		const char *value;
		uint64_t length;
	} good[] = {
		{ "0", 0 },
		{ "5", 5 },
		{ " 5", 5 },
		{ "  1234567890", 1234567890 },
		{ "999999999999999999", 999999999999999999 },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < LEN(bad); i++) {
		snprintf(text, sizeof(text), POST "Content-Length:%s\r\n\r\n", bad[i]);
		check_text(text, HEAD_BAD);
	}
	for (size_t i = 0; i < LEN(good); i++) {
		struct head head;

		snprintf(text, sizeof(text), POST "content-LENGTH:%s\r\n\r\n", good[i].value);
		head = whole(text);
		assert_int_equal(head.body, HEAD_BODY_LENGTH);
		assert_true(head.length == good[i].length);
	}
}

static void
an_encoding_is_chunked_and_nothing_else(void **state)
{
	static const char *const bad[] = { "", " ", "identity", "gzip", "gzip, chunked",
		"chunked, identity", "identity, chunked", "chunked, chunked", "chunked,",
		", chunked", ",chunked", "xchunked", "chunkedx", "chunk", "x", "\"chunked\"",
		"chunked;q=1", "\tchunked", " \tchunked", "chunked\t", "chunked ", "\vchunked",
		"chunked\v", "\fchunked", "\rchunked", "chunked\r", "\240chunked", "chunked\240",
		"chunked\1", "ch unked", "'chunked'", "chunKed\177", "\304\201chunked",
		"c\304\261hunked" };
	static const char *const good[] = { "chunked", " chunked", " CHUNKED", "  Chunked" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < LEN(bad); i++) {
		snprintf(text, sizeof(text), POST "Transfer-Encoding:%s\r\n\r\n", bad[i]);
		check_text(text, HEAD_BAD);
	}
	for (size_t i = 0; i < LEN(good); i++) {
		snprintf(text, sizeof(text), POST "transfer-ENCODING:%s\r\n\r\n", good[i]);
		assert_int_equal(whole(text).body, HEAD_BODY_CHUNKED);
	}
	check(POST "Transfer-Encoding: chunked\0\r\n\r\n",
		sizeof(POST "Transfer-Encoding: chunked\0\r\n\r\n") - 1, HEAD_BAD);
}

static void
two_lengths_are_bad(void **state)
{
	static const char *const bad[] = {
		POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
		POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
		POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
		POST "Content-Length: 5\r\nX: y\r\nCONTENT-LENGTH: 5\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
		POST "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n",
		POST "Transfer-Encoding:\r\n chunked\r\n\r\n",
		POST "Transfer-Encoding\r\n: chunked\r\n\r\n",
		POST "Transfer-Encoding : chunked\r\n\r\n",
		POST "X: y\nTransfer-Encoding: chunked\r\n\r\n",
		POST "Transfer_Encoding: chunked\r\n\r\n",
		POST "Content_Length: 5\r\n\r\n",
		POST "content_length: 5\r\nContent-Length: 6\r\n\r\n",
		POST "Content-Length: 5\r\nConnection: content-length\r\n\r\n",
		POST "Content-Length: 5\r\nConnection: x,\tContent-Length ,y\r\n\r\n",
		POST "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n",
		POST "Connection: Transfer_Encoding\r\nTransfer-Encoding: chunked\r\n\r\n",
		"GET / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n",
		"DELETE / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n",
		"options / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n",
		"TRACE / HTTP/1.1\r\n" H "Content-Length: 1\r\n\r\n",
		"HEAD / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n",
		"get / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n",
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n",
	};

	(void)state;
	check_all(bad, LEN(bad), HEAD_BAD);
	assert_int_equal(whole("POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n").length, 7);
	assert_int_equal(whole("GET / HTTP/1.0\r\nContent-Length: 0\r\n\r\n").length, 0);
}

static void
an_upgrade_stands_in_two_fields(void **state)
{
	static const struct {
		const char *text;
		bool upgrade, websocket;
	} cases[] = {
		{ GET H "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n", true, true },
		{ GET H "Connection: keep-alive,\tUPGRADE\r\nUpgrade: WebSocket\r\n\r\n", true,
			true },
		{ GET H "Connection: x\r\nConnection: ,,upgrade,\r\nUpgrade: websocket\r\n\r\n",
			true, true },
		{ GET H "Connection: x,upgrade,y\r\nUpgrade: websocket\r\n\r\n", true, true },
		{ GET H "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n", true, false },
		{ GET H "Connection: upgrade\r\nUpgrade: websocket, h2c\r\n\r\n", true, false },
		{ GET H "Connection: upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n\r\n", true,
			false },
		{ GET H "Connection: upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n", true,
			false },
		{ GET H "Connection: upgrade\r\n\r\n", false, false },
		{ GET H "Upgrade: websocket\r\n\r\n", false, false },
		{ GET H "Upgrade: websocket\r\nConnection: keep-alive\r\n\r\n", false, false },
		{ GET H "Upgrade: websocket\r\nConnection: upgrades, xupgrade, up grade\r\n\r\n",
			false, false },
		{ GET H "Upgrade: websocket\r\nConnection:\r\n\r\n", false, false },
	};

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		struct head head = whole(cases[i].text);

		assert_int_equal(head.upgrade, cases[i].upgrade);
		assert_int_equal(head.websocket, cases[i].websocket);
	}
}

static void
the_proxys_word_is_borrowed_as_it_stands(void **state)
{
	static const char text[] = GET H "proxy-authorization: \t Basic  x y \t\r\n\r\n";
	struct head head = whole(text);

	(void)state;
	assert_ptr_equal(head.proxy_auth, strstr(text, "Basic"));
	assert_int_equal(head.proxy_auth_len, strlen("Basic  x y"));
	head = whole(GET H "Proxy-Authorization:\r\n\r\n");
	assert_non_null(head.proxy_auth);
	assert_int_equal(head.proxy_auth_len, 0);
	assert_null(whole(GET H "Authorization: Basic x\r\n\r\n").proxy_auth);
	check_text(GET H "Proxy-Authorization: a\r\nProxy-Authorization: a\r\n\r\n", HEAD_BAD);
	check_text(GET H "Proxy_Authorization: a\r\n\r\n", HEAD_BAD);
}

static void
there_are_256_fields_and_no_more(void **state)
{
	char text[4096];

	(void)state;
	for (int n = 255; n <= 257; n++) {
		size_t len = sizeof(GET H) - 1;

		memcpy(text, GET H, len);
		for (int i = 1; i < n; i++, len += 5)
			memcpy(text + len, "X: \r\n", 5);
		memcpy(text + len, "\r\n", 3);
		check_text(text, n <= 256 ? HEAD_WHOLE : HEAD_BAD);
	}
}

static void
a_head_of_the_greatest_length_is_read_and_no_longer(void **state)
{
	size_t front = sizeof(GET H "X: ") - 1;
	char *text = malloc(HEAD_MAX + 10);
	struct head head;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', HEAD_MAX + 10);
	memcpy(text, GET H "X: ", front);
	memcpy(text + HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_WHOLE);
	assert_int_equal(head.len, HEAD_MAX);
	assert_int_equal(parse_once(text, HEAD_MAX + 10, true, &head), HEAD_WHOLE);
	memmove(text + front + 1, text + front, HEAD_MAX - front);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_BAD);
	assert_int_equal(parse_once(text, HEAD_MAX + 1, true, &head), HEAD_BAD);
	/* Nor a first line that never ends. */
	memset(text, 'x', HEAD_MAX + 10);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_BAD);
	free(text);
}

static void
nothing_is_more(void **state)
{
	struct head head;

	(void)state;
	assert_int_equal(head_parse(NULL, 0, true, &head), HEAD_MORE);
	assert_int_equal(head_parse(NULL, 0, false, &head), HEAD_MORE);
}

/* A proxy in front of a server tells it so, who the client is, and any client can. */
static void
what_proxies_say_in_front_is_bad(void **state)
{
	static const char v2[] = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c";

	(void)state;
	check_text("PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\nGET / HTTP/1.1\r\n", HEAD_BAD);
	check_text("proxy unknown\r\n", HEAD_BAD);
	check(v2, sizeof(v2) - 1, HEAD_BAD);
	/* Only that, not all that begins with such a byte. */
	check("\n\0", 2, HEAD_MORE);
	check("\r\n\r\n\0\r\nQUIX\n", 12, HEAD_NOT);
	check_text("PROXYING\r\n", HEAD_NOT);
}

static void
a_line_without_an_end_begins_a_request_or_not(void **state)
{
	static const char *const begins[] = { "G", "ge", "GET", "get ", "PRI", "PRI * HT", "PROX",
		" CONNEC", "hello HTTP/", "x\xa0http/", "DELETE x" };
	static const char *const not [] = { "GETS", "GE x", "hello", "EHLO me", "PRIN",
		"hello http" };

	(void)state;
	for (size_t i = 0; i < LEN(begins); i++)
		assert_true(head_begins(begins[i], strlen(begins[i])));
	for (size_t i = 0; i < LEN(not ); i++)
		assert_false(head_begins(not [i], strlen(not [i])));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_is_that_of_the_host_field),
		cmocka_unit_test(what_programs_send_is_read),
		cmocka_unit_test(what_comes_behind_the_head_does_not_matter),
		cmocka_unit_test(any_method_is_a_method),
		cmocka_unit_test(blank_lines_in_front_are_skipped_up_to_16),
		cmocka_unit_test(a_target_that_is_a_url_has_the_host),
		cmocka_unit_test(a_target_that_says_another_host_is_bad),
		cmocka_unit_test(connect_says_host_and_port),
		cmocka_unit_test(a_first_line_that_is_not_exact_is_bad),
		cmocka_unit_test(what_is_not_http_is_told),
		cmocka_unit_test(what_may_become_a_request_is_not_passed_on),
		cmocka_unit_test(what_has_no_lines_does_not_begin_a_request),
		cmocka_unit_test(a_host_that_can_be_read_otherwise_is_bad),
		cmocka_unit_test(there_is_one_host_or_it_is_bad),
		cmocka_unit_test(a_line_that_can_be_read_otherwise_is_bad),
		cmocka_unit_test(a_length_is_a_plain_number),
		cmocka_unit_test(an_encoding_is_chunked_and_nothing_else),
		cmocka_unit_test(two_lengths_are_bad),
		cmocka_unit_test(an_upgrade_stands_in_two_fields),
		cmocka_unit_test(the_proxys_word_is_borrowed_as_it_stands),
		cmocka_unit_test(there_are_256_fields_and_no_more),
		cmocka_unit_test(a_head_of_the_greatest_length_is_read_and_no_longer),
		cmocka_unit_test(nothing_is_more),
		cmocka_unit_test(what_proxies_say_in_front_is_bad),
		cmocka_unit_test(a_line_without_an_end_begins_a_request_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
