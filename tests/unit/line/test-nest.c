/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a run inside another: what is parsed came from behind the line. */

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

#include "base/str.h"
#include "line/process/nest-wire.h"

#define TEXT(literal) literal, sizeof(literal) - 1

/* Parses a copy in memory of exactly that size: a step too far is seen. */
static int
parse(uint32_t n_args, uint32_t n_envp, const char *text, size_t len, struct nest_texts *ret)
{
	struct nest_head head = { .n_args = n_args, .n_envp = n_envp, .size = (uint32_t)len };
	char *data = malloc(len);

	assert_non_null(data);
	memcpy(data, text, len);
	return nest_texts_parse(&head, data, ret);
}

static void
texts_are_what_was_sent(void **state)
{
	struct nest_texts texts;

	(void)state;
	assert_int_equal(parse(2, 1, TEXT("--\0true\0A=b\0/tmp\0"), &texts), 0);
	assert_string_equal(texts.args[0], "--");
	assert_string_equal(texts.args[1], "true");
	assert_null(texts.args[2]);
	assert_string_equal(texts.envp[0], "A=b");
	assert_null(texts.envp[1]);
	assert_string_equal(texts.cwd, "/tmp");
	nest_texts_finish(&texts);
	assert_int_equal(parse(0, 0, TEXT("/\0"), &texts), 0);
	assert_null(texts.args[0]);
	assert_null(texts.envp[0]);
	nest_texts_finish(&texts);
	assert_int_equal(parse(1, 1, TEXT("\0\0\0"), &texts), 0);
	assert_string_equal(texts.cwd, "");
	nest_texts_finish(&texts);
}

static void
texts_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		uint32_t n_args, n_envp;
		const char *text;
		size_t len;
	} bad[] = {
		{ 0, 0, TEXT("/") },	/* no end */
		{ 1, 0, TEXT("a\0b") }, /* likewise */
		{ 1, 0, TEXT("a\0") },	/* no cwd */
		{ 0, 1, TEXT("a\0") }, { 2, 1, TEXT("a\0b\0c\0") },
		{ 1, 0, TEXT("a\0b\0c\0") },			    /* one too many */
		{ 3, 0, TEXT("a\0\0b") }, { 9, 9, TEXT("a\0b\0") }, /* more than there are bytes */
		{ UINT32_MAX, 0, TEXT("a\0b\0") }, { 0, UINT32_MAX, TEXT("a\0b\0") },
		{ UINT32_MAX, 2, TEXT("a\0b\0") }, /* whose sum is small */
	};
	struct nest_texts texts;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			parse(bad[i].n_args, bad[i].n_envp, bad[i].text, bad[i].len, &texts),
			-EPROTO);
}

static void
sizes_have_limits(void **state)
{
	struct nest_head head = { .n_args = 1, .size = NEST_SIZE_MAX };

	(void)state;
	assert_int_equal(nest_head_check(&head), 0);
	head.size++;
	assert_int_equal(nest_head_check(&head), -EPROTO);
	head.size = 0;
	assert_int_equal(nest_head_check(&head), -EPROTO);
	head = (struct nest_head){ .n_args = NEST_TEXTS_MAX + 1, .size = NEST_SIZE_MAX };
	assert_int_equal(nest_head_check(&head), -EPROTO);
	head = (struct nest_head){ .n_envp = NEST_TEXTS_MAX + 1, .size = NEST_SIZE_MAX };
	assert_int_equal(nest_head_check(&head), -EPROTO);
}

/* -- packets ------------------------------------------------------------------- */

static int
count_open(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void
make_pair(int pair[2])
{
	const int on = 1;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
}

static void
a_packet_brings_descriptors_and_its_sender(void **state)
{
	int pair[2], fds[3], out[3] = { 0, 1, 2 }, before = count_open();
	struct nest_given given = { .fds = fds, .n = 3 };
	char data[8];

	(void)state;
	make_pair(pair);
	assert_int_equal(nest_send(pair[1], "hello", 5, out, 3), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), 5);
	assert_int_equal(given.got, 3);
	assert_int_equal(given.pid, getpid());
	for (int i = 0; i < 3; i++) {
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(fds[i]);
	}
	assert_int_equal(nest_send(pair[1], "x", 1, NULL, 0), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), 1);
	assert_int_equal(given.got, 0);
	assert_int_equal(fds[0], -1);
	close(pair[1]);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), 0);
	close(pair[0]);
	assert_int_equal(count_open(), before);
}

/* Nothing of it is kept, and no descriptor stays open. */
static void
too_much_is_dropped(void **state)
{
	int pair[2], fds[2], out[16] = { 0 }, before = count_open();
	struct nest_given given = { .fds = fds, .n = 2 };
	struct nest_given none = { .flags = MSG_DONTWAIT };
	char data[8];

	(void)state;
	make_pair(pair);
	assert_int_equal(nest_send(pair[1], "x", 1, out, 3), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), -EPROTO);
	assert_int_equal(nest_send(pair[1], "x", 1, out, 16), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), -EPROTO);
	assert_int_equal(nest_send(pair[1], "x", 1, out, 1), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &none), -EPROTO);
	assert_int_equal(nest_send(pair[1], "more than eight", 15, out, 2), 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &given), -EPROTO);
	assert_int_equal(given.got, 0);
	assert_int_equal(nest_receive(pair[0], data, sizeof(data), &none), -EAGAIN);
	assert_int_equal(nest_send(pair[1], "x", 1, out, 17), -E2BIG);
	close(pair[0]);
	assert_int_equal(nest_send(pair[1], "x", 1, NULL, 0), -EPIPE);
	close(pair[1]);
	assert_int_equal(count_open(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_what_was_sent),
		cmocka_unit_test(texts_that_do_not_fit_are_refused),
		cmocka_unit_test(sizes_have_limits),
		cmocka_unit_test(a_packet_brings_descriptors_and_its_sender),
		cmocka_unit_test(too_much_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
