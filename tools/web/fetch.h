/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WEB_FETCH_H
#define TOOLS_WEB_FETCH_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/error.h>
#include <ambit/words.h>

#include "base/buf.h"

/* One page from the network. Every host on the way to it is decided about, the
 * address that was looked at is the one that is connected to, and what comes is
 * bounded in bytes and in time. No proxy, no cookies, no passwords. */

#define FETCH_HOPS 10	 /* redirects */
#define FETCH_LOOKUPS 16 /* names at once, of those who share a struct lookups */

struct lookups; /* own-tool.h */

struct fetch {
	const char *url;     /* its host was decided about by whoever has the permit */
	size_t max;	     /* bytes of the body, unpacked */
	int timeout_ms;	     /* on the network: waiting for a person is not counted */
	int cancel;	     /* a descriptor: readable when it is to end; -1 */
	const char *ca_file; /* NULL: the system's, as for every tool; a test has its own */
	/* Whether "host:port" may be reached too: 0, or -errno with words. */
	int (*decide)(void *data, const char *host_port, struct ambit_error *err);
	/* Whether an address that a name led to is refused for itself; or NULL. */
	bool (*refuses)(void *data, const char *address_port);
	void (*progress)(void *data, uint64_t done, uint64_t total); /* or NULL */
	void *data;
	struct lookups *lookups; /* borrowed; NULL: no name is looked up */
	/* NULL: getaddrinfo. Called in a thread of its own. */
	int (*lookup)(const char *host, const char *port, const struct addrinfo *hints,
		struct addrinfo **ret_list);
};

struct fetched {
	char *url; /* where it came from in the end, without fragment */
	int status;
	char *type; /* the Content-Type as it was sent; "" */
	struct buf body;
	uint64_t size; /* of the body: as it came, or as it was announced if it was cut */
	bool cut;      /* the body is longer than max */
	/* After a failure; decide's own failures have neither. */
	enum ambit_code code;
	const char *hint; /* static */
};

/* 0: an answer came, whatever its status. -errno with words; -ECANCELED. */
int fetch_page(const struct fetch *fetch, struct fetched *ret_page, struct ambit_error *err);
void fetched_finish(struct fetched *page);

/* -- what came --------------------------------------------------------------------- */

enum fetch_kind {
	FETCH_BINARY = 0,
	FETCH_TEXT,
	FETCH_HTML,
};
enum fetch_kind fetch_kind(const char *type, const char *body, size_t len);

/* "text/html" of a Content-Type, in lower case, as far as it is one; cut to size. */
void fetch_media(const char *type, char *ret_media, size_t size);
/* Whether it is a common one: any other can be a sentence ("text/now-do-as-i-say"). */
bool fetch_knows_media(const char *media);

/* The body as UTF-8, from the charset that its type, its first bytes or (in HTML)
 * its <meta> say; bytes that are none are replaced. Caller frees. -ENOMEM. */
int fetch_utf8(const char *type, enum fetch_kind kind, const char *body, size_t len,
	char **ret_text, size_t *ret_len);

#endif
