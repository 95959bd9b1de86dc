/* SPDX-License-Identifier: Apache-2.0 */
/* Telling and counting. A refused program gets EACCES, which says nothing; so
 * the reason goes where a model reads it (the program's own stderr, once), and
 * into the list that the summary and the report are made of. A hostile loop
 * makes many refusals and few lines. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "record/run-refusals.h"

#define REFUSALS_MAX 500
#define PROGRAMS_MAX 128
#define LINE_MAX_BYTES 900 /* a pipe takes this much at once or not at all */
#define AGAIN_MS 1000	   /* a refusal that is decided anew at least this often */
#define AGAIN_SLOTS 4096
#define HEARD_SLOTS 4096
#define COMM_SLOTS 256
#define COMM_MS 50

struct tell {
	pthread_mutex_t lock;
	struct ambit_run_refusal *refusals;
	size_t n_refusals;
	uint64_t refused;
	struct ambit_run_program *programs;
	size_t n_programs;
	struct {
		uint64_t key;
		int64_t until;
		size_t refusal; /* which one it is; n_refusals and more: none */
	} again[AGAIN_SLOTS];
	uint64_t heard[HEARD_SLOTS];
	/* Who a thread belongs to, for a moment: reading it costs more than all
	 * the rest of an allowed call. */
	struct {
		pid_t tid;
		int64_t until;
		size_t program;
	} comm[COMM_SLOTS];
};

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct tell *
tell_create(void)
{
	struct tell *tell = calloc(1, sizeof(*tell));

	if (tell)
		pthread_mutex_init(&tell->lock, NULL);
	return tell;
}

static void
free_refusals(struct ambit_run_refusal *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].what);
		free(list[i].subject);
		free(list[i].code);
		free(list[i].program);
		free(list[i].message);
	}
	free(list);
}

void
tell_destroy(struct tell *tell)
{
	if (!tell)
		return;
	free_refusals(tell->refusals, tell->n_refusals);
	for (size_t i = 0; i < tell->n_programs; i++)
		free(tell->programs[i].name);
	free(tell->programs);
	pthread_mutex_destroy(&tell->lock);
	free(tell);
}

/* -- let through ---------------------------------------------------------------- */

static void
read_comm(pid_t tid, char *name, size_t size)
{
	char path[64];
	auto_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, name, size - 1) : -1;
	if (n > 0 && name[n - 1] == '\n')
		n--;
	name[n > 0 ? n : 0] = '\0';
}

/* The program's place in the list; those that find no room share the last. */
static size_t
program_index(struct tell *tell, const char *comm)
{
	auto_free char *name = str_escape(comm, strlen(comm));
	struct ambit_run_program *more;

	if (!name)
		return 0;
	for (size_t i = 0; i < tell->n_programs; i++)
		if (streq(tell->programs[i].name, name))
			return i;
	if (tell->n_programs >= PROGRAMS_MAX)
		return tell->n_programs - 1;
	more = realloc(tell->programs, (tell->n_programs + 1) * sizeof(*more));
	if (!more)
		return 0;
	tell->programs = more;
	more[tell->n_programs] = (struct ambit_run_program){ .name = steal_ptr(&name) };
	return tell->n_programs++;
}

void
tell_passed(struct tell *tell, const struct target *target)
{
	int64_t now = now_ms();
	size_t slot = (size_t)target->tid % COMM_SLOTS;
	char name[64];

	pthread_mutex_lock(&tell->lock);
	if (tell->comm[slot].tid != target->tid || tell->comm[slot].until < now) {
		read_comm(target->tid, name, sizeof(name));
		tell->comm[slot].tid = target->tid;
		tell->comm[slot].until = now + COMM_MS;
		tell->comm[slot].program = program_index(tell, name);
	}
	if (tell->comm[slot].program < tell->n_programs)
		tell->programs[tell->comm[slot].program].count++;
	pthread_mutex_unlock(&tell->lock);
}

/* -- refused --------------------------------------------------------------------- */

/* Never waits: somebody who does not read his pipe does not stop the gate. */
static void
write_soon(int fd, const char *line, size_t len)
{
	struct iovec iov = { .iov_base = (char *)line, .iov_len = len };
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &st) < 0 || flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return;
	if (S_ISREG(st.st_mode)) {
		(void)!write(fd, line, len);
	} else if (S_ISFIFO(st.st_mode)) {
		if (pwritev2(fd, &iov, 1, -1, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP)
			return;
		/* An old kernel: room for PIPE_BUF is what POLLOUT means. */
		if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLOUT))
			(void)!write(fd, line, len);
	}
}

static bool
first_time(struct tell *tell, pid_t pid, const char *subject)
{
	uint64_t key = 0xcbf29ce484222325u ^ (uint64_t)pid;
	size_t slot;

	for (; *subject; subject++)
		key = (key ^ (unsigned char)*subject) * 0x100000001b3u;
	slot = key % HEARD_SLOTS;
	if (tell->heard[slot] == key)
		return false;
	tell->heard[slot] = key;
	return true;
}

/* Where its descriptor cannot be had, a pipe without a name can be opened anew:
 * what it writes there, it can write itself. Not a FIFO, whose other end may be
 * anybody's, and not a file, which would be written from its beginning. */
static int
open_pipe(const struct target *target)
{
	auto_close int fd = target_fd_path(target, STDERR_FILENO);
	char path[64];
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != PIPEFS_MAGIC)
		return -EPERM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void
