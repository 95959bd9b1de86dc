/* SPDX-License-Identifier: Apache-2.0 */
/* The first bytes of a TLS client become the name that it asks for. They are a hostile
 * program's: no length is believed before it has been held against what it lies in.
 * The message is read across its records as a server would put it together, without
 * putting it together: from its first byte to its last, so that a look at fewer
 * bytes can only have said "more" or the same. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "egress/http/hello.h"
#include "egress/http/hostname.h"
#include "request/host.h"

_Static_assert(HELLO_NAME_MAX == HOSTNAME_MAX, "one spelling");

#define RECORD_CHANGE 0x14
#define RECORD_ALERT 0x15
#define RECORD_HANDSHAKE 0x16
#define RECORD_DATA 0x17
#define RECORD_HEARTBEAT 0x18
#define RECORD_HEADER 5
#define RECORD_MAX 16384 /* RFC 8446, 5.1 */
#define VERSION_MAJOR 3
#define CLIENT_HELLO 1
#define SERVER_HELLO 2
#define RANDOM_LEN 32
#define SESSION_ID_MAX 32
#define SSL2_HEADER 2
#define NAME_HOST 0

enum extension {
	EXTENSION_SERVER_NAME = 0,
	/* The name that counts is inside, for whoever has the key; the one outside
	 * may be anybody's on the same machines. */
	EXTENSION_ENCRYPTED_HELLO = 0xfe0d,
	EXTENSION_ENCRYPTED_NAME = 0xffce, /* its forerunner */
};

struct found {
	bool named;
	bool hidden;
};

struct reader {
	const unsigned char *at;
	const unsigned char *end; /* of what has come */
	size_t record;		  /* what this record still has */
	size_t left;		  /* what may still be read of the message */
	enum hello why;		  /* it stopped */
};

static bool
stop_reader(struct reader *reader, enum hello why)
{
	reader->why = why;
	return false;
}

/* A message that goes on needs a handshake record. An empty one is forbidden (RFC 8446,
 * 5.1), and what a server makes of it is its own affair. */
static bool
open_record(struct reader *reader)
{
	const unsigned char *at = reader->at;
	size_t have = (size_t)(reader->end - at), len;

	if ((have > 0 && at[0] != RECORD_HANDSHAKE) || (have > 1 && at[1] != VERSION_MAJOR))
		return stop_reader(reader, HELLO_BAD);
	if (have < RECORD_HEADER)
		return stop_reader(reader, HELLO_MORE);
	len = (size_t)at[3] << 8 | at[4];
	if (len == 0 || len > RECORD_MAX)
		return stop_reader(reader, HELLO_BAD);
	reader->at += RECORD_HEADER;
	reader->record = len;
	return true;
}

/* The next n bytes of the message; to NULL: past them. */
static bool
read_hello_bytes(struct reader *reader, size_t n, unsigned char *to)
{
	if (n > reader->left)
		return stop_reader(reader, HELLO_BAD);
	reader->left -= n;
	while (n > 0) {
		size_t some = n;

		if (reader->record == 0 && !open_record(reader))
			return false;
		if (some > reader->record)
			some = reader->record;
		if (some > (size_t)(reader->end - reader->at))
			some = (size_t)(reader->end - reader->at);
		if (some == 0)
			return stop_reader(reader, HELLO_MORE);
		if (to) {
			memcpy(to, reader->at, some);
			to += some;
		}
		reader->at += some;
		reader->record -= some;
		n -= some;
	}
	return true;
}

/* A number of 1 to 3 bytes, as all lengths and types are. */
static bool
take_number(struct reader *reader, size_t bytes, size_t *ret_number)
{
	unsigned char raw[3];
	size_t number = 0;

	if (!read_hello_bytes(reader, bytes, raw))
		return false;
	for (size_t i = 0; i < bytes; i++)
		number = number << 8 | raw[i];
	*ret_number = number;
	return true;
}

/* The same, of what follows: it must fit into what is left. */
static bool
take_length(struct reader *reader, size_t bytes, size_t *ret_len)
{
	if (!take_number(reader, bytes, ret_len))
		return false;
	return *ret_len <= reader->left || stop_reader(reader, HELLO_BAD);
}

