/* SPDX-License-Identifier: Apache-2.0 */
/* Lines under the name of their file, as a person would read them, and beside it the
 * same as an object. Whatever was left out is said: a model that is told of nothing
 * takes it for all there is. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/search/grep-report.h"

#define TEXT_MAX (RESULT_MAX - 4096) /* what is left is for the marks at the end */

struct writer {
	struct grep_report *report;
	json_t *files;
	size_t matches; /* told */
	size_t told;	/* files */
	bool cut;	/* by the limit, or the size */
	bool full;	/* by the size */
};

static char *
path_of(const struct grep_report *report, const struct grep_found *found)
{
	auto_free char *path = NULL;

	if (!found->dir)
		return walk_root_shown(report->root, "");
	path = str_printf("%s%s%s", found->dir->path, found->dir->path[0] ? "/" : "", found->name);
	return path ? walk_root_shown(report->root, path) : NULL;
}

static bool
is_full(struct writer *w)
{
	w->full |= w->report->run->text.len >= TEXT_MAX;
	w->cut |= w->full;
	return w->cut;
}

/* "12:text", "13-text" for context; the text goes into the object as well. */
static int
write_line(struct writer *w, const struct grep_found *found, const struct grep_told *line,
	json_t *lines)
{
	struct tool_run *run = w->report->run;
	json_t *object = NULL;
	size_t at;

	buf_printf(&run->text, "%zu%c", line->number, line->context ? '-' : ':');
	at = run->text.len;
	if (line->left)
		buf_printf(&run->text, "[%u bytes...] ", line->left);
	run_say(run, found->text.data + line->at, line->len);
	if (line->right)
		buf_printf(&run->text, " [...%u bytes]", line->right);
	if (!run->text.failed)
		object = json_pack("{s:I, s:o?}", "line", (json_int_t)line->number, "text",
			json_stringn(run->text.data + at, run->text.len - at));
	if (object && line->context && json_object_set_new(object, "context", json_true()) < 0) {
		json_decref(object);
		object = NULL;
	}
	buf_putc(&run->text, '\n');
	return object && json_array_append_new(lines, object) == 0 ? 0 : -ENOMEM;
}

static int
write_lines(struct writer *w, const struct grep_found *found, json_t *lines)
{
	bool context = w->report->wants->before || w->report->wants->after;
	int r = 0;

	for (size_t i = 0; r == 0 && i < found->n_lines; i++) {
		const struct grep_told *line = &found->lines[i];

		if (!line->context && w->matches == w->report->wants->limit)
			w->cut = true;
		if (is_full(w))
			break;
		if (context && i > 0 && line->number > found->lines[i - 1].number + 1)
			buf_puts(&w->report->run->text, "--\n");
		r = write_line(w, found, line, lines);
		w->matches += !line->context;
	}
	return r;
}

static int
write_content(struct writer *w, const struct grep_found *found, const char *path, json_t *object)
{
	json_t *lines = json_array();

	if (!lines || json_object_set_new(object, "matches", lines) < 0)
		return -ENOMEM;
	buf_printf(&w->report->run->text, "%s%s\n", w->told ? "\n" : "", path);
	return write_lines(w, found, lines);
}

static int
write_file(struct writer *w, const struct grep_found *found)
{
	auto_free char *path = path_of(w->report, found);
	auto_json json_t *object = path ? json_pack("{s:s}", "path", path) : NULL;
	struct buf *text = &w->report->run->text;
	int r = object ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	switch (w->report->wants->mode) {
	case GREP_FILES:
		buf_printf(text, "%s\n", path);
		break;
	case GREP_COUNT:
		buf_printf(text, "%s:%zu\n", path, found->count);
		w->matches += found->count;
		r = json_object_set_new(object, "count", json_integer((json_int_t)found->count));
		break;
	case GREP_CONTENT:
		r = write_content(w, found, path, object);
		break;
	}
	w->told++;
	return r < 0 || json_array_append(w->files, object) < 0 ? -ENOMEM : 0;
}

static int
write_files(struct writer *w)
{
	const struct grep_tree *tree = w->report->tree;
	size_t limit = w->report->wants->limit;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree->n_found; i++) {
		w->cut |= (w->report->wants->mode == GREP_CONTENT ? w->matches : w->told) >= limit;
		if (is_full(w))
			break;
		r = write_file(w, &tree->found[i]);
	}
	w->cut |= tree->stopped;
	return r;
}

/* -- what was left out ------------------------------------------------------------------ */

static void
append_count_note(struct buf *text, size_t n, const char *words)
{
	if (n > 0)
		buf_printf(text, "[%zu %s]\n", n, words);
}

