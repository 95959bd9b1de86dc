/* SPDX-License-Identifier: Apache-2.0 */
/* edit and multi_edit: files that cannot be edited, edits at once, cancelled calls, and
 * sizes. tests/texts/edit*.text and multi-edit.text have edits and the files afterwards. */

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
		T(refuses_what_it_cannot_edit),
		T(no_edit_is_lost_beside_another),
		T(edits_made_at_once_are_all_made),
		T(edits_do_not_make_a_file_too_large),
		T(a_cancelled_call_edits_nothing),
		cmocka_unit_test(changes_across_too_many_lines_are_not_taken_apart),
		cmocka_unit_test(the_work_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
