/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_ENGINE_H
#define AMBIT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/approve.h>
#include <ambit/error.h>
#include <ambit/judge.h>
#include <ambit/outcome.h>
#include <ambit/policy.h>
#include <ambit/record.h>
#include <ambit/request.h>
#include <ambit/scope.h>
#include <ambit/settings.h>

/* The arrow: request -> decide -> approve -> record(intent) -> act with a
 * permit -> record(result). One engine is one session. Not for use from two
 * threads. */

struct ambit_engine;
struct ambit_permit;
struct ambit_profile;

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
	const char *guards; /* of ambit_engine_guards there; or NULL */
};

struct ambit_engine_options {
	/* All borrowed, for as long as the engine lives. */
	const struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;	 /* NULL: no memory, nothing is recorded or permitted */
	bool observe;			 /* memory is read, but nothing is recorded or permitted */
	struct ambit_approver *approver; /* NULL: nobody to ask */
	struct ambit_judge *judge;	 /* asked before the approver; NULL: none */
	const struct ambit_policy *policy; /* NULL: none but the settings' */
	const char *session;		   /* NULL: a new name is made */
	const char *door;		   /* "decide", "why", "tiny" ...: recorded */
	const char *agent;		   /* whose session it is, of a sub-agent; NULL: none */
	/* Questions are not counted against the rate: no person sees them. An
	 * approver that is instant says so itself. */
	bool unlimited;
	/* A session inside another one, which it can only narrow; or NULL. */
	const struct ambit_engine_outer *outer;
};

int ambit_engine_create(const struct ambit_engine_options *options,
	struct ambit_engine **ret_engine, struct ambit_error *err);
void ambit_engine_destroy(struct ambit_engine *engine);

/* Others can find its session by name from here on: one without a name is stored with its
 * first event, if nobody asks for it before. */
int ambit_engine_store(struct ambit_engine *engine, struct ambit_error *err);

/* What the record holds by now is in force when it returns: modes, permissions, rules.
 * Requests that wait are decided again; what is still to be asked stays so. */
int ambit_engine_reload(struct ambit_engine *engine, struct ambit_error *err);
/* Whether questions are counted against the rate, from here on. */
void ambit_engine_limit(struct ambit_engine *engine, bool limited);

/* Borrowed. */
const char *ambit_engine_session(const struct ambit_engine *engine);
/* Who is asked; NULL: nobody. Borrowed. */
struct ambit_approver *ambit_engine_approver(const struct ambit_engine *engine);
/* Who is asked before; NULL: none. Borrowed; he may be asked from any thread. */
struct ambit_judge *ambit_engine_judge(const struct ambit_engine *engine);

/* Decides, never asks. Recorded if there is a record; if it cannot be, the
 * outcome is a deny with code Internal, and err says why. ret_outcome is always filled: its
 * own finish must be called. */
int ambit_engine_decide(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_error *err);

/* Decides, asks if need be, records. ret_permit is set only if the outcome
 * is allow; the act must be followed by ambit_permit_finish. */
int ambit_engine_request(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err);

/* -- the same, without waiting for the person ----------------------------- */

/* Like ambit_engine_request, but an ask becomes a pending question: returns 0
 * with the outcome settled, or 1 with *ret_ticket. Takes the request. */
int ambit_engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);
/* The question to show now, or NULL. Checked against memory first; the same
 * one until it is answered, withdrawn or expired. Borrowed. */
const struct ambit_question *ambit_engine_question(struct ambit_engine *engine);
/* -ENOENT: no such question any more; -EINVAL: not one of its choices; -EPERM: a judge's
 * answer to what is a person's alone. Of a judge (answer->judge) approver is "judge",
 * whatever is said here, and the yes is for the very paths in question. */
int ambit_engine_answer(struct ambit_engine *engine, uint64_t question,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);
/* A judge passed this question on: it is for others now. For a reason (ambit_judge_ask), an
 * event "judge". */
