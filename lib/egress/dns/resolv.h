/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_DNS_RESOLV_H
#define EGRESS_DNS_RESOLV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* The system's name servers, as resolv.conf(5) has them. */

#define RESOLV_SERVERS 8
#define RESOLV_SEARCH 8
#define RESOLV_PORT 53

struct resolv {
	struct sockaddr_storage server[RESOLV_SERVERS]; /* port 53 */
	socklen_t len[RESOLV_SERVERS];
	size_t n;
	char search[RESOLV_SEARCH][256]; /* lower case, no last dot */
	size_t n_search;
};

/* None named: then it is this machine (127.0.0.1). */
void resolv_parse(const char *text, struct resolv *ret_resolv);
/* Of /etc/resolv.conf, as it is now. -errno: then there are none. */
int resolv_read(struct resolv *ret_resolv);

/* Whether the second, in lower case, is the first (len) with one of the system's search
 * domains behind it. */
bool resolv_completes(const char *name, size_t len, const char *whole);

#endif
