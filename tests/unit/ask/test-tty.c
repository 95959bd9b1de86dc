/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the terminal approver, kept on a real pseudo-terminal. The
 * person is a child process on the master side: it waits until a text stands
 * on the screen, then presses keys, and hands over all it saw. */

#include "person.h"
#include "ask/approver.h"
#include "ask/tty/ring.h"

#define THE_END "<the end>"
#define WIDTH "always in ~/work:  s this file   d "
#define MESSAGE "       message: "

#define WORD_SAYS "for a yes, type "

/* wait for the text (after what was seen before), then send the keys. */
struct step {
	const char *wait;
	const char *send; /* NULL: hang up; THE_WORD: what stands behind the text, and Enter */
};

static const char THE_WORD[] = "";

/* Where it ends that was waited for; 0: it never came. */
static size_t
send_word(int master, struct seen *seen, size_t at)
{
	size_t end = look_for(master, seen, at, " and Enter: ");

	if (end == 0 || fd_write_all(master, seen->text + at, 4) < 0 ||
		fd_write_all(master, "\r", 1) < 0)
		return 0;
	return end;
}

static int
play(int master, struct seen *seen, const struct step *steps, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		at = look_for(master, seen, at, steps[i].wait);
		if (at == 0)
			return 1;
		if (!steps[i].send)
			return 0;
		if (steps[i].send == THE_WORD) {
			at = send_word(master, seen, at);
			if (at == 0)
				return 1;
		} else if (fd_write_all(master, steps[i].send, strlen(steps[i].send)) < 0)
			return 1;
	}
	return look_for(master, seen, at, THE_END) ? 0 : 1;
}

/* Asks while the person plays the steps. What ask returned. */
static int
ask(struct pty *pty, const struct ambit_question *question, const struct step *steps, size_t n,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	bool hangs_up = n > 0 && !steps[n - 1].send;
	int status = -1, r;
	pid_t person;

	pty->seen->len = 0;
	pty->seen->text[0] = '\0';
	person = fork();
	assert_true(person >= 0);
	if (person == 0) {
		close(pty->slave);
		_exit(play(pty->master, pty->seen, steps, n));
	}
	if (hangs_up)
		close(steal_fd(&pty->master));
	r = pty->approver->ask(pty->approver, question, ret_answer, err);
	if (!hangs_up)
		assert_int_equal(fd_write_all(pty->slave, THE_END, strlen(THE_END)), 0);
	assert_int_equal(waitpid(person, &status, 0), person);
	if (status != 0)
		fail_msg("the person did not see what was promised: %s", pty->seen->text);
	return r;
}

#define STEPS(...)                                                                                 \
	(const struct step[]){ __VA_ARGS__ },                                                      \
		sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step)

static void
assert_answer(struct pty *pty, const struct ambit_question *question, const struct step *steps,
	size_t n, enum ambit_answer_kind kind, const char *path, const char *message)
{
	struct ambit_answer answer = { .kind = AMBIT_ALWAYS, .path = "unset", .message = "unset" };
	struct ambit_error err = { 0 };
	int r = ask(pty, question, steps, n, &answer, &err);

	if (r < 0)
		fail_msg("%s\n%s", err.text, pty->seen->text);
	assert_int_equal(answer.kind, kind);
	assert_string_equal(answer.path, path);
	assert_string_equal(answer.message, message);
	assert_modes(pty->slave, &pty->before);
}

static void
assert_shown(const struct pty *pty, const char *text)
{
	if (!strstr(pty->seen->text, text))
		fail_msg("'%s' is not in: %s", text, pty->seen->text);
}

static void
assert_not_shown(const struct pty *pty, const char *text)
{
	if (strstr(pty->seen->text, text))
		fail_msg("'%s' is in: %s", text, pty->seen->text);
}

/* -- questions of the other kind ---------------------------------------- */

