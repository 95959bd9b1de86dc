/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

/* A target for the ops on files: a child that stands still, in T/in, with a
 * umask of 027 and no capabilities. T/in is what the floor covers, T/out lies
 * outside. Arguments are put into memory that the child has at the same
 * address. The gate has what the ops read; what it is asked to do is answered from
 * the scene. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "hand-law.h"
#include "line/gate/gate-law.h"
#include "line/gate/call.h"
#include "line/socket/endpoint.h"
#include "line/gate/gate-private.h"
#include "line/gate/self-restricted.h"
#include "line/floor/ground.h"
#include "line/object/session-objects.h"
#include "line/nest/nest.h"
#include "line/process/tree.h"
#include "perform/act.h"
#include "perform/permit.h"
#include "scratch.h"

#define SCENE_MEMORY 262144

struct scene {
	char top[SCRATCH_PATH];
	int dir; /* T, open */
	struct gate gate;
	struct grounds *grounds;
	char covered[80];
	int give_up; /* after so many questions */
	unsigned told[CLOSED_N];
	pid_t child;
	char *memory;
	size_t used;
	struct call call;
};

/* -- the gate ------------------------------------------------------------------- */

static inline struct scene *
scene_of(struct gate *gate)
{
	return (struct scene *)((char *)gate - offsetof(struct scene, gate));
}

int
gate_route(struct call *call, struct destination *to, struct route *ret_route)
{
	(void)call;
	(void)to;
	(void)ret_route;
	return -EPERM;
}

int
gate_install(struct call *call, int fd, int number, bool cloexec)
{
	(void)call;
	(void)fd;
	(void)number;
	(void)cloexec;
	return -EPERM;
}

bool
gate_covers(struct gate *gate, const char *real)
{
	return str_beneath(real, scene_of(gate)->covered) || streq(real, "/dev/null") ||
	       streq(real, "/dev/ptmx") || streq(real, "/dev/pts/ptmx");
}

bool
gate_opens(struct gate *gate, const char *dir)
{
	(void)gate;
	return strstr(dir, "/.") == NULL;
}

bool
gate_in_git(struct gate *gate, const char *dir)
{
	(void)gate;
	return strstr(dir, "/.git") != NULL;
}

bool
gate_opens_beside(struct gate *gate, const char *real)
{
	(void)gate;
	(void)real;
	return false;
}

struct grounds *
gate_grounds(struct gate *gate)
{
	return scene_of(gate)->grounds;
}

bool
gate_git_guards(struct gate *gate, const char *path)
{
	(void)gate;
	(void)path;
	return true;
}

struct hand_law
gate_law(struct call *call)
{
	(void)call;
	return open_law;
}

bool
gate_may_make(struct gate *gate, const char *real)
{
	return gate_covers(gate, real);
}

bool
gate_is_narrower(struct gate *gate)
{
	(void)gate;
	return false;
}

bool
gate_closes_reads(struct gate *gate)
{
	(void)gate;
	return false;
}

bool
gate_opens_reads(struct gate *gate, const char *from, const char *to)
{
	(void)gate;
	(void)from;
	(void)to;
	return false;
}

void
gate_connected(struct gate *gate)
{
	(void)gate;
}

int
nest_open(struct call *call)
{
	(void)call;
	return -ENOENT;
}

void
self_restricted_add(struct gate *gate, pid_t tid)
{
	(void)gate;
	(void)tid;
}

void
gate_subreaper(struct gate *gate)
{
	(void)gate;
}

void
gate_tell_closed(struct gate *gate, struct target *target, enum gate_closed closed)
{
	(void)target;
	scene_of(gate)->told[closed]++;
}

void
gate_lock(struct gate *gate)
{
	(void)gate;
}

void
gate_unlock(struct gate *gate)
{
	(void)gate;
}

bool
call_given_up(struct call *call)
{
	return --scene_of(call->gate)->give_up <= 0;
}

/* -- the target ------------------------------------------------------------------- */

