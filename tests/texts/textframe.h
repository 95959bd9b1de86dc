/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXTFRAME_H
#define TESTS_TEXTS_TEXTFRAME_H

/* Rows that differ in a small part of a larger text. The test has that text once, in
 * "-- frame NAME", with a '%' where the row goes; with several frames, each row goes into
 * each of them. */

#include "base/buf.h"
#include "texts.h"

/* Puts its result into result. NULL, or why the test could not be run. */
typedef const char *textframe_read(
	const struct text_test *test, const char *text, size_t len, struct buf *result);

/* Gives the input "in" to read, in each frame of the test, or as it is if the test has no
 * frame. The one result that all of them have is the output; otherwise the output is a
 * list of the results. */
const char *textframe_run(
	const struct text_test *test, struct text_outputs *out, textframe_read *read);

/* A copy without a NUL behind it, as text_exact makes of a section. The caller frees it. */
char *textframe_exact(const char *text, size_t len);

#endif
