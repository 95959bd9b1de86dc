/* SPDX-License-Identifier: Apache-2.0 */
/* What may change in a repository's config without a question. The table lists
 * the keys that init, clone, fetch, branch, remote and submodule write, with
 * the values they may have; every key that is not in it is one that could run a
 * program, or lead to one. Trusts nothing in the new text; the old one was the
 * person's, or was checked here. */

#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/gitconfig.h"

enum kind {
	KIND_WORD = 1, /* true, 0, sha256 */
	KIND_LINE,     /* any text in one line */
	KIND_TEXT,     /* any text */
	KIND_URL,      /* where a remote is */
	KIND_FAR_URL,  /* the same, never a path on this machine */
	KIND_REMOTE,   /* the name of a remote */
	KIND_UPDATE,   /* how a submodule is updated; "!" begins a command */
	KIND_WORKTREE, /* where a submodule's files are */
	KIND_PATH,     /* the same, as a .gitmodules says it */
};

struct plain {
	const char *section;
	bool sub; /* it has a subsection */
	const char *key;
	enum kind kind;
};

static const struct plain plains[] = {
	{ "branch", true, "remote", KIND_REMOTE },
	{ "branch", true, "pushremote", KIND_REMOTE },
	{ "branch", true, "merge", KIND_LINE },
	{ "branch", true, "rebase", KIND_WORD },
	{ "branch", true, "description", KIND_TEXT },
	{ "branch", true, "gh-merge-base", KIND_LINE },
	{ "branch", true, "vscode-merge-base", KIND_LINE },
	{ "remote", true, "url", KIND_URL },
	{ "remote", true, "pushurl", KIND_FAR_URL },
	{ "remote", true, "fetch", KIND_LINE },
	{ "remote", true, "tagopt", KIND_LINE },
	{ "remote", true, "mirror", KIND_WORD },
	{ "remote", true, "prune", KIND_WORD },
	{ "submodule", true, "url", KIND_FAR_URL },
	{ "submodule", true, "active", KIND_WORD },
	{ "submodule", true, "branch", KIND_LINE },
	{ "submodule", true, "update", KIND_UPDATE },
	{ "submodule", false, "active", KIND_LINE },
	{ "user", false, "name", KIND_LINE },
	{ "user", false, "email", KIND_LINE },
	{ "core", false, "repositoryformatversion", KIND_WORD },
	{ "core", false, "filemode", KIND_WORD },
	{ "core", false, "bare", KIND_WORD },
	{ "core", false, "logallrefupdates", KIND_WORD },
	{ "core", false, "ignorecase", KIND_WORD },
	{ "core", false, "precomposeunicode", KIND_WORD },
	{ "core", false, "symlinks", KIND_WORD },
	{ "core", false, "sparsecheckout", KIND_WORD },
	{ "core", false, "sparsecheckoutcone", KIND_WORD },
	{ "core", false, "worktree", KIND_WORKTREE },
	{ "index", false, "sparse", KIND_WORD },
	{ "extensions", false, "objectformat", KIND_WORD },
	{ "extensions", false, "refstorage", KIND_WORD },
	/* config.worktree is guarded as config is. */
	{ "extensions", false, "worktreeconfig", KIND_WORD },
};

/* Of a .gitmodules, which comes with everybody's commits. */
static const struct plain modules[] = {
	{ "submodule", true, "path", KIND_PATH },
	{ "submodule", true, "url", KIND_URL },
	{ "submodule", true, "branch", KIND_LINE },
	{ "submodule", true, "update", KIND_UPDATE },
	{ "submodule", true, "ignore", KIND_WORD },
	{ "submodule", true, "shallow", KIND_WORD },
	{ "submodule", true, "fetchrecursesubmodules", KIND_WORD },
};

/* -- names -------------------------------------------------------------------- */

/* The section ends at the first dot, the key begins behind the last one, and
 * what is between is the subsection: as git takes a name apart. */
