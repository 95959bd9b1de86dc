/* SPDX-License-Identifier: Apache-2.0 */
/* From a command to its result: what the line needs is made ready, the keeper
 * starts the command behind it, a loop relays, waits and ends, and everything
 * that was made is taken away again. Nothing runs before the record knows of
 * it, and nothing runs at all if a part of the line is missing. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/doors.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "line/process/run-doors.h"
#include "live/live.h"

#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "base/lookup.h"
#include "line/floor/pool.h"
#include "probe/probe.h"
#include "request/request-object.h"
#include "line/run-private.h"
#include "line/process/temp-dir.h"

/* -- what the line needs ------------------------------------------------------- */

int
run_add_ground(void *data, const char *path, bool spine)
{
	struct run_ground *writable = data;

	return strv_append(spine ? &writable->spine : &writable->open, path);
}

/* The terminal that the command has: its own, or the one it was given. */
static const char *
terminal_name(const struct run *run, char *room, size_t size)
{
	if (run->terminal)
		return terminal_slave_name(run->terminal);
	for (int fd = 0; fd < 3; fd++)
		if (ttyname_r(fd, room, size) == 0)
			return room;
	return NULL;
}

int
run_find_git(struct ambit_engine *engine, char *const *open, char ***ret_git, char ***ret_other)
{
	int r = 0;

	for (; r == 0 && open && *open; open++)
		r = strv_append(engine_in_git(engine, *open) ? ret_git : ret_other, *open);
	return r;
}

/* Whether other lines are around this one, and not only a door that narrows it. */
static bool
in_lines(const struct run *run)
{
	return run->o->inner && run->o->inner->start.n_outer > 0;
}

static int
make_floor(struct run *run, struct ambit_error *err)
{
	char **readable = NULL, **hidden = NULL, **git = NULL, **other = NULL;
	struct run_ground writable = { 0 };
	char tty[64];
	struct ambit_engine *engine = run->o->engine;
	int r, limited;

	r = engine_writable(engine, run_add_ground, &writable);
	/* In lines around it the temp directory is theirs to grant; a door has none. */
	if (r == 0 && in_lines(run))
		r = strv_append(&writable.open, run->temp);
	if (r == 0 && run->o->inner)
		r = inner_narrow(run->o->inner, &writable.open, &writable.spine);
	if (r == 0 && !in_lines(run))
		r = strv_append(&writable.open, run->temp);
	if (r == 0)
		r = run_find_git(engine, writable.open, &git, &other);
	limited = r == 0 ? engine_readable(engine, strv_append_to, &readable) : r;
	r = limited < 0 ? limited : strv_append(&readable, run->temp);
	if (r == 0)
		r = engine_hidden(engine, run->o->guard_reads, strv_append_to, &hidden);
	/* A list that is cut short is no list. */
	if (r < 0)
		r = err_sys(err, -r, "the folders that the command may use");
	else
		r = floor_create(
			&(struct floor_options){
				.base = steal_ptr(&run->base),
				.abi = run->o->landlock,
				.writable = (const char *const *)other,
				.n_writable = strv_len(other),
				.git = (const char *const *)git,
				.n_git = strv_len(git),
				.spine = (const char *const *)writable.spine,
				.n_spine = strv_len(writable.spine),
				.readable = (const char *const *)readable,
				.n_readable = strv_len(readable),
				.limit_reads = limited == 0,
				.hidden = (const char *const *)hidden,
				.n_hidden = strv_len(hidden),
				.tty = terminal_name(run, tty, sizeof(tty)),
			},
			&run->floor, err);
	/* In the lines around it, what is made ahead would have no rights. */
	if (r == 0 && writable.spine && !in_lines(run))
		r = pool_create(ambit_scope_root(ambit_engine_scope(engine)), run->leftovers,
			run->floor, &run->pool, err);
	run->open = writable.open;
	run->spine = writable.spine;
	strv_free(readable);
	strv_free(hidden);
	strv_free(git);
	strv_free(other);
	return r;
}

static int
add_variable(struct run *run, const char *name, const char *value)
{
	auto_free char *entry = str_printf("%s=%s", name, value);

	return entry ? strv_append(&run->variables, entry) : -ENOMEM;
}

