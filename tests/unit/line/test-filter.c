/* SPDX-License-Identifier: Apache-2.0 */
/* The filter, run by an interpreter over every number and over arguments at
 * every edge of every rule, and once by the kernel. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "line/filter/filter-rules.h"
#include "line/filter/syscall.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define ALLOW SECCOMP_RET_ALLOW
#define ASK SECCOMP_RET_USER_NOTIF
#define FAIL(code) (SECCOMP_RET_ERRNO | (code))

struct program {
	struct sock_filter *code;
	size_t n;
};

static struct program
make(int abi, bool notify)
{
	struct filter_options options = { .abi = abi, .notify = notify };
	struct program program;

	assert_int_equal(filter_create(&options, &program.code, &program.n), 0);
	return program;
}

/* Only what the kernel's own checker lets through for seccomp. */
static uint32_t
interpret(const struct program *program, const struct seccomp_data *data, size_t *steps)
{
	uint32_t a = 0;
	size_t pc = 0;

	for (*steps = 1; pc < program->n; pc++, ++*steps) {
		const struct sock_filter *i = &program->code[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(i->k % 4 == 0 && i->k < sizeof(*data));
			memcpy(&a, (const char *)data + i->k, 4);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += (a & i->k) != 0 ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			fail_msg("instruction %#x", i->code);
		}
	}
	fail_msg("ran off the end");
	return 0;
}

static uint32_t
run(const struct program *program, uint32_t arch, int nr, const uint64_t *args)
{
	struct seccomp_data data = { .nr = nr, .arch = arch };
	size_t steps;

	memcpy(data.args, args, sizeof(data.args));
	return interpret(program, &data, &steps);
}

static uint32_t
result(enum sys_do what, int error)
{
	return what == SYS_FREE ? ALLOW : what == SYS_NOTIFY ? ASK : FAIL((uint32_t)error);
}

static bool
holds(const struct filter_condition *c, const uint64_t *args)
{
	uint32_t value = (uint32_t)(c->high ? args[c->arg] >> 32 : args[c->arg]) & c->mask;

	return c->compare == COMPARE_ANY ? value != 0 : value == c->value;
}

/* What the rules say, read in the plainest way. */
static uint32_t
expected(const struct sys_row *row, const uint64_t *args, int abi)
{
	const struct filter_rule *rules;
	size_t n = 0;

	if (row == NULL)
		return FAIL(ENOSYS);
	if (row->what != SYS_TEST)
		return result(row->what, row->error);
	rules = filter_rules((enum sys_test)row->test, &n);
	for (size_t i = 0; i < n; i++) {
		bool all = rules[i].below == 0 || abi < rules[i].below;

		for (size_t c = 0; c < FILTER_CONDITIONS; c++)
			if (rules[i].all[c].compare != COMPARE_END)
				all = all && holds(&rules[i].all[c], args);
		if (all)
			return result(rules[i].what, rules[i].error ? rules[i].error : row->error);
	}
	fail_msg("%s: no rule holds", row->name);
	return 0;
}

#define VALUES 256

/* Every value that a rule names, its neighbours and bits, in both halves. */
static size_t
edges(const struct sys_row *row, unsigned arg, uint64_t *values)
{
	size_t n = 0, n_rules = 0;
	const struct filter_rule *rules = filter_rules((enum sys_test)row->test, &n_rules);

	values[n++] = 0;
	values[n++] = UINT64_MAX;
	values[n++] = 1ull << 32;
	for (size_t i = 0; i < n_rules; i++)
		for (size_t c = 0; c < FILTER_CONDITIONS; c++) {
			const struct filter_condition *is = &rules[i].all[c];

			if (is->compare == COMPARE_END || is->arg != arg || n + 5 > VALUES)
				continue;
			values[n++] = is->value;
			values[n++] = is->value | 7ull << 32;
			values[n++] = is->value ^ 1;
			values[n++] = is->value | (is->mask & -is->mask);
			values[n++] = is->value | ~(uint64_t)is->mask;
		}
	return n;
}

