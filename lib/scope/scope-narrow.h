/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_SCOPE_NARROW_H
#define SCOPE_SCOPE_NARROW_H

#include <ambit/scope.h>

/* Part of the folder is open to writes, and the rest is not. */

/* From now on writes are inside only where they are in one of these directories too
 * (absolute paths): of the folder less is open, never more. One around the folder is
 * all of it; one that lies elsewhere, or is none, opens nothing. With none that opens
 * anything a write in the folder is OutOfScope; with some, what they leave out is
 * asked about like what is outside. dirs NULL: all of the folder again. by says in
 * refusals whose words these are: "the client's roots"; copied. */
int scope_narrow(struct ambit_scope *scope, const char *const *dirs, size_t n, const char *by,
	struct ambit_error *err);

/* What it was narrowed to: real paths, perhaps none. 1: it was not. */
int scope_narrowed(
	const struct ambit_scope *scope, int (*each)(void *data, const char *path), void *data);

/* The settings file of this directory (a real path), around the folder, is ambit's own, too. */
int scope_protect_folder(struct ambit_scope *scope, const char *real, struct ambit_error *err);

#endif
