/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome that is ask into the words of a question: the act, its object, the danger, by whom
 * and why. Names come from programs and are escaped here; which of them are shown is ambit's to
 * say: the object is what was resolved, never what the program called it. */

#include <errno.h>
#include <stdlib.h>

#include "ask/question-words.h"
#include "ask/text-columns.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/temporary.h"
#include "request/host.h"

#define FOLDER_COLUMNS 48 /* in an answer, so that it fits one line */
#define LINE_MAX_NAMES 5  /* of those a process descends from */

bool
question_path_open(const struct ambit_outcome_path *path)
{
	return path->verdict == AMBIT_ASK && !path->remembered;
}

bool
question_host_open(const struct ambit_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_says; i++)
		if (outcome->says[i].code == AMBIT_CODE_HOST_NOT_ALLOWED &&
			outcome->says[i].verdict == AMBIT_ASK)
			return true;
	return false;
}

static bool
has_open_code(const struct ambit_outcome *outcome, enum ambit_code code)
{
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (question_path_open(&outcome->paths[i]) && outcome->paths[i].code == code)
			return true;
	return false;
}

bool
question_is_secret(const struct ambit_outcome *outcome)
{
	return has_open_code(outcome, AMBIT_CODE_GUARDED_READ);
}

bool
question_is_guarded(const struct ambit_outcome *outcome)
{
	return question_is_secret(outcome) || has_open_code(outcome, AMBIT_CODE_GUARDED);
}

bool
question_is_socket(const struct ambit_outcome *outcome)
{
	return question_host_open(outcome) && host_is_unix(outcome->host);
}

/* -- paths ------------------------------------------------------------------- */

/* With ~ for the home; a name in the folder that begins so must not pass for it. */
static char *
shorten_path(const struct ambit_scope *scope, const char *real)
{
	const char *home = scope->home;
	auto_free char *safe = NULL;

	if (!home || streq(home, "/") || !str_beneath(real, home))
		return str_escape(real, strlen(real));
	safe = str_escape(real + strlen(home), strlen(real + strlen(home)));
	return safe ? str_printf("~%s", safe) : NULL;
}

char *
question_path(const struct ambit_scope *scope, const char *real)
{
	auto_free char *inside = NULL;

	if (streq(real, scope->display.real) || !str_beneath(real, scope->display.real))
		return shorten_path(scope, real);
	inside = ambit_scope_display(scope, real);
	if (!inside || inside[0] != '~')
		return steal_ptr(&inside);
	return str_printf("./%s", inside);
}

/* The i-th path that is asked about, of those that differ; or NULL. */
static const struct ambit_outcome_path *
find_open_path(const struct ambit_outcome *outcome, size_t i)
{
	for (size_t n = 0; n < outcome->n_paths; n++) {
		const struct ambit_outcome_path *path = &outcome->paths[n];
		bool before = false;

		for (size_t m = 0; m < n; m++)
			before |= question_path_open(&outcome->paths[m]) &&
				  streq(outcome->paths[m].path, path->path);
		if (question_path_open(path) && !before && i-- == 0)
			return path;
	}
	return NULL;
}

static const char *
path_act(const struct ambit_outcome_path *path)
{
	switch (path->access) {
	case AMBIT_ACCESS_DELETE:
		return "delete";
	case AMBIT_ACCESS_MKDIR:
		return "make the directory";
	case AMBIT_ACCESS_READ:
		return "read";
	case AMBIT_ACCESS_READ_TREE:
		return "read all of";
	case AMBIT_ACCESS_REPLACE:
		return path->does && streq(path->does, "create") ? "write" : "replace";
	case AMBIT_ACCESS_WRITE:
		break;
	}
	return "write";
}

static void
put_path(struct buf *out, const struct decide_input *in, const char *real)
{
	auto_free char *shown = question_path(in->scope, real);

	out->failed |= !shown;
	buf_puts(out, shown ? shown : "");
}

