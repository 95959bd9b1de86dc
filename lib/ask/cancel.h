/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_CANCEL_H
#define ASK_CANCEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Questions withdrawn from another thread: the one who asks waits on fd, which
 * is readable exactly while the question that is asked now is withdrawn. One
 * question is asked at a time. */

#define CANCEL_KEPT 16 /* withdrawn before they were asked: as many are remembered */

#define CANCEL_HOW_MAX 128

struct cancel {
	int fd;
	pthread_mutex_t lock;
	uint64_t asked;		     /* 0: none */
	uint64_t early[CANCEL_KEPT]; /* a ring; 0: free */
	size_t next;
	char how[CANCEL_HOW_MAX]; /* of the one that is asked now; "": it is not known */
};

int cancel_init(struct cancel *cancel, struct ambit_error *err);
void cancel_finish(struct cancel *cancel);

/* Around an ask. True: withdrawn already. */
bool cancel_begin(struct cancel *cancel, uint64_t question);
void cancel_end(struct cancel *cancel);

/* From another thread; at any time between init and finish. how: why the one that is asked now
 * ends, for whoever reads it; NULL: not known. */
void cancel_say(struct cancel *cancel, uint64_t question, const char *how);
/* How the one that is asked ended, between begin and end; "": it is not known. */
void cancel_how(struct cancel *cancel, char *how, size_t size);

#endif
