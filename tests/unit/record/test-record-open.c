/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of opening the record: everything is private, nothing foreign is
 * touched, and what cannot be opened or written is said clearly. */

#include "record-place.h"
#include "record/lock.h"
#include "record/upkeep.h"
#include "rounds.h"

/* -- opening -------------------------------------------------------------------- */

static unsigned
mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void
makes_everything_private_whatever_the_umask(void **state)
{
	static const mode_t masks[] = { 0, 0022, 0077, 0277 };
	struct place *p = *state;
	char parent[96], wal[160];

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		snprintf(p->state, sizeof(p->state), "%s/%zu/state", p->top, i);
		snprintf(parent, sizeof(parent), "%s/%zu", p->top, i);
		snprintf(p->db, sizeof(p->db), "%s/" STORE_FILE, p->state);
		snprintf(wal, sizeof(wal), "%s-wal", p->db);
		mode_t old = umask(masks[i]);

		open_write(p);
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
		umask(old);
		assert_int_equal(mode_of(parent), 0700);
		assert_int_equal(mode_of(p->state), 0700);
		assert_int_equal(mode_of(p->db), 0600);
		assert_int_equal(mode_of(wal), 0600);
		ambit_record_close(p->record);
		p->record = NULL;
	}
}

static void
reading_creates_nothing(void **state)
{
	struct place *p = *state;

	refuses(p, AMBIT_RECORD_READ, ENOENT, "nothing has been recorded");
	assert_int_equal(access(p->state, F_OK), -1);
	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(unlink(p->db), 0);
	refuses(p, AMBIT_RECORD_READ, ENOENT, "nothing has been recorded");
	assert_int_equal(access(p->db, F_OK), -1);
}

static void
a_reader_sees_but_cannot_write(void **state)
{
	struct place *p = *state;
	struct ambit_error err = { 0 };

	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	ambit_record_close(p->record);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err), 0);
	assert_int_equal(look(p, NULL)->n, 1);
	assert_int_equal(append(p->record, "s", "x", NULL, &err), -EROFS);
	assert_int_equal(verify(p), 1);
}

static void
a_reader_sees_what_a_killed_writer_left_in_the_log(void **state)
{
	struct place *p = *state;
	pid_t pid = fork();

	if (pid == 0) {
		if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, NULL) == 0 &&
			append(p->record, "s", "x", NULL, NULL) == 0)
			raise(SIGKILL);
		_exit(1);
	}
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err), 0);
	assert_int_equal(look(p, NULL)->n, 1);
	assert_int_equal(verify(p), 1);
}

/* The words of the table of locks: its magic number, the stamp that lets the next
 * one use the index as it is, how many seats are in use (and how often that was
 * said), how often a lock was given back, who has which of the 16 locks alone, when
 * old sessions were looked for, one more, and the owner of the first seat. */
static void
who_leaves_is_found_to_have_closed(void **state)
{
	struct place *p = *state;
	auto_free char *locks = str_printf("%s/ambit.lock", p->state);
	uint64_t words[24] = { 0 };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, NULL) < 0 ||
			append(p->record, "s", "x", NULL, NULL) != 0)
			_exit(1);
		record_leave(p->record);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	auto_close int fd = open(locks, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, words, sizeof(words), 0), sizeof(words));
	assert_true(words[1] != 0);
	assert_int_equal((uint32_t)words[2], 0);
	assert_true(words[2] >> 32 > 0);
	for (int i = 4; i < 24; i++)
		if (i != 20 && i != 21)
			assert_int_equal(words[i], 0);
	open_write(p);
	assert_int_equal(look(p, NULL)->n, 1);
	assert_int_equal(append(p->record, "s", "y", NULL, NULL), 0);
	assert_int_equal(verify(p), 2);
}

