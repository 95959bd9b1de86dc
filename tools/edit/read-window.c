/* SPDX-License-Identifier: Apache-2.0 */
/* A file, into the lines that were asked for. It is read in pieces, and of a line no
 * more is kept than is shown, so that neither a file of many gigabytes nor one that is
 * a single line costs memory. Holes are stepped over. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "tools/edit/read-window.h"

#define CHUNK 65536
/* Past the window lines are only counted: so far, and no further. */
#define COUNT_MAX ((off_t)64 << 20)

struct reading {
	struct window *w;
	struct buf line; /* what is shown of the one that is read now */
	size_t chars;	 /* in it */
	off_t bytes;	 /* of all of it */
	long long number;
	char last; /* byte that was read */
	bool full; /* the window is closed */
};

void
window_finish(struct window *window)
{
	buf_finish(&window->text);
}

static bool
in_window(const struct reading *r)
{
	return !r->full && r->number >= r->w->first;
}

static void
end_line(struct reading *r, bool newline)
{
	struct window *w = r->w;
	bool crlf = newline && r->bytes > 0 && r->last == '\r';

	w->crlf += crlf;
	if (in_window(r)) {
		size_t len = r->line.len;

		if (crlf && (off_t)len == r->bytes)
			len--;
		if (w->lines == w->limit || (w->lines > 0 && w->text.len + len > w->max)) {
			r->full = true;
			w->more = true;
		} else {
			buf_printf(&w->text, "%6lld\t", r->number);
			buf_append(&w->text, r->line.data ? r->line.data : "", len);
			if ((off_t)r->line.len < r->bytes) {
				buf_printf(&w->text, " ... [line cut: %lld bytes in all]",
					(long long)r->bytes);
				w->cut++;
			}
			buf_putc(&w->text, '\n');
			w->lines++;
		}
	}
	r->line.len = 0;
	r->chars = 0;
	r->bytes = 0;
	r->number++;
}

/* A piece of a line. */
static void
add_line_piece(struct reading *r, const char *data, size_t len)
{
	size_t n = 0;

	if (len == 0)
		return;
	/* A continuation byte is of the character before it. */
	while (in_window(r) && n < len) {
		if (((unsigned char)data[n] & 0xc0) != 0x80) {
			if (r->chars == WINDOW_LINE_MAX)
				break;
			r->chars++;
		} else if (r->line.len + n > 4 * (size_t)WINDOW_LINE_MAX) {
			break; /* no text at all */
		}
		n++;
	}
	/* Once cut, nothing is added. */
	if ((off_t)r->line.len == r->bytes)
		buf_append(&r->line, data, n);
	r->bytes += (off_t)len;
	r->last = data[len - 1];
}

static void
add_read_chunk(struct reading *r, const char *data, size_t len)
{
	while (len > 0) {
		const char *lf = memchr(data, '\n', len);
		size_t n = lf ? (size_t)(lf - data) : len;

		add_line_piece(r, data, n);
		if (!lf)
			return;
		end_line(r, true);
		r->last = '\n';
		data += n + 1;
		len -= n + 1;
	}
}

/* A hole is zeros, and no line ends in it. What is read of it is as much as shows. */
static off_t
skip_hole(struct reading *r, int fd, off_t at, off_t size)
{
	off_t data = lseek(fd, at, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		data = size;
	if (data <= at + CHUNK)
		return at;
	r->bytes += data - at;
	r->last = '\0';
	return data;
}

static int
read_file_chunks(struct reading *r, int fd, off_t size)
{
	auto_free char *chunk = malloc(CHUNK);
	off_t at = 0, closed = 0;

	if (!chunk)
		return -ENOMEM;
	for (;;) {
		ssize_t n;

		if (r->w->cancelled && r->w->cancelled(r->w->data))
			return -ECANCELED;
		at = skip_hole(r, fd, at, size);
		n = pread(fd, chunk, CHUNK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if (at == 0 && n >= 3 && memcmp(chunk, "\xef\xbb\xbf", 3) == 0) {
			r->w->bom = true;
			add_read_chunk(r, chunk + 3, (size_t)n - 3);
		} else {
			add_read_chunk(r, chunk, (size_t)n);
		}
		at += n;
		closed += r->full ? n : 0;
		if (closed > COUNT_MAX)
			return 1;
	}
}

int
window_read(struct window *window, int fd)
{
	struct reading r = { .w = window, .number = 1 };
	/* What has no end to seek to, in /proc, has no holes either. */
	off_t size = lseek(fd, 0, SEEK_END);
	int e = read_file_chunks(&r, fd, size < 0 ? 0 : size);

	if (e == 0 && r.bytes > 0) {
		window->open_end = true;
		end_line(&r, false);
	}
	window->total = e == 0 ? r.number - 1 : -1;
	if (e >= 0 && (r.line.failed || window->text.failed))
		e = -ENOMEM;
	buf_finish(&r.line);
	return e < 0 ? e : 0;
}

/* -- what is no text --------------------------------------------------------------------- */

struct magic {
	const char *begin;
	size_t len;
	const char *text;
};

#define MAGIC(bytes, text)                                                                         \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, text                                                     \
	}

static const struct magic magics[] = {
	MAGIC("\x89PNG\r\n\x1a\n", "a PNG image"),
	MAGIC("\xff\xd8\xff", "a JPEG image"),
	MAGIC("GIF8", "a GIF image"),
	MAGIC("%PDF-", "a PDF document"),
	MAGIC("\x7f"
	      "ELF",
		"an ELF program or library"),
	MAGIC("PK\x03\x04", "a zip archive (or a document of that kind)"),
	MAGIC("\x1f\x8b", "gzip data"),
	MAGIC("BZh", "bzip2 data"),
	MAGIC("\xfd"
	      "7zXZ",
		"xz data"),
	MAGIC("\x28\xb5\x2f\xfd", "zstd data"),
	MAGIC("7z\xbc\xaf", "a 7z archive"),
	MAGIC("SQLite format 3", "an SQLite database"),
	MAGIC("\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
	MAGIC("\xcf\xfa\xed\xfe", "a Mach-O program"),
	MAGIC("MZ", "a Windows program"),
	MAGIC("RIFF", "RIFF data (WebP, WAV, AVI)"),
	MAGIC("OggS", "Ogg audio or video"),
	MAGIC("ID3", "an MP3 file"),
	MAGIC("wOF", "a web font"),
	MAGIC("\0asm", "WebAssembly"),
	MAGIC("!<arch>\n", "a static library"),
	MAGIC("\xff\xfe", "UTF-16 text"),
	MAGIC("\xfe\xff", "UTF-16 text"),
};

const char *
window_binary(const char *data, size_t len)
{
	bool zero = len > 0 && memchr(data, '\0', len);
	size_t odd = 0;

	for (size_t i = 0; i < len; i++)
		odd += (unsigned char)data[i] < 0x20 && !strchr("\t\n\r\f\b\x1b", data[i]);
	/* Text may begin with any letters; what has zeros or is full of control bytes is
	 * none, whatever it begins with. */
	if (!zero && odd * 10 <= len && !(len >= 5 && memcmp(data, "%PDF-", 5) == 0))
		return NULL;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (len >= magics[i].len && memcmp(data, magics[i].begin, magics[i].len) == 0)
			return magics[i].text;
	return "data of an unknown kind";
}
