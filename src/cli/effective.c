/* SPDX-License-Identifier: Apache-2.0 */
/* Which mode and which permission holds, and who says so: the session over the
 * person's settings over the default, narrowed by the folder's. Tells what the
 * engine does; decides nothing. */

#include <stdint.h>
#include <stdlib.h>

#include "world.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

struct lookup {
	const char *key;
	json_t *value; /* NULL: only the default holds */
	char *source;
};

static int
see_key(void *data, const char *key, const char *value, const char *source, const char *text)
{
	struct lookup *lookup = data;

	(void)text;
	if (!streq(key, lookup->key) || streq(source, "default"))
		return 0;
	lookup->source = str_dup(source);
	return json_parse(value, strlen(value), &lookup->value, NULL) < 0 ? -EINVAL : 1;
}

/* What these settings themselves say of key. */
static struct lookup
look(const struct ambit_settings *settings, const char *key)
{
	struct lookup lookup = { .key = key };

	(void)ambit_settings_each(settings, see_key, &lookup);
	return lookup;
}

static void
lookup_finish(struct lookup *lookup)
{
	json_decref(lookup->value);
	free(lookup->source);
}
#define auto_lookup __attribute__((cleanup(lookup_finish)))

static int
word_value(const struct ambit_word *words, const json_t *value)
{
	const char *text = json_string_value(value);
	const struct ambit_word *word = text != NULL ? ambit_word_find(words, text) : NULL;

	return word != NULL ? word->value : -1;
}

int
effective_mode(const struct world *world, struct ambit_session *session,
	const struct stored_mode *mode, int *ret_value, char **ret_from, struct ambit_error *err)
{
	auto_lookup struct lookup person = look(world->person, mode->key);
	auto_lookup struct lookup folder = look(world->folder, mode->key);
	const char *fallback = ambit_settings_get(world->person, mode->key), *from = "default";
	const struct ambit_word *word =
		fallback != NULL ? ambit_word_find(mode->words, fallback) : NULL;
	int value = word != NULL ? word->value : 0, narrow = word_value(mode->words, folder.value);

	if (person.value != NULL)
		from = person.source;
	if (*stored_mode_at(session, mode) >= 0) {
		value = *stored_mode_at(session, mode);
		from = "session";
	}
	if (narrow >= 0 && narrow < value) {
		value = narrow;
		from = folder.source;
	}
	*ret_value = value;
	*ret_from = str_dup(from != NULL ? from : "?");
	return *ret_from != NULL ? 0 : err_nomem(err);
}

/* A name in a list stands for its tool, whichever agent's word it is; the
 * longest name that ends in '*' comes next. */
static size_t
matches(const struct ambit_tool_info *tool, const char *pattern)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return strncmp(tool->name, pattern, n - 1) == 0 ? n : 0;
	if (streq(tool->name, pattern))
		return SIZE_MAX;
	for (const char *const *alias = tool->aliases; alias != NULL && *alias != NULL; alias++)
		if (streq(*alias, pattern))
			return SIZE_MAX;
	return 0;
}

struct best {
	size_t length;
	int permission; /* -1: none */
};

static void
consider(struct best *best, const struct ambit_tool_info *tool, const char *pattern, int permission)
{
	size_t n = matches(tool, pattern);

	if (n == 0 || n < best->length)
		return;
	if (n > best->length || permission < best->permission)
		best->permission = permission;
	best->length = n;
}

static int
listed(const struct lookup *lookup, const struct ambit_tool_info *tool)
{
	struct best best = { .permission = -1 };
	const char *name;
	json_t *value;

	json_object_foreach (lookup->value, name, value)
		consider(&best, tool, name, word_value(ambit_permissions, value));
	return best.permission;
}

int
effective_permission(const struct world *world, const struct ambit_session *session,
	const struct ambit_tool_info *tool, enum ambit_permission *ret_permission, char **ret_from,
	struct ambit_error *err)
{
	auto_lookup struct lookup person = look(world->person, "permissions");
	auto_lookup struct lookup folder = look(world->folder, "permissions");
	struct best own = { .permission = -1 };
	int value = listed(&person, tool), narrow = listed(&folder, tool);
	const char *from = value >= 0 ? person.source : "default";

	for (size_t i = 0; i < session->n_permissions; i++)
		consider(&own, tool, session->permissions[i].tool,
			(int)session->permissions[i].permission);
	if (value < 0)
		value = (int)tool->permission;
	if (own.permission >= 0) {
		value = own.permission;
		from = "session";
	}
	if (narrow >= 0 && narrow < value) {
		value = narrow;
		from = folder.source;
	}
	*ret_permission = (enum ambit_permission)value;
	*ret_from = str_dup(from != NULL ? from : "?");
	return *ret_from != NULL ? 0 : err_nomem(err);
}
