/* SPDX-License-Identifier: Apache-2.0 */
/* redirect PLACE LINK DIR...: when the first name in one of the DIRs goes, PLACE and LINK
 * exchange their names. So whoever empties the DIRs by path is led to what LINK leads to. Says
 * "ready" when it watches, and "swapped" when it has done it; waits for the first event as long
 * as its parent lives. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	char events[1 << 12] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc < 4 || fd < 0)
		return 2;
	for (int i = 3; i < argc; i++)
		if (inotify_add_watch(fd, argv[i], IN_DELETE) < 0)
			return 2;
	puts("ready");
	fflush(stdout);
	if (read(fd, events, sizeof(events)) <= 0)
		return 1;
	if (syscall(SYS_renameat2, AT_FDCWD, argv[1], AT_FDCWD, argv[2], 1 << 1) < 0) {
		perror("renameat2");
		return 1;
	}
	puts("swapped");
	return 0;
}
