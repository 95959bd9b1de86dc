/* SPDX-License-Identifier: Apache-2.0 */
/* ls: the names in a directory, with what they are. Names come from the disk and may
 * be any bytes: what cannot be shown is escaped. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-file.h"

#define SHOWN_MAX 1000
#define NAMES_MAX 200000
#define TEXT_MAX (RESULT_MAX - 1000) /* less what is said at its end */

struct listing {
	char **names;
	size_t n, room;
	size_t hidden;
	size_t shown;
	bool cut; /* not even all names were read */
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
add_name(struct listing *l, const char *name)
{
	if (l->n == l->room) {
		size_t room = l->room ? l->room * 2 : 64;
		char **more = realloc(l->names, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->names = more;
		l->room = room;
	}
	l->names[l->n] = strdup(name);
	return l->names[l->n] ? (l->n++, 0) : -ENOMEM;
}

static void
listing_finish(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
}

static int
read_names(struct tool_run *run, DIR *dir, bool all, struct listing *l)
{
	struct dirent *entry;
	int r = 0;

	while (r == 0 && (errno = 0, entry = readdir(dir))) {
		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		if (l->n == NAMES_MAX) {
			l->cut = true;
			break;
		}
		if (entry->d_name[0] == '.' && !all)
			l->hidden++;
		else
			r = add_name(l, entry->d_name);
		if (l->n % 1024 == 0 && run_cancelled(run))
			r = -ECANCELED;
	}
	if (r == 0 && errno != 0 && !l->cut)
		r = -errno;
	if (r == 0 && l->n > 0)
		qsort(l->names, l->n, sizeof(*l->names), by_name);
	return r;
}

static const char *
kind_of(mode_t mode)
{
	return S_ISDIR(mode)	? "directory"
	       : S_ISREG(mode)	? "file"
	       : S_ISLNK(mode)	? "symlink"
	       : S_ISFIFO(mode) ? "fifo"
	       : S_ISSOCK(mode) ? "socket"
				: "device";
}

static char *
link_target(int dir, const char *name)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	return n < 0 ? NULL : str_escape(target, (size_t)n);
}

/* As it is, unless it would show as something else. */
static char *
show_name(const char *name)
{
	unsigned point;
	size_t len = strlen(name), n;

	for (size_t i = 0; i < len; i += n) {
		n = str_utf8(name + i, len - i, &point);
		if (n == 0 || point < 0x20 || point == 0x7f || str_hidden(point))
			return str_escape(name, len);
	}
	return strdup(name);
}

static void
put_entry(json_t *entries, struct buf *text, int dir, const char *name, const char *as)
{
	auto_free char *shown = show_name(as), *target = NULL;
	json_t *entry = json_object();
	struct stat st;

	if (!shown || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		json_decref(entry); /* gone by now */
		return;
	}
	json_set_text(entry, "name", shown);
	json_object_set_new(entry, "kind", json_string(kind_of(st.st_mode)));
	buf_puts(text, shown);
	if (S_ISDIR(st.st_mode)) {
		buf_putc(text, '/');
	} else if (S_ISREG(st.st_mode)) {
		buf_printf(text, "\t%lld", (long long)st.st_size);
		json_object_set_new(entry, "size", json_integer((json_int_t)st.st_size));
	} else if (S_ISLNK(st.st_mode)) {
		target = link_target(dir, name);
		buf_printf(text, " -> %s", target ? target : "?");
		json_set_text(entry, "target", target ? target : "?");
	} else {
		buf_printf(text, "\t(%s)", kind_of(st.st_mode));
	}
	buf_putc(text, '\n');
	json_array_append_new(entries, entry);
}

static void
put_notes(struct buf *text, const struct ambit_place *place, const struct listing *l)
{
	if (l->n == 0 && l->hidden == 0)
		buf_printf(text, "%s is empty.\n", place->shown);
	if (l->n > l->shown)
		buf_printf(text,
			"[%zu of %s%zu names are shown; use glob with a pattern to see others]\n",
			l->shown, l->cut ? "more than " : "", l->n);
	if (l->hidden > 0)
		buf_printf(text,
			"[%zu names that begin with a dot are not shown; pass all: true]\n",
			l->hidden);
}

static void
report_listing(struct tool_run *run, const struct ambit_place *place, const struct listing *l,
	json_t *entries, struct buf *text)
{
	put_notes(text, place, l);
	run_say(run, text->data ? text->data : "", text->len);
	run_cap(run, RESULT_MAX, "use glob with a pattern to see others");
	run->structured = json_object();
	json_set_text(run->structured, "path", place->shown);
	json_object_set(run->structured, "entries", entries);
	json_object_set_new(run->structured, "total", json_integer((json_int_t)l->n));
	json_object_set_new(run->structured, "hidden", json_integer((json_int_t)l->hidden));
	json_object_set_new(run->structured, "truncated", json_boolean(l->n > l->shown || l->cut));
}

/* As many as fit, each whole: a name that is cut is another one's. */
static void
put_entries(json_t *entries, struct buf *text, int dir, struct listing *l)
{
	for (; l->shown < l->n && l->shown < SHOWN_MAX; l->shown++) {
		size_t had = text->len, n = json_array_size(entries);
		const char *name = l->names[l->shown];

		put_entry(entries, text, dir, name, name);
		if (text->len <= TEXT_MAX || had == 0)
			continue;
		text->len = had;
		text->data[had] = '\0';
		json_array_remove(entries, n);
		return;
	}
}

static int
list_folder(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	struct pass pass = run_pass(run);
	auto_json json_t *entries = json_array();
	auto_buf struct buf text = { 0 };
	struct listing l = { 0 };
	DIR *dir = NULL;
	int fd = -1, r = file_open(&pass, place, &fd, err);

	if (r < 0)
		return r;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return err_sys(err, -r, "%s", place->shown);
	}
	r = read_names(run, dir, run_bool(run, "all", false), &l);
	if (r == 0) {
		put_entries(entries, &text, dirfd(dir), &l);
		report_listing(run, place, &l, entries, &text);
	} else {
		err_sys(err, -r, "%s", place->shown);
	}
	listing_finish(&l);
	closedir(dir);
	return r;
}

