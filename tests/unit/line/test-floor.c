/* SPDX-License-Identifier: Apache-2.0 */
/* The floor, entered by children that try what it must refuse; the parent
 * looks at what became of the files. For every ABI that can be lowered to. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/floor/floor.h"
#include "probe/probe.h"
#include "scratch.h"

/* root/{in,out,list,home}; the child's working directory is root. */
struct place {
	char root[PATH_MAX];
	char in[PATH_MAX + 8], out[PATH_MAX + 8], single[PATH_MAX + 16];
	pid_t parent;
	const char *tty;      /* a terminal that was opened by the parent */
	const char *abstract; /* somebody listens there */
	int abi;
};

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x))                                                                          \
			return __LINE__;                                                           \
	} while (0)
#define REFUSED(x, code) CHECK((x) == -1 && errno == (code))

static void
put_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static off_t
size_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 ? st.st_size : -1;
}

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	scratch_make(place->root, sizeof(place->root));
	assert_int_equal(chdir(place->root), 0);
	assert_int_equal(mkdir("in", 0700) | mkdir("in/sub", 0700) | mkdir("out", 0700), 0);
	put_file("in/file", "inside");
	put_file("out/file", "outside");
	put_file("out/other", "outside");
	put_file("out/single", "granted");
	snprintf(place->in, sizeof(place->in), "%s/in", place->root);
	snprintf(place->out, sizeof(place->out), "%s/out", place->root);
	snprintf(place->single, sizeof(place->single), "%s/out/single", place->root);
	place->parent = getpid();
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	assert_int_equal(chdir("/"), 0);
	scratch_remove(place->root);
	free(place);
	return 0;
}

static int
enter(const struct floor *floor)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, floor_fd(floor), 0);
}

/* The line of the first check that failed in a child behind this floor. */
static int
behind(const struct floor_options *options, int (*child)(const struct place *place),
	struct place *place)
{
	struct ambit_error err = { 0 };
	struct floor *floor = NULL;
	int line = -1, fds[2], status, r = floor_create(options, &floor, &err);
	pid_t pid;

	if (r < 0)
		fail_msg("%s", err.text);
	place->abi = floor_in_force(floor);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		line = enter(floor) == 0 ? child(place) : __LINE__;
		_exit(write(fds[1], &line, sizeof(line)) == sizeof(line) ? 0 : 1);
	}
	assert_true(pid > 0);
	close(fds[1]);
	assert_int_equal(read(fds[0], &line, sizeof(line)), sizeof(line));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fds[0]);
	floor_destroy(floor);
	return line;
}

