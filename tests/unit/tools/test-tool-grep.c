/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the grep tool: which lines it finds, in which order, what it leaves out
 * and says about it, and that no pattern and no file can hold it up. Called through
 * the registry, as a model does. */

#include "toolcall.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "base/buf.h"
#include "rounds.h"
#include "tools/search/grep.h"
#include "tools/registry/own-tool.h"

static void
grep(struct hand *h, json_t *args)
{
	hand_call(h, "grep", args);
}

static void
grep_for(struct hand *h, const char *pattern)
{
	grep(h, json_pack("{s:s}", "pattern", pattern));
}

static void
says_not(const struct hand *h, const char *words)
{
	hand_works(h);
	if (strstr(h->result.text, words))
		fail_msg("'%s' says '%s'", h->result.text, words);
}

static void
says_all(const struct hand *h, const char *text)
{
	hand_works(h);
	assert_string_equal(h->result.text, text);
}

static long long
member(const struct hand *h, const char *key)
{
	auto_json json_t *object = json_loads(h->result.structured, 0, NULL);
	const json_t *skipped = json_object_get(object, "skipped"), *value;

	assert_non_null(object);
	value = json_object_get(json_object_get(object, key) ? object : skipped, key);
	assert_non_null(value);
	return json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
}

static void
big_file(const char *path, const struct buf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text->data, text->len), 0);
	close(fd);
}

/* -- what is told ----------------------------------------------------------------------- */

static void
tells_lines_with_their_numbers(void **state)
{
	struct hand *h = *state;

	world_dir("src");
	world_file("src/b.c", "one\ntwo needle\nthree\nfour needle\n");
	world_file("src/a.c", "needle\n");
	world_file("z.txt", "no newline at the end: needle");
	world_file("other", "nothing\n");
	grep_for(h, "needle");
	says_all(h, "z.txt\n1:no newline at the end: needle\n\nsrc/a.c\n1:needle\n\n"
		    "src/b.c\n2:two needle\n4:four needle\n");
	assert_int_equal(member(h, "matches"), 4);
	assert_int_equal(member(h, "searched"), 4);
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", "src/a.c"));
	says_all(h, "src/a.c\n1:needle\n");
	assert_string_equal(h->result.structured,
		"{\"files\":[{\"path\":\"src/"
		"a.c\",\"matches\":[{\"line\":1,\"text\":\"needle\"}]}],"
		"\"matches\":1,\"searched\":1,\"truncated\":false,\"skipped\":{\"binary\":0,"
		"\"guarded\":0,\"too_large\":0,\"costly\":0,\"unreadable\":0}}");
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "output_mode", "files"));
	says_all(h, "z.txt\nsrc/a.c\nsrc/b.c\n");
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "output_mode", "count"));
	says_all(h, "z.txt:1\nsrc/a.c:1\nsrc/b.c:2\n");
	grep_for(h, "absent");
	hand_says(h, "No match in .: 4 files were searched.");
}

static void
tells_context(void **state)
{
	struct hand *h = *state;

	world_file("f", "1\n2\n3 x\n4\n5\n6\n7\n8 x\n9 x\n10\n");
	grep(h, json_pack("{s:s, s:i}", "pattern", "x", "context", 1));
	says_all(h, "f\n2-2\n3:3 x\n4-4\n--\n7-7\n8:8 x\n9:9 x\n10-10\n");
	grep(h, json_pack("{s:s, s:i, s:i}", "pattern", "x", "before", 2, "after", 3));
	says_all(h, "f\n1-1\n2-2\n3:3 x\n4-4\n5-5\n6-6\n7-7\n8:8 x\n9:9 x\n10-10\n");
	grep(h, json_pack("{s:s, s:i}", "pattern", "^1$", "before", 5));
	says_all(h, "f\n1:1\n");
}

static void
cuts_long_lines_around_the_match(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };

	for (int i = 0; i < 5000; i++)
		buf_puts(&text, "\xc3\xa9");
	buf_puts(&text, "needle");
	for (int i = 0; i < 5000; i++)
		buf_putc(&text, 'z');
	big_file("long", &text);
	grep_for(h, "needle");
	hand_says(h, "needle");
	hand_says(h, "1:[99");
	hand_says(h, "bytes...] \xc3\xa9");
	hand_says(h, "[...4");
	assert_true(strlen(h->result.text) < 600);
}

