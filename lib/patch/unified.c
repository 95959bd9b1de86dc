/* SPDX-License-Identifier: Apache-2.0 */
/* Unified diffs. Hunks are counted, so that content which looks like a header
 * is content and a header behind a hunk is found; outside hunks every line
 * that git apply or patch(1) could take a name from gives one. Diffs that only
 * patch(1) would understand (context, normal, ed, indented) are refused: a
 * file could hide in them. So are files whose headers are of two kinds, one of
 * which some reader skips: it would go on with a file that ends for another,
 * and do what is listed for none. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "patch/section.h"

struct unified {
	struct patch_reader *reader;
	struct section s;
	struct section_prefixes prefixes;
	struct patch_hunk *hunk; /* STRICT: the last one, if nothing stands behind it */
	size_t before, after;	 /* lines the hunk still has, on either side */
	struct span last[2];	 /* the two lines before this one */
	bool returns;		 /* this line ends in "\r\n" */
	bool changes;
	bool torn; /* something stood behind the last hunk */
};

static bool
is_strict(const struct unified *u)
{
	return u->reader->policy == PATCH_STRICT;
}

static int
section_end(struct unified *u)
{
	struct section *s = &u->s;
	bool named = (s->old.text && !s->old.nothing) || (s->new.text && !s->new.nothing) ||
		     s->git_old.text || s->word_old.text || s->index.text || s->star.text ||
		     s->to.text;
	bool any =
		s->git != GIT_HEADERS_NONE || s->stage == STAGE_HUNKS || s->old.text || s->new.text;
	int r;

	if (any && !named)
		return patch_bad(u->reader, "a file whose name cannot be told");
	r = section_emit(u->reader, s, &u->prefixes);
	u->changes = u->changes || s->stage == STAGE_HUNKS || s->git == GIT_HEADERS_EXTENDED;
	if (r == 0 && is_strict(u))
		r = section_take(u->reader, s);
	section_finish(s);
	u->hunk = NULL;
	return r;
}

static int
add_hunk(struct unified *u, const struct patch_range *range)
{
	if (!u->s.old.text || !u->s.new.text || u->s.readers == READERS_PATCH)
		return patch_bad(u->reader, "a hunk without \"---\" and \"+++\" above it");
	u->hunk = patch_add_hunk(u->reader, &u->s.hunks);
	if (!u->hunk)
		return err_nomem(u->reader->err);
	u->hunk->placed = u->hunk->counted = true;
	u->hunk->start = range->old_start;
	return 0;
}

static int
hunk_begin(struct unified *u, struct span line)
{
	struct patch_range range;

	if (!patch_read_range((struct span){ line.text + 3, line.len - 3 }, &range))
		return patch_bad(u->reader, "a hunk without line counts");
	if (!u->s.old.text && !u->s.new.text && !u->s.index.text && !u->s.star.text)
		return patch_bad(u->reader, "a hunk without a file");
	if (range.old_start == 0 && range.old_count == 0 && range.new_start == 0 &&
		range.new_count == 0)
		return patch_bad(u->reader, "an empty hunk");
	/* Behind anything but a hunk, patch(1) looks for a new file, and takes
	 * this hunk's lines for its headers. */
	if (u->s.stage == STAGE_HUNKS && u->torn)
		return patch_bad(u->reader, "a hunk without a file");
	u->s.stage = STAGE_HUNKS;
	u->torn = false;
	u->s.empties = u->s.empties || (range.new_start == 0 && range.new_count == 0);
	u->before = range.old_count;
	u->after = range.new_count;
	return is_strict(u) ? add_hunk(u, &range) : 0;
}

static int
report_counts(struct unified *u, const char *why)
{
	u->reader->miscounted = true;
	return patch_bad(u->reader, why);
}

static int
hunk_line(struct unified *u, const struct patch_text *line)
{
	bool empty = line->plain.len == 0;
	char c = empty ? ' ' : line->plain.text[0];

	if (c == '\\' && line->plain.len > 1)
		return 0;
	if (c != ' ' && c != '+' && c != '-')
		return report_counts(u, "a hunk that is shorter than it says");
	if ((c != '+' && u->before == 0) || (c != '-' && u->after == 0))
		return report_counts(u, "a hunk that does not add up");
	u->before -= c != '+';
	u->after -= c != '-';
	if (!is_strict(u))
		return 0;
	return patch_add_line(u->reader, u->hunk, c,
		empty ? line->raw : (struct span){ line->raw.text + 1, line->raw.len - 1 });
}

