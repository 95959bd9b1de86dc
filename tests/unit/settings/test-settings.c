/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: every key, from the person and from the folder's own file, files that are not to
 * be trusted, and what the command line adds. Files are real, in a directory of the test's
 * own. Single values and where the error points are in tests/texts/settings.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "settings/settings-key.h"

static char base[64];
static char person_file[128];
static char folder_dir[128];
static char folder_file[160];

static void
put(const char *path, const void *text, size_t len)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, len), 0);
	assert_int_equal(fchmod(fd, 0600), 0);
}

static int
set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/ambit-test-settings-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	snprintf(person_file, sizeof(person_file), "%s/config.json", base);
	snprintf(folder_dir, sizeof(folder_dir), "%s/folder", base);
	snprintf(folder_file, sizeof(folder_file), "%s/.ambit.json", folder_dir);
	return mkdir(folder_dir, 0700);
}

static int
tear_down(void **state)
{
	(void)state;
	unlink(person_file);
	rmdir(person_file);
	unlink(folder_file);
	rmdir(folder_file);
	return rmdir(folder_dir) < 0 || rmdir(base) < 0;
}

static int
load_files(struct ambit_settings **ret, struct ambit_error *err)
{
	struct ambit_settings_options options = {
		.person = person_file,
		.folder = folder_dir,
		.home = "/home/someone",
	};

	*ret = NULL;
	return ambit_settings_load(&options, ret, err);
}

/* NULL: no such file. */
static int
load(const char *person, const char *folder, struct ambit_settings **ret, struct ambit_error *err)
{
	unlink(person_file);
	unlink(folder_file);
	if (person)
		put(person_file, person, strlen(person));
	if (folder)
		put(folder_file, folder, strlen(folder));
	return load_files(ret, err);
}

static struct ambit_settings *
must_load(const char *person, const char *folder)
{
	struct ambit_settings *settings;
	struct ambit_error err = { 0 };

	if (load(person, folder, &settings, &err) < 0)
		fail_msg("%s", err.text);
	return settings;
}

/* The error's text must begin with prefix (after the file's name, if there is
 * one to expect) and contain part. */
static void
must_fail(const char *person, const char *folder, const char *place, const char *part)
{
	struct ambit_settings *settings;
	struct ambit_error err = { 0 };
	char prefix[256];

	if (load(person, folder, &settings, &err) == 0)
		fail_msg("accepted: %s %s", person ? person : "", folder ? folder : "");
	assert_null(settings);
	snprintf(prefix, sizeof(prefix), "%s:%s", folder ? folder_file : person_file, place);
	if (!str_prefix(err.text, prefix) || !strstr(err.text, part))
		fail_msg("'%s' does not say '%s ... %s'", err.text, prefix, part);
}

/* -- listing ------------------------------------------------------------------ */

struct wanted {
	const char *key;
	char value[2048];
	char source[256];
	size_t n;
};

static int
pick(void *data, const char *key, const char *value, const char *source, const char *text)
{
	struct wanted *wanted = data;

	assert_true(text[0] != '\0');
	wanted->n++;
	if (wanted->key && streq(wanted->key, key)) {
		snprintf(wanted->value, sizeof(wanted->value), "%s", value);
		snprintf(wanted->source, sizeof(wanted->source), "%s", source);
	}
	return 0;
}

static void
must_hold(const struct ambit_settings *settings, const char *key, const char *value,
	const char *source)
{
	struct wanted wanted = { .key = key };

	assert_int_equal(ambit_settings_each(settings, pick, &wanted), 0);
	assert_string_equal(wanted.value, value);
	assert_string_equal(wanted.source, source);
}

/* One good value per key, and whether the folder may say it while the person
 * says nothing. */
