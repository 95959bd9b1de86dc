/* SPDX-License-Identifier: Apache-2.0 */
/* hostile [NAME...]: makes every attack twice, each time in a fresh world:
 * without a line, where its effect must be seen, and behind `ambit run`, where
 * the world must stay as it was. AMBIT names the program. An attack that this
 * machine cannot make is a printed skip. Ends in "N passed, N failed".
 *
 * hostile attack NAME WORLD is one attack. Its exit status tells only that it
 * came to its end (42) or that the machine cannot do it (77). */

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile-world.h"

#define AT_ITS_END 42
#define CANNOT 77
#define HUNG 1000
#define RACES 5	       /* of one that must come off without the line */
#define LIMIT 20       /* seconds, and those of a race on top */
#define RACE_LIMIT 600 /* seconds, of one that is counted in tries */

static const struct attacks *const all[] = { &attacks_file, &attacks_place, &attacks_fd,
	&attacks_meta, &attacks_proc, &attacks_other, &attacks_ipc, &attacks_net, &attacks_taken,
	&attacks_kernel, &attacks_edge, &attacks_guard, &attacks_git, &attacks_move,
	&attacks_terminal, &attacks_socket, &attacks_race, &attacks_flip };

static struct {
	char self[LENGTH], ambit[PATH_MAX], template[LENGTH], base[LENGTH];
	double seconds;
	unsigned race_tries;
	struct {
		unsigned passed, failed, skipped;
		unsigned long tries; /* of races, behind the line */
	} * sum;		     /* of all workers */
	int worker;
} run;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the attacking side ---- */

