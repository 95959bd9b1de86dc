/* SPDX-License-Identifier: Apache-2.0 */
/* Every name that git apply or patch(1) could take from the headers of one file, with
 * any number of components stripped that they strip by themselves. */

#include <string.h>

#include "patch/section.h"

/* One name, with its first component (patch -p1, git apply) or without. */
static int
emit_stripped(struct patch_reader *reader, const char *text, size_t len, enum ambit_access access)
{
	const char *slash = memchr(text, '/', len);
	size_t n;
	int r;

	if (!slash)
		return 0;
	n = (size_t)(slash - text) + 1;
	if (n == len)
		return 0;
	r = patch_emit(reader, text + n, len - n, access);
	if (r != 0 || text[n] != '/')
		return r;
	while (n < len && text[n] == '/') /* patch(1) takes all of "a//" away, git one slash */
		n++;
	return n < len ? patch_emit(reader, text + n, len - n, access) : 0;
}

static int
emit_text(struct patch_reader *reader, const char *text, size_t len, bool prefixed,
	enum ambit_access access)
{
	int r = 0;

	if (len == 0)
		return 0;
	if (!prefixed)
		r = patch_emit(reader, text, len, access);
	return r == 0 ? emit_stripped(reader, text, len, access) : r;
}

static int
emit_patch_name(struct patch_reader *reader, const struct patch_name *name, bool prefixed,
	enum ambit_access access)
{
	int r;

	if (!name->text || name->nothing)
		return 0;
	r = emit_text(reader, name->text, name->len, prefixed, access);
	if (r == 0 && name->cut > 0)
		r = emit_text(reader, name->text, name->cut, prefixed, access);
	return r;
}

static bool
has_prefix(const struct patch_name *name, const char *letters)
{
	return name->len > 2 && name->text[1] == '/' && name->text[0] != '\0' &&
	       strchr(letters, name->text[0]);
}

/* "a/x" and "b/x" (or git's c/ i/ w/ o/), or one of them and nothing: then the
 * first component is no directory. Only a rename's names may differ behind it. */
static bool
is_prefixed(const struct patch_name *old, const struct patch_name *new, bool rename)
{
	bool old_real = old->text && !old->nothing, new_real = new->text && !new->nothing;

	if (old_real && !has_prefix(old, "acio"))
		return false;
	if (new_real && !has_prefix(new, "biwc"))
		return false;
	if (old_real && new_real)
		return old->text[0] != new->text[0] &&
		       (rename || (old->len ==
					  new->len &&memcmp(old->text + 1, new->text + 1,
						  old->len - 1) == 0));
	return (old_real && new->nothing) || (new_real && old->nothing);
}

/* Whether a pair's first component goes. git guesses from one file how many
 * components to strip from all: one file without prefix, and none are sure. */
static bool
may_strip_prefix(struct section_prefixes *prefixes, const struct patch_name *old,
	const struct patch_name *new, bool rename)
{
	bool prefixed = is_prefixed(old, new, rename);

	if ((old->text || new->text) && !prefixed)
		prefixes->mixed = true;
	return prefixed && !prefixes->all;
}

int
section_emit_sides(struct patch_reader *reader, const struct section *s,
	struct section_prefixes *prefixes, enum ambit_access access)
{
	bool rename = s->from.text && s->to.text;
	bool plain = may_strip_prefix(prefixes, &s->old, &s->new, rename);
	bool git = may_strip_prefix(prefixes, &s->git_old, &s->git_new, rename);
	bool words = may_strip_prefix(prefixes, &s->word_old, &s->word_new, rename);
	const struct {
		const struct patch_name *name;
		bool prefixed;
	} sides[] = {
		{ &s->old, plain },
		{ &s->new, plain },
		{ &s->git_old, git },
		{ &s->git_new, git },
		{ &s->word_old, words },
		{ &s->word_new, words },
		{ &s->index, false },
		{ &s->star, false },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(sides) / sizeof(sides[0]); i++)
		r = emit_patch_name(reader, sides[i].name, sides[i].prefixed, access);
	return r;
}

static int
emit_rename(struct patch_reader *reader, const struct section *s)
{
	enum ambit_access from = s->copy ? AMBIT_ACCESS_READ : AMBIT_ACCESS_DELETE;
	enum ambit_access to = s->copy ? AMBIT_ACCESS_WRITE : AMBIT_ACCESS_REPLACE;
	int r = 0;

	if (!s->from.text != !s->to.text)
		return patch_bad(reader, "a rename or copy with one side only");
	if (!s->from.text)
		return 0;
	r = patch_emit(reader, s->from.text, s->from.len, from);
	return r == 0 ? patch_emit(reader, s->to.text, s->to.len, to) : r;
}

/* A patch that says two things about one file (deleted, but with a new name) gets
 * both. */
int
section_emit(
	struct patch_reader *reader, const struct section *s, struct section_prefixes *prefixes)
{
	bool gone = s->deleted || s->new.nothing, stays = s->created || !gone;
	int r = 0;

	if (s->new.text && !s->new.nothing && gone)
		stays = true;
	if (gone || s->empties)
		r = section_emit_sides(reader, s, prefixes, AMBIT_ACCESS_DELETE);
	if (r == 0 && stays)
		r = section_emit_sides(reader, s, prefixes, AMBIT_ACCESS_WRITE);
	return r == 0 ? emit_rename(reader, s) : r;
}
