/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks by other doors of the kernel: other system call tables, io_uring, new
 * namespaces, mounts, programs with more rights, filters and tracers of one's
 * own, and one's own Landlock domain. */

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

/* ---- other tables ---- */

#ifdef __x86_64__
static long
int80(long nr, const char *path, long b, long c)
{
	char *low = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long r;

	if (low == MAP_FAILED)
		return -ENOMEM;
	snprintf(low, 4096, "%s", path);
	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(low), "c"(b), "d"(c)
			 : "r8", "r9", "r10", "r11", "memory");
	return (int)r;
}

/* Without the 32-bit table the instruction is a fault. */
static void
need_int80(const struct world *w)
{
	pid_t pid;
	int status = 0;

	if (!w->plain)
		return;
	pid = fork();
	if (pid == 0)
		_exit(int80(20 /* getpid */, "", 0, 0) == getpid() ? 0 : 1);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		cannot("no 32-bit system calls");
}

static void
int80_open(const struct world *w)
{
	need_int80(w);
	spoil((int)int80(5, w->file, O_WRONLY | O_TRUNC, 0));
}

static void
int80_chmod(const struct world *w)
{
	need_int80(w);
	int80(15, w->file, 0777, 0);
}

static void
int80_unlink(const struct world *w)
{
	need_int80(w);
	int80(10, w->file, 0, 0);
}

static void
int80_socketcall(const struct world *w)
{
	need_int80(w);
	/* chown32, utime and mkdir of the same table */
	int80(212, w->file, (long)getuid(), (long)getgid());
	int80(30, w->file, 0, 0);
	int80(39, in(w->outside, "new"), 0755, 0);
}

#define X32 0x40000000

static void
x32_chmod(const struct world *w)
{
	if (syscall(X32 | 90, w->file, 0777) < 0 && errno == ENOSYS && w->plain)
		cannot("no x32 system calls");
}

static void
x32_open(const struct world *w)
{
	long fd = syscall(X32 | 2, w->file, O_WRONLY | O_TRUNC, 0);

	if (fd < 0 && errno == ENOSYS && w->plain)
		cannot("no x32 system calls");
	spoil((int)fd);
	syscall(X32 | 87, w->file);
}
#endif

/* The number in the upper half of the register does not count. */
static void
number_high_bits(const struct world *w)
{
	syscall((long)(0x100000000UL | SYS_fchmodat), AT_FDCWD, w->file, 0777);
	if (w->plain)
		syscall(SYS_fchmodat, AT_FDCWD, w->file, 0777);
}

/* ---- io_uring ---- */

struct ring {
	int fd;
	unsigned *sq_tail, *sq_mask, *sq_array;
	char *sqes;
};

#define IORING_OPENAT 18
#define IORING_UNLINKAT 36

static bool
ring_make(struct ring *r)
{
	uint32_t params[30] = { 0 };
	char *sq;

	r->fd = (int)syscall(SYS_io_uring_setup, 4, params);
	if (r->fd < 0)
		return false;
	/* params: sq_entries 0, cq_entries 1, ..., sq_off from 10 on */
	sq = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	r->sqes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0x10000000);
	if (sq == MAP_FAILED || r->sqes == MAP_FAILED)
		return false;
	r->sq_tail = (unsigned *)(void *)(sq + params[11]);
	r->sq_mask = (unsigned *)(void *)(sq + params[12]);
	r->sq_array = (unsigned *)(void *)(sq + params[16]);
	return true;
}

static void
ring_do(struct ring *r, uint8_t op, const char *path, uint32_t flags)
{
	unsigned at = *r->sq_tail & *r->sq_mask;
	char *e = r->sqes + at * 64;
	int32_t dir = AT_FDCWD;
	uint64_t address = (uintptr_t)path;

	memset(e, 0, 64);
	e[0] = (char)op;
	memcpy(e + 4, &dir, 4);
	memcpy(e + 16, &address, 8);
	memcpy(e + 28, &flags, 4);
	r->sq_array[at] = at;
	__atomic_store_n(r->sq_tail, *r->sq_tail + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, r->fd, 1, 1, 1, NULL, 0);
}

