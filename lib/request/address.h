/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ADDRESS_H
#define REQUEST_ADDRESS_H

#include <stddef.h>

/* One host in one spelling, for host.c and hostmatch.c. */

struct address {
	int family; /* AF_INET, AF_INET6; 0: a name */
	unsigned char bytes[16];
	int bits; /* of the prefix, in a pattern */
};

/* Any spelling of one host, without port and brackets. Both results may be
 * NULL; the caller frees *ret_host. -EINVAL, -ENOMEM. */
int address_parse(const char *text, size_t len, char **ret_host, struct address *ret_address);

/* Where the host lies in "host", "host:port", "[v6]", "[v6]:port", "v6", and
 * what port was given (0: none). -EINVAL. */
int address_split(
	const char *text, size_t len, const char **ret_host, size_t *ret_len, int *ret_port);

#endif
