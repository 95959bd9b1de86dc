/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of perform/file.h about trees: removed, moved and copied whole or not at all, also
 * when somebody stops it in between. */

#include <pthread.h>

#include "file-rig.h"
#include "perform/permit.h"

/* -- what has changed --------------------------------------------------------------------- */

/* Two files change places with each other and a link, while one is moved and copied. */
static void *
swap_more(void *data)
{
	struct swapper *s = data;

	while (!s->stop) {
		renameat2(AT_FDCWD, "x", AT_FDCWD, "link", RENAME_EXCHANGE);
		renameat2(AT_FDCWD, "d", AT_FDCWD, "linkdir", RENAME_EXCHANGE);
	}
	return NULL;
}

static void
trees_do_not_leave_in_a_race(void **state)
{
	struct world *w = *state;
	struct swapper s = { .outside = w->out };
	char secret[700];
	pthread_t thread;

	snprintf(secret, sizeof(secret), "%s/secret", w->out);
	world_file(secret, "safe");
	world_file("x", "inside");
	world_link(secret, "link");
	world_dir("d");
	world_link(w->out, "linkdir");
	assert_int_equal(pthread_create(&thread, NULL, swap_more, &s), 0);
	for (int i = 0; i < 500; i++) {
		struct ambit_place from = place_in(".", i % 2 ? "x" : "d"),
				   to = place_in(".", "copy");
		struct pass pass = a_pass(), again = a_pass();
		struct ambit_error err = { 0 };
		struct ambit_place gone;

		/* A link as a link, a file as a file: never what a link leads to. */
		if (file_copy(&pass, &open_law, &from, &to, false, NULL, &err) == 0 &&
			!S_ISLNK(stat_of("copy").st_mode))
			assert_string_not_equal(world_read("copy"), "safe");
		gone = place_in(".", "copy");
		if (gone.exists)
			assert_int_equal(file_remove(&again, &gone, true, NULL, &err), 0);
		ambit_place_finish(&from);
		ambit_place_finish(&to);
		ambit_place_finish(&gone);
	}
	s.stop = true;
	pthread_join(thread, NULL);
	assert_string_equal(world_read(secret), "safe");
	assert_int_equal(scratch_count(w->out), 1);
	assert_int_equal(scratch_count("."), 4);
}

/* -- remove -------------------------------------------------------------------------------- */

static int
remove_it(const char *name, bool tree)
{
	struct ambit_place place = place_in(".", name);
	struct pass pass = a_pass();
	struct ambit_error err = { 0 };
	int r = file_remove(&pass, &place, tree, NULL, &err);

	assert_true(r == 0 || err.text[0]);
	ambit_place_finish(&place);
	return r;
}

static void
removes_what_it_should(void **state)
{
	struct world *w = *state;
	char outside[700], name[32];

	snprintf(outside, sizeof(outside), "%s/kept", w->out);
	world_file(outside, "safe");
	world_file("a", "x");
	world_link(w->out, "link");
	world_dir("d");
	world_dir("d/e");
	world_link(w->out, "d/e/out");
	assert_int_equal(mkfifo("d/fifo", 0600), 0);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "d/e/%d", i);
		world_file(name, "x");
	}
	assert_int_equal(remove_it("a", false), 0);
	assert_int_equal(remove_it("a", false), -ENOENT);
	assert_int_equal(remove_it("link", true), 0);
	assert_int_equal(remove_it("d", false), -ENOTEMPTY);
	assert_true(is_there("d/e/299"));
	assert_int_equal(remove_it("d", true), 0);
	assert_int_equal(scratch_count("."), 0);
	assert_string_equal(world_read(outside), "safe");
	world_dir("empty");
	assert_int_equal(remove_it("empty", false), 0);
}