static void
limits_are_marked(void **state)
{
	struct hand *h = *state;
	auto_free char *first = NULL;
	char path[64];

	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "f%03d", i);
		world_file(path, "needle 1\nneedle 2\nneedle 3\n");
	}
	grep(h, json_pack("{s:s, s:i}", "pattern", "needle", "limit", 4));
	says_all(h, "f000\n1:needle 1\n2:needle 2\n3:needle 3\n\nf001\n1:needle 1\n"
		    "[4 of at least 6 matches are shown: raise limit, or narrow pattern, path or "
		    "glob]\n");
	assert_int_equal(member(h, "matches"), 4);
	assert_int_equal(member(h, "truncated"), 1);
	grep(h, json_pack("{s:s, s:i, s:s}", "pattern", "needle", "limit", 2, "output_mode",
			"files"));
	says_all(h, "f000\nf001\n[2 of at least 3 files are shown: raise limit, or narrow pattern, "
		    "path or glob]\n");
	/* The same, whoever was faster; another call between, so that it is no loop. */
	for (int i = 0; i < rounds(10, 30); i++) {
		grep(h, json_pack("{s:s, s:i}", "pattern", "needle", "limit", 500 + i));
		grep(h, json_pack("{s:s, s:i}", "pattern", "needle", "limit", 777));
		hand_works(h);
		if (first)
			assert_string_equal(h->result.text, first);
		else
			first = strdup(h->result.text);
	}
	/* However many lines are allowed, the text has an end. */
	grep(h, json_pack("{s:s, s:i}", "pattern", "", "limit", 5000));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "pattern");
	for (int i = 0; i < 300; i++) {
		auto_buf struct buf text = { 0 };

		for (int k = 0; k < 20; k++)
			buf_printf(&text, "%0350d needle\n", k);
		snprintf(path, sizeof(path), "f%03d", i);
		big_file(path, &text);
	}
	grep(h, json_pack("{s:s, s:i}", "pattern", "needle", "limit", 5000));
	hand_says(h, " of at least 5020 matches are shown: narrow pattern, path or glob]\n");
	assert_true(strlen(h->result.text) <= 60000);
	/* Across lines it is lines that are counted, in what is shown and in what is not. */
	world_dir("across");
	world_file("across/f", "from\nto\nfrom\nto\n");
	grep(h, json_pack("{s:s, s:s, s:b, s:i}", "pattern", "from\nto", "path", "across",
			"multiline", 1, "limit", 2));
	hand_says(h, "1:from\n2:to\n[2 of 4 lines are shown: raise limit");
}

/* Of 8 MB that could be told, a file keeps what fits into an answer; it counts all. */
static void
no_more_is_kept_than_can_be_told(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 }, empty = { 0 };
	const struct grep_wants wants = {
		.mode = GREP_CONTENT, .before = 100, .after = 100, .limit = 5000
	};
	struct grep_end end = { .deadline = INT64_MAX };
	struct grep_pattern *pattern = NULL;
	struct grep_eye eye;

	for (int i = 0; i < 1000; i++) {
		buf_puts(&text, "needle\n");
		buf_puts(&empty, "needle\n");
		for (int k = 0; k < 20; k++) {
			buf_printf(&text, "%0399d\n", k);
			buf_putc(&empty, '\n');
		}
	}
	big_file("f", &text);
	big_file("g", &empty);
	assert_int_equal(grep_pattern_create("needle", 0, &pattern, NULL), 0);
	assert_int_equal(grep_eye_init(&eye, pattern, &end), 0);
	for (const char *path = "f"; path; path = *path == 'f' ? "g" : NULL) {
		auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct grep_found found = { .name = path };

		assert_int_equal(grep_file(&eye, &wants, fd, &found), GREP_FOUND);
		assert_int_equal(found.count, 1000);
		assert_true(found.text.len < RESULT_MAX + GREP_SHOWN_MAX);
		assert_true(found.n_lines <= RESULT_MAX / 3 + 1);
		grep_found_finish(&found);
	}
	grep_eye_finish(&eye);
	grep_pattern_destroy(pattern);
	for (const char *path = "f"; path; path = *path == 'f' ? "g" : NULL) {
		grep(h, json_pack("{s:s, s:s, s:i, s:i}", "pattern", "needle", "path", path,
				"context", 100, "limit", 5000));
		hand_says(h, " of 1000 matches are shown: narrow pattern, path or glob]\n");
		assert_true(strlen(h->result.text) > 50000);
		assert_true(strlen(h->result.text) <= 60000);
	}
}

