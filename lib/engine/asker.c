/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the engine's questions to an approver, in a thread of its own. The engine is shared by
 * many threads, and an approver takes time: so the question is copied before it is shown. If it
 * is withdrawn or answered elsewhere meanwhile, the approver is told. An answer counts for the
 * question that was shown, and for no other. */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "base/err.h"
#include "base/str.h"
#include "base/thread.h"
#include "engine/asker.h"
#include "engine/questions.h"

struct asker {
	struct asker_options o;
	int withdrawn;	 /* readable when the question that is asked now is withdrawn */
	uint64_t judged; /* the question that the judge has passed on */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool started;
	bool woken;
	bool ending;
	const struct ambit_question *asking; /* that is with the approver; or NULL */
};

/* The question whose turn it is, as a copy. 0 if there is none. */
static uint64_t
next_question(struct asker *asker, struct ambit_question *ret_question)
{
	const struct ambit_question *question;
	uint64_t id = 0;

	asker->o.lock(asker->o.data);
	question = engine_question(asker->o.engine);
	if (question && question_copy(question, ret_question) == 0)
		id = question->id;
	else if (question)
		engine_decline(asker->o.engine, question->id, ENOMEM, "out of memory");
	asker->o.unlock(asker->o.data);
	return id;
}

static int
match_question(void *data, const struct ambit_question *question)
{
	return question_same(data, question);
}

/* With those who watch, or nobody: then they are asked there. Programs that answer are no
 * terminal, and are asked as ever. */
static bool
is_elsewhere(const struct asker *asker)
{
	const struct ambit_approver *approver = asker->o.approver;

	return asker->o.watched && asker->o.watched(asker->o.data) &&
	       (!approver || approver->instant || streq(approver->name, "tty"));
}

/* True if he said yes. The terminal is not touched for that. */
static bool
ask_judge(
	struct asker *asker, const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	struct ambit_judge *judge = engine_judge(asker->o.engine);
	struct ambit_error why = { 0 };

	if (asker->judged == question->id)
		return false;
	asker->judged = question->id;
	if (judge_ask(judge, question, asker->withdrawn, ret_answer, &why) == 0)
		return true;
	if (judge) {
		asker->o.lock(asker->o.data);
		engine_passed(asker->o.engine, question, &why);
		asker->o.unlock(asker->o.data);
		asker->o.wake(asker->o.data); /* those who watch hear of it now */
	}
	return false;
}

/* The terminal is held from here until the answer has been taken. */
static int
ask_person(struct asker *asker, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	if (!asker->o.approver)
		return err_set(err, ENOENT, "nobody is here to ask");
	if (asker->o.hold_screen)
		asker->o.hold_screen(asker->o.data, question->expires);
	return asker->o.approver->ask(asker->o.approver, question, ret_answer, err);
}

static void
settle_question(struct asker *asker, const struct ambit_question *question,
	const struct ambit_answer *answer, int r, struct ambit_error *err)
{
	bool open;

	asker->o.lock(asker->o.data);
	asker->o.forget(asker->o.data);
	open = engine_questions(asker->o.engine, match_question, (void *)question) == 1;
	if (r == 0 && open)
		r = engine_answer(asker->o.engine, question->id, answer,
			asker->o.approver ? asker->o.approver->name : "", err);
	/* It was withdrawn, or somebody else has answered. */
	if (r < 0 && r != -ECANCELED && open)
		engine_decline(asker->o.engine, question->id, -r, err->text);
	asker->o.unlock(asker->o.data);
	/* Here, not by waking the loop: the one who was asked about waits. */
	asker->o.settle(asker->o.data);
}

/* False: it is with those who watch. */
static bool
ask_open_question(struct asker *asker, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { 0 };
	bool judged = ask_judge(asker, question, &answer);

	if (!judged && is_elsewhere(asker))
		return false;
	settle_question(asker, question, &answer,
		judged ? 0 : ask_person(asker, question, &answer, &err), &err);
	if (asker->o.release_screen && !judged && asker->o.approver)
		asker->o.release_screen(asker->o.data);
	asker->o.wake(asker->o.data);
	return true;
}

