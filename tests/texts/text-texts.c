/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "texts": a data file becomes the report of its run, so that the runner is
 * tested like everything else. The tests in it are of the kind "echo". */

#include "textrun.h"

static const char *
run_echo(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");

	text_put(out, "", in->data, in->len);
	if (test->args[0])
		text_puts(out, "args", test->args);
	return NULL;
}

const struct text_kind text_echo = {
	.name = "echo",
	.inputs = "in",
	.run = run_echo,
};

static const char *
run_texts(const struct text_test *test, struct text_outputs *out)
{
	static const struct text_kind *const kinds[] = { &text_echo, NULL };
	const struct text_section *in = text_find(test, "in");
	struct textrun run = { .kinds = kinds };

	textrun_file(&run, "FILE", in->data, in->len);
	buf_printf(&run.report, "%d passed, %d failed\n", run.passed, run.failed);
	text_put(out, "", run.report.data, run.report.len);
	buf_finish(&run.report);
	return NULL;
}

const struct text_kind text_texts = {
	.name = "texts",
	.inputs = "in",
	.run = run_texts,
};