static const struct plain *
find_plain_key(const struct plain *table, size_t n, const char *name)
{
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');
	size_t len = (size_t)(first - name);

	for (size_t i = 0; i < n; i++) {
		const struct plain *plain = &table[i];

		if (strlen(plain->section) == len && memcmp(name, plain->section, len) == 0 &&
			plain->sub == (last != first) && streq(last + 1, plain->key))
			return plain;
	}
	return NULL;
}

static const struct plain *
find_plain(const char *name)
{
	return find_plain_key(plains, sizeof(plains) / sizeof(plains[0]), name);
}

/* A submodule's name becomes a path beneath .git/modules. A remote whose name is
 * a path is none to git, which takes the name for its address then. */
static bool
is_unsafe_name(const char *name)
{
	return (str_prefix(name, "submodule.") && strstr(name, "..") != NULL) ||
	       str_prefix(name, "remote./");
}

/* -- values ------------------------------------------------------------------- */

static bool
is_line(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < 0x20 || *value == 0x7f)
			return false;
	return true;
}

static bool
is_word(const char *value)
{
	for (const char *c = value; *c; c++)
		if (!ascii_is_alnum(*c) && *c != '-')
			return false;
	return value[0] != '-';
}

/* Those that git speaks itself, or with a helper that comes with it: of any
 * other scheme, as of "name::address", it runs the program git-remote-NAME, and
 * "ext::" is a command outright. */
static bool
is_known_scheme(const char *url, size_t len)
{
	static const char *const schemes[] = { "https", "http", "ssh", "git", "git+ssh", "ssh+git",
		"ftp", "ftps", "file" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strlen(schemes[i]) == len && memcmp(url, schemes[i], len) == 0)
			return true;
	return false;
}

/* Nothing in it is a command, or an option to one. */
static bool
is_url(const char *url)
{
	const char *scheme = strstr(url, "://");

	if (url[0] == '\0' || url[0] == '-' || !is_line(url) || strstr(url, "::") ||
		strstr(url, "@-") || strstr(url, "://-"))
		return false;
	return !scheme || is_known_scheme(url, (size_t)(scheme - url));
}

/* A path, not a host: no colon, or a slash before it. A push to a repository
 * on this machine runs that repository's hooks. */
static bool
is_near(const char *url)
{
	const char *colon = strchr(url, ':'), *slash = strchr(url, '/');

	return str_prefix(url, "file:") || !colon || (slash && slash < colon);
}

static bool
is_update(const char *value)
{
	static const char *const known[] = { "checkout", "none", "rebase", "merge" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (streq(value, known[i]))
			return true;
	return false;
}

/* Names beneath a work tree: no way up, out, or into a git directory. */
static bool
is_beneath(const char *path)
{
	if (path[0] == '\0' || path[0] == '-' || !is_line(path))
		return false;
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 0 || (n <= 2 && memcmp(path, "..", n) == 0) ||
			(n == 4 && str_fold_equal(path, ".git", 4)))
			return false;
	}
	return true;
}

/* The work tree of a submodule, seen from its own git directory in that of the
 * repository it belongs to: up to there and down again. Anywhere else, a
 * checkout would write where nobody expects it. */
static bool
is_worktree(const char *value, const char *place)
{
	static const char modules_dir[] = "/.git/modules/";
	const char *at = NULL, *file = place ? strrchr(place, '/') : NULL;
	size_t ups = 0;

	for (const char *next = place; next && (next = strstr(next, modules_dir)); next++)
		at = next;
	if (!at || file <= at + sizeof(modules_dir) - 1)
		return false;
	for (const char *c = at; c < file; c++)
		ups += *c == '/';
	for (; ups > 0 && str_prefix(value, "../"); ups--)
		value += 3;
	return ups == 0 && is_beneath(value);
}

/* Whether a value is harmless, whatever stands beside it. place: of the file,
 * or NULL. */
