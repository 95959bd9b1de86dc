/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FLOOR_FLOOR_H
#define LINE_FLOOR_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "line/floor/ground.h"

/* The Landlock ruleset: what the tree can do however it races the gate. Rights
 * hang on inodes from the start; what is granted later is done on behalf. */

#define FLOOR_ABI_LEAST 2
#define FLOOR_ABI_MOST 7

struct floor;

struct floor_options {
	struct floor *base;	     /* of floor_prepare; taken, also on failure; or NULL */
	int abi;		     /* 0: what the kernel has; a test lowers it */
	const char *const *writable; /* real paths of directories (and files) */
	size_t n_writable;
	const char *const *git; /* likewise, but no symlinks, and no moves between directories */
	size_t n_git;
	const char *const *spine; /* ours to write as well, but with no rights here */
	size_t n_spine;
	/* NULL: everything but other terminals and devices. Else only these,
	 * and the system's own directories. */
	const char *const *readable;
	size_t n_readable;
	bool limit_reads;
	/* Real paths that cannot be read, nor what lies beneath (but for what is readable),
	 * although all around them can. New files beside them cannot be read either. */
	const char *const *hidden;
	size_t n_hidden;
	bool outline;	 /* nobody will be restricted by it: it only tells what it covers */
	const char *tty; /* the command's own terminal, "/dev/pts/3", or NULL */
};

/* The kernel's ABI, or -ENOSYS, -EOPNOTSUPP with words for a person. */
int floor_abi(struct ambit_error *err);

/* The part that is the same for everybody whose reads are not limited, and the
 * longest to make: so it can be made while other things are found out. */
int floor_prepare(struct floor **ret_base, struct ambit_error *err);

/* A writable path that does not exist is skipped: it is done on behalf. */
int floor_create(
	const struct floor_options *options, struct floor **ret_floor, struct ambit_error *err);
void floor_destroy(struct floor *floor);

int floor_fd(const struct floor *floor);       /* the ruleset, for landlock_restrict_self */
int floor_in_force(const struct floor *floor); /* the ABI it was made for */

/* One more directory with all rights, before anybody is restricted by it. */
int floor_grant(struct floor *floor, int fd, struct ambit_error *err);

/* Whether writing at this real path is within the floor: then the kernel
 * bounds the call and CONTINUE gives nothing away. Thread-safe, no allocation. */
bool floor_covers(const struct floor *floor, const char *real);
/* And removing it, or giving its object another name: a file that was granted alone keeps the one
 * it has, as far as the floor goes. */
bool floor_covers_name(const struct floor *floor, const char *real);
/* And whether that holds for symlinks and for moves between directories, too. */
bool floor_covers_links(const struct floor *floor, const char *real);
/* The same in detail, and to be told what becomes of directories. */
struct grounds *floor_grounds(const struct floor *floor);

#endif
