/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/scope/resolve.c and scope.c. */

#include "unit-world.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/str.h"
#include "scope/resolve-private.h"
#include "scope/scope-private.h"

/* Resolves beneath the folder; "" for a failure. */
static const char *
real_of(const struct world *w, const char *path, size_t len, bool follow)
{
	static char text[PATH_MAX + 1];
	struct ambit_scope *scope = world_scope(w);
	struct path_facts resolved = { 0 };
	struct ambit_error err = { 0 };

	text[0] = '\0';
	if (scope_resolve(scope, NULL, path, len, follow, &resolved, &err) == 0)
		snprintf(text, sizeof(text), "%s", resolved.real);
	else
		assert_true(err.text[0] != '\0');
	resolved_finish(&resolved);
	ambit_scope_destroy(scope);
	return text;
}

static void
expect(const struct world *w, const char *path, bool follow, const char *base, const char *rest)
{
	char want[PATH_MAX + 1];

	snprintf(want, sizeof(want), "%s%s", base, rest);
	assert_string_equal(real_of(w, path, strlen(path), follow), want);
}

static void
refuse(const struct world *w, const char *path, size_t len)
{
	assert_string_equal(real_of(w, path, len, true), "");
}

static void
plain_names_and_dots(void **state)
{
	struct world *w = *state;

	world_dir("src");
	world_file("src/a.c", "");
	expect(w, "src/a.c", true, w->root, "/src/a.c");
	expect(w, "./src//a.c", true, w->root, "/src/a.c");
	expect(w, "src/../src/./a.c", true, w->root, "/src/a.c");
	expect(w, "src/", true, w->root, "/src");
	expect(w, ".", true, w->root, "");
	expect(w, "..", true, w->home, "");
	expect(w, "../../out", true, w->out, "");
	expect(w, "/../../..", true, "/", "");
	expect(w, "src/%2e%2e/x", true, w->root, "/src/%2e%2e/x");
}

static void
missing_names_hang_on_what_exists(void **state)
{
	struct world *w = *state;

	world_dir("src");
	expect(w, "new", true, w->root, "/new");
	expect(w, "new/deep/er", true, w->root, "/new/deep/er");
	expect(w, "new/../src/x", true, w->root, "/src/x");
	expect(w, "new/deep/../../../x", true, w->home, "/x");
	expect(w, "new/", true, w->root, "/new");
	expect(w, "new/.", true, w->root, "/new");
}

static void
dots_after_a_missing_name_do_not_hide_a_symlink(void **state)
{
	struct world *w = *state;

	world_link(w->out, "link");
	expect(w, "nope/../link/x", true, w->out, "/x");
	expect(w, "nope/../link/../x", true, w->top, "/x");
}

static void
symlinks_of_every_kind(void **state)
{
	struct world *w = *state;

	world_dir("src");
	world_file("src/a.c", "");
	world_file("../../out/f", "");
	world_link("src/a.c", "file");
	world_link("src", "dir");
	world_link("dir", "chain1");
	world_link("chain1", "chain2");
	world_link(w->out, "absolute");
	world_link("../../../out", "src/middle");
	world_link("nowhere", "dangling");
	world_link("../../out/new", "dangling-out");
	world_link("loop-b", "loop-a");
	world_link("loop-a", "loop-b");
	world_link("self", "self");
	expect(w, "file", true, w->root, "/src/a.c");
	expect(w, "file", false, w->root, "/file");
	expect(w, "dir/a.c", true, w->root, "/src/a.c");
	expect(w, "chain2/a.c", false, w->root, "/src/a.c");
	expect(w, "absolute/f", true, w->out, "/f");
	expect(w, "src/middle/new", true, w->out, "/new");
	expect(w, "src/middle/../x", true, w->top, "/x");
	expect(w, "dangling", true, w->root, "/nowhere");
	expect(w, "dangling", false, w->root, "/dangling");
	expect(w, "dangling-out", true, w->out, "/new");
	expect(w, "dir/", false, w->root, "/src");
	refuse(w, "loop-a", 6);
	refuse(w, "loop-a/x", 8);
	refuse(w, "self", 4);
	expect(w, "self", false, w->root, "/self");
}

