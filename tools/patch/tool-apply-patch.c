/* SPDX-License-Identifier: Apache-2.0 */
/* A patch is applied to all of its files or to none. First every hunk is applied in
 * memory, on what each place holds now; only when all of that has worked are the
 * directories made and the files written, by a batch that takes itself back. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/act.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "scope/resolve.h"
#include "tools/edit/edit-file.h"
#include "tools/patch/patch-job.h"

#define FILES_MAX 200 /* each holds two directories open until the end */

static void
list_finish(struct job_list *list)
{
	for (size_t i = 0; list->jobs && i < list->set.n_files; i++) {
		struct job *job = &list->jobs[i];

		if (job->held)
			ambit_place_finish(&job->place);
		if (job->held_to)
			ambit_place_finish(&job->to);
		buf_finish(&job->text);
	}
	free(list->jobs);
	patch_finish(&list->set);
}

/* -- on disk --------------------------------------------------------------------------------- */

/* Directories for new files: made last of all, when nothing else can go wrong. */
static int
make_room(struct job_list *list, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->set.n_files; i++) {
		struct job *job = &list->jobs[i];
		const char *path = job->file->to ? job->file->to : job->file->path;

		if (!job_is_new(job) || job->held_to)
			continue;
		r = run_place_of(list->run, path,
			job->file->change == PATCH_MOVE ? AMBIT_ACCESS_REPLACE : AMBIT_ACCESS_WRITE,
			job->file->change != PATCH_MOVE, true, &job->to, err);
		job->held_to = r == 0;
	}
	return r;
}

static int
add_to_batch(
	struct job_list *list, struct file_batch *batch, struct job *job, struct ambit_error *err)
{
	const char *data = job->text.data ? job->text.data : "";
	struct pass pass = run_pass(list->run);
	enum patch_change change = job->file->change;
	/* Whoever wrote to the file since its text was read would lose that. */
	const struct stat *was = job->st.st_ino ? &job->st : NULL;
	int r;

	if (change == PATCH_DELETE)
		return file_batch_remove(batch, &pass, &job->place, was, err);
	if (change == PATCH_UPDATE)
		return job->file->n_hunks == 0 ? 0
					       : file_batch_put(batch, &pass, &job->place, was,
							 data, job->text.len, job->mode, err);
	r = file_batch_put(batch, &pass, &job->to, NULL, data, job->text.len, job->mode, err);
	if (r < 0 || change != PATCH_MOVE)
		return r;
	pass = run_pass(list->run);
	return file_batch_remove(batch, &pass, &job->place, was, err);
}

static int
change_mode(struct job_list *list, const struct job *job, struct ambit_error *err)
{
	struct pass pass = run_pass(list->run);
	auto_close int fd = -1;
	int r;

	if (job->file->change != PATCH_UPDATE || job->file->run < 0 ||
		job->mode == (job->place.mode & 0777))
		return 0;
	fd = resolve_open(job->place.parent, job->place.name, O_PATH | O_NOFOLLOW, 0, 0);
	r = fd < 0 ? fd : act_chmod(&pass, fd, job->mode);
	return r < 0 ? err_sys(err, -r, "%s was changed, but not whether it can be executed",
			       job->place.shown)
		     : 0;
}

