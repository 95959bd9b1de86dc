/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/tools/html*.c: what a page says is told, what a person would
 * not see is not, and no page is too broken or too deep. */

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

static void
shows_titled(const char *html, const char *text, const char *title)
{
	char *got = NULL, *got_title = NULL;
	bool cut = true;

	assert_int_equal(html_text(html, strlen(html), MAX, &got, &got_title, &cut), 0);
	assert_string_equal(got, text);
	if (title)
		assert_string_equal(got_title, title);
	assert_false(cut);
	free(got);
	free(got_title);
}

static void
shows(const char *html, const char *text)
{
	shows_titled(html, text, NULL);
}

static void
page_reads_as_text(void **state)
{
	(void)state;
	shows_titled("<!DOCTYPE html><html><head><title> A  &amp;\n B </title>"
		     "<meta charset=utf-8><style>p{}</style></head><body>"
		     "<h1>Top</h1><p>One\n  two<br>three <b>bold</b>.</p>"
		     "<h2 id=x>Next</h2>text<hr>end</body></html>",
		"# Top\n\nOne two\nthree bold.\n\n## Next\n\ntext\n\n---\n\nend", "A & B");
	shows("<p>a<p>b<div>c<div>d</div></div>e", "a\n\nb\nc\nd\ne");
	shows("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc");
	shows("10<sup>6</sup> and <sup></sup>x <q>y</q>", "10^6 and x \"y\"");
	shows("a<br><br><br><br>b", "a\n\nb");
	shows("", "");
	shows("   \n ", "");
	shows("plain & simple < text > 1 <2", "plain & simple < text > 1 <2");
}

