/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the extract tool about archives that are in order: every kind is unpacked, and
 * nothing that lies there is replaced. */

#include <signal.h>
#include <sys/resource.h>

#include "archive-rig.h"

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
	};

	/* Should a bomb go off after all. */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 256 << 20, 256 << 20 });
	return cmocka_run_group_tests(tests, NULL, NULL);
}
