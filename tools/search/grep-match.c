/* SPDX-License-Identifier: Apache-2.0 */
/* The next line that matches, in memory. Patterns come from models, and text from
 * anywhere: together they can take longer than the universe. So there are three
 * ways, each for when the one before ran into its limit:
 *   many lines at once, with few steps for each place a match may begin;
 *   one line at a time, with the same;
 *   one line with a look at the clock at every step, until the file is given up.
 * Nearly everything ends in the first, which is what makes it fast. */

#include <string.h>
#include <time.h>

#include "tools/search/grep.h"

#define WINDOW 16384 /* bytes of lines at once; a longer line is one by itself */
#define STEPS 5000   /* of the engine, from one place in a window */
#define STEPS_LEAST 60
#define STEPS_MULTI 20000
#define STEPS_CAREFUL 20000000
#define TOO_FAR_MAX 8 /* windows; then lines are looked at one by one from the start */
#define STACK_FIRST 32768
#define STACK_MAX 2097152
#define HEAP_KB 65536
#define STEPS_PER_LOOK 1024
#define CAREFUL_NS 1000000000 /* for one file; then it is given up */
#define LOOK_NS 20000000      /* between two looks at whether it was cancelled */

int64_t
grep_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool
grep_end_look(struct grep_end *end)
{
	int64_t now = grep_clock();

	if (atomic_load_explicit(&end->now, memory_order_relaxed))
		return true;
	if (now < atomic_load_explicit(&end->look, memory_order_relaxed))
		return false;
	atomic_store(&end->look, now + LOOK_NS);
	if (now > end->deadline)
		atomic_store(&end->late, true);
	else if (!end->cancelled || !end->cancelled(end->data))
		return false;
	atomic_store(&end->now, true);
	return true;
}

/* -- what one thread has ---------------------------------------------------------------- */

static int
look_at_clock(pcre2_callout_block *block, void *data)
{
	struct grep_eye *eye = data;

	(void)block;
	if (++eye->steps % STEPS_PER_LOOK)
		return 0;
	return grep_clock() > eye->until || grep_end_look(eye->end) ? PCRE2_ERROR_CALLOUT : 0;
}

int
grep_eye_init(struct grep_eye *eye, struct grep_pattern *pattern, struct grep_end *end)
{
	*eye = (struct grep_eye){ .pattern = pattern, .end = end };
	eye->data = pcre2_match_data_create(1, NULL);
	eye->fast = pcre2_match_context_create(NULL);
	eye->careful = pcre2_match_context_create(NULL);
	eye->stack = pcre2_jit_stack_create(STACK_FIRST, STACK_MAX, NULL);
	if (!eye->data || !eye->fast || !eye->careful || !eye->stack) {
		grep_eye_finish(eye);
		return -ENOMEM;
	}
	pcre2_jit_stack_assign(eye->fast, NULL, eye->stack);
	pcre2_jit_stack_assign(eye->careful, NULL, eye->stack);
	pcre2_set_heap_limit(eye->fast, HEAP_KB);
	pcre2_set_heap_limit(eye->careful, HEAP_KB);
	pcre2_set_match_limit(eye->careful, STEPS_CAREFUL);
	pcre2_set_callout(eye->careful, look_at_clock, eye);
	return 0;
}

void
grep_eye_finish(struct grep_eye *eye)
{
	pcre2_match_data_free(eye->data);
	pcre2_match_context_free(eye->fast);
	pcre2_match_context_free(eye->careful);
	pcre2_jit_stack_free(eye->stack);
	free(eye->buffer);
	*eye = (struct grep_eye){ 0 };
}

/* -- one match -------------------------------------------------------------------------- */

/* 1, 0, or -ERANGE: it took too many steps. */
static int
match_fast(struct grep_eye *eye, const char *text, size_t len, size_t from, uint32_t steps)
{
	const pcre2_code *code = grep_pattern_code(eye->pattern, eye->form);
	int r;

	if (!code)
		return -ENOMEM;
	if (len > 4 * WINDOW)
		steps = (uint32_t)((uint64_t)steps * 4 * WINDOW / len);
	pcre2_set_match_limit(eye->fast, steps < STEPS_LEAST ? STEPS_LEAST : steps);
	r = pcre2_match(code, (PCRE2_SPTR)text, len, from, 0, eye->data, eye->fast);
	return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -ERANGE;
}

