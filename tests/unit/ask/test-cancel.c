/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about questions that are withdrawn while somebody thinks: asked in
 * a thread, withdrawn from another, on a real pseudo-terminal and with a real
 * program. */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "person.h"
#include "scratch.h"
#include "ask/question-copy.h"

#define WITHDRAWN "withdrawn"

/* -- asking in a thread ----------------------------------------------------- */

struct asking {
	struct ambit_approver *approver;
	struct ambit_question question;
	struct ambit_answer answer;
	struct ambit_error err;
	int result;
	pthread_t thread;
};

static void *
run(void *data)
{
	struct asking *a = data;

	a->result = a->approver->ask(a->approver, &a->question, &a->answer, &a->err);
	return NULL;
}

static void
start(struct asking *a, struct ambit_approver *approver, uint64_t id)
{
	*a = (struct asking){
		.approver = approver,
		.question = path_question(),
		.answer = { .kind = AMBIT_ALWAYS },
	};
	a->question.id = id;
	assert_int_equal(pthread_create(&a->thread, NULL, run, a), 0);
}

/* Not for longer than a person would wait. */
static void
join(struct asking *a)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_MS / 1000;
	assert_int_equal(pthread_timedjoin_np(a->thread, NULL, &until), 0);
}

static void
assert_withdrawn(struct asking *a)
{
	join(a);
	assert_int_equal(a->result, -ECANCELED);
	assert_int_equal(a->err.code, ECANCELED);
	assert_int_equal(a->answer.kind, AMBIT_ALWAYS); /* not touched */
}

static void
clear(struct pty *pty)
{
	pty->seen->len = 0;
	pty->seen->text[0] = '\0';
}

/* -- the terminal ----------------------------------------------------------- */

static void
a_withdrawn_question_ends_at_once_and_gives_the_terminal_back(void **state)
{
	struct pty *pty = *state;
	struct asking a;

	for (uint64_t id = 1; id < 20; id++) {
		int64_t began;

		clear(pty);
		start(&a, pty->approver, id);
		assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
		assert_int_equal(modes_of(pty->slave).c_lflag & ICANON, 0);
		began = clock_steady();
		pty->approver->cancel(pty->approver, id, "withdrawn");
		assert_withdrawn(&a);
		assert_true(clock_steady() - began < 5000); /* no poll interval was waited out */
		assert_int_not_equal(
			look_for(pty->master, pty->seen, 0, "\r\n" WITHDRAWN "\r\n"), 0);
		assert_modes(pty->slave, &pty->before);
	}
}

/* Each channel that showed it is told how it ended. */
static void
one_that_was_answered_elsewhere_says_where(void **state)
{
	struct pty *pty = *state;
	struct asking a;

	start(&a, pty->approver, 4);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
	pty->approver->cancel(pty->approver, 4, "allowed in ambit watch");
	assert_withdrawn(&a);
	assert_int_not_equal(
		look_for(pty->master, pty->seen, 0, "\r\nallowed in ambit watch\r\n"), 0);
	clear(pty);
	/* The next one's end is its own. */
	start(&a, pty->approver, 5);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
	pty->approver->cancel(pty->approver, 5, NULL);
	assert_withdrawn(&a);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, "\r\n" WITHDRAWN "\r\n"), 0);
	assert_modes(pty->slave, &pty->before);
}

static void
a_line_that_is_being_typed_is_withdrawn_too(void **state)
{
	struct pty *pty = *state;
	struct asking a;
	size_t at;

	start(&a, pty->approver, 3);
	at = look_for(pty->master, pty->seen, 0, PROMPT);
	assert_int_equal(fd_write_all(pty->master, "?", 1), 0);
	at = look_for(pty->master, pty->seen, at, PROMPT);
	assert_int_equal(fd_write_all(pty->master, "m", 1), 0);
	at = look_for(pty->master, pty->seen, at, "message: ");
	assert_int_not_equal(at, 0);
	assert_int_equal(fd_write_all(pty->master, "leave", 5), 0);
	assert_int_not_equal(look_for(pty->master, pty->seen, at, "leave"), 0);
	pty->approver->cancel(pty->approver, 3, "withdrawn");
	assert_withdrawn(&a);
	assert_modes(pty->slave, &pty->before);
}

static void
withdrawn_before_it_was_asked_it_is_never_shown(void **state)
{
	struct pty *pty = *state;
	struct asking a;

	for (uint64_t id = 5; id < 9; id++) /* others in between do not make it forgotten */
		pty->approver->cancel(pty->approver, id, "withdrawn");
	for (uint64_t id = 5; id < 9; id++) {
		start(&a, pty->approver, id);
		assert_withdrawn(&a);
	}
	assert_int_equal(fd_write_all(pty->slave, "<end>", 5), 0);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, "<end>"), 0);
	assert_string_equal(pty->seen->text, "<end>");
	assert_modes(pty->slave, &pty->before);
}

