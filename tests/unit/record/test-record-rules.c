/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about sessions and rules: they come back as they were stored, every
 * change is an event, and what means nothing is refused. */

#include "record-place.h"
#include "record/upkeep.h"

/* -- sessions ---------------------------------------------------------------------- */

static void
session_names_are_plain(void **state)
{
	static const char *const good[] = { "a", "work.1", "A-b_c", "0" };
	static const char *const bad[] = { "", ".a", "-a", "a/b", "a b", "\xc3\xa9", "a\n",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(ambit_session_name_valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ambit_session_name_valid(bad[i]));
	assert_false(ambit_session_name_valid(NULL));
}

static struct ambit_session
session_of(const char *name)
{
	return (struct ambit_session){
		.name = (char *)name,
		.root = (char *)"/srv/\xff",
		.display_root = (char *)"/work",
		.agent_mode = -1,
		.sandbox_mode = AMBIT_DEFAULT_WRITE,
		.ask_mode = AMBIT_ASK_DANGEROUS,
		.reads = AMBIT_READS_ANYWHERE,
	};
}

static void
a_session_is_restored_as_it_was_stored(void **state)
{
	struct place *p = *state;
	struct ambit_tool_permission permissions[] = {
		{ (char *)"mcp__get_token", AMBIT_PERMISSION_ASK },
		{ (char *)"mcp__*", AMBIT_PERMISSION_DENY },
	};
	struct ambit_session session = session_of("one"), got;

	open_write(p);
	assert_int_equal(ambit_record_session_load(p->record, "one", &got, &p->err), -ENOENT);
	session.permissions = permissions;
	session.n_permissions = 2;
	session.wrote = true;
	assert_int_equal(record_session_store(p->record, &session, &p->err), 0);
	reopen(p);
	assert_int_equal(ambit_record_session_load(p->record, "one", &got, &p->err), 0);
	assert_string_equal(got.root, "/srv/\xff");
	assert_string_equal(got.display_root, "/work");
	assert_int_equal(got.agent_mode, -1);
	assert_int_equal(got.sandbox_mode, AMBIT_DEFAULT_WRITE);
	assert_int_equal(got.ask_mode, AMBIT_ASK_DANGEROUS);
	assert_int_equal(got.reads, AMBIT_READS_ANYWHERE);
	assert_true(got.wrote);
	assert_true(got.created > 0 && got.updated >= got.created);
	assert_int_equal(got.n_permissions, 2);
	assert_string_equal(got.permissions[0].tool, "mcp__get_token");
	assert_int_equal(got.permissions[0].permission, AMBIT_PERMISSION_ASK);
	assert_string_equal(got.permissions[1].tool, "mcp__*");
	assert_int_equal(got.events, 1);
	ambit_session_finish(&got);
	assert_non_null(
		strstr(look(p, NULL)->last, "\"permission\":\"ask\",\"tool\":\"mcp__get_token\""));
	assert_string_equal(look(p, NULL)->kinds, "session ");
}

static void
a_session_that_waits_is_stored_with_the_first_event(void **state)
{
	struct place *p = *state;
	struct ambit_session session = session_of("later"), got;

	open_write(p);
	assert_int_equal(record_session_later(p->record, &session, &p->err), 0);
	reopen(p); /* nothing has happened in it */
	assert_int_equal(ambit_record_session_load(p->record, "later", &got, &p->err), -ENOENT);
	assert_int_equal(verify(p), 0);
	assert_int_equal(record_session_later(p->record, &session, &p->err), 0);
	/* What is not stored with it still waits. */
	assert_int_equal(store_begin(p->record, NULL), 0);
	assert_int_equal(store_end(p->record, -EIO, NULL), -EIO);
	assert_int_equal(ambit_record_session_load(p->record, "later", &got, &p->err), -ENOENT);
	assert_int_equal(append(p->record, "later", "x", NULL, NULL), 0);
	assert_int_equal(append(p->record, "later", "x", NULL, NULL), 0);
	assert_string_equal(look(p, NULL)->kinds, "session decide decide ");
	assert_int_equal(ambit_record_session_load(p->record, "later", &got, &p->err), 0);
	assert_string_equal(got.root, "/srv/\xff");
	assert_int_equal(got.sandbox_mode, AMBIT_DEFAULT_WRITE);
	ambit_session_finish(&got);
	assert_int_equal(verify(p), 3);
}

static void
every_change_of_a_session_is_an_event(void **state)
{
	struct place *p = *state;
	struct ambit_tool_permission permission = { (char *)"bash", AMBIT_PERMISSION_ALLOW };
	struct ambit_session session = session_of("one");

	open_write(p);
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(look(p, NULL)->kinds, "session ");
	session.agent_mode = AMBIT_PLAN;
	session.ask_mode = AMBIT_BYPASS;
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(look(p, NULL)->kinds, "session mode ");
	assert_string_equal(look(p, NULL)->last,
		"{\"agent_mode\":{\"new\":\"plan\",\"old\":null},"
		"\"ask_mode\":{\"new\":\"bypass\",\"old\":\"ask-dangerous\"}}");
	session.permissions = &permission;
	session.n_permissions = 1;
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(look(p, NULL)->last, "{\"new\":\"allow\",\"old\":null}");
	assert_string_equal(look(p, NULL)->tool, "bash");
	permission.permission = AMBIT_PERMISSION_DENY;
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(look(p, NULL)->last, "{\"new\":\"deny\",\"old\":\"allow\"}");
	session.n_permissions = 0;
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(look(p, NULL)->last, "{\"new\":null,\"old\":\"deny\"}");
	session.root = (char *)"/other";
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	assert_string_equal(
		look(p, NULL)->kinds, "session mode permission permission permission session ");
	assert_non_null(strstr(look(p, NULL)->last, "\"old_root\":\"/srv/\\\\xff\""));
	assert_int_equal(verify(p), 6);
}

static void
a_session_that_means_nothing_is_neither_stored_nor_loaded(void **state)
{
	struct place *p = *state;
	struct ambit_session session = session_of("one"), got;

	open_write(p);
	session.ask_mode = 77;
	assert_int_equal(record_session_store(p->record, &session, NULL), -EINVAL);
	session.ask_mode = -1;
	session.name = (char *)"a/b";
	assert_int_equal(record_session_store(p->record, &session, NULL), -EINVAL);
	session.name = (char *)"one";
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	sql(p, "UPDATE sessions SET ask_mode = 77");
	assert_int_equal(ambit_record_session_load(p->record, "one", &got, &p->err), -EBADMSG);
	sql(p, "UPDATE sessions SET ask_mode = 0; INSERT INTO permissions VALUES ('one', 0, x'61', "
	       "9)");
	assert_int_equal(ambit_record_session_load(p->record, "one", &got, &p->err), -EBADMSG);
}

static int
collect_name(void *data, const struct ambit_session *session)
{
	size_t len = strlen(data);

	snprintf((char *)data + len, 64 - len, "%s ", session->name);
	return 0;
}

static void
noting_the_first_write_changes_nothing_else(void **state)
{
	struct place *p = *state;
	struct ambit_record *other = NULL;
	struct ambit_session session = { .name = (char *)"s",
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1 };
	struct ambit_session loaded = { 0 };

	open_write(p);
	assert_int_equal(record_session_wrote(p->record, "s", &p->err), -ENOENT);
	assert_int_equal(record_session_store(p->record, &session, &p->err), 0);
	/* Another process tightens a mode; this one still has the old one. */
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &other, NULL), 0);
	session.reads = 0;
	assert_int_equal(record_session_store(other, &session, NULL), 0);
	ambit_record_close(other);
	assert_int_equal(record_session_wrote(p->record, "s", &p->err), 0);
	assert_int_equal(record_session_wrote(p->record, "s", &p->err), 0);
	assert_int_equal(ambit_record_session_load(p->record, "s", &loaded, &p->err), 0);
	assert_true(loaded.wrote);
	assert_int_equal(loaded.reads, 0);
	ambit_session_finish(&loaded);
	assert_int_equal(verify(p), 2);
}