/* Each file has little more than its match and the lines around it; together they are
 * many times what can be told. */
static void
a_search_ends_when_enough_is_kept(void **state)
{
	struct hand *h = *state;
	auto_free char *first = NULL;
	auto_buf struct buf text = { 0 };
	char path[64];

	buf_puts(&text, "needle\n");
	for (int k = 0; k < 100; k++)
		buf_printf(&text, "%0399d\n", k);
	for (int i = 0; i < 400; i++) {
		snprintf(path, sizeof(path), "f%03d", i);
		big_file(path, &text);
	}
	for (int i = 0; i < rounds(10, 30); i++) {
		grep(h, json_pack("{s:s, s:i, s:i}", "pattern", "needle", "context", 100, "limit",
				4000 + i));
		hand_says(
			h, "[2 of at least 106 matches are shown: narrow pattern, path or glob]\n");
		assert_true(member(h, "searched") < 400);
		assert_int_equal(member(h, "truncated"), 1);
		if (first)
			assert_string_equal(h->result.text, first);
		else
			first = strdup(h->result.text);
	}
}

/* -- what matches ----------------------------------------------------------------------- */

static const struct {
	const char *pattern;
	const char *text;
	const char *lines; /* numbers of those that match */
} matches[] = {
	{ "^b", "a\nb\nab\n", "2" },
	{ "a$", "a\nba\nab\n", "1 2" },
	{ "a$", "a\r\nab\r\nba\r\n", "1 3" },
	{ "a\\r$", "a\nb\n", "" },
	{ "^$", "a\n\nb\n\n", "2 4" },
	{ "$", "a\nb", "1 2" },
	{ "x*", "a\nb\n", "1 2" },
	{ "a\\s+b", "a\nb\na b\n", "3" },
	{ "a\\s*$", "a \n\nb\na\n", "1 4" },
	{ "a\\s++$", "a \n\nb\n", "1" },
	{ "foo(?!\\s)", "foo\nfoo x\nfood\n", "1 3" },
	{ "(?<!\\s)b", "a\nb\na b\n", "2" },
	{ "a(?=\\s|$)", "a\nab\n", "1" },
	{ "\\Ab", "a\nb\n", "2" },
	{ "a\\z", "a\nb\n", "1" },
	{ "\"[^\"]*\"", "say \"a\nb\" and \"c\"\n\"\n", "2" },
	{ "(?s)a.b", "a\nb\naxb\n", "3" },
	{ "[^\\n]b", "ab\nb\n", "1" },
	{ "a|^c", "a\nb\nc\n", "1 3" },
	{ "\\bcat\\b", "cat\nconcat\ncat s\n", "1 3" },
	{ "(a)\\1", "aa\na\na\n", "1" },
	{ "\\d{3}", "12\n3\n123\n", "3" },
	{ "^.$", "\xc3\xa9\nab\n\xe2\x82\xac\n", "1 3" },
	{ "b", "\xff\xfe b\n\xc3\nb\n", "1 3" },
	{ "^\\w",
		"\xef\xbb\xbf"
		"a\n",
		"1" },
	{ "(*UCP)^\\w+$", "\xc3\xa9t\xc3\xa9\n!\n", "1" },
	{ "(?>a+)b", "aab\naa\nb\n", "1" },
	{ "a\\Kb", "ab\na\nb\n", "1" },
};

