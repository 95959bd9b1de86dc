/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the screen of `ambit watch`, without a terminal or a socket: what stands
 * on it at any size, what is painted anew, and which keys answer what. */

#include "person.h"

#include "ask/tty/dialog.h"
#include "live/live.h"
#include "watch/board.h"
#include "watch/frame.h"
#include "watch/row.h"

#define NOW 1000000

static int
begin(void **state)
{
	struct board *board = calloc(1, sizeof(*board));

	assert_non_null(board);
	*state = board;
	return 0;
}

static int
finish(void **state)
{
	board_finish(*state);
	free(*state);
	return 0;
}

static void
add_party(struct board *board, uint64_t id, const char *session)
{
	struct live_entry entry = {
		.name = "1-x",
		.pid = 4100,
		.session = session,
		.door = "run",
		.folder = "/home/ada/project",
		.what = "make check",
		.asks = true,
	};

	assert_int_equal(board_party_add(board, id, &entry), 0);
}

static void
add_question(struct board *board, uint64_t party, uint64_t id, const char *what)
{
	struct ambit_question question = path_question();

	question.id = id;
	if (what != NULL) {
		question.what = question.object = (char *)what;
		question.act = question.kind = (char *)"";
	}
	assert_int_equal(board_question_add(board, party, &question), 0);
}

/* The rows as one text, each ended by a newline; they fit. */
static char *
look(struct board *board, size_t rows, size_t columns, bool colour, struct frame *ret_frame)
{
	struct buf all = { 0 };
	struct frame frame;

	assert_int_equal(frame_compose(board, rows, columns, colour, false, NOW, &frame), 0);
	assert_int_equal(frame.n, rows);
	for (size_t i = 0; i < frame.n; i++) {
		size_t used;

		if (!colour) {
			row_fit(frame.rows[i], 10000, &used);
			if (used >= columns)
				fail_msg("too wide: '%s'", frame.rows[i]);
			for (const char *c = frame.rows[i]; *c; c++)
				assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		}
		buf_puts(&all, frame.rows[i]);
		buf_putc(&all, '\n');
	}
	frame_shown(&frame, board);
	board->deaf_until = 0; /* and it was long enough on the screen */
	if (ret_frame)
		*ret_frame = frame;
	else
		frame_finish(&frame);
	return buf_take(&all);
}

static void
assert_seen(struct board *board, size_t rows, size_t columns, const char *text, bool there)
{
	auto_free char *all = look(board, rows, columns, false, NULL);

	if ((strstr(all, text) != NULL) != there)
		fail_msg("'%s' is %s:\n%s", text, there ? "not in" : "in", all);
}

/* As a person does, long after the last ones. */
static int
type(struct board *board, const char *keys)
{
	board->typed = NOW - 1000;
	return board_type(board, keys, strlen(keys), true, NOW);
}

/* One key after the other, none of which answers. */
static void
press(struct board *board, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(type(board, (char[]){ *keys, '\0' }), BOARD_DRAW);
}

/* -- what is to be seen ----------------------------------------------------- */

static void
without_sessions_it_says_so(void **state)
{
	struct board *board = *state;

	assert_seen(board, 24, 80, "no sessions   no questions", true);
	assert_seen(board, 24, 80, "No live session.", true);
	add_party(board, 1, "fix");
	assert_seen(board, 24, 80, "1 session   no questions", true);
	assert_seen(board, 24, 80, "Nothing waits for an answer.", true);
	assert_seen(board, 24, 80, "  fix               run (pid 4100)", true);
	assert_int_equal(type(board, "y"), BOARD_NOTHING);
	assert_int_equal(type(board, "\r"), BOARD_NOTHING);
	assert_int_equal(type(board, "j"), BOARD_DRAW);
	assert_int_equal(type(board, "?"), BOARD_DRAW);
	assert_seen(board, 24, 80, "  y the narrowest yes", true);
	assert_seen(board, 24, 80, "Nothing waits", false);
	assert_int_equal(type(board, "?"), BOARD_DRAW);
	assert_seen(board, 24, 80, "Nothing waits for an answer.", true);
}

