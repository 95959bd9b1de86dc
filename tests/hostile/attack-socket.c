/* SPDX-License-Identifier: Apache-2.0 */
/* Races for the file of a unix socket. bind() walks its path by itself, so whoever
 * binds for a program by the program's own text can be led elsewhere by a directory
 * that is exchanged in between; and exchanged again, so that nobody finds the file. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static char first[LENGTH], second[LENGTH + 8]; /* they change places */

static void
exchange_names(const struct world *w, unsigned n)
{
	(void)w;
	(void)n;
	syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
}

static const char *
last_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* In outside, or in the directory of somebody else that lies there. */
static bool
socket_there(const struct world *w)
{
	return access(in(w->outside, last_name(w->own)), F_OK) == 0 ||
	       access(in(in(w->outside, "full"), last_name(w->own)), F_OK) == 0;
}

/* Listens at the first of the two names, again and again. place: the directory that
 * the line has nothing against, and that is cleared for the next try. */
static void
race_bind(const struct world *w, const char *place)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char made[2 * LENGTH], text[2 * LENGTH];

	snprintf(made, sizeof(made), "%s/%s", place, last_name(w->own));
	snprintf(text, sizeof(text), "%s/%s", first, last_name(w->own));
	if (strlen(text) >= sizeof(a.sun_path))
		cannot("the names are too long");
	memcpy(a.sun_path, text, strlen(text));
	race_start(w, exchange_names);
	while (race_going(w, socket_there)) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		(void)!bind(fd, (void *)&a, sizeof(a));
		(void)!listen(fd, 1);
		close(fd);
		unlink(made);
	}
	race_end();
}

/* A link in the folder leads to /tmp, where everybody may make a socket, and then to
 * a directory of another program beneath it. */
static void
race_link_to_scratch(const struct world *w)
{
	snprintf(first, sizeof(first), "sub/d");
	snprintf(second, sizeof(second), "sub/e");
	(void)!symlink("/tmp", first);
	(void)!symlink(w->outside, second);
	race_bind(w, "/tmp");
}

/* The same without a link at first: a directory of one's own in /tmp. */
static void
race_directory_in_scratch(const struct world *w)
{
	snprintf(first, sizeof(first), "%s", w->own);
	snprintf(second, sizeof(second), "%s-e", w->own);
	mkdir(first, 0700);
	(void)!symlink(w->outside, second);
	race_bind(w, first);
	unlink(in(first, last_name(w->own)));
	unlink(in(second, last_name(w->own)));
	if (rmdir(first) < 0)
		unlink(first);
	if (rmdir(second) < 0)
		unlink(second);
}

/* A directory of the folder becomes a link that leads out. */
static void
race_directory(const struct world *w)
{
	snprintf(first, sizeof(first), "sub/d");
	snprintf(second, sizeof(second), "sub/e");
	mkdir(first, 0700);
	(void)!symlink(in(w->outside, "full"), second);
	race_bind(w, first);
}

static const struct attack list[] = {
	{ "socket-race-link-to-scratch", race_link_to_scratch, RACE },
	{ "socket-race-directory-in-scratch", race_directory_in_scratch, RACE },
	{ "socket-race-directory", race_directory, RACE },
};

const struct attacks attacks_socket = { list, COUNT(list) };
