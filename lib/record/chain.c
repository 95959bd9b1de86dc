/* SPDX-License-Identifier: Apache-2.0 */
/* The hash chain: how a link is computed, and the check of whole chains.
 * Trusts nothing in the file: bytes are taken as they are, and a row that
 * cannot be right is a broken link, not an error. It shows that something was
 * changed by hand; whoever can rewrite the whole file can compute a whole new
 * chain, which only a head noted elsewhere gives away.
 *
 * The hash of an event is the SHA-256 of this JSON text, in UTF-8, without
 * spaces or a newline:
 *
 *   [previous hash, session, seq, time, kind, tool, verdict, code, subject, body]
 *
 * seq and time are numbers, the rest strings, or null where the column is
 * NULL; body is a string that holds JSON. The previous hash of the first
 * event is 64 zeros. No column holds control bytes, so this is also what
 * SQLite's json_array() makes, and one link can be checked by hand:
 *
 *   sqlite3 ambit.db "SELECT json_array(
 *     coalesce((SELECT hash FROM events WHERE session=e.session AND seq=e.seq-1),
 *       printf('%064d', 0)),
 *     session, seq, time, kind, tool, verdict, code, subject, body)
 *     FROM events e WHERE session='NAME' AND seq=N" | tr -d '\n' | sha256sum */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "record/store.h"

const char chain_start[HASH_HEX] =
	"0000000000000000000000000000000000000000000000000000000000000000";

/* Runs of harmless bytes are copied at once: a body is mostly those. */
static void
put_string(struct buf *buf, const char *text, size_t len)
{
	size_t from = 0;

	buf_putc(buf, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c != '"' && c != '\\' && c >= 0x20)
			continue;
		buf_append(buf, text + from, i - from);
		from = i + 1;
		if (c < 0x20)
			buf_printf(buf, "\\u%04x", c);
		else
			buf_append(buf, (const char[]){ '\\', (char)c }, 2);
	}
	buf_append(buf, text + from, len - from);
	buf_putc(buf, '"');
}

static void
put_text(struct buf *buf, const struct chain_text *text)
{
	if (text->data)
		put_string(buf, text->data, text->len);
	else
		buf_puts(buf, "null");
}

int
chain_hash(const char *previous, const struct chain_link *link, char ret_hex[HASH_HEX])
{
	auto_buf struct buf buf = { 0 };

	buf_putc(&buf, '[');
	put_string(&buf, previous, strlen(previous));
	buf_putc(&buf, ',');
	put_text(&buf, &link->session);
	buf_printf(&buf, ",%lld,%lld", (long long)link->seq, (long long)link->time);
	for (size_t i = 0; i < FIELD_N; i++) {
		buf_putc(&buf, ',');
		put_text(&buf, &link->fields[i]);
	}
	buf_putc(&buf, ']');
	if (buf.failed)
		return -ENOMEM;
	hash_sha256(buf.data, buf.len, ret_hex);
	return 0;
}

/* -- checking --------------------------------------------------------------- */

struct check {
	const char *session;
	int64_t events;
	int64_t last;	 /* seq of the last link that was seen */
	int64_t last_id; /* rows are stored in the order of their seq */
	char hash[HASH_HEX];
	int64_t broken;
	char why[256];
};

