/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: the person's file, what the command line adds to it, and the
 * folder's file that can only narrow, from text to values. The person is
 * trusted once the file is known to be theirs; the folder never. */

#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "settings/decode.h"
#include "settings/settings-file.h"
#include "settings/state.h"
#include "settings/values.h"

/* One settings file on its way in. */
struct input {
	const char *shown; /* as a source is shown */
	struct settings_values *values;
	char **sources;
	bool narrow; /* it is the folder's */
};

static void
settings_destroy_at(struct ambit_settings **settings)
{
	ambit_settings_destroy(*settings);
}

void
ambit_settings_destroy(struct ambit_settings *settings)
{
	if (!settings)
		return;
	values_finish(&settings->defaults);
	values_finish(&settings->person);
	values_finish(&settings->folder);
	for (size_t i = 0; i < KEYS_N; i++) {
		free(settings->person_source[i]);
		free(settings->folder_source[i]);
	}
	free(settings->home);
	ambit_policy_destroy(settings->policy);
	free(settings);
}

/* The table's defaults go the way that everybody's values go. */
static int
load_defaults(struct ambit_settings *settings, struct ambit_error *err)
{
	const struct key *key;

	for (size_t i = 0; (key = key_at(i)); i++) {
		struct decode d = { .name = "default", .err = err };
		auto_json json_t *value = NULL;

		if (!key->fallback)
			continue;
		int r = json_parse(key->fallback, strlen(key->fallback), &value, err);

		if (r == 0)
			r = decode_value(&d, key, value, &settings->defaults);
		if (r < 0)
			return err_context(err, "%s", key->name);
	}
	return 0;
}

