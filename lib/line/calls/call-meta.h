/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_CALL_META_H
#define LINE_CALLS_CALL_META_H

#include "line/gate/call-file.h"

/* What the ops on an object's metadata share (call-meta.c, call-times.c,
 * call-xattr.c). The floor bounds none of them: all are done on behalf. */

/* Resolves what a call is about as object 0: a path, or with AT_EMPTY_PATH in
 * at_flags the descriptor itself. follow as the call has it without flags. 0 or
 * -errno. */
int meta_resolve(struct call *call, int at_flags, enum object_follow follow);

/* The same for a plain descriptor. One that is open for writing is kept as
 * call->subject_fd: acting on it gives nothing away. */
int meta_resolve_fd(struct call *call, int fd);

/* What to act on. */
int meta_fd(const struct call *call);
/* Its state. */
const struct stat *meta_stat(const struct call *call);

/* Only who owns it may, and nobody is asked about what cannot be: -EPERM. */
int meta_may_own(const struct call *call);

/* Ends a prepare: needs, or none for what is the target's alone. */
int meta_decide(struct call *call);

/* len bytes of the target at address, copied once: kept as call->data. */
int meta_copy(struct call *call, uint64_t address, size_t len);
/* The same for a struct that may grow, at least least and at most known bytes
 * long for us: what is beyond must be zero. */
int meta_copy_struct(
	struct call *call, uint64_t address, uint64_t size, size_t least, size_t known);

/* Ends a perform. */
int meta_done(struct call *call, int r);

#endif