static void
what_has_no_one_meaning_is_refused(void **state)
{
	struct world *w = *state;
	char name[NAME_MAX + 2], deep[PATH_MAX + 2];

	memset(name, 'n', sizeof(name));
	memset(deep, '/', sizeof(deep));
	for (size_t i = 0; i + 2 < sizeof(deep); i += 2)
		deep[i] = 'd';
	world_file("file", "");
	refuse(w, "", 0);
	refuse(w, "a\0b", 3);
	refuse(w, name, NAME_MAX + 1);
	assert_true(real_of(w, name, NAME_MAX, true)[0] != '\0');
	refuse(w, deep, PATH_MAX);
	refuse(w, deep, PATH_MAX + 1);
	refuse(w, "file/x", 6);
	refuse(w, "file/..", 7);
	refuse(w, "file/../x", 9);
}

static void
over_long_missing_names_are_refused_too(void **state)
{
	struct world *w = *state;
	char path[NAME_MAX + 16];

	memset(path, 'n', sizeof(path));
	memcpy(path, "new/", 4);
	refuse(w, path, 4 + NAME_MAX + 1);
	assert_true(real_of(w, path, 4 + NAME_MAX, true)[0] != '\0');
}

static void
magic_links_of_proc_are_refused(void **state)
{
	struct world *w = *state;
	char other[64];

	refuse(w, "/proc/self/root/etc/passwd", 26);
	refuse(w, "/proc/self/cwd/x", 16);
	refuse(w, "/proc/self/fd/1", 15);
	refuse(w, "/proc/self/status", 17);
	refuse(w, "/proc/thread-self/status", 24);
	refuse(w, "/dev/stdin", 10);
	refuse(w, "/dev/fd/0", 9);
	snprintf(other, sizeof(other), "/proc/%d/cwd/x", (int)getppid());
	refuse(w, other, strlen(other));
	snprintf(other, sizeof(other), "/proc/%d/environ", (int)getpid());
	refuse(w, other, strlen(other));
	world_link("/proc/self/cwd", "sneaky");
	refuse(w, "sneaky/new", 10);
	assert_string_equal(real_of(w, "/proc/sys/kernel", 16, true), "/proc/sys/kernel");
}

static void
odd_bytes_are_names(void **state)
{
	struct world *w = *state;

	world_file("a\nb", "");
	world_file("\xff\xfe", "");
	world_file("gone (deleted)", "");
	expect(w, "a\nb", true, w->root, "/a\nb");
	expect(w, "\xff\xfe", true, w->root, "/\xff\xfe");
	expect(w, "\x1b[2J", true, w->root, "/\x1b[2J");
	expect(w, "gone (deleted)", true, w->root, "/gone (deleted)");
}

static void
an_unreadable_parent_is_refused(void **state)
{
	struct world *w = *state;

	if (geteuid() == 0)
		skip();
	world_dir("closed");
	world_dir("closed/in");
	assert_int_equal(chmod("closed", 0), 0);
	refuse(w, "closed/in/x", 11);
	refuse(w, "closed/x", 8);
	assert_int_equal(chmod("closed", 0755), 0);
	expect(w, "closed/in/x", true, w->root, "/closed/in/x");
}

static void
a_sibling_with_the_same_beginning_is_outside(void **state)
{
	(void)state;
	assert_true(str_beneath("/ws/core", "/ws/core"));
	assert_true(str_beneath("/ws/core/x", "/ws/core"));
	assert_false(str_beneath("/ws/core-utils", "/ws/core"));
	assert_false(str_beneath("/ws/cor", "/ws/core"));
	assert_true(str_beneath("/etc", "/"));
}