static bool
wait_for_work(struct asker *asker)
{
	bool ending;

	pthread_mutex_lock(&asker->lock);
	while (!asker->woken && !asker->ending)
		pthread_cond_wait(&asker->changed, &asker->lock);
	asker->woken = false;
	ending = asker->ending;
	pthread_mutex_unlock(&asker->lock);
	return !ending;
}

/* False: the run is over, nothing is asked any more. */
static bool
set_asking(struct asker *asker, const struct ambit_question *question)
{
	eventfd_t value;
	bool ending;

	pthread_mutex_lock(&asker->lock);
	asker->asking = question;
	eventfd_read(asker->withdrawn, &value);
	ending = asker->ending;
	pthread_mutex_unlock(&asker->lock);
	return !ending;
}

static void *
run_asker_thread(void *data)
{
	struct asker *asker = data;

	while (wait_for_work(asker)) {
		struct ambit_question question = { 0 };

		while (next_question(asker, &question) != 0) {
			bool over = !set_asking(asker, &question) ||
				    !ask_open_question(asker, &question);

			over = !set_asking(asker, NULL) || over;
			question_finish(&question);
			if (over)
				break;
		}
		asker->o.settle(asker->o.data); /* what needed no asking */
	}
	return NULL;
}

struct asker *
asker_create(const struct asker_options *options)
{
	struct asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return NULL;
	asker->o = *options;
	asker->withdrawn = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (asker->withdrawn < 0) {
		free(asker);
		return NULL;
	}
	pthread_mutex_init(&asker->lock, NULL);
	pthread_cond_init(&asker->changed, NULL);
	return asker;
}

static bool
start_asker_thread(struct asker *asker)
{
	asker->started = thread_start(&asker->thread, NULL, run_asker_thread, asker) == 0;
	return asker->started;
}

/* Without the thread nobody can be asked: no. */
static void
decline_questions(struct asker *asker)
{
	const struct ambit_question *question;

	asker->o.lock(asker->o.data);
	while ((question = engine_question(asker->o.engine)) != NULL)
		engine_decline(
			asker->o.engine, question->id, EAGAIN, "there is no thread to ask from");
	asker->o.unlock(asker->o.data);
}

static void
cancel_asking(struct asker *asker, uint64_t asking)
{
	if (asking != 0 && asker->o.approver && asker->o.approver->cancel)
		asker->o.approver->cancel(asker->o.approver, asking);
}

/* Called by the supervisor's loop alone. */
void
asker_wake(struct asker *asker)
{
	const struct ambit_question *question;
	uint64_t withdrawn = 0;
	bool any;

	asker->o.lock(asker->o.data);
	question = engine_question(asker->o.engine);
	any = question != NULL;
	pthread_mutex_lock(&asker->lock);
	if (asker->asking && (!question || !question_same(question, asker->asking)))
		withdrawn = asker->asking->id;
	/* With the lock, so that it is that question which hears of it, or none. */
	if (withdrawn != 0)
		eventfd_write(asker->withdrawn, 1);
	pthread_mutex_unlock(&asker->lock);
	asker->o.unlock(asker->o.data);
	if (any && !asker->started && !start_asker_thread(asker)) {
		decline_questions(asker);
		return;
	}
	pthread_mutex_lock(&asker->lock);
	asker->woken = true;
	pthread_cond_signal(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	cancel_asking(asker, withdrawn);
}

void
asker_destroy(struct asker *asker)
{
	uint64_t asking;

	if (!asker)
		return;
	pthread_mutex_lock(&asker->lock);
	asker->ending = true;
	asking = asker->asking ? asker->asking->id : 0;
	eventfd_write(asker->withdrawn, 1);
	pthread_cond_signal(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	cancel_asking(asker, asking);
	if (asker->started)
		pthread_join(asker->thread, NULL);
	pthread_cond_destroy(&asker->changed);
	pthread_mutex_destroy(&asker->lock);
	close(asker->withdrawn);
	free(asker);
}
