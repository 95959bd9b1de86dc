/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_RUN_COMMAND_H
#define RUN_RUN_COMMAND_H

#include "cli/nested-scope.h"
#include "cli/world.h"
#include "line/process/run-doors.h"
#include "scope/profile.h"

/* One `ambit run`, from its options to what is said afterwards. */

/* Where --report goes. Its directory is held open from the start: the command
 * may put a link in the path's place meanwhile. */
struct run_report {
	int dir;    /* of the file to be put in place; or -1 */
	char *name; /* its last component */
	int fd;	    /* of a device or an own descriptor: written as it is; or -1 */
};

struct run {
	const struct args *args;
	struct around *inner;		 /* of a run inside another; or NULL */
	struct ambit_run_keeper *keeper; /* until the command is started */
	struct world world;
	const char *root; /* of the folder; the scope's */
	const char *who;  /* answers: "tty", "deny", "allow", "client", "exec:..." */
	int tty;	  /* the terminal, or -1 */
	bool pty;	  /* the command gets one of its own */
	bool quiet;
	bool guard_reads;
	int timeout_ms;
	int leash;  /* or 0 */
	int client; /* the socket of --ask-fd, or 0 */
	struct ambit_limits limits;
	int landlock; /* 0: what the kernel has */
	struct ambit_approver *approver;
	bool watchers;		       /* those who watch are asked, too */
	char *live;		       /* where its socket is made */
	struct ambit_judge *judge;     /* or NULL */
	char notify_failure[256];      /* of the setting notify_command; "": none */
	const struct profile *profile; /* of the command, if it is open; or NULL */
	size_t program;		       /* which of the command's words is the program */
	struct profile_added added;    /* to the command, for its profile */
	char **argv;
	char **envp; /* NULL: as ambit's own */
	char *cwd;
	struct run_report report;
};

/* All that is needed, and all that is asked, before the command can start.
 * Takes the keeper. run_finish in any case. */
int run_begin(struct run *run, const struct args *args, struct around *inner,
	struct ambit_run_keeper *keeper, struct ambit_error *err);
void run_finish(struct run *run);
/* Puts a question of ambit's own to the approver. As ambit_approver.ask. */
int run_ask_approver(struct run *run, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err);
/* The two answers to a question of ambit's own, and what they store. -ENOMEM. */
int run_set_choices(struct ambit_question *question, const char *no, const char *yes);

/* -- run-init.c ---------------------------------------------------------------- */

/* As the first process of a container: returns in a child of it. -errno. */
int run_init(struct ambit_error *err);

/* -- run-env.c ----------------------------------------------------------------- */

/* Fills run->envp if it differs from ambit's own environment. Says on standard error what was
 * left out. */
int run_environment(struct run *run, struct ambit_error *err);
/* Says which of the person's own words hold in place of what would be added for this profile, and
 * records what is added, from that word of the list on. */
int run_tell_added(const struct run *run, const char *name, const struct profile_added *added,
	size_t first, struct ambit_error *err);
/* What the command's begins with: ambit's own, or that of who asked inside. */
char *const *run_environ(const struct run *run);
const char *run_env(const struct run *run, const char *name);

/* -- run-greet.c ----------------------------------------------------------------- */

/* Before an interactive shell, one line on the terminal says where it may write. */
void run_greet(const struct run *run);

/* -- run-client.c ---------------------------------------------------------------- */

/* What a server that starts this gives along: descriptors and limits. */
int run_client(struct run *run, struct ambit_error *err);

/* -- run-report.c --------------------------------------------------------------- */

int run_report_open(struct run_report *report, const char *path, struct ambit_error *err);
int run_report_write(struct run_report *report, const struct run *run,
	const struct ambit_run_result *result, struct ambit_error *err);
/* A text that is one already. */
int run_report_put(struct run_report *report, const char *json, struct ambit_error *err);
void run_report_finish(struct run_report *report);

/* -- run-nest.c ------------------------------------------------------------------- */

/* Inside: has it supervised from outside, by this socket, which is taken. An exit
 * code, or -errno. Also for doors that are no runs. */
int run_through(const struct args *args, enum run_door door, int socket, struct ambit_error *err);

/* For those inside: what this run is. data: struct run. */
char *run_scope_text(void *data);

/* Outside, for one inside. */
int run_inner(const struct args *args, struct ambit_error *err);
/* For a door of ours. */
int run_within(const struct args *args, struct ambit_error *err);
/* Who answers. */
int run_inner_who(struct run *run, struct ambit_error *err);
void run_inner_end(struct run *run, const struct ambit_run_result *result, int status);

/* -- cmd-run.c -------------------------------------------------------------------- */

/* inner may be NULL. Comes back only with an error, or EXIT_USAGE. */
int run_command_in(const struct args *args, struct around *inner, struct ambit_error *err);

/* -- run-after.c ------------------------------------------------------------------ */

/* What was refused, for a person, on standard error. */
void run_summary(const struct run *run, const struct ambit_run_result *result);

/* -- run-planted.c ---------------------------------------------------------------- */

/* Guarded files that came past the gate: may they stay? */
void run_ask_planted(struct run *run, const struct ambit_run_result *result);

#endif
