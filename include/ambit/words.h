/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_WORDS_H
#define AMBIT_WORDS_H

#include <stddef.h>

/* The vocabulary: each enum has one table with the word in JSON, in settings
 * and on the command line, and a line of help. In every enum the zero value
 * is the one that forgotten memory may safely mean. */

enum ambit_verdict {
	AMBIT_DENY = 0,
	AMBIT_ASK,
	AMBIT_ALLOW,
};

/* What a tool may do without a question. The same three words and order. */
enum ambit_permission {
	AMBIT_PERMISSION_DENY = 0,
	AMBIT_PERMISSION_ASK,
	AMBIT_PERMISSION_ALLOW,
};

enum ambit_code {
	AMBIT_CODE_INTERNAL = 0,
	AMBIT_CODE_NONE, /* an allow has no code */
	AMBIT_CODE_OUT_OF_SCOPE,
	AMBIT_CODE_BASH_NOT_ALLOWED,
	AMBIT_CODE_DENIED,
	AMBIT_CODE_PLAN_MODE,
	AMBIT_CODE_READ_ONLY,
	AMBIT_CODE_UNRESOLVABLE,
	AMBIT_CODE_SYMLINK_ESCAPE,
	AMBIT_CODE_PROTECTED,
	AMBIT_CODE_GUARDED,
	AMBIT_CODE_GUARDED_READ,
	AMBIT_CODE_OUTSIDE,
	AMBIT_CODE_HOST_NOT_ALLOWED,
	AMBIT_CODE_UNKNOWN_TOOL,
	AMBIT_CODE_BAD_ARGUMENTS,
	AMBIT_CODE_TIMEOUT,
	AMBIT_CODE_LOOP_DETECTED,
	AMBIT_CODE_N,
};

enum ambit_danger {
	AMBIT_DANGEROUS = 0,
	AMBIT_DANGER_WRITE,
	AMBIT_DANGER_READ_ONLY,
};

/* Effects of a request: a set. */
enum ambit_effect {
	AMBIT_READ = 1 << 0,
	AMBIT_WRITE = 1 << 1,
	AMBIT_EXEC = 1 << 2,
	AMBIT_NETWORK = 1 << 3,
	AMBIT_MUTATE = 1 << 4,
};
#define AMBIT_EFFECTS_N 5
#define AMBIT_EFFECTS_ALL 31u

enum ambit_agent_mode {
	AMBIT_PLAN = 0,
	AMBIT_BUILD,
};

enum ambit_sandbox_mode {
	AMBIT_SANDBOX_READ_ONLY = 0,
	AMBIT_DEFAULT_WRITE,
};

enum ambit_ask_mode {
	AMBIT_ASK_ANY_WRITE = 0,
	AMBIT_ASK_DANGEROUS,
	AMBIT_BYPASS,
};

enum ambit_reads {
	AMBIT_READS_FOLDER = 0,
	AMBIT_READS_UNTIL_FIRST_WRITE,
	AMBIT_READS_ANYWHERE,
};

enum ambit_net {
	AMBIT_NET_NONE = 0,
	AMBIT_NET_ASK,
	AMBIT_NET_OPEN,
};

/* How one path of a request is touched. */
enum ambit_access {
	AMBIT_ACCESS_WRITE = 0, /* create or change what the path leads to */
	AMBIT_ACCESS_DELETE,	/* remove the name, or move it away */
	AMBIT_ACCESS_REPLACE,	/* put something else under the name */
	AMBIT_ACCESS_MKDIR,	/* create a directory */
	AMBIT_ACCESS_READ,	/* read one file, list one directory */
	AMBIT_ACCESS_READ_TREE, /* read everything beneath */
};

/* What memory holds: operations collapse to these. */
enum ambit_op {
	AMBIT_OP_WRITE = 0,
	AMBIT_OP_READ,
	AMBIT_OP_CONNECT,
	AMBIT_OP_CALL, /* an exact tool call, or a shell rule key */
};

/* What a person can say to a question. */
enum ambit_answer_kind {
	AMBIT_NO = 0,
	AMBIT_NO_SESSION,
	AMBIT_ONCE,   /* this call; a process: what it needs to do it, for two seconds */
	AMBIT_FILE,   /* this path (call, host), this session */
	AMBIT_FOLDER, /* beneath this folder, this session */
	AMBIT_ALWAYS, /* either, as a standing rule of this project folder */
};

/* How shell commands of tools are run. */
enum ambit_backend {
	AMBIT_BACKEND_KERNEL = 0, /* the line: `ambit run` around each command */
	AMBIT_BACKEND_PREFIX,	  /* another sandbox: words in front of the command's own */
	AMBIT_BACKEND_SUBPROCESS, /* nothing holds it: for those who say so */
};

struct ambit_word {
	const char *name;
	int value;
	const char *text; /* help; for codes: the hint for a model */
};

/* Tables end in a row whose name is NULL. The first row of a value is its
 * name, later ones are aliases. */
extern const struct ambit_word ambit_verdicts[];
extern const struct ambit_word ambit_permissions[];
extern const struct ambit_word ambit_codes[];
extern const struct ambit_word ambit_dangers[];
extern const struct ambit_word ambit_effects[];
extern const struct ambit_word ambit_agent_modes[];
extern const struct ambit_word ambit_sandbox_modes[];
extern const struct ambit_word ambit_ask_modes[];
extern const struct ambit_word ambit_reads_words[];
extern const struct ambit_word ambit_nets[];
extern const struct ambit_word ambit_accesses[];
extern const struct ambit_word ambit_ops[];
extern const struct ambit_word ambit_answers[];
extern const struct ambit_word ambit_backends[];

/* The word for value; "?" if there is none. */
const char *ambit_word_name(const struct ambit_word *table, int value);

/* The row for name, or NULL. Exact, case-sensitive. */
const struct ambit_word *ambit_word_find(const struct ambit_word *table, const char *name);

#endif