static void
a_tree_goes_whole_or_not_at_all(void **state)
{
	char path[4096] = "deep";

	(void)state;
	world_dir("d");
	world_dir("d/a");
	world_file("d/a/x", "x");
	world_dir("d/locked");
	world_file("d/locked/x", "x");
	assert_int_equal(chmod("d/locked", 0555), 0);
	if (geteuid() != 0) {
		assert_int_equal(remove_it("d", true), -EACCES);
		assert_true(is_there("d/a/x"));
	}
	assert_int_equal(chmod("d/locked", 0755), 0);
	assert_int_equal(remove_it("d", true), 0);
	for (int i = 0; i < 200; i++) {
		world_dir(path);
		memcpy(path + strlen(path), "/d", 3);
	}
	assert_int_equal(remove_it("deep", true), -ENAMETOOLONG);
	path[strlen(path) - 2] = '\0';
	assert_true(is_there(path));
}

/* -- moves and copies ----------------------------------------------------------------------- */

typedef int carry_fn(struct pass *pass, const struct hand_law *law, const struct ambit_place *from,
	const struct ambit_place *to, bool replace, const struct file_watch *watch,
	struct ambit_error *err);

static int
carry(carry_fn *fn, const char *from_name, const char *to_name, bool replace)
{
	struct ambit_place from = place_in(".", from_name), to = place_in(".", to_name);
	struct pass pass = a_pass();
	struct ambit_error err = { 0 };
	int r = fn(&pass, &open_law, &from, &to, replace, NULL, &err);

	assert_true(r == 0 || err.text[0]);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
	return r;
}

static void
moves(void **state)
{
	(void)state;
	world_file("a", "one");
	world_file("b", "two");
	world_dir("d");
	assert_int_equal(carry(file_move, "a", "c", false), 0);
	assert_string_equal(world_read("c"), "one");
	assert_false(is_there("a"));
	assert_int_equal(carry(file_move, "c", "b", false), -EEXIST);
	assert_string_equal(world_read("b"), "two");
	assert_int_equal(carry(file_move, "c", "b", true), 0);
	assert_string_equal(world_read("b"), "one");
	assert_int_equal(carry(file_move, "b", "d", true), -EISDIR);
	assert_int_equal(carry(file_move, "d", "b", true), -EEXIST);
	assert_int_equal(carry(file_move, "b", "b", true), -EINVAL);
	assert_int_equal(carry(file_move, "gone", "b", true), -ENOENT);
	assert_int_equal(carry(file_move, "d", "e", false), 0);
	/* Two names of one file. */
	assert_int_equal(link("b", "same"), 0);
	assert_int_equal(carry(file_move, "b", "same", true), 0);
	assert_false(is_there("b"));
	assert_string_equal(world_read("same"), "one");
	struct ambit_place from = place_in(".", "e"), to = place_in("e", "inner");
	struct pass pass = a_pass();

	assert_int_equal(file_move(&pass, &open_law, &from, &to, false, NULL, NULL), -EINVAL);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
}

static void
moves_to_another_disk(void **state)
{
	char there[] = "/dev/shm/ambit-move-XXXXXX", file[64];
	struct ambit_place from, to;
	struct pass pass = a_pass();

	(void)state;
	if (!mkdtemp(there) || stat_of(there).st_dev == stat_of(".").st_dev) {
		print_message("skip: there is no other file system here\n");
		skip();
	}
	world_dir("d");
	world_file("d/a", "one");
	from = place_in(".", "d");
	to = place_in(there, "e");
	assert_int_equal(file_move(&pass, &open_law, &from, &to, false, NULL, NULL), 0);
	snprintf(file, sizeof(file), "%s/e/a", there);
	assert_string_equal(world_read(file), "one");
	assert_int_equal(scratch_count("."), 0);
	assert_int_equal(scratch_count(there), 1);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
	scratch_remove(there);
}

