/* SPDX-License-Identifier: Apache-2.0 */
/* Many who wait and several who answer, all at once, at one desk: each question ends exactly once,
 * and whoever showed it hears of that once. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine-rig.h"

#include "ask/desk/blocking.h"
#include "ask/desk/desk.h"
#include "ask/question-copy.h"
#include "base/program.h"
#include "base/str.h"

#define DOORS 8
#define EACH 125 /* questions of a door */
#define CHANNELS 3
#define SHOWN_MAX 8192

/* Each desk of a process has numbers of its own. */
#define PLACE(id) ((size_t)((id)&0xffffff))
static atomic_uint_fast64_t first_id; /* of the last desk that offered something */

/* -- a channel that answers in a thread of its own --------------------------------------- */

enum fate {
	SHOWN = 1,
	ANSWERED,
	PASSED,
	WITHDRAWN
};

struct screen {
	struct desk_channel channel;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum fate fate[SHOWN_MAX]; /* by the question's id */
	uint64_t open[SHOWN_MAX];
	size_t n_open;
	unsigned seed;
	bool ending;
	bool silent;	 /* never answers */
	int64_t expires; /* of what was offered last */
	char how[128];
	int wrong; /* things that must not happen */
	atomic_int answered;
};

static int
offer_screen(struct desk_channel *channel, const struct ambit_question *question)
{
	struct screen *screen = (struct screen *)channel;

	pthread_mutex_lock(&screen->lock);
	screen->wrong += PLACE(question->id) >= SHOWN_MAX || screen->fate[PLACE(question->id)] != 0;
	screen->fate[PLACE(question->id)] = SHOWN;
	atomic_store(&first_id, question->id - PLACE(question->id) + 1);
	screen->open[screen->n_open++] = question->id;
	screen->expires = question->expires;
	pthread_cond_signal(&screen->changed);
	pthread_mutex_unlock(&screen->lock);
	return 0;
}

static void
withdraw_screen(struct desk_channel *channel, uint64_t question, const char *how)
{
	struct screen *screen = (struct screen *)channel;

	pthread_mutex_lock(&screen->lock);
	/* One that it passed may end elsewhere, too. */
	screen->wrong +=
		screen->fate[PLACE(question)] != SHOWN && screen->fate[PLACE(question)] != PASSED;
	screen->fate[PLACE(question)] = WITHDRAWN;
	snprintf(screen->how, sizeof(screen->how), "%s", how);
	pthread_mutex_unlock(&screen->lock);
}

static const struct channel_row screen_row = {
	.name = "test",
	.where = "on a screen",
	.stage = DESK_PERSON,
};

/* As a terminal: one at a time. */
static const struct channel_row narrow_row = {
	.name = "narrow",
	.where = "on a narrow screen",
	.stage = DESK_PERSON,
	.room = 1,
};

/* As a client that has its own patience. */
static const struct channel_row limited_row = {
	.name = "limited",
	.where = "in a client",
	.stage = DESK_PERSON,
	.limited = true,
};

static const struct desk_channel_type screen_type = {
	.offer = offer_screen,
	.withdraw = withdraw_screen,
};

/* Without the lock of the screen: the desk may be about to withdraw it. */
static void
answer_screen(struct screen *screen, uint64_t id)
{
	unsigned chance = (unsigned)rand_r(&screen->seed) % 8;
	struct ambit_answer answer = { .kind = chance < 4 ? AMBIT_ONCE : AMBIT_NO };
	struct ambit_error err = { 0 };
	int r = chance == 7 ? -1 : desk_answer(&screen->channel, id, &answer, &err);

	if (chance == 7)
		desk_pass(&screen->channel, id, EIO, "not this one");
	pthread_mutex_lock(&screen->lock);
	if (r == 0) {
		screen->wrong += screen->fate[PLACE(id)] != SHOWN;
		screen->fate[PLACE(id)] = ANSWERED;
		atomic_fetch_add(&screen->answered, 1);
	} else if (chance == 7 && screen->fate[PLACE(id)] == SHOWN) {
		screen->fate[PLACE(id)] = PASSED;
	}
	pthread_mutex_unlock(&screen->lock);
	if (screen->channel.row->room > 0)
		desk_ready(&screen->channel);
}