static struct ambit_choice call_choices[] = {
	{ .kind = AMBIT_NO, .stores = (char *)"nothing" },
	{ .kind = AMBIT_NO_SESSION, .stores = (char *)"no example.org:443, this session" },
	{ .kind = AMBIT_ONCE,
		.label = (char *)"this process",
		.stores = (char *)"connect example.org:443, this process" },
	{ .kind = AMBIT_FILE,
		.label = (char *)"this session",
		.stores = (char *)"connect example.org:443, this session" },
	{ .kind = AMBIT_ALWAYS,
		.label = (char *)"this host",
		.stores = (char *)"connect example.org:443, always" },
};

static struct ambit_question
call_question(void)
{
	struct ambit_question question = path_question();

	question.what = (char *)"connect example.org:443";
	question.kind = (char *)"host";
	question.act = (char *)"connect";
	question.object = (char *)"example.org:443";
	question.because = (char *)"this host is not allowed yet";
	question.choices = call_choices;
	question.n_choices = sizeof(call_choices) / sizeof(call_choices[0]);
	question.folder = question.n_choices;
	return question;
}

/* -- answers ---------------------------------------------------------------- */

static void
the_question_is_four_lines(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
	assert_shown(pty,
		"\r\nambit  write ~/u/a/b/c\r\n"
		"       by sed (bash > sed); outside ~/work\r\n"
		"       y once   s this file, this session   d all of ~/u/a, this session\r\n"
		"       n no     a always in this project...   ? more               "
		"Enter = no\r\n");
	assert_shown(pty, "Enter = no\r\n" PROMPT "n\r\n");
	assert_not_shown(pty, "\x1b");
	assert_shown(pty, "\r\nrefused\r\n");
}

static void
a_question_rings_when_it_appears_and_once(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	const char *bell;

	assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
	assert_not_shown(pty, "\a");
	approver_set_ring(pty->approver, RING_BELL | RING_OSC9);
	question.what = (char *)"write ~/u/\033]0;x\a";
	assert_answer(pty, &question, STEPS({ PROMPT, "\x3f" }, { PROMPT, "n" }), AMBIT_NO, "", "");
	bell = strchr(pty->seen->text, '\a');
	assert_non_null(bell);
	assert_ptr_equal(strrchr(pty->seen->text, '\a'), bell);
	assert_true(bell < strstr(pty->seen->text, PROMPT));
	assert_shown(pty, "\033]9;ambit asks: write ~/u/\\x1b]0,x\\x07\033\\");
}

static void
every_key_gives_its_answer(void **state)
{
	static const struct {
		const char *key;
		enum ambit_answer_kind kind;
		const char *path, *shown;
	} rows[] = {
		{ "y", AMBIT_ONCE, "", "allowed: write in ~/u/a/b, until sed exits\r\n" },
		{ "s", AMBIT_FILE, "", "allowed: write ~/u/a/b/c, this session\r\n" },
		{ "d", AMBIT_FOLDER, "/h/u/a", "allowed: write beneath ~/u/a, this session\r\n" },
		{ "n", AMBIT_NO, "", "n\r\nrefused\r\n" },
		{ "\r", AMBIT_NO, "", "refused\r\n" },
		{ "\n", AMBIT_NO, "", "refused\r\n" },
		{ "\x1b", AMBIT_NO, "", "refused\r\n" },
		{ "\x1by", AMBIT_NO, "", "refused\r\n" },
		{ "\x03", AMBIT_NO, "", "refused\r\n" },
		{ "\x04", AMBIT_NO, "", "refused\r\n" },
		{ "y\r", AMBIT_ONCE, "", "allowed: write in" },
	};
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_answer(pty, &question, STEPS({ PROMPT, rows[i].key }), rows[i].kind,
			rows[i].path, "");
		assert_shown(pty, rows[i].shown);
	}
}

