/* SPDX-License-Identifier: Apache-2.0 */
/* grep: text in files. What was decided is that the tree beneath path may be read;
 * keys and credentials that lie in it are left out all the same (walk-guard.h). Who
 * wants one searched names it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/search/grep-report.h"
#include "tools/search/walk-glob.h"
#include "tools/search/walk-guard.h"

#define LIMIT 200

struct search {
	struct tool_run *run;
	struct walk_root root;
	struct walk_glob *glob; /* or NULL: all of them */
	bool others;		/* all but these */
	struct walk_glob *type;
	struct walk_guard guard;
	struct grep_end end;
	struct walk walk;
	_Atomic int64_t beat;
	atomic_size_t found; /* files to search; all of them when the walk is over */
};

/* -- the walk --------------------------------------------------------------------------- */

static bool
is_wanted_file(void *data, const char *path, enum walk_kind kind)
{
	struct search *s = data;

	(void)kind;
	if (s->glob && walk_glob_match(s->glob, path) == s->others)
		return false;
	if (s->type && !walk_glob_match(s->type, path))
		return false;
	if (walk_guard_knows(&s->guard, path))
		return false;
	atomic_fetch_add_explicit(&s->found, 1, memory_order_relaxed);
	return true;
}

static bool
may_enter_grep_dir(void *data, const char *path)
{
	struct search *s = data;

	return (!s->glob || s->others || walk_glob_enter(s->glob, path)) &&
	       !walk_guard_knows(&s->guard, path);
}

static bool
is_grep_over(void *data)
{
	struct search *s = data;

	return grep_end_look(&s->end);
}

/* Asked now and then by whoever searches: a good time to say how far it is. */
static bool
is_grep_cancelled(void *data)
{
	struct search *s = data;
	size_t looked = atomic_load(&s->end.looked), found = atomic_load(&s->found);

	run_beat(s->run, &s->beat, looked ? looked : found, looked ? found : 0);
	return run_cancelled(s->run);
}

/* -- arguments -------------------------------------------------------------------------- */

static const char *
get_type_name(const void *data, size_t i)
{
	(void)data;
	return walk_type_name(i);
}

static int
read_type(struct search *s, struct ambit_error *err)
{
	const char *name = run_string(s->run, "type"), *pattern, *near;
	auto_buf struct buf hint = { 0 };

	if (!name)
		return 0;
	pattern = walk_type_pattern(name);
	if (pattern)
		return walk_glob_parse(pattern, true, &s->type, err);
	near = str_nearest(name, get_type_name, NULL);
	if (near)
		buf_printf(&hint, "Did you mean %s? ", near);
	buf_puts(&hint, "Use one of them, or a glob like *.ext. Types:");
	for (size_t i = 0; walk_type_name(i); i++)
		buf_printf(&hint, " %s", walk_type_name(i));
	return run_fail(
		s->run, err, EINVAL, hint.data, "%.60s is no type of file that grep knows", name);
}

/* A name without a '/' is meant at every depth; else the search begins where the fixed
 * part of it leads. */
static int
open_root(struct search *s, const char *glob, size_t *fixed, struct ambit_error *err)
{
	const char *path = run_string(s->run, "path");

	*fixed = glob && !path && strchr(glob, '/') ? walk_glob_fixed(glob) : 0;
	return walk_root_open(s->run, path, glob, *fixed, AMBIT_ACCESS_READ_TREE, &s->root, err);
}

static int
read_place(struct search *s, struct ambit_error *err)
{
	const char *glob = run_string(s->run, "glob");
	size_t fixed = 0;
	int r = open_root(s, glob, &fixed, err);

	if (r < 0 || !glob || !glob[fixed] || !s->root.dir)
		return r;
	s->others = glob[fixed] == '!' && glob[fixed + 1];
	return walk_glob_parse(
		glob + fixed + s->others, fixed == 0 && !strchr(glob, '/'), &s->glob, err);
}

static int
read_pattern(struct search *s, struct grep_pattern **ret_pattern, struct ambit_error *err)
{
	unsigned flags = (run_bool(s->run, "fixed", false) ? GREP_FIXED : 0u) |
			 (run_bool(s->run, "ignore_case", false) ? GREP_IGNORE_CASE : 0u) |
			 (run_bool(s->run, "multiline", false) ? GREP_MULTILINE : 0u);
	int r = grep_pattern_create(run_string(s->run, "pattern"), flags, ret_pattern, err);

	if (r == -EINVAL && !s->run->hint)
		s->run->hint = strdup(
			flags & GREP_MULTILINE
				? "Mend it, or set fixed to search for the text as it is."
				: "Mend it, set fixed to search for the text as it is, or set "
				  "multiline to search across lines.");
	return r;
}

