/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for arguments that the filter can judge by itself: numbers in
 * registers, which no other thread can change. What lies in memory is never
 * judged here. Constants are written out where headers differ or are old. */

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "line/filter/filter-rules.h"

#define ALL_BITS 0xffffffffu
/* clang-format off */
#define IF(...) .all = { __VA_ARGS__ }
#define IS(n, v) { .compare = COMPARE_IS, .arg = (n), .mask = ALL_BITS, .value = (v) }
#define MASKED(n, m, v) { .compare = COMPARE_IS, .arg = (n), .mask = (m), .value = (v) }
#define ANY(n, m) { .compare = COMPARE_ANY, .arg = (n), .mask = (m) }
#define HIGH(n) { .compare = COMPARE_ANY, .arg = (n), .high = true, .mask = ALL_BITS }
/* clang-format on */
#define FREE .what = SYS_FREE
#define NOTIFY .what = SYS_NOTIFY
#define REFUSE .what = SYS_REFUSE
#define ERROR(code) .what = SYS_REFUSE, .error = (code)

/* Without O_DIRECTORY, which is part of O_TMPFILE but harmless alone. */
#define TMPFILE_BIT 020000000
#define OPEN_WRITES (O_ACCMODE | O_CREAT | O_TRUNC | TMPFILE_BIT)

/* O_PATH first: with it the kernel drops every flag that could write. */
static const struct filter_rule rules_open[] = {
	{ IF(ANY(1, O_PATH)), FREE },
	{ IF(ANY(1, OPEN_WRITES)), NOTIFY },
	{ FREE },
};

static const struct filter_rule rules_openat[] = {
	{ IF(ANY(2, O_PATH)), FREE },
	{ IF(ANY(2, OPEN_WRITES)), NOTIFY },
	{ FREE },
};

static const struct filter_rule rules_sendto[] = {
	{ IF(ANY(3, MSG_FASTOPEN | MSG_MORE)), NOTIFY },
	{ IF(ANY(4, ALL_BITS)), NOTIFY },
	{ IF(HIGH(4)), NOTIFY },
	{ FREE },
};

static const struct filter_rule rules_prlimit[] = {
	{ IF(IS(0, 0)), FREE },
	{ IF(ANY(2, ALL_BITS)), NOTIFY },
	{ IF(HIGH(2)), NOTIFY },
	{ FREE },
};

static const struct filter_rule rules_pid[] = {
	{ IF(IS(0, 0)), FREE },
	{ NOTIFY },
};

static const struct filter_rule rules_setpgid[] = {
	{ IF(IS(1, 0)), FREE }, /* a group of its own */
	{ NOTIFY },
};

static const struct filter_rule rules_setpriority[] = {
	{ IF(IS(0, 0 /* PRIO_PROCESS */), IS(1, 0)), FREE },
	{ NOTIFY },
};

static const struct filter_rule rules_ioprio[] = {
	{ IF(IS(0, 1 /* IOPRIO_WHO_PROCESS */), IS(1, 0)), FREE },
	{ NOTIFY },
};

static const struct filter_rule rules_signal[] = {
	{ .below = 6, NOTIFY },
	{ FREE },
};

static const struct filter_rule rules_prctl[] = {
	{ IF(IS(0, PR_SET_CHILD_SUBREAPER)), NOTIFY },
	{ IF(IS(0, PR_GET_NO_NEW_PRIVS)), NOTIFY },
	{ IF(IS(0, PR_SET_MM)), REFUSE },
	{ FREE },
};

#define NEW_NAMESPACES                                                                             \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
		CLONE_NEWPID | CLONE_NEWNET)
#define NEW_TIME 0x80u /* CLONE_NEWTIME; in clone() a part of the signal number */

/* Notified only so that somebody says why: the gate refuses every one. */
static const struct filter_rule rules_unshare[] = {
	{ IF(ANY(0, NEW_NAMESPACES | NEW_TIME)), NOTIFY },
	{ FREE },
};

