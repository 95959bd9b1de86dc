/* SPDX-License-Identifier: Apache-2.0 */
/* read, write, delete, move, copy and ls as a model calls them: what it is told, and
 * what is on the disk afterwards. */

#include "files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include "memory.h"
#include "rounds.h"

/* -- read ---------------------------------------------------------------------------------- */

static void
reads_with_line_numbers(void **state)
{
	struct files *f = *state;

	world_file("a.txt", "one\ntwo\n\nfour\n");
	files_good(CALL(f, "read", "{ss}", "file_path", "a.txt"));
	assert_string_equal(f->result.text, "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n");
	assert_int_equal(files_int(f, "total_lines"), 4);
	assert_false(files_is(f, "truncated"));
	files_good(CALL(f, "read", "{sssisi}", "file_path", "a.txt", "offset", 2, "limit", 2));
	assert_non_null(strstr(f->result.text, "     2\ttwo\n     3\t\n[lines 2-3 of 4"));
	assert_non_null(strstr(f->result.text, "offset 4"));
	assert_int_equal(files_int(f, "next_offset"), 4);
	assert_true(files_is(f, "truncated"));
	files_bad(CALL(f, "read", "{sssi}", "file_path", "a.txt", "offset", 5),
		AMBIT_CODE_BAD_ARGUMENTS, "only 4 lines");
}

static void
says_how_a_file_ends(void **state)
{
	struct files *f = *state;

	world_file("empty", "");
	files_says(CALL(f, "read", "{ss}", "file_path", "empty"), "is empty");
	world_file("open", "a\nb");
	files_says(CALL(f, "read", "{ss}", "file_path", "open"), "no newline");
	assert_false(files_is(f, "final_newline"));
	world_file("crlf", "a\r\nb\r\n");
	files_says(CALL(f, "read", "{ss}", "file_path", "crlf"),
		"     1\ta\n     2\tb\n[lines end in CRLF");
	world_file("bom", "\xef\xbb\xbfx\n");
	files_says(CALL(f, "read", "{ss}", "file_path", "bom"), "     1\tx\n[it begins with");
}

static void
cuts_what_is_long(void **state)
{
	struct files *f = *state;
	FILE *out = fopen("long", "we");

	for (int i = 1; i <= 5000; i++)
		fprintf(out, "line %d\n", i);
	fclose(out);
	files_says(CALL(f, "read", "{ss}", "file_path", "long"),
		"[lines 1-2000 of 5000 are shown; go on with offset 2001]");
	assert_int_equal(files_int(f, "lines"), 2000);
	out = fopen("wide", "we");
	for (int i = 0; i < 3000; i++)
		fputs("\xc3\xa4", out);
	fputs("\nnext\n", out);
	fclose(out);
	files_says(CALL(f, "read", "{ss}", "file_path", "wide"), "[line cut: 6000 bytes in all]");
	assert_non_null(strstr(f->result.text, "     2\tnext\n"));
	/* Number, tab, 2000 characters of two bytes. */
	assert_memory_equal(f->result.text + 7 + 4000, " ... ", 5);
	out = fopen("heavy", "we");
	for (int i = 0; i < 1000; i++)
		fprintf(out, "%0200d\n", i);
	fclose(out);
	files_good(CALL(f, "read", "{ss}", "file_path", "heavy"));
	assert_true(strlen(f->result.text) < 52000);
	assert_true(files_is(f, "truncated"));
}

static void
reads_what_has_no_size(void **state)
{
	struct files *f = *state;

	files_says(CALL(f, "read", "{ss}", "file_path", "/proc/meminfo"), "MemTotal");
}

static void
names_what_is_binary(void **state)
{
	struct files *f = *state;
	int fd = open("a.png", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), 16);
	close(fd);
	files_says(CALL(f, "read", "{ss}", "file_path", "a.png"),
		"binary, 16 bytes, looks like a PNG");
	assert_true(files_is(f, "binary"));
	/* Latin-1 is text, and what is shown is UTF-8. */
	world_file("latin", "caf\xe9\n");
	files_says(CALL(f, "read", "{ss}", "file_path", "latin"), "caf\xef\xbf\xbd");
}

