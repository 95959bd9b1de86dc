/* SPDX-License-Identifier: Apache-2.0 */
/* Turns: those who want the same folder come one after the other and in order, others side by
 * side, whoever is killed. */

#include <sched.h>

#include "base/program.h"
#include "turn-rig.h"

/* -- order ------------------------------------------------------------------------- */

static bool
overlap(const char *a, const char *b)
{
	return str_beneath(a, b) || str_beneath(b, a);
}

static void
overlapping_folders_one_after_the_other_in_order(void **state)
{
	static const char *const folders[] = { "/w/a", "/w/a/b", "/w/b", "/w", "/w/a-b" };
	struct rig *rig = *state;
	struct turn_request first = request(rig, "/");
	struct other holder = start(rig, &first, MANY, true), others[MANY];
	const char *folder[MANY];

	assert_int_equal(hear(&holder), 'r');
	for (int i = 0; i < MANY; i++) {
		struct turn_request r = request(rig, folder[i] = folders[i * 7 % 5]);

		others[i] = start(rig, &r, i, false);
		assert_int_equal(hear(&others[i]), 'w'); /* so its ticket is before the next */
	}
	end(&holder, 0);
	for (int i = 0; i < MANY; i++)
		end(&others[i], 0);
	for (int i = 0; i < MANY; i++)
		for (int k = 0; k < i; k++)
			if (overlap(folder[i], folder[k]) &&
				rig->trace->of[i].begin <= rig->trace->of[k].end)
				fail_msg("%d (%s) began before %d (%s) ended", i, folder[i], k,
					folder[k]);
	assert_int_equal(tickets(rig), 0);
}

static void
disjoint_folders_side_by_side(void **state)
{
	struct rig *rig = *state;
	struct other others[MANY];

	for (int i = 0; i < MANY; i++) {
		auto_free char *folder = str_printf("/w/f%d", i);
		struct turn_request r = request(rig, folder);

		others[i] = start(rig, &r, i, true);
	}
	/* All of them have their turn before the first ends it. */
	for (int i = 0; i < MANY; i++)
		assert_int_equal(hear(&others[i]), 'r');
	assert_int_equal(rig->trace->most, MANY);
	for (int i = 0; i < MANY; i++)
		end(&others[i], 0);
}

static void
without_order_of_arrival_still_one_at_a_time(void **state)
{
	struct rig *rig = *state;
	struct other others[MANY];

	for (int i = 0; i < MANY; i++) {
		struct turn_request r = request(rig, i % 2 ? "/w/a" : "/w/a/b");

		others[i] = start(rig, &r, i, false);
	}
	for (int i = 0; i < MANY; i++)
		end(&others[i], 0);
	assert_int_equal(rig->trace->most, 1);
}

#define CROWD 100

static void
a_crowd_comes_through(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	pid_t pids[CROWD];
	int status;

	for (int i = 0; i < CROWD; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct turn *turn = take(&r);
			int inside = atomic_fetch_add(&rig->trace->inside, 1);

			sched_yield();
			atomic_fetch_sub(&rig->trace->inside, 1);
			atomic_fetch_add(&rig->trace->clock, 1);
			turn_end(turn);
			_exit(inside == 0 ? 0 : 1);
		}
	}
	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(rig->trace->clock, CROWD);
	assert_int_equal(tickets(rig), 0);
}

/* -- for whom ---------------------------------------------------------------------- */

static void
who_waits_is_told_for_whom(void **state)
{
	struct rig *rig = *state;
	struct told told = { .out = -1 };
	struct turn_request r = request(rig, "/w/a");
	int cancel[2];

	r.who = "docs, session \033x (pid 12)";
	struct turn *turn = take(&r);

	assert_int_equal(pipe2(cancel, O_CLOEXEC), 0);
	assert_int_equal(write(cancel[1], "x", 1), 1);
	struct turn_request second = request(rig, "/w");
	struct ambit_error err = { 0 };
	struct turn *none = NULL;

	second.cancel = cancel[0];
	second.waiting = note_waiting;
	second.data = &told;
	assert_int_equal(turn_take(&second, &none, &err), -ECANCELED);
	assert_null(none);
	assert_int_equal(told.times, 1);
	assert_string_equal(told.whom, "docs, session \\x1bx (pid 12)");
	assert_non_null(strstr(err.text, "docs"));
	assert_int_equal(tickets(rig), 1);
	turn_end(turn);
	assert_int_equal(tickets(rig), 0);
	/* Where there is nobody to wait for, nothing is told or given up. */
	turn_end(take(&second));
	assert_int_equal(told.times, 1);
	close(cancel[0]);
	close(cancel[1]);
}

