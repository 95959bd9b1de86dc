/* SPDX-License-Identifier: Apache-2.0 */
/* Between the engine, which many threads share, and an approver, who takes his
 * time. The question is copied before it is shown: the engine's own may be
 * withdrawn, or answered by one who watches, and then the approver is told so.
 * What he says is an answer to what he was shown, and to nothing else. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/asker.h"

struct asker {
	struct gate *gate;
	struct ambit_engine *engine;
	struct ambit_approver *approver; /* NULL: nobody but the judge */
	struct terminal *terminal;
	bool (*watched)(void *data);
	void *data;
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

	gate_lock(asker->gate);
	question = ambit_engine_question(asker->engine);
	if (question && ambit_question_copy(question, ret_question) == 0)
		id = question->id;
	else if (question)
		ambit_engine_decline(asker->engine, question->id, ENOMEM, "out of memory");
	gate_unlock(asker->gate);
	return id;
}

static int
match(void *data, const struct ambit_question *question)
{
	return ambit_question_same(data, question);
}

/* With those who watch, or nobody: then they are asked there. Programs that answer are no
 * terminal, and are asked as ever. */
static bool
is_elsewhere(const struct asker *asker)
{
	const struct ambit_approver *approver = asker->approver;

	return asker->watched && asker->watched(asker->data) &&
		(!approver || approver->instant || streq(approver->name, "tty"));
}

/* True if he said yes. The terminal is not touched for that. */
static bool
ask_judge(struct asker *asker, const struct ambit_question *question,
	struct ambit_answer *ret_answer)
{
	struct ambit_judge *judge = ambit_engine_judge(asker->engine);
	struct ambit_error why = { 0 };

	if (asker->judged == question->id)
		return false;
	asker->judged = question->id;
	if (ambit_judge_ask(judge, question, asker->withdrawn, ret_answer, &why) == 0)
		return true;
	if (judge) {
		gate_lock(asker->gate);
		ambit_engine_passed(asker->engine, question, &why);
		gate_unlock(asker->gate);
		gate_wake(asker->gate); /* those who watch hear of it now */
	}
	return false;
}

/* The terminal is held from here until the answer has been taken. */
static int
ask_person(struct asker *asker, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	if (!asker->approver)
		return err_set(err, ENOENT, "nobody is here to ask");
	if (asker->terminal) {
		terminal_await_quiet(asker->terminal, question->expires);
		terminal_hold(asker->terminal);
	}
	return asker->approver->ask(asker->approver, question, ret_answer, err);
}

static void
take(struct asker *asker, const struct ambit_question *question,
	const struct ambit_answer *answer, int r, struct ambit_error *err)
{
	bool open;

	gate_lock(asker->gate);
	gate_forget(asker->gate);
	open = ambit_engine_questions(asker->engine, match, (void *)question) == 1;
	if (r == 0 && open)
		r = ambit_engine_answer(asker->engine, question->id, answer,
			asker->approver ? asker->approver->name : "", err);
	/* It was withdrawn, or somebody else has answered. */
	if (r < 0 && r != -ECANCELED && open)
		ambit_engine_decline(asker->engine, question->id, -r, err->text);
	gate_unlock(asker->gate);
	/* Here, not by waking the loop: the one who was asked about waits. */
	gate_settle(asker->gate);
}

/* False: it is with those who watch. */
static bool
put(struct asker *asker, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { 0 };
	bool judged = ask_judge(asker, question, &answer);

	if (!judged && is_elsewhere(asker))
		return false;
	take(asker, question, &answer, judged ? 0 : ask_person(asker, question, &answer, &err),
		&err);
	if (asker->terminal && !judged && asker->approver)
		terminal_release(asker->terminal);
	gate_wake(asker->gate);
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
run(void *data)
{
	struct asker *asker = data;

	while (wait_for_work(asker)) {
		struct ambit_question question = { 0 };

		while (next_question(asker, &question) != 0) {
			bool over = !set_asking(asker, &question) || !put(asker, &question);

			over = !set_asking(asker, NULL) || over;
			ambit_question_finish(&question);
			if (over)
				break;
		}
		gate_settle(asker->gate); /* what needed no asking */
	}
	return NULL;
}

struct asker *
asker_create(struct gate *gate, struct ambit_engine *engine, struct ambit_approver *approver,
	struct terminal *terminal, bool (*watched)(void *data), void *data)
{
	struct asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return NULL;
	*asker = (struct asker){
		.gate = gate,
		.engine = engine,
		.approver = approver,
		.terminal = terminal,
		.watched = watched,
		.data = data,
		.withdrawn = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (asker->withdrawn < 0) {
		free(asker);
		return NULL;
	}
	pthread_mutex_init(&asker->lock, NULL);
	pthread_cond_init(&asker->changed, NULL);
	return asker;
}

static bool
start(struct asker *asker)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	asker->started = pthread_create(&asker->thread, NULL, run, asker) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return asker->started;
}

/* Without the thread nobody can be asked: no. */
static void
decline_all(struct asker *asker)
{
	const struct ambit_question *question;

	gate_lock(asker->gate);
	while ((question = ambit_engine_question(asker->engine)) != NULL)
		ambit_engine_decline(
			asker->engine, question->id, EAGAIN, "there is no thread to ask from");
	gate_unlock(asker->gate);
}

static void
cancel(struct asker *asker, uint64_t asking)
{
	if (asking != 0 && asker->approver && asker->approver->cancel)
		asker->approver->cancel(asker->approver, asking);
}

/* Called by the supervisor's loop alone. */
void
asker_wake(struct asker *asker)
{
	const struct ambit_question *question;
	uint64_t withdrawn = 0;
	bool any;

	gate_lock(asker->gate);
	question = ambit_engine_question(asker->engine);
	any = question != NULL;
	pthread_mutex_lock(&asker->lock);
	if (asker->asking && (!question || !ambit_question_same(question, asker->asking)))
		withdrawn = asker->asking->id;
	/* With the lock, so that it is that question which hears of it, or none. */
	if (withdrawn != 0)
		eventfd_write(asker->withdrawn, 1);
	pthread_mutex_unlock(&asker->lock);
	gate_unlock(asker->gate);
	if (any && !asker->started && !start(asker)) {
		decline_all(asker);
		return;
	}
	pthread_mutex_lock(&asker->lock);
	asker->woken = true;
	pthread_cond_signal(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	cancel(asker, withdrawn);
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
	cancel(asker, asking);
	if (asker->started)
		pthread_join(asker->thread, NULL);
	pthread_cond_destroy(&asker->changed);
	pthread_mutex_destroy(&asker->lock);
	close(asker->withdrawn);
	free(asker);
}
