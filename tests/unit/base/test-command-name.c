/* SPDX-License-Identifier: Apache-2.0 */
/* The names of programs, from their files and words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/command-name.h"
#include "base/str.h"

/* What runs is known by its file, and by the script of an interpreter. */
static void
a_program_is_known_by_its_file_or_script(void **state)
{
	static const struct {
		const char *exe, *words[6], *first, *second;
	} rows[] = {
		{ "/opt/a/codex", { "codex", "exec" }, "codex", "" },
		{ "/opt/a/claude.exe", { "claude" }, "claude", "claude" },
		{ "/usr/bin/node", { "node", "/usr/bin/npm", "ci" }, "node", "npm" },
		{ "/usr/bin/node", { "npm ci" }, "node", "npm" },
		{ "/usr/bin/node", { "node", "--max-old-space-size=1", "-r", "x", "/b/gemini" },
			"node", "gemini" },
		{ "/usr/bin/node", { "node", "/l/npm/bin/npm-cli.js", "ci" }, "node", "npm-cli" },
		{ "/usr/bin/node", { "node", "/n/@q/qwen-code/dist/cli.js" }, "node", "qwen-code" },
		{ "/usr/bin/node", { "node", "/n/copilot/index.js", "x" }, "node", "copilot" },
		{ "/usr/bin/node", { "node", "cli.js" }, "node", "cli" },
		{ "/usr/bin/node", { "node", "/index.js" }, "node", "index" },
		{ "/usr/bin/node", { "node", " -e", "npm" }, "node", "" },
		{ "/usr/bin/node", { "node", "-e --eval", "/b/npm" }, "node", "npm" },
		{ "/usr/bin/node", { "node", " ", "x" }, "node", "" },
		{ "/j/java", { "java", " ", "x" }, "java", "" },
		{ "/usr/bin/node", { "node", "", "x" }, "node", "" },
		{ "/usr/bin/node", { "node", "-e", "npm" }, "node", "" },
		{ "/usr/bin/nodejs", { "nodejs", "/b/codex.js" }, "nodejs", "codex" },
		{ "/usr/bin/python3.13", { "python3", "-m", "pip", "install" }, "python3.13",
			"pip" },
		{ "/usr/bin/python3.13", { "python3", "-u", "-X", "dev", "/b/pip3" }, "python3.13",
			"pip3" },
		{ "/usr/bin/python3.13", { "python3", "-c", "npm" }, "python3.13", "" },
		{ "/bin/dash", { "/bin/sh", "/usr/bin/mvn", "x" }, "dash", "mvn" },
		{ "/bin/bash", { "bash", "-c", "npm ci" }, "bash", "" },
		{ "/bin/bash", { "bash", "--norc", "./gradlew" }, "bash", "gradlew" },
		{ "/j/java",
			{ "java", "-Xmx1g", "-cp", "/a.jar", "org.gradle.launcher.GradleMain" },
			"java", "org.gradle.launcher.GradleMain" },
		{ "/x/nodemon", { "nodemon", "npm" }, "nodemon", "" },
		{ NULL, { "/x/cargo", "build" }, "cargo", "" },
		{ NULL, { NULL }, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const *words = (char *const *)rows[i].words;
		struct command_name name;

		command_name_find(rows[i].exe, words, strv_len(words), &name);
		assert_string_equal(name.file, rows[i].first);
		assert_string_equal(name.script, rows[i].second);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_known_by_its_file_or_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
