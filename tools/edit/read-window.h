/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_READ_WINDOW_H
#define TOOLS_EDIT_READ_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

/* Some lines of a file that may be of any size, numbered. What lies before them is
 * read through and what lies after is counted, both without being kept. */

struct window {
	/* What is wanted. */
	long long first; /* 1 is the first line */
	long long limit; /* lines */
	size_t max;	 /* bytes of text */
	bool (*cancelled)(const void *data);
	const void *data;

	/* What there is. */
	struct buf text;
	long long lines; /* that are in text */
	long long total; /* in the file; -1: not counted to the end */
	bool more;	 /* there are lines after those in text */
	long long cut;	 /* lines that are too long to be shown whole */
	long long crlf;	 /* lines that end in CRLF, of those that were looked at */
	bool open_end;	 /* the last line has no newline; known if total is */
	bool bom;
};

#define WINDOW_LINE_MAX 2000 /* characters of one line */

/* 0, -ECANCELED, or another -errno. fd: a regular file, at any offset. */
int window_read(struct window *window, int fd);
void window_finish(struct window *window);

/* What content that begins like this seems to be ("a PNG image"), or NULL: it may be
 * text. */
const char *window_binary(const char *data, size_t len);

#endif
