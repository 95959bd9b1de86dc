/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive reads, we write: its own writer is not used, so nothing but plain files,
 * directories and links can come of an entry, whatever it says it is. What an entry
 * claims about itself is not believed: bytes are counted as they come, those that are
 * left out too, for reading them takes as long. */

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "scope/resolve.h"
#include "tools/archive/archive-unpack.h"

#define BLOCK 65536

struct reading {
	struct unpack *unpack;
	struct archive *archive;
	struct archive_entry *entry;
	const char *single;
	bool packed;
	struct ambit_error *err;
};

static int
report_broken_archive(struct reading *r)
{
	return unpack_broken(r->archive, r->err);
}

/* -- limits ------------------------------------------------------------------------------ */

static int
too_much(struct reading *r)
{
	return err_set(r->err, EFBIG, "the archive unpacks to more than %llu MB",
		(unsigned long long)(r->unpack->limits.bytes >> 20));
}

static int
count_unpacked_bytes(struct reading *r, uint64_t bytes)
{
	struct unpack *u = r->unpack;

	if (bytes > u->limits.bytes || u->bytes + bytes > u->limits.bytes)
		return too_much(r);
	u->bytes += bytes;
	if (u->bytes > u->limits.ratio_from && u->bytes / u->limits.ratio > u->archive_size)
		return err_set(r->err, EFBIG,
			"the archive unpacks to more than %llu times its size: it looks like a "
			"bomb",
			(unsigned long long)u->limits.ratio);
	if (u->cancelled(u->data))
		return err_set(r->err, ECANCELED, "cancelled");
	if (u->progress)
		u->progress(u->data, u->bytes);
	return 0;
}

/* -- content ------------------------------------------------------------------------------ */

static int
write_bytes_at(int fd, const char *data, size_t len, off_t at)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, data, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
		at += n;
	}
	return 0;
}

/* All blocks of the entry, into fd or (-1) nowhere. Holes count as what they are
 * called: whoever reads the file reads them. */
static int
copy_blocks(struct reading *r, int fd)
{
	uint64_t end = 0;

	for (;;) {
		const void *data = NULL;
		int64_t at = 0;
		size_t len = 0;
		int got = archive_read_data_block(r->archive, &data, &len, &at), e;

		if (got == ARCHIVE_EOF)
			break;
		if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
			return report_broken_archive(r);
		if (at < 0 || (uint64_t)at < end || len > INT64_MAX - (uint64_t)at)
			return err_set(
				r->err, EINVAL, "the archive cannot be read: blocks out of order");
		e = count_unpacked_bytes(r, (uint64_t)at + len - end);
		if (e < 0)
			return e;
		end = (uint64_t)at + len;
		e = fd >= 0 ? write_bytes_at(fd, data, len, (off_t)at) : 0;
		if (e < 0)
			return err_sys(r->err, -e, "writing what the archive holds");
	}
	if (fd >= 0 && archive_entry_size_is_set(r->entry) &&
		archive_entry_size(r->entry) > (int64_t)end) {
		int64_t size = archive_entry_size(r->entry);
		int e = count_unpacked_bytes(r, (uint64_t)size - end);

		if (e < 0)
			return e;
		if (ftruncate(fd, (off_t)size) < 0)
			return err_sys(r->err, errno, "writing what the archive holds");
	}
	return 0;
}

/* Of the mode, only whether it can be run: no right to be somebody else. */
static int
finish_file(struct reading *r, int fd)
{
	mode_t mode = archive_entry_perm(r->entry) & 0100 ? 0755 : 0644;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	if (fchmod(fd, mode) < 0)
		return err_sys(r->err, errno, "writing what the archive holds");
	if (archive_entry_mtime_is_set(r->entry)) {
		times[1].tv_sec = archive_entry_mtime(r->entry);
		times[1].tv_nsec = archive_entry_mtime_nsec(r->entry) % 1000000000;
		if (times[1].tv_nsec < 0)
			times[1].tv_nsec = 0;
		/* A time that no file can have is no loss. */
		(void)!futimens(fd, times);
	}
	return 0;
}

