/* SPDX-License-Identifier: Apache-2.0 */
/* extract: archives that try to get out, fill the disk or plant something. Each attack
 * is first unpacked by a reader that trusts it, which shows that it works; then by the
 * tool, and the test looks at what it left. */

#include "toolcall.h"

#include "rounds.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <lzma.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

/* -- making archives --------------------------------------------------------------------- */

struct maker {
	struct archive *a;
};

static struct maker
make(const char *path)
{
	struct maker m = { archive_write_new() };
	size_t n = strlen(path);

	if (streq(path + n - 4, ".zip")) {
		archive_write_set_format_zip(m.a);
	} else {
		archive_write_set_format_pax_restricted(m.a);
		if (streq(path + n - 3, ".gz"))
			archive_write_add_filter_gzip(m.a);
		else if (streq(path + n - 4, ".bz2"))
			archive_write_add_filter_bzip2(m.a);
		else if (streq(path + n - 3, ".xz"))
			archive_write_add_filter_xz(m.a);
		else if (streq(path + n - 4, ".zst"))
			archive_write_add_filter_zstd(m.a);
	}
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(archive_write_open_filename(m.a, path), ARCHIVE_OK);
	return m;
}

static struct archive_entry *
entry(const char *name, unsigned type, unsigned mode)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, mode);
	archive_entry_set_mtime(e, 1000000000, 0);
	return e;
}

static void
put(struct maker *m, struct archive_entry *e, const char *content)
{
	size_t n = content ? strlen(content) : 0;

	archive_entry_set_size(e, (la_int64_t)n);
	assert_int_equal(archive_write_header(m->a, e), ARCHIVE_OK);
	if (n > 0)
		assert_int_equal(archive_write_data(m->a, content, n), (la_ssize_t)n);
	archive_entry_free(e);
}

static void
file(struct maker *m, const char *name, const char *content)
{
	put(m, entry(name, AE_IFREG, 0644), content);
}

static void
dir(struct maker *m, const char *name)
{
	put(m, entry(name, AE_IFDIR, 0755), NULL);
}

static void
link_to(struct maker *m, const char *name, const char *target)
{
	struct archive_entry *e = entry(name, AE_IFLNK, 0777);

	archive_entry_set_symlink(e, target);
	put(m, e, NULL);
}

static void
hard_link_to(struct maker *m, const char *name, const char *target)
{
	struct archive_entry *e = entry(name, AE_IFREG, 0644);

	archive_entry_set_hardlink(e, target);
	put(m, e, NULL);
}

static void
done(struct maker *m)
{
	assert_int_equal(archive_write_close(m->a), ARCHIVE_OK);
	archive_write_free(m->a);
	/* The program's own locale is none of the tool's business. */
	assert_non_null(setlocale(LC_CTYPE, "C"));
}

/* What one that believes everything does, in the directory naive of the folder. */
static void
unpack_naively(const char *path)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	char before[4096], full[8192];

	assert_non_null(getcwd(before, sizeof(before)));
	snprintf(full, sizeof(full), "%s/%s", before, path);
	world_dir("naive");
	assert_int_equal(chdir("naive"), 0);
	archive_read_support_filter_all(a);
	archive_read_support_format_all(a);
	assert_int_equal(archive_read_open_filename(a, full, 10240), ARCHIVE_OK);
	while (archive_read_next_header(a, &e) == ARCHIVE_OK)
		archive_read_extract(a, e, ARCHIVE_EXTRACT_PERM);
	archive_read_free(a);
	assert_int_equal(chdir(before), 0);
}

static void
extract(struct hand *h, const char *src, const char *dst)
{
	hand_call(h, "extract",
		dst ? json_pack("{s:s, s:s}", "src", src, "dst", dst)
		    : json_pack("{s:s}", "src", src));
}

static const char *
outside(const struct hand *h, const char *name)
{
	static char path[700];

	snprintf(path, sizeof(path), "%s/%s", h->w.out, name);
	return path;
}

