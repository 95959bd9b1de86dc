/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of live sessions, and sockets in it by their names. It is the person's
 * alone, and protected: no command behind a line makes a name there or connects to one.
 * So what lies there is believed to be a door of his, as far as its owner goes. A
 * socket's address has room for 108 bytes; whatever the directory is called, the way
 * there by its descriptor is short. */

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/str.h"
#include "live/live-private.h"
#include "live/live.h"

#define TRIES 16
#define BACKLOG LIVE_CLIENTS_MAX

static int
check_private_dir(int fd, const char *directory, struct ambit_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", directory);
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return err_set(err, EPERM, "%s must be yours, and open to you alone (chmod 700)",
			directory);
	return 0;
}

/* Its parent may be missing, too: nobody else would make ambit's own. */
static int
make_directory(const char *directory)
{
	auto_free char *parent = str_dup(directory);
	char *slash = parent ? strrchr(parent, '/') : NULL;

	if (!slash)
		return -ENOMEM;
	if (mkdir(directory, 0700) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return -errno;
	*slash = '\0';
	if (mkdir(parent, 0700) < 0 && errno != EEXIST)
		return -errno;
	return mkdir(directory, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int
place_open(const char *directory, bool make, int *ret_fd, struct ambit_error *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	auto_close int fd = open(directory, flags);
	int r;

	if (fd < 0 && errno == ENOENT && make) {
		r = make_directory(directory);
		if (r < 0)
			return err_sys(err, -r, "%s", directory);
		fd = open(directory, flags);
	}
	if (fd < 0)
		return err_sys(err, errno, "%s", directory);
	r = check_private_dir(fd, directory, err);
	if (r == 0)
		*ret_fd = steal_fd(&fd);
	return r;
}

static void
address_of(int dir, const char *name, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret_address->sun_path, sizeof(ret_address->sun_path), "/proc/self/fd/%d/%.40s",
		dir, name);
}

/* The process, and something that another of the same number did not have. */
static int
make_name(char ret_name[32])
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char random[6];
	char text[sizeof(random) + 1] = "";

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		return -EAGAIN;
	for (size_t i = 0; i < sizeof(random); i++)
		text[i] = digits[random[i] % 32];
	snprintf(ret_name, 32, "%ld-%s", (long)getpid(), text);
	return 0;
}

/* Who finds the name finds one that listens: it is made beside, with a dot in front. The
 * directory keeps everybody else out, whatever the umask makes of the socket. */
static int
bind_and_listen(int dir, int fd, const char *name)
{
	auto_free char *beside = str_printf(".%s", name);
	struct sockaddr_un address;
	int r = 0;

	if (!beside)
		return -ENOMEM;
	address_of(dir, beside, &address);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	if (listen(fd, BACKLOG) < 0 || renameat(dir, beside, dir, name) < 0) {
		r = -errno;
		unlinkat(dir, beside, 0);
	}
	return r;
}

int
place_listen(int dir, int *ret_fd, char ret_name[32], struct ambit_error *err)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = -EADDRINUSE;

	if (fd < 0)
		return err_sys(err, errno, "socket");
	for (int i = 0; i < TRIES && r == -EADDRINUSE; i++) {
		r = make_name(ret_name);
		if (r == 0)
			r = bind_and_listen(dir, fd, ret_name);
	}
	if (r < 0)
		return err_sys(err, -r, "a socket for live sessions");
	*ret_fd = steal_fd(&fd);
	return 0;
}

int
place_connect(int dir, const char *name, int *ret_fd)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;

	if (fd < 0)
		return -errno;
	address_of(dir, name, &address);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* Held by those who watch all; the lock goes with its holder, however that ends. A command
 * that may read it can hold it, too: then sessions wait a moment longer, or those who watch
 * are not waited for, and that is all. */
static const char attendance[] = "attended";
#define ATTEND_TRIES 20
#define ATTEND_STEP_MS 5

bool
place_attended(int dir)
{
	auto_close int fd = openat(dir, attendance, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

int
live_attend(const char *directory, struct ambit_error *err)
{
	auto_close int dir = -1, fd = -1;
	int r = place_open(directory, true, &dir, err);

	if (r < 0)
		return r;
	fd = openat(dir, attendance, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, "%s/%s", directory, attendance);
	/* A session that just looks has it for a moment, alone. Who has it for longer means no
	 * good, and is not waited for. */
	for (int i = 0; i < ATTEND_TRIES && flock(fd, LOCK_SH | LOCK_NB) < 0; i++)
		poll(NULL, 0, ATTEND_STEP_MS);
	return steal_fd(&fd);
}

bool
place_is_name(const char *name, pid_t *ret_pid)
{
	char *end;
	long pid;

	if (name[0] < '1' || name[0] > '9')
		return false;
	pid = strtol(name, &end, 10);
	if (pid > INT32_MAX || *end != '-' || strlen(end) != 7)
		return false;
	for (const char *at = end + 1; *at; at++)
		if (!(ascii_is_lower(*at) || (*at >= '2' && *at <= '7')))
			return false;
	*ret_pid = (pid_t)pid;
	return true;
}
