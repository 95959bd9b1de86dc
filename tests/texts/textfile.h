/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXTFILE_H
#define TESTS_TEXTS_TEXTFILE_H

/* A data file, read: its kind, and its tests one after the other. */

#include <ambit/error.h>

#include "texts.h"

struct textfile;

/* Takes the text of a file. kinds ends in NULL. The error names the line. */
int textfile_parse(const char *text, size_t len, const struct text_kind *const kinds[],
	struct textfile **ret_file, struct ambit_error *err);
void textfile_destroy(struct textfile *file);

const struct text_kind *textfile_kind(const struct textfile *file);

/* The i-th test, with all its sections; NULL behind the last. A row is a test. */
const struct text_test *textfile_test(const struct textfile *file, size_t i);

/* True for a section that says what must come out: expect, or says. In says, each line
 * ends in NUL. */
bool textfile_is_expectation(const struct text_section *section);

#endif