/* Keys that are not in the four lines count only behind the one that shows them. */
static void
rare_keys_count_after_the_question_mark(void **state)
{
	static const char *const rare[] = { "N", "m", "+", "-", "\x1b[A" };
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	for (size_t i = 0; i < sizeof(rare) / sizeof(rare[0]); i++)
		assert_answer(pty, &question,
			STEPS({ PROMPT, rare[i] }, { "one of these keys, please: y s d n a ?", "" },
				{ PROMPT, "n" }),
			AMBIT_NO, "", "");
	assert_answer(
		pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "N" }), AMBIT_NO_SESSION, "", "");
	assert_shown(pty, "refused: no writes to ~/u/a/b/c, this session\r\n");
	/* And it takes them back. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "?" }, { PROMPT, "N" },
			{ "one of these keys", "" }, { PROMPT, "n" }),
		AMBIT_NO, "", "");
}

static void
the_folder_is_widened_and_narrowed_and_always_follows(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "+" }, { PROMPT, "d" }),
		AMBIT_FOLDER, "/h/u", "");
	assert_shown(pty, "d all of ~/u, this session\r\n");
	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "-" }, { PROMPT, "d" }),
		AMBIT_FOLDER, "/h/u/a/b", "");
	assert_shown(pty, "d all of ~/u/a/b, this session\r\n");
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "\x1b[B" }, { PROMPT, "\x1bOA" },
			{ PROMPT, "\x1b[A" }, { PROMPT, "d" }),
		AMBIT_FOLDER, "/h/u", "");
	/* Past the end the folder stays where it is; for that one there is no rule. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "+" }, { PROMPT, "+" },
			{ "one of these keys", "" }, { PROMPT, "a" },
			{ "always in ~/work:  s this file    ", "" }, { PROMPT, "d" },
			{ PROMPT, "-" }, { PROMPT, "d" }),
		AMBIT_FOLDER, "/h/u/a", "");
}

static void
always_takes_a_second_key_that_says_how_wide(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	assert_answer(pty, &question, STEPS({ PROMPT, "a" }, { WIDTH, "" }, { PROMPT, "d" }),
		AMBIT_ALWAYS, "/h/u/a", "");
	assert_shown(pty, "       always in ~/work:  s this file   d all of ~/u/a             "
			  "Enter = no\r\n");
	assert_shown(pty, PROMPT "d\r\nallowed: write beneath ~/u/a, always\r\n");
	assert_answer(pty, &question, STEPS({ PROMPT, "a" }, { WIDTH, "" }, { PROMPT, "s" }),
		AMBIT_ALWAYS, "", "");
	assert_shown(pty, "allowed: write ~/u/a/b/c, always\r\n");
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "-" }, { PROMPT, "a" }, { WIDTH, "" },
			{ PROMPT, "d" }),
		AMBIT_ALWAYS, "/h/u/a/b", "");
	assert_answer(pty, &question, STEPS({ PROMPT, "a" }, { WIDTH, "" }, { PROMPT, "\r" }),
		AMBIT_NO, "", "");
	assert_answer(pty, &question, STEPS({ PROMPT, "a" }, { WIDTH, "" }, { PROMPT, "\x1b" }),
		AMBIT_NO, "", "");
	/* Another key, and a second "a" or a "y" is one, goes back to the question. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "a" }, { WIDTH, "" }, { PROMPT, "a" }, { PROMPT, "a" },
			{ WIDTH, "" }, { PROMPT, "y" }, { PROMPT, "s" }),
		AMBIT_FILE, "", "");
}

static void
a_host_has_no_folders_and_is_answered_for_the_session(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = call_question();

	assert_answer(pty, &question, STEPS({ PROMPT, "s" }), AMBIT_FILE, "", "");
	assert_shown(pty, "       y this process   s this session\r\n");
	assert_answer(
		pty, &question, STEPS({ PROMPT, "a" }, { PROMPT, "s" }), AMBIT_ALWAYS, "", "");
	assert_shown(pty, "       always in ~/work:  s this host   ");
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "f" }, { "one of these keys", "" },
			{ PROMPT, "d" }, { "one of these keys", "" }, { PROMPT, "+" },
			{ "one of these keys", "" }, { PROMPT, "y" }),
		AMBIT_ONCE, "", "");
}

static void
what_was_not_offered_cannot_be_answered(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	question.n_choices = 2; /* no, no-session */
	question.folder = 2;
	assert_answer(pty, &question,
		STEPS({ "       n no     ? more   ", "" }, { PROMPT, "y" }, { PROMPT, "f" },
			{ PROMPT, "s" }, { PROMPT, "d" }, { PROMPT, "a" }, { PROMPT, "+" },
			{ PROMPT, "n" }),
		AMBIT_NO, "", "");
	question.n_choices = 0;
	question.folder = 0;
	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "N" }, { "keys, please: n ? m", "" },
			{ PROMPT, "n" }),
		AMBIT_NO, "", "");
}

