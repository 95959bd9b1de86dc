/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_TEMPORARY_H
#define DECIDE_TEMPORARY_H

#include "decide/decide.h"

/* A yes to one file, for the session or for good, covers the temporary file by which programs
 * replace it: a new file in the same directory, under a name that such programs use, which the
 * process that made it may write, remove, and rename over that file or to another such name. It
 * may rename the file itself to such a name, too, and then has made that one. */

/* ambit_outcome_path.once, where such a rule covers the path: no answer has this number. */
#define ONCE_TEMPORARY UINT64_MAX

/* Whether the n-th path is a file that is not there yet, under a name that its program made up
 * and that tells no file: which one it is to replace is not known. */
bool temporary_is_made_up(
	const struct decide_input *in, const struct ambit_outcome *outcome, size_t n);

/* The file that the n-th path is to be the temporary file of, as its name tells: an editor's swap
 * file, which comes first, or one that replaces it. The person is asked about that file. Caller
 * frees; NULL: the name tells no file, or that one is guarded, has another name, or a rule speaks
 * of it. */
char *temporary_find_owner(
	const struct decide_input *in, const struct ambit_outcome *outcome, size_t n);

/* Whether programs that replace the file of this name use that name meanwhile. */
bool temporary_is_of(const char *name, const char *file);

/* The rule that covers the n-th path of the outcome, which is in question; or NULL. */
const struct ambit_rule *temporary_find(
	const struct decide_input *in, const struct ambit_outcome *outcome, size_t n);

#endif