/* Not into memory, and not byte by byte. */
static void
reads_deep_in_a_huge_file(void **state)
{
	struct files *f = *state;
	int fd = open("huge", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct rusage before, after;

	assert_int_equal(write(fd, "first\n", 6), 6);
	assert_int_equal(ftruncate(fd, 5ll << 30), 0);
	assert_int_equal(pwrite(fd, "\ndeep\nlast\n", 11, (5ll << 30) - 11), 11);
	close(fd);
	/* A file that begins with text. */
	fd = open("huge", O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < 200; i++)
		assert_int_equal(
			write(fd, "0123456789012345678901234567890123456789012345678\n", 50), 50);
	close(fd);
	getrusage(RUSAGE_SELF, &before);
	files_says(CALL(f, "read", "{sssisi}", "file_path", "huge", "offset", 202, "limit", 1),
		"   202\tdeep\n");
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 50000);
	assert_int_equal(files_int(f, "total_lines"), 203);
}

static void
says_what_cannot_be_read(void **state)
{
	struct files *f = *state;

	world_dir("src");
	world_file("src/parser.c", "x");
	world_file("src/scanner.c", "x");
	files_bad(CALL(f, "read", "{ss}", "file_path", "src/parsr.c"), AMBIT_CODE_BAD_ARGUMENTS,
		"there is parser.c");
	files_bad(CALL(f, "read", "{ss}", "file_path", "no/such/x"), AMBIT_CODE_BAD_ARGUMENTS,
		"directory it would lie in is not there");
	files_bad(CALL(f, "read", "{ss}", "file_path", "src"), AMBIT_CODE_BAD_ARGUMENTS, "with ls");
	assert_int_equal(mkfifo("fifo", 0666), 0);
	files_bad(CALL(f, "read", "{ss}", "file_path", "fifo"), AMBIT_CODE_BAD_ARGUMENTS, "a FIFO");
	world_file("secret", "x");
	assert_int_equal(chmod("secret", 0), 0);
	if (geteuid() != 0)
		files_bad(CALL(f, "read", "{ss}", "file_path", "secret"), AMBIT_CODE_DENIED,
			"Permission denied");
}

/* -- write --------------------------------------------------------------------------------- */

