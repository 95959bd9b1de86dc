/* SPDX-License-Identifier: Apache-2.0 */
/* Who is of the tree, and that nobody of it outlives tree_end. The test itself
 * is the keeper: a subreaper, and the root. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "line/process/tree.h"

/* Each level forks the next, tells its pid through the pipe and waits for ever;
 * with orphan, only the last one stays. */
static void
grow(int out, int depth, bool orphan)
{
	pid_t pid;

	while (depth > 0 && fork() == 0)
		depth--;
	pid = getpid();
	if (write(out, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	if (orphan && depth > 0)
		_exit(0);
	for (;;)
		pause();
}

static void
plant(int depth, bool orphan, pid_t *pids)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	if (fork() == 0) {
		close(ends[0]);
		grow(ends[1], depth, orphan);
	}
	close(ends[1]);
	for (int i = 0; i <= depth; i++)
		assert_int_equal(read(ends[0], &pids[i], sizeof(pid_t)), sizeof(pid_t));
	close(ends[0]);
}

static int
setup(void **state)
{
	(void)state;
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static void
all_descendants_are_held(void **state)
{
	struct tree tree = { .keeper = getpid() };
	pid_t pids[6];

	(void)state;
	plant(5, false, pids);
	for (int i = 0; i <= 5; i++)
		assert_true(tree_holds(&tree, pids[i]));
	assert_false(tree_holds(&tree, getpid()));
	assert_false(tree_holds(&tree, getppid()));
	assert_false(tree_holds(&tree, 1));
	assert_false(tree_holds(&tree, 0));
	assert_false(tree_holds(&tree, -1));
	assert_int_equal(tree_end(5000), 6);
	for (int i = 0; i <= 5; i++) {
		assert_false(tree_holds(&tree, pids[i]));
		assert_int_equal(kill(pids[i], 0), -1);
	}
}

static uint32_t
inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint32_t)st.st_ino;
}

/* By the process itself and by those above it; not by the keeper, nor by a child. */
static void
a_socket_is_held_from_above(void **state)
{
	struct tree tree = { .keeper = getpid() }, other = { .keeper = 1 };
	int above[2], outside[2];
	uint32_t inode;
	pid_t pids[4];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, above), 0);
	plant(3, false, pids);
	/* They have both, and the keeper has one that nobody else has. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, outside), 0);
	inode = inode_of(above[0]);
	close(above[0]);
	close(above[1]);
	for (int i = 0; i <= 3; i++) {
		assert_true(tree_holds_socket(&tree, pids[i], inode));
		assert_false(tree_holds_socket(&tree, pids[i], inode_of(outside[0])));
		assert_false(tree_holds_socket(&tree, pids[i], 0));
		assert_false(tree_holds_socket(&other, pids[i], inode));
	}
	assert_false(tree_holds_socket(&tree, getpid(), inode_of(outside[0])));
	assert_int_equal(tree_end(5000), 4);
	assert_false(tree_holds_socket(&tree, pids[3], inode));
	close(outside[0]);
	close(outside[1]);
}

static void
a_socket_of_a_child_is_not_held(void **state)
{
	struct tree tree = { .keeper = getpid() };
	int ends[2], pair[2];
	uint32_t inode;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0 && fork() == 0) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
			_exit(1);
		inode = inode_of(pair[0]);
		if (write(ends[1], &inode, sizeof(inode)) != sizeof(inode))
			_exit(1);
		for (;;)
			pause();
	}
	if (child == 0)
		for (;;)
			pause();
	assert_int_equal(read(ends[0], &inode, sizeof(inode)), sizeof(inode));
	assert_false(tree_holds_socket(&tree, child, inode));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(tree_end(5000), 2);
}

static void
orphans_are_held_and_ended(void **state)
{
	struct tree tree = { .keeper = getpid() };
	pid_t pids[6], last = 0;
	int n;

	(void)state;
	plant(5, true, pids);
	/* Only the one at the bottom stays. */
	while (waitpid(-1, NULL, WNOHANG) >= 0 || errno == EINTR) {
		int alive = 0;

		for (int i = 0; i <= 5; i++)
			if (kill(pids[i], 0) == 0) {
				last = pids[i];
				alive++;
			}
		if (alive == 1)
			break;
	}
	assert_true(tree_holds(&tree, last));
	n = tree_end(5000);
	assert_int_equal(n, 1);
	assert_int_equal(kill(last, 0), -1);
	assert_int_equal(tree_end(5000), 0);
}

static void
a_signal_reaches_each_once(void **state)
{
	pid_t pids[4];
	int n, status;

	(void)state;
	plant(3, false, pids);
	assert_int_equal(tree_signal(SIGSTOP), 4);
	for (int i = 0; i <= 3; i++) {
		char path[64], text[256] = "", *at;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pids[i]);
		/* The stop of a process is not instant. */
		do {
			FILE *file = fopen(path, "r");

			assert_non_null(file);
			assert_non_null(fgets(text, sizeof(text), file));
			fclose(file);
			at = strrchr(text, ')');
			assert_non_null(at);
		} while (at[2] == 'S' || at[2] == 'R');
		assert_int_equal(at[2], 'T');
	}
	/* Stopped ones end as well. */
	n = tree_end(5000);
	assert_int_equal(n, 4);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void
