/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever an archive holds, it comes to lie in the directory it is unpacked in, by
 * names that were allowed, as plain files, directories and links that stay inside; and
 * no more of it than the limits say. The input is the archive. The first line of it is
 * taken as a name as well. */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/permit.h"
#include "scope/resolve.h"
#include "tools/archive/archive-unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char top[PATH_MAX]; /* top/in is unpacked in; nothing else may appear */
static int top_fd = -1, in_fd = -1;
static uint64_t bytes;

static bool
may(void *data, const char *name, enum unpack_kind kind, const char *target, char **ret_why)
{
	(void)data;
	(void)kind;
	(void)target;
	*ret_why = NULL;
	return !strstr(name, "forbidden");
}

static struct pass
pass(void *data)
{
	static const char some;

	(void)data;
	return (struct pass){ .engine = (const struct ambit_engine *)(const void *)&some };
}

static bool
cancelled(void *data)
{
	(void)data;
	return false;
}

static int
check_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *inner = path + strlen(top) + strlen("/in");

	(void)type;
	(void)ftw;
	assert(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode));
	assert(!(st->st_mode & 07000));
	assert(!strstr(inner, "forbidden"));
	if (S_ISREG(st->st_mode))
		bytes += (uint64_t)st->st_size;
	if (S_ISLNK(st->st_mode)) {
		auto_close int fd = resolve_open(in_fd, inner + 1, O_PATH, 0, RESOLVE_BENEATH);

		assert(fd != -EXDEV);
	}
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
remove_top(void)
{
	nftw(top, remove_one, 8, FTW_PHYS | FTW_DEPTH);
}

static void
make_top(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(top, sizeof(top), "%s/ambit-fuzz-XXXXXX", tmp ? tmp : "/dev/shm");
	assert(mkdtemp(top));
	atexit(remove_top);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(top_fd >= 0);
}

/* But for what was removed, nothing is there: nothing appeared beside it. */
static void
check_empty(void)
{
	DIR *dir = opendir(top);
	int n = 0;

	assert(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	assert(n == 2);
}

static void
check_name(const uint8_t *data, size_t size)
{
	size_t n = 0;
	auto_free char *raw = NULL, *name = NULL;
	const char *why = NULL;
	int r;

	while (n < size && data[n] != '\n' && data[n] != '\0')
		n++;
	raw = strndup((const char *)data, n);
	assert(raw);
	r = unpack_name(raw, &name, &why);
	assert(r == 0 || r == 1 || (r == -EINVAL && why));
	if (r != 0)
		return;
	assert(name[0] && name[0] != '/' && name[strlen(name) - 1] != '/');
	assert(!strstr(name, "//") && !str_prefix(name, "../") && !strstr(name, "/../"));
	assert(!streq(name, "..") && !streq(name, "."));
}

static void
check_archive(int fd)
{
	struct ambit_error err = { 0 };
	struct unpack unpack;
	char path[PATH_MAX + 8];
	int r;

	assert(mkdirat(top_fd, "in", 0755) == 0);
	in_fd = openat(top_fd, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(in_fd >= 0);
	unpack_init(&unpack);
	unpack.limits = (struct unpack_limits){
		.entries = 40,
		.bytes = 1 << 20,
		.ratio = 200,
		.ratio_from = 1 << 18,
	};
	unpack.dir = in_fd;
	unpack.may = may;
	unpack.pass = pass;
	unpack.cancelled = cancelled;
	r = unpack_archive(&unpack, fd, "single", &err);
	assert(r <= 0 && (r == 0 || err.text[0]));
	assert(unpack.n_rows <= 40 && unpack.bytes <= 1 << 20);
	snprintf(path, sizeof(path), "%s/in", top);
	bytes = 0;
	assert(nftw(path, check_one, 8, FTW_PHYS) == 0);
	assert(bytes <= 1 << 20);
	nftw(path, remove_one, 8, FTW_PHYS | FTW_DEPTH);
	check_empty();
	unpack_finish(&unpack);
	close(in_fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("archive", MFD_CLOEXEC);

	if (top_fd < 0)
		make_top();
	check_name(data, size);
	assert(fd >= 0);
	if (fd_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return 0;
	check_archive(fd);
	return 0;
}
