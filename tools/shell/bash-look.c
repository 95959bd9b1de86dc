/* SPDX-License-Identifier: Apache-2.0 */
/* What the look through the folder found when a command had ended, from the report
 * of `ambit run` into words and members of the result; and that the record does not have
 * it. The names are the command's to choose; that there was a look, and how far it came,
 * is ambit's. */

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/shell/bash.h"

#define NAMED_MAX 5	   /* in the words */
#define NAME_MAX_BYTES 300 /* of one, where it may be somebody else's words */
#define LIST_BYTES 8000	   /* of the names in the object: each may have 4 KB */

/* As messages show them; what does not fit is left out. */
static json_t *
show_paths(struct tool_run *run, const json_t *paths)
{
	const struct ambit_scope *scope;
	auto_json json_t *list = json_array();
	const json_t *path;
	size_t i, bytes = 0;
	int r = list ? 0 : -ENOMEM;

	run_lock(run);
	scope = run_scope(run);
	json_array_foreach (paths, i, path) {
		auto_free char *shown = ambit_scope_display(scope, json_string_value(path));

		bytes += shown ? strlen(shown) : 0;
		if (bytes > LIST_BYTES || r < 0)
			break;
		r = shown ? json_array_append_new(list, json_string(shown)) : -ENOMEM;
	}
	run_unlock(run);
	return r < 0 ? NULL : steal_ptr(&list);
}

static void
say_names(struct tool_run *run, const json_t *names, size_t all)
{
	const json_t *name;
	size_t i;

	json_array_foreach (names, i, name) {
		const char *text = json_string_value(name);
		size_t len = strlen(text);

		if (i == NAMED_MAX)
			break;
		buf_printf(&run->text, "%s%.*s", i > 0 ? ", " : "",
			(int)str_cut(text, len, run->untrusted ? NAME_MAX_BYTES : len), text);
	}
	if (i < all)
		buf_printf(&run->text, "%s%zu more", i > 0 ? " and " : "", all - i);
}

static void
say_planted(struct tool_run *run, const json_t *names, size_t all)
{
	if (all == 0)
		return;
	buf_puts(&run->text, "[guarded, and came or changed before anybody could be asked: ");
	say_names(run, names, all);
	buf_puts(&run->text, ". What is in them may run later with the person's rights: name them "
			     "in your summary]\n");
}

static void
say_unseen(struct tool_run *run, const json_t *names, bool unseen, bool cut)
{
	size_t n = json_array_size(names);

	if (n > 0) {
		buf_puts(&run->text, "[could not be looked into for guarded files: ");
		say_names(run, names, n);
		buf_puts(&run->text, ". 'chmod u+rx' lets ambit; name what stays closed in your "
				     "summary]\n");
	} else if (unseen) {
		buf_puts(&run->text, "[the folder is too large to be looked through for guarded "
				     "files that came unasked]\n");
	}
	if (cut)
		buf_puts(&run->text, "[the folder is too large to be looked through for "
				     "repositories: hooks are held only where one was found]\n");
}

/* Without a report nobody looked. That is news only where the line was to hold it. */
static int
look_nowhere(struct tool_run *run)
{
	if (ambit_executor_backend(run->executor) == AMBIT_BACKEND_KERNEL)
		buf_puts(&run->text, "[it was ended before the folder could be looked "
				     "through for guarded files that came unasked]\n");
	return json_object_update_new(
		run->structured, json_pack("{s:[], s:b, s:[], s:b}", "planted", "unseen", true,
					 "unseen_in", "cut", true));
}

static int
tell_look(struct tool_run *run, const json_t *report)
{
	auto_json json_t *planted = NULL, *closed = NULL;
	bool unseen, cut;
	size_t all;

	all = json_array_size(json_object_get(report, "planted"));
	planted = show_paths(run, json_object_get(report, "planted"));
	closed = show_paths(run, json_object_get(report, "unseen_in"));
	unseen = !json_is_false(json_object_get(report, "unseen"));
	/* Who made no call that is looked at has written nothing. */
	cut = !json_is_false(json_object_get(report, "cut")) &&
	      json_integer_value(json_object_get(report, "calls")) > 0;
	if (!planted || !closed ||
		json_object_update_new(run->structured,
			json_pack("{s:O, s:b, s:O, s:b}", "planted", planted, "unseen", unseen,
				"unseen_in", closed, "cut", cut)) < 0)
		return -ENOMEM;
	if (json_array_size(planted) < all)
		json_object_set_new(run->structured, "planted_left_out",
			json_integer((json_int_t)(all - json_array_size(planted))));
	say_planted(run, planted, all);
	say_unseen(run, closed, unseen, cut);
	return 0;
}

int
bash_look(struct tool_run *run, const json_t *report)
{
	int r = report ? tell_look(run, report) : look_nowhere(run);

	run->own = run->text.len;
	return r < 0 ? -ENOMEM : 0;
}

/* It ran all the same. */
int
bash_unrecorded(struct tool_run *run, const json_t *report)
{
	const char *why = json_string_value(json_object_get(report, "unrecorded"));

	if (!why)
		return 0;
	buf_printf(&run->text,
		"[the command ran, but its end could not be recorded: %s. Nothing more runs until "
		"that is mended: tell the person]\n",
		why);
	run->own = run->text.len;
	return json_set_text(run->structured, "unrecorded", why);
}
