/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about events: what is appended comes back, bounded and without its
 * secrets. */

#include "record-place.h"
#include "record/upkeep.h"

/* -- events ----------------------------------------------------------------------- */

static void
events_come_back_in_order_and_by_filter(void **state)
{
	struct place *p = *state;
	struct ambit_event event = { .session = "a", .kind = "decide", .time = 1000 };

	open_write(p);
	for (int i = 0; i < 10; i++) {
		event.session = i % 2 ? "b" : "a";
		event.kind = i < 5 ? "decide" : "result";
		event.tool = i == 3 ? "bash" : NULL;
		event.verdict = i == 4 ? "allow" : "deny";
		event.code = i == 6 ? "Outside" : NULL;
		event.time = 1000 + i;
		assert_int_equal(record_append(p->record, &event, NULL, NULL), 0);
	}
	assert_int_equal(look(p, NULL)->n, 10);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .session = "a" })->n, 5);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .kind = "result" })->n, 5);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .tool = "bash" })->id, 4);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .verdict = "allow" })->id, 5);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .code = "Outside" })->id, 7);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .since = 1008 })->n, 2);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .after_id = 9 })->n, 1);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .last = 3 })->n, 3);
	assert_string_equal(look(p, &(struct ambit_event_filter){ .last = 6 })->kinds,
		"decide result result result result result ");
	assert_int_equal(look(p, &(struct ambit_event_filter){ .session = "b", .last = 2 })->n, 2);
	assert_int_equal(look(p, &(struct ambit_event_filter){ .session = "b'; --" })->n, 0);
}

static int
stop_at_two(void *data, int64_t id, const struct ambit_event *event)
{
	(void)id;
	(void)event;
	return ++*(int *)data == 2 ? -ECANCELED : 0;
}

static void
a_caller_can_stop(void **state)
{
	struct place *p = *state;
	int n = 0;

	open_write(p);
	for (int i = 0; i < 5; i++)
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(ambit_record_events(p->record, NULL, stop_at_two, &n, NULL), -ECANCELED);
	assert_int_equal(n, 2);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
}

static void
bad_events_are_refused(void **state)
{
	struct place *p = *state;
	struct ambit_event event = { .session = "../x", .kind = "decide" };
	auto_json json_t *list = json_array();

	open_write(p);
	assert_int_equal(record_append(p->record, &event, NULL, NULL), -EINVAL);
	event = (struct ambit_event){ .session = "x" };
	assert_int_equal(record_append(p->record, &event, NULL, NULL), -EINVAL);
	event.kind = "decide";
	assert_int_equal(record_append(p->record, &event, list, NULL), -EINVAL);
	assert_int_equal(verify(p), 0);
	event.session = NULL; /* outside any session */
	assert_int_equal(record_append(p->record, &event, NULL, NULL), 0);
	assert_int_equal(
		look(p, &(struct ambit_event_filter){ .session = RECORD_ELSEWHERE })->n, 1);
}

static void
long_strings_are_stored_by_the_digest_of_the_original(void **state)
{
	struct place *p = *state;
	char big[5001], hex[HASH_HEX];

	open_write(p);
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big, "A_TOKEN=hunter2 ", 16);
	hash_sha256(big, sizeof(big) - 1, hex);
	auto_free char *want =
		str_printf("{\"args\":{\"content\":{\"bytes\":5000,\"sha256\":\"%s\"},"
			   "\"file_path\":\"a.c\"}}",
			hex);

	assert_int_equal(
		append(p->record, "s", "x",
			json_pack("{s:{s:s, s:s}}", "args", "content", big, "file_path", "a.c"),
			NULL),
		0);
	assert_string_equal(look(p, NULL)->last, want);
}

static void
a_body_never_exceeds_its_limit(void **state)
{
	struct place *p = *state;
	json_t *body = json_object(), *list = json_array(), *many = json_object();
	char piece[4000], key[16];

	open_write(p);
	memset(piece, 'b', sizeof(piece));
	for (int i = 0; i < 100; i++)
		json_array_append_new(list, json_stringn(piece, sizeof(piece)));
	json_object_set_new(body, "list", list);
	json_object_set_new(body, "small", json_string("kept"));
	assert_int_equal(append(p->record, "s", "x", body, NULL), 0);
	assert_non_null(strstr(look(p, NULL)->last, "{\"list\":{\"bytes\":"));
	assert_non_null(strstr(look(p, NULL)->last, "\"small\":\"kept\""));

	for (int i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		json_object_set_new(many, key, json_integer(i));
	}
	assert_int_equal(append(p->record, "s", "x", many, NULL), 0);
	assert_true(str_prefix(look(p, NULL)->last, "{\"bytes\":"));
	assert_true(strlen(look(p, NULL)->last) < 200);
	assert_int_equal(verify(p), 2);
}

static void
subjects_are_tamed(void **state)
{
	struct place *p = *state;
	char long_one[10000];

	open_write(p);
	assert_int_equal(append(p->record, "s", "a\nb\xff", NULL, NULL), 0);
	assert_string_equal(look(p, NULL)->subject, "a\\nb\\xff");
	assert_int_equal(append(p->record, "s", "already\\n escaped", NULL, NULL), 0);
	assert_string_equal(look(p, NULL)->subject, "already\\n escaped");
	for (size_t i = 0; i + 2 < sizeof(long_one); i += 2)
		memcpy(long_one + i, "\xc3\xa9", 3);
	assert_int_equal(append(p->record, "s", long_one, NULL, NULL), 0);
	assert_true(str_is_utf8(look(p, NULL)->subject, strlen(look(p, NULL)->subject)));
	assert_true(strlen(look(p, NULL)->subject) <= 2048);
}

