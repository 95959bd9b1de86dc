/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOOKUP_H
#define BASE_LOOKUP_H

/* The file that a command's name means to a shell: the name itself if it has a
 * slash (relative to cwd), else the first executable file in path. Caller
 * frees. -ENOENT: 127; -EACCES: found, but not executable: 126. */
int lookup_program(const char *name, const char *path, const char *cwd, char **ret_program);

#endif
