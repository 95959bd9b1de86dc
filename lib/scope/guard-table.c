/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked about by name. Writes: everything that a later shell, login,
 * git, editor, build tool, interpreter or agent runs with the person's rights
 * without being asked. Reads: keys and credentials. Each row says where that is
 * written. A row costs a question, so agents' logs and state are not here, only
 * what configures or runs.
 *
 * A row whose first part is the name of an ordinary directory costs more: every
 * directory and file of that name is above a guard then. So the file of Gradle's
 * wrapper is here by its own name, and tools/bazel, which bazelisk runs, is not
 * here at all. Large trees in the home are not gone through at every start
 * (.passing): there the names count, and what a file in the first row links to.
 * Of 73 115 files in 2007 npm packages these rows name seven, so that npm ci
 * asks little; .npmrc is never in a package. */

#include "base/str.h"
#include "scope/guard.h"

#define SHELL "a shell runs it at start-up"
#define LOGIN "runs when the person logs in"
#define CRON "cron runs it"
#define PROGRAMS "programs the person runs by name"
#define GIT "git runs programs it names"
#define REMOTE "git pushes to where it says, and runs the hooks there"
#define HOOK "git runs it as a hook"
#define HOOKS "it decides what runs at every commit"
#define EDITOR "an editor runs tasks from it"
#define STARTS "an editor runs it when it starts or opens a file"
#define VERSIONS "it decides which programs run here, and with which variables"
#define PACKAGES "a package manager runs it, or programs it names"
#define BUILD "a build tool takes options from it, and they can run programs"
#define SCRIPT "a build tool runs it at start-up"
#define WRAPPER "it decides which build tool is fetched and run"
#define CARGO "cargo runs programs it names"
#define REPL "an interpreter or debugger runs it at start-up"
#define AGENT "it configures or extends a coding agent"
#define KEY "it is a private key"
#define CREDENTIALS "it holds credentials"
#define PROCESS "it holds what a process keeps to itself, tokens among it"
#define BROWSER "a browser keeps passwords and cookies in it"
#define LETS_IN "it lets others log in"
#define TRUSTS "ssh runs and trusts what it says"
#define DESKTOP "the desktop starts programs from it"
#define REPOSITORY "it decides which repository git uses"
#define WITHOUT "without it git takes another repository"
#define DIRENV "direnv runs it"
#define COMPILER "it decides which compiler cargo and rustc are"
#define CONFIG "a program runs commands from it at start-up"
#define OPENED "what it leads to would be open the next time"
#define RIPGREP "ripgrep runs programs it names (--pre)"

/* What counts where people work, but not in a package that was unpacked into a store;
 * and the same where to remove it is fine. */
#define PROJECT(name, why, where)                                                                  \
	{                                                                                          \
		.pattern = name, .project = true, .text = why, .source = where                     \
	}
#define LOOSE(name, why, where)                                                                    \
	{                                                                                          \
		.pattern = name, .project = true, .loose = true, .text = why, .source = where      \
	}

