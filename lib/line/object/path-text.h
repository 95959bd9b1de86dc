/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_PATH_TEXT_H
#define LINE_OBJECT_PATH_TEXT_H

#include <limits.h>
#include <stdbool.h>

#include "line/object/target.h"

/* Paths that mean just what they say: no "." or ".." in them (but "./" in
 * front), no symlink on the way. Most are; for the others there is path-walk.h. */

/* The path, absolute, from where the kernel says that dirfd is. False: it is
 * not that plain, or leads into /proc. */
bool path_text_absolute(struct target *target, int dirfd, const char *path, char out[PATH_MAX]);

/* O_PATH of an absolute path, or of its directory, walked without meeting a
 * symlink; -errno. If it is a symlink itself, of that one. */
int path_text_open(const char *path);
int path_text_open_parent(const char *path);

#endif
