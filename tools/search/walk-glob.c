/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern into the alternatives that its braces stand for, each a list of parts;
 * a path against them, part by part. A model wrote the pattern: what it can cost is
 * bounded here. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/search/walk-glob.h"

#define PATTERN_MAX 4096
#define ALTERNATIVES_MAX 512
#define PARTS_MAX 128
#define NAMES_MAX 256 /* a walk does not go deeper */
/* As a request reads them (request/argpath.c): what is opened must be what was
 * decided. */
#define WILDCARDS "*?[{(!\\"

struct part {
	const char *text;
	size_t len;
	bool any; /* "**" */
};

struct alternative {
	struct part *parts;
	size_t n;
};

struct walk_glob {
	char **texts; /* what the parts point into */
	struct alternative *alternatives;
	size_t n;
	bool dirs;
};

size_t
walk_glob_fixed(const char *pattern)
{
	size_t len = strlen(pattern), fixed = strcspn(pattern, WILDCARDS);

	if (fixed < len)
		while (fixed > 0 && pattern[fixed - 1] != '/')
			fixed--;
	return fixed;
}

/* -- braces ----------------------------------------------------------------------------- */

/* The first "{...}" that has a comma of its own: where it opens, or NULL; *ret_close
 * is its end. Others stand for themselves. */
static const char *
find_braces(const char *text, const char **ret_close)
{
	for (const char *open = text; *open; open++) {
		bool comma = false;
		int depth = 0;

		if (*open == '\\' && open[1]) {
			open++;
			continue;
		}
		if (*open != '{')
			continue;
		for (const char *p = open; *p; p++) {
			if (*p == '\\' && p[1]) {
				p++;
				continue;
			}
			depth += *p == '{';
			comma |= *p == ',' && depth == 1;
			if (*p == '}' && --depth == 0) {
				*ret_close = p;
				if (comma)
					return open;
				break;
			}
		}
	}
	return NULL;
}

/* How long the choice at text is, up to its comma or the brace that closes. */
static size_t
choice_len(const char *text, const char *close)
{
	const char *p = text;
	int depth = 0;

	for (; p < close && (depth > 0 || *p != ','); p++) {
		if (*p == '\\' && p + 1 < close)
			p++;
		else
			depth += (*p == '{') - (*p == '}');
	}
	return (size_t)(p - text);
}

/* list[at] has braces: replaces it by what the first of them stands for. */
static int
expand_first_brace(char ***list, size_t at, const char *open, const char *close)
{
	auto_free char *text = (*list)[at];
	bool first = true;

	for (const char *p = open + 1;; first = false) {
		size_t n = choice_len(p, close);
		auto_free char *one =
			str_printf("%.*s%.*s%s", (int)(open - text), text, (int)n, p, close + 1);

		if (!one)
			return -ENOMEM;
		if (first)
			(*list)[at] = steal_ptr(&one);
		else if (strv_append(list, one) < 0)
			return -ENOMEM;
		if (strv_len(*list) > ALTERNATIVES_MAX)
			return -E2BIG;
		p += n;
		if (p >= close)
			return 0;
		p++;
	}
}

static int
expand_braces(char ***list)
{
	const char *open, *close = NULL;

	for (size_t i = 0; (*list)[i]; i++)
		while ((open = find_braces((*list)[i], &close))) {
			int r = expand_first_brace(list, i, open, close);

			if (r < 0)
				return r;
		}
	return 0;
}

/* -- parts ------------------------------------------------------------------------------ */

static int
split_parts(const char *text, bool anywhere, struct alternative *alternative)
{
	struct part *parts = calloc(PARTS_MAX + 1, sizeof(*parts));
	size_t n = 0;

	if (!parts)
		return -ENOMEM;
	alternative->parts = parts;
	if (anywhere && !strchr(text, '/'))
		parts[n++].any = true;
	for (const char *p = text; *p; p += strspn(p, "/")) {
		size_t len = strcspn(p, "/");

		if (n >= PARTS_MAX)
			return -E2BIG;
		if (len == 2 && p[0] == '.' && p[1] == '.')
			return -EXDEV;
		if (len > 0 && !(len == 1 && p[0] == '.'))
			parts[n++] = (struct part){ p, len, len == 2 && memcmp(p, "**", 2) == 0 };
		p += len;
	}
	alternative->n = n;
	return 0;
}

