/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a judge into a yes or no word at all. He may be a model, which says
 * many things beside what it was asked for, and may have read what the one who asks
 * wrote for it: so it is a yes only if it is nothing else. What is read wrongly as a
 * pass costs a question; the other way round it costs what was being guarded. */

#include <string.h>

#include "ask/judge/phrase.h"
#include "ask/judge/verdict.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

/* A yes with one of these in its reason is a person's to give. */
/* clang-format off */
static const char *const hedges[] = {
	"maybe", "perhaps", "probabl*", "possibl*", "presumabl*", "supposed*", "apparent*",
	"hopefully", "might", "may", "could", "would", "should", "seem*", "appear*", "likely",
	"unlikely", "unsure", "uncertain*", "unclear", "unknown", "unverified", "unusual",
	"unless", "unable", "unsafe", "if", "whether", "assum*", "provided", "providing",
	"depend*", "otherwise", "but", "however", "although", "though", "except*", "despite",
	"yet", "guess*", "suspect*", "suspicious*", "believe", "think", "doubt*", "hard to say",
	"cannot", "cant", "can not", "couldnt", "dont", "do not know", "not sure",
	"not certain", "not clear", "not known", "not verified", "not confirmed", "not enough",
	"not safe", "not allowed", "not able", "insufficient", "as long as", "in theory",
	"in principle", "generally", "usually", "typically", "mostly", "partly", "careful*",
	"caution*", "beware", "warning", "concern*", "risk*", "danger*", "malicious", "harmful",
	"injection", "deny", "denied", "refus*", "reject*", "pass", "ask", "confirm",
	"the person", "the user", "a human", "instructed", "as requested", "told", NULL,
};
/* clang-format on */

const char *
verdict_hedge(const char *reason)
{
	auto_free char *folded = phrase_fold(reason);

	return folded ? phrase_find(folded, hedges) : "out of memory";
}

/* A string without a NUL in it, so that all of it is looked at. */
static const char *
text_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

static int
take_reason(const char *reason, struct verdict *verdict, struct ambit_error *err)
{
	size_t len = strlen(reason);
	const char *hedge;

	if (len == 0 || len > VERDICT_REASON_MAX)
		return err_set(err, EINVAL, "its reason has %zu bytes, not 1 to %d", len,
			VERDICT_REASON_MAX);
	if (!phrase_plain(reason))
		return err_set(err, EINVAL, "its reason is not plain text");
	hedge = verdict->allow ? verdict_hedge(reason) : NULL;
	if (hedge)
		return err_set(err, EINVAL, "its reason is no plain yes ('%s')", hedge);
	memcpy(verdict->reason, reason, len + 1);
	return 0;
}

int
verdict_parse(const char *text, size_t len, struct verdict *ret_verdict, struct ambit_error *err)
{
	auto_json json_t *object = NULL;
	struct verdict verdict = { 0 };
	const char *word, *reason;
	int r = json_parse(text, len, &object, err);

	if (r < 0)
		return err_context(err, "what it said");
	word = text_of(object, "verdict");
	reason = text_of(object, "reason");
	if (!word || !reason || json_object_size(object) != 2)
		return err_set(
			err, EINVAL, "it did not say a verdict and a reason, and only these");
	if (!streq(word, "allow") && !streq(word, "pass"))
		return err_set(err, EINVAL, "its verdict is neither allow nor pass");
	verdict.allow = streq(word, "allow");
	r = take_reason(reason, &verdict, err);
	if (r == 0)
		*ret_verdict = verdict;
	return r;
}
