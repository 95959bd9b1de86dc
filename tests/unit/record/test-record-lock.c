/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the record's locks: whoever can only read its files stops
 * nobody, the dead hold nothing, those who live are waited for, and a person's
 * sqlite3 can look in meanwhile. */

#include <sys/file.h>
#include <sys/mman.h>

#include "record-place.h"
#include "record/lock.h"
#include "record/upkeep.h"
#include "rounds.h"

#define SOON_MS 3000 /* far below STORE_BUSY_MS */

static const char *const files[] = { STORE_FILE, STORE_FILE "-wal", STORE_FILE "-shm", LOCK_FILE };
#define FILES (sizeof(files) / sizeof(files[0]))

/* -- another process ---------------------------------------------------------------- */

struct other {
	pid_t pid;
	int in;	 /* says when it may go on; closing it ends the process */
	int out; /* it says that it is there */
};

static struct other
start(struct place *p, void (*act)(struct place *p))
{
	int in[2], out[2];
	char byte;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	struct other o = { .pid = fork(), .in = in[1], .out = out[0] };

	assert_true(o.pid >= 0);
	if (o.pid == 0) {
		close(in[1]);
		close(out[0]);
		act(p);
		if (write(out[1], "x", 1) == 1 && read(in[0], &byte, 1) < 0)
			_exit(2);
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	if (read(out[0], &byte, 1) != 1)
		fail_msg("the other process failed");
	return o;
}

static void
end(struct other *o, int sig)
{
	int status;

	if (sig)
		assert_int_equal(kill(o->pid, sig), 0);
	close(o->in);
	close(o->out);
	assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
}

/* -- strangers ---------------------------------------------------------------------- */

/* Every lock that a descriptor opened for reading can have: on every byte that
 * is free, and on all that come behind. */
static void
sit_on(int one, int two)
{
	for (off_t at = 0; at <= 8192; at++) {
		struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = at };

		l.l_len = at == 8192 ? 0 : 1;
		fcntl(one, F_SETLK, &l);
		fcntl(two, F_OFD_SETLK, &l);
	}
	flock(two, LOCK_EX | LOCK_NB);
}

static void
sit_on_everything(struct place *p)
{
	for (size_t i = 0; i < FILES; i++) {
		auto_free char *path = str_printf("%s/%s", p->state, files[i]);
		int one = open(path, O_RDONLY), two = open(path, O_RDONLY);

		if (one < 0 || two < 0)
			_exit(1);
		sit_on(one, two);
	}
}

static void
works(struct place *p, int64_t events)
{
	int64_t began = clock_steady();

	open_write(p);
	if (append(p->record, "s", "x", NULL, &p->err) < 0)
		fail_msg("%s", p->err.text);
	assert_int_equal(verify(p), events);
	reopen(p);
	assert_int_equal(look(p, NULL)->n, events);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_true(clock_steady() - began < SOON_MS);
}

static void
a_strangers_read_locks_stop_nobody(void **state)
{
	struct place *p = *state;
	sqlite3 *db;

	works(p, 1);
	struct other o = start(p, sit_on_everything);

	for (int n = 2; n < 6; n++)
		works(p, n);
	/* It is SQLite's own locks that they stop. */
	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_BUSY);
	sqlite3_close(db);
	end(&o, 0);
	works(p, 6);
}

static void
a_stranger_who_comes_later_stops_nobody(void **state)
{
	struct place *p = *state;
	struct ambit_record *second = NULL;

	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	struct other o = start(p, sit_on_everything);
	int64_t began = clock_steady();

	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &second, &p->err), 0);
	assert_int_equal(append(second, "s", "x", NULL, NULL), 0);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(verify(p), 4);
	/* Between the two of them the locks still hold. */
	assert_int_equal(store_begin(p->record, NULL), 0);
	sqlite3_busy_timeout(second->db, 10);
	assert_int_equal(append(second, "s", "x", NULL, NULL), -EBUSY);
	assert_int_equal(store_end(p->record, 0, NULL), 0);
	assert_int_equal(append(second, "s", "x", NULL, NULL), 0);
	ambit_record_close(second);
	assert_true(clock_steady() - began < SOON_MS);
	end(&o, 0);
}

static void
the_log_stays_bounded_whoever_reads(void **state)
{
	struct place *p = *state;
	auto_free char *log = str_printf("%s/" STORE_FILE "-wal", p->state);
	struct stat st;

	works(p, 1);
	struct other o = start(p, sit_on_everything);

	open_write(p);
	for (int i = 0; i < 1500; i++)
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size < 3 * STORE_LOG_MAX * 4096);
	assert_int_equal(verify(p), 1501);
	end(&o, 0);
}

