/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a world and the text of its settings into a running engine: settings, scope and
 * record first, the engine last. Any failure fails the test. */

#include "engine-rig.h"

void *
engine_rig_create(size_t size)
{
	return world_create(size);
}

void
engine_rig_destroy(struct engine_rig *rig)
{
	engine_rig_stop(rig);
	world_destroy(&rig->w);
}

void
engine_rig_begin(struct engine_rig *rig, const struct ambit_engine_options *more)
{
	struct ambit_engine_options options = more ? *more : (struct ambit_engine_options){ 0 };
	struct ambit_error err = { 0 };

	rig->scope = world_scope(&rig->w);
	if (ambit_record_open(rig->w.state, AMBIT_RECORD_WRITE, &rig->record, &err) < 0)
		fail_msg("record: %s", err.text);
	options.settings = rig->settings;
	options.scope = rig->scope;
	options.record = rig->record;
	options.door = "test";
	if (ambit_engine_create(&options, &rig->engine, &err) < 0)
		fail_msg("engine: %s", err.text);
}

void
engine_rig_end(struct engine_rig *rig)
{
	ambit_engine_destroy(rig->engine);
	ambit_record_close(rig->record);
	ambit_scope_destroy(rig->scope);
	rig->engine = NULL;
	rig->record = NULL;
	rig->scope = NULL;
}

void
engine_rig_start(
	struct engine_rig *rig, const char *settings, const struct ambit_engine_options *more)
{
	rig->settings = world_settings(&rig->w, settings);
	engine_rig_begin(rig, more);
}

void
engine_rig_stop(struct engine_rig *rig)
{
	engine_rig_end(rig);
	ambit_settings_destroy(rig->settings);
	rig->settings = NULL;
}

static int
count_event(void *data, int64_t id, const struct ambit_event *event)
{
	(void)id;
	(void)event;
	++*(int *)data;
	return 0;
}

int
engine_rig_events(struct engine_rig *rig, const struct ambit_event_filter *filter)
{
	int n = 0;

	assert_int_equal(ambit_record_events(rig->record, filter, count_event, &n, NULL), 0);
	return n;
}

int
engine_rig_open(void **state)
{
	*state = engine_rig_create(sizeof(struct engine_rig));
	return 0;
}

int
engine_rig_close(void **state)
{
	engine_rig_destroy(*state);
	return 0;
}
