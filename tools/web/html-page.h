/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WEB_HTML_PAGE_H
#define TOOLS_WEB_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The text that is made of a page, for html.c. Breaks, spaces, list marks and the
 * opening of a link wait until there is something to show behind them. */

#define PAGE_DEPTH 8 /* lists and quotes deeper than that are not set deeper */

struct page {
	struct buf out;
	size_t max;
	int breaks; /* newlines that wait: 0, 1 or 2 */
	bool space;
	bool begun; /* something stands on this line */
	char mark[24];

	size_t lists, quotes; /* how deep; may be more than PAGE_DEPTH */
	struct {
		bool ordered;
		unsigned n;
	} list[PAGE_DEPTH];

	bool pre;
	bool first; /* the newline that a pre starts with is not shown */

	size_t cells;	 /* of this row so far */
	size_t dividers; /* that wait */
	bool row_begun, cell_begun;

	struct buf href; /* of the link that is open or waits; "": none */
	bool link;	 /* its bracket is written */
	size_t label;	 /* where its text starts */
};

void page_finish(struct page *page);
bool page_full(const struct page *page);

/* At least so many newlines before the next text. */
void page_break(struct page *page, int n);
/* One more newline, whatever there is: <br>. */
void page_newline(struct page *page);
/* In front of the next text: "- ", "## ". */
void page_mark(struct page *page, const char *mark);
/* One character: folded or dropped unless within pre. */
void page_point(struct page *page, unsigned point);
void page_puts(struct page *page, const char *ascii);
/* A run of text; entities are decoded unless verbatim. */
void page_text(struct page *page, const char *text, size_t len, bool verbatim, bool within);

void page_pre(struct page *page, bool open);
void page_row(struct page *page);
void page_cell(struct page *page);
/* A link starts; the one that is open ends. value as in the attribute; NULL: ends. */
void page_link(struct page *page, const char *value, size_t len);

/* Characters that show nothing or reorder the others: a place to hide words from
 * people that a model reads. Joiners that scripts need are none of them. */
bool page_drops(unsigned point);

#endif
