/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CALL_NET_RIG_H
#define TESTS_UNIT_CALL_NET_RIG_H

/* Calls on behalf of a real process: a fork of the test that stands still, with the same
 * memory and descriptors. The gate is the real one. */

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/gate/gate-private.h"
#include "line/socket/endpoint.h"
#include "perform/permit.h"
#include "scratch.h"

struct world {
	struct gate gate;
	struct floor *floor;
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_engine *engine;
	char dir[64];
	pid_t child;
	char host[256]; /* what the last call asked for, or "" */
};

/* The folder is the directory of the test. */
static inline void
open_engine(struct world *w)
{
	struct ambit_scope_options scope = {
		.root = w->dir,
		.places = { .home = "/usr", .config = "/usr/none", .state = "/usr/nothing" },
	};
	struct ambit_settings_options settings = { .home = "/usr", .folder = w->dir };
	struct ambit_engine_options options = { .door = "test" };
	struct ambit_error err = { 0 };

	if (ambit_settings_load(&settings, &w->settings, &err) < 0 ||
		ambit_scope_create(&scope, &w->scope, &err) < 0)
		fail_msg("%s", err.text);
	options.settings = w->settings;
	options.scope = w->scope;
	if (ambit_engine_create(&options, &w->engine, &err) < 0)
		fail_msg("%s", err.text);
	w->gate.o.engine = w->engine;
}

static inline int
setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	scratch_make(w->dir, sizeof(w->dir));
	assert_int_equal(chdir(w->dir), 0);
	w->gate.made = session_objects_create();
	/* For its lock. */
	assert_int_equal(desk_create(&(struct desk_options){ 0 }, &w->gate.o.desk, NULL), 0);
	open_engine(w);
	w->gate.net = AMBIT_NET_ASK;
	w->gate.network = endpoint_network();
	w->gate.o.tree.keeper = getpid();
	w->gate.o.listener = -1;
	*state = w;
	return 0;
}

/* With a floor. */
static inline int
setup_folder(void **state)
{
	struct ambit_error err = { 0 };
	const char *folder;
	struct world *w;

	setup(state);
	w = *state;
	folder = w->dir;
	if (floor_create(&(struct floor_options){ .writable = &folder, .n_writable = 1 }, &w->floor,
		    &err) < 0)
		fail_msg("%s", err.text);
	w->gate.o.floor = w->floor;
	return 0;
}

static inline void
let_go(struct world *w)
{
	if (w->child > 0) {
		kill(w->child, SIGKILL);
		waitpid(w->child, NULL, 0);
	}
	w->child = 0;
}

static inline int
teardown(void **state)
{
	struct world *w = *state;
	char command[PATH_MAX];

	let_go(w);
	desk_destroy(w->gate.o.desk);
	session_objects_destroy(w->gate.made);
	ambit_engine_destroy(w->engine);
	ambit_scope_destroy(w->scope);
	ambit_settings_destroy(w->settings);
	floor_destroy(w->floor);
	for (const char *const *name = (const char *const[]){ "a.sock", "b.sock", "d/a.sock",
		     "e/a.sock", "e/sub", "d/sub", "d", "e", "moved/a.sock", "moved", NULL };
		*name; name++) {
		snprintf(command, sizeof(command), "%s/%s", w->dir, *name);
		if (unlink(command) < 0)
			rmdir(command);
	}
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	return 0;
}

/* From here on the child has what the test has now. */
static inline void
stand(struct world *w)
{
	let_go(w);
	w->child = fork();
	if (w->child == 0)
		for (;;)
			pause();
	assert_true(w->child > 0);
}

static inline const struct sys_row *
find_row(const char *name)
{
	const struct sys_row *row;

	for (size_t i = 0; (row = sys_at(i)) != NULL; i++)
		if (streq(row->name, name))
			return row;
	fail_msg("no row for %s", name);
	return NULL;
}

static inline void
begin(struct world *w, struct call *call, const char *name, const uint64_t *args)
{
	call_init(call);
	call->gate = &w->gate;
	call->row = find_row(name);
	memcpy(call->args, args, sizeof(call->args));
	target_init(&call->target, w->child);
	w->host[0] = '\0';
}

#define CONTINUED 4711
#define HANDED_OVER 4712

static inline int64_t
finish(struct world *w, struct call *call, const struct call_op *op)
{
	struct pass pass = { .engine = (const struct ambit_engine *)w };
	int r;

	if (call->host)
		snprintf(w->host, sizeof(w->host), "%s", call->host);
	r = op->perform(call, &pass);
	if (r == 0) {
		assert_null(pass.engine);
		if (call->answer.kind == ANSWER_FD)
			return steal_fd(&call->answer.fd);
		assert_int_equal(call->answer.kind, ANSWER_VALUE);
	}
	if (r == CALL_HAND_OVER)
		return HANDED_OVER;
	return r < 0 ? r : call->answer.value;
}

/* All of one call; everything is allowed. What is to be done by a worker is done
 * by the same thread here. */
#define do_call(w, name, op, ...) do_call_(w, name, &(op), (const uint64_t[6]){ __VA_ARGS__ })
#define CONTINUED 4711
#define HANDED_OVER 4712

static inline int64_t
do_call_(struct world *w, const char *name, const struct call_op *op, const uint64_t *args)
{
	struct call *call = malloc(sizeof(*call));
	int64_t r;

	begin(w, call, name, args);
	r = op->prepare(call);
	if (r == CALL_DECIDE) {
		assert_false(call->may_continue);
		r = finish(w, call, op);
		if (r == HANDED_OVER) {
			assert_int_not_equal(call->pace, PACE_SLOW);
			call->round = ROUND_AGAIN;
			assert_int_equal(op->prepare(call), CALL_DECIDE);
			assert_int_equal(call->pace, PACE_SLOW);
			r = finish(w, call, op);
		}
	} else if (r == CALL_ANSWERED) {
		assert_int_equal(call->answer.kind, ANSWER_CONTINUE);
		r = CONTINUED;
	}
	call_finish(call);
	free(call);
	return r;
}

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

static inline struct sockaddr_in
loopback(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

#endif