static void
a_new_record_is_made_although_a_stranger_sits_on_the_old_locks(void **state)
{
	struct place *p = *state;
	auto_free char *log = str_printf("%s/" STORE_FILE "-wal", p->state);

	works(p, 1);
	struct other o = start(p, sit_on_everything);

	assert_int_equal(unlink(p->db), 0);
	works(p, 1);
	assert_int_equal(unlink(p->db), 0);
	assert_int_equal(unlink(log), 0);
	works(p, 1);
	end(&o, 0);
}

/* -- the dead ------------------------------------------------------------------------- */

static void
begin_to_write(struct place *p)
{
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0 ||
		store_begin(p->record, &p->err) < 0)
		_exit(1);
}

static void
the_dead_hold_nothing(void **state)
{
	struct place *p = *state;

	works(p, 1);
	for (int n = 2; n < 6; n++) {
		struct other o = start(p, begin_to_write);

		end(&o, SIGKILL);
		works(p, n);
	}
}

static void
the_dead_hold_nothing_where_a_stranger_sits(void **state)
{
	struct place *p = *state;

	works(p, 1);
	struct other stranger = start(p, sit_on_everything);

	for (int n = 2; n < 6; n++) {
		struct other o = start(p, begin_to_write);

		end(&o, SIGKILL);
		works(p, n);
	}
	end(&stranger, 0);
}

static void
those_who_live_are_waited_for(void **state)
{
	struct place *p = *state;

	works(p, 1);
	for (int sits = 0; sits < 2; sits++) {
		struct other stranger = { 0 };

		if (sits)
			stranger = start(p, sit_on_everything);
		struct other o = start(p, begin_to_write);

		open_write(p);
		sqlite3_busy_timeout(p->record->db, 20);
		assert_int_equal(append(p->record, "s", "x", NULL, &p->err), -EBUSY);
		assert_non_null(strstr(p->err.text, "locked for too long"));
		end(&o, 0);
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
		ambit_record_close(p->record);
		p->record = NULL;
		if (sits)
			end(&stranger, 0);
	}
}

/* The keeper is forked with the record open, and closes what it has of it. */
static void
close_all(struct place *p)
{
	(void)p;
	for (int fd = 3; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			struct stat st;

			if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
				close(fd);
		}
}

static void
a_forked_process_takes_no_locks_away(void **state)
{
	struct place *p = *state;
	struct ambit_record *second = NULL;

	open_write(p);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &second, NULL), 0);
	sqlite3_busy_timeout(second->db, 20);
	for (int how = 0; how < 2; how++) {
		assert_int_equal(store_begin(p->record, NULL), 0);
		struct other o = start(p, close_all);

		if (how)
			end(&o, SIGKILL);
		assert_int_equal(append(second, "s", "x", NULL, NULL), -EBUSY);
		if (!how)
			end(&o, 0);
		assert_int_equal(store_end(p->record, 0, NULL), 0);
		assert_int_equal(append(second, "s", "x", NULL, NULL), 0);
	}
	ambit_record_close(second);
}

/* -- a person's sqlite3 ---------------------------------------------------------------- */

