/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of `ambit run --ask-fd`: lines with questions about crossings become
 * calls of the approver, in a thread beside the one that reads the command's output,
 * and what it says becomes lines with answers. `ambit run` is trusted, for it is what
 * holds the command; its lines are checked so that a mistake is a no. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask/question-copy.h"
#include "live/live.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "tools/shell/execute-private.h"

#define LINE_MAX_BYTES (1024 * 1024)
#define QUESTIONS_FROM ((uint64_t)1 << 40) /* the engine's own begin at 1 */

struct asked {
	struct asked *next;
	json_int_t id; /* on the wire */
	struct ambit_question question;
	bool withdrawn;
};

static void
asked_destroy(struct asked *asked)
{
	if (asked)
		question_finish(&asked->question);
	free(asked);
}

/* -- answers into lines ------------------------------------------------------------------ */

static void
send_line(const struct asking *asking, const json_t *object)
{
	auto_free char *text = json_line(object), *line = NULL;
	size_t len, sent = 0;

	line = text ? str_printf("%s\n", text) : NULL;
	len = line ? strlen(line) : 0;
	while (sent < len) {
		ssize_t n = send(asking->fd, line + sent, len - sent, MSG_NOSIGNAL);

		/* Gone, and with it the call that was held. */
		if (n < 0 && errno != EINTR)
			return;
		sent += n > 0 ? (size_t)n : 0;
	}
}

static void
send_answer(const struct asking *asking, json_int_t id, const struct ambit_answer *answer)
{
	auto_json json_t *object = json_pack("{s:I, s:s}", "id", id, "answer",
		ambit_word_name(ambit_answers, (int)answer->kind));

	if (!object)
		return;
	if (answer->path[0] != '\0')
		json_set_text(object, "path", answer->path);
	if (answer->message[0] != '\0')
		json_set_text(object, "message", answer->message);
	if (answer->judge)
		json_object_set_new(object, "judge", json_true());
	send_line(asking, object);
}

/* Not a no of somebody's: what can be done about it is another thing, and nothing is put
 * out of the way for it. */
static void
send_no_answer(const struct asking *asking, json_int_t id, const char *key, const char *why)
{
	auto_json json_t *object = json_pack("{s:I}", "id", id);

	if (object && json_set_text(object, key, why) == 0)
		send_line(asking, object);
}

/* The call is over, or who answers is gone; not this one question alone. */
static bool
is_asking_over(struct asking *asking, const struct asked *asked, int r)
{
	bool withdrawn;

	pthread_mutex_lock(&asking->lock);
	withdrawn = asked->withdrawn;
	pthread_mutex_unlock(&asking->lock);
	/* What came past the line is asked about when all is over: there a no moves files. */
	return !withdrawn &&
	       (r == -ECANCELED || r == -EPIPE || (r < 0 && asked->question.id == UINT64_MAX));
}

/* In the asking thread. Whatever is not an answer is a no, with its reason; to a
 * question that was withdrawn it is one that nobody takes. But where nobody answers any
 * more there is not even a no: it could mean that something is put out of the way. */
static void
put_asked_question(struct asking *asking, struct asked *asked)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error err = { 0 };
	int r = asking->approver->ask(asking->approver, &asked->question, &answer, &err);

	/* No answer is none: the one who asked looks at the same clock. */
	if (r == -ETIMEDOUT && asked->question.expires != 0)
		return;
	if (is_asking_over(asking, asked, r)) {
		shutdown(asking->fd, SHUT_RDWR);
		return;
	}
	if (r == -ENOENT || r == -ETIMEDOUT) {
		send_no_answer(asking, asked->id, r == -ENOENT ? "nobody" : "expired", err.text);
		return;
	}
	if (r < 0) {
		size_t len = str_cut(err.text, strlen(err.text), sizeof(answer.message) - 1);

		answer = (struct ambit_answer){ .kind = AMBIT_NO };
		memcpy(answer.message, err.text, len);
	}
	send_answer(asking, asked->id, &answer);
}

/* -- the thread --------------------------------------------------------------------------- */

static void *
run_asking_thread(void *data)
{
	struct asking *asking = data;

	pthread_mutex_lock(&asking->lock);
	for (;;) {
		struct asked *asked = asking->first;

		if (asking->stop)
			break;
		if (!asked) {
			pthread_cond_wait(&asking->more, &asking->lock);
			continue;
		}
		if (!asked->withdrawn) {
			pthread_mutex_unlock(&asking->lock);
			put_asked_question(asking, asked);
			pthread_mutex_lock(&asking->lock);
		}
		asking->first = asked->next;
		asked_destroy(asked);
		if (!asking->first) {
			asking->waited += clock_steady() - asking->since;
			asking->since = 0;
		}
	}
	pthread_mutex_unlock(&asking->lock);
	return NULL;
}

