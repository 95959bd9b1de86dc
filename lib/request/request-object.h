/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_REQUEST_OBJECT_H
#define REQUEST_REQUEST_OBJECT_H

#include <ambit/request.h>

#include "request/tool-table.h"

/* What the kernel line resolved, beside the path of a request. The path's own
 * text is what the program wrote. */
struct request_object {
	char *real;
	char *leads; /* or NULL */
	bool exists;
	bool own;
	bool marks;
	bool plain;
	bool truncates;
	mode_t mode;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
};

/* Accepts NULL. */
void request_object_destroy(struct request_object *object);

/* Whether a path is absolute and has nothing left in it to be folded. */
bool object_path_plain(const char *path);

/* What is wrong with an object as it was given, or NULL. Static. */
const char *object_fault(const struct ambit_object *object);

/* The name of the tool that a request about all of these goes by: for one, that
 * of its access; for a rename, which takes away and puts in place, "move". */
const char *object_tool(const struct ambit_object *objects, size_t n);

#endif
