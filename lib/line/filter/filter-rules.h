/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FILTER_FILTER_RULES_H
#define LINE_FILTER_FILTER_RULES_H

#include "line/filter/syscall.h"

/* What the filter looks at in the arguments of a SYS_TEST call: a list of
 * rules, the first that holds decides, the last one always holds. Data, so
 * that the assembler and a test read the same. */

#define SYS_NUMBERS 512 /* every number lies below */

enum sys_test {
	TEST_NONE = 0,
	TEST_OPEN,
	TEST_OPENAT,
	TEST_SENDTO,
	TEST_PRLIMIT,
	TEST_PID,
	TEST_SETPGID,
	TEST_SETPRIORITY,
	TEST_IOPRIO,
	TEST_SIGNAL,
	TEST_PRCTL,
	TEST_UNSHARE,
	TEST_CLONE,
	TEST_FCNTL,
	TEST_SECCOMP,
	TEST_SOCKET,
	TEST_SOCKETPAIR,
	TEST_SETSOCKOPT,
	TEST_IOCTL,
	TEST_N,
};

enum filter_compare {
	COMPARE_END = 0,
	COMPARE_IS,  /* (argument & mask) == value */
	COMPARE_ANY, /* argument & mask, any bit */
};

#define FILTER_CONDITIONS 3

/* Of an argument's low half; the kernel takes int, unsigned int and flags from
 * there alone. Pointers need both. */
struct filter_condition {
	enum filter_compare compare;
	unsigned char arg;
	bool high;
	uint32_t mask;
	uint32_t value;
};

struct filter_rule {
	struct filter_condition all[FILTER_CONDITIONS]; /* none: it always holds */
	int below;	  /* only where the floor's ABI is lower than this; 0: everywhere */
	enum sys_do what; /* SYS_REFUSE, SYS_FREE or SYS_NOTIFY */
	int error;	  /* SYS_REFUSE: 0 means the row's own */
};

/* The list of a test, and its length; NULL if there is no such test. */
const struct filter_rule *filter_rules(enum sys_test test, size_t *ret_n);

#endif
