/* SPDX-License-Identifier: Apache-2.0 */
/* Whole lines come out, however many threads write them, and a reader that does not read
 * holds up nobody. The kinds of lines are in tests/texts/rpc.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "base/lines.h"
#include "base/rpc.h"
#include "base/str.h"
#include "rounds.h"

static void
depth_is_limited(void **state)
{
	struct rpc_message message;
	char *deep = malloc(2000001);

	(void)state;
	memset(deep, '[', 1000000);
	memset(deep + 1000000, ']', 1000000);
	rpc_parse(deep, 2000000, &message);
	assert_int_equal(message.kind, RPC_BAD);
	assert_int_equal(message.code, RPC_PARSE_ERROR);
	assert_non_null(strstr(message.why, "deep"));
	rpc_message_finish(&message);
	/* Brackets in a string do not count. */
	memset(deep, '[', 2000000);
	memcpy(deep, "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"x\":\"\\\"", 37);
	memcpy(deep + 2000000 - 2, "\"}", 2);
	rpc_parse(deep, 2000000, &message);
	assert_int_equal(message.kind, RPC_NOTIFICATION);
	rpc_message_finish(&message);
	free(deep);
}

#define WRITERS 8
#define EACH rounds(100, 200)

static void *
write_many(void *data)
{
	struct rpc_out *out = data;
	char *text = malloc(20001);

	memset(text, 'x', 20000);
	text[20000] = '\0';
	for (int i = 0; i < EACH; i++)
		rpc_notify(out, "n", json_pack("{s:s#}", "text", text, (i * 97) % 20000));
	free(text);
	return NULL;
}

static void
lines_from_many_threads_stay_whole(void **state)
{
	pthread_t threads[WRITERS];
	struct ambit_error err = { 0 };
	struct rpc_out out;
	struct lines lines;
	int fds[2], n = 0;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(rpc_out_init(&out, fds[1]), 0);
	assert_int_equal(lines_init(&lines, fds[0], 1u << 20, &err), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &out), 0);
	for (; n < WRITERS * EACH; n++) {
		struct rpc_message message;

		assert_int_equal(lines_next(&lines, &err), 1);
		rpc_parse(lines.line.data, lines.line.len, &message);
		assert_int_equal(message.kind, RPC_NOTIFICATION);
		rpc_message_finish(&message);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	lines_finish(&lines);
	rpc_out_finish(&out);
	close(fds[0]);
	close(fds[1]);
}

static void *
write_until_broken(void *data)
{
	struct rpc_out *out = data;
	char *text = malloc(100001);

	memset(text, 'x', 100000);
	text[100000] = '\0';
	while (rpc_notify(out, "n", json_pack("{s:s}", "text", text)) == 0)
		;
	free(text);
	return NULL;
}

/* Somebody who does not read holds the writer, not the one who ends it. */
static void
a_reader_that_does_not_read_can_be_left(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct rpc_out out;
		pthread_t thread;
		int fds[2];

		if (kind == 0)
			assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		else
			assert_int_equal(
				socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(rpc_out_init(&out, fds[1]), 0);
		assert_int_equal(pthread_create(&thread, NULL, write_until_broken, &out), 0);
		rpc_out_break(&out);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(rpc_error(&out, NULL, 1, "x", json_object()), -EPIPE);
		rpc_out_finish(&out);
		close(fds[0]);
		close(fds[1]);
	}
}

/* Nor one who has closed its own side and does not read. */
static void
who_hangs_up_and_does_not_read_is_left(void **state)
{
	struct rpc_out out;
	pthread_t thread;
	int fds[2], in[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(rpc_out_init(&out, fds[1]), 0);
	out.in = in[0];
	assert_int_equal(rpc_notify(&out, "n", NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_until_broken, &out), 0);
	close(in[1]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(rpc_out_is_broken(&out));
	rpc_out_finish(&out);
	close(in[0]);
	close(fds[0]);
	close(fds[1]);
}

static void
a_reader_that_is_gone_is_an_error(void **state)
{
	struct rpc_out out;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(rpc_out_init(&out, fds[1]), 0);
	close(fds[0]);
	assert_int_equal(rpc_notify(&out, "n", NULL), -EPIPE);
	assert_int_equal(rpc_result(&out, NULL, json_object()), -EPIPE);
	rpc_out_finish(&out);
	close(fds[1]);
}

static void
messages_have_the_shape_of_the_protocol(void **state)
{
	static const char *const wanted[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}",
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"a\\nb\","
		"\"data\":{}}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"m\",\"params\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32603,"
		"\"message\":\"out of memory\"}}",
	};
	auto_json json_t *id = json_integer(7);
	struct ambit_error err = { 0 };
	struct rpc_out out;
	struct lines lines;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(rpc_out_init(&out, fds[1]), 0);
	assert_int_equal(lines_init(&lines, fds[0], 1u << 20, &err), 0);
	assert_int_equal(rpc_result(&out, id, json_pack("{s:i}", "a", 1)), 0);
	assert_int_equal(rpc_error(&out, NULL, RPC_PARSE_ERROR, "no", NULL), 0);
	assert_int_equal(rpc_error(&out, id, 1, "a\nb", json_object()), 0);
	assert_int_equal(rpc_notify(&out, "m", NULL), 0);
	assert_int_equal(rpc_request(&out, "x", "m", json_object()), 0);
	assert_int_equal(rpc_result(&out, id, NULL), 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(lines_next(&lines, &err), 1);
		assert_string_equal(lines.line.data, wanted[i]);
	}
	lines_finish(&lines);
	rpc_out_finish(&out);
	close(fds[0]);
	close(fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(lines_from_many_threads_stay_whole),
		cmocka_unit_test(a_reader_that_does_not_read_can_be_left),
		cmocka_unit_test(who_hangs_up_and_does_not_read_is_left),
		cmocka_unit_test(a_reader_that_is_gone_is_an_error),
		cmocka_unit_test(messages_have_the_shape_of_the_protocol),
	};

	return cmocka_run_group_tests_name("rpc", tests, NULL, NULL);
}
