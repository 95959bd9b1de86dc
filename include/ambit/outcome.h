/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_OUTCOME_H
#define AMBIT_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/words.h>

/* What was decided, and what every layer said. Zeroed memory is a deny. */

struct ambit_outcome_path {
	char *path;  /* real path, raw bytes */
	char *shown; /* as messages show it */
	char *owner; /* the file that this is to replace: the question is about it; or NULL */
	enum ambit_access access;
	/* The same more closely, for a judge: "create", "truncate", "times", or the word for
	 * access; static. NULL: more than that changes, which is not for him. */
	const char *does;
	enum ambit_verdict verdict;
	enum ambit_code code;
	bool remembered; /* was asked about and is answered by memory */
	/* Which answer "once" covers it; 0: none. And its one replacement is used for this. */
	uint64_t once;
	bool replaces;
	const char *danger; /* of a guard: "RUNS AS YOU in your next shell"; static; or NULL */
};

struct ambit_say {
	const char *layer; /* static */
	enum ambit_verdict verdict;
	enum ambit_code code;
	bool hard;  /* no mode, memory or person can change it */
	bool judge; /* an ask that a judge may answer: nobody chose that a person must */
	char *reason;
};

struct ambit_outcome {
	enum ambit_verdict verdict;
	enum ambit_code code;
	enum ambit_danger danger;
	const char *layer; /* the layer that settled it; static */
	char *reason;	   /* where you tried to go, and where the line is */
	char *hint;	   /* what to do instead, or NULL */
	/* For a person, as commands for a shell, one a line: after them the same is allowed. Or
	 * other words that say how. NULL: nothing opens it. */
	char *advice;
	char *rule_key; /* how a shell command is remembered, or NULL */
	char *host;	/* "name:port" of a connection, or NULL */
	char *scope;	/* the folder of the request's own scope, as shown; or NULL */
	struct ambit_outcome_path *paths;
	size_t n_paths;
	struct ambit_say *says;
	size_t n_says;
	bool call; /* the call itself is in question, not only its paths or host */
	/* For a deny: a person was asked first, and said no or did not answer in time. False: no
	 * question was put, or nobody could see it; then the code says where the line is. */
	bool asked;
	/* For a deny: it is recorded, and nobody else is told. */
	bool quiet;
};

void ambit_outcome_finish(struct ambit_outcome *outcome);

/* reason and hint as the one message a model reads. Caller frees. */
char *ambit_outcome_message(const struct ambit_outcome *outcome);

struct ambit_request;
struct ambit_scope;

/* One line of JSON (doc/decide.md); scope (or NULL) is the one it was decided in, unless the
 * request had its own; with says, the layers' own words too ("layers"). Caller frees; NULL without
 * memory. */
char *ambit_outcome_json(const struct ambit_outcome *outcome, const struct ambit_request *request,
	const struct ambit_scope *scope, bool with_says);

#endif
