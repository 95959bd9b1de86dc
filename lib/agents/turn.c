/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to a turn: takes a ticket, looks who is ahead, waits, looks again.
 * Numbering, looking and marking are done under a lock of the directory, which nobody
 * holds for longer than that and nobody waits for without end. It is one that readers
 * cannot take: the agents whose turns these are can read the directory, and are not
 * trusted. Trusts the user's own processes outside of the line. */

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#include "agents/turn-private.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "record/lock.h"

#define MUTEX 1u /* the one lock that is used of the table */
#define MUTEX_FILE "turns.lock"
#define MUTEX_MS 30000

/* The end of a turn is seen at once, by the removal of its ticket. The death of a process
 * is not: so whoever is next looks whether the one before it lives. A look at all of them
 * is for all who wait to make, and costs as much as there are tickets: the more there are,
 * the rarer, so that they take a twentieth of a core together. */
#define CHECK_MS 100
#define LOOK_MS(n) (5 * CHECK_MS + (int)((n) * (n) / 6))
#define LEAVE_STEP_MS 20
#define FEW 32 /* who are told at once when another is first in line */

struct turn {
	int dir;
	int fd;
	int removals; /* of tickets: an inotify, once it had to wait; or -1 */
	char id[TURN_ID];
};

static void
turn_end_at(struct turn **turn)
{
	turn_end(*turn);
}

static void
tickets_finish_at(struct tickets *tickets)
{
	tickets_finish(tickets);
}

static void
locks_close_at(struct locks **locks)
{
	locks_close(*locks);
}

#define auto_turn __attribute__((cleanup(turn_end_at)))
#define auto_tickets __attribute__((cleanup(tickets_finish_at)))
#define auto_locks __attribute__((cleanup(locks_close_at)))

/* -- the directory ----------------------------------------------------------------- */

static int
check_request(const struct turn_request *request, struct ambit_error *err)
{
	if (request->folder[0] != '/' || strlen(request->folder) >= PATH_MAX)
		return err_set(err, EINVAL, "a turn is for the real path of a folder, not '%.200s'",
			request->folder);
	if (strlen(request->parent) >= TURN_ID)
		return err_set(err, EINVAL, "'%.200s' is not the id of a turn", request->parent);
	return 0;
}

static int
open_dir(const char *path, struct ambit_error *err)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "%s: cannot be made", path);
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(err, ENOTDIR, "%s: not a directory: move it away", path);
	if (dir < 0 || fstat(dir, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != geteuid())
		return err_set(err, EPERM, "%s: belongs to user %u, not to you: move it away", path,
			(unsigned)st.st_uid);
	if ((st.st_mode & 0777) != 0700 && fchmod(dir, 0700) < 0)
		return err_sys(err, errno, "%s: cannot be made private", path);
	return steal_fd(&dir);
}

/* Closing it leaves the lock. */
static int
lock_turn_mutex(const char *dir, struct locks **ret_locks, struct ambit_error *err)
{
	struct timespec pause = { .tv_nsec = 500000 };
	auto_free char *path = str_printf("%s/" MUTEX_FILE, dir);
	auto_locks struct locks *locks = NULL;
	int64_t end = clock_steady() + MUTEX_MS;
	int r;

	if (!path)
		return err_nomem(err);
	for (;;) {
		r = locks ? 0 : locks_open(path, &locks, err);
		if (r == 0)
			r = locks_take(locks, MUTEX, true);
		if (r == 0)
			break;
		if (r != -EBUSY)
			return r;
		if (clock_steady() >= end)
			return err_set(err, EBUSY,
				"%s: another ambit has kept it locked for too long: try again",
				path);
		nanosleep(&pause, NULL);
		/* Many who come at once must not keep each other busy. */
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec += pause.tv_nsec / 2 + getpid() % 1000 * 100;
	}
	*ret_locks = steal_ptr(&locks);
	return 0;
}

/* -- one's own ticket ---------------------------------------------------------------- */

static int
take_ticket(struct turn *turn, const struct turn_request *request, struct ambit_error *err)
{
	auto_locks struct locks *locks = NULL;
	auto_tickets struct tickets tickets = { 0 };
	uint64_t number;
	int r = lock_turn_mutex(request->dir, &locks, err);

	if (r == 0)
		r = tickets_read(turn->dir, &tickets, err);
	if (r < 0)
		return r;
	if (tickets.n >= TURN_TICKETS)
		return err_set(err, EBUSY, "%d agents run or wait already: let some end first",
			TURN_TICKETS);
	/* The table may have been made anew, or be damaged; the tickets are what counts. */
	number = locks_stamp(locks);
	if (number < tickets.last || number >= NUMBER_MAX - 1)
		number = tickets.last;
	turn->fd = ticket_create(turn->dir, request, number + 1, turn->id, err);
	if (turn->fd < 0)
		return turn->fd;
	locks_set_stamp(locks, number + 1);
	return 0;
}

/* What a look found. */
struct seen {
	char *whom;	     /* as it is told; owned */
	char first[TURN_ID]; /* whose words that are */
	char last[TURN_ID];  /* "": any end may be one's turn */
	size_t n;	     /* how many there are */
};

static void
seen_finish(struct seen *seen)
{
	free(seen->whom);
}

#define auto_seen __attribute__((cleanup(seen_finish)))

static int
describe_ahead(const struct ahead *ahead, size_t n, struct seen *seen)
{
	const struct ticket *first = ahead->first;
	auto_free char *who =
		first->odd ? str_dup(first->id) : str_escape(first->who, strlen(first->who));

	memcpy(seen->first, first->id, sizeof(seen->first));
	if (ahead->last)
		memcpy(seen->last, ahead->last->id, sizeof(seen->last));
	seen->n = n;
	seen->whom =
		who ? str_printf("%s%s", who, ahead->full ? ", and as many as may run at once" : "")
		    : NULL;
	return seen->whom ? 0 : -ENOMEM;
}

