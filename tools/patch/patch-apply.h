/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PATCH_PATCH_APPLY_H
#define TOOLS_PATCH_PATCH_APPLY_H

#include "base/buf.h"
#include "patch/patch.h"

/* Hunks of a patch that lib/patch has read, applied in memory. The names in it are
 * among those that patch_paths() lists for the same text: what is decided about is
 * at least what is done. */

struct patch_count {
	size_t added, removed;
	size_t offset; /* hunks that applied elsewhere than they said */
	size_t loose;  /* hunks that applied but for white space at the ends of lines */
};

struct file_watch;

/* The old text with the file's hunks applied. watch, or NULL, is looked at between
 * hunks: -ECANCELED. -ENOENT: a hunk does not apply; the words say which, and
 * *ret_detail (caller frees) has what it expected and what is there. -EAGAIN: it fits
 * in several places; -E2BIG: too much to compare. */
int patch_apply(const struct patch_set *set, const struct patch_file *file, const char *old,
	size_t len, const struct file_watch *watch, struct buf *ret_text,
	struct patch_count *ret_count, char **ret_detail, struct ambit_error *err);

#endif