/* What limit counts: a match across lines is several of them. What is past all that can be
 * told was counted, and not kept. */
static size_t
lines_of(const struct grep_found *found)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n_lines; i++)
		n += !found->lines[i].context;
	return n > found->count ? n : found->count;
}

/* How much there is as far as it is known: nobody looks further than just past the
 * limit, or past what is kept. What several threads found beyond that is another number
 * every time. */
static void
mark_cut(struct writer *w)
{
	const struct grep_tree *tree = w->report->tree;
	enum grep_mode mode = w->report->wants->mode;
	size_t shown = mode == GREP_CONTENT ? w->matches : w->told, all = 0, kept = 0;
	size_t enough = tree->stopped ? w->report->wants->limit : SIZE_MAX;

	for (size_t i = 0; i < tree->n_found && all <= enough && kept <= GREP_KEPT_MAX; i++) {
		all += mode == GREP_CONTENT ? lines_of(&tree->found[i]) : 1;
		kept += tree->found[i].text.len;
	}
	buf_printf(&w->report->run->text,
		"[%zu of %s%zu %s are shown: %snarrow pattern, path or glob]\n", shown,
		tree->stopped ? "at least " : "", all > shown ? all : shown,
		mode != GREP_CONTENT			? "files"
		: grep_pattern_multiline(tree->pattern) ? "lines"
							: "matches",
		w->full ? "" : "raise limit, or ");
}

static void
write_marks(struct writer *w)
{
	const struct grep_report *report = w->report;
	const struct grep_tree *tree = report->tree;
	struct buf *text = &report->run->text;

	if (w->cut)
		mark_cut(w);
	if (atomic_load(&tree->end->late))
		buf_printf(text,
			"[stopped after %d s, not everything was searched: narrow path or "
			"glob]\n",
			GREP_SECONDS);
	if (tree->costly) {
		auto_free char *path = walk_root_shown(report->root, tree->costly);

		buf_printf(text,
			"[%zu files were given up, the pattern takes too many steps there; "
			"the first: %s]\n",
			tree->results[GREP_COSTLY], path ? path : "?");
	}
	append_count_note(text, tree->results[GREP_BINARY], "binary files were not searched");
	append_count_note(text, report->guarded,
		"guarded paths (keys, credentials) were not searched; a search "
		"whose path is one of them is asked about");
	append_count_note(text, tree->results[GREP_TOO_LARGE],
		"files are too large to be searched across lines");
	append_count_note(text, tree->results[GREP_UNREADABLE], "files could not be read");
	if (report->walk) {
		append_count_note(text, report->walk->unreadable, "folders could not be read");
		if (report->walk->cut)
			buf_printf(text, "[not everything was searched: %s]\n",
				walk_why_cut(report->walk));
	}
}

static bool
is_partial(const struct writer *w)
{
	const struct grep_tree *tree = w->report->tree;

	return w->cut || atomic_load(&tree->end->late) || tree->costly ||
	       (w->report->walk && w->report->walk->cut);
}

static json_t *
make_skipped_json(const struct grep_report *report)
{
	const size_t *n = report->tree->results;

	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "binary", (json_int_t)n[GREP_BINARY],
		"guarded", (json_int_t)report->guarded, "too_large", (json_int_t)n[GREP_TOO_LARGE],
		"costly", (json_int_t)n[GREP_COSTLY], "unreadable",
		(json_int_t)(n[GREP_UNREADABLE] + (report->walk ? report->walk->unreadable : 0)));
}

int
grep_report(struct grep_report *report, struct ambit_error *err)
{
	struct writer w = { .report = report, .files = json_array() };
	struct tool_run *run = report->run;
	const size_t *n = report->tree->results;
	json_int_t searched = (json_int_t)(n[GREP_NONE] + n[GREP_FOUND]);
	int r = w.files ? write_files(&w) : -ENOMEM;

	if (r == 0 && w.told == 0)
		buf_printf(&run->text, "No match in %s: %lld files were searched.%s\n",
			report->root->place.shown, (long long)searched,
			report->walk && !run_bool(run, "all", false)
				? " What .gitignore hides was left out (all: true)."
				: "");
	write_marks(&w);
	run->structured = json_pack("{s:o?, s:I, s:I, s:b, s:o?}", "files", w.files, "matches",
		(json_int_t)(report->wants->mode == GREP_FILES ? w.told : w.matches), "searched",
		searched, "truncated", is_partial(&w), "skipped", make_skipped_json(report));
	return r < 0 || !run->structured || run->text.failed ? err_nomem(err) : 0;
}
