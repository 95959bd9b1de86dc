/* SPDX-License-Identifier: Apache-2.0 */
/* Redaction of any bytes: never fails for its input, keeps UTF-8 intact,
 * leaves no known key shape and takes no command out, and of JSON makes JSON. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "record/redact/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A key put between the two halves of the input must be gone, whatever stands
 * around it. */
static void
try_key(const char *text, size_t size)
{
	static const char key[] = " gh"
				  "p_0123456789abcdefghijABCDEFGHIJ ";
	auto_buf struct buf buf = { 0 }, out = { 0 };

	buf_append(&buf, text, size / 2);
	buf_puts(&buf, key);
	buf_append(&buf, text + size / 2, size - size / 2);
	redact_append(&out, buf.data, buf.len);
	if (memmem(out.data, out.len, key + 1, sizeof(key) - 3) &&
		!memmem(text, size, key + 1, sizeof(key) - 3))
		abort();
}

/* A command put there must still be there. */
static void
try_act(const char *text, size_t size)
{
	static const char act[] = "\n; rm -rf work;";
	auto_buf struct buf buf = { 0 }, out = { 0 };

	buf_append(&buf, text, size / 2);
	buf_puts(&buf, act);
	buf_append(&buf, text + size / 2, size - size / 2);
	redact_append(&out, buf.data, buf.len);
	if (!memmem(out.data, out.len, act, sizeof(act) - 1))
		abort();
}

static void
try_json(const char *text, size_t size)
{
	auto_json json_t *value = NULL;
	size_t count = 0;

	if (json_parse(text, size, &value, NULL) < 0)
		return;
	auto_json json_t *clean = redact_json(value, &count);
	auto_free char *line = clean ? json_line(clean) : NULL;

	if (!line)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	auto_buf struct buf out = { 0 };

	redact_append(&out, text, size);
	if (out.failed ||
		(str_is_utf8(text, size) && !str_is_utf8(out.data ? out.data : "", out.len)))
		abort();
	try_key(text, size);
	try_act(text, size);
	try_json(text, size);
	return 0;
}
