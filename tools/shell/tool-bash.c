/* SPDX-License-Identifier: Apache-2.0 */
/* bash: a command into what it printed, how it ended and what the line refused it. The
 * command is a model's and not trusted; what holds it is the executor's backend. What
 * it printed is shown as it is, in bounded length; where it reached out, what it
 * printed is somebody else's words and is labelled. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/registry/registry-agents.h"
#include "tools/shell/background.h"
#include "tools/shell/bash.h"

#define TIMEOUT_MS 60000
#define COMMAND_MAX (128 * 1024 - 1) /* one word of an argv; the kernel takes no longer one */

struct bash_command {
	const char *line; /* for the shell; or */
	char **argv;
	char *shown;
};

/* -- where it runs ---------------------------------------------------------------------- */

/* Copies of what the scope says, for it is read with the registry's lock. */
static int
read_scope(struct tool_run *run, char **ret_root, char **ret_display)
{
	const struct ambit_scope *scope;

	run_lock(run);
	scope = run_scope(run);
	*ret_root = str_dup(ambit_scope_root(scope));
	*ret_display = str_dup(ambit_scope_display_root(scope));
	run_unlock(run);
	return *ret_root && *ret_display ? 0 : -ENOMEM;
}

/* It was decided that this leads to a directory inside: it must still. */
static int
find_given(struct tool_run *run, const char *root, const char *base, const char *given,
	char **ret_cwd, struct ambit_error *err)
{
	auto_free char *path = given[0] == '/' ? str_dup(given) : str_printf("%s/%s", base, given);
	auto_free char *real = path ? realpath(path, NULL) : NULL;
	auto_free char *shown = str_escape(given, strlen(given));
	struct stat st;

	if (!path || !shown)
		return err_nomem(err);
	if (!real || stat(real, &st) < 0 || !S_ISDIR(st.st_mode) || !str_beneath(real, root))
		return run_fail(run, err, ESTALE, "Look at what is there, and call again.",
			"cwd: %s has changed since it was decided", shown);
	*ret_cwd = steal_ptr(&real);
	return 0;
}

/* Where the call stands, if that is inside; what a command may write does not depend on
 * it. */
static int
find_cwd(struct tool_run *run, char **ret_cwd, struct ambit_error *err)
{
	auto_free char *root = NULL, *display = NULL, *here = NULL;
	const char *given = run_string(run, "cwd");

	if (read_scope(run, &root, &display) < 0)
		return err_nomem(err);
	if (run->cwd && run_directory(run, &here, err) < 0)
		return err->code != 0 ? -err->code : -EINVAL;
	if (given && given[0] != '\0')
		return find_given(run, root, here ? here : display, given, ret_cwd, err);
	*ret_cwd = here && str_beneath(here, root) ? steal_ptr(&here) : steal_ptr(&root);
	return 0;
}

/* -- what is run ------------------------------------------------------------------------- */

static int
check_length(struct tool_run *run, size_t len, struct ambit_error *err)
{
	return len <= COMMAND_MAX
		       ? 0
		       : run_fail(run, err, E2BIG,
				 "Write it into a file and run that, or give it to a shell as "
				 "'stdin'.",
				 "'command' has %zu bytes, and a command line at most %d", len,
				 COMMAND_MAX);
}

/* A program and its arguments; what they are is shown as one line. */
static int
read_words(struct tool_run *run, const json_t *words, struct bash_command *ret,
	struct ambit_error *err)
{
	auto_buf struct buf line = { 0 };
	const json_t *word;
	size_t i;
	int r = 0;

	json_array_foreach (words, i, word) {
		const char *text = json_string_value(word);
		size_t len = json_string_length(word);

		if (!text || strlen(text) != len || (i == 0 && len == 0))
			return run_fail(run, err, EINVAL, "Give the program and its arguments.",
				"'command' has a word with a NUL in it, or no program");
		r = check_length(run, len, err);
		if (r == 0 && strv_append(&ret->argv, text) < 0)
			r = err_nomem(err);
		if (r < 0)
			return r;
		buf_printf(&line, "%s%s", i > 0 ? " " : "", text);
	}
	ret->shown = buf_take(&line);
	return ret->shown ? 0 : err_nomem(err);
}

static int
read_line(
	struct tool_run *run, const json_t *line, struct bash_command *ret, struct ambit_error *err)
{
	const char *text = json_string_value(line);
	size_t len = json_string_length(line);

	if (strlen(text) != len || strspn(text, " \t\n") == len)
		return run_fail(run, err, EINVAL, "Give the command as a line for the shell.",
			"'command' is empty, or has a NUL in it");
	ret->line = text;
	ret->shown = str_dup(text);
	return ret->shown ? check_length(run, len, err) : err_nomem(err);
}

static int
read_command(struct tool_run *run, struct bash_command *ret, struct ambit_error *err)
{
	const json_t *command = json_object_get(run->args, "command");

	if (!run->permit)
		return err_set(err, EPERM, "nothing runs that was not decided");
	if (!run->executor)
		return err_set(err, ENOSYS, "there is no way to run commands here");
	return json_is_array(command) ? read_words(run, command, ret, err)
				      : read_line(run, command, ret, err);
}

/* -- the call ----------------------------------------------------------------------------- */

static void
report_bash_progress(void *data, uint64_t printed, int64_t elapsed_ms)
{
	struct tool_run *run = data;
	char message[96];

	snprintf(message, sizeof(message), "running for %lld s, %llu bytes printed",
		(long long)(elapsed_ms / 1000), (unsigned long long)printed);
	run_progress(run, (double)elapsed_ms, (double)run_int(run, "timeout", TIMEOUT_MS), message);
}

