/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/calls/own-terminal.c, with real terminals. The test is the keeper:
 * itself not of the tree. The target has what is open when it is forked. */

#include "scene.h"

#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define OPEN(path, flags) CALL(s, "openat", AT_CWD, scene_text(s, path), (uint64_t)(flags), 0)
#define PEER(fd, flags) CALL(s, "ioctl", (uint64_t)(fd), TIOCGPTPEER, (uint64_t)(flags))

struct pty {
	int master;
	unsigned index;
	char name[64];
};

static struct scene *
of(void **state)
{
	return *state;
}

static struct pty
make_pty(void)
{
	struct pty pty = { .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };

	assert_true(pty.master >= 0);
	assert_int_equal(unlockpt(pty.master), 0);
	assert_int_equal(ioctl(pty.master, TIOCGPTN, &pty.index), 0);
	snprintf(pty.name, sizeof(pty.name), "/dev/pts/%u", pty.index);
	return pty;
}

static void
add_terminal(struct scene *s, const struct pty *pty)
{
	int slave = open(pty->name, O_PATH | O_CLOEXEC);

	assert_true(slave >= 0);
	assert_int_equal(session_objects_add_terminal(s->gate.made, slave), 0);
	close(slave);
}

static bool
is_own(struct scene *s, const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && session_objects_has_terminal(s->gate.made, &st);
}

/* One that the target has, and that counts as made by the session. */
static struct pty
make_own(struct scene *s)
{
	struct pty pty = make_pty();

	add_terminal(s, &pty);
	scene_fork(s);
	return pty;
}

static void
assert_refused(const struct scene *s, int step)
{
	assert_int_equal(step, CALL_DECIDE);
	assert_int_equal(s->call.n_needs, 1);
	assert_int_equal(s->call.special, SPECIAL_OTHER_TERMINAL);
}

static void
assert_given(struct scene *s, const struct pty *pty)
{
	struct stat st;

	assert_int_equal(s->call.n_needs, 0);
	assert_int_equal(s->call.pace, PACE_SLOW);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(s->call.answer.kind, ANSWER_FD);
	assert_int_equal(fstat(s->call.answer.fd, &st), 0);
	assert_true(st.st_rdev == makedev(136, pty->index));
	assert_int_equal(write(s->call.answer.fd, "x", 1), 1);
}

static void
its_own_terminal_is_opened(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_own(s);

	assert_int_equal(OPEN(pty.name, O_RDWR), CALL_DECIDE);
	assert_given(s, &pty);
	assert_int_equal(OPEN(pty.name, O_WRONLY | O_CREAT | O_TRUNC), CALL_DECIDE);
	assert_given(s, &pty);
	assert_int_equal(PEER(pty.master, O_RDWR | O_NOCTTY), CALL_DECIDE);
	assert_given(s, &pty);
	close(pty.master);
}

/* Without unlockpt an open is EIO, as without ambit. */
static void
a_locked_one_fails_as_ever(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_own(s);
	int one = 1;

	assert_int_equal(ioctl(pty.master, TIOCSPTLCK, &one), 0);
	assert_int_equal(OPEN(pty.name, O_RDWR), CALL_DECIDE);
	assert_int_equal(scene_perform(s), -EIO);
	assert_int_equal(PEER(pty.master, O_RDWR), CALL_DECIDE);
	assert_int_equal(scene_perform(s), -EIO);
	close(pty.master);
}

static void
a_terminal_that_is_made_becomes_its_own(void **state)
{
	struct scene *s = of(state);
	unsigned index;
	char name[64];

	assert_int_equal(OPEN("/dev/ptmx", O_RDWR | O_NOCTTY), CALL_DECIDE);
	assert_int_equal(s->call.n_needs, 0);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(ioctl(s->call.answer.fd, TIOCGPTN, &index), 0);
	snprintf(name, sizeof(name), "/dev/pts/%u", index);
	assert_true(is_own(s, name));
}

/* It holds the master, but whoever started ambit gave it. */
static void
a_master_from_outside_opens_nothing(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_pty();

	scene_fork(s);
	assert_refused(s, OPEN(pty.name, O_RDWR));
	assert_int_equal(PEER(pty.master, O_RDWR), -EACCES);
	close(pty.master);
}

/* It was the session's once; nobody in the tree holds it now. */
static void
one_that_others_hold_is_theirs(void **state)
{
	struct scene *s = of(state);
	struct pty pty;

	scene_fork(s);
	pty = make_pty();
	add_terminal(s, &pty);
	assert_refused(s, OPEN(pty.name, O_RDWR));
	close(pty.master);
}