static void
lists_and_tables_keep_their_shape(void **state)
{
	(void)state;
	shows("<ul><li>a<li>b<ul><li>c</li></ul></li><li><p>d</p></li></ul>e",
		"- a\n- b\n  - c\n- d\n\ne");
	shows("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
	shows("<ul><li></li><li>b</li></ul>", "- b");
	shows("<li>alone", "- alone");
	shows("<dl><dt>a</dt><dd>b</dd></dl>", "a\nb");
	shows("<table><tr><th>h1</th><th>h2</th></tr><tr><td><p>a</p></td><td>b</td></tr>"
	      "<tr><td></td><td>c</td></table>x",
		"h1 | h2\na | b\n | c\n\nx");
	shows("<table><td>a<td>b<tr><td>c</table>", "a | b\nc");
}

static void
code_is_kept_as_it_is(void **state)
{
	(void)state;
	shows("<p>x</p><pre>\nint  main()\n{\n\treturn 1 &lt; 2;\n}\n</pre><p>y</p>",
		"x\n\n```\nint  main()\n{\n\treturn 1 < 2;\n}\n```\n\ny");
	shows("<pre><code><span>a</span>\n<a href=x>b</a></code></pre>", "```\na\nb\n```");
	shows("use <code>ls -l</code> or <code></code>x", "use `ls -l` or x");
	shows("<pre>never closed", "```\nnever closed\n```");
	shows("</pre>a", "a");
}

static void
links_are_told(void **state)
{
	(void)state;
	shows("see <a href='/a?b=1&amp;c=2&copy=3'>the  docs</a>.",
		"see [the docs](/a?b=1&c=2&copy=3).");
	shows("<a href=https://a.test/>https://a.test/</a>", "https://a.test/");
	shows("<a href=\" x y(1) \">z</a>", "[z](x%20y%281%29)");
	shows("<a href=\"#top\">a</a> <a href='JavaScript:x()'>b</a> <a href='java\nscript:x'>c</a>"
	      " <a name=q>d</a> <a href=e></a>f",
		"a b c d f");
	shows("<a href=one>a<a href=two>b</a>", "[a](one)[b](two)");
	shows("<a href=x><img src=y alt='A dog'></a>", "[[image: A dog]](x)");
	shows("<a href=x>open", "[open](x)");
}

static void
entities_are_decoded(void **state)
{
	(void)state;
	shows("&lt;&gt;&amp;&quot;&apos;&eacute;&euro;&nbsp;&mdash;x",
		"<>&\"'\xc3\xa9\xe2\x82\xac \xe2\x80\x94x");
	shows("&#65;&#x42;&#X43;&#68 &#x1F600;", "ABCD \xf0\x9f\x98\x80");
	shows("&#0;&#xD800;&#x110000;&#99999999999999;&#150;",
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x80\x93");
	shows("&amp;lt; &unknown; &; &#; &#x; & &amp &euro x",
		"&lt; &unknown; &; &#; &#x; & & &euro x");
	shows("a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd");
}

static void
what_nobody_sees_is_not_told(void **state)
{
	(void)state;
	shows("a<!-- hidden --><!----><!-->b<!-- x --!>c<!doctype x><?php y ?>d", "abcd");
	shows("a<script>if (a</b) \"</scrip>\"<p></script >b", "ab");
	shows("a<style><p>x</style>b<noscript>c</noscript><template><p>t</template>d", "abcd");
	shows("a<div hidden>x<div>y</div>z</div>b", "ab");
	shows("a<span style='color:red; DISPLAY : none'>x</span>b", "ab");
	shows("a<svg><title>t</title><text>x</text></svg>b<svg/>c", "abc");
	shows("a<iframe><p>x</iframe><xmp><b></xmp>", "a\n\n```\n<b>\n```");
	/* Characters that show nothing: tags of language, direction, zero width. */
	shows("a\xe2\x80\xae"
	      "b\xf3\xa0\x81\x81"
	      "c&#x200b;&#x202e;\x1b[1m\x07",
		"abc[1m");
	/* Not those that words need. */
	shows("\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae", "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae");
}

static void
broken_markup_only_looks_bad(void **state)
{
	(void)state;
	shows("a<b", "a");
	shows("a<b c=\"", "a");
	shows("a<!--", "a");
	shows("a<", "a<");
	shows("a</", "a");
	shows("a</ x>b</>c", "abc");
	shows("<p title=\"a>b\">x</p>", "x");
	shows("<p title=a'b\">x", "x");
	shows("<a href=x href=y =z / >t</a/>", "[t](x)");
	shows("</ul></li></table></blockquote></a></p>x", "x");
	shows("<verylongelementnamethatisnone>x</verylongelementnamethatisnone>", "x");
	shows("<script>never closed", "");
	shows("<title>never closed", "");
}

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

static void
charset_is_found(void **state)
{
	static const struct {
		const char *html, *name;
	} rows[] = {
		{ "<meta charset=\"ISO-8859-1\">", "iso-8859-1" },
		{ "<html><head><META http-equiv=Content-Type content='text/html; "
		  "charset=Windows-1252; x'>",
			"windows-1252" },
		{ "<!-- <meta charset=x> --><p>", "" },
		{ "<meta name=description content=y><meta charset=utf-8>", "utf-8" },
		{ "<meta content='charset='>", "" },
		{ "<meta charset>", "" },
		{ "", "" },
	};
	char name[32];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		html_charset(rows[i].html, strlen(rows[i].html), name, sizeof(name));
		assert_string_equal(name, rows[i].name);
	}
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
		cmocka_unit_test(page_reads_as_text),
		cmocka_unit_test(lists_and_tables_keep_their_shape),
		cmocka_unit_test(code_is_kept_as_it_is),
		cmocka_unit_test(links_are_told),
		cmocka_unit_test(entities_are_decoded),
		cmocka_unit_test(what_nobody_sees_is_not_told),
		cmocka_unit_test(broken_markup_only_looks_bad),
		cmocka_unit_test(depth_and_size_cost_what_they_weigh),
		cmocka_unit_test(long_pages_are_cut_between_characters),
		cmocka_unit_test(charset_is_found),
		cmocka_unit_test(every_element_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
