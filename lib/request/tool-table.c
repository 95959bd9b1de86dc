/* SPDX-License-Identifier: Apache-2.0 */
/* The tool table: the name a tool call carries, in any agent's words, becomes
 * one row that says which arguments are paths, commands or hosts. The names
 * come from models and agents and prove nothing: a row only says what to look
 * at, never that a call is harmless. */

#include "base/str.h"
#include "request/tool-table.h"

#include <ambit/tool.h>

#define NAMES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define ARGS(...)                                                                                  \
	(const struct tool_arg[])                                                                  \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define PATH(name, access, follow)                                                                 \
	{                                                                                          \
		name, TOOL_ARG_PATH, AMBIT_ACCESS_##access, TOOL_##follow, TOOL_ANYWHERE           \
	}
#define PATHS(name, access, follow)                                                                \
	{                                                                                          \
		name, TOOL_ARG_PATHS, AMBIT_ACCESS_##access, TOOL_##follow, TOOL_ANYWHERE          \
	}
#define GLOB(name)                                                                                 \
	{                                                                                          \
		name, TOOL_ARG_GLOB, AMBIT_ACCESS_READ, TOOL_FOLLOW, TOOL_ANYWHERE                 \
	}
/* The same where what matches is read, and not only named. */
#define READ_GLOB(name)                                                                            \
	{                                                                                          \
		name, TOOL_ARG_GLOB, AMBIT_ACCESS_READ_TREE, TOOL_FOLLOW, TOOL_ANYWHERE            \
	}
#define EDITS(name)                                                                                \
	{                                                                                          \
		name, TOOL_ARG_EDITS, AMBIT_ACCESS_WRITE, TOOL_FOLLOW, TOOL_ANYWHERE               \
	}
#define TEXT(name)                                                                                 \
	{                                                                                          \
		name, TOOL_ARG_TEXT, AMBIT_ACCESS_WRITE, TOOL_FOLLOW_BOTH, TOOL_ANYWHERE           \
	}
#define INSIDE(name, access, follow)                                                               \
	{                                                                                          \
		name, TOOL_ARG_PATH, AMBIT_ACCESS_##access, TOOL_##follow, TOOL_INSIDE             \
	}
#define PLACE(name)                                                                                \
	{                                                                                          \
		name, TOOL_ARG_PLACE, AMBIT_ACCESS_READ, TOOL_FOLLOW, TOOL_INSIDE_DIRECTORY        \
	}
#define OTHER(name, kind)                                                                          \
	{                                                                                          \
		name, TOOL_ARG_##kind, AMBIT_ACCESS_WRITE, TOOL_FOLLOW_BOTH, TOOL_ANYWHERE         \
	}

/* One file, in everybody's spelling. */
#define FILE_ARGS(access, follow)                                                                  \
	PATH("file_path", access, follow), PATH("filePath", access, follow),                       \
		PATH("path", access, follow), PATH("absolute_path", access, follow),               \
		PATH("absolutePath", access, follow), PATH("notebook_path", access, follow),       \
		PATH("target_file", access, follow), PATH("target_notebook", access, follow),      \
		PATH("file", access, follow), PATH("filename", access, follow),                    \
		PATH("relative_path", access, follow), PATHS("paths", access, follow),             \
		PATHS("files", access, follow), PATHS("file_paths", access, follow)

#define DIR_ARGS(access)                                                                           \
	PATH("path", access, FOLLOW), PATH("dir_path", access, FOLLOW),                            \
		PATH("dirPath", access, FOLLOW), PATH("directory", access, FOLLOW),                \
		PATH("dir", access, FOLLOW), PATH("target_directory", access, FOLLOW),             \
		PATHS("target_directories", access, FOLLOW),                                       \
		PATH("relative_workspace_path", access, FOLLOW), PATHS("paths", access, FOLLOW)

/* What is moved or copied, and where to. rename(2) replaces a link and mv(1)
 * goes into a linked directory: the target is decided both ways. */
#define FROM_ARGS(access, follow)                                                                  \
	PATH("src", access, follow), PATH("source", access, follow),                               \
		PATH("source_path", access, follow), PATH("from", access, follow),                 \
		PATH("from_path", access, follow), PATH("old_path", access, follow),               \
		PATH("oldPath", access, follow), PATH("sourcePath", access, follow)
#define TO_ARGS(access, follow)                                                                    \
	PATH("dst", access, follow), PATH("dest", access, follow),                                 \
		PATH("destination", access, follow), PATH("destination_path", access, follow),     \
		PATH("to", access, follow), PATH("to_path", access, follow),                       \
		PATH("new_path", access, follow), PATH("newPath", access, follow),                 \
		PATH("destinationPath", access, follow)

