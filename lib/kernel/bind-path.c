/* SPDX-License-Identifier: Apache-2.0 */
/* A bind to a path, made race-proof without changing its text. There is no
 * bindat: the kernel walks the text again, in the supervisor's rights, while
 * the program exchanges directories for links. And the text is kept: programs
 * ask getsockname and hand the answer to their children, so that binding by
 * /proc/self/fd would tell them nonsense. So a task of its own does it, with
 * the target's directory and umask, and first takes from itself, by Landlock,
 * the right to make a socket anywhere but beneath the directory that was
 * decided about. Beneath it means in its directories too, and Landlock knows no
 * less: with links exchanged at the right moment the socket comes to lie in one
 * of those. So it is looked at afterwards, and taken away again as far as it can
 * be found; the socket then keeps its name without a file, and nobody reaches
 * it. A text that is a name alone has nothing to be exchanged. */

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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "kernel/bind-path.h"
#include "kernel/endpoint.h"
#include "perform/act.h"

#define STACK_SIZE (64u << 10)

/* On a stack that the sanitizer does not know. */
#define ON_OWN_STACK __attribute__((no_sanitize_address))

#define UNDO_MAX 64 /* looks for a file whose directories are being exchanged */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct job {
	struct ambit_pass *pass;
	int socket;
	const struct sockaddr *address;
	socklen_t len;
	int ruleset, cwd;
	mode_t mask;
	int result;
};

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
bind_bounded(const struct job *job)
{
	if (fchdir(job->cwd) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_landlock_restrict_self, job->ruleset, 0) < 0)
		return -errno;
	umask(job->mask);
	return act_bind(job->pass, job->socket, job->address, job->len);
}

/* Shares memory and nothing else: directory, umask and what it may do are its
 * own from the start. A thread would have to unshare them, which containers
 * refuse. Whoever waits for it sleeps, so its memory is safe; the caller's
 * capabilities are out of effect already (act_thread), and so are these. */
ON_OWN_STACK static int
run(void *data)
{
	struct job *job = data;

	job->result = bind_bounded(job);
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
	pid = clone(run, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, job);
	if (pid < 0)
		r = -errno;
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_SIZE);
	return r;
}

static bool
is_plain_name(const struct sockaddr *address, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)address;

	return !memchr(un->sun_path, '/', len - offsetof(struct sockaddr_un, sun_path));
}

int
bind_path(struct ambit_pass *pass, int socket, const struct sockaddr *address, socklen_t len,
	int parent, int cwd, mode_t mask)
{
	auto_close int ruleset = -1;
	struct job job = { .pass = pass,
		.socket = socket,
		.address = address,
		.len = len,
		.cwd = cwd,
		.mask = mask,
		.result = -EACCES };
	int r = make_ruleset(parent, &ruleset);

	if (r < 0)
		return r;
	job.ruleset = ruleset;
	if (is_plain_name(address, len))
		job.cwd = parent;
	r = run_apart(&job);
	return r < 0 ? r : job.result;
}

int
bind_path_found(int socket, int parent, const char *name, int *ret_fd)
{
	auto_close int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? 0 : endpoint_is_file(socket, fd);

	if (r == 1)
		*ret_fd = steal_fd(&fd);
	return r;
}

/* Between the look and the removal the name can become another's only by one who
 * may change that directory, and remove what he put there. */
void
bind_path_undo(int socket, int cwd, const char *text)
{
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
	char above[sizeof(((struct sockaddr_un *)0)->sun_path) + 1] = ".";

	if (slash)
		snprintf(above, sizeof(above), "%.*s", (int)(name - text), text);
	for (int i = 0; i < UNDO_MAX; i++) {
		auto_close int dir = openat(cwd, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
		auto_close int fd = -1;

		if (dir >= 0 && bind_path_found(socket, dir, name, &fd) == 1) {
			act_bind_undo(dir, name);
			return;
		}
	}
}
