/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of perform/file.h about one file: written whole or not at all, at the place that was
 * found, never through a link, and nothing left beside it. */

#include <pthread.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "file-rig.h"
#include "rounds.h"
#include "perform/permit.h"

/* -- put ---------------------------------------------------------------------------------- */

static void
nothing_without_a_pass(void **state)
{
	struct ambit_place place = place_in(".", "a"), other = place_in(".", "b");
	struct pass none = { 0 };
	struct ambit_error err;
	struct file_batch *batch = file_batch_create();
	int fd = -1;

	(void)state;
	assert_int_equal(file_put(&none, &place, NULL, "x", 1, 0666, &err), -EPERM);
	assert_int_equal(file_open(&none, &place, &fd, &err), -EPERM);
	assert_int_equal(file_remove(&none, &place, true, NULL, &err), -EPERM);
	assert_int_equal(file_move(&none, &open_law, &place, &other, true, NULL, &err), -EPERM);
	assert_int_equal(file_copy(&none, &open_law, &place, &other, true, NULL, &err), -EPERM);
	assert_int_equal(file_batch_put(batch, &none, &place, NULL, "x", 1, 0666, &err), -EPERM);
	assert_int_equal(file_batch_remove(batch, &none, &place, NULL, &err), -EPERM);
	file_batch_destroy(batch);
	assert_int_equal(scratch_count("."), 0);
	ambit_place_finish(&place);
	ambit_place_finish(&other);
}

static void
creates_and_replaces(void **state)
{
	mode_t before = umask(0);

	(void)state;
	assert_int_equal(put("a", "one"), 0);
	assert_string_equal(world_read("a"), "one");
	assert_int_equal(stat_of("a").st_mode & 07777, 0644);
	umask(0777);
	assert_int_equal(put("b", ""), 0);
	umask(before);
	assert_int_equal(stat_of("b").st_mode & 07777, 0644);
	assert_int_equal(chmod("a", 0751), 0);
	assert_int_equal(put("a", "two"), 0);
	assert_string_equal(world_read("a"), "two");
	assert_int_equal(stat_of("a").st_mode & 07777, 0751);
	assert_int_equal(scratch_count("."), 2);
}

static void
the_right_to_run_as_somebody_else_goes(void **state)
{
	(void)state;
	world_file("a", "one");
	assert_int_equal(chmod("a", 04755), 0);
	assert_int_equal(put("a", "two"), 0);
	assert_int_equal(stat_of("a").st_mode & 07777, 0755);
	/* In place, too. */
	assert_int_equal(link("a", "b"), 0);
	assert_int_equal(chmod("a", 06755), 0);
	assert_int_equal(put("a", "three"), 0);
	assert_int_equal(stat_of("a").st_mode & 07777, 0755);
}

static void
hard_links_stay(void **state)
{
	(void)state;
	world_file("a", "a longer text");
	assert_int_equal(link("a", "b"), 0);
	assert_int_equal(put("a", "short"), 0);
	assert_string_equal(world_read("b"), "short");
	assert_int_equal(put("b", "a much longer text than it was"), 0);
	assert_string_equal(world_read("a"), "a much longer text than it was");
	assert_int_equal(stat_of("a").st_nlink, 2);
	assert_int_equal(scratch_count("."), 2);
}

static void
attributes_stay(void **state)
{
	char value[8] = "";

	(void)state;
	world_file("a", "one");
	if (setxattr("a", "user.note", "kept", 4, 0) < 0) {
		print_message("skip: no attributes here\n");
		skip();
	}
	assert_int_equal(put("a", "two"), 0);
	assert_int_equal(getxattr("a", "user.note", value, sizeof(value)), 4);
	assert_memory_equal(value, "kept", 4);
}

static void
what_is_read_only_stays(void **state)
{
	(void)state;
	world_file("a", "one");
	assert_int_equal(chmod("a", 0444), 0);
	assert_int_equal(put("a", "two"), -EACCES);
	assert_string_equal(world_read("a"), "one");
	assert_int_equal(scratch_count("."), 1);
}

/* In a directory that cannot be changed, a file that can. */
static void
a_read_only_directory_holds_a_file(void **state)
{
	(void)state;
	world_dir("d");
	world_file("d/a", "one");
	assert_int_equal(chmod("d", 0555), 0);
	struct ambit_place old = place_in("d", "a"), new = place_in("d", "b");
	struct ambit_error err = { 0 };

	assert_int_equal(put_at(&old, "two", &err), 0);
	assert_string_equal(world_read("d/a"), "two");
	if (geteuid() != 0) {
		assert_int_equal(put_at(&new, "new", &err), -EACCES);
		assert_non_null(strstr(err.text, "Permission denied"));
	}
	assert_int_equal(chmod("d", 0755), 0);
	ambit_place_finish(&old);
	ambit_place_finish(&new);
}

