/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_LINE_H
#define ENGINE_LINE_H

#include <ambit/engine.h>

#include "perform/permit.h"
#include "request/request-object.h"

/* The engine as the kernel line uses it: fast answers for calls that are plainly allowed, the
 * paths that the floor is made of, and git's own files. */

struct leftovers;

/* The pass of a permit, once for every path and host in it; as often as it takes,
 * once a place was taken: one file that is replaced is several acts, and what bounds
 * them is the place. */
void permit_pass(struct ambit_permit *permit, struct pass *ret_pass);

/* Whether all of it (nothing: yes) is plainly allowed: inside, granted, remembered, scratch
 * of the session's own. Asks nobody, records nothing, resolves nothing, costs
 * about a microsecond (a directory that is renamed is looked through). A session's
 * first write is never told at a glance: a request records it. AMBIT_ALLOW
 * with a pass; AMBIT_ASK: find out with a request. What another process
 * changed in the record is noticed within 20 ms. */
enum ambit_verdict engine_allows_fast(struct ambit_engine *engine,
	const struct ambit_object *objects, size_t n, struct pass *ret_pass);

/* Whether this session can come to make something at a real path where nothing is without
 * a question: by its place, a grant or an answer, whatever mode it is in now. Scratch is
 * not looked at. true where it cannot be told. */
bool engine_may_make(struct ambit_engine *engine, const char *real);
enum ambit_verdict engine_allows_host_fast(
	struct ambit_engine *engine, const char *host, struct pass *ret_pass);

/* The same for its address alone: see request_set_lookup. */
enum ambit_verdict engine_allows_lookup_fast(
	struct ambit_engine *engine, const char *name, struct pass *ret_pass);

/* Whether a host ("address:port") that an allowed name led to is refused for itself:
 * a no of the settings, of memory or of the policy. Asks nobody, records nothing. */
bool engine_refuses_host(struct ambit_engine *engine, const char *host);

/* Whether it matters what a host is called: some are asked about, or denied. */
bool engine_uses_names(const struct ambit_engine *engine);

/* Whether a host is allowed by anything but an answer to come: a list, a profile, a rule. */
bool engine_allows_any_host(const struct ambit_engine *engine);

/* It is not done after all, for a reason that no layer knows: recorded as a no. The
 * outcome's own finish must be called. */
void engine_record_refusal(struct ambit_engine *engine, const struct ambit_request *request,
	const char *why, struct ambit_outcome *ret_outcome);

/* The list of what ambit makes for this session, in the state directory; it says there where
 * the session may write. Leftovers of dead sessions are collected; pools of live ones are
 * protected from here on. To be called before engine_writable. The caller's, for
 * leftovers_destroy; NULL if there is no state directory. */
int engine_open_leftovers(
	struct ambit_engine *engine, struct leftovers **ret_list, struct ambit_error *err);

/* After that: whether less is allowed by now than what was told, so that a floor made
 * of it gives too much. Looks at the record now and then, as a glance does. */
bool engine_is_narrowed(struct ambit_engine *engine);

/* And whether a directory at this real path could be told as clear, and may have every
 * right there is: not in a git directory. */
bool engine_may_open_dir(struct ambit_engine *engine, const char *dir);

/* Whether a write at this real path is guarded for git's sake, by a row of the table, and for
 * nothing else: then its text can be judged in place of a question. */
bool engine_git_guards(struct ambit_engine *engine, const char *path);

/* Whether the directory at this real path is a git directory or lies in one: there the
 * floor grants neither symlinks nor moves between directories. */
bool engine_in_git(const struct ambit_engine *engine, const char *dir);

/* Whether the tree behind dir (O_PATH) may come to stand at this real path, or (landed) stay
 * there, without a question: 0; -ESTALE: something in it is guarded there; -EXDEV: it is too
 * large to tell. */
int engine_may_stand(struct ambit_engine *engine, int dir, const char *real, bool landed);

/* A directory in ambit's state, where no session can write: for things that landed where they
 * must not stay. Borrowed; -1: there is none. */
int engine_attic(struct ambit_engine *engine);

/* Something landed at real that must not stay there, and lies as name in the attic, or beside
 * it (name NULL: it could not be taken away). Records it; the words for a person, or NULL.
 * Caller frees. */
char *engine_record_evicted(
	struct ambit_engine *engine, const char *real, bool in_attic, const char *name);

/* The permit covers something guarded. */
bool permit_is_guarded(const struct ambit_permit *permit);

/* Guards that lie deeper than that and came or changed since (milliseconds since
 * the epoch), without a yes that is remembered: real paths. 1: not everything
 * could be looked at; not seen: a directory that could not, of which there may be
 * more than are told. */
int engine_planted(struct ambit_engine *engine, int64_t since,
	int (*each)(void *data, const char *path, bool seen), void *data);

/* Whether the folder has more in it than was looked through for repositories. */
bool engine_search_cut(const struct ambit_engine *engine);

/* Where reads are limited: what may be read. 1: reads are not limited. */
int engine_readable(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);

/* Guarded reads that exist, and ambit's own places. */
int engine_hidden(
	struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data);

/* Whether one of n objects, found in a tree that may be read, is not to be read by
 * itself: guarded by its name or as another's hard link, ambit's own, or past where
 * reads end. ret_hides has n; all of it is true if it cannot be told. */
void engine_hides(
	struct ambit_engine *engine, const struct ambit_object *objects, size_t n, bool *ret_hides);

/* Opens one more directory to writes, for as long as this engine lives: one that was made
 * for it, whatever a session around it has open. real: its real path. -ELOOP: it leads
 * elsewhere. */
int engine_grant(struct ambit_engine *engine, const char *real, struct ambit_error *err);

/* Events that are counted, not written one by one, are written as counts when that is
 * due. In how many ms to call it again; -1: nothing is counted. An event that is made
 * later does it, too; this is for a session in which nothing happens any more. */
int engine_care(struct ambit_engine *engine);

/* The same for each of git's own files that can be judged by its text and the
 * real path it is to have: config, config.worktree, .gitmodules, a .git that is a
 * file, gitdir and commondir of a worktree. -EAGAIN: not plain, but it may become
 * so when what it names is there. */
int engine_git_read(struct ambit_engine *engine, const char *path, int fd, int old, char **ret_text,
	size_t *ret_len, struct ambit_error *err);

/* Whether git writes the file at this real path in one go, and not by a lock that
 * is renamed: only when it is closed can it be told whether it is plain. */
bool engine_git_writes(struct ambit_engine *engine, const char *path);

/* Whether the file at this real path (fd: open on it) is a .git that leads to a
 * worktree's or submodule's git directory in the folder: nothing is lost with it. */
bool engine_git_leads(struct ambit_engine *engine, const char *path, int fd);

#endif