/* len: of the extension. A list with one name in it, to the byte: of two, servers take
 * the first, the last, or the one whose kind they know. */
static bool
take_name(struct reader *reader, size_t len, char ret_name[HELLO_NAME_MAX])
{
	unsigned char text[HOSTNAME_MAX]; /* one more than a name: its last dot */
	size_t list, kind, n;

	if (len < 5)
		return stop_reader(reader, HELLO_BAD);
	if (!take_length(reader, 2, &list) || !take_number(reader, 1, &kind) ||
		!take_length(reader, 2, &n))
		return false;
	if (list != len - 2 || kind != NAME_HOST || n != len - 5 || n > sizeof(text))
		return stop_reader(reader, HELLO_BAD);
	if (!read_hello_bytes(reader, n, text))
		return false;
	if (hostname_parse((const char *)text, n, ret_name) < 0 || host_ends_in_number(ret_name))
		return stop_reader(reader, HELLO_BAD);
	return true;
}

static bool
take_extension(struct reader *reader, struct found *found, char name[HELLO_NAME_MAX])
{
	size_t type, len;

	if (!take_number(reader, 2, &type) || !take_length(reader, 2, &len))
		return false;
	switch (type) {
	case EXTENSION_SERVER_NAME:
		if (found->named)
			return stop_reader(reader, HELLO_BAD);
		found->named = true;
		return take_name(reader, len, name);
	case EXTENSION_ENCRYPTED_HELLO:
	case EXTENSION_ENCRYPTED_NAME:
		found->hidden = true;
		return read_hello_bytes(reader, len, NULL);
	default:
		return read_hello_bytes(reader, len, NULL);
	}
}

/* All that stands before the extensions. */
static bool
take_front(struct reader *reader)
{
	size_t version, session, suites, methods;

	if (!take_number(reader, 2, &version))
		return false;
	/* SSL 3.0 knows no extensions: its servers need not look at a name. */
	if (version >> 8 != VERSION_MAJOR || (version & 0xff) == 0)
		return stop_reader(reader, HELLO_BAD);
	if (!read_hello_bytes(reader, RANDOM_LEN, NULL) || !take_length(reader, 1, &session))
		return false;
	if (session > SESSION_ID_MAX)
		return stop_reader(reader, HELLO_BAD);
	if (!read_hello_bytes(reader, session, NULL) || !take_length(reader, 2, &suites))
		return false;
	if (suites == 0 || suites % 2 != 0)
		return stop_reader(reader, HELLO_BAD);
	if (!read_hello_bytes(reader, suites, NULL) || !take_length(reader, 1, &methods))
		return false;
	if (methods == 0)
		return stop_reader(reader, HELLO_BAD);
	return read_hello_bytes(reader, methods, NULL);
}

static bool
take_hello(struct reader *reader, struct found *found, char name[HELLO_NAME_MAX])
{
	size_t type, len;

	reader->left = 4;
	if (!take_number(reader, 1, &type))
		return false;
	if (type != CLIENT_HELLO)
		return stop_reader(reader, HELLO_BAD);
	if (!take_number(reader, 3, &len))
		return false;
	if (len > HELLO_MAX)
		return stop_reader(reader, HELLO_BAD);
	reader->left = len;
	if (!take_front(reader))
		return false;
	if (reader->left == 0) /* nothing behind: so it was before there were extensions */
		return true;
	if (!take_length(reader, 2, &len))
		return false;
	if (len != reader->left)
		return stop_reader(reader, HELLO_BAD);
	while (reader->left > 0)
		if (!take_extension(reader, found, name))
			return false;
	return true;
}

/* With another version it is no TLS, but to servers that do not look at that: a hello
 * is one to them by its type, and an alert by its length. */
static enum hello
look_closely(const unsigned char *data, size_t len)
{
	if (data[0] != RECORD_HANDSHAKE && data[0] != RECORD_ALERT)
		return HELLO_NOT;
	if (len <= RECORD_HEADER)
		return HELLO_MORE;
	if (data[0] == RECORD_ALERT)
		return data[3] == 0 && data[4] == 2 ? HELLO_BAD : HELLO_NOT;
	return data[RECORD_HEADER] == CLIENT_HELLO ? HELLO_BAD : HELLO_NOT;
}

