/* SPDX-License-Identifier: Apache-2.0 */
/* The thread on the seccomp listener. It trusts nothing that a notification
 * points to, and answers every one: a call that nobody answers would hang for
 * good. What can be decided and done at once is done right here; what may
 * block goes to a worker, what must be asked is held. */

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/thread.h"
#include "egress/egress.h"
#include "engine/line.h"
#include "line/socket/endpoint.h"
#include "line/gate/gate-private.h"
#include "line/socket/socket-substitute.h"
#include "perform/act.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

/* -- answers ----------------------------------------------------------------- */

bool
gate_is_valid(const struct gate *gate, uint64_t id)
{
	return ioctl(gate->o.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

int
gate_send_error(const struct gate *gate, uint64_t id, int error)
{
	struct seccomp_notif_resp resp = { .id = id, .error = -error };

	return ioctl(gate->o.listener, SECCOMP_IOCTL_NOTIF_SEND, &resp) < 0 ? -errno : 0;
}

/* The descriptor becomes the call's result in one step: between two, the
 * target could be killed and the descriptor be left in it. */
static int
send_fd(struct call *call)
{
	struct seccomp_notif_addfd add = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)call->answer.fd,
		.newfd_flags = call->answer.cloexec ? O_CLOEXEC : 0,
	};
	int r = ioctl(call->gate->o.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ? -errno : 0;

	close(call->answer.fd);
	call->answer.fd = -1;
	return r;
}

/* What came of an act that was recorded before it was done. */
static void
end_permit(struct call *call, int result)
{
	if (!call->permit)
		return;
	gate_lock(call->gate);
	ambit_permit_finish(call->permit, result, NULL);
	gate_unlock(call->gate);
	call->permit = NULL;
}

static void
send_answer(struct call *call)
{
	struct seccomp_notif_resp resp = { .id = call->id };
	struct answer *answer = &call->answer;

	if (answer->kind == ANSWER_FD) {
		int r = send_fd(call);

		if (r == 0)
			gate_gave(call);
		/* ENOENT: it is gone; else its own limit of descriptors. */
		if (r == 0 || r == -ENOENT)
			return;
		*answer = (struct answer){ .error = r == -EMFILE ? EMFILE : EACCES, .fd = -1 };
	}
	switch (answer->kind) {
	case ANSWER_CONTINUE:
		resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		break;
	case ANSWER_VALUE:
		resp.val = answer->value;
		break;
	default:
		resp.error = -(answer->error > 0 ? answer->error : EACCES);
	}
	/* ENOENT: killed meanwhile. */
	ioctl(call->gate->o.listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

void
gate_answer(struct call *call)
{
	send_answer(call);
	end_permit(call, call->answer.kind == ANSWER_ERROR ? -call->answer.error : 0);
}

void
gate_drop(struct call *call, int error)
{
	end_permit(call, -error);
}

void
gate_fail(struct call *call, int error)
{
	call->answer = (struct answer){ .error = error, .fd = -1 };
	gate_answer(call);
}

void
gate_continue(struct call *call)
{
	call->answer = (struct answer){ .kind = ANSWER_CONTINUE, .fd = -1 };
	gate_answer(call);
}

/* -- the thread -------------------------------------------------------------- */

/* A call struct is large; the one at hand is used again unless it was held. */
static bool
fresh_call(struct gate *gate, struct call **call, const struct seccomp_notif *notif)
{
	if (!*call) {
		*call = calloc(1, sizeof(**call));
		if (!*call)
			return false;
		call_init(*call);
	}
	(*call)->gate = gate;
	(*call)->id = notif->id;
	(*call)->row = sys_find(notif->data.nr);
	for (size_t i = 0; i < 6; i++)
		(*call)->args[i] = notif->data.args[i];
	(*call)->answer = (struct answer){ .fd = -1 };
	target_init(&(*call)->target, (pid_t)notif->pid);
	if (gate->last.tid == (pid_t)notif->pid) {
		(*call)->target = gate->last;
		target_init(&gate->last, 0);
	}
	return true;
}

/* Its handles are kept for the next call: they can mean no other thread,
 * whoever has the number by then. */
static void
done_with(struct gate *gate, struct call *call)
{
	if (!call->target.whole) {
		target_finish(&gate->last);
		gate->last = call->target;
		target_init(&call->target, 0);
	}
	/* It spans many pages; most calls are answered before it is filled. */
	if (call->round != ROUND_NONE)
		call_finish(call);
}

/* Nobody has the filter any more: nothing will come. */
static bool
is_orphan(const struct gate *gate)
{
	struct pollfd fd = { .fd = gate->o.listener };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLHUP);
}

/* struct sched_attr of every kernel; the C library may not have it. */
struct schedule {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

#define SLICE_NS 100000 /* the least that the kernel takes */

/* A thread that asks for short slices is run sooner when it is woken (from Linux 6.12 on). Until a
 * call is received, a signal ends it with EINTR. Best effort. */
static void
wake_soon(void)
{
	struct schedule schedule = { .size = sizeof(schedule) };

	if (syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0) < 0 ||
		schedule.policy != SCHED_OTHER)
		return;
	schedule.runtime = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &schedule, 0);
}

static void *
receive_calls(void *data)
{
	struct gate *gate = data;
	struct call *call = NULL;
	/* The kernel's struct may be larger than the one this was built with. */
	union {
		struct seccomp_notif notif;
		char room[512];
	} in;

	act_thread();
	wake_soon();
	target_init(&gate->last, 0);
	while (!atomic_load(&gate->stopping)) {
		memset(&in, 0, sizeof(in));
		if (ioctl(gate->o.listener, SECCOMP_IOCTL_NOTIF_RECV, &in) < 0) {
			/* ENOENT: killed before it was received, or there is nobody
			 * left who could be; EINTR: look at stopping. */
			if (errno == EINTR || (errno == ENOENT && !is_orphan(gate)))
				continue;
			break;
		}
		atomic_fetch_add(&gate->calls, 1);
		if (!fresh_call(gate, &call, &in.notif)) {
			/* Without memory, too, there is an answer. */
			gate_send_error(gate, in.notif.id, ENOMEM);
			continue;
		}
		gate_handle(gate, &call);
		if (call)
			done_with(gate, call);
	}
	target_finish(&gate->last);
	free(call);
	return NULL;
}

/* -- life -------------------------------------------------------------------- */

static void
ignore_signal(int sig)
{
	(void)sig;
}

int
gate_create(const struct gate_options *options, struct gate **ret_gate, struct ambit_error *err)
{
	struct gate *gate = calloc(1, sizeof(*gate));
	struct sigaction act = { .sa_handler = ignore_signal };

	if (!gate) {
		close(options->listener);
		if (options->proxy >= 0)
			close(options->proxy);
		return err_nomem(err);
	}
	gate->o = *options;
	gate->abi = floor_in_force(options->floor);
	gate->net = ambit_engine_net(options->engine);
	gate->network = endpoint_network();
	gate->root = geteuid() == 0;
	pthread_mutex_init(&gate->taking, NULL);
	pthread_mutex_init(&gate->lock, NULL);
	gate->made = session_objects_create();
	gate->images = images_create();
	gate->substitutes = substitutes_create();
	gate->work = work_create(act_thread);
	gate->answers = work_create(act_thread);
	gate->tracers = work_create(NULL);
	gate->counts = run_counts_create();
	gate->quick = gate_quick_create();
	gate->staged = staged_create();
	/* Without SA_RESTART: it is there to interrupt. */
	sigaction(GATE_SIGNAL, &act, &gate->before);
	if (!gate->made || !gate->images || !gate->work || !gate->answers || !gate->tracers ||
		!gate->counts || !gate->quick || !gate->staged || !gate->substitutes) {
		gate_destroy(gate);
		return err_nomem(err);
	}
	/* Best effort: without it everything works, slower. */
	ioctl(gate->o.listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	if (gate_make_egress(gate) < 0) {
		gate_destroy(gate);
		return err_nomem(err);
	}
	*ret_gate = gate;
	return 0;
}

int
gate_start(struct gate *gate, struct ambit_error *err)
{
	static const struct thread_options options = { .open_signal = GATE_SIGNAL };
	int r = thread_start(&gate->thread, &options, receive_calls, gate);

	if (r < 0)
		return err_sys(err, -r, "the supervisor's thread");
	gate->started = true;
	return 0;
}

/* A signal that comes just before the thread blocks is lost: again, then. */
static void
join_thread(struct gate *gate)
{
	struct timespec until;

	do {
		pthread_kill(gate->thread, GATE_SIGNAL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 2000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
	} while (pthread_timedjoin_np(gate->thread, NULL, &until) != 0);
	gate->started = false;
}

void
gate_stop(struct gate *gate)
{
	if (!gate)
		return;
	atomic_store(&gate->stopping, true);
	if (gate->started)
		join_thread(gate);
	gate_drop_held(gate);
	work_destroy(gate->work);
	work_destroy(gate->answers);
	work_destroy(gate->tracers);
	gate->work = gate->answers = gate->tracers = NULL;
	/* Nobody joins it any more. */
	egress_destroy(gate->egress);
	gate->egress = NULL;
	/* A worker may have come to a question of its own meanwhile. */
	gate_drop_held(gate);
	gate_forget_promises(gate);
	staged_settle(gate, true);
}

void
gate_destroy(struct gate *gate)
{
	if (!gate)
		return;
	gate_stop(gate);
	close(gate->o.listener);
	if (gate->o.proxy >= 0)
		close(gate->o.proxy);
	sigaction(GATE_SIGNAL, &gate->before, NULL);
	session_objects_sweep(gate->made);
	session_objects_destroy(gate->made);
	images_destroy(gate->images);
	substitutes_destroy(gate->substitutes);
	run_counts_destroy(gate->counts);
	gate_quick_destroy(gate->quick);
	staged_destroy(gate->staged);
	free(gate->self_restricted);
	gate_given_finish(gate);
	pthread_mutex_destroy(&gate->taking);
	pthread_mutex_destroy(&gate->lock);
	free(gate);
}

void
gate_lock(struct gate *gate)
{
	if (gate->o.desk)
		desk_lock(gate->o.desk);
}

void
gate_unlock(struct gate *gate)
{
	if (gate->o.desk)
		desk_unlock(gate->o.desk);
}

bool
gate_may_ask(struct gate *gate)
{
	bool may;

	gate_lock(gate);
	may = gate->o.desk && desk_has_person(gate->o.desk);
	gate_unlock(gate);
	return may;
}

void
gate_wake(struct gate *gate)
{
	gate->o.wake(gate->o.data);
}

/* -- what it knows ------------------------------------------------------------ */

int
gate_install(struct call *call, int fd, int number, bool cloexec)
{
	struct seccomp_notif_addfd add = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD,
		.srcfd = (uint32_t)fd,
		.newfd = (uint32_t)number,
		.newfd_flags = cloexec ? O_CLOEXEC : 0,
	};

	return ioctl(call->gate->o.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ? -errno : 0;
}

bool
gate_covers(struct gate *gate, const char *real)
{
	return floor_covers(gate->o.floor, real);
}

bool
gate_may_make(struct gate *gate, const char *real)
{
	bool may = grounds_of(gate_grounds(gate), real) != GROUND_NONE;

	gate_lock(gate);
	may = may || engine_may_make(gate->o.engine, real);
	gate_unlock(gate);
	return may;
}

bool
gate_opens(struct gate *gate, const char *dir)
{
	bool opens;

	gate_lock(gate);
	opens = engine_may_open_dir(gate->o.engine, dir);
	gate_unlock(gate);
	return opens;
}

bool
gate_in_git(struct gate *gate, const char *dir)
{
	bool in;

	gate_lock(gate);
	in = engine_in_git(gate->o.engine, dir);
	gate_unlock(gate);
	return in;
}

bool
gate_opens_beside(struct gate *gate, const char *real)
{
	bool opens;

	gate_lock(gate);
	opens = engine_opens_beside(gate->o.engine, real);
	gate_unlock(gate);
	return opens;
}

bool
gate_git_guards(struct gate *gate, const char *path)
{
	bool guards;

	gate_lock(gate);
	guards = engine_git_guards(gate->o.engine, path);
	gate_unlock(gate);
	return guards;
}

struct grounds *
gate_grounds(struct gate *gate)
{
	return floor_grounds(gate->o.floor);
}

void
gate_connected(struct gate *gate)
{
	atomic_store(&gate->connected, true);
}

int
gate_report(struct gate *gate, struct ambit_run_result *result)
{
	result->calls = atomic_load(&gate->calls);
	result->asked = atomic_load(&gate->asked);
	result->blind = atomic_load(&gate->blind);
	result->unread = atomic_load(&gate->unread);
	result->connected = atomic_load(&gate->connected);
	return run_counts_report(gate->counts, result);
}
