/* SPDX-License-Identifier: Apache-2.0 */
/* From what a session says of itself to one inside it that can do no more. Words from
 * behind a line are trusted in nothing: options that would widen are refused, and what the
 * person's settings have beyond the outer session is left out. A door's own words are
 * believed, but what they name must be open there all the same. */

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "nested-scope-private.h"
#include "out.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "line/process/run-doors.h"
#include "scope/scope-narrow.h"

const struct cap around_caps[] = {
	{ "net", ambit_nets, OPT_NET },
	{ "reads", ambit_reads_words, OPT_READS },
	{ "agent_mode", ambit_agent_modes, OPT_MODE },
	{ "sandbox_mode", ambit_sandbox_modes, OPT_READ_ONLY },
	{ "ask_mode", ambit_ask_modes, OPT_ASK_MODE },
	{ 0 },
};

const struct around_limit around_limit_keys[] = {
	{ "cpu", offsetof(struct ambit_limits, cpu_seconds) },
	{ "memory", offsetof(struct ambit_limits, memory) },
	{ "processes", offsetof(struct ambit_limits, processes) },
	{ "file_size", offsetof(struct ambit_limits, file_size) },
	{ 0 },
};

/* -- being told --------------------------------------------------------------------- */

const char *
around_word(const struct around *around, const char *key)
{
	return json_text(around->scope, key);
}

int
around_number(const struct around *around, const char *key)
{
	return (int)json_integer_value(json_object_get(around->scope, key));
}

static const struct {
	const char *key;
	size_t offset; /* of the list in struct around */
} lists[] = {
	{ "sessions", offsetof(struct around, sessions) },
	{ "kept", offsetof(struct around, kept) },
	{ "grants", offsetof(struct around, grants) },
	{ "readable", offsetof(struct around, readable) },
};

/* None is not no list. */
static int
read_list(const struct around *around, const char *key, char ***ret_list)
{
	const json_t *name;
	size_t i;
	int r = 0;

	*ret_list = calloc(1, sizeof(**ret_list));
	if (*ret_list == NULL)
		return -ENOMEM;
	json_array_foreach (json_object_get(around->scope, key), i, name)
		if (r == 0)
			r = strv_append(ret_list, json_string_value(name));
	return r;
}

static int
read_scope(struct around *around, struct ambit_error *err)
{
	const char *text = run_inner_scope(around->asked);
	char *const *open = run_inner_writable(around->asked);
	int r = json_parse(text, strlen(text), &around->scope, err);

	if (r < 0)
		return r;
	around->folder = around_word(around, "folder");
	r = strv_append(&around->open, around_word(around, "root"));
	for (; r == 0 && open != NULL && *open != NULL; open++)
		r = strv_append(&around->open, *open);
	for (size_t i = 0; r == 0 && i < sizeof(lists) / sizeof(lists[0]); i++)
		r = read_list(around, lists[i].key, (char ***)((char *)around + lists[i].offset));
	return r < 0 ? err_nomem(err) : 0;
}

int
around_open(struct around *around, const char *text, bool trusted, struct ambit_error *err)
{
	int64_t fd;
	int r;

	*around = (struct around){ .trusted = trusted };
	if (when_number(text, 1024, &fd) < 0 || fd < 3)
		return usage(err, "--%s is ambit's own", trusted ? "within" : "inner");
	r = run_inner_open((int)fd, &around->asked, err);
	return r < 0 ? r : read_scope(around, err);
}

void
around_finish(struct around *around)
{
	ambit_scope_destroy(around->outer.scope);
	strv_free(around->open);
	strv_free(around->kept);
	strv_free(around->grants);
	strv_free(around->readable);
	strv_free(around->sessions);
	json_decref(around->scope);
}

const char *
around_session(const struct around *around, const char *own)
{
	size_t n = strv_len(around->sessions);

	if (n > 0 && streq(around->sessions[n - 1], own))
		n--;
	return n > 0 ? around->sessions[n - 1] : NULL;
}

const char *
around_agent(const struct around *around)
{
	const char *agent = around != NULL ? around_word(around, "agent") : "";

	return agent[0] != '\0' ? agent : NULL;
}

const char *
around_display(const struct around *around)
{
	const char *display = around != NULL ? around_word(around, "display") : "";

	return display[0] != '\0' ? display : NULL;
}

bool
around_enforces(const struct around *around)
{
	return around != NULL && json_is_true(json_object_get(around->scope, "enforce"));
}

bool
around_watched(const struct around *around)
{
	return json_is_true(json_object_get(around->scope, "watchers"));
}

bool
around_allows_bash(const struct around *around)
{
	return around == NULL || !json_is_false(json_object_get(around->scope, "allow_bash"));
}

