/* SPDX-License-Identifier: Apache-2.0 */
/* What came, as text: whether it is any, and from which charset. The charset is
 * the server's word, and only ones from the table are converted: the converters of
 * rare ones have had more than one way to hang or to crash. */

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/web/fetch.h"
#include "tools/web/html.h"

#define UTF8 ""
#define SNIFF_MAX 1024

/* In the words of the web, where latin1 has always meant windows-1252. */
static const struct {
	const char *label;
	const char *name; /* for iconv */
} charsets[] = {
	{ "utf-8", UTF8 },
	{ "utf8", UTF8 },
	{ "us-ascii", "CP1252" },
	{ "ascii", "CP1252" },
	{ "iso-8859-1", "CP1252" },
	{ "iso8859-1", "CP1252" },
	{ "latin1", "CP1252" },
	{ "windows-1252", "CP1252" },
	{ "cp1252", "CP1252" },
	{ "iso-8859-2", "ISO-8859-2" },
	{ "iso-8859-5", "ISO-8859-5" },
	{ "iso-8859-7", "ISO-8859-7" },
	{ "iso-8859-9", "ISO-8859-9" },
	{ "iso-8859-15", "ISO-8859-15" },
	{ "windows-1250", "CP1250" },
	{ "windows-1251", "CP1251" },
	{ "windows-1253", "CP1253" },
	{ "windows-1254", "CP1254" },
	{ "windows-1255", "CP1255" },
	{ "windows-1256", "CP1256" },
	{ "windows-1257", "CP1257" },
	{ "windows-1258", "CP1258" },
	{ "koi8-r", "KOI8-R" },
	{ "koi8-u", "KOI8-U" },
	{ "shift_jis", "CP932" },
	{ "euc-jp", "EUC-JP" },
	{ "euc-kr", "CP949" },
	{ "gb2312", "GBK" },
	{ "gbk", "GBK" },
	{ "gb18030", "GB18030" },
	{ "big5", "BIG5" },
	{ "utf-16", "UTF-16LE" },
	{ "utf-16le", "UTF-16LE" },
	{ "utf-16be", "UTF-16BE" },
};

/* -- what kind ------------------------------------------------------------------------- */

/* What cannot stand in one ends it: it is a header's, and may be any text. */
void
fetch_media(const char *type, char *ret_media, size_t size)
{
	size_t n = 0;

	while (*type == ' ')
		type++;
	for (; *type && n + 1 < size; type++) {
		char c = str_lower(*type);

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && !strchr("/+-._", c))
			break;
		ret_media[n++] = c;
	}
	ret_media[n] = '\0';
}

static bool
has_type_ending(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && streq(text + a - b, end);
}

/* Those that are text, though they do not say so. */
static const char *const texts[] = { "application/json", "application/xml",
	"application/javascript", "application/ecmascript", "application/x-javascript",
	"application/yaml", "application/x-yaml", "application/toml", "application/sql",
	"application/graphql", "application/x-ndjson", "application/jsonl", "application/x-sh",
	"application/x-www-form-urlencoded", "application/rtf", "application/x-tex",
	"application/pgp-keys", "application/pem-certificate-chain", "image/svg+xml", NULL };

/* The common ones of the others. */
static const char *const others[] = { "text/html", "application/xhtml+xml", "text/plain",
	"text/css", "text/csv", "text/javascript", "text/markdown", "text/xml",
	"application/atom+xml", "application/rss+xml", "application/ld+json",
	"application/octet-stream", "application/pdf", "application/zip", "application/gzip",
	"application/x-gzip", "application/x-tar", "application/wasm", "image/png", "image/jpeg",
	"image/gif", "image/webp", "image/x-icon", "audio/mpeg", "video/mp4", "font/woff2", NULL };

static bool
is_listed_media(const char *const *list, const char *text)
{
	while (*list && !streq(*list, text))
		list++;
	return *list != NULL;
}

bool
fetch_knows_media(const char *media)
{
	return is_listed_media(texts, media) || is_listed_media(others, media);
}

static bool
is_text_type(const char *type)
{
	if (str_prefix(type, "text/") || has_type_ending(type, "+json") ||
		has_type_ending(type, "+xml") || has_type_ending(type, "+yaml") ||
		has_type_ending(type, "json-seq"))
		return true;
	return is_listed_media(texts, type);
}

