/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary: every word that JSON, settings and the command line share,
 * with its help. It turns words into numbers and back, and nothing else. */

#include "base/str.h"
#include "request/answers.h"

#include <ambit/words.h>

const struct ambit_word ambit_verdicts[] = {
	{ "deny", AMBIT_DENY, "it does not happen" },
	{ "ask", AMBIT_ASK, "a person has to say yes" },
	{ "allow", AMBIT_ALLOW, "it happens" },
	{ 0 },
};

const struct ambit_word ambit_permissions[] = {
	{ "allow", AMBIT_PERMISSION_ALLOW, "runs without a question" },
	{ "ask", AMBIT_PERMISSION_ASK, "a person is asked each time" },
	{ "deny", AMBIT_PERMISSION_DENY, "never runs" },
	{ 0 },
};

/* The third part of a refusal: what a model should do instead. */
const struct ambit_word ambit_codes[] = {
	{ "Internal", AMBIT_CODE_INTERNAL,
		"Something failed inside ambit and nothing was done. Report it; do not look for a "
		"way around." },
	{ "", AMBIT_CODE_NONE, "" },
	{ "OutOfScope", AMBIT_CODE_OUT_OF_SCOPE,
		"Leave it, finish what is inside, and report it to the parent in your summary." },
	{ "BashNotAllowed", AMBIT_CODE_BASH_NOT_ALLOWED,
		"Use the file tools instead, and name the command that still has to be run in your "
		"summary." },
	{ "Denied", AMBIT_CODE_DENIED,
		"Do not try it again in another form. Go on without it, or ask what is wanted." },
	{ "PlanMode", AMBIT_CODE_PLAN_MODE,
		"Nothing may change in plan mode: read, and describe the change you would make." },
	{ "ReadOnly", AMBIT_CODE_READ_ONLY,
		"This session is read-only: describe the change instead of making it." },
	{ "Unresolvable", AMBIT_CODE_UNRESOLVABLE,
		"Check the path: it loops, is too long, or is not a path. Use a plain one." },
	{ "SymlinkEscape", AMBIT_CODE_SYMLINK_ESCAPE,
		"A symlink leads out of the folder. Work on a path whose real place is inside, or "
		"let a "
		"person grant the target." },
	{ "Protected", AMBIT_CODE_PROTECTED,
		"These are ambit's own files. Nobody can grant them here; leave them alone." },
	{ "Guarded", AMBIT_CODE_GUARDED,
		"What stands here is run later with the person's rights. Go on without it unless "
		"the "
		"person says yes, and say why it is needed." },
	{ "GuardedRead", AMBIT_CODE_GUARDED_READ,
		"This may hold a secret. Go on without reading it unless the person says yes." },
	{ "Outside", AMBIT_CODE_OUTSIDE,
		"Work inside the folder if you can; else name it in your summary, and do not try "
		"another way to the same place." },
	{ "HostNotAllowed", AMBIT_CODE_HOST_NOT_ALLOWED,
		"Use what is already here, or name the host and what you need from it in your "
		"summary." },
	{ "UnknownTool", AMBIT_CODE_UNKNOWN_TOOL,
		"Use one of the known tools, or declare the effects of this one." },
	{ "BadArguments", AMBIT_CODE_BAD_ARGUMENTS, "Correct the arguments and call again." },
	{ "Timeout", AMBIT_CODE_TIMEOUT,
		"It took too long and was ended. Try a smaller step or a longer timeout." },
	{ "LoopDetected", AMBIT_CODE_LOOP_DETECTED,
		"The same call keeps coming back with the same result. Try something else." },
	{ 0 },
};

const struct ambit_word ambit_dangers[] = {
	{ "read-only", AMBIT_DANGER_READ_ONLY, "changes nothing" },
	{ "write", AMBIT_DANGER_WRITE, "changes files it names" },
	{ "dangerous", AMBIT_DANGEROUS, "can do more than it names" },
	{ 0 },
};

const struct ambit_word ambit_effects[] = {
	{ "read", AMBIT_READ, "reads files" },
	{ "write", AMBIT_WRITE, "changes files" },
	{ "exec", AMBIT_EXEC, "runs programs" },
	{ "network", AMBIT_NETWORK, "talks to other machines" },
	{ "mutate", AMBIT_MUTATE, "changes something outside this machine's files" },
	{ 0 },
};

const struct ambit_word ambit_agent_modes[] = {
	{ "build", AMBIT_BUILD, "the agent may change things, as its permissions say" },
	{ "plan", AMBIT_PLAN, "every tool that can write, run or change anything is denied" },
	{ 0 },
};

