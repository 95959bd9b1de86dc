/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GUARD_PRIVATE_H
#define SCOPE_GUARD_PRIVATE_H

#include <stdint.h>
#include <string.h>

#include "scope/guard.h"

/* Shared by guard.c (matching) and guard-scan.c (what exists). */

#define GUARD_PARTS_MAX 16
#define GUARD_FOUND_MAX 2048 /* entries looked at for one row, or in one tree */
#define GUARD_SLOTS 643	     /* see guard-index.c */

enum guard_anchor {
	ANCHOR_NONE = 0,
	ANCHOR_HOME,
	ANCHOR_ROOT,
};

struct guard_part {
	const char *text; /* in the pattern; not terminated */
	uint16_t len;
	bool glob;
	bool tail; /* a "*", then no other wildcard */
	bool any;  /* "**" */
};

struct guard_compiled {
	const struct guard *guard;
	enum guard_anchor anchor;
	struct guard_part *parts; /* of guards->parts */
	size_t n_parts;
	size_t slot, order; /* see guard-index.c */
};

/* Rows from..to that a name has to be compared with, and all such. */
struct guard_range {
	size_t from, to;
};

struct guard_ranges {
	struct guard_range at[3];
	size_t n;
};

struct guard_place {
	char *real;
	size_t len; /* of real */
	const struct guard *guard;
};

struct guard_inode {
	dev_t dev;
	ino_t ino;
	const struct guard *guard;
};

/* A guard from the settings, or from the session around this one. */
struct guard_own {
	struct guard guard;
	char *text;
	char *why, *except;
	bool carried;
	struct guard_own *next;
};

struct guards {
	const struct guard **chosen; /* of the table and of the settings, until they are compiled */
	size_t n_chosen;
	bool ready;
	struct guard_compiled *rows;
	size_t n_rows;
	struct guard_part *parts; /* of all rows, one after another */
	struct guard_own *own;
	char *home;
	size_t starts[GUARD_SLOTS + 1]; /* where the rows of each slot begin */
	char **stores; /* directories where packages are unpacked; see guard.h, .project */
	/* Found at start: where guards are; directories and files that are a
	 * guard under another name. */
	struct guard_place *places;
	size_t n_places;
	struct guard_place *aliases;
	size_t n_aliases;
	struct guard_inode *inodes;
	size_t n_inodes;
	char **repositories; /* beneath the top of the folder */
	char **above;	     /* directories on the way to them */
	char **gitdirs;	     /* git directories, real paths; not those called .git */
};

/* Sorts the compiled rows into slots. */
void guards_index(struct guards *guards);

/* The rows that float, that begin in the home, and that begin at the root, and whose
 * first part may be name. wide: the path that it is from is not all ASCII. No name
 * (len is 0): the home itself. */
void guards_floating(const struct guards *guards, const char *name, size_t len, bool wide,
	struct guard_ranges *ret_ranges);
void guards_in_home(const struct guards *guards, const char *name, size_t len, bool wide,
	struct guard_ranges *ret_ranges);
void guards_at_root(const struct guards *guards, struct guard_ranges *ret_ranges);

/* By name alone. */
const struct guard *guards_match_name(
	const struct guards *guards, const char *path, enum ambit_access access);

/* By the name of a directory that is put there with all that it holds: also where a guard
 * may come to lie beneath. */
const struct guard *guards_match_tree(
	const struct guards *guards, const char *path, enum ambit_access access);

/* By another name that it has. */
const struct guard *guards_match_other(
	const struct guards *guards, const struct path_facts *resolved, enum ambit_access access);

/* The same under another name; and the symlinks on the way from dir, a real
 * path, to path, and where it would lead if it leads nowhere. -ENOMEM. */
int guards_add_alias(struct guards *guards, const char *real, const struct guard *guard);
int guards_add_name(struct guards *guards, const char *real, const struct guard *guard);
int guards_add_links(
	struct guards *guards, const char *dir, const char *path, const struct guard *guard);
/* One that exists. -ENOMEM. */
int guards_add_place(struct guards *guards, const char *real, const struct guard *guard);
struct stat;
int guards_add_inode(struct guards *guards, const struct stat *st, const struct guard *guard);

/* A git directory whose name does not say so. -ENOMEM. */
int guards_add_gitdir(struct guards *guards, const char *real);

/* What the git files of the work tree at real name: a hooks directory, includes,
 * another git directory. */
int guards_scan_repository(struct guards *guards, const char *real);

/* The same of a git directory that stands for itself: a bare repository. */
int guards_scan_bare(struct guards *guards, const char *real);

/* That no repository comes to be at real itself, where there is none. */
int guards_scan_beside(struct guards *guards, const char *real);

int guards_scan(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err);

#endif