static void
a_permission_whose_tool_holds_a_secret_is_not_stored(void **state)
{
	struct place *p = *state;
	struct ambit_tool_permission permission = { .tool = (char *)"x A_TOKEN=hunter2" };
	struct ambit_session session = { .name = (char *)"s",
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
		.permissions = &permission,
		.n_permissions = 1 };

	open_write(p);
	assert_int_equal(record_session_store(p->record, &session, &p->err), -EINVAL);
	assert_non_null(strstr(p->err.text, "looks like a secret"));
	permission.tool = (char *)"mcp__vault__get_token";
	assert_int_equal(record_session_store(p->record, &session, &p->err), 0);
}

static void
sessions_come_newest_first(void **state)
{
	struct place *p = *state;
	char names[64] = "";

	open_write(p);
	for (int i = 0; i < 3; i++) {
		char name[] = { (char)('a' + i), '\0' };
		struct ambit_session session = session_of(name);

		session.created = 1 + i;
		assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	}
	sql(p, "UPDATE sessions SET updated = created; UPDATE events SET time = 1");
	assert_int_equal(ambit_record_sessions(p->record, collect_name, names, &p->err), 0);
	assert_string_equal(names, "c b a ");
	assert_int_equal(append(p->record, "a", "x", NULL, NULL), 0); /* used again */
	names[0] = '\0';
	assert_int_equal(ambit_record_sessions(p->record, collect_name, names, &p->err), 0);
	assert_string_equal(names, "a c b ");
}

