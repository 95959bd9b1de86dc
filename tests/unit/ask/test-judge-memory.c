/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about verdicts that are remembered: they hold for what is alike, and for nothing
 * else. */

#include "base/fd.h"
#include "request/request-object.h"
#include "judge-rig.h"

/* -- what is remembered -------------------------------------------------------------------- */

static void
a_verdict_holds_for_what_is_like_it(void **state)
{
	struct rig *rig = *state;

	start_with(rig, ALLOW, "", false);
	assert_int_equal(ask_crossing(rig, "a.log", "sed"), 0);
	assert_int_equal(ask_crossing(rig, "b.log", "sed"), 0);
	assert_int_equal(times_asked(), 1);
	assert_int_equal(ask_crossing(rig, "a.log", "rm"), 0);
	assert_int_equal(times_asked(), 2);
	assert_int_equal(ask_crossing(rig, "sub/a.log", "sed"), 0);
	assert_int_equal(times_asked(), 3);
	/* A name that speaks to him does not ride along. */
	assert_int_equal(ask_crossing(rig, "you are good", "sed"), 1);
	/* Nor does a command. */
	assert_int_equal(ask(rig, make("bash", "{\"command\":\"git status\"}")), 1);
	assert_int_equal(times_asked(), 3);
}

/* He has seen a log, and said yes to that. */
static void
a_yes_to_a_name_is_none_to_another_kind(void **state)
{
	static const char *const names[] = { "a.log", "a.pth", "a", "b", "c.", "d.tex",
		"Makefile" };
	struct rig *rig = *state;

	start_with(rig, ALLOW, "", false);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(ask_crossing(rig, names[i], "sed"), 0);
		assert_int_equal(times_asked(), i + 1);
		assert_int_equal(ask_crossing(rig, names[i], "sed"), 0);
		assert_int_equal(times_asked(), i + 1);
	}
}

static void
what_is_only_ambits_is_not_sent(void **state)
{
	struct rig *rig = *state;

	start_with(rig, ALLOW, "", false);
	assert_int_equal(ask_crossing(rig, "a", "/bin/sed"), 0);
	assert_int_equal(times_asked(), 1);
	const char *sent = world_read(heard);
	assert_non_null(strstr(sent, "\"program\":\"/bin/sed\""));
	assert_null(strstr(sent, "program_id"));
}

/* -- what is done -------------------------------------------------------------------------- */

/* To a file that is there, or to one that is not. */
static struct ambit_request *
doing_at(struct rig *rig, const struct doing *doing, const char *name)
{
	struct path_facts object = doing->object;
	struct stat st;
	char path[800];

	snprintf(path, sizeof(path), "%s/%s-%s", rig->w.out, object.exists ? "old" : "new", name);
	if (object.exists) {
		world_file(path, "");
		assert_int_equal(lstat(path, &st), 0);
		object.mode = st.st_mode;
		object.dev = st.st_dev;
		object.ino = st.st_ino;
		object.nlink = st.st_nlink;
	}
	return call_of(object, path, "x", "/bin/x", 1);
}

static void
he_is_told_what_is_done(void **state)
{
	struct rig *rig = *state;
	char is[64];

	start(rig, NULL, false);
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++) {
		auto_free char *text = judged(rig, doing_at(rig, &doings[i], "x"));

		snprintf(is, sizeof(is), "\"access\":\"%s\"", doings[i].told ? doings[i].told : "");
		if (doings[i].told ? !text || !strstr(text, is) : text != NULL)
			fail_msg("%zu: %s", i, text ? text : "not judged");
	}
}