static int
make_within(void *data, char *const *envp, int *ret_fd, struct ambit_error *err)
{
	struct tool_run *run = data;
	const struct ambit_agent_child child = { .scope = run->scope, .envp = envp };

	return run_make_within(run, &child, ret_fd, err);
}

/* The line of a command in a scope of its own: that scope's folder, never wider than the
 * door. */
static int
hold_to_scope(struct tool_run *run, struct ambit_execution *execution, char ***ret_options,
	struct ambit_error *err)
{
	bool grants = !ambit_scope_enforces_write(run->scope);
	int r = run_child_options(
		run, ambit_scope_root(run->scope), NULL, grants, ret_options, err);

	execution->options = *ret_options;
	execution->make_within = make_within;
	return r;
}

static int
execute_bash(struct tool_run *run, const struct bash_command *command, const char *cwd,
	struct ambit_executed *ret_executed, struct ambit_error *err)
{
	const json_t *input = json_object_get(run->args, "stdin");
	struct ambit_execution execution = {
		.command = command->line,
		.argv = command->argv,
		.input = json_string_value(input),
		.input_len = json_string_length(input),
		.cwd = cwd,
		.timeout_ms = (int)run_int(run, "timeout", TIMEOUT_MS),
		.max = BASH_STREAM_MAX,
		.cancel = run->cancel,
		.progress = report_bash_progress,
		.data = run,
	};
	struct bash_asker asker;
	char **only = NULL, **options = NULL;
	int r = run_narrowing(run, &only);

	if (r < 0)
		return err_nomem(err);
	bash_asker_init(&asker, run);
	execution.only = only;
	if (run_has_person(run))
		execution.approver = &asker.approver;
	if (run->scope)
		r = hold_to_scope(run, &execution, &options, err);
	if (r == 0)
		r = ambit_execute(run->executor, &execution, ret_executed, err);
	strv_free(only);
	strv_free(options);
	return r;
}

static int
start_in_background(struct tool_run *run, const struct bash_command *command, const char *cwd,
	struct ambit_error *err)
{
	char id[BACKGROUND_ID];
	int r;

	/* It would outlive the call, and with it the scope. */
	if (run->scope)
		return run_fail(run, err, EINVAL, "Leave 'background' out.",
			"a command in a scope of its own does not run in the background");
	if (command->argv)
		return run_fail(run, err, EINVAL,
			"Leave 'background' out, or give the command as a line for the shell.",
			"a command given as words does not run in the background");
	r = background_start(run, cwd, (int)run_int(run, "timeout", INT_MAX), id, err);

	if (r < 0)
		return r;
	buf_printf(&run->text,
		"[runs in the background as %s: bash_output shows what it prints, bash_stop ends "
		"it]\n",
		id);
	run->structured = json_pack("{s:s s:b}", "id", id, "running", 1);
	return run->structured ? 0 : err_nomem(err);
}

static int
run_to_its_end(struct tool_run *run, const struct bash_command *command, const char *cwd,
	struct ambit_error *err)
{
	struct ambit_executed executed = { 0 };
	int r = execute_bash(run, command, cwd, &executed, err);

	if (r == 0 && executed.cancelled)
		r = run_fail(run, err, ECANCELED, NULL,
			"the call was cancelled; the command and all it had started were ended");
	if (r == 0)
		r = bash_report(run, command->shown, &executed,
			(int)run_int(run, "timeout", TIMEOUT_MS), err);
	ambit_executed_finish(&executed);
	return r;
}

static int
perform_bash(struct tool_run *run, struct ambit_error *err)
{
	struct bash_command command = { 0 };
	auto_free char *cwd = NULL;
	int r = read_command(run, &command, err);

	if (r == 0)
		r = find_cwd(run, &cwd, err);
	if (r == 0 && run_bool(run, "background", false))
		r = start_in_background(run, &command, cwd, err);
	else if (r == 0)
		r = run_to_its_end(run, &command, cwd, err);
	strv_free(command.argv);
	free(command.shown);
	return r;
}

const struct own_tool tool_bash = {
	.name = "bash",
	.title = "Run a shell command",
	.text = "Runs a command with bash -c in the folder (or in 'cwd', inside it) and returns "
		"what it printed, its exit code, and what was refused. Commands and all they "
		"start can write inside the folder and in temporary directories; a write or "
		"connection elsewhere is held while a person is asked, or fails with "
		"'Permission denied', and the result says where the line is and what to do "
		"instead. A non-zero exit code is a result, not an error. Each call is a shell "
		"of its own: 'cd' and variables do not last, and processes left in the "
		"background are ended with it. For a server or a long build set 'background': it "
		"returns an id at once, for bash_output and bash_stop. The default timeout is "
		"60000 ms (none in the background), at most 600000; "
		"then everything is ended, and what was printed so far is returned. Of long "
		"output the beginning and the end are shown: print less, or to a file. "
		"Variables that look like secrets are not in the environment.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"command\":{\"type\":\"string\",\"minLength\":1,"
		 "\"description\":\"what the shell is to run\"},"
		 "\"timeout\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":600000,"
		 "\"description\":\"milliseconds; 60000 if it is not given\"},"
		 "\"background\":{\"type\":\"boolean\","
		 "\"description\":\"return an id at once and let it run; see bash_output\"},"
		 "\"description\":{\"type\":\"string\","
		 "\"description\":\"in a few words, what it is for\"},"
		 "\"stdin\":{\"type\":\"string\","
		 "\"description\":\"its standard input; empty if it is not given\"},"
		 "\"cwd\":{\"type\":\"string\","
		 "\"description\":\"a directory inside the folder to run in\"}},"
		 "\"required\":[\"command\"],\"additionalProperties\":false}",
	.output = BASH_OUTPUT,
	.slow = true,
	.is_own = bash_is_own,
	.run = perform_bash,
};
