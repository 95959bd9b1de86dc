/* SPDX-License-Identifier: Apache-2.0 */
/* Things that are closed to every program: always an error, never continued, and told. */

#include "scene.h"

#include <sched.h>
#include <sys/socket.h>

/* Nothing that prepare filled in lets the call go on. */
static void
is_error(struct scene *s, int r, int error)
{
	assert_int_equal(r, error);
	assert_int_equal(s->call.answer.kind, ANSWER_ERROR);
	assert_int_equal(s->call.row->floor, 0);
	assert_false(s->call.may_continue);
	assert_int_equal(s->call.n_needs, 0);
	assert_true(scene_perform(s) < 0);
}

static void
namespaces_are_closed(void **state)
{
	static const uint64_t flags[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET | SIGCHLD,
		CLONE_NEWPID | CLONE_NEWUSER, 0x80 };
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		is_error(s, CALL(s, "unshare", flags[i]), -EPERM);
		is_error(s, CALL(s, "clone", flags[i]), -EPERM);
		assert_int_equal(s->told[CLOSED_NAMESPACES], 2 * (i + 1));
	}
	assert_int_equal(s->told[CLOSED_PACKETS] + s->told[CLOSED_PRIVILEGES], 0);
}

static void
packets_are_closed(void **state)
{
	struct scene *s = *state;

	is_error(s, CALL(s, "socket", AF_INET, SOCK_RAW | SOCK_CLOEXEC, 1), -EPERM);
	is_error(s, CALL(s, "socket", AF_INET6, SOCK_RAW, 58), -EPERM);
	/* As before there were words: programs go on to a raw socket. */
	is_error(s, CALL(s, "socket", AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 1), -EPROTONOSUPPORT);
	is_error(s, CALL(s, "socket", AF_INET6, SOCK_DGRAM, 58), -EPROTONOSUPPORT);
	assert_int_equal(s->told[CLOSED_PACKETS], 4);
	assert_int_equal(s->told[CLOSED_NAMESPACES] + s->told[CLOSED_PRIVILEGES], 0);
}

/* The target runs this test, which gives nobody any rights. */
static void
who_asks_for_its_rights_gets_an_answer(void **state)
{
	struct scene *s = *state;

	assert_int_equal(CALL(s, "prctl", PR_GET_NO_NEW_PRIVS), CALL_ANSWERED);
	assert_int_equal(s->call.answer.kind, ANSWER_CONTINUE);
	assert_int_equal(s->told[CLOSED_PRIVILEGES], 0);
}

int
main(void)
{
#define t(f) cmocka_unit_test_setup_teardown(f, scene_open, scene_close)
	const struct CMUnitTest tests[] = {
		t(namespaces_are_closed),
		t(packets_are_closed),
		t(who_asks_for_its_rights_gets_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