static const struct sample {
	const char *key;
	const char *value;
	bool folder;
} samples[] = {
	{ "$schema", "\"./schema.json\"", true },
	{ "agent_mode", "\"plan\"", true },
	{ "agent_mode", "\"build\"", true },
	{ "sandbox_mode", "\"read-only\"", true },
	{ "sandbox_mode", "\"workspace-write\"", true },
	{ "ask_mode", "\"ask-any-write\"", true },
	{ "ask_mode", "\"bypass\"", false },
	{ "reads", "\"until-first-write\"", true },
	{ "net", "\"none\"", true },
	{ "net", "\"open\"", false },
	{ "allow_bash", "false", true },
	{ "allow_bash", "true", true },
	{ "permissions", "{\"bash\":\"ask\",\"mcp__*\":\"deny\"}", true },
	{ "permissions", "{\"bash\":\"allow\"}", false },
	{ "by_side_effect", "{\"network\":\"deny\"}", true },
	{ "by_side_effect", "{\"network\":\"allow\"}", false },
	{ "policy", "\"deny_all\"", true },
	{ "policy_program", "{\"command\":[\"/bin/true\",\"x\"],\"timeout_ms\":10}", false },
	{ "judge", "{\"command\":[\"/bin/true\"],\"timeout_ms\":10}", false },
	{ "judge", "{\"url\":\"https://example.org/v1\",\"model\":\"m\",\"key_env\":\"K\"}",
		false },
	{ "guard_writes", "[\"Makefile\",\"~/.config/**\",\"/etc/*\"]", true },
	{ "guard_reads", "[\"*.pem\"]", true },
	{ "unguard_writes", "[\".envrc\"]", false },
	{ "unguard_reads", "[\".netrc\"]", false },
	{ "write", "[\"/data\",\"~/x\"]", false },
	{ "read", "[\"/data\"]", false },
	{ "allow_hosts", "[\"example.com\"]", false },
	{ "deny_hosts", "[\"*.example.com\"]", true },
	{ "profiles", "[\"npm\"]", false },
	{ "ask", "\"exec:/bin/true\"", false },
	{ "question_timeout", "10", false },
	{ "client_timeout", "10", false },
	{ "bell", "false", false },
	{ "notify_command", "[\"/bin/true\",\"x\"]", false },
	{ "loop_limit", "5", true },
	{ "agents", "{\"a\":{\"command\":[\"a\",\"{task}\"],\"env\":[\"A_KEY\"],\"timeout\":9}}",
		false },
	{ "agents", "{}", false },
	{ "agent_timeout", "60", true },
	{ "agent_timeout", "0", false },
	{ "agent_depth", "1", true },
	{ "agent_depth", "4", false },
	{ "agents_at_once", "2", true },
	{ "agents_at_once", "9", false },
	{ "agent_output", "1000", true },
	{ "agent_output", "30001", false },
	{ "children_ask", "false", true },
	{ "children_ask", "true", false },
	{ "record_session_max", "100", false },
	{ "record_max", "10", false },
	{ "keep_days", "7", false },
};

#define SAMPLES_N (sizeof(samples) / sizeof(samples[0]))

static void
every_key_is_accepted_from_the_person(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES_N; i++) {
		auto_free char *text = str_printf("{\"%s\": %s}", samples[i].key, samples[i].value);

		ambit_settings_destroy(must_load(text, NULL));
	}
	for (size_t k = 0; key_at(k); k++) {
		bool found = false;

		for (size_t i = 0; i < SAMPLES_N; i++)
			found |= streq(samples[i].key, key_at(k)->name);
		if (!found)
			fail_msg("no sample for '%s'", key_at(k)->name);
	}
}

static void
the_folder_can_narrow_and_never_widen(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES_N; i++) {
		auto_free char *text =
			str_printf("{\n  \"%s\": %s}", samples[i].key, samples[i].value);

		if (samples[i].folder)
			ambit_settings_destroy(must_load(NULL, text));
		else
			must_fail(NULL, text,
				"2:", "would widen; a file inside the folder can only narrow");
	}
}