static inline void
scene_be_target(const struct scene *s, int ready)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	char in[80];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(in, sizeof(in), "%s/in", s->top);
	umask(027);
	if (chdir(in) < 0 || syscall(SYS_capset, &head, none) < 0 || write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* It has what is open now. */
static inline void
scene_fork(struct scene *s)
{
	int ready[2];
	char c;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	s->child = fork();
	assert_true(s->child >= 0);
	if (s->child == 0)
		scene_be_target(s, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
}

static inline void
scene_end(struct scene *s)
{
	if (s->child > 0) {
		kill(s->child, SIGKILL);
		waitpid(s->child, NULL, 0);
	}
	s->child = 0;
}

static inline int
scene_open(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	scratch_make(s->top, sizeof(s->top));
	s->dir = open(s->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(s->dir >= 0);
	assert_int_equal(mkdirat(s->dir, "in", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out", 0755), 0);
	s->memory =
		mmap(NULL, SCENE_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(s->memory != MAP_FAILED);
	s->gate.made = session_objects_create();
	s->gate.o.tree.keeper = getpid();
	s->gate.o.temp = "/nowhere/temp";
	s->gate.abi = 7;
	snprintf(s->covered, sizeof(s->covered), "%s/in", s->top);
	s->grounds = grounds_create();
	assert_non_null(s->grounds);
	assert_int_equal(grounds_add(s->grounds, s->covered, GROUND_OPEN, false, NULL), 0);
	call_init(&s->call);
	*state = s;
	return 0;
}

static inline int
scene_close(void **state)
{
	struct scene *s = *state;

	scene_end(s);
	call_finish(&s->call);
	close(s->dir);
	scratch_remove(s->top);
	session_objects_destroy(s->gate.made);
	grounds_destroy(s->grounds);
	munmap(s->memory, SCENE_MEMORY);
	free(s);
	return 0;
}

/* -- calls ------------------------------------------------------------------------- */

/* Bytes in the target's memory: their address. */
static inline uint64_t
scene_put(struct scene *s, const void *data, size_t len)
{
	char *at = s->memory + s->used;

	assert_true(s->used + len <= SCENE_MEMORY);
	memcpy(at, data, len);
	s->used += (len + 15) & ~(size_t)15;
	return (uintptr_t)at;
}

static inline uint64_t
scene_text(struct scene *s, const char *text)
{
	return scene_put(s, text, strlen(text) + 1);
}

/* The path T/rest. */
static inline uint64_t
scene_path(struct scene *s, const char *rest)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", s->top, rest);
	return scene_text(s, path);
}

static inline const struct sys_row *
scene_row(const char *name)
{
	const struct sys_row *row;

	for (size_t i = 0; (row = sys_at(i)); i++)
		if (streq(row->name, name))
			return row;
	fail_msg("no row for %s", name);
	return NULL;
}

/* Prepares the call: what prepare said. */
static inline int
scene_call(struct scene *s, const char *name, const uint64_t args[6])
{
	if (s->child == 0)
		scene_fork(s);
	call_finish(&s->call);
	call_init(&s->call);
	s->call.gate = &s->gate;
	s->call.row = scene_row(name);
	memcpy(s->call.args, args, sizeof(s->call.args));
	target_init(&s->call.target, s->child);
	return call_op_of(s->call.row->op)->prepare(&s->call);
}

#define CALL(s, name, ...) scene_call(s, name, (const uint64_t[6]){ __VA_ARGS__ })
#define AT_CWD (uint64_t)(int64_t) AT_FDCWD

/* Performs what was prepared, with a pass. */
static inline int
scene_perform(struct scene *s)
{
	struct pass pass = a_pass();

	return call_op_of(s->call.row->op)->perform(&s->call, &pass);
}

/* -- effects ------------------------------------------------------------------------ */

static inline void
scene_file(const struct scene *s, const char *name, const char *text)
{
	int fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline struct stat
scene_stat(const struct scene *s, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static inline bool
scene_has(const struct scene *s, const char *name)
{
	struct stat st;

	return fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The needs, all of them, in this order. */
static inline void
scene_needs(const struct scene *s, unsigned n, const struct need *needs)
{
	assert_int_equal(s->call.n_needs, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(s->call.need[i].access, needs[i].access);
		assert_int_equal(s->call.need[i].object, needs[i].object);
	}
}

#define NEEDS(s, ...)                                                                              \
	scene_needs(s, sizeof((struct need[]){ __VA_ARGS__ }) / sizeof(struct need),               \
		(struct need[]){ __VA_ARGS__ })

#endif