/* As one file, and far behind others' lines in a long one. */
static void
check_lines(struct hand *h, size_t i, size_t ahead)
{
	auto_buf struct buf text = { 0 };
	auto_json json_t *result = NULL;
	char found[256] = "";
	json_t *lines;
	size_t k;

	for (size_t n = 0; n < ahead; n++)
		buf_puts(&text, "~\n");
	buf_puts(&text, matches[i].text);
	big_file("f", &text);
	grep(h, json_pack("{s:s, s:s, s:i}", "pattern", matches[i].pattern, "path", "f", "limit",
			200));
	hand_works(h);
	result = json_loads(h->result.structured, 0, NULL);
	lines = json_object_get(json_array_get(json_object_get(result, "files"), 0), "matches");
	for (k = 0; k < json_array_size(lines); k++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%lld",
			*found ? " " : "",
			json_integer_value(json_object_get(json_array_get(lines, k), "line")) -
				(long long)ahead);
	if (!streq(found, matches[i].lines))
		fail_msg("%s (%zu lines ahead): found '%s', not '%s'", matches[i].pattern, ahead,
			found, matches[i].lines);
}

static void
each_line_is_searched_by_itself(void **state)
{
	struct hand *h = *state;

	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		check_lines(h, i, 0);
		/* Unless the lines ahead match as well, or end in another way. */
		if (!strchr("$x", matches[i].pattern[0]) && !strstr(matches[i].text, "\r") &&
			!str_prefix(matches[i].text, "\xef\xbb\xbf") &&
			!strstr(matches[i].pattern, "^."))
			check_lines(h, i, 9000);
	}
}

static void
options_change_what_matches(void **state)
{
	struct hand *h = *state;

	world_file("f", "a.b\naxb\nA.B\n\xc3\x89T\xc3\x89\n");
	grep(h, json_pack("{s:s, s:b}", "pattern", "a.b", "fixed", 1));
	says_all(h, "f\n1:a.b\n");
	grep(h, json_pack("{s:s, s:b, s:b}", "pattern", "a.b", "fixed", 1, "ignore_case", 1));
	says_all(h, "f\n1:a.b\n3:A.B\n");
	grep(h, json_pack("{s:s, s:b}", "pattern", "\xc3\xa9t\xc3\xa9", "ignore_case", 1));
	hand_says(h, "4:");
	world_file("f", "begin\n one\nend\nbegin end\n\nx\nbegin\n");
	grep(h, json_pack("{s:s, s:b}", "pattern", "begin.*?end", "multiline", 1));
	says_all(h, "f\n1:begin\n2: one\n3:end\n4:begin end\n");
	grep(h, json_pack("{s:s, s:b, s:s}", "pattern", "begin\\n one", "multiline", 1,
			"output_mode", "count"));
	says_all(h, "f:1\n");
	grep_for(h, "begin\\n one");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "multiline");
	grep_for(h, "(unclosed");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "(unclosed is no regular expression");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "set fixed");
	grep_for(h, "a\\Cb");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "\\C");
}

/* -- which files ------------------------------------------------------------------------ */

