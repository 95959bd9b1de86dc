/* SPDX-License-Identifier: Apache-2.0 */
/* The board into rows of text for a terminal of a given size. What it shows comes from
 * everywhere and goes through row.c; a question's text is the dialogue's, escaped there.
 * Of a question nothing is ever cut: what does not fit is scrolled to, and said to be
 * there. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame.h"
#include "watch-layout.h"
#include "row.h"
#include "wrap.h"

#include "ask/tty/dialog.h"
#include "base/own.h"
#include "base/str.h"

#define SESSION_WIDTH 16
#define WHO_WIDTH 20
#define HELP_ROWS 10 /* at most: a small window shows the first of them */

struct page {
	const struct board *board;
	struct frame *frame;
	struct row row; /* the one that is being made */
	size_t rows;
	struct wrapped head; /* the question's first lines, the rest is the item's */
	struct item *item;
	struct layout layout;
	int64_t now;
	bool deaf;
	bool failed;
};

static void
end_row(struct page *page)
{
	char *text = row_take(&page->row);

	if (text == NULL)
		page->failed = true;
	else if (page->frame->n < page->rows)
		page->frame->rows[page->frame->n++] = text;
	else
		free(text);
}

static void
add_separator_row(struct page *page, const char *name)
{
	row_style(&page->row, ROW_DIM);
	row_printf(&page->row, "-- %s ", name);
	row_fill(&page->row, '-');
	end_row(page);
}

