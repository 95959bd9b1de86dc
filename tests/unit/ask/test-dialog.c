/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the dialogue, without a terminal: keys in, lines and an answer out.
 * What it shows on a terminal is test-tty.c's. */

#include "person.h"

#include "ask/question-copy.h"
#include "ask/question-wire.h"
#include "ask/tty/dialog.h"

static struct dialog *
open_dialog(const struct ambit_question *question)
{
	struct dialog *dialog = NULL;

	assert_int_equal(dialog_create(question, &dialog, NULL), 0);
	assert_int_equal(dialog_state(dialog), DIALOG_ASKING);
	assert_null(dialog_answer(dialog));
	return dialog;
}

static void
assert_text(const struct dialog *dialog, const char *text, bool there)
{
	auto_free char *shown = dialog_text(dialog, 80, false);

	assert_non_null(shown);
	if ((strstr(shown, text) != NULL) != there)
		fail_msg("'%s' is %s: %s", text, there ? "not in" : "in", shown);
}

static void
a_key_is_one_key_or_none(void **state)
{
	static const struct {
		const char *chunk;
		bool last;
		int key;
	} rows[] = {
		{ "y", false, 'y' },
		{ "y\r", false, 'y' },
		{ "yy", false, DIALOG_KEY_NONE },
		{ "\r", false, DIALOG_KEY_ENTER },
		{ "\nyes", false, DIALOG_KEY_ENTER },
		{ "\x03y", false, 3 },
		{ "\x04", false, 4 },
		{ "\t", false, '\t' },
		{ "\x1a", false, 0x1a },
		{ "\x1b", false, DIALOG_KEY_MORE },
		{ "\x1b", true, DIALOG_KEY_ESC },
		{ "\x1by", false, DIALOG_KEY_ESC },
		{ "\x1b[", false, DIALOG_KEY_MORE },
		{ "\x1b[", true, DIALOG_KEY_NONE },
		{ "\x1b[A", false, DIALOG_KEY_UP },
		{ "\x1bOB", false, DIALOG_KEY_DOWN },
		{ "\x1b[5~", false, DIALOG_KEY_PAGE_UP },
		{ "\x1b[6~", false, DIALOG_KEY_PAGE_DOWN },
		{ "\x1b[6~y", false, DIALOG_KEY_NONE },
		{ "\x1b[Z", false, DIALOG_KEY_BACK_TAB },
		{ "\x1b[?1;2y", false, DIALOG_KEY_NONE },
		{ "\x7f", false, DIALOG_KEY_NONE },
		{ "\xc3\xa4", false, DIALOG_KEY_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			key_read(rows[i].chunk, strlen(rows[i].chunk), rows[i].last), rows[i].key);
}

static void
a_key_answers_with_its_own_choice(void **state)
{
	static const struct {
		int key;
		enum ambit_answer_kind kind;
		const char *path, *stores;
		bool yes;
	} rows[] = {
		{ 'y', AMBIT_ONCE, "", "write in ~/u/a/b, until sed exits", true },
		{ 's', AMBIT_FILE, "", "write ~/u/a/b/c, this session", true },
		{ 'd', AMBIT_FOLDER, "/h/u/a", "write beneath ~/u/a, this session", true },
		{ 'n', AMBIT_NO, "", "nothing", false },
		{ DIALOG_KEY_ENTER, AMBIT_NO, "", "", false },
		{ DIALOG_KEY_ESC, AMBIT_NO, "", "", false },
		{ 3, AMBIT_NO, "", "", false },
		{ 4, AMBIT_NO, "", "", false },
	};
	struct ambit_question question = path_question();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dialog *dialog = open_dialog(&question);

		assert_int_equal(dialog_is_yes(dialog, rows[i].key), rows[i].yes);
		assert_int_equal(dialog_key(dialog, rows[i].key), 1);
		assert_int_equal(dialog_state(dialog), DIALOG_ANSWERED);
		assert_int_equal(dialog_answer(dialog)->kind, rows[i].kind);
		assert_string_equal(dialog_answer(dialog)->path, rows[i].path);
		assert_string_equal(dialog_stores(dialog), rows[i].stores);
		/* Answered is answered. */
		assert_int_equal(dialog_key(dialog, 'y'), 0);
		assert_false(dialog_is_yes(dialog, 'y'));
		assert_int_equal(dialog_answer(dialog)->kind, rows[i].kind);
		dialog_destroy(dialog);
	}
}

