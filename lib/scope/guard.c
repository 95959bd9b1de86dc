/* SPDX-License-Identifier: Apache-2.0 */
/* Matches paths against guards. The decision is by name, on the real path and
 * on the path as written; guard-scan.c adds what a name cannot tell: other
 * names of guards that exist already. guard-index.c finds the rows to compare
 * a component with. */

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ambit/tool.h>

#include "base/glob.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/guard-private.h"
#include "scope/profile.h"

/* What is wrong with one component, or NULL. */
static const char *
part_fault(const char *part)
{
	if (part[0] == '\0')
		return "an empty component";
	if (streq(part, ".") || streq(part, ".."))
		return "'.' and '..' match no name";
	if (streq(part, "**"))
		return NULL;
	if (strstr(part, "**"))
		return "'**' must be a component of its own";
	return glob_check(part) < 0 ? "a bracket that is not closed, or a '\\' at the end" : NULL;
}

const char *
guard_pattern_fault(const char *pattern)
{
	const char *rest = pattern, *fault = NULL;
	int parts = 0, any = 0;

	if (str_prefix(rest, "~/"))
		rest += 2;
	else if (rest[0] == '/')
		rest += 1;
	else if (rest[0] == '~')
		return "'~' must be followed by '/'";
	while (rest && !fault) {
		char part[NAME_MAX + 1];
		size_t n = strcspn(rest, "/");

		if (n > NAME_MAX)
			return "a component longer than a name can be";
		memcpy(part, rest, n);
		part[n] = '\0';
		fault = part_fault(part);
		rest = rest[n] == '/' ? rest + n + 1 : NULL;
		/* Each "**" before the last part multiplies the work by the depth of a
		 * path, and patterns come from a file in the folder too. */
		any += streq(part, "**") && rest;
		if (++parts > GUARD_PARTS_MAX)
			return "too many components";
	}
	return fault ? fault : any > 2 ? "more than two '**' on the way" : NULL;
}

/* A pattern that guard_pattern_fault has nothing to say about. */
static size_t
compile_guard(struct guard_compiled *c, const struct guard *guard, struct guard_part *parts)
{
	const char *p = guard->pattern;

	c->guard = guard;
	c->parts = parts;
	c->anchor = str_prefix(p, "~/") ? ANCHOR_HOME : p[0] == '/' ? ANCHOR_ROOT : ANCHOR_NONE;
	p += c->anchor == ANCHOR_HOME ? 2 : c->anchor == ANCHOR_ROOT ? 1 : 0;
	for (; *p; p += *p == '/') {
		struct guard_part *part = &c->parts[c->n_parts++];

		part->text = p;
		part->len = (uint16_t)strcspn(p, "/");
		part->any = part->len == 2 && p[0] == '*' && p[1] == '*';
		part->glob = strcspn(p, "*?[\\") < part->len;
		part->tail = p[0] == '*' && strcspn(p + 1, "*?[\\/") + 1 == part->len;
		p += part->len;
	}
	return c->n_parts;
}

static size_t
count_parts(const char *pattern)
{
	size_t n = 1;

	for (; *pattern; pattern++)
		n += *pattern == '/';
	return n;
}

static bool
has_pattern(char *const *list, const char *pattern)
{
	for (size_t i = 0; list && list[i]; i++)
		if (streq(list[i], pattern))
			return true;
	return false;
}

static int
add_chosen_guard(struct guards *guards, const struct guard *guard, struct ambit_error *err)
{
	const struct guard **more = realloc(guards->chosen, (guards->n_chosen + 1) * sizeof(*more));

	if (!more)
		return err_nomem(err);
	guards->chosen = more;
	more[guards->n_chosen++] = guard;
	return 0;
}

