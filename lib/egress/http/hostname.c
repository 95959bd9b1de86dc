/* SPDX-License-Identifier: Apache-2.0 */
/* A host in a program's own bytes becomes one spelling that can be compared, or
 * nothing. Who reads the same bytes at the other end may take a NUL for their end, a
 * space or comma for the beginning of another host, '@' for the end of a user's name:
 * no such character gets through. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "base/ascii.h"
#include "base/str.h"
#include "egress/http/hostname.h"
#include "request/host.h"

#define LABEL_MAX 63

static bool
is_label(char c)
{
	return ascii_is_digit(c) || ascii_is_lower(c) || c == '-' || c == '_';
}

int
hostname_parse(const char *text, size_t len, char ret_name[HOSTNAME_MAX])
{
	char name[HOSTNAME_MAX];
	size_t label = 0;

	if (len > 0 && text[len - 1] == '.')
		len--;
	if (len >= sizeof(name))
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		name[i] = str_lower(text[i]);
		if (name[i] == '.' && label > 0)
			label = 0;
		else if (!is_label(name[i]) || ++label > LABEL_MAX)
			return -EINVAL;
	}
	if (label == 0) /* empty, or "a.." */
		return -EINVAL;
	name[len] = '\0';
	memcpy(ret_name, name, len + 1);
	return 0;
}

static int
parse_port(const char *text, size_t len, int *ret_port)
{
	int port = 0;

	/* A zero in front is octal to some. */
	if (len == 0 || len > 5 || text[0] == '0')
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (!ascii_is_digit(text[i]))
			return -EINVAL;
		port = port * 10 + (text[i] - '0');
	}
	if (port > 65535)
		return -EINVAL;
	*ret_port = port;
	return 0;
}

/* What stands between brackets. inet_pton knows no zone ("%eth0"), and that is well:
 * it is of this machine, whatever the other one makes of it. */
static int
parse_ipv6(const char *text, size_t len, char ret_name[HOSTNAME_MAX])
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (len >= sizeof(name) || memchr(text, '\0', len))
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		name[i] = str_lower(text[i]);
	name[len] = '\0';
	if (inet_pton(AF_INET6, name, &address) != 1)
		return -EINVAL;
	memcpy(ret_name, name, len + 1);
	return 0;
}

int
hostname_parse_port(const char *text, size_t len, char ret_name[HOSTNAME_MAX], int *ret_port)
{
	bool ipv6 = len > 0 && text[0] == '[';
	const char *end = len > 0 ? memchr(text, ipv6 ? ']' : ':', len) : NULL;
	size_t host = end ? (size_t)(end - text) : len, rest = host;
	int port = 0, r;

	if (ipv6 && !end)
		return -EINVAL;
	if (ipv6)
		rest++;
	if (rest < len && text[rest] != ':')
		return -EINVAL;
	if (rest < len && parse_port(text + rest + 1, len - rest - 1, &port) < 0)
		return -EINVAL;
	r = ipv6 ? parse_ipv6(text + 1, host - 1, ret_name) : hostname_parse(text, host, ret_name);
	if (r == 0)
		*ret_port = port;
	return r;
}
