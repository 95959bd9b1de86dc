/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_RECORD_PLACE_H
#define TEST_RECORD_PLACE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/program.h"
#include "base/str.h"
#include "record/store.h"
#include "scratch.h"

/* A state directory of its own for every test of the record. */

struct place {
	char top[SCRATCH_PATH]; /* a temporary directory */
	char state[96];		/* the state directory in it */
	char db[128];
	struct ambit_record *record;
	struct ambit_error err;
};

static inline int
setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	scratch_make(p->top, sizeof(p->top));
	snprintf(p->state, sizeof(p->state), "%s/a/state", p->top);
	snprintf(p->db, sizeof(p->db), "%s/" STORE_FILE, p->state);
	*state = p;
	return 0;
}

static inline int
teardown(void **state)
{
	struct place *p = *state;

	ambit_record_close(p->record);
	scratch_remove(p->top);
	free(p);
	return 0;
}

static inline void
open_write(struct place *p)
{
	int r = ambit_record_open(p->state, AMBIT_RECORD_WRITE, &p->record, &p->err);

	if (r < 0)
		fail_msg("%s", p->err.text);
}

static inline void
reopen(struct place *p)
{
	ambit_record_close(p->record);
	p->record = NULL;
	open_write(p);
}

/* Opening must fail with this code and these words in its text. */
static inline void
refuses(struct place *p, enum ambit_record_open how, int code, const char *words)
{
	struct ambit_record *record = NULL;

	p->err = (struct ambit_error){ 0 };
	assert_int_equal(ambit_record_open(p->state, how, &record, &p->err), -code);
	assert_null(record);
	assert_int_equal(p->err.code, code);
	if (!strstr(p->err.text, words))
		fail_msg("'%s' is not in '%s'", words, p->err.text);
	if (!strstr(p->err.text, p->state))
		fail_msg("'%s' does not name the file", p->err.text);
}

static inline void
sql(struct place *p, const char *text)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 10000);
	if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", text, message);
	sqlite3_close(db);
}

static inline int
append(struct ambit_record *record, const char *session, const char *subject, json_t *body,
	struct ambit_error *err)
{
	struct ambit_event event = {
		.session = session,
		.kind = "decide",
		.tool = "write",
		.verdict = "deny",
		.code = "OutOfScope",
		.subject = subject,
	};
	int r = record_append(record, &event, body, err);

	json_decref(body);
	return r;
}

struct seen {
	int n;
	int64_t id;
	char kinds[512];
	char last[RECORD_BODY_MAX + 1];
	char subject[4096];
	char tool[256];
};

static inline int
see(void *data, int64_t id, const struct ambit_event *event)
{
	struct seen *seen = data;
	size_t used = strlen(seen->kinds);

	assert_true(id > seen->id);
	assert_non_null(event->hash);
	seen->n++;
	seen->id = id;
	snprintf(seen->kinds + used, sizeof(seen->kinds) - used, "%s ", event->kind);
	snprintf(seen->last, sizeof(seen->last), "%s", event->body);
	snprintf(seen->subject, sizeof(seen->subject), "%s", event->subject ? event->subject : "-");
	snprintf(seen->tool, sizeof(seen->tool), "%s", event->tool ? event->tool : "-");
	return 0;
}

static inline struct seen *
look(struct place *p, const struct ambit_event_filter *filter)
{
	static struct seen seen;

	seen = (struct seen){ 0 };
	assert_int_equal(ambit_record_events(p->record, filter, see, &seen, &p->err), 0);
	return &seen;
}

static inline int
chain_holds(void *data, const struct ambit_chain *chain)
{
	if (chain->broken)
		fail_msg("%s: %lld: %s", chain->session, (long long)chain->broken, chain->why);
	*(int64_t *)data += chain->events;
	return 0;
}

/* All chains hold; how many events there are. */
static inline int64_t
verify(struct place *p)
{
	int64_t events = 0;

	if (ambit_record_verify(p->record, NULL, chain_holds, &events, &p->err) < 0)
		fail_msg("%s", p->err.text);
	return events;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
