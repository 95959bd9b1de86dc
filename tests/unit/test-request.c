/* SPDX-License-Identifier: Apache-2.0 */
/* A call becomes the paths, command and host it would touch; what is not
 * understood says so. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "request/request-object.h"
#include "request/request-private.h"

static struct ambit_request *
make(const char *tool, const char *args)
{
	struct ambit_request *request = NULL;
	struct ambit_error err;

	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, &err), 0);
	assert_non_null(request);
	return request;
}

static struct ambit_request *
parse(const char *text)
{
	struct ambit_request *request = NULL;

	assert_int_equal(ambit_request_parse(text, strlen(text), &request, NULL), 0);
	assert_non_null(request);
	return request;
}

/* Its paths as "access:follow path" lines. */
static void
expect_paths(const char *tool, const char *args, const char *want)
{
	static const char *const follows[] = { "both", "follow", "nofollow" };
	struct ambit_request *request = make(tool, args);
	struct buf out = { 0 };

	if (request->bad != AMBIT_CODE_NONE)
		fail_msg("%s %s: %s", tool, args, request->bad_reason);
	for (size_t i = 0; i < request->n_paths; i++)
		buf_printf(&out, "%s:%s %s\n",
			ambit_word_name(ambit_accesses, request->paths[i].access),
			follows[request->paths[i].follow], request->paths[i].text);
	assert_string_equal(out.data ? out.data : "", want);
	buf_finish(&out);
	ambit_request_destroy(request);
}

static void
expect_bad(struct ambit_request *request, enum ambit_code code, bool hard, const char *reason)
{
	assert_int_equal(request->bad, code);
	assert_int_equal(request->bad_hard, hard);
	assert_non_null(request->bad_reason);
	if (!strstr(request->bad_reason, reason))
		fail_msg("'%s' does not say '%s'", request->bad_reason, reason);
	ambit_request_destroy(request);
}

#define HARD(tool, args, reason)                                                                   \
	expect_bad(make(tool, args), AMBIT_CODE_BAD_ARGUMENTS, true, reason)
#define SOFT(tool, args, reason)                                                                   \
	expect_bad(make(tool, args), AMBIT_CODE_BAD_ARGUMENTS, false, reason)
#define REFUSED(text, reason) expect_bad(parse(text), AMBIT_CODE_BAD_ARGUMENTS, true, reason)

static void
every_agents_arguments_give_their_paths(void **state)
{
	(void)state;
	expect_paths("write", "{\"file_path\":\"a\"}", "write:follow a\n");
	expect_paths("Write", "{\"file_path\":\"/a\",\"content\":\"~/x\"}", "write:follow /a\n");
	expect_paths("write_file", "{\"path\":\"a\"}", "write:follow a\n");
	expect_paths("write", "{\"filePath\":\"a\"}", "write:follow a\n");
	expect_paths("read_file", "{\"absolute_path\":\"/a\"}", "read:follow /a\n");
	expect_paths("NotebookEdit", "{\"notebook_path\":\"a\"}", "write:follow a\n");
	expect_paths(
		"str_replace_editor", "{\"command\":\"view\",\"path\":\"a\"}", "read:follow a\n");
	expect_paths("Delete", "{\"path\":\"a\"}", "delete:nofollow a\n");
	expect_paths(
		"MoveFile", "{\"src\":\"a\",\"dst\":\"b\"}", "delete:nofollow a\nreplace:both b\n");
	expect_paths("move_file", "{\"source\":\"a\",\"destination\":\"b\"}",
		"delete:nofollow a\nreplace:both b\n");
	expect_paths("copy", "{\"src\":\"a\",\"dst\":\"b\"}", "read-tree:follow a\nwrite:both b\n");
	expect_paths("extract", "{\"src\":\"a.zip\",\"dst\":\"b\"}",
		"read:follow a.zip\nwrite:follow b\n");
	expect_paths("grep", "{\"pattern\":\"/etc\",\"path\":\"src\"}", "read-tree:follow src\n");
	expect_paths("run_agent", "{\"name\":\"x\",\"folder\":\"sub\",\"task\":\"t\"}",
		"write:both sub\n");
	expect_paths("task", "{\"prompt\":\"x\"}", "");
	expect_paths("list_directory", "{\"dir_path\":\"src\"}", "read:follow src\n");
}

static void
all_names_of_an_argument_count(void **state)
{
	(void)state;
	expect_paths("write", "{\"file_path\":\"a\",\"path\":\"/etc/b\"}",
		"write:follow a\nwrite:follow /etc/b\n");
	expect_paths("edit",
		"{\"file_path\":\"a\",\"edits\":[{\"file_path\":\"/etc/b\"},{\"old\":1}]}",
		"write:follow a\nwrite:follow /etc/b\n");
	expect_paths("write", "{\"files\":[\"a\",{\"path\":\"b\"}]}",
		"write:follow a\nwrite:follow b\n");
	expect_paths(
		"write", "{\"file_path\":\"a\",\"path\":\"a\",\"file\":null}", "write:follow a\n");
}