void ambit_engine_passed(struct ambit_engine *engine, const struct ambit_question *question,
	const struct ambit_error *why);
/* The question could not be put, or was not answered: error (an errno) and the
 * words say why. All who wait for it are refused, with code Timeout for
 * ETIMEDOUT. -ENOENT: nobody waits for it any more. */
int ambit_engine_decline(
	struct ambit_engine *engine, uint64_t question, int error, const char *why);
/* The question of this ticket, whoever's turn it is: the one that is shown, until
 * another is. A copy; its finish is the caller's. 0: there is nothing to ask any
 * more (collect). */
int ambit_engine_question_of(struct ambit_engine *engine, uint64_t ticket,
	struct ambit_question *ret_question, struct ambit_error *err);
/* Those that are put now, oldest first; each returns non-zero to stop, which is
 * returned. Nothing is put by it. */
int ambit_engine_questions(struct ambit_engine *engine,
	int (*each)(void *data, const struct ambit_question *question), void *data);
/* The one who asked is gone. */
void ambit_engine_withdraw(struct ambit_engine *engine, uint64_t ticket);
/* 0: settled, outcome and permit filled, the ticket is gone; -EAGAIN: still open. */
int ambit_engine_collect(struct ambit_engine *engine, uint64_t ticket,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err);

/* -- permits --------------------------------------------------------------- */

/* Opens the object that was decided on: the n-th path of the outcome, beneath
 * its resolved parent, last component never followed. -ESTALE if something
 * else lies there now. Writing needs a write access in the request. */
int ambit_permit_open(struct ambit_permit *permit, size_t n, int flags, mode_t mode, int *ret_fd,
	struct ambit_error *err);

/* A path, as the request's arguments have it, held open to act on. */
struct ambit_place {
	int parent;	/* O_PATH of the directory it lies in */
	char name[256]; /* its name in there; never followed */
	char *real;	/* absolute */
	char *shown;	/* as messages show it */
	bool exists;	/* the rest only if it does */
	mode_t mode;
	dev_t dev;
	ino_t ino;
};
void ambit_place_finish(struct ambit_place *place);

/* Where path leads now, if that is among what was decided for this access.
 * follow: a symlink at its end is what it leads to. make: directories on the way
 * that are not there are made, where the access is one that writes. -ESTALE: it
 * leads elsewhere by now, or to another thing; -EKEYREJECTED: the permit is not for
 * that; -ENOENT: a directory on the way is not there. Needs no lock: what it looks with
 * is the permit's own. */
int ambit_permit_place(struct ambit_permit *permit, const char *path, enum ambit_access access,
	bool follow, bool make, struct ambit_place *ret_place, struct ambit_error *err);

/* Records the result (0 or -errno) and ends the permit. Accepts NULL. After a failure
 * the directories that its places made go again, those that are still empty. */
int ambit_permit_finish(struct ambit_permit *permit, int result, struct ambit_error *err);

/* -- for the kernel line ---------------------------------------------------- */

/* The right to one act, from a glance or a permit; memory that is zeroed is
 * none. */
struct leftovers;
struct ambit_pass {
	const struct ambit_engine *engine;
	/* The list in which staged files are noted, in case of a kill; the engine's; or NULL. */
	struct leftovers *leftovers;
};
/* Uses it up: 0, or -EPERM if there was none. Whoever acts calls it first. */
int ambit_pass_use(struct ambit_pass *pass);
/* The pass of a permit, once for every path and host in it; as often as it takes,
 * once a place was taken: one file that is replaced is several acts, and what bounds
 * them is the place. */
void ambit_permit_pass(struct ambit_permit *permit, struct ambit_pass *ret_pass);

/* Whether all of it (nothing: yes) is plainly allowed: inside, granted, remembered, scratch
 * of the session's own. Asks nobody, records nothing, resolves nothing, costs
 * about a microsecond (a directory that is renamed is looked through). A session's
 * first write is never told at a glance: a request records it. AMBIT_ALLOW
 * with a pass; AMBIT_ASK: find out with a request. What another process
 * changed in the record is noticed within 20 ms. */
