/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FILTER_SYSCALL_H
#define LINE_FILTER_SYSCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The table of system calls: one row each, with what is done about it and
 * why. The filter is made from it, the gate acts by it, and a test walks the
 * kernel's own list against it. A call without a row is refused (ENOSYS). */

enum sys_do {
	SYS_REFUSE = 0, /* .error in the filter itself */
	SYS_FREE,	/* never seen: .text says why it cannot cross the line */
	SYS_NOTIFY,	/* the gate decides */
	SYS_TEST,	/* .test of its arguments says which */
};

/* What a notified call is to the gate. One file call-*.c per group. */
enum sys_op {
	OP_NONE = 0,
	OP_OPEN, /* open openat creat */
	OP_PEER, /* ioctl(TIOCGPTPEER): opens the slave of a pseudo-terminal */
	OP_MKDIR,
	OP_MKNOD,
	OP_UNLINK, /* unlink unlinkat rmdir */
	OP_RENAME,
	OP_LINK,
	OP_SYMLINK,
	OP_TRUNCATE, /* by path; ftruncate needs a writable descriptor: free */
	OP_CHMOD,
	OP_CHOWN,
	OP_UTIME,
	OP_XATTR,   /* set and remove, all forms */
	OP_SETATTR, /* file_setattr */
	OP_CONNECT,
	OP_BIND,
	OP_LISTEN,
	OP_SEND,     /* sendto with an address, sendmsg, sendmmsg */
	OP_IPC_GET,  /* shmget semget msgget */
	OP_IPC_USE,  /* by id: shmat shmctl semop semctl msgsnd ... */
	OP_MQ,	     /* mq_open mq_unlink */
	OP_PROCESS,  /* calls about a pid: own tree or not */
	OP_RESTRICT, /* landlock_restrict_self */
	OP_PRCTL,    /* PR_SET_CHILD_SUBREAPER, PR_GET_NO_NEW_PRIVS */
	OP_CLOSED,   /* always refused, with words */
	OP_N,
};

/* The form of a call, where its op has several and the places of the arguments do
 * not tell them apart. test-syscall checks that each row has a form of its op. */
enum sys_form {
	FORM_ANY = 0,	 /* the op treats all its calls alike */
	FORM_OPEN_FLAGS, /* flags in a register */
	FORM_OPEN_CREAT, /* no flags: always O_CREAT | O_WRONLY | O_TRUNC */
	FORM_UNLINK_FILE,
	FORM_UNLINK_DIR,
	FORM_UNLINK_FLAGS, /* AT_REMOVEDIR says which of the two */
	FORM_CHOWN_FOLLOW,
	FORM_CHOWN_LINK,    /* the symlink itself */
	FORM_UTIME_SECONDS, /* struct utimbuf */
	FORM_UTIME_TIMEVAL,
	FORM_UTIME_TIMESPEC,
	FORM_XATTR_SET,
	FORM_XATTR_SET_LINK, /* the symlink itself */
	FORM_XATTR_SET_AT,   /* the value lies in a struct */
	FORM_XATTR_REMOVE,
	FORM_XATTR_REMOVE_LINK,
	FORM_XATTR_REMOVE_AT,
	FORM_SEND_TO,
	FORM_SEND_MSG,
	FORM_SEND_MMSG,
	FORM_IPC_SHM, /* .flags: the argument with IPC_CREAT, or the command; -1: none */
	FORM_IPC_SEM,
	FORM_IPC_MSG,
	FORM_MQ_OPEN,
	FORM_MQ_UNLINK,
	FORM_PROCESS_PID,	    /* args[0] is a process */
	FORM_PROCESS_GROUP,	    /* args[0] is a process, args[1] its group to be */
	FORM_PROCESS_PRIORITY,	    /* which, who: PRIO_* */
	FORM_PROCESS_IOPRIO,	    /* which, who: IOPRIO_WHO_* */
	FORM_PROCESS_KILL,	    /* process or group, signal */
	FORM_PROCESS_SIGNAL,	    /* process, signal */
	FORM_PROCESS_SIGNAL_THREAD, /* process, thread, signal */
	FORM_PROCESS_SIGNAL_PIDFD,  /* pidfd, signal */
	FORM_PROCESS_RELEASE,	    /* pidfd */
	FORM_CLOSED_NAMESPACES,
	FORM_CLOSED_PACKETS, /* raw ones, and ping's */
};

/* No pointers: a table with some has to be relocated at every start. */
struct sys_row {
	char name[24];
	int x86_64; /* numbers; -1: not there */
	int aarch64;
	enum sys_do what;
	int test;  /* SYS_TEST: enum sys_test of syscall-table.c's own */
	int error; /* SYS_REFUSE, and what a test refuses with */
	enum sys_op op;
	enum sys_form form;
	/* Where arguments lie; -1: none. Which one is a descriptor, and so on,
	 * is up to the op; these are what several ops share. */
	signed char dirfd, path, dirfd2, path2, flags;
	signed char floor; /* the ABI from which Landlock bounds it; 0: it never does */
	/* Programs expect EINTR from this call, some as a time-out (alarm and connect). From the
	 * other calls that can be held, no program expects it. */
	bool interruptible;
	char text[98]; /* the reason, for a person */
};

/* By the number of the architecture this was built for; NULL: no row. */
const struct sys_row *sys_find(int nr);
/* The i-th row, or NULL: tests walk the table, the line never does. */
const struct sys_row *sys_at(size_t i);

/* -- the filter -------------------------------------------------------------- */

struct sock_filter;

#define FILTER_ABI_NO_SIGNALS 5 /* the last one without scoped signals */

struct filter_options {
	int abi;     /* of the floor: below 6, signals are notified */
	bool notify; /* false: what would be notified is refused (tests) */
};

/* The program: -ENOMEM, or 0 and an allocated array. Cheap: no library, a
 * few microseconds. */
int filter_create(
	const struct filter_options *options, struct sock_filter **ret_program, size_t *ret_n);

#endif