static int
parse_alternatives(struct walk_glob *glob, const char *pattern, bool anywhere)
{
	size_t len = strlen(pattern);
	int r = strv_append(&glob->texts, pattern);

	if (r == 0 && len > 1 && pattern[len - 1] == '/') {
		glob->dirs = true;
		glob->texts[0][len - 1] = '\0';
	}
	if (r == 0)
		r = expand_braces(&glob->texts);
	if (r < 0)
		return r;
	glob->n = strv_len(glob->texts);
	glob->alternatives = calloc(glob->n, sizeof(*glob->alternatives));
	if (!glob->alternatives)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < glob->n; i++)
		r = split_parts(glob->texts[i], anywhere, &glob->alternatives[i]);
	return r;
}

int
walk_glob_parse(
	const char *pattern, bool anywhere, struct walk_glob **ret_glob, struct ambit_error *err)
{
	struct walk_glob *glob = calloc(1, sizeof(*glob));
	int r;

	if (!glob)
		return err_nomem(err);
	r = !pattern[0]			    ? -EINVAL
	    : strlen(pattern) > PATTERN_MAX ? -E2BIG
					    : parse_alternatives(glob, pattern, anywhere);
	if (r == 0) {
		*ret_glob = glob;
		return 0;
	}
	walk_glob_destroy(glob);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == -E2BIG)
		return err_set(err, EINVAL,
			"the pattern is longer than %d bytes, or stands for "
			"more than %d others",
			PATTERN_MAX, ALTERNATIVES_MAX);
	return err_set(err, EINVAL,
		r == -EXDEV ? "a pattern cannot climb with '..'" : "the pattern is empty");
}

void
walk_glob_destroy(struct walk_glob *glob)
{
	if (!glob)
		return;
	for (size_t i = 0; glob->alternatives && i < glob->n; i++)
		free(glob->alternatives[i].parts);
	free(glob->alternatives);
	strv_free(glob->texts);
	free(glob);
}

bool
walk_glob_dirs(const struct walk_glob *glob)
{
	return glob->dirs;
}

/* -- matching --------------------------------------------------------------------------- */

static bool
part_matches(const struct part *part, const char *name, size_t len)
{
	return (part->len == len && memcmp(part->text, name, len) == 0) ||
	       glob_match(part->text, part->len, name, len, false);
}

struct names {
	struct {
		const char *text;
		size_t len;
	} at[NAMES_MAX];
	size_t n;
};

static void
split_path(const char *path, struct names *names)
{
	names->n = 0;
	while (*path && names->n < NAMES_MAX) {
		size_t len = strcspn(path, "/");

		names->at[names->n].text = path;
		names->at[names->n++].len = len;
		path += len;
		path += *path == '/';
	}
}

static bool
is_alternative_match(const struct alternative *a, const struct names *names)
{
	size_t p = 0, i = 0, again = SIZE_MAX, mark = 0;

	while (i < names->n) {
		if (p < a->n && a->parts[p].any) {
			again = ++p;
			mark = i;
		} else if (p < a->n &&
			   part_matches(&a->parts[p], names->at[i].text, names->at[i].len)) {
			p++;
			i++;
		} else if (again == SIZE_MAX) {
			return false;
		} else if (again == a->n) {
			return true;
		} else {
			i = ++mark;
			p = again;
		}
	}
	while (p < a->n && a->parts[p].any)
		p++;
	return p == a->n;
}

bool
walk_glob_match(const struct walk_glob *glob, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct names names;
	bool have = false;

	for (size_t i = 0; i < glob->n; i++) {
		const struct alternative *a = &glob->alternatives[i];

		/* "*.c" at any depth, by far the most: the name alone decides. */
		if (a->n == 2 && a->parts[0].any && !a->parts[1].any) {
			if (part_matches(&a->parts[1], name, strlen(name)))
				return true;
			continue;
		}
		if (!have)
			split_path(path, &names);
		have = true;
		if (is_alternative_match(a, &names))
			return true;
	}
	return false;
}

bool
walk_glob_enter(const struct walk_glob *glob, const char *path)
{
	struct names names;

	split_path(path, &names);
	for (size_t i = 0; i < glob->n; i++) {
		const struct alternative *a = &glob->alternatives[i];
		size_t n = 0;

		while (n < names.n && n < a->n && !a->parts[n].any &&
			part_matches(&a->parts[n], names.at[n].text, names.at[n].len))
			n++;
		if (n < a->n && (n == names.n || a->parts[n].any))
			return true;
	}
	return false;
}