/* The reason for which the last call left something out. */
static void
left_out(struct hand *h, const char *name, const char *why)
{
	auto_json json_t *object = json_loads(h->result.structured, 0, NULL);
	const json_t *item;
	size_t i;

	hand_works(h);
	json_array_foreach (json_object_get(object, "left_out"), i, item)
		if (streq(json_string_value(json_object_get(item, "name")), name)) {
			if (!strstr(json_string_value(json_object_get(item, "why")), why))
				fail_msg("%s: %s", name,
					json_string_value(json_object_get(item, "why")));
			return;
		}
	fail_msg("%s was not left out: %s", name, h->result.text);
}

/* -- plain archives ------------------------------------------------------------------------- */

static void
test_every_kind_of_archive_is_unpacked(void **state)
{
	static const char *const kinds[] = { "a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz",
		"a.tar.zst" };
	struct hand *h = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct maker m = make(kinds[i]);
		char path[64];

		dir(&m, "top/");
		file(&m, "./top/a.txt", "a");
		put(&m, entry("top/run", AE_IFREG, 04755), "#!/bin/sh\n");
		file(&m, "deep/er/\xc3\xa4.txt", "umlaut");
		done(&m);
		snprintf(path, sizeof(path), "out%zu", i);
		extract(h, kinds[i], path);
		hand_says(h, "3 files, 3 directories");
		snprintf(path, sizeof(path), "out%zu/top/a.txt", i);
		assert_string_equal(world_read(path), "a");
		assert_int_equal(hand_mode(path), 0644);
		snprintf(path, sizeof(path), "out%zu/top/run", i);
		assert_int_equal(hand_mode(path), 0755); /* and not 4755 */
		snprintf(path, sizeof(path), "out%zu/deep/er/\xc3\xa4.txt", i);
		assert_string_equal(world_read(path), "umlaut");
	}
	assert_int_equal(hand_names("."), 12);
}

static struct maker
make_single(const char *path)
{
	struct maker m = { archive_write_new() };

	archive_write_set_format_raw(m.a);
	archive_write_add_filter_gzip(m.a);
	assert_int_equal(archive_write_open_filename(m.a, path), ARCHIVE_OK);
	return m;
}

static void
test_one_compressed_file_gets_the_name_without_the_ending(void **state)
{
	struct hand *h = *state;
	struct maker m = make_single("notes.txt.gz");

	file(&m, "any", "notes\n");
	done(&m);
	extract(h, "notes.txt.gz", "d");
	hand_works(h);
	assert_string_equal(world_read("d/notes.txt"), "notes\n");
	world_file("plain.txt.gz", "not compressed at all\n");
	extract(h, "plain.txt.gz", "e");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no archive");
	assert_false(hand_has("e"));
}

static void
test_a_program_with_a_zip_behind_it_is_unpacked(void **state)
{
	static const char script[] = "#!/usr/bin/env python3\n";
	struct hand *h = *state;
	struct maker m = make("x.zip");
	char whole[4096];
	ssize_t n;
	int fd;

	file(&m, "main", "main\n");
	done(&m);
	memcpy(whole, script, strlen(script));
	fd = open("x.zip", O_RDONLY | O_CLOEXEC);
	n = read(fd, whole + strlen(script), sizeof(whole) - strlen(script));
	close(fd);
	assert_true(n > 0);
	fd = open("app", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	n += (ssize_t)strlen(script);
	assert_int_equal(write(fd, whole, (size_t)n), n);
	close(fd);
	extract(h, "app", "d");
	hand_works(h);
	assert_string_equal(world_read("d/main"), "main\n");
	world_file("script", script);
	extract(h, "script", "e");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no archive");
}

/* Zeros are how a tar ends, and how a disk image may begin. */
static void
test_a_file_that_begins_with_zeros_is_a_file(void **state)
{
	struct hand *h = *state;
	struct maker m = make_single("disk.img.gz");
	struct archive_entry *e = entry("any", AE_IFREG, 0644);
	static char image[20000];
	struct stat st;

	memcpy(image + 4096, "real data", 10);
	assert_int_equal(archive_write_header(m.a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(m.a, image, sizeof(image)), sizeof(image));
	archive_entry_free(e);
	done(&m);
	extract(h, "disk.img.gz", "d");
	hand_works(h);
	assert_int_equal(stat("d/disk.img", &st), 0);
	assert_int_equal(st.st_size, sizeof(image));
	/* A tar that has nothing in it, by its name. */
	m = make("none.tar.gz");
	done(&m);
	extract(h, "none.tar.gz", "n");
	hand_works(h);
	assert_false(hand_has("n/none.tar"));
}

static void
test_without_a_target_it_unpacks_into_the_workspace(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "here", "h");
	done(&m);
	extract(h, "x.tar", NULL);
	hand_works(h);
	assert_string_equal(world_read("here"), "h");
	assert_int_equal(hand_names("."), 2);
}

static void
test_what_is_there_is_not_replaced_unasked(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "d/new", "new");
	file(&m, "d/old", "new");
	file(&m, "fresh/x", "x");
	done(&m);
	world_dir("t");
	world_dir("t/d");
	world_file("t/d/old", "old");
	extract(h, "x.tar", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "d/old");
	assert_string_equal(world_read("t/d/old"), "old");
	assert_int_equal(hand_names("t"), 1);
	assert_int_equal(hand_names("t/d"), 1);
	hand_call(h, "extract",
		json_pack("{s:s, s:s, s:b}", "src", "x.tar", "dst", "t", "overwrite", 1));
	hand_works(h);
	assert_string_equal(world_read("t/d/old"), "new");
	assert_string_equal(world_read("t/d/new"), "new");
	assert_string_equal(world_read("t/fresh/x"), "x");
	assert_int_equal(hand_names("t"), 2);
}

