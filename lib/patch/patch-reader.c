/* SPDX-License-Identifier: Apache-2.0 */
/* A patch's lines, what is wrong with one, and the growing list of files and hunks
 * that the two dialects' readers make of it. The text comes from a model. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "patch/patch-reader.h"

#define DIGITS_MAX 9 /* of a line number: no sum of two leaves a size_t */

bool
patch_next(struct patch_reader *reader, struct patch_text *ret_line)
{
	const char *text = reader->text + reader->at;
	size_t from = reader->at;

	if (!span_next(reader->text, reader->len, &reader->at, &ret_line->plain))
		return false;
	ret_line->raw = ret_line->plain;
	if (!reader->set.crlf)
		ret_line->raw.len += from + ret_line->plain.len < reader->len &&
				     text[ret_line->plain.len] == '\r';
	reader->line++;
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
	return err_set(reader->err, EINVAL, "line %zu: %s", line, words);
}

int
patch_bad(struct patch_reader *reader, const char *why)
{
	return patch_wrong(reader, reader->line ? reader->line : 1, "%s", why);
}

int
patch_emit(struct patch_reader *reader, const char *path, size_t len, enum ambit_access access)
{
	return reader->each ? reader->each(reader->data, path, len, access) : 0;
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
	struct patch_set *set = &reader->set;
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
		if (i == DIGITS_MAX)
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
patch_file_finish(struct patch_file *file)
{
	for (size_t h = 0; h < file->n_hunks; h++) {
		free(file->hunks[h].anchors);
		free(file->hunks[h].lines);
	}
	free(file->hunks);
	free(file->path);
	free(file->to);
	free(file->other);
	*file = (struct patch_file){ 0 };
}

void
patch_finish(struct patch_set *set)
{
	for (size_t i = 0; i < set->n_files; i++)
		patch_file_finish(&set->files[i]);
	free(set->files);
	*set = (struct patch_set){ 0 };
}
