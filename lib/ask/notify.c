/* SPDX-License-Identifier: Apache-2.0 */
/* A question into a run of the person's own program. The program has the person's rights and
 * environment, so it must be out of reach of the agent: it is checked when the session begins and
 * before each run. The question's text has names that the agent chose; the program gets them as
 * JSON on its input, never as arguments. Questions do not wait for it. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ask/notify.h"
#include "ask/question-wire.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "base/thread.h"

#define TIMEOUT_MS 10000 /* of one run */
#define END_S 2		 /* for what is still to be run when the session ends */

struct notify {
	struct notify_options o;
	char **argv;	/* with the real path of the program */
	struct stat st; /* what it was when it was checked */
	int stop;	/* readable: the program that runs is ended */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool started;
	bool ending;
	bool busy;
	bool told; /* that it failed */
	char *waiting[NOTIFY_WAITING_MAX];
	size_t n_waiting;
};

/* -- one run ---------------------------------------------------------------------- */

/* A grant given during the session may have opened the program's own place. */
static int
check_same(const struct notify *notify, struct ambit_error *err)
{
	const struct stat *was = &notify->st;
	struct stat st;
	int r = run_trust(notify->argv[0], err);

	if (r < 0)
		return r;
	if (lstat(notify->argv[0], &st) < 0)
		return err_sys(err, errno, "%s", notify->argv[0]);
	if (st.st_dev != was->st_dev || st.st_ino != was->st_ino ||
		st.st_ctim.tv_sec != was->st_ctim.tv_sec ||
		st.st_ctim.tv_nsec != was->st_ctim.tv_nsec)
		return err_set(
			err, ESTALE, "%s was changed since the session began", notify->argv[0]);
	return 0;
}

static void
run_notify_program(struct notify *notify, const char *text)
{
	struct ambit_error err = { 0 };
	int r = check_same(notify, &err);

	if (r == 0)
		r = run_program_until(notify->stop, notify->argv, notify->o.envp, text,
			strlen(text), 0, TIMEOUT_MS, NULL, NULL, &err);
	if (r == 0 || r == -ECANCELED || notify->told)
		return;
	notify->told = true;
	if (notify->o.failed)
		notify->o.failed(notify->o.data, err.text);
}

/* -- the thread ------------------------------------------------------------------- */

/* The next one's text, which the caller frees; NULL: the session has ended. */
static char *
take_waiting(struct notify *notify)
{
	char *text = NULL;

	pthread_mutex_lock(&notify->lock);
	notify->busy = false;
	pthread_cond_broadcast(&notify->changed);
	while (notify->n_waiting == 0 && !notify->ending)
		pthread_cond_wait(&notify->changed, &notify->lock);
	if (notify->n_waiting > 0) {
		text = notify->waiting[0];
		notify->n_waiting--;
		memmove(notify->waiting, notify->waiting + 1,
			notify->n_waiting * sizeof(notify->waiting[0]));
		notify->busy = true;
	}
	pthread_mutex_unlock(&notify->lock);
	return text;
}

static void *
run_notify_thread(void *data)
{
	struct notify *notify = data;
	char *text;

	while ((text = take_waiting(notify)) != NULL) {
		run_notify_program(notify, text);
		free(text);
	}
	return NULL;
}

/* With the lock. Takes the text if there is room for it. */
static bool
add_waiting(struct notify *notify, char *text)
{
	if (notify->n_waiting == NOTIFY_WAITING_MAX || notify->ending)
		return false;
	if (!notify->started)
		notify->started =
			thread_start(&notify->thread, NULL, run_notify_thread, notify) == 0;
	if (notify->started)
		notify->waiting[notify->n_waiting++] = text;
	return notify->started;
}

void
notify_question(struct notify *notify, const struct ambit_question *question)
{
	auto_free char *text = NULL;

	if (!notify || question_write(question, 0, &text, NULL) < 0)
		return;
	pthread_mutex_lock(&notify->lock);
	if (add_waiting(notify, text)) {
		text = NULL;
		pthread_cond_broadcast(&notify->changed);
	}
	pthread_mutex_unlock(&notify->lock);
}

/* -- its life --------------------------------------------------------------------- */

static int
fill_notify(struct notify *notify, struct ambit_error *err)
{
	char *const *argv = notify->o.argv;
	auto_free char *real = NULL;
	int r = run_resolve(argv[0], &real, err);

	if (r == 0)
		r = run_trust(real, err);
	if (r == 0 && lstat(real, &notify->st) < 0)
		r = err_sys(err, errno, "%s", real);
	if (r == 0 && strv_append(&notify->argv, real) < 0)
		r = err_nomem(err);
	for (size_t i = 1; r == 0 && argv[i]; i++)
		if (strv_append(&notify->argv, argv[i]) < 0)
			r = err_nomem(err);
	notify->o.argv = NULL;
	notify->stop = r == 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
	if (r == 0 && notify->stop < 0)
		r = err_sys(err, errno, "eventfd");
	return r;
}

int
notify_create(
	const struct notify_options *options, struct notify **ret_notify, struct ambit_error *err)
{
	struct notify *notify = calloc(1, sizeof(*notify));
	pthread_condattr_t steady;
	int r;

	if (!notify)
		return err_nomem(err);
	notify->o = *options;
	pthread_mutex_init(&notify->lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&notify->changed, &steady);
	pthread_condattr_destroy(&steady);
	r = fill_notify(notify, err);
	if (r < 0) {
		notify_destroy(notify);
		return err_context(err, "notify_command");
	}
	*ret_notify = notify;
	return 0;
}

/* A person who is called to a question wants to hear of it, although the run is over already. */
static void
await_last_run(struct notify *notify)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += END_S;
	pthread_mutex_lock(&notify->lock);
	notify->ending = true;
	pthread_cond_broadcast(&notify->changed);
	while (notify->busy || notify->n_waiting > 0)
		if (pthread_cond_timedwait(&notify->changed, &notify->lock, &until) != 0)
			break;
	while (notify->n_waiting > 0)
		free(notify->waiting[--notify->n_waiting]);
	pthread_mutex_unlock(&notify->lock);
	eventfd_write(notify->stop, 1);
	pthread_join(notify->thread, NULL);
}

void
notify_destroy(struct notify *notify)
{
	if (!notify)
		return;
	if (notify->started)
		await_last_run(notify);
	fd_close_at(&notify->stop);
	pthread_cond_destroy(&notify->changed);
	pthread_mutex_destroy(&notify->lock);
	strv_free(notify->argv);
	free(notify);
}
