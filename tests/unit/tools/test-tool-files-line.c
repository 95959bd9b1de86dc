/* SPDX-License-Identifier: Apache-2.0 */
/* File tools at the line: what a right to write does not give, what a failure leaves
 * behind, and the ways around a folder that servers of files are known by. */

#include "files.h"

#include <sys/eventfd.h>

#define SECRET "the key is 81f3c0"

/* -- reads ------------------------------------------------------------------------------- */

static int
open_guarded(void **state)
{
	int r = files_open_with(
		state, "{\"loop_limit\":0,\"guard_reads\":[\"kept/**\",\".env\",\"deep/a/key\"]}");

	world_dir("kept");
	world_file("kept/key", "first\n" SECRET "\nlast\n");
	world_file(".env", SECRET "\n");
	return r;
}

/* Refused, and nothing of what is in it is told: neither by the words nor by the rest. */
static void
is_silent(const struct ambit_result *result)
{
	files_bad(result, AMBIT_CODE_GUARDED_READ, "not read");
	assert_null(strstr(result->text, "81f3"));
	assert_null(strstr(result->structured, "81f3"));
	assert_null(strstr(result->text, "line"));
}

static void
a_right_to_write_is_none_to_read(void **state)
{
	struct files *f = *state;
	static const char *const patches[] = {
		"--- a/kept/key\n+++ b/kept/key\n@@ -1,2 +1,2 @@\n first\n-the key is\n+x\n",
		"--- a/kept/key\n+++ /dev/null\n@@ -1 +0,0 @@\n-first\n",
		"*** Begin Patch\n*** Update File: kept/key\n@@\n-the key is\n+x\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: kept/key\n*** Move to: pub\n@@\n"
		"-first\n+1\n*** End Patch\n",
		"diff --git a/kept/key b/pub\nsimilarity index 100%\nrename from kept/key\n"
		"rename to pub\n",
	};

	files_bad(CALL(f, "read", "{ss}", "file_path", "kept/key"), AMBIT_CODE_GUARDED_READ,
		"guarded");
	is_silent(CALL(f, "edit", "{ssssss}", "file_path", "kept/key", "old_string", "the key is ?",
		"new_string", "x"));
	/* One that would fit, too: that it does tells what is there. */
	is_silent(CALL(f, "edit", "{ssssss}", "file_path", "kept/key", "old_string", SECRET,
		"new_string", "x"));
	is_silent(CALL(f, "multi_edit", "{sss[{ssss}]}", "file_path", "kept/key", "edits",
		"old_string", "t", "new_string", "x"));
	for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++)
		is_silent(CALL(f, "apply_patch", "{ss}", "patch", patches[i]));
	is_silent(CALL(f, "move", "{ssss}", "src", "kept/key", "dst", "pub"));
	is_silent(CALL(f, "move", "{ssss}", "src", ".env", "dst", "pub"));
	assert_false(files_there("pub"));
	assert_string_equal(world_read("kept/key"), "first\n" SECRET "\nlast\n");
	/* Writing all of it, and taking it away, is what was allowed. */
	files_good(CALL(f, "write", "{ssss}", "file_path", "kept/key", "content", "new"));
	assert_string_equal(world_read("kept/key"), "new");
	files_good(CALL(f, "apply_patch", "{ss}", "patch",
		"*** Begin Patch\n*** Delete File: kept/key\n*** End Patch\n"));
	assert_false(files_there("kept/key"));
}

/* Where it is not guarded by its name any more, it could be read. */
static void
a_tree_takes_no_secret_along(void **state)
{
	struct files *f = *state;

	for (int copy = 0; copy < 2; copy++) {
		CALL(f, copy ? "copy" : "move", "{ssss}", "src", "kept", "dst", "pub");
		assert_true(f->result.failed);
		assert_int_equal(f->result.code, AMBIT_CODE_GUARDED_READ);
		assert_false(files_there("pub"));
	}
	assert_true(files_there("kept/key"));
	/* One that is guarded by where it lies is not copied with what it lies in. */
	world_dir("deep");
	world_dir("deep/a");
	world_file("deep/a/key", SECRET);
	files_end(f);
	files_begin(f);
	for (int copy = 0; copy < 2; copy++) {
		CALL(f, copy ? "copy" : "move", "{ssss}", "src", "deep", "dst", "pub");
		assert_int_equal(f->result.code, AMBIT_CODE_GUARDED_READ);
		assert_false(files_there("pub"));
	}
	/* Also from further up. */
	world_dir("top");
	assert_int_equal(rename("kept", "top/kept"), 0);
	for (int copy = 0; copy < 2; copy++) {
		CALL(f, copy ? "copy" : "move", "{ssss}", "src", "top", "dst", "pub");
		if (!f->result.failed)
			files_bad(CALL(f, "read", "{ss}", "file_path", "pub/kept/key"),
				AMBIT_CODE_GUARDED_READ, "guarded");
		CALL(f, copy ? "copy" : "move", "{ssss}", "src", copy ? "top/kept" : "pub/kept",
			"dst", "bare");
		assert_true(f->result.failed);
		assert_false(files_there("bare"));
		rename("pub", "top");
	}
}

