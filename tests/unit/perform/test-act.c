/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/perform: nothing without a pass, one act for each, never
 * through a link, on the object that is held. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "perform/act.h"
#include "perform/permit.h"
#include "hand-law.h"
#include "scratch.h"

struct place {
	char path[SCRATCH_PATH];
	int dir; /* O_PATH */
};

static int
open_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	scratch_make(p->path, sizeof(p->path));
	p->dir = open(p->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->dir >= 0);
	*state = p;
	return 0;
}

static int
close_place(void **state)
{
	struct place *p = *state;

	close(p->dir);
	scratch_remove(p->path);
	free(p);
	return 0;
}

static void
put(const struct place *p, const char *name, const char *text)
{
	int fd = openat(p->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int
held(const struct place *p, const char *name)
{
	int fd = openat(p->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* As it is found now. */
static struct hand_end
end_of(const struct place *p, const char *name)
{
	struct hand_end end = { .parent = p->dir, .name = name, .real = name };

	end.fd = openat(p->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (end.fd >= 0)
		fstat(end.fd, &end.st);
	return end;
}

static int
move_name(
	const struct place *p, struct pass *pass, const char *from, const char *to, unsigned flags)
{
	struct hand_end a = end_of(p, from), b = end_of(p, to);
	int r = hand_move(pass, &open_law, &a, &b, flags);

	close(a.fd);
	close(b.fd);
	return r;
}

static int
link_name(const struct place *p, struct pass *pass, int fd, const char *to)
{
	struct hand_end end = { .parent = p->dir, .name = to, .real = to, .fd = -1 };

	return hand_link(pass, fd, &end);
}

static struct stat
state_of(const struct place *p, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static bool
is_there(const struct place *p, const char *name)
{
	struct stat st;

	return fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* -- passes --------------------------------------------------------------------------- */

/* Every act, with this pass; how many did not say -EPERM. */
static int
try_all(const struct place *p, struct pass *pass)
{
	static const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct iovec iov = { .iov_base = "x", .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fd = held(p, "file"), pair[2], out = -1, n = 0;
	char attr[24] = { 0 };

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	n += act_open(pass, p->dir, "new", O_WRONLY | O_CREAT, 0644, &out) != -EPERM;
	n += act_reopen(pass, fd, O_WRONLY | O_TRUNC, &out) != -EPERM;
	n += act_reopen_wait(pass, fd, O_WRONLY | O_TRUNC, NULL, NULL, &out) != -EPERM;
	n += act_mkdir(pass, p->dir, "new", 0755) != -EPERM;
	n += hand_make(pass, p->dir, "new", S_IFREG | 0644, NULL, NULL) != -EPERM;
	n += hand_make(pass, p->dir, "new", S_IFLNK, "x", NULL) != -EPERM;
	n += act_unlink(pass, p->dir, "file", false) != -EPERM;
	n += move_name(p, pass, "file", "new", 0) != -EPERM;
	n += link_name(p, pass, fd, "new") != -EPERM;
	n += act_truncate(pass, fd, 0) != -EPERM;
	n += act_chmod(pass, fd, 0600) != -EPERM;
	n += act_chown(pass, fd, (uid_t)-1, (gid_t)-1) != -EPERM;
	n += act_utimens(pass, fd, times) != -EPERM;
	n += act_setxattr(pass, fd, "user.x", "y", 1, 0) != -EPERM;
	n += act_removexattr(pass, fd, "user.x") != -EPERM;
	n += act_setattr(pass, fd, attr, sizeof(attr)) != -EPERM;
	n += act_connect(pass, pair[0], (struct sockaddr *)&name, sizeof(name)) != -EPERM;
	n += act_bind(pass, pair[0], (struct sockaddr *)&name, sizeof(name)) != -EPERM;
	n += act_send(pass, pair[0], &message, 0) != -EPERM;
	assert_int_equal(out, -1);
	close(pair[0]);
	close(pair[1]);
	close(fd);
	return n;
}

static void
nothing_without_a_pass(void **state)
{
	const struct place *p = *state;
	struct pass none = { 0 }, used = a_pass();
	struct stat before, after;

	put(p, "file", "text");
	before = state_of(p, "file");
	assert_int_equal(try_all(p, &none), 0);
	assert_int_equal(try_all(p, NULL), 0);
	assert_int_equal(pass_use(&used), 0);
	assert_int_equal(try_all(p, &used), 0);
	after = state_of(p, "file");
	assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim));
	assert_int_equal(after.st_size, 4);
	assert_false(is_there(p, "new"));
}

static void
a_pass_is_for_one_act(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();

	assert_int_equal(act_mkdir(&pass, p->dir, "one", 0755), 0);
	assert_int_equal(act_mkdir(&pass, p->dir, "two", 0755), -EPERM);
	assert_true(is_there(p, "one"));
	assert_false(is_there(p, "two"));
	/* A failure uses it up, too. */
	pass = a_pass();
	assert_int_equal(act_mkdir(&pass, p->dir, "one", 0755), -EEXIST);
	assert_int_equal(act_mkdir(&pass, p->dir, "two", 0755), -EPERM);
}

/* -- names ---------------------------------------------------------------------------- */

static void
only_a_single_component_is_a_name(void **state)
{
	static const char *const bad[] = { ".", "..", "a/b", "/etc", "../x", "x/", "/" };
	const struct place *p = *state;
	int fd, out = -1;

	put(p, "file", "");
	fd = held(p, "file");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pass t[8];

		for (size_t k = 0; k < 8; k++)
			t[k] = a_pass();
		assert_int_equal(
			act_open(&t[0], p->dir, bad[i], O_WRONLY | O_CREAT, 0644, &out), -EINVAL);
		assert_int_equal(act_mkdir(&t[1], p->dir, bad[i], 0755), -EINVAL);
		assert_int_equal(
			hand_make(&t[2], p->dir, bad[i], S_IFIFO | 0644, NULL, NULL), -EINVAL);
		assert_int_equal(hand_make(&t[3], p->dir, bad[i], S_IFLNK, "x", NULL), -EINVAL);
		assert_int_equal(act_unlink(&t[4], p->dir, bad[i], true), -EINVAL);
		assert_int_equal(move_name(p, &t[5], "file", bad[i], 0), -EINVAL);
		assert_int_equal(move_name(p, &t[6], bad[i], "x", 0), -EINVAL);
		assert_int_equal(link_name(p, &t[7], fd, bad[i]), -EINVAL);
	}
	close(fd);
}

static void
a_link_is_not_opened_through(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	int fd = -1;

	put(p, "file", "text");
	assert_int_equal(symlinkat("file", p->dir, "link"), 0);
	assert_int_equal(symlinkat("nowhere", p->dir, "dangling"), 0);
	assert_int_equal(act_open(&pass, p->dir, "link", O_WRONLY | O_TRUNC, 0, &fd), -ELOOP);
	pass = a_pass();
	assert_int_equal(
		act_open(&pass, p->dir, "dangling", O_WRONLY | O_CREAT, 0644, &fd), -ELOOP);
	assert_int_equal(state_of(p, "file").st_size, 4);
	assert_false(is_there(p, "nowhere"));
}

static void
modes_are_as_given(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	mode_t mask = umask(0);
	int fd = -1;

	assert_int_equal(act_open(&pass, p->dir, "f", O_WRONLY | O_CREAT | O_EXCL, 0666, &fd), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	pass = a_pass();
	assert_int_equal(act_mkdir(&pass, p->dir, "d", 01777), 0);
	pass = a_pass();
	assert_int_equal(hand_make(&pass, p->dir, "p", S_IFIFO | 0622, NULL, NULL), 0);
	umask(mask);
	assert_int_equal(state_of(p, "f").st_mode, S_IFREG | 0666);
	assert_int_equal(state_of(p, "d").st_mode, S_IFDIR | 01777);
	assert_int_equal(state_of(p, "p").st_mode, S_IFIFO | 0622);
}

static void
names_come_move_and_go(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	char text[16] = "";
	int fd;

	assert_int_equal(hand_make(&pass, p->dir, "l", S_IFLNK, "any/where", NULL), 0);
	assert_int_equal(readlinkat(p->dir, "l", text, sizeof(text) - 1), 9);
	assert_string_equal(text, "any/where");
	put(p, "a", "1");
	put(p, "b", "22");
	pass = a_pass();
	assert_int_equal(move_name(p, &pass, "a", "b", RENAME_NOREPLACE), -EEXIST);
	pass = a_pass();
	assert_int_equal(move_name(p, &pass, "a", "b", RENAME_EXCHANGE), 0);
	assert_int_equal(state_of(p, "a").st_size, 2);
	pass = a_pass();
	assert_int_equal(move_name(p, &pass, "a", "b", 0), 0);
	assert_int_equal(state_of(p, "b").st_size, 2);
	assert_false(is_there(p, "a"));
	fd = held(p, "b");
	pass = a_pass();
	assert_int_equal(link_name(p, &pass, fd, "c"), 0);
	close(fd);
	assert_int_equal(state_of(p, "c").st_ino, state_of(p, "b").st_ino);
	pass = a_pass();
	assert_int_equal(act_unlink(&pass, p->dir, "b", true), -ENOTDIR);
	pass = a_pass();
	assert_int_equal(act_unlink(&pass, p->dir, "b", false), 0);
	assert_false(is_there(p, "b"));
	assert_int_equal(mkdirat(p->dir, "d", 0755), 0);
	pass = a_pass();
	assert_int_equal(act_unlink(&pass, p->dir, "d", true), 0);
	assert_false(is_there(p, "d"));
}

static void
a_link_itself_gets_another_name(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	int fd;

	put(p, "file", "text");
	assert_int_equal(symlinkat("file", p->dir, "link"), 0);
	fd = held(p, "link");
	assert_int_equal(link_name(p, &pass, fd, "other"), 0);
	close(fd);
	assert_true(S_ISLNK(state_of(p, "other").st_mode));
	assert_int_equal(state_of(p, "file").st_nlink, 1);
}

static void
a_nameless_file_gets_its_first_name(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	int fd = -1, r = act_open(&pass, p->dir, "", O_TMPFILE | O_RDWR, 0640, &fd);
	char link[32];

	if (r == -EOPNOTSUPP) {
		skip();
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(write(fd, "x", 1), 1);
	/* As it comes from another process: O_PATH. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	int path = open(link, O_PATH | O_CLOEXEC);

	assert_true(path >= 0);
	pass = a_pass();
	assert_int_equal(link_name(p, &pass, path, "born"), 0);
	assert_int_equal(state_of(p, "born").st_size, 1);
	close(path);
	close(fd);
}

/* -- the object itself ------------------------------------------------------------------- */

/* The name leads elsewhere by now; what is held is what changes. */
static void
what_is_held_is_changed(void **state)
{
	const struct place *p = *state;
	const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 2000 } };
	struct pass pass = a_pass();
	struct stat old, new;
	int fd, out = -1;

	put(p, "file", "text");
	fd = held(p, "file");
	assert_int_equal(renameat(p->dir, "file", p->dir, "moved"), 0);
	put(p, "file", "bait");
	old = state_of(p, "file");

	assert_int_equal(act_truncate(&pass, fd, 2), 0);
	pass = a_pass();
	assert_int_equal(act_chmod(&pass, fd, 0604), 0);
	pass = a_pass();
	assert_int_equal(act_utimens(&pass, fd, times), 0);
	pass = a_pass();
	assert_int_equal(act_chown(&pass, fd, getuid(), getgid()), 0);
	pass = a_pass();
	assert_int_equal(act_reopen(&pass, fd, O_WRONLY | O_APPEND, &out), 0);
	new = state_of(p, "moved");
	assert_int_equal(new.st_size, 2);
	assert_int_equal(new.st_mode & 07777, 0604);
	assert_int_equal(new.st_mtim.tv_sec, 2000);
	assert_int_equal(new.st_atim.tv_sec, 1000);
	assert_int_equal(write(out, "z", 1), 1);
	assert_int_equal(state_of(p, "moved").st_size, 3);
	new = state_of(p, "file");
	assert_memory_equal(&old.st_ctim, &new.st_ctim, sizeof(old.st_ctim));
	close(out);
	close(fd);
}

static void
an_open_file_is_as_good(void **state)
{
	const struct place *p = *state;
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 5 } };
	struct pass pass = a_pass();
	struct stat before, after;
	int fd;

	put(p, "file", "text");
	before = state_of(p, "file");
	fd = openat(p->dir, "file", O_WRONLY | O_CLOEXEC);
	assert_int_equal(act_chmod(&pass, fd, 0400), 0);
	pass = a_pass();
	assert_int_equal(act_utimens(&pass, fd, times), 0);
	pass = a_pass();
	assert_int_equal(act_chown(&pass, fd, (uid_t)-1, getgid()), 0);
	after = state_of(p, "file");
	assert_int_equal(after.st_mode & 07777, 0400);
	assert_int_equal(after.st_mtim.tv_sec, 5);
	assert_memory_equal(&before.st_atim, &after.st_atim, sizeof(before.st_atim));
	close(fd);
}

static void
a_symlink_is_changed_itself(void **state)
{
	const struct place *p = *state;
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 2 } };
	struct pass pass = a_pass();
	int fd;

	put(p, "file", "text");
	assert_int_equal(symlinkat("file", p->dir, "link"), 0);
	fd = held(p, "link");
	assert_int_equal(act_utimens(&pass, fd, times), 0);
	pass = a_pass();
	assert_int_equal(act_chown(&pass, fd, getuid(), getgid()), 0);
	pass = a_pass();
	assert_int_equal(act_chmod(&pass, fd, 0600), -EOPNOTSUPP);
	assert_int_equal(state_of(p, "link").st_mtim.tv_sec, 2);
	assert_int_not_equal(state_of(p, "file").st_mtim.tv_sec, 2);
	assert_int_equal(state_of(p, "file").st_mode & 07777, 0644);
	close(fd);
}

static void
attributes_are_set_and_removed(void **state)
{
	const struct place *p = *state;
	struct pass pass = a_pass();
	char path[300], value[8] = "";
	int fd, r;

	put(p, "file", "text");
	snprintf(path, sizeof(path), "%s/file", p->path);
	fd = held(p, "file");
	r = act_setxattr(&pass, fd, "user.a", "one", 3, XATTR_CREATE);
	if (r == -EOPNOTSUPP) {
		close(fd);
		skip();
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(getxattr(path, "user.a", value, sizeof(value)), 3);
	assert_memory_equal(value, "one", 3);
	pass = a_pass();
	assert_int_equal(act_setxattr(&pass, fd, "user.a", "two", 3, XATTR_CREATE), -EEXIST);
	pass = a_pass();
	assert_int_equal(act_removexattr(&pass, fd, "user.a"), 0);
	assert_int_equal(getxattr(path, "user.a", value, sizeof(value)), -1);
	pass = a_pass();
	assert_int_equal(act_removexattr(&pass, fd, "user.a"), -ENODATA);
	close(fd);
}

/* -- FIFOs ---------------------------------------------------------------------------------- */

struct reader {
	const struct place *p;
	int asked;
	int fd;
	int after; /* a reader comes at this question; 0: never */
};

static bool
count(void *data)
{
	struct reader *r = data;

	r->asked++;
	if (r->asked == r->after)
		r->fd = openat(r->p->dir, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return r->after == 0 && r->asked == 3;
}

static void
a_fifo_waits_for_its_reader(void **state)
{
	const struct place *p = *state;
	struct reader never = { .p = p, .fd = -1 }, comes = { .p = p, .fd = -1, .after = 2 };
	struct pass pass = a_pass();
	int fd, out = -1;

	assert_int_equal(mkfifoat(p->dir, "fifo", 0600), 0);
	fd = held(p, "fifo");
	assert_int_equal(act_reopen_wait(&pass, fd, O_WRONLY, count, &never, &out), -EINTR);
	assert_int_equal(never.asked, 3);
	pass = a_pass();
	assert_int_equal(act_reopen_wait(&pass, fd, O_WRONLY, count, &comes, &out), 0);
	assert_int_equal(comes.asked, 2);
	assert_int_equal(write(out, "x", 1), 1);
	close(out);
	close(comes.fd);
	close(fd);
}

/* -- threads and sockets ---------------------------------------------------------------------- */

static void *
in_thread(void *data)
{
	const struct place *p = data;
	struct pass pass = a_pass();
	int r = act_thread();

	if (r == 0)
		r = act_mkdir(&pass, p->dir, "wide", 0777);
	return (void *)(intptr_t)r;
}

static void
a_thread_has_its_own_umask(void **state)
{
	struct place *p = *state;
	mode_t before = umask(027);
	pthread_t thread;
	void *r;

	assert_int_equal(pthread_create(&thread, NULL, in_thread, p), 0);
	assert_int_equal(pthread_join(thread, &r), 0);
	assert_int_equal((intptr_t)r, 0);
	assert_int_equal(umask(before), 027);
	assert_int_equal(state_of(p, "wide").st_mode & 0777, 0777);
}

/* What root can do by capabilities alone, one who acts for others cannot. */
static void *
write_without_permission(void *data)
{
	const struct place *p = data;
	struct pass pass = a_pass();
	int fd = held(p, "file"), out = -1, r;

	assert_int_equal(act_thread(), 0);
	r = act_reopen(&pass, fd, O_WRONLY, &out);
	close(fd);
	return (void *)(intptr_t)r;
}

static void
an_acting_thread_has_no_capabilities(void **state)
{
	struct place *p = *state;
	pthread_t thread;
	void *r;

	put(p, "file", "text");
	assert_int_equal(fchmodat(p->dir, "file", 0444, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_without_permission, p), 0);
	assert_int_equal(pthread_join(thread, &r), 0);
	assert_int_equal((intptr_t)r, -EACCES);
}

static void
sockets_are_bound_connected_and_sent_on(void **state)
{
	const struct place *p = *state;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct iovec iov = { .iov_base = "hello", .iov_len = 5 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct pass pass = a_pass();
	int a = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int b = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), c;
	char text[8];

	snprintf(name.sun_path, sizeof(name.sun_path), "%s/s", p->path);
	assert_int_equal(act_connect(&pass, b, (struct sockaddr *)&name, sizeof(name)), -ENOENT);
	pass = a_pass();
	assert_int_equal(act_bind(&pass, a, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(a, 1), 0);
	pass = a_pass();
	assert_int_equal(act_connect(&pass, b, (struct sockaddr *)&name, sizeof(name)), 0);
	c = accept(a, NULL, NULL);
	pass = a_pass();
	assert_int_equal(act_send(&pass, b, &message, 0), 5);
	assert_int_equal(read(c, text, sizeof(text)), 5);
	close(c);
	/* No signal: this process would be dead. */
	pass = a_pass();
	assert_int_equal(act_send(&pass, b, &message, 0), -EPIPE);
	close(a);
	close(b);
}

#define T(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_without_a_pass),
		T(a_pass_is_for_one_act),
		T(only_a_single_component_is_a_name),
		T(a_link_is_not_opened_through),
		T(modes_are_as_given),
		T(names_come_move_and_go),
		T(a_link_itself_gets_another_name),
		T(a_nameless_file_gets_its_first_name),
		T(what_is_held_is_changed),
		T(an_open_file_is_as_good),
		T(a_symlink_is_changed_itself),
		T(attributes_are_set_and_removed),
		T(a_fifo_waits_for_its_reader),
		T(a_thread_has_its_own_umask),
		T(an_acting_thread_has_no_capabilities),
		T(sockets_are_bound_connected_and_sent_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