/* Ends the one that it is told it waits for. */
struct line {
	struct other others[2];
	char told[2][16];
	int times;
};

static void
end_whom(void *data, const char *whom)
{
	struct line *line = data;

	if (line->times < 2) {
		snprintf(line->told[line->times], sizeof(line->told[0]), "%s", whom);
		close(line->others[line->times].go);
	}
	line->times++;
}

static void
who_waits_is_told_when_another_comes_first(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct line line = { 0 };

	r.who = "one";
	line.others[0] = start(rig, &r, 0, true);
	assert_int_equal(hear(&line.others[0]), 'r');
	r.who = "two";
	line.others[1] = start(rig, &r, 1, true);
	assert_int_equal(hear(&line.others[1]), 'w');
	r.waiting = end_whom;
	r.data = &line;
	turn_end(take(&r));
	assert_int_equal(line.times, 2);
	assert_string_equal(line.told[0], "one");
	assert_string_equal(line.told[1], "two");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(line.others[i].pid, NULL, 0), line.others[i].pid);
		close(line.others[i].said);
	}
}

static void
one_that_waits_can_be_called_off(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct turn *turn = take(&r);
	int cancel[2], status;
	struct ambit_error err = { 0 };

	assert_int_equal(pipe2(cancel, O_CLOEXEC), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct turn *none;

		close(cancel[1]);
		r.cancel = cancel[0];
		_exit(turn_take(&r, &none, &err) == -ECANCELED ? 0 : 1);
	}
	close(cancel[0]);
	while (tickets(rig) < 2)
		sched_yield();
	close(cancel[1]); /* an end counts as well */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(tickets(rig), 1);
	turn_end(turn);
}

/* -- the dead ---------------------------------------------------------------------- */

static void
the_turn_of_a_killed_holder_is_free(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct other holder = start(rig, &r, 0, true), next;

	assert_int_equal(hear(&holder), 'r');
	next = start(rig, &r, 1, true);
	assert_int_equal(hear(&next), 'w');
	end(&holder, SIGKILL);
	assert_int_equal(hear(&next), 'r');
	assert_int_equal(tickets(rig), 1);
	end(&next, 0);
}

static void
nobody_waits_for_a_killed_waiter(void **state)
{
	struct rig *rig = *state;
	struct turn_request a = request(rig, "/w/a"), all = request(rig, "/w");
	struct turn_request b = request(rig, "/w/b");
	struct other holder = start(rig, &a, 0, true), waiter, next;

	assert_int_equal(hear(&holder), 'r');
	waiter = start(rig, &all, 1, true);
	assert_int_equal(hear(&waiter), 'w');
	next = start(rig, &b, 2, true);
	assert_int_equal(hear(&next), 'w'); /* for the waiter alone: fair */
	end(&waiter, SIGKILL);
	assert_int_equal(hear(&next), 'r');
	assert_int_equal(rig->trace->of[0].end, 0);
	end(&next, 0);
	end(&holder, 0);
}

static void
whoever_inherits_the_lock_holds_the_turn_on(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	int held[2], said[2];
	char byte;

	assert_int_equal(pipe2(held, O_CLOEXEC), 0);
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		take(&r);
		if (fork() == 0) { /* the tree: it lives until held is closed */
			close(held[1]);
			_exit(write(said[1], "t", 1) == 1 && read(held[0], &byte, 1) == 0 ? 0 : 1);
		}
		raise(SIGKILL);
	}
	close(held[0]);
	close(said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	struct other next = start(rig, &r, 1, true);

	assert_int_equal(hear(&next), 'w');
	/* It looks again and again; that it has come no further is seen by another's
	 * whole turn elsewhere, and by the tickets. */
	struct turn_request apart = request(rig, "/v");

	for (int i = 0; i < 50; i++)
		turn_end(take(&apart));
	assert_int_equal(rig->trace->of[1].begin, 0);
	assert_int_equal(tickets(rig), 2);
	close(held[1]);
	assert_int_equal(hear(&next), 'r');
	end(&next, 0);
	close(said[0]);
}

