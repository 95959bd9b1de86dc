/* SPDX-License-Identifier: Apache-2.0 */
/* Follows what the command's output does to the real terminal, just enough to
 * take it back for a question and to give it again. The output is hostile: the
 * state is of fixed size, and the worst a lie can do is a badly drawn screen. */

#include <string.h>

#include "base/ascii.h"
#include "line/terminal/terminal-private.h"

#define ESC 0x1b
#define CAN 0x18
#define SUB 0x1a
#define BEL 0x07

enum {
	GROUND = 0,
	ESCAPE,
	CONTROL, /* ESC [ */
	STRING,	 /* ESC ] and the like, up to ESC \ */
};

/* DEC private modes that would spoil a question or its keys. */
static const struct {
	unsigned number;
	bool normal;	/* how a terminal is without it */
	bool alternate; /* the other screen */
} table[] = {
	{ .number = 47, .alternate = true }, { .number = 1047, .alternate = true },
	{ .number = 1049, .alternate = true }, { .number = 1 }, /* cursor keys */
	{ .number = 6 },					/* origin */
	{ .number = 7, .normal = true },			/* wrap */
	{ .number = 9 },					/* mouse, in all its forms */
	{ .number = 1000 }, { .number = 1002 }, { .number = 1003 }, { .number = 1004 }, /* focus */
	{ .number = 1005 }, { .number = 1006 }, { .number = 1015 }, { .number = 1016 },
	{ .number = 2004 },		  /* bracketed paste */
	{ .number = 2026 },		  /* output shown when it is complete */
	{ .number = 25, .normal = true }, /* the cursor */
};

#define N_TABLE (sizeof(table) / sizeof(table[0]))
_Static_assert(N_TABLE <= 32, "one bit each");

bool
modes_alternate(const struct modes *modes)
{
	for (size_t i = 0; modes->changed != 0 && i < N_TABLE; i++)
		if (table[i].alternate && (modes->changed & (1U << i)))
			return true;
	return false;
}

static void
begin_mode_state(struct modes *modes, int state, char prefix)
{
	modes->state = state;
	modes->prefix = prefix;
	modes->strange = false;
	modes->utf8 = 0;
	modes->n = 0;
	modes->numbers[0] = 0;
}

/* -- the cursor --------------------------------------------------------------- */

/* No terminal is drawn here: it is enough to know from where on all lines are empty. Lines that
 * wrap are not counted, so that there may be fewer below than it says. */

static void
lose_cursor(struct modes *modes)
{
	modes->midline = true;
	modes->below = BELOW_MAX;
}

static void
raise_cursor(struct modes *modes, unsigned n)
{
	modes->below = n < BELOW_MAX - modes->below ? modes->below + n : BELOW_MAX;
}

/* One that is lost stays so: between margins a line feed does not go down. */
static void
lower_cursor(struct modes *modes, unsigned n)
{
	if (modes->below < BELOW_MAX)
		modes->below -= n < modes->below ? n : modes->below;
}

static void
follow_text(struct modes *modes, unsigned char c)
{
	modes->home = false;
	if (modes_alternate(modes))
		return;
	if (c == '\r')
		modes->midline = false;
	else if (c == '\n' || c == '\v' || c == '\f')
		lower_cursor(modes, 1);
	else if (c >= 0x20 || c == '\t')
		modes->midline = true;
}

static void
follow_escape(struct modes *modes, unsigned char c)
{
	if (modes_alternate(modes))
		return;
	if (c == 'M') /* reverse line feed */
		raise_cursor(modes, 1);
	else if (c == 'D' || c == 'E')
		lower_cursor(modes, 1);
	else if (c == '8') /* to where it was saved */
		lose_cursor(modes);
}

/* To erase all is "2J", or "J" in the first place. */
static void
follow_erasing(struct modes *modes, unsigned char final)
{
	unsigned n = modes->numbers[0];
	bool first = n < 2 && (modes->n == 0 || modes->numbers[1] < 2);

	modes->erased |= final == 'J' && (n == 2 || (n == 0 && modes->home));
	if (final == 'H')
		modes->home = first;
	else if (!strchr("JKhlmr", final)) /* those leave it there */
		modes->home = false;
}

