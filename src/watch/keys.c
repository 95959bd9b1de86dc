/* SPDX-License-Identifier: Apache-2.0 */
/* Keys into what they do: the screen's own, which never answer, then those of the
 * dialogue about the selected question. A key answers only what stands on the screen:
 * none does while a question is new there, nor before whoever typed has paused, and none
 * says yes to one whose end was not shown yet. */

#include <errno.h>

#include "board.h"
#include "ask/tty/dialog.h"

#define CTRL(c) ((c)&0x1f)

const struct screen_key screen_keys[] = {
	{ .key = 'q', .act = SCREEN_QUIT, .name = "q", .text = "quit" },
	{ .key = 'j', .act = SCREEN_NEXT, .name = "j k Tab", .text = "select" },
	{ .key = 'k', .act = SCREEN_PREVIOUS },
	{ .key = '\t', .act = SCREEN_NEXT },
	{ .key = DIALOG_KEY_BACK_TAB, .act = SCREEN_PREVIOUS },
	{ .key = ' ', .act = SCREEN_DOWN, .name = "Space b", .text = "scroll" },
	{ .key = 'b', .act = SCREEN_UP },
	{ .key = DIALOG_KEY_PAGE_DOWN, .act = SCREEN_DOWN },
	{ .key = DIALOG_KEY_PAGE_UP, .act = SCREEN_UP },
	{ .key = DIALOG_KEY_HOME, .act = SCREEN_HOME },
	{ .key = DIALOG_KEY_END, .act = SCREEN_END },
	{ .key = CTRL('L'), .act = SCREEN_REDRAW },
	{ .key = CTRL('Z'), .act = SCREEN_STOP },
	{ .key = CTRL('C'), .act = SCREEN_QUIT },
	{ .key = 0 },
};

static const struct screen_key *
find_screen_key(int key)
{
	for (const struct screen_key *row = screen_keys; row->key != 0; row++)
		if (row->key == key)
			return row;
	return NULL;
}

static void
move_selection(struct board *board, bool next)
{
	const struct item *item = board_selected(board);
	size_t n = board->n_items, at;

	if (item == NULL)
		return;
	at = board_position(board, item) - 1;
	at = (next ? at + 1 : at + n - 1) % n;
	board->selected = board->items[at].serial;
}

/* The frame brings it back to where the text ends. */
static void
scroll_question(struct board *board, enum screen_act act)
{
	struct item *item = board_selected(board);
	size_t page = board->page > 0 ? board->page : 1;

	if (item == NULL)
		return;
	if (act == SCREEN_DOWN)
		item->scroll += page;
	else if (act == SCREEN_UP)
		item->scroll -= item->scroll < page ? item->scroll : page;
	else
		item->scroll = act == SCREEN_HOME ? 0 : SIZE_MAX / 2;
}

static enum board_act
perform_screen_act(struct board *board, enum screen_act act)
{
	switch (act) {
	case SCREEN_NEXT:
	case SCREEN_PREVIOUS:
		move_selection(board, act == SCREEN_NEXT);
		return BOARD_DRAW;
	case SCREEN_DOWN:
	case SCREEN_UP:
	case SCREEN_HOME:
	case SCREEN_END:
		scroll_question(board, act);
		return BOARD_DRAW;
	case SCREEN_REDRAW:
		return BOARD_REDRAW;
	case SCREEN_STOP:
		return BOARD_STOP;
	case SCREEN_QUIT:
		return BOARD_QUIT;
	}
	return BOARD_NOTHING;
}

static enum board_act
press_dialog_key(struct board *board, struct item *item, int key, int64_t now)
{
	int r;

	if (!item->read && dialog_is_yes(item->dialog, key)) {
		board_note(board, now, "not read to its end yet: Space shows more", "");
		return BOARD_DRAW;
	}
	/* The end of a paste, or of what the terminal itself says. */
	if (!board->alone && dialog_is_yes(item->dialog, key))
		key = DIALOG_KEY_NONE;
	r = dialog_key(item->dialog, key);
	if (r < 0)
		board_note(board, now, "that folder's name is too long to be answered", "");
	else if (r == 0)
		board_note(board, now, "no such key here; ? explains those that there are", "");
	if (r <= 0)
		return BOARD_DRAW;
	item->read = false;
	item->scroll = 0;
	wrapped_finish(&item->text);
	return dialog_answer(item->dialog) != NULL ? BOARD_ANSWER : BOARD_DRAW;
}

/* What ends or stops the screen at any time. Letters may be those of a line of text. */
static const struct screen_key *
find_control(char c)
{
	const struct screen_key *row = find_screen_key(c < ' ' ? c : 0);

	return row != NULL && row->act >= SCREEN_REDRAW ? row : NULL;
}

/* Letters are letters here. */
static enum board_act
type_dialog_text(struct board *board, struct item *item, const char *chunk, size_t len)
{
	const struct screen_key *row = find_control(chunk[0]);

	if (row != NULL)
		return perform_screen_act(board, row->act);
	dialog_type(item->dialog, chunk, len);
	wrapped_finish(&item->text);
	return dialog_answer(item->dialog) != NULL ? BOARD_ANSWER : BOARD_DRAW;
}

/* Nobody says how long it takes to look up from the keys: it is over when they rest. */
static enum board_act
drop_typed_keys(struct board *board, const char *chunk, size_t len, int64_t now)
{
	const struct screen_key *row = len == 1 ? find_control(chunk[0]) : NULL;

	if (row != NULL)
		return perform_screen_act(board, row->act);
	board->dropped = true;
	if (board->deaf_until != BOARD_UNSEEN)
		board->deaf_until = now + board->deaf_for;
	return BOARD_DRAW;
}

/* A key that is held down comes in a lump; what only moves may be repeated so. */
static size_t
count_repeats(const char *chunk, size_t len)
{
	const struct screen_key *row = find_screen_key(chunk[0]);

	if (row == NULL || row->act >= SCREEN_HOME)
		return 1;
	for (size_t i = 1; i < len; i++)
		if (chunk[i] != chunk[0])
			return 1;
	return len;
}

int
board_type(struct board *board, const char *chunk, size_t len, bool last, int64_t now)
{
	size_t times = count_repeats(chunk, len);
	int key = key_read(chunk, times > 1 ? 1 : len, last);
	struct item *item = board_selected(board);
	const struct screen_key *row;
	enum board_act act = BOARD_NOTHING;

	if (key == DIALOG_KEY_MORE)
		return -EAGAIN;
	board->alone = board->typed == 0 || now - board->typed >= DIALOG_KEY_ALONE_MS;
	board->typed = now;
	if (now < board->deaf_until)
		return drop_typed_keys(board, chunk, len, now);
	row = find_screen_key(key);
	if (board->blind)
		return row != NULL && row->act >= SCREEN_REDRAW
			       ? perform_screen_act(board, row->act)
			       : BOARD_NOTHING;
	if (item != NULL && dialog_state(item->dialog) == DIALOG_TYPING)
		return type_dialog_text(board, item, chunk, len);
	if (item == NULL && key == '?') {
		board->help = !board->help;
		return BOARD_DRAW;
	}
	if (row == NULL)
		return item != NULL ? press_dialog_key(board, item, key, now) : BOARD_NOTHING;
	while (times-- > 0)
		act = perform_screen_act(board, row->act);
	return act;
}