static void
files_are_chosen(void **state)
{
	struct hand *h = *state;

	world_dir(".git");
	world_dir("src");
	world_dir("src/deep");
	world_dir("out");
	world_file(".gitignore", "/out\n");
	world_file(".git/x.c", "needle\n");
	world_file("top.c", "needle\n");
	world_file("src/a.c", "needle\n");
	world_file("src/deep/b.py", "needle\n");
	world_file("src/deep/Makefile", "needle\n");
	world_file("out/c.c", "needle\n");
	world_file(".hidden", "needle\n");
#define FILES(...) grep(h, json_pack(__VA_ARGS__, "pattern", "needle", "output_mode", "files"))
	FILES("{s:s, s:s}");
	says_all(h, ".hidden\ntop.c\nsrc/a.c\nsrc/deep/Makefile\nsrc/deep/b.py\n");
	FILES("{s:b, s:s, s:s}", "all", 1);
	says_all(h, ".hidden\ntop.c\nout/c.c\nsrc/a.c\nsrc/deep/Makefile\nsrc/deep/b.py\n");
	FILES("{s:s, s:s, s:s}", "glob", "*.c");
	says_all(h, "top.c\nsrc/a.c\n");
	FILES("{s:s, s:s, s:s}", "glob", "src/**/*.{c,py}");
	says_all(h, "src/a.c\nsrc/deep/b.py\n");
	FILES("{s:s, s:s, s:s}", "glob", "!*.c");
	says_all(h, ".hidden\nsrc/deep/Makefile\nsrc/deep/b.py\n");
	FILES("{s:s, s:s, s:s}", "glob", "src/a.c");
	says_all(h, "src/a.c\n");
	FILES("{s:s, s:s, s:s, s:s}", "path", "src", "glob", "deep/*");
	says_all(h, "src/deep/Makefile\nsrc/deep/b.py\n");
	FILES("{s:s, s:s, s:s, s:s}", "path", "src", "glob", "Makefile");
	says_all(h, "src/deep/Makefile\n");
	/* A name without a path is meant at every depth. */
	world_file("Makefile", "needle\n");
	FILES("{s:s, s:s, s:s}", "glob", "Makefile");
	says_all(h, "Makefile\nsrc/deep/Makefile\n");
	assert_int_equal(remove("Makefile"), 0);
	FILES("{s:s, s:s, s:s}", "glob", "Makefile");
	says_all(h, "src/deep/Makefile\n");
	FILES("{s:s, s:s, s:s}", "glob", "**/Makefile");
	says_all(h, "src/deep/Makefile\n");
	FILES("{s:s, s:s, s:s}", "type", "py");
	says_all(h, "src/deep/b.py\n");
	FILES("{s:s, s:s, s:s}", "type", "pyton");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "Did you mean python?");
	FILES("{s:s, s:s, s:s}", "path", "nowhere");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "nowhere does not exist");
	FILES("{s:s, s:s, s:s}", "path", "out");
	says_all(h, "out/c.c\n");
}

static void
odd_files_are_left_out(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };
	char out[800];

	snprintf(out, sizeof(out), "%s/secret", h->w.out);
	world_file(out, "needle outside\n");
	world_link(out, "link");
	world_link(h->w.out, "dir");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	world_file("f", "needle\n");
	buf_append(&text, "needle\0\n", 8);
	big_file("binary", &text);
	grep_for(h, "needle");
	says_all(h, "f\n1:needle\n[1 binary files were not searched]\n");
	assert_int_equal(member(h, "binary"), 1);
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", "fifo"));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "neither a file nor a folder");
}

static void
keys_beneath_are_not_read(void **state)
{
	struct hand *h = *state;

	world_dir("../.ssh");
	world_file("../.ssh/id_test", "needle private\n");
	world_file("../.ssh/id_test.pub", "needle public\n");
	world_dir("../.gnupg");
	world_file("../.gnupg/ring", "needle ring\n");
	world_file("../notes", "needle note\n");
	h->answer.kind = AMBIT_ONCE;
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", ".."));
	hand_says(h, "needle public");
	hand_says(h, "needle note");
	says_not(h, "private");
	says_not(h, "ring");
	hand_says(h, "guarded paths");
	assert_true(member(h, "guarded") > 0);
	/* Who names it is asked, and a yes is a yes. */
	h->asked = 0;
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", "../.ssh/id_test"));
	assert_int_equal(h->asked, 1);
	hand_says(h, "needle private");
	h->answer.kind = AMBIT_NO;
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", "../.gnupg/ring"));
	assert_true(h->result.failed);
	assert_null(strstr(h->result.text, "needle"));
}

/* What read would ask about is not shown: a hard link, and a name that came later. */
static void
keys_by_another_name_are_not_shown(void **state)
{
	struct hand *h = *state;

	world_file("../.netrc", "needle link\n");
	world_file("plain", "needle plain\n");
	assert_int_equal(link("../.netrc", "copy"), 0);
	hand_end(h);
	hand_begin(h);
	grep_for(h, "needle");
	says_all(h,
		"plain\n1:needle plain\n[1 guarded paths (keys, credentials) were not searched; "
		"a search whose path is one of them is asked about]\n");
	world_file("../.pgpass", "needle late\n");
	grep(h, json_pack("{s:s, s:s, s:s}", "pattern", "needle", "path", "..", "output_mode",
			"count"));
	hand_says(h, "plain:1");
	says_not(h, "copy");
	says_not(h, "pgpass");
	says_not(h, "netrc");
}