/* clang-format off */
static const struct tool tools[] = {
	{
		.name = "read",
		.offered = true,
		.aliases = NAMES("Read", "read_file", "read_file_viewport", "view", "View",
			"ReadFile",
			"read_text_file", "view_image", "ViewImage", "NotebookRead",
			"read_notebook"),
		.args = ARGS(FILE_ARGS(READ, FOLLOW)),
		.needs_path = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "read a file",
	},
	{
		.name = "read_many",
		.aliases = NAMES("read_many_files", "ReadManyFiles"),
		.args = ARGS(READ_GLOB("paths"), READ_GLOB("include"), PATH("path", READ_TREE,
			FOLLOW),
			PATH("dir_path", READ_TREE, FOLLOW)),
		.needs_path = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "read the files that match patterns",
	},
	{
		.name = "write",
		.offered = true,
		.aliases = NAMES("Write", "write_file", "WriteFile", "create", "Create",
			"create_file",
			"CreateFile", "write_text_file"),
		.args = ARGS(FILE_ARGS(WRITE, FOLLOW), TEXT("file_text")),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "write a whole file",
	},
	{
		.name = "edit",
		.offered = true,
		.aliases = NAMES("Edit", "edit_file", "EditFile", "edit_lines", "replace",
			"search_replace",
			"str_replace", "insert", "NotebookEdit", "edit_notebook", "StrReplace",
			"replace_string_in_file", "insert_edit_into_file"),
		.args = ARGS(FILE_ARGS(WRITE, FOLLOW), EDITS("edits")),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "change part of a file",
	},
	{
		.name = "multi_edit",
		.offered = true,
		.aliases = NAMES("MultiEdit", "multiedit", "multi_replace",
			"multi_replace_string_in_file"),
		.args = ARGS(FILE_ARGS(WRITE, FOLLOW), EDITS("edits"), EDITS("replacements")),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "change several parts of a file",
	},
	{
		/* Its `command` says what it does. "view" is a read; whatever else it
		 * says (create, str_replace, insert ...), the path is decided as written. */
		.name = "str_replace_editor",
		.aliases = NAMES("str_replace_based_edit_tool", "text_editor",
			"developer__text_editor",
			"edit_and_view"),
		.args = ARGS(FILE_ARGS(WRITE, FOLLOW), TEXT("file_text"), OTHER("diff", PATCH)),
		.needs_path = true,
		.effects = AMBIT_READ | AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "view, create or change a file, by its command argument",
	},
	{
		.name = "delete",
		.offered = true,
		.aliases = NAMES("Delete", "delete_file", "DeleteFile", "remove", "remove_file"),
		.args = ARGS(FILE_ARGS(DELETE, NOFOLLOW)),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "remove a file",
	},
	{
		.name = "mkdir",
		.aliases = NAMES("create_directory", "CreateDirectory", "make_directory"),
		.args = ARGS(DIR_ARGS(MKDIR)),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "create a directory",
	},
	{
		.name = "move",
		.offered = true,
		.aliases = NAMES("Move", "MoveFile", "move_file", "rename", "rename_file"),
		.args = ARGS(FROM_ARGS(DELETE, NOFOLLOW), TO_ARGS(REPLACE, FOLLOW_BOTH)),
		.needs_path = true,
		.carries = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "move or rename a file or directory",
	},
	{
		.name = "copy",
		.offered = true,
		.aliases = NAMES("Copy", "CopyFile", "copy_file"),
		.args = ARGS(FROM_ARGS(READ_TREE, FOLLOW), TO_ARGS(WRITE, FOLLOW_BOTH)),
		.needs_path = true,
		.carries = true,
		.effects = AMBIT_READ | AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "copy a file or directory",
	},
	{
		.name = "apply_patch",
		.offered = true,
		.aliases = NAMES("ApplyPatch", "applypatch", "patch"),
		.args = ARGS(OTHER("patch", PATCH), OTHER("input", PATCH), OTHER("command", PATCH),
			OTHER("patchText", PATCH), OTHER("patch_text", PATCH), OTHER("diff",
			PATCH)),
		.needs_path = true,
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "apply a patch: every file in it counts",
	},
	{
		/* Of the names that could be the archive or the target, `path` is taken as
		 * the target: the stricter of the two. Without a target it
		 * unpacks where it stands. What is in it nobody knows before: dangerous. */
		.name = "extract",
		.offered = true,
		.aliases = NAMES("Extract", "extract_archive", "unzip", "untar"),
		.args = ARGS(FROM_ARGS(READ, FOLLOW), PATH("archive", READ, FOLLOW),
			PATH("archive_path", READ, FOLLOW), PATH("file_path", READ, FOLLOW),
			PATH("filePath", READ, FOLLOW), PATH("path", WRITE, FOLLOW),
			PATH("output_dir", WRITE, FOLLOW), PATH("target_dir", WRITE, FOLLOW),
			PATH("folder", WRITE, FOLLOW), TO_ARGS(WRITE, FOLLOW)),
		.needs_path = true,
		.here = true,
		.held = true,
		.effects = AMBIT_READ | AMBIT_WRITE,
		.danger = AMBIT_DANGEROUS,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "unpack an archive",
	},
	{
		.name = "glob",
		.offered = true,
		.aliases = NAMES("Glob", "file_search", "find_files", "glob_file_search"),
		.args = ARGS(DIR_ARGS(READ), GLOB("pattern"), GLOB("glob_pattern")),
		.needs_path = true,
		.here = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "find files by name",
	},
	{
		.name = "grep",
		.offered = true,
		.aliases = NAMES("Grep", "grep_search", "grep_files", "search_file_content",
			"codebase_search",
			"codesearch", "ripgrep", "rg", "SemanticSearch"),
		.args = ARGS(DIR_ARGS(READ_TREE), PATH("file_path", READ_TREE, FOLLOW),
			READ_GLOB("glob"), READ_GLOB("include"), READ_GLOB("include_pattern"),
			TEXT("output_mode")),
		.needs_path = true,
		.here = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "search the contents of files",
	},
	{
		.name = "ls",
		.offered = true,
		.aliases = NAMES("LS", "list", "list_dir", "list_directory", "ListDirectory",
			"list_files"),
		.args = ARGS(DIR_ARGS(READ)),
		.needs_path = true,
		.here = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "list a directory",
	},
	{
		.name = "bash",
		.offered = true,
		.aliases = NAMES("Bash", "shell", "Shell", "shell_command", "local_shell",
			"exec_command",
			"container.exec", "unified_exec", "run_shell_command", "run_terminal_cmd",
			"run_terminal_command", "developer__shell", "execute_command", "terminal",
			"Monitor", "PowerShell", "powershell", "write_stdin", "write_bash", "run_in_terminal"),
		.args = ARGS(OTHER("command", COMMAND), OTHER("cmd", COMMAND), OTHER("script",
			COMMAND),
			OTHER("chars", COMMAND), OTHER("input", COMMAND), PLACE("cwd")),
		.shell = true,
		.effects = AMBIT_EXEC | AMBIT_WRITE,
		.danger = AMBIT_DANGEROUS,
		.permission = AMBIT_PERMISSION_ASK,
		.text = "run a shell command",
	},
	{
		.name = "bash_output",
		.offered = true,
		.aliases = NAMES("BashOutput", "TaskOutput", "read_bash", "list_bash",
			"get_terminal_output"),
		.looks_again = true,
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "read what a running command has printed",
	},
	{
		.name = "bash_stop",
		.offered = true,
		.aliases = NAMES("KillShell", "KillBash", "TaskStop", "stop_bash", "kill_terminal"),
		.effects = AMBIT_EXEC,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "end a command that the agent started",
	},
	{
		.name = "webfetch",
		.offered = true,
		.aliases = NAMES("WebFetch", "web_fetch", "fetch", "fetch_url", "Fetch"),
		.args = ARGS(OTHER("url", URL), OTHER("uri", URL), OTHER("urls", URL),
			OTHER("prompt", URL)),
		.effects = AMBIT_NETWORK,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "fetch a page",
	},
	{
		.name = "websearch",
		.aliases = NAMES("WebSearch", "web_search", "google_web_search"),
		.effects = AMBIT_NETWORK,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "search the web",
	},
	{
		.name = "connect",
		.aliases = NAMES("net.connect"),
		.args = ARGS(OTHER("host", HOST), OTHER("url", URL)),
		.effects = AMBIT_NETWORK,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "connect to a host",
	},
	{
		.name = "todowrite",
		.aliases = NAMES("TodoWrite", "write_todos", "update_plan", "todo_write",
			"report_intent"),
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "change the agent's own list of steps",
	},
	{
		.name = "todoread",
		.aliases = NAMES("TodoRead", "todo_read"),
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "read the agent's own list of steps",
	},
	{
		.name = "question",
		.aliases = NAMES("AskUserQuestion", "ask_user", "Question", "ask_question",
			"request_user_input",
			"ExitPlanMode", "exit_plan_mode"),
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "ask the person",
	},
	{
		.name = "task",
		.offered = true,
		.aliases = NAMES("Task", "Agent", "run_agent", "spawn_agent", "subagent",
			"SendMessage",
			"send_input", "resume_agent"),
		.args = ARGS(INSIDE("folder", WRITE, FOLLOW_BOTH), PATH("directory", WRITE,
			FOLLOW_BOTH), PATH("cwd", WRITE, FOLLOW_BOTH), PATH("workdir", WRITE,
			FOLLOW_BOTH), PATH("working_directory", WRITE, FOLLOW_BOTH)),
		.effects = AMBIT_EXEC | AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.agent = true,
		.held = true,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "hand a task to a sub-agent; the one of ambit is run_agent",
	},
	{
		.name = "skill",
		.aliases = NAMES("Skill", "activate_skill", "SlashCommand"),
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "load a skill's text",
	},
	{
		.name = "lsp",
		.aliases = NAMES("LSP", "diagnostics", "read_lints", "ReadLints"),
		.args = ARGS(FILE_ARGS(READ, FOLLOW)),
		.effects = AMBIT_READ,
		.danger = AMBIT_DANGER_READ_ONLY,
		.permission = AMBIT_PERMISSION_ALLOW,
		.text = "ask a language server",
	},
	{
		/* Where it writes is the agent's secret, and what it writes is read in every later
		 * session: not among the tools of every day, so asked. */
		.name = "save_memory",
		.aliases = NAMES("update_memory", "store_memory"),
		.effects = AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ASK,
		.text = "store a fact for later sessions",
	},
	{
		.name = "worktree",
		.aliases = NAMES("EnterWorktree", "ExitWorktree"),
		.args = ARGS(PATH("path", WRITE, FOLLOW_BOTH)),
		.effects = AMBIT_EXEC | AMBIT_WRITE,
		.danger = AMBIT_DANGER_WRITE,
		.permission = AMBIT_PERMISSION_ASK,
		.text = "make, enter or leave a git worktree",
	},
	{
		.name = "schedule",
		.aliases = NAMES("CronCreate", "CronDelete", "CronList", "RemoteTrigger"),
		.effects = AMBIT_EXEC | AMBIT_MUTATE | AMBIT_NETWORK,
		.danger = AMBIT_DANGEROUS,
		.permission = AMBIT_PERMISSION_ASK,
		.text = "run something later or elsewhere",
	},
};
/* clang-format on */

