/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Runs argv (argv[0] an absolute path, no shell, no PATH), gives it input on
 * stdin, collects at most max bytes of its stdout; stderr is /dev/null. The
 * program gets its own process group and only descriptors 0-2; the whole
 * group is killed on timeout. The environment is envp. The working directory is
 * "/": a relative argument, or a module that an interpreter looks for where it
 * stands, must not mean a file in the agent's folder.
 * 0: it exited with 0. -ETIMEDOUT, -EFBIG (too much output), -ECHILD (ended
 * otherwise: err says how), or what stopped it from starting. */
int run_program(char *const argv[], char *const envp[], const char *input, size_t input_len,
	size_t max, int timeout_ms, char **ret_output, size_t *ret_len, struct ambit_error *err);

/* The same, ended with -ECANCELED as soon as the descriptor stop is readable. With ret_output NULL
 * its output is dropped (max and ret_len are not looked at). */
int run_program_until(int stop, char *const argv[], char *const envp[], const char *input,
	size_t input_len, size_t max, int timeout_ms, char **ret_output, size_t *ret_len,
	struct ambit_error *err);

/* Resolves a program's name to the real absolute path of an executable file.
 * Relative names are refused (-EINVAL): what they mean depends on the cwd. */
int run_resolve(const char *name, char **ret_path, struct ambit_error *err);

/* Whether nobody but root and the caller's own user can change what real, a
 * real path (see run_resolve), stands for: the file and each directory above it
 * belong to one of the two and are not writable for group or others. A sticky
 * directory is forgiven, except the one that the program itself lies in.
 * -EPERM, with words, if somebody can. */
int run_trust(const char *real, struct ambit_error *err);

/* Milliseconds since the epoch, and of a clock that never jumps. */
int64_t clock_now(void);
int64_t clock_steady(void);
/* The same as that of the last tick: without reading a clock. */
int64_t clock_coarse(void);
/* Milliseconds since the epoch, as of the kernel's last tick: by that it says when a file
 * was changed, and what changes from now on is not older. */
int64_t clock_of_files(void);

#endif
