/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_WORK_H
#define BASE_WORK_H

/* Threads for what may block: made when there is work, at most WORK_MAX. */

#define WORK_MAX 256

struct work;

/* Each thread begins with prepare (or NULL). */
struct work *work_create(int (*prepare)(void));
/* Waits for what runs; what has not begun is handed to job all the same. */
void work_destroy(struct work *work);

/* Runs job(data) in one of the threads.
 * -ENOMEM, or what pthread_create says: then nothing was taken. */
int work_add(struct work *work, void (*job)(void *data), void *data);

#endif
