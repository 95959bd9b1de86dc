/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_NOTIFY_H
#define ASK_NOTIFY_H

#include <stdint.h>

#include <ambit/approve.h>
#include <ambit/error.h>

/* A program of the person's that is started at each question that a person has to answer. It gets
 * the question as one line of JSON (question_write) on its standard input. It answers nothing:
 * its output is dropped. One runs at a time, for ten seconds at most; questions that come
 * meanwhile wait for it, up to NOTIFY_WAITING_MAX, and further ones are not told. */

#define NOTIFY_WAITING_MAX 16

struct notify;

struct notify_options {
	char *const *argv; /* argv[0] an absolute path; copied */
	char *const *envp; /* borrowed */
	/* The program could not be run, took too long or exited with an error: once. Called in
	 * another thread. Or NULL. */
	void (*failed)(void *data, const char *why);
	void *data;
};

/* -EPERM where somebody else can change the program. */
int notify_create(
	const struct notify_options *options, struct notify **ret_notify, struct ambit_error *err);
/* Waits up to two seconds for programs that were to be started, then ends them. Accepts NULL. */
void notify_destroy(struct notify *notify);

/* Returns at once. From any thread. notify may be NULL. */
void notify_question(struct notify *notify, const struct ambit_question *question);

#endif
