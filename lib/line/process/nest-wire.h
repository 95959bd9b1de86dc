/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_NEST_WIRE_H
#define LINE_PROCESS_NEST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "line/process/keeper.h"

/* What goes over the socket between a client inside the line and the
 * supervisor that is started for it outside. Both are this program, but the
 * client's side can be anybody's: all that comes from there is checked here.
 *
 *   client      HELLO          plainly, so that the kernel names the sender; which door
 *               STDIO          with descriptors 0, 1 and 2
 *               HEAD, texts    in pieces of at most NEST_PIECE bytes
 *   supervisor  STARTED        or END, with words on the client's stderr
 *   client      SIGNAL, CONTINUE ...
 *   supervisor  STOPPED ..., END
 */

/* Nothing can lie there: who opens it for both, inside, gets a socket. */
#define NEST_PATH "/.ambit/broker"
#define NEST_VERSION 1
#define NEST_PIECE 32768
#define NEST_SIZE_MAX (6u << 20) /* of all texts: what execve takes, by default */
#define NEST_TEXTS_MAX (1u << 18)

enum nest_kind {
	NEST_NONE = 0,
	NEST_HELLO,  /* value: NEST_VERSION; serial: enum run_door */
	NEST_STDIO,  /* with three descriptors */
	NEST_SIGNAL, /* value: to be sent to the command */
	NEST_CONTINUE,
	NEST_STARTED, /* value: 1 if the command is in the client's group */
	NEST_STOPPED, /* value: by which signal; serial: after how many CONTINUEs */
	NEST_END,     /* value: the status; with a file: the report */
};

struct nest_message {
	uint32_t kind;
	int32_t value;
	uint32_t serial;
};

/* Behind STDIO. The texts are args, envp and cwd, each with its NUL. */
struct nest_head {
	uint32_t n_args, n_envp;
	uint32_t size;
	uint32_t umask;
	uint64_t ignored, blocked;
	struct rlimit limits[RLIM_NLIMITS];
};

struct nest_texts {
	char *data; /* malloc'd; what the lists point into */
	char **args;
	char **envp;
	char *cwd;
};

/* The command that is started for a door (enum run_door); NULL: there is none. */
const char *nest_door_name(uint32_t door);

/* -EPROTO: sizes that cannot be. */
int nest_head_check(const struct nest_head *head);
/* Takes data, of head->size bytes, also on failure. -EPROTO, -ENOMEM. */
int nest_texts_parse(const struct nest_head *head, char *data, struct nest_texts *ret_texts);
void nest_texts_finish(struct nest_texts *texts);

/* One packet, with descriptors (n of them may be 0). 0 or -errno. */
int nest_send(int socket, const void *data, size_t len, const int *fds, size_t n);

/* What comes beside a packet: room for descriptors, which are the caller's then
 * and -1 where there is none; the sender, where the socket passes that on. */
struct nest_given {
	int *fds;
	size_t n;
	size_t got;
	pid_t pid; /* 0: not known */
	int flags; /* for recvmsg */
};
/* One packet of at most size bytes. Its length; 0 or -EPIPE: nobody is there any
 * more; -EPROTO: it, or what came with it, has no room, and is dropped. */
ssize_t nest_receive(int socket, void *data, size_t size, struct nest_given *given);

#endif
