/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about names that programs make up for a moment, and about paths that are cut. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decide/temporary-name.h"
#include "ask/text-columns.h"
#include "base/own.h"

static void
made_up_names_are_known_by_their_look(void **state)
{
	static const struct {
		const char *name, *program;
		bool made_up;
	} rows[] = {
		{ "sedAb3xYz", "sed", true },
		{ ".#lk0x000055a5351164c0.vm.25940", "gpg", true },
		{ "sedA3b9x1", "perl", false }, /* a word as far as anybody knows */
		{ ".goutputstream-X1Y2Z3", "gedit", true },
		{ ".out.csv.Xa81bQ", "rsync", true },
		{ "tmpab12_xyz", "python3", true },
		{ "tmpmmqgattf", "python3", true }, /* chance can look like a word */
		{ "sedmmqgat", "sed", true },
		{ "XXmmqgat", "perl", true },
		{ ".out.csv.mmqgat", "rsync", true },
		{ ".out.csv.backup", "sh", false },
		{ ".backup", "rsync", false },
		{ "out.csv.backup", "rsync", false },
		{ "tmp.q8Zk2LmN0a", "mktemp", true },
		{ "claude.json.tmp.4120.1f3c9a", "claude", true },
		{ "settings.json.tmp.99", "node", true },
		{ "config.lock", "git", true },
		{ "f.tmp", "python3", true },
		{ "package.json.1804289383", "node", true },
		{ "XXab3xYz", "perl", true },
		{ "notes.2024", "sh", false },
		{ "out.csv", "deploy", false },
		{ "README.backup", "sh", false },
		{ "photo.test123", "sh", false },
		{ "gitignore", "git", false },
		{ "gitconfig", "git", false },
		{ "tmpfiles", "sh", false },
		{ "notes.tmp.txt", "sh", false },
		{ "v20231101", "sh", false },
		{ "Makefile", "make", false },
		{ "x.Makefile2", "make", false },
		{ "", NULL, false },
		{ ".", "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (temporary_name(rows[i].name, rows[i].program) != rows[i].made_up)
			fail_msg("%s of %s", rows[i].name, rows[i].program);
}

static void
paths_are_cut_in_their_middle_and_keep_the_last_name(void **state)
{
	static const struct {
		const char *path;
		size_t columns;
		const char *cut;
	} rows[] = {
		{ "~/a/b/c", 7, "~/a/b/c" },
		{ "~/alpha/beta/gamma/delta", 20, "~/alpha/.../delta" },
		{ "~/alpha/beta/gamma/delta", 23, "~/alpha/.../gamma/delta" },
		{ "/usr/lib/x/y/z", 10, "/usr/.../z" },
		{ "src/deep/down/file.c", 15, "src/.../file.c" },
		{ ".git/deep/down/file.c", 15, ".git/.../file.c" },
		{ "./~/deep/down/file.c", 15, "./~/.../file.c" },
		/* There is no middle, or the last name alone is too long. */
		{ "/e/hosts", 3, "/e/hosts" },
		{ "~/a-long-name", 5, "~/a-long-name" },
		{ "name", 2, "name" },
		{ "", 0, "" },
		{ "~/a/b/a-name-that-is-too-long", 10, ".../a-name-that-is-too-long" },
		{ "~/alpha/beta/a-name-that-is-too-long", 10, ".../a-name-that-is-too-long" },
		/* The first name goes before the last. */
		{ "~/alpha/beta/delta", 14, "~/.../delta" },
		{ "/alpha/beta/delta", 12, "/.../delta" },
		{ "alpha/beta/delta", 12, ".../delta" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *cut = text_cut_path(rows[i].path, rows[i].columns);

		assert_non_null(cut);
		assert_string_equal(cut, rows[i].cut);
	}
	assert_int_equal(text_columns("gr\u00fcn"), 5);
}

static void
a_last_name_that_is_too_wide_is_cut_and_known_by_both_ends(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
		const char *cut;
	} rows[] = {
		{ "all of ~/data", 40, "all of ~/data" },
		{ "all of .../a-folder-with-a-long-name", 26, "all of .../a-fold...g-name" },
		{ "a-command-with-a-long-name", 13, "a-com...-name" },
		/* A character is whole or is left out. */
		{ "/\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc", 10, "/\u00fc...\u00fc" },
		{ "'~/a/long/path/to/a/tool'", 13, "'~/a/...tool'" },
		{ "/name", 1, "..." },
		{ "", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *cut = text_cut_name(rows[i].text, rows[i].columns);

		assert_non_null(cut);
		assert_string_equal(cut, rows[i].cut);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_up_names_are_known_by_their_look),
		cmocka_unit_test(paths_are_cut_in_their_middle_and_keep_the_last_name),
		cmocka_unit_test(a_last_name_that_is_too_wide_is_cut_and_known_by_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
