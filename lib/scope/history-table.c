/* SPDX-License-Identifier: Apache-2.0 */
/* Histories: files in the home that a program writes by itself. To refuse them costs nobody
 * anything, and a question about each would be the first that a new user sees. The patterns end in
 * '*' where a program writes another file first and renames it: ".bash_history-04120.tmp",
 * ".viminfz.tmp", ".lesshstQ", ".zsh_history.new". */

#include <string.h>

#include "base/glob.h"
#include "base/str.h"
#include "scope/history.h"

/* clang-format off */
const struct history history_table[] = {
	/* shells */
	{ .pattern = "~/.bash_history*", .program = "bash" },
	{ .pattern = "~/.sh_history*", .program = "ksh" },
	{ .pattern = "~/.histfile*", .program = "zsh" },
	{ .pattern = "~/.history*", .program = "tcsh" },
	{ .pattern = "~/.zhistory*", .program = "zsh" },
	{ .pattern = "~/.zsh_history*", .program = "zsh" },
	{ .pattern = "~/.local/share/fish/fish_history*", .program = "fish" },
	/* the places that XDG names, where a person has set HISTFILE and its kin to them */
	{ .pattern = "~/.local/state/*/history*", .program = "a program" },
	{ .pattern = "~/.local/state/*/*_history*", .program = "a program" },
	{ .pattern = "~/.local/state/*_history*", .program = "a program" },
	/* editors and pagers */
	{ .pattern = "~/.viminf*", .program = "vim" },
	{ .pattern = "~/.local/share/nvim/shada/*.shada*", .program = "Neovim" },
	{ .pattern = "~/.local/state/nvim/shada/*.shada*", .program = "Neovim" },
	{ .pattern = "~/.local/share/nano", .program = "nano", .directory = true },
	{ .pattern = "~/.local/share/nano/*_history*", .program = "nano" },
	{ .pattern = "~/.nano/*_history*", .program = "nano" },
	{ .pattern = "~/.lesshs*", .program = "less" },
	{ .pattern = "~/.local/share/lesshs*", .program = "less" },
	{ .pattern = "~/.local/state/lesshs*", .program = "less" },
	/* interpreters */
	{ .pattern = "~/.python_history*", .program = "Python" },
	{ .pattern = "~/.ipython/profile_*/history.sqlite*", .program = "IPython" },
	{ .pattern = "~/.node_repl_history*", .program = "node" },
	{ .pattern = "~/.ts_node_repl_history*", .program = "ts-node" },
	{ .pattern = "~/.irb_history*", .program = "irb" },
	{ .pattern = "~/.pry_history*", .program = "pry" },
	{ .pattern = "~/.php_history*", .program = "php" },
	{ .pattern = "~/.Rhistory*", .program = "R" },
	{ .pattern = "~/.octave_hist*", .program = "Octave" },
	{ .pattern = "~/.julia/logs/repl_history.jl*", .program = "Julia" },
	{ .pattern = "~/.ghc/ghci_history*", .program = "ghci" },
	{ .pattern = "~/.local/share/ghc/ghci_history*", .program = "ghci" },
	{ .pattern = "~/.guile_history*", .program = "guile" },
	{ .pattern = "~/.gnuplot_history*", .program = "gnuplot" },
	{ .pattern = "~/.gdb_history*", .program = "gdb" },
	{ .pattern = "~/.cache/deno/deno_history.txt*", .program = "deno" },
	{ .pattern = "~/.cache/erlang-history/*", .program = "Erlang" },
	/* databases */
	{ .pattern = "~/.sqlite_history*", .program = "sqlite3" },
	{ .pattern = "~/.duckdb_history*", .program = "duckdb" },
	{ .pattern = "~/.psql_history*", .program = "psql" },
	{ .pattern = "~/.mysql_history*", .program = "mysql" },
	{ .pattern = "~/.mariadb_history*", .program = "mariadb" },
	{ .pattern = "~/.rediscli_history*", .program = "redis-cli" },
	{ .pattern = "~/.mongodb/mongosh/mongosh_repl_history*", .program = "mongosh" },
	/* the network */
	{ .pattern = "~/.wget-hsts*", .program = "wget" },
	{ .pattern = "~/.local/share/lftp/rl_history*", .program = "lftp" },
	{ .pattern = NULL },
};
/* clang-format on */

/* Part by part: '*' does not reach over a '/'. */
static bool
matches_pattern(const char *pattern, const char *path)
{
	for (;;) {
		size_t want = strcspn(pattern, "/"), have = strcspn(path, "/");

		if (!glob_match(pattern, want, path, have, false) || pattern[want] != path[have])
			return false;
		if (!pattern[want])
			return true;
		pattern += want + 1;
		path += have + 1;
	}
}

const struct history *
history_find(const char *home, const char *real)
{
	if (!home || streq(home, "/") || streq(home, real) || !str_beneath(real, home))
		return NULL;
	for (const struct history *history = history_table; history->pattern; history++)
		if (matches_pattern(
			    history->pattern + strlen("~/"), real + strlen(home) + strlen("/")))
			return history;
	return NULL;
}
