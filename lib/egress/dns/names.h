/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_DNS_NAMES_H
#define EGRESS_DNS_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "egress/dns/dns.h"

/* Which names an address was given for. Thread-safe. Times are of a clock that
 * never jumps, in milliseconds. */

#define NAMES_MAX 4096	 /* addresses with their names; the oldest go first */
#define NAMES_TTL_MIN 60 /* seconds: programs keep an address for as long as they like */
#define NAMES_TTL_MAX 3600
#define NAMES_GRACE 300 /* and use it a while longer than they were told */

struct names;

struct names *names_create(void);
void names_destroy(struct names *names);

/* ::ffff:10.0.0.1 is 10.0.0.1 to the kernel, and here. */
void names_fold(struct dns_address *address);

/* What a name server said about this name. Addresses of this machine, its network and
 * of metadata (host_is_local) are not kept: no name covers those. */
void names_add(struct names *names, const char *name, const struct dns_address *list, size_t n,
	int64_t now);

/* The names that it was given for, the last one first, then those of /etc/hosts: how many,
 * at most max. */
size_t names_list(struct names *names, const struct dns_address *address, int64_t now,
	char (*ret_names)[DNS_NAME_MAX], size_t max);
/* The first of them. False: none. */
bool names_find(struct names *names, const struct dns_address *address, int64_t now,
	char ret_name[DNS_NAME_MAX]);
/* The addresses that were given for the name: how many. */
size_t names_addresses(
	struct names *names, const char *name, int64_t now, struct dns_address *list, size_t max);

/* Of this machine, its network, or a cloud's metadata: what no name covers. */
bool names_near(const struct dns_address *address);

/* Whether it was given for this very name. */
bool names_has(
	struct names *names, const char *name, const struct dns_address *address, int64_t now);

/* Addresses in /etc/hosts of a name: how many. */
size_t names_hosts(const char *name, struct dns_address *list, size_t max);

/* -- looking without going ----------------------------------------------------------- */

/* Whoever has been told several addresses of a name connects a datagram socket to each,
 * once, to see by which of its own it would go (RFC 6724). After such an answer to a
 * process, one look each is expected: names_look says whether this was it. */
void names_expect(
	struct names *names, pid_t pid, const struct dns_address *list, size_t n, int64_t now);
bool names_look(struct names *names, pid_t pid, const struct dns_address *address, int64_t now);

#endif
