/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_WALK_GLOB_H
#define TOOLS_SEARCH_WALK_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Paths against a pattern in a shell's words: '*', '?', '[a-z]' within a name, "**"
 * for any depth, "{a,b}" for either. A name that is written exactly like a part of
 * the pattern matches it as well: there are directories called "[id]". */

struct walk_glob;

/* anywhere: a pattern without '/' is about names at any depth. -EINVAL with words:
 * empty, climbs with "..", or stands for too many others. */
int walk_glob_parse(
	const char *pattern, bool anywhere, struct walk_glob **ret_glob, struct ambit_error *err);
void walk_glob_destroy(struct walk_glob *glob);

/* path: from where the pattern begins. */
bool walk_glob_match(const struct walk_glob *glob, const char *path);
/* Whether anything in the directory at this path could match. */
bool walk_glob_enter(const struct walk_glob *glob, const char *path);
/* It ends in '/': directories are meant. */
bool walk_glob_dirs(const struct walk_glob *glob);

/* How much of a pattern is a path as it stands, up to and with a '/': where a call
 * was decided to begin. All of it, if there is no wildcard in it. */
size_t walk_glob_fixed(const char *pattern);

/* A kind of file by its name ("c", "py" ...) as a pattern, or NULL. */
const char *walk_type_pattern(const char *name);
/* The i-th name, or NULL. */
const char *walk_type_name(size_t i);

#endif