static void *
run_screen(void *data)
{
	struct screen *screen = data;

	pthread_mutex_lock(&screen->lock);
	while (!screen->ending) {
		uint64_t id;

		if (screen->n_open == 0 || screen->silent) {
			pthread_cond_wait(&screen->changed, &screen->lock);
			continue;
		}
		id = screen->open[(unsigned)rand_r(&screen->seed) % screen->n_open];
		for (size_t i = 0; i < screen->n_open; i++)
			if (screen->open[i] == id)
				screen->open[i] = screen->open[--screen->n_open];
		pthread_mutex_unlock(&screen->lock);
		answer_screen(screen, id);
		pthread_mutex_lock(&screen->lock);
	}
	pthread_mutex_unlock(&screen->lock);
	return NULL;
}

static void
screen_init(struct screen *screen, const struct channel_row *row, unsigned seed)
{
	screen->channel = (struct desk_channel){ .type = &screen_type, .row = row };
	screen->seed = seed;
	pthread_mutex_init(&screen->lock, NULL);
	pthread_cond_init(&screen->changed, NULL);
}

static void
screen_start(struct screen *screen, struct desk *desk, const struct channel_row *row, unsigned seed)
{
	screen_init(screen, row, seed);
	desk_add(desk, &screen->channel);
	assert_int_equal(pthread_create(&screen->thread, NULL, run_screen, screen), 0);
}

static void
screen_stop(struct screen *screen)
{
	pthread_mutex_lock(&screen->lock);
	screen->ending = true;
	pthread_cond_signal(&screen->changed);
	pthread_mutex_unlock(&screen->lock);
	pthread_join(screen->thread, NULL);
}

/* -- a door -------------------------------------------------------------------------------- */

struct door {
	struct engine_rig *rig;
	struct desk *desk;
	pthread_t thread;
	int number;
	atomic_int done, allowed, withdrawn;
	atomic_int times[EACH + 1]; /* how often done was called, by the order of tickets */
	pthread_mutex_t lock;
	uint64_t tickets[EACH];
	int n_tickets;
};

static struct ambit_request *
write_outside(struct engine_rig *rig, int door, int file)
{
	struct ambit_request *request = NULL;
	char args[1024];

	snprintf(args, sizeof(args), "{\"file_path\":\"%s/%d-%d\"}", rig->w.out, door, file);
	assert_int_equal(ambit_request_create("write", args, strlen(args), &request, NULL), 0);
	return request;
}

static void
take_done(void *data, uint64_t ticket, struct ambit_outcome *outcome, struct ambit_permit *permit)
{
	struct door *door = data;
	int at = EACH;

	pthread_mutex_lock(&door->lock);
	for (int i = 0; i < door->n_tickets; i++)
		if (door->tickets[i] == ticket)
			at = i;
	pthread_mutex_unlock(&door->lock);
	atomic_fetch_add(&door->times[at], 1);
	if (outcome->verdict == AMBIT_ALLOW)
		atomic_fetch_add(&door->allowed, 1);
	if (permit) {
		desk_lock(door->desk);
		ambit_permit_finish(permit, 0, NULL);
		desk_unlock(door->desk);
	}
	ambit_outcome_finish(outcome);
	atomic_fetch_add(&door->done, 1);
}

static void *
run_door(void *data)
{
	struct door *door = data;
	const struct desk_client client = { .done = take_done, .data = door };
	unsigned seed = (unsigned)door->number;

	for (int i = 0; i < EACH; i++) {
		struct ambit_outcome outcome;
		struct ambit_permit *permit = NULL;
		uint64_t ticket = 0;

		/* With the lock, so that done finds the ticket. */
		pthread_mutex_lock(&door->lock);
		if (desk_submit(door->desk, write_outside(door->rig, door->number, i), &client,
			    &outcome, &permit, &ticket, NULL) != 1)
			abort();
		door->tickets[door->n_tickets++] = ticket;
		pthread_mutex_unlock(&door->lock);
		if (rand_r(&seed) % 5 == 0 &&
			desk_withdraw(door->desk, ticket, "withdrawn: the program is gone"))
			atomic_fetch_add(&door->withdrawn, 1);
	}
	return NULL;
}