static bool
is_good(const struct plain *plain, const struct gitconfig_entry *entry, const char *place)
{
	const char *value = entry->value;

	if (!plain || is_unsafe_name(entry->name))
		return false;
	if (!value) /* true; where a text belongs git refuses it */
		return plain->kind == KIND_WORD;
	switch (plain->kind) {
	case KIND_WORD:
		return is_word(value);
	case KIND_LINE:
		return is_line(value);
	case KIND_TEXT:
		return true;
	case KIND_URL:
	case KIND_FAR_URL:
		return is_url(value);
	case KIND_REMOTE:
		return value[0] != '\0' && is_url(value);
	case KIND_UPDATE:
		return is_update(value);
	case KIND_WORKTREE:
		return is_worktree(value, place);
	case KIND_PATH:
		return is_beneath(value);
	}
	return false;
}

static bool
is_harmless(const struct gitconfig_entry *entry, const char *place)
{
	return is_good(find_plain(entry->name), entry, place);
}

/* -- both texts ----------------------------------------------------------------- */

struct change {
	struct gitconfig old;
	struct gitconfig new;
	const char *place;
};

static bool
is_same_entry(const struct gitconfig_entry *a, const struct gitconfig_entry *b)
{
	if (!streq(a->name, b->name) || !a->value != !b->value)
		return false;
	return !a->value || streq(a->value, b->value);
}

static bool
has_same_entry(const struct gitconfig *config, const struct gitconfig_entry *entry)
{
	for (size_t i = 0; i < config->n; i++)
		if (is_same_entry(&config->entries[i], entry))
			return true;
	return false;
}

static bool
has_name(const struct gitconfig *config, const char *name)
{
	for (size_t i = 0; i < config->n; i++)
		if (streq(config->entries[i].name, name))
			return true;
	return false;
}

/* It is some remote's address already. */
static bool
has_url(const struct gitconfig *config, const char *url)
{
	for (size_t i = 0; i < config->n; i++) {
		const struct plain *plain = find_plain(config->entries[i].name);

		if (plain && plain->kind == KIND_URL && config->entries[i].value &&
			streq(config->entries[i].value, url))
			return true;
	}
	return false;
}

static size_t
count_urls(const struct gitconfig *config)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n; i++) {
		const struct plain *plain = find_plain(config->entries[i].name);

		n += plain && plain->kind == KIND_URL;
	}
	return n;
}

static bool
has_remote(const struct gitconfig *config, const char *remote)
{
	auto_free char *name = str_printf("remote.%s.url", remote);

	return name && !is_unsafe_name(name) && has_name(config, name);
}

/* remote.NAME.key: without an address the name is the address. */
static bool
lacks_url(const struct gitconfig *config, const char *name)
{
	size_t sub = strlen("remote."), end = (size_t)(strrchr(name, '.') - name);
	auto_free char *remote = end > sub ? strndup(name + sub, end - sub) : NULL;

	return !remote || !has_remote(config, remote);
}

/* Of harmless entries that were not there before: what counts is what they
 * stand beside. branch.*.remote takes an address as well as a name, so that it
 * must name a remote whose address was looked at. A remote on this machine is
 * plain only in a repository that has none yet, as after a local clone, or if it
 * is one of its remotes' already: else a person's everyday push could be led to
 * hooks of somebody else's. Nobody pushes to a submodule's address in here: a
 * new one may be near, and git itself asks before it clones from there. */
static const char *
check_fresh(const struct change *change, const struct gitconfig_entry *entry)
{
	const struct plain *plain = find_plain(entry->name);

	if (plain->kind == KIND_REMOTE && !streq(entry->value, ".") &&
		!has_remote(&change->new, entry->value))
		return "a branch follows a remote that is not configured";
	if (streq(plain->section, "remote") && lacks_url(&change->new, entry->name))
		return "a remote has no address but its name";
	if (plain->kind == KIND_FAR_URL && is_near(entry->value) &&
		!(str_prefix(entry->name, "submodule.") && !has_name(&change->old, entry->name)))
		return "an address is a path on this machine";
	if (plain->kind == KIND_URL && is_near(entry->value) && count_urls(&change->old) > 0 &&
		!has_url(&change->old, entry->value))
		return "a remote is a path on this machine";
	return NULL;
}

/* Includes that depend on a remote's address are switched on by one. */
static bool
watches_urls(const struct gitconfig *config)
{
	for (size_t i = 0; i < config->n; i++)
		if (str_prefix(config->entries[i].name, "includeif.hasconfig:"))
			return true;
	return false;
}

