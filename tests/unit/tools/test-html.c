/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of tools/web/html*.c: no page is too deep or too long, and every element is
 * found. tests/texts/html.text has the pages and their texts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/str.h"
#include "tools/web/html-element.h"
#include "tools/web/html.h"

#define MAX 60000

/* Time that grows with the square would be minutes here. */
static void
deep(const char *open, size_t n)
{
	size_t len = strlen(open), cpu;
	char *html = malloc(len * n + 1), *text, *title;
	clock_t start = clock();
	bool cut;

	assert_non_null(html);
	for (size_t i = 0; i < n; i++)
		memcpy(html + i * len, open, len);
	assert_int_equal(html_text(html, len * n, MAX, &text, &title, &cut), 0);
	assert_true(strlen(text) <= MAX);
	assert_true(str_is_utf8(text, strlen(text)));
	cpu = (size_t)((clock() - start) / (CLOCKS_PER_SEC / 1000));
	if (cpu > 10000)
		fail_msg("%s x %zu took %zu ms", open, n, cpu);
	free(text);
	free(title);
	free(html);
}

static void
depth_and_size_cost_what_they_weigh(void **state)
{
	static const char *const opens[] = { "<div>", "<ul>", "<ul><li>", "<ul><li>x",
		"<table><tr><td>", "<blockquote>x", "<a href=x>", "<a \"", "<!--", "<!", "<script>",
		"</script", "<b c='", "&", "&#", "<svg>", "<div hidden>", "<td>", "<h1>x", "<pre>",
		"<pre></pre>", "</div>", "<", "<a href=x>y", "<code>", "<p>x" };

	(void)state;
	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++)
		deep(opens[i], 300000);
}

static void
long_pages_are_cut_between_characters(void **state)
{
	char *html = malloc(4001), *text, *title;
	bool cut = false;

	(void)state;
	assert_non_null(html);
	for (size_t i = 0; i < 2000; i++)
		memcpy(html + 2 * i, "\xc3\xa9", 3);
	assert_int_equal(html_text(html, 4000, 101, &text, &title, &cut), 0);
	assert_true(cut);
	assert_int_equal(strlen(text), 100);
	free(text);
	free(title);
	free(html);
}

/* Found by halving: one that is out of order is not found. */
static void
every_element_is_found(void **state)
{
	static const char *const names[] = { "a", "address", "area", "article", "aside", "audio",
		"base", "blockquote", "body", "br", "canvas", "caption", "center", "code", "col",
		"colgroup", "datalist", "dd", "details", "dialog", "dir", "div", "dl", "dt",
		"embed", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
		"h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "img", "input", "kbd",
		"legend", "li", "link", "listing", "main", "menu", "meta", "nav", "ol", "optgroup",
		"option", "p", "param", "pre", "q", "rp", "rt", "samp", "search", "section",
		"select", "source", "summary", "sup", "svg", "table", "tbody", "td", "template",
		"textarea", "tfoot", "th", "thead", "title", "tr", "track", "tt", "ul", "video",
		"wbr", "xmp" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct element *element = element_find(names[i]);

		assert_non_null(element);
		assert_string_equal(element->name, names[i]);
	}
	assert_null(element_find(""));
	assert_null(element_find("span"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_and_size_cost_what_they_weigh),
		cmocka_unit_test(long_pages_are_cut_between_characters),
		cmocka_unit_test(every_element_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