static void
follow_control(struct modes *modes, unsigned char final)
{
	unsigned n = modes->numbers[0];

	if (modes->prefix || modes->strange)
		return;
	follow_erasing(modes, final);
	if (modes_alternate(modes))
		return;
	if (final == 'A' || final == 'F')
		raise_cursor(modes, n ? n : 1);
	else if (final == 'B' || final == 'E')
		lower_cursor(modes, n ? n : 1);
	else if (final == 'J' && (n == 0 || n == 2)) /* erased */
		modes->below = 0;
	else if (strchr("CDGa`", final)) /* within the line */
		modes->midline = true;
	else if (!strchr("@JKPXcghilmnpqtx", final)) /* those leave it where it is */
		lose_cursor(modes);
}

void
modes_skip_drawn(const struct modes *modes, struct buf *text)
{
	if (modes->below > 0 && !modes->dumb)
		buf_printf(text, "\033[%uB", modes->below);
	if (modes->midline || modes->below > 0)
		buf_puts(text, "\r\n");
	if (!modes->dumb) /* a program that lied has its own lines erased */
		buf_puts(text, "\033[J");
}

/* -- modes -------------------------------------------------------------------- */

static void
set_mode(struct modes *modes, unsigned number, bool on)
{
	bool alternate = false;

	/* The other screen, but with the same cursor; or it goes to the first line. */
	if (number == 47 || number == 1047 || number == 6)
		lose_cursor(modes);
	for (size_t i = 0; i < N_TABLE; i++) {
		if (table[i].number != number)
			continue;
		alternate = table[i].alternate;
		if (on != table[i].normal)
			modes->changed |= 1U << i;
		else
			modes->changed &= ~(1U << i);
	}
	/* Whichever way the other screen was entered, it is left. */
	for (size_t i = 0; alternate && !on && i < N_TABLE; i++)
		if (table[i].alternate)
			modes->changed &= ~(1U << i);
}

static void
end_control(struct modes *modes, unsigned char final)
{
	if (modes->prefix == '?' && !modes->strange && (final == 'h' || final == 'l'))
		for (size_t i = 0; i <= modes->n && i < MODES_NUMBERS; i++)
			set_mode(modes, modes->numbers[i], final == 'h');
	if (final == 'u' && (modes->prefix == '>' || modes->prefix == '='))
		modes->keyboard = true;
	follow_control(modes, final);
	begin_mode_state(modes, GROUND, 0);
}

static void
feed_control(struct modes *modes, unsigned char c)
{
	if (ascii_is_digit(c)) {
		if (modes->n < MODES_NUMBERS && modes->numbers[modes->n] < 100000)
			modes->numbers[modes->n] = modes->numbers[modes->n] * 10 + (c - '0');
	} else if (c == ';' || c == ':') {
		if (++modes->n < MODES_NUMBERS)
			modes->numbers[modes->n] = 0;
		else
			modes->n = MODES_NUMBERS;
	} else if (c >= '<' && c <= '?') {
		modes->prefix = (char)c;
	} else if (c >= 0x20 && c < 0x30) {
		modes->strange = true;
	} else if (c >= 0x40 && c < 0x7f) {
		end_control(modes, c);
	}
}

/* ESC ] NUMBER ; ... What is known to be no colour is let be: titles, directories, links,
 * marks of prompts, the clipboard, the cursor; and questions, of which there is nothing but
 * digits and "?". Without a number it is the Linux console's. Control characters are passed
 * over, as terminals do. */
static void
feed_string(struct modes *modes, unsigned char c)
{
	static const unsigned plain[] = { 0, 1, 2, 7, 8, 9, 12, 22, 52, 112, 133, 633, 777 };

	if (modes->prefix != ']' || modes->strange || c < 0x20 || c == 0x7f)
		return;
	if (ascii_is_digit(c) && modes->n < 2) {
		if (modes->numbers[0] < 100000)
			modes->numbers[0] = modes->numbers[0] * 10 + (c - '0');
		modes->n = 1;
		return;
	}
	if (modes->n == 1) {
		for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
			modes->strange |= plain[i] == modes->numbers[0];
		modes->n = 2; /* its number is known */
	}
	if (modes->strange || (modes->n == 2 && (ascii_is_digit(c) || c == ';' || c == '?')))
		return;
	modes->strange = true;
	modes->palette = true;
}

