/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of a run inside another, as a job of this process. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "line/process/nest-wire.h"
#include "line/process/run-doors.h"

#include <ambit/run.h>

#define ROUNDS 20
#define WORD_MS 20000

struct client {
	pid_t pid;
	int socket;
};

static void
start(struct client *client)
{
	static char *const none[] = { NULL };
	const struct run_request request = { .args = none, .envp = none, .cwd = "/" };
	int pair[2], status = 99;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	client->pid = fork();
	assert_true(client->pid >= 0);
	if (client->pid == 0) {
		char *report = NULL;

		close(pair[0]);
		setpgid(0, 0);
		if (run_relay(pair[1], &request, &status, &report, NULL) < 0)
			_exit(98);
		_exit(status);
	}
	close(pair[1]);
	client->socket = pair[0];
}

static bool
hears(const struct client *client, int ms)
{
	struct pollfd p = { .fd = client->socket, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* The next message, whatever lies before it. */
static void
wait_for(const struct client *client, enum nest_kind kind, struct nest_message *ret)
{
	char data[NEST_PIECE];
	int fds[3];
	struct nest_given given = { .fds = fds, .n = 3 };
	ssize_t n;

	for (;;) {
		assert_true(hears(client, WORD_MS));
		n = nest_receive(client->socket, data, sizeof(data), &given);
		assert_true(n > 0);
		for (size_t i = 0; i < given.got; i++)
			close(fds[i]);
		if (n != (ssize_t)sizeof(*ret))
			continue;
		memcpy(ret, data, sizeof(*ret));
		if (ret->kind == (uint32_t)kind)
			return;
	}
}

/* HELLO, STDIO, HEAD, texts: behind the last it only listens. */
static void
hear_request(const struct client *client)
{
	struct nest_message message;
	char data[NEST_PIECE];
	int fds[3];
	struct nest_given given = { .fds = fds, .n = 3 };

	wait_for(client, NEST_STDIO, &message);
	for (int i = 0; i < 2; i++)
		assert_true(nest_receive(client->socket, data, sizeof(data), &given) > 0);
}

static void
say(const struct client *client, enum nest_kind kind, int value, uint32_t serial)
{
	const struct nest_message message = { .kind = kind, .value = value, .serial = serial };

	assert_int_equal(nest_send(client->socket, &message, sizeof(message), NULL, 0), 0);
}

static void
end(struct client *client)
{
	int status;

	say(client, NEST_END, 7, 0);
	assert_int_equal(waitpid(client->pid, &status, WUNTRACED), client->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	close(client->socket);
}

static void
stops_with_its_command(void **state)
{
	struct nest_message message;
	struct client client;
	int status;

	(void)state;
	start(&client);
	hear_request(&client);
	say(&client, NEST_STOPPED, SIGTSTP, 0);
	assert_int_equal(waitpid(client.pid, &status, WUNTRACED), client.pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTSTP);
	assert_int_equal(kill(client.pid, SIGCONT), 0);
	wait_for(&client, NEST_CONTINUE, &message);
	assert_true(message.serial > 0);
	/* What was said before that is old news. */
	say(&client, NEST_STOPPED, SIGTSTP, 0);
	end(&client);
}

/* In its poll: what it was woken for before is done. */
static void
until_asleep(pid_t pid)
{
	char path[64], text[512], *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < WORD_MS; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

		if (fd >= 0)
			close(fd);
		assert_true(n > 0);
		text[n] = '\0';
		at = strrchr(text, ')');
		if (at && at[2] == 'S')
			return;
		sched_yield();
		poll(NULL, 0, 1);
	}
	fail_msg("it never sleeps");
}

/* One key stops both: the terminal stops the client, and the news that the command
 * stopped too is read when it has been continued. It runs when nobody else wants
 * to, so that both are there before it wakes. */
static void
one_key_stops_once(void **state)
{
	const struct sched_param none = { 0 };
	cpu_set_t one;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct nest_message message;
		struct client client;
		int status;

		start(&client);
		assert_int_equal(sched_setscheduler(client.pid, SCHED_IDLE, &none), 0);
		hear_request(&client);
		until_asleep(client.pid);
		say(&client, NEST_STOPPED, SIGTSTP, 0);
		assert_int_equal(kill(client.pid, SIGTSTP), 0);
		assert_int_equal(waitpid(client.pid, &status, WUNTRACED), client.pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(kill(client.pid, SIGCONT), 0);
		wait_for(&client, NEST_CONTINUE, &message);
		end(&client);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_with_its_command),
		cmocka_unit_test(one_key_stops_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
