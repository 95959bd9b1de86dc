/* SPDX-License-Identifier: Apache-2.0 */
/* A bind to a path that was decided. There is no bindat: the kernel walks the text
 * of the address by itself, in the supervisor's rights, while the program exchanges
 * directories for links. And programs use the text: getsockname shows it, Go removes
 * what it shows, Python hands it to child processes. So the text is chosen, in this
 * order:
 *
 *   a name alone    from the directory that was decided; nothing can be exchanged
 *   the program's   if it is firm: no link in it, and every directory on the way
 *                   lies where this session can make nothing
 *   the real path   if that one is firm
 *   the program's   in the session's own ground: whoever binds is restricted like the
 *                   session itself, by its floor. What an exchange can reach there,
 *                   the session reaches as well by binding and then renaming
 *   a descriptor's  /proc/self/fd/N/name: cannot be led elsewhere, and means nothing
 *                   to the program
 *
 * A task of its own does it, with the target's directory and umask. Wherever a text
 * is walked, Landlock takes from that task the right to make a socket anywhere but
 * beneath the directory that was decided; and a socket that does not lie where it was
 * decided afterwards is made deaf. */

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/calls/bind-path.h"
#include "line/floor/ground.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"
#include "perform/act.h"
#include "perform/permit.h"

#define STACK_SIZE (64u << 10)

/* On a stack that the sanitizer does not know. */
#define ON_OWN_STACK __attribute__((no_sanitize_address))

#define UNDO_MAX 64 /* looks for a file whose directories are being exchanged */

/* The number of the held directory in the task's own table: higher than what a program
 * has open, which may remove what getsockname shows. */
#define HELD_MAX 1000

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum bind_way {
	BIND_NOT = 0, /* no text fits into an address */
	BIND_BY_DESCRIPTOR,
	BIND_BY_NAME,
	BIND_BY_FIRM_TEXT,
	BIND_ON_OWN_GROUND,
};

struct job {
	enum bind_way way;
	struct pass *pass;
	int socket;
	struct sockaddr_un address;
	socklen_t len;
	int parent, cwd;
	int held;	    /* the parent's number in the task */
	int floor, beneath; /* rulesets, or -1 */
	mode_t mask;
	int result;
};

/* -- which text ---------------------------------------------------------------------- */

static bool
is_same_file(int a, int b)
{
	struct stat one, two;

	return fstat(a, &one) == 0 && fstat(b, &two) == 0 && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

/* Whether this session can put something else in the place of an entry of dir. In
 * scratch it can do that to what it made itself. */
static bool
can_exchange(const struct call *call, int dir, int entry)
{
	char link[32], real[PATH_MAX];
	ssize_t len;

	if (session_objects_has(call->gate->made, entry))
		return true;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, real, sizeof(real) - sizeof("/x"));
	if (len <= 0 || real[0] != '/')
		return true;
	real[len] = '\0';
	snprintf(real + (len == 1 ? 0 : len), sizeof("/x"), "/x");
	return gate_may_make(call->gate, real);
}

/* One step: *dir is the component then, which is not empty. False: it is no directory, or
 * may be another one by now. */
