/* SPDX-License-Identifier: Apache-2.0 */
/* A list of edits and a file, into the file as all of them make it, or a reason why
 * one of them cannot be made and a file that is as it was. Everything happens in
 * memory; what is written is written once. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/err.h"
#include "base/str.h"
#include "perform/file.h"
#include "tools/edit/edit-diff.h"
#include "tools/edit/edit-file.h"
#include "tools/edit/edit-match.h"
#include "tools/edit/edit-near.h"

#define LINES_SHOWN 10
#define DIFF_MAX 6000

struct edit {
	struct tool_run *run;
	struct ambit_place place;
	struct stat st;
	char *before; /* the file as it is; owned */
	size_t before_len;
	struct buf text; /* as it becomes */
	size_t replaced;
	bool creates;
	char which[64]; /* "edit 2 of 5: ", or "" */
};

static struct edit_change
change_of(const json_t *edit)
{
	const json_t *old = json_object_get(edit, "old_string");
	const json_t *new = json_object_get(edit, "new_string");

	return (struct edit_change){
		.old = json_string_value(old) ? json_string_value(old) : "",
		.old_len = json_string_length(old),
		.new = json_string_value(new) ? json_string_value(new) : "",
		.new_len = json_string_length(new),
		.all = json_is_true(json_object_get(edit, "replace_all")),
	};
}

static int
refuse_edit(struct edit *e, struct ambit_error *err, const char *hint, const char *what)
{
	e->run->code = AMBIT_CODE_BAD_ARGUMENTS;
	return run_fail(e->run, err, EINVAL, hint, "%s%s%s%s", e->which, what, e->place.shown,
		e->which[0] ? "; nothing was changed" : "");
}

/* -- edits that do not fit ---------------------------------------------------------------- */

static int
not_found(struct edit *e, const struct edit_change *c, struct ambit_error *err)
{
	auto_buf struct buf hint = { 0 };
	int r = refuse_edit(e, err, NULL, "old_string was not found in ");

	edit_near(e->text.data ? e->text.data : "", e->text.len, c->old, c->old_len, c->new,
		c->new_len, &hint);
	if (!hint.failed)
		edit_set_hint(e->run, &hint);
	return r;
}

static int
not_unique(struct edit *e, const struct edit_matches *m, struct ambit_error *err)
{
	auto_buf struct buf hint = { 0 };
	size_t line = 1, at = 0;
	int r = refuse_edit(e, err, NULL, "old_string is more than once in ");

	buf_printf(&hint, "It is there %zu times, at lines ", m->n);
	for (size_t i = 0; i < m->n && i < LINES_SHOWN; i++) {
		line += edit_line_of(e->text.data + at, e->text.len - at, m->list[i].at - at) - 1;
		at = m->list[i].at;
		buf_printf(&hint, "%s%zu", i ? ", " : "", line);
	}
	buf_printf(&hint,
		"%s. Put more of the lines around it into old_string, or pass replace_all: true to "
		"replace every one.",
		m->n > LINES_SHOWN ? " ..." : "");
	if (!hint.failed)
		edit_set_hint(e->run, &hint);
	return r;
}

/* -- one edit ------------------------------------------------------------------------------- */

/* How large the text gets at most: with a CR before every LF of what is new. */
static size_t
size_after(const struct edit *e, const struct edit_change *c, const struct edit_matches *m)
{
	size_t crlf, lf, size = e->text.len;

	edit_count_ends(c->new, c->new_len, &crlf, &lf);
	for (size_t i = 0; i < m->n; i++)
		size -= m->list[i].len;
	return size + m->n * (c->new_len + lf);
}

static int
apply_replacement(struct edit *e, const struct edit_change *c, struct ambit_error *err)
{
	struct edit_matches m = { 0 };
	struct buf next = { 0 };
	const char *text = e->text.data ? e->text.data : "";
	int r = edit_find(text, e->text.len, c->old, c->old_len, &m);

	if (r == -E2BIG)
		r = refuse_edit(
			e, err, "Make it longer.", "old_string is more than a million times in ");
	else if (r < 0)
		r = err_nomem(err);
	else if (m.n == 0)
		r = not_found(e, c, err);
	else if (m.n > 1 && !c->all)
		r = not_unique(e, &m, err);
	else if (size_after(e, c, &m) > EDIT_FILE_MAX)
		r = refuse_edit(e, err, "Replace less at once.", "this would make too much of ");
	if (r == 0) {
		edit_apply(text, e->text.len, &m, c->new, c->new_len, &next);
		buf_finish(&e->text);
		e->text = next;
		e->replaced += m.n;
		r = next.failed ? err_nomem(err) : 0;
	}
	edit_matches_finish(&m);
	return r;
}

