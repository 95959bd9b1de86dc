/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_FD_NAME_H
#define LINE_OBJECT_FD_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The name of a thing that is held open. */
struct place {
	char real[PATH_MAX];
	size_t len;
	unsigned major; /* of its device */
	unsigned block; /* its file system's block size */
	bool gone;	/* the name does not lead to it */
	bool nameless;	/* a pipe, a socket, shared memory: it never had one */
};

/* verify: whether nothing else has shown yet that the name leads there; a name
 * that says it was deleted is looked at in any case. -ENAMETOOLONG. */
int place_of(int fd, bool verify, struct place *ret_place);
/* The same of a thing whose name is known. */
int place_named(int fd, const char *real, struct place *ret_place);

/* Whether fd lies on a proc file system; the rest is what is known of it. */
bool place_on_proc(int fd, unsigned major, unsigned block, const char *real);

#endif