static void
refuses_a_directory_or_file_that_others_can_write(void **state)
{
	struct place *p = *state;

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(chmod(p->state, 0770), 0);
	refuses(p, AMBIT_RECORD_WRITE, EPERM, "chmod go-w");
	refuses(p, AMBIT_RECORD_READ, EPERM, "chmod go-w");
	assert_int_equal(chmod(p->state, 0755), 0);
	assert_int_equal(chmod(p->db, 0602), 0);
	refuses(p, AMBIT_RECORD_WRITE, EPERM, "chmod go-w");
	assert_int_equal(chmod(p->db, 0600), 0);
	open_write(p);
}

static void
refuses_symbolic_links_and_other_objects(void **state)
{
	struct place *p = *state;
	char moved[160];

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	snprintf(moved, sizeof(moved), "%s/moved", p->top);
	assert_int_equal(rename(p->db, moved), 0);
	assert_int_equal(symlink(moved, p->db), 0);
	refuses(p, AMBIT_RECORD_WRITE, ELOOP, "symbolic link");
	refuses(p, AMBIT_RECORD_READ, ELOOP, "symbolic link");
	assert_int_equal(unlink(p->db), 0);
	assert_int_equal(mkdir(p->db, 0700), 0);
	refuses(p, AMBIT_RECORD_WRITE, EINVAL, "not a regular file");
	assert_int_equal(rmdir(p->db), 0);
	assert_int_equal(unlink(moved), 0);
	assert_int_equal(rename(p->state, moved), 0);
	assert_int_equal(symlink(moved, p->state), 0);
	refuses(p, AMBIT_RECORD_WRITE, ELOOP, "symbolic link");
	strncat(p->state, "/", sizeof(p->state) - strlen(p->state) - 1);
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, NULL), -ELOOP);
	p->state[strlen(p->state) - 1] = '\0';
	assert_int_equal(unlink(p->state), 0);
	int fd = open(p->state, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
	refuses(p, AMBIT_RECORD_WRITE, ENOTDIR, "not a directory");
}

static void
a_link_above_the_state_directory_is_the_persons_own(void **state)
{
	struct place *p = *state;
	char real[96], link[96];

	snprintf(real, sizeof(real), "%s/real", p->top);
	snprintf(link, sizeof(link), "%s/link", p->top);
	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink(real, link), 0);
	snprintf(p->state, sizeof(p->state), "%s/link/state", p->top);
	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
}

static void
write_file(const char *path, const void *data, size_t len)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, data, len), 0);
}

static void
refuses_what_is_no_database(void **state)
{
	struct place *p = *state;
	char garbage[8192];

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	memset(garbage, 'x', sizeof(garbage));
	write_file(p->db, garbage, sizeof(garbage));
	refuses(p, AMBIT_RECORD_WRITE, EBADMSG, "not a database: move it away");
	refuses(p, AMBIT_RECORD_READ, EBADMSG, "not a database: move it away");
	write_file(p->db, garbage, 7);
	refuses(p, AMBIT_RECORD_WRITE, EBADMSG, "move it away");
}

static void
refuses_the_database_of_another_program(void **state)
{
	struct place *p = *state;
	char before[HASH_HEX], after[HASH_HEX];
	size_t len;

	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, NULL), 0);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(unlink(p->db), 0);
	sql(p, "CREATE TABLE bookmarks (a); PRAGMA user_version = 1");
	assert_int_equal(chmod(p->db, 0600), 0);
	for (int i = 0; i < 2; i++) {
		auto_free char *text = NULL;

		assert_int_equal(fd_read_file(AT_FDCWD, p->db, 1u << 20, &text, &len), 0);
		hash_sha256(text, len, i ? after : before);
		refuses(p, AMBIT_RECORD_WRITE, EBADMSG, "another program");
		refuses(p, AMBIT_RECORD_READ, EBADMSG, "another program");
	}
	assert_string_equal(before, after); /* and leaves it as it is */
}

