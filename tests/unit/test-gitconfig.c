/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about a repository's config: it is read as git reads it, and only
 * what git's everyday work writes may change unasked. git itself is the judge
 * of the reading, on files made by chance from the pieces that matter. */

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

static void
assert_plain(const char *old, const char *new)
{
	const char *why = NULL;

	if (!gitconfig_plain_at(NULL, old, strlen(old), new, strlen(new), &why))
		fail_msg("%s, from:\n%s\nto:\n%s", why, old, new);
}

static void
assert_not_plain(const char *old, const char *new)
{
	if (plain(old, new))
		fail_msg("plain, from:\n%s\nto:\n%s", old, new);
}

#define INIT                                                                                       \
	"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"               \
	"\tlogallrefupdates = true\n"
#define ORIGIN                                                                                     \
	"[remote \"origin\"]\n\turl = https://example.org/a.git\n"                                 \
	"\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
#define MAIN "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"

/* -- what is plain ------------------------------------------------------------ */

static void
everyday_work_is_plain(void **state)
{
	static const char *const more[] = { "", ORIGIN, ORIGIN MAIN, MAIN ORIGIN,
		"[remote \"o\"]\n\turl = git@example.org:a/b.git\n",
		"[remote \"o\"]\n\turl = ssh://git@example.org:22/a\n\tpushurl = https://e.org/b\n",
		"[remote \"o\"]\n\turl = /srv/git/a\n", "[remote \"o\"]\n\turl = ../a\n",
		"[remote \"o\"]\n\turl = file:///srv/a\n\ttagOpt = --no-tags\n\tprune\n",
		"[remote \"o\"]\n\turl = https://e.org/b ; said so\n\tmirror = true\n",
		"[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/y\n\trebase = merges\n",
		"[branch \"x\"]\n\tdescription = \"one\\ntwo\\n\"\n",
		"[submodule \"lib/a\"]\n\tactive = true\n\turl = https://e.org/a\n",
		"[submodule \"a\"]\n\tupdate = checkout\n\tbranch = main\n",
		"[submodule]\nactive = .\n",
		"[user]\n\tname = A \"B\" C\n\temail = a@example.org\n",
		"[extensions]\n\tobjectFormat = sha256\n\trefStorage = reftable\n",
		"[extensions]\n\tworktreeConfig = true\n[core]\nsparseCheckout = true\n",
		"[CORE]\nFileMode=false\nsymlinks\n", "# only words\n; more of them \\\n",
		"[Branch \"Main\"]\r\nRemote = .\r\n", "[branch.old] remote = .\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		auto_free char *text = str_printf("%s%s", INIT, more[i]);

		assert_plain("", text);
		assert_plain(INIT, text);
		assert_plain(text, text);
		if (!strstr(text, "url"))
			assert_plain(text, INIT);
	}
	assert_plain("", "");
	assert_true(gitconfig_plain_at(NULL, NULL, 0, NULL, 0, NULL));
	assert_plain(INIT ORIGIN MAIN,
		INIT "[remote \"new\"]\n\turl = https://example.org/a.git\n" MAIN);
}