static int
set_name(struct unified *u, struct patch_name *slot, struct span line, size_t skip)
{
	struct span rest = { line.text + skip, line.len - skip };
	struct patch_name name;
	int r = 0;

	if (u->returns && !u->reader->set.crlf)
		return patch_bad(u->reader, "a carriage return behind one name only");
	/* The same header twice, or names behind a hunk: a new file begins. */
	if (slot->text || u->s.stage == STAGE_HUNKS)
		r = section_end(u);
	if (r != 0)
		return r;
	if (u->s.git == GIT_HEADERS_NONE && !u->s.old.text && !u->s.new.text)
		u->s.at = u->reader->line;
	r = patch_name_parse(&rest, &name);
	if (r == -EINVAL)
		return patch_bad(u->reader, "a name that cannot be read");
	if (r == 0)
		*slot = name;
	return r;
}

/* git's own headers mean something only below "diff --git"; elsewhere they
 * could be prose, and listing one file more does no harm. */
static int
set_rename(struct unified *u, struct patch_name *slot, struct span line, size_t skip, bool copy)
{
	int r;

	if (u->s.git == GIT_HEADERS_NONE)
		return 0;
	if (memchr(line.text, '\t', line.len))
		return patch_bad(u->reader, "a name that cannot be read");
	if (u->s.stage != STAGE_HUNKS && (u->s.from.text || u->s.to.text) && u->s.copy != copy)
		return patch_bad(u->reader, "a rename and a copy of one file");
	if (is_strict(u) && (slot->text || u->s.stage == STAGE_HUNKS))
		return patch_bad(u->reader, "a rename that stands elsewhere");
	r = set_name(u, slot, line, skip);
	u->s.git = GIT_HEADERS_EXTENDED;
	u->s.copy = copy;
	return r;
}

static int
git_begin(struct unified *u, struct span line, size_t skip)
{
	struct span rest = { line.text + skip, line.len - skip };
	int r = section_end(u);

	if (r == 0 && u->returns && !u->reader->set.crlf)
		r = patch_bad(u->reader, "a carriage return behind one name only");
	if (r != 0)
		return r;
	u->s.at = u->reader->line;
	u->s.git = GIT_HEADERS_NAMES;
	u->s.readers = READERS_ALL;
	r = patch_name_pair(rest, &u->s.git_old, &u->s.git_new);
	if (r == 0)
		r = patch_name_words(rest, &u->s.word_old, &u->s.word_new);
	return r == -EINVAL ? patch_bad(u->reader, "a name that cannot be read") : r;
}

/* svn writes "Index:" in front of each file, and git's headers below it. A file
 * that they say all of, without a hunk, ends at the next "Index:" for whoever
 * knows that line; for others its headers could go on behind it. */
static int
set_index(struct unified *u, struct span line, size_t skip)
{
	bool behind = u->s.git != GIT_HEADERS_NONE && u->s.stage != STAGE_HUNKS;
	int r;

	while (skip < line.len && (line.text[skip] == ' ' || line.text[skip] == '\t'))
		skip++;
	if (skip == line.len)
		return 0;
	if (u->s.stage != STAGE_HUNKS && !u->s.old.text != !u->s.new.text)
		return patch_bad(u->reader, "\"Index:\" between \"---\" and \"+++\"");
	r = set_name(u, &u->s.index, line, skip);
	if (r == 0 && behind) {
		r = section_end(u);
		u->s.stage = STAGE_CLOSED;
	}
	return r;
}

/* The mode that ends the line: git reads any octal number there, "0120000" or
 * one too large for a mode. Six digits have one meaning. 0: it is no such. */
static unsigned
parse_mode(struct span line)
{
	unsigned mode = 0;
	size_t i = line.len;

	while (i > 0 && line.text[i - 1] >= '0' && line.text[i - 1] <= '7')
		i--;
	if (line.len - i != 6 || i == 0 || line.text[i - 1] != ' ')
		return 0;
	for (; i < line.len; i++)
		mode = mode * 8 + (unsigned)(line.text[i] - '0');
	return mode;
}

/* "index 1..2 100644": two words, and only sometimes a mode. */
static bool
has_mode(struct span line)
{
	struct span rest;

	if (!span_starts(line, "index "))
		return true;
	rest = span_trim((struct span){ line.text + 6, line.len - 6 });
	return memchr(rest.text, ' ', rest.len) || memchr(rest.text, '\t', rest.len);
}

/* A link made by the patch could carry its next file anywhere. Of a mode only whether
 * the owner may execute the file is kept, as git does. */
