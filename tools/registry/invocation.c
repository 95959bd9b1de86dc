/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool sees of its call: its arguments, the places its permit is for, the
 * person, and where to put what it has to say. Tools run without the registry's lock;
 * what needs the engine takes it here. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "perform/permit.h"
#include "request/request-private.h"
#include "scope/scope-narrow.h"
#include "scope/scope-private.h"
#include "tools/registry/registry-private.h"

#define BEAT_MS 250 /* between two words of a search about how far it is */

/* -- arguments ------------------------------------------------------------------------- */

const char *
run_string(const struct tool_run *run, const char *name)
{
	return json_string_value(json_object_get(run->args, name));
}

long long
run_int(const struct tool_run *run, const char *name, long long otherwise)
{
	const json_t *value = json_object_get(run->args, name);

	if (json_is_integer(value))
		return json_integer_value(value);
	return json_is_real(value) ? (long long)json_real_value(value) : otherwise;
}

bool
run_bool(const struct tool_run *run, const char *name, bool otherwise)
{
	const json_t *value = json_object_get(run->args, name);

	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* -- the result ------------------------------------------------------------------------ */

int
run_fail(struct tool_run *run, struct ambit_error *err, int code, const char *hint, const char *fmt,
	...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	free(run->hint);
	run->hint = str_dup(hint);
	return err_set(err, code < 0 ? -code : code, "%s", text ? text : "out of memory");
}

bool
run_cancelled(const struct tool_run *run)
{
	struct pollfd p = { .fd = run->cancel, .events = POLLIN };

	return run->cancel >= 0 && poll(&p, 1, 0) > 0;
}

void
run_say(struct tool_run *run, const char *data, size_t len)
{
	while (len > 0) {
		unsigned point;
		size_t good = 0, n;

		while (good < len && data[good] && (n = str_utf8(data + good, len - good, &point)))
			good += n;
		buf_append(&run->text, data, good);
		data += good;
		len -= good;
		if (len == 0)
			return;
		buf_puts(&run->text, "\xef\xbf\xbd"); /* U+FFFD */
		data++;
		len--;
	}
}

void
run_cap(struct tool_run *run, size_t max, const char *how_to_see_more)
{
	size_t had = run->text.len, keep;
	const char *line;

	if (had <= max)
		return;
	keep = str_cut(run->text.data, had, max);
	line = memrchr(run->text.data, '\n', keep);
	if (line && (size_t)(line - run->text.data) > keep / 2)
		keep = (size_t)(line - run->text.data) + 1;
	run->text.len = keep;
	run->text.data[keep] = '\0';
	run->own -= run->own < had - keep ? run->own : had - keep;
	buf_printf(&run->text, "%s[cut: %zu of %zu bytes are not shown%s%s]",
		run->text.data[keep - 1] == '\n' ? "" : "\n", had - keep, had,
		how_to_see_more ? "; " : "", how_to_see_more ? how_to_see_more : "");
	run->own += run->text.len - keep;
}

void
run_progress(struct tool_run *run, double done, double total, const char *message)
{
	if (run->options->progress)
		run->options->progress(run->options->data, done, total, message);
}

void
run_beat(struct tool_run *run, _Atomic int64_t *next, size_t done, size_t total)
{
	int64_t now = clock_coarse(), at = atomic_load_explicit(next, memory_order_relaxed);
	char message[96];

	/* Who takes the turn has it until it was said. What is over soon says nothing. */
	if (!run->options->progress || now < at ||
		!atomic_compare_exchange_strong(next, &at, at ? INT64_MAX : now + BEAT_MS) || !at)
		return;
	if (total > 0)
		snprintf(message, sizeof(message), "%zu of %zu files looked at", done, total);
	else
		snprintf(message, sizeof(message), "%zu files found so far", done);
	/* What was found is not how far it is: that begins when the total is known. */
	run_progress(run, total > 0 ? (double)done : 0, (double)total, message);
	atomic_store(next, clock_coarse() + BEAT_MS);
}

/* -- places ------------------------------------------------------------------------------ */

int
run_place_of(struct tool_run *run, const char *path, enum ambit_access access, bool follow,
	bool make, struct ambit_place *ret_place, struct ambit_error *err)
{
	int r = ambit_permit_place(run->permit, path, access, follow, make, ret_place, err);
	char *shown;

	if (r == -ESTALE && !run->hint)
		run->hint =
			strdup("Something else changes it at the same time. Look at what is there "
			       "now, then call again.");
	shown = r == 0 ? str_dup(ret_place->shown) : str_escape(path, strlen(path));
	if (shown) {
		free(run->path);
		run->path = shown;
	}
	return r;
}

int
run_place(struct tool_run *run, const char *argument, enum ambit_access access, bool follow,
	bool make, struct ambit_place *ret_place, struct ambit_error *err)
{
	const char *path = run_string(run, argument);

	/* Tools that look around do so where they stand. */
	return run_place_of(run, path ? path : ".", access, follow, make, ret_place, err);
}

struct pass
run_pass(struct tool_run *run)
{
	struct pass pass;

	permit_pass(run->permit, &pass);
	return pass;
}

/* -- the rules of moves ---------------------------------------------------------------------- */

static int
open_attic(void *data)
{
	int attic = engine_attic(run_lock(data));

	run_unlock(data);
	return attic;
}

static bool
is_clear(void *data, const char *real)
{
	struct ambit_engine *engine = run_lock(data);
	bool clear = engine_search(engine, NULL) == 0 && engine_may_open_dir(engine, real);

	run_unlock(data);
	return clear;
}

static int
may_stand(void *data, int dir, const char *real, bool landed)
{
	int r = engine_may_stand(run_lock(data), dir, real, landed);

	run_unlock(data);
	return r;
}

static void
tell_evicted(void *data, const char *real, enum hand_evicted where, const char *name)
{
	struct tool_run *run = data;
	char *words = engine_record_evicted(run_lock(run), real, where == HAND_EVICTED_TO_ATTIC,
		where == HAND_NOT_EVICTED || where == HAND_REMOVED ? NULL : name);

	run_unlock(run);
	if (words) {
		free(run->hint);
		run->hint = words;
	}
}

/* Which directories carry rights is not known here: commands that run beside this call have
 * floors of their own. */
struct hand_law
run_law(struct tool_run *run)
{
	return (struct hand_law){
		.attic = open_attic,
		.is_clear = is_clear,
		.may_stand = may_stand,
		.guarded = permit_is_guarded(run->permit),
		.tell = tell_evicted,
		.data = run,
	};
}

/* -- what the session knows ---------------------------------------------------------------- */

struct ambit_engine *
run_lock(struct tool_run *run)
{
	desk_lock(run->registry->desk);
	return run->registry->engine;
}

void
run_unlock(struct tool_run *run)
{
	desk_unlock(run->registry->desk);
}

const struct ambit_scope *
run_scope(const struct tool_run *run)
{
	return run->scope ? run->scope : ambit_engine_scope(run->registry->engine);
}

struct lookups *
run_lookups(const struct tool_run *run)
{
	return run->registry->lookups;
}

struct backgrounds *
run_backgrounds(const struct tool_run *run)
{
	return run->registry->backgrounds;
}

int
run_directory(struct tool_run *run, char **ret_path, struct ambit_error *err)
{
	const struct ambit_scope *scope;
	struct path_facts at = { 0 };
	int r = 0;

	run_lock(run);
	scope = run_scope(run);
	if (run->cwd)
		r = scope_resolve(scope, NULL, run->cwd, strlen(run->cwd), true, &at, err);
	else
		at.real = strdup(ambit_scope_root(scope));
	run_unlock(run);
	if (r < 0)
		return err_context(err, "its cwd");
	*ret_path = resolved_take(&at);
	resolved_finish(&at);
	return *ret_path ? 0 : err_nomem(err);
}

int
run_narrowing(struct tool_run *run, char ***ret_only)
{
	char **only = calloc(1, sizeof(*only));
	int r;

	if (!only)
		return -ENOMEM;
	run_lock(run);
	r = scope_narrowed(run_scope(run), strv_append_to, &only);
	run_unlock(run);
	if (r == 0)
		*ret_only = only;
	else
		strv_free(only);
	return r < 0 ? r : 0;
}

bool
run_has_person(const struct tool_run *run)
{
	struct desk *desk = run->registry->desk;
	bool watched;

	desk_lock(desk);
	watched = desk_has_person(desk);
	desk_unlock(desk);
	return run->options->ask || watched || engine_approver(run->registry->engine) ||
	       engine_judge(run->registry->engine);
}

int
run_ask(struct tool_run *run, struct registry_crossing *crossing,
	const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	return registry_put(run->registry, run->options, crossing, question, ret_answer, err);
}

void
run_withdraw(struct tool_run *run, struct registry_crossing *crossing, uint64_t question,
	const char *how)
{
	registry_withdraw(run->registry, crossing, question, how);
}

/* A host that shows only on the way is decided as if it had been asked for at once.
 * That the connection came to something is in the call's own result. */
int
run_decide_host(struct tool_run *run, const char *host_port, struct ambit_error *err)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	struct ambit_error why = { 0 };
	bool asked = false;
	int r = ambit_request_connect(host_port, &request, err);

	if (r < 0)
		return r;
	request->origin = run->options->origin;
	r = registry_settle(
		run->registry, request, run->options, &outcome, &permit, NULL, &asked, &why);
	if (r == 0 && permit) {
		run_lock(run);
		ambit_permit_finish(permit, 0, NULL);
		run_unlock(run);
	} else if (r == 0) {
		auto_free char *hint =
			(asked && !outcome.asked) || outcome.code == AMBIT_CODE_TIMEOUT
				? result_how_to_grant(run->registry, &outcome, "connect")
				: str_dup(outcome.hint);

		run->code = outcome.code == AMBIT_CODE_NONE ? AMBIT_CODE_DENIED : outcome.code;
		run->refused = true;
		run->asked = outcome.asked;
		r = run_fail(run, err, EACCES, hint, "%s",
			outcome.reason ? outcome.reason : "ambit could not decide");
	} else {
		r = err_set(err, -r, "%s: %s", host_port,
			r == -ECANCELED ? "the call was cancelled"
			: why.text[0]	? why.text
					: "the question could not be put");
	}
	ambit_outcome_finish(&outcome);
	return r;
}

