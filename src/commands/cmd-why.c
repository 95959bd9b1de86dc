/* SPDX-License-Identifier: Apache-2.0 */
/* ambit why: one operation on the command line, decided and not recorded, with each layer's say. At
 * the door run it goes through the code that holds a command's calls. The exit status is the
 * verdict. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"
#include "engine/doors.h"
#include "line/predict.h"
#include "probe/probe.h"
#include "request/request-object.h"
#include "request/tool-table.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

static const struct operation {
	const char *word;
	enum gate_operation does; /* at the door run */
	enum ambit_access access; /* at the others, of one path */
	size_t words;		  /* behind the first */
	bool tool;		  /* the others have a tool for it */
} operations[] = {
	{ "write", OPERATION_WRITE, AMBIT_ACCESS_WRITE, 1, true },
	{ "read", OPERATION_READ, AMBIT_ACCESS_READ, 1, true },
	{ "delete", OPERATION_DELETE, AMBIT_ACCESS_DELETE, 1, true },
	{ "mkdir", OPERATION_MKDIR, AMBIT_ACCESS_MKDIR, 1, true },
	{ "move", OPERATION_MOVE, AMBIT_ACCESS_REPLACE, 2, true },
	{ "link", OPERATION_LINK, AMBIT_ACCESS_WRITE, 2, false },
	{ "symlink", OPERATION_SYMLINK, AMBIT_ACCESS_WRITE, 2, false },
	{ "chmod", OPERATION_CHMOD, AMBIT_ACCESS_WRITE, 2, false },
};

static const struct operation *
find_operation(const char *word)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (streq(word, operations[i].word))
			return &operations[i];
	return NULL;
}

static int
check_words(const struct args *args, size_t least, size_t most, struct ambit_error *err)
{
	if (args->n - 1 < least)
		return usage(err, "why %s: too few arguments", args->words[0]);
	if (args->n - 1 > most)
		return usage(err, "too many arguments: '%s'", args->words[1 + most]);
	return 0;
}

/* -- at the door run -------------------------------------------------------------- */

static int
parse_mode(const char *text, mode_t *ret_mode, struct ambit_error *err)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	if (text[0] < '0' || text[0] > '7' || *end != '\0' || mode > 07777)
		return usage(err, "why chmod: '%s' is not a mode like 644", text);
	*ret_mode = (mode_t)mode;
	return 0;
}

static int
predict_connect(struct world *world, const struct args *args, struct gate_prediction *ret,
	struct ambit_error *err)
{
	return run_predict_connect(
		world->engine, args->words[1], args_get(args, OPT_UDP) != NULL, ret, err);
}

static int
predict_operation(struct world *world, const struct operation *operation, const struct args *args,
	struct gate_prediction *ret, struct ambit_error *err)
{
	const char *path = args->words[1], *to = args->n > 2 ? args->words[2] : NULL;
	mode_t mode = 0;
	int r = 0;

	if (operation->does == OPERATION_CHMOD) {
		r = parse_mode(path, &mode, err);
		path = to;
	}
	return r != 0 ? r : run_predict(world->engine, operation->does, path, to, mode, ret, err);
}

/* -- at the others ------------------------------------------------------------------ */

static int
move_request(const struct args *args, struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_json json_t *both =
		json_pack("{s:s, s:s}", "from", args->words[1], "to", args->words[2]);
	auto_free char *text = both != NULL ? json_line(both) : NULL;

	if (text == NULL)
		return usage(err, "why move: the paths are not UTF-8");
	return ambit_request_create("move", text, strlen(text), ret_request, err);
}

static int
path_request(const struct args *args, const struct operation *operation,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	const char *path = args->words[operation->words];
	auto_free char *cwd = getcwd(NULL, 0);
	int r;

	/* On the command line a path is relative to the current directory, not to the folder. */
	if (cwd == NULL)
		return err_sys(err, errno, "current directory");
	r = operation->does == OPERATION_MOVE
		    ? move_request(args, ret_request, err)
		    : ambit_request_path(operation->access, path, strlen(path), ret_request, err);
	if (r == 0 && ambit_request_set_cwd(*ret_request, cwd) < 0)
		r = err_nomem(err);
	return r;
}

