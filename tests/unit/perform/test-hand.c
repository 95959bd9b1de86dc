/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of perform/hand.h: the object that was decided about gets the name, nothing else is
 * replaced, a directory brings neither rights nor guards, and nothing is lost. Threads swap
 * names while they are moved; RACE_TRIES in the environment makes that longer. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hand-law.h"
#include "scratch.h"
#include "perform/permit.h"

struct scene {
	char path[SCRATCH_PATH];
	int dir, attic;
	atomic_bool over;
	atomic_int lost; /* files of the other thread that were replaced */
	/* The law of this scene. */
	bool clear;
	ino_t rights; /* of the one directory that carries them, or 0 */
	int stands, stands_landed;
	unsigned told;
};

static int
open_scene(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	scratch_make(s->path, sizeof(s->path));
	s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(s->dir, "attic", 0700), 0);
	s->attic = openat(s->dir, "attic", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(s->attic >= 0);
	*state = s;
	return 0;
}

static int
close_scene(void **state)
{
	struct scene *s = *state;

	close(s->dir);
	close(s->attic);
	scratch_remove(s->path);
	free(s);
	return 0;
}

static int
give_attic(void *data)
{
	return ((struct scene *)data)->attic;
}

static bool
is_clear(void *data, const char *real)
{
	(void)real;
	return ((struct scene *)data)->clear;
}

static bool
has_rights(void *data, dev_t dev, ino_t ino)
{
	(void)dev;
	return ((struct scene *)data)->rights == ino;
}

static int
may_stand(void *data, int dir, const char *real, bool landed)
{
	const struct scene *s = data;

	(void)dir;
	(void)real;
	return landed ? s->stands_landed : s->stands;
}

static void
count_told(void *data, const char *real, enum hand_evicted where, const char *name)
{
	(void)real;
	assert_int_equal(where, HAND_EVICTED_TO_ATTIC);
	assert_non_null(name);
	((struct scene *)data)->told++;
}

static struct hand_law
law_of(struct scene *s)
{
	return (struct hand_law){
		.attic = give_attic,
		.is_clear = is_clear,
		.has_rights = has_rights,
		.may_stand = may_stand,
		.tell = count_told,
		.data = s,
	};
}

