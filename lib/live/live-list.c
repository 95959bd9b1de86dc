/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of live sessions into those that answer. All are greeted before the first
 * reply is waited for: one that is stopped costs as much time as ten. Names
 * that processes left behind when they were killed are removed. */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "live/link.h"
#include "live/live-private.h"
#include "live/live.h"

#define LIST_MAX 1024

struct found {
	char name[32];
	struct link *link;
	json_t *hello; /* NULL: it did not answer */
};

struct list {
	struct found *found;
	size_t n;
};

static void
list_finish(struct list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		link_close(list->found[i].link);
		json_decref(list->found[i].hello);
	}
	free(list->found);
}

/* One that was being made when its process ended; see live-place.c. */
static bool
is_left_behind(const char *name)
{
	pid_t pid;

	return name[0] == '.' && place_is_name(name + 1, &pid) && kill(pid, 0) < 0 &&
	       errno == ESRCH;
}

static int
greet_session(struct list *list, int dir, const char *name, int64_t until)
{
	struct found found = { 0 }, *more;
	struct ambit_error err = { 0 };
	pid_t pid;
	int r;

	if (is_left_behind(name))
		unlinkat(dir, name, 0);
	if (!place_is_name(name, &pid) || list->n >= LIST_MAX)
		return 0;
	r = link_open_at(dir, name, &found.link);
	/* A name is there only once somebody listens: he does no more. */
	if (r == -ECONNREFUSED)
		unlinkat(dir, name, 0);
	/* One that is stopped, and too many have knocked: it listens all the same. */
	if (r < 0 && r != -EAGAIN)
		return r == -ENOMEM ? r : 0;
	more = realloc(list->found, (list->n + 1) * sizeof(*more));
	if (!more || (found.link && link_send(found.link, "hello", NULL, until, &err) < 0)) {
		list->found = more ? more : list->found;
		link_close(found.link);
		return more ? 0 : -ENOMEM;
	}
	snprintf(found.name, sizeof(found.name), "%.31s", name);
	list->found = more;
	list->found[list->n++] = found;
	return 0;
}

static int
greet_sessions(struct list *list, int dir, int64_t until)
{
	int copy = dup(dir), r = 0;
	DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	if (!names) {
		fd_close_at(&copy);
		return -errno;
	}
	rewinddir(names);
	while (r == 0 && (entry = readdir(names)) != NULL)
		r = greet_session(list, dir, entry->d_name, until);
	closedir(names);
	return r;
}

/* -- replies --------------------------------------------------------------------------------- */

static void
fill_live_entry(const struct found *found, struct live_entry *ret_entry)
{
	const json_t *hello = found->hello;
	pid_t pid = 0;

	place_is_name(found->name, &pid);
	*ret_entry = (struct live_entry){
		.name = found->name,
		.pid = pid,
		.session = json_text(hello, "session"),
		.door = json_text(hello, "door"),
		.folder = json_text(hello, "folder"),
		.what = json_text(hello, "what"),
		.version = json_text(hello, "version"),
		.started = json_integer_value(json_object_get(hello, "started")),
		.watchers = (unsigned)json_integer_value(json_object_get(hello, "watchers")),
		.asks = json_is_true(json_object_get(hello, "asks")),
		.mute = !hello,
	};
}

static int
by_start(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	json_int_t left = json_integer_value(json_object_get(x->hello, "started"));
	json_int_t right = json_integer_value(json_object_get(y->hello, "started"));

	return left < right ? -1 : left > right ? 1 : strcmp(x->name, y->name);
}

static int
report_sessions(
	struct list *list, int (*each)(void *data, const struct live_entry *entry), void *data)
{
	int r = 0;

	if (list->n > 0)
		qsort(list->found, list->n, sizeof(*list->found), by_start);
	for (size_t i = 0; r == 0 && i < list->n; i++) {
		struct live_entry entry;

		fill_live_entry(&list->found[i], &entry);
		r = each(data, &entry);
	}
	return r;
}

int
live_each(const char *directory, int wait_ms,
	int (*each)(void *data, const struct live_entry *entry), void *data,
	struct ambit_error *err)
{
	int64_t until = clock_steady() + wait_ms;
	struct list list = { 0 };
	auto_close int dir = -1;
	int r = place_open(directory, false, &dir, err);

	if (r == -ENOENT) {
		if (err)
			*err = (struct ambit_error){ 0 };
		return 0;
	}
	if (r < 0)
		return r;
	link_rename();
	r = greet_sessions(&list, dir, until);
	if (r < 0)
		err_sys(err, -r, "%s", directory);
	for (size_t i = 0; r == 0 && i < list.n; i++) {
		struct ambit_error why = { 0 };

		if (list.found[i].link)
			(void)link_reply(list.found[i].link, until, &list.found[i].hello, &why);
		if (!json_is_object(list.found[i].hello)) {
			json_decref(list.found[i].hello);
			list.found[i].hello = NULL;
		}
	}
	if (r == 0)
		r = report_sessions(&list, each, data);
	list_finish(&list);
	return r;
}
