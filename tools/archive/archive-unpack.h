/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ARCHIVE_ARCHIVE_UNPACK_H
#define TOOLS_ARCHIVE_ARCHIVE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/engine.h>

#include "base/err.h"
#include "base/map.h"
#include "perform/permit.h"

/* An archive into a directory of our own: whatever is in it, nothing leaves that
 * directory. Entries that would, or that nobody decided about, are left out and
 * listed. From there unpack_merge puts all of it where it shall be. */

struct unpack_limits {
	size_t entries;	     /* and directories that no entry names */
	uint64_t bytes;	     /* of all files */
	uint64_t ratio;	     /* so many times the archive's size ... */
	uint64_t ratio_from; /* ... once it is this much */
};

enum unpack_kind {
	UNPACK_FILE = 0,
	UNPACK_DIR,
	UNPACK_LINK,
};

struct hand_law;

struct unpack_row {
	char *name;    /* relative, no "." or ".." in it */
	char *target;  /* of a link */
	size_t parent; /* row of its directory; SIZE_MAX: the top */
	enum unpack_kind kind;
	bool gone;  /* not there after all */
	bool moved; /* its place is the last one already */
};

struct unpack_left {
	char *name; /* escaped */
	char *why;
};
#define UNPACK_LEFT_MAX 100 /* kept; the rest is counted */

struct unpack {
	/* Filled in by the one who unpacks. */
	struct unpack_limits limits;
	int dir; /* an empty directory of our own */
	/* Whether something of this name may be made. What it says no to is left out;
	 * *ret_why (caller frees) says why, or is NULL without memory. */
	/* target: the text of a link, or NULL. */
	bool (*may)(void *data, const char *name, enum unpack_kind kind, const char *target,
		char **ret_why);
	struct pass (*pass)(void *data);
	bool (*cancelled)(void *data);
	void (*progress)(void *data, uint64_t bytes); /* or NULL */
	void *data;

	/* What came of it. */
	struct unpack_row *rows; /* directories before what is in them */
	size_t n_rows, rows_size;
	struct map by_name; /* size_t: which row */
	struct unpack_left *left;
	size_t n_left, n_left_all;
	size_t n_headers;
	uint64_t bytes;	       /* written, or read and left out */
	uint64_t archive_size; /* as it lies there */
	/* The directory that was worked in last. */
	int parent;
	char *parent_name;
};

/* parent = -1, and what else is not zero. */
void unpack_init(struct unpack *unpack);
void unpack_finish(struct unpack *unpack);

/* The archive behind fd. single: how the content of a compressed file is called that
 * is no archive; NULL: there is none such. -EINVAL: broken, encrypted or no archive;
 * -EFBIG, -E2BIG: past a limit; -ECANCELED; with words. */
int unpack_archive(struct unpack *unpack, int fd, const char *single, struct ambit_error *err);

/* Moves all rows into dst. -EEXIST with *ret_there (may be set otherwise; caller
 * frees): what is in the way; then nothing was moved. With overwrite files replace
 * files. each is told of every file that is replaced. */
int unpack_merge(struct unpack *unpack, const struct hand_law *law, int dst, const char *dst_real,
	bool overwrite, void (*each)(void *data, const char *name), char **ret_there,
	struct ambit_error *err);

size_t unpack_count(const struct unpack *unpack, enum unpack_kind kind);

/* -- what reads it (archive-open.c) ------------------------------------------------------- */

struct archive;

/* libarchive's reader for the file behind fd, which has to stay open; to be freed with
 * archive_read_free. plain: what was compressed is a file, whatever it looks like.
 * *ret_packed: all of it is compressed. -EINVAL, with words: it is nothing that can be
 * read here. */
int unpack_open(int fd, bool plain, struct archive **ret_archive, bool *ret_packed,
	struct ambit_error *err);
/* -EINVAL, with libarchive's words. */
int unpack_broken(struct archive *archive, struct ambit_error *err);

/* -- where it reads from (archive-source.c) ----------------------------------------------- */

#define UNPACK_ZIP_WORDS                                                                           \
	"of a zip, what is stored, deflated or compressed with bzip2 is unpacked; other ways "     \
	"may ask for gigabytes of memory"

/* Each opens it, and returns as archive_read_open. */
int unpack_open_lzma(struct archive *archive, int fd);
int unpack_open_zip(struct archive *archive, int fd);
/* Whether an entry is compressed in a way that needs little memory. format: what
 * archive_format_name says with the entry. */
bool unpack_zip_is_plain(const char *format);

/* -- names (archive-name.c) ------------------------------------------------------------ */

/* The name without what says nothing in it. 0; 1: it is the top itself; -EINVAL with a
 * static *ret_why: it may not be used; -ENOMEM. */
int unpack_name(const char *raw, char **ret_name, const char **ret_why);
/* What is wrong with a symlink of this name, or NULL. Static. */
const char *unpack_target_fault(const char *name, const char *target);

/* -- rows (archive-rows.c) -------------------------------------------------------------- */

struct unpack_row *unpack_find(const struct unpack *unpack, const char *name);
/* Takes name, also when it fails. -ENOMEM; -E2BIG with words: too many. */
int unpack_add(struct unpack *unpack, char *name, enum unpack_kind kind, size_t parent,
	struct unpack_row **ret_row, struct ambit_error *err);
/* Notes what is left out. */
void unpack_leave(struct unpack *unpack, const char *name, const char *why);

/* -- beneath a directory (archive-stage.c) ------------------------------------------------ */

/* O_PATH of a directory beneath dir, "" being itself: no symlink on the way. -errno. */
int unpack_open_dir(int dir, const char *name);
/* The directory that name lies in, held until the next one is asked for; *ret_base is
 * the last component. -errno. */
int unpack_open_parent(struct unpack *unpack, const char *name, const char **ret_base);
/* A row for a new file (with its directories made) and an empty file for it. 1: left
 * out, and said so. -errno with words. */
int unpack_make_file(struct unpack *unpack, const char *name, int *ret_fd, struct ambit_error *err);
int unpack_make_dir(struct unpack *unpack, const char *name, struct ambit_error *err);
/* Links are made at the end: nothing is written through one. */
int unpack_make_link(
	struct unpack *unpack, const char *name, const char *target, struct ambit_error *err);
int unpack_set_links(struct unpack *unpack, struct ambit_error *err);

#endif