static void __attribute__((format(printf, 3, 4)))
broken(struct check *c, int64_t seq, const char *fmt, ...)
{
	va_list ap;

	if (c->broken)
		return;
	c->broken = seq > 0 ? seq : 1;
	va_start(ap, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
}

static struct chain_text
read_text_column(sqlite3_stmt *stmt, int n)
{
	struct chain_text text = { 0 };

	if (sqlite3_column_type(stmt, n) == SQLITE_NULL)
		return text;
	text.data = sqlite3_column_blob(stmt, n);
	text.len = (size_t)sqlite3_column_bytes(stmt, n);
	if (!text.data)
		text.data = ""; /* an empty text has no bytes */
	return text;
}

static bool
is_object(const struct chain_text *body)
{
	auto_json json_t *value = NULL;

	return json_parse(body->data, body->len, &value, NULL) == 0 && json_is_object(value);
}

static void
check_order(struct check *c, int64_t id, int64_t seq)
{
	if (seq < 1)
		broken(c, 1, "an event with the number %lld stands before the first",
			(long long)seq);
	else if (c->events > 0 && seq == c->last)
		broken(c, seq, "there is more than one event with this number");
	else if (seq != c->last + 1)
		broken(c, c->last + 1, "it is missing: the next one is %lld", (long long)seq);
	else if (c->events > 0 && id <= c->last_id)
		broken(c, seq, "it was stored before the one it follows");
}

/* Columns: id, seq, time, the six fields, hash. */
static int
check_row(struct check *c, sqlite3_stmt *stmt)
{
	struct chain_link link = {
		.session = { c->session, strlen(c->session) },
		.seq = sqlite3_column_int64(stmt, 1),
		.time = sqlite3_column_int64(stmt, 2),
	};
	struct chain_text stored = read_text_column(stmt, 9);
	char hash[HASH_HEX];

	for (int i = 0; i < FIELD_N; i++)
		link.fields[i] = read_text_column(stmt, 3 + i);
	check_order(c, sqlite3_column_int64(stmt, 0), link.seq);
	if (chain_hash(c->hash, &link, hash) < 0)
		return -ENOMEM;
	if (stored.len != HASH_HEX - 1 || memcmp(stored.data, hash, stored.len) != 0)
		broken(c, link.seq,
			"it does not match its hash: it was changed, or the one before");
	else if (!link.fields[FIELD_BODY].data || !is_object(&link.fields[FIELD_BODY]))
		broken(c, link.seq, "its body is not a JSON object");
	memcpy(c->hash, hash, sizeof(hash));
	c->events++;
	c->last = link.seq;
	c->last_id = sqlite3_column_int64(stmt, 0);
	return 0;
}

static int
check_rows(struct ambit_record *record, struct check *c, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int rc, r = store_prepare(record,
			"SELECT id, seq, time, kind, tool, verdict, code, subject, body, hash"
			" FROM events WHERE session = ?1 ORDER BY seq, id",
			&stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, c->session);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		if (check_row(c, stmt) < 0)
			return err_nomem(err);
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

/* The head tells how long the chain was: without it, cutting off the end
 * would leave a chain that holds. */
static int
check_head(struct ambit_record *record, struct check *c, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int rc, r = store_prepare(
			record, "SELECT seq, hash FROM heads WHERE session = ?1", &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, c->session);
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return store_fail(record, rc, err);
	if (rc == SQLITE_DONE) {
		broken(c, c->last, c->events ? "the chain has no head" : "all events are gone");
		return 0;
	}
	int64_t seq = sqlite3_column_int64(stmt, 0);
	struct chain_text hash = read_text_column(stmt, 1);

	if (seq > c->last)
		broken(c, c->last + 1, "the end is cut off: there were %lld events",
			(long long)seq);
	else if (seq < c->last)
		broken(c, seq + 1, "it stands behind the head of the chain (%lld)", (long long)seq);
	else if (hash.len != HASH_HEX - 1 || !hash.data ||
		 memcmp(hash.data, c->hash, hash.len) != 0)
		broken(c, seq, "the head of the chain has another hash");
	return 0;
}

/* One snapshot: an event that is being appended must not look like a cut. */
static int
check_chain(struct ambit_record *record, struct check *c, struct ambit_error *err)
{
	int rc = sqlite3_exec(record->db, "SAVEPOINT verify", NULL, NULL, NULL);
	int r = rc == SQLITE_OK ? 0 : store_fail(record, rc, err);

	memcpy(c->hash, chain_start, sizeof(c->hash));
	if (r < 0)
		return r;
	r = check_rows(record, c, err);
	if (r == 0)
		r = check_head(record, c, err);
	sqlite3_exec(record->db, "RELEASE verify", NULL, NULL, NULL);
	return r;
}

/* Every name that any table knows: a chain whose events are all gone is still
 * a chain. */
static int
list_chains(struct ambit_record *record, const char *session, char ***ret_names,
	struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	char **names = NULL;
	int rc, r = store_prepare(record,
			"SELECT name FROM (SELECT session AS name FROM heads"
			" UNION SELECT session FROM events UNION SELECT name FROM sessions)"
			" WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
			&stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (!name || strv_append(&names, name) < 0) {
			strv_free(names);
			return err_nomem(err);
		}
	}
	if (rc != SQLITE_DONE) {
		strv_free(names);
		return store_fail(record, rc, err);
	}
	*ret_names = names;
	return 0;
}

static int
check_each_chain(struct ambit_record *record, char *const *names,
	int (*each)(void *data, const struct ambit_chain *chain), void *data,
	struct ambit_error *err)
{
	for (; names && *names; names++) {
		struct check c = { .session = *names };
		int r = check_chain(record, &c, err);

		if (r < 0)
			return r;
		struct ambit_chain chain = {
			.session = c.session,
			.events = c.events,
			.broken = c.broken,
			.why = c.broken ? c.why : NULL,
			.head = c.hash,
		};

		r = each(data, &chain);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return 0;
}

int
ambit_record_verify(struct ambit_record *record, const char *session,
	int (*each)(void *data, const struct ambit_chain *chain), void *data,
	struct ambit_error *err)
{
	char **names = NULL;
	int r = list_chains(record, session, &names, err);

	if (r < 0)
		return r;
	if (session && !names)
		return err_set(err, ENOENT, "no session named %s", session);
	r = check_each_chain(record, names, each, data, err);
	strv_free(names);
	return r;
}
