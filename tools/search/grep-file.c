/* SPDX-License-Identifier: Apache-2.0 */
/* One file, whatever its size, through a buffer of one size: whole lines are
 * searched, what is left of the last one moves to the front, with the lines before
 * it that a match could want to show. Read, not mapped: a file that shrinks under
 * a map kills the one who looks. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tools/search/grep.h"
#include "tools/registry/own-tool.h"

#define CONTEXT_KEEP 65536 /* bytes kept for the lines before */
#define MULTI_SHOWN 100	   /* lines of one match */

struct scan {
	struct grep_eye *eye;
	const struct grep_wants *wants;
	struct grep_found *found;
	int fd;
	size_t have;	/* bytes in the buffer */
	size_t at;	/* what lies before was searched */
	size_t printed; /* what lies before was told, or passed over */
	size_t after;	/* lines to be told yet */
	size_t counted; /* the line that begins here ... */
	size_t number;	/* ... has this number */
	off_t size;
	bool first, ended;
};

void
grep_found_finish(struct grep_found *found)
{
	buf_finish(&found->text);
	free(found->lines);
	found->lines = NULL;
}

/* -- what is told ----------------------------------------------------------------------- */

static size_t
count_newlines(const char *text, size_t len)
{
	size_t n = 0;

	/* In bytes first, so that the compiler can count sixteen and more at once. */
	while (len > 0) {
		size_t part = len < 255 ? len : 255;
		unsigned char some = 0;

		for (size_t i = 0; i < part; i++)
			some = (unsigned char)(some + (text[i] == '\n'));
		n += some;
		text += part;
		len -= part;
	}
	return n;
}

/* at: where a line begins, never before the one asked about last. */
static size_t
number_of(struct scan *s, size_t at)
{
	s->number += count_newlines(s->eye->buffer + s->counted, at - s->counted);
	s->counted = at;
	return s->number;
}

