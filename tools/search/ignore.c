/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a .gitignore into patterns, and a path against them. The rules are
 * those of gitignore(5), and where that leaves something open, those of git itself:
 * tests/unit/tools/test-tool-ignore.c asks it. Most patterns are a plain name or "*.o":
 * these are compared without any matching, for every file in a tree is looked up
 * in every one of them. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/search/ignore.h"

enum kind {
	KIND_NAME = 0, /* a plain name, at any depth */
	KIND_ENDING,   /* "*" and plain text, at any depth */
	KIND_NAME_WILD,
	KIND_PATH, /* has a '/': from the directory of its file */
};

struct pattern {
	const char *text; /* in the copy of the file */
	uint32_t len;
	uint32_t plain; /* so many bytes of a path stand for themselves */
	unsigned char kind;
	bool shows; /* "!" */
	bool dir;   /* directories alone */
};

struct ignore {
	char *text;
	struct pattern *patterns;
	size_t n;
};

static bool
is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static uint32_t
plain_len(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && !is_special(text[i]))
		i++;
	return (uint32_t)i;
}

/* Spaces at the end go, unless a backslash keeps them. */
static size_t
trim_line_spaces(const char *line, size_t len)
{
	size_t end = 0;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\\')
			i++;
		else if (line[i] == ' ')
			continue;
		end = i + 1;
	}
	return end < len ? end : len;
}

static bool
parse_line(const char *line, size_t len, struct pattern *pattern)
{
	const char *nul = memchr(line, '\0', len);

	if (nul)
		len = (size_t)(nul - line);
	if (len == 0 || line[0] == '#')
		return false;
	len = trim_line_spaces(line, len);
	*pattern = (struct pattern){ .text = line };
	if (len > 0 && line[0] == '!') {
		pattern->shows = true;
		pattern->text++;
		len--;
	}
	if (len > 0 && pattern->text[len - 1] == '/') {
		pattern->dir = true;
		len--;
	}
	if (memchr(pattern->text, '/', len)) {
		pattern->kind = KIND_PATH;
		if (pattern->text[0] == '/') {
			pattern->text++;
			len--;
		}
	} else if (plain_len(pattern->text, len) == len) {
		pattern->kind = KIND_NAME;
	} else if (pattern->text[0] == '*' && plain_len(pattern->text + 1, len - 1) == len - 1) {
		pattern->kind = KIND_ENDING;
	} else {
		pattern->kind = KIND_NAME_WILD;
	}
	pattern->len = (uint32_t)len;
	pattern->plain = plain_len(pattern->text, len);
	return len > 0;
}

struct ignore *
ignore_parse(const char *text, size_t len)
{
	struct ignore *ignore = calloc(1, sizeof(*ignore));
	size_t lines = 1;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (ignore) {
		ignore->text = malloc(len + 1);
		ignore->patterns = calloc(lines, sizeof(*ignore->patterns));
	}
	if (!ignore || !ignore->text || !ignore->patterns || len > IGNORE_FILE_MAX) {
		ignore_destroy(ignore);
		return NULL;
	}
	if (len > 0)
		memcpy(ignore->text, text, len);
	for (size_t at = 0; at < len;) {
		const char *line = ignore->text + at, *end = memchr(line, '\n', len - at);
		size_t n = end ? (size_t)(end - line) : len - at;

		at += n + 1;
		if (n > 0 && line[n - 1] == '\r')
			n--;
		ignore->n += parse_line(line, n, &ignore->patterns[ignore->n]);
	}
	return ignore;
}

void
ignore_destroy(struct ignore *ignore)
{
	if (!ignore)
		return;
	free(ignore->text);
	free(ignore->patterns);
	free(ignore);
}

bool
ignore_is_empty(const struct ignore *ignore)
{
	return ignore->n == 0;
}

/* What git does with the part before the first wildcard shows: "a**" is compared as
 * 'a' and then "**" at the start of a pattern. */
static bool
path_matches(const struct pattern *p, const char *path, size_t len, size_t *steps)
{
	if (p->plain > len || memcmp(p->text, path, p->plain) != 0)
		return false;
	if (p->plain == p->len)
		return len == p->len;
	return ignore_wild(p->text + p->plain, p->len - p->plain, path + p->plain, len - p->plain,
		true, steps);
}

static bool
is_pattern_match(const struct pattern *p, const char *path, size_t len, const char *name,
	size_t name_len, size_t *steps)
{
	switch ((enum kind)p->kind) {
	case KIND_NAME:
		return p->len == name_len && memcmp(p->text, name, name_len) == 0;
	case KIND_ENDING:
		return p->len - 1 <= name_len &&
		       memcmp(p->text + 1, name + name_len - (p->len - 1), p->len - 1) == 0;
	case KIND_NAME_WILD:
		return p->plain <= name_len && memcmp(p->text, name, p->plain) == 0 &&
		       ignore_wild(p->text, p->len, name, name_len, false, steps);
	case KIND_PATH:
		return path_matches(p, path, len, steps);
	}
	return false;
}

enum ignore_says
ignore_match(const struct ignore *ignore, const char *path, size_t len, bool dir, size_t *steps)
{
	const char *slash = memrchr(path, '/', len), *name = slash ? slash + 1 : path;
	size_t name_len = len - (size_t)(name - path);

	for (size_t i = ignore->n; i > 0 && *steps > 0; i--) {
		const struct pattern *p = &ignore->patterns[i - 1];

		--*steps;
		if ((dir || !p->dir) && is_pattern_match(p, path, len, name, name_len, steps))
			return p->shows ? IGNORE_SHOW : IGNORE_HIDE;
	}
	return IGNORE_NOTHING;
}
