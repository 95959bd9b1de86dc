/* SPDX-License-Identifier: Apache-2.0 */
/* Many events that are alike -> few that say how many. A program behind the
 * line can be refused a hundred thousand times a second, each time under
 * another name, and names, programs and places are its own to choose: so there
 * is a fixed number of rows, and whoever comes late is counted more coarsely.
 * Trusts the engine for what happened. Nothing is left out silently: a count
 * stands in the chain as an event of its own. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/store.h"
#include "record/tally.h"

enum part {
	PART_SESSION = 0,
	PART_KIND,
	PART_TOOL,
	PART_VERDICT,
	PART_CODE,
	PART_PLACE,
	PART_PROGRAM,
	PARTS,
};

struct row {
	char *parts[PARTS];
	int written;   /* events of this kind that were written one by one */
	bool told;     /* an event says that they are counted for good */
	int64_t count; /* not written yet; the rest is about these */
	int64_t first; /* times */
	int64_t last;
};

struct tally {
	struct row rows[TALLY_ROWS];
	size_t n;
	int detailed;	   /* refusals written one by one, in this stretch */
	int64_t stretch;   /* when that began */
	int64_t pending;   /* rows with a count */
	int64_t since;	   /* steady: the oldest count that is not written */
	int64_t wrote;	   /* steady: when counts were last written */
	int64_t summaries; /* events that were made of counts */
	char session[65];  /* whose share this is */
	int64_t share;	   /* events in its chain */
	int64_t heavy;	   /* and what large ones count beyond that */
};

struct tally *
tally_create(void)
{
	return calloc(1, sizeof(struct tally));
}

static void
finish_row(struct row *row)
{
	for (size_t i = 0; i < PARTS; i++)
		free(row->parts[i]);
	*row = (struct row){ 0 };
}

void
tally_destroy(struct tally *tally)
{
	for (size_t i = 0; tally && i < tally->n; i++)
		finish_row(&tally->rows[i]);
	free(tally);
}

void
tally_note(struct tally *tally, const char *session, int64_t seq, size_t body)
{
	if (!streq(tally->session, session)) {
		snprintf(tally->session, sizeof(tally->session), "%s", session);
		tally->heavy = 0;
	}
	tally->share = seq;
	tally->heavy += (int64_t)(body / TALLY_EVENT_BYTES);
}

/* -- rows -------------------------------------------------------------------------- */

/* "~/data/a/b/c" is counted with the rest of "~/data". */
static size_t
wide_length(const char *place)
{
	const char *at = place + (place[0] == '/');

	for (int n = 0; n < 2; n++) {
		at = strchr(at, '/');
		if (!at)
			return strlen(place);
		if (n == 0)
			at++;
	}
	return (size_t)(at - place);
}

static bool
is_row(const struct row *row, const char *const *parts)
{
	for (size_t i = PARTS; i-- > 0;)
		if (!(row->parts[i] && parts[i] ? streq(row->parts[i], parts[i])
						: row->parts[i] == parts[i]))
			return false;
	return true;
}

static struct row *
find_row(struct tally *tally, const char *const *parts)
{
	for (size_t i = 0; i < tally->n; i++)
		if (is_row(&tally->rows[i], parts))
			return &tally->rows[i];
	return NULL;
}

static struct row *
add_row(struct tally *tally, const char *const *parts)
{
	struct row row = { 0 };

	for (size_t i = 0; i < PARTS; i++) {
		row.parts[i] = str_dup(parts[i]);
		if (parts[i] && !row.parts[i]) {
			finish_row(&row);
			return NULL;
		}
	}
	tally->rows[tally->n] = row;
	return &tally->rows[tally->n++];
}

/* NULL without memory, or if there is no row left: the kinds and verdicts for
 * which there are rows at the end are few, but a connection may serve sessions. */
static struct row *
row_of(struct tally *tally, const struct ambit_event *event, const struct record_like *like)
{
	const char *parts[PARTS] = { event->session, event->kind, event->tool, event->verdict,
		event->code, like->place, like->program };
	struct row *row = find_row(tally, parts);
	auto_free char *wide = NULL;

	if (row || tally->n < TALLY_PLACES)
		return row ? row : add_row(tally, parts);
	wide = like->place ? strndup(like->place, wide_length(like->place)) : NULL;
	parts[PART_PLACE] = wide;
	parts[PART_PROGRAM] = NULL;
	row = find_row(tally, parts);
	if (row || tally->n < TALLY_WIDE)
		return row ? row : add_row(tally, parts);
	parts[PART_PLACE] = "elsewhere";
	parts[PART_TOOL] = parts[PART_CODE] = NULL;
	row = find_row(tally, parts);
	if (row || tally->n < TALLY_ROWS)
		return row ? row : add_row(tally, parts);
	return NULL;
}

/* -- written ------------------------------------------------------------------------ */

/* "and 48211 more in ~/data, by python3"; over: "counted from here on in ~/app". */
static char *
make_subject(const struct row *row, bool over)
{
	struct buf text = { 0 };
	const char *place = row->parts[PART_PLACE];

	if (over)
		buf_puts(&text, "counted from here on");
	else
		buf_printf(&text, "and %lld more", (long long)row->count);
	if (place)
		buf_printf(&text, "%s%s", streq(place, "elsewhere") ? " " : " in ", place);
	if (row->parts[PART_PROGRAM])
		buf_printf(&text, ", by %s", row->parts[PART_PROGRAM]);
	if (over)
		buf_puts(&text, ": this session has used its share of the record");
	return buf_take(&text);
}

