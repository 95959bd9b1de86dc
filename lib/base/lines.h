/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Lines from a descriptor, however they come. A line that is longer than max is
 * told once, and what is left of it is not kept: the next line is read as usual. */

struct lines {
	int fd;
	int stop; /* -ECANCELED as soon as this descriptor is readable; -1 (at first): never */
	size_t max;
	char *data; /* 64 KiB */
	size_t at, end;
	struct buf line;
	bool dropping; /* the line is past max: what comes is not kept */
	bool over;     /* the line was handed out: the next call begins another */
};

int lines_init(struct lines *lines, int fd, size_t max, struct ambit_error *err);
/* Does not close the descriptor. */
void lines_finish(struct lines *lines);

/* 1: a line, in lines->line without its newline (the last one may have had none);
 * it is NUL-terminated, and there until the next call. 0: the end; -EMSGSIZE: a line
 * that was too long is past; -EAGAIN: the descriptor does not block, and there is no
 * whole line yet; -ECANCELED; other -errno with words. */
int lines_next(struct lines *lines, struct ambit_error *err);

#endif
