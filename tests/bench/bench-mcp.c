/* SPDX-License-Identifier: Apache-2.0 */
/* A tools/call of `ambit mcp`, from the client's write to the last byte of the reply,
 * for a small read and a small write, beside an echo that parses a line and answers
 * it and does nothing else; for a write of eight megabytes; and what the server's memory
 * is after many calls. AMBIT in
 * the environment is the program. Prints, asserts nothing about time. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lines.h"
#include "base/rpc.h"

#define ROUNDS 2000
#define CALLS 10000
#define LARGE 8000000 /* bytes of content */
#define LARGE_ROUNDS 21
#define LINE_MAX_BYTES (1u << 20)

struct peer {
	pid_t pid;
	int in; /* its stdin */
	struct lines out;
};

static char top[] = "/tmp/ambit-bench-mcp.XXXXXX";

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* -- peers ------------------------------------------------------------------------- */

/* What a reply costs without anything in it. */
static void
echo(void)
{
	struct rpc_message message;
	struct rpc_out out;
	struct lines lines;

	if (lines_init(&lines, 0, LINE_MAX_BYTES, NULL) < 0 || rpc_out_init(&out, 1) < 0)
		exit(1);
	while (lines_next(&lines, NULL) == 1) {
		rpc_parse(lines.line.data, lines.line.len, &message);
		if (message.kind == RPC_REQUEST)
			rpc_result(&out, message.id, json_incref(message.params));
		rpc_message_finish(&message);
	}
	exit(0);
}

static void
start(struct peer *peer, const char *ambit)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fail("pipe");
	fflush(stdout);
	peer->pid = fork();
	if (peer->pid < 0)
		fail("fork");
	if (peer->pid == 0) {
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
			fail("dup2");
		close(in[1]);
		if (ambit == NULL)
			echo();
		execl(ambit, "ambit", "mcp", "--folder", top, (char *)NULL);
		fail(ambit);
	}
	close(in[0]);
	close(out[1]);
	peer->in = in[1];
	if (lines_init(&peer->out, out[0], LINE_MAX_BYTES, NULL) < 0)
		fail("lines");
}

static void
finish(struct peer *peer)
{
	close(peer->in);
	waitpid(peer->pid, NULL, 0);
	close(peer->out.fd);
	lines_finish(&peer->out);
}

static const char *
ask(struct peer *peer, const char *line)
{
	if (fd_write_all(peer->in, line, strlen(line)) < 0 || lines_next(&peer->out, NULL) != 1)
		fail("the server is gone");
	return peer->out.line.data;
}

static const char initialize[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\","
	"\"version\":\"1\"}}}\n";

/* Another name each time for a write, so that no two calls are alike. */
static void
make_line(char *line, size_t size, const char *tool, int i)
{
	snprintf(line, size,
		"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
		"\"params\":{\"name\":\"%s\","
		"\"arguments\":{\"file_path\":\"src/file%d\"%s}}}\n",
		i + 1, tool, i % 100,
		strcmp(tool, "write") == 0 ? ",\"content\":\"some words\\n\"" : "");
}

struct series {
	const char *what;
	struct peer *peer;
	const char *tool;
	bool check;
	double *times;
};

static void
one(struct series *series, int i)
{
	char line[512];
	const char *reply;
	double began;

	make_line(line, sizeof(line), series->tool, i);
	began = now_us();
	reply = ask(series->peer, line);
	if (series->times != NULL)
		series->times[i] = now_us() - began;
	if (series->check && strstr(reply, "\"isError\":false") == NULL) {
		fprintf(stderr, "%s: %s\n", series->tool, reply);
		exit(1);
	}
}

/* One after another in each round: what a wake-up costs just now is in all of them. */
static void
compare(struct series *all, size_t n)
{
	double bare = 0;

	for (size_t k = 0; k < n; k++)
		if ((all[k].times = calloc(ROUNDS, sizeof(double))) == NULL)
			fail("calloc");
	for (int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < n; k++)
			one(&all[k], i);
	for (size_t k = 0; k < n; k++) {
		double median;

		qsort(all[k].times, ROUNDS, sizeof(double), by_size);
		median = all[k].times[ROUNDS / 2];
		free(all[k].times);
		bare = k == 0 ? median : bare;
		printf("  %-34s %8.1f us  %5.1fx\n", all[k].what, median, median / bare);
	}
}

static void
measure_large(struct peer *peer)
{
	static const char words[] =
		"some more words, as many as a line of a text file often has\\n";
	size_t room = LARGE / (sizeof(words) - 2) * (sizeof(words) - 1) + 512, at = 0;
	char *line = malloc(room);
	double times[LARGE_ROUNDS];

	if (line == NULL)
		fail("malloc");
	for (int i = 0; i < LARGE_ROUNDS; i++) {
		double began;

		at = (size_t)snprintf(line, room,
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
			"\"name\":\"write\",\"arguments\":{\"file_path\":\"large%d\","
			"\"content\":\"",
			i + 1, i);
		for (size_t n = 0; n + sizeof(words) - 2 <= LARGE; n += sizeof(words) - 2) {
			memcpy(line + at, words, sizeof(words) - 1);
			at += sizeof(words) - 1;
		}
		snprintf(line + at, room - at, "\"}}}\n");
		began = now_us();
		if (strstr(ask(peer, line), "\"isError\":false") == NULL)
			fail("a large write");
		times[i] = now_us() - began;
	}
	free(line);
	qsort(times, LARGE_ROUNDS, sizeof(double), by_size);
	printf("  %-34s %8.1f ms  (median of %d)\n", "write, 8 MB", times[LARGE_ROUNDS / 2] / 1000,
		LARGE_ROUNDS);
}

/* Kilobytes of the server's own memory. */
static long
memory(pid_t pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "VmRSS: %ld", &kb) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kb;
}

static void
measure_memory(struct peer *peer)
{
	struct series put = { .peer = peer, .tool = "write", .check = true };
	struct series get = { .peer = peer, .tool = "read", .check = true };

	printf("  memory after %d calls %ld kB", 2 * ROUNDS, memory(peer->pid));
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < CALLS / 2; i++) {
			one(&put, i);
			one(&get, i);
		}
		printf(", after %d more %ld kB", CALLS, memory(peer->pid));
	}
	putchar('\n');
}

int
main(void)
{
	const char *ambit = getenv("AMBIT");
	struct peer echo, server;
	struct series all[] = {
		{ "a bare JSON-RPC echo", &echo, "read", false, NULL },
		{ "write, a small file", &server, "write", true, NULL },
		{ "read, a small file", &server, "read", true, NULL },
	};
	char path[128];

	if (ambit == NULL || mkdtemp(top) == NULL)
		fail("AMBIT, mkdtemp");
	signal(SIGPIPE, SIG_IGN);
	snprintf(path, sizeof(path), "%s/state", top);
	setenv("XDG_STATE_HOME", path, 1);
	setenv("XDG_CONFIG_HOME", path, 1);
	printf("tools/call of ambit mcp, round trip (median of %d, interleaved):\n", ROUNDS);
	start(&echo, NULL);
	start(&server, ambit);
	ask(&server, initialize);
	compare(all, sizeof(all) / sizeof(all[0]));
	measure_memory(&server);
	measure_large(&server);
	printf("  memory after that %ld kB\n", memory(server.pid));
	finish(&echo);
	finish(&server);
	fflush(stdout);
	if (chdir("/") == 0)
		return execlp("rm", "rm", "-rf", top, (char *)NULL);
	return 0;
}
