/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_BIND_PATH_H
#define KERNEL_BIND_PATH_H

#include <sys/socket.h>
#include <sys/types.h>

#include <ambit/engine.h>

/* Binds a unix socket to a name beneath parent and nowhere else, whatever the
 * text of the address leads to meanwhile; the text stays the program's own,
 * because getsockname shows it. cwd: what the text is relative to. 0 or -errno. */
int bind_path(struct ambit_pass *pass, int socket, const struct sockaddr *address, socklen_t len,
	int parent, int cwd, mode_t mask);

/* Whether its file is the one of that name, by the kernel's word: 1 and its
 * O_PATH descriptor, 0, or -errno where nobody can say. */
int bind_path_found(int socket, int parent, const char *name, int *ret_fd);

/* Looks for the file where the text leads to now, and removes it. */
void bind_path_undo(int socket, int cwd, const char *text);

#endif
