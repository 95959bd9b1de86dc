/* SPDX-License-Identifier: Apache-2.0 */
/* ambit why: one request on the command line, decided and not recorded, with
 * each layer's say. The exit status is the verdict. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

static int
path_request(const char *path, enum ambit_access access, struct ambit_request **ret_request,
	struct ambit_error *err)
{
	auto_free char *cwd = getcwd(NULL, 0);
	int r;

	/* A person means a path from where he stands, not from the folder. */
	if (cwd == NULL)
		return err_sys(err, errno, "current directory");
	r = ambit_request_path(access, path, strlen(path), ret_request, err);
	if (r == 0 && ambit_request_set_cwd(*ret_request, cwd) < 0)
		r = err_nomem(err);
	return r;
}

static int
make_request(const struct args *args, struct ambit_request **ret_request, struct ambit_error *err)
{
	static const struct {
		const char *word;
		enum ambit_access access;
	} accesses[] = {
		{ "write", AMBIT_ACCESS_WRITE },
		{ "read", AMBIT_ACCESS_READ },
		{ "delete", AMBIT_ACCESS_DELETE },
	};
	const char *what = args->words[0], *json = args->n > 2 ? args->words[2] : "{}";

	if (streq(what, "tool"))
		return ambit_request_create(args->words[1], json, strlen(json), ret_request, err);
	if (args->n > 2)
		return usage(err, "too many arguments: '%s'", args->words[2]);
	if (streq(what, "connect"))
		return ambit_request_connect(args->words[1], ret_request, err);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if (streq(what, accesses[i].word))
			return path_request(args->words[1], accesses[i].access, ret_request, err);
	return usage(err, "why '%s'? One of write, read, delete, connect, tool", what);
}

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
	putchar('\n');
	return table_finish(&table, err);
}

static int
print_outcome(const struct ambit_outcome *outcome, struct ambit_error *err)
{
	out_verdict(outcome->verdict);
	if (outcome->code != AMBIT_CODE_NONE)
		printf("  %s", code_word(outcome->code));
	putchar('\n');
	if (outcome->reason != NULL)
		printf("  %s\n", outcome->reason);
	if (outcome->hint != NULL)
		printf("  %s\n", outcome->hint);
	if (outcome->rule_key != NULL) {
		printf("  remembered as ");
		out_text(outcome->rule_key);
		putchar('\n');
	}
	return print_says(outcome, err);
}

static int
decide_request(struct world *world, const struct args *args, const struct ambit_request *request,
	struct ambit_error *err)
{
	static const enum exit_code exits[] = {
		[AMBIT_DENY] = EXIT_DENY,
		[AMBIT_ASK] = EXIT_ASK,
		[AMBIT_ALLOW] = EXIT_OK,
	};
	struct ambit_outcome outcome = { 0 };
	int r = ambit_engine_decide(world->engine, request, &outcome, err);

	if (r == 0 && args_get(args, OPT_JSON) != NULL) {
		auto_free char *line = ambit_outcome_json(&outcome, request, world->scope, true);

		r = line != NULL ? 0 : err_nomem(err);
		if (line != NULL)
			puts(line);
	} else if (r == 0) {
		r = print_outcome(&outcome, err);
	}
	if (r == 0)
		r = exits[outcome.verdict];
	ambit_outcome_finish(&outcome);
	return r;
}

static int
run_why(const struct args *args, struct ambit_error *err)
{
	struct world world;
	struct ambit_request *request = NULL;
	int r = world_open(&world, args, WORLD_ENGINE, err);

	if (r == 0)
		r = make_request(args, &request, err);
	if (r == 0)
		r = decide_request(&world, args, request, err);
	ambit_request_destroy(request);
	world_finish(&world);
	return r;
}

const struct command cmd_why = {
	.name = "why",
	.args = "write|read|delete PATH | connect HOST[:PORT] | tool NAME [JSON]",
	.text = "what would be decided, and what each layer says to it",
	.about = "Decides one request as an agent's would be, asks nobody, does nothing and "
		 "records\n"
		 "nothing. The exit status is the verdict: 0 allow, 10 ask, 11 deny.\n"
		 "\n"
		 "A relative PATH is taken from the current directory. The arguments of a tool "
		 "are a\n"
		 "JSON object, and relative paths in it are taken from the folder.",
	.words = (const char *const[]){ "write", "read", "delete", "connect", "tool", NULL },
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_JSON, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit why write src/main.c", "inside the folder: allow" },
			{ "ambit why write /etc/hosts", "outside: a person would be asked" },
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