static void
a_listing_without_a_path_is_about_the_cwd(void **state)
{
	(void)state;
	expect_paths("ls", "{}", "read:follow .\n");
	expect_paths("grep", "{\"pattern\":\"x\"}", "read-tree:follow .\n");
	expect_paths("glob", "{}", "read:follow .\n");
	expect_paths("extract", "{\"archive\":\"a.zip\"}", "read:follow a.zip\nwrite:follow .\n");
}

static void
a_pattern_reads_where_it_begins(void **state)
{
	(void)state;
	expect_paths("glob", "{\"pattern\":\"*.c\"}", "read:follow .\n");
	expect_paths("glob", "{\"pattern\":\"src/lib/*.c\"}", "read:follow src/lib/\n");
	expect_paths("glob", "{\"pattern\":\"/etc/ssh*\"}", "read:follow /etc/\n");
	expect_paths("glob", "{\"pattern\":\"../../*\"}", "read:follow ../../\n");
	expect_paths("glob", "{\"pattern\":\"sub/*\",\"path\":\"/etc\"}",
		"read:follow /etc\nread:follow /etc/sub/\n");
	expect_paths("glob", "{\"pattern\":\"/etc/passwd\"}", "read:follow /etc/passwd\n");
	expect_paths("read_many_files", "{\"paths\":[\"a.c\",\"b/*\"]}",
		"read-tree:follow a.c\nread-tree:follow b/\n");
	SOFT("glob", "{\"pattern\":\"src/*/../../../etc/x\"}", "begins to look");
	SOFT("glob", "{\"pattern\":\"{src,/etc}/x\"}", "begins to look");
	SOFT("glob", "{\"pattern\":\"~/x/*\"}", "~");
}

static void
a_patch_gives_every_file_in_it(void **state)
{
	(void)state;
	expect_paths("apply_patch",
		"{\"command\":\"*** Begin Patch\\n*** Update File: a\\n*** Move to: "
		"b\\n@@\\n-x\\n+y\\n"
		"*** Delete File: c\\n*** End Patch\"}",
		"write:follow a\nreplace:both b\ndelete:nofollow a\ndelete:nofollow c\n");
	expect_paths("patch", "{\"patchText\":\"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}",
		"write:follow x\n");
	HARD("apply_patch", "{\"patch\":\"nonsense\"}", "args: 'patch'");
	HARD("apply_patch", "{\"patch\":\"--- a/x\\n+++ b/x\\n@@ -1,9 +1 @@\\n-a\\n\"}", "line 4");
	HARD("apply_patch", "{\"patch\":7}", "must be a string");
	SOFT("apply_patch", "{}", "no patch");
}

static void
a_path_tool_without_a_path_is_for_a_person_to_judge(void **state)
{
	(void)state;
	SOFT("write", "{}", "no path");
	SOFT("write", "{\"where\":\"/etc/x\"}", "no path");
	SOFT("write", "{\"file_path\":null}", "no path");
	SOFT("read", "{\"paths\":[]}", "no path");
	SOFT("move", "{\"src\":\"a\"}", "no path to replace");
	SOFT("move", "{\"dst\":\"a\"}", "no path to delete");
	SOFT("move", "{\"src\":\"a\",\"target\":\"/etc/x\"}", "does not know");
	SOFT("copy", "{\"src\":\"a\"}", "no path to write");
	SOFT("write", "{\"file_path\":\"~/.bashrc\"}", "~");
	SOFT("write", "{\"file_path\":\"~root\"}", "~");
	SOFT("write", "{\"files\":[\"~\"]}", "~");
	SOFT("bash", "{}", "no command");
	SOFT("webfetch", "{}", "no host");
	SOFT("webfetch", "{\"prompt\":\"nothing here\"}", "no host");
}

static void
arguments_that_cannot_be_read_are_refused_with_their_place(void **state)
{
	(void)state;
	HARD("write", "{\"file_path\":\"a\",}", "args: 1:");
	HARD("write", "", "args: ");
	HARD("write", "[]", "must be an object");
	HARD("write", "\"a\"", "must be an object");
	HARD("write", "{\"path\":\"a\",\"path\":\"b\"}", "args: 1:");
	HARD("write", "{\"path\":\"a\"} x", "args: 1:");
	HARD("write", "{\"path\":\"\xff\"}", "args: 1:");
	HARD("write", "{\"file_path\":7}", "'file_path' must be a string");
	HARD("write", "{\"file_path\":[\"a\"]}", "'file_path' must be a string");
	HARD("write", "{\"file_path\":\"a\",\"path\":{}}", "'path' must be a string");
	HARD("write", "{\"files\":[7]}", "'files'");
	HARD("edit", "{\"file_path\":\"a\",\"edits\":[{\"path\":7}]}", "'edits'");
	HARD("bash", "{\"command\":7}", "'command'");
	HARD("bash", "{\"command\":[]}", "'command'");
	HARD("bash", "{\"command\":[\"a\",7]}", "'command'");
	HARD("bash", "{\"command\":\"ls\\u0000x\"}", "NUL");
	HARD("bash", "{\"command\":\"ls\",\"cmd\":\"rm x\"}", "two different commands");
	HARD("webfetch", "{\"url\":\"not a url\"}", "'url'");
	HARD("webfetch", "{\"url\":\"file:///etc/passwd\"}", "'url'");
	HARD("webfetch", "{\"url\":\"http://a/\\u0000\"}", "'url'");
	HARD("connect", "{\"host\":\"a b\"}", "'host'");
	HARD("", "{}", "no name");
}

