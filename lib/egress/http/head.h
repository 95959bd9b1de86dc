/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_HTTP_HEAD_H
#define EGRESS_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Heads of HTTP/1 requests: which host they are for, and how far the request goes.
 * Servers differ in how they read odd ones; what two of them could read differently
 * is not read at all. Read from the beginning each time, as more of it comes. */

#define HEAD_MAX 65536
#define HEAD_NAME_MAX 254 /* with its NUL */

enum head_kind {
	HEAD_BAD = 0, /* begins like a request, but is not to be understood */
	HEAD_MORE,
	HEAD_NOT, /* not HTTP */
	HEAD_WHOLE,
};

enum head_body {
	HEAD_BODY_NONE = 0,
	HEAD_BODY_LENGTH,
	HEAD_BODY_CHUNKED,
};

struct head {
	size_t len;    /* of the head, with blank lines in front and the empty line behind */
	bool connect;  /* CONNECT: host and port are the target's */
	bool absolute; /* the target is a whole URL: host and port are that one's */
	bool named;    /* there is a host: lower case, no last dot, no brackets */
	char host[HEAD_NAME_MAX]; /* a name, or an address as it is spelled */
	int port;		  /* 0: not given (absolute: the scheme's, then) */
	enum head_body body;
	uint64_t length; /* HEAD_BODY_LENGTH */
	bool upgrade; /* wants to go on in another protocol (Upgrade:, with Connection: upgrade) */
	/* And that one is websocket and no other. In h2c (Java asks for it with every
	 * request) it could go on to any host. */
	bool websocket;
	/* Proxy-Authorization, as it stands: "Basic ...", borrowed from data; or NULL. */
	const char *proxy_auth;
	size_t proxy_auth_len;
};

/* data: all that came until now, from the beginning of a request. first: nothing
 * was sent before it, so it may also be no HTTP at all; else HEAD_NOT is HEAD_BAD.
 *
 * Blank lines (CRLF, LF) in front are skipped, up to 16. It is HTTP if in its first line
 * "HTTP/" (any case) stands behind a space or the like, whatever the method; or if the
 * method is one of the known (GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH,
 * CONNECT, PRI, and PROXY, in any case of letters). If that line is not exactly "method SP target
 * SP HTTP/d.d" then, it is HEAD_BAD: without a version, no host can stand in it. HEAD_NOT if the
 * line has ended and is none, or has more than 65000 bytes with one among them that hardly any
 * server takes in such a line (one that can neither stand in a method nor end it, one behind that
 * end that is not visible ASCII, a NUL anywhere). Until its end has come it is HEAD_MORE: what may
 * still become a request is not passed on.
 *
 * HEAD_BAD, of the first line: versions other than 1.0 and 1.1 (PRI * HTTP/2.0 among
 * them), more than one space between the parts, a target with other than visible ASCII, a
 * scheme other than http and https and ws and wss, userinfo, an absolute target whose host
 * is not that of the Host field (port and all: the scheme's, where none is given) or does
 * not end at a slash or the end, "*" but with OPTIONS, CONNECT in another case of letters
 * or without a port, any other target that does not begin with a slash, white space alone. The
 * signature of PROXY, version 2, too: some servers take a request behind it.
 * Of any line: control characters but tabs, a bare CR, an end in a bare LF.
 * Of fields: folded lines, a space before the colon, an empty or odd name, more than one
 * Host, none with HTTP/1.1, a host with other characters than a name or address has, more
 * than one Content-Length or one that is no plain number, Content-Length with
 * Transfer-Encoding, a Transfer-Encoding other than exactly "chunked" (any case), either
 * of them with CONNECT, CONNECT to another host than Host says, a body with GET, HEAD,
 * DELETE, OPTIONS or TRACE, Transfer-Encoding with HTTP/1.0, one of these three with a tab or
 * a space behind its value, named by Connection or spelled with '_', more than one
 * Proxy-Authorization.
 * More than HEAD_MAX, 256 fields, 16 blank lines. With HTTP/1.0 and no Host: whole, and
 * not named. */
enum head_kind head_parse(const void *data, size_t len, bool first, struct head *ret_head);

/* How many bytes are blank lines in front. */
size_t head_blank(const void *data, size_t len);
/* Of a line that has no end yet: whether it begins as a request would. */
bool head_begins(const void *data, size_t len);
/* Whether "HTTP/" or the like stands in it, behind what somebody might split words at. */
bool head_has_version(const void *data, size_t len);

#define HEAD_CHUNK_LINE_MAX 8192 /* of an extension, and of all trailers together */

/* How far a chunked body goes. */
struct head_chunks {
	int state; /* zeroed: at its beginning */
	uint64_t left;
	unsigned digits;
	bool last;
	char name[20]; /* of a trailer, its beginning */
};

/* Takes bytes of the body: how many of them belong to it (all, until it ends);
 * *ret_done: it has ended, trailers and all. -EINVAL, then and ever after: a size that is not
 * plain hexadecimal of at most 15 digits, a bare LF or CR, control characters in an extension
 * or trailer (but tabs in a trailer's value), a trailer that is no field or is Host,
 * Content-Length or Transfer-Encoding, more than HEAD_CHUNK_LINE_MAX bytes of either. */
int64_t head_chunks(struct head_chunks *chunks, const void *data, size_t len, bool *ret_done);

/* A field's value split off: whether text (not terminated) equals "Basic " and the base64 of
 * user:password, compared in constant time once the scheme has been matched (any case). A
 * user and password of more than 256 bytes together are nobody's. */
bool head_basic_is(const char *text, size_t len, const char *user, const char *password);

#endif