static void
only_plain_files_are_written(void **state)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "sock" };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = -1;
	struct ambit_error err;

	(void)state;
	world_dir("d");
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(bind(s, (struct sockaddr *)&name, sizeof(name)), 0);
	world_file("target", "safe");
	world_link("target", "link");
	assert_int_equal(put("d", "x"), -EISDIR);
	assert_int_equal(put("fifo", "x"), -EINVAL);
	assert_int_equal(put("sock", "x"), -EINVAL);
	assert_int_equal(put("link", "x"), -EINVAL);
	assert_string_equal(world_read("target"), "safe");
	for (const char *const *n = (const char *const[]){ "fifo", "sock", "link", NULL }; *n;
		n++) {
		struct ambit_place place = place_in(".", *n);
		struct pass pass = a_pass();

		assert_int_equal(file_open(&pass, &place, &fd, &err), -EINVAL);
		ambit_place_finish(&place);
	}
	struct ambit_place null = place_in("/dev", "null");

	assert_int_equal(put_at(&null, "x", &err), -EINVAL);
	ambit_place_finish(&null);
	assert_true(S_ISCHR(stat_of("/dev/null").st_mode));
	close(s);
}

/* -- what has changed --------------------------------------------------------------------- */

static void
what_came_or_went_meanwhile_is_noticed(void **state)
{
	struct world *w = *state;
	struct ambit_error err;
	struct ambit_place place;
	char outside[700];

	snprintf(outside, sizeof(outside), "%s/secret", w->out);
	world_file(outside, "safe");
	place = place_in(".", "new");
	world_link(outside, "new");
	assert_int_equal(put_at(&place, "bad", &err), -ESTALE);
	ambit_place_finish(&place);
	assert_string_equal(world_read(outside), "safe");
	unlink("new");

	world_file("a", "one");
	place = place_in(".", "a");
	assert_int_equal(rename("a", "kept"), 0);
	assert_int_equal(put_at(&place, "bad", &err), -ESTALE);
	world_link(outside, "a");
	assert_int_equal(put_at(&place, "bad", &err), -ESTALE);
	unlink("a");
	world_file("a", "other");
	assert_int_equal(put_at(&place, "bad", &err), -ESTALE);
	assert_string_equal(world_read("a"), "other");
	assert_string_equal(world_read("kept"), "one");
	assert_string_equal(world_read(outside), "safe");
	ambit_place_finish(&place);
}

static void
a_directory_that_was_moved_away_is_noticed(void **state)
{
	struct world *w = *state;
	struct ambit_error err;
	struct ambit_place place;
	char away[700], file[800];

	world_dir("d");
	place = place_in("d", "a");
	snprintf(away, sizeof(away), "%s/d", w->out);
	snprintf(file, sizeof(file), "%s/a", away);
	assert_int_equal(rename("d", away), 0);
	assert_int_equal(put_at(&place, "bad", &err), -ESTALE);
	assert_false(is_there(file));
	ambit_place_finish(&place);
}

