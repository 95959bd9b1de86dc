/* SPDX-License-Identifier: Apache-2.0 */
/* The names in a patch's headers, decoded. A patch comes from a model: a name
 * that cannot be decoded is an error, because the program that applies the
 * patch might still find a file in it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "patch/patchname.h"

bool
span_starts(struct span line, const char *prefix)
{
	size_t n = strlen(prefix);

	return line.len >= n && memcmp(line.text, prefix, n) == 0;
}

bool
span_is(struct span line, const char *text)
{
	return line.len == strlen(text) && span_starts(line, text);
}

struct span
span_trim(struct span line)
{
	while (line.len > 0 && ascii_is_space(line.text[0])) {
		line.text++;
		line.len--;
	}
	while (line.len > 0 && ascii_is_space(line.text[line.len - 1]))
		line.len--;
	return line;
}

bool
span_next(const char *text, size_t len, size_t *at, struct span *ret_line)
{
	const char *end;

	if (*at >= len)
		return false;
	ret_line->text = text + *at;
	end = memchr(text + *at, '\n', len - *at);
	ret_line->len = end ? (size_t)(end - ret_line->text) : len - *at;
	*at += ret_line->len + 1;
	if (ret_line->len > 0 && ret_line->text[ret_line->len - 1] == '\r')
		ret_line->len--;
	return true;
}

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* text[0] is behind a backslash. How many bytes it takes, 0 if unknown. */
static size_t
unescape_char(const char *text, size_t len, char *ret)
{
	static const char from[] = "abtnvfr\"\\", to[] = "\a\b\t\n\v\f\r\"\\";
	const char *hit;

	if (len >= 3 && text[0] <= '3' && is_octal(text[0]) && is_octal(text[1]) &&
		is_octal(text[2])) {
		*ret = (char)((text[0] - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0'));
		return 3;
	}
	hit = len > 0 && text[0] ? strchr(from, text[0]) : NULL;
	if (!hit)
		return 0;
	*ret = to[hit - from];
	return 1;
}

static int
parse_quoted(struct span *rest, struct buf *out)
{
	size_t i = 1, n;
	char c;

	while (i < rest->len && rest->text[i] != '"') {
		c = rest->text[i++];
		if (c == '\\') {
			n = unescape_char(rest->text + i, rest->len - i, &c);
			if (n == 0)
				return -EINVAL;
			i += n;
		}
		buf_putc(out, c);
	}
	if (i >= rest->len)
		return -EINVAL;
	i++;
	if (i < rest->len && !ascii_is_space(rest->text[i]))
		return -EINVAL;
	rest->text += i;
	rest->len -= i;
	return 0;
}

/* White space that one reader strips, ends a name at or takes as part of it:
 * three files, one name. */
static bool
is_odd(struct span name)
{
	const char ends[] = { name.text[0], name.text[name.len - 1] };

	for (int i = 0; i < 2; i++)
		if ((unsigned char)ends[i] <= ' ' || ends[i] == 0x7f)
			return true;
	for (size_t i = 0; i < name.len; i++)
		if (name.text[i] >= '\v' && name.text[i] <= '\r')
			return true;
	return false;
}

int
patch_name_parse(struct span *rest, struct patch_name *ret_name)
{
	auto_buf struct buf out = { 0 };
	struct patch_name name = { 0 };
	int r = 0;

	if (rest->len > 0 && rest->text[0] == '"') {
		r = parse_quoted(rest, &out);
	} else {
		const char *tab = memchr(rest->text, '\t', rest->len);
		size_t n = tab ? (size_t)(tab - rest->text) : rest->len;
		const char *space = memchr(rest->text, ' ', n);

		name.cut = space ? (size_t)(space - rest->text) : 0;
		buf_append(&out, rest->text, n);
		rest->text += n;
		rest->len -= n;
	}
	if (r < 0)
		return r;
	if (!out.failed && (out.len == 0 || is_odd((struct span){ out.data, out.len })))
		return -EINVAL;
	name.len = out.len;
	name.text = buf_take(&out);
	if (!name.text)
		return -ENOMEM;
	name.nothing = name.len == 9 && memcmp(name.text, "/dev/null", 9) == 0;
	if (name.cut == 9 && memcmp(name.text, "/dev/null", 9) == 0)
		name.nothing = true;
	*ret_name = name;
	return 0;
}

void
patch_name_finish(struct patch_name *name)
{
	free(name->text);
	*name = (struct patch_name){ 0 };
}

/* The part behind the first slash: what git compares. */
static struct span
behind_slash(struct span name)
{
	const char *slash = memchr(name.text, '/', name.len);

	if (!slash)
		return name;
	return (struct span){ slash + 1, name.len - (size_t)(slash + 1 - name.text) };
}

static bool
is_equal_span(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

static int
copy_patch_name(struct span name, struct patch_name *ret)
{
	ret->text = strndup(name.text, name.len);
	ret->len = ret->text ? strlen(ret->text) : 0;
	if (ret->text && ret->len != name.len) { /* a NUL in it */
		patch_name_finish(ret);
		return -EINVAL;
	}
	return ret->text ? 0 : -ENOMEM;
}

static int
plain_pair(struct span rest, struct patch_name *ret_old, struct patch_name *ret_new)
{
	int r;

	/* Two paths do not get longer, and the search is quadratic. */
	if (rest.len > 8192)
		return -EINVAL;
	for (size_t i = 1; i + 1 < rest.len; i++) {
		struct span old = { rest.text, i };
		struct span new = { rest.text + i + 1, rest.len - i - 1 };

		if (rest.text[i] != ' ')
			continue;
		if (!is_equal_span(old, new) &&
			!is_equal_span(behind_slash(old), behind_slash(new)))
			continue;
		r = copy_patch_name(old, ret_old);
		return r < 0 ? r : copy_patch_name(new, ret_new);
	}
	return 0;
}

int
patch_name_pair(struct span rest, struct patch_name *ret_old, struct patch_name *ret_new)
{
	int r;

	if (rest.len == 0 || is_odd(rest))
		return -EINVAL;
	if (rest.text[0] != '"' && rest.text[rest.len - 1] != '"')
		return plain_pair(rest, ret_old, ret_new);
	if (rest.text[0] == '"') {
		r = patch_name_parse(&rest, ret_old);
	} else {
		const char *quote = memchr(rest.text, '"', rest.len);
		struct span old =
			span_trim((struct span){ rest.text, (size_t)(quote - rest.text) });

		r = old.len ? copy_patch_name(old, ret_old) : -EINVAL;
		rest.len -= (size_t)(quote - rest.text);
		rest.text = quote;
	}
	if (r < 0)
		return r;
	rest = span_trim(rest);
	if (rest.len == 0)
		return -EINVAL;
	if (rest.text[0] != '"')
		return copy_patch_name(rest, ret_new);
	r = patch_name_parse(&rest, ret_new);
	return r == 0 && span_trim(rest).len > 0 ? -EINVAL : r;
}

int
patch_name_words(struct span rest, struct patch_name *ret_old, struct patch_name *ret_new)
{
	struct patch_name *slots[] = { ret_old, ret_new };
	int r = 0;

	if (memchr(rest.text, '"', rest.len))
		return 0;
	for (int i = 0; r == 0 && i < 2; i++) {
		size_t n = 0;

		rest = span_trim(rest);
		while (n < rest.len && !ascii_is_space(rest.text[n]))
			n++;
		if (n > 0)
			r = copy_patch_name((struct span){ rest.text, n }, slots[i]);
		rest.text += n;
		rest.len -= n;
	}
	return r;
}
