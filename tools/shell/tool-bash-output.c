/* SPDX-License-Identifier: Apache-2.0 */
/* bash_output and bash_stop: a look at a command in the background, and its end. */

#include <errno.h>
#include <limits.h>

#include "base/err.h"
#include "tools/shell/background.h"
#include "tools/shell/bash.h"

#define BREATH_MS 200

#define ID_ARGUMENT                                                                                \
	"\"id\":{\"type\":\"string\",\"minLength\":1,"                                             \
	"\"description\":\"what bash with 'background' returned\"}"

/* Nobody reads the result of a cancelled call: the output stays for the next look. */
static int
report_unless_cancelled(
	struct tool_run *run, struct background *background, struct ambit_error *err)
{
	int r = run_cancelled(run) ? err_set(err, ECANCELED, "the call was cancelled")
				   : background_report(run, background, err);

	background_release(background);
	return r;
}

static int
perform_output(struct tool_run *run, struct ambit_error *err)
{
	struct background *background = NULL;
	int64_t wait_ms = run_int(run, "wait", 0);
	int r = background_hold(run, &background, err);

	if (r < 0)
		return r;
	background_wait(run, background, wait_ms, false);
	/* What is printed in one breath is one result. */
	background_wait(run, background, wait_ms < BREATH_MS ? wait_ms : BREATH_MS, true);
	return report_unless_cancelled(run, background, err);
}

static int
perform_stop(struct tool_run *run, struct ambit_error *err)
{
	struct background *background = NULL;
	int r = background_hold(run, &background, err);

	if (r < 0)
		return r;
	background_stop(background);
	background_wait(run, background, INT_MAX, true);
	return report_unless_cancelled(run, background, err);
}

const struct own_tool tool_bash_output = {
	.name = "bash_output",
	.title = "Look at a command in the background",
	.text = "Returns what a command has printed since the last look, and whether it still "
		"runs. When it has ended, also its exit code and what was refused; then it is "
		"forgotten. With 'wait' it waits that long for something new. A command that is "
		"held because a person must be asked may wait for this call to put the question.",
	.input = "{\"type\":\"object\",\"properties\":{" ID_ARGUMENT ","
		 "\"wait\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":600000,"
		 "\"description\":\"milliseconds to wait for new output or the end; 0 if it is not "
		 "given\"}},"
		 "\"required\":[\"id\"],\"additionalProperties\":false}",
	.output = BASH_OUTPUT,
	.slow = true,
	.is_own = bash_is_own,
	.run = perform_output,
};

const struct own_tool tool_bash_stop = {
	.name = "bash_stop",
	.title = "End a command in the background",
	.text = "Ends a command that bash started in the background, with all it started, and "
		"returns what it printed since the last look.",
	.input = "{\"type\":\"object\",\"properties\":{" ID_ARGUMENT "},"
		 "\"required\":[\"id\"],\"additionalProperties\":false}",
	.output = BASH_OUTPUT,
	.slow = true,
	.is_own = bash_is_own,
	.run = perform_stop,
};