void
around_limits(const struct around *around, struct ambit_limits *of)
{
	const json_t *object = json_object_get(around->scope, "limits");

	for (const struct around_limit *limit = around_limit_keys; limit->key != NULL; limit++) {
		uint64_t most = (uint64_t)json_integer_value(json_object_get(object, limit->key));
		uint64_t *own = around_limit_at(of, limit);

		if (most > 0 && (*own == 0 || *own > most))
			*own = most;
	}
}

/* -- what would be wider ------------------------------------------------------------ */

static bool
is_beneath_dirs(const char *real, char *const *dirs)
{
	for (; dirs != NULL && *dirs != NULL; dirs++)
		if (str_beneath(real, *dirs))
			return true;
	return false;
}

static int
refuse_wider_option(struct ambit_error *err, const char *option, const char *value, const char *why)
{
	auto_free char *shown = str_escape(value, strlen(value));

	return err_set(err, EPERM, "--%s %s: this is inside another ambit run, %s", option,
		shown != NULL ? shown : "?", why);
}

char *
around_real(const char *path)
{
	auto_free char *absolute = str_absolute(path);
	char *real = absolute != NULL ? realpath(absolute, NULL) : NULL, *slash;

	if (real != NULL || absolute == NULL)
		return real;
	slash = strrchr(absolute, '/');
	if (slash == absolute || slash[1] == '\0' || streq(slash, "/.."))
		return NULL;
	*slash = '\0';
	auto_free char *parent = realpath(absolute, NULL);

	return parent != NULL ? str_printf("%s/%s", parent, slash + 1) : NULL;
}

static int
check_place(const struct around *around, const struct given *given, struct ambit_error *err)
{
	auto_free char *real = around_real(given->value);

	if (real != NULL && is_beneath_dirs(real, around->open))
		return 0;
	if (around_number(around, "reads") == AMBIT_READS_ANYWHERE)
		return 0;
	return refuse_wider_option(
		err, option_rows[given->opt].name, given->value, "where that is not open");
}

/* What is named is not asked about any more, a guard neither: so it must be a
 * directory that the outer line itself has as a whole, where no guard is. */
static int
check_granted(const struct around *around, const struct given *given, struct ambit_error *err)
{
	auto_free char *real = around_real(given->value);

	for (char *const *open = run_inner_whole(around->asked);
		real != NULL && open != NULL && *open != NULL; open++)
		if (streq(real, *open))
			return 0;
	return refuse_wider_option(err, "write", given->value, "where that is not open as a whole");
}

static bool
has_scope_name(const struct around *around, const char *key, const char *name, size_t len)
{
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(around->scope, key), i, one)
		if (strlen(json_string_value(one)) == len &&
			memcmp(json_string_value(one), name, len) == 0)
			return true;
	return false;
}

static int
check_profiles(const struct around *around, const char *names, struct ambit_error *err)
{
	for (const char *at = names; *at != '\0';) {
		size_t len = strcspn(at, ",");

		if (!has_scope_name(around, "profiles", at, len))
			return refuse_wider_option(err, "for", names, "which does not have it");
		at += len + (at[len] == ',');
	}
	return 0;
}

static int
check_given(const struct around *around, const struct given *given, struct ambit_error *err)
{
	int net = around_number(around, "net");

	switch (given->opt) {
	case OPT_INNER:
	case OPT_WITHIN:
		return usage(err, "--%s is ambit's own", option_rows[given->opt].name);
	/* Out here it would be written with other rights than the client's. */
	case OPT_REPORT:
		return usage(err, "--report is the client's own");
	/* Out here they would be descriptors of others. */
	case OPT_ASK_FD:
	case OPT_LEASH:
		return usage(err, "--%s is the client's own", option_rows[given->opt].name);
	case OPT_SETTINGS:
		return refuse_wider_option(err, "settings", given->value, "whose settings hold");
	case OPT_WRITE:
		return check_granted(around, given, err);
	case OPT_READ:
		return check_place(around, given, err);
	case OPT_FOR:
		return check_profiles(around, given->value, err);
	case OPT_ALLOW_HOST:
		return net == AMBIT_NET_OPEN || has_scope_name(around, "allow_hosts", given->value,
							strlen(given->value))
			       ? 0
			       : refuse_wider_option(err, "allow-host", given->value,
					 "where hosts are asked about");
	/* What holds commands is the line around them. */
	case OPT_BACKEND:
	case OPT_PREFIX:
	case OPT_ALLOW_BASH:
		return refuse_wider_option(err, option_rows[given->opt].name, given->value,
			"which holds its commands");
	default:
		return 0;
	}
}

int
around_options(const struct around *around, const struct args *args, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && !around->trusted && i < args->n_given; i++)
		r = check_given(around, &args->given[i], err);
	return r;
}

void
around_settings(const struct around *around, struct args *args)
{
	if (args_get(args, OPT_SETTINGS) == NULL)
		args->given[args->n_given++] = (struct given){ .opt = OPT_SETTINGS,
			.value = around_word(around, "settings") };
	args->around = around;
}

