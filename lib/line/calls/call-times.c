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

/* number[0]: whether there are times at all; number[1]: both are now. */
#define GIVEN number[0]
#define NOW number[1]

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

/* Puts struct timespec[2] into call->data, from whatever form this call has. */
static int
copy_times(struct call *call, uint64_t address)
{
	struct timespec times[2];
	int r = -EPERM;

	if (call->row->form == FORM_UTIME_SECONDS)
		r = read_utimbuf(call, address, times);
	else if (call->row->form == FORM_UTIME_TIMEVAL)
		r = read_timevals(call, address, times);
	else if (call->row->form == FORM_UTIME_TIMESPEC)
		r = read_timespecs(call, address, times);
	if (r < 0)
		return r;
	call->data = malloc(sizeof(times));
	if (!call->data)
		return -ENOMEM;
	memcpy(call->data, times, sizeof(times));
	call->len = sizeof(times);
	return 0;
}

static int
read_times(struct call *call)
{
	uint64_t address = call->args[call->row->path + 1];
	const struct timespec *times;
	int r;

	if (call->data || call->NOW)
		return 0;
	call->NOW = address == 0;
	if (address == 0)
		return 0;
	r = copy_times(call, address);
	if (r < 0)
		return r;
	times = call->data;
	call->GIVEN = true;
	call->NOW = times[0].tv_nsec == UTIME_NOW && times[1].tv_nsec == UTIME_NOW;
	return 0;
}

static bool
leaves_both(const struct call *call)
{
	const struct timespec *times = call->data;

	return call->GIVEN && times[0].tv_nsec == UTIME_OMIT && times[1].tv_nsec == UTIME_OMIT;
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
	if (leaves_both(call))
		return call_value(call, 0);
	r = resolve_times(call);
	if (r < 0)
		return r;
	/* Who may write may set it to now; anything else only who owns it. */
	if (meta_may_own(call) < 0) {
		if (!call->NOW)
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
	return meta_done(call, act_utimens(pass, meta_fd(call), call->GIVEN ? call->data : NULL));
}

const struct call_op call_utime = {
	.prepare = prepare_utime,
	.perform = perform_utime,
};
