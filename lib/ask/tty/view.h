/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_VIEW_H
#define ASK_TTY_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/approve.h>

/* A question as the person at the terminal sees it: which keys it offers now, and at which of its
 * folders, or patterns of a host, it stands. */

enum key_act {
	KEY_ANSWER = 0, /* gives the choice of its kind */
	KEY_ALWAYS,	/* goes on to the line that chooses how wide */
	KEY_MESSAGE,	/* no, after a line of text */
	KEY_STOP,	/* no, and the run ends */
	KEY_WIDER,
	KEY_NARROWER,
	KEY_MORE,
};

struct key {
	char key;
	enum key_act act;
	enum ambit_answer_kind kind;
	bool more;	  /* counts only after '?', which shows it */
	const char *text; /* NULL: the choice's own words */
};

struct view {
	const struct ambit_question *question; /* borrowed */
	size_t folder; /* index of the FOLDER choice at hand; n_choices: none */
	bool more;     /* '?' was pressed */
};

void view_init(struct view *view, const struct ambit_question *question);

/* The i-th key of those on offer now, or NULL; and the one for c, or NULL. */
const struct key *view_key_at(const struct view *view, size_t i);
const struct key *view_key_find(const struct view *view, char c);

/* The choice that the key stands for, or NULL. */
const struct ambit_choice *view_choice(const struct view *view, const struct key *key);

/* The choices of s (exactly this) and d (the folder at hand) in the line that chooses the width
 * of "always"; NULL: not offered. */
const struct ambit_choice *view_always(const struct view *view, bool folder);

/* Whether it is about a host, of which what is wider is a pattern. */
bool view_has_patterns(const struct view *view);

/* To the next wider or narrower folder; false if there is none. */
bool view_step(struct view *view, bool wider);

#endif