static void
another_question_is_not_withdrawn(void **state)
{
	struct pty *pty = *state;
	struct asking a;

	pty->approver->cancel(pty->approver, 40, "withdrawn");
	pty->approver->cancel(pty->approver, 0, "withdrawn");
	start(&a, pty->approver, 41);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
	pty->approver->cancel(pty->approver, 40, "withdrawn");
	pty->approver->cancel(pty->approver, 42, "withdrawn");
	pty->approver->cancel(pty->approver, 0, "withdrawn");
	assert_int_equal(fd_write_all(pty->master, "y", 1), 0);
	join(&a);
	assert_int_equal(a.result, 0);
	assert_int_equal(a.answer.kind, AMBIT_ONCE);
	assert_null(strstr(pty->seen->text, WITHDRAWN));
}

/* A word that comes while the question ends must not reach the next one. */
static void
a_late_withdrawal_does_not_hit_the_next_question(void **state)
{
	struct pty *pty = *state;
	struct asking a;

	for (uint64_t id = 100; id < 140; id++) {
		clear(pty);
		start(&a, pty->approver, id);
		assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
		assert_int_equal(fd_write_all(pty->master, "y", 1), 0);
		pty->approver->cancel(pty->approver, id, "withdrawn"); /* races with the key */
		join(&a);
		assert_true(a.result == 0 || a.result == -ECANCELED);
		clear(pty);
		start(&a, pty->approver, id + 1000);
		assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
		assert_int_equal(fd_write_all(pty->master, "y", 1), 0);
		join(&a);
		assert_int_equal(a.result, 0);
		tcflush(pty->slave, TCIFLUSH);
	}
}

static volatile sig_atomic_t caught_in;

static void
note_thread(int number)
{
	(void)number;
	caught_in = (sig_atomic_t)gettid();
}

/* The process' signals are the main thread's: one that waits there does not
 * end the question, and no handler runs on the thread that asks. */