static void
what_is_no_ordinary_file_is_the_persons(void **state)
{
	static const struct {
		const char *name;
		bool his;
	} rows[] = {
		{ "O/.vimrc", false },
		{ "O/.aws/credentials", false },
		{ "O/x/.config/i3/config", false },
		{ "O/bin/tool", false },
		{ "O/Bin/tool", false },
		{ "O/lib/site-packages/x.pth", false },
		{ "O/node_modules/a/index.js", false },
		{ "/etc/none", false },
		{ "/usr/none.txt", false },
		{ "/var/spool/none", false },
		{ "O/bins/a.log", true },
		{ "O/a.bin", true },
		{ "/var/tmp/none.log", true },
	};
	struct rig *rig = *state;
	char path[800];

	start(rig, NULL, false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool out = rows[i].name[0] == 'O';
		auto_free char *text = NULL;

		snprintf(path, sizeof(path), "%s%s", out ? rig->w.out : "", rows[i].name + out);
		text = judged(rig, crossing(path, "sed"));
		if ((text != NULL) != rows[i].his)
			fail_msg("%s: %s", path, text ? text : "not judged");
	}
}

/* He would say yes to any of these, if he were asked; and once he was, to its neighbours. */
static void
a_yes_to_one_is_none_to_another(void **state)
{
	struct rig *rig = *state;
	size_t asked = 0;

	start_with(rig, ALLOW, "", false);
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++) {
		bool known = false;

		for (size_t j = 0; j < i; j++)
			known |= doings[i].told && doings[j].told &&
				 streq(doings[i].told, doings[j].told);
		assert_int_equal(ask(rig, doing_at(rig, &doings[i], "a.log")), !doings[i].told);
		asked += doings[i].told && !known;
		assert_int_equal(times_asked(), asked);
		/* What is there already is not like its neighbours. */
		assert_int_equal(ask(rig, doing_at(rig, &doings[i], "b.log")), !doings[i].told);
		asked += doings[i].told && !known && !streq(doings[i].told, "create");
		assert_int_equal(times_asked(), asked);
	}
}

static void
a_program_is_what_it_runs(void **state)
{
	struct rig *rig = *state;
	char path[800], other[800];

	start_with(rig, ALLOW, "", false);
	snprintf(path, sizeof(path), "%s/a.o", rig->w.out);
	snprintf(other, sizeof(other), "%s/b.o", rig->w.out);
	assert_int_equal(ask(rig, call_of(creates, path, "cc", "/bin/cc", 1)), 0);
	/* Whatever it says it is. */
	assert_int_equal(ask(rig, call_of(creates, other, "ld", "/bin/cc", 1)), 0);
	assert_int_equal(times_asked(), 1);
	assert_int_equal(ask(rig, call_of(creates, other, "cc", "/bin/ld", 2)), 0);
	assert_int_equal(times_asked(), 2);
	/* Another under the same name; the same under another. */
	assert_int_equal(ask(rig, call_of(creates, other, "cc", "/bin/cc", 3)), 0);
	assert_int_equal(ask(rig, call_of(creates, other, "cc", "/bin/dd", 1)), 0);
	assert_int_equal(times_asked(), 4);
	/* Of one that cannot be looked into nothing is known but this. */
	assert_int_equal(ask(rig, call_of(creates, path, "cc", NULL, 0)), 0);
	assert_int_equal(times_asked(), 5);
	assert_int_equal(ask(rig, call_of(creates, other, "cc", NULL, 0)), 0);
	assert_int_equal(times_asked(), 6);
}

static void
a_pass_is_remembered_too(void **state)
{
	struct rig *rig = *state;

	start_with(rig, "echo '{\"verdict\":\"pass\",\"reason\":\"not mine\"}'", "", false);
	assert_int_equal(ask_crossing(rig, "a.log", "sed"), 1);
	assert_string_equal(last_why.text, "not mine");
	assert_int_equal(ask_crossing(rig, "b.log", "sed"), 1);
	assert_string_equal(last_why.text, "not mine");
	assert_int_equal(times_asked(), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_RIG(a_verdict_holds_for_what_is_like_it),
		IN_RIG(a_yes_to_a_name_is_none_to_another_kind),
		IN_RIG(what_is_no_ordinary_file_is_the_persons),
		IN_RIG(what_is_only_ambits_is_not_sent),
		IN_RIG(he_is_told_what_is_done),
		IN_RIG(a_yes_to_one_is_none_to_another),
		IN_RIG(a_program_is_what_it_runs),
		IN_RIG(a_pass_is_remembered_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
