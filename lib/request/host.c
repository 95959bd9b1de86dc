/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, as text from a model, an agent or a person, become one spelling that
 * can be compared: a lower-case name, or an address as the kernel would print
 * it. Every resolver reads 0x7f.1 and 2130706433 as 127.0.0.1, and a mapped
 * IPv6 address as IPv4: so are they here. What two programs could read
 * differently (spaces, backslashes, two @, percent signs, letters outside
 * ASCII) is no host at all. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/str.h"
#include "request/address.h"
#include "request/host.h"

#define NAME_MAX_LEN 253
#define LABEL_MAX_LEN 63

static int
get_digit_value(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 99;
}

/* One part of an IPv4 address in inet_aton(3)'s manner: 0x is hexadecimal, a
 * leading 0 octal. text is lower case. */
static bool
parse_part(const char *text, size_t len, uint64_t *ret_value)
{
	unsigned base = 10;
	uint64_t value = 0;
	size_t i = 0;

	if (len > 1 && text[0] == '0') {
		base = text[1] == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	if (i == len) /* "0x" alone is zero to some and an error to others */
		return false;
	for (; i < len; i++) {
		unsigned d = (unsigned)get_digit_value(text[i]);

		if (d >= base)
			return false;
		value = value * base + d;
		if (value > UINT32_MAX)
			return false;
	}
	*ret_value = value;
	return true;
}

static bool
parse_ipv4(const char *name, unsigned char *ret_bytes)
{
	uint64_t parts[4], address = 0;
	size_t n = 0;

	for (const char *at = name;; n++) {
		size_t len = strcspn(at, ".");

		if (n == 4 || !parse_part(at, len, &parts[n]))
			return false;
		if (!at[len])
			break;
		at += len + 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (parts[i] > 255)
			return false;
		address |= parts[i] << (24 - 8 * i);
	}
	if (parts[n] >> (32 - 8 * n))
		return false;
	address |= parts[n];
	for (int i = 0; i < 4; i++)
		ret_bytes[i] = (unsigned char)(address >> (24 - 8 * i));
	return true;
}

/* A name whose last label is a number is read as an address, or not at all. */
bool
host_ends_in_number(const char *name)
{
	const char *last = strrchr(name, '.');
	size_t i = 0;

	last = last ? last + 1 : name;
	if (last[0] == '0' && last[1] == 'x')
		return true;
	while (ascii_is_digit(last[i]))
		i++;
	return i > 0 && !last[i];
}

static bool
valid_name(const char *name)
{
	size_t label = 0;

	for (; *name; name++) {
		if (*name == '.') {
			if (label == 0)
				return false;
			label = 0;
			continue;
		}
		if (!ascii_is_alnum(*name) && *name != '-' && *name != '_')
			return false;
		if (++label > LABEL_MAX_LEN)
			return false;
	}
	return label > 0;
}

static bool
is_mapped(const unsigned char *bytes)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(bytes, prefix, sizeof(prefix)) == 0;
}

int
address_parse(const char *text, size_t len, char **ret_host, struct address *ret_address)
{
	char name[NAME_MAX_LEN + 1], shown[INET6_ADDRSTRLEN];
	struct address address = { 0 };

	if (len > 1 && text[len - 1] == '.')
		len--;
	if (len == 0 || len > NAME_MAX_LEN || memchr(text, '\0', len))
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		name[i] = str_lower(text[i]);
	name[len] = '\0';
	if (strchr(name, ':')) {
		if (inet_pton(AF_INET6, name, address.bytes) != 1)
			return -EINVAL;
		address.family = AF_INET6;
		if (is_mapped(address.bytes)) {
			memmove(address.bytes, address.bytes + 12, 4);
			address.family = AF_INET;
		}
	} else if (!valid_name(name)) {
		return -EINVAL;
	} else if (host_ends_in_number(name)) {
		if (!parse_ipv4(name, address.bytes))
			return -EINVAL;
		address.family = AF_INET;
	}
	if (ret_address)
		*ret_address = address;
	if (!ret_host)
		return 0;
	if (address.family && !inet_ntop(address.family, address.bytes, shown, sizeof(shown)))
		return -EINVAL;
	*ret_host = strdup(address.family ? shown : name);
	return *ret_host ? 0 : -ENOMEM;
}