static void
unknown_keys_and_pastes_answer_nothing(void **state)
{
	static const char *const noise[] = { "x", "Y", " ", "\x01", "\x7f", "\xc3\xa4", "yy", "ya",
		"yes\r", "\x1b[C", "\x1b[1;5A", "\x1b[?2004;1$y", "\x1bOy", "\x1b[15~", "\x1b[Ay",
		"\x13", "y y" };
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		assert_answer(pty, &question,
			STEPS({ PROMPT, noise[i] }, { "one of these keys", "" }, { PROMPT, "n" }),
			AMBIT_NO, "", "");
	assert_not_shown(pty, "\a");
}

static void
explain_tells_every_key_and_every_reason(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "y" }), AMBIT_ONCE, "", "");
	assert_shown(pty, "asked: write /h/u/a/b/c\r\n");
	assert_shown(pty, "by: sed (pid 4120)\r\n");
	assert_shown(pty, "stores: write beneath ~/u/a, this session\r\n");
	assert_shown(pty, "s stores: write ~/u/a/b/c, always\r\n");
	assert_shown(pty, "m no, with a line of text that the agent will read\r\n");
	assert_shown(pty, "code: Outside\r\n");
	assert_shown(pty, "hint: ask\r\n");
	assert_shown(pty, "paths says ask: layer words\r\n");
	question.outcome = (char *)"not json";
	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "y" }), AMBIT_ONCE, "", "");
	question.outcome = NULL;
	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "y" }), AMBIT_ONCE, "", "");
}

static void
a_no_can_carry_an_edited_message(void **state)
{
	static const struct {
		const char *typed, *message;
	} rows[] = {
		{ "use the cache\r", "use the cache" },
		{ "\r", "" },
		{ "abx\177c\r", "abc" },
		{ "x\177\177\by\n", "y" },
		{ "wrong\025right\r", "right" },
		{ "a\303\244\177b\r", "ab" },
		{ "gr\303\274\303\237\r", "gr\303\274\303\237" },
		{ "back\\slash\r", "back\\slash" },
		{ "a\001\007\tb\377\200\342\200\256c\r", "abc" },
		{ "left\033[D\033OD.\r", "left." },
		{ "one\rtwo\r", "one" },
		{ "cut\360\r", "cut" },
		{ "said\003", "" },
		{ "said\004", "" },
		{ "said\033", "" },
	};
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_answer(pty, &question,
			STEPS({ PROMPT, "?" }, { PROMPT, "m" }, { MESSAGE, rows[i].typed }),
			AMBIT_NO, "", rows[i].message);
		assert_shown(
			pty, rows[i].message[0] ? "refused, with your message" : "refused\r\n");
	}
}

static void
a_message_may_come_byte_by_byte_and_is_cut_to_fit(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	char typed[602], cut[512];

	assert_answer(pty, &question,
		STEPS({ PROMPT, "?" }, { PROMPT, "m" }, { MESSAGE, "a" }, { "a", "\xc3" },
			{ "", "\xa4" }, { "\xc3\xa4", "z" }, { "z", "\r" }),
		AMBIT_NO, "", "a\xc3\xa4z");
	for (size_t i = 0; i < 600; i += 2)
		memcpy(typed + i, "\xc3\xa4", 2);
	memcpy(typed + 600, "\r", 2);
	memcpy(cut, typed, 510);
	cut[510] = '\0';
	assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "m" }, { MESSAGE, typed }),
		AMBIT_NO, "", cut);
}