static bool
walk_firmly(const struct call *call, int *dir, const char *component, size_t len)
{
	auto_close int next = -1;
	char name[NAME_MAX + 1];

	if (len == 1 && component[0] == '.')
		return true;
	if (len > NAME_MAX || (len == 2 && memcmp(component, "..", 2) == 0))
		return false;
	memcpy(name, component, len);
	name[len] = '\0';
	next = openat(*dir, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
	if (next < 0 || can_exchange(call, *dir, next))
		return false;
	fd_close_at(dir);
	*dir = steal_fd(&next);
	return true;
}

/* Whether the text leads to the call's parent directory, and nothing that this session
 * does can make it lead elsewhere. */
static bool
is_firm(const struct call *call, const char *text)
{
	auto_close int dir = openat(text[0] == '/' ? AT_FDCWD : call->cwd_fd,
		text[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *last = strrchr(text, '/');

	for (const char *at = text; dir >= 0 && at < last; at++) {
		size_t len = strcspn(at, "/");

		if (len > 0 && !walk_firmly(call, &dir, at, len))
			return false;
		at += len;
	}
	return dir >= 0 && is_same_file(dir, call->object[0].parent);
}

/* The directory that the text leads to now, or -1. */
static int
open_above(const struct call *call, const char *text)
{
	char above[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	const char *slash = strrchr(text, '/');

	snprintf(above, sizeof(above), "%.*s", (int)(slash + 1 - text), text);
	return openat(call->cwd_fd, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* In the supervisor "/proc/self" is another place than in the program. */
static bool
is_on_own_ground(const struct call *call, const char *text)
{
	auto_close int dir = open_above(call, text);

	return floor_fd(call->gate->o.floor) >= 0 && !gate_is_narrower(call->gate) &&
	       grounds_of(gate_grounds(call->gate), call->object[0].real) == GROUND_OPEN &&
	       dir >= 0 && is_same_file(dir, call->object[0].parent);
}

static bool
set_address(struct job *job, const char *text)
{
	size_t len = strlen(text);

	/* The kernel ends a text that fills all of it by itself. */
	if (len > sizeof(job->address.sun_path))
		return false;
	memcpy(job->address.sun_path, text, len);
	job->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	return true;
}

/* Where so many are not allowed, or the number is taken, the parent keeps its own. */
static int
choose_held(const struct job *job)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= HELD_MAX ||
		job->socket == HELD_MAX)
		return job->parent;
	return HELD_MAX;
}

static enum bind_way
choose_way(const struct call *call, const struct endpoint *to, struct job *job)
{
	const struct object *object = &call->object[0];
	char held[64 + NAME_MAX];

	if (!strchr(to->name, '/'))
		return BIND_BY_NAME;
	if (is_firm(call, to->name))
		return BIND_BY_FIRM_TEXT;
	if (is_firm(call, object->real) && set_address(job, object->real))
		return BIND_BY_FIRM_TEXT;
	if (is_on_own_ground(call, to->name))
		return BIND_ON_OWN_GROUND;
	job->held = choose_held(job);
	snprintf(held, sizeof(held), "/proc/self/fd/%d/%s", job->held, object->name);
	if (set_address(job, held))
		return BIND_BY_DESCRIPTOR;
	return set_address(job, object->name) ? BIND_BY_NAME : BIND_NOT;
}

/* -- the task --------------------------------------------------------------------- */

static int
make_ruleset(int parent, int *ret_fd)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SOCK };
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_MAKE_SOCK,
		.parent_fd = parent,
	};
	auto_close int fd =
		(int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);

	if (fd < 0)
		return -errno;
	if (syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return -errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* All of it, or no bind: what cannot be bounded is not done. */
ON_OWN_STACK static int
restrict_task(const struct job *job)
{
	if (fchdir(job->cwd) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	if (job->floor >= 0 && syscall(SYS_landlock_restrict_self, job->floor, 0) < 0)
		return -errno;
	if (job->beneath >= 0 && syscall(SYS_landlock_restrict_self, job->beneath, 0) < 0)
		return -errno;
	if (job->way == BIND_BY_DESCRIPTOR && job->held != job->parent &&
		dup3(job->parent, job->held, O_CLOEXEC) < 0)
		return -errno;
	umask(job->mask);
	return 0;
}

/* Shares memory and nothing else: directory, umask, descriptors and what it may do are
 * its own from the start. A thread would have to unshare them, which containers
 * refuse. Whoever waits for it sleeps, so its memory is safe; the caller's
 * capabilities are out of effect already (act_thread), and so are these. */
ON_OWN_STACK static int
run_task(void *data)
{
	struct job *job = data;

	job->result = restrict_task(job);
	if (job->result == 0)
		job->result = act_bind(
			job->pass, job->socket, (const struct sockaddr *)&job->address, job->len);
	return 0;
}

/* Signals are blocked over it: none may be handled on that stack. */
static int
run_apart(struct job *job)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	sigset_t all, before;
	pid_t pid;
	int r = 0;

	if (stack == MAP_FAILED)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(run_task, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, job);
	if (pid < 0)
		r = -errno;
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_SIZE);
	return r;
}

/* Text is walked only where it must be, and is bounded then. */
static int
bind_bounded(const struct call *call, struct job *job)
{
	auto_close int beneath = -1;
	int r;

	if (job->way == BIND_BY_NAME) {
		job->cwd = job->parent;
	} else if (job->way != BIND_BY_DESCRIPTOR) {
		r = make_ruleset(job->parent, &beneath);
		if (r < 0)
			return r;
		job->beneath = beneath;
	}
	if (job->way == BIND_ON_OWN_GROUND)
		job->floor = floor_fd(call->gate->o.floor);
	r = run_apart(job);
	return r < 0 ? r : job->result;
}

/* -- what was made ------------------------------------------------------------------- */

/* Whether the socket's file is the one of that name, by the kernel's word: 1 and its
 * O_PATH descriptor, 0, or -errno where nobody can say. */
static int
find_made(int socket, int dir, const char *name, int *ret_fd)
{
	auto_close int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? 0 : endpoint_is_file(socket, fd);

	if (r == 1)
		*ret_fd = steal_fd(&fd);
	return r;
}

/* It was led elsewhere: on the session's own ground, or by another session, beneath its
 * parent. Nobody is ever heard there: shutdown cannot be undone. Its file is looked for
 * where the text leads now. Between that look and the removal the name can become
 * another's only by one who may change that directory, and remove what lies there. */
static void
undo_bind(const struct call *call, const struct endpoint *to)
{
	shutdown(call->subject_fd, SHUT_RDWR);
	for (int i = 0; i < UNDO_MAX; i++) {
		auto_close int dir = open_above(call, to->name);
		auto_close int fd = -1;
		const char *name = strrchr(to->name, '/') + 1;

		if (dir >= 0 && find_made(call->subject_fd, dir, name, &fd) == 1) {
			act_bind_undo(dir, name);
			return;
		}
	}
}

/* What lies there must be what was made, not the socket of another that was moved there
 * meanwhile, or it is not ours: then it is asked about. */
static int
remember_made(struct call *call, const struct endpoint *to, enum bind_way way)
{
	const struct object *object = &call->object[0];
	auto_close int fd = -1;
	int r = find_made(call->subject_fd, object->parent, object->name, &fd);

	if (r == 1)
		session_objects_add(call->gate->made, fd);
	if (r != 0 || way == BIND_BY_NAME || way == BIND_BY_DESCRIPTOR)
		return 0;
	undo_bind(call, to);
	return -EACCES;
}

int
bind_path(struct call *call, const struct endpoint *to, struct pass *pass)
{
	struct job job = {
		.pass = pass,
		.socket = call->subject_fd,
		.address.sun_family = AF_UNIX,
		.parent = call->object[0].parent,
		.cwd = call->cwd_fd,
		.floor = -1,
		.beneath = -1,
		.mask = call->bind.umask,
		.result = -EACCES,
	};
	int r;

	if (!set_address(&job, to->name))
		return -EINVAL;
	job.way = choose_way(call, to, &job);
	if (job.way == BIND_NOT)
		return -ENAMETOOLONG;
	r = bind_bounded(call, &job);
	return r < 0 ? r : remember_made(call, to, job.way);
}