static void
a_question_says_all_that_the_prompt_says(void **state)
{
	static const char *const texts[] = {
		" ambit watch   1 session   1 question",
		"fix  run (pid 4100)  /home/ada/project\n",
		"ambit  write ~/u/a/b/c\n"
		"       by sed (bash > sed); outside ~/work\n"
		"       y once   s this file, this session   d all of ~/u/a, this session\n"
		"       n no     a always in this project...   ? more               Enter = no\n",
		"q quit",
	};
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 7, NULL);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_seen(board, 24, 80, texts[i], true);
	assert_seen(board, 24, 80, "-- waiting", false);
	add_question(board, 1, 8, "connect example.org:443");
	assert_seen(board, 24, 80, "1 of 2  fix", true);
	assert_seen(board, 24, 80, "-- waiting ---", true);
	assert_seen(board, 24, 80, "> fix               sed (pid 4120)        write ~/u/a", true);
	assert_seen(board, 24, 80, "  fix               sed (pid 4120)        connect ex", true);
}

static void
the_record_fills_what_is_left(void **state)
{
	struct board *board = *state;
	struct ambit_event event = { .session = "fix", .kind = "decide", .verdict = "deny" };
	char subject[32];

	add_party(board, 1, "fix");
	for (int i = 0; i < 600; i++) {
		snprintf(subject, sizeof(subject), "write /etc/%d.", i);
		event.subject = subject;
		board_event_add(board, &event);
	}
	assert_seen(board, 24, 80, "fix               decide    deny   write /etc/599.\n", true);
	assert_seen(board, 24, 80, "/etc/582.", true);
	assert_seen(board, 24, 80, "/etc/580.", false);
	assert_seen(board, 40, 80, "/etc/566.", true);
	add_question(board, 1, 1, NULL);
	assert_seen(board, 24, 80, "/etc/599.", true);
	assert_seen(board, 24, 80, "/etc/583.", false);
	assert_seen(board, 10, 40, "-- record", false);
}

/* Everything of it can be reached, and a yes waits for that. */
static void
a_long_question_is_scrolled_to_its_end_before_a_yes(void **state)
{
	struct board *board = *state;
	char what[2000];

	memset(what, 'x', sizeof(what));
	memcpy(what, "write /begin", 12);
	memcpy(what + sizeof(what) - 8, "/theend", 8);
	add_party(board, 1, "fix");
	add_question(board, 1, 1, what);
	add_question(board, 1, 2, NULL);
	assert_seen(board, 24, 80, "write /begin", true);
	assert_seen(board, 24, 80, "/theend", false);
	assert_seen(board, 24, 80, " more lines: Space", true);
	assert_int_equal(type(board, "y"), BOARD_DRAW);
	assert_int_equal(type(board, "a"), BOARD_DRAW);
	assert_seen(board, 24, 80, "not read to its end yet", true);
	assert_int_equal(board->n_items, 2);
	for (int i = 0; i < 30 && !board_selected(board)->read; i++) {
		free(look(board, 24, 80, false, NULL));
		assert_int_equal(type(board, " "), BOARD_DRAW);
		free(look(board, 24, 80, false, NULL));
	}
	assert_seen(board, 24, 80, "Enter = no\n", true);
	assert_int_equal(type(board, "b"), BOARD_DRAW);
	assert_int_equal(type(board, "y"), BOARD_ANSWER);
	/* A no needs no reading. */
	assert_int_equal(board_question_remove(board, 1, 1), true);
	add_question(board, 1, 3, what);
	free(look(board, 24, 80, false, NULL));
	assert_int_equal(type(board, "j"), BOARD_DRAW);
	assert_seen(board, 24, 80, "/theend", false);
	assert_int_equal(type(board, "n"), BOARD_ANSWER);
}

