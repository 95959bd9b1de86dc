/* SPDX-License-Identifier: Apache-2.0 */
/* Several changes, into all of them or none. Everything that can fail for want of
 * space or rights is done before the first name changes; then each change is a
 * rename that can be taken back, and what it displaced is kept under a name of ours
 * until the last one is through. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perform/file-private.h"
#include "perform/leftover.h"
#include "perform/permit.h"

#define CHANGES_MAX 4096

enum step {
	STEP_NONE = 0, /* nothing is there of it yet */
	STEP_STAGED,   /* the new content is beside its place, or held in memory */
	STEP_DONE,     /* the name has changed: what it had is kept */
};

struct change {
	const struct ambit_place *place;
	enum step step;
	bool removes;
	bool in_place;
	struct leftovers *list; /* where temp is noted, or NULL */
	bool exchanged;		/* temp has the old content, once done */
	struct stat st;		/* what lay there, if anything did; in place: as it is now */
	dev_t new_dev;		/* what was put there */
	ino_t new_ino;
	char temp[RESOLVE_TEMP];  /* the new content; after an exchange the old */
	char aside[RESOLVE_TEMP]; /* the old one, where there is no exchange; or "" */
	struct stage_old old;	  /* in place: what it held */
	char *data;		  /* in place: what it gets */
	size_t len;
};

struct file_batch {
	struct change *changes;
	size_t n;
};

struct file_batch *
file_batch_create(void)
{
	return calloc(1, sizeof(struct file_batch));
}

static struct change *
append_change(struct file_batch *batch, struct pass *pass, const struct ambit_place *place,
	struct ambit_error *err)
{
	struct change *more;

	if (pass_use(pass) < 0) {
		err_set(err, EPERM, "%s: no pass", place->shown);
		return NULL;
	}
	if (batch->n == CHANGES_MAX) {
		err_set(err, E2BIG, "more than %d changes at once", CHANGES_MAX);
		return NULL;
	}
	more = realloc(batch->changes, (batch->n + 1) * sizeof(*more));
	if (!more) {
		err_nomem(err);
		return NULL;
	}
	batch->changes = more;
	more[batch->n] = (struct change){ .place = place };
	return &more[batch->n++];
}

int
file_batch_put(struct file_batch *batch, struct pass *pass, const struct ambit_place *place,
	const struct stat *was, const char *data, size_t len, mode_t mode, struct ambit_error *err)
{
	struct leftovers *list = pass ? pass->leftovers : NULL;
	struct change *c = append_change(batch, pass, place, err);
	auto_close int held = -1;
	struct stat st = { 0 }, new;
	int r;

	if (!c)
		return err && err->code ? -err->code : -EPERM;
	r = file_check(place, &held, &st, err);
	if (r == 0 && held >= 0)
		r = file_check_writable(place, held, &st, err);
	if (r == 0)
		r = stage_write(place, held, &st, data, len, mode, list, c->temp, err);
	c->list = r == 0 ? list : NULL;
	if (r == 0 && fstatat(place->parent, c->temp, &new, AT_SYMLINK_NOFOLLOW) == 0) {
		c->new_dev = new.st_dev;
		c->new_ino = new.st_ino;
	}
	if (r == 1) {
		c->in_place = true;
		c->data = malloc(len + 1);
		c->len = len;
		r = c->data ? stage_hold(place, held, &c->old, err) : err_nomem(err);
		if (r == 0 && len > 0)
			memcpy(c->data, data, len);
	}
	c->st = was ? *was : st;
	if (r == 0)
		c->step = STEP_STAGED;
	return r;
}

int
file_batch_remove(struct file_batch *batch, struct pass *pass, const struct ambit_place *place,
	const struct stat *was, struct ambit_error *err)
{
	struct change *c = append_change(batch, pass, place, err);
	auto_close int held = -1;
	struct stat st;
	int r;

	if (!c)
		return err && err->code ? -err->code : -EPERM;
	r = file_check(place, &held, &st, err);
	if (r < 0)
		return r;
	if (held < 0)
		return err_sys(err, ENOENT, "%s", place->shown);
	if (S_ISDIR(st.st_mode))
		return err_sys(err, EISDIR, "%s", place->shown);
	c->removes = true;
	c->st = was ? *was : st;
	c->step = STEP_STAGED;
	return 0;
}

/* -- names change ----------------------------------------------------------------------- */

static bool
is_as_staged(const struct change *c)
{
	return c->place->exists ? file_is_as(c->place->parent, c->place->name, &c->st)
				: file_same(c->place);
}

static int
restore_aside_file(struct change *c)
{
	int r = c->aside[0] ? file_rename_new(
				      c->place->parent, c->aside, c->place->parent, c->place->name)
			    : 0;

	if (r == 0)
		c->aside[0] = '\0';
	return r;
}

/* Whoever was quicker gets back what he has put there. */
static int
put_aside(struct change *c)
{
	int r;

	resolve_temp_name(c->aside);
	r = file_rename_new(c->place->parent, c->place->name, c->place->parent, c->aside);
	if (r < 0)
		c->aside[0] = '\0';
	else if (!file_is_as(c->place->parent, c->aside, &c->st))
		r = restore_aside_file(c) < 0 ? -EIO : -ESTALE;
	return r;
}