enum ambit_verdict ambit_engine_glance(struct ambit_engine *engine,
	const struct ambit_object *objects, size_t n, struct ambit_pass *ret_pass);
/* Whether this session can come to make something at a real path where nothing is without
 * a question: by its place, a grant or an answer, whatever mode it is in now. Scratch is
 * not looked at. true where it cannot be told. */
bool ambit_engine_may_make(struct ambit_engine *engine, const char *real);
enum ambit_verdict ambit_engine_glance_host(
	struct ambit_engine *engine, const char *host, struct ambit_pass *ret_pass);
/* The same for its address alone: see ambit_request_set_lookup. */
enum ambit_verdict ambit_engine_glance_lookup(
	struct ambit_engine *engine, const char *name, struct ambit_pass *ret_pass);
/* Whether a host ("address:port") that an allowed name led to is refused for itself:
 * a no of the settings, of memory or of the policy. Asks nobody, records nothing. */
bool ambit_engine_refuses_host(struct ambit_engine *engine, const char *host);

/* Whether it matters what a host is called: some are asked about, or denied. */
bool ambit_engine_names(const struct ambit_engine *engine);
/* Whether a host is allowed by anything but an answer to come: a list, a profile, a rule. */
bool ambit_engine_allows_any_host(const struct ambit_engine *engine);
/* It is not done after all, for a reason that no layer knows: recorded as a no. The
 * outcome's own finish must be called. */
void ambit_engine_refuse(struct ambit_engine *engine, const struct ambit_request *request,
	const char *why, struct ambit_outcome *ret_outcome);

/* The list of what ambit makes for this session, in the state directory; it says there where
 * the session may write. Leftovers of dead sessions are collected; pools of live ones are
 * protected from here on. To be called before ambit_engine_writable. The caller's, for
 * leftovers_destroy; NULL if there is no state directory. */
int ambit_engine_leftovers(
	struct ambit_engine *engine, struct leftovers **ret_list, struct ambit_error *err);

/* What the floor is made of: real paths. The folder (unless writes are refused
 * or asked about whatever they touch), grants, remembered folders. What lies
 * above a guard, a protected path or a remembered no, or may come to, is spine:
 * there calls are performed by name, and the directories in it that are clear
 * are told as well. */
int ambit_engine_writable(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool spine), void *data);
/* After that: whether less is allowed by now than what was told, so that a floor made
 * of it gives too much. Looks at the record now and then, as a glance does. */
bool ambit_engine_narrowed(struct ambit_engine *engine);
/* And whether a directory at this real path could be told as clear, and may have every
 * right there is: not in a git directory. */
bool ambit_engine_opens(struct ambit_engine *engine, const char *dir);
/* Whether a write at this real path is guarded for git's sake, by a row of the table, and for
 * nothing else: then its text can be judged in place of a question. */
bool ambit_engine_git_guards(struct ambit_engine *engine, const char *path);
/* Whether the directory at this real path is a git directory or lies in one: there the
 * floor grants neither symlinks nor moves between directories. */
bool ambit_engine_in_git(const struct ambit_engine *engine, const char *dir);
/* Whether the tree behind dir (O_PATH) may come to stand at this real path, or (landed) stay
 * there, without a question: 0; -ESTALE: something in it is guarded there; -EXDEV: it is too
 * large to tell. */
int ambit_engine_may_stand(struct ambit_engine *engine, int dir, const char *real, bool landed);
/* A directory in ambit's state, where no session can write: for things that landed where they
 * must not stay. Borrowed; -1: there is none. */
int ambit_engine_attic(struct ambit_engine *engine);
/* Something landed at real that must not stay there, and lies as name in the attic, or beside
 * it (name NULL: it could not be taken away). Records it; the words for a person, or NULL.
 * Caller frees. */
