/* SPDX-License-Identifier: Apache-2.0 */
/* Runs decisions that are written down as data. A .case file is read line by
 * line: directives build a world (world.h), every other line says what must
 * come of a request. With more than one file, rows of ambit's tables that no
 * line reached are failures too (reach.h).
 *
 *   dir PATH | file PATH [TEXT] | link PATH TARGET | hardlink PATH TARGET
 *   fifo PATH | remove PATH | rename PATH NEW | chmod MODE PATH
 *   settings JSON | folder JSON | policy NAME... | record write|read|none
 *   scope [root=DIR] [display=DIR] [child=DIR] [enforce] [no-bash] [child-no-bash]
 *   session KEY=WORD... | perm TOOL PERMISSION | asker SPEC|none
 *   rule yes|no OP SUBJECT [beneath] [always|everywhere] [expired|revoked]
 *        [pid=N] [start=N]              SUBJECT may be a request: {"tool": ...}
 *   held on|off | runner other|own|line | cwd PATH | who PID START | reset
 *   live DIRECTIVE                      without telling the engine
 *
 *   VERDICT CODE LAYER | REQUEST        "-": no code, any layer
 *       {JSON}  ACCESS PATH  connect HOST  tool NAME JSON  text BYTES
 *       patch TOOL ARG <<WORD
 *   error TEXT | DIRECTIVE              it is refused, and says so
 *   and about the decision before:
 *   says TEXT | silent TEXT | key KEY | danger WORD | host HOST | paths N
 *   path VERDICT CODE ACCESS SHOWN
 *
 * Paths are relative to the folder. $HOME $ROOT $OUT $CONFIG $STATE $RUNTIME
 * and $[TEXT*N] are replaced; outside JSON also \xNN, \n, \t, \\. "if-root",
 * "unless-root" and "if-open DIR" (not there, or one that this user can look into) may
 * stand before any line. */

#include "directive.h"
#include "request/request-object.h"

/* -- requests ------------------------------------------------------------------------ */

/* "patch TOOL ARG <<WORD": the lines up to WORD are the patch. */
static char *
read_patch_request(struct run *run, char *rest)
{
	char *tool = word(&rest), *arg = word(&rest), *end = word(&rest);
	auto_free char *line = NULL;
	auto_buf struct buf text = { 0 };
	size_t size = 0;

	while (getline(&line, &size, run->in) > 0) {
		run->line++;
		if (str_prefix(line, end + 2) && line[strlen(end + 2)] == '\n')
			break;
		auto_free char *expanded = expand(&run->world, line, false, NULL);

		buf_puts(&text, expanded);
	}
	auto_json json_t *request =
		json_pack("{s:s, s:{s:s}}", "tool", tool, "args", arg, text.data ? text.data : "");

	return request ? json_line(request) : NULL;
}

static int
make_json(struct run *run, const char *json, struct ambit_error *err)
{
	return json ? ambit_request_parse(json, strlen(json), &run->request, err) : -ENOMEM;
}

static int
make_request(struct run *run, char *text, struct ambit_error *err)
{
	size_t len;
	const struct ambit_word *access;
	char *kind, *rest = text + strspn(text, " ");

	if (*rest == '{') {
		auto_free char *json = expand(&run->world, rest, false, NULL);

		return make_json(run, json, err);
	}
	kind = word(&rest);
	if (streq(kind, "patch")) {
		auto_free char *json = read_patch_request(run, rest);

		return make_json(run, json, err);
	}
	if (streq(kind, "tool")) {
		auto_free char *tool = expand(&run->world, word(&rest), true, NULL);
		auto_free char *args = expand(&run->world, rest, false, &len);

		return ambit_request_create(tool, *args ? args : NULL, len, &run->request, err);
	}
	auto_free char *raw = expand(&run->world, rest, true, &len);

	if (streq(kind, "connect"))
		return ambit_request_connect(raw, &run->request, err);
	if (streq(kind, "text"))
		return ambit_request_parse(raw, len, &run->request, err);
	access = ambit_word_find(ambit_accesses, kind);
	if (!access)
		return err_set(err, EINVAL, "what is '%s'?", kind);
	return ambit_request_path((enum ambit_access)access->value, raw, len, &run->request, err);
}

