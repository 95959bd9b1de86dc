/* SPDX-License-Identifier: Apache-2.0 */
/* From the SCOPE.md files on the way to a folder to a text for an agent's briefing.
 * Whoever wrote the repository wrote them, perhaps an agent before this one: so they are
 * opened without links, one component after the other, read without waiting and to a
 * limit, and marked as what they are. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <ambit/label.h>

#include "agents/scopefile.h"
#include "agents/summary.h"
#include "base/buf.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

#define READ_MAX (64u << 10) /* with its front matter */
#define FILES_MAX 64	     /* of more on one way, the nearest */

/* One file on the way. */
struct file {
	char *name; /* relative to display_root */
	char *body; /* or NULL: left out, why says for what reason */
	size_t len;
	bool cut;
	char why[64];
};

struct files {
	struct file all[FILES_MAX];
	size_t n; /* how many came; the newest FILES_MAX of them are there */
};

static struct file *
get_ring_file(struct files *files, size_t i)
{
	return &files->all[i % FILES_MAX];
}

static void
file_finish(struct file *file)
{
	free(file->name);
	free(file->body);
	*file = (struct file){ 0 };
}

static void
files_finish(struct files *files)
{
	for (size_t i = 0; i < FILES_MAX; i++)
		file_finish(&files->all[i]);
}

#define auto_files __attribute__((cleanup(files_finish)))

/* -- one file --------------------------------------------------------------------------- */

