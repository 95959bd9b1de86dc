/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a page is made of, what comes of it is UTF-8, within the limit, without
 * control characters or ones that hide; and so are what was sent as text, and the
 * name of a charset. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/web/fetch.h"
#include "tools/web/html-page.h"
#include "tools/web/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const char *text, size_t max)
{
	size_t len = strlen(text);

	assert(len <= max);
	for (size_t i = 0; i < len;) {
		unsigned point = 0;
		size_t n = str_utf8(text + i, len - i, &point);

		assert(n > 0);
		assert(point == '\n' || point == '\t' || !page_drops(point));
		i += n;
	}
}

static void
try_html(const char *html, size_t len, size_t max)
{
	char *text = NULL, *title = NULL;
	bool cut = false;

	assert(html_text(html, len, max, &text, &title, &cut) == 0);
	check(text, max);
	check(title, 300);
	assert(!strchr(title, '\n'));
	free(text);
	free(title);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "", "text/html", "text/plain",
		"text/html; charset=gbk", "text/plain; charset=utf-16be",
		"text/html; charset=shift_jis", "text/plain; charset=latin1",
		"text/html; charset=euc-jp", "text/html; charset=big5",
		"text/html; charset=gb18030", "text/html; charset=euc-kr" };
	const char *html = (const char *)data, *type;
	char name[24], *text;
	size_t len;

	try_html(html, size, 60000);
	try_html(html, size, 64);
	html_charset(html, size, name, sizeof(name));
	assert(strlen(name) < sizeof(name));
	/* One each: opening a converter costs more than all the rest. */
	type = types[size % (sizeof(types) / sizeof(types[0]))];
	assert(fetch_utf8(type, fetch_kind(type, html, size), html, size, &text, &len) == 0);
	assert(str_is_utf8(text, len));
	try_html(text, len, 60000);
	free(text);
	return 0;
}
