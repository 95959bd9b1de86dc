/* SPDX-License-Identifier: Apache-2.0 */
/* apply_patch: what is in the files afterwards, in both dialects, and that nothing is
 * in any of them when one hunk does not apply. */

#include "toolcall.h"

#include "perform/file.h"
#include "rounds.h"
#include "tools/patch/patch-set.h"

static void
patch(struct hand *h, const char *text)
{
	hand_call(h, "apply_patch", json_pack("{s:s}", "patch", text));
}

/* -- unified ------------------------------------------------------------------------------ */

#define TEN "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

static void
test_a_unified_diff_is_applied(void **state)
{
	struct hand *h = *state;

	world_file("f", TEN);
	patch(h, "--- a/f\n+++ b/f\n@@ -2,3 +2,4 @@\n 2\n-3\n+three\n+three and a half\n 4\n"
		 "@@ -9,2 +10,2 @@ something\n 9\n-10\n+ten\n");
	hand_says(h, "M f +3 -2");
	assert_string_equal(
		world_read("f"), "1\n2\nthree\nthree and a half\n4\n5\n6\n7\n8\n9\nten\n");
}

static void
test_names_with_and_without_prefix_are_found(void **state)
{
	struct hand *h = *state;

	world_dir("src");
	world_file("src/f", TEN);
	patch(h, "--- src/f\n+++ src/f\n@@ -1 +1 @@\n-1\n+one\n");
	hand_says(h, "M src/f");
	patch(h, "--- src/f\t2024-01-01 10:00:00\n+++ src/f\t2024-01-01 10:00:01\n"
		 "@@ -2 +2 @@\n-2\n+two\n");
	hand_works(h);
	patch(h, "--- old/src/f\n+++ new/src/f\n@@ -3 +3 @@\n-3\n+three\n");
	hand_works(h);
	patch(h, "diff --git a/src/f b/src/f\nindex 1234567..89abcde 100644\n--- a/src/f\n"
		 "+++ b/src/f\n@@ -4 +4 @@\n-4\n+four\n");
	hand_works(h);
	assert_string_equal(world_read("src/f"), "one\ntwo\nthree\nfour\n5\n6\n7\n8\n9\n10\n");
}

static void
test_a_directory_that_is_called_a_is_not_mistaken(void **state)
{
	struct hand *h = *state;

	world_dir("a");
	world_file("a/f", "in a\n");
	world_file("f", "in a\n");
	/* The same name on both sides has no prefix if there is such a file. */
	patch(h, "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-in a\n+changed\n");
	hand_says(h, "M a/f");
	assert_string_equal(world_read("a/f"), "changed\n");
	assert_string_equal(world_read("f"), "in a\n");
}

