/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <errno.h>
#include <stdarg.h>

#include <ambit/error.h>

/* Fills err (if not NULL) and returns -code: `return err_set(err, ENOENT, ...)`. */
int err_set(struct ambit_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": strerror(code)" behind it. */
int err_sys(struct ambit_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "context: " in front and returns the error's own -code. */
int err_context(struct ambit_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* -ENOMEM with words. */
int err_nomem(struct ambit_error *err);

#endif
