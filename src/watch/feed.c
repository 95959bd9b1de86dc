/* SPDX-License-Identifier: Apache-2.0 */
/* Live sessions and the record into calls of a sink. The sockets' other ends are doors of
 * the same user; what they say is checked by the library, and one that says nonsense is
 * left alone. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "feed.h"

#include "ask/question-copy.h"
#include "base/err.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "live/live.h"
#include "record/upkeep.h"

#define HELLO_MS 200  /* the screen waits meanwhile */
#define RECORD_MS 200 /* as `ambit log --follow` */
#define NO_RECORD_MS 1000
#define LIST_MS 5000 /* should a notice of the directory be lost */
#define NO_DIRECTORY_MS 500

/* A name is there a moment before its socket listens, and whoever would be asked on it
 * may ask at once: when to look again after a notice. */
static const int burst_ms[] = { 2, 5, 20, 100, 500 };
#define BURST (sizeof(burst_ms) / sizeof(burst_ms[0]))

struct peer {
	uint64_t party;
	char *name;
	struct link *link; /* NULL: it did not want us; not tried again */
	bool seen;	   /* in the last listing */
};

struct feed {
	char *live, *state, *session;
	struct feed_sink sink;
	int epoll, inotify;
	bool watched; /* the directory, by inotify */
	int attend;   /* what says so to sessions that start; or -1 */
	struct peer *peers;
	size_t n;
	uint64_t parties;
	int64_t next_list;
	bool list_told; /* that they cannot be listed */
	size_t burst;	/* how many looks since the last notice; BURST: enough */
	struct ambit_record *record;
	int64_t tail, version, last_id, next_record;
	bool record_told; /* that it cannot be read */
};

/* -- peers ------------------------------------------------------------------ */

static void
remove_peer(struct feed *feed, size_t i)
{
	struct peer peer = feed->peers[i];

	feed->n--;
	memmove(&feed->peers[i], &feed->peers[i + 1], (feed->n - i) * sizeof(peer));
	if (peer.link != NULL)
		feed->sink.left(feed->sink.data, peer.party);
	link_close(peer.link);
	free(peer.name);
}

static struct peer *
find_linked_peer(const struct feed *feed, uint64_t party)
{
	for (size_t i = 0; i < feed->n; i++)
		if (feed->peers[i].party == party && feed->peers[i].link != NULL)
			return &feed->peers[i];
	return NULL;
}

static void
take_question(struct feed *feed, const struct peer *peer, const char *params)
{
	struct ambit_question question;
	struct ambit_error err = { 0 };

	if (live_question(params, &question, &err) < 0) {
		feed->sink.trouble(feed->sink.data, "a question that is not understood", err.text);
		return;
	}
	feed->sink.question(feed->sink.data, peer->party, &question, params);
	question_finish(&question);
}

static void
take_closed(struct feed *feed, const struct peer *peer, const char *params)
{
	auto_json json_t *object = NULL;
	const char *how, *text;

	if (json_parse(params, strlen(params), &object, NULL) < 0)
		return;
	how = json_string_value(json_object_get(object, "how"));
	text = json_string_value(json_object_get(object, "text"));
	feed->sink.closed(feed->sink.data, peer->party,
		(uint64_t)json_integer_value(json_object_get(object, "id")),
		how != NULL ? how : "gone", text != NULL ? text : "it has ended");
}

/* All that came; false: it is gone. */
static bool
read_peer_messages(struct feed *feed, const struct peer *peer)
{
	const char *method, *params;
	int r;

	while ((r = link_next(peer->link, &method, &params, NULL)) == 1)
		if (streq(method, "question"))
			take_question(feed, peer, params);
		else if (streq(method, "closed"))
			take_closed(feed, peer, params);
	return r == 0;
}

static void
drain_party(struct feed *feed, uint64_t party)
{
	struct peer *peer = find_linked_peer(feed, party);

	if (peer != NULL && !read_peer_messages(feed, peer))
		remove_peer(feed, (size_t)(peer - feed->peers));
}

/* -- finding them ----------------------------------------------------------- */

static int
open_peer_link(struct feed *feed, const char *name, struct link **ret_link, uint64_t party,
	struct ambit_error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = party };
	struct link *link = NULL;
	int r = link_open(feed->live, name, &link, err);

	if (r == 0)
		r = link_call(link, "watch", NULL, NULL, err);
	if (r == 0 && epoll_ctl(feed->epoll, EPOLL_CTL_ADD, link_fd(link), &event) < 0)
		r = err_sys(err, errno, "epoll");
	if (r < 0)
		link_close(link);
	else
		*ret_link = link;
	return r;
}

