/* SPDX-License-Identifier: Apache-2.0 */
/* Names of elements to what they do to text; others are passed through. */

#include <stdlib.h>
#include <string.h>

#include "tools/web/html-element.h"

/* Sorted by name. */
static const struct element elements[] = {
	/* clang-format off */
	{ "a", ROLE_LINK, false },		{ "address", ROLE_BLOCK, false },
	{ "area", ROLE_NONE, true },		{ "article", ROLE_BLOCK, false },
	{ "aside", ROLE_BLOCK, false },		{ "audio", ROLE_SKIP, false },
	{ "base", ROLE_NONE, true },		{ "blockquote", ROLE_QUOTE, false },
	{ "body", ROLE_BLOCK, true },		{ "br", ROLE_NEWLINE, true },
	{ "canvas", ROLE_SKIP, false },		{ "caption", ROLE_BLOCK, true },
	{ "center", ROLE_BLOCK, false },	{ "code", ROLE_CODE, false },
	{ "col", ROLE_NONE, true },		{ "colgroup", ROLE_NONE, true },
	{ "datalist", ROLE_SKIP, false },	{ "dd", ROLE_BLOCK, true },
	{ "details", ROLE_BLOCK, false },	{ "dialog", ROLE_BLOCK, false },
	{ "dir", ROLE_LIST, false },		{ "div", ROLE_BLOCK, false },
	{ "dl", ROLE_PARAGRAPH, false },	{ "dt", ROLE_BLOCK, true },
	{ "embed", ROLE_NONE, true },		{ "fieldset", ROLE_BLOCK, false },
	{ "figcaption", ROLE_BLOCK, false },	{ "figure", ROLE_BLOCK, false },
	{ "footer", ROLE_BLOCK, false },	{ "form", ROLE_BLOCK, false },
	{ "h1", ROLE_HEADING, false },		{ "h2", ROLE_HEADING, false },
	{ "h3", ROLE_HEADING, false },		{ "h4", ROLE_HEADING, false },
	{ "h5", ROLE_HEADING, false },		{ "h6", ROLE_HEADING, false },
	{ "head", ROLE_NONE, true },		{ "header", ROLE_BLOCK, false },
	{ "hgroup", ROLE_BLOCK, false },	{ "hr", ROLE_LINE, true },
	{ "html", ROLE_NONE, true },		{ "img", ROLE_IMAGE, true },
	{ "input", ROLE_SPACE, true },		{ "kbd", ROLE_CODE, false },
	{ "legend", ROLE_BLOCK, false },	{ "li", ROLE_ITEM, true },
	{ "link", ROLE_NONE, true },		{ "listing", ROLE_PRE, false },
	{ "main", ROLE_BLOCK, false },		{ "menu", ROLE_LIST, false },
	{ "meta", ROLE_NONE, true },		{ "nav", ROLE_BLOCK, false },
	{ "ol", ROLE_LIST, false },		{ "optgroup", ROLE_SPACE, true },
	{ "option", ROLE_SPACE, true },		{ "p", ROLE_PARAGRAPH, true },
	{ "param", ROLE_NONE, true },		{ "pre", ROLE_PRE, false },
	{ "q", ROLE_Q, false },			{ "rp", ROLE_NONE, true },
	{ "rt", ROLE_SPACE, true },		{ "samp", ROLE_CODE, false },
	{ "search", ROLE_BLOCK, false },	{ "section", ROLE_BLOCK, false },
	{ "select", ROLE_SPACE, false },	{ "source", ROLE_NONE, true },
	{ "summary", ROLE_BLOCK, false },	{ "sup", ROLE_RAISED, false },
	{ "svg", ROLE_SKIP, false },		{ "table", ROLE_TABLE, false },
	{ "tbody", ROLE_BLOCK, true },		{ "td", ROLE_CELL, true },
	{ "template", ROLE_SKIP, false },	{ "textarea", ROLE_BLOCK, false },
	{ "tfoot", ROLE_BLOCK, true },		{ "th", ROLE_CELL, true },
	{ "thead", ROLE_BLOCK, true },		{ "title", ROLE_NONE, true },
	{ "tr", ROLE_ROW, true },		{ "track", ROLE_NONE, true },
	{ "tt", ROLE_CODE, false },		{ "ul", ROLE_LIST, false },
	{ "video", ROLE_SKIP, false },		{ "wbr", ROLE_NONE, true },
	{ "xmp", ROLE_PRE, false },
	/* clang-format on */
};

static int
compare_element(const void *key, const void *row)
{
	return strcmp(key, ((const struct element *)row)->name);
}

const struct element *
element_find(const char *name)
{
	return bsearch(name, elements, sizeof(elements) / sizeof(elements[0]), sizeof(elements[0]),
		compare_element);
}
