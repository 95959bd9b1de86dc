/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about a question on a relayed terminal: the question has the terminal to itself, and
 * nothing that the command printed hides it. */

#include "terminal-desk.h"

/* -- hands and eyes ---------------------------------------------------------- */

static void
forget(struct desk *desk)
{
	desk->len = 0;
	desk->seen[0] = '\0';
}

/* What the command can read now. */
static size_t
keys(struct desk *desk)
{
	int n = 0;

	settle(desk);
	assert_int_equal(ioctl(desk->command, FIONREAD, &n), 0);
	return (size_t)n;
}

/* -- questions --------------------------------------------------------------- */

static void
a_question_has_the_terminal_to_itself(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	put(desk->command, "before");
	await(desk, "before");
	terminal_hold(desk->terminal);
	assert_before(desk);
	look(desk);
	assert_non_null(strstr(desk->seen, "\r\n\033[J"));
	forget(desk);
	put(desk->command, "meanwhile");
	put(desk->person, "y");
	settle(desk);
	assert_false(turn(desk, 0)); /* awake without cause */
	look(desk);
	assert_null(strstr(desk->seen, "meanwhile"));
	assert_int_equal(keys(desk), 0);
	terminal_release(desk->terminal);
	assert_raw(desk->tty);
	await(desk, "meanwhile");
	assert_int_equal(keys(desk), 0); /* what was typed to the question is gone */
	put(desk->person, "k");
	while (keys(desk) == 0)
		turn(desk, 5);
	assert_int_equal(keys(desk), 1);
}

/* The loop does not turn: on a busy machine the asking thread is the first. */
static void
what_was_printed_before_is_shown_before_the_question(void **state)
{
	struct desk *desk = *state;
	const char *printed;

	begin(desk);
	make_raw(desk->command);
	put(desk->command, "replacing it");
	terminal_hold(desk->terminal);
	look(desk);
	printed = strstr(desk->seen, "replacing it");
	assert_non_null(printed);
	assert_non_null(strstr(printed, "\r\n"));
	terminal_release(desk->terminal);
}

/* They belong to the command: neither a question nor nobody gets them. */
static void
keys_that_are_on_their_way_reach_the_command(void **state)
{
	struct desk *desk = *state;
	char line[16] = { 0 };

	begin(desk);
	make_raw(desk->command);
	put(desk->person, "typed"); /* and the loop does not turn */
	terminal_hold(desk->terminal);
	put(desk->person, "y");
	tcflush(desk->tty, TCIFLUSH); /* as a question does */
	terminal_release(desk->terminal);
	put(desk->person, "!");
	while (keys(desk) < 6)
		turn(desk, 5);
	assert_int_equal(read(desk->command, line, sizeof(line)), 6);
	assert_string_equal(line, "typed!");
}

static const char *
hold_after(struct desk *desk, const char *printed)
{
	put(desk->command, printed);
	await(desk, printed);
	forget(desk);
	terminal_hold(desk->terminal);
	look(desk);
	terminal_release(desk->terminal);
	return desk->seen;
}

static bool
ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && streq(text + len - n, end);
}

static void
a_question_begins_beneath_what_was_drawn(void **state)
{
	static const char fresh[] = "\033[0m\033[J";
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	assert_true(ends_in(hold_after(desk, ""), fresh));
	assert_true(ends_in(hold_after(desk, "a line\r\n"), fresh));
	assert_true(ends_in(hold_after(desk, "half a line"), "\r\n\033[J"));
	/* The question before ended its last line. */
	assert_true(ends_in(hold_after(desk, "\033[1m"), fresh));
	assert_true(ends_in(hold_after(desk, "1\r\n2\r\n3\033[2A"), "\033[2B\r\n\033[J"));
	assert_true(ends_in(hold_after(desk, "\033[3;1Hx"), "\033[9999B\r\n\033[J"));
	/* The alternate screen is left; the normal one is as it was. */
	assert_true(ends_in(hold_after(desk, "\033[?1049h\033[3;1Hx"), fresh));
}

static void
a_dumb_terminal_gets_no_sequences(void **state)
{
	struct desk *desk = *state;

	desk->terminal->modes.dumb = true;
	begin(desk);
	make_raw(desk->command);
	assert_string_equal(hold_after(desk, "half a line"), "\r\n");
	assert_string_equal(hold_after(desk, "a line\r\n"), "");
	assert_string_equal(hold_after(desk, "\033[?1049h\033[?25l\033c\033[?25l"), "");
}