static void
wait_for_all(struct door *doors)
{
	for (int i = 0; i < DOORS; i++) {
		pthread_join(doors[i].thread, NULL);
		while (atomic_load(&doors[i].done) + atomic_load(&doors[i].withdrawn) < EACH)
			usleep(1000);
	}
}

static int
count_open(void *data, const struct ambit_question *question)
{
	(void)question;
	++*(int *)data;
	return 0;
}

static bool
is_clear(struct screen *screen)
{
	bool clear = true;

	pthread_mutex_lock(&screen->lock);
	for (size_t i = 0; i < SHOWN_MAX; i++)
		clear &= screen->fate[i] != SHOWN;
	pthread_mutex_unlock(&screen->lock);
	return clear;
}

/* No question stays on a screen whose end it was not told. */
static void
wait_for_clear_screen(struct screen *screen)
{
	while (!is_clear(screen))
		usleep(1000);
}

static void
every_question_ends_exactly_once(void **state)
{
	struct engine_rig *rig = *state;
	struct screen *screens = calloc(CHANNELS, sizeof(*screens));
	struct door *doors = calloc(DOORS, sizeof(*doors));
	struct desk *desk = NULL;
	int answered = 0, ended = 0, open = 0;

	engine_rig_start(rig, NULL, &(struct ambit_engine_options){ .unlimited = true });
	assert_int_equal(
		desk_create(&(struct desk_options){ .engine = rig->engine }, &desk, NULL), 0);
	for (unsigned i = 0; i < CHANNELS; i++)
		screen_start(&screens[i], desk, i == 0 ? &narrow_row : &screen_row, i + 1);
	for (int i = 0; i < DOORS; i++) {
		doors[i].rig = rig;
		doors[i].desk = desk;
		doors[i].number = i;
		pthread_mutex_init(&doors[i].lock, NULL);
		assert_int_equal(pthread_create(&doors[i].thread, NULL, run_door, &doors[i]), 0);
	}
	wait_for_all(doors);
	desk_lock(desk);
	desk_each(desk, count_open, &open);
	desk_unlock(desk);
	assert_int_equal(open, 0);
	for (int i = 0; i < CHANNELS; i++)
		wait_for_clear_screen(&screens[i]);
	desk_stop(desk);
	for (int i = 0; i < CHANNELS; i++) {
		screen_stop(&screens[i]);
		assert_int_equal(screens[i].wrong, 0);
		answered += atomic_load(&screens[i].answered);
	}
	for (int i = 0; i < DOORS; i++) {
		ended += atomic_load(&doors[i].done) + atomic_load(&doors[i].withdrawn);
		assert_int_equal(atomic_load(&doors[i].times[EACH]), 0);
		for (int k = 0; k < EACH; k++)
			assert_in_range(atomic_load(&doors[i].times[k]), 0, 1);
	}
	assert_int_equal(ended, DOORS * EACH);
	assert_in_range(answered, 1, DOORS * EACH);
	desk_destroy(desk);
	free(screens);
	free(doors);
}

/* -- one question -------------------------------------------------------------------------- */

struct one {
	struct engine_rig *rig;
	struct desk *desk;
	struct screen *screens;
	struct door door;
	uint64_t ticket;
};

static void
ask_one(struct one *one, struct engine_rig *rig, int channels)
{
	const struct desk_client client = { .done = take_done, .data = &one->door };
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;

	*one = (struct one){ .rig = rig, .screens = calloc(CHANNELS, sizeof(struct screen)) };
	engine_rig_start(rig, NULL, NULL);
	assert_int_equal(
		desk_create(&(struct desk_options){ .engine = rig->engine }, &one->desk, NULL), 0);
	for (int i = 0; i < channels; i++) {
		screen_start(&one->screens[i], one->desk, &screen_row, 1);
		one->screens[i].silent = true;
	}
	one->door.rig = rig;
	one->door.desk = one->desk;
	pthread_mutex_init(&one->door.lock, NULL);
	pthread_mutex_lock(&one->door.lock);
	assert_int_equal(desk_submit(one->desk, write_outside(rig, 0, 0), &client, &outcome,
				 &permit, &one->ticket, NULL),
		1);
	one->door.tickets[one->door.n_tickets++] = one->ticket;
	pthread_mutex_unlock(&one->door.lock);
}

