/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/engine/engine-floor.c: which directories are open without a question, and
 * what lies in them and is not. */

#include "engine-line-rig.h"
#include "engine/doors.h"
#include "engine/line.h"

struct list {
	char text[8192];
	int n;
};

static int
take(void *data, const char *path)
{
	struct list *list = data;
	size_t len = strlen(list->text);

	snprintf(list->text + len, sizeof(list->text) - len, "%s\n", path);
	list->n++;
	return 0;
}

/* The spine with a mark. */
static int
take_ground(void *data, const char *path, bool spine)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s%s", spine ? "spine:" : "", path);
	return take(data, line);
}

static bool
has(const struct list *list, const char *path)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s\n", path);
	for (const char *p = strstr(list->text, line); p; p = strstr(p + 1, line))
		if (p == list->text || p[-1] == '\n')
			return true;
	return false;
}

static const char *
spine(const char *path)
{
	static char line[1024];

	snprintf(line, sizeof(line), "spine:%s", path);
	return line;
}

static struct list
writable(struct engine_rig *rig)
{
	struct list list = { 0 };

	assert_int_equal(engine_writable(rig->engine, take_ground, &list), 0);
	return list;
}

static void
the_floor_is_what_is_open_without_a_question(void **state)
{
	struct engine_rig *rig = *state;
	struct list list;
	char settings[2048];

	world_dir(at(rig->w.out, "granted"));
	world_dir(at(rig->w.out, "ruled"));
	world_dir(at(rig->w.out, "refused"));
	world_dir(at(rig->w.out, "moved"));
	snprintf(settings, sizeof(settings), "{\"write\":[\"%s/granted\",\"%s/no\",\"%s/x\"]}",
		rig->w.out, rig->w.out, rig->w.state);
	engine_rig_start(rig, settings, NULL);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "ruled"), true);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "moved"), true);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "file"), false);
	add_rule(rig, true, AMBIT_OP_WRITE, rig->w.home, true);
	add_rule(rig, true, AMBIT_OP_WRITE, "/", true);
	add_rule(rig, false, AMBIT_OP_WRITE, at(rig->w.out, "refused/f"), false);
	add_rule(rig, true, AMBIT_OP_WRITE, at(rig->w.out, "refused"), true);
	assert_int_equal(rmdir(at(rig->w.out, "moved")), 0);
	world_link("/", at(rig->w.out, "moved"));
	world_dir(at(rig->w.root, "src"));
	world_dir(at(rig->w.out, "refused/beside"));
	list = writable(rig);
	assert_true(has(&list, spine(rig->w.root)));
	assert_true(has(&list, at(rig->w.root, "src")));
	assert_true(has(&list, at(rig->w.out, "granted")));
	assert_true(has(&list, at(rig->w.out, "ruled")));
	assert_true(has(&list, spine(at(rig->w.out, "refused"))));
	assert_true(has(&list, at(rig->w.out, "refused/beside")));
	assert_int_equal(list.n, 6);
	rig->scope->enforce_write = true;
	assert_int_equal(writable(rig).n, 2);
}

/* Nothing is granted on what lies above a guard, there or not; all of what lies
 * beside it is. */
