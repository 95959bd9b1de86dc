/* SPDX-License-Identifier: Apache-2.0 */
/* Whose database this is, and which schema it has. A new file gets the
 * schema, an older one is brought up, in one transaction; anything else is
 * refused before it is touched. */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/program.h"
#include "base/str.h"
#include "record/store.h"
#include "record/vfs.h"

/* subject, root and project are blobs: paths are bytes and are compared as
 * bytes. Nothing is ever deleted from rules and events. */
/* clang-format off */
static const char schema_1[] =
	"CREATE TABLE sessions ("
	" name TEXT PRIMARY KEY NOT NULL,"
	" root BLOB,"
	" display_root BLOB,"
	" created INTEGER NOT NULL,"
	" updated INTEGER NOT NULL,"
	" agent_mode INTEGER NOT NULL,"
	" sandbox_mode INTEGER NOT NULL,"
	" ask_mode INTEGER NOT NULL,"
	" reads INTEGER NOT NULL,"
	" wrote INTEGER NOT NULL CHECK (wrote IN (0, 1))"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE permissions ("
	" session TEXT NOT NULL,"
	" place INTEGER NOT NULL,"
	" tool BLOB NOT NULL,"
	" permission INTEGER NOT NULL,"
	" PRIMARY KEY (session, place)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE rules ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" yes INTEGER NOT NULL CHECK (yes IN (0, 1)),"
	" op INTEGER NOT NULL,"
	" beneath INTEGER NOT NULL CHECK (beneath IN (0, 1)),"
	" subject BLOB NOT NULL,"
	" label TEXT,"
	" session TEXT,"
	" project BLOB,"
	" pid INTEGER NOT NULL,"
	" start INTEGER NOT NULL,"
	" created INTEGER NOT NULL,"
	" expires INTEGER NOT NULL,"
	" revoked INTEGER NOT NULL DEFAULT 0,"
	" message TEXT,"
	" source TEXT"
	") STRICT;"
	"CREATE INDEX rules_session ON rules (session);"
	"CREATE TABLE events ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" session TEXT NOT NULL,"
	" seq INTEGER NOT NULL,"
	" time INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" tool TEXT,"
	" verdict TEXT,"
	" code TEXT,"
	" subject TEXT,"
	" body TEXT NOT NULL,"
	" hash TEXT NOT NULL,"
	" UNIQUE (session, seq)"
	") STRICT;"
	"CREATE TABLE heads ("
	" session TEXT PRIMARY KEY NOT NULL,"
	" seq INTEGER NOT NULL,"
	" hash TEXT NOT NULL"
	") STRICT, WITHOUT ROWID;";
/* clang-format on */

/* Each row brings a database from the version before to its own. */
static const struct migration {
	int to;
	const char *sql;
	const char *text;
} migrations[] = {
	{
		.to = 1,
		.sql = schema_1,
		.text = "sessions, permissions, rules, events and the heads of their chains",
	},
	{
		.to = 2,
		.sql = "ALTER TABLE rules ADD COLUMN"
		       " names INTEGER NOT NULL DEFAULT 0 CHECK (names IN (0, 1));",
		.text = "rules for every name that begins like a file's",
	},
};

struct identity {
	int64_t application;
	int64_t version;
	int64_t objects;
};

static int
execute_sql(struct ambit_record *record, const char *sql, struct ambit_error *err)
{
	int rc = sqlite3_exec(record->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_fail(record, rc, err);
}

/* Inside a transaction, or the three numbers are of three different moments. */
static int
read_identity(struct ambit_record *record, struct identity *ret_identity, struct ambit_error *err)
{
	struct identity id = { 0 };
	int r = store_number(record, "PRAGMA user_version", &id.version, err);

	if (r == 0)
		r = store_number(record, "PRAGMA application_id", &id.application, err);
	/* Nobody asks how many there are in one that is ours. */
	if (r == 0 && (id.version != RECORD_SCHEMA || id.application != STORE_APPLICATION_ID))
		r = store_number(record, "SELECT count(*) FROM sqlite_schema", &id.objects, err);
	if (r == 0)
		*ret_identity = id;
	return r;
}

/* The same in a read transaction of its own: while another process makes the
 * schema, this one sees all of it or nothing. */
static int
read_identity_once(
	struct ambit_record *record, struct identity *ret_identity, struct ambit_error *err)
{
	int r = execute_sql(record, "BEGIN", err);

	if (r < 0)
		return r;
	r = read_identity(record, ret_identity, err);
	return store_end(record, r, err);
}

/* A file that somebody emptied looks like one that is new, and SQLite drops
 * the log beside it: that a record was lost can only be told from a head that
 * was noted elsewhere. */
static int
refuse_foreign(
	const struct ambit_record *record, const struct identity *id, struct ambit_error *err)
{
	bool empty = id->application == 0 && id->version == 0 && id->objects == 0;

	if (!empty && id->application != STORE_APPLICATION_ID)
		return err_set(err, EBADMSG,
			"%s: the database of another program: move it away, a new one will be made",
			record->path);
	if (id->version > RECORD_SCHEMA || id->version < 0)
		return err_set(err, EPROTO,
			"%s: was written by a newer ambit (schema %lld, this one knows %d): "
			"use that one, or move the file away",
			record->path, (long long)id->version, RECORD_SCHEMA);
	return 0;
}

/* Two that open a new file at once both want it exclusively for a moment, and
 * SQLite answers that with "busy" without waiting. */
static int
set_wal(struct ambit_record *record, struct ambit_error *err)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	int64_t until = clock_steady() + STORE_BUSY_MS;

	for (;;) {
		auto_stmt sqlite3_stmt *stmt = NULL;
		int r = store_prepare(record, "PRAGMA journal_mode = WAL", &stmt, err);

		if (r < 0 && r != -EBUSY)
			return r;
		int rc = r < 0 ? SQLITE_BUSY : sqlite3_step(stmt);

		if (rc == SQLITE_ROW) {
			const char *mode = (const char *)sqlite3_column_text(stmt, 0);

			if (mode && streq(mode, "wal"))
				return 0;
			return err_set(err, ENOTSUP,
				"%s: its file system cannot hold a shared database: choose another "
				"state directory",
				record->path);
		}
		if ((rc & 0xff) != SQLITE_BUSY || clock_steady() > until)
			return store_fail(record, rc, err);
		nanosleep(&pause, NULL);
	}
}

/* Inside a transaction: whoever came first has done it already. */
static int
run_migrations(struct ambit_record *record, struct ambit_error *err)
{
	struct identity id;
	int r = read_identity(record, &id, err);

	if (r == 0)
		r = refuse_foreign(record, &id, err);
	for (size_t i = 0; r == 0 && i < sizeof(migrations) / sizeof(migrations[0]); i++)
		if (migrations[i].to > id.version)
			r = execute_sql(record, migrations[i].sql, err);
	if (r < 0 || id.version == RECORD_SCHEMA)
		return r;
	char sql[96]; /* a pragma takes no parameters */

	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		STORE_APPLICATION_ID, RECORD_SCHEMA);
	return execute_sql(record, sql, err);
}

