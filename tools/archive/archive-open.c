/* SPDX-License-Identifier: Apache-2.0 */
/* An archive's first bytes, into a reader that knows one way to unpack it. Left to
 * itself libarchive unpacks what comes out of that again, for as long as it looks
 * compressed: layers in which next to nothing expands to next to nothing keep it busy
 * for days, before there is a byte to count or a moment to be cancelled in. */

#include <archive.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/archive/archive-unpack.h"

#define HEAD 10
#define BLOCK 65536
#define TAIL 66000 /* the end of a zip, with the longest comment */

/* A tar begins with a name, and that may be "BZhang" or "]": so what stands further on
 * counts, too. */
struct filter {
	const char *begin;
	size_t at;
	const char *more; /* at */
	int code;
	int (*support)(struct archive *archive);
};

static const struct filter filters[] = {
	{ "\x1f\x8b", 2, "\x08", ARCHIVE_FILTER_GZIP, archive_read_support_filter_gzip },
	{ "BZh", 4, "1AY&SY", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2 },
	/* It has a limit of its own: a window of 128 MB. */
	{ "\x28", 1, "\xb5\x2f\xfd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd },
};

/* .xz; or .lzma, which has no mark, but its properties as everybody sets them, and a
 * dictionary of some size. */
static bool
is_lzma(const char *head)
{
	return memcmp(head, "\3757zXZ", 5) == 0 ||
	       (memcmp(head, "\x5d\0\0", 3) == 0 && (head[3] || head[4]));
}

/* Any of its records, or what is before the first one where it had been in several
 * parts. "PKG-INFO" is the first name of a tar. */
static bool
is_zip(const char *head)
{
	return memcmp(head, "PK00PK\3\4", 8) == 0 ||
	       (memcmp(head, "PK", 2) == 0 && head[2] > 0 && head[2] < 9 && head[3] > 0 &&
		       head[3] < 9);
}

/* A program with a zip behind it: a Python application, one that unpacks itself. Nothing
 * else, for the last file of a tar may be a zip. */
static bool
is_program_with_zip(int fd, const char *head)
{
	static const char end[] = "PK\5\6";
	struct stat st;
	char *tail;
	ssize_t n;
	bool found;

	if ((memcmp(head, "#!", 2) != 0 && memcmp(head, "MZ", 2) != 0 &&
		    memcmp(head, "\177ELF", 4) != 0) ||
		fstat(fd, &st) < 0 || !(tail = malloc(TAIL)))
		return false;
	n = pread(fd, tail, TAIL, st.st_size > TAIL ? st.st_size - TAIL : 0);
	found = n > 0 && memmem(tail, (size_t)n, end, sizeof(end) - 1);
	free(tail);
	return found;
}

/* Where libarchive was built without a library it starts a program instead, and says
 * so by a warning: such a filter is not used. */
static bool
is_built_in(int (*support)(struct archive *archive))
{
	struct archive *probe = archive_read_new();
	bool built_in = probe && support(probe) == ARCHIVE_OK;

	if (probe)
		archive_read_free(probe);
	return built_in;
}

static bool
append_native_filter(struct archive *archive, int code, int (*support)(struct archive *archive))
{
	return is_built_in(support) && archive_read_append_filter(archive, code) == ARCHIVE_OK;
}

/* 1: there is one; 0: there is none; -EINVAL: it cannot be read here. */
static int
add_filter(struct archive *archive, const char *head)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		const struct filter *f = &filters[i];

		if (memcmp(head, f->begin, strlen(f->begin)) == 0 &&
			memcmp(head + f->at, f->more, strlen(f->more)) == 0)
			return append_native_filter(archive, f->code, f->support) ? 1 : -EINVAL;
	}
	return 0;
}

/* One format is what it can be: a zip that is compressed again is unpacked by those who
 * ask for it, one layer at a time, and then as any other zip. */
static int
open_as(struct archive *archive, int fd, const char *head, bool plain, bool *ret_packed)
{
	int r;

	*ret_packed = false;
	if (is_zip(head) || is_program_with_zip(fd, head))
		return archive_read_support_format_zip(archive) == ARCHIVE_OK
			       ? unpack_open_zip(archive, fd)
			       : ARCHIVE_FATAL;
	if ((!plain && archive_read_support_format_tar(archive) != ARCHIVE_OK) ||
		archive_read_support_format_raw(archive) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	if (is_lzma(head)) {
		*ret_packed = true;
		return unpack_open_lzma(archive, fd);
	}
	r = add_filter(archive, head);
	*ret_packed = r == 1;
	return r < 0 ? ARCHIVE_FATAL : archive_read_open_fd(archive, fd, BLOCK);
}

int
unpack_broken(struct archive *archive, struct ambit_error *err)
{
	const char *why = archive_error_string(archive);

	return err_set(err, EINVAL, "the archive cannot be read: %s",
		why ? why : "it is broken, or compressed in a way that is not known here");
}

int
unpack_open(
	int fd, bool plain, struct archive **ret_archive, bool *ret_packed, struct ambit_error *err)
{
	struct archive *archive = archive_read_new();
	char head[HEAD] = { 0 };
	int r = archive ? 0 : err_nomem(err);

	if (r == 0 && pread(fd, head, sizeof(head), 0) < 0)
		r = err_sys(err, errno, "the archive");
	if (r == 0 && open_as(archive, fd, head, plain, ret_packed) != ARCHIVE_OK)
		r = unpack_broken(archive, err);
	if (r == 0)
		*ret_archive = archive;
	else
		archive_read_free(archive);
	return r;
}
