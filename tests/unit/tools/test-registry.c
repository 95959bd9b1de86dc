/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to tools: what is refused and with which words, what comes of the others, and
 * what the record has of it. Each test looks at what came of it. */

#include "registry-rig.h"

#include "memory.h"
#include "rounds.h"

/* -- tools and arguments ------------------------------------------------------------------- */

static void
names_the_nearest_tool(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, false);
	refuses(rig, "stmap", "{}", AMBIT_CODE_UNKNOWN_TOOL, "'stamp'");
	refuses(rig, "Read", "{}", AMBIT_CODE_UNKNOWN_TOOL, "'read'");
	refuses(rig, "\x1b[2Jxx", "{}", AMBIT_CODE_UNKNOWN_TOOL, "\\x1b[2Jxx");
}

static void
refuses_what_the_schema_does_not_say(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, false);
	refuses(rig, "stamp", "{}", AMBIT_CODE_BAD_ARGUMENTS, "'path' is missing");
	refuses(rig, "stamp", "{\"path\":3}", AMBIT_CODE_BAD_ARGUMENTS,
		"path must be of type string");
	refuses(rig, "stamp", "{\"pahts\":\"x\",\"path\":\"x\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"did you mean 'path'");
	refuses(rig, "stamp", "[]", AMBIT_CODE_BAD_ARGUMENTS, "must be an object");
	refuses(rig, "stamp", "{\"path\":", AMBIT_CODE_BAD_ARGUMENTS, "1:");
	refuses(rig, "stamp", "{\"path\":\"x\\u0000y\"}", AMBIT_CODE_BAD_ARGUMENTS, "NUL");
	refuses(rig, "stamp", "{\"path\":\"x\",\"path\":\"y\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"duplicate");
	assert_false(exists("x"));
}

/* What ambit's own tools would look for elsewhere than was meant: a question about it
 * would be one about something else. */
static void
asks_nobody_about_what_was_not_meant(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, true);
	refuses(rig, "read", "{\"file_path\":\"~/x\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"'file_path' begins with ~, which is not expanded here: give the absolute path");
	refuses(rig, "move", "{\"src\":\"a\",\"dst\":\"~/x\"}", AMBIT_CODE_BAD_ARGUMENTS, "'dst'");
	refuses(rig, "grep", "{\"pattern\":\"~/x\",\"path\":\"~\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"'path'");
	refuses(rig, "write", "{\"file_path\":\"file:///x\",\"content\":\"\"}",
		AMBIT_CODE_BAD_ARGUMENTS, "give the path alone");
	refuses(rig, "webfetch", "{\"url\":\"ftp://far.example/x\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"not an http or https URL");
	refuses(rig, "webfetch", "{\"url\":\"file:///etc/hosts\"}", AMBIT_CODE_BAD_ARGUMENTS,
		"read has files");
	assert_int_equal(rig->asked, 0);
}

static void
refuses_arguments_that_are_too_long(void **state)
{
	struct rig *rig = *state;
	size_t len = 9u << 20;
	char *args = malloc(len);
	struct ambit_result result;

	start(rig, NULL, false);
	assert_non_null(args);
	memset(args, ' ', len);
	memcpy(args, "{}", 2);
	assert_int_equal(ambit_registry_call(rig->registry, "look", args, len, NULL, &result), 0);
	assert_int_equal(result.code, AMBIT_CODE_BAD_ARGUMENTS);
	ambit_result_finish(&result);
	free(args);
}

static void
lists_what_can_be_called(void **state)
{
	struct rig *rig = *state;
	struct ambit_tool_entry entry;
	size_t n = 0;
	bool own = false;

	start(rig, NULL, false);
	for (; ambit_registry_at(rig->registry, n, &entry); n++) {
		auto_json json_t *input = json_loads(entry.input, 0, NULL);

		assert_non_null(input);
		assert_string_not_equal(entry.name, "bash"); /* there is no executor */
		own |= streq(entry.name, "stamp");
	}
	assert_true(n >= 13);
	assert_true(own);
	assert_int_equal(ambit_registry_find(rig->registry, "riddle", &entry), 1);
	assert_int_equal(entry.danger, AMBIT_DANGEROUS);
	assert_int_equal(ambit_registry_find(rig->registry, "nothing", &entry), 0);
	refuses(rig, "bash", "{\"command\":\"true\"}", AMBIT_CODE_BASH_NOT_ALLOWED, "no line here");
}

/* -- deciding --------------------------------------------------------------------------- */

static void
refuses_outside_where_nobody_is(void **state)
{
	struct rig *rig = *state;
	char args[1024], words[1024];
	struct ambit_result result;

	start(rig, NULL, false);
	snprintf(args, sizeof(args), "{\"path\":\"%s/f\"}", rig->w.out);
	snprintf(words, sizeof(words), "ambit rules add write %s/f", rig->w.out);
	refuses(rig, "stamp", args, AMBIT_CODE_OUTSIDE, words);
	refuses(rig, "stamp", args, AMBIT_CODE_OUTSIDE, "nobody can approve it now");
	result = call(rig, "stamp", args);
	auto_json json_t *object = json_loads(result.structured, 0, NULL);

	assert_non_null(strstr(json_string_value(json_object_get(object, "path")), "/out/f"));
	assert_string_equal(json_string_value(json_object_get(object, "scope")), rig->w.root);
	ambit_result_finish(&result);
	snprintf(words, sizeof(words), "%s/f", rig->w.out);
	assert_false(exists(words));
}

static void
honours_effects_permission_and_danger(void **state)
{
	struct rig *rig = *state;

	start(rig, "{\"agent_mode\":\"plan\"}", true);
	refuses(rig, "stamp", "{\"path\":\"x\"}", AMBIT_CODE_PLAN_MODE, "plan");
	assert_false(exists("x"));
	succeeds(rig, "look", "{}", "looked");
	refuses(rig, "forgot", "{}", AMBIT_CODE_DENIED, "deny");
	/* Unknown effects are all of them. */
	refuses(rig, "riddle", "{}", AMBIT_CODE_PLAN_MODE, "plan");
	assert_int_equal(rig->asked, 0);
}

static void
asks_for_a_tool_of_unknown_effect(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, true);
	succeeds(rig, "riddle", "{}", NULL);
	assert_int_equal(rig->asked, 1);
	rig->answer.kind = AMBIT_NO;
	snprintf(rig->answer.message, sizeof(rig->answer.message), "not now");
	refuses(rig, "riddle", "{}", AMBIT_CODE_DENIED, "not now");
	assert_int_equal(rig->asked, 2);
}

static void
refuses_a_symlink_that_leaves(void **state)
{
	struct rig *rig = *state;
	char target[1024];

	start(rig, NULL, true);
	world_link(rig->w.out, "leaves");
	refuses(rig, "stamp", "{\"path\":\"leaves/f\"}", AMBIT_CODE_SYMLINK_ESCAPE, "symlink");
	snprintf(target, sizeof(target), "%s/f", rig->w.out);
	assert_false(exists(target));
	assert_int_equal(rig->asked, 0);
}

/* -- places ------------------------------------------------------------------------------ */

static void
swap_directory(void *data)
{
	const char *out = data;

	assert_int_equal(rename("dir", "away"), 0);
	assert_int_equal(symlink(out, "dir"), 0);
	before_place = NULL;
}

/* The directory becomes a link to outside between the decision and the act. */
static void
does_not_follow_a_link_that_came_later(void **state)
{
	struct rig *rig = *state;
	char path[800];

	start(rig, NULL, true);
	world_dir("dir");
	before_place = swap_directory;
	before_data = rig->w.out;
	refuses(rig, "stamp", "{\"path\":\"dir/f\"}", AMBIT_CODE_BAD_ARGUMENTS, "elsewhere");
	snprintf(path, sizeof(path), "%s/f", rig->w.out);
	assert_false(exists(path));
	assert_false(exists("away/f"));
}

/* -- results ------------------------------------------------------------------------------- */

static void
labels_what_came_from_elsewhere(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;
	char boundary[64] = "", end[128];

	start(rig, NULL, false);
	result = call(rig, "far", "{}");
	assert_false(result.failed);
	assert_int_equal(sscanf(result.text, "[untrusted content %60s begins", boundary), 1);
	snprintf(end, sizeof(end), "[untrusted content %s ends]", boundary);
	assert_non_null(strstr(result.text, "https://elsewhere.example/"));
	assert_non_null(strstr(result.text, page));
	assert_string_equal(result.text + strlen(result.text) - strlen(end), end);
	auto_json json_t *object = json_loads(result.structured, 0, NULL);

	assert_non_null(strstr(json_string_value(json_object_get(object, "text")), "untrusted"));
	assert_int_equal(json_integer_value(json_object_get(object, "status")), 200);
	ambit_result_finish(&result);
}

static void
makes_text_of_everything(void **state)
{
	struct rig *rig = *state;
	struct ambit_result result;

	start(rig, NULL, false);
	succeeds(rig, "binary", "{}",
		"a\xef\xbf\xbd\xef\xbf\xbd"
		"b\xc3\xa9");
	result = call(rig, "much", "{}");
	assert_false(result.failed);
	assert_true(strlen(result.text) < 60200);
	assert_non_null(strstr(result.text, "bytes are not shown"));
	ambit_result_finish(&result);
}

/* -- and then --------------------------------------------------------------------------------- */

/* What `ambit perms` calls offered is what there is. */
static void
has_the_tools_that_the_table_offers(void **state)
{
	struct rig *rig = *state;
	const struct tool *row;
	size_t offered = 0, own = 0;

	start(rig, NULL, false);
	for (size_t i = 0; i < rig->registry->n_tools; i++) {
		if (!rig->registry->tools[i].own)
			continue;
		own++;
		row = tool_find(rig->registry->tools[i].own->name);
		assert_true(row && row->offered);
	}
	for (size_t i = 0; (row = tool_at(i)); i++)
		offered += row->offered;
	assert_int_equal(offered, own);
}

static void
does_not_grow(void **state)
{
	struct rig *rig = *state;
	long long used;
	int fds;

	start(rig, "{\"loop_limit\":0}", false);
	world_file("f", "");
	for (int i = 0; i < rounds(100, 4000); i++)
		succeeds(rig, "stamp", "{\"path\":\"f\"}", NULL);
	used = memory_used();
	fds = scratch_descriptors();
	for (int i = 0; i < rounds(3000, 10000); i++) {
		if (i % 3 == 0)
			succeeds(rig, "stamp", "{\"path\":\"f\"}", NULL);
		else if (i % 3 == 1)
			refuses(rig, "stamp", "{\"path\":3}", AMBIT_CODE_BAD_ARGUMENTS, "path");
		else
			succeeds(rig, "far", "{}", NULL);
	}
	assert_int_equal(scratch_descriptors(), fds);
	assert_true(memory_used() < used + 65536);
}

static int
count_event(void *data, int64_t id, const struct ambit_event *event)
{
	int *n = data;

	(void)id;
	if (event->tool && streq(event->tool, "stamp"))
		n[streq(event->kind, "result")]++;
	return 0;
}

static void
records_calls_and_results(void **state)
{
	struct rig *rig = *state;
	int n[2] = { 0 };

	start(rig, NULL, false);
	succeeds(rig, "stamp", "{\"path\":\"f\"}", NULL);
	assert_int_equal(ambit_record_events(rig->record, &(struct ambit_event_filter){ 0 },
				 count_event, n, NULL),
		0);
	assert_int_equal(n[0], 1);
	assert_int_equal(n[1], 1);
}

/* What ended before it was decided: "code tool", and the arguments. */
static int
list_refused(void *data, int64_t id, const struct ambit_event *event)
{
	struct buf *out = data;

	(void)id;
	if (streq(event->kind, "decide") && streq(event->verdict, "deny"))
		buf_printf(out, "%s %s %s\n", event->code, event->tool, event->body);
	return 0;
}

static void
records_what_was_not_even_decided(void **state)
{
	static const char secret[] = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
	struct rig *rig = *state;
	auto_buf struct buf out = { 0 };
	char args[256];

	start(rig, NULL, true);
	snprintf(args, sizeof(args), "{\"path\":3,\"note\":\"%s\",\"n\":\"beside\"}", secret);
	refuses(rig, "stamp", args, AMBIT_CODE_BAD_ARGUMENTS, "stamp");
	refuses(rig, "stamp", "{\"path\":", AMBIT_CODE_BAD_ARGUMENTS, "stamp");
	refuses(rig, "Raed", "{\"file_path\":\"x\"}", AMBIT_CODE_UNKNOWN_TOOL, "Raed");
	refuses(rig, "\x1b[2J", "{}", AMBIT_CODE_UNKNOWN_TOOL, "x1b");
	refuses(rig, "bash", "{\"command\":\"make\"}", AMBIT_CODE_BASH_NOT_ALLOWED, "no line here");
	assert_int_equal(rig->asked, 0);
	assert_int_equal(ambit_record_events(rig->record, &(struct ambit_event_filter){ 0 },
				 list_refused, &out, NULL),
		0);
	assert_non_null(strstr(out.data, "BadArguments stamp {"));
	assert_non_null(strstr(out.data, "beside"));
	assert_null(strstr(out.data, secret));
	assert_non_null(strstr(out.data, "UnknownTool Raed {"));
	assert_non_null(strstr(out.data, "UnknownTool \\x1b[2J {"));
	assert_non_null(strstr(out.data, "BashNotAllowed bash {"));
}

static void
tells_a_model_what_holds_its_shell(void **state)
{
	struct rig *rig = *state;
	struct ambit_executor *executor = NULL;
	const struct {
		enum ambit_backend backend;
		const char *words;
	} rows[] = {
		{ AMBIT_BACKEND_KERNEL, "held by the kernel" },
		{ AMBIT_BACKEND_SUBPROCESS, "nothing else holds" },
	};
	char *brief;

	start(rig, NULL, false);
	brief = ambit_registry_brief(rig->registry);
	assert_non_null(strstr(brief, "You have no shell"));
	assert_non_null(strstr(brief, "[untrusted content NAME ends]"));
	assert_non_null(strstr(brief, "File tools ask before they read keys and credentials.\n"));
	free(brief);
	for (size_t i = 0; i < 2; i++) {
		char *const none[] = { NULL };

		assert_int_equal(
			ambit_executor_create(
				&(struct ambit_executor_options){ .backend = rows[i].backend,
					.program = "/bin/true",
					.envp = none },
				&executor, NULL),
			0);
		rig->registry->executor = executor;
		brief = ambit_registry_brief(rig->registry);
		assert_non_null(strstr(brief, rows[i].words));
		/* What holds for file tools alone is not claimed for commands. */
		assert_non_null(strstr(brief, "credentials; a command may not be held back"));
		free(brief);
		rig->registry->executor = NULL;
		ambit_executor_destroy(executor);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_the_nearest_tool),
		TEST(refuses_what_the_schema_does_not_say),
		TEST(asks_nobody_about_what_was_not_meant),
		TEST(refuses_arguments_that_are_too_long),
		TEST(lists_what_can_be_called),
		TEST(refuses_outside_where_nobody_is),
		TEST(honours_effects_permission_and_danger),
		TEST(asks_for_a_tool_of_unknown_effect),
		TEST(refuses_a_symlink_that_leaves),
		TEST(does_not_follow_a_link_that_came_later),
		TEST(labels_what_came_from_elsewhere),
		TEST(makes_text_of_everything),
		TEST(has_the_tools_that_the_table_offers),
		TEST(does_not_grow),
		TEST(records_calls_and_results),
		TEST(records_what_was_not_even_decided),
		TEST(tells_a_model_what_holds_its_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
