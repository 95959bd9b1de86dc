/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes into lines, lines into messages: each line comes out once and whole or is
 * told as too long, and what is taken for a message has what its kind must have. */

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lines.h"
#include "base/rpc.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LONGEST 300

static void
check_id(const struct rpc_message *message)
{
	char *key = rpc_id_key(message->id);

	assert(key && (json_is_string(message->id) || json_is_integer(message->id)));
	assert(key[0] == (json_is_string(message->id) ? 's' : 'i') && key[1] == ':');
	free(key);
}

static void
check(const char *text, size_t len)
{
	struct rpc_message message;

	rpc_parse(text, len, &message);
	if (message.id)
		check_id(&message);
	switch (message.kind) {
	case RPC_BAD:
		assert(message.code <= -32600 && message.code >= -32700);
		assert(message.why[0] != '\0' && strlen(message.why) < sizeof(message.why));
		break;
	case RPC_REQUEST:
		assert(message.id && message.method);
		assert(!message.params || json_is_object(message.params));
		break;
	case RPC_NOTIFICATION:
		assert(!message.id && message.method);
		assert(!message.params || json_is_object(message.params));
		break;
	case RPC_RESPONSE:
		assert(!message.method && (message.result || message.error));
	}
	rpc_message_finish(&message);
}

/* What lines.c should say of the next line, by the shortest code there is. */
static int
expected(const char *data, size_t size, size_t *at, size_t *ret_len)
{
	const char *newline;

	if (*at >= size)
		return 0;
	newline = memchr(data + *at, '\n', size - *at);
	*ret_len = newline ? (size_t)(newline - data) - *at : size - *at;
	return *ret_len > LONGEST ? -EMSGSIZE : 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("lines", MFD_CLOEXEC);
	const char *text = (const char *)data;
	struct lines lines;
	size_t at = 0, len = 0;
	int r;

	assert(fd >= 0 && fd_write_all(fd, data, size) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	assert(lines_init(&lines, fd, LONGEST, NULL) == 0);
	do {
		r = lines_next(&lines, NULL);
		assert(r == expected(text, size, &at, &len));
		if (r == 1) {
			assert(lines.line.len == len &&
				memcmp(lines.line.data, text + at, len) == 0);
			assert(lines.line.data[len] == '\0');
			check(lines.line.data, len);
		}
		at += len + 1;
	} while (r != 0);
	lines_finish(&lines);
	check(text, size);
	return 0;
}
