/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of hosts, from settings, rules and people, against one host; and
 * which addresses are this machine's or its network's. A pattern of a name
 * never covers an address, whatever the name resolves to. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "request/address.h"
#include "request/host.h"

static bool
same_prefix(const unsigned char *a, const unsigned char *b, int bits)
{
	int whole = bits / 8, rest = bits % 8;
	unsigned char mask = (unsigned char)(0xff00 >> rest);

	if (memcmp(a, b, (size_t)whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) & mask) == 0;
}

struct pattern {
	bool any;   /* "*" */
	bool below; /* "*.name" */
	char *name; /* unless an address */
	struct address address;
	int port; /* 0: any */
};

/* "/8" behind an address. Bits beyond the prefix must be zero: 10.1.2.3/8 is
 * somebody's mistake, and which one cannot be known. */
static int
parse_bits(const char *text, bool mapped, struct address *address)
{
	static const unsigned char zero[16];
	int max = address->family == AF_INET ? 32 : 128, bits = 0;
	unsigned char rest[16] = { 0 };

	if (!ascii_is_digit(text[0]) || strlen(text) > 3 || (text[0] == '0' && text[1]))
		return -EINVAL;
	for (; *text; text++) {
		if (!ascii_is_digit(*text))
			return -EINVAL;
		bits = bits * 10 + (*text - '0');
	}
	bits -= mapped ? 96 : 0;
	if (bits < 0 || bits > max)
		return -EINVAL;
	memcpy(rest, address->bytes, (size_t)max / 8);
	if (bits < max) {
		memset(rest, 0, (size_t)bits / 8);
		rest[bits / 8] &= (unsigned char)(0xff >> (bits % 8));
		if (memcmp(rest, zero, sizeof(rest)) != 0)
			return -EINVAL;
	}
	address->bits = bits;
	return 0;
}

static int
pattern_parse(const char *text, struct pattern *ret)
{
	const char *slash = strchr(text, '/'), *host;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	struct pattern p = { 0 };
	int r;

	if (str_prefix(text, "*.")) {
		p.below = true;
		text += 2;
		len -= 2;
	}
	r = address_split(text, len, &host, &len, &p.port);
	if (r < 0)
		return r;
	if (len == 1 && host[0] == '*' && !p.below && !slash) {
		p.any = true;
	} else {
		r = address_parse(host, len, &p.name, &p.address);
		if (r < 0)
			return r;
	}
	p.address.bits = p.address.family == AF_INET ? 32 : 128;
	if (p.below && p.address.family)
		r = -EINVAL;
	if (slash && (p.port || !p.address.family))
		r = -EINVAL;
	else if (slash && r == 0)
		r = parse_bits(slash + 1, p.address.family == AF_INET && memchr(host, ':', len),
			&p.address);
	if (r < 0) {
		free(p.name);
		return r;
	}
	*ret = p;
	return 0;
}

int
host_pattern_check(const char *pattern)
{
	struct pattern p;
	int r;

	if (host_is_unix(pattern))
		return host_unix_check(pattern, true);
	r = pattern_parse(pattern, &p);

	if (r == 0)
		free(p.name);
	return r;
}

bool
host_is_localhost(const char *name)
{
	size_t len = strlen(name);

	return streq(name, "localhost") || (len > 10 && streq(name + len - 10, ".localhost"));
}

static const struct address loopbacks[] = {
	{ .family = AF_INET, .bytes = { 127, 0, 0, 1 } },
	{ .family = AF_INET }, /* the kernel connects the any-addresses to the loopback */
	{ .family = AF_INET6, .bytes = { [15] = 1 } },
	{ .family = AF_INET6 },
};

#define LOOPBACKS (sizeof(loopbacks) / sizeof(loopbacks[0]))

static bool
is_loopback(const char *name, const struct address *address)
{
	bool found = !address->family && host_is_localhost(name);

	for (size_t i = 0; address->family && i < LOOPBACKS; i++)
		found |= loopbacks[i].family == address->family &&
			 memcmp(loopbacks[i].bytes, address->bytes, sizeof(address->bytes)) == 0;
	return found;
}

/* One spelling of the loopback stands for all. A wildcard names none. */
static bool
covers_loopback(const struct pattern *p)
{
	bool found = !p->address.family && !p->any && !p->below && host_is_localhost(p->name);

	for (size_t i = 0; p->address.family && i < LOOPBACKS; i++)
		found |= loopbacks[i].family == p->address.family &&
			 same_prefix(p->address.bytes, loopbacks[i].bytes, p->address.bits);
	return found;
}

bool
host_is_loopback(const char *host)
{
	auto_free char *name = NULL;
	struct address address;

	return !host_is_unix(host) && address_parse(host, strlen(host), &name, &address) == 0 &&
	       is_loopback(name, &address);
}

