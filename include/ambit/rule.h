/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_RULE_H
#define AMBIT_RULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/words.h>

/* One remembered answer: an approval if it belongs to a session, a standing
 * rule if it does not. Both share one id space. All strings are owned by the
 * rule. */

struct ambit_rule {
	int64_t id;
	bool yes;
	enum ambit_op op;
	bool beneath;	 /* subject is a folder and stands for everything beneath */
	bool names;	 /* also covers every path whose text begins with subject */
	char *subject;	 /* write, read: real path, raw bytes; connect: host pattern;
			  * call: "cmd:git status", "exact:<sha256>", "call:<tool>:<sha256>" */
	char *label;	 /* what a person is shown for subject; redacted; may be NULL */
	char *session;	 /* NULL: a standing rule */
	char *project;	 /* real path of the folder it belongs to; NULL: everywhere */
	pid_t pid;	 /* once: holds for this process only; 0: any */
	uint64_t start;	 /* and only if it started at this time */
	int64_t created; /* milliseconds since the epoch */
	int64_t expires; /* 0: never */
	bool revoked;
	char *message; /* of a no: what the person said */
	char *source;  /* "person", "exec", "rules add", "profile npm" ... */
};

void ambit_rule_finish(struct ambit_rule *rule);

/* "write beneath /home/u/data, this session", "commands 'git status ...'
 * (cmd:git status), this session", "exactly: git push, always in /w": what it
 * grants, in one line, redacted and escaped. Caller frees. */
char *ambit_rule_text(const struct ambit_rule *rule);

#endif