/* Of what is no directory, itself. */
static int
list_single_file(struct tool_run *run, const struct ambit_place *place)
{
	auto_json json_t *entries = json_array();
	auto_buf struct buf text = { 0 };
	struct listing one = { .n = 1, .shown = 1 };

	put_entry(entries, &text, place->parent, place->name, place->name);
	report_listing(run, place, &one, entries, &text);
	return 0;
}

static int
perform_ls(struct tool_run *run, struct ambit_error *err)
{
	struct ambit_place place = { .parent = -1 };
	int r = run_place(run, "path", AMBIT_ACCESS_READ, true, false, &place, err);

	if (r == 0 && !place.exists)
		r = edit_missing(run, &place, err);
	else if (r == 0)
		r = S_ISDIR(place.mode) ? list_folder(run, &place, err)
					: list_single_file(run, &place);
	ambit_place_finish(&place);
	return edit_failed(run, r);
}

const struct own_tool tool_ls = {
	.name = "ls",
	.title = "List a directory",
	.text = "Lists the names in a directory, sorted: directories with a slash, files with "
		"their size in bytes, symlinks with what they lead to. Names that begin with a dot "
		"only with all. At most 1000 names; for more, or for files further down, use glob.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"path\":{\"type\":\"string\",\"description\":\"The directory, absolute or "
		 "relative to the workspace. Default: the workspace.\"},"
		 "\"all\":{\"type\":\"boolean\",\"description\":\"Names that begin with a dot too. "
		 "Default false.\"}},\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{"
		  "\"path\":{\"type\":\"string\"},"
		  "\"entries\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"name\":{\"type\":\"string\"},"
		  "\"kind\":{\"type\":\"string\",\"enum\":[\"directory\",\"file\",\"symlink\","
		  "\"fifo\","
		  "\"socket\",\"device\"]},"
		  "\"size\":{\"type\":\"integer\"},"
		  "\"target\":{\"type\":\"string\"}},"
		  "\"required\":[\"name\",\"kind\"]}},"
		  "\"total\":{\"type\":\"integer\"},"
		  "\"hidden\":{\"type\":\"integer\",\"description\":\"Names left out because they "
		  "begin with a dot.\"},"
		  "\"truncated\":{\"type\":\"boolean\"}},"
		  "\"required\":[\"path\",\"entries\",\"total\",\"hidden\",\"truncated\"]}",
	.run = perform_ls,
};
