/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENTS_SCOPEFILE_H
#define AGENTS_SCOPEFILE_H

#include <ambit/error.h>

#define SCOPEFILE "SCOPE.md"
#define SCOPEFILE_EACH (16u << 10) /* bytes of one, without marks */
#define SCOPEFILE_ALL (48u << 10)  /* of all: the nearest come first in getting them */

/* What the repository says to whoever works in the folder: the bodies (without YAML front
 * matter) of SCOPE.md in display_root, in the folder, and between, the nearest last; each
 * between marks (see <ambit/label.h>) that name the file. Both are real paths, the folder
 * beneath display_root or the same. What cannot be shown is left out, and that is said.
 * "" if there is none. Caller frees; NULL with words. */
char *scopefile_text(const char *display_root, const char *folder, struct ambit_error *err);

#endif