static void
the_folder_is_measured_by_what_the_person_has(void **state)
{
	struct ambit_settings *settings;

	(void)state;
	settings = must_load("{\"ask_mode\":\"bypass\",\"loop_limit\":9}",
		"{\"ask_mode\":\"ask-dangerous\",\"loop_limit\":4}");
	must_hold(settings, "ask_mode", "\"ask-dangerous\"", ".ambit.json:1");
	must_hold(settings, "loop_limit", "4", ".ambit.json:1");
	assert_int_equal(ambit_settings_number(settings, "loop_limit"), 4);
	assert_string_equal(ambit_settings_get(settings, "ask_mode"), "ask-dangerous");
	assert_int_equal(settings_person(settings)->ask_mode, AMBIT_BYPASS);
	assert_int_equal(settings_folder(settings)->ask_mode, AMBIT_ASK_DANGEROUS);
	ambit_settings_destroy(settings);
}

static void
what_is_shown_is_what_both_sides_give(void **state)
{
	struct ambit_settings *settings = must_load(
		"{\"guard_writes\":[\"a\"],\n\"permissions\":{\"x\":\"deny\",\"y\":\"allow\"},\n"
		"\"by_side_effect\":{\"exec\":\"ask\"},\n\"policy\":\"allow_all\"}",
		"{\"guard_writes\":[\"b\"],\"permissions\":{\"x\":\"ask\",\"y\":\"ask\"},"
		"\"by_side_effect\":{\"exec\":\"deny\"},\"policy\":{\"path_allowlist\":[\"~/"
		"p\"]}}");
	auto_free char *both = str_printf("%s:1, .ambit.json:1", person_file);

	(void)state;
	must_hold(settings, "guard_writes", "[\"a\",\"b\"]", both);
	both[strlen(person_file) + 1] = '2';
	must_hold(settings, "permissions", "{\"x\":\"deny\",\"y\":\"ask\"}", both);
	both[strlen(person_file) + 1] = '3';
	must_hold(settings, "by_side_effect", "{\"exec\":\"deny\"}", both);
	both[strlen(person_file) + 1] = '4';
	must_hold(settings, "policy",
		"{\"compose\":[\"allow_all\",{\"path_allowlist\":[\"/home/someone/p\"]}]}", both);
	assert_non_null(settings_policy(settings));
	ambit_settings_destroy(settings);
}

static void
without_files_the_documented_defaults_hold(void **state)
{
	static const struct {
		const char *key, *value;
	} defaults[] = {
		{ "agent_mode", "\"build\"" },
		{ "sandbox_mode", "\"default-write\"" },
		{ "ask_mode", "\"ask-dangerous\"" },
		{ "reads", "\"anywhere\"" },
		{ "net", "\"ask\"" },
		{ "allow_bash", "true" },
		{ "permissions", "{}" },
		{ "by_side_effect", "{}" },
		{ "policy", "null" },
		{ "policy_program", "null" },
		{ "judge", "null" },
		{ "guard_writes", "[]" },
		{ "guard_reads", "[]" },
		{ "unguard_writes", "[]" },
		{ "unguard_reads", "[]" },
		{ "write", "[]" },
		{ "read", "[]" },
		{ "allow_hosts", "[]" },
		{ "deny_hosts", "[]" },
		{ "profiles", "[]" },
		{ "ask", "null" },
		{ "question_timeout", "0" },
		{ "client_timeout", "300" },
		{ "bell", "true" },
		{ "notify_command", "null" },
		{ "loop_limit", "5" },
		{ "agent_timeout", "1800" },
		{ "agent_depth", "3" },
		{ "agents_at_once", "8" },
		{ "agent_output", "30000" },
		{ "children_ask", "false" },
		{ "record_session_max", "20000" },
		{ "record_max", "1024" },
		{ "keep_days", "90" },
	};
	struct ambit_settings *settings = must_load(NULL, NULL);
	struct wanted wanted = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		must_hold(settings, defaults[i].key, defaults[i].value, "default");
	ambit_settings_each(settings, pick, &wanted);
	/* and the agents, which are those that are ready: see test-agents */
	assert_int_equal(wanted.n, sizeof(defaults) / sizeof(defaults[0]) + 1);
	assert_int_equal(ambit_settings_number(settings, "agent_timeout"), 1800);
	assert_int_equal(ambit_settings_number(settings, "children_ask"), 0);
	assert_int_equal(ambit_settings_number(settings, "allow_bash"), 1);
	assert_int_equal(ambit_settings_number(settings, "agents"), -1);
	assert_int_equal(ambit_settings_number(settings, "no such key"), -1);
	assert_int_equal(settings_person(settings)->agent_mode, -1);
	assert_int_equal(settings_folder(settings)->by_side_effect[4], -1);
	assert_null(settings_policy(settings));
	assert_null(ambit_settings_get(settings, "ask"));
	assert_null(ambit_settings_get(settings, "no such key"));
	ambit_settings_destroy(settings);
	ambit_settings_destroy(NULL);
}