/* Without its line ends, of row i and all below it if rest. */
static void
join(struct buf *joined, const struct frame *frame, bool rest)
{
	for (size_t i = 1; i < (rest ? frame->n : 2); i++)
		buf_puts(joined, frame->rows[i] + strspn(frame->rows[i], " "));
}

static void
narrow_windows_cut_nothing(void **state)
{
	static const size_t sizes[][2] = { { 10, 40 }, { 10, 30 }, { 6, 24 }, { 24, 80 },
		{ 5, 200 }, { 60, 24 } };
	struct board *board = *state;
	struct item *item;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, "write ~/0123456789/abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJ");
	item = board_selected(board);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf joined = { 0 };
		struct frame frame = { 0 };

		/* Line by line: the first of each page, at last all there are. */
		for (item->scroll = 0; !frame.whole; item->scroll++) {
			frame_finish(&frame);
			free(look(board, sizes[i][0], sizes[i][1], false, &frame));
			join(&joined, &frame, frame.whole);
		}
		frame_finish(&frame);
		if (!strstr(joined.data, "0123456789/abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJ") ||
			!strstr(joined.data, "all of ~/u/a, this"))
			fail_msg("%zux%zu: %s", sizes[i][1], sizes[i][0], joined.data);
		buf_finish(&joined);
	}
}

static void
a_tiny_window_asks_for_more_and_answers_nothing(void **state)
{
	static const size_t sizes[][2] = { { 4, 80 }, { 24, 20 }, { 1, 80 }, { 2, 2 }, { 1, 1 } };
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		free(look(board, sizes[i][0], sizes[i][1], false, NULL));
		assert_int_equal(type(board, "y"), BOARD_NOTHING);
		assert_int_equal(type(board, "\r"), BOARD_NOTHING);
		assert_int_equal(type(board, "q"), BOARD_QUIT);
	}
	assert_seen(board, 4, 80, "larger, please", true);
	assert_seen(board, 24, 80, "ambit  write", true);
	assert_int_equal(type(board, "y"), BOARD_ANSWER);
}

/* A call's arguments are shown, all of them; that must not take the screen away. */
static void
a_question_of_megabytes_is_drawn_at_once(void **state)
{
	struct board *board = *state;
	char *what = malloc(8 << 20);
	int64_t begin;

	assert_non_null(what);
	memset(what, 'x', (8 << 20) - 1);
	what[(8 << 20) - 1] = '\0';
	add_party(board, 1, "fix");
	add_question(board, 1, 1, what);
	add_question(board, 1, 2, what);
	free(what);
	free(look(board, 24, 80, false, NULL));
	begin = clock_steady();
	for (int i = 0; i < 20; i++) {
		assert_int_equal(type(board, " "), BOARD_DRAW);
		free(look(board, 24, 80, false, NULL));
	}
	assert_true(clock_steady() - begin < 1000);
	assert_false(board_selected(board)->read);
	assert_int_equal(type(board, "\x1b[F"), BOARD_DRAW);
	assert_seen(board, 24, 80, "Enter = no", true);
	assert_true(board_selected(board)->read);
}

/* -- hostile text ----------------------------------------------------------- */

#define HOSTILE "\033[2Jx\033]0;t\007\r\ny\2331m\302\2332m\177\b\342\200\256.\377\001"