/* A yes to a guarded directory is one to what is in it. */
static void
a_guarded_folder_is_searched_after_a_yes(void **state)
{
	struct hand *h = *state;

	world_dir("../.gnupg");
	world_file("../.gnupg/ring", "needle ring\n");
	grep(h, json_pack("{s:s, s:s}", "pattern", "needle", "path", "../.gnupg"));
	assert_int_equal(h->asked, 1);
	hand_says(h, "needle ring");
	h->answer.kind = AMBIT_NO;
	grep(h, json_pack("{s:s, s:s, s:i}", "pattern", "needle", "path", "../.gnupg", "limit", 9));
	assert_true(h->result.failed);
}

/* -- what is large, and what is hostile ------------------------------------------------- */

/* Lines of all lengths, over many fillings of the buffer; each number is in its
 * text. */
static void
large_files_keep_their_lines(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 }, wanted = { 0 };
	unsigned long long seed = 7;
	size_t bytes = 0;

	buf_puts(&wanted, "f\n");
	for (int line = 1; bytes < 3000000; line++) {
		size_t before = text.len;
		unsigned len;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		len = (unsigned)(seed >> 33) % (line % 100 == 0 ? 20000 : 60);
		buf_printf(&text, "%d %s%0*d\n", line, line % 700 == 3 ? "needle " : "",
			(int)len + 1, 0);
		bytes += text.len - before;
		if (line % 700 == 2)
			buf_printf(&wanted, "%s%d-", wanted.len > 2 ? "--\n" : "", line);
		if (line % 700 == 3)
			buf_printf(&wanted, "%d:", line);
		if ((line % 700 == 2 || line % 700 == 3) && text.len - before <= 400)
			buf_append(&wanted, text.data + before, text.len - before);
	}
	big_file("f", &text);
	grep(h, json_pack("{s:s, s:i, s:i}", "pattern", "needle", "before", 1, "limit", 5000));
	says_all(h, wanted.data);
	grep(h, json_pack("{s:s, s:s}", "pattern", "^[0-9]+ needle 0*$", "output_mode", "count"));
	hand_works(h);
	assert_true(member(h, "matches") > 20);
}

static void
lines_without_end_are_searched_in_pieces(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };

	buf_puts(&text, "first\n");
	for (int i = 0; i < 11 << 20; i++)
		buf_putc(&text, 'a' + i % 7);
	buf_puts(&text, "needle");
	for (int i = 0; i < 1 << 20; i++)
		buf_putc(&text, 'z');
	buf_puts(&text, "\nlast needle\n");
	big_file("f", &text);
	grep_for(h, "needle");
	hand_says(h, "2:[");
	hand_says(h, "3:last needle\n");
	assert_true(strlen(h->result.text) < 1000);
}

static void
hostile_patterns_end(void **state)
{
	/* The first two end by the clock, and by their steps; the others in one of these
	 * ways as well, after seconds. */
	static const char *const patterns[] = { "[ab]{1,900}[ab]{1,900}[ab]{1,900}[!?]",
		"(a+)+[!?]", "(a|aa)+[!?]", "(.*)*[!?]$", "a.*a.*a.*a.*a.*[!?]",
		"(?:a?){50}a{50}[!?]", "(?=(a+)+[!?])", "(a+)+[!?]" };
	/* And this one for want of a stack, at once. */
	const char *deep = "a?(?R)", *many = rounds_long() ? "(a+)+[!?]" : deep;
	size_t n = rounds_long() ? sizeof(patterns) / sizeof(patterns[0]) : 2;
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };
	char path[16];

	for (int i = 0; i < 3000; i++)
		buf_putc(&text, 'a');
	buf_puts(&text, "\nplain\n");
	big_file("f00", &text);
	world_file("g", "aaa!\n");
	for (size_t i = 0; i < n; i++) {
		grep_for(h, patterns[i]);
		hand_works(h);
		/* What can be searched still is. */
		if (!strstr(patterns[i], "50") && !strstr(patterns[i], "a.*a"))
			hand_says(h, "g\n1:aaa!");
	}
	hand_says(h, "files were given up");
	hand_says(h, "the first: f00");
	assert_int_equal(member(h, "costly"), 1);
	assert_int_equal(member(h, "truncated"), 1);
	grep(h, json_pack("{s:s, s:s}", "pattern", deep, "path", "f00"));
	hand_fails(
		h, AMBIT_CODE_BAD_ARGUMENTS, "1 files had to be given up, the first of them f00");
	for (int i = 1; i < 12; i++) {
		snprintf(path, sizeof(path), "f%02d", i);
		big_file(path, &text);
	}
	grep_for(h, many);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "takes too many steps");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "Make the pattern simpler");
}

