/* SPDX-License-Identifier: Apache-2.0 */
/* A tools/call of `ambit mcp`, from the client's write to the last byte of the reply,
 * for a small read and a small write, beside an echo that parses a line and answers
 * it and does nothing else; and what the server's memory is after many calls. AMBIT in
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
	if (fd_write_all(peer->in, line, strlen(line)) < 0 ||
		lines_next(&peer->out, NULL) != 1)
		fail("the server is gone");
	return peer->out.line.data;
}

static const char initialize[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";

/* Another name each time for a write, so that no two calls are alike. */
static void
make_line(char *line, size_t size, const char *tool, int i)
{
	snprintf(line, size,
		"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
		"\"arguments\":{\"file_path\":\"src/file%d\"%s}}}\n",
		i + 1, tool, i % 100,
		strcmp(tool, "write") == 0 ? ",\"content\":\"some words\\n\"" : "");
}

static double
measure(struct peer *peer, const char *tool, int rounds, bool check)
{
	double *times = calloc((size_t)rounds, sizeof(*times)), median;
	char line[512];

	for (int i = 0; times != NULL && i < rounds; i++) {
		double began;

		make_line(line, sizeof(line), tool, i);
		began = now_us();
		const char *reply = ask(peer, line);

		times[i] = now_us() - began;
		if (check && strstr(reply, "\"isError\":false") == NULL) {
			fprintf(stderr, "%s: %s\n", tool, reply);
			exit(1);
		}
	}
	if (times == NULL)
		fail("calloc");
	qsort(times, (size_t)rounds, sizeof(*times), by_size);
	median = times[rounds / 2];
	free(times);
	return median;
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
measure_memory(const char *ambit)
{
	struct peer peer;
	long before;

	start(&peer, ambit);
	ask(&peer, initialize);
	measure(&peer, "write", CALLS / 10, true);
	measure(&peer, "read", CALLS / 10, true);
	before = memory(peer.pid);
	measure(&peer, "write", CALLS / 2, true);
	measure(&peer, "read", CALLS / 2, true);
	printf("  %-34s %8ld kB, %ld kB after %d more\n", "memory after 2000 calls", before,
		memory(peer.pid), CALLS);
	finish(&peer);
}

int
main(void)
{
	const char *ambit = getenv("AMBIT");
	struct peer peer;
	double bare, took;
	char path[128];

	if (ambit == NULL || mkdtemp(top) == NULL)
		fail("AMBIT, mkdtemp");
	signal(SIGPIPE, SIG_IGN);
	snprintf(path, sizeof(path), "%s/state", top);
	setenv("XDG_STATE_HOME", path, 1);
	setenv("XDG_CONFIG_HOME", path, 1);
	printf("tools/call of ambit mcp, round trip (median of %d):\n", ROUNDS);
	start(&peer, NULL);
	bare = measure(&peer, "read", ROUNDS, false);
	printf("  %-34s %8.1f us\n", "a bare JSON-RPC echo", bare);
	finish(&peer);
	start(&peer, ambit);
	ask(&peer, initialize);
	took = measure(&peer, "write", ROUNDS, true);
	printf("  %-34s %8.1f us  %5.1fx\n", "write, a small file", took, took / bare);
	took = measure(&peer, "read", ROUNDS, true);
	printf("  %-34s %8.1f us  %5.1fx\n", "read, a small file", took, took / bare);
	finish(&peer);
	measure_memory(ambit);
	fflush(stdout);
	if (chdir("/") == 0)
		return execlp("rm", "rm", "-rf", top, (char *)NULL);
	return 0;
}