static void
nothing_from_elsewhere_steers_the_terminal(void **state)
{
	static const char *const own[] = { ROW_PLAIN, ROW_BOLD, ROW_DIM, ROW_REVERSE, ROW_RED,
		ROW_GREEN, "\x1b[1;31m" };
	struct board *board = *state;
	struct live_entry entry = {
		.session = HOSTILE, .door = HOSTILE, .folder = HOSTILE, .what = HOSTILE
	};
	struct ambit_event event = {
		.session = HOSTILE, .kind = HOSTILE, .verdict = HOSTILE, .subject = HOSTILE
	};
	struct ambit_question question = path_question();
	auto_free char *all = NULL;

	question.who = question.what = question.why = (char *)HOSTILE;
	question.act = question.object = question.danger = question.by = (char *)HOSTILE;
	question.because = question.project = (char *)HOSTILE;
	assert_int_equal(board_party_add(board, 1, &entry), 0);
	board_event_add(board, &event);
	free(look(board, 24, 80, false, NULL)); /* it looks for control bytes */
	assert_int_equal(board_question_add(board, 1, &question), 0);
	question.id = 2;
	assert_int_equal(board_question_add(board, 1, &question), 0);
	board_note(board, NOW, "refused: ", HOSTILE);
	free(look(board, 40, 80, false, NULL));
	all = look(board, 40, 80, true, NULL);
	assert_true(str_is_utf8(all, strlen(all)));
	assert_null(strstr(all, "\342\200\256"));
	assert_null(strstr(all, "\302\233"));
	for (const char *at = all; (at = strchr(at, '\x1b')) != NULL; at++) {
		bool ours = false;

		for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
			ours = ours || str_prefix(at, own[i]);
		assert_true(ours);
	}
}

#define GAPS "a  b\302\240c\342\200\203d\327\220e"
#define SHOWN "a \\x20b\\u00a0c\\u2003d\\u05d0e"

/* In all that comes from elsewhere; what is ambit's own keeps its columns. */
static void
no_name_looks_as_if_it_had_ended(void **state)
{
	struct board *board = *state;
	struct live_entry entry = {
		.session = "s", .door = "run", .folder = "/" GAPS, .what = GAPS, .asks = true
	};
	struct ambit_event event = {
		.session = "s", .kind = "ask", .verdict = "ask", .subject = GAPS
	};
	struct ambit_question question = path_question();
	size_t n = 0;

	assert_int_equal(board_party_add(board, 1, &entry), 0);
	assert_seen(board, 24, 160, "/" SHOWN "  " SHOWN, true);
	question.object = question.because = (char *)GAPS;
	assert_int_equal(board_question_add(board, 1, &question), 0);
	question.id = 2;
	assert_int_equal(board_question_add(board, 1, &question), 0);
	board_event_add(board, &event);
	board_note(board, NOW, "refused: ", GAPS);
	auto_free char *all = look(board, 40, 160, false, NULL);

	assert_null(strstr(all, "a  b"));
	assert_null(strstr(all, "\302\240"));
	assert_null(strstr(all, "\327\220"));
	/* Folder, object, why, both in the list, the record, the last line. */
	for (const char *at = all; (at = strstr(at, SHOWN)) != NULL; at++)
		n++;
	assert_int_equal(n, 7);
	assert_non_null(strstr(all, " ambit watch   1 session   2 questions"));
	assert_non_null(strstr(all, "n no     a always"));
}

static void
colour_changes_no_text_and_every_row_ends_plain(void **state)
{
	struct board *board = *state;
	struct frame frame;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, "write a-name-that-needs-more-than-one-line-in-a-narrow-window");
	add_question(board, 1, 2, NULL);
	auto_free char *plain = look(board, 30, 40, false, NULL);
	auto_free char *all = look(board, 30, 40, true, &frame);
	struct buf stripped = { 0 };

	for (const char *at = all; *at; at++)
		if (*at == '\x1b')
			at = strchr(at, 'm');
		else
			buf_putc(&stripped, *at);
	/* The bar of the title is filled up where it is reversed. */
	assert_string_equal(strchr(stripped.data, '\n'), strchr(plain, '\n'));
	buf_finish(&stripped);
	for (size_t i = 0; i < frame.n; i++) {
		const char *last = strrchr(frame.rows[i], '\x1b');

		assert_true(!last || str_prefix(last, ROW_PLAIN));
	}
	assert_non_null(strstr(all, ROW_BOLD "       "));
	frame_finish(&frame);
}

/* -- painting --------------------------------------------------------------- */