/* The real rows are 24; 0 if it was never seen otherwise. */
static unsigned short
await_rows(struct desk *desk)
{
	unsigned short between = rows_of(desk->command);
	int64_t deadline = clock_steady() + PATIENCE_MS;

	while (rows_of(desk->command) != 24 && clock_steady() < deadline)
		turn(desk, 5);
	assert_int_equal(rows_of(desk->command), 24);
	return between == 24 ? 0 : between;
}

static void
a_full_screen_program_is_left_and_made_to_redraw(void **state)
{
	struct desk *desk = *state;
	const char *text = "\033[?1;1049h\033[?25l\033[?2004h\033]0;title\033\\drawn";

	begin(desk);
	for (size_t i = 0; text[i]; i++) { /* cut everywhere */
		assert_int_equal(fd_write_all(desk->command, text + i, 1), 0);
		settle(desk);
	}
	await(desk, "drawn");
	forget(desk);
	terminal_hold(desk->terminal);
	look(desk);
	assert_non_null(strstr(desk->seen, "\033[?1l"));
	/* Between margins a question would scroll out of sight. */
	assert_non_null(strstr(desk->seen, "\033[?69l"));
	assert_non_null(strstr(desk->seen, "\033[r"));
	assert_non_null(strstr(desk->seen, "\033[?25h"));
	assert_non_null(strstr(desk->seen, "\033[?2004l"));
	assert_non_null(strstr(desk->seen, "\033[?1049l"));
	assert_null(strstr(desk->seen, "\x18"));
	forget(desk);
	terminal_release(desk->terminal);
	assert_int_equal(await_rows(desk), 23);
	await(desk, "\033[?1049h");
	await(desk, "\033[?25l");
	/* Left by itself: nothing to come back to, nothing to redraw. */
	put(desk->command, "\033[?1047l\033[?25h\033[?1l\033[?2004lend");
	await(desk, "end");
	terminal_hold(desk->terminal);
	look(desk);
	forget(desk);
	terminal_release(desk->terminal);
	assert_int_equal(await_rows(desk), 0);
	look(desk);
	assert_int_equal(desk->len, 0);
}

static void
a_program_that_reads_keys_is_made_to_redraw(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	terminal_hold(desk->terminal);
	terminal_release(desk->terminal);
	assert_int_equal(await_rows(desk), 23);
}

static void
a_program_on_the_normal_screen_gets_it_back(void **state)
{
	struct desk *desk = *state;

	desk->terminal->two_screens = true;
	begin(desk);
	make_raw(desk->command);
	assert_non_null(strstr(hold_after(desk, "\033[?25l1\r\n2\033[A"), "\033[?1049h"));
	await(desk, "\033[?1049l\033[?25l");
	assert_int_equal(await_rows(desk), 0);
	/* The cursor is where it was. */
	assert_true(ends_in(hold_after(desk, ""), "\033[1B\r\n\033[J"));
	await(desk, "\033[?1049l");
	/* One that reads lines keeps what was answered. */
	assert_int_equal(tcsetattr(desk->command, TCSANOW, &desk->before), 0);
	assert_null(strstr(hold_after(desk, ""), "\033[?1049"));
	await(desk, "\033[?25l");
	assert_null(strstr(desk->seen, "\033[?1049"));
}

/* The size changes only when the loop turns. Turns until it does, or no change is planned. */
static unsigned short
next_rows(struct desk *desk)
{
	unsigned short rows = rows_of(desk->command);
	int64_t deadline = clock_steady() + PATIENCE_MS;

	while (desk->terminal->redraw != REDRAW_NONE && rows_of(desk->command) == rows) {
		assert_true(clock_steady() < deadline);
		turn(desk, 5);
	}
	return rows_of(desk->command);
}

static void
ask(struct desk *desk)
{
	terminal_hold(desk->terminal);
	terminal_release(desk->terminal);
}

static void
a_program_that_was_busy_is_made_to_redraw_once_more(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	ask(desk);
	assert_int_equal(rows_of(desk->command), 23);
	assert_int_equal(next_rows(desk), 24);
	assert_int_equal(next_rows(desk), 23);
	assert_int_equal(next_rows(desk), 24);
	assert_int_equal(desk->terminal->redraw, REDRAW_NONE);
	assert_false(turn(desk, 0));
}

