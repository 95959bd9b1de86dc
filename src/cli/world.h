/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include <ambit/ambit.h>

#include "cli.h"

/* What most commands stand in: the person's places, the settings, the folder,
 * the record, an engine. Opened by need, from the common options. */

struct place {
	char *home;    /* or NULL */
	char *config;  /* or NULL, if nothing says where */
	char *state;   /* likewise */
	char *runtime; /* or NULL */
	char *sockets; /* that, or the usual one: protected */
};

/* What the user database has for this user, an absolute path; or NULL. field
 * is the offset of a string in struct passwd. Read from its file: asking the
 * name service would load libraries into a program that is linked without
 * any. Caller frees. */
char *place_of_user(size_t field);

/* From the environment. */
int place_init(struct place *place, struct ambit_error *err);
void place_finish(struct place *place);

/* Where live sessions have their sockets. Caller frees; NULL without memory. */
char *place_live(const struct place *place);

/* True if folder is the person's home or lies above it: a line that holds
 * nothing in. */
bool place_is_wide(const struct place *place, const char *folder);

enum world_need {
	WORLD_SETTINGS = 1 << 0,
	WORLD_SCOPE = 1 << 1,	   /* the folder; brings the settings */
	WORLD_RECORD = 1 << 2,	   /* to read; record stays NULL if there is none yet */
	WORLD_STORE = 1 << 3,	   /* to write; made if there is none */
	WORLD_ENGINE = 1 << 4,	   /* brings all but STORE; without STORE it only looks */
	WORLD_ITS_FOLDER = 1 << 5, /* without --folder, that of the stored session */
	WORLD_MEANWHILE = 1 << 6,  /* the record is opened in a thread beside the rest */
};

struct world {
	struct place place;
	char *file; /* the settings file in use, absolute; there may be none */
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_engine *engine;
};

/* Always to be finished, also after a failure. With MEANWHILE, meanwhile(data)
 * is called while the record is being opened. */
int world_open_meanwhile(struct world *world, const struct args *args, unsigned needs,
	void (*meanwhile)(void *data), void *data, struct ambit_error *err);
int world_open(
	struct world *world, const struct args *args, unsigned needs, struct ambit_error *err);
void world_finish(struct world *world);

/* The engine of a session that was picked, which need not be stored: to tell
 * what holds in it, nothing else. Needs SETTINGS and RECORD or STORE. */
int world_observe(struct world *world, const struct args *args, const struct ambit_session *session,
	struct ambit_error *err);

/* Lists the paths that commands of the engine's session can write, and root. Caller frees the
 * list. */
int world_list_writable(
	struct ambit_engine *engine, const char *root, char ***ret_list, struct ambit_error *err);

/* Whether what is held could replace ambit's own programs: -EPERM, with words. Needs the
 * engine. */
int programs_check(const struct world *world, struct ambit_error *err);

/* -- stored sessions ------------------------------------------------------- */

/* The session that --session names, else that of this folder which is live, else the newest;
 * not one that was begun inside another. Several that are live: -EEXIST, with their names.
 * 1 if there is none; then ret_session is a new, unstored one if it was
 * named, else it has no name. Needs RECORD or STORE, and SCOPE. */
int session_pick(struct world *world, const struct args *args, struct ambit_session *ret_session,
	struct ambit_error *err);

/* Whether a change that is stored for the session that was picked can hold at all: it is live, was
 * named, or has a name that a person gave it. -ENOENT, with words: it is over for good. options:
 * those that say the same at a start, as ", or ...". Needs SCOPE. */
int session_may_change(struct world *world, const struct args *args,
	const struct ambit_session *session, const char *options, struct ambit_error *err);

/* Whether it was begun behind a line, or as a sub-agent. Needs RECORD or STORE. */
bool session_is_inside(struct world *world, const char *name);

/* The same for commands that need one: none is an error. */
int session_need(struct world *world, const struct args *args, struct ambit_session *ret_session,
	struct ambit_error *err);

/* One mode of a session and the setting that holds where it has none. */
struct stored_mode {
	const char *key;
	const char *name;
	const struct ambit_word *words;
	size_t offset; /* of the int in struct ambit_session */
};
/* Ends in a row without key. */
extern const struct stored_mode stored_modes[];

static inline int *
stored_mode_at(struct ambit_session *session, const struct stored_mode *mode)
{
	return (int *)((char *)session + mode->offset);
}

#endif
