/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of what leaves the record: whole sessions that have ended, the oldest
 * first; never one that is live, nor by itself one for which somebody chose modes or
 * noes. Every chain that stays holds, an event tells what went, and the file shrinks. */

#include "record-place.h"
#include "record/retention.h"
#include "record/upkeep.h"

#define DAY INT64_C(86400000)

static void
happened(struct place *p, const char *session, int n, int64_t time)
{
	for (int i = 0; i < n; i++) {
		const struct ambit_event event = {
			.session = session,
			.time = time,
			.kind = "decide",
			.subject = "something with a name that has some length to it",
		};
		auto_json json_t *body = json_pack("{s:s}", "x",
			"and words, as a body of an event has them, to the length of two lines");

		assert_int_equal(record_append(p->record, &event, body, &p->err), 0);
	}
}

static int64_t
events_of(struct place *p, const char *session)
{
	return look(p, &(struct ambit_event_filter){ .session = session })->n;
}

static int64_t
size_of(const struct place *p)
{
	struct stat st;

	assert_int_equal(stat(p->db, &st), 0);
	return st.st_size;
}

static struct record_forgotten
forget(struct place *p, struct record_forget_what what)
{
	struct record_forgotten sum;

	if (record_forget(p->record, &what, &sum, &p->err) < 0)
		fail_msg("%s", p->err.text);
	return sum;
}

static void
old_sessions_go_by_themselves(void **state)
{
	struct place *p = *state;
	int64_t now = clock_now();

	open_write(p);
	happened(p, "old", 20, now - 100 * DAY);
	happened(p, "older", 20, now - 200 * DAY);
	happened(p, "used", 1, now - 200 * DAY);
	happened(p, "used", 1, now - 80 * DAY);
	happened(p, "new", 20, now);
	record_set_limits(p->record, &(struct record_limits){ .keep_ms = 90 * DAY });
	reopen(p); /* whoever closes looks */
	assert_int_equal(events_of(p, "old"), 0);
	assert_int_equal(events_of(p, "older"), 0);
	assert_int_equal(events_of(p, "used"), 2);
	assert_int_equal(events_of(p, "new"), 20);
	assert_int_equal(events_of(p, "-"), 1);
	assert_string_equal(look(p, &(struct ambit_event_filter){ .kind = "forget" })->subject,
		"2 sessions, 40 events");
	assert_int_equal(verify(p), 23);
	/* Not at every end of every process. */
	happened(p, "old", 1, now - 100 * DAY);
	record_set_limits(p->record, &(struct record_limits){ .keep_ms = 90 * DAY });
	reopen(p);
	assert_int_equal(events_of(p, "old"), 1);
}

static void
a_session_that_is_live_stays(void **state)
{
	struct place *p = *state;
	struct ambit_record *other = NULL;
	int64_t now = clock_now();

	open_write(p);
	happened(p, "held", 5, now - 100 * DAY);
	happened(p, "left", 5, now - 100 * DAY);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &other, &p->err), 0);
	record_session_hold(other, "held");
	record_set_limits(p->record, &(struct record_limits){ .keep_ms = 90 * DAY });
	retention_care(p->record);
	assert_int_equal(events_of(p, "held"), 5);
	assert_int_equal(events_of(p, "left"), 0);
	struct record_forgotten sum = forget(p, (struct record_forget_what){ 0 });

	assert_int_equal(sum.sessions, 0);
	assert_int_equal(sum.live, 1);
	/* It works in two: whatever it is, it stays. */
	happened(p, "third", 5, now);
	record_session_hold(other, "second");
	assert_int_equal(forget(p, (struct record_forget_what){ .session = "third" }).live, 1);
	ambit_record_close(other);
	assert_int_equal(forget(p, (struct record_forget_what){ 0 }).sessions, 2);
	assert_int_equal(events_of(p, "held"), 0);
	verify(p);
}

static void
whoever_is_killed_holds_nothing(void **state)
{
	struct place *p = *state;
	int in[2], status;
	char byte;

	open_write(p);
	happened(p, "s", 5, clock_now());
	assert_int_equal(pipe(in), 0);
	pid_t pid = fork();

	if (pid == 0) {
		struct ambit_record *other = NULL;

		if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &other, NULL) == 0) {
			record_session_hold(other, "s");
			(void)!write(in[1], "x", 1);
			pause();
		}
		_exit(1);
	}
	assert_int_equal(read(in[0], &byte, 1), 1);
	assert_int_equal(forget(p, (struct record_forget_what){ .session = "s" }).live, 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(forget(p, (struct record_forget_what){ .session = "s" }).sessions, 1);
	close(in[0]);
	close(in[1]);
}