static void
what_is_too_much_is_refused(void **state)
{
	struct buf args = { 0 };

	(void)state;
	buf_puts(&args, "{\"paths\":[\"a\"");
	for (int i = 0; i < REQUEST_PATHS_MAX; i++)
		buf_printf(&args, ",\"%d\"", i);
	buf_puts(&args, "]}");
	HARD("write", args.data, "more than 1024 paths");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"paths\":[\"a\"");
	for (int i = 0; i < REQUEST_NAMED_MAX; i++)
		buf_puts(&args, ",\"a\"");
	buf_puts(&args, "]}");
	HARD("write", args.data, "more than 1024 paths");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"command\":\"");
	for (unsigned i = 0; i <= REQUEST_COMMAND_MAX; i++)
		buf_putc(&args, 'x');
	buf_puts(&args, "\"}");
	HARD("bash", args.data, "longer than");
	buf_finish(&args);

	args = (struct buf){ 0 };
	buf_puts(&args, "{\"id\":1,\"tool\":\"read\",\"args\":{\"path\":\"");
	for (unsigned i = 0; i <= REQUEST_TEXT_MAX; i++)
		buf_putc(&args, 'x');
	buf_puts(&args, "\"}}");
	REFUSED(args.data, "bytes in one request");
	HARD("read", args.data, "args: more than");
	buf_finish(&args);
}

static void
a_nul_in_a_path_is_kept_for_the_resolver_to_refuse(void **state)
{
	struct ambit_request *request = make("write", "{\"file_path\":\"a\\u0000/etc\"}");

	(void)state;
	assert_int_equal(request->n_paths, 1);
	assert_int_equal(request->paths[0].len, 6);
	assert_memory_equal(request->paths[0].text, "a\0/etc", 7);
	ambit_request_destroy(request);
}

static void
what_could_lead_elsewhere_by_a_name_nobody_knows_is_for_a_person(void **state)
{
	static const char *const names[] = { "workdir", "cwd", "new_path", "output_path",
		"outputPath", "save_to", "targetFile", "destDir", "dir", "uri", "BasePath" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *args = str_printf("{\"path\":\"a\",\"%s\":\"/etc\"}", names[i]);
		auto_free char *list =
			str_printf("{\"files\":[{\"path\":\"a\",\"%s\":\"/etc\"}]}", names[i]);

		SOFT("write", args, "an argument ambit does not know");
		SOFT("write", list, "an argument ambit does not know");
	}
	SOFT("write", "{\"path\":\"a\",\"output_files\":[\"/etc/x\"]}", "does not know");
	SOFT("write", "{\"path\":\"a\",\"targets\":{\"x\":\"/etc/x\"}}", "does not know");
	SOFT("extract", "{\"archive\":\"a\",\"dst\":\"b\",\"strip\":1}", "does not know");
	SOFT("apply_patch",
		"{\"patch\":\"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\",\"strip\":2}",
		"does not know");
	/* What cannot be a path is none, and what is known as text is text. */
	expect_paths("read",
		"{\"path\":\"a\",\"should_read_entire_file\":true,"
		"\"file_filtering_options\":{\"respect_git_ignore\":true}}",
		"read:follow a\n");
	expect_paths("create", "{\"path\":\"a\",\"file_text\":\"/etc/x\"}", "write:follow a\n");
	expect_paths(
		"Grep", "{\"pattern\":\"x\",\"output_mode\":\"content\"}", "read-tree:follow .\n");
	expect_paths("create_directory", "{\"dirPath\":\"/etc/d\"}", "mkdir:follow /etc/d\n");
}

static void
an_object_in_a_list_of_paths_names_one(void **state)
{
	(void)state;
	SOFT("write", "{\"path\":\"a\",\"files\":[{\"uri\":\"/etc/passwd\"}]}", "does not know");
	SOFT("write", "{\"path\":\"a\",\"files\":[{\"where\":\"/etc/passwd\"}]}", "names no file");
	SOFT("write", "{\"path\":\"a\",\"files\":[{}]}", "names no file");
	SOFT("edit", "{\"path\":\"a\",\"edits\":[{\"uri\":\"/etc/passwd\"}]}", "does not know");
	expect_paths("MultiEdit", "{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\"}]}",
		"write:follow a\n");
	expect_paths("run_agent", "{\"cwd\":\"/etc\"}", "write:both /etc\n");
}

static void
a_patch_beside_a_path_counts_too(void **state)
{
	(void)state;
	expect_paths("developer__text_editor",
		"{\"path\":\"a\",\"diff\":\"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}",
		"write:follow a\nwrite:follow x\n");
	HARD("developer__text_editor", "{\"path\":\"a\",\"diff\":\"nonsense\"}", "'diff'");
}

