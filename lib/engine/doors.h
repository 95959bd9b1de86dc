/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_DOORS_H
#define ENGINE_DOORS_H

#include <ambit/engine.h>

#include "decide/brief-shell.h"
#include "scope/profile.h"

/* The engine as ambit's own doors and tools use it: its session, the paths that are open,
 * repositories, profiles, and sub-agents. Paths are real: absolute, without symlinks. */

/* -- a session inside another ------------------------------------------------------ */

/* The session around one. Guards, settings of the folder and standing rules are
 * the outer folder's; of these rules, and of the person's grants, what the outer
 * session does not have open gives nothing. What was refused there, or for the
 * inner folder, is refused. */
struct ambit_engine_outer {
	struct ambit_scope *scope;   /* the outermost one */
	const char *const *sessions; /* those around, NULL at the end */
	const char *const *open;     /* real paths that are open to writes there; likewise */
	/* Those of them that stay open for as long as it lives: the others are open
	 * by answers, which can be taken back; and may be so again. */
	const char *const *kept;
	/* What can be a grant in here, by exactly this real path: what was granted there, and
	 * directories that are open with all in them, where no guard is. A grant is not asked
	 * about any more, so lying in something open is not enough. */
	const char *const *grants, *const *whole;
	/* Where reads are limited there: what can be opened to them in here; NULL: they are
	 * not. */
	const char *const *readable;
	const char *guards; /* of engine_guards there; or NULL */
};

/* -- the session ---------------------------------------------------------------- */

/* Stores the session now, so that others find it by name. Without this, its first event stores
 * it. */
int engine_store(struct ambit_engine *engine, struct ambit_error *err);

/* Reads modes, permissions and rules from the record again. Waiting requests are decided again;
 * those that must still be asked stay open. */
int engine_reload_record(struct ambit_engine *engine, struct ambit_error *err);

/* Records an event in the session's chain: kind "run" or "end"; body is a JSON object. */
int engine_record_note(struct ambit_engine *engine, const char *kind, const char *subject,
	const char *body, struct ambit_error *err);

/* From now on the setting notify_command, if there is one, is run for engine_notify, in this
 * environment (borrowed). failed (or NULL) is called once, in another thread, if that goes wrong.
 * -EPERM where somebody else can change the program. */
int engine_open_notify(struct ambit_engine *engine, char *const *envp,
	void (*failed)(void *data, const char *why), void *data, struct ambit_error *err);
/* The last ones are told, which takes two seconds at most, and no more are: nobody else uses the
 * engine by now. ambit_engine_destroy does it, too. */
void engine_close_notify(struct ambit_engine *engine);
/* A person has to answer this question: tells of it, and returns at once. From any thread. */
void engine_notify(struct ambit_engine *engine, const struct ambit_question *question);

/* A new session name: sortable by time, hard to guess. Caller frees; NULL without memory. */
char *session_make_name(void);

/* -- open paths -------------------------------------------------------------------- */

/* Calls each with the paths that the floor is made of: the folder (unless all writes are refused
 * or asked about), grants and remembered folders. spine: a directory above a guard, a protected
 * path or a remembered no, or one that may come to be: calls there are performed by name. The
 * clear directories in the spine are listed too. */
int engine_writable(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool spine), void *data);
/* Calls each with the paths that stay open to writes as long as this engine lives: the folder
 * (unless writes are refused) and grants, but not remembered folders. */
int engine_lasting(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);
/* Calls each with the grants beside the folder; one for names that begin so ends in '*'. */
int engine_grants(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool write), void *data);
/* The guards found so far, as text for ambit_engine_outer. Caller frees; NULL without memory. */
char *engine_guards(struct ambit_engine *engine);

/* -- repositories ------------------------------------------------------------------- */

/* Searches the folder (bounded) for repositories, so that the guards in them are known. Once,
 * before the first request; engine_writable does it too. */
int engine_search(struct ambit_engine *engine, struct ambit_error *err);
/* Before that: a directory of the folder where a repository was found earlier. It is searched
 * first, however large the folder is. */
int engine_add_repository(struct ambit_engine *engine, const char *repository);
/* The repositories that were found. Borrowed; may be NULL. */
char *const *engine_repositories(const struct ambit_engine *engine);

/* -- profiles ------------------------------------------------------------------------- */

/* The one question about a profile's folders and hosts. adds: what is added to the command line
 * and the environment, so that it is told; or NULL. 0: settings or memory have them open
 * already; 1: put *ret_question, and finish it; -EACCES: memory says no. An answer of at least
 * ONCE opens them: for this engine, for the session, or as standing rules. */
int engine_profile_question(struct ambit_engine *engine, const char *name, const char *const *adds,
	struct ambit_question *ret_question, struct ambit_error *err);
/* Its places that are open here, those of names with a '*'. */
int engine_profile_state(struct ambit_engine *engine, const struct profile *profile,
	char ***ret_state, struct ambit_error *err);
/* The profile that would open this real path: own (may be NULL), or one that somebody said no to.
 * makes_dir: a directory above a place is one of its paths, too. NULL: none. */
const struct profile *engine_profile_closed(
	struct ambit_engine *engine, const char *real, bool makes_dir, const struct profile *own);
/* Records what was added. */
int engine_profile_adds(struct ambit_engine *engine, const char *name, const char *const *adds,
	struct ambit_error *err);
int engine_profile_answer(struct ambit_engine *engine, const char *name,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);

/* If the folder is a worktree of a repository elsewhere, and that repository confirms it: the
 * parts of the repository that a commit writes, as a profile "worktree" for the two functions
 * above. Else NULL. Borrowed. */
const struct profile *engine_worktree_profile(struct ambit_engine *engine);

/* -- scopes of single requests ---------------------------------------------------------- */

struct request_scope;

/* The scope that a request says, inside this engine's; *ret_child NULL: it says nothing of where
 * it is. -EPERM: its root is not inside; -ESTALE: it was settled, and is another directory by
 * now. */
int engine_child_scope(struct ambit_engine *engine, const struct request_scope *said,
	struct ambit_scope **ret_child, struct ambit_error *err);
/* The code of a request whose scope could not be had. */
enum ambit_code engine_scope_code(int r);

/* -- models and sub-agents --------------------------------------------------------------- */

/* The text that tells a model its scope. Caller frees; NULL without memory. */
char *engine_brief_for(const struct ambit_engine *engine, enum brief_shell shell);
/* The same for a sub-agent in a folder inside that scope, the engine's or a child of it. asks:
 * writes outside that folder are questions, not refusals. Caller frees. -EPERM: the folder is not
 * inside. */
int engine_brief_child(const struct ambit_engine *engine, const struct ambit_scope *scope,
	const char *folder, bool asks, char **ret_text, struct ambit_error *err);

/* One refused act of a session, and how often. Strings are borrowed. */
struct engine_refusal {
	const char *what;    /* "write", "connect", "bash" ...: the access, or the tool */
	const char *subject; /* the path as shown, or the host or command; escaped */
	const char *code;
	const char *reason;
	uint64_t count;
};
/* Calls each with the refusals of that session and of those inside it since then, from the record,
 * oldest first, until it returns non-zero. The last may have only a count: the rest, not listed
 * one by one. */
int engine_refusals(struct ambit_engine *engine, const char *session, int64_t since,
	int (*each)(void *data, const struct engine_refusal *refusal), void *data,
	struct ambit_error *err);

#endif