/* Where it would have taken its time, and then been right. */
static void
a_cancelled_search_ends(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };
	int cancel = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct ambit_call_options options = { .cancel = cancel };
	static const char args[] = "{\"pattern\":\"(a+)+[!?]\"}";
	char path[16];

	for (int i = 0; i < 3000; i++)
		buf_putc(&text, 'a');
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "f%02d", i);
		big_file(path, &text);
	}
	world_file("g", "aaa!\n");
	assert_true(cancel >= 0);
	assert_int_equal(timerfd_settime(cancel, 0,
				 &(struct itimerspec){ .it_value.tv_nsec = 50000000 }, NULL),
		0);
	assert_int_equal(
		ambit_registry_call(h->registry, "grep", args, strlen(args), &options, &h->result),
		0);
	assert_true(h->result.failed);
	assert_true(h->result.cancelled);
	close(cancel);
}

struct listener {
	int enough; /* readable when it was told */
	char message[100];
};

static void
listen(void *data, double done, double total, const char *message)
{
	struct listener *l = data;

	assert_true(done <= total);
	snprintf(l->message, sizeof(l->message), "%s", message);
	eventfd_write(l->enough, 1);
}

/* One that takes long says how far it is; nobody waits for it then. */
static void
a_long_search_says_how_far_it_is(void **state)
{
	struct hand *h = *state;
	auto_buf struct buf text = { 0 };
	struct listener l = { .enough = eventfd(0, EFD_CLOEXEC) };
	struct ambit_call_options options = { .cancel = l.enough, .progress = listen, .data = &l };
	static const char args[] = "{\"pattern\":\"(a+)+[!?]\"}";

	for (int i = 0; i < 3000; i++)
		buf_putc(&text, 'a');
	/* Each is given up after a while; all of them are more than a few words long. */
	for (char name[2] = "a"; name[0] <= 'z'; name[0]++)
		big_file(name, &text);
	assert_int_equal(
		ambit_registry_call(h->registry, "grep", args, strlen(args), &options, &h->result),
		0);
	assert_true(h->result.cancelled);
	assert_non_null(strstr(l.message, "26 files "));
	close(l.enough);
}

static void
leaves_no_descriptors(void **state)
{
	struct hand *h = *state;
	size_t before;

	world_dir("d");
	world_file("d/x", "x\n");
	grep_for(h, "x");
	before = hand_descriptors();
	for (int i = 0; i < 50; i++)
		grep(h, json_pack("{s:s, s:i}", "pattern", "x", "limit", i + 1));
	grep_for(h, "(");
	grep(h, json_pack("{s:s, s:s}", "pattern", "x", "path", "nowhere"));
	assert_int_equal(hand_descriptors(), before);
}

#define TOOL(name) cmocka_unit_test_setup_teardown(name, hand_open, hand_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TOOL(tells_lines_with_their_numbers),
		TOOL(tells_context),
		TOOL(cuts_long_lines_around_the_match),
		TOOL(limits_are_marked),
		TOOL(no_more_is_kept_than_can_be_told),
		TOOL(a_search_ends_when_enough_is_kept),
		TOOL(each_line_is_searched_by_itself),
		TOOL(options_change_what_matches),
		TOOL(files_are_chosen),
		TOOL(odd_files_are_left_out),
		TOOL(keys_beneath_are_not_read),
		TOOL(keys_by_another_name_are_not_shown),
		TOOL(a_guarded_folder_is_searched_after_a_yes),
		TOOL(large_files_keep_their_lines),
		TOOL(lines_without_end_are_searched_in_pieces),
		TOOL(hostile_patterns_end),
		TOOL(a_cancelled_search_ends),
		TOOL(a_long_search_says_how_far_it_is),
		TOOL(leaves_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
