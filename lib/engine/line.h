/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_LINE_H
#define ENGINE_LINE_H

#include <ambit/engine.h>

#include "perform/permit.h"
#include "request/request-object.h"

/* The engine as the kernel line uses it: fast answers for calls that are plainly allowed, the
 * paths that the floor is made of, and git's own files. Paths are real: absolute, without
 * symlinks. */

struct destination;
struct leftovers;
struct route;

/* -- permits ----------------------------------------------------------------- */

/* Gives one pass for each path and host of the permit. After ambit_permit_place it gives any
 * number: replacing one file takes several acts, and the place bounds them. */
void permit_pass(struct ambit_permit *permit, struct pass *ret_pass);

/* True if one of the permit's paths is guarded. */
bool permit_is_guarded(const struct ambit_permit *permit);

/* True if it comes of an answer "once": what is made with it counts as made (path_facts.made)
 * for the process that makes it. */
bool permit_is_once(const struct ambit_permit *permit);
/* The row of answers "once" that it comes of: see engine_once_chain. 0: a rule for a file. */
uint64_t permit_once_chain(const struct ambit_permit *permit);
/* Which row of answers "once" a process has that is in force now; 0: none. A file
 * that it made under one row is not its own under the next. */
uint64_t engine_once_chain(const struct ambit_engine *engine, pid_t pid, uint64_t start);
/* The call that was answered is about to be done: if the answer was "once", its two seconds begin.
 * They begin anew when the call is done, and end at once if it fails. An answer whose call does
 * not come within two seconds allows nothing more. */
void engine_once_begin(struct ambit_permit *permit);

/* -- fast answers ------------------------------------------------------------- */

/* AMBIT_ALLOW, with a pass, if all objects are plainly allowed: inside the folder, granted,
 * remembered, or the session's own scratch. No objects: allowed. AMBIT_ASK: make a request to
 * find out. Asks nobody, records nothing, resolves nothing, and takes about a microsecond (longer
 * for a directory that is renamed, which it reads). A session's first write always needs a
 * request, which records it. Sees changes by other processes within 20 ms. */
enum ambit_verdict engine_allows_fast(struct ambit_engine *engine, const struct path_facts *objects,
	size_t n, struct pass *ret_pass);
/* The same for a connection to a host. */
enum ambit_verdict engine_allows_host_fast(
	struct ambit_engine *engine, const char *host, struct pass *ret_pass);
/* The same for looking up a host's address: see request_set_lookup. */
enum ambit_verdict engine_allows_lookup_fast(
	struct ambit_engine *engine, const char *name, struct pass *ret_pass);

/* Whether this session could make a new file at this path without a question, by its place, a
 * grant or an answer, in whatever mode it is now. Ignores scratch. True if unsure. */
bool engine_may_make(struct ambit_engine *engine, const char *real);

/* Whether the directory that this path lies in is open to every process now: it is in the folder,
 * in a granted folder, or in one that an answer opened. Guards are asked about there. False if
 * unsure. */
bool engine_opens_beside(struct ambit_engine *engine, const char *real);

/* The route of a socket: destination_decide (decide/destination.h), whose result it returns. A
 * route that is allowed comes with a pass. Asks nobody, records nothing. */
int engine_route(struct ambit_engine *engine, const struct destination *to, struct route *ret_route,
	struct pass *ret_pass);

/* Whether settings, memory or policy refuse this host ("address:port") although an allowed name
 * led to it. Asks nobody, records nothing. */
bool engine_refuses_host(struct ambit_engine *engine, const char *host);
/* Whether decisions depend on host names: some hosts are asked about, or denied. */
bool engine_uses_names(const struct ambit_engine *engine);
/* When this run began, in milliseconds since the epoch. */
int64_t engine_began(const struct ambit_engine *engine);

/* Records that an allowed request was not carried out, for a reason that no layer knows. The
 * caller finishes the outcome. */
void engine_record_refusal(struct ambit_engine *engine, const struct ambit_request *request,
	const char *why, struct ambit_outcome *ret_outcome);

/* -- the floor ------------------------------------------------------------------ */

/* Opens the list of files that ambit makes for this session, in the state directory, and notes
 * there where the session may write. Collects the leftovers of dead sessions, and protects the
 * pools of live ones. Call it before engine_writable. The caller ends it with leftovers_destroy;
 * NULL if there is no state directory. */
int engine_open_leftovers(
	struct ambit_engine *engine, struct leftovers **ret_list, struct ambit_error *err);

/* Whether less is allowed now than engine_writable listed, so that a floor made of that list
 * gives too much. Reads the record at most every 20 ms. */
bool engine_is_narrowed(struct ambit_engine *engine);

/* Whether a new directory at this path may carry every right: no guard can lie beneath, and it is
 * not in a git directory. */
bool engine_may_open_dir(struct ambit_engine *engine, const char *dir);

