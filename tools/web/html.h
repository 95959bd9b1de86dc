/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WEB_HTML_H
#define TOOLS_WEB_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* HTML, whoever wrote it, as text that a model can read. One pass over the bytes,
 * no tree and no recursion: broken markup costs what good markup costs. */

/* html: UTF-8 (html_charset, then iconv). At most max bytes of text are made;
 * what the page has beyond them is not looked at, and *ret_cut says so. The title
 * is "" if there is none. Caller frees both. -ENOMEM. */
int html_text(
	const char *html, size_t len, size_t max, char **ret_text, char **ret_title, bool *ret_cut);

/* The charset that a page's <meta> names, in its first bytes: lower case, or "". */
void html_charset(const char *html, size_t len, char *ret_name, size_t size);

/* -- pieces, for html*.c ---------------------------------------------------------- */

#define HTML_NAME_MAX 16 /* longer than any element that means something here */

enum html_kind {
	HTML_END = 0,
	HTML_TEXT,  /* data: with entities, unless verbatim */
	HTML_OPEN,  /* name, attributes in data */
	HTML_CLOSE, /* name */
};

struct html_token {
	enum html_kind kind;
	const char *data;
	size_t len;
	bool verbatim;
	char name[HTML_NAME_MAX]; /* lower case; cut: no element of that name is known */
};

struct html_reader {
	const char *at, *end;
	char raw[HTML_NAME_MAX]; /* an element whose content is no markup; "": none */
};

/* False at the end. Comments and declarations are passed over. */
bool html_next(struct html_reader *reader, struct html_token *ret_token);
/* The value of an attribute as it is written, or false. */
bool html_attribute(
	const struct html_token *token, const char *name, const char **ret_value, size_t *ret_len);

/* One character at text (len > 0), an entity or not: its length, and the code
 * point. within: in an attribute, where "&copy=1" is part of a URL. */
size_t html_point(const char *text, size_t len, bool within, unsigned *ret_point);
void html_put_point(struct buf *out, unsigned point);

#endif
