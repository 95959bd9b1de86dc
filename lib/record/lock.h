/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_LOCK_H
#define RECORD_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/error.h>

/* Locks between the connections of any number of processes, which whoever can
 * only read the file cannot take: a table in a file that is mapped. They never
 * wait. What a dead process held is free. */

#define LOCK_FILE "ambit.lock"
#define LOCKS_MAX 16	     /* locks 0 to 15: a mask */
#define LOCKS_STUCK_MS 10000 /* nobody has given a lock back for so long */
#define LOCKS_WAIT_MS 120000 /* others get it all the time, this one never */

struct locks;

/* A place in the table of this file, which is made if there is none. A damaged
 * one is made anew if nobody is in it, else -EBADMSG; -EBUSY if there is no
 * room in it. */
int locks_open(const char *path, struct locks **ret_locks, struct ambit_error *err);
void locks_close(struct locks *locks);
/* Gives the place back and leaves the rest to the end of the process. */
void locks_leave(struct locks *locks);

/* All of the mask, shared or exclusively, or -EBUSY. May be refused, rarely, to each
 * of two that come at the same moment, and once more after whoever had it has died. */
int locks_take(struct locks *locks, unsigned mask, bool exclusive);
void locks_drop(struct locks *locks, unsigned mask, bool exclusive);
/* Whether no other holds any of them in any way. */
bool locks_alone(struct locks *locks, unsigned mask);
/* What this connection holds exclusively. */
unsigned locks_held(const struct locks *locks);

/* For a loop around locks_take: sleeps until it may be free; false when it is time to
 * give up. Begins zeroed. As long as others get their turn, this one waits for its own. */
struct locks_wait {
	unsigned tries;
	uint32_t turns;
	int64_t began, moved;
};
bool locks_wait(struct locks *locks, struct locks_wait *wait);

/* What this connection works on: a number other than 0. With a second one that differs, it
 * is LOCKS_MARK_ALL, which is every number. */
#define LOCKS_MARK_ALL UINT64_MAX
void locks_mark(struct locks *locks, uint64_t mark);
/* Whether any connection that lives, this one too, has that mark. */
bool locks_marked(struct locks *locks, uint64_t mark);

/* Whether it is this one's turn to do what is done every so many ms: which is 0 or 1. */
bool locks_turn_to_care(struct locks *locks, int which, int64_t now, int64_t every);

/* A number that is kept with the locks; 0 in a table that is new. */
uint64_t locks_stamp(const struct locks *locks);
void locks_set_stamp(struct locks *locks, uint64_t stamp);

/* Locks these bytes (F_RDLCK, F_WRLCK, F_UNLCK) for an open description; 0 or -errno. */
int lock_bytes(int fd, off_t at, off_t n, short type);
/* Whether another description holds a write lock on any of these bytes: one
 * that was opened for reading cannot. */
bool lock_written(int fd, off_t at, off_t n);

#endif