/* "a new file in ~/data (sed's temporary)" */
static void
put_temporary(struct buf *out, const struct decide_input *in, const char *real)
{
	auto_free char *dir = strndup(real, (size_t)(strrchr(real, '/') - real));
	const char *program = in->request->program ? in->request->program : "its";
	auto_free char *name = str_escape(program, strlen(program));

	out->failed |= !dir || !name;
	buf_puts(out, "a new file in ");
	put_path(out, in, dir ? dir : "");
	buf_printf(out, " (%s's temporary)", name ? name : "");
}

static int
set_text(char **slot, char *text)
{
	*slot = text;
	return text ? 0 : -ENOMEM;
}

static const char *
paths_act(const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *a = find_open_path(outcome, 0);
	const struct ambit_outcome_path *b = find_open_path(outcome, 1), *next;

	if (a->access == AMBIT_ACCESS_DELETE && b->access == AMBIT_ACCESS_REPLACE &&
		!find_open_path(outcome, 2))
		return "move";
	for (size_t i = 1; (next = find_open_path(outcome, i)) != NULL; i++)
		if (!streq(path_act(a), path_act(next)))
			return "change";
	return path_act(a);
}

static int
add_several_paths(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const char *act = paths_act(outcome);
	const struct ambit_outcome_path *path;
	struct buf out = { 0 };

	for (size_t i = 0; (path = find_open_path(outcome, i)) != NULL; i++) {
		buf_puts(&out, i == 0 ? "" : streq(act, "move") ? " to " : ", ");
		put_path(&out, in, path->path);
	}
	if (set_text(&q->act, strdup(act)) < 0 || set_text(&q->object, buf_take(&out)) < 0)
		return -ENOMEM;
	return set_text(&q->kind, strdup("files"));
}

static int
add_path_words(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);
	bool temporary = temporary_is_made_up(in, outcome, (size_t)(path - outcome->paths));
	struct buf out = { 0 };

	if (find_open_path(outcome, 1))
		return add_several_paths(q, in, outcome);
	if (temporary)
		put_temporary(&out, in, path->path);
	else
		put_path(&out, in, path->path);
	if (set_text(&q->act, strdup(path_act(path))) < 0 ||
		set_text(&q->object, buf_take(&out)) < 0)
		return -ENOMEM;
	return set_text(&q->kind, strdup(temporary			? "temporary"
					  : question_is_secret(outcome) ? "secret"
									: "file"));
}

/* -- hosts and calls ---------------------------------------------------------- */

static int
add_host_words(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const char *path = host_unix_path(outcome->host);

	if (set_text(&q->act, strdup("connect")) < 0 ||
		set_text(&q->kind, strdup(question_is_socket(outcome) ? "socket" : "host")) < 0)
		return -ENOMEM;
	return set_text(&q->object, path ? shorten_path(in->scope, path)
					 : str_escape(outcome->host, strlen(outcome->host)));
}

/* The whole of the call: what it does besides its paths and hosts cannot be told. */
static int
add_call_words(struct ambit_question *q, const struct decide_input *in)
{
	const char *tool = request_tool(in->request), *rest = q->what;
	auto_free char *shown = str_escape(tool, strlen(tool));

	if (!shown)
		return -ENOMEM;
	if (str_prefix(rest, shown) && strchr(": ", rest[strlen(shown)])) {
		rest += strlen(shown);
		rest += *rest == ':';
		rest += *rest == ' ';
	} else {
		shown[0] = '\0';
	}
	/* "bash: make" is a command that runs, whatever the tool is called. */
	if (in->request->command && shown[0])
		return set_text(&q->kind, strdup("call")) < 0 ||
				       set_text(&q->act, strdup("run")) < 0
			       ? -ENOMEM
			       : set_text(&q->object, strdup(rest));
	if (set_text(&q->kind, strdup("call")) < 0 || set_text(&q->act, steal_ptr(&shown)) < 0)
		return -ENOMEM;
	return set_text(&q->object, strdup(rest));
}

/* -- by whom ------------------------------------------------------------------- */

/* "claude > bash > deploy": the same name twice in a row is one, and of many those in the middle
 * are left out. */
