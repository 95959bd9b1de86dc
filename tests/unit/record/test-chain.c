/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the hash chain: nothing is lost by kill -9 or by many writers,
 * and whatever is changed by hand is named. */

#include "record-place.h"
#include "record/upkeep.h"

#include <time.h>

static int
append_number(struct ambit_record *record, const char *session, int n)
{
	struct ambit_event event = {
		.session = session,
		.kind = "decide",
		.tool = "write",
		.verdict = "deny",
		.code = "OutOfScope",
		.subject = "a \"quoted\" \\ path",
	};
	auto_json json_t *body = json_pack("{s:i, s:s}", "n", n, "text", "\x01\n\xc3\xa9 \"x\"");

	return record_append(record, &event, body, NULL);
}

static void
make_chain(struct place *p, int n)
{
	reopen(p);
	for (int i = 0; i < n; i++)
		assert_int_equal(append_number(p->record, "s", i), 0);
}

struct result {
	int chains;
	int64_t events;
	int64_t broken;
	char why[256];
	char head[HASH_HEX];
};

static int
keep(void *data, const struct ambit_chain *chain)
{
	struct result *result = data;

	result->chains++;
	result->events += chain->events;
	if (chain->broken && !result->broken) {
		result->broken = chain->broken;
		snprintf(result->why, sizeof(result->why), "%s", chain->why);
	}
	snprintf(result->head, sizeof(result->head), "%s", chain->head);
	return 0;
}

static struct result
verify_chain(struct place *p, const char *session)
{
	struct result result = { 0 };

	if (ambit_record_verify(p->record, session, keep, &result, &p->err) < 0)
		fail_msg("%s", p->err.text);
	return result;
}

static void
a_chain_that_nobody_touched_holds(void **state)
{
	struct place *p = *state;

	make_chain(p, 20);
	assert_int_equal(append_number(p->record, "t", 0), 0);
	struct result result = verify_chain(p, NULL);

	assert_int_equal(result.chains, 2);
	assert_int_equal(result.events, 21);
	assert_int_equal(result.broken, 0);
	assert_int_equal(verify_chain(p, "t").events, 1);
	assert_int_equal(ambit_record_verify(p->record, "nobody", keep, &result, &p->err), -ENOENT);
}

/* What the comment in chain.c says can be done by hand, done by SQLite. */
static void
a_link_can_be_checked_without_ambit(void **state)
{
	static const char query[] =
		"SELECT json_array("
		"coalesce((SELECT hash FROM events WHERE session = e.session AND seq = e.seq - 1),"
		" printf('%064d', 0)),"
		" session, seq, time, kind, tool, verdict, code, subject, body), hash"
		" FROM events e WHERE session = 's' ORDER BY seq";
	struct place *p = *state;
	struct ambit_event bare = { .session = "s", .kind = "ask" };
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int rows = 0;

	make_chain(p, 3);
	assert_int_equal(record_append(p->record, &bare, NULL, NULL), 0);
	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &stmt, NULL), SQLITE_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; rows++) {
		char hex[HASH_HEX];

		hash_sha256(
			sqlite3_column_text(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0), hex);
		assert_string_equal(hex, (const char *)sqlite3_column_text(stmt, 1));
	}
	assert_int_equal(rows, 4);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static const char no_unique[] =
	"CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, seq INTEGER,"
	" time INTEGER, kind TEXT, tool TEXT, verdict TEXT, code TEXT, subject TEXT, body TEXT,"
	" hash TEXT);"
	"INSERT INTO other SELECT * FROM events; DROP TABLE events;"
	"ALTER TABLE other RENAME TO events;"
	"INSERT INTO events (session, seq, time, kind, body, hash)"
	" SELECT session, seq, time, kind, body, hash FROM events WHERE seq = 4";

