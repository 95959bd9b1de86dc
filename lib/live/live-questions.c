/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's questions into what watchers know of them. A watcher answers what it was
 * shown: so each showing has a number of its own, and an answer counts only while the
 * engine still asks the very same. */

#include <stdlib.h>
#include <string.h>

#include "ask/question-copy.h"
#include "ask/question-wire.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "engine/questions.h"
#include "live/live-private.h"
#include "live/live.h"

static void
told_destroy(struct told *told)
{
	question_finish(&told->question);
	free(told);
}

void
told_forget(struct live *live)
{
	while (live->told) {
		struct told *told = live->told;

		live->told = told->next;
		told_destroy(told);
	}
}

/* -- out -------------------------------------------------------------------------------- */

static json_t *
pack_notification(const char *method, json_t *params)
{
	if (!params)
		return NULL;
	return json_pack("{s:s s:s s:o}", "jsonrpc", "2.0", "method", method, "params", params);
}

static json_t *
question_message(const struct told *told)
{
	struct ambit_error err = { 0 };
	auto_free char *text = NULL;
	json_t *params = NULL;

	if (question_write(&told->question, told->id, &text, &err) < 0 ||
		json_parse(text, strlen(text), &params, &err) < 0)
		return NULL;
	return pack_notification("question", params);
}

static void
notify_watchers(struct live *live, json_t *message)
{
	for (struct guest *guest = live->guests; guest; guest = guest->next)
		if (guest->watches)
			guest_say(guest, json_incref(message));
	json_decref(message);
}

/* Oldest first. */
static void
tell_one_by_one(struct guest *guest, const struct told *told)
{
	if (!told)
		return;
	tell_one_by_one(guest, told->next);
	guest_say(guest, question_message(told));
}

void
told_all(struct guest *guest)
{
	tell_one_by_one(guest, guest->live->told);
}

/* -- what is open ------------------------------------------------------------------------- */

static struct told *
find_same(struct live *live, const struct ambit_question *question)
{
	for (struct told *told = live->told; told; told = told->next)
		if (question_same(&told->question, question))
			return told;
	return NULL;
}

struct walk {
	struct live *live;
	struct told *fresh; /* newest first */
};

static int
note_open_question(void *data, const struct ambit_question *question)
{
	struct walk *walk = data;
	struct told *told = find_same(walk->live, question);

	if (question->judging)
		return 0;
	if (told) {
		told->seen = true;
		return 0;
	}
	told = calloc(1, sizeof(*told));
	if (!told)
		return -ENOMEM;
	if (question_copy(question, &told->question) < 0) {
		free(told);
		return -ENOMEM;
	}
	told->id = ++walk->live->last_told;
	told->seen = true;
	told->next = walk->fresh;
	walk->fresh = told;
	return 0;
}

static void
say_closed(struct live *live, const struct told *told)
{
	const int64_t expires = told->question.expires;
	const char *how = expires != 0 && expires <= clock_now() ? "expired" : "gone";

	notify_watchers(
		live, pack_notification("closed",
			      json_pack("{s:I s:s}", "id", (json_int_t)told->id, "how", how)));
}

static void
close_unseen(struct live *live)
{
	struct told **at = &live->told;

	while (*at) {
		struct told *told = *at;

		if (told->seen) {
			told->seen = false;
			at = &told->next;
			continue;
		}
		*at = told->next;
		say_closed(live, told);
		told_destroy(told);
	}
}

static void
say_fresh(struct live *live, struct told *fresh)
{
	struct told *last = fresh;

	if (!fresh)
		return;
	while (last->next)
		last = last->next;
	for (struct guest *guest = live->guests; guest; guest = guest->next)
		if (guest->watches)
			tell_one_by_one(guest, fresh);
	last->next = live->told;
	live->told = fresh;
}

/* Without memory for one, it is told when it is looked at next, and none is taken for
 * closed. */
void
told_update(struct live *live)
{
	struct walk walk = { .live = live };
	bool whole;

	live_lock(live);
	/* Where nobody else puts it, it is put for those who watch. */
	if (live->o.puts)
		(void)engine_question(live->o.engine);
	whole = engine_questions(live->o.engine, note_open_question, &walk) == 0;
	live_unlock(live);
	for (struct told *told = live->told; told; told = told->next)
		told->seen |= !whole;
	close_unseen(live);
	for (struct told *told = walk.fresh; told; told = told->next)
		told->seen = false;
	say_fresh(live, walk.fresh);
}

/* -- an answer ------------------------------------------------------------------------------ */

static int
is_same_question(void *data, const struct ambit_question *question)
{
	return question_same(data, question);
}

static struct told *
detach_told(struct live *live, uint64_t id)
{
	for (struct told **at = &live->told; *at; at = &(*at)->next)
		if ((*at)->id == id) {
			struct told *told = *at;

			*at = told->next;
			return told;
		}
	return NULL;
}

static struct told *
find_told_entry(struct live *live, uint64_t id)
{
	for (struct told *told = live->told; told; told = told->next)
		if (told->id == id)
			return told;
	return NULL;
}

int
told_answer(struct live *live, uint64_t id, json_t *object, struct ambit_error *err)
{
	struct told *told = find_told_entry(live, id);
	struct ambit_answer answer = { .kind = AMBIT_NO };
	int r;

	if (!told)
		return err_set(err, ENOENT, "that question is not open any more");
	r = answer_read(&told->question, object, &answer, err);
	if (r < 0)
		return r;
	live_lock(live);
	r = engine_questions(live->o.engine, is_same_question, &told->question) == 1
		    ? 0
		    : err_set(err, ENOENT, "that question is not open any more");
	if (r == 0 && live->o.forget)
		live->o.forget(live->o.data);
	if (r == 0)
		r = engine_answer(live->o.engine, told->question.id, &answer, "watch", err);
	live_unlock(live);
	live->changed = true;
	if (r < 0)
		return r;
	told = detach_told(live, id);
	notify_watchers(
		live, pack_notification("closed",
			      json_pack("{s:I s:s}", "id", (json_int_t)id, "how", "answered")));
	told_destroy(told);
	return 0;
}
