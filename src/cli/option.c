/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options. An option means the same wherever it is taken; a
 * command only lists which ones it takes. */

#include <ambit/execute.h>

#include "cli.h"

static const struct ambit_word event_kinds[] = {
	{ "session", 0, "a session began or went on" },
	{ "decide", 1, "a decision" },
	{ "ask", 2, "a question to the person" },
	{ "answer", 3, "the answer" },
	{ "result", 4, "what came of an act" },
	{ "rule", 5, "a rule was stored" },
	{ "revoke", 6, "a rule was revoked" },
	{ "mode", 7, "a mode was changed" },
	{ "permission", 8, "a tool's permission was changed" },
	{ "run", 9, "a command was started with the line around it" },
	{ "end", 10, "it ended" },
	{ "judge", 11, "the judge passed a question on to the person" },
	{ "more", 12, "events that were counted, not written one by one" },
	{ "forget", 13, "sessions were removed from the record" },
	{ "evict", 14, "something that came where it must not be was put into the attic" },
	{ "profile", 15, "what was added to a command for its profile" },
	{ 0 },
};

static const struct ambit_word doors[] = {
	{ "run", 0, "a command behind the line" },
	{ "mcp", 1, "a tool call of ambit mcp" },
	{ "serve", 2, "a tool call of ambit serve" },
	{ "decide", 3, "a tool call that a harness makes itself" },
	{ 0 },
};

