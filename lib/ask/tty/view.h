/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_VIEW_H
#define ASK_TTY_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/approve.h>

#include "request/answers.h"

/* A question as the person at the terminal sees it: which keys it offers,
 * and at which of its folders it stands. */

enum key_act {
	KEY_ANSWER = 0, /* gives the choice of its kind */
	KEY_MESSAGE,	/* the same, after a line of text */
	KEY_WIDER,
	KEY_NARROWER,
	KEY_EXPLAIN,
};

enum key_when {
	WHEN_ANY = 0,
	WHEN_FOLDERS, /* the question has folders to choose from: it is about a path */
	WHEN_NONE,    /* it has none: about a call, a host, a single file */
};

struct key {
	enum key_act act;
	enum ambit_answer_kind kind;
	enum key_when when;
	const struct answer_row *shown;
};

struct view {
	const struct ambit_question *question; /* borrowed */
	size_t folder; /* index of the FOLDER choice at hand; n_choices: none */
};

void view_init(struct view *view, const struct ambit_question *question);

/* The i-th key of those on offer now, or NULL; and the one for c, or NULL. */
const struct key *view_key_at(const struct view *view, size_t i);
const struct key *view_key_find(const struct view *view, char c);

/* What the key gives, ALWAYS for the folder at hand; NULL if it gives none. */
const struct ambit_choice *view_choice(const struct view *view, const struct key *key);

/* To the next wider or narrower folder; false if there is none. */
bool view_step(struct view *view, bool wider);

#endif