static void
a_folder_reached_by_a_symlink_has_two_names(void **state)
{
	struct world *w = *state;
	char by_link[700];
	struct ambit_scope *scope = NULL;
	struct path_facts resolved = { 0 };

	snprintf(by_link, sizeof(by_link), "%s/by-link", w->top);
	world_link(w->root, by_link);
	struct ambit_scope_options options = { .root = by_link };

	assert_int_equal(ambit_scope_create(&options, &scope, NULL), 0);
	assert_string_equal(ambit_scope_root(scope), w->root);
	assert_true(scope_says_inside(scope, by_link));
	snprintf(by_link, sizeof(by_link), "%s/by-link/new", w->top);
	assert_int_equal(
		scope_resolve(scope, NULL, by_link, strlen(by_link), true, &resolved, NULL), 0);
	assert_true(scope_holds(scope, resolved.real));
	resolved_finish(&resolved);
	ambit_scope_destroy(scope);
}

static void
the_line_moves_with_the_folder(void **state)
{
	struct world *w = *state;
	struct ambit_scope *scope = world_scope(w);
	char moved[700];

	snprintf(moved, sizeof(moved), "%s/moved", w->top);
	assert_int_equal(rename(w->root, moved), 0);
	assert_int_equal(mkdir(w->root, 0755), 0);
	assert_int_equal(scope_refresh(scope, NULL), 0);
	assert_string_equal(ambit_scope_root(scope), moved);
	assert_false(scope_holds(scope, w->root));
	ambit_scope_destroy(scope);
}

static void
a_deleted_folder_has_no_inside(void **state)
{
	struct world *w = *state;
	struct ambit_scope *scope = world_scope(w);
	struct ambit_error err = { 0 };

	assert_int_equal(rmdir(w->root), 0);
	assert_true(scope_refresh(scope, &err) < 0);
	assert_non_null(strstr(err.text, "deleted"));
	assert_int_equal(mkdir(w->root, 0755), 0);
	assert_true(scope_refresh(scope, NULL) < 0);
	ambit_scope_destroy(scope);
	assert_int_equal(chdir(w->root), 0);
}

static int
open_child(const struct ambit_scope *parent, const char *root, bool allow_bash,
	struct ambit_scope **ret_child)
{
	const struct ambit_scope_options options = {
		.root = root,
		.enforce_write = true,
		.allow_bash = allow_bash,
	};

	return ambit_scope_child(parent, &options, ret_child, NULL);
}

static void
a_child_is_always_inside_its_parent(void **state)
{
	struct world *w = *state;
	struct ambit_scope *parent = world_scope(w), *child = NULL;

	world_dir("pkg");
	world_dir("pkg/core");
	world_dir("pkg/core-utils");
	world_link(w->out, "leaves");
	assert_int_equal(open_child(parent, "pkg/core", true, &child), 0);
	assert_true(ambit_scope_enforces_write(child));
	struct ambit_scope *grandchild = NULL;

	assert_true(open_child(child, "pkg", true, &grandchild) < 0);
	assert_true(open_child(child, "pkg/core-utils", true, &grandchild) < 0);
	assert_true(open_child(child, "pkg/core/..", true, &grandchild) < 0);
	ambit_scope_destroy(child);
	assert_true(open_child(parent, "leaves", true, &child) < 0);
	assert_true(open_child(parent, w->out, true, &child) < 0);
	assert_true(open_child(parent, "missing", true, &child) < 0);
	assert_int_equal(open_child(parent, "pkg", false, &child), 0);
	assert_false(ambit_scope_allows_bash(child));
	assert_int_equal(open_child(child, "pkg/core", true, &grandchild), 0);
	assert_false(ambit_scope_allows_bash(grandchild));
	assert_string_equal(ambit_scope_display_root(grandchild), w->root);
	ambit_scope_destroy(grandchild);
	ambit_scope_destroy(child);
	ambit_scope_destroy(parent);
}