static void
what_is_no_key_changes_nothing(void **state)
{
	static const int noise[] = { 'f', 'x', 'N', 'm', '+', '-', 'Y', ' ', '\t', 0, -1, 0x7f,
		0x80, 0x179, DIALOG_KEY_NONE, DIALOG_KEY_MORE, DIALOG_KEY_PAGE_UP,
		DIALOG_KEY_BACK_TAB };
	struct ambit_question question = path_question();
	struct dialog *dialog = open_dialog(&question);
	auto_free char *before = dialog_text(dialog, 80, true);

	(void)state;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		auto_free char *after = NULL;

		assert_int_equal(dialog_key(dialog, noise[i]), 0);
		assert_false(dialog_is_yes(dialog, noise[i]));
		after = dialog_text(dialog, 80, true);
		assert_string_equal(before, after);
	}
	dialog_type(dialog, "y\r", 2);
	assert_int_equal(dialog_state(dialog), DIALOG_ASKING);
	dialog_destroy(dialog);
}

static void
always_takes_a_second_key_that_says_how_wide(void **state)
{
	struct ambit_question question = path_question();
	struct dialog *dialog = open_dialog(&question);

	(void)state;
	assert_true(dialog_is_yes(dialog, 'a'));
	assert_int_equal(dialog_key(dialog, 'a'), 1);
	assert_int_equal(dialog_state(dialog), DIALOG_WIDTH);
	assert_text(dialog, "ambit  write ~/u/a/b/c\n", true);
	assert_text(dialog, "always in ~/work:  s this file   d all of ~/u/a", true);
	assert_text(dialog, "y once", false);
	/* Another key goes back. */
	assert_false(dialog_is_yes(dialog, 'a') || dialog_is_yes(dialog, 'y'));
	assert_int_equal(dialog_key(dialog, 'y'), 1);
	assert_int_equal(dialog_state(dialog), DIALOG_ASKING);
	assert_int_equal(dialog_key(dialog, '?'), 1);
	assert_int_equal(dialog_key(dialog, DIALOG_KEY_DOWN), 1);
	assert_int_equal(dialog_key(dialog, 'a'), 1);
	assert_true(dialog_is_yes(dialog, 's') && dialog_is_yes(dialog, 'd'));
	assert_int_equal(dialog_key(dialog, 'd'), 1);
	assert_int_equal(dialog_answer(dialog)->kind, AMBIT_ALWAYS);
	assert_string_equal(dialog_answer(dialog)->path, "/h/u/a/b");
	dialog_destroy(dialog);
	/* Exactly this has no path. */
	dialog = open_dialog(&question);
	dialog_key(dialog, 'a');
	assert_int_equal(dialog_key(dialog, 's'), 1);
	assert_int_equal(dialog_answer(dialog)->kind, AMBIT_ALWAYS);
	assert_string_equal(dialog_answer(dialog)->path, "");
	assert_string_equal(dialog_stores(dialog), "write ~/u/a/b/c, always");
	dialog_destroy(dialog);
	/* Enter and Esc are a no there, too. */
	dialog = open_dialog(&question);
	dialog_key(dialog, 'a');
	assert_int_equal(dialog_key(dialog, DIALOG_KEY_ENTER), 1);
	assert_int_equal(dialog_answer(dialog)->kind, AMBIT_NO);
	assert_string_equal(dialog_stores(dialog), "");
	dialog_destroy(dialog);
}

static void
the_folder_moves_and_the_explanation_comes_and_goes(void **state)
{
	struct ambit_question question = path_question();
	struct dialog *dialog = open_dialog(&question);

	(void)state;
	assert_text(dialog, "d all of ~/u/a, this session\n", true);
	assert_text(dialog, "code: Outside", false);
	assert_int_equal(dialog_key(dialog, '?'), 1);
	assert_text(dialog, "code: Outside\n", true);
	assert_text(dialog, "paths says ask: layer words\n", true);
	assert_text(dialog, "ambit  write ~/u/a/b/c\n", true);
	assert_int_equal(dialog_key(dialog, '+'), 1);
	assert_text(dialog, "d all of ~/u, this session\n", true);
	assert_int_equal(dialog_key(dialog, '+'), 0);
	assert_int_equal(dialog_key(dialog, '?'), 1);
	assert_text(dialog, "code: Outside", false);
	dialog_destroy(dialog);
}