static int
check_write(struct ambit_record *record, const struct identity *id, struct ambit_error *err)
{
	/* Of a file that is new: pages that are free can be given back a few at a time. */
	int r = id->version == 0 && id->objects == 0
			? execute_sql(record, "PRAGMA auto_vacuum = INCREMENTAL", err)
			: 0;

	if (r == 0 && !vfs_has_log(record->vfs))
		r = set_wal(record, err);

	/* The log survives the process without a sync for every event; only a
	 * crash of the whole machine may take the last ones, never the chain. */
	if (r == 0)
		r = execute_sql(
			record, "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON", err);
	record->schema = RECORD_SCHEMA;
	if (r < 0 || id->version == RECORD_SCHEMA)
		return r;
	r = store_begin(record, err);
	return r < 0 ? r : store_end(record, run_migrations(record, err), err);
}

static int
check_read(struct ambit_record *record, const struct identity *id, struct ambit_error *err)
{
	if (id->version == 0)
		return err_set(err, ENOENT, "%s: nothing has been recorded yet", record->path);
	/* An older one is read as it is. */
	record->schema = (int)id->version;
	return 0;
}

/* Reading a WAL database needs its -shm file, which cannot be made where
 * nothing can be. Reading on without it would show old or torn pages while
 * somebody else writes, so this is said instead. */
static int
explain_read(struct ambit_record *record, int r, struct ambit_error *err)
{
	if (record->writable || (r != -EROFS && r != -EACCES))
		return r;
	return err_set(err, -r,
		"%s: cannot be read where its directory cannot be written: copy the directory "
		"(with the -wal file, if any) to a place of your own and read it there",
		record->path);
}

/* SQLite would read on from a log that holds all the pages it looks for, and
 * later move them into a file that is something else by now. */
static int
check_header(struct ambit_record *record, bool *ret_empty, struct ambit_error *err)
{
	static const char magic[] = "SQLite format 3";
	sqlite3_file *file = NULL;
	char begin[sizeof(magic)] = "";
	sqlite3_int64 size = 0;
	int rc = sqlite3_file_control(record->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);

	if (rc == SQLITE_OK)
		rc = file->pMethods->xFileSize(file, &size);
	if (rc == SQLITE_OK && size > 0)
		rc = file->pMethods->xRead(file, begin, sizeof(begin), 0);
	if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
		return store_fail(record, rc, err);
	if (size > 0 && memcmp(begin, magic, sizeof(magic)) != 0)
		return store_fail(record, SQLITE_NOTADB, err);
	*ret_empty = size == 0;
	return 0;
}

static int
check_schema(struct ambit_record *record, struct ambit_error *err)
{
	struct identity id;
	int r = read_identity_once(record, &id, err);

	if (r < 0)
		return explain_read(record, r, err);
	r = refuse_foreign(record, &id, err);
	if (r < 0)
		return r;
	return record->writable ? check_write(record, &id, err) : check_read(record, &id, err);
}

/* An empty file has no log yet, and so only the locks of the file itself, for
 * which SQLite has no queue: of a thousand that come at once, one makes the
 * database and the others find it made. */
static int
make_in_turn(struct ambit_record *record, struct ambit_error *err)
{
	const unsigned making = 1u << STORE_MAKING;
	struct locks_wait wait = { 0 };
	int r;

	while (locks_take(record->locks, making, true) < 0)
		if (!locks_wait(record->locks, &wait))
			return store_fail(record, SQLITE_BUSY, err);
	r = check_schema(record, err);
	locks_drop(record->locks, making, true);
	return r;
}

int
migrate_check(struct ambit_record *record, struct ambit_error *err)
{
	bool empty = false;
	int r = check_header(record, &empty, err);

	if (r < 0)
		return r;
	return empty && record->writable ? make_in_turn(record, err) : check_schema(record, err);
}