static void
only_rows_that_changed_are_painted(void **state)
{
	struct board *board = *state;
	struct frame before, after;
	struct buf out = { 0 };

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	free(look(board, 24, 80, false, &before));
	frame_paint(NULL, &before, &out);
	assert_true(str_prefix(out.data, "\x1b[0m\x1b[2J\x1b[1;1H ambit watch"));
	buf_finish(&out);
	out = (struct buf){ 0 };
	free(look(board, 24, 80, false, &after));
	frame_paint(&before, &after, &out);
	assert_int_equal(out.len, 0);
	frame_finish(&after);
	board_note(board, NOW, "a note", "");
	free(look(board, 24, 80, false, &after));
	frame_paint(&before, &after, &out);
	assert_string_equal(out.data, "\x1b[24;1H a note\x1b[K");
	frame_finish(&after);
	/* Another size: all of it. */
	buf_finish(&out);
	out = (struct buf){ 0 };
	free(look(board, 24, 79, false, &after));
	frame_paint(&before, &after, &out);
	assert_true(str_prefix(out.data, "\x1b[0m\x1b[2J"));
	buf_finish(&out);
	frame_finish(&after);
	frame_finish(&before);
}

/* -- keys ------------------------------------------------------------------- */

static void
no_key_of_the_screen_is_one_of_a_dialogue(void **state)
{
	struct ambit_question path = path_question(), call = path_question();

	(void)state;
	call.folder = call.n_choices = 4;
	for (const struct screen_key *key = screen_keys; key->key != 0; key++)
		for (int i = 0; i < 2; i++) {
			struct dialog *dialog = NULL;

			assert_int_equal(dialog_create(i ? &call : &path, &dialog, NULL), 0);
			if (key->key != 3) /* quits, and never gets there */
				assert_int_equal(dialog_key(dialog, key->key), 0);
			dialog_destroy(dialog);
		}
}

static void
a_new_question_never_takes_the_selection(void **state)
{
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_party(board, 2, "docs");
	add_question(board, 1, 1, NULL);
	free(look(board, 24, 80, false, NULL));
	add_question(board, 2, 1, "connect example.org:443");
	assert_int_equal(dialog_question(board_selected(board)->dialog)->id, 1);
	assert_int_equal(board_selected(board)->party, 1);
	assert_int_equal(type(board, "j"), BOARD_DRAW);
	assert_int_equal(board_selected(board)->party, 2);
	assert_int_equal(type(board, "\t"), BOARD_DRAW);
	assert_int_equal(board_selected(board)->party, 1);
	assert_int_equal(type(board, "k"), BOARD_DRAW);
	assert_int_equal(board_selected(board)->party, 2);
	assert_int_equal(type(board, "jj"), BOARD_DRAW); /* held down */
	assert_int_equal(board_selected(board)->party, 2);
	/* One that is gone leaves the next, which nobody chose. */
	assert_true(board_question_remove(board, 2, 1));
	assert_int_equal(board_selected(board)->party, 1);
	assert_int_equal(board->deaf_until, BOARD_UNSEEN);
	assert_int_equal(type(board, "y"), BOARD_DRAW);
	assert_int_equal(type(board, "\x1b"), BOARD_DRAW);
	assert_null(dialog_answer(board_selected(board)->dialog));
	board_party_remove(board, 1);
	assert_null(board_selected(board));
	assert_int_equal(board->n_items, 0);
	assert_false(board_question_remove(board, 1, 1));
}

static void
what_is_new_on_the_screen_is_not_answered_at_once(void **state)
{
	static const char *const keys[] = { "y", "n", "\r", "a", "m", "j", " ", "q", "yy" };
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	free(look(board, 24, 80, false, NULL));
	board->deaf_until = NOW + 1;
	board->deaf_for = DIALOG_REST_MS;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_int_equal(type(board, keys[i]), BOARD_DRAW);
		assert_null(dialog_answer(board_selected(board)->dialog));
		assert_int_equal(dialog_state(board_selected(board)->dialog), DIALOG_ASKING);
	}
	assert_int_equal(type(board, "\x03"), BOARD_QUIT);
	assert_int_equal(type(board, "\x1a"), BOARD_STOP);
	board->deaf_until = NOW;
	assert_int_equal(type(board, "y"), BOARD_ANSWER);
}

