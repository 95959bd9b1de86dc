/* SPDX-License-Identifier: Apache-2.0 */
/* What comes before the command: options, world and terminal turned into who
 * answers, what is started and where; with the two questions that belong
 * there: a folder that holds nothing in, and the command's own state folders or
 * the repository that the folder is a worktree of.
 * Options and environment are the person's; argv is what he wants to run. */

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask/approver.h"
#include "ask/desk/channel-rows.h"
#include "ask/tty/ring.h"
#include "ask/question-copy.h"
#include "cli/cli-judge.h"
#include "cli/out.h"
#include "run-command.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/questions.h"
#include "line/process/run-doors.h"
#include "scope/profile.h"

#define TIMEOUT_MAX_S (24 * 24 * 3600) /* what an int of milliseconds holds */

/* "90", "0.5": seconds as a decimal number, never by the locale. */
static int
parse_timeout(const char *text, int *ret_ms, struct ambit_error *err)
{
	long ms = 0, scale = 1000;
	const char *at = text;

	for (; ascii_is_digit(*at) && ms <= TIMEOUT_MAX_S * 1000L; at++)
		ms = ms * 10 + (*at - '0') * 1000L;
	if (at != text && *at == '.')
		for (at++; ascii_is_digit(*at); at++)
			ms += (*at - '0') * (scale /= 10);
	if (at == text || *at != '\0' || ms < 1 || ms > TIMEOUT_MAX_S * 1000L)
		return usage(err, "--timeout: '%s' is not a number of seconds from 0.001 to %d",
			text, TIMEOUT_MAX_S);
	*ret_ms = (int)ms;
	return 0;
}

static int
parse_landlock(const char *text, int *ret_abi, struct ambit_error *err)
{
	if (text[0] < LANDLOCK_LEAST[0] || text[0] > LANDLOCK_MOST[0] || text[1] != '\0')
		return usage(err,
			"--landlock: '%s' is not a number from " LANDLOCK_LEAST
			" to " LANDLOCK_MOST,
			text);
	*ret_abi = text[0] - '0';
	return 0;
}

static int
check_options(struct run *run, struct ambit_error *err)
{
	const struct args *args = run->args;
	const char *timeout = args_get(args, OPT_TIMEOUT), *report = args_get(args, OPT_REPORT);
	const char *reads = args_get(args, OPT_READS), *landlock = args_get(args, OPT_LANDLOCK);
	int r = 0;

	run->quiet = args_get(args, OPT_QUIET) != NULL;
	run->guard_reads = args_get(args, OPT_GUARD_READS) != NULL;
	if (reads != NULL && streq(reads, "until-first-write"))
		return usage(err,
			"--reads until-first-write: what the kernel holds is set when the command "
			"starts; take folder or anywhere");
	if (args_get(args, OPT_KEEP_ENV) != NULL && args_get(args, OPT_SCRUB_ENV) == NULL)
		return usage(err, "--keep-env means nothing without --scrub-env");
	if (timeout != NULL)
		r = parse_timeout(timeout, &run->timeout_ms, err);
	if (r == 0)
		r = run_client(run, err);
	if (r == 0 && landlock != NULL)
		r = parse_landlock(landlock, &run->landlock, err);
	if (r == 0 && report != NULL)
		r = run_report_open(&run->report, report, err);
	return r;
}

/* A job in the background must not take the terminal's modes away from the one
 * in front, and in a pipeline a pager may want the keys; there the command has
 * the terminal as it is. */
static void
find_terminal(struct run *run)
{
	/* Others may read what was there to be read: it must not be waited for. */
	run->tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (run->tty < 0 || args_get(run->args, OPT_NO_PTY) != NULL)
		return;
	run->pty =
		isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && tcgetpgrp(run->tty) == getpgrp();
}

/* -- who answers ----------------------------------------------------------------- */