static int
add_list(struct guards *guards, char *const *list, bool reads, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && list && list[i]; i++) {
		const char *fault = guard_pattern_fault(list[i]);
		struct guard_own *own = fault ? NULL : calloc(1, sizeof(*own));

		if (fault)
			return err_set(err, EINVAL, "bad pattern '%s': %s", list[i], fault);
		if (!own)
			return err_nomem(err);
		own->next = guards->own;
		guards->own = own;
		own->text = strdup(list[i]);
		if (!own->text)
			return err_nomem(err);
		own->guard = (struct guard){
			.pattern = own->text,
			.reads = reads,
			.text = reads ? "your settings guard it (guard_reads)"
				      : "your settings guard it (guard_writes)",
			.source = "the settings",
		};
		r = add_chosen_guard(guards, &own->guard, err);
	}
	return r;
}

static const char *const *
profile_stores(const struct profile *profile)
{
	return streq(profile->kind, "cache") ? profile->folders : profile->stores;
}

static int
add_store(struct guards *guards, const struct ambit_scope *scope, const char *folder)
{
	auto_free char *store = str_prefix(folder, "~/")
					? str_printf("%s/%s", guards->home, folder + 2)
					: str_dup(folder);

	if (!store)
		return -ENOMEM;
	return str_beneath(scope->root.real, store) ? 0 : strv_append(&guards->stores, store);
}

/* Where package managers and agents unpack what others wrote. A folder that lies in one is worked
 * in, so that its guards count. */
static int
find_stores(struct guards *guards, const struct ambit_scope *scope)
{
	const struct profile *profile;
	int r = 0;

	if (guards->stores || !guards->home)
		return 0;
	for (size_t i = 0; r == 0 && (profile = profile_at(i)); i++)
		for (const char *const *folder = profile_stores(profile);
			r == 0 && folder && *folder; folder++)
			r = add_store(guards, scope, *folder);
	return r;
}

int
guards_create(
	const struct guards_options *options, struct guards **ret_guards, struct ambit_error *err)
{
	struct guards *guards = calloc(1, sizeof(*guards));
	int r = 0;

	if (!guards)
		return err_nomem(err);
	for (const struct guard *g = guard_table; r == 0 && g->pattern; g++)
		if (!has_pattern(g->reads ? options->no_reads : options->no_writes, g->pattern))
			r = add_chosen_guard(guards, g, err);
	if (r == 0)
		r = add_list(guards, options->writes, false, err);
	if (r == 0)
		r = add_list(guards, options->reads, true, err);
	if (r == 0 && options->scope->home) {
		guards->home = strdup(options->scope->home);
		if (!guards->home)
			r = err_nomem(err);
	}
	if (r == 0 && !options->later)
		r = guards_ready(guards, options->scope, err);
	if (r < 0) {
		guards_destroy(guards);
		return r;
	}
	*ret_guards = guards;
	return 0;
}

/* What a scan that failed has found stays: told twice is not told wrong. */
int
guards_ready(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err)
{
	size_t n = 0;
	int r;

	if (guards->ready)
		return 0;
	if (!guards->rows) {
		for (size_t i = 0; i < guards->n_chosen; i++)
			n += count_parts(guards->chosen[i]->pattern);
		free(guards->parts);
		guards->parts = calloc(n + 1, sizeof(*guards->parts));
		guards->rows = calloc(guards->n_chosen + 1, sizeof(*guards->rows));
		if (!guards->rows || !guards->parts) {
			free(guards->rows);
			guards->rows = NULL;
			return err_nomem(err);
		}
		n = 0;
		for (size_t i = 0; i < guards->n_chosen; i++)
			n += compile_guard(&guards->rows[i], guards->chosen[i], guards->parts + n);
		guards->n_rows = guards->n_chosen;
		guards_index(guards);
	}
	if (find_stores(guards, scope) < 0)
		return err_nomem(err);
	r = guards_scan(guards, scope, err);
	guards->ready = r == 0;
	return r;
}

