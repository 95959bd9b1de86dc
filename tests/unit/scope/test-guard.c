/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/scope/guard*.c: which names are asked about, under which
 * other names they are found, and which everyday names are left alone. */

#include "unit-world.h"

#include "scope/profile.h"
#include "settings/agents.h"
#include <ambit/tool.h>

#include "base/str.h"
#include "scope/guard.h"

struct rig {
	struct world w;
	struct ambit_scope *scope;
	struct guards *guards;
};

static int
open_rig(void **state)
{
	struct rig *rig = world_create(sizeof(*rig));

	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;

	guards_destroy(rig->guards);
	ambit_scope_destroy(rig->scope);
	world_destroy(&rig->w);
	return 0;
}

static void
start(struct rig *rig, char *const *writes, char *const *no_writes)
{
	rig->scope = world_scope(&rig->w);
	assert_int_equal(guards_create(&(struct guards_options){ .scope = rig->scope,
					       .writes = writes,
					       .no_writes = no_writes },
				 &rig->guards, NULL),
		0);
}

/* The pattern that guards this access to path, or NULL. */
static const char *
guard_of(struct rig *rig, const char *path, enum ambit_access access)
{
	bool follow = access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE;
	struct path_facts resolved = { 0 };
	const struct guard *guard;
	struct ambit_error err = { 0 };

	if (scope_resolve(rig->scope, NULL, path, strlen(path), follow, &resolved, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	guard = guards_match(rig->guards, &resolved, access);
	resolved_finish(&resolved);
	return guard ? guard->pattern : NULL;
}

static void
guarded(struct rig *rig, const char *path, enum ambit_access access)
{
	if (!guard_of(rig, path, access))
		fail_msg("%s is not guarded", path);
}

static void
open_to(struct rig *rig, const char *path, enum ambit_access access)
{
	const char *pattern = guard_of(rig, path, access);

	if (pattern)
		fail_msg("%s is guarded by %s", path, pattern);
}

/* The plainest name that the pattern means. */
static void
name_row(struct rig *rig, const struct guard *g, char *path, size_t size)
{
	char name[256];
	size_t n = 0;

	for (const char *p = g->pattern + (str_prefix(g->pattern, "~/") ? 2 : 0); *p; p++) {
		if (p[0] == '*' && p[1] == '*')
			p++;
		name[n++] = *p == '*' ? 'x' : *p;
	}
	name[n] = '\0';
	if (g->pattern[0] == '/')
		snprintf(path, size, "%s", name);
	else
		snprintf(path, size, "%s/%s", g->pattern[0] == '~' ? rig->w.home : rig->w.root,
			name);
}

/* By real path alone; nothing has to be there. */
static bool
row_guards(struct rig *rig, const struct guard *g, const char *path)
{
	struct path_facts resolved = { .real = (char *)path, .written = (char *)path };

	return guards_match(rig->guards, &resolved,
		       g->reads	 ? AMBIT_ACCESS_READ
		       : g->kept ? AMBIT_ACCESS_DELETE
				 : AMBIT_ACCESS_WRITE) != NULL;
}

static void
every_row_guards_what_it_names(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, NULL);
	for (const struct guard *g = guard_table; g->pattern; g++) {
		char path[1024];

		name_row(rig, g, path, sizeof(path));
		if (!row_guards(rig, g, path))
			fail_msg("%s does not guard %s", g->pattern, path);
		if (!g->text || !*g->text || !g->source || !*g->source)
			fail_msg("%s does not say why, or who says so", g->pattern);
		if (g->project && (g->reads || strchr("~/", g->pattern[0])))
			fail_msg("%s is no row for projects", g->pattern);
		/* Its name where nothing more is known than that a person chose it. */
		if (streq(guard_danger(g, path, AMBIT_ACCESS_WRITE), "GUARDED BY YOU") ||
			streq(guard_danger(g, path, AMBIT_ACCESS_READ), "SECRET"))
			fail_msg("%s has no word for its danger", g->pattern);
		for (const struct guard *h = guard_table; h < g; h++)
			if (h->reads == g->reads && streq(h->pattern, g->pattern))
				fail_msg("%s is there twice", g->pattern);
	}
}

/* Rows are found by bytes of their first part; other bytes may be the same name. */
static void
every_row_is_found_without_case(void **state)
{
	struct rig *rig = *state;

	start(rig, NULL, NULL);
	for (const struct guard *g = guard_table; g->pattern; g++) {
		char path[1024], upper[1024], odd[4096];
		size_t fixed = g->pattern[0] == '/'
				       ? 0
				       : strlen(g->pattern[0] == '~' ? rig->w.home : rig->w.root);
		size_t n = 0;

		name_row(rig, g, path, sizeof(path));
		for (size_t i = 0; i <= strlen(path); i++)
			upper[i] =
				(char)(i < fixed || path[i] < 'a' || path[i] > 'z' ? path[i]
										   : path[i] - 32);
		if (!row_guards(rig, g, upper))
			fail_msg("%s does not guard %s", g->pattern, upper);
		for (size_t i = 0; i <= strlen(path); i++) {
			const char *as = i < fixed	  ? NULL
					 : path[i] == 'k' ? "\xe2\x84\xaa"
					 : path[i] == 's' ? "\xc5\xbf"
							  : NULL;

			n += (size_t)snprintf(
				odd + n, sizeof(odd) - n, as ? "%s" : "%.1s", as ? as : path + i);
		}
		if (!row_guards(rig, g, odd))
			fail_msg("%s does not guard %s", g->pattern, odd);
	}
}

/* Whether a row that guards writing begins with dir, as it stands in the home or in a
 * project: "~/.claude" and ".claude" both are where ".claude/hooks" lies. */
static bool
has_row_in(const char *dir)
{
	const char *floating = str_prefix(dir, "~/") ? dir + 2 : dir;

	for (const struct guard *g = guard_table; g->pattern; g++) {
		size_t n = strlen(g->pattern[0] == '~' ? dir : floating);

		if (!g->reads &&
			strncmp(g->pattern, g->pattern[0] == '~' ? dir : floating, n) == 0 &&
			g->pattern[n] == '/')
			return true;
	}
	return false;
}

/* Where an agent keeps what configures it in a project. */
static const char *
project_dir(const char *agent)
{
	static const struct {
		const char *agent, *dir;
	} dirs[] = {
		{ "claude", ".claude" },
		{ "codex", ".codex" },
		{ "gemini", ".gemini" },
		{ "qwen", ".qwen" },
		{ "copilot", ".github" },
		{ "opencode", ".opencode" },
		{ "pi", ".pi" },
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (streq(dirs[i].agent, agent))
			return dirs[i].dir;
	fail_msg("where does %s keep its configuration in a project?", agent);
	return "";
}

/* Folders of agents' profiles that hold nothing to be guarded by a name, and why. */
static bool
holds_no_guard(const char *folder)
{
	static const struct {
		const char *folder, *why;
	} plain[] = {
		{ "~/.claude.json*", "state that is written all the time" },
		{ "$XDG_RUNTIME_DIR/cc-socks", "sockets" },
		{ "$XDG_RUNTIME_DIR/qwen-socks", "sockets" },
		{ "~/.cache/copilot", "its own program, unpacked" },
		{ "~/.cache/Microsoft/DeveloperTools", "a number for this machine" },
		{ "~/.local/share/opentui", "parsers that it downloads" },
		{ "~/.npm", "what others wrote: see the profile npm" },
		{ "~/.cache/claude-cli-nodejs", "logs" },
		{ "~/.local/state/claude", "locks" },
		{ "~/.config/github-copilot", "its sign-in" },
		{ "~/.local/share/opencode", "sessions, logs, its sign-in" },
		{ "~/.cache/opencode", "what it installs by itself" },
		{ "~/.local/state/opencode", "state" },
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (streq(plain[i].folder, folder))
			return true;
	return false;
}

static void
every_agent_is_guarded(void **state)
{
	struct rig *rig = *state;
	struct ambit_settings *settings = NULL;
	const struct profile *profile;
	const struct agent *agent;

	assert_int_equal(
		ambit_settings_load(
			&(struct ambit_settings_options){ .home = rig->w.home }, &settings, NULL),
		0);
	for (size_t i = 0; (agent = agent_nth(settings, i)); i++)
		if (!has_row_in(project_dir(agent->name)))
			fail_msg("no row for the agent %s", agent->name);
	ambit_settings_destroy(settings);
	for (size_t i = 0; (profile = profile_at(i)); i++) {
		if (!streq(profile->kind, "agent"))
			continue;
		if (!has_row_in(project_dir(profile->name)))
			fail_msg("no row for the profile %s", profile->name);
		for (size_t j = 0; profile->folders[j]; j++)
			if (has_row_in(profile->folders[j]) == holds_no_guard(profile->folders[j]))
				fail_msg("%s: a row, or a reason in holds_no_guard",
					profile->folders[j]);
	}
}

static void
what_a_cache_holds_is_free_unless_worked_in(void **state)
{
	struct rig *rig = *state;
	char path[1024];

	start(rig, NULL, NULL);
	snprintf(path, sizeof(path), "%s/.cargo/registry/src/x/rust-toolchain.toml", rig->w.home);
	open_to(rig, path, AMBIT_ACCESS_WRITE);
	snprintf(path, sizeof(path), "%s/.cargo/registry/src/x/.git/hooks/x", rig->w.home);
	guarded(rig, path, AMBIT_ACCESS_WRITE);
	snprintf(path, sizeof(path), "%s/.cargo/rust-toolchain.toml", rig->w.home);
	guarded(rig, path, AMBIT_ACCESS_WRITE);
}

static void
everyday_names_are_free(void **state)
{
	static const char *const names[] = {
		"a.c",
		"src/main.c",
		"README.md",
		".gitignore",
		".github/workflows/ci.yml",
		".git/index",
		".git/HEAD",
		".git/objects/ab/cdef",
		".git/refs/heads/main",
		".git/logs/HEAD",
		".git/COMMIT_EDITMSG",
		".git/hooks/pre-commit.sample",
		".env",
		".claude/projects/x.jsonl",
		".codex/history.jsonl",
		"package.json",
		"bin/tool",
		"config",
		"hooks/pre-commit",
		"node_modules/.bin/x",
		"LaunchAgent",
		"bashrc",
		".bashrc.bak",
		"my.bashrc",
		".vscodeignore",
		".ideas/x",
		"npmrc",
		".github/FUNDING.yml",
		"gradle/libs.versions.toml",
		"tools/bazel",
		"mise",
		"irbrc",
		"rust-toolchain.md",
		"node_modules/x/.eslintrc",
		".nvmrc",
		".python-version",
	};
	struct rig *rig = *state;

	start(rig, NULL, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		open_to(rig, names[i], AMBIT_ACCESS_WRITE);
	open_to(rig, ".git", AMBIT_ACCESS_MKDIR);
	open_to(rig, ".vscode", AMBIT_ACCESS_MKDIR);
	open_to(rig, "../.ssh/id_ed25519.pub", AMBIT_ACCESS_READ);
	open_to(rig, "../.ssh/config", AMBIT_ACCESS_READ);
}

static void
case_and_depth_do_not_matter(void **state)
{
	static const char *const names[] = {
		".GIT/Hooks/pre-commit",
		"sub/dir/.git/hooks/post-checkout",
		".Envrc",
		".ENVRC",
		"deep/er/.vscode/tasks.json",
		".hus\xe2\x84\xaay/pre-commit",
		(".v\xc5\xbf"
		 "code/x"),
		"sub/.git",
		".git/modules/a/b/hooks/x",
		".git/modules/a/config",
		".git/worktrees/w/gitdir",
		"x/.MCP.json",
		"a/.claude/Settings.local.json",
	};
	struct rig *rig = *state;

	start(rig, NULL, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guarded(rig, names[i], AMBIT_ACCESS_WRITE);
}

static void
removing_what_holds_a_guard_is_guarded(void **state)
{
	struct rig *rig = *state;

	world_dir("sub");
	world_dir(".vscode");
	world_file(".vscode/tasks.json", "");
	world_dir(".git");
	world_dir(".git/hooks");
	start(rig, NULL, NULL);
	guarded(rig, ".git", AMBIT_ACCESS_DELETE);
	guarded(rig, ".git", AMBIT_ACCESS_REPLACE);
	guarded(rig, ".git/hooks", AMBIT_ACCESS_DELETE);
	guarded(rig, ".vscode", AMBIT_ACCESS_DELETE);
	guarded(rig, ".", AMBIT_ACCESS_DELETE);
	open_to(rig, "sub", AMBIT_ACCESS_DELETE);
}

static void
a_hard_link_to_a_guard_is_that_guard(void **state)
{
	struct rig *rig = *state;

	world_dir(".git");
	world_dir(".git/hooks");
	world_file(".git/hooks/pre-commit", "");
	world_file("innocent", "");
	assert_int_equal(link(".git/hooks/pre-commit", "alias"), 0);
	start(rig, NULL, NULL);
	guarded(rig, "alias", AMBIT_ACCESS_WRITE);
	open_to(rig, "innocent", AMBIT_ACCESS_WRITE);
}

static void
what_a_guard_is_a_symlink_to_is_that_guard(void **state)
{
	struct rig *rig = *state;

	world_dir("tools");
	world_dir("tools/hooks");
	world_file("env.sh", "");
	world_link("env.sh", ".envrc");
	world_dir(".git");
	world_file(".git/HEAD", "ref: x\n");
	world_link("../tools/hooks", ".git/hooks");
	start(rig, NULL, NULL);
	guarded(rig, ".envrc", AMBIT_ACCESS_WRITE);
	guarded(rig, "env.sh", AMBIT_ACCESS_WRITE);
	guarded(rig, "tools/hooks/pre-commit", AMBIT_ACCESS_WRITE);
	open_to(rig, "tools/x", AMBIT_ACCESS_WRITE);
	guarded(rig, ".git/branches/origin", AMBIT_ACCESS_WRITE);
	guarded(rig, ".git/HEAD", AMBIT_ACCESS_DELETE);
	open_to(rig, ".git/HEAD", AMBIT_ACCESS_REPLACE);
	/* A link made later is seen by the name that is written. */
	world_link("env.sh", "sub.envrc");
	world_file("later", "");
	world_dir("d");
	world_link("../later", "d/.envrc");
	guarded(rig, "d/.envrc", AMBIT_ACCESS_WRITE);
}

/* Whoever changes one of them decides where the guard's name leads. */
static void
links_on_the_way_are_guards(void **state)
{
	struct rig *rig = *state;

	world_dir("d");
	world_dir("d/agent");
	world_dir("real");
	world_file("real/env", "");
	world_link("real", "dir");
	world_link("dir/env", "two");
	world_link("two", ".envrc");
	world_link("d/agent", ".claude");
	start(rig, NULL, NULL);
	guarded(rig, "real/env", AMBIT_ACCESS_WRITE);
	guarded(rig, "two", AMBIT_ACCESS_DELETE);
	guarded(rig, "dir", AMBIT_ACCESS_REPLACE);
	guarded(rig, "d/agent/settings.json", AMBIT_ACCESS_WRITE);
	open_to(rig, "d/other", AMBIT_ACCESS_WRITE);
	open_to(rig, "real/other", AMBIT_ACCESS_WRITE);
}

static void
core_hookspath_is_guarded(void **state)
{
	static const char *const configs[] = {
		"[core]\n\thooksPath = scripts/hooks\n",
		"[CORE]\nHOOKSPATH=\"scripts/hooks\" # c\n",
		"[user]\nname = x\n[core]\nbare = false\nhookspath = scripts/hooks  \n",
		"[core] hooksPath = scripts/hooks\n",
	};
	struct rig *rig = *state;

	world_dir(".git");
	world_dir("scripts");
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		world_file(".git/config", configs[i]);
		start(rig, NULL, NULL);
		guarded(rig, "scripts/hooks/pre-commit", AMBIT_ACCESS_WRITE);
		guarded(rig, "scripts", AMBIT_ACCESS_DELETE);
		open_to(rig, "scripts/build.sh", AMBIT_ACCESS_WRITE);
		guards_destroy(rig->guards);
		ambit_scope_destroy(rig->scope);
		rig->guards = NULL;
		rig->scope = NULL;
	}
}

/* What can come to lead somewhere later is guarded by where that would be. */
static void
a_way_that_leads_nowhere_is_guarded(void **state)
{
	struct rig *rig = *state;

	world_dir(".git");
	world_file(".git/config", "[core]\n\thooksPath = file/x/hooks\n"
				  "[include]\n\tpath = ../circle/inc\n\tpath = ../link\n"
				  "\tpath = ../later/../up\n");
	world_file("file", "");
	world_file("other", "");
	world_link("circle", "circle");
	world_link("other/rc", "link");
	world_link("gone/rc", ".envrc");
	start(rig, NULL, NULL);
	guarded(rig, "file", AMBIT_ACCESS_DELETE);
	guarded(rig, "circle", AMBIT_ACCESS_DELETE);
	guarded(rig, "other", AMBIT_ACCESS_REPLACE);
	guarded(rig, "link", AMBIT_ACCESS_DELETE);
	assert_int_equal(unlink("file"), 0);
	assert_int_equal(unlink("circle"), 0);
	assert_int_equal(unlink("other"), 0);
	guarded(rig, "file/x/hooks/pre-commit", AMBIT_ACCESS_WRITE);
	guarded(rig, "circle/inc", AMBIT_ACCESS_WRITE);
	guarded(rig, "other/rc", AMBIT_ACCESS_WRITE);
	guarded(rig, "gone/rc", AMBIT_ACCESS_WRITE);
	guarded(rig, "up", AMBIT_ACCESS_WRITE);
	guarded(rig, "later", AMBIT_ACCESS_MKDIR); /* as a link it says what ".." is */
	open_to(rig, "file/x/other", AMBIT_ACCESS_WRITE);
}

static void
restart(struct rig *rig, const char *carried)
{
	guards_destroy(rig->guards);
	ambit_scope_destroy(rig->scope);
	start(rig, NULL, NULL);
	if (carried)
		assert_int_equal(guards_take(rig->guards, carried, NULL), 0);
}

/* Through two sessions, the second of which finds nothing itself. */
static void
what_was_found_is_carried_over(void **state)
{
	struct rig *rig = *state;
	char *text, *again;
	struct ambit_error err = { 0 };

	world_dir(".git");
	world_dir("h\377\n");
	world_file(".git/config", "[core]\n\thooksPath = \"h\377\\n\"\n");
	world_file("env", "");
	assert_int_equal(link("env", ".envrc"), 0);
	start(rig, NULL, NULL);
	guarded(rig, "h\377\n/pre-commit", AMBIT_ACCESS_WRITE);
	guarded(rig, "env", AMBIT_ACCESS_WRITE);
	text = guards_carry(rig->guards);
	assert_non_null(text);
	world_file(".git/config", "");
	assert_int_equal(unlink(".envrc"), 0);
	restart(rig, NULL);
	open_to(rig, "h\377\n/pre-commit", AMBIT_ACCESS_WRITE);
	open_to(rig, "env", AMBIT_ACCESS_WRITE);
	restart(rig, text);
	again = guards_carry(rig->guards);
	assert_non_null(again);
	restart(rig, again);
	guarded(rig, "h\377\n/pre-commit", AMBIT_ACCESS_WRITE);
	guarded(rig, "h\377\n", AMBIT_ACCESS_DELETE);
	guarded(rig, "env", AMBIT_ACCESS_WRITE);
	open_to(rig, "other", AMBIT_ACCESS_WRITE);
	assert_true(guards_take(rig->guards, "{", &err) < 0);
	free(text);
	free(again);
}

static void
reading_a_tree_reads_its_secrets(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(mkdir("../.aws", 0700), 0);
	world_file("../.aws/credentials", "x");
	start(rig, NULL, NULL);
	guarded(rig, "../.aws/credentials", AMBIT_ACCESS_READ);
	guarded(rig, "..", AMBIT_ACCESS_READ_TREE);
	guarded(rig, "../.aws", AMBIT_ACCESS_READ_TREE);
	open_to(rig, "..", AMBIT_ACCESS_READ);
	open_to(rig, ".", AMBIT_ACCESS_READ_TREE);
	open_to(rig, "../.aws/credentials", AMBIT_ACCESS_WRITE);
}

static void
settings_add_and_take_away(void **state)
{
	char *const writes[] = { "*.pem", "deploy/**", "/opt/x/*.conf", NULL };
	char *const no_writes[] = { ".envrc", ".vscode/**", NULL };
	struct rig *rig = *state;

	start(rig, writes, no_writes);
	guarded(rig, "keys/a.PEM", AMBIT_ACCESS_WRITE);
	guarded(rig, "x/deploy/y/z", AMBIT_ACCESS_WRITE);
	open_to(rig, ".envrc", AMBIT_ACCESS_WRITE);
	open_to(rig, ".vscode/tasks.json", AMBIT_ACCESS_WRITE);
	guarded(rig, ".idea/x", AMBIT_ACCESS_WRITE);
}

static void
folders_above_guards_are_known(void **state)
{
	struct rig *rig = *state;
	char path[800];

	start(rig, NULL, NULL);
	assert_true(guards_beneath(rig->guards, rig->w.home));
	assert_true(guards_beneath(rig->guards, "/"));
	snprintf(path, sizeof(path), "%s/.config", rig->w.home);
	assert_true(guards_beneath(rig->guards, path));
	snprintf(path, sizeof(path), "%s/.config/foo", rig->w.home);
	assert_false(guards_beneath(rig->guards, path));
	snprintf(path, sizeof(path), "%s/data", rig->w.home);
	assert_false(guards_beneath(rig->guards, path));
	assert_true(guards_beneath(rig->guards, "/var/spool"));
	snprintf(path, sizeof(path), "%s/.local/bin/x", rig->w.home);
	assert_true(guards_is(rig->guards, path, false, true));
	snprintf(path, sizeof(path), "%s/.git", rig->w.root);
	assert_true(guards_is(rig->guards, path, false, false));
	assert_false(guards_is(rig->guards, path, false, true));
	assert_false(guards_is(rig->guards, rig->w.root, false, false));
}

static void
bad_patterns_are_refused(void **state)
{
	static const char *const bad[] = { "", "/", "~/", "a//b", "a/../b", "./a", "a/[", "a/***",
		"a/b**", "[", "a\\", "a/", "~x", "**/a/**/b/**/c" };
	static const char *const good[] = { "a", "a/b", "**/a", "~/a/**", "/a/*/b", "[ab]*", "a?" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!guard_pattern_fault(bad[i]))
			fail_msg("'%s' is accepted", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (guard_pattern_fault(good[i]))
			fail_msg("'%s' is refused", good[i]);
}

int
main(void)
{
#define IN_RIG(f) cmocka_unit_test_setup_teardown(f, open_rig, close_rig)
	const struct CMUnitTest tests[] = {
		IN_RIG(every_row_guards_what_it_names),
		IN_RIG(every_row_is_found_without_case),
		IN_RIG(every_agent_is_guarded),
		IN_RIG(what_a_cache_holds_is_free_unless_worked_in),
		IN_RIG(everyday_names_are_free),
		IN_RIG(case_and_depth_do_not_matter),
		IN_RIG(removing_what_holds_a_guard_is_guarded),
		IN_RIG(a_hard_link_to_a_guard_is_that_guard),
		IN_RIG(what_a_guard_is_a_symlink_to_is_that_guard),
		IN_RIG(links_on_the_way_are_guards),
		IN_RIG(core_hookspath_is_guarded),
		IN_RIG(a_way_that_leads_nowhere_is_guarded),
		IN_RIG(what_was_found_is_carried_over),
		IN_RIG(reading_a_tree_reads_its_secrets),
		IN_RIG(settings_add_and_take_away),
		IN_RIG(folders_above_guards_are_known),
		cmocka_unit_test(bad_patterns_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
