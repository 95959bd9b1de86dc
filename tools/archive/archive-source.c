/* SPDX-License-Identifier: Apache-2.0 */
/* A file's bytes on their way to libarchive, where it has no limit of its own. Both the
 * .xz format and LZMA in a zip name the size of a dictionary, up to 4 GB, that libarchive
 * reserves before a byte is unpacked. So xz is unpacked here, with a limit; and of a zip
 * no header is handed on that would have it done there. What is looked at is what is
 * handed on: the file may change meanwhile. */

#include <archive.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/archive/archive-unpack.h"

#define BLOCK 65536
#define MEMORY_MAX (129u << 20) /* a dictionary of 128 MB, and what goes with it */
#define TOO_LARGE "it asks for more than 128 MB of memory to be unpacked"

static ssize_t
read_some(int fd, void *to, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, to, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

/* -- xz and lzma ---------------------------------------------------------------------------- */

struct packed {
	int fd; /* borrowed */
	lzma_stream stream;
	bool ended;
	uint8_t in[BLOCK], out[BLOCK];
};

static const char *
words_of(lzma_ret r)
{
	switch (r) {
	case LZMA_MEMLIMIT_ERROR:
		return TOO_LARGE;
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_OPTIONS_ERROR:
		return "it is compressed in a way that cannot be read here";
	case LZMA_BUF_ERROR:
		return "it ends too early";
	default:
		return "it is broken";
	}
}

/* Each block of an .xz has a dictionary of its own: the limit holds for all of them. */
static la_ssize_t
read_packed(struct archive *archive, void *data, const void **ret_block)
{
	struct packed *p = data;
	lzma_ret r = LZMA_OK;

	p->stream.next_out = p->out;
	p->stream.avail_out = sizeof(p->out);
	while (!p->ended && p->stream.avail_out == sizeof(p->out)) {
		if (p->stream.avail_in == 0) {
			ssize_t n = read_some(p->fd, p->in, sizeof(p->in));

			if (n < 0) {
				archive_set_error(archive, errno, "%s", strerror(errno));
				return ARCHIVE_FATAL;
			}
			p->stream.next_in = p->in;
			p->stream.avail_in = (size_t)n;
		}
		/* Nothing more to read: what is not whole by now is cut. */
		r = lzma_code(&p->stream, p->stream.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
		p->ended = r == LZMA_STREAM_END;
		if (r != LZMA_OK && r != LZMA_STREAM_END) {
			archive_set_error(archive, EINVAL, "%s", words_of(r));
			return ARCHIVE_FATAL;
		}
	}
	*ret_block = p->out;
	return (la_ssize_t)(sizeof(p->out) - p->stream.avail_out);
}

static int
close_packed(struct archive *archive, void *data)
{
	struct packed *p = data;

	(void)archive;
	lzma_end(&p->stream);
	free(p);
	return ARCHIVE_OK;
}

int
unpack_open_lzma(struct archive *archive, int fd)
{
	struct packed *p = calloc(1, sizeof(*p));

	if (!p)
		return ARCHIVE_FATAL;
	p->fd = fd;
	p->stream = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_auto_decoder(&p->stream, MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK) {
		close_packed(archive, p);
		return ARCHIVE_FATAL;
	}
	return archive_read_open(archive, p, NULL, read_packed, close_packed);
}

/* -- zip ------------------------------------------------------------------------------------ */

#define LOCAL "PK\3\4"
#define METHOD_AT 8
#define METHOD_LZMA 14
#define LOOK (METHOD_AT + 1) /* bytes of a header that are looked at */

struct zip {
	int fd;	    /* borrowed */
	size_t len; /* in block: from where the last seek led */
	char block[LOOK - 1 + BLOCK];
};

/* The target of a link is unpacked with the header, before anybody can ask what it is
 * packed with. A file in the archive with the same bytes in it, a zip in a zip, is
 * refused as well: where the headers are is libarchive's to say. */
static bool
has_lzma(const char *at, size_t len)
{
	const char *end = at + len;

	for (; (at = memmem(at, (size_t)(end - at), LOCAL, strlen(LOCAL))); at++)
		if (end - at >= LOOK && at[METHOD_AT] == METHOD_LZMA)
			return true;
	return false;
}

static la_ssize_t
read_zip(struct archive *archive, void *data, const void **ret_block)
{
	struct zip *z = data;
	size_t kept = z->len < LOOK - 1 ? z->len : LOOK - 1;
	ssize_t n;

	/* A header may begin in one block and end in the next. */
	memmove(z->block, z->block + z->len - kept, kept);
	n = read_some(z->fd, z->block + kept, BLOCK);
	if (n < 0) {
		archive_set_error(archive, errno, "%s", strerror(errno));
		return ARCHIVE_FATAL;
	}
	z->len = kept + (size_t)n;
	if (has_lzma(z->block, z->len)) {
		archive_set_error(archive, EINVAL, "%s", UNPACK_ZIP_WORDS);
		return ARCHIVE_FATAL;
	}
	*ret_block = z->block + kept;
	return n;
}

static la_int64_t
seek_zip(struct archive *archive, void *data, la_int64_t offset, int whence)
{
	struct zip *z = data;
	off_t at = lseek(z->fd, (off_t)offset, whence);

	z->len = 0;
	if (at >= 0)
		return at;
	archive_set_error(archive, errno, "%s", strerror(errno));
	return ARCHIVE_FATAL;
}

static int
close_zip(struct archive *archive, void *data)
{
	(void)archive;
	free(data);
	return ARCHIVE_OK;
}

int
unpack_open_zip(struct archive *archive, int fd)
{
	struct zip *z = calloc(1, sizeof(*z));

	if (!z)
		return ARCHIVE_FATAL;
	z->fd = fd;
	archive_read_set_read_callback(archive, read_zip);
	archive_read_set_seek_callback(archive, seek_zip);
	archive_read_set_close_callback(archive, close_zip);
	archive_read_set_callback_data(archive, z);
	return archive_read_open1(archive);
}

/* libarchive's own name for it, "ZIP 2.0 (deflation)": one that is not known is none of
 * these. */
bool
unpack_zip_is_plain(const char *format)
{
	static const char *const plain[] = { "(uncompressed)", "(deflation)", "(bzip)" };

	for (size_t i = 0; format && i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strstr(format, plain[i]))
			return true;
	return false;
}
