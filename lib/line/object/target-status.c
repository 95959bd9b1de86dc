/* SPDX-License-Identifier: Apache-2.0 */
/* Turns what /proc says of a thread into its umask, name, rights and waiting
 * signals. The text is the kernel's own; the one thing in it that the thread
 * chooses is its name. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "line/object/target.h"

/* A status file: some 1.5 KiB, and 11 bytes for each group. */
#define STATUS_MAX 16384

static int
read_text(const char *path, char *text, size_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	for (;;) {
		ssize_t n = read(fd, text + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len == size - 1)
			return -EFBIG;
	}
	text[len] = '\0';
	return 0;
}

static int
read_status(const struct target *target, char text[STATUS_MAX])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)target->tid);
	return read_text(path, text, STATUS_MAX);
}

/* What stands behind "\nUid:"; the kernel writes the newlines in a process' own
 * name as "\n", so that no line can be forged. */
static const char *
find_status_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : NULL;
}

static bool
hex_field(const char *status, const char *name, uint64_t *ret_value)
{
	const char *at = find_status_field(status, name);

	if (!at)
		return false;
	*ret_value = strtoull(at, NULL, 16);
	return true;
}

/* A program that makes one file makes many: the second time the file is kept.
 * It is the thread's, not its number's: of one that is gone there is nothing to
 * read, and the number is asked. */
int
target_umask(struct target *target, mode_t *ret_umask)
{
	char status[STATUS_MAX], path[64];
	const char *at;
	ssize_t n = -1;
	int r;

	if (target->makes && target->status < 0) {
		snprintf(path, sizeof(path), "/proc/%d/status", (int)target->tid);
		target->status = open(path, O_RDONLY | O_CLOEXEC);
	}
	target->makes = true;
	if (target->status >= 0) {
		n = pread(target->status, status, sizeof(status) - 1, 0);
		if (n <= 0)
			close(steal_fd(&target->status));
	}
	/* The kernel gives all of it at once, where there is room. */
	if (n > 0 && n < (ssize_t)sizeof(status) - 1) {
		status[n] = '\0';
	} else {
		r = read_status(target, status);
		if (r < 0)
			return r;
	}
	at = find_status_field(status, "\nUmask:");
	/* A zombie has none. */
	if (!at)
		return -ESRCH;
	*ret_umask = (mode_t)strtoul(at, NULL, 8) & 0777;
	return 0;
}

pid_t
target_pid(const struct target *target)
{
	char status[STATUS_MAX];
	const char *at;
	int r = read_status(target, status);

	if (r < 0)
		return r;
	at = find_status_field(status, "\nTgid:");
	return at ? (pid_t)strtol(at, NULL, 10) : -ESRCH;
}

/* The text of the n-th field of a stat file, from the text of an earlier one; or NULL. */
static const char *
skip_stat_fields(const char *at, int from, int to)
{
	for (int i = from; at && i < to; i++)
		at = *at ? strchr(at + 1, ' ') : NULL;
	return at;
}

/* The addresses of code, stack, arguments and environment, as the kernel set them with the last
 * exec. */
static uint64_t
read_layout(const char *at, int field)
{
	static const int fields[] = { 26, 27, 28, 45, 46, 47, 48, 49, 50, 51 };
	uint64_t layout = HASH_FNV_START, value;

	for (size_t i = 0; at && i < sizeof(fields) / sizeof(fields[0]); i++) {
		at = skip_stat_fields(at, field, fields[i]);
		field = fields[i];
		value = at ? strtoull(at, NULL, 10) : 0;
		layout = hash_fnv(layout, &value, sizeof(value));
	}
	return layout;
}

/* The stat file of a process or thread: when it began and, if wanted, its name, its parent and
 * its layout. */
static int
read_stat(pid_t pid, struct target_who *ret_who, uint64_t *ret_start)
{
	char text[4096], path[64], *open, *close;
	const char *at, *parent;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	r = read_text(path, text, sizeof(text));
	if (r < 0)
		return r;
	/* "12 (name) S 1 ...": the name may hold anything, also ") S 1". */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return -EIO;
	*close = '\0';
	/* Behind the name comes the 3rd field; the parent is the 4th, the start time the 22nd. */
	parent = skip_stat_fields(close + 1, 3, 4);
	at = skip_stat_fields(parent, 4, 22);
	if (!at)
		return -EIO;
	*ret_start = strtoull(at, NULL, 10);
	if (!ret_who)
		return 0;
	snprintf(ret_who->program, sizeof(ret_who->program), "%s", open + 1);
	ret_who->parent = (pid_t)strtol(parent, NULL, 10);
	ret_who->layout = read_layout(at, 22);
	return 0;
}

int
target_who(const struct target *target, struct target_who *ret_who)
{
	struct target_who who = { .pid = target_pid(target) };
	int r;

	if (who.pid < 0)
		return who.pid;
	r = read_stat(who.pid, &who, &who.start);
	if (r == 0)
		*ret_who = who;
	return r;
}

int
target_start(const struct target *target, uint64_t *ret_start)
{
	return read_stat(target->tid, NULL, ret_start);
}

