/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include <stdbool.h>

#include <ambit/error.h>

/* What both ways of watching get. Borrowed. */
struct watch {
	const char *live, *state; /* directories */
	const char *session;	  /* or NULL: all */
	const char *home;	  /* or NULL */
	bool colour;
	unsigned ring; /* RING_* */
};

struct terminal;

/* The screen, until the person quits. data: a struct watch. An exit code, or -errno. */
int screen_run(void *data, struct terminal *terminal, struct ambit_error *err);

/* JSON lines on standard output, answers on standard input, until that ends. */
int stream_run(const struct watch *watch, struct ambit_error *err);

#endif
