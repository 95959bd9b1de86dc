/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_CALL_FILE_H
#define LINE_GATE_CALL_FILE_H

#include "line/gate/call.h"
#include "perform/permit.h"

/* What the ops on files share. */

/* The i-th argument as the kernel takes it; 0 if there is none. */
static inline int
call_int(const struct call *call, int arg)
{
	return arg >= 0 ? (int)call->args[arg] : 0;
}

/* Like call_resolve for a name to be made, moved or removed: a symlink is meant
 * itself, also with a '/' behind it, which is taken off the copy and told. */
int call_name(struct call *call, unsigned n, int dirfd_arg, int path_arg, bool *ret_slash);

/* The last component of a path: "." and ".." and "/" are no names. */
enum last {
	LAST_NAME = 0,
	LAST_DOT,
	LAST_DOTDOT,
	LAST_ROOT,
};

enum last call_last(const struct call *call, unsigned n);
/* Whether it is too long for any file system. */
bool call_last_is_long(const struct call *call, unsigned n);

/* Natural errors where the kernel will not give them itself: what the floor
 * covers is not looked at. 0 or -errno. Modes as of access(2). */
int call_may(const struct call *call, unsigned n, int mode);
int call_may_create(const struct call *call, unsigned n); /* in its parent */
int call_may_delete(const struct call *call, unsigned n); /* from its parent */
int call_may_own(const struct call *call, unsigned n);	  /* as owner only: EPERM */
/* -ENOTEMPTY if it is a directory that holds something. */
int call_is_empty(const struct call *call, unsigned n);

/* Nothing moves from one place to another. */
enum place {
	PLACE_OUTSIDE = 0,
	PLACE_COVERED, /* the folder and what was granted, the spine too */
	PLACE_GRANTED, /* in a folder that was granted since: the floor does not have it */
	PLACE_SCRATCH, /* in a scratch directory, or in a directory made there */
};

enum place call_place(const struct call *call, unsigned n);

/* Whether a directory of this name may have rights of its own: no guard is or
 * may come to be in it. */
bool call_opens(const struct call *call, unsigned n);

/* Whether its name lies in a git directory where the floor lets no symlink be made. */
bool call_lies_in_git(const struct call *call, unsigned n);

/* Whether its parent is, or is about to become, what git calls a git directory. */
bool call_in_git_dir(const struct call *call, unsigned n);

/* A symlink with this text (NULL: the text of the symlink fd) gets the name of
 * object n: the engine decides where it leads as well. -ENOMEM. */
int call_leads(struct call *call, unsigned n, const char *text, int fd);

/* Whether the object is still there, or still nothing is: 0 or -ESTALE. What is
 * looked at is the name in the parent. */
int call_unchanged(const struct call *call, unsigned n);

/* Whether the parent has an ACL for what is made in it. */
bool call_hands_down(const struct call *call, unsigned n);

/* A mode for something new beneath the object's parent, less the umask of the
 * target, unless an ACL of the parent's says it all. */
int call_mode(struct call *call, unsigned n, mode_t mode, mode_t *ret_mode);

/* Makes object 0 (see hand_make). In scratch it is this session's own from then on. */
int call_make(struct call *call, struct pass *pass, mode_t mode, const char *text);
/* The object n was made just now, and is this descriptor's. */
void call_made_fd(struct call *call, unsigned n, int fd);
/* One name of object n is gone. */
void call_dropped(struct call *call, unsigned n);

#endif
