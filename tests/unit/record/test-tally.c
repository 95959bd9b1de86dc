/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of what is counted instead of written: the first of a kind are there
 * one by one, of the rest none is lost, the number of rows has an end whatever
 * names are chosen, and what is allowed is never counted before an event says so. */

#include "record-place.h"
#include "record/tally.h"

struct sum {
	int64_t events;
	int64_t single; /* decide events */
	int64_t more;	/* "more" events */
	int64_t counted;
	char subject[512];
};

static int
sum_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct sum *sum = data;
	auto_json json_t *body = NULL;

	(void)id;
	sum->events++;
	sum->single += streq(event->kind, "decide");
	if (!streq(event->kind, "more"))
		return 0;
	assert_int_equal(json_parse(event->body, strlen(event->body), &body, NULL), 0);
	sum->more++;
	sum->counted += json_integer_value(json_object_get(body, "count"));
	snprintf(sum->subject, sizeof(sum->subject), "%s", event->subject);
	return 0;
}

static struct sum
sum_up(struct place *p)
{
	struct sum sum = { 0 };

	assert_int_equal(ambit_record_events(p->record, NULL, sum_event, &sum, &p->err), 0);
	verify(p);
	return sum;
}

/* As the engine does it. 1: it was counted. */
static int
happen(struct place *p, const char *verdict, const char *where, int64_t time)
{
	const struct ambit_event event = {
		.session = "s",
		.time = time,
		.kind = "decide",
		.tool = "write",
		.verdict = verdict,
		.code = streq(verdict, "deny") ? "Outside" : NULL,
		.subject = where,
	};
	const struct record_like like = {
		.place = where,
		.program = "p",
		.refused = !streq(verdict, "allow"),
	};
	int r = record_count(p->record, &event, &like, &p->err);

	if (r == 0)
		r = record_append(p->record, &event, NULL, &p->err);
	assert_true(r >= 0);
	return r;
}

static void
the_first_are_written_and_the_rest_is_counted(void **state)
{
	struct place *p = *state;
	struct sum sum;

	open_write(p);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(happen(p, "deny", "~/data", 1000 + i), i >= TALLY_DETAIL);
	assert_true(record_counts_due(p->record) >= 0);
	assert_int_equal(record_counts_write(p->record, NULL, &p->err), 0);
	assert_int_equal(record_counts_due(p->record), -1);
	sum = sum_up(p);
	assert_int_equal(sum.single, TALLY_DETAIL);
	assert_int_equal(sum.more, 1);
	assert_int_equal(sum.counted, 5000 - TALLY_DETAIL);
	assert_string_equal(sum.subject, "and 4984 more in ~/data, by p");
	/* What is allowed is written as ever. */
	for (int i = 0; i < 40; i++)
		assert_int_equal(happen(p, "allow", "~/data", 9000), 0);
	assert_int_equal(sum_up(p).single, TALLY_DETAIL + 40);
}

static void
places_have_an_end_and_nothing_is_lost(void **state)
{
	struct place *p = *state;
	struct sum sum;
	char where[64];

	open_write(p);
	for (int i = 0; i < 20000; i++) {
		snprintf(where, sizeof(where), "/a%d/b%d/c%d", i % 500, i % 1000, i);
		happen(p, "deny", where, 1000 + i);
	}
	ambit_record_close(p->record);
	p->record = NULL;
	open_write(p);
	sum = sum_up(p);
	assert_int_equal(sum.single + sum.counted, 20000);
	assert_true(sum.events < TALLY_DETAIL_ALL + TALLY_ROWS * (TALLY_DETAIL_LATE + 1));
	/* Programs and codes are the command's to choose as well, but rows are rows. */
	assert_true(sum.more <= TALLY_ROWS);
}

static void
after_a_pause_they_are_written_again(void **state)
{
	struct place *p = *state;

	open_write(p);
	for (int i = 0; i < 100; i++)
		happen(p, "deny", "~/data", 1000);
	assert_int_equal(happen(p, "deny", "~/data", 2000 + TALLY_QUIET_MS), 0);
	assert_int_equal(record_counts_write(p->record, "s", &p->err), 0);
	assert_int_equal(sum_up(p).counted, 100 - TALLY_DETAIL);
}

static void
a_full_share_is_told_before_anything_is_counted(void **state)
{
	struct place *p = *state;
	struct sum sum;

	open_write(p);
	record_set_limits(p->record, &(struct record_limits){ .session_events = 100 });
	for (int i = 0; i < 99; i++)
		assert_int_equal(happen(p, "allow", "~/app", 1000), 0);
	assert_int_equal(happen(p, "allow", "~/app", 1000), 0);
	assert_int_equal(happen(p, "allow", "~/app", 1000), 1);
	/* Before the act, an event stands there. */
	sum = sum_up(p);
	assert_int_equal(sum.single, 100);
	assert_int_equal(sum.more, 1);
	assert_non_null(strstr(sum.subject, "counted from here on in ~/app"));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(happen(p, "allow", "~/app", 1000), 1);
	assert_int_equal(happen(p, "allow", "~/other", 1000), 1);
	assert_int_equal(sum_up(p).more, 2);
	reopen(p);
	sum = sum_up(p);
	assert_int_equal(sum.single, 100);
	assert_int_equal(sum.counted, 1002);
}

static void
a_share_that_cannot_be_told_is_an_error(void **state)
{
	struct place *p = *state;
	struct ambit_event event = { .session = "s", .kind = "decide", .verdict = "allow" };

	open_write(p);
	record_set_limits(p->record, &(struct record_limits){ .session_events = 3 });
	for (int i = 0; i < 3; i++)
		happen(p, "allow", "~/app", 1000);
	sql(p, "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT 1; END; DROP TABLE heads");
	assert_true(record_count(p->record, &event, &(struct record_like){ 0 }, &p->err) < 0);
}

static void
large_events_use_more_of_the_share(void **state)
{
	struct place *p = *state;
	char *text = malloc(4001);

	assert_non_null(text);
	memset(text, 'x', 4000);
	text[4000] = '\0';
	open_write(p);
	record_set_limits(p->record, &(struct record_limits){ .session_events = 50 });
	happen(p, "deny", "~/app", 1000); /* it begins to look at the share */
	for (int i = 0; i < 10; i++) {
		json_t *body = json_pack(
			"{s:s, s:s, s:s, s:s}", "a", text, "b", text, "c", text, "d", text);

		assert_int_equal(append(p->record, "s", "x", body, &p->err), 0);
	}
	free(text);
	assert_int_equal(happen(p, "allow", "~/app", 1000), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_are_written_and_the_rest_is_counted),
		TEST(places_have_an_end_and_nothing_is_lost),
		TEST(after_a_pause_they_are_written_again),
		TEST(a_full_share_is_told_before_anything_is_counted),
		TEST(a_share_that_cannot_be_told_is_an_error),
		TEST(large_events_use_more_of_the_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