/* -- secrets ----------------------------------------------------------------------- */

static void
assert_not_in_file(const char *path, const char *const *words)
{
	auto_free char *text = NULL;
	size_t len;

	if (fd_read_file(AT_FDCWD, path, 64u << 20, &text, &len) < 0)
		return;
	for (; *words; words++)
		if (memmem(text, len, *words, strlen(*words)))
			fail_msg("'%s' is in %s", *words, path);
}

static void
no_secret_reaches_the_file(void **state)
{
	static const char *const secrets[] = { "hunter2secret", "a1B2c3D4e5F6g7H8i9J0",
		"s3cr3tlabel", NULL };
	struct place *p = *state;
	char wal[160];
	struct ambit_event event = { .session = "s",
		.kind = "gh"
			"p_a1B2c3D4e5F6g7H8i9J0",
		.tool = "A_TOKEN=hunter2secret",
		.verdict = "A_TOKEN=hunter2secret",
		.code = "A_TOKEN=hunter2secret",
		.subject = "curl -u joe:hunter2secret x" };
	struct ambit_rule rule = { .yes = true,
		.subject = (char *)"/srv/data",
		.session = (char *)"s",
		.label = (char *)"A_SECRET=s3cr3tlabel",
		.message = (char *)"password=s3cr3tlabel",
		.source = (char *)"exec --token s3cr3tlabel" };
	auto_json json_t *body =
		json_pack("{s:s, s:s, s:[s,s], s:{s:s}}", "password", "hunter2secret", "command",
			"PASSWORD='hunter2secret' x", "argv", "--token", "hunter2secret",
			"gh"
			"p_a1B2c3D4e5F6g7H8i9J0",
			"x", "https://a:hunter2secret@h/");
	int64_t id;

	snprintf(wal, sizeof(wal), "%s-wal", p->db);
	open_write(p);
	assert_int_equal(record_append(p->record, &event, body, NULL), 0);
	assert_int_equal(ambit_record_rule_add(p->record, &rule, &id, NULL), 0);
	assert_int_equal(ambit_record_rule_revoke(p->record, id, NULL), 0);
	assert_int_equal(access(wal, F_OK), 0);
	assert_not_in_file(p->db, secrets);
	assert_not_in_file(wal, secrets);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_not_in_file(p->db, secrets);
}

/* The digest is of what was there, so that nobody can deny it. */
static void
what_was_taken_out_can_be_checked_by_who_has_it(void **state)
{
	static const char original[] = "{\"command\":\"A_TOKEN=hunter2 make\","
				       "\"env\":{\"password\":\"pw\"}}";
	struct place *p = *state;
	char hex[HASH_HEX];

	open_write(p);
	assert_int_equal(append(p->record, "s", "bash: A_TOKEN=hunter2 make",
				 json_pack("{s:s, s:{s:s}}", "command", "A_TOKEN=hunter2 make",
					 "env", "password", "pw"),
				 NULL),
		0);
	hash_sha256(original, strlen(original), hex);
	auto_free char *want = str_printf("{\"command\":\"A_TOKEN=[redacted] make\","
					  "\"env\":{\"password\":\"[redacted]\"},"
					  "\"redacted\":{\"count\":2,\"sha256\":\"%s\"}}",
		hex);

	assert_string_equal(look(p, NULL)->last, want);
	assert_int_equal(append(p->record, "s", "A_TOKEN=hunter2 make", NULL, NULL), 0);
	hash_sha256("A_TOKEN=hunter2 make", 20, hex);
	auto_free char *bare = str_printf("{\"redacted\":{\"count\":1,\"sha256\":\"%s\"}}", hex);

	assert_string_equal(look(p, NULL)->last, bare);
	assert_int_equal(append(p->record, "s", "make", json_pack("{s:s}", "a", "b"), NULL), 0);
	assert_string_equal(look(p, NULL)->last, "{\"a\":\"b\"}");
}

static void
the_version_changes_when_another_connection_wrote(void **state)
{
	struct place *p = *state;
	struct ambit_record *other = NULL;

	open_write(p);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &other, NULL), 0);
	int64_t before = record_version(p->record);

	assert_int_equal(record_version(p->record), before);
	assert_int_equal(append(p->record, "s", "mine", NULL, NULL), 0);
	assert_int_equal(record_version(p->record), before);
	assert_int_equal(append(other, "s", "theirs", NULL, NULL), 0);
	int64_t after = record_version(p->record);

	assert_int_not_equal(after, before);
	assert_int_equal(record_version(p->record), after);
	ambit_record_close(other);
	assert_int_equal(append(p->record, "s", "mine", NULL, NULL), 0);
	assert_int_equal(verify(p), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_come_back_in_order_and_by_filter),
		TEST(a_caller_can_stop),
		TEST(bad_events_are_refused),
		TEST(long_strings_are_stored_by_the_digest_of_the_original),
		TEST(a_body_never_exceeds_its_limit),
		TEST(subjects_are_tamed),
		TEST(no_secret_reaches_the_file),
		TEST(what_was_taken_out_can_be_checked_by_who_has_it),
		TEST(the_version_changes_when_another_connection_wrote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