static int
git_mode(struct unified *u, struct span line)
{
	unsigned mode = parse_mode(line);
	bool before = span_starts(line, "deleted ") || span_starts(line, "old ");
	bool deletes = span_starts(line, "deleted file mode ");
	bool creates = span_starts(line, "new file mode ");

	if (u->s.git == GIT_HEADERS_NONE)
		return 0;
	if (is_strict(u) && (deletes || creates) && u->s.stage == STAGE_HUNKS)
		return patch_bad(u->reader, "a file mode below the file's hunks");
	u->s.deleted = u->s.deleted || deletes;
	u->s.created = u->s.created || creates;
	if (span_starts(line, "new ") && u->s.stage != STAGE_HUNKS)
		u->s.run = (mode & 0100) != 0;
	if (!span_starts(line, "index "))
		u->s.git = GIT_HEADERS_EXTENDED;
	if (!has_mode(line))
		return 0;
	if (mode == 0) /* behind a hunk it is prose */
		return u->s.stage == STAGE_HUNKS
			       ? 0
			       : patch_bad(u->reader, "a file mode that cannot be read");
	if (!before && (mode == 0120000 || mode == 0160000))
		return patch_bad(u->reader, "a symlink or submodule in it");
	if (!before && (mode & 0170000) != 0100000)
		return patch_bad(u->reader, "something in it that is no file");
	return 0;
}

enum kind {
	OLD,
	NEW,
	INDEX,
	STAR,
	GIT,
	MODE,
	BINARY,
	FROM,
	TO,
	COPY_FROM,
	COPY_TO
};

static const struct {
	const char *prefix;
	enum kind kind;
} headers[] = {
	{ "--- ", OLD },
	{ "+++ ", NEW },
	{ "Index:", INDEX },
	{ "*** ", STAR },
	{ "diff --git ", GIT },
	{ "new file mode ", MODE },
	{ "deleted file mode ", MODE },
	{ "old mode ", MODE },
	{ "new mode ", MODE },
	{ "index ", MODE },
	{ "GIT binary patch", BINARY },
	{ "rename from ", FROM },
	{ "rename to ", TO },
	{ "rename old ", FROM },
	{ "rename new ", TO },
	{ "copy from ", COPY_FROM },
	{ "copy to ", COPY_TO },
};

static bool
gives_name(enum kind kind)
{
	return kind == OLD || kind == NEW || kind == INDEX || kind == STAR;
}

/* Above a file's hunks, all of its headers are for the same readers. */
static int
check_kinds(struct unified *u, enum kind kind, bool loose)
{
	const struct section *s = &u->s;
	bool mixed;

	if (kind == GIT || s->stage == STAGE_HUNKS)
		return 0;
	if (s->stage == STAGE_CLOSED)
		return patch_bad(u->reader, "\"Index:\" amid git's headers of one file");
	if (gives_name(kind))
		mixed = s->readers == (loose ? READERS_ALL : READERS_PATCH);
	else
		mixed = loose && s->git != GIT_HEADERS_NONE;
	if (mixed)
		return patch_bad(u->reader,
			kind == STAR || s->star.text
				? "a diff that is not unified"
				: "of one file's headers some are indented, and some are not");
	return 0;
}

static const char only_text[] = "a binary patch: only text is patched";

static int
take_header(struct unified *u, struct span line, size_t i, bool indented)
{
	size_t skip = strlen(headers[i].prefix);

	switch (headers[i].kind) {
	case OLD:
		return set_name(u, &u->s.old, line, skip);
	case NEW:
		return set_name(u, &u->s.new, line, skip);
	case INDEX:
		return set_index(u, line, skip);
	case STAR:
		if (is_strict(u) && !indented)
			return patch_bad(u->reader,
				"a context diff: only unified ones are read, and \"*** Begin "
				"Patch\" at the start");
		return set_name(u, &u->s.star, line, skip);
	case GIT:
		return git_begin(u, line, skip);
	case MODE:
		return git_mode(u, line);
	case BINARY:
		if (is_strict(u) && !indented)
			return patch_bad(u->reader, only_text);
		if (u->s.git != GIT_HEADERS_NONE)
			u->s.git = GIT_HEADERS_EXTENDED;
		return 0;
	case FROM:
	case COPY_FROM:
		return set_rename(u, &u->s.from, line, skip, headers[i].kind == COPY_FROM);
	case TO:
	case COPY_TO:
		return set_rename(u, &u->s.to, line, skip, headers[i].kind == COPY_TO);
	}
	return patch_bad(u->reader, "a header that is not known");
}

static int
handle_header(struct unified *u, struct span line, size_t i, bool indented)
{
	enum kind kind = headers[i].kind;
	bool loose = indented || kind == STAR;
	int r = check_kinds(u, kind, loose);

	if (r == 0)
		r = take_header(u, line, i, indented);
	if (gives_name(kind) && u->s.stage != STAGE_CLOSED)
		u->s.readers = loose ? READERS_PATCH : READERS_ALL;
	return r;
}

