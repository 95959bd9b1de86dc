/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/object about paths: they mean what the kernel makes of them. */

#include <time.h>

#include "object-rig.h"

/* -- the same as the kernel ---------------------------------------------------------- */

static unsigned
dice(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % n;
}

static void
make_path(const struct place_of_test *w, unsigned *seed, char path[PATH_MAX])
{
	static const char *const words[] = { "a", "b", "c", "file", "other", "todir", "toother",
		"tofile", "totofile", "dangling", "todangling", "nowhere", "loop", "up", "slash",
		"newslash", "long", "abs", "absnew", ".", "..", "missing", "", "new", "a", "b",
		"..", "x (deleted)", "n39", "n40", "n41", "n5" };
	/* Mostly what can be walked through. */
	static const char *const ways[] = { "a", "b", "up", "todir", "slash", "..", ".", "", "a",
		"other", "long", "abs" };
	unsigned n = 1 + dice(seed, 5);
	size_t len = 0;

	if (dice(seed, 4) == 0)
		len = (size_t)snprintf(path, PATH_MAX, "%s/", w->root);
	for (unsigned i = 0; i < n; i++)
		len += (size_t)snprintf(path + len, PATH_MAX - len, "%s%s", i ? "/" : "",
			i + 1 < n && dice(seed, 8)
				? ways[dice(seed, sizeof(ways) / sizeof(ways[0]))]
				: words[dice(seed, sizeof(words) / sizeof(words[0]))]);
	if (dice(seed, 5) == 0)
		snprintf(path + len, PATH_MAX - len, "/");
	/* A leading "" makes it absolute; not every "/file" is ours to try. */
	if (path[0] == '\0' || (path[0] == '/' && !str_prefix(path, w->root)))
		snprintf(path, PATH_MAX, "a//file");
}

static void
paths_mean_what_the_kernel_makes_of_them(void **state)
{
	W;
	unsigned seed = 7, found = 0, tried = 0;
	char path[PATH_MAX];

	for (int i = 0; i < 3000; i++) {
		int dirfd = dice(&seed, 3) ? AT_FDCWD : FD_DIR;
		bool follow = dice(&seed, 2);

		make_path(w, &seed, path);
		/* Lookups follow what has a slash behind it. */
		if (path[strlen(path) - 1] == '/')
			follow = true;
		found += compare(w, dirfd, path, follow);
		tried++;
	}
	print_message("%u paths, %u of them lead somewhere\n", tried, found);
	assert_true(found > tried / 6);
}

static void
edges_of_text(void **state)
{
	W;
	char path[PATH_MAX + 8], name[NAME_MAX + 2];

	refuse(w, "", ENOENT);
	memset(path, 'a', sizeof(path));
	for (size_t i = 2; i < sizeof(path); i += 3)
		path[i] = '/';
	path[PATH_MAX] = '\0';
	refuse(w, path, ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	refuse(w, path, ENOENT);
	memset(name, 'n', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	refuse(w, name, ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(resolve(w, AT_FDCWD, name, OBJECT_NOFOLLOW), 0);
	assert_string_equal(object.name, name);
	assert_int_equal(resolve(w, 999, "x", OBJECT_FOLLOW), -EBADF);
	assert_int_equal(resolve(w, -5, "x", OBJECT_FOLLOW), -EBADF);
	assert_int_equal(resolve(w, FD_FILE, "x", OBJECT_FOLLOW), -ENOTDIR);
	assert_int_equal(resolve(w, FD_PIPE, "x", OBJECT_FOLLOW), -ENOTDIR);
	assert_int_equal(resolve(w, 999, "/usr", OBJECT_FOLLOW), 0);
	/* A directory itself: no name, and the parent is the thing. */
	for (const char *const *self = (const char *[]){ ".", "a/..", "a/b/../..", "./.", NULL };
		*self; self++) {
		struct stat st;

		expect(w, *self, "", true);
		assert_string_equal(object.name, "");
		assert_int_equal(fstat(object.parent, &st), 0);
		assert_int_equal(st.st_ino, object.st.st_ino);
	}
	expect(w, "/", "!/", true);
	expect(w, "///", "!/", true);
	expect(w, "/..", "!/", true);
	expect(w, "/new-at-the-top", "!/new-at-the-top", false);
	assert_int_equal(resolve(w, AT_FDCWD, "todir/", OBJECT_NOFOLLOW), 0);
	real_is(w, "/todir");
	assert_true(object.slash && S_ISLNK(object.st.st_mode));
	refuse(w, "file/", ENOTDIR);
	expect(w, "a/", "/a", true);
	assert_true(object.slash);
	expect(w, "new/", "/new", false);
	assert_true(object.slash);
}

static void
links_are_followed_to_what_is_not_there_yet(void **state)
{
	W;

	expect(w, "dangling", "/a/new", false);
	expect(w, "todangling", "/a/new", false);
	expect(w, "absnew", "/other/new", false);
	assert_false(object.slash);
	expect(w, "newslash", "/new", false);
	assert_true(object.slash);
	refuse(w, "nowhere", ENOENT);
	refuse(w, "dangling/x", ENOENT);
	refuse(w, "loop", ELOOP);
	refuse(w, "loop/x", ELOOP);
	expect(w, "n39", "/file", true); /* forty of them */
	refuse(w, "n40", ELOOP);
	assert_int_equal(resolve(w, AT_FDCWD, "dangling", OBJECT_NOFOLLOW), 0);
	real_is(w, "/dangling");
	assert_true(object.exists);
	assert_int_equal(resolve(w, AT_FDCWD, "loop", OBJECT_NOFOLLOW), 0);
}

static void
what_was_written_is_kept_as_text(void **state)
{
	W;
	char want[PATH_MAX + 64];

	expect(w, "todir/./b//../file", "/a/file", true);
	snprintf(want, sizeof(want), "%s/todir/file", w->root);
	assert_string_equal(object.written, want);
	assert_int_equal(resolve(w, FD_DIR, "../abs/new", OBJECT_FOLLOW), 0);
	snprintf(want, sizeof(want), "%s/abs/new", w->root);
	assert_string_equal(object.written, want);
	expect(w, "/usr/../../proc/./version", "!/proc/version", true);
	assert_string_equal(object.written, "/proc/version");
	assert_true(object.proc);
	expect(w, "/..", "!/", true);
	assert_string_equal(object.written, "/");
}

/* -- hostile ------------------------------------------------------------------------ */

static void
figures(void **state)
{
	static const char *const paths[] = { "a/file", "file", "a/b/c/new", "/usr/bin/env",
		"tofile", "/dev/fd/31", NULL };
	W;
	struct timespec from, to;

	for (size_t i = 0; paths[i]; i++) {
		const int n = 2000;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		for (int k = 0; k < n; k++) {
			resolve(w, AT_FDCWD, paths[i], OBJECT_FOLLOW);
			object_finish(&object);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		print_message("%-14s %5.2f us\n", paths[i],
			((double)(to.tv_sec - from.tv_sec) * 1e9 +
				(double)(to.tv_nsec - from.tv_nsec)) /
				1e3 / n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_mean_what_the_kernel_makes_of_them),
		cmocka_unit_test(edges_of_text),
		cmocka_unit_test(links_are_followed_to_what_is_not_there_yet),
		cmocka_unit_test(what_was_written_is_kept_as_text),
		cmocka_unit_test(figures),
	};

	object_init(&object);
	return cmocka_run_group_tests_name("object", tests, set_up, take_down);
}