/* Milliseconds until the size is the real one again, if the program prints that. */
static int64_t
measure_redraw(struct desk *desk, const char *printed)
{
	int64_t began = clock_steady();

	ask(desk);
	assert_int_equal(rows_of(desk->command), 23);
	forget(desk);
	put(desk->command, printed);
	await(desk, printed);
	assert_int_equal(next_rows(desk), 24);
	return clock_steady() - began;
}

static void
a_program_that_erased_the_screen_is_not_made_to_redraw_again(void **state)
{
	static const char *const texts[] = { "\033[2J", "\033[H\033[J", "\033[1;1H\033[0m\033[J" };
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		measure_redraw(desk, texts[i]);
		assert_int_equal(next_rows(desk), 24);
		assert_int_equal(desk->terminal->redraw, REDRAW_NONE);
	}
}

static void
the_size_waits_for_programs_that_look_late(void **state)
{
	static const char *const texts[] = { "drawn", "\033[J", "\033[Hx\033[J", "\033[2;1H\033[J",
		"\033[H" };
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_true(measure_redraw(desk, texts[i]) >= 200);
		assert_int_equal(next_rows(desk), 23);
	}
}

static void
the_persons_own_size_is_the_last(void **state)
{
	struct desk *desk = *state;
	struct winsize size = { .ws_row = 50, .ws_col = 132 };

	begin(desk);
	make_raw(desk->command);
	ask(desk);
	assert_int_equal(rows_of(desk->command), 23);
	assert_int_equal(ioctl(desk->person, TIOCSWINSZ, &size), 0);
	terminal_resize(desk->terminal);
	assert_int_equal(rows_of(desk->command), 50);
	assert_int_equal(next_rows(desk), 49);
	size.ws_row = 12;
	assert_int_equal(ioctl(desk->person, TIOCSWINSZ, &size), 0);
	terminal_resize(desk->terminal);
	assert_int_equal(rows_of(desk->command), 12);
	assert_int_equal(next_rows(desk), 12);
	assert_int_equal(desk->terminal->redraw, REDRAW_NONE);
}

static void
a_program_that_reads_lines_again_gets_no_second_redraw(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	ask(desk);
	assert_int_equal(next_rows(desk), 24);
	assert_int_equal(tcsetattr(desk->command, TCSANOW, &desk->before), 0);
	assert_int_equal(next_rows(desk), 24);
	ask(desk);
	assert_int_equal(rows_of(desk->command), 24);
	assert_int_equal(desk->terminal->redraw, REDRAW_NONE);
}

static void
the_size_stands_still_under_the_next_question(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	make_raw(desk->command);
	ask(desk);
	terminal_hold(desk->terminal);
	assert_int_equal(next_rows(desk), 24);
	assert_int_equal(next_rows(desk), 24);
	terminal_release(desk->terminal);
	assert_int_equal(rows_of(desk->command), 23);
	assert_int_equal(next_rows(desk), 24);
	assert_int_equal(next_rows(desk), 23);
	assert_int_equal(next_rows(desk), 24);
}

static void
an_open_sequence_cannot_swallow_the_question(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	put(desk->command, "x\033]0;");
	await(desk, "x\033]0;");
	forget(desk);
	terminal_hold(desk->terminal);
	look(desk);
	assert_int_equal(desk->seen[0], '\x18');
	terminal_release(desk->terminal);
}

/* tmux stays in such a string whatever we think: only ESC \\ ends it. */
static void
strings_that_only_the_terminal_is_in_are_ended(void **state)
{
	static const char *const tricks[] = { "\033Pq", "\033Pq\x18", "\033Ptmux;\033[m",
		"\033ktitle" };
	struct desk *desk = *state;

	begin(desk);
	for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		put(desk->command, tricks[i]);
		await(desk, tricks[i]);
		forget(desk);
		terminal_hold(desk->terminal);
		look(desk);
		assert_true(str_prefix(
			desk->seen[0] == '\x18' ? desk->seen + 1 : desk->seen, "\033\\"));
		terminal_release(desk->terminal);
		settle(desk);
		forget(desk);
	}
}

static bool
palette_is_reset(struct desk *desk, const char *printed)
{
	put(desk->command, printed);
	await(desk, printed);
	forget(desk);
	terminal_hold(desk->terminal);
	look(desk);
	terminal_release(desk->terminal);
	return strstr(desk->seen, "\033]104\033\\") && strstr(desk->seen, "\033]110\033\\") &&
	       strstr(desk->seen, "\033]111\033\\");
}

