/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and held calls. A thread that is held takes no signal until its call ends. So the call
 * is answered with one of the kernel's own restart errors: the signal acts, the kernel makes the
 * same call again, and that call takes up the question that is still open. A program must never
 * see such an error. The kernel takes it away only from a thread whose flag for waiting signals
 * is set, and /proc does not show that flag. It is set if a signal waits for this very thread, or
 * for a process that has no other thread. In any other case the thread is interrupted by ptrace,
 * which sets it.
 *
 * The restarted call comes from a program that nobody trusts: its memory may have changed. It
 * must ask for exactly the same, else it is decided anew. */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/program.h"
#include "base/str.h"
#include "line/gate/gate-private.h"

/* Errors that only the kernel knows. */
#define RESTART_UNLESS_EINTR 512 /* ERESTARTSYS: EINTR after a handler without SA_RESTART */
#define RESTART_ALWAYS 513	 /* ERESTARTNOINTR */

#define AWAY_MS 2000 /* for a call to come again: its signal handler runs meanwhile */

/* Until a restarted call is received again, the kernel itself ends it with EINTR if a signal comes
 * whose handler has no SA_RESTART. So a signal that is caught and comes again and again, that of a
 * fast timer, acts at intervals that grow. */
#define CALM_MS 80 /* without a signal, and they act at once again: those of a slow timer */
#define PAUSE_LEAST_MS 10
#define PAUSE_MAX_MS 1000

/* At once, of one session. Each has a worker of its own, so that none waits in a queue while its
 * thread dies and another gets the number. */
#define INTERRUPTS_MAX 8

/* -- out ------------------------------------------------------------------------- */

static int
choose_restart_error(const struct call *call)
{
	/* A FIFO without a reader is waited for, so its open has an EINTR of its own. */
	bool fifo = call->row->op == OP_OPEN && call->n_objects > 0 && call->object[0].exists &&
		    S_ISFIFO(call->object[0].st.st_mode);

	return call->row->interruptible || fifo ? RESTART_UNLESS_EINTR : RESTART_ALWAYS;
}

/* The thread and the program that it runs: a question is about that program. An image that
 * cannot be told is 0. */
static bool
read_identity(
	const struct call *call, uint64_t *ret_start, struct stat *ret_exe, uint64_t *ret_image)
{
	struct target_who who;
	char path[PATH_MAX];

	if (target_start(&call->target, ret_start) < 0 || target_who(&call->target, &who) < 0 ||
		target_exe(call->target.tid, path, ret_exe) < 0)
		return false;
	*ret_image = images_find(call->gate->images, &who);
	return true;
}

/* It is away before it is answered: the restarted call may be received at once. */
static void
send_call_away(struct gate *gate, struct held *held, int error)
{
	struct stat exe = { 0 };

	if (!read_identity(held->call, &held->start, &exe, &held->image))
		held->start = 0; /* it dies: gate_is_lost */
	held->exe_dev = exe.st_dev;
	held->exe_ino = exe.st_ino;
	held->away_since = clock_steady();
	held->state = HELD_AWAY;
	atomic_fetch_add(&gate->away, 1);
	if (gate_send_error(gate, held->call->id, error) < 0)
		held->start = 0;
}

bool
gate_is_lost(const struct held *held)
{
	uint64_t start;

	return held->start == 0 || clock_steady() - held->away_since > AWAY_MS ||
	       target_start(&held->call->target, &start) < 0 || start != held->start;
}

/* -- by ptrace --------------------------------------------------------------------- */

struct interrupt {
	struct gate *gate;
	pid_t tid;
	uint64_t id; /* of its notification */
};

/* The caller holds gate->taking. */
static struct held *
find_interrupting(struct gate *gate, uint64_t id)
{
	struct held *held;

	pthread_mutex_lock(&gate->lock);
	held = gate->held;
	while (held && (held->state != HELD_INTERRUPTING || held->call->id != id))
		held = held->next;
	pthread_mutex_unlock(&gate->lock);
	return held;
}

/* It stops on its way out of the call, or dies. A stop for a signal gives that signal back. */
static void
release_thread(pid_t tid)
{
	long sig = 0;
	int status;

	while (waitpid(tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return;
	if (!WIFSTOPPED(status))
		return;
	if (status >> 16 == 0)
		sig = WSTOPSIG(status);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)sig);
}

/* In a worker: a program can make PTRACE_SEIZE wait, for as long as it likes. */
static void
interrupt_thread(void *data)
{
	struct interrupt *interrupt = data;
	struct gate *gate = interrupt->gate;
	pid_t tid = interrupt->tid;
	/* A number is given out again: never one of a thread that may be gone. */
	bool seized =
		gate_is_valid(gate, interrupt->id) && ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0;
	bool interrupted = seized && ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
	struct held *held;

	pthread_mutex_lock(&gate->taking);
	held = find_interrupting(gate, interrupt->id);
	if (held && interrupted) {
		send_call_away(gate, held, choose_restart_error(held->call));
	} else if (held) {
		held->state = HELD_WAITING;
		held->untraceable = true;
	}
	pthread_mutex_unlock(&gate->taking);
	if (seized)
		release_thread(tid);
	atomic_fetch_sub(&gate->interrupting, 1);
	free(interrupt);
}

static void
start_interrupt(struct gate *gate, struct held *held)
{
	struct interrupt *interrupt;

	if (atomic_load(&gate->interrupting) >= INTERRUPTS_MAX)
		return;
	interrupt = malloc(sizeof(*interrupt));
	if (!interrupt)
		return;
	*interrupt = (struct interrupt){ gate, held->call->target.tid, held->call->id };
	held->state = HELD_INTERRUPTING;
	atomic_fetch_add(&gate->interrupting, 1);
	if (work_add(gate->tracers, interrupt_thread, interrupt) < 0) {
		atomic_fetch_sub(&gate->interrupting, 1);
		held->state = HELD_WAITING;
		free(interrupt);
	}
}