void
guards_destroy(struct guards *guards)
{
	if (!guards)
		return;
	while (guards->own) {
		struct guard_own *next = guards->own->next;

		free(guards->own->text);
		free(guards->own->why);
		free(guards->own->except);
		free(guards->own);
		guards->own = next;
	}
	for (size_t i = 0; i < guards->n_places; i++)
		free(guards->places[i].real);
	for (size_t i = 0; i < guards->n_aliases; i++)
		free(guards->aliases[i].real);
	strv_free(guards->repositories);
	strv_free(guards->above);
	strv_free(guards->gitdirs);
	strv_free(guards->stores);
	free(guards->places);
	free(guards->aliases);
	free(guards->inodes);
	free(guards->rows);
	free(guards->parts);
	free(guards->chosen);
	free(guards->home);
	free(guards);
}

/* -- matching by name ----------------------------------------------------- */

struct split {
	const char *path;
	struct {
		uint16_t at, len;
	} parts[PATH_MAX / 2 + 1];
	size_t n;
	bool wide; /* has a byte outside ASCII */
};

static void
split_components(struct split *s, const char *path)
{
	size_t from = 0;

	s->path = path;
	s->n = 0;
	s->wide = false;
	for (size_t i = 0; i < PATH_MAX; i++) {
		s->wide |= (unsigned char)path[i] >= 0x80;
		if (path[i] != '/' && path[i] != '\0')
			continue;
		if (i > from) {
			s->parts[s->n].at = (uint16_t)from;
			s->parts[s->n].len = (uint16_t)(i - from);
			s->n++;
		}
		from = i + 1;
		if (path[i] == '\0')
			return;
	}
}

static bool
part_match(const struct guard_part *part, const struct split *s, size_t i)
{
	const char *text = s->path + s->parts[i].at;
	size_t len = s->parts[i].len;

	if (part->tail && !s->wide)
		return len + 1 >= part->len &&
		       str_fold_equal(part->text + 1, text + len + 1 - part->len, part->len - 1u);
	if (part->glob || s->wide)
		return glob_match(part->text, part->len, text, len, true);
	return part->len == len && str_fold_equal(part->text, text, len);
}

/* How the path from component i on meets the pattern from part j on; what
 * says more is larger. */
enum meet {
	MEET_NOT = 0,
	MEET_BENEATH, /* the path lies beneath a name that is guarded as a file */
	MEET_ABOVE,   /* what the pattern names may come to lie beneath the path */
	MEET_SELF,    /* the path is the directory of a pattern that ends in "**" */
	MEET_EXACT,   /* the path is what the pattern names, or beneath its "**" */
};

static enum meet meet_pattern(
	const struct guard_compiled *c, size_t j, const struct split *s, size_t i);

/* Part j is a "**" with more behind it: the best of what it may stand for. Whatever the
 * path goes on with, the rest of the pattern may follow. */
static enum meet
meet_any(const struct guard_compiled *c, size_t j, const struct split *s, size_t i)
{
	enum meet best = MEET_ABOVE;

	for (size_t k = i; k < s->n && best != MEET_EXACT; k++) {
		enum meet m = meet_pattern(c, j + 1, s, k);

		if (m > best)
			best = m;
	}
	return best;
}

static enum meet
meet_pattern(const struct guard_compiled *c, size_t j, const struct split *s, size_t i)
{
	for (; j < c->n_parts; i++, j++) {
		const struct guard_part *part = &c->parts[j];

		if (part->any && j + 1 == c->n_parts)
			return i == s->n ? MEET_SELF : MEET_EXACT;
		if (part->any)
			return meet_any(c, j, s, i);
		if (i >= s->n)
			return j > 0 ? MEET_ABOVE : MEET_NOT;
		if (!part_match(part, s, i))
			return MEET_NOT;
	}
	return i == s->n ? MEET_EXACT : MEET_BENEATH;
}

/* When it matters that a guard may lie beneath the name. */
enum beneath {
	BENEATH_NEVER = 0, /* only the name itself is meant */
	BENEATH_NAMED,	   /* anything may be put there: where the pattern spells the name out */
	BENEATH_ALWAYS,	   /* a directory is put there, and brings what it holds */
};

