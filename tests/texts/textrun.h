/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXTRUN_H
#define TESTS_TEXTS_TEXTRUN_H

/* Runs the tests of one data file. */

#include "base/buf.h"
#include "texts.h"

struct textrun {
	const struct text_kind *const *kinds; /* NULL at the end */
	struct buf report;		      /* "ok NAME" and "FAIL NAME" with a difference */
	int passed, failed;
};

/* The text of a file. A file that cannot be parsed is a failure. */
void textrun_file(struct textrun *run, const char *path, const char *text, size_t len);

#endif
