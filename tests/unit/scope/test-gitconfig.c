/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about a repository's config: it is read as git reads it, and changes by git's own
 * commands are told apart. git itself is the judge of the reading, on files made by chance
 * from the pieces that matter. tests/texts/gitconfig*.text have changes and their verdicts. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "scope/gitconfig.h"
#include "unit-world.h"

#define GIT "/usr/bin/git"

static bool
plain(const char *old, const char *new)
{
	const char *why = "unset";
	bool is = gitconfig_plain_at(NULL, old, strlen(old), new, strlen(new), &why);

	assert_int_equal(is, why == NULL);
	return is;
}

/* -- sizes --------------------------------------------------------------------- */

static void
a_config_that_is_too_large_is_not_plain(void **state)
{
	auto_free char *many = malloc(GITCONFIG_MAX + 2);
	struct buf entries = { 0 };

	(void)state;
	assert_true(gitconfig_plain_at(NULL, NULL, 0, NULL, 0, NULL));
	memset(many, '\n', GITCONFIG_MAX + 1);
	assert_true(gitconfig_plain_at(NULL, "", 0, many, GITCONFIG_MAX, NULL));
	assert_false(gitconfig_plain_at(NULL, "", 0, many, GITCONFIG_MAX + 1, NULL));
	buf_puts(&entries, "[core]\n");
	for (size_t i = 0; i < GITCONFIG_ENTRIES_MAX; i++)
		buf_puts(&entries, "bare\n");
	assert_true(gitconfig_plain_at(NULL, "", 0, entries.data, entries.len, NULL));
	buf_puts(&entries, "bare\n");
	assert_false(gitconfig_plain_at(NULL, "", 0, entries.data, entries.len, NULL));
	buf_finish(&entries);
}

/* -- git as the judge ----------------------------------------------------------- */

static uint32_t
chance(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

/* Mostly well-formed, so that much of it is read to its end. */
static void
make_file(uint32_t *seed, struct buf *text)
{
	static const char *const heads[] = { "[core]", "[Core]\n", "[branch \"a.b\"]\n", "[ALIAS]",
		"[branch \"q\\\"x\\\\y\\z\"]", "[Remote.Up.Down]\r\n", "[x  \t\"S\"]",
		"[a.b \"C.d\"]", "[remote \"\"]\n", "[i] [j]", "[n-1]; c\n", "[core];x\n",
		"[u \"\xc3\xa9\"]" };
	static const char *const keys[] = { "hooksPath", "a", "B-2", "url", " \tname", "x\n", "k ",
		"\n\n  z\t" };
	static const char *const values[] = { "x", " y z ", "\"q\"", " \"a # b\" ; c", "a\\\nb",
		" p \\\n  q", "\\t\\n\\\\\\\"", "\"un\"quo\"ted \"", "a;b", "#", " \"\" lead",
		"1 \\\r\n 2", "\"  \"", "a  b   c", "end \\\n", "\"x\\\n y\"", "\xff\xfe", "=",
		"[s]", "a\"b\\\n\"c  # d" };
	static const char *const wrong[] = { "\"open", "\\q", "[", "k k", "]", "_", "=", "[a \"b\\",
		"[ a]", "[a]]", "9=1", "\\" };

	for (uint32_t i = 0, n = 1 + chance(seed, 8); i < n; i++) {
		if (i == 0 || chance(seed, 3) == 0)
			buf_puts(text, heads[chance(seed, sizeof(heads) / sizeof(heads[0]))]);
		buf_puts(text, keys[chance(seed, sizeof(keys) / sizeof(keys[0]))]);
		if (chance(seed, 6) != 0) {
			buf_puts(text, chance(seed, 2) ? "=" : "= ");
			buf_puts(text, values[chance(seed, sizeof(values) / sizeof(values[0]))]);
		}
		if (chance(seed, 12) == 0)
			buf_puts(text, wrong[chance(seed, sizeof(wrong) / sizeof(wrong[0]))]);
		if (i + 1 < n || chance(seed, 4) != 0)
			buf_puts(text, chance(seed, 8) == 0 ? "\r\n" : "\n");
	}
}

/* git before 2.45 makes every space inside a value a blank. */
static void
flatten(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\t')
			text[i] = ' ';
}

static char *
as_git_lists(const struct gitconfig *config, size_t *ret_len)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < config->n; i++) {
		buf_puts(&out, config->entries[i].name);
		if (config->entries[i].value)
			buf_printf(&out, "\n%s", config->entries[i].value);
		buf_putc(&out, '\0');
	}
	*ret_len = out.len;
	return buf_take(&out);
}