/* Whether the path ended before the first "**" of the pattern. Beneath ".git/modules" all
 * names may have a guard beneath them, but git puts plain files there all the time. */
static bool
is_spelled_out(const struct guard_compiled *c, const struct split *s, size_t i)
{
	for (size_t p = 0; p < c->n_parts && i + p < s->n; p++)
		if (c->parts[p].any)
			return false;
	return true;
}

/* Whether meeting a pattern from component i on in this way means touching what it
 * guards. */
static bool
is_guard_touched(const struct guard_compiled *c, enum meet m, enum ambit_access access,
	const struct split *s, size_t i, enum beneath beneath)
{
	const struct guard *g = c->guard;
	bool writes = access_writes(access);

	if (m == MEET_NOT || g->reads == writes)
		return false;
	/* ".git" guards the name; what lies beneath has rows of its own. */
	if (m == MEET_BENEATH)
		return false;
	/* A directory that is moved or copied to ".claude" brings its own
	 * settings.json along, and nobody was asked about that name. */
	if (m == MEET_ABOVE)
		return (access == AMBIT_ACCESS_WRITE || access == AMBIT_ACCESS_REPLACE) &&
		       (beneath == BENEATH_ALWAYS ||
			       (beneath == BENEATH_NAMED && is_spelled_out(c, s, i)));
	/* The directory of a guard, or ".git": making it is fine, and so is
	 * listing it; removing, replacing or writing it as a file is not. */
	if (m == MEET_SELF)
		return writes ? access != AMBIT_ACCESS_MKDIR : access == AMBIT_ACCESS_READ_TREE;
	if (access == AMBIT_ACCESS_MKDIR && streq(g->pattern, ".git"))
		return false;
	if (access == AMBIT_ACCESS_DELETE ? g->loose : g->kept)
		return false;
	if (g->except && s->n > 0 &&
		glob_match(g->except, strlen(g->except), s->path + s->parts[s->n - 1].at,
			s->parts[s->n - 1].len, false))
		return false;
	return true;
}

/* In a package manager's store nobody starts an editor or an agent, and the tool that
 * owns the store runs the packages' own code anyway. */
static bool
is_stored(const struct guards *guards, const char *path)
{
	for (size_t i = 0; guards->stores && guards->stores[i]; i++)
		if (str_beneath(path, guards->stores[i]))
			return true;
	return false;
}

static const struct guard *
match_rows(const struct guards *guards, const struct guard_ranges *ranges, const struct split *s,
	size_t i, enum ambit_access access, enum beneath beneath)
{
	bool writes = access_writes(access);

	for (size_t n = 0; n < ranges->n; n++)
		for (size_t r = ranges->at[n].from; r < ranges->at[n].to; r++) {
			const struct guard_compiled *c = &guards->rows[r];

			if (c->guard->reads != writes &&
				is_guard_touched(
					c, meet_pattern(c, 0, s, i), access, s, i, beneath) &&
				!(c->guard->project && is_stored(guards, s->path)))
				return c->guard;
		}
	return NULL;
}

static size_t
parts_of(const char *path)
{
	size_t n = 0;

	for (const char *p = path; *p; p++)
		n += p[0] == '/' && p[1] != '\0';
	return n;
}

/* The rows for component i, which need not be there, of those that begin in the home. */
static void
find_in_home(const struct guards *guards, const struct split *s, size_t i,
	struct guard_ranges *ret_ranges)
{
	bool there = i < s->n;

	guards_in_home(guards, s->path + (there ? s->parts[i].at : 0), there ? s->parts[i].len : 0,
		s->wide, ret_ranges);
}

static const struct guard *
match_anchored(const struct guards *guards, const struct split *s, enum ambit_access access,
	enum beneath beneath)
{
	const struct guard *guard = NULL;
	struct guard_ranges ranges;

	if (guards->home && str_beneath(s->path, guards->home)) {
		size_t home = parts_of(guards->home);

		find_in_home(guards, s, home, &ranges);
		guard = match_rows(guards, &ranges, s, home, access, beneath);
	}
	guards_at_root(guards, &ranges);
	return guard ? guard : match_rows(guards, &ranges, s, 0, access, beneath);
}

