/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that block until they have an answer, as channels of the desk. Each question gets a
 * thread while it is asked. A withdrawal may come at any time, also before the thread has begun. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ask/desk/blocking.h"
#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "base/err.h"
#include "base/str.h"
#include "base/work.h"

/* One question that is asked. */
struct asked {
	struct asked *next;
	struct blocking *blocking;
	struct ambit_question question;
	int stop;     /* the judge's: readable when it is withdrawn */
	bool settled; /* the approver's answer was brought to the desk by itself */
};

struct blocking {
	struct desk_channel channel;
	struct ambit_approver *approver; /* or NULL: it is the judge */
	struct ambit_judge *judge;
	struct blocking_screen screen;
	struct work *work;
	pthread_mutex_t lock;
	struct asked *asked;
};

static void
asked_destroy(struct asked *asked)
{
	question_finish(&asked->question);
	if (asked->stop >= 0)
		close(asked->stop);
	free(asked);
}

static void
unlink_asked(struct asked *asked)
{
	struct blocking *blocking = asked->blocking;

	pthread_mutex_lock(&blocking->lock);
	for (struct asked **at = &blocking->asked; *at; at = &(*at)->next)
		if (*at == asked) {
			*at = asked->next;
			break;
		}
	pthread_mutex_unlock(&blocking->lock);
	asked_destroy(asked);
}

/* -- asking ------------------------------------------------------------------------ */

/* 0: an answer. */
static int
ask_approver(struct blocking *blocking, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct ambit_approver *approver = blocking->approver;

	if (blocking->screen.hold)
		blocking->screen.hold(blocking->screen.data, question->expires);
	return approver->ask(approver, question, ret_answer, err);
}

static int
ask_judge(struct asked *asked, struct ambit_answer *ret_answer, struct ambit_error *err)
{
	int r = judge_ask(asked->blocking->judge, &asked->question, asked->stop, ret_answer, err);

	return r == 0 ? 0 : -EAGAIN; /* err has its words, or code 0 */
}

/* ambit_approver.settle, while the question is still on the screen. */
static int
settle_asked(
	void *data, uint64_t question, const struct ambit_answer *answer, struct ambit_error *err)
{
	struct blocking *blocking = data;

	pthread_mutex_lock(&blocking->lock);
	for (struct asked *asked = blocking->asked; asked; asked = asked->next)
		asked->settled |= asked->question.id == question;
	pthread_mutex_unlock(&blocking->lock);
	return desk_answer(&blocking->channel, question, answer, err);
}

static void
run_asked(void *data)
{
	struct asked *asked = data;
	struct blocking *blocking = asked->blocking;
	uint64_t id = asked->question.id;
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { 0 };
	int r = blocking->approver ? ask_approver(blocking, &asked->question, &answer, &err)
				   : ask_judge(asked, &answer, &err);

	if (r == 0 && !asked->settled)
		r = desk_answer(&blocking->channel, id, &answer, &err);
	if (r < 0)
		desk_pass(&blocking->channel, id, blocking->judge ? err.code : -r, err.text);
	/* Before the channel gets another question, which takes the screen again. */
	if (blocking->approver && blocking->screen.release)
		blocking->screen.release(blocking->screen.data);
	unlink_asked(asked);
	desk_ready(&blocking->channel);
}

static int
offer_question(struct desk_channel *channel, const struct ambit_question *question)
{
	struct blocking *blocking = (struct blocking *)channel;
	struct asked *asked = calloc(1, sizeof(*asked));
	int r;

	if (!asked)
		return -ENOMEM;
	asked->blocking = blocking;
	asked->stop = blocking->judge ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
	if ((blocking->judge && asked->stop < 0) || question_copy(question, &asked->question) < 0) {
		asked_destroy(asked);
		return -ENOMEM;
	}
	pthread_mutex_lock(&blocking->lock);
	asked->next = blocking->asked;
	blocking->asked = asked;
	pthread_mutex_unlock(&blocking->lock);
	r = work_add(blocking->work, run_asked, asked);
	if (r < 0)
		unlink_asked(asked);
	return r;
}

