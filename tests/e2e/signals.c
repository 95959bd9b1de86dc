/* SPDX-License-Identifier: Apache-2.0 */
/* signals [OPTION...] CALL PATH: makes a call in each thread while timers fire, and prints how each
 * call ended and how often the handler ran. CALL is create, mkdir, rename (of PATH.from.I), spawn
 * (the child of posix_spawn creates), vfork (its child does) or connect (PATH is a port on the
 * loopback); the path of thread I is PATH.I. An error is printed by its number: the kernel's own,
 * 512 and 513, have no name and must not be seen.
 *
 *   -n N    threads
 *   -p US   a timer with that period signals the process
 *   -t      each thread has a timer of its own, which signals that thread
 *   -s      all threads use PATH.0: one of them makes it
 *   -r      the handler has SA_RESTART; without it, a call that ends with EINTR is made again
 *   -w N    prints "handled" when the handler has run N times
 *   -l N    each thread makes N calls, and takes back what they did
 *   -j      the handler leaves the call by siglongjmp, and then waits for the file "done"
 *   -x      the handler runs another program, which waits for the file "done"
 *   -e PROG the handler runs PROG, which makes the same call, with no timer
 *   -c NEW  the handler writes NEW over the path, of the same length
 *   -1      the timer fires once, and EINTR is not tried again */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

static struct {
	long period_us;
	int threads;
	int rounds;
	bool restart;
	bool own_timers;
	bool same_path;
	bool jump;
	bool exec;
	const char *exec_other;
	const char *new_path;
	bool one_shot;
	unsigned long wanted;
	const char *call;
	const char *path;
} options = { .threads = 1, .rounds = 1 };

static atomic_ulong handled;
static atomic_ulong interrupted; /* EINTR, from a call that was then made again */

/* Not on the stack, so that they lie at the same place in each run without randomization. */
static char path_of[THREADS_MAX][4096];

static sigjmp_buf out_of_call;
static volatile sig_atomic_t calling;

static void
count_signal(int sig)
{
	(void)sig;
	if (++handled == options.wanted)
		(void)!write(STDOUT_FILENO, "handled\n", 8);
	if (options.exec)
		execl("/bin/sh", "sh", "-c", "until test -e done; do sleep 0.05; done", NULL);
	if (options.exec_other)
		execl(options.exec_other, options.exec_other, options.call, options.path, NULL);
	if (options.new_path)
		memcpy(path_of[0], options.new_path, strlen(options.new_path));
	if (options.jump && calling) {
		calling = 0;
		siglongjmp(out_of_call, 1);
	}
}

static int
number_of(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

static void
start_timer(bool own)
{
	struct sigevent event = {
		.sigev_notify = own ? SIGEV_THREAD_ID : SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
	};
	struct itimerspec spec = { .it_value.tv_nsec = options.period_us * 1000 };
	timer_t timer;

	if (own)
		event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	spec.it_value.tv_sec = spec.it_value.tv_nsec / 1000000000;
	spec.it_value.tv_nsec %= 1000000000;
	if (!options.one_shot)
		spec.it_interval = spec.it_value;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ||
		timer_settime(timer, 0, &spec, NULL) < 0) {
		perror("timer");
		exit(2);
	}
}

static int
connect_port(const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)number_of(port)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), r, error;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	r = connect(fd, (struct sockaddr *)&to, sizeof(to));
	error = errno;
	close(fd);
	errno = error;
	return r;
}

static int
create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd < 0 ? -1 : close(fd);
}

static int
wait_for_child(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
	return errno == 0 ? 0 : -1;
}