static const struct guard *
match_name(const struct guards *guards, const char *path, enum ambit_access access,
	enum beneath beneath)
{
	const struct guard *guard = NULL;
	struct split s;

	split_components(&s, path);
	for (size_t i = 0; i < s.n && !guard; i++) {
		struct guard_ranges ranges;

		guards_floating(guards, path + s.parts[i].at, s.parts[i].len, s.wide, &ranges);
		guard = match_rows(guards, &ranges, &s, i, access, beneath);
	}
	return guard ? guard : match_anchored(guards, &s, access, beneath);
}

/* -- what exists ----------------------------------------------------------- */

/* As str_beneath, for a list that every call goes through. */
static bool
place_holds(const struct guard_place *place, const char *path, size_t len)
{
	if (place->len == 1)
		return true; /* a guard that is a link to "/" */
	return len >= place->len && (path[place->len] == '/' || path[place->len] == '\0') &&
	       memcmp(path, place->real, place->len) == 0;
}

static const struct guard *
match_alias(
	const struct guards *guards, const struct path_facts *resolved, enum ambit_access access)
{
	size_t len = strlen(resolved->real);
	bool writes = access_writes(access);

	for (size_t i = 0; i < guards->n_aliases; i++)
		if (guards->aliases[i].guard->reads != writes &&
			place_holds(&guards->aliases[i], resolved->real, len) &&
			!(access == AMBIT_ACCESS_DELETE && guards->aliases[i].guard->loose))
			return guards->aliases[i].guard;
	for (size_t i = 0; resolved->exists && i < guards->n_inodes; i++)
		if (guards->inodes[i].guard->reads != writes &&
			guards->inodes[i].ino == resolved->ino &&
			guards->inodes[i].dev == resolved->dev)
			return guards->inodes[i].guard;
	return NULL;
}

/* Whether it is fine to remove what holds it: a worktree whose .git, which was a
 * file, is gone already, or its own directory in the repository. */
static bool
is_gone(const struct guard_place *place)
{
	const char *pattern = place->guard->pattern;

	return place->guard->loose ||
	       ((streq(pattern, ".git") || streq(pattern, "gitdir")) &&
		       faccessat(AT_FDCWD, place->real, F_OK, AT_SYMLINK_NOFOLLOW) < 0);
}

/* Removing a directory removes what it holds; reading a tree reads it all. */
static const struct guard *
match_above(const struct guards *guards, const char *real, enum ambit_access access)
{
	if (access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE &&
		access != AMBIT_ACCESS_READ_TREE)
		return NULL;
	for (size_t i = 0; i < guards->n_places; i++)
		if (guards->places[i].guard->reads != access_writes(access) &&
			str_beneath(guards->places[i].real, real) &&
			!(access == AMBIT_ACCESS_DELETE ? is_gone(&guards->places[i])
							: guards->places[i].guard->kept))
			return guards->places[i].guard;
	return NULL;
}

static const struct guard git_link_guard = {
	.pattern = "a symlink in .git",
	.text = "git follows it at your next git command, and writes where it leads",
};

const struct guard *
guards_match_link(const struct guards *guards, const char *real, const char *text)
{
	size_t len = (size_t)(strrchr(real, '/') - real);
	char beside[PATH_MAX];
	struct path_facts at = { .real = beside, .written = beside };
	int n = snprintf(beside, sizeof(beside), "%.*s", (int)len, real);

	if (n < 0 || (size_t)n >= sizeof(beside))
		return &git_link_guard;
	if (!guards_in_git(guards, beside))
		return NULL;
	/* git init makes a link to a name beside it, to see whether it can. Such a link stands
	 * for that name, and is guarded as that name is. */
	if (strchr(text, '/') || streq(text, ".") || streq(text, ".."))
		return &git_link_guard;
	n = snprintf(beside + n, sizeof(beside) - (size_t)n, "/%s", text);
	if (n < 0 || len + (size_t)n >= sizeof(beside))
		return &git_link_guard;
	return guards_match(guards, &at, AMBIT_ACCESS_WRITE);
}