int
settings_unknown_key(struct decode *d, const char *name)
{
	const char *nearest = str_nearest(name, key_name_at, NULL);

	return decode_bad(d, "unknown key '%s'%s%s%s", decode_show(d, name),
		nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

static int
load_member(struct ambit_settings *settings, struct decode *d, const struct input *in,
	const char *name, const json_t *value)
{
	const struct key *key = key_find(name);
	int line, column, r;

	decode_enter(d, name);
	if (!key)
		return settings_unknown_key(d, name);
	/* Whose key it is comes before what is in it. */
	if (in->narrow && key->narrow == NARROW_NEVER)
		return narrow_check(
			d, key, value, &settings->folder, &settings->person, &settings->defaults);
	r = decode_value(d, key, value, in->values);
	if (r == 0 && in->narrow)
		r = narrow_check(
			d, key, value, &settings->folder, &settings->person, &settings->defaults);
	if (r < 0)
		return r;
	d->path[d->depth] = NULL;
	json_locate(d->text, d->len, d->path, &line, &column);
	in->sources[key_index(key)] = str_printf("%s:%d", in->shown, line);
	decode_leave(d);
	return in->sources[key_index(key)] ? 0 : err_nomem(d->err);
}

static int
load_text(struct ambit_settings *settings, struct decode *d, const struct input *in)
{
	auto_json json_t *root = NULL;
	struct ambit_error where = { 0 };
	const char *name;
	json_t *value;

	if (json_parse(d->text, d->len, &root, &where) < 0)
		return err_set(d->err, EINVAL, "%s:%s", d->name, where.text);
	if (!json_is_object(root))
		return decode_bad(d, "settings must be an object: {\"key\": value, ...}");
	json_object_foreach (root, name, value) {
		int r = load_member(settings, d, in, name, value);

		if (r < 0)
			return r;
	}
	return 0;
}

/* "~/x" for what lies in the home directory. */
static char *
show_path(const struct ambit_settings *settings, const char *path)
{
	const char *home = settings->home;

	if (home && !streq(home, "/") && str_beneath(path, home))
		return str_printf("~%s", path + strlen(home));
	return str_dup(path);
}

static int
load_person(struct ambit_settings *settings, const struct ambit_settings_options *options,
	struct ambit_error *err)
{
	auto_free char *text = NULL, *shown = show_path(settings, options->person);
	struct decode d = { .name = options->person, .home = settings->home, .err = err };
	struct input in = {
		.shown = shown,
		.values = &settings->person,
		.sources = settings->person_source,
	};
	int r;

	if (!shown)
		return err_nomem(err);
	r = file_read_person(options->person, options->required, &text, &d.len, err);
	if (r < 0 || !text)
		return r;
	d.text = text;
	return load_text(settings, &d, &in);
}

static int
load_folder(struct ambit_settings *settings, const struct ambit_settings_options *options,
	struct ambit_error *err)
{
	auto_free char *text = NULL, *name = NULL;
	struct decode d = { .home = settings->home, .err = err };
	struct input in = {
		.shown = FILE_FOLDER,
		.values = &settings->folder,
		.sources = settings->folder_source,
		.narrow = true,
	};
	int r = file_read_folder(options->folder, &name, &text, &d.len, err);

	if (r < 0 || !text)
		return r;
	d.name = name;
	d.text = text;
	return load_text(settings, &d, &in);
}

int
settings_build_policy(const json_t *person, const json_t *folder, struct ambit_policy **ret_policy,
	struct ambit_error *err)
{
	struct ambit_policy *parts[2] = { NULL, NULL };
	size_t n = 0;

	*ret_policy = NULL;
	if (person && !(parts[n++] = policy_build(person)))
		return err_nomem(err);
	if (folder && !(parts[n++] = policy_build(folder))) {
		ambit_policy_destroy(parts[0]);
		return err_nomem(err);
	}
	if (n == 0)
		return 0;
	*ret_policy = n == 1 ? parts[0] : ambit_policy_compose(parts, n);
	return *ret_policy ? 0 : err_nomem(err);
}

int
ambit_settings_load(const struct ambit_settings_options *options,
	struct ambit_settings **ret_settings, struct ambit_error *err)
{
	__attribute__((cleanup(settings_destroy_at))) struct ambit_settings *settings =
		calloc(1, sizeof(*settings));
	int r;

	if (!settings)
		return err_nomem(err);
	values_init(&settings->defaults);
	values_init(&settings->person);
	values_init(&settings->folder);
	/* A home that depends on the cwd is none. */
	if (options->home && options->home[0] == '/') {
		settings->home = str_dup(options->home);
		if (!settings->home)
			return err_nomem(err);
	}
	r = load_defaults(settings, err);
	if (r == 0 && options->person)
		r = load_person(settings, options, err);
	if (r == 0 && options->folder)
		r = load_folder(settings, options, err);
	if (r == 0)
		r = settings_build_policy(
			settings->person.policy, settings->folder.policy, &settings->policy, err);
	if (r < 0)
		return r;
	*ret_settings = steal_ptr(&settings);
	return 0;
}

const char *
ambit_settings_get(const struct ambit_settings *settings, const char *name)
{
	const struct key *key = key_find(name);

	if (key && key->type == KEY_WORD)
		return ambit_word_name(key->words, values_effective(key, &settings->person,
							   &settings->folder, &settings->defaults));
	if (key && key->type == KEY_ASKER)
		return settings->person.ask;
	return NULL;
}

int
ambit_settings_number(const struct ambit_settings *settings, const char *name)
{
	const struct key *key = key_find(name);

	if (!key || (key->type != KEY_COUNT && key->type != KEY_FLAG))
		return -1;
	return values_effective(key, &settings->person, &settings->folder, &settings->defaults);
}

const struct settings_values *
settings_person(const struct ambit_settings *settings)
{
	return &settings->person;
}

const struct settings_values *
settings_folder(const struct ambit_settings *settings)
{
	return &settings->folder;
}

const char *
settings_source(const struct ambit_settings *settings, bool folder, const char *name)
{
	const struct key *key = key_find(name);
	char *const *sources = folder ? settings->folder_source : settings->person_source;
	const char *source = key ? sources[key_index(key)] : NULL;

	return source ? source : "the settings";
}

const struct ambit_policy *
settings_policy(const struct ambit_settings *settings)
{
	return settings->policy;
}
