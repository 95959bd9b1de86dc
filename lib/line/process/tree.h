/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_TREE_H
#define LINE_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct command_name;

/* The command's processes: all descendants of the keeper. The keeper and the
 * supervisor are subreapers, so that nobody gets out by dying parents. */

struct tree {
	pid_t keeper; /* the root, itself not of the tree */
	pid_t child;  /* the command: the one the keeper started itself */
	/* A descendant that is ambit's own, with all that is its: a run inside
	 * this one. May be NULL. */
	bool (*apart)(void *data, pid_t pid);
	void *data;
};

/* Whether pid (a process or thread) descends from the keeper. Looked up in
 * /proc, fresh. */
bool tree_holds(const struct tree *tree, pid_t pid);
/* The same for every process of a group, of a user: all of them must be, but for
 * those apart: the command of a run inside is in its client's group. */
bool tree_holds_group(const struct tree *tree, pid_t pgrp);

/* Whether this process or thread, or a process above it in the tree, has the socket of this
 * inode open. Looks at a few thousand descriptors at most, then it is a no. */
bool tree_holds_socket(const struct tree *tree, pid_t pid, uint32_t inode);

/* Whether found says so of any process of the tree: of pid first, then of those that it
 * descends from, then of the others; of each once. A number that is handed to found may be
 * another process' by then: found checks it by tree_holds. */
bool tree_search(
	const struct tree *tree, pid_t pid, bool (*found)(void *data, pid_t pid), void *data);

/* The names of the processes from the command down to pid, as each calls itself: they are shown,
 * and nothing is decided by them. As far as they can be told; NULL: none. Caller frees. */
char **tree_names(const struct tree *tree, pid_t pid);

/* What pid runs, then what those run that it descends from, up to the command: the names of files,
 * and of scripts where an interpreter runs one. They choose these names themselves. NULL: none.
 * Caller frees. */
char **tree_programs(const struct tree *tree, pid_t pid);

/* The first arguments of this one, as it was started. They are shown nowhere, and nothing is
 * decided by them. Caller frees; NULL: none. */
char **tree_words(pid_t pid);

/* The same as tree_programs, of this one alone. */
void tree_program(pid_t pid, struct command_name *ret_name);

/* Whether it is stopped at this moment. */
bool tree_is_stopped(pid_t pid);

/* Ends all descendants of the caller with SIGKILL, again and again until none is
 * left or limit_ms is over, and reaps them. How many there were; -ETIMEDOUT. */
int tree_end(int limit_ms);
/* Sends sig to all of them, once. How many. */
int tree_signal(int sig);

#endif