static void
a_filter_of_a_search_is_a_place_to_look(void **state)
{
	(void)state;
	expect_paths("grep", "{\"pattern\":\"x\",\"glob\":\"*.{c,h}\"}", "read-tree:follow .\n");
	expect_paths("grep", "{\"pattern\":\"x\",\"glob\":\"Makefile\"}",
		"read-tree:follow Makefile\nread-tree:follow .\n");
	expect_paths("grep", "{\"pattern\":\"x\",\"glob\":\"src/Makefile\"}",
		"read-tree:follow src/Makefile\n");
	expect_paths(
		"grep", "{\"pattern\":\"x\",\"include\":\"/etc/*\"}", "read-tree:follow /etc/\n");
	expect_paths("grep", "{\"pattern\":\"x\",\"paths\":[\"a\",\"b\"],\"include\":\"../s/*\"}",
		"read-tree:follow a\nread-tree:follow b\nread-tree:follow a/../s/\n"
		"read-tree:follow b/../s/\n");
	SOFT("grep", "{\"pattern\":\"x\",\"include\":\"*/../../x\"}", "begins to look");
}

static void
a_name_that_no_tool_has_is_shown_escaped_and_refused(void **state)
{
	static const char *const names[] = { "X\x1b[2Jis fine", "read ", "re\nad", "r\320\265ad",
		"\xff", "a\tb", "'", "%s", "" };
	struct ambit_request *request;
	char name[300];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *shown = str_escape(names[i], strlen(names[i]));

		request = make(names[i], "{\"path\":\"a\"}");
		assert_string_equal(request->name, shown);
		assert_string_equal(request_tool(request), shown);
		expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "name");
	}
	memset(name, 'x', sizeof(name));
	name[129] = '\0';
	request = make(name, "{}");
	assert_int_equal(strlen(request->name), 128);
	expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "too long");
	name[128] = '\0';
	expect_bad(make(name, "{}"), AMBIT_CODE_UNKNOWN_TOOL, false, "xxx");
	expect_bad(make("functions.a-b_c:0/d", "{}"), AMBIT_CODE_UNKNOWN_TOOL, false, "a-b_c");
}

static void
an_id_is_any_value_that_is_not_too_long(void **state)
{
	static const char *const ids[] = { "{\"a\":[1]}", "[]", "null", "true", "1.5", "\"x\"" };
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		auto_free char *whole = str_printf("{\"id\":%s,\"tool\":\"ls\"}", ids[i]);
		struct ambit_request *request = parse(whole);

		assert_int_equal(request->bad, AMBIT_CODE_NONE);
		assert_string_equal(request->id, ids[i]);
		ambit_request_destroy(request);
	}
	for (int extra = 0; extra < 2; extra++) {
		text = (struct buf){ 0 };
		buf_puts(&text, "{\"tool\":\"ls\",\"id\":\"");
		for (int i = 0; i < REQUEST_ID_MAX - 2 + extra; i++)
			buf_putc(&text, 'x');
		buf_puts(&text, "\"}");
		struct ambit_request *request = parse(text.data);

		assert_int_equal(request->id != NULL, !extra);
		if (extra)
			expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "id: too long");
		else
			ambit_request_destroy(request);
		/* The same in what is broken. */
		text.data[text.len - 1] = ']';
		request = parse(text.data);
		assert_null(request->id);
		expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "");
		buf_finish(&text);
	}
}

static void
an_archive_is_dangerous_whatever_its_name(void **state)
{
	struct ambit_request *request = make("unzip", "{\"archive\":\"a.zip\",\"dst\":\"b\"}");

	(void)state;
	assert_int_equal(request->danger, AMBIT_DANGEROUS);
	ambit_request_destroy(request);
}

static void
a_move_tells_its_source_from_its_target(void **state)
{
	static const char *const tools[] = { "move", "copy" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct ambit_request *request = make(tools[i], "{\"src\":\"a\",\"dst\":\"b\"}");

		assert_true(request_path_is_source(request, &request->paths[0]));
		assert_false(request_path_is_target(request, &request->paths[0]));
		assert_false(request_path_is_source(request, &request->paths[1]));
		assert_true(request_path_is_target(request, &request->paths[1]));
		ambit_request_destroy(request);
	}
	struct ambit_request *request = make("delete", "{\"path\":\"a\"}");

	assert_false(request_path_is_source(request, &request->paths[0]));
	ambit_request_destroy(request);
}

static void
a_command_is_a_string_or_words(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"command\":\"git status\"}", "git status" },
		{ "{\"cmd\":\"ls\"}", "ls" },
		{ "{\"command\":[\"bash\",\"-lc\",\"git status\"]}", "git status" },
		{ "{\"command\":[\"./bash\",\"-lc\",\"git status\"]}", "./bash -lc 'git status'" },
		{ "{\"command\":[\"git\",\"log\"]}", "git log" },
		{ "{\"command\":[\"rm\",\"a b\",\"it's\",\"\"]}", "rm 'a b' 'it'\\''s' ''" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ambit_request *request = make("shell", cases[i][0]);

		assert_int_equal(request->bad, AMBIT_CODE_NONE);
		assert_string_equal(request->command, cases[i][1]);
		assert_string_equal(request_tool(request), "bash");
		ambit_request_destroy(request);
	}
}

