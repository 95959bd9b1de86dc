/* SPDX-License-Identifier: Apache-2.0 */
/* A patch becomes the list of files that it touches, or files and hunks to apply.
 * The text comes from a model, and may be applied by a program that is not ours:
 * where programs read a patch differently, every reading's files are listed, and
 * where a file could hide between two readings the patch is refused. begin.c reads
 * the "*** Begin Patch" dialect, unified.c the other; both under either policy. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "patch/patch-reader.h"

#define HEAD_SHOWN 40 /* bytes of an "@@" line: the counts, not what stands behind them */

/* "<<'EOF'", also behind "apply_patch" or "cat": the word is what ends it. */
static bool
is_heredoc(struct span line, struct span *ret_word)
{
	static const char *const heads[] = { "apply_patch", "applypatch", "cat" };
	struct span s = span_trim(line);
	size_t n = 0;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (!span_starts(s, heads[i]))
			continue;
		s.text += strlen(heads[i]);
		s.len -= strlen(heads[i]);
		s = span_trim(s);
		break;
	}
	if (!span_starts(s, "<<"))
		return false;
	s.text += 2;
	s.len -= 2;
	if (s.len > 2 && (s.text[0] == '\'' || s.text[0] == '"') &&
		s.text[s.len - 1] == s.text[0]) {
		s.text++;
		s.len -= 2;
	}
	while (n < s.len && (ascii_is_upper(s.text[n]) || s.text[n] == '_'))
		n++;
	if (n == 0 || n != s.len)
		return false;
	*ret_word = s;
	return true;
}

/* Where a hunk ends in any case. What looks like another file's name is one: a hunk
 * that is too short is the common mistake. */
static bool
ends_hunk(struct span line)
{
	return (line.len > 0 && !strchr(" +-\\", line.text[0])) || span_starts(line, "--- ");
}

/* What the "@@" above this line says of its hunk, and how many lines that has. NULL:
 * there is no hunk, or no memory. */
static char *
tell_hunk_counts(const char *text, size_t len, size_t number)
{
	struct span line, head = { 0 };
	size_t at = 0, n = 0, old = 0, new = 0;

	while (span_next(text, len, &at, &line)) {
		n++;
		if (span_starts(line, "@@ -") && n < number) {
			head = line;
			old = new = 0;
		} else if (head.text && ends_hunk(line)) {
			if (n >= number)
				break;
			head.text = NULL;
		} else if (head.text && (line.len == 0 || line.text[0] != '\\')) {
			old += line.len == 0 || line.text[0] != '+';
			new += line.len == 0 || line.text[0] != '-';
		}
	}
	head.len = head.len < HEAD_SHOWN ? head.len : HEAD_SHOWN;
	return head.text ? str_printf("'%.*s', and there are %zu old and %zu new lines",
				   (int)head.len, head.text, old, new)
			 : NULL;
}

static int
read_dialect(struct patch_reader *reader)
{
	struct span word = { 0 };
	struct patch_text line;

	while (patch_next(reader, &line)) {
		if (span_trim(line.plain).len == 0 ||
			(word.len == 0 && is_heredoc(line.plain, &word)))
			continue;
		if (span_is(span_trim(line.plain), "*** Begin Patch"))
			return begin_read(reader, word);
		return word.len > 0 ? patch_bad(reader, "a here-document that holds something else")
				    : unified_read(reader);
	}
	return patch_bad(reader, "nothing in it");
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

static int
read_patch(struct patch_reader *reader, struct ambit_error *err)
{
	struct ambit_error why = { 0 };
	auto_free char *counts = NULL;
	int r;

	reader->err = &why;
	reader->set.crlf = all_returns(reader->text, reader->len);
	r = read_dialect(reader);
	if (r != -EINVAL || !why.code) /* each has its own words */
		return r == -ENOMEM ? err_nomem(err) : r;
	if (reader->miscounted)
		counts = tell_hunk_counts(reader->text, reader->len, reader->line);
	return err_set(
		err, EINVAL, "%s%s%s", why.text, counts ? ": it says " : "", counts ? counts : "");
}

int
patch_paths(const char *text, size_t len,
	int (*each)(void *data, const char *path, size_t len, enum ambit_access access), void *data,
	struct ambit_error *err)
{
	struct patch_reader reader = {
		.policy = PATCH_EVERY_READER,
		.text = text,
		.len = len,
		.each = each,
		.data = data,
	};

	return read_patch(&reader, err);
}

int
patch_parse(const char *text, size_t len, struct patch_set *ret_set, struct ambit_error *err)
{
	struct patch_reader reader = { .policy = PATCH_STRICT, .text = text, .len = len };
	int r = read_patch(&reader, err);

	if (r == 0 && reader.set.n_files == 0)
		r = err_set(err, EINVAL, "line 1: no file in it");
	if (r < 0) {
		patch_finish(&reader.set);
		return r;
	}
	*ret_set = reader.set;
	return 0;
}
