/* SPDX-License-Identifier: Apache-2.0 */
/* Live sessions for the commands: found, called, told of what was stored. The record is
 * what holds; a session that runs and cannot be reached takes notice of it by itself,
 * a moment later. */

#include <stdio.h>
#include <stdlib.h>

#include "live/live.h"

#include "cli-live.h"
#include "out.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

#define HELLO_MS 2000 /* for one that is kept busy by its program */

static void
one_finish(struct live_one *one)
{
	free(one->name);
	free(one->session);
	free(one->door);
	free(one->folder);
	free(one->what);
}

static int
add_live_session(void *data, const struct live_entry *entry)
{
	struct live_list *list = data;

	if (entry->mute) {
		fprintf(stderr,
			"ambit: a live session (pid %ld) does not answer; what is stored holds "
			"there when it looks again\n",
			(long)entry->pid);
		return 0;
	}
	struct live_one *more = reallocarray(list->list, list->n + 1, sizeof(*more));
	struct live_one one = {
		.name = str_dup(entry->name),
		.session = str_dup(entry->session),
		.door = str_dup(entry->door),
		.folder = str_dup(entry->folder),
		.what = str_dup(entry->what),
		.pid = entry->pid,
		.started = entry->started,
		.watchers = entry->watchers,
		.asks = entry->asks,
	};

	if (more != NULL)
		list->list = more;
	if (more == NULL || one.name == NULL || one.session == NULL || one.door == NULL ||
		one.folder == NULL || one.what == NULL) {
		one_finish(&one);
		return -ENOMEM;
	}
	more[list->n++] = one;
	return 0;
}

int
live_find(struct live_list *list, const struct place *place, struct ambit_error *err)
{
	struct ambit_error why = { 0 };
	int r;

	*list = (struct live_list){ .directory = place_live(place) };
	if (list->directory == NULL)
		return err_nomem(err);
	r = live_each(list->directory, HELLO_MS, add_live_session, list, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		fprintf(stderr, "ambit: live sessions cannot be seen: %s\n", why.text);
	return 0;
}

void
live_finish(struct live_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		one_finish(&list->list[i]);
	free(list->list);
	free(list->directory);
}

int
live_call(const struct live_list *list, const struct live_one *one, const char *method,
	char **ret_result, struct ambit_error *err)
{
	struct link *link = NULL;
	int r = link_open(list->directory, one->name, &link, err);

	if (r == 0)
		r = link_call(link, method, NULL, ret_result, err);
	link_close(link);
	return r < 0 ? err_context(err, "%s (pid %ld)", one->door, (long)one->pid) : 0;
}

json_t *
live_json(const struct live_one *one)
{
	auto_json json_t *object = json_pack("{s:i s:I s:i}", "pid", (int)one->pid, "started",
		(json_int_t)one->started, "watchers", (int)one->watchers);

	if (object == NULL || json_set_text(object, "door", one->door) < 0 ||
		json_set_text(object, "what", one->what) < 0 ||
		json_set_text(object, "session", one->session) < 0 ||
		json_set_text(object, "folder", one->folder) < 0)
		return NULL;
	return steal_ptr(&object);
}

json_t *
live_json_of(const struct live_list *list, const char *session)
{
	auto_json json_t *array = json_array();

	for (size_t i = 0; array != NULL && i < list->n; i++)
		if (streq(list->list[i].session, session) &&
			json_array_append_new(array, live_json(&list->list[i])) < 0)
			return NULL;
	return steal_ptr(&array);
}

/* -- what was stored, in force -------------------------------------------------------- */

static bool
is_meant(const struct live_one *one, const struct live_for *whom)
{
	if (whom->session != NULL)
		return streq(one->session, whom->session);
	return whom->folder == NULL || str_beneath(one->folder, whom->folder);
}

static void
print_live_door(const struct live_one *one, bool first)
{
	printf("%s", first ? "in force now in: " : ", ");
	out_text(one->door);
	printf(" (pid %ld)", (long)one->pid);
}

static void
say_not_live(const struct live_for *whom)
{
	if (whom->session == NULL) {
		puts("no live session: holds from the next start");
		return;
	}
	printf("no live session: holds when one is started with --session ");
	out_text(whom->session);
	putchar('\n');
}

/* All are told, for a run inside another goes by what holds outside; those who are meant
 * are named. */
static int
reload_live_sessions(const struct live_list *list, const struct live_for *whom, json_t *told)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct live_one *one = &list->list[i];
		struct ambit_error why = { 0 };
		int r = live_call(list, one, "reload", NULL, &why);

		/* One that has just ended has nothing to hold any more. */
		if (r < 0 && r != -EPIPE && r != -ENOENT && r != -ECONNREFUSED &&
			is_meant(one, whom))
			fprintf(stderr, "ambit: it may not hold yet: %s\n", why.text);
		if (r < 0 || !is_meant(one, whom))
			continue;
		if (told == NULL)
			print_live_door(one, n == 0);
		else if (json_array_append_new(told, live_json(one)) < 0)
			return -ENOMEM;
		n++;
	}
	if (told == NULL && n > 0)
		putchar('\n');
	else if (told == NULL)
		say_not_live(whom);
	if (told == NULL && n > 0 && whom->reads)
		puts("reads: a command that runs keeps what it may read; for commands it holds "
		     "from their next start");
	return 0;
}

int
live_reload(const struct place *place, const struct live_for *whom, json_t *object,
	struct ambit_error *err)
{
	auto_json json_t *told = object != NULL ? json_array() : NULL;
	struct live_list list = { 0 };
	int r = live_find(&list, place, err);

	if (r == 0 && reload_live_sessions(&list, whom, told) < 0)
		r = err_nomem(err);
	if (r == 0 && object != NULL && json_object_set(object, "live", told) < 0)
		r = err_nomem(err);
	live_finish(&list);
	return r;
}
