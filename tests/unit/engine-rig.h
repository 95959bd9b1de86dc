/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ENGINE_RIG_H
#define TESTS_UNIT_ENGINE_RIG_H

/* An engine over a world of its own, on a real record and a real file system. */

#include "unit-world.h"

/* Members of every rig with an engine. A rig with more of them embeds both:
 *
 *	struct rig {
 *		union {
 *			struct engine_rig base;
 *			struct { ENGINE_RIG; };
 *		};
 *		...
 *	};
 */
#define ENGINE_RIG                                                                                 \
	struct world w;                                                                            \
	struct ambit_settings *settings;                                                           \
	struct ambit_scope *scope;                                                                 \
	struct ambit_record *record;                                                               \
	struct ambit_engine *engine

struct engine_rig {
	ENGINE_RIG;
};

/* A zeroed rig of size bytes that begins with a struct engine_rig, with its world. */
void *engine_rig_create(size_t size);

/* Stops the engine, removes the world and frees the rig. */
void engine_rig_destroy(struct engine_rig *rig);

/* Begins a session of rig->settings with what lies in the folder now. more: further options
 * of the engine, or NULL. */
void engine_rig_begin(struct engine_rig *rig, const struct ambit_engine_options *more);

/* Ends the session, so that another can begin. */
void engine_rig_end(struct engine_rig *rig);

/* Both with the settings: the text of the person's file, or NULL. */
void engine_rig_start(
	struct engine_rig *rig, const char *settings, const struct ambit_engine_options *more);
void engine_rig_stop(struct engine_rig *rig);

/* How many events of the record pass the filter. */
int engine_rig_events(struct engine_rig *rig, const struct ambit_event_filter *filter);

/* For cmocka: *state is a struct engine_rig whose engine is not started. */
int engine_rig_open(void **state);
int engine_rig_close(void **state);

#endif