static int
apply_single_edit(struct edit *e, const json_t *edit, bool first, struct ambit_error *err)
{
	struct edit_change c = change_of(edit);

	if (c.old_len == 0 && first && !e->place.exists) {
		buf_append(&e->text, c.new, c.new_len);
		e->creates = true;
		return 0;
	}
	if (c.old_len == 0)
		return refuse_edit(e, err,
			"An empty old_string creates a file. To change one, give the text to "
			"replace; to replace all of it, use write.",
			"old_string is empty, and there is a file ");
	if (!e->creates && !e->place.exists)
		return edit_missing(e->run, &e->place, err);
	if (c.old_len == c.new_len && memcmp(c.old, c.new, c.old_len) == 0)
		return refuse_edit(e, err, "Give the text as it is, and as it is to be.",
			"old_string and new_string are the same: nothing would change in ");
	return apply_replacement(e, &c, err);
}

/* -- the file ------------------------------------------------------------------------------- */

static int
load_edited_file(struct edit *e, struct ambit_error *err)
{
	auto_close int fd = -1;
	int r = edit_decide_read(e->run, &e->place, err);

	if (r == 0)
		r = seen_check(e->run, &e->place, err);
	if (r == 0)
		r = file_look(&e->place, &fd, &e->st, err);
	if (r < 0)
		return r;
	r = fd_read_open(fd, EDIT_FILE_MAX, &e->before, &e->before_len);
	if (r == -EFBIG)
		return err_set(err, EFBIG, "%s has %lld bytes: more than %zu are not edited here",
			e->place.shown, (long long)e->st.st_size, EDIT_FILE_MAX);
	if (r < 0)
		return err_sys(err, -r, "%s", e->place.shown);
	if (memchr(e->before, '\0', e->before_len))
		return run_fail(e->run, err, EINVAL,
			"Change it with a program that knows its format.",
			"%s is binary: it has zero bytes", e->place.shown);
	buf_append(&e->text, e->before, e->before_len);
	return e->text.failed ? err_nomem(err) : 0;
}

static void
report_edit_result(struct edit *e, bool multi, size_t n)
{
	struct tool_run *run = e->run;
	auto_buf struct buf text = { 0 }, diff = { 0 };
	const char *now = e->text.data ? e->text.data : "";

	edit_diff(e->before ? e->before : "", e->before_len, now, e->text.len, DIFF_MAX, &diff);
	if (e->creates)
		buf_printf(&text, "Created %s: %zu bytes, %zu lines.\n", e->place.shown,
			e->text.len, edit_count_lines(now, e->text.len));
	else if (multi)
		buf_printf(&text, "Edited %s: %zu edits, %zu replacements.\n", e->place.shown, n,
			e->replaced);
	else
		buf_printf(&text, "Edited %s: %zu replacement%s.\n", e->place.shown, e->replaced,
			e->replaced == 1 ? "" : "s");
	if (!e->creates && diff.len > 0)
		buf_append(&text, diff.data, diff.len);
	else if (!e->creates)
		buf_puts(&text, "The file is as it was: the edits undo each other.\n");
	run_say(run, text.data ? text.data : "", text.len);
	run->structured = json_object();
	json_set_text(run->structured, "path", e->place.shown);
	json_object_set_new(run->structured, "created", json_boolean(e->creates));
	json_object_set_new(run->structured, "replacements", json_integer((json_int_t)e->replaced));
	json_object_set_new(run->structured, "bytes", json_integer((json_int_t)e->text.len));
	json_object_set_new(run->structured, "lines",
		json_integer((json_int_t)edit_count_lines(now, e->text.len)));
}

static int
apply_edit_list(struct edit *e, const json_t *edits, bool multi, struct ambit_error *err)
{
	size_t i, n = json_array_size(edits);
	const json_t *edit;
	int r = 0;

	if (n == 0)
		return refuse_edit(e, err, "Give at least one edit.", "there are no edits for ");
	if (e->place.exists)
		r = load_edited_file(e, err);
	json_array_foreach (edits, i, edit) {
		if (r < 0)
			return r;
		if (run_cancelled(e->run))
			return err_set(err, ECANCELED, "cancelled: nothing was changed");
		if (multi)
			snprintf(e->which, sizeof(e->which), "edit %zu of %zu: ", i + 1, n);
		r = apply_single_edit(e, edit, i == 0, err);
	}
	if (r == 0)
		r = edit_put(e->run, &e->place, e->place.exists ? &e->st : NULL,
			e->text.data ? e->text.data : "", e->text.len, err);
	if (r == 0)
		report_edit_result(e, multi, n);
	return r;
}

int
edit_run(struct tool_run *run, const json_t *edits, bool multi, struct ambit_error *err)
{
	struct edit e = { .run = run, .place = { .parent = -1 } };
	/* Directories are made for a new file alone. */
	bool creates = change_of(json_array_get(edits, 0)).old_len == 0;
	int r = run_place(run, "file_path", AMBIT_ACCESS_WRITE, true, creates, &e.place, err);

	if (r == 0)
		r = apply_edit_list(&e, edits, multi, err);
	ambit_place_finish(&e.place);
	free(e.before);
	buf_finish(&e.text);
	return edit_failed(run, r);
}
