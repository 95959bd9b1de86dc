/* SPDX-License-Identifier: Apache-2.0 */
/* A request of a program that has one engine and one thread: decided, asked about and waited for
 * in one call, at a desk of its own. */

#include <pthread.h>

#include <ambit/engine.h>

#include "ask/desk/blocking.h"
#include "ask/desk/desk.h"
#include "engine/questions.h"

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done;
	struct ambit_outcome *ret_outcome;
	struct ambit_permit *permit;
};

static void
take_outcome(
	void *data, uint64_t ticket, struct ambit_outcome *outcome, struct ambit_permit *permit)
{
	struct waiting *waiting = data;

	(void)ticket;
	pthread_mutex_lock(&waiting->lock);
	*waiting->ret_outcome = *outcome;
	waiting->permit = permit;
	waiting->done = true;
	pthread_cond_signal(&waiting->changed);
	pthread_mutex_unlock(&waiting->lock);
}

static int
submit_and_wait(struct desk *desk, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	struct waiting waiting = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.ret_outcome = ret_outcome,
	};
	const struct desk_client client = { .done = take_outcome, .data = &waiting, .keeps = true };
	uint64_t ticket;
	/* A ticket never changes its request. */
	int r = desk_submit(desk, (struct ambit_request *)request, &client, ret_outcome,
		&waiting.permit, &ticket, err);

	if (r == 1) {
		pthread_mutex_lock(&waiting.lock);
		while (!waiting.done)
			pthread_cond_wait(&waiting.changed, &waiting.lock);
		pthread_mutex_unlock(&waiting.lock);
		r = 0;
	}
	if (ret_permit)
		*ret_permit = waiting.permit;
	else if (waiting.permit)
		ambit_permit_finish(waiting.permit, 0, NULL);
	return r;
}

int
ambit_engine_request(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	struct ambit_approver *approver = engine_approver(engine);
	struct blocking *judge = NULL, *person = NULL;
	struct desk *desk = NULL;
	int r;

	*ret_outcome = (struct ambit_outcome){ 0 };
	if (ret_permit)
		*ret_permit = NULL;
	r = desk_create(&(struct desk_options){ .engine = engine,
				.instant = approver && approver->instant ? approver : NULL },
		&desk, err);
	if (r == 0)
		r = blocking_add_judge(desk, engine_judge(engine), &judge, err);
	if (r == 0)
		r = blocking_add_approver(desk, approver, NULL, &person, err);
	if (r == 0)
		r = submit_and_wait(desk, request, ret_outcome, ret_permit, err);
	desk_stop(desk);
	blocking_destroy(person);
	blocking_destroy(judge);
	desk_destroy(desk);
	return r;
}