/* A file, a link to outside, nothing: as fast as it goes. */
static void *
swap(void *data)
{
	struct swapper *s = data;

	while (!s->stop) {
		unlink("x");
		if (symlink(s->outside, "x") < 0 && errno != EEXIST)
			break;
		unlink("x");
		int fd = open("x", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

static void
nothing_outside_changes_in_a_race(void **state)
{
	struct world *w = *state;
	char outside[700];
	struct swapper s = { .outside = outside };
	int done = 0, refused = 0;
	pthread_t thread;

	snprintf(outside, sizeof(outside), "%s/secret", w->out);
	world_file(outside, "safe");
	assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
	for (int i = 0; i < 2000; i++) {
		struct ambit_place place = place_in(".", "x");
		struct ambit_error err = { 0 };
		int r = put_at(&place, "bad", &err);

		assert_true(r == 0 || r == -ESTALE || r == -EINVAL || r == -ENOENT);
		done += r == 0;
		refused += r < 0;
		ambit_place_finish(&place);
	}
	s.stop = true;
	pthread_join(thread, NULL);
	assert_string_equal(world_read(outside), "safe");
	assert_int_equal(scratch_count(w->out), 1);
	assert_true(scratch_count(".") <= 1);
	assert_int_equal(done + refused, 2000);
}

/* Each has seen the same file, and puts another in its place at the same moment. */
struct writer {
	pthread_barrier_t *start;
	const struct ambit_place *place;
	char text[32];
	int done;
};

static void *
write_at_once(void *data)
{
	struct writer *w = data;

	pthread_barrier_wait(w->start);
	w->done = put_at(w->place, w->text, NULL);
	return NULL;
}

static void
one_of_many_writers_wins(void **state)
{
	struct writer writers[6] = { 0 };
	pthread_t threads[6];
	pthread_barrier_t start;

	(void)state;
	world_file("x", "old");
	pthread_barrier_init(&start, NULL, 6);
	for (int round = 0; round < rounds(300, 3000); round++) {
		struct ambit_place place = place_in(".", "x");
		int won = -1;

		for (int i = 0; i < 6; i++) {
			writers[i] = (struct writer){ .start = &start, .place = &place };
			snprintf(writers[i].text, sizeof(writers[i].text), "%d.%d", round, i);
			assert_int_equal(
				pthread_create(&threads[i], NULL, write_at_once, &writers[i]), 0);
		}
		for (int i = 0; i < 6; i++) {
			pthread_join(threads[i], NULL);
			assert_true(writers[i].done == 0 || writers[i].done == -ESTALE);
			assert_true(writers[i].done < 0 || won < 0);
			won = writers[i].done == 0 ? i : won;
		}
		assert_true(won >= 0);
		assert_string_equal(world_read("x"), writers[won].text);
		assert_int_equal(scratch_count("."), 1);
		ambit_place_finish(&place);
	}
	pthread_barrier_destroy(&start);
}

/* -- a full disk -------------------------------------------------------------------------- */

/* In a mount namespace of its own: exit 0 good, 77 cannot be tried. */
static int
on_a_full_disk(bool linked)
{
	static char big[300000];
	struct ambit_place place;
	struct ambit_error err = { 0 };
	int r;

	memset(big, 'x', sizeof(big));
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", "small", "tmpfs", 0, "size=200k,mode=777") < 0)
		return 77;
	world_file("small/a", "old");
	if (linked && link("small/a", "small/b") < 0)
		return 1;
	place = place_in("small", "a");
	struct pass pass = a_pass();

	r = file_put(&pass, &place, NULL, big, sizeof(big), 0666, &err);
	if (r != -ENOSPC || !strstr(err.text, "No space left"))
		return 2;
	if (strcmp(world_read("small/a"), "old") != 0 || stat_of("small/a").st_size != 3)
		return 3;
	return scratch_count("small") == (linked ? 2 : 1) ? 0 : 4;
}

static void
try_full_disk(bool linked)
{
	int status;
	pid_t pid;

	world_dir("small");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(on_a_full_disk(linked));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skip: nothing can be mounted here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
a_full_disk_loses_nothing(void **state)
{
	(void)state;
	try_full_disk(false);
}

static void
a_full_disk_loses_nothing_in_place(void **state)
{
	(void)state;
	try_full_disk(true);
}

/* The same without a disk: a limit to how large files are. */
static void
a_limit_loses_nothing(void **state)
{
	static char big[300000];
	int status;
	pid_t pid;

	(void)state;
	world_file("a", "old");
	world_file("b", "old");
	assert_int_equal(link("b", "c"), 0);
	memset(big, 'x', sizeof(big) - 1);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rlimit limit = { .rlim_cur = 100000, .rlim_max = 100000 };

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(put("a", big) == -EFBIG && put("b", big) == -EFBIG &&
					put("new", big) == -EFBIG
				? 0
				: 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(world_read("a"), "old");
	assert_string_equal(world_read("b"), "old");
	assert_int_equal(stat_of("b").st_size, 3);
	assert_int_equal(scratch_count("."), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_without_a_pass),
		T(creates_and_replaces),
		T(the_right_to_run_as_somebody_else_goes),
		T(hard_links_stay),
		T(attributes_stay),
		T(what_is_read_only_stays),
		T(a_read_only_directory_holds_a_file),
		T(only_plain_files_are_written),
		T(what_came_or_went_meanwhile_is_noticed),
		T(a_directory_that_was_moved_away_is_noticed),
		T(nothing_outside_changes_in_a_race),
		T(one_of_many_writers_wins),
		T(a_full_disk_loses_nothing),
		T(a_full_disk_loses_nothing_in_place),
		T(a_limit_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
