/* SPDX-License-Identifier: Apache-2.0 */
/* What a patch's files are now, and what they would become: each place is held, read
 * and patched in memory. Nothing is changed here, so whatever is wrong with one file
 * is found before another is touched. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/file.h"
#include "tools/edit/edit-file.h"
#include "tools/patch/patch-job.h"

#define TEXT_MAX (32u << 20)   /* of one file */
#define TOTAL_MAX (128u << 20) /* of all, before and after */

static const char reread[] = "Read the file and make the patch from what it says now. Nothing "
			     "was changed, in none of the files.";

/* -- places ----------------------------------------------------------------------------- */

/* A place that may not be there. *ret_held: it could be taken; if not, a directory
 * on the way is missing. */
static int
find_optional_place(struct job_list *list, const char *path, enum ambit_access access, bool follow,
	struct ambit_place *place, bool *ret_held, struct ambit_error *err)
{
	int r = run_place_of(list->run, path, access, follow, false, place, err);

	*ret_held = r == 0;
	if (r != -ENOENT)
		return r;
	if (err)
		err->code = 0;
	return 0;
}

static int
check_kind(struct job_list *list, const struct job *job, struct ambit_error *err)
{
	const struct ambit_place *place = &job->place;

	if (S_ISREG(place->mode))
		return 0;
	if (S_ISLNK(place->mode) && job->file->change == PATCH_DELETE && !job->file->matches)
		return 0;
	return run_fail(list->run, err, EINVAL,
		"Patches change plain files. Use the tools move and delete for other things.",
		"%s is %s, not a file", place->shown,
		S_ISDIR(place->mode)   ? "a directory"
		: S_ISLNK(place->mode) ? "a symlink"
				       : "something special");
}

/* The file that is there before. */
static int
look_source(struct job_list *list, struct job *job, struct ambit_error *err)
{
	static const enum ambit_access accesses[] = {
		[PATCH_UPDATE] = AMBIT_ACCESS_WRITE,
		[PATCH_DELETE] = AMBIT_ACCESS_DELETE,
		[PATCH_MOVE] = AMBIT_ACCESS_DELETE,
		[PATCH_COPY] = AMBIT_ACCESS_READ,
	};
	enum ambit_access access = accesses[job->file->change];
	bool follow = access != AMBIT_ACCESS_DELETE;
	int r;

	job->path = job->file->path;
	r = find_optional_place(list, job->path, access, follow, &job->place, &job->held, err);
	if (r == 0 && job->file->other && !(job->held && job->place.exists)) {
		if (job->held)
			ambit_place_finish(&job->place);
		job->held = false;
		r = find_optional_place(
			list, job->file->other, access, follow, &job->place, &job->held, err);
		if (r == 0 && job->held && job->place.exists)
			job->path = job->file->other;
	}
	if (r < 0)
		return r;
	if (!job->held || !job->place.exists)
		return run_fail(list->run, err, ENOENT,
			"Check the name with ls or glob. To make a new file, add it: \"*** Add "
			"File:\", "
			"or \"--- /dev/null\".",
			"%s: there is no such file", job->path);
	r = check_kind(list, job, err);
	if (r < 0 || access == AMBIT_ACCESS_READ)
		return r;
	/* A file that only goes away is not looked into. */
	if (job->file->change != PATCH_DELETE || job->file->matches)
		r = edit_decide_read(list->run, &job->place, err);
	return r < 0 ? r : seen_check(list->run, &job->place, err);
}

/* What is made anew must not be there: neither by itself nor as a link. */
static int
look_target(struct job_list *list, struct job *job, struct ambit_error *err)
{
	const char *path = job->file->to ? job->file->to : job->file->path;
	enum ambit_access access =
		job->file->change == PATCH_MOVE ? AMBIT_ACCESS_REPLACE : AMBIT_ACCESS_WRITE;
	int r;

	if (!job->path)
		job->path = path;
	r = find_optional_place(
		list, path, access, access == AMBIT_ACCESS_WRITE, &job->to, &job->held_to, err);
	if (r < 0 || !job->held_to || !job->to.exists)
		return r;
	return run_fail(list->run, err, EEXIST,
		job->file->to ? "Choose another name, or delete that file first."
			      : "Update the file instead of adding it, or delete it first.",
		"%s is there already", job->to.shown);
}

static int
read_source(struct job_list *list, struct job *job, char **ret_text, size_t *ret_len,
	struct ambit_error *err)
{
	auto_close int fd = -1;
	int r = file_look(&job->place, &fd, &job->st, err);

	if (r < 0)
		return r;
	r = fd_read_open(fd, TEXT_MAX, ret_text, ret_len);
	if (r == -EFBIG)
		return run_fail(list->run, err, EFBIG, "Use a program for it, with bash.",
			"%s is too large to be patched (more than %u MB)", job->place.shown,
			TEXT_MAX >> 20);
	return r < 0 ? err_sys(err, -r, "%s", job->place.shown) : 0;
}

static mode_t
with_run(mode_t mode, int run)
{
	mode &= 0777;
	if (run < 0)
		return mode;
	return run ? mode | ((mode & 0444) >> 2) : mode & ~(mode_t)0111;
}