const struct option_row option_rows[OPT_N] = {
	[OPT_FOLDER] = {
		.name = "folder",
		.arg = "DIR",
		.decides = true,
		.text = "the folder; without it, the current directory",
	},
	[OPT_SESSION] = {
		.name = "session",
		.arg = "NAME",
		.decides = true,
		.text = "the session whose modes, permissions and approvals hold",
	},
	[OPT_SETTINGS] = {
		.name = "settings",
		.arg = "FILE",
		.decides = true,
		.text = "settings in place of the person's own",
	},
	[OPT_JSON] = {
		.name = "json",
		.text = "JSON in place of text",
	},
	[OPT_READS] = {
		.name = "reads",
		.arg = "WHERE",
		.words = ambit_reads_words,
		.key = "reads",
		.decides = true,
		.text = "where files can be read; a read that is refused to a command is "
			"refused by the kernel: nobody is asked, and nothing is recorded",
	},
	[OPT_READ_ONLY] = {
		.name = "read-only",
		.key = "sandbox_mode",
		.value = "read-only",
		.decides = true,
		.text = "nothing can be written",
	},
	[OPT_MODE] = {
		.name = "mode",
		.arg = "MODE",
		.words = ambit_agent_modes,
		.key = "agent_mode",
		.decides = true,
		.text = "plan: nothing can be written, run or changed",
	},
	[OPT_ASK_MODE] = {
		.name = "ask-mode",
		.arg = "MODE",
		.words = ambit_ask_modes,
		.key = "ask_mode",
		.decides = true,
		.text = "what a person is asked about",
	},
	[OPT_WRITE] = {
		.name = "write",
		.arg = "PATH",
		.key = "write",
		.many = true,
		.decides = true,
		.text = "a further folder or file that can be written",
	},
	[OPT_READ] = {
		.name = "read",
		.arg = "PATH",
		.key = "read",
		.many = true,
		.decides = true,
		.text = "a folder or file that can be read where reading is limited or guarded",
	},
	[OPT_FOR] = {
		.name = "for",
		.arg = "NAMES",
		.key = "profiles",
		.many = true,
		.decides = true,
		.text = "agents and tools, by commas, whose own folders and hosts are open",
	},
	[OPT_ALLOW_HOST] = {
		.name = "allow-host",
		.arg = "PATTERN",
		.key = "allow_hosts",
		.many = true,
		.decides = true,
		.text = "a host that can be reached without a question: name, *.name, name:port, "
			"address or network",
	},
	[OPT_NET] = {
		.name = "net",
		.arg = "MODE",
		.words = ambit_nets,
		.key = "net",
		.decides = true,
		.text = "whether hosts that are not allowed by name can be reached",
	},
	[OPT_UDP] = {
		.name = "udp",
		.text = "connect: by UDP, not TCP; of a unix socket: by datagrams",
	},
	[OPT_PROXY] = {
		.name = "proxy",
		.text = "give the command a proxy for https (https_proxy), which decides as the "
			"line "
			"does: for programs that look names up in a way of their own",
	},
	[OPT_ASK] = {
		.name = "ask",
		.arg = "WHO",
		.key = "ask",
		.text = "who answers: tty, deny, allow or exec:PROG; without it the person at the "
			"terminal of 'run', or nobody if there is none",
	},
	[OPT_GUARD_READS] = {
		.name = "guard-reads",
		.decides = true,
		.text = "keep keys, credentials and ambit's own record unreadable; the kernel "
			"refuses it: nobody is asked, and nothing is recorded",
	},
	[OPT_SCRUB_ENV] = {
		.name = "scrub-env",
		.text = "leave out variables that look like secrets",
	},
	[OPT_KEEP_ENV] = {
		.name = "keep-env",
		.arg = "NAME",
		.many = true,
		.text = "a variable that stays where secrets are taken out of the environment",
	},
	[OPT_TIMEOUT] = {
		.name = "timeout",
		.arg = "SECONDS",
		.text = "end the command after that time, with status 124; 0.5 is half a second",
	},
	[OPT_REPORT] = {
		.name = "report",
		.arg = "FILE",
		.text = "write what happened and what was refused there, as JSON",
	},
	[OPT_FAIL_ON_REFUSAL] = {
		.name = "fail-on-refusal",
		.text = "exit with 1 if anything was refused, though the command exits with 0",
	},
	[OPT_QUIET] = {
		.name = "quiet",
		.text = "no words of ambit's own on standard error, but for its errors",
	},
	[OPT_NO_PTY] = {
		.name = "no-pty",
		.text = "the command keeps the terminal itself in place of one of its own; a "
			"yes then takes a word",
	},
	[OPT_INNER] = {
		.name = "inner",
		.arg = "FD",
		.hidden = true,
		.text = "supervises a run inside another; started by that one",
	},
	[OPT_WITHIN] = {
		.name = "within",
		.arg = "FD",
		.hidden = true,
		.text = "what the door that started this one is: it can do no more",
	},
	[OPT_ASK_FD] = {
		.name = "ask-fd",
		.arg = "FD",
		.hidden = true,
		.text = "a socket whose other end answers; of the server that started this",
	},
	[OPT_LEASH] = {
		.name = "leash",
		.arg = "FD",
		.hidden = true,
		.text = "the command is ended when this is readable or closed at its other end",
	},
	[OPT_ONLY] = {
		.name = "only",
		.arg = "DIR",
		.many = true,
		.hidden = true,
		.decides = true,
		.text = "of the folder only this is open; empty: nothing; of the server that "
			"started "
			"this",
	},
	[OPT_KNOWN] = {
		.name = "known",
		.arg = "DIR",
		.many = true,
		.hidden = true,
		.text = "there is a repository here, which is looked at in any case; of the server "
			"that started this",
	},
	[OPT_LIMIT] = {
		.name = "limit",
		.arg = "WHAT=N",
		.many = true,
		.text = "what each process of a command may use: cpu (seconds), memory, "
			"file-size (bytes, or K, M, "
			"G) or processes",
	},
	[OPT_ALLOW_BASH] = {
		.name = "allow-bash",
		.decides = true,
		.text = "where the line cannot be held: run shell commands without it, and ask "
			"about "
			"each",
	},
	[OPT_BACKEND] = {
		.name = "backend",
		.arg = "WHAT",
		.words = ambit_backends,
		.decides = true,
		.text = "what holds shell commands",
	},
	[OPT_PREFIX] = {
		.name = "prefix",
		.arg = "WORD",
		.many = true,
		.decides = true,
		.text = "a word in front of each shell command: another sandbox, the first an "
			"absolute "
			"path",
	},
	[OPT_SOCKET] = {
		.name = "socket",
		.arg = "PATH",
		.text = "a unix socket to make and serve, in place of standard input and output",
	},
	[OPT_TOOLS_VERSION] = {
		.name = "tools-version",
		.arg = "VERSION",
		.hidden = true,
		.text = "what ambit-tools must be; of the ambit that started it",
	},
	[OPT_LANDLOCK] = {
		.name = "landlock",
		.arg = "ABI",
		.text = "hold the line as on an older kernel, " LANDLOCK_LEAST " to " LANDLOCK_MOST
			": to try what it does there; never more than this kernel has",
	},
	[OPT_KIND] = {
		.name = "kind",
		.arg = "KIND",
		.words = event_kinds,
		.text = "only events of this kind; a rule that was taken back is a revoke, not "
			"a rule",
	},
	[OPT_TOOL] = {
		.name = "tool",
		.arg = "NAME",
		.text = "only events of this tool",
	},
	[OPT_VERDICT] = {
		.name = "verdict",
		.arg = "VERDICT",
		.words = ambit_verdicts,
		.text = "only events with this verdict",
	},
	[OPT_CODE] = {
		.name = "code",
		.arg = "CODE",
		.words = ambit_codes,
		.text = "only events with this code",
	},
	[OPT_SINCE] = {
		.name = "since",
		.arg = "WHEN",
		.text = "only events since then: 90s, 15m, 2h, 3d ago, or 2030-01-31[T12:00]",
	},
	[OPT_LAST] = {
		.name = "last",
		.arg = "N",
		.text = "only the last N events",
	},
	[OPT_FOLLOW] = {
		.name = "follow",
		.text = "go on with new events as they are stored",
	},
	[OPT_SUMMARY] = {
		.name = "summary",
		.text = "how many of each, in place of the events",
	},
	[OPT_JUDGE] = {
		.name = "judge",
		.text = "only what the judge let through, with his reasons",
	},
	[OPT_EVERYWHERE] = {
		.name = "everywhere",
		.text = "a rule for all folders, not only this one",
	},
	[OPT_NO] = {
		.name = "no",
		.text = "remember a no in place of a yes",
	},
	[OPT_EXPIRES] = {
		.name = "expires",
		.arg = "DURATION",
		.text = "forget the rule after that time: 90s, 15m, 2h, 3d",
	},
	[OPT_ALL] = {
		.name = "all",
		.text = "of all folders and sessions, ended ones too",
	},
	[OPT_BEFORE] = {
		.name = "before",
		.arg = "WHEN",
		.text = "only sessions that were last used before: 12h, 30d ago, or "
			"2030-01-31[T12:00]",
	},
	[OPT_YES] = {
		.name = "yes",
		.text = "do it, without a question",
	},
	[OPT_LIVE] = {
		.name = "live",
		.text = "only those that run now",
	},
	[OPT_SCHEMA] = {
		.name = "schema",
		.text = "the JSON Schema of the settings file",
	},
	[OPT_MAN] = {
		.name = "man",
		.hidden = true,
		.text = "the man page",
	},
	[OPT_NAMES] = {
		.name = "names",
		.hidden = true,
		.text = "the names of the commands",
	},
	[OPT_DOOR] = {
		.name = "door",
		.arg = "DOOR",
		.words = doors,
		.text = "the door at which it is decided; without it, run, or decide for a tool",
	},
	[OPT_HELP] = {
		.name = "help",
		.text = "this text",
	},
};
