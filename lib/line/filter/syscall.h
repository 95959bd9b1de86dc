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
	OP_OPEN, /* open openat openat2 creat */
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
	OP_SEND,      /* sendto with an address, sendmsg, sendmmsg */
	OP_IPC_GET,   /* shmget semget msgget */
	OP_IPC_USE,   /* by id: shmat shmctl semop semctl msgsnd ... */
	OP_MQ,	      /* mq_open mq_unlink */
	OP_PROCESS,   /* calls about a pid: own tree or not */
	OP_RESTRICT,  /* landlock_restrict_self */
	OP_SUBREAPER, /* prctl(PR_SET_CHILD_SUBREAPER) */
	OP_N,
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
	/* Where arguments lie; -1: none. Which one is a descriptor, and so on,
	 * is up to the op; these are what several ops share. */
	signed char dirfd, path, dirfd2, path2, flags;
	signed char floor; /* the ABI from which Landlock bounds it; 0: it never does */
	char text[98];	   /* the reason, for a person */
};

/* By the number of the architecture this was built for; NULL: no row. */
const struct sys_row *sys_find(int nr);
/* The i-th row, or NULL. */
const struct sys_row *sys_at(size_t i);

/* -- the filter -------------------------------------------------------------- */

struct sock_filter;

struct filter_options {
	int abi;     /* of the floor: below 6, signals are notified */
	bool notify; /* false: what would be notified is refused (tests) */
};

/* The program: -ENOMEM, or 0 and an allocated array. Cheap: no library, a
 * few microseconds. */
int filter_create(
	const struct filter_options *options, struct sock_filter **ret_program, size_t *ret_n);

#endif
