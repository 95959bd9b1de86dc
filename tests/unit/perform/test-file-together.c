/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of perform/file.h about several changes at once: all of them are made, or all are
 * taken back. */

#include <dirent.h>
#include <pthread.h>
#include <sys/file.h>

#include "base/str.h"
#include "perform/permit.h"
#include "file-rig.h"
#include "rounds.h"

#define MANY 150

struct several {
	struct file_batch *batch;
	struct ambit_place places[MANY];
	size_t n;
};

static int
several_put(struct several *s, const char *name, const char *text)
{
	struct pass pass = a_pass();

	s->places[s->n] = place_in(".", name);
	return file_batch_put(
		s->batch, &pass, &s->places[s->n++], NULL, text, strlen(text), 0666, NULL);
}

static int
several_remove(struct several *s, const char *name)
{
	struct pass pass = a_pass();

	s->places[s->n] = place_in(".", name);
	return file_batch_remove(s->batch, &pass, &s->places[s->n++], NULL, NULL);
}

static void
several_end(struct several *s)
{
	file_batch_destroy(s->batch);
	for (size_t i = 0; i < s->n; i++)
		ambit_place_finish(&s->places[i]);
}

static void
begin(struct several *s)
{
	*s = (struct several){ .batch = file_batch_create() };
	world_file("a", "a");
	world_file("gone", "gone");
	world_file("one", "linked");
	unlink("two");
	assert_int_equal(link("one", "two"), 0);
	assert_int_equal(several_put(s, "a", "A"), 0);
	assert_int_equal(several_put(s, "new", "NEW"), 0);
	assert_int_equal(several_remove(s, "gone"), 0);
	assert_int_equal(several_put(s, "one", "LINKED"), 0);
}

static void
changes_come_together(void **state)
{
	struct several s;

	(void)state;
	begin(&s);
	assert_string_equal(world_read("a"), "a");
	assert_false(is_there("new"));
	assert_int_equal(file_batch_commit(s.batch, NULL), 0);
	several_end(&s);
	assert_string_equal(world_read("a"), "A");
	assert_string_equal(world_read("new"), "NEW");
	assert_string_equal(world_read("two"), "LINKED");
	assert_false(is_there("gone"));
	assert_int_equal(scratch_count("."), 4);
}

static void
check_as_before(int n)
{
	assert_string_equal(world_read("a"), "a");
	assert_string_equal(world_read("gone"), "gone");
	assert_string_equal(world_read("two"), "linked");
	assert_false(is_there("new"));
	assert_int_equal(scratch_count("."), n);
}

static void
changes_are_taken_back_together(void **state)
{
	struct ambit_error err = { 0 };
	struct several s;

	(void)state;
	/* Never committed. */
	begin(&s);
	several_end(&s);
	check_as_before(4);
	/* The last one cannot be made. */
	begin(&s);
	world_file("last", "last");
	assert_int_equal(several_put(&s, "last", "LAST"), 0);
	unlink("last");
	world_file("last", "other");
	assert_int_equal(file_batch_commit(s.batch, &err), -ESTALE);
	assert_non_null(strstr(err.text, "last"));
	several_end(&s);
	assert_string_equal(world_read("last"), "other");
	check_as_before(5);
	/* One that could not even be prepared. */
	begin(&s);
	assert_int_equal(several_remove(&s, "nothing"), -ENOENT);
	assert_int_equal(file_batch_commit(s.batch, &err), -EINVAL);
	several_end(&s);
	check_as_before(5);
}

/* Each would undo what the other does. */
static void
two_names_of_one_file_are_not_both_changed(void **state)
{
	struct several s = { .batch = file_batch_create() };

	(void)state;
	world_file("one", "one\n");
	assert_int_equal(link("one", "two"), 0);
	assert_int_equal(several_put(&s, "one", "ONE\n\n"), 0);
	assert_int_equal(several_put(&s, "two", "TWO\n"), 0);
	assert_int_equal(file_batch_commit(s.batch, NULL), -ESTALE);
	several_end(&s);
	assert_string_equal(world_read("one"), "one\n");
	assert_int_equal(scratch_count("."), 2);
}

static void
append(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* What somebody does to the first of many, between its change and the last, which fails. */
struct meddler {
	const char *to; /* "theirs" is put there, or NULL: it is moved away */
	ino_t was;
	atomic_bool stop, done;
};

static void *
meddle(void *data)
{
	struct meddler *m = data;
	struct stat st;

	while (!m->stop)
		if (lstat("d/0", &st) == 0 && st.st_ino != m->was)
			break;
	m->done = !m->stop;
	if (m->done && m->to)
		rename("theirs", "d/0");
	else if (m->done)
		rename("d/0", "moved");
	return NULL;
}

/* Whether the old text of the first is anywhere. */
static bool
old_is_somewhere(void)
{
	DIR *dir = opendir("d");
	struct dirent *entry;
	char path[300];
	bool found = is_there("moved") && streq(world_read("moved"), "old 0");

	assert_non_null(dir);
	while (!found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "d/%s", entry->d_name);
		found = entry->d_name[0] != '.' || str_prefix(entry->d_name, ".ambit-");
		found = found && streq(world_read(path), "old 0");
	}
	closedir(dir);
	return found;
}

