/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_DOOR_CALLS_H
#define DOOR_DOOR_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Calls in progress, each in a thread of its own, by the client's id. Those that may
 * take long have threads of their own kind, so that quick ones never wait for them.
 * Past the threads there is a queue, past that -EAGAIN. */

struct calls;

/* queue: how many of each kind may wait. NULL without memory. */
struct calls *calls_create(size_t quick, size_t slow, size_t queue);
/* run is called in a thread, then finish, there too; also for one that was cancelled
 * while it waited in the queue (run is then not called, and cancel's caller may find
 * finish called before it returns). cancel: a descriptor, readable when it is to end.
 * When finish is called the key is free again: that is the place to answer, since a
 * client may use an id again at once. -EEXIST: that key is in use; -EAGAIN; -ENOMEM. */
int calls_start(struct calls *calls, const char *key, bool slow,
	void (*run)(void *data, int cancel), void (*finish)(void *data, bool ran), void *data);
/* Whether that key is in use. */
bool calls_has(struct calls *calls, const char *key);
/* The call is known by another key from now on, which nobody uses. False: no such call, or no
 * memory. */
bool calls_rename(struct calls *calls, const char *key, const char *other);
/* False: no such call. */
bool calls_cancel(struct calls *calls, const char *key);
/* The same for all that are slow, or for all. */
void calls_cancel_all(struct calls *calls, bool quick_too);
/* Waits until there are none, at most that long. True: there are none. */
bool calls_wait(struct calls *calls, int timeout_ms);

/* Within run: this call waits for somebody, and another may have its thread
 * meanwhile; and it goes on. No call waits for another's question. */
void calls_rest(struct calls *calls);
void calls_go_on(struct calls *calls);

/* Cancels all and waits for them. Accepts NULL. */
void calls_destroy(struct calls *calls);

#endif