#define TRIES 1000 /* others make terminals, too */

/* It was the session's once and ended; the next one of that number came from outside. */
static void
one_of_a_former_number_is_theirs(void **state)
{
	struct scene *s = of(state);
	struct pty own, other;

	for (int i = 0; i < TRIES; i++) {
		own = make_pty();
		add_terminal(s, &own);
		assert_true(is_own(s, own.name));
		close(own.master);
		other = make_pty();
		if (other.index == own.index)
			break;
		close(other.master);
	}
	assert_int_equal(other.index, own.index);
	scene_fork(s);
	assert_false(is_own(s, other.name));
	assert_refused(s, OPEN(other.name, O_RDWR));
	assert_int_equal(PEER(other.master, O_RDWR), -EACCES);
	close(other.master);
}

#define MANY 2000 /* more than are held at once */

/* Ended ones are dropped; past the bound, the next one is not the session's. */
static void
those_that_live_are_held(void **state)
{
	struct scene *s = of(state);
	struct pty pty, *own = calloc(300, sizeof(*own));
	int n = 0;

	for (int i = 0; i < MANY; i++) {
		pty = make_pty();
		add_terminal(s, &pty);
		assert_true(is_own(s, pty.name));
		close(pty.master);
	}
	for (; n < 256; n++) {
		own[n] = make_pty();
		add_terminal(s, &own[n]);
	}
	pty = make_pty();
	assert_int_equal(session_objects_add_terminal(s->gate.made, pty.master), -ENOSPC);
	close(own[7].master);
	add_terminal(s, &pty);
	assert_true(is_own(s, pty.name));
	assert_true(is_own(s, own[0].name));
	while (--n >= 0)
		if (n != 7)
			close(own[n].master);
	close(pty.master);
	free(own);
}

static bool
is_child(void *data, pid_t pid)
{
	return pid == *(pid_t *)data;
}

static void
one_of_a_run_inside_is_not_its_own(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_own(s);

	assert_int_equal(OPEN(pty.name, O_RDWR), CALL_DECIDE);
	s->gate.o.tree.apart = is_child;
	s->gate.o.tree.data = &s->child;
	assert_refused(s, OPEN(pty.name, O_RDWR));
	close(pty.master);
}

/* Between the look and the act the terminal ends, and another gets its number. */
static void
a_number_that_is_used_again_opens_nothing(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_own(s), other;

	assert_int_equal(OPEN(pty.name, O_RDWR), CALL_DECIDE);
	close(pty.master);
	scene_end(s);
	other = make_pty();
	/* Others make terminals, too: it may be another number. Nothing is opened either way. */
	assert_int_equal(scene_perform(s), -EIO);
	close(other.master);
}

static void
what_is_no_master_has_no_peer(void **state)
{
	struct scene *s = of(state);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int path = open("/dev/ptmx", O_PATH | O_CLOEXEC);

	assert_int_equal(PEER(null, O_RDWR), -ENOTTY);
	assert_int_equal(PEER(path, O_RDWR), -ENOTTY);
	assert_int_equal(PEER(1000, O_RDWR), -EBADF);
	assert_int_equal(PEER(-1, O_RDWR), -EBADF);
	close(null);
	close(path);
}

static void
its_mode_is_its_own(void **state)
{
	struct scene *s = of(state);
	struct pty pty = make_pty(), own = make_own(s);
	struct stat st;

	assert_int_equal(CALL(s, "fchmodat", AT_CWD, scene_text(s, own.name), 0640), CALL_DECIDE);
	assert_int_equal(s->call.n_needs, 0);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(stat(own.name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(CALL(s, "fchmodat", AT_CWD, scene_text(s, pty.name), 0640), -EPERM);
	close(pty.master);
	close(own.master);
}

#define T(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(its_own_terminal_is_opened),
		T(a_locked_one_fails_as_ever),
		T(a_terminal_that_is_made_becomes_its_own),
		T(a_master_from_outside_opens_nothing),
		T(one_that_others_hold_is_theirs),
		T(one_of_a_former_number_is_theirs),
		T(those_that_live_are_held),
		T(one_of_a_run_inside_is_not_its_own),
		T(a_number_that_is_used_again_opens_nothing),
		T(what_is_no_master_has_no_peer),
		T(its_mode_is_its_own),
	};

	/* As the gate's own thread is. */
	act_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
