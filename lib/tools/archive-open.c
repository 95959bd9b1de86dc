/* SPDX-License-Identifier: Apache-2.0 */
/* An archive's first bytes, into a reader that knows one way to unpack it. Left to
 * itself libarchive unpacks what comes out of that again, for as long as it looks
 * compressed: layers in which next to nothing expands to next to nothing keep it busy
 * for days, before there is a byte to count or a moment to be cancelled in. */

#include <archive.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tools/archive-unpack.h"

#define HEAD 10

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
	{ "\xfd", 1, "7zXZ", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz },
	{ "\x28", 1, "\xb5\x2f\xfd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd },
};

/* Its properties as everybody sets them, and a dictionary of some size: up to 128 MB,
 * for so much is reserved before a byte is read. */
static bool
is_lzma(const char *head)
{
	return memcmp(head, "\x5d\0\0", 3) == 0 && (head[3] || head[4]) && head[4] >= 0 &&
	       head[4] < 8;
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
add(struct archive *archive, int code, int (*support)(struct archive *archive))
{
	return is_built_in(support) && archive_read_append_filter(archive, code) == ARCHIVE_OK;
}

static bool
add_filter(struct archive *archive, int fd)
{
	char head[HEAD] = { 0 };

	if (pread(fd, head, sizeof(head), 0) < 0)
		return false;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		const struct filter *f = &filters[i];

		if (memcmp(head, f->begin, strlen(f->begin)) == 0 &&
			memcmp(head + f->at, f->more, strlen(f->more)) == 0)
			return add(archive, f->code, f->support);
	}
	return !is_lzma(head) ||
	       add(archive, ARCHIVE_FILTER_LZMA, archive_read_support_filter_lzma);
}

struct archive *
unpack_reader(int fd)
{
	struct archive *archive = archive_read_new();

	if (!archive)
		return NULL;
	if (add_filter(archive, fd) && archive_read_support_format_tar(archive) == ARCHIVE_OK &&
		archive_read_support_format_zip(archive) == ARCHIVE_OK &&
		archive_read_support_format_raw(archive) == ARCHIVE_OK)
		return archive;
	archive_read_free(archive);
	return NULL;
}
