/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of tools/search/ignore*.c and walk*.c: what .gitignore hides is what git says
 * it hides. git itself is asked, about generated patterns on a tree of names that
 * patterns like to get wrong. */

#include "unit-world.h"

#include <stdatomic.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "rounds.h"
#include "tools/search/ignore.h"
#include "tools/search/walk.h"

/* -- a tree, and git -------------------------------------------------------------------- */

static const char *const dirs[] = { "a", "b", "d", "a/b", "a/d", "a/b/d", "a/b/c", "d/a", "d/a/b",
	"foo", "foo/a", "foo/bar", "x y", "build", "[a]", "a.c.d" };
static const char *const names[] = { "a", "ab", "a.c", "b.o", "c", "abc", "!a", "#a", "x y", "x ",
	"[a]", "a*b", "a\\b", "-", "]", ".hid", "A", "\xc3\xa9", "a-b", "foo", "bar" };

#define N(list) (sizeof(list) / sizeof((list)[0]))

struct tree {
	struct world w;
	char **paths; /* files and directories */
};

/* Runs git; ret_out (or NULL): what it prints is to be read from there. */
static pid_t
start_git(const char *const argv[], const char *input, FILE **ret_out)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int in = open(input, O_RDONLY), null = open("/dev/null", O_WRONLY);

		if (in < 0 || null < 0 || dup2(in, 0) < 0 || dup2(fds[1], 1) < 0 ||
			dup2(null, 2) < 0)
			_exit(127);
		execvp("git", (char **)argv);
		_exit(127);
	}
	close(fds[1]);
	*ret_out = fdopen(fds[0], "r");
	assert_non_null(*ret_out);
	return pid;
}

#define ENOUGH (&(size_t){ SIZE_MAX })
#define GIT(...) ((const char *const[]){ "git", __VA_ARGS__, NULL })