static void
copies(void **state)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 2000 } };
	char target[32] = "";

	(void)state;
	world_dir("d");
	world_file("d/a", "one");
	assert_int_equal(chmod("d/a", 04710), 0);
	world_link("/nowhere", "d/link");
	world_dir("d/sub");
	assert_int_equal(chmod("d/sub", 0700), 0);
	assert_int_equal(utimensat(AT_FDCWD, "d/a", times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, "d", times, 0), 0);
	assert_int_equal(carry(file_copy, "d", "e", false), 0);
	assert_string_equal(world_read("e/a"), "one");
	assert_int_equal(stat_of("e/a").st_mode & 07777, 0710);
	assert_int_equal(stat_of("e/a").st_mtim.tv_sec, 2000);
	assert_int_equal(stat_of("e").st_mtim.tv_sec, 2000);
	assert_int_equal(stat_of("e/sub").st_mode & 07777, 0700);
	assert_int_equal(readlink("e/link", target, sizeof(target)), 8);
	assert_int_equal(carry(file_copy, "d", "e", true), -EISDIR);
	world_file("x", "x");
	world_file("y", "y");
	assert_int_equal(carry(file_copy, "x", "y", false), -EEXIST);
	assert_string_equal(world_read("y"), "y");
	assert_int_equal(carry(file_copy, "x", "y", true), 0);
	assert_string_equal(world_read("y"), "x");
	world_link("/nowhere", "w");
	assert_int_equal(carry(file_copy, "w", "z", true), 0);
	assert_true(S_ISLNK(stat_of("z").st_mode));
	/* What cannot be copied leaves nothing of the rest behind. */
	assert_int_equal(mkfifo("d/sub/fifo", 0600), 0);
	assert_int_equal(carry(file_copy, "d", "f", false), -EXDEV);
	assert_false(is_there("f"));
	assert_int_equal(scratch_count("."), 6);
}

/* -- cancelling ----------------------------------------------------------------------------- */

/* Says stop at the n-th look. */
static bool
stops(const void *data)
{
	int *left = *(int *const *)data;

	return --*left <= 0;
}

static void
make_tree(void)
{
	char name[32];

	world_dir("d");
	world_dir("d/e");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), i % 2 ? "d/%d" : "d/e/%d", i);
		world_file(name, "x");
	}
}

/* Files and directories in d and below. */
static int
count_tree(void)
{
	return is_there("d") ? scratch_count("d") + (is_there("d/e") ? scratch_count("d/e") : 0)
			     : 0;
}

/* Wherever it stops, what is gone is what it says. */
static void
a_removal_that_stops_says_how_much_is_gone(void **state)
{
	int left, *at = &left, looks, stopped = 0;
	struct file_watch watch = { stops, &at };

	(void)state;
	for (looks = 1; looks < 200; looks++) {
		struct ambit_error err = { 0 };
		struct pass pass = a_pass();
		struct ambit_place place;
		char words[64];
		int r, gone;

		if (!is_there("d"))
			make_tree();
		place = place_in(".", "d");
		gone = count_tree();
		left = looks;
		r = file_remove(&pass, &place, true, &watch, &err);
		gone -= count_tree();
		ambit_place_finish(&place);
		if (r == 0)
			break;
		assert_int_equal(r, -ECANCELED);
		stopped++;
		snprintf(words, sizeof(words),
			gone ? "%d of what was in it" : "nothing was removed", gone);
		if (!strstr(err.text, words))
			fail_msg("%d are gone: %s", gone, err.text);
	}
	assert_true(stopped > 20);
	assert_false(is_there("d"));
}

static void
a_copy_that_stops_leaves_nothing(void **state)
{
	int left, *at = &left, looks;
	struct file_watch watch = { stops, &at };
	struct ambit_place from, to;

	(void)state;
	make_tree();
	from = place_in(".", "d");
	to = place_in(".", "copy");
	for (looks = 1; looks < 200; looks++) {
		struct pass pass = a_pass();
		struct ambit_error err = { 0 };

		left = looks;
		if (file_copy(&pass, &open_law, &from, &to, false, &watch, &err) == 0)
			break;
		assert_int_equal(err.code, ECANCELED);
		assert_non_null(strstr(err.text, "nothing was changed"));
		assert_int_equal(scratch_count("."), 1);
		assert_int_equal(count_tree(), 21);
	}
	assert_true(looks > 20 && looks < 200);
	assert_int_equal(scratch_count("copy/e"), 10);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
}