static bool
is_fate(struct screen *screen, enum fate fate)
{
	bool is;

	pthread_mutex_lock(&screen->lock);
	is = screen->fate[1] == fate;
	pthread_mutex_unlock(&screen->lock);
	return is;
}

static void
wait_for_fate(struct screen *screen, enum fate fate)
{
	while (!is_fate(screen, fate))
		usleep(1000);
}

static size_t
count_offered(struct screen *screen)
{
	size_t n;

	pthread_mutex_lock(&screen->lock);
	n = screen->n_open;
	pthread_mutex_unlock(&screen->lock);
	return n;
}

static void
end_one(struct one *one, int channels)
{
	desk_stop(one->desk);
	for (int i = 0; i < channels; i++) {
		screen_stop(&one->screens[i]);
		assert_int_equal(one->screens[i].wrong, 0);
	}
	desk_destroy(one->desk);
	free(one->screens);
	engine_rig_stop(one->rig);
}

static void
the_others_hear_how_and_where_it_ended(void **state)
{
	const struct ambit_answer yes = { .kind = AMBIT_ONCE }, no = { .kind = AMBIT_NO };
	struct ambit_error err = { 0 };
	struct one one;

	ask_one(&one, *state, 2);
	wait_for_fate(&one.screens[0], SHOWN);
	wait_for_fate(&one.screens[1], SHOWN);
	assert_int_equal(
		desk_answer(&one.screens[0].channel, atomic_load(&first_id), &yes, NULL), 0);
	assert_int_equal(
		desk_answer(&one.screens[1].channel, atomic_load(&first_id), &no, &err), -ENOENT);
	/* Told of the end, the desk forgets it. */
	assert_true(streq(err.text, "allowed on a screen") ||
		    streq(err.text, "that question is no longer open"));
	wait_for_fate(&one.screens[1], WITHDRAWN);
	assert_string_equal(one.screens[1].how, "allowed on a screen");
	assert_true(is_fate(&one.screens[0], SHOWN)); /* its own answer is not told it */
	while (atomic_load(&one.door.done) == 0)
		usleep(1000);
	assert_int_equal(atomic_load(&one.door.allowed), 1);
	end_one(&one, 2);
}

static void
one_that_is_given_up_is_withdrawn(void **state)
{
	struct one one;

	ask_one(&one, *state, 1);
	wait_for_fate(&one.screens[0], SHOWN);
	assert_true(desk_withdraw(one.desk, one.ticket, "withdrawn: the program is gone"));
	assert_false(desk_withdraw(one.desk, one.ticket, "withdrawn: again"));
	wait_for_fate(&one.screens[0], WITHDRAWN);
	assert_string_equal(one.screens[0].how, "withdrawn: the program is gone");
	assert_int_equal(atomic_load(&one.door.done), 0);
	end_one(&one, 1);
}

static void
it_is_refused_when_all_have_passed(void **state)
{
	struct one one;

	ask_one(&one, *state, 2);
	wait_for_fate(&one.screens[0], SHOWN);
	wait_for_fate(&one.screens[1], SHOWN);
	desk_pass(&one.screens[0].channel, atomic_load(&first_id), EIO, "the terminal is gone");
	usleep(20000);
	assert_int_equal(atomic_load(&one.door.done), 0); /* the other may answer yet */
	desk_pass(&one.screens[1].channel, atomic_load(&first_id), EIO, "the terminal is gone");
	while (atomic_load(&one.door.done) == 0)
		usleep(1000);
	assert_int_equal(atomic_load(&one.door.allowed), 0);
	end_one(&one, 2);
}

/* -- a client's own channel ------------------------------------------------------------------ */

