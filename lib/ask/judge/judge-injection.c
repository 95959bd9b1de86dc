/* SPDX-License-Identifier: Apache-2.0 */
/* Looks through what a judge would be shown for words to him. Commands and names are
 * those of whoever asks, and a model reads them as it reads its orders. No list finds
 * all of it; what it costs to be wrong is one question to the person, so the list is
 * wide. Secrets are found as the record finds them. */

#include <ambit/record.h>

#include "ask/judge/phrase.h"
#include "ask/judge/judge-injection.h"
#include "base/own.h"
#include "base/str.h"
#include "record/redact/redact.h"

/* Words, whatever stands between them. */
/* clang-format off */
static const char *const phrases[] = {
	"ignore previous", "ignore prior", "ignore all", "ignore any", "ignore the",
	"ignore above", "ignore your", "ignore these", "ignore this", "ignore instructions",
	"disregard", "forget previous", "forget all", "forget your", "forget everything",
	"judge*", "verdict*", "you are", "youre", "you re", "you must", "you should",
	"you will", "you can", "you may", "your task", "your job", "your role", "your answer",
	"your instructions", "your rules", "act as", "pretend", "roleplay", "approve*",
	"approval*", "preapproved", "allow this", "allow it", "allow me", "allow all",
	"please allow", "must allow", "always allow", "say allow", "say yes", "answer yes",
	"answer allow", "answer with", "reply with", "respond with", "return allow", "reason",
	"instruction", "instructions", "system prompt", "system message", "system note",
	"developer message", "prompt", "prompts", "jailbreak", "override", "assistant",
	"chatbot", "llm", "language model", "as an ai", "dear ai", "the user said",
	"the user has", "the user wants", "user approved", "the person said", "authorized",
	"authorised", "permitted", "whitelisted", "allowlisted", "is safe", "its safe",
	"safe to", "totally safe", "completely safe", "harmless", "trust me", "trust this",
	"no risk", "end of request", "end of input", "end of data", "new request", "note to",
	"attention", "important", "im start", "im end", "endoftext", NULL,
};
/* clang-format on */

/* As they stand: marks of roles, and JSON that could be taken for what he says. */
static const char *const marks[] = { "<|", "|>", "[INST", "[/INST", "<<SYS", "<s>", "</s>", "```",
	"###", "\"verdict", "\\\"verdict", "'verdict", "\"role", "'role",
	"Human:", "human:", "System:", "system:", "SYSTEM:", "User:", "user:", "USER:", NULL };

/* Not of the one who asks: ambit's own words, which repeat what the others say, and the
 * folder, which the person chose. Of those only that they are plain is looked at. */
static bool
is_ours(const char *key)
{
	static const char *const keys[] = { "reason", "code", "danger", "access", "effects",
		"folder", "display_root" };

	for (size_t i = 0; key && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (streq(key, keys[i]))
			return true;
	return false;
}

static const char *
find_mark(const char *text)
{
	for (const char *const *mark = marks; *mark; mark++)
		if (strstr(text, *mark))
			return *mark;
	return NULL;
}

static const char *
find_text_objection(const char *key, const char *text)
{
	auto_free char *clean = redact_secrets(text), *folded = phrase_fold(text);

	if (!clean || !folded)
		return "there is no memory to look at it";
	if (!phrase_plain(text))
		return "it is not plain text";
	if (!streq(clean, text))
		return "there may be a secret in it";
	if (is_ours(key))
		return NULL;
	return find_mark(text) || phrase_find(folded, phrases) ? "it may speak to the judge" : NULL;
}

static const char *
check_plea_value(const char *key, const json_t *value, size_t *bytes)
{
	const char *why = NULL, *name;
	json_t *member;
	size_t i;

	if (json_is_string(value)) {
		*bytes += json_string_length(value);
		if (strlen(json_string_value(value)) != json_string_length(value))
			return "it is not plain text";
		return *bytes > PLEA_BYTES_MAX ? "it is too long"
					       : find_text_objection(key, json_string_value(value));
	}
	json_array_foreach (value, i, member)
		if (!why)
			why = check_plea_value(key, member, bytes);
	json_object_foreach ((json_t *)value, name, member)
		if (!why)
			why = check_plea_value(name, member, bytes);
	return why;
}

const char *
plea_find(const json_t *object)
{
	size_t bytes = 0;

	return json_is_object(object) ? check_plea_value(NULL, object, &bytes) : "it is no object";
}