char *ambit_engine_evicted(
	struct ambit_engine *engine, const char *real, bool in_attic, const char *name);
/* The permit covers something guarded. */
bool ambit_permit_is_guarded(const struct ambit_permit *permit);
/* Guards that lie deeper than that and came or changed since (milliseconds since
 * the epoch), without a yes that is remembered: real paths. 1: not everything
 * could be looked at; not seen: a directory that could not, of which there may be
 * more than are told. */
int ambit_engine_planted(struct ambit_engine *engine, int64_t since,
	int (*each)(void *data, const char *path, bool seen), void *data);
/* Looks through the folder (bounded) for repositories beneath its top, so that what is
 * guarded in them is known. Once, before the first request; what is above does it
 * itself. */
int ambit_engine_search(struct ambit_engine *engine, struct ambit_error *err);
/* Before that: a directory in the folder where one was found before. It is looked at first,
 * however much has come into the folder since. */
int ambit_engine_know(struct ambit_engine *engine, const char *repository);
/* What it found. Borrowed; may be NULL. */
char *const *ambit_engine_repositories(const struct ambit_engine *engine);
/* Whether the folder has more in it than was looked through for repositories. */
bool ambit_engine_search_cut(const struct ambit_engine *engine);
/* Where reads are limited: what may be read. 1: reads are not limited. */
int ambit_engine_readable(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);
/* Guarded reads that exist, and ambit's own places. */
int ambit_engine_hidden(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);
/* Whether one of n objects, found in a tree that may be read, is not to be read by
 * itself: guarded by its name or as another's hard link, ambit's own, or past where
 * reads end. ret_hides has n; all of it is true if it cannot be told. */
void ambit_engine_hides(
	struct ambit_engine *engine, const struct ambit_object *objects, size_t n, bool *ret_hides);

/* What is open to writes for as long as this engine lives: real paths. The folder
 * (unless writes are refused) and grants, but not what is remembered. */
int ambit_engine_kept(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);
/* What was granted beside the folder: real paths. */
int ambit_engine_grants(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool write), void *data);
/* The guards that were found until now, as text for ambit_engine_outer. Caller frees;
 * NULL without memory. */
char *ambit_engine_guards(struct ambit_engine *engine);

/* Opens one more directory to writes, for as long as this engine lives: one that was made
 * for it, whatever a session around it has open. real: its real path. -ELOOP: it leads
 * elsewhere. */
int ambit_engine_grant(struct ambit_engine *engine, const char *real, struct ambit_error *err);

/* An event of the session's chain: kind "run" or "end"; body a JSON object. */
int ambit_engine_note(struct ambit_engine *engine, const char *kind, const char *subject,
	const char *body, struct ambit_error *err);

/* Events that are counted, not written one by one, are written as counts when that is
 * due. In how many ms to call it again; -1: nothing is counted. An event that is made
 * later does it, too; this is for a session in which nothing happens any more. */
int ambit_engine_care(struct ambit_engine *engine);

/* The one question about a profile's folders and hosts. 0: open already, by
 * settings or memory; 1: *ret_question is to be put (its finish is the
 * caller's); -EACCES: remembered as no. An answer of at least ONCE opens them:
 * for this engine, for the session, or as standing rules, as it says. */
int ambit_engine_profile(struct ambit_engine *engine, const char *name,
	struct ambit_question *ret_question, struct ambit_error *err);
int ambit_engine_profile_answer(struct ambit_engine *engine, const char *name,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err);

/* If the folder is a worktree of a repository elsewhere, and that repository says
 * so: the parts of it that a commit writes, as a profile named "worktree" for the
 * two functions above. NULL: it is not. Borrowed. */
const struct ambit_profile *ambit_engine_worktree(struct ambit_engine *engine);