static void
test_links_within_the_archive_are_kept(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");
	char target[64] = "";

	link_to(&m, "lib/libx.so", "libx.so.1");
	file(&m, "lib/libx.so.1", "elf");
	link_to(&m, "bin/x", "../lib/libx.so");
	hard_link_to(&m, "lib/same", "lib/libx.so.1");
	done(&m);
	extract(h, "x.tar", "t");
	hand_says(h, "2 files, 2 directories, 2 symlinks");
	assert_true(readlink("t/bin/x", target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "../lib/libx.so");
	assert_string_equal(world_read("t/bin/x"), "elf");
	assert_string_equal(world_read("t/lib/same"), "elf");
}

static void
test_a_later_file_of_the_same_name_counts(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar");

	file(&m, "f", "first");
	file(&m, "./f", "2nd");
	file(&m, "g", "g");
	dir(&m, "g");
	done(&m);
	extract(h, "x.tar", "t");
	left_out(h, "g", "twice");
	assert_string_equal(world_read("t/f"), "2nd");
	assert_string_equal(world_read("t/g"), "g");
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

/* -- too much, and broken ------------------------------------------------------------------------
 */

static void
test_a_bomb_leaves_nothing(void **state)
{
	struct hand *h = *state;
	struct maker m = make("bomb.tar.gz");
	struct archive_entry *e = entry("zeros", AE_IFREG, 0644);
	static char zeros[1 << 16];
	struct stat st;

	file(&m, "first", "first");
	archive_entry_set_size(e, 48 << 20);
	assert_int_equal(archive_write_header(m.a, e), ARCHIVE_OK);
	for (int i = 0; i < (48 << 20) / (int)sizeof(zeros); i++)
		assert_int_equal(archive_write_data(m.a, zeros, sizeof(zeros)), sizeof(zeros));
	archive_entry_free(e);
	done(&m);
	assert_int_equal(stat("bomb.tar.gz", &st), 0);
	assert_true(st.st_size < 100000);
	extract(h, "bomb.tar.gz", "t/made/for/it");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "bomb");
	assert_false(hand_has("t"));
	world_dir("u");
	extract(h, "bomb.tar.gz", "u");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "bomb");
	assert_int_equal(hand_names("u"), 0);
	assert_int_equal(hand_names("."), 2);
}

/* Layers beneath layers are unpacked by those who ask for it, one at a time: a few of them
 * keep a reader busy for ever without a byte that could be counted. */
static void
test_one_layer_is_unpacked_at_a_time(void **state)
{
	struct hand *h = *state;
	static const char *const names[] = { "twice.tar.gz", "twice.txt.gz.gz" };

	for (int i = 0; i < 2; i++) {
		struct archive *a = archive_write_new();

		archive_write_set_format_raw(a);
		archive_write_add_filter_gzip(a);
		archive_write_add_filter_gzip(a);
		assert_int_equal(archive_write_open_filename(a, names[i]), ARCHIVE_OK);
		struct maker m = { a };

		file(&m, "x", "inner");
		assert_int_equal(archive_write_close(a), ARCHIVE_OK);
		archive_write_free(a);
	}
	extract(h, "twice.tar.gz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no archive that can be read");
	assert_false(hand_has("t"));
	extract(h, "twice.txt.gz.gz", "t");
	hand_works(h);
	assert_memory_equal(world_read("t/twice.txt.gz"), "\x1f\x8b", 2);
}

