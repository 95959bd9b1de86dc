/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about IPC and other processes, done on behalf of a process: those of the session work,
 * all others are refused. */

#include <fcntl.h>
#include <sys/shm.h>

#include "call-net-rig.h"

static void
shared_memory_is_ours_or_refused(void **state)
{
	struct world *w = *state;
	key_t key = (key_t)(0x41000000 | (getpid() & 0xffff));
	int other = shmget(IPC_PRIVATE, 4096, 0600), theirs = shmget(key, 4096, IPC_CREAT | 0600);
	int64_t id;

	assert_true(other >= 0 && theirs >= 0);
	stand(w);
	id = do_call(w, "shmget", call_ipc_get, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	assert_true(id >= 0);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)id), CONTINUED);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)id, IPC_RMID), CONTINUED);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)id), CONTINUED);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)other), -EACCES);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)other, IPC_RMID), -EACCES);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)other, IPC_STAT), CONTINUED);
	assert_int_equal(
		do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600), -EACCES);
	assert_int_equal(do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096,
				 IPC_CREAT | IPC_EXCL | 0600),
		-EEXIST);
	assert_int_equal(shmctl(theirs, IPC_RMID, NULL), 0);
	id = do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600);
	assert_true(id >= 0);
	assert_int_equal(
		do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600), id);
	session_objects_sweep(w->gate.made);
	assert_int_equal(shmget(key, 0, 0), -1);
	assert_int_equal(shmctl(other, IPC_RMID, NULL), 0);
}

static void
queues_are_ours_or_refused(void **state)
{
	struct world *w = *state;
	static char name[64];
	int64_t fd;

	snprintf(name, sizeof(name), "ambit-test-%d", (int)getpid());
	stand(w);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -ENOENT);
	fd = do_call(w, "mq_open", call_mq, P(name), O_RDWR | O_CREAT, 0600, 0);
	assert_true(fd >= 0);
	close((int)fd);
	fd = do_call(w, "mq_open", call_mq, P(name), O_RDWR);
	assert_true(fd >= 0);
	session_objects_drop_queue(w->gate.made, name, (int)fd);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -EACCES);
	assert_int_equal(
		do_call(w, "mq_open", call_mq, P(name), O_RDWR | O_CREAT, 0600, 0), -EACCES);
	assert_int_equal(do_call(w, "mq_unlink", call_mq, P(name)), -EACCES);
	assert_int_equal(session_objects_add_queue(w->gate.made, name, (int)fd), 0);
	close((int)fd);
	assert_int_equal(do_call(w, "mq_unlink", call_mq, P(name)), 0);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -ENOENT);
}

static void
other_processes_are_not_touched(void **state)
{
	struct world *w = *state;
	uint64_t self, parent = (uint64_t)getppid();

	stand(w);
	self = (uint64_t)w->child;
	assert_int_equal(do_call(w, "prlimit64", call_process, self), CONTINUED);
	assert_int_equal(do_call(w, "prlimit64", call_process, parent), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, self, SIGTERM), CONTINUED);
	assert_int_equal(do_call(w, "kill", call_process, parent, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, parent, 0), CONTINUED);
	assert_int_equal(do_call(w, "kill", call_process, (uint64_t)-1, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, 0, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, 99999999, SIGTERM), -ESRCH);
	assert_int_equal(do_call(w, "setpriority", call_process, 2, 0, 5), -EPERM);
	assert_int_equal(do_call(w, "setpriority", call_process, 0, self, 5), CONTINUED);
	assert_int_equal(do_call(w, "ioprio_set", call_process, 1, parent, 5), -EPERM);
	assert_int_equal(do_call(w, "getpid", call_process, self), -EPERM);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup_folder, teardown)
	const struct CMUnitTest tests[] = {
		TEST(shared_memory_is_ours_or_refused),
		TEST(queues_are_ours_or_refused),
		TEST(other_processes_are_not_touched),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
