/* SPDX-License-Identifier: Apache-2.0 */
/* Text from whoever into a form in which a list of phrases can be looked for. Not
 * trusted at all: it may have been written so as not to be found. */

#include "ask/judge/phrase.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"

static bool
is_word(char c)
{
	return ascii_is_lower(c) || ascii_is_digit(c);
}

char *
phrase_fold(const char *text)
{
	struct buf out = { 0 };
	bool gap = true;

	for (; *text; text++) {
		char c = str_lower(*text);

		if (c == '\'')
			continue;
		if (is_word(c) && gap)
			buf_putc(&out, ' ');
		gap = !is_word(c);
		if (!gap)
			buf_putc(&out, c);
	}
	buf_putc(&out, ' ');
	return buf_take(&out);
}

static bool
contains_phrase(const char *folded, const char *phrase)
{
	size_t len = strlen(phrase);
	bool open = phrase[len - 1] == '*';
	const char *at = folded;

	len -= open;
	/* A blank before it is a beginning, one behind it an end. */
	while ((at = strchr(at, ' ')) != NULL) {
		at++;
		if (strncmp(at, phrase, len) == 0 && (open || at[len] == ' '))
			return true;
	}
	return false;
}

const char *
phrase_find(const char *folded, const char *const *list)
{
	for (; *list; list++)
		if (contains_phrase(folded, *list))
			return *list;
	return NULL;
}

bool
phrase_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}