static int
replace_with_temp(struct change *c)
{
	const struct ambit_place *p = c->place;
	int r;

	if (renameat2(p->parent, c->temp, p->parent, p->name, RENAME_EXCHANGE) == 0) {
		c->exchanged = true;
		if (file_is_as(p->parent, c->temp, &c->st))
			return 0;
		c->exchanged = false;
		renameat2(p->parent, c->temp, p->parent, p->name, RENAME_EXCHANGE);
		return -ESTALE;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	r = put_aside(c);
	if (r < 0)
		return r;
	r = file_rename_new(p->parent, c->temp, p->parent, p->name);
	if (r < 0)
		restore_aside_file(c);
	else
		c->temp[0] = '\0';
	return r;
}

static int
apply_change(struct change *c, int *patience, struct ambit_error *err)
{
	const struct ambit_place *p = c->place;
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	int r;

	file_turn_take(&turn, p->parent, -1, patience);
	if (!is_as_staged(c))
		return err_set(
			err, ESTALE, "%s is not what it was when this was decided", p->shown);
	if (c->in_place) {
		r = stage_overwrite(p, &c->old, c->data, c->len, err);
		if (r == 0 && fstat(c->old.fd, &c->st) < 0)
			c->st = (struct stat){ 0 };
		c->step = r == 0 ? STEP_DONE : c->step;
		return r;
	}
	if (c->removes)
		r = put_aside(c);
	else if (p->exists)
		r = replace_with_temp(c);
	else
		r = file_rename_new(p->parent, c->temp, p->parent, p->name);
	if (r == -ESTALE || r == -EEXIST)
		return err_set(
			err, ESTALE, "%s is not what it was when this was decided", p->shown);
	if (r < 0)
		return err_sys(err, -r, "%s", p->shown);
	c->step = STEP_DONE;
	if (!c->removes && !p->exists)
		c->temp[0] = '\0';
	return 0;
}

/* The old content is in temp. Where the new one is gone, it gets its name again. */
static int
undo_exchange(struct change *c)
{
	const struct ambit_place *p = c->place;
	int r = 0;

	c->exchanged = false;
	if (renameat2(p->parent, c->temp, p->parent, p->name, RENAME_EXCHANGE) == 0) {
		if (!file_is_other(p->parent, c->temp, c->new_dev, c->new_ino))
			return 0;
		/* Somebody's, who came between the look and this. */
		r = renameat2(p->parent, c->temp, p->parent, p->name, RENAME_EXCHANGE) < 0
			    ? -errno
			    : -ESTALE;
		memcpy(c->aside, c->temp, sizeof(c->aside));
		c->temp[0] = '\0';
		return r;
	}
	r = errno == ENOENT ? file_rename_new(p->parent, c->temp, p->parent, p->name) : -errno;
	/* Not ours to remove any more, or gone. */
	if (r < 0)
		memcpy(c->aside, c->temp, sizeof(c->aside));
	c->temp[0] = '\0';
	return r;
}

/* What somebody has put there since stays; what was there before does, too, beside it. */
static int
undo_change(struct change *c, int *patience)
{
	const struct ambit_place *p = c->place;
	auto_file_turn struct file_turn turn = { { -1, -1 } };

	if (c->step != STEP_DONE)
		return 0;
	file_turn_take(&turn, p->parent, -1, patience);
	c->step = STEP_STAGED;
	if (c->in_place)
		return file_is_as(p->parent, p->name, &c->st) ? stage_restore(&c->old) : -ESTALE;
	if (!c->removes && file_is_other(p->parent, p->name, c->new_dev, c->new_ino)) {
		if (c->exchanged)
			memcpy(c->aside, c->temp, sizeof(c->aside));
		c->temp[0] = '\0';
		return -ESTALE;
	}
	if (c->exchanged)
		return undo_exchange(c);
	if (!c->removes && unlinkat(p->parent, p->name, 0) < 0 && errno != ENOENT)
		return -errno;
	return restore_aside_file(c);
}

int
file_batch_commit(struct file_batch *batch, struct ambit_error *err)
{
	int r = 0, patience = file_turn_patience();
	bool kept = true;
	size_t done = 0;

	for (size_t i = 0; i < batch->n; i++)
		if (batch->changes[i].step != STEP_STAGED)
			return err_set(err, EINVAL, "%s could not be prepared",
				batch->changes[i].place->shown);
	while (r == 0 && done < batch->n) {
		r = apply_change(&batch->changes[done], &patience, err);
		done += r == 0;
	}
	while (r < 0 && done > 0) {
		struct change *c = &batch->changes[--done];

		if (undo_change(c, &patience) < 0) {
			err_context(err, "%s could not be put back%s%s", c->place->shown,
				c->aside[0] ? "; what it was is beside it as " : "", c->aside);
			kept = false;
		}
	}
	return kept ? r : -EIO;
}

/* What is kept beside a place goes with the batch: the old content if it was
 * committed, the new one if it was not. What could not be put back stays. */
void
file_batch_destroy(struct file_batch *batch)
{
	for (size_t i = 0; batch && i < batch->n; i++) {
		struct change *c = &batch->changes[i];

		if (c->temp[0] && !c->in_place && !c->removes && c->step != STEP_NONE)
			unlinkat(c->place->parent, c->temp, 0);
		/* Known by its inode: the old file, which has the name after an exchange, is
		 * never taken for it. */
		leftovers_forget(c->list);
		if (c->aside[0] && c->step == STEP_DONE)
			unlinkat(c->place->parent, c->aside, 0);
		stage_old_finish(&c->old);
		free(c->data);
	}
	if (batch)
		free(batch->changes);
	free(batch);
}
