/* SPDX-License-Identifier: Apache-2.0 */
/* Those who watch, as a channel of the desk. The desk's thread says what is asked and what has
 * ended; the loop that has the connections tells it to everybody who watches. An answer counts for
 * the question that was shown, by its number, while the desk still has it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question-copy.h"
#include "ask/question-wire.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "live/live-private.h"
#include "live/live.h"

#define SHOWN_MAX (64u << 10) /* bytes of a question's text, and of its request, for watchers */

static void
told_destroy(struct told *told)
{
	question_finish(&told->question);
	free(told);
}

static void
forget_list(struct told **list)
{
	while (*list) {
		struct told *told = *list;

		*list = told->next;
		told_destroy(told);
	}
}

void
told_forget(struct live *live)
{
	forget_list(&live->told);
	forget_list(&live->news);
}

/* -- the channel ------------------------------------------------------------------------- */

static struct live *
live_of(struct desk_channel *channel)
{
	return (struct live *)((char *)channel - offsetof(struct live, channel));
}

static void
append_told(struct told **at, struct told *told)
{
	while (*at)
		at = &(*at)->next;
	told->next = NULL;
	*at = told;
}

/* In the desk's thread. Takes the news. */
static void
bring_news(struct live *live, struct told *told)
{
	pthread_mutex_lock(&live->lock);
	append_told(&live->news, told);
	pthread_mutex_unlock(&live->lock);
	if (live->o.wake)
		live->o.wake(live->o.data);
}

static int
replace_text(char **text, char *shorter)
{
	if (!shorter)
		return -ENOMEM;
	free(*text);
	*text = shorter;
	return 0;
}

static int
shorten_text(char **text)
{
	size_t len = *text ? strlen(*text) : 0;

	if (len <= SHOWN_MAX)
		return 0;
	return replace_text(text, str_printf("%.*s ... (cut: %zu bytes in all)",
					  (int)str_cut(*text, len, SHOWN_MAX), *text, len));
}

/* A call may have megabytes of arguments, and those who read them here would be dropped for being
 * slow. The terminal and other approvers have all of it. */
static int
shorten_question(struct ambit_question *question)
{
	size_t request = question->request ? strlen(question->request) : 0;

	free(question->judge);
	question->judge = NULL;
	if (shorten_text(&question->what) < 0 || shorten_text(&question->object) < 0)
		return -ENOMEM;
	if (request <= SHOWN_MAX)
		return 0;
	return replace_text(&question->request, str_printf("{\"cut\":%zu}", request));
}

static int
offer_to_watchers(struct desk_channel *channel, const struct ambit_question *question)
{
	struct told *told = calloc(1, sizeof(*told));

	if (!told || question_copy(question, &told->question) < 0) {
		free(told);
		return -ENOMEM;
	}
	if (shorten_question(&told->question) < 0) {
		told_destroy(told);
		return -ENOMEM;
	}
	bring_news(live_of(channel), told);
	return 0;
}

/* Without memory for it the question stays on the screen; an answer is then too late. */
static void
withdraw_from_watchers(struct desk_channel *channel, uint64_t question, const char *how)
{
	struct told *told = calloc(1, sizeof(*told));

	if (!told)
		return;
	told->question.id = question;
	snprintf(told->how, sizeof(told->how), "%s", how);
	bring_news(live_of(channel), told);
}

static bool
is_watched(struct desk_channel *channel)
{
	return live_watched(live_of(channel)) > 0;
}

const struct desk_channel_type told_channel = {
	.offer = offer_to_watchers,
	.withdraw = withdraw_from_watchers,
	.present = is_watched,
};

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

	if (question_write(&told->question, told->question.id, &text, &err) < 0 ||
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

void
told_all(struct guest *guest)
{
	for (const struct told *told = guest->live->told; told; told = told->next)
		guest_say(guest, question_message(told));
}

/* -- news ------------------------------------------------------------------------------- */

static struct told **
find_told(struct live *live, uint64_t id)
{
	struct told **at = &live->told;

	while (*at && (*at)->question.id != id)
		at = &(*at)->next;
	return at;
}

/* Forgets the question, and tells everybody who watches. */
static void
close_told(struct live *live, uint64_t id, const char *how)
{
	struct told **at = find_told(live, id), *told = *at;

	if (!told)
		return;
	*at = told->next;
	told_destroy(told);
	notify_watchers(live,
		pack_notification("closed", json_pack("{s:I s:s s:s}", "id", (json_int_t)id, "how",
						    question_end_word(how), "text", how)));
}

void
told_update(struct live *live)
{
	struct told *news, *next;

	pthread_mutex_lock(&live->lock);
	news = live->news;
	live->news = NULL;
	pthread_mutex_unlock(&live->lock);
	for (; news; news = next) {
		next = news->next;
		if (news->how[0]) {
			close_told(live, news->question.id, news->how);
			told_destroy(news);
		} else {
			append_told(&live->told, news);
			notify_watchers(live, question_message(news));
		}
	}
}

/* -- an answer ------------------------------------------------------------------------------ */

int
told_answer(struct live *live, uint64_t id, json_t *object, struct ambit_error *err)
{
	const struct told *told = *find_told(live, id);
	struct ambit_answer answer = { .kind = AMBIT_NO };
	auto_free char *how = NULL;
	int r;

	if (!told)
		return err_set(err, ENOENT, "that question is not open any more");
	r = answer_read(&told->question, object, &answer, err);
	if (r == 0)
		r = desk_answer(&live->channel, id, &answer, err);
	if (r < 0)
		return r;
	how = str_printf("%s %s", answer.kind >= AMBIT_ONCE ? "allowed" : "refused",
		live->channel.row->where);
	close_told(live, id, how ? how : "answered");
	return 0;
}
