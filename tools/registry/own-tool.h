/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_OWN_TOOL_H
#define TOOLS_REGISTRY_OWN_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/registry.h>

#include "base/buf.h"
#include "base/json.h"
#include "perform/hand.h"
#include "perform/permit.h"

struct tool_run;

/* ambit's own tools: one row, one file each, ending in its `const struct
 * own_tool`. A tool gets arguments that fit its schema, and a permit for all the
 * paths in them; it acts on places (ambit_permit_place) with perform/file.h, and
 * says what came of it. */

struct own_tool {
	const char *name; /* as in the table of tool-table.c, which has the rest */
	const char *title;
	const char *text;   /* for models: what it does, limits, what a refusal means */
	const char *input;  /* JSON schema */
	const char *output; /* JSON schema of the structured result */
	bool slow;
	bool whole;	/* where it fails with -ESTALE, it has changed nothing */
	bool untrusted; /* its output comes from the network */
	/* Whether a member of the structured result holds nobody else's words, where the
	 * output is not trusted: all others are labelled. NULL: none does. */
	bool (*is_own)(const char *key, const char *value);
	int (*run)(struct tool_run *run, struct ambit_error *err);
};

extern const struct own_tool tool_read, tool_write, tool_edit, tool_multi_edit, tool_apply_patch,
	tool_delete, tool_move, tool_copy, tool_ls, tool_glob, tool_grep, tool_extract, tool_bash,
	tool_bash_output, tool_bash_stop, tool_webfetch, tool_run_agent;

/* One call that was allowed and runs now. */
struct tool_run {
	struct ambit_registry *registry;
	const struct own_tool *tool;
	const json_t *args;	   /* an object that fits the schema */
	const char *cwd;	   /* or NULL */
	struct ambit_scope *scope; /* of this call alone; NULL: the engine's. See run_scope */
	struct ambit_permit *permit;
	struct ambit_executor *executor; /* or NULL */
	struct seen *seen;
	int cancel; /* or -1 */
	const struct ambit_call_options *options;

	/* What it says. */
	struct buf text;
	json_t *structured; /* an object, or NULL */
	bool untrusted;
	size_t own; /* bytes at the end of the text that are ambit's words, and no mark is around */
	char *source;	      /* of what is not trusted; owned; NULL: the tool and its subject */
	enum ambit_code code; /* of a failure; 0: by errno. With it a run of 0 has failed, too,
			       * and has said all of it itself */
	bool refused, asked;  /* a decision ended it; and whether somebody was asked */
	bool outdated;	      /* what the model knows of it is not how it is */
	char *hint;	      /* what to do instead; owned */
	char *path;	      /* as shown: the last place that was taken; owned */
};

/* -- arguments --------------------------------------------------------------------- */

/* NULL if it was not given. */
const char *run_string(const struct tool_run *run, const char *name);
long long run_int(const struct tool_run *run, const char *name, long long otherwise);
bool run_bool(const struct tool_run *run, const char *name, bool otherwise);

/* -- the result ---------------------------------------------------------------------- */