static int
open_narrow(void **state)
{
	int r = files_open_with(
		state, "{\"loop_limit\":0,\"reads\":\"folder\",\"ask_mode\":\"bypass\"}");
	struct files *f = *state;
	char path[700];

	snprintf(path, sizeof(path), "%s/notes.txt", f->w.out);
	world_file(path, SECRET "\n");
	return r;
}

/* Past the line, where a person said yes to writes and reads end at the folder. */
static void
names_and_content_past_the_line_stay_untold(void **state)
{
	struct files *f = *state;
	char path[700];

	snprintf(path, sizeof(path), "%s/notes.txt", f->w.out);
	files_bad(CALL(f, "edit", "{ssssss}", "file_path", path, "old_string", "the key",
			  "new_string", "x"),
		AMBIT_CODE_OUT_OF_SCOPE, "not read");
	assert_null(strstr(f->result.text, "81f3"));
	snprintf(path, sizeof(path), "%s/note.txt", f->w.out);
	CALL(f, "delete", "{ss}", "path", path);
	assert_true(f->result.failed);
	assert_null(strstr(f->result.text, "notes.txt"));
	/* What is inside is told. */
	world_file("notes.txt", "x");
	files_bad(CALL(f, "delete", "{ss}", "path", "note.txt"), AMBIT_CODE_BAD_ARGUMENTS,
		"there is notes.txt");
}

/* -- what a failure leaves ----------------------------------------------------------------- */

static void
directories_of_a_failure_go_again(void **state)
{
	struct files *f = *state;
	char deep[600] = "new/dir/";

	world_dir("d");
	world_file("d/x", "x");
	memset(deep + strlen(deep), 'n', 300); /* a name that is too long to be one */
	CALL(f, "write", "{ssss}", "file_path", deep, "content", "x");
	assert_true(f->result.failed);
	assert_false(files_there("new"));
	CALL(f, "move", "{ssss}", "src", "d", "dst", "d/in/it/self");
	assert_true(f->result.failed);
	CALL(f, "copy", "{ssss}", "src", "d", "dst", "d/in/it/self");
	assert_true(f->result.failed);
	assert_int_equal(files_count("d"), 1);
	assert_int_equal(mkfifo("d/fifo", 0600), 0);
	files_bad(CALL(f, "copy", "{ssss}", "src", "d", "dst", "new/dir/d"),
		AMBIT_CODE_BAD_ARGUMENTS, "FIFO");
	assert_false(files_there("new"));
	/* What was there before stays, also if it is empty. */
	world_dir("new");
	CALL(f, "copy", "{ssss}", "src", "d", "dst", "new/dir/d");
	assert_true(f->result.failed);
	assert_true(files_there("new"));
	assert_false(files_there("new/dir"));
	files_good(CALL(f, "write", "{ssss}", "file_path", "new/dir/f", "content", "x"));
	assert_string_equal(world_read("new/dir/f"), "x");
}

static void
a_patch_that_fails_takes_its_directories_along(void **state)
{
	struct files *f = *state;

	/* The second file is where the first needs a directory: known only on the disk. */
	CALL(f, "apply_patch", "{ss}", "patch",
		"*** Begin Patch\n*** Add File: one/two/a\n+a\n*** Add File: one/two\n+b\n"
		"*** End Patch\n");
	assert_true(f->result.failed);
	assert_false(files_there("one"));
	assert_int_equal(files_count("."), 0);
}

/* -- cancelling ------------------------------------------------------------------------------ */

static void
cancelled_calls_change_nothing(void **state)
{
	static const char *const tools[] = { "copy", "move", "delete" };
	struct files *f = *state;
	int cancel = eventfd(1, EFD_CLOEXEC);

	world_dir("d");
	world_file("d/x", "x");
	for (size_t i = 0; i < 3; i++) {
		files_call_until(f, tools[i],
			i < 2 ? json_pack("{ssss}", "src", "d", "dst", "e/f")
			      : json_pack("{sssb}", "path", "d", "recursive", 1),
			cancel);
		assert_true(f->result.failed);
		assert_true(f->result.cancelled);
		assert_string_equal(world_read("d/x"), "x");
		assert_int_equal(files_count("."), 1);
	}
	close(cancel);
}