/* A tar has no mark in front: it begins with the name of its first file. */
static void
test_a_first_name_is_not_taken_for_a_compression(void **state)
{
	struct hand *h = *state;
	static const char *const names[] = { "BZhang", "]", "BZh91AY", "PK", "PKG-INFO" };

	for (int i = 0; i < 5; i++) {
		struct maker m = make("first.tar");

		file(&m, names[i], "one");
		done(&m);
		extract(h, "first.tar", "t");
		hand_works(h);
		assert_int_equal(hand_names("t"), i + 1);
		assert_int_equal(unlink("first.tar"), 0);
	}
}

/* content, compressed; its length. */
static size_t
pack(int (*add)(struct archive *archive), const char *content, unsigned char *out, size_t room)
{
	struct maker m = { archive_write_new() };
	size_t len = 0;

	archive_write_set_format_raw(m.a);
	assert_int_equal(add(m.a), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(m.a, 1);
	assert_int_equal(archive_write_open_memory(m.a, out, room, &len), ARCHIVE_OK);
	file(&m, "x", content);
	done(&m);
	return len;
}

static void
write_bytes(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void
put_number(unsigned char *at, size_t bytes, uint32_t number)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

/* One entry "f" of a zip, by hand: libarchive writes few methods. */
static void
make_zip(const char *path, unsigned method, unsigned mode, const char *content,
	const unsigned char *data, size_t len)
{
	unsigned char zip[1024] = "PK\3\4", *head = zip, *list = zip + 31 + len, *end = list + 47;
	uint32_t sum = lzma_crc32((const uint8_t *)content, strlen(content), 0);

	assert_true(31 + len + 47 + 22 <= sizeof(zip));
	put_number(head + 4, 2, 63);
	put_number(head + 6, 2, method == 14 ? 2 : 0); /* it has an end mark */
	put_number(head + 8, 2, method);
	put_number(head + 14, 4, sum);
	put_number(head + 18, 4, (uint32_t)len);
	put_number(head + 22, 4, (uint32_t)strlen(content));
	put_number(head + 26, 2, 1);
	head[30] = 'f';
	memcpy(head + 31, data, len);
	memcpy(list, "PK\1\2", 4);
	put_number(list + 4, 2, 3 << 8); /* made by unix: it has a mode */
	memcpy(list + 6, head + 4, 24);
	put_number(list + 38, 4, (uint32_t)mode << 16);
	list[46] = 'f';
	memcpy(end, "PK\5\6", 4);
	put_number(end + 8, 2, 1);
	put_number(end + 10, 2, 1);
	put_number(end + 12, 4, 47);
	put_number(end + 16, 4, (uint32_t)(31 + len));
	write_bytes(path, zip, (size_t)(end + 22 - zip));
}

/* Of some methods the entry itself says how much memory is reserved for it; that of a
 * link is unpacked as soon as it is seen. */
static void
test_a_zip_cannot_ask_for_a_dictionary(void **state)
{
	static const struct {
		unsigned method, mode;
		int (*add)(struct archive *archive);
	} rows[] = {
		{ 14, S_IFREG | 0644, archive_write_add_filter_lzma },
		{ 14, S_IFLNK | 0777, archive_write_add_filter_lzma },
		{ 95, S_IFREG | 0644, archive_write_add_filter_xz },
		{ 93, S_IFREG | 0644, archive_write_add_filter_zstd },
	};
	struct hand *h = *state;
	unsigned char data[512] = { 9, 20, 5, 0 };
	struct stat st;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = pack(rows[i].add, "somewhere", data + 4, sizeof(data) - 4);
		bool lzma = rows[i].method == 14;

		/* 256 MB; the size behind it a zip does not have. */
		if (lzma) {
			put_number(data + 5, 4, 1u << 28);
			memmove(data + 9, data + 17, len - 13);
		}
		make_zip("x.zip", rows[i].method, rows[i].mode, "somewhere", lzma ? data : data + 4,
			lzma ? len - 4 : len);
		unpack_naively("x.zip");
		assert_int_equal(lstat("naive/f", &st), 0);
		assert_int_equal(st.st_size, 9);
		assert_int_equal(unlink("naive/f"), 0);
		assert_int_equal(rmdir("naive"), 0);
		extract(h, "x.zip", "t");
		hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "gigabytes of memory");
		assert_false(hand_has("t"));
	}
	make_zip("x.zip", 12, S_IFREG | 0644, "somewhere", data,
		pack(archive_write_add_filter_bzip2, "somewhere", data, sizeof(data)));
	extract(h, "x.zip", "t");
	hand_works(h);
	assert_string_equal(world_read("t/f"), "somewhere");
}

