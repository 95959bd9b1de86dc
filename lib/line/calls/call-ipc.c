/* SPDX-License-Identifier: Apache-2.0 */
/* SysV and POSIX IPC, which all of a user's processes share by number or name:
 * only what this session made is its own. The get calls are done here, so that
 * the ids are known; the rest is by an id in a register, which nobody can change
 * after the look, and CONTINUEs. What is left at the end is swept (made.h). */

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
#include "base/str.h"
#include "line/gate/call.h"
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

static const struct {
	const char *name;
	char kind; /* as in made.h */
	int flags; /* which argument has IPC_CREAT, or the command; -1: none */
} calls[] = {
	{ "shmget", 'm', 2 },
	{ "semget", 's', 2 },
	{ "msgget", 'q', 1 },
	{ "shmat", 'm', -1 },
	{ "shmctl", 'm', 1 },
	{ "semop", 's', -1 },
	{ "semtimedop", 's', -1 },
	{ "semctl", 's', 2 },
	{ "msgsnd", 'q', -1 },
	{ "msgrcv", 'q', -1 },
	{ "msgctl", 'q', 1 },
};

static int
find_ipc_call(const struct call *call)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (streq(calls[i].name, call->row->name))
			return (int)i;
	return -EPERM;
}

/* -- get --------------------------------------------------------------------------------- */

static int
get_prepare(struct call *call)
{
	int i = find_ipc_call(call);

	call_begin(call);
	call->on_behalf = true;
	return i < 0 ? i : CALL_DECIDE;
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
	r = made_add_ipc(gate_made(call->gate), kind, (uint64_t)id);
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

	if (id >= 0 && !made_has_ipc(gate_made(call->gate), kind, (uint64_t)id))
		return -EACCES;
	return id;
}

static int
get_perform(struct call *call, struct pass *pass)
{
	int i = find_ipc_call(call), id = pass_use(pass), flags;
	char kind;

	if (i < 0 || id < 0)
		return -EPERM;
	kind = calls[i].kind;
	flags = (int)call->args[calls[i].flags];
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
	struct made *made = gate_made(call->gate);
	uint64_t id = (uint64_t)(int)call->args[0];
	int i = find_ipc_call(call), command;

	if (i < 0)
		return i;
	command = calls[i].flags >= 0 ? (int)call->args[calls[i].flags] : -1;
	/* IPC_64 says which layout the answer has. */
	if (command >= 0 && only_tells(calls[i].kind, command & ~0x100))
		return call_continue(call);
	if (!made_has_ipc(made, calls[i].kind, id))
		return find_refusal_error(calls[i].kind, (int)id);
	/* A segment lives on, under this id, until the last one detaches. */
	if (command >= 0 && (command & ~0x100) == IPC_RMID && calls[i].kind != 'm')
		made_drop_ipc(made, calls[i].kind, id);
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
	char name[NAME_MAX + 1];
	struct mq_attr attr;
	ssize_t n;
	int r;

	call_begin(call);
	call->on_behalf = true;
	if (call->path[0])
		return CALL_DECIDE;
	n = target_string(&call->target, call->args[0], name, sizeof(name));
	if (n < 0)
		return (int)n;
	call->path[0] = strdup(name);
	if (!call->path[0])
		return -ENOMEM;
	if (streq(call->row->name, "mq_unlink"))
		return CALL_DECIDE;
	call->flags = (int)call->args[1];
	r = target_umask(&call->target, &call->mode);
	if (r < 0)
		return r;
	call->mode = (mode_t)call->args[2] & ~call->mode & 07777;
	if (!(call->flags & O_CREAT) || call->args[3] == 0)
		return CALL_DECIDE;
	r = target_read(&call->target, call->args[3], &attr, sizeof(attr));
	if (r < 0)
		return r;
	call->data = malloc(sizeof(attr));
	if (!call->data)
		return -ENOMEM;
	memcpy(call->data, &attr, sizeof(attr));
	call->len = sizeof(attr);
	return CALL_DECIDE;
}

static int
open_queue(const struct call *call, int flags)
{
	int fd = (int)syscall(SYS_mq_open, call->path[0], flags, call->mode, call->data);

	return fd < 0 ? -errno : fd;
}

static int
open_new(struct call *call)
{
	int fd = open_queue(call, call->flags | O_CREAT | O_EXCL);

	if (fd >= 0 && made_add_queue(gate_made(call->gate), call->path[0], fd) < 0) {
		syscall(SYS_mq_unlink, call->path[0]);
		close(fd);
		return -ENOSPC;
	}
	return fd;
}

static int
open_old(struct call *call)
{
	int fd = open_queue(call, call->flags & ~(O_CREAT | O_EXCL));

	if (fd >= 0 && !made_has_queue(gate_made(call->gate), call->path[0], fd)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

static int
unlink_queue(struct call *call)
{
	struct made *made = gate_made(call->gate);
	auto_close int fd = made_open_queue(call->path[0]);

	if (fd < 0)
		return fd;
	if (!made_has_queue(made, call->path[0], fd))
		return -EACCES;
	if (syscall(SYS_mq_unlink, call->path[0]) < 0)
		return -errno;
	made_drop_queue(made, call->path[0], fd);
	call_value(call, 0);
	return 0;
}

static int
mq_perform(struct call *call, struct pass *pass)
{
	int fd = pass_use(pass);

	if (fd < 0)
		return fd;
	if (streq(call->row->name, "mq_unlink"))
		return unlink_queue(call);
	if (call->flags & O_CREAT) {
		fd = -EEXIST;
		for (int n = 0; n < TRIES; n++) {
			fd = open_new(call);
			if (fd != -EEXIST || (call->flags & O_EXCL))
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
