/* SPDX-License-Identifier: Apache-2.0 */
/* A request on its way to its answer. It runs in a thread, and where it needs a person
 * its request is answered with the question and a handle; from then on no request waits
 * for it, until `answer` names the handle and takes that place. So at any time at most
 * one request waits for a job, and each gets exactly one reply. What a job ends in while
 * nobody waits for it is kept for the one who comes with its handle. */

#include <stdio.h>
#include <stdlib.h>

#include "serve.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#define IN_FLIGHT_MAX (64u << 20) /* bytes of requests that wait */
#define KEPT_MAX 64		  /* results that nobody has fetched; then the oldest goes */

void
job_destroy(struct job *job)
{
	if (job == NULL)
		return;
	json_decref(job->id);
	json_decref(job->result);
	json_decref(job->whole);
	pthread_mutex_destroy(&job->turn);
	free(job);
}

void
job_fail(struct job *job, int code, const char *why)
{
	size_t len = str_cut(why, strlen(why), sizeof(job->why) - 1);

	job->code = code;
	memcpy(job->why, why, len);
	job->why[len] = '\0';
}

/* -- lists, with the lock ------------------------------------------------------------ */

void
job_unlink(struct client *client, const struct job *job)
{
	struct job **at = &client->jobs;

	while (*at != NULL && *at != job)
		at = &(*at)->next;
	if (*at != NULL)
		*at = job->next;
	client->kept -= job->done;
}

static struct job *
find_id(const struct client *client, const json_t *id)
{
	for (struct job *job = client->jobs; job != NULL; job = job->next)
		if (job->id != NULL && json_equal(job->id, id))
			return job;
	return NULL;
}

/* A handle is a job's name, '-', and which of its questions. */
struct job *
job_find(const struct client *client, const char *handle, uint64_t *ret_number)
{
	const char *dash = strrchr(handle, '-');
	char *end = NULL;

	if (dash == NULL || dash[1] < '1' || dash[1] > '9')
		return NULL;
	*ret_number = strtoull(dash + 1, &end, 10);
	for (struct job *job = client->jobs; *end == '\0' && job != NULL; job = job->next)
		if (strlen(job->name) == (size_t)(dash - handle) &&
			memcmp(job->name, handle, strlen(job->name)) == 0)
			return job;
	return NULL;
}

static struct job *
find_oldest_kept(const struct client *client)
{
	struct job *found = NULL;

	for (struct job *job = client->jobs; job != NULL; job = job->next)
		if (job->done)
			found = job;
	return found;
}

/* -- replies ------------------------------------------------------------------------- */

/* Takes id. */
void
job_reply(struct client *client, const struct job *job, json_t *id)
{
	if (job->cancelled)
		rpc_error(&client->out, id, SERVE_CANCELLED, "the call was cancelled", NULL);
	else if (job->code != 0)
		rpc_error(&client->out, id, job->code, job->why, NULL);
	else
		rpc_result(&client->out, id, json_incref(job->result));
	json_decref(id);
}

/* -- in its thread ------------------------------------------------------------------- */

static void
run_request_job(void *data, int cancel)
{
	struct job *job = data;

	job->cancel = cancel;
	job->work(job);
	if (job->result == NULL && job->code == 0 && !job->cancelled)
		job_fail(job, RPC_INTERNAL, "out of memory");
}

static void
finish_request_job(void *data, bool ran)
{
	struct job *job = data, *dropped = NULL;
	struct client *client = job->client;
	json_t *id;
	bool keep;

	job->cancelled = job->cancelled || !ran;
	pthread_mutex_lock(&client->lock);
	client->in_flight -= job->size;
	id = steal_ptr(&job->id);
	keep = id == NULL && !job->cancelled && !job->unwanted && !client->gone;
	if (keep && client->kept == KEPT_MAX)
		dropped = find_oldest_kept(client);
	if (dropped != NULL)
		job_unlink(client, dropped);
	if (keep) {
		job->done = true;
		client->kept++;
	} else {
		job_unlink(client, job);
	}
	pthread_mutex_unlock(&client->lock);
	/* A kept job may have been fetched and freed by now. */
	if (id != NULL)
		job_reply(client, job, id);
	if (!keep)
		job_destroy(job);
	job_destroy(dropped);
}

