/* SPDX-License-Identifier: Apache-2.0 */
/* What a call ends in: words for a model, the same for programs. Everything in it is
 * UTF-8 and of a bounded size, and what came from elsewhere is marked as that
 * (registry-label.c). */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question-copy.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/scope-private.h"
#include "tools/registry/registry-private.h"

#define STRUCTURED_MAX ((size_t)4 << 20) /* bytes; all of ambit's own tools stay far below */

static void
finish_question(struct ambit_question *question)
{
	if (question)
		question_finish(question);
	free(question);
}

void
ambit_result_finish(struct ambit_result *result)
{
	if (!result)
		return;
	free(result->text);
	free(result->structured);
	finish_question(result->question);
	*result = (struct ambit_result){ 0 };
}

void
registry_result_finish(struct registry_result *result)
{
	if (!result)
		return;
	free(result->text);
	json_decref(result->structured);
	finish_question(result->question);
	*result = (struct registry_result){ 0 };
}

int
result_to_text(struct registry_result *result, struct ambit_result *ret_result)
{
	*ret_result = (struct ambit_result){
		.failed = result->failed,
		.code = result->code,
		.text = result->text,
		.structured =
			result->structured ? json_dumps(result->structured, JSON_COMPACT) : NULL,
		.cancelled = result->cancelled,
		.question = result->question,
	};
	result->text = NULL;
	result->question = NULL;
	return result->structured && !ret_result->structured ? -ENOMEM : 0;
}

/* -- failures -------------------------------------------------------------------------- */

static char *
join_message_hint(const char *message, const char *hint)
{
	size_t n = strlen(message);

	if (!hint || !*hint)
		return strdup(message);
	return str_printf("%s%s %s", message, n && strchr(".!?", message[n - 1]) ? "" : ".", hint);
}

/* asked: whether somebody was, if a decision has ended the call; else NULL. */
static int
set_failure(struct registry_result *result, enum ambit_code code, const char *message,
	const char *hint, const char *path, const char *scope, const bool *asked)
{
	auto_json json_t *object = json_object();
	auto_free char *text = join_message_hint(message, hint);
	int r = object && text ? 0 : -ENOMEM;

	if (r == 0)
		r = json_object_set_new(
			object, "error", json_string(ambit_word_name(ambit_codes, (int)code)));
	if (r == 0)
		r = json_set_text(object, "message", text);
	if (r == 0 && asked)
		r = json_object_set_new(object, "asked", json_boolean(*asked));
	/* The same bytes in both: a path in an error can be anything. */
	free(text);
	text = r == 0 ? strdup(json_string_value(json_object_get(object, "message"))) : NULL;
	if (r == 0 && path)
		r = json_set_text(object, "path", path);
	if (r == 0 && scope)
		r = json_set_text(object, "scope", scope);
	free(result->text);
	json_decref(result->structured);
	result->failed = true;
	result->code = code;
	result->structured = r == 0 ? steal_ptr(&object) : NULL;
	result->text = steal_ptr(&text);
	return result->text && result->structured ? 0 : -ENOMEM;
}

int
result_fail(struct registry_result *result, enum ambit_code code, const char *message,
	const char *hint, const char *path, const char *scope)
{
	return set_failure(result, code, message, hint, path, scope, NULL);
}

int
result_deny(struct registry_result *result, enum ambit_code code, const char *message,
	const char *hint, const char *path, const char *scope)
{
	return set_failure(result, code, message, hint, path, scope, &(bool){ false });
}

/* As a shell takes it; what cannot be shown is shown as what it is, and cannot be
 * copied. */
static void
append_word(struct buf *out, const char *text)
{
	auto_free char *shown = str_escape(text, strlen(text));
	bool plain = shown && !strpbrk(shown, " '\"\\$`&|;<>()*?[]{}~#!");

	out->failed |= !shown;
	buf_puts(out, plain ? "" : "'");
	for (const char *c = shown; c && *c; c++)
		if (*c == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *c);
	buf_puts(out, plain ? "" : "'");
}

char *
result_how_to_grant(
	struct ambit_registry *registry, const struct ambit_outcome *outcome, const char *tool)
{
	static const char rule[] = "A person can allow it for this folder: ambit rules add ";
	const char *key = outcome->rule_key;
	auto_buf struct buf out = { 0 };
	size_t i = 0;

	buf_puts(&out, outcome->hint ? outcome->hint : "");
	buf_puts(&out, out.len ? " " : "");
	while (i < outcome->n_paths && outcome->paths[i].verdict != AMBIT_ASK)
		i++;
	if (i < outcome->n_paths) {
		buf_printf(&out, "%s%s ", rule,
			access_writes(outcome->paths[i].access) ? "write" : "read");
		append_word(&out, outcome->paths[i].path);
	} else if (outcome->host && !outcome->call) {
		buf_printf(&out, "%sconnect ", rule);
		append_word(&out, outcome->host);
	} else if (key && (str_prefix(key, "cmd:") || str_prefix(key, "call:"))) {
		buf_printf(&out, "%scall ", rule);
		append_word(&out, key);
	} else {
		/* A permission is the session's, and the newest one need not be this. */
		desk_lock(registry->desk);
		buf_printf(&out,
			"A person can allow it in this session: ambit perm %s allow "
			"--session %s",
			tool, ambit_engine_session(registry->engine));
		desk_unlock(registry->desk);
	}
	return buf_take(&out);
}

