/* SPDX-License-Identifier: Apache-2.0 */
/* utime, utimes, futimesat and utimensat: whatever form the times have in the
 * target's memory becomes two timespecs here, once; they are set on the object
 * that is held. Untarring makes one such call per file, on a descriptor. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "base/str.h"
#include "line/calls/call-meta.h"
#include "perform/act.h"
#include "perform/permit.h"

static bool
is_nsec(long nsec)
{
	return nsec == UTIME_NOW || nsec == UTIME_OMIT || (nsec >= 0 && nsec < 1000000000);
}

static int
from_timeval(const struct timeval in[2], struct timespec out[2])
{
	for (int i = 0; i < 2; i++) {
		if (in[i].tv_usec < 0 || in[i].tv_usec >= 1000000)
			return -EINVAL;
		out[i] = (struct timespec){ in[i].tv_sec, in[i].tv_usec * 1000 };
	}
	return 0;
}

static int
read_utimbuf(struct call *call, uint64_t address, struct timespec times[2])
{
	struct utimbuf in = { 0 };
	int r = target_read(&call->target, address, &in, sizeof(in));

	if (r < 0)
		return r;
	times[0] = (struct timespec){ .tv_sec = in.actime };
	times[1] = (struct timespec){ .tv_sec = in.modtime };
	return 0;
}

static int
read_timevals(struct call *call, uint64_t address, struct timespec times[2])
{
	struct timeval in[2] = { 0 };
	int r = target_read(&call->target, address, in, sizeof(in));

	return r < 0 ? r : from_timeval(in, times);
}

static int
read_timespecs(struct call *call, uint64_t address, struct timespec times[2])
{
	int r = target_read(&call->target, address, times, 2 * sizeof(times[0]));

	if (r < 0)
		return r;
	return is_nsec(times[0].tv_nsec) && is_nsec(times[1].tv_nsec) ? 0 : -EINVAL;
}

static int
copy_times(struct call *call, uint64_t address)
{
	struct timespec *times = call->utime.times;

	switch (call->row->form) {
	case FORM_UTIME_SECONDS:
		return read_utimbuf(call, address, times);
	case FORM_UTIME_TIMEVAL:
		return read_timevals(call, address, times);
	case FORM_UTIME_TIMESPEC:
		return read_timespecs(call, address, times);
	default:
		return -EPERM;
	}
}

static int
read_times(struct call *call)
{
	uint64_t address = call->args[call->row->path + 1];
	int r = 0;

	if (call->utime.kind != TIMES_UNREAD)
		return 0;
	if (address != 0)
		r = copy_times(call, address);
	if (r == 0)
		call->utime.kind = address != 0 ? TIMES_GIVEN : TIMES_NOW;
	return r;
}

static bool
both_are(const struct utime_call *utime, long nsec)
{
	return utime->kind == TIMES_GIVEN && utime->times[0].tv_nsec == nsec &&
	       utime->times[1].tv_nsec == nsec;
}

static bool
sets_both_to_now(const struct utime_call *utime)
{
	return utime->kind == TIMES_NOW || both_are(utime, UTIME_NOW);
}

static int
resolve_times(struct call *call)
{
	const struct sys_row *row = call->row;
	int flags = call_int(call, row->flags);
	int dirfd = row->dirfd >= 0 ? call_int(call, row->dirfd) : AT_FDCWD;

	/* futimens: a descriptor and no path. */
	if (row->dirfd >= 0 && call->args[row->path] == 0 && dirfd != AT_FDCWD)
		return flags ? -EINVAL : meta_resolve_fd(call, dirfd);
	return meta_resolve(call, flags, OBJECT_FOLLOW);
}

static int
prepare_utime(struct call *call)
{
	int r;

	call_begin(call);
	r = read_times(call);
	if (r < 0)
		return r;
	if (both_are(&call->utime, UTIME_OMIT))
		return call_value(call, 0);
	r = resolve_times(call);
	if (r < 0)
		return r;
	/* Who may write may set it to now; anything else only who owns it. */
	if (meta_may_own(call) < 0) {
		if (!sets_both_to_now(&call->utime))
			return -EPERM;
		r = call_may(call, 0, W_OK);
		if (r < 0)
			return r;
	}
	return meta_decide(call);
}

static int
perform_utime(struct call *call, struct pass *pass)
{
	const struct utime_call *utime = &call->utime;

	return meta_done(call,
		act_utimens(pass, meta_fd(call), utime->kind == TIMES_GIVEN ? utime->times : NULL));
}

const struct call_op call_utime = {
	.prepare = prepare_utime,
	.perform = perform_utime,
};