/* Layers are unpacked one at a time, so the one beneath is looked at as any other. */
static void
test_a_zip_in_a_compressed_file_stays_one(void **state)
{
	struct hand *h = *state;
	unsigned char data[512];

	write_bytes("y.zip.gz", data,
		pack(archive_write_add_filter_gzip, "PK\3\4\24", data, sizeof(data)));
	extract(h, "y.zip.gz", "t");
	hand_works(h);
	assert_string_equal(world_read("t/y.zip"), "PK\3\4\24");
}

/* Every block of an .xz names its own: the first is modest here. */
static void
test_a_dictionary_of_gigabytes_is_refused(void **state)
{
	struct hand *h = *state;
	unsigned char data[512];
	size_t len = pack(archive_write_add_filter_lzma, "lzma", data, sizeof(data)), block;

	write_bytes("x.txt.lzma", data, len);
	extract(h, "x.txt.lzma", "a");
	hand_works(h);
	assert_string_equal(world_read("a/x.txt"), "lzma");
	put_number(data + 1, 4, 1u << 31);
	write_bytes("x.txt.lzma", data, len);
	extract(h, "x.txt.lzma", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "more than 128 MB of memory");

	len = pack(archive_write_add_filter_xz, "xz", data, sizeof(data) / 2);
	memcpy(data + len, data, len);
	write_bytes("x.txt.xz", data, 2 * len);
	extract(h, "x.txt.xz", "b");
	hand_works(h);
	assert_string_equal(world_read("b/x.txt"), "xzxz");
	/* Behind the head of the stream: its length, flags, LZMA2, 1, the dictionary. */
	block = ((size_t)data[len + 12] + 1) * 4 - 4;
	assert_memory_equal(data + len + 13, "\0\x21\1", 3);
	data[len + 16] = 40;
	put_number(data + len + 12 + block, 4, lzma_crc32(data + len + 12, block, 0));
	write_bytes("x.txt.xz", data, 2 * len);
	extract(h, "x.txt.xz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "more than 128 MB of memory");
	write_bytes("x.tar.xz", data + len, len);
	extract(h, "x.tar.xz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "more than 128 MB of memory");
	assert_false(hand_has("t"));
}

static void
test_a_window_of_gigabytes_is_refused(void **state)
{
	/* A window of 1 KB << 17, and a block that is not compressed. */
	unsigned char zstd[] = "\x28\xb5\x2f\xfd\0\x88\x21\0\0"
			       "zstd";
	struct hand *h = *state;

	write_bytes("x.txt.zst", zstd, sizeof(zstd) - 1);
	extract(h, "x.txt.zst", "a");
	hand_works(h);
	assert_string_equal(world_read("a/x.txt"), "zstd");
	zstd[5] += 8;
	write_bytes("x.txt.zst", zstd, sizeof(zstd) - 1);
	extract(h, "x.txt.zst", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "cannot be read");
	/* Not read at all. */
	write_bytes("x.tar.lz", "LZIP\1\x1d", 6);
	extract(h, "x.tar.lz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no archive that can be read");
	assert_false(hand_has("t"));
}

static void
test_a_file_that_says_it_is_huge_is_not_begun(void **state)
{
	struct hand *h = *state;
	char head[512] = "huge";
	unsigned sum = 0;
	int fd = open("huge.tar", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	/* By hand: 8 GB of which nothing is there. */
	assert_true(fd >= 0);
	memcpy(head + 100, "0000644", 8);
	memcpy(head + 124, "77777777777", 12);
	memcpy(head + 136, "00000000000", 12);
	memset(head + 148, ' ', 8);
	head[156] = '0';
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(head); i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
		memset(head, 0, sizeof(head));
	}
	close(fd);
	extract(h, "huge.tar", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "more than 512 MB");
	assert_false(hand_has("t"));
}

static void
test_too_many_entries_leave_nothing(void **state)
{
	struct hand *h = *state;
	struct maker m = make("many.tar.gz");
	char name[32];
	int files = rounds(300, 100000);

	for (int i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%d", i);
		file(&m, name, NULL);
	}
	/* One too many; the same directory over and over is as many entries. */
	for (int i = files; i < 20001; i++)
		dir(&m, "d");
	done(&m);
	extract(h, "many.tar.gz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "more than 20000");
	assert_false(hand_has("t"));
	assert_int_equal(hand_names("."), 1);
}

static void
test_a_broken_archive_leaves_nothing(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar.gz");
	struct stat st;

	file(&m, "a", "a");
	for (int i = 0; i < 300; i++) {
		char name[32], text[200];

		for (size_t n = 0; n < sizeof(text) - 1; n++)
			text[n] = (char)('a' + (i * 7 + (int)n * (int)n) % 26);
		text[sizeof(text) - 1] = '\0';
		snprintf(name, sizeof(name), "f%d", i);
		file(&m, name, text);
	}
	done(&m);
	assert_int_equal(stat("x.tar.gz", &st), 0);
	assert_int_equal(truncate("x.tar.gz", st.st_size / 2), 0);
	extract(h, "x.tar.gz", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "cannot be read");
	assert_false(hand_has("t"));
	world_file("empty.zip", "");
	extract(h, "empty.zip", "t");
	assert_true(h->result.failed);
	extract(h, "missing.zip", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no such file");
	assert_false(hand_has("t"));
	world_dir("dir");
	extract(h, "dir", "t");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "dir is not a file");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	extract(h, "pipe", "t");
	assert_true(h->result.failed);
	assert_false(hand_has("t"));
	extract(h, "x.tar.gz", "x.tar.gz");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "not a directory");
	assert_int_equal(hand_names("."), 4);
}

static void
test_many_calls_leave_nothing_open(void **state)
{
	struct hand *h = *state;
	struct maker m = make("x.tar.gz");
	size_t before = 0;

	file(&m, "d/f", "f");
	link_to(&m, "l", "d/f");
	file(&m, "../up", "up");
	done(&m);
	for (int i = 0; i < rounds(60, 200); i++) {
		char name[32];

		snprintf(name, sizeof(name), "t%d", i);
		extract(h, "x.tar.gz", i % 2 ? name : "t");
		if (i != 0 && i % 2 == 0)
			assert_true(h->result.failed);
		else
			hand_works(h);
		if (i == 4)
			before = hand_descriptors();
	}
	assert_int_equal(hand_descriptors(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, hand_open, hand_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_kind_of_archive_is_unpacked),
		TEST(test_one_compressed_file_gets_the_name_without_the_ending),
		TEST(test_a_program_with_a_zip_behind_it_is_unpacked),
		TEST(test_a_file_that_begins_with_zeros_is_a_file),
		TEST(test_without_a_target_it_unpacks_into_the_workspace),
		TEST(test_what_is_there_is_not_replaced_unasked),
		TEST(test_links_within_the_archive_are_kept),
		TEST(test_a_later_file_of_the_same_name_counts),
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
		TEST(test_a_bomb_leaves_nothing),
		TEST(test_one_layer_is_unpacked_at_a_time),
		TEST(test_a_first_name_is_not_taken_for_a_compression),
		TEST(test_a_zip_cannot_ask_for_a_dictionary),
		TEST(test_a_zip_in_a_compressed_file_stays_one),
		TEST(test_a_dictionary_of_gigabytes_is_refused),
		TEST(test_a_window_of_gigabytes_is_refused),
		TEST(test_a_file_that_says_it_is_huge_is_not_begun),
		TEST(test_too_many_entries_leave_nothing),
		TEST(test_a_broken_archive_leaves_nothing),
		TEST(test_many_calls_leave_nothing_open),
	};

	/* Should a bomb go off after all. */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 256 << 20, 256 << 20 });
	return cmocka_run_group_tests(tests, NULL, NULL);
}