say_so(struct target *target, const char *what, const char *subject, const char *message)
{
	auto_free char *line = str_printf("ambit: %s %s was refused: %s", what, subject, message);
	auto_close int fd = target_fd(target, STDERR_FILENO);
	size_t len;

	if (fd == -EPERM || fd == -ENOSYS)
		fd = open_pipe(target);
	if (!line || fd < 0)
		return;
	len = str_cut(line, strlen(line), LINE_MAX_BYTES);
	line[len] = '\n'; /* over the NUL, or over what was cut */
	write_soon(fd, line, len + 1);
}

static struct ambit_run_refusal *
find_refusal(struct tell *tell, const char *what, const char *subject)
{
	for (size_t i = 0; i < tell->n_refusals; i++)
		if (streq(tell->refusals[i].what, what) && streq(tell->refusals[i].subject, subject))
			return &tell->refusals[i];
	return NULL;
}

/* Its place in the list; SIZE_MAX: there is no room. */
static size_t
list_refusal(struct tell *tell, const char *what, const char *subject, const char *code,
	const char *program, const char *message)
{
	struct ambit_run_refusal *at = find_refusal(tell, what, subject), *more;
	struct ambit_run_refusal new = { .count = 1 };

	if (at) {
		at->count++;
		return (size_t)(at - tell->refusals);
	}
	if (tell->n_refusals >= REFUSALS_MAX)
		return SIZE_MAX;
	more = realloc(tell->refusals, (tell->n_refusals + 1) * sizeof(*more));
	if (more)
		tell->refusals = more;
	new.what = strdup(what);
	new.subject = strdup(subject);
	new.code = strdup(code);
	new.program = str_escape(program, strlen(program));
	new.message = strdup(message);
	if (!more || !new.what || !new.subject || !new.code || !new.program || !new.message) {
		free(new.what);
		free(new.subject);
		free(new.code);
		free(new.program);
		free(new.message);
		return SIZE_MAX;
	}
	tell->refusals[tell->n_refusals] = new;
	return tell->n_refusals++;
}

static void
remember(struct tell *tell, uint64_t key, size_t refusal)
{
	size_t slot = key % AGAIN_SLOTS;

	tell->again[slot].key = key;
	tell->again[slot].until = now_ms() + AGAIN_MS;
	tell->again[slot].refusal = refusal;
}

void
tell_refused(struct tell *tell, struct target *target, const char *what, const char *subject,
	const struct ambit_outcome *outcome, bool loud, uint64_t key)
{
	auto_free char *message = ambit_outcome_message(outcome);
	struct target_who who = { 0 };
	bool first;

	if (target_who(target, &who) < 0)
		who.pid = target->tid;
	pthread_mutex_lock(&tell->lock);
	tell->refused++;
	remember(tell, key,
		list_refusal(tell, what, subject, ambit_word_name(ambit_codes, (int)outcome->code),
			who.program, message ? message : ""));
	first = first_time(tell, who.pid, subject);
	pthread_mutex_unlock(&tell->lock);
	if (loud && first)
		say_so(target, what, subject, message ? message : "it is past the line");
}

bool
tell_again(struct tell *tell, uint64_t key)
{
	size_t slot = key % AGAIN_SLOTS;
	bool again;

	pthread_mutex_lock(&tell->lock);
	again = tell->again[slot].key == key && tell->again[slot].until >= now_ms();
	if (again)
		tell->refused++;
	if (again && tell->again[slot].refusal < tell->n_refusals)
		tell->refusals[tell->again[slot].refusal].count++;
	pthread_mutex_unlock(&tell->lock);
	return again;
}

void
tell_forget(struct tell *tell)
{
	pthread_mutex_lock(&tell->lock);
	memset(tell->again, 0, sizeof(tell->again));
	pthread_mutex_unlock(&tell->lock);
}

/* What a person looks at; the report has all of them. */
#define STATUS_MAX 50

static json_t *
refusal_status(const struct ambit_run_refusal *refusal)
{
	auto_json json_t *row = json_pack("{s:I}", "count", (json_int_t)refusal->count);

	if (!row || json_set_text(row, "what", refusal->what) < 0 ||
		json_set_text(row, "subject", refusal->subject) < 0 ||
		json_set_text(row, "code", refusal->code) < 0 ||
		json_set_text(row, "program", refusal->program) < 0)
		return NULL;
	return steal_ptr(&row);
}

int
tell_status(struct tell *tell, json_t *object)
{
	json_t *list = json_array();
	int r = list ? 0 : -ENOMEM;

	pthread_mutex_lock(&tell->lock);
	for (size_t i = 0; r == 0 && i < tell->n_refusals && i < STATUS_MAX; i++)
		if (json_array_append_new(list, refusal_status(&tell->refusals[i])) < 0)
			r = -ENOMEM;
	if (r == 0 && (json_object_set(object, "refusals", list) < 0 ||
			      json_object_set_new(object, "refused",
				      json_integer((json_int_t)tell->refused)) < 0))
		r = -ENOMEM;
	pthread_mutex_unlock(&tell->lock);
	json_decref(list);
	return r;
}

/* Moves the lists into the result. */
int
tell_report(struct tell *tell, struct ambit_run_result *result)
{
	pthread_mutex_lock(&tell->lock);
	result->refusals = steal_ptr(&tell->refusals);
	result->n_refusals = tell->n_refusals;
	result->programs = steal_ptr(&tell->programs);
	result->n_programs = tell->n_programs;
	result->refused = tell->refused;
	tell->n_refusals = tell->n_programs = 0;
	pthread_mutex_unlock(&tell->lock);
	return 0;
}