/* The same request again, which waits for the same question. */
static uint64_t
ask_again(struct one *one, struct door *door, struct screen *own)
{
	const struct desk_client client = {
		.done = take_done,
		.data = door,
		.own = own ? &own->channel : NULL,
	};
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;

	*door = (struct door){ .rig = one->rig, .desk = one->desk };
	pthread_mutex_init(&door->lock, NULL);
	assert_int_equal(desk_submit(one->desk, write_outside(one->rig, 0, 0), &client, &outcome,
				 &permit, &ticket, NULL),
		1);
	return ticket;
}

static void
a_second_caller_with_a_channel_is_asked_there(void **state)
{
	struct screen *own = calloc(2, sizeof(*own));
	struct door door, other;
	struct one one;
	uint64_t first, second;

	ask_one(&one, *state, 1);
	wait_for_fate(&one.screens[0], SHOWN);
	screen_init(&own[0], &screen_row, 1);
	screen_init(&own[1], &screen_row, 1);
	first = ask_again(&one, &door, &own[0]);
	wait_for_fate(&own[0], SHOWN);
	/* The same question is shown by one of them at a time. */
	second = ask_again(&one, &other, &own[1]);
	assert_false(is_fate(&own[1], SHOWN));
	assert_true(desk_leave(one.desk, first, &own[0].channel, "withdrawn"));
	wait_for_fate(&own[1], SHOWN);
	assert_true(is_fate(&one.screens[0], SHOWN));
	desk_leave(one.desk, second, &own[1].channel, "withdrawn");
	end_one(&one, 1);
	free(own);
}

/* A call may be asked about anew; its channel has room for that, whatever its row says. */
static void
an_own_channel_has_no_limit(void **state)
{
	struct screen *own = calloc(1, sizeof(*own));
	struct door door, other = { 0 };
	struct desk_client client = { .done = take_done, .data = &other };
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct one one;
	uint64_t first, second;

	ask_one(&one, *state, 1);
	screen_init(own, &narrow_row, 1);
	first = ask_again(&one, &door, own);
	client.own = &own->channel;
	pthread_mutex_init(&other.lock, NULL);
	assert_int_equal(desk_submit(one.desk, write_outside(one.rig, 0, 1), &client, &outcome,
				 &permit, &second, NULL),
		1);
	while (count_offered(own) < 2)
		usleep(1000);
	desk_leave(one.desk, first, &own->channel, "withdrawn");
	desk_leave(one.desk, second, &own->channel, "withdrawn");
	end_one(&one, 1);
	free(own);
}

#define MANY 12 /* more than one question is shown on */

/* None of them may hang because the others have filled the question's list. */
static void
many_own_channels_that_pass_end_it(void **state)
{
	struct screen *own = calloc(MANY, sizeof(*own));
	struct door *doors = calloc(MANY, sizeof(*doors));
	struct one one = { .rig = *state };
	uint64_t tickets[MANY];

	engine_rig_start(one.rig, "{\"loop_limit\":0}", NULL);
	assert_int_equal(
		desk_create(&(struct desk_options){ .engine = one.rig->engine }, &one.desk, NULL),
		0);
	for (int i = 0; i < MANY; i++) {
		screen_init(&own[i], &screen_row, 1);
		tickets[i] = ask_again(&one, &doors[i], &own[i]);
	}
	for (int passed = 0, i = 0; atomic_load(&doors[MANY - 1].done) == 0; i = (i + 1) % MANY) {
		if (passed < MANY && is_fate(&own[i], SHOWN)) {
			pthread_mutex_lock(&own[i].lock);
			own[i].fate[1] = PASSED;
			pthread_mutex_unlock(&own[i].lock);
			desk_pass(&own[i].channel, atomic_load(&first_id), EIO, "no form");
			passed++;
		}
		usleep(100);
	}
	for (int i = 0; i < MANY; i++) {
		while (atomic_load(&doors[i].done) == 0)
			usleep(1000);
		assert_int_equal(atomic_load(&doors[i].allowed), 0);
		desk_leave(one.desk, tickets[i], &own[i].channel, "withdrawn");
	}
	desk_stop(one.desk);
	desk_destroy(one.desk);
	engine_rig_stop(one.rig);
	free(own);
	free(doors);
}

/* -- limits -------------------------------------------------------------------------------- */

