/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of the file tools, into what a model can make of them; and the write at
 * the end of each. What the kernel says is passed on in words, and with each goes
 * what to do instead. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "tools/edit/edit-file.h"

#define NAMES_MAX 20000
#define NAMES_SHOWN 3

struct trouble {
	int code;
	bool asked; /* the model can ask for something else */
	const char *hint;
};

static const struct trouble troubles[] = {
	{ ENOENT, true, "Look with ls or glob for what is there." },
	{ ENOTDIR, true, "A part of the path is a file: look with ls for what is there." },
	{ EISDIR, true, "It is a directory: name a file in it, or look at it with ls." },
	{ EEXIST, true, "Choose another name, or pass overwrite: true to replace a file." },
	{ ENOTEMPTY, true, "Pass recursive: true to delete it with all that is in it." },
	{ EINVAL, true, "Name a plain file." },
	{ EFBIG, true, "It is too large for this tool: work on a part of it with bash." },
	{ ELOOP, true, "Name the file itself, not a link." },
	{ ENAMETOOLONG, true, "Choose a shorter path." },
	{ EXDEV, true, "Leave that out, or copy what is needed one by one." },
	{ ESTALE, true, "Something else changed it just now: read it again, then try again." },
	{ EBUSY, true, "It is in use (a mount point?): choose another path." },
	{ EACCES, false,
		"The permissions of the file system refuse this, not the line. Choose another "
		"path, or ask the person to change them." },
	{ EPERM, false,
		"The file system refuses this, not the line. Choose another path, or ask the "
		"person." },
	{ EROFS, false, "The file system is read-only: choose another path." },
	{ ENOSPC, false,
		"The disk is full. What was there before is unchanged: make room, or ask the "
		"person to." },
	{ EDQUOT, false,
		"The quota is used up. What was there before is unchanged: make room, or ask the "
		"person to." },
};

int
edit_failed(struct tool_run *run, int r)
{
	for (size_t i = 0; r < 0 && i < sizeof(troubles) / sizeof(troubles[0]); i++) {
		if (troubles[i].code != -r)
			continue;
		if (troubles[i].asked && run->code == AMBIT_CODE_INTERNAL)
			run->code = AMBIT_CODE_BAD_ARGUMENTS;
		if (!run->hint)
			run->hint = strdup(troubles[i].hint);
	}
	return r;
}

void
edit_set_hint(struct tool_run *run, struct buf *hint)
{
	struct buf out = { 0 };
	unsigned point;

	for (size_t i = 0; i < hint->len;) {
		size_t n = str_utf8(hint->data + i, hint->len - i, &point);

		if (n > 0)
			buf_append(&out, hint->data + i, n);
		else
			buf_puts(&out, "\ufffd");
		i += n > 0 ? n : 1;
	}
	free(run->hint);
	run->hint = buf_take(&out);
	buf_finish(&out);
}

size_t
edit_count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (const char *at = text, *lf; len > 0 && (lf = memchr(at, '\n', len)); at = lf + 1, n++)
		len -= (size_t)(lf - at) + 1;
	return n + (len > 0);
}

static bool
is_cancelled(const void *data)
{
	return run_cancelled(data);
}

struct file_watch
edit_watch(const struct tool_run *run)
{
	return (struct file_watch){ .cancelled = is_cancelled, .data = run };
}

/* -- what may be meant ---------------------------------------------------------------- */

static const char *
get_listed_name(const void *data, size_t i)
{
	return ((char *const *)data)[i];
}

static char **
list_names(int parent)
{
	int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char **names = calloc(NAMES_MAX + 1, sizeof(*names));
	struct dirent *entry;

	if (fd >= 0 && !dir)
		close(fd);
	for (size_t n = 0; names && dir && n < NAMES_MAX && (entry = readdir(dir));)
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, "..") &&
			str_is_utf8(entry->d_name, strlen(entry->d_name)))
			if (!(names[n++] = strdup(entry->d_name)))
				break;
	if (dir)
		closedir(dir);
	return names;
}

/* Each is taken out of the list, so that the next best is found. */
static void
put_nearest(struct buf *hint, char **names, const char *name)
{
	for (int n = 0; n < NAMES_SHOWN; n++) {
		const char *near = str_nearest(name, get_listed_name, names);
		size_t i = 0, last = strv_len(names);

		if (!near)
			break;
		auto_free char *shown = str_escape(near, strlen(near));

		buf_printf(hint, "%s%s", n == 0 ? "In that directory there is " : ", ",
			shown ? shown : "?");
		while (names[i] != near)
			i++;
		free(names[i]);
		names[i] = names[last - 1];
		names[last - 1] = NULL;
	}
	if (hint->len > 0)
		buf_puts(hint, ". ");
}

int
edit_missing(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	auto_buf struct buf hint = { 0 };
	char **names = edit_may_list(run, place) ? list_names(place->parent) : NULL;

	if (names)
		put_nearest(&hint, names, place->name);
	strv_free(names);
	buf_puts(&hint, "Look with ls or glob for what is there.");
	run->code = AMBIT_CODE_BAD_ARGUMENTS;
	return run_fail(run, err, ENOENT, hint.data, "%s does not exist", place->shown);
}

/* -- the end of a write ------------------------------------------------------------------ */

int
edit_put(struct tool_run *run, const struct ambit_place *place, const struct stat *was,
	const char *data, size_t len, struct ambit_error *err)
{
	struct pass pass = run_pass(run);
	uint64_t turn = seen_turn(place->real);
	struct stat st;
	int r;

	seen_hold(run->seen, turn);
	r = file_put(&pass, place, was, data, len, 0666, err);
	if (r == 0 && fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		seen_note(run->seen, place->real, &st);
	else if (r == 0)
		seen_forget(run->seen, place->real);
	seen_release(run->seen, turn);
	return edit_failed(run, r);
}
