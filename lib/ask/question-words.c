/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome that is ask into the words of a question: the act, its object, the danger, by whom
 * and why. Names come from programs and are escaped here; which of them are shown is ambit's to
 * say: the object is what was resolved, never what the program called it. */

#include <errno.h>
#include <stdlib.h>

#include "ask/question-copy.h"
#include "ask/question-hosts.h"
#include "ask/question-words.h"
#include "ask/text-columns.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/temporary.h"
#include "request/host.h"

#define LINE_MAX_NAMES 5 /* of those a process descends from */
#define LINE_FEW_NAMES 3 /* where the line would be too long */
#define PLACES_MAX 2	 /* of several paths, those that are named */

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

/* "a new file in ~/data, sed's temporary", cut to so many columns. */
static char *
make_temporary(const struct decide_input *in, const char *real, size_t columns)
{
	auto_free char *dir = strndup(real, (size_t)(strrchr(real, '/') - real));
	const char *program = in->request->program ? in->request->program : "a program";
	auto_free char *name = str_escape(program, strlen(program));
	auto_free char *after = name ? str_printf(", %s's temporary", name) : NULL;
	auto_free char *shown = dir ? question_path(in->scope, dir) : NULL;
	auto_free char *cut = NULL;

	if (after && shown)
		cut = text_cut_path(
			shown, text_room(columns, strlen("a new file in ") + text_columns(after)));
	return cut ? str_printf("a new file in %s%s", cut, after) : NULL;
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

/* "A to B", "A, B" or "A, B and 3 more" in so many columns. */
static char *
join_few_paths(const struct decide_input *in, const struct ambit_outcome *outcome,
	const char *between, size_t columns)
{
	auto_free char *a = question_path(in->scope, find_open_path(outcome, 0)->path);
	auto_free char *b = question_path(in->scope, find_open_path(outcome, 1)->path);
	auto_free char *rest = NULL;
	size_t n = PLACES_MAX;

	while (find_open_path(outcome, n))
		n++;
	rest = n > PLACES_MAX ? str_printf(" and %zu more", n - PLACES_MAX) : strdup("");
	if (!a || !b || !rest ||
		text_cut_pair(
			&a, &b, text_room(columns, text_columns(between) + text_columns(rest))) < 0)
		return NULL;
	return str_printf("%s%s%s%s", a, between, b, rest);
}

static char *
join_paths(const struct decide_input *in, const struct ambit_outcome *outcome, const char *between)
{
	const struct ambit_outcome_path *path;
	struct buf out = { 0 };

	for (size_t i = 0; (path = find_open_path(outcome, i)) != NULL; i++) {
		buf_puts(&out, i > 0 ? between : "");
		put_path(&out, in, path->path);
	}
	return buf_take(&out);
}

static int
add_several_paths(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const char *act = paths_act(outcome), *between = streq(act, "move") ? " to " : ", ";
	size_t danger = text_columns(q->danger), used = text_columns(act) + 1;

	used += danger > 0 ? danger + 4 : 0;
	if (set_text(&q->act, strdup(act)) < 0 ||
		set_text(&q->object, join_paths(in, outcome, between)) < 0 ||
		set_text(&q->brief,
			join_few_paths(in, outcome, between, text_room(TEXT_LINE, used))) < 0)
		return -ENOMEM;
	return set_text(&q->kind, strdup("files"));
}

static int
add_temporary(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome_path *path)
{
	const char *act = path_act(path);
	size_t room = text_room(TEXT_LINE, text_columns(act) + 1);

	if (set_text(&q->act, strdup(act)) < 0 ||
		set_text(&q->object, make_temporary(in, path->path, SIZE_MAX)) < 0 ||
		set_text(&q->brief, make_temporary(in, path->path, room)) < 0)
		return -ENOMEM;
	return set_text(&q->kind, strdup("temporary"));
}

static int
add_path_words(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);

	if (find_open_path(outcome, 1))
		return add_several_paths(q, in, outcome);
	if (temporary_is_made_up(in, outcome, (size_t)(path - outcome->paths)))
		return add_temporary(q, in, path);
	if (set_text(&q->act, strdup(path_act(path))) < 0 ||
		set_text(&q->object,
			question_path(in->scope, path->owner ? path->owner : path->path)) < 0)
		return -ENOMEM;
	return set_text(&q->kind, strdup(question_is_secret(outcome) ? "secret" : "file"));
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
put_line(struct buf *out, char *const *line, size_t most)
{
	size_t n = strv_len(line), shown = 0, kept = most / 2;
	const char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		auto_free char *name = str_escape(line[i], strlen(line[i]));
		bool left_out = n > most && i >= kept && i < n - kept;

		if (left_out && i > kept)
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
make_by(const struct ambit_request *request, size_t names)
{
	const char *agent = request->agent, *program = request->program;
	auto_free char *safe_agent = agent ? str_escape(agent, strlen(agent)) : NULL;
	auto_free char *safe = program ? str_escape(program, strlen(program)) : NULL;
	auto_buf struct buf line = { 0 };
	struct buf out = { 0 };

	put_line(&line, request->line, names);
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

/* folder: what it is called. brief: without the name that the program used for it. */
static void
put_path_reason(struct buf *out, const struct decide_input *in, const struct ambit_outcome *outcome,
	const char *folder, bool brief)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);
	auto_free char *real = ambit_scope_display(in->scope, path->path);
	bool inside = scope_holds(in->scope, path->path);

	out->failed |= !real;
	if (!real || path->code == AMBIT_CODE_GUARDED_READ)
		return;
	buf_printf(out, "%s%s %s%s", out->len > 0 ? "; " : "", inside ? "inside" : "outside",
		folder, path->code == AMBIT_CODE_GUARDED ? ", guarded" : "");
	if (path->owner)
		buf_puts(out, brief ? "" : "; through a temporary file");
	else if (path->shown && !brief && !streq(path->shown, real))
		buf_printf(out, "; asked for as %s", path->shown);
	if (temporary_is_made_up(in, outcome, (size_t)(path - outcome->paths)))
		buf_puts(out, "; replaces one file there");
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

/* "what Docker does is not held"; a program that its socket's name does not tell is named as it
 * calls itself. */
static void
put_socket_reason(
	struct buf *out, const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	bool known = !request->server || !streq(host_unix_text(outcome->host), HOST_UNIX_UNKNOWN);
	auto_free char *name = known ? NULL : str_escape(request->server, strlen(request->server));

	out->failed |= !known && !name;
	buf_printf(out, "%swhat %s%s does is not held", out->len > 0 ? "; " : "",
		name ? name : host_unix_name(outcome->host),
		name && request->server_same ? " outside the line" : "");
}

static void
put_host_reason(struct buf *out, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	if (!question_is_socket(outcome))
		put_reason(out, host_reason(in->request->host ? in->request->host : ""));
	else
		put_socket_reason(out, in->request, outcome);
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
make_because(const struct decide_input *in, const struct ambit_outcome *outcome, const char *folder,
	bool brief)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);
	struct buf out = { 0 };

	put_long_reasons(&out, in, outcome, false);
	if (path && (out.len == 0 || path->code != AMBIT_CODE_OUTSIDE ||
			    !scope_holds(in->scope, path->path)))
		put_path_reason(&out, in, outcome, folder, brief);
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

/* Sets by and because; by how many columns their line is too long. SIZE_MAX: no memory. */
static size_t
set_who(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, size_t names, const char *folder)
{
	bool brief = names == LINE_FEW_NAMES;
	auto_free char *line = NULL;

	free(q->by);
	free(q->because);
	q->by = make_by(in->request, names);
	q->because = folder ? make_because(in, outcome, folder, brief) : NULL;
	line = q->by && q->because ? question_who(q) : NULL;
	return line ? text_room(text_columns(line), TEXT_LINE) : SIZE_MAX;
}

/* The line with the program and the reason fits: first the folder's path is cut, then programs in
 * between are left out, and at last the folder is "the folder". */
static int
add_who(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	static const size_t names[] = { LINE_MAX_NAMES, LINE_FEW_NAMES };
	auto_free char *folder = shorten_path(in->scope, in->scope->root.real);
	size_t over = SIZE_MAX;

	for (size_t i = 0; folder && i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *cut = NULL;

		over = set_who(q, in, outcome, names[i], folder);
		if (over == 0 || over == SIZE_MAX)
			break;
		cut = text_cut_path(folder, text_room(text_columns(folder), over));
		over = set_who(q, in, outcome, names[i], cut);
		if (over == 0 || over == SIZE_MAX)
			break;
	}
	if (over > 0 && over < SIZE_MAX)
		over = set_who(q, in, outcome, LINE_FEW_NAMES, "the folder");
	return over == SIZE_MAX ? -ENOMEM : 0;
}

int
question_add_words(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	int r = set_text(&q->danger, make_danger(outcome));

	if (r < 0)
		return r;
	if (outcome->call || (!find_open_path(outcome, 0) && !question_host_open(outcome)))
		r = add_call_words(q, in);
	else if (find_open_path(outcome, 0))
		r = add_path_words(q, in, outcome);
	else
		r = add_host_words(q, in, outcome);
	if (r < 0 || add_who(q, in, outcome) < 0)
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
	return safe ? str_printf(CHOICE_COMMANDS "'%s ...'", safe) : NULL;
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

/* Words for the exact object: "this file". For a socket or a secret they say which programs it is
 * for. */
static char *
exact_width(const struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = find_open_path(outcome, 0);

	if (outcome->call || (!path && !question_host_open(outcome)))
		return call_width(in);
	if (!path)
		return strdup(streq(q->kind, "socket") ? "any program" : host_width(outcome->host));
	if (streq(q->kind, "files"))
		return strdup("these files");
	/* "s this file" was read as: for the program that is named above. */
	if (streq(q->kind, "secret"))
		return strdup("any program");
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

/* "*.example.org:443"; of one without a port that it holds for each. */
static char *
pattern_width(const char *pattern)
{
	return strchr(pattern, ':') ? strdup(pattern) : str_printf("%s, any port", pattern);
}

static char *
folder_width(const struct decide_input *in, const char *folder)
{
	auto_free char *shown = question_path(in->scope, folder);

	return shown ? str_printf(CHOICE_ALL_OF "%s", shown) : NULL;
}

char *
question_label(const struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, enum ambit_answer_kind kind, const char *folder)
{
	auto_free char *width = NULL;

	if (kind == AMBIT_NO)
		return strdup("no");
	if (kind == AMBIT_NO_SESSION && !folder)
		return strdup("no, for this session");
	if (kind == AMBIT_ONCE)
		return strdup(once_label(q, in));
	width = question_is_pattern(folder) ? pattern_width(folder)
		: folder		    ? folder_width(in, folder)
					    : exact_width(q, in, outcome);
	if (!width || kind == AMBIT_ALWAYS)
		return steal_ptr(&width);
	return str_printf(
		"%s%s, this session", kind == AMBIT_NO_SESSION ? CHOICE_NO_TO : "", width);
}
