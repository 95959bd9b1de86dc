/* SPDX-License-Identifier: Apache-2.0 */
/* What all notified calls share: which op a row belongs to, the one copy of
 * each path, and the list of what must be decided. The copies come from a
 * process that nobody trusts; they are taken once, and everything after speaks
 * of the copy. */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "line/gate/call.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct call_op *const ops[OP_N] = {
	[OP_OPEN] = &call_open,
	[OP_PEER] = &call_peer,
	[OP_MKDIR] = &call_mkdir,
	[OP_MKNOD] = &call_mknod,
	[OP_UNLINK] = &call_unlink,
	[OP_RENAME] = &call_rename,
	[OP_LINK] = &call_link,
	[OP_SYMLINK] = &call_symlink,
	[OP_TRUNCATE] = &call_truncate,
	[OP_CHMOD] = &call_chmod,
	[OP_CHOWN] = &call_chown,
	[OP_UTIME] = &call_utime,
	[OP_XATTR] = &call_xattr,
	[OP_SETATTR] = &call_setattr,
	[OP_CONNECT] = &call_connect,
	[OP_BIND] = &call_bind,
	[OP_LISTEN] = &call_listen,
	[OP_SEND] = &call_send,
	[OP_IPC_GET] = &call_ipc_get,
	[OP_IPC_USE] = &call_ipc_use,
	[OP_MQ] = &call_mq,
	[OP_PROCESS] = &call_process,
	[OP_RESTRICT] = &call_restrict,
	[OP_PRCTL] = &call_prctl,
	[OP_CLOSED] = &call_closed,
};

const struct call_op *
call_op_of(enum sys_op op)
{
	return (unsigned)op < OP_N ? ops[op] : NULL;
}

void
call_init(struct call *call)
{
	/* Not all of it: the objects are thousands of bytes, and this is once
	 * per call. */
	memset(call, 0, offsetof(struct call, object));
	for (size_t i = 0; i < N(call->object); i++)
		object_init(&call->object[i]);
	memset(&call->n_objects, 0, sizeof(*call) - offsetof(struct call, n_objects));
	for (size_t i = 0; i < N(call->base); i++)
		call->base[i] = AT_FDCWD;
	call->subject_fd = call->upstream_fd = call->cwd_fd = -1;
	call->answer.fd = -1;
	target_init(&call->target, 0);
}

static void
drop_found(struct call *call)
{
	for (size_t i = 0; i < N(call->object); i++)
		object_finish(&call->object[i]);
	fd_close_at(&call->subject_fd);
	fd_close_at(&call->upstream_fd);
	fd_close_at(&call->cwd_fd);
	call->subject_fd = call->upstream_fd = call->cwd_fd = -1;
}

void
call_finish(struct call *call)
{
	if (!call)
		return;
	drop_found(call);
	for (size_t i = 0; i < N(call->path); i++)
		free(call->path[i]);
	free(call->host);
	free(call->text);
	free(call->data);
	free(call->peer);
	free(call->send);
	fd_close_at(&call->answer.fd);
	target_finish(&call->target);
	call_init(call);
}

void
call_begin(struct call *call)
{
	drop_found(call);
	for (size_t i = 0; i < N(call->object); i++)
		object_init(&call->object[i]);
	call->n_objects = 0;
	call->n_needs = 0;
	call->routed = false;
	call->pass = (struct pass){ 0 };
	call->special = SPECIAL_NONE;
	call->may_continue = false;
	call->pace = PACE_QUICK;
}

int
call_copy(struct call *call, unsigned n, int path_arg)
{
	char text[PATH_MAX];
	ssize_t len;

	if (n >= N(call->path) || path_arg < 0 || path_arg >= (int)N(call->args))
		return -EINVAL;
	if (call->path[n])
		return 0;
	len = target_string(&call->target, call->args[path_arg], text, sizeof(text));
	if (len < 0)
		return (int)len;
	call->path[n] = strdup(text);
	return call->path[n] ? 0 : -ENOMEM;
}

static int
begin_resolve(
	struct call *call, unsigned n, int dirfd_arg, int path_arg, enum object_follow *follow)
{
	int r = call_copy(call, n, path_arg);
	size_t len;

	if (r < 0)
		return r;
	call->base[n] = dirfd_arg >= 0 ? (int)call->args[dirfd_arg] : AT_FDCWD;
	object_finish(&call->object[n]);
	object_init(&call->object[n]);
	if (!call->path[n][0])
		return -ENOENT;
	/* Behind a slash a link is followed, whatever the call says. */
	len = strlen(call->path[n]);
	if (len > 1 && call->path[n][len - 1] == '/')
		*follow = OBJECT_FOLLOW;
	return 0;
}

static int
end_resolve(struct call *call, unsigned n, int r)
{
	if (r == 0 && call->n_objects <= n)
		call->n_objects = n + 1;
	return r;
}

int
call_resolve(struct call *call, unsigned n, int dirfd_arg, int path_arg, enum object_follow follow)
{
	int r = begin_resolve(call, n, dirfd_arg, path_arg, &follow);

	if (r == 0)
		r = object_resolve(
			&call->object[n], &call->target, call->base[n], call->path[n], follow);
	return end_resolve(call, n, r);
}

int
call_resolve_itself(
	struct call *call, unsigned n, int dirfd_arg, int path_arg, enum object_follow follow)
{
	int r = begin_resolve(call, n, dirfd_arg, path_arg, &follow);

	if (r == 0)
		r = object_resolve_itself(
			&call->object[n], &call->target, call->base[n], call->path[n], follow);
	return end_resolve(call, n, r);
}

void
call_need(struct call *call, enum ambit_access access, unsigned object)
{
	/* No op needs more than there is room for; one that did must not be
	 * decided on less than all of it. */
	if (call->n_needs >= N(call->need))
		__builtin_trap();
	call->need[call->n_needs++] = (struct need){ .access = access, .object = object };
}

int
call_value(struct call *call, int64_t value)
{
	call->answer.kind = ANSWER_VALUE;
	call->answer.value = value;
	return CALL_ANSWERED;
}

int
call_continue(struct call *call)
{
	call->answer.kind = ANSWER_CONTINUE;
	return CALL_ANSWERED;
}
