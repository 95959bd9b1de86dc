/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1 request becomes the host that it is for and the length of
 * what follows. A hostile program wrote it, and wants the server to see another host,
 * or a second request where this sees a body. Every such trick is two readings of the
 * same bytes: so there is one here, the narrowest, and the rest is bad. */

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "egress/http/head-private.h"

_Static_assert(HEAD_NAME_MAX == HOSTNAME_MAX, "one spelling");

#define FIELDS_MAX 256
#define BLANK_MAX 16
#define LENGTH_DIGITS_MAX 18 /* fits into an int64_t, too */

enum field {
	FIELD_HOST,
	FIELD_CONTENT_LENGTH,
	FIELD_TRANSFER_ENCODING,
	FIELD_CONNECTION,
	FIELD_UPGRADE,
	FIELD_PROXY_AUTHORIZATION,
	FIELD_N,
};

struct row {
	const char *name;
	bool (*take)(struct head_look *look, const char *value, size_t len);
	bool once;
	bool framing; /* another reading of it is another host or another length */
};

static const struct row *find_row(const char *name, size_t len);
static const struct row rows[FIELD_N];

static bool
has_seen_field(const struct head_look *look, enum field field)
{
	return look->seen & 1u << field;
}

/* -- fields -------------------------------------------------------------------------- */

/* Tabs are no spaces here, and a space at the end is not taken away: nginx leaves
 * a tab where it is, and others have left the space. */
static void
skip_spaces(const char **value, size_t *len)
{
	while (*len > 0 && **value == ' ') {
		(*value)++;
		(*len)--;
	}
}

static void
trim_blanks(const char **value, size_t *len)
{
	while (*len > 0 && ascii_is_blank(**value)) {
		(*value)++;
		(*len)--;
	}
	while (*len > 0 && ascii_is_blank((*value)[*len - 1]))
		(*len)--;
}

static bool
take_host(struct head_look *look, const char *value, size_t len)
{
	skip_spaces(&value, &len);
	return hostname_parse_port(value, len, look->host, &look->port) == 0;
}

/* "+5" and "0x5" are numbers to strtol(3), 010 is eight to it, and "5, 5" is allowed
 * by the RFC. */
static bool
take_content_length(struct head_look *look, const char *value, size_t len)
{
	uint64_t length = 0;

	skip_spaces(&value, &len);
	if (len == 0 || len > LENGTH_DIGITS_MAX || (value[0] == '0' && len > 1))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return false;
		length = length * 10 + (uint64_t)(value[i] - '0');
	}
	look->head.length = length;
	return true;
}

static bool
take_transfer_encoding(struct head_look *look, const char *value, size_t len)
{
	(void)look;
	skip_spaces(&value, &len);
	return len == strlen("chunked") && str_fold_equal(value, "chunked", len);
}

/* A field that Connection names is taken out by the next proxy: the host or the
 * length would be gone behind it. */
static bool
take_connection(struct head_look *look, const char *value, size_t len)
{
	const char *end = value + len;

	while (value < end) {
		const char *comma = memchr(value, ',', (size_t)(end - value));
		const char *word = value;
		size_t n = (size_t)((comma ? comma : end) - value);
		const struct row *row;

		trim_blanks(&word, &n);
		row = find_row(word, n);
		if (row && row->framing)
			return false;
		if (row == &rows[FIELD_UPGRADE])
			look->switches = true;
		value = comma ? comma + 1 : end;
	}
	return true;
}

static bool
take_upgrade(struct head_look *look, const char *value, size_t len)
{
	trim_blanks(&value, &len);
	look->head.websocket = !has_seen_field(look, FIELD_UPGRADE) && len == strlen("websocket") &&
			       str_fold_equal(value, "websocket", len);
	return true;
}

static bool
take_proxy_authorization(struct head_look *look, const char *value, size_t len)
{
	trim_blanks(&value, &len);
	look->head.proxy_auth = value;
	look->head.proxy_auth_len = len;
	return true;
}

static const struct row rows[FIELD_N] = {
	[FIELD_HOST] = {
		.name = "host",
		.take = take_host,
		.once = true,
		.framing = true,
	},
	[FIELD_CONTENT_LENGTH] = {
		.name = "content-length",
		.take = take_content_length,
		.once = true,
		.framing = true,
	},
	[FIELD_TRANSFER_ENCODING] = {
		.name = "transfer-encoding",
		.take = take_transfer_encoding,
		.once = true,
		.framing = true,
	},
	[FIELD_CONNECTION] = {
		.name = "connection",
		.take = take_connection,
	},
	[FIELD_UPGRADE] = {
		.name = "upgrade",
		.take = take_upgrade,
	},
	[FIELD_PROXY_AUTHORIZATION] = {
		.name = "proxy-authorization",
		.take = take_proxy_authorization,
		.once = true,
	},
};

/* What goes through a CGI's environment has no '-' any more: Content_Length is
 * Content-Length to whoever stands behind it. */
static const struct row *
find_row(const char *name, size_t len)
{
	for (size_t i = 0; i < FIELD_N; i++) {
		size_t n = 0;

		if (strlen(rows[i].name) != len)
			continue;
		while (n < len && (name[n] == '_' ? '-' : str_lower(name[n])) == rows[i].name[n])
			n++;
		if (n == len)
			return &rows[i];
	}
	return NULL;
}

bool
head_is_framing(const char *name, size_t len)
{
	const struct row *row = find_row(name, len);

	return row && row->framing;
}

