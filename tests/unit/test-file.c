/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of perform/file.h: whole or not at all, on what the place found, never
 * through a link, and nothing left beside it. */

#include "rounds.h"
#include "unit-world.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/file-private.h"
#include "perform/permit.h"
#include "hand-law.h"

/* A place as the engine would give it: name in dir (relative to the folder). */
static struct ambit_place
place_in(const char *dir, const char *name)
{
	struct ambit_place place = { .parent = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	char *real = realpath(dir, NULL);
	struct stat st;

	assert_true(place.parent >= 0);
	assert_non_null(real);
	snprintf(place.name, sizeof(place.name), "%s", name);
	assert_true(asprintf(&place.real, "%s/%s", real, name) > 0);
	place.shown = strdup(name);
	free(real);
	if (fstatat(place.parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		place.exists = true;
		place.mode = st.st_mode;
		place.dev = st.st_dev;
		place.ino = st.st_ino;
	}
	return place;
}

static int
put_at(const struct ambit_place *place, const char *text, struct ambit_error *err)
{
	struct pass pass = a_pass();

	return file_put(&pass, place, NULL, text, strlen(text), 0666, err);
}

static int
put(const char *name, const char *text)
{
	struct ambit_place place = place_in(".", name);
	struct ambit_error err = { 0 };
	int r = put_at(&place, text, &err);

	assert_true(r == 0 || err.text[0]);
	ambit_place_finish(&place);
	return r;
}

static struct stat
stat_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

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

struct swapper {
	const char *outside;
	atomic_bool stop;
};

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

#define T(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

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
		T(only_what_is_ours_is_taken_back),
		T(a_lock_on_the_directory_is_no_obstacle),
		T(what_was_written_into_meanwhile_is_noticed),
		T(nothing_is_left_out_of_a_copy),
		T(a_copy_that_fails_leaves_nothing),
		T(trees_do_not_leave_in_a_race),
		T(a_full_disk_loses_nothing),
		T(a_full_disk_loses_nothing_in_place),
		T(a_limit_loses_nothing),
		T(removes_what_it_should),
		T(a_tree_goes_whole_or_not_at_all),
		T(moves),
		T(moves_to_another_disk),
		T(copies),
		T(a_removal_that_stops_says_how_much_is_gone),
		T(a_copy_that_stops_leaves_nothing),
		T(a_move_that_stops_is_none),
		T(holes_stay_holes),
		T(changes_come_together),
		T(changes_are_taken_back_together),
		T(two_names_of_one_file_are_not_both_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