/* -- ways around --------------------------------------------------------------------------- */

static void
no_spelling_leads_out(void **state)
{
	struct files *f = *state;
	char evil[700], path[1400];

	snprintf(evil, sizeof(evil), "%s-evil", f->w.root);
	world_dir(evil);
	snprintf(path, sizeof(path), "%s/secret", evil);
	world_file(path, "safe");
	static const char *const names[] = {
		"../project-evil/secret",
		"./a/../../project-evil/secret",
		"../project-evil/new",
		"../project-evil/new/deeper/file",
		"../project-evil",
		"..//.//project-evil/./secret",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CALL(f, "write", "{ssss}", "file_path", names[i], "content", "x");
		assert_true(f->result.failed);
		CALL(f, "edit", "{ssssss}", "file_path", names[i], "old_string", "safe",
			"new_string", "x");
		assert_true(f->result.failed);
		CALL(f, "delete", "{sssb}", "path", names[i], "recursive", 1);
		assert_true(f->result.failed);
	}
	assert_string_equal(world_read(path), "safe");
	assert_int_equal(files_count(evil), 1);
	/* What only looks encoded is a name like any other, inside. */
	files_good(CALL(
		f, "write", "{ssss}", "file_path", "%2e%2e%2fproject-evil%2fx", "content", "in"));
	assert_string_equal(world_read("%2e%2e%2fproject-evil%2fx"), "in");
	files_good(CALL(f, "write", "{ssss}", "file_path", "..\\x", "content", "in"));
	assert_string_equal(world_read("..\\x"), "in");
	assert_int_equal(files_count(evil), 1);
	files_good(CALL(f, "write", "{ssss}", "file_path", "a/b/c/../d/file", "content", "in"));
	assert_string_equal(world_read("a/b/d/file"), "in");
}

static void
a_nul_ends_no_name(void **state)
{
	struct files *f = *state;
	static const char *const tools[][2] = { { "write", "file_path" }, { "delete", "path" },
		{ "edit", "file_path" }, { "read", "file_path" } };

	world_file("a", "one");
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		json_t *args = json_object();

		json_object_set_new(args, tools[i][1], json_stringn("a\0.txt", 6));
		if (i == 0)
			json_object_set_new(args, "content", json_string("two"));
		if (i == 2) {
			json_object_set_new(args, "old_string", json_string("one"));
			json_object_set_new(args, "new_string", json_string("two"));
		}
		files_call(f, tools[i][0], args);
		assert_true(f->result.failed);
		assert_string_equal(world_read("a"), "one");
	}
	json_t *args = json_object();

	json_object_set_new(args, "patch",
		json_stringn("*** Begin Patch\n*** Delete File: a\0b\n*** End Patch\n", 51));
	files_call(f, "apply_patch", args);
	assert_true(f->result.failed);
	assert_string_equal(world_read("a"), "one");
}

static void
links_out_are_no_way(void **state)
{
	struct files *f = *state;
	char path[700];
	static const char *const names[] = { "file", "dir/secret", "dir/new", "dir/a/b/new",
		"dangling", "chain", "hollow/new" };

	snprintf(path, sizeof(path), "%s/secret", f->w.out);
	world_file(path, "safe");
	world_link(path, "file");
	world_link(f->w.out, "dir");
	snprintf(path, sizeof(path), "%s/not-yet", f->w.out);
	world_link(path, "dangling");
	world_link("dangling", "chain");
	snprintf(path, sizeof(path), "%s/no-dir", f->w.out);
	world_link(path, "hollow");
	world_file("x", "x");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char patch[200];

		files_bad(CALL(f, "write", "{ssss}", "file_path", names[i], "content", "x"),
			AMBIT_CODE_SYMLINK_ESCAPE, "outside");
		CALL(f, "copy", "{sssssb}", "src", "x", "dst", names[i], "overwrite", 1);
		assert_true(f->result.failed);
		snprintf(patch, sizeof(patch),
			"*** Begin Patch\n*** Add File: %s\n+x\n*** End Patch\n", names[i]);
		CALL(f, "apply_patch", "{ss}", "patch", patch);
		assert_true(f->result.failed);
	}
	snprintf(path, sizeof(path), "%s/secret", f->w.out);
	assert_string_equal(world_read(path), "safe");
	assert_int_equal(files_count(f->w.out), 1);
	/* Moved onto, a link is replaced by nobody. */
	CALL(f, "move", "{sssssb}", "src", "x", "dst", "file", "overwrite", 1);
	assert_true(f->result.failed);
	assert_string_equal(world_read("x"), "x");
	assert_int_equal(files_count(f->w.out), 1);
}