/* Its exit status. */
static int
run_git(const char *const argv[])
{
	FILE *out;
	pid_t pid = start_git(argv, "/dev/null", &out);
	int status = -1;

	while (getc(out) != EOF)
		;
	fclose(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
has_git(void)
{
	return run_git(GIT("--version")) == 0;
}

static void
add(struct tree *t, const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "", name);
	if (access(path, F_OK) < 0)
		world_file(path, "");
	else
		return;
	assert_int_equal(strv_append(&t->paths, path), 0);
}

static int
open_tree(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	world_open(&t->w);
	setenv("HOME", t->w.home, 1);
	unsetenv("XDG_CONFIG_HOME");
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	for (size_t i = 0; i < N(dirs); i++) {
		world_dir(dirs[i]);
		assert_int_equal(strv_append(&t->paths, dirs[i]), 0);
	}
	for (size_t i = 0; i < N(dirs); i++)
		for (size_t k = i % 3; k < N(names); k += 3)
			add(t, dirs[i], names[k]);
	for (size_t k = 0; k < N(names); k++)
		add(t, "", names[k]);
	*state = t;
	if (has_git())
		assert_int_equal(run_git(GIT("init", "-q", ".")), 0);
	return 0;
}

static int
close_tree(void **state)
{
	struct tree *t = *state;

	strv_free(t->paths);
	world_close(&t->w);
	free(t);
	return 0;
}

static void
must_have_git(void)
{
	if (has_git())
		return;
	assert_null(getenv("AMBIT_MUST_WORK"));
	print_message("SKIP: there is no git\n");
	skip();
}

/* What git prints, as a list of strings that end in NUL. */
static char **
list_of(const char *const argv[], const char *input)
{
	char *item = NULL, **list = NULL;
	size_t size = 0;
	FILE *out;
	pid_t pid = start_git(argv, input, &out);

	assert_int_equal(strv_append(&list, ""), 0);
	while (getdelim(&item, &size, '\0', out) > 0)
		assert_int_equal(strv_append(&list, item), 0);
	free(item);
	fclose(out);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return list;
}

static bool
has(char **list, const char *text)
{
	for (size_t i = 0; list && list[i]; i++)
		if (streq(list[i], text))
			return true;
	return false;
}

/* -- patterns --------------------------------------------------------------------------- */

static unsigned long long seed;

static unsigned
chance(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void
some_pattern(struct buf *out)
{
	static const char *const bits[] = { "a", "b", "ab", "c", "d", "a.c", "foo", "bar", "x y",
		"o", "*", "*", "*", "**", "**", "/", "/", "/", "/**/", "**/", "/**", "?", "[ab]",
		"[!a]", "[^b]", "[a-c]", "[[:alpha:]]", "[[:upper:]x]", "[]a]", "[a", "[[:nope:]]",
		"[\\]a]", "[a-]", "[!-a]", "[[a]", "\\a", "\\*", "\\[", "\\\\", "\\", "!", "#", " ",
		"\\ ", ".", "***", "*.", "]", "-", "\xc3\xa9", "[\xc3\xa9]", "\t", "a/b",
		"a/**/d" };
	unsigned n = 1 + chance(5);

	if (chance(6) == 0)
		buf_putc(out, '!');
	if (chance(6) == 0)
		buf_putc(out, '/');
	while (n-- > 0)
		buf_puts(out, bits[chance((unsigned)N(bits))]);
	if (chance(5) == 0)
		buf_putc(out, '/');
	if (chance(12) == 0)
		buf_puts(out, "  ");
	buf_puts(out, chance(15) == 0 ? "\r\n" : "\n");
}

static void
some_patterns(struct buf *out, unsigned most)
{
	unsigned n = 1 + chance(most);

	while (n-- > 0)
		some_pattern(out);
	if (chance(8) == 0)
		out->data[--out->len] = '\0';
}

/* -- one file of patterns --------------------------------------------------------------- */

static bool
is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* With every directory on the way, as git has it. */
static bool
is_hidden(const struct ignore *ignore, const char *path)
{
	for (size_t n = strcspn(path, "/");; n += 1 + strcspn(path + n + 1, "/")) {
		char part[256];

		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		if (ignore_match(ignore, part, n, is_dir(part), ENOUGH) == IGNORE_HIDE)
			return true;
		if (!path[n])
			return false;
	}
}

/* How many are hidden. */
static size_t
check_ignore(struct tree *t, const char *text)
{
	struct ignore *ignore = ignore_parse(text, strlen(text));
	char **hidden;

	assert_non_null(ignore);
	world_file(".gitignore", text);
	hidden = list_of(GIT("check-ignore", "--no-index", "-z", "--stdin"), "../../list");
	for (size_t i = 0; t->paths[i]; i++)
		if (is_hidden(ignore, t->paths[i]) != has(hidden, t->paths[i]))
			fail_msg("git says %d about '%s' with:\n%s", has(hidden, t->paths[i]),
				t->paths[i], text);
	ignore_destroy(ignore);
	size_t n = strv_len(hidden) - 1;

	strv_free(hidden);
	return n;
}

static void
write_list(const struct tree *t)
{
	FILE *f = fopen("../../list", "w");

	assert_non_null(f);
	for (size_t i = 0; t->paths[i]; i++)
		fwrite(t->paths[i], strlen(t->paths[i]) + 1, 1, f);
	fclose(f);
}

static void
patterns_mean_what_git_says(void **state)
{
	struct tree *t = *state;
	const char *more = getenv("AMBIT_IGNORE_CASES");
	unsigned long long n = more ? strtoull(more, NULL, 10) : (unsigned)rounds(100, 250);
	size_t hidden = 0;

	must_have_git();
	write_list(t);
	for (unsigned long long i = 1; i <= n; i++) {
		auto_buf struct buf text = { 0 };

		seed = i * 7919;
		some_patterns(&text, 4);
		hidden += check_ignore(t, text.data);
	}
	/* A git that does not run hides nothing. */
	assert_true(hidden > 1000);
}

/* What the documentation says, and what people write. */
static void
patterns_of_the_documentation(void **state)
{
	static const char *const texts[] = { "foo\n", "foo/\n", "/foo\n", "foo/*\n", "foo/**\n",
		"**/foo\n", "**/foo/bar\n", "a/**/b\n", "a/**\n", "*.c\n!a.c\n",
		"/*\n!/foo\n/foo/*\n"
		"!/foo/bar\n",
		"\\!a\n", "\\#a\n", "#a\n", "x\\ \n", "x \n", "x y\n", "a**\n", "a**/b\n",
		"a/b**/d\n", "**\n", "/**\n", "**/\n", "!**\n", "*\n!*/\n!*.c\n", "[a]\n",
		"\\[a\\]\n", "a\\*b\n", "a\\\\b\n", "a\\\n",
		"\xef\xbb\xbf"
		"foo\n",
		"foo", "\n\n \nfoo\n", "/\n", "!\n", "//\n", "a//b\n", "/a/b\n", "a/b\n", "b/\n",
		"*/b\n", "?\n", "a?c\n", "[!a-z]\n", "[[:punct:]]\n", "a.c.*\n", "*.c.d/\n",
		"./a\n", "../a\n", "foo/../a\n", "a/b/\n!a/b/d\n", ".*\n", "-\n", "]\n" };
	struct tree *t = *state;

	must_have_git();
	write_list(t);
	for (size_t i = 0; i < N(texts); i++)
		check_ignore(t, texts[i]);
}

/* -- the whole of it -------------------------------------------------------------------- */

static bool
want_all(void *data, const char *path, enum walk_kind kind)
{
	(void)data;
	(void)path;
	(void)kind;
	return true;
}

/* Files beneath a directory of the folder, as paths from the folder. */
static char **
walk_list(const char *from, bool all)
{
	auto_close int root = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free char *real = realpath(from, NULL);
	struct walk_options options = {
		.root = root,
		.real = real,
		.all = all,
		.kinds = 1u << WALK_FILE | 1u << WALK_LINK,
		.want = want_all,
	};
	struct walk walk = { 0 };
	char **list = NULL, path[600];

	assert_int_equal(walk_tree(&options, &walk, NULL), 0);
	assert_int_equal(strv_append(&list, ""), 0);
	for (size_t i = 0; i < walk.n_dirs; i++)
		for (size_t k = 0; k < walk.dirs[i]->n_names; k++) {
			snprintf(path, sizeof(path), "%s%s%s%s%s", streq(from, ".") ? "" : from,
				streq(from, ".") ? "" : "/", walk.dirs[i]->path,
				walk.dirs[i]->path[0] ? "/" : "", walk.dirs[i]->names[k].name);
			assert_int_equal(strv_append(&list, path), 0);
		}
	walk_finish(&walk);
	return list;
}

static void
same_lists(char **git, char **ours, const char *what)
{
	for (size_t i = 0; git[i]; i++)
		if (!has(ours, git[i]))
			fail_msg("%s: git shows '%s', the walk does not", what, git[i]);
	for (size_t i = 0; ours[i]; i++)
		if (!has(git, ours[i]))
			fail_msg("%s: the walk shows '%s', git does not", what, ours[i]);
}

/* Three levels of files, and the repository's own; from its top and from a directory
 * in it. */
static void
a_walk_shows_what_git_shows(void **state)
{
	must_have_git();
	for (int i = 1, n = rounds(40, 120); i <= n; i++) {
		const char *files[] = { ".gitignore", "a/.gitignore", "a/b/.gitignore",
			".git/info/exclude" };
		char what[64];
		char **git, **ours;

		seed = (unsigned)i * 104729ull;
		for (size_t k = 0; k < N(files); k++) {
			auto_buf struct buf text = { 0 };

			some_patterns(&text, 3);
			world_file(files[k], text.data);
		}
		snprintf(what, sizeof(what), "case %d", i);
		git = list_of(GIT("ls-files", "-z", "-o", "--exclude-standard"), "/dev/null");
		ours = walk_list(".", false);
		same_lists(git, ours, what);
		strv_free(git);
		strv_free(ours);
	}
	(void)state;
}

static void
parents_have_a_say_in_a_subdirectory(void **state)
{
	char **list;

	(void)state;
	must_have_git();
	world_file(".gitignore", "*.o\n/a/b/c\n/d\n");
	world_file("a/.gitignore", "!b.o\nab\n");
	world_file("a/b/.gitignore", "abc\n");
	world_file("a/b/b.o", "");
	world_file("a/b/x.o", "");
	world_file("a/b/ab", "");
	world_file("a/b/abc", "");
	world_file("a/b/shown", "");
	list = walk_list("a/b", false);
	assert_true(has(list, "a/b/b.o"));
	assert_true(has(list, "a/b/shown"));
	assert_false(has(list, "a/b/x.o"));
	assert_false(has(list, "a/b/abc"));
	assert_false(has(list, "a/b/ab"));
	for (size_t i = 0; list[i]; i++)
		assert_false(str_prefix(list[i], "a/b/c/"));
	strv_free(list);
	/* Who names a directory that is ignored wants to see what is in it. */
	list = walk_list("d", false);
	assert_true(has(list, "d/a.c"));
	strv_free(list);
}

static void
a_repository_within_has_its_own_rules(void **state)
{
	char **list;

	(void)state;
	must_have_git();
	assert_int_equal(run_git(GIT("init", "-q", "foo")), 0);
	world_file(".gitignore", "*.log\n/b\n");
	world_file("foo/.git/info/exclude", "secret\n");
	world_file("foo/.gitignore", "*.tmp\n");
	world_file("foo/x.log", "");
	world_file("foo/x.tmp", "");
	world_file("foo/secret", "");
	list = walk_list(".", false);
	assert_true(has(list, "foo/x.log"));
	assert_false(has(list, "foo/x.tmp"));
	assert_false(has(list, "foo/secret"));
	for (size_t i = 0; list[i]; i++)
		assert_null(strstr(list[i], ".git/"));
	strv_free(list);
	list = walk_list(".", true);
	assert_true(has(list, "foo/x.tmp"));
	assert_true(has(list, "foo/secret"));
	for (size_t i = 0; list[i]; i++)
		assert_null(strstr(list[i], ".git/"));
	strv_free(list);
}

/* A .gitignore that is a link, a FIFO, a directory or huge hides nothing, and holds
 * nobody up. */
static void
odd_files_hide_nothing(void **state)
{
	char **list;
	int fd;

	(void)state;
	world_file("../../out/rules", "*\n");
	world_file("foo/a/in", "");
	world_link("../../out/rules", "a/.gitignore");
	assert_int_equal(mkfifo("b/.gitignore", 0600), 0);
	world_dir("d/.gitignore");
	world_file("d/.gitignore/in", "");
	fd = open("foo/.gitignore", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, IGNORE_FILE_MAX + 1), 0);
	close(fd);
	assert_int_equal(mkfifo("a/fifo", 0600), 0);
	list = walk_list(".", false);
	assert_true(has(list, "a/b.o"));
	assert_true(has(list, "d/a.c"));
	assert_true(has(list, "d/.gitignore/in"));
	assert_true(has(list, "foo/a/in"));
	assert_false(has(list, "a/fifo"));
	strv_free(list);
}

/* Links are named, and never entered: not even one that leads back in. */
static void
links_are_not_followed(void **state)
{
	char **list;

	(void)state;
	world_file("../../out/secret", "");
	world_link("../../out", "a/out");
	world_link("..", "a/up");
	list = walk_list(".", true);
	assert_true(has(list, "a/out"));
	assert_true(has(list, "a/up"));
	for (size_t i = 0; list[i]; i++) {
		assert_null(strstr(list[i], "secret"));
		assert_false(str_prefix(list[i], "a/up/"));
	}
	strv_free(list);
}

/* Two directories that are each within the limit, read at once. */
static void
a_walk_that_leaves_something_out_says_so(void **state)
{
	auto_close int root = -1;
	struct walk_options options = {
		.all = true,
		.kinds = 1u << WALK_FILE,
		.names = 100,
		.want = want_all,
	};
	char path[64];

	(void)state;
	world_dir("many");
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "many/%d", i);
		world_dir(path);
		for (int k = 0; k < 30; k++) {
			snprintf(path, sizeof(path), "many/%d/%d", i, k);
			world_file(path, "");
		}
	}
	root = open("many", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	options.root = root;
	options.real = "/many";
	for (int i = 0; i < rounds(5000, 50000); i++) {
		struct walk walk = { 0 };

		assert_int_equal(walk_tree(&options, &walk, NULL), 0);
		assert_true(walk.cut);
		walk_finish(&walk);
	}
	options.names = 300;
	for (int i = 0; i < 10; i++) {
		struct walk walk = { 0 };

		assert_int_equal(walk_tree(&options, &walk, NULL), 0);
		assert_int_equal(walk.n_names, 240);
		assert_false(walk.cut);
		walk_finish(&walk);
	}
}