static int
make_proxy(struct run *run, struct ambit_error *err)
{
	auto_free char *proxy = NULL;
	int port = 0, r;

	if (ambit_engine_net(run->o->engine) == AMBIT_NET_NONE)
		return err_set(err, EINVAL,
			"a proxy has nothing to serve: the network is off (net is none)");
	r = egress_proxy_open(&run->proxy, &port, run->token);
	if (r < 0)
		return err_sys(err, -r, "the proxy");
	proxy = str_printf("http://ambit:%s@127.0.0.1:%d", run->token, port);
	/* Both spellings: programs differ. This machine is reached without the proxy. */
	if (!proxy || add_variable(run, "https_proxy", proxy) < 0 ||
		add_variable(run, "HTTPS_PROXY", proxy) < 0 ||
		add_variable(run, "no_proxy", "localhost,127.0.0.1,::1") < 0 ||
		add_variable(run, "NO_PROXY", "localhost,127.0.0.1,::1") < 0)
		return err_nomem(err);
	return 0;
}

/* The entry in an environment that has the name of this one, "NAME=value". */
static const char *
find_variable(char *const *envp, const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;

	for (; envp && *envp; envp++)
		if (strncmp(*envp, entry, n) == 0)
			return *envp;
	return NULL;
}

/* The directory where the command starts, as a shell names it: PWD stays if it still means this
 * directory. */
static const char *
find_logical_cwd(const struct run *run)
{
	const char *entry = find_variable(run->o->envp, "PWD="), *pwd = entry ? entry + 4 : "";
	struct stat said, real;

	if (object_path_plain(pwd) && stat(pwd, &said) == 0 && stat(run->o->cwd, &real) == 0 &&
		said.st_dev == real.st_dev && said.st_ino == real.st_ino)
		return pwd;
	return run->o->cwd;
}

/* The variables that ambit sets for the command, in place of those from outside. No part of
 * ambit reads AMBIT_SESSION or AMBIT_FOLDER: a command can put anything there. */
static int
make_variables(struct run *run, struct ambit_error *err)
{
	const struct ambit_engine *engine = run->o->engine;

	if (add_variable(run, "TMPDIR", run->temp) < 0 ||
		add_variable(run, "PWD", find_logical_cwd(run)) < 0 ||
		add_variable(run, "AMBIT_SESSION", ambit_engine_session(engine)) < 0 ||
		add_variable(run, "AMBIT_FOLDER", ambit_scope_root(ambit_engine_scope(engine))) < 0)
		return err_nomem(err);
	return run->o->proxy ? make_proxy(run, err) : 0;
}

/* The strings are borrowed. */
static int
make_env(struct run *run, struct ambit_error *err)
{
	size_t out = 0;
	int r = make_variables(run, err);

	if (r < 0)
		return r;
	run->envp =
		calloc(strv_len(run->o->envp) + strv_len(run->variables) + 1, sizeof(*run->envp));
	if (!run->envp)
		return err_nomem(err);
	for (char *const *entry = run->o->envp; entry && *entry; entry++)
		if (!find_variable(run->variables, *entry))
			run->envp[out++] = *entry;
	for (char *const *entry = run->variables; *entry; entry++)
		run->envp[out++] = *entry;
	return 0;
}

static int
note_start(struct run *run, struct ambit_error *err)
{
	auto_json json_t *body = json_object(), *argv = json_array();
	auto_free char *line = NULL;

	for (size_t i = 0; argv && run->o->argv[i]; i++) {
		auto_free char *word = str_escape(run->o->argv[i], strlen(run->o->argv[i]));

		if (!word || json_array_append_new(argv, json_string(word)) < 0)
			return err_nomem(err);
	}
	if (!body || !argv || json_object_set(body, "argv", argv) < 0 ||
		json_set_text(body, "cwd", run->o->cwd) < 0 ||
		json_object_set_new(body, "landlock", json_integer(floor_in_force(run->floor))) <
			0 ||
		(run->o->inside && json_set_text(body, "inside", run->o->inside) < 0) ||
		!(line = json_line(body)))
		return err_nomem(err);
	return engine_record_note(run->o->engine, "run", run->o->argv[0], line, err);
}