static void
a_no_carries_the_line_that_was_typed(void **state)
{
	struct ambit_question question = path_question();
	struct dialog *dialog = open_dialog(&question);
	char paste[1000];

	(void)state;
	assert_false(dialog_is_yes(dialog, 'm'));
	assert_int_equal(dialog_key(dialog, '?'), 1);
	assert_int_equal(dialog_key(dialog, 'm'), 1);
	assert_int_equal(dialog_state(dialog), DIALOG_TYPING);
	/* Here a key is a letter. */
	assert_int_equal(dialog_key(dialog, 'y'), 0);
	dialog_type(dialog, "use th\xc3", 7);
	dialog_type(dialog, "\xa4 \x07\x1b[Cx\x7f", 8);
	assert_text(dialog, "       message: use th\xc3\xa4 _\n", true);
	dialog_type(dialog, "cache\rnot this", 14);
	assert_int_equal(dialog_answer(dialog)->kind, AMBIT_NO);
	assert_string_equal(dialog_answer(dialog)->message, "use th\xc3\xa4 cache");
	dialog_destroy(dialog);
	dialog = open_dialog(&question);
	dialog_key(dialog, '?');
	dialog_key(dialog, 'm');
	memset(paste, 'z', sizeof(paste));
	dialog_type(dialog, paste, sizeof(paste));
	assert_int_equal(dialog_state(dialog), DIALOG_TYPING);
	dialog_type(dialog, "\x1b", 1);
	assert_int_equal(dialog_answer(dialog)->kind, AMBIT_NO);
	assert_string_equal(dialog_answer(dialog)->message, "");
	dialog_destroy(dialog);
}

/* The question may be gone by the time that it is answered. */
static void
the_question_is_copied(void **state)
{
	struct ambit_question question = path_question(), copy;
	struct dialog *dialog = NULL;

	(void)state;
	assert_int_equal(question_copy(&question, &copy), 0);
	assert_int_equal(dialog_create(&copy, &dialog, NULL), 0);
	question_finish(&copy);
	assert_int_equal(dialog_question(dialog)->id, 1);
	assert_text(dialog, "ambit  write ~/u/a/b/c\n", true);
	assert_int_equal(dialog_key(dialog, 'd'), 1);
	assert_string_equal(dialog_answer(dialog)->path, "/h/u/a");
	dialog_destroy(dialog);
}

/* Columns as draw.c counts them, and never a control byte but the newline. */
static void
assert_fits(const char *text, size_t width)
{
	size_t column = 0;

	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		assert_true(*text == '\n' || (unsigned char)*text >= 0x20);
		if (column >= width)
			fail_msg("wider than %zu: %s", width, text);
	}
}

static void
lines_fit_the_width_in_every_state(void **state)
{
	static const char *const keys[] = { "", "?", "a", "?m" };
	static const size_t widths[] = { 200, 80, 60, 40 };
	struct ambit_question question = path_question();

	(void)state;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			struct dialog *dialog = open_dialog(&question);
			auto_free char *text = NULL;

			for (const char *key = keys[k]; *key; key++)
				assert_int_equal(dialog_key(dialog, *key), 1);
			text = dialog_text(dialog, widths[w], false);
			assert_non_null(text);
			assert_fits(text, widths[w]);
			dialog_destroy(dialog);
		}
}

static const struct ambit_choice host_choices[] = {
	{ .kind = AMBIT_NO, .label = (char *)"no" },
	{ .kind = AMBIT_ONCE, .label = (char *)"this process" },
	{ .kind = AMBIT_FILE, .label = (char *)"this host and port, this session" },
	{
		.kind = AMBIT_FOLDER,
		.path = (char *)"*.b.example.org:443",
		.label = (char *)"*.b.example.org:443, this session",
	},
	{
		.kind = AMBIT_FOLDER,
		.path = (char *)"*.example.org:443",
		.label = (char *)"*.example.org:443, this session",
	},
	{ .kind = AMBIT_ALWAYS, .label = (char *)"this host and port" },
	{
		.kind = AMBIT_ALWAYS,
		.path = (char *)"*.b.example.org:443",
		.label = (char *)"*.b.example.org:443",
	},
	{
		.kind = AMBIT_ALWAYS,
		.path = (char *)"*.example.org:443",
		.label = (char *)"*.example.org:443",
	},
};

/* As the engine makes it: no pattern is offered first. */
static struct ambit_question
host_question(void)
{
	struct ambit_question question = path_question();

	question.kind = (char *)"host";
	question.act = (char *)"connect";
	question.object = (char *)"a.b.example.org:443";
	question.choices = (struct ambit_choice *)host_choices;
	question.n_choices = sizeof(host_choices) / sizeof(host_choices[0]);
	question.folder = question.n_choices;
	return question;
}