static void
append_question(struct asking *asking, struct asked *asked)
{
	struct asked **at;

	pthread_mutex_lock(&asking->lock);
	for (at = &asking->first; *at; at = &(*at)->next)
		;
	*at = asked;
	if (asking->since == 0)
		asking->since = clock_steady();
	pthread_cond_signal(&asking->more);
	pthread_mutex_unlock(&asking->lock);
}

static void
send_refusal(const struct asking *asking, json_int_t id, const char *why)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };

	strncpy(answer.message, why, sizeof(answer.message) - 1);
	send_answer(asking, id, &answer);
}

static void
take_question(struct asking *asking, const json_t *object, json_int_t id)
{
	struct asked *asked = calloc(1, sizeof(*asked));
	auto_free char *text = asked ? json_line(object) : NULL;
	int r = text ? live_question(text, &asked->question, NULL) : -ENOMEM;

	if (r == 0) {
		asked->id = id;
		asked->question.id =
			QUESTIONS_FROM + atomic_fetch_add(&asking->executor->questions, 1);
	}
	if (r == 0 && !asking->started) {
		r = -pthread_create(&asking->thread, NULL, run_asking_thread, asking);
		asking->started = r == 0;
	}
	if (r == 0) {
		append_question(asking, asked);
		return;
	}
	asked_destroy(asked);
	send_refusal(asking, id, "the question could not be put");
}

/* Outside the lock: an approver may take one of its own, which the one who asks it
 * now has too. The number is never used again, so one that has ended is no harm. */
static void
withdraw_questions(struct asking *asking, json_int_t id, const char *how)
{
	uint64_t question = 0;

	pthread_mutex_lock(&asking->lock);
	for (struct asked *asked = asking->first; asked; asked = asked->next)
		if (id == 0 || asked->id == id) {
			asked->withdrawn = true;
			if (asked == asking->first)
				question = asked->question.id;
		}
	pthread_mutex_unlock(&asking->lock);
	if (question != 0 && asking->approver->cancel)
		asking->approver->cancel(asking->approver, question, how);
}

static void
take_line(struct asking *asking, const char *line, size_t len)
{
	auto_json json_t *object = NULL;
	json_int_t cancel, id;

	if (json_parse(line, len, &object, NULL) < 0)
		return;
	cancel = json_integer_value(json_object_get(object, "cancel"));
	id = json_integer_value(json_object_get(object, "id"));
	if (cancel > 0)
		withdraw_questions(asking, cancel, json_text(object, "how"));
	else if (id > 0)
		take_question(asking, object, id);
}

void
asking_read(struct asking *asking)
{
	char chunk[4096], *end;
	ssize_t n = recv(asking->fd, chunk, sizeof(chunk), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		buf_append(&asking->line, chunk, (size_t)n);
	if (n <= 0 || asking->line.failed || asking->line.len > LINE_MAX_BYTES) {
		/* Kept open while a thread may still write to it. */
		shutdown(asking->fd, SHUT_RDWR);
		asking->over = true;
		return;
	}
	while (asking->line.len > 0 &&
		(end = memchr(asking->line.data, '\n', asking->line.len)) != NULL) {
		size_t len = (size_t)(end - asking->line.data);

		take_line(asking, asking->line.data, len);
		memmove(asking->line.data, end + 1, asking->line.len - len - 1);
		asking->line.len -= len + 1;
	}
}

int64_t
asking_waited(struct asking *asking, bool *ret_open)
{
	int64_t waited = 0;

	*ret_open = false;
	if (!asking->started)
		return 0;
	pthread_mutex_lock(&asking->lock);
	waited = asking->waited;
	*ret_open = asking->since != 0;
	if (asking->since != 0)
		waited += clock_steady() - asking->since;
	pthread_mutex_unlock(&asking->lock);
	return waited;
}

/* -- its life -------------------------------------------------------------------------------- */

int
asking_init(struct asking *asking, struct ambit_executor *executor, struct ambit_approver *approver,
	int *ret_other)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	*asking = (struct asking){ .executor = executor, .approver = approver, .fd = fds[0] };
	pthread_mutex_init(&asking->lock, NULL);
	pthread_cond_init(&asking->more, NULL);
	*ret_other = fds[1];
	return 0;
}

void
asking_finish(struct asking *asking)
{
	if (asking->fd < 0)
		return;
	if (asking->started) {
		pthread_mutex_lock(&asking->lock);
		asking->stop = true;
		pthread_cond_signal(&asking->more);
		pthread_mutex_unlock(&asking->lock);
		withdraw_questions(asking, 0, "withdrawn: the command has ended");
		pthread_join(asking->thread, NULL);
	}
	while (asking->first) {
		struct asked *asked = asking->first;

		asking->first = asked->next;
		asked_destroy(asked);
	}
	pthread_cond_destroy(&asking->more);
	pthread_mutex_destroy(&asking->lock);
	close(asking->fd);
	buf_finish(&asking->line);
	asking->fd = -1;
}
