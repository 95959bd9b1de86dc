/* SPDX-License-Identifier: Apache-2.0 */
/* From a URL to a page, by way of its redirects. Each of them is a wish of the
 * server's, and decided about like a wish of the model's: a page that was allowed
 * sends nobody to a host that was not. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/web/fetch-private.h"

int
trip_fail(
	struct trip *trip, int error, enum ambit_code code, const char *hint, const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return err_nomem(trip->err);
	}
	trip->page->code = code;
	trip->page->hint = hint;
	return err_set(trip->err, error, "%s", text);
}

int64_t
trip_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int
trip_wait(struct trip *trip, int fd)
{
	int64_t until = trip_now() + trip->left_ms;
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = trip->fetch->cancel, .events = POLLIN },
	};
	int r;

	do {
		r = poll(p, 2, trip->left_ms > 0 ? (int)trip->left_ms : 0);
		trip->left_ms = until - trip_now();
	} while (r < 0 && errno == EINTR);
	if (p[1].revents)
		return err_set(trip->err, ECANCELED, "the call was cancelled");
	return r > 0 && p[0].revents ? 0 : -ETIMEDOUT;
}

static bool
is_listed_text(char *const *list, const char *text)
{
	for (; list && *list; list++)
		if (streq(*list, text))
			return true;
	return false;
}

char *
trip_join(const char *host, int port)
{
	return str_printf(strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
}

int
trip_decide(struct trip *trip, const char *host, int port)
{
	auto_free char *text = trip_join(host, port);
	int r;

	if (!text)
		return err_nomem(trip->err);
	if (is_listed_text(trip->decided, text))
		return 0;
	r = trip->fetch->decide(trip->fetch->data, text, trip->err);
	if (r == 0 && strv_append(&trip->decided, text) < 0)
		r = err_nomem(trip->err);
	return r;
}

/* Where the answer leads: the next goal, if it may be gone to. */
static int
next_goal(struct trip *trip, const struct goal *from, struct goal *ret_goal)
{
	auto_free char *url = NULL;
	struct goal next = { 0 };
	int r = goal_follow(trip, from->url, trip->location, &url);

	if (r == 0)
		r = goal_parse(trip, url, &next);
	if (r < 0)
		return err_context(trip->err, "%s redirects", from->host);
	/* Of where it leads the host alone is told: the rest is the server's to write,
	 * and this stands in ambit's own words. */
	if (from->tls && !next.tls)
		r = trip_fail(trip, EACCES, AMBIT_CODE_BAD_ARGUMENTS,
			"Fetch the http page itself if it is what you want.",
			"%s redirects to %s: from https to http, where others can read and change "
			"it",
			from->host, next.host);
	else if (is_listed_text(trip->visited, next.url))
		r = trip_fail(trip, ELOOP, AMBIT_CODE_BAD_ARGUMENTS, "Fetch another page.",
			"%s redirects in a loop: to a page of %s that was asked for before",
			from->host, next.host);
	else if ((r = trip_decide(trip, next.host, next.port)) < 0 && r != -ECANCELED)
		err_context(trip->err, "%s redirects", from->host);
	if (r < 0)
		goal_finish(&next);
	else
		*ret_goal = next;
	return r;
}

/* What one answer left is not the next one's. */
static void
forget_answer(struct trip *trip)
{
	free(trip->location);
	trip->location = NULL;
	free(trip->page->type);
	trip->page->type = NULL;
	buf_finish(&trip->page->body);
	trip->page->cut = false;
}

static int
visit_goal(struct trip *trip, struct goal *goal)
{
	int r = strv_append(&trip->visited, goal->url);

	if (r < 0)
		return err_nomem(trip->err);
	forget_answer(trip);
	r = goal_find(trip, goal);
	return r < 0 ? r : trip_transfer(trip, goal);
}

static int
follow_redirects(struct trip *trip, struct goal *goal)
{
	for (int hop = 0;; hop++) {
		struct goal next;
		int r = visit_goal(trip, goal);

		if (r < 0)
			return r;
		if (!trip->location)
			break;
		if (hop == FETCH_HOPS)
			return trip_fail(trip, ELOOP, AMBIT_CODE_BAD_ARGUMENTS,
				"Fetch the page it leads to itself, if you know it.",
				"%s redirects more than %d times", trip->fetch->url, FETCH_HOPS);
		r = next_goal(trip, goal, &next);
		if (r < 0)
			return r;
		goal_finish(goal);
		*goal = next;
	}
	trip->page->url = steal_ptr(&goal->url);
	return 0;
}

int
fetch_page(const struct fetch *fetch, struct fetched *ret_page, struct ambit_error *err)
{
	struct ambit_error unused;
	struct trip trip = {
		.fetch = fetch,
		.page = ret_page,
		.err = err ? err : &unused,
		.left_ms = fetch->timeout_ms,
	};
	struct goal goal = { 0 };
	int r;

	*ret_page = (struct fetched){ 0 };
	r = goal_parse(&trip, fetch->url, &goal);
	if (r == 0) {
		auto_free char *first = trip_join(goal.host, goal.port);

		r = first && strv_append(&trip.decided, first) == 0 ? follow_redirects(&trip, &goal)
								    : err_nomem(trip.err);
	}
	goal_finish(&goal);
	strv_free(trip.decided);
	strv_free(trip.visited);
	free(trip.location);
	return r;
}

void
fetched_finish(struct fetched *page)
{
	free(page->url);
	free(page->type);
	buf_finish(&page->body);
	*page = (struct fetched){ 0 };
}