static int
make_request(const struct args *args, const struct operation *operation,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	const char *json = args->n > 2 ? args->words[2] : "{}";

	if (operation != NULL)
		return path_request(args, operation, ret_request, err);
	if (streq(args->words[0], "tool"))
		return ambit_request_create(args->words[1], json, strlen(json), ret_request, err);
	return ambit_request_connect(args->words[1], ret_request, err);
}

/* -- the door ------------------------------------------------------------------------ */

/* The operation, and the door at which it is decided. */
struct question {
	const struct args *args;
	const struct operation *operation; /* NULL: connect or tool */
	const char *door;
	bool run, connect;
};

/* A run makes no tool calls: without a word a tool is a harness' own. */
static int
check_question(const struct question *q, struct ambit_error *err)
{
	const char *backend = args_get(q->args, OPT_BACKEND);
	bool prefix = args_get(q->args, OPT_PREFIX) != NULL;

	if (q->operation == NULL && !q->connect && q->run)
		return usage(err, "a run makes no tool calls: why tool is for --door mcp, serve "
				  "or decide");
	if (q->operation != NULL && !q->operation->tool && !q->run)
		return usage(err, "no tool of this door does that: why %s is for --door run",
			q->operation->word);
	if (args_get(q->args, OPT_UDP) != NULL && !(q->run && q->connect))
		return usage(err, "--udp is for why connect, at --door run");
	if ((backend != NULL && streq(backend, "prefix")) != prefix && (backend != NULL || !prefix))
		return usage(err, "--backend prefix and --prefix WORD belong together");
	return 0;
}

/* At the doors that run ambit's own tools; as ambit_executor_create chooses what holds them. */
static void
set_runner(const struct question *q, struct ambit_request *request)
{
	const char *backend = args_get(q->args, OPT_BACKEND);
	bool kernel = args_get(q->args, OPT_PREFIX) == NULL &&
		      (backend == NULL || streq(backend, "kernel"));
	struct ambit_error no_line;

	if (streq(q->door, "mcp") || streq(q->door, "serve"))
		request_set_runner(
			request, kernel && probe_line(&no_line) == 0 ? RUNNER_LINE : RUNNER_OWN);
}

/* A slip is decided as a tool that nobody has. A permission may name another program's. */
static int
check_tool(struct world *world, const struct args *args, struct ambit_error *err)
{
	const char *name = args->words[1], *near = tool_nearest(name), *from;

	if (!streq(args->words[0], "tool") || tool_may_be(name))
		return 0;
	ambit_engine_permission(world->engine, name, &from);
	if (!streq(from, "default"))
		return 0;
	return usage(err, "unknown tool '%s'%s%s%s; see 'ambit perms'", name,
		near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
		near != NULL ? "'?)" : "");
}

/* -- the answer ---------------------------------------------------------------------- */

static const char *
code_word(enum ambit_code code)
{
	return code == AMBIT_CODE_NONE ? "" : ambit_word_name(ambit_codes, code);
}

static int
print_says(const struct ambit_outcome *outcome, struct ambit_error *err)
{
	static const char *const heads[] = { "LAYER", "SAYS", "CODE", "REASON", NULL };
	struct table table;

	table_init(&table, heads);
	for (size_t i = 0; i < outcome->n_says; i++) {
		const struct ambit_say *say = &outcome->says[i];

		table_plain(&table, say->layer);
		table_plain(&table, ambit_word_name(ambit_verdicts, say->verdict));
		table_plain(&table, say->code == AMBIT_CODE_NONE ? NULL : code_word(say->code));
		table_plain(&table, say->reason);
	}
	if (outcome->n_says > 0)
		putchar('\n');
	return table_finish(&table, err);
}

