/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a socket open, as /proc shows it. The processes are the person's and may end or change
 * while they are looked at: the answer is for words in a question. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/command-name.h"
#include "base/fd.h"
#include "base/str.h"
#include "line/process/descriptors.h"
#include "line/process/socket-holder.h"
#include "line/process/tree.h"

#define DESCRIPTORS_MAX 16384

static bool
is_wanted(void *data, const char *fd, const char *file)
{
	(void)fd;
	return streq(file, data);
}

pid_t
socket_holder(uint32_t inode)
{
	DIR *dir = opendir("/proc");
	int left = DESCRIPTORS_MAX;
	const struct dirent *entry;
	pid_t found = 0;
	char name[32];

	snprintf(name, sizeof(name), "socket:[%u]", (unsigned)inode);
	while (dir && found == 0 && left > 0 && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		auto_close int process = pid > 0 ? descriptors_open_process(pid) : -1;

		if (process >= 0 && descriptors_search(process, is_wanted, name, &left))
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

bool
socket_holder_is_same(pid_t a, pid_t b)
{
	auto_close int one = descriptors_open_process(a), other = descriptors_open_process(b);
	struct command_name name, other_name;
	struct stat x, y;

	if (one < 0 || other < 0 || fstatat(one, "exe", &x, 0) < 0 ||
		fstatat(other, "exe", &y, 0) < 0 || x.st_dev != y.st_dev || x.st_ino != y.st_ino)
		return false;
	tree_program(a, &name);
	tree_program(b, &other_name);
	return streq(name.script, other_name.script);
}