static void
refuses_a_newer_schema(void **state)
{
	struct place *p = *state;

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	sql(p, "PRAGMA user_version = 7");
	refuses(p, AMBIT_RECORD_WRITE, EPROTO, "newer ambit (schema 7, this one knows 2)");
	refuses(p, AMBIT_RECORD_READ, EPROTO, "newer ambit (schema 7, this one knows 2)");
}

static void
brings_up_an_empty_file_and_one_without_tables(void **state)
{
	struct place *p = *state;

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	write_file(p->db, "", 0);
	refuses(p, AMBIT_RECORD_READ, ENOENT, "nothing has been recorded");
	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(unlink(p->db), 0);
	sql(p, "PRAGMA application_id = 1634558580"); /* "ambt", schema 0 */
	assert_int_equal(chmod(p->db, 0600), 0);
	refuses(p, AMBIT_RECORD_READ, ENOENT, "nothing has been recorded");
	open_write(p);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	reopen(p);
	assert_int_equal(verify(p), 1);
}

static int
see_rule(void *data, const struct ambit_rule *rule)
{
	int *seen = data;

	assert_string_equal(rule->subject, "/a");
	assert_true(rule->beneath);
	assert_false(rule->names);
	++*seen;
	return 0;
}

static void
a_record_of_schema_1_is_read_and_brought_up(void **state)
{
	struct place *p = *state;
	const struct ambit_rule_filter filter = { 0 };
	int seen = 0;

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	sql(p, "ALTER TABLE rules DROP COLUMN names; PRAGMA user_version = 1;"
	       "INSERT INTO rules (yes, op, beneath, subject, pid, start, created, expires)"
	       " VALUES (1, 0, 1, x'2f61', 0, 0, 1, 0)");
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, NULL), 0);
	assert_int_equal(ambit_record_rules(p->record, &filter, see_rule, &seen, NULL), 0);
	assert_int_equal(seen, 1);
	ambit_record_close(p->record);
	open_write(p);
	assert_int_equal(ambit_record_rules(p->record, &filter, see_rule, &seen, NULL), 0);
	assert_int_equal(seen, 2);
}

static void
a_failed_migration_changes_nothing(void **state)
{
	struct place *p = *state;

	open_write(p);
	ambit_record_close(p->record);
	p->record = NULL;
	assert_int_equal(unlink(p->db), 0);
	/* events is in the way of the schema, sessions would come before it */
	sql(p, "CREATE TABLE events (a); PRAGMA application_id = 1634558580");
	assert_int_equal(chmod(p->db, 0600), 0);
	refuses(p, AMBIT_RECORD_WRITE, EBADMSG, "move it away");
	sql(p, "CREATE TABLE sessions (a)"); /* is not there */
}

static void
damaged_pages_are_said_to_be_damaged(void **state)
{
	struct place *p = *state;
	char garbage[4096];
	struct ambit_error err = { 0 };
	struct stat st;
	struct seen seen = { 0 };

	open_write(p);
	for (int i = 0; i < 200; i++)
		assert_int_equal(append(p->record, "s", "x", json_pack("{s:i}", "n", i), NULL), 0);
	ambit_record_close(p->record);
	p->record = NULL;
	memset(garbage, 0xa5, sizeof(garbage));
	auto_close int fd = open(p->db, O_WRONLY);

	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		assert_int_equal(pwrite(fd, garbage, sizeof(garbage), at), sizeof(garbage));
	assert_int_equal(ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &err), 0);
	assert_int_equal(ambit_record_events(p->record, NULL, see, &seen, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "damaged"));
	assert_non_null(strstr(err.text, p->db));
	assert_int_equal(append(p->record, "s", "x", NULL, &err), -EBADMSG);
}

/* Permission bits do not bind root: another user tries, in another process. */
static int
as_nobody(struct place *p, int (*act)(struct place *p))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(99);
		_exit(act(p));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int
fails_to_write(struct place *p)
{
	int r = ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err);

	return r == -EACCES && strstr(p->err.text, p->top) && strstr(p->err.text, "permissions")
		       ? 0
		       : 1;
}