static int
find_who(struct run *run, struct ambit_error *err)
{
	run->who = run->client > 0 ? "client" : ambit_settings_get(run->world.settings, "ask");
	if (run->who == NULL || (streq(run->who, "tty") && args_get(run->args, OPT_ASK) == NULL))
		run->who = run->tty >= 0 ? "tty" : "deny";
	if (streq(run->who, "tty") && run->tty < 0)
		return err_set(err, ENOTTY, "--ask tty: there is no terminal to ask on");
	return 0;
}

/* Whoever said that it is always no, or always yes, is not asked elsewhere either; where
 * only nobody was there to ask, one who watches is. Inside a line nobody is: see
 * run_inner_who; a sub-agent asks as the door that started it. */
static int
find_watchers(struct run *run, struct ambit_error *err)
{
	const char *said = ambit_settings_get(run->world.settings, "ask");

	run->watchers = (run->inner == NULL || around_watched(run->inner)) &&
			(said == NULL || !(streq(said, "deny") || streq(said, "allow")));
	run->live = place_live(&run->world.place);
	return run->live != NULL ? 0 : err_nomem(err);
}

static bool
is_fixed(const struct run *run)
{
	return streq(run->who, "deny") || streq(run->who, "allow");
}

/* Where the tree can write; the folder also if it cannot today. A program that
 * answers must not lie there. */
static int
open_approver(struct run *run, struct ambit_error *err)
{
	char **writable = NULL;
	int r;

	if (streq(run->who, "tty"))
		return approver_on_tty(run->tty, run->tty,
			(out_colour(run->tty) ? TTY_COLOUR : 0) |
				(run->pty ? 0 : TTY_SHARED | (out_is_dumb() ? 0 : TTY_CLEAR)),
			&run->approver, err);
	if (run->client > 0)
		return approver_on_fd(run->client, &run->approver, err);
	if (is_fixed(run))
		return ambit_approver_create(run->who, NULL, 0, &run->approver, err);
	r = world_list_writable(run->world.engine, run->root, &writable, err);
	if (r == 0)
		r = ambit_approver_create(run->who, (const char *const *)writable,
			strv_len(writable), &run->approver, err);
	strv_free(writable);
	return r;
}

static int
make_approver(struct run *run, struct ambit_error *err)
{
	int r = open_approver(run, err);

	if (r == 0 && ambit_settings_number(run->world.settings, "bell") != 0)
		approver_set_ring(run->approver, ring_for_terminal(environ));
	return r;
}

/* The first failure is told when the run is over: the terminal is the command's until then. */
static void
keep_notify_failure(void *data, const char *why)
{
	struct run *run = data;

	snprintf(run->notify_failure, sizeof(run->notify_failure), "%s", why);
}

/* A server that asks for this one tells of its questions, and from inside another run nobody is
 * asked. */
static int
open_notify(struct run *run, struct ambit_error *err)
{
	return run->client > 0 || run->inner != NULL
		       ? 0
		       : engine_open_notify(
				 run->world.engine, environ, keep_notify_failure, run, err);
}

/* Before the run and after it there is no desk, and nobody but the approver can answer. In the
 * main thread, so that a signal ends the question and leaves the terminal as it was. */
int
run_ask_approver(struct run *run, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct ambit_question asked = *question;

	if (!run->approver->instant)
		engine_notify(run->world.engine, question);
	asked.expires = channel_row_expires(channel_row_find(run->approver->name), asked.expires,
		engine_client_timeout(run->world.engine));
	return run->approver->ask(run->approver, &asked, ret_answer, err);
}

/* -- a folder that holds nothing in --------------------------------------------- */

static int
wide_refused(const struct run *run, struct ambit_error *err)
{
	return err_set(err, EPERM,
		"the folder would be %s, which is or holds your home: the line would hold nothing "
		"of yours back; name a smaller one with --folder DIR%s",
		run->root, streq(run->who, "deny") ? ", or say yes at a terminal" : "");
}

