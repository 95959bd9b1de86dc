/* SPDX-License-Identifier: Apache-2.0 */
/* The same for programs: one JSON object a line for all that comes, and one for each
 * answer that goes back. What is read is handed to the door, which checks it as
 * strictly as anybody's; what is not understood here is told, and answers nothing. */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feed.h"
#include "watch.h"

#include "cli/event-json.h"
#include "cli/out.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "live/live.h"

#define LINE_MAX_BYTES (64u << 10) /* a message is 512 bytes, a path 4096 */

struct door {
	uint64_t party;
	char *name; /* of its socket: "from" */
	char *session;
};

struct stream {
	struct feed *feed;
	struct door *doors;
	size_t n;
	struct buf in;
	bool skipping; /* a line that was too long */
	int failed;    /* -errno: a line was lost */
};

/* -- out -------------------------------------------------------------------- */

static void
write_json_line(struct stream *stream, json_t *object)
{
	struct ambit_error err = { 0 };
	int r = out_json(object, &err);

	if (r == 0 && fflush(stdout) != 0)
		r = -errno;
	if (r < 0)
		stream->failed = r;
}

static const struct door *
door_of(const struct stream *stream, uint64_t party)
{
	for (size_t i = 0; i < stream->n; i++)
		if (stream->doors[i].party == party)
			return &stream->doors[i];
	return NULL;
}

static json_t *
line_of(const struct stream *stream, const char *type, uint64_t party)
{
	const struct door *door = door_of(stream, party);
	json_t *object = json_pack("{s:s}", "type", type);

	if (door != NULL) {
		json_set_text(object, "from", door->name);
		json_set_text(object, "session", door->session);
	}
	return object;
}

static void
on_came(void *data, uint64_t party, const struct live_entry *entry)
{
	struct stream *stream = data;
	struct door *more = realloc(stream->doors, (stream->n + 1) * sizeof(*more));
	json_t *object;

	if (more == NULL) {
		stream->failed = -ENOMEM;
		return;
	}
	stream->doors = more;
	stream->doors[stream->n++] = (struct door){
		.party = party,
		.name = strdup(entry->name),
		.session = strdup(entry->session),
	};
	if (more[stream->n - 1].name == NULL || more[stream->n - 1].session == NULL) {
		free(more[--stream->n].name);
		free(more[stream->n].session);
		stream->failed = -ENOMEM;
		return;
	}
	object = line_of(stream, "session", party);
	json_object_set_new(object, "pid", json_integer(entry->pid));
	json_object_set_new(object, "started", json_integer(entry->started));
	json_object_set_new(object, "asks", json_boolean(entry->asks));
	json_set_text(object, "door", entry->door);
	json_set_text(object, "folder", entry->folder);
	json_set_text(object, "what", entry->what);
	write_json_line(stream, object);
}

static void
on_left(void *data, uint64_t party)
{
	struct stream *stream = data;
	struct door *door = (struct door *)door_of(stream, party);

	write_json_line(stream, line_of(stream, "gone", party));
	if (door == NULL)
		return;
	free(door->name);
	free(door->session);
	*door = stream->doors[--stream->n];
}

static void
on_question(void *data, uint64_t party, const struct ambit_question *question, const char *params)
{
	struct stream *stream = data;
	json_t *object = line_of(stream, "question", party), *as_it_came = NULL;

	(void)question;
	if (json_parse(params, strlen(params), &as_it_came, NULL) == 0)
		json_object_set_new(object, "question", as_it_came);
	write_json_line(stream, object);
}

static void
on_closed(void *data, uint64_t party, uint64_t question, const char *how, const char *text)
{
	struct stream *stream = data;
	json_t *object = line_of(stream, "closed", party);

	json_object_set_new(object, "id", json_integer((json_int_t)question));
	json_set_text(object, "how", how);
	json_set_text(object, "text", text);
	write_json_line(stream, object);
}

static void
on_event(void *data, int64_t id, const struct ambit_event *event)
{
	json_t *object = json_pack("{s:s s:o}", "type", "event", "event", event_json(id, event));

	write_json_line(data, object);
}

static void
on_trouble(void *data, const char *what, const char *why)
{
	json_t *object = json_pack("{s:s}", "type", "trouble");

	json_set_text(object, "what", what);
	json_set_text(object, "why", why);
	write_json_line(data, object);
}

/* -- in --------------------------------------------------------------------- */

