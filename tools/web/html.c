/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to text: headings, lists, links, tables by their rows, code as it is.
 * What a person would not see (scripts, comments, what is hidden) is not shown to
 * a model either: there it would be words that nobody else reads. Trusts nothing:
 * an element that is never closed, or closed twice, only changes how text looks. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/web/html-element.h"
#include "tools/web/html-page.h"
#include "tools/web/html.h"

#define TITLE_MAX 300

/* -- what is not shown --------------------------------------------------------------- */

struct skip {
	char name[HTML_NAME_MAX]; /* "": nothing is skipped */
	size_t depth;
};

/* "display: none", however it is spaced. */
static bool
style_hides(const char *style, size_t len)
{
	static const char *const hiding[] = { "display:none", "visibility:hidden" };
	char plain[256];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof(plain); i++)
		if ((unsigned char)style[i] > ' ')
			plain[n++] = str_lower(style[i]);
	plain[n] = '\0';
	for (size_t i = 0; i < sizeof(hiding) / sizeof(hiding[0]); i++)
		if (strstr(plain, hiding[i]))
			return true;
	return false;
}

static bool
is_hidden(const struct html_token *token, const struct element *element)
{
	const char *value;
	size_t len;

	if (element && element->open)
		return false;
	/* In an image, <svg/> is whole. */
	if (element && element->role == ROLE_SKIP)
		return !(token->len > 0 && token->data[token->len - 1] == '/');
	if (html_attribute(token, "hidden", &value, &len))
		return true;
	return html_attribute(token, "style", &value, &len) && style_hides(value, len);
}

/* True if the token is not to be shown. Counts elements of the same name alone,
 * so that nothing else that is left open matters. */
static bool
is_skipped_token(struct skip *skip, const struct html_token *token, const struct element *element)
{
	if (skip->name[0]) {
		if (token->kind == HTML_OPEN && streq(token->name, skip->name))
			skip->depth++;
		else if (token->kind == HTML_CLOSE && streq(token->name, skip->name) &&
			 --skip->depth == 0)
			skip->name[0] = '\0';
		return true;
	}
	if (token->kind != HTML_OPEN || !is_hidden(token, element))
		return false;
	memcpy(skip->name, token->name, sizeof(skip->name));
	skip->depth = 1;
	return true;
}

/* -- elements ------------------------------------------------------------------------- */

static unsigned
number_of(const struct html_token *token, const char *name, unsigned otherwise)
{
	const char *value;
	unsigned n = 0;
	size_t len;

	if (!html_attribute(token, name, &value, &len) || len == 0 || len > 6)
		return otherwise;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return otherwise;
		n = n * 10 + (unsigned)(value[i] - '0');
	}
	return n;
}

static void
render_list(struct page *page, const struct html_token *token, bool open)
{
	if (!open && page->lists == 0)
		return;
	if (!open)
		page->lists--;
	page_break(page, 2);
	if (!open)
		return;
	if (page->lists < PAGE_DEPTH) {
		page->list[page->lists].ordered = streq(token->name, "ol");
		page->list[page->lists].n = number_of(token, "start", 1);
	}
	page->lists++;
}

static void
render_item(struct page *page, const struct html_token *token, bool open)
{
	size_t at = page->lists - 1;
	char mark[16] = "- ";

	(void)token;
	page_break(page, 1);
	page->mark[0] = '\0';
	if (!open)
		return;
	if (page->lists > 0 && at < PAGE_DEPTH && page->list[at].ordered)
		snprintf(mark, sizeof(mark), "%u. ", page->list[at].n++);
	page_mark(page, mark);
}

static void
render_heading(struct page *page, const struct html_token *token, bool open)
{
	static const char marks[] = "###### ";

	page_break(page, 2);
	if (open)
		page_mark(page, marks + 6 - (token->name[1] - '0'));
	else
		page->mark[0] = '\0';
}

static void
render_image(struct page *page, const struct html_token *token, bool open)
{
	const char *alt;
	size_t len;

	if (!open || !html_attribute(token, "alt", &alt, &len) || len == 0 || len > 1000)
		return;
	page_puts(page, "[image: ");
	page_text(page, alt, len, false, true);
	page_puts(page, "]");
}

static void
link_to(struct page *page, const struct html_token *token, bool open)
{
	const char *href = NULL;
	size_t len = 0;

	if (open)
		html_attribute(token, "href", &href, &len);
	page_link(page, href, len);
}