/* The two answers to a question of ambit's own, which stores nothing. */
int
run_set_choices(struct ambit_question *question, const char *no, const char *yes)
{
	question->choices = calloc(2, sizeof(*question->choices));
	if (question->choices == NULL)
		return -ENOMEM;
	question->n_choices = question->folder = 2;
	question->choices[0] = (struct ambit_choice){ .kind = AMBIT_NO, .stores = str_dup(no) };
	question->choices[1] = (struct ambit_choice){ .kind = AMBIT_ONCE, .stores = str_dup(yes) };
	return question->choices[0].stores != NULL && question->choices[1].stores != NULL ? 0
											  : -ENOMEM;
}

static int
wide_question(const struct run *run, struct ambit_question *question)
{
	auto_free char *shown = str_escape(run->root, strlen(run->root));
	auto_json json_t *request = json_pack("{s:s, s:{}}", "tool", "run", "args");
	auto_json json_t *outcome = json_pack("{s:s, s:s}", "verdict", "ask", "layer", "run");

	if (shown == NULL ||
		json_set_text(json_object_get(request, "args"), "folder", run->root) < 0 ||
		outcome == NULL)
		return -ENOMEM;
	*question = (struct ambit_question){
		.id = UINT64_MAX,
		.kind = str_dup("run"),
		.who = str_dup("ambit run"),
		.what = str_printf("take %s as the folder", shown),
		.object = str_printf("take %s as the folder", shown),
		.danger = str_dup("IT IS OR HOLDS YOUR HOME"),
		.why = str_dup("it is or holds your home: what is asked about elsewhere could be "
			       "changed freely there"),
		.because = str_dup("what is yours there could be changed without a question"),
		.request = json_line(request),
		.outcome = json_line(outcome),
	};
	return question->kind == NULL || question->who == NULL || question->what == NULL ||
			       question->object == NULL || question->danger == NULL ||
			       question->why == NULL || question->because == NULL ||
			       question->request == NULL || question->outcome == NULL
		       ? -ENOMEM
		       : run_set_choices(question, "nothing", "nothing: it is asked every time");
}

/* Nothing is remembered: whoever starts in the wrong directory twice should be
 * asked twice. */
static int
ask_wide(struct run *run, struct ambit_error *err)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_question question = { 0 };
	int r = wide_question(run, &question) < 0 ? err_nomem(err) : 0;

	if (r == 0)
		r = run_ask_approver(run, &question, &answer, err);
	question_finish(&question);
	if (r == 0 && answer.kind < AMBIT_ONCE)
		r = wide_refused(run, err);
	return r;
}

/* A server that asks for this one has its own; and from inside another run nobody is
 * asked but by that one. */
static int
open_judge(struct run *run, struct ambit_error *err)
{
	return run->client > 0 || run->inner != NULL
		       ? 0
		       : judge_open(run->world.settings, &run->judge, err);
}

static int
open_engine(struct run *run, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = run->world.settings,
		.scope = run->world.scope,
		.record = run->world.record,
		.judge = run->judge,
		.session = args_get(run->args, OPT_SESSION),
		.door = run->args->command->name,
		.agent = around_agent(run->inner),
		.outer = run->inner != NULL ? &run->inner->outer : NULL,
	};

	int r = ambit_engine_create(&options, &run->world.engine, err);

	for (size_t i = 0; r == 0 && i < run->args->n_given; i++)
		if (run->args->given[i].opt == OPT_KNOWN &&
			engine_add_repository(run->world.engine, run->args->given[i].value) < 0)
			r = err_nomem(err);
	return r;
}

/* -- the command -------------------------------------------------------------------- */

static char *
find_shell(const struct run *run)
{
	const char *shell = run_env(run, "SHELL");
	auto_free char *named = NULL;

	if (shell != NULL && shell[0] == '/' && access(shell, X_OK) == 0)
		return str_dup(shell);
	named = place_of_user(offsetof(struct passwd, pw_shell));
	if (named != NULL && named[0] == '/' && access(named, X_OK) == 0)
		return steal_ptr(&named);
	return str_dup("/bin/sh");
}