/* -- entries ------------------------------------------------------------------------------- */

static int
skip_entry(struct reading *r, const char *name, const char *why)
{
	unpack_leave(r->unpack, name, why);
	return copy_blocks(r, -1);
}

static int
one_file(struct reading *r, const char *name)
{
	auto_close int fd = -1;
	int e;

	if (archive_entry_is_data_encrypted(r->entry))
		return err_set(r->err, EINVAL, "the archive is encrypted");
	e = unpack_make_file(r->unpack, name, &fd, r->err);
	if (e < 0)
		return e;
	if (e == 1)
		return copy_blocks(r, -1);
	e = copy_blocks(r, fd);
	return e < 0 ? e : finish_file(r, fd);
}

static int
copy_file(struct reading *r, int from, int to)
{
	auto_free char *data = malloc(BLOCK);
	int e = data ? 0 : err_nomem(r->err);

	while (e == 0) {
		ssize_t n = read(from, data, BLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(r->err, errno, "reading what the archive holds");
		if (n == 0)
			break;
		e = count_unpacked_bytes(r, (uint64_t)n);
		if (e == 0 && fd_write_all(to, data, (size_t)n) < 0)
			e = err_sys(r->err, errno, "writing what the archive holds");
	}
	return e;
}

/* A second name for a file of the archive becomes a second file: two names of one
 * file are a way to change what one of them is guarded by. */
static int
one_hard_link(struct reading *r, const char *name, const char *raw)
{
	auto_free char *target = NULL;
	auto_close int from = -1, to = -1;
	const struct unpack_row *row;
	const char *why, *base;
	int e = unpack_name(raw, &target, &why), parent;

	if (e == -ENOMEM)
		return err_nomem(r->err);
	row = e == 0 ? unpack_find(r->unpack, target) : NULL;
	if (!row || row->kind != UNPACK_FILE || row->gone || streq(target, name))
		return skip_entry(r, name, "it is a hard link to what is no file of the archive");
	parent = unpack_open_parent(r->unpack, target, &base);
	from = parent < 0 ? parent
			  : resolve_open(parent, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, 0);
	if (from < 0)
		return err_sys(r->err, -from, "%s", target);
	e = unpack_make_file(r->unpack, name, &to, r->err);
	if (e == 0)
		e = copy_file(r, from, to);
	if (e == 0)
		e = finish_file(r, to);
	return e < 0 ? e : copy_blocks(r, -1);
}

static int
one_kind(struct reading *r, const char *name)
{
	const char *hard = archive_entry_hardlink(r->entry);
	const char *target;
	int e;

	if (hard || archive_entry_hardlink_w(r->entry))
		return one_hard_link(r, name, hard ? hard : "");
	switch (archive_entry_filetype(r->entry)) {
	case AE_IFREG:
		return one_file(r, name);
	case AE_IFDIR:
		e = unpack_make_dir(r->unpack, name, r->err);
		break;
	case AE_IFLNK:
		target = archive_entry_symlink(r->entry);
		e = unpack_make_link(r->unpack, name, target ? target : "", r->err);
		break;
	case AE_IFIFO:
		return skip_entry(r, name, "it is a FIFO");
	case AE_IFSOCK:
		return skip_entry(r, name, "it is a socket");
	default:
		return skip_entry(r, name, "it is a device, or of no known kind");
	}
	return e < 0 ? e : copy_blocks(r, -1);
}

static bool
may_be_single(const struct reading *r)
{
	size_t n = r->single ? strlen(r->single) : 0;

	return r->packed && n > 0 && !(n > 4 && streq(r->single + n - 4, ".tar"));
}

/* A compressed file without an archive in it has the name of the file it was in. What
 * is not even compressed is anything, and a tar that is not recognised is broken. */
static int
check_single(struct reading *r)
{
	if (archive_format(r->archive) != ARCHIVE_FORMAT_RAW)
		return 0;
	if (!may_be_single(r))
		return err_set(r->err, EINVAL,
			"it is no archive that can be read (zip, tar, tar.gz, "
			"tar.bz2, tar.xz, tar.zst, or one compressed file)");
	archive_entry_set_pathname(r->entry, r->single);
	return 0;
}

/* Before any of it is read: a dictionary is reserved with the first byte. */
static int
check_method(struct reading *r)
{
	if ((archive_format(r->archive) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP ||
		unpack_zip_is_plain(archive_format_name(r->archive)))
		return 0;
	return err_set(r->err, EINVAL, "the archive cannot be read: %s", UNPACK_ZIP_WORDS);
}

static int
one_entry(struct reading *r)
{
	const char *raw, *why = NULL;
	auto_free char *name = NULL;
	int e = check_single(r);

	if (e == 0)
		e = check_method(r);
	if (e < 0)
		return e;
	if (++r->unpack->n_headers > r->unpack->limits.entries)
		return err_set(r->err, E2BIG,
			"the archive holds more than %zu files and directories",
			r->unpack->limits.entries);
	if (r->unpack->cancelled(r->unpack->data))
		return err_set(r->err, ECANCELED, "cancelled");
	/* So that a terabyte is not read to find out that there is one. */
	if (archive_entry_size_is_set(r->entry) &&
		archive_entry_size(r->entry) > (int64_t)r->unpack->limits.bytes)
		return too_much(r);
	raw = archive_entry_pathname(r->entry);
	if (!raw)
		raw = archive_entry_pathname_utf8(r->entry);
	e = unpack_name(raw ? raw : "\xff", &name, &why);
	if (e == -ENOMEM)
		return err_nomem(r->err);
	if (e == 1)
		return 0;
	return e < 0 ? skip_entry(r, raw ? raw : "?", why) : one_kind(r, name);
}

static int
all_entries(struct reading *r)
{
	int e = 0;

	while (e == 0) {
		int got = archive_read_next_header(r->archive, &r->entry);

		if (got == ARCHIVE_EOF)
			break;
		if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
			return report_broken_archive(r);
		e = one_entry(r);
	}
	if (e == 0)
		e = unpack_set_links(r->unpack, r->err);
	return e;
}

/* -- the archive ------------------------------------------------------------------------------ */

static int
read_as(struct reading *r, int fd, bool plain)
{
	int e = unpack_open(fd, plain, &r->archive, &r->packed, r->err);

	if (e < 0)
		return e;
	e = all_entries(r);
	archive_read_free(r->archive);
	return e;
}

/* Zeros are how a tar ends: a disk image that begins with them looks like one that has
 * nothing in it. */
static int
read_archive(struct unpack *unpack, int fd, const char *single, struct ambit_error *err)
{
	struct reading r = { .unpack = unpack, .single = single, .err = err };
	struct stat st;
	int e;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "the archive");
	unpack->archive_size = (uint64_t)st.st_size;
	e = read_as(&r, fd, false);
	if (e < 0 || unpack->n_headers > 0 || !may_be_single(&r))
		return e;
	return lseek(fd, 0, SEEK_SET) == 0 ? read_as(&r, fd, true)
					   : err_sys(err, errno, "the archive");
}

/* Names come as UTF-8 or as bytes, whatever the program's locale is: libarchive would
 * turn what it cannot say in that one into question marks. */
int
unpack_archive(struct unpack *unpack, int fd, const char *single, struct ambit_error *err)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
	int r;

	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	r = read_archive(unpack, fd, single, err);
	if (utf8 != (locale_t)0) {
		uselocale(before);
		freelocale(utf8);
	}
	return r;
}