static void
an_outsider_reads_writes_and_removes_nothing(void **state)
{
	struct place *p = *state;
	auto_free char *log = str_printf("%s/" STORE_FILE "-wal", p->state);
	struct stat before, after;
	sqlite3 *db;

	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(stat(log, &before), 0);
	sql(p, "SELECT count(*) FROM events; UPDATE sessions SET wrote = 1");
	assert_int_equal(stat(log, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	/* Each waits for the other. */
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_busy_timeout(p->record->db, 20);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), -EBUSY);
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store_begin(p->record, NULL), 0);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_BUSY);
	assert_int_equal(store_end(p->record, 0, NULL), 0);
	/* Neither moves the log away from under the other. */
	assert_int_equal(
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
		SQLITE_BUSY);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM events", NULL, NULL, NULL),
		SQLITE_OK);
	for (int i = 0; i < 100; i++)
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(
		sqlite3_exec(db, "SELECT hash FROM events; COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(verify(p), 102);
	reopen(p);
	assert_int_equal(verify(p), 102);
}

static void
a_log_that_an_outsider_left_is_read(void **state)
{
	struct place *p = *state;
	pid_t pid;
	int status;

	works(p, 1);
	ambit_record_close(p->record);
	p->record = NULL;
	pid = fork();
	if (pid == 0) {
		sqlite3 *db;

		if (sqlite3_open(p->db, &db) == SQLITE_OK &&
			sqlite3_exec(db, "UPDATE sessions SET wrote = 1; CREATE TABLE more (a)",
				NULL, NULL, NULL) == SQLITE_OK)
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	works(p, 2);
	open_write(p);
	assert_int_equal(
		sqlite3_exec(p->record->db, "SELECT a FROM more", NULL, NULL, NULL), SQLITE_OK);
}

/* -- a crowd ---------------------------------------------------------------------------- */

/* Waits until the other end is closed. */
static void
wait_for_end(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
}

/* One of the crowd: opens when all are there, writes, and writes again when all are in. */
static void
come_in(struct place *p, int number, int start, int in, int leave)
{
	char name[32];

	snprintf(name, sizeof(name), "s%d", number);
	wait_for_end(start);
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0 ||
		append(p->record, name, "came", NULL, &p->err) < 0) {
		fprintf(stderr, "%s: %s\n", name, p->err.text);
		_exit(write(in, "!", 1) == 1 ? 1 : 2);
	}
	if (write(in, "x", 1) != 1)
		_exit(2);
	wait_for_end(leave);
	if (append(p->record, name, "left", NULL, &p->err) < 0) {
		fprintf(stderr, "%s: %s\n", name, p->err.text);
		_exit(1);
	}
	if (number % 2)
		ambit_record_close(p->record);
	else
		record_leave(p->record);
	_exit(0);
}

static pid_t
send_one(struct place *p, int number, int start[2], int in[2], int leave[2])
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		close(start[1]);
		close(in[0]);
		close(leave[1]);
		come_in(p, number, start[0], in[1], leave[0]);
	}
	return pid;
}

static void
a_crowd_that_comes_at_once_to_a_new_directory_is_let_in(void **state)
{
	struct place *p = *state;
	int n = rounds(300, 4200), start[2], in[2], leave[2], status, came = 0;
	auto_free pid_t *pids = calloc((size_t)n, sizeof(*pids));
	char byte;

	assert_non_null(pids);
	assert_int_equal(pipe(start) | pipe(in) | pipe(leave), 0);
	for (int i = 0; i < n; i++)
		pids[i] = send_one(p, i, start, in, leave);
	close(start[0]);
	close(in[1]);
	close(leave[0]);
	close(start[1]);
	while (came < n && read(in[0], &byte, 1) == 1)
		came++;
	close(leave[1]);
	close(in[0]);
	for (int i = 0; i < n; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(came, n);
	works(p, 2 * (int64_t)n + 1);
}

/* -- the file of locks ------------------------------------------------------------------ */

static void
spoil(const char *path, off_t from, size_t n)
{
	auto_close int fd = open(path, O_WRONLY);
	auto_free char *noise = malloc(n);

	assert_true(fd >= 0 && noise);
	memset(noise, 0xa5, n);
	assert_int_equal(pwrite(fd, noise, n, from), n);
}

static void
a_damaged_file_of_locks_is_made_anew_or_named(void **state)
{
	struct place *p = *state;
	auto_free char *path = str_printf("%s/" LOCK_FILE, p->state);

	works(p, 1);
	spoil(path, 0, 4096);
	works(p, 2);
	spoil(path, 8, 4088); /* what it is, still can be told */
	works(p, 3);
	assert_int_equal(truncate(path, 100), 0);
	works(p, 4);
	assert_int_equal(unlink(path), 0);
	works(p, 5);
	open_write(p);
	spoil(path, 0, 8);
	refuses(p, AMBIT_RECORD_WRITE, EBADMSG, LOCK_FILE ": damaged while it is in use");
	ambit_record_close(p->record);
	p->record = NULL;
	works(p, 6);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(p->db, path), 0);
	refuses(p, AMBIT_RECORD_WRITE, ELOOP, LOCK_FILE);
}