static void
the_floor_goes_around_guards(void **state)
{
	static const char *const dirs[] = { "src", "src/.vscode", ".vscode", ".claude",
		".claude/hooks", ".claude/logs", ".git", ".git/hooks", ".git/objects", ".git/refs",
		".git/modules", ".git/modules/x", ".git/modules/x/objects", "sub", "sub/free",
		"sub/repo", "sub/repo/.git", "sub/repo/.git/hooks", "sub/repo/.git/objects",
		"sub/repo/lib", ".ENVRC" };
	static const char *const spine_of[] = { ".claude", ".git", ".git/modules", ".git/modules/x",
		".git/modules/x/objects", "sub", "sub/repo", "sub/repo/.git" };
	static const char *const open_of[] = { "src", ".claude/logs", ".git/objects", ".git/refs",
		"sub/free", "sub/repo/.git/objects", "sub/repo/lib" };
	struct engine_rig *rig = *state;
	struct list list;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		world_dir(at(rig->w.root, dirs[i]));
	engine_rig_start(rig, NULL, NULL);
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, "new")));
	list = writable(rig);
	assert_true(has(&list, spine(rig->w.root)));
	for (size_t i = 0; i < sizeof(spine_of) / sizeof(spine_of[0]); i++)
		assert_true(has(&list, spine(at(rig->w.root, spine_of[i]))));
	for (size_t i = 0; i < sizeof(open_of) / sizeof(open_of[0]); i++)
		assert_true(has(&list, at(rig->w.root, open_of[i])));
	assert_int_equal(list.n, 16);
	assert_true(engine_may_open_dir(rig->engine, at(rig->w.root, "new")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".git/logs")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".Cursor")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".idea")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, ".git/worktrees/a")));
	assert_false(engine_search_cut(rig->engine));
}

static void
put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* By name, by what a .git file says, and by what makes a bare repository; in the folder
 * and in what was granted. */
static void
git_directories_are_known(void **state)
{
	static const char *const dirs[] = { ".git", ".git/logs", "tree", "store", "store/refs",
		"bare", "bare/refs", "bare/objects", "src" };
	struct engine_rig *rig = *state;
	char settings[2048];
	struct list list;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		world_dir(at(rig->w.root, dirs[i]));
	put_text(at(rig->w.root, "tree/.git"), "gitdir: ../store\n");
	put_text(at(rig->w.root, "bare/HEAD"), "ref: refs/heads/main\n");
	world_dir(at(rig->w.out, "granted"));
	world_dir(at(rig->w.out, "granted/.git"));
	world_dir(at(rig->w.out, "granted/.git/hooks"));
	world_dir(at(rig->w.out, "granted/.git/objects"));
	world_dir(at(rig->w.out, "granted/src"));
	snprintf(settings, sizeof(settings), "{\"write\":[\"%s/granted\"]}", rig->w.out);
	engine_rig_start(rig, settings, NULL);
	list = writable(rig);
	assert_true(engine_in_git(rig->engine, at(rig->w.root, ".git")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "deep/.GIT/logs")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "store/refs")));
	assert_true(engine_in_git(rig->engine, at(rig->w.root, "bare/refs")));
	assert_false(engine_in_git(rig->engine, at(rig->w.root, "tree")));
	assert_false(engine_in_git(rig->engine, at(rig->w.root, ".github")));
	assert_true(has(&list, spine(at(rig->w.root, "store"))));
	assert_true(has(&list, at(rig->w.root, "store/refs")));
	assert_false(engine_may_open_dir(rig->engine, at(rig->w.root, "store/new")));
	assert_true(has(&list, spine(at(rig->w.out, "granted"))));
	assert_true(has(&list, spine(at(rig->w.out, "granted/.git"))));
	assert_true(has(&list, at(rig->w.out, "granted/.git/objects")));
	assert_false(has(&list, at(rig->w.out, "granted/.git/hooks")));
	assert_true(has(&list, at(rig->w.out, "granted/src")));
}

/* What was not looked through is told. */
static void
a_search_that_ends_early_is_told(void **state)
{
	struct engine_rig *rig = *state;
	char name[64];

	for (int i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		world_dir(at(rig->w.root, name));
	}
	engine_rig_start(rig, NULL, NULL);
	writable(rig);
	assert_true(engine_search_cut(rig->engine));
}