static int
fails_on_owner(struct place *p)
{
	int r = ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err);

	return r == -EPERM && strstr(p->err.text, "belongs to user") ? 0 : 1;
}

static int
fails_to_read(struct place *p)
{
	int r = ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err);

	return (r == -EROFS || r == -EACCES) && strstr(p->err.text, "copy the directory") ? 0 : 1;
}

static int
fails_to_change(struct place *p)
{
	int r = ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err);

	return (r == -EROFS || r == -EACCES) && strstr(p->err.text, "permissions") ? 0 : 1;
}

static int
make_one(struct place *p)
{
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0 ||
		append(p->record, "s", "x", NULL, NULL) < 0)
		return 1;
	ambit_record_close(p->record);
	return 0;
}

static int
sees_one(struct place *p)
{
	struct seen seen = { 0 };

	if (ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err) < 0 ||
		ambit_record_events(p->record, NULL, see, &seen, &p->err) < 0)
		return 1;
	ambit_record_close(p->record);
	return seen.n == 1 ? 0 : 2;
}

static int
remove_beside(struct place *p)
{
	static const char *const names[] = { LOCK_FILE, STORE_FILE "-wal", STORE_FILE "-shm" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *path = str_printf("%s/%s", p->state, names[i]);

		if (unlink(path) < 0)
			return 1;
	}
	return 0;
}

/* The files beside the database stay when nobody is there: a reader needs no
 * right to make them. */
static void
a_directory_that_cannot_be_written_can_be_read(void **state)
{
	struct place *p = *state;
	auto_free char *lock = str_printf("%s/" LOCK_FILE, p->state);

	assert_int_equal(chmod(p->top, 0777), 0);
	assert_int_equal(as_nobody(p, make_one), 0);
	assert_int_equal(chmod(p->state, 0500), 0);
	assert_int_equal(as_nobody(p, sees_one), 0);
	assert_int_equal(chmod(lock, 0400), 0);
	assert_int_equal(as_nobody(p, sees_one), 0);
	assert_int_equal(chmod(lock, 0600), 0);
	assert_int_equal(chmod(p->state, 0700), 0);
}

static void
a_directory_that_cannot_be_written_is_named(void **state)
{
	struct place *p = *state;

	assert_int_equal(chmod(p->top, 0555), 0);
	assert_int_equal(as_nobody(p, fails_to_write), 0);
	assert_int_equal(chmod(p->top, 0777), 0);
	assert_int_equal(as_nobody(p, make_one), 0);
	assert_int_equal(as_nobody(p, remove_beside), 0);
	assert_int_equal(chmod(p->state, 0500), 0);
	assert_int_equal(as_nobody(p, fails_to_change), 0);
	assert_int_equal(as_nobody(p, fails_to_read), 0);
	assert_int_equal(chmod(p->state, 0700), 0);
	assert_int_equal(chmod(p->db, 0400), 0);
	assert_int_equal(as_nobody(p, fails_to_change), 0);
}

static void
somebody_elses_directory_is_refused(void **state)
{
	struct place *p = *state;

	if (geteuid() != 0)
		skip();
	open_write(p);
	assert_int_equal(chmod(p->top, 0755), 0);
	snprintf(p->state, sizeof(p->state), "%s/a", p->top);
	assert_int_equal(chmod(p->state, 0755), 0);
	assert_int_equal(as_nobody(p, fails_on_owner), 0);
}

/* -- many at once ------------------------------------------------------------------ */

#define OPENERS 12

/* One of them reads: it may find nothing yet, but nothing else that is wrong. */
static int
open_one(struct place *p, int gate, int n)
{
	char byte;

	if (read(gate, &byte, 1) != 0) /* all at once, when the other end closes */
		return 1;
	if (n == 0) {
		int r = ambit_record_open(p->state, AMBIT_RECORD_READ, &p->record, &p->err);

		return r == 0 || r == -ENOENT ? 0 : 2;
	}
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0)
		return 2;
	if (append(p->record, "s", "x", NULL, &p->err) < 0)
		return 2;
	/* The last one that closes removes the log; those that exit do not. */
	if (n % 2)
		ambit_record_close(p->record);
	return 0;
}