static int
match_careful(struct grep_eye *eye, const char *text, size_t len, size_t from)
{
	const pcre2_code *code = grep_pattern_code(eye->pattern, eye->form | GREP_CAREFUL);
	int64_t begun = grep_clock();
	int r;

	if (!code)
		return -ENOMEM;
	eye->until = begun + CAREFUL_NS - eye->spent;
	r = pcre2_match(code, (PCRE2_SPTR)text, len, from, 0, eye->data, eye->careful);
	eye->spent += grep_clock() - begun;
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return r >= 0;
	return atomic_load(&eye->end->now) ? -ECANCELED : -ETIME;
}

/* The line [from, to) alone, without its CR. */
static int
match_line(struct grep_eye *eye, const char *text, size_t from, size_t to, size_t *ret_at)
{
	size_t len = to - from;
	int r;

	if (len > 0 && text[to - 1] == '\r')
		len--;
	r = match_fast(eye, text + from, len, 0, STEPS);
	if (r == -ERANGE)
		r = match_careful(eye, text + from, len, 0);
	if (r == 1)
		*ret_at = from + pcre2_get_ovector_pointer(eye->data)[0];
	return r;
}

static size_t
line_end(const char *text, size_t from, size_t end)
{
	const char *newline = memchr(text + from, '\n', end - from);

	return newline ? (size_t)(newline - text) : end;
}

static size_t
line_start(const char *text, size_t from, size_t at)
{
	const char *newline = memrchr(text + from, '\n', at - from);

	return newline ? (size_t)(newline - text) + 1 : from;
}

/* -- the next line ---------------------------------------------------------------------- */

static int
next_by_line(
	struct grep_eye *eye, const char *text, size_t from, size_t end, struct grep_line *ret_line)
{
	for (unsigned n = 1; from < end; n++) {
		size_t to = line_end(text, from, end), at = from;
		int r = match_line(eye, text, from, to, &at);

		if (r != 0) {
			*ret_line = (struct grep_line){ from, to, at };
			return r;
		}
		if (n % 256 == 0 && grep_end_look(eye->end))
			return -ECANCELED;
		from = to + 1;
	}
	return 0;
}

/* In one window, whole lines. 2: not here, go on at ret_line->from. */
static int
next_in_window(
	struct grep_eye *eye, const char *text, size_t from, size_t end, struct grep_line *ret_line)
{
	int r = match_fast(eye, text + from, end - from, 0, STEPS);
	const size_t *found = pcre2_get_ovector_pointer(eye->data);
	size_t at, to, first;

	if (r == -ERANGE) {
		eye->too_far++;
		return next_by_line(eye, text, from, end, ret_line);
	}
	if (r <= 0)
		return r;
	at = from + found[0];
	to = from + found[1];
	/* "$" behind the last newline is on a line that is not there. */
	if (at == end && text[end - 1] == '\n')
		return 0;
	first = line_start(text, from, at);
	*ret_line = (struct grep_line){ first, line_end(text, at, end), at };
	if (to <= ret_line->to)
		return 1;
	/* It took the newline with it: does the line match by itself? */
	r = match_line(eye, text, first, ret_line->to, &ret_line->at);
	if (r != 0)
		return r;
	ret_line->from = ret_line->to + 1;
	return 2;
}

int
grep_next(
	struct grep_eye *eye, const char *text, size_t from, size_t end, struct grep_line *ret_line)
{
	if (!grep_pattern_spans(eye->pattern) || eye->too_far >= TOO_FAR_MAX)
		return next_by_line(eye, text, from, end, ret_line);
	while (from < end) {
		size_t to = from + WINDOW < end ? line_end(text, from + WINDOW, end) : end;
		int r;

		to += to < end; /* with its newline */
		if (grep_end_look(eye->end))
			return -ECANCELED;
		r = next_in_window(eye, text, from, to, ret_line);
		if (r < 0 || r == 1)
			return r;
		from = r == 2 && ret_line->from < to ? ret_line->from : to;
	}
	return 0;
}

int
grep_next_multi(
	struct grep_eye *eye, const char *text, size_t from, size_t end, struct grep_line *ret_line)
{
	const size_t *found = pcre2_get_ovector_pointer(eye->data);
	int r;

	if (from >= end)
		return 0;
	if (grep_end_look(eye->end))
		return -ECANCELED;
	r = match_fast(eye, text, end, from, STEPS_MULTI);
	if (r == -ERANGE)
		r = match_careful(eye, text, end, from);
	if (r <= 0)
		return r;
	if (found[0] == end && text[end - 1] == '\n')
		return 0;
	ret_line->at = found[0];
	ret_line->from = line_start(text, 0, found[0]);
	ret_line->to = line_end(text, found[1] > found[0] ? found[1] - 1 : found[0], end);
	return 1;
}
