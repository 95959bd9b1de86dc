/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_SYSTEM_PLACES_H
#define SCOPE_SYSTEM_PLACES_H

#include <stdbool.h>

/* The directories that programs need to start at all: a command reads them also where reads are
 * limited to the folder. Ends in NULL. */
extern const char *const system_places[];

/* Whether a real path is one of them or lies beneath one. */
bool system_places_hold(const char *real);

#endif
