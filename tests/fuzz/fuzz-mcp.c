/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever lines a client of `ambit mcp` sends, each request has one answer, under its
 * id, each line that is no message one error, and all else none; and what is said is
 * JSON-RPC. The input is lines; in them "$STATE" is the last requestState that was
 * handed out, which nobody can guess. Calls run in this thread. There is no record, and
 * so nothing is done, whatever was answered: that is looked at too. */

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ambit/ambit.h>
#include <ambit/tools.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "mcp/mcp-job.h"
#include "scope/scope-narrow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES_MAX 32

static struct ambit_settings *settings;
static struct ambit_scope *scope;
static json_t *list; /* what tools/list says; always the same */
static char *instructions;
static int never = -1; /* what no call is cancelled by */

/* -- in place of door-calls.c ------------------------------------------------------- */

int
calls_start(struct calls *calls, const char *key, bool slow, void (*run)(void *data, int cancel),
	void (*finish)(void *data, bool ran), void *data)
{
	struct job *job = data;

	(void)calls;
	(void)slow;
	assert(key && key[0]);
	/* Nobody would answer it, and it would wait. */
	eventfd_write(job->mcp->roots.known, 1);
	run(data, never);
	finish(data, true);
	return 0;
}

bool
calls_has(struct calls *calls, const char *key)
{
	(void)calls;
	assert(key && key[0]);
	return false;
}

bool
calls_cancel(struct calls *calls, const char *key)
{
	(void)calls;
	assert(key && key[0]);
	return false;
}

bool
calls_rename(struct calls *calls, const char *key, const char *other)
{
	(void)calls;
	assert(key && key[0] && other && other[0]);
	return true;
}

void
calls_rest(struct calls *calls)
{
	(void)calls;
}

void
calls_go_on(struct calls *calls)
{
	(void)calls;
}

/* -- the world ----------------------------------------------------------------------- */

static void
make_world(void)
{
	const char *tmp = getenv("TMPDIR");
	char top[PATH_MAX];
	struct ambit_error err = { 0 };

	snprintf(top, sizeof(top), "%s/ambit-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	assert(mkdtemp(top));
	assert(ambit_settings_load(&(struct ambit_settings_options){ 0 }, &settings, &err) == 0);
	assert(ambit_scope_create(&(struct ambit_scope_options){ .root = top }, &scope, &err) == 0);
	never = eventfd(0, EFD_CLOEXEC);
	assert(never >= 0);
}

/* Anew for each input: an engine remembers what was asked. */
static void
open_box(struct toolbox *box)
{
	struct ambit_engine_options options = { .settings = settings, .scope = scope };

	assert(scope_narrow(scope, NULL, 0, NULL, NULL) == 0);
	*box = (struct toolbox){ .world.scope = scope, .world.settings = settings, .tty = -1 };
	assert(ambit_engine_create(&options, &box->world.engine, NULL) == 0);
	assert(ambit_registry_create(
		       &(struct ambit_registry_options){ .engine = box->world.engine },
		       &box->registry, NULL) == 0);
	if (!list) {
		list = list_tools(box->registry);
		instructions = list_instructions(box);
	}
}

/* -- what it says --------------------------------------------------------------------- */

struct said {
	size_t answers, errors;
	json_t *id;
	char *state; /* stays until there is another */
};

static void
read_message(const char *text, size_t len, struct said *said)
{
	const char *state;
	struct rpc_message message;

	rpc_parse(text, len, &message);
	assert(message.kind != RPC_BAD);
	if (message.kind == RPC_RESPONSE) {
		said->answers++;
		said->errors += message.error != NULL;
		if (json_object_get(message.result, "content"))
			assert(json_is_true(json_object_get(message.result, "isError")));
		json_decref(said->id);
		said->id = json_incref(message.id);
		state = json_string_value(json_object_get(message.result, "requestState"));
		if (state) {
			free(said->state);
			said->state = strdup(state);
		}
	}
	rpc_message_finish(&message);
}

/* What was written since; the file is empty again. */
static void
read_out(int fd, struct said *said)
{
	auto_free char *text = NULL;
	size_t len = 0;
	char *end;

	said->answers = said->errors = 0;
	assert(lseek(fd, 0, SEEK_SET) == 0 && fd_read_open(fd, 64u << 20, &text, &len) == 0);
	for (char *at = text; len > 0; at = end + 1) {
		end = memchr(at, '\n', len);
		assert(end);
		len -= (size_t)(end - at) + 1;
		read_message(at, (size_t)(end - at), said);
	}
	assert(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
}

/* -- one line --------------------------------------------------------------------------- */

static void
put_line(struct buf *line, const char *text, size_t len, const char *state)
{
	static const char mark[] = "$STATE";
	const char *hit = state ? memmem(text, len, mark, strlen(mark)) : NULL;
	size_t n = hit ? (size_t)(hit - text) : len;

	line->len = 0;
	buf_append(line, text, n);
	if (hit) {
		buf_puts(line, state);
		n += strlen(mark);
		buf_append(line, text + n, len - n);
	}
	buf_putc(line, '\0');
	line->len--;
	assert(!line->failed);
}

static void
check_line(struct mcp *mcp, const struct buf *line, struct said *said)
{
	struct rpc_message sent;
	size_t expected;

	mcp_line(mcp, line->data, line->len);
	read_out(mcp->out.fd, said);
	rpc_parse(line->data, line->len, &sent);
	expected = sent.kind == RPC_REQUEST || sent.kind == RPC_BAD;
	if (line->len == strspn(line->data, " \t\r"))
		expected = 0;
	assert(said->answers == expected);
	if (expected && sent.kind == RPC_BAD)
		assert(said->errors == 1);
	if (expected && sent.id)
		assert(json_equal(said->id, sent.id));
	rpc_message_finish(&sent);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct mcp mcp = { .lock = PTHREAD_MUTEX_INITIALIZER, .gone = true };
	auto_close int fd = memfd_create("out", MFD_CLOEXEC);
	struct said said = { 0 };
	struct buf line = { 0 };

	if (!scope)
		make_world();
	open_box(&mcp.box);
	mcp.roots.known = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mcp.tools = list;
	mcp.instructions = instructions;
	mcp.seals = seals_create();
	assert(mcp.roots.known >= 0 && mcp.tools && mcp.instructions && mcp.seals);
	assert(fd >= 0 && rpc_out_init(&mcp.out, fd) == 0);
	for (int i = 0; i < LINES_MAX && size > 0; i++) {
		const char *end = memchr(text, '\n', size);
		size_t len = end ? (size_t)(end - text) : size;

		put_line(&line, text, len, said.state);
		check_line(&mcp, &line, &said);
		len += end != NULL;
		text += len;
		size -= len;
	}
	assert(mcp.in_flight == 0 && !mcp.open);
	rpc_out_finish(&mcp.out);
	buf_finish(&line);
	json_decref(said.id);
	free(said.state);
	seals_destroy(mcp.seals);
	ambit_registry_destroy(mcp.box.registry);
	ambit_engine_destroy(mcp.box.world.engine);
	close(mcp.roots.known);
	return 0;
}
