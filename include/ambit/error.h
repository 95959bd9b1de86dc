/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_ERROR_H
#define AMBIT_ERROR_H

/* An error is a return value (0 or -errno) plus this struct, which lives on
 * the caller's stack: nothing to free. Each layer may put one context in
 * front. Every function that takes one accepts NULL. */

struct ambit_error {
	int code;	 /* errno, 0 if nothing failed */
	char text[1024]; /* one line for a person; control characters escaped */
};

#endif