/* -- what is refused ----------------------------------------------------------- */

static void
a_value_of_another_type_is_refused_for_every_key(void **state)
{
	static const char *const never[] = { "null", "1.5", "[null]", "[[\"x\"]]", "{\"x\":null}",
		"-1", "99999999999999999999", "\"\\u0000\"", "[\"a\\u0000\"]" };

	(void)state;
	for (size_t k = 0; key_at(k); k++)
		for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
			auto_free char *text =
				str_printf("{\n \"%s\": %s}", key_at(k)->name, never[i]);

			must_fail(text, NULL, "2:", "");
		}
}

static void
more_tools_than_can_be_kept_are_refused(void **state)
{
	auto_buf struct buf tools = { 0 };

	(void)state;
	buf_puts(&tools, "{\"permissions\": {\"a\": \"ask\"");
	for (int i = 0; i < 1100; i++)
		buf_printf(&tools, ",\"a%d\":\"ask\"", i);
	buf_puts(&tools, "}}");
	must_fail(NULL, tools.data, "1:2: ", "more than 1024 tools");
}

/* -- files ---------------------------------------------------------------------- */

static void
must_refuse_files(int code, const char *file, const char *part)
{
	struct ambit_settings *settings;
	struct ambit_error err = { 0 };

	assert_int_equal(load_files(&settings, &err), -code);
	if (!strstr(err.text, file) || !strstr(err.text, part))
		fail_msg("'%s' does not name '%s' and '%s'", err.text, file, part);
	assert_int_equal(load_files(&settings, NULL), -code);
}

static void
a_file_that_is_no_file_is_refused_without_waiting(void **state)
{
	(void)state;
	alarm(20); /* a FIFO that is waited for ends the test */
	unlink(folder_file);
	unlink(person_file);
	assert_int_equal(mkdir(person_file, 0700), 0);
	must_refuse_files(EISDIR, person_file, "");
	assert_int_equal(rmdir(person_file), 0);
	assert_int_equal(mkfifo(person_file, 0600), 0);
	must_refuse_files(EINVAL, person_file, "not a regular file");
	assert_int_equal(unlink(person_file), 0);
	assert_int_equal(mkfifo(folder_file, 0600), 0);
	must_refuse_files(EINVAL, folder_file, "not a regular file");
	assert_int_equal(unlink(folder_file), 0);
	assert_int_equal(mkdir(folder_file, 0700), 0);
	must_refuse_files(EISDIR, folder_file, "");
	assert_int_equal(rmdir(folder_file), 0);
	alarm(0);
}

static void
a_link_as_the_folders_file_is_refused(void **state)
{
	(void)state;
	unlink(folder_file);
	put(person_file, "{}", 2);
	assert_int_equal(symlink(person_file, folder_file), 0);
	must_refuse_files(ELOOP, folder_file, "symbolic link");
	unlink(folder_file);
	assert_int_equal(symlink("/nowhere", folder_file), 0);
	must_refuse_files(ELOOP, folder_file, "symbolic link");
	unlink(folder_file);
}