static void
render_blockquote(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	page_break(page, 2);
	if (open)
		page->quotes++;
	else if (page->quotes > 0)
		page->quotes--;
}

static void
render_table(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page->cells = 0;
	page->dividers = 0;
	page_break(page, 2);
}

/* A mark before words stands where the words do: not before a space, not alone. */
static bool
remove_mark(struct page *page, char mark)
{
	size_t len = strlen(page->mark);

	if (len == 0 || page->mark[len - 1] != mark)
		return false;
	page->mark[len - 1] = '\0';
	return true;
}

static void
render_code(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	if (page->pre)
		return;
	if (open)
		page_mark(page, "`");
	else if (!remove_mark(page, '`') && page->out.len > 0)
		buf_putc(&page->out, '`');
}

static void
render_raised(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	if (page->pre)
		return;
	if (open)
		page_mark(page, "^");
	else
		remove_mark(page, '^');
}

static void
render_block(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_break(page, 1);
}

static void
render_paragraph(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_break(page, 2);
}

static void
render_pre(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	page_pre(page, open);
}

static void
render_row(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_row(page);
}

static void
render_cell(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	if (open)
		page_cell(page);
}

static void
render_inline_quote(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_puts(page, "\"");
}

static void
render_newline(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_newline(page);
}

static void
render_line(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_break(page, 2);
	page_puts(page, "---");
	page_break(page, 2);
}

static void
render_space(struct page *page, const struct html_token *token, bool open)
{
	(void)token;
	(void)open;
	page_point(page, ' ');
}

static void (*const shows[])(struct page *page, const struct html_token *token, bool open) = {
	[ROLE_BLOCK] = render_block,
	[ROLE_PARAGRAPH] = render_paragraph,
	[ROLE_HEADING] = render_heading,
	[ROLE_LIST] = render_list,
	[ROLE_ITEM] = render_item,
	[ROLE_QUOTE] = render_blockquote,
	[ROLE_PRE] = render_pre,
	[ROLE_TABLE] = render_table,
	[ROLE_ROW] = render_row,
	[ROLE_CELL] = render_cell,
	[ROLE_LINK] = link_to,
	[ROLE_IMAGE] = render_image,
	[ROLE_CODE] = render_code,
	[ROLE_RAISED] = render_raised,
	[ROLE_Q] = render_inline_quote,
	[ROLE_NEWLINE] = render_newline,
	[ROLE_LINE] = render_line,
	[ROLE_SPACE] = render_space,
	[ROLE_SKIP] = NULL, /* a bare end of it */
};

static void
render_text(struct page *page, struct page *title, const struct html_token *token)
{
	if (streq(token->name, "title")) {
		if (title->out.len == 0)
			page_text(title, token->data, token->len, false, false);
		return;
	}
	/* A raw element, and not one that shows its content. */
	if (token->verbatim && !streq(token->name, "xmp"))
		return;
	page_text(page, token->data, token->len, token->verbatim, false);
}

static int
take_page_text(struct page *page, size_t max, char **ret_text)
{
	struct buf *out = &page->out;

	if (!out->failed && out->len > max) {
		out->len = str_cut(out->data, out->len, max);
		out->data[out->len] = '\0';
	}
	*ret_text = buf_take(out);
	return *ret_text ? 0 : -ENOMEM;
}

int
html_text(
	const char *html, size_t len, size_t max, char **ret_text, char **ret_title, bool *ret_cut)
{
	struct html_reader reader = { .at = html, .end = html + len };
	struct page page = { .max = max }, title = { .max = TITLE_MAX };
	auto_free char *made = NULL;
	struct html_token token;
	struct skip skip = { 0 };
	int r;

	while (!page_full(&page) && html_next(&reader, &token)) {
		const struct element *element =
			token.kind == HTML_TEXT ? NULL : element_find(token.name);

		if (is_skipped_token(&skip, &token, element))
			continue;
		if (token.kind == HTML_TEXT)
			render_text(&page, &title, &token);
		else if (element && shows[element->role])
			shows[element->role](&page, &token, token.kind == HTML_OPEN);
	}
	*ret_cut = page_full(&page);
	page_pre(&page, false);
	page_link(&page, NULL, 0);
	r = take_page_text(&page, max, &made);
	if (r == 0)
		r = take_page_text(&title, TITLE_MAX, ret_title);
	if (r == 0)
		*ret_text = steal_ptr(&made);
	page_finish(&page);
	page_finish(&title);
	return r;
}
