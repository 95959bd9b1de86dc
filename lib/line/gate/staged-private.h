/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_STAGED_PRIVATE_H
#define LINE_GATE_STAGED_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "line/gate/staged.h"

/* Shared by staged.c (opening) and gate-staged.c (judging). */

struct staged_one {
	struct staged_one *next;
	char *real;
	char *written;
	char *beside; /* a name in the same directory that means nothing */
	int parent;
	int fd; /* to read it */
	mode_t mode;
	pid_t tid;
	struct target_who who;
};

struct staged {
	pthread_mutex_t lock;
	struct staged_one *list;
	char **refused; /* asked about the next time */
	_Atomic size_t n;
};

void staged_one_destroy(struct staged_one *one);

#endif