/* A session that is to plan only must not come back as one that may write. */
static void
what_somebody_chose_goes_by_a_person_only(void **state)
{
	struct place *p = *state;
	struct ambit_session session = {
		.name = (char *)"planned",
		.root = (char *)"/p",
		.display_root = (char *)"/p",
		.agent_mode = AMBIT_PLAN,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
	};
	const struct ambit_rule no = {
		.op = AMBIT_OP_WRITE,
		.subject = (char *)"/x",
		.session = (char *)"refused",
		.created = 1,
	};
	int64_t id;

	open_write(p);
	assert_int_equal(record_session_store(p->record, &session, &p->err), 0);
	assert_int_equal(ambit_record_rule_add(p->record, &no, &id, &p->err), 0);
	record_set_limits(p->record, &(struct record_limits){ .store_bytes = 1, .keep_ms = 1 });
	happened(p, "plain", 5, clock_now() - DAY);
	happened(p, "planned", 1, clock_now() - DAY);
	happened(p, "refused", 1, clock_now() - DAY);
	retention_care(p->record);
	assert_int_equal(events_of(p, "plain"), 0);
	assert_int_equal(events_of(p, "planned"), 2);
	assert_int_equal(events_of(p, "refused"), 2);
	assert_int_equal(forget(p, (struct record_forget_what){ 0 }).sessions, 2);
	assert_int_equal(
		ambit_record_session_load(p->record, "planned", &session, &p->err), -ENOENT);
	verify(p);
}

static void
a_record_that_is_too_large_loses_the_oldest(void **state)
{
	struct place *p = *state;
	const int64_t limit = 1 << 20;
	char name[16];

	open_write(p);
	record_set_limits(p->record, &(struct record_limits){ .store_bytes = limit });
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		happened(p, name, 100, 1000 + i);
	}
	for (int i = 0; i < 20; i++) { /* each does a part */
		const int64_t before = size_of(p);

		reopen(p);
		if (size_of(p) == before && i > 10)
			break;
		auto_free char *path = str_printf("%s/ambit.lock", p->state);
		auto_close int fd = open(path, O_WRONLY);
		const uint64_t never[2] = { 0 };

		assert_int_equal(pwrite(fd, never, sizeof(never), 160), sizeof(never));
		record_set_limits(p->record, &(struct record_limits){ .store_bytes = limit });
		happened(p, "s59", 1, 2000);
	}
	assert_true(size_of(p) < 2 * limit);
	assert_int_equal(events_of(p, "s0"), 0);
	assert_true(events_of(p, "s58") == 100);
	assert_true(events_of(p, "s59") >= 100);
	verify(p);
}

static void
the_file_shrinks_when_a_person_forgets(void **state)
{
	struct place *p = *state;
	int64_t before;

	open_write(p);
	happened(p, "a", 1, 1000);
	happened(p, "b", 3000, 1000);
	reopen(p);
	before = size_of(p);
	struct record_forgotten sum =
		forget(p, (struct record_forget_what){ .session = "b", .look = true });

	assert_int_equal(sum.events, 3000);
	assert_int_equal(events_of(p, "b"), 3000);
	assert_int_equal(forget(p, (struct record_forget_what){ .session = "b" }).events, 3000);
	assert_true(size_of(p) < before / 5);
	assert_int_equal(verify(p), 2);
	assert_int_equal(forget(p, (struct record_forget_what){ .before = 500 }).sessions, 0);
	assert_int_equal(forget(p, (struct record_forget_what){ .before = 1500 }).sessions, 1);
}

/* As ambit made them before pages were given back one at a time. */
static void
an_older_record_shrinks_as_well(void **state)
{
	struct place *p = *state;
	int64_t before;

	open_write(p);
	happened(p, "b", 3000, 1000);
	ambit_record_close(p->record);
	p->record = NULL;
	sql(p, "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
	open_write(p);
	before = size_of(p);
	forget(p, (struct record_forget_what){ .session = "b" });
	assert_true(size_of(p) < before / 5);
	assert_int_equal(verify(p), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(old_sessions_go_by_themselves),
		TEST(a_session_that_is_live_stays),
		TEST(whoever_is_killed_holds_nothing),
		TEST(what_somebody_chose_goes_by_a_person_only),
		TEST(a_record_that_is_too_large_loses_the_oldest),
		TEST(the_file_shrinks_when_a_person_forgets),
		TEST(an_older_record_shrinks_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