/* Five events; what is done to them; which link that breaks, and the words. */
static const struct {
	const char *sql;
	int64_t broken;
	const char *why;
} tampering[] = {
	{ "UPDATE events SET session = 't' WHERE seq = 3", 3, "missing" },
	{ "UPDATE events SET seq = 9 WHERE seq = 3", 3, "missing" },
	{ "UPDATE events SET seq = 9 WHERE seq = 5", 5, "missing" },
	{ "UPDATE events SET seq = 0 WHERE seq = 1", 1, "before the first" },
	{ "UPDATE events SET seq = -4 WHERE seq = 3", 1, "before the first" },
	{ "UPDATE events SET time = time + 1 WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET kind = 'answer' WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET tool = 'read' WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET tool = NULL WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET verdict = 'allow' WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET code = '' WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET subject = subject || 'x' WHERE seq = 5", 5, "changed" },
	{ "UPDATE events SET subject = subject || char(0) || 'x' WHERE seq = 1", 1, "changed" },
	{ "UPDATE events SET body = '{}' WHERE seq = 2", 2, "changed" },
	{ "UPDATE events SET body = 'no json' WHERE seq = 2", 2, "changed" },
	{ "UPDATE events SET hash = 'x' WHERE seq = 2", 2, "changed" },
	{ "UPDATE events SET hash = replace(hash, substr(hash, 1, 1), 'g') WHERE seq = 4", 4,
		"changed" },
	{ "UPDATE events SET verdict = code, code = verdict WHERE seq = 3", 3, "changed" },
	{ "UPDATE events SET id = 100 WHERE seq = 3", 4, "stored before" },
	{ "DELETE FROM events WHERE seq = 3", 3, "missing" },
	{ "DELETE FROM events WHERE seq = 1", 1, "missing" },
	{ "DELETE FROM events WHERE seq > 3", 4, "cut off: there were 5" },
	{ "DELETE FROM events WHERE seq = 5", 5, "cut off" },
	{ "DELETE FROM events", 1, "cut off" },
	{ "DELETE FROM heads", 5, "no head" },
	{ "UPDATE heads SET seq = 3", 4, "behind the head" },
	{ "UPDATE heads SET seq = 9", 6, "cut off" },
	{ "UPDATE heads SET hash = 'x'", 5, "another hash" },
	{ "UPDATE heads SET hash = (SELECT hash FROM events WHERE seq = 4)", 5, "another hash" },
	{ "INSERT INTO events (session, seq, time, kind, body, hash) VALUES ('s', 6, 1, 'x', '{}', "
	  "'x')",
		6, "changed" },
	{ no_unique, 4, "more than one" },
};

static void
whatever_is_changed_by_hand_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tampering) / sizeof(tampering[0]); i++) {
		void *own;

		setup(&own);
		struct place *p = own;

		make_chain(p, 5);
		sql(p, tampering[i].sql);
		struct result result = verify_chain(p, "s");

		if (result.broken != tampering[i].broken || !strstr(result.why, tampering[i].why))
			fail_msg("%s: %lld: %s", tampering[i].sql, (long long)result.broken,
				result.why);
		teardown(&own);
	}
}

static void
a_session_whose_events_are_all_gone_is_named(void **state)
{
	struct place *p = *state;
	struct ambit_session session = {
		.name = (char *)"s",
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
	};

	reopen(p);
	assert_int_equal(record_session_store(p->record, &session, NULL), 0);
	sql(p, "DELETE FROM events; DELETE FROM heads");
	struct result result = verify_chain(p, NULL);

	assert_int_equal(result.broken, 1);
	assert_string_equal(result.why, "all events are gone");
}

/* Somebody who computes hashes too, but writes what ambit never would. */
static void
a_body_that_is_no_json_is_named(void **state)
{
	struct place *p = *state;
	struct chain_link link = {
		.session = { "s", 1 },
		.seq = 1,
		.time = 1,
		.fields = { [FIELD_KIND] = { "decide", 6 }, [FIELD_BODY] = { "[1]", 3 } },
	};
	char hash[HASH_HEX];

	reopen(p);
	assert_int_equal(chain_hash(chain_start, &link, hash), 0);
	auto_free char *text =
		str_printf("INSERT INTO events (session, seq, time, kind, body, hash)"
			   " VALUES ('s', 1, 1, 'decide', '[1]', '%s');"
			   "INSERT INTO heads VALUES ('s', 1, '%s')",
			hash, hash);

	sql(p, text);
	assert_int_equal(verify_chain(p, NULL).broken, 1);
	assert_string_equal(verify_chain(p, NULL).why, "its body is not a JSON object");
}

static void
different_fields_never_have_the_same_text(void **state)
{
	struct chain_link a = { .session = { "s", 1 }, .seq = 1, .time = 11 }, b = a;
	char one[HASH_HEX], two[HASH_HEX];

	(void)state;
	a.fields[FIELD_KIND] = (struct chain_text){ "x\",\"y", 5 };
	b.fields[FIELD_KIND] = (struct chain_text){ "x", 1 };
	b.fields[FIELD_TOOL] = (struct chain_text){ "y", 1 };
	assert_int_equal(chain_hash(chain_start, &a, one), 0);
	assert_int_equal(chain_hash(chain_start, &b, two), 0);
	assert_string_not_equal(one, two);
	a.fields[FIELD_KIND] = (struct chain_text){ "null", 4 };
	b.fields[FIELD_KIND] = b.fields[FIELD_TOOL] = (struct chain_text){ 0 };
	assert_int_equal(chain_hash(chain_start, &a, one), 0);
	assert_int_equal(chain_hash(chain_start, &b, two), 0);
	assert_string_not_equal(one, two);
	a = b;
	a.seq = 11; /* 11, 1 and 1, 11 */
	a.time = 1;
	assert_int_equal(chain_hash(chain_start, &a, one), 0);
	assert_string_not_equal(one, two);
}