/* Opens one more directory to writes, for as long as this engine lives: one that was made for
 * it, whatever an outer session has open. -ELOOP: the path leads elsewhere. */
int engine_grant(struct ambit_engine *engine, const char *real, struct ambit_error *err);

/* This engine is a run's, whose floor holds reads; guarded: those of guarded files, too. Without
 * that, the kernel line sees a guarded read only where a file is opened for writing as well, and
 * where the writing is allowed, the reading is not asked about. for_call: a tool's call starts it.
 * -EPERM, with words: a setting or a rule about reads cannot be held so, and nothing may run. */
int engine_hold_reads(
	struct ambit_engine *engine, bool guarded, bool for_call, struct ambit_error *err);
/* Whether a remembered no closes reads at all; and whether a new name would open what one closes:
 * the rule stands on names. */
bool engine_closes_reads(const struct ambit_engine *engine);
bool engine_opens_reads(const struct ambit_engine *engine, const char *from, const char *to);
/* Calls each with every path that may be read, if reads are limited. 1: they are not; then with
 * those that may be read although they lie in what the person closed. */
int engine_readable(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);
/* Calls each with every path that the person closed; guarded: and with every guarded read that
 * exists, and with ambit's own places. */
int engine_hidden(struct ambit_engine *engine, bool guarded,
	int (*each)(void *data, const char *path), void *data);
/* For objects found in a tree that may be read: sets ret_hides[i] if the i-th may not be read
 * itself. It is guarded by its name, a hard link to a guarded file, ambit's own, or beyond the
 * limit of reads. All are set if the engine cannot tell. */
void engine_hides(
	struct ambit_engine *engine, const struct path_facts *objects, size_t n, bool *ret_hides);

/* -- git ------------------------------------------------------------------------- */

/* Whether a write at this path is guarded only because git would run or obey it, and the place is
 * open, by the folder, a grant or an answer for its directory: then its text can be judged in
 * place of a question. */
bool engine_git_guards(struct ambit_engine *engine, const char *path);

/* Whether this directory is a git directory or lies in one: there the floor grants neither
 * symlinks nor moves between directories. */
bool engine_in_git(const struct ambit_engine *engine, const char *dir);

/* Reads a file of git's own that is about to be put in place, and judges it by its text and its
 * future path: config, config.worktree, .gitmodules, a .git file, gitdir and commondir of a
 * worktree. fd and old are open on the new and the present file (O_PATH will do; old -1: there is
 * none). 0, with the text (caller frees): only plain keys change, from which nothing is run; put
 * a fresh copy of exactly that text in place, since the file may still change. -EPERM, with
 * words: ask. -EAGAIN: not plain yet; it may become so when the file that it names exists. */
int engine_git_read(struct ambit_engine *engine, const char *path, int fd, int old, char **ret_text,
	size_t *ret_len, struct ambit_error *err);

/* Whether git writes this file in place, not by renaming a lock file, and the place is open: only
 * after close can it be judged. */
bool engine_git_writes(struct ambit_engine *engine, const char *path);

/* Whether this file (fd: open on it) is a .git file that leads to a worktree's or submodule's git
 * directory in the folder or in one that was granted: removing it loses nothing. */
bool engine_git_leads(struct ambit_engine *engine, const char *path, int fd);

/* -- moves --------------------------------------------------------------------------- */

/* Whether the tree behind dir (O_PATH) may be moved to this path, or (landed) stay there, without
 * a question. 0: yes; -ESTALE: it holds a file that is guarded there; -EXDEV: it is too large to
 * look through. */
int engine_may_stand(struct ambit_engine *engine, int dir, const char *real, bool landed);

/* A directory in ambit's state, where no session can write, for trees that landed where they must
 * not stay. Borrowed; -1: there is none. */
int engine_attic(struct ambit_engine *engine);

/* Records that a tree landed at real, must not stay there, and is now called name in the attic or
 * beside it (NULL: it could not be moved). Returns the words for a person, or NULL; the caller
 * frees them. */
char *engine_record_evicted(
	struct ambit_engine *engine, const char *real, bool in_attic, const char *name);

/* -- afterwards -------------------------------------------------------------------------- */

/* Calls each with every guarded file below the floor's knowledge that was made or changed since
 * (milliseconds since the epoch) without a remembered yes. seen false: a directory that could not
 * be read; there may be more than are listed. 1: some of the folder was not looked through. */
int engine_planted(struct ambit_engine *engine, int64_t since,
	int (*each)(void *data, const char *path, bool seen), void *data);

/* Whether engine_search did not look through all of the folder. */
bool engine_search_cut(const struct ambit_engine *engine);

/* Writes events that are only counted as counts, when that is due. Returns in how many
 * milliseconds to call it again; -1: nothing is counted. The next event does it too: this is for
 * a session in which nothing more happens. */
int engine_care(struct ambit_engine *engine);

#endif
