/* SPDX-License-Identifier: Apache-2.0 */
/* glob: files by name, the newest first: what was worked on last is what is looked
 * for most. Only names are read. */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/search/walk-glob.h"
#include "tools/search/walk-guard.h"
#include "tools/search/walk.h"

#define LIMIT 100

struct search {
	struct tool_run *run;
	const char *pattern; /* as it was given */
	struct walk_root root;
	struct walk_glob *glob;
	struct walk_guard guard;
	struct walk walk;
	_Atomic int64_t beat;
	atomic_size_t found;
};

struct found {
	const struct walk_dir *dir;
	const struct walk_name *name;
	size_t at; /* in the order of the walk */
};

static bool
is_wanted_path(void *data, const char *path, enum walk_kind kind)
{
	struct search *s = data;

	(void)kind;
	if (!walk_glob_match(s->glob, path) || walk_guard_knows(&s->guard, path))
		return false;
	atomic_fetch_add_explicit(&s->found, 1, memory_order_relaxed);
	return true;
}

static bool
may_enter_glob_dir(void *data, const char *path)
{
	struct search *s = data;

	return walk_glob_enter(s->glob, path) && !walk_guard_knows(&s->guard, path);
}

static bool
is_glob_cancelled(void *data)
{
	struct search *s = data;

	run_beat(s->run, &s->beat, atomic_load(&s->found), 0);
	return run_cancelled(s->run);
}

static int
newest_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->name->time != y->name->time)
		return x->name->time > y->name->time ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static struct found *
sort_found(const struct walk *walk)
{
	struct found *found = malloc((walk->n_names + 1) * sizeof(*found));
	size_t n = 0;

	for (size_t i = 0; found && i < walk->n_dirs; i++)
		for (size_t k = 0; k < walk->dirs[i]->n_names; k++, n++)
			found[n] = (struct found){ walk->dirs[i], &walk->dirs[i]->names[k], n };
	if (found)
		qsort(found, n, sizeof(*found), newest_first);
	return found;
}

/* Their paths, and which of them read would not open: both have n. */
static int
collect_found_paths(
	struct search *s, const struct found *found, size_t n, char ***ret_paths, bool **ret_hides)
{
	char **paths = calloc(n + 1, sizeof(*paths));
	bool *hides = calloc(n + 1, sizeof(*hides));
	int r = paths && hides ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++) {
		paths[i] = str_printf("%s%s%s", found[i].dir->path,
			found[i].dir->path[0] ? "/" : "", found[i].name->name);
		r = paths[i] ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = walk_guard_ask(&s->guard, paths, NULL, n, hides);
	*ret_paths = paths;
	*ret_hides = hides;
	return r;
}

static int
add_shown_path(struct search *s, json_t *files, const char *path)
{
	auto_free char *shown = walk_root_shown(&s->root, path);

	if (!shown || json_array_append_new(files, json_string(shown)) < 0)
		return -ENOMEM;
	run_say(s->run, shown, strlen(shown));
	buf_putc(&s->run->text, '\n');
	return 0;
}

/* Nothing matched: most often because '*' was taken for any depth. */
static void
say_none(struct search *s)
{
	buf_printf(&s->run->text, "No file in %s matches '%s'.", s->root.place.shown, s->pattern);
	if (!strchr(s->pattern, '/') && !strstr(s->pattern, "**"))
		buf_printf(&s->run->text,
			" '*' stays within one folder: **/%s looks at every depth.", s->pattern);
	if (!run_bool(s->run, "all", false))
		buf_puts(&s->run->text, " What .gitignore hides was left out (all: true).");
	buf_putc(&s->run->text, '\n');
}

static void
say_end(struct search *s, size_t left, bool full)
{
	struct buf *text = &s->run->text;

	if (left > 0)
		buf_printf(text, "[%zu more, older: %s the pattern]\n", left,
			full ? "narrow" : "raise limit or narrow");
	if (s->walk.cut)
		buf_printf(text, "[not everything was looked at: %s]\n", walk_why_cut(&s->walk));
	if (s->walk.unreadable)
		buf_printf(text, "[%zu folders could not be read]\n", s->walk.unreadable);
	if (atomic_load(&s->guard.n))
		buf_printf(text, "[%zu guarded paths (keys, credentials) are not shown]\n",
			atomic_load(&s->guard.n));
}