/* -- time, hangup ----------------------------------------------------------- */

static void
no_answer_in_time_is_a_no_that_says_so(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error err;

	question.expires = clock_now() + 100;
	assert_int_equal(ask(pty, &question, NULL, 0, &answer, &err), -ETIMEDOUT);
	assert_shown(pty, "expired: nobody answered\r\n");
	assert_modes(pty->slave, &pty->before);
	/* Halfway through is not an answer either. What follows one that went waits for a rest,
	 * for a longer one if something was half typed. */
	question.expires = clock_now() + 1500;
	assert_int_equal(ask(pty, &question, STEPS({ PROMPT, "a" }), &answer, &err), -ETIMEDOUT);
	question.expires = clock_now() + 2500;
	assert_int_equal(
		ask(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "m" }, { MESSAGE, "half" }),
			&answer, &err),
		-ETIMEDOUT);
	assert_shown(pty, "(what you typed was dropped: pause for a second)");
	assert_modes(pty->slave, &pty->before);
	question.expires = clock_now() - 1;
	assert_int_equal(ask(pty, &question, NULL, 0, &answer, &err), -ETIMEDOUT);
	assert_not_shown(pty, "ambit  ");
	assert_int_equal(answer.kind, AMBIT_NO);
}

static void
a_question_that_expires_later_can_be_answered(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	question.expires = clock_now() + 3600000;
	assert_answer(pty, &question, STEPS({ PROMPT, "y" }), AMBIT_ONCE, "", "");
	question.expires = INT64_MAX;
	assert_answer(pty, &question, STEPS({ PROMPT, "y" }), AMBIT_ONCE, "", "");
}

static void
a_terminal_that_hangs_up_is_a_no(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error err;

	assert_int_equal(ask(pty, &question, STEPS({ PROMPT, NULL }), &answer, &err), -EIO);
	assert_int_equal(answer.kind, AMBIT_NO);
	assert_string_equal(err.text, "the terminal is gone");
	/* And the next question does not even begin. */
	assert_true(pty->approver->ask(pty->approver, &question, &answer, &err) < 0);
}

/* -- the terminal's own state ----------------------------------------------- */

static void
any_mode_is_put_back_byte_for_byte(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	struct termios cooked = pty->before;

	for (int i = 0; i < 4; i++) {
		pty->before = cooked;
		if (i == 0)
			cfmakeraw(&pty->before);
		if (i == 1)
			pty->before.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
		if (i == 2)
			pty->before.c_iflag |= IGNCR | ISTRIP | IUCLC;
		if (i == 3)
			pty->before.c_cc[VMIN] = 0, pty->before.c_cc[VTIME] = 7;
		assert_int_equal(tcsetattr(pty->slave, TCSANOW, &pty->before), 0);
		pty->before = modes_of(pty->slave);
		assert_answer(pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "N" }),
			AMBIT_NO_SESSION, "", "");
		assert_answer(pty, &question, STEPS({ PROMPT, "\r" }), AMBIT_NO, "", "");
		/* Lines are ended, whatever the mode was. */
		assert_shown(pty, "; outside ~/work\r\n");
	}
}

static void
keys_are_not_echoed_and_the_choice_is_said_once(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	assert_answer(
		pty, &question, STEPS({ PROMPT, "\x1b[C" }, { PROMPT, "y" }), AMBIT_ONCE, "", "");
	assert_not_shown(pty, "^[");
	assert_not_shown(pty, "\x1b");
	assert_shown(pty, PROMPT "y\r\nallowed: ");
}

