/* SPDX-License-Identifier: Apache-2.0 */
/* ambit decide: one JSON request per line in, one outcome per line out. The
 * input is whatever a program was made to write: every line, also one that is
 * not JSON or never ends, gets exactly one outcome, and the next one is read. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/doors.h"
#include "line/process/run-doors.h"
#include "live/live.h"

#include "cli/cli.h"
#include "commands.h"
#include "cli/world.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

/* One more than a request may have: the parser itself refuses what is longer. */
#define LINE_MAX_BYTES ((8u << 20) + 1)

struct lines {
	char data[1 << 16];
	size_t at, end;
	struct buf line;   /* at most LINE_MAX_BYTES; what is past that is not kept */
	struct live *live; /* or NULL */
	bool stopped;
};

/* -- while it waits: the live session ------------------------------------------------ */

static void
stop_lines(void *data)
{
	((struct lines *)data)->stopped = true;
}

/* It decides and asks nobody; and that it cannot be seen from elsewhere is no matter. */
static void
open_live(struct lines *lines, const struct world *world)
{
	auto_free char *directory = place_live(&world->place);
	auto_close int outside = -1;
	const struct live_options options = {
		.directory = directory,
		.engine = world->engine,
		.door = "decide",
		.what = "requests",
		.stop = stop_lines,
		.data = lines,
	};

	if (directory != NULL && run_outside(&outside, NULL) == -ENOENT &&
		engine_store(world->engine, NULL) == 0)
		(void)live_create(&options, &lines->live, NULL);
}

static void
await_input(struct lines *lines)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = live_fd(lines->live), .events = POLLIN },
	};

	while (lines->live != NULL && !lines->stopped) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents != 0)
			live_ready(lines->live);
		if (fds[0].revents != 0)
			return;
	}
}

static void
append_line_part(struct lines *lines, const char *data, size_t len)
{
	size_t room = LINE_MAX_BYTES - lines->line.len;

	buf_append(&lines->line, data, len < room ? len : room);
}

/* 1: a line, without its newline; 0: no more. */
static int
next_line(struct lines *lines, struct ambit_error *err)
{
	bool some = false;

	lines->line.len = 0;
	for (;;) {
		const char *data = lines->data + lines->at;
		const char *newline = memchr(data, '\n', lines->end - lines->at);
		size_t len = newline != NULL ? (size_t)(newline - data) : lines->end - lines->at;
		ssize_t n;

		append_line_part(lines, data, len);
		if (lines->line.failed)
			return err_nomem(err);
		some = some || len > 0;
		lines->at += len;
		if (newline != NULL) {
			lines->at++;
			return 1;
		}
		await_input(lines);
		if (lines->stopped)
			return 0;
		do
			n = read(STDIN_FILENO, lines->data, sizeof(lines->data));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return err_sys(err, errno, "standard input");
		lines->at = 0;
		lines->end = (size_t)n;
		if (n == 0)
			return some;
	}
}

static int
decide_and_print(struct world *world, const struct ambit_request *request, struct ambit_error *err)
{
	struct ambit_outcome outcome = { 0 };
	struct ambit_error ignored = { 0 };
	auto_free char *line = NULL;

	/* What went wrong is in the outcome, which is then a deny. */
	(void)ambit_engine_decide(world->engine, request, &outcome, &ignored);
	line = ambit_outcome_json(&outcome, request, world->scope, false);
	ambit_outcome_finish(&outcome);
	if (line == NULL)
		return err_nomem(err);
	if (puts(line) < 0 || fflush(stdout) != 0)
		return err_sys(err, errno, "standard output");
	return 0;
}

static int
decide_lines(struct world *world, struct lines *lines, struct ambit_error *err)
{
	int r;

	while ((r = next_line(lines, err)) > 0) {
		const char *text = lines->line.data != NULL ? lines->line.data : "";
		struct ambit_request *request = NULL;

		r = ambit_request_parse(text, lines->line.len, &request, err);
		if (r == 0)
			r = decide_and_print(world, request, err);
		ambit_request_destroy(request);
		if (r < 0)
			return r;
	}
	return r;
}

static void
warn_wide(const struct world *world, const struct args *args)
{
	const char *root = ambit_scope_root(world->scope);
	auto_free char *shown = str_escape(root, strlen(root));

	if (args_get(args, OPT_FOLDER) == NULL && place_is_wide(&world->place, root))
		fprintf(stderr,
			"ambit: the folder is %s, because that is the current directory: the whole "
			"home directory is inside the line\n",
			shown != NULL ? shown : "?");
}

static int
run_decide(const struct args *args, struct ambit_error *err)
{
	struct world world;
	struct lines *lines = calloc(1, sizeof(*lines));
	int r;

	if (lines == NULL)
		return err_nomem(err);
	r = world_open(&world, args, WORLD_ENGINE | WORLD_STORE, err);
	if (r == 0)
		r = engine_search(world.engine, err);
	if (r == 0) {
		warn_wide(&world, args);
		open_live(lines, &world);
		r = decide_lines(&world, lines, err);
	}
	live_destroy(lines->live);
	buf_finish(&lines->line);
	free(lines);
	world_finish(&world);
	return r;
}

const struct command cmd_decide = {
	.name = "decide",
	.args = "",
	.text = "JSON requests in, outcomes out, one per line",
	.about = "Reads requests from standard input and answers each with one line:\n"
		 "  {\"id\":1,\"tool\":\"write\",\"args\":{\"file_path\":\"src/a.c\"}}\n"
		 "  {\"id\":1,\"verdict\":\"allow\",...}\n"
		 "\n"
		 "A request may also have \"cwd\", \"effects\" (for tools that ambit does not "
		 "know),\n"
		 "and \"scope\" and \"mode\", which can only narrow. Nobody is asked: an ask is "
		 "the\n"
		 "caller's to put to the person. Every decision is recorded; where it cannot be, "
		 "it is\n"
		 "a deny. A line that cannot be understood is a deny with BadArguments, and the "
		 "stream\n"
		 "goes on.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_END },
	.examples =
		(const struct example[]){
			{ "echo '{\"tool\":\"write\",\"args\":{\"file_path\":\"/etc/hosts\"}}' "
			  "| ambit decide",
				"one request" },
			{ NULL, NULL },
		},
	.run = run_decide,
};