/* After all else is done there is no way back: so it is looked at now. */
static int
check_mode(struct job_list *list, const struct job *job, struct ambit_error *err)
{
	if (job->file->change != PATCH_UPDATE || job->mode == (job->place.mode & 0777) ||
		job->st.st_uid == geteuid() || geteuid() == 0)
		return 0;
	return run_fail(list->run, err, EPERM,
		"Leave the change of its mode out of the patch. Nothing was changed.",
		"%s belongs to another user: whether it can be executed is not ours to change",
		job->place.shown);
}

/* -- in memory ------------------------------------------------------------------------------ */

static int
fail_apply(
	struct job_list *list, const struct job *job, const char *detail, struct ambit_error *err)
{
	static const char anchor[] = "Give more lines around the change, or a line above it after "
				     "\"@@ \". Nothing was changed, in none of the files.";
	static const char split[] = "Split the patch. Nothing was changed, in none of the files.";
	struct ambit_error why = *err;
	auto_free char *hint = why.code == EAGAIN  ? strdup(anchor)
			       : why.code == E2BIG ? strdup(split)
			       : detail		   ? str_printf("\n%s%s", detail, reread)
						   : strdup(reread);

	if (why.code == ENOMEM || !hint)
		return err_nomem(err);
	return run_fail(list->run, err, EINVAL, hint, "%s: %s", job->place.shown, why.text);
}

static int
compute_new_text(struct job_list *list, struct job *job, struct ambit_error *err)
{
	const struct file_watch watch = edit_watch(list->run);
	auto_free char *old = NULL, *detail = NULL;
	size_t len = 0;
	int r = 0;

	job->mode =
		with_run(job->file->change == PATCH_ADD ? 0644 : job->place.mode, job->file->run);
	if (job->file->change == PATCH_DELETE && !job->file->matches)
		return 0;
	if (job->file->change != PATCH_ADD)
		r = read_source(list, job, &old, &len, err);
	if (r == 0)
		r = check_mode(list, job, err);
	if (r < 0)
		return r;
	r = patch_apply(&list->set, job->file, old ? old : "", len, &watch, &job->text, &job->count,
		&detail, err);
	if (r == -ECANCELED)
		return r;
	if (r < 0)
		return fail_apply(list, job, detail, err);
	if (job->file->change == PATCH_DELETE && job->text.len > 0)
		return run_fail(list->run, err, EINVAL, reread,
			"%s has more in it than the patch deletes", job->place.shown);
	list->total += len + job->text.len;
	if (job->text.len > TEXT_MAX || list->total > TOTAL_MAX)
		return run_fail(list->run, err, EFBIG, "Split the patch.",
			"the patch changes more than %u MB of text", TOTAL_MAX >> 20);
	return 0;
}

int
job_prepare(struct job_list *list, struct job *job, struct ambit_error *err)
{
	int r = 0;

	if (run_cancelled(list->run))
		return err_set(err, ECANCELED, "cancelled: nothing was changed");
	if (job->file->change != PATCH_ADD)
		r = look_source(list, job, err);
	if (r == 0 && job_is_new(job))
		r = look_target(list, job, err);
	return r < 0 ? r : compute_new_text(list, job, err);
}

/* Two changes of one file would each be made to what it was before. */
static int
check_twice(struct job_list *list, const char *real, const char *shown, size_t *times,
	struct ambit_error *err)
{
	for (size_t i = 0; i < list->set.n_files; i++) {
		const struct job *job = &list->jobs[i];

		/* Many copies may be made of one. */
		if (job->held && job->file->change != PATCH_COPY)
			*times += streq(job->place.real, real);
		if (job->held_to)
			*times += streq(job->to.real, real);
	}
	if (*times <= 1)
		return 0;
	return run_fail(list->run, err, EINVAL,
		"Put all hunks of a file below one header, in the order of the file.",
		"the patch names %s twice", shown);
}

/* Two names of one file: each change would undo the other's. */
static int
check_linked(struct job_list *list, const struct job *job, struct ambit_error *err)
{
	if (job->place.exists && job->st.st_nlink > 1)
		for (const struct job *other = list->jobs; other < job; other++)
			if (other->held && other->file->change != PATCH_COPY &&
				other->place.exists && other->place.ino == job->place.ino &&
				other->place.dev == job->place.dev)
				return run_fail(list->run, err, EINVAL,
					"Change it by one of its names.",
					"%s and %s are the same file", other->place.shown,
					job->place.shown);
	return 0;
}

int
job_check_twice(struct job_list *list, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->set.n_files; i++) {
		const struct job *job = &list->jobs[i];
		size_t times = 0;

		if (job->held && job->file->change != PATCH_COPY)
			r = check_twice(list, job->place.real, job->place.shown, &times, err);
		if (r == 0 && job->held && job->file->change != PATCH_COPY)
			r = check_linked(list, job, err);
		times = 0;
		if (r == 0 && job->held_to)
			r = check_twice(list, job->to.real, job->to.shown, &times, err);
	}
	return r;
}
