/* SPDX-License-Identifier: Apache-2.0 */
/* Every file a patch can touch is on the list, and what could hide one is
 * refused. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "patch/patch.h"

static int
collect(void *data, const char *path, size_t len, enum ambit_access access)
{
	struct buf *out = data;
	char line[512];

	snprintf(line, sizeof(line), "%s %.*s\n", ambit_word_name(ambit_accesses, access), (int)len,
		path);
	if (!out->data || !strstr(out->data, line))
		buf_puts(out, line);
	return 0;
}

static void
expect(const char *patch, const char *paths)
{
	struct buf out = { 0 };
	const char *why = "";
	size_t line = 0;
	int r = patch_paths(patch, strlen(patch), collect, &out, &why, &line);

	if (r != 0)
		fail_msg("refused at line %zu: %s\n%s", line, why, patch);
	assert_string_equal(out.data ? out.data : "", paths);
	buf_finish(&out);
}

/* At least this one is on the list. */
static void
expect_has(const char *patch, const char *path)
{
	struct buf out = { 0 };
	const char *why = "";
	size_t line = 0;
	int r = patch_paths(patch, strlen(patch), collect, &out, &why, &line);

	if (r != 0)
		fail_msg("refused at line %zu: %s\n%s", line, why, patch);
	if (!strstr(out.data, path))
		fail_msg("'%s' is missing in:\n%s", path, out.data);
	buf_finish(&out);
}

static void
refuse(const char *patch, size_t want_line)
{
	struct buf out = { 0 };
	const char *why = NULL;
	size_t line = 0;
	int r = patch_paths(patch, strlen(patch), collect, &out, &why, &line);

	if (r != -EINVAL)
		fail_msg("accepted:\n%s", patch);
	assert_non_null(why);
	if (want_line)
		assert_int_equal(line, want_line);
	buf_finish(&out);
}

#define HUNK "@@ -1 +1 @@\n-a\n+b\n"

