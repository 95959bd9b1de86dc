/* SPDX-License-Identifier: Apache-2.0 */
/* Questions put to the client that a thread waits for: as requests, which a server may do
 * in the legacy era, or as the result of the call that runs (mcp-resume.c). Each waits for
 * no longer than its own time: a client that never answers has said no. A client that
 * answers twice, late, or what was not asked is not heard. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mcp.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define LONGEST_MS (24 * 3600 * 1000) /* of a question that never expires */
#define TELL_MS 5000		      /* between two signs that it still waits */

struct open_question {
	struct open_question *next;
	char id[32];
	int done;	   /* readable when there is an answer, or never will be */
	json_t *response;  /* the whole message; with the lock */
	char how[128];	   /* likewise: it has ended elsewhere; "": it has not */
	const void *asker; /* whose it is, and its id there */
	uint64_t question;
};

/* How it ended before it was put; NULL: it is open. */
static const char *
withdrawn_how(const struct mcp *mcp, const struct open_question *open)
{
	for (size_t i = 0; i < MCP_WITHDRAWN; i++)
		if (mcp->withdrawn[i].asker == open->asker &&
			mcp->withdrawn[i].question == open->question)
			return mcp->withdrawn[i].how;
	return NULL;
}

/* With the lock. */
static void
end_open_question(struct open_question *open, const char *how)
{
	snprintf(open->how, sizeof(open->how), "%s", how);
	eventfd_write(open->done, 1);
}

static int
open_question(const struct asker *asker, const struct ambit_question *question,
	struct open_question *open, struct ambit_error *err)
{
	struct mcp *mcp = asker->mcp;
	const char *how;
	bool gone;

	*open = (struct open_question){
		.done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.asker = asker->data,
		.question = question->id,
	};
	if (open->done < 0)
		return err_sys(err, errno, "cannot wait for an answer");
	pthread_mutex_lock(&mcp->lock);
	snprintf(
		open->id, sizeof(open->id), "ambit-%llu", (unsigned long long)++mcp->last_question);
	open->next = mcp->open;
	mcp->open = open;
	gone = mcp->gone;
	how = withdrawn_how(mcp, open);
	if (how != NULL)
		end_open_question(open, how);
	pthread_mutex_unlock(&mcp->lock);
	if (gone)
		eventfd_write(open->done, 1);
	return 0;
}

static void
close_question(struct mcp *mcp, struct open_question *open)
{
	struct open_question **at = &mcp->open;

	pthread_mutex_lock(&mcp->lock);
	while (*at != NULL && *at != open)
		at = &(*at)->next;
	if (*at != NULL)
		*at = open->next;
	pthread_mutex_unlock(&mcp->lock);
	json_decref(open->response);
	close(open->done);
}

static int64_t
time_left(const struct ambit_question *question)
{
	int64_t left = question->expires - clock_now();

	if (question->expires == 0 || left > LONGEST_MS)
		return LONGEST_MS;
	return left < 0 ? 0 : left;
}

/* 0: there is a response, or never will be. */
static int
wait_for(const struct asker *asker, const struct open_question *open,
	const struct ambit_question *question, struct ambit_error *err)
{
	struct pollfd fds[] = {
		{ .fd = open->done, .events = POLLIN },
		{ .fd = asker->cancel, .events = POLLIN },
	};

	for (;;) {
		int64_t left = time_left(question);
		int n = poll(fds, 2, left < TELL_MS ? (int)left : TELL_MS);

		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "poll");
		if (n > 0 && fds[1].revents != 0)
			return err_set(err, ECANCELED, "the call was cancelled");
		if (n > 0)
			return 0;
		if (left <= TELL_MS && n == 0)
			return err_set(err, ETIMEDOUT, "the client did not answer in time");
		if (n == 0 && asker->waiting != NULL)
			asker->waiting(asker->data);
	}
}

/* The client may take it off the screen. */
static void
send_withdrawal(const struct asker *asker, const struct open_question *open, const char *why)
{
	rpc_notify(&asker->mcp->out, "notifications/cancelled",
		json_pack("{s:s s:s}", "requestId", open->id, "reason", why));
}

static int
read_response(const struct open_question *open, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const json_t *error = json_object_get(open->response, "error");
	const char *words = json_string_value(json_object_get(error, "message"));
	auto_free char *shown = words != NULL ? str_escape(words, strlen(words)) : NULL;

	if (open->how[0] != '\0')
		return err_set(err, ECANCELED, "%s", open->how);
	if (open->response == NULL)
		return err_set(err, EPIPE, "the client is gone");
	if (error != NULL)
		return err_set(err, EIO, "the client could not ask%s%.300s",
			shown != NULL ? ": " : "", shown != NULL ? shown : "");
	return form_read(question, json_object_get(open->response, "result"), ret_answer, err);
}

int
ask_client(const struct asker *asker, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	json_t *form = form_create(question, asker->era);
	struct open_question open;
	int r;

	if (form == NULL)
		return err_nomem(err);
	r = open_question(asker, question, &open, err);
	if (r < 0) {
		json_decref(form);
		return r;
	}
	if (asker->era->modern)
		r = asker->put(asker->data, question, open.id, form);
	else
		r = rpc_request(&asker->mcp->out, open.id, "elicitation/create", form);
	if (r < 0)
		r = err_set(err, EPIPE, "the client is gone");
	if (r == 0)
		r = wait_for(asker, &open, question, err);
	if (r == 0) {
		pthread_mutex_lock(&asker->mcp->lock);
		r = read_response(&open, question, ret_answer, err);
		pthread_mutex_unlock(&asker->mcp->lock);
	}
	if (!asker->era->modern && (r == -ECANCELED || r == -ETIMEDOUT))
		send_withdrawal(asker, &open, err->text);
	close_question(asker->mcp, &open);
	return r;
}

void
ask_response(struct mcp *mcp, struct rpc_message *message)
{
	const char *id = json_string_value(message->id);

	pthread_mutex_lock(&mcp->lock);
	for (struct open_question *open = mcp->open; id != NULL && open != NULL; open = open->next)
		if (streq(open->id, id) && open->response == NULL) {
			open->response = message->whole;
			*message = (struct rpc_message){ 0 };
			eventfd_write(open->done, 1);
			break;
		}
	pthread_mutex_unlock(&mcp->lock);
}

void
ask_take_answer(struct mcp *mcp, const char *id, json_t *filled)
{
	json_t *response = json_pack("{s:o}", "result", filled);

	for (struct open_question *open = mcp->open; open != NULL; open = open->next)
		if (response != NULL && streq(open->id, id) && open->response == NULL) {
			open->response = steal_ptr(&response);
			eventfd_write(open->done, 1);
		}
	json_decref(response);
}

void
ask_withdraw(struct mcp *mcp, const void *data, uint64_t question, const char *how)
{
	struct withdrawn *kept;

	pthread_mutex_lock(&mcp->lock);
	kept = &mcp->withdrawn[mcp->n_withdrawn++ % MCP_WITHDRAWN];
	*kept = (struct withdrawn){ .asker = data, .question = question };
	snprintf(kept->how, sizeof(kept->how), "%s", how);
	for (struct open_question *open = mcp->open; open != NULL; open = open->next)
		if (open->asker == data && open->question == question)
			end_open_question(open, how);
	pthread_mutex_unlock(&mcp->lock);
}

void
ask_end(struct mcp *mcp)
{
	pthread_mutex_lock(&mcp->lock);
	mcp->gone = true;
	for (struct open_question *open = mcp->open; open != NULL; open = open->next)
		eventfd_write(open->done, 1);
	pthread_mutex_unlock(&mcp->lock);
}
