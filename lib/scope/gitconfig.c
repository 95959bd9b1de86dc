/* SPDX-License-Identifier: Apache-2.0 */
/* A repository's config as a list of names and values, read character by
 * character in the manner of git's own reader, so that no spelling (case,
 * continued lines, quotes in the middle, the old [a.b] for [a "b"]) hides a key
 * from us that git would find. The text comes from those who are held by the
 * line. What git refuses, and bytes that other readers are known to take
 * otherwise than git (NUL, a lone carriage return, a byte order mark), is
 * refused. */

#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "scope/gitconfig.h"

#define END (-1)

struct reader {
	const unsigned char *at;
	const unsigned char *end;
	bool ended; /* the end was read, which counts as a line's */
};

static int
read_next_char(struct reader *reader)
{
	if (reader->at == reader->end) {
		reader->ended = true;
		return '\n';
	}
	if (*reader->at == '\r' && reader->end - reader->at > 1 && reader->at[1] == '\n')
		reader->at++;
	return *reader->at++;
}

static bool
is_key(int c)
{
	return ascii_is_alnum((char)c) || c == '-';
}

static bool
is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* -- sections ----------------------------------------------------------------- */

/* Behind the space in [section "sub"]. */
static int
read_subsection(struct reader *reader, int c, struct buf *section)
{
	while (is_space(c)) {
		if (c == '\n')
			return -EINVAL;
		c = read_next_char(reader);
	}
	if (c != '"')
		return -EINVAL;
	buf_putc(section, '.');
	while ((c = read_next_char(reader)) != '"') {
		if (c == '\\')
			c = read_next_char(reader);
		if (c == '\n')
			return -EINVAL;
		buf_putc(section, (char)c);
	}
	return read_next_char(reader) == ']' ? 0 : -EINVAL;
}

/* Behind "[". */
static int
read_section(struct reader *reader, struct buf *section)
{
	for (;;) {
		int c = read_next_char(reader);

		if (reader->ended)
			return -EINVAL;
		if (c == ']' || is_space(c)) {
			if (section->len == 0 || section->data[0] == '.')
				return -EINVAL;
			return c == ']' ? 0 : read_subsection(reader, c, section);
		}
		if (!is_key(c) && c != '.')
			return -EINVAL;
		buf_putc(section, str_lower((char)c));
	}
}

/* -- values ------------------------------------------------------------------- */

/* The character behind a backslash; END: the line goes on. */
static int
read_escape(struct reader *reader)
{
	int c = read_next_char(reader);

	switch (c) {
	case '\n':
		return END;
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	}
	return -EINVAL;
}

/* Behind "=". Spaces within stay as they are, as in git since 2.45; before, each
 * became a blank. Two values that are the same here are so for both. */
static int
read_value(struct reader *reader, struct buf *value)
{
	bool quoted = false, comment = false;
	size_t blank = 0; /* spaces at the end, which do not count */

	for (;;) {
		int c = read_next_char(reader);

		if (c == '\n')
			break;
		if (comment)
			continue;
		if (is_space(c) && !quoted) {
			if (value->len > 0) {
				buf_putc(value, (char)c);
				blank++;
			}
			continue;
		}
		if ((c == '#' || c == ';') && !quoted) {
			comment = true;
			continue;
		}
		blank = 0;
		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\\') {
			c = read_escape(reader);
			if (c == END)
				continue;
			if (c < 0)
				return c;
		}
		buf_putc(value, (char)c);
	}
	if (quoted)
		return -EINVAL;
	if (blank > 0 && !value->failed) {
		value->len -= blank;
		value->data[value->len] = '\0';
	}
	return 0;
}

/* -- entries ------------------------------------------------------------------ */

static int
add_config_entry(struct gitconfig *config, char *name, char *value, bool alone)
{
	struct gitconfig_entry *more = NULL;
	int r = config->n >= GITCONFIG_ENTRIES_MAX ? -E2BIG : -ENOMEM;

	if (name && (value || alone) && r == -ENOMEM)
		more = realloc(config->entries, (config->n + 1) * sizeof(*more));
	if (!more) {
		free(name);
		free(value);
		return r;
	}
	config->entries = more;
	more[config->n++] = (struct gitconfig_entry){ .name = name, .value = value };
	return 0;
}

/* A key that begins with c, and what it is set to. */
static int
read_entry(struct reader *reader, int c, const char *section, struct gitconfig *config)
{
	struct buf value = { 0 };
	auto_buf struct buf name = { 0 };
	int r;

	buf_printf(&name, "%s.", section);
	for (; !reader->ended && is_key(c); c = read_next_char(reader))
		buf_putc(&name, str_lower((char)c));
	while (c == ' ' || c == '\t')
		c = read_next_char(reader);
	if (c == '\n')
		return add_config_entry(config, buf_take(&name), NULL, true);
	if (c != '=')
		return -EINVAL;
	r = read_value(reader, &value);
	if (r < 0) {
		buf_finish(&value);
		return r;
	}
	return add_config_entry(config, buf_take(&name), buf_take(&value), false);
}

static int
read_config_text(struct reader *reader, struct gitconfig *config)
{
	auto_buf struct buf section = { 0 };
	int r = 0;

	while (r == 0) {
		int c = read_next_char(reader);

		if (reader->ended)
			return 0;
		if (is_space(c))
			continue;
		if (c == '#' || c == ';') {
			while (read_next_char(reader) != '\n')
				;
		} else if (c == '[') {
			buf_finish(&section);
			section = (struct buf){ 0 };
			r = read_section(reader, &section);
			if (section.failed)
				r = -ENOMEM;
		} else if (ascii_is_letter((char)c) && section.len > 0) {
			r = read_entry(reader, c, section.data, config);
		} else {
			r = -EINVAL;
		}
	}
	return r;
}

/* Whether all readers agree on where lines and the text end. */
static bool
is_clear(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\0' || text[i] == '\v' || text[i] == '\f')
			return false;
		if (text[i] == '\r' && (i + 1 == len || text[i + 1] != '\n'))
			return false;
	}
	return len < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0;
}

int
gitconfig_parse(const char *text, size_t len, struct gitconfig *ret_config)
{
	struct reader reader = {
		.at = (const unsigned char *)text,
		.end = (const unsigned char *)text + len,
	};
	struct gitconfig config = { 0 };
	int r;

	if (len > GITCONFIG_MAX)
		return -E2BIG;
	if (!is_clear(text, len))
		return -EINVAL;
	r = read_config_text(&reader, &config);
	if (r < 0) {
		gitconfig_finish(&config);
		return r;
	}
	*ret_config = config;
	return 0;
}

void
gitconfig_finish(struct gitconfig *config)
{
	for (size_t i = 0; i < config->n; i++) {
		free(config->entries[i].name);
		free(config->entries[i].value);
	}
	free(config->entries);
	*config = (struct gitconfig){ 0 };
}
