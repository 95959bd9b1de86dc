/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of a relayed terminal: it is given back as it was lent, bytes go both ways, and a
 * stopped job lets go of it. */

#include <sys/wait.h>

#include "terminal-desk.h"

/* -- lending and giving back ------------------------------------------------- */

static void
modes_and_size_are_copied_and_given_back(void **state)
{
	struct desk *desk = *state;
	struct termios modes = modes_of(desk->command);
	int flags = fcntl(desk->tty, F_GETFL);

	assert_before(desk);
	assert_memory_equal(&modes, &desk->before, sizeof(modes));
	assert_memory_equal(terminal_before(desk->terminal), &desk->before, sizeof(modes));
	assert_string_equal(terminal_slave_name(desk->terminal), ttyname(desk->command));
	assert_int_equal(rows_of(desk->command), 24);
	begin(desk);
	assert_raw(desk->tty);
	assert_int_equal(fcntl(desk->tty, F_GETFL), flags); /* the caller's own description */
	terminal_destroy(desk->terminal);
	desk->terminal = NULL;
	assert_before(desk);
}

static void
what_was_never_started_is_never_touched(void **state)
{
	struct desk *desk = *state;
	struct termios other = desk->before;

	other.c_lflag &= ~(tcflag_t)ECHO;
	assert_int_equal(tcsetattr(desk->tty, TCSANOW, &other), 0);
	terminal_destroy(desk->terminal);
	desk->terminal = NULL;
	assert_int_equal(modes_of(desk->tty).c_lflag & ECHO, 0);
	assert_int_equal(tcsetattr(desk->tty, TCSANOW, &desk->before), 0);
}

static void
no_terminal_is_an_error(void **state)
{
	struct terminal *terminal = NULL;
	struct ambit_error err = { 0 };
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(terminal_create(null, TERMINAL_ONE_SCREEN, &terminal, &err), -ENOTTY);
	assert_null(terminal);
}

/* -- relaying ---------------------------------------------------------------- */

static void
bytes_go_both_ways(void **state)
{
	struct desk *desk = *state;
	char line[16] = { 0 };

	begin(desk);
	put(desk->command, "hello\n");
	await(desk, "hello\r\n");
	put(desk->person, "yes\r");
	await(desk, "yes\r\n"); /* echoed by the command's terminal, not by the real one */
	assert_int_equal(read(desk->command, line, sizeof(line)), 4);
	assert_string_equal(line, "yes\n");
}

static void *
write_huge(void *data)
{
	struct desk *desk = data;
	char *text = malloc(HUGE);

	for (size_t i = 0; text && i < HUGE; i++)
		text[i] = (char)('a' + i % 23);
	if (text)
		fd_write_all(desk->command, text, HUGE);
	free(text);
	return NULL;
}

static void
a_person_who_does_not_read_holds_the_command_up(void **state)
{
	struct desk *desk = *state;
	pthread_t writer;
	int64_t deadline = clock_steady() + PATIENCE_MS;

	begin(desk);
	make_raw(desk->command);
	assert_int_equal(pthread_create(&writer, NULL, write_huge, desk), 0);
	while (desk->terminal->output.len < FLOW_SIZE && clock_steady() < deadline)
		turn(desk, 5);
	assert_int_equal(desk->terminal->output.len, FLOW_SIZE);
	assert_false(turn(desk, 0)); /* and does not spin meanwhile */
	while (desk->len < HUGE && clock_steady() < deadline) {
		look(desk);
		turn(desk, 5);
	}
	pthread_join(writer, NULL);
	assert_int_equal(desk->len, HUGE);
	for (size_t i = 0; i < HUGE; i++)
		assert_int_equal(desk->seen[i], 'a' + (int)(i % 23));
}

static void
the_size_follows(void **state)
{
	struct desk *desk = *state;
	struct winsize size = { .ws_row = 50, .ws_col = 132 };

	begin(desk);
	assert_int_equal(ioctl(desk->person, TIOCSWINSZ, &size), 0);
	assert_int_equal(rows_of(desk->command), 24);
	terminal_resize(desk->terminal);
	assert_int_equal(rows_of(desk->command), 50);
	assert_raw(desk->tty);
}

static void
a_terminal_that_goes_away_hangs_the_command_up(void **state)
{
	struct desk *desk = *state;
	struct pollfd p = { .fd = desk->command, .events = POLLIN };
	char byte;

	begin(desk);
	settle(desk);
	close(desk->person);
	desk->person = -1;
	settle(desk);
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_true(p.revents & POLLHUP);
	assert_int_equal(read(desk->command, &byte, 1), 0);
	assert_false(turn(desk, 0));
	terminal_hold(desk->terminal); /* nobody is there to be asked: no harm */
	terminal_release(desk->terminal);
	assert_false(turn(desk, 0) && turn(desk, 0));
}

