/* SPDX-License-Identifier: Apache-2.0 */
/* A name into "made up" or not. mkstemp(3) and its kin put six or more random letters and digits
 * at the end; Node's libraries put ".tmp.", the process' number and hexadecimal digits there.
 * Random letters can look like a word ("tmpmmqgattf"), so names that a known program makes are
 * told by their form alone. */

#include <stddef.h>
#include <string.h>

#include "decide/temporary-name.h"
#include "base/ascii.h"
#include "base/str.h"

#define RANDOM_LEAST 6 /* mkstemp(3) */
#define RANDOM_MOST 16 /* longer ones are digests, which name something */

enum letter {
	LETTER_LOWER = 0,
	LETTER_UPPER,
	LETTER_DIGIT,
};

static enum letter
letter_of(char c)
{
	return ascii_is_digit(c) ? LETTER_DIGIT : ascii_is_upper(c) ? LETTER_UPPER : LETTER_LOWER;
}

static size_t
count_alnum(const char *text)
{
	size_t n = 0;

	while (ascii_is_alnum(text[n]))
		n++;
	return n;
}

/* "Ab3xYz", but neither "backup", "Backup" nor "test123": words are followed by digits, and begin
 * with a capital; what is random goes back and forth. */
static bool
is_random(const char *text)
{
	size_t n = count_alnum(text);
	int changes = 0;

	if (n < RANDOM_LEAST || n > RANDOM_MOST || text[n])
		return false;
	for (size_t i = 1; i < n; i++)
		changes += letter_of(text[i]) != letter_of(text[i - 1]);
	return changes >= 2 &&
	       !(changes == 2 && ascii_is_upper(text[0]) && ascii_is_digit(text[n - 1]));
}

/* ".tmp.4120.1f3c": digits and hexadecimal ones in between dots. */
size_t
temporary_find_number(const char *name)
{
	const char *tmp = strstr(name, ".tmp.");

	if (!tmp || !ascii_is_digit(tmp[5]))
		return 0;
	for (const char *at = tmp + 5; *at; at++)
		if (*at != '.' && !(ascii_is_digit(*at) || (*at >= 'a' && *at <= 'f')))
			return 0;
	return (size_t)(tmp - name);
}

#define RANDOM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* A fixed beginning and this many letters and digits of chance. */
static const struct {
	const char *program; /* its name begins so; NULL: any, since many share the form */
	const char *begins;
	size_t n;
} forms[] = {
	{ "sed", "sed", 6 },	 /* sed -i */
	{ "perl", "XX", 6 },	 /* perl -i */
	{ NULL, "tmp", 8 },	 /* Python's tempfile */
	{ NULL, "#tmpfile", 0 }, /* O_TMPFILE: it has no name, and is asked about by this one */
	{ NULL, "4913", 0 },	 /* vim tries with it whether it can make files */
};

/* ".NAME.XXXXXX" */
static bool
has_form_of_rsync(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name + 1 && *name == '.' && strlen(dot + 1) == RANDOM_LEAST &&
	       strspn(dot + 1, RANDOM) == RANDOM_LEAST;
}

bool
temporary_has_form(const char *name, const char *program)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *rest = name + strlen(forms[i].begins);

		if (program && forms[i].program && !str_prefix(program, forms[i].program))
			continue;
		if (str_prefix(name, forms[i].begins) && strlen(rest) == forms[i].n &&
			strspn(rest, RANDOM) == forms[i].n)
			return true;
	}
	return program && streq(program, "rsync") && has_form_of_rsync(name);
}

/* The program's own name and random letters, but not a word: "gitignore". */
static bool
has_random_behind(const char *name, const char *prefix)
{
	const char *rest =
		prefix && *prefix && str_prefix(name, prefix) ? name + strlen(prefix) : "";
	size_t words = strspn(rest, "abcdefghijklmnopqrstuvwxyz"), n = words;

	while (ascii_is_alnum(rest[n]) || rest[n] == '_')
		n++;
	return rest[n] == '\0' && n >= RANDOM_LEAST && n <= 8 && words < n;
}

/* The name of a file that is to be replaced, and this behind it. */
static bool
has_usual_end(const char *name)
{
	static const char *const ends[] = { ".lock", ".tmp", NULL };
	size_t len = strlen(name);

	for (const char *const *end = ends; *end; end++)
		if (len >= strlen(*end) && streq(name + len - strlen(*end), *end))
			return true;
	return false;
}

/* "package.json.1804289383": a number of chance. */
static bool
has_long_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t n = dot ? strspn(dot + 1, "0123456789") : 0;

	return n >= RANDOM_LEAST && dot[1 + n] == '\0';
}

bool
temporary_name(const char *name, const char *program)
{
	const char *last = name;

	for (const char *at = name; *at; at++)
		if (!ascii_is_alnum(*at))
			last = at + 1;
	return str_prefix(name, ".#lk0x") /* gpg's lock, before it gets its name */ ||
	       temporary_find_number(name) > 0 || has_usual_end(name) || has_long_number(name) ||
	       temporary_has_form(name, program) || has_random_behind(name, program) ||
	       (last != name && is_random(last));
}
