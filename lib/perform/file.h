/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_FILE_H
#define PERFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <ambit/engine.h>

#include "perform/permit.h"

struct hand_law;
struct stat;

/* For acts on trees, which may take long: whether to stop. Looked at between files and
 * between pieces of one. NULL: nobody will ask for it. */
struct file_watch {
	bool (*cancelled)(const void *data);
	const void *data;
};

/* What file tools do, each one act on a place that is held: whole, or not at all.
 * Each uses up the pass first. 0 or -errno, with words. What lies there must still
 * be what the place found (or nothing, if there was nothing): -ESTALE. */

/* What lies there, opened to read; a directory too. */
int file_open(
	struct pass *pass, const struct ambit_place *place, int *ret_fd, struct ambit_error *err);
/* The same for one who is about to change it and has a pass for that: takes none.
 * Regular files alone. */
int file_look(
	const struct ambit_place *place, int *ret_fd, struct stat *ret_st, struct ambit_error *err);

/* It is there, and was not written to since. The number of a file that is gone is given
 * to the next: so its time and size count, too. */
bool file_is_as(int dir, const char *name, const struct stat *was);

/* A file with this content takes the place of what is there: written beside it,
 * synced, renamed. Its mode is that of the old one, or mode less the umask of 022;
 * a file with other hard links keeps them (written in place, after a copy of the
 * old content is safe in memory). was: as it was when it was read, and must be still
 * (-ESTALE); or NULL. Of those who put something there at once, one does. */
int file_put(struct pass *pass, const struct ambit_place *place, const struct stat *was,
	const char *data, size_t len, mode_t mode, struct ambit_error *err);

/* A file or a link; with tree, a directory and all that is in it (on the way
 * nothing is followed and no mount is crossed), else an empty one. -ECANCELED: the
 * words say how much of it is gone. */
int file_remove(struct pass *pass, const struct ambit_place *place, bool tree,
	const struct file_watch *watch, struct ambit_error *err);

/* Never onto something that is there, unless replace (then a file onto a file).
 * -ECANCELED: nothing was moved. */
int file_move(struct pass *pass, const struct hand_law *law, const struct ambit_place *from,
	const struct ambit_place *to, bool replace, const struct file_watch *watch,
	struct ambit_error *err);

/* A file, a link as a link, or a whole directory; modes and times are kept. -EXDEV
 * for what is neither (a device, a socket). Not onto something that is there, unless
 * replace (a file onto a file). -ECANCELED: nothing was copied. */
int file_copy(struct pass *pass, const struct hand_law *law, const struct ambit_place *from,
	const struct ambit_place *to, bool replace, const struct file_watch *watch,
	struct ambit_error *err);

/* -- several at once ---------------------------------------------------------------- */

/* Changes that are made together: everything is written beside its place first,
 * then all names change; if one cannot, those that have are put back. */
struct file_batch;

struct file_batch *file_batch_create(void);
/* Undoes what was not committed. Accepts NULL. */
void file_batch_destroy(struct file_batch *batch);
/* The places must live until the batch is gone. was: as of file_put, or NULL. */
int file_batch_put(struct file_batch *batch, struct pass *pass, const struct ambit_place *place,
	const struct stat *was, const char *data, size_t len, mode_t mode, struct ambit_error *err);
int file_batch_remove(struct file_batch *batch, struct pass *pass, const struct ambit_place *place,
	const struct stat *was, struct ambit_error *err);
/* -ESTALE: nothing has changed. -EIO: something could not be put back; the words say
 * what. */
int file_batch_commit(struct file_batch *batch, struct ambit_error *err);

#endif
