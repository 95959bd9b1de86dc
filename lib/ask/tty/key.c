/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a terminal into keys. They come from the person, but also from pastes
 * and from the terminal itself, whose reports can end in a letter that is one of our
 * keys: what is not clearly one key is none. */

#include <string.h>

#include "ask/tty/dialog.h"
#include "ask/tty/key.h"

static const struct {
	const char *text; /* behind Esc */
	enum key_code key;
} sequences[] = {
	{ "[A", DIALOG_KEY_UP },
	{ "OA", DIALOG_KEY_UP },
	{ "[B", DIALOG_KEY_DOWN },
	{ "OB", DIALOG_KEY_DOWN },
	{ "[5~", DIALOG_KEY_PAGE_UP },
	{ "[6~", DIALOG_KEY_PAGE_DOWN },
	{ "[H", DIALOG_KEY_HOME },
	{ "OH", DIALOG_KEY_HOME },
	{ "[1~", DIALOG_KEY_HOME },
	{ "[F", DIALOG_KEY_END },
	{ "OF", DIALOG_KEY_END },
	{ "[4~", DIALOG_KEY_END },
	{ "[Z", DIALOG_KEY_BACK_TAB },
};

/* Read to its end also where it means nothing here. */
size_t
key_sequence(const char *text, size_t len)
{
	if (len < 2)
		return 0;
	if (text[1] == 'O')
		return len < 3 ? 0 : 3;
	if (text[1] != '[')
		return 1;
	for (size_t i = 2; i < len; i++)
		if (text[i] >= 0x40 && text[i] < 0x7f)
			return i + 1;
	return 0;
}

/* Esc alone, or before anything that is no sequence, is the key Esc. */
static int
read_escape(const char *text, size_t len, bool last)
{
	size_t n = key_sequence(text, len);

	if (n == 0 && !last)
		return DIALOG_KEY_MORE;
	if (len == 1 || n == 1)
		return DIALOG_KEY_ESC;
	for (size_t i = 0; n == len && i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (strlen(sequences[i].text) == len - 1 &&
			memcmp(sequences[i].text, text + 1, len - 1) == 0)
			return (int)sequences[i].key;
	return DIALOG_KEY_NONE;
}

int
key_read(const char *chunk, size_t len, bool last)
{
	unsigned char c = (unsigned char)chunk[0];

	/* What says no says it also in a lump. */
	if (c == '\r' || c == '\n')
		return DIALOG_KEY_ENTER;
	if (c == KEY_CTRL_C || c == KEY_CTRL_D)
		return c;
	if (c == KEY_ESC)
		return read_escape(chunk, len, last);
	/* Some send Enter behind a key; more than that is no key press. */
	if (len > 1 && !(len == 2 && (chunk[1] == '\r' || chunk[1] == '\n')))
		return DIALOG_KEY_NONE;
	return c > 0 && c < 0x7f ? c : DIALOG_KEY_NONE;
}