static void
writes_and_says_what(void **state)
{
	struct files *f = *state;

	files_says(CALL(f, "write", "{ssss}", "file_path", "a/b/c.txt", "content", "one\ntwo\n"),
		"Created a/b/c.txt: 8 bytes, 2 lines");
	assert_true(files_is(f, "created"));
	assert_string_equal(world_read("a/b/c.txt"), "one\ntwo\n");
	files_says(
		CALL(f, "write", "{ssss}", "file_path", "a/b/c.txt", "content", ""), "Overwrote");
	assert_false(files_is(f, "created"));
	assert_string_equal(world_read("a/b/c.txt"), "");
	world_file("crlf", "a\r\nb\r\n");
	files_says(
		CALL(f, "write", "{ssss}", "file_path", "crlf", "content", "a\n"), "end in LF now");
	files_bad(CALL(f, "write", "{ssss}", "file_path", "a/b", "content", "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "directory");
	files_bad(CALL(f, "write", "{ssss}", "file_path", "new/", "content", "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "directory");
	assert_false(files_there("new"));
	assert_int_equal(files_count("a/b"), 1);
}

static void
set_time(const char *path, long seconds)
{
	struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void
refuses_what_changed_since_it_was_read(void **state)
{
	struct files *f = *state;

	world_file("a", "one\n");
	files_good(CALL(f, "read", "{ss}", "file_path", "a"));
	world_file("a", "mine\n");
	set_time("a", 1000);
	files_bad(CALL(f, "write", "{ssss}", "file_path", "a", "content", "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "changed since");
	files_bad(CALL(f, "edit", "{ssssss}", "file_path", "a", "old_string", "mine", "new_string",
			  "x"),
		AMBIT_CODE_BAD_ARGUMENTS, "Read it again");
	assert_string_equal(world_read("a"), "mine\n");
	files_good(CALL(f, "read", "{ss}", "file_path", "a"));
	files_good(CALL(f, "write", "{ssss}", "file_path", "a", "content", "two\n"));
	files_good(CALL(f, "write", "{ssss}", "file_path", "a", "content", "three\n"));
	assert_string_equal(world_read("a"), "three\n");
}

static void
says_why_it_cannot_write(void **state)
{
	struct files *f = *state;

	world_file("a", "one");
	assert_int_equal(chmod("a", 0444), 0);
	files_bad(CALL(f, "write", "{ssss}", "file_path", "a", "content", "x"), AMBIT_CODE_DENIED,
		"its mode is 0444");
	assert_string_equal(world_read("a"), "one");
	world_dir("d");
	assert_int_equal(chmod("d", 0555), 0);
	if (geteuid() != 0)
		files_bad(CALL(f, "write", "{ssss}", "file_path", "d/x", "content", "x"),
			AMBIT_CODE_DENIED, "Permission denied");
	assert_int_equal(chmod("d", 0755), 0);
}

/* -- the line -------------------------------------------------------------------------------- */

/* What the tests of filesystem servers try. */
static void
stays_inside_the_line(void **state)
{
	struct files *f = *state;
	char secret[700], sibling[700], inner[800];

	snprintf(secret, sizeof(secret), "%s/secret", f->w.out);
	snprintf(sibling, sizeof(sibling), "%s-utils", f->w.root);
	snprintf(inner, sizeof(inner), "%s/x", sibling);
	world_file(secret, "safe");
	world_dir(sibling);
	world_link(f->w.out, "outdir");
	world_link(secret, "outfile");
	world_link("/nowhere/at/all", "dangling");
	world_dir("sub");
	for (const char *const *p = (const char *const[]){ "../../out/secret", "outdir/secret",
		     "outfile", "outdir/new", "sub/../../../out/new", "outdir/new/deep/x",
		     "dangling", inner, NULL };
		*p; p++) {
		CALL(f, "write", "{ssss}", "file_path", *p, "content", "bad");
		assert_true(f->result.failed);
		CALL(f, "edit", "{ssssss}", "file_path", *p, "old_string", "safe", "new_string",
			"bad");
		assert_true(f->result.failed);
		CALL(f, "edit", "{ssssss}", "file_path", *p, "old_string", "", "new_string", "bad");
		assert_true(f->result.failed);
		world_file("mine", "mine");
		CALL(f, "copy", "{sssssb}", "src", "mine", "dst", *p, "overwrite", 1);
		assert_true(f->result.failed);
		CALL(f, "move", "{sssssb}", "src", "mine", "dst", *p, "overwrite", 1);
		if (!f->result.failed) /* a link is replaced, as a link */
			assert_true(streq(*p, "outfile") || streq(*p, "dangling"));
	}
	for (const char *const *p = (const char *const[]){ "../../out/secret", "outdir/secret",
		     inner, "..", "../../out", ".", NULL };
		*p; p++) {
		CALL(f, "delete", "{sssb}", "path", *p, "recursive", 1);
		assert_true(f->result.failed);
		CALL(f, "move", "{ssss}", "src", *p, "dst", "stolen");
		assert_true(f->result.failed);
	}
	assert_string_equal(world_read(secret), "safe");
	assert_int_equal(files_count(f->w.out), 1);
	assert_int_equal(files_count(sibling), 0);
	assert_false(files_there("stolen"));
	/* A link that leads out is deleted itself. */
	files_good(CALL(f, "delete", "{sssb}", "path", "outdir", "recursive", 1));
	assert_false(files_there("outdir"));
	assert_string_equal(world_read(secret), "safe");
}

static void
links_inside_lead_on(void **state)
{
	struct files *f = *state;

	world_dir("real");
	world_link("real", "alias");
	world_link("real/new", "name");
	files_good(CALL(f, "write", "{ssss}", "file_path", "alias/a", "content", "one"));
	assert_string_equal(world_read("real/a"), "one");
	files_good(CALL(f, "write", "{ssss}", "file_path", "name", "content", "two"));
	assert_string_equal(world_read("real/new"), "two");
	files_good(CALL(f, "write", "{ssss}", "file_path", "name", "content", "three"));
	assert_string_equal(world_read("real/new"), "three");
	struct stat st;

	assert_int_equal(lstat("name", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

struct swapper {
	const char *outside;
	atomic_bool stop;
};

/* The directory, and the file in it, become links to outside and back. */
static void *
swap(void *data)
{
	struct swapper *s = data;

	while (!s->stop) {
		rename("d", "d.kept");
		if (symlink(s->outside, "d") < 0)
			break;
		unlink("d");
		rename("d.kept", "d");
		unlink("d/x");
		if (symlink("../../../out/secret", "d/x") < 0 && errno != EEXIST)
			continue;
		unlink("d/x");
	}
	return NULL;
}

static void
nothing_outside_changes_in_a_race(void **state)
{
	struct files *f = *state;
	struct swapper s = { .outside = f->w.out };
	char secret[700];
	pthread_t thread;
	int done = 0;

	snprintf(secret, sizeof(secret), "%s/secret", f->w.out);
	world_file(secret, "safe");
	world_dir("d");
	assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
	for (int i = 0; i < rounds(500, 2000); i++) {
		switch (i % 4) {
		case 0:
			CALL(f, "edit", "{ssssss}", "file_path", "d/x", "old_string", "",
				"new_string", "b");
			break;
		case 1:
			CALL(f, "delete", "{sssb}", "path", "d/x", "recursive", 1);
			break;
		default:
			CALL(f, "write", "{ssss}", "file_path", "d/x", "content", "bad");
		}
		done += !f->result.failed;
		if (f->result.failed && f->result.code == AMBIT_CODE_INTERNAL)
			fail_msg("%s", f->result.text);
	}
	s.stop = true;
	pthread_join(thread, NULL);
	assert_string_equal(world_read(secret), "safe");
	assert_int_equal(files_count(f->w.out), 1);
	assert_true(done > 0);
}

/* -- delete, move, copy -------------------------------------------------------------------- */

static void
deletes(void **state)
{
	struct files *f = *state;

	world_file("a", "x");
	world_dir("d");
	world_file("d/x", "x");
	files_says(CALL(f, "delete", "{ss}", "path", "a"), "Deleted the file a");
	assert_false(files_there("a"));
	files_bad(CALL(f, "delete", "{ss}", "path", "d"), AMBIT_CODE_BAD_ARGUMENTS, "recursive");
	assert_true(files_there("d/x"));
	files_good(CALL(f, "delete", "{sssb}", "path", "d", "recursive", 1));
	assert_false(files_there("d"));
	files_bad(
		CALL(f, "delete", "{ss}", "path", "a"), AMBIT_CODE_BAD_ARGUMENTS, "does not exist");
}

static void
moves_and_copies(void **state)
{
	struct files *f = *state;

	world_file("a", "one");
	world_file("b", "two");
	world_dir("d");
	files_bad(CALL(f, "move", "{ssss}", "src", "a", "dst", "b"), AMBIT_CODE_BAD_ARGUMENTS,
		"overwrite: true");
	assert_string_equal(world_read("b"), "two");
	files_good(CALL(f, "copy", "{ssss}", "src", "a", "dst", "d"));
	assert_string_equal(world_read("d/a"), "one");
	assert_string_equal(json_string_value(json_object_get(f->structured, "dst")), "d/a");
	files_bad(CALL(f, "copy", "{ssss}", "src", "b", "dst", "d/a"), AMBIT_CODE_BAD_ARGUMENTS,
		"exists");
	files_good(CALL(f, "copy", "{sssssb}", "src", "b", "dst", "d/a", "overwrite", 1));
	assert_true(files_is(f, "replaced"));
	assert_string_equal(world_read("d/a"), "two");
	files_good(CALL(f, "move", "{ssss}", "src", "a", "dst", "new/dir/a"));
	assert_string_equal(world_read("new/dir/a"), "one");
	files_good(CALL(f, "move", "{ssss}", "src", "d/", "dst", "new"));
	assert_string_equal(world_read("new/d/a"), "two");
	files_good(CALL(f, "move", "{ssss}", "src", "new/d/a", "dst", "."));
	assert_string_equal(world_read("a"), "two");
	files_good(CALL(f, "copy", "{ssss}", "src", "new", "dst", "again"));
	assert_string_equal(world_read("again/dir/a"), "one");
	files_bad(CALL(f, "copy", "{ssss}", "src", "new", "dst", "new/inner"),
		AMBIT_CODE_BAD_ARGUMENTS, "into itself. Choose a dst that is neither");
	files_bad(CALL(f, "move", "{ssss}", "src", "new", "dst", "new/inner"),
		AMBIT_CODE_BAD_ARGUMENTS, "into itself. Choose a dst that is neither");
	files_bad(CALL(f, "move", "{ssss}", "src", "b", "dst", "nodir/"), AMBIT_CODE_BAD_ARGUMENTS,
		"no directory");
	files_bad(CALL(f, "move", "{ssss}", "src", "c", "dst", "e"), AMBIT_CODE_BAD_ARGUMENTS,
		"does not exist");
	assert_string_equal(world_read("b"), "two");
}

/* -- ls --------------------------------------------------------------------------------------- */

static void
lists(void **state)
{
	struct files *f = *state;
	char name[32];

	world_dir("d");
	world_dir("d/sub");
	world_file("d/b", "12345");
	world_file("d/.hidden", "");
	world_link("../elsewhere", "d/link");
	world_file("d/bad\xff\n", "");
	files_good(CALL(f, "ls", "{ss}", "path", "d"));
	assert_string_equal(f->result.text,
		"b\t5\nbad\\xff\\n\t0\nlink -> ../elsewhere\nsub/\n"
		"[1 names that begin with a dot are not shown; pass all: true]\n");
	files_says(CALL(f, "ls", "{sssb}", "path", "d", "all", 1), ".hidden");
	assert_int_equal(files_int(f, "total"), 5);
	files_says(CALL(f, "ls", "{ss}", "path", "d/b"), "b\t5\n");
	files_says(CALL(f, "ls", "{}"), "d/\n");
	files_says(CALL(f, "ls", "{ss}", "path", "/"), "tmp/\n");
	files_says(CALL(f, "ls", "{ss}", "path", "d/sub"), "is empty");
	files_bad(CALL(f, "ls", "{ss}", "path", "dd"), AMBIT_CODE_BAD_ARGUMENTS, "does not exist");
	world_dir("many");
	for (int i = 0; i < 1001; i++) {
		snprintf(name, sizeof(name), "many/%04d", i);
		world_file(name, "");
	}
	files_says(CALL(f, "ls", "{ss}", "path", "many"), "[1000 of 1001 names are shown");
	assert_true(files_is(f, "truncated"));
	assert_int_equal(json_array_size(json_object_get(f->structured, "entries")), 1000);
}

/* Of names that are long it is fewer, each of them whole, and it is said how many. */
static void
ls_says_how_many_names_fit(void **state)
{
	struct files *f = *state;
	char name[120], says[80];
	size_t n;

	world_dir("long");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "long/%0100d", i);
		world_file(name, "");
	}
	files_good(CALL(f, "ls", "{ss}", "path", "long"));
	n = json_array_size(json_object_get(f->structured, "entries"));
	assert_in_range(n, 500, 580);
	snprintf(says, sizeof(says), "[%zu of 1000 names are shown; use glob", n);
	files_says(&f->result, says);
	snprintf(name, sizeof(name), "%0100zu\t0\n[", n - 1);
	files_says(&f->result, name);
	assert_null(strstr(f->result.text, "[cut"));
	assert_true(files_is(f, "truncated"));
}

/* -- all --------------------------------------------------------------------------------------- */

static void
once(struct files *f, int i)
{
	char text[32];

	snprintf(text, sizeof(text), "number %d\n", i);
	files_good(CALL(f, "write", "{ssss}", "file_path", "a", "content", text));
	files_good(CALL(f, "read", "{ss}", "file_path", "a"));
	files_good(CALL(f, "edit", "{ssssss}", "file_path", "a", "old_string", "number",
		"new_string", "n"));
	files_bad(CALL(f, "edit", "{ssssss}", "file_path", "a", "old_string", "numbr 1",
			  "new_string", "n"),
		AMBIT_CODE_BAD_ARGUMENTS, "not found");
	files_good(CALL(f, "copy", "{ssss}", "src", "a", "dst", "b"));
	files_good(CALL(f, "move", "{ssss}", "src", "b", "dst", "d"));
	files_good(CALL(f, "ls", "{ss}", "path", "d"));
	files_good(CALL(f, "delete", "{ss}", "path", "d/b"));
	files_bad(
		CALL(f, "read", "{ss}", "file_path", "d/b"), AMBIT_CODE_BAD_ARGUMENTS, "not exist");
}

static void
neither_descriptors_nor_memory_are_lost(void **state)
{
	struct files *f = *state;
	int fds;
	long long used;

	world_dir("d");
	for (int i = 0; i < rounds(5, 20); i++)
		once(f, i);
	fds = files_count("/proc/self/fd");
	used = memory_used();
	for (int i = 0; i < rounds(30, 50); i++)
		once(f, i);
	assert_int_equal(files_count("/proc/self/fd"), fds);
	assert_true(memory_used() < used + 32768);
}

#define T(name) cmocka_unit_test_setup_teardown(name, files_open, files_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(reads_with_line_numbers),
		T(says_how_a_file_ends),
		T(cuts_what_is_long),
		T(reads_what_has_no_size),
		T(names_what_is_binary),
		T(reads_deep_in_a_huge_file),
		T(says_what_cannot_be_read),
		T(writes_and_says_what),
		T(refuses_what_changed_since_it_was_read),
		T(says_why_it_cannot_write),
		T(stays_inside_the_line),
		T(links_inside_lead_on),
		T(nothing_outside_changes_in_a_race),
		T(deletes),
		T(moves_and_copies),
		T(lists),
		T(ls_says_how_many_names_fit),
		T(neither_descriptors_nor_memory_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
