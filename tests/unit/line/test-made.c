/* SPDX-License-Identifier: Apache-2.0 */
/* What the session made is known again, and nothing else is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/object/session-objects.h"
#include "scratch.h"

struct world {
	struct session_objects *made;
	char dir[SCRATCH_PATH];
	int fd;
};

static int
setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	scratch_make(w->dir, sizeof(w->dir));
	w->fd = open(w->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	w->made = session_objects_create();
	assert_non_null(w->made);
	*state = w;
	return 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;

	close(w->fd);
	scratch_remove(w->dir);
	session_objects_destroy(w->made);
	free(w);
	return 0;
}

static int
make_file(struct world *w, const char *name)
{
	int fd = openat(w->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void
a_file_is_known_by_any_descriptor(void **state)
{
	struct world *w = *state;
	auto_close int a = make_file(w, "a");
	auto_close int b = make_file(w, "b");
	auto_close int path = openat(w->fd, "a", O_PATH | O_CLOEXEC);

	assert_false(session_objects_has(w->made, a));
	assert_int_equal(session_objects_add(w->made, a), 0);
	assert_int_equal(session_objects_add(w->made, a), 0);
	assert_true(session_objects_has(w->made, path));
	assert_false(session_objects_has(w->made, b));
	assert_int_equal(renameat(w->fd, "a", w->fd, "b"), 0);
	assert_true(session_objects_has(w->made, path));
	session_objects_drop(w->made, path);
	assert_false(session_objects_has(w->made, a));
	assert_int_equal(session_objects_add(w->made, -1), -EBADF);
	assert_false(session_objects_has(w->made, -1));
}

/* By one process, running one program: another's is not its own, nor the session's. */
static void
a_file_is_known_as_its_makers(void **state)
{
	struct world *w = *state;
	const struct session_maker one = { 100, 7, 4096, 5, 12, 3 };
	auto_close int fd = make_file(w, "a");

	assert_int_equal(session_objects_add_by(w->made, &one, fd), 0);
	assert_true(session_objects_has_by(w->made, &one, fd));
	assert_false(session_objects_has(w->made, fd));
	for (size_t i = 0; i < sizeof(one) / sizeof(uint64_t); i++) {
		struct session_maker other = one;
		uint64_t *field = &other.pid + i;

		++*field;
		assert_false(session_objects_has_by(w->made, &other, fd));
		session_objects_drop_by(w->made, &other, fd);
	}
	session_objects_drop(w->made, fd);
	assert_true(session_objects_has_by(w->made, &one, fd));
	session_objects_drop_by(w->made, &one, fd);
	assert_false(session_objects_has_by(w->made, &one, fd));
	/* The other way round, too. */
	assert_int_equal(session_objects_add(w->made, fd), 0);
	assert_false(session_objects_has_by(w->made, &one, fd));
}

/* ext4 gives the number out again at once: the birth time tells them apart, as
 * finely as the kernel's clock for it ticks. */
static void
a_number_given_out_again_is_not_ours(void **state)
{
	struct world *w = *state;
	struct statx before, after;
	int again = 0;

	for (int i = 0; i < 50; i++) {
		int fd = make_file(w, "a");

		assert_int_equal(
			statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &before), 0);
		assert_int_equal(session_objects_add(w->made, fd), 0);
		close(fd);
		assert_int_equal(unlinkat(w->fd, "a", 0), 0);
		fd = make_file(w, "b");
		assert_int_equal(
			statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &after), 0);
		again += before.stx_ino == after.stx_ino;
		if (before.stx_ino != after.stx_ino ||
			memcmp(&before.stx_btime, &after.stx_btime, sizeof(after.stx_btime)) != 0)
			assert_false(session_objects_has(w->made, fd));
		close(fd);
		assert_int_equal(unlinkat(w->fd, "b", 0), 0);
	}
	print_message("inode numbers given out again: %d of 50\n", again);
}

static void
names_and_numbers_are_of_their_kind(void **state)
{
	struct world *w = *state;

	assert_int_equal(session_objects_add_cookie(w->made, 7), 0);
	assert_true(session_objects_has_cookie(w->made, 7));
	assert_false(session_objects_has_cookie(w->made, 8));
	assert_false(session_objects_has_ipc(w->made, 'q', 7));
	assert_int_equal(session_objects_add_ipc(w->made, 'q', 7), 0);
	assert_false(session_objects_has_ipc(w->made, 's', 7));
	session_objects_drop_ipc(w->made, 's', 7);
	assert_true(session_objects_has_ipc(w->made, 'q', 7));
	session_objects_drop_ipc(w->made, 'q', 7);
	assert_false(session_objects_has_ipc(w->made, 'q', 7));
	assert_true(session_objects_has_cookie(w->made, 7));
}

static void
the_bound_is_a_bound(void **state)
{
	struct world *w = *state;
	uint64_t i;
	int r = 0;

	for (i = 0; i < 300000 && r == 0; i++)
		r = session_objects_add_cookie(w->made, i);
	assert_int_equal(r, -ENOSPC);
	assert_int_equal(i, 262145);
	assert_true(session_objects_has_cookie(w->made, 0));
	assert_true(session_objects_has_cookie(w->made, 262143));
	assert_false(session_objects_has_cookie(w->made, 262144));
}

