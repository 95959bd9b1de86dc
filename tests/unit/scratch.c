/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and removes the temporary directory of a test. Tests leave hostile trees behind:
 * links are never followed, a directory without permissions gets them first, and a path may be
 * longer than the kernel takes. */

#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void
scratch_make(char *ret_path, size_t size)
{
	char made[] = "/tmp/ambit-test-XXXXXX", real[PATH_MAX];

	assert_non_null(mkdtemp(made));
	assert_non_null(realpath(made, real));
	assert_true(strlen(real) < size);
	memcpy(ret_path, real, strlen(real) + 1);
}

static void
remove_at(int parent, const char *name)
{
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (unlinkat(parent, name, 0) == 0)
		return;
	fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	close(fd);
	if (fchmodat(parent, name, 0700, 0) < 0)
		return;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_at(fd, entry->d_name);
	if (dir)
		closedir(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void
scratch_remove(const char *path)
{
	remove_at(AT_FDCWD, path);
}

void
scratch_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

int
scratch_count(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

int
scratch_descriptors(void)
{
	return scratch_count("/proc/self/fd");
}