static void
a_file_of_more_than_a_mebibyte_is_refused(void **state)
{
	size_t len = (1u << 20) + 1;
	auto_free char *text = malloc(len);
	struct ambit_settings *settings;

	(void)state;
	unlink(person_file);
	memset(text, ' ', len);
	text[0] = '{';
	text[len - 2] = '}';
	put(folder_file, text, len - 1);
	assert_int_equal(load_files(&settings, NULL), 0);
	ambit_settings_destroy(settings);
	put(folder_file, text, len);
	must_refuse_files(EFBIG, folder_file, "1 MiB");
	unlink(folder_file);
}

static void
a_persons_file_that_others_could_have_written_is_refused(void **state)
{
	(void)state;
	unlink(folder_file);
	put(person_file, "{}", 2);
	assert_int_equal(chmod(person_file, 0620), 0);
	must_refuse_files(EPERM, person_file, "chmod go-w");
	assert_int_equal(chmod(person_file, 0602), 0);
	must_refuse_files(EPERM, person_file, "chmod go-w");
	assert_int_equal(chmod(person_file, 0644), 0);
	ambit_settings_destroy(must_load("{}", NULL));
	if (geteuid() != 0) {
		print_message("skipped: a file of another user's needs root to make\n");
		return;
	}
	assert_int_equal(chown(person_file, 12345, 12345), 0);
	must_refuse_files(EPERM, person_file, "belongs to user 12345");
}

static void
an_unreadable_file_is_refused(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		print_message("skipped: root can read everything\n");
		return;
	}
	put(person_file, "{}", 2);
	chmod(person_file, 0);
	must_refuse_files(EACCES, person_file, "");
	unlink(person_file);
}