static int
append_row(struct ambit_record *record, const struct row *row, bool over, struct ambit_error *err)
{
	auto_free char *subject = make_subject(row, over);
	auto_json json_t *body = json_pack("{s:s, s:I, s:I, s:I}", "of", row->parts[PART_KIND],
		"count", (json_int_t)row->count, "first", (json_int_t)row->first, "last",
		(json_int_t)row->last);
	const struct ambit_event event = {
		.session = row->parts[PART_SESSION],
		.time = row->last,
		.kind = "more",
		.tool = row->parts[PART_TOOL],
		.verdict = row->parts[PART_VERDICT],
		.code = row->parts[PART_CODE],
		.subject = subject,
	};

	if (!subject || !body)
		return err_nomem(err);
	if ((row->parts[PART_PLACE] && json_set_text(body, "place", row->parts[PART_PLACE]) < 0) ||
		(row->parts[PART_PROGRAM] &&
			json_set_text(body, "program", row->parts[PART_PROGRAM]) < 0))
		return err_nomem(err);
	return event_append(record, &event, body, err);
}

static void
forget_count(struct tally *tally, struct row *row)
{
	tally->pending -= row->count > 0;
	tally->summaries += row->count > 0;
	row->count = 0;
}

static bool
is_theirs(const struct row *row, const char *session)
{
	return row->count > 0 &&
	       (!session || (row->parts[PART_SESSION] && streq(row->parts[PART_SESSION], session)));
}

int
tally_append(struct ambit_record *record, const char *session, struct ambit_error *err)
{
	struct tally *tally = record->tally;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tally->n; i++)
		if (is_theirs(&tally->rows[i], session))
			r = append_row(record, &tally->rows[i], false, err);
	return r;
}

void
tally_appended(struct ambit_record *record, const char *session)
{
	struct tally *tally = record->tally;

	for (size_t i = 0; i < tally->n; i++)
		if (is_theirs(&tally->rows[i], session))
			forget_count(tally, &tally->rows[i]);
	tally->wrote = clock_steady();
}

int
record_counts_write(struct ambit_record *record, const char *session, struct ambit_error *err)
{
	int r;

	if (!record->tally || record->tally->pending == 0)
		return 0;
	r = store_begin(record, err);
	if (r < 0)
		return r;
	r = store_end(record, tally_append(record, session, err), err);
	if (r == 0)
		tally_appended(record, session);
	return r;
}

/* The more there are of them already, the less often. */
static int64_t
interval_of(const struct tally *tally)
{
	int64_t ms = TALLY_WRITE_MS * (1 + tally->summaries / TALLY_SLOWER);

	return ms < TALLY_WRITE_MAX_MS ? ms : TALLY_WRITE_MAX_MS;
}

int64_t
record_counts_due(const struct ambit_record *record)
{
	const struct tally *tally = record->tally;

	if (!tally || tally->pending == 0)
		return -1;
	int64_t from = tally->wrote > tally->since ? tally->wrote : tally->since;
	int64_t left = from + interval_of(tally) - clock_steady();

	return left > 0 ? left : 0;
}

/* -- counted ------------------------------------------------------------------------ */

static void
count_row_event(struct tally *tally, struct row *row, int64_t time)
{
	if (row->count == 0) {
		row->first = time;
		if (tally->pending++ == 0)
			tally->since = clock_steady();
	}
	row->count++;
	row->last = time;
}

/* How many of this kind are written one by one now. */
static int
detail_of(struct tally *tally, struct row *row, int64_t time)
{
	if (time - tally->stretch > TALLY_QUIET_MS) {
		tally->stretch = time;
		tally->detailed = 0;
	}
	/* Its count stays what it is. */
	if (row->written > 0 && time - row->last > TALLY_QUIET_MS)
		row->written = 0;
	return tally->detailed < TALLY_DETAIL_ALL ? TALLY_DETAIL : TALLY_DETAIL_LATE;
}

/* An allowed act is recorded first. If acts are only counted, this event is that record. */
static int
append_over_limit_row(
	struct ambit_record *record, struct row *row, int64_t time, struct ambit_error *err)
{
	int r;

	if (row->told)
		return 0;
	row->first = row->count ? row->first : time;
	row->last = time;
	r = store_begin(record, err);
	if (r == 0)
		r = store_end(record, append_row(record, row, true, err), err);
	row->told = r == 0;
	return r;
}

static bool
is_session_over_limit(const struct ambit_record *record, const char *session)
{
	const struct tally *tally = record->tally;
	int64_t max = record->limits.session_events;

	return max > 0 && streq(tally->session, session) && tally->share + tally->heavy >= max;
}

int
record_count(struct ambit_record *record, const struct ambit_event *event,
	const struct record_like *like, struct ambit_error *err)
{
	bool over, refused = like->refused;
	int64_t time = event->time ? event->time : clock_now();
	struct row *row;
	int detail, r = 0;

	if (!record->writable || !event->session)
		return 0;
	if (!record->tally && !(record->tally = tally_create()))
		return err_nomem(err);
	over = is_session_over_limit(record, event->session);
	if (!over && !refused)
		return 0;
	row = row_of(record->tally, event, like);
	if (!row)
		return 0;
	detail = over ? 0 : detail_of(record->tally, row, time);
	if (row->written < detail) {
		row->written++;
		row->last = time;
		record->tally->detailed++;
		return 0;
	}
	if (over && !refused)
		r = append_over_limit_row(record, row, time, err);
	if (r == 0)
		count_row_event(record->tally, row, time);
	if (r == 0 && record_counts_due(record) == 0)
		r = record_counts_write(record, NULL, err);
	return r < 0 ? r : 1;
}
