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
#include "patch/patchname.h"

enum section_stage {
	STAGE_HEADERS = 0,
	STAGE_HUNKS,
	STAGE_CLOSED, /* "Index:" stood below git's headers: only "diff --git" may follow */
};

enum git_headers {
	GIT_HEADERS_NONE = 0,
	GIT_HEADERS_NAMES,    /* "diff --git" alone, which changes nothing by itself */
	GIT_HEADERS_EXTENDED, /* a mode, a rename or copy, or binary content too */
};

/* The kind of reader that takes names from the headers so far. Above the hunks, one file has names
 * of one kind only. */
enum name_readers {
	READERS_NONE = 0,
	READERS_ALL,
	READERS_PATCH, /* patch(1) alone: indented, or "***" */
};

struct section {
	struct patch_name git_old, git_new;   /* of the "diff --git" line, as git reads it */
	struct patch_name word_old, word_new; /* and as patch(1) does */
	struct patch_name old, new;	      /* "---", "+++" */
	struct patch_name index, star;	      /* "Index:", "***": patch(1) takes these too */
	struct patch_name from, to;	      /* rename or copy */
	enum section_stage stage;
	enum git_headers git;
	enum name_readers readers;
	bool copy;	       /* from and to are of a copy, not a rename */
	bool deleted, created; /* by git's headers; a patch may say both */
	bool empties;	       /* some hunk leaves nothing */
};

struct unified {
	struct patch_sink *sink;
	struct section s;
	size_t before, after; /* lines the hunk still has, on either side */
	struct span last[2];  /* the two lines before this one */
	bool crlf;	      /* every line ends in "\r\n" */
	bool returns;	      /* this line does */
	bool changes;
	bool torn;  /* something stood behind the last hunk */
	bool mixed; /* some name has no prefix */
	bool all;   /* list every name with its first component too */
};

static void
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
	*s = (struct section){ 0 };
}

/* One name, with its first component (patch -p1, git apply) or without. */
static int
emit_stripped(struct patch_sink *sink, const char *text, size_t len, enum ambit_access access)
{
	const char *slash = memchr(text, '/', len);
	size_t n;
	int r;

	if (!slash)
		return 0;
	n = (size_t)(slash - text) + 1;
	if (n == len)
		return 0;
	r = sink->each(sink->data, text + n, len - n, access);
	if (r != 0 || text[n] != '/')
		return r;
	while (n < len && text[n] == '/') /* patch(1) takes all of "a//" away, git one slash */
		n++;
	return n < len ? sink->each(sink->data, text + n, len - n, access) : 0;
}

static int
emit_text(struct patch_sink *sink, const char *text, size_t len, bool prefixed,
	enum ambit_access access)
{
	int r = 0;

	if (len == 0)
		return 0;
	if (!prefixed)
		r = sink->each(sink->data, text, len, access);
	return r == 0 ? emit_stripped(sink, text, len, access) : r;
}

static int
emit_patch_name(struct patch_sink *sink, const struct patch_name *name, bool prefixed,
	enum ambit_access access)
{
	int r;

	if (!name->text || name->nothing)
		return 0;
	r = emit_text(sink, name->text, name->len, prefixed, access);
	if (r == 0 && name->cut > 0)
		r = emit_text(sink, name->text, name->cut, prefixed, access);
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
may_strip_prefix(
	struct unified *u, const struct patch_name *old, const struct patch_name *new, bool rename)
{
	bool prefixed = is_prefixed(old, new, rename);