/* One that is just ending is no trouble. */
static bool
is_gone(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED || r == -EPIPE || r == -ECONNRESET;
}

static int
add_live_peer(void *data, const struct live_entry *entry)
{
	struct feed *feed = data;
	struct ambit_error err = { 0 };
	struct peer *more, peer = { .party = feed->parties + 1, .seen = true };
	int r;

	for (size_t i = 0; i < feed->n; i++)
		if (streq(feed->peers[i].name, entry->name)) {
			feed->peers[i].seen = true;
			return 0;
		}
	/* It is met when it answers. */
	if (entry->mute || (feed->session != NULL && !streq(feed->session, entry->session)))
		return 0;
	more = realloc(feed->peers, (feed->n + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	feed->peers = more;
	peer.name = str_dup(entry->name);
	if (peer.name == NULL)
		return -ENOMEM;
	r = open_peer_link(feed, entry->name, &peer.link, peer.party, &err);
	/* One that is busy, or has many guests, is met at the next look. */
	if (r == -ETIMEDOUT || r == -EAGAIN) {
		free(peer.name);
		return 0;
	}
	feed->parties++;
	feed->peers[feed->n++] = peer;
	if (r == 0)
		feed->sink.came(feed->sink.data, peer.party, entry);
	else if (!is_gone(r))
		feed->sink.trouble(feed->sink.data, entry->session, err.text);
	return 0;
}

/* Those that did not want us may have gone, and their names mean others later. */
static void
remove_unseen_peers(struct feed *feed)
{
	for (size_t i = feed->n; i-- > 0;)
		if (feed->peers[i].link == NULL && !feed->peers[i].seen)
			remove_peer(feed, i);
}

/* From here on sessions that start wait a moment for us, also where only one is looked
 * for: its name is not known before. That makes the directory, too, if nobody has yet. */
static void
watch_directory(struct feed *feed)
{
	const uint32_t news = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

	if (feed->watched)
		return;
	if (feed->attend >= 0)
		close(feed->attend);
	feed->attend = live_attend(feed->live, NULL);
	feed->watched = inotify_add_watch(feed->inotify, feed->live, news) >= 0;
}

static void
list_live_sessions(struct feed *feed)
{
	struct ambit_error err = { 0 };
	uint64_t before = feed->parties;
	int r;

	watch_directory(feed);
	for (size_t i = 0; i < feed->n; i++)
		feed->peers[i].seen = false;
	r = live_each(feed->live, HELLO_MS, add_live_peer, feed, &err);
	if (r < 0 && !feed->list_told)
		feed->sink.trouble(feed->sink.data, "live sessions", err.text);
	feed->list_told = r < 0;
	remove_unseen_peers(feed);
	/* What each had to say at once came with the reply. */
	while (before < feed->parties)
		drain_party(feed, ++before);
	feed->next_list = clock_steady() + (feed->burst < BURST	   ? burst_ms[feed->burst++]
						   : feed->watched ? LIST_MS
								   : NO_DIRECTORY_MS);
}

static void
hear_directory(struct feed *feed)
{
	char text[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(feed->inotify, text, sizeof(text))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(text + at);

			if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
				feed->watched = false;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	feed->burst = 0;
	feed->next_list = 0;
}

/* -- the record ------------------------------------------------------------- */

static int
tell_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct feed *feed = data;

	feed->last_id = id;
	if (feed->tail != 0)
		feed->sink.event(feed->sink.data, id, event);
	return 0;
}

/* Without a wish for old events, the last is looked up to know where new ones begin; in
 * a record that was not there before, all are new. */
static int
read_old(struct feed *feed, struct ambit_error *err)
{
	struct ambit_event_filter filter = { .session = feed->session,
		.last = feed->tail == 0	 ? 1
			: feed->tail > 0 ? feed->tail
					 : 0 };
	int r = ambit_record_open(feed->state, AMBIT_RECORD_READ, &feed->record, err);

	if (r < 0)
		return r;
	feed->version = record_version(feed->record);
	r = ambit_record_events(feed->record, &filter, tell_event, feed, err);
	feed->tail = -1; /* what comes from now on is new */
	return r;
}

static int
read_new(struct feed *feed, struct ambit_error *err)
{
	struct ambit_event_filter filter = { .session = feed->session, .after_id = feed->last_id };
	int64_t now = record_version(feed->record);

	if (now == feed->version)
		return 0;
	feed->version = now;
	return ambit_record_events(feed->record, &filter, tell_event, feed, err);
}

static void
look_at_record(struct feed *feed)
{
	struct ambit_error err = { 0 };
	int r = feed->record == NULL ? read_old(feed, &err) : read_new(feed, &err);

	if (r == -ENOENT)
		feed->tail = feed->tail == 0 ? -1 : feed->tail; /* all that comes is new */
	else if (r < 0 && !feed->record_told)
		feed->sink.trouble(feed->sink.data, "the record", err.text);
	feed->record_told = r < 0 && r != -ENOENT;
	feed->next_record = clock_steady() + (feed->record != NULL ? RECORD_MS : NO_RECORD_MS);
}

/* -- all of it -------------------------------------------------------------- */

int
feed_create(const char *live, const char *state, const char *session, int64_t tail,
	const struct feed_sink *sink, struct feed **ret_feed, struct ambit_error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0 };
	struct feed *feed = calloc(1, sizeof(*feed));

	if (feed == NULL)
		return err_nomem(err);
	*feed = (struct feed){
		.live = str_dup(live),
		.state = str_dup(state),
		.session = str_dup(session),
		.sink = *sink,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.attend = -1,
		.burst = BURST,
		.tail = tail,
	};
	if (feed->live == NULL || feed->state == NULL ||
		(session != NULL && feed->session == NULL)) {
		feed_destroy(feed);
		return err_nomem(err);
	}
	if (feed->epoll < 0 || feed->inotify < 0 ||
		epoll_ctl(feed->epoll, EPOLL_CTL_ADD, feed->inotify, &event) < 0) {
		err_sys(err, errno, "epoll or inotify");
		feed_destroy(feed);
		return -err->code;
	}
	*ret_feed = feed;
	return 0;
}

void
feed_destroy(struct feed *feed)
{
	if (feed == NULL)
		return;
	for (size_t i = 0; i < feed->n; i++) {
		link_close(feed->peers[i].link);
		free(feed->peers[i].name);
	}
	free(feed->peers);
	ambit_record_close(feed->record);
	if (feed->inotify >= 0)
		close(feed->inotify);
	if (feed->attend >= 0)
		close(feed->attend);
	if (feed->epoll >= 0)
		close(feed->epoll);
	free(feed->live);
	free(feed->state);
	free(feed->session);
	free(feed);
}

int
feed_fd(const struct feed *feed)
{
	return feed->epoll;
}

int
feed_ready(struct feed *feed)
{
	struct epoll_event events[16];
	int n = epoll_wait(feed->epoll, events, sizeof(events) / sizeof(events[0]), 0);
	int64_t now, next;

	for (int i = 0; i < n; i++)
		if (events[i].data.u64 == 0)
			hear_directory(feed);
		else
			drain_party(feed, events[i].data.u64);
	if (clock_steady() >= feed->next_list)
		list_live_sessions(feed);
	if (clock_steady() >= feed->next_record)
		look_at_record(feed);
	now = clock_steady();
	next = feed->next_list < feed->next_record ? feed->next_list : feed->next_record;
	return next > now ? (int)(next - now) : 0;
}

/* What came beside the reply does not wake anybody: it is looked at here. */
static int
after_answer(struct feed *feed, uint64_t party, int r)
{
	drain_party(feed, party);
	return r;
}

int
feed_answer(struct feed *feed, uint64_t party, uint64_t question, const struct ambit_answer *answer,
	struct ambit_error *err)
{
	const struct peer *peer = find_linked_peer(feed, party);

	if (peer == NULL)
		return err_set(err, ENOENT, "the session is gone");
	return after_answer(feed, party, link_answer(peer->link, question, answer, err));
}

int
feed_answer_text(struct feed *feed, uint64_t party, const char *params, struct ambit_error *err)
{
	const struct peer *peer = find_linked_peer(feed, party);

	if (peer == NULL)
		return err_set(err, ENOENT, "the session is gone");
	return after_answer(feed, party, link_call(peer->link, "answer", params, NULL, err));
}
