/* SPDX-License-Identifier: Apache-2.0 */
/* Agents that can be started: which there are, what of the setting is refused, and how
 * a task gets into a command without becoming anything else there. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>

#include "settings/agents.h"
#include <ambit/settings.h>

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

static struct ambit_settings *
settings_with(const char *agents)
{
	struct ambit_settings_options options = { .home = "/home/ada" };
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };

	assert_int_equal(ambit_settings_load(&options, &settings, &err), 0);
	if (agents && ambit_settings_set(settings, "agents", agents, "--o", &err) < 0)
		fail_msg("%s", err.text);
	return settings;
}

static void
refused(const char *agents, const char *words)
{
	struct ambit_settings *settings = settings_with(NULL);
	struct ambit_error err = { 0 };

	if (ambit_settings_set(settings, "agents", agents, "--o", &err) != -EINVAL)
		fail_msg("accepted: %s", agents);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
	ambit_settings_destroy(settings);
}

static const struct agent *
find(const struct ambit_settings *settings, const char *name)
{
	const struct agent *agent = NULL;
	struct ambit_error err = { 0 };

	if (agent_find(settings, name, &agent, &err) < 0)
		fail_msg("%s", err.text);
	return agent;
}

/* The words, each in brackets, and behind them what goes to stdin. */
static char *
words(const struct agent *agent, const char *task, const char *brief)
{
	auto_free char *input = NULL;
	struct ambit_error err = { 0 };
	char **argv = NULL, *all = str_dup("");

	if (agent_argv(agent, task, brief, "/w/f", &argv, &input, &err) < 0)
		fail_msg("%s", err.text);
	for (char **word = argv; *word; word++) {
		char *more = str_printf("%s[%s]", all, *word);

		free(all);
		all = more;
	}
	agent_argv_free(argv);
	if (input) {
		char *more = str_printf("%s<%s>", all, input);

		free(all);
		all = more;
	}
	return all;
}

/* The command as a list in JSON. */
static void
becomes(const char *command, const char *task, const char *brief, const char *expected)
{
	auto_free char *text = str_printf("{\"x\":{\"command\":%s}}", command);
	struct ambit_settings *settings = settings_with(text);
	auto_free char *got = words(find(settings, "x"), task, brief);

	assert_string_equal(got, expected);
	ambit_settings_destroy(settings);
}

/* -- which there are --------------------------------------------------------------- */

static void
ready_ones_are_there_and_can_be_started(void **state)
{
	static const char *const names[] = { "claude", "codex", "gemini", "opencode", "copilot" };
	struct ambit_settings *settings = settings_with(NULL);
	const struct agent *agent;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		agent = agent_nth(settings, i);
		assert_non_null(agent);
		assert_string_equal(agent->name, names[i]);
		assert_string_equal(agent->command[0], names[i]);
		assert_true(agent->ready && agent->text[0] && agent->env[0]);
		assert_int_equal(agent->timeout, -1);
		assert_ptr_equal(find(settings, names[i]), agent);
	}
	assert_null(agent_nth(settings, 5));
	ambit_settings_destroy(settings);
}

static void
a_task_reaches_each_of_them_whole(void **state)
{
	static const struct {
		const char *name, *words;
	} expected[] = {
		{ "claude", "[claude][-p][--output-format][json][--permission-mode]"
			    "[bypassPermissions][--append-system-prompt][B]<--version {brief}>" },
		{ "codex", "[codex][exec][--skip-git-repo-check][-]<B\n\n--version {brief}>" },
		{ "gemini", "[gemini][--skip-trust][--output-format][json][--approval-mode][yolo]"
			    "[--prompt=B\n\n--version {brief}]" },
		{ "opencode", "[opencode][run]<B\n\n--version {brief}>" },
		{ "copilot", "[copilot][--silent][--allow-all][--no-ask-user][--no-auto-update]"
			     "<B\n\n--version {brief}>" },
	};
	struct ambit_settings *settings = settings_with(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		auto_free char *got =
			words(find(settings, expected[i].name), "--version {brief}", "B");

		assert_string_equal(got, expected[i].words);
	}
	ambit_settings_destroy(settings);
}

