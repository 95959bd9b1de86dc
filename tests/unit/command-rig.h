/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_COMMAND_RIG_H
#define TESTS_UNIT_COMMAND_RIG_H

/* An executor in a world: with nothing around its commands, or with the line (the program that
 * was built beside the test). Tests look at what is left: files, processes, descriptors. */

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "executor-rig.h"
#include "unit-world.h"

struct rig {
	struct world w;
	struct ambit_executor *executor;
	struct ambit_executed executed;
	struct ambit_error err;
};

static inline void
rig_open(struct rig *rig, enum ambit_backend backend, const struct ambit_limits *limits)
{
	*rig = (struct rig){ 0 };
	world_open(&rig->w);
	rig->executor = executor_open(&rig->w, backend, NULL, limits);
}

static inline void
rig_close(struct rig *rig)
{
	ambit_executed_finish(&rig->executed);
	ambit_executor_destroy(rig->executor);
	world_close(&rig->w);
}

static inline int
run_with(struct rig *rig, struct ambit_execution execution)
{
	if (!execution.cwd)
		execution.cwd = rig->w.root;
	if (execution.cancel == 0)
		execution.cancel = -1;
	ambit_executed_finish(&rig->executed);
	rig->err = (struct ambit_error){ 0 };
	return ambit_execute(rig->executor, &execution, &rig->executed, &rig->err);
}

static inline void
run(struct rig *rig, const char *command)
{
	if (run_with(rig, (struct ambit_execution){ .command = command }) < 0)
		fail_msg("%s: %s", command, rig->err.text);
}

static inline void
with(enum ambit_backend backend, void (*test)(struct rig *rig), const struct ambit_limits *limits)
{
	struct rig rig;

	if (backend == AMBIT_BACKEND_KERNEL && !executor_line())
		return;
	rig_open(&rig, backend, limits);
	test(&rig);
	rig_close(&rig);
}

/* Both with nothing and with the line around it. */
static inline void
each(void (*test)(struct rig *rig), const struct ambit_limits *limits)
{
	with(AMBIT_BACKEND_SUBPROCESS, test, limits);
	with(AMBIT_BACKEND_KERNEL, test, limits);
}

static inline void
check_timeout(struct rig *rig)
{
	struct ambit_execution execution = { .timeout_ms = 300 };
	char command[300];

	snprintf(command, sizeof(command),
		"trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo before; sleep %1$s' &) ; "
		"while :; do sleep %1$s; done",
		executor_nap(7123));
	execution.command = command;
	/* Until it was time enough to begin. */
	for (;; execution.timeout_ms *= 3) {
		assert_int_equal(run_with(rig, execution), 0);
		assert_true(rig->executed.timed_out);
		assert_int_equal(rig->executed.status, 124);
		assert_true(rig->executed.duration_ms >= execution.timeout_ms);
		assert_int_equal(executor_left(executor_nap(7123)), 0);
		if (rig->executed.out.len > 0 || execution.timeout_ms > 10000)
			break;
	}
	assert_string_equal(rig->executed.out.text, "before\n");
}

static inline void *
raise_when_there(void *data)
{
	int *fd = data;
	char words[64];

	snprintf(words, sizeof(words), "sleep %s", executor_nap(7124));
	executor_await(words);
	eventfd_write(*fd, 1);
	return NULL;
}

static inline void
check_cancel(struct rig *rig)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	char command[100];
	pthread_t thread;

	snprintf(command, sizeof(command), "echo before; nohup sleep %1$s & sleep %1$s",
		executor_nap(7124));
	assert_int_equal(pthread_create(&thread, NULL, raise_when_there, &fd), 0);
	assert_int_equal(run_with(rig,
				 (struct ambit_execution){
					 .command = command,
					 .cancel = fd,
				 }),
		0);
	pthread_join(thread, NULL);
	assert_true(rig->executed.cancelled);
	assert_false(rig->executed.timed_out);
	assert_int_equal(executor_left(executor_nap(7124)), 0);
	close(fd);
}

static inline void
check_daemon(struct rig *rig)
{
	char command[100];

	snprintf(command, sizeof(command),
		"(setsid sh -c 'trap \"\" TERM HUP; sleep %s; :' &) ; echo done",
		executor_nap(7125));
	run(rig, command);
	assert_int_equal(rig->executed.status, 0);
	assert_string_equal(rig->executed.out.text, "done\n");
	assert_int_equal(executor_left(executor_nap(7125)), 0);
}

/* The server is killed: nothing of what it ran goes on. */
static inline void
check_server_dies(struct rig *rig)
{
	char command[200], words[64];
	pid_t server;

	snprintf(words, sizeof(words), "sleep %s", executor_nap(7126));
	snprintf(command, sizeof(command), "trap '' TERM; setsid %1$s & %1$s", words);
	server = fork();
	if (server == 0) {
		struct ambit_execution execution = {
			.command = command,
			.cwd = rig->w.root,
			.cancel = -1,
		};

		_exit(ambit_execute(rig->executor, &execution, &rig->executed, NULL) < 0);
	}
	executor_await(words);
	assert_true(executor_left(words) > 0);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	for (int i = 0; i < 500 && executor_left(words) > 0; i++)
		usleep(20000);
	assert_int_equal(executor_left(words), 0);
}

/* Runs all groups at once, each in a process of its own: most of them wait for a time to pass
 * that is a promise, and nobody has to wait for it twice. */
static inline int
run_groups(int (*const *groups)(void), size_t n)
{
	pid_t pids[8];
	int failed = 0;

	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			exit(groups[i]() != 0);
	}
	for (size_t i = 0; i < n; i++) {
		int status = -1;

		if (pids[i] < 0 || waitpid(pids[i], &status, 0) < 0 || status != 0)
			failed++;
	}
	return failed;
}

#define GROUP(group, ...)                                                                          \
	static int group(void)                                                                     \
	{                                                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ };                                 \
                                                                                                   \
		return cmocka_run_group_tests_name(#group, tests, NULL, NULL);                     \
	}
#define T(test) cmocka_unit_test(test)

#endif