static int
print_outcome(const struct gate_prediction *answer, struct ambit_error *err)
{
	const struct ambit_outcome *outcome = &answer->outcome;

	out_verdict(outcome->verdict);
	if (outcome->code != AMBIT_CODE_NONE)
		printf("  %s", code_word(outcome->code));
	putchar('\n');
	if (outcome->reason != NULL)
		printf("  %s\n", outcome->reason);
	if (answer->error == EISDIR)
		printf("  It is a directory: this is about a new file in it.\n");
	else if (answer->error != 0 && answer->error != EXDEV && outcome->n_says > 0)
		printf("  As things are it fails by itself (%s), and nobody is asked.\n",
			strerror(answer->error));
	if (outcome->hint != NULL)
		printf("  %s\n", outcome->hint);
	for (const char *at = outcome->advice; at != NULL && *at != '\0';
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
		printf("  to allow it: %.*s\n", (int)strcspn(at, "\n"), at);
	if (outcome->rule_key != NULL) {
		printf("  remembered as ");
		out_text(outcome->rule_key);
		putchar('\n');
	}
	return print_says(outcome, err);
}

static int
print_json(const struct world *world, const struct gate_prediction *answer,
	const struct ambit_request *request, struct ambit_error *err)
{
	auto_free char *text = ambit_outcome_json(&answer->outcome, request, world->scope, true);
	auto_json json_t *object = NULL;
	auto_free char *line = NULL;
	int r = text != NULL ? json_parse(text, strlen(text), &object, err) : err_nomem(err);

	if (r == 0 && answer->error != 0)
		json_object_set_new(object, "fails", json_string(strerrorname_np(answer->error)));
	line = r == 0 ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	if (line == NULL)
		return r < 0 ? r : err_nomem(err);
	puts(line);
	return 0;
}

/* A run that does not begin leaves the reason in ret_answer. */
static int
predict_in_run(struct world *world, const struct question *q, struct gate_prediction *ret_answer,
	bool *ret_started, struct ambit_error *err)
{
	bool guard_reads = args_get(q->args, OPT_GUARD_READS) != NULL;
	int r = run_predict_start(world->engine, guard_reads, ret_answer, err);

	*ret_started = r == 0;
	if (r != 0)
		return r < 0 ? r : 0;
	return q->connect ? predict_connect(world, q->args, ret_answer, err)
			  : predict_operation(world, q->operation, q->args, ret_answer, err);
}

/* The call fails by itself now: decided is the same path at another time. */
static bool
needs_decision(const struct question *q, const struct gate_prediction *answer)
{
	if (q->run && q->operation != NULL && q->operation->does == OPERATION_READ)
		return false;
	return answer->outcome.n_says == 0 &&
	       (answer->outcome.reason == NULL || answer->error != 0);
}

static int
decide_by_name(struct world *world, const struct question *q, struct gate_prediction *answer,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	int r = make_request(q->args, q->operation, ret_request, err);

	/* A move of names that are not UTF-8 is left at what it is now. */
	if (r != 0)
		return answer->outcome.layer != NULL ? 0 : r;
	ambit_outcome_finish(&answer->outcome);
	set_runner(q, *ret_request);
	return ambit_engine_decide(world->engine, *ret_request, &answer->outcome, err);
}

static int
answer_question(struct world *world, const struct args *args, struct ambit_error *err)
{
	static const enum exit_code exits[] = {
		[AMBIT_DENY] = EXIT_DENY,
		[AMBIT_ASK] = EXIT_ASK,
		[AMBIT_ALLOW] = EXIT_OK,
	};
	bool tool = streq(args->words[0], "tool");
	struct question q = {
		.args = args,
		.operation = find_operation(args->words[0]),
		.door = args_get(args, OPT_DOOR),
		.connect = streq(args->words[0], "connect"),
	};
	struct ambit_request *request = NULL;
	struct gate_prediction answer = { 0 };
	bool started = true;
	int r;

	if (q.door == NULL)
		q.door = tool ? "decide" : "run";
	q.run = streq(q.door, "run");
	r = check_question(&q, err);
	if (r == 0)
		r = check_tool(world, args, err);
	/* As a door does when it begins. */
	if (r == 0)
		r = engine_search(world->engine, err);
	if (r == 0 && q.run)
		r = predict_in_run(world, &q, &answer, &started, err);
	if (r == 0 && started && needs_decision(&q, &answer))
		r = decide_by_name(world, &q, &answer, &request, err);
	if (r == 0)
		r = args_get(args, OPT_JSON) != NULL ? print_json(world, &answer, request, err)
						     : print_outcome(&answer, err);
	if (r == 0)
		r = exits[answer.outcome.verdict];
	ambit_outcome_finish(&answer.outcome);
	ambit_request_destroy(request);
	return r;
}

static int
run_why(const struct args *args, struct ambit_error *err)
{
	const struct operation *operation = find_operation(args->words[0]);
	bool tool = streq(args->words[0], "tool");
	struct world world;
	int r;

	if (operation == NULL && !tool && !streq(args->words[0], "connect"))
		return usage(err,
			"why '%s'? One of write, read, delete, mkdir, move, link, symlink, chmod, "
			"connect, tool",
			args->words[0]);
	r = operation != NULL ? check_words(args, operation->words, operation->words, err)
			      : check_words(args, 1, tool ? 2 : 1, err);
	if (r != 0)
		return r;
	r = world_open(&world, args, WORLD_ENGINE, err);
	if (r == 0)
		r = answer_question(&world, args, err);
	world_finish(&world);
	return r;
}

const struct command cmd_why = {
	.name = "why",
	.args = "write|read|delete|mkdir PATH | move|link FROM TO | symlink TEXT PATH | chmod MODE "
		"PATH |\n"
		"       connect HOST[:PORT]|ADDRESS[:PORT]|unix:PATH|unix:@NAME | tool NAME [JSON]",
	.text = "what would be decided, and what each layer says to it",
	.about =
		"Decides one operation as that of a command behind the line, or of an agent's "
		"tool\n"
		"(--door), asks nobody, does nothing and records nothing. The exit status is the\n"
		"verdict: 0 allow, 10 ask, 11 deny. It also says if the operation fails by "
		"itself as\n"
		"things are, whatever ambit says.\n"
		"\n"
		"A relative PATH is taken from the current directory. The arguments of a tool "
		"are a\n"
		"JSON object, and relative paths in it are taken from the folder. An operation "
		"is\n"
		"that of a run without --door, a tool that of decide. At the doors mcp and serve "
		"the\n"
		"tool is ambit's own, and its commands are behind the line if this machine can\n"
		"hold one.\n"
		"\n"
		"connect looks at who has the port or socket now, and resolves PATH as the kernel\n"
		"does. Nothing is connected, and no name is looked up. Ports and sockets of other\n"
		"sessions are not the command's own.\n"
		"\n"
		"It takes each option that a decision can depend on. --ask is not one: it\n"
		"chooses who answers.",
	.words = (const char *const[]){ "write", "read", "delete", "mkdir", "move", "link",
		"symlink", "chmod", "connect", "tool", NULL },
	.options = (const enum opt[]){ OPT_JSON, OPT_DOOR, OPT_UDP, OPT_END },
	.predicts = true,
	.examples =
		(const struct example[]){
			{ "ambit why write src/main.c", "inside the folder: allow" },
			{ "ambit why write /etc/hosts", "outside: a person would be asked" },
			{ "ambit why connect localhost:5432",
				"a server of this machine, or a port that nobody has" },
			{ "ambit why tool bash '{\"command\":\"git push\"}'",
				"a shell command, and how it is remembered" },
			{ "ambit why --mode plan --json delete notes.txt",
				"in plan mode, as JSON" },
			{ NULL, NULL },
		},
	.min = 2,
	.max = 3,
	.run = run_why,
};