/* -- which of them ----------------------------------------------------------------- */

/* Another thread may take a process-wide signal. If it is still pending at the second look, no
 * other thread will. */
static void
handle_shared_signal(struct gate *gate, struct held *held)
{
	if (!held->shared)
		held->shared = true;
	else if (!held->untraceable)
		start_interrupt(gate, held);
	else if (choose_restart_error(held->call) == RESTART_UNLESS_EINTR)
		send_call_away(gate, held, EINTR);
}

/* One that stops or ends the program acts at once, and so does one that has not acted yet. */
static bool
is_signal_due(struct held *held, const struct target_signals *signals)
{
	uint64_t waits = signals->own | signals->shared;
	int64_t now = clock_steady();

	if (waits == 0) {
		if (now - held->waited_at >= CALM_MS) {
			held->acted = 0;
			held->pause_ms = 0;
		}
		return false;
	}
	held->waited_at = now;
	return now >= held->act_at || (waits & ~(held->acted & signals->caught)) != 0;
}

static void
note_acting_signals(struct held *held, const struct target_signals *signals)
{
	held->acted |= signals->own | signals->shared;
	held->pause_ms = held->pause_ms == 0 ? PAUSE_LEAST_MS : held->pause_ms * 2;
	if (held->pause_ms > PAUSE_MAX_MS)
		held->pause_ms = PAUSE_MAX_MS;
}

void
gate_let_signals_act(struct gate *gate, struct held *held)
{
	struct target_signals signals;

	/* One that is answered goes on at once. */
	if (held->settled || held->call->begun || target_signals(&held->call->target, &signals) < 0)
		return;
	if (!is_signal_due(held, &signals)) {
		held->shared = false;
		/* No signal waits any more when its process stops: another thread took it. */
		if (signals.threads > 1 && target_must_stop(&held->call->target))
			send_call_away(gate, held, choose_restart_error(held->call));
		return;
	}
	if (signals.own != 0 || signals.threads == 1)
		send_call_away(gate, held, choose_restart_error(held->call));
	else
		handle_shared_signal(gate, held);
	if (held->state != HELD_WAITING)
		note_acting_signals(held, &signals);
	held->shared = held->shared && signals.shared != 0;
}

/* -- and in again ------------------------------------------------------------------ */

static bool
is_restart_of(const struct held *held, const struct call *call)
{
	uint64_t start, image;
	struct stat exe;

	/* exec keeps the thread's number and start time, but brings another program. An answer
	 * is for a call that comes soon: a late one is asked about anew. */
	return held->state == HELD_AWAY && !(held->settled && gate_is_lost(held)) &&
	       held->call->target.tid == call->target.tid && held->call->row == call->row &&
	       memcmp(held->call->args, call->args, sizeof(call->args)) == 0 &&
	       read_identity(call, &start, &exe, &image) && start == held->start &&
	       image == held->image && exe.st_dev == held->exe_dev && exe.st_ino == held->exe_ino;
}

struct held *
gate_take_restarted(struct gate *gate, const struct call *call)
{
	struct held *held;

	if (atomic_load(&gate->away) == 0 || call->round != ROUND_NONE)
		return NULL;
	pthread_mutex_lock(&gate->taking);
	pthread_mutex_lock(&gate->lock);
	held = gate->held;
	while (held && !is_restart_of(held, call))
		held = held->next;
	pthread_mutex_unlock(&gate->lock);
	if (held) {
		held->state = HELD_RETURNING;
		atomic_fetch_sub(&gate->away, 1);
	}
	pthread_mutex_unlock(&gate->taking);
	return held;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && streq(a, b));
}

static bool
same_objects(const struct call *a, const struct call *b)
{
	if (a->n_objects != b->n_objects)
		return false;
	for (unsigned i = 0; i < a->n_objects; i++)
		if (!object_same(&a->object[i], &b->object[i]) ||
			!streq(a->object[i].written, b->object[i].written) ||
			!same_text(a->object[i].leads, b->object[i].leads))
			return false;
	return true;
}

/* All that was copied from the program's memory, and all that was found by it. A difference in
 * padding would only ask once more. */
static bool
same_call(const struct call *a, const struct call *b)
{
	const size_t from = offsetof(struct call, open), to = offsetof(struct call, text);

	if (a->n_needs != b->n_needs || memcmp(a->need, b->need, a->n_needs * sizeof(a->need[0])))
		return false;
	if (memcmp((const char *)a + from, (const char *)b + from, to - from) != 0)
		return false;
	if (!same_text(a->host, b->host) || !same_text(a->text, b->text))
		return false;
	if (a->len != b->len || (a->len > 0 && memcmp(a->data, b->data, a->len) != 0))
		return false;
	return a->pace == b->pace && same_objects(a, b);
}

bool
gate_hold_again(struct gate *gate, struct held *held, struct call **call)
{
	bool same = same_call(held->call, *call);

	pthread_mutex_lock(&gate->taking);
	if (same) {
		call_finish(held->call);
		free(held->call);
		held->call = *call;
		*call = NULL;
		held->state = HELD_WAITING;
		held->shared = false;
		held->act_at = clock_steady() + held->pause_ms;
	} else {
		gate_withdraw_held(gate, held);
	}
	pthread_mutex_unlock(&gate->taking);
	if (!same)
		return false;
	/* The loop may have found nothing to look after meanwhile, and sleep; and the answer may be
	 * there already. */
	gate_wake(gate);
	return true;
}
