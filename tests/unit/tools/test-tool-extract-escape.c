/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the extract tool about entries that lead out of the target or into a guard: they
 * are left out, and what lies there is as before. */

#include <signal.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

#include "archive-rig.h"

/* -- making archives --------------------------------------------------------------------- */

static const char *
outside(const struct hand *h, const char *name)
{
	static char path[700];

	snprintf(path, sizeof(path), "%s/%s", h->w.out, name);
	return path;
}

/* -- ways out -----------------------------------------------------------------------------------
 */

static void
test_dots_and_absolute_names_do_not_lead_out(void **state)
{
	static const char *const kinds[] = { "x.tar", "x.zip" };
	struct hand *h = *state;
	char up[700];

	snprintf(up, sizeof(up), "../../../%s/up", "out");
	for (size_t i = 0; i < 2; i++) {
		struct maker m = make(kinds[i]);
		char where[32];

		file(&m, "good", "good");
		file(&m, up, "up");
		file(&m, "a/../../../../out/up2", "up");
		file(&m, outside(h, "absolute"), "absolute");
		done(&m);
		unpack_naively(kinds[i]);
		assert_string_equal(world_read(outside(h, "up")), "up");
		assert_string_equal(world_read(outside(h, "absolute")), "absolute");
		assert_int_equal(unlink(outside(h, "up")), 0);
		assert_int_equal(unlink(outside(h, "absolute")), 0);
		unlink(outside(h, "up2"));
		unlink("naive/good");
		rmdir("naive/a");
		assert_int_equal(rmdir("naive"), 0);

		snprintf(where, sizeof(where), "t%zu", i);
		extract(h, kinds[i], where);
		left_out(h, up, "'..'");
		left_out(h, outside(h, "absolute"), "absolute");
		assert_int_equal(hand_names(h->w.out), 0);
		assert_int_equal(hand_names(where), 1);
	}
}

static void
test_nothing_is_written_through_a_link(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "good", "good");
	link_to(&m, "way", h->w.out);
	file(&m, "way/planted", "planted");
	link_to(&m, "up", "../../../out");
	file(&m, "up/planted2", "planted");
	link_to(&m, "self", ".");
	link_to(&m, "trick", "self/self/self/../../../../out");
	file(&m, "trick/planted3", "planted");
	done(&m);
	unpack_naively("x.tar");
	assert_string_equal(world_read(outside(h, "planted")), "planted");
	assert_string_equal(world_read(outside(h, "planted2")), "planted");
	unlink(outside(h, "planted"));
	unlink(outside(h, "planted2"));
	unlink(outside(h, "planted3"));

	extract(h, "x.tar", "t");
	left_out(h, "way", "leads out");
	left_out(h, "up", "leads out");
	left_out(h, "trick", "leads out");
	assert_int_equal(hand_names(h->w.out), 0);
	/* The name of a link that was left out is free, and lies beneath dst. */
	assert_string_equal(world_read("t/way/planted"), "planted");
	assert_string_equal(world_read("t/good"), "good");
}

static void
test_a_good_link_is_no_way_for_later_entries(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	dir(&m, "d");
	link_to(&m, "l", "d");
	file(&m, "l/f", "through");
	file(&m, "l", "instead");
	done(&m);
	extract(h, "x.tar", "t");
	left_out(h, "l/f", "goes through a link");
	left_out(h, "l", "twice");
	assert_int_equal(hand_names("t/d"), 0);
}

static void
test_hard_links_do_not_reach_what_is_there(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");
	char victim[700];

	snprintf(victim, sizeof(victim), "%s", outside(h, "victim"));
	world_file(victim, "safe");
	world_dir("t");
	world_file("t/mine", "mine");
	file(&m, "good", "good");
	hard_link_to(&m, "h", victim);
	file(&m, "h2", "x");
	hard_link_to(&m, "up", "../../../out/victim");
	hard_link_to(&m, "steal", "mine");
	done(&m);
	unpack_naively("x.tar");
	world_file("naive/h", "evil");
	assert_string_equal(world_read(victim), "evil"); /* one file, two names */
	world_file(victim, "safe");

	extract(h, "x.tar", "t");
	left_out(h, "h", "hard link");
	left_out(h, "up", "hard link");
	left_out(h, "steal", "hard link");
	assert_false(hand_has("t/h"));
	assert_string_equal(world_read(victim), "safe");
}

static void
test_links_that_are_there_are_no_way_out_either(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "way/planted", "planted");
	file(&m, "good", "good");
	done(&m);
	world_dir("t");
	world_link(h->w.out, "t/way");
	extract(h, "x.tar", "t");
	assert_true(h->result.failed);
	assert_int_equal(hand_names(h->w.out), 0);
	assert_int_equal(hand_names("t"), 1);
	/* The target itself as a link is decided as what it leads to. */
	h->answer.kind = AMBIT_NO;
	extract(h, "x.tar", "t/way");
	assert_true(h->result.failed);
	assert_int_equal(hand_names(h->w.out), 0);
}

static void
test_devices_and_pipes_are_not_made(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");
	struct archive_entry *e = entry("disk", AE_IFBLK, 0666);

	archive_entry_set_rdev(e, makedev(8, 0));
	put(&m, e, NULL);
	e = entry("zero", AE_IFCHR, 0666);
	archive_entry_set_rdev(e, makedev(1, 5));
	put(&m, e, NULL);
	put(&m, entry("pipe", AE_IFIFO, 0666), NULL);
	file(&m, "good", "good");
	done(&m);
	extract(h, "x.tar", "t");
	left_out(h, "disk", "device");
	left_out(h, "zero", "device");
	left_out(h, "pipe", "FIFO");
	assert_int_equal(hand_names("t"), 1);
}