/* CLONE_PARENT would hand children to the keeper that it did not start. */
static const struct filter_rule rules_clone[] = {
	{ IF(ANY(0, NEW_NAMESPACES)), NOTIFY },
	{ IF(ANY(0, CLONE_PARENT)), REFUSE },
	{ FREE },
};

#define SET_DELEGATION 1040 /* F_SETDELEG */

/* A descriptor that is watched signals its owner when something comes: a process that was set, also
 * by whoever passed it in, or the foreground group of a terminal. Landlock keeps such signals
 * inside from ABI 6 on. Below it none is watched, none is given an owner, and none that is watched
 * already gets another signal. */
static const struct filter_rule rules_fcntl[] = {
	{ IF(IS(1, F_SETLEASE)), REFUSE },
	{ IF(IS(1, SET_DELEGATION)), REFUSE },
	{ IF(IS(1, F_SETOWN)), .below = 6, ERROR(EPERM) },
	{ IF(IS(1, F_SETOWN_EX)), .below = 6, ERROR(EPERM) },
	{ IF(IS(1, F_SETSIG)), .below = 6, ERROR(EPERM) },
	{ IF(IS(1, F_SETFL), ANY(2, O_ASYNC)), .below = 6, ERROR(EPERM) },
	{ IF(IS(1, F_NOTIFY)), .below = 6, ERROR(EPERM) },
	{ FREE },
};

static const struct filter_rule rules_seccomp[] = {
	{ IF(IS(0, 1 /* SET_MODE_FILTER */), ANY(1, 1u << 3 /* NEW_LISTENER */)), REFUSE },
	{ FREE },
};

#define TYPE(v) MASKED(1, ~(uint32_t)(SOCK_NONBLOCK | SOCK_CLOEXEC), v)
/* Multipath TCP, SCTP and the rest have ways to send that nobody looks at;
 * programs that try them first fall back on EPROTONOSUPPORT. Raw packets and ping's are
 * refused as well, by the gate, which says why. */
#define INTERNET(family)                                                                           \
	{ IF(IS(0, family), TYPE(SOCK_STREAM), IS(2, 0)), FREE },                                  \
		{ IF(IS(0, family), TYPE(SOCK_STREAM), IS(2, IPPROTO_TCP)), FREE },                \
		{ IF(IS(0, family), TYPE(SOCK_DGRAM), IS(2, 0)), FREE },                           \
		{ IF(IS(0, family), TYPE(SOCK_DGRAM), IS(2, IPPROTO_UDP)), FREE },                 \
		{ IF(IS(0, family), TYPE(SOCK_RAW)), NOTIFY },                                     \
		{ IF(IS(0, family), TYPE(SOCK_DGRAM), IS(2, IPPROTO_ICMP)), NOTIFY },              \
		{ IF(IS(0, family), TYPE(SOCK_DGRAM), IS(2, IPPROTO_ICMPV6)), NOTIFY },            \
	{                                                                                          \
		IF(IS(0, family)), ERROR(EPROTONOSUPPORT)                                          \
	}

static const struct filter_rule rules_socket[] = {
	{ IF(IS(0, AF_UNIX)), FREE },
	INTERNET(AF_INET),
	INTERNET(AF_INET6),
	{ IF(IS(0, AF_NETLINK), IS(2, 0 /* NETLINK_ROUTE */)), FREE },
	{ IF(IS(0, AF_NETLINK), IS(2, 15 /* NETLINK_KOBJECT_UEVENT */)), FREE },
	{ IF(IS(0, AF_NETLINK)), ERROR(EPROTONOSUPPORT) },
	{ REFUSE },
};

static const struct filter_rule rules_socketpair[] = {
	{ IF(IS(0, AF_UNIX)), FREE },
	{ REFUSE },
};

/* A source route is written into the packet, which then goes to its first hop
 * and not to the address that was decided. A device takes a packet out even if
 * its address is the loopback's. And who joins a group tells the network, in a
 * packet that nobody decided about, an address of his choice. */