static void *
add_many(void *data)
{
	struct session_objects *made = data;
	bool all = true;

	for (uint64_t i = 0; i < 20000; i++) {
		session_objects_add_cookie(made, i);
		all = all && session_objects_has_cookie(made, i);
		session_objects_add_ipc(made, 'x', i);
		session_objects_drop_ipc(made, 'x', i);
	}
	return all ? data : NULL;
}

static void
threads_do_not_disturb_each_other(void **state)
{
	struct world *w = *state;
	pthread_t threads[4];
	void *result;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, w->made), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_ptr_equal(result, w->made);
	}
}

static void
sweeping_removes_ours_and_only_ours(void **state)
{
	struct world *w = *state;
	int shm = shmget(IPC_PRIVATE, 4096, 0600), sem = semget(IPC_PRIVATE, 1, 0600);
	int msg = msgget(IPC_PRIVATE, 0600), other = shmget(IPC_PRIVATE, 4096, 0600);
	char name[64];
	struct shmid_ds ds;

	assert_true(shm >= 0 && sem >= 0 && msg >= 0 && other >= 0);
	snprintf(name, sizeof(name), "/ambit-test-made-%d", (int)getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
	session_objects_add_ipc(w->made, 'm', (uint64_t)shm);
	session_objects_add_ipc(w->made, 's', (uint64_t)sem);
	session_objects_add_ipc(w->made, 'q', (uint64_t)msg);
	assert_int_equal(
		session_objects_add_queue(w->made, name + 1, queue), queue >= 0 ? 0 : -EBADF);
	assert_int_equal(session_objects_has_queue(w->made, name + 1, queue), queue >= 0);
	assert_false(session_objects_has_queue(w->made, "another", queue));
	session_objects_add_cookie(w->made, 1);
	session_objects_sweep(w->made);
	assert_int_equal(shmctl(shm, IPC_STAT, &ds), -1);
	assert_int_equal(semctl(sem, 0, GETVAL), -1);
	assert_int_equal(msgctl(msg, IPC_STAT, (struct msqid_ds[1]){ 0 }), -1);
	if (queue >= 0) {
		assert_int_equal(mq_open(name, O_RDWR), -1);
		assert_false(session_objects_has_queue(w->made, name + 1, queue));
		mq_close(queue);
	}
	assert_false(session_objects_has_ipc(w->made, 'm', (uint64_t)shm));
	assert_true(session_objects_has_cookie(w->made, 1));
	assert_int_equal(shmctl(other, IPC_STAT, &ds), 0);
	assert_int_equal(shmctl(other, IPC_RMID, NULL), 0);
}

/* The name of a queue that is gone is free for anybody. */
static void
a_queue_of_the_same_name_is_not_ours(void **state)
{
	struct world *w = *state;
	char name[64];

	snprintf(name, sizeof(name), "/ambit-test-again-%d", (int)getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
	if (queue < 0)
		skip();
	assert_int_equal(session_objects_add_queue(w->made, name + 1, queue), 0);
	mq_close(queue);
	assert_int_equal(mq_unlink(name), 0);
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0200, NULL);
	assert_true(queue >= 0);
	assert_false(session_objects_has_queue(w->made, name + 1, queue));
	int again = session_objects_open_queue(name + 1);
	assert_true(again >= 0);
	assert_false(session_objects_has_queue(w->made, name + 1, again));
	session_objects_sweep(w->made);
	assert_int_equal(mq_unlink(name), 0);
	assert_int_equal(session_objects_open_queue(name + 1), -ENOENT);
	mq_close(again);
	mq_close(queue);
}

/* The next file gets the number of the one that is gone, within the same tick of the clock. */
static void
a_number_that_is_given_out_again_is_not_ours(void **state)
{
	char dir[SCRATCH_PATH], path[SCRATCH_PATH + 8];
	struct session_objects *made = session_objects_create();

	(void)state;
	scratch_make(dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/theirs", dir);
	for (int i = 0; i < 500; i++) {
		int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

		if (fd < 0)
			break;
		assert_int_equal(session_objects_add(made, fd), 0);
		assert_true(session_objects_has(made, fd));
		close(fd);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		assert_false(session_objects_has(made, fd));
		close(fd);
		unlink(path);
	}
	scratch_remove(dir);
	session_objects_destroy(made);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_that_is_given_out_again_is_not_ours),
		cmocka_unit_test_setup_teardown(a_file_is_known_by_any_descriptor, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_is_known_as_its_makers, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_number_given_out_again_is_not_ours, setup, teardown),
		cmocka_unit_test_setup_teardown(
			names_and_numbers_are_of_their_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(the_bound_is_a_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_do_not_disturb_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(
			sweeping_removes_ours_and_only_ours, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_queue_of_the_same_name_is_not_ours, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
