/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_FEED_H
#define WATCH_FEED_H

#include <stdint.h>

#include "live/live.h"
#include <ambit/record.h>

/* Where everything comes from: the sockets of the live sessions, which come and go, and
 * the record, which may not be there yet. One thread's; whoever polls its descriptor
 * calls it. */

struct feed_sink {
	void (*came)(void *data, uint64_t party, const struct live_entry *entry);
	void (*left)(void *data, uint64_t party);
	/* params: the question as it came, JSON. */
	void (*question)(void *data, uint64_t party, const struct ambit_question *question,
		const char *params);
	/* how: a word for programs; text: for people, "allowed on the terminal". */
	void (*closed)(
		void *data, uint64_t party, uint64_t question, const char *how, const char *text);
	void (*event)(void *data, int64_t id, const struct ambit_event *event);
	/* Something cannot be seen; it goes on without it. */
	void (*trouble)(void *data, const char *what, const char *why);
	void *data;
};

struct feed;

/* session: only that one, or NULL. tail: how many events that are stored already. The
 * strings and the sink are copied. */
int feed_create(const char *live, const char *state, const char *session, int64_t tail,
	const struct feed_sink *sink, struct feed **ret_feed, struct ambit_error *err);
void feed_destroy(struct feed *feed);

/* Readable when there is something; then feed_ready, which also looks at what has no
 * descriptor. To be called after so many milliseconds at the latest, which it returns. */
int feed_fd(const struct feed *feed);
int feed_ready(struct feed *feed);

/* As link_answer; params: of "answer", JSON. -ENOENT: no such party. */
int feed_answer(struct feed *feed, uint64_t party, uint64_t question,
	const struct ambit_answer *answer, struct ambit_error *err);
int feed_answer_text(
	struct feed *feed, uint64_t party, const char *params, struct ambit_error *err);

#endif
