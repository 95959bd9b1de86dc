/* SPDX-License-Identifier: Apache-2.0 */
/* The first line of a request: whether it is one, and whom it is for. What is no
 * request goes out unread, to whomever the address belongs: so "no" is said only of
 * what no server would answer. Old nginx takes control characters in a target, Apache
 * any white space between the parts and more behind the version, Python's server
 * whatever splits into three words. All of that has a version or begins like a request, and
 * is a bad one. */

#include <string.h>

#include "base/str.h"
#include "egress/http/head-private.h"

#define LINE_MAX 65000 /* of HEAD_MAX; those who take anything do not take that much */

static const char *const methods[] = {
	"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "PRI",
	"PROXY", /* none; but some servers take a request behind such a line */
};

/* A server that expects no body with them may take it for the next request. */
static const char *const bodyless[] = { "GET", "HEAD", "DELETE", "OPTIONS", "TRACE" };

static const struct {
	const char *prefix;
	int port;
} schemes[] = {
	{ "http://", 80 },
	{ "https://", 443 },
	{ "ws://", 80 },
	{ "wss://", 443 },
};

static const bool tokens[256] = {
	['0' ... '9'] = true,
	['A' ... 'Z'] = true,
	['a' ... 'z'] = true,
	['!'] = true,
	['#'] = true,
	['$'] = true,
	['%'] = true,
	['&'] = true,
	['\''] = true,
	['*'] = true,
	['+'] = true,
	['-'] = true,
	['.'] = true,
	['^'] = true,
	['_'] = true,
	['`'] = true,
	['|'] = true,
	['~'] = true,
};

bool
head_is_token(char c)
{
	return tokens[(unsigned char)c];
}

/* What isspace(3) would have, but for the LF; and what Python's server splits words at. */
static bool
is_white(char c)
{
	unsigned char u = (unsigned char)c;

	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n') || (u >= 0x1c && u <= 0x1f) ||
	       u == 0x85 || u == 0xa0;
}

static bool
is_visible(char c)
{
	return c > ' ' && c < 0x7f;
}

static bool
is_same_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

static bool
equals_fold(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && str_fold_equal(text, word, len);
}

static bool
is_known(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (equals_fold(word, len, methods[i]))
			return true;
	return false;
}

/* node takes these for HTTP. */
static const char *const protocols[] = { "HTTP/", "RTSP/", "ICE/" };

/* "HTTP/" behind anything that somebody might split words at: to Python's server that is
 * a no-break space, too. */
bool
head_has_version(const void *data, size_t len)
{
	const char *line = data;

	for (size_t i = 1; i < len; i++) {
		unsigned char before = (unsigned char)line[i - 1];

		if (before > ' ' && before < 0x80)
			continue;
		for (size_t j = 0; j < sizeof(protocols) / sizeof(protocols[0]); j++)
			if (strlen(protocols[j]) <= len - i &&
				str_fold_equal(line + i, protocols[j], strlen(protocols[j])))
				return true;
	}
	return false;
}

struct word {
	const char *text;
	size_t len;
};

/* Finds the first word; true if there is a byte among these that hardly any server takes in
 * a request's line. */
static bool
is_hopeless(const char *line, size_t len, struct word *ret_word)
{
	const char *nul = memchr(line, '\0', len);
	size_t i = 0, n = nul ? (size_t)(nul - line) : len;

	while (i < n && is_white(line[i]))
		i++;
	ret_word->text = line + i;
	while (i < n && head_is_token(line[i]))
		i++;
	ret_word->len = (size_t)(line + i - ret_word->text);
	if (i < n && !is_white(line[i]))
		return true;
	while (i < n && is_white(line[i]))
		i++;
	return nul || (i < n && !is_visible(line[i]));
}

bool
head_begins(const void *data, size_t len)
{
	struct word word;

	is_hopeless(data, len, &word);
	if (head_has_version(data, len) || is_known(word.text, word.len))
		return true;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (word.text + word.len == (const char *)data + len &&
			word.len < strlen(methods[i]) &&
			str_fold_equal(word.text, methods[i], word.len))
			return true;
	return false;
}

enum head_kind
head_line_find(const char *text, size_t len, size_t *ret_len)
{
	const char *end = memchr(text, '\n', len);
	size_t line = end ? (size_t)(end - text) : len;
	struct word word;

	/* Some take any method, and Python's wsgiref any bytes for one. */
	if (is_hopeless(text, line, &word)) {
		if (is_known(word.text, word.len) || head_has_version(text, line))
			return HEAD_BAD;
		return end || len >= LINE_MAX ? HEAD_NOT : HEAD_MORE;
	}
	if (!end)
		return HEAD_MORE;
	*ret_len = line + 1;
	if (head_has_version(text, line))
		return HEAD_WHOLE;
	/* nginx skips any CR in front: to it "CR CR LF" is not the first line. */
	return word.len == 0 || is_known(word.text, word.len) ? HEAD_BAD : HEAD_NOT;
}

/* The host ends at a slash or the end. To the RFC a '?' ends it as well, but to those who
 * look for the slash alone "http://a?@b/" is b's. */
static bool
parse_absolute(const char *target, size_t len, struct head_look *look)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i].prefix);
		const char *slash;

		if (len <= n || !str_fold_equal(target, schemes[i].prefix, n))
			continue;
		slash = memchr(target + n, '/', len - n);
		look->head.absolute = true;
		look->scheme_port = schemes[i].port;
		return hostname_parse_port(target + n,
			       slash ? (size_t)(slash - target) - n : len - n, look->head.host,
			       &look->head.port) == 0;
	}
	return false;
}

/* Without a port some would take 443, and some 80. */
static bool
parse_connect(const struct word *method, const struct word *target, struct head_look *look)
{
	struct head *head = &look->head;

	head->connect = true;
	if (!is_same_word(method->text, method->len, "CONNECT"))
		return false;
	return hostname_parse_port(target->text, target->len, head->host, &head->port) == 0 &&
	       head->port > 0;
}

static bool
parse_target(const struct word *method, const struct word *target, struct head_look *look)
{
	for (size_t i = 0; i < target->len; i++)
		if (!is_visible(target->text[i]))
			return false;
	if (equals_fold(method->text, method->len, "CONNECT"))
		return parse_connect(method, target, look);
	if (is_same_word(target->text, target->len, "*"))
		return is_same_word(method->text, method->len, "OPTIONS");
	if (target->len > 0 && target->text[0] == '/')
		return true;
	return parse_absolute(target->text, target->len, look);
}

bool
head_line_parse(const char *line, size_t len, struct head_look *look)
{
	const char *end = line + len, *space, *version;
	struct word method, target;

	space = memchr(line, ' ', len);
	if (!space || space == line)
		return false;
	method = (struct word){ line, (size_t)(space - line) };
	version = memchr(space + 1, ' ', (size_t)(end - space) - 1);
	if (!version)
		return false;
	target = (struct word){ space + 1, (size_t)(version - space) - 1 };
	version++;
	for (size_t i = 0; i < method.len; i++)
		if (!head_is_token(method.text[i]))
			return false;
	for (size_t i = 0; i < sizeof(bodyless) / sizeof(bodyless[0]); i++)
		look->bodyless |= equals_fold(method.text, method.len, bodyless[i]);
	look->old = is_same_word(version, (size_t)(end - version), "HTTP/1.0");
	if (!look->old && !is_same_word(version, (size_t)(end - version), "HTTP/1.1"))
		return false;
	return parse_target(&method, &target, look);
}
