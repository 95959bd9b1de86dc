/* SPDX-License-Identifier: Apache-2.0 */
/* SysV and POSIX IPC, which all of a user's processes share by number or name:
 * only what this session made is its own. The get calls are done here, so that
 * the ids are known; the rest is by an id in a register, which nobody can change
 * after the look, and CONTINUEs. What is left at the end is swept (session-objects.h). */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"
#include "perform/permit.h"

#define TRIES 8 /* while others make and remove the same key */

#ifndef SHM_STAT_ANY
#define SHM_STAT_ANY 15
#endif
#ifndef SEM_STAT_ANY
#define SEM_STAT_ANY 20
#endif
#ifndef MSG_STAT_ANY
#define MSG_STAT_ANY 13
#endif

/* The letter that session-objects.h has for it; '\0': the row is of no such kind. */
static char
find_ipc_kind(const struct call *call)
{
	switch (call->row->form) {
	case FORM_IPC_SHM:
		return 'm';
	case FORM_IPC_SEM:
		return 's';
	case FORM_IPC_MSG:
		return 'q';
	default:
		return '\0';
	}
}

/* -- get --------------------------------------------------------------------------------- */

static int
get_prepare(struct call *call)
{
	call_begin(call);
	return find_ipc_kind(call) && call->row->flags >= 0 ? CALL_DECIDE : -EPERM;
}

/* As the kernel has it: the creator is the supervisor, of the same user. */
static int
get_ipc_id(const struct call *call, char kind, int flags)
{
	key_t key = (key_t)call->args[0];
	int id;

	if (kind == 'm')
		id = shmget(key, (size_t)call->args[1], flags);
	else if (kind == 's')
		id = semget(key, (int)call->args[1], flags);
	else
		id = msgget(key, flags);
	return id < 0 ? -errno : id;
}

static void
remove_new(char kind, int id)
{
	if (kind == 'm')
		shmctl(id, IPC_RMID, NULL);
	else if (kind == 's')
		semctl(id, 0, IPC_RMID);
	else
		msgctl(id, IPC_RMID, NULL);
}

static int
get_new(struct call *call, char kind, int flags)
{
	int id = get_ipc_id(call, kind, flags), r;

	if (id < 0)
		return id;
	r = session_objects_add_ipc(call->gate->made, kind, (uint64_t)id);
	if (r < 0) {
		remove_new(kind, id);
		return -ENOSPC;
	}
	return id;
}

/* Finding changes nothing; what was found is ours, or was not found. */
static int
get_old(struct call *call, char kind, int flags)
{
	int id = get_ipc_id(call, kind, flags & ~(IPC_CREAT | IPC_EXCL));

	if (id >= 0 && !session_objects_has_ipc(call->gate->made, kind, (uint64_t)id))
		return -EACCES;
	return id;
}

static int
get_perform(struct call *call, struct pass *pass)
{
	int id = pass_use(pass), flags = (int)call->args[(int)call->row->flags];
	char kind = find_ipc_kind(call);

	if (id < 0)
		return -EPERM;
	if ((key_t)call->args[0] == IPC_PRIVATE) {
		id = get_new(call, kind, flags);
	} else if (!(flags & IPC_CREAT)) {
		id = get_old(call, kind, flags);
	} else {
		id = -EEXIST;
		for (int n = 0; n < TRIES; n++) {
			id = get_new(call, kind, flags | IPC_EXCL);
			if (id != -EEXIST || (flags & IPC_EXCL))
				break;
			id = get_old(call, kind, flags);
			if (id != -ENOENT)
				break;
		}
	}
	if (id < 0)
		return id;
	call_value(call, id);
	return 0;
}

const struct call_op call_ipc_get = {
	.prepare = get_prepare,
	.perform = get_perform,
};

/* -- by id ------------------------------------------------------------------------------- */

/* Commands that only tell what ipcs(1) shows to everybody. */
static bool
only_tells(char kind, int command)
{
	switch (command) {
	case IPC_INFO:
	case IPC_STAT:
		return true;
	default:
		break;
	}
	if (kind == 'm')
		return command == SHM_INFO || command == SHM_STAT || command == SHM_STAT_ANY;
	if (kind == 's')
		return command == SEM_INFO || command == SEM_STAT || command == SEM_STAT_ANY;
	return command == MSG_INFO || command == MSG_STAT || command == MSG_STAT_ANY;
}

/* What is not there gets its natural error; that much IPC_STAT tells anybody. */
static int
find_refusal_error(char kind, int id)
{
	struct shmid_ds shm;
	struct semid_ds sem;
	struct msqid_ds msg;
	int r;

	if (kind == 'm')
		r = shmctl(id, IPC_STAT, &shm);
	else if (kind == 's')
		r = semctl(id, 0, IPC_STAT, &sem);
	else
		r = msgctl(id, IPC_STAT, &msg);
	return r < 0 && (errno == EINVAL || errno == EIDRM) ? -errno : -EACCES;
}