static void
meddle_with_many(bool replaces)
{
	struct several *s = calloc(1, sizeof(*s));
	struct meddler m = { .to = replaces ? "theirs" : NULL };
	struct ambit_error err = { 0 };
	char name[32], text[32];
	pthread_t thread;
	int r;

	assert_non_null(s);
	s->batch = file_batch_create();
	scratch_remove("d");
	unlink("moved");
	world_dir("d");
	world_file("theirs", "theirs");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "d/%d", i);
		snprintf(text, sizeof(text), "old %d", i);
		world_file(name, text);
		s->places[i] = place_in("d", name + 2);
		s->n++;
		struct pass pass = a_pass();

		assert_int_equal(
			file_batch_put(s->batch, &pass, &s->places[i], NULL, "new", 3, 0666, NULL),
			0);
	}
	world_file(name, "changed since");
	m.was = stat_of("d/0").st_ino;
	assert_int_equal(pthread_create(&thread, NULL, meddle, &m), 0);
	r = file_batch_commit(s->batch, &err);
	assert_true(r == -ESTALE || r == -EIO);
	several_end(s);
	free(s);
	m.stop = true;
	pthread_join(thread, NULL);
	assert_string_equal(world_read(name), "changed since");
	if (m.done && replaces)
		assert_string_equal(world_read("d/0"), "theirs");
	else
		assert_true(old_is_somewhere());
	if (r == -EIO)
		assert_non_null(
			strstr(err.text, "0 could not be put back; what it was is beside it"));
}

/* Taking changes back takes back nobody else's, and what was there is not lost. */
static void
only_what_is_ours_is_taken_back(void **state)
{
	(void)state;
	for (int i = 0; i < rounds(20, 100); i++) {
		meddle_with_many(true);
		meddle_with_many(false);
	}
}

/* Whoever has the directory locked for himself holds nobody up: many changes wait for him
 * as long as one does. */
static void
a_lock_on_the_directory_is_no_obstacle(void **state)
{
	auto_close int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct several *s = calloc(1, sizeof(*s));
	int patience = file_turn_patience();
	struct file_turn turn;
	char name[32];

	(void)state;
	assert_non_null(s);
	/* Nobody has it: nothing is waited for. Then somebody does, and after that no more. */
	file_turn_take(&turn, fd, -1, &patience);
	file_turn_end(&turn);
	assert_int_equal(patience, file_turn_patience());
	assert_int_equal(flock(fd, LOCK_EX), 0);
	for (int i = 0; i < 2; i++) {
		file_turn_take(&turn, fd, -1, &patience);
		file_turn_end(&turn);
		assert_int_equal(patience, 0);
	}
	s->batch = file_batch_create();
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(several_put(s, name, "new"), 0);
	}
	assert_int_equal(file_batch_commit(s->batch, NULL), 0);
	several_end(s);
	free(s);
	assert_int_equal(put("0", "newer"), 0);
	assert_int_equal(scratch_count("."), MANY);
}

/* Somebody wrote into the file, which stays the same file. */
static void
what_was_written_into_meanwhile_is_noticed(void **state)
{
	struct several s = { .batch = file_batch_create() };
	struct pass pass = a_pass();
	struct ambit_place place;
	struct stat was;

	(void)state;
	for (int linked = 0; linked < 2; linked++) {
		world_file("a", "one\n");
		unlink("b");
		if (linked)
			assert_int_equal(link("a", "b"), 0);
		was = stat_of("a");
		append("a", "two\n");
		place = place_in(".", "a");
		pass = a_pass();
		assert_int_equal(file_put(&pass, &place, &was, "ours", 4, 0666, NULL), -ESTALE);
		assert_string_equal(world_read("a"), "one\ntwo\n");
		ambit_place_finish(&place);
		assert_int_equal(scratch_count("."), 1 + linked);
	}
	unlink("b");
	assert_int_equal(several_put(&s, "a", "ours"), 0);
	append("a", "three\n");
	assert_int_equal(file_batch_commit(s.batch, NULL), -ESTALE);
	several_end(&s);
	assert_string_equal(world_read("a"), "one\ntwo\nthree\n");
	assert_int_equal(scratch_count("."), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(only_what_is_ours_is_taken_back),
		T(a_lock_on_the_directory_is_no_obstacle),
		T(what_was_written_into_meanwhile_is_noticed),
		T(changes_come_together),
		T(changes_are_taken_back_together),
		T(two_names_of_one_file_are_not_both_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
