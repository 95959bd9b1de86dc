/* SPDX-License-Identifier: Apache-2.0 */
/* Text from the tree on its way to a guarded name. A lease tells that nobody can
 * write it any more; what is read then is judged, and a copy of it is put in
 * place. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "line/gate/gate-private.h"
#include "line/gate/staged-private.h"
#include "perform/act.h"
#include "perform/permit.h"
#include "request/request-object.h"

#define TEXT_MAX (1 << 20)

/* Nobody has it open for writing. Without leases it cannot be told, and what is
 * there is judged as it is. */
static bool
is_closed(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return errno != EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return true;
}

/* What stands at its name now, O_PATH; -1: nothing. */
static int
open_old(const struct staged_one *one, struct stat *ret_st)
{
	int fd = openat(one->parent, strrchr(one->real, '/') + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, ret_st) < 0)
		ret_st->st_mode = 0;
	return fd;
}

static int
write_staged_text(const struct staged_one *one, struct pass *pass, const char *text, size_t len)
{
	return act_put_text(
		pass, one->parent, NULL, strrchr(one->real, '/') + 1, one->mode, text, len);
}

/* As if it were any other file there. */
static int
put_plain(struct gate *gate, const struct staged_one *one, const char *text, size_t len)
{
	const struct path_facts beside = {
		.access = AMBIT_ACCESS_WRITE,
		.real = one->beside,
		.written = one->beside,
	};
	struct pass pass = { 0 };

	gate_lock(gate);
	engine_allows_fast(gate->o.engine, &beside, 1, &pass);
	gate_unlock(gate);
	return write_staged_text(one, &pass, text, len);
}

static struct ambit_request *
make_request(const struct staged_one *one, const struct stat *st)
{
	const struct path_facts object = {
		.access = AMBIT_ACCESS_WRITE,
		.real = one->real,
		.written = one->written,
		.exists = st != NULL,
		.mode = st ? st->st_mode : 0,
		.dev = st ? st->st_dev : 0,
		.ino = st ? st->st_ino : 0,
		.nlink = st ? st->st_nlink : 0,
	};
	struct ambit_request *request = NULL;

	if (request_objects(&object, 1, &request, NULL) < 0)
		return NULL;
	request_set_held(request, true);
	if (ambit_request_set_who(request, one->who.pid, one->who.start, one->who.program, NULL) <
		0) {
		ambit_request_destroy(request);
		return NULL;
	}
	return request;
}

/* Nobody is asked if that takes time: the program that wrote the file does not wait. */
static int
decide_staged(struct gate *gate, const struct staged_one *one, const struct stat *st,
	struct ambit_outcome *outcome, struct ambit_permit **permit)
{
	struct ambit_request *request = make_request(one, st);
	struct ambit_error err = { 0 };
	int r = request ? desk_try(gate->o.desk, request, outcome, permit, &err) : -ENOMEM;

	if (r != 1)
		return r;
	request = make_request(one, st);
	gate_lock(gate);
	r = request ? ambit_engine_decide(gate->o.engine, request, outcome, &err) : -ENOMEM;
	gate_unlock(gate);
	ambit_request_destroy(request);
	return r;
}

static void
refuse_staged(struct gate *gate, const struct staged_one *one, const struct ambit_outcome *outcome)
{
	auto_free char *shown = NULL;
	struct target target;

	gate_lock(gate);
	shown = ambit_scope_display(ambit_engine_scope(gate->o.engine), one->real);
	gate_unlock(gate);
	target_init(&target, one->tid);
	gate_tell_refused(gate, &target, "write", shown ? shown : "?", outcome, true, 0);
	target_finish(&target);
	pthread_mutex_lock(&gate->staged->lock);
	strv_append(&gate->staged->refused, one->real);
	pthread_mutex_unlock(&gate->staged->lock);
}

static void
submit_staged(struct gate *gate, const struct staged_one *one, const struct stat *st)
{
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	struct pass pass = { 0 };
	auto_free char *text = NULL;
	size_t len;
	int r;

	r = decide_staged(gate, one, st, &outcome, &permit);
	if (r == 0 && permit)
		permit_pass(permit, &pass);
	if (permit) {
		r = fd_read_open(one->fd, TEXT_MAX, &text, &len);
		if (r == 0)
			r = write_staged_text(one, &pass, text, len);
		gate_lock(gate);
		ambit_permit_finish(permit, r, NULL);
		gate_unlock(gate);
	} else {
		refuse_staged(gate, one, &outcome);
	}
	ambit_outcome_finish(&outcome);
}

/* False: it must wait. */
static bool
settle_staged_file(struct gate *gate, const struct staged_one *one, bool last)
{
	auto_free char *text = NULL;
	auto_close int old = -1;
	struct stat st = { 0 };
	size_t len = 0;
	int r;

	if (!last && !is_closed(one->fd))
		return false;
	old = open_old(one, &st);
	gate_lock(gate);
	r = engine_git_read(gate->o.engine, one->real, one->fd,
		old >= 0 && S_ISREG(st.st_mode) ? old : -1, &text, &len, NULL);
	gate_unlock(gate);
	if (r == -EAGAIN && !last)
		return false;
	/* A directory or a link at this name is not replaced by a file. */
	if (r == 0 && (old < 0 || S_ISREG(st.st_mode)))
		put_plain(gate, one, text, len);
	else
		submit_staged(gate, one, old >= 0 ? &st : NULL);
	return true;
}

void
staged_settle(struct gate *gate, bool last)
{
	struct staged *staged = gate->staged;
	struct staged_one *list, *next, *wait = NULL, **end = &wait;

	if (!staged || atomic_load(&staged->n) == 0)
		return;
	pthread_mutex_lock(&staged->lock);
	list = staged->list;
	staged->list = NULL;
	pthread_mutex_unlock(&staged->lock);
	for (; list; list = next) {
		next = list->next;
		if (settle_staged_file(gate, list, last)) {
			staged_one_destroy(list);
			atomic_fetch_sub(&staged->n, 1);
		} else {
			list->next = NULL;
			*end = list;
			end = &list->next;
		}
	}
	pthread_mutex_lock(&staged->lock);
	*end = staged->list;
	staged->list = wait;
	pthread_mutex_unlock(&staged->lock);
}