/* clang-format off */
const struct guard guard_table[] = {
	/* shells */
	{ .pattern = ".bashrc", .text = SHELL, .source = "bash(1), INVOCATION" },
	{ .pattern = ".bash_profile", .text = SHELL, .source = "bash(1), INVOCATION" },
	{ .pattern = ".bash_login", .text = SHELL, .source = "bash(1), INVOCATION" },
	{ .pattern = ".bash_logout", .text = SHELL, .source = "bash(1), INVOCATION" },
	{ .pattern = ".bash_aliases", .text = SHELL, .source = "Debian's default .bashrc" },
	{ .pattern = ".profile", .text = SHELL, .source = "bash(1), INVOCATION" },
	{ .pattern = ".zshrc", .text = SHELL, .source = "zsh(1), STARTUP/SHUTDOWN FILES" },
	{ .pattern = ".zshenv", .text = SHELL, .source = "zsh(1), STARTUP/SHUTDOWN FILES" },
	{ .pattern = ".zprofile", .text = SHELL, .source = "zsh(1), STARTUP/SHUTDOWN FILES" },
	{ .pattern = ".zlogin", .text = SHELL, .source = "zsh(1), STARTUP/SHUTDOWN FILES" },
	{ .pattern = ".zlogout", .text = SHELL, .source = "zsh(1), STARTUP/SHUTDOWN FILES" },
	{ .pattern = ".kshrc", .text = SHELL, .source = "ksh(1), Invocation" },
	{ .pattern = ".mkshrc", .text = SHELL, .source = "mksh(1), FILES" },
	{ .pattern = ".cshrc", .text = SHELL, .source = "tcsh(1), Startup and shutdown" },
	{ .pattern = ".tcshrc", .text = SHELL, .source = "tcsh(1), Startup and shutdown" },
	{ .pattern = "~/.login", .text = SHELL, .source = "tcsh(1), Startup and shutdown" },
	{ .pattern = "~/.config/fish/**", .text = SHELL,
		.source = "fish docs, Configuration files" },
	{ .pattern = "~/.config/nushell/**", .text = SHELL,
		.source = "Nushell book, Configuration" },
	{ .pattern = "~/.oh-my-zsh/**", .text = SHELL, .source = "oh-my-zsh README" },
	{ .pattern = "~/.inputrc", .text = SHELL, .source = "readline(3), Init File" },
	/* logins, timers, desktops */
	{ .pattern = "~/.xinitrc", .text = LOGIN, .source = "startx(1)" },
	{ .pattern = "~/.xprofile", .text = LOGIN, .source = "Arch wiki, xprofile" },
	{ .pattern = "~/.xsession", .text = LOGIN, .source = "Xsession(5)" },
	{ .pattern = "~/.xsessionrc", .text = LOGIN, .source = "Xsession(5)" },
	{ .pattern = "~/.pam_environment", .text = LOGIN, .source = "pam_env(8)" },
	{ .pattern = "~/.config/environment.d/**", .text = LOGIN, .source = "environment.d(5)" },
	{ .pattern = "~/.config/autostart/**", .text = LOGIN,
		.source = "XDG Autostart Specification" },
	{ .pattern = "~/.config/plasma-workspace/**", .text = LOGIN,
		.source = "KDE userbase, Session environment" },
	{ .pattern = "~/.config/systemd/**", .text = LOGIN,
		.source = "systemd.unit(5), user unit search path" },
	{ .pattern = "~/.local/share/systemd/**", .text = LOGIN,
		.source = "systemd.unit(5), user unit search path" },
	{ .pattern = "~/.local/share/applications/**", .text = DESKTOP,
		.source = "XDG Desktop Entry Specification" },
	{ .pattern = "LaunchAgents/**", .text = LOGIN, .source = "launchd.plist(5)" },
	{ .pattern = "/var/spool/cron/**", .text = CRON, .source = "cron(8)" },
	{ .pattern = "/etc/crontab", .text = CRON, .source = "cron(8)" },
	{ .pattern = "/etc/cron*/**", .text = CRON, .source = "cron(8)" },
	{ .pattern = "authorized_keys", .text = LETS_IN,
		.source = "sshd(8), AUTHORIZED_KEYS" },
	{ .pattern = "authorized_keys2", .text = LETS_IN,
		.source = "sshd_config(5), AuthorizedKeysFile" },
	{ .pattern = ".ssh/**", .text = TRUSTS,
		.source = "ssh_config(5), ProxyCommand" },
	/* programs */
	{ .pattern = "~/bin/**", .text = PROGRAMS, .source = "Debian's default .profile" },
	{ .pattern = "~/.local/bin/**", .text = PROGRAMS,
		.source = "XDG Base Directory Specification" },
	{ .pattern = "~/.cargo/bin/**", .text = PROGRAMS, .source = "rustup book, Installation" },
	{ .pattern = "~/.cargo/env", .text = SHELL, .source = "rustup book, Installation" },
	{ .pattern = "~/.cargo/env.*", .text = SHELL, .source = "rustup book, Installation" },
	{ .pattern = "~/.rustup/settings.toml", .text = PROGRAMS,
		.source = "rustup book, Configuration" },
	{ .pattern = "~/.rustup/toolchains/**", .passing = true, .text = PROGRAMS,
		.source = "rustup book, Toolchains" },
	{ .pattern = "~/go/bin/**", .text = PROGRAMS, .source = "go help install" },
	{ .pattern = "~/.config/go/env", .text = BUILD, .source = "go help env" },
	/* git */
	{ .pattern = ".git", .text = REPOSITORY,
		.source = "gitrepository-layout(5)" },
	{ .pattern = ".git/hooks/**", .except = "*.sample", .text = HOOK, .source = "githooks(5)" },
	{ .pattern = ".git/config", .text = GIT, .source = "git-config(1), FILES" },
	{ .pattern = ".git/config.worktree", .text = GIT,
		.source = "git-worktree(1), CONFIGURATION FILE" },
	{ .pattern = ".git/commondir", .text = GIT, .source = "gitrepository-layout(5)" },
	{ .pattern = ".git/modules/**/hooks/**", .except = "*.sample", .text = HOOK,
		.source = "githooks(5)" },
	{ .pattern = ".git/modules/**/config", .text = GIT, .source = "git-config(1), FILES" },
	{ .pattern = ".git/modules/**/config.worktree", .text = GIT,
		.source = "git-config(1), FILES" },
	{ .pattern = ".git/modules/**/commondir", .text = GIT,
		.source = "gitrepository-layout(5)" },
	/* Without commondir a worktree's own directory is a repository. */
	{ .pattern = ".git/worktrees/*/gitdir", .loose = true, .text = GIT,
		.source = "git-worktree(1), DETAILS" },
	{ .pattern = ".git/worktrees/*/commondir", .loose = true, .text = GIT,
		.source = "git-worktree(1), DETAILS" },
	{ .pattern = ".git/worktrees/*/config.worktree", .loose = true, .text = GIT,
		.source = "git-worktree(1), DETAILS" },
	{ .pattern = ".git/worktrees/*/config", .text = GIT, .source = "git-worktree(1), DETAILS" },
	{ .pattern = ".git/worktrees/*/hooks/**", .text = HOOK, .source = "githooks(5)" },
	/* Where a remote is, in the old way. */
	{ .pattern = ".git/branches/**", .text = REMOTE, .source = "gitrepository-layout(5)" },
	{ .pattern = ".git/remotes/**", .text = REMOTE, .source = "gitrepository-layout(5)" },
	{ .pattern = ".git/modules/*/branches/**", .text = REMOTE,
		.source = "gitrepository-layout(5)" },
	{ .pattern = ".git/modules/*/remotes/**", .text = REMOTE,
		.source = "gitrepository-layout(5)" },
	/* Without it git looks for a repository elsewhere: in the folder itself. */
	{ .pattern = ".git/HEAD", .kept = true, .text = WITHOUT,
		.source = "gitrepository-layout(5)" },
	LOOSE(".gitmodules", GIT, "gitmodules(5)"),
	{ .pattern = ".gitconfig", .text = GIT, .source = "git-config(1), FILES" },
	{ .pattern = "~/.config/git/**", .text = GIT, .source = "git-config(1), FILES" },
	/* Tools that git's hooks start: they read these at every commit, and whoever set the
	 * hooks up is not asked again. */
	PROJECT(".husky/**", HOOK, "husky docs, Get started"),
	PROJECT(".huskyrc", HOOKS, "husky 4 README, Supported config files"),
	PROJECT(".huskyrc.*", HOOKS, "husky 4 README, Supported config files"),
	PROJECT("husky.config.js", HOOKS, "husky 4 README, Supported config files"),
	{ .pattern = "~/.config/husky/**", .text = HOOKS, .source = "husky docs, How to" },
	PROJECT(".pre-commit-config.yaml", HOOKS, "pre-commit docs, Adding plugins"),
	PROJECT(".pre-commit-config.yml", HOOKS, "prek docs, Configuration"),
	PROJECT("prek.toml", HOOKS, "prek docs, Configuration"),
	PROJECT("lefthook.y*ml", HOOKS, "lefthook docs, Config file name"),
	PROJECT("lefthook.toml", HOOKS, "lefthook docs, Config file name"),
	PROJECT("lefthook.json*", HOOKS, "lefthook docs, Config file name"),
	PROJECT("lefthook-local.*", HOOKS, "lefthook docs, Config file name"),
	PROJECT(".lefthook.*", HOOKS, "lefthook docs, Config file name"),
	PROJECT(".lefthook-local.*", HOOKS, "lefthook docs, Config file name"),
	PROJECT(".lefthook/**", HOOKS, "lefthook docs, source_dir"),
	PROJECT(".lefthook-local/**", HOOKS, "lefthook docs, source_dir"),
	/* editors */
	PROJECT(".vscode/**", EDITOR, "VS Code docs, Tasks"),
	PROJECT("*.code-workspace", EDITOR, "VS Code docs, Workspaces"),
	{ .pattern = "~/.config/Code/User/settings.json", .text = EDITOR,
		.source = "VS Code docs, Settings" },
	{ .pattern = "~/.config/Code/User/tasks.json", .text = EDITOR,
		.source = "VS Code docs, Settings" },
	{ .pattern = "~/.config/Code/User/mcp.json", .text = EDITOR,
		.source = "VS Code docs, Settings" },
	PROJECT(".idea/**", EDITOR, "IntelliJ docs, Project configuration"),
	PROJECT(".run/*.run.xml", EDITOR, "IntelliJ docs, Run configurations"),
	PROJECT(".zed/**", EDITOR, "Zed docs, Tasks"),
	{ .pattern = "~/.config/zed/settings.json", .text = EDITOR,
		.source = "Zed docs, Configuring Zed" },
	{ .pattern = "~/.config/zed/tasks.json", .text = EDITOR,
		.source = "Zed docs, Configuring Zed" },
	PROJECT(".helix/**", EDITOR, "Helix docs, Languages"),
	{ .pattern = "~/.config/helix/**", .text = EDITOR, .source = "Helix docs, Languages" },
	PROJECT(".vimrc", STARTS, "Vim :help 'exrc'"),
	PROJECT("_vimrc", STARTS, "Vim :help 'exrc'"),
	PROJECT(".gvimrc", STARTS, "Vim :help 'exrc'"),
	PROJECT("_gvimrc", STARTS, "Vim :help 'exrc'"),
	PROJECT(".exrc", STARTS, "Vim :help 'exrc'"),
	PROJECT("_exrc", STARTS, "Vim :help 'exrc'"),
	{ .pattern = "~/.vim/vimrc", .text = STARTS, .source = "Vim :help vimrc" },
	{ .pattern = "~/.vim/**", .passing = true, .text = STARTS,
		.source = "Vim :help 'runtimepath'" },
	PROJECT(".nvimrc", STARTS, "Neovim :help 'exrc'"),
	PROJECT(".nvim.lua", STARTS, "Neovim :help 'exrc'"),
	{ .pattern = "~/.config/nvim/init.*", .text = STARTS, .source = "Neovim :help config" },
	{ .pattern = "~/.config/nvim/**", .passing = true, .text = STARTS,
		.source = "Neovim :help 'runtimepath'" },
	{ .pattern = "~/.local/share/nvim/site/**", .passing = true, .text = STARTS,
		.source = "Neovim :help 'packpath'" },
	PROJECT(".dir-locals.el", STARTS, "Emacs manual, Directory Variables"),
	PROJECT(".dir-locals-2.el", STARTS, "Emacs manual, Directory Variables"),
	{ .pattern = "~/.emacs", .text = STARTS, .source = "Emacs manual, Init File" },
	{ .pattern = "~/.emacs.el", .text = STARTS, .source = "Emacs manual, Init File" },
	{ .pattern = "~/.emacs.d/init.el", .text = STARTS, .source = "Emacs manual, Init File" },
	{ .pattern = "~/.emacs.d/**", .passing = true, .text = STARTS,
		.source = "Emacs manual, Init File" },
	{ .pattern = "~/.config/emacs/init.el", .text = STARTS,
		.source = "Emacs manual, Init File" },
	{ .pattern = "~/.config/emacs/**", .passing = true, .text = STARTS,
		.source = "Emacs manual, Init File" },
	PROJECT(".devcontainer/**", EDITOR, "Dev Container Specification"),
	PROJECT(".devcontainer.json", EDITOR, "Dev Container Specification"),
	/* environments and versions; "mise/config.toml" is read as well, but a row for it would
	 * ask about every file called mise */
	PROJECT(".envrc", DIRENV, "direnv(1)"),
	{ .pattern = "~/.direnvrc", .text = DIRENV, .source = "direnv(1)" },
	{ .pattern = "~/.config/direnv/**", .text = DIRENV, .source = "direnv.toml(1)" },
	PROJECT("mise.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".mise.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT("mise.*.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".mise.*.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".mise/config*.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".mise/conf.d/**", VERSIONS, "mise docs, Configuration"),
	PROJECT(".config/mise/**", VERSIONS, "mise docs, Configuration"),
	PROJECT(".miserc.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".rtx.toml", VERSIONS, "mise docs, Configuration"),
	PROJECT(".rtx.*.toml", VERSIONS, "mise docs, Configuration"),
	{ .pattern = "~/.local/share/mise/shims/**", .passing = true, .text = PROGRAMS,
		.source = "mise docs, Shims" },
	PROJECT(".tool-versions", VERSIONS, "asdf docs, Configuration"),
	{ .pattern = "~/.asdfrc", .text = VERSIONS, .source = "asdf docs, Configuration" },
	{ .pattern = "~/.asdf/plugins/**", .passing = true, .text = PROGRAMS,
		.source = "asdf docs, How it works" },
	{ .pattern = "~/.asdf/shims/**", .passing = true, .text = PROGRAMS,
		.source = "asdf docs, How it works" },
	/* package managers and build tools; not package.json, pnpm-workspace.yaml, Makefiles
	 * and their like, which are the work itself */
	PROJECT(".npmrc", PACKAGES, "npmrc(5)"),
	PROJECT(".pnpmfile.cjs", PACKAGES, "pnpm docs, .pnpmfile.cjs"),
	PROJECT(".pnpmfile.mjs", PACKAGES, "pnpm docs, .pnpmfile.cjs"),
	PROJECT("pnpmfile.js", PACKAGES, "pnpm docs, .pnpmfile.cjs"),
	PROJECT(".yarnrc", PACKAGES, "Yarn 1 docs, .yarnrc"),
	PROJECT(".yarnrc.yml", PACKAGES, "Yarn docs, .yarnrc.yml, yarnPath"),
	PROJECT(".yarn/releases/**", PACKAGES, "Yarn docs, .yarnrc.yml, yarnPath"),
	PROJECT(".yarn/plugins/**", PACKAGES, "Yarn docs, .yarnrc.yml, plugins"),
	PROJECT(".yarn/sdks/**", PACKAGES, "Yarn docs, Editor SDKs"),
	LOOSE(".pnp.cjs", PACKAGES, "Yarn docs, Plug'n'Play"),
	LOOSE(".pnp.js", PACKAGES, "Yarn docs, Plug'n'Play"),
	LOOSE(".pnp.loader.mjs", PACKAGES, "Yarn docs, Plug'n'Play"),
	LOOSE(".pnp.data.json", PACKAGES, "Yarn docs, Plug'n'Play"),
	PROJECT("bunfig.toml", PACKAGES, "Bun docs, bunfig.toml preload"),
	PROJECT(".bunfig.toml", PACKAGES, "Bun docs, bunfig.toml preload"),
	PROJECT(".cargo/config", CARGO, "Cargo book, Configuration"),
	PROJECT(".cargo/config.*", CARGO, "Cargo book, Configuration"),
	PROJECT("rust-toolchain", COMPILER,
		"rustup book, Overrides"),
	PROJECT("rust-toolchain.toml", COMPILER,
		"rustup book, Overrides"),
	PROJECT("gradle-wrapper.properties", WRAPPER, "Gradle docs, Gradle Wrapper"),
	PROJECT("gradle-wrapper.jar", WRAPPER, "Gradle docs, Gradle Wrapper"),
	{ .pattern = "~/.gradle/init.gradle", .text = SCRIPT,
		.source = "Gradle docs, Initialization scripts" },
	{ .pattern = "~/.gradle/init.gradle.kts", .text = SCRIPT,
		.source = "Gradle docs, Initialization scripts" },
	{ .pattern = "~/.gradle/init.d/**", .text = SCRIPT,
		.source = "Gradle docs, Initialization scripts" },
	{ .pattern = "~/.gradle/gradle.properties", .text = BUILD,
		.source = "Gradle docs, Build environment" },
	PROJECT(".mvn/**", BUILD, "Maven docs, Configuring Maven"),
	{ .pattern = "~/.m2/settings.xml", .text = BUILD,
		.source = "Maven docs, Configuring Maven" },
	{ .pattern = "~/.m2/extensions.xml", .text = BUILD,
		.source = "Maven docs, Configuring Maven" },
	{ .pattern = "~/.mavenrc", .text = BUILD, .source = "Maven docs, Configuring Maven" },
	PROJECT(".bazelrc", BUILD, "Bazel docs, bazelrc"),
	PROJECT(".bazelversion", WRAPPER, "Bazelisk README"),
	PROJECT(".bazeliskrc", WRAPPER, "Bazelisk README"),
	PROJECT(".ripgreprc", RIPGREP,
		"rg(1), CONFIGURATION FILES"),
	/* interpreters and debuggers */
	PROJECT(".Rprofile", REPL, "R manual, ?Startup"),
	PROJECT(".Renviron", REPL, "R manual, ?Startup"),
	/* R loads it and calls its .First. */
	LOOSE(".RData", REPL, "R manual, ?Startup"),
	PROJECT(".irbrc", REPL, "irb docs, Configuration File"),
	PROJECT("_irbrc", REPL, "irb docs, Configuration File"),
	PROJECT("$irbrc", REPL, "irb docs, Configuration File"),
	PROJECT("irb.rc", REPL, "irb docs, Configuration File"),
	PROJECT(".pryrc", REPL, "Pry wiki, Customization"),
	PROJECT(".rdbgrc", REPL, "ruby debug README, Initial scripts"),
	{ .pattern = "~/.ipython/profile_*/startup/**", .text = REPL,
		.source = "IPython docs, Configuration" },
	{ .pattern = "~/.ipython/profile_*/*_config.*", .text = REPL,
		.source = "IPython docs, Configuration" },
	PROJECT(".pdbrc", REPL, "Python docs, pdb"),
	PROJECT(".gdbinit", REPL, "GDB docs, Init File in the Current Directory"),
	PROJECT(".lldbinit", REPL, "lldb(1), CONFIGURATION FILES"),
	PROJECT(".ghci", REPL, "GHC user guide, The .ghci files"),
	PROJECT(".iex.exs", REPL, "IEx docs, The .iex.exs file"),
	PROJECT(".ocamlinit", REPL, "OCaml manual, The toplevel system"),
	PROJECT(".octaverc", REPL, "Octave manual, Startup Files"),
	/* Programs that run commands from a file in the home. */
	{ .pattern = "~/.tmux.conf", .text = CONFIG, .source = "tmux(1), run-shell" },
	{ .pattern = "~/.screenrc", .text = CONFIG, .source = "screen(1), exec" },
	{ .pattern = "~/.psqlrc*", .text = CONFIG, .source = "psql(1), Files" },
	{ .pattern = "~/.sqliterc", .text = CONFIG, .source = "sqlite3(1), INIT FILE" },
	{ .pattern = "~/.hgrc", .text = CONFIG, .source = "hgrc(5), hooks" },
	{ .pattern = "~/.forward", .text = CONFIG, .source = "local(8), forward files" },
	{ .pattern = "~/.procmailrc", .text = CONFIG, .source = "procmailrc(5)" },
	{ .pattern = "~/.muttrc", .text = CONFIG, .source = "muttrc(5), source" },
	{ .pattern = "~/.mailrc", .text = CONFIG, .source = "mailx(1), shell" },
	{ .pattern = "~/.latexmkrc", .text = CONFIG, .source = "latexmk(1), configuration" },
	{ .pattern = "~/.gdbearlyinit", .text = REPL, .source = "GDB docs, Startup" },
	{ .pattern = "~/.quiltrc", .text = CONFIG, .source = "quilt(1), configuration" },
	{ .pattern = "~/.devscripts", .text = CONFIG, .source = "devscripts.conf(5)" },
	{ .pattern = "~/.pbuilderrc", .text = CONFIG, .source = "pbuilderrc(5)" },
	{ .pattern = "~/.sbuildrc", .text = CONFIG, .source = "sbuild.conf(5)" },
	{ .pattern = "~/.rpmmacros", .text = CONFIG, .source = "rpm-macros(7), shell expansion" },
	{ .pattern = "~/.xserverrc", .text = LOGIN, .source = "startx(1)" },
	{ .pattern = "~/.xbindkeysrc", .text = CONFIG, .source = "xbindkeys(1)" },
	{ .pattern = "~/.aws/config", .text = CONFIG, .source = "AWS CLI docs, credential_process" },
	{ .pattern = "~/.kube/config", .text = CONFIG,
		.source = "Kubernetes docs, client-go credential plugins" },
	{ .pattern = "~/.docker/config.json", .text = CONFIG,
		.source = "Docker docs, credential helpers" },
	{ .pattern = "~/.terraformrc", .text = CONFIG,
		.source = "Terraform docs, dev_overrides" },
	/* Agents: what configures them or what they run, in the folder and in their directories in
	 * the home, which a profile opens. Not AGENTS.md, rules and steering: an agent reads those
	 * as it reads every other text. A skill is such a text, too; it is here where its head can
	 * allow tools. Not what agents install by themselves when they start. */
	PROJECT(".mcp.json", AGENT, "Claude Code docs, MCP"),
	PROJECT(".claude/settings*.json", AGENT, "Claude Code docs, Settings"),
	PROJECT(".claude/hooks/**", AGENT, "Claude Code docs, .claude directory"),
	PROJECT(".claude/agents/**", AGENT, "Claude Code docs, .claude directory"),
	PROJECT(".claude/commands/**", AGENT, "Claude Code docs, .claude directory"),
	PROJECT(".claude/skills/**", AGENT, "Claude Code docs, .claude directory"),
	PROJECT(".claude/workflows/**", AGENT, "Claude Code docs, .claude directory"),
	PROJECT(".claude/launch.json", AGENT, "Claude Code docs, Desktop"),
	PROJECT(".claude/scheduled_tasks.json", AGENT, "Claude Code docs, Agent SDK CronCreate"),
	PROJECT(".agents/skills/*/SKILL.md", AGENT, "Copilot docs, Agent skills"),
	PROJECT(".agents/plugins/**", AGENT, "Codex source, core-plugins"),
	PROJECT(".codex/config.toml", AGENT, "Codex docs, Config basics"),
	PROJECT(".codex/hooks.json", AGENT, "Codex docs, Hooks"),
	PROJECT(".codex/hooks/**", AGENT, "Codex docs, Hooks"),
	PROJECT(".codex/rules/**", AGENT, "Codex docs, Rules"),
	PROJECT(".codex/agents/**", AGENT, "Codex source, agent_roles.rs"),
	PROJECT(".codex/environments/**", AGENT, "Codex docs, Local environments"),
	PROJECT(".gemini/settings.json", AGENT, "Gemini CLI docs, Configuration"),
	PROJECT(".gemini/policies/**", AGENT, "Gemini CLI docs, Policy engine"),
	PROJECT(".gemini/commands/**", AGENT, "Gemini CLI docs, Custom commands"),
	PROJECT(".gemini/agents/**", AGENT, "Gemini CLI docs, Subagents"),
	PROJECT(".gemini/hooks/**", AGENT, "Gemini CLI docs, Hooks"),
	PROJECT(".gemini/extensions/**", AGENT, "Gemini CLI docs, Extensions"),
	PROJECT(".qwen/settings.json", AGENT, "Qwen Code docs, Settings"),
	PROJECT(".qwen/commands/**", AGENT, "Qwen Code source, storage.ts"),
	PROJECT(".qwen/agents/**", AGENT, "Qwen Code source, storage.ts"),
	PROJECT(".qwen/hooks/**", AGENT, "Qwen Code source, storage.ts"),
	PROJECT(".qwen/extensions/**", AGENT, "Qwen Code source, storage.ts"),
	PROJECT(".qwen/workflows/**", AGENT, "Qwen Code source, storage.ts"),
	PROJECT(".qwen/skills/*/SKILL.md", AGENT, "Qwen Code docs, Agent skills"),
	PROJECT(".pi/settings.json", AGENT, "pi docs, Settings"),
	PROJECT(".pi/extensions/**", AGENT, "pi docs, Extensions"),
	PROJECT(".pi/npm/**", AGENT, "pi docs, Packages"),
	PROJECT(".pi/git/**", AGENT, "pi docs, Packages"),
	{ .pattern = "~/.pi/agent/settings.json", .text = AGENT, .source = "pi docs, Settings" },
	{ .pattern = "~/.pi/agent/models.json", .text = AGENT, .source = "pi docs, Models" },
	{ .pattern = "~/.pi/agent/extensions/**", .text = AGENT, .source = "pi docs, Extensions" },
	{ .pattern = "~/.pi/agent/npm/**", .text = AGENT, .source = "pi docs, Packages" },
	{ .pattern = "~/.pi/agent/git/**", .text = AGENT, .source = "pi docs, Packages" },
	PROJECT(".github/hooks/**", AGENT, "Copilot docs, Hooks reference"),
	PROJECT(".github/agents/**", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".github/skills/*/SKILL.md", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".github/extensions/**", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".github/copilot/settings*.json", AGENT,
		"Copilot CLI docs, Configuration directory"),
	PROJECT(".github/mcp.json", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".github/lsp.json", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/hooks/**", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/agents/**", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/skills/*/SKILL.md", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/extensions/**", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/installed-plugins/**", AGENT,
		"Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/settings.json", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/mcp-config.json", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".copilot/lsp-config.json", AGENT, "Copilot CLI docs, Configuration directory"),
	PROJECT(".cursor/hooks.json", AGENT, "Cursor docs, Hooks"),
	PROJECT(".cursor/hooks/**", AGENT, "Cursor docs, Hooks"),
	PROJECT(".cursor/rules/**", AGENT, "Cursor docs, Rules"),
	PROJECT(".cursor/mcp.json", AGENT, "Cursor docs, MCP"),
	PROJECT(".cursor/cli.json", AGENT, "Cursor docs, CLI configuration"),
	PROJECT(".cursor/worktrees.json", AGENT, "Cursor docs, Worktrees"),
	PROJECT(".cursor/agents/**", AGENT, "Cursor docs, Subagents"),
	PROJECT(".cursor/commands/**", AGENT, "Cursor docs, Commands"),
	PROJECT("opencode.json", AGENT, "opencode docs, Config"),
	PROJECT("opencode.jsonc", AGENT, "opencode docs, Config"),
	PROJECT("tui.json", AGENT, "opencode docs, Config"),
	PROJECT("tui.jsonc", AGENT, "opencode docs, Config"),
	PROJECT(".opencode/agent/**", AGENT, "opencode docs, Agents"),
	PROJECT(".opencode/agents/**", AGENT, "opencode docs, Agents"),
	PROJECT(".opencode/command/**", AGENT, "opencode docs, Commands"),
	PROJECT(".opencode/commands/**", AGENT, "opencode docs, Commands"),
	PROJECT(".opencode/mode/**", AGENT, "opencode docs, Modes"),
	PROJECT(".opencode/modes/**", AGENT, "opencode docs, Modes"),
	PROJECT(".opencode/plugin/**", AGENT, "opencode docs, Plugins"),
	PROJECT(".opencode/plugins/**", AGENT, "opencode docs, Plugins"),
	PROJECT(".opencode/tool/**", AGENT, "opencode docs, Custom tools"),
	PROJECT(".opencode/tools/**", AGENT, "opencode docs, Custom tools"),
	{ .pattern = "~/.config/opencode/config.json", .text = AGENT,
		.source = "opencode docs, Config" },
	{ .pattern = "~/.config/opencode/agent/**", .text = AGENT,
		.source = "opencode docs, Agents" },
	{ .pattern = "~/.config/opencode/agents/**", .text = AGENT,
		.source = "opencode docs, Agents" },
	{ .pattern = "~/.config/opencode/command/**", .text = AGENT,
		.source = "opencode docs, Commands" },
	{ .pattern = "~/.config/opencode/commands/**", .text = AGENT,
		.source = "opencode docs, Commands" },
	{ .pattern = "~/.config/opencode/mode/**", .text = AGENT,
		.source = "opencode docs, Modes" },
	{ .pattern = "~/.config/opencode/modes/**", .text = AGENT,
		.source = "opencode docs, Modes" },
	{ .pattern = "~/.config/opencode/plugin/**", .text = AGENT,
		.source = "opencode docs, Plugins" },
	{ .pattern = "~/.config/opencode/plugins/**", .text = AGENT,
		.source = "opencode docs, Plugins" },
	{ .pattern = "~/.config/opencode/tool/**", .text = AGENT,
		.source = "opencode docs, Custom tools" },
	{ .pattern = "~/.config/opencode/tools/**", .text = AGENT,
		.source = "opencode docs, Custom tools" },
	PROJECT(".windsurf/hooks.json", AGENT, "Windsurf docs, Cascade Hooks"),
	PROJECT(".windsurf/mcp_config.json", AGENT, "Windsurf docs, Cascade MCP"),
	PROJECT(".windsurf/workflows/**", AGENT, "Windsurf docs, Workflows"),
	{ .pattern = "~/.codeium/windsurf/hooks.json", .text = AGENT,
		.source = "Windsurf docs, Cascade Hooks" },
	{ .pattern = "~/.codeium/windsurf/mcp_config.json", .text = AGENT,
		.source = "Windsurf docs, Cascade MCP" },
	PROJECT(".kiro/hooks/**", AGENT, "Kiro docs, Hooks"),
	PROJECT(".kiro/settings/**", AGENT, "Kiro docs, MCP configuration"),
	PROJECT(".kiro/agents/**", AGENT, "Kiro docs, Custom agents"),
	PROJECT(".kiro/powers/**", AGENT, "Kiro docs, Powers"),
	PROJECT(".roomodes", AGENT, "Roo Code docs, Custom modes"),
	PROJECT(".roo/mcp.json", AGENT, "Roo Code docs, Using MCP"),
	PROJECT(".roo/commands/**", AGENT, "Roo Code docs, Slash commands"),
	PROJECT(".roo/tools/**", AGENT, "Roo Code source, build-tools.ts"),
	PROJECT(".clinerules/hooks/**", AGENT, "Cline source, disk.ts"),
	PROJECT(".clinerules/workflows/**", AGENT, "Cline source, disk.ts"),
	PROJECT(".cline/hooks/**", AGENT, "Cline source, paths.ts"),
	PROJECT(".cline/plugins/**", AGENT, "Cline source, paths.ts"),
	PROJECT(".cline/agents/**", AGENT, "Cline source, paths.ts"),
	PROJECT(".cline/workflows/**", AGENT, "Cline source, paths.ts"),
	PROJECT(".cline/cron/**", AGENT, "Cline source, paths.ts"),
	PROJECT(".cline/mcp.json", AGENT, "Cline docs, MCP"),
	PROJECT(".junie/mcp/**", AGENT, "Junie docs, MCP settings"),
	PROJECT("crush.json", AGENT, "Crush README, Configuration"),
	PROJECT(".crush.json", AGENT, "Crush README, Configuration"),
	PROJECT(".aider.conf.yml", AGENT, "aider docs, YAML config file"),
	/* secrets */
	{ .pattern = "~/.ssh/id_*", .reads = true, .except = "*.pub", .text = KEY,
		.source = "ssh(1), FILES" },
	{ .pattern = "~/.gnupg/**", .reads = true, .text = KEY, .source = "gpg(1), FILES" },
	{ .pattern = "~/.aws/credentials", .reads = true, .text = CREDENTIALS,
		.source = "AWS CLI docs, Configuration files" },
	{ .pattern = "~/.netrc", .reads = true, .text = CREDENTIALS, .source = "curl(1), --netrc" },
	{ .pattern = "~/.pgpass", .reads = true, .text = CREDENTIALS,
		.source = "PostgreSQL docs, The Password File" },
	{ .pattern = "~/.npmrc", .reads = true, .text = CREDENTIALS, .source = "npmrc(5)" },
	{ .pattern = "~/.pypirc", .reads = true, .text = CREDENTIALS,
		.source = "PyPA docs, The .pypirc file" },
	{ .pattern = "~/.git-credentials", .reads = true, .text = CREDENTIALS,
		.source = "git-credential-store(1)" },
	{ .pattern = "~/.config/git/credentials", .reads = true, .text = CREDENTIALS,
		.source = "git-credential-store(1)" },
	{ .pattern = "~/.cargo/credentials", .reads = true, .text = CREDENTIALS,
		.source = "Cargo book, Registry authentication" },
	{ .pattern = "~/.cargo/credentials.toml", .reads = true, .text = CREDENTIALS,
		.source = "Cargo book, Registry authentication" },
	{ .pattern = "~/.claude/.credentials.json", .reads = true, .text = CREDENTIALS,
		.source = "Claude Code docs, .claude directory" },
	{ .pattern = "~/.codex/auth.json", .reads = true, .text = CREDENTIALS,
		.source = "Codex docs, Authentication" },
	{ .pattern = "~/.config/gh/hosts.yml", .reads = true, .text = CREDENTIALS,
		.source = "gh auth login(1)" },
	{ .pattern = "~/.docker/config.json", .reads = true, .text = CREDENTIALS,
		.source = "docker login(1)" },
	{ .pattern = "~/.kube/config", .reads = true, .text = CREDENTIALS,
		.source = "kubectl docs, kubeconfig" },
	{ .pattern = "~/.mozilla/**", .reads = true, .text = BROWSER,
		.source = "Mozilla support, Profiles" },
	{ .pattern = "~/.config/google-chrome/**", .reads = true, .text = BROWSER,
		.source = "Chromium docs, User data directory" },
	{ .pattern = "~/.config/chromium/**", .reads = true, .text = BROWSER,
		.source = "Chromium docs, User data directory" },
	{ .pattern = "~/.config/BraveSoftware/**", .reads = true, .text = BROWSER,
		.source = "Chromium docs, User data directory" },
	{ .pattern = "~/.config/microsoft-edge/**", .reads = true, .text = BROWSER,
		.source = "Chromium docs, User data directory" },
	{ .pattern = "~/snap/firefox/**", .reads = true, .text = BROWSER,
		.source = "Mozilla support, Profiles" },
	/* A command's environment is scrubbed of what its caller's holds. */
	{ .pattern = "/proc/*/environ", .reads = true, .passing = true, .text = PROCESS,
		.source = "proc(5)" },
	{ .pattern = "/proc/*/task/*/environ", .reads = true, .passing = true, .text = PROCESS,
		.source = "proc(5)" },
	{ .pattern = "/proc/*/mem", .reads = true, .passing = true, .text = PROCESS,
		.source = "proc(5)" },
	{ .pattern = "/proc/*/task/*/mem", .reads = true, .passing = true, .text = PROCESS,
		.source = "proc(5)" },
	{ .pattern = NULL },
};
/* clang-format on */

static const struct {
	const char *text;
	const char *danger;
} dangers[] = {
	{ SHELL, "RUNS AS YOU in your next shell" },
	{ LOGIN, "RUNS AS YOU at your next login" },
	{ CRON, "RUNS LATER, started by cron" },
	{ PROGRAMS, "RUNS AS YOU when you call it by name" },
	{ GIT, "RUNS AS YOU at your next git command" },
	{ REMOTE, "CHANGES WHERE git PUSHES TO" },
	{ HOOK, "RUNS AS YOU when git calls it" },
	{ HOOKS, "RUNS AS YOU at your next git commit" },
	{ EDITOR, "RUNS AS YOU in your editor" },
	{ STARTS, "RUNS AS YOU in your editor" },
	{ VERSIONS, "DECIDES WHICH PROGRAMS RUN HERE" },
	{ PACKAGES, "RUNS AS YOU in a package manager" },
	{ BUILD, "RUNS AS YOU in your next build" },
	{ SCRIPT, "RUNS AS YOU in your next build" },
	{ WRAPPER, "DECIDES WHICH BUILD TOOL RUNS" },
	{ CARGO, "RUNS AS YOU at your next cargo command" },
	{ REPL, "RUNS AS YOU in an interpreter" },
	{ AGENT, "CHANGES WHAT YOUR AGENTS DO" },
	{ KEY, "YOUR PRIVATE KEY" },
	{ CREDENTIALS, "YOUR PASSWORDS OR TOKENS" },
	{ PROCESS, "WHAT A PROCESS KEEPS SECRET" },
	{ BROWSER, "YOUR PASSWORDS AND COOKIES" },
	{ LETS_IN, "LETS OTHERS LOG IN AS YOU" },
	{ TRUSTS, "CHANGES WHAT ssh RUNS AND TRUSTS" },
	{ DESKTOP, "RUNS AS YOU from your desktop" },
	{ REPOSITORY, "CHANGES WHICH REPOSITORY git USES" },
	{ WITHOUT, "CHANGES WHICH REPOSITORY git USES" },
	{ DIRENV, "RUNS AS YOU when direnv loads it" },
	{ COMPILER, "DECIDES WHICH COMPILER RUNS" },
	{ CONFIG, "RUNS AS YOU when that program starts" },
	{ RIPGREP, "RUNS AS YOU at your next rg" },
	{ OPENED, "OPENS WHAT THE LINK LEADS TO" },
};

const struct guard guard_opened_name = {
	.pattern = "a link in the place of what was opened",
	.text = OPENED,
	.source = "a name that is looked up again",
};

static bool
runs_at_commit(const char *real)
{
	static const char *const names[] = { "/pre-commit", "/prepare-commit-msg", "/commit-msg",
		"/post-commit" };
	const char *name = strrchr(real, '/');

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (streq(name, names[i]))
			return true;
	return false;
}

const char *
guard_danger(const struct guard *guard, const char *real, enum ambit_access access)
{
	if (access == AMBIT_ACCESS_DELETE && !guard->kept)
		return "DELETES SOMETHING GUARDED";
	if (streq(guard->text, HOOK) && runs_at_commit(real))
		return "RUNS AS YOU at your next git commit";
	for (size_t i = 0; i < sizeof(dangers) / sizeof(dangers[0]); i++)
		if (streq(guard->text, dangers[i].text))
			return dangers[i].danger;
	return guard->reads ? "SECRET" : "GUARDED BY YOU";
}
