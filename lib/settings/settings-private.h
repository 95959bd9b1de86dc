/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_SETTINGS_PRIVATE_H
#define SETTINGS_SETTINGS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

#include "settings/agents.h"
#include <ambit/policy.h>
#include <ambit/record.h>
#include <ambit/settings.h>
#include <ambit/words.h>

/* The values behind <ambit/settings.h>. The person's (file, then command
 * line) and the folder's are kept apart, because a session's own choice may
 * stand over the person's but never over the folder's: whoever reads a value
 * takes the most restrictive of the two. */

/* Who may say yes in the person's place: a program, or a model at an address. */
struct settings_judge {
	char **command; /* argv, argv[0] absolute; NULL: url */
	char *url;	/* of chat completions, whole; NULL: command; neither: no judge */
	char *model;
	char *key_env; /* the variable with its key; NULL: none */
	int timeout;   /* ms */
};

struct settings_values {
	/* enums: -1 means not set here */
	int agent_mode;
	int sandbox_mode;
	int ask_mode;
	int reads;
	int net;
	int allow_bash;
	int by_side_effect[AMBIT_EFFECTS_N];	   /* enum ambit_permission */
	struct ambit_tool_permission *permissions; /* the longest match counts */
	size_t n_permissions;
	json_t *policy;		     /* checked; NULL: none. See settings_policy() */
	char **policy_program;	     /* argv, argv[0] absolute; NULL: none */
	int policy_timeout;	     /* ms; -1 */
	struct settings_judge judge; /* the person's only */
	char **guard_writes;	     /* patterns added */
	char **guard_reads;
	char **unguard_writes; /* patterns taken away; the person's only */
	char **unguard_reads;
	char **write; /* grants; absolute, "~" expanded, not resolved */
	char **read;
	char **allow_hosts;
	char **deny_hosts;
	char **profiles;
	char *ask;	       /* "tty", "deny", "allow", "exec:/path"; NULL */
	int question_timeout;  /* seconds; -1; 0 never */
	int client_timeout;    /* seconds; -1 */
	int bell;	       /* -1 */
	char **notify_command; /* argv, argv[0] absolute; NULL: none. The person's only */
	int loop_limit;	       /* identical calls in a row; -1; 0 off */
	struct agent *agents;  /* the person's own; what they point to is owned */
	size_t n_agents;
	int agent_timeout; /* seconds; -1; 0 none */
	int agent_depth;   /* agents in agents; -1 */
	int agents_at_once;
	int agent_output; /* bytes of what an agent says at last; -1 */
	int children_ask;
	int record_session_max; /* events; -1; 0 no limit */
	int record_max;		/* MB; -1; 0 no limit */
	int keep_days;		/* -1; 0 for ever */
};

const struct settings_values *settings_person(const struct ambit_settings *settings);
const struct settings_values *settings_folder(const struct ambit_settings *settings);

/* Where a key was set, as "~/.config/ambit/config.json:3" or "--reads"; "the settings" if that is
 * not known. Borrowed. */
const char *settings_source(const struct ambit_settings *settings, bool folder, const char *key);

/* The policies of both files composed, or NULL if there are none. Owned by
 * the settings. */
const struct ambit_policy *settings_policy(const struct ambit_settings *settings);

#endif