static bool
count_wanted(void *data, const char *path, enum walk_kind kind)
{
	atomic_size_t *wanted = data;

	(void)path;
	(void)kind;
	atomic_fetch_add(wanted, 1);
	return true;
}

static bool
stop_at_once(void *data)
{
	(void)data;
	return true;
}

/* A directory of so many files, open. */
static int
make_many(int n)
{
	char path[64];

	world_dir("many");
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "many/aaaaaaaaaaaaaaaa%d", i);
		world_file(path, "");
	}
	return open("many", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
a_walk_stops_within_a_directory(void **state)
{
	auto_close int root = make_many(5000);
	atomic_size_t wanted = 0;
	struct walk_options options = {
		.root = root,
		.real = "/many",
		.all = true,
		.kinds = 1u << WALK_FILE,
		.want = count_wanted,
		.data = &wanted,
	};
	struct walk walk = { 0 };

	(void)state;
	assert_int_equal(walk_tree(&options, &walk, NULL), 0);
	assert_int_equal(wanted, 5000);
	walk_finish(&walk);
	wanted = 0;
	options.stop = stop_at_once;
	assert_int_equal(walk_tree(&options, &walk, NULL), 0);
	assert_true(walk.stopped);
	assert_true(wanted < 2000);
	walk_finish(&walk);
}

/* Walks many, with this in its .gitignore: how many names were wanted. */
static size_t
count_in_many(int root, const char *text, size_t steps, bool all, bool cut)
{
	auto_free char *real = realpath("many", NULL);
	atomic_size_t wanted = 0;
	struct walk_options options = {
		.root = root,
		.real = real,
		.all = all,
		.steps = steps,
		.kinds = 1u << WALK_FILE,
		.want = count_wanted,
		.data = &wanted,
	};
	struct walk walk = { 0 };

	world_file("many/.gitignore", text);
	assert_int_equal(walk_tree(&options, &walk, NULL), 0);
	assert_int_equal(walk.cut, cut);
	assert_int_equal(walk.costly, cut);
	assert_true(!cut || strstr(walk_why_cut(&walk), ".gitignore"));
	walk_finish(&walk);
	return wanted;
}

static void
a_hostile_file_cuts_the_walk(void **state)
{
	auto_close int root = make_many(3000);
	auto_buf struct buf many = { 0 }, deep = { 0 };

	(void)state;
	/* Each pattern looks at all of each name. */
	for (int i = 0; i < 100; i++)
		buf_puts(&many, "*a*a*b\n");
	assert_int_equal(count_in_many(root, many.data, 0, false, false), 3001);
	assert_true(count_in_many(root, many.data, 1000000, false, true) < 3000);
	assert_int_equal(count_in_many(root, many.data, 1000000, true, false), 3001);
	/* For each "[:" its end is looked for, and that of the bracket is found: one name
	 * is too much. */
	buf_putc(&deep, '[');
	for (int i = 0; i < 20000; i++)
		buf_puts(&deep, "[:");
	buf_puts(&deep, "-]\n");
	assert_int_equal(count_in_many(root, deep.data, 0, false, true), 0);
	assert_int_equal(count_in_many(root, deep.data, 0, true, false), 3001);
}

/* A pattern that makes others try for years. */
static void
no_pattern_takes_long(void **state)
{
	char pattern[2048], text[2049];

	(void)state;
	for (size_t i = 0; i < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 2);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 'b';
	assert_false(ignore_wild(pattern, sizeof(pattern), text, sizeof(text), true, ENOUGH));
	assert_false(ignore_wild(pattern, sizeof(pattern), text, sizeof(text), false, ENOUGH));
	for (size_t i = 0; i + 4 <= sizeof(pattern); i += 4)
		memcpy(pattern + i, "**/a", 4);
	for (size_t i = 0; i + 4 <= sizeof(pattern); i += 4)
		pattern[i + 3] = i + 8 > sizeof(pattern) ? 'a' : '/';
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = '/';
	assert_false(ignore_wild(pattern, sizeof(pattern), text, sizeof(text), true, ENOUGH));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(patterns_mean_what_git_says, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			patterns_of_the_documentation, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(a_walk_shows_what_git_shows, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			parents_have_a_say_in_a_subdirectory, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			a_repository_within_has_its_own_rules, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(odd_files_hide_nothing, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(links_are_not_followed, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			a_walk_that_leaves_something_out_says_so, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			a_walk_stops_within_a_directory, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(
			a_hostile_file_cuts_the_walk, open_tree, close_tree),
		cmocka_unit_test(no_pattern_takes_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
