/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a walk, searched by a crew. Batches of files are taken in the order
 * of the walk, and nobody takes another one when those that were taken hold more
 * than is wanted: what is told is then the same, whoever was faster. A directory is
 * opened anew by its path, beneath the root and without any symlink; in it, a file by
 * its name, never followed, and read only if it is one. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "base/thread.h"
#include "tools/search/grep.h"

#define BATCH 32

struct batch {
	const struct walk_dir *dir;
	size_t first, n;
	struct grep_found *found;
	size_t n_found;
};

struct job {
	struct grep_tree *tree;
	struct batch *batches;
	size_t n;
	atomic_size_t next;
	atomic_size_t hits;
	atomic_size_t kept; /* bytes */
	atomic_size_t results[GREP_RESULTS];
	atomic_int error;
	pthread_mutex_t lock; /* tree->costly */
};

static size_t
hits_of(const struct job *job, const struct grep_found *found)
{
	return job->tree->wants->mode == GREP_CONTENT ? found->count : 1;
}

static bool
is_enough(struct job *job)
{
	return atomic_load(&job->hits) > job->tree->wants->limit ||
	       atomic_load(&job->kept) > GREP_KEPT_MAX;
}

static int
keep_file_found(struct batch *batch, const struct grep_found *found)
{
	if ((batch->n_found & (batch->n_found - 1)) == 0) {
		size_t size = batch->n_found ? batch->n_found * 2 : 1;
		struct grep_found *grown = realloc(batch->found, size * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		batch->found = grown;
	}
	batch->found[batch->n_found++] = *found;
	return 0;
}

/* The first that was given up is told by name; too many, and all is given up. */
static int
note_costly(struct job *job, const struct grep_found *found)
{
	pthread_mutex_lock(&job->lock);
	if (!job->tree->costly)
		job->tree->costly = str_printf("%s%s%s", found->dir ? found->dir->path : "",
			found->dir && found->dir->path[0] ? "/" : "", found->name);
	pthread_mutex_unlock(&job->lock);
	return atomic_fetch_add(&job->tree->end->costly, 1) >= GREP_COSTLY_MAX ? -ETIME : 0;
}

/* One file that is open, or could not be. */
static int
search_open_file(
	struct job *job, struct batch *batch, struct grep_eye *eye, int fd, const char *name)
{
	struct grep_found found = { .dir = batch->dir, .name = name };
	int r = fd < 0 ? GREP_UNREADABLE : grep_file(eye, job->tree->wants, fd, &found);

	atomic_fetch_add_explicit(&job->tree->end->looked, 1, memory_order_relaxed);
	if (r >= 0)
		atomic_fetch_add(&job->results[r], 1);
	if (r == GREP_FOUND) {
		r = keep_file_found(batch, &found);
		if (r == 0) {
			atomic_fetch_add(&job->hits, hits_of(job, &found));
			atomic_fetch_add(&job->kept, found.text.len);
			return 0;
		}
	}
	grep_found_finish(&found);
	if (r == GREP_COSTLY)
		r = note_costly(job, &found);
	return r < 0 ? r : 0;
}

static int
search_batch(struct job *job, struct batch *batch, struct grep_eye *eye)
{
	const char *path = batch->dir->path;
	auto_close int dir = walk_open(job->tree->root, path[0] ? path : ".", O_PATH | O_DIRECTORY);
	size_t hits = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < batch->n && hits <= job->tree->wants->limit; i++) {
		const char *name = batch->dir->names[batch->first + i].name;
		auto_close int fd = dir < 0 ? -1
					    : openat(dir, name,
						      O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
							      O_NOCTTY | O_CLOEXEC);
		size_t had = batch->n_found;

		r = search_open_file(job, batch, eye, fd, name);
		if (batch->n_found > had)
			hits += hits_of(job, &batch->found[had]);
		if (atomic_load_explicit(&job->tree->end->now, memory_order_relaxed))
			break;
	}
	return r;
}