static void
append_count(struct row *row, size_t n, const char *what)
{
	if (n == 0)
		row_printf(row, "no %ss", what);
	else
		row_printf(row, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void
add_title_row(struct page *page)
{
	row_style(&page->row, ROW_REVERSE);
	row_puts(&page->row, " ambit watch   ");
	append_count(&page->row, page->board->n_parties, "session");
	row_puts(&page->row, "   ");
	append_count(&page->row, page->board->n_items, "question");
	if (page->row.colour)
		row_fill(&page->row, ' ');
	end_row(page);
}

/* -- the question ----------------------------------------------------------- */

/* Whose question this is, and until when. */
static char *
make_question_head(const struct page *page)
{
	const struct item *item = page->item;
	const struct party *party = board_party(page->board, item->party);
	int64_t expires = dialog_question(item->dialog)->expires;
	auto_buf struct buf text = { 0 };

	if (page->row.colour)
		buf_puts(&text, ROW_BOLD);
	if (page->board->n_items > 1)
		buf_printf(&text, "%zu of %zu  ", board_position(page->board, item),
			page->board->n_items);
	if (expires != 0)
		buf_printf(&text, "%llds left  ",
			(long long)(expires > page->now ? (expires - page->now + 999) / 1000 : 0));
	if (party != NULL)
		buf_printf(&text, "%s  %s (pid %ld)  %s", party->session, party->door,
			(long)party->pid, party->folder);
	if (page->row.colour)
		buf_puts(&text, ROW_PLAIN);
	buf_putc(&text, '\n');
	return buf_take(&text);
}

static int
read_text(struct page *page, struct item *item)
{
	auto_free char *text = NULL;

	if (item->text.n > 0 && item->text_columns == page->row.columns &&
		item->text_colour == page->row.colour)
		return 0;
	wrapped_finish(&item->text);
	item->text_columns = page->row.columns;
	item->text_colour = page->row.colour;
	text = dialog_text(item->dialog, page->row.columns + 1, page->row.colour);
	return text != NULL ? wrap_text(&item->text, text, page->row.columns) : -ENOMEM;
}

static int
read_question(struct page *page)
{
	auto_free char *above = NULL;

	if (page->item == NULL)
		return 0;
	above = make_question_head(page);
	if (above == NULL || wrap_text(&page->head, above, page->row.columns) < 0)
		return -ENOMEM;
	return read_text(page, page->item);
}

static const char *
get_page_line(const struct page *page, size_t i)
{
	return i < page->head.n ? page->head.lines[i] : page->item->text.lines[i - page->head.n];
}

/* As many lines as there is room for; where more follow, the last says so. */
static void
add_question_rows(struct page *page)
{
	size_t n = page->head.n + page->item->text.n, room = page->layout.question;
	size_t most = n > room ? n - room : 0, from = page->item->scroll;
	bool more;

	if (from > most || dialog_state(page->item->dialog) == DIALOG_TYPING)
		from = most;
	more = from < most;
	for (size_t i = 0; i < room - more; i++) {
		buf_puts(&page->row.text, get_page_line(page, from + i));
		end_row(page);
	}
	if (more) {
		row_style(&page->row, ROW_REVERSE);
		row_printf(&page->row, " %zu more lines: Space ", n - from - (room - 1));
		end_row(page);
	}
	page->frame->scroll = from;
	page->frame->page = room > 1 ? room - 1 : 1;
	page->frame->whole = !more;
}

/* -- without one ------------------------------------------------------------ */

static void
add_session_rows(struct page *page)
{
	const struct board *board = page->board;
	struct row *row = &page->row;

	row_puts(row,
		board->n_parties > 0
			? "Nothing waits for an answer."
			: "No live session. One that starts appears here: ambit run, mcp, serve.");
	end_row(page);
	for (size_t i = 0; i < board->n_parties && i + 1 < page->layout.question; i++) {
		const struct party *party = &board->parties[i];
		auto_free char *who = str_printf("%s (pid %ld)", party->door, (long)party->pid);

		row_puts(row, "  ");
		row_cell_end(row, party->session, SESSION_WIDTH);
		row_cell(row, who != NULL ? who : "", WHO_WIDTH);
		row_printf(row, "%s%s  %s", party->folder,
			party->asks ? "" : "  (asks by its own --ask)", party->what);
		end_row(page);
	}
}

/* Every key of the screen, and the answers' in few words. */
static void
add_help_rows(struct page *page)
{
	struct row *row = &page->row;

	row_puts(row, "Questions of all live sessions appear here. Their keys:");
	end_row(page);
	row_puts(row, "  y the narrowest yes   s exactly this, this session   d the folder");
	end_row(page);
	row_puts(row, "  a always, and how wide   n Enter no   ? more about it");
	end_row(page);
	row_puts(row, "Keys of the screen:");
	end_row(page);
	for (const struct screen_key *key = screen_keys; key->key != 0; key++)
		if (key->name != NULL) {
			row_printf(row, "  %s %s", key->name, key->text);
			end_row(page);
		}
}

/* -- the lists -------------------------------------------------------------- */

/* A tool call has no program; then it is the door. */
static const char *
who_asks(const struct ambit_question *question, const struct party *party)
{
	if (question->who != NULL && question->who[0] != '\0')
		return question->who;
	return party != NULL ? party->door : "";
}

/* Without a copy: a call may have megabytes of arguments, and a row takes the first few. */
static void
show_title(struct row *row, const struct ambit_question *question)
{
	bool brief = question->object != NULL && question->object[0] != '\0';

	if (brief && question->act != NULL && question->act[0] != '\0') {
		row_show(row, question->act);
		row_puts(row, " ");
	}
	row_show(row, brief ? question->object : question->what != NULL ? question->what : "");
}

static void
add_waiting_rows(struct page *page)
{
	const struct board *board = page->board;
	size_t room = page->layout.list - 1, from = 0;
	size_t at = board_position(board, page->item) - 1;

	if (at >= room)
		from = at - room + 1;
	add_separator_row(page, "waiting");
	for (size_t i = from; i < board->n_items && i < from + room; i++) {
		const struct item *item = &board->items[i];
		const struct ambit_question *asked = dialog_question(item->dialog);
		const struct party *party = board_party(board, item->party);

		if (i == at)
			row_style(&page->row, ROW_BOLD);
		row_puts(&page->row, i == at ? "> " : "  ");
		row_cell_end(&page->row, party != NULL ? party->session : "?", SESSION_WIDTH);
		row_cell(&page->row, who_asks(asked, party), WHO_WIDTH);
		show_title(&page->row, asked);
		end_row(page);
	}
}

static const char *
verdict_style(const char *verdict)
{
	if (streq(verdict, "deny"))
		return ROW_RED;
	return streq(verdict, "allow") ? ROW_GREEN : ROW_BOLD;
}

static void
event_row(struct page *page, const struct seen_event *event)
{
	struct row *row = &page->row;
	time_t seconds = (time_t)(event->time / 1000);
	struct tm parts;
	char when[16] = "?";

	if (localtime_r(&seconds, &parts) != NULL)
		strftime(when, sizeof(when), "%H:%M:%S", &parts);
	row_cell(row, when, 8);
	if (row->columns >= 60)
		row_cell_end(row, event->session != NULL ? event->session : "", SESSION_WIDTH);
	row_cell(row, event->kind != NULL ? event->kind : "", 8);
	if (event->verdict != NULL)
		row_style(row, verdict_style(event->verdict));
	row_cell(row, event->verdict != NULL ? event->verdict : "", 5);
	row_style(row, ROW_PLAIN);
	row_show(row, event->subject != NULL ? event->subject : "");
	end_row(page);
}

static void
add_record_rows(struct page *page)
{
	size_t n = page->layout.tail - 1;

	add_separator_row(page, "record");
	if (n > page->board->n_tail)
		n = page->board->n_tail;
	while (n-- > 0)
		event_row(page, board_event(page->board, n));
}

static void
append_deaf_notice(struct page *page)
{
	struct row *row = &page->row;
	bool long_pause = page->board->deaf_for == DIALOG_PAUSE_MS;

	row_puts(row, page->item != NULL ? "(new on the screen: " : "(its question is gone: ");
	if (page->board->dropped)
		row_printf(
			row, "keys are dropped; pause for a %s)", long_pause ? "second" : "moment");
	else
		row_puts(row, "keys count in a moment)");
}

/* The last row: what to wait for, what has happened, or the keys. */
static void
add_footer_row(struct page *page)
{
	struct row *row = &page->row;

	row_puts(row, " ");
	if (page->deaf) {
		row_style(row, page->board->dropped ? ROW_BOLD : ROW_PLAIN);
		append_deaf_notice(page);
	} else if (page->board->note[0] != '\0') {
		row_style(row, ROW_BOLD);
		row_puts(row, page->board->note);
	} else {
		for (const struct screen_key *key = screen_keys; key->key != 0; key++)
			if (key->name != NULL) {
				row_style(row, ROW_BOLD);
				row_puts(row, key->name);
				row_style(row, ROW_PLAIN);
				row_printf(row, " %s   ", key->text);
			}
	}
	end_row(page);
}

/* -- all of it -------------------------------------------------------------- */

static void
too_small(struct page *page)
{
	page->frame->blind = true;
	if (page->rows > 1) {
		row_puts(&page->row, "larger, please: 40x10");
		end_row(page);
	}
	while (page->frame->n < page->rows)
		end_row(page);
}

static void
compose_page(struct page *page)
{
	bool asked = page->item != NULL;
	size_t lines = asked		   ? page->head.n + page->item->text.n
		       : page->board->help ? HELP_ROWS
					   : page->board->n_parties + 1;

	page->layout = layout_of(page->rows, page->row.columns + 1, lines, page->board->n_items);
	add_title_row(page);
	if (page->layout.blind) {
		too_small(page);
		return;
	}
	if (asked)
		add_question_rows(page);
	else if (page->board->help)
		add_help_rows(page);
	else
		add_session_rows(page);
	if (page->layout.list > 0)
		add_waiting_rows(page);
	if (page->layout.tail > 0)
		add_record_rows(page);
	while (page->frame->n < page->rows - 1)
		end_row(page);
	add_footer_row(page);
}

int
frame_compose(struct board *board, size_t rows, size_t columns, bool colour, bool deaf, int64_t now,
	struct frame *ret_frame)
{
	struct frame frame = { .columns = columns };
	struct page page = {
		.board = board,
		.frame = &frame,
		/* The last column stays free: after a character in it, terminals do not
		 * agree on where they are. */
		.row = { .columns = columns > 0 ? columns - 1 : 0, .colour = colour },
		.rows = rows > 0 ? rows : 1,
		.item = board_selected(board),
		.now = now,
		.deaf = deaf,
	};

	frame.rows = calloc(page.rows, sizeof(*frame.rows));
	if (frame.rows == NULL || read_question(&page) < 0)
		page.failed = true;
	if (page.item != NULL) {
		frame.serial = page.item->serial;
		frame.state = dialog_state(page.item->dialog);
	}
	if (!page.failed)
		compose_page(&page);
	wrapped_finish(&page.head);
	if (page.failed) {
		frame_finish(&frame);
		return -ENOMEM;
	}
	*ret_frame = frame;
	return 0;
}

void
frame_finish(struct frame *frame)
{
	for (size_t i = 0; i < frame->n; i++)
		free(frame->rows[i]);
	free(frame->rows);
	*frame = (struct frame){ 0 };
}

void
frame_paint(const struct frame *before, const struct frame *frame, struct buf *out)
{
	bool all = before == NULL || before->n != frame->n || before->columns != frame->columns;

	if (all)
		buf_puts(out, "\x1b[0m\x1b[2J");
	for (size_t i = 0; i < frame->n; i++)
		if (all || !streq(before->rows[i], frame->rows[i]))
			buf_printf(out, "\x1b[%zu;1H%s\x1b[K", i + 1, frame->rows[i]);
}

void
frame_shown(const struct frame *frame, struct board *board)
{
	struct item *item = board_selected(board);

	board->page = frame->page;
	board->blind = frame->blind;
	if (item == NULL || item->serial != frame->serial || frame->blind)
		return;
	item->scroll = frame->scroll;
	item->read = item->read || frame->whole;
}
