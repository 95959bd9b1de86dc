/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_DNS_UPSTREAM_H
#define EGRESS_DNS_UPSTREAM_H

#include <ambit/engine.h>

#include "egress/dns/dns.h"
#include "base/loop.h"
#include "perform/permit.h"

/* Questions to the system's name servers: by UDP from a port of its own each, by TCP
 * where an answer does not fit; the servers of resolv.conf in their order, twice. */

#define UPSTREAM_QUERIES 256 /* under way at once */

struct upstream;
struct upstream_query;

/* Called once, when it is over; not from within upstream_ask. answer NULL: no server
 * said anything. message is what it said, to the byte. */
typedef void upstream_done(
	void *data, const struct dns_answer *answer, const void *message, size_t len);

struct upstream *upstream_create(struct loop *loop);
/* Those under way end without a word. */
void upstream_destroy(struct upstream *upstream);

/* The query is copied; the pass is used up. -EPERM, -EBUSY, -ENOMEM. */
int upstream_ask(struct upstream *upstream, struct pass *pass, const struct dns_query *query,
	upstream_done *done, void *data, struct upstream_query **ret_query);
/* Nobody wants to know any more. */
void upstream_cancel(struct upstream_query *query);

/* To be called now and then while there are any: times out. How many there are. */
size_t upstream_tick(struct upstream *upstream);

#endif