/* The counts are what a model gets wrong: both are told. */
static void
test_a_hunk_that_does_not_add_up_is_counted(void **state)
{
	struct hand *h = *state;

	world_file("f", TEN);
	patch(h, "--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@ context\n 2\n-3\n-4\n+three\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS,
		"it says '@@ -2,2 +2,2 @@ context', and there are 3 old and 2 new lines");
	patch(h,
		"--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n 2\n-3\n+three\n 4\n@@ -7,1 +7,1 @@\n-7\n+x\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS,
		"it says '@@ -2,4 +2,4 @@', and there are 3 old and 3 new lines");
	patch(h, "--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n 2\n-3\n+three\n 4\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "there are 3 old and 3 new lines");
	assert_string_equal(world_read("f"), TEN);
}

static void
test_a_hunk_is_found_where_it_moved_to(void **state)
{
	struct hand *h = *state;

	world_file("f", "new\nnew\nnew\n" TEN);
	patch(h, "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n@@ -7,3 +7,3 @@\n 7\n-8\n"
		 "+eight\n 9\n");
	hand_says(h, "not at the line the patch says");
	assert_non_null(strstr(h->result.structured, "\"hunks_elsewhere\":1"));
	assert_string_equal(
		world_read("f"), "new\nnew\nnew\n1\n2\nthree\n4\n5\n6\n7\neight\n9\n10\n");
}

static void
test_the_nearest_of_several_is_taken_and_of_two_as_near_none(void **state)
{
	struct hand *h = *state;

	world_file("f", "x\n-\nx\n-\n-\n-\n-\nx\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -7 +7 @@\n-x\n+y\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "x\n-\nx\n-\n-\n-\n-\ny\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-x\n+y\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "fits in more than one place, at lines 1 and 3");
	assert_string_equal(world_read("f"), "x\n-\nx\n-\n-\n-\n-\ny\n");
}

static void
test_only_white_space_at_the_end_of_a_line_is_forgiven(void **state)
{
	struct hand *h = *state;

	world_file("f", "a  \n\tb\t\nc\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-\tb\n+\tB\n c\n");
	hand_says(h, "white space");
	assert_string_equal(world_read("f"), "a  \n\tB\nc\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-    B\n+    b\n c\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "f: hunk 1");
	assert_string_equal(world_read("f"), "a  \n\tB\nc\n");
}

static void
test_a_hunk_that_does_not_apply_is_told_with_what_is_there(void **state)
{
	struct hand *h = *state;

	world_file("f", "int\nmain(void)\n{\n\treturn 1;\n}\n");
	world_file("g", "g\n");
	patch(h, "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n"
		 " main(void)\n {\n-\treturn 0;\n+\treturn 2;\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "f: hunk 1 (line 8 of the patch) does not apply");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS,
		"Hunk 1 expects:\n    |main(void)\n    |{\n    |\treturn 0;\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "   2|main(void)\n   3|{\n   4|\treturn 1;\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "Read the file");
	assert_string_equal(world_read("f"), "int\nmain(void)\n{\n\treturn 1;\n}\n");
	assert_string_equal(world_read("g"), "g\n");
}

static void
test_the_ends_of_lines_stay_what_they_are(void **state)
{
	struct hand *h = *state;

	/* A patch without carriage returns, a file with them. */
	world_file("f", "a\r\nb\r\nc\r\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "a\r\nB\r\nBB\r\nc\r\n");
	/* The other way round, and a patch whose own lines all end so. */
	world_file("g", "a\nb\nc\n");
	patch(h, "--- a/g\r\n+++ b/g\r\n@@ -1,3 +1,3 @@\r\n a\r\n-b\r\n+B\r\n c\r\n");
	hand_works(h);
	assert_string_equal(world_read("g"), "a\nB\nc\n");
	/* A patch that knows them can change them. */
	world_file("k", "a\r\nb\r\n");
	patch(h, "--- a/k\n+++ b/k\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n");
	hand_works(h);
	assert_string_equal(world_read("k"), "a\nb\r\n");
}

static void
test_a_missing_newline_at_the_end_is_kept_added_and_taken_away(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\nb");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "A\nb");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n A\n-b\n\\ No newline at end of file\n+b\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "A\nb\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n A\n-b\n+b\n\\ No newline at end of file\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "A\nb");
	/* Something behind the last line gives it an end. */
	patch(h, "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n A\n b\n+c\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "A\nb\nc\n");
}

static void
test_files_are_made_with_their_directories(void **state)
{
	struct hand *h = *state;

	patch(h, "--- /dev/null\n+++ b/deep/er/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
		 "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n"
		 "@@ -0,0 +1 @@\n+#!/bin/sh\n"
		 "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n");
	hand_says(h, "A deep/er/new.txt +2 -0");
	hand_says(h, "A run.sh +1 -0, executable");
	assert_string_equal(world_read("deep/er/new.txt"), "one\ntwo\n");
	assert_int_equal(hand_mode("run.sh"), 0755);
	assert_int_equal(hand_mode("deep/er/new.txt"), 0644);
	assert_true(hand_has("empty"));
	assert_string_equal(world_read("empty"), "");
	patch(h, "--- /dev/null\n+++ b/empty\n@@ -0,0 +1 @@\n+one\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "empty is there already");
	assert_string_equal(world_read("empty"), "");
	patch(h, "--- a/empty\n+++ b/empty\n@@ -0,0 +1 @@\n+one\n");
	hand_works(h);
	assert_string_equal(world_read("empty"), "one\n");
}

static void
test_nothing_is_deleted_that_says_something_else(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\nb\nc\n");
	patch(h, "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "f has more in it than the patch deletes");
	assert_string_equal(world_read("f"), "a\nb\nc\n");
	patch(h, "--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n-B\n-c\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "does not apply");
	assert_true(hand_has("f"));
	patch(h, "--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n");
	hand_says(h, "D f +0 -3");
	assert_false(hand_has("f"));
	world_file("g", "");
	patch(h, "diff --git a/g b/g\ndeleted file mode 100644\nindex e69de29..0000000\n");
	hand_works(h);
	assert_false(hand_has("g"));
}

static void
test_renames_copies_and_modes_of_git_are_done(void **state)
{
	struct hand *h = *state;

	world_file("old", TEN);
	assert_int_equal(chmod("old", 0755), 0);
	patch(h, "diff --git a/old b/sub/new\nsimilarity index 90%\nrename from old\n"
		 "rename to sub/new\nindex 1..2 100755\n--- a/old\n+++ b/sub/new\n@@ -1,2 +1,2 @@\n"
		 "-1\n+one\n 2\n");
	hand_says(h, "R sub/new (was old) +1 -1");
	assert_false(hand_has("old"));
	assert_string_equal(world_read("sub/new"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
	assert_int_equal(hand_mode("sub/new"), 0755);
	patch(h, "diff --git a/sub/new b/copy\nsimilarity index 100%\ncopy from sub/new\n"
		 "copy to copy\n");
	hand_works(h);
	assert_string_equal(world_read("copy"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
	assert_true(hand_has("sub/new"));
	patch(h, "diff --git a/copy b/copy\nold mode 100755\nnew mode 100644\n");
	hand_says(h, "not executable");
	assert_int_equal(hand_mode("copy"), 0644);
	patch(h, "diff --git a/copy b/copy\nold mode 100644\nnew mode 100755\n--- a/copy\n+++ "
		 "b/copy\n"
		 "@@ -1 +1 @@\n-one\n+1\n");
	hand_works(h);
	assert_int_equal(hand_mode("copy"), 0755);
	assert_string_equal(world_read("copy"), TEN);
	/* A setuid bit is no mode that a patch gives. */
	patch(h, "diff --git a/evil b/evil\nnew file mode 104755\n--- /dev/null\n+++ b/evil\n"
		 "@@ -0,0 +1 @@\n+x\n");
	assert_true(!hand_has("evil") || hand_mode("evil") == 0755);
}

static void
test_binary_patches_and_contradictions_are_refused(void **state)
{
	struct hand *h = *state;
	static const char *const bad[] = {
		"diff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQz\n\n",
		"diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n"
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
		"--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
		"diff --git a/f b/f\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
		"--- a/f\n@@ -1 +1 @@\n-a\n+b\n",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- a/f\n+++ b/f\n@@ -2 +2 @@\n-c\n+d\n",
		"diff --git a/f b/f\nold mode 100644\nnew mode 120000\n",
		"*** f\n--- f\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
		"diff --git a/f b/f\n*** g\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
		"diff --git a/f b/h\nIndex: a\nIndex: b\nrename from f\nrename to h\n--- a/f\n"
		"+++ b/h\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
		"diff --git a/f b/f\n  deleted file mode 100644\nnew mode 100755\n",
		"--- a/g\n\t--- b\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		"Index: f\n--- a/g\nIndex: b\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		"diff --git a/f b/h\nrename from f\ncopy to h\n",
		"*** Begin Patch\n*** Update File: f\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n@@\n a\n*** End Patch\n",
		"*** Begin Patch\n*** Add File: g\nno plus\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n*** Move to: ./f\n@@\n-a\n+b\n*** End "
		"Patch\n",
		"",
		"nothing at all\n",
	};

	world_file("f", "a\nc\n");
	world_file("g", "a\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		patch(h, bad[i]);
		if (!h->result.failed || h->result.code != AMBIT_CODE_BAD_ARGUMENTS)
			fail_msg("%zu: %s", i, h->result.text);
		assert_string_equal(world_read("f"), "a\nc\n");
		assert_string_equal(world_read("g"), "a\n");
	}
}

static void
test_what_svn_writes_is_applied(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\nb\n");
	world_file("g", "a\n");
	patch(h, "Index: f\n=====\n--- f\t(revision 1)\n+++ f\t(working copy)\n@@ -1,2 +1,2 @@\n"
		 "-a\n+A\n b\nIndex: g\n=====\n--- g\t(revision 1)\n+++ g\t(working copy)\n"
		 "@@ -1 +1 @@\n-a\n+A\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "A\nb\n");
	assert_string_equal(world_read("g"), "A\n");
	/* svn diff --git */
	patch(h, "Index: h\n=====\ndiff --git a/f b/h\nsimilarity index 100%\ncopy from f\n"
		 "copy to h\nIndex: g\n=====\ndiff --git a/g b/g\n--- a/g\t(revision 1)\n"
		 "+++ b/g\t(working copy)\n@@ -1 +1 @@\n-A\n+B\n");
	hand_works(h);
	assert_string_equal(world_read("h"), "A\nb\n");
	assert_string_equal(world_read("g"), "B\n");
}

/* -- begin patch ------------------------------------------------------------------------------ */

static void
test_the_other_dialect_adds_updates_moves_and_deletes(void **state)
{
	struct hand *h = *state;

	world_file("a.py", "def one():\n    return 1\n\ndef two():\n    return 1\n");
	world_file("gone", "x\n");
	world_file("from", "k\nl\n");
	patch(h, "*** Begin Patch\n*** Add File: new/dir/n.txt\n+hello\n+\n+there\n"
		 "*** Update File: a.py\n@@ def two():\n-    return 1\n+    return 2\n"
		 "*** Update File: from\n*** Move to: to/there\n@@\n k\n-l\n+L\n*** End of File\n"
		 "*** Delete File: gone\n*** End Patch\n");
	hand_says(h, "A new/dir/n.txt +3 -0");
	hand_says(h, "R to/there (was from) +1 -1");
	hand_says(h, "D gone");
	assert_string_equal(world_read("new/dir/n.txt"), "hello\n\nthere\n");
	assert_string_equal(
		world_read("a.py"), "def one():\n    return 1\n\ndef two():\n    return 2\n");
	assert_string_equal(world_read("to/there"), "k\nL\n");
	assert_false(hand_has("from"));
	assert_false(hand_has("gone"));
}

static void
test_a_hunk_without_an_anchor_must_fit_once(void **state)
{
	struct hand *h = *state;

	world_file("f", "x\ny\nx\nz\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@\n-x\n+X\n*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "at lines 1 and 3");
	assert_string_equal(world_read("f"), "x\ny\nx\nz\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@ y\n-x\n+X\n*** End Patch\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "x\ny\nX\nz\n");
	/* What is above the last hunk does not count. */
	patch(h, "*** Begin Patch\n*** Update File: f\n@@\n-y\n+z\n@@\n-z\n+Z\n*** End Patch\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "x\nz\nX\nZ\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@ no such line\n-x\n+X\n*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no line \"no such line\"");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@\n-z\n+q\n*** End of File\n*** End "
		 "Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "at the end of the file");
	assert_string_equal(world_read("f"), "x\nz\nX\nZ\n");
}

static void
test_empty_lines_between_hunks_are_for_looks_or_content(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\n\nb\nc\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@\n a\n\n-b\n+B\n\n*** End Patch\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "a\n\nB\nc\n");
	patch(h, "apply_patch <<'EOF'\n*** Begin Patch\n\n*** Update File: f\n-c\n+C\n\n"
		 "*** Add File: g\n+1\n\n*** End Patch\nEOF\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "a\n\nB\nC\n");
	assert_string_equal(world_read("g"), "1\n");
}

static void
test_lines_without_context_go_to_the_end_or_below_the_anchor(void **state)
{
	struct hand *h = *state;

	world_file("f", "one\ntwo\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@\n+three\n*** End Patch\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "one\ntwo\nthree\n");
	patch(h, "*** Begin Patch\n*** Update File: f\n@@ one\n+one and a half\n*** End Patch\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "one\none and a half\ntwo\nthree\n");
}

/* -- all or nothing -----------------------------------------------------------------------------
 */

static void
test_one_file_that_fails_leaves_all_as_they_were(void **state)
{
	struct hand *h = *state;
	size_t before;

	world_file("a", "a\n");
	world_file("b", "b\n");
	world_dir("d");
	before = hand_names(".");
	patch(h, "*** Begin Patch\n*** Add File: fresh/x\n+x\n*** Update File: a\n@@\n-a\n+A\n"
		 "*** Delete File: b\n*** Update File: d\n@@\n-a\n+b\n*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "d is a directory");
	patch(h, "*** Begin Patch\n*** Add File: fresh/x\n+x\n*** Update File: a\n@@\n-a\n+A\n"
		 "*** Update File: missing\n@@\n-a\n+b\n*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "missing: there is no such file");
	assert_string_equal(world_read("a"), "a\n");
	assert_string_equal(world_read("b"), "b\n");
	assert_false(hand_has("fresh"));
	assert_int_equal(hand_names("."), before);
}

static void
test_a_file_that_cannot_be_removed_leaves_the_others(void **state)
{
	struct hand *h = *state;

	if (geteuid() == 0)
		skip(); /* nothing is refused to root */
	world_file("a", "a\n");
	world_dir("shut");
	world_file("shut/b", "b\n");
	assert_int_equal(chmod("shut", 0555), 0);
	world_file("c", "c\n");
	patch(h,
		"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+A\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n"
		"--- a/shut/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n");
	assert_int_equal(chmod("shut", 0755), 0);
	assert_true(h->result.failed);
	assert_string_equal(world_read("a"), "a\n");
	assert_string_equal(world_read("c"), "c\n");
	assert_string_equal(world_read("shut/b"), "b\n");
	assert_int_equal(hand_names("shut"), 1);
	assert_int_equal(hand_names("."), 3);
}

static void
test_a_file_that_changed_since_it_was_seen_is_refused(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\nb\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n");
	hand_works(h);
	world_file("f", "A\nb\nsomebody else was here\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-A\n+a\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "changed since");
	assert_string_equal(world_read("f"), "A\nb\nsomebody else was here\n");
	patch(h, "*** Begin Patch\n*** Delete File: f\n*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "changed since");
	assert_true(hand_has("f"));
}

/* -- what takes long ------------------------------------------------------------------------ */

static void
repeat(struct buf *text, const char *what, size_t times)
{
	for (size_t i = 0; i < times; i++)
		buf_puts(text, what);
	assert_false(text->failed);
}

/* Anchors that are all indented in the file: each is first looked for as it is, to the
 * end. And lines of blanks, in the file or in the patch: each byte is looked at. */
static void
test_the_search_for_anchors_has_an_end(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf file = { 0 }, blanks = { 0 }, text = { 0 }, few = { 0 };
	struct stat st;

	repeat(&file, "  x\n", 20000);
	world_file("f", file.data);
	repeat(&text, "*** Begin Patch\n*** Update File: f\n", 1);
	repeat(&text, "@@ x\n+y\n", 4000);
	repeat(&text, "*** End Patch\n", 1);
	patch(h, text.data);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "too much to compare. Split the patch.");
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_size, file.len);
	repeat(&blanks, "  x\n", 1000);
	repeat(&blanks, "                ", 500000);
	world_file("g", blanks.data);
	repeat(&few, "*** Begin Patch\n*** Update File: g\n", 1);
	repeat(&few, "@@ x\n+y\n", 200);
	repeat(&few, "*** End Patch\n", 1);
	patch(h, few.data);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "too much to compare");
	few.len = 0;
	repeat(&few, "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-", 1);
	repeat(&few, "                ", 3000);
	repeat(&few, "\n", 1);
	patch(h, few.data);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "too much to compare");
}

/* They are found from what is done on; nothing before it is looked at again. */
static void
test_hunks_that_all_say_the_first_line_follow_each_other(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf file = { 0 }, text = { 0 };
	struct stat st;

	repeat(&file, "x\n", 20000);
	world_file("f", file.data);
	repeat(&text, "*** Begin Patch\n*** Update File: f\n", 1);
	repeat(&text, "@@ -1 +1 @@\n-x\n+yy\n", 20000);
	repeat(&text, "*** End Patch\n", 1);
	patch(h, text.data);
	hand_says(h, "M f +20000 -20000");
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_size, 60000);
	/* Above what is done there is nothing, however near. */
	world_file("g", "x\na\nb\nc\nx\n");
	patch(h, "--- a/g\n+++ b/g\n@@ -2 +2 @@\n-a\n+A\n@@ -2 +2 @@\n-x\n+X\n");
	hand_works(h);
	assert_string_equal(world_read("g"), "x\nA\nb\nc\nX\n");
}

static bool
is_third(const void *data)
{
	int *looks = *(int *const *)data;

	return ++*looks == 3;
}

static void
test_a_patch_is_cancelled_between_hunks(void **state)
{
	static const char text[] = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+a\n@@ -2 +2 @@\n-2\n+b\n"
				   "@@ -3 +3 @@\n-3\n+c\n@@ -4 +4 @@\n-4\n+d\n";
	int n = 0, *looks = &n;
	struct file_watch watch = { .cancelled = is_third, .data = &looks };
	struct ambit_error err = { 0 };
	struct patch_count count = { 0 };
	struct patch_set set = { 0 };
	auto_buf struct buf out = { 0 };
	char *detail = NULL;

	(void)state;
	assert_int_equal(patch_parse(text, strlen(text), &set, &err), 0);
	assert_int_equal(patch_apply(&set, &set.files[0], TEN, strlen(TEN), &watch, &out, &count,
				 &detail, &err),
		-ECANCELED);
	assert_int_equal(n, 3);
	assert_null(detail);
	assert_int_equal(count.added, 0);
	patch_finish(&set);
}

/* -- the line --------------------------------------------------------------------------------- */

static void
test_a_patch_is_decided_by_every_file_in_it(void **state)
{
	struct hand *h = *state;
	char text[2048];

	h->answer.kind = AMBIT_NO;
	world_file("in", "a\n");
	snprintf(text, sizeof(text), "%s/f", h->w.out);
	world_file(text, "a\n");
	snprintf(text, sizeof(text),
		"*** Begin Patch\n*** Update File: in\n@@\n-a\n+b\n*** Update File: "
		"%s/f\n@@\n-a\n+b\n"
		"*** End Patch\n",
		h->w.out);
	patch(h, text);
	assert_true(h->result.failed);
	assert_int_equal(h->asked, 1);
	assert_string_equal(world_read("in"), "a\n");
	patch(h, "--- a/in\n+++ b/in\n@@ -1 +1 @@\n-a\n+b\n"
		 "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+rm -rf\n");
	assert_true(h->result.failed);
	assert_string_equal(world_read("in"), "a\n");
	assert_false(hand_has(".git"));
	world_link(h->w.out, "way");
	patch(h, "--- a/in\n+++ b/in\n@@ -1 +1 @@\n-a\n+b\n--- a/way/f\n+++ b/way/f\n@@ -1 +1 @@\n"
		 "-a\n+b\n");
	hand_fails(h, AMBIT_CODE_SYMLINK_ESCAPE, "way/f");
	assert_string_equal(world_read("in"), "a\n");
	snprintf(text, sizeof(text), "%s/f", h->w.out);
	assert_string_equal(world_read(text), "a\n");
	/* With a yes it is done there as well. */
	h->answer.kind = AMBIT_ONCE;
	snprintf(text, sizeof(text),
		"*** Begin Patch\n*** Update File: in\n@@\n-a\n+b\n*** Update File: "
		"%s/f\n@@\n-a\n+b\n"
		"*** End Patch\n",
		h->w.out);
	patch(h, text);
	hand_works(h);
	snprintf(text, sizeof(text), "%s/f", h->w.out);
	assert_string_equal(world_read(text), "b\n");
}

static void
test_symlinks_are_changed_where_they_lead_and_removed_as_links(void **state)
{
	struct hand *h = *state;

	world_file("f", "a\n");
	world_link("f", "l");
	patch(h, "--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n+b\n");
	hand_works(h);
	assert_string_equal(world_read("f"), "b\n");
	patch(h, "--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "l is a symlink");
	patch(h, "*** Begin Patch\n*** Update File: l\n@@\n-b\n+c\n*** Update File: f\n@@\n-b\n+d\n"
		 "*** End Patch\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "twice");
	assert_string_equal(world_read("f"), "b\n");
	patch(h, "*** Begin Patch\n*** Delete File: l\n*** End Patch\n");
	hand_works(h);
	assert_false(hand_has("l"));
	assert_string_equal(world_read("f"), "b\n");
}

/* Each would undo the other; and what else is in the patch stays known as it is. */
static void
test_two_names_of_one_file_are_one_file(void **state)
{
	struct hand *h = *state;

	world_file("n", "n\n");
	world_file("h1", "a\n");
	assert_int_equal(link("h1", "h2"), 0);
	hand_call(h, "read", json_pack("{s:s}", "file_path", "n"));
	hand_works(h);
	patch(h, "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-n\n+N\n--- a/h1\n+++ b/h1\n@@ -1 +1 @@\n-a\n+b\n"
		 "--- a/h2\n+++ b/h2\n@@ -1 +1 @@\n-a\n+c\n");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "h1 and h2 are the same file");
	assert_string_equal(world_read("n"), "n\n");
	assert_string_equal(world_read("h1"), "a\n");
	patch(h, "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-n\n+N\n");
	hand_works(h);
}

static void
test_many_patches_leave_nothing_open(void **state)
{
	struct hand *h = *state;
	size_t before;

	world_file("f", "a\n");
	patch(h, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
	hand_works(h);
	before = hand_descriptors();
	for (int i = 0; i < rounds(200, 1000); i++) {
		patch(h, i % 2 ? "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
			       : "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-b\n+a\n");
		hand_works(h);
		if (i % 10 == 0) {
			patch(h, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-q\n+b\n");
			assert_true(h->result.failed);
		}
	}
	assert_int_equal(hand_descriptors(), before);
	assert_int_equal(hand_names("."), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, hand_open, hand_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_unified_diff_is_applied),
		TEST(test_names_with_and_without_prefix_are_found),
		TEST(test_a_directory_that_is_called_a_is_not_mistaken),
		TEST(test_a_hunk_is_found_where_it_moved_to),
		TEST(test_a_hunk_that_does_not_add_up_is_counted),
		TEST(test_the_nearest_of_several_is_taken_and_of_two_as_near_none),
		TEST(test_only_white_space_at_the_end_of_a_line_is_forgiven),
		TEST(test_a_hunk_that_does_not_apply_is_told_with_what_is_there),
		TEST(test_the_ends_of_lines_stay_what_they_are),
		TEST(test_a_missing_newline_at_the_end_is_kept_added_and_taken_away),
		TEST(test_files_are_made_with_their_directories),
		TEST(test_nothing_is_deleted_that_says_something_else),
		TEST(test_renames_copies_and_modes_of_git_are_done),
		TEST(test_binary_patches_and_contradictions_are_refused),
		TEST(test_what_svn_writes_is_applied),
		TEST(test_the_other_dialect_adds_updates_moves_and_deletes),
		TEST(test_a_hunk_without_an_anchor_must_fit_once),
		TEST(test_empty_lines_between_hunks_are_for_looks_or_content),
		TEST(test_lines_without_context_go_to_the_end_or_below_the_anchor),
		TEST(test_one_file_that_fails_leaves_all_as_they_were),
		TEST(test_a_file_that_cannot_be_removed_leaves_the_others),
		TEST(test_a_file_that_changed_since_it_was_seen_is_refused),
		TEST(test_the_search_for_anchors_has_an_end),
		TEST(test_hunks_that_all_say_the_first_line_follow_each_other),
		cmocka_unit_test(test_a_patch_is_cancelled_between_hunks),
		TEST(test_a_patch_is_decided_by_every_file_in_it),
		TEST(test_symlinks_are_changed_where_they_lead_and_removed_as_links),
		TEST(test_two_names_of_one_file_are_one_file),
		TEST(test_many_patches_leave_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
