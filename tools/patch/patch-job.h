/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PATCH_PATCH_JOB_H
#define TOOLS_PATCH_PATCH_JOB_H

#include <sys/stat.h>

#include "tools/patch/patch-apply.h"
#include "tools/registry/own-tool.h"

/* A patch's files, with what they are in the file system. Private to the tool
 * apply_patch: patch-look.c makes the jobs ready, the tool does them. */

/* Which places it has depends on the change. */
struct job {
	const struct patch_file *file;
	const char *path;	  /* the reading of its name that is taken */
	struct ambit_place place; /* what is changed, removed, moved away or copied */
	struct ambit_place to;	  /* what is new: ADD, MOVE, COPY */
	bool held, held_to;
	struct stat st; /* of place, when its text was read; st_ino 0: it was not */
	struct buf text;
	mode_t mode;
	struct patch_count count;
};

struct job_list {
	struct tool_run *run;
	struct patch_set set;
	struct job *jobs; /* as many as the set has files */
	size_t total;	  /* bytes, before and after */
};

/* Finds the places and applies the hunks in memory. Changes nothing. */
int job_prepare(struct job_list *list, struct job *job, struct ambit_error *err);
/* After all are prepared: no file is named twice. */
int job_check_twice(struct job_list *list, struct ambit_error *err);

static inline bool
job_is_new(const struct job *job)
{
	return job->file->change == PATCH_ADD || job->file->change == PATCH_MOVE ||
	       job->file->change == PATCH_COPY;
}

#endif
