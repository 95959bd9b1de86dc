/* SPDX-License-Identifier: Apache-2.0 */
/* The arrow: a request is decided, approved, recorded, and only then does
 * whoever acts get a permit. This is the only place that sees every stage;
 * the stages do not see each other. When something here fails, the outcome is
 * a deny that says so. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "decide/brief.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "engine/questions.h"
#include "request/request-private.h"

int
ambit_engine_create(const struct ambit_engine_options *options, struct ambit_engine **ret_engine,
	struct ambit_error *err)
{
	struct ambit_engine *engine = calloc(1, sizeof(*engine));
	int r;

	if (!engine)
		return err_nomem(err);
	engine->began = clock_now();
	r = engine_open(engine, options, err);
	if (r < 0) {
		ambit_engine_destroy(engine);
		return r;
	}
	*ret_engine = engine;
	return 0;
}

const char *
ambit_engine_session(const struct ambit_engine *engine)
{
	return engine->session.name;
}

struct ambit_approver *
engine_approver(const struct ambit_engine *engine)
{
	return engine->approver;
}

struct ambit_judge *
engine_judge(const struct ambit_engine *engine)
{
	return engine->judge;
}

/* What is late here is an answer; the words of the code are about commands. */
static const char *
hint_of(enum ambit_code code)
{
	if (code == AMBIT_CODE_TIMEOUT)
		return "Go on without it and say so in your summary, or ask the person and call "
		       "again then.";
	for (const struct ambit_word *w = ambit_codes; w->name; w++)
		if (w->value == (int)code && w->text && *w->text)
			return w->text;
	return NULL;
}

void
engine_refuse(struct ambit_outcome *outcome, enum ambit_code code, const char *fmt, ...)
{
	const char *hint = hint_of(code);
	char *reason = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&reason, fmt, ap) < 0)
		reason = NULL;
	va_end(ap);
	free(outcome->reason);
	free(outcome->hint);
	outcome->verdict = AMBIT_DENY;
	outcome->code = code;
	outcome->layer = "engine";
	outcome->reason = reason;
	outcome->hint = hint ? strdup(hint) : NULL;
}

/* -- decide ------------------------------------------------------------------ */

int
engine_child_scope(struct ambit_engine *engine, const struct request_scope *said,
	struct ambit_scope **ret_child, struct ambit_error *err)
{
	const struct ambit_scope_options options = {
		.root = said->root,
		.display_root = said->display_root,
		.enforce_write = said->enforce == REQUEST_ENFORCE_ON ||
				 (said->root && said->enforce != REQUEST_ENFORCE_OFF),
		.allow_bash = !said->no_bash,
	};
	struct ambit_scope *child = NULL;
	int r = scope_refresh(engine->scope, err);

	*ret_child = NULL;
	if (r < 0 || (!said->root && !said->display_root && said->enforce != REQUEST_ENFORCE_ON))
		return r;
	r = ambit_scope_child(engine->scope, &options, &child, err);
	if (r == 0 && said->settled && !streq(ambit_scope_root(child), said->root))
		r = err_set(err, ESTALE,
			"the scope's root is another directory than when the call began");
	if (r < 0)
		ambit_scope_destroy(child);
	else
		*ret_child = child;
	return r;
}

enum ambit_code
engine_scope_code(int r)
{
	switch (-r) {
	case EPERM:
		return AMBIT_CODE_OUT_OF_SCOPE;
	case EINVAL:
		return AMBIT_CODE_BAD_ARGUMENTS;
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EACCES:
	case ENAMETOOLONG:
	case ESTALE:
		return AMBIT_CODE_UNRESOLVABLE;
	}
	return AMBIT_CODE_INTERNAL;
}

/* ret_code: of a failure. The caller can do something about its scope, and about nothing else. */
static int
make_input(struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *ret_input, struct ambit_scope **ret_child, enum ambit_code *ret_code,
	struct ambit_error *err)
{
	struct ambit_scope *child = NULL;
	int r = engine_child_scope(engine, &request->scope, &child, err);

	*ret_code = r < 0 ? engine_scope_code(r) : AMBIT_CODE_INTERNAL;
	if (r == 0)
		r = engine_reload(engine, err);
	if (r == 0)
		r = guards_ready(engine->guards, engine->guarded, err);
	if (r < 0) {
		ambit_scope_destroy(child);
		return r;
	}
	*ret_child = child;
	engine_look(engine, request, ret_input);
	if (child)
		ret_input->scope = child;
	ret_input->apart = ret_input->apart && !child;
	return 0;
}

