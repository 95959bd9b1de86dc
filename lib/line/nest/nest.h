/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_NEST_NEST_H
#define LINE_NEST_NEST_H

#include <stdbool.h>
#include <sys/types.h>

#include <ambit/run.h>

#include "line/gate/call.h"
#include "line/floor/floor.h"
#include "line/process/keeper.h"
#include "line/process/nest-wire.h"

/* A run inside this one. Somebody in the tree opens NEST_PATH; the gate answers
 * with a socket, and since it is this gate, the scope is known. The first word
 * on that socket, from the process that opened it, makes the keeper start a
 * supervisor outside, which gets the socket and what this line is, and goes on
 * from there: see nest-wire.h. A second seccomp listener behind this one cannot
 * be, so the inner command is not a child of its client: it is started from
 * outside, with all the outer floors around it and a filter of its own. */

#define NEST_MAX 32 /* at a time, those included that have said nothing yet */

struct gate;
struct nest;

struct nest_options {
	struct ambit_engine *engine; /* with the gate's lock */
	struct keeper *keeper;
	const struct floor *floor;
	char *const *open, *const *spine; /* what the floor was made of; borrowed */
	const char *temp;		  /* borrowed */
	const int *outer;		  /* rulesets of the lines around this one */
	size_t n_outer;
	/* What this line is, for the one inside: see ambit_run_options. */
	char *(*scope)(void *data);
	void *data;
};

/* -ENOMEM and the like: then there is no run inside this one. */
int nest_create(const struct nest_options *options, struct nest **ret_nest);
/* The tree has ended, and the supervisors with it. Accepts NULL. */
void nest_destroy(struct nest *nest);

/* -- the gate's thread ------------------------------------------------------------ */

/* The answer to an open of NEST_PATH. CALL_ANSWERED or -errno. */
int nest_open(struct call *call);

/* A socket for this process; pidfd is taken. -EAGAIN: too many. */
int nest_admit(struct nest *nest, pid_t client, int pidfd, int *ret_fd);
/* Whether pid supervises a run inside this one; from any thread. */
bool nest_owns(void *nest, pid_t pid);

/* -- the supervisor's loop -------------------------------------------------------- */

int nest_fd(const struct nest *nest); /* to poll; -1 for NULL */
void nest_ready(struct nest *nest, struct gate *gate);
/* KEEPER_NESTED. */
void nest_started(struct nest *nest, const struct keeper_message *message);

/* -- what the supervisor inside is given, on its descriptor 3 ----------------------- */

/* With a file, the rulesets, the client's socket and its pidfd. The file has texts,
 * each with its NUL: the scope, the temp directory, and behind a '+' what the
 * floor has open, behind a '-' the spine. A door that starts a run of its own says
 * the same of itself (nest-around.c); there no client comes along. */
#define NEST_START_FDS (3 + KEEPER_OUTER_MAX)

struct nest_start {
	pid_t supervisor; /* the outer one: performs what its tree sends with descriptors */
	pid_t client;	  /* 0: none; then another file has the command's environment */
	uint32_t n_outer;
	uint32_t n_envp; /* texts in that */
};

/* -- the supervisor inside (nest-inner.c) ------------------------------------------- */

struct ambit_run_inner {
	int client; /* -1: gone */
	int pidfd;
	struct nest_start start;
	int outer[KEEPER_OUTER_MAX];
	char *outside; /* what the file has */
	size_t outside_len;
	const char *scope, *temp;
	char **open;	 /* in the floor outside */
	char **writable; /* these, and the spine */
	struct nest_head head;
	struct nest_texts texts;
	uint32_t serial;
};

/* Somebody inside the line stands for it: it has his manners, and ends with him. */
bool inner_has_client(const struct ambit_run_inner *inner);
void inner_manner(const struct ambit_run_inner *inner, struct keeper_options *options);
/* Less than all that is listed may be open in the lines around it. What is left
 * is in *open; what is not, in *spine. -ENOMEM. */
int inner_narrow(const struct ambit_run_inner *inner, char ***open, char ***spine);
void inner_tell(struct ambit_run_inner *inner, enum nest_kind kind, int value);
/* The next word of the client. -EPIPE: it is gone, or not the one that it was. */
int inner_read(struct ambit_run_inner *inner, struct nest_message *ret_message);

#endif
