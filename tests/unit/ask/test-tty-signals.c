/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the terminal approver about signals and job control. The one
 * who asks is a process with a controlling terminal of its own. */

#include "person.h"

struct report {
	int result;
	int error;
	struct ambit_answer answer;
};

/* Runs act in a child whose controlling terminal is a new one; the master. */
static int
start(void (*act)(int report_fd), pid_t *ret_pid, int *ret_report)
{
	int report[2], master;

	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	*ret_pid = forkpty(&master, NULL, NULL, NULL);
	assert_true(*ret_pid >= 0);
	if (*ret_pid == 0) {
		signal(SIGHUP, SIG_IGN);
		act(report[1]);
		_exit(0);
	}
	close(report[1]);
	*ret_report = report[0];
	return master;
}

static void
ask_on_own_terminal(int report_fd)
{
	struct ambit_question question = path_question();
	struct ambit_approver *approver = NULL;
	struct report report = { .result = -EPROTO };
	struct ambit_error err = { 0 };

	if (ambit_approver_create("tty", NULL, 0, &approver, &err) < 0)
		_exit(9);
	tty_set_pace(approver, 0, 0);
	report.result = approver->ask(approver, &question, &report.answer, &err);
	report.error = err.code;
	ambit_approver_destroy(approver);
	if (fd_write_all(report_fd, &report, sizeof(report)) < 0)
		_exit(9);
}

static void
the_controlling_terminal_is_opened_and_control_c_is_a_key(void **state)
{
	static const struct {
		const char *key;
		enum ambit_answer_kind kind;
	} rows[] = { { "y", AMBIT_ONCE }, { "\x03", AMBIT_NO }, { "\x1a", AMBIT_NO_SESSION },
		{ "\x1c", AMBIT_NO_SESSION } };
	struct pty *pty = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct report report = { .result = -1 };
		int report_fd, status;
		pid_t pid;
		int master = start(ask_on_own_terminal, &pid, &report_fd);
		size_t at;

		memset(pty->seen, 0, sizeof(*pty->seen));
		at = look_for(master, pty->seen, 0, PROMPT);
		assert_int_not_equal(at, 0);
		assert_int_equal(fd_write_all(master, rows[i].key, 1), 0);
		if (rows[i].kind == AMBIT_NO_SESSION) { /* ^Z and ^\ are no keys of ours */
			at = look_for(master, pty->seen, at, PROMPT);
			assert_int_not_equal(at, 0);
			assert_int_equal(fd_write_all(master, "?", 1), 0);
			assert_int_not_equal(look_for(master, pty->seen, at, PROMPT), 0);
			assert_int_equal(fd_write_all(master, "N", 1), 0);
		}
		assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
		assert_int_equal(report.result, 0);
		assert_int_equal(report.answer.kind, rows[i].kind);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		close(report_fd);
		close(master);
	}
}

/* The slave's modes can be seen from the master. */
static void
signal_during_question(struct pty *pty, int number, void (*act)(int report_fd), int *ret_status,
	struct report *ret_report, ssize_t *ret_read)
{
	int report_fd;
	pid_t pid;
	int master;

	master = start(act, &pid, &report_fd);
	/* Keep the terminal alive past its session. */
	auto_close int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(slave >= 0);
	memset(pty->seen, 0, sizeof(*pty->seen));
	assert_int_not_equal(look_for(master, pty->seen, 0, PROMPT), 0);
	assert_int_equal(modes_of(slave).c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(kill(pid, number), 0);
	assert_int_equal(waitpid(pid, ret_status, WUNTRACED), pid);
	assert_modes(slave, &pty->before); /* every new terminal has the same */
	if (WIFSTOPPED(*ret_status)) {
		assert_int_equal(kill(pid, SIGCONT), 0);
		assert_int_equal(waitpid(pid, ret_status, 0), pid);
	}
	*ret_read = read(report_fd, ret_report, sizeof(*ret_report));
	assert_int_not_equal(look_for(master, pty->seen, 0, "\r\nrefused\r\n"), 0);
	close(report_fd);
	close(master);
}

static void
a_fatal_signal_still_kills_but_after_the_terminal_is_back(void **state)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGQUIT };
	const char *many = getenv("AMBIT_LONG");
	size_t tries = many && many[0] ? 300 : 3;
	struct report report;
	ssize_t n;
	int status;

	for (size_t i = 0; i < tries; i++) {
		int number = numbers[i % 3];

		signal_during_question(*state, number, ask_on_own_terminal, &status, &report, &n);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), number);
		assert_int_equal(n, 0);
	}
}

static volatile sig_atomic_t caught;

static void catch (int number)
{
	caught = number;
}

static void
ask_with_handler(int report_fd)
{
	struct sigaction action = { .sa_handler = catch, .sa_flags = SA_RESTART };

	sigaction(SIGTERM, &action, NULL);
	ask_on_own_terminal(report_fd);
	_exit(caught == SIGTERM ? 0 : 8);
}

static void
a_signal_with_a_handler_ends_the_question_with_a_no(void **state)
{
	struct report report = { 0 };
	ssize_t n;
	int status;

	signal_during_question(*state, SIGTERM, ask_with_handler, &status, &report, &n);
	assert_int_equal(status, 0);
	assert_int_equal(n, sizeof(report));
	assert_int_equal(report.result, -EINTR);
	assert_int_equal(report.error, EINTR);
	assert_int_equal(report.answer.kind, AMBIT_NO);
}