static void
what_was_typed_before_the_prompt_answers_nothing(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	struct ambit_choice choices[sizeof(path_choices) / sizeof(path_choices[0])];

	assert_int_equal(fd_write_all(pty->master, "y\ny", 3), 0);
	assert_answer(
		pty, &question, STEPS({ PROMPT, "?" }, { PROMPT, "N" }), AMBIT_NO_SESSION, "", "");
	/* Nor does what is typed while it is being drawn, which cannot end before
	 * the person has read more. */
	question.because = huge_text();
	assert_answer(pty, &question, STEPS({ "ambit  ", "y" }, { PROMPT, "n" }), AMBIT_NO, "", "");
	free(question.because);
	/* Nor what is typed behind "a", before it was seen how wide it is. */
	question = path_question();
	question.choices = memcpy(choices, path_choices, sizeof(choices));
	choices[9].label = huge_text();
	assert_answer(pty, &question,
		STEPS({ PROMPT, "a" }, { "always in ~/work:", "s" }, { PROMPT, "\r" }), AMBIT_NO,
		"", "");
	free(choices[9].label);
}

/* The rest of a paste, or of what a terminal says, comes in pieces. */
static void
a_yes_stands_alone(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	/* Behind anything, and behind the prompt itself: all of these come too soon. */
	tty_set_pace(pty->approver, 3600 * 1000, 0);
	assert_answer(pty, &question,
		STEPS({ PROMPT, "y" }, { "one of these keys", "" }, { PROMPT, "xx" },
			{ PROMPT, "s" }, { PROMPT, "?" }, { PROMPT, "a" },
			{ "one of these keys", "" }, { PROMPT, "N" }),
		AMBIT_NO_SESSION, "", "");
	tty_set_pace(pty->approver, 0, 0);
	assert_answer(pty, &question, STEPS({ PROMPT, "xx" }, { PROMPT, "y" }), AMBIT_ONCE, "", "");
}

/* The person was typing to something else, and had not read it. */
static void
keys_count_when_the_question_has_stood_for_a_while(void **state)
{
	static const char told[] = "(what you typed was dropped: pause for a moment)\r\n";
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	const char *at;

	tty_set_pace(pty->approver, 0, 2000);
	assert_answer(pty, &question, STEPS({ "Enter = no", "y" }, { told, "a" }, { PROMPT, "n" }),
		AMBIT_NO, "", "");
	at = strstr(pty->seen->text, told);
	assert_null(strstr(at + 1, told));
	assert_true(strstr(pty->seen->text, PROMPT) > at);
	/* It was there before the question. */
	tty_set_pace(pty->approver, 0, 50);
	assert_int_equal(fd_write_all(pty->master, "y\r", 2), 0);
	assert_answer(pty, &question, STEPS({ told, "" }, { PROMPT, "n" }), AMBIT_NO, "", "");
	/* Nothing was typed: nothing is said. */
	assert_answer(pty, &question, STEPS({ PROMPT, "y" }), AMBIT_ONCE, "", "");
	assert_not_shown(pty, "dropped");
}

/* Where the program has the terminal as well, it can have it say a letter. */
static void
a_yes_on_a_shared_terminal_takes_the_word(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	ambit_approver_destroy(pty->approver);
	assert_int_equal(approver_on_tty(pty->slave, pty->slave, TTY_SHARED | TTY_CLEAR,
				 &pty->approver, NULL),
		0);
	tty_set_pace(pty->approver, 0, 0);
	assert_answer(pty, &question, STEPS({ PROMPT, "y" }, { WORD_SAYS, THE_WORD }), AMBIT_ONCE,
		"", "");
	assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
	/* Another word, none, and giving up. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "y" }, { WORD_SAYS, "hhhhh\r" }, { PROMPT, "y" },
			{ WORD_SAYS, "\r" }, { PROMPT, "?" }, { PROMPT, "N" }),
		AMBIT_NO_SESSION, "", "");
	assert_answer(pty, &question,
		STEPS({ PROMPT, "y" }, { WORD_SAYS, "\x03" }, { PROMPT, "y" },
			{ WORD_SAYS, THE_WORD }),
		AMBIT_ONCE, "", "");
	/* Whoever cannot read it. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "y" }, { WORD_SAYS, "hhhhh\r" }, { PROMPT, "d" },
			{ WORD_SAYS, "hhhhh\r" }, { PROMPT, "s" }, { WORD_SAYS, "hhhhh\r" }),
		AMBIT_NO, "", "");
	assert_shown(pty, "that was not the word (");
	/* A rule is two yeses. */
	assert_answer(pty, &question,
		STEPS({ PROMPT, "a" }, { WORD_SAYS, THE_WORD }, { WIDTH, "" }, { PROMPT, "s" },
			{ WORD_SAYS, "\r" }, { "not the word", "" }, { WIDTH, "" },
			{ PROMPT, "\r" }),
		AMBIT_NO, "", "");
	/* It begins outside of whatever the program has left open, over nothing of it. */
	assert_true(str_prefix(pty->seen->text, "\x18\033\\"));
	assert_shown(pty, "\r\n\033[J\r\nambit  write ");
}