static void
a_command_that_closes_its_side_is_no_longer_polled(void **state)
{
	struct desk *desk = *state;
	int64_t deadline = clock_steady() + PATIENCE_MS;

	begin(desk);
	put(desk->command, "last words");
	close(desk->command);
	desk->command = -1;
	await(desk, "last words");
	while (desk->terminal->master >= 0 && clock_steady() < deadline)
		turn(desk, 5);
	assert_int_equal(desk->terminal->master, -1);
	put(desk->person, "typed into nothing");
	assert_false(turn(desk, 0));
}

static void
the_end_is_shown_before_the_terminal_is_given_back(void **state)
{
	struct desk *desk = *state;
	char text[3001];

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 5, "done", 5);
	begin(desk);
	put(desk->command, "\033[?1049h\033[?25l");
	put(desk->command, text);
	close(desk->command);
	desk->command = -1;
	terminal_destroy(desk->terminal);
	desk->terminal = NULL;
	look(desk);
	assert_non_null(strstr(desk->seen, "xxdone"));
	/* It was killed in its full screen. */
	assert_non_null(strstr(strstr(desk->seen, "xxdone"), "\033[?1049l"));
	assert_non_null(strstr(strstr(desk->seen, "xxdone"), "\033[?25h"));
	assert_before(desk);
}

/* -- stopping ---------------------------------------------------------------- */

/* The supervisor, in a group of its own on the terminal that is its stdin. */
static void
suspend_once(void)
{
	struct terminal *terminal = NULL;

	setpgid(0, 0);
	while (tcgetpgrp(0) != getpgrp()) /* until it is put in front */
		poll(NULL, 0, 1);
	if (terminal_create(0, TERMINAL_ONE_SCREEN, &terminal, NULL) < 0 ||
		terminal_started(terminal, NULL) < 0)
		_exit(1);
	terminal_suspend(terminal);
	if (modes_of(0).c_lflag & (ICANON | ISIG))
		_exit(2);
	terminal_destroy(terminal);
	_exit(modes_of(0).c_lflag & ICANON ? 0 : 3);
}

static void
check(bool right, int code)
{
	if (!right)
		_exit(code);
}

/* A shell with job control: ^Z, bg, fg. */
static void
play_shell(void)
{
	int status;
	pid_t pid;

	signal(SIGTTOU, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		signal(SIGTTOU, SIG_DFL);
		suspend_once();
	}
	setpgid(pid, pid);
	check(tcsetpgrp(0, pid) == 0, 11);
	check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), 12);
	check(WSTOPSIG(status) == SIGTSTP && (modes_of(0).c_lflag & ICANON), 13);
	check(tcsetpgrp(0, getpgrp()) == 0 && kill(-pid, SIGCONT) == 0, 14);
	check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), 15);
	check(WSTOPSIG(status) == SIGTTOU && (modes_of(0).c_lflag & ICANON), 16);
	check(tcsetpgrp(0, pid) == 0 && kill(-pid, SIGCONT) == 0, 17);
	check(waitpid(pid, &status, 0) == pid, 18);
	check(WIFEXITED(status), 19);
	_exit(WEXITSTATUS(status));
}

/* The leader of a session: nobody would continue it. */
static void
play_alone(void)
{
	signal(SIGHUP, SIG_IGN);
	suspend_once();
}

static int
status_on_terminal(void (*act)(void))
{
	int master, status = -1;
	pid_t pid = forkpty(&master, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(PATIENCE_MS / 1000);
		act();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	close(master);
	return status;
}

static void
a_stopped_job_gives_the_terminal_back_until_it_is_in_front_again(void **state)
{
	(void)state;
	assert_int_equal(status_on_terminal(play_shell), 0);
}

static void
who_would_not_be_continued_does_not_stop(void **state)
{
	(void)state;
	assert_int_equal(status_on_terminal(play_alone), 0);
}

int
main(void)
{
#define PROMISE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		PROMISE(modes_and_size_are_copied_and_given_back),
		PROMISE(what_was_never_started_is_never_touched),
		cmocka_unit_test(no_terminal_is_an_error),
		PROMISE(bytes_go_both_ways),
		PROMISE(a_person_who_does_not_read_holds_the_command_up),
		PROMISE(the_size_follows),
		PROMISE(a_terminal_that_goes_away_hangs_the_command_up),
		PROMISE(a_command_that_closes_its_side_is_no_longer_polled),
		PROMISE(the_end_is_shown_before_the_terminal_is_given_back),
		cmocka_unit_test(a_stopped_job_gives_the_terminal_back_until_it_is_in_front_again),
		cmocka_unit_test(who_would_not_be_continued_does_not_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
