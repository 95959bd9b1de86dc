/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_KEEPER_PRIVATE_H
#define LINE_PROCESS_KEEPER_PRIVATE_H

#include <signal.h>
#include <stdint.h>

#include "line/process/child.h"
#include "line/process/keeper.h"

/* What goes over the socket between the supervisor (keeper-hand.c) and the
 * keeper (keeper.c): first a struct go with its descriptors, then one struct
 * order per packet one way, one struct keeper_message the other, with the
 * listener beside KEEPER_STARTED. */

/* The texts of the options in one file in memory: the filter first, then argv,
 * envp, nest, program and cwd, each with its NUL. */
#define GO_MADE 3 /* temp, pool, list: a directory and the object in it */
/* The file; ruleset, pty, terminal, what was made, outer: those there are. */
#define GO_FDS (4 + 2 * GO_MADE + KEEPER_OUTER_MAX)

struct go {
	size_t size; /* of the file */
	size_t n_filter;
	size_t n_argv, n_envp, n_nest, n_outer;
	bool has_program;
	char made[GO_MADE][LEFTOVER_NAME]; /* "": none */
	bool has_ruleset, has_pty, has_tty;
	int program_error;
	struct termios restore;
	bool replace[3];
	struct keeper_manner manner;
	struct ambit_limits limits;
};

#define KEEPER_END_MS 5000 /* a killed process still there then hangs in the kernel */

/* All that the keeper knows. */
struct life {
	struct keeper_options options;
	struct child child;
	int socket;
	int signals;
	bool running;  /* the command was started and is not reaped */
	bool stopped;  /* told so; the supervisor has not continued it yet */
	int continued; /* how often it did */
	bool empty;    /* no child is left: as a subreaper's, the tree is gone */
	bool ending;
	int left;
	int64_t deadline;
};

/* Makes the forked process a keeper. NULL, or the step that failed, with errno. */
const char *keeper_settle(struct life *life);
/* Leads the command's session, on its terminal, if it has one of its own. */
const char *keeper_lead(struct life *life);

/* -- keeper-order.c ---------------------------------------------------------------------- */

/* Sends the options; -errno. */
int go_send(int socket, const struct keeper_options *options);
/* Waits for them; what they point to stays for the life of the process. -EPIPE:
 * the other side is gone. */
int go_receive(int socket, struct keeper_options *ret_options);

/* The keeper's life, in its own process with all signals blocked; mask is what
 * the command gets. */
__attribute__((noreturn)) void keeper_live(const sigset_t *mask, int socket);

#endif