/* Whether it is TLS at all. OpenSSL, NSS and others tell an SSLv2 hello by the first
 * bit of its two bytes of length and the type behind them. */
static enum hello
classify_first_bytes(const unsigned char *data, size_t len)
{
	if (len == 0)
		return HELLO_MORE;
	if (data[0] & 0x80) {
		if (len <= SSL2_HEADER)
			return HELLO_MORE;
		return data[SSL2_HEADER] == CLIENT_HELLO ? HELLO_BAD : HELLO_NOT;
	}
	if (data[0] < RECORD_CHANGE || data[0] > RECORD_HEARTBEAT)
		return HELLO_NOT;
	if (len == 1)
		return HELLO_MORE;
	if (data[1] != VERSION_MAJOR)
		return look_closely(data, len);
	/* Some servers take an alert, or another record, before the hello. */
	return data[0] == RECORD_HANDSHAKE ? HELLO_NAMELESS : HELLO_BAD;
}

/* All that hello_parse says, and where it ends. */
static enum hello
parse_client_hello(
	const unsigned char *data, size_t len, char ret_name[HELLO_NAME_MAX], size_t *ret_len)
{
	char name[HELLO_NAME_MAX];
	struct reader reader;
	enum hello kind = classify_first_bytes(data, len);
	struct found found = { 0 };

	if (kind != HELLO_NAMELESS)
		return kind;
	reader = (struct reader){
		.at = data,
		.end = data + (len < HELLO_MAX ? len : HELLO_MAX),
	};
	if (!take_hello(&reader, &found, name))
		return reader.why == HELLO_MORE && len >= HELLO_MAX ? HELLO_BAD : reader.why;
	/* Whoever puts another message into the same record does not wait for an
	 * answer: it could only be a second hello. */
	if (reader.record > 0)
		return HELLO_BAD;
	*ret_len = (size_t)(reader.at - data);
	if (!found.named || found.hidden)
		return HELLO_NAMELESS;
	memcpy(ret_name, name, strlen(name) + 1);
	return HELLO_NAMED;
}

enum hello
hello_parse(const void *data, size_t len, char ret_name[HELLO_NAME_MAX])
{
	size_t ignored;

	return parse_client_hello(data, len, ret_name, &ignored);
}

size_t
hello_length(const void *data, size_t len)
{
	char name[HELLO_NAME_MAX];
	size_t length = 0;

	parse_client_hello(data, len, name, &length);
	return length;
}

/* -- a second one ---------------------------------------------------------------------- */

/* The random of a ServerHello that is none: RFC 8446, 4.1.3. */
static const unsigned char retry_random[RANDOM_LEN] = { 0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61,
	0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
	0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c };

enum hello_reply
hello_reply(const void *data, size_t len)
{
	const unsigned char *bytes = data;
	const size_t random = RECORD_HEADER + 4 + 2;

	if (len > 0 && bytes[0] != RECORD_HANDSHAKE)
		return bytes[0] == RECORD_ALERT ? HELLO_REPLY_TLS : HELLO_REPLY_OTHER;
	if (len > RECORD_HEADER && bytes[RECORD_HEADER] != SERVER_HELLO)
		return HELLO_REPLY_TLS;
	if (len < random + RANDOM_LEN)
		return HELLO_REPLY_MORE;
	return memcmp(bytes + random, retry_random, RANDOM_LEN) == 0 ? HELLO_REPLY_RETRY
								     : HELLO_REPLY_TLS;
}

size_t
hello_skip(const void *data, size_t len)
{
	const unsigned char *bytes = data;
	size_t whole;

	if (len < RECORD_HEADER || (bytes[0] != RECORD_CHANGE && bytes[0] != RECORD_DATA))
		return 0;
	whole = RECORD_HEADER + ((size_t)bytes[3] << 8 | bytes[4]);
	return whole <= len ? whole : 0;
}