static void
put_line(struct buf *out, char *const *line)
{
	size_t n = strv_len(line), shown = 0;
	const char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		auto_free char *name = str_escape(line[i], strlen(line[i]));
		bool left_out = n > LINE_MAX_NAMES && i >= 2 && i < n - 2;

		if (left_out && i > 2)
			continue;
		if (!left_out && last && streq(last, line[i]))
			continue;
		out->failed |= !name;
		buf_printf(out, "%s%s", shown++ > 0 ? " > " : "",
			left_out ? "..."
			: name	 ? name
				 : "");
		last = left_out ? NULL : line[i];
	}
}

static char *
make_by(const struct ambit_request *request)
{
	const char *agent = request->agent, *program = request->program;
	auto_free char *safe_agent = agent ? str_escape(agent, strlen(agent)) : NULL;
	auto_free char *safe = program ? str_escape(program, strlen(program)) : NULL;
	auto_buf struct buf line = { 0 };
	struct buf out = { 0 };

	put_line(&line, request->line);
	if (agent)
		buf_printf(&out, "sub-agent %s%s", safe_agent ? safe_agent : "",
			program || (request->args && request->tool) ? ", " : "");
	if (program)
		buf_puts(&out, safe ? safe : "");
	else if (request->args && request->tool)
		buf_printf(&out, "the %s tool", request_tool(request));
	if (program && line.len > 0 && safe && !streq(line.data, safe))
		buf_printf(&out, " (%s)", line.data);
	out.failed |= line.failed || (agent && !safe_agent) || (program && !safe);
	return buf_take(&out);
}

/* -- why ------------------------------------------------------------------------- */

static void
put_reason(struct buf *out, const char *text)
{
	buf_printf(out, "%s%s", out->len > 0 ? "; " : "", text);
}

static void
put_path_reason(struct buf *out, const struct decide_input *in, const struct ambit_outcome *outcome,
	const struct ambit_outcome_path *path)
{
	auto_free char *folder = shorten_path(in->scope, in->scope->root.real);
	auto_free char *real = ambit_scope_display(in->scope, path->path);
	bool inside = scope_holds(in->scope, path->path);

	out->failed |= !folder || !real;
	if (!folder || !real || path->code == AMBIT_CODE_GUARDED_READ)
		return;
	buf_printf(out, "%s%s %s%s", out->len > 0 ? "; " : "", inside ? "inside" : "outside",
		folder, path->code == AMBIT_CODE_GUARDED ? ", guarded" : "");
	if (path->shown && !streq(path->shown, real))
		buf_printf(out, "; asked for as %s", path->shown);
	if (temporary_is_made_up(in, outcome, (size_t)(path - outcome->paths)))
		buf_puts(out, "; may replace one file there");
}

static const char *
host_reason(const char *host)
{
	if (host_is_long(host))
		return "so long a name can carry data";
	return host_is_local(host) || host_is_localhost(host)
		       ? "on this machine or its network, not allowed yet"
		       : "this host is not allowed yet";
}

static void
put_host_reason(struct buf *out, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	if (!question_is_socket(outcome))
		put_reason(out, host_reason(in->request->host ? in->request->host : ""));
	else
		buf_printf(out, "%swhat %s does is not held", out->len > 0 ? "; " : "",
			host_unix_name(outcome->host));
}

/* Reasons of the paths and hosts are short ones; other layers speak for themselves. A place in
 * the folder that is asked about and no guard has a reason of its own, too. */
static bool
has_short_reason(const struct decide_input *in, const struct ambit_outcome *outcome,
	const struct ambit_say *say)
{
	if (say->code == AMBIT_CODE_HOST_NOT_ALLOWED || say->code == AMBIT_CODE_GUARDED ||
		say->code == AMBIT_CODE_GUARDED_READ)
		return true;
	if (say->code != AMBIT_CODE_OUTSIDE)
		return false;
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].code == AMBIT_CODE_OUTSIDE &&
			scope_holds(in->scope, outcome->paths[i].path))
			return false;
	return true;
}

/* "bash is dangerous" says nothing new where another layer has said why. */
static void
put_long_reasons(struct buf *out, const struct decide_input *in,
	const struct ambit_outcome *outcome, bool effects)
{
	for (size_t i = 0; i < outcome->n_says; i++) {
		const struct ambit_say *say = &outcome->says[i];

		if (say->verdict == AMBIT_ASK && streq(say->layer, "effects") == effects &&
			!has_short_reason(in, outcome, say))
			put_reason(out, say->reason);
	}
}