static void
colours_of_the_program_do_not_hide_the_question(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	/* What many programs print is none. */
	assert_false(palette_is_reset(desk, "\033]0;title\007\033]8;;http://x\033\\\xe2\x80\x9dx"));
	assert_true(palette_is_reset(desk, "\033]4;1;#000000\007"));
	/* Put aside, taken back, reset: the terminal may have them again at any time. */
	assert_true(palette_is_reset(desk, "\033c\033[#Q."));
}

static void
every_way_to_say_a_colour_is_seen(void **state)
{
	static const char *const ways[] = { "\033]10;#000\033\\", "\033]11;#000\007",
		"\033]P0000000.",
		"\xc2\x9d"
		"11;#000\xc2\x9c",
		"\033]5;0;#000\007", "\033]021;x=y\007",
		"\033]1\x01"
		"1;#000\007",
		"\033\x7f]11;#000\007",
		"\033[\xc2\x9d"
		"11;#000\007",
		"\033]1337;SetColors=fg=000\007", "\033]4;1;?;2;#000\007" };
	static const char *const others[] = { "\033]10;?\007", "\033]11;?\033\\",
		"\033]4;1;?;2;?\007", "\033]12;#fff\007", "\033]112\007", "\033]2;a=#000\007",
		"\033[11;#000m", "\xc3\x9d\xe2\x80\x9d" };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct modes modes = { 0 };

		modes_feed(&modes, ways[i], strlen(ways[i]));
		if (!modes.palette)
			fail_msg("%zu is not seen", i);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct modes modes = { 0 };

		modes_feed(&modes, others[i], strlen(others[i]));
		if (modes.palette)
			fail_msg("%zu is none", i);
	}
}

