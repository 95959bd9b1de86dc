/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about the files that lead git from one directory to another: only the
 * way to a git directory in a repository of the folder is plain. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/own.h"
#include "base/str.h"
#include "scope/gitlink.h"
#include "unit-world.h"

enum is {
	NOT = 0,
	LATER,
	PLAIN,
};

static bool
is_in_folder(void *data, const char *path)
{
	return str_beneath(path, data);
}

static enum is
judge(const struct world *w, const char *name, const char *text)
{
	auto_free char *path = str_printf("%s/%s", w->root, name);
	const char *why = "unset";
	bool later = true;
	struct gitlink_law law = { w->root, is_in_folder, (void *)w->root };

	if (gitlink_plain(&law, path, text, strlen(text), &why, &later)) {
		assert_null(why);
		return PLAIN;
	}
	assert_non_null(why);
	return later ? LATER : NOT;
}

static void
kinds_are_told_by_their_place(void **state)
{
	(void)state;
	assert_int_equal(gitlink_kind("/r/.git"), GITLINK_DOTGIT);
	assert_int_equal(gitlink_kind("/r/.git/worktrees/w/commondir"), GITLINK_COMMON);
	assert_int_equal(gitlink_kind("/r/.git/worktrees/w/gitdir"), GITLINK_BACK);
	assert_int_equal(gitlink_kind("/r/.git/commondir"), GITLINK_NONE);
	assert_int_equal(gitlink_kind("/r/.git/worktrees/commondir"), GITLINK_NONE);
	assert_int_equal(gitlink_kind("/r/.git/worktrees/w/x/gitdir"), GITLINK_NONE);
	assert_int_equal(gitlink_kind("/r/.git/modules/m/commondir"), GITLINK_NONE);
	assert_int_equal(gitlink_kind("/r/x.git"), GITLINK_NONE);
}

static void
make_repository(void)
{
	world_dir(".git");
	world_dir(".git/worktrees");
	world_dir(".git/worktrees/w");
	world_dir(".git/modules");
	world_dir(".git/modules/m");
	world_dir("d");
	world_dir("other");
}

static void
a_link_leads_to_the_folders_own_repository(void **state)
{
	struct world w;
	auto_free char *whole = NULL, *outside = NULL;

	(void)state;
	world_open(&w);
	make_repository();
	whole = str_printf("gitdir: %s/.git/worktrees/w\n", w.root);
	outside = str_printf("gitdir: %s/.git/worktrees/w\n", w.out);
	assert_int_equal(judge(&w, "d/.git", whole), PLAIN);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/worktrees/w\n"), PLAIN);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/m"), PLAIN);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/new\n"), LATER);
	assert_int_equal(judge(&w, "d/.git", outside), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../other\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/worktrees\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/worktrees/w/x\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/m/../../../other\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../other/.git/modules/m\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/m\n\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/m\nx\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "../.git/modules/m\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: \n"), NOT);
	assert_int_equal(judge(&w, "d/.git", ""), NOT);
	/* The folder's own is the person's. */
	assert_int_equal(judge(&w, ".git", "gitdir: .git/modules/m\n"), NOT);
	world_close(&w);
}

static void
a_link_does_not_lead_through_a_symlink(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	make_repository();
	world_link("../../other", ".git/modules/l");
	world_link(".", "here");
	world_dir("other/.git");
	world_dir("other/.git/modules");
	world_link("other", "link");
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../.git/modules/l\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../here/.git/modules/m\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../link/.git/modules/m\n"), NOT);
	assert_int_equal(judge(&w, "d/.git", "gitdir: ../link/../.git/modules/m\n"), NOT);
	world_close(&w);
}

static void
a_worktree_has_one_repository_and_one_place(void **state)
{
	struct world w;
	auto_free char *inside = NULL, *outside = NULL;

	(void)state;
	world_open(&w);
	make_repository();
	inside = str_printf("%s/d/.git\n", w.root);
	outside = str_printf("%s/d/.git\n", w.out);
	assert_int_equal(judge(&w, ".git/worktrees/w/commondir", "../..\n"), PLAIN);
	assert_int_equal(judge(&w, ".git/worktrees/w/commondir", "../../../other\n"), NOT);
	assert_int_equal(judge(&w, ".git/worktrees/w/commondir", ".\n"), NOT);
	assert_int_equal(judge(&w, ".git/worktrees/w/commondir", ""), NOT);
	assert_int_equal(judge(&w, ".git/worktrees/w/gitdir", inside), PLAIN);
	assert_int_equal(judge(&w, ".git/worktrees/w/gitdir", "../../../d/.git\n"), PLAIN);
	assert_int_equal(judge(&w, ".git/worktrees/w/gitdir", outside), NOT);
	assert_int_equal(judge(&w, ".git/worktrees/w/gitdir", "../../../d\n"), NOT);
	world_close(&w);
}

static void
the_repository_behind_a_link_is_found(void **state)
{
	static const char text[] = "gitdir: ../.git/modules/a/modules/b\n";
	auto_free char *found = gitlink_repository("/r/d/.git", text, strlen(text));

	(void)state;
	assert_string_equal(found, "/r/.git");
	assert_null(gitlink_repository("/r/d/.git", "gitdir: ../x\n", 13));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_told_by_their_place),
		cmocka_unit_test(a_link_leads_to_the_folders_own_repository),
		cmocka_unit_test(a_link_does_not_lead_through_a_symlink),
		cmocka_unit_test(a_worktree_has_one_repository_and_one_place),
		cmocka_unit_test(the_repository_behind_a_link_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
