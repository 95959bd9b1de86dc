/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ARCHIVE_RIG_H
#define TESTS_UNIT_ARCHIVE_RIG_H

/* Archives of every kind, and archives that try to get out, fill the disk or plant something.
 * Each attack is first unpacked by a reader that trusts it, which shows that it works; then by
 * the tool, and the test looks at what it left. */

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include "toolcall.h"

struct maker {
	struct archive *a;
};

static inline struct maker
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

static inline struct archive_entry *
entry(const char *name, unsigned type, unsigned mode)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, mode);
	archive_entry_set_mtime(e, 1000000000, 0);
	return e;
}

static inline void
put(struct maker *m, struct archive_entry *e, const char *content)
{
	size_t n = content ? strlen(content) : 0;

	archive_entry_set_size(e, (la_int64_t)n);
	assert_int_equal(archive_write_header(m->a, e), ARCHIVE_OK);
	if (n > 0)
		assert_int_equal(archive_write_data(m->a, content, n), (la_ssize_t)n);
	archive_entry_free(e);
}

static inline void
file(struct maker *m, const char *name, const char *content)
{
	put(m, entry(name, AE_IFREG, 0644), content);
}

static inline void
dir(struct maker *m, const char *name)
{
	put(m, entry(name, AE_IFDIR, 0755), NULL);
}

static inline void
link_to(struct maker *m, const char *name, const char *target)
{
	struct archive_entry *e = entry(name, AE_IFLNK, 0777);

	archive_entry_set_symlink(e, target);
	put(m, e, NULL);
}

static inline void
hard_link_to(struct maker *m, const char *name, const char *target)
{
	struct archive_entry *e = entry(name, AE_IFREG, 0644);

	archive_entry_set_hardlink(e, target);
	put(m, e, NULL);
}

static inline void
done(struct maker *m)
{
	assert_int_equal(archive_write_close(m->a), ARCHIVE_OK);
	archive_write_free(m->a);
	/* The program's own locale is none of the tool's business. */
	assert_non_null(setlocale(LC_CTYPE, "C"));
}

/* What one that believes everything does, in the directory naive of the folder. */
static inline void
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

static inline void
extract(struct hand *h, const char *src, const char *dst)
{
	hand_call(h, "extract",
		dst ? json_pack("{s:s, s:s}", "src", src, "dst", dst)
		    : json_pack("{s:s}", "src", src));
}

/* The reason for which the last call left something out. */
static inline void
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, hand_open, hand_close)

#endif
