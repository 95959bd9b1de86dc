/* SPDX-License-Identifier: Apache-2.0 */
/* A patch becomes a list of files and hunks. Its text comes from a model, and what
 * was decided about it are the names that lib/patch/patch.c found in it. That parser
 * goes over it first: whatever it refuses is refused here, and what is read below
 * is one of the readings that it lists. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "patch/patch.h"
#include "tools/patch/patch-set.h"

bool
patch_next(struct patch_reader *reader, struct span *ret_line)
{
	const char *text = reader->text + reader->at, *end;

	if (reader->at >= reader->len)
		return false;
	end = memchr(text, '\n', reader->len - reader->at);
	ret_line->text = text;
	ret_line->len = end ? (size_t)(end - text) : reader->len - reader->at;
	reader->at += ret_line->len + 1;
	reader->line++;
	if (reader->set->crlf && ret_line->len > 0 && text[ret_line->len - 1] == '\r')
		ret_line->len--;
	return true;
}

int
patch_wrong(struct patch_reader *reader, size_t line, const char *fmt, ...)
{
	char words[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	return err_set(reader->err, EINVAL, "line %zu of the patch: %s", line, words);
}

/* Room for one more at the end of a list that grows by doubling. */
static void *
grow_patch_list(void *list, size_t n, size_t size)
{
	if (n > 0 && (n & (n - 1)) != 0)
		return list;
	return reallocarray(list, n ? n * 2 : 1, size);
}

struct patch_file *
patch_add_file(struct patch_reader *reader, enum patch_change change)
{
	struct patch_set *set = reader->set;
	struct patch_file *files = grow_patch_list(set->files, set->n_files, sizeof(*files));

	if (!files)
		return NULL;
	set->files = files;
	files[set->n_files] = (struct patch_file){
		.change = change,
		.at = reader->line,
		.run = -1,
	};
	return &files[set->n_files++];
}

struct patch_hunk *
patch_add_hunk(struct patch_reader *reader, struct patch_file *file)
{
	struct patch_hunk *hunks = grow_patch_list(file->hunks, file->n_hunks, sizeof(*hunks));

	if (!hunks)
		return NULL;
	file->hunks = hunks;
	hunks[file->n_hunks] = (struct patch_hunk){
		.number = file->n_hunks + 1,
		.at = reader->line,
	};
	return &hunks[file->n_hunks++];
}

int
patch_add_line(struct patch_reader *reader, struct patch_hunk *hunk, char sign, struct span text)
{
	struct patch_line *lines = grow_patch_list(hunk->lines, hunk->n_lines, sizeof(*lines));

	if (!lines)
		return err_nomem(reader->err);
	hunk->lines = lines;
	lines[hunk->n_lines++] = (struct patch_line){ .sign = sign, .text = text };
	hunk->n_old += sign != '+';
	return 0;
}

int
patch_add_anchor(struct patch_reader *reader, struct patch_hunk *hunk, struct span text)
{
	struct span *anchors = grow_patch_list(hunk->anchors, hunk->n_anchors, sizeof(*anchors));

	if (!anchors)
		return err_nomem(reader->err);
	hunk->anchors = anchors;
	anchors[hunk->n_anchors++] = text;
	return 0;
}

int
patch_copy_name(struct patch_reader *reader, struct span name, char **ret_name)
{
	char *copy;

	if (name.len == 0 || memchr(name.text, '\0', name.len))
		return patch_wrong(reader, reader->line, "a name that cannot be read");
	copy = strndup(name.text, name.len);
	if (!copy)
		return err_nomem(reader->err);
	free(*ret_name);
	*ret_name = copy;
	return 0;
}

static bool
read_number(struct span *s, size_t *ret)
{
	size_t n = 0, i = 0;

	for (; i < s->len && ascii_is_digit(s->text[i]); i++) {
		if (n > 100000000)
			return false;
		n = n * 10 + (size_t)(s->text[i] - '0');
	}
	s->text += i;
	s->len -= i;
	*ret = n;
	return i > 0;
}

static bool
read_side(struct span *s, char sign, size_t *ret_start, size_t *ret_count)
{
	*ret_count = 1;
	if (s->len == 0 || s->text[0] != sign)
		return false;
	s->text++;
	s->len--;
	if (!read_number(s, ret_start))
		return false;
	if (s->len == 0 || s->text[0] != ',')
		return true;
	s->text++;
	s->len--;
	return read_number(s, ret_count);
}

bool
patch_read_range(struct span text, struct patch_range *ret_range)
{
	if (!read_side(&text, '-', &ret_range->old_start, &ret_range->old_count))
		return false;
	if (text.len == 0 || text.text[0] != ' ')
		return false;
	text.text++;
	text.len--;
	return read_side(&text, '+', &ret_range->new_start, &ret_range->new_count) &&
	       span_starts(text, " @@");
}

void
patch_finish(struct patch_set *set)
{
	for (size_t i = 0; i < set->n_files; i++) {
		struct patch_file *file = &set->files[i];

		for (size_t h = 0; h < file->n_hunks; h++) {
			free(file->hunks[h].anchors);
			free(file->hunks[h].lines);
		}
		free(file->hunks);
		free(file->path);
		free(file->to);
		free(file->other);
	}
	free(set->files);
	*set = (struct patch_set){ 0 };
}

/* -- which dialect ------------------------------------------------------------------- */

static int
ignore_path(void *data, const char *path, size_t len, enum ambit_access access)
{
	(void)data;
	(void)path;
	(void)len;
	(void)access;
	return 0;
}

static bool
all_returns(const char *text, size_t len)
{
	const char *end;

	for (; (end = memchr(text, '\n', len)); text = end + 1) {
		if (end == text || end[-1] != '\r')
			return false;
		len -= (size_t)(end - text) + 1;
	}
	return true;
}

/* What stands in front of the first line of a patch is nothing, or the shell's. */
static bool
is_begin(struct patch_reader *reader)
{
	struct patch_reader look = *reader;
	struct span line;

	while (patch_next(&look, &line)) {
		struct span words = span_trim(line);

		if (span_is(words, "*** Begin Patch")) {
			*reader = look;
			return true;
		}
		if (words.len > 0 && !memmem(words.text, words.len, "<<", 2))
			return false;
	}
	return false;
}

int
patch_parse(const char *text, size_t len, struct patch_set *ret_set, struct ambit_error *err)
{
	struct patch_set set = { .crlf = all_returns(text, len) };
	struct patch_reader reader = { .set = &set, .text = text, .len = len, .err = err };
	const char *why = NULL;
	size_t line = 0;
	int r = patch_paths(text, len, ignore_path, NULL, &why, &line);

	if (r == -EINVAL)
		return patch_wrong(&reader, line, "%s", why);
	if (r < 0)
		return err_sys(err, -r, "the patch cannot be read");
	r = is_begin(&reader) ? patch_read_begin(&reader) : patch_read_unified(&reader);
	if (r == 0 && set.n_files == 0)
		r = patch_wrong(&reader, 1, "no file in it");
	if (r < 0) {
		patch_finish(&set);
		return r;
	}
	*ret_set = set;
	return 0;
}
