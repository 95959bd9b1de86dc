/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: what is restored under a name. Every change of a stored session's
 * modes or permissions is an event in its chain, written with the change or
 * not at all. A row whose numbers mean nothing is refused: a mode that is not
 * understood must not become a looser one. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/str.h"
#include "record/redact/redact.h"
#include "record/session.h"
#include "record/store.h"
#include "record/upkeep.h"

const struct session_mode session_modes[SESSION_MODES] = {
	{
		.name = "agent_mode",
		.words = ambit_agent_modes,
		.offset = offsetof(struct ambit_session, agent_mode),
	},
	{
		.name = "sandbox_mode",
		.words = ambit_sandbox_modes,
		.offset = offsetof(struct ambit_session, sandbox_mode),
	},
	{
		.name = "ask_mode",
		.words = ambit_ask_modes,
		.offset = offsetof(struct ambit_session, ask_mode),
	},
	{
		.name = "reads",
		.words = ambit_reads_words,
		.offset = offsetof(struct ambit_session, reads),
	},
};

int
session_mode(const struct ambit_session *session, size_t i)
{
	return *(const int *)((const char *)session + session_modes[i].offset);
}

static bool
has_word(const struct ambit_word *words, int value)
{
	for (; words->name; words++)
		if (words->value == value)
			return true;
	return false;
}

void
ambit_session_finish(struct ambit_session *session)
{
	if (!session)
		return;
	free(session->name);
	free(session->root);
	free(session->display_root);
	for (size_t i = 0; i < session->n_permissions; i++)
		free(session->permissions[i].tool);
	free(session->permissions);
	*session = (struct ambit_session){ 0 };
}

bool
ambit_session_name_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t len = name ? strspn(name, letters) : 0;

	return len >= 1 && len <= 64 && name[len] == '\0' && name[0] != '.' && name[0] != '-';
}

/* A tool is stored as it is, because it is matched: a name that has a secret
 * in it cannot be. */
static bool
has_secret(const char *tool)
{
	auto_buf struct buf shown = { 0 };

	return redact_append(&shown, tool, strlen(tool)) > 0;
}

static bool
is_valid_session(const struct ambit_session *session)
{
	for (size_t i = 0; i < SESSION_MODES; i++)
		if (session_mode(session, i) != -1 &&
			!has_word(session_modes[i].words, session_mode(session, i)))
			return false;
	for (size_t i = 0; i < session->n_permissions; i++) {
		const struct ambit_tool_permission *p = &session->permissions[i];

		if (!p->tool || !str_is_utf8(p->tool, strlen(p->tool)) ||
			!has_word(ambit_permissions, (int)p->permission))
			return false;
	}
	return true;
}

/* -- loading ---------------------------------------------------------------- */

