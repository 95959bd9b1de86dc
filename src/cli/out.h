/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/words.h>

#include "base/json.h"

/* Printing for people and for programs. Text that came from elsewhere is
 * escaped before it gets here or in out_text(). */

/* A table: columns as wide as their widest cell, the last one as it is. */
struct table {
	size_t columns;
	char **cells; /* row by row */
	bool failed;
};

/* heads: one per column; NULL ends. */
void table_init(struct table *table, const char *const *heads);
/* One cell after another; NULL shows as "-". Control bytes are escaped. */
void table_cell(struct table *table, const char *text);
/* Already escaped, or ambit's own words. */
void table_plain(struct table *table, const char *text);
/* Prints and frees; -ENOMEM if a cell was lost. Only heads: prints nothing. */
int table_finish(struct table *table, struct ambit_error *err);

/* Escaped, without a newline. */
void out_text(const char *text);
/* value as one line; takes it. NULL is -ENOMEM. */
int out_json(json_t *value, struct ambit_error *err);
/* Whether $TERM says that the terminal knows no escape sequences. */
bool out_is_dumb(void);
/* Whether fd is a terminal that wants colours. */
bool out_colour(int fd);
/* The verdict's word, with colour where there is a terminal that wants it. */
void out_verdict(enum ambit_verdict verdict);
/* "2030-01-31 12:00:05", local time, in buf. */
const char *out_time(int64_t time, char *buf, size_t size);

/* "90s", "15m", "2h", "3d" -> milliseconds; -EINVAL. */
int when_duration(const char *text, int64_t *ret_ms);
/* A duration ago, or a local date and time -> milliseconds since the epoch. */
int when_since(const char *text, int64_t now, int64_t *ret_time);
/* A whole number from 1 to max. */
int when_number(const char *text, int64_t max, int64_t *ret_number);

#endif
