/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, however the bytes come: in pieces, too long, without an end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lines.h"

struct rig {
	int in, out;
	struct lines lines;
	struct ambit_error err;
};

static int
setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	rig->in = fds[0];
	rig->out = fds[1];
	assert_int_equal(lines_init(&rig->lines, rig->in, 10, &rig->err), 0);
	*state = rig;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *rig = *state;

	lines_finish(&rig->lines);
	close(rig->in);
	fd_close_at(&rig->out);
	free(rig);
	return 0;
}

static void
put(struct rig *rig, const char *text)
{
	assert_int_equal(fd_write_all(rig->out, text, strlen(text)), 0);
}

static void
end(struct rig *rig)
{
	close(rig->out);
	rig->out = -1;
}

static void
expect(struct rig *rig, const char *line)
{
	assert_int_equal(lines_next(&rig->lines, &rig->err), 1);
	assert_string_equal(rig->lines.line.data, line);
	assert_int_equal(rig->lines.line.len, strlen(line));
}

static void
lines_come_one_by_one(void **state)
{
	struct rig *rig = *state;

	put(rig, "one\n\ntwo\r\n1234567890\nlast");
	end(rig);
	expect(rig, "one");
	expect(rig, "");
	expect(rig, "two\r");
	expect(rig, "1234567890");
	expect(rig, "last");
	for (int i = 0; i < 3; i++)
		assert_int_equal(lines_next(&rig->lines, &rig->err), 0);
}

static void
a_long_line_is_told_once(void **state)
{
	struct rig *rig = *state;

	put(rig, "12345678901\nok\n");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EMSGSIZE);
	expect(rig, "ok");
	put(rig, "12345678901234567890");
	end(rig);
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EMSGSIZE);
	assert_int_equal(lines_next(&rig->lines, &rig->err), 0);
}

static void
pieces_wait_for_each_other(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(fcntl(rig->in, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EAGAIN);
	put(rig, "ab");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EAGAIN);
	put(rig, "cd\nef");
	expect(rig, "abcd");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EAGAIN);
	put(rig, "12345678");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EAGAIN);
	put(rig, "9");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EAGAIN);
	put(rig, "\nx\n");
	assert_int_equal(lines_next(&rig->lines, &rig->err), -EMSGSIZE);
	expect(rig, "x");
}

static void
nul_bytes_are_bytes(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(fd_write_all(rig->out, "a\0b\n", 4), 0);
	assert_int_equal(lines_next(&rig->lines, &rig->err), 1);
	assert_int_equal(rig->lines.line.len, 3);
	assert_memory_equal(rig->lines.line.data, "a\0b", 4);
}

/* One long line after another: the memory is that of one. */
static void
long_lines_do_not_pile_up(void **state)
{
	struct rig *rig = *state;

	rig->lines.max = 4u << 20;
	for (int i = 0; i < 20; i++) {
		char *text = malloc(60001);

		memset(text, 'x', 60000);
		text[59999] = '\n';
		assert_int_equal(fd_write_all(rig->out, text, 60000), 0);
		free(text);
		assert_int_equal(lines_next(&rig->lines, &rig->err), 1);
		assert_int_equal(rig->lines.line.len, 59999);
		assert_true(rig->lines.line.size <= 1u << 17);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_come_one_by_one, setup, teardown),
		cmocka_unit_test_setup_teardown(a_long_line_is_told_once, setup, teardown),
		cmocka_unit_test_setup_teardown(pieces_wait_for_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(nul_bytes_are_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(long_lines_do_not_pile_up, setup, teardown),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