int
engine_input(struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *ret_input, struct ambit_scope **ret_child, struct ambit_error *err)
{
	enum ambit_code code;

	return make_input(engine, request, ret_input, ret_child, &code, err);
}

void
engine_decide(struct ambit_engine *engine, const struct ambit_request *request,
	const struct rules *extra, bool again, struct ambit_outcome *ret_outcome,
	struct path_facts **ret_resolved)
{
	struct ambit_scope *child = NULL;
	struct ambit_error err = { 0 };
	struct decide_input in;
	auto_free struct ambit_rule *all = NULL;
	enum ambit_code code;

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_resolved)
		*ret_resolved = NULL;
	if (make_input(engine, request, &in, &child, &code, &err) < 0) {
		engine_refuse(ret_outcome, code, "%s", err.text);
		return;
	}
	in.again = again;
	if (extra && extra->n > 0) {
		all = calloc(in.n_rules + extra->n, sizeof(*all));
		if (!all) {
			ambit_scope_destroy(child);
			engine_refuse(ret_outcome, AMBIT_CODE_INTERNAL, "out of memory");
			return;
		}
		if (in.n_rules > 0)
			memcpy(all, in.rules, in.n_rules * sizeof(*all));
		memcpy(all + in.n_rules, extra->list, extra->n * sizeof(*all));
		in.rules = all;
		in.n_rules += extra->n;
	}
	decide(&in, ret_outcome, ret_resolved);
	if (child && !(ret_outcome->scope = explain_folder(child)))
		engine_refuse(ret_outcome, AMBIT_CODE_INTERNAL, "out of memory");
	ambit_scope_destroy(child);
}

/* The same call again and again is a loop, not work. */
void
engine_check_loop(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *outcome)
{
	auto_json json_t *asked = NULL;
	auto_free char *text = NULL;
	char digest[HASH_HEX];
	int limit;

	/* A program that opens the same file a thousand times is at work, and so is a model that
	 * waits for a command. */
	if (request_is_syscall(request) || request->again ||
		(request->tool && request->tool->looks_again))
		return;
	limit = ambit_settings_number(engine->settings, "loop_limit");
	if (limit <= 0)
		return;
	/* Not the arguments alone: a request for a path or a host has none. And of several who
	 * call, none is held to what another has done. */
	asked = request_json(request);
	if (asked &&
		json_object_set_new(asked, "origin", json_integer((json_int_t)request->origin)) < 0)
		return engine_refuse(outcome, AMBIT_CODE_INTERNAL, "out of memory");
	text = asked ? json_line(asked) : NULL;
	if (!text)
		return engine_refuse(outcome, AMBIT_CODE_INTERNAL, "out of memory");
	hash_sha256(text, strlen(text), digest);
	engine->repeated = streq(digest, engine->last_call) ? engine->repeated + 1 : 1;
	memcpy(engine->last_call, digest, sizeof(digest));
	if (engine->repeated > limit && outcome->verdict != AMBIT_DENY)
		engine_refuse(outcome, AMBIT_CODE_LOOP_DETECTED,
			"the same call to %s was made %d times in a row (loop_limit is %d)",
			request_tool(request), engine->repeated, limit);
}

int
ambit_engine_decide(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_error *err)
{
	engine_decide(engine, request, NULL, false, ret_outcome, NULL);
	engine_check_loop(engine, request, ret_outcome);
	engine_record(engine, request, ret_outcome);
	if (ret_outcome->code == AMBIT_CODE_INTERNAL)
		err_set(err, EIO, "%s",
			ret_outcome->reason ? ret_outcome->reason : "out of memory");
	return 0;
}

/* -- record ------------------------------------------------------------------ */

static json_t *
decision_body(const struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome)
{
	json_t *body = json_pack("{s:s, s:s, s:s, s:s}", "door", engine->door, "layer",
		outcome->layer ? outcome->layer : "engine", "danger",
		ambit_word_name(ambit_dangers, (int)outcome->danger), "reason",
		outcome->reason ? outcome->reason : "");
	json_t *asked = request_json(request), *paths = json_array();

	for (size_t i = 0; paths && i < outcome->n_paths; i++)
		json_array_append_new(paths,
			json_pack("{s:s, s:s, s:s}", "path", outcome->paths[i].shown, "access",
				ambit_word_name(ambit_accesses, (int)outcome->paths[i].access),
				"verdict",
				ambit_word_name(ambit_verdicts, (int)outcome->paths[i].verdict)));
	if (body && asked && paths) {
		json_object_set_new(body, "request", asked);
		json_object_set_new(body, "paths", paths);
		if (outcome->verdict == AMBIT_DENY)
			json_object_set_new(body, "asked", json_boolean(outcome->asked));
		return body;
	}
	json_decref(asked);
	json_decref(paths);
	json_decref(body);
	return NULL;
}

