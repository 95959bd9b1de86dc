/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVE_LIVE_PRIVATE_H
#define LIVE_LIVE_PRIVATE_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "live/live.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/rpc.h"

/* Shared by the files of a live session: live.c (its life and who connects), guest.c
 * (lines of one client), method.c (what they ask for), live-questions.c (questions that watchers
 * know of); and on the other side link.c and live-list.c. */

#define LIVE_LINE_MAX (64u << 10) /* of a client's: the longest is an answer with a path */
/* A client that has not read so many bytes is dropped with the next message. As many questions as
 * there may be at once fit in. */
#define LIVE_OUT_MAX (16u << 20)

#define LIVE_REFUSED_KEPT 8

enum {
	LIVE_NO_QUESTION = -32001,
	LIVE_NOT_YOU = -32004,
	LIVE_FAILED = -32005,
};

/* -- live-peer.c -------------------------------------------------------------------------- */

/* shared: a line that is around this process too is no objection. */
const char *peer_objection(int fd, bool shared);

/* -- live-place.c ------------------------------------------------------------------------- */

/* The directory, opened: the user's own and nobody else's. make: if it is not there.
 * -ENOENT, -EPERM with words. */
int place_open(const char *directory, bool make, int *ret_fd, struct ambit_error *err);
/* A socket in it that listens, under a name that is new. */
int place_listen(int dir, int *ret_fd, char ret_name[32], struct ambit_error *err);
/* One that is connected, without blocking. -errno. */
int place_connect(int dir, const char *name, int *ret_fd);
/* Whether somebody says that he watches all that starts. */
bool place_attended(int dir);
/* True for the name of such a socket. */
bool place_is_name(const char *name, pid_t *ret_pid);

/* -- guest.c -------------------------------------------------------------------------- */

struct guest {
	struct guest *next;
	struct live *live;
	int fd;
	struct buf in, out;
	size_t sent; /* of out */
	bool watches;
	bool leaving; /* what was said is sent, and nothing read any more */
	bool waits;   /* epoll is told to say when there is room */
};

/* Takes the descriptor. NULL without memory. */
struct guest *guest_create(struct live *live, int fd);
void guest_destroy(struct guest *guest);
/* False: it is gone, or has to go. */
bool guest_read(struct guest *guest);
bool guest_write(struct guest *guest);
/* Takes the message (NULL: there was no memory for it). */
void guest_say(struct guest *guest, json_t *message);

/* -- method.c ------------------------------------------------------------------------- */

void method_line(struct guest *guest, const char *text, size_t len);
/* The line was too long. */
void method_refuse(struct guest *guest, int code, const char *why);

/* -- describe.c ------------------------------------------------------------------------ */

/* What holds in the session now, with who says so: "modes", "permissions" and "net" into the
 * object. With the lock. -ENOMEM. */
int describe(const struct ambit_engine *engine, json_t *object);

/* -- live-questions.c ---------------------------------------------------------------- */

/* A question that watchers know, or will when the loop comes by. */
struct told {
	struct told *next;
	struct ambit_question question;
	char how[128]; /* it has ended so; "": it is open */
};

/* The channel of those who watch. */
extern const struct desk_channel_type told_channel;

/* Says to all who watch what the desk has offered and withdrawn. */
void told_update(struct live *live);
/* All that are open, to one who begins to watch. */
void told_all(struct guest *guest);
/* Without the lock. 0; -ENOENT, -EINVAL with words. */
int told_answer(struct live *live, uint64_t id, json_t *answer, struct ambit_error *err);
void told_forget(struct live *live);

/* -- live.c --------------------------------------------------------------------------- */

struct live {
	struct live_options o;
	char *what;
	int64_t started;
	int dir;
	int listener;
	bool deaf; /* there was no descriptor for one more */
	int epoll;
	char name[32];
	struct guest *guests;
	size_t n_guests;
	int refused[LIVE_REFUSED_KEPT]; /* who were not let in, so that they hear why; or -1 */
	size_t n_refused;
	atomic_uint watchers;
	/* It is not yet long enough that one who watches all could have come. */
	atomic_bool awaited;
	int awaits;	   /* readable when it is */
	struct told *told; /* oldest first */
	bool changed;	   /* something that the desk is to look at */
	/* A channel of the desk. The desk's thread puts news there, and the loop takes it. */
	struct desk_channel channel;
	pthread_mutex_t lock; /* of the next */
	struct told *news;    /* oldest first */
};

void live_lock(struct live *live);
void live_unlock(struct live *live);

#endif