/* -- rules ------------------------------------------------------------------------- */

static int64_t
add(struct place *p, const char *session, const char *project, const char *subject, int64_t expires)
{
	struct ambit_rule rule = {
		.yes = true,
		.op = AMBIT_OP_WRITE,
		.beneath = true,
		.subject = (char *)subject,
		.session = (char *)session,
		.project = (char *)project,
		.expires = expires,
		.source = (char *)"person",
	};
	int64_t id = 0;

	assert_int_equal(ambit_record_rule_add(p->record, &rule, &id, &p->err), 0);
	return id;
}

static int
collect_id(void *data, const struct ambit_rule *rule)
{
	size_t len = strlen(data);

	snprintf((char *)data + len, 64 - len, "%lld ", (long long)rule->id);
	return 0;
}

static void
lists(struct place *p, const struct ambit_rule_filter *filter, const char *want)
{
	char ids[64] = "";

	assert_int_equal(ambit_record_rules(p->record, filter, collect_id, ids, &p->err), 0);
	assert_string_equal(ids, want);
}

static void
rules_are_listed_by_session_project_and_time(void **state)
{
	struct place *p = *state;
	int64_t past = 1000, future = clock_now() + 3600000;

	open_write(p);
	assert_int_equal(add(p, "s", NULL, "/a", 0), 1);
	assert_int_equal(add(p, "t", "/work", "/b", 0), 2);
	assert_int_equal(add(p, NULL, "/work", "/c", 0), 3);
	assert_int_equal(add(p, NULL, "/other", "/d", 0), 4);
	assert_int_equal(add(p, NULL, NULL, "/e", 0), 5);
	assert_int_equal(add(p, NULL, "/work", "/f", past), 6);
	assert_int_equal(add(p, "s", NULL, "/g", future), 7);
	assert_int_equal(add(p, "s", NULL, "/h", 0), 8);
	assert_int_equal(ambit_record_rule_revoke(p->record, 8, NULL), 0);
	lists(p, NULL, "3 4 5 ");
	lists(p, &(struct ambit_rule_filter){ .session = "s" }, "1 3 4 5 7 ");
	lists(p, &(struct ambit_rule_filter){ .session = "s", .project = "/work" }, "1 3 5 7 ");
	lists(p, &(struct ambit_rule_filter){ .project = "/work" }, "3 5 ");
	lists(p, &(struct ambit_rule_filter){ .project = "/wor" }, "5 ");
	lists(p, &(struct ambit_rule_filter){ .all_sessions = true }, "1 2 3 4 5 7 ");
	lists(p, &(struct ambit_rule_filter){ .session = "s", .project = "/work", .ended = true },
		"1 3 5 6 7 8 ");
	lists(p, &(struct ambit_rule_filter){ .all_sessions = true, .ended = true },
		"1 2 3 4 5 6 7 8 ");
}