static void
a_git_diff_lists_its_files(void **state)
{
	(void)state;
	expect("diff --git a/src/x.c b/src/x.c\nindex 1..2 100644\n--- a/src/x.c\n+++ "
	       "b/src/x.c\n" HUNK,
		"write src/x.c\n");
	expect("diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 "
	       "@@\n+b\n",
		"write x\n");
	expect("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n"
	       "@@ -1 +0,0 @@\n-a\n",
		"delete x\n");
	expect("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "write x\n");
	expect("diff --git a/e b/e\nnew file mode 100644\nindex 0..e\n", "write e\n");
	expect("diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\n"
	       "Kc$~{iEn\n\nliteral 0\nHcmV?d00001\n\n",
		"write x.png\n");
}

static void
several_files_and_prose_around_them_are_read(void **state)
{
	(void)state;
	expect("From 1234 Mon Sep 17\nSubject: x\n\nSome words.\n---\n a | 2 +-\n\n"
	       "diff --git a/one b/one\n--- a/one\n+++ b/one\n" HUNK
	       "diff --git a/two b/two\n--- a/two\n+++ b/two\n" HUNK "-- \n2.39.2\n",
		"write one\nwrite two\n");
	expect("--- a/one\n+++ b/one\n" HUNK "--- a/two\n+++ b/two\n" HUNK,
		"write one\nwrite two\n");
}

static void
renames_and_copies_list_both_ends(void **state)
{
	(void)state;
	expect("diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
		"write old\nwrite new\ndelete old\nreplace new\n");
	expect("diff --git a/old b/new\nsimilarity index 100%\ncopy from old\ncopy to new\n",
		"write old\nwrite new\nread old\n");
	expect_has("diff --git a/old b/new\nrename from old\nrename to ../../new\n--- a/old\n"
		   "+++ b/new\n" HUNK,
		"replace ../../new\n");
	expect_has(
		"diff --git a/old b/new\nrename from old\nrename to x\n--- a/old\n+++ b/new\n" HUNK,
		"write new\n");
	refuse("diff --git a/old b/new\nrename from old\n", 0);
}

static void
names_are_decoded(void **state)
{
	(void)state;
	expect("--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n" HUNK, "write \xc3\xa4\n");
	expect("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nold mode 100644\nnew mode 100755\n",
		"write \xc3\xa4\n");
	expect("--- a/x\t2024-01-01 00:00:00\n+++ b/x\t2024-01-01 00:00:01\n" HUNK, "write x\n");
	expect_has("diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n", "write a b\n");
	expect("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "write x\n");
	refuse("--- \"a/\\q\"\n+++ b/x\n" HUNK, 1);
	refuse("--- \"a/x\n+++ b/x\n" HUNK, 1);
	refuse("--- \"a/x\"y\n+++ b/x\n" HUNK, 1);
	refuse("--- \n+++ b/x\n" HUNK, 1);
}

static void
where_readers_differ_every_reading_is_listed(void **state)
{
	(void)state;
	/* -p0 and -p1 */
	expect("--- src/x\n+++ src/x\n" HUNK, "write src/x\nwrite x\n");
	expect("--- /etc/passwd\n+++ /etc/passwd\n" HUNK, "write /etc/passwd\nwrite etc/passwd\n");
	expect("--- a//etc/x\n+++ b//etc/x\n" HUNK, "write /etc/x\nwrite etc/x\n");
	/* git strips as many components from all as it guesses from one */
	expect_has(
		"--- x\n+++ x\n" HUNK "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+b\n", "write b/y\n");
	/* patch(1) may take either side, or the Index line */
	expect("--- one\n+++ two\n" HUNK, "write one\nwrite two\n");
	expect("Index: idx\n--- one\n+++ one\n" HUNK, "write one\nwrite idx\n");
	expect_has("diff --git a/x b/x\n--- a/x\n+++ b/../../y\n" HUNK, "write ../../y\n");
	/* a name with a space and no tab */
	expect_has("--- a/x y\n+++ b/x y\n" HUNK, "write x\n");
	expect_has("--- a/x y\n+++ b/x y\n" HUNK, "write x y\n");
	/* patch(1) takes names from indented lines, from "***" lines, and from
	 * the first two words behind "diff --git" */
	expect_has("- --- a/evil\n" HUNK, "write evil\n");
	expect_has("X--- a/evil\n" HUNK, "write evil\n");
	expect_has("*** w/evil\n" HUNK, "write evil\n");
	expect_has("diff --git i/evil b/y\nrename from x\nrename to z\n", "write evil\n");
	expect_has(
		"diff --git a/evil r b/evil r\nold mode 100644\nnew mode 100755\n", "write evil\n");
	/* deleted, says one line, and kept, says another */
	expect_has("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ b/x\n" HUNK,
		"write x\n");
	expect_has("--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n", "delete x\n");
}

static void
a_header_inside_a_hunk_is_content(void **state)
{
	(void)state;
	expect("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n+++ b/evil\n c\n", "write x\n");
	expect("--- a/x\n+++ b/x\n@@ -1,3 +0,0 @@\n--- a/y\n--- b/y\n-diff --git a/y b/y\n",
		"delete x\nwrite x\n");
}

static void
a_header_behind_a_hunk_is_found(void **state)
{
	(void)state;
	expect_has("--- a/x\n+++ b/x\n" HUNK "--- a/evil\n+++ b/evil\n" HUNK, "write evil\n");
	/* the end of one hunk that reads like the start of the next file */
	expect_has("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n c\n--- a/evil\n+++ b/evil\n" HUNK,
		"write evil\n");
	expect_has("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
		   "\\ No newline at end of file\n--- a/evil\n+++ b/evil\n" HUNK,
		"write evil\n");
}

static void
a_hunk_that_lies_is_refused(void **state)
{
	(void)state;
	refuse("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n", 5);
	refuse("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n", 5);
	refuse("--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n a\ndiff --git a/evil b/evil\n", 5);
	refuse("--- a/x\n+++ b/x\n@@ something @@\n-a\n+b\n", 3);
	refuse("--- a/x\n+++ b/x\n@@\n-a\n+b\n", 3);
	refuse("--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n-a\n+b\n", 3);
	refuse("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n- a\n+ b\n", 3);
	refuse(HUNK, 1);
	refuse("--- /dev/null\n+++ /dev/null\n" HUNK, 0);
}

static void
what_only_patch_would_apply_is_refused(void **state)
{
	(void)state;
	/* behind an empty line it looks for a file, and finds +++ b/evil */
	refuse("--- a/x\n+++ b/x\n" HUNK "\n@@ -1,1 +1,3 @@\n one\n+-- x\n+++ b/evil\n" HUNK, 7);
	refuse("*** a/x\t2024\n--- b/x\t2024\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
		2);
	refuse("Index: x\n1c1\n< a\n---\n> b\n", 2);
	refuse("Index: x\n1d\n", 2);
	refuse("  --- a/x\n  +++ b/x\n  @@ -1 +1 @@\n  -a\n  +b\n", 3);
	refuse("- --- a/x\n- +++ b/x\n- @@ -1 +1 @@\n- -a\n- +b\n", 3);
	refuse("XX@@ -1 +1 @@\n", 1);
}

/* One reader skips a header that for another begins a new file: what is below it
 * is said of two files. */
static void
headers_of_two_kinds_for_one_file_are_refused(void **state)
{
	(void)state;
	refuse("diff --git a/old b/new\nIndex: a\nIndex: b\nrename from old\nrename to new\n", 3);
	refuse("diff --git a/old b/new\nIndex: a\nrename from old\nrename to new\n", 3);
	refuse("diff --git a/x b/x\nnew mode 100755\nIndex: y\n--- a/x\n+++ b/x\n" HUNK, 4);
	refuse("diff --git a/x b/x\n--- a/x\n+++ b/x\nIndex: y\n" HUNK, 5);
	refuse("diff --git a/x b/x\nIndex: y\ndeleted file mode 100644\n", 3);
	refuse("Index: i\n--- a/x\nIndex: y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 3);
	refuse("diff --git a/old b/new\n  --- x\n  --- y\nrename from old\nrename to new\n", 2);
	refuse("diff --git a/old b/new\nrename from old\n\trename to new\n", 3);
	refuse("diff --git a/x b/x\n  deleted file mode 100644\nnew mode 100755\n", 2);
	refuse("--- a/x\n  --- y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 2);
	refuse("--- y\n- --- a/evil\n" HUNK, 2);
	refuse("--- y\nX--- a/evil\n" HUNK, 2);
	refuse("  +++ y\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 2);
	refuse("*** w/evil\n--- b/x\n" HUNK, 2);
	refuse("diff --git a/x b/x\n*** y\n--- a/x\n+++ b/x\n" HUNK, 2);
	refuse("diff --git a/old b/new\nrename from old\ncopy to new\n", 3);
}

static void
what_svn_and_cvs_write_is_read(void **state)
{
	static const char line[] =
		"===================================================================\n";
	char text[1024];

	(void)state;
	/* an empty file, then properties alone, then a change */
	snprintf(text, sizeof(text),
		"Index: e\n%sIndex: p\n%s--- p\t(revision 1)\n+++ p\t(working copy)\n\n"
		"Property changes on: p\n%sAdded: svn:executable\n## -0,0 +1 ##\n+*\n"
		"\\ No newline at end of property\nIndex: x\n%s--- x\t(revision 1)\n"
		"+++ x\t(working copy)\n" HUNK,
		line, line, line, line);
	expect(text, "write e\nwrite p\nwrite x\n");
	/* svn diff --git: no hunk between the first file's headers and the second's */
	snprintf(text, sizeof(text),
		"Index: n\n%sdiff --git a/o b/n\nsimilarity index 100%%\ncopy from o\ncopy to n\n"
		"Index: x\n%sdiff --git a/x b/x\n--- a/x\t(revision 1)\n"
		"+++ b/x\t(working copy)\n" HUNK,
		line, line);
	expect(text, "write n\nwrite o\nwrite x\nread o\n");
	snprintf(text, sizeof(text),
		"Index: x\n%sRCS file: /cvs/x,v\nretrieving revision 1.1\ndiff -u -r1.1 x\n"
		"--- x\t1 Jan 2024 00:00:00 -0000\t1.1\n+++ x\t1 Jan 2024 00:00:01 -0000\n" HUNK,
		line);
	expect(text, "write x\n");
}

static void
a_patch_that_makes_a_link_is_refused(void **state)
{
	(void)state;
	refuse("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
	       "+/etc\n\\ No newline at end of file\n",
		2);
	refuse("diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n" HUNK, 2);
	expect("diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n"
	       "@@ -1 +0,0 @@\n-a\n",
		"delete l\n");
	/* git reads octal numbers, however they are written. */
	refuse("diff --git a/x b/x\nnew file mode 0120000\n", 2);
	refuse("diff --git a/x b/x\nnew file mode 00120000\n", 2);
	refuse("diff --git a/x b/x\nnew file mode +120000\n", 2);
	refuse("diff --git a/x b/x\nnew file mode 10000120000\n", 2);
	refuse("diff --git a/x b/x\nnew file mode 120777\n", 2);
	refuse("diff --git a/x b/x\nnew file mode  120000 \n", 2);
	refuse("diff --git a/x b/x\nold mode 100644\nnew mode 0120000\n", 3);
	refuse("diff --git a/x b/x\nindex 1..2 0120000\n--- a/x\n+++ b/x\n" HUNK, 2);
	refuse("diff --git a/x b/x\nnew file mode 040000\n", 2);
	expect("diff --git a/x b/x\ndeleted file mode 120000\n--- a/x\n+++ /dev/null\n"
	       "@@ -1 +0,0 @@\n-a\n",
		"delete x\n");
	expect("diff --git a/x b/x\n--- a/x\n+++ b/x\n" HUNK "index of what follows\n",
		"write x\n");
}

/* patch(1) strips what git apply keeps, and the other way round. */
static void
a_name_with_odd_white_space_is_refused(void **state)
{
	static const char *const names[] = { " .envrc", ".envrc\f", "\v.envrc", "\r.envrc",
		".envrc\r\r", "a/.envrc\rz", "\f.envrc", ".envrc ", "x\vy", "x\fy", "\x01x",
		"x\x7f", ".envrc \t2024-01-01", "\"\\r.envrc\"", "\".envrc\\f\"", "\" x\"",
		"\"a\\015b\"" };
	static const char *const headers[][2] = { { "+++ ", "\n" }, { "--- ", "\n+++ b/x\n" },
		{ "Index:", "\n" }, { "*** ", "\n+++ b/x\n" } };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t h = 0; h < sizeof(headers) / sizeof(headers[0]); h++) {
			char patch[256];

			snprintf(patch, sizeof(patch), "%s%s%s" HUNK, headers[h][0], names[i],
				headers[h][1]);
			if (h == 2 && names[i][0] == ' ')
				continue; /* any number of spaces stand behind "Index:" */
			refuse(patch, 1);
		}
	}
	refuse("diff --git  a/x b/x\nold mode 100644\nnew mode 100755\n", 1);
	refuse("diff --git a/x\rz b/x\rz\nold mode 100644\nnew mode 100755\n", 1);
	refuse("diff --git a/x b/x \nold mode 100644\nnew mode 100755\n", 1);
	refuse("diff --git a/x b/y\nrename from  x\nrename to y\n", 2);
	refuse("diff --git a/x b/y\nrename from x\nrename to y\f\n", 3);
	refuse("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n--- y\n+++  y\n" HUNK, 7);
}

static void
a_carriage_return_belongs_to_every_line_or_to_no_name(void **state)
{
	(void)state;
	expect("diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		"write x\n");
	expect("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b", "write x\n");
	expect("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n", "write x\n");
	refuse("--- a/x\n+++ b/x\r\n" HUNK, 2);
	refuse("diff --git a/x b/x\r\nold mode 100644\nnew mode 100755\n", 1);
	refuse("--- a/x\r\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", 1);
}

static void
nothing_to_do_is_not_an_empty_list(void **state)
{
	(void)state;
	refuse("", 1);
	refuse("\n\n", 0);
	refuse("just words\n", 0);
	refuse("--- a/x\n+++ b/x\n", 0);
	refuse("diff --git a/x b/y\n", 0);
	refuse("*** Begin Patch\n*** End Patch\n", 0);
}

#define BEGIN "*** Begin Patch\n"
#define END "*** End Patch\n"

static void
the_begin_patch_dialect_lists_its_files(void **state)
{
	(void)state;
	expect(BEGIN "*** Add File: a.txt\n+hello\n+*** Delete File: no\n"
		     "*** Update File: b.txt\n@@ def f():\n context\n-old\n+new\n*** End of File\n"
		     "*** Delete File: c.txt\n" END,
		"write a.txt\nwrite b.txt\ndelete c.txt\n");
	expect(BEGIN "*** Update File: a\n*** Move to: ../b\n@@\n-x\n+y\n" END,
		"write a\nreplace ../b\ndelete a\n");
	expect("apply_patch <<'EOF'\n" BEGIN "*** Add File: a\n+x\n" END "EOF\n", "write a\n");
	expect("<<EOF\n" BEGIN "*** Add File: a\n+x\n" END "EOF", "write a\n");
	expect("\n  " BEGIN "*** Add File: a\n+x\n*** End Patch  \n\n", "write a\n");
	expect("*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n", "delete a\n");
}

static void
every_reading_of_a_begin_patch_name_is_listed(void **state)
{
	(void)state;
	expect(BEGIN "*** Delete File:  a b \n" END, "delete a b\ndelete  a b\n");
	expect(BEGIN "*** Delete File: a:b\n" END, "delete a:b\ndelete a\n");
	expect_has(
		BEGIN "*** Update File: a\n@@\n *** Delete File: evil\n-x\n" END, "delete evil\n");
	expect_has(BEGIN "*** Add File: a\n+x\n  *** Delete File: evil\n" END, "delete evil\n");
}

static void
what_hides_a_file_in_begin_patch_is_refused(void **state)
{
	(void)state;
	refuse(BEGIN "*** Add File: a\n+x\n", 3);
	refuse(BEGIN "*** Add File: a\nx\n" END, 3);
	refuse(BEGIN "*** Add File:\n" END, 2);
	refuse(BEGIN "*** Add File: \n" END, 2);
	refuse(BEGIN "*** Frobnicate File: a\n" END, 2);
	refuse(BEGIN "*** Move to: a\n" END, 2);
	refuse(BEGIN "*** Add File: a\n+x\r*** Delete File: evil\n" END, 0);
	refuse(BEGIN "*** Delete File: a\r/../evil\n" END, 2);
	refuse(BEGIN "*** Delete File: \xc2\xa0"
		     "a\n" END,
		2);
	refuse(BEGIN "*** Delete File: a\n" END "--- a/evil\n+++ b/evil\n" HUNK, 4);
	refuse(BEGIN "*** Delete File: a\n" END BEGIN "*** Delete File: evil\n" END, 4);
	refuse("--- a/x\n+++ b/x\n" HUNK BEGIN "*** Delete File: evil\n" END, 6);
	refuse("words\n" BEGIN "*** Delete File: evil\n" END, 2);
	refuse("cd /etc && apply_patch <<'EOF'\n" BEGIN "*** Add File: a\n+x\n" END "EOF\n", 0);
	refuse("cat <<EOF\n--- a/x\n+++ b/x\n" HUNK "EOF\n", 2);
}

static int
stop(void *data, const char *path, size_t len, enum ambit_access access)
{
	(void)path;
	(void)len;
	(void)access;
	++*(int *)data;
	return -E2BIG;
}

static void
the_receiver_can_stop(void **state)
{
	static const char patch[] = "--- a/x\n+++ b/x\n" HUNK "--- a/y\n+++ b/y\n" HUNK;
	const char *why;
	size_t line;
	int calls = 0;

	(void)state;
	assert_int_equal(patch_paths(patch, strlen(patch), stop, &calls, &why, &line), -E2BIG);
	assert_int_equal(calls, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_git_diff_lists_its_files),
		cmocka_unit_test(several_files_and_prose_around_them_are_read),
		cmocka_unit_test(renames_and_copies_list_both_ends),
		cmocka_unit_test(names_are_decoded),
		cmocka_unit_test(where_readers_differ_every_reading_is_listed),
		cmocka_unit_test(a_header_inside_a_hunk_is_content),
		cmocka_unit_test(a_header_behind_a_hunk_is_found),
		cmocka_unit_test(a_hunk_that_lies_is_refused),
		cmocka_unit_test(what_only_patch_would_apply_is_refused),
		cmocka_unit_test(headers_of_two_kinds_for_one_file_are_refused),
		cmocka_unit_test(what_svn_and_cvs_write_is_read),
		cmocka_unit_test(a_patch_that_makes_a_link_is_refused),
		cmocka_unit_test(a_name_with_odd_white_space_is_refused),
		cmocka_unit_test(a_carriage_return_belongs_to_every_line_or_to_no_name),
		cmocka_unit_test(nothing_to_do_is_not_an_empty_list),
		cmocka_unit_test(the_begin_patch_dialect_lists_its_files),
		cmocka_unit_test(every_reading_of_a_begin_patch_name_is_listed),
		cmocka_unit_test(what_hides_a_file_in_begin_patch_is_refused),
		cmocka_unit_test(the_receiver_can_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
