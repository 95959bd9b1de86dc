/* SPDX-License-Identifier: Apache-2.0 */
/* A question into the bytes that call a person to it. Every terminal takes a bell. A desktop
 * notification is an escape sequence that some terminals would print as text, so it goes only to
 * those of the table. The words in it have names that a program chose: nothing in them may end
 * the sequence or begin another. */

#include <stdlib.h>
#include <string.h>

#include "ask/tty/ring.h"
#include "base/own.h"
#include "base/str.h"

#define WHAT_MAX 160 /* bytes: a notification shows two or three lines */

/* One way to know a terminal: a variable has this value, or begins with it. */
struct terminal_mark {
	const char *variable;
	const char *value; /* with '*' at its end: the beginning. "*": it is set */
	long least;	   /* as a number, at least this; 0: no number */
	unsigned ring;
};

/* The first that fits counts. A terminal that takes both sequences gets one, or there would be
 * two notifications. TERM comes first: it goes along by ssh, and is not inherited from another
 * terminal as the rest may be. */
static const struct terminal_mark terminal_marks[] = {
	/* A multiplexer hands on the bell; what else it hands on is its setting (tmux:
	 * allow-passthrough), which cannot be seen from here. */
	{ .variable = "TMUX", .value = "*" },
	{ .variable = "STY", .value = "*" },
	{ .variable = "TERM", .value = "tmux*" },
	{ .variable = "TERM", .value = "screen*" },
	/* Emacs and others that know no sequences. */
	{ .variable = "TERM", .value = "dumb" },
	/* sw.kovidgoyal.net/kitty/desktop-notifications: "also supports the legacy OSC 9" */
	{ .variable = "TERM", .value = "xterm-kitty*", .ring = RING_OSC9 },
	/* ghostty.org/docs/config/reference, desktop-notifications: OSC 9 and OSC 777 */
	{ .variable = "TERM", .value = "xterm-ghostty*", .ring = RING_OSC777 },
	/* foot-ctlseqs(7), OSC: 9 and 777 */
	{ .variable = "TERM", .value = "foot*", .ring = RING_OSC777 },
	/* urxvt(7), "Ps = 777": calls the extension "notify", if the person has it */
	{ .variable = "TERM", .value = "rxvt-unicode*", .ring = RING_OSC777 },
	/* iterm2.com/documentation-escape-codes.html, "Post a notification": OSC 9 */
	{ .variable = "TERM_PROGRAM", .value = "iTerm.app", .ring = RING_OSC9 },
	/* wezterm.org/escape-sequences.html, Operating System Command: 9 and 777 */
	{ .variable = "TERM_PROGRAM", .value = "WezTerm", .ring = RING_OSC777 },
	{ .variable = "TERM_PROGRAM", .value = "ghostty", .ring = RING_OSC777 },
	{ .variable = "KITTY_WINDOW_ID", .value = "*", .ring = RING_OSC9 },
	/* github.com/microsoft/terminal/pull/20012: 777. Its OSC 9 is ConEmu's, and means other
	 * things; versions before that drop 777 */
	{ .variable = "WT_SESSION", .value = "*", .ring = RING_OSC777 },
	/* VTE shows 777 as Fedora patches it, and drops it otherwise; before 0.46 it printed
	 * the text */
	{ .variable = "VTE_VERSION", .value = "*", .least = 4600, .ring = RING_OSC777 },
};

static const char *
find_variable(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=' && (*envp)[len + 1])
			return *envp + len + 1;
	return NULL;
}

static bool
has_mark(char *const *envp, const struct terminal_mark *mark)
{
	const char *value = find_variable(envp, mark->variable);
	size_t len = strlen(mark->value);

	if (!value || (mark->least > 0 && strtol(value, NULL, 10) < mark->least))
		return false;
	if (mark->value[len - 1] == '*')
		return strncmp(value, mark->value, len - 1) == 0;
	return streq(value, mark->value);
}

unsigned
ring_for_terminal(char *const *envp)
{
	for (size_t i = 0; i < sizeof(terminal_marks) / sizeof(terminal_marks[0]); i++)
		if (has_mark(envp, &terminal_marks[i]))
			return RING_BELL | terminal_marks[i].ring;
	return RING_BELL;
}

/* A question's text is escaped already; it may come from another process, so once more. ';'
 * stands between the parts of a sequence. */
static void
put_words(struct buf *out, const char *what)
{
	auto_free char *shown = str_escape(what, str_cut(what, strlen(what), WHAT_MAX));

	out->failed |= !shown;
	for (const char *c = shown; c && *c; c++)
		if (*c == ';')
			buf_putc(out, ',');
		else if (c[0] != '\\' || c[1] != '\\')
			buf_putc(out, *c);
}

void
ring_put(struct buf *out, unsigned ring, const char *what)
{
	if (ring & RING_BELL)
		buf_putc(out, '\a');
	if (ring & RING_OSC777) {
		buf_puts(out, "\033]777;notify;ambit;asks: ");
		put_words(out, what);
		buf_puts(out, "\033\\");
	} else if (ring & RING_OSC9) {
		buf_puts(out, "\033]9;ambit asks: ");
		put_words(out, what);
		buf_puts(out, "\033\\");
	}
}