static void
test_odd_names_are_left_out(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");
	char long_name[1400];

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	file(&m, "good", "good");
	file(&m, "turned\u202egnp.exe", "x");
	file(&m, "new\nline", "x");
	file(&m, "escape\x1b[2J", "x");
	file(&m, long_name, "x");
	done(&m);
	extract(h, "x.tar", "t");
	left_out(h, "new\\nline", "control");
	assert_null(strstr(h->result.text, "\u202e"));
	hand_says(h, "turned\\u202egnp.exe");
	assert_int_equal(hand_names("t"), 2);
	m.a = archive_write_new();
	archive_write_set_format_ustar(m.a);
	assert_int_equal(archive_write_open_filename(m.a, "y.tar"), ARCHIVE_OK);
	file(&m, "good", "good");
	file(&m, "caf\xe9", "x");
	done(&m);
	extract(h, "y.tar", "u");
	left_out(h, "caf\\xe9", "UTF-8");
	assert_int_equal(hand_names("u"), 1);
}

/* -- guards --------------------------------------------------------------------------------------
 */

static void
test_what_is_guarded_is_left_out(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "good", "good");
	file(&m, ".git/hooks/pre-commit", "#!/bin/sh\n");
	file(&m, "sub/.vscode/tasks.json", "{}");
	file(&m, ".envrc", "x");
	file(&m, ".GIT/Hooks/post-merge", "#!/bin/sh\n");
	file(&m, "sub/.EnvRC", "x");
	dir(&m, "payload");
	file(&m, "payload/settings.json", "{}");
	link_to(&m, ".claude", "payload");
	link_to(&m, ".git/config", "../payload/settings.json");
	done(&m);
	extract(h, "x.tar", NULL);
	left_out(h, ".git/hooks/pre-commit", "guarded");
	left_out(h, "sub/.vscode/tasks.json", "guarded");
	left_out(h, ".envrc", "guarded");
	left_out(h, ".GIT/Hooks/post-merge", "guarded");
	left_out(h, "sub/.EnvRC", "guarded");
	left_out(h, ".claude", "hidden");
	left_out(h, ".git/config", "guarded");
	assert_string_equal(world_read("good"), "good");
	assert_false(hand_has(".git/hooks/pre-commit"));
	assert_false(hand_has("sub/.vscode/tasks.json"));
	assert_false(hand_has(".envrc"));
	assert_false(hand_has(".GIT/Hooks/post-merge"));
	assert_false(hand_has("sub/.EnvRC"));
	assert_false(hand_has(".claude"));
	assert_false(hand_has(".git/config"));
	/* Into a new directory as well. */
	extract(h, "x.tar", "t");
	left_out(h, "sub/.vscode/tasks.json", "guarded");
	assert_false(hand_has("t/sub/.vscode/tasks.json"));
	assert_true(hand_has("t/good"));
}

static void
test_an_archive_of_guards_alone_is_a_failure(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.zip");

	file(&m, ".envrc", "x");
	file(&m, "../up", "x");
	done(&m);
	extract(h, "x.zip", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "left out");
	assert_false(hand_has("t"));
	assert_false(hand_has("up"));
	assert_int_equal(hand_names("."), 1);
}

static void
test_a_thousand_guards_do_not_fill_the_record(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");
	char name[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), ".git/hooks/%d", i);
		file(&m, name, "x");
	}
	file(&m, "good", "good");
	done(&m);
	extract(h, "x.tar", NULL);
	hand_says(h, "Left out (1000)");
	assert_string_equal(world_read("good"), "good");
	assert_false(hand_has(".git/hooks/0"));
	assert_false(hand_has(".git/hooks/999"));
}

static void
test_it_is_asked_about_and_outside_with_a_yes(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "f", "f");
	file(&m, ".envrc", "x");
	done(&m);
	h->answer.kind = AMBIT_NO;
	extract(h, "x.tar", outside(h, "t"));
	assert_true(h->result.failed);
	assert_int_equal(h->asked, 1);
	assert_int_equal(hand_names(h->w.out), 0);
	h->answer.kind = AMBIT_ONCE;
	extract(h, "x.tar", outside(h, "t"));
	left_out(h, ".envrc", "guarded");
	assert_string_equal(world_read(outside(h, "t/f")), "f");
	assert_false(hand_has(outside(h, "t/.envrc")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dots_and_absolute_names_do_not_lead_out),
		TEST(test_nothing_is_written_through_a_link),
		TEST(test_a_good_link_is_no_way_for_later_entries),
		TEST(test_hard_links_do_not_reach_what_is_there),
		TEST(test_links_that_are_there_are_no_way_out_either),
		TEST(test_devices_and_pipes_are_not_made),
		TEST(test_odd_names_are_left_out),
		TEST(test_what_is_guarded_is_left_out),
		TEST(test_an_archive_of_guards_alone_is_a_failure),
		TEST(test_a_thousand_guards_do_not_fill_the_record),
		TEST(test_it_is_asked_about_and_outside_with_a_yes),
	};

	/* Should a bomb go off after all. */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 256 << 20, 256 << 20 });
	return cmocka_run_group_tests(tests, NULL, NULL);
}