static void
write_error_line(struct stream *stream, json_t *given, const char *why)
{
	json_t *object = json_pack("{s:s}", "type", "error");

	json_set_text(object, "error", why);
	if (json_object_get(given, "id") != NULL)
		json_object_set(object, "id", json_object_get(given, "id"));
	if (json_object_get(given, "from") != NULL)
		json_object_set(object, "from", json_object_get(given, "from"));
	write_json_line(stream, object);
}

/* Each door numbers its questions for itself, so it must be said whose it is. */
static const struct door *
find_door(const struct stream *stream, const json_t *given)
{
	const char *from = json_string_value(json_object_get(given, "from"));

	for (size_t i = 0; from != NULL && i < stream->n; i++)
		if (streq(stream->doors[i].name, from))
			return &stream->doors[i];
	return NULL;
}

static void
take_line(struct stream *stream, const char *text, size_t len)
{
	auto_json json_t *given = NULL, *params = NULL;
	auto_free char *line = NULL;
	const struct door *door;
	struct ambit_error err = { 0 };
	uint64_t party;
	json_t *done;

	if (json_parse(text, len, &given, &err) < 0 || !json_is_object(given)) {
		write_error_line(stream, NULL, err.code != 0 ? err.text : "not an object");
		return;
	}
	door = find_door(stream, given);
	if (door == NULL) {
		write_error_line(
			stream, given, "'from' is not the name of a live session's socket");
		return;
	}
	party = door->party;
	params = json_copy(given);
	json_object_del(params, "from");
	line = json_line(params);
	if (line == NULL || feed_answer_text(stream->feed, party, line, &err) < 0) {
		write_error_line(stream, given, line != NULL ? err.text : "no memory");
		return;
	}
	done = line_of(stream, "answered", party);
	json_object_set(done, "id", json_object_get(given, "id"));
	write_json_line(stream, done);
}

static void
take_lines(struct stream *stream)
{
	char *newline;

	while (stream->in.len > 0 &&
		(newline = memchr(stream->in.data, '\n', stream->in.len)) != NULL) {
		size_t len = (size_t)(newline - stream->in.data);

		if (len > 0 && !stream->skipping)
			take_line(stream, stream->in.data, len);
		stream->skipping = false;
		stream->in.len -= len + 1;
		memmove(stream->in.data, newline + 1, stream->in.len);
	}
	if (stream->in.len > LINE_MAX_BYTES) {
		if (!stream->skipping)
			write_error_line(stream, NULL, "a line of more than 64 KiB");
		stream->skipping = true;
		stream->in.len = 0;
	}
}

/* 1: more may come; 0: the end. */
static int
read_some(struct stream *stream, struct ambit_error *err)
{
	char chunk[4096];
	ssize_t n = read(STDIN_FILENO, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0)
		return err_sys(err, errno, "standard input");
	if (n == 0)
		return 0;
	buf_append(&stream->in, chunk, (size_t)n);
	if (stream->in.failed)
		return err_nomem(err);
	take_lines(stream);
	return 1;
}

/* -- all of it -------------------------------------------------------------- */

static int
run_stream_turn(struct stream *stream, struct ambit_error *err)
{
	struct pollfd p[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = feed_fd(stream->feed), .events = POLLIN },
	};
	int wait = feed_ready(stream->feed);

	if (stream->failed < 0)
		return err_sys(err, -stream->failed, "standard output");
	if (poll(p, 2, wait) < 0)
		return errno == EINTR ? 1 : err_sys(err, errno, "poll");
	return p[0].revents != 0 ? read_some(stream, err) : 1;
}

int
stream_run(const struct watch *watch, struct ambit_error *err)
{
	struct stream stream = { 0 };
	const struct feed_sink sink = {
		.came = on_came,
		.left = on_left,
		.question = on_question,
		.closed = on_closed,
		.event = on_event,
		.trouble = on_trouble,
		.data = &stream,
	};
	int r = feed_create(watch->live, watch->state, watch->session, 0, &sink, &stream.feed, err);

	if (r == 0)
		while ((r = run_stream_turn(&stream, err)) == 1)
			;
	feed_destroy(stream.feed);
	for (size_t i = 0; i < stream.n; i++) {
		free(stream.doors[i].name);
		free(stream.doors[i].session);
	}
	free(stream.doors);
	buf_finish(&stream.in);
	return r;
}
