/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the glob tool: what it finds, in which order, and what it says about
 * what it leaves out. Called through the registry, as a model does. */

#include "toolcall.h"

#include "base/buf.h"
#include "tools/search/walk-glob.h"

/* -- patterns --------------------------------------------------------------------------- */

static const struct {
	const char *pattern;
	const char *path;
	bool anywhere, match;
} patterns[] = {
	{ "*.c", "a.c", false, true },
	{ "*.c", "d/a.c", false, false },
	{ "*.c", "d/a.c", true, true },
	{ "*", ".hidden", false, true },
	{ "**", "a/b/c", false, true },
	{ "**/*.c", "a.c", false, true },
	{ "**/*.c", "a/b/c.c", false, true },
	{ "src/**", "src/a/b", false, true },
	{ "src/**", "lib/a", false, false },
	{ "src/**/t?st.c", "src/test.c", false, true },
	{ "src/**/t?st.c", "src/a/b/tost.c", false, true },
	{ "src/**/a/**/b", "src/x/a/a/y/b", false, true },
	{ "src/**/a/**/b", "src/x/y/b", false, false },
	{ "*.{c,h}", "x.h", false, true },
	{ "*.{c,h}", "x.o", false, false },
	{ "{a,b{c,d}}/*", "bd/x", false, true },
	{ "{a,b{c,d}}/*", "b/x", false, false },
	{ "x{,.bak}", "x", false, true },
	{ "x{,.bak}", "x.bak", false, true },
	{ "x{y}", "x{y}", false, true },
	{ "\\{a,b\\}", "{a,b}", false, true },
	{ "[a-c]?", "b1", false, true },
	{ "[!a-c]?", "b1", false, false },
	{ "app/[id]/*.ts", "app/[id]/page.ts", false, true },
	{ "app/[id]/*.ts", "app/i/page.ts", false, true },
	{ "a//b", "a/b", false, true },
	{ "./a", "a", false, true },
	{ "\xc3\xa9?", "\xc3\xa9\xc3\xa8", false, true },
	{ "a*b*c*d*e*f", "aaaaaaaaaabbbbbbbbbbbcccccccccccddddddddeeeeeeee", false, false },
};

static void
patterns_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct walk_glob *glob = NULL;
		char dir[64], *slash;

		assert_int_equal(
			walk_glob_parse(patterns[i].pattern, patterns[i].anywhere, &glob, NULL), 0);
		if (walk_glob_match(glob, patterns[i].path) != patterns[i].match)
			fail_msg("%s against %s", patterns[i].pattern, patterns[i].path);
		/* Whatever matches can be come to. */
		snprintf(dir, sizeof(dir), "%s", patterns[i].path);
		while (patterns[i].match && (slash = strrchr(dir, '/'))) {
			*slash = '\0';
			if (!walk_glob_enter(glob, dir))
				fail_msg("%s does not enter %s", patterns[i].pattern, dir);
		}
		walk_glob_destroy(glob);
	}
}

static void
patterns_have_limits(void **state)
{
	struct ambit_error err = { 0 };
	struct walk_glob *glob = NULL;
	auto_buf struct buf many = { 0 }, deep = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++)
		buf_puts(&many, "{a,b}");
	for (int i = 0; i < 300; i++)
		buf_puts(&deep, "a/");
	assert_int_equal(walk_glob_parse(many.data, false, &glob, &err), -EINVAL);
	assert_int_equal(walk_glob_parse(deep.data, false, &glob, &err), -EINVAL);
	assert_int_equal(walk_glob_parse("", false, &glob, &err), -EINVAL);
	assert_int_equal(walk_glob_parse("a/../b", false, &glob, &err), -EINVAL);
	assert_null(glob);
	assert_int_equal(walk_glob_parse("a/*/b", false, &glob, &err), 0);
	assert_false(walk_glob_enter(glob, "b"));
	assert_false(walk_glob_enter(glob, "a/x/b"));
	assert_true(walk_glob_enter(glob, "a/x"));
	walk_glob_destroy(glob);
}

static void
types_can_be_read(void **state)
{
	(void)state;
	for (size_t i = 0; walk_type_name(i); i++) {
		struct walk_glob *glob = NULL;

		assert_int_equal(
			walk_glob_parse(walk_type_pattern(walk_type_name(i)), true, &glob, NULL),
			0);
		walk_glob_destroy(glob);
	}
	assert_null(walk_type_pattern("nonsense"));
}

/* -- the tool --------------------------------------------------------------------------- */

static void
file_at(const char *path, long long when)
{
	struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };

	world_file(path, "x\n");
	assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void
finds_newest_first(void **state)
{
	struct hand *h = *state;

	world_dir("src");
	world_dir("src/deep");
	file_at("src/old.c", 1000);
	file_at("src/deep/new.c", 3000);
	file_at("mid.c", 2000);
	file_at("src/x.h", 4000);
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "**/*.c"));
	hand_works(h);
	assert_string_equal(h->result.text, "src/deep/new.c\nmid.c\nsrc/old.c\n");
	assert_string_equal(h->result.structured, "{\"files\":[\"src/deep/new.c\",\"mid.c\",\"src/"
						  "old.c\"],\"total\":3,\"truncated\":false}");
	hand_call(h, "glob", json_pack("{s:s, s:i}", "pattern", "**/*.{c,h}", "limit", 2));
	hand_works(h);
	assert_string_equal(h->result.text, "src/x.h\nsrc/deep/new.c\n"
					    "[2 more, older: raise limit or narrow the pattern]\n");
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", "*.c", "path", "src"));
	assert_string_equal(h->result.text, "src/old.c\n");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "src/*.c"));
	assert_string_equal(h->result.text, "src/old.c\n");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "src/*/"));
	assert_string_equal(h->result.text, "src/deep\n");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "src/old.c"));
	assert_string_equal(h->result.text, "src/old.c\n");
}

