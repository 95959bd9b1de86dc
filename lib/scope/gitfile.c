/* SPDX-License-Identifier: Apache-2.0 */
/* Reads core.hooksPath as git does: sections in brackets with quoted
 * subsections, several on a line, values with quotes in the middle, escapes,
 * comments and lines that go on after a backslash. Files it includes are not
 * followed. A wrong guess guards a directory too many. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "scope/gitfile.h"

static const char *
skip_line(const char *p)
{
	p += strcspn(p, "\n");
	return p + (*p == '\n');
}

/* p is behind "[": the end of the header. *ret_core: it is [core]. */
static const char *
read_section(const char *p, bool *ret_core)
{
	size_t n = strcspn(p, "] \t\"\n");
	bool quoted = false, sub = false;

	*ret_core = false;
	for (const char *q = p + n; *q && *q != '\n'; q++) {
		if (quoted && *q == '\\' && q[1])
			q++;
		else if (*q == '"') {
			quoted = !quoted;
			sub = true;
		} else if (*q == ']' && !quoted) {
			*ret_core = n == 4 && !sub && str_fold_equal(p, "core", 4);
			return q + 1;
		}
	}
	return skip_line(p);
}

/* p is behind "=": appends the value, returns the start of the next line. */
static const char *
read_value(const char *p, struct buf *value)
{
	bool quoted = false;
	size_t keep = 0; /* spaces at the end do not count, unless quoted */

	p += strspn(p, " \t");
	for (; *p && *p != '\n'; p++) {
		if (!quoted && (*p == '#' || *p == ';'))
			break;
		if (*p == '"') {
			quoted = !quoted;
			keep = value->len;
			continue;
		}
		if (*p == '\\') {
			p++;
			if (*p == '\r' && p[1] == '\n')
				p++;
			if (*p == '\0')
				break;
			if (*p == '\n')
				continue;
			buf_putc(value, *p == 't' ? '\t' : *p == 'n' ? '\n' : *p);
			keep = value->len;
			continue;
		}
		buf_putc(value, *p);
		if (quoted || !strchr(" \t\r", *p))
			keep = value->len;
	}
	if (value->data) {
		value->len = keep;
		value->data[keep] = '\0';
	}
	return skip_line(p);
}

char *
gitfile_hooks_path(const char *text)
{
	static const char key[] = "hookspath";
	char *found = NULL;
	bool core = false;

	if (str_prefix(text, "\xef\xbb\xbf"))
		text += 3;
	for (const char *p = text; *p;) {
		p += strspn(p, " \t\r\n");
		if (*p == '[') {
			p = read_section(p + 1, &core);
			continue;
		}
		size_t n = strcspn(p, "= \t\r\n#;");
		const char *equal = p + n + strspn(p + n, " \t");

		if (*equal != '=') {
			p = skip_line(p);
			continue;
		}
		auto_buf struct buf value = { 0 };
		const char *next = read_value(equal + 1, &value);

		if (core && n == sizeof(key) - 1 && str_fold_equal(p, key, n)) {
			free(found);
			found = buf_take(&value);
		}
		p = next;
	}
	return found;
}

char *
gitfile_line(const char *text, const char *prefix)
{
	size_t n;

	if (!str_prefix(text, prefix))
		return NULL;
	text += strlen(prefix);
	text += strspn(text, " \t");
	n = strcspn(text, "\r\n");
	return n > 0 ? strndup(text, n) : NULL;
}
