/* SPDX-License-Identifier: Apache-2.0 */
/* Text as it grows. White space is folded as browsers fold it, and nothing is
 * written before there is something to show behind it, so that empty elements
 * leave no trace. */

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tools/web/html-page.h"
#include "tools/web/html.h"

#define HREF_MAX 1000 /* longer ones carry state, not places */

void
page_finish(struct page *page)
{
	buf_finish(&page->out);
	buf_finish(&page->href);
}

bool
page_full(const struct page *page)
{
	return page->out.failed || page->out.len >= page->max;
}

static char
get_last_char(const struct page *page)
{
	return page->out.len > 0 ? page->out.data[page->out.len - 1] : '\n';
}

static void
trim_page_spaces(struct page *page)
{
	while (page->out.len > 0 && get_last_char(page) == ' ')
		page->out.data[--page->out.len] = '\0';
}

void
page_break(struct page *page, int n)
{
	/* A paragraph in a cell starts where the cell starts. */
	if (page->cells > 0 && !page->cell_begun)
		return;
	if (page->pre) {
		if (get_last_char(page) != '\n')
			buf_putc(&page->out, '\n');
		return;
	}
	if (n > 1 && (page->lists > 0 || page->cells > 0))
		n = 1;
	if (page->breaks < n)
		page->breaks = n;
}

void
page_newline(struct page *page)
{
	if (page->pre)
		buf_putc(&page->out, '\n');
	else if (page->breaks < 2 && !(page->cells > 0 && !page->cell_begun))
		page->breaks++;
}

void
page_mark(struct page *page, const char *mark)
{
	size_t len = strlen(page->mark);

	if (len + strlen(mark) < sizeof(page->mark))
		memcpy(page->mark + len, mark, strlen(mark) + 1);
}

static void
begin_line(struct page *page)
{
	size_t lists = page->lists < PAGE_DEPTH ? page->lists : PAGE_DEPTH;
	size_t quotes = page->quotes < PAGE_DEPTH ? page->quotes : PAGE_DEPTH;

	for (size_t i = 0; i < quotes; i++)
		buf_puts(&page->out, "> ");
	for (size_t i = page->mark[0] ? 1 : 0; i < lists; i++)
		buf_puts(&page->out, "  ");
	page->begun = true;
}

/* What waits, now that something is shown. */
static void
write_pending(struct page *page)
{
	if (page->breaks > 0 && page->out.len > 0) {
		trim_page_spaces(page);
		buf_append(&page->out, "\n\n", (size_t)page->breaks);
		page->begun = false;
	}
	if (!page->begun)
		begin_line(page);
	else if (page->space && page->dividers == 0 && get_last_char(page) != '\n')
		buf_putc(&page->out, ' ');
	for (; page->dividers > 0; page->dividers--)
		buf_puts(&page->out, " | ");
	buf_puts(&page->out, page->mark);
	page->mark[0] = '\0';
	page->breaks = 0;
	page->space = false;
	page->row_begun = page->cell_begun = true;
	if (page->href.len > 0 && !page->link && !page->pre) {
		buf_putc(&page->out, '[');
		page->link = true;
		page->label = page->out.len;
	}
}

bool
page_drops(unsigned point)
{
	if (point == 0x200c || point == 0x200d || point == 0xfe0e || point == 0xfe0f)
		return false;
	return point < ' ' || point == 0x7f || str_hidden(point);
}

static bool
is_space(unsigned point)
{
	return point == ' ' || (point >= '\t' && point <= '\r') || point == 0xa0;
}

static void
put_pre_point(struct page *page, unsigned point)
{
	if (point == '\n' && page->first) {
		page->first = false;
		return;
	}
	if (point == '\r')
		return;
	page->first = false;
	if (point == '\n' || point == '\t' || !page_drops(point))
		html_put_point(&page->out, point == 0xa0 ? ' ' : point);
}

void
page_point(struct page *page, unsigned point)
{
	if (page->pre) {
		put_pre_point(page, point);
	} else if (is_space(point)) {
		page->space = true;
	} else if (!page_drops(point)) {
		write_pending(page);
		html_put_point(&page->out, point);
	}
}

void
page_puts(struct page *page, const char *ascii)
{
	for (; *ascii; ascii++)
		page_point(page, (unsigned char)*ascii);
}

void
page_text(struct page *page, const char *text, size_t len, bool verbatim, bool within)
{
	while (len > 0 && !page_full(page)) {
		unsigned point = 0;
		size_t n = verbatim ? str_utf8(text, len, &point)
				    : html_point(text, len, within, &point);

		if (n == 0) {
			point = 0xfffd;
			n = 1;
		}
		page_point(page, point);
		text += n;
		len -= n;
	}
}

void
page_pre(struct page *page, bool open)
{
	if (open == page->pre)
		return;
	if (open) {
		page_link(page, NULL, 0);
		page->cell_begun = true; /* a fence stands on a line of its own */
		page_break(page, 2);
		write_pending(page);
		buf_puts(&page->out, "```\n");
		page->pre = page->first = true;
		return;
	}
	if (get_last_char(page) != '\n')
		buf_putc(&page->out, '\n');
	buf_puts(&page->out, "```");
	page->pre = false;
	page->begun = true;
	page->mark[0] = '\0';
	page_break(page, 2);
}

void
page_row(struct page *page)
{
	page->cells = 0;
	page->dividers = 0;
	page->row_begun = false;
	page_break(page, 1);
}

void
page_cell(struct page *page)
{
	if (page->pre)
		return;
	if (page->cells++ > 0)
		page->dividers++;
	if (page->row_begun)
		page->breaks = 0;
	page->space = false;
	page->cell_begun = false;
	page->mark[0] = '\0';
}

/* -- links ------------------------------------------------------------------------- */

static void
end_link(struct page *page)
{
	if (page->link) {
		const char *text = page->out.data + page->label;

		/* An address that stands for itself is shown once. */
		if (page->out.len - page->label == page->href.len &&
			memcmp(text, page->href.data, page->href.len) == 0) {
			memmove(page->out.data + page->label - 1, text, page->href.len + 1);
			page->out.len--;
		} else {
			trim_page_spaces(page);
			buf_puts(&page->out, "](");
			buf_append(&page->out, page->href.data, page->href.len);
			buf_putc(&page->out, ')');
		}
	}
	page->link = false;
	page->href.len = 0;
}

static bool
leads_nowhere(const char *href)
{
	return href[0] == '#' || str_fold_equal(href, "javascript:", 11) ||
	       str_fold_equal(href, "vbscript:", 9) || str_fold_equal(href, "data:", 5);
}

/* Only what can stand between the brackets of a link. */
static void
put_href(struct buf *out, unsigned point)
{
	if (point == '\t' || point == '\n' || point == '\r' || page_drops(point))
		return;
	if (point == ' ' || strchr("()<>", point < 0x80 ? (int)point : 'x'))
		buf_printf(out, "%%%02X", point);
	else
		html_put_point(out, point);
}

void
page_link(struct page *page, const char *value, size_t len)
{
	end_link(page);
	while (len > 0 && (unsigned char)value[0] <= ' ') {
		value++;
		len--;
	}
	while (len > 0 && (unsigned char)value[len - 1] <= ' ')
		len--;
	if (len == 0 || len > HREF_MAX || page->pre)
		return;
	while (len > 0) {
		unsigned point = 0;
		size_t n = html_point(value, len, true, &point);

		put_href(&page->href, point);
		value += n;
		len -= n;
	}
	if (page->href.failed || (page->href.len > 0 && leads_nowhere(page->href.data)))
		page->href.len = 0;
}
