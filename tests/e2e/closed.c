/* SPDX-License-Identifier: Apache-2.0 */
/* closed ACT [FLAGS]: asks the kernel for something that is closed behind ambit.
 *
 *   rights         asks twice whether it can gain rights; prints the answer: 1 for never
 *   unshare FLAGS  asks for namespaces of its own; prints its user and its network namespace
 *   clone FLAGS    the same for a child, or for itself if there is no child */

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void
print_rights(void)
{
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	printf("%d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

static void
print_namespaces(void)
{
	char user[64] = "", net[64] = "";

	(void)!readlink("/proc/self/ns/user", user, sizeof(user) - 1);
	(void)!readlink("/proc/self/ns/net", net, sizeof(net) - 1);
	printf("%s %s\n", user, net);
}

int
main(int argc, char **argv)
{
	const char *act = argc > 1 ? argv[1] : "";
	long flags = argc > 2 ? strtol(argv[2], NULL, 0) : 0;

	if (strcmp(act, "rights") == 0) {
		print_rights();
	} else if (strcmp(act, "unshare") == 0) {
		(void)!unshare((int)flags);
		print_namespaces();
	} else if (strcmp(act, "clone") == 0) {
		long child = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);

		if (child > 0)
			waitpid((pid_t)child, NULL, 0);
		else
			print_namespaces();
	} else {
		return 2;
	}
	fflush(stdout);
	_exit(0); /* no checks at the end, for which a new namespace may lack the rights */
}
