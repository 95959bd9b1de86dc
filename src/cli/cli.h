/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/error.h>
#include <ambit/words.h>

/* What a command is, and what it gets. One command is one file that ends in
 * its row; parser, --help, man pages and completions all read the rows. */

enum exit_code {
	EXIT_OK = 0,	    /* done; `why`: allow */
	EXIT_FAILED = 1,    /* could not be done; `log verify`: a chain is broken */
	EXIT_USAGE = 2,	    /* the command line is wrong */
	EXIT_ASK = 10,	    /* `why`: a person would be asked */
	EXIT_DENY = 11,	    /* `why`: deny */
	EXIT_TIMEOUT = 124, /* `run`: the time was up */
	EXIT_AMBIT = 125,   /* `run`: ambit itself failed */
	EXIT_CANNOT = 126,  /* `run`: the command cannot be executed */
	EXIT_MISSING = 127, /* `run`: there is no such command */
	EXIT_SIGNAL = 128,  /* `run`: plus the signal that ended it */
};

struct exit_row {
	enum exit_code code;
	const char *text;
};
/* Ends in a row without text. */
extern const struct exit_row exit_rows[];

/* The Landlock versions that --landlock takes, as the digits that help and errors show. */
#define LANDLOCK_LEAST "2"
#define LANDLOCK_MOST "7"

enum opt {
	OPT_FOLDER,
	OPT_SESSION,
	OPT_SETTINGS,
	OPT_JSON,
	OPT_READS,
	OPT_READ_ONLY,
	OPT_MODE,
	OPT_ASK_MODE,
	OPT_WRITE,
	OPT_READ,
	OPT_FOR,
	OPT_ALLOW_HOST,
	OPT_NET,
	OPT_UDP,
	OPT_PROXY,
	OPT_ASK,
	OPT_GUARD_READS,
	OPT_SCRUB_ENV,
	OPT_KEEP_ENV,
	OPT_TIMEOUT,
	OPT_REPORT,
	OPT_FAIL_ON_REFUSAL,
	OPT_QUIET,
	OPT_NO_PTY,
	OPT_LANDLOCK,
	OPT_INNER,
	OPT_WITHIN,
	OPT_ASK_FD,
	OPT_LEASH,
	OPT_ONLY,
	OPT_KNOWN,
	OPT_LIMIT,
	OPT_ALLOW_BASH,
	OPT_BACKEND,
	OPT_PREFIX,
	OPT_SOCKET,
	OPT_TOOLS_VERSION,
	OPT_KIND,
	OPT_TOOL,
	OPT_VERDICT,
	OPT_CODE,
	OPT_SINCE,
	OPT_LAST,
	OPT_FOLLOW,
	OPT_SUMMARY,
	OPT_JUDGE,
	OPT_EVERYWHERE,
	OPT_NO,
	OPT_EXPIRES,
	OPT_ALL,
	OPT_BEFORE,
	OPT_YES,
	OPT_LIVE,
	OPT_SCHEMA,
	OPT_MAN,
	OPT_NAMES,
	OPT_DOOR,
	OPT_HELP,
	OPT_N,
};
#define OPT_END OPT_N

struct option_row {
	const char *name;
	const char *arg;		/* name of its value, or NULL for a flag */
	const struct ambit_word *words; /* what the value can be, or NULL */
	const char *key;		/* the setting it sets, or NULL */
	const char *value;		/* of a flag that sets one */
	bool many;			/* may be given more than once */
	bool hidden;
	bool decides; /* a decision can depend on it: so `why` takes it */
	const char *text;
};
extern const struct option_row option_rows[OPT_N];

struct example {
	const char *line;
	const char *text;
};

struct args;

struct command {
	const char *name;
	const char *args;	  /* synopsis of what follows the options */
	const char *text;	  /* one line */
	const char *about;	  /* paragraphs, separated by a blank line */
	const char *const *words; /* what the first argument can be, for completion; or NULL */
	const enum opt *options;  /* ends in OPT_END; --help is everybody's */
	const struct example *examples; /* ends in a row without line */
	size_t min, max;		/* how many arguments */
	/* Runs another program: options end at the first word, since what
	 * follows is that program's; signals stay as they came, for it inherits
	 * them; an error of ambit's own is EXIT_AMBIT. */
	bool wraps;
	/* It takes each option that decides, besides its own list. */
	bool predicts;
	/* A person runs it, or a shell: the terminal is where he is asked. */
	bool person;
	/* An exit code, or -errno with err filled. */
	int (*run)(const struct args *args, struct ambit_error *err);
};

/* The i-th command in the order of the help, or NULL. */
const struct command *command_at(size_t i);
const struct command *command_find(const char *name);
/* The command whose name is nearest, or NULL if none is near. */
const char *command_nearest(const char *name);

/* -- arguments ------------------------------------------------------------- */

struct given {
	enum opt opt;
	const char *value; /* "" for a flag */
};

struct around;

struct args {
	const struct command *command;
	struct given *given;
	size_t n_given;
	const char **words;
	size_t n;
	/* A session inside another: what is around it; or NULL. */
	const struct around *around;
};

/* argv are the arguments behind the command's name; borrowed. Fills args even
 * on failure. 0, or EXIT_USAGE with err. */
int args_parse(const struct command *command, char **argv, size_t argc, struct args *args,
	struct ambit_error *err);
void args_finish(struct args *args);

/* The last value given, "" for a flag, NULL if it was not. */
const char *args_get(const struct args *args, enum opt opt);

/* All that was given with --limit; 0 or EXIT_USAGE. */
struct ambit_limits;
int limits_parse(const struct args *args, struct ambit_limits *limits, struct ambit_error *err);

/* EXIT_USAGE, with words: `return usage(err, ...)`. */
int usage(struct ambit_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* True if the option belongs to the command. */
bool command_takes(const struct command *command, enum opt opt);

/* -- help ------------------------------------------------------------------ */

void help_all(void);
void help_command(const struct command *command);
void man_all(void);
void man_command(const struct command *command);

#endif