/* Everything that ends, resets or abuses a sequence. */
static void
modes_are_followed_through_noise(void **state)
{
	static const struct {
		const char *text;
		bool alternate;
		bool whole;
	} rows[] = {
		{ "\033[?1049h", true, true },
		{ "\033[?1049h\033[?1049l", false, true },
		{ "\033[?47h\033[?1047l", false, true },
		{ "\033[1049h", false, true },
		{ "\033[?1049$p", false, true },
		{ "\033[?10\030"
		  "49h",
			false, true },
		{ "\033[?1049h\033c", false, true },
		{ "\033(c\033[?1049h", true, true },
		{ "\033]0;\033[?1049h", true, true }, /* ESC ends the string */
		{ "\033]0;[?1049h", false, false },
		{ "\033]0;title\a\033[?1049h", true, true },
		{ "\033P\a[?1049h\033\\", false, true },
		{ "\033[?99999999999999999999;1049h", true, true },
		{ "\033[?1;2;3;4;5;6;7;8;9;1;2;3;4;5;6;1049h", true, true },
		{ "\033[?1;2;3;4;5;6;7;8;9;1;2;3;4;5;6;7;1049h", false, true },
		{ "\xe2\x82", false, false },
		{ "\xe2\x82\xac", false, true },
		{ "\033[?1049", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct modes modes = { 0 };

		modes_feed(&modes, rows[i].text, strlen(rows[i].text));
		if (modes_alternate(&modes) != rows[i].alternate ||
			modes_whole(&modes) != rows[i].whole)
			fail_msg("row %zu", i);
	}
}

static void
empty_lines_are_known_for_sure(void **state)
{
	static const struct {
		const char *text;
		bool midline;
		unsigned below;
	} rows[] = {
		{ "", false, 0 },
		{ "text", true, 0 },
		{ "text\r\n", false, 0 },
		{ "text\n", true, 0 },
		{ "\xc3\xa4", true, 0 },
		{ "\t", true, 0 },
		{ "\a\b", false, 0 },
		{ "\033[1;31m\033[K\033[?25l\033]0;title\a\0337", false, 0 },
		{ "\033[3A", false, 3 },
		{ "\033[A\033M\r\n", false, 1 },
		{ "\033[3A\033[2B", false, 1 },
		{ "\033[3A\033[9B", false, 0 },
		{ "\033[3A\033[J", false, 0 },
		{ "\033[3A\033[1J", false, 3 },
		{ "\033[3A\033[3J", false, 3 },
		{ "\033[99999A\033[99999A", false, BELOW_MAX },
		{ "\033[4C", true, 0 },
		{ "\033[H", true, BELOW_MAX },
		{ "\033[H\r\n", false, BELOW_MAX },
		{ "\033[H\033[2J\r", false, 0 },
		{ "\033[1;20r", true, BELOW_MAX },
		{ "\0338", true, BELOW_MAX },
		{ "\033[?6h", true, BELOW_MAX },
		{ "x\033[2A\033c", false, 0 },
		{ "\033[?1049h\033[Hx", false, 0 },
		{ "\033[?1049h\033[Hx\033[?1049lx", true, 0 },
		{ "\033[?1047h", true, BELOW_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct modes modes = { 0 };

		modes_feed(&modes, rows[i].text, strlen(rows[i].text));
		if (modes.midline != rows[i].midline || modes.below != rows[i].below)
			fail_msg("row %zu: %d, %u", i, modes.midline, modes.below);
	}
}

struct asker {
	struct desk *desk;
	int done;
};

static void *
ask_often(void *data)
{
	struct asker *asker = data;

	for (int i = 0; i < 50; i++) {
		terminal_hold(asker->desk->terminal);
		/* Only one who has it to himself sees what he wrote unmixed. */
		(void)!write(asker->desk->tty, "<question>", 10);
		terminal_release(asker->desk->terminal);
	}
	__atomic_store_n(&asker->done, 1, __ATOMIC_RELEASE);
	relay_wake(asker->desk->terminal);
	return NULL;
}

/* The loop waits without a limit: a wake that is lost would stop the test. */
static void
questions_from_another_thread_lose_nothing(void **state)
{
	struct desk *desk = *state;
	struct asker asker = { .desk = desk };
	int64_t deadline = clock_steady() + PATIENCE_MS;
	size_t printed = 0, counted = 0;
	pthread_t thread;

	begin(desk);
	assert_int_equal(pthread_create(&thread, NULL, ask_often, &asker), 0);
	while (!__atomic_load_n(&asker.done, __ATOMIC_ACQUIRE) && clock_steady() < deadline) {
		if (printed < 1000 && write(desk->command, "#", 1) == 1)
			printed++;
		turn(desk, printed < 1000 ? 0 : PATIENCE_MS);
		look(desk);
	}
	pthread_join(thread, NULL);
	put(desk->command, "end");
	await(desk, "end");
	for (size_t i = 0; i < desk->len; i++)
		counted += desk->seen[i] == '#';
	assert_int_equal(counted, printed);
	counted = 0;
	for (const char *at = desk->seen; (at = strstr(at, "<question>")); at++)
		counted++;
	assert_int_equal(counted, 50);
}

/* -- stopping ---------------------------------------------------------------- */

static void
under_a_question_the_job_does_not_stop(void **state)
{
	struct desk *desk = *state;

	begin(desk);
	terminal_hold(desk->terminal);
	terminal_suspend(desk->terminal);
	assert_before(desk); /* still the question's */
	terminal_release(desk->terminal);
	assert_raw(desk->tty);
}

int
main(void)
{
#define PROMISE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		PROMISE(a_question_has_the_terminal_to_itself),
		PROMISE(what_was_printed_before_is_shown_before_the_question),
		PROMISE(keys_that_are_on_their_way_reach_the_command),
		PROMISE(a_question_begins_beneath_what_was_drawn),
		PROMISE(a_dumb_terminal_gets_no_sequences),
		PROMISE(a_full_screen_program_is_left_and_made_to_redraw),
		PROMISE(a_program_that_reads_keys_is_made_to_redraw),
		PROMISE(a_program_on_the_normal_screen_gets_it_back),
		PROMISE(a_program_that_was_busy_is_made_to_redraw_once_more),
		PROMISE(a_program_that_erased_the_screen_is_not_made_to_redraw_again),
		PROMISE(the_size_waits_for_programs_that_look_late),
		PROMISE(the_persons_own_size_is_the_last),
		PROMISE(a_program_that_reads_lines_again_gets_no_second_redraw),
		PROMISE(the_size_stands_still_under_the_next_question),
		PROMISE(an_open_sequence_cannot_swallow_the_question),
		PROMISE(strings_that_only_the_terminal_is_in_are_ended),
		PROMISE(colours_of_the_program_do_not_hide_the_question),
		PROMISE(every_way_to_say_a_colour_is_seen),
		cmocka_unit_test(modes_are_followed_through_noise),
		cmocka_unit_test(empty_lines_are_known_for_sure),
		PROMISE(questions_from_another_thread_lose_nothing),
		PROMISE(under_a_question_the_job_does_not_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