int
result_refuse(struct ambit_registry *registry, struct registry_result *result,
	const struct ambit_outcome *outcome, const char *tool, const char *scope, bool nobody)
{
	const char *path = NULL;
	auto_free char *hint = nobody || outcome->code == AMBIT_CODE_TIMEOUT
				       ? result_how_to_grant(registry, outcome, tool)
				       : str_dup(outcome->hint);

	for (size_t i = 0; i < outcome->n_paths && !path; i++)
		if (outcome->paths[i].verdict != AMBIT_ALLOW)
			path = outcome->paths[i].shown;
	return set_failure(result,
		outcome->code == AMBIT_CODE_NONE ? AMBIT_CODE_DENIED : outcome->code,
		outcome->reason && *outcome->reason ? outcome->reason : "ambit could not decide",
		hint, path, path ? scope : NULL, &outcome->asked);
}

/* What the model can do something about by asking differently, and what not. */
static enum ambit_code
code_of(int error)
{
	switch (error) {
	case ENOENT:
	case EEXIST:
	case EINVAL:
	case ENOTDIR:
	case EISDIR:
	case ENOTEMPTY:
	case ESTALE:
	case EFBIG:
	case E2BIG:
	case ELOOP:
	case ENAMETOOLONG:
	case EILSEQ:
	case ERANGE:
	case EXDEV:
	case EBUSY:
	case EKEYREJECTED:
		return AMBIT_CODE_BAD_ARGUMENTS;
	case ETIMEDOUT:
		return AMBIT_CODE_TIMEOUT;
	case EACCES:
	case EPERM:
	case EROFS:
	case ECANCELED:
		return AMBIT_CODE_DENIED;
	default:
		return AMBIT_CODE_INTERNAL;
	}
}

static const char *
hint_of(enum ambit_code code, int error)
{
	if (error == ECANCELED)
		return NULL;
	if (error == EKEYREJECTED)
		return "To the tool the call means something else than to whoever decided about "
		       "it. "
		       "Put it in a plain form, or split it into several calls.";
	if (error == EACCES || error == EPERM || error == EROFS)
		return "The system refuses it to this user. Go on without it, and say so in your "
		       "summary.";
	for (const struct ambit_word *w = ambit_codes; w->name; w++)
		if (w->value == (int)code && w->text && *w->text)
			return w->text;
	return NULL;
}

/* -- what a run ends in ------------------------------------------------------------------ */

/* A harness' own tool. What it had said until then may tell why; whose words those of a
 * failure are, nobody knows either. */
static int
fail_theirs(struct registry_result *result, struct tool_run *run, enum ambit_code code,
	const char *message, const char *hint)
{
	auto_free char *said = NULL, *own = NULL, *whole = NULL;

	if (!run->untrusted && run->text.len == 0)
		return result_fail(result, code, message, hint, NULL, NULL);
	run_cap(run, RESULT_MAX, NULL);
	if (run->untrusted) {
		said = registry_label_failure(run, message);
		own = str_printf("%s failed", run->tool->name);
	} else {
		said = buf_take(&run->text);
		own = strdup(message);
	}
	whole = said ? str_printf("%s%sIt said:\n%s", hint ? hint : "", hint ? " " : "", said)
		     : NULL;
	return own && whole ? result_fail(result, code, own, whole, NULL, NULL) : -ENOMEM;
}

static int
take_failure(
	struct registry_result *result, struct tool_run *run, int r, const struct ambit_error *err)
{
	enum ambit_code code = run->code ? run->code : code_of(-r);
	const char *hint = run->hint ? run->hint : hint_of(code, -r);
	const char *message = err->text[0] ? err->text : "it failed, and did not say why";

	result->cancelled = r == -ECANCELED;
	if (run->tool->run)
		return set_failure(result, code, message, hint, run->path, NULL,
			run->refused ? &run->asked : NULL);
	return fail_theirs(result, run, code, message, hint);
}

/* The size as text. Weighed first, for that is quick: no text is six times as long. */
static bool
is_too_large(const json_t *structured, size_t *ret_size)
{
	if (json_weight(structured) <= STRUCTURED_MAX / 6)
		return false;
	*ret_size = json_dumpb(structured, NULL, 0, JSON_COMPACT);
	return *ret_size > STRUCTURED_MAX;
}

/* Half an object is none: there is no way to cut it. */
static int
fail_too_large(struct registry_result *result, size_t size)
{
	auto_free char *message =
		str_printf("the result has %zu bytes, more than %zu", size, STRUCTURED_MAX);

	return message ? result_fail(result, AMBIT_CODE_INTERNAL, message,
				 "It was done. Ask for less at a time.", NULL, NULL)
		       : -ENOMEM;
}

int
result_take(
	struct registry_result *result, struct tool_run *run, int r, const struct ambit_error *err)
{
	size_t size = 0;

	if (r < 0)
		return take_failure(result, run, r, err);
	/* A net under tools that forgot: each has a limit of its own. */
	run_cap(run, RESULT_MAX, NULL);
	if (run->untrusted && registry_label(run) < 0)
		return -ENOMEM;
	/* A code of its own: it failed, and has more to say of it than words. */
	if (run->code && run->code != AMBIT_CODE_NONE && run->structured)
		json_object_set_new(run->structured, "error",
			json_string(ambit_word_name(ambit_codes, (int)run->code)));
	result->text = buf_take(&run->text);
	result->structured = run->structured ? json_incref(run->structured) : json_object();
	if (!result->text || !result->structured)
		return -ENOMEM;
	if (is_too_large(result->structured, &size))
		return fail_too_large(result, size);
	result->code = run->code ? run->code : AMBIT_CODE_NONE;
	result->failed = result->code != AMBIT_CODE_NONE;
	return 0;
}
