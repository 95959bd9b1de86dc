/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_TOOL_TABLE_H
#define REQUEST_TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/words.h>

/* The tool table: one row per tool, whatever the agent calls it. A row's
 * arguments list every name under which some agent passes that thing; all
 * that are present count. */

enum tool_arg_kind {
	TOOL_ARG_PATH,	  /* a string: one path */
	TOOL_ARG_PATHS,	  /* a string or an array of strings, or of objects that name one */
	TOOL_ARG_EDITS,	  /* the same, but an object need not name one */
	TOOL_ARG_TEXT,	  /* no path, though its name sounds like one */
	TOOL_ARG_GLOB,	  /* a pattern: its fixed leading directories are read */
	TOOL_ARG_PATCH,	  /* a patch, either dialect: every file in it */
	TOOL_ARG_COMMAND, /* a shell command: a string, or an array (argv) */
	TOOL_ARG_URL,	  /* its host is connected to */
	TOOL_ARG_HOST,	  /* "name" or "name:port" */
	TOOL_ARG_PLACE,	  /* a directory that the call stands in: no access by itself */
};

/* Whether the last component is followed if it is a symlink. A tool of an
 * agent's may do either: then both are decided. */
enum tool_follow {
	TOOL_FOLLOW_BOTH = 0,
	TOOL_FOLLOW,
	TOOL_NOFOLLOW,
};

/* The place that an argument of ambit's own tool must lead to; otherwise it is refused, and nobody
 * is asked. To others' tools of this name it means nothing. */
enum tool_bounds {
	TOOL_ANYWHERE = 0,
	TOOL_INSIDE,	       /* beneath the scope's folder; a grant is none */
	TOOL_INSIDE_DIRECTORY, /* and a directory that is there */
};

struct tool_arg {
	const char *name;
	enum tool_arg_kind kind;
	enum ambit_access access;
	enum tool_follow follow;
	enum tool_bounds bounds;
};

struct tool {
	const char *name;
	const char *const *aliases;  /* ends in NULL */
	const struct tool_arg *args; /* ends in a NULL name */
	bool offered;		     /* ambit has it, too: tools/registry/registry.c */
	bool needs_path;	     /* yields no path: ask */
	bool here;		     /* without a path it means the cwd (ls, glob, grep) */
	bool carries;		     /* what its sources hold comes to lie at its targets */
	bool shell;		     /* the kernel line decides what it may write */
	bool held;		     /* ambit's own has each thing it does decided as it does it */
	bool agent;		     /* starts another, who has a shell, too */
	bool looks_again;	     /* at what changes: the same call again is no loop */
	unsigned effects;
	enum ambit_danger danger;
	enum ambit_permission permission;
	const char *text;
};

/* By canonical name or alias, exact. NULL: unknown. */
const struct tool *tool_find(const char *name);
/* Whether a permission can be meant for a tool of this name: ambit knows it, or another program may
 * have it: it ends in '*' (the tools whose names begin so), or has "__" in it, as the tools of MCP
 * servers do. */
bool tool_may_be(const char *name);
/* The name or alias that is nearest to this one, or NULL if none is near. */
const char *tool_nearest(const char *name);
/* The i-th row, or NULL. */
const struct tool *tool_at(size_t i);

#endif