static int
grow_lines(struct grep_found *found)
{
	size_t size = found->size ? found->size * 2 : 8;
	struct grep_told *lines = realloc(found->lines, size * sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	found->lines = lines;
	found->size = size;
	return 0;
}

/* Whether there is more than a result can tell: each line is shown with a number, a
 * mark and its end at the least. What follows is counted, and not kept. */
static bool
is_full(const struct grep_found *found)
{
	return found->text.len + 3 * found->n_lines > RESULT_MAX;
}

/* The line [from, to), or of a long one what is around at. */
static int
add_found_line(struct scan *s, size_t number, size_t from, size_t to, size_t at, bool context)
{
	const char *text = s->eye->buffer;
	struct grep_found *found = s->found;
	size_t left = 0, len;

	if (is_full(found))
		return 0;
	if (found->n_lines == found->size && grow_lines(found) < 0)
		return -ENOMEM;
	if (to > from && text[to - 1] == '\r')
		to--;
	len = to - from;
	if (len > GREP_SHOWN_MAX) {
		size_t want = at - from > GREP_SHOWN_MAX / 4 ? at - from - GREP_SHOWN_MAX / 4 : 0;

		left = want > len - GREP_SHOWN_MAX ? len - GREP_SHOWN_MAX : want;
		/* Not from the middle of a character. */
		while (left > 0 && (text[from + left] & 0xc0) == 0x80)
			left--;
		len = str_cut(text + from + left, len - left, GREP_SHOWN_MAX);
	}
	found->lines[found->n_lines++] = (struct grep_told){
		.number = number,
		.at = (uint32_t)found->text.len,
		.len = (uint32_t)len,
		.left = (uint32_t)left,
		.right = (uint32_t)(to - from - left - len),
		.context = context,
	};
	buf_append(&found->text, text + from + left, len);
	return found->text.failed ? -ENOMEM : 0;
}

static size_t
end_of_line(const struct scan *s, size_t from, size_t end)
{
	const char *newline = memchr(s->eye->buffer + from, '\n', end - from);

	return newline ? (size_t)(newline - s->eye->buffer) : end;
}

/* Lines that follow what was told last, as far as before end. */
static int
tell_after(struct scan *s, size_t end)
{
	int r = 0;

	while (r == 0 && s->after > 0 && s->printed < end) {
		size_t to = end_of_line(s, s->printed, end);

		r = add_found_line(s, number_of(s, s->printed), s->printed, to, s->printed, true);
		s->printed = to + 1;
		s->after--;
	}
	return r;
}

/* Where so many lines before at begin, not before least. */
static size_t
lines_before(const struct scan *s, size_t at, size_t n, size_t least, size_t *ret_n)
{
	const char *text = s->eye->buffer;

	*ret_n = 0;
	while (at > least && *ret_n < n) {
		const char *newline = memrchr(text + least, '\n', at - least - 1);

		at = newline ? (size_t)(newline - text) + 1 : least;
		++*ret_n;
	}
	return at;
}

/* The lines of a match, those before it, and that some after it are wanted. */
static int
tell_match(struct scan *s, const struct grep_line *line)
{
	size_t n, number, from = line->from < s->printed ? s->printed : line->from, at, shown = 0;
	int r = tell_after(s, from);

	if (r < 0)
		return r;
	at = lines_before(s, from, s->wants->before, s->printed < from ? s->printed : from, &n);
	number = number_of(s, from) - n;
	while (r == 0 && at < from) {
		size_t to = end_of_line(s, at, from);

		r = add_found_line(s, number++, at, to, at, true);
		at = to + 1;
	}
	while (r == 0 && at <= line->to && shown++ < MULTI_SHOWN) {
		size_t to = end_of_line(s, at, line->to);

		r = add_found_line(
			s, number++, at, to, line->at > at && line->at < to ? line->at : at, false);
		at = to + 1;
	}
	s->printed = line->to + 1;
	s->after = s->wants->after;
	return r;
}

/* -- reading ---------------------------------------------------------------------------- */

static int
make_room(struct grep_eye *eye, size_t size)
{
	char *buffer;

	if (eye->size >= size)
		return 0;
	buffer = realloc(eye->buffer, size);
	if (!buffer)
		return -ENOMEM;
	eye->buffer = buffer;
	eye->size = size;
	return 0;
}

/* Until the buffer is full, or the file at its end. -EIO. */
static int
fill_scan_buffer(struct scan *s)
{
	while (!s->ended && s->have < s->eye->size) {
		ssize_t n = read(s->fd, s->eye->buffer + s->have, s->eye->size - s->have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -EIO;
		s->have += (size_t)n;
		/* A small file is at its end when its size was read: no need to ask again. */
		s->ended = n == 0 || (s->first && s->size > 0 && (off_t)s->have == s->size);
	}
	return 0;
}

static bool
is_binary(const struct scan *s)
{
	size_t look = s->have < GREP_BINARY_LOOK ? s->have : GREP_BINARY_LOOK;

	return memchr(s->eye->buffer, '\0', look) != NULL;
}

/* The first look into a file: its mark goes, and how its lines end is seen. */
static void
start_scan(struct scan *s)
{
	const char *text = s->eye->buffer, *newline = memchr(text, '\n', s->have);

	if (s->have >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		s->at = s->printed = s->counted = 3;
	s->eye->form = newline && newline > text && newline[-1] == '\r' ? GREP_CRLF : 0;
	s->first = false;
}

/* Moves what was not searched to the front. */
static void
carry_unsearched(struct scan *s)
{
	size_t n, keep = lines_before(s, s->at, s->wants->before,
			  s->at > CONTEXT_KEEP ? s->at - CONTEXT_KEEP : 0, &n);

	if (s->wants->mode == GREP_CONTENT)
		number_of(s, s->at);
	memmove(s->eye->buffer, s->eye->buffer + keep, s->have - keep);
	s->have -= keep;
	s->at -= keep;
	s->counted = s->at;
	s->printed = s->printed > keep ? s->printed - keep : 0;
}

/* -- searching -------------------------------------------------------------------------- */

static bool
is_enough(const struct scan *s)
{
	switch (s->wants->mode) {
	case GREP_FILES:
		return s->found->count > 0;
	case GREP_CONTENT:
		return s->found->count > s->wants->limit;
	case GREP_COUNT:
		return false;
	}
	return true;
}

/* Everything from at to end. 1: enough was found. */
static int
search_buffer(struct scan *s, size_t end)
{
	bool multi = grep_pattern_multiline(s->eye->pattern);
	struct grep_line line;
	int r;

	while ((r = (multi ? grep_next_multi : grep_next)(
			s->eye, s->eye->buffer, s->at, end, &line)) == 1) {
		s->found->count++;
		if (s->wants->mode == GREP_CONTENT)
			r = tell_match(s, &line);
		if (r < 0)
			return r;
		s->at = line.to + 1 < end ? line.to + 1 : end;
		if (is_enough(s))
			return 1;
	}
	s->at = end;
	if (r == 0 && s->wants->mode == GREP_CONTENT)
		r = tell_after(s, end);
	return r;
}

/* How far whole lines go; 0: a longer buffer is needed. */
static size_t
whole_lines(const struct scan *s)
{
	const char *newline;

	if (s->ended)
		return s->have;
	newline = memrchr(s->eye->buffer + s->at, '\n', s->have - s->at);
	if (newline)
		return (size_t)(newline - s->eye->buffer) + 1;
	return s->have - s->at >= GREP_LINE_MAX ? s->have : 0;
}

static int
search_lines(struct scan *s)
{
	for (;;) {
		int r = fill_scan_buffer(s);
		size_t end;

		if (r < 0)
			return r;
		if (s->first) {
			if (is_binary(s))
				return -EILSEQ;
			start_scan(s);
		}
		end = whole_lines(s);
		if (end > s->at) {
			r = search_buffer(s, end);
			if (r != 0 || s->ended)
				return r;
			carry_unsearched(s);
		} else if (s->ended) {
			return 0;
		} else if (make_room(s->eye, s->eye->size * 2) < 0) {
			return -ENOMEM;
		}
	}
}

static int
search_whole(struct scan *s)
{
	int r = 0;

	if (s->size > GREP_MULTI_MAX)
		return -EFBIG;
	while (r == 0 && !s->ended) {
		r = fill_scan_buffer(s);
		if (r == 0 && is_binary(s))
			return -EILSEQ;
		if (r == 0 && !s->ended)
			r = s->eye->size >= GREP_MULTI_MAX ? -EFBIG
							   : make_room(s->eye, s->eye->size * 2);
	}
	if (r < 0)
		return r;
	start_scan(s);
	return search_buffer(s, s->have);
}

int
grep_file(struct grep_eye *eye, const struct grep_wants *wants, int fd, struct grep_found *found)
{
	struct scan s = {
		.eye = eye,
		.wants = wants,
		.found = found,
		.fd = fd,
		.number = 1,
		.first = true,
	};
	int r;

	if (fstat(fd, &found->st) < 0 || !S_ISREG(found->st.st_mode))
		return GREP_UNREADABLE;
	s.size = found->st.st_size;
	if (make_room(eye, GREP_BUFFER) < 0)
		return -ENOMEM;
	eye->spent = 0;
	r = grep_pattern_multiline(eye->pattern) ? search_whole(&s) : search_lines(&s);
	switch (r) {
	case -EILSEQ:
		return GREP_BINARY;
	case -EIO:
		return found->count ? GREP_FOUND : GREP_UNREADABLE;
	case -EFBIG:
		return GREP_TOO_LARGE;
	case -ETIME:
		return GREP_COSTLY;
	default:
		return r < 0 ? r : found->count ? GREP_FOUND : GREP_NONE;
	}
}
