/* SPDX-License-Identifier: Apache-2.0 */
/* The table of system calls against the kernel's list, and against a list of
 * everything that can reach over the line. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/unistd.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "line/filter/filter-rules.h"
#include "line/floor/floor.h"
#include "line/filter/syscall.h"

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

/* header: the C library's number as text, or "__NR_name" where its headers are
 * too old to know it. */
static const struct {
	const char *name;
	int x86_64, aarch64;
	const char *header;
} kernel[] = {
#define CALL(call, x, a) { #call, x, a, TEXT_OF(__NR_##call) },
#include "syscalls.list"
#undef CALL
};

#define N_KERNEL (sizeof(kernel) / sizeof(kernel[0]))

static int
number_here(int x86_64, int aarch64)
{
#if defined(__x86_64__)
	(void)aarch64;
	return x86_64;
#else
	(void)x86_64;
	return aarch64;
#endif
}

static const struct sys_row *
find_name(const char *name)
{
	const struct sys_row *row;

	for (size_t i = 0; (row = sys_at(i)) != NULL; i++)
		if (streq(row->name, name))
			return row;
	return NULL;
}

static void
test_every_call_has_a_row(void **state)
{
	size_t rows = 0;

	(void)state;
	for (size_t i = 0; i < N_KERNEL; i++) {
		const struct sys_row *row = find_name(kernel[i].name);
		int here = number_here(kernel[i].x86_64, kernel[i].aarch64);

		if (row == NULL)
			fail_msg("%s has no row", kernel[i].name);
		if (row->x86_64 != kernel[i].x86_64 || row->aarch64 != kernel[i].aarch64)
			fail_msg("%s has other numbers", kernel[i].name);
		if (here >= 0)
			assert_ptr_equal(sys_find(here), row);
	}
	while (sys_at(rows) != NULL)
		rows++;
	assert_int_equal(rows, N_KERNEL);
}

static void
test_numbers_are_those_of_the_headers(void **state)
{
	size_t known = 0;

	(void)state;
	for (size_t i = 0; i < N_KERNEL; i++) {
		int here = number_here(kernel[i].x86_64, kernel[i].aarch64);
		char *end;
		long header = strtol(kernel[i].header, &end, 10);

		if (end == kernel[i].header)
			continue;
		known++;
		if (*end != '\0' || header != here)
			fail_msg("%s is %s in the headers", kernel[i].name, kernel[i].header);
	}
	assert_true(known > 290);
}

/* Numbers run on without holes but for those that the kernel leaves free. */
static void
test_no_number_is_forgotten(void **state)
{
	(void)state;
	for (int nr = 0; nr <= 470; nr++) {
		bool hole = number_here(
			nr > 336 && nr < 424, (nr > 243 && nr < 260) || (nr > 294 && nr < 424));

		if ((sys_find(nr) == NULL) != hole)
			fail_msg("number %d", nr);
	}
	assert_null(sys_find(-1));
	assert_null(sys_find(471));
	assert_null(sys_find(SYS_NUMBERS));
	assert_null(sys_find(SYS_NUMBERS + 3));
	assert_null(sys_find(0x40000000));
	assert_null(sys_at(100000));
}

static bool
rules_notify(const struct sys_row *row)
{
	size_t n = 0;
	const struct filter_rule *rules = filter_rules((enum sys_test)row->test, &n);
	bool notify = false;

	assert_non_null(rules);
	for (size_t i = 0; i < n; i++) {
		notify = notify || rules[i].what == SYS_NOTIFY;
		assert_int_not_equal(rules[i].what, SYS_TEST);
		if (rules[i].what == SYS_REFUSE)
			assert_true(rules[i].error > 0 || row->error > 0);
	}
	assert_int_equal(rules[n - 1].all[0].compare, COMPARE_END);
	assert_int_equal(rules[n - 1].below, 0);
	return notify;
}

static void
test_rows_are_whole(void **state)
{
	const struct sys_row *row;
	int last = -1;

	(void)state;
	for (size_t i = 0; (row = sys_at(i)) != NULL; i++) {
		const signed char args[] = { row->dirfd, row->path, row->dirfd2, row->path2,
			row->flags };

		assert_true(row->x86_64 > last);
		last = row->x86_64;
		assert_non_null(row->text);
		assert_true(strlen(row->text) > 8);
		assert_in_range(row->floor, 0, FLOOR_ABI_MOST);
		for (size_t a = 0; a < sizeof(args); a++)
			assert_true(args[a] >= -1 && args[a] <= 5);
		if (row->what == SYS_REFUSE)
			assert_true(row->error > 0);
		if (row->what == SYS_NOTIFY)
			assert_true(row->op > OP_NONE && row->op < OP_N);
		if (row->what == SYS_FREE)
			assert_int_equal(row->op, OP_NONE);
		if (row->what == SYS_TEST)
			assert_int_equal(rules_notify(row), row->op != OP_NONE);
		else
			assert_int_equal(row->test, TEST_NONE);
	}
}

