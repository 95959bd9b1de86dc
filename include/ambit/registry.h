/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_REGISTRY_H
#define AMBIT_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/engine.h>
#include <ambit/error.h>
#include <ambit/execute.h>
#include <ambit/settings.h>
#include <ambit/words.h>

/* Tools bound to an engine. A call goes one way: known tool? arguments as the
 * schema says? decided, approved, no loop; then it runs, what came from elsewhere
 * is labelled, and the result is recorded. A call that is refused or fails has a
 * result like any other: a code, and words that say where it tried to go, where
 * the line is, and what to do instead.
 *
 * Calls may be made from many threads at once. The engine is used by one of them
 * at a time, and by nobody else until the registry is gone (ambit_registry_lock). */

struct ambit_registry;
struct ambit_permit;

/* Sub-agents: made by ambit's own doors alone. */
struct ambit_agents;

struct ambit_registry_options {
	struct ambit_engine *engine;	   /* borrowed */
	struct ambit_executor *executor;   /* borrowed; NULL: there is no bash */
	const char *no_bash;		   /* borrowed: why there is no executor; NULL: not said */
	const struct ambit_agents *agents; /* copied; NULL: there are no sub-agents */
};

int ambit_registry_create(const struct ambit_registry_options *options,
	struct ambit_registry **ret_registry, struct ambit_error *err);
/* No call is running any more. Ends commands in the background. Accepts NULL. */
void ambit_registry_destroy(struct ambit_registry *registry);

/* For doors that use the engine beside the registry (decide, answer, log). */
void ambit_registry_lock(struct ambit_registry *registry);
void ambit_registry_unlock(struct ambit_registry *registry);

/* -- tools ------------------------------------------------------------------------ */

struct ambit_tool_path {
	const char *argument; /* a string, or an array of them; among input's properties */
	enum ambit_access access;
	bool follow; /* a symlink at its end is what it leads to */
};

struct ambit_invocation;

/* A tool of the harness' own. Everything is borrowed for as long as the registry
 * lives. */
struct ambit_tool {
	const char *name;   /* [A-Za-z0-9_.-], not one of ambit's own or their aliases */
	const char *title;  /* for people, or NULL */
	const char *text;   /* for models */
	const char *input;  /* JSON schema of its arguments: an object */
	const char *output; /* of its structured result, or NULL */
	/* AMBIT_READ ...; none: unknown, and so dangerous. What a tool says that reaches
	 * the network, or may, is labelled: its text, the words of its failure, and each
	 * string of its structured result; all of that as one string, "text", where there
	 * is a key in it that output does not name among its properties. */
	unsigned effects;
	enum ambit_danger danger;
	enum ambit_permission permission;    /* by default */
	const struct ambit_tool_path *paths; /* end in a row without argument; or NULL */
	/* 0, or -errno with words. What it says, it says with the functions below; a call
	 * of one that says nothing, or has an output and sets none, has failed. What it
	 * said before it failed is told with the failure. */
	int (*run)(struct ambit_invocation *invocation, void *data, struct ambit_error *err);
	void *data;
};

/* -EEXIST, -EINVAL with words. Before the first call. */
int ambit_registry_add(
	struct ambit_registry *registry, const struct ambit_tool *tool, struct ambit_error *err);

/* What a list of tools shows. Strings are static or the registry's. */
struct ambit_tool_entry {
	const char *name, *title, *text;
	const char *input, *output; /* JSON; output may be NULL */
	unsigned effects;
	enum ambit_danger danger;
	bool slow; /* may take long: bash, webfetch, glob, grep, extract */
};
/* In the order of the table, then as added. 0 when there is none. */
int ambit_registry_at(
	const struct ambit_registry *registry, size_t i, struct ambit_tool_entry *ret_entry);
int ambit_registry_find(const struct ambit_registry *registry, const char *name,
	struct ambit_tool_entry *ret_entry);

/* The text that tells a model its scope, what holds its shell here, and what the marks
 * around untrusted content mean. With the lock, if calls may be running. Caller frees;
 * NULL without memory. */
char *ambit_registry_brief(const struct ambit_registry *registry);

/* -- within a run ------------------------------------------------------------------- */

