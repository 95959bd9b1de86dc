/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the relay between the real terminal and the command's. A pty
 * stands in for the real one: `person` is who sits there, `tty` what ambit was
 * given; the command is whoever has the slave. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/terminal/terminal-private.h"

#define PATIENCE_MS 20000
#define SEEN_MAX (2 * 1024 * 1024)
#define HUGE (1024 * 1024)

struct desk {
	int person;
	int tty;
	int command; /* another descriptor of the slave */
	struct termios before;
	struct terminal *terminal;
	size_t len;
	char seen[SEEN_MAX];
};

static int
setup(void **state)
{
	struct desk *desk = calloc(1, sizeof(*desk));
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	assert_non_null(desk);
	assert_int_equal(openpty(&desk->person, &desk->tty, NULL, NULL, &size), 0);
	fcntl(desk->person, F_SETFL, O_NONBLOCK);
	assert_int_equal(tcgetattr(desk->tty, &desk->before), 0);
	assert_int_equal(terminal_create(desk->tty, &desk->terminal, NULL), 0);
	desk->command = dup(terminal_slave(desk->terminal));
	assert_true(desk->command >= 0);
	*state = desk;
	return 0;
}

static int
teardown(void **state)
{
	struct desk *desk = *state;

	terminal_destroy(desk->terminal);
	if (desk->command >= 0)
		close(desk->command);
	if (desk->person >= 0)
		close(desk->person);
	close(desk->tty);
	free(desk);
	return 0;
}

/* -- hands and eyes ---------------------------------------------------------- */

static struct termios
modes_of(int fd)
{
	struct termios modes;

	memset(&modes, 0, sizeof(modes));
	assert_int_equal(tcgetattr(fd, &modes), 0);
	return modes;
}

static void
assert_before(const struct desk *desk)
{
	struct termios now = modes_of(desk->tty);

	assert_memory_equal(&now, &desk->before, sizeof(now));
}

static void
assert_raw(int fd)
{
	assert_int_equal(modes_of(fd).c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(modes_of(fd).c_oflag & OPOST, 0);
}

static unsigned short
rows_of(int fd)
{
	struct winsize size;

	assert_int_equal(ioctl(fd, TIOCGWINSZ, &size), 0);
	return size.ws_row;
}

/* One turn of the supervisor's loop; whether there was anything to do. */
static bool
turn(struct desk *desk, int ms)
{
	struct pollfd fds[4];
	int n = terminal_poll(desk->terminal, fds), r;

	assert_int_equal(n, 4);
	r = poll(fds, (nfds_t)n, ms);
	assert_true(r >= 0);
	terminal_ready(desk->terminal, fds, n);
	return r > 0;
}

static void
settle(struct desk *desk)
{
	for (int i = 0; i < 1000 && turn(desk, 0); i++)
		;
}

static void
look(struct desk *desk)
{
	ssize_t n;

	while ((n = read(desk->person, desk->seen + desk->len, SEEN_MAX - 1 - desk->len)) > 0)
		desk->len += (size_t)n;
	desk->seen[desk->len] = '\0';
}

/* Until text stands there; turns the loop meanwhile. */
static const char *
await(struct desk *desk, const char *text)
{
	int64_t deadline = clock_steady() + PATIENCE_MS;
	const char *at;

	for (;;) {
		look(desk);
		at = memmem(desk->seen, desk->len, text, strlen(text));
		if (at)
			return at;
		assert_true(clock_steady() < deadline);
		turn(desk, 5);
	}
}

static void
forget(struct desk *desk)
{
	desk->len = 0;
	desk->seen[0] = '\0';
}

static void
put(int fd, const char *text)
{
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static void
begin(struct desk *desk)
{
	assert_int_equal(terminal_started(desk->terminal, NULL), 0);
	assert_int_equal(terminal_slave(desk->terminal), -1);
}

static void
make_raw(int fd)
{
	struct termios modes = modes_of(fd);

	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
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
	assert_int_equal(terminal_create(null, &terminal, &err), -ENOTTY);
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
	assert_non_null(strstr(desk->seen, "\r\n"));
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

/* The supervisor, in a group of its own on the terminal that is its stdin. */
static void
suspend_once(void)
{
	struct terminal *terminal = NULL;

	setpgid(0, 0);
	while (tcgetpgrp(0) != getpgrp()) /* until it is put in front */
		poll(NULL, 0, 1);
	if (terminal_create(0, &terminal, NULL) < 0 || terminal_started(terminal, NULL) < 0)
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
		PROMISE(modes_and_size_are_copied_and_given_back),
		PROMISE(what_was_never_started_is_never_touched),
		cmocka_unit_test(no_terminal_is_an_error),
		PROMISE(bytes_go_both_ways),
		PROMISE(a_person_who_does_not_read_holds_the_command_up),
		PROMISE(the_size_follows),
		PROMISE(a_terminal_that_goes_away_hangs_the_command_up),
		PROMISE(a_command_that_closes_its_side_is_no_longer_polled),
		PROMISE(the_end_is_shown_before_the_terminal_is_given_back),
		PROMISE(a_question_has_the_terminal_to_itself),
		PROMISE(what_was_printed_before_is_shown_before_the_question),
		PROMISE(a_full_screen_program_is_left_and_made_to_redraw),
		PROMISE(a_program_that_reads_keys_is_made_to_redraw),
		PROMISE(an_open_sequence_cannot_swallow_the_question),
		PROMISE(strings_that_only_the_terminal_is_in_are_ended),
		PROMISE(colours_of_the_program_do_not_hide_the_question),
		PROMISE(every_way_to_say_a_colour_is_seen),
		cmocka_unit_test(modes_are_followed_through_noise),
		PROMISE(questions_from_another_thread_lose_nothing),
		cmocka_unit_test(a_stopped_job_gives_the_terminal_back_until_it_is_in_front_again),
		cmocka_unit_test(who_would_not_be_continued_does_not_stop),
		PROMISE(under_a_question_the_job_does_not_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