static int
copy_rule(void *data, const struct ambit_rule *rule)
{
	struct ambit_rule *copy = data;

	*copy = *rule;
	copy->subject = str_dup(rule->subject);
	copy->label = str_dup(rule->label);
	copy->session = str_dup(rule->session);
	copy->project = str_dup(rule->project);
	copy->message = str_dup(rule->message);
	copy->source = str_dup(rule->source);
	return 0;
}

static void
a_rule_comes_back_as_it_was_added(void **state)
{
	struct place *p = *state;
	struct ambit_rule rule = {
		.op = AMBIT_OP_READ,
		.subject = (char *)"/data/\xff\n token=x",
		.label = (char *)"~/data",
		.session = (char *)"s",
		.project = (char *)"/srv/\xfe",
		.pid = 4120,
		.start = UINT64_MAX - 1,
		.created = 5,
		.message = (char *)"not there",
		.source = (char *)"person",
	};
	struct ambit_rule got = { 0 };

	open_write(p);
	assert_int_equal(ambit_record_rule_add(p->record, &rule, NULL, NULL), 0);
	assert_int_equal(
		ambit_record_rules(p->record, &(struct ambit_rule_filter){ .session = "s" },
			copy_rule, &got, NULL),
		0);
	assert_false(got.yes);
	assert_int_equal(got.op, AMBIT_OP_READ);
	assert_false(got.beneath);
	assert_string_equal(got.subject, rule.subject); /* matched: raw */
	assert_string_equal(got.label, "~/data");
	assert_string_equal(got.session, "s");
	assert_string_equal(got.project, rule.project);
	assert_int_equal(got.pid, 4120);
	assert_true(got.start == UINT64_MAX - 1);
	assert_int_equal(got.created, 5);
	assert_false(got.revoked);
	assert_string_equal(got.message, "not there");
	assert_string_equal(got.source, "person");
	ambit_rule_finish(&got);
}

static void
rules_and_revocations_are_events_and_nothing_is_deleted(void **state)
{
	struct place *p = *state;

	open_write(p);
	assert_int_equal(add(p, "s", NULL, "/a", 0), 1);
	assert_int_equal(add(p, NULL, "/work", "/b", 0), 2);
	assert_int_equal(ambit_record_rule_revoke(p->record, 1, &p->err), 0);
	assert_int_equal(ambit_record_rule_revoke(p->record, 1, &p->err), -ENOENT);
	assert_int_equal(ambit_record_rule_revoke(p->record, 99, &p->err), -ENOENT);
	assert_int_equal(add(p, NULL, "/work", "/c", 1000), 3);
	assert_int_equal(ambit_record_rule_revoke(p->record, 3, &p->err), -ENOENT); /* expired */
	assert_string_equal(
		look(p, &(struct ambit_event_filter){ .session = "s" })->kinds, "rule revoke ");
	assert_string_equal(
		look(p, &(struct ambit_event_filter){ .session = "-" })->kinds, "rule rule ");
	lists(p, &(struct ambit_rule_filter){ .session = "s", .ended = true }, "1 2 3 ");
	assert_int_equal(verify(p), 4);
}

static void
a_rule_that_means_nothing_is_an_error_not_a_yes(void **state)
{
	struct place *p = *state;
	static const char *const damage[] = {
		"UPDATE rules SET op = 9",
		"UPDATE rules SET op = 4294967296", /* 0 when cut to an int */
		"UPDATE rules SET op = 0, subject = x'2f6100ff'",
		"UPDATE rules SET subject = x''",
		"UPDATE rules SET subject = x'2f61', pid = -1",
	};
	struct ambit_rule rule = { .yes = true, .op = (enum ambit_op)9, .subject = (char *)"/a" };
	char ids[64] = "";

	open_write(p);
	assert_int_equal(ambit_record_rule_add(p->record, &rule, NULL, NULL), -EINVAL);
	rule = (struct ambit_rule){ .yes = true, .subject = (char *)"" };
	assert_int_equal(ambit_record_rule_add(p->record, &rule, NULL, NULL), -EINVAL);
	rule = (struct ambit_rule){ .subject = (char *)"/a", .session = (char *)"a b" };
	assert_int_equal(ambit_record_rule_add(p->record, &rule, NULL, NULL), -EINVAL);
	assert_int_equal(add(p, NULL, NULL, "/a", 0), 1);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		sql(p, damage[i]);
		assert_int_equal(
			ambit_record_rules(p->record, NULL, collect_id, ids, &p->err), -EBADMSG);
		assert_string_equal(ids, "");
	}
	sql(p, "UPDATE rules SET pid = 0");
	lists(p, NULL, "1 ");
}