static void
the_persons_stand_over_ready_ones(void **state)
{
	struct ambit_settings *settings = settings_with(
		"{\"claude\":{\"command\":[\"~/bin/claude\"],\"timeout\":0},"
		"\"docs\":{\"command\":[\"/opt/docs\",\"{task}\"],\"env\":[\"DOCS_KEY\"]}}");
	const struct agent *agent = find(settings, "claude");
	int n = 0;

	(void)state;
	assert_string_equal(agent->command[0], "/home/ada/bin/claude");
	assert_null(agent->command[1]);
	assert_int_equal(agent->timeout, 0);
	assert_false(agent->ready);
	agent = find(settings, "docs");
	assert_string_equal(agent->env[0], "DOCS_KEY");
	assert_null(agent->env[1]);
	assert_int_equal(agent->timeout, -1);
	assert_true(find(settings, "codex")->ready);
	for (size_t i = 0; agent_nth(settings, i); i++)
		n++;
	assert_int_equal(n, 6);
	/* What is said later stands over what was said before. */
	assert_int_equal(
		ambit_settings_set(settings, "agents",
			"{\"docs\":{\"command\":[\"other\"]},\"more\":{\"command\":[\"m\"]}}",
			"--o", NULL),
		0);
	assert_string_equal(find(settings, "docs")->command[0], "other");
	assert_string_equal(find(settings, "claude")->command[0], "/home/ada/bin/claude");
	assert_string_equal(find(settings, "more")->command[0], "m");
	ambit_settings_destroy(settings);
}

static void
one_that_is_not_there_is_told_with_those_that_are(void **state)
{
	struct ambit_settings *settings = settings_with("{\"docs\":{\"command\":[\"docs\"]}}");
	const struct agent *agent = NULL;
	struct ambit_error err = { 0 };

	(void)state;
	assert_int_equal(agent_find(settings, "cl\033aude", &agent, &err), -ENOENT);
	assert_null(agent);
	assert_non_null(strstr(err.text, "'cl\\x1baude'"));
	assert_non_null(strstr(err.text, "docs, claude, codex, gemini, opencode, "
					 "copilot"));
	ambit_settings_destroy(settings);
}

struct shown {
	char *value;
};

static int
keep(void *data, const char *key, const char *value, const char *source, const char *text)
{
	struct shown *shown = data;

	(void)source;
	(void)text;
	if (streq(key, "agents"))
		shown->value = str_dup(value);
	return 0;
}

static void
the_listing_has_all_of_them_and_reads_back(void **state)
{
	struct ambit_settings *settings = settings_with(
		"{\"docs\":{\"command\":[\"docs\",\"{task}\"],\"env\":[\"K\"],\"timeout\":7}}");
	struct shown shown = { 0 }, again = { 0 };

	(void)state;
	assert_int_equal(ambit_settings_each(settings, keep, &shown), 0);
	assert_non_null(strstr(shown.value,
		"\"docs\":{\"command\":[\"docs\",\"{task}\"],\"env\":[\"K\"],\"timeout\":7}"));
	assert_non_null(strstr(shown.value, "\"opencode\":{\"command\":[\"opencode\",\"run\"]"));
	ambit_settings_destroy(settings);
	settings = settings_with(shown.value);
	assert_int_equal(ambit_settings_each(settings, keep, &again), 0);
	assert_string_equal(shown.value, again.value);
	free(shown.value);
	free(again.value);
	ambit_settings_destroy(settings);
}

/* -- what is refused --------------------------------------------------------------- */

static void
a_command_that_would_mean_something_else_is_refused(void **state)
{
	(void)state;
	refused("[]", "must be an object of agents");
	refused("{\"x\":[\"a\"]}", "must be an object with 'command'");
	refused("{\"x\":{}}", "'x' has no 'command'");
	refused("{\"x\":{\"command\":[]}}", "'x' has no 'command'");
	refused("{\"x\":{\"command\":\"a\"}}", "must be a list of strings");
	refused("{\"x\":{\"command\":[1]}}", "must be a list of strings");
	refused("{\"x\":{\"command\":[\"\"]}}", "not a program's name");
	refused("{\"x\":{\"command\":[\"-x\"]}}", "not a program's name");
	refused("{\"x\":{\"command\":[\"{task}\"]}}", "not a program's name");
	refused("{\"x\":{\"command\":[\"bin/x\"]}}", "not an absolute path");
	refused("{\"x\":{\"command\":[\"../x\"]}}", "not an absolute path");
	refused("{\"x\":{\"command\":[\"x\",\"a\\u0000\"]}}", "NUL");
	refused("{\"x\":{\"command\":[\"x\",\"--a={breif}\"]}}", "did you mean '{brief}'");
	refused("{\"x\":{\"command\":[\"x\",\"{Task}\"]}}", "did you mean '{task}'");
	refused("{\"x\":{\"command\":[\"x\"],\"env\":[\"1A\"]}}", "name of a variable");
	refused("{\"x\":{\"command\":[\"x\"],\"env\":[\"A=b\"]}}", "name of a variable");
	refused("{\"x\":{\"command\":[\"x\"],\"env\":[\"\"]}}", "name of a variable");
	refused("{\"x\":{\"command\":[\"x\"],\"timeout\":-1}}", "is not between");
	refused("{\"x\":{\"command\":[\"x\"],\"cmd\":1}}", "unknown key 'cmd'");
	refused("{\"\":{\"command\":[\"x\"]}}", "not an agent's name");
	refused("{\".x\":{\"command\":[\"x\"]}}", "not an agent's name");
	refused("{\"a b\":{\"command\":[\"x\"]}}", "not an agent's name");
	refused("{\"a/b\":{\"command\":[\"x\"]}}", "not an agent's name");
	refused("{\"a\":{\"command\":[\"x\"]},\"b\":{\"command\":[\"x\",\"y\"],\"env\":[\"K\",1]}}",
		"list of strings");
}

