/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit mcp`: from the command line to a server that has ended and left nothing
 * behind. It ends when its input does, or by a signal: then calls are told to end,
 * and with them the processes of their tools. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mcp-job.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/lines.h"

#include "cli/door.h"

#include "door/door-live.h"

/* Quick calls run in the order they came: a client may send an edit and a read of the
 * same file at once. Slow ones wait for processes and hosts, side by side. */
#define QUICK 1
#define SLOW 16
#define QUEUE 4096
#define LAST_WORDS_MS 2000 /* for calls that are nearly done when the input ends */

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
serve_input_lines(struct mcp *mcp, struct lines *lines, struct ambit_error *err)
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
end_client_calls(struct mcp *mcp)
{
	ask_end(mcp);
	calls_cancel_all(mcp->calls, false);
	if (!calls_wait(mcp->calls, LAST_WORDS_MS))
		rpc_out_break(&mcp->out);
	calls_destroy(mcp->calls);
	mcp->calls = NULL;
	/* Nor must a question of a command. */
	rpc_out_break(&mcp->out);
	ambit_registry_end_commands(mcp->box.registry, 0);
}

static void
mcp_finish(struct mcp *mcp, int r, struct ambit_error *err)
{
	calls_destroy(mcp->calls);
	resume_forget(mcp);
	seals_destroy(mcp->seals);
	json_decref(mcp->tools);
	free(mcp->instructions);
	toolbox_finish(&mcp->box, r, err);
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
	struct heed heed = { 0 };
	int signalled = -1;
	struct door_live *live = NULL;
	int r = mcp.roots.known >= 0 ? mcp_open(&mcp, args, err) : err_sys(err, errno, "eventfd");

	if (r == 0)
		r = lines_init(&lines, STDIN_FILENO, MCP_LINE_MAX, err);
	if (r == 0)
		r = rpc_out_init(&mcp.out, STDOUT_FILENO);
	if (r == 0) {
		mcp.out.in = STDIN_FILENO;
		/* The reader may be waiting for a client that does not read. */
		r = signals_catch(mcp.out.wake, &signalled, err);
	}
	if (r == 0) {
		lines.stop = signalled;
		r = heed_start(&heed, &mcp.box, signalled, err);
	}
	if (r == 0) {
		if (mcp.box.why != NULL)
			fprintf(stderr, "ambit: %s\n", mcp.box.why);
		live = door_live_open(&mcp.box, args, signals_raise);
		r = serve_input_lines(&mcp, &lines, err);
		end_client_calls(&mcp);
		door_live_close(live);
		signals_forget();
		rpc_out_finish(&mcp.out);
	}
	heed_finish(&heed);
	lines_finish(&lines);
	mcp_finish(&mcp, r, err);
	return r;
}
