/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_CASE_LINE_H
#define TESTS_CASES_CASE_LINE_H

/* Where a run stands, and the words of its lines: variables, escapes. */

#include <ctype.h>
#include <errno.h>

#include "base/buf.h"
#include "reach.h"
#include "case-world.h"

struct run {
	const char *file;
	FILE *in;
	int line;
	struct world world;
	struct reach *reach;
	int passed, failed, decisions;
	struct ambit_request *request; /* the last decision */
	struct ambit_outcome outcome;
	bool live;
};

static void __attribute__((format(printf, 2, 3))) bad(struct run *run, const char *fmt, ...)
{
	va_list ap;

	run->failed++;
	printf("%s:%d: ", run->file, run->line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* "$[TEXT*N]": its length, or 0. */
static size_t
repeat(struct buf *out, const char *text)
{
	char *end;

	for (const char *star = strchr(text, '*'); star; star = strchr(star + 1, '*')) {
		if (!isdigit((unsigned char)star[1]))
			continue;
		unsigned long n = strtoul(star + 1, &end, 10);

		if (*end != ']')
			continue;
		for (; n > 0; n--)
			buf_append(out, text + 2, (size_t)(star - text) - 2);
		return (size_t)(end - text) + 1;
	}
	return 0;
}

static size_t
variable(const struct world *w, struct buf *out, const char *text)
{
	const struct {
		const char *name, *value;
	} names[] = {
		{ "$HOME", w->home },
		{ "$ROOT", w->root },
		{ "$OUT", w->out },
		{ "$CONFIG", w->config },
		{ "$STATE", w->state },
		{ "$RUNTIME", w->runtime },
	};

	if (text[1] == '[')
		return repeat(out, text);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_prefix(text, names[i].name)) {
			buf_puts(out, names[i].value);
			return strlen(names[i].name);
		}
	return 0;
}

static size_t
escape(struct buf *out, const char *text)
{
	unsigned byte;

	if (text[1] && strchr("nt\\", text[1])) {
		buf_putc(out, text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : '\\');
		return 2;
	}
	if (text[1] != 'x' || sscanf(text + 2, "%2x", &byte) != 1)
		return 0;
	buf_putc(out, (char)byte);
	return 4;
}

static char *
expand(const struct world *w, const char *text, bool escapes, size_t *ret_len)
{
	struct buf out = { 0 };

	while (*text) {
		size_t n = *text == '$'		      ? variable(w, &out, text)
			   : *text == '\\' && escapes ? escape(&out, text)
						      : 0;

		if (n == 0)
			buf_putc(&out, *text);
		text += n ? n : 1;
	}
	if (ret_len)
		*ret_len = out.len;
	return buf_take(&out);
}

/* The next word; rest is moved behind it. "" when there is none. */
static char *
word(char **rest)
{
	char *start = *rest + strspn(*rest, " \t"), *end = start + strcspn(start, " \t");

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

/* The next word as a path: expanded, and beneath the folder if relative. */
static char *
path_word(const struct world *w, char **rest)
{
	auto_free char *text = expand(w, word(rest), true, NULL);

	if (text[0] == '/')
		return steal_ptr(&text);
	return str_printf("%s/%s", w->root, text);
}

#endif
