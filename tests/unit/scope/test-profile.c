/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: the table is complete and opens nothing from which something is
 * run later. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ambit/tool.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "request/host.h"
#include "scope/profile.h"

static void
every_promised_profile_is_there(void **state)
{
	static const struct {
		const char *name, *kind;
	} promised[] = {
		{ "claude", "agent" },
		{ "codex", "agent" },
		{ "gemini", "agent" },
		{ "qwen", "agent" },
		{ "copilot", "agent" },
		{ "opencode", "agent" },
		{ "pi", "agent" },
		{ "npm", "cache" },
		{ "pnpm", "cache" },
		{ "yarn", "cache" },
		{ "pip", "cache" },
		{ "uv", "cache" },
		{ "cargo", "cache" },
		{ "go", "cache" },
		{ "ccache", "cache" },
		{ "gradle", "cache" },
		{ "maven", "cache" },
	};
	const struct profile *profile;
	size_t n = sizeof(promised) / sizeof(promised[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		profile = profile_find(promised[i].name);
		assert_non_null(profile);
		assert_string_equal(profile->kind, promised[i].kind);
	}
	assert_non_null(profile_at(n - 1));
	assert_null(profile_at(n));
	assert_null(profile_find("Claude"));
	assert_null(profile_find(""));
}

static void
every_row_is_whole_and_unique(void **state)
{
	const struct profile *p;

	(void)state;
	for (size_t i = 0; (p = profile_at(i)); i++) {
		assert_ptr_equal(profile_find(p->name), p);
		assert_non_null(p->folders[0]);
		assert_non_null(p->commands[0]);
		assert_non_null(p->hosts);
		assert_non_null(p->adds);
		assert_true(p->text[0] != '\0');
		for (size_t j = 0; p->hosts[j]; j++)
			if (host_pattern_check(p->hosts[j]) < 0)
				fail_msg("%s: '%s' is not a host pattern", p->name, p->hosts[j]);
		for (const struct profile_add *add = p->adds; add->args || add->env; add++)
			assert_true(!add->env || strchr(add->env, '=') > add->env);
	}
}

/* What runs later, or opens doors: none of it may lie in what is opened, and
 * nothing may be opened inside it. */
static void
no_profile_opens_what_runs_later(void **state)
{
	static const char *const guarded[] = { "~/.ssh", "~/bin", "~/.local/bin", "~/.cargo/bin",
		"~/.cargo/config.toml", "~/.cargo/env", "~/go/bin", "~/.config/go/env",
		"~/.config/systemd", "~/.config/autostart", "~/.config/git", "~/.bashrc",
		"~/.profile", "~/.zshrc", "~/.gnupg", "~/.netrc", "~/.npmrc", "~/.yarn/bin",
		"~/.yarnrc.yml", "~/.local/share/pnpm/pnpm", "~/.gradle/init.d",
		"~/.gradle/init.gradle", "~/.gradle/gradle.properties", "~/.m2/settings.xml",
		"~/.config/pip", "~/.config/uv", "~/.local/share/uv", "~/.config/ccache",
		"~/.ccache", "~/.local/share/applications", "~/.local/lib", "~/.config/ambit",
		"~/.local/state/ambit" };
	const struct profile *p;

	(void)state;
	for (size_t i = 0; (p = profile_at(i)); i++)
		for (size_t j = 0; p->folders[j]; j++)
			for (size_t k = 0; k < sizeof(guarded) / sizeof(guarded[0]); k++)
				if (str_beneath(guarded[k], p->folders[j]) ||
					str_beneath(p->folders[j], guarded[k]))
					fail_msg("%s opens %s: see %s", p->name, p->folders[j],
						guarded[k]);
}

static void
every_folder_is_a_plain_path_below_home(void **state)
{
	const struct profile *p;

	(void)state;
	for (size_t i = 0; (p = profile_at(i)); i++)
		for (size_t j = 0; p->folders[j]; j++) {
			const char *folder = p->folders[j];

			assert_true(str_prefix(folder, "~/") ||
				    str_prefix(folder, "$XDG_RUNTIME_DIR/"));
			assert_true(strlen(strchr(folder, '/')) > 2);
			assert_true(folder[strlen(folder) - 1] != '/');
			assert_null(strstr(folder, "//"));
			assert_null(strstr(folder, "/./"));
			assert_null(strstr(folder, ".."));
			assert_null(strpbrk(folder, "?["));
			/* a pattern is the end of a long name of its own */
			if (strchr(folder, '*')) {
				assert_ptr_equal(strchr(folder, '*'), folder + strlen(folder) - 1);
				assert_true(strlen(strrchr(folder, '/')) > 8);
			}
			/* not a directory that others keep their things in, too */
			assert_false(streq(folder, "~/.config"));
			assert_false(streq(folder, "~/.cache"));
			assert_false(streq(folder, "~/.local"));
			assert_false(streq(folder, "~/.local/share"));
			assert_false(streq(folder, "~/.local/state"));
		}
}

static void
agents_with_a_sandbox_of_their_own_are_told_to_leave_it_off(void **state)
{
	static const struct {
		const char *profile, *words[4], *env, *added, *said;
	} rows[] = {
		{ "codex", { "exec" }, NULL, "--sandbox danger-full-access --no-daemon", NULL },
		{ "codex", { "exec", "--", "-s" }, NULL, "--sandbox danger-full-access --no-daemon",
			NULL },
		{ "codex", { "-s", "read-only" }, NULL, "--no-daemon", " -s, so ambit does not" },
		{ "codex", { "exec", "--sandbox=workspace-write" }, NULL, "--no-daemon",
			" --sandbox=workspace-write, so ambit does not" },
		{ "codex", { "-c", "sandbox_mode=read-only" }, NULL, "--no-daemon",
			" sandbox_mode=read-only, so ambit does not" },
		{ "codex", { "--no-daemon" }, NULL, "--sandbox danger-full-access", NULL },
		{ "codex", { "--full-auto", "--no-daemon" }, NULL, "",
			" --full-auto, so ambit does not" },
		{ "gemini", { "-p", "x" }, NULL, "GEMINI_SANDBOX=false", NULL },
		{ "gemini", { "--sandbox" }, NULL, "", " --sandbox, so ambit does not" },
		{ "gemini", { NULL }, "GEMINI_SANDBOX=docker", "",
			" GEMINI_SANDBOX=docker, so ambit does not" },
		{ "claude", { "--settings", "x" }, NULL, "", " --settings, so ambit does not" },
		{ "claude", { "--setting-sources" }, NULL,
			"--settings {\"sandbox\":{\"enabled\":false},"
			"\"disableDeepLinkRegistration\":\"disable\"}",
			NULL },
		{ "npm", { "ci" }, NULL, "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const *words = (char *const *)rows[i].words;
		char *envp[] = { "A=b", (char *)rows[i].env, NULL };
		struct profile_added added;
		auto_buf struct buf list = { 0 };

		assert_int_equal(profile_added_find(profile_find(rows[i].profile), words,
					 strv_len(words), envp, &added),
			0);
		for (char **word = added.list; word && *word; word++)
			buf_printf(&list, "%s%s", list.len > 0 ? " " : "", *word);
		assert_string_equal(list.len > 0 ? list.data : "", rows[i].added);
		if (!rows[i].said)
			assert_null(added.said);
		else if (!added.said || !strstr(added.said[0], rows[i].said))
			fail_msg("row %zu: %s", i, added.said ? added.said[0] : "nothing is said");
		profile_added_finish(&added);
	}
}

static void
the_program_of_a_command_line_is_behind_env(void **state)
{
	static const struct {
		const char *words[5];
		size_t at;
	} rows[] = {
		{ { "codex" }, 0 },
		{ { "env", "X=1", "codex", "Y=2" }, 2 },
		{ { "/usr/bin/env", "A_B=", "C3=x", "claude" }, 3 },
		{ { "env", "codex" }, 1 },
		{ { "env", "X=1" }, 0 },
		{ { "env", "-i", "codex" }, 0 },
		{ { "env", "3X=1", "codex" }, 1 },
		{ { "nohup", "codex" }, 1 },
		{ { "setsid", "-w", "codex" }, 0 },
		{ { "sh", "-c", "codex" }, 0 },
		{ { NULL }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const *words = (char *const *)rows[i].words;

		assert_int_equal(profile_program_word(words, strv_len(words)), rows[i].at);
	}
}

static void
a_command_finds_its_profile_by_its_last_component(void **state)
{
	static const struct {
		const char *command, *profile;
	} rows[] = {
		{ "claude", "claude" },
		{ "/opt/x/claude", "claude" },
		{ "codex", "codex" },
		{ "gemini", "gemini" },
		{ "opencode", "opencode" },
		{ "npm", "npm" },
		{ "npx", "npm" },
		{ "pnpm", "pnpm" },
		{ "yarn", "yarn" },
		{ "pip", "pip" },
		{ "pip3", "pip" },
		{ "uv", "uv" },
		{ "uvx", "uv" },
		{ "cargo", "cargo" },
		{ "go", "go" },
		{ "./gradlew", "gradle" },
		{ "gradle", "gradle" },
		{ "mvn", "maven" },
		{ "maven", NULL },
		{ "npm ", NULL },
		{ "NPM", NULL },
		{ "npm/", NULL },
		{ "", NULL },
		{ "bash", NULL },
	};
	const struct profile *p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = profile_for(rows[i].command);
		if (!rows[i].profile)
			assert_null(p);
		else
			assert_ptr_equal(p, profile_find(rows[i].profile));
	}
	/* No command is claimed by two. */
	for (size_t i = 0; (p = profile_at(i)); i++)
		for (size_t j = 0; p->commands[j]; j++)
			assert_ptr_equal(profile_for(p->commands[j]), p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_promised_profile_is_there),
		cmocka_unit_test(every_row_is_whole_and_unique),
		cmocka_unit_test(no_profile_opens_what_runs_later),
		cmocka_unit_test(every_folder_is_a_plain_path_below_home),
		cmocka_unit_test(a_command_finds_its_profile_by_its_last_component),
		cmocka_unit_test(the_program_of_a_command_line_is_behind_env),
		cmocka_unit_test(agents_with_a_sandbox_of_their_own_are_told_to_leave_it_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