/* -- guards inside --------------------------------------------------------------------------- */

static void
guards_hold_for_trees_and_patches(void **state)
{
	struct files *f = *state;

	world_dir(".git");
	world_dir(".git/hooks");
	world_dir("t");
	world_dir("t/.vscode");
	world_file("t/.vscode/tasks.json", "{}");
	world_dir("hooks");
	world_file("hooks/pre-commit", "#!/bin/sh\n");
	files_bad(CALL(f, "copy", "{ssss}", "src", "t", "dst", "u"), AMBIT_CODE_GUARDED, "vscode");
	files_bad(CALL(f, "move", "{ssss}", "src", "t", "dst", "u"), AMBIT_CODE_GUARDED, "vscode");
	world_dir("t/sub");
	world_dir("t/sub/.git");
	files_bad(CALL(f, "delete", "{sssb}", "path", "t", "recursive", 1), AMBIT_CODE_GUARDED,
		".git");
	files_bad(CALL(f, "copy", "{ssss}", "src", "hooks/pre-commit", "dst", ".git/hooks"),
		AMBIT_CODE_GUARDED, "hooks");
	CALL(f, "move", "{ssss}", "src", "hooks", "dst", ".git/modules/x/hooks");
	assert_true(f->result.failed);
	files_bad(CALL(f, "apply_patch", "{ss}", "patch",
			  "--- /dev/null\n+++ b/.GIT/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n"),
		AMBIT_CODE_GUARDED, "hooks");
	files_bad(CALL(f, "apply_patch", "{ss}", "patch",
			  "diff --git a/hooks/pre-commit b/.git/hooks/pre-commit\n"
			  "similarity index 100%\nrename from hooks/pre-commit\n"
			  "rename to .git/hooks/pre-commit\n"),
		AMBIT_CODE_GUARDED, "hooks");
	assert_int_equal(files_count(".git/hooks"), 0);
	assert_int_equal(files_count(".git"), 1);
	assert_false(files_there("u"));
	assert_true(files_there("t/.vscode/tasks.json"));
	assert_true(files_there("hooks/pre-commit"));
}

/* -- what was read ------------------------------------------------------------------------- */

/* The same size and times, another text: who changes it cannot set back everything. */
static void
a_quiet_change_is_noticed(void **state)
{
	struct files *f = *state;
	struct stat st;

	for (int i = 0; i < 4; i++) {
		world_file("a", "one\ntwo\n");
		files_good(CALL(f, "read", "{ss}", "file_path", "a"));
		assert_int_equal(stat("a", &st), 0);
		world_file("a", "ONE\ntwo\n");
		assert_int_equal(
			utimensat(AT_FDCWD, "a", (struct timespec[2]){ st.st_atim, st.st_mtim }, 0),
			0);
		if (i == 0)
			CALL(f, "edit", "{ssssss}", "file_path", "a", "old_string", "two",
				"new_string", "2");
		else if (i == 1)
			CALL(f, "multi_edit", "{sss[{ssss}]}", "file_path", "a", "edits",
				"old_string", "two", "new_string", "2");
		else if (i == 2)
			CALL(f, "apply_patch", "{ss}", "patch",
				"--- a/a\n+++ b/a\n@@ -2 +2 @@\n-two\n+2\n");
		else
			CALL(f, "write", "{ssss}", "file_path", "a", "content", "2");
		files_bad(&f->result, AMBIT_CODE_BAD_ARGUMENTS, "changed since");
		assert_non_null(strstr(f->result.text, "Read it again"));
		assert_string_equal(world_read("a"), "ONE\ntwo\n");
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, files_open, files_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_right_to_write_is_none_to_read, open_guarded, files_close),
		cmocka_unit_test_setup_teardown(
			a_tree_takes_no_secret_along, open_guarded, files_close),
		cmocka_unit_test_setup_teardown(
			names_and_content_past_the_line_stay_untold, open_narrow, files_close),
		T(directories_of_a_failure_go_again),
		T(a_patch_that_fails_takes_its_directories_along),
		T(cancelled_calls_change_nothing),
		T(no_spelling_leads_out),
		T(a_nul_ends_no_name),
		T(links_out_are_no_way),
		T(guards_hold_for_trees_and_patches),
		T(a_quiet_change_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
