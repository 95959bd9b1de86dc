/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/object/target.c: what is seen of a real other process. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "line/object/target.h"
#include "scratch.h"

/* Two mapped pages with nothing mapped behind them, made before the fork: the
 * addresses are the same in the child. */
struct child {
	pid_t pid;
	int socket;
	char *pages;
	struct target target;
};

static size_t
page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Forks a child that does setup, says so and waits for the end of its socket. */
static void
start(struct child *child, void (*setup)(const struct child *))
{
	int pair[2];
	char c = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	child->pages =
		mmap(NULL, 3 * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(child->pages, MAP_FAILED);
	assert_int_equal(munmap(child->pages + 2 * page(), page()), 0);
	memset(child->pages, 'x', 2 * page());
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		child->socket = pair[1];
		if (setup)
			setup(child);
		if (write(pair[1], "r", 1) != 1 || read(pair[1], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(pair[1]);
	child->socket = pair[0];
	assert_int_equal(read(child->socket, &c, 1), 1);
	target_init(&child->target, child->pid);
}

static void
stop(struct child *child)
{
	target_finish(&child->target);
	close(child->socket);
	kill(child->pid, SIGKILL);
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
	munmap(child->pages, 2 * page());
}

static uint64_t
address(const char *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void
text_setup(const struct child *child)
{
	size_t n = 2 * page();

	memcpy(child->pages, "hello", 6);
	memcpy(child->pages + page() - 2, "edge", 5); /* over a page's end */
	memcpy(child->pages + n - 4, "end", 4);	      /* up to the last byte mapped */
}

static void
strings_are_copied_to_their_end(void **state)
{
	struct child child;
	char text[4096];

	(void)state;
	start(&child, text_setup);
	assert_int_equal(target_string(&child.target, address(child.pages), text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	/* What the child wrote, not what lies in our own copy of the page. */
	assert_int_equal(child.pages[0], 'x');
	assert_int_equal(
		target_string(&child.target, address(child.pages + page() - 2), text, sizeof(text)),
		4);
	assert_string_equal(text, "edge");
	assert_int_equal(target_string(&child.target, address(child.pages + 2 * page() - 4), text,
				 sizeof(text)),
		3);
	assert_string_equal(text, "end");
	stop(&child);
}

static void
bad_strings_give_plain_errors(void **state)
{
	struct child child;
	char text[4096];
	const struct target *t = &child.target;

	(void)state;
	start(&child, NULL);
	assert_int_equal(target_string(t, 0, text, sizeof(text)), -EFAULT);
	assert_int_equal(target_string(t, 1, text, sizeof(text)), -EFAULT);
	assert_int_equal(target_string(t, UINT64_MAX - 2, text, sizeof(text)), -EFAULT);
	assert_int_equal(
		target_string(t, address(child.pages + 2 * page()), text, sizeof(text)), -EFAULT);
	/* Unterminated up to the end of what is mapped. */
	assert_int_equal(
		target_string(t, address(child.pages + 2 * page() - 100), text, sizeof(text)),
		-EFAULT);
	/* Longer than a path can be, and exactly so. */
	assert_int_equal(target_string(t, address(child.pages), text, sizeof(text)), -ENAMETOOLONG);
	assert_int_equal(target_string(t, address(child.pages), text, 10), -ENAMETOOLONG);
	assert_int_equal(target_string(t, address(child.pages), text, 0), -ENAMETOOLONG);
	stop(&child);
}

static void
longest_setup(const struct child *child)
{
	child->pages[4095 + 3] = '\0';
}

static void
the_longest_path_fits(void **state)
{
	struct child child;
	char text[4096];

	(void)state;
	start(&child, longest_setup);
	assert_int_equal(
		target_string(&child.target, address(child.pages + 3), text, sizeof(text)), 4095);
	assert_int_equal(target_string(&child.target, address(child.pages + 2), text, sizeof(text)),
		-ENAMETOOLONG);
	stop(&child);
}

static void
memory_is_read_and_written_whole(void **state)
{
	struct child child;
	char data[64];

	(void)state;
	start(&child, text_setup);
	assert_int_equal(target_read(&child.target, address(child.pages), data, 6), 0);
	assert_string_equal(data, "hello");
	assert_int_equal(target_read(&child.target, address(child.pages), data, 0), 0);
	assert_int_equal(target_read(&child.target, address(child.pages + 2 * page() - 8), data, 9),
		-EFAULT);
	assert_int_equal(target_write(&child.target, address(child.pages), "HE", 2), 0);
	assert_int_equal(target_read(&child.target, address(child.pages), data, 6), 0);
	assert_string_equal(data, "HEllo");
	assert_int_equal(target_write(&child.target, 0, "HE", 2), -EFAULT);
	assert_int_equal(target_write(&child.target, 0, "HE", 0), 0);
	stop(&child);
	assert_int_equal(target_read(&child.target, address(child.pages), data, 6), -ESRCH);
}

static void
hide_setup(const struct child *child)
{
	(void)child;
	prctl(PR_SET_DUMPABLE, 0);
}

static void
one_who_cannot_be_looked_into_is_eacces(void **state)
{
	struct child child;
	char text[16];

	(void)state;
	if (geteuid() == 0) {
		print_message("skipped as root, who may look into everybody\n");
		skip();
	}
	start(&child, hide_setup);
	assert_int_equal(
		target_string(&child.target, address(child.pages), text, sizeof(text)), -EACCES);
	assert_int_equal(target_read(&child.target, address(child.pages), text, 1), -EACCES);
	assert_int_equal(target_write(&child.target, address(child.pages), text, 1), -EACCES);
	assert_int_equal(target_cwd(&child.target), -EACCES);
	assert_int_equal(target_fd_path(&child.target, 0), -EACCES);
	assert_false(target_is_us(&child.target));
	stop(&child);
}

static void
places_setup(const struct child *child)
{
	int fd = memfd_create("shared", 0);

	(void)child;
	umask(027);
	if (fd < 0 || dup2(fd, 77) != 77 || write(77, "1234", 4) != 4 || chdir("/usr") < 0)
		_exit(1);
}

static void
same(int a, int b)
{
	struct stat sa, sb;

	assert_int_equal(fstat(a, &sa), 0);
	assert_int_equal(fstat(b, &sb), 0);
	assert_int_equal(sa.st_dev, sb.st_dev);
	assert_int_equal(sa.st_ino, sb.st_ino);
}

static void
descriptors_and_places_are_its_own(void **state)
{
	struct child child;
	int usr = open("/usr", O_PATH);
	int cwd, path, fd;
	mode_t mask = 0;

	(void)state;
	start(&child, places_setup);
	cwd = target_cwd(&child.target);
	path = target_fd_path(&child.target, 77);
	fd = target_fd(&child.target, 77);
	assert_true(cwd >= 0 && path >= 0 && fd >= 0);
	same(cwd, usr);
	same(path, fd);
	/* A fresh description on the one hand, the very one on the other. */
	assert_int_equal(fcntl(path, F_GETFL) & O_PATH, O_PATH);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 4);
	for (const int *each = (int[]){ cwd, path, fd, -1 }; *each >= 0; each++) {
		assert_int_equal(fcntl(*each, F_GETFD), FD_CLOEXEC);
		close(*each);
	}
	assert_int_equal(target_fd_path(&child.target, 78), -EBADF);
	assert_int_equal(target_fd_path(&child.target, -1), -EBADF);
	assert_int_equal(target_fd(&child.target, 78), -EBADF);
	assert_int_equal(target_fd(&child.target, -1), -EBADF);
	assert_int_equal(target_umask(&child.target, &mask), 0);
	assert_int_equal(mask, 027);
	stop(&child);
	close(usr);
	assert_int_equal(target_cwd(&child.target), -ESRCH);
	assert_int_equal(target_umask(&child.target, &mask), -ESRCH);
}

/* A thread with a table of descriptors of its own; its number lies in the
 * child's pages. */
struct thread {
	sem_t ready;
	pid_t tid;
};

static void *
thread_main(void *data)
{
	struct thread *thread = data;
	int fd;

	thread->tid = (pid_t)syscall(SYS_gettid);
	if (unshare(CLONE_FILES) < 0)
		_exit(1);
	fd = open("/dev/null", O_RDONLY);
	if (fd < 0 || dup2(fd, 77) != 77)
		_exit(1);
	sem_post(&thread->ready);
	for (;;)
		pause();
	return NULL;
}

static void
thread_setup(const struct child *child)
{
	struct thread *thread = (void *)child->pages;
	pthread_t id;

	places_setup(child);
	prctl(PR_SET_NAME, "a) R 1 (b\n");
	if (sem_init(&thread->ready, 0, 0) < 0 ||
		pthread_create(&id, NULL, thread_main, thread) != 0 || sem_wait(&thread->ready) < 0)
		_exit(1);
}

static void
a_thread_is_not_its_process(void **state)
{
	struct child child;
	struct target thread;
	struct target_who who = { 0 };
	int null = open("/dev/null", O_PATH), fd;
	pid_t tid = 0;

	(void)state;
	start(&child, thread_setup);
	assert_int_equal(
		target_read(&child.target, address(child.pages + offsetof(struct thread, tid)),
			&tid, sizeof(tid)),
		0);
	assert_true(tid > 0 && tid != child.pid);
	target_init(&thread, tid);
	fd = target_fd_path(&thread, 77);
	assert_true(fd >= 0);
	same(fd, null);
	close(fd);
	fd = target_fd(&thread, 77);
	/* Either its own, or nothing: never the other table's. */
	if (fd >= 0) {
		same(fd, null);
		close(fd);
	}
	assert_int_equal(target_who(&thread, &who), 0);
	assert_int_equal(who.pid, child.pid);
	assert_string_equal(who.program, "a) R 1 (b\n");
	assert_true(who.start > 0);
	target_finish(&thread);
	stop(&child);
	close(null);
}

/* Goes elsewhere when told to: what start does comes after that. */
static void
moving_setup(const struct child *child)
{
	char c;

	umask(077);
	if (chdir("/usr") < 0 || dup2(open("/usr/lib", O_PATH), 77) < 0 ||
		write(child->socket, "r", 1) != 1 || read(child->socket, &c, 1) != 1 ||
		chdir("/etc") < 0 || dup2(open("/usr/bin", O_PATH), 77) < 0)
		_exit(1);
	umask(02);
}

static void
is_called(struct child *child, int dirfd, const char *name)
{
	char have[PATH_MAX], want[PATH_MAX];
	ssize_t n = target_name_of(&child->target, dirfd, have, sizeof(have) - 1);

	assert_true(n > 0);
	have[n] = '\0';
	assert_non_null(realpath(name, want));
	assert_string_equal(have, want);
}

static void
has_umask(struct child *child, mode_t want)
{
	mode_t have = 0;

	assert_int_equal(target_umask(&child->target, &have), 0);
	assert_int_equal(have, want);
}

/* Asked for the first time, again and once more, it is found in three ways. */
static void
where_a_path_begins_is_never_remembered(void **state)
{
	struct child child;
	char name[64], c;

	(void)state;
	start(&child, moving_setup);
	for (int i = 0; i < 4; i++)
		is_called(&child, 77, "/usr/lib");
	for (int i = 0; i < 4; i++)
		is_called(&child, AT_FDCWD, "/usr");
	for (int i = 0; i < 4; i++)
		has_umask(&child, 077);
	assert_true(child.target.link >= 0 && child.target.status >= 0);
	assert_int_equal(write(child.socket, "g", 1), 1);
	assert_int_equal(read(child.socket, &c, 1), 1);
	has_umask(&child, 02);
	for (int i = 0; i < 4; i++)
		is_called(&child, AT_FDCWD, "/etc");
	for (int i = 0; i < 4; i++)
		is_called(&child, 77, "/usr/bin");
	assert_int_equal(target_name_of(&child.target, -1, name, sizeof(name)), -EBADF);
	assert_int_equal(target_name_of(&child.target, 78, name, sizeof(name)), -ENOENT);
	stop(&child);
}

/* A kept link must not lead to whoever has the number next, nor be believed. */
static void
a_kept_link_ends_with_its_thread(void **state)
{
	struct child child;
	char name[PATH_MAX];
	mode_t mask, before = umask(0);

	(void)state;
	start(&child, NULL);
	for (int i = 0; i < 3; i++) {
		assert_true(target_name_of(&child.target, AT_FDCWD, name, sizeof(name)) > 0);
		has_umask(&child, 0);
	}
	assert_true(child.target.link >= 0 && child.target.status >= 0);
	umask(before | 011);
	close(child.socket);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_true(target_name_of(&child.target, AT_FDCWD, name, sizeof(name)) < 0);
	assert_int_equal(target_umask(&child.target, &mask), -ESRCH);
	/* The number is another's now: that one is asked. */
	child.target.tid = getpid();
	has_umask(&child, before | 011);
	umask(before);
	assert_true(target_name_of(&child.target, AT_FDCWD, name, sizeof(name)) > 0);
	target_finish(&child.target);
	assert_int_equal(child.target.link, -1);
	munmap(child.pages, 2 * page());
}

/* Whatever it calls itself: this child has given itself another name. */
static void
what_it_runs_is_the_kernels_word(void **state)
{
	struct child child;
	char path[PATH_MAX], ours[PATH_MAX];
	struct stat st, our;
	ssize_t n = readlink("/proc/self/exe", ours, sizeof(ours) - 1);

	(void)state;
	assert_true(n > 0);
	ours[n] = '\0';
	assert_int_equal(stat("/proc/self/exe", &our), 0);
	start(&child, thread_setup);
	assert_int_equal(target_exe(child.pid, path, &st), 0);
	assert_string_equal(path, ours);
	assert_true(st.st_ino == our.st_ino && st.st_dev == our.st_dev);
	stop(&child);
	assert_int_equal(target_exe(child.pid, path, &st), -ENOENT);
}

static void
who_tells_the_start_time(void **state)
{
	struct child one, two;
	struct target_who a = { 0 }, b = { 0 }, self = { 0 };
	struct target us;

	(void)state;
	start(&one, NULL);
	start(&two, NULL);
	target_init(&us, getpid());
	assert_int_equal(target_who(&us, &self), 0);
	assert_int_equal(target_who(&one.target, &a), 0);
	assert_int_equal(target_who(&two.target, &b), 0);
	assert_int_equal(self.pid, getpid());
	/* In ticks since the machine started: in this order, within a minute. */
	assert_true(self.start <= a.start && a.start <= b.start);
	assert_true(b.start - self.start < 60 * (uint64_t)sysconf(_SC_CLK_TCK));
	stop(&one);
	stop(&two);
	assert_int_equal(target_who(&one.target, &a), -ESRCH);
}

static void
drop_caps(const struct child *child)
{
	struct {
		uint32_t version;
		int pid;
	} header = { 0x20080522, 0 };
	uint32_t data[6] = { 0 };

	(void)child;
	if (syscall(SYS_capset, &header, data) < 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}

static void
other_uid(const struct child *child)
{
	if (setresuid(0, 1001, 0) < 0)
		_exit(1);
	drop_caps(child);
}

static void
other_fsuid(const struct child *child)
{
	syscall(SYS_setfsuid, 1001);
	drop_caps(child);
}

static void
other_gid(const struct child *child)
{
	if (setresgid(1001, 1001, 1001) < 0)
		_exit(1);
	drop_caps(child);
}

static void
other_groups(const struct child *child)
{
	if (setgroups(2, (gid_t[]){ 4242, 4243 }) < 0)
		_exit(1);
	drop_caps(child);
}

static void
only_the_same_ids_without_capabilities_are_us(void **state)
{
	void (*others[])(const struct child *) = {
		NULL, /* all capabilities */
		other_uid,
		other_fsuid,
		other_gid,
		other_groups,
	};
	struct child child;
	struct target one;

	(void)state;
	start(&child, drop_caps);
	assert_true(target_is_us(&child.target));
	stop(&child);
	assert_false(target_is_us(&child.target));
	target_init(&one, 1);
	assert_false(target_is_us(&one));
	if (geteuid() != 0) {
		print_message("not tried without root: other ids\n");
		return;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		start(&child, others[i]);
		assert_false(target_is_us(&child.target));
		stop(&child);
	}
}

static void
on_signal(int sig)
{
	(void)sig;
}

/* USR1 caught, USR2 ignored, HUP blocked, WINCH caught, CHLD by default. The
 * child is stopped, so that what is sent stays pending. */
static void
signals_setup(const struct child *child)
{
	sigset_t set;

	(void)child;
	signal(SIGUSR1, on_signal);
	signal(SIGWINCH, on_signal);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static bool
signalled_by(int sig)
{
	struct child child;
	bool yes;
	int status;

	start(&child, signals_setup);
	kill(child.pid, SIGSTOP);
	assert_int_equal(waitpid(child.pid, &status, WUNTRACED), child.pid);
	assert_true(WIFSTOPPED(status));
	assert_false(target_signalled(&child.target));
	kill(child.pid, sig);
	yes = target_signalled(&child.target);
	stop(&child);
	return yes;
}

static void
a_signal_that_would_be_taken_is_seen(void **state)
{
	struct child child;

	(void)state;
	assert_true(signalled_by(SIGUSR1));
	assert_true(signalled_by(SIGTERM));
	assert_true(signalled_by(SIGALRM));
	assert_true(signalled_by(SIGWINCH)); /* caught */
	assert_true(signalled_by(SIGTSTP));
	assert_false(signalled_by(SIGUSR2)); /* ignored */
	assert_false(signalled_by(SIGHUP));  /* blocked */
	assert_false(signalled_by(SIGCHLD)); /* blocked and harmless */
	assert_false(signalled_by(SIGURG));
	start(&child, NULL);
	stop(&child);
	assert_false(target_signalled(&child.target));
}

/* A stopped process with one signal for the process and one for its thread. */
static void
waiting_signals_are_told_apart(void **state)
{
	const uint64_t usr1 = UINT64_C(1) << (SIGUSR1 - 1), alrm = UINT64_C(1) << (SIGALRM - 1);
	const uint64_t caught = usr1 | UINT64_C(1) << (SIGWINCH - 1);
	struct target_signals signals;
	struct child child;
	int status;

	(void)state;
	start(&child, signals_setup);
	kill(child.pid, SIGSTOP);
	assert_int_equal(waitpid(child.pid, &status, WUNTRACED), child.pid);
	assert_int_equal(target_signals(&child.target, &signals), 0);
	assert_true(signals.own == 0 && signals.shared == 0 && signals.threads == 1);
	kill(child.pid, SIGUSR1);
	kill(child.pid, SIGHUP); /* blocked */
	assert_int_equal(syscall(SYS_tgkill, child.pid, child.pid, SIGALRM), 0);
	assert_int_equal(target_signals(&child.target, &signals), 0);
	assert_true(signals.own == alrm);
	assert_true(signals.shared == usr1);
	assert_true((signals.caught & (caught | alrm)) == caught);
	stop(&child);
	assert_true(target_signals(&child.target, &signals) < 0);
}

/* A copy of a program in a directory of its own, with that mode; runs until it is killed. */
static pid_t
start_copy(const char *dir, mode_t mode, char path[PATH_MAX])
{
	int in = open("/bin/sleep", O_RDONLY | O_CLOEXEC), out, ready[2];
	struct stat st;
	pid_t pid;
	char c;

	snprintf(path, PATH_MAX, "%s/program", dir);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(in >= 0 && out >= 0 && fstat(in, &st) == 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)st.st_size), st.st_size);
	assert_int_equal(fchmod(out, mode), 0);
	close(in);
	close(out);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, "1000", NULL);
		(void)!write(ready[1], "x", 1);
		_exit(1);
	}
	close(ready[1]);
	/* It is closed by the exec. */
	assert_int_equal(read(ready[0], &c, 1), 0);
	close(ready[0]);
	return pid;
}

static void
a_file_that_gives_rights_is_known(void **state)
{
	static const struct {
		mode_t mode;
		bool privileged;
	} rows[] = { { 0755, false }, { 04755, true }, { 02755, true }, { 01755, false } };
	char dir[SCRATCH_PATH], path[PATH_MAX];

	(void)state;
	scratch_make(dir, sizeof(dir));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = start_copy(dir, rows[i].mode, path);
		struct target target;

		target_init(&target, pid);
		assert_int_equal(target_is_privileged(&target), rows[i].privileged);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		/* A process that is gone. */
		assert_false(target_is_privileged(&target));
		target_finish(&target);
		assert_int_equal(unlink(path), 0);
	}
	scratch_remove(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_copied_to_their_end),
		cmocka_unit_test(bad_strings_give_plain_errors),
		cmocka_unit_test(the_longest_path_fits),
		cmocka_unit_test(memory_is_read_and_written_whole),
		cmocka_unit_test(one_who_cannot_be_looked_into_is_eacces),
		cmocka_unit_test(descriptors_and_places_are_its_own),
		cmocka_unit_test(a_thread_is_not_its_process),
		cmocka_unit_test(where_a_path_begins_is_never_remembered),
		cmocka_unit_test(a_kept_link_ends_with_its_thread),
		cmocka_unit_test(what_it_runs_is_the_kernels_word),
		cmocka_unit_test(a_file_that_gives_rights_is_known),
		cmocka_unit_test(who_tells_the_start_time),
		cmocka_unit_test(only_the_same_ids_without_capabilities_are_us),
		cmocka_unit_test(a_signal_that_would_be_taken_is_seen),
		cmocka_unit_test(waiting_signals_are_told_apart),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
