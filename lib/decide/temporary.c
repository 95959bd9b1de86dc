/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files of files that were allowed. Which names are temporary is a table, as narrow as
 * the programs in it allow: a process chooses its names, and would make any file under one of
 * these. So only what is new is covered, and only for the process that made it. */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/once.h"
#include "decide/temporary-name.h"
#include "decide/temporary.h"

/* Before the name of the file itself, and the whole of the end behind it. */
static const struct {
	const char *before;
	const char *after;
	size_t n; /* letters and digits of chance behind that */
} around[] = {
	{ "", ".lock", 0 }, /* git */
	{ "", ".tmp", 0 },
	{ "", ".new", 0 },
	{ "", ".bak", 0 },
	{ "", ".orig", 0 },
	{ "", ".or", 6 }, /* patch */
	{ "", ".", 6 },	  /* mkstemp(3) */
	{ "", "~", 0 },
	{ ".", ".", 6 },    /* rsync */
	{ ".", ".swp", 0 }, /* vim, nano */
	{ ".", ".swx", 0 },
	{ "", "-journal", 0 }, /* SQLite */
	{ "", "-wal", 0 },
	{ "", "-shm", 0 },
	{ "", ".save", 0 }, /* nano, when it is ended */
	{ "#", "#", 0 },    /* Emacs */
	{ ".#", "", 0 },
};

#define CHANCE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool
is_random(const char *text, size_t n)
{
	if (strlen(text) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strchr(CHANCE, text[i]))
			return false;
	return true;
}

/* How many bytes of a name are before the end of a swap file; 0: it is none. */
static size_t
swap_rest(const char *name)
{
	static const char *const ends[] = { ".swp", ".swx" };
	size_t len = strlen(name), end = strlen(ends[0]);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (name[0] == '.' && len > end + 1 && streq(name + len - end, ends[i]))
			return len - end;
	return 0;
}

bool
temporary_is_of(const char *name, const char *file)
{
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		size_t before = strlen(around[i].before), len = strlen(file);

		if (strncmp(name, around[i].before, before) == 0 &&
			strncmp(name + before, file, len) == 0 &&
			str_prefix(name + before + len, around[i].after) &&
			is_random(name + before + len + strlen(around[i].after), around[i].n))
			return true;
	}
	if (file[0] == '.' && swap_rest(name) > 0 && swap_rest(name) == strlen(file) &&
		str_prefix(name, file)) /* vim puts no second dot before ".profile" */
		return true;
	if (strncmp(name, file, strlen(file)) == 0 && temporary_name(name, NULL) &&
		name[strlen(file)] == '.') /* F.tmp.4120.1f3c, F.1804289383 */
		return true;
	return temporary_has_form(name, NULL);
}

bool
temporary_is_made_up(const struct decide_input *in, const struct ambit_outcome *outcome, size_t n)
{
	const struct path_facts *object = once_object(in->request, outcome, n);
	const struct ambit_outcome_path *path = &outcome->paths[n];
	const char *slash = strrchr(path->path, '/');

	return object && !object->exists && !path->owner && in->request->pid != 0 &&
	       path->access == AMBIT_ACCESS_WRITE && path->code == AMBIT_CODE_OUTSIDE && slash &&
	       slash != path->path && temporary_name(slash + 1, in->request->program);
}

/* A rule about one file, which nothing newer or closer takes back. */
static bool
is_yes_to_file(const struct decide_input *in, const struct ambit_rule *rule)
{
	const struct ambit_rule *counts;

	if (!rule->yes || rule->op != AMBIT_OP_WRITE || rule->beneath || rule->pid != 0 ||
		!memory_in_force(in, rule))
		return false;
	counts = memory_find(in, AMBIT_OP_WRITE, rule->subject, true);
	return counts && counts->yes;
}

/* A yes to a directory alone is for no file. */
static bool
is_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The allowed file itself gets the name: so vim keeps the old one while it writes the new. */
static bool
keeps_old_file(const struct decide_input *in, const struct ambit_outcome *outcome, size_t n,
	const char *file)
{
	const struct path_facts *from =
		n == 1 && outcome->n_paths == 2 ? once_object(in->request, outcome, 0) : NULL;

	return from && outcome->paths[0].access == AMBIT_ACCESS_DELETE && from->exists &&
	       streq(from->real, file) && S_ISREG(from->mode) && from->nlink == 1 &&
	       !(from->mode & (S_ISUID | S_ISGID));
}