static void
two_questions_in_a_row_are_two_answers(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question(), other = call_question();

	/* The Enter behind the key belongs to no later question. */
	assert_answer(pty, &question, STEPS({ PROMPT, "d\r" }), AMBIT_FOLDER, "/h/u/a", "");
	assert_answer(pty, &other, STEPS({ PROMPT, "s" }), AMBIT_FILE, "", "");
	assert_answer(pty, &question, STEPS({ PROMPT, "y" }), AMBIT_ONCE, "", "");
	assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
}

/* -- hostile names ---------------------------------------------------------- */

#define HOSTILE "\033[2Jx\033]0;t\007\r\ny\2331m\302\2332m\177\b\342\200\256.\377\001"

/* Only printable text, line ends and, with colour, our own three sequences. */
static void
assert_tame(const struct pty *pty, bool colour)
{
	static const char *const own[] = { "\x1b[0m", "\x1b[1m", "\x1b[1;31m" };
	const char *at = pty->seen->text;

	assert_true(str_is_utf8(at, strlen(at)));
	while (*at) {
		unsigned point = 0;
		size_t n = str_utf8(at, strlen(at), &point);

		for (size_t i = 0; colour && *at == '\x1b' && i < 3; i++)
			if (str_prefix(at, own[i])) {
				at += strlen(own[i]);
				n = str_utf8(at, strlen(at), &point);
				i = 0;
			}
		if (point >= 0x20 ? point == 0x7f || (point >= 0x80 && point < 0xa0) ||
					    point == 0x202e
				  : point != '\r' && point != '\n')
			fail_msg("U+%04X on the screen", point);
		at += n;
	}
}

static void
hostile_names_cannot_steer_the_terminal(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	struct ambit_choice hostile[sizeof(path_choices) / sizeof(path_choices[0])];

	memcpy(hostile, path_choices, sizeof(hostile));
	for (size_t i = 0; i < question.n_choices; i++)
		hostile[i].stores = hostile[i].label = (char *)HOSTILE;
	for (size_t i = 4; i < question.n_choices; i++)
		hostile[i].path = i != 7 ? (char *)"/" HOSTILE : NULL;
	question.choices = hostile;
	question.who = question.what = question.why = (char *)HOSTILE;
	question.act = question.object = question.danger = question.by = (char *)HOSTILE;
	question.because = question.project = (char *)HOSTILE;
	question.outcome = (char *)"{\"code\":\"\\u001b[2J\",\"reason\":\"\\u009b2J\",\"layers\":"
				   "[{\"layer\":\"\\u001b[2J\",\"reason\":\"\\u202e\"},7]}";
	for (int colour = 0; colour < 2; colour++) {
		assert_answer(pty, &question,
			STEPS({ PROMPT, "?" }, { PROMPT, "-" }, { PROMPT, "a" }, { PROMPT, "d" }),
			AMBIT_ALWAYS, "/" HOSTILE, "");
		assert_tame(pty, colour);
		assert_shown(pty, "\\x1b[2Jx\\x1b]0;t\\x07\\r\\ny\\x9b1m\\u009b2m\\x7f\\x08\\u202e"
				  ".\\xff\\x01");
		assert_int_equal(strstr(pty->seen->text, "\x1b[1m") != NULL, colour);
		ambit_approver_destroy(pty->approver);
		assert_int_equal(
			approver_on_tty(pty->slave, pty->slave, TTY_COLOUR, &pty->approver, NULL),
			0);
		tty_set_pace(pty->approver, 0, 0);
	}
}