/* It is about where it points, and taken away it points nowhere. */
static bool
only_points(const char *value)
{
	static const char *const places[] = { "/srv/a", "nosuch", "./evil.git", "/evil",
		"https://e.org/x", "../x" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (streq(value, places[i]))
			return true;
	return false;
}

/* Each of these by itself, in several spellings of the section and the key. */
static void
whatever_can_run_a_program_is_not_plain(void **state)
{
	static const struct {
		const char *section, *sub, *key, *value;
	} rows[] = { { "core", NULL, "hooksPath", "/tmp/h" }, { "core", NULL, "fsmonitor", "x" },
		{ "core", NULL, "sshCommand", "x" }, { "core", NULL, "editor", "x" },
		{ "core", NULL, "pager", "x" }, { "core", NULL, "askPass", "x" },
		{ "core", NULL, "gitProxy", "x" }, { "core", NULL, "worktree", "/tmp" },
		{ "core", NULL, "attributesFile", "x" }, { "core", NULL, "excludesFile", "x" },
		{ "core", NULL, "alternateRefsCommand", "x" }, { "core", "x", "bare", "true" },
		{ "core", NULL, "protectHFS", "false" }, { "alias", NULL, "st", "!sh" },
		{ "filter", "x", "clean", "sh" }, { "filter", "x", "process", "sh" },
		{ "diff", "x", "command", "sh" }, { "diff", "x", "textconv", "sh" },
		{ "diff", NULL, "external", "sh" }, { "merge", "x", "driver", "sh" },
		{ "mergetool", "x", "cmd", "sh" }, { "credential", NULL, "helper", "!sh" },
		{ "credential", "https://e.org", "helper", "!sh" },
		{ "include", NULL, "path", "x" }, { "includeIf", "gitdir:/", "path", "x" },
		{ "url", "ext::sh -c x", "insteadOf", "https://e.org" },
		{ "url", "x", "pushInsteadOf", "y" }, { "protocol", NULL, "allow", "always" },
		{ "protocol", "ext", "allow", "always" }, { "gpg", NULL, "program", "sh" },
		{ "gpg", "ssh", "program", "sh" }, { "http", NULL, "proxy", "x" },
		{ "http", "https://e.org", "sslVerify", "false" },
		{ "sequence", NULL, "editor", "x" }, { "remote", "o", "vcs", "ext" },
		{ "remote", "o", "uploadpack", "sh" }, { "remote", "o", "receivepack", "sh" },
		{ "remote", "o", "proxy", "x" }, { "remote", NULL, "pushDefault", "x" },
		{ "remote", NULL, "url", "https://e.org" },
		{ "remote", "o", "url", "ext::sh -c x" },
		{ "remote", "o", "url", "--upload-pack=x" }, { "remote", "o", "url", "foo://x" },
		{ "remote", "o", "url", "a::b" }, { "remote", "o", "url", "HTTPS://e.org" },
		{ "remote", "o", "url", "ssh://-oX=y/a" }, { "remote", "o", "url", "u@-oX=y:a" },
		{ "remote", "o", "url", "https://e.org\\nx" }, { "remote", "o", "url", "" },
		{ "remote", "o", "pushurl", "/srv/a" }, { "remote", "o", "pushurl", "fd::17" },
		{ "branch", "m", "remote", "nosuch" },
		{ "remote", "/srv/a", "url", "https://e.org" },
		{ "branch", "m", "remote", "./evil.git" }, { "branch", "m", "pushRemote", "/evil" },
		{ "branch", "m", "remote", "https://e.org/x" },
		{ "branch", "m", "remote", "ext::sh -c x" },
		{ "branch", "m", "mergeOptions", "-s x" }, { "branch", NULL, "remote", "." },
		{ "branch", "m", "rebase", "a b" }, { "submodule", "s", "update", "!sh" },
		{ "submodule", "s", "update", " !sh" }, { "submodule", "s", "url", "ext::sh" },
		{ "core", NULL, "worktree", "../../../s" },
		{ "submodule", "../../x", "url", "https://e.org" },
		{ "submodule", "s", "path", "x" }, { "submodule", NULL, "recurse", "true" },
		{ "user", NULL, "signingKey", "x" }, { "user", "x", "name", "y" },
		{ "user", NULL, "name", "a\\nb" }, { "extensions", NULL, "partialClone", "o" },
		{ "extensions", NULL, "refStorage", "files:///tmp" },
		{ "uploadpack", NULL, "packObjectsHook", "x" },
		{ "receive", NULL, "denyCurrentBranch", "x" }, { "gc", NULL, "auto", "0" },
		{ "safe", NULL, "directory", "*" }, { "interactive", NULL, "diffFilter", "x" },
		{ "pager", NULL, "log", "x" }, { "man", "x", "cmd", "x" },
		{ "browser", "x", "cmd", "x" }, { "trailer", "x", "command", "x" },
		{ "fsck", NULL, "skipList", "x" }, { "core.hookspath", NULL, "x", "y" },
		{ "unknown", NULL, "key", "value" }, { "x", "core", "bare", "true" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int how = 0; how < 6; how++) {
			auto_free char *sub =
				rows[i].sub ? str_printf(" \"%s\"", rows[i].sub) : strdup("");
			auto_free char *upper = strdup(rows[i].section);
			auto_free char *text = NULL;

			for (char *c = upper; how == 1 && *c; c++)
				*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
			text = str_printf(how == 2   ? "%s[%s%s] %s = \"%s\"\n"
					  : how == 3 ? "%s[%s%s]\n%s \t=\\\n%s\n"
					  : how == 4 ? "%s[%s%s]\r\n%s=%s # x\r\n"
					  : how == 5 ? "%s[%s%s]#c\n\n ;c\n%s = \"\"%s"
						     : "%s[%s%s]\n\t%s = %s\n",
				INIT ORIGIN, upper, sub, rows[i].key, rows[i].value);
			assert_not_plain(INIT ORIGIN, text);
			/* There before, it may stay; but taken away it is asked. */
			if (!only_points(rows[i].value))
				assert_not_plain(text, INIT ORIGIN);
			assert_plain(text, text);
		}
	}
}

static void
what_was_there_before_may_stay_if_it_stays_as_it_is(void **state)
{
#define OLD "[core]\n\thooksPath = .husky\n[alias]\n\ta = !b\n\ta = !c\n"
	(void)state;
	assert_plain(OLD, OLD MAIN ORIGIN);
	assert_plain(OLD MAIN, "[alias \"\"]\n" OLD "[user]\nname = x\n");
	assert_plain(OLD, "[core] HOOKSPATH = \".husky\"\n[alias]\na=!b # x\na=\"!c\"");
	assert_not_plain(OLD, "[core]\n\thooksPath = .husky\n[alias]\n\ta = !c\n\ta = !b\n");
	assert_not_plain(OLD, "[core]\n\thooksPath = .husky\n[alias]\n\ta = !b\n");
	assert_not_plain(OLD, OLD "[alias]\n\ta = !b\n");
	assert_not_plain(OLD, "[alias]\n\ta = !b\n\ta = !c\n[core]\n\thooksPath = .husky\n");
	assert_not_plain(OLD, "[core]\n\thooksPath\n[alias]\n\ta = !b\n\ta = !c\n");
	assert_not_plain("[core]\n\thooksPath\n", "[core]\n\thooksPath =\n");
	assert_not_plain("[alias]\na = x\ty\n", "[alias]\na = x y\n");
	/* Another value behind it, or its removal, changes which one counts. */
	assert_not_plain("[submodule \"s\"]\nupdate = !x\nupdate = none\n",
		"[submodule \"s\"]\nupdate = !x\n");
	assert_not_plain(ORIGIN "[remote \"o\"]\nurl = ext::x\nurl = https://e.org\n",
		ORIGIN "[remote \"o\"]\nurl = https://e.org\nurl = ext::x\n");
	assert_plain(ORIGIN "[remote \"o\"]\nurl = ext::x\n",
		ORIGIN MAIN "[remote \"o\"]\nurl = ext::x\n");
}

static void
a_push_is_not_led_to_a_repository_on_this_machine(void **state)
{
	static const char *const near[] = { "/tmp/evil.git", "evil.git", "./evil.git", "../x:y/z",
		"file:///tmp/evil.git", "file://localhost/tmp/evil.git", "~/x" };

	(void)state;
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
		auto_free char *first = str_printf("%s[remote \"o\"]\n\turl = %s\n", INIT, near[i]);
		auto_free char *second =
			str_printf("%s%s[remote \"o\"]\n\turl = %s\n", INIT, ORIGIN, near[i]);

		assert_plain(INIT, first); /* a local clone */
		assert_not_plain(INIT ORIGIN, second);
		assert_not_plain(INIT ORIGIN, first);
	}
	/* Without an address, its name is one. */
	assert_not_plain(INIT, INIT "[remote \"new\"]\n\tfetch = x\n");
	/* and not in two steps either */
	assert_not_plain(INIT ORIGIN, INIT);
	assert_plain(INIT ORIGIN "[remote \"b\"]\nurl = https://e.org\n", INIT ORIGIN);
}