static bool
is_temporary_path(const char *real, const char *file)
{
	const char *name = strrchr(real, '/'), *slash = strrchr(file, '/');

	return name && slash && name - real == slash - file &&
	       strncmp(real, file, (size_t)(name - real)) == 0 &&
	       temporary_is_of(name + 1, slash + 1);
}

const struct ambit_rule *
temporary_find(const struct decide_input *in, const struct ambit_outcome *outcome, size_t n)
{
	const struct path_facts *object = once_object(in->request, outcome, n);
	const struct ambit_outcome_path *path = &outcome->paths[n];

	if (!object || object->leads || path->code != AMBIT_CODE_OUTSIDE ||
		path->access == AMBIT_ACCESS_MKDIR || !access_writes(path->access) ||
		(object->exists && !(object->made && S_ISREG(object->mode))))
		return NULL;
	for (size_t i = 0; i < in->n_rules; i++)
		if (is_temporary_path(object->real, in->rules[i].subject) &&
			(object->fresh || keeps_old_file(in, outcome, n, in->rules[i].subject)) &&
			is_yes_to_file(in, &in->rules[i]) && !is_directory(in->rules[i].subject))
			return &in->rules[i];
	return NULL;
}

/* -- whose they are ----------------------------------------------------------- */

/* Whether a question about the temporary file may be put about this file: it is asked about like
 * any other, no rule speaks of it, and it is a regular file or not there yet. */
static bool
may_speak_for(const struct decide_input *in, const char *real, bool *ret_exists)
{
	struct ambit_outcome_path path = { 0 };
	struct path_facts file = { .real = (char *)real, .written = (char *)real };
	const struct guard *guard;
	struct stat st = { 0 };
	bool hard;

	*ret_exists = lstat(real, &st) == 0;
	if (!*ret_exists && errno != ENOENT)
		return false;
	file.exists = *ret_exists;
	file.mode = st.st_mode;
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	file.nlink = st.st_nlink;
	paths_decide_one(in, &file, AMBIT_ACCESS_WRITE, &path, &hard, &guard);
	return path.verdict == AMBIT_ASK && path.code == AMBIT_CODE_OUTSIDE &&
	       (!*ret_exists || (S_ISREG(st.st_mode) && st.st_nlink == 1)) &&
	       !memory_find(in, AMBIT_OP_WRITE, real, false);
}

/* ".notes.swp" is for "notes", and in vim for ".notes" as well: for the one that is there. dir:
 * with its slash. */
static char *
find_swapped(const struct decide_input *in, const char *dir, const char *name, size_t rest)
{
	auto_free char *hidden = str_printf("%s%.*s", dir, (int)rest, name);
	auto_free char *plain = str_printf("%s%.*s", dir, (int)rest - 1, name + 1);
	bool is_there[2];

	if (!hidden || !plain || !may_speak_for(in, plain, &is_there[0]) ||
		!may_speak_for(in, hidden, &is_there[1]) || (is_there[0] && is_there[1]))
		return NULL;
	return is_there[1] ? steal_ptr(&hidden) : steal_ptr(&plain);
}

/* "notes.tmp.4120.1f3c" is for "notes". */
static char *
find_replaced(const struct decide_input *in, const char *dir, const char *name)
{
	size_t len = temporary_find_number(name);
	auto_free char *file = len > 0 ? str_printf("%s%.*s", dir, (int)len, name) : NULL;
	bool is_there;

	return file && may_speak_for(in, file, &is_there) ? steal_ptr(&file) : NULL;
}

char *
temporary_find_owner(const struct decide_input *in, const struct ambit_outcome *outcome, size_t n)
{
	const struct path_facts *object = once_object(in->request, outcome, n);
	const struct ambit_outcome_path *path = &outcome->paths[n];
	const char *slash = strrchr(path->path, '/');
	auto_free char *dir = NULL;
	size_t rest;

	if (!slash || !object || object->exists || object->leads || in->request->pid == 0 ||
		path->access != AMBIT_ACCESS_WRITE || path->code != AMBIT_CODE_OUTSIDE ||
		path->verdict != AMBIT_ASK)
		return NULL;
	dir = strndup(path->path, (size_t)(slash + 1 - path->path));
	if (!dir)
		return NULL;
	rest = swap_rest(slash + 1);
	return rest > 0 ? find_swapped(in, dir, slash + 1, rest)
			: find_replaced(in, dir, slash + 1);
}
