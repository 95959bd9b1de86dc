/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, colours and JSON on standard output. A name can hold anything: what
 * reaches a terminal is escaped here, unless the caller says it has been. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "out.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

void
table_plain(struct table *table, const char *text)
{
	if (!table->failed && strv_append(&table->cells, text != NULL ? text : "-") < 0)
		table->failed = true;
}

void
table_cell(struct table *table, const char *text)
{
	auto_free char *shown = text != NULL ? str_escape(text, strlen(text)) : NULL;

	if (text != NULL && shown == NULL)
		table->failed = true;
	table_plain(table, shown);
}

void
table_init(struct table *table, const char *const *heads)
{
	*table = (struct table){ 0 };
	for (; *heads != NULL; heads++, table->columns++)
		table_plain(table, *heads);
}

/* Code points, so that columns stand where names are not ASCII. */
static size_t
count_code_points(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t
column_width(const struct table *table, size_t column, size_t n)
{
	size_t widest = 0;

	for (size_t i = column; i < n; i += table->columns)
		if (count_code_points(table->cells[i]) > widest)
			widest = count_code_points(table->cells[i]);
	return widest;
}

int
table_finish(struct table *table, struct ambit_error *err)
{
	size_t n = strv_len(table->cells);
	int r = table->failed ? err_nomem(err) : 0;

	for (size_t i = 0; r == 0 && n > table->columns && i < n; i++) {
		bool last = i % table->columns == table->columns - 1;
		size_t pad = last ? 0 : column_width(table, i % table->columns, n) + 2;

		printf("%s", table->cells[i]);
		for (size_t w = count_code_points(table->cells[i]); w < pad; w++)
			putchar(' ');
		if (last)
			putchar('\n');
	}
	strv_free(table->cells);
	table->cells = NULL;
	return r;
}

void
out_text(const char *text)
{
	auto_free char *shown = str_escape(text, strlen(text));

	printf("%s", shown != NULL ? shown : "?");
}

int
out_json(json_t *value, struct ambit_error *err)
{
	auto_free char *line = value != NULL ? json_ascii(value) : NULL;

	json_decref(value);
	if (line == NULL)
		return err_nomem(err);
	puts(line);
	return 0;
}

bool
out_is_dumb(void)
{
	const char *term = getenv("TERM");

	return term != NULL && streq(term, "dumb");
}

bool
out_colour(int fd)
{
	const char *no = getenv("NO_COLOR");

	if (no != NULL && no[0] != '\0')
		return false;
	return getenv("TERM") != NULL && !out_is_dumb() && isatty(fd);
}

void
out_verdict(enum ambit_verdict verdict)
{
	static const char *const colours[] = {
		[AMBIT_DENY] = "\033[1;31m",
		[AMBIT_ASK] = "\033[1;33m",
		[AMBIT_ALLOW] = "\033[1;32m",
	};
	const char *word = ambit_word_name(ambit_verdicts, verdict);

	if (out_colour(STDOUT_FILENO))
		printf("%s%s\033[0m", colours[verdict], word);
	else
		printf("%s", word);
}

const char *
out_time(int64_t time, char *buf, size_t size)
{
	time_t seconds = (time_t)(time / 1000);
	struct tm parts;

	if (localtime_r(&seconds, &parts) == NULL ||
		strftime(buf, size, "%Y-%m-%d %H:%M:%S", &parts) == 0)
		return "?";
	return buf;
}