void
around_folder(const struct around *around, struct args *args)
{
	const char *given = args_get(args, OPT_FOLDER), *root = around_word(around, "root");
	auto_free char *real = realpath(given != NULL ? given : ".", NULL);

	if (real == NULL || !str_beneath(root, real))
		return;
	args->given[args->n_given++] = (struct given){ .opt = OPT_FOLDER, .value = root };
}

/* A mode: what the option says must not be wider; what the settings say is cut. */
static int
cap_mode(const struct around *around, struct world *world, const struct args *args,
	const struct cap *cap, struct ambit_error *err)
{
	const char *own = ambit_settings_get(world->settings, cap->key);
	const struct ambit_word *word = own != NULL ? ambit_word_find(cap->words, own) : NULL;
	int most = around_number(around, cap->key);
	const char *name = ambit_word_name(cap->words, most);

	if (word != NULL && word->value <= most)
		return 0;
	if (!around->trusted && args_get(args, cap->opt) != NULL) {
		auto_free char *why = str_printf("where it is %s", name);

		return refuse_wider_option(err, option_rows[cap->opt].name,
			args_get(args, cap->opt), why != NULL ? why : "");
	}
	return ambit_settings_set(world->settings, cap->key, name, "the run around it", err);
}

static int
cap_permissions(const struct around *around, struct world *world, struct ambit_error *err)
{
	const json_t *permissions = json_object_get(around->scope, "permissions"), *value;
	auto_json json_t *less = json_object();
	auto_free char *line = NULL;
	const char *tool;

	json_object_foreach ((json_t *)permissions, tool, value)
		if (!streq(json_string_value(value), "allow"))
			json_object_set(less, tool, (json_t *)value);
	if (json_object_size(less) == 0)
		return 0;
	line = json_line(less);
	if (line == NULL)
		return err_nomem(err);
	return ambit_settings_set(world->settings, "permissions", line, "the run around it", err);
}

static int
check_session(const struct around *around, const struct world *world, const struct args *args,
	struct ambit_error *err)
{
	const char *name = args_get(args, OPT_SESSION);
	struct ambit_session session = { 0 };
	struct ambit_error ignored = { 0 };
	int r = name != NULL && !around->trusted
			? ambit_record_session_load(world->record, name, &session, &ignored)
			: -ENOENT;

	ambit_session_finish(&session);
	return r == -ENOENT ? 0
			    : refuse_wider_option(
				      err, "session", name, "and a session there is a new one");
}

int
around_check(struct around *around, struct world *world, const struct args *args,
	struct ambit_error *err)
{
	const char *root = ambit_scope_root(world->scope);
	int r = 0;

	/* A door names it by its real path: something else may have that name by now. */
	if (around->trusted && !streq(root, args_get(args, OPT_FOLDER)))
		return refuse_wider_option(err, "folder", args_get(args, OPT_FOLDER),
			"and that leads elsewhere by now");
	if (!is_beneath_dirs(root, around->open))
		return refuse_wider_option(err, "folder", root, "where that is not open");
	/* A folder is open for as long as its run lives. */
	if (!is_beneath_dirs(root, around->kept))
		return refuse_wider_option(err, "folder", root,
			"where that is open by an answer, which can be taken back: use --write "
			"for it");
	for (const struct cap *cap = around_caps; r == 0 && cap->key != NULL; cap++)
		r = cap_mode(around, world, args, cap, err);
	if (r == 0)
		r = cap_permissions(around, world, err);
	return r == 0 ? check_session(around, world, args, err) : r;
}

int
around_protect(const struct around *around, struct ambit_scope *scope, struct ambit_error *err)
{
	static const char *const keys[] = { "folder", "root", "display" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (around_word(around, keys[i])[0] == '/')
			r = scope_protect_folder(scope, around_word(around, keys[i]), err);
	return r;
}

int
around_scope(struct around *around, const struct world *world, struct ambit_error *err)
{
	const struct ambit_scope_options options = {
		.root = around->folder,
		.allow_bash = true,
		.places = {
			.home = world->place.home,
			.config = world->place.config,
			.settings = world->file,
			.state = world->place.state,
			.runtime = world->place.sockets,
		},
	};
	struct ambit_scope *scope = NULL;
	int r = ambit_scope_create(&options, &scope, err);

	around->outer = (struct ambit_engine_outer){
		.scope = scope,
		.sessions = (const char *const *)around->sessions,
		.open = (const char *const *)around->open,
		.kept = (const char *const *)around->kept,
		.grants = (const char *const *)around->grants,
		.whole = json_is_true(json_object_get(around->scope, "narrow"))
				 ? NULL
				 : (const char *const *)run_inner_whole(around->asked),
		.readable = around_number(around, "reads") == AMBIT_READS_ANYWHERE
				    ? NULL
				    : (const char *const *)around->readable,
		.guards = around_word(around, "guards"),
	};
	return r;
}
