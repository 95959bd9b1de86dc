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
	{ "~/.bash_history*", "bash" },
	{ "~/.sh_history*", "ksh" },
	{ "~/.histfile*", "zsh" },
	{ "~/.history*", "tcsh" },
	{ "~/.zhistory*", "zsh" },
	{ "~/.zsh_history*", "zsh" },
	{ "~/.local/share/fish/fish_history*", "fish" },
	/* the places that XDG names, where a person has set HISTFILE and its kin to them */
	{ "~/.local/state/*/history*", "a program" },
	{ "~/.local/state/*/*_history*", "a program" },
	{ "~/.local/state/*_history*", "a program" },
	/* editors and pagers */
	{ "~/.viminf*", "vim" },
	{ "~/.local/share/nvim/shada/*.shada*", "Neovim" },
	{ "~/.local/state/nvim/shada/*.shada*", "Neovim" },
	{ "~/.local/share/nano/*_history*", "nano" },
	{ "~/.nano/*_history*", "nano" },
	{ "~/.lesshs*", "less" },
	{ "~/.local/share/lesshs*", "less" },
	{ "~/.local/state/lesshs*", "less" },
	/* interpreters */
	{ "~/.python_history*", "Python" },
	{ "~/.ipython/profile_*/history.sqlite*", "IPython" },
	{ "~/.node_repl_history*", "node" },
	{ "~/.ts_node_repl_history*", "ts-node" },
	{ "~/.irb_history*", "irb" },
	{ "~/.pry_history*", "pry" },
	{ "~/.php_history*", "php" },
	{ "~/.Rhistory*", "R" },
	{ "~/.octave_hist*", "Octave" },
	{ "~/.julia/logs/repl_history.jl*", "Julia" },
	{ "~/.ghc/ghci_history*", "ghci" },
	{ "~/.local/share/ghc/ghci_history*", "ghci" },
	{ "~/.guile_history*", "guile" },
	{ "~/.gnuplot_history*", "gnuplot" },
	{ "~/.gdb_history*", "gdb" },
	{ "~/.cache/deno/deno_history.txt*", "deno" },
	{ "~/.cache/erlang-history/*", "Erlang" },
	/* databases */
	{ "~/.sqlite_history*", "sqlite3" },
	{ "~/.duckdb_history*", "duckdb" },
	{ "~/.psql_history*", "psql" },
	{ "~/.mysql_history*", "mysql" },
	{ "~/.mariadb_history*", "mariadb" },
	{ "~/.rediscli_history*", "redis-cli" },
	{ "~/.mongodb/mongosh/mongosh_repl_history*", "mongosh" },
	/* the network */
	{ "~/.wget-hsts*", "wget" },
	{ "~/.local/share/lftp/rl_history*", "lftp" },
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
