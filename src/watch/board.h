/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_BOARD_H
#define WATCH_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ask/tty/dialog.h"
#include "live/live.h"
#include <ambit/record.h>

#include "wrap.h"

/* What there is to be seen: the live sessions, their open questions, the end of the
 * record; and which question is selected. No input or output, no clock. */

#define BOARD_QUESTIONS_MAX 1000 /* of all sessions; what is past it waits unseen */
#define BOARD_TAIL_MAX 256	 /* no screen has more rows */
#define BOARD_UNSEEN INT64_MAX
#define BOARD_NOTE_MS 5000

/* A live session, or rather the one door of it that has this socket. */
struct party {
	uint64_t id;
	char *session, *door, *folder, *what; /* escaped */
	pid_t pid;
	bool asks;
};

struct item {
	uint64_t serial; /* of this question alone, over all parties */
	uint64_t party;
	struct dialog *dialog;
	size_t scroll;
	bool read; /* it was shown to its end, as it is now */
	/* Its text as the last frame had it; made anew when it or the window changes. */
	struct wrapped text;
	size_t text_columns;
	bool text_colour;
};

struct seen_event {
	int64_t time;
	char *session, *kind, *verdict, *subject; /* as stored; NULL: none */
};

struct board {
	struct party *parties;
	size_t n_parties;
	struct item *items; /* in the order they came */
	size_t n_items;
	uint64_t selected; /* serial; 0: none */
	uint64_t serials;
	struct seen_event tail[BOARD_TAIL_MAX];
	size_t n_tail, first;
	char *home; /* shown as ~; may be NULL */
	/* Times are of a clock that never jumps. */
	char note[512];	    /* escaped; "": none */
	int64_t note_until; /* when whoever keeps the time takes it away */
	/* Before that no key answers, and each begins the wait anew; 0: they count. BOARD_UNSEEN
	 * from when another question is selected by itself, until board_seen. */
	int64_t deaf_until;
	int deaf_for;  /* how long no key must come */
	bool answered; /* the last that was selected and went was answered here */
	bool dropped;  /* something that was typed is not taken */
	int64_t typed; /* when something came last */
	bool alone;    /* what came now did not come right behind that */
	/* Of the last frame: */
	size_t page; /* how many lines of the question go on one screen */
	bool blind;  /* too small to show a question */
	bool help;   /* shown instead of the sessions, while nothing waits */
};

void board_finish(struct board *board);

/* -ENOMEM. The entry is copied. */
int board_party_add(struct board *board, uint64_t id, const struct live_entry *entry);
/* And its questions. */
void board_party_remove(struct board *board, uint64_t id);
const struct party *board_party(const struct board *board, uint64_t id);

/* One of the same party and number takes the other's place. -ENOMEM, -E2BIG. */
int board_question_add(struct board *board, uint64_t party, const struct ambit_question *question);
/* NULL: there is none. */
struct item *board_question(const struct board *board, uint64_t party, uint64_t question);
/* False: there was none. */
bool board_question_remove(struct board *board, uint64_t party, uint64_t question);

/* NULL: none. */
struct item *board_selected(const struct board *board);
/* Where it stands in the list, from 1. */
size_t board_position(const struct board *board, const struct item *item);

/* What is selected is on the screen since now: the wait begins. */
void board_seen(struct board *board, int64_t now);
/* True if keys count again, from now on. */
bool board_listen(struct board *board, int64_t now);

void board_event_add(struct board *board, const struct ambit_event *event);
/* The i-th from the end, or NULL. */
const struct seen_event *board_event(const struct board *board, size_t i);

/* Shown for a while. text comes from anywhere. */
void board_note(struct board *board, int64_t now, const char *words, const char *text);

enum board_act {
	BOARD_NOTHING = 0,
	BOARD_DRAW,   /* something changed */
	BOARD_ANSWER, /* the selected question's dialogue has an answer */
	BOARD_REDRAW, /* all of it, anew */
	BOARD_STOP,   /* until the shell goes on with it */
	BOARD_QUIT,
};

/* Takes one chunk as it was read from the terminal. last: see key_read. -EAGAIN: it is not a whole
 * key yet. */
int board_type(struct board *board, const char *chunk, size_t len, bool last, int64_t now);

enum screen_act {
	SCREEN_NEXT = 0,
	SCREEN_PREVIOUS,
	SCREEN_DOWN,
	SCREEN_UP,
	SCREEN_HOME,
	SCREEN_END,
	/* From here on at any time, whatever is on the screen: */
	SCREEN_REDRAW,
	SCREEN_STOP,
	SCREEN_QUIT,
};

/* The keys of the screen. They mean nothing to a dialogue, so that none of them can
 * answer; only ^C would, and says no there. */
struct screen_key {
	int key;
	enum screen_act act;
	const char *name; /* for the last line of the screen; NULL: not said there */
	const char *text;
};
/* Ends in a row without key. */
extern const struct screen_key screen_keys[];

#endif
