/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern in its forms. The fast one is put before many lines at once, which is
 * only the same as one line at a time if nothing in it can look past the end of a
 * line without taking it: that is judged here by its text, and in doubt it is not. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/search/grep.h"

struct grep_pattern {
	char *text;
	unsigned flags;
	bool spans;
	bool ends; /* has a '$': CR LF makes a difference */
	pthread_mutex_t lock;
	pcre2_code *_Atomic codes[4]; /* by form */
};

/* -- by its text ------------------------------------------------------------------------ */

/* A group's head, behind "(?". Whether it only groups, names or sets i or s. */
static bool
is_plain_group(const char *p)
{
	size_t n = strspn(p, "is");

	if (p[n] == '-')
		n += 1 + strspn(p + n + 1, "is");
	if (p[n] == ':' || (n > 0 && p[n] == ')'))
		return true;
	if (p[0] == '|' || (p[0] == 'P' && p[1] == '<'))
		return true;
	return p[0] == '<' && p[1] != '=' && p[1] != '!';
}

/* Assertions about what lies around, groups and repeats that give nothing back, and
 * whatever is spelled in an unusual way, see the next line. */
static bool
is_plain(const char *text)
{
	char before = '\0';

	for (const char *p = text; *p; p++) {
		if (*p == '\\') {
			if (!p[1] || strchr("AZzGKQEXRC", p[1]))
				return false;
			before = 'x';
			p++;
			continue;
		}
		if (*p == '+' && before && strchr("*+?}", before))
			return false;
		if (*p == '(' && (p[1] == '*' || (p[1] == '?' && !is_plain_group(p + 2))))
			return false;
		before = *p == '?' && before == '(' ? 'x' : *p;
	}
	return true;
}

/* Where a bracket at p ends: at its ']'. */
static const char *
skip_bracket(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	if (*p == ']')
		p++;
	while (*p && *p != ']')
		p += *p == '\\' && p[1] ? 2 : 1;
	return p;
}

/* A newline can only match across lines; "[^\n]" is no newline. */
static bool
has_newline(const char *text, bool fixed)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\n')
			return true;
		if (fixed)
			continue;
		if (*p == '[')
			p = skip_bracket(p);
		else if (*p == '\\' && *++p == 'n')
			return true;
		if (!*p)
			break;
	}
	return false;
}

/* -- compiled --------------------------------------------------------------------------- */

static pcre2_code *
compile_pattern(const struct grep_pattern *pattern, unsigned form, int *ret_error, size_t *ret_at)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	pcre2_code *code;

	if (!context)
		return NULL;
	if (pattern->flags & GREP_FIXED)
		options |= PCRE2_LITERAL;
	else
		options |= PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
	if ((pattern->flags & GREP_MULTILINE) && !(pattern->flags & GREP_FIXED))
		options |= PCRE2_DOTALL;
	if (pattern->flags & GREP_IGNORE_CASE)
		options |= PCRE2_CASELESS;
	if ((form & GREP_CAREFUL) && !(pattern->flags & GREP_FIXED))
		options |= PCRE2_AUTO_CALLOUT;
	pcre2_set_newline(context, form & GREP_CRLF ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
	code = pcre2_compile((PCRE2_SPTR)pattern->text, PCRE2_ZERO_TERMINATED, options, ret_error,
		ret_at, context);
	pcre2_compile_context_free(context);
	/* Where no memory may be made executable it is interpreted, with the same limits. */
	if (code)
		pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return code;
}

static int
say_fault(const struct grep_pattern *pattern, int error, size_t at, struct ambit_error *err)
{
	auto_free char *shown = str_escape(pattern->text, strlen(pattern->text));
	PCRE2_UCHAR words[256] = "it cannot be read";

	if (error == PCRE2_ERROR_NOMEMORY)
		return err_nomem(err);
	pcre2_get_error_message(error, words, sizeof(words));
	return err_set(err, EINVAL, "the pattern %.200s is no regular expression: %s, at byte %zu",
		shown ? shown : "?", (const char *)words, at);
}

int
grep_pattern_create(const char *text, unsigned flags, struct grep_pattern **ret_pattern,
	struct ambit_error *err)
{
	struct grep_pattern *pattern = calloc(1, sizeof(*pattern));
	int error = PCRE2_ERROR_NOMEMORY, r = 0;
	size_t at = 0;

	if (pattern)
		pattern->text = strdup(text);
	if (!pattern || !pattern->text) {
		free(pattern);
		return err_nomem(err);
	}
	pthread_mutex_init(&pattern->lock, NULL);
	pattern->flags = flags;
	pattern->spans = (flags & GREP_FIXED) || is_plain(text);
	pattern->ends = !(flags & GREP_FIXED) && strchr(text, '$');
	if (!(flags & GREP_MULTILINE) && has_newline(text, flags & GREP_FIXED))
		r = err_set(err, EINVAL,
			"the pattern has a newline in it, and lines are searched "
			"one by one");
	if (r == 0) {
		pattern->codes[0] = compile_pattern(pattern, 0, &error, &at);
		if (!pattern->codes[0])
			r = say_fault(pattern, error, at, err);
	}
	if (r < 0) {
		grep_pattern_destroy(pattern);
		return r;
	}
	*ret_pattern = pattern;
	return 0;
}

void
grep_pattern_destroy(struct grep_pattern *pattern)
{
	if (!pattern)
		return;
	for (size_t i = 0; i < sizeof(pattern->codes) / sizeof(pattern->codes[0]); i++)
		pcre2_code_free(atomic_load(&pattern->codes[i]));
	pthread_mutex_destroy(&pattern->lock);
	free(pattern->text);
	free(pattern);
}

const pcre2_code *
grep_pattern_code(struct grep_pattern *pattern, unsigned form)
{
	pcre2_code *code;
	size_t at;
	int error;

	if (!pattern->ends)
		form &= ~(unsigned)GREP_CRLF;
	code = atomic_load_explicit(&pattern->codes[form], memory_order_acquire);
	if (code)
		return code;
	pthread_mutex_lock(&pattern->lock);
	code = atomic_load(&pattern->codes[form]);
	if (!code) {
		code = compile_pattern(pattern, form, &error, &at);
		atomic_store(&pattern->codes[form], code);
	}
	pthread_mutex_unlock(&pattern->lock);
	return code;
}

bool
grep_pattern_spans(const struct grep_pattern *pattern)
{
	return pattern->spans;
}

bool
grep_pattern_multiline(const struct grep_pattern *pattern)
{
	return pattern->flags & GREP_MULTILINE;
}