/* Names of entries that are not harmless: all entries of such a name must stay
 * as they are, since the last one, or the first, is the one that counts. */
static int
mark_harmful_names(const struct gitconfig *config, const char *place, char ***names)
{
	for (size_t i = 0; i < config->n; i++) {
		const struct gitconfig_entry *entry = &config->entries[i];
		bool known = false;

		if (!find_plain(entry->name) || is_harmless(entry, place))
			continue;
		for (size_t j = 0; *names && (*names)[j] && !known; j++)
			known = streq((*names)[j], entry->name);
		if (!known && strv_append(names, entry->name) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool
is_fixed(const struct gitconfig_entry *entry, char *const *marked)
{
	if (!find_plain(entry->name))
		return true;
	for (size_t i = 0; marked && marked[i]; i++)
		if (streq(marked[i], entry->name))
			return true;
	return false;
}

static const struct gitconfig_entry *
next_fixed(const struct gitconfig *config, size_t *at, char *const *marked)
{
	while (*at < config->n) {
		const struct gitconfig_entry *entry = &config->entries[(*at)++];

		if (is_fixed(entry, marked))
			return entry;
	}
	return NULL;
}

/* What is not plain must be the same, in the same order. */
static const char *
compare_fixed(const struct change *change, char *const *marked)
{
	size_t i = 0, j = 0;

	for (;;) {
		const struct gitconfig_entry *old = next_fixed(&change->old, &i, marked);
		const struct gitconfig_entry *new = next_fixed(&change->new, &j, marked);

		if (!old && !new)
			return NULL;
		if (!old || !new || !is_same_entry(old, new))
			return "a key changes that can run a program";
	}
}

static const char *
compare_configs(const struct change *change)
{
	char **marked = NULL;
	const char *why = NULL;
	bool fresh = false;

	if (mark_harmful_names(&change->old, change->place, &marked) < 0 ||
		mark_harmful_names(&change->new, change->place, &marked) < 0)
		why = "out of memory";
	if (!why)
		why = compare_fixed(change, marked);
	for (size_t i = 0; !why && i < change->new.n; i++) {
		const struct gitconfig_entry *entry = &change->new.entries[i];

		if (is_fixed(entry, marked) || has_same_entry(&change->old, entry))
			continue;
		fresh = true;
		why = check_fresh(change, entry);
	}
	strv_free(marked);
	if (!why && fresh && watches_urls(&change->new))
		return "an include depends on what changes";
	/* Without the last one, the next could be a path: see check_fresh. */
	if (!why && count_urls(&change->old) > 0 && count_urls(&change->new) == 0)
		return "the last remote is removed";
	return why;
}

bool
gitconfig_plain_at(const char *place, const char *old_text, size_t old_len, const char *new_text,
	size_t new_len, const char **ret_why)
{
	struct change change = { .place = place };
	const char *why = NULL;

	if (gitconfig_parse(old_text ? old_text : "", old_len, &change.old) < 0)
		why = "the config that is there cannot be read as git reads it";
	else if (gitconfig_parse(new_text ? new_text : "", new_len, &change.new) < 0)
		why = "the new config cannot be read as git reads it";
	else
		why = compare_configs(&change);
	gitconfig_finish(&change.old);
	gitconfig_finish(&change.new);
	if (ret_why)
		*ret_why = why;
	return why == NULL;
}

bool
gitmodules_plain(const char *text, size_t len, const char **ret_why)
{
	struct gitconfig config;
	const char *why = NULL;

	if (gitconfig_parse(text ? text : "", len, &config) < 0) {
		why = "it cannot be read as git reads it";
	} else {
		for (size_t i = 0; !why && i < config.n; i++) {
			const struct gitconfig_entry *entry = &config.entries[i];

			if (!is_good(find_plain_key(modules, sizeof(modules) / sizeof(modules[0]),
					     entry->name),
				    entry, NULL))
				why = "it says more than where submodules are";
		}
		gitconfig_finish(&config);
	}
	if (ret_why)
		*ret_why = why;
	return why == NULL;
}
