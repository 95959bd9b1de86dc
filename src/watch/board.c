/* SPDX-License-Identifier: Apache-2.0 */
/* What came from the live sessions and the record, kept for the screen. All of it is
 * from elsewhere, and is shown through row.c only. The selection is the person's: it
 * moves by a key, or when what was selected is gone. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

#include "ask/tty/dialog.h"
#include "base/own.h"
#include "base/str.h"
#include "live/live.h"

#define NAME_MOST 256	  /* bytes */
#define SUBJECT_MOST 2048 /* likewise */

/* -- parties ---------------------------------------------------------------- */

static void
party_finish(struct party *party)
{
	free(party->session);
	free(party->door);
	free(party->folder);
	free(party->what);
}

const struct party *
board_party(const struct board *board, uint64_t id)
{
	for (size_t i = 0; i < board->n_parties; i++)
		if (board->parties[i].id == id)
			return &board->parties[i];
	return NULL;
}

/* As the person writes it. */
static char *
shorten_folder(const struct board *board, const char *folder)
{
	auto_free char *escaped = str_escape(folder, strlen(folder));
	auto_free char *safe = escaped != NULL ? str_show(escaped) : NULL;
	size_t n = board->home != NULL ? strlen(board->home) : 0;

	if (safe != NULL && n > 1 && str_beneath(safe, board->home))
		return str_printf("~%s", safe + n);
	return steal_ptr(&safe);
}

/* Escaped, and not longer than anybody reads. */
static char *
escape_name(const char *text)
{
	auto_free char *begin = strndup(text != NULL ? text : "?", NAME_MOST);

	return begin != NULL ? str_show(begin) : NULL;
}

int
board_party_add(struct board *board, uint64_t id, const struct live_entry *entry)
{
	struct party party = {
		.id = id,
		.session = escape_name(entry->session),
		.door = escape_name(entry->door),
		.folder = shorten_folder(board, entry->folder != NULL ? entry->folder : "?"),
		.what = escape_name(entry->what),
		.pid = entry->pid,
		.asks = entry->asks,
	};
	struct party *more = realloc(board->parties, (board->n_parties + 1) * sizeof(*more));

	if (more != NULL)
		board->parties = more;
	if (more == NULL || party.session == NULL || party.door == NULL || party.folder == NULL ||
		party.what == NULL) {
		party_finish(&party);
		return -ENOMEM;
	}
	board->parties[board->n_parties++] = party;
	return 0;
}

/* -- questions -------------------------------------------------------------- */

struct item *
board_selected(const struct board *board)
{
	for (size_t i = 0; i < board->n_items; i++)
		if (board->items[i].serial == board->selected)
			return &board->items[i];
	return NULL;
}

size_t
board_position(const struct board *board, const struct item *item)
{
	return (size_t)(item - board->items) + 1;
}

struct item *
board_question(const struct board *board, uint64_t party, uint64_t question)
{
	for (size_t i = 0; i < board->n_items; i++)
		if (board->items[i].party == party &&
			dialog_question(board->items[i].dialog)->id == question)
			return &board->items[i];
	return NULL;
}

/* -- when keys count -------------------------------------------------------- */

/* What stands on the screen is another now, and whoever types does not know. The one who
 * asks may choose the moment: it withdraws one question in the middle of a line of text,
 * or between the two keys of a rule, and puts the next, for which the rest would be keys.
 * So not a time is waited for, but a pause; a short one never takes the place of a long
 * one that is still waited for. */
static void
start_key_pause(struct board *board, bool midway)
{
	if (midway)
		board->deaf_for = DIALOG_PAUSE_MS;
	else if (board->deaf_until == 0)
		board->deaf_for = board->answered ? DIALOG_NEXT_MS : DIALOG_REST_MS;
	board->dropped |= midway;
	board->deaf_until = BOARD_UNSEEN;
}

void
board_seen(struct board *board, int64_t now)
{
	if (board->deaf_until == BOARD_UNSEEN)
		board->deaf_until = now + board->deaf_for;
}

bool
board_listen(struct board *board, int64_t now)
{
	char said[sizeof(board->note)];

	if (board->deaf_until == 0 || now < board->deaf_until)
		return false;
	board->deaf_until = 0;
	memcpy(said, board->note, sizeof(said)); /* why, as a rule: it was withdrawn */
	if (board->dropped)
		board_note(board, now, "what you typed was dropped, nothing answered. ", said);
	board->dropped = false;
	return true;
}

/* -- which one is selected -------------------------------------------------- */

