/* SPDX-License-Identifier: Apache-2.0 */
/* A door's socket as the person's own program sees it: calls with their replies, and
 * notifications between them. The other side is a door of the same user; what it says
 * is shown to the person, so it is checked, and bounded. */

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask/question-wire.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "live/link.h"
#include "live/live-private.h"
#include "live/live.h"

#define REPLY_MS 2000
#define LINE_MAX_BYTES (32u << 20) /* a question may show arguments of 8 MiB, escaped */
#define KEPT_MAX 4096
#define CHUNK (64u << 10)

/* A notification that came and was not read yet. */
struct kept {
	struct kept *next;
	char *method, *params;
};

struct link {
	int fd;
	struct buf in;
	size_t at; /* in in: where the next line begins */
	json_int_t last_id;
	struct kept *first, **last;
	size_t n_kept;
	struct kept *out; /* handed out by next */
	bool gone;
};

/* -- its life ------------------------------------------------------------------------------ */

/* Who holds commands is known by the name "ambit", and does not connect. */
void
link_rename(void)
{
	prctl(PR_SET_NAME, "ambit-asks", 0, 0, 0);
}

static void
kept_destroy(struct kept *kept)
{
	if (!kept)
		return;
	free(kept->method);
	free(kept->params);
	free(kept);
}

static int
check_owner(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return -errno;
	return peer.uid == geteuid() ? 0 : -EPERM;
}

int
link_open_at(int dir, const char *name, struct link **ret_link)
{
	struct link *link = calloc(1, sizeof(*link));
	int r;

	if (!link)
		return -ENOMEM;
	link->last = &link->first;
	r = place_connect(dir, name, &link->fd);
	if (r < 0) {
		free(link);
		return r;
	}
	r = check_owner(link->fd);
	if (r < 0) {
		link_close(link);
		return r;
	}
	*ret_link = link;
	return 0;
}

int
link_open(const char *directory, const char *name, struct link **ret_link, struct ambit_error *err)
{
	auto_close int dir = -1;
	pid_t pid;
	int r;

	if (!place_is_name(name, &pid))
		return err_set(err, EINVAL, "'%s' is no live session's name", name);
	r = place_open(directory, false, &dir, err);
	if (r < 0)
		return r;
	link_rename();
	r = link_open_at(dir, name, ret_link);
	return r < 0 ? err_sys(err, -r, "the live session of process %ld", (long)pid) : 0;
}

void
link_close(struct link *link)
{
	if (!link)
		return;
	while (link->first) {
		struct kept *kept = link->first;

		link->first = kept->next;
		kept_destroy(kept);
	}
	kept_destroy(link->out);
	buf_finish(&link->in);
	close(link->fd);
	free(link);
}

int
link_fd(const struct link *link)
{
	return link->fd;
}

/* -- lines ----------------------------------------------------------------------------------- */

/* The next whole line that was read, or NULL; there until more is read. */
static const char *
next_line(struct link *link, size_t *ret_len)
{
	char *begin = link->in.len > 0 ? link->in.data + link->at : NULL;
	char *end = begin ? memchr(begin, '\n', link->in.len - link->at) : NULL;

	if (!end)
		return NULL;
	*ret_len = (size_t)(end - begin);
	link->at += *ret_len + 1;
	return begin;
}

/* 1: something came; 0: nothing now; -EPIPE, -EBADMSG. */
static int
read_more(struct link *link, struct ambit_error *err)
{
	auto_free char *chunk = malloc(CHUNK);
	ssize_t n;

	if (!chunk)
		return err_nomem(err);
	if (link->at > 0) {
		memmove(link->in.data, link->in.data + link->at, link->in.len - link->at);
		link->in.len -= link->at;
		link->at = 0;
	}
	do
		n = recv(link->fd, chunk, CHUNK, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0) {
		link->gone = true;
		return err_set(err, EPIPE, "the session is gone");
	}
	buf_append(&link->in, chunk, (size_t)n);
	if (link->in.failed)
		return err_nomem(err);
	return link->in.len > LINE_MAX_BYTES
		       ? err_set(err, EBADMSG, "the session says more than it should")
		       : 1;
}

static int
keep_notification(struct link *link, const struct rpc_message *message, struct ambit_error *err)
{
	struct kept *kept;

	if (link->n_kept >= KEPT_MAX)
		return err_set(err, EBADMSG, "the session says more than was read");
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return err_nomem(err);
	kept->method = str_dup(message->method);
	kept->params = message->params ? json_line(message->params) : str_dup("{}");
	if (!kept->method || !kept->params) {
		kept_destroy(kept);
		return err_nomem(err);
	}
	*link->last = kept;
	link->last = &kept->next;
	link->n_kept++;
	return 0;
}

/* -- calls ------------------------------------------------------------------------------------ */

static int
wait_for(const struct link *link, short events, int64_t until, struct ambit_error *err)
{
	struct pollfd fd = { .fd = link->fd, .events = events };
	int64_t left = until - clock_steady();
	int n = poll(&fd, 1, left > 0 ? (int)left : 0);

	if (n < 0 && errno != EINTR)
		return err_sys(err, errno, "poll");
	return n == 0 && clock_steady() >= until
		       ? err_set(err, ETIMEDOUT, "the session does not answer; it may be stopped")
		       : 0;
}

