/* SPDX-License-Identifier: Apache-2.0 */
/* Unified diffs, read as git apply reads them: hunks are counted, names come from
 * "---" and "+++" or, where a file has none, from git's own headers (patch-section.c).
 * lib/patch/unified.c has gone over the text before and lists at least the names that are
 * found here. */

#include <stdlib.h>
#include <string.h>

#include "tools/patch/patch-section.h"

struct unified {
	struct patch_reader *reader;
	struct section s;
	struct patch_hunk *hunk;
	size_t before, after; /* lines that the hunk still has */
};

/* -- sections ------------------------------------------------------------------------- */

/* All lines of a new file are new, all of a deleted one are gone. */
static int
check_hunks(struct unified *u, const struct patch_file *file)
{
	char only = file->change == PATCH_ADD ? '+' : file->change == PATCH_DELETE ? '-' : '\0';

	if (file->n_hunks == 0 && file->change == PATCH_UPDATE && file->run < 0)
		return patch_wrong(u->reader, file->at, "no change of %s", file->path);
	if (only && file->n_hunks > 1)
		return patch_wrong(u->reader, file->hunks[1].at,
			"a second hunk of %s, which is new or deleted", file->path);
	for (size_t i = 0; only && file->n_hunks > 0 && i < file->hunks[0].n_lines; i++)
		if (file->hunks[0].lines[i].sign != only)
			return patch_wrong(u->reader, file->hunks[0].at + i + 1,
				"%s is %s, so every line of it begins with %c", file->path,
				only == '+' ? "new" : "deleted", only);
	return 0;
}

static int
section_end(struct unified *u)
{
	struct section *s = &u->s;
	struct patch_file *file;
	int r;

	u->hunk = NULL;
	if (!s->git && !s->old.text && !s->new.text && s->hunks.n_hunks == 0)
		return 0;
	r = section_check(u->reader, s);
	if (r < 0)
		return r;
	file = patch_add_file(u->reader, s->from.text || s->to.text
						 ? (s->copy ? PATCH_COPY : PATCH_MOVE)
					 : s->deleted || s->new.nothing ? PATCH_DELETE
					 : s->created || s->old.nothing ? PATCH_ADD
									: PATCH_UPDATE);
	if (!file)
		return err_nomem(u->reader->err);
	file->at = s->at;
	file->run = file->change == PATCH_DELETE ? -1 : s->run;
	file->matches = file->change == PATCH_DELETE;
	file->hunks = s->hunks.hunks;
	file->n_hunks = s->hunks.n_hunks;
	s->hunks = (struct patch_file){ 0 };
	r = section_name(u->reader, s, file);
	if (r == 0)
		r = check_hunks(u, file);
	section_finish(s);
	return r;
}

/* -- lines ----------------------------------------------------------------------------- */

/* The same header twice, or names behind a hunk: a new file begins. */
static int
set_name(struct unified *u, struct patch_name *slot, struct span rest)
{
	int r = slot->text || u->s.hunks.n_hunks > 0 ? section_end(u) : 0;

	if (r < 0)
		return r;
	if (!u->s.git && !u->s.old.text && !u->s.new.text)
		u->s.at = u->reader->line;
	r = patch_name_parse(&rest, slot);
	if (r == -ENOMEM)
		return err_nomem(u->reader->err);
	return r < 0 ? patch_wrong(u->reader, u->reader->line, "a name that cannot be read") : 0;
}

static int
set_rename(struct unified *u, struct patch_name *slot, struct span rest, bool copy)
{
	if (!u->s.git)
		return 0;
	u->s.copy = copy;
	if (slot->text || u->s.hunks.n_hunks > 0)
		return patch_wrong(u->reader, u->reader->line, "a rename that stands elsewhere");
	return set_name(u, slot, rest);
}

static int
git_begin(struct unified *u, struct span rest)
{
	int r = section_end(u);

	if (r < 0)
		return r;
	u->s.git = true;
	u->s.at = u->reader->line;
	r = patch_name_pair(rest, &u->s.git_old, &u->s.git_new);
	if (r == -ENOMEM)
		return err_nomem(u->reader->err);
	return r < 0 ? patch_wrong(u->reader, u->reader->line, "a name that cannot be read") : 0;
}

/* Of a mode only whether the owner may execute the file is kept, as git does. */
static int
set_mode(struct unified *u, struct span rest)
{
	unsigned mode = 0;

	if (!u->s.git || u->s.hunks.n_hunks > 0)
		return 0;
	for (size_t i = 0; i < rest.len && rest.text[i] >= '0' && rest.text[i] <= '7'; i++)
		mode = (mode * 8 + (unsigned)(rest.text[i] - '0')) & 0777777;
	u->s.run = (mode & 0100) != 0;
	return 0;
}