const struct guard *
guards_match(
	const struct guards *guards, const struct path_facts *resolved, enum ambit_access access)
{
	const struct guard *guard = match_name(guards, resolved->real, access, BENEATH_NAMED);

	if (!guard && !streq(resolved->real, resolved->written))
		guard = match_name(guards, resolved->written, access, BENEATH_NAMED);
	if (!guard && resolved->leads && access_writes(access))
		guard = guards_match_link(guards, resolved->real, resolved->leads);
	if (!guard)
		guard = match_alias(guards, resolved, access);
	if (!guard)
		guard = match_above(guards, resolved->real, access);
	return guard;
}

const struct guard *
guards_match_other(
	const struct guards *guards, const struct path_facts *resolved, enum ambit_access access)
{
	return match_alias(guards, resolved, access);
}

const struct guard *
guards_match_name(const struct guards *guards, const char *path, enum ambit_access access)
{
	return match_name(guards, path, access, BENEATH_NEVER);
}

const struct guard *
guards_match_tree(const struct guards *guards, const char *path, enum ambit_access access)
{
	return match_name(guards, path, access, BENEATH_ALWAYS);
}

/* ".git" is a guard whose files are not all guarded; of a pattern that ends in
 * "**" everything is. */
static bool
is_whole(const struct guard *guard)
{
	size_t n = strlen(guard->pattern);

	return n >= 3 && streq(guard->pattern + n - 3, "/**");
}

bool
guards_is(const struct guards *guards, const char *real, bool reads, bool whole)
{
	enum ambit_access access = reads ? AMBIT_ACCESS_READ_TREE : AMBIT_ACCESS_WRITE;
	const struct guard *guard = match_name(guards, real, access, BENEATH_NEVER);

	if (guard && (!whole || is_whole(guard)))
		return true;
	for (size_t i = 0; i < guards->n_aliases; i++)
		if (guards->aliases[i].guard->reads == reads &&
			str_beneath(real, guards->aliases[i].real))
			return true;
	return false;
}

/* Whether the way from the row's anchor through rest, which may be empty, goes on to
 * what the row names, as far as that can be told without wildcards. */
static bool
leads_to(const struct guard_compiled *c, const char *rest)
{
	for (size_t j = 0;; j++) {
		size_t len;

		rest += strspn(rest, "/");
		len = strcspn(rest, "/");
		if (len == 0)
			return true;
		if (j == c->n_parts || c->parts[j].glob || c->parts[j].any ||
			c->parts[j].len != len || memcmp(c->parts[j].text, rest, len) != 0)
			return false;
		rest += len;
	}
}

bool
guards_beneath(const struct guards *guards, const char *dir)
{
	const char *in_home = NULL;

	if (guards->home && str_beneath(guards->home, dir))
		return true; /* at or above the home: everything anchored there */
	if (guards->home && str_beneath(dir, guards->home))
		in_home = dir + strlen(guards->home);
	for (size_t i = 0; i < guards->n_places; i++)
		if (!guards->places[i].guard->reads && str_beneath(guards->places[i].real, dir))
			return true;
	for (size_t r = 0; r < guards->n_rows; r++) {
		const struct guard_compiled *c = &guards->rows[r];
		const char *rest = c->anchor == ANCHOR_HOME ? in_home : dir;

		if (c->anchor != ANCHOR_NONE && !c->guard->reads && rest && leads_to(c, rest))
			return true;
	}
	return false;
}

/* -- directories, for the floor ------------------------------------------------ */

/* A directory may be all of a guard, lie above some, or bear the name of one
 * that is a file: then nothing is to be put into it either. */
