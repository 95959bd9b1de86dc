/* SPDX-License-Identifier: Apache-2.0 */
/* base/: what its headers promise to everything above. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/program.h"
#include "base/str.h"
#include "scratch.h"

/* -- str ------------------------------------------------------------------------ */

static void
beneath_ends_at_a_component(void **state)
{
	(void)state;
	assert_true(str_beneath("/a/core", "/a/core"));
	assert_true(str_beneath("/a/core/x", "/a/core"));
	assert_false(str_beneath("/a/core-utils", "/a/core"));
	assert_false(str_beneath("/a", "/a/core"));
	assert_true(str_beneath("/a", "/"));
	assert_true(str_beneath("/", "/"));
	assert_false(str_beneath("a", "/"));
}

static void
must_escape(const char *text, size_t len, const char *expected)
{
	auto_free char *escaped = str_escape(text, len);

	assert_string_equal(escaped, expected);
}

static void
escaping_shows_what_would_hide(void **state)
{
	(void)state;
	must_escape("", 0, "");
	must_escape("plain ~/a b.txt", 15, "plain ~/a b.txt");
	must_escape("h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10,
		"h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	must_escape("a\nb\tc\rd", 7, "a\\nb\\tc\\rd");
	must_escape("\x1b[2J\x7f\0x", 7, "\\x1b[2J\\x7f\\x00x");
	must_escape("\\n", 2, "\\\\n");
	must_escape("\xff\xc3", 2, "\\xff\\xc3");
	must_escape("\xc0\xaf\xed\xa0\x80", 5, "\\xc0\\xaf\\xed\\xa0\\x80");
	must_escape("\xc2\x9b"
		    "2J",
		4, "\\u009b2J");
	must_escape(
		"\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", 11, "\\u202e\\u200b\\ufeff\\u00ad");
	must_escape("\xf3\xa0\x81\x81", 4, "\\U000e0041");
	must_escape("\xf0\x9d\x85\xb3", 4, "\\U0001d173");
}

static void
must_show(const char *text, const char *expected)
{
	auto_free char *shown = str_show(text);
	auto_free char *again = str_show(shown);

	assert_string_equal(shown, expected);
	assert_string_equal(again, expected);
}

/* A name can look ended, or as if another line began, by what only takes room. */
static void
showing_leaves_no_gap_to_be_misread(void **state)
{
	(void)state;
	must_show("", "");
	must_show("write ~/a b.txt", "write ~/a b.txt");
	must_show("a  b   c", "a \\x20b \\x20\\x20c");
	must_show("a ", "a\\x20");
	must_show("a  ", "a \\x20");
	must_show("  a", " \\x20a");
	must_show("a\xc2\xa0z\xe2\x80\x83z\xe3\x80\x80z\xe2\x80\xafz\xe1\x9a\x80",
		"a\\u00a0z\\u2003z\\u3000z\\u202fz\\u1680");
	/* Hebrew, Arabic, their forms, and letters of neither: the rest stays in its order. */
	must_show("/\xd7\x90/\xd8\xa7/\xef\xac\x9d/\xef\xba\x8d/\xf0\x90\xa4\x80/\xf0\x9e\xa4\x80",
		"/\\u05d0/\\u0627/\\ufb1d/\\ufe8d/\\U00010900/\\U0001e900");
	must_show("h\xc3\xa9 \xe2\x82\xac \xe6\xbc\xa2 \xd0\xb6 \xf0\x9f\x98\x80",
		"h\xc3\xa9 \xe2\x82\xac \xe6\xbc\xa2 \xd0\xb6 \xf0\x9f\x98\x80");
	/* What is escaped stays so, what is not becomes so. */
	must_show("a\\x20\\\\n\x1b[2J\xe2\x80\xae", "a\\x20\\\\n\\x1b[2J\\u202e");
}

static void
only_well_formed_utf8_is_utf8(void **state)
{
	static const char *const bad[] = { "\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
		"\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff", "a\xc3(" };
	unsigned point = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(str_is_utf8(bad[i], strlen(bad[i])));
	assert_true(str_is_utf8("", 0));
	assert_true(str_is_utf8("a\0b", 3));
	assert_true(str_is_utf8("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 10));
	assert_int_equal(str_utf8("\xe2\x82\xac", 3, &point), 3);
	assert_int_equal(point, 0x20ac);
	assert_int_equal(str_utf8("\xe2\x82\xac", 2, &point), 0);
}

static void
a_cut_is_never_within_a_character(void **state)
{
	(void)state;
	assert_int_equal(str_cut("", 0, 0), 0);
	assert_int_equal(str_cut("abc", 3, 5), 3);
	assert_int_equal(str_cut("abc", 3, 3), 3);
	assert_int_equal(str_cut("abc", 3, 2), 2);
	assert_int_equal(str_cut("a\xc3\xa4", 3, 2), 1);
	assert_int_equal(str_cut("\xf0\x9f\x98\x80x", 5, 3), 0);
	assert_int_equal(str_cut("\xf0\x9f\x98\x80x", 5, 4), 4);
	assert_int_equal(str_cut("\x80\x80\x80", 3, 2), 0);
}

static const char *
name_at(const void *data, size_t i)
{
	return ((const char *const *)data)[i];
}

static void
the_nearest_name_is_guessed_and_a_far_one_is_not(void **state)
{
	static const char *const names[] = { "why", "agent_mode", "guard_writes",
		"a-name-that-is-much-longer-than-any-name-that-a-table-would-ever-hold", NULL };
	static const char *const none[] = { NULL };

	(void)state;
	assert_string_equal(str_nearest("hwy", name_at, names), "why");
	assert_string_equal(str_nearest("guradWrites", name_at, names), "guard_writes");
	assert_string_equal(str_nearest("AGENT-MODE", name_at, names), "agent_mode");
	assert_null(str_nearest("", name_at, names));
	assert_null(str_nearest("entirely", name_at, names));
	assert_null(str_nearest(names[3], name_at, names));
	assert_null(str_nearest("why", name_at, none));
}

static void
must_lead_to(const char *path, const char *expected)
{
	auto_free char *absolute = str_absolute(path);

	assert_non_null(absolute);
	assert_string_equal(absolute, expected);
}

static void
a_relative_path_is_taken_from_where_one_stands(void **state)
{
	auto_close int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir("/usr/bin"), 0);
	auto_free char *cwd = getcwd(NULL, 0);

	assert_string_equal(cwd, "/usr/bin");
	must_lead_to("/a/../b", "/a/../b");
	must_lead_to("x", "/usr/bin/x");
	must_lead_to(".", "/usr/bin");
	must_lead_to("./x/../y", "/usr/bin/x/../y");
	must_lead_to("..", "/usr");
	must_lead_to("../../../x", "/x");
	must_lead_to("../../..", "/");
	must_lead_to("..x", "/usr/bin/..x");
	assert_int_equal(chdir("/"), 0);
	must_lead_to("x", "/x");
	assert_int_equal(fchdir(here), 0);
}

static void
a_list_grows_by_copies_and_ends_in_null(void **state)
{
	char **list = NULL, text[] = "one";

	(void)state;
	assert_int_equal(strv_len(NULL), 0);
	assert_int_equal(strv_append(&list, text), 0);
	text[0] = 'x';
	assert_int_equal(strv_append_to(&list, "two"), 0);
	assert_int_equal(strv_len(list), 2);
	assert_string_equal(list[0], "one");
	assert_null(list[2]);
	strv_free(list);
	strv_free(NULL);
	assert_null(str_dup(NULL));
}

/* Every byte, against what the C library says in the C locale, which this program has. */
static void
a_byte_is_of_its_kind_in_ascii_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 256; i++) {
		char c = (char)i;

		assert_int_equal(ascii_is_digit(c), isdigit(i) != 0);
		assert_int_equal(ascii_is_upper(c), isupper(i) != 0);
		assert_int_equal(ascii_is_lower(c), islower(i) != 0);
		assert_int_equal(ascii_is_letter(c), isalpha(i) != 0);
		assert_int_equal(ascii_is_alnum(c), isalnum(i) != 0);
		assert_int_equal(ascii_is_blank(c), isblank(i) != 0);
		assert_int_equal(ascii_is_space(c), isspace(i) != 0);
		assert_int_equal(ascii_hex_value(c),
			isxdigit(i) ? (int)strtol((char[]){ c, '\0' }, NULL, 16) : -1);
	}
}

