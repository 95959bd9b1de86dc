/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a data file into a report: each of its tests is given to its kind, and what comes
 * back is compared with what the test says. An output that no test asks about is a failure as
 * well. */

#include "textrun.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/str.h"
#include "textfile.h"

/* Lines of a difference that are shown. */
#define SHOWN_MAX 12

struct text_output {
	char *name, *data;
	size_t len;
	bool offered, checked;
};

struct text_outputs {
	struct text_output *list;
	size_t n;
};

static struct text_output *
find_output(const struct text_outputs *out, const char *name)
{
	for (size_t i = 0; i < out->n; i++)
		if (streq(out->list[i].name, name))
			return &out->list[i];
	return NULL;
}

void
text_put(struct text_outputs *out, const char *name, const char *data, size_t len)
{
	struct buf copy = { 0 };

	if (find_output(out, name))
		abort(); /* the kind is wrong: one of them would not be compared */
	out->list = realloc(out->list, (out->n + 1) * sizeof(*out->list));
	if (!out->list)
		abort();
	buf_append(&copy, data, len);
	out->list[out->n++] =
		(struct text_output){ .name = strdup(name), .len = len, .data = buf_take(&copy) };
}

void
text_puts(struct text_outputs *out, const char *name, const char *text)
{
	text_put(out, name, text, strlen(text));
}

void
text_offer(struct text_outputs *out, const char *name, const char *text)
{
	text_puts(out, name, text);
	out->list[out->n - 1].offered = true;
}

static void
finish_outputs(struct text_outputs *out)
{
	for (size_t i = 0; i < out->n; i++) {
		free(out->list[i].name);
		free(out->list[i].data);
	}
	free(out->list);
}

/* -- differences ----------------------------------------------------------------------- */

/* As it would stand in a data file. */
static void
show_line(struct buf *report, const char *mark, const char *text, size_t len, bool ends)
{
	buf_puts(report, mark);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\\')
			buf_puts(report, "\\\\");
		else if (c >= 0x20 && c < 0x7f && !(c == ' ' && i + 1 == len))
			buf_putc(report, (char)c);
		else if (c == '\t' || c == '\r')
			buf_puts(report, c == '\t' ? "\\t" : "\\r");
		else
			buf_printf(report, "\\x%02x", c);
	}
	buf_puts(report, ends ? "\n" : "\\c\n");
}

/* Shows lines from at on. */
static void
show_lines(struct buf *report, const char *mark, const char *data, size_t len, size_t at)
{
	for (int n = 0; at < len; n++) {
		const char *end = memchr(data + at, '\n', len - at);
		size_t size = end ? (size_t)(end - data) - at : len - at;

		if (n == SHOWN_MAX) {
			buf_printf(report, "%s...\n", mark);
			return;
		}
		show_line(report, mark, data + at, size, end != NULL);
		at += size + 1;
	}
}

/* The offset of the first line that differs. */
static size_t
find_difference(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, line = 0;

	for (; i < a_len && i < b_len && a[i] == b[i]; i++)
		if (a[i] == '\n')
			line = i + 1;
	return line;
}

static const char *
check_expect(struct buf *report, const struct text_section *want, const struct text_output *got)
{
	size_t at;

	if (want->len == got->len && memcmp(want->data, got->data, got->len) == 0)
		return NULL;
	at = find_difference(want->data, want->len, got->data, got->len);
	show_lines(report, "\texpected: ", want->data, want->len, at);
	show_lines(report, "\t     got: ", got->data, got->len, at);
	return "another text";
}

static const char *
check_says(struct buf *report, const struct text_section *want, const struct text_output *got)
{
	for (size_t at = 0; at < want->len; at += strlen(want->data + at) + 1) {
		const char *piece = want->data + at;

		if (memmem(got->data, got->len, piece, strlen(piece)))
			continue;
		show_lines(report, "\tis to say: ", piece, strlen(piece), 0);
		show_lines(report, "\t      got: ", got->data, got->len, 0);
		return "it does not say it";
	}
	return NULL;
}

/* NULL, or why the test failed. */
static const char *
check_outputs(struct buf *report, const struct text_test *test, struct text_outputs *out)
{
	const char *why = NULL;

	for (size_t i = 0; !why && i < test->n_sections; i++) {
		const struct text_section *want = &test->sections[i];
		struct text_output *got = find_output(out, want->arg);

		if (!textfile_is_expectation(want))
			continue;
		if (!got) {
			buf_printf(report, "\tthere is no output '%s'\n", want->arg);
			return "nothing came out";
		}
		got->checked = true;
		why = streq(want->word, "says") ? check_says(report, want, got)
						: check_expect(report, want, got);
	}
	for (size_t i = 0; !why && i < out->n; i++)
		if (!out->list[i].checked && !out->list[i].offered) {
			show_line(report, "\tnobody expects: ", out->list[i].name,
				strlen(out->list[i].name), true);
			show_lines(report, "\t", out->list[i].data, out->list[i].len, 0);
			why = "more came out than is expected";
		}
	return why;
}

/* -- tests ----------------------------------------------------------------------------- */

static void
run_test(struct textrun *run, const char *path, const struct text_kind *kind,
	const struct text_test *test)
{
	struct text_outputs out = { 0 };
	auto_buf struct buf details = { 0 };
	const char *why = kind->run(test, &out);

	if (!why)
		why = check_outputs(&details, test, &out);
	if (why) {
		buf_printf(&run->report, "FAIL %s: %s: %s\n", path, test->name, why);
		buf_append(&run->report, details.data ? details.data : "", details.len);
		run->failed++;
	} else {
		buf_printf(&run->report, "ok   %s\n", test->name);
		run->passed++;
	}
	finish_outputs(&out);
}

void
textrun_file(struct textrun *run, const char *path, const char *text, size_t len)
{
	struct textfile *file = NULL;
	struct ambit_error err = { 0 };
	const struct text_test *test;

	if (textfile_parse(text, len, run->kinds, &file, &err) < 0) {
		buf_printf(&run->report, "FAIL %s: %s\n", path, err.text);
		run->failed++;
		return;
	}
	for (size_t i = 0; (test = textfile_test(file, i)); i++)
		run_test(run, path, textfile_kind(file), test);
	textfile_destroy(file);
}