static int
use_prepare(struct call *call)
{
	struct session_objects *made = call->gate->made;
	uint64_t id = (uint64_t)(int)call->args[0];
	int command = call->row->flags >= 0 ? (int)call->args[(int)call->row->flags] : -1;
	char kind = find_ipc_kind(call);

	if (!kind)
		return -EPERM;
	/* IPC_64 says which layout the answer has. */
	if (command >= 0 && only_tells(kind, command & ~0x100))
		return call_continue(call);
	if (!session_objects_has_ipc(made, kind, id))
		return find_refusal_error(kind, (int)id);
	/* A segment lives on, under this id, until the last one detaches. */
	if (command >= 0 && (command & ~0x100) == IPC_RMID && kind != 'm')
		session_objects_drop_ipc(made, kind, id);
	return call_continue(call);
}

static int
use_perform(struct call *call, struct pass *pass)
{
	(void)call;
	(void)pass;
	return -EPERM;
}

const struct call_op call_ipc_use = {
	.prepare = use_prepare,
	.perform = use_perform,
};

/* -- POSIX queues ---------------------------------------------------------------------------- */

static int
mq_prepare(struct call *call)
{
	struct mq_call *mq = &call->mq;
	char name[NAME_MAX + 1];
	mode_t mask;
	ssize_t n;
	int r;

	call_begin(call);
	if (call->row->form != FORM_MQ_OPEN && call->row->form != FORM_MQ_UNLINK)
		return -EPERM;
	if (call->path[0])
		return CALL_DECIDE;
	n = target_string(&call->target, call->args[0], name, sizeof(name));
	if (n < 0)
		return (int)n;
	call->path[0] = strdup(name);
	if (!call->path[0])
		return -ENOMEM;
	if (call->row->form == FORM_MQ_UNLINK)
		return CALL_DECIDE;
	r = target_umask(&call->target, &mask);
	if (r < 0)
		return r;
	mq->flags = (int)call->args[1];
	mq->mode = (mode_t)call->args[2] & ~mask & 07777;
	if (!(mq->flags & O_CREAT) || call->args[3] == 0)
		return CALL_DECIDE;
	r = target_read(&call->target, call->args[3], &mq->attr, sizeof(mq->attr));
	if (r < 0)
		return r;
	mq->has_attr = true;
	return CALL_DECIDE;
}

static int
open_queue(const struct call *call, int flags)
{
	int fd = (int)syscall(SYS_mq_open, call->path[0], flags, call->mq.mode,
		call->mq.has_attr ? &call->mq.attr : NULL);

	return fd < 0 ? -errno : fd;
}

static int
open_new(struct call *call)
{
	int fd = open_queue(call, call->mq.flags | O_CREAT | O_EXCL);

	if (fd >= 0 && session_objects_add_queue(call->gate->made, call->path[0], fd) < 0) {
		syscall(SYS_mq_unlink, call->path[0]);
		close(fd);
		return -ENOSPC;
	}
	return fd;
}

static int
open_old(struct call *call)
{
	int fd = open_queue(call, call->mq.flags & ~(O_CREAT | O_EXCL));

	if (fd >= 0 && !session_objects_has_queue(call->gate->made, call->path[0], fd)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

static int
unlink_queue(struct call *call)
{
	struct session_objects *made = call->gate->made;
	auto_close int fd = session_objects_open_queue(call->path[0]);

	if (fd < 0)
		return fd;
	if (!session_objects_has_queue(made, call->path[0], fd))
		return -EACCES;
	if (syscall(SYS_mq_unlink, call->path[0]) < 0)
		return -errno;
	session_objects_drop_queue(made, call->path[0], fd);
	call_value(call, 0);
	return 0;
}

static int
mq_perform(struct call *call, struct pass *pass)
{
	int fd = pass_use(pass);

	if (fd < 0)
		return fd;
	if (call->row->form == FORM_MQ_UNLINK)
		return unlink_queue(call);
	if (call->mq.flags & O_CREAT) {
		fd = -EEXIST;
		for (int n = 0; n < TRIES; n++) {
			fd = open_new(call);
			if (fd != -EEXIST || (call->mq.flags & O_EXCL))
				break;
			fd = open_old(call);
			if (fd != -ENOENT)
				break;
		}
	} else {
		fd = open_old(call);
	}
	if (fd < 0)
		return fd;
	/* The kernel makes them close-on-exec, always. */
	call->answer = (struct answer){ .kind = ANSWER_FD, .fd = fd, .cloexec = true };
	return 0;
}

const struct call_op call_mq = {
	.prepare = mq_prepare,
	.perform = mq_perform,
};
