/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_SOCKET_HOLDER_H
#define LINE_PROCESS_SOCKET_HOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Programs outside the session, for words that people read: nothing may be decided by them. */

/* A process of this user that has the socket of this inode open; 0: none that can be seen. Looks
 * at some ten thousand descriptors at most. */
pid_t socket_holder(uint32_t inode);

/* Whether both processes run the same program: the same file, and of an interpreter the same
 * script. */
bool socket_holder_is_same(pid_t a, pid_t b);

#endif
