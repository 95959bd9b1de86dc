/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_APPROVE_H
#define AMBIT_APPROVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/error.h>
#include <ambit/outcome.h>
#include <ambit/words.h>

/* A question to the person, and those who can answer it. */

struct ambit_request;

/* One possible answer, with exactly what it will store. */
struct ambit_choice {
	enum ambit_answer_kind kind;
	char *path;   /* FOLDER, ALWAYS: the folder; else NULL. Raw bytes */
	char *stores; /* "write beneath ~/data, this session"; escaped */
};

struct ambit_question {
	uint64_t id;
	char *who;     /* "sed (pid 4120)", "sub-agent docs"; escaped, may be "" */
	char *what;    /* "write /etc/hosts", "bash: make check": all of it; escaped */
	char *why;     /* the reason; escaped */
	char *request; /* the request as JSON, for programs */
	char *outcome; /* the outcome as JSON, for programs */
	/* NO, NO_SESSION, ONCE, then FILE, FOLDER (narrow to wide) and ALWAYS
	 * (likewise) where they make sense. */
	struct ambit_choice *choices;
	size_t n_choices;
	size_t folder;	 /* index of the FOLDER choice to offer first; n_choices: none */
	int64_t expires; /* milliseconds since the epoch; 0: never */
	/* All that a judge is shown of it, as JSON; NULL: it is for a person alone. */
	char *judge;
	bool judging; /* and he has not said anything to it yet: nobody else is asked */
};

void ambit_question_finish(struct ambit_question *question);
/* -ENOMEM. */
int ambit_question_copy(const struct ambit_question *from, struct ambit_question *ret_question);
/* Whether an answer to the one is an answer to the other. An id alone does not say so:
 * what changed meanwhile is asked about anew under the same. */
bool ambit_question_same(const struct ambit_question *a, const struct ambit_question *b);

struct ambit_answer {
	enum ambit_answer_kind kind;
	char path[PATH_MAX]; /* FOLDER, ALWAYS: which of the offered; "": the first offered */
	char message[512];   /* reaches the model */
	bool judge; /* a judge's: ONCE, for the very paths, where the question has a judge */
};

struct ambit_approver {
	/* Blocks until there is an answer; fills ret_answer and returns 0.
	 * Anything else is a no, with err as the reason; -ETIMEDOUT: expired. */
	int (*ask)(struct ambit_approver *approver, const struct ambit_question *question,
		struct ambit_answer *ret_answer, struct ambit_error *err);
	void (*destroy)(struct ambit_approver *approver);
	/* From another thread: the question with this id is withdrawn; an ask
	 * about it, running or about to, returns -ECANCELED soon. May be NULL. */
	void (*cancel)(struct ambit_approver *approver, uint64_t question);
	bool instant;	  /* no person: questions to it are not counted against the rate */
	const char *name; /* "tty", "exec", "deny", "allow": recorded with the answer */
};

void ambit_approver_destroy(struct ambit_approver *approver);

/* spec: "tty", "deny", "allow" or "exec:PROG". For exec, PROG is resolved
 * now and refused if it lies beneath one of the n writable directories. */
int ambit_approver_create(const char *spec, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err);

/* A program at the other end of a socket, one line of JSON each way: the question
 * with an "id" out, {"id", "answer", "message", "path", "judge"} in, or {"id", "nobody":
 * why}, which is no answer (-ENOENT); {"cancel": id} out when it is withdrawn. Takes the
 * descriptor, on success. */
int ambit_approver_fd(int fd, struct ambit_approver **ret_approver, struct ambit_error *err);

enum {
	AMBIT_TTY_COLOUR = 1, /* escape sequences for emphasis */
	/* Those who ask have it as well. They can make it say things of its own, as if they were
	 * typed, and draw over the question: a yes takes a word that is shown for it. */
	AMBIT_TTY_SHARED = 2,
};

/* A terminal approver on given descriptors (the program passes /dev/tty).
 * Does not take them. */
int ambit_approver_tty(int in_fd, int out_fd, unsigned flags, struct ambit_approver **ret_approver,
	struct ambit_error *err);

#endif