static int
report_glob_found(struct search *s, struct ambit_error *err)
{
	auto_free struct found *found = sort_found(&s->walk);
	size_t limit = (size_t)run_int(s->run, "limit", LIMIT), total = s->walk.n_names, n = 0;
	auto_free bool *hides = NULL;
	json_t *files = json_array();
	char **paths = NULL;
	bool full = false;
	int r = -ENOMEM;

	limit = limit < total ? limit : total;
	if (found && files)
		r = collect_found_paths(s, found, limit, &paths, &hides);
	for (; r == 0 && n < limit && !full; n++) {
		full = s->run->text.len >= RESULT_MAX - 8192;
		if (!hides[n] && !full)
			r = add_shown_path(s, files, paths[n]);
	}
	n -= full;
	if (r == 0 && json_array_size(files) == 0)
		say_none(s);
	say_end(s, total - n, full);
	strv_free(paths);
	s->run->structured = json_pack("{s:o?, s:I, s:b}", "files", files, "total",
		(json_int_t)total, "truncated", total > n || s->walk.cut);
	return r < 0 || !s->run->structured || s->run->text.failed ? err_nomem(err) : 0;
}

/* The pattern has no wildcard: there is such a file, or not. */
static int
report_single_file(struct search *s, struct ambit_error *err)
{
	json_t *files = json_array();
	int r = files ? add_shown_path(s, files, "") : -ENOMEM;

	s->run->structured =
		json_pack("{s:o?, s:i, s:b}", "files", files, "total", 1, "truncated", 0);
	return r < 0 || !s->run->structured ? err_nomem(err) : 0;
}

static int
search_folder(struct search *s, bool all, struct ambit_error *err)
{
	bool dirs = walk_glob_dirs(s->glob);
	struct walk_options options = {
		.root = s->root.fd,
		.real = s->root.place.real,
		.all = all,
		.times = true,
		.kinds = dirs ? 1u << WALK_DIR : 1u << WALK_FILE | 1u << WALK_LINK,
		.want = is_wanted_path,
		.enter = may_enter_glob_dir,
		.stop = is_glob_cancelled,
		.data = s,
	};
	int r = walk_tree(&options, &s->walk, err);

	if (r == 0 && s->walk.stopped)
		r = err_set(err, ECANCELED, "the search was cancelled");
	return r == 0 ? report_glob_found(s, err) : r;
}

static int
perform_glob(struct tool_run *run, struct ambit_error *err)
{
	struct search s = { .run = run, .pattern = run_string(run, "pattern"), .root.fd = -1 };
	size_t fixed = walk_glob_fixed(s.pattern);
	int r = walk_root_open(
		run, run_string(run, "path"), s.pattern, fixed, AMBIT_ACCESS_READ, &s.root, err);

	if (r < 0)
		return r;
	if (!s.pattern[fixed] && fixed > 0) {
		r = report_single_file(&s, err);
	} else if (!s.root.dir) {
		r = run_fail(run, err, ENOTDIR, "Give the folder to look in as path.",
			"%s is a file, and a pattern is looked for in folders", s.root.place.shown);
	} else {
		r = walk_glob_parse(s.pattern + fixed, false, &s.glob, err);
		if (r == 0)
			r = walk_guard_init(&s.guard, run, &s.root, AMBIT_ACCESS_READ, err);
		if (r == 0)
			r = search_folder(&s, run_bool(run, "all", false), err);
	}
	walk_finish(&s.walk);
	walk_glob_destroy(s.glob);
	walk_guard_finish(&s.guard);
	walk_root_finish(&s.root);
	return r;
}

const struct own_tool tool_glob = {
	.name = "glob",
	.title = "Find files by name",
	.text = "Finds files whose path matches a pattern, newest first. '*' and '?' stay within "
		"one "
		"folder, '**' is any depth, '[a-z]' and '{a,b}' work: **/*.c, "
		"src/**/test_*.{py,pyi}. A "
		"pattern that ends in / finds folders. Hidden files are found; .git, and what "
		".gitignore hides, is left out unless all is true. Symlinks are named, never "
		"followed. At most limit paths are shown; the answer says how many more there are.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"pattern\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":4096,"
		 "\"description\":"
		 "\"The pattern, relative to path.\"},"
		 "\"path\":{\"type\":\"string\",\"description\":\"The folder to look in. Default: "
		 "the "
		 "workspace.\"},"
		 "\"all\":{\"type\":\"boolean\",\"description\":\"Also what .gitignore hides. "
		 "Default "
		 "false.\"},"
		 "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5000,\"description\":"
		 "\"Most "
		 "paths to show. Default 100.\"}},"
		 "\"required\":[\"pattern\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":"
		  "\"Paths, "
		  "newest first.\"},"
		  "\"total\":{\"type\":\"integer\",\"description\":\"How many match.\"},"
		  "\"truncated\":{\"type\":\"boolean\",\"description\":\"Not all of them are "
		  "shown, or "
		  "not everything was looked at.\"}},"
		  "\"required\":[\"files\",\"total\",\"truncated\"]}",
	.slow = true,
	.run = perform_glob,
};