static void
a_fetch_names_its_host(void **state)
{
	struct ambit_request *request =
		make("WebFetch", "{\"url\":\"https://user@Example.com:8443/\",\"prompt\":\"see "
				 "http://other.example\"}");

	(void)state;
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_string_equal(request->host, "example.com");
	assert_int_equal(request->port, 8443);
	ambit_request_destroy(request);
	request = make("web_fetch",
		"{\"prompt\":\"Sum up (https://a.example/x) and https://a.example/y.\"}");
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_string_equal(request->host, "a.example");
	ambit_request_destroy(request);
	SOFT("web_fetch", "{\"prompt\":\"https://a.example and HTTPS://b.example\"}",
		"several hosts");
	SOFT("web_fetch",
		"{\"url\":\"https://a.example\",\"prompt\":\"read https://evil.example/x\"}",
		"several hosts");
	SOFT("webfetch", "{\"urls\":[\"https://a.example\",\"https://b.example\"]}",
		"several hosts");
}

static void
an_unknown_tool_is_dangerous_unless_it_declares_less(void **state)
{
	struct ambit_request *request = make("mcp__x__y", "{\"path\":\"/etc\"}");

	(void)state;
	assert_int_equal(request->effects, 0);
	assert_int_equal(request->danger, AMBIT_DANGEROUS);
	expect_bad(request, AMBIT_CODE_UNKNOWN_TOOL, false, "mcp__x__y");
	expect_bad(parse("{\"tool\":\"x\",\"effects\":[]}"), AMBIT_CODE_UNKNOWN_TOOL, false, "x");
	static const struct {
		const char *effects;
		enum ambit_danger danger;
	} cases[] = { { "\"read\"", AMBIT_DANGER_READ_ONLY },
		{ "\"read\",\"write\"", AMBIT_DANGER_WRITE }, { "\"network\"", AMBIT_DANGEROUS },
		{ "\"exec\",\"read\"", AMBIT_DANGEROUS }, { "\"mutate\"", AMBIT_DANGEROUS } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = str_printf("{\"tool\":\"x\",\"effects\":[%s]}", cases[i].effects);

		request = parse(text);
		assert_int_equal(request->bad, AMBIT_CODE_NONE);
		assert_int_equal(request->danger, cases[i].danger);
		ambit_request_destroy(request);
		free(text);
	}
}

static void
declared_effects_only_widen_a_known_tool(void **state)
{
	struct ambit_request *request =
		parse("{\"tool\":\"write\",\"args\":{\"path\":\"a\"},\"effects\":[\"read\"]}");

	(void)state;
	assert_int_equal(request->effects, AMBIT_WRITE | AMBIT_READ);
	assert_int_equal(request->danger, AMBIT_DANGER_WRITE);
	ambit_request_destroy(request);
	request = parse("{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"effects\":[\"exec\"]}");
	assert_int_equal(request->danger, AMBIT_DANGEROUS);
	ambit_request_destroy(request);
	request = parse("{\"tool\":\"webfetch\",\"args\":{\"url\":\"http://a\"},"
			"\"effects\":[\"network\"]}");
	assert_int_equal(request->danger, AMBIT_DANGER_READ_ONLY);
	ambit_request_destroy(request);
}

static void
the_decide_shape_is_read_whole(void **state)
{
	struct ambit_request *request = parse(
		"{\"id\":\"7\",\"tool\":\"write\",\"args\":{\"file_path\":\"a\"},\"cwd\":\"/w\","
		"\"scope\":{\"root\":\"/w/sub\",\"allow_bash\":false,\"enforce_write\":true},"
		"\"mode\":\"plan\"}");

	(void)state;
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_string_equal(request->id, "\"7\"");
	assert_string_equal(request->cwd, "/w");
	assert_string_equal(request->scope_root, "/w/sub");
	assert_true(request->scope_no_bash && request->plan);
	ambit_request_destroy(request);
	request = parse("{\"tool\":\"ls\",\"mode\":\"build\"}");
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_false(request->plan);
	assert_null(request->id);
	ambit_request_destroy(request);
}

