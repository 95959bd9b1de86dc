/* SPDX-License-Identifier: Apache-2.0 */
/* edit and multi_edit: what is replaced, what is kept as it was, and what a model is
 * told when its text is not there. */

#include "files.h"

#include <pthread.h>
#include <sys/inotify.h>

#include "base/fd.h"
#include "tools/edit/edit-diff.h"
#include "tools/edit/edit-match.h"
#include "tools/edit/edit-near.h"

static const struct ambit_result *
edit(struct files *f, const char *path, const char *old, const char *new)
{
	return CALL(f, "edit", "{ssssss}", "file_path", path, "old_string", old, "new_string", new);
}

/* -- edit ------------------------------------------------------------------------------------ */

static void
replaces_exactly(void **state)
{
	struct files *f = *state;

	world_file("a", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
	assert_int_equal(chmod("a", 0750), 0);
	files_good(edit(f, "a", "four\n", "4\n4b\n"));
	assert_string_equal(f->result.text,
		"Edited a: 1 replacement.\n@@ -1,7 +1,8 @@\n one\n two\n three\n-four\n+4\n+4b\n"
		" five\n six\n seven\n");
	assert_string_equal(world_read("a"), "one\ntwo\nthree\n4\n4b\nfive\nsix\nseven\n");
	assert_int_equal(files_int(f, "replacements"), 1);
	struct stat st;

	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	files_good(edit(f, "a", "4\n4b\n", ""));
	assert_string_equal(world_read("a"), "one\ntwo\nthree\nfive\nsix\nseven\n");
	files_good(CALL(f, "edit", "{sssssssb}", "file_path", "a", "old_string", "e", "new_string",
		"E", "replace_all", 1));
	assert_string_equal(world_read("a"), "onE\ntwo\nthrEE\nfivE\nsix\nsEvEn\n");
	assert_int_equal(files_int(f, "replacements"), 6);
}

static void
keeps_line_ends_and_marks(void **state)
{
	struct files *f = *state;

	world_file("crlf", "a\r\nb\r\nc\r\n");
	files_good(edit(f, "crlf", "a\nb\n", "x\ny\nz\n"));
	assert_string_equal(world_read("crlf"), "x\r\ny\r\nz\r\nc\r\n");
	files_good(edit(f, "crlf", "z", "z1\nz2"));
	assert_string_equal(world_read("crlf"), "x\r\ny\r\nz1\r\nz2\r\nc\r\n");
	files_good(edit(f, "crlf", "z1\r\nz2", "w\r\nv"));
	assert_string_equal(world_read("crlf"), "x\r\ny\r\nw\r\nv\r\nc\r\n");
	/* Each stretch as it is. */
	world_file("mixed", "a\nb\nc\r\nd\r\n");
	files_good(edit(f, "mixed", "c\nd", "C\nD"));
	assert_string_equal(world_read("mixed"), "a\nb\nC\r\nD\r\n");
	files_good(edit(f, "mixed", "a\nb", "A\nB"));
	assert_string_equal(world_read("mixed"), "A\nB\nC\r\nD\r\n");
	/* What was found with other ends than it was given with is put with its own. */
	world_file("lf", "a\nb\nc\n");
	files_good(edit(f, "lf", "a\r\nb\r\n", "x\r\ny\r\n\r\n"));
	assert_string_equal(world_read("lf"), "x\ny\n\nc\n");
	files_good(edit(f, "lf", "y\r\n\r\nc", "y\r\nc"));
	assert_string_equal(world_read("lf"), "x\ny\nc\n");
	world_file("bom", "\xef\xbb\xbf"
			  "one\ntwo");
	files_good(edit(f, "bom", "one", "1"));
	assert_string_equal(world_read("bom"), "\xef\xbb\xbf"
					       "1\ntwo");
	files_good(edit(f, "bom", "two", "2"));
	assert_string_equal(world_read("bom"), "\xef\xbb\xbf"
					       "1\n2");
	/* Bytes that are no UTF-8 stay what they are. */
	world_file("latin", "caf\xe9\nbar\n");
	files_good(edit(f, "latin", "bar", "baz"));
	assert_string_equal(world_read("latin"), "caf\xe9\nbaz\n");
}

static void
creates_only_what_is_not_there(void **state)
{
	struct files *f = *state;

	files_says(edit(f, "new/a", "", "text\n"), "Created new/a");
	assert_string_equal(world_read("new/a"), "text\n");
	files_bad(edit(f, "new/a", "", "other\n"), AMBIT_CODE_BAD_ARGUMENTS, "use write");
	assert_string_equal(world_read("new/a"), "text\n");
	files_bad(edit(f, "none/b", "x", "y"), AMBIT_CODE_BAD_ARGUMENTS, "not there");
	assert_false(files_there("none"));
	files_bad(edit(f, "new/b", "x", "y"), AMBIT_CODE_BAD_ARGUMENTS, "does not exist");
	assert_false(files_there("new/b"));
}

static void
says_what_is_nearest(void **state)
{
	struct files *f = *state;
	static const char text[] =
		"int\nmain(void)\n{\n\tint count = 0;\n\tprintf(\"%d\\n\", count);\n"
		"\treturn 0;\n}\n";

	world_file("a.c", text);
	files_bad(edit(f, "a.c", "    int count = 0;\n", "x"), AMBIT_CODE_BAD_ARGUMENTS,
		"only whitespace differs");
	assert_non_null(strstr(f->result.text, "line 4\n"));
	assert_non_null(strstr(f->result.text, "|\u2192int\u00b7count\u00b7=\u00b70;|"));
	files_bad(edit(f, "a.c", "\tint count = 1;\n\tprintf(\"%d\\n\", count);\n", "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "lines 4-5: 1 of 2 lines");
	assert_non_null(strstr(f->result.text, "|\tint count = 0;|"));
	files_bad(edit(f, "a.c", "retrun 0", "x"), AMBIT_CODE_BAD_ARGUMENTS, "|\treturn 0;|");
	files_bad(edit(f, "a.c", "     4\t\tint count = 0;\n     5\t\tprintf(", "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "line numbers");
	files_bad(edit(f, "a.c", "main(void)\\n{", "x"), AMBIT_CODE_BAD_ARGUMENTS, "escaped twice");
	files_bad(edit(f, "a.c", "int sum = 0;", "int count = 0;"), AMBIT_CODE_BAD_ARGUMENTS,
		"is in the file already, at line 4");
	files_bad(edit(f, "a.c", "@@@@@@@@", "x"), AMBIT_CODE_BAD_ARGUMENTS, "Nothing in the file");
	files_bad(edit(f, "a.c", "}", "}"), AMBIT_CODE_BAD_ARGUMENTS, "are the same");
	/* What is typed is not what stands there, though it looks so. */
	world_file("book", "one\nit\u2019s \u201cread\u201d \u2013 and\u2026\n");
	files_bad(edit(f, "book", "it's \"read\" - and...", "x"), AMBIT_CODE_BAD_ARGUMENTS,
		"It is at line 2 but for characters that only look alike");
	files_bad(edit(f, "book", "it's \"read\" - and...", "y"), AMBIT_CODE_BAD_ARGUMENTS,
		"|it\u2019s \u201cread\u201d \u2013 and\u2026|");
	world_file("latin", "caf\xe9 one\n");
	files_bad(edit(f, "latin", "caf\u00e9 one", "x"), AMBIT_CODE_BAD_ARGUMENTS,
		"The file is not UTF-8");
	world_file("open", "a\nb");
	files_bad(edit(f, "open", "b\n", "c\n"), AMBIT_CODE_BAD_ARGUMENTS, "ends in a line break");
	assert_string_equal(world_read("a.c"), text);
}

static void
says_where_it_is_more_than_once(void **state)
{
	struct files *f = *state;

	world_file("a", "x\ny\nx\nx\n");
	files_bad(edit(f, "a", "x", "z"), AMBIT_CODE_BAD_ARGUMENTS, "3 times, at lines 1, 3, 4.");
	assert_non_null(strstr(f->result.text, "replace_all"));
	assert_string_equal(world_read("a"), "x\ny\nx\nx\n");
	world_file("b", "x\r\ny\r\nx\r\ny\r\n");
	files_bad(edit(f, "b", "x\ny", "z"), AMBIT_CODE_BAD_ARGUMENTS, "2 times, at lines 1, 3.");
}

static void
refuses_what_it_cannot_edit(void **state)
{
	struct files *f = *state;
	int fd = open("bin", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, "a\0b", 3), 3);
	close(fd);
	files_bad(edit(f, "bin", "a", "b"), AMBIT_CODE_BAD_ARGUMENTS, "binary");
	fd = open("huge", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(fd, 1ll << 33), 0);
	close(fd);
	files_bad(edit(f, "huge", "a", "b"), AMBIT_CODE_BAD_ARGUMENTS, "not edited here");
	assert_int_equal(mkfifo("fifo", 0666), 0);
	files_bad(edit(f, "fifo", "a", "b"), AMBIT_CODE_BAD_ARGUMENTS, "FIFO");
	world_dir("d");
	files_bad(edit(f, "d", "a", "b"), AMBIT_CODE_BAD_ARGUMENTS, "directory");
}

/* -- at once ---------------------------------------------------------------------------------- */

struct editor {
	struct ambit_registry *registry;
	int number, times, done;
};

/* Puts lines of its own before the last, and counts those that were taken. */
static void *
edit_again_and_again(void *data)
{
	struct editor *e = data;

	for (int i = 0; i < e->times; i++) {
		struct ambit_result result = { 0 };
		char args[200];

		snprintf(args, sizeof(args),
			"{\"file_path\":\"a\",\"old_string\":\"END\",\"new_string\":\"%d.%"
			"d\\nEND\"}",
			e->number, i);
		if (ambit_registry_call(e->registry, "edit", args, strlen(args), NULL, &result) ==
			0)
			e->done += !result.failed;
		ambit_result_finish(&result);
	}
	return NULL;
}

static void
edit_beside_others(struct files *f, int names)
{
	struct editor editors[4] = { 0 };
	pthread_t threads[4];
	int done = 0, lines = 0;

	files_good(CALL(f, "read", "{ss}", "file_path", "a"));
	for (int i = 0; i < 4; i++) {
		editors[i] = (struct editor){ f->registry, .number = i, .times = 60 };
		assert_int_equal(
			pthread_create(&threads[i], NULL, edit_again_and_again, &editors[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		done += editors[i].done;
	}
	for (const char *at = world_read("a"); (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(done > 0);
	assert_int_equal(lines, done + 1);
	assert_int_equal(files_count("."), names);
}

/* Also of a file that is written in place, since it has another name. */
static void
no_edit_is_lost_beside_another(void **state)
{
	world_file("a", "END\n");
	edit_beside_others(*state, 1);
	world_file("a", "END\n");
	assert_int_equal(link("a", "b"), 0);
	edit_beside_others(*state, 2);
}

/* As many as a model makes in one breath; whoever is second is not told to read again. */
static void
edits_made_at_once_are_all_made(void **state)
{
	struct files *f = *state;
	struct editor editors[8] = { 0 };
	pthread_t threads[8];

	for (int round = 0; round < 20; round++) {
		int lines = 0;

		world_file("a", "END\n");
		files_good(CALL(f, "read", "{ss}", "file_path", "a"));
		for (int i = 0; i < 8; i++) {
			editors[i] = (struct editor){ f->registry, .number = i, .times = 1 };
			assert_int_equal(pthread_create(&threads[i], NULL, edit_again_and_again,
						 &editors[i]),
				0);
		}
		for (int i = 0; i < 8; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(editors[i].done, 1);
		}
		for (const char *at = world_read("a"); (at = strchr(at, '\n')); at++)
			lines++;
		assert_int_equal(lines, 9);
		assert_int_equal(files_count("."), 1);
	}
}

/* -- multi_edit -------------------------------------------------------------------------------- */

static void
makes_all_edits_or_none(void **state)
{
	struct files *f = *state;

	world_file("a", "one\ntwo\nthree\n");
	files_says(CALL(f, "multi_edit", "{sss[{ssss},{ssss}]}", "file_path", "a", "edits",
			   "old_string", "one", "new_string", "1\n1b", "old_string", "1b\ntwo",
			   "new_string", "2"),
		"2 edits, 2 replacements");
	assert_string_equal(world_read("a"), "1\n2\nthree\n");
	files_bad(CALL(f, "multi_edit", "{sss[{ssss},{ssss},{ssss}]}", "file_path", "a", "edits",
			  "old_string", "1", "new_string", "A", "old_string", "four", "new_string",
			  "B", "old_string", "three", "new_string", "C"),
		AMBIT_CODE_BAD_ARGUMENTS, "edit 2 of 3: old_string was not found");
	assert_non_null(strstr(f->result.text, "nothing was changed"));
	assert_string_equal(world_read("a"), "1\n2\nthree\n");
	files_good(CALL(f, "multi_edit", "{sss[{ssss},{ssss}]}", "file_path", "new/b", "edits",
		"old_string", "", "new_string", "a b", "old_string", "b", "new_string", "c"));
	assert_string_equal(world_read("new/b"), "a c");
	files_bad(CALL(f, "multi_edit", "{sss[]}", "file_path", "a", "edits"),
		AMBIT_CODE_BAD_ARGUMENTS, "edits");
}

static off_t
size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* Neither edits that are each within the limit, nor line ends that become longer. */
static void
edits_do_not_make_a_file_too_large(void **state)
{
	struct files *f = *state;
	auto_free char *text = malloc(800001);
	char much[201] = "";

	assert_non_null(text);
	for (size_t i = 0; i < 200000; i++)
		memcpy(text + 4 * i, "ab\r\n", 5);
	world_file("a", text);
	memset(much, 'x', sizeof(much) - 1);
	files_bad(CALL(f, "multi_edit", "{sss[{sssssb},{sssssb}]}", "file_path", "a", "edits",
			  "old_string", "a", "new_string", much, "replace_all", 1, "old_string",
			  "b", "new_string", much, "replace_all", 1),
		AMBIT_CODE_BAD_ARGUMENTS, "edit 2 of 2: this would make too much of a");
	assert_int_equal(size_of("a"), 800000);
	memset(much, '\n', sizeof(much) - 1);
	files_bad(CALL(f, "edit", "{sssssssb}", "file_path", "a", "old_string", "a", "new_string",
			  much, "replace_all", 1),
		AMBIT_CODE_BAD_ARGUMENTS, "this would make too much of a");
	assert_int_equal(size_of("a"), 800000);
}

/* Cancelled when the file is read: no sooner, so that the call has begun. */
static void
a_cancelled_call_edits_nothing(void **state)
{
	struct files *f = *state;
	auto_close int cancel = inotify_init1(IN_CLOEXEC);

	world_file("a", "x\n");
	assert_true(cancel >= 0);
	assert_true(inotify_add_watch(cancel, "a", IN_ACCESS) >= 0);
	files_call_until(f, "multi_edit",
		json_pack("{sss[{ssss}]}", "file_path", "a", "edits", "old_string", "x",
			"new_string", "y"),
		cancel);
	assert_true(f->result.failed);
	assert_true(f->result.cancelled);
	assert_string_equal(world_read("a"), "x\n");
}

/* -- the parts ----------------------------------------------------------------------------------
 */

static char *
diff(const char *old, const char *new)
{
	struct buf out = { 0 };

	edit_diff(old, strlen(old), new, strlen(new), 4000, &out);
	return buf_take(&out);
}

static void
check_diff(const char *old, const char *new, const char *want)
{
	char *text = diff(old, new);

	assert_string_equal(text, want);
	free(text);
}

static void
differences_are_told(void **state)
{
	(void)state;
	check_diff("same\n", "same\n", "");
	check_diff("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
	check_diff("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n");
	check_diff("a\nb", "a\nc",
		"@@ -1,2 +1,2 @@\n a\n-b\n\\ no newline at the end of the file\n+c\n"
		"\\ no newline at the end of the file\n");
	check_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
		"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
	/* Two that are far apart, and one that moves. */
	check_diff("a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\n8\nB\n",
		"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-b\n+B\n");
	check_diff("x\na\nb\n", "a\nb\nx\n", "@@ -1,3 +1,3 @@\n-x\n a\n b\n+x\n");
	check_diff("a\na\n", "a\na\na\n", "@@ -1,2 +1,3 @@\n a\n a\n+a\n");
}

/* Taken apart, lines need many times the room of what is in them. */
static void
changes_across_too_many_lines_are_not_taken_apart(void **state)
{
	size_t len = 1000000;
	char *old = malloc(len + 1), *new = malloc(len + 1);

	(void)state;
	assert_true(old && new);
	memset(old, '\n', len);
	memset(new, '\n', len);
	old[len] = new[len] = '\0';
	old[8] = old[len - 2] = 'a';
	new[8] = new[len - 2] = 'b';
	check_diff(old, new,
		"... [the changes lie in more than 400000 lines from line 6 on, and are not "
		"shown]\n");
	/* Large as it is, what lies close together is shown. */
	new[len - 2] = 'a';
	check_diff(old, new, "@@ -6,7 +6,7 @@\n \n \n \n-a\n+b\n \n \n \n");
	free(old);
	free(new);
}

/* Ten megabytes of the worst kind, within a few seconds. */
static void
the_work_is_bounded(void **state)
{
	size_t len = 10u << 20;
	char *text = malloc(len + 1), *old = malloc(40001);
	struct edit_matches m;
	struct buf out = { 0 };

	(void)state;
	assert_true(text && old);
	for (size_t i = 0; i < len; i++)
		text[i] = i % 2 ? '\n' : 'a';
	for (size_t i = 0; i < 40000; i++)
		old[i] = i % 2 ? '\n' : 'a';
	memcpy(old + 39990, "bbbbbbbbbb", 10);
	assert_int_equal(edit_find(text, len, old, 40000, &m), 0);
	assert_int_equal(m.n, 0);
	edit_near(text, len, old, 40000, "x", 1, &out);
	assert_true(out.len > 0);
	buf_finish(&out);
	memset(text, 'a', len);
	edit_near(text, len, "aaaaaaaaaaaaaaaaaaaaaaaaab", 26, "x", 1, &out);
	assert_true(out.len > 0 && out.len < 4000);
	buf_finish(&out);
	for (size_t i = 1; i < len; i += 2)
		text[i] = '\n';
	char *other = malloc(len);

	assert_non_null(other);
	for (size_t i = 0; i < len; i++)
		other[i] = i % 2 ? '\n' : 'b';
	edit_diff(text, len, other, len, 4000, &out);
	assert_true(out.len > 0 && out.len < 5000);
	buf_finish(&out);
	assert_int_equal(edit_find(text, len, "a", 1, &m), -E2BIG);
	free(other);
	free(text);
	free(old);
}

#define T(name) cmocka_unit_test_setup_teardown(name, files_open, files_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(replaces_exactly),
		T(keeps_line_ends_and_marks),
		T(creates_only_what_is_not_there),
		T(says_what_is_nearest),
		T(says_where_it_is_more_than_once),
		T(refuses_what_it_cannot_edit),
		T(no_edit_is_lost_beside_another),
		T(edits_made_at_once_are_all_made),
		T(makes_all_edits_or_none),
		T(edits_do_not_make_a_file_too_large),
		T(a_cancelled_call_edits_nothing),
		cmocka_unit_test(differences_are_told),
		cmocka_unit_test(changes_across_too_many_lines_are_not_taken_apart),
		cmocka_unit_test(the_work_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