static void
read_wants(const struct tool_run *run, struct grep_wants *wants)
{
	const char *mode = run_string(run, "output_mode");
	long long context = run_int(run, "context", 0);

	wants->mode = !mode || streq(mode, "content") ? GREP_CONTENT
		      : streq(mode, "count")	      ? GREP_COUNT
						      : GREP_FILES;
	wants->before = (size_t)run_int(run, "before", context);
	wants->after = (size_t)run_int(run, "after", context);
	wants->limit = (size_t)run_int(run, "limit", LIMIT);
}

/* -- the search ------------------------------------------------------------------------- */

static int
collect_grep_files(struct search *s, struct ambit_error *err)
{
	struct walk_options options = {
		.root = s->root.fd,
		.real = s->root.place.real,
		.all = run_bool(s->run, "all", false),
		.kinds = 1u << WALK_FILE,
		.want = is_wanted_file,
		.enter = may_enter_grep_dir,
		.stop = is_grep_over,
		.data = s,
	};

	return walk_tree(&options, &s->walk, err);
}

/* What was found is only told if read could tell it. */
static int
drop_hidden_files(struct search *s, struct grep_tree *tree)
{
	size_t n = tree->n_found, kept = 0;
	auto_free struct stat *sts = calloc(n + 1, sizeof(*sts));
	auto_free bool *hides = calloc(n + 1, sizeof(*hides));
	char **paths = calloc(n + 1, sizeof(*paths));
	int r = sts && hides && paths ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct grep_found *found = &tree->found[i];

		sts[i] = found->st;
		paths[i] = str_printf(
			"%s%s%s", found->dir->path, found->dir->path[0] ? "/" : "", found->name);
		r = paths[i] ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = walk_guard_ask(&s->guard, paths, sts, n, hides);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (hides[i])
			grep_found_finish(&tree->found[i]);
		else
			tree->found[kept++] = tree->found[i];
	}
	if (r == 0)
		tree->n_found = kept;
	strv_free(paths);
	return r;
}

static int
report_grep_failure(struct search *s, const struct grep_tree *tree, int r, struct ambit_error *err)
{
	auto_free char *first = walk_root_shown(&s->root, tree->costly ? tree->costly : "");

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r != -ETIME)
		return err_set(err, -r, "the search was cancelled");
	return run_fail(s->run, err, EINVAL,
		"Make the pattern simpler: fewer '.*' and no repeat within a repeat; or set fixed, "
		"or narrow path or glob.",
		"the pattern takes too many steps: %zu files had to be given up, the first of them "
		"%s",
		atomic_load(&s->end.costly), first ? first : "?");
}

static int
search_grep_root(struct search *s, struct grep_pattern *pattern, struct ambit_error *err)
{
	struct grep_wants wants = { 0 };
	struct grep_tree tree = {
		.wants = &wants,
		.pattern = pattern,
		.end = &s->end,
		.root = s->root.fd,
		.walk = s->root.dir ? &s->walk : NULL,
	};
	struct grep_report report = { s->run, &s->root, &tree, &wants, tree.walk, 0 };
	int r = s->root.dir ? collect_grep_files(s, err) : 0;

	if (r < 0)
		return r;
	read_wants(s->run, &wants);
	r = grep_tree_search(&tree);
	/* Nothing was searched: that is no answer. */
	if (r == 0 && tree.costly && tree.results[GREP_NONE] + tree.results[GREP_FOUND] == 0)
		r = -ETIME;
	if (r == 0 && tree.walk)
		r = drop_hidden_files(s, &tree);
	report.guarded = atomic_load(&s->guard.n);
	r = r < 0 ? report_grep_failure(s, &tree, r, err) : grep_report(&report, err);
	grep_tree_finish(&tree);
	return r;
}