static void
try_tested(const struct program *program, int nr, const struct sys_row *row, int abi)
{
	uint64_t values[3][VALUES], args[6] = { 0 };
	unsigned used[3] = { 0, 1, 2 };
	size_t n[3];

	if (streq(row->name, "sendto"))
		used[0] = 3, used[1] = 4, used[2] = 5;
	for (unsigned i = 0; i < 3; i++)
		n[i] = edges(row, used[i], values[i]);
	for (size_t a = 0; a < n[0]; a++)
		for (size_t b = 0; b < n[1]; b++)
			for (size_t c = 0; c < n[2]; c++) {
				args[used[0]] = values[0][a];
				args[used[1]] = values[1][b];
				args[used[2]] = values[2][c];
				if (run(program, ARCH, nr, args) != expected(row, args, abi))
					fail_msg("%s(%#lx, %#lx, %#lx)", row->name,
						(unsigned long)values[0][a],
						(unsigned long)values[1][b],
						(unsigned long)values[2][c]);
			}
}

static void
test_program_says_what_the_table_says(void **state)
{
	const uint64_t none[6] = { 0 };

	(void)state;
	for (int abi = 2; abi <= 7; abi++) {
		struct program program = make(abi, true);

		for (int nr = -2; nr < 1200; nr++) {
			const struct sys_row *row = sys_find(nr);

			if (row != NULL && row->what == SYS_TEST)
				try_tested(&program, nr, row, abi);
			else if (run(&program, ARCH, nr, none) != expected(row, none, abi))
				fail_msg("number %d, ABI %d", nr, abi);
		}
		free(program.code);
	}
}

static void
test_other_architectures_get_nothing(void **state)
{
	static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, 0, UINT32_MAX, ARCH ^ 1,
		ARCH == AUDIT_ARCH_X86_64 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64 };
	struct program program = make(7, true);
	const uint64_t none[6] = { 0 };

	(void)state;
	for (int nr = 0; nr < 600; nr++) {
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			assert_int_equal(run(&program, others[i], nr, none), FAIL(ENOSYS));
		/* x32 */
		assert_int_equal(run(&program, ARCH, 0x40000000 + nr, none), FAIL(ENOSYS));
	}
	free(program.code);
}

static void
test_program_is_well_formed(void **state)
{
	struct program program = make(2, true);

	(void)state;
	assert_true(program.n < 1000);
	for (size_t i = 0; i < program.n; i++) {
		const struct sock_filter *code = &program.code[i];

		if (BPF_CLASS(code->code) == BPF_JMP && BPF_OP(code->code) == BPF_JA)
			assert_true(i + 1 + code->k < program.n);
		else if (BPF_CLASS(code->code) == BPF_JMP)
			assert_true(i + 1 + code->jt < program.n && i + 1 + code->jf < program.n);
	}
	assert_int_equal(BPF_CLASS(program.code[program.n - 1].code), BPF_RET);
	free(program.code);
}

/* A notified or free call must not walk the whole program. */
static void
test_calls_cost_few_instructions(void **state)
{
	struct program program = make(7, true);

	(void)state;
	for (int nr = 0; nr < SYS_NUMBERS; nr++) {
		const struct sys_row *row = sys_find(nr);
		struct seccomp_data data = { .nr = nr, .arch = ARCH };
		size_t steps;

		interpret(&program, &data, &steps);
		if (row == NULL || row->what != SYS_TEST)
			assert_in_range(steps, 1, 16);
	}
	free(program.code);
}