groups_are_held_if_all_of_them_are(void **state)
{
	struct tree tree = { .keeper = getpid() };
	pid_t pids[3];
	int ends[2];
	char go;

	(void)state;
	plant(2, false, pids);
	/* They are in the test's own group. */
	assert_false(tree_holds_group(&tree, getpgrp()));
	assert_int_equal(pipe(ends), 0);
	pid_t leader = fork();

	if (leader == 0) {
		setsid();
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &go, 1), 1);
	assert_true(tree_holds_group(&tree, leader));
	assert_false(tree_holds_group(&tree, 0));
	assert_int_equal(tree_end(5000), 4);
	assert_false(tree_holds_group(&tree, leader));
	close(ends[0]);
	close(ends[1]);
}

static bool
is_the_one(void *data, pid_t pid)
{
	return pid == *(pid_t *)data;
}

struct searched {
	pid_t wanted, seen[16];
	int n;
};

static bool
note_searched(void *data, pid_t pid)
{
	struct searched *searched = data;

	assert_true(searched->n < 16);
	searched->seen[searched->n++] = pid;
	return pid == searched->wanted;
}

static int
count_seen(const struct searched *searched, pid_t pid)
{
	int n = 0;

	for (int i = 0; i < searched->n; i++)
		n += searched->seen[i] == pid;
	return n;
}

/* Upward from where it begins, then all of the tree, and nothing else. */
static void
a_search_begins_with_ancestors(void **state)
{
	pid_t pids[4], other[1];
	struct tree tree = { .keeper = getpid() };
	struct searched all = { 0 }, some = { 0 }, fewer = { 0 };

	(void)state;
	plant(3, false, pids);
	plant(0, false, other);
	assert_false(tree_search(&tree, other[0], note_searched, &all));
	assert_int_equal(all.seen[0], other[0]);
	for (int i = 0; i < 4; i++)
		assert_int_equal(count_seen(&all, pids[i]), 1);
	assert_int_equal(count_seen(&all, other[0]), 1);
	assert_int_equal(all.n, 5);
	some.wanted = pids[0];
	assert_true(tree_search(&tree, pids[0], note_searched, &some));
	assert_int_equal(some.n, 1);
	tree.apart = is_the_one;
	tree.data = &other[0];
	fewer.wanted = other[0];
	assert_false(tree_search(&tree, pids[1], note_searched, &fewer));
	assert_int_equal(tree_end(5000), 5);
}

/* One of ours in the tree, with all that it has, is not of the tree: neither to
 * be reached itself, nor in the way when a group is meant. */
static void
what_is_apart_is_not_held(void **state)
{
	pid_t pids[4], other[1], group;
	struct tree tree = { .keeper = getpid(), .apart = is_the_one };
	int seen = 0;

	(void)state;
	plant(3, false, pids);
	plant(0, false, other);
	/* They told their numbers in any order. Of a line of four, each in turn is
	 * apart: those above it are held. */
	for (int i = 0; i < 4; i++) {
		tree.data = &pids[i];
		for (int j = 0; j < 4; j++)
			seen += tree_holds(&tree, pids[j]);
	}
	assert_int_equal(seen, 0 + 1 + 2 + 3);
	tree.data = &other[0];
	assert_false(tree_holds(&tree, other[0]));
	assert_true(tree_holds(&tree, pids[3]));
	group = other[0];
	assert_int_equal(setpgid(other[0], group), 0);
	assert_false(tree_holds_group(&tree, group));
	for (int i = 0; i < 4; i++)
		if (setpgid(pids[i], group) == 0)
			seen = -1;
	assert_int_equal(seen, -1);
	assert_true(tree_holds_group(&tree, group));
	assert_int_equal(tree_end(5000), 5);
}

/* A process that forks as fast as it can, at most 40 times in all: each one
 * ends itself and leaves a child. */
static void
one_that_runs_away_is_caught(void **state)
{
	int ends[2];
	char go;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	if (fork() == 0) {
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		for (int i = 0; i < 40; i++)
			if (fork() != 0)
				_exit(0);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &go, 1), 1);
	assert_true(tree_end(5000) >= 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(ends[0]);
	close(ends[1]);
}

static void *
sleep_on(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

/* A leader that ended before its threads looks like a zombie. */
static void
a_process_without_its_leader_is_ended(void **state)
{
	int ends[2];
	char go;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		close(ends[0]);
		if (pthread_create(&thread, NULL, sleep_on, NULL) != 0 ||
			write(ends[1], "x", 1) != 1)
			_exit(1);
		pthread_exit(NULL);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &go, 1), 1);
	assert_int_equal(tree_end(5000), 1);
	/* The end of the pipe was held by the threads alone. */
	assert_int_equal(read(ends[0], &go, 1), 0);
	close(ends[0]);
	assert_int_equal(kill(pid, 0), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_descendants_are_held),
		cmocka_unit_test(a_socket_is_held_from_above),
		cmocka_unit_test(a_socket_of_a_child_is_not_held),
		cmocka_unit_test(orphans_are_held_and_ended),
		cmocka_unit_test(a_signal_reaches_each_once),
		cmocka_unit_test(groups_are_held_if_all_of_them_are),
		cmocka_unit_test(a_search_begins_with_ancestors),
		cmocka_unit_test(what_is_apart_is_not_held),
		cmocka_unit_test(one_that_runs_away_is_caught),
		cmocka_unit_test(a_process_without_its_leader_is_ended),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, setup, NULL);
}