/* -- starting ------------------------------------------------------------------ */

/* Says why the command could not be held, or not be started. */
static int
start_failed(struct run *run, const struct keeper_message *message, struct ambit_error *err)
{
	if (streq(message->step, "exec") || streq(message->step, "chdir")) {
		run->result->status =
			message->error == ENOENT && streq(message->step, "exec") ? 127 : 126;
		run->result->error = message->error;
		run->failed = true;
		return 0;
	}
	if (streq(message->step, "seccomp") && message->error == EBUSY)
		return err_set(err, EBUSY,
			"a supervisor already listens here: this is inside ambit, or another "
			"sandbox "
			"that uses seccomp notification, and only one can");
	if (streq(message->step, "seccomp") && message->error == EINVAL)
		return err_set(err, EINVAL,
			"this kernel's seccomp cannot hold calls (it needs Linux 5.19)");
	return err_sys(err, message->error, "the line could not be drawn: %s", message->step);
}

static int
start_keeper(struct run *run, struct ambit_error *err)
{
	struct keeper_options options = {
		.argv = run->o->argv,
		.envp = run->envp,
		.program = run->program,
		.program_error = run->why,
		.cwd = run->o->cwd,
		.temp = &run->made,
		.pool = pool_made(run->pool),
		.list = run->leftovers ? leftovers_file(run->leftovers) : NULL,
		.ruleset = floor_fd(run->floor),
		.filter = run->filter,
		.n_filter = run->n_filter,
		.pty = -1,
		.tty = -1,
		.nest = run->o->nest,
		.limits = run->o->limits,
	};
	struct keeper_message message;
	int r;

	if (run->terminal) {
		options.pty = terminal_slave(run->terminal);
		options.tty = run->o->tty;
		options.restore = *terminal_before(run->terminal);
		for (int i = 0; i < 3; i++)
			options.replace[i] = isatty(i);
	}
	if (run->o->inner)
		inner_manner(run->o->inner, &options);
	r = run->keeper.pid > 0 ? 0 : keeper_fork(&run->keeper, err);
	if (r == 0)
		r = keeper_start(&run->keeper, &options, err);
	/* While the command's process is made ready; it does not run before. Whoever sees
	 * what it does finds it live. */
	if (r == 0)
		r = note_start(run, err);
	if (r < 0)
		return r;
	run_live(run);
	keeper_run(&run->keeper);
	r = keeper_read(&run->keeper, &message);
	if (r < 0)
		return err_set(err, -r, "the keeper died before the command was started");
	if (message.event != KEEPER_STARTED)
		return start_failed(run, &message, err);
	run->child = message.child;
	run->listener = message.listener;
	if (run->o->inner)
		inner_tell(run->o->inner, NEST_STARTED, message.joined);
	return 0;
}

/* Without one, a run inside says that it cannot be. */
static void
start_nest(struct run *run)
{
	const struct ambit_run_inner *inner = run->o->inner;
	const struct nest_options options = {
		.engine = run->o->engine,
		.keeper = &run->keeper,
		.floor = run->floor,
		.open = run->open,
		.spine = run->spine,
		.temp = run->temp,
		.outer = inner ? inner->outer : NULL,
		.n_outer = inner ? inner->start.n_outer : 0,
		.scope = run->o->nest_scope,
		.data = run->o->nest_data,
	};

	if (run->o->nest && run->o->nest_scope && nest_create(&options, &run->nest) < 0)
		run->nest = NULL;
}

static int
start_gate(struct run *run, struct ambit_error *err)
{
	struct gate_options options = {
		.engine = run->o->engine,
		.desk = run->desk,
		.floor = run->floor,
		.tree = {
			.keeper = run->keeper.pid,
			.child = run->child,
			.apart = run->nest ? nest_owns : NULL,
			.data = run->nest,
		},
		.nest = run->nest,
		.listener = steal_fd(&run->listener),
		.quiet = run->o->quiet,
		.temp = run->temp,
		.pool = run->pool,
		.proxy = steal_fd(&run->proxy),
		.token = run->token,
		.wake = run_wake,
		.data = run,
	};
	int r = gate_create(&options, &run->gate, err);

	return r < 0 ? r : gate_start(run->gate, err);
}

