/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_DIALOG_H
#define AMBIT_DIALOG_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/approve.h>

/* The dialogue about one question, without a terminal: keys go in, lines to show
 * and at last an answer come out. For whoever has a screen of his own; the prompt
 * on a terminal (ambit_approver_tty) is the same dialogue. A key can only say what
 * the question offers, and one that is not understood says nothing. */

/* A key is a byte from 0x01 to 0x7e, or one of these. */
enum ambit_key {
	AMBIT_KEY_NONE = 0x100, /* no single key: a paste, one that means nothing */
	AMBIT_KEY_MORE,		/* the beginning of an escape sequence */
	AMBIT_KEY_ENTER,
	AMBIT_KEY_ESC,
	AMBIT_KEY_UP,
	AMBIT_KEY_DOWN,
	AMBIT_KEY_PAGE_UP,
	AMBIT_KEY_PAGE_DOWN,
	AMBIT_KEY_HOME,
	AMBIT_KEY_END,
	AMBIT_KEY_BACK_TAB,
};

/* What was read from a terminal at once, as one key: more than one is none. last:
 * nothing came behind it for a while, so that it is not MORE. len is not 0. */
int ambit_key_read(const char *chunk, size_t len, bool last);

/* Two keys of a person's are further apart than so many milliseconds, two of a paste or of
 * what a terminal says are not: a yes that comes sooner behind anything is none. */
#define AMBIT_KEY_ALONE_MS 40

enum ambit_dialog_state {
	AMBIT_DIALOG_ASKING = 0,
	AMBIT_DIALOG_CONFIRMING, /* the rule is shown in full: a second key */
	AMBIT_DIALOG_TYPING,	 /* a line of text: ambit_dialog_type, not _key */
	AMBIT_DIALOG_ANSWERED,
};

struct ambit_dialog;

/* Copies the question. -ENOMEM. */
int ambit_dialog_create(const struct ambit_question *question, struct ambit_dialog **ret_dialog,
	struct ambit_error *err);
void ambit_dialog_destroy(struct ambit_dialog *dialog);

const struct ambit_question *ambit_dialog_question(const struct ambit_dialog *dialog);
enum ambit_dialog_state ambit_dialog_state(const struct ambit_dialog *dialog);

/* 1: something changed; 0: the key says nothing here. Enter, Esc, ^C and ^D are a
 * no. -ENAMETOOLONG: that folder cannot be answered; count it as a no. */
int ambit_dialog_key(struct ambit_dialog *dialog, int key);

/* True if the key, pressed now, is a yes or the first half of one. */
bool ambit_dialog_is_yes(const struct ambit_dialog *dialog, int key);

/* Bytes of the line of text, as they are read: printable UTF-8 is taken, Enter ends
 * it; Esc, ^C and ^D give it up, which is a no without words. */
void ambit_dialog_type(struct ambit_dialog *dialog, const char *bytes, size_t n);

/* NULL before it is ANSWERED; and what that answer stores, escaped, "" if nothing. */
const struct ambit_answer *ambit_dialog_answer(const struct ambit_dialog *dialog);
const char *ambit_dialog_stores(const struct ambit_dialog *dialog);

/* What to show in its present state: lines that end in "\n", of less than width columns
 * where that is 40 or more, the keys last. Everything is escaped and nothing cut. With
 * colour, escape sequences for bold, dim and yellow, each in force until the next.
 * Caller frees; NULL without memory. */
char *ambit_dialog_text(const struct ambit_dialog *dialog, size_t width, bool colour);

#endif
