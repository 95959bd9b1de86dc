/* SPDX-License-Identifier: Apache-2.0 */
/* apply_patch: files that change or cannot be removed, cancelled calls, links, and files
 * outside. tests/texts/apply-patch.text has patches and the files afterwards. */

#include "toolcall.h"

#include "perform/file.h"
#include "rounds.h"
#include "tools/patch/patch-apply.h"

static void
patch(struct hand *h, const char *text)
{
	hand_call(h, "apply_patch", json_pack("{s:s}", "patch", text));
}

/* -- all or nothing -----------------------------------------------------------------------------
 */

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
	static const char ten[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
	int n = 0, *looks = &n;
	struct file_watch watch = { .cancelled = is_third, .data = &looks };
	struct ambit_error err = { 0 };
	struct patch_count count = { 0 };
	struct patch_set set = { 0 };
	auto_buf struct buf out = { 0 };
	char *detail = NULL;

	(void)state;
	assert_int_equal(patch_parse(text, strlen(text), &set, &err), 0);
	assert_int_equal(patch_apply(&set, &set.files[0], ten, strlen(ten), &watch, &out, &count,
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
		TEST(test_a_file_that_cannot_be_removed_leaves_the_others),
		TEST(test_a_file_that_changed_since_it_was_seen_is_refused),
		cmocka_unit_test(test_a_patch_is_cancelled_between_hunks),
		TEST(test_a_patch_is_decided_by_every_file_in_it),
		TEST(test_symlinks_are_changed_where_they_lead_and_removed_as_links),
		TEST(test_two_names_of_one_file_are_one_file),
		TEST(test_many_patches_leave_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
