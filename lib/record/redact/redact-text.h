/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_REDACT_REDACT_TEXT_H
#define RECORD_REDACT_REDACT_TEXT_H

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "record/redact/redact.h"

/* What the files of redaction share; nobody else includes it. */

struct text {
	const char *data;
	size_t len;
};

/* What goes: [from, to). */
struct hit {
	size_t from;
	size_t to;
	bool pairs; /* of a cookie: another pair may follow */
};

/* A failed try must not walk over a long run that the next try walks again. */
#define AHEAD 256

static inline bool
is_char_in(const char *set, char c)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static inline bool
name_char(char c)
{
	return ascii_is_alnum(c) || is_char_in("_.-", c);
}

/* The byte at i, or NUL past the end. */
static inline char
get_byte_at(const struct text *t, size_t i)
{
	return i < t->len ? t->data[i] : '\0';
}

static inline bool
has_prefix_at(const struct text *t, size_t i, const char *prefix, bool fold)
{
	size_t n = strlen(prefix);

	if (i > t->len || t->len - i < n)
		return false;
	return fold ? str_fold_equal(t->data + i, prefix, n) : memcmp(t->data + i, prefix, n) == 0;
}

static inline size_t
skip_blanks(const struct text *t, size_t i)
{
	while (i < t->len && ascii_is_blank(t->data[i]))
		i++;
	return i;
}

/* A newline, or one that somebody has escaped. */
static inline bool
is_newline_at(const struct text *t, size_t i)
{
	return is_char_in("\r\n", get_byte_at(t, i)) ||
	       (get_byte_at(t, i) == '\\' && is_char_in("nr", get_byte_at(t, i + 1)));
}

/* What a shell would act on ends every value, inside quotes too: whether a
 * quote opens or closes is known only to the shell that reads it, and "a
 * secret" must not be a way to leave the next command out of the record. */
static inline bool
ends_value(const struct text *t, size_t i)
{
	char next = get_byte_at(t, i + 1);

	return is_char_in(";&|>`", get_byte_at(t, i)) || is_newline_at(t, i) ||
	       (get_byte_at(t, i) == '$' && is_char_in("({", next)) ||
	       (get_byte_at(t, i) == '<' && next == '(');
}

/* The text was cut off here: labels are, near 200 bytes. Then a beginning is
 * all there is of a secret. */
static inline bool
is_text_cut_off(const struct text *t, size_t i)
{
	return (t->len - i == 3 && memcmp(t->data + i, "...", 3) == 0) ||
	       (i == t->len && t->len >= 190);
}

/* $NAME, ${NAME}, $(command), `command`: where a secret comes from is not the
 * secret. */
static inline bool
is_reference(const struct text *t, size_t i)
{
	char next = get_byte_at(t, i + 1);

	return get_byte_at(t, i) == '`' ||
	       (get_byte_at(t, i) == '$' && (ascii_is_alnum(next) || is_char_in("_{(", next)));
}

/* -- values (redact-value.c) --------------------------------------------------- */

bool value_opens_quote(const struct text *t, size_t i);
/* A quote opens at i, perhaps behind a backslash (JSON inside JSON). */
bool value_quoted(const struct text *t, size_t i, struct hit *hit);
/* A word of a shell, of a URL's query or of an argument list. */
bool value_word(const struct text *t, size_t i, struct hit *hit);
/* Behind a colon or a spaced "=". bare: letters alone can be a secret. */
bool value_loose(const struct text *t, size_t i, const struct redact_shape *shape, bool bare,
	struct hit *hit);
bool value_header(const struct text *t, size_t i, struct hit *hit);
/* user:HERE at hit, which becomes HERE. Not two numbers: ids of user and group. */
bool value_user(const struct text *t, struct hit *hit);

/* -- the rest ------------------------------------------------------------------ */

/* A private key's BEGIN line at i (redact-pem.c). */
bool pem_match(const struct text *t, size_t i, struct hit *hit);
/* Where a hit ends that begins a private key, or has one inside. */
size_t pem_extend(const struct text *t, const struct hit *hit);
/* A name or an option begins at i, with its value (redact-name.c). */
bool name_match(const struct text *t, size_t i, struct hit *hit);
/* Another "; name=VALUE" of a cookie at i, right behind a hit. */
bool cookie_next(const struct text *t, size_t i, struct hit *hit);

#endif
