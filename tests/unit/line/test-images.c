/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/object/images.c, with real processes: each exec is another image, also
 * where nothing else tells them apart. */

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "line/object/images.h"

/* A child that goes on with one byte, and whose other pipe ends with its exec. */
struct child {
	pid_t pid;
	int go;
	int ended;
};

static void
wait_for_byte(int fd)
{
	char c;

	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
}

static void
run_child(int go)
{
	char *const argv[] = { (char *)"sleep", (char *)"600", NULL };

	wait_for_byte(go);
	execvp(argv[0], argv);
	_exit(1);
}

static void
start_child(struct child *child, void (*setup)(void))
{
	int go[2], ended[2], ready[2];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ended, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child->pid = fork();
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		if (setup)
			setup();
		(void)!write(ready[1], "r", 1);
		run_child(go[0]);
	}
	wait_for_byte(ready[0]);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(ended[1]);
	child->go = go[1];
	child->ended = ended[0];
}

static void
let_exec(struct child *child)
{
	assert_int_equal(write(child->go, "x", 1), 1);
	wait_for_byte(child->ended);
}

static void
end_child(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->go);
	close(child->ended);
}

/* All that stays over an exec without address randomization. */
static struct target_who
who_is(const struct child *child)
{
	return (struct target_who){ .pid = child->pid, .parent = getpid(), .start = 7 };
}

static void
an_exec_is_another_image(void **state)
{
	struct images *images = images_create();
	struct target_who who;
	struct child child;
	uint64_t first, second;

	(void)state;
	start_child(&child, NULL);
	who = who_is(&child);
	first = images_find(images, &who);
	assert_int_not_equal(first, 0);
	assert_int_equal(images_find(images, &who), first);
	let_exec(&child);
	second = images_find(images, &who);
	assert_int_not_equal(second, 0);
	assert_int_not_equal(second, first);
	assert_int_equal(images_find(images, &who), second);
	end_child(&child);
	assert_int_equal(images_find(images, &who), 0);
	images_destroy(images);
}

static void
another_process_or_layout_is_another_image(void **state)
{
	struct images *images = images_create();
	struct target_who who;
	struct child child;
	uint64_t first, second;

	(void)state;
	start_child(&child, NULL);
	who = who_is(&child);
	first = images_find(images, &who);
	who.start++;
	second = images_find(images, &who);
	assert_int_not_equal(second, first);
	who.layout++;
	assert_int_not_equal(images_find(images, &who), second);
	end_child(&child);
	images_destroy(images);
}

static int
wait_as_sharer(void *data)
{
	(void)data;
	for (;;)
		pause();
	return 0;
}

/* Its parent keeps the memory in use, so that an exec would not be noticed. */
static void
one_that_shares_its_parents_memory_has_none(void **state)
{
	struct images *images = images_create();
	char *stack = malloc(65536);
	struct child child = {
		.pid = clone(wait_as_sharer, stack + 65536, CLONE_VM | SIGCHLD, NULL),
		.go = -1,
		.ended = -1,
	};
	struct target_who who = who_is(&child);

	(void)state;
	if (syscall(SYS_kcmp, child.pid, getpid(), KCMP_VM, 0, 0) == 0)
		assert_int_equal(images_find(images, &who), 0);
	else
		print_message("not tried: kcmp is refused\n");
	end_child(&child);
	free(stack);
	images_destroy(images);
}

static void
close_to_lookers(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void
one_that_cannot_be_looked_into_has_none(void **state)
{
	struct images *images = images_create();
	struct target_who who;
	struct child child;

	(void)state;
	start_child(&child, close_to_lookers);
	who = who_is(&child);
	/* Root looks into everything. */
	if (geteuid() != 0)
		assert_int_equal(images_find(images, &who), 0);
	end_child(&child);
	images_destroy(images);
}

/* A forgotten image is not mistaken for a later one; those in use stay. */
static void
many_are_known_and_the_oldest_forgotten(void **state)
{
	struct images *images = images_create();
	struct child children[70];
	uint64_t first[70];
	size_t n = sizeof(children) / sizeof(children[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct target_who who;

		start_child(&children[i], NULL);
		who = who_is(&children[i]);
		first[i] = images_find(images, &who);
		assert_int_not_equal(first[i], 0);
		/* This one is used again and again. */
		who = who_is(&children[0]);
		assert_int_equal(images_find(images, &who), first[0]);
	}
	for (size_t i = 1; i < n; i++) {
		struct target_who who = who_is(&children[i]);
		uint64_t number = images_find(images, &who);

		assert_true(number == first[i] || number > first[n - 1]);
	}
	for (size_t i = 0; i < n; i++)
		end_child(&children[i]);
	images_destroy(images);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exec_is_another_image),
		cmocka_unit_test(another_process_or_layout_is_another_image),
		cmocka_unit_test(one_that_shares_its_parents_memory_has_none),
		cmocka_unit_test(one_that_cannot_be_looked_into_has_none),
		cmocka_unit_test(many_are_known_and_the_oldest_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