static int
spawn_creator(const char *path)
{
	char *const argv[] = { (char *)"true", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 9, path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	error = posix_spawn(&child, "/bin/true", &actions, NULL, argv, argv + 1);
	posix_spawn_file_actions_destroy(&actions);
	errno = error;
	return error == 0 ? wait_for_child(child) : -1;
}

static int
vfork_creator(const char *path)
{
	pid_t child = vfork();

	if (child == 0) {
		start_timer(false); /* the parent's are not inherited */
		_exit(create_file(path) < 0 ? errno : 0);
	}
	return child < 0 ? -1 : wait_for_child(child);
}

static int
make_call(const char *path, const char *from)
{

	if (strcmp(options.call, "mkdir") == 0)
		return mkdir(path, 0755);
	if (strcmp(options.call, "rename") == 0)
		return rename(from, path);
	if (strcmp(options.call, "connect") == 0)
		return connect_port(options.path);
	if (strcmp(options.call, "spawn") == 0)
		return spawn_creator(path);
	if (strcmp(options.call, "vfork") == 0)
		return vfork_creator(path);
	return create_file(path);
}

static void
undo_call(const char *path, const char *from)
{
	int r = 0;

	if (strcmp(options.call, "rename") == 0)
		r = rename(path, from);
	else if (strcmp(options.call, "mkdir") == 0)
		r = rmdir(path);
	else if (strcmp(options.call, "connect") != 0)
		r = unlink(path);
	if (r < 0)
		printf("undo: errno %d\n", errno);
}

static void *
run_thread(void *data)
{
	long number = (long)(intptr_t)data;
	char from[4096], *path = path_of[number];

	if (options.period_us > 0 && options.own_timers)
		start_timer(true);
	snprintf(path, sizeof(path_of[0]), "%s.%ld", options.path, options.same_path ? 0 : number);
	snprintf(from, sizeof(from), "%s.from.%ld", options.path, number);
	for (int i = 0; i < options.rounds; i++) {
		int r;

		while ((r = make_call(path, from)) < 0 && errno == EINTR && !options.one_shot)
			interrupted++;
		if (r < 0)
			printf("errno %d\n", errno);
		else if (i + 1 < options.rounds)
			undo_call(path, from);
		if (options.rounds == 1)
			printf("%ld %s\n", number, r < 0 ? "failed" : "ok");
	}
	return NULL;
}

static void
jump_out_of_call(void)
{
	if (sigsetjmp(out_of_call, 1) == 0) {
		calling = 1;
		run_thread(NULL);
		calling = 0;
	} else {
		printf("jumped\n");
		while (access("done", F_OK) < 0)
			usleep(20000);
	}
}

static bool
read_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+rstjx1p:n:l:w:e:c:")) >= 0) {
		if (c == '?')
			return false;
		options.restart |= c == 'r';
		options.same_path |= c == 's';
		options.own_timers |= c == 't';
		options.jump |= c == 'j';
		options.exec |= c == 'x';
		options.one_shot |= c == '1';
		if (c == 'e')
			options.exec_other = optarg;
		else if (c == 'c')
			options.new_path = optarg;
		else if (c == 'p')
			options.period_us = number_of(optarg);
		else if (c == 'n')
			options.threads = number_of(optarg);
		else if (c == 'l')
			options.rounds = number_of(optarg);
		else if (c == 'w')
			options.wanted = (unsigned long)number_of(optarg);
	}
	return argc - optind == 2 && options.threads >= 1 && options.threads <= THREADS_MAX;
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = count_signal };
	pthread_t threads[THREADS_MAX];

	if (!read_options(argc, argv))
		return 2;
	options.call = argv[optind];
	options.path = argv[optind + 1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	action.sa_flags = options.restart ? SA_RESTART : 0;
	sigaction(SIGALRM, &action, NULL);
	if (options.period_us > 0 && !options.own_timers)
		start_timer(false);
	for (long i = 1; i < options.threads; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)(intptr_t)i);
	if (options.jump)
		jump_out_of_call();
	else
		run_thread(NULL);
	for (int i = 1; i < options.threads; i++)
		pthread_join(threads[i], NULL);
	printf("handled %lu interrupted %lu\n", (unsigned long)handled, (unsigned long)interrupted);
	return 0;
}