static void
a_tampered_head_does_not_let_an_event_replace_another(void **state)
{
	struct place *p = *state;

	make_chain(p, 5);
	sql(p, "UPDATE heads SET seq = 3, hash = (SELECT hash FROM events WHERE seq = 3)");
	assert_int_equal(append_number(p->record, "s", 9), -EBADMSG);
	sql(p, "UPDATE heads SET hash = 'x'");
	assert_int_equal(append_number(p->record, "s", 9), -EBADMSG);
	assert_int_equal(verify_chain(p, "s").events, 5);
}

/* -- many processes --------------------------------------------------------------- */

/* Appends until it is killed; tells each acknowledged event through the pipe. */
static void
append_forever(struct place *p, int fd, int n)
{
	struct ambit_record *record = NULL;
	char session[] = { (char)('a' + n % 2), '\0' };

	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &record, NULL) < 0)
		_exit(1);
	for (int i = 0; append_number(record, session, i) == 0; i++)
		if (write(fd, "x", 1) != 1)
			_exit(2);
	_exit(3);
}

static void
pause_us(unsigned us)
{
	struct timespec time = { .tv_nsec = (long)us * 1000 };

	nanosleep(&time, NULL);
}

static void
drain(int fd, int64_t *count)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		*count += n;
}

#define KILLED 3

static void
kill_round(struct place *p, int64_t *acknowledged, unsigned round)
{
	int pipes[2], status;
	pid_t pids[KILLED];
	char byte;

	assert_int_equal(pipe(pipes), 0);
	for (int i = 0; i < KILLED; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			append_forever(p, pipes[1], i);
	}
	close(pipes[1]);
	/* The first event is there; then at any moment of the next ones. */
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	++*acknowledged;
	for (int i = 0; i < KILLED; i++) {
		pause_us((round * 7919u + (unsigned)i * 104729u) % 9000u);
		assert_int_equal(kill(pids[i], SIGKILL), 0);
	}
	for (int i = 0; i < KILLED; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFSIGNALED(status));
	}
	drain(pipes[0], acknowledged);
	close(pipes[0]);
}

static void
kill_9_loses_nothing_that_was_acknowledged(void **state)
{
	struct place *p = *state;
	int64_t acknowledged = 0;

	for (unsigned round = 0; round < 25; round++) {
		kill_round(p, &acknowledged, round);
		reopen(p);
		struct result result = verify_chain(p, NULL);

		if (result.broken)
			fail_msg("%lld: %s", (long long)result.broken, result.why);
		if (result.events < acknowledged)
			fail_msg("%lld of %lld", (long long)result.events, (long long)acknowledged);
		/* An event that was stored but not yet told: one per child and round. */
		assert_true(result.events <= acknowledged + KILLED * (round + 1));
	}
}

#define WRITERS 6
#define EACH 150

static void
write_some(struct place *p, int n)
{
	struct ambit_rule rule = {
		.yes = true, .subject = (char *)"/a", .session = (char *)"shared"
	};
	struct ambit_record *record = NULL;
	char own[16];

	snprintf(own, sizeof(own), "own%d", n);
	/* The database is made by whoever comes first. */
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &record, &p->err) < 0)
		_exit(1);
	for (int i = 0; i < EACH; i++)
		if (append_number(record, "shared", i) < 0 || append_number(record, own, i) < 0 ||
			(i % 10 == 0 && ambit_record_rule_add(record, &rule, NULL, NULL) < 0))
			_exit(2);
	ambit_record_close(record);
	_exit(0);
}

static void
many_processes_write_at_once_without_loss(void **state)
{
	struct place *p = *state;
	pid_t pids[WRITERS];
	int status;

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			write_some(p, i);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	reopen(p);
	struct result result = verify_chain(p, NULL);

	assert_int_equal(result.broken, 0);
	assert_int_equal(result.chains, WRITERS + 1);
	assert_int_equal(result.events, WRITERS * (2 * EACH + EACH / 10));
	assert_int_equal(verify_chain(p, "shared").events, WRITERS * (EACH + EACH / 10));
	assert_int_equal(verify_chain(p, "own3").events, EACH);
}

static void
a_chain_being_written_never_looks_broken(void **state)
{
	struct place *p = *state;
	int pipes[2], status;
	char byte;

	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();

	if (pid == 0)
		append_forever(p, pipes[1], 0);
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	reopen(p);
	for (int i = 0; i < 50; i++)
		assert_int_equal(verify_chain(p, NULL).broken, 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(pipes[0]);
	close(pipes[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_chain_that_nobody_touched_holds),
		TEST(a_link_can_be_checked_without_ambit),
		cmocka_unit_test(whatever_is_changed_by_hand_is_named),
		TEST(a_session_whose_events_are_all_gone_is_named),
		TEST(a_body_that_is_no_json_is_named),
		cmocka_unit_test(different_fields_never_have_the_same_text),
		TEST(a_tampered_head_does_not_let_an_event_replace_another),
		TEST(kill_9_loses_nothing_that_was_acknowledged),
		TEST(many_processes_write_at_once_without_loss),
		TEST(a_chain_being_written_never_looks_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