/* -- what is run ------------------------------------------------------------------- */

static void
placeholders_are_filled_once(void **state)
{
	(void)state;
	becomes("[\"x\",\"{task}\",\"{brief}\",\"-C{folder}\"]", "T {folder}", "B {task}",
		"[x][T {folder}][B {task}][-C/w/f]");
	becomes("[\"x\",\"a{task}{brief}{task}z\"]", "{brief}", "b", "[x][a{brief}b{brief}z]");
	/* Other braces are the program's. */
	becomes("[\"awk\",\"{print $1}\",\"{}\",\"{{task}}\",\"{task\"]", "t", "",
		"[awk][{print $1}][{}][{t}][{task]");
	becomes("[\"x\",\"{task}\"]", "", "", "[x][]");
}

static void
the_briefing_goes_before_the_task_where_it_has_no_place(void **state)
{
	(void)state;
	becomes("[\"x\",\"{task}\"]", "T", "B", "[x][B\n\nT]");
	becomes("[\"x\",\"{task}\"]", "T", "", "[x][T]");
	becomes("[\"x\"]", "T", "B", "[x]<B\n\nT>");
	becomes("[\"x\",\"{brief}\"]", "T", "B", "[x][B]<T>");
	becomes("[\"x\",\"{folder}\"]", "-T", "", "[x][/w/f]<-T>");
}

static void
a_task_does_not_become_an_option(void **state)
{
	(void)state;
	becomes("[\"x\",\"{task}\"]", "--danger", "", "[x][ --danger]");
	becomes("[\"x\",\"{task}{brief}\"]", "-", "-b", "[x][ --b]");
	becomes("[\"x\",\"{brief}\",\"{task}\"]", "-t", "-b", "[x][ -b][ -t]");
	becomes("[\"x\",\"--\",\"{task}\"]", "-t", "", "[x][--][-t]");
	becomes("[\"x\",\"--prompt={task}\"]", "-t", "", "[x][--prompt=-t]");
}

static void
what_does_not_fit_into_an_argument_is_told(void **state)
{
	struct ambit_settings *settings = settings_with(
		"{\"word\":{\"command\":[\"x\",\"{task}\"]},\"input\":{\"command\":[\"x\"]}}");
	auto_free char *task = malloc(200001), *input = NULL;
	struct ambit_error err = { 0 };
	char **argv = NULL;

	(void)state;
	assert_non_null(task);
	memset(task, 'a', 200000);
	task[200000] = '\0';
	assert_int_equal(
		agent_argv(find(settings, "word"), task, "", "/w", &argv, &input, &err), -E2BIG);
	assert_null(argv);
	assert_non_null(strstr(err.text, "'word'"));
	assert_int_equal(
		agent_argv(find(settings, "input"), task, "", "/w", &argv, &input, &err), 0);
	assert_string_equal(input, task);
	agent_argv_free(argv);
	ambit_settings_destroy(settings);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ready_ones_are_there_and_can_be_started),
		cmocka_unit_test(a_task_reaches_each_of_them_whole),
		cmocka_unit_test(the_persons_stand_over_ready_ones),
		cmocka_unit_test(one_that_is_not_there_is_told_with_those_that_are),
		cmocka_unit_test(the_listing_has_all_of_them_and_reads_back),
		cmocka_unit_test(a_command_that_would_mean_something_else_is_refused),
		cmocka_unit_test(placeholders_are_filled_once),
		cmocka_unit_test(the_briefing_goes_before_the_task_where_it_has_no_place),
		cmocka_unit_test(a_task_does_not_become_an_option),
		cmocka_unit_test(what_does_not_fit_into_an_argument_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