static void
what_is_escaped_already_is_not_escaped_twice(void **state)
{
	struct pty *pty = *state;
	struct ambit_question question = path_question();

	question.object = (char *)"~/a\\x1b[2J\\\\b";
	assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
	assert_shown(pty, "write ~/a\\x1b[2J\\\\b\r\n");
}

/* All of it in order, and no line of it at the margin, where it could pose as
 * one of ambit's own. */
static void
long_text_is_wrapped_but_never_cut(void **state)
{
	static const unsigned short widths[] = { 40, 60, 10, 1 };
	struct pty *pty = *state;
	struct ambit_question question = path_question();
	char name[1024], joined[4 * sizeof(name)];

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = i % 97 < 30 ? ' ' : (char)('a' + i % 26);
	name[0] = 'x'; /* behind the act a space would be the second of two */
	name[sizeof(name) - 1] = '\0';
	auto_free char *shown = str_show(name);

	question.kind = (char *)"call";
	question.object = name;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct winsize size = { .ws_col = widths[i], .ws_row = 24 };
		size_t n = 0;

		assert_int_equal(ioctl(pty->master, TIOCSWINSZ, &size), 0);
		assert_answer(pty, &question, STEPS({ PROMPT, "n" }), AMBIT_NO, "", "");
		const char *at = strstr(pty->seen->text, "ambit  write ");

		assert_non_null(at);
		for (at += 13; n < strlen(shown); at++) {
			assert_true(*at != '\0');
			if (str_prefix(at, "\r\n")) {
				/* No line of the question itself begins there. */
				assert_true(str_prefix(at, "\r\n           "));
				at += 12;
			} else {
				joined[n++] = *at;
			}
		}
		joined[n] = '\0';
		assert_string_equal(joined, shown);
	}
}

#define tty_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		tty_test(a_question_rings_when_it_appears_and_once),
		tty_test(the_question_is_four_lines),
		tty_test(every_key_gives_its_answer),
		tty_test(rare_keys_count_after_the_question_mark),
		tty_test(the_folder_is_widened_and_narrowed_and_always_follows),
		tty_test(always_takes_a_second_key_that_says_how_wide),
		tty_test(a_host_has_no_folders_and_is_answered_for_the_session),
		tty_test(what_was_not_offered_cannot_be_answered),
		tty_test(unknown_keys_and_pastes_answer_nothing),
		tty_test(a_yes_stands_alone),
		tty_test(keys_count_when_the_question_has_stood_for_a_while),
		tty_test(a_yes_on_a_shared_terminal_takes_the_word),
		tty_test(explain_tells_every_key_and_every_reason),
		tty_test(a_no_can_carry_an_edited_message),
		tty_test(a_message_may_come_byte_by_byte_and_is_cut_to_fit),
		tty_test(no_answer_in_time_is_a_no_that_says_so),
		tty_test(a_question_that_expires_later_can_be_answered),
		tty_test(a_terminal_that_hangs_up_is_a_no),
		tty_test(any_mode_is_put_back_byte_for_byte),
		tty_test(keys_are_not_echoed_and_the_choice_is_said_once),
		tty_test(what_was_typed_before_the_prompt_answers_nothing),
		tty_test(two_questions_in_a_row_are_two_answers),
		tty_test(hostile_names_cannot_steer_the_terminal),
		tty_test(what_is_escaped_already_is_not_escaped_twice),
		tty_test(long_text_is_wrapped_but_never_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