/* Written by hand from the manual pages, not from the rules. */
static const struct {
	const char *name;
	uint64_t args[6];
	uint32_t at_7, at_2;
} cases[] = {
	{ "openat", { 0, 0, O_RDONLY }, ALLOW, ALLOW },
	{ "openat", { 0, 0, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK }, ALLOW,
		ALLOW },
	{ "openat", { 0, 0, O_WRONLY }, ASK, ASK },
	{ "openat", { 0, 0, O_RDWR }, ASK, ASK },
	{ "openat", { 0, 0, 3 }, ASK, ASK },
	{ "openat", { 0, 0, O_RDONLY | O_CREAT }, ASK, ASK },
	{ "openat", { 0, 0, O_RDONLY | O_TRUNC }, ASK, ASK },
	{ "openat", { 0, 0, O_TMPFILE | O_RDWR }, ASK, ASK },
	{ "openat", { 0, 0, O_TMPFILE }, ASK, ASK },
	{ "openat", { 0, 0, O_PATH | O_RDWR | O_CREAT | O_TRUNC }, ALLOW, ALLOW },
	{ "openat", { 0, 0, (1ull << 32) | O_RDONLY }, ALLOW, ALLOW },
	{ "openat", { O_RDWR, O_RDWR, O_RDONLY }, ALLOW, ALLOW },
#if defined(__x86_64__)
	{ "open", { 0, O_RDONLY, O_RDWR }, ALLOW, ALLOW },
	{ "open", { 0, O_WRONLY | O_APPEND }, ASK, ASK },
#endif
	{ "openat2", { 0 }, FAIL(ENOSYS), FAIL(ENOSYS) },
	{ "sendto", { 3, 1, 1, 0, 0, 0 }, ALLOW, ALLOW },
	{ "sendto", { 3, 1, 1, MSG_NOSIGNAL, 0, 16 }, ALLOW, ALLOW },
	{ "sendto", { 3, 1, 1, 0, 0x1000, 16 }, ASK, ASK },
	{ "sendto", { 3, 1, 1, 0, 0x7f0000000000, 16 }, ASK, ASK },
	{ "sendto", { 3, 1, 1, MSG_FASTOPEN, 0, 0 }, ASK, ASK },
	{ "sendmsg", { 3 }, ASK, ASK },
	{ "prlimit64", { 0, 7, 0x1000 }, ALLOW, ALLOW },
	{ "prlimit64", { 77, 7, 0, 0x1000 }, ALLOW, ALLOW },
	{ "prlimit64", { 77, 7, 0x7f0000000000 }, ASK, ASK },
	{ "sched_setaffinity", { 0, 8, 1 }, ALLOW, ALLOW },
	{ "sched_setaffinity", { 1, 8, 1 }, ASK, ASK },
	{ "setpriority", { 0, 0, 19 }, ALLOW, ALLOW },
	{ "setpriority", { 1, 0, 19 }, ASK, ASK },
	{ "setpriority", { 0, 1, 19 }, ASK, ASK },
	{ "setpriority", { 2, 0, 19 }, ASK, ASK },
	{ "ioprio_set", { 1, 0 }, ALLOW, ALLOW },
	{ "ioprio_set", { 1, 5 }, ASK, ASK },
	{ "ioprio_set", { 2, 0 }, ASK, ASK },
	{ "kill", { 1, 9 }, ALLOW, ASK },
	{ "tgkill", { 1, 1, 9 }, ALLOW, ASK },
	{ "pidfd_send_signal", { 3, 9 }, ALLOW, ASK },
	{ "prctl", { PR_SET_CHILD_SUBREAPER, 1 }, ASK, ASK },
	{ "prctl", { PR_GET_NO_NEW_PRIVS }, ASK, ASK },
	{ "prctl", { PR_SET_NO_NEW_PRIVS, 1 }, ALLOW, ALLOW },
	{ "prctl", { PR_SET_MM }, FAIL(EPERM), FAIL(EPERM) },
	{ "prctl", { PR_SET_NAME }, ALLOW, ALLOW },
	{ "prctl", { PR_SET_DUMPABLE, 0 }, ALLOW, ALLOW },
	{ "clone", { SIGCHLD }, ALLOW, ALLOW },
	{ "clone", { CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD }, ALLOW,
		ALLOW },
	{ "clone", { CLONE_NEWUSER | SIGCHLD }, ASK, ASK },
	{ "clone", { CLONE_NEWNET | CLONE_PARENT | SIGCHLD }, ASK, ASK },
	{ "clone", { CLONE_NEWNS | SIGCHLD }, ASK, ASK },
	{ "clone", { CLONE_PARENT | SIGCHLD }, FAIL(EPERM), FAIL(EPERM) },
	{ "clone3", { 0 }, FAIL(ENOSYS), FAIL(ENOSYS) },
	{ "unshare", { CLONE_FS | CLONE_FILES }, ALLOW, ALLOW },
	{ "unshare", { CLONE_NEWUSER }, ASK, ASK },
	{ "unshare", { 0x80 }, ASK, ASK },
	{ "fcntl", { 3, F_SETLEASE, F_RDLCK }, FAIL(EACCES), FAIL(EACCES) },
	{ "fcntl", { 3, F_SETOWN, 1 }, ALLOW, FAIL(EPERM) },
	{ "fcntl", { 3, F_SETOWN_EX, 1 }, ALLOW, FAIL(EPERM) },
	{ "fcntl", { 3, F_SETSIG, 9 }, ALLOW, FAIL(EPERM) },
	{ "fcntl", { 3, F_NOTIFY, 1 }, ALLOW, FAIL(EPERM) },
	{ "fcntl", { 3, F_SETFL, O_NONBLOCK }, ALLOW, ALLOW },
	{ "fcntl", { 3, F_SETFL, O_NONBLOCK | O_ASYNC }, ALLOW, FAIL(EPERM) },
	{ "fcntl", { 3, F_GETFL, O_ASYNC }, ALLOW, ALLOW },
	{ "fcntl", { 3, F_SETLK }, ALLOW, ALLOW },
	{ "seccomp", { 1, 0 }, ALLOW, ALLOW },
	{ "seccomp", { 1, 1 << 3 }, FAIL(EBUSY), FAIL(EBUSY) },
	{ "seccomp", { 1, 1 << 3 | 1 << 5 }, FAIL(EBUSY), FAIL(EBUSY) },
	{ "seccomp", { 2, 0 }, ALLOW, ALLOW },
	{ "socket", { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0 }, ALLOW, ALLOW },
	{ "socket", { AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 6 }, ALLOW, ALLOW },
	{ "socket", { AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 17 }, ALLOW, ALLOW },
	{ "socket", { AF_INET, SOCK_DGRAM, 0 }, ALLOW, ALLOW },
	{ "socket", { AF_INET, SOCK_STREAM, 262 /* MPTCP */ }, FAIL(EPROTONOSUPPORT),
		FAIL(EPROTONOSUPPORT) },
	{ "socket", { AF_INET, SOCK_STREAM, 17 }, FAIL(EPROTONOSUPPORT), FAIL(EPROTONOSUPPORT) },
	{ "socket", { AF_INET, SOCK_STREAM, 132 /* SCTP */ }, FAIL(EPROTONOSUPPORT),
		FAIL(EPROTONOSUPPORT) },
	{ "socket", { AF_INET, SOCK_DGRAM, 1 /* ICMP */ }, ASK, ASK },
	{ "socket", { AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 58 /* ICMPv6 */ }, ASK, ASK },
	{ "socket", { AF_INET, SOCK_SEQPACKET, 0 }, FAIL(EPROTONOSUPPORT), FAIL(EPROTONOSUPPORT) },
	{ "socket", { AF_INET6, SOCK_RAW | SOCK_CLOEXEC, 58 }, ASK, ASK },
	{ "socket", { AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0 }, ALLOW, ALLOW },
	{ "socket", { AF_NETLINK, SOCK_DGRAM, 15 }, ALLOW, ALLOW },
	{ "socket", { AF_NETLINK, SOCK_RAW, 16 }, FAIL(EPROTONOSUPPORT), FAIL(EPROTONOSUPPORT) },
	{ "socket", { 40 /* AF_VSOCK */, SOCK_STREAM, 0 }, FAIL(EAFNOSUPPORT), FAIL(EAFNOSUPPORT) },
	{ "socket", { AF_PACKET, SOCK_RAW, 0 }, FAIL(EAFNOSUPPORT), FAIL(EAFNOSUPPORT) },
	{ "socketpair", { AF_UNIX, SOCK_SEQPACKET }, ALLOW, ALLOW },
	{ "socketpair", { 30 /* AF_TIPC */, SOCK_STREAM }, FAIL(EAFNOSUPPORT), FAIL(EAFNOSUPPORT) },
	{ "setsockopt", { 3, SOL_SOCKET, SO_REUSEADDR }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 0, 4 /* IP_OPTIONS */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 57 /* IPV6_RTHDR */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 26 /* IPV6_V6ONLY */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 0, 1 /* IP_TOS */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 17, 1 /* UDP_CORK */ }, FAIL(ENOPROTOOPT), FAIL(ENOPROTOOPT) },
	{ "setsockopt", { 3, 17, 103 /* UDP_SEGMENT */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 0, 8 /* IP_PKTINFO */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 0, 32 /* IP_MULTICAST_IF */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 0, 36 /* IP_DROP_MEMBERSHIP */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 41, 49 /* IPV6_RECVPKTINFO */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 41, 67 /* IPV6_TCLASS */ }, ALLOW, ALLOW },
	{ "setsockopt", { 3, SOL_SOCKET, 50 }, ALLOW, ALLOW },
	{ "setsockopt", { 3, 6, 25 }, ALLOW, ALLOW },
	{ "setsockopt", { 3, SOL_SOCKET, 25 /* SO_BINDTODEVICE */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, SOL_SOCKET, 62 /* SO_BINDTOIFINDEX */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, SOL_SOCKET, 36 /* SO_MARK */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, SOL_SOCKET | 1ull << 32, 25 | 1ull << 32 }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 0, 50 /* IP_UNICAST_IF */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 0, 35 /* IP_ADD_MEMBERSHIP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 0, 39 /* IP_ADD_SOURCE_MEMBERSHIP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 0, 42 /* MCAST_JOIN_GROUP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 0, 46 /* MCAST_JOIN_SOURCE_GROUP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 42 /* MCAST_JOIN_GROUP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 46 /* MCAST_JOIN_SOURCE_GROUP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 20 /* IPV6_JOIN_GROUP */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 27 /* IPV6_JOIN_ANYCAST */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 76 /* IPV6_UNICAST_IF */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 50 /* IPV6_PKTINFO */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 6 /* IPV6_2292PKTOPTIONS */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "setsockopt", { 3, 41, 32 /* IPV6_FLOWLABEL_MGR */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, TIOCSTI }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, TIOCSTI | 1ull << 32 }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, TIOCLINUX }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, TIOCSETD }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x5441 /* TIOCGPTPEER */ }, ASK, ASK },
	{ "ioctl", { 0, 0x5441 | 1ull << 32 }, ASK, ASK },
	{ "ioctl", { 0, TIOCGWINSZ }, ALLOW, ALLOW },
	{ "ioctl", { 0, TCGETS }, ALLOW, ALLOW },
	{ "ioctl", { 0, FIONREAD }, ALLOW, ALLOW },
	{ "ioctl", { 0, FIONBIO }, ALLOW, ALLOW },
	{ "ioctl", { 0, 0x8912 /* SIOCGIFCONF */ }, ALLOW, ALLOW },
	{ "ioctl", { 0, 0x8901 /* FIOSETOWN */ }, ALLOW, FAIL(EPERM) },
	{ "ioctl", { 0, FIOASYNC }, ALLOW, FAIL(EPERM) },
	{ "ioctl", { 0, FIONBIO }, ALLOW, ALLOW },
	{ "ioctl", { 0, 0x80086601 /* FS_IOC_GETFLAGS */ }, ALLOW, ALLOW },
	{ "ioctl", { 0, 0x40086602 /* FS_IOC_SETFLAGS */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x40046602 /* FS_IOC32_SETFLAGS */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x401c5820 /* FS_IOC_FSSETXATTR */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x40087602 /* FS_IOC_SETVERSION */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x40806685 /* FS_IOC_ENABLE_VERITY */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0xc0185879 /* FITRIM */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x40049409 /* FICLONE */ }, ALLOW, ALLOW },
	{ "ioctl", { 0, 0xc0189436 /* FIDEDUPERANGE */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "ioctl", { 0, 0x40047211 /* FAT_IOCTL_SET_ATTRIBUTES */ }, FAIL(EPERM), FAIL(EPERM) },
	{ "io_uring_setup", { 1 }, FAIL(ENOSYS), FAIL(ENOSYS) },
	{ "keyctl", { 0 }, FAIL(ENOSYS), FAIL(ENOSYS) },
	{ "mount", { 0 }, FAIL(EPERM), FAIL(EPERM) },
	{ "read", { 0 }, ALLOW, ALLOW },
	{ "execve", { 0 }, ALLOW, ALLOW },
	{ "landlock_restrict_self", { 0 }, ASK, ASK },
};

