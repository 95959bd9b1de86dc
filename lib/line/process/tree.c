/* SPDX-License-Identifier: Apache-2.0 */
/* Process numbers become "ours" or not, and a tree of processes comes to its
 * end. /proc is what is trusted: parents cannot be made up, and because the
 * keeper is the subreaper, an orphan is the keeper's own child. That a number is
 * given to another process between two looks is met by a pidfd: opened first,
 * checked then, signalled last. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/command-name.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/process/descriptors.h"
#include "line/process/tree.h"

#define DEPTH_MAX 4096
#define NAMES_MAX 32   /* to show a few of them */
#define WORDS_MAX 16   /* of a command line: options before a script */
#define LOOKS 8	       /* at a chain of parents that changes meanwhile */
#define TREE_MAX 65536 /* processes in one look */
#define WAIT_MS 20     /* at most, until the next look */
/* In one look: a gate waits for it, and a hostile program has as many as it likes. */
#define DESCRIPTORS_MAX 4096

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

struct status {
	char state;
	pid_t parent;
	pid_t group;
	long threads;
};

static ssize_t
read_small(const char *path, char *text, size_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = read(fd, text, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return n;
}

/* A thread's number works as well: its parent is its process' parent. The name
 * in brackets may hold anything, brackets too: the last one counts. */
static int
status_read(pid_t pid, struct status *ret)
{
	char path[64], text[1024], *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = read_small(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			   " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
			   &ret->state, &ret->parent, &ret->group, &ret->threads) != 4)
		return -ESRCH;
	return 0;
}

/* Its name in one read, with its parent: the text between the first and the last bracket. */
static int
read_name(pid_t pid, char name[64], pid_t *ret_parent)
{
	char path[64], text[1024], *open, *close;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = read_small(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || sscanf(close + 1, " %*c %d", ret_parent) != 1)
		return -ESRCH;
	*close = '\0';
	snprintf(name, 64, "%s", open + 1);
	return 0;
}

char **
tree_names(const struct tree *tree, pid_t pid)
{
	char found[NAMES_MAX][64], **names = NULL;
	size_t n = 0;

	while (n < NAMES_MAX && pid > 1 && pid != tree->keeper &&
		read_name(pid, found[n], &pid) == 0)
		n++;
	while (n > 0)
		if (strv_append(&names, found[--n]) < 0)
			break;
	return names;
}

/* Its first words, and how many; they point into text. */
static size_t
read_words(pid_t pid, char *text, size_t size, char *words[WORDS_MAX])
{
	char path[64];
	ssize_t len;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	len = read_small(path, text, size);
	for (char *at = text; len > 0 && at < text + len && n < WORDS_MAX; at += strlen(at) + 1)
		words[n++] = at;
	/* Behind a title that a program gave itself there are only NULs. */
	while (n > 1 && words[n - 1][0] == '\0')
		n--;
	return n;
}

void
tree_program(pid_t pid, struct command_name *ret_name)
{
	char path[64], exe[PATH_MAX], text[4096], *words[WORDS_MAX];
	size_t n = read_words(pid, text, sizeof(text), words);
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, sizeof(exe) - 1);
	if (len > 0)
		exe[len] = '\0';
	command_name_find(len > 0 ? exe : NULL, words, n, ret_name);
}

char **
tree_words(pid_t pid)
{
	char text[4096], *words[WORDS_MAX], **list = NULL;
	size_t n = read_words(pid, text, sizeof(text), words);

	for (size_t i = 1; i < n; i++)
		if (strv_append(&list, words[i]) < 0)
			break;
	return list;
}

char **
tree_programs(const struct tree *tree, pid_t pid)
{
	struct command_name program;
	char **names = NULL, name[64];
	size_t n = 0;

	while (n++ < NAMES_MAX && pid > 1 && pid != tree->keeper) {
		tree_program(pid, &program);
		if (strv_append(&names, program.file) < 0 ||
			strv_append(&names, program.script) < 0 || read_name(pid, name, &pid) < 0)
			break;
	}
	return names;
}

bool
tree_is_stopped(pid_t pid)
{
	struct status status;

	return status_read(pid, &status) == 0 && (status.state == 'T' || status.state == 't');
}

/* A leader that ended before its threads shows as a zombie and is none. */
static bool
is_dead(const struct status *status)
{
	return (status->state == 'Z' || status->state == 'X') && status->threads <= 1;
}

enum stands {
	STANDS_OUTSIDE = 0,
	STANDS_IN,
	STANDS_APART,
};