/* clang-format off */
#define SOCKET(option) { IF(IS(1, SOL_SOCKET), IS(2, option)), REFUSE }
#define IPV4(option) { IF(IS(1, IPPROTO_IP), IS(2, option)), REFUSE }
#define IPV6(option) { IF(IS(1, IPPROTO_IPV6), IS(2, option)), REFUSE }
/* clang-format on */

static const struct filter_rule rules_setsockopt[] = {
	SOCKET(25 /* SO_BINDTODEVICE */),
	SOCKET(36 /* SO_MARK */),
	SOCKET(62 /* SO_BINDTOIFINDEX */),
	{ IF(IS(1, SOL_SOCKET)), FREE },
	/* A thread that writes to such a socket keeps a lock that what is sent on behalf waits
	 * for, also without blocking. */
	{ IF(IS(1, IPPROTO_TCP), IS(2, 31 /* TCP_ULP */)), ERROR(ENOPROTOOPT) },
	{ IF(IS(1, IPPROTO_TCP)), FREE },
	IPV4(IP_OPTIONS),
	IPV4(50 /* IP_UNICAST_IF */),
	IPV4(35 /* IP_ADD_MEMBERSHIP */),
	IPV4(39 /* IP_ADD_SOURCE_MEMBERSHIP */),
	IPV4(42 /* MCAST_JOIN_GROUP */),
	IPV4(46 /* MCAST_JOIN_SOURCE_GROUP */),
	{ IF(IS(1, IPPROTO_IP)), FREE },
	IPV6(IPV6_2292HOPOPTS),
	IPV6(IPV6_2292DSTOPTS),
	IPV6(IPV6_2292RTHDR),
	IPV6(IPV6_2292PKTOPTIONS),
	IPV6(IPV6_HOPOPTS),
	IPV6(IPV6_RTHDRDSTOPTS),
	IPV6(IPV6_RTHDR),
	IPV6(IPV6_DSTOPTS),
	IPV6(9 /* IPV6_NEXTHOP */),
	IPV6(32 /* IPV6_FLOWLABEL_MGR: a label can hold a routing header */),
	IPV6(50 /* IPV6_PKTINFO */),
	IPV6(76 /* IPV6_UNICAST_IF */),
	IPV6(20 /* IPV6_JOIN_GROUP */),
	IPV6(27 /* IPV6_JOIN_ANYCAST */),
	IPV6(42 /* MCAST_JOIN_GROUP */),
	IPV6(46 /* MCAST_JOIN_SOURCE_GROUP */),
	/* What is sent on behalf would wait for more, and more needs no address. */
	{ IF(IS(1, IPPROTO_UDP), IS(2, 1 /* UDP_CORK */)), ERROR(ENOPROTOOPT) },
	{ FREE },
};

/* The second byte of a command says whose it is. File systems change inodes by
 * ioctl through descriptors that are open for reading alone; what only asks is
 * listed, and so is FICLONE*, which wants a writable one. */
#define KIND(byte) MASKED(1, 0xff00u, (uint32_t)(byte) << 8)