/* What can change a file or what is known about it, another process, or leave
 * the machine. Free only where the text says what bounds it. */
static const struct {
	const char *names;
	enum sys_do what;
	const char *because; /* SYS_FREE: must be in the text */
} reaching[] = {
	{ "open openat", SYS_TEST, NULL },
	{ "creat mkdir mkdirat mknod mknodat unlink unlinkat rmdir rename renameat "
	  "renameat2 link linkat symlink symlinkat truncate",
		SYS_NOTIFY, NULL },
	{ "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat "
	  "utimensat setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr "
	  "fremovexattr removexattrat file_setattr",
		SYS_NOTIFY, NULL },
	{ "connect bind listen sendmsg sendmmsg", SYS_NOTIFY, NULL },
	{ "sendto socket socketpair setsockopt ioctl fcntl", SYS_TEST, NULL },
	{ "shmget semget msgget shmat shmctl semop semtimedop semctl msgsnd msgrcv msgctl "
	  "mq_open mq_unlink landlock_restrict_self process_mrelease",
		SYS_NOTIFY, NULL },
	{ "prlimit64 sched_setparam sched_setscheduler sched_setattr sched_setaffinity "
	  "setpriority ioprio_set kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo "
	  "pidfd_send_signal prctl clone unshare seccomp",
		SYS_TEST, NULL },
	{ "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig "
	  "fsmount fspick mount_setattr setns quotactl quotactl_fd swapon swapoff acct "
	  "open_by_handle_at fanotify_init io_uring_setup io_uring_enter io_uring_register "
	  "clone3 openat2",
		SYS_REFUSE, NULL },
	{ "init_module finit_module delete_module kexec_load kexec_file_load bpf perf_event_open "
	  "userfaultfd add_key request_key keyctl reboot sethostname setdomainname "
	  "settimeofday clock_settime iopl ioperm syslog vhangup",
		SYS_REFUSE, NULL },
	{ "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp move_pages migrate_pages "
	  "process_madvise get_robust_list",
		SYS_FREE, "Landlock refuses" },
	{ "write pwrite64 writev pwritev pwritev2 ftruncate fallocate copy_file_range sendfile "
	  "splice vmsplice io_submit mq_timedsend",
		SYS_FREE, "was decided" },
	{ "mmap", SYS_FREE, "opened for writing" },
	{ "setgroups adjtimex clock_adjtime", SYS_FREE, "capability" },
	{ "flock", SYS_FREE, "not prevented" },
};

static void
test_what_reaches_over_the_line_is_met(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reaching) / sizeof(reaching[0]); i++) {
		char *names = strdup(reaching[i].names), *save = NULL;

		for (char *name = strtok_r(names, " ", &save); name != NULL;
			name = strtok_r(NULL, " ", &save)) {
			const struct sys_row *row = find_name(name);

			if (row == NULL || row->what != reaching[i].what)
				fail_msg("%s", name);
			if (row->what == SYS_FREE && strstr(row->text, reaching[i].because) == NULL)
				fail_msg("%s is free without a reason", name);
		}
		free(names);
	}
}

/* The ABI from which a call may be let go on: what Landlock never bounds must
 * never be. */
/* POSIX names EINTR for these; for the other calls that can be held it does not. */
static void
test_interruptible_calls_are_those_of_sockets(void **state)
{
	(void)state;
	for (size_t i = 0; sys_at(i); i++) {
		const struct sys_row *row = sys_at(i);

		assert_int_equal(row->interruptible, row->op == OP_CONNECT || row->op == OP_SEND);
	}
}

