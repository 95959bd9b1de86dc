/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of one file in a unified diff say, into its name. Where they
 * contradict each other the patch is refused, not guessed at: whoever decided about it
 * may have read it the other way. */

#include <stdlib.h>
#include <string.h>

#include "patch/section.h"

void
section_finish(struct section *s)
{
	patch_name_finish(&s->git_old);
	patch_name_finish(&s->git_new);
	patch_name_finish(&s->old);
	patch_name_finish(&s->new);
	patch_name_finish(&s->word_old);
	patch_name_finish(&s->word_new);
	patch_name_finish(&s->index);
	patch_name_finish(&s->star);
	patch_name_finish(&s->from);
	patch_name_finish(&s->to);
	patch_file_finish(&s->hunks);
	*s = (struct section){ .run = -1 };
}

static struct span
span_of(const struct patch_name *name)
{
	return (struct span){ name->text, name->len };
}

static bool
is_same_name(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

static struct span
strip_first_dir(struct span name)
{
	const char *slash = memchr(name.text, '/', name.len);

	if (!slash || slash + 1 == name.text + name.len)
		return (struct span){ 0 };
	return (struct span){ slash + 1, name.len - (size_t)(slash + 1 - name.text) };
}

static bool
has_prefix(struct span name, const char *letters)
{
	return name.len > 2 && name.text[1] == '/' && name.text[0] && strchr(letters, name.text[0]);
}

/* The one name of the two sides: "a/x" and "b/x" are x. *ret_other is another that it could be,
 * should there be no such file. */
static int
pair_name(struct patch_reader *reader, const struct section *s, const struct patch_name *old,
	const struct patch_name *new, struct span *ret_name, struct span *ret_other)
{
	struct span a = span_of(old), b = span_of(new), one;

	*ret_other = (struct span){ 0 };
	if (old->nothing || new->nothing) {
		one = old->nothing ? b : a;
		*ret_name = has_prefix(one, old->nothing ? "biwc" : "acio") ? strip_first_dir(one)
									    : one;
		return 0;
	}
	if (is_same_name(a, b)) {
		*ret_name = a;
		*ret_other = strip_first_dir(a);
		return 0;
	}
	*ret_name = strip_first_dir(a);
	if (ret_name->len > 0 && is_same_name(*ret_name, strip_first_dir(b)))
		return 0;
	return patch_wrong(reader, s->at,
		"two names for one file (%.200s and %.200s) and no \"rename from\"", old->text,
		new->text);
}

/* What git's header says must be what "---" and "+++" say. */
static int
check_headers(struct patch_reader *reader, const struct section *s)
{
	if (!s->old.text != !s->new.text)
		return patch_wrong(reader, s->at, "a file with only one of \"---\" and \"+++\"");
	if (s->old.nothing && s->new.nothing)
		return patch_wrong(reader, s->at, "a file that is nothing before and after");
	if ((s->deleted && s->created) || (s->deleted && s->old.nothing) ||
		(s->created && s->new.nothing))
		return patch_wrong(reader, s->at, "a file that is both new and deleted");
	if (!s->git_old.text || !s->old.text)
		return 0;
	if ((!s->old.nothing && !is_same_name(span_of(&s->git_old), span_of(&s->old))) ||
		(!s->new.nothing && !is_same_name(span_of(&s->git_new), span_of(&s->new))))
		return patch_wrong(
			reader, s->at, "\"diff --git\" and \"---\", \"+++\" name different files");
	return 0;
}

/* A rename's own lines have no prefix; those above and below do. */
static int
check_rename(struct patch_reader *reader, const struct section *s)
{
	const struct patch_name *old = s->old.text ? &s->old : &s->git_old;
	const struct patch_name *new = s->new.text ? &s->new : &s->git_new;
	struct span from = span_of(&s->from), to = span_of(&s->to);

	if (!s->from.text || !s->to.text)
		return patch_wrong(reader, s->at, "a rename or copy with one side only");
	if (s->created || s->deleted || old->nothing || new->nothing)
		return patch_wrong(reader, s->at, "a rename of what is new or deleted");
	if (is_same_name(from, to))
		return patch_wrong(reader, s->at, "a rename to the same name");
	if ((old->text && !is_same_name(span_of(old), from) &&
		    !is_same_name(strip_first_dir(span_of(old)), from)) ||
		(new->text && !is_same_name(span_of(new), to) &&
			!is_same_name(strip_first_dir(span_of(new)), to)))
		return patch_wrong(reader, s->at, "a rename with other names above or below it");
	return 0;
}

static int
set_file_names(struct patch_reader *reader, const struct section *s, struct patch_file *file)
{
	struct span name, other;
	int r;

	if (s->from.text || s->to.text) {
		r = check_rename(reader, s);
		if (r == 0)
			r = patch_copy_name(reader, span_of(&s->from), &file->path);
		return r < 0 ? r : patch_copy_name(reader, span_of(&s->to), &file->to);
	}
	if (s->old.text)
		r = pair_name(reader, s, &s->old, &s->new, &name, &other);
	else if (s->git_old.text)
		r = pair_name(reader, s, &s->git_old, &s->git_new, &name, &other);
	else
		r = patch_wrong(reader, s->at, "a file whose name cannot be told");
	if (r == 0)
		r = patch_copy_name(reader, name, &file->path);
	if (r == 0 && other.len > 0 && !s->created && !s->old.nothing)
		r = patch_copy_name(reader, other, &file->other);
	return r;
}

/* All lines of a new file are new, all of a deleted one are gone. */
static int
check_hunks(struct patch_reader *reader, const struct patch_file *file)
{
	char only = file->change == PATCH_ADD ? '+' : file->change == PATCH_DELETE ? '-' : '\0';

	if (file->n_hunks == 0 && file->change == PATCH_UPDATE && file->run < 0)
		return patch_wrong(reader, file->at, "no change of %s", file->path);
	if (only && file->n_hunks > 1)
		return patch_wrong(reader, file->hunks[1].at,
			"a second hunk of %s, which is new or deleted", file->path);
	for (size_t i = 0; only && file->n_hunks > 0 && i < file->hunks[0].n_lines; i++)
		if (file->hunks[0].lines[i].sign != only)
			return patch_wrong(reader, file->hunks[0].at + i + 1,
				"%s is %s, so every line of it begins with %c", file->path,
				only == '+' ? "new" : "deleted", only);
	return 0;
}

int
section_take(struct patch_reader *reader, struct section *s)
{
	struct patch_file *file;
	int r;

	if (s->git == GIT_HEADERS_NONE && !s->old.text && !s->new.text)
		return 0;
	/* What is indented, and has no hunk, is prose to all but patch(1). */
	if (s->readers == READERS_PATCH)
		return 0;
	r = check_headers(reader, s);
	if (r < 0)
		return r;
	file = patch_add_file(reader, s->from.text || s->to.text
					      ? (s->copy ? PATCH_COPY : PATCH_MOVE)
				      : s->deleted || s->new.nothing ? PATCH_DELETE
				      : s->created || s->old.nothing ? PATCH_ADD
								     : PATCH_UPDATE);
	if (!file)
		return err_nomem(reader->err);
	file->at = s->at;
	file->run = file->change == PATCH_DELETE ? -1 : s->run;
	file->matches = file->change == PATCH_DELETE;
	file->hunks = s->hunks.hunks;
	file->n_hunks = s->hunks.n_hunks;
	s->hunks = (struct patch_file){ 0 };
	r = set_file_names(reader, s, file);
	return r < 0 ? r : check_hunks(reader, file);
}
