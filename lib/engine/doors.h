/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_DOORS_H
#define ENGINE_DOORS_H

#include <ambit/engine.h>

#include "decide/brief-shell.h"
#include "scope/profile.h"

/* The engine as ambit's own doors and tools use it: what is open, profiles, repositories, and
 * the words for sub-agents. */

/* Others can find its session by name from here on: one without a name is stored with its
 * first event, if nobody asks for it before. */
int engine_store(struct ambit_engine *engine, struct ambit_error *err);

/* What the record holds by now is in force when it returns: modes, permissions, rules.
 * Requests that wait are decided again; what is still to be asked stays so. */
int engine_reload_record(struct ambit_engine *engine, struct ambit_error *err);

/* What the floor is made of: real paths. The folder (unless writes are refused
 * or asked about whatever they touch), grants, remembered folders. What lies
 * above a guard, a protected path or a remembered no, or may come to, is spine:
 * there calls are performed by name, and the directories in it that are clear
 * are told as well. */
int engine_writable(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool spine), void *data);

/* Looks through the folder (bounded) for repositories beneath its top, so that what is
 * guarded in them is known. Once, before the first request; what is above does it
 * itself. */
int engine_search(struct ambit_engine *engine, struct ambit_error *err);

/* Before that: a directory in the folder where one was found before. It is looked at first,
 * however much has come into the folder since. */
int engine_add_repository(struct ambit_engine *engine, const char *repository);

/* What it found. Borrowed; may be NULL. */
char *const *engine_repositories(const struct ambit_engine *engine);

/* What is open to writes for as long as this engine lives: real paths. The folder
 * (unless writes are refused) and grants, but not what is remembered. */
int engine_lasting(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);

/* What was granted beside the folder: real paths. */
int engine_grants(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool write), void *data);

/* The guards that were found until now, as text for ambit_engine_outer. Caller frees;
 * NULL without memory. */
char *engine_guards(struct ambit_engine *engine);

/* An event of the session's chain: kind "run" or "end"; body a JSON object. */
int engine_record_note(struct ambit_engine *engine, const char *kind, const char *subject,
	const char *body, struct ambit_error *err);

/* The one question about a profile's folders and hosts. 0: open already, by
 * settings or memory; 1: *ret_question is to be put (its finish is the
 * caller's); -EACCES: remembered as no. An answer of at least ONCE opens them:
 * for this engine, for the session, or as standing rules, as it says. */
int engine_profile_question(struct ambit_engine *engine, const char *name,
	struct ambit_question *ret_question, struct ambit_error *err);
int engine_profile_answer(struct ambit_engine *engine, const char *name,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);

/* If the folder is a worktree of a repository elsewhere, and that repository says
 * so: the parts of it that a commit writes, as a profile named "worktree" for the
 * two functions above. NULL: it is not. Borrowed. */
const struct profile *engine_worktree_profile(struct ambit_engine *engine);

/* The text that tells a model its scope. Caller frees; NULL without memory. */
char *engine_brief_for(const struct ambit_engine *engine, enum brief_shell shell);

/* A name for a session that is to be: sortable by time, hard to guess. Caller frees;
 * NULL without memory. */
char *session_make_name(void);

/* The text that tells a sub-agent its scope, in a folder of this one's: asks, where what
 * is outside is a question there as well. Caller frees. -EPERM: the folder is not inside. */
int engine_brief_child(const struct ambit_engine *engine, const char *folder, bool asks,
	char **ret_text, struct ambit_error *err);

/* One thing that was refused in a session, however often. Strings are borrowed. */
struct engine_refusal {
	const char *what;    /* "write", "connect", "bash" ...: the access, or the tool */
	const char *subject; /* the path as shown, or the host or command; escaped */
	const char *code;
	const char *reason;
	uint64_t count;
};

/* What was refused in that session and in those inside it since then, as the record has
 * it: oldest first. each returns non-zero to stop. The last may be without words: so many
 * more, that are not told one by one. */
int engine_refusals(struct ambit_engine *engine, const char *session, int64_t since,
	int (*each)(void *data, const struct engine_refusal *refusal), void *data,
	struct ambit_error *err);

#endif
