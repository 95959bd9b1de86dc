/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_SETTINGS_KEY_H
#define SETTINGS_SETTINGS_KEY_H

#include "settings/settings-private.h"

/* The one table of settings: decoder, narrowing, listing and schema read it. */

#define KEYS_N 36

enum key_type {
	KEY_NOTHING = 0, /* a string that means nothing here ("$schema") */
	KEY_WORD,	 /* int: one of words */
	KEY_FLAG,	 /* int: 0 or 1 */
	KEY_COUNT,	 /* int: min to max */
	KEY_ASKER,	 /* char *: who answers questions */
	KEY_PERMISSIONS, /* tool name -> permission */
	KEY_EFFECTS,	 /* effect -> permission */
	KEY_POLICY,	 /* json_t * */
	KEY_PROGRAM,	 /* char **, and policy_timeout */
	KEY_AGENTS,	 /* name -> how it is started */
	KEY_JUDGE,	 /* struct settings_judge */
	KEY_COMMAND,	 /* char **: a program and its arguments */
	KEY_PATTERNS,	 /* char **: guard patterns; this and what follows are lists */
	KEY_PATHS,
	KEY_HOSTS,
	KEY_PROFILES,
};

/* What a file inside the folder may say of a key. */
enum key_narrow {
	NARROW_NEVER = 0,   /* nothing: it is the person's */
	NARROW_ANY,	    /* anything: it means nothing, or narrows by nature */
	NARROW_ENUM,	    /* towards the zero value */
	NARROW_FALSE,	    /* false */
	NARROW_COUNT,	    /* a smaller number, but not zero, which means no limit */
	NARROW_ADD,	    /* more of the list */
	NARROW_PERMISSIONS, /* ask and deny */
};

struct key {
	const char *name;
	enum key_type type;
	enum key_narrow narrow;
	size_t offset; /* in struct settings_values */
	const struct ambit_word *words;
	int min, max;
	const char *fallback; /* default as JSON; NULL: none */
	const char *text;
};

/* The i-th key, or NULL. */
const struct key *key_at(size_t i);
const struct key *key_find(const char *name);
size_t key_index(const struct key *key);

static inline void *
key_field(const struct key *key, struct settings_values *values)
{
	return (char *)values + key->offset;
}

static inline const void *
key_value(const struct key *key, const struct settings_values *values)
{
	return (const char *)values + key->offset;
}

static inline bool
key_is_list(const struct key *key)
{
	return key->type >= KEY_PATTERNS;
}

/* The i-th name or NULL, for str_nearest(); data is not looked at. */
const char *key_name_at(const void *data, size_t i);

#endif