static void
uring_open(const struct world *w)
{
	struct ring r;

	if (ring_make(&r))
		ring_do(&r, IORING_OPENAT, w->file, O_WRONLY | O_TRUNC);
	else if (w->plain)
		cannot("no io_uring");
}

static void
uring_unlink(const struct world *w)
{
	struct ring r;

	if (ring_make(&r))
		ring_do(&r, IORING_UNLINKAT, w->file, 0);
	else if (w->plain)
		cannot("no io_uring");
}

/* ---- namespaces, mounts ---- */

static void
loot_namespace(const struct world *w, const char *kind, const char *before)
{
	char now[64] = "", name[64];

	snprintf(name, sizeof(name), "/proc/self/ns/%s", kind);
	if (readlink(name, now, sizeof(now) - 1) > 0 && strcmp(now, before) != 0)
		loot(w, now);
}

static void
new_namespace(const struct world *w, const char *kind, int flags)
{
	char before[64] = "", name[64];

	snprintf(name, sizeof(name), "/proc/self/ns/%s", kind);
	(void)!readlink(name, before, sizeof(before) - 1);
	if (unshare(flags) < 0 && w->plain)
		cannot("no such namespace for this user");
	loot_namespace(w, kind, before);
}

static void
unshare_user(const struct world *w)
{
	new_namespace(w, "user", CLONE_NEWUSER);
}

static void
unshare_net(const struct world *w)
{
	new_namespace(w, "net", CLONE_NEWUSER | CLONE_NEWNET);
}

static void
unshare_mount(const struct world *w)
{
	new_namespace(w, "mnt", CLONE_NEWUSER | CLONE_NEWNS);
}

static void
unshare_ipc(const struct world *w)
{
	new_namespace(w, "ipc", CLONE_NEWUSER | CLONE_NEWIPC | CLONE_NEWUTS);
}

static void
unshare_root(const struct world *w)
{
	new_namespace(w, "mnt", CLONE_NEWNS);
}

static void
in_child_namespace(const struct world *w, long pid, const char *before)
{
	if (pid == 0) {
		loot_namespace(w, "user", before);
		_exit(0);
	}
	if (pid > 0)
		waitpid((pid_t)pid, NULL, __WALL);
	else if (w->plain)
		cannot("no user namespaces for this user");
}

static void
clone_user(const struct world *w)
{
	char before[64] = "";

	(void)!readlink("/proc/self/ns/user", before, sizeof(before) - 1);
	in_child_namespace(
		w, syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL), before);
}

static void
clone3_user(const struct world *w)
{
	uint64_t args[11] = { CLONE_NEWUSER, 0, 0, 0, SIGCHLD };
	char before[64] = "";

	(void)!readlink("/proc/self/ns/user", before, sizeof(before) - 1);
	in_child_namespace(w, syscall(SYS_clone3, args, sizeof(args)), before);
}

/* Rights of its own, if it can get them. */
static void
become_mounter(const struct world *w)
{
	if (geteuid() == 0 ? unshare(CLONE_NEWNS) < 0 : unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
		if (w->plain)
			cannot("no mounts for this user");
	}
}

static void
mount_over(const struct world *w)
{
	struct statfs fs;

	become_mounter(w);
	if (mount("none", in(w->folder, "sub"), "tmpfs", 0, NULL) < 0 && w->plain)
		cannot("no tmpfs for this user");
	if (statfs(in(w->folder, "sub"), &fs) == 0 && access(in(w->folder, "sub/mine"), F_OK) < 0)
		loot(w, "a mount");
}