static void
a_client_has_a_limit_and_a_screen_has_none(void **state)
{
	struct screen *own = calloc(1, sizeof(*own));
	struct door door;
	struct one one;
	uint64_t ticket;

	ask_one(&one, *state, 1);
	wait_for_fate(&one.screens[0], SHOWN);
	screen_init(own, &limited_row, 1);
	ticket = ask_again(&one, &door, own);
	wait_for_fate(own, SHOWN);
	assert_int_equal(one.screens[0].expires, 0);
	assert_in_range(own->expires - clock_now(), 200 * 1000, 300 * 1000);
	/* It is too late there; the question stays on the screen. */
	desk_pass(&own->channel, atomic_load(&first_id), ETIMEDOUT, "nobody answered in time");
	assert_true(is_fate(&one.screens[0], SHOWN));
	assert_int_equal(desk_answer(&one.screens[0].channel, atomic_load(&first_id),
				 &(struct ambit_answer){ .kind = AMBIT_ONCE }, NULL),
		0);
	while (atomic_load(&one.door.done) == 0)
		usleep(1000);
	desk_leave(one.desk, ticket, &own->channel, "withdrawn");
	end_one(&one, 1);
	free(own);
}

static void
rows_of_clients_and_programs_are_limited(void **state)
{
	static const char *const limited[] = { "mcp", "serve", "exec", "caller", "some harness" };
	static const char *const waiting[] = { "tty", "watch", "client" };

	(void)state;
	for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]); i++) {
		const struct channel_row *row = channel_row_find(limited[i]);
		int64_t soon = clock_now() + 1000;

		assert_true(channel_row_expires(row, 0, 60000) > soon);
		assert_int_equal(channel_row_expires(row, soon, 60000), soon);
	}
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
		assert_int_equal(channel_row_expires(channel_row_find(waiting[i]), 0, 60000), 0);
		assert_int_equal(channel_row_expires(channel_row_find(waiting[i]), 7, 60000), 7);
	}
}

static void
a_channel_with_room_for_one_shows_one(void **state)
{
	struct screen *narrow = calloc(1, sizeof(*narrow));
	struct door door = { 0 };
	const struct desk_client client = { .done = take_done, .data = &door };
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	struct one one;
	uint64_t ticket;

	ask_one(&one, *state, 1);
	screen_init(narrow, &narrow_row, 1);
	desk_lock(one.desk);
	desk_add(one.desk, &narrow->channel);
	desk_look(one.desk);
	desk_unlock(one.desk);
	wait_for_fate(narrow, SHOWN);
	door = (struct door){ .rig = one.rig, .desk = one.desk };
	pthread_mutex_init(&door.lock, NULL);
	assert_int_equal(desk_submit(one.desk, write_outside(one.rig, 0, 1), &client, &outcome,
				 &permit, &ticket, NULL),
		1);
	while (count_offered(&one.screens[0]) < 2)
		usleep(1000);
	assert_int_equal(count_offered(narrow), 1);
	desk_withdraw(one.desk, one.ticket, "withdrawn: the program is gone");
	wait_for_fate(narrow, WITHDRAWN);
	/* It still has the first one on its screen. */
	assert_int_equal(count_offered(narrow), 1);
	desk_ready(&narrow->channel);
	while (count_offered(narrow) < 2)
		usleep(1000);
	desk_withdraw(one.desk, ticket, "withdrawn: the program is gone");
	desk_remove(one.desk, &narrow->channel);
	end_one(&one, 1);
	free(narrow);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_question_ends_exactly_once, engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(
			the_others_hear_how_and_where_it_ended, engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(
			one_that_is_given_up_is_withdrawn, engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(
			it_is_refused_when_all_have_passed, engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(a_second_caller_with_a_channel_is_asked_there,
			engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(a_client_has_a_limit_and_a_screen_has_none,
			engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(
			an_own_channel_has_no_limit, engine_rig_open, engine_rig_close),
		cmocka_unit_test_setup_teardown(
			many_own_channels_that_pass_end_it, engine_rig_open, engine_rig_close),
		cmocka_unit_test(rows_of_clients_and_programs_are_limited),
		cmocka_unit_test_setup_teardown(
			a_channel_with_room_for_one_shows_one, engine_rig_open, engine_rig_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
