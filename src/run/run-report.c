/* SPDX-License-Identifier: Apache-2.0 */
/* --report FILE: the result as JSON, whole or not at all. The file may lie in
 * the folder, where the command can put a link, a directory or another file in
 * its place while it runs; so the directory is opened before, and what lies
 * under the name is replaced, never followed. */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/out.h"
#include "run-command.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

/* Devices and descriptors of ambit's own cannot be replaced, only written. */
static bool
is_device(const char *path)
{
	return (str_prefix(path, "/dev/") && !str_prefix(path, "/dev/shm/")) ||
	       str_prefix(path, "/proc/");
}

static int
open_dir(struct run_report *report, const char *path, struct ambit_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	auto_free char *dir = slash == NULL   ? str_dup(".")
			      : slash == path ? str_dup("/")
					      : strndup(path, (size_t)(slash - path));
	struct stat st;

	report->name = str_dup(name);
	if (dir == NULL || report->name == NULL)
		return err_nomem(err);
	report->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (report->dir < 0 || faccessat(report->dir, ".", W_OK, AT_EACCESS) < 0)
		return err_sys(err, errno, "--report: %s", dir);
	if (fstatat(report->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode) &&
		!S_ISLNK(st.st_mode))
		return err_set(err, EINVAL, "--report: %s is no regular file", path);
	return 0;
}

int
run_report_open(struct run_report *report, const char *path, struct ambit_error *err)
{
	int64_t number;

	if (path[0] == '\0' || path[strlen(path) - 1] == '/')
		return usage(err, "--report: '%s' is not the name of a file", path);
	if (!is_device(path))
		return open_dir(report, path, err);
	/* One of ours is taken as it is: to open it anew may need more rights. */
	if (str_prefix(path, "/dev/fd/") &&
		when_number(path + strlen("/dev/fd/"), INT_MAX, &number) == 0)
		report->fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
	else
		report->fd = open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
	return report->fd >= 0 ? 0 : err_sys(err, errno, "--report: %s", path);
}

static int
replace_report(const struct run_report *report, const char *line, struct ambit_error *err)
{
	auto_free char *temp = str_printf(".ambit-report.%ld", (long)getpid());
	auto_close int fd = -1;
	int r;

	if (temp == NULL)
		return err_nomem(err);
	fd = openat(report->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, "--report: %s", report->name);
	r = fd_write_all(fd, line, strlen(line));
	if (r == 0 && renameat(report->dir, temp, report->dir, report->name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(report->dir, temp, 0);
	return r < 0 ? err_sys(err, -r, "--report: %s", report->name) : 0;
}

int
run_report_write(struct run_report *report, const struct run *run,
	const struct ambit_run_result *result, struct ambit_error *err)
{
	auto_free char *json = NULL;

	if (report->fd < 0 && report->dir < 0)
		return 0;
	json = ambit_run_result_json(result, ambit_engine_session(run->world.engine), run->argv);
	return json != NULL ? run_report_put(report, json, err) : err_nomem(err);
}

int
run_report_put(struct run_report *report, const char *json, struct ambit_error *err)
{
	auto_free char *line = NULL;
	int r;

	if (report->fd < 0 && report->dir < 0)
		return 0;
	line = str_printf("%s\n", json);
	if (line == NULL)
		return err_nomem(err);
	if (report->fd < 0)
		return replace_report(report, line, err);
	r = fd_write_all(report->fd, line, strlen(line));
	return r < 0 ? err_sys(err, -r, "--report") : 0;
}

void
run_report_finish(struct run_report *report)
{
	fd_close_at(&report->fd);
	fd_close_at(&report->dir);
	free(report->name);
}