/* -- in the reader's thread ---------------------------------------------------------- */

/* The message becomes the job's alone: jansson's counts are no way for two threads to
 * share a value. For the same reason an id that waits is a copy. */
static struct job *
job_create(struct client *client, struct rpc_message *message, void (*work)(struct job *job))
{
	struct job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	hash_random_name(job->name, sizeof(job->name) - 1);
	job->client = client;
	job->whole = steal_ptr(&message->whole);
	job->params = message->params;
	job->id = json_copy(message->id);
	job->work = work;
	job->cancel = job->wake = -1;
	job->size = sizeof(*job) + json_weight(job->whole);
	pthread_mutex_init(&job->turn, NULL);
	return job;
}

static int
add_client_job(struct client *client, struct job *job)
{
	bool room;

	pthread_mutex_lock(&client->lock);
	room = client->in_flight == 0 || client->in_flight + job->size <= IN_FLIGHT_MAX;
	if (room) {
		client->in_flight += job->size;
		job->next = client->jobs;
		client->jobs = job;
	}
	pthread_mutex_unlock(&client->lock);
	return room ? 0 : -EAGAIN;
}

/* Equal for two requests with the same method and parameters, in whatever order those are. Only
 * for calls that their own client is asked about. */
static void
digest_call(const struct rpc_message *message, char ret_same[HASH_HEX])
{
	auto_free char *params = NULL, *text = NULL;

	ret_same[0] = '\0';
	if (!json_is_true(json_object_get(message->params, "ask")))
		return;
	params = json_dumps(message->params, JSON_COMPACT | JSON_SORT_KEYS);
	text = params != NULL ? str_printf("%s %s", message->method, params) : NULL;
	if (text != NULL)
		hash_sha256(text, strlen(text), ret_same);
}

void
job_start(struct client *client, struct rpc_message *message, bool slow,
	void (*work)(struct job *job))
{
	char same[HASH_HEX];
	struct job *job;
	int r;

	digest_call(message, same);
	if (job_tell_same(client, same, message->id))
		return;
	job = job_create(client, message, work);
	if (job != NULL)
		memcpy(job->same, same, sizeof(same));
	r = job != NULL && job->id != NULL ? add_client_job(client, job) : -ENOMEM;

	if (r == 0) {
		r = calls_start(
			client->calls, job->name, slow, run_request_job, finish_request_job, job);
		if (r == 0)
			return;
		pthread_mutex_lock(&client->lock);
		job_unlink(client, job);
		client->in_flight -= job->size;
		pthread_mutex_unlock(&client->lock);
	}
	rpc_error(&client->out, message->id, r == -EAGAIN ? SERVE_BUSY : RPC_INTERNAL,
		r == -EAGAIN ? "too many calls at once: try again" : "out of memory", NULL);
	job_destroy(job);
}

bool
job_uses(struct client *client, const json_t *id)
{
	bool used;

	pthread_mutex_lock(&client->lock);
	used = find_id(client, id) != NULL;
	pthread_mutex_unlock(&client->lock);
	return used;
}

bool
job_cancel(struct client *client, const json_t *params)
{
	const json_t *id = json_object_get(params, "id");
	const char *handle = params_text(params, "pending");
	struct job *job, *dropped = NULL;
	char name[sizeof(job->name)] = "";
	uint64_t number;
	bool found;

	pthread_mutex_lock(&client->lock);
	job = id != NULL ? find_id(client, id) : job_find(client, handle, &number);
	found = job != NULL;
	if (found && job->done) {
		job_unlink(client, job);
		dropped = job;
	} else if (found) {
		job->unwanted = true;
		memcpy(name, job->name, sizeof(name));
	}
	pthread_mutex_unlock(&client->lock);
	/* Without the lock, which finish takes. */
	if (found && dropped == NULL)
		found = calls_cancel(client->calls, name);
	job_destroy(dropped);
	return found;
}

void
job_forget_all(struct client *client)
{
	while (client->jobs != NULL) {
		struct job *job = client->jobs;

		client->jobs = job->next;
		job_destroy(job);
	}
}
