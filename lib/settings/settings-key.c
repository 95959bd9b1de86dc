/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings. A row says what a value looks like, where it is
 * kept, what holds without it, and what a file inside the folder, which
 * anybody may have written, can do with it. */

#include "base/str.h"
#include "settings/settings-key.h"

#define AT(member) .offset = offsetof(struct settings_values, member)

static const struct key keys[] = {
	{
		.name = "$schema",
		.type = KEY_NOTHING,
		.narrow = NARROW_ANY,
		.text = "the schema of this file, for editors; ambit does not look at it",
	},
	{
		.name = "agent_mode",
		.type = KEY_WORD,
		.narrow = NARROW_ENUM,
		AT(agent_mode),
		.words = ambit_agent_modes,
		.fallback = "\"build\"",
		.text = "plan: nothing can be written, run or changed; build: work",
	},
	{
		.name = "sandbox_mode",
		.type = KEY_WORD,
		.narrow = NARROW_ENUM,
		AT(sandbox_mode),
		.words = ambit_sandbox_modes,
		.fallback = "\"default-write\"",
		.text = "whether the folder can be written at all",
	},
	{
		.name = "ask_mode",
		.type = KEY_WORD,
		.narrow = NARROW_ENUM,
		AT(ask_mode),
		.words = ambit_ask_modes,
		.fallback = "\"ask-dangerous\"",
		.text = "what the person is asked about",
	},
	{
		.name = "reads",
		.type = KEY_WORD,
		.narrow = NARROW_ENUM,
		AT(reads),
		.words = ambit_reads_words,
		.fallback = "\"anywhere\"",
		.text = "where files can be read",
	},
	{
		.name = "net",
		.type = KEY_WORD,
		.narrow = NARROW_ENUM,
		AT(net),
		.words = ambit_nets,
		.fallback = "\"ask\"",
		.text = "whether hosts that are not allowed by name can be reached",
	},
	{
		.name = "allow_bash",
		.type = KEY_FLAG,
		.narrow = NARROW_FALSE,
		AT(allow_bash),
		.fallback = "true",
		.text = "whether shell commands can be run at all",
	},
	{
		.name = "permissions",
		.type = KEY_PERMISSIONS,
		.narrow = NARROW_PERMISSIONS,
		AT(permissions),
		.fallback = "{}",
		.text = "allow, ask or deny per tool; a name may end in '*', and one that is "
			"only near a known tool's is refused",
	},
	{
		.name = "by_side_effect",
		.type = KEY_EFFECTS,
		.narrow = NARROW_PERMISSIONS,
		AT(by_side_effect),
		.fallback = "{}",
		.text = "allow, ask or deny per effect of a request",
	},
	{
		.name = "policy",
		.type = KEY_POLICY,
		.narrow = NARROW_ANY,
		AT(policy),
		.text = "a policy that narrows whatever else was decided",
	},
	{
		.name = "policy_program",
		.type = KEY_PROGRAM,
		.narrow = NARROW_NEVER,
		AT(policy_program),
		.text = "a program that gets every request and can only narrow",
	},
	{
		.name = "judge",
		.type = KEY_JUDGE,
		.narrow = NARROW_NEVER,
		AT(judge),
		.text = "a program or model that is asked before the person, and can only say yes",
	},
	{
		.name = "guard_writes",
		.type = KEY_PATTERNS,
		.narrow = NARROW_ADD,
		AT(guard_writes),
		.fallback = "[]",
		.text = "more names whose writing is asked about even inside the folder",
	},
	{
		.name = "guard_reads",
		.type = KEY_PATTERNS,
		.narrow = NARROW_ADD,
		AT(guard_reads),
		.fallback = "[]",
		.text = "more names whose reading is asked about",
	},
	{
		.name = "unguard_writes",
		.type = KEY_PATTERNS,
		.narrow = NARROW_NEVER,
		AT(unguard_writes),
		.fallback = "[]",
		.text = "write guards to take away",
	},
	{
		.name = "unguard_reads",
		.type = KEY_PATTERNS,
		.narrow = NARROW_NEVER,
		AT(unguard_reads),
		.fallback = "[]",
		.text = "read guards to take away",
	},
	{
		.name = "write",
		.type = KEY_PATHS,
		.narrow = NARROW_NEVER,
		AT(write),
		.fallback = "[]",
		.text = "more folders and files that can be written",
	},
	{
		.name = "read",
		.type = KEY_PATHS,
		.narrow = NARROW_NEVER,
		AT(read),
		.fallback = "[]",
		.text = "folders and files that can be read where reading is limited or guarded",
	},
	{
		.name = "allow_hosts",
		.type = KEY_HOSTS,
		.narrow = NARROW_NEVER,
		AT(allow_hosts),
		.fallback = "[]",
		.text = "hosts that can be reached without a question",
	},
	{
		.name = "deny_hosts",
		.type = KEY_HOSTS,
		.narrow = NARROW_ADD,
		AT(deny_hosts),
		.fallback = "[]",
		.text = "hosts that can never be reached",
	},
	{
		.name = "profiles",
		.type = KEY_PROFILES,
		.narrow = NARROW_NEVER,
		AT(profiles),
		.fallback = "[]",
		.text = "agents and tools whose own state folders and hosts are opened",
	},
	{
		.name = "ask",
		.type = KEY_ASKER,
		.narrow = NARROW_NEVER,
		AT(ask),
		.text = "who answers: tty, deny, allow or exec:/path/of/program",
	},
	{
		.name = "question_timeout",
		.type = KEY_COUNT,
		.narrow = NARROW_NEVER,
		AT(question_timeout),
		.max = 7 * 24 * 3600,
		.fallback = "0",
		.text = "seconds until an open question is a no, whoever is asked; 0: never",
	},
	{
		.name = "client_timeout",
		.type = KEY_COUNT,
		.narrow = NARROW_NEVER,
		AT(client_timeout),
		.min = 1,
		.max = 7 * 24 * 3600,
		.fallback = "300",
		.text = "seconds that a client of mcp or serve, or a program that answers, has for "
			"one answer; a terminal and ambit watch have no such limit",
	},
	{
		.name = "bell",
		.type = KEY_FLAG,
		.narrow = NARROW_NEVER,
		AT(bell),
		.fallback = "true",
		.text = "whether a question rings: the terminal's bell, and a desktop notification "
			"from terminals that are known to show one",
	},
	{
		.name = "notify_command",
		.type = KEY_COMMAND,
		.narrow = NARROW_NEVER,
		AT(notify_command),
		.text = "a program and its arguments, started at each question that a person has "
			"to answer; it gets the question as JSON on its standard input",
	},
	{
		.name = "loop_limit",
		.type = KEY_COUNT,
		.narrow = NARROW_COUNT,
		AT(loop_limit),
		.max = 1000000,
		.fallback = "5",
		.text = "how often in a row the same tool call may be made before it is refused as "
			"a loop; 0: no limit",
	},
	{
		.name = "agents",
		.type = KEY_AGENTS,
		.narrow = NARROW_NEVER,
		AT(agents),
		.fallback = "{}",
		.text = "commands that agents can be started by, beside the ready ones",
	},
	{
		.name = "agent_timeout",
		.type = KEY_COUNT,
		.narrow = NARROW_COUNT,
		AT(agent_timeout),
		.max = 7 * 24 * 3600,
		.fallback = "1800",
		.text = "seconds until an agent that was started is ended; 0: never",
	},
	{
		.name = "agent_depth",
		.type = KEY_COUNT,
		.narrow = NARROW_COUNT,
		AT(agent_depth),
		.min = 1,
		.max = 16,
		.fallback = "3",
		.text = "how deep agents can start agents",
	},
	{
		.name = "agents_at_once",
		.type = KEY_COUNT,
		.narrow = NARROW_COUNT,
		AT(agents_at_once),
		.min = 1,
		.max = 128,
		.fallback = "8",
		.text = "how many agents of one parent run at once; others wait",
	},
	{
		.name = "agent_output",
		.type = KEY_COUNT,
		.narrow = NARROW_COUNT,
		AT(agent_output),
		.min = 1000,
		.max = 1000000,
		.fallback = "30000",
		.text = "bytes that are kept of an agent's last words",
	},
	{
		.name = "children_ask",
		.type = KEY_FLAG,
		.narrow = NARROW_FALSE,
		AT(children_ask),
		.fallback = "false",
		.text = "whether an agent's own agents ask about what is outside their folder",
	},
	/* The record is about whoever wrote the file in the folder: it says nothing there. */
	{
		.name = "record_session_max",
		.type = KEY_COUNT,
		.narrow = NARROW_NEVER,
		AT(record_session_max),
		.max = 100000000,
		.fallback = "20000",
		.text = "events that one session records one by one; further ones are counted by "
			"place; 0: no limit",
	},
	{
		.name = "record_max",
		.type = KEY_COUNT,
		.narrow = NARROW_NEVER,
		AT(record_max),
		.max = 1000000,
		.fallback = "1024",
		.text = "megabytes of the record from which on the oldest ended sessions are "
			"removed; 0: no limit",
	},
	{
		.name = "keep_days",
		.type = KEY_COUNT,
		.narrow = NARROW_NEVER,
		AT(keep_days),
		.max = 36500,
		.fallback = "90",
		.text = "days after its last event that a session is removed from the record; 0: "
			"never",
	},
};

_Static_assert(sizeof(keys) / sizeof(keys[0]) == KEYS_N, "KEYS_N counts the table");

const struct key *
key_at(size_t i)
{
	return i < KEYS_N ? &keys[i] : NULL;
}

const struct key *
key_find(const char *name)
{
	for (size_t i = 0; i < KEYS_N; i++)
		if (streq(keys[i].name, name))
			return &keys[i];
	return NULL;
}

size_t
key_index(const struct key *key)
{
	return (size_t)(key - keys);
}

const char *
key_name_at(const void *data, size_t i)
{
	(void)data;
	return i < KEYS_N ? keys[i].name : NULL;
}
