/* SPDX-License-Identifier: Apache-2.0 */
/* What is opened in the place of a guarded name: memory that the tree can write
 * as long as it likes. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/gate/gate-private.h"
#include "line/gate/staged-private.h"
#include "perform/permit.h"
#include "request/request-object.h"

#define STAGED_MAX 64

struct staged *
staged_create(void)
{
	struct staged *staged = calloc(1, sizeof(*staged));

	if (staged)
		pthread_mutex_init(&staged->lock, NULL);
	return staged;
}

void
staged_one_destroy(struct staged_one *one)
{
	fd_close_at(&one->parent);
	fd_close_at(&one->fd);
	free(one->real);
	free(one->written);
	free(one->beside);
	free(one);
}

void
staged_destroy(struct staged *staged)
{
	if (!staged)
		return;
	while (staged->list) {
		struct staged_one *next = staged->list->next;

		staged_one_destroy(staged->list);
		staged->list = next;
	}
	strv_free(staged->refused);
	pthread_mutex_destroy(&staged->lock);
	free(staged);
}

/* -- opening ------------------------------------------------------------------ */

static bool
was_refused(struct staged *staged, const char *real)
{
	bool was = false;

	pthread_mutex_lock(&staged->lock);
	for (size_t i = 0; staged->refused && staged->refused[i] && !was; i++)
		was = streq(staged->refused[i], real);
	pthread_mutex_unlock(&staged->lock);
	return was;
}

/* All of it is written anew. */
static bool
is_whole_rewrite(const struct call *call)
{
	const struct object *object = &call->object[0];

	if ((call->open.flags & O_ACCMODE) == O_RDONLY || (call->open.flags & O_PATH) ||
		(call->open.flags & O_TMPFILE) == O_TMPFILE)
		return false;
	return object->exists ? S_ISREG(object->st.st_mode) && (call->open.flags & O_TRUNC)
			      : (call->open.flags & O_CREAT) != 0;
}

static bool
is_allowed(struct call *call)
{
	const struct object *object = &call->object[0];
	const struct path_facts one = {
		.access = AMBIT_ACCESS_WRITE,
		.real = object->real,
		.written = object->written,
		.exists = object->exists,
		.mode = object->st.st_mode,
		.dev = object->st.st_dev,
		.ino = object->st.st_ino,
		.nlink = object->st.st_nlink,
	};
	struct pass pass;

	return engine_allows_fast(call->gate->o.engine, &one, 1, &pass) == AMBIT_ALLOW;
}

bool
staged_takes(struct call *call)
{
	const struct object *object = &call->object[0];
	struct staged *staged = call->gate->staged;
	struct target_who who;
	bool takes;

	if (!staged || object->parent < 0 || !object->name[0] || object->gone || object->nameless ||
		object->proc || !is_whole_rewrite(call) || atomic_load(&staged->n) >= STAGED_MAX)
		return false;
	gate_lock(call->gate);
	takes = engine_git_writes(call->gate->o.engine, object->real) && !is_allowed(call);
	gate_unlock(call->gate);
	/* Anybody may call himself git; what he writes is judged all the same. All
	 * others are asked about at once, or get an error that means something. */
	return takes && target_who(&call->target, &who) == 0 && str_prefix(who.program, "git") &&
	       !was_refused(staged, object->real);
}

static int
reopen_for_reading(int fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return open(link, O_RDONLY | O_CLOEXEC);
}

static char *
name_beside(const char *real)
{
	return str_printf("%.*s/#staged", (int)(strrchr(real, '/') - real), real);
}

static struct staged_one *
create_staged_file(struct call *call, int fd)
{
	const struct object *object = &call->object[0];
	struct staged_one *one = calloc(1, sizeof(*one));
	mode_t mode = object->st.st_mode & 0777;

	if (!one)
		return NULL;
	*one = (struct staged_one){
		.real = strdup(object->real),
		.written = strdup(object->written),
		.beside = name_beside(object->real),
		.parent = fcntl(object->parent, F_DUPFD_CLOEXEC, 3),
		.fd = reopen_for_reading(fd),
		.tid = call->target.tid,
	};
	if (one->real && one->written && one->beside && one->parent >= 0 && one->fd >= 0 &&
		target_who(&call->target, &one->who) == 0 &&
		(object->exists || call_mode(call, 0, call->open.mode, &mode) == 0)) {
		one->mode = mode & 0777;
		return one;
	}
	staged_one_destroy(one);
	return NULL;
}

int
staged_open(struct call *call, int *ret_fd)
{
	struct staged *staged = call->gate->staged;
	auto_close int fd = memfd_create("git", MFD_CLOEXEC);
	struct staged_one *one;

	if (fd < 0)
		return -errno;
	if ((call->open.flags & O_APPEND) && fcntl(fd, F_SETFL, O_APPEND) < 0)
		return -errno;
	one = create_staged_file(call, fd);
	if (!one)
		return -ENOMEM;
	pthread_mutex_lock(&staged->lock);
	one->next = staged->list;
	staged->list = one;
	atomic_fetch_add(&staged->n, 1);
	pthread_mutex_unlock(&staged->lock);
	*ret_fd = steal_fd(&fd);
	return 0;
}