static void
a_broken_request_names_the_place(void **state)
{
	(void)state;
	REFUSED("", "1:");
	REFUSED("nonsense", "1:");
	REFUSED("[]", "must be an object");
	REFUSED("{}", "tool: missing");
	REFUSED("{\"tool\":7}", "1:2: tool: must be a string");
	REFUSED("{\"tool\":\"\"}", "no name");
	REFUSED("{\"tool\":\"read \"}", "letters, digits");
	REFUSED("{\"tool\":\"read\\u0000x\"}", "1:2: tool: must not hold a NUL");
	REFUSED("{\"tool\":\"ls\",\n \"arg\":{}}", "2:2: arg: unknown key");
	REFUSED("{\"tool\":\"ls\",\"args\":[]}", "1:14: args: must be an object");
	REFUSED("{\"tool\":\"ls\",\"args\":null}", "args: must be an object");
	REFUSED("{\"tool\":\"ls\",\"cwd\":7}", "cwd: must be a string");
	REFUSED("{\"tool\":\"ls\",\"effects\":\"read\"}", "effects: must be a list");
	REFUSED("{\"tool\":\"ls\",\"effects\":[\"read\",\"fly\"]}", "1:32: effects.#1: must be");
	REFUSED("{\"tool\":\"ls\",\"mode\":\"yolo\"}", "mode: must be");
	REFUSED("{\"tool\":\"ls\",\"mode\":\"plan\\u0000\"}", "mode: must be");
	REFUSED("{\"tool\":\"ls\",\"scope\":7}", "scope: must be an object");
	REFUSED("{\"tool\":\"ls\",\"scope\":{\"display_root\":\"/\"}}",
		"scope.display_root: unknown");
	REFUSED("{\"tool\":\"ls\",\"scope\":{\"enforce_write\":false}}", "only narrow");
	REFUSED("{\"tool\":\"ls\",\"scope\":{\"allow_bash\":1}}", "true or false");
	REFUSED("{\"tool\":\"ls\",\"tool\":\"bash\"}", "duplicate");
	REFUSED("{\"tool\":\"ls\"} {}", "1:");
	REFUSED("{\"tool\":\"\xc3\x28\"}", "1:");
	REFUSED("{\"tool\":\"write\",\"args\":{\"path\":\"a\"},\"unknown\":1}", "unknown key");
}

static void
the_id_is_kept_when_the_rest_is_broken(void **state)
{
	static const char *const texts[] = { "{\"id\":42,\"tool\":7}", "{\"id\":42}",
		"{\"bogus\":1,\"id\":42}", "{\"id\":42,\"tool\":\"a\",\"tool\":\"b\"}",
		"{\"id\":42,\"tool\":\"a\"} trailing", "{\"tool\":\"ls\",\"args\":[],\"id\":42}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ambit_request *request = parse(texts[i]);

		assert_true(request->bad == AMBIT_CODE_BAD_ARGUMENTS && request->bad_hard);
		assert_non_null(request->id);
		assert_string_equal(request->id, "42");
		ambit_request_destroy(request);
	}
}

static void
a_reason_cannot_move_the_cursor(void **state)
{
	struct ambit_request *request = parse("{\"tool\":\"ls\",\"a\\u001b[2Jb\":1}");

	(void)state;
	assert_null(strchr(request->bad_reason, '\x1b'));
	ambit_request_destroy(request);
}

static void
doors_without_json_make_the_same_request(void **state)
{
	struct ambit_request *request = NULL;

	(void)state;
	assert_int_equal(ambit_request_path(AMBIT_ACCESS_DELETE, "a\xff", 2, &request, NULL), 0);
	assert_string_equal(request_tool(request), "delete");
	assert_int_equal(request->bad, AMBIT_CODE_NONE);
	assert_int_equal(request->danger, AMBIT_DANGER_WRITE);
	assert_int_equal(request->paths[0].follow, TOOL_NOFOLLOW);
	json_t *json = request_json(request);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(json, "paths"), 0), "path")),
		"a\\xff");
	json_decref(json);
	ambit_request_destroy(request);

	assert_int_equal(ambit_request_path(AMBIT_ACCESS_READ, "a", 1, &request, NULL), 0);
	assert_string_equal(request_tool(request), "read");
	ambit_request_destroy(request);
	assert_int_equal(
		ambit_request_path((enum ambit_access)99, "a", 1, &request, NULL), -EINVAL);

	assert_int_equal(ambit_request_connect("Example.com:443", &request, NULL), 0);
	assert_string_equal(request->host, "example.com");
	assert_int_equal(request->port, 443);
	assert_int_equal(request->effects, AMBIT_NETWORK);
	ambit_request_destroy(request);
	assert_int_equal(ambit_request_connect("a b", &request, NULL), 0);
	expect_bad(request, AMBIT_CODE_BAD_ARGUMENTS, true, "a b");
}

static char *
key_of(const char *tool, const char *args)
{
	struct ambit_request *request = make(tool, args);
	char *key = request_call_key(request);

	assert_non_null(key);
	ambit_request_destroy(request);
	return key;
}

static void
expect_same_key(bool same, const char *tool_a, const char *a, const char *tool_b, const char *b)
{
	auto_free char *key_a = key_of(tool_a, a), *key_b = key_of(tool_b, b);

	if ((strcmp(key_a, key_b) == 0) != same)
		fail_msg("%s %s: %s\n%s %s: %s", tool_a, a, key_a, tool_b, b, key_b);
}