/* An enum stands, or -EAGAIN: somebody in between ended while we looked. */
static int
climb_to_keeper(const struct tree *tree, pid_t pid)
{
	struct status status;
	bool apart = false;

	for (int i = 0; i < DEPTH_MAX; i++) {
		if (status_read(pid, &status) < 0)
			return i == 0 ? STANDS_OUTSIDE : -EAGAIN;
		apart = apart || (tree->apart && tree->apart(tree->data, pid));
		if (status.parent == tree->keeper)
			return apart ? STANDS_APART : STANDS_IN;
		if (status.parent <= 1)
			return STANDS_OUTSIDE;
		pid = status.parent;
	}
	return STANDS_OUTSIDE;
}

static enum stands
find_standing(const struct tree *tree, pid_t pid)
{
	if (pid <= 1 || tree->keeper <= 1 || pid == tree->keeper)
		return STANDS_OUTSIDE;
	for (int i = 0; i < LOOKS; i++) {
		int r = climb_to_keeper(tree, pid);

		if (r >= 0)
			return (enum stands)r;
	}
	return STANDS_OUTSIDE;
}

bool
tree_holds(const struct tree *tree, pid_t pid)
{
	return find_standing(tree, pid) == STANDS_IN;
}

/* A directory entry that is a number, or 0. */
static pid_t
number_of(const char *name)
{
	long value = 0;

	for (; *name; name++) {
		if (*name < '0' || *name > '9' || value > 100000000)
			return 0;
		value = value * 10 + (*name - '0');
	}
	return (pid_t)value;
}

static void
close_owned_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
#define auto_dir __attribute__((cleanup(close_owned_dir)))

bool
tree_holds_group(const struct tree *tree, pid_t pgrp)
{
	auto_dir DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct status status;
	bool any = false;

	if (!dir || pgrp <= 1)
		return false;
	while ((entry = readdir(dir))) {
		pid_t pid = number_of(entry->d_name);

		if (pid <= 0 || status_read(pid, &status) < 0 || status.group != pgrp)
			continue;
		switch (find_standing(tree, pid)) {
		case STANDS_OUTSIDE:
			return false;
		case STANDS_IN:
			any = true;
			break;
		case STANDS_APART:
			break;
		}
	}
	return any;
}

/* -- searching a tree ------------------------------------------------------------ */

struct pids {
	pid_t *at;
	size_t n, size;
};

static void
pids_finish(struct pids *pids)
{
	free(pids->at);
}
#define auto_pids __attribute__((cleanup(pids_finish)))

static bool
pids_add(struct pids *pids, pid_t pid)
{
	if (pids->n == pids->size) {
		size_t size = pids->size ? pids->size * 2 : 64;
		pid_t *at = size > TREE_MAX ? NULL : reallocarray(pids->at, size, sizeof(*at));

		if (!at)
			return false;
		pids->at = at;
		pids->size = size;
	}
	pids->at[pids->n++] = pid;
	return true;
}

static bool
pids_hold(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->n; i++)
		if (pids->at[i] == pid)
			return true;
	return false;
}

/* Where the kernel was built without "children": all of /proc, by parent. */
static void
children_by_scan(pid_t parent, struct pids *pids)
{
	auto_dir DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct status status;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = number_of(entry->d_name);

		if (pid > 0 && status_read(pid, &status) == 0 && status.parent == parent)
			pids_add(pids, pid);
	}
}

/* "12 34 56 " in pieces of any size. */
static int
children_of_thread(pid_t pid, const char *thread, struct pids *pids)
{
	char path[96], text[4096];
	pid_t value = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, thread);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (ascii_is_digit(text[i]) && value < 100000000) {
				value = value * 10 + (text[i] - '0');
			} else {
				if (value > 0 && !pids_add(pids, value))
					return -ENOMEM;
				value = 0;
			}
		}
	return 0;
}

/* Appends the children of all its threads. */
static void
append_children(pid_t pid, struct pids *pids)
{
	char path[64];
	struct dirent *entry;
	bool missing = false;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	auto_dir DIR *dir = opendir(path);
	while (dir && !missing && (entry = readdir(dir)))
		if (number_of(entry->d_name) > 0)
			missing = children_of_thread(pid, entry->d_name, pids) == -ENOENT &&
				  access("/proc/thread-self/children", F_OK) < 0;
	if (missing)
		children_by_scan(pid, pids);
}

/* Adds to seen those that found was asked about. seen may be NULL. */
static bool
search_ancestors(const struct tree *tree, pid_t pid, bool (*found)(void *data, pid_t pid),
	void *data, struct pids *seen)
{
	struct status status;

	for (int i = 0; i < DEPTH_MAX && pid > 1 && pid != tree->keeper; i++) {
		if (found(data, pid))
			return true;
		if (seen)
			pids_add(seen, pid);
		if (status_read(pid, &status) < 0)
			return false;
		pid = status.parent;
	}
	return false;
}