static void
mount_bind(const struct world *w)
{
	become_mounter(w);
	if (mount(w->outside, in(w->folder, "sub"), NULL, MS_BIND, NULL) < 0 && w->plain)
		cannot("no bind mounts for this user");
	spoil(open(in(w->folder, "sub/file"), O_WRONLY));
}

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif

static void
mount_tree(const struct world *w)
{
	int tree;

	become_mounter(w);
	tree = (int)syscall(SYS_open_tree, AT_FDCWD, w->outside, OPEN_TREE_CLONE);
	if (tree < 0 && w->plain)
		cannot("no open_tree for this user");
	spoil(openat(tree, "file", O_WRONLY));
}

static void
change_root(const struct world *w)
{
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0 && w->plain)
		cannot("no chroot for this user");
	if (chroot(w->outside) < 0)
		return;
	(void)!chdir("/");
	spoil(open("/file", O_WRONLY));
}

static void
enter_namespace(const struct world *w)
{
	if (setns((int)syscall(SYS_pidfd_open, w->victim, 0), CLONE_NEWNS) == 0)
		loot(w, "another namespace");
}

static void
host_name(const struct world *w)
{
	struct utsname name;

	if (w->plain && unshare(CLONE_NEWUTS) < 0)
		cannot("not in a namespace of its own");
	(void)!sethostname("hostile", 7);
	if (uname(&name) == 0 && strcmp(name.nodename, "hostile") == 0)
		loot(w, "the name of the machine");
}

static void
file_handle(const struct world *w)
{
	struct {
		struct file_handle head;
		unsigned char bytes[128];
	} handle = { .head = { .handle_bytes = 128 } };
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, w->file, &handle.head, &mount_id, 0) < 0 && w->plain)
		cannot("no file handles here");
	spoil(open_by_handle_at(open(w->outside, O_RDONLY), &handle.head, O_WRONLY));
}

/* ---- more rights, more sight ---- */

static bool
has_root(pid_t pid)
{
	char name[64], line[256];
	unsigned real, effective = 1;
	FILE *status;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	status = fopen(name, "re");
	while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			break;
	}
	if (status != NULL)
		fclose(status);
	return effective == 0;
}

/* It waits for a password as long as the pipe is open. */
static void
exec_setuid(const struct world *w)
{
	static const char *const programs[] = { "/usr/bin/su", "/bin/su", "/usr/bin/passwd" };
	const char *program = NULL;
	struct stat st;
	int gate[2];
	pid_t pid;

	for (size_t i = 0; i < COUNT(programs) && program == NULL; i++) {
		if (stat(programs[i], &st) == 0 && st.st_mode & S_ISUID && st.st_uid == 0)
			program = programs[i];
	}
	if (program == NULL || pipe(gate) < 0)
		cannot("no program with the set-user-ID bit");
	pid = fork();
	if (pid == 0) {
		dup2(gate[0], 0);
		close(gate[1]);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 100; i++) {
		if (has_root(pid)) {
			loot(w, "root");
			break;
		}
		usleep(3000);
	}
	close(gate[0]);
	close(gate[1]);
	kill(pid, SIGKILL);
	reap(pid);
}

static void
perf_events(const struct world *w)
{
	uint32_t attr[32] = { 1 /* software */, sizeof(attr), 0 /* cpu-clock */ };

	attr[10] = 1 << 5 | 1 << 6; /* not the kernel, not the hypervisor */
	if (syscall(SYS_perf_event_open, attr, w->victim, -1, -1, 0) >= 0)
		loot(w, "counts of another process");
	else if (w->plain)
		cannot("no perf events for this user");
}

static void
bpf_map(const struct world *w)
{
	uint32_t attr[30] = { 2 /* array */, 4, 4, 1 };

	if (syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, attr, sizeof(attr)) >= 0)
		loot(w, "a map in the kernel");
	else if (w->plain)
		cannot("no bpf for this user");
}

