/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_DECODE_H
#define SETTINGS_DECODE_H

#include "base/json.h"
#include "settings/settings-key.h"

/* From JSON to struct settings_values. Every error names the place. */

#define DECODE_DEPTH 32	      /* a policy's depth limit stays far below */
#define DECODE_LIST_MAX 1024  /* elements of one list */
#define DECODE_POLICY_DEPTH 8 /* policies in policies */

struct decode {
	const char *name; /* in front of errors: the file, or the option */
	const char *text; /* of the file; NULL: the command line, which has no lines */
	size_t len;
	const char *home; /* what "~" means; NULL: nothing */
	bool relative;	  /* paths may be relative to the process' cwd */
	/* Where we are, as json_locate wants it. */
	const char *path[DECODE_DEPTH + 1];
	char index[DECODE_DEPTH][16];
	size_t depth;
	char shown[2][128];
	unsigned n_shown;
	struct ambit_error *err;
};

/* -EINVAL with "NAME:LINE:COLUMN: ..." */
int decode_bad(struct decode *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void decode_enter(struct decode *d, const char *key);
void decode_enter_index(struct decode *d, size_t i);
void decode_leave(struct decode *d);
/* Escaped and cut to fit a message; good until the second next call. */
const char *decode_show(struct decode *d, const char *text);
const char *decode_show_json(struct decode *d, const json_t *value);
/* "'KEY' must be KIND, not ..." */
int decode_wrong_type(struct decode *d, const json_t *value, const char *kind);
/* Fails if value is not an object. kind: what should be there, for the message. */
int decode_object(struct decode *d, const json_t *value, const char *kind);
int decode_array(struct decode *d, const json_t *value, const char *kind);
/* Borrowed from value; without NUL. */
int decode_string(struct decode *d, const json_t *value, const char *kind, const char **ret_text);
int decode_word(
	struct decode *d, const json_t *value, const struct ambit_word *words, int *ret_value);
int decode_count(struct decode *d, const json_t *value, int min, int max, int *ret_value);
int decode_effects(struct decode *d, const json_t *value, int by[AMBIT_EFFECTS_N]);

/* take.c: one member into its field of values, which is empty. */
int decode_value(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values);

/* take.c: a list, the program and its arguments, into argv[0] absolute and the rest. */
int decode_command(struct decode *d, const json_t *value, char ***ret_argv);

/* settings-judge.c: fills judge, which is empty, or in part on failure. */
int judge_take(struct decode *d, const json_t *value, struct settings_judge *judge);
void judge_finish(struct settings_judge *judge);
/* As JSON: null if there is none; NULL without memory. */
json_t *judge_show(const struct settings_judge *judge);
/* Its JSON Schema; NULL without memory. */
json_t *judge_schema(void);

/* element.c: one string of a list, checked and appended as it is to be kept. */
int element_append(struct decode *d, const struct key *key, const char *text, char ***list);
/* An absolute path, "~" expanded. Caller frees. */
int element_path(struct decode *d, const char *text, char **ret_path);

/* policy.c: a checked copy in which every path is absolute. */
int policy_check(struct decode *d, const json_t *value, json_t **ret_policy);
/* The policy that checked JSON stands for; NULL without memory. */
struct ambit_policy *policy_build(const json_t *value);

/* settings-narrow.c: -EINVAL if the folder's value would widen what the person has. */
int narrow_check(struct decode *d, const struct key *key, const json_t *value,
	const struct settings_values *folder, const struct settings_values *person,
	const struct settings_values *defaults);

#endif