static void
test_floor_says_what_landlock_bounds(void **state)
{
	static const struct {
		enum sys_op op;
		int least;
	} ops[] = {
		{ OP_OPEN, 1 },
		{ OP_MKDIR, 1 },
		{ OP_MKNOD, 1 },
		{ OP_UNLINK, 1 },
		{ OP_SYMLINK, 1 },
		{ OP_RENAME, 2 },
		{ OP_LINK, 2 },
		{ OP_TRUNCATE, 3 },
	};
	const struct sys_row *row;

	(void)state;
	for (size_t i = 0; (row = sys_at(i)) != NULL; i++) {
		int least = 0;

		for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
			if (ops[o].op == row->op)
				least = ops[o].least;
		if (row->test == TEST_SIGNAL)
			assert_int_equal(row->floor, 6);
		else if (least == 0)
			assert_int_equal(row->floor, 0);
		else
			assert_true(row->floor >= least);
	}
	assert_int_equal(find_name("creat")->floor, 3);
}

static void
test_arguments_lie_where_the_kernel_has_them(void **state)
{
	static const struct {
		const char *name;
		signed char at[5];
	} calls[] = {
		{ "open", { -1, 0, -1, -1, 1 } },
		{ "openat", { 0, 1, -1, -1, 2 } },
		{ "creat", { -1, 0, -1, -1, -1 } },
		{ "ioctl", { 0, -1, -1, -1, 2 } },
		{ "unlinkat", { 0, 1, -1, -1, 2 } },
		{ "rename", { -1, 0, -1, 1, -1 } },
		{ "renameat", { 0, 1, 2, 3, -1 } },
		{ "renameat2", { 0, 1, 2, 3, 4 } },
		{ "link", { -1, 0, -1, 1, -1 } },
		{ "linkat", { 0, 1, 2, 3, 4 } },
		{ "symlink", { -1, 1, -1, -1, -1 } },
		{ "symlinkat", { 1, 2, -1, -1, -1 } },
		{ "fchmod", { 0, -1, -1, -1, -1 } },
		{ "fchmodat", { 0, 1, -1, -1, -1 } },
		{ "fchmodat2", { 0, 1, -1, -1, 3 } },
		{ "fchownat", { 0, 1, -1, -1, 4 } },
		{ "utimensat", { 0, 1, -1, -1, 3 } },
		{ "fsetxattr", { 0, -1, -1, -1, -1 } },
		{ "setxattrat", { 0, 1, -1, -1, 2 } },
		{ "removexattrat", { 0, 1, -1, -1, 2 } },
		{ "file_setattr", { 0, 1, -1, -1, 4 } },
		{ "sendto", { 0, -1, -1, -1, 3 } },
		{ "sendmsg", { 0, -1, -1, -1, 2 } },
		{ "sendmmsg", { 0, -1, -1, -1, 3 } },
		{ "shmget", { -1, -1, -1, -1, 2 } },
		{ "semget", { -1, -1, -1, -1, 2 } },
		{ "msgget", { -1, -1, -1, -1, 1 } },
		{ "shmctl", { -1, -1, -1, -1, 1 } },
		{ "semctl", { -1, -1, -1, -1, 2 } },
		{ "msgctl", { -1, -1, -1, -1, 1 } },
		{ "shmat", { -1, -1, -1, -1, -1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct sys_row *row = find_name(calls[i].name);
		const signed char at[] = { row->dirfd, row->path, row->dirfd2, row->path2,
			row->flags };

		if (memcmp(at, calls[i].at, sizeof(at)) != 0)
			fail_msg("%s", calls[i].name);
	}
}

/* A form belongs to one op, and a row of an op with forms has one of them. */
static void
test_forms_are_those_of_the_op(void **state)
{
	static const struct {
		enum sys_op op;
		enum sys_form first, last;
	} ops[] = {
		{ OP_OPEN, FORM_OPEN_FLAGS, FORM_OPEN_CREAT },
		{ OP_UNLINK, FORM_UNLINK_FILE, FORM_UNLINK_FLAGS },
		{ OP_CHOWN, FORM_CHOWN_FOLLOW, FORM_CHOWN_LINK },
		{ OP_UTIME, FORM_UTIME_SECONDS, FORM_UTIME_TIMESPEC },
		{ OP_XATTR, FORM_XATTR_SET, FORM_XATTR_REMOVE_AT },
		{ OP_SEND, FORM_SEND_TO, FORM_SEND_MMSG },
		{ OP_IPC_GET, FORM_IPC_SHM, FORM_IPC_MSG },
		{ OP_IPC_USE, FORM_IPC_SHM, FORM_IPC_MSG },
		{ OP_MQ, FORM_MQ_OPEN, FORM_MQ_UNLINK },
		{ OP_PROCESS, FORM_PROCESS_PID, FORM_PROCESS_RELEASE },
		{ OP_CLOSED, FORM_CLOSED_NAMESPACES, FORM_CLOSED_PACKETS },
	};
	const struct sys_row *row;

	(void)state;
	for (size_t i = 0; (row = sys_at(i)) != NULL; i++) {
		enum sys_form first = FORM_ANY, last = FORM_ANY;

		for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
			if (ops[o].op == row->op)
				first = ops[o].first, last = ops[o].last;
		if (row->form < first || row->form > last)
			fail_msg("%s", row->name);
	}
}

static void
test_forms_tell_calls_apart(void **state)
{
	static const struct {
		const char *names;
		enum sys_form form;
	} forms[] = {
		{ "open openat", FORM_OPEN_FLAGS },
		{ "creat", FORM_OPEN_CREAT },
		{ "unlink", FORM_UNLINK_FILE },
		{ "rmdir", FORM_UNLINK_DIR },
		{ "unlinkat", FORM_UNLINK_FLAGS },
		{ "chown fchown fchownat", FORM_CHOWN_FOLLOW },
		{ "lchown", FORM_CHOWN_LINK },
		{ "utime", FORM_UTIME_SECONDS },
		{ "utimes futimesat", FORM_UTIME_TIMEVAL },
		{ "utimensat", FORM_UTIME_TIMESPEC },
		{ "setxattr fsetxattr", FORM_XATTR_SET },
		{ "lsetxattr", FORM_XATTR_SET_LINK },
		{ "setxattrat", FORM_XATTR_SET_AT },
		{ "removexattr fremovexattr", FORM_XATTR_REMOVE },
		{ "lremovexattr", FORM_XATTR_REMOVE_LINK },
		{ "removexattrat", FORM_XATTR_REMOVE_AT },
		{ "sendto", FORM_SEND_TO },
		{ "sendmsg", FORM_SEND_MSG },
		{ "sendmmsg", FORM_SEND_MMSG },
		{ "shmget shmat shmctl", FORM_IPC_SHM },
		{ "semget semop semtimedop semctl", FORM_IPC_SEM },
		{ "msgget msgsnd msgrcv msgctl", FORM_IPC_MSG },
		{ "mq_open", FORM_MQ_OPEN },
		{ "mq_unlink", FORM_MQ_UNLINK },
		{ "prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr",
			FORM_PROCESS_PID },
		{ "setpriority", FORM_PROCESS_PRIORITY },
		{ "ioprio_set", FORM_PROCESS_IOPRIO },
		{ "kill", FORM_PROCESS_KILL },
		{ "tkill rt_sigqueueinfo", FORM_PROCESS_SIGNAL },
		{ "tgkill rt_tgsigqueueinfo", FORM_PROCESS_SIGNAL_THREAD },
		{ "pidfd_send_signal", FORM_PROCESS_SIGNAL_PIDFD },
		{ "process_mrelease", FORM_PROCESS_RELEASE },
		{ "unshare clone", FORM_CLOSED_NAMESPACES },
		{ "socket", FORM_CLOSED_PACKETS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char *names = strdup(forms[i].names), *save = NULL;

		for (char *name = strtok_r(names, " ", &save); name != NULL;
			name = strtok_r(NULL, " ", &save))
			if (find_name(name)->form != forms[i].form)
				fail_msg("%s", name);
		free(names);
	}
}

/* Flags lie in a register only if the row says which, and a struct is in none. */
static void
test_forms_of_open_fit_their_flags(void **state)
{
	const struct sys_row *row;

	(void)state;
	for (size_t i = 0; (row = sys_at(i)) != NULL; i++) {
		if (row->op == OP_OPEN || row->op == OP_UNLINK)
			assert_int_equal(row->flags >= 0,
				row->form == FORM_OPEN_FLAGS || row->form == FORM_UNLINK_FLAGS);
		if (row->op == OP_IPC_GET)
			assert_true(row->flags >= 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_call_has_a_row),
		cmocka_unit_test(test_numbers_are_those_of_the_headers),
		cmocka_unit_test(test_no_number_is_forgotten),
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_what_reaches_over_the_line_is_met),
		cmocka_unit_test(test_floor_says_what_landlock_bounds),
		cmocka_unit_test(test_interruptible_calls_are_those_of_sockets),
		cmocka_unit_test(test_arguments_lie_where_the_kernel_has_them),
		cmocka_unit_test(test_forms_are_those_of_the_op),
		cmocka_unit_test(test_forms_tell_calls_apart),
		cmocka_unit_test(test_forms_of_open_fit_their_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
