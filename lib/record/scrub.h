/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_SCRUB_H
#define RECORD_SCRUB_H

/* A copy of envp without the variables that look like secrets, but for those that
 * keep (may be NULL) names; what was left out, by name and escaped, in *ret_removed,
 * which may be NULL. Each ends in NULL and is freed, strings first, by the caller.
 * NULL without memory. */
char **scrub_env(char *const *envp, char *const *keep, char ***ret_removed);

#endif