static void
user_faults(const struct world *w)
{
	if (syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */ | O_CLOEXEC) >= 0)
		loot(w, "faults to answer");
	else if (w->plain)
		cannot("no userfaultfd");
}

static void
fanotify(const struct world *w)
{
	if (syscall(SYS_fanotify_init, 0x200 /* FAN_REPORT_FID */, O_RDONLY) >= 0)
		loot(w, "a watch");
	else if (w->plain)
		cannot("no fanotify for this user");
}

/* ---- filters and tracers of its own ---- */

static bool
filter(unsigned flags, int nr1, int nr2, uint32_t action, int *ret_fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr1, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT(code), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	*ret_fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return *ret_fd >= 0;
}

static void *
answer_continue(void *arg)
{
	int listener = (int)(intptr_t)arg;
	struct seccomp_notif *n = calloc(1, 1024);

	if (n != NULL && ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, n) == 0) {
		struct seccomp_notif_resp r = { .id = n->id,
			.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
	}
	free(n);
	return NULL;
}

/* One try: a listener of its own, which would be asked in place of ambit's. */
static void
own_listener(const struct world *w)
{
	pthread_t thread;
	int fd;

	if (!filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, SYS_fchmodat, -1, SECCOMP_RET_USER_NOTIF,
		    &fd)) {
		if (w->plain)
			cannot("somebody listens already");
		syscall(SYS_fchmodat, AT_FDCWD, w->file, 0777);
		return;
	}
	pthread_create(&thread, NULL, answer_continue, (void *)(intptr_t)fd);
	syscall(SYS_fchmodat, AT_FDCWD, w->file, 0777);
}

static void
own_filter_allows(const struct world *w)
{
	int fd;

	filter(0, -1, -1, SECCOMP_RET_ALLOW, &fd);
	syscall(SYS_fchmodat, AT_FDCWD, w->file, 0777);
	spoil(open(w->file, O_WRONLY));
}

#ifdef __x86_64__
/* The tracer puts another call in the place of a harmless one. */
static void
exchange_call(pid_t pid, const struct world *w)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0 || (long)regs.orig_rax != SYS_getppid)
		return;
	regs.orig_rax = SYS_fchmodat;
	regs.rdi = (unsigned long long)AT_FDCWD;
	regs.rsi = (uintptr_t)w->file;
	regs.rdx = 0777;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static void
trace_child(const struct world *w, bool by_filter)
{
	int status, fd;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		if (by_filter)
			filter(0, SYS_getppid, SYS_fchmodat, SECCOMP_RET_TRACE, &fd);
		for (int i = 0; i < 5; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
		(void *)(long)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	for (int i = 0; i < 200; i++) {
		if (ptrace(by_filter ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, NULL) < 0 ||
			waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return;
		exchange_call(pid, w);
	}
	kill(pid, SIGKILL);
	reap(pid);
}

static void
trace_own_filter(const struct world *w)
{
	trace_child(w, true);
}

static void
trace_system_calls(const struct world *w)
{
	trace_child(w, false);
}
#endif

/* ---- its own Landlock: from then on nothing is done for it ---- */

static void
restrict_itself(const struct world *w)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_DIR |
								   LANDLOCK_ACCESS_FS_MAKE_REG |
								   LANDLOCK_ACCESS_FS_WRITE_FILE };
	int fd;

	/* Without a line it is the control: the same call, not restricted. */
	if (w->plain)
		return;
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

static void
landlock_self(const struct world *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		restrict_itself(w);
		mkdir(in(w->folder, "born"), 0755);
		_exit(0);
	}
	reap(pid);
}

static void
landlock_child(const struct world *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		restrict_itself(w);
		pid = fork();
		if (pid == 0) {
			mkdir(in(w->folder, "born"), 0755);
			execl("/bin/mkdir", "mkdir", in(w->folder, "born"), (char *)NULL);
			_exit(0);
		}
		reap(pid);
		_exit(0);
	}
	reap(pid);
}