static void
leaves_out_what_git_ignores(void **state)
{
	struct hand *h = *state;

	world_dir(".git");
	world_dir(".git/info");
	world_dir("node_modules");
	world_file(".git/config", "");
	world_file("node_modules/x.js", "");
	world_file(".gitignore", "node_modules/\n*.min.js\n");
	world_file("a.js", "");
	world_file("a.min.js", "");
	world_file(".hidden.js", "");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "**"));
	hand_says(h, ".hidden.js");
	hand_says(h, "a.js");
	assert_null(strstr(h->result.text, "node_modules"));
	assert_null(strstr(h->result.text, "min"));
	assert_null(strstr(h->result.text, ".git/"));
	hand_call(h, "glob", json_pack("{s:s, s:b}", "pattern", "**/*.js", "all", 1));
	hand_says(h, "node_modules/x.js");
	hand_says(h, "a.min.js");
}

static void
failures_say_what_to_do(void **state)
{
	struct hand *h = *state;

	world_file("file", "");
	world_dir("sub");
	world_file("sub/x.py", "");
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", "*", "path", "nowhere"));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "nowhere does not exist");
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", "*", "path", "file"));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "file is a file");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "*.py"));
	hand_says(h, "**/*.py looks at every depth");
	hand_call(h, "glob", json_object());
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "pattern");
}

/* A link out is a name like any other; what lies behind it is not listed. */
static void
links_are_named_and_not_followed(void **state)
{
	struct hand *h = *state;

	char secret[800];

	snprintf(secret, sizeof(secret), "%s/secret", h->w.out);
	world_file(secret, "");
	world_link(h->w.out, "way");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "**"));
	hand_says(h, "way");
	assert_null(strstr(h->result.text, "secret"));
}

static void
reads_outside_by_its_absolute_path(void **state)
{
	struct hand *h = *state;
	char file[800], pattern[800];

	snprintf(file, sizeof(file), "%s/other.c", h->w.out);
	world_file(file, "");
	snprintf(pattern, sizeof(pattern), "%s/*.c", h->w.out);
	hand_call(h, "glob", json_pack("{s:s}", "pattern", pattern));
	hand_says(h, file);
}

/* Nor are names shown that read would ask about. */
static void
keys_are_not_named(void **state)
{
	struct hand *h = *state;

	world_dir("../.gnupg");
	world_file("../.gnupg/ring", "");
	world_file("../.netrc", "");
	world_file("../.profile", "");
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", "**/*", "path", ".."));
	hand_says(h, "/.profile\n");
	assert_null(strstr(h->result.text, "ring"));
	assert_null(strstr(h->result.text, "netrc"));
	hand_says(h, "guarded paths");
	/* One that came when the guards had been looked for. */
	world_file("../.pgpass", "");
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", ".p*", "path", ".."));
	hand_says(h, "/.profile\n[1 guarded paths");
	assert_null(strstr(h->result.text, "pgpass"));
	assert_null(strstr(h->result.structured, "pgpass"));
	hand_call(h, "glob", json_pack("{s:s, s:s}", "pattern", "*", "path", "../.gnupg"));
	hand_says(h, "[1 guarded paths");
	assert_null(strstr(h->result.text, "ring"));
}

static void
odd_names_are_escaped(void **state)
{
	struct hand *h = *state;

	world_file("a\nb", "");
	world_file("c\xff"
		   "d",
		"");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "*"));
	hand_works(h);
	assert_non_null(strstr(h->result.text, "a\\nb\n"));
	assert_non_null(strstr(h->result.text, "c\\xffd\n"));
}

static void
leaves_no_descriptors(void **state)
{
	struct hand *h = *state;
	size_t before;

	world_dir("d");
	world_file("d/x", "");
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "**"));
	before = hand_descriptors();
	for (int i = 0; i < 50; i++)
		hand_call(h, "glob", json_pack("{s:s, s:i}", "pattern", "**", "limit", i + 1));
	hand_call(h, "glob", json_pack("{s:s}", "pattern", "nowhere/*"));
	assert_int_equal(hand_descriptors(), before);
}

#define TOOL(name) cmocka_unit_test_setup_teardown(name, hand_open, hand_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match),
		cmocka_unit_test(patterns_have_limits),
		cmocka_unit_test(types_can_be_read),
		TOOL(finds_newest_first),
		TOOL(leaves_out_what_git_ignores),
		TOOL(failures_say_what_to_do),
		TOOL(links_are_named_and_not_followed),
		TOOL(reads_outside_by_its_absolute_path),
		TOOL(keys_are_not_named),
		TOOL(odd_names_are_escaped),
		TOOL(leaves_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