static void
a_child_has_each_key_and_is_never_wider(void **state)
{
	struct world *w = *state;
	struct ambit_scope *parent = world_scope(w), *child = NULL, *grandchild = NULL;
	struct ambit_scope_options options = { .root = "pkg", .display_root = "pkg" };
	struct ambit_error err = { 0 };

	world_dir("pkg");
	world_dir("pkg/core");
	assert_int_equal(ambit_scope_child(parent, &options, &child, NULL), 0);
	assert_false(ambit_scope_enforces_write(child));
	assert_false(ambit_scope_allows_bash(child));
	assert_string_equal(ambit_scope_display_root(child), ambit_scope_root(child));
	/* Relative to the child's own; law stays law, and no bash stays none. */
	options = (struct ambit_scope_options){ .root = "core", .enforce_write = true };
	assert_int_equal(ambit_scope_child(child, &options, &grandchild, NULL), 0);
	assert_true(ambit_scope_enforces_write(grandchild));
	ambit_scope_destroy(child);
	options = (struct ambit_scope_options){ .allow_bash = true };
	assert_int_equal(ambit_scope_child(grandchild, &options, &child, NULL), 0);
	assert_string_equal(ambit_scope_root(child), ambit_scope_root(grandchild));
	assert_true(ambit_scope_enforces_write(child));
	assert_false(ambit_scope_allows_bash(child));
	/* A display_root holds the root. */
	options = (struct ambit_scope_options){ .root = "pkg", .display_root = "pkg/core" };
	assert_int_equal(ambit_scope_child(parent, &options, &child, &err), -EINVAL);
	ambit_scope_destroy(child);
	ambit_scope_destroy(grandchild);
	ambit_scope_destroy(parent);
}

static void
a_hard_link_to_ambits_own_is_ambits_own(void **state)
{
	struct world *w = *state;
	struct ambit_scope *scope;
	struct path_facts resolved = { 0 };

	world_file(".ambit.json", "{}");
	world_file("plain", "");
	assert_int_equal(link(".ambit.json", "alias"), 0);
	scope = world_scope(w);
	assert_int_equal(scope_resolve(scope, NULL, "alias", 5, true, &resolved, NULL), 0);
	assert_non_null(scope_protects(scope, &resolved, AMBIT_ACCESS_WRITE));
	assert_null(scope_protects(scope, &resolved, AMBIT_ACCESS_READ));
	resolved_finish(&resolved);
	assert_int_equal(scope_resolve(scope, NULL, "plain", 5, true, &resolved, NULL), 0);
	assert_null(scope_protects(scope, &resolved, AMBIT_ACCESS_WRITE));
	resolved_finish(&resolved);
	ambit_scope_destroy(scope);
}