/* The command's TERM speaks of the real terminal, which its own is like. GNU screen (STY) has
 * another screen only if its user says so. */
static enum terminal_kind
choose_terminal_kind(char *const *envp)
{
	static const char *const one[] = { "TERM=linux", "TERM=vt1", "TERM=vt2", "TERM=ansi",
		"STY=" };
	bool named = false, single = false;

	for (; envp && *envp; envp++) {
		if (streq(*envp, "TERM=dumb"))
			return TERMINAL_DUMB;
		named |= str_prefix(*envp, "TERM=");
		for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
			single |= str_prefix(*envp, one[i]);
	}
	return named && !single ? TERMINAL_TWO_SCREENS : TERMINAL_ONE_SCREEN;
}

/* A descriptor that is passed in may have an owner already. The signals that it sends are then the
 * owner's own to the kernel, and Landlock lets them out. */
static bool
is_any_input_owned(void)
{
	struct f_owner_ex owner;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETOWN_EX, &owner) == 0 && owner.pid != 0)
			return true;
	return false;
}

/* For the filter: then it does as if Landlock knew nothing of signals. */
static int
choose_filter_abi(const struct run *run)
{
	int abi = floor_in_force(run->floor);

	return abi > FILTER_ABI_NO_SIGNALS && is_any_input_owned() ? FILTER_ABI_NO_SIGNALS : abi;
}

static int
prepare_run(struct run *run, struct ambit_error *err)
{
	int r = run->probed ? 0 : probe_line(err);

	if (r == 0)
		r = engine_open_leftovers(run->o->engine, &run->leftovers, err);
	if (r == 0)
		r = engine_hold_reads(run->o->engine, run->o->guard_reads, run->o->for_call, err);
	if (r == 0)
		r = temp_dir_create(run->o->temp, run->leftovers, &run->made, &run->temp, err);
	if (r == 0)
		r = engine_grant(run->o->engine, run->temp, err);
	if (r == 0)
		r = make_env(run, err);
	if (r == 0 && run->o->terminal == AMBIT_RUN_PTY)
		r = terminal_create(
			run->o->tty, choose_terminal_kind(run->o->envp), &run->terminal, err);
	if (r == 0)
		r = make_floor(run, err);
	if (r == 0 && filter_create(&(struct filter_options){ .abi = choose_filter_abi(run),
					    .notify = true },
			      &run->filter, &run->n_filter) < 0)
		r = err_nomem(err);
	if (r == 0)
		r = run_make_desk(run, err);
	if (r < 0)
		return r;
	r = lookup_program(run->o->argv[0], run->o->path, run->o->cwd, &run->program);
	if (r == -ENOMEM)
		return err_nomem(err);
	run->why = -r;
	return 0;
}

/* -- ending -------------------------------------------------------------------- */

/* That it ran is in the record. If the rest does not get there, a full disk, what came
 * of it is still the caller's to know. */
static int
note_end(struct run *run, struct ambit_error *err)
{
	auto_free char *body = ambit_run_result_json(
		run->result, ambit_engine_session(run->o->engine), run->o->argv);
	struct ambit_error why = { 0 };

	if (!body)
		return err_nomem(err);
	if (engine_record_note(run->o->engine, "end", run->o->argv[0], body, &why) == 0)
		return 0;
	run->result->unrecorded = strdup(why.text);
	return run->result->unrecorded ? 0 : err_nomem(err);
}

/* Everything that was made for the run. The tree is gone when the loop has
 * ended; if it has not, the keeper ends it while the gate still stands. */
static void
destroy_run_parts(struct run *run)
{
	if (run->keeper.pid > 0 && !run->empty)
		keeper_finish(&run->keeper);
	desk_stop(run->desk);
	if (run->gate)
		gate_stop(run->gate);
	run_close_desk(run);
	if (run->gate) {
		gate_report(run->gate, run->result);
		gate_destroy(run->gate);
	}
	nest_destroy(run->nest);
	terminal_destroy(run->terminal);
	if (run->listener >= 0)
		close(run->listener);
	loop_finish(run);
	floor_destroy(run->floor);
	floor_destroy(run->base);
	desk_destroy(run->desk);
}

