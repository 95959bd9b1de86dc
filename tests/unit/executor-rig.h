/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_EXECUTOR_RIG_H
#define TESTS_UNIT_EXECUTOR_RIG_H

/* An executor in a temporary world. */

#include <ambit/execute.h>

#include "base/program.h"
#include "base/str.h"
#include "unit-world.h"

/* The program that was built with this test. */
const char *executor_program(void);

/* Whether the line can be held here; if not, it is said. */
bool executor_line(void);

/* prefix and limits may be NULL. The folder is always among the arguments. */
struct ambit_executor *executor_open(const struct world *w, enum ambit_backend backend,
	char *const *prefix, const struct ambit_limits *limits);

/* Seconds for `sleep` by which a process is known to be of this test, and not of another
 * one that runs at the same time. Good until the next call in this thread. */
const char *executor_nap(int seconds);

/* How many processes have these words in their command line. */
int executor_left(const char *words);

/* Waits until a process runs so. */
void executor_await(const char *words);

int executor_descriptors(void);

#endif