static int
send_line(struct link *link, const char *line, int64_t until, struct ambit_error *err)
{
	size_t len = strlen(line), sent = 0;

	while (sent < len) {
		ssize_t n = send(link->fd, line + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		int r;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		/* What it said last, that it does not serve us, may still be read. */
		if (errno == EPIPE || errno == ECONNRESET)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return err_sys(err, errno, "the live session");
		r = wait_for(link, POLLOUT, until, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int
link_send(struct link *link, const char *method, const char *params, int64_t until,
	struct ambit_error *err)
{
	auto_json json_t *given = NULL, *message = NULL;
	auto_free char *text = NULL, *line = NULL;
	int r = params ? json_parse(params, strlen(params), &given, err) : 0;

	if (r < 0)
		return r;
	message = json_pack("{s:s s:I s:s s:O*}", "jsonrpc", "2.0", "id", ++link->last_id, "method",
		method, "params", given);
	text = message ? json_line(message) : NULL;
	line = text ? str_printf("%s\n", text) : NULL;
	return line ? send_line(link, line, until, err) : err_nomem(err);
}

/* An answer that is gone is a case of its own: others were faster. */
static int
take_error(const json_t *error, struct ambit_error *err)
{
	const char *words = json_string_value(json_object_get(error, "message"));
	int code = (int)json_integer_value(json_object_get(error, "code"));
	auto_free char *shown = words ? str_escape(words, strlen(words)) : NULL;

	return err_set(err, code == LIVE_NO_QUESTION ? ESTALE : EREMOTEIO, "%s",
		shown ? shown : "it failed");
}

/* 1: that was the reply; 0: something else. */
static int
take_line(struct link *link, const char *text, size_t len, json_t **ret_result,
	struct ambit_error *err)
{
	struct rpc_message message;
	int r = 0;

	rpc_parse(text, len, &message);
	if (message.kind == RPC_NOTIFICATION) {
		r = keep_notification(link, &message, err);
	} else if (message.kind != RPC_RESPONSE) {
		r = err_set(err, EBADMSG, "the session says what is not understood");
	} else if (message.error &&
		   (!message.id || json_integer_value(message.id) == link->last_id)) {
		r = take_error(message.error, err);
	} else if (message.result && json_integer_value(message.id) == link->last_id) {
		*ret_result = json_incref(message.result);
		r = 1;
	}
	rpc_message_finish(&message);
	return r;
}

int
link_reply(struct link *link, int64_t until, json_t **ret_result, struct ambit_error *err)
{
	const char *line;
	size_t len = 0;
	int r = 0;

	for (;;) {
		while (r == 0 && (line = next_line(link, &len)) != NULL)
			r = take_line(link, line, len, ret_result, err);
		if (r != 0)
			return r < 0 ? r : 0;
		r = read_more(link, err);
		if (r == 0)
			r = wait_for(link, POLLIN, until, err);
		if (r < 0)
			return r;
		r = 0;
	}
}

int
link_call(struct link *link, const char *method, const char *params, char **ret_result,
	struct ambit_error *err)
{
	int64_t until = clock_steady() + REPLY_MS;
	auto_json json_t *result = NULL;
	char *text;
	int r = link_send(link, method, params, until, err);

	if (r == 0)
		r = link_reply(link, until, &result, err);
	if (r < 0 || !ret_result)
		return r;
	text = json_line(result);
	if (!text)
		return err_nomem(err);
	*ret_result = text;
	return 0;
}

int
link_answer(struct link *link, uint64_t question, const struct ambit_answer *answer,
	struct ambit_error *err)
{
	auto_json json_t *params = json_pack("{s:I s:s}", "id", (json_int_t)question, "answer",
		ambit_word_name(ambit_answers, (int)answer->kind));
	auto_free char *text = NULL;

	if (!params || (answer->path[0] && json_set_text(params, "path", answer->path) < 0) ||
		(answer->message[0] && json_set_text(params, "message", answer->message) < 0) ||
		(answer->stop && json_object_set_new(params, "stop", json_true()) < 0) ||
		!(text = json_line(params)))
		return err_nomem(err);
	return link_call(link, "answer", text, NULL, err);
}

/* -- notifications ------------------------------------------------------------------------- */

static struct kept *
take_kept(struct link *link)
{
	struct kept *kept = link->first;

	link->first = kept->next;
	if (!link->first)
		link->last = &link->first;
	link->n_kept--;
	kept->next = NULL;
	return kept;
}

int
link_next(struct link *link, const char **ret_method, const char **ret_params,
	struct ambit_error *err)
{
	json_t *late = NULL;
	const char *line;
	size_t len = 0;
	int r = 1;

	kept_destroy(link->out);
	link->out = NULL;
	while (!link->first && r == 1) {
		while (r >= 0 && (line = next_line(link, &len)) != NULL) {
			r = take_line(link, line, len, &late, err);
			json_decref(late); /* to a call that gave up */
			late = NULL;
			r = r < 0 ? r : 1;
		}
		if (r == 1 && !link->first)
			r = read_more(link, err);
	}
	if (!link->first)
		return r;
	link->out = take_kept(link);
	*ret_method = link->out->method;
	*ret_params = link->out->params;
	return 1;
}

int
live_question(const char *params, struct ambit_question *ret_question, struct ambit_error *err)
{
	auto_json json_t *object = NULL;
	int r = json_parse(params, strlen(params), &object, err);

	return r < 0 ? r : question_read(object, ret_question, err);
}
