/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the extract tool about archives that are too much or broken: they are refused
 * early and leave nothing. */

#include <lzma.h>
#include <signal.h>
#include <sys/resource.h>

#include "archive-rig.h"
#include "rounds.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
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
