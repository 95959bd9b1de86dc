/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_APPROVE_H
#define AMBIT_APPROVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/error.h>
#include <ambit/words.h>

/* A question to the person, and those who can answer it. */

/* One possible answer, with exactly what it will store. */
struct ambit_choice {
	enum ambit_answer_kind kind;
	char *path;   /* FOLDER, ALWAYS: the folder, or "*.example.org:443"; else NULL. Raw bytes */
	char *stores; /* "write beneath ~/data, this session"; escaped */
	/* The same as screens show it: "all of ~/data, this session"; of ALWAYS the width alone:
	 * "all of ~/data"; escaped. NULL: the words for its kind. */
	char *label;
};

/* A line of a question that has several: "hosts", "claude.ai  and 2 more"; escaped. */
struct ambit_fact {
	char *name;
	char *text;
};

struct ambit_question {
	uint64_t id;
	char *who;  /* "sed (pid 4120)", "sub-agent docs"; escaped, may be "" */
	char *what; /* "write /etc/hosts", "bash: make check": all of it; escaped */
	char *why;  /* the reason; escaped */
	/* The same for every screen, in few words; all escaped, "" or NULL: none. */
	char *kind;    /* "file", "files", "temporary", "secret", "host", "socket", "call" ... */
	char *act;     /* "write", "connect" */
	char *object;  /* "~/data/out.csv", "git.example.org:443": all of it */
	char *brief;   /* the object as one line takes it: "~/a/.../b to ~/c/.../d"; "": as it is */
	char *danger;  /* "RUNS AS YOU at your next git commit" */
	char *by;      /* "deploy (claude > bash > deploy)" */
	char *because; /* "outside ~/app" */
	char *project; /* "~/app": where ALWAYS holds; "": in every project */
	struct ambit_fact *facts; /* instead of by and because */
	size_t n_facts;
	char *request; /* the request as JSON, for programs */
	char *outcome; /* the outcome as JSON, for programs */
	/* NO, NO_SESSION, ONCE, then FILE, FOLDER (narrow to wide) and ALWAYS (without a path,
	 * then as FOLDER) where they make sense. */
	struct ambit_choice *choices;
	size_t n_choices;
	size_t folder;	 /* index of the FOLDER choice to offer first; n_choices: none */
	int64_t expires; /* milliseconds since the epoch; 0: never */
	/* All that a judge is shown of it, as JSON; NULL: it is for a person alone. */
	char *judge;
	bool stops; /* an answer may end the whole run */
};

struct ambit_answer {
	enum ambit_answer_kind kind;
	/* FOLDER, ALWAYS: which of the offered. "": the folder offered first, never a pattern of
	 * hosts; ALWAYS: exactly what was asked for. */
	char path[PATH_MAX];
	char message[512]; /* reaches the model */
	bool judge;	   /* a judge's: ONCE, for the very paths, where the question has a judge */
	bool stop;	   /* NO, and the run ends; where the question stops */
};

struct ambit_approver {
	/* Blocks until there is an answer; fills ret_answer and returns 0.
	 * Anything else is a no, with err as the reason; -ETIMEDOUT: expired. */
	int (*ask)(struct ambit_approver *approver, const struct ambit_question *question,
		struct ambit_answer *ret_answer, struct ambit_error *err);
	void (*destroy)(struct ambit_approver *approver);
	/* From another thread: the question with this id has ended without an answer from here; an
	 * ask about it, running or about to, returns -ECANCELED soon. how is for people: "allowed
	 * in ambit watch", "withdrawn: the program is gone". May be NULL. */
	void (*cancel)(struct ambit_approver *approver, uint64_t question, const char *how);
	/* Set by whoever asks, or NULL. An approver that shows what became of its answer calls it
	 * before ask returns. 0: the answer counts. Else ask returns the same, and err says why:
	 * "allowed in ambit watch". */
	int (*settle)(void *data, uint64_t question, const struct ambit_answer *answer,
		struct ambit_error *err);
	void *settle_data;
	bool instant;	  /* no person: questions to it are not counted against the rate */
	const char *name; /* "tty", "exec", "deny", "allow": recorded with the answer */
};

void ambit_approver_destroy(struct ambit_approver *approver);

/* spec: "tty", "deny", "allow" or "exec:PROG". For exec, PROG is resolved
 * now and refused if it lies beneath one of the n writable directories. */
int ambit_approver_create(const char *spec, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err);

#endif