/* One that goes to another disk is a copy first; once that is there, all of it is moved. */
static void
a_move_that_stops_is_none(void **state)
{
	char there[] = "/dev/shm/ambit-move-XXXXXX", file[64];
	int left, *at = &left, looks;
	struct file_watch watch = { stops, &at };
	struct ambit_place from, to;

	(void)state;
	if (!mkdtemp(there) || stat_of(there).st_dev == stat_of(".").st_dev) {
		print_message("skip: there is no other file system here\n");
		skip();
	}
	make_tree();
	from = place_in(".", "d");
	to = place_in(there, "d");
	for (looks = 1; looks < 200; looks++) {
		struct pass pass = a_pass();
		struct ambit_error err = { 0 };

		left = looks;
		if (file_move(&pass, &open_law, &from, &to, false, &watch, &err) == 0)
			break;
		assert_int_equal(err.code, ECANCELED);
		assert_int_equal(scratch_count(there), 0);
		assert_int_equal(count_tree(), 21);
	}
	assert_true(looks > 20 && looks < 200);
	snprintf(file, sizeof(file), "%s/d/e", there);
	assert_int_equal(scratch_count(file), 10);
	assert_false(is_there("d"));
	ambit_place_finish(&from);
	ambit_place_finish(&to);
	scratch_remove(there);
}

static void
holes_stay_holes(void **state)
{
	int fd = open("big", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	char text[8] = "";

	(void)state;
	assert_int_equal(ftruncate(fd, 5ll << 30), 0);
	assert_int_equal(pwrite(fd, "deep", 4, 3ll << 30), 4);
	close(fd);
	assert_int_equal(carry(file_copy, "big", "copy", false), 0);
	assert_true(stat_of("copy").st_size == 5ll << 30);
	assert_true(stat_of("copy").st_blocks < 4096);
	fd = open("copy", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, text, 4, 3ll << 30), 4);
	assert_string_equal(text, "deep");
	close(fd);
}

/* -- several at once -------------------------------------------------------------------------- */

/* What is in it can be listed, and not looked at. */
static void
nothing_is_left_out_of_a_copy(void **state)
{
	struct ambit_place from, to;
	struct pass pass = a_pass();

	(void)state;
	if (geteuid() == 0)
		skip();
	world_dir("closed");
	world_file("closed/f", "f");
	assert_int_equal(chmod("closed", 0444), 0);
	from = place_in(".", "closed");
	to = place_in(".", "copy");
	assert_int_equal(file_copy(&pass, &open_law, &from, &to, false, NULL, NULL), -EACCES);
	assert_int_equal(chmod("closed", 0755), 0);
	assert_int_equal(scratch_count("."), 1);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
}

/* Directories that cannot be written to, and last something that cannot be copied. */
static void
a_copy_that_fails_leaves_nothing(void **state)
{
	struct ambit_place from, to;
	struct pass pass = a_pass();
	char name[32];

	(void)state;
	world_dir("src");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "src/%d", i);
		world_dir(name);
		snprintf(name, sizeof(name), "src/%d/f", i);
		world_file(name, "f");
		*strrchr(name, '/') = '\0';
		assert_int_equal(chmod(name, 0555), 0);
	}
	assert_int_equal(mkfifo("src/fifo", 0600), 0);
	from = place_in(".", "src");
	to = place_in(".", "copy");
	assert_int_equal(file_copy(&pass, &open_law, &from, &to, false, NULL, NULL), -EXDEV);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "src/%d", i);
		assert_int_equal(chmod(name, 0755), 0);
	}
	assert_int_equal(scratch_count("."), 1);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_is_left_out_of_a_copy),
		T(a_copy_that_fails_leaves_nothing),
		T(trees_do_not_leave_in_a_race),
		T(removes_what_it_should),
		T(a_tree_goes_whole_or_not_at_all),
		T(moves),
		T(moves_to_another_disk),
		T(copies),
		T(a_removal_that_stops_says_how_much_is_gone),
		T(a_copy_that_stops_leaves_nothing),
		T(a_move_that_stops_is_none),
		T(holes_stay_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