static int
decide_request(struct run *run, struct ambit_error *err)
{
	struct world *w = &run->world;
	struct ambit_permit *permit = NULL;
	int r = 0;

	if (w->cwd)
		r = ambit_request_set_cwd(run->request, w->cwd);
	if (r == 0 && w->pid)
		r = ambit_request_set_who(run->request, w->pid, w->start, "cases", NULL);
	request_set_runner(run->request, w->runner);
	if (w->held)
		request_set_held(run->request, true);
	if (r == 0)
		r = world_open(w, err);
	if (r < 0)
		return r;
	if (!w->asker)
		return ambit_engine_decide(w->engine, run->request, &run->outcome, err);
	r = ambit_engine_request(w->engine, run->request, &run->outcome, &permit, err);
	if (r == 0 && !permit != (run->outcome.verdict != AMBIT_ALLOW))
		r = err_set(err, EINVAL, "a permit goes with an allow, and with nothing else");
	ambit_permit_finish(permit, 0, NULL);
	return r;
}

static void
forget(struct run *run)
{
	ambit_request_destroy(run->request);
	ambit_outcome_finish(&run->outcome);
	run->request = NULL;
}

static void
reach_all(struct run *run)
{
	const struct world *w = &run->world;
	const struct settings_values *person = settings_person(w->settings);

	reach_decision(run->reach, run->request, &run->outcome);
	reach_settings(run->reach, "accepted setting", w->settings_text);
	reach_settings(run->reach, "accepted setting", w->folder_text);
	for (size_t i = 0;
		run->outcome.verdict == AMBIT_ALLOW && person->profiles && person->profiles[i]; i++)
		reach_profile(
			run->reach, person->profiles[i], w->home, run->request, &run->outcome);
}

static bool
matches(const char *want, const char *got)
{
	return streq(want, "-") ? !got || !*got : got && streq(want, got);
}

static void
decision(struct run *run, char *expected, char *text)
{
	const char *verdict = word(&expected), *code = word(&expected), *layer = word(&expected);
	struct ambit_outcome *out = &run->outcome;
	struct ambit_error err = { 0 };
	int r, line = run->line;

	forget(run);
	run->decisions++;
	r = make_request(run, text, &err);
	if (r == 0)
		r = decide_request(run, &err);
	if (r < 0) {
		bad(run, "no decision: %s", err.text);
		return;
	}
	const char *got_verdict = ambit_word_name(ambit_verdicts, (int)out->verdict);
	const char *got_code = ambit_word_name(ambit_codes, (int)out->code);

	if (streq(verdict, got_verdict) && matches(code, got_code) &&
		(streq(layer, "-") || matches(layer, out->layer))) {
		run->passed++;
		reach_all(run);
		return;
	}
	run->line = line;
	bad(run, "expected %s %s %s, got %s %s %s: %s", verdict, code, layer, got_verdict,
		*got_code ? got_code : "-", out->layer ? out->layer : "?",
		out->reason ? out->reason : "(no reason)");
	for (size_t i = 0; i < out->n_says; i++)
		printf("\t%s: %s %s: %s\n", out->says[i].layer,
			ambit_word_name(ambit_verdicts, (int)out->says[i].verdict),
			ambit_word_name(ambit_codes, (int)out->says[i].code), out->says[i].reason);
}

/* -- about the decision before ------------------------------------------------------- */

static void
check_text(struct run *run, const char *what, const char *want, const char *got, bool whole)
{
	if (got && (whole ? streq(want, got) : strstr(got, want) != NULL))
		run->passed++;
	else
		bad(run, "expected %s '%s', got '%s'", what, want, got ? got : "(nothing)");
}

static void
check_says(struct run *run, const char *text, bool wanted)
{
	auto_free char *message = ambit_outcome_message(&run->outcome);

	if (wanted)
		check_text(run, "the message to hold", text, message, false);
	else if (message && !strstr(message, text))
		run->passed++;
	else
		bad(run, "the message must not hold '%s': %s", text, message ? message : "?");
}

static void
check_path(struct run *run, char *rest)
{
	const char *verdict = word(&rest), *code = word(&rest), *access = word(&rest);

	for (size_t i = 0; i < run->outcome.n_paths; i++) {
		const struct ambit_outcome_path *p = &run->outcome.paths[i];

		if (streq(p->shown, rest) &&
			streq(ambit_word_name(ambit_accesses, (int)p->access), access) &&
			streq(ambit_word_name(ambit_verdicts, (int)p->verdict), verdict) &&
			matches(code, ambit_word_name(ambit_codes, (int)p->code))) {
			run->passed++;
			return;
		}
	}
	bad(run, "no path %s %s %s %s", verdict, code, access, rest);
	for (size_t i = 0; i < run->outcome.n_paths; i++)
		printf("\t%s %s %s %s\n",
			ambit_word_name(ambit_verdicts, (int)run->outcome.paths[i].verdict),
			ambit_word_name(ambit_codes, (int)run->outcome.paths[i].code),
			ambit_word_name(ambit_accesses, (int)run->outcome.paths[i].access),
			run->outcome.paths[i].shown);
}