static void
a_missing_file_is_fine_unless_it_was_named(void **state)
{
	struct ambit_settings_options options = { .person = person_file };
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };

	(void)state;
	unlink(person_file);
	assert_int_equal(ambit_settings_load(&options, &settings, &err), 0);
	ambit_settings_destroy(settings);
	options.required = true;
	assert_int_equal(ambit_settings_load(&options, &settings, &err), -ENOENT);
	assert_non_null(strstr(err.text, person_file));
	options = (struct ambit_settings_options){ .folder = "/nowhere/at/all" };
	assert_int_equal(ambit_settings_load(&options, &settings, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
}

static void
home_means_what_was_said_or_nothing(void **state)
{
	struct ambit_settings_options options = { .person = person_file };
	struct ambit_settings *settings = must_load("{\"write\": [\"~\", \"~/a\"]}", NULL);
	struct ambit_error err = { 0 };

	(void)state;
	assert_string_equal(settings_person(settings)->write[0], "/home/someone");
	assert_string_equal(settings_person(settings)->write[1], "/home/someone/a");
	assert_null(settings_person(settings)->write[2]);
	ambit_settings_destroy(settings);
	assert_int_equal(ambit_settings_load(&options, &settings, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no home directory"));
	options.home = "relative";
	assert_int_equal(ambit_settings_load(&options, &settings, &err), -EINVAL);
	options.home = base;
	assert_int_equal(ambit_settings_load(&options, &settings, &err), 0);
	must_hold(settings, "agent_mode", "\"build\"", "default");
	struct wanted wanted = { .key = "write" };

	ambit_settings_each(settings, pick, &wanted);
	assert_string_equal(wanted.source, "~/config.json:1");
	ambit_settings_destroy(settings);
}

/* -- the command line ------------------------------------------------------------ */

static void
must_set(struct ambit_settings *settings, const char *key, const char *value, const char *source)
{
	struct ambit_error err = { 0 };

	if (ambit_settings_set(settings, key, value, source, &err) < 0)
		fail_msg("%s", err.text);
}

static void
the_command_line_stands_over_the_persons_file(void **state)
{
	struct ambit_settings *settings =
		must_load("{\"agent_mode\":\"build\",\"net\":\"open\",\"guard_writes\":[\"a\"],"
			  "\"permissions\":{\"x\":\"ask\",\"y\":\"ask\"},\"policy\":\"allow_all\"}",
			"{\"net\":\"ask\"}");
	auto_free char *both = str_printf("%s:1, --guard", person_file);
	const struct ambit_policy *before = settings_policy(settings);

	(void)state;
	must_set(settings, "agent_mode", "plan", "--mode");
	must_hold(settings, "agent_mode", "\"plan\"", "--mode");
	must_set(settings, "agent_mode", "\"build\"", "--mode");
	must_hold(settings, "agent_mode", "\"build\"", "--mode");
	must_set(settings, "net", "open", "--net");
	must_hold(settings, "net", "\"ask\"", ".ambit.json:1");
	must_set(settings, "guard_writes", "[\"b\",\"c\"]", "--guard");
	must_set(settings, "guard_writes", "\"d\"", "--guard");
	must_set(settings, "guard_writes", "e", "--guard");
	must_hold(settings, "guard_writes", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", both);
	must_set(settings, "permissions", "{\"x\":\"deny\",\"z\":\"allow\"}", "--perm");
	assert_int_equal(settings_person(settings)->n_permissions, 3);
	must_set(settings, "question_timeout", "7", "--timeout");
	must_set(settings, "ask", "exec:/bin/true", "--ask");
	assert_string_equal(ambit_settings_get(settings, "ask"), "exec:/bin/true");
	must_set(settings, "ask", "deny", "--ask");
	assert_string_equal(ambit_settings_get(settings, "ask"), "deny");
	must_set(settings, "policy", "deny_all", "--policy");
	must_hold(settings, "policy", "\"deny_all\"", "--policy");
	assert_non_null(settings_policy(settings));
	assert_ptr_not_equal(settings_policy(settings), before);
	ambit_settings_destroy(settings);
}

static void
paths_on_the_command_line_are_relative_to_the_cwd(void **state)
{
	static const char *const relative[] = { "x/y", "./x", ".", "..", "../../../../../x", "../x",
		"x/../y", ".hidden", "..." };
	struct ambit_settings *settings = must_load(NULL, NULL);
	auto_free char *cwd = NULL, *expected = NULL;
	char *const *write;

	(void)state;
	assert_int_equal(chdir(folder_dir), 0);
	for (size_t i = 0; i < sizeof(relative) / sizeof(relative[0]); i++)
		must_set(settings, "write", relative[i], "--write");
	must_set(settings, "write", "[\"x\"]", "--write");
	must_set(settings, "write", "~/x", "--write");
	must_set(settings, "write", "/x\xff", "--write");
	assert_int_equal(chdir("/"), 0);
	must_set(settings, "write", "x", "--write");
	write = settings_person(settings)->write;
	cwd = str_dup(folder_dir);
	expected = str_printf("%s/x/y,%s/x,%s,%s,/x,%s/x,%s/x/../y,%s/.hidden,%s/...,%s/x,"
			      "/home/someone/x,/x\xff,/x,",
		cwd, cwd, cwd, base, base, cwd, cwd, cwd, cwd);
	auto_buf struct buf got = { 0 };

	for (; *write; write++)
		buf_printf(&got, "%s,", *write);
	assert_string_equal(got.data, expected);
	struct wanted wanted = { .key = "write" };

	assert_int_equal(ambit_settings_each(settings, pick, &wanted), 0);
	assert_non_null(strstr(wanted.value, "/x\\\\xff"));
	ambit_settings_destroy(settings);
}

static void
a_bad_option_changes_nothing_and_names_itself(void **state)
{
	static const struct {
		const char *key, *value, *part;
	} bad[] = {
		{ "agent_mode", "paln", "--o: 'agent_mode': 'paln' is not one of" },
		{ "agent_mode", "\"plan", "--o: '\"plan' is not JSON: 1:" },
		{ "agent_mode", "", "--o: 'agent_mode': '' is not one of" },
		{ "agent_mode", "pl\xff", "not UTF-8" },
		{ "write", "[\"/a\", 3]", "--o: " },
		{ "write", "", "not an absolute path" },
		{ "guard_writes", "[\"ok\", \"../x\"]", "bad pattern" },
		{ "allow_bash", "maybe", "is not JSON" },
		{ "permissions", "{\"a\":\"ask\",\"b\":1}", "--o: " },
		{ "ask", "exec:./prog", "not an absolute path" },
		{ "policy", "{\"path_allowlist\":[\"x\"]}", "not an absolute path" },
		{ "agentmode", "plan", "did you mean 'agent_mode'" },
	};
	struct ambit_settings *settings = must_load(NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ambit_error err = { 0 };

		assert_int_equal(
			ambit_settings_set(settings, bad[i].key, bad[i].value, "--o", &err),
			-EINVAL);
		if (!strstr(err.text, bad[i].part))
			fail_msg("'%s' does not say '%s'", err.text, bad[i].part);
	}
	for (size_t k = 0; key_at(k); k++)
		if (key_at(k)->type != KEY_NOTHING) {
			struct wanted wanted = { .key = key_at(k)->name };

			ambit_settings_each(settings, pick, &wanted);
			assert_string_equal(wanted.source, "default");
		}
	assert_int_equal(settings_person(settings)->n_permissions, 0);
	ambit_settings_destroy(settings);
}

/* -- schema ----------------------------------------------------------------------- */

static void
the_schema_knows_every_key_and_no_other(void **state)
{
	auto_free char *text = ambit_settings_schema();
	auto_json json_t *schema = NULL;
	json_t *properties, *words;

	(void)state;
	assert_non_null(text);
	assert_int_equal(json_parse(text, strlen(text), &schema, NULL), 0);
	assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
	properties = json_object_get(schema, "properties");
	assert_int_equal(json_object_size(properties), KEYS_N);
	for (size_t k = 0; key_at(k); k++) {
		json_t *property = json_object_get(properties, key_at(k)->name);

		assert_true(json_is_string(json_object_get(property, "description")));
		assert_int_equal(
			json_object_get(property, "default") != NULL, key_at(k)->fallback != NULL);
	}
	words = json_object_get(json_object_get(properties, "sandbox_mode"), "enum");
	assert_true(json_array_size(words) >= 3);
	assert_true(json_is_array(json_object_get(
		json_object_get(json_object_get(schema, "$defs"), "policy"), "oneOf")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_accepted_from_the_person),
		cmocka_unit_test(the_folder_can_narrow_and_never_widen),
		cmocka_unit_test(the_folder_is_measured_by_what_the_person_has),
		cmocka_unit_test(what_is_shown_is_what_both_sides_give),
		cmocka_unit_test(without_files_the_documented_defaults_hold),
		cmocka_unit_test(a_value_of_another_type_is_refused_for_every_key),
		cmocka_unit_test(more_tools_than_can_be_kept_are_refused),
		cmocka_unit_test(a_file_that_is_no_file_is_refused_without_waiting),
		cmocka_unit_test(a_link_as_the_folders_file_is_refused),
		cmocka_unit_test(a_file_of_more_than_a_mebibyte_is_refused),
		cmocka_unit_test(a_persons_file_that_others_could_have_written_is_refused),
		cmocka_unit_test(an_unreadable_file_is_refused),
		cmocka_unit_test(a_missing_file_is_fine_unless_it_was_named),
		cmocka_unit_test(home_means_what_was_said_or_nothing),
		cmocka_unit_test(the_command_line_stands_over_the_persons_file),
		cmocka_unit_test(paths_on_the_command_line_are_relative_to_the_cwd),
		cmocka_unit_test(a_bad_option_changes_nothing_and_names_itself),
		cmocka_unit_test(the_schema_knows_every_key_and_no_other),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
