/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GITFILE_H
#define SCOPE_GITFILE_H

/* The little of git's own files that must be understood to know which
 * directories it runs programs from. Callers free; NULL: not there. */

/* The last value of core.hooksPath in a config's text. */
char *gitfile_hooks_path(const char *text);

/* The first line of a file such as .git ("gitdir: PATH") or commondir, without
 * the prefix and the spaces around. NULL if it does not begin with prefix. */
char *gitfile_line(const char *text, const char *prefix);

#endif