static int
number_of(const char *name)
{
	for (int nr = 0; nr < SYS_NUMBERS; nr++)
		if (sys_find(nr) != NULL && streq(sys_find(nr)->name, name))
			return nr;
	fail_msg("no %s", name);
	return -1;
}

static void
test_cases_by_hand(void **state)
{
	struct program newest = make(7, true), oldest = make(2, true);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int nr = number_of(cases[i].name);

		if (run(&newest, ARCH, nr, cases[i].args) != cases[i].at_7 ||
			run(&oldest, ARCH, nr, cases[i].args) != cases[i].at_2)
			fail_msg("case %zu: %s", i, cases[i].name);
	}
	free(newest.code);
	free(oldest.code);
}

static void
test_without_notify_it_is_refused(void **state)
{
	struct program program = make(7, false);
	const uint64_t none[6] = { 0 };

	(void)state;
	for (int nr = 0; nr < SYS_NUMBERS; nr++)
		assert_int_not_equal(run(&program, ARCH, nr, none), ASK);
	assert_int_equal(run(&program, ARCH, number_of("mkdirat"), none), FAIL(EACCES));
	free(program.code);
}

/* -- the kernel's own word ------------------------------------------------------ */

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x))                                                                          \
			return __LINE__;                                                           \
	} while (0)