static int
parse_port(const char *text, size_t len, int *ret_port)
{
	int port = 0;

	if (len == 0 || len > 5)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (!ascii_is_digit(text[i]))
			return -EINVAL;
		port = port * 10 + (text[i] - '0');
	}
	if (port == 0 || port > 65535)
		return -EINVAL;
	*ret_port = port;
	return 0;
}

int
address_split(const char *text, size_t len, const char **ret_host, size_t *ret_len, int *ret_port)
{
	const char *colon, *end = text + len, *close;

	*ret_port = 0;
	if (len > 0 && text[0] == '[') {
		close = memchr(text, ']', len);
		if (!close || !memchr(text, ':', (size_t)(close - text)))
			return -EINVAL;
		*ret_host = text + 1;
		*ret_len = (size_t)(close - text) - 1;
		if (close + 1 == end)
			return 0;
		return close[1] == ':' ? parse_port(close + 2, (size_t)(end - close) - 2, ret_port)
				       : -EINVAL;
	}
	colon = memchr(text, ':', len);
	*ret_host = text;
	*ret_len = len;
	if (!colon || memchr(colon + 1, ':', (size_t)(end - colon) - 1))
		return 0;
	*ret_len = (size_t)(colon - text);
	return parse_port(colon + 1, (size_t)(end - colon) - 1, ret_port);
}

int
host_parse(const char *text, char **ret_host, int *ret_port)
{
	const char *host;
	size_t len;
	int port, r;

	if (host_is_unix(text)) {
		if (host_unix_check(text, false) < 0)
			return -EINVAL;
		*ret_host = strdup(text);
		*ret_port = 0;
		return *ret_host ? 0 : -ENOMEM;
	}
	r = address_split(text, strlen(text), &host, &len, &port);
	if (r < 0)
		return r;
	r = address_parse(host, len, ret_host, NULL);
	if (r == 0)
		*ret_port = port;
	return r;
}

static const struct {
	const char *prefix;
	int port;
} schemes[] = {
	{ "http://", 80 },
	{ "https://", 443 },
	{ "ws://", 80 },
	{ "wss://", 443 },
	{ "ftp://", 21 },
	{ "ssh://", 22 },
	{ "git://", 9418 },
};

static int
parse_scheme(const char *url, const char **ret_rest)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i].prefix);

		if (str_fold_equal(url, schemes[i].prefix, n)) {
			*ret_rest = url + n;
			return schemes[i].port;
		}
	}
	return -EINVAL;
}

/* Past "user:password@", which is not the host whatever it looks like. */
static int
skip_user(const char **at, size_t *len)
{
	const char *mark = memchr(*at, '@', *len);
	size_t user;

	if (!mark)
		return 0;
	user = (size_t)(mark - *at);
	if (memchr(mark + 1, '@', *len - user - 1))
		return -EINVAL;
	for (size_t i = 0; i < user; i++)
		if (!ascii_is_alnum((*at)[i]) && !strchr("-._~!$&'()*+,;=:%", (*at)[i]))
			return -EINVAL;
	*at = mark + 1;
	*len -= user + 1;
	return 0;
}

int
host_parse_url(const char *url, char **ret_host, int *ret_port)
{
	const char *at, *host;
	int port, scheme = parse_scheme(url, &at), r;
	size_t len, host_len;

	if (scheme < 0)
		return scheme;
	/* A browser drops tabs and newlines and turns \ into /; others do not. */
	for (const char *c = url; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == '\\')
			return -EINVAL;
	len = strcspn(at, "/?#");
	r = skip_user(&at, &len);
	if (r < 0)
		return r;
	if (len > 1 && at[len - 1] == ':')
		len--; /* "host:" is the scheme's port */
	if (len > 0 && at[0] != '[' && memchr(at, ':', len) != memrchr(at, ':', len))
		return -EINVAL; /* a bare IPv6 address cannot stand in a URL */
	r = address_split(at, len, &host, &host_len, &port);
	if (r == 0)
		r = address_parse(host, host_len, ret_host, NULL);
	if (r == 0)
		*ret_port = port ? port : scheme;
	return r;
}
