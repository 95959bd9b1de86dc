/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the world of one attack and tells its state as text: files with their
 * content, modes, owners, times, attributes and flags; what the victim is and
 * has heard; shared objects; a terminal; keys. Trusts nothing that the attack
 * says: all of it is read from the kernel. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include "hostile-world.h"

#define GET_FLAGS 0x80086601 /* FS_IOC_GETFLAGS */
#define SET_FLAGS 0x40086602
#define GET_VERSION 0x80087601
#define USER_KEYRING -4

static const struct timespec old_times[2] = { { .tv_sec = 900000000 }, { .tv_sec = 900000000 } };

static int
file_with(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
		fchmod(fd, mode) < 0 || futimens(fd, old_times) < 0) {
		perror(path);
		return -1;
	}
	close(fd);
	return 0;
}

static int
make_dirs(const struct made *m)
{
	const char *const names[] = { m->home, m->w.folder, m->w.outside, m->tmp, m->run,
		in(m->home, ".config"), in(m->home, ".config/ambit"), in(m->home, ".local"),
		in(m->home, "other"), in(m->home, ".local/state"), in(m->w.outside, "full"),
		in(m->w.outside, "empty"), in(m->w.folder, ".git"), in(m->w.folder, ".git/hooks"),
		in(m->w.folder, "sub"), in(m->w.folder, "nested"), in(m->w.folder, "nested/.git"),
		in(m->w.folder, "nested/.git/hooks") };
	static const char *const in_git[] = { "logs", "refs", "modules", "modules/a" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (mkdir(names[i], 0700) < 0) {
			perror(names[i]);
			return -1;
		}
	}
	for (size_t i = 0; i < COUNT(in_git); i++)
		if (mkdir(in(in(m->w.folder, ".git"), in_git[i]), 0700) < 0)
			return -1;
	return 0;
}