static void
an_index_of_another_log_is_not_believed(void **state)
{
	struct place *p = *state;
	auto_free char *log = str_printf("%s/" STORE_FILE "-wal", p->state);
	auto_free char *shm = str_printf("%s/" STORE_FILE "-shm", p->state);

	works(p, 1);
	open_write(p);
	sqlite3_wal_checkpoint_v2(p->record->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(unlink(log), 0);
	works(p, 2);
	spoil(shm, 0, 32768);
	assert_int_equal(truncate(shm, 40000), 0);
	works(p, 3);
	assert_int_equal(truncate(shm, 0), 0);
	works(p, 4);
}

#define CONNECTIONS 8355

static void
there_is_room_for_many_and_an_end_to_it(void **state)
{
	struct place *p = *state;
	auto_free char *path = str_printf("%s/" LOCK_FILE, p->top);
	struct locks **all = calloc(CONNECTIONS, sizeof(*all)), *more = NULL;
	struct rlimit open_files;

	assert_non_null(all);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &open_files), 0);
	open_files.rlim_cur = open_files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &open_files) < 0 || open_files.rlim_max < CONNECTIONS + 64) {
		free(all);
		skip();
	}
	for (int i = 0; i < CONNECTIONS; i++)
		if (locks_open(path, &all[i], &p->err) < 0)
			fail_msg("%d: %s", i, p->err.text);
	assert_int_equal(locks_open(path, &more, &p->err), -EBUSY);
	assert_non_null(strstr(p->err.text, path));
	for (int i = 0; i < CONNECTIONS; i++)
		assert_int_equal(locks_take(all[i], 2, false), 0);
	assert_int_equal(locks_take(all[7], 3, true), -EBUSY);
	assert_int_equal(locks_take(all[7], 1, true), 0);
	assert_int_equal(locks_take(all[CONNECTIONS - 1], 1, false), -EBUSY);
	locks_drop(all[7], 1, true);
	assert_int_equal(locks_take(all[CONNECTIONS - 1], 1, false), 0);
	for (int i = 0; i < CONNECTIONS; i++)
		locks_close(all[i]);
	assert_int_equal(locks_open(path, &more, &p->err), 0);
	assert_int_equal(locks_take(more, 0xffff, true), 0);
	locks_close(more);
	free(all);
}

/* -- many, and some are killed ----------------------------------------------------------- */

#define WRITERS 4
#define WRITES 200

/* Says a byte for every event that it was told is stored. */
static void
write_events(struct place *p, int n, int out)
{
	char session[16];

	snprintf(session, sizeof(session), "w%d", n);
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0) {
		fprintf(stderr, "%s\n", p->err.text);
		_exit(1);
	}
	for (int i = 0; i < WRITES; i++) {
		if (append(p->record, i % 2 ? session : "all", "x", NULL, &p->err) < 0) {
			fprintf(stderr, "%s\n", p->err.text);
			_exit(2);
		}
		if (write(out, "x", 1) != 1)
			_exit(3);
		if (i % 50 == 49) { /* the log is opened and left as well */
			ambit_record_close(p->record);
			if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) <
				0)
				_exit(4);
		}
	}
	ambit_record_close(p->record);
	_exit(0);
}

static void
nothing_is_lost_when_one_of_many_is_killed(void **state)
{
	struct place *p = *state;
	int64_t told = 0;

	srandom((unsigned)getpid());
	for (int round = 0; round < 3; round++) {
		pid_t pids[WRITERS];
		int said[2], status, killed = round % WRITERS, when = (int)(random() % 300);
		char byte;

		assert_int_equal(pipe(said), 0);
		for (int i = 0; i < WRITERS; i++) {
			pids[i] = fork();
			assert_true(pids[i] >= 0);
			if (pids[i] == 0) {
				close(said[0]);
				write_events(p, i, said[1]);
			}
		}
		close(said[1]);
		for (int n = 0; read(said[0], &byte, 1) == 1; n++, told++)
			if (n == when)
				kill(pids[killed], SIGKILL);
		close(said[0]);
		for (int i = 0; i < WRITERS; i++) {
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			if (i != killed && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
				fail_msg("writer %d: %x", i, status);
		}
	}
	open_write(p);
	int64_t stored = verify(p);

	/* One event of each that was killed may be stored and not told. */
	assert_true(stored >= told && stored <= told + 3);
	sqlite3_stmt *stmt;

	assert_int_equal(store_prepare(p->record, "PRAGMA integrity_check", &stmt, NULL), 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal(sqlite3_column_text(stmt, 0), "ok");
	sqlite3_finalize(stmt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_strangers_read_locks_stop_nobody),
		TEST(a_stranger_who_comes_later_stops_nobody),
		TEST(the_log_stays_bounded_whoever_reads),
		TEST(a_new_record_is_made_although_a_stranger_sits_on_the_old_locks),
		TEST(the_dead_hold_nothing),
		TEST(the_dead_hold_nothing_where_a_stranger_sits),
		TEST(those_who_live_are_waited_for),
		TEST(a_forked_process_takes_no_locks_away),
		TEST(an_outsider_reads_writes_and_removes_nothing),
		TEST(a_log_that_an_outsider_left_is_read),
		TEST(a_crowd_that_comes_at_once_to_a_new_directory_is_let_in),
		TEST(a_damaged_file_of_locks_is_made_anew_or_named),
		TEST(an_index_of_another_log_is_not_believed),
		TEST(there_is_room_for_many_and_an_end_to_it),
		TEST(nothing_is_lost_when_one_of_many_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