int
target_exe(pid_t pid, char path[PATH_MAX], struct stat *ret_st)
{
	char link[64];
	auto_close int fd = -1;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	fd = open(link, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	/* Of the one that is held: it may become another program meanwhile. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	return 0;
}

bool
target_is_privileged(const struct target *target)
{
	char link[64];
	struct stat st;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)target->tid);
	if (stat(link, &st) < 0)
		return false;
	return (st.st_mode & (S_ISUID | S_ISGID)) ||
	       getxattr(link, "security.capability", NULL, 0) > 0;
}

/* -- its rights --------------------------------------------------------------- */

struct ids {
	unsigned uid[4]; /* real, effective, saved, file system */
	unsigned gid[4];
};

static bool
own_ids(struct ids *ids)
{
	/* (uid_t)-1 is no id: the call changes nothing and tells what was. */
	ids->uid[3] = (unsigned)setfsuid((uid_t)-1);
	ids->gid[3] = (unsigned)setfsgid((gid_t)-1);
	return getresuid(&ids->uid[0], &ids->uid[1], &ids->uid[2]) == 0 &&
	       getresgid(&ids->gid[0], &ids->gid[1], &ids->gid[2]) == 0;
}

static bool
all_same(const unsigned id[4])
{
	return id[0] == id[1] && id[0] == id[2] && id[0] == id[3];
}

static bool
have_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return true;
	return data[0].effective || data[1].effective || data[0].permitted || data[1].permitted;
}

static bool
ids_match(const char *status, const char *name, const unsigned id[4])
{
	const char *at = find_status_field(status, name);

	for (int i = 0; at && i < 4; i++) {
		char *end;

		if (strtoul(at, &end, 10) != id[i] || end == at)
			return false;
		at = end;
	}
	return at;
}

/* Both lists come from the kernel, which keeps them sorted. */
static bool
groups_match(const char *status)
{
	auto_free gid_t *own = NULL;
	const char *at = find_status_field(status, "\nGroups:");
	int n = getgroups(0, NULL);

	if (!at || n < 0)
		return false;
	own = calloc((size_t)n + 1, sizeof(*own));
	if (!own || getgroups(n, own) != n)
		return false;
	for (int i = 0; i < n; i++) {
		char *end;

		at += strspn(at, " \t");
		if (*at == '\n' || strtoul(at, &end, 10) != own[i] || end == at)
			return false;
		at = end;
	}
	return at[strspn(at, " \t")] == '\n';
}

bool
target_is_us(const struct target *target)
{
	struct ids ids;
	char status[STATUS_MAX];
	uint64_t effective, permitted;

	if (!own_ids(&ids))
		return false;
	/* For one who has no capability and one id only, the kernel has compared
	 * already: its cwd can be opened only if its three user and three group
	 * ids are ours, its permitted capabilities none, and it is dumpable. With
	 * no capability there is no other file system id or group to be had. */
	if (ids.uid[0] != 0 && all_same(ids.uid) && all_same(ids.gid) && !have_capabilities()) {
		auto_close int cwd = target_cwd(target);

		return cwd >= 0;
	}
	return read_status(target, status) == 0 && ids_match(status, "\nUid:", ids.uid) &&
	       ids_match(status, "\nGid:", ids.gid) && groups_match(status) &&
	       hex_field(status, "\nCapEff:", &effective) && effective == 0 &&
	       hex_field(status, "\nCapPrm:", &permitted) && permitted == 0;
}

/* -- its signals ---------------------------------------------------------------- */

static uint64_t
get_signal_bit(int sig)
{
	return UINT64_C(1) << (sig - 1);
}

bool
target_signalled(const struct target *target)
{
	/* What does nothing unless it is caught. Stop signals count: a job that
	 * is stopped from the keyboard must stop. */
	const uint64_t harmless = get_signal_bit(SIGCHLD) | get_signal_bit(SIGWINCH) |
				  get_signal_bit(SIGURG) | get_signal_bit(SIGCONT);
	char status[STATUS_MAX];
	uint64_t own, shared, blocked, ignored, caught;

	if (read_status(target, status) < 0)
		return false;
	if (!hex_field(status, "\nSigPnd:", &own) || !hex_field(status, "\nShdPnd:", &shared) ||
		!hex_field(status, "\nSigBlk:", &blocked) ||
		!hex_field(status, "\nSigIgn:", &ignored) ||
		!hex_field(status, "\nSigCgt:", &caught))
		return false;
	return ((own | shared) & ~blocked & ~ignored & ~(harmless & ~caught)) != 0;
}

int
target_signals(const struct target *target, struct target_signals *ret_signals)
{
	struct target_signals signals = { 0 };
	char status[STATUS_MAX];
	uint64_t blocked;
	const char *threads;
	int r = read_status(target, status);

	if (r < 0)
		return r;
	threads = find_status_field(status, "\nThreads:");
	if (!threads || !hex_field(status, "\nSigPnd:", &signals.own) ||
		!hex_field(status, "\nShdPnd:", &signals.shared) ||
		!hex_field(status, "\nSigBlk:", &blocked) ||
		!hex_field(status, "\nSigCgt:", &signals.caught))
		return -ESRCH; /* a zombie */
	signals.own &= ~blocked;
	signals.shared &= ~blocked;
	signals.threads = strtol(threads, NULL, 10);
	*ret_signals = signals;
	return 0;
}

#define THREADS_LOOKED_AT 64

bool
target_must_stop(const struct target *target)
{
	char path[64], status[STATUS_MAX];
	const struct dirent *entry;
	bool stopped = false;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->tid);
	list = opendir(path);
	for (int i = 0; list && !stopped && i < THREADS_LOOKED_AT && (entry = readdir(list)); i++) {
		const struct target other = { .tid = (pid_t)strtol(entry->d_name, NULL, 10) };
		const char *state;

		if (other.tid <= 0 || other.tid == target->tid || read_status(&other, status) < 0)
			continue;
		state = find_status_field(status, "\nState:\t");
		stopped = state && *state == 'T';
	}
	if (list)
		closedir(list);
	return stopped;
}
