/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TURN_RIG_H
#define TESTS_UNIT_TURN_RIG_H

/* Real processes that take their turns. Their trace lies in shared memory, numbered by one
 * counter. */

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "agents/turn.h"
#include "base/fd.h"
#include "base/str.h"
#include "scratch.h"

#define MANY 20

struct trace {
	_Atomic int clock;
	_Atomic int inside; /* how many, where that is of interest */
	_Atomic int most;
	struct {
		_Atomic int begin, end; /* 0: not yet */
	} of[MANY + 1];
};

struct rig {
	char top[SCRATCH_PATH];
	char dir[96];
	struct trace *trace;
};

static inline int
set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	scratch_make(rig->top, sizeof(rig->top));
	snprintf(rig->dir, sizeof(rig->dir), "%s/turns", rig->top);
	rig->trace = mmap(NULL, sizeof(*rig->trace), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(rig->trace, MAP_FAILED);
	*state = rig;
	alarm(120); /* a turn that never comes */
	return 0;
}

static inline int
tear_down(void **state)
{
	struct rig *rig = *state;

	munmap(rig->trace, sizeof(*rig->trace));
	scratch_remove(rig->top);
	free(rig);
	return 0;
}

static inline struct turn_request
request(const struct rig *rig, const char *folder)
{
	return (struct turn_request){
		.dir = rig->dir,
		.folder = folder,
		.parent = "",
		.who = folder,
		.cancel = -1,
	};
}

static inline struct turn *
take(const struct turn_request *r)
{
	struct ambit_error err = { 0 };
	struct turn *turn = NULL;

	if (turn_take(r, &turn, &err) < 0)
		fail_msg("%s: %s", r->folder, err.text);
	return turn;
}

/* How many tickets lie there. */
static inline int
tickets(const struct rig *rig)
{
	DIR *dir = opendir(rig->dir);
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += strspn(entry->d_name, "0123456789") == 16;
	closedir(dir);
	return n;
}

/* It says 'w' when it begins to wait, 'r' when it has its turn, and ends that when its
 * other pipe is closed (or at once, if go is -1). */
struct other {
	pid_t pid;
	int said;
	int go;
};

struct told {
	int out;
	char whom[256];
	int times;
};

static inline void
note_waiting(void *data, const char *whom)
{
	struct told *told = data;

	snprintf(told->whom, sizeof(told->whom), "%s", whom);
	if (told->times++ == 0 && told->out >= 0 && write(told->out, "w", 1) != 1)
		_exit(9);
}

static inline void
live(struct turn_request r, struct trace *trace, int n, int said, int go)
{
	struct told told = { .out = said };
	struct ambit_error err = { 0 };
	struct turn *turn = NULL;
	char byte;

	r.waiting = note_waiting;
	r.data = &told;
	if (turn_take(&r, &turn, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	int inside = atomic_fetch_add(&trace->inside, 1) + 1, most = atomic_load(&trace->most);

	while (inside > most && !atomic_compare_exchange_weak(&trace->most, &most, inside))
		;
	atomic_store(&trace->of[n].begin, atomic_fetch_add(&trace->clock, 1) + 1);
	if (write(said, "r", 1) != 1 || (go >= 0 && read(go, &byte, 1) != 0))
		_exit(2);
	atomic_fetch_sub(&trace->inside, 1);
	atomic_store(&trace->of[n].end, atomic_fetch_add(&trace->clock, 1) + 1);
	turn_end(turn);
	_exit(0);
}

/* Another's pipe that stays open here would never end. */
static inline void
close_others(int a, int b)
{
	for (int fd = 3; fd < 1024; fd++)
		if (fd != a && fd != b)
			close(fd);
}

static inline struct other
start(const struct rig *rig, const struct turn_request *r, int n, bool held)
{
	int said[2], go[2];
	struct other o;

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	o = (struct other){ .pid = fork(), .said = said[0], .go = go[1] };
	assert_true(o.pid >= 0);
	if (o.pid == 0) {
		close_others(said[1], go[0]);
		live(*r, rig->trace, n, said[1], held ? go[0] : -1);
	}
	close(said[1]);
	close(go[0]);
	return o;
}

static inline char
hear(const struct other *o)
{
	char byte = '-';

	return read(o->said, &byte, 1) == 1 ? byte : '-';
}

static inline void
end(struct other *o, int signal)
{
	int status;

	if (signal)
		assert_int_equal(kill(o->pid, signal), 0);
	close(o->go);
	assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
	assert_true(signal ? WIFSIGNALED(status) : status == 0);
	close(o->said);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
