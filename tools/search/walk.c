/* SPDX-License-Identifier: Apache-2.0 */
/* A tree, read by a crew: each takes a directory, and puts those it finds on the
 * heap of what is to be read. In which order they were read shows nowhere: when all
 * are, they are put in line. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/thread.h"
#include "scope/resolve.h"
#include "tools/search/walk-private.h"

int
walk_open(int root, const char *path, int flags)
{
	unsigned long long beneath = root == AT_FDCWD ? 0 : RESOLVE_BENEATH;

	return resolve_open(root, path, O_RDONLY | O_NOFOLLOW | flags, 0,
		beneath | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* -- what is to be read ----------------------------------------------------------------- */

/* With the lock. The last one first, so that the heap stays small. */
static int
queue_subdirs(struct walk_job *job, const struct walk_dir *dir)
{
	if (job->n_todo + dir->n_dirs > job->size) {
		size_t size = (job->size + dir->n_dirs) * 2;
		struct walk_dir **todo = realloc(job->todo, size * sizeof(struct walk_dir *));

		if (!todo)
			return -ENOMEM;
		job->todo = todo;
		job->size = size;
	}
	for (size_t i = dir->n_dirs; i > 0; i--)
		if (dir->dirs[i - 1]->depth > 0)
			job->todo[job->n_todo++] = dir->dirs[i - 1];
	return 0;
}

static void
record_walk_error(struct walk_job *job, int r)
{
	int none = 0;

	atomic_compare_exchange_strong(&job->error, &none, r);
}

static size_t
names_max(const struct walk_job *job)
{
	return job->options->names ? job->options->names : WALK_NAMES_MAX;
}

bool
walk_count(struct walk_job *job, size_t n)
{
	if (atomic_fetch_add(&job->n_found, n) + n <= names_max(job))
		return false;
	atomic_store(&job->cut, true);
	return true;
}

bool
walk_stopped(struct walk_job *job)
{
	const struct walk_options *o = job->options;

	if (!atomic_load(&job->stopped) && o->stop && o->stop(o->data))
		atomic_store(&job->stopped, true);
	return atomic_load(&job->stopped) || atomic_load(&job->costly) ||
	       atomic_load(&job->error) != 0;
}

static bool
is_walk_over(struct walk_job *job)
{
	return walk_stopped(job) || atomic_load(&job->n_found) > names_max(job);
}

/* The next one to read, or NULL: all is read, or enough. */
static struct walk_dir *
take_next_dir(struct walk_job *job)
{
	struct walk_dir *dir = NULL;

	pthread_mutex_lock(&job->lock);
	while (job->n_todo == 0 && job->busy > 0)
		pthread_cond_wait(&job->more, &job->lock);
	if (job->n_todo > 0) {
		dir = job->todo[--job->n_todo];
		job->busy++;
	}
	pthread_mutex_unlock(&job->lock);
	return dir;
}

static void
finish_directory(struct walk_job *job, const struct walk_dir *dir, int r)
{
	bool over;

	if (r < 0)
		record_walk_error(job, r);
	over = is_walk_over(job);
	pthread_mutex_lock(&job->lock);
	job->busy--;
	if (!over && dir->n_dirs > 0 && queue_subdirs(job, dir) < 0) {
		record_walk_error(job, -ENOMEM);
		over = true;
	}
	if (over)
		job->n_todo = 0;
	if (job->n_todo > 1 || job->busy == 0)
		pthread_cond_broadcast(&job->more);
	else if (job->n_todo > 0)
		pthread_cond_signal(&job->more);
	pthread_mutex_unlock(&job->lock);
}

