/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_HOST_H
#define REQUEST_HOST_H

#include <stdbool.h>

/* "name", "name:443", "10.0.0.1:80", "[::1]:80", "::1" -> lower-case name
 * without brackets and trailing dot, and port (0: none given). A unix socket
 * ("unix:/run/x.sock", "unix:@name") stays as it is, port 0. -EINVAL. */
int host_parse(const char *text, char **ret_host, int *ret_port);

/* The host and port of an http, https, ws, wss, ftp, ssh or git URL. Userinfo is not the
 * host; backslashes, spaces, control bytes and odd schemes are -EINVAL. */
int host_parse_url(const char *url, char **ret_host, int *ret_port);

/* Patterns: "example.com", "*.example.com" (not the apex), "example.com:443",
 * "10.1.2.3", "10.0.0.0/8", "[fe80::]/10", "[::1]:80", "*" (every name, no
 * address); "unix:/run/x.sock", "unix:@name", and with "/" and "*" as
 * its end all beneath. */
int host_pattern_check(const char *pattern);
bool host_match(const char *pattern, const char *host, int port);
/* The same for a pattern that denies. A no to the loopback covers all of 127.0.0.0/8: a server on
 * every address is reached by each of them. */
bool host_match_no(const char *pattern, const char *host, int port);
#define HOST_PORT_ANY (-1) /* one that the pattern names will do */

/* Whether the last label of a lower-case name is a number: then it is read as an address,
 * or not at all. */
bool host_ends_in_number(const char *name);

/* Whether a name is longer than names of hosts are, in one label (40) or in all (100):
 * what is looked up can carry data. A yes for a wildcard does not cover it. */
bool host_is_long(const char *host);

/* The host in the name of a service ("_http._tcp.example.org"), or the name itself. Borrowed. */
const char *host_of_service(const char *name);

/* What is called so is this machine, wherever the name leads. */
bool host_is_localhost(const char *name);

/* The loopback: "localhost", what is below it, 127.0.0.1, ::1, 0.0.0.0 and ::. They lead to the
 * same servers, so a pattern that covers one of them covers all. The rest of 127.0.0.0/8 is not
 * among them: each address there can have a server of its own. */
bool host_is_loopback(const char *host);

/* An address (not a name) that is loopback, link-local, private, metadata,
 * multicast or unspecified, mapped forms included. */
bool host_is_local(const char *host);

/* -- unix sockets ----------------------------------------------------------- */

bool host_is_unix(const char *host);

/* The path in it, or NULL for an abstract name and any other host. Borrowed. */
const char *host_unix_path(const char *host);

/* -EINVAL unless it is one; pattern: or a pattern of them. */
int host_unix_check(const char *text, bool pattern);
bool host_unix_match(const char *pattern, const char *host);

/* What the one at the other end can do: "it signs in as you"; HOST_UNIX_UNKNOWN where the name
 * does not tell. Static. */
#define HOST_UNIX_UNKNOWN "a process outside may act on what it is sent"
const char *host_unix_text(const char *host);
/* The same in capitals, for a question: "SIGNS IN AS YOU", "NOT HELD BY AMBIT" where the name
 * does not tell; "" where it does no harm by itself.
 * Caller frees; NULL without memory. */
char *host_unix_danger(const char *host);
/* The program that usually has a socket of this name: "Docker"; "its program". Static. */
const char *host_unix_name(const char *host);
/* Whether a terminal multiplexer (tmux, screen, zellij) has its sockets there. */
bool host_unix_is_multiplexer(const char *host);

#endif