static void
the_floor_is_empty_where_every_write_is_refused_or_asked(void **state)
{
	static const char *const settings[] = {
		"{\"agent_mode\":\"plan\"}",
		"{\"sandbox_mode\":\"read-only\"}",
		"{\"ask_mode\":\"ask-any-write\"}",
		"{\"permissions\":{\"delete\":\"ask\"}}",
		"{\"by_side_effect\":{\"write\":\"deny\"}}",
		"{\"policy\":\"deny_all\"}",
	};
	struct engine_rig *rig = *state;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		engine_rig_start(rig, settings[i], NULL);
		assert_int_equal(writable(rig).n, 0);
		engine_rig_stop(rig);
	}
}

static void
the_floor_goes_around_what_is_ambits_own(void **state)
{
	struct engine_rig *rig = *state;
	struct list list;

	world_dir(at(rig->w.home, "src"));
	world_dir(at(rig->w.home, ".local"));
	world_dir(at(rig->w.home, ".local/lib"));
	world_link("/", at(rig->w.home, "link"));
	world_file(at(rig->w.home, "file"), "x");
	snprintf(rig->w.root, sizeof(rig->w.root), "%s", rig->w.home);
	engine_rig_start(rig, NULL, NULL);
	world_dir(at(rig->w.home, ".local/state/other"));
	list = writable(rig);
	assert_true(has(&list, at(rig->w.home, "src")));
	assert_true(has(&list, at(rig->w.home, "project")));
	assert_true(has(&list, at(rig->w.home, ".local/lib")));
	assert_true(has(&list, at(rig->w.home, ".local/state/other")));
	assert_true(has(&list, spine(rig->w.home)));
	assert_true(has(&list, spine(at(rig->w.home, ".local"))));
	assert_true(has(&list, spine(at(rig->w.home, ".local/state"))));
}

static void
reads_are_limited_to_what_is_open(void **state)
{
	struct engine_rig *rig = *state;
	struct list list = { 0 };
	char settings[2048];

	engine_rig_start(rig, NULL, NULL);
	assert_int_equal(engine_readable(rig->engine, take, &list), 1);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"reads\":\"until-first-write\"}", NULL);
	/* A command is a first write: the one that a server starts is narrow. */
	assert_int_equal(engine_readable(rig->engine, take, &list), 0);
	assert_true(has(&list, rig->w.root));
	assert_int_equal(list.n, 1);
	list.n = 0;
	engine_rig_stop(rig);
	world_dir(at(rig->w.out, "w"));
	world_file(at(rig->w.out, "r"), "x");
	world_dir(at(rig->w.out, "ruled"));
	snprintf(settings, sizeof(settings),
		"{\"reads\":\"folder\",\"write\":[\"%s/w\"],\"read\":[\"%s/r\",\"%s\"]}",
		rig->w.out, rig->w.out, rig->w.state);
	engine_rig_start(rig, settings, NULL);
	add_rule(rig, true, AMBIT_OP_READ, at(rig->w.out, "ruled"), true);
	assert_int_equal(engine_readable(rig->engine, take, &list), 0);
	assert_true(has(&list, rig->w.root));
	assert_true(has(&list, at(rig->w.out, "w")));
	assert_true(has(&list, at(rig->w.out, "r")));
	assert_true(has(&list, at(rig->w.out, "ruled")));
	assert_int_equal(list.n, 4);
}

static void
secrets_and_the_record_are_hidden(void **state)
{
	struct engine_rig *rig = *state;
	struct list list = { 0 };
	char settings[2048];

	world_dir(at(rig->w.home, ".ssh"));
	world_file(at(rig->w.home, ".ssh/id_a"), "x");
	world_file(at(rig->w.home, ".ssh/id_a.pub"), "x");
	world_file(at(rig->w.home, ".ssh/config"), "x");
	world_dir(at(rig->w.home, ".gnupg"));
	world_file(at(rig->w.home, ".netrc"), "x");
	snprintf(settings, sizeof(settings), "{\"read\":[\"%s/.netrc\"]}", rig->w.home);
	engine_rig_start(rig, settings, NULL);
	assert_int_equal(engine_hidden(rig->engine, true, take, &list), 0);
	assert_true(has(&list, at(rig->w.home, ".ssh/id_a")));
	assert_true(has(&list, at(rig->w.home, ".gnupg")));
	assert_true(has(&list, rig->w.state));
	assert_int_equal(list.n, 3);
}

