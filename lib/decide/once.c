/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what a process was allowed once covers one more call of it. Pure: which file a process
 * made, and what a call brings to a name, are facts of the objects, which the kernel line knows
 * by their inodes. The process chooses the names and the order of its calls, and tries to get
 * a second file out of one answer. */

#include <stdlib.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/once.h"
#include "decide/temporary.h"

/* -- what was shown ----------------------------------------------------------- */

void
once_finish(struct once *once)
{
	for (size_t i = 0; i < once->n_shown; i++)
		free(once->shown[i].real);
	free(once->shown);
	free(once->dir);
	free(once->call);
	*once = (struct once){ 0 };
}

bool
once_is_empty(const struct once *once)
{
	return once->n_shown == 0 && !once->call;
}

const struct path_facts *
once_object(const struct ambit_request *request, const struct ambit_outcome *outcome, size_t n)
{
	const struct path_facts *object = n < request->n_paths ? request->paths[n].object : NULL;

	if (!object || n >= outcome->n_paths || !streq(object->real, outcome->paths[n].path) ||
		request->paths[n].access != outcome->paths[n].access)
		return NULL;
	return object;
}

static bool
was_asked(const struct ambit_outcome_path *path)
{
	return path->verdict == AMBIT_ASK && !path->remembered && access_writes(path->access);
}