static struct ambit_event
event_of(const struct ambit_engine *engine, const char *kind, const struct ambit_request *request,
	const struct ambit_outcome *outcome)
{
	struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = kind,
		.tool = request ? request_tool(request) : NULL,
	};

	if (outcome) {
		event.verdict = ambit_word_name(ambit_verdicts, (int)outcome->verdict);
		if (outcome->code != AMBIT_CODE_NONE)
			event.code = ambit_word_name(ambit_codes, (int)outcome->code);
	}
	return event;
}

int
engine_append(struct ambit_engine *engine, const char *kind, const struct ambit_request *request,
	const struct ambit_outcome *outcome, const json_t *body, struct ambit_error *err)
{
	auto_free char *label = request ? request_label(request) : NULL;
	struct ambit_event event = event_of(engine, kind, request, outcome);

	event.subject = label;
	if (request && !label)
		return err_nomem(err);
	return record_append(engine->record, &event, body, err);
}

/* The directory of the first path that is not allowed, or of the first at all; the host.
 * NULL: it is about neither, or there is no memory. Caller frees. */
static char *
place_of(const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = outcome->n_paths > 0 ? outcome->paths : NULL;
	const char *end;

	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].verdict != AMBIT_ALLOW) {
			path = &outcome->paths[i];
			break;
		}
	if (!path || !path->shown)
		return str_dup(outcome->host);
	end = strrchr(path->shown, '/');
	return end == path->shown ? strdup("/")
	       : end		  ? strndup(path->shown, (size_t)(end - path->shown))
				  : strdup(".");
}

int
engine_count(struct ambit_engine *engine, const char *kind, const struct ambit_request *request,
	const struct ambit_outcome *outcome, bool refused, struct ambit_error *err)
{
	const struct ambit_event event = event_of(engine, kind, request, outcome);
	auto_free char *place = outcome ? place_of(outcome) : NULL;
	const struct record_like like = {
		.place = place,
		.program = request ? request->program : NULL,
		.refused = refused,
	};

	return record_count(engine->record, &event, &like, err);
}

/* Reads are free until the first write: an allowed write, or a command that
 * may have written, is the first write. */
static int
note_write(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, struct ambit_error *err)
{
	int r;

	if (outcome->verdict != AMBIT_ALLOW || engine->session.wrote ||
		(request->effects != 0 &&
			!(request->effects & (AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE))))
		return 0;
	/* Only the flag: another process may have changed the modes meanwhile. */
	r = record_session_wrote(engine->record, engine->session.name, err);
	engine->session.wrote = r == 0;
	return r;
}

static int
append_decision(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, struct ambit_error *err)
{
	auto_json json_t *body = decision_body(engine, request, outcome);

	return body ? engine_append(engine, "decide", request, outcome, body, err) : err_nomem(err);
}

void
engine_record(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *outcome)
{
	struct ambit_error err = { 0 };
	int r;

	if (!engine->record || engine->observe)
		return;
	r = engine_count(engine, "decide", request, outcome, outcome->verdict != AMBIT_ALLOW, &err);
	if (r == 0)
		r = append_decision(engine, request, outcome, &err);
	if (r >= 0)
		r = note_write(engine, request, outcome, &err);
	if (r < 0)
		engine_refuse(outcome, AMBIT_CODE_INTERNAL,
			"this could not be recorded, so it is not done: %s", err.text);
}

/* -- permits ------------------------------------------------------------------ */

static void
permit_free(struct ambit_permit *permit)
{
	if (!permit)
		return;
	for (size_t i = 0; i < permit->n_paths; i++)
		resolved_finish(&permit->paths[i].resolved);
	if (permit->base_fd >= 0)
		close(permit->base_fd);
	free(permit->base);
	free(permit->cwd);
	free(permit->paths);
	free(permit->tool);
	free(permit->label);
	free(permit);
}

int
engine_permit(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, struct path_facts *resolved,
	struct ambit_permit **ret_permit, struct ambit_error *err)
{
	struct ambit_permit *permit = calloc(1, sizeof(*permit));
	size_t n = outcome->n_paths;
	int r = -ENOMEM;

