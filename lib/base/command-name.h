/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_COMMAND_NAME_H
#define BASE_COMMAND_NAME_H

#include <stddef.h>

/* Its file, and the script or module that it runs as an interpreter; without directories, and
 * without endings such as .js. A script that is called like many others (cli.js, index.js) is known
 * by the directory of its package. "" where there is none. */
struct command_name {
	char file[64];
	char script[64];
};

/* exe is the file that runs, or NULL: then the first word is taken for it. words may be the title
 * that a program gave itself ("npm ci"), as one. */
void command_name_find(
	const char *exe, char *const *words, size_t n, struct command_name *ret_name);

#endif
