/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit run` inside `ambit run`. The inner one, behind the line, has its command
 * supervised from outside: by a third ambit, which the outer one starts. That one
 * takes the inner one's words as its own command line, and may do with them what
 * the outer one may, less what they narrow: options that would widen are refused,
 * and what the person's settings have beyond the outer line is left out. The
 * words come from behind the line and are trusted in nothing else; in particular
 * the environment in them is the command's alone. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "out.h"
#include "run.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

/* -- inside --------------------------------------------------------------------- */

/* What only the inner one can do, or what means nothing there. */
static bool
stays(enum opt opt)
{
	return opt == OPT_REPORT || opt == OPT_NO_PTY || opt == OPT_ASK_FD || opt == OPT_LEASH;
}

static int
make_words(const struct args *args, char ***ret_words)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++) {
		const struct given *given = &args->given[i];
		const struct option_row *row = &option_rows[given->opt];
		auto_free char *word = row->arg != NULL
			? str_printf("--%s=%s", row->name, given->value)
			: str_printf("--%s", row->name);

		if (!stays(given->opt))
			r = word != NULL ? strv_append(ret_words, word) : -ENOMEM;
	}
	if (r == 0)
		r = strv_append(ret_words, "--");
	for (size_t i = 0; r == 0 && i < args->n; i++)
		r = strv_append(ret_words, args->words[i]);
	return r;
}

int
run_through(const struct args *args, int socket, struct ambit_error *err)
{
	const char *path = args_get(args, OPT_REPORT);
	struct run_report report = { .dir = -1, .fd = -1 };
	auto_free char *cwd = getcwd(NULL, 0), *text = NULL;
	struct ambit_run_request request = { .envp = environ, .cwd = cwd != NULL ? cwd : "/" };
	char **words = NULL;
	int status = EXIT_AMBIT;
	int r = make_words(args, &words) < 0 ? err_nomem(err) : 0;

	request.args = words;
	/* With our own rights: it is a file of the inner one's. */
	if (r == 0 && path != NULL)
		r = run_report_open(&report, path, err);
	if (r == 0)
		r = ambit_run_through(socket, &request, &status, &text, err);
	else
		close(socket);
	if (r == 0 && text != NULL && run_report_put(&report, text, err) < 0) {
		fprintf(stderr, "ambit: %s\n", err->text);
		*err = (struct ambit_error){ 0 };
		status = status == 0 ? EXIT_AMBIT : status;
	}
	run_report_finish(&report);
	strv_free(words);
	return r == 0 ? status : r;
}

/* -- what the outer one tells ----------------------------------------------------- */

/* What can be narrowed by a word; smaller is narrower. */
static const struct cap {
	const char *key;
	const struct ambit_word *words;
	enum opt opt; /* that says it; OPT_N: none */
} caps[] = {
	{ "net", ambit_nets, OPT_NET },
	{ "reads", ambit_reads_words, OPT_READS },
	{ "agent_mode", ambit_agent_modes, OPT_MODE },
	{ "sandbox_mode", ambit_sandbox_modes, OPT_READ_ONLY },
	{ "ask_mode", ambit_ask_modes, OPT_N },
};

/* The tools that calls behind the line are. */
static const char *const tools[] = { "read", "write", "delete", "move", "connect" };

static int
effective(const struct run *run, const struct cap *cap)
{
	return streq(cap->key, "net") ? ambit_engine_net(run->world.engine)
				      : ambit_engine_mode(run->world.engine, cap->key, NULL);
}

/* Lists that are open here, and can be inside. */
static int
put_lists(void *data, const char *key, const char *value, const char *source, const char *text)
{
	auto_json json_t *list = NULL;

	(void)source;
	(void)text;
	if (!streq(key, "profiles") && !streq(key, "allow_hosts"))
		return 0;
	if (json_parse(value, strlen(value), &list, NULL) < 0)
		return -ENOMEM;
	return json_object_set(data, key, list) < 0 ? -ENOMEM : 0;
}

/* Those around this one, and this one. */
static json_t *
sessions_of(const struct run *run)
{
	json_t *list = json_array();

	for (char **name = run->inner != NULL ? run->inner->sessions : NULL;
		name != NULL && *name != NULL; name++)
		json_array_append_new(list, json_string(*name));
	json_array_append_new(list, json_string(ambit_engine_session(run->world.engine)));
	return list;
}

/* One that JSON cannot say is not kept: then it is not open inside. */
static int
put_kept(void *data, const char *path)
{
	if (!str_is_utf8(path, strlen(path)))
		return 0;
	return json_array_append_new(data, json_string(path)) < 0 ? -ENOMEM : 0;
}

char *
run_scope_text(void *data)
{
	const struct run *run = data;
	auto_json json_t *scope = json_pack("{s:s, s:s, s:s, s:o, s:s, s:b}", "folder",
		run->inner != NULL ? run->inner->folder : run->root, "root", run->root, "settings",
		run->world.file, "sessions", sessions_of(run), "ask", run->who, "guard_reads",
		run->guard_reads);
	auto_free char *guards = scope != NULL ? ambit_engine_guards(run->world.engine) : NULL;
	json_t *permissions, *kept;

	if (guards == NULL)
		return NULL;
	permissions = json_object();
	kept = json_array();
	if (json_object_set_new(scope, "permissions", permissions) < 0 ||
		json_object_set_new(scope, "kept", kept) < 0 ||
		json_object_set_new(scope, "guards", json_string(guards)) < 0 ||
		ambit_engine_kept(run->world.engine, put_kept, kept) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		json_object_set_new(scope, caps[i].key, json_integer(effective(run, &caps[i])));
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		json_object_set_new(permissions, tools[i],
			json_string(ambit_word_name(ambit_permissions,
				(int)ambit_engine_permission(run->world.engine, tools[i], NULL))));
	if (ambit_settings_each(run->world.settings, put_lists, scope) < 0)
		return NULL;
	return json_line(scope);
}

/* -- outside: what the inner one may have ------------------------------------------ */

static const char *
text_of(const struct run_inner *inner, const char *key)
{
	const char *text = json_string_value(json_object_get(inner->scope, key));

	return text != NULL ? text : "";
}

static int
read_scope(struct run_inner *inner, struct ambit_error *err)
{
	const char *text = ambit_run_inner_scope(inner->asked);
	char *const *open = ambit_run_inner_writable(inner->asked);
	const json_t *name;
	size_t i;
	int r = json_parse(text, strlen(text), &inner->scope, err);

	if (r < 0)
		return r;
	inner->folder = text_of(inner, "folder");
	r = strv_append(&inner->open, text_of(inner, "root"));
	for (; r == 0 && open != NULL && *open != NULL; open++)
		r = strv_append(&inner->open, *open);
	json_array_foreach(json_object_get(inner->scope, "sessions"), i, name)
		if (r == 0)
			r = strv_append(&inner->sessions, json_string_value(name));
	json_array_foreach(json_object_get(inner->scope, "kept"), i, name)
		if (r == 0)
			r = strv_append(&inner->kept, json_string_value(name));
	return r < 0 ? err_nomem(err) : 0;
}

static bool
lies_in(const char *real, char *const *dirs)
{
	for (; dirs != NULL && *dirs != NULL; dirs++)
		if (str_beneath(real, *dirs))
			return true;
	return false;
}

static bool
is_open(const struct run_inner *inner, const char *real)
{
	return lies_in(real, inner->open);
}

static int
wider(struct ambit_error *err, const char *option, const char *value, const char *why)
{
	auto_free char *shown = str_escape(value, strlen(value));

	return err_set(err, EPERM, "--%s %s: this is inside another ambit run, %s", option,
		shown != NULL ? shown : "?", why);
}

/* The real path of what is there, or would be. */
static char *
real_of(const char *path)
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
check_place(const struct run_inner *inner, const struct given *given, struct ambit_error *err)
{
	auto_free char *real = real_of(given->value);

	if (real != NULL && is_open(inner, real))
		return 0;
	if (json_integer_value(json_object_get(inner->scope, "reads")) == AMBIT_READS_ANYWHERE)
		return 0;
	return wider(err, option_rows[given->opt].name, given->value, "where that is not open");
}

/* What is named is not asked about any more, a guard neither: so it must be a
 * directory that the outer line itself has as a whole, where no guard is. */
static int
check_granted(const struct run_inner *inner, const struct given *given, struct ambit_error *err)
{
	auto_free char *real = real_of(given->value);

	for (char *const *open = ambit_run_inner_whole(inner->asked);
		real != NULL && open != NULL && *open != NULL; open++)
		if (streq(real, *open))
			return 0;
	return wider(err, "write", given->value, "where that is not open as a whole");
}

static bool
has(const struct run_inner *inner, const char *key, const char *name, size_t len)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(inner->scope, key), i, one)
		if (strlen(json_string_value(one)) == len &&
			memcmp(json_string_value(one), name, len) == 0)
			return true;
	return false;
}

static int
check_profiles(const struct run_inner *inner, const char *names, struct ambit_error *err)
{
	for (const char *at = names; *at != '\0';) {
		size_t len = strcspn(at, ",");

		if (!has(inner, "profiles", at, len))
			return wider(err, "for", names, "which does not have it");
		at += len + (at[len] == ',');
	}
	return 0;
}

static int
check_given(const struct run_inner *inner, const struct given *given, struct ambit_error *err)
{
	int net = (int)json_integer_value(json_object_get(inner->scope, "net"));

	switch (given->opt) {
	case OPT_INNER:
		return usage(err, "--inner is ambit's own");
	/* Out here it would be written with other rights than the client's. */
	case OPT_REPORT:
		return usage(err, "--report is the client's own");
	/* Out here they would be descriptors of others. */
	case OPT_ASK_FD:
	case OPT_LEASH:
		return usage(err, "--%s is the client's own", option_rows[given->opt].name);
	case OPT_SETTINGS:
		return wider(err, "settings", given->value, "whose settings hold");
	case OPT_WRITE:
		return check_granted(inner, given, err);
	case OPT_READ:
		return check_place(inner, given, err);
	case OPT_FOR:
		return check_profiles(inner, given->value, err);
	case OPT_ALLOW_HOST:
		return net == AMBIT_NET_OPEN ||
				has(inner, "allow_hosts", given->value, strlen(given->value))
			? 0
			: wider(err, "allow-host", given->value, "where hosts are asked about");
	default:
		return 0;
	}
}

/* A mode: what the option says must not be wider; what the settings say is cut. */
static int
cap_mode(struct run *run, const struct cap *cap, struct ambit_error *err)
{
	const char *own = ambit_settings_get(run->world.settings, cap->key);
	const struct ambit_word *word = own != NULL ? ambit_word_find(cap->words, own) : NULL;
	int most = (int)json_integer_value(json_object_get(run->inner->scope, cap->key));
	const char *name = ambit_word_name(cap->words, most);

	if (word != NULL && word->value <= most)
		return 0;
	if (cap->opt != OPT_N && args_get(run->args, cap->opt) != NULL) {
		auto_free char *why = str_printf("where it is %s", name);

		return wider(err, option_rows[cap->opt].name, args_get(run->args, cap->opt),
			why != NULL ? why : "");
	}
	return ambit_settings_set(run->world.settings, cap->key, name, "the run around it", err);
}

static int
cap_permissions(struct run *run, struct ambit_error *err)
{
	const json_t *permissions = json_object_get(run->inner->scope, "permissions"), *value;
	auto_json json_t *less = json_object();
	auto_free char *line = NULL;
	const char *tool;

	json_object_foreach((json_t *)permissions, tool, value)
		if (!streq(json_string_value(value), "allow"))
			json_object_set(less, tool, (json_t *)value);
	if (json_object_size(less) == 0)
		return 0;
	line = json_line(less);
	if (line == NULL)
		return err_nomem(err);
	return ambit_settings_set(
		run->world.settings, "permissions", line, "the run around it", err);
}

static int
check_session(struct run *run, struct ambit_error *err)
{
	const char *name = args_get(run->args, OPT_SESSION);
	struct ambit_session session = { 0 };
	struct ambit_error ignored = { 0 };
	int r = name != NULL
		? ambit_record_session_load(run->world.record, name, &session, &ignored)
		: -ENOENT;

	ambit_session_finish(&session);
	return r == -ENOENT ? 0
			    : wider(err, "session", name, "and a session there is a new one");
}

/* The person is asked by the outermost alone: who is asked from in here cannot
 * see where the question comes from. */
int
run_inner_who(struct run *run, struct ambit_error *err)
{
	const char *given = args_get(run->args, OPT_ASK), *outer = text_of(run->inner, "ask");
	const char *wanted = ambit_settings_get(run->world.settings, "ask");

	if (given != NULL && !streq(given, "deny") && (!streq(given, outer) || streq(given, "tty")))
		return wider(err, "ask", given, "from where nobody else can be asked");
	run->who = "deny";
	if (wanted != NULL && streq(wanted, outer) && !streq(wanted, "tty"))
		run->who = wanted;
	return 0;
}

int
run_inner_check(struct run *run, struct ambit_error *err)
{
	const struct run_inner *inner = run->inner;
	int r = 0;

	if (!is_open(inner, run->root))
		return wider(err, "folder", run->root, "where that is not open");
	/* A folder is open for as long as its run lives. */
	if (!lies_in(run->root, inner->kept))
		return wider(err, "folder", run->root,
			"where that is open by an answer, which can be taken back: use --write for it");
	for (size_t i = 0; r == 0 && i < sizeof(caps) / sizeof(caps[0]); i++)
		r = cap_mode(run, &caps[i], err);
	if (r == 0)
		r = cap_permissions(run, err);
	if (r == 0)
		r = check_session(run, err);
	run->guard_reads |= json_is_true(json_object_get(inner->scope, "guard_reads"));
	return r;
}

int
run_inner_scope(struct run *run, struct ambit_error *err)
{
	const struct ambit_scope_options options = {
		.root = run->inner->folder,
		.allow_bash = true,
		.places = {
			.home = run->world.place.home,
			.config = run->world.place.config,
			.settings = run->world.file,
			.state = run->world.place.state,
			.runtime = run->world.place.runtime,
		},
	};
	struct ambit_scope *scope = NULL;
	int r = ambit_scope_create(&options, &scope, err);

	run->inner->outer = (struct ambit_engine_outer){
		.scope = scope,
		.sessions = (const char *const *)run->inner->sessions,
		.open = (const char *const *)run->inner->open,
		.kept = (const char *const *)run->inner->kept,
		.guards = text_of(run->inner, "guards"),
	};
	return r;
}

/* -- outside: the third one ---------------------------------------------------------- */

static void
end(struct run_inner *inner, int status, const char *report)
{
	ambit_run_inner_end(inner->asked, status, report);
	inner->asked = NULL;
}

void
run_inner_end(struct run *run, const struct ambit_run_result *result, int status)
{
	auto_free char *json = ambit_run_result_json(
		result, ambit_engine_session(run->world.engine), run->argv);

	end(run->inner, status, json);
}

static int
inner_command(struct run_inner *inner, struct args *args, struct ambit_error *err)
{
	char *const *words = ambit_run_inner_args(inner->asked);
	int r = read_scope(inner, err);

	if (r == 0 && chdir(ambit_run_inner_cwd(inner->asked)) < 0)
		r = err_sys(err, errno, "the current directory");
	if (r == 0)
		r = args_parse(&cmd_run, (char **)words, strv_len((char **)words), args, err);
	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		r = check_given(inner, &args->given[i], err);
	if (r != 0)
		return r;
	/* Settings are found as the outer one found them. */
	args->given[args->n_given++] =
		(struct given){ .opt = OPT_SETTINGS, .value = text_of(inner, "settings") };
	args->above = inner->folder;
	return run_command_in(args, inner, err);
}

/* Never comes back with anything but an error: a run that was started ends the
 * process. */
int
run_inner(const struct args *args, struct ambit_error *err)
{
	struct run_inner inner = { 0 };
	struct args own = { 0 };
	int64_t fd;
	int r;

	if (when_number(args_get(args, OPT_INNER), 3, &fd) < 0 || fd != 3)
		return usage(err, "--inner is ambit's own");
	r = ambit_run_inner_open((int)fd, &inner.asked, err);
	if (r < 0)
		return r;
	r = inner_command(&inner, &own, err);
	fprintf(stderr, "ambit: %s\n", err->text);
	end(&inner, r > 0 ? r : EXIT_AMBIT, NULL);
	_exit(EXIT_AMBIT);
}