/* What is added comes before the program's own words: behind one of them it could mean something
 * else. */
static int
make_argv(struct run *run, struct ambit_error *err)
{
	const struct args *args = run->args;
	auto_free char *shell = args->n == 0 ? find_shell(run) : NULL;
	int r = args->n == 0 ? shell != NULL ? strv_append(&run->argv, shell) : -ENOMEM : 0;

	for (size_t i = 0; r == 0 && i < args->n; i++) {
		r = strv_append(&run->argv, args->words[i]);
		for (size_t j = 0; r == 0 && i == run->program && j < run->added.n_args; j++)
			r = strv_append(&run->argv, run->added.list[j]);
	}
	return r == 0 ? 0 : err_nomem(err);
}

static bool
is_named(const struct args *args, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < args->n_given; i++) {
		const char *at = args->given[i].value;

		if (args->given[i].opt != OPT_FOR)
			continue;
		for (; *at != '\0'; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
			if (strcspn(at, ",") == len && memcmp(at, name, len) == 0)
				return true;
	}
	return false;
}

/* A worktree's repository: with nobody to ask, what a commit needs is told. */
static void
say_worktree(const struct run *run, const struct profile *worktree)
{
	if (!run->quiet)
		fprintf(stderr,
			"ambit: %s, which is not open: git cannot commit here; say yes at a "
			"terminal, or --write each of its objects, refs, logs and worktrees/NAME\n",
			worktree->text);
}

static void
say_closed(const struct run *run, const struct profile *profile)
{
	if (streq(profile->name, "worktree")) {
		say_worktree(run, profile);
		return;
	}
	auto_buf struct buf places = { 0 };

	if (run->quiet)
		return;
	for (const char *const *folder = profile->folders; *folder != NULL; folder++)
		buf_printf(&places, "%s%s", places.len > 0 ? ", " : "", *folder);
	fprintf(stderr, "ambit: %s's own folders are not open (%s); --for %s opens them\n",
		profile->name, places.data != NULL ? places.data : "", profile->name);
}

/* The one question about the folders and hosts of a profile. *ret_profile is set
 * if it is in force. A no is no reason not to start: its places are refused then,
 * for this session, and nobody is asked about each of them. */
static int
ask_about(struct run *run, const struct profile *profile, const char *const *adds,
	const struct profile **ret_profile, struct ambit_error *err)
{
	struct ambit_question question = { 0 };
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error why = { 0 };
	int r;

	r = engine_profile_question(run->world.engine, profile->name, adds, &question, err);
	if (r == -EACCES) {
		*err = (struct ambit_error){ 0 };
		return 0;
	}
	if (r == 0)
		*ret_profile = profile;
	if (r <= 0)
		return r;
	/* Inside another run, what that one has not open is not asked for. */
	if (streq(run->who, "deny") || run->inner != NULL) {
		say_closed(run, profile);
		question_finish(&question);
		return 0;
	}
	r = run_ask_approver(run, &question, &answer, &why);
	question_finish(&question);
	if (r < 0) {
		say_closed(run, profile);
		return 0;
	}
	r = engine_profile_answer(
		run->world.engine, profile->name, &answer, run->approver->name, err);
	if (r == 0 && answer.kind >= AMBIT_ONCE)
		*ret_profile = profile;
	return r;
}