static void
put(const struct scene *s, const char *name, const char *text)
{
	int fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static ino_t
inode_of(const struct scene *s, const char *name)
{
	struct stat st;

	return fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_ino;
}

static size_t
size_of(const struct scene *s, const char *name)
{
	struct stat st;

	return fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? SIZE_MAX : (size_t)st.st_size;
}

static struct hand_end
end_of(const struct scene *s, const char *name)
{
	struct hand_end end = { .parent = s->dir, .name = name, .real = name };

	end.fd = openat(s->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (end.fd >= 0)
		assert_int_equal(fstat(end.fd, &end.st), 0);
	return end;
}

static void
drop_ends(struct hand_end *a, struct hand_end *b)
{
	if (a->fd >= 0)
		close(a->fd);
	if (b->fd >= 0)
		close(b->fd);
}

static int
move_ends(struct scene *s, struct hand_end *from, struct hand_end *to, unsigned flags)
{
	struct hand_law law = law_of(s);
	struct pass pass = a_pass();
	int r = hand_move(&pass, &law, from, to, flags);

	drop_ends(from, to);
	return r;
}

static int
move_now(struct scene *s, const char *from, const char *to, unsigned flags)
{
	struct hand_end a = end_of(s, from), b = end_of(s, to);

	return move_ends(s, &a, &b, flags);
}

static int
count_entries(const struct scene *s, const char *name)
{
	int fd = openat(s->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = fdopendir(fd);
	const struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* -- one at a time ------------------------------------------------------------------------- */

static void
names_move(void **state)
{
	struct scene *s = *state;
	ino_t a;

	s->clear = true;
	put(s, "a", "1");
	put(s, "b", "22");
	a = inode_of(s, "a");
	assert_int_equal(move_now(s, "a", "b", RENAME_NOREPLACE), -EEXIST);
	assert_int_equal(move_now(s, "a", "b", 0), 0);
	assert_int_equal(inode_of(s, "b"), a);
	assert_int_equal(inode_of(s, "a"), 0);
	assert_int_equal(move_now(s, "b", "c", 0), 0);
	assert_int_equal(inode_of(s, "c"), a);
	put(s, "d", "333");
	assert_int_equal(move_now(s, "c", "d", RENAME_EXCHANGE), 0);
	assert_int_equal(inode_of(s, "d"), a);
	assert_int_equal(size_of(s, "c"), 3);
	assert_int_equal(symlinkat("nowhere", s->dir, "l"), 0);
	assert_int_equal(move_now(s, "l", "m", 0), 0);
	assert_int_equal(size_of(s, "m"), strlen("nowhere"));
	assert_int_equal(mkdirat(s->dir, "x", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "y", 0755), 0);
	put(s, "x/f", "");
	assert_int_equal(move_now(s, "x", "y", 0), 0);
	assert_int_equal(size_of(s, "y/f"), 0);
	assert_int_equal(inode_of(s, "x"), 0);
	assert_int_equal(mkdirat(s->dir, "x", 0755), 0);
	assert_int_equal(move_now(s, "x", "y", 0), -ENOTEMPTY);
	assert_int_equal(size_of(s, "y/f"), 0);
	assert_int_equal(move_now(s, "x", "d", 0), -ENOTDIR);
	assert_int_equal(move_now(s, "d", "x", 0), -EISDIR);
	assert_int_equal(count_entries(s, "attic"), 0);
	assert_int_equal(s->told, 0);
}

static void
what_was_decided_gets_the_name(void **state)
{
	struct scene *s = *state;
	struct hand_end from, to;
	ino_t a;

	s->clear = true;
	put(s, "a", "1");
	assert_int_equal(symlinkat("/etc/passwd", s->dir, "evil"), 0);
	a = inode_of(s, "a");
	from = end_of(s, "a");
	to = end_of(s, "t");
	/* The source is another object by now. */
	assert_int_equal(renameat2(s->dir, "a", s->dir, "evil", RENAME_EXCHANGE), 0);
	assert_int_equal(move_ends(s, &from, &to, 0), 0);
	assert_int_equal(inode_of(s, "t"), a);
	assert_int_equal(size_of(s, "a"), strlen("/etc/passwd"));
}

static void
nothing_else_is_replaced(void **state)
{
	struct scene *s = *state;
	struct hand_end from, to;

	s->clear = true;
	put(s, "a", "1");
	from = end_of(s, "a");
	to = end_of(s, "t");
	put(s, "t", "theirs");
	assert_int_equal(move_ends(s, &from, &to, 0), -ESTALE);
	assert_int_equal(size_of(s, "t"), 6);
	from = end_of(s, "a");
	to = end_of(s, "t");
	put(s, "new", "another");
	assert_int_equal(renameat(s->dir, "new", s->dir, "t"), 0);
	assert_int_equal(move_ends(s, &from, &to, 0), -ESTALE);
	assert_int_equal(size_of(s, "t"), 7);
	assert_int_equal(size_of(s, "a"), 1);
	/* The same file, but written to since it was read. */
	from = end_of(s, "a");
	to = end_of(s, "t");
	to.unwritten = true;
	put(s, "t", "longer than it was");
	assert_int_equal(move_ends(s, &from, &to, 0), -ESTALE);
	assert_int_equal(size_of(s, "t"), 18);
	/* A directory that came since. */
	assert_int_equal(mkdirat(s->dir, "x", 0755), 0);
	from = end_of(s, "x");
	to = end_of(s, "y");
	assert_int_equal(mkdirat(s->dir, "y", 0755), 0);
	put(s, "y/f", "");
	assert_int_equal(move_ends(s, &from, &to, 0), -ESTALE);
	assert_int_equal(size_of(s, "y/f"), 0);
}

/* A source that cannot leave its directory costs nothing. */
static void
nothing_is_lost_if_the_source_stays(void **state)
{
	struct scene *s = *state;

	if (geteuid() == 0) {
		skip();
		return;
	}
	s->clear = true;
	put(s, "t", "precious");
	assert_int_equal(mkdirat(s->dir, "shut", 0755), 0);
	put(s, "shut/a", "1");
	assert_int_equal(fchmodat(s->dir, "shut", 0555, 0), 0);
	int shut = openat(s->dir, "shut", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct hand_end from = end_of(s, "shut/a"), to = end_of(s, "t");

	from.parent = shut;
	from.name = "a";
	assert_int_equal(move_ends(s, &from, &to, 0), -EACCES);
	assert_int_equal(size_of(s, "t"), 8);
	assert_int_equal(size_of(s, "shut/a"), 1);
	assert_int_equal(count_entries(s, "attic"), 0);
	assert_int_equal(fchmodat(s->dir, "shut", 0755, 0), 0);
	close(shut);
}

static void
rights_do_not_travel(void **state)
{
	struct scene *s = *state;

	assert_int_equal(mkdirat(s->dir, "d", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "d/e", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "d/e/f", 0755), 0);
	s->rights = inode_of(s, "d/e/f");
	assert_int_equal(move_now(s, "d", "t", 0), -EXDEV);
	assert_int_equal(inode_of(s, "t"), 0);
	s->clear = true;
	assert_int_equal(move_now(s, "d", "t", 0), 0);
	/* The other way round, too. */
	s->clear = false;
	assert_int_equal(mkdirat(s->dir, "d", 0755), 0);
	assert_int_equal(move_now(s, "d", "t", RENAME_EXCHANGE), -EXDEV);
	/* A directory that cannot be read may hold anything. */
	s->rights = 0;
	if (geteuid() != 0) {
		assert_int_equal(fchmodat(s->dir, "t/e", 0, 0), 0);
		assert_int_equal(move_now(s, "t", "u", 0), -EXDEV);
		assert_int_equal(fchmodat(s->dir, "t/e", 0755, 0), 0);
	}
	assert_int_equal(move_now(s, "t", "u", 0), 0);
}

static void
a_directory_that_must_not_stay_is_evicted(void **state)
{
	struct scene *s = *state;
	struct hand_law law;
	struct hand_end from, to;
	struct pass pass = a_pass();

	assert_int_equal(mkdirat(s->dir, "d", 0755), 0);
	put(s, "d/guard", "x");
	s->stands = -ESTALE;
	assert_int_equal(move_now(s, "d", "t", 0), -ESTALE);
	assert_int_equal(size_of(s, "d/guard"), 1);
	assert_int_equal(s->told, 0);
	/* It came into it after the first look. */
	s->stands = 0;
	s->stands_landed = -ESTALE;
	assert_int_equal(move_now(s, "d", "t", 0), -ESTALE);
	assert_int_equal(inode_of(s, "t"), 0);
	assert_int_equal(s->told, 1);
	assert_int_equal(count_entries(s, "attic"), 1);
	/* Unless that was allowed. */
	assert_int_equal(mkdirat(s->dir, "d", 0755), 0);
	law = law_of(s);
	law.guarded = true;
	from = end_of(s, "d");
	to = end_of(s, "t");
	assert_int_equal(hand_move(&pass, &law, &from, &to, 0), 0);
	drop_ends(&from, &to);
	assert_int_equal(s->told, 1);
}

static void
new_things_are_known(void **state)
{
	static const mode_t kinds[] = { S_IFDIR | 0750, S_IFIFO | 0600, S_IFREG | 0640, S_IFLNK };
	const struct scene *s = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct pass pass = a_pass();
		struct stat st;
		int fd = -1;

		assert_int_equal(hand_make(&pass, s->dir, "n", kinds[i], "text", &fd), 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_ino, inode_of(s, "n"));
		assert_int_equal(st.st_mode & S_IFMT, kinds[i] & S_IFMT);
		close(fd);
		pass = a_pass();
		assert_int_equal(hand_make(&pass, s->dir, "n", kinds[i], "text", &fd), -EEXIST);
		assert_int_equal(count_entries(s, "."), 2); /* it and the attic */
		unlinkat(s->dir, "n", S_ISDIR(kinds[i]) ? AT_REMOVEDIR : 0);
	}
}

static void
nothing_without_pass_and_law(void **state)
{
	struct scene *s = *state;
	struct hand_law law = law_of(s), none = { 0 };
	struct pass pass = a_pass(), no_pass = { 0 };
	struct hand_end from, to, bad;

	put(s, "a", "1");
	from = end_of(s, "a");
	to = bad = end_of(s, "t");
	bad.name = "../t";
	assert_int_equal(hand_move(&no_pass, &law, &from, &to, 0), -EPERM);
	assert_int_equal(hand_settle(&no_pass, &law, &from, &to), -EPERM);
	assert_int_equal(hand_link(&no_pass, from.fd, &to), -EPERM);
	assert_int_equal(hand_make(&no_pass, s->dir, "t", S_IFDIR | 0755, NULL, NULL), -EPERM);
	assert_int_equal(hand_move(&pass, &none, &from, &to, 0), -EPERM);
	pass = a_pass();
	assert_int_equal(hand_move(&pass, &law, &from, &bad, 0), -EINVAL);
	pass = a_pass();
	assert_int_equal(hand_link(&pass, from.fd, &bad), -EINVAL);
	pass = a_pass();
	assert_int_equal(hand_make(&pass, s->dir, "..", S_IFDIR | 0755, NULL, NULL), -EINVAL);
	drop_ends(&from, &to);
	assert_int_equal(inode_of(s, "t"), 0);
}

/* -- races ------------------------------------------------------------------------------------ */

#define TRIES_BUSY 1000000

static long
tries(void)
{
	const char *text = getenv("RACE_TRIES");
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 ? n : 500;
}

/* Exchanges the source with something else, all the time. */
static void *
swap_source(void *data)
{
	struct scene *s = data;

	while (!s->over)
		(void)!renameat2(s->dir, "a", s->dir, "evil", RENAME_EXCHANGE);
	return NULL;
}

static void
a_swapped_source_never_lands(void **state)
{
	struct scene *s = *state;
	pthread_t thread;
	long moved = 0;

	s->clear = true;
	put(s, "a", "1");
	assert_int_equal(symlinkat("/etc/passwd", s->dir, "evil"), 0);
	assert_int_equal(pthread_create(&thread, NULL, swap_source, s), 0);
	/* On a busy machine the other thread may not run for all of the tries. */
	for (long i = 0; i < tries() || (moved == 0 && i < TRIES_BUSY); i++) {
		struct hand_end from = end_of(s, "a"), to = end_of(s, "t");
		bool right = from.fd >= 0 && S_ISREG(from.st.st_mode);
		ino_t decided = from.st.st_ino;

		/* Only the file was decided about. */
		if (!right || move_ends(s, &from, &to, 0) < 0) {
			if (!right)
				drop_ends(&from, &to);
			sched_yield();
			continue;
		}
		moved++;
		if (inode_of(s, "t") != decided)
			fail_msg("something else landed at try %ld", i);
		/* Puts the source back for the next try. */
		if (inode_of(s, "a") == 0 && inode_of(s, "evil") == 0)
			fail_msg("the symlink is lost at try %ld", i);
		if (renameat2(s->dir, "t", s->dir, "a", RENAME_NOREPLACE) < 0 &&
			renameat2(s->dir, "t", s->dir, "evil", RENAME_NOREPLACE) < 0)
			unlinkat(s->dir, "t", 0);
	}
	s->over = true;
	pthread_join(thread, NULL);
	assert_true(moved > 0);
}

/* Makes files of its own at the target, and looks whether each is still there. */
static void *
make_target(void *data)
{
	struct scene *s = data;

	while (!s->over) {
		int fd = openat(s->dir, "t", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		struct stat st;

		if (fd < 0) {
			unlinkat(s->dir, "t", 0);
			continue;
		}
		for (int i = 0; i < 50; i++)
			if (fstat(fd, &st) == 0 && st.st_nlink == 0)
				s->lost++;
		if (inode_of(s, "t") == st.st_ino)
			unlinkat(s->dir, "t", 0);
		close(fd);
	}
	return NULL;
}

static void
a_file_that_appears_is_never_replaced(void **state)
{
	struct scene *s = *state;
	pthread_t thread;

	s->clear = true;
	assert_int_equal(pthread_create(&thread, NULL, make_target, s), 0);
	for (long i = 0; i < tries(); i++) {
		struct hand_end from, to;

		put(s, "a", "1");
		from = end_of(s, "a");
		to = end_of(s, "t");
		if (to.fd >= 0) {
			drop_ends(&from, &to);
			continue;
		}
		move_ends(s, &from, &to, 0);
	}
	s->over = true;
	pthread_join(thread, NULL);
	assert_int_equal(s->lost, 0);
}

static void *
swap_directory(void *data)
{
	struct scene *s = data;

	while (!s->over)
		(void)!renameat2(s->dir, "good", s->dir, "bad", RENAME_EXCHANGE);
	return NULL;
}

static void
a_swapped_directory_does_not_stay(void **state)
{
	struct scene *s = *state;
	pthread_t thread;
	ino_t good;

	assert_int_equal(mkdirat(s->dir, "good", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "bad", 0755), 0);
	good = inode_of(s, "good");
	assert_int_equal(pthread_create(&thread, NULL, swap_directory, s), 0);
	for (long i = 0; i < tries() && s->told == 0; i++) {
		struct hand_end from = end_of(s, "good"), to = end_of(s, "t");

		if (from.fd < 0 || from.st.st_ino != good) {
			drop_ends(&from, &to);
			continue;
		}
		if (move_ends(s, &from, &to, 0) == 0) {
			assert_int_equal(inode_of(s, "t"), good);
			if (renameat2(s->dir, "t", s->dir, "good", RENAME_NOREPLACE) < 0)
				renameat2(s->dir, "t", s->dir, "bad", RENAME_NOREPLACE);
		} else {
			assert_int_equal(inode_of(s, "t"), 0);
		}
	}
	s->over = true;
	pthread_join(thread, NULL);
	assert_int_equal(count_entries(s, "attic"), s->told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_move, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			what_was_decided_gets_the_name, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(nothing_else_is_replaced, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			nothing_is_lost_if_the_source_stays, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(rights_do_not_travel, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			a_directory_that_must_not_stay_is_evicted, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(new_things_are_known, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			nothing_without_pass_and_law, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			a_swapped_source_never_lands, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			a_file_that_appears_is_never_replaced, open_scene, close_scene),
		cmocka_unit_test_setup_teardown(
			a_swapped_directory_does_not_stay, open_scene, close_scene),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