static void
the_settings_in_use_and_the_link_to_them_are_kept(void **state)
{
	static const struct {
		const char *name;
		enum ambit_access access;
		bool follow;
	} rows[] = {
		{ "s.json", AMBIT_ACCESS_DELETE, false },
		{ "s.json", AMBIT_ACCESS_WRITE, true },
		{ "real.json", AMBIT_ACCESS_WRITE, true },
	};
	struct world *w = *state;
	struct ambit_scope *scope = NULL;
	char file[700];

	world_file("real.json", "{}");
	world_link("real.json", "s.json");
	snprintf(file, sizeof(file), "%s/s.json", w->root);
	struct ambit_scope_options options = { .root = w->root, .places = { .settings = file } };

	assert_int_equal(ambit_scope_create(&options, &scope, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct path_facts resolved = { 0 };

		assert_int_equal(scope_resolve(scope, NULL, rows[i].name, strlen(rows[i].name),
					 rows[i].follow, &resolved, NULL),
			0);
		assert_non_null(scope_protects(scope, &resolved, rows[i].access));
		resolved_finish(&resolved);
	}
	ambit_scope_destroy(scope);
}

static void
a_symlink_left_behind_does_not_move_the_line_back(void **state)
{
	struct world *w = *state;
	struct ambit_scope *scope = world_scope(w);
	char moved[700];

	snprintf(moved, sizeof(moved), "%s/moved", w->top);
	assert_int_equal(rename(w->root, moved), 0);
	world_link(moved, w->root);
	assert_int_equal(scope_refresh(scope, NULL), 0);
	assert_string_equal(ambit_scope_root(scope), moved);
	ambit_scope_destroy(scope);
}

static void
paths_are_shown_relative_and_escaped(void **state)
{
	struct world *w = *state;
	struct ambit_scope *scope = world_scope(w);
	char path[800];
	char *shown;

	snprintf(path, sizeof(path), "%s/a\x1b[31m\n", w->root);
	shown = ambit_scope_display(scope, path);
	assert_string_equal(shown, "a\\x1b[31m\\n");
	free(shown);
	shown = ambit_scope_display(scope, w->root);
	assert_string_equal(shown, ".");
	free(shown);
	shown = ambit_scope_display(scope, "/etc/passwd");
	assert_string_equal(shown, "/etc/passwd");
	free(shown);
	ambit_scope_destroy(scope);
}

static void
the_root_directory_can_be_the_folder(void **state)
{
	struct ambit_scope_options options = { .root = "/", .allow_bash = true };
	struct ambit_scope *scope = NULL;
	struct path_facts resolved = { 0 };

	(void)state;
	assert_int_equal(ambit_scope_create(&options, &scope, NULL), 0);
	assert_int_equal(scope_resolve(scope, NULL, "etc/new", 7, true, &resolved, NULL), 0);
	assert_string_equal(resolved.real, "/etc/new");
	assert_true(scope_holds(scope, resolved.real));
	resolved_finish(&resolved);
	ambit_scope_destroy(scope);
}

static void
folding_is_by_text_alone(void **state)
{
	static const struct {
		const char *base, *path, *want;
	} rows[] = {
		{ "/a/b", "c", "/a/b/c" },
		{ "/a/b", "../c", "/a/c" },
		{ "/a/b", "../../../c", "/c" },
		{ "/a/b", "/x//y/./z/..", "/x/y" },
		{ "/", "..", "/" },
		{ "/", "a", "/a" },
		{ "/a", "", "/a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = resolve_fold(rows[i].base, rows[i].path);

		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

static int
open_by_kernel(int dirfd, const char *path, int flags, unsigned long long resolve)
{
	struct open_how how = { .flags = (unsigned)flags | O_CLOEXEC, .resolve = resolve };
	int fd = (int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static void
assert_same_file(const char *path, int flags, unsigned long long resolve, int a, int b)
{
	struct stat x = { 0 }, y = { 0 };

	if (a >= 0 && b >= 0 && fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_ino == y.st_ino &&
		x.st_dev == y.st_dev &&
		!((fcntl(a, F_GETFL) ^ fcntl(b, F_GETFL)) & (O_PATH | O_ACCMODE)))
		;
	else if (a < 0 && a == b)
		;
	else
		fail_msg("%s, flags %o, resolve %llo: %d, not %d", path, (unsigned)flags, resolve,
			b < 0 ? b : 0, a < 0 ? a : 0);
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
}

/* Without openat2, each path leads where the kernel's openat2 leads. */
static void
steps_lead_where_openat2_does(void **state)
{
	static const char *const paths[] = { "src", "src/", "src/a.c", "src/a.c/", "src//./a.c",
		"src/../src/a.c", "..", ".", "./", "/", "/etc/passwd", "/..", "none", "none/x",
		"src/none", "src/a.c/x", "link", "link/", "to-dir", "to-dir/", "to-dir/a.c",
		"to-file", "to-file/", "loop", "loop/x", "abs", "abs/a.c", "src/up", "src/up/link",
		"/proc/1/../version" };
	static const int flags[] = { O_RDONLY, O_PATH, O_PATH | O_NOFOLLOW, O_RDONLY | O_NOFOLLOW,
		O_PATH | O_DIRECTORY, O_PATH | O_DIRECTORY | O_NOFOLLOW };
	static const unsigned long long resolves[] = { 0, RESOLVE_NO_MAGICLINKS,
		RESOLVE_NO_SYMLINKS, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
		RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
	struct world *w = *state;
	int dir = open(w->root, O_PATH | O_CLOEXEC);

	world_dir("src");
	world_file("src/a.c", "");
	world_link("nowhere", "link");
	world_link("src", "to-dir");
	world_link("src/a.c", "to-file");
	world_link("loop", "loop");
	world_link(w->root, "abs");
	world_link("..", "src/up");
	for (size_t p = 0; p < sizeof(paths) / sizeof(paths[0]); p++)
		for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++)
			for (size_t r = 0; r < sizeof(resolves) / sizeof(resolves[0]); r++) {
				assert_same_file(paths[p], flags[f], resolves[r],
					open_by_kernel(dir, paths[p], flags[f], resolves[r]),
					resolve_walk(dir, paths[p], flags[f], 0, resolves[r]));
			}
	close(dir);
}

/* In these it is the narrower one. */
static void
steps_stay_beneath(void **state)
{
	const unsigned long long beneath = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	struct world *w = *state;
	int dir = open(w->root, O_PATH | O_CLOEXEC), fd;

	world_dir("src");
	world_link(w->out, "src/out");
	world_link(".", "src/here");
	assert_int_equal(resolve_walk(dir, "..", O_PATH, 0, beneath), -EXDEV);
	assert_int_equal(resolve_walk(dir, "src/../..", O_PATH, 0, beneath), -EXDEV);
	assert_int_equal(resolve_walk(dir, "/etc", O_PATH, 0, beneath), -EXDEV);
	assert_int_equal(resolve_walk(dir, "src/out/x", O_PATH, 0, beneath), -ELOOP);
	assert_int_equal(resolve_walk(dir, "src/here", O_PATH, 0, RESOLVE_BENEATH), -ELOOP);
	assert_int_equal(resolve_walk(dir, "src", O_PATH, 0, RESOLVE_IN_ROOT), -ENOSYS);
	assert_int_equal(
		resolve_walk(dir, "/proc/self/cwd", O_PATH, 0, RESOLVE_NO_MAGICLINKS), -ELOOP);
	fd = resolve_walk(dir, "src/new", O_WRONLY | O_CREAT | O_EXCL, 0640, beneath);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(
		resolve_walk(dir, "src/new", O_WRONLY | O_CREAT | O_EXCL, 0640, beneath), -EEXIST);
	assert_int_equal(resolve_walk(dir, "src/out", O_WRONLY | O_CREAT, 0640, beneath), -ELOOP);
	close(dir);
}

int
main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
		IN_WORLD(plain_names_and_dots),
		IN_WORLD(missing_names_hang_on_what_exists),
		IN_WORLD(dots_after_a_missing_name_do_not_hide_a_symlink),
		IN_WORLD(steps_lead_where_openat2_does),
		IN_WORLD(steps_stay_beneath),
		IN_WORLD(symlinks_of_every_kind),
		IN_WORLD(what_has_no_one_meaning_is_refused),
		IN_WORLD(over_long_missing_names_are_refused_too),
		IN_WORLD(magic_links_of_proc_are_refused),
		IN_WORLD(odd_bytes_are_names),
		IN_WORLD(an_unreadable_parent_is_refused),
		cmocka_unit_test(a_sibling_with_the_same_beginning_is_outside),
		IN_WORLD(a_folder_reached_by_a_symlink_has_two_names),
		IN_WORLD(the_line_moves_with_the_folder),
		IN_WORLD(a_deleted_folder_has_no_inside),
		IN_WORLD(a_child_is_always_inside_its_parent),
		IN_WORLD(a_child_has_each_key_and_is_never_wider),
		IN_WORLD(a_hard_link_to_ambits_own_is_ambits_own),
		IN_WORLD(the_settings_in_use_and_the_link_to_them_are_kept),
		IN_WORLD(a_symlink_left_behind_does_not_move_the_line_back),
		IN_WORLD(paths_are_shown_relative_and_escaped),
		cmocka_unit_test(the_root_directory_can_be_the_folder),
		cmocka_unit_test(folding_is_by_text_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
