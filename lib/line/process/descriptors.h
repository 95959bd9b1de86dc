/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_DESCRIPTORS_H
#define LINE_PROCESS_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/types.h>

/* The open descriptors of another process, as /proc shows them. */

/* The directory of a process or thread in /proc (O_PATH), or -errno. It stays that of one
 * process: once that is gone, nothing is found there. */
int descriptors_open_process(pid_t pid);

/* Whether found says so of a descriptor: fd is its number, file what it leads to, cut after 63
 * bytes. left counts down with each one, for a hostile program has as many as it likes; at 0
 * the search ends. */
bool descriptors_search(int process, bool (*found)(void *data, const char *fd, const char *file),
	void *data, int *left);

#endif