static void
ask_on_own_terminal_in_a_job(int report_fd)
{
	/* Stopping is for jobs: an orphaned group would ignore it. */
	pid_t job = fork();
	int status;

	if (job == 0) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		ask_on_own_terminal(report_fd);
		_exit(0);
	}
	/* Stops as the job does, then lets it go on: a shell's part. */
	if (waitpid(job, &status, WUNTRACED) != job || !WIFSTOPPED(status))
		_exit(7);
	tcsetpgrp(0, job);
	kill(job, SIGCONT);
	if (waitpid(job, &status, 0) != job)
		_exit(6);
	_exit(status == 0 ? 0 : 5);
}

static void
being_stopped_ends_the_question_with_a_no(void **state)
{
	struct pty *pty = *state;
	struct report report = { .result = 0 };
	int report_fd, status;
	pid_t pid, job;
	int master = start(ask_on_own_terminal_in_a_job, &pid, &report_fd);
	memset(pty->seen, 0, sizeof(*pty->seen));
	assert_int_not_equal(look_for(master, pty->seen, 0, PROMPT), 0);
	job = tcgetpgrp(master);
	assert_true(job > 0 && job != pid);
	assert_int_equal(kill(job, SIGTSTP), 0);
	assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.result, -EINTR);
	assert_modes(master, &pty->before);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(report_fd);
	close(master);
}

static void
ask_with_ignored_signals(int report_fd)
{
	signal(SIGTERM, SIG_IGN);
	raise(SIGTERM);
	kill(getpid(), SIGHUP); /* ignored by start() */
	ask_on_own_terminal(report_fd);
}

static void
an_ignored_signal_stays_ignored(void **state)
{
	struct pty *pty = *state;
	struct report report = { .result = -1 };
	int report_fd, status;
	pid_t pid;
	int master = start(ask_with_ignored_signals, &pid, &report_fd);

	memset(pty->seen, 0, sizeof(*pty->seen));
	assert_int_not_equal(look_for(master, pty->seen, 0, PROMPT), 0);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(kill(pid, SIGHUP), 0);
	assert_int_equal(fd_write_all(master, "s", 1), 0);
	assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.result, 0);
	assert_int_equal(report.answer.kind, AMBIT_FILE);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(report_fd);
	close(master);
}

static void
ask_in_background(int report_fd)
{
	pid_t job = fork();
	int status;

	if (job == 0) {
		setpgid(0, 0);
		ask_on_own_terminal(report_fd);
		_exit(0);
	}
	if (waitpid(job, &status, WUNTRACED) != job || status != 0)
		_exit(7);
}

static void
a_process_in_the_background_does_not_ask_and_is_not_stopped(void **state)
{
	struct report report = { .result = 0 };
	int report_fd, status;
	pid_t pid;
	int master = start(ask_in_background, &pid, &report_fd);

	(void)state;
	assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.result, -EBUSY);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(report_fd);
	close(master);
}

static void
create_without_terminal(int report_fd)
{
	struct ambit_approver *approver = NULL;
	struct report report = { .result = 0 };
	struct ambit_error err = { 0 };

	if (setsid() < 0 && ioctl(0, TIOCNOTTY) < 0) /* a leader gives its terminal up */
		_exit(9);
	report.result = ambit_approver_create("tty", NULL, 0, &approver, &err);
	report.error = err.code;
	if (fd_write_all(report_fd, &report, sizeof(report)) < 0)
		_exit(9);
}

static void
ask_unread(int report_fd)
{
	struct ambit_question question = path_question();
	struct ambit_approver *approver = NULL;
	struct report report = { .result = 0 };

	question.why = huge_text();
	question.expires = clock_now() + 100;
	if (ambit_approver_create("tty", NULL, 0, &approver, NULL) < 0)
		_exit(9);
	tty_set_pace(approver, 0, 0);
	report.result = approver->ask(approver, &question, &report.answer, NULL);
	ambit_approver_destroy(approver);
	if (fd_write_all(report_fd, &report, sizeof(report)) < 0)
		_exit(9);
}

static void
a_terminal_that_takes_no_output_does_not_outlast_the_question(void **state)
{
	struct report report = { .result = 0 };
	int report_fd, status;
	pid_t pid;
	int master = start(ask_unread, &pid, &report_fd);

	(void)state;
	assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.result, -ETIMEDOUT);
	assert_int_equal(report.answer.kind, AMBIT_NO);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(report_fd);
	close(master);
}

static void
without_a_controlling_terminal_there_is_nobody_to_ask(void **state)
{
	struct report report = { .result = 0 };
	int report_fd, status;
	pid_t pid;
	int master = start(create_without_terminal, &pid, &report_fd);

	(void)state;
	assert_int_equal(read(report_fd, &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.result, -ENOTTY);
	assert_int_equal(report.error, ENOTTY);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(report_fd);
	close(master);
}

#define tty_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		tty_test(the_controlling_terminal_is_opened_and_control_c_is_a_key),
		tty_test(a_fatal_signal_still_kills_but_after_the_terminal_is_back),
		tty_test(a_signal_with_a_handler_ends_the_question_with_a_no),
		tty_test(being_stopped_ends_the_question_with_a_no),
		tty_test(an_ignored_signal_stays_ignored),
		tty_test(a_process_in_the_background_does_not_ask_and_is_not_stopped),
		tty_test(a_terminal_that_takes_no_output_does_not_outlast_the_question),
		tty_test(without_a_controlling_terminal_there_is_nobody_to_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