/* Asks about the command's profile. The person's own arguments decide what is added. */
static int
ask_own_profile(struct run *run, struct ambit_error *err)
{
	const struct args *args = run->args;
	const struct profile *profile;
	size_t at = run->program = profile_program_word((char *const *)args->words, args->n);
	int r;

	profile = args->n > 0 ? profile_for(args->words[at]) : NULL;
	if (profile == NULL || (args_get(args, OPT_FOR) != NULL && !is_named(args, profile->name)))
		return 0;
	if (profile_added_find(profile, (char *const *)args->words + at + 1, args->n - at - 1,
		    run_environ(run), &run->added) < 0)
		return err_nomem(err);
	r = ask_about(run, profile, (const char *const *)run->added.list, &run->profile, err);
	if (r == 0 && run->profile == NULL)
		profile_added_finish(&run->added);
	return r == 0 ? run_tell_added(run, profile->name, &run->added, 0, err) : r;
}

/* The profile of the command, and that of the repository the folder belongs to. */
static int
ask_profiles(struct run *run, struct ambit_error *err)
{
	const struct profile *worktree = engine_worktree_profile(run->world.engine), *open;
	int r = ask_own_profile(run, err);

	return r == 0 && worktree != NULL ? ask_about(run, worktree, NULL, &open, err) : r;
}

static int
find_cwd(struct run *run, struct ambit_error *err)
{
	auto_free char *cwd = getcwd(NULL, 0);

	run->cwd = str_dup(cwd != NULL && str_beneath(cwd, run->root) ? cwd : run->root);
	return run->cwd != NULL ? 0 : err_nomem(err);
}

static void
prepare_keeper(void *keeper)
{
	run_prepare(keeper);
}

/* Who answers, and whether the folder is one to begin in at all: for one inside
 * another run, that one has been asked. */
static int
find_limits(struct run *run, bool *ret_wide, struct ambit_error *err)
{
	int r;

	*ret_wide = false;
	if (run->inner != NULL) {
		r = around_check(run->inner, &run->world, run->args, err);
		if (r == 0)
			r = around_scope(run->inner, &run->world, err);
		around_limits(run->inner, &run->limits);
		run->guard_reads |= json_is_true(json_object_get(run->inner->scope, "guard_reads"));
		return r == 0 ? run_inner_who(run, err) : r;
	}
	find_terminal(run);
	r = find_who(run, err);
	*ret_wide = place_is_wide(&run->world.place, run->root);
	return r == 0 && *ret_wide && streq(run->who, "deny") ? wide_refused(run, err) : r;
}

int
run_begin(struct run *run, const struct args *args, struct around *inner,
	struct ambit_run_keeper *keeper, struct ambit_error *err)
{
	bool wide;
	int r;

	*run = (struct run){
		.args = args,
		.inner = inner,
		.keeper = keeper,
		.tty = -1,
		.report = { .dir = -1, .fd = -1 },
	};
	r = check_options(run, err);
	if (r == 0)
		r = world_open_meanwhile(&run->world, args,
			WORLD_SETTINGS | WORLD_STORE | WORLD_MEANWHILE, prepare_keeper, run->keeper,
			err);
	if (r != 0)
		return r;
	run->root = ambit_scope_root(run->world.scope);
	r = find_limits(run, &wide, err);
	if (r == 0)
		r = find_watchers(run, err);
	if (r == 0)
		r = open_judge(run, err);
	if (r == 0)
		r = open_engine(run, err);
	if (r == 0 && run->judge != NULL)
		r = programs_check(&run->world, err);
	if (r == 0)
		r = make_approver(run, err);
	if (r == 0)
		r = open_notify(run, err);
	if (r == 0 && wide)
		r = ask_wide(run, err);
	if (r == 0)
		r = ask_profiles(run, err);
	if (r == 0)
		r = make_argv(run, err);
	if (r == 0)
		r = run_environment(run, err);
	return r == 0 ? find_cwd(run, err) : r;
}

void
run_finish(struct run *run)
{
	run_release(run->keeper);
	ambit_approver_destroy(run->approver);
	profile_added_finish(&run->added);
	strv_free(run->argv);
	strv_free(run->envp);
	free(run->cwd);
	free(run->live);
	run_report_finish(&run->report);
	fd_close_at(&run->tty);
	world_finish(&run->world);
	ambit_judge_destroy(run->judge);
}