static ssize_t
read_some(int fd, char *text, size_t max)
{
	size_t len = 0;

	while (len < max) {
		ssize_t n = read(fd, text + len, max - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

/* The length of the line with its end, and whether it is this word. */
static size_t
line_is(const char *text, size_t len, const char *word, bool *ret_is)
{
	const char *end = memchr(text, '\n', len);
	size_t n = end ? (size_t)(end - text) : len, bare = n;

	while (bare > 0 && (text[bare - 1] == '\r' || text[bare - 1] == ' '))
		bare--;
	*ret_is = bare == strlen(word) && memcmp(text, word, bare) == 0;
	return end ? n + 1 : n;
}

/* Where the body begins. Front matter that does not end is none. */
static size_t
body_begin(const char *text, size_t len)
{
	bool is;
	size_t bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	size_t at = bom + line_is(text + bom, len - bom, "---", &is);

	if (!is)
		return bom;
	while (at < len) {
		bool dots;

		line_is(text + at, len - at, "...", &dots);
		at += line_is(text + at, len - at, "---", &is);
		if (is || dots)
			return at;
	}
	return bom;
}

static int
take_body(struct file *file, const char *text, size_t len, bool more)
{
	size_t from = body_begin(text, len), n = str_cut(text + from, len - from, SCOPEFILE_EACH);
	auto_buf struct buf clean = { 0 };

	/* A character that only the end of the reading cut is not held against it. */
	if (more && n == len - from)
		for (int i = 0; i < 3 && n > 0 && !str_is_utf8(text + from, n); i++)
			n--;
	if (!str_is_utf8(text + from, n)) {
		snprintf(file->why, sizeof(file->why), "it is not UTF-8");
		return 0;
	}
	file->cut = more || n < len - from;
	summary_clean(&clean, text + from, n);
	file->len = clean.len;
	file->body = buf_take(&clean);
	return file->body ? 0 : -ENOMEM;
}

/* 1: there is one (perhaps only with a reason why it is left out); 0: none. */
static int
read_file(int dir, struct file *file)
{
	auto_close int fd =
		openat(dir, SCOPEFILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno != ELOOP && errno != ENXIO) {
		snprintf(file->why, sizeof(file->why), "it cannot be read");
		return 1;
	}
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		snprintf(file->why, sizeof(file->why), "it is not a regular file");
		return 1;
	}
	text = malloc(READ_MAX + 1);
	if (!text)
		return -ENOMEM;
	n = read_some(fd, text, READ_MAX + 1);
	if (n < 0) {
		snprintf(file->why, sizeof(file->why), "it cannot be read");
		return 1;
	}
	bool more = n > (ssize_t)READ_MAX;

	return take_body(file, text, more ? READ_MAX : (size_t)n, more) < 0 ? -ENOMEM : 1;
}

/* -- the way ------------------------------------------------------------------------------ */

/* relative: of the directory, "" for display_root. */
static int
collect_scopefile(struct files *files, int dir, const char *relative, size_t len)
{
	struct file file = { 0 };
	int r = read_file(dir, &file);

	if (r == 1) {
		file.name = str_printf("%.*s%s" SCOPEFILE, (int)len, relative, len > 0 ? "/" : "");
		if (!file.name)
			r = -ENOMEM;
	}
	if (r <= 0) {
		file_finish(&file);
		return r;
	}
	file_finish(get_ring_file(files, files->n));
	*get_ring_file(files, files->n++) = file;
	return 0;
}

static int
open_component(int dir, const char *name, size_t len)
{
	auto_free char *component = strndup(name, len);
	int fd = component ? openat(dir, component, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			   : -1;

	return component ? (fd < 0 ? -errno : fd) : -ENOMEM;
}

static int
collect_scopefiles(struct files *files, const char *root, const char *relative)
{
	auto_close int dir = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t at = 0;
	int r = dir < 0 ? -errno : collect_scopefile(files, dir, relative, 0);

	while (r == 0 && relative[at]) {
		size_t len = strcspn(relative + at, "/");
		int below = open_component(dir, relative + at, len);

		if (below < 0)
			return below;
		close(dir);
		dir = below;
		at += len;
		r = collect_scopefile(files, dir, relative, at);
		at += relative[at] == '/';
	}
	return r;
}

/* -- the text ----------------------------------------------------------------------------- */

/* The nearest matter most: from there on, while there is room. */
static void
share_room(struct files *files)
{
	size_t room = SCOPEFILE_ALL, kept = files->n < FILES_MAX ? files->n : FILES_MAX;

	for (size_t i = 0; i < kept; i++) {
		struct file *file = get_ring_file(files, files->n - 1 - i);
		size_t n = str_cut(file->body ? file->body : "", file->len, room);

		file->cut |= n < file->len;
		file->len = n;
		room -= n;
	}
}

static int
append_file_text(struct buf *out, const struct file *file)
{
	auto_free char *shown = str_escape(file->name, strlen(file->name)), *marked = NULL;
	auto_free char *source = str_printf("%s, a file of the repository", file->name);

	if (!shown || !source)
		return -ENOMEM;
	if (!file->body || file->len == 0) {
		if (file->why[0] || file->cut)
			buf_printf(out, "[%s is left out: %s]\n", shown,
				file->why[0] ? file->why : "the nearer ones are long");
		return 0;
	}
	marked = ambit_label_untrusted(source, file->body, file->len);
	if (!marked)
		return -ENOMEM;
	buf_printf(out, "%s\n", marked);
	if (file->cut)
		buf_printf(out, "[%s is longer: the rest is left out]\n", shown);
	return 0;
}

char *
scopefile_text(const char *display_root, const char *folder, struct ambit_error *err)
{
	auto_files struct files files = { 0 };
	struct buf out = { 0 };
	size_t len = strlen(display_root);
	int r;

	if (!str_beneath(folder, display_root)) {
		err_set(err, EINVAL, "%.200s is not beneath %.200s", folder, display_root);
		return NULL;
	}
	folder += len;
	r = collect_scopefiles(&files, display_root, folder + (folder[0] == '/'));
	if (r < 0) {
		err_sys(err, -r, "looking for " SCOPEFILE " beneath %.200s", display_root);
		return NULL;
	}
	share_room(&files);
	for (size_t i = files.n > FILES_MAX ? files.n - FILES_MAX : 0; r == 0 && i < files.n; i++)
		r = append_file_text(&out, get_ring_file(&files, i));
	char *text = buf_take(&out);

	if (r < 0 || !text) {
		free(text);
		err_nomem(err);
		return NULL;
	}
	return text;
}
