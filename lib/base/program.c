/* SPDX-License-Identifier: Apache-2.0 */
/* Helper programs: the policy program and the approver program. They are the
 * person's own, but a hanging, chatty or crashing one must cost no more than
 * its timeout: everything is bounded, and every odd ending is an error. */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/program.h"

static int64_t
clock_ms(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
clock_now(void)
{
	return clock_ms(CLOCK_REALTIME);
}

int64_t
clock_steady(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

int64_t
clock_of_files(void)
{
	return clock_ms(CLOCK_REALTIME_COARSE);
}

int64_t
clock_coarse(void)
{
	return clock_ms(CLOCK_MONOTONIC_COARSE);
}

int
run_resolve(const char *name, char **ret_path, struct ambit_error *err)
{
	struct stat st;

	if (name[0] != '/')
		return err_set(err, EINVAL, "'%s' is not an absolute path", name);
	auto_free char *path = realpath(name, NULL);

	if (!path)
		return err_sys(err, errno, "%s", name);
	if (stat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return err_set(err, EACCES, "%s is not a program that can be run", path);
	*ret_path = steal_ptr(&path);
	return 0;
}

/* lstat: a real path has no links in it, so one that is there now was put there
 * since. */
static int
check_owner(const char *path, mode_t forgive, struct ambit_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (S_ISLNK(st.st_mode))
		return err_set(err, EPERM, "%s is a link now: not to be trusted", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(err, EPERM, "%s belongs to another user (%ld): not to be trusted",
			path, (long)st.st_uid);
	if (!(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & forgive))
		return 0;
	return err_set(err, EPERM, "%s can be changed by others (mode %04o): not to be trusted",
		path, (unsigned)(st.st_mode & 07777));
}

/* Whoever can write a directory above can put another program in place.
 * Sticky is enough higher up, where what matters is that the next directory
 * cannot be renamed away; beside the program itself, anybody could lay a module
 * that it loads. */
int
run_trust(const char *real, struct ambit_error *err)
{
	auto_free char *dir = strdup(real);
	mode_t forgive = 0;
	char *slash;
	int r;

	if (!dir)
		return err_nomem(err);
	if (real[0] != '/')
		return err_set(err, EINVAL, "'%s' is not an absolute path", real);
	r = check_owner(real, 0, err);
	while (r == 0 && (slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		r = check_owner(slash == dir ? "/" : dir, forgive, err);
		forgive = S_ISVTX;
	}
	return r;
}

static int
spawn_program(char *const argv[], char *const envp[], int in, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, defaults;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = posix_spawn(ret_pid, argv[0], &actions, &attr, argv, envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Feeds and drains at once: a program that prints before it reads must not
 * lock both up. in and out are non-blocking; out -1: nobody wants its output. */
static int
exchange_pipe_data(int stop, int *in, int out, const char *input, size_t input_len, size_t max,
	int64_t deadline, struct buf *output)
{
	size_t fed = 0;
	char chunk[4096];

	for (;;) {
		struct pollfd p[3] = { { .fd = out, .events = POLLIN },
			{ .fd = *in, .events = POLLOUT }, { .fd = stop, .events = POLLIN } };
		int64_t left = deadline - clock_steady();

		if (out < 0 && *in < 0)
			return 0;
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(p, 3, (int)left) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (p[2].revents)
			return -ECANCELED;
		if (*in >= 0 && p[1].revents) {
			ssize_t n = fed < input_len ? write(*in, input + fed, input_len - fed) : 0;

			if (n > 0)
				fed += (size_t)n;
			if (fed == input_len || (n < 0 && errno != EAGAIN && errno != EINTR)) {
				close(*in);
				*in = -1;
			}
		}
		if (p[0].revents) {
			ssize_t n = read(out, chunk, sizeof(chunk));

			if (n == 0)
				return 0;
			if (n < 0 && errno != EAGAIN && errno != EINTR)
				return -errno;
			if (n > 0)
				buf_append(output, chunk, (size_t)n);
			if (output->len > max)
				return -EFBIG;
		}
	}
}

/* Waits for pid until the deadline. 0 and its status, or -ETIMEDOUT, -ECANCELED. */
static int
wait_for_exit(int stop, pid_t pid, int64_t deadline, int *ret_status)
{
	static const struct timespec tick = { .tv_nsec = 500000 };
	struct pollfd p = { .fd = stop, .events = POLLIN };

	for (;;) {
		pid_t done = waitpid(pid, ret_status, WNOHANG);

		if (done == pid)
			return 0;
		if (done < 0 && errno != EINTR)
			return -errno;
		if (clock_steady() >= deadline)
			return -ETIMEDOUT;
		if (ppoll(&p, 1, &tick, NULL) > 0)
			return -ECANCELED;
	}
}

/* A program that does not read its input is no reason to die. The signal is
 * held back in this thread alone, and only the one that came of our writing is
 * taken away: its disposition belongs to the whole process. */
struct pipe_signal {
	sigset_t mask;
	bool pending; /* before we began */
};

static void
hold_pipe(struct pipe_signal *before)
{
	sigset_t set;

	sigpending(&set);
	before->pending = sigismember(&set, SIGPIPE) == 1;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &before->mask);
}

static void
release_pipe(const struct pipe_signal *before)
{
	static const struct timespec now = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	if (!before->pending)
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}

static int
report_run_failure(int r, const char *program, int timeout_ms, struct ambit_error *err)
{
	if (r == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "%s gave no answer in %d ms", program, timeout_ms);
	return err_sys(err, -r, "%s", program);
}

/* A pipe; or no reader and /dev/null, so that a program which leaves another one behind has ended
 * all the same. -1 with errno. */
static int
open_output(bool wanted, int ret_fds[2])
{
	if (wanted)
		return pipe2(ret_fds, O_CLOEXEC);
	ret_fds[0] = -1;
	ret_fds[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return ret_fds[1] < 0 ? -1 : 0;
}

int
run_program_until(int stop, char *const argv[], char *const envp[], const char *input,
	size_t input_len, size_t max, int timeout_ms, char **ret_output, size_t *ret_len,
	struct ambit_error *err)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 }, status = 0, r;
	int64_t deadline = clock_steady() + timeout_ms;
	auto_buf struct buf output = { 0 };
	struct pipe_signal before;
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	auto_close int to_read = to[0], to_write = to[1];

	if (open_output(ret_output != NULL, from) < 0)
		return err_sys(err, errno, "pipe");
	auto_close int from_read = from[0], from_write = from[1];

	fcntl(to_write, F_SETFL, O_NONBLOCK);
	if (from_read >= 0)
		fcntl(from_read, F_SETFL, O_NONBLOCK);
	r = spawn_program(argv, envp, to_read, from_write, &pid);
	if (r < 0)
		return err_sys(err, -r, "%s", argv[0]);
	close(steal_fd(&to_read));
	close(steal_fd(&from_write));

	hold_pipe(&before);
	r = exchange_pipe_data(
		stop, &to_write, from_read, input, input_len, max, deadline, &output);
	release_pipe(&before);
	if (r == 0)
		r = wait_for_exit(stop, pid, deadline, &status);
	if (r < 0) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return report_run_failure(r, argv[0], timeout_ms, err);
	}
	if (WIFSIGNALED(status))
		return err_set(err, ECHILD, "%s was ended by signal %d", argv[0], WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return err_set(err, ECHILD, "%s exited with %d", argv[0], WEXITSTATUS(status));
	if (!ret_output)
		return 0;
	*ret_len = output.len;
	*ret_output = buf_take(&output);
	return *ret_output ? 0 : err_nomem(err);
}

int
run_program(char *const argv[], char *const envp[], const char *input, size_t input_len, size_t max,
	int timeout_ms, char **ret_output, size_t *ret_len, struct ambit_error *err)
{
	return run_program_until(
		-1, argv, envp, input, input_len, max, timeout_ms, ret_output, ret_len, err);
}
