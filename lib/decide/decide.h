/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_DECIDE_H
#define DECIDE_DECIDE_H

#include <ambit/outcome.h>
#include <ambit/policy.h>
#include <ambit/record.h>
#include <ambit/rule.h>

#include "decide/policy-memory.h"
#include "request/request-private.h"
#include "scope/guard.h"
#include "scope/scope-private.h"
#include "settings/settings-private.h"

/* The decision: a function of settings, scope, approvals, request and time.
 * Layers run in order; the most restrictive wins; the first hard deny ends
 * it; what each said is kept. */

/* A folder or file opened by a flag, the settings or a profile. */
struct grant {
	char *real;
	bool write; /* else read only */
	bool names; /* see ambit_rule.names */
};

/* How a run holds reads: by its floor, from its start on. See run-reads.c. */
enum run_reads {
	RUN_NONE = 0,	   /* it is no run: each read is decided */
	RUN_READS_FREE,	   /* but for the person's noes and the limit of reads */
	RUN_READS_GUARDED, /* and for guarded files and ambit's own */
};

/* All borrowed. */
struct decide_input {
	const struct ambit_settings *settings;
	const struct ambit_scope *scope;
	/* It is a session's own, inside another: what was given to it was given to it alone. */
	bool apart;
	const struct guards *guards;
	const char *project; /* the folder that standing rules belong to */
	const struct ambit_session *session;
	const struct grant *grants;
	size_t n_grants;
	char *const *opened;		/* profiles, beside those of the settings; or NULL */
	const struct ambit_rule *rules; /* in force for this session and folder */
	size_t n_rules;
	const struct once *once; /* what processes were allowed once; see decide/once.h */
	size_t n_once;
	const struct ambit_policy *policy; /* the harness' own, or NULL */
	struct policy_memory *answers;	   /* of the policy program; NULL: none is remembered */
	const struct ambit_request *request;
	enum run_reads run;
	bool again; /* decided before: what lies there must still be the same */
	int64_t now;
	int64_t steady; /* the same moment on a clock that nobody sets: for once */
};

/* What a layer reads and writes while it decides. */
struct decision {
	const struct decide_input *in;
	struct ambit_outcome *out;
	struct path_facts *resolved; /* beside out->paths */
	const char *layer;	     /* whose turn it is */
	enum ambit_danger danger;    /* of the tool itself, as accepted so far */
	bool ended;		     /* what was said last is the end of it: a hard deny, mostly */
	bool firm;		     /* an ask that no mode may lift */
	bool host_asked;
	bool net_off;		     /* no host is reached */
	const struct ambit_rule *no; /* that memory said, or NULL */
	bool scratch;  /* a path is open because it is the session's own in a scratch directory */
	bool bypassed; /* an ask was lifted by ask_mode alone */
	bool brings; /* a directory takes a guard along: the hand reads in the permit that it may */
	bool silent; /* nobody reads the words: none are made, and paths are borrowed */
	int failed;  /* -ENOMEM: the outcome is Internal */
};

/* Always fills ret_outcome. ret_resolved (beside ret_outcome->paths) may be
 * NULL; else the caller frees it with decide_resolved_free. */
void decide(const struct decide_input *in, struct ambit_outcome *ret_outcome,
	struct path_facts **ret_resolved);
void decide_resolved_free(struct path_facts *resolved, size_t n);

#define DECIDE_OBJECTS_MAX 8 /* an exchange with all that it reads and writes has fewer */

/* The verdict of decide() without its words, in about a microsecond: the same layers over the same
 * request, which is about objects or a host. AMBIT_ASK also where a whole decision is needed: a
 * policy reads the words, and what only ask_mode allows is recorded. */
enum ambit_verdict decide_verdict(const struct decide_input *in);

/* -- for layers ------------------------------------------------------------ */

