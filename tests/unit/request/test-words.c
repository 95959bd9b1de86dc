/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary is whole, and zero means no. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ambit/tool.h>
#include <ambit/words.h>

#include "request/answers.h"
#include "request/tool-table.h"

static const struct ambit_word *const tables[] = { ambit_verdicts, ambit_permissions, ambit_codes,
	ambit_dangers, ambit_effects, ambit_agent_modes, ambit_sandbox_modes, ambit_ask_modes,
	ambit_reads_words, ambit_nets, ambit_accesses, ambit_ops, ambit_answers };

static void
every_word_is_found_under_its_name_and_has_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct ambit_word *w = tables[i]; w->name; w++) {
			assert_ptr_equal(ambit_word_find(tables[i], w->name), w);
			assert_non_null(w->text);
			if (tables[i] == ambit_codes && w->value == AMBIT_CODE_NONE)
				continue;
			assert_true(w->name[0] && w->text[0]);
		}
}

static void
every_code_has_its_exact_name_and_a_hint(void **state)
{
	static const char *const names[AMBIT_CODE_N] = { "Internal", "", "OutOfScope",
		"BashNotAllowed", "Denied", "PlanMode", "ReadOnly", "Unresolvable", "SymlinkEscape",
		"Protected", "Guarded", "GuardedRead", "Outside", "HostNotAllowed", "UnknownTool",
		"BadArguments", "Timeout", "LoopDetected" };

	(void)state;
	for (int i = 0; i < AMBIT_CODE_N; i++)
		assert_string_equal(ambit_word_name(ambit_codes, i), names[i]);
	assert_string_equal(ambit_word_find(ambit_codes, "OutOfScope")->text,
		"Leave it, finish what is inside, and report it to the parent in your summary.");
}

static void
zero_is_the_strictest_word(void **state)
{
	(void)state;
	assert_string_equal(ambit_word_name(ambit_verdicts, 0), "deny");
	assert_string_equal(ambit_word_name(ambit_permissions, 0), "deny");
	assert_string_equal(ambit_word_name(ambit_dangers, 0), "dangerous");
	assert_string_equal(ambit_word_name(ambit_agent_modes, 0), "plan");
	assert_string_equal(ambit_word_name(ambit_sandbox_modes, 0), "read-only");
	assert_string_equal(ambit_word_name(ambit_ask_modes, 0), "ask-any-write");
	assert_string_equal(ambit_word_name(ambit_reads_words, 0), "folder");
	assert_string_equal(ambit_word_name(ambit_nets, 0), "none");
	assert_string_equal(ambit_word_name(ambit_answers, 0), "no");
}

static void
every_answer_has_a_key_of_its_own_and_words_for_people(void **state)
{
	static const char keys[] = "nNysda";

	(void)state;
	for (const struct ambit_word *w = ambit_answers; w->name; w++) {
		const struct answer_row *row = &answer_rows[w->value];

		assert_int_equal(row->key, keys[w->value]);
		assert_true(row->label && row->label[0]);
	}
}

static void
an_alias_is_read_and_the_first_name_is_written(void **state)
{
	(void)state;
	assert_int_equal(ambit_word_find(ambit_sandbox_modes, "workspace-write")->value,
		AMBIT_DEFAULT_WRITE);
	assert_string_equal(
		ambit_word_name(ambit_sandbox_modes, AMBIT_DEFAULT_WRITE), "default-write");
}

static void
an_unknown_word_is_nothing(void **state)
{
	(void)state;
	assert_null(ambit_word_find(ambit_verdicts, "Allow"));
	assert_null(ambit_word_find(ambit_verdicts, "allow "));
	assert_null(ambit_word_find(ambit_verdicts, NULL));
	assert_string_equal(ambit_word_name(ambit_verdicts, 99), "?");
}

static void
no_tool_name_means_two_tools(void **state)
{
	const struct tool *tool;

	(void)state;
	for (size_t i = 0; (tool = tool_at(i)); i++) {
		assert_ptr_equal(tool_find(tool->name), tool);
		assert_true(tool->text && tool->text[0]);
		for (size_t a = 0; tool->aliases && tool->aliases[a]; a++)
			assert_ptr_equal(tool_find(tool->aliases[a]), tool);
	}
	assert_null(tool_find("reaD"));
	assert_null(tool_find(""));
	assert_null(tool_find(NULL));
}

static void
a_tool_that_changes_things_is_never_called_read_only(void **state)
{
	struct ambit_tool_info info;
	size_t i;

	(void)state;
	for (i = 0; ambit_tool_at(i, &info) == 1; i++) {
		assert_non_null(info.aliases);
		assert_true(info.effects != 0);
		if (info.effects & (AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE))
			assert_int_not_equal(info.danger, AMBIT_DANGER_READ_ONLY);
	}
	assert_true(i > 20);
	assert_int_equal(ambit_tool_at(SIZE_MAX, &info), 0);
}

static void
every_agents_names_are_known(void **state)
{
	static const char *const names[][2] = { { "Read", "read" },
		{ "read_file_viewport", "read" }, { "view", "read" }, { "write_file", "write" },
		{ "create", "write" }, { "MultiEdit", "multi_edit" }, { "NotebookEdit", "edit" },
		{ "edit_lines", "edit" }, { "replace", "edit" }, { "Delete", "delete" },
		{ "MoveFile", "move" }, { "CopyFile", "copy" }, { "ApplyPatch", "apply_patch" },
		{ "list_directory", "ls" }, { "grep_search", "grep" },
		{ "run_shell_command", "bash" }, { "Shell", "bash" },
		{ "developer__shell", "bash" }, { "WebFetch", "webfetch" },
		{ "google_web_search", "websearch" }, { "run_agent", "task" }, { "Agent", "task" },
		{ "Skill", "skill" }, { "LSP", "lsp" }, { "TodoWrite", "todowrite" },
		{ "str_replace_based_edit_tool", "str_replace_editor" } };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(tool_find(names[i][0])->name, names[i][1]);
}

static void
the_seeds_default_permissions_hold(void **state)
{
	static const char *const allowed[] = { "write", "extract", "edit", "apply_patch", "read",
		"glob", "grep", "webfetch", "websearch", "todowrite", "todoread", "question",
		"task", "skill", "lsp", "delete", "move", "copy" };

	(void)state;
	assert_int_equal(tool_find("bash")->permission, AMBIT_PERMISSION_ASK);
	assert_int_equal(tool_find("bash")->danger, AMBIT_DANGEROUS);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		assert_int_equal(tool_find(allowed[i])->permission, AMBIT_PERMISSION_ALLOW);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_found_under_its_name_and_has_help),
		cmocka_unit_test(every_code_has_its_exact_name_and_a_hint),
		cmocka_unit_test(zero_is_the_strictest_word),
		cmocka_unit_test(every_answer_has_a_key_of_its_own_and_words_for_people),
		cmocka_unit_test(an_alias_is_read_and_the_first_name_is_written),
		cmocka_unit_test(an_unknown_word_is_nothing),
		cmocka_unit_test(no_tool_name_means_two_tools),
		cmocka_unit_test(a_tool_that_changes_things_is_never_called_read_only),
		cmocka_unit_test(every_agents_names_are_known),
		cmocka_unit_test(the_seeds_default_permissions_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
