/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of one run: calls that were let through, by program, and refusals, by subject. The
 * summary and the report are made of them. A hostile loop makes many refusals and few lines. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "record/run-counts.h"

#define REFUSALS_MAX 500
#define PROGRAMS_MAX 128
#define AGAIN_MS 1000 /* a refusal that is decided anew at least this often */
#define AGAIN_SLOTS 4096
#define HEARD_SLOTS 4096
#define COMM_SLOTS 256
#define COMM_MS 50

struct run_counts {
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

struct run_counts *
run_counts_create(void)
{
	struct run_counts *counts = calloc(1, sizeof(*counts));

	if (counts)
		pthread_mutex_init(&counts->lock, NULL);
	return counts;
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
		free(list[i].advice);
	}
	free(list);
}

void
run_counts_destroy(struct run_counts *counts)
{
	if (!counts)
		return;
	free_refusals(counts->refusals, counts->n_refusals);
	for (size_t i = 0; i < counts->n_programs; i++)
		free(counts->programs[i].name);
	free(counts->programs);
	pthread_mutex_destroy(&counts->lock);
	free(counts);
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
program_index(struct run_counts *counts, const char *comm)
{
	auto_free char *name = str_escape(comm, strlen(comm));
	struct ambit_run_program *more;

	if (!name)
		return 0;
	for (size_t i = 0; i < counts->n_programs; i++)
		if (streq(counts->programs[i].name, name))
			return i;
	if (counts->n_programs >= PROGRAMS_MAX)
		return counts->n_programs - 1;
	more = realloc(counts->programs, (counts->n_programs + 1) * sizeof(*more));
	if (!more)
		return 0;
	counts->programs = more;
	more[counts->n_programs] = (struct ambit_run_program){ .name = steal_ptr(&name) };
	return counts->n_programs++;
}

void
run_counts_pass(struct run_counts *counts, pid_t tid)
{
	int64_t now = now_ms();
	size_t slot = (size_t)tid % COMM_SLOTS;
	char name[64];

	pthread_mutex_lock(&counts->lock);
	if (counts->comm[slot].tid != tid || counts->comm[slot].until < now) {
		read_comm(tid, name, sizeof(name));
		counts->comm[slot].tid = tid;
		counts->comm[slot].until = now + COMM_MS;
		counts->comm[slot].program = program_index(counts, name);
	}
	if (counts->comm[slot].program < counts->n_programs)
		counts->programs[counts->comm[slot].program].count++;
	pthread_mutex_unlock(&counts->lock);
}

/* -- refused --------------------------------------------------------------------- */

static uint64_t
get_heard_key(pid_t pid, const char *subject, const char *code)
{
	return hash_fnv_text(hash_fnv_text(HASH_FNV_START ^ (uint64_t)pid, subject), code);
}

static bool
first_time(struct run_counts *counts, uint64_t key)
{
	size_t slot = key % HEARD_SLOTS;

	if (counts->heard[slot] == key)
		return false;
	counts->heard[slot] = key;
	return true;
}

bool
run_counts_knows(struct run_counts *counts, pid_t pid, const char *subject, const char *code)
{
	uint64_t key = get_heard_key(pid, subject, code);
	bool known;

	pthread_mutex_lock(&counts->lock);
	known = counts->heard[key % HEARD_SLOTS] == key;
	pthread_mutex_unlock(&counts->lock);
	return known;
}

bool
run_counts_is_news(struct run_counts *counts, uint64_t listener, const char *subject)
{
	uint64_t key =
		hash_fnv_text(hash_fnv(HASH_FNV_START, &listener, sizeof(listener)), subject);
	bool first;

	pthread_mutex_lock(&counts->lock);
	first = first_time(counts, key);
	pthread_mutex_unlock(&counts->lock);
	return first;
}

static struct ambit_run_refusal *
find_refusal(struct run_counts *counts, const struct run_refusal *refusal)
{
	for (size_t i = 0; i < counts->n_refusals; i++)
		if (streq(counts->refusals[i].what, refusal->what) &&
			streq(counts->refusals[i].subject, refusal->subject) &&
			streq(counts->refusals[i].code, refusal->code))
			return &counts->refusals[i];
	return NULL;
}

/* The last reason counts: the person may have said more since. Without memory the old one stays. */
static void
update_refusal(struct ambit_run_refusal *at, const struct run_refusal *refusal)
{
	auto_free char *message = strdup(refusal->message);
	auto_free char *advice = strdup(refusal->advice ? refusal->advice : "");

	at->asked |= refusal->asked;
	if (!message || !advice)
		return;
	free(at->message);
	free(at->advice);
	at->message = steal_ptr(&message);
	at->advice = steal_ptr(&advice);
}

/* Its place in the list; SIZE_MAX: there is no room. */
static size_t
list_refusal(struct run_counts *counts, const struct run_refusal *refusal)
{
	struct ambit_run_refusal *at = find_refusal(counts, refusal), *more;
	struct ambit_run_refusal new = { .count = 1, .asked = refusal->asked };

	if (at) {
		at->count++;
		update_refusal(at, refusal);
		return (size_t)(at - counts->refusals);
	}
	if (counts->n_refusals >= REFUSALS_MAX)
		return SIZE_MAX;
	more = realloc(counts->refusals, (counts->n_refusals + 1) * sizeof(*more));
	if (more)
		counts->refusals = more;
	new.what = strdup(refusal->what);
	new.subject = strdup(refusal->subject);
	new.code = strdup(refusal->code);
	new.program = str_escape(refusal->program, strlen(refusal->program));
	new.message = strdup(refusal->message);
	new.advice = strdup(refusal->advice ? refusal->advice : "");
	if (!more || !new.what || !new.subject || !new.code || !new.program || !new.message ||
		!new.advice) {
		free(new.what);
		free(new.subject);
		free(new.code);
		free(new.program);
		free(new.message);
		free(new.advice);
		return SIZE_MAX;
	}
	counts->refusals[counts->n_refusals] = new;
	return counts->n_refusals++;
}

static void
remember_refusal(struct run_counts *counts, uint64_t key, size_t refusal)
{
	size_t slot = key % AGAIN_SLOTS;

	counts->again[slot].key = key;
	counts->again[slot].until = now_ms() + AGAIN_MS;
	counts->again[slot].refusal = refusal;
}

bool
run_counts_refuse(struct run_counts *counts, const struct run_refusal *refusal, uint64_t key)
{
	bool first;

	pthread_mutex_lock(&counts->lock);
	counts->refused++;
	remember_refusal(counts, key, list_refusal(counts, refusal));
	first = first_time(counts, get_heard_key(refusal->pid, refusal->subject, refusal->code));
	pthread_mutex_unlock(&counts->lock);
	return first;
}

bool
run_counts_is_repeated(struct run_counts *counts, uint64_t key)
{
	size_t slot = key % AGAIN_SLOTS;
	bool again;

	pthread_mutex_lock(&counts->lock);
	again = counts->again[slot].key == key && counts->again[slot].until >= now_ms();
	if (again)
		counts->refused++;
	if (again && counts->again[slot].refusal < counts->n_refusals)
		counts->refusals[counts->again[slot].refusal].count++;
	pthread_mutex_unlock(&counts->lock);
	return again;
}

bool
run_counts_recall(struct run_counts *counts, uint64_t key, pid_t pid, char **ret_what,
	char **ret_subject, char **ret_code, char **ret_message)
{
	auto_free char *what = NULL, *subject = NULL, *code = NULL, *message = NULL;
	size_t slot = key % AGAIN_SLOTS;
	const struct ambit_run_refusal *refusal = NULL;

	pthread_mutex_lock(&counts->lock);
	if (counts->again[slot].key == key && counts->again[slot].refusal < counts->n_refusals)
		refusal = &counts->refusals[counts->again[slot].refusal];
	if (refusal && first_time(counts, get_heard_key(pid, refusal->subject, refusal->code))) {
		what = strdup(refusal->what);
		subject = strdup(refusal->subject);
		code = strdup(refusal->code);
		message = strdup(refusal->message);
	}
	pthread_mutex_unlock(&counts->lock);
	if (!what || !subject || !code || !message)
		return false;
	*ret_what = steal_ptr(&what);
	*ret_subject = steal_ptr(&subject);
	*ret_code = steal_ptr(&code);
	*ret_message = steal_ptr(&message);
	return true;
}

void
run_counts_forget(struct run_counts *counts)
{
	pthread_mutex_lock(&counts->lock);
	memset(counts->again, 0, sizeof(counts->again));
	pthread_mutex_unlock(&counts->lock);
}

/* What a person looks at; the report has all of them. */
#define STATUS_MAX 50

static json_t *
refusal_status(const struct ambit_run_refusal *refusal)
{
	auto_json json_t *row = json_pack(
		"{s:I, s:b}", "count", (json_int_t)refusal->count, "asked", refusal->asked);

	if (!row || json_set_text(row, "what", refusal->what) < 0 ||
		json_set_text(row, "subject", refusal->subject) < 0 ||
		json_set_text(row, "code", refusal->code) < 0 ||
		json_set_text(row, "program", refusal->program) < 0)
		return NULL;
	return steal_ptr(&row);
}

int
run_counts_status(struct run_counts *counts, json_t *object)
{
	json_t *list = json_array();
	int r = list ? 0 : -ENOMEM;

	pthread_mutex_lock(&counts->lock);
	for (size_t i = 0; r == 0 && i < counts->n_refusals && i < STATUS_MAX; i++)
		if (json_array_append_new(list, refusal_status(&counts->refusals[i])) < 0)
			r = -ENOMEM;
	if (r == 0 && (json_object_set(object, "refusals", list) < 0 ||
			      json_object_set_new(object, "refused",
				      json_integer((json_int_t)counts->refused)) < 0))
		r = -ENOMEM;
	pthread_mutex_unlock(&counts->lock);
	json_decref(list);
	return r;
}

/* Moves the lists into the result. */
int
run_counts_report(struct run_counts *counts, struct ambit_run_result *result)
{
	pthread_mutex_lock(&counts->lock);
	result->refusals = steal_ptr(&counts->refusals);
	result->n_refusals = counts->n_refusals;
	result->programs = steal_ptr(&counts->programs);
	result->n_programs = counts->n_programs;
	result->refused = counts->refused;
	counts->n_refusals = counts->n_programs = 0;
	pthread_mutex_unlock(&counts->lock);
	return 0;
}