static void
memory_knows_a_call_by_tool_and_arguments(void **state)
{
	auto_free char *plain = key_of("bash", "{\"command\":\"git status -s\"}");
	auto_free char *exact = key_of("bash", "{\"command\":\"git status; x\"}");

	(void)state;
	assert_string_equal(plain, "cmd:git status");
	assert_int_equal(strlen(exact), strlen("exact:") + 64);
	expect_same_key(true, "write", "{\"path\":\"a\",\"content\":\"x\"}", "Write",
		"{\"content\":\"x\",\"path\":\"a\"}");
	expect_same_key(false, "write", "{\"path\":\"a\"}", "write", "{\"path\":\"b\"}");
	expect_same_key(false, "write", "{\"path\":\"a\"}", "delete", "{\"path\":\"a\"}");
	expect_same_key(true, "bash", "{\"command\":\"ls\",\"timeout\":1}", "Bash",
		"{\"command\":\"ls\",\"timeout\":2}");
	/* The same words elsewhere, with other rights, or typed into something. */
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "bash",
		"{\"command\":\"ls\",\"workdir\":\"/etc\"}");
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "bash",
		"{\"command\":\"ls\",\"dangerouslyDisableSandbox\":true}");
	expect_same_key(false, "bash", "{\"command\":\"ls\"}", "write_stdin", "{\"chars\":\"ls\"}");
	expect_same_key(
		false, "bash", "{\"command\":\"ls\"}", "PowerShell", "{\"command\":\"ls\"}");
}

static char *
key_in(const char *cwd, const char *tool, const char *args)
{
	struct ambit_request *request = make(tool, args);
	char *key;

	assert_int_equal(ambit_request_set_cwd(request, cwd), 0);
	key = request_call_key(request);
	assert_non_null(key);
	ambit_request_destroy(request);
	return key;
}

static void
the_same_call_elsewhere_is_another(void **state)
{
	auto_free char *ev = key_in("ev", "bash", "{\"command\":\"git status\"}");
	auto_free char *other = key_in("other", "bash", "{\"command\":\"git status\"}");
	auto_free char *again = key_in("ev", "bash", "{\"command\":\"git status\"}");
	auto_free char *write = key_in("ev", "write", "{\"path\":\"a\"}");
	auto_free char *plain = key_of("write", "{\"path\":\"a\"}");

	(void)state;
	assert_int_equal(strncmp(ev, "call:bash:", 10), 0);
	assert_string_equal(ev, again);
	assert_string_not_equal(ev, other);
	assert_string_not_equal(write, plain);
}

static void
expect_text(const char *tool, const char *args, const char *cwd, const char *want)
{
	struct ambit_request *request = make(tool, args);

	assert_int_equal(ambit_request_set_cwd(request, cwd), 0);
	auto_free char *text = request_text(request);

	assert_string_equal(text, want);
	ambit_request_destroy(request);
}

static void
the_text_for_the_person_leaves_nothing_out(void **state)
{
	struct buf args = { 0 };

	(void)state;
	expect_text("Bash", "{\"command\":\"git status\"}", NULL, "bash: git status");
	expect_text("Bash", "{\"command\":\"a\\nb\\u001b[2J\"}", NULL, "bash: a\\nb\\x1b[2J");
	expect_text("Bash", "{\"command\":\"ls\",\"workdir\":\"/\\u202e\",\"x\":null}", NULL,
		"bash: ls {\"workdir\":\"/\\u202E\"}");
	expect_text("shell", "{\"command\":[\"bash\",\"-lc\",\"ls\"]}", "ev",
		"bash: ls {\"command\":[\"bash\",\"-lc\",\"ls\"]}, in ev");
	expect_text("write", "{\"path\":\"a.txt\"}", NULL, "write a.txt");
	expect_text("write", "{\"path\":\"a.txt\",\"content\":\"x\"}", NULL,
		"write a.txt {\"content\":\"x\"}");
	expect_text("move", "{\"src\":\"a\",\"dst\":\"b\"}", NULL, "move a b");
	expect_text("glob", "{\"pattern\":\"src/*\"}", NULL, "glob src/ {\"pattern\":\"src/*\"}");
	expect_text("webfetch", "{\"url\":\"https://a.example/x?y\"}", NULL,
		"webfetch a.example:443 {\"url\":\"https://a.example/x?y\"}");
	expect_text("mcp__x", "{\"b\":1,\"a\":2}", NULL, "mcp__x {\"a\":2,\"b\":1}");
	expect_text("todoread", "{}", NULL, "todoread");
	/* Not cut: the end of a long command is in it. */
	buf_puts(&args, "{\"command\":\"echo ");
	for (int i = 0; i < 5000; i++)
		buf_puts(&args, "x ");
	buf_puts(&args, "; rm -rf y\"}");
	struct ambit_request *request = make("bash", args.data);
	auto_free char *text = request_text(request);

	assert_true(strlen(text) > 10000);
	assert_non_null(strstr(text, "x ; rm -rf y"));
	ambit_request_destroy(request);
	buf_finish(&args);
}

static void
expect_label(const char *tool, const char *args, const char *want)
{
	struct ambit_request *request = make(tool, args);
	auto_free char *label = request_label(request);

	assert_string_equal(label, want);
	ambit_request_destroy(request);
}