static void
feed_escape(struct modes *modes, unsigned char c)
{
	if (c >= 0x20 && c < 0x30) {
		modes->strange = true; /* a character set: one more byte */
	} else if (modes->strange) {
		begin_mode_state(modes, GROUND, 0);
	} else if (c == '[') {
		begin_mode_state(modes, CONTROL, 0);
	} else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
		begin_mode_state(modes, STRING, (char)c);
	} else if (c >= 0x20 && c < 0x7f) { /* past that it is passed over */
		if (c == 'c')		    /* reset */
			*modes = (struct modes){ .palette = modes->palette, .dumb = modes->dumb };
		follow_escape(modes, c);
		begin_mode_state(modes, GROUND, 0);
	}
}

static void
feed_ground(struct modes *modes, unsigned char c)
{
	if (modes->utf8 > 0 && (c & 0xc0) == 0x80)
		modes->utf8--;
	else
		modes->utf8 = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
	follow_text(modes, c);
}

void
modes_feed(struct modes *modes, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		/* U+009D begins a string, too, where it is heeded, in the middle of anything: it
		 * may be the palette's. */
		if (modes->last == 0xc2 && c == 0x9d)
			modes->palette = true;
		modes->last = c;
		if (c == ESC) /* also within a string, where ESC \ ends it */
			begin_mode_state(modes, ESCAPE, 0);
		else if (c == CAN || c == SUB)
			begin_mode_state(modes, GROUND, 0);
		else if (modes->state == ESCAPE)
			feed_escape(modes, c);
		else if (modes->state == CONTROL)
			feed_control(modes, c);
		else if (modes->state == GROUND)
			feed_ground(modes, c);
		else if (c == BEL && modes->prefix == ']')
			begin_mode_state(modes, GROUND, 0);
		else
			feed_string(modes, c);
	}
}

bool
modes_whole(const struct modes *modes)
{
	return modes->state == GROUND && modes->utf8 == 0;
}

/* The alternate screen first into, last out of: some terminals keep the rest
 * per screen. */
static void
write_modes(const struct modes *modes, struct buf *text, bool back, bool alternate)
{
	for (size_t i = 0; i < N_TABLE; i++)
		if ((modes->changed & (1U << i)) && table[i].alternate == alternate)
			buf_printf(text, "\033[?%u%c", table[i].number,
				table[i].normal == back ? 'l' : 'h');
}

void
modes_leave(const struct modes *modes, struct buf *text)
{
	if (modes->dumb)
		return;
	if (!modes_whole(modes))
		buf_putc(text, CAN);
	/* Whatever the terminal thinks it is in: neither CAN nor another sequence ends a string
	 * everywhere (tmux), and some know strings that others do not. */
	buf_puts(text, "\033\\");
	if (modes->palette) /* black on black is no question; and what the Linux console has */
		buf_puts(text, "\033]104\033\\\033]105\033\\\033]110\033\\\033]111\033\\"
			       "\033]R\033\\");
	write_modes(modes, text, false, false);
	write_modes(modes, text, false, true);
	if (modes->keyboard)
		buf_puts(text, "\033[>0u");
	/* No margins: between two of them a question scrolls away, and what the program has
	 * painted above stands in its place. To take them away moves the cursor. */
	buf_puts(text, "\033[?69l\0337\033[r\0338");
	if (modes->aside)
		buf_puts(text, "\033[?1049h");
	/* The main display, not the status line of an xterm; no printer; no open link. */
	buf_puts(text, "\033[0$}\033[4i\033]8;;\033\\");
	/* No insert mode, the plain character set, no colours. */
	buf_puts(text, "\033[4l\033(B\017\033[0m");
}

void
modes_return(const struct modes *modes, struct buf *text)
{
	if (modes->dumb)
		return;
	if (modes->aside)
		buf_puts(text, "\033[?1049l");
	if (modes->keyboard)
		buf_puts(text, "\033[<u");
	write_modes(modes, text, true, true);
	write_modes(modes, text, true, false);
}