static int
add_shown(struct once *once, const struct path_facts *object, enum ambit_access access)
{
	struct once_shown *more = realloc(once->shown, (once->n_shown + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	once->shown = more;
	more += once->n_shown;
	*more = (struct once_shown){
		.access = access,
		.real = strdup(object->real),
		.exists = object->exists,
		.file = !object->exists || S_ISREG(object->mode) || S_ISLNK(object->mode),
		.dev = object->dev,
		.ino = object->ino,
	};
	if (!more->real)
		return -ENOMEM;
	once->n_shown++;
	return 0;
}

/* The file that the swap file shown is for: what lies there now, or something new. */
static int
add_owner(struct once *once, const char *real)
{
	struct stat st = { 0 };
	struct path_facts object = { .real = (char *)real, .exists = lstat(real, &st) == 0 };

	object.mode = st.st_mode;
	object.dev = st.st_dev;
	object.ino = st.st_ino;
	return add_shown(once, &object, AMBIT_ACCESS_WRITE);
}

/* The directory in which new files are allowed: where the act puts something, or where it removes
 * something. If a directory was shown, no new files are allowed beside it. */
static const struct once_shown *
find_place(const struct once *once)
{
	const struct once_shown *place = NULL;

	for (size_t i = 0; i < once->n_shown; i++) {
		const struct once_shown *shown = &once->shown[i];

		if (!place || place->access == AMBIT_ACCESS_DELETE)
			place = shown;
	}
	return place && place->file && place->access != AMBIT_ACCESS_MKDIR ? place : NULL;
}

static int
fill_shown(struct once *once, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	const struct once_shown *place;
	int r = 0;

	once->made_up = !once->pair;
	for (size_t i = 0; r == 0 && i < outcome->n_paths; i++) {
		const struct path_facts *object = once_object(in->request, outcome, i);

		if (object && was_asked(&outcome->paths[i]))
			r = add_shown(once, object, outcome->paths[i].access);
		if (object && was_asked(&outcome->paths[i]))
			once->made_up &= temporary_is_made_up(in, outcome, i);
		if (r == 0 && object && was_asked(&outcome->paths[i]) && outcome->paths[i].owner)
			r = add_owner(once, outcome->paths[i].owner);
	}
	place = find_place(once);
	if (r < 0 || !place)
		return r;
	once->dir = strndup(place->real, (size_t)(strrchr(place->real, '/') - place->real));
	return once->dir ? 0 : -ENOMEM;
}

/* One call may need two rights to one object; two objects have two paths. */
static bool
is_about_two(const struct ambit_request *request)
{
	for (size_t i = 1; i < request->n_paths; i++)
		if (request->paths[0].object && request->paths[i].object &&
			!streq(request->paths[0].object->real, request->paths[i].object->real))
			return true;
	return false;
}

int
once_init(const struct decide_input *in, const struct ambit_outcome *outcome, struct once *ret_once)
{
	const struct ambit_request *request = in->request;
	struct once once = {
		.pid = request->pid,
		.start = request->start,
		.image = request->image,
		.exe_dev = request->exe_dev,
		.exe_ino = request->exe_ino,
		.until = in->steady + ONCE_MS,
		.pair = is_about_two(request),
	};
	int r = 0;

	*ret_once = (struct once){ 0 };
	if (request->pid == 0 || !request->exe || request->image == 0)
		return 0;
	r = fill_shown(&once, in, outcome);
	if (r == 0 && outcome->call && !once.pair) {
		once.call = request_call_key(request);
		r = once.call ? 0 : -ENOMEM;
	}
	if (r < 0)
		once_finish(&once);
	*ret_once = once;
	return r;
}

/* -- what it covers ----------------------------------------------------------- */

static bool
is_in_force(const struct decide_input *in, const struct once *once)
{
	const struct ambit_request *request = in->request;

	return once->begun && in->steady < once->until && request->pid != 0 && request->exe &&
	       request->pid == once->pid && request->start == once->start &&
	       request->image == once->image && request->exe_dev == once->exe_dev &&
	       request->exe_ino == once->exe_ino;
}

static bool
is_same_file(const struct once_shown *shown, const struct path_facts *object)
{
	return shown->exists && object->exists && shown->dev == object->dev &&
	       shown->ino == object->ino;
}

/* The object that was shown, or a file that the process made in its place. */
static bool
is_shown(const struct once_shown *shown, const struct path_facts *object)
{
	if (!streq(shown->real, object->real))
		return false;
	return shown->exists ? is_same_file(shown, object) : !object->exists || object->made;
}

/* The same act; and what was shown as new is its own once it is there. The parts of a move are
 * other acts than the move: one removes a file, which the move keeps. */
static bool
was_shown(const struct once *once, const struct path_facts *object, enum ambit_access access)
{
	for (size_t i = 0; i < once->n_shown; i++) {
		const struct once_shown *shown = &once->shown[i];

		if (is_shown(shown, object) &&
			(object->made || (shown->access == access && !once->pair)))
			return true;
	}
	return false;
}

static bool
lies_in_dir(const struct once *once, const struct path_facts *object)
{
	size_t len = once->dir ? strlen(once->dir) : 0;

	return once->dir && strncmp(object->real, once->dir, len) == 0 &&
	       object->real[len] == '/' && !strchr(object->real + len + 1, '/');
}

/* Beneath a directory that was shown as new. */
static bool
lies_beneath_new(const struct once *once, const struct path_facts *object)
{
	for (size_t i = 0; i < once->n_shown; i++)
		if (once->shown[i].access == AMBIT_ACCESS_MKDIR && !once->shown[i].exists &&
			str_beneath(object->real, once->shown[i].real))
			return true;
	return false;
}

/* Something new, or something that it made. Directories only in those that it made. The
 * directory of an existing object may be unknown: times are set by the object alone. */
static bool
is_own_work(const struct once *once, const struct path_facts *object, enum ambit_access access)
{
	if (object->exists && !object->made)
		return false;
	if (object->in_made || (object->made && lies_beneath_new(once, object)))
		return true;
	return lies_in_dir(once, object) && access != AMBIT_ACCESS_MKDIR;
}

static bool
may_replace(const struct once *once, const struct path_facts *object, bool guarded)
{
	if (once->replaced || once->pair || !object->exists || !S_ISREG(object->mode))
		return false;
	for (size_t i = 0; i < once->n_shown; i++)
		if (once->shown[i].access != AMBIT_ACCESS_DELETE &&
			streq(once->shown[i].real, object->real) &&
			is_same_file(&once->shown[i], object))
			return true;
	return once->made_up && !guarded && lies_in_dir(once, object);
}

const struct once *
once_find_path(const struct decide_input *in, const struct ambit_outcome *outcome, size_t n,
	bool *ret_replaces)
{
	const struct path_facts *object = once_object(in->request, outcome, n);
	const struct ambit_outcome_path *path = &outcome->paths[n];
	bool guarded = path->code != AMBIT_CODE_OUTSIDE;

	*ret_replaces = false;
	if (!object || !object->fresh || object->leads || !access_writes(path->access))
		return NULL;
	for (size_t i = 0; i < in->n_once; i++) {
		const struct once *once = &in->once[i];

		if (!is_in_force(in, once))
			continue;
		if (was_shown(once, object, path->access) ||
			(!guarded && is_own_work(once, object, path->access)))
			return once;
	}
	for (size_t i = 0; path->access == AMBIT_ACCESS_REPLACE && i < in->n_once; i++)
		if (is_in_force(in, &in->once[i]) && may_replace(&in->once[i], object, guarded)) {
			*ret_replaces = true;
			return &in->once[i];
		}
	return NULL;
}

const struct once *
once_find_call(const struct decide_input *in, const char *key)
{
	for (size_t i = 0; i < in->n_once; i++)
		if (in->once[i].call && is_in_force(in, &in->once[i]) &&
			streq(in->once[i].call, key))
			return &in->once[i];
	return NULL;
}
