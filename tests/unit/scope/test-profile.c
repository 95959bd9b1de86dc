/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: the table is complete and opens nothing from which something is
 * run later. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ambit/tool.h>

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
		{ "copilot", "agent" },
		{ "opencode", "agent" },
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
		assert_non_null(p->args);
		assert_non_null(p->env);
		assert_true(p->text[0] != '\0');
		for (size_t j = 0; p->hosts[j]; j++)
			if (host_pattern_check(p->hosts[j]) < 0)
				fail_msg("%s: '%s' is not a host pattern", p->name, p->hosts[j]);
		for (size_t j = 0; p->env[j]; j++)
			assert_true(strchr(p->env[j], '=') > p->env[j]);
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

			assert_true(str_prefix(folder, "~/"));
			assert_true(strlen(folder) > 3);
			assert_true(folder[strlen(folder) - 1] != '/');
			assert_null(strstr(folder, "//"));
			assert_null(strstr(folder, "/./"));
			assert_null(strstr(folder, ".."));
			assert_null(strpbrk(folder, "*?["));
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
	const struct profile *codex = profile_find("codex");
	const struct profile *gemini = profile_find("gemini");

	(void)state;
	assert_string_equal(codex->args[0], "--sandbox");
	assert_string_equal(codex->args[1], "danger-full-access");
	assert_null(codex->args[2]);
	assert_string_equal(gemini->env[0], "GEMINI_SANDBOX=false");
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
		cmocka_unit_test(agents_with_a_sandbox_of_their_own_are_told_to_leave_it_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