#define REFUSED(x, code) CHECK((x) == -1 && errno == (code))

static void *
thread(void *data)
{
	*(int *)data = 1;
	return NULL;
}

static int
in_the_filter(const struct program *program)
{
	struct sock_fprog filter = { .len = (unsigned short)program->n, .filter = program->code };
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog inner = { .len = 1, .filter = &all };
	pthread_t id;
	int ran = 0, fd;

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
	CHECK((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0);
	CHECK(open("/", O_PATH | O_CLOEXEC) >= 0);
	REFUSED(open("/dev/null", O_WRONLY | O_CLOEXEC), EACCES);
	REFUSED(mkdir("/tmp/x", 0700), EACCES);
	REFUSED(chmod("/dev/null", 0666), EACCES);
	REFUSED(fchmod(fd, 0666), EACCES);
	REFUSED(ioctl(fd, TIOCSTI, "x"), EPERM);
	REFUSED(ioctl(fd, 0x40086602, "xxxxxxxx"), EPERM);
	REFUSED(unshare(CLONE_NEWUSER), EACCES);
	CHECK(unshare(CLONE_FS) == 0);
	REFUSED(syscall(435 /* clone3 */, NULL, 0), ENOSYS);
	REFUSED(mount("none", "/", "tmpfs", 0, NULL), EPERM);
	REFUSED(socket(AF_INET, SOCK_RAW, 1), EACCES);
	REFUSED(socket(AF_INET, SOCK_STREAM, 262), EPROTONOSUPPORT);
	CHECK((fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0);
	REFUSED(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3), EPERM);
	CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) == 0);
	CHECK(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0);
	REFUSED(syscall(1000), ENOSYS);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &inner) == 0);
