/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_HTTP_HELLO_H
#define EGRESS_HTTP_HELLO_H

#include <stddef.h>

/* The first bytes of a TLS client: the name that it wants (SNI). Read from the
 * beginning each time, as more of it comes: nothing is kept between two looks. */

#define HELLO_MAX 65536	   /* a ClientHello is at most this long, records included */
#define HELLO_NAME_MAX 254 /* with its NUL */

enum hello {
	HELLO_BAD = 0,	/* begins like TLS, but is not to be understood */
	HELLO_MORE,	/* so far it may be: wait for more bytes */
	HELLO_NOT,	/* not TLS at all: decided by its first byte or bytes */
	HELLO_NAMED,	/* ret_name is filled: lower case, no last dot, letters, digits, - _ . */
	HELLO_NAMELESS, /* whole, and there is no name in it to go by */
};

/* data: all that came until now. TLS records of version 3.x (1.0 to 1.3 all look like
 * that) of type handshake, split anywhere, over several records too. A second
 * server_name extension, two names in one, a name that is empty, an address, or has other
 * characters, lengths that do not add up, a first handshake message that is no
 * ClientHello or one of SSL 3.0, an empty or an alert or other record amid it, more than
 * HELLO_MAX: HELLO_BAD. With an encrypted ClientHello or name (ECH, ESNI) it is
 * HELLO_NAMELESS: what it asks for is inside, whatever stands outside. (Browsers send a
 * made-up one, which looks no different.)
 * An SSLv2 hello (0x80 ... 0xff, two bytes on 0x01) is HELLO_BAD, too: it has no name and
 * no honest program sends it. So is any other record of TLS (0x14 to 0x18,
 * version 3) in front of it. Any first byte but these is HELLO_NOT; so are these
 * with another version, unless they would be a hello or an alert: not all servers look
 * at it. What comes behind the ClientHello in the same bytes
 * does not matter, but its last record must end with it.
 *
 * A server may ask for another ClientHello (TLS 1.3, HelloRetryRequest), and the name in
 * that one is what counts then: this here does not see it. */
enum hello hello_parse(const void *data, size_t len, char ret_name[HELLO_NAME_MAX]);

/* How much of it the hello is, records included: of HELLO_NAMED and HELLO_NAMELESS. */
size_t hello_length(const void *data, size_t len);

/* What a server said to it first: whether it wants another. */
enum hello_reply {
	HELLO_REPLY_MORE = 0,
	HELLO_REPLY_RETRY,
	HELLO_REPLY_TLS,   /* its own hello, or an alert */
	HELLO_REPLY_OTHER, /* no TLS at all */
};
#define HELLO_REPLY_LEN 43 /* more of it need not be known */
enum hello_reply hello_reply(const void *data, size_t len);

/* A client's record that stands before a second hello: a change of cipher that means
 * nothing, or early data. Its length, all of it; 0: it is none, or not all there. */
size_t hello_skip(const void *data, size_t len);

#endif