	if (permit) {
		permit->engine = engine;
		permit->base_fd = -1;
		permit->tool = strdup(request_tool(request));
		permit->label = request_label(request);
		permit->paths = calloc(n ? n : 1, sizeof(*permit->paths));
	}
	if (permit && permit->tool && permit->label && permit->paths)
		r = n > 0 ? engine_permit_base(permit, request) : 0;
	if (r < 0) {
		decide_resolved_free(resolved, n);
		permit_free(permit);
		return err_sys(err, -r, "no permit could be made");
	}
	for (size_t i = 0; resolved && i < n; i++) {
		permit->paths[permit->n_paths++] = (struct permit_path){
			.access = outcome->paths[i].access,
			.resolved = resolved[i],
		};
		permit->guarded |= outcome->paths[i].code == AMBIT_CODE_GUARDED;
	}
	free(resolved);
	permit->n_passes = n + (outcome->host != NULL);
	*ret_permit = permit;
	return 0;
}

int
ambit_permit_open(struct ambit_permit *permit, size_t n, int flags, mode_t mode, int *ret_fd,
	struct ambit_error *err)
{
	if (n >= permit->n_paths)
		return err_set(err, ENOENT, "the request has no path number %zu", n);
	return permit_open(&permit->paths[n], flags, mode, ret_fd, err);
}

int
ambit_permit_finish(struct ambit_permit *permit, int result, struct ambit_error *err)
{
	int r;

	if (!permit)
		return 0;
	auto_json json_t *body = json_pack("{s:b, s:s}", "ok", result == 0, "error",
		result == 0 ? "" : strerror(result < 0 ? -result : result));
	struct ambit_event event = {
		.session = permit->engine->session.name,
		.time = clock_now(),
		.kind = "result",
		.tool = permit->tool,
		.subject = permit->label,
	};

	engine_permit_unmake(permit, result != 0);
	engine_once_done(permit, result != 0);
	r = record_count(permit->engine->record, &event, &(struct record_like){ 0 }, err);
	if (r == 0)
		r = body ? record_append(permit->engine->record, &event, body, err)
			 : err_nomem(err);
	r = r < 0 ? r : 0;
	permit_free(permit);
	return r;
}

/* -- for people --------------------------------------------------------------- */

static const struct {
	const char *key;
	size_t session; /* offsets of the ints */
	size_t settings;
	int by_default;
} modes[] = {
	{ "agent_mode", offsetof(struct ambit_session, agent_mode),
		offsetof(struct settings_values, agent_mode), AMBIT_BUILD },
	{ "sandbox_mode", offsetof(struct ambit_session, sandbox_mode),
		offsetof(struct settings_values, sandbox_mode), AMBIT_DEFAULT_WRITE },
	{ "ask_mode", offsetof(struct ambit_session, ask_mode),
		offsetof(struct settings_values, ask_mode), AMBIT_ASK_DANGEROUS },
	{ "reads", offsetof(struct ambit_session, reads), offsetof(struct settings_values, reads),
		AMBIT_READS_ANYWHERE },
};

static int
read_int_field(const void *base, size_t offset)
{
	int value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

int
ambit_engine_mode(const struct ambit_engine *engine, const char *key, const char **ret_from)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!streq(modes[i].key, key))
			continue;
		int session = read_int_field(&engine->session, modes[i].session);
		int person = read_int_field(settings_person(engine->settings), modes[i].settings);
		int folder = read_int_field(settings_folder(engine->settings), modes[i].settings);
		int value = decision_mode(session, person, folder, modes[i].by_default);

		if (ret_from)
			*ret_from = folder >= 0 && value == folder && value != session &&
						    value != person
					    ? "folder"
				    : session >= 0 ? "session"
				    : person >= 0  ? "person"
						   : "default";
		return value;
	}
	return -1;
}

enum ambit_permission
ambit_engine_permission(const struct ambit_engine *engine, const char *tool, const char **ret_from)
{
	struct ambit_request request = { .name = (char *)tool, .tool = tool_find(tool) };
	struct decide_input in = {
		.settings = engine->settings,
		.session = &engine->session,
		.request = &request,
	};
	const char *from;
	int said = permission_said(&in, &from), folder = permission_folder(&in);
	int value = said >= 0	   ? said
		    : request.tool ? (int)request.tool->permission
				   : AMBIT_PERMISSION_ASK;

	if (said < 0)
		from = "default";
	if (folder >= 0 && folder < value) {
		value = folder;
		from = "folder";
	}
	if (ret_from)
		*ret_from = from;
	return (enum ambit_permission)value;
}

char *
engine_brief_for(const struct ambit_engine *engine, enum brief_shell shell)
{
	struct decide_input in = {
		.settings = engine->settings,
		.scope = engine->scope,
		.session = &engine->session,
	};

	return brief_text(&in, shell);
}

char *
ambit_engine_brief(const struct ambit_engine *engine)
{
	return engine_brief_for(engine, BRIEF_SHELL_LOOSE);
}
