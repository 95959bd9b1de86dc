/* SPDX-License-Identifier: Apache-2.0 */
/* SCOPE.md on the way to a folder: which are taken, in which order, how much of them, and
 * that nothing else is read under that name. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/scopefile.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "scratch.h"

static char top[SCRATCH_PATH];

static int
set_up(void **state)
{
	(void)state;
	scratch_make(top, sizeof(top));
	return chdir(top) == 0 && mkdir("a", 0700) == 0 && mkdir("a/b", 0700) == 0 ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	scratch_remove(top);
	return 0;
}

static void
put_many(const char *path, char c, size_t n)
{
	auto_buf struct buf text = { 0 };

	while (n-- > 0)
		buf_putc(&text, c);
	scratch_file(path, text.data);
}

static char *
text_of(const char *folder)
{
	auto_free char *path = str_printf("%s%s%s", top, folder[0] ? "/" : "", folder);
	struct ambit_error err = { 0 };
	char *text = scopefile_text(top, path, &err);

	if (!text)
		fail_msg("%s", err.text);
	assert_true(str_is_utf8(text, strlen(text)));
	return text;
}

static size_t
count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* How many of it stand together at most: there are some in the marks as well. */
static size_t
run_of(const char *text, char c)
{
	size_t most = 0, n = 0;

	for (; *text; text++) {
		n = *text == c ? n + 1 : 0;
		most = n > most ? n : most;
	}
	return most;
}

static void
has(const char *folder, const char *words)
{
	auto_free char *text = text_of(folder);

	if (!strstr(text, words))
		fail_msg("no '%s' in: %s", words, text);
}

static void
where_there_is_none_there_is_nothing(void **state)
{
	(void)state;
	auto_free char *text = text_of("a/b");

	assert_string_equal(text, "");
}

static void
the_nearest_is_last_and_each_is_marked(void **state)
{
	(void)state;
	scratch_file("SCOPE.md", "top\n");
	scratch_file("a/SCOPE.md", "upper");
	scratch_file("a/b/SCOPE.md", "lower\n");
	auto_free char *text = text_of("a/b"), *upper = text_of("a"), *root = text_of("");
	const char *one = strstr(text, "from: SCOPE.md, a file of the repository]\ntop\n");
	const char *two = strstr(text, "from: a/SCOPE.md, a file of the repository]\nupper\n");
	const char *three = strstr(text, "from: a/b/SCOPE.md, a file of the repository]\nlower\n");

	assert_true(one && two && three && one < two && two < three);
	assert_int_equal(count(text, "[untrusted content "), 6);
	assert_int_equal(count(upper, "[untrusted content "), 4);
	assert_int_equal(count(root, "[untrusted content "), 2);
	/* From above the workspace nothing comes. */
	auto_free char *a = str_printf("%s/a", top), *b = str_printf("%s/a/b", top);
	auto_free char *less = scopefile_text(a, b, NULL);

	assert_int_equal(count(less, "[untrusted content "), 4);
	assert_non_null(strstr(less, "from: b/SCOPE.md,"));
}

