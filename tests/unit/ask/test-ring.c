/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the bell: which terminal gets which sequence, and that no question's text breaks out
 * of one. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ask/tty/ring.h"
#include "base/own.h"

static unsigned
ring_with(const char *a, const char *b)
{
	char *envp[] = { (char *)"HOME=/", (char *)a, (char *)b, NULL };

	return ring_for_terminal(envp);
}

static void
only_known_terminals_get_a_notification(void **state)
{
	(void)state;
	assert_int_equal(ring_for_terminal(NULL), RING_BELL);
	assert_int_equal(ring_with("TERM=xterm-256color", NULL), RING_BELL);
	assert_int_equal(ring_with("TERM=linux", NULL), RING_BELL);
	assert_int_equal(ring_with("TERM=dumb", "TERM_PROGRAM=iTerm.app"), RING_BELL);
	assert_int_equal(
		ring_with("TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"), RING_BELL | RING_OSC9);
	assert_int_equal(ring_with("TERM=xterm-kitty", NULL), RING_BELL | RING_OSC9);
	assert_int_equal(
		ring_with("TERM=xterm-256color", "KITTY_WINDOW_ID=1"), RING_BELL | RING_OSC9);
	assert_int_equal(ring_with("TERM=xterm-ghostty", NULL), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=foot", NULL), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=foot-extra", NULL), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=rxvt-unicode-256color", NULL), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=rxvt", NULL), RING_BELL);
	assert_int_equal(ring_with("TERM=xterm", "TERM_PROGRAM=WezTerm"), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=xterm", "TERM_PROGRAM=WezTermX"), RING_BELL);
	assert_int_equal(ring_with("TERM=xterm", "WT_SESSION=9"), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=xterm", "WT_SESSION="), RING_BELL);
	assert_int_equal(ring_with("TERM=xterm", "VTE_VERSION=6003"), RING_BELL | RING_OSC777);
	assert_int_equal(ring_with("TERM=xterm", "VTE_VERSION=4402"), RING_BELL);
}

static void
a_multiplexer_gets_the_bell_alone(void **state)
{
	(void)state;
	assert_int_equal(ring_with("TERM=foot", "TMUX=/tmp/tmux-0/default,1,0"), RING_BELL);
	assert_int_equal(ring_with("TERM_PROGRAM=WezTerm", "TERM=tmux-256color"), RING_BELL);
	assert_int_equal(ring_with("KITTY_WINDOW_ID=1", "TERM=screen"), RING_BELL);
	assert_int_equal(ring_with("KITTY_WINDOW_ID=1", "STY=1.a"), RING_BELL);
}

static void
assert_rings(unsigned ring, const char *what, const char *bytes)
{
	struct buf out = { 0 };
	auto_free char *text = NULL;

	ring_put(&out, ring, what);
	text = buf_take(&out);
	assert_non_null(text);
	assert_string_equal(text, bytes);
}

static void
a_question_rings_once_and_stays_text(void **state)
{
	(void)state;
	assert_rings(0, "write /x", "");
	assert_rings(RING_BELL, "write /x", "\a");
	assert_rings(RING_BELL | RING_OSC9, "write /x", "\a\033]9;ambit asks: write /x\033\\");
	assert_rings(RING_BELL | RING_OSC777, "write /x",
		"\a\033]777;notify;ambit;asks: write /x\033\\");
	/* Not even if it was not escaped before: ESC, BEL, ST as one character, a line's end. */
	assert_rings(RING_OSC9,
		"a\033\\b\ac\xc2\x9c"
		"d\ne",
		"\033]9;ambit asks: a\\x1b\\b\\x07c\\u009cd\\ne\033\\");
	assert_rings(RING_OSC777, "a;b\\x1b", "\033]777;notify;ambit;asks: a,b\\x1b\033\\");
}

static void
a_long_text_is_cut_between_characters(void **state)
{
	struct buf what = { 0 }, out = { 0 };

	(void)state;
	buf_putc(&what, 'x');
	for (int i = 0; i < 1000; i++)
		buf_puts(&what, "\xc3\xa4");
	ring_put(&out, RING_OSC9, what.data);
	assert_in_range(out.len, 100, 200);
	/* Whole characters, then the end of the sequence. */
	assert_memory_equal(out.data + out.len - 4, "\xc3\xa4\033\\", 4);
	buf_finish(&what);
	buf_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_known_terminals_get_a_notification),
		cmocka_unit_test(a_multiplexer_gets_the_bell_alone),
		cmocka_unit_test(a_question_rings_once_and_stays_text),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