/* 1: it is one's turn; 0: not yet, *seen says why. */
static int
try_start_turn(struct turn *turn, const struct turn_request *request, struct seen *seen,
	struct ambit_error *err)
{
	auto_locks struct locks *locks = NULL;
	auto_tickets struct tickets tickets = { 0 };
	struct ahead ahead;
	int r = lock_turn_mutex(request->dir, &locks, err);

	if (r == 0)
		r = tickets_read(turn->dir, &tickets, err);
	if (r < 0)
		return r;
	r = tickets_ahead(&tickets, turn->id, request->at_once, &ahead);
	if (r < 0)
		return err_set(
			err, -r, "%s/%s: somebody removed it: ask again", request->dir, turn->id);
	if (ahead.first)
		return describe_ahead(&ahead, tickets.n, seen) < 0 ? err_nomem(err) : 0;
	r = ticket_mark_running(turn->fd, err);
	return r < 0 ? r : 1;
}

/* -- waiting --------------------------------------------------------------------------- */

/* -1 where it cannot be had: then looking from time to time has to do. */
static int
watch_removals(int dir)
{
	char path[32];
	auto_close int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (fd < 0 || inotify_add_watch(fd, path, IN_DELETE | IN_ONLYDIR) < 0)
		return -1;
	return steal_fd(&fd);
}

static void
drain_removals(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof(events)) > 0)
		;
}

/* Until a ticket goes, or for some time. 1: one went; 0; -ECANCELED. */
static int
pause_until(int removals, int cancel, int ms)
{
	struct pollfd fds[] = {
		{ .fd = cancel, .events = POLLIN },
		{ .fd = removals, .events = POLLIN },
	};

	if (poll(fds, 2, ms) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[0].revents)
		return -ECANCELED;
	if (!fds[1].revents)
		return 0;
	drain_removals(removals);
	return 1;
}

/* Whether it may be one's turn, or there is something else to tell: without looking at
 * all of them. */
static bool
is_worth_a_look(const struct turn *turn, const struct seen *seen, bool removal)
{
	if (seen->last[0] == '\0')
		return removal || !ticket_is_held(turn->dir, seen->first);
	if (!ticket_is_held(turn->dir, seen->last))
		return true;
	return seen->n <= FEW && !ticket_is_held(turn->dir, seen->first);
}

/* first: the watch has just begun, and what went before it was not seen. */
static int
wait_for_change(const struct turn *turn, const struct seen *seen, bool first, int cancel)
{
	int64_t end = clock_steady() + LOOK_MS(seen->n);
	int r = first;

	while (r >= 0 && clock_steady() < end && !is_worth_a_look(turn, seen, r > 0))
		r = pause_until(turn->removals, cancel, CHECK_MS);
	return r < 0 ? r : 0;
}

static int
wait_for_turn(struct turn *turn, const struct turn_request *request, struct ambit_error *err)
{
	auto_free char *told = NULL;

	for (;;) {
		auto_seen struct seen seen = { 0 };
		bool first = !told;
		int r = try_start_turn(turn, request, &seen, err);

		if (r != 0)
			return r < 0 ? r : 0;
		if (request->waiting && (first || !streq(told, seen.whom)))
			request->waiting(request->data, seen.whom);
		if (first)
			turn->removals = watch_removals(turn->dir);
		free(told);
		told = steal_ptr(&seen.whom);
		r = wait_for_change(turn, &seen, first, request->cancel);
		if (r == -ECANCELED)
			return err_set(err, ECANCELED, "given up while waiting for %s", told);
		if (r < 0)
			return err_sys(err, -r, "cannot wait for a turn");
	}
}

/* -- the turn ---------------------------------------------------------------------------- */

int
turn_take(const struct turn_request *request, struct turn **ret_turn, struct ambit_error *err)
{
	auto_turn struct turn *turn = NULL;
	int r = check_request(request, err);

	if (r < 0)
		return r;
	turn = calloc(1, sizeof(*turn));
	if (!turn)
		return err_nomem(err);
	turn->fd = turn->removals = -1;
	turn->dir = r = open_dir(request->dir, err);
	if (r >= 0)
		r = take_ticket(turn, request, err);
	if (r >= 0)
		r = wait_for_turn(turn, request, err);
	if (r < 0)
		return r;
	*ret_turn = steal_ptr(&turn);
	return 0;
}

const char *
turn_id(const struct turn *turn)
{
	return turn->id;
}

int
turn_fd(const struct turn *turn)
{
	return turn->fd;
}

void
turn_leave(struct turn *turn, int wait_ms)
{
	int64_t until = clock_steady() + wait_ms;

	if (!turn)
		return;
	fd_close_at(&turn->fd);
	while (ticket_is_held(turn->dir, turn->id) && clock_steady() < until)
		poll(NULL, 0, LEAVE_STEP_MS);
	/* Who finds it dead removes it. */
	turn_end(turn);
}

void
turn_end(struct turn *turn)
{
	if (!turn)
		return;
	/* The file first: others who have the lock may live, by a fork that was meant
	 * for something else. */
	if (turn->fd >= 0) {
		unlinkat(turn->dir, turn->id, 0);
		close(turn->fd);
	}
	/* Takes a while in the kernel: when nobody waits for it any more. */
	if (turn->removals >= 0)
		close(turn->removals);
	if (turn->dir >= 0)
		close(turn->dir);
	free(turn);
}