/* -- buf ------------------------------------------------------------------------ */

static void
a_buffer_grows_and_gives_its_string_away(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&buf, "%d,", i % 10);
	buf_putc(&buf, 'x');
	buf_append(&buf, "y\0z", 3);
	assert_int_equal(buf.len, 2004);
	auto_free char *text = buf_take(&buf);

	assert_memory_equal(text + 1998, "9,xy\0z", 7);
	assert_null(buf.data);
	auto_free char *empty = buf_take(&buf);

	assert_string_equal(empty, "");
	buf_finish(&buf);
}

static void
what_was_lost_in_a_buffer_is_noticed_at_the_end(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	buf_puts(&buf, "kept");
	buf_append(&buf, "", SIZE_MAX / 2);
	buf_puts(&buf, "more");
	assert_null(buf_take(&buf));
	auto_free char *fresh = buf_take(&buf);

	assert_string_equal(fresh, "");
}

/* -- err ------------------------------------------------------------------------ */

static void
an_error_is_returned_and_told(void **state)
{
	struct ambit_error err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, ENOENT, "%s:%d", "x", 3), -ENOENT);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.text, "x:3");
	assert_int_equal(err_context(&err, "%s", "outer"), -ENOENT);
	assert_string_equal(err.text, "outer: x:3");
	assert_int_equal(err_sys(&err, EACCES, "%s", "/f"), -EACCES);
	assert_string_equal(err.text, "/f: Permission denied");
	assert_int_equal(err_nomem(&err), -ENOMEM);
	assert_int_equal(err_set(NULL, EPERM, "x"), -EPERM);
	assert_int_equal(err_sys(NULL, EPERM, "x"), -EPERM);
	assert_true(err_context(NULL, "x") < 0);
}