static void
landlock_grandchild(const struct world *w, bool subreaper)
{
	int gate[2];
	char byte;
	pid_t pid;

	if (pipe(gate) < 0)
		return;
	if (subreaper)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		pid_t parent = getpid();

		restrict_itself(w);
		if (fork() == 0) {
			close(gate[0]);
			setsid();
			/* Its parent, which restricted itself, is gone. */
			for (int i = 0; i < 1000 && getppid() == parent; i++)
				usleep(1000);
			mkdir(in(w->folder, "born"), 0755);
			make_file(in(w->folder, "born"));
			_exit(0);
		}
		_exit(0);
	}
	close(gate[1]);
	reap(pid);
	(void)!read(gate[0], &byte, 1);
}

static void
landlock_orphan(const struct world *w)
{
	landlock_grandchild(w, false);
}

static void
landlock_subreaper(const struct world *w)
{
	landlock_grandchild(w, true);
}

static void *
restricted_thread(void *arg)
{
	const struct world *w = arg;

	restrict_itself(w);
	mkdir(in(w->folder, "born"), 0755);
	return NULL;
}

/* A domain belongs to a thread, not to its process. */
static void
landlock_thread(const struct world *w)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, restricted_thread, (void *)(uintptr_t)w) == 0)
		pthread_join(thread, NULL);
}

/* Sixteen layers are all there can be; the outside stays outside. */
static void
landlock_all_layers(const struct world *w)
{
	for (int i = 0; i < 20; i++)
		restrict_itself(w);
	spoil(open(w->file, O_WRONLY));
	chmod(w->file, 0777);
	mkdir(in(w->folder, "born"), 0755);
}

static const struct attack list[] = {
#ifdef __x86_64__
	{ "int80-open", int80_open, 0 },
	{ "int80-chmod", int80_chmod, 0 },
	{ "int80-unlink", int80_unlink, 0 },
	{ "int80-others", int80_socketcall, 0 },
	{ "x32-chmod", x32_chmod, 0 },
	{ "x32-open", x32_open, 0 },
	{ "trace-own-filter", trace_own_filter, 0 },
	{ "trace-system-calls", trace_system_calls, 0 },
#endif
	{ "number-high-bits", number_high_bits, 0 },
	{ "io-uring-open", uring_open, 0 },
	{ "io-uring-unlink", uring_unlink, 0 },
	{ "unshare-user", unshare_user, 0 },
	{ "unshare-net", unshare_net, 0 },
	{ "unshare-mount", unshare_mount, 0 },
	{ "unshare-ipc", unshare_ipc, 0 },
	{ "unshare-as-root", unshare_root, AS_ROOT },
	{ "clone-user", clone_user, 0 },
	{ "clone3-user", clone3_user, 0 },
	{ "mount-over", mount_over, 0 },
	{ "mount-bind", mount_bind, 0 },
	{ "mount-open-tree", mount_tree, 0 },
	{ "chroot", change_root, 0 },
	{ "setns", enter_namespace, AS_ROOT },
	{ "sethostname", host_name, AS_ROOT },
	{ "open-by-handle", file_handle, AS_ROOT },
	{ "exec-setuid", exec_setuid, AS_USER },
	{ "perf-events", perf_events, 0 },
	{ "bpf", bpf_map, 0 },
	{ "userfaultfd", user_faults, 0 },
	{ "fanotify", fanotify, 0 },
	{ "own-listener", own_listener, 0 },
	{ "own-filter-allows", own_filter_allows, 0 },
	{ "landlock-self", landlock_self, 0 },
	{ "landlock-child", landlock_child, 0 },
	{ "landlock-orphan", landlock_orphan, 0 },
	{ "landlock-subreaper", landlock_subreaper, 0 },
	{ "landlock-thread", landlock_thread, 0 },
	{ "landlock-all-layers", landlock_all_layers, 0 },
};

const struct attacks attacks_kernel = { list, COUNT(list) };