static int
append_path(char ***list, size_t *n, const char *path)
{
	char **more = reallocarray(*list, *n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*list = more;
	more[*n] = strdup(path);
	return more[*n] ? ((*n)++, 0) : -ENOMEM;
}

static int
add_planted(void *data, const char *path, bool seen)
{
	struct ambit_run_result *result = data;

	return seen ? append_path(&result->planted, &result->n_planted, path)
		    : append_path(&result->unseen_in, &result->n_unseen_in, path);
}

/* Who made no call that can change a name has planted nothing. */
static void
look_around(struct run *run)
{
	run->result->cut = engine_search_cut(run->o->engine);
	if (run->result->calls > 0)
		run->result->unseen =
			engine_planted(run->o->engine, run->since, add_planted, run->result) != 0;
}

/* Last, so that the keeper clears away meanwhile. */
static void
finish_run(struct run *run)
{
	/* It removes temp only if it came to hear of it. */
	if (run->keeper.pid > 0)
		keeper_finish(&run->keeper);
	keeper_clear(&run->made, pool_made(run->pool),
		run->leftovers ? leftovers_file(run->leftovers) : NULL);
	pool_destroy(run->pool);
	leftover_finish(&run->made);
	leftovers_destroy(run->leftovers);
	free(run->temp);
	strv_free(run->variables);
	if (run->proxy >= 0)
		close(run->proxy);
	strv_free(run->open);
	strv_free(run->spine);
	free(run->envp);
	free(run->filter);
	free(run->program);
}

struct ambit_run_keeper {
	struct keeper keeper;
	struct floor *base; /* or NULL */
	bool probed;
};

int
run_keep(struct ambit_run_keeper **ret_keeper, struct ambit_error *err)
{
	struct ambit_run_keeper *keeper = calloc(1, sizeof(*keeper));
	int r;

	if (!keeper)
		return err_nomem(err);
	r = keeper_fork(&keeper->keeper, err);
	if (r < 0)
		free(keeper);
	else
		*ret_keeper = keeper;
	return r;
}

void
run_prepare(struct ambit_run_keeper *keeper)
{
	keeper->probed = probe_line(NULL) == 0;
	if (keeper->probed && floor_prepare(&keeper->base, NULL) < 0)
		keeper->base = NULL;
}

void
run_release(struct ambit_run_keeper *keeper)
{
	if (!keeper)
		return;
	keeper_finish(&keeper->keeper);
	floor_destroy(keeper->base);
	free(keeper);
}

int
ambit_run(const struct ambit_run_options *options, struct ambit_run_result *ret_result,
	struct ambit_error *err)
{
	struct ambit_run_result result = { .status = 125, .started = clock_now() };
	struct run run = {
		.o = options,
		.result = &result,
		.since = clock_of_files(),
		.listener = -1,
		.made = LEFTOVER_NONE,
		.keeper = { .pidfd = -1, .socket = -1 },
		.wake = -1,
		.signals = -1,
		.proxy = -1,
	};
	int r;

	if (options->keeper) {
		run.keeper = options->keeper->keeper;
		run.base = options->keeper->base;
		run.probed = options->keeper->probed;
		free(options->keeper);
	}
	/* The tree has the same user id: it must not look into this memory. */
	prctl(PR_SET_DUMPABLE, 0);
	r = prepare_run(&run, err);
	if (r == 0)
		r = start_keeper(&run, err);
	if (r == 0)
		r = loop_init(&run, err);
	if (r == 0 && !run.failed) {
		start_nest(&run);
		r = start_gate(&run, err);
	}
	if (r == 0 && !run.failed && run.terminal)
		r = terminal_started(run.terminal, err);
	if (r == 0 && !run.failed)
		r = loop_run(&run, err);
	destroy_run_parts(&run);
	look_around(&run);
	result.ended = clock_now();
	if (r == 0)
		r = note_end(&run, err);
	finish_run(&run);
	if (r < 0) {
		ambit_run_result_finish(&result);
		return r;
	}
	*ret_result = result;
	return 0;
}
