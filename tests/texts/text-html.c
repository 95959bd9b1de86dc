/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "html" and "html-charset": a page becomes the text that a person would see,
 * and the name of its characters. */

#include <stdlib.h>

#include "base/fd.h"
#include "texts.h"
#include "tools/web/html.h"

#define MAX 60000

static const char *
run_html(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *page = text_exact(in), *text = NULL, *title = NULL;
	bool cut = true;

	if (html_text(page, in->len, MAX, &text, &title, &cut) < 0)
		return "html_text failed";
	text_puts(out, "", text);
	text_offer(out, "title", title ? title : "");
	return cut ? "the page was cut" : NULL;
}

const struct text_kind text_html = {
	.name = "html",
	.inputs = "in",
	.run = run_html,
};

static const char *
run_charset(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *page = text_exact(in);
	char name[32];

	html_charset(page, in->len, name, sizeof(name));
	text_puts(out, "", name);
	return NULL;
}

const struct text_kind text_html_charset = {
	.name = "html-charset",
	.inputs = "in",
	.run = run_charset,
};