static void
press_keys(struct dialog *dialog, const char *keys)
{
	while (*keys)
		dialog_key(dialog, *keys++);
}

static void
patterns_of_a_host_stand_behind_more(void **state)
{
	static const struct {
		const char *keys;
		enum ambit_answer_kind kind;
		const char *path;
	} rows[] = {
		{ "?d", AMBIT_FOLDER, "*.b.example.org:443" },
		{ "?+d", AMBIT_FOLDER, "*.example.org:443" },
		{ "?++-d", AMBIT_FOLDER, "*.b.example.org:443" },
		{ "?ad", AMBIT_ALWAYS, "*.b.example.org:443" },
		{ "?+ad", AMBIT_ALWAYS, "*.example.org:443" },
		{ "?as", AMBIT_ALWAYS, "" },
		{ "as", AMBIT_ALWAYS, "" },
		/* A key that is not shown does nothing. */
		{ "ds", AMBIT_FILE, "" },
		{ "+dy", AMBIT_ONCE, "" },
		{ "ady", AMBIT_ONCE, "" },
		{ "??ds", AMBIT_FILE, "" },
	};
	struct ambit_question question = host_question();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dialog *dialog = open_dialog(&question);

		assert_text(dialog, "*.", false);
		press_keys(dialog, rows[i].keys);
		assert_int_equal(dialog_state(dialog), DIALOG_ANSWERED);
		assert_int_equal(dialog_answer(dialog)->kind, rows[i].kind);
		assert_string_equal(dialog_answer(dialog)->path, rows[i].path);
		dialog_destroy(dialog);
	}
}

/* A program's "folder" means the one that is offered first; of patterns none is. */
static void
a_program_names_the_pattern_that_it_wants(void **state)
{
	static const struct {
		const char *text;
		int r;
	} rows[] = {
		{ "{\"answer\":\"folder\"}", -EINVAL },
		{ "{\"answer\":\"folder\",\"path\":\"*.org:443\"}", -EINVAL },
		{ "{\"answer\":\"folder\",\"path\":\"*.example.org:443\"}", 0 },
		{ "{\"answer\":\"always\",\"path\":\"*.b.example.org:443\"}", 0 },
	};
	struct ambit_question question = host_question();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ambit_answer answer = { 0 };

		assert_int_equal(
			answer_parse(&question, rows[i].text, strlen(rows[i].text), &answer, NULL),
			rows[i].r);
		assert_int_equal(answer.kind != AMBIT_NO, rows[i].r == 0);
	}
}

static void
the_explanation_has_the_pattern_and_whole_paths(void **state)
{
	struct ambit_question question = host_question();
	struct dialog *dialog = open_dialog(&question);

	(void)state;
	press_keys(dialog, "?");
	assert_text(dialog, "d *.b.example.org:443, this session", true);
	assert_text(dialog, "+ d and a offer the next wider one", true);
	press_keys(dialog, "a");
	assert_text(dialog, "d *.b.example.org:443", true);
	dialog_destroy(dialog);
	question = path_question();
	question.choices[question.folder].label =
		(char *)"all of ~/u/with/many/folders/between/it/and/its/last-name, this session";
	dialog = open_dialog(&question);
	assert_text(
		dialog, "this session:  s this file   d all of ~/u/.../and/its/last-name\n", true);
	press_keys(dialog, "?");
	assert_text(dialog, "all of ~/u/with/many/folders/between/it/and/its/last-name", true);
	question.choices[question.folder].label = (char *)"all of ~/u/a, this session";
	dialog_destroy(dialog);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_one_key_or_none),
		cmocka_unit_test(a_key_answers_with_its_own_choice),
		cmocka_unit_test(what_is_no_key_changes_nothing),
		cmocka_unit_test(always_takes_a_second_key_that_says_how_wide),
		cmocka_unit_test(the_folder_moves_and_the_explanation_comes_and_goes),
		cmocka_unit_test(a_no_carries_the_line_that_was_typed),
		cmocka_unit_test(the_question_is_copied),
		cmocka_unit_test(lines_fit_the_width_in_every_state),
		cmocka_unit_test(patterns_of_a_host_stand_behind_more),
		cmocka_unit_test(a_program_names_the_pattern_that_it_wants),
		cmocka_unit_test(the_explanation_has_the_pattern_and_whole_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