static int
git(const char *home, char *const argv[], char **ret_output, size_t *ret_len)
{
	auto_free char *variable = str_printf("HOME=%s", home);
	char *envp[] = { variable, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "PATH=/usr/bin:/bin",
		"GIT_CEILING_DIRECTORIES=/tmp", NULL };

	return run_program(argv, envp, "", 0, 1024 * 1024, 20000, ret_output, ret_len, NULL);
}

static void
it_is_read_as_git_reads_it(void **state)
{
	struct world w;
	uint32_t seed = 20240607;
	size_t read = 0, refused = 0;

	(void)state;
	if (access(GIT, X_OK) < 0)
		skip();
	world_open(&w);
	auto_free char *file = str_printf("%s/config", w.out);

	for (int i = 0; i < 400; i++) {
		char *argv[] = { GIT, "config", "-z", "--list", "-f", file, NULL };
		auto_free char *theirs = NULL, *ours = NULL;
		auto_buf struct buf text = { 0 };
		struct gitconfig config = { 0 };
		size_t theirs_len = 0, ours_len = 0;
		int r, g;

		make_file(&seed, &text);
		world_file(file, text.data);
		g = git(w.home, argv, &theirs, &theirs_len);
		r = gitconfig_parse(text.data, text.len, &config);
		if ((g == 0) != (r == 0))
			fail_msg("git %d, here %d:\n%s", g, r, text.data);
		if (r == 0) {
			ours = as_git_lists(&config, &ours_len);
			flatten(ours, ours_len);
			flatten(theirs, theirs_len);
			if (ours_len != theirs_len || memcmp(ours, theirs, ours_len) != 0)
				fail_msg("git reads '%s', here '%s':\n%s", theirs, ours, text.data);
		}
		*(r == 0 ? &read : &refused) += 1;
		gitconfig_finish(&config);
	}
	assert_true(read > 100 && refused > 30); /* both happened */
	world_close(&w);
}

/* What git really does to a repository, command by command. */
static void
gits_own_commands_are_told_apart(void **state)
{
	static const struct {
		bool plain;
		const char *words[8];
	} rows[] = { { true, { "remote", "add", "origin", "https://example.org/a.git" } },
		{ true, { "config", "branch.main.remote", "origin" } },
		{ true, { "branch", "--track", "b", "main" } },
		{ true, { "branch", "-m", "b", "c" } },
		{ true, { "branch", "--unset-upstream", "c" } },
		{ true, { "remote", "add", "-t", "x", "up", "git@example.org:b.git" } },
		{ true, { "remote", "rename", "up", "down" } },
		{ true, { "remote", "set-url", "--push", "down", "ssh://e.org/x" } },
		{ true, { "remote", "remove", "down" } },
		{ true, { "config", "user.email", "a@b" } },
		{ true, { "config", "submodule.x.active", "true" } },
		{ false, { "remote", "set-url", "origin", "/tmp/x" } },
		{ false, { "remote", "set-url", "origin", "ext::sh -c x" } },
		{ false, { "config", "core.HooksPath", "x" } },
		{ false, { "config", "alias.x", "!sh" } },
		{ false, { "config", "include.path", "x" } },
		{ false, { "config", "--unset-all", "core.hooksPath" } },
		{ false, { "config", "submodule.x.update", "!x" } } };
	auto_free char *before = NULL;
	struct world w;

	(void)state;
	if (access(GIT, X_OK) < 0)
		skip();
	world_open(&w);
	auto_free char *config = str_printf("%s/.git/config", w.root);
	char *init[] = { GIT, "init", "-q", "-b", "main", w.root, NULL };
	char *commit[] = { GIT, "-C", w.root, "-c", "user.name=x", "-c", "user.email=x", "commit",
		"-q", "--allow-empty", "-m", "x", NULL };
	auto_free char *ignored = NULL, *more = NULL;
	size_t len;

	assert_int_equal(git(w.home, init, &ignored, &len), 0);
	assert_int_equal(git(w.home, commit, &more, &len), 0);
	before = strdup(world_read(config));
	assert_true(plain("", before));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[12] = { GIT, "-C", w.root };
		auto_free char *output = NULL;
		char *after;

		for (size_t j = 0; rows[i].words[j]; j++)
			argv[3 + j] = (char *)rows[i].words[j];
		if (git(w.home, argv, &output, &len) < 0)
			fail_msg("git %s %s failed", argv[3], argv[4]);
		after = strdup(world_read(config));
		assert_string_not_equal(before, after);
		if (plain(before, after) != rows[i].plain)
			fail_msg("git %s %s %s: from\n%s\nto\n%s", argv[3], argv[4], argv[5],
				before, after);
		free(before);
		before = after;
	}
	world_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_config_that_is_too_large_is_not_plain),
		cmocka_unit_test(it_is_read_as_git_reads_it),
		cmocka_unit_test(gits_own_commands_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