static void
open_round(struct place *p)
{
	int gate[2], status, failed = 0;
	pid_t pids[OPENERS];

	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < OPENERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			close(gate[1]);
			int r = open_one(p, gate[0], i);

			if (r)
				fprintf(stderr, "%d: %s\n", i, p->err.text);
			_exit(r);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < OPENERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
	assert_int_equal(failed, 0);
}

static void
many_processes_open_a_new_directory_at_once(void **state)
{
	struct place *p = *state;

	for (int i = 0; i < rounds(30, 200); i++) {
		snprintf(p->state, sizeof(p->state), "%s/%d/state", p->top, i);
		open_round(p);
		open_write(p);
		assert_int_equal(verify(p), OPENERS - 1);
		ambit_record_close(p->record);
		p->record = NULL;
	}
}

/* -- full disk ---------------------------------------------------------------------- */

static int
fill_up(struct place *p)
{
	struct rlimit limit = { 256 << 10, 256 << 10 };
	char piece[4000];
	int r = 0;

	signal(SIGXFSZ, SIG_IGN);
	memset(piece, 'x', sizeof(piece));
	if (ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err) < 0 ||
		setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 1;
	/* A reader with an old snapshot keeps the log from being started over. */
	sqlite3 *reader;

	if (sqlite3_open(p->db, &reader) != SQLITE_OK ||
		sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM events", NULL, NULL, NULL) !=
			SQLITE_OK)
		return 2;
	for (int i = 0; i < 1000 && r == 0; i++)
		r = append(p->record, "s", "x", json_pack("{s:s%}", "a", piece, sizeof(piece)),
			&p->err);
	if (r == 0 || p->err.code != -r || !strstr(p->err.text, p->db) ||
		!strstr(p->err.text, "full"))
		return 3;
	/* It stays an error, and never a crash. */
	r = append(p->record, "s", "x", json_pack("{s:s%}", "a", piece, sizeof(piece)), &p->err);
	return r < 0 ? 0 : 4;
}

static void
a_full_disk_is_an_error_and_the_chain_holds(void **state)
{
	struct place *p = *state;
	int status, n;

	open_write(p);
	for (n = 0; n < 3; n++)
		assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	ambit_record_close(p->record);
	p->record = NULL;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fill_up(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	open_write(p);
	int64_t kept = verify(p);

	assert_true(kept > n);
	assert_int_equal(append(p->record, "s", "x", NULL, NULL), 0);
	assert_int_equal(verify(p), kept + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_everything_private_whatever_the_umask),
		TEST(reading_creates_nothing),
		TEST(a_reader_sees_but_cannot_write),
		TEST(a_reader_sees_what_a_killed_writer_left_in_the_log),
		TEST(who_leaves_is_found_to_have_closed),
		TEST(refuses_a_directory_or_file_that_others_can_write),
		TEST(refuses_symbolic_links_and_other_objects),
		TEST(a_link_above_the_state_directory_is_the_persons_own),
		TEST(refuses_what_is_no_database),
		TEST(refuses_the_database_of_another_program),
		TEST(refuses_a_newer_schema),
		TEST(a_record_of_schema_1_is_read_and_brought_up),
		TEST(brings_up_an_empty_file_and_one_without_tables),
		TEST(a_failed_migration_changes_nothing),
		TEST(damaged_pages_are_said_to_be_damaged),
		TEST(a_directory_that_cannot_be_written_can_be_read),
		TEST(a_directory_that_cannot_be_written_is_named),
		TEST(somebody_elses_directory_is_refused),
		TEST(many_processes_open_a_new_directory_at_once),
		TEST(a_full_disk_is_an_error_and_the_chain_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