#define TOOLS_N (sizeof(tools) / sizeof(tools[0]))

static bool
has_alias(const struct tool *tool, const char *name)
{
	for (const char *const *alias = tool->aliases; alias && *alias; alias++)
		if (streq(*alias, name))
			return true;
	return false;
}

const struct tool *
tool_find(const char *name)
{
	/* The kernel line looks for its few tools at every call: by their own names. */
	for (size_t i = 0; name && i < TOOLS_N; i++)
		if (streq(tools[i].name, name))
			return &tools[i];
	for (size_t i = 0; name && i < TOOLS_N; i++)
		if (has_alias(&tools[i], name))
			return &tools[i];
	return NULL;
}

const struct tool *
tool_at(size_t i)
{
	return i < TOOLS_N ? &tools[i] : NULL;
}

bool
tool_may_be(const char *name)
{
	size_t len = strlen(name);

	return tool_find(name) || (len > 0 && name[len - 1] == '*') || strstr(name, "__");
}

/* All names, then all aliases of each row. */
static const char *
find_name_at(const void *data, size_t i)
{
	(void)data;
	if (i < TOOLS_N)
		return tools[i].name;
	i -= TOOLS_N;
	for (size_t n = 0; n < TOOLS_N; n++)
		for (const char *const *alias = tools[n].aliases; alias && *alias; alias++)
			if (i-- == 0)
				return *alias;
	return NULL;
}

const char *
tool_nearest(const char *name)
{
	return str_nearest(name, find_name_at, NULL);
}

int
ambit_tool_at(size_t i, struct ambit_tool_info *ret_info)
{
	static const char *const none[] = { NULL };
	const struct tool *tool = tool_at(i);

	if (!tool)
		return 0;
	*ret_info = (struct ambit_tool_info){
		.name = tool->name,
		.offered = tool->offered,
		.aliases = tool->aliases ? tool->aliases : none,
		.effects = tool->effects,
		.danger = tool->danger,
		.permission = tool->permission,
		.text = tool->text,
	};
	return 1;
}
