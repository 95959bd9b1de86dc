/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_FD_NAME_H
#define LINE_OBJECT_FD_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The name of a thing that is held open. */
struct fd_name {
	char real[PATH_MAX];
	size_t len;
	unsigned major; /* of its device */
	unsigned block; /* its file system's block size */
	bool gone;	/* the name does not lead to it */
	bool nameless;	/* a pipe, a socket, shared memory: it never had one */
};

/* verify: whether nothing else has shown yet that the name leads there; a name
 * that says it was deleted is looked at in any case. -ENAMETOOLONG. */
int fd_name_read(int fd, bool verify, struct fd_name *ret_name);
/* The same of a thing whose name is known. */
int fd_name_fill(int fd, const char *real, struct fd_name *ret_name);

/* Whether fd lies on a proc file system; the rest is what is known of it. */
bool fd_name_is_on_proc(int fd, unsigned major, unsigned block, const char *real);

#endif