static void
a_label_is_one_short_line(void **state)
{
	struct buf args = { 0 };

	(void)state;
	expect_label("Bash", "{\"command\":\"git status\"}", "bash: git status");
	expect_label("Bash", "{\"command\":\"a\\nb\\u001b[2J\"}", "bash: a\\nb\\x1b[2J");
	expect_label("write", "{\"path\":\"a.txt\"}", "write a.txt");
	expect_label("move", "{\"src\":\"a\",\"dst\":\"b\"}", "move a b");
	expect_label("webfetch", "{\"url\":\"https://example.com\"}", "webfetch example.com:443");
	expect_label("todoread", "{}", "todoread");
	expect_label("mcp__x", "{\"b\":1,\"a\":2}", "mcp__x {\"a\":2,\"b\":1}");
	buf_puts(&args, "{\"path\":\"");
	for (int i = 0; i < 4000; i++)
		buf_puts(&args, "\xc3\xa4");
	buf_puts(&args, "\"}");
	struct ambit_request *request = make("write", args.data);
	auto_free char *label = request_label(request);

	assert_true(strlen(label) <= 210);
	assert_true(str_is_utf8(label, strlen(label)));
	ambit_request_destroy(request);
	buf_finish(&args);
}

static void
a_request_as_json_says_what_is_known(void **state)
{
	struct ambit_request *request =
		parse("{\"id\":1,\"tool\":\"Write\",\"args\":{\"path\":\"a\"},"
		      "\"cwd\":\"/w\"}");
	json_t *json = request_json(request);
	auto_free char *line = json_line(json);

	(void)state;
	assert_string_equal(line,
		"{\"args\":{\"path\":\"a\"},\"cwd\":\"/"
		"w\",\"danger\":\"write\",\"effects\":[\"write\"],"
		"\"name\":\"Write\",\"paths\":[{\"access\":\"write\",\"path\":\"a\"}],"
		"\"tool\":\"write\"}");
	json_decref(json);
	ambit_request_destroy(request);
}

static void
who_asks_is_kept(void **state)
{
	struct ambit_request *request = make("ls", "{}");

	(void)state;
	assert_int_equal(ambit_request_set_who(request, 7, 99, "prog", "agent"), 0);
	assert_int_equal(ambit_request_set_who(request, 8, 100, "other", NULL), 0);
	assert_int_equal(ambit_request_set_cwd(request, "/a"), 0);
	assert_int_equal(ambit_request_set_cwd(request, "/b"), 0);
	request_set_held(request, true);
	assert_int_equal(request->pid, 8);
	assert_int_equal(request->start, 100);
	assert_string_equal(request->program, "other");
	assert_null(request->agent);
	assert_string_equal(request->cwd, "/b");
	assert_true(request->held);
	ambit_request_destroy(request);
	ambit_request_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_agents_arguments_give_their_paths),
		cmocka_unit_test(all_names_of_an_argument_count),
		cmocka_unit_test(a_listing_without_a_path_is_about_the_cwd),
		cmocka_unit_test(a_pattern_reads_where_it_begins),
		cmocka_unit_test(a_patch_gives_every_file_in_it),
		cmocka_unit_test(a_path_tool_without_a_path_is_for_a_person_to_judge),
		cmocka_unit_test(arguments_that_cannot_be_read_are_refused_with_their_place),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(a_nul_in_a_path_is_kept_for_the_resolver_to_refuse),
		cmocka_unit_test(what_could_lead_elsewhere_by_a_name_nobody_knows_is_for_a_person),
		cmocka_unit_test(an_object_in_a_list_of_paths_names_one),
		cmocka_unit_test(a_patch_beside_a_path_counts_too),
		cmocka_unit_test(a_filter_of_a_search_is_a_place_to_look),
		cmocka_unit_test(a_name_that_no_tool_has_is_shown_escaped_and_refused),
		cmocka_unit_test(an_id_is_any_value_that_is_not_too_long),
		cmocka_unit_test(an_archive_is_dangerous_whatever_its_name),
		cmocka_unit_test(a_move_tells_its_source_from_its_target),
		cmocka_unit_test(a_command_is_a_string_or_words),
		cmocka_unit_test(a_fetch_names_its_host),
		cmocka_unit_test(an_unknown_tool_is_dangerous_unless_it_declares_less),
		cmocka_unit_test(declared_effects_only_widen_a_known_tool),
		cmocka_unit_test(the_decide_shape_is_read_whole),
		cmocka_unit_test(a_broken_request_names_the_place),
		cmocka_unit_test(the_id_is_kept_when_the_rest_is_broken),
		cmocka_unit_test(a_reason_cannot_move_the_cursor),
		cmocka_unit_test(doors_without_json_make_the_same_request),
		cmocka_unit_test(memory_knows_a_call_by_tool_and_arguments),
		cmocka_unit_test(the_same_call_elsewhere_is_another),
		cmocka_unit_test(the_text_for_the_person_leaves_nothing_out),
		cmocka_unit_test(a_label_is_one_short_line),
		cmocka_unit_test(a_request_as_json_says_what_is_known),
		cmocka_unit_test(who_asks_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