/* True if the line was one of these. */
static bool
check(struct run *run, const char *line)
{
	const struct ambit_outcome *out = &run->outcome;
	auto_free char *copy = strdup(line);
	char *rest = copy, *kind = word(&rest);
	auto_free char *text = expand(&run->world, rest, false, NULL);
	char count[32];

	snprintf(count, sizeof(count), "%zu", out->n_paths);
	if (streq(kind, "says") || streq(kind, "silent"))
		check_says(run, text, streq(kind, "says"));
	else if (streq(kind, "key"))
		check_text(run, "the key", text, out->rule_key, true);
	else if (streq(kind, "danger"))
		check_text(run, "the danger", text,
			ambit_word_name(ambit_dangers, (int)out->danger), true);
	else if (streq(kind, "host"))
		check_text(run, "the host", text, out->host, true);
	else if (streq(kind, "paths"))
		check_text(run, "paths:", text, count, true);
	else if (streq(kind, "path"))
		check_path(run, text);
	else
		return false;
	return true;
}

/* -- refusals at the start ------------------------------------------------------------ */

static void
refusal(struct run *run, const char *want, char *line)
{
	struct world *w = &run->world;
	auto_free char *settings = str_dup(w->settings_text), *folder = str_dup(w->folder_text);
	auto_free char *text = expand(w, want, false, NULL);
	const struct directive *directive = find_directive(line);
	struct ambit_error err = { 0 };
	int r = directive ? direct(run, directive, line, &err)
			  : err_set(&err, EINVAL, "what is it?");

	if (r == 0)
		r = world_open(w, &err);
	world_close_engine(w);
	if (r < 0 && strstr(err.text, text)) {
		run->passed++;
		reach_settings(run->reach, "refused setting",
			streq(directive ? directive->name : "", "folder") ? w->folder_text
									  : w->settings_text);
	} else {
		bad(run, "expected the error '%s', got '%s'", text, r < 0 ? err.text : "(none)");
	}
	if (directive && streq(directive->name, "scope"))
		do_scope(run, (char[]){ "" }, &err);
	set(&w->settings_text, settings);
	set(&w->folder_text, folder);
}

/* -- lines ----------------------------------------------------------------------------- */

/* False if the line is for somebody else. */
static bool
is_for_us(char **line)
{
	bool root = geteuid() == 0;

	if (str_prefix(*line, "if-root ")) {
		*line += 8;
		return root;
	}
	if (str_prefix(*line, "unless-root ")) {
		*line += 12;
		return !root;
	}
	if (str_prefix(*line, "if-open ")) {
		*line += 8;
		return !is_shut(word(line));
	}
	return true;
}

static void
one_line(struct run *run, char *line)
{
	struct ambit_error err = { 0 };
	const struct directive *directive;
	char *bar;

	line[strcspn(line, "\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#' || !is_for_us(&line))
		return;
	run->live = str_prefix(line, "live ");
	if (run->live)
		line += 5;
	directive = find_directive(line);
	if (directive) {
		if (direct(run, directive, line, &err) < 0)
			bad(run, "%s", err.text);
		return;
	}
	if (check(run, line))
		return;
	bar = strstr(line, " | ");
	if (!bar) {
		bad(run, "not understood: %s", line);
		return;
	}
	*bar = '\0';
	if (str_prefix(line, "error "))
		refusal(run, line + 6, bar + 3);
	else
		decision(run, line, bar + 3);
}

static void
run_file(struct run *run, const char *file)
{
	auto_free char *line = NULL;
	size_t size = 0;

	run->file = file;
	run->line = 0;
	run->in = fopen(file, "re");
	if (!run->in || world_create(&run->world) < 0) {
		bad(run, "%s", strerror(errno));
		if (run->in)
			fclose(run->in);
		return;
	}
	while (getline(&line, &size, run->in) >= 0) {
		run->line++;
		one_line(run, line);
	}
	fclose(run->in);
	forget(run);
	world_destroy(&run->world);
	run->world = (struct world){ 0 };
}

int
main(int argc, char **argv)
{
	struct reach reach = { 0 };
	struct run run = { .reach = &reach };

	umask(022);
	for (int i = 1; i < argc; i++)
		run_file(&run, argv[i]);
	if (argc > 2)
		run.failed += reach_missing(&reach);
	printf("%d decisions in %d files\n", run.decisions, argc - 1);
	printf("%d passed, %d failed\n", run.passed, run.failed);
	strv_free(reach.seen);
	return run.failed > 0 || run.passed == 0;
}