static void
no_error_is_ever_a_success(void **state)
{
	struct ambit_error err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, 0, "x"), -EINVAL);
	assert_int_equal(err_set(&err, -3, "x"), -EINVAL);
	err = (struct ambit_error){ 0 };
	assert_true(err_context(&err, "nothing failed") < 0);
}

static void
an_error_is_one_line_that_a_terminal_can_bear(void **state)
{
	struct ambit_error err = { 0 };
	char name[2048];

	(void)state;
	err_set(&err, EINVAL, "a\nb\x1b[2J\x7f\xff \xc2\x9b \xe2\x80\xae \xc3\xa9");
	assert_string_equal(err.text, "a?b?[2J?? ?? ??? \xc3\xa9");
	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa9", 3);
	for (size_t shift = 0; shift < 2; shift++) {
		err_set(&err, EINVAL, "%s%s", shift ? "x" : "", name);
		assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
		assert_true(str_is_utf8(err.text, strlen(err.text)));
		err_context(&err, "%s", shift ? "y" : "yy");
		assert_true(str_is_utf8(err.text, strlen(err.text)));
	}
}

/* -- glob ----------------------------------------------------------------------- */

static void
globs_match_whole_names(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fold, hit;
	} cases[] = {
		{ "abc", "abc", false, true },
		{ "abc", "abcd", false, false },
		{ "abc", "ab", false, false },
		{ "*", "", false, true },
		{ "*", ".hidden", false, true },
		{ "?", "", false, false },
		{ "?", "\xe2\x82\xac", false, true },
		{ "??", "\xe2\x82\xac", false, false },
		{ "*.pem", "x.pem", false, true },
		{ "*.pem", ".pem.bak", false, false },
		{ "a*b*c", "aXbYbZc", false, true },
		{ "a*b*c", "aXbYbZ", false, false },
		{ "**", "anything", false, true },
		{ "[a-c]x", "bx", false, true },
		{ "[a-c]x", "dx", false, false },
		{ "[!a-c]x", "dx", false, true },
		{ "[^a-c]x", "ax", false, false },
		{ "[]]", "]", false, true },
		{ "[a-]", "-", false, true },
		{ "\\*", "*", false, true },
		{ "\\*", "x", false, false },
		{ "\\\\", "\\", false, true },
		{ "ABC", "abc", false, false },
		{ "ABC", "abc", true, true },
		{ ".GIT", ".git", true, true },
		{ ".git", ".GIT", true, true },
		{ "[A-C]", "b", true, true },
		{ ".ssh", ".\xc5\xbf\xc5\xbfh", true, true },
		{ ".ssh", ".\xc5\xbf\xc5\xbfh", false, false },
		{ "hooks", "hoo\xe2\x84\xaas", true, true },
		{ "a?c",
			"a\xff"
			"c",
			false, true },
		{ "a\xff"
		  "c",
			"a\xff"
			"c",
			false, true },
		{ "a\xff"
		  "c",
			"a\xfe"
			"c",
			false, false },
		{ "", "", false, true },
		{ "", "a", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (glob_match(cases[i].pattern, strlen(cases[i].pattern), cases[i].text,
			    strlen(cases[i].text), cases[i].fold) != cases[i].hit)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void
no_glob_takes_for_ever(void **state)
{
	char text[4000], pattern[400];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[sizeof(pattern) - 1] = 'b';
	alarm(20);
	assert_false(glob_match(pattern, sizeof(pattern), text, sizeof(text), true));
	alarm(0);
}

static void
a_pattern_that_is_not_whole_is_refused(void **state)
{
	static const char *const bad[] = { "", "[", "[a", "[]", "[!]", "[^]", "x\\", "a[b", "[!" };
	static const char *const good[] = { "a", "*", "[a]", "[]a]", "[!a]", "\\[", "\\\\", "a]",
		"[[]" };
	char *huge = malloc(4098);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(glob_check(bad[i]), -EINVAL);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(glob_check(good[i]), 0);
	memset(huge, 'a', 4097);
	huge[4097] = '\0';
	assert_int_equal(glob_check(huge), -EINVAL);
	huge[4096] = '\0';
	assert_int_equal(glob_check(huge), 0);
	free(huge);
}

/* -- fd, hash -------------------------------------------------------------------- */

static void
a_file_is_read_whole_or_not_at_all(void **state)
{
	char dir[SCRATCH_PATH], *text = NULL;
	size_t len = 0;

	(void)state;
	scratch_make(dir, sizeof(dir));
	auto_close int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = openat(dirfd, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(fd_write_all(fd, "a\0b", 3), 0);
	assert_int_equal(fd_read_file(dirfd, "f", 3, &text, &len), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
	assert_int_equal(fd_read_file(dirfd, "f", 2, &text, &len), -EFBIG);
	assert_int_equal(fd_read_file(dirfd, "none", 2, &text, &len), -ENOENT);
	assert_int_equal(fd_read_file(dirfd, ".", 2, &text, &len), -EISDIR);
	assert_int_equal(mkfifoat(dirfd, "p", 0600), 0);
	alarm(20);
	assert_int_equal(fd_read_file(dirfd, "p", 2, &text, &len), -EINVAL);
	alarm(0);
	assert_int_equal(fd_read_file(AT_FDCWD, "/dev/zero", 2, &text, &len), -EINVAL);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(fd_read_open(fd, 100, &text, &len), 0);
	assert_int_equal(len, 3);
	free(text);
	unlinkat(dirfd, "p", 0);
	unlinkat(dirfd, "f", 0);
	rmdir(dir);
}

static void
digests_are_sha256_and_names_do_not_repeat(void **state)
{
	char hex[HASH_HEX], a[17], b[17];

	(void)state;
	hash_sha256("abc", 3, hex);
	assert_string_equal(
		hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_random_name(a, 16);
	hash_random_name(b, 16);
	assert_int_equal(strlen(a), 16);
	assert_int_equal(strspn(a, "abcdefghijklmnopqrstuvwxyz0123456789"), 16);
	assert_string_not_equal(a, b);
}

/* The published values: marks of sessions are compared across processes. */
static void
fnv_is_fnv_1a_and_goes_on_where_it_ended(void **state)
{
	(void)state;
	assert_true(hash_fnv(HASH_FNV_START, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(hash_fnv_text(HASH_FNV_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_fnv(HASH_FNV_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(hash_fnv(hash_fnv_text(HASH_FNV_START, "foo"), "bar", 3) ==
		    UINT64_C(0x85944171f73967e8));
	assert_true(hash_fnv_byte(HASH_FNV_START, 0xff) == hash_fnv_text(HASH_FNV_START, "\xff"));
}

/* -- run ------------------------------------------------------------------------- */

static int
run(const char *script, const char *input, size_t input_len, size_t max, int timeout,
	char **ret_output, struct ambit_error *err)
{
	char *const argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char *)(uintptr_t)script,
		NULL };
	char *const envp[] = { (char[]){ "PATH=/usr/bin:/bin" }, (char[]){ "ONLY=this" }, NULL };
	size_t len = 0;
	char *output = NULL;
	int r = run_program(argv, envp, input, input_len, max, timeout, &output, &len, err);

	assert_int_equal(r == 0, output != NULL);
	if (r == 0)
		assert_int_equal(strlen(output), len);
	if (ret_output)
		*ret_output = output;
	else
		free(output);
	return r;
}

static void
a_program_gets_its_input_and_gives_its_output(void **state)
{
	auto_free char *big = malloc(1 << 20), *output = NULL, *env = NULL;

	(void)state;
	memset(big, 'x', 1 << 20);
	/* prints before it reads: more than a pipe holds, both ways */
	assert_int_equal(run("head -c 200000 /dev/zero | tr '\\0' y; cat; echo lost >&2", big,
				 1 << 20, 2 << 20, 20000, &output, NULL),
		0);
	assert_int_equal(strlen(output), 200000 + (1 << 20));
	assert_int_equal(output[199999], 'y');
	assert_int_equal(output[200000], 'x');
	assert_int_equal(
		run("echo $ONLY $HOME; ls /proc/self/fd | wc -l", "", 0, 4096, 20000, &env, NULL),
		0);
	/* 0, 1, 2 and the directory that ls reads */
	assert_string_equal(env, "this\n4\n");
}

static void
a_program_stands_in_the_root_directory(void **state)
{
	auto_free char *output = NULL;

	(void)state;
	assert_int_equal(run("pwd -P; cat <&0", "", 0, 4096, 20000, &output, NULL), 0);
	assert_string_equal(output, "/\n");
}

static void
a_program_that_does_not_read_is_no_failure(void **state)
{
	auto_free char *big = calloc(1, 1 << 20);
	void (*before)(int) = signal(SIGPIPE, SIG_DFL);

	(void)state;
	assert_int_equal(run("exec <&-; echo ok", big, 1 << 20, 4096, 20000, NULL, NULL), 0);
	assert_ptr_equal(signal(SIGPIPE, before), SIG_DFL);
}

static void
every_odd_ending_of_a_program_is_an_error(void **state)
{
	struct ambit_error err = { 0 };
	char *const missing[] = { (char[]){ "/nowhere/prog" }, NULL }, *const envp[] = { NULL };
	char *output = NULL;
	size_t len;

	(void)state;
	assert_int_equal(run("echo yes; exit 3", "", 0, 4096, 20000, NULL, &err), -ECHILD);
	assert_non_null(strstr(err.text, "exited with 3"));
	assert_int_equal(run("kill -9 $$", "", 0, 4096, 20000, NULL, &err), -ECHILD);
	assert_non_null(strstr(err.text, "signal 9"));
	assert_int_equal(run("yes", "", 0, 4096, 20000, NULL, &err), -EFBIG);
	assert_int_equal(run_program(missing, envp, "", 0, 10, 1000, &output, &len, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/prog"));
	assert_null(output);
}

/* What it left behind must be gone too: the pipe's last writer is closed, so
 * the read ends, and no sleep of ours is needed. */
static void
a_hanging_program_is_ended_with_its_whole_group(void **state)
{
	char path[SCRATCH_PATH];
	struct ambit_error err = { 0 };
	auto_free char *script = NULL;
	char c;

	(void)state;
	scratch_make(path, sizeof(path));
	auto_free char *fifo = str_printf("%s/p", path);

	assert_int_equal(mkfifo(fifo, 0600), 0);
	auto_close int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	script = str_printf("exec 3>%s; echo >&3; sleep 600 & wait", fifo);
	int64_t start = clock_steady();

	assert_int_equal(run(script, "", 0, 4096, 500, NULL, &err), -ETIMEDOUT);
	assert_true(clock_steady() - start < 20000);
	assert_non_null(strstr(err.text, "500 ms"));
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	alarm(20);
	assert_int_equal(read(fd, &c, 1), 1); /* it did run */
	assert_int_equal(read(fd, &c, 1), 0); /* and nobody holds the pipe any more */
	alarm(0);
	unlink(fifo);
	rmdir(path);
}

static void
a_programs_name_must_be_absolute_and_runnable(void **state)
{
	struct ambit_error err = { 0 };
	auto_free char *path = NULL;
	char *none = NULL;

	(void)state;
	assert_int_equal(run_resolve("sh", &none, &err), -EINVAL);
	assert_int_equal(run_resolve("./sh", &none, &err), -EINVAL);
	assert_int_equal(run_resolve("", &none, &err), -EINVAL);
	assert_int_equal(run_resolve("/bin", &none, &err), -EACCES);
	assert_int_equal(run_resolve("/etc/passwd", &none, &err), -EACCES);
	assert_int_equal(run_resolve("/nowhere", &none, &err), -ENOENT);
	assert_null(none);
	assert_int_equal(run_resolve("/bin/../bin/sh", &path, &err), 0);
	assert_true(path[0] == '/');
	assert_null(strstr(path, ".."));
}

/* A directory of one's own and a file in it, and what is said of that file. */
struct trusted {
	char dir[SCRATCH_PATH];
	char file[80];
};

static int
make_trusted(void **state)
{
	struct trusted *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	scratch_make(t->dir, sizeof(t->dir));
	snprintf(t->file, sizeof(t->file), "%s/f", t->dir);
	int fd = open(t->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	close(fd);
	*state = t;
	return 0;
}

static int
drop_trusted(void **state)
{
	struct trusted *t = *state;

	unlink(t->file);
	rmdir(t->dir);
	free(t);
	return 0;
}

static void
must_distrust(const char *path, const char *words)
{
	struct ambit_error err = { 0 };

	assert_int_equal(run_trust(path, &err), -EPERM);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
}

static void
a_program_that_others_can_change_is_not_trusted(void **state)
{
	const struct trusted *t = *state;
	struct ambit_error err = { 0 };
	auto_free char *shell = realpath("/bin/sh", NULL);

	assert_int_equal(run_trust(shell, &err), 0);
	assert_int_equal(run_trust(t->file, &err), 0); /* /tmp is sticky, and higher up */
	assert_int_equal(run_trust("sh", &err), -EINVAL);
	assert_int_equal(run_trust("/nowhere/x", &err), -ENOENT);
	chmod(t->file, 0720);
	must_distrust(t->file, "(mode 0720)");
	chmod(t->file, 0702);
	must_distrust(t->file, "(mode 0702)");
	chmod(t->file, 0700);
	chmod(t->dir, 0770);
	must_distrust(t->file, "(mode 0770)");
	chmod(t->dir, 01777);
	must_distrust(t->file, "(mode 1777)");
	chmod(t->dir, 0700);
	assert_int_equal(unlink(t->file), 0);
	assert_int_equal(symlink("/bin/sh", t->file), 0);
	must_distrust(t->file, "is a link");
}

static void
a_program_of_another_user_is_not_trusted(void **state)
{
	const struct trusted *t = *state;

	if (geteuid() != 0)
		skip(); /* only root can give a file away */
	assert_int_equal(chown(t->file, 12345, (gid_t)-1), 0);
	must_distrust(t->file, "belongs to another user (12345)");
	assert_int_equal(chown(t->file, 0, (gid_t)-1), 0);
	assert_int_equal(chown(t->dir, 12345, (gid_t)-1), 0);
	must_distrust(t->file, "belongs to another user (12345)");
	/* It is one's own there: trusted by that user, whoever root is. */
	assert_int_equal(chown(t->file, 12345, (gid_t)-1), 0);
	assert_int_equal(seteuid(12345), 0);
	assert_int_equal(run_trust(t->file, NULL), 0);
	assert_int_equal(seteuid(0), 0);
}

static void
clocks_are_in_milliseconds(void **state)
{
	int64_t a = clock_steady(), b = clock_steady();

	(void)state;
	assert_true(b >= a);
	assert_true(clock_now() > 1600000000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beneath_ends_at_a_component),
		cmocka_unit_test(escaping_shows_what_would_hide),
		cmocka_unit_test(showing_leaves_no_gap_to_be_misread),
		cmocka_unit_test(only_well_formed_utf8_is_utf8),
		cmocka_unit_test(a_cut_is_never_within_a_character),
		cmocka_unit_test(the_nearest_name_is_guessed_and_a_far_one_is_not),
		cmocka_unit_test(a_relative_path_is_taken_from_where_one_stands),
		cmocka_unit_test(a_list_grows_by_copies_and_ends_in_null),
		cmocka_unit_test(a_byte_is_of_its_kind_in_ascii_alone),
		cmocka_unit_test(a_buffer_grows_and_gives_its_string_away),
		cmocka_unit_test(what_was_lost_in_a_buffer_is_noticed_at_the_end),
		cmocka_unit_test(an_error_is_returned_and_told),
		cmocka_unit_test(no_error_is_ever_a_success),
		cmocka_unit_test(an_error_is_one_line_that_a_terminal_can_bear),
		cmocka_unit_test(globs_match_whole_names),
		cmocka_unit_test(no_glob_takes_for_ever),
		cmocka_unit_test(a_pattern_that_is_not_whole_is_refused),
		cmocka_unit_test(a_file_is_read_whole_or_not_at_all),
		cmocka_unit_test(digests_are_sha256_and_names_do_not_repeat),
		cmocka_unit_test(fnv_is_fnv_1a_and_goes_on_where_it_ended),
		cmocka_unit_test(a_program_gets_its_input_and_gives_its_output),
		cmocka_unit_test(a_program_stands_in_the_root_directory),
		cmocka_unit_test(a_program_that_does_not_read_is_no_failure),
		cmocka_unit_test(every_odd_ending_of_a_program_is_an_error),
		cmocka_unit_test(a_hanging_program_is_ended_with_its_whole_group),
		cmocka_unit_test(a_programs_name_must_be_absolute_and_runnable),
		cmocka_unit_test_setup_teardown(a_program_that_others_can_change_is_not_trusted,
			make_trusted, drop_trusted),
		cmocka_unit_test_setup_teardown(
			a_program_of_another_user_is_not_trusted, make_trusted, drop_trusted),
		cmocka_unit_test(clocks_are_in_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