static bool
pattern_match(const struct pattern *p, const char *name, const struct address *address, bool no)
{
	size_t len = strlen(name), tail;

	if (covers_loopback(p) &&
		(is_loopback(name, address) ||
			(no && address->family == AF_INET && address->bytes[0] == 127)))
		return true;
	/* "*" is for names of other machines: this one has to be named. */
	if (p->any)
		return !address->family && !host_is_localhost(name);
	if (p->address.family)
		return p->address.family == address->family &&
		       same_prefix(p->address.bytes, address->bytes, p->address.bits);
	if (address->family)
		return false;
	tail = strlen(p->name);
	if (p->below)
		return len > tail + 1 && name[len - tail - 1] == '.' &&
		       streq(name + len - tail, p->name);
	return streq(name, p->name);
}

static bool
match_host(const char *pattern, const char *host, int port, bool no)
{
	auto_free char *name = NULL;
	struct address address;
	struct pattern p;
	bool hit = false;

	/* A name covers no socket, and a socket no name. */
	if (host_is_unix(host) || host_is_unix(pattern))
		return host_is_unix(host) && host_unix_match(pattern, host);
	if (address_parse(host, strlen(host), &name, &address) < 0)
		return false;
	if (pattern_parse(pattern, &p) < 0)
		return false;
	if (p.port == 0 || p.port == port || port == HOST_PORT_ANY)
		hit = pattern_match(&p, name, &address, no);
	free(p.name);
	return hit;
}

bool
host_match(const char *pattern, const char *host, int port)
{
	return match_host(pattern, host, port, false);
}

bool
host_match_no(const char *pattern, const char *host, int port)
{
	return match_host(pattern, host, port, true);
}

#define LABEL_LONG 40
#define NAME_LONG 100

bool
host_is_long(const char *host)
{
	size_t n = strlen(host);

	if (host_is_unix(host) || strchr(host, ':'))
		return false;
	for (const char *at = host; *at; at += strcspn(at, ".")) {
		at += *at == '.';
		if (strcspn(at, ".") > LABEL_LONG)
			return true;
	}
	return n > NAME_LONG;
}

#define SERVICE_LONG 15 /* RFC 6335, 5.1: with more it could carry data */

const char *
host_of_service(const char *name)
{
	size_t n = name[0] == '_' ? strspn(name + 1, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
	const char *rest = name + 1 + n;

	if (n == 0 || n > SERVICE_LONG ||
		!(str_prefix(rest, "._tcp.") || str_prefix(rest, "._udp.")))
		return name;
	rest += strlen("._tcp.");
	return strchr(rest, '.') && rest[0] != '_' ? rest : name;
}

static const struct {
	unsigned char bytes[4];
	int bits;
} local4[] = {
	{ { 0 }, 8 },		      /* this host */
	{ { 10 }, 8 },		      /* private */
	{ { 100, 64 }, 10 },	      /* shared; one cloud's metadata */
	{ { 127 }, 8 },		      /* loopback */
	{ { 168, 63, 129, 16 }, 32 }, /* one cloud's own services */
	{ { 169, 254 }, 16 },	      /* link-local, metadata */
	{ { 172, 16 }, 12 },	      /* private */
	{ { 192, 88, 99 }, 24 },      /* to whoever translates IPv6 */
	{ { 192, 0, 0 }, 24 },	      /* protocol assignments; one cloud's metadata */
	{ { 192, 168 }, 16 },	      /* private */
	{ { 198, 18 }, 15 },	      /* benchmarks inside a network */
	{ { 224 }, 4 },		      /* multicast */
	{ { 240 }, 4 },		      /* reserved, broadcast */
};

static bool
is_local4(const unsigned char *bytes)
{
	for (size_t i = 0; i < sizeof(local4) / sizeof(local4[0]); i++)
		if (same_prefix(local4[i].bytes, bytes, local4[i].bits))
			return true;
	return false;
}

/* at: where an IPv4 address is carried in it, which is then what counts. */
static const struct {
	unsigned char bytes[16];
	int bits;
	int at;
} local6[] = {
	{ { 0 }, 96, 12 },			  /* ::, ::1, v4-compatible */
	{ { [8] = 0xff, [9] = 0xff }, 96, 12 },	  /* translated, the old way */
	{ { 0x01 }, 64, 0 },			  /* thrown away */
	{ { 0x20, 0x01 }, 32, 0 },		  /* Teredo: an IPv4 address inside */
	{ { 0xfc }, 7, 0 },			  /* private; metadata */
	{ { 0xfe, 0x80 }, 10, 0 },		  /* link-local */
	{ { 0xfe, 0xc0 }, 10, 0 },		  /* site-local */
	{ { 0xff }, 8, 0 },			  /* multicast */
	{ { 0, 0x64, 0xff, 0x9b }, 96, 12 },	  /* translated to IPv4 */
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, 0 }, /* translated, locally */
	{ { 0x20, 0x02 }, 16, 2 },		  /* 6to4 */
};

bool
host_is_local(const char *host)
{
	struct address address;
	size_t len = strlen(host);

	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	if (address_parse(host, len, NULL, &address) < 0)
		return false;
	if (address.family == AF_INET)
		return is_local4(address.bytes);
	if (address.family != AF_INET6)
		return false;
	for (size_t i = 0; i < sizeof(local6) / sizeof(local6[0]); i++)
		if (same_prefix(local6[i].bytes, address.bytes, local6[i].bits))
			return local6[i].at == 0 || is_local4(address.bytes + local6[i].at);
	return false;
}