static void
note_seen(struct job_list *list, const struct job *job)
{
	const struct ambit_place *now = job_is_new(job) ? &job->to : &job->place;
	struct stat st;

	if (job->file->change == PATCH_DELETE || job->file->change == PATCH_MOVE)
		seen_forget(list->run->seen, job->place.real);
	if (job->file->change != PATCH_DELETE &&
		fstatat(now->parent, now->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		seen_note(list->run->seen, now->real, &st);
}

/* What was changed and put back is as it was, but for when its inode last changed. */
static void
note_put_back(struct job_list *list, const struct job *job)
{
	struct stat st;

	if (job->held && job->st.st_ino != 0 &&
		file_is_as(job->place.parent, job->place.name, &job->st) &&
		fstatat(job->place.parent, job->place.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		seen_note(list->run->seen, job->place.real, &st);
}

static uint64_t
turns_of(const struct job *job)
{
	return (job->held ? seen_turn(job->place.real) : 0) |
	       (job->held_to ? seen_turn(job->to.real) : 0);
}

static int
commit_jobs(struct job_list *list, struct ambit_error *err)
{
	struct file_batch *batch = file_batch_create();
	uint64_t turns = 0;
	int r = batch ? 0 : err_nomem(err);

	for (size_t i = 0; i < list->set.n_files; i++)
		turns |= turns_of(&list->jobs[i]);
	for (size_t i = 0; r == 0 && i < list->set.n_files; i++)
		r = add_to_batch(list, batch, &list->jobs[i], err);
	if (r == 0 && run_cancelled(list->run))
		r = err_set(err, ECANCELED, "cancelled: nothing was changed");
	seen_hold(list->run->seen, turns);
	if (r == 0)
		r = file_batch_commit(batch, err);
	file_batch_destroy(batch);
	for (size_t i = 0; r == 0 && i < list->set.n_files; i++) {
		r = change_mode(list, &list->jobs[i], err);
		note_seen(list, &list->jobs[i]);
	}
	for (size_t i = 0; r < 0 && i < list->set.n_files; i++)
		note_put_back(list, &list->jobs[i]);
	seen_release(list->run->seen, turns);
	return r;
}

/* -- what came of it ---------------------------------------------------------------------- */

/* What the words have besides: only where it is so. */
static int
set_oddities(json_t *object, const struct job *job)
{
	int r = 0;

	if (job->file->run >= 0)
		r |= json_object_set_new(object, "executable", json_boolean(job->mode & 0100));
	if (job->count.offset > 0)
		r |= json_object_set_new(
			object, "hunks_elsewhere", json_integer((json_int_t)job->count.offset));
	if (job->count.loose > 0)
		r |= json_object_set_new(object, "white_space_differed", json_true());
	return r;
}

static json_t *
say_job(struct job_list *list, const struct job *job)
{
	static const char letters[] = {
		[PATCH_UPDATE] = 'M',
		[PATCH_ADD] = 'A',
		[PATCH_DELETE] = 'D',
		[PATCH_MOVE] = 'R',
		[PATCH_COPY] = 'C',
	};
	const struct ambit_place *now = job_is_new(job) ? &job->to : &job->place;
	char letter[2] = { letters[job->file->change], '\0' };
	struct buf *text = &list->run->text;
	json_t *object = json_pack("{s:s, s:I, s:I}", "change", letter, "added",
		(json_int_t)job->count.added, "removed", (json_int_t)job->count.removed);

	buf_printf(text, "%s %s", letter, now->shown);
	if (job->file->to)
		buf_printf(text, " (was %s)", job->place.shown);
	if (job->file->change != PATCH_DELETE || job->count.removed > 0)
		buf_printf(text, " +%zu -%zu", job->count.added, job->count.removed);
	if (job->file->run >= 0)
		buf_puts(text, job->mode & 0100 ? ", executable" : ", not executable");
	if (job->count.offset > 0)
		buf_printf(text, ", %zu %s not at the line the patch says", job->count.offset,
			job->count.offset == 1 ? "hunk" : "hunks");
	if (job->count.loose > 0)
		buf_puts(text, ", white space at the ends of lines differed");
	buf_putc(text, '\n');
	if (object &&
		(json_set_text(object, "path", now->shown) < 0 ||
			(job->file->to && json_set_text(object, "from", job->place.shown) < 0) ||
			set_oddities(object, job) < 0)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static int
report_jobs(struct job_list *list, struct ambit_error *err)
{
	json_t *files = json_array();
	size_t added = 0, removed = 0;

	for (size_t i = 0; files && i < list->set.n_files; i++) {
		const struct job *job = &list->jobs[i];

		added += job->count.added;
		removed += job->count.removed;
		if (json_array_append_new(files, say_job(list, job)) < 0) {
			json_decref(files);
			files = NULL;
		}
	}
	list->run->structured = files ? json_pack("{s:o, s:I, s:I}", "files", files, "added",
						(json_int_t)added, "removed", (json_int_t)removed)
				      : NULL;
	return list->run->structured ? 0 : err_nomem(err);
}

static int
run_patch(struct job_list *list, struct ambit_error *err)
{
	int r = 0;

	if (list->set.n_files > FILES_MAX)
		return run_fail(list->run, err, E2BIG, "Split the patch.",
			"the patch changes %zu files; one may change %d", list->set.n_files,
			FILES_MAX);
	list->jobs = calloc(list->set.n_files, sizeof(*list->jobs));
	if (!list->jobs)
		return err_nomem(err);
	for (size_t i = 0; i < list->set.n_files; i++)
		list->jobs[i].file = &list->set.files[i];
	for (size_t i = 0; r == 0 && i < list->set.n_files; i++)
		r = job_prepare(list, &list->jobs[i], err);
	if (r == 0)
		r = job_check_twice(list, err);
	if (r == 0)
		r = make_room(list, err);
	if (r == 0) /* again, for what lies in directories that were not there */
		r = job_check_twice(list, err);
	if (r == 0)
		r = commit_jobs(list, err);
	return r < 0 ? r : report_jobs(list, err);
}

static int
perform_apply_patch(struct tool_run *run, struct ambit_error *err)
{
	struct job_list list = { .run = run };
	const json_t *patch = json_object_get(run->args, "patch");
	struct ambit_error why = { 0 };
	int r;

	if (!json_is_string(patch))
		return run_fail(run, err, EINVAL, NULL, "there is no patch");
	r = patch_parse(json_string_value(patch), json_string_length(patch), &list.set, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return run_fail(run, err, EINVAL,
			"Send a unified diff, or the form from \"*** Begin Patch\" to \"*** End "
			"Patch\". "
			"Nothing was changed.",
			"the patch cannot be read, %s", why.text);
	r = run_patch(&list, err);
	list_finish(&list);
	/* What is wrong with a patch has its own words. */
	return r == -ENOSPC || r == -EDQUOT ? edit_failed(run, r) : r;
}

const struct own_tool tool_apply_patch = {
	.name = "apply_patch",
	.title = "Apply a patch",
	.text = "Applies a patch to any number of files: all of it, or nothing. Two forms are "
		"understood. (1) A unified diff, with a/ and b/ in front of names or without, and "
		"git's headers for new, deleted, renamed and copied files and for the executable "
		"bit. (2) \"*** Begin Patch\", then per file \"*** Add File: NAME\" (all lines "
		"begin with +), \"*** Update File: NAME\" (optionally \"*** Move to: NAME\", then "
		"hunks that begin with \"@@\" or \"@@ a line above the change\", with lines that "
		"begin with space, - or +, and \"*** End of File\" where a hunk stands at the "
		"end), "
		"or \"*** Delete File: NAME\"; at last \"*** End Patch\". Lines that a hunk "
		"mentions must be in the file as they are; only white space at their ends may "
		"differ. Names are relative to the workspace. A file that changed since it was "
		"last read here is refused: read it again. Binary patches are refused.",
	.input = "{\"type\":\"object\",\"properties\":{\"patch\":{\"type\":\"string\","
		 "\"description\":\"The whole patch\"}},\"required\":[\"patch\"],"
		 "\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"files\":{\"type\":\"array\",\"items\":{"
		  "\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
		  "\"from\":{\"type\":\"string\"},\"change\":{\"type\":\"string\",\"enum\":["
		  "\"A\",\"M\",\"D\",\"R\",\"C\"]},\"added\":{\"type\":\"integer\"},"
		  "\"removed\":{\"type\":\"integer\"},\"executable\":{\"type\":\"boolean\"},"
		  "\"hunks_elsewhere\":{\"type\":\"integer\",\"description\":\"Hunks that did "
		  "not stand at the line the patch says.\"},"
		  "\"white_space_differed\":{\"type\":\"boolean\"}},"
		  "\"required\":[\"path\",\"change\",\"added\","
		  "\"removed\"]}},\"added\":{\"type\":\"integer\"},\"removed\":{\"type\":"
		  "\"integer\"}},\"required\":[\"files\",\"added\",\"removed\"]}",
	.whole = true,
	.run = perform_apply_patch,
};