static bool
is_midway(const struct item *item)
{
	enum dialog_state state = dialog_state(item->dialog);

	return state == DIALOG_TYPING || state == DIALOG_WIDTH;
}

/* The selection goes to the one that stood behind it, else before it. */
static void
remove_board_item(struct board *board, size_t i)
{
	bool selected = board->items[i].serial == board->selected;
	bool midway = is_midway(&board->items[i]);
	bool answered = dialog_state(board->items[i].dialog) == DIALOG_ANSWERED;

	dialog_destroy(board->items[i].dialog);
	wrapped_finish(&board->items[i].text);
	board->n_items--;
	memmove(&board->items[i], &board->items[i + 1],
		(board->n_items - i) * sizeof(board->items[0]));
	if (!selected)
		return;
	if (i == board->n_items && i > 0)
		i--;
	board->selected = board->n_items > 0 ? board->items[i].serial : 0;
	board->answered = answered;
	start_key_pause(board, midway);
}

bool
board_question_remove(struct board *board, uint64_t party, uint64_t question)
{
	struct item *item = board_question(board, party, question);

	if (item == NULL)
		return false;
	remove_board_item(board, board_position(board, item) - 1);
	return true;
}

int
board_question_add(struct board *board, uint64_t party, const struct ambit_question *question)
{
	struct item item = { .party = party, .serial = board->serials + 1 };
	struct item *more;

	board_question_remove(board, party, question->id);
	if (board->n_items == BOARD_QUESTIONS_MAX)
		return -E2BIG;
	more = realloc(board->items, (board->n_items + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	board->items = more;
	if (dialog_create(question, &item.dialog, NULL) < 0)
		return -ENOMEM;
	board->items[board->n_items++] = item;
	board->serials++;
	if (board->selected == 0) {
		board->selected = item.serial;
		start_key_pause(board, false);
	}
	return 0;
}

void
board_party_remove(struct board *board, uint64_t id)
{
	for (size_t i = board->n_items; i-- > 0;)
		if (board->items[i].party == id)
			remove_board_item(board, i);
	for (size_t i = 0; i < board->n_parties; i++)
		if (board->parties[i].id == id) {
			party_finish(&board->parties[i]);
			board->n_parties--;
			memmove(&board->parties[i], &board->parties[i + 1],
				(board->n_parties - i) * sizeof(board->parties[0]));
			return;
		}
}

/* -- the record ------------------------------------------------------------- */

static void
event_finish(struct seen_event *event)
{
	free(event->session);
	free(event->kind);
	free(event->verdict);
	free(event->subject);
}

/* What a row shows of it. */
static char *
begin_of(const char *text)
{
	return text != NULL ? strndup(text, SUBJECT_MOST) : NULL;
}

/* One that is lost for want of memory is in the record still. */
void
board_event_add(struct board *board, const struct ambit_event *event)
{
	size_t at = (board->first + board->n_tail) % BOARD_TAIL_MAX;

	if (board->n_tail == BOARD_TAIL_MAX) {
		event_finish(&board->tail[at]);
		board->first = (board->first + 1) % BOARD_TAIL_MAX;
	} else {
		board->n_tail++;
	}
	board->tail[at] = (struct seen_event){
		.time = event->time,
		.session = begin_of(event->session),
		.kind = begin_of(event->kind),
		.verdict = begin_of(event->verdict),
		.subject = begin_of(event->subject),
	};
}

const struct seen_event *
board_event(const struct board *board, size_t i)
{
	if (i >= board->n_tail)
		return NULL;
	return &board->tail[(board->first + board->n_tail - 1 - i) % BOARD_TAIL_MAX];
}

void
board_note(struct board *board, int64_t now, const char *words, const char *text)
{
	auto_free char *begin = strndup(text, sizeof(board->note));
	auto_free char *safe = begin != NULL ? str_show(begin) : NULL;

	snprintf(board->note, sizeof(board->note), "%s%s", words, safe != NULL ? safe : "");
	/* Not in the middle of a character. */
	board->note[str_cut(board->note, strlen(board->note), sizeof(board->note) - 8)] = '\0';
	board->note_until = now + BOARD_NOTE_MS;
}

void
board_finish(struct board *board)
{
	while (board->n_items > 0)
		remove_board_item(board, 0);
	while (board->n_parties > 0)
		board_party_remove(board, board->parties[0].id);
	for (size_t i = 0; i < board->n_tail; i++)
		event_finish(&board->tail[(board->first + i) % BOARD_TAIL_MAX]);
	free(board->items);
	free(board->parties);
	free(board->home);
	*board = (struct board){ 0 };
}
