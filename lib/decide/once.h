/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_ONCE_H
#define DECIDE_ONCE_H

#include "decide/decide.h"

/* What "once" allows a process that the kernel line holds, beyond the call that was shown. When
 * that call is done, and for two seconds, the same process may, as long as it runs the same
 * program:
 *   - do the same to the object that was shown. If a call was about two objects (a move, a link),
 *     its parts are no leave for anything: it is done, and that was it;
 *   - make new files in their directory, or anything new in a directory that was shown as new,
 *     and do what it likes to those;
 *   - rename one of those over the file that was shown, or, if nothing that was shown existed
 *     yet, over one file of that directory that is not guarded.
 * A guarded name is covered only if it was shown itself. Symlinks, set-id bits and other names
 * of old files never are. The engine keeps these in memory; they are no rules. */

#define ONCE_MS 2000

/* One object that was shown. */
struct once_shown {
	enum ambit_access access;
	char *real;
	bool exists; /* then: which one it was */
	bool file;   /* a regular file or a symlink, or nothing yet */
	dev_t dev;
	ino_t ino;
};

struct once {
	uint64_t id; /* never 0, once the engine keeps it */
	/* The id of the first of those that followed each other without a gap: files that the
	 * process made are its own until the last of these ends. */
	uint64_t chain;
	pid_t pid;
	uint64_t start;
	uint64_t image; /* see request_set_image */
	dev_t exe_dev;
	ino_t exe_ino;
	/* On the steady clock, in milliseconds. Before it has begun: until when it can begin. */
	int64_t until;
	bool begun; /* else the call that was shown is not done yet, and nothing is covered */
	struct once_shown *shown;
	size_t n_shown;
	char *dir;     /* new files may be made there; or NULL */
	char *call;    /* the key of the call, if that was in question; or NULL */
	bool made_up;  /* only a name that the program made up was shown: it may replace one file */
	bool replaced; /* the one replacement is used */
	bool pair;     /* a call about two objects was shown */
};

/* From an outcome that is ask, as it was shown. It is empty (once_is_empty) for a request that
 * has no process, or none whose program is known. -ENOMEM. */
int once_init(
	const struct decide_input *in, const struct ambit_outcome *outcome, struct once *ret_once);
void once_finish(struct once *once);
bool once_is_empty(const struct once *once);

/* The object that the kernel line resolved for the n-th path of the outcome, or NULL. */
const struct path_facts *once_object(
	const struct ambit_request *request, const struct ambit_outcome *outcome, size_t n);

/* Which of in->once covers the n-th path of the outcome, which is in question; or NULL.
 * *ret_replaces: its one replacement would be used for that. */
const struct once *once_find_path(const struct decide_input *in,
	const struct ambit_outcome *outcome, size_t n, bool *ret_replaces);
/* Which of them covers the call with this key; or NULL. */
const struct once *once_find_call(const struct decide_input *in, const char *key);

#endif