/* Types text at so many milliseconds a key from now on, as a screen would hand it over;
 * nothing of it may do anything. When the last key was pressed. */
static int64_t
type_in_vain(struct board *board, const char *text, int64_t now, int64_t every)
{
	for (; *text; text++, now += every) {
		board_listen(board, now);
		assert_int_equal(board_type(board, text, 1, true, now), BOARD_DRAW);
		for (size_t i = 0; i < board->n_items; i++)
			assert_int_equal(dialog_state(board->items[i].dialog), DIALOG_ASKING);
	}
	return now - every;
}

static void
assert_last_line(struct board *board, bool deaf, const char *text)
{
	struct frame frame;

	assert_int_equal(frame_compose(board, 24, 80, false, deaf, NOW, &frame), 0);
	assert_string_equal(frame.rows[23], text);
	frame_finish(&frame);
}

/* The agent chooses when a question goes and which one comes: in the middle of a line of
 * text, or between the two keys of a rule. What is typed on is for the one that is gone,
 * at any pace that anybody types. */
static void
what_is_typed_on_answers_no_other_question(void **state)
{
	static const char *const before[] = { "?m", "a" };
	struct board *board = *state;
	int64_t last = NOW;

	add_party(board, 1, "fix");
	for (size_t i = 0; i < 4; i++) {
		bool behind = i & 1; /* the next is there before the first goes, or after */

		add_question(board, 1, 1, NULL);
		if (behind)
			add_question(board, 1, 2, "write ~/.bashrc");
		free(look(board, 24, 80, false, NULL));
		press(board, before[i / 2]);
		assert_true(board_question_remove(board, 1, 1));
		board_seen(board, NOW);
		if (!behind) {
			last = type_in_vain(board, "ya", NOW + 10, 200);
			assert_last_line(board, true,
				" (its question is gone: keys are dropped; pause for a second)");
			add_question(board, 1, 2, "write ~/.bashrc");
			board_seen(board, last + 20);
		}
		assert_last_line(
			board, true, " (new on the screen: keys are dropped; pause for a second)");
		last = type_in_vain(
			board, "y any no days\ryay", behind ? NOW + 10 : last + 200, 200);
		last = type_in_vain(board, "ayn", last + DIALOG_PAUSE_MS - 1, DIALOG_PAUSE_MS - 1);
		assert_false(board_listen(board, last + DIALOG_PAUSE_MS - 1));
		assert_true(board_listen(board, last + DIALOG_PAUSE_MS));
		assert_last_line(board, false, " what you typed was dropped, nothing answered. ");
		board->note[0] = '\0';
		free(look(board, 24, 80, false, NULL));
		assert_int_equal(type(board, "n"), BOARD_ANSWER);
		assert_true(board_question_remove(board, 1, 2));
	}
}

/* Nor does what comes while nobody types wait for more than a moment. */
static void
a_pause_is_as_long_as_it_must_be(void **state)
{
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	add_question(board, 1, 2, NULL);
	board_seen(board, NOW);
	assert_last_line(board, true, " (new on the screen: keys count in a moment)");
	assert_false(board_listen(board, NOW + DIALOG_REST_MS - 1));
	/* A key that came too early begins it anew. */
	type_in_vain(board, "y", NOW + DIALOG_REST_MS - 1, 0);
	assert_last_line(board, true, " (new on the screen: keys are dropped; pause for a moment)");
	assert_false(board_listen(board, NOW + DIALOG_REST_MS));
	assert_true(board_listen(board, NOW + 2 * DIALOG_REST_MS - 1));
	board->note[0] = '\0';
	free(look(board, 24, 80, false, NULL));
	press(board, "?m");
	assert_int_equal(type(board, "\x1b"), BOARD_ANSWER);
	/* One who has just answered looks at the screen; one whose question goes may not. */
	add_question(board, 1, 3, NULL);
	assert_true(board_question_remove(board, 1, 1));
	assert_int_equal(board->deaf_for, DIALOG_NEXT_MS);
	board_seen(board, NOW);
	assert_true(board_listen(board, NOW + DIALOG_NEXT_MS));
	assert_true(board_question_remove(board, 1, 2));
	assert_int_equal(board->deaf_for, DIALOG_REST_MS);
	board_seen(board, NOW);
	assert_true(board_listen(board, NOW + DIALOG_REST_MS));
	free(look(board, 24, 80, false, NULL));
	press(board, "?m");
	/* All of a session go at once: the first of them is what counts. */
	board_party_remove(board, 1);
	assert_int_equal(board->deaf_for, DIALOG_PAUSE_MS);
	assert_int_equal(board->deaf_until, BOARD_UNSEEN);
}