static int
try_writes(const struct place *place)
{
	CHECK(open("in/new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) >= 0);
	CHECK(open("in/sub/deep", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0);
	CHECK(open("in", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) >= 0);
	CHECK(mkdir("in/dir", 0700) == 0 && rmdir("in/dir") == 0);
	CHECK(rename("in/new", "in/sub/moved") == 0);
	CHECK(link("in/sub/moved", "in/linked") == 0 && unlink("in/linked") == 0);
	CHECK(symlink("x", "in/link") == 0);
	CHECK(mkfifo("in/fifo", 0600) == 0);
	CHECK(truncate("in/file", 2) == 0);

	REFUSED(open("out/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EACCES);
	REFUSED(open("out/file", O_WRONLY | O_CLOEXEC), EACCES);
	REFUSED(open("out/file", O_RDWR | O_CLOEXEC), EACCES);
	REFUSED(open("out", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), EACCES);
	REFUSED(mkdir("out/dir", 0700), EACCES);
	REFUSED(mkfifo("out/fifo", 0600), EACCES);
	REFUSED(symlink("x", "out/link"), EACCES);
	REFUSED(unlink("out/file"), EACCES);
	REFUSED(rename("out/file", "out/renamed"), EACCES);
	CHECK(rename("in/sub/moved", "out/moved") == -1 && (errno == EXDEV || errno == EACCES));
	CHECK(link("out/file", "in/stolen") == -1 && (errno == EXDEV || errno == EACCES));
	CHECK(open("out/single", O_WRONLY | O_TRUNC | O_CLOEXEC) >= 0);
	REFUSED(unlink("out/single"), EACCES);
	if (place->abi >= 3)
		REFUSED(truncate("out/other", 1), EACCES);
	else
		CHECK(truncate("out/other", 1) == 0);
	CHECK(open("out/file", O_RDONLY | O_CLOEXEC) >= 0);
	return 0;
}

static void
test_writes_stay_where_they_are_granted(void **state)
{
	struct place *place = *state;
	const char *writable[] = { place->in, "/nonexistent/folder", place->single };
	int most = floor_abi(NULL);

	for (int abi = FLOOR_ABI_LEAST; abi <= FLOOR_ABI_MOST && abi <= most; abi++) {
		struct floor_options options = {
			.abi = abi, .writable = writable, .n_writable = 3
		};

		assert_int_equal(behind(&options, try_writes, place), 0);
		assert_int_equal(place->abi, abi);
		assert_int_equal(size_of("out/file"), strlen("outside"));
		assert_int_equal(size_of("out/new"), -1);
		assert_int_equal(size_of("out/moved"), -1);
		assert_int_equal(size_of("in/stolen"), -1);
		assert_int_equal(size_of("in/file"), 2);
		assert_int_equal(size_of("out/single"), 0);
		assert_int_equal(size_of("out/other"), abi >= 3 ? (off_t)strlen("outside") : 1);
		put_file("out/other", "outside");
		assert_int_equal(unlink("in/sub/moved") | unlink("in/sub/deep"), 0);
		assert_int_equal(unlink("in/link") | unlink("in/fifo"), 0);
	}
}

static int
try_others(const struct place *place)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t len =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(place->abstract));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(name.sun_path + 1, place->abstract, strlen(place->abstract));
	CHECK(fd >= 0);
	if (place->abi >= 6) {
		REFUSED(kill(place->parent, 0), EPERM);
		REFUSED(connect(fd, (struct sockaddr *)&name, len), EPERM);
	} else {
		CHECK(kill(place->parent, 0) == 0);
		CHECK(connect(fd, (struct sockaddr *)&name, len) == 0);
	}
	CHECK(kill(getpid(), 0) == 0);
	return 0;
}

static void
test_signals_and_abstract_sockets_are_scoped(void **state)
{
	struct place *place = *state;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char text[64];
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int most = floor_abi(NULL);

	snprintf(text, sizeof(text), "ambit-floor-%d", (int)getpid());
	place->abstract = text;
	memcpy(name.sun_path + 1, text, strlen(text));
	assert_int_equal(
		bind(fd, (struct sockaddr *)&name,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(text))),
		0);
	assert_int_equal(listen(fd, 16), 0);
	for (int abi = FLOOR_ABI_LEAST; abi <= FLOOR_ABI_MOST && abi <= most; abi++) {
		struct floor_options options = { .abi = abi };

		assert_int_equal(behind(&options, try_others, place), 0);
	}
}

static int
try_devices(const struct place *place)
{
	struct winsize size = { .ws_row = 7, .ws_col = 9 };
	int fd;

	CHECK(open("/dev/null", O_RDWR | O_TRUNC | O_CREAT | O_CLOEXEC, 0600) >= 0);
	CHECK(open("/dev/zero", O_RDONLY | O_CLOEXEC) >= 0);
	CHECK(open("/dev/urandom", O_RDONLY | O_CLOEXEC) >= 0);
	CHECK((fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0);
	CHECK(ioctl(fd, TIOCSWINSZ, &size) == 0);
	REFUSED(open(place->tty, O_RDONLY | O_NOCTTY | O_CLOEXEC), EACCES);
	REFUSED(open(place->tty, O_WRONLY | O_NOCTTY | O_CLOEXEC), EACCES);
	CHECK(open("/dev/pts", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	CHECK(open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0);
	CHECK(open("/proc/self/status", O_RDONLY | O_CLOEXEC) >= 0);
	return 0;
}

static int
try_own_terminal(const struct place *place)
{
	struct winsize size = { .ws_row = 7, .ws_col = 9 };
	int fd = open(place->tty, O_RDWR | O_NOCTTY | O_CLOEXEC);

	CHECK(fd >= 0 && ioctl(fd, TIOCSWINSZ, &size) == 0);
	return 0;
}

static void
test_terminals_of_others_are_out_of_reach(void **state)
{
	struct place *place = *state;
	auto_close int pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int most = floor_abi(NULL);
	char tty[64];

	assert_true(pty >= 0);
	assert_int_equal(grantpt(pty) | unlockpt(pty), 0);
	assert_int_equal(ptsname_r(pty, tty, sizeof(tty)), 0);
	place->tty = tty;
	for (int abi = FLOOR_ABI_LEAST; abi <= FLOOR_ABI_MOST && abi <= most; abi++) {
		struct floor_options options = { .abi = abi };

		assert_int_equal(behind(&options, try_devices, place), 0);
		options.limit_reads = true;
		options.tty = tty;
		assert_int_equal(behind(&options, try_own_terminal, place), 0);
	}
}

static int
can_read(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == EACCES ? 0 : -1;
	close(fd);
	return 1;
}

static int
try_hidden(const struct place *place)
{
	(void)place;
	CHECK(can_read("home/.ssh/id") == 0);
	CHECK(can_read("home/.ssh/known_hosts") == 1);
	CHECK(can_read("home/keys/deep/secret") == 0);
	CHECK(can_read("home/plain") == 1);
	CHECK(can_read("home/dir/file") == 1);
	CHECK(can_read("in/file") == 1);
	CHECK(can_read("/etc/passwd") == 1);
	CHECK(open("home/.ssh", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	/* Other ways to the same inode. */
	CHECK(can_read("home/link") == 0);
	CHECK(can_read("home/dir/../.ssh/id") == 0);
	return 0;
}

static int
try_hidden_inside(const struct place *place)
{
	CHECK(try_hidden(place) == 0);
	CHECK(open("home/.ssh/known_hosts", O_RDWR | O_CLOEXEC) >= 0);
	CHECK(open("home/written", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0);
	return 0;
}

static void
make_home(void)
{
	assert_int_equal(mkdir("home", 0700) | mkdir("home/.ssh", 0700), 0);
	assert_int_equal(mkdir("home/keys", 0700) | mkdir("home/keys/deep", 0700), 0);
	assert_int_equal(mkdir("home/dir", 0700), 0);
	put_file("home/.ssh/id", "secret");
	put_file("home/.ssh/known_hosts", "x");
	put_file("home/keys/deep/secret", "secret");
	put_file("home/plain", "x");
	put_file("home/dir/file", "x");
	assert_int_equal(symlink(".ssh/id", "home/link"), 0);
}

static void
test_hidden_cannot_be_read(void **state)
{
	struct place *place = *state;
	char id[PATH_MAX + 32], keys[PATH_MAX + 32], none[PATH_MAX + 32], home[PATH_MAX + 8];
	const char *hidden[] = { id, keys, none }, *writable[] = { home, place->in };
	const char *readable[] = { home, place->in };
	struct floor_options options = { .hidden = hidden, .n_hidden = 3 };

	make_home();
	snprintf(home, sizeof(home), "%s/home", place->root);
	snprintf(id, sizeof(id), "%s/home/.ssh/id", place->root);
	snprintf(keys, sizeof(keys), "%s/home/keys", place->root);
	snprintf(none, sizeof(none), "%s/home/nothing/here", place->root);
	assert_int_equal(behind(&options, try_hidden, place), 0);
	options.writable = writable;
	options.n_writable = 2;
	assert_int_equal(behind(&options, try_hidden_inside, place), 0);
	assert_int_equal(size_of("home/.ssh/id"), strlen("secret"));
	options.limit_reads = true;
	options.readable = readable;
	options.n_readable = 2;
	assert_int_equal(behind(&options, try_hidden_inside, place), 0);
}

static int
try_limited(const struct place *place)
{
	(void)place;
	CHECK(can_read("out/file") == 0);
	CHECK(can_read("out/single") == 1);
	CHECK(can_read("in/file") == 1);
	CHECK(can_read("/etc/passwd") == 1);
	CHECK(can_read("/dev/null") == 1);
	CHECK(open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	REFUSED(open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC), EACCES);
	REFUSED(open("out/file", O_WRONLY | O_CLOEXEC), EACCES);
	execl("/bin/sh", "sh", "-c", "exit 0", NULL);
	return __LINE__;
}

/* A program that starts cannot tell the line any more: it ends with 0. */
static int
try_limited_then_exec(const struct place *place)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(try_limited(place) % 251 + 1);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
test_limited_reads(void **state)
{
	struct place *place = *state;
	const char *writable[] = { place->in }, *readable[] = { place->single, place->in };
	struct floor_options options = {
		.writable = writable,
		.n_writable = 1,
		.readable = readable,
		.n_readable = 2,
		.limit_reads = true,
	};

	assert_int_equal(behind(&options, try_limited_then_exec, place), 0);
}

static void
test_covers_what_was_granted(void **state)
{
	struct place *place = *state;
	char path[PATH_MAX + 32], link[PATH_MAX + 32], through[PATH_MAX + 32];
	const char *writable[] = { place->in, place->single, link, through, "/nonexistent" };
	struct floor_options options = { .writable = writable, .n_writable = 5 };
	struct ambit_error err = { 0 };
	struct floor *floor = NULL;

	snprintf(link, sizeof(link), "%s/link", place->root);
	snprintf(through, sizeof(through), "%s/link/file", place->root);
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(floor_create(&options, &floor, &err), 0);
	/* What lies in it; its own name lies elsewhere. */
	assert_false(floor_covers(floor, place->in));
	assert_true(floor_covers(floor, place->single));
	snprintf(path, sizeof(path), "%s/sub/new", place->in);
	assert_true(floor_covers(floor, path));
	snprintf(path, sizeof(path), "%s-other", place->in);
	assert_false(floor_covers(floor, path));
	snprintf(path, sizeof(path), "%s/x", place->single);
	assert_false(floor_covers(floor, path));
	assert_false(floor_covers(floor, place->out));
	assert_false(floor_covers(floor, place->root));
	assert_false(floor_covers(floor, link));
	assert_false(floor_covers(floor, through));
	assert_false(floor_covers(floor, "/nonexistent"));
	assert_true(floor_covers(floor, "/dev/null"));
	assert_true(floor_covers(floor, "/dev/tty"));
	assert_false(floor_covers(floor, "/dev"));
	assert_false(floor_covers(floor, "/dev/pts/0"));
	assert_false(floor_covers(floor, "/"));
	floor_destroy(floor);
	floor_destroy(NULL);
}

/* What a link that was put in the place of a granted path names is not granted. */
static int
try_through_link(const struct place *place)
{
	(void)place;
	REFUSED(open("out/file", O_WRONLY | O_CLOEXEC), EACCES);
	REFUSED(open("link/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EACCES);
	return 0;
}

static void
test_a_link_grants_nothing(void **state)
{
	struct place *place = *state;
	char link[PATH_MAX + 32], through[PATH_MAX + 32];
	const char *writable[] = { link, through };
	struct floor_options options = { .writable = writable, .n_writable = 2 };

	snprintf(link, sizeof(link), "%s/link", place->root);
	snprintf(through, sizeof(through), "%s/link/file", place->root);
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(behind(&options, try_through_link, place), 0);
}

static void
test_too_many_rules_are_said(void **state)
{
	struct place *place = *state;
	char hidden[PATH_MAX + 32];
	const char *list[] = { hidden };
	struct floor_options options = { .hidden = list, .n_hidden = 1 };
	struct ambit_error err = { 0 };
	struct floor *floor = NULL;

	assert_int_equal(mkdir("many", 0700), 0);
	for (int i = 0; i < 4200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "many/%d", i);
		assert_int_equal(mknod(name, S_IFREG | 0600, 0), 0);
	}
	snprintf(hidden, sizeof(hidden), "%s/many/77", place->root);
	assert_int_equal(floor_create(&options, &floor, &err), -E2BIG);
	assert_null(floor);
	assert_non_null(strstr(err.text, "4096 rules"));
	options.abi = 1;
	assert_int_equal(floor_create(&options, &floor, &err), -EINVAL);
}

static void
test_the_line_can_be_held_here(void **state)
{
	struct ambit_error err = { 0 };

	(void)state;
	if (probe_line(&err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(err.text[0], '\0');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* "in" is open, "out" is a git directory. */
static int
try_git(const struct place *place)
{
	int fd;

	(void)place;
	CHECK((fd = open("out/new", O_WRONLY | O_CREAT | O_EXCL, 0600)) >= 0);
	close(fd);
	CHECK(rename("out/new", "out/renamed") == 0);
	CHECK(link("out/renamed", "out/linked") == 0);
	CHECK(mkdir("out/dir", 0700) == 0 && rename("out/dir", "out/dir2") == 0);
	CHECK(unlink("out/linked") == 0);
	REFUSED(symlink("/", "out/leads"), EACCES);
	REFUSED(symlink("/", "out/dir2/leads"), EACCES);
	REFUSED(rename("out/there", "out/elsewhere"), EACCES); /* a symlink */
	REFUSED(rename("out/renamed", "out/dir2/x"), EXDEV);
	REFUSED(link("out/renamed", "out/dir2/x"), EXDEV);
	REFUSED(rename("in/sub", "out/sub"), EXDEV);
	REFUSED(rename("in/file", "out/file2"), EXDEV);
	REFUSED(rename("out/dir2", "in/dir2"), EXDEV);
	CHECK(symlink("/", "in/leads") == 0 && rename("in/leads", "in/sub/leads") == 0);
	return 0;
}

static void
test_no_link_comes_into_a_git_directory(void **state)
{
	struct place *place = *state;
	const char *in[] = { place->in }, *out[] = { place->out };
	struct floor_options options = { .writable = in, .n_writable = 1, .git = out, .n_git = 1 };

	assert_int_equal(symlink("/", "out/there"), 0);
	assert_int_equal(behind(&options, try_git, place), 0);
}

static void
test_covers_a_git_directory_but_for_links(void **state)
{
	struct place *place = *state;
	const char *in[] = { place->in }, *out[] = { place->out };
	struct floor_options options = { .writable = in, .n_writable = 1, .git = out, .n_git = 1 };
	struct floor *floor = NULL;
	char path[PATH_MAX + 16];

	assert_int_equal(floor_create(&options, &floor, NULL), 0);
	snprintf(path, sizeof(path), "%s/x", place->in);
	assert_true(floor_covers(floor, path) && floor_covers_links(floor, path));
	snprintf(path, sizeof(path), "%s/x", place->out);
	assert_true(floor_covers(floor, path) && !floor_covers_links(floor, path));
	assert_false(floor_covers_links(floor, place->root));
	floor_destroy(floor);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_writes_stay_where_they_are_granted),
		TEST(test_signals_and_abstract_sockets_are_scoped),
		TEST(test_terminals_of_others_are_out_of_reach),
		TEST(test_hidden_cannot_be_read),
		TEST(test_limited_reads),
		TEST(test_covers_what_was_granted),
		TEST(test_a_link_grants_nothing),
		TEST(test_too_many_rules_are_said),
		TEST(test_no_link_comes_into_a_git_directory),
		TEST(test_covers_a_git_directory_but_for_links),
		cmocka_unit_test(test_the_line_can_be_held_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
