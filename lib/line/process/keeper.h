/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_KEEPER_H
#define LINE_PROCESS_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <termios.h>

#include <ambit/limits.h>

#include "base/err.h"
#include "perform/leftover.h"

/* The keeper: the process between the supervisor and the command. It leads the
 * command's session (with a pty), starts the command behind floor and filter,
 * reaps the tree, tells what became of the command, and when the supervisor is
 * gone ends the tree and clears away. keeper.c is its life, keeper-hand.c the
 * supervisor's side; child.c is what happens between clone and exec. */

struct sock_filter;

#define KEEPER_OUTER_MAX 8 /* lines around this one; Landlock has room for 16 layers */

/* What a command inherits from who asked for it, if that is not who starts it:
 * a run inside another. */
struct keeper_manner {
	pid_t client; /* whose group it joins if it can; 0: none of this */
	mode_t umask;
	uint64_t ignored, blocked; /* signals: bit N-1 */
	struct rlimit limits[RLIM_NLIMITS];
};

struct keeper_options {
	char *const *argv;
	char *const *envp;
	const char *program; /* the file to exec; NULL: argv[0] was not found (127) */
	int program_error;   /* if program is NULL: ENOENT (127), EACCES (126) */
	const char *cwd;
	/* To remove when the tree is gone: directories, and then the file that lists them.
	 * Borrowed; NULL: there is none. */
	const struct leftover *temp, *pool, *list;
	int ruleset; /* of the floor; -1: none (tests only) */
	const struct sock_filter *filter;
	size_t n_filter;
	int pty; /* the slave: becomes the controlling terminal; -1: none */
	int tty; /* real terminal, to be restored when the supervisor is gone; -1 */
	struct termios restore;
	bool replace[3];	     /* which of 0-2 become the pty */
	int outer[KEEPER_OUTER_MAX]; /* rulesets of the lines around it, outermost first */
	size_t n_outer;
	struct keeper_manner manner;
	struct ambit_limits limits;
	/* argv of a supervisor for a run inside, where argv[1] is for the door's name; NULL:
	 * there is none */
	char *const *nest;
};

struct keeper {
	pid_t pid;
	const struct leftover *temp, *pool, *list; /* of the options; borrowed */
	int pidfd;
	int socket; /* messages from the keeper; to poll */
};

enum keeper_event {
	KEEPER_STARTED = 1, /* .listener, .child */
	KEEPER_FAILED,	    /* the command could not be started: .error, .step */
	KEEPER_STOPPED,	    /* with a pty or a client: the command stopped: .signal; .status is
			     * how often it was continued before that */
	KEEPER_EXITED,	    /* the command ended: .status as of waitpid */
	KEEPER_EMPTY,	    /* after keeper_end: no process of the tree is left; .left */
	KEEPER_NESTED,	    /* after keeper_nest: .child supervises, or .error; .status is the id */
			    /* With .last the keeper has nothing more to keep: it takes the temp
			     * directory away and leaves. EMPTY and FAILED always are, EXITED is if
			     * the command left no process behind. */
};

struct keeper_message {
	enum keeper_event event;
	pid_t child;
	int status;
	int signal;
	int error;
	int left;
	bool last;
	bool joined;   /* STARTED: it is in its client's process group */
	char step[64]; /* "exec", "landlock_restrict_self", "seccomp" ... */
	int listener;  /* received descriptor, or -1; the reader owns it */
};

/* Forks the keeper, which makes itself ready and waits. To be called before any
 * thread is started and before signals are changed: the command gets those of
 * this moment. The earlier the better: the fork copies less memory, and the
 * keeper is ready when it is needed. */
int keeper_fork(struct keeper *ret_keeper, struct ambit_error *err);

/* Lets it make the command's process, up to the exec: that waits for
 * keeper_run, so that both sides work meanwhile. On failure the keeper is still
 * to be finished. */
int keeper_start(
	struct keeper *keeper, const struct keeper_options *options, struct ambit_error *err);
/* Now: a message follows. -EPIPE. */
int keeper_run(struct keeper *keeper);

/* The next message; waits. -EPIPE: the keeper is gone. */
int keeper_read(struct keeper *keeper, struct keeper_message *ret_message);

/* Continue the stopped command in the foreground; forward a signal to it (to
 * the foreground group of its terminal if group); end the whole tree (TERM,
 * grace_ms, KILL), answered by KEEPER_EMPTY. -EPIPE. */
int keeper_continue(struct keeper *keeper);
int keeper_signal(struct keeper *keeper, int sig, bool group);
int keeper_end(struct keeper *keeper, int grace_ms);
/* Starts options.nest outside the line for this door (enum run_door), with socket
 * as its descriptor 3, answered by KEEPER_NESTED with this id. */
int keeper_nest(struct keeper *keeper, int id, uint32_t door, int socket);

/* Removes the directories, and the list if nothing of it is left. Any may be NULL. */
void keeper_clear(
	const struct leftover *temp, const struct leftover *pool, const struct leftover *list);

/* Lets it go and waits for it: the tree is gone then, and temp is. If it was
 * killed, both are done here. */
void keeper_finish(struct keeper *keeper);

#endif
