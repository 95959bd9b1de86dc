/* SPDX-License-Identifier: Apache-2.0 */
/* The table of profiles: what an agent or a package manager keeps outside the
 * folder, and whom it talks to. A row opens only what holds state: never a
 * directory of programs or of start-up configuration, since what lies there
 * runs later with the person's rights. So ~/.cargo/registry but not ~/.cargo,
 * ~/.gradle/caches but not ~/.gradle (init scripts), and not ~/.ccache at
 * all, whose configuration names programs to run. */

#include <stddef.h>

#include <ambit/tool.h>

#include "base/str.h"
#include "scope/profile.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NONE ((const char *const[]){ NULL })

static const struct profile profiles[] = {
	{
		.name = "claude",
		.kind = "agent",
		.commands = LIST("claude"),
		.folders = LIST("~/.claude", "~/.claude.json", "~/.cache/claude-cli-nodejs",
			"~/.local/state/claude"),
		.hosts = LIST("api.anthropic.com", "claude.ai", "platform.claude.com",
			"console.anthropic.com"),
		.args = LIST("--settings", "{\"sandbox\":{\"enabled\":false}}"),
		.env = NONE,
		.text = "Claude Code: its sessions, settings and sign-in",
	},
	{
		.name = "codex",
		.kind = "agent",
		.commands = LIST("codex"),
		.folders = LIST("~/.codex"),
		.hosts = LIST("api.openai.com", "chatgpt.com", "auth.openai.com"),
		.args = LIST("--sandbox", "danger-full-access"),
		.env = NONE,
		.text = "Codex: its sessions, settings and sign-in",
	},
	{
		.name = "gemini",
		.kind = "agent",
		.commands = LIST("gemini"),
		.folders = LIST("~/.gemini"),
		.hosts = LIST("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com",
			"oauth2.googleapis.com", "accounts.google.com"),
		.args = NONE,
		.env = LIST("GEMINI_SANDBOX=false"),
		.text = "Gemini CLI: its sessions, settings and sign-in",
	},
	{
		.name = "copilot",
		.kind = "agent",
		.commands = LIST("copilot"),
		.folders = LIST("~/.copilot", "~/.config/github-copilot"),
		.hosts = LIST("api.github.com", "github.com", "*.githubcopilot.com"),
		.args = NONE,
		.env = LIST("COPILOT_CLI_SANDBOX_SUPPORT_OVERRIDE=unsupported"),
		.text = "Copilot CLI: its sessions, settings and sign-in",
	},
	{
		.name = "opencode",
		.kind = "agent",
		.commands = LIST("opencode"),
		.folders = LIST("~/.local/share/opencode", "~/.config/opencode",
			"~/.cache/opencode", "~/.local/state/opencode"),
		.hosts = LIST("opencode.ai", "models.dev", "*.npmjs.org"),
		.args = NONE,
		.env = NONE,
		.text = "opencode: its sessions, settings and plugins",
	},
	{
		.name = "npm",
		.kind = "cache",
		.commands = LIST("npm", "npx"),
		.folders = LIST("~/.npm", "~/.cache/node-gyp"),
		.hosts = LIST("*.npmjs.org", "nodejs.org"),
		.args = NONE,
		.env = NONE,
		.text = "npm: its cache, logs and build headers",
	},
	{
		.name = "pnpm",
		.kind = "cache",
		.commands = LIST("pnpm", "pnpx"),
		.folders = LIST("~/.local/share/pnpm/store", "~/.cache/pnpm", "~/.local/state/pnpm",
			"~/.cache/node-gyp"),
		.hosts = LIST("*.npmjs.org", "nodejs.org"),
		.args = NONE,
		.env = NONE,
		.text = "pnpm: its store, cache and state",
	},
	{
		.name = "yarn",
		.kind = "cache",
		.commands = LIST("yarn", "yarnpkg"),
		.folders = LIST("~/.cache/yarn", "~/.yarn/berry", "~/.cache/node-gyp"),
		.hosts = LIST("*.yarnpkg.com", "*.npmjs.org", "nodejs.org"),
		.args = NONE,
		.env = NONE,
		.text = "Yarn: its cache, classic and modern",
	},
	{
		.name = "pip",
		.kind = "cache",
		.commands = LIST("pip", "pip3"),
		.folders = LIST("~/.cache/pip"),
		.hosts = LIST("pypi.org", "files.pythonhosted.org"),
		.args = NONE,
		.env = NONE,
		.text = "pip: its cache",
	},
	{
		.name = "uv",
		.kind = "cache",
		.commands = LIST("uv", "uvx"),
		.folders = LIST("~/.cache/uv"),
		.hosts = LIST("pypi.org", "files.pythonhosted.org"),
		.args = NONE,
		.env = NONE,
		.text = "uv: its cache",
	},
	{
		.name = "cargo",
		.kind = "cache",
		.commands = LIST("cargo"),
		.folders = LIST("~/.cargo/registry", "~/.cargo/git", "~/.cargo/.package-cache",
			"~/.cargo/.package-cache-mutate", "~/.cargo/.global-cache",
			"~/.cargo/.global-cache-journal"),
		.hosts = LIST("index.crates.io", "static.crates.io", "crates.io"),
		.args = NONE,
		.env = NONE,
		.text = "Cargo: its registry, checkouts and locks; not its programs",
	},
	{
		.name = "go",
		.kind = "cache",
		.commands = LIST("go"),
		.folders = LIST("~/go/pkg", "~/.cache/go-build", "~/.config/go/telemetry"),
		.hosts = LIST("proxy.golang.org", "sum.golang.org"),
		.args = NONE,
		.env = NONE,
		.text = "Go: its modules and build cache; not its programs",
	},
	{
		.name = "ccache",
		.kind = "cache",
		.commands = LIST("ccache"),
		.folders = LIST("~/.cache/ccache"),
		.hosts = NONE,
		.args = NONE,
		.env = NONE,
		.text = "ccache: its cache",
	},
	{
		.name = "gradle",
		.kind = "cache",
		.commands = LIST("gradle", "gradlew"),
		.folders = LIST("~/.gradle/caches", "~/.gradle/daemon", "~/.gradle/native",
			"~/.gradle/notifications", "~/.gradle/workers", "~/.gradle/wrapper",
			"~/.gradle/.tmp"),
		.hosts = LIST("services.gradle.org", "downloads.gradle.org", "plugins.gradle.org",
			"plugins-artifacts.gradle.org", "repo.maven.apache.org", "repo1.maven.org"),
		.args = NONE,
		.env = NONE,
		.text = "Gradle: its caches and daemon; not its init scripts",
	},
	{
		.name = "maven",
		.kind = "cache",
		.commands = LIST("mvn", "mvnw"),
		.folders = LIST("~/.m2/repository", "~/.m2/wrapper"),
		.hosts = LIST("repo.maven.apache.org", "repo1.maven.org"),
		.args = NONE,
		.env = NONE,
		.text = "Maven: its repository; not its settings",
	},
};

const struct profile *
profile_at(size_t i)
{
	return i < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[i] : NULL;
}

const struct profile *
profile_find(const char *name)
{
	const struct profile *profile;

	for (size_t i = 0; (profile = profile_at(i)); i++)
		if (streq(profile->name, name))
			return profile;
	return NULL;
}

const struct profile *
profile_for(const char *argv0)
{
	const char *slash = strrchr(argv0, '/'), *base = slash ? slash + 1 : argv0;
	const struct profile *profile;

	for (size_t i = 0; (profile = profile_at(i)); i++)
		for (size_t j = 0; profile->commands[j]; j++)
			if (streq(profile->commands[j], base))
				return profile;
	return NULL;
}
