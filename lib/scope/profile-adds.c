/* SPDX-License-Identifier: Apache-2.0 */
/* What is added to a command for its profile, and which word of a command line is the program. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/profile.h"

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* NAME=value, for env. */
static bool
is_assignment(const char *word)
{
	size_t len = strcspn(word, "=");

	if (len == 0 || word[len] != '=' || ascii_is_digit(word[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!ascii_is_alnum(word[i]) && word[i] != '_')
			return false;
	return true;
}

/* Behind a word with options of its own nothing is looked for: the program is known when it
 * runs. */
size_t
profile_program_word(char *const *words, size_t n)
{
	size_t i = 0;

	if (n > 1 && streq(base_name(words[0]), "env"))
		for (i = 1; i < n && is_assignment(words[i]);)
			i++;
	else if (n > 1 &&
		 (streq(base_name(words[0]), "nohup") || streq(base_name(words[0]), "setsid")))
		i = 1;
	return i < n && words[i][0] != '-' ? i : 0;
}

/* "--sandbox" is "--sandbox" and "--sandbox=x"; "-s" is "-s" and "-sx"; "sandbox_mode=" is a
 * value that begins so. */
static bool
is_option(const char *word, const char *option)
{
	size_t n = strlen(option);

	if (!str_prefix(word, option))
		return false;
	return word[n] == '\0' || word[n] == '=' || option[n - 1] == '=' ||
	       (option[0] == '-' && option[1] != '-');
}

/* The variable itself, if it is set to anything. */
static const char *
find_variable(const char *entry, char *const *envp)
{
	size_t len = strcspn(entry, "=") + 1;

	for (; envp && *envp; envp++)
		if (strncmp(*envp, entry, len) == 0)
			return *envp;
	return NULL;
}

/* The person's own word for which this is not added; NULL: it is added. */
static const char *
find_collision(const struct profile_add *add, char *const *words, size_t n, char *const *envp)
{
	for (size_t i = 0; i < n && !streq(words[i], "--"); i++)
		for (size_t j = 0; add->unless && add->unless[j]; j++)
			if (is_option(words[i], add->unless[j]))
				return words[i];
	return add->env ? find_variable(add->env, envp) : NULL;
}

static int
say_collision(const struct profile *profile, const struct profile_add *add, const char *word,
	char ***said)
{
	auto_free char *shown = str_escape(word, strlen(word));
	auto_free char *text =
		shown ? str_printf("you gave %s %s, so ambit does not switch that off: %s",
				profile->name, shown, add->instead)
		      : NULL;

	return text ? strv_append(said, text) : -ENOMEM;
}

static bool
is_empty_add(const struct profile_add *add)
{
	return !add->args && !add->env;
}

int
profile_added_find(const struct profile *profile, char *const *words, size_t n, char *const *envp,
	struct profile_added *ret_added)
{
	struct profile_added added = { 0 };
	char **env = NULL;
	int r = 0;

	for (const struct profile_add *add = profile->adds; r == 0 && !is_empty_add(add); add++) {
		const char *word = find_collision(add, words, n, envp);

		if (word && add->instead)
			r = say_collision(profile, add, word, &added.said);
		for (size_t i = 0; r == 0 && !word && add->args && add->args[i]; i++)
			r = strv_append(&added.list, add->args[i]);
		if (r == 0 && !word && add->env)
			r = strv_append(&env, add->env);
	}
	added.n_args = strv_len(added.list);
	for (size_t i = 0; r == 0 && env && env[i]; i++)
		r = strv_append(&added.list, env[i]);
	strv_free(env);
	if (r < 0)
		profile_added_finish(&added);
	*ret_added = added;
	return r;
}

const struct profile_add *
profile_find_missing(const struct profile *profile, char *const *words)
{
	const struct profile_add *add = profile->adds;

	while (!is_empty_add(add) && !add->needed)
		add++;
	return is_empty_add(add) || find_collision(add, words, strv_len(words), NULL) ? NULL : add;
}

void
profile_added_finish(struct profile_added *added)
{
	strv_free(added->list);
	strv_free(added->said);
	*added = (struct profile_added){ 0 };
}
