/* SPDX-License-Identifier: Apache-2.0 */
/* Strings. Escaping is what stands between a file name and the person's
 * terminal or a model's context: everything that could move the cursor, hide
 * or reorder text is made visible. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"

char *
str_dup(const char *text)
{
	return text ? strdup(text) : NULL;
}

char *
str_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

bool
str_beneath(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && dir[0] == '/')
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* getcwd(3) gives a real path, so its own ".." can be taken lexically. Further
 * in, ".." may follow a symlink: that is left to whoever resolves the path. */
char *
str_absolute(const char *path)
{
	auto_free char *cwd = NULL;

	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return NULL;
	for (;;) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 2 && str_prefix(path, "..")) {
			char *slash = strrchr(cwd, '/');

			if (slash)
				slash[slash == cwd] = '\0';
		} else if (n != 1 || path[0] != '.') {
			break;
		}
		path += n;
	}
	if (path[0] == '\0')
		return strdup(cwd);
	return str_printf("%s%s%s", cwd, streq(cwd, "/") ? "" : "/", path);
}

size_t
str_cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

size_t
str_utf8(const char *text, size_t len, unsigned *ret_point)
{
	const unsigned char *s = (const unsigned char *)text;
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned point;
	size_t n;

	if (s[0] < 0x80) {
		*ret_point = s[0];
		return 1;
	}
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
	if (n == 0 || n > len || s[0] > 0xf4)
		return 0;
	point = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (s[i] & 0x3f);
	}
	if (point < least[n] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return n;
}

bool
str_is_utf8(const char *text, size_t len)
{
	unsigned point;

	for (size_t i = 0; i < len;) {
		size_t n = str_utf8(text + i, len - i, &point);

		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

/* Invisible, reordering or line-breaking: soft hyphen, Arabic letter mark,
 * zero-width and directional marks, line separators, bidi embeddings and
 * isolates, word joiner and other formats, variation selectors, BOM,
 * interlinear marks, musical and shorthand formats, tags; Hangul fillers and braille blank, which
 * show as nothing. */
bool
str_hidden(unsigned point)
{
	/* clang-format off */
	static const struct {
		unsigned from, to;
	} ranges[] = {
		{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c },
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (point >= ranges[i].from && point <= ranges[i].to)
			return true;
	return false;
}

/* Spaces that are not U+0020; Hebrew to Arabic, their forms, and what the roadmap of
 * Unicode leaves to scripts that are written from right to left. */
static bool
is_misleading_point(unsigned point)
{
	/* clang-format off */
	static const struct {
		unsigned from, to;
	} ranges[] = {
		{ 0xa0, 0xa0 }, { 0x590, 0x8ff }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 }, { 0xfb1d, 0xfdff },
		{ 0xfe70, 0xfefe }, { 0x10800, 0x10fff }, { 0x1e800, 0x1efff },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (point >= ranges[i].from && point <= ranges[i].to)
			return true;
	return false;
}

static void
put_escaped(struct buf *out, unsigned point)
{
	buf_printf(out, point > 0xffff ? "\\U%08x" : "\\u%04x", point);
}

char *
str_escape(const char *text, size_t len)
{
	struct buf out = { 0 };
	unsigned point;

	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = str_utf8(text + i, len - i, &point);

		if (n == 0) {
			buf_printf(&out, "\\x%02x", c);
			n = 1;
		} else if (c == '\\') {
			buf_puts(&out, "\\\\");
		} else if (c == '\n') {
			buf_puts(&out, "\\n");
		} else if (c == '\t') {
			buf_puts(&out, "\\t");
		} else if (c == '\r') {
			buf_puts(&out, "\\r");
		} else if (point < 0x20 || point == 0x7f) {
			buf_printf(&out, "\\x%02x", point);
		} else if (str_hidden(point)) {
			put_escaped(&out, point);
		} else {
			buf_append(&out, text + i, n);
		}
		i += n;
	}
	return buf_take(&out);
}

char *
str_tame(const char *text)
{
	auto_buf struct buf out = { 0 };

	while (*text) {
		size_t n = strcspn(text, "\\");
		auto_free char *safe = str_escape(text, n);

		if (!safe)
			return NULL;
		buf_puts(&out, safe);
		text += n;
		for (; *text == '\\'; text++)
			buf_putc(&out, '\\');
	}
	return buf_take(&out);
}

char *
str_show(const char *text)
{
	auto_free char *safe = str_tame(text);
	const char *end = safe ? safe + strlen(safe) : NULL;
	auto_buf struct buf out = { 0 };
	unsigned point;
	size_t n;

	for (const char *at = safe; at < end; at += n) {
		n = str_utf8(at, (size_t)(end - at), &point);
		if (*at == ' ' && ((at > safe && at[-1] == ' ') || at[1] == '\0'))
			buf_puts(&out, "\\x20");
		else if (is_misleading_point(point))
			put_escaped(&out, point);
		else
			buf_append(&out, at, n);
	}
	return safe ? buf_take(&out) : NULL;
}

void
strv_free(char **list)
{
	if (!list)
		return;
	for (size_t i = 0; list[i]; i++)
		free(list[i]);
	free(list);
}

size_t
strv_len(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

int
strv_append(char ***list, const char *text)
{
	size_t n = strv_len(*list);
	char **bigger = realloc(*list, (n + 2) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	*list = bigger;
	bigger[n] = strdup(text);
	bigger[n + 1] = NULL;
	return bigger[n] ? 0 : -ENOMEM;
}

int
strv_append_to(void *list, const char *text)
{
	return strv_append(list, text);
}

char *
str_quote(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+,:@%";

	if (text[0] != '-' && text[0] != '\0' && text[strspn(text, plain)] == '\0')
		return strdup(text);
	for (const char *at = text; *at; at++)
		if (strchr("'\"\\", *at) || (unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	return str_printf("'%s'", text);
}