static int
attack_main(const char *name, const char *world)
{
	static struct world w;
	int fd = open(world, O_RDONLY | O_CLOEXEC), ran;

	if (fd < 0 || read(fd, &w, sizeof(w)) != (ssize_t)sizeof(w))
		return 2;
	close(fd);
	/* Kept as a descriptor: the attack may move what stands around it. */
	fd = open(in(w.folder, "ran"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ran = fcntl(fd, F_DUPFD_CLOEXEC, 900);
	close(fd);
	for (size_t i = 0; i < COUNT(all); i++) {
		for (size_t j = 0; j < all[i]->n; j++) {
			if (strcmp(all[i]->list[j].name, name) != 0)
				continue;
			(void)!write(ran, "begin", 5);
			all[i]->list[j].run(&w);
			return write(ran, "end", 3) == 3 ? AT_ITS_END : 3;
		}
	}
	return 2;
}

/* ---- the runner's side ---- */

static void
set_environment(const struct made *m)
{
	clearenv();
	setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", 1);
	setenv("HOME", m->home, 1);
	setenv("TMPDIR", m->tmp, 1);
	setenv("XDG_RUNTIME_DIR", m->run, 1);
	setenv("XDG_STATE_HOME", in(m->home, ".local/state"), 1);
	setenv("XDG_CONFIG_HOME", in(m->home, ".config"), 1);
	setenv("LC_ALL", "C.UTF-8", 1);
}

/* dup2 clears close-on-exec: these are what a careless parent leaves open. */
static void
set_descriptors(const struct made *m, unsigned flags)
{
	int in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC), out, file, dir;

	out = open(in(m->w.dir, "out"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	file = open(m->w.file, O_RDWR | O_CLOEXEC);
	dir = open(m->w.outside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dup2(file, INHERITED_FILE);
	dup2(dir, INHERITED_DIR);
	dup2(m->inherited, INHERITED_SOCKET);
	if (flags & TERMINAL) {
		setsid();
		in_fd = open(m->w.terminal, O_RDWR | O_CLOEXEC);
		ioctl(in_fd, TIOCSCTTY, 0);
	} else {
		setpgid(0, 0);
	}
	if (flags & STDIN_DIR) {
		in_fd = dir;
		out = open(m->w.file, O_RDONLY | O_CLOEXEC);
	}
	if (flags & STDIN_MASTER)
		in_fd = m->master;
	dup2(in_fd, 0);
	dup2(out, 1);
	dup2(out, 2);
}

static void
start(const struct made *m, const struct attack *a, bool line)
{
	const char *argv[20];
	int n = 0;

	set_descriptors(m, a->flags);
	set_environment(m);
	if (chdir(m->w.folder) < 0)
		_exit(3);
	if (line) {
		argv[n++] = run.ambit;
		argv[n++] = "run";
		argv[n++] = "--ask";
		argv[n++] = "deny";
		argv[n++] = "--quiet";
		argv[n++] = "--folder";
		argv[n++] = m->w.folder;
		if (a->flags & TERMINAL)
			argv[n++] = "--no-pty";
		if (a->flags & NET_NONE) {
			argv[n++] = "--net";
			argv[n++] = "none";
		}
		argv[n++] = "--";
	}
	argv[n++] = run.self;
	argv[n++] = "attack";
	argv[n++] = a->name;
	argv[n++] = in(m->w.dir, "world");
	argv[n] = NULL;
	execv(argv[0], (char *const *)argv);
	_exit(3);
}

/* A file at w->scratch that has this inode: whoever remembers only numbers
 * takes it for the one that was removed. */
static bool
recreate(struct made *m, uintmax_t inode)
{
	char name[LENGTH + 20];
	bool found = false;
	struct stat st;
	int n;

	for (n = 0; n < 300 && !found; n++) {
		snprintf(name, sizeof(name), "%s.%d", m->w.scratch, n);
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		found = fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == inode &&
			write(fd, "others\n", 7) == 7;
		if (fd >= 0)
			close(fd);
	}
	if (found)
		found = rename(name, m->w.scratch) == 0;
	while (n-- > 0) {
		snprintf(name, sizeof(name), "%s.%d", m->w.scratch, n);
		unlink(name);
	}
	return found;
}

static bool
listen_there(struct made *m, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1;

	m->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(m->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return bind(m->listener, (void *)&a, sizeof(a)) == 0 && listen(m->listener, 16) == 0;
}

/* As somebody on another machine would, or at least not at 127.0.0.1. */
static bool
reach(struct made *m, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(0x7f000002) };
	struct ifaddrs *list = NULL;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (getifaddrs(&list) == 0) {
		for (struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
			if (i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_INET &&
				!(i->ifa_flags & IFF_LOOPBACK))
				a.sin_addr = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		}
		freeifaddrs(list);
	}
	if (connect(fd, (void *)&a, sizeof(a)) == 0)
		m->reached++;
	close(fd);
	return true;
}

/* The person looks into the record, and starts something, while the attack goes
 * on. Without a line that may or may not work, so it is not looked at. */
static int
use_record(const struct made *m, const char *const *argv)
{
	double until = now() + 15;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int fd = open(in(m->w.dir, "record"), O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(fd, 1);
		dup2(fd, 2);
		set_environment(m);
		(void)!chdir(m->home);
		execv(argv[0], (char *const *)argv);
		_exit(3);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now() > until) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		poll(NULL, 0, 5);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
look_at_record(struct made *m)
{
	const char *const log[] = { run.ambit, "log", NULL };
	const char *const another[] = { run.ambit, "run", "--ask", "deny", "--quiet", "--folder",
		in(m->home, "other"), "true", NULL };

	m->blocked += use_record(m, log) != 0;
	m->blocked += use_record(m, another) != 0;
	return true;
}

/* The attack asks by a file in the folder; see ask_runner(). */
static void
answer(struct made *m, char **before)
{
	char text[LENGTH] = "";
	char *rest = text;
	bool done = false;
	int fd = open(in(m->w.folder, "ask"), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	unlink(in(m->w.folder, "ask"));
	rest = strchr(text, ' ');
	if (rest != NULL && strncmp(text, "recreate ", 9) == 0)
		done = recreate(m, strtoumax(rest, NULL, 10));
	else if (rest != NULL && strncmp(text, "listen ", 7) == 0)
		done = listen_there(m, (int)strtol(rest, NULL, 10));
	else if (rest != NULL && strncmp(text, "connect ", 8) == 0)
		done = reach(m, (int)strtol(rest, NULL, 10));
	else if (strcmp(text, "log") == 0)
		done = look_at_record(m);
	else if (rest != NULL)
		done = taker_take(m, text, rest + 1);
	if (strncmp(text, "connect", 7) != 0 && strcmp(text, "log") != 0) {
		free(*before);
		*before = world_state(m);
	}
	fd = open(in(m->w.folder, "answer.new"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	(void)!write(fd, done ? "done" : "fail", 4);
	close(fd);
	(void)!rename(in(m->w.folder, "answer.new"), in(m->w.folder, "answer"));
}

/* Its wait status, or HUNG. */
static int
make_attack(struct made *m, const struct attack *a, bool line, char **before)
{
	double until = now() + LIMIT + (a->flags & RACE ? 2 * run.seconds : 0);
	int status = 0, fd;
	pid_t pid;

	snprintf(m->w.self, LENGTH, "%s", run.self);
	m->w.plain = !line;
	m->w.seconds = run.seconds;
	m->w.tries = run.race_tries;
	fd = open(in(m->w.dir, "world"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	(void)!write(fd, &m->w, sizeof(m->w));
	close(fd);
	pid = fork();
	if (pid == 0)
		start(m, a, line);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		answer(m, before);
		poll(NULL, 0, 1);
		if (now() < until)
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return HUNG;
	}
	return status;
}

static void
print_differences(const char *before, const char *after)
{
	char *copy = strdup(after), *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		if (strstr(before, line) == NULL)
			printf("     now: %s\n", line);
	}
	free(copy);
	copy = strdup(before);
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		if (strstr(after, line) == NULL)
			printf("     was: %s\n", line);
	}
	free(copy);
}

static void
print_file(const char *path)
{
	char bytes[2000];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));

	if (n > 0)
		printf("     said: %.*s\n", (int)n, bytes);
	if (fd >= 0)
		close(fd);
}

static void
count_tries(const struct made *m)
{
	char text[200] = "", *at;
	int fd = open(in(m->w.dir, "out"), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	at = strstr(text, "tries ");
	if (at != NULL)
		__atomic_fetch_add(&run.sum->tries, strtoul(at + 6, NULL, 10), __ATOMIC_RELAXED);
}

/* What it says about why it cannot. */
static void
skip(const struct made *m, const struct attack *a)
{
	char text[200] = "";
	int fd = open(in(m->w.dir, "out"), O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[strcspn(text, "\n")] = '\0';
	printf("skip %s: %s\n", a->name, text);
	__atomic_fetch_add(&run.sum->skipped, 1, __ATOMIC_RELAXED);
}

/* The proof that the attack came to its end. */
static bool
has_run(const struct made *m)
{
	char path[2 * LENGTH], text[16] = "";
	int fd;

	/* The folder may have been moved, where nothing holds it. */
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s/ran", m->w.folder, i == 0 ? "" : ".moved");
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			break;
	}
	if (fd < 0)
		return false;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	return strcmp(text, "beginend") == 0;
}

static bool
is_empty(const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
	return n == 2;
}

static const char no_effect[] = "has no effect without the line";

/* Why the attack failed the test, or NULL. */
static const char *
judge(const struct made *m, const struct attack *a, bool line, int status, bool changed)
{
	bool effect = a->flags & HARMLESS ? false : (!line || a->flags & WORKS);

	if (status == HUNG)
		return line ? "hangs behind the line" : "hangs without a line";
	if (!has_run(m))
		return line ? "did not run to its end behind the line" : "did not run to its end";
	if (line && !is_empty(m->tmp))
		return "leaves something in TMPDIR";
	if (line && !(WIFEXITED(status) && WEXITSTATUS(status) == AT_ITS_END))
		return "ended the run";
	if (effect && !changed)
		return line ? "is allowed, and did not work" : no_effect;
	if (!effect && changed)
		return line ? "GOT THROUGH" : "has an effect where none should be";
	return NULL;
}

/* 1 passed, 0 failed, -1 to be skipped or tried again: where `last` is not set, an
 * attack that says behind the line that it cannot be made (it worked without, so
 * another world may do), and a race that did not come off without the line (the machine
 * may be busy). */
static int
try_once(const struct attack *a, bool line, bool last)
{
	char base[LENGTH], *before, *after;
	struct made m;
	const char *why;
	bool again;
	int status;

	snprintf(base, sizeof(base), "%s", in(run.base, run.worker == 0 ? "a" : "b"));
	if (mkdir(base, 0755) < 0 || world_make(&m, base, run.template) < 0) {
		printf("FAIL %s: no world\n", a->name);
		remove_tree(base);
		return 0;
	}
	before = world_state(&m);
	status = make_attack(&m, a, line, &before);
	if ((!line || !last) && status != HUNG && WIFEXITED(status) &&
		WEXITSTATUS(status) == CANNOT) {
		if (!line && last)
			skip(&m, a);
		world_end(&m);
		free(before);
		return -1;
	}
	after = world_state(&m);
	why = judge(&m, a, line, status, strcmp(before, after) != 0);
	again = why == no_effect && a->flags & RACE && !last;
	if (line)
		count_tries(&m);
	if (why != NULL && !again) {
		print_differences(before, after);
		print_file(in(m.w.dir, "out"));
		print_file(in(m.w.dir, "record"));
		printf("FAIL %s: %s (status %x)\n", a->name, why, (unsigned)status);
	}
	world_end(&m);
	free(before);
	free(after);
	return again ? -1 : why == NULL;
}

static void
try_attack(const struct attack *a)
{
	double began = now();
	int r = -1;

	if ((a->flags & AS_ROOT && geteuid() != 0) || (a->flags & AS_USER && geteuid() == 0)) {
		printf("skip %s: not as %s\n", a->name, geteuid() == 0 ? "root" : "a normal user");
		__atomic_fetch_add(&run.sum->skipped, 1, __ATOMIC_RELAXED);
		return;
	}
	for (int i = a->flags & RACE ? 0 : RACES - 1; r < 0 && i < RACES; i++)
		r = try_once(a, false, i == RACES - 1);
	if (r < 0)
		return;
	for (int i = 0; r > 0 && i < 3; i++) {
		r = try_once(a, true, i == 2);
		if (r >= 0)
			break;
		r = 1;
	}
	if (r > 0) {
		printf("ok   %s (%.2f s)\n", a->name, now() - began);
		__atomic_fetch_add(&run.sum->passed, 1, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_add(&run.sum->failed, 1, __ATOMIC_RELAXED);
	}
	fflush(stdout);
}

/* A record of ambit's own, made by a first run. */
static bool
prepare(void)
{
	static struct made m;
	const char *const argv[] = { run.ambit, "run", "--ask", "deny", "--folder", m.w.folder,
		"true", NULL };
	char base[LENGTH];

	snprintf(base, sizeof(base), "%s", in(run.base, "t"));
	snprintf(run.template, sizeof(run.template), "%s", in(run.base, "state"));
	if (mkdir(base, 0755) < 0 || world_make(&m, base, NULL) < 0)
		return false;
	if (use_record(&m, argv) != 0 || rename(m.w.state, run.template) < 0) {
		print_file(in(m.w.dir, "record"));
		world_end(&m);
		return false;
	}
	world_end(&m);
	return true;
}

static bool
begin(void)
{
	const char *tmp = getenv("TMPDIR"), *ambit = getenv("AMBIT"),
		   *length = getenv("AMBIT_LONG"), *tries = getenv("RACE_TRIES");

	run.sum = mmap(
		NULL, sizeof(*run.sum), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.sum == MAP_FAILED)
		return false;
	/* Root's races are the same ones. */
	run.seconds = length != NULL && length[0] != '\0' ? 2 : geteuid() == 0 ? 0.1 : 0.2;
	if (tries != NULL) {
		run.race_tries = (unsigned)strtoul(tries, NULL, 10);
		run.seconds = RACE_LIMIT;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	srand((unsigned)getpid());
	signal(SIGPIPE, SIG_IGN);
	if (ambit == NULL || realpath(ambit, run.ambit) == NULL ||
		readlink("/proc/self/exe", run.self, sizeof(run.self) - 1) < 0) {
		fprintf(stderr, "hostile: AMBIT names no program\n");
		return false;
	}
	snprintf(run.base, sizeof(run.base), "%s", in(tmp != NULL ? tmp : "/tmp", "h.XXXXXX"));
	if (mkdtemp(run.base) == NULL)
		return false;
	/* What root's attacks mount or rename without a line stays here. */
	if (geteuid() == 0 && unshare(CLONE_NEWNS | CLONE_NEWUTS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return true;
}

static bool
wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], name, strlen(argv[i])) == 0)
			return true;
	}
	return argc <= 1;
}

/* Every second one, of those that are races or of those that are not. */
static void
try_some(int argc, char **argv, bool races, int workers)
{
	int n = 0;

	for (size_t i = 0; i < COUNT(all); i++) {
		for (size_t j = 0; j < all[i]->n; j++) {
			const struct attack *a = &all[i]->list[j];

			if (races == !!(a->flags & RACE) && wanted(a->name, argc, argv) &&
				n++ % workers == run.worker)
				try_attack(a);
		}
	}
}

/* What is no race runs on two cores; a race wants both for itself. */
static void
try_all(int argc, char **argv)
{
	int status = 0;
	pid_t other = fork();

	run.worker = other == 0;
	try_some(argc, argv, false, other < 0 ? 1 : 2);
	if (other == 0)
		_exit(0);
	if (other > 0 && (waitpid(other, &status, 0) != other || status != 0)) {
		printf("FAIL the second worker ended with %x\n", (unsigned)status);
		run.sum->failed++;
	}
	run.worker = 0;
	try_some(argc, argv, true, 1);
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "attack") == 0)
		return attack_main(argv[2], argv[3]);
	if (!begin())
		return 1;
	if (prepare()) {
		try_all(argc, argv);
	} else {
		printf("FAIL the line cannot be held here\n");
		run.sum->failed++;
	}
	remove_tree(run.base);
	if (run.sum->skipped > 0)
		printf("     %u skipped\n", run.sum->skipped);
	if (run.sum->tries > 0)
		printf("     %lu tries in races\n", run.sum->tries);
	printf("%u passed, %u failed\n", run.sum->passed, run.sum->failed);
	return run.sum->failed != 0 || run.sum->passed == 0;
}
