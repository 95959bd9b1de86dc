/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which a running program is known: its file, and the script or module that an
 * interpreter runs. A program chooses its own names, so they only select which
 * question is shown. */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/command-name.h"
#include "base/str.h"

/* A script's name is in their words, behind options. */
static const struct {
	const char *name;    /* as it begins: python3.13 is a python */
	const char *valued;  /* options with a value in the next word, each with spaces around */
	const char *modules; /* the option whose value is what runs */
	const char *inline_; /* options behind which there is a text, no script */
} interpreters[] = {
	{ "node", " -r --require --import --loader --experimental-loader -C --conditions ", NULL,
		" -e --eval -p --print -pe " },
	{ "bun", " -r --preload --require ", NULL, " -e --eval -p --print " },
	{ "deno", " ", NULL, " eval " },
	{ "python", " -X -W --check-hash-based-pycs ", "-m", " -c " },
	{ "pypy", " -X -W ", "-m", " -c " },
	{ "ruby", " -r -I ", NULL, " -e " },
	{ "perl", " -I -M ", NULL, " -e -E " },
	{ "java", " -cp -classpath --class-path -p --module-path --add-modules ", "-m", " " },
	{ "sh", " -o +o ", NULL, " -c " },
	{ "bash", " -o +o -O +O --rcfile --init-file ", NULL, " -c " },
	{ "dash", " -o +o ", NULL, " -c " },
	{ "zsh", " -o +o ", NULL, " -c " },
	{ "ksh", " -o +o ", NULL, " -c " },
};

static const char *const script_ends[] = { ".exe", ".js", ".mjs", ".cjs", ".py", ".sh", ".rb",
	".ts" };

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The last component, without what only says what kind of file it is. */
static void
keep_name(const char *path, char name[64])
{
	size_t len;

	snprintf(name, 64, "%s", base_name(path));
	len = strlen(name);
	for (size_t i = 0; i < sizeof(script_ends) / sizeof(script_ends[0]); i++) {
		size_t n = strlen(script_ends[i]);

		if (len > n && streq(name + len - n, script_ends[i])) {
			name[len - n] = '\0';
			return;
		}
	}
}

/* Names that many programs have, and directories that lie between a program and its name. */
static const char common[] =
	" cli index main app start launcher __main__ dist bin bundle build lib "
	"src out ";

static bool
is_in_list(const char *list, const char *word)
{
	size_t n = strlen(word);

	if (n == 0 || strchr(word, ' '))
		return false;
	for (const char *at = list; (at = strstr(at, word)) != NULL; at += n)
		if (at[-1] == ' ' && at[n] == ' ') /* a list begins with one */
			return true;
	return false;
}

/* A script by the last component of its path that is not everybody's: .../qwen-code/cli.js is
 * qwen-code. A title that a program gave itself ("npm ci") is its first word. */
static void
keep_script(const char *text, char name[64])
{
	char path[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%s", text);
	path[strcspn(path, " ")] = '\0';
	do {
		keep_name(path, name);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash && slash != path && is_in_list(common, name));
}

/* "python3.13" is a python, "pythonista" is none. */
static bool
is_interpreter(const char *name, const char *interpreter)
{
	const char *rest = str_prefix(name, interpreter) ? name + strlen(interpreter) : "x";

	return rest[strspn(rest, "0123456789.")] == '\0' || streq(rest, "js");
}

/* The word that names what an interpreter runs, or NULL. */
static const char *
find_script(const char *name, char *const *words, size_t n)
{
	size_t row = 0;

	while (row < sizeof(interpreters) / sizeof(interpreters[0]) &&
		!is_interpreter(name, interpreters[row].name))
		row++;
	if (row == sizeof(interpreters) / sizeof(interpreters[0]))
		return NULL;
	for (size_t i = 1; i < n; i++) {
		if (interpreters[row].modules && streq(words[i], interpreters[row].modules))
			return i + 1 < n ? words[i + 1] : NULL;
		if (is_in_list(interpreters[row].inline_, words[i]))
			return NULL;
		if (words[i][0] != '-' && words[i][0] != '+')
			return words[i];
		i += is_in_list(interpreters[row].valued, words[i]);
	}
	return NULL;
}

void
command_name_find(const char *exe, char *const *words, size_t n, struct command_name *ret_name)
{
	const char *script = NULL;

	*ret_name = (struct command_name){ 0 };
	if (exe)
		keep_name(exe, ret_name->file);
	else if (n > 0)
		keep_name(words[0], ret_name->file);
	script = find_script(ret_name->file, words, n);
	/* It gave itself a title in the place of its words. */
	if (!script && n == 1)
		script = words[0];
	if (script)
		keep_script(script, ret_name->script);
}