static int
perform_grep(struct tool_run *run, struct ambit_error *err)
{
	struct search s = { .run = run, .root.fd = -1 };
	struct grep_pattern *pattern = NULL;
	int r;

	s.end.cancelled = is_grep_cancelled;
	s.end.data = &s;
	s.end.deadline = grep_clock() + (int64_t)GREP_SECONDS * 1000000000;
	r = read_pattern(&s, &pattern, err);
	if (r == 0)
		r = read_type(&s, err);
	if (r == 0)
		r = read_place(&s, err);
	if (r == 0)
		r = walk_guard_init(&s.guard, run, &s.root, AMBIT_ACCESS_READ_TREE, err);
	if (r == 0)
		r = search_grep_root(&s, pattern, err);
	grep_pattern_destroy(pattern);
	walk_glob_destroy(s.glob);
	walk_glob_destroy(s.type);
	walk_guard_finish(&s.guard);
	walk_finish(&s.walk);
	walk_root_finish(&s.root);
	return r;
}

const struct own_tool tool_grep = {
	.name = "grep",
	.title = "Search in files",
	.text = "Searches the text of files for a regular expression (PCRE2: Perl's syntax, "
		"UTF-8). "
		"Each line is searched by itself; multiline searches across lines, where '.' also "
		"matches a newline. output_mode: content shows the lines with their numbers (12: a "
		"match, 13- its context), files the paths, count how many lines match in each. "
		"Hidden files are searched; .git, what .gitignore hides (unless all is true), "
		"binary "
		"files, symlinks and guarded keys are not, and the answer says how many. Narrow "
		"with "
		"path, glob (*.c is any depth, src/**/*.c is from path, !*.min.js leaves out) or "
		"type "
		"(c, py, ts ...). What is past limit, and more than 400 bytes of one line, is cut "
		"and "
		"marked.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"pattern\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":16384,"
		 "\"description\":"
		 "\"The regular expression.\"},"
		 "\"path\":{\"type\":\"string\",\"description\":\"The folder or file to search. "
		 "Default: "
		 "the workspace.\"},"
		 "\"glob\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":4096,\"description\":"
		 "\"Only "
		 "files that match: *.ts, src/**/*.{c,h}; with ! in front, all others.\"},"
		 "\"type\":{\"type\":\"string\",\"description\":\"Only files of this kind: c, cpp, "
		 "py, "
		 "js, ts, rust, go, java, md, json, yaml, sh ...\"},"
		 "\"ignore_case\":{\"type\":\"boolean\",\"description\":\"Default false.\"},"
		 "\"fixed\":{\"type\":\"boolean\",\"description\":\"The pattern is text, not a "
		 "regular "
		 "expression. Default false.\"},"
		 "\"multiline\":{\"type\":\"boolean\",\"description\":\"Search across lines. "
		 "Default "
		 "false.\"},"
		 "\"output_mode\":{\"type\":\"string\",\"enum\":[\"content\",\"files\",\"count\"],"
		 "\"description\":\"Default content.\"},"
		 "\"before\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100,\"description\":"
		 "\"Lines "
		 "to show before each match.\"},"
		 "\"after\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100,\"description\":"
		 "\"Lines "
		 "to show after each match.\"},"
		 "\"context\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100,\"description\":"
		 "\"Both "
		 "of them.\"},"
		 "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5000,\"description\":"
		 "\"Most "
		 "lines (or files) to show. Default 200.\"},"
		 "\"all\":{\"type\":\"boolean\",\"description\":\"Also what .gitignore hides. "
		 "Default "
		 "false.\"}},"
		 "\"required\":[\"pattern\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"files\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"count\":{\"type\":\"integer\"},"
		  "\"matches\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"line\":{\"type\":\"integer\"},\"text\":{\"type\":\"string\"},"
		  "\"context\":{\"type\":\"boolean\"}},\"required\":[\"line\",\"text\"]}}},"
		  "\"required\":[\"path\"]}},"
		  "\"matches\":{\"type\":\"integer\",\"description\":\"Lines that match, of those "
		  "that "
		  "are told; files, where these are told.\"},"
		  "\"searched\":{\"type\":\"integer\",\"description\":\"Files.\"},"
		  "\"truncated\":{\"type\":\"boolean\"},"
		  "\"skipped\":{\"type\":\"object\",\"properties\":{"
		  "\"binary\":{\"type\":\"integer\"},\"guarded\":{\"type\":\"integer\"},"
		  "\"too_large\":{\"type\":\"integer\"},\"costly\":{\"type\":\"integer\"},"
		  "\"unreadable\":{\"type\":\"integer\"}}}},"
		  "\"required\":[\"files\",\"matches\",\"searched\",\"truncated\",\"skipped\"]}",
	.slow = true,
	.run = perform_grep,
};