/* "1,2c3", "4d": what patch(1) would take for a normal diff or an ed script. */
static bool
is_command(struct span line)
{
	size_t i = 0;

	while (i < line.len && (ascii_is_digit(line.text[i]) || line.text[i] == ','))
		i++;
	if (i == 0 || line.text[0] == ',' || i == line.len || !strchr("acdis", line.text[i]) ||
		!line.text[i])
		return false;
	for (i++; i < line.len; i++)
		if ((line.text[i] < '0' || line.text[i] > '9') && line.text[i] != ',')
			return false;
	return true;
}

/* patch(1) looks through indentation, also of X, and through "- " nesting. */
static struct span
strip_indentation(struct span line)
{
	while (line.len > 0 && (strchr(" \tX", line.text[0]) || span_starts(line, "- ")) &&
		line.text[0] != '\0') {
		line.text++;
		line.len--;
	}
	return line;
}

static int
outside_line(struct unified *u, struct span line)
{
	struct span inner = strip_indentation(line);

	if (span_starts(line, "@@ -"))
		return hunk_begin(u, line);
	if (span_starts(line, "@@"))
		return patch_bad(u->reader, "a hunk without line counts");
	if (!span_starts(line, "\\ ")) {
		u->torn = true;
		u->hunk = NULL;
	}
	if (is_strict(u) && span_starts(line, "Binary files "))
		return patch_bad(u->reader, only_text);
	if (span_starts(inner, "***************") || is_command(span_trim(inner)))
		return patch_bad(u->reader, "a diff that is not unified");
	if (inner.text != line.text &&
		(span_starts(inner, "@@ -") || span_starts(inner, "diff --git ")))
		return patch_bad(u->reader, "an indented diff");
	/* patch(1) takes names from indented lines, and then a hunk that is not. */
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (span_starts(inner, headers[i].prefix))
			return handle_header(u, inner, i, inner.text != line.text);
	return 0;
}

/* Content that ends a hunk, looks like a file's header and is followed by
 * another hunk: readers that do not count see a new file there. */
static int
check_lookalike(struct unified *u, struct span line)
{
	struct span old = u->last[0], new = u->last[1];
	struct section s = { 0 };
	int r = 0;

	if (!span_starts(line, "@@ -") || u->s.stage != STAGE_HUNKS || !span_starts(old, "--- ") ||
		!span_starts(new, "+++ "))
		return 0;
	old = (struct span){ old.text + 4, old.len - 4 };
	new = (struct span){ new.text + 4, new.len - 4 };
	r = patch_name_parse(&old, &s.old);
	if (r == 0)
		r = patch_name_parse(&new, &s.new);
	if (r == 0)
		r = section_emit_sides(u->reader, &s, &u->prefixes, AMBIT_ACCESS_WRITE);
	section_finish(&s);
	return r == -EINVAL ? patch_bad(u->reader, "a name that cannot be read") : r;
}

static int
one_line(struct unified *u, const struct patch_text *line)
{
	int r;

	if (span_is(span_trim(line->plain), "*** Begin Patch"))
		return patch_bad(u->reader, "two kinds of patch in one");
	if (u->hunk && u->hunk->n_lines > 0 && span_starts(line->plain, "\\ "))
		u->hunk->lines[u->hunk->n_lines - 1].bare = true;
	if (u->before > 0 || u->after > 0)
		return hunk_line(u, line);
	r = check_lookalike(u, line->plain);
	return r == 0 ? outside_line(u, line->plain) : r;
}

static int
read_lines(struct unified *u)
{
	struct patch_reader *reader = u->reader;
	struct patch_text line;
	int r = 0;

	section_finish(&u->s);
	reader->at = reader->line = 0;
	while (r == 0 && patch_next(reader, &line)) {
		const char *end = line.plain.text + line.plain.len;

		u->returns = end < reader->text + reader->len && *end == '\r';
		r = one_line(u, &line);
		u->last[0] = u->last[1];
		u->last[1] = line.plain;
	}
	if (r == 0 && (u->before > 0 || u->after > 0))
		r = report_counts(u, "it ends inside a hunk");
	if (r == 0)
		r = section_end(u);
	if (r == 0 && !u->changes)
		r = patch_bad(reader, "no change in it");
	section_finish(&u->s);
	return r;
}

/* For names it is read twice: whether one has a prefix depends on all the others. */
int
unified_read(struct patch_reader *reader)
{
	struct patch_reader quiet = *reader;
	struct unified first = { .reader = &quiet };
	struct unified second = { .reader = reader };
	int r;

	if (reader->policy == PATCH_STRICT)
		return read_lines(&second);
	quiet.each = NULL;
	r = read_lines(&first);
	if (r < 0) {
		reader->line = quiet.line;
		reader->miscounted = quiet.miscounted;
		return r;
	}
	second.prefixes.all = first.prefixes.mixed;
	return read_lines(&second);
}