#if defined(__x86_64__)
	{
		long r = 20; /* getpid of i386 */

		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
		CHECK((int)r == -ENOSYS);
		REFUSED(syscall(0x40000000 | SYS_getpid), ENOSYS);
	}
#endif
	CHECK(pthread_create(&id, NULL, thread, &ran) == 0);
	CHECK(pthread_join(id, NULL) == 0 && ran == 1);
	return 0;
}

static void
test_the_kernel_takes_it(void **state)
{
	struct program program = make(7, false);
	int line = -1, status, fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		line = in_the_filter(&program);
		_exit(write(fds[1], &line, sizeof(line)) == sizeof(line) ? 0 : 1);
	}
	assert_true(pid > 0);
	close(fds[1]);
	assert_int_equal(read(fds[0], &line, sizeof(line)), sizeof(line));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(line, 0);
	close(fds[0]);
	free(program.code);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_says_what_the_table_says),
		cmocka_unit_test(test_other_architectures_get_nothing),
		cmocka_unit_test(test_program_is_well_formed),
		cmocka_unit_test(test_calls_cost_few_instructions),
		cmocka_unit_test(test_cases_by_hand),
		cmocka_unit_test(test_without_notify_it_is_refused),
		cmocka_unit_test(test_the_kernel_takes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
