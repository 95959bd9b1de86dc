/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_WALK_H
#define TOOLS_SEARCH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Everything beneath a directory that is held open, by several threads: names
 * through descriptors beneath it, no symlink is ever followed, nothing but
 * directories and .gitignore files is opened. ".git" is left out, and so is what
 * .gitignore hides, and what the kernel makes up (proc, sysfs ...) where it is
 * mounted in a tree. */

#define WALK_DEPTH_MAX 128
#define WALK_NAMES_MAX 4000000 /* then the walk is cut, and says so */
/* What .gitignore files may cost, in all and for one name: enough for as many names
 * with nearly five hundred plain patterns each. Anybody wrote them, and each pattern
 * is tried on each name. Then, too, the walk is cut. */
#define WALK_STEPS_MAX 2000000000
#define WALK_NAME_STEPS_MAX 20000000

enum walk_kind {
	WALK_FILE = 0,
	WALK_LINK,
	WALK_DIR,
};

struct walk_options {
	int root; /* a directory, open to read; borrowed */
	const char *real;
	bool all;	/* .gitignore or not */
	bool times;	/* of what is wanted */
	unsigned kinds; /* what is asked about with want: 1 << WALK_FILE ... */
	unsigned depth; /* 0: WALK_DEPTH_MAX */
	size_t names;	/* 0: WALK_NAMES_MAX */
	size_t steps;	/* 0: WALK_STEPS_MAX */
	/* path is from the root. They are called by several threads at once. */
	bool (*want)(void *data, const char *path, enum walk_kind kind);
	bool (*enter)(void *data, const char *path); /* or NULL: everywhere */
	/* or NULL; asked at each directory, and every now and then within one */
	bool (*stop)(void *data);
	void *data;
};

struct walk_name {
	const char *name;
	int64_t time; /* of its last change, in ns; 0 unless asked for */
};

/* A directory, with what is wanted of it by name. */
struct walk_dir {
	char *path; /* from the root; "" is the root itself */
	unsigned depth;
	dev_t dev; /* of what it lies in */
	const struct walk_rules *rules;
	char *text; /* of the names */
	struct walk_name *names;
	size_t n_names;
	struct walk_dir **dirs;
	size_t n_dirs;
};

struct walk {
	/* In one order, whoever was first: a directory's own names, then those of the
	 * directories in it, each by bytes. */
	struct walk_dir **dirs;
	size_t n_dirs;
	size_t n_names;	   /* in all of them */
	size_t unreadable; /* directories */
	bool cut;	   /* too much, or too deep */
	bool costly;	   /* cut for what .gitignore files cost */
	bool stopped;
	struct walk_rules *rules; /* all of them */
};

/* -ENOMEM, -ECANCELED (nobody asks for the rest then) ... */
int walk_tree(const struct walk_options *options, struct walk *ret_walk, struct ambit_error *err);
void walk_finish(struct walk *walk);
/* Why it was cut, and what to do about it. */
const char *walk_why_cut(const struct walk *walk);

/* A directory or file beneath the root (AT_FDCWD: anywhere, by its real path), opened
 * without following anything on the way. -errno. */
int walk_open(int root, const char *path, int flags);

/* -- .gitignore (walk-rules.c) ---------------------------------------------------------- */

struct ignore;

/* What holds in a directory, from the inside out. */
struct walk_rules {
	const struct walk_rules *outer;
	struct ignore *ignore;
	size_t base; /* a path from the top, less so much, is one from where they stand */
	struct walk_rules *next; /* of all that were made */
};

/* Those above the root, up to the top of the repository it lies in. ret_above: the
 * root's path from there, with a '/' at its end, or ""; caller frees. *made is the
 * list to which they are added. */
int walk_rules_above(const char *real, struct walk_rules **made,
	const struct walk_rules **ret_rules, char **ret_above);
/* Those of one directory: of the repository that begins there (git), and of its own
 * .gitignore (file). base: how long its path from the top is, with its '/'. */
int walk_rules_at(int dir, bool git, bool file, size_t base, const struct walk_rules *outer,
	struct walk_rules **made, const struct walk_rules **ret_rules);
/* path: from the top. steps: as for ignore_match. */
bool walk_rules_hide(
	const struct walk_rules *rules, const char *path, size_t len, bool dir, size_t *steps);
void walk_rules_finish(struct walk_rules *made);

#endif
