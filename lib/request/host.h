/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_HOST_H
#define REQUEST_HOST_H

#include <stdbool.h>

/* "name", "name:443", "10.0.0.1:80", "[::1]:80", "::1" -> lower-case name
 * without brackets and trailing dot, and port (0: none given). -EINVAL. */
int host_parse(const char *text, char **ret_host, int *ret_port);

/* The host and port of an http, https, ws, wss, ftp, ssh or git URL. Userinfo is not the
 * host; backslashes, spaces, control bytes and odd schemes are -EINVAL. */
int host_parse_url(const char *url, char **ret_host, int *ret_port);

/* Patterns: "example.com", "*.example.com" (not the apex), "example.com:443",
 * "10.1.2.3", "10.0.0.0/8", "[fe80::]/10", "[::1]:80", "*" (every name, no address). */
int host_pattern_check(const char *pattern);
bool host_match(const char *pattern, const char *host, int port);

/* An address (not a name) that is loopback, link-local, private, metadata,
 * multicast or unspecified, mapped forms included. */
bool host_is_local(const char *host);

#endif
