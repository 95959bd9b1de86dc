/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_TERMINAL_TERMINAL_PRIVATE_H
#define LINE_TERMINAL_TERMINAL_PRIVATE_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "line/terminal/terminal.h"

/* Shared by terminal.c (whose terminal it is, and when), terminal-relay.c
 * (bytes) and terminal-modes.c (what the bytes told the real terminal). */

/* -- modes ------------------------------------------------------------------- */

#define MODES_NUMBERS 16 /* in one sequence; terminals take no more either */
#define BELOW_MAX 9999	 /* all of the screen: the cursor can be anywhere */

struct modes {
	uint32_t changed; /* one bit per row of the table in terminal-modes.c */
	bool keyboard;	  /* asked for a keyboard protocol of its own */
	bool palette;	  /* said what colours look like; for good: they can be put aside */
	bool dumb;	  /* the terminal knows no sequences: it gets none of ours */
	bool aside;	  /* the normal screen is put aside for a question */
	/* The cursor on the normal screen. */
	bool midline;	/* something may stand before it in its line */
	unsigned below; /* lines beneath its own that may have something; at most BELOW_MAX */
	bool home;	/* it went to the first line, and nothing was printed since */
	bool erased;	/* all of the screen; whoever looks for it sets it back */
	/* Where in a sequence the last byte was. */
	int state;
	char prefix;
	bool strange;
	int utf8; /* bytes that the character still needs */
	unsigned char last;
	unsigned numbers[MODES_NUMBERS];
	size_t n;
};

void modes_feed(struct modes *modes, const char *data, size_t len);
/* Between two characters and outside any sequence. */
bool modes_whole(const struct modes *modes);
bool modes_alternate(const struct modes *modes);
/* Sequences that make the terminal an ordinary one, and those that undo it. */
void modes_leave(const struct modes *modes, struct buf *text);
void modes_return(const struct modes *modes, struct buf *text);
/* After modes_leave: beneath everything that the program has drawn. */
void modes_skip_drawn(const struct modes *modes, struct buf *text);

/* -- the terminal ------------------------------------------------------------ */

#define FLOW_SIZE (64 * 1024)

struct flow {
	size_t start;
	size_t len;
	char data[FLOW_SIZE];
};

/* Makes a program draw anew: the size changes and changes back. A program that erases the
 * screen has drawn all of it; others are made to once more. */
enum redraw {
	REDRAW_NONE = 0,
	REDRAW_BACK,	  /* changed; next it changes back */
	REDRAW_AGAIN,	  /* next it changes for the second time */
	REDRAW_LAST_BACK, /* changed for the second time */
};

/* The lock is held for moving bytes, not for waiting (but while the whole job is
 * stopped). While held is set the relay touches nothing: the real terminal
 * belongs to who set it. */
struct terminal {
	pthread_mutex_t lock;
	bool held;
	bool started;
	int real;   /* the real one by a description of our own, non-blocking; -1: gone */
	int master; /* -1: hung up, or the command's side is closed for good */
	int slave;
	int wake;  /* the main thread must look again */
	int timer; /* the next step of a redraw */
	bool two_screens;
	enum redraw redraw;
	int64_t changed; /* when the size did, for a redraw */
	int64_t printed; /* when the command first printed something since; 0: it did not */
	char name[64];
	struct termios before;
	struct modes modes;
	int64_t typed;	    /* when the last key came for the command; 0: none did */
	struct flow keys;   /* to the command */
	struct flow output; /* to the person */
};

/* Copies the real one's size. */
void relay_size(struct terminal *terminal);
/* A program that reads keys one by one draws its own screen, full or not; one that reads
 * lines has nothing to draw. */
bool relay_draws_own_screen(const struct terminal *terminal);
/* Programs that draw their own screen are made to draw it anew; others get no signal. */
void relay_redraw(struct terminal *terminal);
/* Moves the command's output until nothing came for quiet_ms, at most total_ms. */
void relay_drain(struct terminal *terminal, int quiet_ms, int total_ms);
/* Writes out the rest of a sequence or character that was cut in two. */
void relay_complete(struct terminal *terminal);
/* Keys that are on their way were typed to the command: they go there. */
void relay_take_keys(struct terminal *terminal);
/* A few words of our own; given up when the terminal takes nothing. */
void relay_say(struct terminal *terminal, const struct buf *text);
void relay_wake(struct terminal *terminal);

#endif
