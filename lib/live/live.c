/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to a door's private socket into guests of it. The loop that calls this
 * supervises a tree, or answers an agent: so nothing here blocks, and each guest has a
 * bound in number, in what it may say at once and in what it may leave unread. Who
 * connects is the person, unless it is shown that it is not: see live-peer.c. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "live/live-private.h"
#include "live/live.h"

#define EVENTS 32
#define AWAIT_MS 500 /* one who watches is there in a few; the machine may be busy */
#define ACCEPTS 32   /* at once: others than those who connect want the loop, too */

void
live_lock(struct live *live)
{
	if (live->o.desk)
		desk_lock(live->o.desk);
}

void
live_unlock(struct live *live)
{
	if (live->o.desk)
		desk_unlock(live->o.desk);
}

/* -- guests ----------------------------------------------------------------------------- */

static int
set_guest_events(struct live *live, struct guest *guest, int op)
{
	struct epoll_event event = {
		.events = (guest->leaving ? 0 : EPOLLIN) | (guest->waits ? EPOLLOUT : 0),
		.data.ptr = guest,
	};

	return epoll_ctl(live->epoll, op, guest->fd, &event);
}

static void
resume_listening(struct live *live)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (live->deaf && live->listener >= 0 &&
		epoll_ctl(live->epoll, EPOLL_CTL_ADD, live->listener, &event) == 0)
		live->deaf = false;
}

static void
remove_guest(struct live *live, struct guest *guest)
{
	struct guest **at = &live->guests;

	while (*at != guest)
		at = &(*at)->next;
	*at = guest->next;
	live->n_guests--;
	if (guest->watches) {
		atomic_fetch_sub(&live->watchers, 1);
		live->changed = true;
	}
	guest_destroy(guest);
	/* There may have been no descriptor for another. */
	resume_listening(live);
}

/* Sends what was said to it; a guest that does not take it, and lets it grow, goes. */
static void
flush_guest_output(struct live *live, struct guest *guest)
{
	bool waits = guest->waits;

	if (!guest_write(guest)) {
		remove_guest(live, guest);
		return;
	}
	guest->waits = guest->sent < guest->out.len;
	if (guest->leaving && !guest->waits)
		remove_guest(live, guest);
	else if (guest->leaving || guest->waits != waits)
		set_guest_events(live, guest, EPOLL_CTL_MOD);
}

static void
serve_all_out(struct live *live)
{
	struct guest *next;

	for (struct guest *guest = live->guests; guest; guest = next) {
		next = guest->next;
		if (guest->out.len > 0 || guest->out.failed)
			flush_guest_output(live, guest);
	}
}

/* Takes the descriptor. Closed at once, it would break under one who speaks first and then
 * listens; and nobody is waited for. So it stays until others were refused, too. */