/* The arguments, as JSON text. */
const char *ambit_invocation_args(const struct ambit_invocation *invocation);
/* The right to act on what was decided; finished by the registry. */
struct ambit_permit *ambit_invocation_permit(struct ambit_invocation *invocation);
/* Readable when the call is to end. */
int ambit_invocation_cancel(const struct ambit_invocation *invocation);
void ambit_invocation_progress(
	struct ambit_invocation *invocation, double done, double total, const char *message);
/* What the model reads, and the same for programs (a JSON object); copied. */
int ambit_invocation_say(struct ambit_invocation *invocation, const char *text, size_t len);
int ambit_invocation_set(struct ambit_invocation *invocation, const char *json);
/* It came from elsewhere: labelled. source is shown outside of the marks, so it is no
 * word of theirs. */
void ambit_invocation_untrusted(struct ambit_invocation *invocation, const char *source);

/* -- calls -------------------------------------------------------------------------- */

struct ambit_call_options {
	const char *cwd; /* relative paths; NULL: display_root */
	/* The scope of this call: a JSON object {"root", "display_root", "enforce_write",
	 * "allow_bash"}, as in a request of `ambit decide`; never wider than the engine's, which
	 * it is if NULL. Commands are held to it only by the KERNEL backend: with any other there
	 * is no bash in a narrower scope. */
	const char *scope;
	/* 'command' of bash may be a list of words: see ambit_execution.argv. */
	bool words;
	int cancel; /* a descriptor: readable when the call is to end; -1 */
	/* Whose call it is, where several share a registry: nobody waits for an answer to
	 * another's question, and none ends with another. */
	uint64_t origin;
	/* Puts a question that this call waits for, in this call's thread, without
	 * any lock. As ambit_approver.ask; NULL: the engine's approver. -EINPROGRESS:
	 * the answer will come with another call; the result then has the question. */
	int (*ask)(void *data, const struct ambit_question *question,
		struct ambit_answer *ret_answer, struct ambit_error *err);
	/* ask puts the question about the call itself, before the call runs. It may return
	 * -EINPROGRESS. Questions while the call runs (a command's crossing, a redirect) go to
	 * ask_running, or to the engine's approver if that is NULL. */
	bool before;
	/* As ask, if before is set. Called from several threads; never returns -EINPROGRESS. */
	int (*ask_running)(void *data, const struct ambit_question *question,
		struct ambit_answer *ret_answer, struct ambit_error *err);
	/* The call begins to wait for an answer, and goes on: its thread is idle between. May be
	 * NULL. */
	void (*waits)(void *data, bool begins);
	/* From another thread: the question has ended without an answer from ask, though the call
	 * goes on; an ask about it returns -ECANCELED soon. how is for people: "allowed in ambit
	 * watch". May be NULL. */
	void (*withdraw)(void *data, uint64_t question, const char *how);
	/* As ask and withdraw, with after as data, for a command that goes on when the call has
	 * ended (bash with background): until the registry is gone, or its commands are ended.
	 * NULL: its questions wait for a call of bash_output that has an ask. */
	int (*ask_after)(void *after, const struct ambit_question *question,
		struct ambit_answer *ret_answer, struct ambit_error *err);
	void (*withdraw_after)(void *after, uint64_t question, const char *how);
	void *after;
	/* No model reads the result: what is not trusted has no marks. For tools that say so
	 * themselves: run_agent. */
	bool unlabelled;
	const char *approver; /* how the record calls the one who answers by ask */
	void (*progress)(void *data, double done, double total, const char *message);
	void *data;
};

struct ambit_result {
	bool failed;	      /* refused, or it went wrong */
	enum ambit_code code; /* AMBIT_CODE_NONE unless failed */
	char *text;	      /* what the model reads; UTF-8 */
	char *structured;     /* a JSON object: the tool's own, or {"error","message",...} */
	bool cancelled;
	struct ambit_question *question; /* after -EINPROGRESS; else NULL */
};
void ambit_result_finish(struct ambit_result *result);

/* Ends the commands that calls of this origin left in the background, and waits for them. No call
 * of it is running any more. */
void ambit_registry_end_commands(struct ambit_registry *registry, uint64_t origin);

/* Runs to its end. args: a JSON object as text. Always fills the result; -ENOMEM
 * alone is an error. */
int ambit_registry_call(struct ambit_registry *registry, const char *tool, const char *args,
	size_t len, const struct ambit_call_options *options, struct ambit_result *ret_result);

#endif