static void
a_rule_is_told_in_one_escaped_line(void **state)
{
	static const struct {
		struct ambit_rule rule;
		const char *text;
	} rows[] = {
		{ { .yes = true,
			  .beneath = true,
			  .subject = (char *)"/home/u/data",
			  .session = (char *)"s" },
			"write beneath /home/u/data, this session" },
		{ { .op = AMBIT_OP_CONNECT, .subject = (char *)"*.example.org" },
			"no connect *.example.org, always and everywhere" },
		{ { .yes = true,
			  .op = AMBIT_OP_READ,
			  .subject = (char *)"/a\n\x1b[2J",
			  .project = (char *)"/w\xff" },
			"read /a\\n\\x1b[2J, always in /w\\xff" },
		{ { .yes = true,
			  .op = AMBIT_OP_CALL,
			  .subject = (char *)"exact:00",
			  .label = (char *)"git push",
			  .session = (char *)"s",
			  .pid = 7 },
			"exactly: git push, this session, for process 7 until it exits" },
		{ { .yes = true,
			  .op = AMBIT_OP_CALL,
			  .subject = (char *)"cmd:git status",
			  .label = (char *)"bash: git status --short",
			  .session = (char *)"s" },
			"commands 'git status ...' (cmd:git status), this session" },
		{ { .op = AMBIT_OP_CALL,
			  .subject = (char *)"call:fetch:00ff",
			  .label = (char *)"fetch A_TOKEN=x",
			  .session = (char *)"s" },
			"no exactly: fetch A_TOKEN=[redacted], this session" },
		{ { .yes = true,
			  .op = AMBIT_OP_CALL,
			  .subject = (char *)"exact:1a2b3c4d5e6f",
			  .session = (char *)"s" },
			"exactly one command (sha256 1a2b3c4d...), this session" },
		{ { .yes = true,
			  .op = AMBIT_OP_CALL,
			  .subject = (char *)"call:fe\ntch:1a2b3c4d5e" },
			"exactly one call of fe\\ntch (sha256 1a2b3c4d...), always and "
			"everywhere" },
		{ { .yes = true, .op = AMBIT_OP_CALL, .subject = (char *)"other" },
			"call other, always and everywhere" },
		{ { .yes = true, .subject = (char *)"/a", .expires = 86400000 },
			"write /a, always and everywhere, until 1970-01-02 00:00 UTC" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *text = ambit_rule_text(&rows[i].rule);

		assert_string_equal(text, rows[i].text);
	}
	ambit_rule_finish(NULL);
	ambit_session_finish(NULL);
	ambit_record_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(session_names_are_plain),
		TEST(a_session_is_restored_as_it_was_stored),
		TEST(a_session_that_waits_is_stored_with_the_first_event),
		TEST(every_change_of_a_session_is_an_event),
		TEST(a_session_that_means_nothing_is_neither_stored_nor_loaded),
		TEST(noting_the_first_write_changes_nothing_else),
		TEST(a_permission_whose_tool_holds_a_secret_is_not_stored),
		TEST(sessions_come_newest_first),
		TEST(rules_are_listed_by_session_project_and_time),
		TEST(a_rule_comes_back_as_it_was_added),
		TEST(rules_and_revocations_are_events_and_nothing_is_deleted),
		TEST(a_rule_that_means_nothing_is_an_error_not_a_yes),
		TEST(a_rule_is_told_in_one_escaped_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
