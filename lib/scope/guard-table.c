/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked about by name. Writes: everything that a later shell, login,
 * git, editor or agent runs with the person's rights without being asked.
 * Reads: keys and credentials. A row costs a question, so agents' logs and
 * state are not here, only what configures or runs. */

#include "scope/guard.h"

#define SHELL "a shell runs it at start-up"
#define LOGIN "runs when the person logs in"
#define PROGRAMS "programs the person runs by name"
#define GIT "git runs programs it names"
#define REMOTE "git pushes to where it says, and runs the hooks there"
#define HOOK "git runs it as a hook"
#define EDITOR "an editor runs tasks from it"
#define AGENT "it configures or extends a coding agent"
#define KEY "it is a private key"
#define CREDENTIALS "it holds credentials"
#define PROCESS "it holds what a process keeps to itself, tokens among it"
#define BROWSER "a browser keeps passwords and cookies in it"

const struct guard guard_table[] = {
	/* shells */
	{ .pattern = ".bashrc", .text = SHELL },
	{ .pattern = ".bash_profile", .text = SHELL },
	{ .pattern = ".bash_login", .text = SHELL },
	{ .pattern = ".bash_logout", .text = SHELL },
	{ .pattern = ".bash_aliases", .text = SHELL },
	{ .pattern = ".profile", .text = SHELL },
	{ .pattern = ".zshrc", .text = SHELL },
	{ .pattern = ".zshenv", .text = SHELL },
	{ .pattern = ".zprofile", .text = SHELL },
	{ .pattern = ".zlogin", .text = SHELL },
	{ .pattern = ".zlogout", .text = SHELL },
	{ .pattern = ".kshrc", .text = SHELL },
	{ .pattern = ".mkshrc", .text = SHELL },
	{ .pattern = ".cshrc", .text = SHELL },
	{ .pattern = ".tcshrc", .text = SHELL },
	{ .pattern = "~/.login", .text = SHELL },
	{ .pattern = "~/.config/fish/**", .text = SHELL },
	{ .pattern = "~/.config/nushell/**", .text = SHELL },
	{ .pattern = "~/.oh-my-zsh/**", .text = SHELL },
	{ .pattern = "~/.inputrc", .text = SHELL },
	/* logins, timers, desktops */
	{ .pattern = "~/.xinitrc", .text = LOGIN },
	{ .pattern = "~/.xprofile", .text = LOGIN },
	{ .pattern = "~/.xsession", .text = LOGIN },
	{ .pattern = "~/.xsessionrc", .text = LOGIN },
	{ .pattern = "~/.pam_environment", .text = LOGIN },
	{ .pattern = "~/.config/environment.d/**", .text = LOGIN },
	{ .pattern = "~/.config/autostart/**", .text = LOGIN },
	{ .pattern = "~/.config/plasma-workspace/**", .text = LOGIN },
	{ .pattern = "~/.config/systemd/**", .text = LOGIN },
	{ .pattern = "~/.local/share/systemd/**", .text = LOGIN },
	{ .pattern = "~/.local/share/applications/**", .text = "the desktop starts programs from it" },
	{ .pattern = "LaunchAgents/**", .text = LOGIN },
	{ .pattern = "/var/spool/cron/**", .text = "cron runs it" },
	{ .pattern = "/etc/crontab", .text = "cron runs it" },
	{ .pattern = "/etc/cron*/**", .text = "cron runs it" },
	{ .pattern = "authorized_keys", .text = "it lets others log in" },
	{ .pattern = "authorized_keys2", .text = "it lets others log in" },
	{ .pattern = ".ssh/**", .text = "ssh runs and trusts what it says" },
	/* programs */
	{ .pattern = "~/bin/**", .text = PROGRAMS },
	{ .pattern = "~/.local/bin/**", .text = PROGRAMS },
	{ .pattern = "~/.cargo/bin/**", .text = PROGRAMS },
	/* git */
	{ .pattern = ".git", .text = "it decides which repository git uses" },
	{ .pattern = ".git/hooks/**", .except = "*.sample", .text = HOOK },
	{ .pattern = ".git/config", .text = GIT },
	{ .pattern = ".git/config.worktree", .text = GIT },
	{ .pattern = ".git/commondir", .text = GIT },
	{ .pattern = ".git/modules/**/hooks/**", .except = "*.sample", .text = HOOK },
	{ .pattern = ".git/modules/**/config", .text = GIT },
	{ .pattern = ".git/modules/**/config.worktree", .text = GIT },
	{ .pattern = ".git/modules/**/commondir", .text = GIT },
	/* Without commondir a worktree's own directory is a repository. */
	{ .pattern = ".git/worktrees/*/gitdir", .loose = true, .text = GIT },
	{ .pattern = ".git/worktrees/*/commondir", .loose = true, .text = GIT },
	{ .pattern = ".git/worktrees/*/config.worktree", .loose = true, .text = GIT },
	{ .pattern = ".git/worktrees/*/config", .text = GIT },
	{ .pattern = ".git/worktrees/*/hooks/**", .text = HOOK },
	/* Where a remote is, in the old way. */
	{ .pattern = ".git/branches/**", .text = REMOTE },
	{ .pattern = ".git/remotes/**", .text = REMOTE },
	{ .pattern = ".git/modules/*/branches/**", .text = REMOTE },
	{ .pattern = ".git/modules/*/remotes/**", .text = REMOTE },
	/* Without it git looks for a repository elsewhere: in the folder itself. */
	{ .pattern = ".git/HEAD", .kept = true, .text = "without it git takes another repository" },
	{ .pattern = ".gitmodules", .loose = true, .text = GIT },
	{ .pattern = ".gitconfig", .text = GIT },
	{ .pattern = "~/.config/git/**", .text = GIT },
	{ .pattern = ".husky/**", .text = HOOK },
	/* editors and tools */
	{ .pattern = ".vscode/**", .text = EDITOR },
	{ .pattern = ".idea/**", .text = EDITOR },
	{ .pattern = ".devcontainer/**", .text = EDITOR },
	{ .pattern = ".devcontainer.json", .text = EDITOR },
	{ .pattern = ".envrc", .text = "direnv runs it" },
	{ .pattern = ".cargo/config", .text = "cargo runs programs it names" },
	{ .pattern = ".cargo/config.*", .text = "cargo runs programs it names" },
	/* agents */
	{ .pattern = ".mcp.json", .text = AGENT },
	{ .pattern = ".claude/settings*.json", .text = AGENT },
	{ .pattern = ".claude/hooks/**", .text = AGENT },
	{ .pattern = ".claude/agents/**", .text = AGENT },
	{ .pattern = ".claude/commands/**", .text = AGENT },
	{ .pattern = ".claude/skills/**", .text = AGENT },
	{ .pattern = ".codex/config.toml", .text = AGENT },
	{ .pattern = ".codex/hooks.json", .text = AGENT },
	{ .pattern = ".codex/rules/**", .text = AGENT },
	{ .pattern = ".gemini/settings.json", .text = AGENT },
	{ .pattern = ".gemini/policies/**", .text = AGENT },
	{ .pattern = ".cursor/hooks.json", .text = AGENT },
	{ .pattern = ".cursor/rules/**", .text = AGENT },
	{ .pattern = ".cursor/mcp.json", .text = AGENT },
	{ .pattern = "opencode.json", .text = AGENT },
	{ .pattern = "opencode.jsonc", .text = AGENT },
	{ .pattern = ".opencode/plugin/**", .text = AGENT },
	{ .pattern = ".opencode/plugins/**", .text = AGENT },
	{ .pattern = ".opencode/tool/**", .text = AGENT },
	{ .pattern = ".opencode/agent/**", .text = AGENT },
	{ .pattern = ".opencode/command/**", .text = AGENT },
	/* secrets */
	{ .pattern = "~/.ssh/id_*", .reads = true, .except = "*.pub", .text = KEY },
	{ .pattern = "~/.gnupg/**", .reads = true, .text = KEY },
	{ .pattern = "~/.aws/credentials", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.netrc", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.pgpass", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.npmrc", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.pypirc", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.git-credentials", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.config/git/credentials", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.cargo/credentials", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.cargo/credentials.toml", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.claude/.credentials.json", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.codex/auth.json", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.config/gh/hosts.yml", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.docker/config.json", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.kube/config", .reads = true, .text = CREDENTIALS },
	{ .pattern = "~/.mozilla/**", .reads = true, .text = BROWSER },
	{ .pattern = "~/.config/google-chrome/**", .reads = true, .text = BROWSER },
	{ .pattern = "~/.config/chromium/**", .reads = true, .text = BROWSER },
	{ .pattern = "~/.config/BraveSoftware/**", .reads = true, .text = BROWSER },
	{ .pattern = "~/.config/microsoft-edge/**", .reads = true, .text = BROWSER },
	{ .pattern = "~/snap/firefox/**", .reads = true, .text = BROWSER },
	/* A command's environment is scrubbed of what its caller's holds. */
	{ .pattern = "/proc/*/environ", .reads = true, .passing = true, .text = PROCESS },
	{ .pattern = "/proc/*/task/*/environ", .reads = true, .passing = true, .text = PROCESS },
	{ .pattern = "/proc/*/mem", .reads = true, .passing = true, .text = PROCESS },
	{ .pattern = "/proc/*/task/*/mem", .reads = true, .passing = true, .text = PROCESS },
	{ .pattern = NULL },
};
