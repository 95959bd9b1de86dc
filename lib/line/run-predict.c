/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is not run, for `ambit why`: the floor is only told what it covers, and the gate is
 * asked about one operation or one connection. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "line/calls/connect-predict.h"
#include "line/predict.h"
#include "line/run-private.h"

/* The private temp directory of a run has no name before it starts: nothing lies in this one. */
#define NO_TEMP "/dev/null/temp"

static int
outline_floor(struct ambit_engine *engine, struct floor **ret_floor, struct ambit_error *err)
{
	struct run_ground ground = { 0 };
	char **git = NULL, **other = NULL;
	char tty[64];
	int r = engine_writable(engine, run_add_ground, &ground);

	if (r == 0)
		r = run_find_git(engine, ground.open, &git, &other);
	if (r < 0)
		r = err_sys(err, -r, "the folders that a command may use");
	else
		r = floor_create(
			&(struct floor_options){
				.outline = true,
				.writable = (const char *const *)other,
				.n_writable = strv_len(other),
				.git = (const char *const *)git,
				.n_git = strv_len(git),
				.spine = (const char *const *)ground.spine,
				.n_spine = strv_len(ground.spine),
				.tty = ttyname_r(STDIN_FILENO, tty, sizeof(tty)) == 0 ? tty : NULL,
			},
			ret_floor, err);
	strv_free(ground.open);
	strv_free(ground.spine);
	strv_free(git);
	strv_free(other);
	return r;
}

int
run_predict_start(struct ambit_engine *engine, bool guard_reads,
	struct gate_prediction *ret_prediction, struct ambit_error *err)
{
	struct ambit_outcome *outcome = &ret_prediction->outcome;
	struct ambit_error why = { 0 };
	int r = engine_hold_reads(engine, guard_reads, false, &why);

	if (r != -EPERM) {
		*err = why;
		return r;
	}
	*outcome = (struct ambit_outcome){
		.verdict = AMBIT_DENY,
		.code = AMBIT_CODE_DENIED,
		.layer = "run",
		.reason = str_printf("no command starts here: %s", why.text),
	};
	return outcome->reason != NULL ? 1 : err_nomem(err);
}

int
run_predict(struct ambit_engine *engine, enum gate_operation operation, const char *path,
	const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err)
{
	struct gate_options options = {
		.engine = engine,
		.tree = { .keeper = getppid(), .child = getpid() },
		.listener = -1,
		.temp = NO_TEMP,
		.proxy = -1,
	};
	struct floor *floor = NULL;
	int r = outline_floor(engine, &floor, err);

	if (r < 0)
		return r;
	options.floor = floor;
	r = gate_predict(&options, operation, path, to, mode, ret_prediction, err);
	floor_destroy(floor);
	return r;
}

int
run_predict_connect(struct ambit_engine *engine, const char *host, bool datagram,
	struct gate_prediction *ret_prediction, struct ambit_error *err)
{
	const struct gate_options options = {
		.engine = engine,
		.tree = { .keeper = getppid(), .child = getpid() },
		.listener = -1,
		.temp = NO_TEMP,
		.proxy = -1,
	};

	return connect_predict(&options, host, datagram, ret_prediction, err);
}
