/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody at the other end of a socket who answers: the server that had this
 * command started, and asks its own client. One question is open at a time; each
 * has a number, so that an answer that comes too late is not taken for one to the
 * next. A closed socket is a no, at once. */

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/approver.h"
#include "ask/cancel.h"
#include "ask/question-wire.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define LINE_MAX_BYTES (64 * 1024)

struct peer {
	struct ambit_approver approver;
	struct cancel cancel;
	int fd;
	uint64_t last;	 /* number of the question that was put last */
	struct buf line; /* read, and not yet a whole one */
};

static int
send_line(const struct peer *peer, const char *line, struct ambit_error *err)
{
	size_t len = strlen(line), sent = 0;

	while (sent < len) {
		ssize_t n = send(peer->fd, line + sent, len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "whoever answers is gone");
		sent += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int
put_question(struct peer *peer, const struct ambit_question *question, struct ambit_error *err)
{
	auto_free char *text = NULL, *line = NULL;
	int r = question_write(question, ++peer->last, &text, err);

	if (r < 0)
		return r;
	line = str_printf("%s\n", text);
	return line ? send_line(peer, line, err) : err_nomem(err);
}

static void
send_cancel_line(struct peer *peer)
{
	auto_json json_t *object = json_pack("{s:I}", "cancel", (json_int_t)peer->last);
	auto_free char *text = NULL, *line = NULL;
	char how[128];

	cancel_how(&peer->cancel, how, sizeof(how));
	if (object && json_set_text(object, "how", *how ? how : "withdrawn") == 0)
		text = json_line(object);
	line = text ? str_printf("%s\n", text) : NULL;

	if (line)
		send_line(peer, line, NULL);
}

static int
wait_ms(const struct ambit_question *question)
{
	int64_t left = question->expires - clock_now();

	if (question->expires == 0 || left > 3600 * 1000)
		return 3600 * 1000;
	return left < 0 ? 0 : (int)left;
}

/* More of the line. -ETIMEDOUT, -ECANCELED, -EPIPE. */
static int
receive_line_part(struct peer *peer, const struct ambit_question *question, struct ambit_error *err)
{
	struct pollfd p[2] = { { .fd = peer->fd, .events = POLLIN },
		{ .fd = peer->cancel.fd, .events = POLLIN } };
	char chunk[4096];
	ssize_t n;

	if (poll(p, 2, wait_ms(question)) < 0 && errno != EINTR)
		return err_sys(err, errno, "poll");
	if (p[1].revents)
		return err_set(err, ECANCELED, "the question was withdrawn");
	if (question->expires != 0 && clock_now() >= question->expires)
		return err_set(err, ETIMEDOUT, "the question expired");
	if (!p[0].revents)
		return 0;
	n = recv(peer->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		return err_set(err, EPIPE, "whoever answers is gone");
	if (n > 0)
		buf_append(&peer->line, chunk, (size_t)n);
	if (peer->line.failed)
		return err_nomem(err);
	if (peer->line.len > LINE_MAX_BYTES)
		return err_set(err, EFBIG, "an answer of more than %d bytes", LINE_MAX_BYTES);
	return 0;
}

/* 1: it was the answer; 0: to a question that is closed. */
static int
take_line(struct peer *peer, const struct ambit_question *question, size_t len,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	auto_json json_t *object = NULL;
	int r = json_parse(peer->line.data, len, &object, err);
	json_t *id = json_object_get(object, "id");
	const char *nobody, *expired;
	bool judge;

	memmove(peer->line.data, peer->line.data + len + 1, peer->line.len - len - 1);
	peer->line.len -= len + 1;
	if (r < 0)
		return r;
	if (!json_is_integer(id))
		return err_set(err, EINVAL, "an answer without 'id'");
	if ((uint64_t)json_integer_value(id) != peer->last)
		return 0;
	json_object_del(object, "id");
	nobody = json_string_value(json_object_get(object, "nobody"));
	if (nobody)
		return err_set(err, ENOENT, "%s", nobody);
	expired = json_string_value(json_object_get(object, "expired"));
	if (expired)
		return err_set(err, ETIMEDOUT, "%s", expired);
	judge = json_is_true(json_object_get(object, "judge"));
	json_object_del(object, "judge");
	r = answer_read(question, object, ret_answer, err);
	if (r < 0)
		return r;
	ret_answer->judge = judge;
	return 1;
}

static int
converse_with_peer(struct peer *peer, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	int r = put_question(peer, question, err);

	while (r == 0) {
		const char *end =
			peer->line.len > 0 ? memchr(peer->line.data, '\n', peer->line.len) : NULL;

		if (end)
			r = take_line(
				peer, question, (size_t)(end - peer->line.data), ret_answer, err);
		else
			r = receive_line_part(peer, question, err);
	}
	if (r == -ECANCELED || r == -ETIMEDOUT)
		send_cancel_line(peer);
	return r > 0 ? 0 : r;
}

static int
ask_fd_approver(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct peer *peer = (struct peer *)approver;
	int r;

	if (cancel_begin(&peer->cancel, question->id))
		r = err_set(err, ECANCELED, "the question was withdrawn");
	else
		r = converse_with_peer(peer, question, ret_answer, err);
	cancel_end(&peer->cancel);
	return r;
}

static void
cancel_fd_question(struct ambit_approver *approver, uint64_t question, const char *how)
{
	cancel_say(&((struct peer *)approver)->cancel, question, how);
}

static void
destroy_fd_approver(struct ambit_approver *approver)
{
	struct peer *peer = (struct peer *)approver;

	cancel_finish(&peer->cancel);
	close(peer->fd);
	buf_finish(&peer->line);
	free(peer);
}

int
approver_on_fd(int fd, struct ambit_approver **ret_approver, struct ambit_error *err)
{
	struct peer *peer;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "descriptor %d", fd);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, ENOTSOCK, "descriptor %d is no socket", fd);
	peer = calloc(1, sizeof(*peer));
	if (!peer)
		return err_nomem(err);
	r = cancel_init(&peer->cancel, err);
	if (r < 0) {
		free(peer);
		return r;
	}
	peer->approver = (struct ambit_approver){
		.ask = ask_fd_approver,
		.destroy = destroy_fd_approver,
		.cancel = cancel_fd_question,
		.name = "client",
	};
	peer->fd = fd;
	*ret_approver = &peer->approver;
	return 0;
}
