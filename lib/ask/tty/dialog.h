/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_DIALOG_H
#define ASK_TTY_DIALOG_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/approve.h>

/* The dialogue about one question, without a terminal: keys go in, lines to show
 * and at last an answer come out. For whoever has a screen of his own; the prompt
 * on a terminal (approver_on_tty) is the same dialogue. A key can only say what
 * the question offers, and one that is not understood says nothing. */

/* A key is a byte from 0x01 to 0x7e, or one of these. */
enum key_code {
	DIALOG_KEY_NONE = 0x100, /* no single key: a paste, one that means nothing */
	DIALOG_KEY_MORE,	 /* the beginning of an escape sequence */
	DIALOG_KEY_ENTER,
	DIALOG_KEY_ESC,
	DIALOG_KEY_UP,
	DIALOG_KEY_DOWN,
	DIALOG_KEY_PAGE_UP,
	DIALOG_KEY_PAGE_DOWN,
	DIALOG_KEY_HOME,
	DIALOG_KEY_END,
	DIALOG_KEY_BACK_TAB,
};

/* What was read from a terminal at once, as one key: more than one is none. last:
 * nothing came behind it for a while, so that it is not MORE. len is not 0. */
int key_read(const char *chunk, size_t len, bool last);

/* Two keys of a person's are further apart than so many milliseconds, two of a paste or of
 * what a terminal says are not: a yes that comes sooner behind anything is none. */
#define DIALOG_KEY_ALONE_MS 40

/* A key answers only what was read. So keys count when the question has stood for so long and
 * nothing was typed meanwhile; what was is dropped, and the person is told. */
#define DIALOG_REST_MS 500   /* nobody has read it and meant it in less */
#define DIALOG_NEXT_MS 300   /* the same right after an answer: the person looks here */
#define DIALOG_PAUSE_MS 1000 /* nobody in the middle of a word rests for so long */

enum dialog_state {
	DIALOG_ASKING = 0,
	DIALOG_WIDTH,  /* always, but how wide: a second key */
	DIALOG_TYPING, /* a line of text: dialog_type, not _key */
	DIALOG_ANSWERED,
};

struct dialog;

/* Copies the question. -ENOMEM. */
int dialog_create(
	const struct ambit_question *question, struct dialog **ret_dialog, struct ambit_error *err);
void dialog_destroy(struct dialog *dialog);

const struct ambit_question *dialog_question(const struct dialog *dialog);
enum dialog_state dialog_state(const struct dialog *dialog);

/* 1: something changed; 0: the key says nothing here. Enter, Esc, ^C and ^D are a
 * no. -ENAMETOOLONG: that folder cannot be answered; count it as a no. */
int dialog_key(struct dialog *dialog, int key);

/* True if the key, pressed now, is a yes or the first half of one. */
bool dialog_is_yes(const struct dialog *dialog, int key);

/* Bytes of the line of text, as they are read: printable UTF-8 is taken, Enter ends
 * it; Esc, ^C and ^D give it up, which is a no without words. */
void dialog_type(struct dialog *dialog, const char *bytes, size_t n);

/* NULL before it is ANSWERED; and what that answer stores, escaped, "" if nothing. */
const struct ambit_answer *dialog_answer(const struct dialog *dialog);
const char *dialog_stores(const struct dialog *dialog);

/* What to show in its present state: lines that end in "\n", of less than width columns
 * where that is 40 or more, the keys last. Everything is escaped, and nothing cut but the middle of
 * a path. With colour, escape sequences for bold and red, each in force until the next.
 * Caller frees; NULL without memory. */
char *dialog_text(const struct dialog *dialog, size_t width, bool colour);

#endif
