/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"

/* What every parser of ambit's accepts: one JSON value, no duplicate keys,
 * depth and size limited, "\u0000" allowed so that a NUL in a path can be
 * seen and refused. On failure: "LINE:COLUMN: what", -EINVAL. */
int json_parse(const char *text, size_t len, json_t **ret_value, struct ambit_error *err);

/* Where the member that path leads to begins in text, which must be valid
 * JSON: line and column of its key (of its value in an array). path is a
 * NULL-terminated list of keys; "#3" stands for the fourth element of an
 * array. 1:1 if there is no such member. */
void json_locate(
	const char *text, size_t len, const char *const *path, int *ret_line, int *ret_column);

/* The string under a key, or "". Borrowed. */
const char *json_text(const json_t *object, const char *key);

/* Sets a string that may not be UTF-8: escaped (str_escape) if it is not. */
int json_set_text(json_t *object, const char *key, const char *text);

/* One line, keys sorted: the same value is always the same text. Caller frees. */
char *json_line(const json_t *value);

/* The same in printable ASCII alone, so that nothing in it moves a cursor or
 * hides: for what a terminal may show. Caller frees. */
char *json_ascii(const json_t *value);

/* About as many bytes of memory as it takes; a short text can take many. */
size_t json_weight(const json_t *value);

static inline void
json_decref_at(json_t **value)
{
	json_decref(*value);
}
#define auto_json __attribute__((cleanup(json_decref_at)))

#endif