static void
quitting_answers_nothing_in_any_state(void **state)
{
	static const char *const before[] = { "", "a", "?m", "?" };
	struct board *board = *state;

	add_party(board, 1, "fix");
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		add_question(board, 1, 1, NULL);
		free(look(board, 24, 80, false, NULL));
		press(board, before[i]);
		assert_int_equal(type(board, "\x03"), BOARD_QUIT);
		assert_null(dialog_answer(board_selected(board)->dialog));
	}
}

static void
a_message_is_typed_and_shown(void **state)
{
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	free(look(board, 10, 40, false, NULL));
	press(board, "?m");
	assert_int_equal(type(board, "quick, yes"), BOARD_DRAW);
	assert_seen(board, 10, 40, "       message: quick, yes_\n", true);
	assert_int_equal(board_type(board, "\x1b", 1, false, NOW), -EAGAIN);
	assert_int_equal(type(board, "\r"), BOARD_ANSWER);
	assert_string_equal(dialog_answer(board_selected(board)->dialog)->message, "quick, yes");
}

static void
lumps_and_halves_of_keys_answer_nothing(void **state)
{
	static const char *const noise[] = { "yy", "ya", "yes\r", "\x1b[C", "\x1b[?1;2y",
		"\xc3\xa4" };
	struct board *board = *state;

	add_party(board, 1, "fix");
	add_question(board, 1, 1, NULL);
	free(look(board, 24, 80, false, NULL));
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		assert_int_equal(type(board, noise[i]), BOARD_DRAW);
		assert_seen(board, 24, 80, "no such key here", true);
	}
	/* The rest of a paste comes by itself, but not much later. */
	assert_int_equal(board_type(board, "y", 1, true, NOW + 20), BOARD_DRAW);
	assert_int_equal(board_type(board, "s", 1, true, NOW + 40), BOARD_DRAW);
	assert_null(dialog_answer(board_selected(board)->dialog));
	assert_int_equal(board_type(board, "y", 1, true, NOW + 200), BOARD_ANSWER);
}

#define watch_test(f) cmocka_unit_test_setup_teardown(f, begin, finish)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		watch_test(without_sessions_it_says_so),
		watch_test(a_question_says_all_that_the_prompt_says),
		watch_test(the_record_fills_what_is_left),
		watch_test(a_long_question_is_scrolled_to_its_end_before_a_yes),
		watch_test(narrow_windows_cut_nothing),
		watch_test(a_tiny_window_asks_for_more_and_answers_nothing),
		watch_test(a_question_of_megabytes_is_drawn_at_once),
		watch_test(nothing_from_elsewhere_steers_the_terminal),
		watch_test(no_name_looks_as_if_it_had_ended),
		watch_test(colour_changes_no_text_and_every_row_ends_plain),
		watch_test(only_rows_that_changed_are_painted),
		watch_test(no_key_of_the_screen_is_one_of_a_dialogue),
		watch_test(a_new_question_never_takes_the_selection),
		watch_test(what_is_new_on_the_screen_is_not_answered_at_once),
		watch_test(what_is_typed_on_answers_no_other_question),
		watch_test(a_pause_is_as_long_as_it_must_be),
		watch_test(quitting_answers_nothing_in_any_state),
		watch_test(a_message_is_typed_and_shown),
		watch_test(lumps_and_halves_of_keys_answer_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