static void
an_end_is_one_although_others_inherited_the_lock(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct turn *turn = take(&r);
	int held[2];
	char byte;

	assert_true(fcntl(turn_fd(turn), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(pipe2(held, O_CLOEXEC), 0);
	pid_t pid = fork();

	if (pid == 0) {
		close(held[1]);
		_exit(read(held[0], &byte, 1) == 0 ? 0 : 1);
	}
	turn_end(turn);
	turn_end(take(&r));
	close(held[0]);
	close(held[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* -- parents, and how many at once -------------------------------------------------- */

static void
only_those_of_the_same_parent_wait_for_each_other(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct turn *turn = take(&r);
	struct other waiter = start(rig, &r, 0, true);

	assert_int_equal(hear(&waiter), 'w');
	/* Within the turn: not after its own ancestor, nor after who waits for that. */
	struct turn_request inner = request(rig, "/w/a");

	inner.parent = turn_id(turn);
	struct turn *first = take(&inner);
	struct other second = start(rig, &inner, 1, true);

	assert_int_equal(hear(&second), 'w');
	turn_end(first);
	assert_int_equal(hear(&second), 'r');
	assert_int_equal(rig->trace->of[0].begin, 0);
	end(&second, 0);
	turn_end(turn);
	assert_int_equal(hear(&waiter), 'r');
	end(&waiter, 0);
}

static void
no_more_than_so_many_at_once(void **state)
{
	struct rig *rig = *state;
	struct other others[MANY];

	for (int i = 0; i < MANY; i++) {
		auto_free char *folder = str_printf("/w/f%d", i);
		struct turn_request r = request(rig, folder);

		r.at_once = 3;
		others[i] = start(rig, &r, i, true);
		assert_int_equal(hear(&others[i]), i < 3 ? 'r' : 'w');
	}
	/* One goes, the next in line comes. */
	for (int i = 0; i < MANY; i++) {
		end(&others[i], 0);
		if (i + 3 < MANY)
			assert_int_equal(hear(&others[i + 3]), 'r');
	}
	assert_int_equal(rig->trace->most, 3);
	/* Another parent has places of its own. */
	struct turn_request one = request(rig, "/w/1"), two = request(rig, "/w/2");

	one.at_once = two.at_once = 1;
	struct turn *turn = take(&one);

	two.parent = turn_id(turn);
	turn_end(take(&two));
	turn_end(turn);
}

static void
who_waits_for_a_folder_takes_no_place(void **state)
{
	struct rig *rig = *state;
	struct turn_request a = request(rig, "/w/a"), b = request(rig, "/w/b");

	a.at_once = b.at_once = 2;
	struct turn *turn = take(&a);
	struct other same = start(rig, &a, 0, true);

	assert_int_equal(hear(&same), 'w');
	turn_end(take(&b));
	turn_end(turn);
	end(&same, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overlapping_folders_one_after_the_other_in_order),
		TEST(disjoint_folders_side_by_side),
		TEST(without_order_of_arrival_still_one_at_a_time),
		TEST(a_crowd_comes_through),
		TEST(who_waits_is_told_for_whom),
		TEST(who_waits_is_told_when_another_comes_first),
		TEST(one_that_waits_can_be_called_off),
		TEST(the_turn_of_a_killed_holder_is_free),
		TEST(nobody_waits_for_a_killed_waiter),
		TEST(whoever_inherits_the_lock_holds_the_turn_on),
		TEST(an_end_is_one_although_others_inherited_the_lock),
		TEST(only_those_of_the_same_parent_wait_for_each_other),
		TEST(no_more_than_so_many_at_once),
		TEST(who_waits_for_a_folder_takes_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