/* -- for a harness' own tools -------------------------------------------------------------- */

const char *
ambit_invocation_args(const struct ambit_invocation *invocation)
{
	return invocation->args;
}

struct ambit_permit *
ambit_invocation_permit(struct ambit_invocation *invocation)
{
	return invocation->run.permit;
}

int
ambit_invocation_cancel(const struct ambit_invocation *invocation)
{
	return invocation->run.cancel;
}

void
ambit_invocation_progress(
	struct ambit_invocation *invocation, double done, double total, const char *message)
{
	run_progress(&invocation->run, done, total, message);
}

int
ambit_invocation_say(struct ambit_invocation *invocation, const char *text, size_t len)
{
	run_say(&invocation->run, text, len);
	return invocation->run.text.failed ? -ENOMEM : 0;
}

int
ambit_invocation_set(struct ambit_invocation *invocation, const char *json)
{
	json_t *object = NULL;
	int r = json ? json_parse(json, strlen(json), &object, NULL) : -EINVAL;

	if (r < 0)
		return r;
	if (!json_is_object(object)) {
		json_decref(object);
		return -EINVAL;
	}
	json_decref(invocation->run.structured);
	invocation->run.structured = object;
	return 0;
}

void
ambit_invocation_untrusted(struct ambit_invocation *invocation, const char *source)
{
	invocation->run.untrusted = true;
	free(invocation->run.source);
	invocation->run.source = str_dup(source);
}
