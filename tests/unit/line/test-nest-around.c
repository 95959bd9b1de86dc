/* SPDX-License-Identifier: Apache-2.0 */
/* What a door says of itself to a run that it starts: it comes as it was said. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <ambit/run.h>

#include "base/str.h"
#include "line/process/run-doors.h"

static struct ambit_run_inner *
said(const struct run_around *around)
{
	struct ambit_run_inner *inner = NULL;
	struct ambit_error err = { 0 };
	int fd = -1;

	assert_int_equal(run_around(around, &fd, &err), 0);
	assert_int_equal(run_inner_open(fd, &inner, &err), 0);
	return inner;
}

static void
what_a_door_says_is_what_comes(void **state)
{
	static char *clear[] = { "/w/src", "/w/\xff odd", NULL }, *spine[] = { "/w", NULL };
	static char *envp[] = { "A=b", "EMPTY=", "=odd", NULL };
	const struct run_around around = {
		.scope = "{\"folder\":\"/w\"}",
		.open = clear,
		.spine = spine,
		.envp = envp,
	};
	struct ambit_run_inner *inner = said(&around);
	char *const *got;

	(void)state;
	assert_string_equal(run_inner_scope(inner), around.scope);
	/* No line is around it: it makes its temp directory where it likes. */
	assert_string_equal(run_inner_temp(inner), "");
	got = run_inner_whole(inner);
	assert_int_equal(strv_len((char **)got), 2);
	assert_string_equal(got[1], clear[1]);
	assert_int_equal(strv_len((char **)run_inner_writable(inner)), 3);
	got = run_inner_envp(inner);
	assert_int_equal(strv_len((char **)got), 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(got[i], envp[i]);
	/* Nobody inside a line stands for it. */
	assert_int_equal(run_inner_fd(inner), -1);
	run_inner_finish(inner, 0, NULL);
}

static void
nothing_to_say_is_said(void **state)
{
	static char *none[] = { NULL };
	const struct run_around around = { .scope = "", .envp = none };
	struct ambit_run_inner *inner = said(&around);

	(void)state;
	assert_string_equal(run_inner_scope(inner), "");
	assert_null(run_inner_whole(inner));
	assert_null(run_inner_envp(inner)[0]);
	run_inner_finish(inner, 0, NULL);
}

/* A descriptor that somebody else gave the number of. */
static void
what_is_not_of_a_door_is_refused(void **state)
{
	struct ambit_run_inner *inner = NULL;
	struct ambit_error err = { 0 };
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[0]);
	assert_true(run_inner_open(pair[1], &inner, &err) < 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(send(pair[0], "hello", 5, 0), 5);
	assert_true(run_inner_open(pair[1], &inner, &err) < 0);
	close(pair[0]);
	assert_true(run_inner_open(open("/dev/null", O_RDONLY | O_CLOEXEC), &inner, &err) < 0);
	assert_null(inner);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_door_says_is_what_comes),
		cmocka_unit_test(nothing_to_say_is_said),
		cmocka_unit_test(what_is_not_of_a_door_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
