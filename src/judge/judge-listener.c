/* SPDX-License-Identifier: Apache-2.0 */
/* Who listens at a port of this machine. A command behind the line may listen where it
 * likes, and would be its own judge at a port that the real one has left. It has the
 * user of the one who started it, and no_new_privs, which is never taken off again: so
 * whoever listens must be another user, or must not have that. What cannot be seen is
 * taken for the worst. */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge-door.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

#define LISTEN_STATE 0x0a

/* Whether a process has this socket open: one of its descriptors leads to it. */
static bool
has_socket(const char *pid, const char *socket)
{
	auto_free char *path = str_printf("/proc/%s/fd", pid);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)) != NULL) {
		char target[64];
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = streq(target, socket);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool
is_free(const char *pid)
{
	auto_free char *path = str_printf("/proc/%s/status", pid);
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[256];
	bool clear = false;

	while (file && !clear && fgets(line, sizeof(line), file))
		clear = streq(line, "NoNewPrivs:\t0\n");
	if (file)
		fclose(file);
	return clear;
}

/* Each process that has it, and there must be one. */
static bool
is_trusted(unsigned long inode)
{
	auto_free char *socket = str_printf("socket:[%lu]", inode);
	DIR *proc = socket ? opendir("/proc") : NULL;
	size_t holders = 0, bound = 0;
	struct dirent *entry;

	while (proc && (entry = readdir(proc)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			has_socket(entry->d_name, socket)) {
			holders++;
			bound += !is_free(entry->d_name);
		}
	if (proc)
		closedir(proc);
	return holders > 0 && bound == 0;
}

/* One row: "  0: 0100007F:2CAA 00000000:0000 0A ... uid timeout inode ...". 1: somebody
 * who is trusted listens at port; 0: it is not about that; -EPERM. */
static int
check_row(const char *row, int port)
{
	unsigned local = 0, state = 0, uid = 0;
	unsigned long inode = 0;

	if (sscanf(row, " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %u %*u %lu",
		    &local, &state, &uid, &inode) != 4 ||
		state != LISTEN_STATE || local != (unsigned)port)
		return 0;
	return uid != getuid() || is_trusted(inode) ? 1 : -EPERM;
}

int
listener_check(int port, struct ambit_error *err)
{
	static const char *const tables[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	int found = 0, r = 0;
	char row[512];

	for (size_t i = 0; r >= 0 && i < 2; i++) {
		FILE *file = fopen(tables[i], "re");

		while (r >= 0 && file && fgets(row, sizeof(row), file)) {
			r = check_row(row, port);
			found += r > 0;
		}
		if (file)
			fclose(file);
	}
	if (r < 0)
		return err_set(
			err, EPERM, "whoever listens at port %d may be one of those who ask", port);
	return found > 0 ? 0 : err_set(err, ENOENT, "nobody listens at port %d", port);
}
