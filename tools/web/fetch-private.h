/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WEB_FETCH_PRIVATE_H
#define TOOLS_WEB_FETCH_PRIVATE_H

#include <arpa/inet.h>
#include <sys/socket.h>

#include "tools/web/fetch.h"

/* Shared by fetch.c (the way), fetch-url.c (what a URL says), fetch-address.c
 * (where that is) and fetch-transfer.c (one request with libcurl). */

#define GOAL_ADDRESSES 8

struct goal_address {
	struct sockaddr_storage at;
	socklen_t len;
	char text[INET6_ADDRSTRLEN];
};

/* One stop on the way. */
struct goal {
	char *url; /* as it is asked for: the host in its one spelling */
	char *host;
	int port;
	bool tls;
	struct goal_address address[GOAL_ADDRESSES]; /* that may be connected to */
	size_t n;
};
void goal_finish(struct goal *goal);

struct trip {
	const struct fetch *fetch;
	struct fetched *page;
	struct ambit_error *err;
	int64_t left_ms;
	char **decided; /* "host:port" */
	char **visited; /* URLs */
	char *location; /* of the last answer, or NULL */
};

/* Sets code and hint of the page; -error. */
int trip_fail(struct trip *trip, int error, enum ambit_code code, const char *hint, const char *fmt,
	...) __attribute__((format(printf, 5, 6)));
/* Once for each host and port. */
int trip_decide(struct trip *trip, const char *host, int port);
/* "name:port", "[address]:port". Caller frees. */
char *trip_join(const char *host, int port);
/* Until fd (-1: none) is readable: 0; -ECANCELED, -ETIMEDOUT. */
int trip_wait(struct trip *trip, int fd);
int64_t trip_now(void);

/* http and https alone, no user in it, a host that has one spelling. */
int goal_parse(struct trip *trip, const char *url, struct goal *ret_goal);
/* A Location, relative or not, seen from base. */
int goal_follow(struct trip *trip, const char *base, const char *location, char **ret_url);

/* Finds the addresses, decides about those that the name does not cover. */
int goal_find(struct trip *trip, struct goal *goal);

/* The answer into the page; location if it leads on. */
int trip_transfer(struct trip *trip, const struct goal *goal);

#endif