static bool
take_field(struct head_look *look, const char *line, size_t len)
{
	const struct row *row;
	unsigned bit;
	size_t n = 0;

	while (n < len && head_is_token(line[n]))
		n++;
	if (n == 0 || n == len || line[n] != ':')
		return false;
	row = find_row(line, n);
	if (!row)
		return true;
	bit = 1u << (row - rows);
	if (memchr(line, '_', n) || (row->once && look->seen & bit))
		return false;
	if (!row->take(look, line + n + 1, len - n - 1))
		return false;
	look->seen |= bit;
	return true;
}

/* -- heads --------------------------------------------------------------------------- */

static bool
same_host(const struct head_look *look)
{
	int port = look->port ? look->port : look->scheme_port;

	return streq(look->host, look->head.host) && port == look->head.port;
}

/* Some leave the port out. */
static bool
same_target(const struct head_look *look)
{
	return streq(look->host, look->head.host) &&
	       (look->port == 0 || look->port == look->head.port);
}

/* What only all fields together tell. */
static bool
complete_head(struct head_look *look)
{
	bool host = has_seen_field(look, FIELD_HOST),
	     length = has_seen_field(look, FIELD_CONTENT_LENGTH);
	bool chunked = has_seen_field(look, FIELD_TRANSFER_ENCODING);
	struct head *head = &look->head;

	if (!host && !look->old)
		return false;
	if (length && chunked)
		return false;
	if ((head->connect && (length || chunked)) || (look->old && chunked))
		return false;
	/* Where no body is expected, some servers take it for the next request. */
	if (look->bodyless && (chunked || head->length > 0))
		return false;
	if (head->absolute && head->port == 0)
		head->port = look->scheme_port;
	if (head->absolute && host && !same_host(look))
		return false;
	if (head->connect && host && !same_target(look))
		return false;
	if (host && !head->absolute && !head->connect) {
		memcpy(head->host, look->host, sizeof(head->host));
		head->port = look->port;
	}
	head->named = host || head->absolute || head->connect;
	head->body = length ? HEAD_BODY_LENGTH : chunked ? HEAD_BODY_CHUNKED : HEAD_BODY_NONE;
	head->upgrade = look->switches && has_seen_field(look, FIELD_UPGRADE);
	head->websocket &= head->upgrade;
	return true;
}

/* Past blank lines. A CR without its LF is none: it goes into the first line, and makes
 * that a bad one. */
static enum head_kind
skip_blank(const char *data, size_t len, size_t *at)
{
	for (size_t n = 0; n <= BLANK_MAX; n++) {
		if (*at == len)
			return HEAD_MORE;
		if (data[*at] == '\r' && *at + 1 == len)
			return HEAD_MORE;
		if (data[*at] == '\r' && data[*at + 1] == '\n')
			*at += 2;
		else if (data[*at] == '\n')
			*at += 1;
		else
			return HEAD_WHOLE;
	}
	return HEAD_BAD;
}

size_t
head_blank(const void *data, size_t len)
{
	size_t at = 0;

	skip_blank(data, len, &at);
	return at;
}

/* One that ends in CRLF and has no other control character in it but tabs: neither a
 * bare CR nor a NUL, which to some are ends of lines or of everything. */
static bool
check_line(const char *line, size_t len)
{
	if (len < 2 || line[len - 1] != '\n' || line[len - 2] != '\r')
		return false;
	for (size_t i = 0; i < len - 2; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static enum head_kind
parse_fields(const char *data, size_t len, size_t *at, struct head_look *look)
{
	for (size_t fields = 0; fields <= FIELDS_MAX; fields++) {
		const char *line = data + *at, *end = memchr(line, '\n', len - *at);
		size_t n;

		if (!end)
			return HEAD_MORE;
		n = (size_t)(end - line) + 1;
		if (!check_line(line, n))
			return HEAD_BAD;
		*at += n;
		if (n == 2)
			return complete_head(look) ? HEAD_WHOLE : HEAD_BAD;
		if (!take_field(look, line, n - 2))
			return HEAD_BAD;
	}
	return HEAD_BAD;
}

static enum head_kind
parse_request_head(const char *data, size_t len, struct head_look *look)
{
	static const char proxy[] = "\r\n\r\n\0\r\nQUIT\n";
	const size_t signature = sizeof(proxy) - 1;
	size_t at = 0, line;
	enum head_kind r = skip_blank(data, len, &at);

	/* Its first bytes are blank lines. */
	if (len > 4 && memcmp(data, proxy, len < signature ? len : signature) == 0)
		return len < signature ? HEAD_MORE : HEAD_BAD;

	if (r != HEAD_WHOLE)
		return r;
	r = head_line_find(data + at, len - at, &line);
	if (r != HEAD_WHOLE)
		return r;
	if (!check_line(data + at, line) || !head_line_parse(data + at, line - 2, look))
		return HEAD_BAD;
	at += line;
	r = parse_fields(data, len, &at, look);
	look->head.len = at;
	return r;
}

enum head_kind
head_parse(const void *data, size_t len, bool first, struct head *ret_head)
{
	struct head_look look = { 0 };
	enum head_kind r = parse_request_head(data, len < HEAD_MAX ? len : HEAD_MAX, &look);

	if (r == HEAD_MORE && len >= HEAD_MAX)
		return HEAD_BAD;
	if (r == HEAD_NOT && !first)
		return HEAD_BAD;
	if (r == HEAD_WHOLE)
		*ret_head = look.head;
	return r;
}