enum kind {
	OLD,
	NEW,
	GIT,
	CREATED,
	DELETED,
	MODE,
	BINARY,
	FROM,
	TO,
	COPY_FROM,
	COPY_TO,
	CONTEXT
};

static const struct {
	const char *prefix;
	enum kind kind;
} headers[] = {
	{ "--- ", OLD },
	{ "+++ ", NEW },
	{ "diff --git ", GIT },
	{ "new file mode ", CREATED },
	{ "deleted file mode ", DELETED },
	{ "new mode ", MODE },
	{ "GIT binary patch", BINARY },
	{ "Binary files ", BINARY },
	{ "rename from ", FROM },
	{ "rename to ", TO },
	{ "rename old ", FROM },
	{ "rename new ", TO },
	{ "copy from ", COPY_FROM },
	{ "copy to ", COPY_TO },
	/* What was decided was read with these as headers. */
	{ "*** ", CONTEXT },
};

static int
read_header_line(struct unified *u, enum kind kind, struct span rest)
{
	switch (kind) {
	case OLD:
		return set_name(u, &u->s.old, rest);
	case NEW:
		return set_name(u, &u->s.new, rest);
	case GIT:
		return git_begin(u, rest);
	case CREATED:
		u->s.created = u->s.created || (u->s.git && u->s.hunks.n_hunks == 0);
		return set_mode(u, rest);
	case MODE:
		return set_mode(u, rest);
	case DELETED:
		u->s.deleted = u->s.deleted || (u->s.git && u->s.hunks.n_hunks == 0);
		return 0;
	case BINARY:
		return patch_wrong(
			u->reader, u->reader->line, "a binary patch: only text is patched");
	case CONTEXT:
		return patch_wrong(u->reader, u->reader->line,
			"a context diff: only unified ones are read, and \"*** Begin Patch\" at "
			"the start");
	case FROM:
	case COPY_FROM:
		return set_rename(u, &u->s.from, rest, kind == COPY_FROM);
	case TO:
	case COPY_TO:
		return set_rename(u, &u->s.to, rest, kind == COPY_TO);
	}
	return -EINVAL;
}

static int
hunk_begin(struct unified *u, struct span line)
{
	struct patch_range range;

	if (!patch_read_range((struct span){ line.text + 3, line.len - 3 }, &range))
		return patch_wrong(u->reader, u->reader->line, "a hunk without line counts");
	if (!u->s.old.text || !u->s.new.text)
		return patch_wrong(
			u->reader, u->reader->line, "a hunk without \"---\" and \"+++\" above it");
	u->hunk = patch_add_hunk(u->reader, &u->s.hunks);
	if (!u->hunk)
		return err_nomem(u->reader->err);
	u->hunk->placed = u->hunk->counted = true;
	u->hunk->start = range.old_start;
	u->before = range.old_count;
	u->after = range.new_count;
	return 0;
}

static int
hunk_line(struct unified *u, struct span line)
{
	bool empty = line.len == 0 || (line.len == 1 && line.text[0] == '\r');
	char sign = empty ? ' ' : line.text[0];

	if (sign == '\\')
		return 0;
	if ((sign != ' ' && sign != '+' && sign != '-') || (sign != '+' && u->before == 0) ||
		(sign != '-' && u->after == 0))
		return patch_wrong(u->reader, u->reader->line, "a hunk that does not add up");
	u->before -= sign != '+';
	u->after -= sign != '-';
	return patch_add_line(u->reader, u->hunk, sign,
		empty ? line : (struct span){ line.text + 1, line.len - 1 });
}

static int
one_line(struct unified *u, struct span line)
{
	if (u->hunk && u->hunk->n_lines > 0 && span_starts(line, "\\ ")) {
		u->hunk->lines[u->hunk->n_lines - 1].bare = true;
		return 0;
	}
	if (u->before > 0 || u->after > 0)
		return hunk_line(u, line);
	if (span_starts(line, "@@ -"))
		return hunk_begin(u, line);
	u->hunk = NULL;
	if (line.len > 0 && line.text[line.len - 1] == '\r')
		line.len--;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		size_t n = strlen(headers[i].prefix);

		if (span_starts(line, headers[i].prefix))
			return read_header_line(
				u, headers[i].kind, (struct span){ line.text + n, line.len - n });
	}
	return 0;
}

int
patch_read_unified(struct patch_reader *reader)
{
	struct unified u = { .reader = reader, .s.run = -1 };
	struct span line;
	int r = 0;

	while (r == 0 && patch_next(reader, &line))
		r = one_line(&u, line);
	if (r == 0 && (u.before > 0 || u.after > 0))
		r = patch_wrong(reader, reader->line, "it ends inside a hunk");
	if (r == 0)
		r = section_end(&u);
	section_finish(&u.s);
	return r;
}
