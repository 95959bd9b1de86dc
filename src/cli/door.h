/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOOR_H
#define CLI_DOOR_H

#include "cli.h"

/* Doors to the tools. They stand on libraries that `ambit run` must not pay for, so
 * they are in a program of their own, ambit-tools, which is all of this and src/door,
 * src/mcp, src/serve, src/spawn and src/judge. In `ambit` src/exec-tools starts that
 * program with the same arguments. */

/* An exit code, or -errno with err filled. */
int door_mcp(const struct args *args, struct ambit_error *err);
int door_judge(const struct args *args, struct ambit_error *err);
int door_serve(const struct args *args, struct ambit_error *err);
int door_spawn(const struct args *args, struct ambit_error *err);

/* src/watch, in both programs. */
int watch_run(const struct args *args, struct ambit_error *err);

#endif