static const struct filter_rule rules_ioctl[] = {
	{ IF(IS(1, TIOCSTI)), REFUSE },
	{ IF(IS(1, TIOCLINUX)), REFUSE },
	{ IF(IS(1, TIOCCONS)), REFUSE },
	{ IF(IS(1, TIOCSETD)), REFUSE },
	{ IF(IS(1, 0x5441 /* TIOCGPTPEER */)), NOTIFY },
	{ IF(IS(1, FIOASYNC)), .below = 6, REFUSE },
	{ IF(KIND('T')), FREE },
	{ IF(IS(1, 0x8901 /* FIOSETOWN */)), .below = 6, REFUSE },
	{ IF(IS(1, 0x8902 /* SIOCSPGRP */)), .below = 6, REFUSE },
	{ IF(IS(1, 0x80086601 /* FS_IOC_GETFLAGS */)), FREE },
	{ IF(IS(1, 0xc020660b /* FS_IOC_FIEMAP */)), FREE },
	{ IF(IS(1, 0xc0046686 /* FS_IOC_MEASURE_VERITY */)), FREE },
	{ IF(IS(1, 0x400c6615 /* FS_IOC_GET_ENCRYPTION_POLICY */)), FREE },
	{ IF(IS(1, 0xc0096616 /* FS_IOC_GET_ENCRYPTION_POLICY_EX */)), FREE },
	{ IF(IS(1, 0x801c581f /* FS_IOC_FSGETXATTR */)), FREE },
	{ IF(IS(1, 0x80087601 /* FS_IOC_GETVERSION */)), FREE },
	{ IF(IS(1, 0x81009431 /* FS_IOC_GETFSLABEL */)), FREE },
	{ IF(IS(1, 0x40049409 /* FICLONE */)), FREE },
	{ IF(IS(1, 0x4020940d /* FICLONERANGE */)), FREE },
	{ IF(IS(1, 0x80047210 /* FAT_IOCTL_GET_ATTRIBUTES */)), FREE },
	{ IF(IS(1, 0x80047213 /* FAT_IOCTL_GET_VOLUME_ID */)), FREE },
	{ IF(IS(1, 0x4b33 /* KDGKBTYPE */)), FREE },
	{ IF(IS(1, 0x4b3b /* KDGETMODE */)), FREE },
	{ IF(IS(1, 0x4b44 /* KDGKBMODE */)), FREE },
	{ IF(IS(1, 0x5603 /* VT_GETSTATE */)), FREE },
	{ IF(KIND('f')), REFUSE },  /* flags, verity, encryption; ext4, f2fs, ubifs */
	{ IF(KIND('X')), REFUSE },  /* xfs, and freeze, thaw, trim for all */
	{ IF(KIND('v')), REFUSE },  /* generation numbers */
	{ IF(KIND(0x94)), REFUSE }, /* btrfs, labels, FIDEDUPERANGE */
	{ IF(KIND('r')), REFUSE },  /* FAT attributes */
	{ IF(KIND(0x83)), REFUSE }, /* DOS attributes of ZFS */
	{ IF(KIND(0xf5)), REFUSE }, /* f2fs */
	{ IF(KIND(0xbc)), REFUSE }, /* bcachefs */
	{ IF(KIND(0xcf)), REFUSE }, /* SMB */
	{ IF(KIND(0x97)), REFUSE }, /* Ceph */
	{ IF(KIND('K')), REFUSE },  /* keyboard and font of the console */
	{ IF(KIND('V')), REFUSE },  /* switching consoles */
	{ FREE },
};

/* clang-format off */
#define LIST(rules) { rules, sizeof(rules) / sizeof((rules)[0]) }
/* clang-format on */

static const struct {
	const struct filter_rule *rules;
	size_t n;
} lists[TEST_N] = {
	[TEST_OPEN] = LIST(rules_open),
	[TEST_OPENAT] = LIST(rules_openat),
	[TEST_SENDTO] = LIST(rules_sendto),
	[TEST_PRLIMIT] = LIST(rules_prlimit),
	[TEST_PID] = LIST(rules_pid),
	[TEST_SETPGID] = LIST(rules_setpgid),
	[TEST_SETPRIORITY] = LIST(rules_setpriority),
	[TEST_IOPRIO] = LIST(rules_ioprio),
	[TEST_SIGNAL] = LIST(rules_signal),
	[TEST_PRCTL] = LIST(rules_prctl),
	[TEST_UNSHARE] = LIST(rules_unshare),
	[TEST_CLONE] = LIST(rules_clone),
	[TEST_FCNTL] = LIST(rules_fcntl),
	[TEST_SECCOMP] = LIST(rules_seccomp),
	[TEST_SOCKET] = LIST(rules_socket),
	[TEST_SOCKETPAIR] = LIST(rules_socketpair),
	[TEST_SETSOCKOPT] = LIST(rules_setsockopt),
	[TEST_IOCTL] = LIST(rules_ioctl),
};

const struct filter_rule *
filter_rules(enum sys_test test, size_t *ret_n)
{
	if ((unsigned)test >= TEST_N || lists[test].rules == NULL)
		return NULL;
	*ret_n = lists[test].n;
	return lists[test].rules;
}
