/* SPDX-License-Identifier: Apache-2.0 */
/* Between the engine, which many threads share, and an approver, who takes his
 * time. The question is copied before it is shown: the engine's own may be
 * withdrawn meanwhile, and then the approver is told so. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/asker.h"

struct asker {
	struct gate *gate;
	struct ambit_engine *engine;
	struct ambit_approver *approver;
	struct terminal *terminal;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool started;
	bool woken;
	bool ending;
	uint64_t asking; /* the question that is with the approver; 0: none */
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

static void
put(struct asker *asker, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { 0 };
	int r;

	if (asker->terminal) {
		terminal_await_quiet(asker->terminal);
		terminal_hold(asker->terminal);
	}
	r = asker->approver->ask(asker->approver, question, &answer, &err);
	gate_lock(asker->gate);
	gate_forget(asker->gate);
	if (r == 0)
		r = ambit_engine_answer(asker->engine, question->id, &answer, asker->approver->name,
			&err);
	/* ENOENT, ECANCELED: it was withdrawn, and nobody waits for it. */
	if (r < 0 && r != -ENOENT && r != -ECANCELED)
		ambit_engine_decline(asker->engine, question->id, -r, err.text);
	gate_unlock(asker->gate);
	/* Here, not by waking the loop: the one who was asked about waits. */
	gate_settle(asker->gate);
	if (asker->terminal)
		terminal_release(asker->terminal);
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
set_asking(struct asker *asker, uint64_t id)
{
	bool ending;

	pthread_mutex_lock(&asker->lock);
	asker->asking = id;
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
			if (set_asking(asker, question.id))
				put(asker, &question);
			ambit_question_finish(&question);
			if (!set_asking(asker, 0))
				break;
		}
		gate_settle(asker->gate); /* what needed no asking */
	}
	return NULL;
}

struct asker *
asker_create(struct gate *gate, struct ambit_engine *engine, struct ambit_approver *approver,
	struct terminal *terminal)
{
	struct asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return NULL;
	*asker = (struct asker){
		.gate = gate,
		.engine = engine,
		.approver = approver,
		.terminal = terminal,
	};
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

/* Called by the supervisor's loop alone. */
void
asker_wake(struct asker *asker)
{
	const struct ambit_question *question;
	uint64_t asking, current;

	gate_lock(asker->gate);
	question = ambit_engine_question(asker->engine);
	current = question ? question->id : 0;
	gate_unlock(asker->gate);
	if (current != 0 && !asker->started && !start(asker)) {
		/* Without the thread nobody can be asked: no. */
		gate_lock(asker->gate);
		while ((question = ambit_engine_question(asker->engine)) != NULL)
			ambit_engine_decline(asker->engine, question->id, EAGAIN,
				"there is no thread to ask from");
		gate_unlock(asker->gate);
		return;
	}
	pthread_mutex_lock(&asker->lock);
	asking = asker->asking;
	asker->woken = true;
	pthread_cond_signal(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	if (asking != 0 && asking != current && asker->approver->cancel)
		asker->approver->cancel(asker->approver, asking);
}

void
asker_destroy(struct asker *asker)
{
	uint64_t asking;

	if (!asker)
		return;
	pthread_mutex_lock(&asker->lock);
	asker->ending = true;
	asking = asker->asking;
	pthread_cond_signal(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	if (asking != 0 && asker->approver->cancel)
		asker->approver->cancel(asker->approver, asking);
	if (asker->started)
		pthread_join(asker->thread, NULL);
	pthread_cond_destroy(&asker->changed);
	pthread_mutex_destroy(&asker->lock);
	free(asker);
}
