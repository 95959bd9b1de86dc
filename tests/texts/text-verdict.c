/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "verdict" and "plea": a judge's answer becomes allow or pass with a reason, or
 * it is no answer; and a text in a request is addressed to the judge, or is not. */

#include <stdlib.h>
#include <string.h>

#include "ask/judge/judge-injection.h"
#include "ask/judge/verdict.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "textframe.h"

static const char *
read_verdict(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	auto_free char *copy = textframe_exact(text, len);
	struct verdict verdict = { 0 };
	struct ambit_error err = { 0 };

	(void)test;
	if (verdict_parse(copy, len, &verdict, &err) < 0) {
		buf_puts(result, "no answer");
		return verdict.allow || verdict.reason[0] ? "half of an answer was written"
		       : err.text[0] == '\0'		  ? "it does not say why"
							  : NULL;
	}
	buf_printf(result, "%s: %s", verdict.allow ? "allow" : "pass", verdict.reason);
	return NULL;
}

static const char *
run_verdict(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_verdict);
}

const struct text_kind text_verdict = {
	.name = "verdict",
	.inputs = "in frame?",
	.run = run_verdict,
};

/* The result of plea_find for a request with this text at the key. "path" is the first path. */
static const char *
find_plea(const char *key, const struct text_section *in)
{
	auto_json json_t *object = json_pack("{s:s, s:s, s:[{s:s, s:s}]}", "tool", "bash", "danger",
		"dangerous", "paths", "path", "/data/x", "access", "write");
	json_t *at =
		streq(key, "path") ? json_array_get(json_object_get(object, "paths"), 0) : object;

	if (json_object_set_new(at, key, json_stringn_nocheck(in->data, in->len)) < 0)
		abort();
	return plea_find(object);
}

/* args: the keys that the text is tried at. */
static const char *
run_plea(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *keys = str_dup(test->args);
	const char *why = NULL, *found = NULL;
	char *rest = NULL;
	size_t n = 0, n_found = 0;

	for (char *key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest), n++) {
		found = find_plea(key, in);
		n_found += found != NULL;
		why = found ? found : why;
	}
	if (n == 0)
		return "args: has no key";
	text_puts(out, "",
		n_found == n   ? "found"
		: n_found == 0 ? "nothing"
			       : "found at some keys");
	text_offer(out, "why", why ? why : "");
	return NULL;
}

const struct text_kind text_plea = {
	.name = "plea",
	.inputs = "in",
	.run = run_plea,
};