static void
copy(const char *from_dir, const char *to_dir, const char *name)
{
	char bytes[65536];
	ssize_t n;
	int from = open(in(from_dir, name), O_RDONLY | O_CLOEXEC), to;

	if (from < 0)
		return;
	to = open(in(to_dir, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		(void)!write(to, bytes, (size_t)n);
	close(from);
	close(to);
}

static int
make_files(struct made *m, const char *template)
{
	struct world *w = &m->w;
	struct stat st;

	if (file_with(w->file, "kept\n", 0640) < 0 ||
		file_with(in(w->outside, "full/two"), "two\n", 0600) < 0 ||
		file_with(w->config, "{}\n", 0600) < 0 ||
		file_with(in(w->folder, ".ambit.json"), "{}\n", 0600) < 0 ||
		file_with(in(w->folder, ".git/config"), "[core]\n", 0600) < 0 ||
		file_with(in(w->folder, "nested/.git/config"), "[core]\n", 0600) < 0 ||
		file_with(in(w->folder, ".git/hooks/pre-push"), "#!/bin/sh\n", 0700) < 0 ||
		file_with(in(w->folder, "sub/mine"), "mine\n", 0600) < 0 ||
		file_with(w->scratch, "others\n", 0600) < 0 ||
		symlink("file", in(w->outside, "link")) < 0 || stat(w->file, &st) < 0)
		return -1;
	w->inode = (int64_t)st.st_ino;
	(void)!setxattr(w->file, "user.old", "1", 1, 0);
	if (template == NULL)
		return 0;
	if (mkdir(w->state, 0700) < 0)
		return -1;
	copy(template, w->state, "ambit.db");
	copy(template, w->state, "ambit.db-wal");
	return 0;
}

static int
make_shared(struct made *m)
{
	struct world *w = &m->w;
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 64 };
	struct {
		long type;
		char text[16];
	} message = { .type = 1, .text = SECRET };
	sem_t *sem;
	char *at;
	int fd;

	w->key = (key_t)(0x48000000 | (getpid() & 0xffff) << 8 | (rand() & 0xff));
	w->shmid = shmget(w->key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	w->semid = semget(w->key, 1, IPC_CREAT | IPC_EXCL | 0600);
	w->msgid = msgget(w->key, IPC_CREAT | IPC_EXCL | 0600);
	if (w->shmid < 0 || w->semid < 0 || w->msgid < 0) {
		perror("SysV objects");
		return -1;
	}
	at = shmat(w->shmid, NULL, 0);
	if (at == (void *)-1 || msgsnd(w->msgid, &message, sizeof(message.text), 0) < 0)
		return -1;
	memcpy(at, SECRET, sizeof(SECRET));
	shmdt(at);
	m->mq = mq_open(
		w->mq_name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &attr);
	if (m->mq < 0 || mq_send(m->mq, SECRET, sizeof(SECRET), 1) < 0) {
		perror("message queue");
		return -1;
	}
	fd = shm_open(w->shm_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, SECRET, sizeof(SECRET)) < 0) {
		perror("shared memory");
		return -1;
	}
	close(fd);
	sem = sem_open(w->shm_name, O_CREAT | O_EXCL, 0600, 3);
	if (sem == SEM_FAILED) {
		perror("semaphore");
		return -1;
	}
	sem_close(sem);
	w->keyring_key =
		syscall(SYS_add_key, "user", w->mq_name, SECRET, sizeof(SECRET), USER_KEYRING);
	if (w->keyring_key < 0)
		w->keyring_key = 0;
	else /* KEYCTL_SETPERM */
		syscall(SYS_keyctl, 5, w->keyring_key, 0x3f3f0000);
	return 0;
}

/* A line was typed there, and nobody has read it yet. */
static int
make_terminal(struct made *m)
{
	struct pollfd typed = { .events = POLLIN };
	struct termios modes;

	m->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (m->master < 0 || grantpt(m->master) < 0 || unlockpt(m->master) < 0 ||
		ptsname_r(m->master, m->w.terminal, sizeof(m->w.terminal)) != 0)
		return -1;
	m->terminal = open(m->w.terminal, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (m->terminal < 0 || tcgetattr(m->terminal, &modes) < 0)
		return -1;
	modes.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(m->terminal, TCSANOW, &modes);
	if (write(m->master, SECRET "\n", sizeof(SECRET)) != (ssize_t)sizeof(SECRET))
		return -1;
	/* A worker of the kernel carries it over. */
	typed.fd = m->terminal;
	return poll(&typed, 1, 5000) == 1 ? 0 : -1;
}

static int
start_victim(struct made *m)
{
	int fds[L_N], pair[2], given[2];
	char byte;

	for (int i = 0; i < L_N; i++)
		fds[i] = -1;
	if (listeners_open(m, fds) < 0 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, given) < 0)
		return -1;
	m->w.victim = fork();
	if (m->w.victim == 0) {
		close(pair[0]);
		close(given[0]);
		victim_main(m, fds, pair[1], given[1]);
	}
	close(pair[1]);
	close(given[1]);
	for (int i = 0; i < L_N; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	m->sync = pair[0];
	m->inherited = given[0];
	if (m->w.victim < 0 || read(m->sync, &byte, 1) != 1)
		return -1;
	m->w.word = m->counts->word;
	return 0;
}

static void
name_all(struct made *m, const char *base)
{
	static unsigned serial;
	struct world *w = &m->w;
	char tag[40];

	snprintf(tag, sizeof(tag), "%d.%u.%x", (int)getpid(), serial++, (unsigned)rand() & 0xffff);
	snprintf(w->dir, LENGTH, "%s", base);
	snprintf(m->home, LENGTH, "%s", in(base, "home"));
	snprintf(m->tmp, LENGTH, "%s", in(base, "tmp"));
	snprintf(m->run, LENGTH, "%s", in(base, "run"));
	snprintf(w->folder, LENGTH, "%s", in(base, "home/project"));
	snprintf(w->outside, LENGTH, "%s", in(base, "outside"));
	snprintf(w->file, LENGTH, "%s", in(w->outside, "file"));
	snprintf(w->state, LENGTH, "%s", in(base, "home/.local/state/ambit"));
	snprintf(w->config, LENGTH, "%s", in(base, "home/.config/ambit/config.json"));
	snprintf(w->scratch, LENGTH, "/tmp/ambit-hostile-other.%s", tag);
	snprintf(w->own, LENGTH, "/tmp/ambit-hostile-own.%s", tag);
	snprintf(w->shm_name, sizeof(w->shm_name), "/ambit-hostile.%s", tag);
	snprintf(w->mq_name, sizeof(w->mq_name), "/ambit-hostile.%s", tag);
	snprintf(w->stream_path, sizeof(w->stream_path), "%s", in(w->outside, "stream"));
	snprintf(w->dgram_path, sizeof(w->dgram_path), "%s", in(w->outside, "dgram"));
	snprintf(w->packet_path, sizeof(w->packet_path), "%s", in(w->outside, "packet"));
	snprintf(w->given_path, sizeof(w->given_path), "%s", in(w->folder, "given"));
	snprintf(w->stream_name, sizeof(w->stream_name), "ambit-hostile-s.%s", tag);
	snprintf(w->dgram_name, sizeof(w->dgram_name), "ambit-hostile-d.%s", tag);
}

int
world_make(struct made *m, const char *base, const char *template)
{
	*m = (struct made){ .sync = -1,
		.inherited = -1,
		.master = -1,
		.terminal = -1,
		.mq = -1,
		.listener = -1,
		.datagrams = -1,
		.queue = -1,
		.segment = -1,
		.w = { .shmid = -1, .semid = -1, .msgid = -1 } };
	m->counts = mmap(NULL, sizeof(*m->counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	name_all(m, base);
	if (m->counts == MAP_FAILED || make_dirs(m) < 0 || make_files(m, template) < 0 ||
		make_shared(m) < 0 || make_terminal(m) < 0 || start_victim(m) < 0) {
		perror("the world");
		return -1;
	}
	return 0;
}

static void
tell_attributes(FILE *out, const char *path)
{
	char names[1024], value[256];
	ssize_t n = llistxattr(path, names, sizeof(names));

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
		ssize_t len = lgetxattr(path, names + i, value, sizeof(value));

		fprintf(out, " %s(%zd)", names + i, len);
	}
}

static void
tell_content(FILE *out, const char *path, const struct stat *st)
{
	char bytes[256];
	unsigned flags = 0, version = 0;
	ssize_t n = 0;
	int fd;

	if (S_ISLNK(st->st_mode)) {
		n = readlink(path, bytes, sizeof(bytes) - 1);
		fprintf(out, " -> %.*s", (int)n, bytes);
	}
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);
	if (fd < 0)
		return;
	if (ioctl(fd, GET_FLAGS, &flags) == 0)
		fprintf(out, " flags %x", flags);
	if (ioctl(fd, GET_VERSION, &version) == 0)
		fprintf(out, " version %x", version);
	if (S_ISREG(st->st_mode)) {
		n = read(fd, bytes, sizeof(bytes));
		fprintf(out, " '%.*s'", n > 0 ? (int)n - (bytes[n - 1] == '\n') : 0, bytes);
	}
	close(fd);
}

/* One line; `when` also tells times, which change with any change. */
static void
tell_file(FILE *out, const char *path, bool when)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		fprintf(out, "%s: not there\n", path);
		return;
	}
	fprintf(out, "%s: %ju mode %o links %ju owner %u:%u size %jd", path, (uintmax_t)st.st_ino,
		st.st_mode, (uintmax_t)(S_ISDIR(st.st_mode) && !when ? 0 : st.st_nlink), st.st_uid,
		st.st_gid, (intmax_t)(S_ISDIR(st.st_mode) ? 0 : st.st_size));
	if (when)
		fprintf(out, " m %jd.%09ld c %jd.%09ld", (intmax_t)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	tell_attributes(out, path);
	tell_content(out, path, &st);
	fprintf(out, "\n");
}

static void
tell_tree(FILE *out, const char *path)
{
	struct dirent **list;
	int n;

	tell_file(out, path, true);
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char below[2 * LENGTH];

		if (strcmp(list[i]->d_name, ".") != 0 && strcmp(list[i]->d_name, "..") != 0) {
			snprintf(below, sizeof(below), "%s/%s", path, list[i]->d_name);
			tell_tree(out, below);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void
tell_text(FILE *out, const char *path)
{
	char bytes[1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	fprintf(out, "%s: %.*s\n", path, n > 0 ? (int)n : 4, n > 0 ? bytes : "none");
	if (fd >= 0)
		close(fd);
}

/* A daemon holds a lock as long as it or anything it started is there. */
static void
tell_daemon(FILE *out, const struct world *w)
{
	int fd = open(in(w->folder, "daemon"), O_RDWR | O_CLOEXEC);

	fprintf(out, "%s daemon\n", fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 ? "a live" : "no");
	if (fd >= 0)
		close(fd);
}

/* Its content is the run's own work; that it is the same database is not. */
static void
tell_record(FILE *out, const struct world *w)
{
	struct stat st = { 0 };
	char start[16] = "";
	int fd = open(in(w->state, "ambit.db"), O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &st) == 0 && read(fd, start, 15) == 15)
		fprintf(out, "record: %ju %o %ju %s\n", (uintmax_t)st.st_ino, st.st_mode,
			(uintmax_t)st.st_nlink, start);
	else
		fprintf(out, "record: none\n");
	if (fd >= 0)
		close(fd);
}

/* Symlinks in a git directory, and what git would take for a config or run as a hook. */
static void
tell_git(FILE *out, const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char path[2 * LENGTH];
		struct stat st = { 0 };

		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		(void)lstat(path, &st);
		if (S_ISLNK(st.st_mode) || strcmp(list[i]->d_name, "config") == 0 ||
			strcmp(list[i]->d_name, "evil") == 0)
			tell_text(out, path);
		else if (S_ISDIR(st.st_mode) && list[i]->d_name[0] != '.')
			tell_git(out, path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void
tell_folder(FILE *out, const struct world *w)
{
	static const char *const watched[] = { ".ambit.json", ".git", ".git/config", ".git/hooks",
		".git/hooks/pre-push", ".git/hooks/pre-commit", ".git/commondir", ".envrc",
		".mcp.json", ".claude/settings.json", ".claude/hooks", ".claude/hooks/evil",
		"nested/.git", "nested/.git/hooks", "nested/.git/hooks/pre-commit",
		"nested/.git/config", "born", "loot" };
	struct stat st;

	/* What it is, not its mode: that is the session's own to change. */
	if (lstat(w->folder, &st) == 0)
		fprintf(out, "folder: %ju %o\n", (uintmax_t)st.st_ino, st.st_mode & S_IFMT);
	else
		fprintf(out, "folder: not there\n");
	for (size_t i = 0; i < COUNT(watched); i++)
		tell_file(out, in(w->folder, watched[i]), false);
	tell_git(out, in(w->folder, ".git"));
	tell_daemon(out, w);
	tell_file(out, w->config, true);
}

static char
process_state(pid_t pid)
{
	char name[64], text[512] = "", *end;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 'X';
	close(fd);
	end = strrchr(text, ')');
	return end != NULL && end[1] == ' ' ? end[2] : 'X';
}

/* All that came before is counted when the answer is there. */
static void
sync_victim(struct made *m)
{
	struct pollfd p = { .fd = m->sync, .events = POLLIN };
	char byte = 's';

	if (send(m->sync, &byte, 1, MSG_NOSIGNAL) == 1 && poll(&p, 1, 2000) == 1)
		(void)!read(m->sync, &byte, 1);
}

static void
tell_victim(FILE *out, struct made *m)
{
	pid_t pid = m->w.victim;
	char state = process_state(pid), name[64];
	struct rlimit limit = { 0 };
	struct sched_param param = { 0 };
	struct counts *c = m->counts;
	int64_t word = 0;
	struct iovec mine = { &word, sizeof(word) }, its = { (void *)m->w.word, sizeof(word) };
	cpu_set_t cpus;

	if (state == 'Z' || state == 'X' || state == 'T' || state == 't') {
		fprintf(out, "victim: %c\n", state);
		return;
	}
	sync_victim(m);
	state = process_state(pid);
	CPU_ZERO(&cpus);
	prlimit(pid, RLIMIT_NOFILE, NULL, &limit);
	sched_getaffinity(pid, sizeof(cpus), &cpus);
	sched_getparam(pid, &param);
	process_vm_readv(pid, &mine, 1, &its, 1, 0);
	fprintf(out, "victim: %s word %jd limit %ju nice %d policy %d %d cpus %d ioprio %ld\n",
		strchr("ZXTt", state) == NULL ? "alive" : "not well", (intmax_t)word,
		(uintmax_t)limit.rlim_cur, getpriority(PRIO_PROCESS, (id_t)pid),
		sched_getscheduler(pid), param.sched_priority, CPU_COUNT(&cpus),
		syscall(SYS_ioprio_get, 1, pid));
	fprintf(out,
		"heard: signals %u tcp %u udp %u stream %u dgram %u packet %u abstract %u %u "
		"given %u fifo %u netlink %u inherited %u\n",
		c->signals, c->tcp, c->udp, c->unix_stream, c->unix_dgram, c->unix_packet,
		c->abstract_stream, c->abstract_dgram, c->given, c->fifo, c->netlink, c->inherited);
	snprintf(name, sizeof(name), "/proc/%d/oom_score_adj", (int)pid);
	tell_text(out, name);
	snprintf(name, sizeof(name), "/proc/%d/coredump_filter", (int)pid);
	tell_text(out, name);
}

static void
tell_semaphore(FILE *out, const struct world *w)
{
	sem_t *sem = sem_open(w->shm_name, 0);
	int value = -1;

	if (sem != SEM_FAILED) {
		sem_getvalue(sem, &value);
		sem_close(sem);
	}
	fprintf(out, "semaphore: %d\n", value);
}

static void
tell_shared(FILE *out, struct made *m)
{
	struct world *w = &m->w;
	struct shmid_ds shm = { 0 };
	struct semid_ds sem = { 0 };
	struct msqid_ds msg = { 0 };
	struct mq_attr attr = { 0 };
	char key[64] = "", *at = shmat(w->shmid, NULL, SHM_RDONLY);

	fprintf(out, "shm: '%s'", at != (void *)-1 ? at : "none");
	if (at != (void *)-1)
		shmdt(at);
	if (shmctl(w->shmid, IPC_STAT, &shm) == 0)
		fprintf(out, " mode %o", shm.shm_perm.mode);
	fprintf(out, "\nsem: %d ", semctl(w->semid, 0, GETVAL));
	if (semctl(w->semid, 0, IPC_STAT, &sem) == 0)
		fprintf(out, "mode %o", sem.sem_perm.mode);
	if (msgctl(w->msgid, IPC_STAT, &msg) == 0)
		fprintf(out, "\nmsg: %ju messages, mode %o", (uintmax_t)msg.msg_qnum,
			msg.msg_perm.mode);
	if (mq_getattr(m->mq, &attr) == 0)
		fprintf(out, "\nmq: %ld messages", attr.mq_curmsgs);
	mqd_t again = mq_open(w->mq_name, O_RDONLY | O_CLOEXEC);

	fprintf(out, " under its name: %s\n", again >= 0 ? "yes" : "no");
	if (again >= 0)
		mq_close(again);
	tell_semaphore(out, w);
	if (w->keyring_key != 0) {
		long n = syscall(
			SYS_keyctl, 11 /* KEYCTL_READ */, w->keyring_key, key, sizeof(key) - 1);

		fprintf(out, "key: %ld '%s'\n", n, n > 0 ? key : "");
	}
}

static void
tell_terminal(FILE *out, struct made *m)
{
	struct termios modes = { 0 };
	struct winsize size = { 0 };
	struct stat st = { 0 };
	char bytes[256];
	int waiting = -1;
	ssize_t n;

	tcgetattr(m->terminal, &modes);
	ioctl(m->terminal, FIONREAD, &waiting);
	ioctl(m->master, TIOCGWINSZ, &size);
	n = read(m->master, bytes, sizeof(bytes));
	fstat(m->terminal, &st);
	fprintf(out,
		"terminal: modes %x %x %x %x, %d typed, %d rows, shows '%.*s', mode %o, old %d\n",
		modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag, waiting, size.ws_row,
		n > 0 ? (int)n : 0, bytes, st.st_mode, st.st_mtime == 1);
}

/* What the runner did because the attack asked for it. */
static void
tell_asked(FILE *out, struct made *m)
{
	int fd;

	while (m->listener >= 0 && (fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		m->came++;
		close(fd);
	}
	fprintf(out, "at the asked listener: %u; reached from elsewhere: %u; record blocked: %u\n",
		m->came, m->reached, m->blocked);
}

char *
world_state(struct made *m)
{
	char *text = NULL, shm[LENGTH];
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (out == NULL)
		return NULL;
	tell_tree(out, m->w.outside);
	tell_folder(out, &m->w);
	tell_record(out, &m->w);
	tell_asked(out, m);
	taker_tell(out, m);
	tell_file(out, m->w.scratch, true);
	snprintf(shm, sizeof(shm), "/dev/shm%s", m->w.shm_name);
	tell_file(out, shm, true);
	tell_victim(out, m);
	tell_shared(out, m);
	tell_terminal(out, m);
	fclose(out);
	return text;
}

/* By descriptors and single names, and never through a link: what attacks leave
 * behind is not to be trusted with anybody's files. */
static void
remove_at(int dir, const char *name, int depth)
{
	int flags = 0, fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *e;
	DIR *list;

	if (fd < 0 && errno == EACCES && fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || depth > 40) {
		unlinkat(dir, name, 0);
		if (fd >= 0)
			close(fd);
		return;
	}
	fchmod(fd, 0700);
	ioctl(fd, SET_FLAGS, &flags);
	list = fdopendir(fd);
	while (list != NULL && (e = readdir(list)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_at(fd, e->d_name, depth + 1);
	}
	if (list != NULL)
		closedir(list);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void
remove_tree(const char *path)
{
	remove_at(AT_FDCWD, path, 0);
}

/* The daemon that an attack leaves behind is known by the file it wrote. */
static void
end_daemon(const struct world *w)
{
	char text[32] = "";
	int fd = open(in(w->folder, "daemon"), O_RDONLY | O_CLOEXEC);
	pid_t pid;

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		pid = (pid_t)strtol(text, NULL, 10);
		if (pid > 1)
			kill(pid, SIGKILL);
	}
	close(fd);
}

void
world_end(struct made *m)
{
	struct world *w = &m->w;

	end_daemon(w);
	taker_end(m);
	if (w->victim > 0) {
		kill(w->victim, SIGKILL);
		waitpid(w->victim, NULL, 0);
	}
	if (w->shmid >= 0)
		shmctl(w->shmid, IPC_RMID, NULL);
	if (w->semid >= 0)
		semctl(w->semid, 0, IPC_RMID);
	if (w->msgid >= 0)
		msgctl(w->msgid, IPC_RMID, NULL);
	if (m->mq >= 0) {
		mq_close(m->mq);
		mq_unlink(w->mq_name);
	}
	shm_unlink(w->shm_name);
	sem_unlink(w->shm_name);
	if (w->keyring_key != 0) {
		syscall(SYS_keyctl, 3 /* KEYCTL_REVOKE */, w->keyring_key);
		syscall(SYS_keyctl, 9 /* KEYCTL_UNLINK */, w->keyring_key, USER_KEYRING);
	}
	unlink(w->scratch);
	remove_tree(w->own);
	for (int i = 0; i < 5; i++) {
		const int fds[] = { m->sync, m->inherited, m->master, m->terminal, m->listener };

		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (m->counts != MAP_FAILED && m->counts != NULL)
		munmap(m->counts, sizeof(*m->counts));
	remove_tree(w->dir);
}