const struct ambit_word ambit_sandbox_modes[] = {
	{ "default-write", AMBIT_DEFAULT_WRITE, "writes are allowed inside the folder" },
	{ "workspace-write", AMBIT_DEFAULT_WRITE, "the same" },
	{ "read-only", AMBIT_SANDBOX_READ_ONLY, "every write is denied" },
	{ 0 },
};

const struct ambit_word ambit_ask_modes[] = {
	{ "ask-dangerous", AMBIT_ASK_DANGEROUS, "ask for what is dangerous" },
	{ "ask-any-write", AMBIT_ASK_ANY_WRITE, "ask for every write too" },
	{ "bypass", AMBIT_BYPASS, "what could be asked is allowed; hard refusals stay" },
	{ 0 },
};

const struct ambit_word ambit_reads_words[] = {
	{ "anywhere", AMBIT_READS_ANYWHERE, "reads range over everything but guarded secrets" },
	{ "until-first-write", AMBIT_READS_UNTIL_FIRST_WRITE,
		"anywhere, until the session first writes; then only the folder" },
	{ "folder", AMBIT_READS_FOLDER, "only the folder and its grants" },
	{ 0 },
};

const struct ambit_word ambit_nets[] = {
	{ "none", AMBIT_NET_NONE, "no connection at all, not to allowed hosts either" },
	{ "ask", AMBIT_NET_ASK, "hosts that are not allowed are asked about" },
	{ "open", AMBIT_NET_OPEN, "every host is allowed" },
	{ 0 },
};

const struct ambit_word ambit_accesses[] = {
	{ "write", AMBIT_ACCESS_WRITE, "create or change what the path leads to" },
	{ "delete", AMBIT_ACCESS_DELETE, "remove the name, or move it away" },
	{ "replace", AMBIT_ACCESS_REPLACE, "put something else under the name" },
	{ "mkdir", AMBIT_ACCESS_MKDIR, "create a directory" },
	{ "read", AMBIT_ACCESS_READ, "read one file, list one directory" },
	{ "read-tree", AMBIT_ACCESS_READ_TREE, "read everything beneath" },
	{ 0 },
};

const struct ambit_word ambit_ops[] = {
	{ "write", AMBIT_OP_WRITE, "change, create, replace or remove a path" },
	{ "read", AMBIT_OP_READ, "read a path" },
	{ "connect", AMBIT_OP_CONNECT, "connect to a host" },
	{ "call", AMBIT_OP_CALL, "call a tool with exactly these arguments, or a kind of command" },
	{ 0 },
};

/* The answers, once for the two tables below: ROW(kind, name, key, label, title, help at
 * the prompt, text). */
/* clang-format off */
#define ANSWERS(ROW) \
	ROW(AMBIT_NO, "no", 'n', "no", "no, this time") \
	ROW(AMBIT_NO_SESSION, "no-session", 'N', "no, for this session", "no, for this session") \
	ROW(AMBIT_ONCE, "once", 'y', "once", "yes, this once") \
	ROW(AMBIT_FILE, "file", 's', "exactly this, this session", \
		"yes, this path, call or host, for this session") \
	ROW(AMBIT_FOLDER, "folder", 'd', "this folder, this session", \
		"yes, everything beneath this folder, or all hosts of this pattern, for this session") \
	ROW(AMBIT_ALWAYS, "always", 'a', "exactly this", \
		"yes, as a standing rule of this project folder")

#define WORD(kind, name, key, label, text) { name, kind, text },
#define SHOWN(kind, name, key, label, text) [kind] = { key, label },

const struct ambit_word ambit_answers[] = { ANSWERS(WORD) { 0 } };
const struct answer_row answer_rows[] = { ANSWERS(SHOWN) };
/* clang-format on */

const struct ambit_word ambit_backends[] = {
	{ "kernel", AMBIT_BACKEND_KERNEL, "ambit run around each command: the line holds it" },
	{ "prefix", AMBIT_BACKEND_PREFIX, "another sandbox: its words in front of the command" },
	{ "subprocess", AMBIT_BACKEND_SUBPROCESS, "nothing holds it" },
	{ 0 },
};

const char *
ambit_word_name(const struct ambit_word *table, int value)
{
	for (; table->name; table++)
		if (table->value == value)
			return table->name;
	return "?";
}

const struct ambit_word *
ambit_word_find(const struct ambit_word *table, const char *name)
{
	for (; name && table->name; table++)
		if (streq(table->name, name))
			return table;
	return NULL;
}
