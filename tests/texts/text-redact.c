/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "redact" and "redact-json": a text, and a JSON value, become the same without
 * the secrets in them. */

#include <stdlib.h>

#include <ambit/record.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "record/redact/redact.h"
#include "texts.h"

/* The public function must say the same. */
static const char *
run_redact(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *exact = text_exact(in), *got = redact_text(exact, in->len);
	auto_free char *same = redact_secrets(in->data);

	if (!got || !same || !streq(got, same))
		return "redact_text() and redact_secrets() differ";
	text_puts(out, "", got);
	return NULL;
}

const struct text_kind text_redact = {
	.name = "redact",
	.inputs = "in",
	.run = run_redact,
};

static const char *
run_json(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_json json_t *value = NULL, *clean = NULL;
	auto_free char *before = NULL, *after = NULL, *line = NULL;
	size_t count = 0;

	if (json_parse(in->data, in->len, &value, NULL) < 0)
		return "the input is not JSON";
	before = json_line(value);
	clean = redact_json(value, &count);
	after = json_line(value);
	line = json_line(clean);
	if (!streq(before, after))
		return "it changed its input";
	text_puts(out, "", line);
	return NULL;
}

const struct text_kind text_redact_json = {
	.name = "redact-json",
	.inputs = "in",
	.run = run_json,
};