static enum guard_stand
stand_of(const struct guard_compiled *c, enum meet m)
{
	if (m == MEET_SELF || (m == MEET_EXACT && is_whole(c->guard)))
		return GUARD_IS;
	return m == MEET_ABOVE ? GUARD_ABOVE : m == MEET_EXACT ? GUARD_NAMED : GUARD_CLEAR;
}

/* These rows against the directory from component i on. */
static enum guard_stand
stand_of_rows(const struct guards *guards, const struct guard_ranges *ranges, const struct split *s,
	size_t i)
{
	enum guard_stand stand = GUARD_CLEAR;

	for (size_t n = 0; n < ranges->n; n++)
		for (size_t r = ranges->at[n].from; r < ranges->at[n].to; r++) {
			const struct guard_compiled *c = &guards->rows[r];
			enum guard_stand one = c->guard->reads
						       ? GUARD_CLEAR
						       : stand_of(c, meet_pattern(c, 0, s, i));

			if (one > stand)
				stand = one;
		}
	return stand;
}

static enum guard_stand
max_stand(enum guard_stand a, enum guard_stand b)
{
	return a > b ? a : b;
}

static enum guard_stand
stand_by_name(const struct guards *guards, const char *dir)
{
	enum guard_stand stand = GUARD_CLEAR;
	struct guard_ranges ranges;
	struct split s;

	split_components(&s, dir);
	for (size_t i = 0; i < s.n; i++) {
		guards_floating(guards, dir + s.parts[i].at, s.parts[i].len, s.wide, &ranges);
		stand = max_stand(stand, stand_of_rows(guards, &ranges, &s, i));
	}
	if (guards->home && str_beneath(dir, guards->home)) {
		size_t home = parts_of(guards->home);

		find_in_home(guards, &s, home, &ranges);
		stand = max_stand(stand, stand_of_rows(guards, &ranges, &s, home));
	}
	guards_at_root(guards, &ranges);
	return max_stand(stand, stand_of_rows(guards, &ranges, &s, 0));
}

enum guard_stand
guards_stand(const struct guards *guards, const char *dir)
{
	enum guard_stand stand = stand_by_name(guards, dir);

	for (size_t i = 0; stand != GUARD_IS && i < guards->n_aliases; i++)
		if (!guards->aliases[i].guard->reads && str_beneath(dir, guards->aliases[i].real))
			stand = GUARD_IS;
	if (stand == GUARD_CLEAR && guards_beneath(guards, dir))
		stand = GUARD_ABOVE;
	return stand;
}

bool
guards_found(const struct guards *guards, const char *real)
{
	for (size_t i = 0; i < guards->n_places; i++)
		if (!guards->places[i].guard->reads && streq(guards->places[i].real, real))
			return true;
	return false;
}

int
guards_add_gitdir(struct guards *guards, const char *real)
{
	for (char **dir = guards->gitdirs; dir && *dir; dir++)
		if (streq(*dir, real))
			return 0;
	return strv_append(&guards->gitdirs, real);
}

bool
guards_in_git(const struct guards *guards, const char *dir)
{
	for (const char *at = dir; (at = strchr(at, '/')); at++)
		if (str_fold_equal(at, "/.git", 5) && (at[5] == '/' || at[5] == '\0'))
			return true;
	for (char **known = guards->gitdirs; known && *known; known++)
		if (str_beneath(dir, *known))
			return true;
	return false;
}

int
guards_each_secret(
	const struct guards *guards, int (*each)(void *data, const char *real), void *data)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < guards->n_places; i++) {
		const struct guard *guard = guards->places[i].guard;
		const char *name = strrchr(guards->places[i].real, '/') + 1;

		if (!guard->reads ||
			(guard->except && glob_match(guard->except, strlen(guard->except), name,
						  strlen(name), false)))
			continue;
		r = each(data, guards->places[i].real);
	}
	return r;
}

char *const *
guards_repositories(const struct guards *guards)
{
	return guards->repositories;
}

char *const *
guards_gitdirs(const struct guards *guards)
{
	return guards->gitdirs;
}
