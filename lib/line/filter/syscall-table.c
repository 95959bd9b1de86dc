/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of syscall-rows.h as a table, and the way from a number to its row.
 * The number comes from the kernel (a notification, the filter's own
 * architecture check came before), so no number is trusted to have a row. */

#include <errno.h>

#include "line/filter/filter-rules.h"
#include "line/filter/syscall.h"

/* Reasons that many rows share. */
#define BY_FD "acts on a descriptor; opening or connecting it was decided"
#define OWN "concerns only the calling process"
#define OWN_MEMORY "concerns only the caller's own memory"
#define LOOKS "looks and changes nothing; what can be read is the floor's"
#define WAITS "waits and changes nothing"
#define MAKES "concerns a descriptor that only the caller has"
#define TELLS "tells something and changes nothing"
#define AS_PTRACE "the kernel asks as for ptrace, which Landlock refuses outside the tree"
#define NEEDS_CAP "needs a capability, and all of them were dropped"
#define NO_GAIN "without capabilities only among the ids it has; work on behalf compares them"
#define GONE "not in Linux any more"
#define MOUNTS "mounts change what every path means"
#define MACHINE "concerns the whole machine"

#define ARGS(dirfd1, path1, second, path_second, flag)                                             \
	.dirfd = (dirfd1), .path = (path1), .dirfd2 = (second), .path2 = (path_second),            \
	.flags = (flag)
#define NO_ARGS ARGS(-1, -1, -1, -1, -1)
#define PATH(path) ARGS(-1, path, -1, -1, -1)
#define AT(dirfd, path, flags) ARGS(dirfd, path, -1, -1, flags)
#define TWO(dirfd, path, dirfd2, path2, flags) ARGS(dirfd, path, dirfd2, path2, flags)

/* After these, argument lists are expanded already: they take what is left. */
#define FREE(...) .what = SYS_FREE, NO_ARGS, .text = __VA_ARGS__
#define REFUSE(code, ...) .what = SYS_REFUSE, .error = (code), NO_ARGS, .text = __VA_ARGS__
#define NOTIFY(call, how, args, abi, ...)                                                          \
	.what = SYS_NOTIFY, .op = (call), .form = (how), args, .floor = (abi), .text = __VA_ARGS__
#define TEST(rules, code, call, how, args, abi, ...)                                               \
	.what = SYS_TEST, .test = (rules), .error = (code), .op = (call), .form = (how), args,     \
	.floor = (abi), .text = __VA_ARGS__

/* Stands behind the reason of a call that has an EINTR of its own. */
#define MAY_EINTR .interruptible = true

enum row {
#define ROW(call, x, a, ...) ROW_##call,
#include "line/filter/syscall-rows.h"
#undef ROW
	ROW_N,
};

static const struct sys_row rows[ROW_N] = {
#define ROW(call, x, a, ...)                                                                       \
	[ROW_##call] = { .name = #call, .x86_64 = (x), .aarch64 = (a), __VA_ARGS__ },
#include "line/filter/syscall-rows.h"
#undef ROW
};

#if defined(__x86_64__) && !defined(__ILP32__)
#define NUMBER(x, a) (x)
#elif defined(__aarch64__) && !defined(__ILP32__)
#define NUMBER(x, a) (a)
#else
#error "the numbers of this architecture's system calls are not known"
#endif

/* One more than the row's place; 0: none. What has no number here gets a slot
 * of its own past the last number, so that no slot is filled twice. */
static const uint16_t by_number[SYS_NUMBERS + ROW_N] = {
#define ROW(call, x, a, ...)                                                                       \
	[NUMBER(x, a) >= 0 ? NUMBER(x, a) : SYS_NUMBERS + ROW_##call] = ROW_##call + 1,
#include "line/filter/syscall-rows.h"
#undef ROW
};

const struct sys_row *
sys_find(int nr)
{
	if (nr < 0 || nr >= SYS_NUMBERS || by_number[nr] == 0)
		return NULL;
	return &rows[by_number[nr] - 1];
}

const struct sys_row *
sys_at(size_t i)
{
	return i < ROW_N ? &rows[i] : NULL;
}
