/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "summary": an agent's output becomes its last words, with "failed: " before
 * them if the agent says that it failed. */

#include <stdlib.h>

#include "agents/summary.h"
#include "base/fd.h"
#include "base/str.h"
#include "texts.h"

#define MAX 30000

static const char *
run_summary(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	bool failed = false, failed_again = true;
	auto_free char *exact = text_exact(in), *text = summary_of(exact, in->len, MAX, &failed);
	auto_free char *again = summary_of(exact, in->len, MAX, &failed_again);

	if (!text || !again)
		return "no summary";
	if (failed != failed_again)
		return "it does not set its flag";
	auto_free char *whole = str_printf("%s%s", failed ? "failed: " : "", text);

	text_puts(out, "", whole);
	return NULL;
}

const struct text_kind text_summary = {
	.name = "summary",
	.inputs = "in",
	.run = run_summary,
};