static int
add_permission(struct ambit_session *session, sqlite3_stmt *stmt)
{
	size_t n = session->n_permissions;
	struct ambit_tool_permission *bigger =
		realloc(session->permissions, (n + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	session->permissions = bigger;
	bigger[n] = (struct ambit_tool_permission){
		.permission = (enum ambit_permission)sqlite3_column_int(stmt, 1),
	};
	int r = store_column(stmt, 0, &bigger[n].tool);

	if (r == 0)
		session->n_permissions++;
	return r;
}

static int
row_error(struct ambit_record *record, int r, struct ambit_error *err)
{
	if (r == -ENOMEM)
		return err_nomem(err);
	return store_damaged(record, err, "a session that cannot be understood");
}

static int
load_permissions(
	struct ambit_record *record, struct ambit_session *session, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int rc, r = store_prepare(record,
			"SELECT tool, permission FROM permissions"
			" WHERE session = ?1 ORDER BY place",
			&stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session->name);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_permission(session, stmt);
		if (r < 0)
			return row_error(record, r, err);
	}
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

/* A session is as new as its last event. */
#define UPDATED                                                                                    \
	"max(updated, coalesce((SELECT time FROM events WHERE session = name"                      \
	" ORDER BY seq DESC LIMIT 1), 0))"
#define SELECT                                                                                     \
	"SELECT name, root, display_root, created, " UPDATED " AS newest,"                         \
	" agent_mode, sandbox_mode, ask_mode, reads, wrote,"                                       \
	" (SELECT count(*) FROM events WHERE session = name) FROM sessions"

static int
read_row(sqlite3_stmt *stmt, struct ambit_session *session)
{
	int r = store_column(stmt, 0, &session->name);

	if (r == 0)
		r = store_column(stmt, 1, &session->root);
	if (r == 0)
		r = store_column(stmt, 2, &session->display_root);
	session->created = sqlite3_column_int64(stmt, 3);
	session->updated = sqlite3_column_int64(stmt, 4);
	session->agent_mode = sqlite3_column_int(stmt, 5);
	session->sandbox_mode = sqlite3_column_int(stmt, 6);
	session->ask_mode = sqlite3_column_int(stmt, 7);
	session->reads = sqlite3_column_int(stmt, 8);
	session->wrote = sqlite3_column_int(stmt, 9) != 0;
	session->events = sqlite3_column_int64(stmt, 10);
	return r;
}

/* Fills session, which the caller finishes whatever comes back. */
static int
load_row(struct ambit_record *record, sqlite3_stmt *stmt, struct ambit_session *session,
	struct ambit_error *err)
{
	int r = read_row(stmt, session);

	if (r < 0)
		return row_error(record, r, err);
	r = load_permissions(record, session, err);
	if (r == 0 && !is_valid_session(session))
		r = row_error(record, -EBADMSG, err);
	return r;
}

int
ambit_record_session_load(struct ambit_record *record, const char *name,
	struct ambit_session *ret_session, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	struct ambit_session session = { 0 };
	int r = store_prepare(record, SELECT " WHERE name = ?1", &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, name);
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_DONE)
		return err_set(err, ENOENT, "no session named %s", name);
	if (rc != SQLITE_ROW)
		return store_fail(record, rc, err);
	r = load_row(record, stmt, &session, err);
	if (r < 0) {
		ambit_session_finish(&session);
		return r;
	}
	*ret_session = session;
	return 0;
}

int
ambit_record_sessions(struct ambit_record *record,
	int (*each)(void *data, const struct ambit_session *session), void *data,
	struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int rc, r = store_prepare(
			record, SELECT " ORDER BY newest DESC, created DESC, name", &stmt, err);

	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct ambit_session session = { 0 };
		bool stop = false;

		r = load_row(record, stmt, &session, err);
		if (r == 0) {
			r = each(data, &session);
			stop = r != 0;
		}
		ambit_session_finish(&session);
		if (r < 0 || stop)
			return r < 0 ? r : 0;
	}
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

/* -- storing ---------------------------------------------------------------- */

#define INSERT                                                                                     \
	"INSERT INTO sessions (name, root, display_root, created, updated, agent_mode,"            \
	" sandbox_mode, ask_mode, reads, wrote) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
#define UPSERT                                                                                     \
	INSERT " ON CONFLICT (name) DO UPDATE SET root = ?2, display_root = ?3, updated = ?5,"     \
	       " agent_mode = ?6, sandbox_mode = ?7, ask_mode = ?8, reads = ?9, wrote = ?10"

static int
write_row(struct ambit_record *record, const char *sql, const struct ambit_session *session,
	struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t now = clock_now();
	int r = store_prepare(record, sql, &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session->name);
	store_bind_raw(stmt, 2, session->root);
	store_bind_raw(stmt, 3, session->display_root);
	sqlite3_bind_int64(stmt, 4, session->created ? session->created : now);
	sqlite3_bind_int64(stmt, 5, now);
	for (size_t i = 0; i < SESSION_MODES; i++)
		sqlite3_bind_int(stmt, 6 + (int)i, session_mode(session, i));
	sqlite3_bind_int(stmt, 10, session->wrote);
	return store_run(record, stmt, err);
}

static int
write_permissions(
	struct ambit_record *record, const struct ambit_session *session, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *clear = NULL, *add = NULL;
	int r = store_prepare(record, "DELETE FROM permissions WHERE session = ?1", &clear, err);

	if (r == 0) {
		store_bind_text(clear, 1, session->name);
		r = store_run(record, clear, err);
	}
	if (r == 0)
		r = store_prepare(record,
			"INSERT INTO permissions (session, place, tool, permission)"
			" VALUES (?1, ?2, ?3, ?4)",
			&add, err);
	for (size_t i = 0; r == 0 && i < session->n_permissions; i++) {
		store_bind_text(add, 1, session->name);
		sqlite3_bind_int64(add, 2, (sqlite3_int64)i);
		store_bind_raw(add, 3, session->permissions[i].tool);
		sqlite3_bind_int(add, 4, (int)session->permissions[i].permission);
		r = store_run(record, add, err);
	}
	return r;
}

static int
check_storable(const struct ambit_session *session, struct ambit_error *err)
{
	if (!ambit_session_name_valid(session->name) || !is_valid_session(session))
		return err_set(
			err, EINVAL, "a session with this name or these modes cannot be stored");
	for (size_t i = 0; i < session->n_permissions; i++)
		if (has_secret(session->permissions[i].tool))
			return err_set(err, EINVAL,
				"a permission for a tool whose name looks like a secret cannot be "
				"stored: use '*' for a part of it");
	return 0;
}

int
record_session_store(
	struct ambit_record *record, const struct ambit_session *session, struct ambit_error *err)
{
	struct ambit_session old = { 0 };
	int found, r = check_storable(session, err);

	if (r == 0)
		r = store_begin(record, err);
	if (r < 0)
		return r;
	found = ambit_record_session_load(record, session->name, &old, err);
	r = found == -ENOENT ? 0 : found;
	if (r == 0)
		r = write_row(record, found == 0 ? UPSERT : INSERT, session, err);
	if (r == 0)
		r = write_permissions(record, session, err);
	if (r == 0)
		r = session_events(record, found == 0 ? &old : NULL, session, err);
	ambit_session_finish(&old);
	return store_end(record, r, err);
}

int
record_session_later(
	struct ambit_record *record, const struct ambit_session *session, struct ambit_error *err)
{
	struct ambit_session copy = *session;
	int r = session->n_permissions > 0 ? err_set(err, EINVAL, "a new session has permissions")
					   : check_storable(session, err);

	if (r < 0)
		return r;
	copy.name = strdup(session->name);
	copy.root = str_dup(session->root);
	copy.display_root = str_dup(session->display_root);
	copy.permissions = NULL;
	if (!copy.name || (session->root && !copy.root) ||
		(session->display_root && !copy.display_root)) {
		ambit_session_finish(&copy);
		return err_nomem(err);
	}
	ambit_session_finish(&record->waiting);
	record->waiting = copy;
	return 0;
}

int
record_session_now(struct ambit_record *record, struct ambit_error *err)
{
	int r = record->waiting.name ? store_begin(record, err) : 1;

	return r == 1 ? 0 : r < 0 ? r : store_end(record, 0, err);
}

int
session_write_waiting(struct ambit_record *record, struct ambit_error *err)
{
	int r;

	if (!record->waiting.name)
		return 0;
	r = write_row(record, INSERT, &record->waiting, err);
	return r < 0 ? r : session_events(record, NULL, &record->waiting, err);
}

int
record_session_wrote(struct ambit_record *record, const char *name, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int r = store_begin(record, err);

	if (r < 0)
		return r;
	r = store_prepare(record, "UPDATE sessions SET wrote = 1 WHERE name = ?1", &stmt, err);
	if (r == 0) {
		store_bind_text(stmt, 1, name);
		r = store_run(record, stmt, err);
	}
	if (r == 0 && sqlite3_changes(record->db) == 0)
		r = err_set(err, ENOENT, "no session named %s", name);
	return store_end(record, r, err);
}