	if ((old->text || new->text) && !prefixed)
		u->mixed = true;
	return prefixed && !u->all;
}

static int
emit_sides(struct unified *u, const struct section *s, enum ambit_access access)
{
	bool rename = s->from.text && s->to.text;
	bool plain = may_strip_prefix(u, &s->old, &s->new, rename);
	bool git = may_strip_prefix(u, &s->git_old, &s->git_new, rename);
	bool words = may_strip_prefix(u, &s->word_old, &s->word_new, rename);
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
		r = emit_patch_name(u->sink, sides[i].name, sides[i].prefixed, access);
	return r;
}

static int
emit_rename(struct patch_sink *sink, const struct section *s)
{
	enum ambit_access from = s->copy ? AMBIT_ACCESS_READ : AMBIT_ACCESS_DELETE;
	enum ambit_access to = s->copy ? AMBIT_ACCESS_WRITE : AMBIT_ACCESS_REPLACE;
	int r = 0;

	if (!s->from.text != !s->to.text)
		return patch_bad(sink, "a rename or copy with one side only");
	if (!s->from.text)
		return 0;
	r = sink->each(sink->data, s->from.text, s->from.len, from);
	return r == 0 ? sink->each(sink->data, s->to.text, s->to.len, to) : r;
}

/* What the section said, when it is over. A patch that says two things about
 * one file (deleted, but with a new name) gets both. */
static int
section_end(struct unified *u)
{
	struct section *s = &u->s;
	bool gone = s->deleted || s->new.nothing, stays = s->created || !gone;
	bool named = (s->old.text && !s->old.nothing) || (s->new.text && !s->new.nothing) ||
		     s->git_old.text || s->word_old.text || s->index.text || s->star.text ||
		     s->to.text;
	bool any =
		s->git != GIT_HEADERS_NONE || s->stage == STAGE_HUNKS || s->old.text || s->new.text;
	int r = 0;

	if (any && !named)
		return patch_bad(u->sink, "a file whose name cannot be told");
	if (s->new.text && !s->new.nothing && gone)
		stays = true;
	if (gone || s->empties)
		r = emit_sides(u, s, AMBIT_ACCESS_DELETE);
	if (r == 0 && stays)
		r = emit_sides(u, s, AMBIT_ACCESS_WRITE);
	if (r == 0)
		r = emit_rename(u->sink, s);
	u->changes = u->changes || s->stage == STAGE_HUNKS || s->git == GIT_HEADERS_EXTENDED;
	section_finish(s);
	return r;
}

/* "12,3": the second number, one if there is none. */
static bool
parse_range(struct span *s, size_t *ret_start, size_t *ret_count)
{
	size_t numbers[2] = { 0, 1 }, i = 0;

	for (int n = 0; n < 2; n++) {
		size_t first = i;

		numbers[n] = 0;
		for (; i < s->len && ascii_is_digit(s->text[i]); i++)
			numbers[n] = numbers[n] * 10 + (size_t)(s->text[i] - '0');
		if (i == first || i - first > 9)
			return false;
		if (n == 0 && (i == s->len || s->text[i] != ',')) {
			numbers[1] = 1;
			break;
		}
		i += n == 0;
	}
	s->text += i;
	s->len -= i;
	*ret_start = numbers[0];
	*ret_count = numbers[1];
	return true;
}

static int
hunk_begin(struct unified *u, struct span line)
{
	struct span s = { line.text + 4, line.len - 4 };
	size_t start = 0, after = 0;

	if (!parse_range(&s, &start, &u->before) || !span_starts(s, " +"))
		return patch_bad(u->sink, "a hunk without line counts");
	s.text += 2;
	s.len -= 2;
	if (!parse_range(&s, &after, &u->after) || !span_starts(s, " @@"))
		return patch_bad(u->sink, "a hunk without line counts");
	if (!u->s.old.text && !u->s.new.text && !u->s.index.text && !u->s.star.text)
		return patch_bad(u->sink, "a hunk without a file");
	if (start == 0 && u->before == 0 && after == 0 && u->after == 0)
		return patch_bad(u->sink, "an empty hunk");
	/* Behind anything but a hunk, patch(1) looks for a new file, and takes
	 * this hunk's lines for its headers. */
	if (u->s.stage == STAGE_HUNKS && u->torn)
		return patch_bad(u->sink, "a hunk without a file");
	u->s.stage = STAGE_HUNKS;
	u->torn = false;
	u->s.empties = u->s.empties || (after == 0 && u->after == 0);
	return 0;
}

static int
hunk_line(struct unified *u, struct span line)
{
	char c = line.len > 0 ? line.text[0] : ' ';

	if (c == '\\' && line.len > 1)
		return 0;
	if (c != ' ' && c != '+' && c != '-')
		return patch_bad(u->sink, "a hunk that is shorter than it says");
	if ((c != '+' && u->before == 0) || (c != '-' && u->after == 0))
		return patch_bad(u->sink, "a hunk that does not add up");
	u->before -= c != '+';
	u->after -= c != '-';
	return 0;
}

static int
set_name(struct unified *u, struct patch_name *slot, struct span line, size_t skip)
{
	struct span rest = { line.text + skip, line.len - skip };
	struct patch_name name;
	int r = 0;

	if (u->returns && !u->crlf)
		return patch_bad(u->sink, "a carriage return behind one name only");
	/* The same header twice, or names behind a hunk: a new file begins. */
	if (slot->text || u->s.stage == STAGE_HUNKS)
		r = section_end(u);
	if (r != 0)
		return r;
	r = patch_name_parse(&rest, &name);
	if (r == -EINVAL)
		return patch_bad(u->sink, "a name that cannot be read");
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
		return patch_bad(u->sink, "a name that cannot be read");
	if (u->s.stage != STAGE_HUNKS && (u->s.from.text || u->s.to.text) && u->s.copy != copy)
		return patch_bad(u->sink, "a rename and a copy of one file");
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

	if (r == 0 && u->returns && !u->crlf)
		r = patch_bad(u->sink, "a carriage return behind one name only");
	if (r != 0)
		return r;
	u->s.git = GIT_HEADERS_NAMES;
	u->s.readers = READERS_ALL;
	r = patch_name_pair(rest, &u->s.git_old, &u->s.git_new);
	if (r == 0)
		r = patch_name_words(rest, &u->s.word_old, &u->s.word_new);
	return r == -EINVAL ? patch_bad(u->sink, "a name that cannot be read") : r;
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
		return patch_bad(u->sink, "\"Index:\" between \"---\" and \"+++\"");
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

/* A link made by the patch could carry its next file anywhere. */
static int
git_mode(struct unified *u, struct span line)
{
	unsigned mode = parse_mode(line);
	bool before = span_starts(line, "deleted ") || span_starts(line, "old ");

	if (u->s.git == GIT_HEADERS_NONE)
		return 0;
	u->s.deleted = u->s.deleted || span_starts(line, "deleted file mode ");
	u->s.created = u->s.created || span_starts(line, "new file mode ");
	if (!span_starts(line, "index "))
		u->s.git = GIT_HEADERS_EXTENDED;
	if (!has_mode(line))
		return 0;
	if (mode == 0) /* behind a hunk it is prose */
		return u->s.stage == STAGE_HUNKS
			       ? 0
			       : patch_bad(u->sink, "a file mode that cannot be read");
	if (!before && (mode == 0120000 || mode == 0160000))
		return patch_bad(u->sink, "a symlink or submodule in it");
	if (!before && (mode & 0170000) != 0100000)
		return patch_bad(u->sink, "something in it that is no file");
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
		return patch_bad(u->sink, "\"Index:\" amid git's headers of one file");
	if (gives_name(kind))
		mixed = s->readers == (loose ? READERS_ALL : READERS_PATCH);
	else
		mixed = loose && s->git != GIT_HEADERS_NONE;
	if (mixed)
		return patch_bad(u->sink,
			kind == STAR || s->star.text
				? "a diff that is not unified"
				: "of one file's headers some are indented, and some are not");
	return 0;
}

static int
take_header(struct unified *u, struct span line, size_t i)
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
		return set_name(u, &u->s.star, line, skip);
	case GIT:
		return git_begin(u, line, skip);
	case MODE:
		return git_mode(u, line);
	case BINARY:
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
	return patch_bad(u->sink, "a header that is not known");
}

static int
handle_header(struct unified *u, struct span line, size_t i, bool indented)
{
	enum kind kind = headers[i].kind;
	bool loose = indented || kind == STAR;
	int r = check_kinds(u, kind, loose);

	if (r == 0)
		r = take_header(u, line, i);
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
		return patch_bad(u->sink, "a hunk without line counts");
	u->torn = u->torn || !span_starts(line, "\\ ");
	if (span_starts(inner, "***************") || is_command(span_trim(inner)))
		return patch_bad(u->sink, "a diff that is not unified");
	if (inner.text != line.text &&
		(span_starts(inner, "@@ -") || span_starts(inner, "diff --git ")))
		return patch_bad(u->sink, "an indented diff");
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
		r = emit_sides(u, &s, AMBIT_ACCESS_WRITE);
	section_finish(&s);
	return r == -EINVAL ? patch_bad(u->sink, "a name that cannot be read") : r;
}

static int
one_line(struct unified *u, struct span line)
{
	int r;

	if (span_is(span_trim(line), "*** Begin Patch"))
		return patch_bad(u->sink, "two kinds of patch in one");
	if (u->before > 0 || u->after > 0)
		return hunk_line(u, line);
	r = check_lookalike(u, line);
	return r == 0 ? outside_line(u, line) : r;
}

static bool
ends_in_returns(const char *text, size_t len)
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
read_unified_text(struct unified *u, const char *text, size_t len)
{
	struct span line;
	size_t at = 0;
	int r = 0;

	u->sink->line = 0;
	u->crlf = ends_in_returns(text, len);
	while (r == 0 && span_next(text, len, &at, &line)) {
		const char *end = line.text + line.len;

		u->sink->line++;
		u->returns = end < text + len && *end == '\r';
		r = one_line(u, line);
		u->last[0] = u->last[1];
		u->last[1] = line;
	}
	if (r == 0 && (u->before > 0 || u->after > 0))
		r = patch_bad(u->sink, "it ends inside a hunk");
	if (r == 0)
		r = section_end(u);
	if (r == 0 && !u->changes)
		r = patch_bad(u->sink, "no change in it");
	section_finish(&u->s);
	return r;
}

static int
ignore_patch_path(void *data, const char *path, size_t len, enum ambit_access access)
{
	(void)data;
	(void)path;
	(void)len;
	(void)access;
	return 0;
}

/* Read twice: what one name means depends on all the others. */
int
unified_paths(const char *text, size_t len, struct patch_sink *sink)
{
	struct patch_sink quiet = { .each = ignore_patch_path };
	struct unified first = { .sink = &quiet };
	struct unified second = { .sink = sink };
	int r = read_unified_text(&first, text, len);

	if (r < 0) {
		sink->why = quiet.why;
		sink->line = quiet.line;
		return r;
	}
	second.all = first.mixed;
	return read_unified_text(&second, text, len);
}
