/* SPDX-License-Identifier: Apache-2.0 */
/* --socket into a socket that listens. A harness trusts whatever has that name, so it is
 * made 0600 where nobody else and no command of the session's can put another in its
 * place. Only what a server of the same user left behind is replaced; two that start at
 * once are kept apart by a lock on the directory, which no crash leaves behind. */

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"

#define LOCK_TRIES 100
#define LOCK_STEP_MS 20

/* -- where --------------------------------------------------------------------------- */

static int
check_place(void *data, const char *path, bool spine)
{
	(void)spine;
	return str_beneath(data, path) ? 1 : 0;
}

static int
check_writable(const struct doorway *doorway, const struct toolbox *box, struct ambit_error *err)
{
	const char *root = ambit_scope_root(box->world.scope);
	int r = str_beneath(doorway->path, root)
			? 1
			: engine_writable(box->world.engine, check_place, doorway->path);

	if (r < 0)
		return err_sys(err, -r, "what can be written");
	if (r == 0)
		return 0;
	return err_set(err, EPERM,
		"--socket: %s lies where commands of this session can write: they could put "
		"another in its place; choose a directory outside",
		doorway->path);
}

/* The real directory, so that what was checked is where it is made. ambit's own is made
 * if it is not there: nobody else would. */
static int
find_path(struct doorway *doorway, const char *own, const char *given, struct ambit_error *err)
{
	auto_free char *absolute = str_absolute(given);
	char *slash = absolute != NULL ? strrchr(absolute, '/') : NULL;
	auto_free char *dir = NULL;

	if (slash == NULL || slash[1] == '\0' || streq(slash, "/.") || streq(slash, "/.."))
		return err_set(err, EINVAL, "--socket: '%s' is not the name of a file", given);
	*slash = '\0';
	if (own != NULL && streq(absolute, own) && mkdir(own, 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "--socket: %s", own);
	dir = realpath(slash == absolute ? "/" : absolute, NULL);
	if (dir == NULL)
		return err_sys(err, errno, "--socket: %s", absolute);
	doorway->path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, slash + 1);
	return doorway->path != NULL ? 0 : err_nomem(err);
}

/* -- the name ------------------------------------------------------------------------ */

static int
make_address(const char *path, struct sockaddr_un *address, struct ambit_error *err)
{
	size_t len = strlen(path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (len >= sizeof(address->sun_path))
		return err_set(err, ENAMETOOLONG,
			"--socket: %s is longer than %zu bytes: choose a shorter one", path,
			sizeof(address->sun_path) - 1);
	memcpy(address->sun_path, path, len + 1);
	return 0;
}

/* Until the descriptor is closed. Whoever can read the directory can hold it up, so it
 * is not waited for without end. */
static int
lock_directory(const char *path, int *ret_fd, struct ambit_error *err)
{
	auto_free char *dir = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	auto_close int fd = dir != NULL ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return dir == NULL ? err_nomem(err) : err_sys(err, errno, "--socket: %s", dir);
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(err, errno, "--socket: %s", dir);
		if (i == LOCK_TRIES)
			return err_set(err, EBUSY,
				"--socket: %s is locked by another program: try again", dir);
		poll(NULL, 0, LOCK_STEP_MS);
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* With the lock: whoever made it has come to listen, or is gone. */
static bool
is_listened_to(const struct sockaddr_un *address)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
	       errno != ECONNREFUSED;
}

/* With the lock. What is there is removed if nobody can miss it. */
static int
remove_stale_socket(int dir, const struct sockaddr_un *address, struct ambit_error *err)
{
	const char *path = address->sun_path, *name = strrchr(path, '/') + 1;
	struct stat st;
	int r;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "--socket: %s", path);
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, EADDRINUSE,
			"--socket: there is something at %s that is no socket of yours: remove it, "
			"or choose another name",
			path);
	if (is_listened_to(address))
		return err_set(err, EADDRINUSE,
			"--socket: a server listens at %s already: end it, or choose another name",
			path);
	r = run_trust(path, err);
	if (r < 0)
		return err_context(err, "--socket");
	return unlinkat(dir, name, 0) < 0 ? err_sys(err, errno, "--socket: %s", path) : 0;
}

static int
bind_address(struct doorway *doorway, const struct sockaddr_un *address, struct ambit_error *err)
{
	struct stat st;
	mode_t mask;
	int r;

	doorway->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (doorway->fd < 0)
		return err_sys(err, errno, "socket");
	/* No other thread is there yet that this could surprise. */
	mask = umask(0177);
	r = bind(doorway->fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
	umask(mask);
	if (r < 0)
		return err_sys(err, -r, "--socket: %s", doorway->path);
	if (lstat(doorway->path, &st) == 0) {
		doorway->dev = st.st_dev;
		doorway->ino = st.st_ino;
	}
	/* Nobody can connect before listen: until here it is only a name. */
	r = run_trust(doorway->path, err);
	if (r < 0)
		return err_context(err, "--socket");
	return listen(doorway->fd, SERVE_CLIENTS_MAX) < 0 ? err_sys(err, errno, "listen") : 0;
}

int
doorway_open(struct doorway *doorway, const struct toolbox *box, const char *given,
	struct ambit_error *err)
{
	struct sockaddr_un address;
	auto_close int lock = -1;
	int r;

	*doorway = (struct doorway){ .fd = -1, .dir = -1 };
	r = find_path(doorway, box->world.place.runtime, given, err);
	if (r == 0)
		r = check_writable(doorway, box, err);
	if (r == 0)
		r = make_address(doorway->path, &address, err);
	if (r == 0)
		r = lock_directory(doorway->path, &lock, err);
	if (r == 0) {
		/* Not a copy of the lock's descriptor: that would keep the lock. */
		doorway->dir = openat(lock, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = doorway->dir < 0 ? err_sys(err, errno, "--socket: %s", doorway->path)
				     : remove_stale_socket(doorway->dir, &address, err);
	}
	if (r == 0)
		r = bind_address(doorway, &address, err);
	return r;
}

void
doorway_close(struct doorway *doorway)
{
	const char *name = doorway->path ? strrchr(doorway->path, '/') + 1 : "";
	struct stat st;

	/* Not what somebody else has put there since. */
	if (doorway->ino != 0 && fstatat(doorway->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_dev == doorway->dev && st.st_ino == doorway->ino)
		unlinkat(doorway->dir, name, 0);
	fd_close_at(&doorway->fd);
	fd_close_at(&doorway->dir);
	free(doorway->path);
}