static void
withdraw_question(struct desk_channel *channel, uint64_t question, const char *how)
{
	struct blocking *blocking = (struct blocking *)channel;
	struct ambit_approver *approver = blocking->approver;
	bool there = false;

	pthread_mutex_lock(&blocking->lock);
	for (struct asked *asked = blocking->asked; asked; asked = asked->next)
		if (asked->question.id == question) {
			there = true;
			if (asked->stop >= 0)
				eventfd_write(asked->stop, 1);
		}
	pthread_mutex_unlock(&blocking->lock);
	if (there && approver && approver->cancel)
		approver->cancel(approver, question, how);
}

/* -- its life ------------------------------------------------------------------------- */

static const struct desk_channel_type blocking_type = {
	.offer = offer_question,
	.withdraw = withdraw_question,
};

static int
add_blocking(struct desk *desk, const struct blocking *like, struct blocking **ret_blocking,
	struct ambit_error *err)
{
	struct blocking *blocking = calloc(1, sizeof(*blocking));

	if (!blocking)
		return err_nomem(err);
	*blocking = *like;
	blocking->work = work_create(NULL);
	if (!blocking->work) {
		free(blocking);
		return err_nomem(err);
	}
	pthread_mutex_init(&blocking->lock, NULL);
	if (blocking->approver) {
		blocking->approver->settle = settle_asked;
		blocking->approver->settle_data = blocking;
	}
	desk_add(desk, &blocking->channel);
	*ret_blocking = blocking;
	return 0;
}

/* A harness may give its own approver any name. Those of channels that are no approvers are not
 * for it. */
static const struct channel_row *
find_approver_row(const char *name)
{
	const struct channel_row *row = channel_row_find(name ? name : "");

	return row->room == 1 && row->stage == DESK_PERSON ? row : channel_row_find("");
}

int
blocking_add_approver(struct desk *desk, struct ambit_approver *approver,
	const struct blocking_screen *screen, struct blocking **ret_blocking,
	struct ambit_error *err)
{
	*ret_blocking = NULL;
	if (!approver || approver->instant)
		return 0;
	return add_blocking(desk,
		&(struct blocking){
			.channel = { .type = &blocking_type,
				.row = find_approver_row(approver->name),
				.name = approver->name },
			.approver = approver,
			.screen = screen ? *screen : (struct blocking_screen){ 0 },
		},
		ret_blocking, err);
}

int
blocking_add_judge(struct desk *desk, struct ambit_judge *judge, struct blocking **ret_blocking,
	struct ambit_error *err)
{
	*ret_blocking = NULL;
	if (!judge)
		return 0;
	return add_blocking(desk,
		&(struct blocking){
			.channel = { .type = &blocking_type, .row = channel_row_find("judge") },
			.judge = judge,
		},
		ret_blocking, err);
}

/* Ends all that is asked. */
static void
stop_asking(struct blocking *blocking)
{
	struct ambit_approver *approver = blocking->approver;
	uint64_t id = 0;

	pthread_mutex_lock(&blocking->lock);
	for (struct asked *asked = blocking->asked; asked; asked = asked->next) {
		id = asked->question.id; /* an approver has one at a time */
		if (asked->stop >= 0)
			eventfd_write(asked->stop, 1);
	}
	pthread_mutex_unlock(&blocking->lock);
	if (id != 0 && approver && approver->cancel)
		approver->cancel(approver, id, "withdrawn: the run is over");
}

void
blocking_destroy(struct blocking *blocking)
{
	if (!blocking)
		return;
	desk_remove(blocking->channel.desk, &blocking->channel);
	stop_asking(blocking);
	work_destroy(blocking->work);
	if (blocking->approver)
		blocking->approver->settle = NULL;
	pthread_mutex_destroy(&blocking->lock);
	free(blocking);
}