/* The newest word about a path counts, and a yes about a part of what is closed. */
static void
what_a_person_closed_is_hidden(void **state)
{
	struct engine_rig *rig = *state;
	struct list hidden = { 0 }, open = { 0 };

	world_dir(at(rig->w.out, "closed"));
	world_dir(at(rig->w.out, "closed/open"));
	engine_rig_start(rig, NULL, NULL);
	add_rule(rig, false, AMBIT_OP_READ, at(rig->w.out, "closed"), true);
	add_rule(rig, true, AMBIT_OP_READ, at(rig->w.out, "closed/open"), true);
	add_rule(rig, false, AMBIT_OP_READ, at(rig->w.out, "not-there"), true);
	add_rule(rig, false, AMBIT_OP_READ, at(rig->w.out, "again"), true);
	add_rule(rig, true, AMBIT_OP_READ, at(rig->w.out, "again"), true);
	assert_int_equal(engine_hidden(rig->engine, false, take, &hidden), 0);
	assert_true(has(&hidden, at(rig->w.out, "closed")));
	assert_true(has(&hidden, at(rig->w.out, "not-there")));
	assert_int_equal(hidden.n, 2);
	assert_int_equal(engine_readable(rig->engine, take, &open), 1);
	assert_true(has(&open, at(rig->w.out, "closed/open")));
	assert_int_equal(open.n, 1);
}

static void
expect_no_run(struct engine_rig *rig, const char *settings, bool guarded, const char *words)
{
	struct ambit_error err = { 0 };

	if (settings)
		engine_rig_start(rig, settings, NULL);
	assert_int_equal(engine_hold_reads(rig->engine, guarded, false, &err), -EPERM);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
	if (settings)
		engine_rig_stop(rig);
}

static void
what_a_floor_cannot_hold_starts_nothing(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_error err = { 0 };

	expect_no_run(
		rig, "{\"permissions\":{\"read\":\"deny\"}}", true, "permissions sets read to");
	expect_no_run(
		rig, "{\"permissions\":{\"*\":\"ask\"}}", false, "permissions sets read to ask");
	expect_no_run(rig, "{\"by_side_effect\":{\"read\":\"ask\"}}", false, "by_side_effect");
	expect_no_run(rig, "{\"reads\":\"until-first-write\"}", false, "until-first-write");
	engine_rig_start(rig, "{\"permissions\":{\"*\":\"ask\",\"read\":\"allow\"}}", NULL);
	assert_int_equal(engine_hold_reads(rig->engine, false, false, &err), 0);
	add_rule(rig, false, AMBIT_OP_READ, at(rig->w.out, "closed"), true);
	assert_int_equal(engine_hold_reads(rig->engine, false, false, &err), 0);
	/* In the folder it costs: the person says that with an option. */
	add_rule(rig, false, AMBIT_OP_READ, at(rig->w.root, "closed"), true);
	expect_no_run(rig, NULL, false, "ambit rules revoke 2");
	assert_int_equal(engine_hold_reads(rig->engine, true, false, &err), 0);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"reads\":\"until-first-write\"}", NULL);
	assert_int_equal(engine_hold_reads(rig->engine, true, true, &err), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		t(the_floor_is_what_is_open_without_a_question),
		t(the_floor_is_empty_where_every_write_is_refused_or_asked),
		t(the_floor_goes_around_guards),
		t(git_directories_are_known),
		t(a_search_that_ends_early_is_told),
		t(the_floor_goes_around_what_is_ambits_own),
		t(reads_are_limited_to_what_is_open),
		t(secrets_and_the_record_are_hidden),
		t(what_a_person_closed_is_hidden),
		t(what_a_floor_cannot_hold_starts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
