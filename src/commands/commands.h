/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include <stdbool.h>

/* One per file cmd-NAME.c. */

struct command;

extern const struct command cmd_brief;
extern const struct command cmd_completion;
extern const struct command cmd_decide;
extern const struct command cmd_doctor;
extern const struct command cmd_forget;
extern const struct command cmd_help;
extern const struct command cmd_judge;
extern const struct command cmd_log;
extern const struct command cmd_mcp;
extern const struct command cmd_mode;
extern const struct command cmd_perm;
extern const struct command cmd_perms;
extern const struct command cmd_rules;
extern const struct command cmd_run;
extern const struct command cmd_sandbox;
extern const struct command cmd_serve;
extern const struct command cmd_sessions;
extern const struct command cmd_stop;
extern const struct command cmd_settings;
extern const struct command cmd_spawn;
extern const struct command cmd_version;
extern const struct command cmd_watch;
extern const struct command cmd_why;

/* help-profiles.c: prints the table. */
void help_profiles(void);

#endif