static bool
looks_like_html(const char *body, size_t len)
{
	static const char *const starts[] = { "<!doctype html", "<html" };

	while (len > 0 && (unsigned char)*body <= ' ') {
		body++;
		len--;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (len >= strlen(starts[i]) && str_fold_equal(body, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Not a word about its type that helps: UTF-8 without odd bytes is text. */
static bool
looks_like_text(const char *body, size_t len)
{
	size_t n = len > SNIFF_MAX ? str_cut(body, len, SNIFF_MAX) : len;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)body[i] < ' ' && !strchr("\t\n\r\f\x1b", body[i]))
			return false;
	return (n == 0 || !memchr(body, '\0', n)) && str_is_utf8(body, n);
}

static const char *find_bom_charset(const char *body, size_t len, size_t *ret_skip);

enum fetch_kind
fetch_kind(const char *type, const char *body, size_t len)
{
	char media[80];
	size_t skip;

	fetch_media(type, media, sizeof(media));
	if (streq(media, "text/html") || streq(media, "application/xhtml+xml"))
		return FETCH_HTML;
	if (is_text_type(media))
		return FETCH_TEXT;
	if (media[0] && !streq(media, "application/octet-stream") &&
		!streq(media, "binary/octet-stream") && !streq(media, "application/unknown"))
		return FETCH_BINARY;
	if (looks_like_html(body, len))
		return FETCH_HTML;
	return find_bom_charset(body, len, &skip) || looks_like_text(body, len) ? FETCH_TEXT
										: FETCH_BINARY;
}

/* -- from which charset ------------------------------------------------------------------ */

static const char *
charset_find(const char *label)
{
	for (size_t i = 0; i < sizeof(charsets) / sizeof(charsets[0]); i++)
		if (streq(charsets[i].label, label))
			return charsets[i].name;
	return NULL;
}

/* "charset=..." in a Content-Type. */
static const char *
charset_of_type(const char *type)
{
	char label[24];
	size_t n = 0;

	while (*type && !str_fold_equal(type, "charset=", 8))
		type++;
	if (!*type)
		return NULL;
	for (type += 8; *type && !strchr("; ,", *type) && n + 1 < sizeof(label); type++)
		if (*type != '"' && *type != '\'')
			label[n++] = str_lower(*type);
	label[n] = '\0';
	return charset_find(label);
}

/* The first bytes speak before everybody else. */
static const char *
find_bom_charset(const char *body, size_t len, size_t *ret_skip)
{
	*ret_skip = 2;
	if (len >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0) {
		*ret_skip = 3;
		return UTF8;
	}
	if (len >= 2 && memcmp(body, "\xff\xfe", 2) == 0)
		return "UTF-16LE";
	if (len >= 2 && memcmp(body, "\xfe\xff", 2) == 0)
		return "UTF-16BE";
	*ret_skip = 0;
	return NULL;
}

static const char *
charset_of(const char *type, enum fetch_kind kind, const char *body, size_t len)
{
	const char *name = charset_of_type(type);
	char label[24];

	if (!name && kind == FETCH_HTML) {
		html_charset(body, len, label, sizeof(label));
		/* It could not have been read if it were. */
		name = str_prefix(label, "utf-16") ? UTF8 : charset_find(label);
	}
	if (!name)
		name = str_is_utf8(body, len) ? UTF8 : "CP1252";
	return name;
}

static int
repair_utf8(const char *text, size_t len, struct buf *out)
{
	while (len > 0) {
		unsigned point;
		size_t n = str_utf8(text, len, &point);

		buf_append(out, n > 0 ? text : "\xef\xbf\xbd", n > 0 ? n : 3);
		text += n > 0 ? n : 1;
		len -= n > 0 ? n : 1;
	}
	return out->failed ? -ENOMEM : 0;
}

static int
convert_charset(const char *name, const char *text, size_t len, struct buf *out)
{
	iconv_t to = iconv_open("UTF-8", name);
	char *in = (char *)text;

	if (to == (iconv_t)-1)
		return repair_utf8(text, len, out);
	while (len > 0 && !out->failed) {
		char piece[4096], *at = piece;
		size_t room = sizeof(piece);
		size_t r = iconv(to, &in, &len, &at, &room);

		buf_append(out, piece, (size_t)(at - piece));
		if (r == (size_t)-1 && errno != E2BIG) {
			buf_append(out, "\xef\xbf\xbd", 3);
			in++;
			len--;
		}
	}
	iconv_close(to);
	return out->failed ? -ENOMEM : 0;
}

int
fetch_utf8(const char *type, enum fetch_kind kind, const char *body, size_t len, char **ret_text,
	size_t *ret_len)
{
	struct buf out = { 0 };
	size_t skip;
	const char *name = find_bom_charset(body, len, &skip);
	int r;

	body += skip;
	len -= skip;
	if (!name)
		name = charset_of(type, kind, body, len);
	r = streq(name, UTF8) ? repair_utf8(body, len, &out)
			      : convert_charset(name, body, len, &out);
	*ret_len = out.len;
	*ret_text = buf_take(&out);
	return r < 0 || !*ret_text ? -ENOMEM : 0;
}
