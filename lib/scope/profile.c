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
#define ADDS(...) ((const struct profile_add[]){ __VA_ARGS__, { 0 } })
#define NOTHING ((const struct profile_add[]){ { 0 } })
#define SANDBOX "its own sandbox does not work inside the line, so leave it out"

static const struct profile profiles[] = {
	{
		.name = "claude",
		.kind = "agent",
		.commands = LIST("claude", "claude-code"),
		.folders = LIST("~/.claude", "~/.claude.json*", "~/.cache/claude-cli-nodejs",
			"~/.local/state/claude", "$XDG_RUNTIME_DIR/cc-socks"),
		.settings = LIST("~/.claude/settings.json"),
		.hosts = LIST("api.anthropic.com", "github.com", "claude.ai", "platform.claude.com",
			"console.anthropic.com", "downloads.claude.ai",
			"raw.githubusercontent.com"),
		/* The second one: no file for the desktop, which would run it. */
		.adds = ADDS({
			.args = LIST("--settings", "{\"sandbox\":{\"enabled\":false},"
						   "\"disableDeepLinkRegistration\":\"disable\"}"),
			.unless = LIST("--settings"),
			.instead = SANDBOX,
		}),
		.text = "Claude Code: its sessions, settings and sign-in",
	},
	{
		.name = "codex",
		.kind = "agent",
		.commands = LIST("codex"),
		.folders = LIST("~/.codex"),
		.settings = LIST("~/.codex/config.toml"),
		.hosts = LIST("api.openai.com", "github.com", "chatgpt.com", "ab.chatgpt.com",
			"auth.openai.com", "api.github.com", "raw.githubusercontent.com"),
		.adds = ADDS(
			{
				.args = LIST("--sandbox", "danger-full-access"),
				.unless = LIST("--sandbox", "-s", "--full-auto", "--yolo",
					"--dangerously-bypass-approvals-and-sandbox",
					"sandbox_mode="),
				.instead = SANDBOX,
				.needed = true,
			},
			{
				/* Its full screen would use one that outlives it, outside. */
				.args = LIST("--no-daemon"),
				.unless = LIST("--no-daemon"),
			}),
		.text = "Codex: its sessions, settings and sign-in",
	},
	{
		.name = "gemini",
		.kind = "agent",
		.commands = LIST("gemini", "gemini-cli"),
		.folders = LIST("~/.gemini"),
		.settings = LIST("~/.gemini/settings.json"),
		.hosts = LIST("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com",
			"oauth2.googleapis.com", "accounts.google.com", "play.googleapis.com",
			"*.npmjs.org"),
		.adds = ADDS({
			.env = "GEMINI_SANDBOX=false",
			.unless = LIST("--sandbox", "-s"),
			.instead = SANDBOX,
		}),
		.text = "Gemini CLI: its sessions, settings and sign-in",
	},
	{
		.name = "qwen",
		.kind = "agent",
		.commands = LIST("qwen", "qwen-code"),
		.folders = LIST("~/.qwen", "$XDG_RUNTIME_DIR/qwen-socks"),
		.settings = LIST("~/.qwen/settings.json", "~/.qwen/extensions"),
		.hosts = LIST("chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com",
			"dashscope-intl.aliyuncs.com", "*.rum.aliyuncs.com", "*.npmjs.org"),
		.adds = ADDS({
			.env = "QWEN_SANDBOX=false",
			.unless = LIST("--sandbox", "-s"),
			.instead = SANDBOX,
		}),
		.text = "Qwen Code: its sessions, settings and sign-in",
	},
	{
		.name = "copilot",
		.kind = "agent",
		.commands = LIST("copilot", "copilot-linux-x64", "copilot-linux-arm64"),
		.folders = LIST("~/.copilot", "~/.cache/copilot", "~/.config/github-copilot",
			"~/.cache/Microsoft/DeveloperTools"),
		.stores = LIST("~/.cache/copilot"),
		.settings = LIST("~/.copilot/settings.json"),
		.hosts = LIST("api.github.com", "github.com", "*.githubcopilot.com"),
		.adds = ADDS({
			.env = "COPILOT_CLI_SANDBOX_SUPPORT_OVERRIDE=unsupported",
			.instead = SANDBOX,
		}),
		.text = "Copilot CLI: its sessions, settings, sign-in and program",
	},
	{
		.name = "opencode",
		.kind = "agent",
		.commands = LIST("opencode"),
		.folders =
			LIST("~/.local/share/opencode", "~/.config/opencode", "~/.cache/opencode",
				"~/.local/state/opencode", "~/.local/share/opentui", "~/.npm"),
		.settings = LIST("~/.config/opencode/opencode.json",
			"~/.config/opencode/opencode.jsonc", "~/.config/opencode/tui.json"),
		.hosts = LIST("opencode.ai", "models.opencode.ai", "models.dev", "*.npmjs.org",
			"api.github.com"),
		.adds = NOTHING,
		.text = "opencode: its sessions, settings, plugins and sign-in",
	},
	{
		.name = "pi",
		.kind = "agent",
		.commands = LIST("pi", "pi-coding-agent"),
		.folders = LIST("~/.pi"),
		.settings = LIST("~/.pi/agent/settings.json"),
		.hosts = LIST("pi.dev", "api.github.com"),
		.adds = NOTHING,
		.text = "pi: its sessions, settings and sign-in",
	},
	{
		.name = "npm",
		.kind = "cache",
		.commands = LIST("npm", "npx", "npm-cli", "npx-cli"),
		.folders = LIST("~/.npm", "~/.cache/node-gyp"),
		.hosts = LIST("*.npmjs.org", "nodejs.org"),
		.adds = NOTHING,
		.text = "npm: its cache, logs and build headers",
	},
	{
		.name = "pnpm",
		.kind = "cache",
		.commands = LIST("pnpm", "pnpx"),
		.folders = LIST("~/.local/share/pnpm/store", "~/.cache/pnpm", "~/.local/state/pnpm",
			"~/.cache/node-gyp"),
		.hosts = LIST("*.npmjs.org", "nodejs.org"),
		.adds = NOTHING,
		.text = "pnpm: its store, cache and state",
	},
	{
		.name = "yarn",
		.kind = "cache",
		.commands = LIST("yarn", "yarnpkg"),
		.folders = LIST("~/.cache/yarn", "~/.yarn/berry", "~/.cache/node-gyp"),
		.hosts = LIST("*.yarnpkg.com", "*.npmjs.org", "nodejs.org"),
		.adds = NOTHING,
		.text = "Yarn: its cache, classic and modern",
	},
	{
		.name = "pip",
		.kind = "cache",
		.commands = LIST("pip", "pip3"),
		.folders = LIST("~/.cache/pip"),
		.hosts = LIST("pypi.org", "files.pythonhosted.org"),
		.adds = NOTHING,
		.text = "pip: its cache",
	},
	{
		.name = "uv",
		.kind = "cache",
		.commands = LIST("uv", "uvx"),
		.folders = LIST("~/.cache/uv"),
		.hosts = LIST("pypi.org", "files.pythonhosted.org"),
		.adds = NOTHING,
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
		.adds = NOTHING,
		.text = "Cargo: its registry, checkouts and locks; not its programs",
	},
	{
		.name = "go",
		.kind = "cache",
		.commands = LIST("go"),
		.folders = LIST("~/go/pkg", "~/.cache/go-build", "~/.config/go/telemetry"),
		.hosts = LIST("proxy.golang.org", "sum.golang.org"),
		.adds = NOTHING,
		.text = "Go: its modules and build cache; not its programs",
	},
	{
		.name = "ccache",
		.kind = "cache",
		.commands = LIST("ccache"),
		.folders = LIST("~/.cache/ccache"),
		.hosts = NONE,
		.adds = NOTHING,
		.text = "ccache: its cache",
	},
	{
		.name = "gradle",
		.kind = "cache",
		.commands = LIST("gradle", "gradlew", "org.gradle.launcher.GradleMain",
			"org.gradle.launcher.daemon.bootstrap.GradleDaemon",
			"org.gradle.wrapper.GradleWrapperMain"),
		.folders = LIST("~/.gradle/caches", "~/.gradle/daemon", "~/.gradle/native",
			"~/.gradle/notifications", "~/.gradle/workers", "~/.gradle/wrapper",
			"~/.gradle/.tmp"),
		.hosts = LIST("services.gradle.org", "downloads.gradle.org", "plugins.gradle.org",
			"plugins-artifacts.gradle.org", "repo.maven.apache.org", "repo1.maven.org"),
		.adds = NOTHING,
		.text = "Gradle: its caches and daemon; not its init scripts",
	},
	{
		.name = "maven",
		.kind = "cache",
		.commands = LIST("mvn", "mvnw", "org.apache.maven.wrapper.MavenWrapperMain",
			"org.codehaus.plexus.classworlds.launcher.Launcher"),
		.folders = LIST("~/.m2/repository", "~/.m2/wrapper"),
		.hosts = LIST("repo.maven.apache.org", "repo1.maven.org"),
		.adds = NOTHING,
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
profile_for(const char *program)
{
	const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
	const struct profile *profile;

	for (size_t i = 0; (profile = profile_at(i)); i++)
		for (size_t j = 0; profile->commands[j]; j++)
			if (streq(profile->commands[j], base))
				return profile;
	return NULL;
}