static char *
make_because(const struct decide_input *in, const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);
	struct buf out = { 0 };

	put_long_reasons(&out, in, outcome, false);
	if (path && (out.len == 0 || path->code != AMBIT_CODE_OUTSIDE ||
			    !scope_holds(in->scope, path->path)))
		put_path_reason(&out, in, outcome, path);
	if (question_host_open(outcome))
		put_host_reason(&out, in, outcome);
	if (out.len == 0 && !question_is_secret(outcome))
		put_long_reasons(&out, in, outcome, true);
	return buf_take(&out);
}

static char *
make_danger(const struct ambit_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (question_path_open(&outcome->paths[i]) && outcome->paths[i].danger)
			return strdup(outcome->paths[i].danger);
	return question_is_socket(outcome) ? host_unix_danger(outcome->host) : strdup("");
}

int
question_add_words(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	int r;

	if (outcome->call || (!find_open_path(outcome, 0) && !question_host_open(outcome)))
		r = add_call_words(q, in);
	else if (find_open_path(outcome, 0))
		r = add_path_words(q, in, outcome);
	else
		r = add_host_words(q, in, outcome);
	if (r < 0 || set_text(&q->danger, make_danger(outcome)) < 0 ||
		set_text(&q->by, make_by(in->request)) < 0 ||
		set_text(&q->because, make_because(in, outcome)) < 0)
		return -ENOMEM;
	return set_text(&q->project, shorten_path(in->scope, in->project));
}

/* -- answers ------------------------------------------------------------------------ */

/* "commands 'git status ...'": a key that stands for more than this call says so. */
static char *
call_width(const struct decide_input *in)
{
	auto_free char *key = request_call_key(in->request);
	auto_free char *safe = NULL;

	if (!key || !str_prefix(key, "cmd:"))
		return key ? strdup("this call") : NULL;
	safe = str_escape(key + 4, strlen(key + 4));
	return safe ? str_printf("commands '%s ...'", safe) : NULL;
}

/* A name that is looked up has no port yet, and is allowed with all of them. "localhost:8080" and
 * "[::1]:8080" are allowed with this one. */
static const char *
host_width(const char *host)
{
	const char *colon = strrchr(host, ':');

	if (colon && colon[1] && (strchr(host, ':') == colon || colon[-1] == ']'))
		return "this host and port";
	return "this host, any port";
}

/* Words for the exact object: "this file", "this socket". */
static char *
exact_width(const struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);

	if (outcome->call || (!path && !question_host_open(outcome)))
		return call_width(in);
	if (!path)
		return strdup(streq(q->kind, "socket") ? "this socket" : host_width(outcome->host));
	if (streq(q->kind, "files"))
		return strdup("these files");
	return strdup(path->access == AMBIT_ACCESS_MKDIR       ? "this directory alone"
		      : path->access == AMBIT_ACCESS_READ_TREE ? "this directory"
		      : streq(q->kind, "temporary")	       ? "this name"
							       : "this file");
}

/* The narrowest yes. To one that talks or reads it is for the process: more of the same follows. */
static const char *
once_label(const struct ambit_question *q, const struct decide_input *in)
{
	bool process =
		streq(q->kind, "host") || streq(q->kind, "socket") || streq(q->kind, "secret");

	return process && in->request->pid ? "this process" : "once";
}

char *
question_label(const struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, enum ambit_answer_kind kind, const char *folder)
{
	auto_free char *width = NULL;

	if (kind == AMBIT_NO)
		return strdup("no");
	if (kind == AMBIT_NO_SESSION)
		return strdup("no, for this session");
	if (kind == AMBIT_ONCE)
		return strdup(once_label(q, in));
	if (folder) {
		auto_free char *shown = question_path(in->scope, folder);
		auto_free char *cut = shown ? text_cut_path(shown, FOLDER_COLUMNS) : NULL;

		width = cut ? str_printf("all of %s", cut) : NULL;
	} else {
		width = exact_width(q, in, outcome);
	}
	if (!width || kind == AMBIT_ALWAYS)
		return steal_ptr(&width);
	return str_printf("%s, this session", width);
}