static void
front_matter_is_not_the_body(void **state)
{
	static const struct {
		const char *text, *body;
	} rows[] = {
		{ "---\nname: x\n---\nbody\n", "]\nbody\n[" },
		{ "---\r\nname: x\r\n---\r\nbody\r\n", "]\nbody\n[" },
		{ "\xef\xbb\xbf---\nname: x\n...\nbody", "]\nbody\n[" },
		{ "---\nnever ends\nbody", "]\n---\nnever ends\nbody\n[" },
		{ "----\nx\n---\nbody", "]\n----\nx\n---\nbody\n[" },
		{ "body\n---\nmore", "]\nbody\n---\nmore\n[" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scratch_file("a/SCOPE.md", rows[i].text);
		has("a", rows[i].body);
	}
	scratch_file("a/SCOPE.md", "---\nname: x\n---\n");
	auto_free char *text = text_of("a");

	assert_string_equal(text, "");
}

static void
what_is_no_file_of_the_folder_is_not_read(void **state)
{
	(void)state;
	scratch_file("secret", "the secret\n");
	assert_int_equal(symlink("../secret", "a/SCOPE.md"), 0);
	auto_free char *text = text_of("a");

	assert_string_equal(text, "[a/SCOPE.md is left out: it is not a regular file]\n");
	assert_int_equal(unlink("a/SCOPE.md"), 0);
	assert_int_equal(mkfifo("a/SCOPE.md", 0600), 0); /* nobody waits for a writer */
	has("a", "[a/SCOPE.md is left out: it is not a regular file]\n");
	assert_int_equal(unlink("a/SCOPE.md"), 0);
	assert_int_equal(mkdir("a/SCOPE.md", 0700), 0);
	has("a", "it is not a regular file]\n");
	if (geteuid() != 0) {
		scratch_file("a/b/SCOPE.md", "x");
		assert_int_equal(chmod("a/b/SCOPE.md", 0), 0);
		has("a/b", "[a/b/SCOPE.md is left out: it cannot be read]\n");
	}
}

static void
a_folder_that_became_a_link_is_told(void **state)
{
	auto_free char *path = str_printf("%s/a/b", top);
	struct ambit_error err = { 0 };

	(void)state;
	assert_int_equal(rmdir("a/b"), 0);
	assert_int_equal(symlink("/etc", "a/b"), 0);
	assert_null(scopefile_text(top, path, &err));
	assert_non_null(strstr(err.text, "SCOPE.md"));
	assert_null(scopefile_text(path, top, &err));
	assert_non_null(strstr(err.text, "is not beneath"));
	auto_free char *beside = str_printf("%s-a", top);

	assert_null(scopefile_text(top, beside, &err));
}

static void
what_is_not_text_is_left_out_or_cleaned(void **state)
{
	(void)state;
	scratch_file("a/SCOPE.md", "a\xff"
				   "b");
	auto_free char *text = text_of("a");

	assert_string_equal(text, "[a/SCOPE.md is left out: it is not UTF-8]\n");
	scratch_file("a/SCOPE.md", "one\033[2Jtwo\xe2\x80\xae three\n");
	has("a", "]\nonetwo three\n[");
	assert_int_equal(mkdir("a/x\n]", 0700), 0);
	scratch_file("a/x\n]/SCOPE.md", "odd");
	has("a/x\n]", "from: a/x\\n]/SCOPE.md, a file");
}

static void
too_much_is_cut_and_said(void **state)
{
	(void)state;
	put_many("a/SCOPE.md", 'x', SCOPEFILE_EACH);
	auto_free char *whole = text_of("a");

	assert_int_equal(run_of(whole, 'x'), SCOPEFILE_EACH);
	assert_null(strstr(whole, "is longer"));
	put_many("a/SCOPE.md", 'x', SCOPEFILE_EACH + 1);
	auto_free char *cut = text_of("a");

	assert_int_equal(run_of(cut, 'x'), SCOPEFILE_EACH);
	assert_non_null(strstr(cut, "[a/SCOPE.md is longer: the rest is left out]\n"));
	put_many("a/SCOPE.md", 'x', 1000000);
	auto_free char *large = text_of("a");

	assert_int_equal(run_of(large, 'x'), SCOPEFILE_EACH);
}

static void
the_nearest_have_room_first(void **state)
{
	(void)state;
	assert_int_equal(mkdir("a/b/c", 0700), 0);
	put_many("SCOPE.md", 'w', 10);
	put_many("a/SCOPE.md", 'x', SCOPEFILE_EACH - 5);
	put_many("a/b/SCOPE.md", 'y', SCOPEFILE_EACH);
	put_many("a/b/c/SCOPE.md", 'z', SCOPEFILE_EACH);
	auto_free char *text = text_of("a/b/c");

	assert_int_equal(run_of(text, 'z'), SCOPEFILE_EACH);
	assert_int_equal(run_of(text, 'y'), SCOPEFILE_EACH);
	assert_non_null(strstr(text, "\nwwwww\n[untrusted"));
	assert_non_null(strstr(text, "[SCOPE.md is longer: the rest is left out]\n"));
	put_many("a/SCOPE.md", 'x', SCOPEFILE_EACH);
	has("a/b/c", "[SCOPE.md is left out: the nearer ones are long]\n");
}

static void
a_long_way_has_its_nearest(void **state)
{
	auto_buf struct buf path = { 0 };

	(void)state;
	buf_puts(&path, "a/b");
	for (int i = 0; i < 100; i++) {
		buf_puts(&path, "/d");
		assert_int_equal(mkdir(path.data, 0700), 0);
		auto_free char *file = str_printf("%s/SCOPE.md", path.data);
		auto_free char *body = str_printf("number %d.", i);

		scratch_file(file, body);
	}
	auto_free char *text = text_of(path.data);

	assert_non_null(strstr(text, "number 99."));
	assert_non_null(strstr(text, "number 36."));
	assert_null(strstr(text, "number 35."));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(where_there_is_none_there_is_nothing),
		TEST(the_nearest_is_last_and_each_is_marked),
		TEST(front_matter_is_not_the_body),
		TEST(what_is_no_file_of_the_folder_is_not_read),
		TEST(a_folder_that_became_a_link_is_told),
		TEST(what_is_not_text_is_left_out_or_cleaned),
		TEST(too_much_is_cut_and_said),
		TEST(the_nearest_have_room_first),
		TEST(a_long_way_has_its_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
