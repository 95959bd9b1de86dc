/* SPDX-License-Identifier: Apache-2.0 */
/* swap DIR AWAY TARGET: whatever is made in DIR, or moved there, and has a name that begins
 * with "ambit-" is moved to AWAY at once, and a link to TARGET put in its place; until it is
 * killed, or who started it is gone. Says how often. */

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <unistd.h>

static void
swap(char **argv, const char *name, unsigned *n)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(from, sizeof(from), "%s/%s", argv[1], name);
	snprintf(to, sizeof(to), "%s/%s", argv[2], name);
	if (rename(from, to) == 0 && symlink(argv[3], from) == 0) {
		printf("%u\n", ++*n);
		fflush(stdout);
	}
}

int
main(int argc, char **argv)
{
	char events[1 << 16] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_NONBLOCK);
	unsigned n = 0;
	ssize_t len;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc != 4 || fd < 0 || inotify_add_watch(fd, argv[1], IN_CREATE | IN_MOVED_TO) < 0)
		return 2;
	puts("0");
	fflush(stdout);
	/* Not blocked in a read: the moment between two calls of the other's is short. */
	for (;;) {
		len = read(fd, events, sizeof(events));
		for (ssize_t at = 0; at < len;) {
			const struct inotify_event *event = (const void *)(events + at);

			if (event->len > 0 && strncmp(event->name, "ambit-", 6) == 0)
				swap(argv, event->name, &n);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
}
