/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "world.h"

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
	struct ambit_run_keeper *keeper; /* until the command is started */
	struct world world;
	const char *root;  /* of the folder; the scope's */
	const char *who;   /* answers: "tty", "deny", "allow", "exec:..." */
	int tty;	   /* the terminal, or -1 */
	bool pty;	   /* the command gets one of its own */
	bool quiet;
	int timeout_ms;
	struct ambit_approver *approver;
	char **argv;
	char **envp;	   /* NULL: as ambit's own */
	char *cwd;
	struct run_report report;
};

/* All that is needed, and all that is asked, before the command can start.
 * Takes the keeper. run_finish in any case. */
int run_begin(struct run *run, const struct args *args, struct ambit_run_keeper *keeper,
	struct ambit_error *err);
void run_finish(struct run *run);

/* -- run-env.c ----------------------------------------------------------------- */

/* Fills run->envp if it differs from ambit's own environment; profile may be
 * NULL. Says on standard error what was left out. */
int run_environment(struct run *run, const struct ambit_profile *profile, struct ambit_error *err);

/* -- run-report.c --------------------------------------------------------------- */

int run_report_open(struct run_report *report, const char *path, struct ambit_error *err);
int run_report_write(
	struct run_report *report, const struct run *run, const struct ambit_run_result *result,
	struct ambit_error *err);
void run_report_finish(struct run_report *report);

/* -- run-after.c ------------------------------------------------------------------ */

/* What was refused, for a person, on standard error. */
void run_summary(const struct run *run, const struct ambit_run_result *result);

#endif
