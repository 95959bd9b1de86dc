/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of an executor about the end of a command: by time, by a cancel or by the death of
 * whoever holds it, nothing of it is left. */

#include "command-rig.h"

static void
test_timeout(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_SUBPROCESS, check_timeout, NULL);
}

static void
test_timeout_in_the_line(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_KERNEL, check_timeout, NULL);
}

static void
test_cancel(void **state)
{
	(void)state;
	each(check_cancel, NULL);
}

static void
test_daemon(void **state)
{
	(void)state;
	each(check_daemon, NULL);
}

static void
test_server_dies(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_SUBPROCESS, check_server_dies, NULL);
}

static void
test_server_of_the_line_dies(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_KERNEL, check_server_dies, NULL);
}

/* The one in between is killed, by the command: that does not set it free. */
static void
test_keeper_dies(void **state)
{
	char command[200];
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	/* When it sleeps, it has told that the command runs. */
	snprintf(command, sizeof(command),
		"until read -r _ _ state _ </proc/$PPID/stat && [ $state = S ]; do :; done; "
		"kill -9 $PPID; exec sleep %s",
		executor_nap(7128));
	run(&rig, command);
	assert_int_equal(rig.executed.status, 128 + 9);
	for (int i = 0; i < 500 && executor_left(executor_nap(7128)) > 0; i++)
		usleep(20000);
	assert_int_equal(executor_left(executor_nap(7128)), 0);
	rig_close(&rig);
}

GROUP(ends, T(test_timeout), T(test_server_dies), T(test_keeper_dies))
GROUP(ends_of_the_line, T(test_timeout_in_the_line), T(test_server_of_the_line_dies))
GROUP(ends_early, T(test_cancel), T(test_daemon))

int
main(void)
{
	static int (*const groups[])(void) = { ends, ends_of_the_line, ends_early };

	return run_groups(groups, sizeof(groups) / sizeof(groups[0]));
}