static void
signals_of_the_process_do_not_reach_a_question_in_a_thread(void **state)
{
	static const struct timespec now = { 0 };
	struct sigaction note = { .sa_handler = note_thread }, before;
	struct pty *pty = *state;
	struct asking a;
	sigset_t term, mask;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, &mask);
	sigaction(SIGWINCH, &note, &before);
	start(&a, pty->approver, 9);
	assert_int_not_equal(look_for(pty->master, pty->seen, 0, PROMPT), 0);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	caught_in = 0;
	assert_int_equal(kill(getpid(), SIGWINCH), 0);
	assert_int_equal(caught_in, (int)gettid());
	assert_int_equal(fd_write_all(pty->master, "y", 1), 0);
	join(&a);
	assert_int_equal(a.result, 0);
	assert_int_equal(a.answer.kind, AMBIT_ONCE);
	assert_int_equal(sigtimedwait(&term, NULL, &now), SIGTERM); /* still there */
	sigaction(SIGWINCH, &before, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* -- a program -------------------------------------------------------------- */

/* The program says its group over a FIFO, then waits for good. */
struct helper {
	char dir[SCRATCH_PATH];
	char program[96];
	char fifo[96];
	struct ambit_approver *approver;
};

static int
helper_setup(void **state)
{
	struct helper *h = calloc(1, sizeof(*h));
	char body[512], spec[128];
	struct ambit_error err;

	assert_non_null(h);
	scratch_make(h->dir, sizeof(h->dir));
	snprintf(h->program, sizeof(h->program), "%s/answer", h->dir);
	snprintf(h->fifo, sizeof(h->fifo), "%s/fifo", h->dir);
	assert_int_equal(mkfifo(h->fifo, 0600), 0);
	/* A child of its own in the same group holds the FIFO open as well. */
	snprintf(body, sizeof(body), "#!/bin/sh\nexec 3>'%s'\nsleep 600 &\necho $$ >&3\nwait\n",
		h->fifo);
	auto_close int fd = open(h->program, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	assert_int_equal(fd_write_all(fd, body, strlen(body)), 0);
	close(steal_fd(&fd));
	snprintf(spec, sizeof(spec), "exec:%s", h->program);
	if (ambit_approver_create(spec, NULL, 0, &h->approver, &err) < 0)
		fail_msg("%s", err.text);
	*state = h;
	return 0;
}

static int
helper_teardown(void **state)
{
	struct helper *h = *state;

	ambit_approver_destroy(h->approver);
	unlink(h->program);
	unlink(h->fifo);
	assert_int_equal(rmdir(h->dir), 0);
	free(h);
	return 0;
}

static void
a_withdrawn_program_is_killed_with_its_children(void **state)
{
	struct helper *h = *state;
	struct asking a;
	char text[32] = "";
	ssize_t n;

	start(&a, h->approver, 11);
	auto_close int fifo = open(h->fifo, O_RDONLY | O_CLOEXEC); /* waits for the program */

	n = read(fifo, text, sizeof(text) - 1);
	assert_true(n > 1);
	h->approver->cancel(h->approver, 12, "withdrawn");
	assert_int_equal(pthread_tryjoin_np(a.thread, NULL), EBUSY);
	h->approver->cancel(h->approver, 11, "withdrawn");
	assert_withdrawn(&a);
	/* The end of the FIFO: nobody of the group holds it any more. */
	struct pollfd p = { .fd = fifo, .events = POLLIN };

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(read(fifo, text, sizeof(text)), 0);
}

static void
a_program_is_not_even_started_for_a_withdrawn_question(void **state)
{
	struct helper *h = *state;
	struct asking a;
	auto_close int fifo = open(h->fifo, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char c;

	h->approver->cancel(h->approver, 21, "withdrawn");
	start(&a, h->approver, 21);
	assert_withdrawn(&a);
	assert_int_equal(read(fifo, &c, 1), 0); /* no writer was ever there */
}

/* The signal of a broken pipe is held back without touching the process'. */
static void
a_program_that_reads_nothing_does_not_kill_its_asker(void **state)
{
	struct helper *h = *state;
	struct asking a;
	struct sigaction before;
	auto_free char *huge = huge_text();
	auto_close int fd = open(h->program, O_WRONLY | O_TRUNC | O_CLOEXEC);
	static const char body[] = "#!/bin/sh\nexec <&-\necho '{\"answer\":\"no\"}'\n";
	struct ambit_approver *approver = NULL;
	char spec[128];

	assert_int_equal(fd_write_all(fd, body, strlen(body)), 0);
	close(steal_fd(&fd));
	snprintf(spec, sizeof(spec), "exec:%s", h->program);
	assert_int_equal(ambit_approver_create(spec, NULL, 0, &approver, NULL), 0);
	assert_int_equal(sigaction(SIGPIPE, NULL, &before), 0);
	assert_true(before.sa_handler == SIG_DFL);
	a = (struct asking){ .approver = approver, .question = path_question() };
	a.question.what = huge;
	assert_int_equal(pthread_create(&a.thread, NULL, run, &a), 0);
	join(&a);
	if (a.result < 0)
		fail_msg("%s", a.err.text);
	assert_int_equal(a.answer.kind, AMBIT_NO);
	ambit_approver_destroy(approver);
}

/* -- others ------------------------------------------------------------------ */

static void
only_those_without_a_person_are_instant(void **state)
{
	struct ambit_approver *approver = NULL;
	struct pty *pty = *state;

	assert_false(pty->approver->instant);
	assert_non_null(pty->approver->cancel);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ambit_approver_create(i ? "allow" : "deny", NULL, 0, &approver, NULL), 0);
		assert_true(approver->instant);
		assert_null(approver->cancel);
		ambit_approver_destroy(approver);
	}
}

static void
a_program_is_not_instant(void **state)
{
	struct helper *h = *state;

	assert_false(h->approver->instant);
	assert_non_null(h->approver->cancel);
}

static void
a_copy_of_a_question_is_whole_and_its_own(void **state)
{
	struct ambit_question from = path_question(), to = { 0 };

	(void)state;
	from.expires = 77;
	assert_int_equal(question_copy(&from, &to), 0);
	assert_int_equal(to.id, from.id);
	assert_int_equal(to.expires, 77);
	assert_int_equal(to.folder, from.folder);
	assert_string_equal(to.who, from.who);
	assert_string_equal(to.what, from.what);
	assert_string_equal(to.why, from.why);
	assert_string_equal(to.request, from.request);
	assert_string_equal(to.outcome, from.outcome);
	assert_ptr_not_equal(to.what, from.what);
	assert_int_equal(to.n_choices, from.n_choices);
	for (size_t i = 0; i < to.n_choices; i++) {
		assert_int_equal(to.choices[i].kind, from.choices[i].kind);
		assert_string_equal(to.choices[i].stores, from.choices[i].stores);
		assert_int_equal(to.choices[i].path == NULL, from.choices[i].path == NULL);
		if (to.choices[i].path)
			assert_string_equal(to.choices[i].path, from.choices[i].path);
	}
	question_finish(&to);
	from = (struct ambit_question){ .id = 3 };
	assert_int_equal(question_copy(&from, &to), 0);
	assert_null(to.who);
	assert_int_equal(to.n_choices, 0);
	question_finish(&to);
}

#define tty_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define helper_test(f) cmocka_unit_test_setup_teardown(f, helper_setup, helper_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		tty_test(a_withdrawn_question_ends_at_once_and_gives_the_terminal_back),
		tty_test(one_that_was_answered_elsewhere_says_where),
		tty_test(a_line_that_is_being_typed_is_withdrawn_too),
		tty_test(withdrawn_before_it_was_asked_it_is_never_shown),
		tty_test(another_question_is_not_withdrawn),
		tty_test(a_late_withdrawal_does_not_hit_the_next_question),
		tty_test(signals_of_the_process_do_not_reach_a_question_in_a_thread),
		helper_test(a_withdrawn_program_is_killed_with_its_children),
		helper_test(a_program_is_not_even_started_for_a_withdrawn_question),
		helper_test(a_program_that_reads_nothing_does_not_kill_its_asker),
		tty_test(only_those_without_a_person_are_instant),
		helper_test(a_program_is_not_instant),
		cmocka_unit_test(a_copy_of_a_question_is_whole_and_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