static void
say_no(struct live *live, int fd, const char *why)
{
	auto_json json_t *message = json_pack("{s:s s:n s:{s:i s:s}}", "jsonrpc", "2.0", "id",
		"error", "code", LIVE_NOT_YOU, "message", why);
	auto_free char *text = message ? json_line(message) : NULL;
	auto_free char *line = text ? str_printf("%s\n", text) : NULL;
	int *kept = &live->refused[live->n_refused++ % LIVE_REFUSED_KEPT];

	if (line)
		(void)!send(fd, line, strlen(line), MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	fd_close_at(kept);
	*kept = fd;
}

static void
admit_guest(struct live *live, int fd)
{
	const char *objection = peer_objection(fd, false);
	struct guest *guest;

	if (!objection && live->n_guests >= LIVE_CLIENTS_MAX)
		objection = "too many clients at once";
	if (objection) {
		say_no(live, fd, objection);
		return;
	}
	guest = guest_create(live, fd);
	if (!guest)
		return;
	if (set_guest_events(live, guest, EPOLL_CTL_ADD) < 0) {
		guest_destroy(guest);
		return;
	}
	guest->next = live->guests;
	live->guests = guest;
	live->n_guests++;
}

static void
accept_guests(struct live *live)
{
	for (int i = 0; i < ACCEPTS; i++) {
		int fd = accept4(live->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			admit_guest(live, fd);
			continue;
		}
		/* Out of descriptors it would be told for ever: nobody new is heard until
		 * something else happens here, and the door goes on. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
			live->deaf =
				epoll_ctl(live->epoll, EPOLL_CTL_DEL, live->listener, NULL) == 0;
			return;
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

/* -- who is on his way ---------------------------------------------------------------------- */

static void
start_await_timer(struct live *live)
{
	const struct itimerspec moment = { .it_value.tv_nsec = AWAIT_MS * 1000000 };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &live->awaits };

	if (!live->o.asks || !place_attended(live->dir))
		return;
	live->awaits = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (live->awaits >= 0 && timerfd_settime(live->awaits, 0, &moment, NULL) == 0 &&
		epoll_ctl(live->epoll, EPOLL_CTL_ADD, live->awaits, &event) == 0)
		atomic_store(&live->awaited, true);
}

/* He came, or he does not. */
static void
await_no_more(struct live *live)
{
	atomic_store(&live->awaited, false);
	fd_close_at(&live->awaits);
	live->awaits = -1;
	live->changed = true;
}

/* -- what the door calls ------------------------------------------------------------------ */

static bool
is_guest(const struct live *live, const void *data)
{
	for (const struct guest *guest = live->guests; guest; guest = guest->next)
		if (guest == data)
			return true;
	return false;
}

/* Told once, when all that came is done: the desk looks at everything anyway. */
static void
tell_desk(struct live *live)
{
	if (!live->changed || !live->o.desk)
		return;
	live->changed = false;
	desk_lock(live->o.desk);
	desk_look(live->o.desk);
	desk_unlock(live->o.desk);
}

void
live_ready(struct live *live)
{
	struct epoll_event events[EVENTS];
	int n;

	if (!live)
		return;
	n = epoll_wait(live->epoll, events, EVENTS, 0);
	for (int i = 0; i < n; i++) {
		struct guest *guest = events[i].data.ptr;

		if (!guest)
			accept_guests(live);
		else if (events[i].data.ptr == &live->awaits)
			await_no_more(live);
		else if (is_guest(live, guest) && (events[i].events & ~EPOLLOUT) != 0 &&
			 !guest_read(guest))
			remove_guest(live, guest);
		if (guest && is_guest(live, guest))
			flush_guest_output(live, guest);
	}
	serve_all_out(live);
	tell_desk(live);
}

void
live_notice(struct live *live)
{
	if (!live)
		return;
	resume_listening(live);
	told_update(live);
	serve_all_out(live);
	tell_desk(live);
}

int
live_fd(const struct live *live)
{
	return live ? live->epoll : -1;
}

/* One who is on his way counts: else the first question of all would be refused before
 * he could hear of it. */
unsigned
live_watched(const struct live *live)
{
	unsigned n;

	if (!live || !live->o.asks)
		return 0;
	n = atomic_load(&live->watchers);
	return n == 0 && atomic_load(&live->awaited) ? 1 : n;
}

/* -- its life --------------------------------------------------------------------------------- */

static int
start_listening(struct live *live, struct ambit_error *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	int r = place_open(live->o.directory, true, &live->dir, err);

	if (r == 0)
		r = place_listen(live->dir, &live->listener, live->name, err);
	if (r < 0)
		return r;
	live->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (live->epoll < 0 || epoll_ctl(live->epoll, EPOLL_CTL_ADD, live->listener, &event) < 0)
		return err_sys(err, errno, "epoll");
	start_await_timer(live);
	return 0;
}

int
live_create(const struct live_options *options, struct live **ret_live, struct ambit_error *err)
{
	struct live *live = calloc(1, sizeof(*live));
	int r;

	if (!live)
		return err_nomem(err);
	live->o = *options;
	live->started = clock_now();
	pthread_mutex_init(&live->lock, NULL);
	live->channel =
		(struct desk_channel){ .type = &told_channel, .row = channel_row_find("watch") };
	live->dir = live->listener = live->epoll = live->awaits = -1;
	for (size_t i = 0; i < LIVE_REFUSED_KEPT; i++)
		live->refused[i] = -1;
	live->what = str_dup(options->what ? options->what : "");
	r = live->what ? start_listening(live, err) : err_nomem(err);
	if (r < 0) {
		live_destroy(live);
		return r;
	}
	if (live->o.desk && live->o.asks)
		desk_add(live->o.desk, &live->channel);
	*ret_live = live;
	return 0;
}

void
live_destroy(struct live *live)
{
	if (!live)
		return;
	if (live->channel.desk)
		desk_remove(live->channel.desk, &live->channel);
	if (live->listener >= 0)
		unlinkat(live->dir, live->name, 0);
	while (live->guests) {
		guest_write(live->guests); /* last words, if there is room for them */
		remove_guest(live, live->guests);
	}
	told_forget(live);
	for (size_t i = 0; i < LIVE_REFUSED_KEPT; i++)
		fd_close_at(&live->refused[i]);
	fd_close_at(&live->listener);
	fd_close_at(&live->awaits);
	fd_close_at(&live->epoll);
	fd_close_at(&live->dir);
	pthread_mutex_destroy(&live->lock);
	free(live->what);
	free(live);
}