/* A failure the model can do something about: -code with words, and a hint. */
int run_fail(struct tool_run *run, struct ambit_error *err, int code, const char *hint,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Whether the call was cancelled: to be looked at in loops. */
bool run_cancelled(const struct tool_run *run);
/* Appends to the text as UTF-8, other bytes replaced. */
void run_say(struct tool_run *run, const char *data, size_t len);

#define RESULT_MAX 60000 /* bytes of text in one result; what is past it is cut, and said */
/* Cuts text to max at a line, and says how much is missing and how to see it. */
void run_cap(struct tool_run *run, size_t max, const char *how_to_see_more);

/* The rules of moves: see perform/hand.h. */
struct hand_law run_law(struct tool_run *run);
/* The place of an argument: ambit_permit_place with the call's cwd. */
int run_place(struct tool_run *run, const char *argument, enum ambit_access access, bool follow,
	bool make, struct ambit_place *ret_place, struct ambit_error *err);
/* The same for a path that is not an argument by itself (in a patch). */
int run_place_of(struct tool_run *run, const char *path, enum ambit_access access, bool follow,
	bool make, struct ambit_place *ret_place, struct ambit_error *err);
/* One act's worth of the permit; as many as it takes, once a place was taken. */
struct pass run_pass(struct tool_run *run);

/* -- what the session knows: each takes the registry's lock for itself ------------------ */

/* The engine, with the lock, for questions that none of the following puts: nobody else
 * gets on meanwhile, so nothing is waited for until run_unlock. */
struct ambit_engine *run_lock(struct tool_run *run);
void run_unlock(struct tool_run *run);
/* The scope that the call is bound to; with the lock. */
const struct ambit_scope *run_scope(const struct tool_run *run);

/* The name look-ups that all calls of a registry share (fetch-address.c). A look-up cannot be
 * ended: it may outlive the registry, and frees the shared part then. */
struct lookups;
struct lookups *lookups_create(void);
void lookups_destroy(struct lookups *lookups);
struct lookups *run_lookups(const struct tool_run *run);
/* The commands that all calls of a registry have left in the background (background.c). */
struct backgrounds;
struct backgrounds *backgrounds_create(void);
/* Ends the commands of this origin, and waits for them; no call of it runs any more. */
void backgrounds_end(struct backgrounds *backgrounds, uint64_t origin);
/* Ends all. Accepts NULL. */
void backgrounds_destroy(struct backgrounds *backgrounds);
struct backgrounds *run_backgrounds(const struct tool_run *run);
/* Where commands run: the call's cwd, or the folder; absolute. Caller frees. */
int run_directory(struct tool_run *run, char **ret_path, struct ambit_error *err);
/* Decides about one more host ("name:port"), and asks if need be: 0, or -EACCES with
 * words and run's code and hint set. -ECANCELED. */
int run_decide_host(struct tool_run *run, const char *host_port, struct ambit_error *err);
/* A question of another engine's on its way. */
struct registry_crossing {
	pthread_mutex_t lock; /* PTHREAD_MUTEX_INITIALIZER */
	uint64_t question, ticket, withdrawn;
};

/* Puts a question of another engine's (a command's crossing) to the one who answers
 * this call's own questions; as ambit_approver.ask. Several may, one after the other. */
int run_ask(struct tool_run *run, struct registry_crossing *crossing,
	const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err);
/* From another thread: the question with this id has ended, so that run_ask returns -ECANCELED;
 * also if it is about to begin. */
void run_withdraw(struct tool_run *run, struct registry_crossing *crossing, uint64_t question,
	const char *how);
/* What of the folder is open to writes, NULL at the end; *ret_only stays NULL where all
 * of it is. -ENOMEM. */
int run_narrowing(struct tool_run *run, char ***ret_only);
/* Whether there is somebody to ask. */
bool run_has_person(const struct tool_run *run);
/* Says how far it is, to whoever made the call. total 0: not known. */
void run_progress(struct tool_run *run, double done, double total, const char *message);
/* The same for what comes by often, in several threads: one of them says it, now and
 * then. next is theirs alone, and 0 at first. Of files, so many of total: 0, not known. */
void run_beat(struct tool_run *run, _Atomic int64_t *next, size_t done, size_t total);

/* -- child-run.c: `ambit run` for something narrower ---------------------------------- */

struct ambit_agent_child;

/* Options for `run` that give a command the same reads and hosts as its caller; with grants, also
 * the same writes. session NULL: the door's own. The list is to be
 * freed in any case. */
int run_child_options(struct tool_run *run, const char *folder, const char *session, bool grants,
	char ***ret_options, struct ambit_error *err);
/* The descriptor that tells it what is around it. */
int run_make_within(struct tool_run *run, const struct ambit_agent_child *child, int *ret_fd,
	struct ambit_error *err);

/* -- what was read ------------------------------------------------------------------ */

/* Files as this session's model has seen them last, by real path. Thread-safe. */
struct seen;
struct stat;

struct seen *seen_create(void);
void seen_destroy(struct seen *seen);
void seen_note(struct seen *seen, const char *real, const struct stat *st);
void seen_forget(struct seen *seen, const char *real);
/* Held from before a file is changed until that is noted, so that nobody here takes the
 * one for somebody else's doing. Several files: their turns or'ed together. */
uint64_t seen_turn(const char *real);
void seen_hold(struct seen *seen, uint64_t turns);
void seen_release(struct seen *seen, uint64_t turns);
/* -ESTALE, with words and run's hint: it was read, and has changed since. */
int seen_check(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err);

#endif
