/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit mcp`: from the command line to a server that has ended and left nothing
 * behind. It ends when its input does, or by a signal: then calls are told to end,
 * and with them the processes of their tools. */

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mcp.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/lines.h"

#include "cli/door.h"

/* Quick calls run in the order they came: a client may send an edit and a read of the
 * same file at once. Slow ones wait for processes and hosts, side by side. */
#define QUICK 1
#define SLOW 16
#define QUEUE 4096
#define LAST_WORDS_MS 2000 /* for calls that are nearly done when the input ends */

/* A handler can reach nothing else; programs that are started do not inherit it. */
static int signalled = -1, unheard = -1;

static void
on_signal(int number)
{
	const int saved = errno;

	(void)number;
	eventfd_write(signalled, 1);
	/* The reader may be waiting for a client that does not read. */
	eventfd_write(unheard, 1);
	errno = saved;
}

static int
catch_signals(struct ambit_error *err)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

	signalled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signalled < 0)
		return err_sys(err, errno, "eventfd");
	signal(SIGPIPE, SIG_IGN);
	/* One that is ignored stays so: nohup, and a shell that puts it in the background. */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	return 0;
}

static int
mcp_open(struct mcp *mcp, const struct args *args, struct ambit_error *err)
{
	int r = toolbox_open(&mcp->box, args, "mcp", err);

	if (r != 0)
		return r;
	mcp->tools = list_tools(mcp->box.registry);
	mcp->instructions = list_instructions(&mcp->box);
	mcp->seals = seals_create();
	mcp->calls = calls_create(QUICK, SLOW, QUEUE);
	return mcp->tools != NULL && mcp->instructions != NULL && mcp->seals != NULL &&
			mcp->calls != NULL
		? 0
		: err_nomem(err);
}

/* Whoever gave us the descriptor may have made it non-blocking. */
static void
wait_for_input(const struct lines *lines)
{
	struct pollfd fd = { .fd = lines->fd, .events = POLLIN };

	poll(&fd, 1, -1);
}

/* Reads until the end, or a signal. Nothing else writes to standard output. */
static int
serve(struct mcp *mcp, struct lines *lines, struct ambit_error *err)
{
	while (!rpc_out_is_broken(&mcp->out)) {
		int r = lines_next(lines, err);

		if (r == -EMSGSIZE)
			mcp_line_too_long(mcp);
		else if (r == 1)
			mcp_line(mcp, lines->line.data, lines->line.len);
		else if (r == -EAGAIN)
			wait_for_input(lines);
		else
			return r == -ECANCELED ? 0 : r;
	}
	return 0;
}

/* Slow calls are ended; quick ones may say their last words, if they are heard.
 * A client that does not read must not hold the end up. */
static void
end(struct mcp *mcp)
{
	ask_end(mcp);
	calls_cancel_all(mcp->calls, false);
	if (!calls_wait(mcp->calls, LAST_WORDS_MS))
		rpc_out_break(&mcp->out);
	calls_destroy(mcp->calls);
	mcp->calls = NULL;
}

static void
mcp_finish(struct mcp *mcp)
{
	calls_destroy(mcp->calls);
	seals_destroy(mcp->seals);
	json_decref(mcp->tools);
	free(mcp->instructions);
	toolbox_finish(&mcp->box);
	fd_close_at(&mcp->roots.known);
}

int
door_mcp(const struct args *args, struct ambit_error *err)
{
	struct mcp mcp = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.roots.known = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	struct lines lines = { .fd = -1 };
	int r = mcp.roots.known >= 0 ? mcp_open(&mcp, args, err) : err_sys(err, errno, "eventfd");

	if (r == 0)
		r = lines_init(&lines, STDIN_FILENO, MCP_LINE_MAX, err);
	if (r == 0)
		r = rpc_out_init(&mcp.out, STDOUT_FILENO);
	if (r == 0) {
		mcp.out.in = STDIN_FILENO;
		unheard = mcp.out.wake;
		r = catch_signals(err);
	}
	if (r == 0) {
		lines.stop = signalled;
		if (mcp.box.why != NULL)
			fprintf(stderr, "ambit: %s\n", mcp.box.why);
		r = serve(&mcp, &lines, err);
		end(&mcp);
		unheard = -1;
		rpc_out_finish(&mcp.out);
	}
	lines_finish(&lines);
	mcp_finish(&mcp);
	return r;
}