static void *
search_batches(void *data)
{
	struct job *job = data;
	struct grep_end *end = job->tree->end;
	struct grep_eye eye;
	int r = grep_eye_init(&eye, job->tree->pattern, end), none = 0;

	while (r == 0 && !is_enough(job) && !grep_end_look(end)) {
		size_t i = atomic_fetch_add(&job->next, 1);

		if (i >= job->n)
			break;
		r = search_batch(job, &job->batches[i], &eye);
	}
	if (r < 0 && r != -ECANCELED) {
		atomic_compare_exchange_strong(&job->error, &none, r);
		atomic_store(&end->now, true);
	}
	grep_eye_finish(&eye);
	return NULL;
}

/* -- all of them ------------------------------------------------------------------------ */

static int
cut_batches(struct job *job, const struct walk *walk)
{
	size_t n = 0;

	for (size_t i = 0; i < walk->n_dirs; i++)
		n += (walk->dirs[i]->n_names + BATCH - 1) / BATCH;
	job->batches = calloc(n + 1, sizeof(*job->batches));
	if (!job->batches)
		return -ENOMEM;
	for (size_t i = 0; i < walk->n_dirs; i++) {
		size_t left = walk->dirs[i]->n_names;

		for (size_t at = 0; left > 0; at += BATCH) {
			struct batch *batch = &job->batches[job->n++];

			batch->dir = walk->dirs[i];
			batch->first = at;
			batch->n = left < BATCH ? left : BATCH;
			left -= batch->n;
		}
	}
	return 0;
}

static int
search_root(struct job *job)
{
	struct grep_eye eye;
	int r = grep_eye_init(&eye, job->tree->pattern, job->tree->end);

	job->n = 1;
	job->batches = calloc(1, sizeof(*job->batches));
	if (r < 0 || !job->batches)
		return -ENOMEM;
	r = search_open_file(job, &job->batches[0], &eye, job->tree->root, "");
	grep_eye_finish(&eye);
	return r == -ECANCELED ? 0 : r;
}

/* What was found moves into the tree, in order. */
static int
collect_found(struct job *job)
{
	struct grep_tree *tree = job->tree;
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++)
		n += job->batches[i].n_found;
	tree->found = malloc((n + 1) * sizeof(*tree->found));
	if (!tree->found)
		return -ENOMEM;
	for (size_t i = 0; i < job->n; i++) {
		struct batch *batch = &job->batches[i];

		for (size_t k = 0; k < batch->n_found; k++)
			tree->found[tree->n_found++] = batch->found[k];
		batch->n_found = 0;
	}
	for (size_t i = 0; i < GREP_RESULTS; i++)
		tree->results[i] = atomic_load(&job->results[i]);
	tree->stopped = is_enough(job);
	return 0;
}

int
grep_tree_search(struct grep_tree *tree)
{
	struct job job = { .tree = tree, .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t crew = thread_crew_size();
	int r = tree->walk ? cut_batches(&job, tree->walk) : search_root(&job);

	if (r == 0 && tree->walk) {
		thread_crew(crew < job.n ? crew : job.n, search_batches, &job);
		r = atomic_load(&job.error);
	}
	if (r == 0)
		r = collect_found(&job);
	for (size_t i = 0; i < job.n && job.batches; i++) {
		for (size_t k = 0; k < job.batches[i].n_found; k++)
			grep_found_finish(&job.batches[i].found[k]);
		free(job.batches[i].found);
	}
	free(job.batches);
	if (r == 0 && atomic_load(&tree->end->now) && !atomic_load(&tree->end->late))
		r = -ECANCELED;
	return r;
}

void
grep_tree_finish(struct grep_tree *tree)
{
	for (size_t i = 0; i < tree->n_found; i++)
		grep_found_finish(&tree->found[i]);
	free(tree->found);
	free(tree->costly);
	tree->found = NULL;
	tree->costly = NULL;
	tree->n_found = 0;
}