static void *
read_dirs(void *data)
{
	struct walk_job *job = data;
	auto_free struct walk_desk *desk = calloc(1, sizeof(*desk));
	auto_free char *buffer = malloc(WALK_READ_SIZE);
	struct walk_dir *dir;

	if (!desk || !buffer) {
		record_walk_error(job, -ENOMEM);
		return NULL;
	}
	desk->job = job;
	desk->read = buffer;
	while ((dir = take_next_dir(job)))
		finish_directory(job, dir, walk_read_dir(desk, dir));
	free(desk->text);
	pthread_mutex_lock(&job->lock);
	for (struct walk_rules *rules = desk->made, *next; rules; rules = next) {
		next = rules->next;
		rules->next = job->made;
		job->made = rules;
	}
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* -- in line ---------------------------------------------------------------------------- */

/* Deep as the tree is, which has its limit. */
static void
destroy_dir_tree(struct walk_dir *dir)
{
	for (size_t i = 0; i < dir->n_dirs; i++)
		destroy_dir_tree(dir->dirs[i]);
	walk_dir_destroy(dir);
}

/* Takes root and all beneath it, also if it fails: then they are gone. */
static int
flatten_dir_tree(struct walk_dir *root, size_t n, struct walk *walk)
{
	auto_free struct walk_dir **stack = malloc(n * sizeof(struct walk_dir *));
	size_t left = 1;

	walk->dirs = malloc(n * sizeof(struct walk_dir *));
	if (!stack || !walk->dirs) {
		destroy_dir_tree(root);
		return -ENOMEM;
	}
	stack[0] = root;
	while (left > 0) {
		struct walk_dir *dir = stack[--left];

		walk->dirs[walk->n_dirs++] = dir;
		walk->n_names += dir->n_names;
		for (size_t i = dir->n_dirs; i > 0; i--)
			stack[left++] = dir->dirs[i - 1];
	}
	return 0;
}

static struct walk_dir *
make_root(const struct walk_rules *rules)
{
	struct walk_dir *root = calloc(1, sizeof(*root));

	if (root && (root->path = strdup(""))) {
		root->depth = 1;
		root->rules = rules;
		return root;
	}
	walk_dir_destroy(root);
	return NULL;
}

static int
run_walk_job(struct walk_job *job, struct walk *walk)
{
	const struct walk_options *options = job->options;
	const struct walk_rules *rules = NULL;
	auto_free char *above = NULL;
	struct walk_dir *root;
	int r = 0;

	if (!options->all)
		r = walk_rules_above(options->real, &job->made, &rules, &above);
	root = r == 0 ? make_root(rules) : NULL;
	job->above = above ? above : "";
	job->above_len = strlen(job->above);
	job->todo = malloc(sizeof(struct walk_dir *));
	if (!root || !job->todo) {
		walk_dir_destroy(root);
		return -ENOMEM;
	}
	job->size = 1;
	job->todo[job->n_todo++] = root;
	thread_crew(thread_crew_size(), read_dirs, job);
	r = flatten_dir_tree(root, 1 + atomic_load(&job->n_dirs), walk);
	return atomic_load(&job->error) ? atomic_load(&job->error) : r;
}

int
walk_tree(const struct walk_options *options, struct walk *ret_walk, struct ambit_error *err)
{
	struct walk_job job = {
		.options = options,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.more = PTHREAD_COND_INITIALIZER,
	};
	struct walk walk = { 0 };
	int r = run_walk_job(&job, &walk);

	free(job.todo);
	walk.rules = job.made;
	walk.unreadable = atomic_load(&job.unreadable);
	walk.costly = atomic_load(&job.costly);
	walk.cut = walk.costly || atomic_load(&job.cut);
	walk.stopped = atomic_load(&job.stopped);
	if (r < 0) {
		walk_finish(&walk);
		return r == -ENOMEM ? err_nomem(err) : err_sys(err, -r, "%s", options->real);
	}
	*ret_walk = walk;
	return 0;
}

const char *
walk_why_cut(const struct walk *walk)
{
	return walk->costly ? "the .gitignore files take too many steps; pass all: true"
			    : "the tree is too large or too deep; give a path";
}

void
walk_finish(struct walk *walk)
{
	for (size_t i = 0; i < walk->n_dirs; i++)
		walk_dir_destroy(walk->dirs[i]);
	free(walk->dirs);
	walk_rules_finish(walk->rules);
	*walk = (struct walk){ 0 };
}
