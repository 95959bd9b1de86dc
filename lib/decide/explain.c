/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes in words and in JSON. Everything that came from outside has been
 * escaped before it got here, or is escaped now: a reason is read by a model
 * and shown on a terminal. */

#include <stdlib.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"

char *
explain_folder(const struct ambit_scope *scope)
{
	/* "." tells nobody where the line is. */
	if (streq(scope->root.real, scope->display.real))
		return str_escape(scope->root.real, strlen(scope->root.real));
	return ambit_scope_display(scope, scope->root.real);
}

void
ambit_outcome_finish(struct ambit_outcome *outcome)
{
	if (!outcome)
		return;
	for (size_t i = 0; i < outcome->n_paths; i++) {
		free(outcome->paths[i].path);
		free(outcome->paths[i].shown);
		free(outcome->paths[i].owner);
	}
	for (size_t i = 0; i < outcome->n_says; i++)
		free(outcome->says[i].reason);
	free(outcome->paths);
	free(outcome->says);
	free(outcome->reason);
	free(outcome->hint);
	free(outcome->advice);
	free(outcome->rule_key);
	free(outcome->host);
	free(outcome->scope);
	*outcome = (struct ambit_outcome){ 0 };
}

char *
ambit_outcome_message(const struct ambit_outcome *outcome)
{
	struct buf out = { 0 };
	const char *reason =
		outcome->reason && *outcome->reason ? outcome->reason : "ambit could not decide";

	buf_puts(&out, reason);
	if (outcome->hint) {
		if (!strchr(".!?", reason[strlen(reason) - 1]))
			buf_putc(&out, '.');
		buf_printf(&out, " %s", outcome->hint);
	}
	return buf_take(&out);
}

static const char *
code_name(enum ambit_code code)
{
	return code == AMBIT_CODE_NONE ? NULL : ambit_word_name(ambit_codes, (int)code);
}

static json_t *
paths_json(const struct ambit_outcome *outcome)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s?}", "path", path->shown, "access",
				      ambit_word_name(ambit_accesses, (int)path->access), "verdict",
				      ambit_word_name(ambit_verdicts, (int)path->verdict), "code",
				      code_name(path->code)));
	}
	return list;
}

static void
append_remember_entry(json_t *list, enum ambit_op op, const char *subject)
{
	json_t *one = json_pack("{s:s}", "op", ambit_word_name(ambit_ops, (int)op));

	if (one && json_set_text(one, "subject", subject) == 0)
		json_array_append(list, one);
	json_decref(one);
}

/* What a yes would be remembered as, for each thing in question. */
static json_t *
remember_json(const struct ambit_outcome *outcome, const struct ambit_request *request)
{
	json_t *list = json_array();

	if (!list || outcome->verdict != AMBIT_ASK)
		return list;
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].verdict == AMBIT_ASK && !outcome->paths[i].remembered)
			append_remember_entry(list,
				access_writes(outcome->paths[i].access) ? AMBIT_OP_WRITE
									: AMBIT_OP_READ,
				outcome->paths[i].owner ? outcome->paths[i].owner
							: outcome->paths[i].path);
	if (outcome->host && outcome->code == AMBIT_CODE_HOST_NOT_ALLOWED)
		append_remember_entry(list, AMBIT_OP_CONNECT, outcome->host);
	if (outcome->call && request) {
		auto_free char *key = request_call_key(request);

		if (key)
			append_remember_entry(list, AMBIT_OP_CALL, key);
	}
	return list;
}

static json_t *
says_json(const struct ambit_outcome *outcome)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < outcome->n_says; i++) {
		const struct ambit_say *say = &outcome->says[i];

		json_array_append_new(list,
			json_pack("{s:s, s:s, s:s?, s:b, s:s}", "layer", say->layer, "verdict",
				ambit_word_name(ambit_verdicts, (int)say->verdict), "code",
				code_name(say->code), "hard", say->hard, "reason", say->reason));
	}
	return list;
}

char *
ambit_outcome_json(const struct ambit_outcome *outcome, const struct ambit_request *request,
	const struct ambit_scope *scope, bool with_says)
{
	auto_free char *folder = outcome->scope ? strdup(outcome->scope)
				 : scope	? explain_folder(scope)
						: NULL;
	auto_json json_t *out = json_object();
	json_t *id = NULL;

	if (!out || ((scope || outcome->scope) && !folder))
		return NULL;
	if (request && request->id)
		id = json_loads(request->id, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	json_object_set_new(out, "id", id ? id : json_null());
	json_object_set_new(out, "verdict",
		json_string(ambit_word_name(ambit_verdicts, (int)outcome->verdict)));
	json_object_set_new(out, "code",
		code_name(outcome->code) ? json_string(code_name(outcome->code)) : json_null());
	if (outcome->verdict == AMBIT_DENY)
		json_object_set_new(out, "asked", json_boolean(outcome->asked));
	json_object_set_new(out, "reason",
		json_string(outcome->reason ? outcome->reason : "ambit could not decide"));
	json_object_set_new(out, "hint", outcome->hint ? json_string(outcome->hint) : json_null());
	json_object_set_new(
		out, "danger", json_string(ambit_word_name(ambit_dangers, (int)outcome->danger)));
	json_object_set_new(out, "layer", json_string(outcome->layer ? outcome->layer : "engine"));
	if (folder)
		json_object_set_new(out, "scope", json_string(folder));
	json_object_set_new(out, "paths", paths_json(outcome));
	if (outcome->host)
		json_set_text(out, "host", outcome->host);
	json_object_set_new(
		out, "rule_key", outcome->rule_key ? json_string(outcome->rule_key) : json_null());
	json_object_set_new(out, "remember", remember_json(outcome, request));
	if (with_says)
		json_object_set_new(out, "layers", says_json(outcome));
	/* In the order people read it; what is invisible in an id shows as \\u.... */
	return json_dumps(out, JSON_COMPACT | JSON_ENSURE_ASCII);
}