/* A repository's config, about to be replaced (git writes config.lock and
 * renames it): whether only plain keys change, from which nothing is run. lock
 * and old are open on the files (O_PATH will do); old -1: there is none. 0 and
 * what was read from lock (caller frees): put a fresh copy of exactly that in
 * place, for the file may still change. -EPERM, with words: it is to be asked. */
int ambit_engine_config_read(struct ambit_engine *engine, int lock, int old, char **ret_text,
	size_t *ret_len, struct ambit_error *err);
/* The same for whoever does not need the text. */
bool ambit_engine_config_plain(struct ambit_engine *engine, int lock_fd, int old_fd);

/* The same for each of git's own files that can be judged by its text and the
 * real path it is to have: config, config.worktree, .gitmodules, a .git that is a
 * file, gitdir and commondir of a worktree. -EAGAIN: not plain, but it may become
 * so when what it names is there. */
int ambit_engine_git_read(struct ambit_engine *engine, const char *path, int fd, int old,
	char **ret_text, size_t *ret_len, struct ambit_error *err);
/* Whether git writes the file at this real path in one go, and not by a lock that
 * is renamed: only when it is closed can it be told whether it is plain. */
bool ambit_engine_git_writes(struct ambit_engine *engine, const char *path);
/* Whether the file at this real path (fd: open on it) is a .git that leads to a
 * worktree's or submodule's git directory in the folder: nothing is lost with it. */
bool ambit_engine_git_leads(struct ambit_engine *engine, const char *path, int fd);

/* Effective net mode: enum ambit_net. */
int ambit_engine_net(const struct ambit_engine *engine);

/* Borrowed. */
const struct ambit_scope *ambit_engine_scope(const struct ambit_engine *engine);

/* -- for people ------------------------------------------------------------ */

/* What holds for this session, and who says so: *ret_from (may be NULL) is
 * "session", "person", "folder" or "default"; static. key is agent_mode,
 * sandbox_mode, ask_mode or reads; the value is of its enum, -1 for no such key. */
int ambit_engine_mode(const struct ambit_engine *engine, const char *key, const char **ret_from);
enum ambit_permission ambit_engine_permission(
	const struct ambit_engine *engine, const char *tool, const char **ret_from);

/* What a model's shell commands run under. */
enum ambit_shell {
	AMBIT_SHELL_NONE = 0, /* there is no way to run any */
	AMBIT_SHELL_LOOSE,    /* nothing that ambit knows of holds them */
	AMBIT_SHELL_HELD,     /* the kernel line does */
};
/* The text that tells a model its scope. Caller frees; NULL without memory. */
char *ambit_engine_brief_for(const struct ambit_engine *engine, enum ambit_shell shell);
/* The same where it is not known who runs its commands, so that nothing holds them. */
char *ambit_engine_brief(const struct ambit_engine *engine);

/* -- sub-agents -------------------------------------------------------------- */

/* A name for a session that is to be: sortable by time, hard to guess. Caller frees;
 * NULL without memory. */
char *ambit_session_make_name(void);

/* The text that tells a sub-agent its scope, in a folder of this one's: asks, where what
 * is outside is a question there as well. Caller frees. -EPERM: the folder is not inside. */
int ambit_engine_brief_child(const struct ambit_engine *engine, const char *folder, bool asks,
	char **ret_text, struct ambit_error *err);

/* One thing that was refused in a session, however often. Strings are borrowed. */
struct ambit_refusal {
	const char *what;    /* "write", "connect", "bash" ...: the access, or the tool */
	const char *subject; /* the path as shown, or the host or command; escaped */
	const char *code;
	const char *reason;
	uint64_t count;
};
/* What was refused in that session and in those inside it since then, as the record has
 * it: oldest first. each returns non-zero to stop. The last may be without words: so many
 * more, that are not told one by one. */
int ambit_engine_refusals(struct ambit_engine *engine, const char *session, int64_t since,
	int (*each)(void *data, const struct ambit_refusal *refusal), void *data,
	struct ambit_error *err);

#endif
