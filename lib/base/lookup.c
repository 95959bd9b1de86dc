/* SPDX-License-Identifier: Apache-2.0 */
/* A command's name to its file, as a shell does it. Nothing is decided here:
 * what the file may do is bounded whichever it is. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "base/lookup.h"

/* What is searched where there is no PATH at all. */
#define FALLBACK_PATH "/usr/local/bin:/usr/bin:/bin"

/* 0: an executable file; else why not. */
static int
check_executable(const char *file)
{
	struct stat st;

	if (stat(file, &st) < 0)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) < 0 ? -EACCES : 0;
}

/* dir may be "" (the cwd) or relative to it. */
static char *
join_program_path(const char *cwd, const char *dir, size_t len, const char *name)
{
	if (len > 0 && dir[0] == '/')
		return str_printf("%.*s/%s", (int)len, dir, name);
	return str_printf("%s/%.*s%s%s", cwd, (int)len, dir, len > 0 ? "/" : "", name);
}

int
lookup_program(const char *name, const char *path, const char *cwd, char **ret_program)
{
	int why = -ENOENT;

	if (strchr(name, '/')) {
		auto_free char *file =
			name[0] == '/' ? strdup(name) : join_program_path(cwd, "", 0, name);

		if (!file)
			return -ENOMEM;
		why = check_executable(file);
		if (why == 0)
			*ret_program = steal_ptr(&file);
		return why;
	}
	if (!*name)
		return -ENOENT;
	for (const char *at = path ? path : FALLBACK_PATH;; at++) {
		size_t len = strcspn(at, ":");
		auto_free char *file = join_program_path(cwd, at, len, name);
		int r = file ? check_executable(file) : -ENOMEM;

		if (r == 0) {
			*ret_program = steal_ptr(&file);
			return 0;
		}
		if (r == -ENOMEM)
			return r;
		if (r == -EACCES)
			why = r;
		at += len;
		if (!*at)
			return why;
	}
}