static void
a_remote_may_get_another_name(void **state)
{
	(void)state;
	assert_plain(INIT "[remote \"o\"]\nurl = ./near\n", INIT "[remote \"p\"]\nurl = ./near\n");
	assert_not_plain(
		INIT "[remote \"o\"]\nurl = ./near\n", INIT "[remote \"o\"]\nurl = ./other\n");
}

/* Its address may be near, as long as nobody else's changes. */
static void
a_submodule_may_come_from_here(void **state)
{
	(void)state;
	assert_plain(INIT ORIGIN, INIT ORIGIN "[submodule \"s\"]\nurl = /srv/s\nactive = true\n");
	assert_not_plain(
		"[submodule \"s\"]\nurl = https://e.org\n", "[submodule \"s\"]\nurl = ../s\n");
}

static bool
is_worktree(const char *place, const char *value)
{
	auto_free char *text = str_printf("%s\tworktree = %s\n", INIT, value);

	return gitconfig_plain_at(place, INIT, strlen(INIT), text, strlen(text), NULL);
}

static void
a_submodules_files_are_in_the_work_tree(void **state)
{
	static const struct {
		const char *place, *value;
		bool plain;
	} rows[] = { { "/r/.git/modules/s/config", "../../../s", true },
		{ "/r/.git/modules/s/config", "../../../d/s", true },
		{ "/r/.git/modules/d/s/config", "../../../../d/s", true },
		{ "/r/.git/modules/s/modules/t/config", "../../../../../s/t", true },
		{ "/r/.git/modules/s/config.worktree", "../../../s", true },
		{ "/r/.git/modules/s/config", "../../../../s", false },
		{ "/r/.git/modules/s/config", "../../s", false },
		{ "/r/.git/modules/s/config", "../../../", false },
		{ "/r/.git/modules/s/config", "../../../s/../..", false },
		{ "/r/.git/modules/s/config", "../../../.git/hooks", false },
		{ "/r/.git/modules/s/config", "../../../d/.GIT", false },
		{ "/r/.git/modules/s/config", "../../../d//s", false },
		{ "/r/.git/modules/s/config", "../../../d/.", false },
		{ "/r/.git/modules/s/config", "/", false },
		{ "/r/.git/modules/config", "../../s", false }, { "/r/.git/config", "../s", false },
		{ NULL, "../../../s", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_worktree(rows[i].place, rows[i].value) != rows[i].plain)
			fail_msg("%s: %s", rows[i].place ? rows[i].place : "-", rows[i].value);
}

static void
a_gitmodules_says_where_submodules_are(void **state)
{
	static const char *const plain_texts[] = { "",
		"[submodule \"s\"]\n\tpath = s\n\turl = https://e.org/s\n",
		"[submodule \"s\"]\npath = d/s\nurl = ../s\nbranch = main\nshallow = true\n",
		"[submodule \"d/s\"]\npath = d/s\nurl = /srv/s\nupdate = none\nignore = dirty\n" };
	static const char *const others[] = { "[submodule \"s\"]\nupdate = !x\n",
		"[submodule \"s\"]\nurl = ext::x\n", "[submodule \"s\"]\nurl = -x\n",
		"[submodule \"s\"]\npath = -x\n", "[submodule \"s\"]\npath = ../x\n",
		"[submodule \"s\"]\npath = /x\n", "[submodule \"s\"]\npath = a/.git\n",
		"[submodule \"../x\"]\npath = x\n", "[core]\nbare = true\n", "[submodule \"s\"",
		"[alias]\nx = !y\n", "[include]\npath = x\n" };
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(plain_texts) / sizeof(plain_texts[0]); i++)
		if (!gitmodules_plain(plain_texts[i], strlen(plain_texts[i]), &why) || why)
			fail_msg("%s:\n%s", why, plain_texts[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (gitmodules_plain(others[i], strlen(others[i]), &why) || !why)
			fail_msg("plain:\n%s", others[i]);
}

static void
an_include_that_waits_for_an_address_is_not_woken(void **state)
{
#define WAITS "[includeIf \"hasconfig:remote.*.url:https://x/**\"]\npath = x\n"
	(void)state;
	assert_not_plain(WAITS, WAITS ORIGIN);
	assert_plain(WAITS, WAITS "# nothing\n");
	assert_plain("[includeIf \"gitdir:x\"]\npath = x\n",
		"[includeIf \"gitdir:x\"]\npath = x\n" ORIGIN);
}

static void
what_cannot_be_read_is_not_plain(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = { { "[core", 5 }, { "[core]\nbare = \"x\n", 17 }, { "[]\nx = y\n", 9 },
		{ "x = y\n", 6 }, { "[a b]\n", 6 }, { "[a \"b\" ]\n", 9 }, { "[a \"b\n\"]\n", 9 },
		{ "[a]\nb c\n", 8 }, { "[a]\nb = \\x\n", 11 }, { "[a]\n1b = c\n", 11 },
		{ "[a]\nb_c = d\n", 12 }, { "[a]\n=\n", 6 }, { "[a_b]\n", 6 },
		{ "\xef\xbb\xbf[user]\nname = x\n", 19 }, { "[user]\nname = x\0y\n", 18 },
		{ "[user]\nname = x\ry\n", 18 }, { "[user]\nname = x\r", 16 }, { "# \0\n", 4 },
		{ "[user]\n\fname = x\n", 17 }, { "[user]\nname\v = x\n", 17 } };
	auto_free char *many = malloc(GITCONFIG_MAX + 2);
	struct buf entries = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *why = NULL;

		assert_false(gitconfig_plain_at(NULL, "", 0, rows[i].text, rows[i].len, &why));
		assert_non_null(why);
		assert_false(gitconfig_plain_at(
			NULL, rows[i].text, rows[i].len, INIT, strlen(INIT), NULL));
		assert_false(gitconfig_plain_at(
			NULL, rows[i].text, rows[i].len, rows[i].text, rows[i].len, NULL));
	}
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
	assert_plain("", before);
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
		cmocka_unit_test(everyday_work_is_plain),
		cmocka_unit_test(whatever_can_run_a_program_is_not_plain),
		cmocka_unit_test(what_was_there_before_may_stay_if_it_stays_as_it_is),
		cmocka_unit_test(a_push_is_not_led_to_a_repository_on_this_machine),
		cmocka_unit_test(a_remote_may_get_another_name),
		cmocka_unit_test(a_submodule_may_come_from_here),
		cmocka_unit_test(a_submodules_files_are_in_the_work_tree),
		cmocka_unit_test(a_gitmodules_says_where_submodules_are),
		cmocka_unit_test(an_include_that_waits_for_an_address_is_not_woken),
		cmocka_unit_test(what_cannot_be_read_is_not_plain),
		cmocka_unit_test(it_is_read_as_git_reads_it),
		cmocka_unit_test(gits_own_commands_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
