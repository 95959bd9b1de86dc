/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_TEMPORARY_NAME_H
#define DECIDE_TEMPORARY_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file name looks like one that a program made up for a moment: "sedAb3xYz",
 * ".goutputstream-X1Y2Z3", "a.json.tmp.4120.1f3c", "config.lock". program: the one that makes it,
 * or NULL. */
bool temporary_name(const char *name, const char *program);
/* Whether it has the very form that sed, perl, Python or rsync use. program NULL: any of them. */
bool temporary_has_form(const char *name, const char *program);
/* How many bytes of "a.json.tmp.4120.1f3c" are the name of the file that it replaces; 0: the name
 * has another form. */
size_t temporary_find_number(const char *name);

#endif
