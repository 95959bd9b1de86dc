/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_RECORD_H
#define AMBIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/error.h>
#include <ambit/rule.h>
#include <ambit/words.h>

/* Sessions, rules and events in one SQLite database (WAL) in the state
 * directory. Events of a session form a hash chain. Secrets are taken out
 * before anything is stored. Several processes may write at once. Not for
 * use from two threads.
 *
 * What was stored survives the process, however it ends. A crash of the whole
 * machine may take the last events, never the chain: the log is synced when it
 * is moved into the database, which closing does only now and then. So the log
 * stays beside the database; a copy needs both. Who can only read these files
 * cannot keep others from writing: the locks are ambit's own (ambit.lock). */

struct ambit_record;

enum ambit_record_open {
	AMBIT_RECORD_READ = 0, /* -ENOENT if there is none; nothing is changed */
	AMBIT_RECORD_WRITE,    /* makes the directory (0700) and the database, migrates */
};

/* Errors name the file and what to do: not a database, damaged, written by a
 * newer ambit, read-only directory, full disk. */
int ambit_record_open(const char *state_dir, enum ambit_record_open how,
	struct ambit_record **ret_record, struct ambit_error *err);
void ambit_record_close(struct ambit_record *record);

/* -- sessions ------------------------------------------------------------ */

struct ambit_tool_permission {
	char *tool; /* may end in '*' */
	enum ambit_permission permission;
};

struct ambit_session {
	char *name;
	char *root; /* real path of its folder */
	char *display_root;
	int64_t created;
	int64_t updated;
	int agent_mode;	  /* enum ambit_agent_mode, or -1: as the settings say */
	int sandbox_mode; /* likewise */
	int ask_mode;
	int reads;
	bool wrote; /* the first write has happened */
	struct ambit_tool_permission *permissions;
	size_t n_permissions;
	int64_t events; /* how many events; filled by load */
};

void ambit_session_finish(struct ambit_session *session);

/* True for a name that can be stored: 1-64 of [A-Za-z0-9._-], not starting with '.' or '-'. */
bool ambit_session_name_valid(const char *name);

/* -ENOENT if there is no such session. */
int ambit_record_session_load(struct ambit_record *record, const char *name,
	struct ambit_session *ret_session, struct ambit_error *err);
/* Newest first. each returns non-zero to stop. */
int ambit_record_sessions(struct ambit_record *record,
	int (*each)(void *data, const struct ambit_session *session), void *data,
	struct ambit_error *err);

/* -- rules --------------------------------------------------------------- */

/* Stored together with a "rule" event (in the rule's session's chain, or in
 * the chain "-" for what happens outside any session). */
int ambit_record_rule_add(struct ambit_record *record, const struct ambit_rule *rule,
	int64_t *ret_id, struct ambit_error *err);
/* Told by a "revoke" event in the same chain. -ENOENT if there is no such rule
 * in force. */
int ambit_record_rule_revoke(struct ambit_record *record, int64_t id, struct ambit_error *err);

struct ambit_rule_filter {
	const char *session; /* approvals of this session; NULL: of none */
	const char *project; /* standing rules of this folder (and those for everywhere); NULL: of
				all */
	bool all_sessions;
	bool ended; /* revoked and expired ones too */
};
/* Oldest first. */
int ambit_record_rules(struct ambit_record *record, const struct ambit_rule_filter *filter,
	int (*each)(void *data, const struct ambit_rule *rule), void *data,
	struct ambit_error *err);

/* -- events -------------------------------------------------------------- */

struct ambit_event {
	const char *session;
	int64_t seq;  /* 1, 2, 3 ... within the session */
	int64_t time; /* milliseconds since the epoch */
	/* session decide ask answer result rule revoke mode permission run end judge more forget */
	const char *kind;
	const char *tool;    /* or NULL */
	const char *verdict; /* or NULL */
	const char *code;    /* or NULL */
	const char *subject; /* the path, host or command in short, escaped; or NULL */
	/* JSON object, one line. If secrets were taken out of it, a member
	 * "redacted" has the "count" of texts that lost something and the
	 * "sha256" of the line as it was: whoever knows what was taken out puts
	 * it back, leaves that member out (no spaces, sorted keys), and compares.
	 * If only the subject lost something, the digest is the subject's. */
	const char *body;
	const char *hash; /* hex; filled by queries */
};

struct ambit_event_filter {
	const char *session; /* NULL: all */
	const char *kind;
	const char *tool;
	const char *verdict;
	const char *code;
	int64_t since;	  /* time; 0: from the start */
	int64_t after_id; /* only events stored after this one */
	int64_t last;	  /* only the last N; 0: all */
};
/* In the order they were stored. id grows with every event of any session. */
int ambit_record_events(struct ambit_record *record, const struct ambit_event_filter *filter,
	int (*each)(void *data, int64_t id, const struct ambit_event *event), void *data,
	struct ambit_error *err);

/* One chain's check. broken is the seq of the first link that does not hold,
 * 0 if all do; why says what is wrong with it. */
struct ambit_chain {
	const char *session;
	int64_t events;
	int64_t broken;
	const char *why;
	const char *head; /* hex of the last hash: note it elsewhere to notice a rewritten chain */
};
/* session NULL: all. Returns 0 if the check could be made, whatever it found. */
int ambit_record_verify(struct ambit_record *record, const char *session,
	int (*each)(void *data, const struct ambit_chain *chain), void *data,
	struct ambit_error *err);

#endif