bool
tree_search(const struct tree *tree, pid_t pid, bool (*found)(void *data, pid_t pid), void *data)
{
	auto_pids struct pids todo = { 0 };
	auto_pids struct pids seen = { 0 };

	if (search_ancestors(tree, pid, found, data, &seen))
		return true;
	append_children(tree->keeper, &todo);
	for (size_t i = 0; i < todo.n; i++) {
		if (tree->apart && tree->apart(tree->data, todo.at[i]))
			continue;
		if (!pids_hold(&seen, todo.at[i]) && found(data, todo.at[i]))
			return true;
		append_children(todo.at[i], &todo);
	}
	return false;
}

struct socket_search {
	const struct tree *tree;
	char name[32];
	int left;
};

static bool
is_wanted_socket(void *data, const char *fd, const char *file)
{
	const struct socket_search *search = data;

	(void)fd;
	return streq(file, search->name);
}

/* A parent that ended while we looked may have left its number to somebody outside: who
 * has the socket is looked up again. */
static bool
holds_socket(void *data, pid_t pid)
{
	struct socket_search *search = data;
	auto_close int process = search->left > 0 ? descriptors_open_process(pid) : -1;

	return process >= 0 &&
	       descriptors_search(process, is_wanted_socket, search, &search->left) &&
	       tree_holds(search->tree, pid);
}

bool
tree_holds_socket(const struct tree *tree, pid_t pid, uint32_t inode)
{
	struct socket_search search = { .tree = tree, .left = DESCRIPTORS_MAX };

	snprintf(search.name, sizeof(search.name), "socket:[%u]", (unsigned)inode);
	return search_ancestors(tree, pid, holds_socket, &search, NULL);
}

/* -- ending a tree --------------------------------------------------------------- */

/* Only if it is still the child of whom it was found at, or an orphan that came
 * up to root: else the number is somebody else's by now. */
static bool
signal_descendant(pid_t pid, pid_t parent, pid_t root, int sig)
{
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct status status;

	if (pidfd < 0 || status_read(pid, &status) < 0)
		return false;
	if ((status.parent != parent && status.parent != root) || is_dead(&status))
		return false;
	return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) == 0;
}

/* Downward from root, each before its children are looked up: one that has a
 * SIGKILL coming cannot fork any more, so that the list is complete. Those
 * whose parent ended in between have come up to root and are met next time. */
static int
signal_descendants(int sig, struct pids *met)
{
	pid_t root = getpid();
	auto_pids struct pids todo = { 0 };
	auto_pids struct pids parents = { 0 };
	int n = 0;

	append_children(root, &todo);
	for (size_t i = 0; i < todo.n; i++)
		pids_add(&parents, root);
	for (size_t i = 0; i < todo.n && i < parents.n; i++) {
		pid_t pid = todo.at[i];

		if (signal_descendant(pid, parents.at[i], root, sig)) {
			n++;
			if (met && !pids_hold(met, pid))
				pids_add(met, pid);
		}
		append_children(pid, &todo);
		while (parents.n < todo.n && pids_add(&parents, pid))
			;
	}
	return n;
}

int
tree_signal(int sig)
{
	return signal_descendants(sig, NULL);
}

/* The kernel alone knows when nobody is left: a list of children may miss one
 * that comes up to root while it is read. Who has no child has no descendant:
 * orphans come up before their parent can be reaped. */
static bool
reap_all_children(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG | __WALL);
	while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid < 0 && errno == ECHILD;
}

/* For any one of them to end, or until the next look. */
static void
wait_for_one(int ms)
{
	auto_pids struct pids own = { 0 };
	struct status status;
	pid_t alive = 0;

	append_children(getpid(), &own);
	for (size_t i = 0; i < own.n && alive == 0; i++)
		if (status_read(own.at[i], &status) == 0 && !is_dead(&status))
			alive = own.at[i];
	auto_close int pidfd = alive > 0 ? (int)syscall(SYS_pidfd_open, alive, 0) : -1;
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	poll(&poll_fd, 1, pidfd >= 0 ? ms : 1);
}

int
tree_end(int limit_ms)
{
	auto_pids struct pids met = { 0 };
	int64_t end = clock_steady() + limit_ms;

	for (;;) {
		int64_t rest;

		signal_descendants(SIGKILL, &met);
		if (reap_all_children())
			return (int)met.n;
		rest = end - clock_steady();
		if (rest <= 0)
			return -ETIMEDOUT;
		wait_for_one(rest < WAIT_MS ? (int)rest : WAIT_MS);
	}
}