/* The layer's word. Narrows the outcome, or leaves it. */
void decision_say(struct decision *d, enum ambit_verdict verdict, enum ambit_code code, bool hard,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The same for a verdict whose words are made elsewhere, or by nobody. */
void decision_narrow(
	struct decision *d, enum ambit_verdict verdict, enum ambit_code code, bool hard);

/* Lets a judge answer the ask that this layer said last. Only paths.c calls it, for an ordinary
 * file outside. Every other ask goes to a person: guards, policies, commands, and anything
 * that a person set to ask. */
void decision_judge(struct decision *d);

/* ASK on the call itself. */
void decision_ask_call(struct decision *d, enum ambit_code code, const char *reason);

/* The session's choice or the person's, narrowed by the folder. */
int decision_mode(int session, int person, int folder, int by_default);

void request_decide(struct decision *d);
void modes_decide(struct decision *d);
void permission_decide(struct decision *d);
void paths_decide(struct decision *d);
void hosts_decide(struct decision *d);
void effects_decide(struct decision *d);
void policy_decide(struct decision *d);
void memory_decide(struct decision *d);
void histories_decide(struct decision *d);
void special_decide(struct decision *d);
void run_reads_decide(struct decision *d);
void destinations_decide(struct decision *d);

/* Whether a policy is asked about requests. */
bool policy_is_set(const struct decide_input *in);

/* Whether it is a deny about nothing but histories. */
bool histories_are_all(const struct decision *d);

void terminals_decide(struct decision *d);

/* How a person can allow it, for ambit_outcome.advice; caller frees. NULL: no way is known. */
char *advise_opening(const struct decision *d);

/* "Go on without it", and the rule by which a person can open it, as a command for a shell. op is
 * "write" or "connect". */
void decision_hint_rule(struct decision *d, const char *op, const char *subject);

/* Whether a run cannot begin because of what is said about reads, with the words. for_call: a
 * tool's call starts it, which was decided. */
bool run_reads_find_fault(const struct decide_input *in, bool for_call, char *text, size_t size);
/* Whether this rule is a no that the floor holds: no newer one about the same path lifts it. */
bool run_reads_has_no(const struct decide_input *in, const struct ambit_rule *rule);
/* Whether a command reads in the folder, in grants and the system's places alone. */
bool run_reads_are_limited(const struct decide_input *in);

/* One path that is already resolved: pure, no system call. */
void paths_decide_one(const struct decide_input *in, const struct path_facts *resolved,
	enum ambit_access access, struct ambit_outcome_path *ret, bool *ret_hard,
	const struct guard **ret_guard);

/* Whether the directory that a path lies in is open to writes, but for guards: it is in the folder,
 * in a granted folder, or in one that an answer opened. */
bool paths_is_open_beside(const struct decide_input *in, const char *real);

/* Adds the path of an object to the outcome, with the object's own name; NULL: no memory. */
struct ambit_outcome_path *paths_add_object(struct decision *d, const struct request_path *asked);

/* paths_decide_one for what the kernel line resolved: scratch of the session's own is
 * open as well. True: it is open for that alone. */
bool paths_decide_object(const struct decide_input *in, const struct path_facts *object,
	struct ambit_outcome_path *ret, bool *ret_hard, const struct guard **ret_guard);

/* Net as it is: the person's, narrowed by the folder. */
enum ambit_net decision_net(const struct ambit_settings *settings);

/* -- memory ---------------------------------------------------------------- */

/* What the lists say of a tool, or -1: the session's and the person's
 * (*ret_from: "session", "person"), and the folder's. */
int permission_said(const struct decide_input *in, const char **ret_from);
int permission_folder(const struct decide_input *in);

/* The most specific rule for (op, subject), or NULL. For paths, guarded says that a
 * rule counts only if it names the guard itself, not a folder above it. */
const struct ambit_rule *memory_find(
	const struct decide_input *in, enum ambit_op op, const char *subject, bool guarded);

/* Whether memory leaves a path allowed, or makes it so; no words. path is as
 * paths_decide_object filled it. */
bool memory_allows(
	const struct decide_input *in, const struct ambit_outcome_path *path, const char *real);

/* Not revoked, not expired, and for this process if it is for one only. */
bool memory_in_force(const struct decide_input *in, const struct ambit_rule *rule);

/* Whether a grant or rule with this subject and reach opens real. Guarded: only if it is about the
 * guard itself. */
enum reach {
	REACH_THIS = 0,
	REACH_BENEATH,
	REACH_NAMES, /* see ambit_rule.names */
};
bool memory_covers(const struct decide_input *in, const char *subject, enum reach reach,
	const char *real, bool guarded, bool reads);

/* -- words ----------------------------------------------------------------- */

/* The folder as messages show it. Caller frees. */
char *explain_folder(const struct ambit_scope *scope);

/* reads as they are now: until-first-write is settled by the session. */
enum ambit_reads decision_reads(const struct decide_input *in);

#endif
