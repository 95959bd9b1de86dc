/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_LEFTOVER_PRIVATE_H
#define PERFORM_LEFTOVER_PRIVATE_H

#include <pthread.h>
#include <sys/types.h>

#include "perform/leftover.h"

/* Shared by leftover.c (one session's own file, and the directories that it makes) and
 * leftover-scan.c (the files of the others). */

/* A file is "s-" and letters by chance; "o-": the session has a pool outside the store, so that
 * whoever starts need not read the others. In it stand records, each with its NUL:
 *   KIND MAJOR:MINOR INODE BIRTH PATH
 * of the object itself for 'd' and 'm', of the directory above it for 's', 'p' and 'f'. */
#define STORE_PLAIN "s-"
#define STORE_POOL "o-"

enum record_kind {
	RECORD_DIR = 'd',      /* PATH was made */
	RECORD_PLAN = 's',     /* a directory is about to be made; a 'd' follows if it was */
	RECORD_POOL = 'p',     /* likewise, a pool outside the store */
	RECORD_FILE = 'f',     /* a file is about to be made; an 'm' follows if it was */
	RECORD_STAGED = 'm',   /* the file PATH was made */
	RECORD_WRITABLE = 'w', /* the session's commands may write there */
};

/* One object of the file system, also after its inode's number was given to another. */
struct identity {
	unsigned major, minor;
	unsigned long long inode;
	long long birth; /* nanoseconds; 0: the file system does not tell */
};

struct leftovers {
	struct leftover file; /* in dir, which is file.parent */
	char *place;	      /* of dir */
	pthread_mutex_t lock;
	off_t base; /* how far the records go that are not notes */
	bool made;  /* it lists a directory */
	unsigned refs;
	unsigned notes; /* that nobody has taken back */
};

/* -ENOENT where it is not there, -errno. name "": fd itself. */
int identity_of(int fd, const char *name, struct identity *ret_identity);
bool identity_equal(const struct identity *a, const struct identity *b);

/* A directory by its real path, O_PATH; no link is followed. -errno. */
int leftover_open(const char *path);

/* leftover-scan.c: whether a live session may write at path, or that cannot be told. */
bool leftovers_covered(const struct leftovers *store, const char *path);

#endif
